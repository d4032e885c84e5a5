"""Random inputs against slow and obvious answers, each with a seed of its own.

A *law* is a function that draws an input from a generator of random numbers and asserts what must
hold of it. It returns False where the input says nothing, for instance because it was rightly
refused; a law of which that is true too often is a defect of the law.

Two environment variables: ``FAIRORDINAL_FUZZ_SEED`` chooses the inputs (0 in CI, else another one
in every run), and ``FAIRORDINAL_FUZZ_INPUT`` one of them. A failure prints both.
"""

import os
import secrets
import traceback
import warnings
import zlib
from collections.abc import Callable

import numpy as np

SEED = int(
    os.environ.get("FAIRORDINAL_FUZZ_SEED")
    or ("0" if "CI" in os.environ else secrets.randbelow(2**32))
)
ONLY = os.environ.get("FAIRORDINAL_FUZZ_INPUT")
MOST_REPORTED = 3
LEAST_SHARE = 0.3  # of the inputs that must say something

Law = Callable[[np.random.Generator], bool | None]


def fuzz(law: Law, inputs: range) -> int:
    """Try a law on inputs, by number; the number of those that said something.

    AssertionError with the first failures, and how to have them again, if any.
    """
    numbers = [int(ONLY)] if ONLY else inputs
    failures, told = [], 0
    for number in numbers:
        try:
            told += try_one(law, number)
        except Exception:
            failures.append(report(law, number, traceback.format_exc(limit=-6)))
            if len(failures) == MOST_REPORTED:
                break
    assert not failures, "\n\n".join(["", *failures])
    assert ONLY or told >= LEAST_SHARE * len(inputs), f"{law.__name__}: {told} inputs say something"
    return told


def try_one(law: Law, number: int) -> bool:
    """Whether an input said something; notes of the library are not errors, but NumPy's are."""
    generator = np.random.default_rng([zlib.crc32(law.__name__.encode()), SEED, number])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        return law(generator) is not False


def report(law: Law, number: int, trace: str) -> str:
    return (
        f"{law.__name__} fails. Again:\n  FAIRORDINAL_FUZZ_SEED={SEED} "
        f"FAIRORDINAL_FUZZ_INPUT={number} pytest -m slow tests/slow/test_fuzz.py "
        f"-k {law.__name__}\n{trace}"
    )


def choose(generator: np.random.Generator, *options):
    """One of the options, as it is."""
    return options[int(generator.integers(len(options)))]


def chance(generator: np.random.Generator, probability: float) -> bool:
    return bool(generator.random() < probability)
