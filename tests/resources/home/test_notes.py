"""Notes of a home: what is not of the shape that its reader needs is damaged, and not waited on."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.resources.deletion.tombstones import forgetting
from cairn.resources.home.api_keys import KeyListError, list_keys
from cairn.resources.home.damage import Damaged
from cairn.resources.home.home import Home, open_home
from cairn.resources.home.notes import NoteError
from cairn.resources.home.sources import SourceError, list_sources
from cairn.resources.llm.verdict_limits import SuiteVerdicts, kept_verdicts
from cairn.resources.warehouse.publication import manifests, read_blocked

READERS: dict[str, Callable[[Home], object]] = {
    "checks/me.json": lambda home: kept_verdicts(home.root / "checks/me.json"),
    "blocked.json": read_blocked,
    "publication/me.json": lambda home: manifests(home, "me"),
    "keys.json": list_keys,
    "sources.json": list_sources,
    "forgetting": forgetting,
}
ERRORS = (NoteError, Damaged, KeyListError, SourceError)
NO_JSON = ("", "{", "[" * 100_000, "\x00", '"x', "nan", "5", '"x"', "true", "null", "[[]]", "[5]")
MANIFEST = (
    '[{"namespace": "%s", "generation": %s, "tables": %s, "watermark": %s,'
    ' "published_at": "2026-03-01T00:00:00+00:00"}]'
)
KEY = (
    '[{"key_id": "k", "name": "", "namespaces": %s, "read_only": %s, "created_at": "",'
    ' "sha256": %s}]'
)
SHAPES = {
    "checks/me.json": (
        '{"passed": 5, "broken": []}', '{"broken": []}', '{"broken": {"facts": []}}', "[]",
        '{"broken": {"facts": 5}}', '{"broken": {"facts": {"rule": "many"}}}',
        '{"passed": {"facts": 5}}', '{"passed": null}',
    ),
    "blocked.json": (
        '{"default": 5}', '{"me": {}}', '{"me": {"reasons": "late", "tables": {}}}', "[]",
        '{"me": {"reasons": [], "tables": []}}', '{"me": {"reasons": [7], "tables": {}}}',
        '{"me": {"reasons": [], "tables": {"facts": "1"}}}',
    ),
    "publication/me.json": (
        "[]", "{}", MANIFEST % ("you", "null", "{}", "null"), MANIFEST % ("me", "5", "{}", "null"),
        MANIFEST % ("me", '"../you/g"', "{}", "null"), MANIFEST % ("me", '""', "{}", "null"),
        MANIFEST % ("me", "null", "[]", "null"),
        MANIFEST % ("me", "null", '{"facts": "1"}', "null"),
        MANIFEST % ("me", "null", '{"facts": -1}', "null"),
        MANIFEST % ("me", "null", "{}", '"soon"'),
        MANIFEST % ("me", "null", "{}", '"2026-03-01T00:00:00"'),
    ),
    "keys.json": (
        "{}", KEY % ('"abc"', "false", '"x"'), KEY % ('["me"]', '"false"', '"x"'),
        KEY % ('["me"]', "false", "5"), KEY % ("[5]", "false", '"x"'),
    ),
    "sources.json": (
        "{}", "[{}]", '[{"path": 5, "namespace": "me"}]', '[{"path": "logs", "namespace": "me"}]',
        '[{"path": "/logs", "namespace": "../me"}]', '[{"path": "/\\u0000", "namespace": "me"}]',
        '[{"path": "/logs", "namespace": "me", "timezone": 7}]',
    ),
    "forgetting": ("../me", "a b/c"),
}  # fmt: skip
WHOLE = {
    "checks/me.json": ("{}", '{"passed": {"facts": "x"}, "broken": {"f": {"rule": 5}}}'),
    "blocked.json": (
        "{}",
        '{"me": {"reasons": ["x"], "tables": {"facts": 1}, "bounds": {"a": 1}}}',
    ),
    "publication/me.json": (
        MANIFEST % ("me", '"g-1"', '{"facts": 1}', '"2026-03-01T00:00:00.5+00:00"'),
        MANIFEST % ("me", "null", "{}", "null"),
    ),
    "keys.json": ("[]", KEY % ('["me", "you"]', "true", '"x"')),
    "sources.json": (
        "[]", '[{"path": "/logs", "namespace": "me"}]',
        '[{"path": "/b\\udcff & c", "namespace": "me", "timezone": "Europe/Berlin"}]',
    ),
    "forgetting": ("", "me you"),
}  # fmt: skip


def cases(of: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, text) for name, texts in of.items() for text in texts]


def put(tmp_path: Path, name: str) -> tuple[Home, Path]:
    home = open_home(tmp_path / "home")
    (home.root / name).parent.mkdir(exist_ok=True)
    return home, home.root / name


@pytest.mark.parametrize(
    ("name", "text"),
    [*cases(SHAPES), *cases({name: NO_JSON for name in SHAPES if name != "forgetting"})],
)
def test_what_is_of_another_shape_is_damaged(tmp_path: Path, name: str, text: str) -> None:
    home, place = put(tmp_path, name)
    place.write_text(text)
    place.chmod(0o600)
    with pytest.raises(ERRORS):
        READERS[name](home)
    assert SuiteVerdicts(home, "me").reasons == []


@pytest.mark.parametrize(("name", "text"), cases(WHOLE))
def test_what_was_written_so_is_read(tmp_path: Path, name: str, text: str) -> None:
    home, place = put(tmp_path, name)
    place.write_text(text)
    place.chmod(0o600)
    READERS[name](home)


@pytest.mark.parametrize("name", READERS)
def test_nobody_waits_on_what_is_no_regular_file(tmp_path: Path, name: str) -> None:
    home, place = put(tmp_path, name)
    for make in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero"), _endless):
        make(place)
        with pytest.raises(ERRORS):
            READERS[name](home)
        place.rmdir() if place.is_dir() else place.unlink()


def _endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)
    path.chmod(0o600)
