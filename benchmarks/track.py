"""Five times that are compared between commits: audit, thresholds, loss, ranker, report.

`make track` measures them and compares them with the last time on this machine; `make track-quick`
runs each once, to see that they work. pytest-benchmark needs the installed package only. asv would
build an environment for each commit, which takes longer than all of these benchmarks.
"""

from __future__ import annotations

import numpy as np
import pytest

from fairordinal import audit, optimize_thresholds
from fairordinal.datasets import make_biased_ordinal
from fairordinal.ranker import FairLinearRanker, pairwise_gradient
from fairordinal.report import report


@pytest.fixture(scope="module")
def million():
    """True and predicted labels, groups and scores of 10⁶ rows."""
    data = make_biased_ordinal(1_000_000, random_state=0)
    predicted = 1 + np.digitize(data.scores, np.quantile(data.scores, [0.2, 0.4, 0.6, 0.8]))
    return data.target, predicted, data.sensitive_features, data.scores


def test_audit_of_a_million_rows(benchmark, million):
    y, predicted, groups, _ = million
    found = benchmark(audit, y, predicted, sensitive_features=groups)
    assert found["demographic_parity"].violation > 0.3


def test_thresholds_of_a_hundred_thousand_scores(benchmark, million):
    y, _, groups, scores = (column[:100_000] for column in million)
    options = {"sensitive_features": groups, "trade_off": 0.3}
    found = benchmark(optimize_thresholds, scores, y, **options)
    assert found.gap <= 1e-3


def test_loss_of_all_pairs_of_a_million_rows(benchmark, million):
    y, _, groups, scores = million
    found = benchmark(pairwise_gradient, scores, y, sensitive_features=groups, price=10.0)
    assert found.gradient.shape == scores.shape


def test_fit_of_a_ranker_to_ten_thousand_rows(benchmark):
    data = make_biased_ordinal(10_000, n_features=20, random_state=0)
    model = FairLinearRanker(alpha=1e-3, ranker="relaxed")
    fitted = benchmark(
        model.fit, data.data, data.target, sensitive_features=data.sensitive_features
    )
    assert fitted.path_.shape[1] == 20


def test_report_of_an_audit(benchmark, million):
    y, predicted, groups, _ = (column[:10_000] for column in million)
    page = benchmark(report, audit(y, predicted, sensitive_features=groups))
    assert "demographic parity" in page.html
