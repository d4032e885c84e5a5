"""Rows and audits for reports, and a report full of hostile names."""

import numpy as np

from fairordinal import audit
from fairordinal.report import report
from made_up_frontier import made_up_frontier, scored_rows

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script>",
    "{{7*7}}",
    "{% raise %}",
    "a\u2028b\u2029c",
    "abc\u202edef",
    "x" * 300,
    "",
    " ",
    "&amp;",
    "'onclick='",
    "\x00\x1b",
    "\ud800",
    "שלום",
]


def report_rows(n_groups=3, names=None, labels=None):
    """Scores, true labels, groups and predicted labels by name, and the labels in order."""
    names = names or [f"group {i}" for i in range(n_groups)]
    labels = labels or ["poor", "fair", "good", "great"]
    scores, y, a = scored_rows(names, labels, n_rows=30 * len(names) * len(labels))
    predicted = np.array(labels, dtype=object)[scores.round().clip(0, len(labels) - 1).astype(int)]
    return scores, y, a, predicted, labels


def audit_of(n_groups=3, names=None, labels=None, higher_is=None):
    _, y, a, predicted, labels = report_rows(n_groups, names, labels)
    return audit(
        y.tolist(),
        predicted.tolist(),
        sensitive_features=a.tolist(),
        labels=labels,
        higher_is=higher_is,
    )


def hostile_report():
    """A report in which every text that users give is hostile."""
    groups, labels = HOSTILE[:9], HOSTILE[:5]
    found = audit_of(names=groups, labels=labels)
    frontier = made_up_frontier(groups, labels)
    return report(
        found,
        frontier=frontier,
        models=[f"</script><script>alert({i})</script>\u2028" for i in range(12)],
        title=HOSTILE[0] + HOSTILE[1],
        data={text: text for text in HOSTILE},
        settings=dict(zip(HOSTILE, reversed(HOSTILE), strict=True)),
    )
