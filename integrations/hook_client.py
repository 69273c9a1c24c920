"""The hook client: what an agent's hooks start, at each moment of a session.

One file of the standard library that imports nothing of Cairn's and starts with `python -I -S`. It
reads what a publication prepared (`CAIRN_HOME/lookup/NAMESPACE.sqlite`), says what is known for the
moment, or nothing, and notes in the inbox what it offered. Whatever goes wrong, it says nothing and
ends with 0: why stands in `CAIRN_HOME/hooks/log.jsonl`, which `cairn doctor` reads.

    hook_client.py AGENT HOME NAMESPACE [warn] [-- PROGRAM ARGUMENT …]

PROGRAM takes in the transcripts that are queued; it is started, detached, where a session ends,
with the home in CAIRN_HOME. An empty HOME or NAMESPACE is found as `cairn` finds it.
`POST /v1/hooks/AGENT` calls `main` in threads of a server, where no alarm ends what takes too long:
so all that is looked at is bounded.
"""

# Each import costs every prompt of every session: what only some moments need is imported there.
import json
import os
import re
import sys
import time
from itertools import islice

SCHEMA = 1
"""Of the lookup file; one of another schema is left alone."""

DEADLINE = 0.3
"""Seconds from the start, after which nothing is said any more."""

LATEST, LONGEST_QUEUED = 1.0, 4.0
"""Seconds from the start in which a busy agent must have told what happened, and in which what is
to be taken in must stand in the queue: agents wait for 5."""

MOST_READ = 8 << 20
"""Bytes of a payload; a longer one is none."""

MOST_PROMPT, MOST_OUTPUT = 4_000, 40_000
"""Characters that are looked at of a prompt, and of each end of what a tool put out."""

LONGEST_PATH = 4096
"""Characters of a path; a longer one leads to no file."""

LIMITS = {"start": 400, "prompt": 300, "failure": 150, "command": 80}
"""Tokens of what is said at a moment, its fence included."""

MOST_WORDS, MOST_TEXTS = 16, 3
"""Words of a prompt that are looked up, those that tell most; and texts that are offered."""

SAME = 0.9
"""Of what the words of a prompt and of a fact tell: with more in common they say the same."""

AT_FAILURE = "failure:"
"""Stands before the ids that came with an error: those in the brief come once more with theirs."""

BRIEFED = "briefed"
"""Stands among the ids that a session was offered, once it had its brief."""

LONGEST_LOG = 1 << 20
BETWEEN_RUNS = 60
"""Seconds between two starts of the intake …"""
BETWEEN_TURNS = 900
"""… where only a turn ended: a session may go on for hours, or never say that it ended."""

MOMENTS = {
    "SessionStart": "start", "sessionStart": "start",
    "UserPromptSubmit": "prompt", "BeforeAgent": "prompt", "beforeSubmitPrompt": "prompt",
    "PostToolUseFailure": "failure", "PostToolUse": "failure", "AfterTool": "failure",
    "postToolUseFailure": "failure", "postToolUse": "failure",
    "PreToolUse": "command", "BeforeTool": "command", "preToolUse": "command",
    "Stop": "turn", "AfterAgent": "turn", "stop": "turn",
    "SessionEnd": "end", "sessionEnd": "end",
}  # fmt: skip
"""Moments by the names that agents have for them."""

TYPED = (None, "user", "sdk")
"""Sources of a prompt that a person may have given; others are of the agent's own making."""

_HOOKS_SAID = re.compile(r"^(?:\s*<hook_context>.*?</hook_context>)+\s*", re.DOTALL)
"""What Gemini CLI puts before a prompt of what hooks said."""


_SPEAKS = re.compile(r": +|^E {2,}|^\W+|\] ")
"""What stands before the message of a line: who speaks, or a mark."""


class SilentError(Exception):
    """There is nothing to say; the message says why, where it is a fault."""


