"""A year of made-up sessions of the samples' person, where what is at hand is known of each prompt.

Mira works on her two projects, about a session each week. Most prompts are of
matters that never came up before; some come back, in other words. Commands fail now and then, a few
for the same reason as weeks before, and what ends each error is always the same; only that one
(`docker stop`) names nothing of its error, so nobody can tell that it did.
"""

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

HOME = "/home/mira/code"
BEGINS = datetime(2025, 4, 1, 9, tzinfo=UTC)
SESSIONS = 52
FAILING = 0.5
"""Share of matters over which something fails."""
AGAIN = 0.15
"""Share of prompts that come back to a matter of before."""
ORDERED = 0.1
"""Share of sessions in which Mira says how she wants things from now on."""


class Trouble(NamedTuple):
    """An error: what fails, what it says, and what ends it."""

    command: str
    output: str
    repair: str
    """The command in another form, or what is run before it passes."""
    helps: str
    """What stands in an offer that helps: names that errors differ in are slots there."""


TROUBLES = {
    "harbor-backup": (
        Trouble(
            "uv run pytest tests/test_wake.py",
            "ModuleNotFoundError: No module named 'wakeonlan'",
            "uv add wakeonlan",
            "uv add <name>",
        ),
        Trouble(
            "uv run harbor run --target notes",
            "harbor: error: HARBOR_KEY is not set",
            "HARBOR_KEY=$(pass show harbor) uv run harbor run --target notes",
            "Set `HARBOR_KEY`",
        ),
        Trouble(
            "uv run pytest tests/test_zstd.py",
            "ModuleNotFoundError: No module named 'zstandard'",
            "uv add zstandard",
            "uv add <name>",
        ),
        Trouble(
            "uv run mypy src",
            'src/config.py:3: error: Library stubs not installed for "yaml"  [import-untyped]\n'
            'src/config.py:3: note: Hint: "python3 -m pip install types-PyYAML"\n'
            "Found 1 error in 1 file (checked 14 source files)",
            "uv add --dev types-PyYAML",
            "types-PyYAML",
        ),
        Trouble(
            "./scripts/restore.sh",
            "bash: ./scripts/restore.sh: Permission denied",
            "chmod +x scripts/restore.sh",
            "chmod +x",
        ),
        Trouble(
            "shellcheck scripts/restore.sh",
            "bash: shellcheck: command not found",
            "sudo apt-get install -y shellcheck",
            "install -y shellcheck",
        ),
    ),
    "lantern-shop": (
        Trouble(
            "npm run test:checkout",
            "Error: Cannot find module 'decimal.js'",
            "npm install decimal.js",
            "npm install <name>",
        ),
        Trouble(
            "npm run dev",
            "Error: listen EADDRINUSE: address already in use :::8080",
            "docker stop lantern-proxy",
            "lantern-proxy",
        ),
        Trouble(
            "npm run db:migrate",
            "Error: DATABASE_URL is not set",
            "DATABASE_URL=postgres://localhost/lantern npm run db:migrate",
            "Set `DATABASE_URL`",
        ),
        Trouble(
            "npm run build",
            "Error: Cannot find module '@lantern/money'",
            "npm install @lantern/money",
            "npm install <name>",
        ),
        Trouble(
            "hadolint Dockerfile",
            "bash: hadolint: command not found",
            "brew install hadolint",
            "brew install hadolint",
        ),
    ),
}  # fmt: skip

MATTERS = {
    "harbor-backup": (
        "the retention of monthly archives", "the checksum file of an archive", "waking the NAS",
        "the restore drill of photos", "bandwidth limits during the day", "the exclude patterns",
        "the mail after a failed night", "encryption keys of the archive", "the systemd timer",
        "progress bars of long transfers", "resuming after a lost connection", "the dry run flag",
        "hard links between snapshots", "sparse files of virtual machines", "the config loader",
        "log rotation", "a status page", "file names with umlauts", "extended attributes",
        "the size estimate", "parallel compression", "the Raspberry Pi image", "the changelog",
        "database dumps before a backup", "symbolic links that point outside", "the exit codes",
        "time zones in archive names", "the disk that is nearly full", "a second target abroad",
        "type hints of the scheduler", "the integration test of rsync", "verbosity levels",
    ),
    "lantern-shop": (
        "rounding in the cart", "the product page on phones", "gift cards", "the search field",
        "VAT for other countries", "the newsletter form", "image thumbnails", "the order mail",
        "stock that runs out", "cookies and consent", "the admin login", "refunds", "wish lists",
        "shipping by weight", "the health check of the proxy", "invoices as PDF", "dark mode",
        "translations of the footer", "a sitemap", "rate limits of the contact form",
        "discounts", "the seed data", "order numbers", "the font licence", "keyboard navigation",
        "feature flags", "session timeouts", "the deployment to staging", "bundle size",
    ),
}  # fmt: skip

