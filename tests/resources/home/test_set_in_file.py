"""A setting that a command sets: all else in cairn.toml stays, comments too."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.resources.home.home import Home, open_home
from cairn.resources.home.set_in_file import set_in_file
from cairn.resources.home.settings import ConfigError

LINES = st.lists(
    st.sampled_from(
        ["# a comment", "", 'model = "x"  # why', "[policy]", "[storage_options]",
         "search_limit = 5", 'embedder = "old"', '  embedder="older" # old']
    ),
    max_size=8,
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return open_home(tmp_path_factory.mktemp("home") / "home")


@given(lines=LINES, value=st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])))
def test_it_alone_changes(home: Home, lines: list[str], value: str) -> None:
    file = home.root / "cairn.toml"
    file.write_text("\n".join(lines))
    try:
        before = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError:
        with pytest.raises(ConfigError, match=r"write `policy\.embedder"):
            set_in_file(home, "policy", "embedder", value)
        assert file.read_text() == "\n".join(lines)
        return
    set_in_file(home, "policy", "embedder", value)
    after = tomllib.loads(file.read_text())
    assert after.pop("policy") == before.pop("policy", {}) | {"embedder": value}
    assert after == before
    comments = [line for line in lines if "#" in line and "embedder" not in line]
    assert [line for line in file.read_text().split("\n") if line in comments] == comments


@pytest.mark.parametrize(
    "text", ["policy = {search_limit = 5}", 'policy.embedder = "x"', '["policy"]\nsearch_limit = 5']
)
def test_what_is_written_otherwise_is_left_to_a_person(tmp_path: Path, text: str) -> None:
    home = open_home(tmp_path / "home")
    (home.root / "cairn.toml").write_text(text)
    with pytest.raises(ConfigError, match=r'write `policy\.embedder = "y"` there yourself'):
        set_in_file(home, "policy", "embedder", "y")
    assert (home.root / "cairn.toml").read_text() == text
