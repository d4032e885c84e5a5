"""Faults that are planted, one at a time: the laws of tests/fuzz must find each of them.

They are planted where the laws call the library, so that they do not depend on how it works.
"""

import re
from itertools import combinations

import numpy as np
import pytest

import fuzz
import oracles
from fairordinal import FairThresholdClassifier, audit_counts, metrics, optimize_thresholds
from fairordinal.models import _file
from fuzz import audits, command_line, estimators, model_files, rows, thresholds

pytestmark = pytest.mark.usefixtures("small_effort")

N_INPUTS = 30


@pytest.fixture(autouse=True)
def mild(monkeypatch):
    """The same inputs each time, without those of which the library might be at fault."""

    def weights(generator, n, zeros=True):
        return 2.0 * generator.integers(0 if zeros else 1, 5, n)

    monkeypatch.setattr(fuzz, "SEED", 0)
    monkeypatch.setattr(fuzz, "ONLY", None)
    monkeypatch.setattr(rows, "draw_weights", weights)
    monkeypatch.setattr(rows, "TEXTS", [*"abcdefghijklmn", "a b", 'say "x"', "a;b"])


def check_found(law, plant):
    """The law holds, and fails once a fault is planted; the report says how to have it again."""
    assert fuzz.fuzz(law, range(N_INPUTS)) > 0
    plant()
    with pytest.raises(AssertionError, match=f"{law.__name__} fails. Again:") as caught:
        fuzz.fuzz(law, range(N_INPUTS))
    assert re.search(r"FAIRORDINAL_FUZZ_SEED=0 FAIRORDINAL_FUZZ_INPUT=\d+", str(caught.value))


def test_a_dropped_weight_is_found(monkeypatch):
    def without_weights(y_true, y_pred, *, sensitive_features, sample_weight, labels):
        return metrics.pairwise_demographic_parity_difference(
            y_true, y_pred, sensitive_features=sensitive_features, labels=labels
        )

    check_found(
        audits.metrics_are_those_of_all_pairs,
        lambda: monkeypatch.setitem(audits.PAIRWISE, "demographic_parity", without_weights),
    )


def test_ties_that_count_as_wins_are_found(monkeypatch):
    def with_ties(y_true, y_pred, *, sensitive_features, sample_weight, labels):
        order = list(labels or sorted({*y_true}))
        y = [order.index(label) for label in y_true]
        s = [order.index(label) if label in order else label for label in y_pred]
        a, w = list(sensitive_features), list(sample_weight)
        groups = [g for g in {*a} if any(v for v, h in zip(w, a, strict=True) if g == h)]

        def rate(g, h):
            return oracles.pair_rate(y, s, a, w, g, h, oracles.above, oracles.not_below)

        return max((abs(rate(g, h) - rate(h, g)) for g, h in combinations(groups, 2)), default=0)

    check_found(
        audits.metrics_are_those_of_all_pairs,
        lambda: monkeypatch.setitem(audits.PAIRWISE, "equal_opportunity", with_ties),
    )


def test_a_shard_that_is_lost_is_found(monkeypatch):
    check_found(
        audits.audits_of_counts_are_audits_of_rows,
        lambda: monkeypatch.setattr(
            audits, "audit_counts", lambda *tables, **options: audit_counts(tables[0], **options)
        ),
    )


def test_thresholds_for_other_weights_are_found(monkeypatch):
    def without_weights(scores, y, *, sample_weight, **options):
        return optimize_thresholds(scores, y, **options)

    check_found(
        thresholds.thresholds_are_the_best_of_all,
        lambda: monkeypatch.setattr(thresholds, "optimize_thresholds", without_weights),
    )


def test_a_checksum_that_is_not_compared_is_found(monkeypatch):
    class Whatever(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            return True

        def __ne__(self, other):
            return False

    def digits(generator, content):
        """Change one digit, which the file is read with."""
        places = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
        place = places[int(generator.integers(len(places)))]
        content[place] = ord("0") + (content[place] - ord("0") + 1) % 10

    monkeypatch.setattr(model_files, "mutate", digits)
    law = model_files.mutated_bytes_are_refused_or_the_same
    check_found(law, lambda: monkeypatch.setattr(_file, "checksum", lambda content: Whatever()))


def test_work_without_an_end_is_found(monkeypatch):
    def endless(path):
        while True:
            str(path)

    check_found(
        model_files.mutated_content_is_refused_or_a_model,
        lambda: monkeypatch.setattr(model_files, "load_model", endless),
    )


class Shifted(FairThresholdClassifier):
    """Predicts the next label."""

    def predict(self, X, *, sensitive_features=None):
        places = np.searchsorted(self.classes_, super().predict(X))
        return self.classes_[(places + 1) % len(self.classes_)]


def test_an_estimator_that_does_not_predict_what_it_reports_is_found(monkeypatch):
    check_found(
        estimators.reports_are_of_what_is_predicted,
        lambda: monkeypatch.setattr(estimators, "FairThresholdClassifier", Shifted),
    )


def test_a_row_that_is_swallowed_is_found(monkeypatch):
    program = command_line.program

    def without_the_last_row(command, path, *arguments):
        if path.suffix != ".parquet":
            lines = path.read_bytes().splitlines(keepends=True)
            path.write_bytes(b"".join(lines[:-1]))
        return program(command, path, *arguments)

    check_found(
        command_line.audits_are_those_of_pandas,
        lambda: monkeypatch.setattr(command_line, "program", without_the_last_row),
    )


def test_a_raw_control_character_is_found(monkeypatch):
    program = command_line.program

    def with_escape(*arguments):
        code, out, err = program(*arguments)
        return code, out + "\x1b[31m", err

    check_found(
        command_line.hostile_arguments_end_in_a_line,
        lambda: monkeypatch.setattr(command_line, "program", with_escape),
    )


def test_one_input_can_be_had_again(monkeypatch):
    tried = []

    def law(generator):
        tried.append(generator.integers(10**9))

    fuzz.fuzz(law, range(5))
    monkeypatch.setattr(fuzz, "ONLY", "3")
    fuzz.fuzz(law, range(5))
    assert tried[5:] == [tried[3]]
    assert len({*tried[:5]}) == 5


def test_a_law_that_says_nothing_is_a_failure():
    def silent(generator):
        return False

    with pytest.raises(AssertionError, match="0 inputs say something"):
        fuzz.fuzz(silent, range(10))
