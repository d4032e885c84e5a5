"""Files are there as a whole or not at all."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fairordinal._support import put_in_place, write_whole


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


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def written_to_a_pipe(path, content):
    """What a reader of a pipe gets while it is written to."""
    with ThreadPoolExecutor() as pool:
        reader = pool.submit(path.read_bytes)
        write_whole(path, content)
        return reader.result(timeout=30)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path, linked):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    large = b"x" * 200_000  # more than a pipe holds
    assert written_to_a_pipe(tmp_path / "link" if linked else pipe, large) == large
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


def device(folder, minor):
    """A character device of our own, so that none of the system is at risk."""
    try:
        os.mknod(folder / "device", 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        (folder / "device").write_bytes(b"")
    except (OSError, AttributeError):
        pytest.skip("devices cannot be made here")
    return folder / "device"


def test_a_device_is_written_to_and_stays_a_device(tmp_path):
    null = device(tmp_path, 3)
    write_whole(null, "x")
    assert stat.S_ISCHR(null.stat().st_mode)
    assert os.listdir(tmp_path) == ["device"]


def test_a_full_device_is_an_error_with_its_name(tmp_path):
    full = device(tmp_path, 7)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(full, "x")
    assert caught.value.filename == str(full)
    assert stat.S_ISCHR(full.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="descriptors have no names")
@pytest.mark.parametrize("linked", [False, True])
def test_an_open_descriptor_is_appended_to(tmp_path, linked):
    path = tmp_path / "opened.txt"
    with path.open("w") as file:
        file.write("first\n")
        file.flush()
        (tmp_path / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        write_whole(tmp_path / "link" if linked else Path(f"/dev/fd/{file.fileno()}"), "second\n")
        file.write("third\n")
    assert path.read_text() == "first\nsecond\nthird\n"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "itself"])
def test_what_was_printed_stays_where_output_is_sent_to(tmp_path, name):
    if name != "itself" and not os.path.exists(name):
        pytest.skip(f"there is no {name}")
    path = tmp_path / "out.txt"
    code = (
        "import sys; from fairordinal._support import write_whole\n"
        "print('before'); write_whole(sys.argv[1], 'content\\n'); print('after')"
    )
    with path.open("w") as out:
        command = [sys.executable, "-c", code, str(path) if name == "itself" else name]
        subprocess.run(command, stdout=out, check=True)
    assert path.read_text() == "before\ncontent\nafter\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o666, 0o755, 0o200])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "kept.txt"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert mode_of(path) == mode
    path.chmod(0o600)
    assert path.read_text() == "new"


def test_a_private_file_is_private_while_it_is_written(tmp_path, monkeypatch):
    path, seen = tmp_path / "private.txt", []
    path.write_text("old")
    path.chmod(0o600)

    def watched(change):
        def watch(*arguments, **options):
            seen.extend(mode_of(partial) for partial in tmp_path.glob("*.part"))
            return change(*arguments, **options)

        return watch

    for name in ("fsync", "chown", "chmod", "replace"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    write_whole(path, "new")
    assert len(seen) >= 4
    assert set(seen) == {0o600}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may")
def test_a_file_that_is_replaced_keeps_its_owner(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old")
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    write_whole(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)
    assert mode_of(path) == 0o640


def test_a_group_that_cannot_be_kept_lends_its_rights_to_no_other(tmp_path, monkeypatch):
    path = tmp_path / "shared.txt"
    path.write_text("old")
    path.chmod(0o664)

    def refuse(*arguments):
        raise PermissionError("chown")

    monkeypatch.setattr(os, "chown", refuse)
    write_whole(path, "new")
    assert mode_of(path) == 0o644


@pytest.mark.parametrize("linked", [False, True])
def test_a_read_only_file_is_refused_to_root_too(tmp_path, linked):
    path = tmp_path / "precious.txt"
    path.write_text("old")
    path.chmod(0o444)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(PermissionError, match="read-only"):
        write_whole(tmp_path / "link" if linked else path, "new")
    assert path.read_text() == "old"
    assert mode_of(path) == 0o444
    assert sorted(os.listdir(tmp_path)) == ["link", "precious.txt"]


def test_a_file_of_another_user_is_refused_unless_it_is_open(tmp_path, monkeypatch):
    path = tmp_path / "theirs.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="read-only"):
        write_whole(path, "new")
    with path.open("a") as file:
        write_whole(Path(f"/dev/fd/{file.fileno()}"), " and new")
    assert path.read_text() == "old and new"


def test_a_finished_file_takes_the_place_of_another_by_the_same_rules(tmp_path):
    path, finished = tmp_path / "kept.txt", tmp_path / "finished"
    path.write_text("old")
    path.chmod(0o600)
    finished.write_text("new")
    put_in_place(finished, path)
    assert (path.read_text(), mode_of(path)) == ("new", 0o600)
    finished.write_text("newer")
    path.chmod(0o400)
    with pytest.raises(PermissionError, match="read-only"):
        put_in_place(finished, path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match="no regular file"):
        put_in_place(finished, tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_disk_that_is_full_leaves_the_old_file(tmp_path):
    """A limit on the size of files stands for the end of the disk."""
    path = tmp_path / "kept.txt"
    path.write_text("old")
    code = (
        "import resource, signal, sys; from fairordinal._support import write_whole\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_whole(sys.argv[1], 'x' * 10_000)\n"
        "except OSError as error:\n    print(error.filename)"
    )
    command = [sys.executable, "-c", code, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["kept.txt"]


def test_a_name_of_the_greatest_length_can_be_written(tmp_path):
    path = tmp_path / ("ö" * 120 + ".json")
    write_whole(path, "x")
    assert os.listdir(tmp_path) == [path.name]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "x")
