"""A damaged home: what is wrong is named, readers say it or go on, and a run makes it whole.

Every kind of file of a home, damaged in every way that its kind can be.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal

from cairn.knowledge.assembly.build import comparable
from cairn.knowledge.schema.tables import (
    ENTITIES,
    FACTS,
    LEARNINGS,
    MEMORY,
    RAW_LOGS,
    RECORDS,
    SOURCE_FILES,
    TABLES,
    VECTOR_INDEX,
    WORK,
    Table,
)
from cairn.pipelines.follow import follow
from cairn.pipelines.healing import heal, heal_files
from cairn.pipelines.planning.pending import is_pending
from cairn.resources.context import State
from cairn.resources.deletion.tombstones import note
from cairn.resources.home.api_keys import add_key
from cairn.resources.home.damage import Damaged, reading
from cairn.resources.home.home import open_home
from cairn.resources.home.settings import Settings
from cairn.resources.home.sources import add_source, list_sources, remove_source
from cairn.resources.llm.answer_cache import Answers, CachedAnswer, Call
from cairn.resources.repair.home_damage import home_damage
from cairn.resources.vector_index.protocol import VectorIndexError
from cairn.serving.cli.main import cairn
from cairn.serving.read.reader import NothingPublished, open_reader
from cairn.serving.retrieval.search import search_memory
from cairn.serving.write.deletion import reach, target
from tests.homes import copy_home
from tests.journeys import running
from tests.pipelines.house import House

QUERY = "the backup of the NAS fails"
Harm = Callable[[Path], None]


def gone(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    """Other bytes in the middle, and as many as before."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    for place in range(middle, min(middle + 30, len(content))):
        content[place] ^= 0xFF
    path.write_bytes(content)


def rotten(path: Path) -> None:
    """As `flipped`, and nothing shows that it was written."""
    before = path.stat().st_mtime_ns
    flipped(path)
    os.utime(path, ns=(before, before))


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(3_000))


def folder(path: Path) -> None:
    gone(path)
    path.mkdir()
    (path / "inner").write_text("x")


def looped(path: Path) -> None:
    gone(path)
    path.symlink_to(path.name)


def piped(path: Path) -> None:
    """By what a reader would wait on for ever."""
    gone(path)
    os.mkfifo(path)


def written(text: str) -> Harm:
    """By JSON of another shape."""
    return lambda path: path.write_text(text) and None


def ahead(path: Path) -> None:
    """Other versions of tables than there are."""
    path.write_text(re.sub(r'(": )\d+', r"\g<1>99999", path.read_text()))


def replaced(path: Path) -> None:
    """By a whole file of another table."""
    other = next(one for one in (path.parents[1] / "facts").rglob("*.parquet"))
    assert other != path
    shutil.copy(other, path)


def parquet(table: Table) -> Callable[[Path], Path]:
    return lambda home: min((home / "warehouse" / "default" / table.name).rglob("part-*.parquet"))


def entry(table: Table, place: int = -1) -> Callable[[Path], Path]:
    log = f"warehouse/default/{table.name}/_delta_log/*.json"
    return lambda home: sorted(home.glob(log))[place]


def last_but_one(table: Table) -> Callable[[Path], Path]:
    """An entry that is missed if it is gone: what a checkpoint holds too may be cleaned away."""

    def found(home: Path) -> Path:
        last = entry(table)(home)
        return last if last.with_suffix(".checkpoint.parquet").exists() else entry(table, -2)(home)

    return found


def at(name: str) -> Callable[[Path], Path]:
    return lambda home: home / name


def one(pattern: str) -> Callable[[Path], Path]:
    return lambda home: min(home.glob(pattern))


class Thing(NamedTuple):
    """A kind of file: where one is, what may happen to it, what it is called, and if it is remade.

    Things of one group hide one another: what is gone is missed by `work` or by the manifest.
    `remade` is false of what a run needs no more.
    """

    where: Callable[[Path], Path]
    harms: tuple[Harm, ...]
    named: str
    group: str
    remade: bool = True