def main(arguments, read, started, queued=None, limit=None):
    """One call of a hook: what is said to the agent, from what is read; never raises.

    `queued` is called in the place of `queue`, by whoever takes the transcripts of some alone.
    `limit` is told after how many seconds from now a call of a process of its own gives up.
    """
    home, moment = None, "?"
    try:
        agent, home, namespace = arguments[:3]
        home = home or default_home(os.environ, sys.platform)
        namespace = namespace or os.environ.get("CAIRN_NAMESPACE") or "default"
        if not os.path.isdir(home):
            return ""
        given = json.loads(read(MOST_READ + 1)[: MOST_READ + 1])
        if not isinstance(given, dict):
            raise SilentError("the payload is no object")
        if agent == "claude-code" and "cursor_version" in given:
            # Cursor runs the hooks of Claude Code too: it is told once.
            if os.path.exists(os.path.join(home, "hooks", "agents", "cursor")):
                return ""
            agent = "cursor"
        event = given.get("hook_event_name")
        moment = MOMENTS.get(event, "") if isinstance(event, str) else ""
        if not moment:
            return ""
        arrived(home, agent)
        if moment in ("turn", "end"):
            if limit:
                limit(LONGEST_QUEUED)
            program = after(arguments, "--")
            (queued or queue)(home, agent, namespace, given, moment, program)
            return ""
        if moment == "command" and "warn" not in arguments:
            return ""
        if limit:
            limit(max(started + DEADLINE - time.monotonic(), 1e-6))
        said = answer(home, agent, namespace, moment, given, started)
        if agent == "gemini-cli" and moment == "prompt":
            said = "\n".join(filter(None, (begun(home, namespace, given, started), said)))
        return said_to(agent, event, said) if said else ""
    except BaseException as error:
        note(home, moment, error)
        return ""


def default_home(environment, platform):
    """The home that is meant where none is named: of the environment, or in the data folder."""
    named, data = environment.get("CAIRN_HOME"), environment.get("XDG_DATA_HOME", "").strip()
    plain = "~/Library/Application Support" if platform == "darwin" else "~/.local/share"
    return os.path.abspath(os.path.expanduser(named or f"{data or plain}/cairn"))


def arrived(home, agent):
    """Notes that an event of an agent came, by the time of a file."""
    file = os.path.join(home, "hooks", "agents", os.path.basename(agent))
    try:
        os.utime(file)
    except FileNotFoundError:
        append(file, "")


def begun(home, namespace, given, started):
    """The brief, with the first prompt of a session of Gemini CLI; see integrations/agents.py."""
    seen = Seen(home, namespace, given.get("session_id"))
    if BRIEFED in seen.ids:
        return ""
    seen.add([BRIEFED])
    return answer(home, "gemini-cli", namespace, "start", given, started)


def after(arguments, mark):
    """What stands behind a mark."""
    return arguments[arguments.index(mark) + 1 :] if mark in arguments else []


def printed(agent, said):
    """What an agent is given: Cursor takes no word for a broken one, and may refuse the call."""
    return said or ("{}" if agent == "cursor" else "")


def said_to(agent, event, text):
    """What an agent reads as context that was added, and neither as an order nor as a decision."""
    if agent == "cursor":
        return json.dumps({"additional_context": text})
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def answer(home, agent, namespace, moment, given, started):
    """The text for a moment, with its fence, or none; what was offered is noted before."""
    session = given.get("session_id") or given.get("conversation_id")
    if not (
        isinstance(session, str) and len(session) <= 200 and session.isascii() and plain(session)
    ):
        raise SilentError("the session has no id that can be one")
    lookup = Lookup(home, namespace)
    project = lookup.project_at(folder_of(given))
    found = LOOKED_UP[moment](lookup, project, given)
    if not found:
        return ""
    seen = Seen(home, namespace, session)
    mark = AT_FAILURE if moment == "failure" else ""
    # After a compaction the context is gone, and so is what stood in it.
    new = found if moment == "start" else [one for one in found if mark + one[0] not in seen.ids]
    shown, held, tokens = [], [], lookup.fence_tokens
    share = lookup.meta["holdout_share"]
    for one in new:
        if tokens + one[3] > LIMITS[moment]:
            continue
        tokens += one[3]
        (held if is_held_out(session, one[0], share) else shown).append(one)
    if not (shown or held):
        return ""
    offer = {
        "agent": agent, "moment": moment, "session": session, "project": project,
        "shown": [one[0] for one in shown], "held_out": [one[0] for one in held],
        "tokens": tokens - sum(one[3] for one in held) if shown else 0,
        "generation": lookup.meta["generation"],
    }  # fmt: skip
    if time.monotonic() - started > DEADLINE:
        raise SilentError("too late")
    append_offer(home, namespace, offer, started)
    seen.add([mark + one for one in offer["shown"] + offer["held_out"]])
    return lookup.text_of(shown)


