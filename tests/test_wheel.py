"""What is installed from a wheel: one root, and nothing that only a checkout has."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.places import ROOT

SEEN = """
import json, os, sys
sys.path = [entry for entry in sys.path if not os.path.isfile(os.path.join(entry, "Makefile"))]
sys.path.insert(0, sys.argv[1])
import cairn
from cairn.knowledge.ingest.adapters import own_adapters
from cairn.pipelines.definitions import defs
from cairn.resources.home.home import SAMPLES_FOLDER, find_home
from cairn.resources.embedders.calibrations import CALIBRATION
from cairn.serving.cli.main import cairn as commands
print(json.dumps({
    "root": cairn.__file__, "home": str(find_home()),
    "samples": len(list(SAMPLES_FOLDER.rglob("*.jsonl"))),
    "assets": len(list(defs.get_repository_def().asset_graph.get_all_asset_keys())),
    "adapters": sorted(own_adapters()), "calibration": CALIBRATION.is_dir(),
    "houses": sorted({"assets", "knowledge", "pipelines", "resources", "serving"} & {*sys.modules}),
}))
"""


@pytest.mark.slow
def test_a_wheel_has_one_root_and_works_outside_a_checkout(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:
        names = {name.split("/")[0] for name in packed.namelist()}
        packed.extractall(site)
    assert names == {"cairn", f"{wheel.name.split('-py3')[0]}.dist-info"}
    done = subprocess.run(
        [sys.executable, "-c", SEEN, str(site)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert Path(seen["root"]).is_relative_to(site)
    assert seen["home"] == str(tmp_path / ".local/share/cairn")
    assert seen["samples"] > 20
    assert seen["assets"] > 30
    assert {"chat", "claude_code", "codex", "gemini_cli", "inbox", "searches"} <= {
        *seen["adapters"]
    }
    assert seen["calibration"]
    assert seen["houses"] == []
