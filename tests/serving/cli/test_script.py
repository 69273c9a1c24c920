"""The installed command: quick to answer, and its output is what a pipe expects."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from cairn.serving.cli.main import COMMANDS
from tests.homes import copy_home
from tests.serving.conftest import Ask

CAIRN = [sys.executable, "-m", "cairn"]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\n"
        "from cairn.serving.cli.main import cairn\n"
        "told = CliRunner().invoke(cairn, ['--help']).output\n"
        "heavy = {'polars', 'dagster', 'numpy', 'pydantic', 'rich'} & set(sys.modules)\n"
        "print(told); sys.exit(f'{sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in COMMANDS)


def test_whether_anything_is_new_is_known_before_polars_is_loaded() -> None:
    """It takes its number of threads as it is loaded, and that depends on how much is new."""
    code = "import sys, cairn.resources.home.nothing_new; sys.exit('polars' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_command_has_help_with_examples() -> None:
    from click.testing import CliRunner

    from cairn.serving.cli.main import cairn

    for name in COMMANDS:
        told = CliRunner().invoke(cairn, [name, "--help"]).output
        assert f"cairn {name}" in told.split("Examples:")[1], name


def test_output_is_one_json_document_and_nothing_else(home: Path) -> None:
    done = subprocess.run(
        [*CAIRN, "--home", str(home), "search", "sourdough", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["results"]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [(["facts", "--events", "--limit", "1000", "--json"], 10),
     (["facts", "--events", "--limit", "1000"], 10),
     (["config", "search_limit"], 0)],
    ids=["json-10", "table-10", "a line-0"],
)  # fmt: skip
def test_a_reader_that_has_seen_enough_ends_it_quietly(
    home: Path, arguments: list[str], seen: int
) -> None:
    with subprocess.Popen(
        [*CAIRN, "--home", str(home), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(seen)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_second_run_says_that_nothing_changed(ask: Ask) -> None:
    done = ask("run")
    assert done.out.startswith("Nothing changed")
    assert "66 conversations" in done.out
    assert done.err == ""


HOWS = ("--no-report", "--report", "--json")

RUNS = """
import json, sys
from cairn.serving.cli.main import main

home, path, *hows = sys.argv[1:]
sys.path[1:] = json.loads(path)  # what was noted holds where the same code is found
for how in hows:
    sys.argv = ["cairn", "--home", home, "run", how]
    try:
        main()
    except SystemExit as end:
        print(end.code, flush=True)
    print({"dagster", "polars"} & sys.modules.keys(), file=sys.stderr)
"""


def test_that_nothing_is_new_is_told_alike_and_loads_little(home: Path, ask: Ask) -> None:
    properly, noted = "", home / "nothing_new.json"
    for how in HOWS:
        noted.unlink(missing_ok=True)  # what was noted of the run before is what makes one quick
        done = ask("run", how)
        properly += f"{done.out}{done.code}\n"
        assert noted.exists(), "it was looked at properly"
    quickly = subprocess.run(
        [sys.executable, "-c", RUNS, home, json.dumps(sys.path[1:]), *HOWS],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert quickly.stderr == "set()\nset()\n{'polars'}\n"
    told = [re.sub(r'"seconds": [0-9.]+', "", each) for each in (properly, quickly.stdout)]
    assert told[0] == told[1]
    assert told[0].count("Nothing changed") == 2, told[0]


def test_the_version_is_that_of_what_is_installed() -> None:
    done = subprocess.run([*CAIRN, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"cairn {version('cairn-logs')}\n")


def test_a_plug_in_that_does_not_load_is_named_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "logbook.py").write_text("from nowhere import ADAPTER\n")
    package = tmp_path / "logbook-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: logbook\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[cairn.adapters]\nlogbook = logbook:ADAPTER\n")
    done = subprocess.run(
        [*CAIRN, "--home", str(tmp_path / "home"), "dry-run", str(tmp_path / "logbook.py")],
        capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("cairn: adapter logbook of logbook does not load:")
    assert done.stderr.count("\n") == 1


def test_work_goes_on_though_nobody_reads_what_it_tells(
    two_home: Path, tmp_path: Path, run_cairn: Ask
) -> None:
    """`cairn forget ID 2>&1 | head -1` ended in the middle, with 0, and nothing was forgotten."""
    home, ada = copy_home(two_home, tmp_path / "home"), ("--namespace", "ada")
    fact = run_cairn("--home", home, "facts", *ada, "--json").json["items"][0]["fact_id"]
    with subprocess.Popen(
        [*CAIRN, "--home", str(home), "forget", fact, *ada],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as forgetting:  # fmt: skip
        assert forgetting.stdout
        assert forgetting.stdout.readline()
        forgetting.stdout.close()
    assert forgetting.returncode == 0
    gone = run_cairn("--home", home, "show", fact, *ada)
    assert (gone.code, gone.out) == (1, "")
    assert "has the id" in gone.err