ASKED = (
    "Please look at {matter}: something is off there.", "Can you add a test for {matter}?",
    "Now let us improve {matter}.", "How does {matter} work at the moment?",
    "I would like to rework {matter} a little.", "What do we do about {matter}?",
    "Clean up the code around {matter}.", "There was a complaint about {matter}.",
)  # fmt: skip
NEXT = ("Looks good, go on.", "Yes, please.", "Commit that.", "ok", "And the docs?", "Thanks!")
ORDERS = {
    "harbor-backup": (
        "Always run `uv run pytest` before you commit.", "Never delete archives without asking me.",
        "I prefer pathlib over os.path.", "Never start a backup on the NAS while I work.",
    ),
    "lantern-shop": (
        "Always run `npm run lint` before you push.", "We use pnpm on CI only, npm here.",
        "Never change prices in the seed data.", "I prefer small commits over large ones.",
    ),
}  # fmt: skip


class Prompted(NamedTuple):
    """A prompt of the year, and what it is about; empty for a word of assent."""

    text: str
    matter: str


class MadeUpSession(NamedTuple):
    """A session: its transcript, and what happened in it in order."""

    id: str
    project: str
    cwd: str
    begins: datetime
    lines: list[dict[str, Any]]
    happened: list[Prompted | Trouble]


def year(seed: int = 0) -> Iterator[MadeUpSession]:
    """SESSIONS sessions in the order of their starts, the same for each seed."""
    dice = random.Random(seed)
    days = sorted(dice.uniform(0, 365) for _ in range(SESSIONS))
    fresh = {name: dice.sample(matters, len(matters)) for name, matters in MATTERS.items()}
    before: dict[str, list[str]] = {name: [] for name in MATTERS}
    for number, day in enumerate(days):
        project = dice.choice(sorted(MATTERS))
        session = _Writer(
            str(uuid.UUID(int=dice.getrandbits(128), version=4)), project,
            BEGINS + timedelta(days=int(day), hours=day % 1 * 9),
        )  # fmt: skip
        if number and dice.random() < ORDERED:
            session.asked(dice.choice(ORDERS[project]), "")
            session.answered("Understood.")
        for _ in range(dice.choice((1, 1, 2))):
            known = before[project]
            if known and (dice.random() < AGAIN or not fresh[project]):
                matter = dice.choice(known)
            else:
                matter = fresh[project].pop()
                known.append(matter)
            session.asked(dice.choice(ASKED).format(matter=matter), matter)
            session.answered(f"I looked at {matter}, and changed what was wrong there.")
            if dice.random() < FAILING:
                session.failed(dice.choice(TROUBLES[project]))
            for _ in range(dice.choice((0, 1, 1, 2))):
                session.asked(dice.choice(NEXT), "")
                session.answered("Done.")
        yield session.made


class _Writer:
    """Writes a session as Claude Code does."""

    def __init__(self, session: str, project: str, begins: datetime) -> None:
        self.made = MadeUpSession(session, project, f"{HOME}/{project}", begins, [], [])
        self._numbers = count(1)

    def asked(self, text: str, matter: str) -> None:
        self.made.happened.append(Prompted(text, matter))
        self._line("user", text)

    def answered(self, text: str) -> None:
        self._line("assistant", [{"type": "text", "text": text}])

    def failed(self, trouble: Trouble) -> None:
        """A command fails, what ends that is run, and the command again."""
        self._run(trouble.command, trouble.output, error=True)
        self.made.happened.append(trouble)
        self._run(trouble.repair, "done", error=False)
        if not trouble.repair.endswith(trouble.command):
            self._run(trouble.command, "ok", error=False)

    def _run(self, command: str, output: str, *, error: bool) -> None:
        call = f"toolu_{self.made.id[:8]}{next(self._numbers):06}"
        self._line(
            "assistant",
            [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}],
        )
        told = f"Exit code 1\n{output}" if error else output
        result = {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": error}
        self._line("user", [result])

    def _line(self, role: str, content: str | list[dict[str, Any]]) -> None:
        made = self.made
        number = len(made.lines)
        at = made.begins + timedelta(seconds=20 * number)
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            message |= {
                "id": f"msg_{made.id[:8]}{number:06}",
                "model": "made-up",
                "type": "message",
            }
        made.lines.append({
            "type": role, "sessionId": made.id, "cwd": made.cwd, "version": "2.1.39",
            "isSidechain": False, "userType": "external", "message": message,
            "parentUuid": made.lines[-1]["uuid"] if made.lines else None,
            "uuid": str(uuid.uuid5(uuid.UUID(made.id), str(number))),
            "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z",
        })  # fmt: skip


def write(session: MadeUpSession, folder: Path) -> Path:
    """Writes the transcript, as the agent's own file."""
    file = folder / f"{session.id}.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in session.lines), encoding="utf-8")
    return file
