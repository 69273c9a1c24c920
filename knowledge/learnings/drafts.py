"""Drafts by rule: from chains, decisions, advice and routines to learnings that can be read."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from knowledge.learnings.categories import Signal
from knowledge.learnings.chains import Chain, file_names
from knowledge.learnings.draft import Draft, Factors
from knowledge.learnings.findings import Advice, Answer, Choice, Routine
from knowledge.learnings.quotes import Span, quotes, shorten
from knowledge.learnings.scoring import Grounds
from knowledge.learnings.scoring import factors as graded
from knowledge.learnings.sentences import (
    Sentence,
    headline,
    imperative,
    plain,
    stands_alone,
    statement,
)
from knowledge.learnings.steps import Step
from knowledge.learnings.turns import Turn
from knowledge.text import STOP_WORDS, words

GENERIC_ERROR = re.compile(
    r"(?i)^(?:assertion\w*\b|expected\b|pre-commit|error$|errors?\b.{0,20}$|\d+ (?:failed|errors?)"
    r"|exit code|process exited|build failed|command failed|checking \d)|errors have been logged"
)
LANGUAGES = {
    "py": "python", "ex": "elixir", "exs": "elixir", "heex": "elixir", "js": "javascript",
    "ts": "typescript", "tsx": "typescript", "rs": "rust", "go": "go", "rb": "ruby", "java": "java",
    "sh": "shell", "css": "css", "sql": "sql", "toml": "toml", "yml": "yaml", "yaml": "yaml",
    "c": "c", "cpp": "c++", "swift": "swift", "kt": "kotlin", "php": "php", "cs": "c#",
}  # fmt: skip
FEWEST_TAGS, MOST_TAGS = 3, 8
COMMAND_SHOWN = 120
PLACEHOLDER = "<name>"

_ERROR_CLASS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_REDIRECT = re.compile(r"\s*(?:\d?>&?\d?\s*(?:/dev/null|\d)|\|\s*(?:head|tail)\b[^|;&]*)\s*$")
_FOLDER = re.compile(r"^cd\s+\S+\s*&&\s*")
_LONG_PATH = re.compile(r"(?<![\w:.])/[\w.@+-]+(?:/[\w.@+-]+){2,}")


class Scene:
    """What the drafts of one conversation share: its project's names and the requests in it."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        project = next((turn.project for turn in turns if turn.project), None) or ""
        self.folder = PurePosixPath(project).name
        parts = re.split(r"[-_.]", self.folder)
        self.names = {part for part in [self.folder, *parts] if len(part) > 3}
        self.requests = [t for t in turns if t.kind == "message" and t.origin == "human"]

    def neutral(self, text: str) -> str:
        """Text in which a folder's name that is no word of its own stands as a placeholder."""
        if not re.search(r"[-_\d]", self.folder):
            return text
        return re.sub(rf"(?<![\w/-]){re.escape(self.folder)}(?![\w/-])", PLACEHOLDER, text)

    def request(self, seq: int) -> Sentence | None:
        """The first sentence of the last request before a place in the conversation."""
        before = [turn for turn in self.requests if turn.seq < seq and turn.text.strip()]
        if not before:
            return None
        turn = before[-1]
        start = len(turn.text) - len(turn.text.lstrip())
        line = turn.text[start:].split("\n", 1)[0][:200].rstrip()
        return Sentence(turn, start, start + len(line))


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
    telling = bool(message) and not GENERIC_ERROR.search(message)
    cause = scene.neutral(statement(chain.cause.plain)) if chain.cause else ""
    order = scene.neutral(imperative(chain.fix.plain)) if chain.fix else ""
    title, alone = _chain_title(chain, message if telling else "", cause, order)
    if not title:
        return None
    command = scene.neutral(shown(chain.failed))
    worked = scene.neutral(shown(chain.success))
    solution = [order.rstrip(".") + "." if order else ""]
    files = file_names(chain.edits)
    code = [edit.added for edit in chain.edits if edit.added]
    if files:
        solution.append(f"Changed {_listed(files)}" + (f": {_code(code[-1])}" if code else "."))
    runs = list(dict.fromkeys(scene.neutral(shown(step)) for step in chain.runs))[-2:]
    if runs:
        solution.append(f"Ran {_listed([f'`{run}`' for run in runs])}.")
    if chain.replaced:
        solution.append(f"Ran `{worked}` instead, which worked.")
    else:
        solution.append(f"After that, `{worked}` worked.")
    symptom = f"`{command}` failed" + (f" with: {message}." if message else ".")
    content = _parts(
        ("Symptom", symptom),
        ("Root cause", cause),
        ("Solution", " ".join(part for part in solution if part)),
    )
    result, success = chain.failed.result, chain.success.result
    said = [s for s in (chain.cause, chain.fix) if s]
    quoted = [] if chain.thought else said[:1]
    spans = [
        *([Span(result, chain.error.start, chain.error.end)] if result and chain.error else []),
        *(Span(*s) for s in (quoted or said[1:])),
        *([Span(success, *_last_line(success.text))] if success else []),
    ]
    linked = [t for t in (result, *(s.turn for s in said), success) if t]
    grounds = Grounds(
        steps=bool(code or runs or chain.replaced),
        guidance=bool(order),
        changed=bool(files),
        parts=telling + bool(cause) + bool(order or code or runs or chain.replaced),
        stands_alone=alone,
        linked=len({turn.record_id for turn in linked}),
        verified=True,
    )
    own = scene.names | {PurePosixPath(name).stem for name in files if len(name) > 6}
    tags = [*chain.action.key.split()[:1], *_ERROR_CLASS.findall(message), *_languages(files)]
    return _draft(
        signal,
        title,
        content,
        tags,
        factors=graded(grounds, title if alone else f"{title} {message}", own, message),
        evidence=[*linked, *(edit.call for edit in chain.edits)],
        spans=spans,
        extractor="learning.error_chain@1",
    )


