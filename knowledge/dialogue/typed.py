"""What a person typed: the stretches of a message in their name that are their own words.

The rest was pasted or put in: logs, traces, the output of a command behind its prompt, a plan that
an agent wrote, a review by a bot, what a slash command expands to. It is told by its form, and by
having stood in a message of an agent or a tool of the same conversation; never by length alone.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from cairn.knowledge.dialogue.sentences import LONGEST_TYPED
from cairn.knowledge.nlp.markup import blanked, without_markup
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.text import sentences

VERSION = 10
"""Rises when other stretches count as typed; a part of whatever reads a person's words."""

FEWEST_WORDS = 4
"""Words of a line or sentence that nobody writes twice by chance."""

_LONGEST_LINE = 2_000
_SHOWN = 300
"""Characters of a line that are enough to tell its form."""

_PASTED_WHOLE = lazy_pattern(
    r"""^\s*(?:
        implement\ (?:the|this)\ (?:following|attached|above)\ plan\b
      | caveat:\ the\ messages\ below
      | this\ session\ is\ being\ continued\ from\ a\ previous
      | base\ directory\ for\ this\ skill:
      | \[pasted\ text\b | \[image[\s:#]
      | operation\ stopped\ by\ hook\b | you\ are\ [^.\n]{0,60}\ taking\ over\ from\b
      | (?:please\ )?continue\ the\ conversation\ from\ where
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a message begins that was put in as a whole."""

_OFFER = lazy_pattern(
    r"(?i)^\W*(?:(?:great|perfect|now|so|ok|okay)[,!.] +)?(?:(?:would you like|do you want) me to"
    r"|shall i (?:go ahead|proceed|continue|start)|i hope this helps)\b"
)
"""How an assistant ends an answer, and nobody a message to one."""

_LONGEST_OFFER = 1_000
"""Characters in which an offer has begun."""

_FEWEST_ANSWERED = 5
"""Lines of an answer that was put in: of fewer a person may speak of one."""

_SLASH = lazy_pattern(r"^\s*/[a-z][\w:-]*(?:\s|$)")
_PROMPT = lazy_pattern(
    r"^\s*(?:❯|➜|>>>|\.\.\.\s|iex\(?\d*\)?>|[$%]\s|#\ (?=(?:apt|sudo|cd|docker|git)\b)"
    r"|\(?[\w.-]{1,40}@[\w.-]{1,60}[:\s][^\n$#%]{0,80}[$#%]\s|PS\ [A-Z]:\\[^>\n]{0,80}>)"
)
"""A prompt of a shell: what follows it up to an empty line is what was run, and its output."""

_FISH = lazy_pattern(
    r"""(?:^|(?<=\s))\S{1,40}@[\w.-]{1,60}\ [~/][^\s<>]{0,120}
      (?:\ \([^()\n]{1,80}\))?(?:\ \[\d+\])?>(?=\s|$)""",
    re.VERBOSE,
)
"""The prompt of fish, which is told from words wherever it stands in a line."""

_OUTPUT = lazy_pattern(
    r"""^(?:
        \s*[>|│┃╭╰╞├└┌┏┗═─━▶▸❌✅✓✔✗✘✖⨯×⚠🔴🟢⏺⎿]      # quotations, tables, ticks of tools
      | (?:\t|\ {4,})(?![ \t]*(?:[-*+•]|\d+[.)])\s)      # indented code
      | \s*\[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d              # lines of logs
      | \s*\[?\d\d:\d\d:\d\d
      | \s*[A-Z][a-z]{2}\ +\d{1,2}\ \d\d:\d\d:\d\d
      | \s*\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b[\]:\s]
      | \s*\[(?:error|warn(?:ing)?|info|debug)\]
      | \s*(?:error|warning|fatal|panic|caused\ by|stderr|stdout)(?:\[\w+\])?:\s
      | \s*error(?:\sTS\d+|\[E\d+\])
      | \s*(?:npm|yarn|pnpm)\ (?:ERR!|WARN|error)
      | \s*(?:at\s+[\w.$<>/]+\s*\(|File\s"|Traceback\b|goroutine\ \d+|created\ by\ \S+\ in)
      | \s*(?:[\w$]+\.)*\w*(?:Error|Exception|Panic|Warning):(?:\s|$)
      | \s*\*\*\s*\(\w+(?:\.\w+)*\)                       # ** (RuntimeError) …
      | \s*(?:---\ (?:FAIL|PASS|SKIP)|===\ (?:RUN|CONT|PAUSE)|FAIL\b|PASS\b|ok\ +\t?\S+/)
      | \s*(?:make(?:\[\d+\])?:\ \*\*\*|exit\ (?:status|code)\ \d|Process\ completed\ with\ exit)
      | \s*(?:FAILED|PASSED|ERRORS?|XFAIL)\s+\S+(?:::|\.py)
      | \s*[-=]{3,}.*[-=]{3,}\s*$ | \s*[-=_*]{3,}\s*$
      | \s*(?:(?i:please|pls|fix|also)[\ :]+)*    # place of an error
        (?:[\w.@~-]*/)*[\w.-]+\.\w{1,5}:\d+(?::\d+)?:?(?:\s|$)
      | \s*[+-]{1,3}(?![\s-])(?!\d) | \+(?:\t|\ {2,})\S | -(?:\t|\ {4,})\S | \s*@@\ | \s*diff\ --git
      | \s*(?://|/\*|\*/)\s | [a-z][\w\ -]{1,20}:\t
      | \s*[\w$.]+\([^)\n]*\)\s*[{;]\s*$ | \s*[}\])];?,?\s*$ | \s*(?:func|def|class|import|return
          |const|let|var|public|private|static|type)\s[^.!?\n]*[{:;=(]\s*\S*$
      | \s*"[\w.-]+"\s*:\s | \s*<\/?\w[^>\n]*>\s*$
      | \ {2,}(?:-\w,\ )?--?[\w-]+(?:[=\ ]\S+)?\ {2,}\S      # help of a program
      | \ {2,}[\w:-]+\ {2,}[A-Z]\w
      | \s*[Uu]sage:(?:\s|$) | \s*(?:Use|Run|Try|See)\ ["'`‘][^"'`’\n]*--?h(?:elp)?["'`’]
    )""",
    re.VERBOSE,
)
"""Lines that programs write, and code."""

_PADDED = lazy_pattern(r"\S {8,}$")
_FEWEST_PADDED = 3
"""A line that a terminal filled up to its edge; of fewer a person may have typed one there."""

_FRAME = lazy_pattern(r"^\s+at \S")
"""A line of a stack: what stands above it, behind a colon, is the error."""

_DIFF = lazy_pattern(r"(?:diff --git |@@ -\d|--- [ab]/|\+\+\+ [ab]/|index [0-9a-f]{7,}\.\.)")
_IN_DIFF = " \t+-\\"
"""How each line of a diff begins, below its head: what was left as it is stands there, too."""

_ASIDE = lazy_pattern(r"^\s*(?:note|hint|help|tip)(?:\[\w+\])?:\s")
"""What programs write below what they say, in lower case; alone, a person may write it, too."""

_WRITING = (
    r"(?:description|e-?mail|letter|message|article|transcript|puzzle|riddle|problem\ statement"
    r"|story|poem|essay|abstract|passage|challenge|conversation|chat|tweet|toot|post|announcement"
    r"|paragraph|blurb|headline|wording)"
)
_OF_OTHERS = lazy_pattern(
    rf"""(?i)(?:\b{_WRITING}\ (?:is|was|says|said|reads|goes|begins)(?:\ as\ follows)?
      |\b(?:this|following|here(?:'s|\ is)\ (?:the|an?|my|our|their))\ (?:\w+\ )?{_WRITING}
        (?:\ (?:from|by|of|to)\ [^:\n]{{1,40}})?
      |^\W*{_WRITING})\s*:\s*$
      | \b(?:think|make|say|about|consider|got|received)\b[^.?:\n]{{0,40}}\b(?:feedback
        |suggestion|finding|this\ one|review\ comments?|comments?\ (?:from|by)\ [^.?:\n]{{1,30}})\b
        [^.?:\n]{{0,40}}[?:]\s*$""",
    re.VERBOSE,
)
"""How a line ends below which stands what somebody else wrote."""

_QUOTATION = lazy_pattern(r"[\"“](?=\S)(?P<told>[^\"“”]{40,4000}?)(?<=[^\s(\[{=:,])[\"”](?!\w)")
_OF_SENTENCES = lazy_pattern(r"[.!?…]\s+\S|\n")
"""What a quotation has in it that is more than a name or one sentence to put in."""

_ANNOUNCED = lazy_pattern(
    r"""(?P<review>\b(?:got|get|received|this|following|pr|review|reviewer|bugbot|copilot|coderabbit)\b
        [^.:]{0,60}\b(?:feedback|comments?|suggestions?|review)\b
      | \b(?:ticket|issue|bug\ report|description|bugbot|copilot|coderabbit)\ (?:is|says|reads)\b)
    | \b(?:errors?|outputs?|logs?|trace|traceback|stack|failures?|warnings?|prints?|printed
        |stderr|stdout|snippet|diff)\b
    | \b(?:clarify|explain|elaborate\ on)\ (?:this|that|the\ following)\b
    | \b(?:it|ci|that|which|this|log|build|run|\w+er)\ (?:says|said|shows|showed)\b
    | \b(?:get|got|getting|see|seeing|saw|returns?|returned|gives?|gave)\ (?:me\ )?
        (?:this|the\ following)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What a line speaks of that ends in a colon and has something pasted behind it."""

_SEVERITY = lazy_pattern(
    r"(?i)^\W*(?:(?:low|medium|high|critical)\s+severity\b|(?:severity|priority)\s*:"
    r"|\d{1,3}[.)]\W*(?:[\w@.-]+/)*[\w@-][\w@.-]*\.[a-z]{1,5}:\d+\b|potential issue\b"
    r"|actionable comments posted|additional locations?\b|suggested change\b)"
)
"""Lines that bots write in reviews."""

_OWN_AGAIN = lazy_pattern(
    r"(?i)^\s*(?:let'?s|let|can|could|would|will|please|i|i'm|i'd|i've|we|my|so|ok|okay|what|why"
    r"|how|should|do|don'?t|is|are|but|and|also|no|yes)\b[^\w\n]+\S+[^\S\n]+\S"
)
"""How a paragraph begins in which a person speaks again behind what they pasted."""

_REQUEST = lazy_pattern(r"(?m)^#{1,3} My request for Codex:[ \t]*$")

_HEADING = lazy_pattern(
    r"(?m)^[ \t]*(?:#{1,6}[ \t]+\S|\*\*[^*\n]{3,60}\*\*:?[ \t]*$|[A-Z][\w /&-]{2,50}:[ \t]*$).*"
)
_FEWEST_HEADINGS = 3
"""Of what was written as a document; with fewer a person may order what they type."""

_SPEAKS = lazy_pattern(
    r"(?i)\b(?:i|we|my|our|us|me|mine|you|your|u|ur|lets?|please|pls|plz|ok|okay|yes|thanks|sorry)\b"
)
"""What a person who types to an agent hardly ever leaves out of several sentences."""

_OF_CODE = lazy_pattern(
    r"\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\w\(\)|\b\w+_\w+|\blines? \d+"
    r"|\b\w+\.(?:[A-Z]\w|[a-z]{1,4}\b)"
)
_REMARKS = lazy_pattern(
    r"(?!This (?:looks|seems|is (?:good|great|fine|nice))\b)"
    r"(?:The|This|These|When|If|In|After|Before|While|An?|Both|Each|Including|Missing|Since|Although"
    r"|Setting|Using|Calling)\b"
    r"|[`\w.]*(?:[a-z][A-Z]|\w_\w|\w\.\w|\(\))"
)
"""How a remark on code begins; an order begins with its verb."""

_LEADS_IN = lazy_pattern(
    r"(?i)^(?:and |this |same |another |next |one |is |also )*(?:for|in|at) \S+:\d+[\s.:,-]*"
)
"""How somebody says where a remark belongs that they paste."""

_FINDS_FAULT = lazy_pattern(
    r"(?i)\b(?:consider|should|instead|never|unused|duplicate[sd]?|duplicating|missing|lacks?|without|fails?"
    r"|incorrect\w*|inconsistent\w*|could|may|might|caus(?:es?|ing)|lead(?:s|ing)|results? in|only"
    r"|no longer|but|however|not|also)\b"
)
_FEWEST_REMARKED = 150
"""Characters of a remark: what is shorter a person may type, too."""

_MARKS = lazy_pattern(r"^(?:\s*(?:[-*+•>|]|\d{1,3}[.)]|\[[ xX]\]|#{1,6}))+\s+|[*_`\"“”]")


class _Paragraph(NamedTuple):
    """Lines between empty lines, as spans of the text."""

    lines: tuple[tuple[int, int], ...]


def typed(text: str, stood: Collection[str] = ()) -> str:
    """A message of the same length, with blanks where a person did not type it.

    Args:
        text: The message.
        stood: Lines and sentences of earlier messages of agents and tools, as `standing` gives.
    """
    kept = without_markup(text)
    if _PASTED_WHOLE.match(kept):
        return blanked(kept)
    parts: list[str] = []
    at = 0
    for start, end in sorted([
        *_context(kept), *_remark(text), *_document(kept), *_answers(kept), *_quoted(kept),
        *_diffs(kept), *_pasted(kept), *_repeated(kept, stood),
    ]):  # fmt: skip
        if end > at:
            parts += (kept[at : max(start, at)], blanked(kept[max(start, at) : end]))
            at = end
    return "".join([*parts, kept[at:]])


def _remark(text: str) -> Iterator[tuple[int, int]]:
    """A remark of a review, up to where somebody speaks: it finds fault with code that it names."""
    spoken = _SPEAKS.search(text)
    end = len(text)
    if spoken:
        if spoken.start() < _FEWEST_REMARKED:
            return
        end = max((last for _, last in sentences(text) if last <= spoken.start()), default=0)
    told = _LEADS_IN.sub("", text[:end].strip())
    if (
        len(told) >= _FEWEST_REMARKED
        and _REMARKS.match(told)
        and len(set(_OF_CODE.findall(told))) > 1
        and _FINDS_FAULT.search(told)
    ):
        yield 0, end


def standing(text: str) -> Iterator[str]:
    """Lines of a message that can be known again, and the sentences of each that is prose."""
    for line in text.splitlines():
        if line.count(" ") < FEWEST_WORDS - 1 or len(line) > _LONGEST_LINE:
            continue
        yield _key(line)
        for start, end in sentences(line):
            if end - start < len(line.strip()):
                yield _key(line[start:end])


def _key(line: str) -> str:
    return " ".join(_MARKS.sub("", line).split()).rstrip(".!,;:").casefold()


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    lines: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line.strip():
            lines.append((start, end))
        elif lines:
            yield _Paragraph(tuple(lines))
            lines = []
        start = end + 1
    if lines:
        yield _Paragraph(tuple(lines))


def _answers(text: str) -> Iterator[tuple[int, int]]:
    """What an assistant answered elsewhere, up to the offer at its end.

    Where it begins cannot be told: from the line on that announces it, or from the first one.
    """
    begin = 0
    for paragraph in _paragraphs(text):
        start, end = paragraph.lines[-1]
        last = text[start:end]
        if text.count("\n", begin, end) >= _FEWEST_ANSWERED and any(
            _OFFER.match(last[first : first + _LONGEST_OFFER]) for first, _ in sentences(last)
        ):
            yield begin, end
            begin = end
        elif begin == 0 and len(paragraph.lines) == 1 and last.rstrip().endswith(":"):
            begin = end


def _context(text: str) -> Iterator[tuple[int, int]]:
    """What an editor puts in front of a request: open files, a page, a selection."""
    if asked := _REQUEST.search(text):
        yield 0, asked.end()


def _document(text: str) -> Iterator[tuple[int, int]]:
    """A brief or a plan, from its first heading on: too long to be typed, and parted by headings.

    An agent wrote it, or somebody for whoever would be asked.
    """
    headings = [found.start() for found in _HEADING.finditer(text)]
    if len(headings) >= _FEWEST_HEADINGS and len(" ".join(text.split())) > LONGEST_TYPED:
        yield headings[0], len(text)


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    """Spans of several sentences in quotation marks: what others wrote, or what is to stand."""
    for found in _QUOTATION.finditer(text):
        if _OF_SENTENCES.search(found["told"]):
            yield found.span("told")


def _diffs(text: str) -> Iterator[tuple[int, int]]:
    """Spans of diffs, from the first line of a head to the last one that begins as theirs do."""
    begin = end = None
    start = 0
    for line in text.split("\n"):
        if _DIFF.match(line) or (begin is not None and line.startswith(tuple(_IN_DIFF))):
            begin = start if begin is None else begin
            end = start + len(line)
        elif line and begin is not None and end is not None:
            yield begin, end
            begin = end = None
        start += len(line) + 1
    if begin is not None and end is not None:
        yield begin, end


def _run(paragraphs: Sequence[_Paragraph], text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs of a command's output between its prompt and the last line that is one's form.

    An empty line ends no output; that a person speaks again is told by how they begin.
    """
    shell = False
    waiting: list[tuple[int, int]] = []
    for paragraph in paragraphs:
        lines = [text[start:end] for start, end in paragraph.lines]
        whole = paragraph.lines[0][0], paragraph.lines[-1][1]
        prompts = (_PROMPT.match(line) or _FISH.search(line[:_LONGEST_LINE]) for line in lines)
        first = next((at for at, prompt in enumerate(prompts) if prompt), None)
        if first is not None:
            yield from waiting
            if shell and not _OWN_AGAIN.match(lines[0]):
                yield from paragraph.lines[:first]
            shell, waiting = True, []
        elif not shell:
            continue
        elif _OWN_AGAIN.match(lines[0]):
            shell, waiting = False, []
        elif any(map(_is_output, lines)):
            yield from [*waiting, whole]
            waiting = []
        else:
            waiting.append(whole)


def _pasted(text: str) -> Iterator[tuple[int, int]]:
    """Spans that have the form of what programs, bots and agents write."""
    announced = reviewed = False
    paragraphs = list(_paragraphs(text))
    several = "\n" in text.strip()
    filled = sum(_PADDED.search(line) is not None for line in text.split("\n")) >= _FEWEST_PADDED
    yield from _run(paragraphs, text)
    for paragraph in paragraphs:
        lines = [text[start:end] for start, end in paragraph.lines]
        whole = paragraph.lines[0][0], paragraph.lines[-1][1]
        yield from _thrown(paragraph, lines)
        if fish := _FISH.search(text, *whole):
            yield fish.start(), whole[1]
            lines = [
                line[: max(0, fish.start() - start)]
                for line, (start, _) in zip(lines, paragraph.lines, strict=True)
            ]
        if reviewed and _OWN_AGAIN.match(lines[0]):
            reviewed = False
        severe = next((at for at, line in enumerate(lines) if _SEVERITY.match(line)), None)
        if reviewed or announced or severe is not None:
            own = announced and not reviewed and _OWN_AGAIN.match(lines[0])
            announced = False
            if severe is not None or not own:
                reviewed = reviewed or severe is not None
                yield whole
                continue
        told_by_others = next(
            (at for at, line in enumerate(lines) if _OF_OTHERS.search(line[-_SHOWN:])), None
        )
        if told_by_others is not None and told_by_others + 1 < len(lines):
            yield paragraph.lines[told_by_others + 1][0], whole[1]
            continue
        odd = [
            _is_output(line)
            or (several and bool(_ASIDE.match(line)))
            or (filled and bool(_PADDED.search(line)))
            for line in lines
        ]
        if len(lines) > 2 and 2 * sum(odd) > len(lines):
            yield paragraph.lines[odd.index(True)][0], whole[1]
            continue
        shell = False
        for place, line, strange in zip(paragraph.lines, lines, odd, strict=True):
            shell = shell or _PROMPT.match(line) is not None
            if shell or strange:
                yield place
        told = lines[-1].rstrip()
        if told.endswith(":") and not shell and (found := _ANNOUNCED.search(told[-_SHOWN:])):
            announced, reviewed = True, bool(found["review"])
        elif _OF_OTHERS.search(told[-_SHOWN:]):
            announced = reviewed = True


def _thrown(paragraph: _Paragraph, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Spans of errors on the line on which a person began, above the stack pasted with them."""
    framed = [_FRAME.match(line) is not None for line in lines]
    for at, (frame, below) in enumerate(pairwise(framed)):
        if below and not frame and ": " in lines[at]:
            start, end = paragraph.lines[at]
            yield start + lines[at].index(": ") + 2, end


def _is_output(line: str) -> bool:
    form = line[:_SHOWN]
    return _SLASH.match(form) is not None or _OUTPUT.match(form) is not None


def _repeated(text: str, stood: Collection[str]) -> Iterator[tuple[int, int]]:
    """Lines and sentences that stood before; a message of one line is a choice, no quotation."""
    if not stood or "\n" not in text.strip():
        return
    for paragraph in _paragraphs(text):
        for start, end in paragraph.lines:
            line = text[start:end]
            if line.count(" ") < FEWEST_WORDS - 1:
                continue
            if _key(line) in stood:
                yield start, end
                continue
            for first, last in sentences(line):
                said = line[first:last]
                if said.count(" ") >= FEWEST_WORDS - 1 and _key(said) in stood:
                    yield start + first, start + last


_TYPING = pl.col("kind").is_in(["message", "note"]) & (pl.col("origin") == "human")


def typed_words(logs: pl.DataFrame) -> pl.Series:
    """For rows of RAW_LOGS sorted by conversation and place: what a person typed in each.

    Null where no person wrote the row, or all of it was typed.
    """
    rows = logs.select(
        "namespace", "conversation_id", "text", own=_TYPING.fill_null(value=False),
        said=pl.col("kind").is_in(["message", "thinking", "tool_result"]),
    )  # fmt: skip
    lines = pl.col("own") & pl.col("text").str.strip_chars().str.contains("\n", literal=True)
    last = pl.int_range(pl.len()).filter(lines).max().over("namespace", "conversation_id")
    place = pl.int_range(pl.len()).over("namespace", "conversation_id")
    rows = rows.with_columns(before=(place < last).fill_null(value=False))
    found: list[str | None] = []
    stood: set[str] = set()
    conversation: tuple[str, str] | None = None
    for namespace, own_conversation, text, own, told, before in rows.iter_rows():
        if conversation != (namespace, own_conversation):
            conversation, stood = (namespace, own_conversation), set()
        if own:
            words = typed(text, stood)
            found.append(None if words == text else words)
            continue
        found.append(None)
        if told and before and text:
            stood.update(standing(text))
    return pl.Series("typed", found, dtype=pl.String)
