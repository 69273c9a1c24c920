"""A home that an older Cairn wrote, kept as it was: opened by this one, nothing of it is lost.

`home-of-schema-1.tar.xz` holds the home, the logs that it was made of, and what its commands told
(`told.json`); all of it is invented. Dagster's runs are left out.
"""

import json
import logging
import shutil
import sqlite3
import tarfile
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable
from polars.testing import assert_frame_equal

from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import PREFERENCES, RAW_LOGS, RECORDS, TABLES
from cairn.pipelines.healing import heal
from cairn.resources.context import State, open_state
from cairn.resources.home.home import SCHEMA_VERSION, Home, HomeError, open_home
from cairn.resources.home.migrations import MIGRATIONS, RENAMED_SETTINGS, Migration
from cairn.resources.home.seals import digest_of
from cairn.resources.home.settings import Settings
from cairn.resources.upgrade import JOURNAL, by_namespace, stored_tables, upgrade, upgrade_home
from cairn.resources.warehouse.publication import blocked_namespaces, published, read_published
from cairn.resources.warehouse.table_files import table_damage
from tests.homes import copy_home
from tests.journeys.running import assert_as_built, follow
from tests.resources.model_server import ModelServer

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost", "::1"])

ARCHIVE = Path(__file__).with_name("home-of-schema-1.tar.xz")
NAMESPACES = ("default", "team")
STEP = MIGRATIONS[0]
KEPT = ("records", "refusals", "episodes", "notifications", "source_files", "work")
"""Tables of each kind: not changed, renamed, with other columns or values, with noted versions."""

