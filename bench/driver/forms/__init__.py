"""What the tables of each suite should look like on a machine."""

import importlib

from forms.host import Host
from suites import SUITES

__all__ = ["FORMS", "Host"]

# By suite: from the machine to its Form.
FORMS = {suite: importlib.import_module(f"forms.{suite}").form for suite in SUITES}