def _chain_title(chain: Chain, message: str, cause: str, order: str) -> tuple[str, bool]:
    """A title, and whether it stands alone: the cause, else command and error, else the fix."""
    if cause and stands_alone(cause):
        return headline(cause), True
    if message:
        return headline(f"{chain.action.key}: {message}"), True
    if order:
        return headline(order), False
    return "", False


def choice_signal(choice: Choice) -> Signal:
    """What a stated decision speaks for."""
    return Signal(
        "decision", "decision_with_reason" if choice.reason else "decision_with_alternative"
    )


def from_choice(choice: Choice, scene: Scene) -> Draft:
    """Options, choice and rationale of a stated decision."""
    said = choice.sentence
    text = scene.neutral(statement(said.plain))
    order = scene.neutral(imperative(said.plain)) or text
    request = scene.request(said.turn.seq)
    reason = choice.reason.plain if choice.reason and choice.reason != said else ""
    content = _parts(
        ("Asked", plain(request.text) if request and request.turn != said.turn else ""),
        ("Choice", order),
        ("Instead of", choice.alternative),
        ("Rationale", scene.neutral(reason) or ("as stated in the choice" if choice.reason else "")),
    )
    linked = [*([request.turn] if request else []), said.turn]
    if choice.reason:
        linked.append(choice.reason.turn)
    grounds = Grounds(
        steps=bool(choice.alternative and choice.reason),
        guidance=True,
        changed=False,
        parts=1 + bool(choice.alternative) + bool(choice.reason),
        stands_alone=stands_alone(order),
        linked=len({turn.record_id for turn in linked}),
        verified=said.turn.origin == "human",
    )
    spans = [Span(*said)]
    if choice.reason and choice.reason != said:
        spans.append(Span(*choice.reason))
    if request and request.turn != said.turn:
        spans.append(Span(*request))
    return _draft(
        choice_signal(choice),
        headline(order),
        content,
        [],
        factors=graded(grounds, order, scene.names),
        evidence=linked,
        spans=spans,
        extractor="learning.stated_decision@1",
    )


