"""Raw logs that rules are tested on, written for these tests."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from cairn.knowledge.extraction.candidates import candidates
from cairn.knowledge.schema.policy import Policy
from cairn.knowledge.schema.tables import RAW_LOGS

Line = Mapping[str, Any]


def human(text: str, **more: Any) -> Line:
    return {"kind": "message", "origin": "human", "role": "user", "text": text, **more}


def agent(text: str, **more: Any) -> Line:
    return {"kind": "message", "origin": "agent", "role": "assistant", "text": text, **more}


def order(text: str, **more: Any) -> Line:
    return {"kind": "command", "origin": "human", "role": "user", "text": text, **more}


def call(tool: str, **inputs: Any) -> Line:
    return {
        "kind": "tool_call",
        "origin": "agent",
        "role": "assistant",
        "tool_name": tool,
        "tool_input": json.dumps(inputs),
    }


def bash(command: str) -> Line:
    return call("Bash", command=command)


def output(text: str, **more: Any) -> Line:
    return {"kind": "tool_result", "origin": "tool", "role": "user", "text": text, **more}


def raw_logs(*conversations: Sequence[Line], project: str | None = "/srv/harbour") -> pl.DataFrame:
    """Conversations c0, c1, … of records c0_0, c0_1, … as rows of raw_logs."""
    return RAW_LOGS.frame(
        {
            "record_id": f"c{number}_{seq}",
            "block": 0,
            "namespace": "default",
            "day": "2026-03-01",
            "source": "claude_code",
            "conversation_id": f"c{number}",
            "episode_id": f"c{number}_0",
            "seq": seq,
            "trigger": "user_message",
            "text": "",
            "is_error": False,
            "project": project,
            "sidechain": False,
            "proactive": False,
            "source_file": "sessions.jsonl",
            "source_line": seq + 1,
            "content_hash": "",
            "redactions": 0,
            **line,
        }
        for number, lines in enumerate(conversations)
        for seq, line in enumerate(lines)
    )


def found_in_each(*conversations: Sequence[Line]) -> list[pl.DataFrame]:
    """What rules find in each conversation, read all at once: a call costs more than a line."""
    found = candidates(raw_logs(*conversations), Policy())
    assert found.failures.is_empty()
    return [
        found.candidates.filter(conversation_id=f"c{number}")
        for number in range(len(conversations))
    ]


SESSION = (
    human("The nightly backup to the NAS failed with exit code 23, see src/jobs/backup.py."),
    agent("Let me look at the job first."),
    bash("sshpass -p '[redacted:sshpass]' ssh root@192.168.20.4 'ls -la'"),
    output("error: total 23 files could not be read"),
    call("Read", file_path="/srv/harbour/src/jobs/backup.py"),
    bash("cd /srv/harbour && rsync -av --partial dist/ backup@nas-2:/volume1/harbour/ | tail -3"),
    agent(
        "It turns out that the NAS exports `/volume1` read-only since the update.\n"
        "The mount failed because the export lacks write permission.\n"
        "```\nERROR: everything in here failed\n```\n"
        "- The fix was to add `rw` to the export and restart the NFS server."
    ),
    call("Edit", file_path="/srv/harbour/src/jobs/backup.py", old_string="a", new_string="b"),
    bash("tar czf /tmp/harbour.tar.gz dist && sha256sum /tmp/harbour.tar.gz > /tmp/harbour.sum"),
    bash("pip install 'paramiko>=3.4' && bash -lc \"pytest -q tests/test_backup.py\""),
    agent("All 12 tests pass, no errors. Added error handling to the job."),
    human(
        "From now on, always run the tests before you commit. We use Restic Vault for offsite "
        "copies, and I prefer small commits. Should we use borg? I wish we used borg."
    ),
    {"kind": "message", "origin": "recalled", "text": "I prefer tabs. The fix was to reboot."},
    {"kind": "message", "origin": "system", "text": "We use spaces. The import failed again."},
)

CHAT = (
    human("Hello, my name is Nadia and I live in Porto.", name="Nadia"),
    agent("Nice to meet you, Nadia!"),
    human("I like sea kayaking. Do you think I should buy a kayak?", name="Nadia"),
    agent("A used kayak is a good start. Sea kayaking needs some training."),
    human('My sister says "I hate boats", but sea kayaking is fun.', name="Nadia"),
    order("/like sea kayaking", name="Nadia"),
)


REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). "
)
STOPPED: Line = {
    "kind": "message",
    "origin": "system",
    "text": "[Request interrupted by user for tool use]",
}


def refusal(call_id: str, said: str = "") -> Line:
    """What an agent notes of a refused call, with what the person typed there."""
    how = f"To tell you how to proceed, the user said:\n{said}" if said else "STOP and wait."
    return output(REFUSED + how, call_id=call_id, is_error=True)


REFUSALS = (
    human(
        "Release the quay service. We agreed to drop the old crane API. Don't touch the vendor "
        "folder."
    ),
    {**bash("cd quay && git push --force origin main 2>&1 | tail -3"), "call_id": "t1"},
    refusal("t1", "never force a push here, open a pull request"),
    {**call("Edit", file_path="/srv/harbour/quay/crane.py", old_string="a"), "call_id": "t2"},
    refusal("t2"),
    STOPPED,
    human("no, use the loader for it. The crane is too old."),
    {**bash("make bench"), "call_id": "t3"},
    refusal("t3"),
    STOPPED,
    human("takes too long on this machine"),
    {**bash("ls quay"), "call_id": "t4"},
    refusal("t4"),
)

CORRECTED: Line = {
    "kind": "decision",
    "origin": "human",
    "text": "I like sea kayaking in summer.",
    "tool_input": json.dumps(
        {
            "decision": "correct",
            "thing": "fact",
            "meant": [
                {"id": "f_1", "type": "person", "entity": "Nadia", "predicate": "states",
                 "object": "I like sea kayaking."}
            ],
        },
        separators=(",", ":"),
    ),
}  # fmt: skip


def question(
    call_id: str, asked: str, *labels: str, several: bool = False, about: str = "", header: str = ""
) -> Line:
    """A call by which an agent asks a person to choose; `about` is said of each option."""
    given = [{"label": label, "description": about} for label in labels]
    asked_one = {"question": asked, "header": header, "options": given, "multiSelect": several}
    return {**call("AskUserQuestion", questions=[asked_one]), "call_id": call_id}


def answer(call_id: str, asked: str, said: str) -> Line:
    """What the agent notes of the person's choice."""
    told = f'User has answered your questions: "{asked}"="{said}". You can now continue.'
    return output(told, call_id=call_id)