Rows = dict[tuple[str, str], pl.DataFrame]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the archive holds. Not to be changed: see `old`."""
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(place, filter="data")
    return place


@pytest.fixture
def old(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The old home; what stands beside it is one folder up."""
    beside = shutil.ignore_patterns("home")
    shutil.copytree(unpacked, tmp_path, ignore=beside, dirs_exist_ok=True)
    home = copy_home(unpacked / "schema-1" / "home", tmp_path / "schema-1" / "home")
    return _in_use(home, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def pruned(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The old home with a table or two of each kind that is upgraded alike, and without its index.

    That all tables are upgraded, and that the index stays, the first test shows. Not to be changed:
    see `small`.
    """
    home = copy_home(unpacked / "schema-1" / "home", tmp_path_factory.mktemp("pruned") / "home")
    shutil.rmtree(home / "index")
    _keep_tables(home, KEPT)
    return home


@pytest.fixture(scope="module")
def expected(pruned: Path) -> Rows:
    """What readers of the small home were given."""
    return rows_before(pruned)


@pytest.fixture
def small(pruned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return _in_use(copy_home(pruned, tmp_path / "schema-1" / "home"), tmp_path, monkeypatch)


def _in_use(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CAIRN_HOME", str(home))
    return home


def _keep_tables(home: Path, names: Collection[str]) -> None:
    """Takes all other tables away from an old home, and from what it published."""
    for folder in (home / "warehouse").iterdir():
        if folder.name not in names:
            shutil.rmtree(folder)
    for namespace in NAMESPACES:
        path = home / "publication" / f"{namespace}.json"
        manifest = json.loads(path.read_text())[0]
        kept = {name: at for name, at in manifest["tables"].items() if name in names}
        path.write_text(json.dumps([manifest | {"tables": kept}]))


def rows_before(home: Path) -> Rows:
    """What readers of the old home were given, by namespace and the table's name of today."""
    found: Rows = {}
    for namespace in NAMESPACES:
        manifest = json.loads((home / "publication" / f"{namespace}.json").read_text())[0]
        for table, version in manifest["tables"].items():
            stored = DeltaTable(str(home / "warehouse" / table), version=version)
            frame = pl.scan_delta(stored).collect()
            name = STEP.tables.get(table, table)
            names = STEP.columns.get(name, {})
            frame = frame.rename({a: b for a, b in names.items() if a in frame.columns})
            if "simhash" in frame.columns:
                frame = frame.with_columns(pl.col("simhash").reinterpret(signed=False))
            if "namespace" in frame.columns:
                frame = frame.filter(namespace=namespace)
            found[namespace, name] = frame
    return found


def assert_rows(state: State, expected: Rows, names: Collection[str] = TABLES.keys()) -> None:
    """Readers are given these rows, in the words of today."""
    for namespace in NAMESPACES:
        manifest = published(state.home, namespace)
        assert manifest is not None
        assert {name for own, name in expected if own == namespace} == manifest.tables.keys()
        for name in manifest.tables.keys() & names:
            table = TABLES[name]
            before = expected[namespace, name]
            # What was added since is empty until a run makes it.
            now = read_published(state.warehouse, manifest, table).collect()
            now = now.select(column for column in now.columns if column in before.columns)
            for (where, column), values in STEP.values.items():
                if where == name:
                    before = before.with_columns(pl.col(column).replace(dict(values)))
            types = {column: table.schema[column] for column in now.columns}
            before = before.select(now.columns).cast(types)
            assert_frame_equal(now.sort(table.key), before.sort(table.key), check_exact=True)


def content(home: Path) -> dict[str, str]:
    """Digests of all files of a home, locks aside; the holes in its index are not read."""
    return {
        str(path.relative_to(home)): digest_of(path)
        for path in sorted(home.rglob("*"))
        if path.is_file() and not path.name.startswith("write.lock")
    }


@pytest.mark.slow
def test_who_opens_it_upgrades_it_and_a_run_makes_of_it_what_it_makes_of_the_same_logs(
    old: Path,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Readers are given what they were given, and nothing that was answered is asked again."""
    expected, answers = rows_before(old), (old / "answers.sqlite").read_bytes()
    index = content(old / "index")
    assert expected["default", "rejected_facts"].height > 0, "a row of each kind is there"
    monkeypatch.setenv("CAIRN_MODEL", "openai/scripted")
    monkeypatch.setenv("CAIRN_MODEL_BASE", server.base)
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with caplog.at_level(logging.WARNING):
        state = open_state(old)
    assert f"home {old} is upgraded to schema {SCHEMA_VERSION}" in caplog.messages
    assert_rows(state, expected)
    assert (old / "schema_version").read_text() == f"{SCHEMA_VERSION}\n"
    assert {path.name for path in (old / "warehouse").iterdir()} == {*NAMESPACES}
    assert not (old / "warehouse.next").exists()
    assert not (old / JOURNAL).exists()
    assert (old / "answers.sqlite").read_bytes() == answers, "what was paid for stays"
    assert content(old / "index") == index, "and so does the index"
    for namespace in NAMESPACES:
        for name in TABLES:
            assert table_damage(old / "warehouse" / namespace / name, deep=True) is None

    with sqlite3.connect(old / "answers.sqlite") as database:
        paid = database.execute("SELECT count(*) FROM answers").fetchone()[0]
    follow(state)
    assert paid > 0
    assert server.requests == 0
    assert_as_built(state)
    liked = state.warehouse.read(PREFERENCES).filter(attitude="like").collect()
    assert "orchids" in liked["name"].to_list(), "what was liked stays so"
    for table, column in ((RECORDS, "payload"), (RAW_LOGS, "text")):
        assert not state.warehouse.read(table).collect()[column].str.contains("walnut").any(), (
            "and what was forgotten"
        )


def test_tables_in_an_object_store_are_split_where_they_are(small: Path, expected: Rows) -> None:
    (small / "warehouse").rename(small.parent / "store")
    settings = Settings(warehouse=f"file://{small.parent}/store")
    upgrade_home(small, settings)
    state = State(open_home(small), settings)
    with state.leased():  # from there they come home
        assert_rows(state, expected)
    # An object store has no folder without an object; this one, a folder on disk, keeps it.
    left = [path for path in (small.parent / "store").rglob("*") if path.is_file()]
    named = {path.relative_to(small.parent / "store").parts[0] for path in left}
    assert named - {".cairn"} == {*NAMESPACES}


def test_a_second_upgrade_does_nothing(small: Path) -> None:
    first = upgrade_home(small, Settings())
    before = content(small)
    second = upgrade_home(small, Settings())
    assert (first.from_version, second.from_version) == (1, SCHEMA_VERSION)
    assert (second.tables, second.files) == ([], {})
    assert content(small) == before


def test_a_dry_run_tells_and_changes_nothing(small: Path) -> None:
    before = content(small)
    told = upgrade_home(small, Settings(), dry_run=True)
    assert content(small) == before
    assert ("refusals", "rejected_facts") in [each[:2] for each in told.tables]
    assert dict(told.settings)["policy.struck_out_share"] == "policy.max_retraction_ratio"


@pytest.mark.faults
@pytest.mark.slow
def test_killed_at_any_point_it_is_finished_by_the_next(
    small: Path, expected: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind each write of a note, and some of tables: readers have a manifest of one kind."""
    points = _left_at_each_write(small, tmp_path, monkeypatch)
    assert len(points) > 20
    assert any((home / "warehouse.next").exists() for home in points)
    for home in points:
        assert int((home / "schema_version").read_text()) in range(1, SCHEMA_VERSION + 1)
        for namespace in NAMESPACES:
            manifest = json.loads((home / "publication" / f"{namespace}.json").read_text())[0]
            assert ("refusals" in manifest["tables"]) is ("told_at" in manifest)
        upgrade_home(home, Settings())
        assert_rows(State(open_home(home), Settings()), expected, STEP.changed_tables.values())
        assert not (home / JOURNAL).exists()


def _left_at_each_write(home: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Upgrades a home; copies of it as a kill behind each of its writes would leave it."""
    points: list[Path] = []
    counts = Counter[str]()

    def copying(module: ModuleType, name: str) -> Any:
        real = getattr(module, name)

        def write(*args: Any, **kwargs: Any) -> Any:
            done = real(*args, **kwargs)
            counts[name] += 1
            # Of many tables that are written alike, some: each is an upgrade of its own below.
            if name != "write_deltalake" or counts[name] % 4 == 0:
                points.append(copy_home(home, place / f"killed-{len(points)}"))
            return done

        return write

    with monkeypatch.context() as patch:
        for module, names in (
            (stored_tables, ("write_deltalake",)),
            (upgrade, ("replace_file", "remove")),
            (by_namespace, ("remove",)),
        ):
            for name in names:
                patch.setattr(module, name, copying(module, name))
        upgrade_home(home, Settings())
    return points


def test_it_waits_until_it_can_be_written(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Home, "read_only", property(lambda _: True))
    before = content(small)
    with pytest.raises(HomeError, match=r"older Cairn \(schema 1.*`cairn upgrade`"):
        open_state(small)
    assert content(small) == before


def test_a_home_whose_mark_is_damaged_is_known_by_its_tables(small: Path, expected: Rows) -> None:
    (small / "schema_version").write_bytes(b"\x00")
    assert_rows(open_state(small), expected)


def test_a_damaged_table_is_left_to_the_next_run(small: Path) -> None:
    for file in (small / "warehouse" / "refusals").rglob("*.parquet"):
        file.write_bytes(b"")
    state = open_state(small)
    heal(state)
    follow(state, "facts")
    assert_as_built(state, "rejected_facts", "facts", "episodes")


@pytest.mark.parametrize("what", ["*.parquet", "_delta_log/*"])
def test_records_that_cannot_be_read_are_not_left_behind(small: Path, what: str) -> None:
    files = list((small / "warehouse" / "records").rglob(what))
    assert files
    for file in files:
        file.write_bytes(b"")
    left = len(list((small / "warehouse" / "records").rglob("*")))
    for _ in range(2):
        with pytest.raises(HomeError, match="table records cannot be read"):
            open_state(small)
    assert len(list((small / "warehouse" / "records").rglob("*"))) >= left
    assert not (small / JOURNAL).exists()


def test_why_a_namespace_is_blocked_is_still_known(small: Path) -> None:
    manifest = json.loads((small / "publication" / "team.json").read_text())[0]
    why = {"reasons": ["more than policy.struck_out_share = 0.05 allows"], "bounds": {"share": 0.1},
           "tables": manifest["tables"]}  # fmt: skip
    (small / "held.json").write_text(json.dumps({"team": why}))
    state = open_state(small)
    blocked = blocked_namespaces(state.home)["team"]
    assert blocked.reasons == ["more than policy.max_retraction_ratio = 0.05 allows"]
    now = published(state.home, "team")
    assert now is not None
    assert blocked.tables == now.tables
    assert not (small / "held.json").exists()


def test_versions_that_were_noted_are_those_of_today() -> None:
    step = Migration(9, tables={"a": "b"}, columns={"c": {"x": "y"}}, input_hashes={"work": "h"})
    versions = {"a": {3: 0}, "c": {4: 5}}
    frame = pl.DataFrame({"h": ["a@3 d@7 c@4", "a@2 d@7", "d@1", "0f", "a@None"]})
    renamed = upgrade._renamed(frame, step, "work", versions)
    assert renamed["h"].to_list() == ["b@0 d@7 c@5", "", "d@1", "0f", "b@None"]


def test_what_the_last_migration_names_is_there() -> None:
    """What one before it names, it may have renamed again."""
    step = STEP
    assert set(step.tables.values()) <= TABLES.keys()
    assert not set(step.tables) & TABLES.keys()
    for table, names in step.columns.items():
        assert set(names.values()) <= TABLES[table].columns.keys()
        assert not set(names) & TABLES[table].columns.keys()
    for old, new in step.settings.items():
        assert new.removeprefix("policy.") in Policy.model_fields
        assert old.removeprefix("policy.") not in Policy.model_fields
    assert RENAMED_SETTINGS.items() >= step.settings.items()
