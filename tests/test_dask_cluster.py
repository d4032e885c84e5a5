"""Training in a cluster of processes: the same models, whatever happens to its workers."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from fairordinal import FairOrdinalClassifier, audit
from fairordinal._rows import _dask as dask_rows
from fairordinal.ranker import FairLinearRanker
from fairordinal.ranker import _paths as ranker_paths
from made_up import people

OPTIONS = {"trade_off": 0.3, "ranker": "relaxed", "alpha": 1e-3, "cv": 2}


@contextmanager
def cluster(n_workers=2):
    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as running, Client(running) as client:
        yield client


def in_blocks(*columns, size=1500):
    return [da.from_array(v, chunks=(size, *v.shape[1:])).persist() for v in columns]


@pytest.fixture
def slowly(monkeypatch):
    """Passes that take their time, and say how many there were."""
    monkeypatch.setattr(ranker_paths, "MOST_CHOOSING", 1000)
    return counted(monkeypatch, 0.02)


def counted(monkeypatch, seconds=0.0):
    passed = []
    compute = dask_rows.compute

    def slow(value):
        passed.append(value)
        time.sleep(seconds)
        return compute(value)

    monkeypatch.setattr(dask_rows, "compute", slow)
    return passed


def when(passed, least, act):
    """Do something in the middle of a fit, in a thread of its own."""

    def watch():
        while len(passed) < least:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


@pytest.mark.slow
@pytest.mark.parametrize("moment", [6, 20])  # while models are chosen; while one learns from all
def test_a_killed_worker_makes_no_difference(slowly, moment):
    X, y, a = people(6000)
    options = OPTIONS | {"basis": "linear"}  # which learns from all rows by passes
    here = FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)
    with cluster() as client:
        lazy = in_blocks(X, y, a)
        victim = next(iter(client.run(os.getpid).values()))
        killer = when(slowly, moment, lambda: os.kill(victim, signal.SIGKILL))
        there = FairOrdinalClassifier(**options).fit(*lazy[:2], sensitive_features=lazy[2])
        killer.join(30)
        assert victim not in client.run(os.getpid).values()
    assert len(slowly) > moment + 5
    np.testing.assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(there.predict(X), here.predict(X))


@pytest.mark.slow
def test_a_lost_scheduler_is_said_and_leaves_the_old_model_alone(slowly):
    X, y, a = people(3000)
    model = FairOrdinalClassifier(**OPTIONS).fit(X[:, :2], y, sensitive_features=a)
    before = dict(vars(model))
    with cluster() as client:
        lazy = in_blocks(X, y, a)
        stopper = when(slowly, 20, client.cluster.close)
        with pytest.raises(RuntimeError, match=r"Dask cluster was lost.*fit again"):
            model.fit(*lazy[:2], sensitive_features=lazy[2])
        stopper.join(30)
    assert vars(model) == before


@pytest.fixture(scope="module")
def running():
    """A cluster for the tests that leave it as it was."""
    with cluster():
        yield


@pytest.mark.usefixtures("running")
def test_a_cluster_learns_the_same_model_in_few_tasks(monkeypatch):
    X, y, a = people(3000)
    here = FairOrdinalClassifier(**OPTIONS).fit(X, y, sensitive_features=a)
    lazy, passed = in_blocks(X, y, a), counted(monkeypatch)
    there = FairOrdinalClassifier(**OPTIONS).fit(*lazy[:2], sensitive_features=lazy[2])
    assert len(passed) < 30  # fits of rows in one block are not made of passes
    predicted = there.predict(lazy[0])
    np.testing.assert_array_equal(predicted.compute(), here.predict(X))
    found = audit(lazy[1], predicted, sensitive_features=lazy[2])
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)
    expected = audit(y, here.predict(X), sensitive_features=a)
    assert found["demographic_parity"].violation == expected["demographic_parity"].violation


@pytest.mark.usefixtures("running")
def test_a_cluster_learns_the_same_ranker_and_chooses_the_same_penalty():
    X, y, a = people(1500)
    weight = np.where(X[:, 1] > 0, 2.0, 1.0)
    here = FairLinearRanker(ranker="relaxed", cv=2)
    here.fit(X, y, sensitive_features=a, sample_weight=weight)
    columns = in_blocks(X, y, a, weight, size=600)
    there = FairLinearRanker(ranker="relaxed", cv=2)
    there.fit(*columns[:2], sensitive_features=columns[2], sample_weight=columns[3])
    assert there.alpha_ == here.alpha_
    np.testing.assert_allclose(there.path_, here.path_, atol=1e-8)
    np.testing.assert_allclose(there.violations_, here.violations_, atol=1e-8)
