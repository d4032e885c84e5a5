"""General-purpose helpers, which know nothing about rows, labels or fairness.

=============  ====================================================================
`_files`       files that are written as a whole: `write_whole`, `put_in_place`, …
`_fitting`     `wholly` (a fit succeeds or changes nothing), `one_thread`,
               `keep_freed_memory`
`_messages`    hidden characters as escapes: `visible`, `visible_lines`, `escaped`;
               `warn` points to the caller's line; `optional` imports optional packages
`_progress`    progress on standard error: `show_progress`, `progress`, `part`, `steps`, …
`_site`        links to the site: `SiteLinkMixin`
=============  ====================================================================

Every command and every audit imports this package. Imports that are slow, or that may fail, are
therefore inside of the functions that need them.
"""

from fairordinal._support._files import (
    is_read_only,
    is_regular,
    put_in_place,
    status_of,
    write_whole,
)
from fairordinal._support._fitting import keep_freed_memory, one_thread, wholly
from fairordinal._support._messages import (
    ResultWarning,
    escaped,
    optional,
    visible,
    visible_lines,
    warn,
)
from fairordinal._support._progress import (
    advance,
    awaited,
    part,
    progress,
    show_progress,
    steps,
)
from fairordinal._support._site import SiteLinkMixin

__all__ = [
    "ResultWarning",
    "SiteLinkMixin",
    "advance",
    "awaited",
    "escaped",
    "is_read_only",
    "is_regular",
    "keep_freed_memory",
    "one_thread",
    "optional",
    "part",
    "progress",
    "put_in_place",
    "show_progress",
    "status_of",
    "steps",
    "visible",
    "visible_lines",
    "warn",
    "wholly",
    "write_whole",
]
