"""`cairn upgrade`, on the stored home of an older Cairn."""

import tarfile
from pathlib import Path

from cairn.resources.home.home import SCHEMA_VERSION
from tests.resources.upgrade.test_upgrade import ARCHIVE, content
from tests.serving.conftest import Ask


def test_the_command_tells_what_it_does_and_does_it(tmp_path: Path, run_cairn: Ask) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    home = tmp_path / "schema-1" / "home"
    before = content(home)
    told = run_cairn("--home", home, "upgrade", "--dry-run")
    assert (told.code, content(home)) == (0, before)
    assert "would be upgraded from schema 1" in told.out
    assert "refusals → rejected_facts, 21 rows" in told.out
    done = run_cairn("--home", home, "upgrade", "--json").json
    assert (done["from_version"], done["to_version"]) == (1, SCHEMA_VERSION)
    assert "Nothing to upgrade" in run_cairn("--home", home, "upgrade").out
    nowhere = run_cairn("--home", tmp_path / "nowhere", "upgrade")
    assert (nowhere.code, "is not there" in nowhere.err) == (1, True)