def from_answer(answer: Answer, scene: Scene) -> Draft:
    """Options, choice and rationale of a question that a person answered."""
    result = answer.step.result
    question = scene.neutral(plain(answer.question)).rstrip("?")
    why = next((about for label, about in answer.options if label == answer.answer), "")
    options = "; ".join(
        f"{label} ({about})" if about and about != label else label
        for label, about in answer.options
    )
    linked = [answer.step.call, *([result] if result else [])]
    request = scene.request(answer.step.call.seq)
    if request:
        linked.insert(0, request.turn)
    grounds = Grounds(
        steps=False,
        guidance=True,
        changed=False,
        parts=1 + (len(answer.options) > 1) + bool(why),
        stands_alone=stands_alone(question),
        linked=len(linked),
        verified=True,
    )
    spans: list[Span] = []
    if result and (at := result.text.find(f'"{answer.question}"="')) >= 0:
        spans.append(Span(result, at, at + len(answer.question) + len(answer.answer) + 5))
    if request:
        spans.append(Span(*request))
    short = headline(question.rsplit(". ", 1)[0], max(40, 96 - len(answer.answer)))
    return _draft(
        Signal("decision", "question_answered"),
        headline(f"{short}: {plain(answer.answer)}"),
        _parts(
            ("Question", f"{question}?"),
            ("Options", options),
            ("Choice", answer.answer),
            ("Rationale", why),
        ),
        [],
        factors=graded(grounds, question, scene.names),
        evidence=linked,
        spans=spans,
        extractor="learning.answered_question@1",
    )


def advice_signal(advice: Advice) -> Signal:
    """What a statement of advice, harm, gain or pattern speaks for."""
    if advice.category == "optimization":
        return Signal("optimization", "gain_in_numbers")
    if advice.category == "anti_pattern":
        return Signal("anti_pattern", "harm_stated")
    if advice.category == "pattern":
        return Signal("pattern", "pattern_with_reason")
    if advice.sentence.turn.origin == "human":
        return Signal("best_practice", "advice_by_person")
    return Signal("best_practice", "advice_with_reason" if advice.reason else "advice")


def from_advice(advice: Advice, later: Sequence[Step], scene: Scene) -> Draft:
    """What is said, why, and what to do about it.

    Args:
        advice: The statement.
        later: Steps after it; the first run that worked after an edit checks it.
        scene: The conversation.
    """
    said, follow = advice.sentence, advice.follow
    text = scene.neutral(statement(said.plain))
    order = scene.neutral(imperative(follow.plain)) if follow else ""
    edits, check = _checked(later)
    request = scene.request(said.turn.seq)
    files = file_names(edits)
    way_out = order or (scene.neutral(follow.plain) if follow and advice.reason == follow else "")
    label = {"anti_pattern": "Problem", "optimization": "Gain"}.get(advice.category, "Practice")
    action = {"anti_pattern": "Better", "optimization": "How"}.get(advice.category, "Why")
    worked = scene.neutral(shown(check)) if check else ""
    content = _parts(
        (label, text),
        (action, way_out),
        ("Done", f"Changed {_listed(files)}; after that, `{worked}` worked." if worked else ""),
        ("Asked", plain(request.text) if request and request.turn != said.turn else ""),
    )
    linked = [said.turn, *([check.result] if check and check.result else [])]
    if request and request.turn != said.turn:
        linked.insert(0, request.turn)
    grounds = Grounds(
        steps=bool(way_out and worked),
        guidance=bool(way_out) or advice.category == "best_practice",
        changed=bool(files),
        parts=1 + bool(way_out or advice.reason) + bool(worked or said.turn.origin == "human"),
        stands_alone=stands_alone(text),
        linked=len({turn.record_id for turn in linked}),
        verified=bool(worked) or said.turn.origin == "human",
    )
    spans = [Span(*said)]
    if follow and way_out:
        spans.append(Span(*follow))
    if check and check.result:
        spans.append(Span(check.result, *_last_line(check.result.text)))
    own = scene.names | {PurePosixPath(name).stem for name in files if len(name) > 6}
    return _draft(
        advice_signal(advice),
        headline(text),
        content,
        [*_languages(files), *([check.actions[-1].key.split()[0]] if check else [])],
        factors=graded(grounds, text, own),
        evidence=[*linked, *(edit.call for edit in edits)],
        spans=spans,
        extractor="learning.stated_advice@1",
    )


