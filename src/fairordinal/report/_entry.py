"""From the parts of an analysis to a page."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairordinal._audit import Audit, Finding
from fairordinal._validation import check_number
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.report import _done, _verdict
from fairordinal.report._findings import notions
from fairordinal.report._frontier import Chart, chart_of, check_models, kept_models
from fairordinal.report._groups import groups_of
from fairordinal.report._limits import limits
from fairordinal.report._names import text
from fairordinal.report._page import Report, environment, render
from fairordinal.report._scores import Scores, scores_of
from fairordinal.thresholds import ThresholdResult

LARGEST = 980_000  # bytes of a page that carries model files


def report(
    audit: Audit | None = None,
    *,
    thresholds: ThresholdResult | None = None,
    before: Any = None,
    frontier: FairOrdinalFrontier | None = None,
    chosen: Any = None,
    models: Sequence[str] | None = None,
    criterion: str | None = None,
    max_violation: float | None = None,
    title: str = "Fairness report",
    data: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    date: datetime.date | None = None,
) -> Report:
    """One HTML file about a predictor: the verdict, the groups, the trade-off, and their limits.

    The page is self-contained and asks nothing of the network. Parts that are not given are left
    out; one of `audit`, `thresholds` and `frontier` is needed.

    Parameters
    ----------
    audit : Audit, default=None
        Of predictions, as :func:`~fairordinal.audit` returns it.
    thresholds : ThresholdResult, default=None
        Cut points, as :func:`~fairordinal.optimize_thresholds` returns them, to be shown on the
        scores of each group; None takes those of the chosen model of the frontier.
    before : array-like of shape (n_labels - 1,), default=None
        The cut points in force today; None takes those of least cost.
    frontier : FairOrdinalFrontier, default=None
        Fitted; an interactive chart.
    chosen : FairOrdinalClassifier, FairThresholdClassifier or int, default=None
        A model of the frontier's `select`, or the number of one, to start with; None starts at
        the knee.
    models : sequence of str, default=None
        A model file for each point of the frontier, for readers to download as it is. If they are
        too large for a page, those nearest to the chosen one are kept.
    criterion : str, default=None
        The notion of the verdict; None takes that of the frontier or of the thresholds if it was
        audited, else the first of the audit.
    max_violation : float, default=None
        The limit that the verdict holds the violation against.
    title : str, default="Fairness report"
        On top of the page.
    data, settings : mapping of str to str, default=None
        What readers should know about the rows, and about what was done, line by line.
    date : date, default=None
        Of the report; None takes today.

    Returns
    -------
    report : Report
        With `html` and `save(path)`.

    Notes
    -----
    Names and texts are escaped; characters that cannot be seen are written out. The page stays
    below 1 MB for 40 groups, 9 labels and 60 models: of many pairs of groups it lists the worst.

    Examples
    --------
    >>> from fairordinal import audit
    >>> from fairordinal.report import report
    >>> found = audit([1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    >>> page = report(found, title="Grades", max_violation=0.1)
    >>> "above the limit of 0.1" in page.html
    True
    >>> path = page.save("/tmp/grades.html")                            # doctest: +SKIP
    """
    environment()  # says what is missing before anything is computed
    _check(audit, thresholds, frontier, chosen, models, data, settings)
    if before is not None and thresholds is None:
        raise ValueError("before belongs to thresholds: pass thresholds=, too.")
    limit = None if max_violation is None else check_number(max_violation, "max_violation")
    chart = None if frontier is None else chart_of(frontier, chosen, limit)
    files = None if models is None or chart is None else check_models(models, len(chart.points))
    finding = main_finding(audit, criterion, thresholds, frontier)
    scores = _scores(thresholds, before, frontier, chart)
    view: dict[str, Any] = {
        "verdicts": _verdicts(audit, finding, thresholds, before, frontier, chart, limit),
        "notes": [] if finding is None else _verdict.notes_on(finding),
        "audit": None,
        "groups": None,
        "scores": scores,
        "of_frontier": thresholds is None,
        "chart": chart,
        "limit": None if limit is None else f"{limit:g}",
        **facts(audit, thresholds, frontier, data, settings, date, limit),
        "limits": limits(frontier=chart is not None, scores=scores is not None),
    }
    if audit is not None and finding is not None:
        view["audit"], view["groups"] = notions(audit, finding, limit), groups_of(audit)
        view["confidence"] = f"{100 * audit.confidence:g}%"
    return _page(view, text(title), chart, files)


def _page(view: dict[str, Any], title: str, chart: Chart | None, files: list[str] | None) -> Report:
    """The page, with as many model files as it can carry."""
    if chart is None:
        return render("report.html", view, title=title, script_data=None)
    page = render("report.html", view, title=title, script_data=chart.script_data)
    if files is None:
        return page
    room = LARGEST - len(page.html.encode())
    view["chart"] = chart = chart._replace(models=kept_models(files, chart.chosen, room))
    return render("report.html", view, title=title, script_data=chart.script_data)


def _check(
    audit: Any, thresholds: Any, frontier: Any, chosen: Any, models: Any, data: Any, settings: Any
) -> None:
    kinds = (("audit", audit, Audit), ("thresholds", thresholds, ThresholdResult))
    for name, part, kind in (*kinds, ("frontier", frontier, FairOrdinalFrontier)):
        if part is not None and not isinstance(part, kind):
            raise TypeError(f"{name} must be {_article(kind)}, got {type(part).__name__}.")
    if audit is None and thresholds is None and frontier is None:
        raise ValueError("Nothing to report: give one of audit, thresholds and frontier.")
    if frontier is not None:
        check_is_fitted(frontier, "points_")
    elif chosen is not None or models is not None:
        name = "chosen" if chosen is not None else "models"
        raise ValueError(f"{name} belongs to a frontier: pass frontier=, too.")
    check_lines(data, "data")
    check_lines(settings, "settings")


def _article(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def check_lines(lines: Any, name: str) -> None:
    """Refuse what is not names and texts."""
    if lines is not None and not isinstance(lines, Mapping):
        raise TypeError(f"{name} must be a mapping of names to texts, got {type(lines).__name__}.")


def main_finding(
    audit: Audit | None,
    criterion: str | None,
    thresholds: ThresholdResult | None,
    frontier: FairOrdinalFrontier | None,
) -> Finding | None:
    """The notion of the verdict."""
    if audit is None:
        if criterion is not None:
            raise ValueError("criterion names a notion of an audit: pass audit, too.")
        return None
    if criterion is not None:
        known = [finding.criterion.name for finding in audit.findings]
        if criterion not in known:
            raise ValueError(f"criterion must be one of {known}, as audited, got {criterion!r}.")
        return audit[criterion]
    wanted = [frontier.criterion_.name] if frontier is not None else []
    wanted += [thresholds.criterion.name] if thresholds is not None else []
    first = [f for name in wanted for f in audit.findings if f.criterion.name == name]
    return [*first, *audit.findings][0]


def _verdicts(
    audit: Audit | None,
    finding: Finding | None,
    thresholds: ThresholdResult | None,
    before: Any,
    frontier: FairOrdinalFrontier | None,
    chart: Chart | None,
    limit: float | None,
) -> list[_verdict.Verdict]:
    """The verdict first, then what else is to be said."""
    found = []
    if audit is not None and finding is not None:
        found.append(_verdict.of_audit(audit, finding, limit))
    if frontier is not None and chart is not None and (chart.was_chosen or audit is None):
        found.append(_verdict.of_frontier(frontier, chart.chosen, limit))
    if thresholds is not None:
        found.append(_verdict.of_thresholds(thresholds, before))
    return found


def _scores(
    thresholds: ThresholdResult | None,
    before: Any,
    frontier: FairOrdinalFrontier | None,
    chart: Chart | None,
) -> Scores | None:
    """Scores with the cut points given, or with those of the frontier's model."""
    if thresholds is not None:
        return scores_of(thresholds, before)
    if frontier is None or chart is None:
        return None
    result = frontier.points_[chart.chosen].result
    cuts = np.asarray(frontier.model(chart.chosen).thresholds_)
    known = np.isfinite(cuts) & np.isfinite(result.thresholds)
    if not known.any() or len(result.score_table.axis) < 2:
        return None  # a constant model: there are no scores to speak of
    return scores_of(result, None, float((cuts[known] - result.thresholds[known]).mean()))


def facts(
    audit: Audit | None,
    thresholds: ThresholdResult | None,
    frontier: FairOrdinalFrontier | None,
    data: Mapping[str, Any] | None,
    settings: Mapping[str, Any] | None,
    date: datetime.date | None,
    limit: float | None,
) -> dict[str, Any]:
    """What was done, when, and with what."""
    result = thresholds if frontier is None else frontier.points_[0].result
    table = audit.table if audit is not None else result.score_table if result else None
    return {
        "data": _done.of_data(audit, table, data),
        "settings": _done.of_settings(audit, thresholds, frontier, settings, limit),
        "date": (date or datetime.date.today()).isoformat(),
        "version": _version(),
    }


def _version() -> str:
    try:
        return version("fairordinal")
    except PackageNotFoundError:  # run from its sources
        return "(not installed)"
