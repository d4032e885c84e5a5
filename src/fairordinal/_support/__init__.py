"""General-purpose helpers, which know nothing about rows, labels or fairness.

=============  ====================================================================
`_escapes`     hidden characters as escapes: `visible`, `visible_lines`, `escaped`
`_files`       files that are written as a whole: `write_whole`, `put_in_place`, …
`_fitting`     decorators: `wholly` (a fit succeeds or changes nothing), `one_thread`
`_messages`    `warn` points to the caller's line; `optional` imports optional packages
`_progress`    progress on standard error: `show_progress`, `progress`, `progress_bar`
=============  ====================================================================

Every command and every audit imports this package. Imports that are slow, or that may fail, are
therefore inside of the functions that need them.
"""

from fairordinal._support._escapes import escaped, visible, visible_lines
from fairordinal._support._files import (
    is_read_only,
    is_regular,
    put_in_place,
    status_of,
    write_whole,
)
from fairordinal._support._fitting import one_thread, wholly
from fairordinal._support._messages import optional, warn
from fairordinal._support._progress import progress, progress_bar, show_progress

__all__ = [
    "escaped",
    "is_read_only",
    "is_regular",
    "one_thread",
    "optional",
    "progress",
    "progress_bar",
    "put_in_place",
    "show_progress",
    "status_of",
    "visible",
    "visible_lines",
    "warn",
    "wholly",
    "write_whole",
]
