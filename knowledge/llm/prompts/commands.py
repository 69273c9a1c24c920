"""Command lines that the shell's grammar could not read: hosts, kinds of operation, files."""

from typing import Literal

from pydantic import BaseModel, Field

from cairn.knowledge.llm.prompt import Example, Prompt

OperationType = Literal[
    "archive_manipulation", "build", "code_formatting", "container_management", "database_access",
    "database_migration", "deployment", "disk_management", "file_transfer", "http_request",
    "network_diagnosis", "package_installation", "permission_change", "process_management",
    "remote_access", "search", "service_management", "verification", "version_control",
]  # fmt: skip
"""The kinds that rules tell apart."""


class Operation(BaseModel):
    """A kind of operation, and the words that show it."""

    type: OperationType = Field(description="What kind of operation it is.")
    words: str = Field(description="Program and operand of the line that do it, verbatim.")


class CommandLine(BaseModel):
    """What a command line reaches and does; empty lists are a fine answer."""

    hosts: list[str] = Field(
        default=[], description="Names or addresses of hosts that it connects to, verbatim."
    )
    operations: list[Operation] = []
    files: list[str] = Field(
        default=[], description="Paths of files and folders that it reads or writes, verbatim."
    )


COMMANDS = Prompt(
    name="commands",
    about="Hosts, operations and files of a command line that is no plain shell.",
    context=(
        "Cairn gathers lasting knowledge from sessions with coding agents. Rules read the command "
        "lines that agents ran; this one they could not read: its quoting is broken, it is cut "
        "off, or it is written for another shell. The input is that line."
    ),
    requirements=(
        "List what the line itself does if it is run.\n"
        "- Hosts: only those that it logs in to or copies from or to (ssh, scp, rsync, "
        "Enter-PSSession, …), without user, port and path; no host of a web address.\n"
        "- Operations: the kind of each command that is run, by the types of the schema; what fits "
        "none is left out. Text that is only printed or searched for runs nothing.\n"
        "- Files: paths as they stand in the line, no patterns, no variables.\n"
        "- All words are copied letter by letter from the line."
    ),
    criteria="Nothing is listed that does not stand in the line. In doubt, leave it out.",
    output=CommandLine,
    max_tokens=500,
    examples=(
        Example(
            "if ($ok) { scp .\\out\\Frostquill.zip ann@plimmerhost:/srv/Frostquill } "
            "else { Write-Host 'ssh nowhere'",
            CommandLine(
                hosts=["plimmerhost"],
                operations=[Operation(type="file_transfer", words="scp .\\out\\Frostquill.zip")],
                files=[".\\out\\Frostquill.zip", "/srv/Frostquill"],
            ),
            canaries=("Frostquill", "plimmerhost"),
        ),
    ),
)
