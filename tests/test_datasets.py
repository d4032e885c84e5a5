import importlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn import datasets as sklearn_datasets

from fairordinal import datasets
from fairordinal.datasets import load_diabetes
from paper_data import HOME

SMALL = {
    "load_balance_scale": "balance-scale",
    "load_era": "ERA",
    "load_esl": "ESL",
    "load_lev": "LEV",
    "load_swd": "SWD",
}


def test_diabetes_levels_follow_progression_and_the_group_is_no_feature():
    data, source = load_diabetes(), sklearn_datasets.load_diabetes()
    for level in range(4):
        assert source.target[data.target == level].max() < (
            source.target[data.target == level + 1].min()
        )
    assert "sex" not in data.feature_names
    assert data.data.shape == (442, len(data.feature_names))
    sex = source.data[:, source.feature_names.index("sex")]
    assert not any(np.allclose(column, sex) for column in data.data.T)
    assert (np.unique(data.sensitive_features, return_counts=True)[1] == [235, 207]).all()


@pytest.mark.parametrize("loader", SMALL)
def test_the_sets_of_skordinal_are_the_same_as_those_of_orca(loader):
    pytest.importorskip("skordinal")
    load, name = getattr(datasets, loader), SMALL[loader]
    data = load()
    np.testing.assert_array_equal(np.unique(data.target), 1 + np.arange(len(data.target_names)))
    assert set(data.sensitive_features) == set(data.sensitive_names) == {0, 1}
    assert data.splits == data.split_sensitive_features == []
    assert "Licence:" in data.DESCR
    assert "Protected attribute:" in data.DESCR
    X, y = load(return_X_y=True, as_frame=True)
    assert list(X) == data.feature_names
    np.testing.assert_array_equal(y, data.target)
    if HOME.is_dir():
        fetched = datasets.fetch_orca(name, data_home=HOME, download_if_missing=False)
        for field in ("data", "target", "sensitive_features"):
            np.testing.assert_array_equal(data[field], fetched[field])
        for field in ("feature_names", "target_names", "sensitive_names"):
            assert data[field] == fetched[field]


def test_without_skordinal_a_message_says_what_to_install(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(
        ImportError, match=r"load_esl\(\) needs skordinal; .*fairordinal\[baselines"
    ):
        datasets.load_esl()


def test_arrays_need_nothing_that_is_optional_and_frames_say_what_they_need():
    script = """
        import sys
        class Missing:  # cannot be imported
            def find_spec(self, name, *others):
                if name.partition(".")[0] in ("pandas", "pooch", "requests", "skordinal"):
                    raise ModuleNotFoundError(name)
        sys.meta_path.insert(0, Missing())
        from fairordinal.datasets import fetch_orca, load_diabetes, make_biased_ordinal, orca_names
        print(len(orca_names()), load_diabetes().data.shape)
        try:
            load_diabetes(as_frame=True)
        except ImportError as error:
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == [
        "33 (442, 9)",
        "as_frame=True needs pandas; install it with `pip install fairordinal[data]`.",
    ]
