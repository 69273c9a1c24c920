"""Which files of a folder are looked at, whatever else lies there."""

import os
from pathlib import Path

from cairn.resources.home.home import open_home
from cairn.resources.home.log_files import log_files, on_disk


def names(folder: Path) -> list[str]:
    return sorted(str(file.path.relative_to(folder)) for file in log_files(folder, "n", "UTC"))


def test_only_files_are_read_and_each_place_once(tmp_path: Path) -> None:
    """A pipe would be waited on for ever, and a folder that holds itself has no end."""
    (tmp_path / "a b%20é.jsonl").write_text("{}")
    (tmp_path / "UPPER.JSONL").write_text("{}")
    (tmp_path / "notes.txt").write_text("{}")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "folder.jsonl" / "inner.traj").write_text("{}")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.jsonl").symlink_to("self.jsonl")
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert names(tmp_path) == ["UPPER.JSONL", "a b%20é.jsonl", "folder.jsonl/inner.traj"]
    assert list(log_files(tmp_path / "pipe.jsonl", "n", "UTC")) == []


def test_a_home_within_a_source_is_no_part_of_it(tmp_path: Path) -> None:
    """Its inboxes are other people's, and its tables change with every run."""
    (tmp_path / "a.jsonl").write_text("{}")
    inbox = open_home(tmp_path / "data" / "state").inbox / "other"
    inbox.mkdir()
    (inbox / "2026-05.jsonl").write_text("{}")
    assert names(tmp_path) == ["a.jsonl"]
    assert names(inbox) == ["2026-05.jsonl"]


def test_packed_logs_are_looked_at_so_that_they_are_refused(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.JSON.zst", "archive.tar.gz", "c.gz"):
        (tmp_path / name).write_bytes(b"\x1f\x8b")
    assert names(tmp_path) == ["a.jsonl.gz", "b.JSON.zst"]


def test_a_name_that_is_not_utf8_has_a_name_that_tables_hold_and_leads_back(tmp_path: Path) -> None:
    place = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    with open(place, "wb") as file:  # noqa: PTH123 - bytes are no Path
        file.write(b"{}")
    (found,) = log_files(tmp_path, "n", "UTC")
    assert found.name == f"{tmp_path}/caf\\xe9.jsonl"
    assert found.path.read_bytes() == b"{}"
    assert os.fsencode(on_disk(found.name)) == place
    assert on_disk(f"{tmp_path}/a\\x20b") == tmp_path / "a\\x20b"
