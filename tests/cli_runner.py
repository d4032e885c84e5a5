"""Run the command line in this process, and a table to run it on."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from fairordinal.cli import app, main

ORDER = ["bad", "okay", "good", "great"]


def run(*arguments):
    """Run a command by typer's runner; its result has `exit_code` and `output`."""
    return CliRunner().invoke(app, [str(each) for each in arguments])


def failure(monkeypatch, capsys, *arguments):
    """Exit code and the line that `main` prints."""
    monkeypatch.setattr("sys.argv", ["fairordinal", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    code = stopped.value.code
    return (1, code) if isinstance(code, str) else (code, capsys.readouterr().err)


def graded_people(n=300, seed=0):
    """A frame with text: true and predicted grades, scores, and sex as the group."""
    generator = np.random.default_rng(seed)
    sex = generator.choice(["f", "m"], n)
    score = generator.normal(size=n) + 0.7 * (sex == "f")
    level = np.digitize(score + 0.5 * generator.normal(size=n), [-1, 0, 1])
    predicted = np.digitize(score, [-1, 0, 1])
    return pd.DataFrame(
        {
            "id": [f"{i:05d}" for i in range(n)],
            "score": score.round(4),
            "town": generator.choice(["Ulm", 'the "old", town', "Bonn"], n),
            "sex": sex,
            "grade": np.array(ORDER)[level],
            "predicted": np.array(ORDER)[predicted],
        }
    )


AUDITED = ("--y", "grade", "--pred", "predicted", "--group", "sex", "--labels", ",".join(ORDER))
