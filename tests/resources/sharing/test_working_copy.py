"""Files of a namespace go to a store and come from it: as they are, whole, or not at all."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.resources.home.home import SCHEMA_VERSION, HomeError, open_home
from cairn.resources.sharing import working_copy as module
from cairn.resources.sharing.shared_files import SharedFiles
from cairn.resources.sharing.snapshot import NamespaceSnapshot, PackedFile
from cairn.resources.sharing.store import SharedStore
from cairn.resources.sharing.working_copy import SnapshotRefused, WorkingCopy

Made = Callable[[str], WorkingCopy]


class KilledError(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return lambda name: _copy(tmp_path, name)


def _copy(folder: Path, name: str) -> WorkingCopy:
    """One namespace of a home, that shares with all of the folder."""
    home = folder / name
    home.mkdir(exist_ok=True)
    return WorkingCopy(open_home(home), "one", SharedStore(str(folder / "store")))


def _write(copy: WorkingCopy, name: str, content: bytes) -> None:
    path = copy.files.tables / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _tables(copy: WorkingCopy) -> dict[str, bytes]:
    folder = copy.files.tables
    there = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in there}


def _packs(copy: WorkingCopy) -> int:
    return sum(one.size for one in copy.store.listed("one/packs"))


def test_only_what_changed_is_put_and_comes_as_it_was(made: Made) -> None:
    first, second = made("a"), made("b")
    noise, zeros = os.urandom(100_000), bytes(1_000_000)
    _write(first, "records/part-1.parquet", noise)
    _write(first, "records/_delta_log/0.json", b'{"add": 1}\n' * 1_000)
    _write(first, "records/sparse", zeros + b"x" + zeros)
    assert first.push()
    assert not first.push()
    before = _packs(first)
    assert before < 110_000  # the rest is compressed
    assert second.pull()
    assert not second.pull()
    assert _tables(second) == _tables(first)
    sparse = [copy.files.tables / "records" / "sparse" for copy in (first, second)]
    assert sparse[0].stat().st_mtime_ns == sparse[1].stat().st_mtime_ns
    assert sparse[1].stat().st_blocks * 512 < 200_000
    assert not second.push()
    _write(second, "records/part-2.parquet", b"more")
    (second.files.tables / "records" / "part-1.parquet").touch()  # the same, later
    (second.files.tables / "records" / "sparse").unlink()
    assert second.push()
    assert _packs(first) == before + len(b"more")
    assert first.pull()
    assert _tables(first) == _tables(second)
    assert not first.changed()


def test_of_two_that_pushed_at_once_the_second_starts_again(made: Made) -> None:
    first, second = made("a"), made("b")
    _write(first, "facts/0", b"common")
    first.push()
    second.pull()
    for copy in (first, second):
        _write(copy, "facts/1", str(copy.home.root).encode())
    assert first.push()
    with pytest.raises(SnapshotRefused):
        second.push()
    assert second.changed("warehouse/facts/")
    assert not second.pull(if_pushed=True)
    assert second.pull()
    assert _tables(second) == _tables(first)


def test_each_home_appends_to_an_inbox_of_its_own(made: Made) -> None:
    first, second = made("a"), made("b")
    month = [copy.home.inbox / "one" / "2026-11.jsonl" for copy in (first, second)]
    for file, line in zip(month, (b"said here\n", b"said there\n"), strict=True):
        file.parent.mkdir()
        file.write_bytes(line)
    assert first.push()
    assert second.pull()
    assert second.push()
    month[0].write_bytes(b"said here\nand more\n")
    assert first.pull()
    assert month[0].read_bytes() == b"said here\nand more\n"
    assert month[1].read_bytes() == b"said there\n"
    theirs = [next(file.parent.glob("*@*")).read_bytes() for file in month]
    assert theirs == [b"said there\n", b"said here\n"]
    assert first.push()
    assert second.pull()
    assert next(month[1].parent.glob("*@*")).read_bytes() == b"said here\nand more\n"
    month[0].unlink()  # a home that was lost gets its own again
    _write(second, "facts/1", b"new")
    second.push()
    assert first.pull()
    assert month[0].read_bytes() == b"said here\nand more\n"


def test_what_no_snapshot_needs_is_tidied_away(made: Made) -> None:
    first, second = made("a"), made("b")
    for number in range(6):
        _write(first, "facts/stays", b"stays")
        _write(first, "facts/goes", str(number).encode() * 100)
        first.push()
    assert len(first.store.listed("one/packs")) == 6
    first.tidy()
    assert len(first.store.listed("one/snapshots")) == module.KEPT
    (first.files.tables / "facts" / "goes").unlink()
    first.tidy(thorough=True)
    assert len(first.store.listed("one/snapshots")) == 1
    assert _packs(first) == len(b"stays")
    assert second.pull()
    assert _tables(second) == {"facts/stays": b"stays"}


def test_tables_that_were_made_before_anything_was_shared_are_not_replaced(made: Made) -> None:
    first, second = made("a"), made("b")
    for copy in (first, second):
        _write(copy, "records/_delta_log/0.json", str(copy.home.root).encode())
    first.push()
    before = _tables(second)
    with pytest.raises(HomeError, match=r"move .* away"):
        second.pull()
    assert _tables(second) == before


@pytest.mark.parametrize("name", [
    "warehouse/../../escaped", "/etc/passwd", "warehouse//x", "index", "home/cairn.toml",
    "inbox/other/../../x", "inbox/x", "",
])  # fmt: skip
def test_a_snapshot_writes_nowhere_else(made: Made, name: str) -> None:
    first, second = made("a"), made("b")
    _write(first, "facts/0", b"x")
    first.push()
    (part,) = first.known.files.values()
    forged = NamespaceSnapshot(2, {name: part, "warehouse/facts/1": part}, "x")
    first.store.put("one/snapshots/000000000002", forged.encoded())
    with pytest.raises(HomeError, match="names"):
        second.pull()
    assert _tables(second) == {}


@pytest.mark.parametrize("content", [
    b"", b"{}", NamespaceSnapshot(1, {}).encoded()[:-9],
    NamespaceSnapshot(1, {"warehouse/a": PackedFile("one/packs/gone", 0, 1, 1, 0, "")}).encoded(),
])  # fmt: skip
def test_what_is_no_snapshot_changes_nothing(made: Made, content: bytes) -> None:
    copy = made("a")
    copy.store.put("one/snapshots/000000000001", content)
    with pytest.raises((HomeError, FileNotFoundError)):
        copy.pull()
    assert copy.known == NamespaceSnapshot()


def test_a_pack_that_was_lost_is_put_again_by_a_home_that_has_it(made: Made) -> None:
    first, second = made("a"), made("b")
    for number in range(2):
        _write(first, f"facts/{number}", str(number).encode() * 9)
        first.push()
    first.store.delete([first.known.files["warehouse/facts/0"].pack])
    with pytest.raises(HomeError, match="`cairn verify --night` in a home"):
        second.pull()
    first.tidy()
    assert second.pull()
    assert _tables(second) == _tables(first)


@pytest.mark.parametrize("address", ["the same", "another"])
def test_what_was_pushed_elsewhere_is_pushed_as_a_whole_to_another_store(
    made: Made, tmp_path: Path, address: str
) -> None:
    first, second = made("a"), made("b")
    for number in range(3):
        _write(first, "facts/0", str(number).encode())
        first.push()
    place = tmp_path / "store"
    if address == "the same":
        shutil.rmtree(place)
    else:
        place = tmp_path / "elsewhere"
        first.store = second.store = SharedStore(str(place))
    assert not first.pull()
    assert first.push()
    assert second.pull()
    assert _tables(second) == {"facts/0": b"2"}
    # What others pushed to a store that was put back replaces nothing that could not be kept.
    _write(first, "records/_delta_log/0.json", b"x")
    first.push()
    other = made("c")
    shutil.rmtree(place)
    other.store = first.store
    _write(other, "facts/0", b"of others")
    other.push()
    kept: list[bool] = []
    assert first.pull(before=lambda: kept.append(first.has_unpushed()))
    assert kept == [True]
    # In another place it is somebody else's.
    _write(first, "records/_delta_log/0.json", b"x")
    first.store = other.store = SharedStore(str(tmp_path / "third"))
    other.push()
    with pytest.raises(HomeError, match=r"move .* away"):
        first.pull()


def test_who_pushes_so_late_that_its_place_was_tidied_away_is_refused(made: Made) -> None:
    first, late = made("a"), made("b")
    _write(first, "facts/0", b"common")
    first.push()
    late.pull()
    for number in range(3):
        _write(first, "facts/0", str(number).encode())
        first.push()
    first.tidy(thorough=True)
    _write(late, "facts/0", b"late")
    with pytest.raises(SnapshotRefused):
        late.push()
    assert late.pull()
    assert _tables(late) == {"facts/0": b"2"}
    assert [one.name for one in first.store.listed("one/snapshots")] == [
        "one/snapshots/000000000005"
    ]


def test_what_was_damaged_in_the_store_is_not_taken(made: Made) -> None:
    first, second = made("a"), made("b")
    _write(first, "facts/0", os.urandom(5_000))
    first.push()
    (pack,) = first.store.listed("one/packs")
    content = bytearray(first.store.get(pack.name))
    content[77] ^= 1
    first.store.put(pack.name, bytes(content))
    with pytest.raises(HomeError, match="is damaged"):
        second.pull()
    assert _tables(second) == {}


def test_what_a_kill_left_of_a_file_goes(made: Made) -> None:
    first, second = made("a"), made("b")
    _write(first, "facts/0", b"x")
    first.push()
    _write(second, "facts/0.parquet.7.partial", b"quince")
    left = Path(first.store.address) / "one" / "packs" / "zz#1"
    left.write_bytes(b"quince")
    second.pull()
    first.tidy()
    assert not left.exists()
    assert _tables(second) == {"facts/0": b"x"}


def test_a_copy_of_a_home_is_another_one(made: Made, tmp_path: Path) -> None:
    first = made("a")
    name = first.files.home_id
    assert made("a").files.home_id == name
    shutil.copytree(first.home.root, tmp_path / "b")
    assert made("b").files.home_id != name
    (first.home.root / "home_id").write_text("")
    assert len(made("a").files.home_id) == 12


OTHERS = ((SCHEMA_VERSION + 1, "update this one"), (SCHEMA_VERSION - 1, "have it run once"))


@pytest.mark.parametrize(("schema", "told"), OTHERS)
def test_what_a_cairn_of_another_schema_pushed_is_left_alone(
    made: Made, schema: int, told: str
) -> None:
    first, second = made("a"), made("b")
    _write(first, "facts/0", b"x")
    first.push()
    second.pull()
    _write(first, "facts/0", b"of another form")
    first.push()
    other = replace(first.known, schema=schema)
    first.store.put("one/snapshots/000000000002", other.encoded())
    with pytest.raises(HomeError, match=told):
        second.pull()
    assert _tables(second) == {"facts/0": b"x"}


STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["write", "drop", "sync", "push", "tidy", "read"]),
              st.sampled_from(["a/1", "a/2", "b/1"]), st.binary(max_size=3)),
    max_size=25,
)  # fmt: skip


@given(steps=STEPS, killed=st.integers(0, 12), how=st.sampled_from(["put", "put_new", "write"]))
def test_whatever_homes_do_each_is_some_whole_push(
    steps: list[tuple[int, str, str, bytes]], killed: int, how: str
) -> None:
    """Killed at any place, too: what is in the store then is as before, or as after."""
    folder = Path(mkdtemp())
    copies, reads = [_copy(folder, name) for name in ("x", "y")], _copy(folder, "reads")
    pushed: list[dict[str, bytes]] = [{}]

    def push(copy: WorkingCopy, *, tidy: bool = False) -> None:
        wanted = _tables(copy)
        try:
            copy.tidy() if tidy else copy.push()
        except SnapshotRefused:
            assert copy.newest() > copy.known.number
        else:
            pushed.append(wanted)

    owner = SharedFiles if how == "write" else SharedStore
    real, left = getattr(owner, how), [killed]

    def dying(self: object, *args: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            raise KilledError
        return real(self, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, how, dying)
        for number, step, name, content in steps:
            copy = copies[number]
            try:
                if step == "write":
                    _write(copy, name, content)
                elif step == "read":
                    reads.pull(if_pushed=True)
                elif step == "drop":
                    (copy.files.tables / name).unlink(missing_ok=True)
                else:
                    if step == "sync":
                        copy.pull()
                    push(copy, tidy=step == "tidy")
            except KilledError:
                pushed.append(_tables(copy))  # it may have come that far, or not
    third = _copy(folder, "third")
    third.pull()
    assert _tables(third) in pushed
    reads.pull(if_pushed=True)
    assert _tables(reads) == _tables(third)
    for copy in copies:
        copy.pull()
        if not copy.changed():
            assert _tables(copy) == _tables(third)


def test_a_home_that_was_upgraded_pushes_for_others_of_its_schema(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = made("a"), made("b")
    _write(first, "facts/0", b"of a form that stays")
    with monkeypatch.context() as before:
        older = partial(NamespaceSnapshot, schema=SCHEMA_VERSION - 1)
        before.setattr(module, "NamespaceSnapshot", older)
        first.push()
    with pytest.raises(HomeError, match="have it run once"):
        second.pull()
    assert first.is_outdated
    assert not first.has_unpushed()  # a reader of its kind goes on pulling
    assert first.push()
    assert not first.is_outdated
    second.pull()
    assert _tables(second) == _tables(first)
    assert [first.push(), second.push()] == [False, False]