def plain(text):
    """Whether it is a short text of letters, digits and marks of ids alone."""
    short = isinstance(text, str) and 0 < len(text) <= 200 and text.isascii()
    return short and all(one.isalnum() or one in "-_.:" for one in text)


def is_held_out(session, id_, share):
    """Whether a piece is held out of a session on purpose: the same for each of its moments."""
    return int(digest(f"{session}\n{id_}")[:8], 16) < share * (1 << 32)


def digest(text):
    """Hex digest of a text. `hashlib` would load OpenSSL, which takes as long as all else."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(text.encode(), digest_size=16).hexdigest()


class Lookup:
    """The lookup file of a namespace, read only."""

    def __init__(self, home, namespace):
        """Opens it.

        Raises:
            SilentError: there is none that can be read, or it is of another Cairn.
        """
        try:  # `sqlite3` brings dates and times along
            from _sqlite3 import Error, connect
        except ImportError:
            from sqlite3 import Error, connect
        file = os.path.join(home, "lookup", f"{namespace}.sqlite")
        if not os.path.isfile(file):
            raise SilentError("")
        try:
            name = file.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            self._connection = connect(f"file:{name}?mode=ro&immutable=1", uri=True)
            self.meta = {key: json.loads(value) for key, value in self.rows("SELECT * FROM meta")}
        except (Error, ValueError) as error:
            raise SilentError(f"the lookup file cannot be read: {error}") from None
        if self.meta.get("schema") != SCHEMA:
            raise SilentError(f"the lookup file has schema {self.meta.get('schema')}, not {SCHEMA}")

    def rows(self, query, values=()):
        """Rows of a query."""
        return self._connection.execute(query, values).fetchall()

    @property
    def fence_tokens(self):
        """Tokens of what stands around each answer."""
        return self.meta["fence_tokens"]

    def project_at(self, folder):
        """Name of the project that a folder lies in; none if it is in none that is known."""
        for place in places(folder, re.compile(self.meta["home_folder"])):
            for (project,) in self.rows("SELECT project FROM folders WHERE place = ?", (place,)):
                return project
        return ""

    def text_of(self, pieces):
        """Pieces in their fence: under the heading of their kind where that has one."""
        lines, heading = [], None
        for _, kind, text, _ in pieces:
            own = self.meta["headings"].get(kind)
            if own != heading and own:
                lines.append(f"{own}:")
            heading = own
            lines.append(f"- {text}")
        if not lines:
            return ""
        return "\n".join((self.meta["opening"], *lines, self.meta["closing"]))


def folder_of(given):
    """The folder that an agent works in."""
    roots = given.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return str(given.get("cwd") or first or "")


def places(folder, home):
    """A folder and those above it, as the lookup names them; of a worktree its repository too."""
    linked = False
    for one in upwards(folder):
        yield home.sub("~", one)
        link = os.path.join(one, ".git")
        if not linked and os.path.isfile(link):
            with open(link, encoding="utf-8", errors="replace") as file:
                main = file.read(LONGEST_PATH).partition("gitdir:")[2].strip()
            main, linked, _ = main.partition("/.git/worktrees/")
            if linked:
                yield from (home.sub("~", above) for above in upwards(main))


def upwards(folder):
    """A folder and those above it."""
    if len(folder) > LONGEST_PATH or not folder.startswith("/"):
        return
    folder = os.path.normpath(folder)
    while len(folder) > 1:
        yield folder
        folder = os.path.dirname(folder)


def brief(lookup, project, given):
    """The project's brief, as it was published: line by line, in the order that it is shown."""
    del given
    return lookup.rows(
        "SELECT id, kind, text, tokens FROM lines WHERE project = ? ORDER BY place", (project,)
    )


