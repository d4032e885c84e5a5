"""The report about one predictor: an audit, cut points and a frontier on one page."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from fairordinal._audit import Audit, Finding
from fairordinal._validation import check_choice, check_number
from fairordinal.criteria import DIRECTIONS
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.report import _verdict
from fairordinal.report._details import Details, audit_views, pack
from fairordinal.report._frontier import Chart, chart_of, check_models, models_that_fit
from fairordinal.report._model_card import caveats, check_date, check_lines, facts
from fairordinal.report._page import Report, as_json, environment, render, user_text
from fairordinal.report._scores import scores_view
from fairordinal.thresholds import ThresholdResult

LARGEST = 980_000  # bytes of a page with model files


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
    higher_is: str | None = None,
    title: str = "Fairness report",
    data: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    date: datetime.date | None = None,
) -> Report:
    """Make an HTML page about a predictor: verdict, groups, trade-off and caveats.

    The page is one self-contained file without network requests. Pass at least one of `audit`,
    `thresholds` and `frontier`; sections of the others are left out.

    Parameters
    ----------
    audit : Audit, default=None
        An audit of predictions, as :func:`~fairordinal.audit` returns it. None with a frontier
        takes an audit of the picked model, by its held-out predictions.
    thresholds : ThresholdResult, default=None
        Cut points, as :func:`~fairordinal.optimize_thresholds` returns them. They are drawn on
        the scores of each group; None with a frontier takes those of the picked model.
    before : array-like of shape (n_labels - 1,), default=None
        Cut points to compare `thresholds` with, such as those in use today; None takes those of
        least cost.
    frontier : FairOrdinalFrontier, default=None
        A fitted frontier, which is drawn as an interactive chart. The picked model is compared
        with the most accurate one. All parts of the page that are not about a given audit or given
        thresholds follow the picked point.
    chosen : FairOrdinalClassifier, FairThresholdClassifier or int, default=None
        The model that is selected at first: a model of the frontier's `select`, or the number of
        one; None takes the most accurate one within `max_violation`, or the knee of the frontier.
    models : sequence of str, default=None
        The text of a model file for each point of the frontier, which readers can download. If
        the page would become too large, only those nearest to the chosen model are kept.
    criterion : str, default=None
        Name of the criterion of the verdict, one of the audit's. None takes that of the frontier
        or of the thresholds if it was audited, else the first of the audit.
    max_violation : float, default=None
        The limit with which the verdict compares the violation; None means no limit.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better for people, such as grades, or worse, such as levels of
        risk, for the audits of the models of a frontier; None calls no group favoured,
        disadvantaged or harmed. A given audit has its own direction.
    title : str, default="Fairness report"
        Title of the page.
    data : mapping of str to str, default=None
        Lines about the data for the section "What was done", by name.
    settings : mapping of str to str, default=None
        Lines about the settings for the section "What was done", by name.
    date : date, default=None
        Date of the report; None takes today.

    Returns
    -------
    report : Report
        The page; `html` is its text, and `save(path)` writes it to a file.

    See Also
    --------
    report_compare : Makes a page about two predictors of the same rows.

    Notes
    -----
    Names and texts are escaped; hidden characters are written as escapes. The page stays below
    1 MB for 40 groups, 9 labels and 60 models. If there are many pairs of groups, it lists those
    with the largest disparities. Details of models are packed into the page as compressed text,
    for as many models as it has room for. With more than 8 groups, the models of a frontier are
    audited for the criterion of the frontier, demographic parity and equal opportunity only.

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
    environment()  # fails early if jinja2 is missing
    _check_parts(audit, thresholds, frontier)
    _check_options(thresholds, before, frontier, chosen, models)
    _check_direction(higher_is, audit, frontier)
    check_date(date)
    check_lines(data, "data")
    check_lines(settings, "settings")
    limit = None if max_violation is None else check_number(max_violation, "max_violation")
    chart = None if frontier is None else chart_of(frontier, chosen, limit)
    files = None if models is None or chart is None else check_models(models, len(chart.points))
    finding = _main_finding(audit, criterion, thresholds, frontier)
    verdicts = _given_verdicts(audit, finding, thresholds, before, limit)
    no_audit: dict[str, Any] = {"audit": None, "notes": []}
    view: dict[str, Any] = {
        "verdicts": [*verdicts["audit"], *verdicts["thresholds"]],
        "chart": chart,
        "limit": None if limit is None else f"{limit:g}",
        "scores": None if thresholds is None else scores_view(thresholds, before),
        "model": None,
        "parts": [],
        **(audit_views(audit, finding, limit) if audit and finding else no_audit),
        "caveats": caveats(frontier=chart is not None, scores=thresholds is not None),
        **facts(audit, thresholds, frontier, data, settings, date, limit, higher_is),
    }
    details = None if frontier is None else Details(frontier, limit, verdicts, higher_is)
    if details is not None and chart is not None:
        view |= {"parts": details.parts, **details.view(chart.chosen)}
    return _page(view, user_text(title), chart, details, files)