NOTES = (emptied, cut, garbage, folder, piped)
VERDICTS = ('{"passed": 5, "broken": []}', '{"broken": {"facts.keys": 5}}', "[]")
HELD = ('{"default": 5}', '{"default": {"reasons": "late", "tables": []}}')
SOURCES = ("{}", '[{"path": 5, "namespace": "default"}]', '[{"path": "/x", "namespace": "../x"}]')
THINGS = (
    Thing(parquet(MEMORY), (gone, flipped, garbage, rotten, replaced), "table memory", "memory"),
    Thing(parquet(ENTITIES), (emptied, cut, folder, looped, piped), "table entities", "entities"),
    Thing(parquet(RAW_LOGS), (gone, cut, flipped), "table raw_logs", "raw_logs"),
    Thing(parquet(TABLES["embeddings"]), (flipped, rotten), "table embeddings", "embeddings"),
    Thing(entry(FACTS), (gone, cut, flipped, folder, piped), "table facts", "facts"),
    Thing(entry(WORK), (gone, emptied), "table work", "books"),
    Thing(last_but_one(WORK), (gone, cut), "table work", "books"),
    Thing(at("warehouse/default/work"), (gone,), "", "books"),
    Thing(at("warehouse/default/learnings"), (gone, folder, looped), "table learnings",
          "books"),
    Thing(at("warehouse/default/candidates"), (gone,), "table candidates", "manifest"),
    Thing(at("warehouse/default/source_files"), (gone,), "table source_files", "source_files"),
    Thing(at("warehouse/default/dead_letters"), (gone,), "table dead_letters", "dead_letters"),
    Thing(one("index/*/*/*/flat"), (gone, cut, flipped), "index of", "index"),
    Thing(one("index/*/*/*/generation.json"), (gone, cut, looped, piped), "index of", "index"),
    Thing(at("index"), (folder, looped), "index", "index"),
    Thing(at("publication/default.json"), (emptied, cut, folder, piped, ahead, written("[]")),
          "manifest of", "manifest"),
    Thing(at("publication"), (gone,), "", "manifest"),
    Thing(at("checks/default.json"), (*NOTES, *map(written, VERDICTS)), "note checks/default.json",
          "c", False),
    Thing(at("blocked.json"), (*NOTES, *map(written, HELD)), "note blocked.json", "h", False),
    Thing(at("model_waits"), (folder, piped), "mark model_waits", "m", False),
    Thing(at("forgetting"), (garbage, piped), "note forgetting", "f", False),
    Thing(at("sources.json"), (gone, *NOTES, looped, *map(written, SOURCES)), "list of sources",
          "s", False),
    Thing(at("sources.copy.json"),
          (garbage, folder, piped, written('{"digest": "", "sources": []}')),
          "copy of the list", "s", False),
    Thing(at("dagster/history/runs.db"), (gone, cut, folder, piped), "Dagster", "runs", False),
    Thing(at("dagster/history/runs/index.db"), (garbage,), "Dagster", "events", False),
    Thing(at("dagster/schedules/schedules.db"), (garbage,), "Dagster", "schedules", False),
    Thing(one("dagster/history/runs/*-*.db"), (cut, piped), "log of a", "log", False),
    Thing(at("dagster/dagster.yaml"), (folder,), "Dagster", "yaml", False),
    Thing(at("answers.sqlite"), (cut, garbage, looped, piped), "answers of", "answers", False),
    Thing(at("schema_version"), (gone, garbage, folder, piped), "", "version", False),
    Thing(at("write.lock"), (folder, looped, piped), "", "lock", False),
)  # fmt: skip


def together() -> Iterator[list[tuple[Thing, Harm]]]:
    """All harms, as many at once as do not hide one another.

    There is much that may happen to the list of sources and to notes: most of it goes beside what
    is remade.
    """
    groups: dict[tuple[bool, str], list[tuple[Thing, Harm]]] = {}
    for thing in THINGS:
        groups.setdefault((thing.remade, thing.group), []).extend(
            (thing, harm) for harm in thing.harms
        )
    for name in ("s", "c", "h"):
        own = groups[False, name]
        groups[False, name] = own[::3]
        groups[True, name] = [each for place, each in enumerate(own) if place % 3]
    for remade in (True, False):
        own = [harms for (is_remade, _), harms in groups.items() if is_remade == remade]
        rows = [[each for each in row if each is not None] for row in zip_longest(*own)]
        if not remade:  # where nothing else is in that folder any more
            rows[-1].append((Thing(at("dagster"), (looped,), "folder dagster", "", False), looped))
        yield from rows