def recalled(lookup, project, given):
    """Facts, learnings and episodes that are about a prompt, only where that is sure."""
    prompt = given.get("prompt") if given.get("source") in TYPED else ""
    prompt = _HOOKS_SAID.sub("", prompt) if isinstance(prompt, str) else ""
    words = sorted(lookup_terms(lookup, prompt[:MOST_PROMPT]))
    if not words:
        return []
    known = lookup.rows(
        f"SELECT number, tells FROM words WHERE word IN ({marks(words)})"
        " ORDER BY tells DESC, number",
        words,
    )
    told = sum(tells for _, tells in known)
    known = known[:MOST_WORDS]
    if not known:
        return []
    in_projects = [
        number
        for (number,) in lookup.rows(
            "SELECT number FROM projects WHERE name IN ('', ?)", (project,)
        )
    ]
    score, count = {}, {}
    for word, tells in known:
        for (text,) in lookup.rows(
            f"SELECT text FROM postings WHERE word = ? AND project IN ({marks(in_projects)})",
            (word, *in_projects),
        ):
            score[text] = score.get(text, 0) + tells
            count[text] = count.get(text, 0) + 1
    best = sorted(score, key=lambda text: (-score[text], text))[:50]
    rows = lookup.rows(
        f"SELECT number, id, kind, text, tokens, weight FROM texts WHERE number IN ({marks(best)})",
        best,
    )
    found = []
    for number, id_, kind, text, tokens, weight in rows:
        bar = lookup.meta["bars"][kind]
        of_text = score[number] / weight if weight else 0
        if (
            count[number] >= bar["words"]
            and of_text >= bar["of_text"]
            and bar["of_prompt"] * told <= score[number] <= bar["at_most"] * told + 1e-6
            and min(of_text, score[number] / told) < SAME
        ):
            found.append((-of_text, number, (id_, kind, text, tokens)))
    best = [piece for _, _, piece in sorted(found)[:MOST_TEXTS]]
    return sorted(best, key=lambda piece: list(lookup.meta["bars"]).index(piece[1]))


def fixes(lookup, project, given):
    """What ended before the error that a tool's output shows, in this project."""
    output = output_of(given)
    if not output:
        return []
    anchors = {}
    for anchor, signature, rank, id_, text, tokens, names in lookup.rows(
        "SELECT anchor, signature, rank, id, text, tokens, names FROM errors WHERE project = ?",
        (project,),
    ):
        anchors.setdefault(anchor, []).append((signature, rank, id_, text, tokens, names))
    if not anchors:
        return []
    if len(output) > 2 * MOST_OUTPUT:
        output = f"{output[:MOST_OUTPUT]}\n{output[-MOST_OUTPUT:]}"
    slotting = Slotting(lookup.meta["slotting"])
    best = {}
    for line in output.replace("\\n", "\n").splitlines():
        near = anchors.keys() & lookup_terms(lookup, line[:800])
        if not near:
            continue
        for told, names in map(slotting.signature, messages(line)):
            for anchor in near:
                for signature, rank, id_, text, tokens, only in anchors[anchor]:
                    if signature != told:
                        continue
                    ended = set(json.loads(only))
                    # As cairn.knowledge.failures.lookup.is_of says.
                    if ended <= set(names) or (names and set(names) <= ended):
                        best[id_] = (-rank, id_, (id_, "fix", text, tokens))
    return [piece for _, _, piece in sorted(best.values())[:1]]


def messages(line):
    """A line, and what of it may be the message: behind each of its first speakers."""
    return [line, *(line[found.end() :] for found in islice(_SPEAKS.finditer(line[:200]), 5))]


def output_of(given):
    """What a tool put out, where it may have failed."""
    found = []
    for field in ("error", "error_message", "tool_response", "tool_output", "output"):
        texts(given.get(field), found)
    return "\n".join(found)


