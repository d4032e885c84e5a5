"""The address of the page of an estimator on the site of the library."""

from __future__ import annotations

import sys
from itertools import takewhile

SITE = "https://fairordinal.readthedocs.io"  # "/page/" leads to the default version


class SiteLinkMixin:
    """Let the HTML of an estimator link to its page, by the names that scikit-learn reads."""

    _doc_link_module = "fairordinal"
    _doc_link_template = SITE + "/page/reference/generated/{module}.{name}.html"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        """The class, and the first package from which users can import it."""
        name, parts = type(self).__name__, type(self).__module__.split(".")
        public = takewhile(lambda part: not part.startswith("_"), parts)
        at_root = hasattr(sys.modules["fairordinal"], name)
        return {"name": name, "module": "fairordinal" if at_root else ".".join(public)}