SMALL = {
    "checks/default.json": '{"passed": {"facts.keys": "%s"}, "broken": {}}' % ("0" * 40),
    "blocked.json": '{"other": {"reasons": [], "tables": {}, "bounds": {}}}',
    "model_waits": "candidates",
}


@pytest.fixture
def root(built: House, tmp_path: Path) -> Path:
    """A copy of the built home, with one of each small file."""
    place = copy_home(built.state.home.root, tmp_path / "home")
    for name, content in SMALL.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(content)
    answers = Answers(place / "answers.sqlite")
    answers.put(kept("1"), ["r"])
    answers.close()
    return place


def kept(key: str) -> CachedAnswer:
    return CachedAnswer(key, "default", "facts", "full", "f", "m", "done", None, "{}", 1, 1, 0, 0.5,
                        1.0, 1, "2026-03-01T00:00:00+00:00")  # fmt: skip


def opened(root: Path) -> State:
    return State(open_home(root), Settings())


def asked(state: State) -> list[tuple[str, float]]:
    """What a search finds."""
    found = search_memory(open_reader(state, "default"), QUERY, "all")
    return [(each.id, round(each.score, 6)) for each in found]


def told(state: State) -> str | None:
    """What a search says instead of an answer."""
    try:
        with reading():  # as commands and servers do
            asked(state)
    except (Damaged, VectorIndexError, NothingPublished) as error:
        return str(error)
    return None


def made_again(state: State) -> None:
    """What a run does after healing, without Dagster."""
    follow(state)


@pytest.mark.parametrize("harms", list(together()), ids=lambda harms: str(len(harms)))
def test_what_is_damaged_is_named_and_healed(
    root: Path, harms: list[tuple[Thing, Harm]], built: House
) -> None:
    places = [thing.where(root) for thing, _ in harms]
    for place, (_, harm) in zip(places, harms, strict=True):
        if place.name == "forgetting":
            place.write_text("default")
        harm(place)
    state = opened(root)
    found = home_damage(state, deep=True)
    for place, (thing, harm) in zip(places, harms, strict=True):
        names = [
            one.what
            for one in found
            if place.is_relative_to(one.where) or one.where.is_relative_to(place)
        ]
        assert any(thing.named in name for name in names) or not thing.named, (place, harm, found)
    assert all("`cairn run`" in each.advice for each in found)
    assert (answer := told(state)) is None or "cairn run" in answer
    heal_files(state)
    heal(state)
    after = [each for each in home_damage(opened(root), deep=True) if each.kind != "gone"]
    assert after == []
    assert [source.path for source in list_sources(state.home)] == [str(built.logs)]
    assert is_pending(state) == any(thing.remade for thing, _ in harms)


BATCHES: list[list[tuple[Callable[[Path], Path], Harm]]] = [
    [
        (parquet(MEMORY), cut), (entry(FACTS), gone), (parquet(RAW_LOGS), flipped),
        (at("publication/default.json"), cut), (one("index/*/*/*/flat"), emptied),
        (parquet(TABLES["embeddings"]), rotten), (at("warehouse/default/fact_sources"), gone),
        (at("warehouse/default/candidates"), gone),
        (at("warehouse/default/learning_candidates"), gone),
        (at("warehouse/default/conversations"), looped), (entry(LEARNINGS), garbage),
        (at("warehouse/default/dead_letters"), gone), (entry(VECTOR_INDEX), emptied),
        (one("index/*/*/*/generation.json"), gone),
    ],
    [
        (at("warehouse/default/work"), gone), (at("warehouse/default/source_files"), gone),
        (at("index"), looped),
    ],
]  # fmt: skip