def _page(
    view: dict[str, Any],
    title: str,
    chart: Chart | None,
    details: Details | None,
    files: list[str] | None,
) -> Report:
    """The page, with details of as many models and as many model files as it has room for."""
    if chart is None or details is None:
        return render("report.html", view, title=title, script_data=None)
    page = render("report.html", view, title=title, script_data=chart.script_data)
    room = LARGEST - len(page.html.encode())
    if files is not None:
        room -= len(as_json(files[chart.chosen]))
    packed = pack(details, view, chart.chosen, room)
    view["chart"] = chart = chart._replace(details=packed)
    page = render("report.html", view, title=title, script_data=chart.script_data)
    if files is None:
        return page
    room = LARGEST - len(page.html.encode())
    view["chart"] = chart = chart._replace(models=models_that_fit(files, chart.chosen, room))
    return render("report.html", view, title=title, script_data=chart.script_data)


def _check_parts(audit: Any, thresholds: Any, frontier: Any) -> None:
    """Check that there is something to report, and its types."""
    parts = (
        ("audit", audit, Audit, "an Audit"),
        ("thresholds", thresholds, ThresholdResult, "a ThresholdResult"),
        ("frontier", frontier, FairOrdinalFrontier, "a FairOrdinalFrontier"),
    )
    for name, part, kind, words in parts:
        if part is not None and not isinstance(part, kind):
            raise TypeError(f"{name} must be {words}, got {type(part).__name__}.")
    if audit is None and thresholds is None and frontier is None:
        raise ValueError("Nothing to report: give one of audit, thresholds and frontier.")
    if frontier is not None:
        check_is_fitted(frontier, "points_")


def _check_options(thresholds: Any, before: Any, frontier: Any, chosen: Any, models: Any) -> None:
    """Refuse options that belong to a part which is missing."""
    if frontier is None and (chosen is not None or models is not None):
        name = "chosen" if chosen is not None else "models"
        raise ValueError(f"{name}= needs frontier=: pass the frontier as well.")
    if before is not None and thresholds is None:
        raise ValueError("before belongs to thresholds: pass thresholds=, too.")


def _check_direction(higher_is: Any, audit: Audit | None, frontier: Any) -> None:
    """Check that a direction is given where it has an effect, and does not contradict the audit."""
    check_choice(higher_is, "higher_is", DIRECTIONS)
    if higher_is is not None and frontier is None:
        raise ValueError("higher_is= needs frontier=: pass it to audit instead.")
    if higher_is is not None and audit is not None and audit.higher_is != higher_is:
        raise ValueError(
            f"higher_is={higher_is!r} contradicts the audit, which has {audit.higher_is!r}. Pass "
            "the same to both."
        )


def _main_finding(
    audit: Audit | None,
    criterion: str | None,
    thresholds: ThresholdResult | None,
    frontier: FairOrdinalFrontier | None,
) -> Finding | None:
    """The finding that the verdict is about."""
    if audit is None:
        if criterion is not None:
            raise ValueError("criterion names a criterion of an audit: pass audit, too.")
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


def _given_verdicts(
    audit: Audit | None,
    finding: Finding | None,
    thresholds: ThresholdResult | None,
    before: Any,
    limit: float | None,
) -> dict[str, list[_verdict.Verdict]]:
    """Verdicts on a given audit and on given cut points."""
    return {
        "audit": [_verdict.of_audit(audit, finding, limit)] if audit and finding else [],
        "thresholds": [_verdict.of_thresholds(thresholds, before)] if thresholds else [],
    }
