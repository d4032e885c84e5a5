"""Files are there as a whole or not at all."""

import os
import stat

import pytest

from fairordinal._files import write_whole


def test_a_file_is_written_with_its_folders(tmp_path):
    write_whole(tmp_path / "a" / "b.txt", "größer\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "größer\n".encode()


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "kept.txt"
    write_whole(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["kept.txt"]


def test_others_may_read_what_the_umask_allows(tmp_path):
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "shared.txt", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "shared.txt").stat().st_mode) == 0o644


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_whole(tmp_path / "link.txt", "x")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "x"
