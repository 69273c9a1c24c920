"""What starts the service: files as systemd and launchd read them."""

import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from cairn.serving.runtime.units import launchd_agent, systemd_unit

HOME = '/srv/50% of it/"Cairn\'s" $HOME\\n'


def test_a_unit_of_systemd() -> None:
    command = ["/opt/100%/py thon$", "-m", "cairn", "up", "--host", "%h ${HOME} é\n"]
    assert systemd_unit(command, {"CAIRN_HOME": HOME}) == (
        "# Written by `cairn up`, which can take it away again.\n"
        "[Unit]\n"
        "Description=Cairn: takes in logs, makes knowledge of them, answers over HTTP\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        'Environment="CAIRN_HOME=/srv/50%% of it/\\"Cairn\'s\\" $HOME\\\\n"\n'
        'ExecStart="/opt/100%%/py thon$" "-m" "cairn" "up" "--host" "%%h $${HOME} é\\x0a"\n'
        "Restart=on-failure\n"
        "RestartSec=10\n"
        "KillMode=mixed\n"
        "TimeoutStopSec=60\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )
    with pytest.raises(ValueError, match="systemd starts no program with quotes"):
        systemd_unit(['/opt/"x"/python'], {})


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_reads_it(tmp_path: Path) -> None:
    program = tmp_path / "100% $x" / "py thon"
    program.parent.mkdir()
    program.symlink_to("/bin/true")
    unit = tmp_path / "cairn.service"
    for name, fine in ((str(program), True), (f"{program}.gone", False)):
        unit.write_text(systemd_unit([name, "up", "%h ${HOME} é\n"], {"CAIRN_HOME": HOME}))
        read = subprocess.run(
            ["systemd-analyze", "--user", "verify", str(unit)],
            env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if "Failed to initialize manager" in read.stderr:
            pytest.skip("systemd-analyze does not work here")
        assert (read.returncode == 0, str(program) in read.stderr) == (fine, not fine), read.stderr


def test_an_agent_of_launchd() -> None:
    command = ["/opt/py thon", "up", "<&>"]
    made = launchd_agent(command, {"CAIRN_HOME": HOME}, Path("/tmp/x.log"))
    read = plistlib.loads(made.encode())
    assert (read["Label"], read["ProgramArguments"]) == ("cairn", command)
    assert read["EnvironmentVariables"] == {"CAIRN_HOME": HOME}
    assert read["RunAtLoad"] is True
    assert read["KeepAlive"] == {"SuccessfulExit": False}
    assert "Written by `cairn up`" in made
