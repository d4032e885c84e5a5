import numpy as np
from sklearn import datasets as sklearn_datasets

from fairordinal.datasets import load_diabetes


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