@pytest.mark.parametrize("harms", BATCHES)
def test_all_that_follows_is_made_again_to_the_same_rows(
    built: House, root: Path, harms: list[tuple[Callable[[Path], Path], Harm]]
) -> None:
    before = contents(built.state)
    for where, harm in harms:
        harm(where(root))
    state = opened(root)
    heal_files(state)
    heal(state, deep=True)
    assert is_pending(state)
    made_again(state)
    assert_same(contents(state), before)
    assert asked(state) == asked(built.state)
    assert not is_pending(state)
    assert home_damage(opened(root), deep=True) == []


def contents(state: State) -> dict[str, pl.DataFrame]:
    """All tables but the books, which say when and where."""
    return comparable(
        {
            name: state.warehouse.read(table).collect()
            for name, table in TABLES.items()
            if name not in (WORK.name, SOURCE_FILES.name, "dead_letters", "model_calls")
        }
    )


def assert_same(found: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]) -> None:
    for name, frame in expected.items():
        try:
            assert_frame_equal(found[name], frame, check_exact=True)
        except AssertionError as error:
            raise AssertionError(f"table {name}: {error}") from error


def test_records_that_a_source_still_holds_are_read_again(built: House, root: Path) -> None:
    before = contents(built.state)
    cut(parquet(RECORDS)(root))
    state = opened(root)
    (found,) = home_damage(state)
    assert (found.what, found.stops) == ("table records of default", False)
    assert all(part in found.lost for part in ("read again by a run", "2026-02"))
    heal(state)
    made_again(state)
    assert_same(contents(state), before)
    assert any((root / "damaged").iterdir()), "what cannot be read is kept"


@pytest.mark.parametrize(
    ("where", "harm"),
    [
        (entry(RECORDS), flipped),
        (entry(RECORDS), gone),
        (at("warehouse/default/records/_delta_log"), gone),
        (entry(RECORDS, 0), garbage),
    ],
)
def test_of_records_with_a_damaged_log_no_row_is_lost(
    built: House, root: Path, where: Callable[[Path], Path], harm: Harm
) -> None:
    """Even where no source is left: the rows are in their files."""
    state = opened(root)
    remove_source(state.home, built.logs)
    before = records(state)
    harm(where(root))
    state = opened(root)
    (found,) = (one for one in home_damage(state) if one.kind == "records")
    assert not found.stops
    heal(state)
    assert_frame_equal(records(state), before)
    assert home_damage(opened(root), deep=True) == []


def records(state: State) -> pl.DataFrame:
    return state.warehouse.read(RECORDS).collect().sort(RECORDS.key)


