"""Details of a model of the frontier: the parts of the page that follow the picked point.

The page has the parts of the model that is selected at first. Those of the other models are packed
for the script: first the models nearest to it, as many as the page has room for.
"""

from __future__ import annotations

import base64
import json
import warnings
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from fairordinal._audit import DEFAULT_CRITERIA, Audit, AuditOptions, Finding, audit_table
from fairordinal._render import number, percent
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.plotting import score_shift
from fairordinal.report import _verdict
from fairordinal.report._disparities import criterion_views
from fairordinal.report._groups import groups_view, mean_cost
from fairordinal.report._numbers import signed
from fairordinal.report._page import LABEL_WIDTH, Name, display_names, fragment
from fairordinal.report._scores import MOST_GROUPS, ScoresView, model_scores_view
from fairordinal.report._verdict import Verdict

FEW_GROUPS = 8  # with more, models are audited for fewer criteria, to save time
MAIN_CRITERIA = ("demographic_parity", "equal_opportunity")


class Change(NamedTuple):
    """A quantity of the most accurate model and of the picked one."""

    name: str
    before: str
    after: str
    change: str


class GroupChange(NamedTuple):
    """A group: errors and shares of labels, of the most accurate model and of the picked one."""

    name: Name
    errors: list[tuple[str, str]]  # mean cost, rated too low, rated too high
    shares: list[tuple[str, str]]


class ComparedView(NamedTuple):
    """The picked model compared with the most accurate one."""

    number: int
    reference: int
    changes: list[Change]
    groups: list[GroupChange]
    labels: list[Name]
    hidden: int  # groups that are left out


class Details:
    """Views of the models of a frontier, by number.

    Parts that are about a given audit or given cut points do not follow the picked point.
    """

    def __init__(
        self,
        frontier: FairOrdinalFrontier,
        limit: float | None,
        given_verdicts: Mapping[str, Sequence[Verdict]],
        higher_is: str | None = None,
    ) -> None:
        self.frontier, self.limit, self.given_verdicts = frontier, limit, given_verdicts
        self.higher_is = higher_is
        self.parts = ["verdict", "compared"]
        self.parts += [] if given_verdicts["audit"] else ["disparities", "groups"]
        self.parts += [] if given_verdicts["thresholds"] else ["scores"]
        self.reference = len(frontier.points_) - 1
        self._audits: dict[int, Audit] = {}

    def view(self, model: int) -> dict[str, Any]:
        """What the templates of the parts show of a model."""
        frontier, limit = self.frontier, self.limit
        audit = self._audit(model)
        finding, given = audit[frontier.criterion_.name], self.given_verdicts
        verdicts = [*given["audit"], *_verdict.of_model(frontier, model, limit)]
        view: dict[str, Any] = {
            "model": model,
            "verdicts": [*verdicts, *given["thresholds"]],
            "compared": self._compared(model),
        }
        if "disparities" in self.parts:
            view |= audit_views(audit, finding, limit)
            view["notes"] = [_verdict.on_held_out_rows(finding), *view["notes"]]
        if "scores" in self.parts:
            view["scores"] = _scores(frontier, model)
        return view

    def _audit(self, model: int) -> Audit:
        if model not in self._audits:
            self._audits[model] = audit_of_point(self.frontier, model, self.higher_is)
        return self._audits[model]

    def _compared(self, model: int) -> ComparedView:
        """The model compared with the most accurate one."""
        pair = (self.reference, model)
        before, after = (self._audit(number) for number in pair)
        expected = [self.frontier.points_[number].expected for number in pair]
        names = display_names(after.table.groups.tolist())
        return ComparedView(
            model,
            self.reference,
            _changes(before, after, *(values.violation for values in expected)),
            _group_changes(before, after, names[:MOST_GROUPS]),
            display_names(after.table.labels.tolist(), LABEL_WIDTH),
            max(len(names) - MOST_GROUPS, 0),
        )


def audit_views(audit: Audit, finding: Finding, limit: float | None) -> dict[str, Any]:
    """Views of the sections about an audit."""
    return {
        "notes": _verdict.notes_on(finding),
        "audit": criterion_views(audit, finding, limit),
        "groups": groups_view(audit),
        "confidence": f"{100 * audit.confidence:g}%",
    }


def audit_of_point(
    frontier: FairOrdinalFrontier, model: int, higher_is: str | None = None
) -> Audit:
    """Audit of the held-out predictions of a model: each row by a fit without its fold."""
    own, table = frontier.criterion_, frontier.points_[model].candidate.table
    names = DEFAULT_CRITERIA if len(table.groups) <= FEW_GROUPS else MAIN_CRITERIA
    others = [name for name in names if name != own.name]
    options = AuditOptions(
        criteria=[own, *others],
        cost_matrix=frontier.cost_matrix,
        interval="delta",
        confidence=frontier.confidence,
        n_resamples=0,
        random_state=0,
        compare=False,
        higher_is=higher_is,
    )
    with warnings.catch_warnings():  # the page lists what is undefined
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return audit_table(table, None, options, None)


def _scores(frontier: FairOrdinalFrontier, model: int) -> ScoresView | None:
    result = frontier.points_[model].result
    shift = score_shift(np.asarray(frontier.model(model).thresholds_), result)
    if np.isnan(shift) or len(result.score_table.axis) < 2:
        return None  # a constant predictor has no scores to show
    return model_scores_view(result, shift)


# Comparison with the most accurate model


def _changes(before: Audit, after: Audit, *violations: float) -> list[Change]:
    """Mean cost, and violations; `violations` are the estimates of the frontier's criterion."""
    main, *others = zip(before.findings, after.findings, strict=True)
    changes = [_change("mean cost", mean_cost(before), mean_cost(after))]
    changes.append(_change(f"violation of {main[0].criterion.title}", *violations))
    for old, new in others:
        title = f"violation of {new.criterion.title}"
        changes.append(_change(title, old.violation, new.violation))
    return changes


def _change(name: str, before: float, after: float) -> Change:
    return Change(name, number(before), number(after), signed(after - before))


def _group_changes(before: Audit, after: Audit, names: Sequence[Name]) -> list[GroupChange]:
    old, new = before.group_columns(), after.group_columns()
    texts = {"mean_cost": number, "too_low": percent, "too_high": percent}
    shares = [_label_shares(audit) for audit in (before, after)]
    return [
        GroupChange(
            name,
            [(text(old[key][i]), text(new[key][i])) for key, text in texts.items()],
            [(percent(a), percent(b)) for a, b in zip(shares[0][i], shares[1][i], strict=True)],
        )
        for i, name in enumerate(names)
    ]


def _label_shares(audit: Audit) -> Any:
    """Share of each group that is predicted each label."""
    return audit.table.cube.sum(axis=1) / audit.table.group_totals[:, None]


# Other models, for the script


def pack(details: Details, shared: Mapping[str, Any], chosen: int, room: int) -> list[str | None]:
    """The parts of each model as compressed text; None where there is no room."""
    n_points = len(details.frontier.points_)
    packed: list[str | None] = [None] * n_points
    for i in sorted(range(n_points), key=lambda i: abs(i - chosen)):
        view = {**shared, **details.view(i)}
        texts = {part: fragment(f"{part}.html", view) for part in details.parts}
        text = base64.b64encode(zlib.compress(json.dumps(texts).encode(), 9)).decode()
        room -= len(text)
        if room < 0:
            break
        packed[i] = text
    return packed
