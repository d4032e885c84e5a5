"""What a reader must know before acting on a report: a model card's section, in plain words."""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """A heading and what it says."""

    heading: str
    sentences: list[str]


SAYS = Limit(
    "What pairwise fairness says",
    [
        "Labels here have an order. A pairwise notion takes two people of different groups and "
        "asks who is placed above whom, and how often. A violation of 0 means that no group has "
        "the advantage; 1 that one group always has it.",
        "Demographic parity asks it of all pairs. Equal opportunity asks it of pairs whose true "
        "labels differ: is the truly higher person placed higher as often in either group? "
        "Equalized odds asks for both that and the same of people who are truly not lower.",
    ],
)
SAYS_NOT = Limit(
    "What it does not say",
    [
        "It does not say that the true labels are just. Where they record past unfairness, "
        "equal opportunity and low cost repeat it.",
        "It is about groups, not about single people, and only about the groups named here. Two "
        "groups may be equal while a part of one of them is not.",
        "It rewards neither accuracy nor usefulness: giving everyone the same label is perfectly "
        "fair in this sense.",
        "Notions conflict: where true labels are spread differently over the groups, demographic "
        "parity, equal opportunity and low cost cannot be had all at once. Which of them matters "
        "is a decision for people, and not one that numbers make.",
    ],
)
USE = Limit(
    "Intended use",
    [
        "To inform a decision about a predictor of ordered labels, by people who know what the "
        "labels mean and whom they concern. Not as proof that a predictor is lawful or fair in "
        "every sense, and not for rows of another kind than those described here.",
    ],
)
UNDEFINED = (
    "A comparison without any pair of people to compare is undefined. It is said to be so, and "
    "left out of the greatest violation: nothing is known about those groups, which does not "
    "mean that they are treated fairly."
)
INTERVALS = (
    "Intervals tell what chance in drawing the rows can do, for all pairs of groups at once. They "
    "know nothing of wrong labels, of people who are missing, or of changes after the data was "
    "collected. Few rows make wide intervals: “not shown” is not “fair”."
)
EXPECTED = (
    "Values for new rows are estimates by cross-validation, for rows like those given. They are "
    "slightly optimistic for a model that was picked because it looked best; rows held out to the "
    "end tell more."
)
TRAINING = (
    "Shares, costs and cut points of scores are those of the rows that the cut points were found "
    "on, unless it says otherwise; new rows will differ."
)
PAIRED = (
    "Differences are between two predictors of the same rows, so that what both have in common "
    "drops out. They hold for these rows and the notion named."
)


def limits(*, frontier: bool, scores: bool, paired: bool = False) -> list[Limit]:
    """The section for a page with these parts."""
    certainty = [INTERVALS, UNDEFINED]
    certainty += [EXPECTED] * frontier + [TRAINING] * (scores or frontier) + [PAIRED] * paired
    return [SAYS, SAYS_NOT, USE, Limit("How sure the numbers are", certainty)]
