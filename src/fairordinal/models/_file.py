"""Save models to JSON files, and load them.

A file is text that people can read and compare. Loading is safe: a file is checked for its size
before it is parsed, for its fields while it is decoded, and for its checksum afterwards; nothing in
it is executed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fairordinal
from fairordinal._support import write_whole
from fairordinal.models._model import TableModel
from fairordinal.models._serialization import checksum, decode, encode, parse, write

FORMAT = "fairordinal model"
SCHEMA = 2  # schema 1 had no ramps, trees, inputs for missing numbers, or surcharge
RENAMED = {"price": "penalty"}  # fields of a certificate of schema 1
HEADER = ("format", "schema", "library", "checksum")
MOST_BYTES = 1 << 23
MOST_SIGNS = 400_000  # commas and opening brackets; every value has at least one of them
FIT_AGAIN = "Fit the model again, or get the file again from where it was made."


def model_text(model: TableModel) -> str:
    """Return a model as the text of its file.

    The text is JSON with a line for each coefficient. Numbers are restored to the last bit;
    infinite thresholds, where a label is never predicted, are the strings ``"inf"`` and ``"-inf"``.
    The text has no ``<``, ``>`` or ``&`` and can be embedded in an HTML page.

    Parameters
    ----------
    model : TableModel
        The model to write.

    Returns
    -------
    text : str
        JSON; equal models have equal texts.

    See Also
    --------
    save_model : Write this text to a file.

    Examples
    --------
    >>> from fairordinal.models import fit_table, model_text
    >>> table = {"grade": [1, 2, 3, 1, 2, 3] * 5, "points": [3, 5, 9, 2, 6, 8] * 5,
    ...          "school": ["north"] * 15 + ["south"] * 15}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   alpha=0.01, cv=3)
    >>> print(model_text(model)[:46])
    {
     "format": "fairordinal model",
     "schema": 2
    """
    if not isinstance(model, TableModel):
        raise ValueError(
            f"model must be a TableModel, got {type(model).__name__}. fit_table makes one, and so "
            "does TrainingTable.model of a FairOrdinalClassifier."
        )
    header = {"format": FORMAT, "schema": SCHEMA, "library": fairordinal.__version__}
    content = header | encode(model)
    return write(content | {"checksum": checksum(content)}) + "\n"


def save_model(model: TableModel, path: str | Path) -> None:
    """Write a model to a file.

    The file is written as a whole or not at all.

    Parameters
    ----------
    model : TableModel
        The model to save.
    path : str or Path
        The file; an existing one is replaced, and missing folders are created.

    See Also
    --------
    load_model : Read the file.
    export_onnx : Write a model for servers that do not run Python.

    Examples
    --------
    >>> from fairordinal.models import fit_table, load_model, save_model
    >>> table = {"grade": [1, 2, 3, 1, 2, 3] * 5, "points": [3, 5, 9, 2, 6, 8] * 5,
    ...          "school": ["north"] * 15 + ["south"] * 15}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   alpha=0.01, cv=3)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json") == model
    True
    """
    path = Path(path)
    text = model_text(model).encode()
    if path.is_dir():
        raise ValueError(f"path must be a file, got the folder {path}. Add a name: model.json.")
    if excess := _excess(text):
        raise ValueError(
            f"model is too large to be loaded again: its text has {excess}. Leave columns out, or "
            "lower most_categories."
        )
    write_whole(path, text)


def load_model(path: str | Path) -> TableModel:
    """Read a model from a file; nothing in the file is executed.

    A file may have 8 MiB and 400 000 commas and opening brackets, which is enough for 20 000
    columns of numbers or 50 000 categories. Loading any file within these limits, even a malicious
    one, takes at most 2 seconds and 200 MB of memory.

    Parameters
    ----------
    path : str or Path
        A file that :func:`save_model` wrote.

    Returns
    -------
    model : TableModel
        Equal to the one that was saved.

    Raises
    ------
    ValueError
        If the file is not a model, too large, damaged, truncated, changed by hand, or made by a
        newer version of the library. The message says which and what to do.
    FileNotFoundError
        If there is no such file.

    See Also
    --------
    save_model : Write a model to a file.

    Examples
    --------
    >>> import tempfile
    >>> from fairordinal.models import fit_table, load_model, save_model
    >>> table = {"grade": [1, 2, 3, 1, 2, 3] * 5, "points": [3, 5, 9, 2, 6, 8] * 5,
    ...          "school": ["north"] * 15 + ["south"] * 15}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   alpha=0.01, cv=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict({"points": [2, 9]})
    array([1, 3])
    """
    path = Path(path)
    try:
        return _read_model(_read_text(path))
    except RecursionError:
        raise ValueError(f"{path} is not a fairordinal model: it is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"{path} {error}") from None


def _read_text(path: Path) -> str:
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if not path.is_file():
        raise ValueError(
            "is a folder, or not a regular file; name a model file, such as model.json."
        )
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if excess := _excess(content):
        raise ValueError(f"is not a fairordinal model, or too large: it has {excess}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is not a fairordinal model: it is not text in UTF-8.") from None


def _excess(content: bytes) -> str:
    """Say which limit a text exceeds; empty if none."""
    if len(content) > MOST_BYTES:
        return f"more than {MOST_BYTES} bytes"
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_SIGNS:
        return f"more than {MOST_SIGNS} commas and opening brackets"
    return ""


def _read_model(text: str) -> TableModel:
    """Return the model of a text; messages are continuations of the name of the file."""
    if not text.lstrip().startswith("{"):
        raise ValueError("is not a fairordinal model: it is empty, or not JSON.")
    try:
        content = parse(text)
    except ValueError as error:
        raise ValueError(f"is truncated or damaged: {error}. {FIT_AGAIN}") from None
    _check_header(content)
    try:
        header, components = _split(content)
        model = decode(TableModel, _upgraded(components, header["schema"]), None)
    except ValueError as error:
        raise ValueError(f"is damaged: {str(error).rstrip('.')}. {FIT_AGAIN}") from None
    if header.pop("checksum") != checksum(header | components):
        raise ValueError(f"was changed after it was written: its checksum differs. {FIT_AGAIN}")
    return model


def _check_header(content: Any) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"is not a fairordinal model: it does not say 'format': {FORMAT!r}.")
    schema = content.get("schema")
    if type(schema) is not int or schema < 1:
        raise ValueError(f"is damaged: its schema is {schema!r:.60}, not a number. {FIT_AGAIN}")
    if schema > SCHEMA:
        raise ValueError(
            f"was made by a newer fairordinal ({content.get('library')!r:.30}, schema {schema}; "
            f"this one reads up to {SCHEMA}). Update with pip install -U fairordinal."
        )


def _upgraded(components: dict[str, Any], schema: int) -> dict[str, Any]:
    """Return the components of a file of an older schema with the fields of the current one."""
    if schema == SCHEMA:
        return components
    for name in ("ramps", "rule", "forest"):
        if name in components:
            raise ValueError(f"a model of schema 1 has no field {name!r}")
    changed = ("preparation", "settings", "certificate")
    if not all(isinstance(components.get(name), dict) for name in changed):
        return components
    preparation, settings, certificate = (components[name] for name in changed)
    columns = preparation.get("columns")
    columns = [
        column | {"missing": False}
        if isinstance(column, dict) and column.get("kind") == "number"
        else column
        for column in (columns if isinstance(columns, list) else ())
    ]
    return components | {
        "ramps": [],
        "rule": None,
        "forest": [],
        "bases": [],
        "settings": settings | {"basis": "linear"},
        "certificate": {RENAMED.get(key, key): value for key, value in certificate.items()}
        | {"surcharge": 0.0},
        "preparation": preparation | {"columns": columns},
    }


def _split(content: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header of a file, and the components of the model."""
    components = dict(content)
    for name in HEADER:
        if name not in components:
            raise ValueError(f"the model lacks the field {name!r}")
    for name in ("library", "checksum"):
        decode(str, components[name], (None, name))
    return {name: components.pop(name) for name in HEADER}, components