@pytest.fixture(scope="module")
def two_files_built(built: House, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home whose records are in two files, the second from a source of its own."""
    place = tmp_path_factory.mktemp("two_files")
    logs = place / "more"
    logs.mkdir()
    state = opened(copy_home(built.state.home.root, place / "home"))
    for number in (1, 2):
        line = {"role": "user", "name": "Mira", "content": f"I keep bees in hive {number}.",
                "timestamp": f"2026-04-0{number}T10:00:00Z", "conversation_id": "bees",
                "id": f"bee-{number}"}  # fmt: skip
        with (logs / "bees.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
    add_source(state.home, logs, "default")
    running.follow(state)
    return place


@pytest.fixture
def two_files(two_files_built: Path, tmp_path: Path) -> Iterator[tuple[State, Path]]:
    """A copy of that home, and the folder of its second source, which may be changed, too."""
    logs = two_files_built / "more"
    before = (logs / "bees.jsonl").read_bytes()
    yield opened(copy_home(two_files_built / "home", tmp_path / "home")), logs
    (logs / "bees.jsonl").write_bytes(before)


LOST = ("2 lines", "2026-04-01", "bees.jsonl", "from a backup", "`cairn run --accept-loss`")


def newest_rows(root: Path) -> Path:
    files = (root / "warehouse" / "default" / "records").rglob("part-*.parquet")
    return max(files, key=lambda file: file.stat().st_mtime_ns)


def test_records_whose_source_is_gone_stop_a_run_until_it_is_told_what_to_do(
    two_files: tuple[State, Path], tmp_path: Path
) -> None:
    state, logs = two_files
    root = state.home.root
    saved = tmp_path / "saved"
    shutil.copytree(root / "warehouse" / "default" / "records", saved)
    before = records(state)
    shutil.move(logs / "bees.jsonl", tmp_path / "elsewhere.jsonl")
    harmed = newest_rows(root)
    cut(harmed)

    state = opened(root)
    with pytest.raises(Damaged) as stopped:
        heal(state)
    assert all(part in str(stopped.value) for part in LOST)
    assert harmed.exists(), "nothing is changed until then"

    # One way: the source comes back, and is watched or not.
    shutil.copy(tmp_path / "elsewhere.jsonl", logs / "bees.jsonl")
    remove_source(state.home, logs)
    (found,) = (one for one in home_damage(state) if one.kind == "records")
    assert found.advice == f"`cairn run --source {logs / 'bees.jsonl'} --namespace default`"
    (logs / "bees.jsonl").unlink()

    # Another: the backup.
    copied = tmp_path / "copied"
    copy_home(root, copied)
    shutil.rmtree(copied / "warehouse" / "default" / "records")
    shutil.copytree(saved, copied / "warehouse" / "default" / "records")
    restored = opened(copied)
    heal(restored)
    assert_frame_equal(records(restored), before)

    # The last: without them. All others stay.
    heal(state, accept_loss=True)
    assert_frame_equal(records(state), before.filter(pl.col("thread") != "bees"))
    assert is_pending(state)
    follow(state, until="memory")
    assert "bees" not in str(state.warehouse.read(MEMORY).collect()["content"].to_list())
    assert home_damage(opened(root), deep=True) == []


def test_by_the_source_that_is_named_they_come_back(two_files: tuple[State, Path]) -> None:
    state, logs = two_files
    before = records(state)
    remove_source(state.home, logs)
    gone(newest_rows(state.home.root))
    state = opened(state.home.root)
    with pytest.raises(Damaged, match=r"cairn run --source .*bees\.jsonl --namespace default"):
        heal(state)
    add_source(state.home, logs / "bees.jsonl", "default")
    heal(state)
    follow(state, until="records")
    rest = list(RECORDS.processing)
    assert_frame_equal(records(state).drop(rest), before.drop(rest))


def test_an_older_backup_of_records_is_completed_from_the_sources(
    two_files: tuple[State, Path], built: House
) -> None:
    state, _ = two_files
    before = records(state)
    place = state.home.warehouse / "default" / "records"
    shutil.rmtree(place)
    shutil.copytree(built.state.home.warehouse / "default" / "records", place)
    state = opened(state.home.root)
    assert [one.found for one in home_damage(state)] == ["is older than what was made of it"]
    heal(state)
    follow(state, until="records")
    rest = list(RECORDS.processing)
    assert_frame_equal(records(state).drop(rest), before.drop(rest))


def test_what_was_forgotten_does_not_come_back_with_a_damaged_inbox(
    two_files: tuple[State, Path], tmp_path: Path
) -> None:
    state, _ = two_files
    said = state.warehouse.read(RAW_LOGS).filter(pl.col("text").str.contains("hive 2")).collect()
    note(state.home, reach(state, target(state, said["record_id"][0], "default")).event)
    (state.home.root / "damaged").mkdir()
    follow(state, until="records")
    assert not state.home.damaged.exists(), "nobody knows what lies there"
    kept_rows = records(state)
    inbox = tmp_path / "inbox"
    shutil.copytree(state.home.inbox, inbox)
    line = one("inbox/default/*.jsonl")(state.home.root)

    for harm, place in ((gone, line), (emptied, line), (cut, line), (gone, state.home.inbox)):
        harm(place)
        state = opened(state.home.root)
        with pytest.raises(Damaged, match="would come back"):
            heal(state)
        shutil.rmtree(state.home.inbox)
        shutil.copytree(inbox, state.home.inbox)
    text = line.read_text()
    mark = json.loads(text)["digests"][0]
    line.write_text(text.replace(mark, mark[::-1]))
    with pytest.raises(Damaged, match="gone or changed"):
        heal(opened(state.home.root))
    line.write_text(text)
    key = state.home.forget_key.read_bytes()
    for harm in (gone, emptied, garbage):
        harm(state.home.forget_key)
        with pytest.raises(Damaged, match="without it what was forgotten would come back"):
            heal(opened(state.home.root), accept_loss=True)
        state.home.forget_key.write_bytes(key)

    # Its rows are in older files of the table still, and the log that says so is damaged.
    garbage(entry(RECORDS)(state.home.root))
    state = opened(state.home.root)
    heal(state)
    assert_frame_equal(records(state), kept_rows)


def test_of_damaged_answers_what_can_be_read_stays(root: Path) -> None:
    """And what it costs is told; answers that nobody could forget any more are not kept."""
    path = root / "answers.sqlite"
    path.unlink()
    answers = Answers(path)
    for number in range(400):
        answers.put(kept(f"{number:03}")._replace(text="x" * 300), [f"r{number}"])
        answers.pay(Call("default", "facts", "full", "f", "m", "done", None, 1, 1, 0, 0.01, 1.0,
                         "2026-03-01T00:00:00+00:00"))  # fmt: skip
    answers.close()
    content = bytearray(path.read_bytes())
    place = content.index(b"x" * 300)
    page = place // 4096 * 4096
    content[page : page + 12] = os.urandom(12)  # how a page of answers is to be read
    path.write_bytes(content)
    state = opened(root)
    (found,) = (one for one in home_damage(state) if one.kind == "answers")
    assert "paid, again" in found.lost
    heal(state)
    fresh = state.answers.read(f"{number:03}" for number in range(400))
    assert 200 < len(fresh) < 400
    assert state.answers.ledger().height == 400
    assert list((root / "damaged").glob("answers.sqlite*"))


@pytest.mark.slow
def test_what_doctor_advises_a_shell_can_do(built: House, tmp_path: Path) -> None:
    """Word by word, in a home whose path a shell would take for something else."""
    root = copy_home(built.state.home.root, tmp_path / "Ida's home  & $HOME")
    state = opened(root)
    add_key(state.home, ["default"])
    (root / "keys.json").chmod(0o644)
    for name in ("sources.json", "sources.copy.json"):
        (root / name).write_text("[{")
    for name, text in (("checks/default.json", VERDICTS[0]), ("blocked.json", HELD[0])):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    ahead(root / "publication" / "default.json")
    cut(parquet(MEMORY)(root))

    errors = doctor(root)
    named = {name.removesuffix(" of default") for name in errors}
    assert {"keys of the HTTP API", "list of sources", "table memory"} <= named
    given = shell(tmp_path)
    advised = [one for advice in errors.values() for one in re.findall("`([^`]+)`", advice)]
    for command in sorted(dict.fromkeys(advised), key=lambda one: "--source" not in one):
        assert command.startswith("chmod ") or f"--home {shlex.quote(str(root))}" in command
        done = subprocess.run(
            ["bash", "-c", command], env=given, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        if command.startswith("cairn "):
            ran = UNDISTURBED.invoke(cairn, done.stdout.split("\0")[:-1])
            assert ran.exit_code == 0, (command, ran.output)
    assert doctor(root) == {}
    assert {source.namespace for source in list_sources(state.home)} == {"default"}
    assert asked(opened(root)) == asked(built.state)


UNDISTURBED = CliRunner(env={"CAIRN_HOME": None, "DAGSTER_HOME": None})


def shell(place: Path) -> dict[str, str]:
    """Where a shell finds a `cairn` that says what it was given, each ended by a zero."""
    (place / "bin").mkdir(exist_ok=True)
    (place / "bin" / "cairn").write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
    (place / "bin" / "cairn").chmod(0o755)
    return os.environ | {"PATH": f"{place / 'bin'}:{os.environ['PATH']}"}


def doctor(root: Path) -> dict[str, str]:
    """Advice of `cairn doctor` for each error that it finds."""
    told = UNDISTURBED.invoke(cairn, ["--home", str(root), "doctor", "--json"])
    checks = json.loads(told.stdout)["checks"]
    return {one["check"]: one["advice"] for one in checks if one["level"] == "error"}
