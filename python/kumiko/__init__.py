"""Studies with Kumiko: comparisons of solvers, scaling, a case's tables; and, for studies of your own and for
benchmarks, the parts that these consist of: runs, rounds, tables that are declared once, figures.

    import kumiko

    found = kumiko.compare(kumiko.CompareRequest("gaussian.toml", solvers=("thinc", "upwind1"), resolutions=(32, 64)))
    print([found.order_of(run) for run in found.runs])

The program is the one of the environment's KUMIKO, or `kumiko` of PATH. Text tables need Python alone, figures
matplotlib.
"""

from .case_table import Tables, tabulate
from .compare import compare
from .comparison import Comparison
from .contender import CompareRequest
from .measurement import Budget, Missing, Spread, ratio, rounds
from .program import Failed, Interrupted, Job, Kumiko, Refused
from .scaling import Scaling, ScalingRequest, scale
from .study import Request
from .table import Column, Table

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Column",
    "CompareRequest",
    "Comparison",
    "Failed",
    "Interrupted",
    "Job",
    "Kumiko",
    "Missing",
    "Refused",
    "Request",
    "Scaling",
    "ScalingRequest",
    "Spread",
    "Table",
    "Tables",
    "compare",
    "ratio",
    "rounds",
    "scale",
    "tabulate",
]