OPTIONS = (
    "**Option A — One table per quay**\nSimple.\n\n**Option B — One table for all quays**\n"
    "Fewer joins.\n\nWhich of them do you prefer?"
)
ANSWERS = (
    human("Where do the quays go? Note that the cranes are read from `quay.db`."),
    question("t1", "Where should the tide charts live?", "docs/tides/ (Recommended)", "assets/"),
    answer("t1", "Where should the tide charts live?", "docs/tides/ (Recommended)"),
    agent(OPTIONS),
    human("I like option B, thanks"),
)


IN_PASSING = (
    human("The pilots have no phones on board, so the page has to work without a login."),
    agent("I leave that."),
)


WRITTEN_DOWN = (
    human("Write that down for next time."),
    call(
        "Edit",
        file_path="/srv/harbour/AGENTS.md",
        old_string="# Quays",
        new_string="# Quays\n\n- Never dredge at night: neighbours sleep.\n- Four quays.",
    ),
    call(
        "Write",
        file_path="/home/ada/.claude/projects/-srv-harbour/memory/MEMORY.md",
        content="- The crane of quay 3 is locked by night — the pilot has its key.",
    ),
)


def everything() -> pl.DataFrame:
    """A session about a project, a chat of nothing of the kind, refusals, answers, notes."""
    chat = raw_logs((), CHAT, (CORRECTED,), project=None)
    refused = raw_logs((), (), (), REFUSALS, ANSWERS)
    passing = raw_logs((), (), (), (), (), IN_PASSING, WRITTEN_DOWN)
    return pl.concat([raw_logs(SESSION), chat, refused, passing])