def texts(value, found):
    """All texts in a value, in order."""
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict):
        for part in value.values():
            texts(part, found)
    elif isinstance(value, list):
        for part in value:
            texts(part, found)


def warnings(lookup, project, given):
    """Why a command that is about to run may be none to run: it was refused, or never worked."""
    given_to = given.get("tool_input")
    command = given_to.get("command") if isinstance(given_to, dict) else given.get("command")
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if not isinstance(command, str):
        return []
    command = " ".join(command.split())
    return [
        (id_, "warning", text, tokens)
        for id_, text, tokens in lookup.rows(
            "SELECT id, text, tokens FROM warnings WHERE command = ? AND project IN ('', ?)"
            " ORDER BY id LIMIT 1",
            (command, project),
        )
    ]


LOOKED_UP = {"start": brief, "prompt": recalled, "failure": fixes, "command": warnings}


def lookup_terms(lookup, text):
    """Words of a text that may tell what it is about, as the lookup was made of them."""
    if not hasattr(lookup, "terms"):
        stopped = frozenset(lookup.meta["stopped"])
        lookup.terms = re.compile(lookup.meta["word"]), re.compile(lookup.meta["ending"]), stopped
    word, ending, stopped = lookup.terms
    cut = (ending.sub("", one) for one in word.findall(text.casefold()))
    return {one for one in cut if len(one) > 2 and one not in stopped}


class Slotting:
    """How a line becomes the signature of an error: by the patterns of those in the lookup."""

    def __init__(self, rules):
        """Compiles them."""
        self.longest = rules["longest"]
        self.cut, self.places = (
            [re.compile(one) for one in rules[key]] for key in ("cut", "places")
        )
        self.slots = [(name, re.compile(one)) for name, one in rules["slots"]]
        self.slot = re.compile(rules["slot"])

    def signature(self, line):
        """A line with slots, and what stood in those of names and paths."""
        names = []
        text = line[: self.longest[0]]
        for pattern in self.cut:
            text = pattern.sub("", text)
        whole = text
        for pattern in self.places:
            text = pattern.sub("", text)
        text = text or whole
        for name, pattern in self.slots:
            if name == "bare":
                found = pattern.search(text)
                group = found.lastindex if found else None
                if group and found[group] and not self.slot.search(found[group]):
                    end = found.start(group) + len(found[group].rstrip(".:;,"))
                    names.append(text[found.start(group) : end])
                    text = text[: found.start(group)] + "{name}" + text[end:]
                continue

            def put(found, name=name):
                inner = next((group for group in found.groups() if group), found[0])
                if name not in ("path", "name"):
                    return "{" + name + "}"
                if self.slot.fullmatch(inner):
                    return inner
                names.append(inner)
                return "{" + name + "}"

            text = pattern.sub(put, text)
        return " ".join(text.split()).rstrip(" .:;,")[: self.longest[1]], names


def marks(values):
    """Place holders of a query for so many values."""
    return ",".join("?" * len(values))


class Seen:
    """What a session was offered, so that nothing is offered twice."""

    def __init__(self, home, namespace, session):
        """Reads it."""
        self._file = os.path.join(home, "hooks", "sessions", digest(f"{namespace}\n{session}"))
        self.ids = frozenset()
        if session and os.path.exists(self._file):
            with open(self._file, encoding="utf-8") as file:
                self.ids = frozenset(file.read().split("\n"))

    def add(self, ids):
        """Notes more of it."""
        append(self._file, "".join(f"{one}\n" for one in ids))


def append(file, text):
    """Adds text to the end of a file of ours, in one write."""
    os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(file, flags, 0o600)
    try:
        os.write(descriptor, text.encode("utf-8", "replace"))
    finally:
        os.close(descriptor)


