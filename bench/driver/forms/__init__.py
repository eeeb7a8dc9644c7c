"""What the tables of each suite should look like on a machine."""

from forms import amr, checkpoint, cluster, groups, idle, io, predict, ranks, runtime, search
from forms.host import Host

__all__ = ["FORMS", "Host"]

# By suite: from the machine to its Form.
FORMS = {
    "amr": amr.form,
    "checkpoint": checkpoint.form,
    "cluster": cluster.form,
    "groups": groups.form,
    "idle": idle.form,
    "io": io.form,
    "predict": predict.form,
    "ranks": ranks.form,
    "runtime": runtime.form,
    "search": search.form,
}
