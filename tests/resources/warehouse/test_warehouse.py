"""Tables on real Delta: what is replaced, what stays, what is refused."""

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from multiprocessing.synchronize import Event
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake
from polars.testing import assert_frame_equal

from cairn.knowledge.engine.diff import Change, with_change
from cairn.knowledge.schema.tables import CANDIDATES, FACTS, FUNNEL, TABLES, WORK, Table
from cairn.knowledge.schema.tables.table import TEXT, Column
from cairn.resources.home.damage import Damaged
from cairn.resources.warehouse import delta
from cairn.resources.warehouse.delta import CONFIGURED
from cairn.resources.warehouse.tables import Tables
from cairn.resources.warehouse.warehouse import Conflict, Warehouse

FORKSERVER = multiprocessing.get_context("forkserver")
"""Starts processes of one that has imported what they need, and done nothing else."""
NOON = datetime(2026, 2, 3, 12, tzinfo=UTC)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes each table one that is too large to be held."""
    monkeypatch.setattr(delta, "SMALL", 0)


def _sample(kind: pl.DataType, number: int) -> object:
    """A value of a type; every third nested one is empty or has a hole."""
    if isinstance(kind, pl.List):
        return [] if number % 3 == 0 else [_sample(pl.List(kind.inner).inner, number)] * 2  # type: ignore[arg-type]
    if isinstance(kind, pl.Struct):
        return {field.name: _sample(field.dtype, number) for field in kind.fields}  # type: ignore[arg-type]
    if kind == pl.UInt64:
        return 2**64 - 1 - number
    if kind.is_integer():
        return number
    if kind.is_float():
        return number / 8
    if kind == pl.Boolean:
        return number % 2 == 0
    return NOON + timedelta(microseconds=number) if kind.is_temporal() else f"it's {number}"


def _rows(table: Table, count: int = 4) -> pl.DataFrame:
    """Rows of a table, nulls where they may be, in two namespaces and two days."""
    rows: list[dict[str, object]] = []
    for number in range(count):
        row: dict[str, object] = {
            name: None if column.null and number % 2 else _sample(column.type, number)
            for name, column in table.columns.items()
        }
        namespace = "ab"[number % 2] if len(table.key) > 1 else f"n{number}"
        places = {"namespace": namespace, "day": f"2026-02-0{1 + number // 2 % 2}"}
        rows.append(row | {name: value for name, value in places.items() if name in row})
    return table.frame(rows)


def _gates(**rows_in: int) -> pl.DataFrame:
    return FUNNEL.frame(
        {"namespace": name[0], "stage": "s", "gate": name, "rows_in": number, "passed": 0,
         "rejected": number, "rate": 0.0}
        for name, number in rows_in.items()
    )  # fmt: skip


def _stored(warehouse: Warehouse, table: Table) -> pl.DataFrame:
    return warehouse.read(table).sort(table.key).collect()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_every_table_comes_back_as_it_went_and_equal_content_commits_nothing(
    tmp_path: Path, table: Table
) -> None:
    warehouse, rows = Warehouse(tmp_path), _rows(table)
    names = rows.get_column("namespace", default=pl.Series(["a"])).unique().sort().to_list()
    own = warehouse.of(names[0])
    assert warehouse.read(table).collect().equals(table.empty())
    assert own.version(table) is None
    assert warehouse.write(table, rows, namespaces=names).changed
    back = _stored(warehouse, table)
    assert back.schema == table.schema
    assert back.equals(rows)
    assert not warehouse.write(table, rows.reverse()).changed
    assert own.version(table) == 0


@pytest.mark.parametrize(
    ("days", "namespaces", "stay"),
    [
        (["2026-02-01"], None, [("a", "2026-02-02"), ("b", "2026-02-02")]),
        (None, ["a"], [("b", "2026-02-01"), ("b", "2026-02-02")]),
        (["2026-02-02"], ["b"], [("a", "2026-02-01"), ("a", "2026-02-02"), ("b", "2026-02-01")]),
        (["2026-02-01", "2026-02-02"], None, []),
        ([], None, [(name, f"2026-02-0{day}") for name in "ab" for day in (1, 2)]),
        (None, None, []),
    ],
)
def test_just_the_part_that_is_named_is_replaced(
    tmp_path: Path,
    days: Sequence[str] | None,
    namespaces: Sequence[str] | None,
    stay: list[tuple[str, str]],
) -> None:
    warehouse, rows = Warehouse(tmp_path), _rows(CANDIDATES)
    warehouse.write(CANDIDATES, rows)
    gone = warehouse.write(CANDIDATES, CANDIDATES.empty(), days=days, namespaces=namespaces)
    assert _stored(warehouse, CANDIDATES).select("namespace", "day").sort(pl.all()).rows() == stay
    assert gone.changed == (len(stay) < 4)
    again = warehouse.write(CANDIDATES, CANDIDATES.empty(), days=days, namespaces=namespaces)
    assert not again.changed
    mine = rows.filter(~pl.concat_str("namespace", "day").is_in(["".join(pair) for pair in stay]))
    warehouse.write(CANDIDATES, mine, days=days, namespaces=namespaces)
    assert _stored(warehouse, CANDIDATES).equals(rows)


def test_rows_outside_of_what_is_replaced_and_keys_twice_are_refused(tmp_path: Path) -> None:
    warehouse, rows = Warehouse(tmp_path), _rows(CANDIDATES)
    with pytest.raises(ValueError, match="outside"):
        warehouse.write(CANDIDATES, rows, days=["2026-02-01"])
    for way in (warehouse.write, warehouse.append):
        with pytest.raises(ValueError, match="2 rows repeat a key"):
            way(CANDIDATES, pl.concat([rows, rows]))
    assert warehouse.of("a").version(CANDIDATES) is None


def test_what_another_writer_changed_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = Warehouse(tmp_path).of("a"), Warehouse(tmp_path).of("a")
    mine.write(FUNNEL, _gates(a1=1))
    monkeypatch.setattr(Tables, "_checked", _meanwhile(lambda: other.append(FUNNEL, _gates(a2=5))))
    with pytest.raises(Conflict):
        mine.write(FUNNEL, _gates(a1=9))
    monkeypatch.undo()
    assert _stored(mine, FUNNEL)["rows_in"].to_list() == [1, 5]


def _meanwhile(act: Callable[[], object]) -> Callable[..., pl.DataFrame]:
    """Acts once between what is read and what is committed."""
    real, acts = Tables._checked, [act]

    def checked(self: Tables, table: Table, frame: pl.DataFrame) -> pl.DataFrame:
        if acts:
            acts.pop()()
        return real(self, table, frame)

    return checked


def test_a_namespace_has_files_of_its_own_and_opens_no_others(tmp_path: Path) -> None:
    Warehouse(tmp_path).write(FUNNEL, _gates(a=1, b=2))
    for file in (tmp_path / "b").rglob("*"):
        if file.is_file():
            file.write_bytes(b"")
    own = Warehouse(tmp_path).of("a")
    assert own.namespaces(FUNNEL) == {"a"}
    assert own.read(FUNNEL).collect()["rows_in"].to_list() == [1]
    assert own.write(FUNNEL, _gates(a=3)).changed
    assert Warehouse(tmp_path).read(FUNNEL, namespace="a").collect().height == 1
    assert Warehouse(tmp_path).height(FUNNEL, "a") == 1
    with pytest.raises(Damaged):
        Warehouse(tmp_path).read(FUNNEL).collect()


def test_rows_are_counted_of_one_namespace_or_of_all(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.write(FUNNEL, _gates(a=1, b=2))
    assert (warehouse.height(FUNNEL), warehouse.height(FUNNEL, "a")) == (2, 1)


def test_rows_of_another_namespace_are_refused(tmp_path: Path) -> None:
    own = Warehouse(tmp_path).of("a")
    for way in (own.write, own.append):
        with pytest.raises(ValueError, match="another namespace"):
            way(FUNNEL, _gates(a=1, b=2))
    for asked in (lambda: own.read(FUNNEL, namespace="b"), lambda: own.of("b")):
        with pytest.raises(ValueError, match="not of b"):
            asked()
    with pytest.raises(ValueError, match="no dot at the start"):
        Warehouse(tmp_path).of("../b")
    with pytest.raises(ValueError, match="outside of the namespaces"):
        Warehouse(tmp_path).write(FUNNEL, _gates(a=1, b=2), namespaces=["a"])


def test_old_versions_can_be_read_and_a_run_is_named_in_its_commit(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path, run_id="run-7").of("a")
    first = warehouse.write(FUNNEL, _gates(a=1))
    warehouse.write(FUNNEL, _gates(a=2))
    then = warehouse.read(FUNNEL, version=first.version, columns=["rows_in"]).collect()
    assert then["rows_in"].to_list() == [1]
    assert DeltaTable(tmp_path / "a" / "funnel").history(1)[0]["run_id"] == "run-7"


def test_to_open_a_table_reads_few_of_its_commits(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    for number in range(1, 24):
        warehouse.write(FACTS, _rows(FACTS, 2 * number).filter(namespace="a"))
    log = tmp_path / "a" / "facts" / "_delta_log"
    assert len(list(log.glob("*.json"))) == 23
    newest = max(file.name for file in log.glob("*.checkpoint.parquet"))
    assert 23 - int(newest[:20]) < 20
    assert _stored(Warehouse(tmp_path), FACTS).height == 23


def test_upkeep_has_an_older_table_opened_as_fast(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "funnel"
    write_deltalake(folder, FUNNEL.frame(_gates(a=1)).to_arrow(), name="funnel")
    warehouse = Warehouse(tmp_path).of("a")
    for _ in range(2):
        warehouse.maintain(FUNNEL)
    assert DeltaTable(folder).metadata().configuration == CONFIGURED
    told = [one["operation"] for one in DeltaTable(folder).history()]
    assert told.count("SET TBLPROPERTIES") == 1
    assert warehouse.version(FUNNEL) == 0, "no row has changed"


def test_what_is_read_of_one_namespace_has_no_empty_part(tmp_path: Path) -> None:
    """Polars gives up by a panic where two columns of such parts meet."""
    warehouse = Warehouse(tmp_path)
    for row in _rows(FACTS, 12).iter_slices(1):
        warehouse.append(FACTS, row)
    for namespace in ("a", "b"):
        read = warehouse.read(FACTS, namespace=namespace).collect()
        assert read.height == 6
        assert all(map(len, read["fact_id"].get_chunks()))


@pytest.mark.usefixtures("large")
def test_a_day_is_read_without_opening_the_others(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.write(CANDIDATES, _rows(CANDIDATES))
    for file in tmp_path.glob("*/candidates/day=2026-02-02/*.parquet"):
        file.write_bytes(b"")
    for file in tmp_path.glob("b/candidates/day=*/*.parquet"):
        file.write_bytes(b"")
    assert warehouse.read(CANDIDATES, namespace="a", days=["2026-02-01"]).collect().height == 1


@pytest.mark.usefixtures("large")
def test_what_came_and_went_since_a_version_is_read_from_the_days_that_changed(
    tmp_path: Path,
) -> None:
    warehouse = Warehouse(tmp_path)
    rows = _rows(CANDIDATES, 8)
    before = warehouse.write(CANDIDATES, rows).version
    own = rows.filter(namespace="a")
    everything = warehouse.changes(CANDIDATES, None, namespace="a")
    assert everything is not None
    assert everything.come.equals(own)
    assert everything.gone.is_empty()

    other = pl.col("day") == "2026-02-02"
    more = _rows(CANDIDATES, 12).filter(namespace="a").join(own, on="candidate_id", how="anti")
    changed = pl.concat([own.filter(other).slice(1), more.filter(other)])
    warehouse.write(CANDIDATES, changed, days=["2026-02-02"], namespaces=["a"])
    for file in tmp_path.glob("a/candidates/day=2026-02-01/*.parquet"):
        file.write_bytes(b"")
    change = warehouse.changes(CANDIDATES, before, namespace="a")
    assert change is not None
    assert change.come.equals(more.filter(other))
    assert change.gone.equals(own.filter(other).head(1))
    nothing = warehouse.changes(CANDIDATES, before, namespace="b")
    assert nothing is not None
    assert nothing.rows.is_empty()


def test_what_changed_since_a_version_that_is_gone_is_not_known(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    for number in range(3):
        warehouse.write(FUNNEL, _gates(a=number))
    change = warehouse.changes(FUNNEL, 0, namespace="a")
    assert change is not None
    assert (change.gone["rows_in"].item(), change.come["rows_in"].item()) == (0, 2)
    warehouse.of("a").maintain(FUNNEL, retention=timedelta(0))
    assert Warehouse(tmp_path).changes(FUNNEL, 0, namespace="a") is None
    assert warehouse.changes(FUNNEL, 9, namespace="a") is None


def test_days_that_stay_as_they_are_are_not_written_again(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    rows = _rows(CANDIDATES, 8).filter(namespace="a")
    warehouse.write(CANDIDATES, rows)
    before = set(DeltaTable(tmp_path / "a" / "candidates").file_uris())
    rows = rows.filter(pl.col("candidate_id") != rows["candidate_id"].max())
    written = warehouse.write(CANDIDATES, rows, namespaces=["a"])
    assert (written.rows, written.changed) == (3, True)
    assert _stored(warehouse, CANDIDATES).equals(rows)
    kept = before & set(DeltaTable(tmp_path / "a" / "candidates").file_uris())
    assert {part for path in kept for part in Path(path).parts if "day=" in part} == {
        "day=2026-02-01"
    }


def test_a_column_declared_later_is_empty_in_old_rows(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.write(FUNNEL, _gates(a=1, b=1))
    columns = dict(FUNNEL.columns) | {"note": Column(TEXT, "Added later.", null=True)}
    wider = replace(FUNNEL, columns=columns)
    assert warehouse.read(wider).collect()["note"].to_list() == [None, None]
    noted = _gates(b=1).with_columns(note=pl.lit("new"))
    warehouse.write(wider, noted, namespaces=["b"])
    assert _stored(warehouse, wider)["note"].to_list() == [None, "new"]
    assert _stored(warehouse, FUNNEL).equals(_gates(a=1, b=1))
    warehouse.write(FUNNEL, _gates(a=2))
    assert warehouse.read(wider).collect()["note"].to_list() == [None]
    assert warehouse.append(wider, _gates(b=1).with_columns(note=pl.lit("again"))).changed
    assert _stored(warehouse, wider)["note"].to_list() == [None, "again"]


def test_upkeep_keeps_what_publications_name_and_changes_no_version(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path).of("a")
    for number in range(5):
        warehouse.write(FUNNEL, _gates(a=number))
    removed = warehouse.maintain(FUNNEL, keep={1}, retention=timedelta(0))
    assert removed == 3
    assert warehouse.version(FUNNEL) == 4
    assert warehouse.write(FUNNEL, _gates(a=4)) == (4, 1, False)
    assert warehouse.read(FUNNEL, version=1).collect()["rows_in"].to_list() == [1]
    assert warehouse.read(FUNNEL, version=2).collect().height == 1  # held
    with pytest.raises(Damaged):
        Warehouse(tmp_path).of("a").read(FUNNEL, version=2).collect()
    before = DeltaTable(tmp_path / "a" / "funnel").version()
    assert warehouse.maintain(FUNNEL, keep={1}, retention=timedelta(0)) == 0
    assert DeltaTable(tmp_path / "a" / "funnel").version() == before


def test_upkeep_compacts_many_small_files(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path).of("a")
    gates = _gates(**{f"a{number:02}": number for number in range(40)})
    for batch in gates.iter_slices(1):
        warehouse.append(FUNNEL, batch)
    last = warehouse.version(FUNNEL)
    warehouse.maintain(FUNNEL)
    assert len(DeltaTable(tmp_path / "a" / "funnel").file_uris()) == 1
    assert warehouse.write(FUNNEL, gates) == (last, 40, False)


def _write_for_ever(folder: Path, started: Event) -> None:
    warehouse, rows = Warehouse(folder), _rows(CANDIDATES, 4000).filter(namespace="a")
    for number in range(10_000):
        warehouse.write(CANDIDATES, rows.with_columns(content=pl.lit(str(number))))
        started.set()


@pytest.mark.faults
def test_a_kill_in_the_middle_leaves_the_last_version_readable(tmp_path: Path) -> None:
    FORKSERVER.set_forkserver_preload([__name__])
    for delay in (0.0, 0.013, 0.029, 0.04, 0.055):
        started = FORKSERVER.Event()
        writer = FORKSERVER.Process(target=_write_for_ever, args=(tmp_path, started))
        writer.start()
        assert started.wait(60)
        time.sleep(delay)
        assert writer.pid
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        left = Warehouse(tmp_path).read(CANDIDATES).collect()
        assert left.height == 2000
        assert left["content"].n_unique() == 1
    assert Warehouse(tmp_path).write(CANDIDATES, _rows(CANDIDATES)).changed


def test_a_home_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "my home, 100 % tidy" / "täglich #1"
    folder.mkdir(parents=True)
    warehouse = Warehouse(folder)
    rows = pl.DataFrame(
        {"namespace": ["a", "b"], "stage": ["s", "s"], "gate": ["g", "g"], "rows_in": [2, 3],
         "passed": [1, 3], "rejected": [1, 0], "rate": [0.5, 1.0]}
    )  # fmt: skip
    warehouse.write(FUNNEL, rows)
    warehouse.write(FUNNEL, rows.filter(namespace="a").with_columns(rows_in=4), namespaces=["a"])
    warehouse.of("a").maintain(FUNNEL)
    assert warehouse.read(FUNNEL, namespace="a").collect()["rows_in"].to_list() == [4]
    assert warehouse.read(FUNNEL).collect().height == 2


def test_a_table_that_was_made_anew_is_not_taken_for_the_one_before(tmp_path: Path) -> None:
    warehouse, rows = Warehouse(tmp_path), _rows(CANDIDATES).filter(namespace="a")
    warehouse.write(CANDIDATES, rows)
    assert warehouse.read(CANDIDATES).collect().height == rows.height
    shutil.rmtree(tmp_path / "a" / CANDIDATES.name)
    assert warehouse.read(CANDIDATES).collect().is_empty()
    Warehouse(tmp_path).write(CANDIDATES, rows.head(1))
    assert warehouse.read(CANDIDATES).collect().height == 1


@pytest.mark.parametrize("name", [n for n, t in TABLES.items() if "namespace" in t.key])
def test_amending_gives_what_writing_all_gives_and_is_seen_as_a_change(
    tmp_path: Path, name: str
) -> None:
    table = TABLES[name]
    rows = _rows(table, 12)
    own, others = rows.filter(pl.col("namespace") == "a"), rows.filter(pl.col("namespace") != "a")
    warehouse = Warehouse(tmp_path)
    warehouse.write(table, pl.concat([own.head(3), others]))
    for gone, come in ((own.head(0), own.slice(3)), (own.slice(1, 3), own.head(0))):
        since = warehouse.version(table, "a")
        before = warehouse.read(table, namespace="a").collect()
        change = Change(come, gone)
        written = warehouse.apply_change(table, change, namespace="a")
        assert written.version == warehouse.version(table, "a")
        seen = warehouse.changes(table, since, namespace="a")
        assert seen is not None
        assert_frame_equal(seen.come.sort(table.key), come, check_exact=True)
        assert_frame_equal(seen.gone.sort(table.key), gone, check_exact=True)
        now = warehouse.read(table, namespace="a").collect()
        assert_frame_equal(
            now.sort(table.key), with_change(before, change).sort(table.key), check_exact=True
        )
    left = warehouse.read(table).filter(pl.col("namespace") != "a").collect()
    assert_frame_equal(left.sort(table.key), others.sort(table.key), check_exact=True)


@pytest.mark.usefixtures("large")
def test_only_files_with_rows_that_go_are_written_again(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path).of("n")
    rows = _gates(**{f"a{number}": number for number in range(60)})
    rows = rows.with_columns(namespace=pl.lit("n"))
    warehouse.write(FUNNEL, rows.head(50), namespaces=["n"])
    (large,) = warehouse._part("n")._open(FUNNEL).file_uris()
    warehouse.apply_change(FUNNEL, Change(rows.slice(50), rows.head(0)), namespace="n")
    changed = rows.slice(55, 1).with_columns(rows_in=pl.lit(99, pl.Int64))
    warehouse.apply_change(FUNNEL, Change(changed, rows.slice(55, 1)), namespace="n")
    assert large in warehouse._part("n")._open(FUNNEL).file_uris()
    stored = warehouse.read(FUNNEL).collect().sort("gate")
    assert stored.equals(pl.concat([rows.head(55), changed, rows.slice(56)]).sort("gate"))


def _noted(*stages: str, outcome: str = "done") -> pl.DataFrame:
    return WORK.frame(
        {
            "namespace": "default", "stage": stage, "unit": "*", "input_hash": "1", "day": None,
            "fingerprint": "f", "attempts": 1, "outcome": outcome, "rows": 0,
        }
        for stage in stages
    )  # fmt: skip


def test_what_is_gathered_is_one_commit_and_read_before(tmp_path: Path) -> None:
    tables = Tables(str(tmp_path), "default")
    tables.write(WORK, _noted("a"))
    tables.gather(WORK)
    for noted in (_noted("a", "b"), _noted("a", "b", "c"), _noted("b", "c")):
        tables.write(WORK, noted)
        assert_frame_equal(tables.read(WORK).collect(), noted)
        assert_frame_equal(Tables(str(tmp_path), "default").read(WORK).collect(), _noted("a"))
    assert tables.is_gathered_anew(WORK)
    assert tables.commit_gathered(WORK).version == 1
    assert_frame_equal(Tables(str(tmp_path), "default").read(WORK).collect(), _noted("b", "c"))
    tables.gather(WORK)
    assert not tables.is_gathered_anew(WORK)
    assert not tables.commit_gathered(WORK).changed
    assert tables.write(WORK, _noted("d")).version == 2  # nothing is gathered any more


def test_what_another_writer_changed_beside_what_is_gathered_stays(tmp_path: Path) -> None:
    one, other = (Tables(str(tmp_path), "default") for _ in range(2))
    one.write(WORK, _noted("a", "b", "c"))
    one.gather(WORK)
    one.write(WORK, pl.concat([_noted("a", "d"), _noted("b", outcome="failed")]))  # c goes
    other.write(WORK, pl.concat([_noted("c", "e"), _noted("b", outcome="empty")]))  # a goes
    one.commit_gathered(WORK)
    left = one.read(WORK).select("stage", "outcome").sort("stage").collect()
    assert left.rows() == [("b", "failed"), ("d", "done"), ("e", "done")]


def test_what_is_gathered_for_long_is_committed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.resources.warehouse.gathered.LONGEST", 0)
    tables = Tables(str(tmp_path), "default")
    tables.gather(WORK)
    tables.write(WORK, _noted("a"))
    assert_frame_equal(Tables(str(tmp_path), "default").read(WORK).collect(), _noted("a"))
    assert not tables.is_gathered_anew(WORK)
    tables.write(WORK, _noted("a", "b"))
    assert_frame_equal(Tables(str(tmp_path), "default").read(WORK).collect(), _noted("a", "b"))
