"""A suite's results as text and as JSON, and what is wrong with them. All follow from what the suite declares."""

import json
import textwrap
from dataclasses import dataclass, field, replace

from kumiko.measurement import Budget, Missing
from kumiko.table import WIDTH, Column, Table, cell_fault, significant
from results import Results, title_of
from suite import Suite

PLACES = 3  # of an error that many cases share


@dataclass
class Report:
    """The tables and the budgets that a suite declares, with the values of its results."""

    suite: Suite
    results: Results
    parts: list[Table | str] = field(init=False)  # tables and legends
    budgets: list[Budget] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = list(self.suite.tables(self.results))
        judged = self.suite.budgets(self.results)
        self.budgets = [replace(budget, judged=budget.judged and not self.suite.quick) for budget in judged]

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]

    def text(self) -> str:
        parts = [textwrap.fill(part, WIDTH) + "\n" if isinstance(part, str) else part.text() for part in self.parts]
        errors = "".join(f"  {line}"[:WIDTH] + "\n" for line in self.errors())
        parts += ["not measured\n" + errors] if errors else []
        parts += [budget_table(self.suite.budgets_title, self.budgets).text()] if self.budgets else []
        return "\n".join(parts)

    def errors(self) -> list[str]:
        """A line for each error of programs, with the cases that have it."""
        return [
            f"{error} ({'; '.join(map(title_of, keys[:PLACES]))}{'; ...' if len(keys) > PLACES else ''})"
            for error, keys in self.results.errors().items()
        ]

    def failures(self) -> list[str]:
        """Reasons why the measurement is void."""
        return [*([] if self.suite.may_fail else self.errors()), *self.suite.failures(self.results)]

    def as_json(self) -> dict:
        return {
            self.suite.budgets_title.partition(" ")[0]: [budget.as_json() for budget in self.budgets],
            "tables": [{"title": table.title, "rows": table.json()} for table in self.tables],
            **self.suite.figures(self.results),
            "runs": self.results.as_json(self.suite.fields),
        }

    def faults(self) -> list[str]:
        """Values that are missing or not finite, and what the JSON cannot have. Programs that failed are named once."""
        found = [fault for table in self.tables for fault in table.faults()]
        found += [f"budget '{b.title}': {fault}" for b in self.budgets if (fault := cell_fault(b.measured))]
        errors = tuple(self.results.errors())
        found = [fault for fault in found if not errors or not fault.endswith(errors)]
        found += [f"not measured: {error}" for error in self.errors() if self.suite.may_fail]
        found += [f"a line is longer than {WIDTH}: {line}" for line in self.text().splitlines() if len(line) > WIDTH]
        try:
            json.dumps(self.as_json(), allow_nan=False)
        except ValueError as error:
            found.append(f"the figures: {error}")
        return found

    def skipped(self) -> list[str]:
        """Reasons of this machine for missing values, each once."""
        values = [budget.measured for budget in self.budgets]
        missing = [run.error for _, run in self.results.outcomes() if run.is_expected]
        missing += [value.why for value in values if isinstance(value, Missing) and value.is_expected]
        return list(dict.fromkeys(missing))


def budget_table(title: str, budgets: list[Budget]) -> Table:
    judged = all(budget.judged for budget in budgets)
    columns = [
        Column(lambda budget: budget.title, title="budget", is_key=True),
        Column(lambda budget: budget.measured, title="measured", format=significant),
        Column(lambda budget: f"{'<=' if budget.at_most else '>='} {significant(budget.bound)}", title="bound"),
        Column(lambda budget: budget.verdict, title="verdict"),
    ]
    return Table(columns, budgets, title if judged else f"{title}, which hold for the full sizes, measured repeatedly")
