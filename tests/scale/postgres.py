"""A PostgreSQL server of its own on a free port, with Debian's programs."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [
    Path(name) for name in [shutil.which("initdb")] if name
]
"""`initdb` of each version that is installed; the newest is used."""


class Postgres:
    """The server, which can be restarted."""

    def __init__(self) -> None:
        self.bin = FOUND[-1].parent
        # It does not start for root, nor in a folder that its user cannot pass.
        self.user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        self.place = Path(tempfile.mkdtemp(prefix="cairn-postgres-"))
        if self.user:
            shutil.chown(self.place, **self.user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._do("initdb", "--username=cairn", "--auth=trust", "--no-sync", "--encoding=UTF8")
        self._control("start")

    def database(self, name: str) -> str:
        """Makes one, and answers its address."""
        where = ["--host=127.0.0.1", f"--port={self.port}", "--username=cairn"]
        subprocess.run([self.bin / "createdb", *where, name], check=True)
        return f"postgresql+psycopg2://cairn@127.0.0.1:{self.port}/{name}"

    def restart(self) -> None:
        """Ends all connections at once, as when its machine is updated."""
        self._control("restart")

    def stop(self) -> None:
        """Ends it, and removes what it kept."""
        self._control("stop")
        shutil.rmtree(self.place)

    def _control(self, order: str) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k {self.place}"
        log = self.place / "server.log"
        started = [] if order == "stop" else [f"--log={log}", f"--options={options}"]
        self._do("pg_ctl", order, "--wait", "--mode=fast", *started)

    def _do(self, program: str, *arguments: str) -> None:
        kept = ["--pgdata", str(self.place / "data")]
        subprocess.run(
            [self.bin / program, *arguments, *kept],
            check=True, cwd=self.place, stdout=subprocess.DEVNULL, **self.user,
        )  # fmt: skip