def from_routine(routine: Routine, scene: Scene) -> Draft:
    """Steps of a sequence of commands that is run again and again."""
    steps = [scene.neutral(shown(step, 80)) for step in routine.runs[0]]
    results = [step.result for run in routine.runs for step in run if step.result]
    count = len(routine.runs)
    content = _parts(
        ("When", f"a piece of work is finished; run {count} times in one session."),
        ("Steps", " ".join(f"{at}. {key}." for at, key in enumerate(routine.keys, 1))),
        ("Example", "; ".join(f"`{step}`" for step in dict.fromkeys(steps))),
    )
    grounds = Grounds(
        steps=True, guidance=True, changed=False, parts=2, stands_alone=True,
        linked=len(results), verified=True,
    )  # fmt: skip
    title = headline(f"Routine: {', then '.join(routine.keys)}")
    return _draft(
        Signal("workflow", "commands_repeated"),
        title,
        content,
        [key.split()[0] for key in routine.keys],
        factors=graded(grounds, f"{title} {' '.join(steps)}", scene.names),
        evidence=results,
        spans=[Span(r, *_last_line(r.text)) for r in results[:4]],
        extractor="learning.routine@1",
    )


def shown(step: Step, limit: int = COMMAND_SHOWN) -> str:
    """A command as people would write it: no folder change, no redirection, short paths."""
    command = " ".join(step.command.split())
    command = _FOLDER.sub("", command)
    while (cut := _REDIRECT.sub("", command)) != command:
        command = cut
    command = _LONG_PATH.sub(lambda path: PurePosixPath(path[0]).name, command)
    return shorten(command.replace("`", "'"), limit)


def _draft(
    signal: Signal,
    title: str,
    content: str,
    tags: Iterable[str],
    *,
    factors: Factors,
    evidence: Sequence[Turn],
    spans: Sequence[Span],
    extractor: str,
) -> Draft:
    linked = sorted({turn.record_id: turn for turn in evidence}.values(), key=lambda t: t.seq)
    times = [turn.occurred_at for turn in linked if turn.occurred_at]
    gist = content.split("Solution: ", 1)[-1].split("\n", 1)[0]
    return Draft(
        category=signal.category,
        title=title,
        content=content,
        tags=_tags(signal.category, tags, title),
        factors=factors,
        evidence=[turn.record_id for turn in linked],
        quotes=quotes(spans, linked),
        summary=shorten(f"{title.rstrip('.')}. {gist}"),
        signals=[signal.name],
        extractor=extractor,
        occurred_at=max(times, default=None),
    )


def _checked(later: Sequence[Step]) -> tuple[list[Step], Step | None]:
    """The edits that come next, and the run after them that worked; nothing where it failed."""
    edits: list[Step] = []
    for step in later[:12]:
        if step.kind == "edit" and step.worked is not False:
            edits.append(step)
        elif step.kind == "run" and edits and step.worked is not None:
            return (edits, step) if step.worked else ([], None)
    return [], None


def _last_line(text: str) -> tuple[int, int]:
    """Place of the last line that has words; of nothing where there is none."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    return start, end


def _parts(*parts: tuple[str, str]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in parts if text)


def _code(code: str) -> str:
    return "; ".join(f"`{line}`" for line in code.replace("`", "'").splitlines()) + "."


def _listed(names: Sequence[str]) -> str:
    kept = list(names[:4])
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(kept) + more


def _languages(files: Iterable[str]) -> list[str]:
    suffixes = (PurePosixPath(name).suffix.lstrip(".") for name in files)
    return [LANGUAGES[suffix] for suffix in suffixes if suffix in LANGUAGES]


def _tags(category: str, given: Iterable[str], title: str) -> list[str]:
    """Three to eight tags: what was given, the category, then telling words of the title."""
    known = [re.sub(r"[^\w.+#-]+", "-", tag).strip("-.").lower() for tag in given]
    telling = [word for word in words(title) if word not in STOP_WORDS and len(word) > 3]
    longest = sorted(dict.fromkeys(telling), key=lambda word: (-len(word), word))
    tags = list(dict.fromkeys(tag for tag in [*known, category.replace("_", "-")] if tag))
    for word in longest:
        if len(tags) >= max(FEWEST_TAGS + 2, len(known) + 2):
            break
        if word not in tags:
            tags.append(word)
    for word in ("learning", "rule"):
        if len(tags) < FEWEST_TAGS:
            tags.append(word)
    return tags[:MOST_TAGS]