def append_offer(home, namespace, offer, started):
    """Adds an offer to the inbox, as any event: under its lock, and whole or not at all.

    It is not waited for until it is on disk: an offer that a loss of power takes is one fewer that
    is counted.

    Raises:
        SilentError: another writer had the lock until the deadline. What is not noted is not said.
    """
    from fcntl import LOCK_EX, LOCK_NB, flock

    inbox = os.path.join(home, "inbox")
    lock = os.open(os.path.join(inbox, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() - started > DEADLINE / 2:
                    raise SilentError("the inbox is being written") from None
                time.sleep(0.005)
        now = time.time()
        at = (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
            + f".{int(now % 1 * 1e6):06d}+00:00"
        )
        number = os.urandom(16).hex()
        event = {
            "event_id": "-".join(
                (number[:8], number[8:12], f"4{number[13:16]}", f"a{number[17:20]}", number[20:])
            ),
            "type": "offer", "at": at, "namespace": namespace, "redactions": 0, "item": offer,
        }  # fmt: skip
        file = os.path.join(inbox, namespace, f"{at[:7]}.jsonl")
        line = json.dumps(event, ensure_ascii=False) + "\n"
        if os.path.exists(file):
            with open(file, "rb") as written:
                if written.seek(0, os.SEEK_END) and written.seek(-1, os.SEEK_END):
                    line = line if written.read(1) == b"\n" else f"\n{line}"
        append(file, line)
    finally:
        os.close(lock)


def queue(home, agent, namespace, given, moment, program):
    """Queues the transcript of a session, and starts its intake where due: its process, or None."""
    transcript = given.get("transcript_path")
    if not (isinstance(transcript, str) and os.path.isabs(transcript)):
        return None
    if len(transcript) > LONGEST_PATH or "\0" in transcript:
        raise SilentError("the transcript has no path that can be one")
    hooks = os.path.join(home, "hooks")
    entry = {"at": time.time(), "agent": agent, "namespace": namespace, "path": transcript}
    append(os.path.join(hooks, "queue.jsonl"), json.dumps(entry) + "\n")
    if not program:
        return None
    return start_intake(hooks, program, BETWEEN_RUNS if moment == "end" else BETWEEN_TURNS)


def start_intake(hooks, program, least):
    """Starts the intake, detached, unless one is under way: it looks at the queue once more."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    lock = os.open(os.path.join(hooks, "intake.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if time.time() - os.fstat(lock).st_mtime < least and os.fstat(lock).st_size:
            return None
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return None
        os.ftruncate(lock, 0)
        os.write(lock, b"started\n")
        # It keeps the lock by the descriptor that it inherits, until it ends.
        os.set_inheritable(lock, True)
        log, new = os.path.join(hooks, "intake.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        begins = (
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, log, new, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        )
        # No fork: a server has other threads, and locks that they hold.
        around = os.environ | {"CAIRN_HOME": os.path.dirname(hooks)}
        return os.posix_spawn(program[0], program, around, file_actions=begins, setsid=True)
    finally:
        os.close(lock)


def note(home, moment, error):
    """Notes why nothing was said, without a word of what was said; never raises."""
    try:
        if home is None or (isinstance(error, SilentError) and not str(error)):
            return
        file = os.path.join(home, "hooks", "log.jsonl")
        if os.path.exists(file) and os.path.getsize(file) > LONGEST_LOG:
            os.replace(file, f"{file}.1")
        why = str(error) if isinstance(error, SilentError) else type(error).__name__
        number = getattr(error, "errno", None)
        entry = {"at": time.time(), "moment": moment, "why": why, "errno": number}
        append(file, json.dumps(entry) + "\n")
    except BaseException:
        pass


def _expire(*_):
    raise SilentError("too late")


if __name__ == "__main__":
    _started = time.monotonic()
    _said = ""
    try:
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal

        signal(SIGALRM, _expire)
        setitimer(ITIMER_REAL, LATEST)
        _said = main(
            sys.argv[1:], sys.stdin.buffer.read, _started,
            limit=lambda seconds: setitimer(ITIMER_REAL, seconds),
        )  # fmt: skip
        setitimer(ITIMER_REAL, 0)
        sys.stdout.write(printed("".join(sys.argv[1:2]), _said))
        sys.stdout.flush()
    except BaseException:
        pass
    os._exit(0)
