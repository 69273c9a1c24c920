"""Drafts from solved errors: bug_fix where a file changed, else tool_usage."""

import re
from collections.abc import Sequence

from cairn.knowledge.dialogue.sentences import headline, imperative, lesson, stands_alone, statement
from cairn.knowledge.dialogue.tool_calls import ToolStep
from cairn.knowledge.dialogue.trust import OUTCOME
from cairn.knowledge.learnings.categories import Signal
from cairn.knowledge.learnings.draft import Draft
from cairn.knowledge.learnings.drafting import (
    Scene,
    code_shown,
    draft,
    labelled,
    languages,
    last_line,
    listed,
    shown,
    stems,
)
from cairn.knowledge.learnings.quotes import FEWEST, QuoteSpan, quotes, shorten
from cairn.knowledge.learnings.rules.error_fix_chains import FOUND_MISSING, Chain, file_names
from cairn.knowledge.learnings.scoring import LONGEST_TITLE, DraftGrounds, factors
from cairn.knowledge.nlp.text import words

GENERIC_ERROR = re.compile(
    r"(?i)^(?:assertion\w*\b|expected\b|pre-commit|error$|errors?\b.{0,20}$|\d+ (?:failed|errors?)"
    r"|exit code|process exited|build failed|command failed|checking \d)|errors have been logged"
)
COMMAND_BRIEF = 80

_ERROR_CLASS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")


def chain_signal(chain: Chain) -> Signal:
    """What a solved error speaks for: bug_fix where a file changed, else tool_usage."""
    if not chain.edits:
        return Signal("tool_usage", "command_corrected")
    explained = chain.cause or chain.fix
    return Signal("bug_fix", "error_explained_and_solved" if explained else "error_solved")


def from_chain(chain: Chain, scene: Scene) -> Draft | None:
    """Symptom, root cause and solution of a solved error; None when nothing would name it."""
    signal = chain_signal(chain)
    message = scene.neutral(shorten(chain.error.message, 180)) if chain.error else ""
    telling = len(message.split()) > 3 and not GENERIC_ERROR.search(message)
    if chain.wrong:
        message = scene.neutral(chain.wrong.plain)
    cause = scene.neutral(statement(chain.cause.plain)) if chain.cause else ""
    order = scene.neutral(imperative(chain.fix.plain)) if chain.fix else ""
    title = _chain_title(chain, message if telling else "", cause)
    if not title:
        return None
    command = scene.neutral(_brief(chain.failed, chain.action.key))
    worked = scene.neutral(_brief(chain.success, _key(chain)))
    solution = [order.rstrip(".") + "." if order else ""]
    files = file_names(chain.edits)
    code, change = changed(chain.edits, f"{cause} {order} {message}")
    solution.append(change)
    runs = list(dict.fromkeys(scene.neutral(shown(step)) for step in chain.runs))[-2:]
    if runs:
        solution.append(f"Ran {listed([f'`{run}`' for run in runs])}.")
    if chain.replaced:
        solution.append(f"Ran `{worked}` instead{_difference(chain)}, which worked.")
    elif chain.success.worked:
        solution.append(f"After that, `{worked}` worked.")
    else:
        solution.append("After that, this error was gone.")
    symptom = f"`{command}` failed" + (f" with: {message}." if message else ".")
    if chain.wrong:
        symptom = f"`{command}` gave a wrong result: {message}"
    content = labelled(
        ("Symptom", symptom),
        ("Root cause", cause),
        ("Solution", " ".join(part for part in solution if part)),
    )
    result, success = chain.failed.result, chain.success.result
    if chain.edits and not (cause or order or runs):
        return None  # an error that nobody explained, gone with an edit, says too little
    said = [s for s in (chain.wrong, chain.cause, chain.fix) if s]
    quoted = [s for s in said if not (chain.thought and s is chain.cause)]
    spans = [
        *(
            [QuoteSpan(result, chain.error.start, chain.error.end)]
            if result and chain.error
            else []
        ),
        *(QuoteSpan(*s) for s in quoted[: 2 if chain.wrong else 1]),
        *(
            [QuoteSpan(success, *last_line(success.text))]
            if success and chain.success.worked
            else []
        ),
    ]
    linked = [t for t in (result, *(s.turn for s in said), success) if t]
    grounds = DraftGrounds(
        steps=bool(code or runs or chain.replaced),
        guidance=bool(order),
        changed=bool(files),
        parts=telling + bool(cause) + bool(order or code or runs or chain.replaced),
        stands_alone=True,
        linked=len({turn.record_id for turn in linked}),
        verified=True,
    )
    if len(quotes(spans, ())) < FEWEST and chain.intent:
        linked.insert(0, chain.intent)
    own = scene.names | stems(files)
    tags = [*chain.action.key.split()[:1], *_ERROR_CLASS.findall(message), *languages(files)]
    return draft(
        signal,
        title,
        content,
        tags,
        factors=factors(grounds, title, own, message),
        evidence=[*linked, *(edit.call for edit in chain.edits)],
        spans=spans,
        extractor="learning.error_chain@3",
        trust=OUTCOME,
        steps=[chain.failed, *chain.between],
    )


def _chain_title(chain: Chain, message: str, cause: str) -> str:
    """The cause where it can be read alone, else command and error; empty if there is neither."""
    missing = FOUND_MISSING.search(chain.error.message) if chain.error else None
    if missing and chain.replaced:
        other = chain.success.actions[-1].key.split()[0]
        return headline(f"{missing[1] or missing[2]} is not installed here: run {other} instead")
    if cause and stands_alone(cause):
        return headline(lesson(cause))
    if chain.wrong:
        order = imperative(chain.fix.plain) if chain.fix else ""
        return headline(order) if order and stands_alone(order) else ""
    if not message or _ERROR_CLASS.match(message):
        return shorten(message, LONGEST_TITLE)
    return shorten(f"{chain.action.key}: {message}", LONGEST_TITLE)


def _key(chain: Chain) -> str:
    """Program and subcommand of the try that worked: what failed, or what stands for it."""
    keys = [action.key for action in chain.success.actions]
    return chain.action.key if chain.action.key in keys else keys[-1]


def _brief(step: ToolStep, key: str) -> str:
    """A command in full where it is short, else its program and subcommand."""
    command = shown(step)
    return command if len(command) <= COMMAND_BRIEF else f"{key} …"


def changed(edits: Sequence[ToolStep], about: str) -> tuple[bool, str]:
    """Whether few lines show a change, and what was changed, in words; empty without edits."""
    files = file_names(edits)
    code = [edit.added for edit in edits if edit.added]
    if not files:
        return bool(code), ""
    lines = f": {code_shown(_nearest(code, about))}" if code else "."
    return bool(code), f"Changed {listed(files)}{lines}"


def _nearest(codes: Sequence[str], about: str) -> str:
    """The change that shares most words with what was said; the first of these."""
    told = set(words(about))
    return max(codes, key=lambda code: len(told & set(words(code))))


def _difference(chain: Chain) -> str:
    """What the command that worked has, and the one that failed has not, and the reverse."""
    before = {word for action in chain.failed.actions for word in action.words}
    after = {word for action in chain.success.actions for word in action.words}
    more, less = (
        sorted(f"`{word}`" for word in words if len(word) < 40 and "\n" not in word)[:3]
        for words in (after - before, before - after)
    )
    parts = [f"with {listed(more)}" if more else "", f"without {listed(less)}" if less else ""]
    told = " and ".join(part for part in parts if part)
    return f" ({told})" if told and len(shown(chain.success)) > COMMAND_BRIEF else ""
