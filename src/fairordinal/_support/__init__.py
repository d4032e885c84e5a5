"""General-purpose helpers, which know nothing about rows, labels or fairness.

=============  ====================================================================
`_files`       files that are written as a whole: `write_whole`, `put_in_place`, …
`_fitting`     decorators: `wholly` (a fit succeeds or changes nothing), `one_thread`
`_messages`    hidden characters as escapes: `visible`, `visible_lines`, `escaped`;
               `warn` points to the caller's line; `optional` imports optional packages;
               progress on standard error: `show_progress`, `progress`, `progress_bar`
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
from fairordinal._support._fitting import one_thread, wholly
from fairordinal._support._messages import (
    escaped,
    optional,
    progress,
    progress_bar,
    show_progress,
    visible,
    visible_lines,
    warn,
)

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
