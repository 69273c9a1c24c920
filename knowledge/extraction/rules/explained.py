"""What a person explains beside their request: a note, how things are, why something failed.

A correction that can only be read beside what it corrects is a wish of its session.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from cairn.knowledge.extraction.rules.directives import (
    TO_AGENT,
    as_kept,
    directives,
)
from cairn.knowledge.extraction.rules.forms.decisions import POINTS_BACK
from cairn.knowledge.extraction.rules.forms.directives import is_order
from cairn.knowledge.extraction.rules.forms.project import tells_of_project
from cairn.knowledge.extraction.rules.forms.word_classes import ASKS, ORDER, PAST, TROUBLED
from cairn.knowledge.extraction.rules.rule import (
    BY_OWN_HAND,
    SAID_BY_PERSON,
    Record,
    Rule,
    RuleExample,
    RuleMatch,
    each,
    rule,
)
from cairn.knowledge.extraction.rules.statements import (
    LONGEST_SENTENCE,
    parts,
)
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.plain_words import PlainWords, lead_in, plain_words
from cairn.knowledge.nlp.text import STOP_WORDS, words
from cairn.knowledge.schema.policy import Policy

_NOTE = lazy_pattern(
    r"""(?:^|[(;]\s*|[-–—]\s+)(?:(?:and|but|also|please|so|just)\ )*(?:
        note(?:\ that\b|:)?\ (?!to\b|from\b|how\b|the\ (?:output|error|line)\b)
      | fyi[:,]?\ | for\ your\ information[:,]?\ | just\ so\ you\ know[:,]\ (?:that\ )?| heads[-\ ]up[:,]?\ (?:that\ )?
      | (?:keep|bear)\ in\ mind(?:\ that)?[:,]?\ | be\ aware(?:\ that)?[:,]?\ | mind\ that\s
      | for\ (?:some\ )?(?:context|background|reference)[:,]\ | (?:some\ )?(?:context|background):\s
      | as\ a\ reminder[:,]\ | (?:quick\ )?reminder:\ | you\ (?:should|need\ to|have\ to)\ know\ that\s
      | it\ is\ (?:important|worth|good)\ to\ (?:know|note)\ that\s
      | (?:[^,;]{1,40},\ |[^,;]{1,40}\ to\ )?(?:(?:you|we)\ (?:can|should|could)\ )?(?:mention|state|document|make\ (?:it\ )?(?:very\ )?(?:clear|explicit))\ that\s
    )(?P<told>.+)""",
    re.VERBOSE,
)
"""What a person wants known."""

_HEADED = lazy_pattern(r"\b(?:context|background|reference)[:,]\ $")
_TELLS = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|does|do|can|cannot|can't|must|may|will|won't|isn't|aren't"
    r"|doesn't|don't|wasn't)\b|\b(?:we|they|people|users|customers)\ [a-z]+\b"
    r"|\b(?:the|our|my|each|every|all|an?)\ (?:[\w'/.-]+\ ){1,3}?[a-z]+\ (?:to|in|on|the|an?|by|with"
    r"|for|from|as|at|that|into|through|via|under|its|our|every|all)\b"
)
"""A verb that says something of a thing: what stands behind "Context:" is often but a heading."""

_CORRECTION = lazy_pattern(
    r"""^\W*(?:(?:hm+|oh|ah|sorry|well|but|and|wait|hey|ok|okay),?\ )*(?:
        no+\ ?[,.!:;—–-]+\ | nope\b[,.!:;\ —–-]*\ | wrong\ ?[,.!:;—–-]+\ | incorrect\ ?[,.!:;—–-]+\s
      | (?:exactly|precisely|correct|that\ is\ (?:exactly\ )?(?:right|it|correct))\ ?[,:;—–-]+\s
      | correction:\ | not\ (?:quite|really|exactly|true|correct|right)\ ?[,.!:;—–-]+\s
      | (?:you\ are|u\ r|that\ is|this\ is|it\ is)\ (?:just\ |simply\ |completely\ |actually\ )?
          (?:not\ (?:correct|right|true|accurate|quite\ right|how\ (?:it|this|that)\ works
            |what\ (?:i|we)\ (?:asked|meant|wanted|said)(?:\ for)?|the\ case)|wrong|incorrect|mistaken|false)
          \ ?[,.!:;—–-]+[>\s]*
      | (?:you|you\ have)\ (?:misunderst(?:ood|and)|got\ (?:it|that|this)\ wrong|misread)\b[^:,.]{0,40}[,.:;—–-]+\s
      | (?:my|the)\ point\ (?:is|was)(?:\ that|:)?\ | what\ i\ mean(?:t)?\ (?:is|was)(?:\ that|:)?\s
      | to\ (?:clarify|be\ clear|be\ precise)[:,]\ | actually[:,]\ | in\ fact[:,]\ | i\ meant(?:\ that)?[:,]?\s
      | i\ (?:asked\ (?:you\ (?:for\ |to\ )?|for\ )|said\ (?:you\ )?(?:to\ )?)(?=\w)
    )""",
    re.VERBOSE,
)
"""How a person begins who puts an agent right, or says in their own words what they agree to."""

_BARE = lazy_pattern(
    r"""^\W*(?:(?:hm+|oh|ah|sorry|well|but|and|wait|hey|ok|okay),?\ )*(?:nope?|wrong|incorrect
      |(?:you\ are|that\ is|this\ is|it\ is)\ (?:not\ (?:correct|right|true|quite\ right
        |how\ (?:it|this|that)\ works|what\ (?:i|we)\ (?:asked|meant|wanted|said)(?:\ for)?)
        |wrong|incorrect|mistaken))\W*$""",
    re.VERBOSE,
)
"""… in a sentence of its own."""

_RIGHT_AND_WRONG = lazy_pattern(
    r"^(?:no,?\ )?(?:the|our|that|your)\ [\w'/.-]+(?:\ [\w'/.-]+){0,3}\ (?:is|are|was|were)\ (?:right|correct|fine|wrong|as\ intended"
    r"|as\ it\ should\ be)\b\W+(?:and\ |but\ )?(?:it\ is\ )?(?:the|our|that|your)\ [\w'/.-]+(?:\ [\w'/.-]+){0,3}"
    r"\ (?:that\ )?(?:is|are|was|were)\ (?:right|correct|fine|wrong|broken|outdated|stale|to\ blame)\b"
)
_FAULT = r"(?:flak\w*|crash\w*|bugs?|errors?|leaks?|failures?|timeouts?|duplicates|slow\w*|jitter|resets?|hangs?|outage|incident|spikes?|deadlocks?|regression|lag|drift|mismatch|warnings?|build|deploy|tests?|pipeline|job)"
_BROKE = r"(?:failed|broke|crashed|hung|froze|stalled|leaked|dropped|disconnected|vanished|doubled|tripled|exploded|timed\ out|got\ (?:lost|stuck|killed|poisoned|corrupted)|went\ (?:nan|down|wrong)|fired\ twice|was\ (?:slow|lost|empty|stale))"
_CAUSED = lazy_pattern(
    rf"""(?:(?:(?:figured|worked)\ it\ out|found\ it|mystery\ solved|solved\ it)[,.!:;—–-]+\ (?!(?:i|you|let|can|now|please|next|it|that|this)\b)\w
      |(?:(?:figured\ (?:it\ )?out|found\ (?:it|out)|got\ it|solved|for\ the\ record|so|ok)[,.!:;—–-]*\ )*(?:
        (?:it\ )?turn(?:s|ed)\ out\ (?:that\ )?(?!you\b|i\b|we\b|not\b)\w
      | (?:the|our|those)\ (?:[\w'/.-]+\ ){{0,4}}{_FAULT}\ (?:[\w'/.-]+\ ){{0,5}}?(?:(?:was|were)\ (?:due\ to|caused\ by|because)|(?:came|comes)\ from|{_BROKE}\ (?:because|since|as|due\ to))\ \w
      | (?:the|our)?\ ?(?:[\w'/.-]+\ ){{1,5}}{_BROKE}\ (?:because|due\ to|since|cause|bc)\ \w
      | (?:the|our|those)\ (?:[\w'/.-]+\ ){{0,3}}{_FAULT}\ (?:was|were)\ (?:the|our|an?)\ (?:[\w'/.@-]+\ ){{2}}\w
      | (?:the\ )?root\ cause(?:\ of\ [^:;?]{{3,60}})?(?::|\ was|\ is)\ (?!(?:not|unclear|unknown)\b)\w
      | (?!(?:it|this|that)\b)[^,;?]{{5,60}}?\ turned\ out\ to\ be\ (?!(?:fine|ok|good|hard|easy|wrong)\b)\w
      | it\ (?:only|finally)\ worked\ (?:after|once|when)\ (?:i|we)\ \w
      | [^;?]{{8,80}}\ is\ what\ (?:broke|caused|fixed|solved|killed|made)\ \w
      | i\ (?:finally\ |now\ )?(?:understood|found\ out|figured\ out)\ why\ [^:;?]{{5,80}}(?::|\ [-–—])\ \w
      | last\ time\ we\ [^;?]{{5,80}}?,?\ (?:it|they|everything|the\ [\w-]+)\ (?:{PAST}|\w{{2,}}ed)\b
      | we\ (?:already\ |once\ )?tried\ [^;?]{{5,80}}\b(?:nightmare|mess|disaster|reverted|rolled\ (?:it\ )?back|backfired)\b
      | (?:the|my)\ reason\ (?:why\ |that\ |for\ )?(?!(?:i|you)\b)[^,.;:]{{3,60}}?\ (?:was|is)\ (?!(?:that\ (?:it|this)|not|unclear)\b)\w
      | (?:[^,;]{{3,60}},\ (?:but\ )?)?what\ (?:actually\ |finally\ |really\ )?(?:fixed|solved|helped|broke|caused)\ (?!(?:you|us)\b)[^,;:]{{2,60}}?\ (?:was|is)\ \w
      | (?!(?:it|that|this|there)\b)(?!.*\bnow\b)[^;?]{{10,120}},\ that\ is\ (?:why|where|how)\ \w
      | (?:last\ time|once|in\ the\ past)\ we\ [^;?]{{5,120}}\ (?:because|since|bc)\ \w
      | x{{2,}}\S*\ (?:fixed|solved|cured)\ (?:it|that|this)\b | [^;:?]{{3,60}}:\ it\ was\ (?:the|an?|our)\ \w | [^;?]{{5,80}},\ (?:the\ )?reason\ was\ \w
      | [^;?]{{5,80}}\ (?:went\ away|disappeared|stopped)\ (?:after|once|when)\ (?:i|we)\ \w
      | (?:the|our)\ (?:[\w'/.-]+\ ){{1,4}}(?:{PAST}|\w{{2,}}ed|(?:was|were)\ \w+ing)\b[^;?]{{5,100}}?\ because\ (?!(?:you|i|it|this|that|they)\b)\w
      | we\ (?:once\ )?(?:lost|broke|leaked)\ [^;?]{{3,80}}\ (?:because|since|when)\ \w
    ))""",
    re.VERBOSE,
)
"""What somebody says of the cause of a failure, or of what ended it."""
_BEGINS = lazy_pattern(
    rf"(?!turn(?:s|ed)\ out\b)(?:{ORDER}\ (?:the|an?|it|this|that|your|tabs)|use|add|make|fix)\b",
    re.VERBOSE,
)
_UNSURE = lazy_pattern(
    r"\b(?:maybe|perhaps|probably|might|wonder\w*|not sure|seems?|looks like|should|could|would|you|your|if|whether)\b|\?"
)
_FEWEST_OF_CAUSE = 8
"""Words of a cause that names nothing as code has it."""

_CAUSE = lazy_pattern(
    r"(?:[^,.;:]{0,30}[,;:—–-]\s(?:so\ |and\ |but\ )?)?(?:turns\ out\ )?(?:the|my|our)\ "
    r"(?:real\ |actual\ |root\ |main\ |underlying\ )?(?:issue|problem|cause|root\ cause|reason|culprit|trick|bug)\ "
    r"(?:here\ |(?:why\ |that\ |for\ )?(?:it|this|that|they|the)\b[^,.;:]{0,40}?\ )?(?:was|turned\ out\ to\ be)\ (?P<told>(?!that\ (?:it|this)\b|not\b|just\ me\b|fixed|solved|with\b|when\b).+)"
)
"""What was at fault, once it is known."""

_STANDS = lazy_pattern(
    r"""(?:
        (?:this|it(?!\ is\ an?\ (?:public|private)\b))\ (?:is|will\ be)\ (?:(?:just|only|also)\ )*(?:an?\ |(?=(?:demo|test|toy|sample)\ ))(?!nice|great|good|cool|bad|better|simple|quick|new|huge|real|test|big)(?:[\w'/.-]+\ ){0,3}(?:monorepo|repo|repository|project|library|cli|app|application|service|plugin|website|codebase|fork|package|game|bot|extension|prototype|sdk|demo)\b
      | (?:(?:the|our|all|each|every)\ (?:[\w'/.-]+\ ){1,4}|(?!this\b|always\b|these\b|those\b|let\b)(?:[\w/.-]+\ )?[\w/.-]+(?<!s)s\ |x{3,}\ |[\w-]*\w[._/]\w[\w./-]*\ )(?:
          lives?\ (?:in|under|next\ to|at|on|inside|beside)\b
        | (?:is|are|gets?)\ (?:always\ |only\ |also\ )?(?:generated|built|rendered|tested|formatted|linted|bundled|packaged|compiled|provisioned|signed|backed|stored|shared|deployed|defined|configured|loaded|hosted|written|managed|vendored|owned|maintained|kept|read|published|exposed|used|implemented|handled|parsed|persisted)\ (?:from|in|with|by|on|to|at|as|under|via)\b
        | ha(?:s|ve)\ (?:its|their)\ own\b
        | (?:is|are)\ (?:frozen|off-limits|(?:read|append|write)[- ]only|vendored|deprecated|legacy|obsolete|private|immutable|stateless|idempotent|case[- ](?:in)?sensitive|(?:auto-?)?generated(?=,?\ (?:so\ )?(?:please\ )?(?:do\ not|never)\b)|\w+[- ](?:agnostic|specific|dependent|independent))\b
        | (?:needs?|requires?)\ (?:an?\ |the\ )?[\w'/.-]+(?:\ [\w'/.-]+){0,2}\ (?:running|installed|set|to\ be\ (?:running|installed|set))\b
        | runs?\ (?:on|in|under|behind)\ (?!my\b|every\b|the\ background\b|parallel\b|circles\b)
        | (?:depends?\ on|talks?\ to|listens?\ on|go(?:es)?\ through|goes?\ (?:in|into|under)|go\ (?:in|into|under)|belongs?\ (?:in|under|into))\ (?=\S)
        | (?:is|are)\ (?:in|at|under)\ (?=x{3,}|[\w-]*[./~])
        | (?:is|are)\ (?:only|just|solely)\ (?:for|used|needed|required|useful|relevant|meant|supported|available|intended)\b
        | (?:is|are)\ not\ (?:relevant|meant|intended)\ (?:for|in|on|by)\b
      )
      | (?!(?:it|this|that|these|those|there|what|which|who|he|she|they|you|i|we|the\ (?:latter|former|first|second|last)|the\ \w+\ (?:issue|problem))\b)(?:[\w/.-]+\ ){1,4}?(?:(?:is|are)\ (?:only|just|solely)\ (?:for|used|needed|meant|intended)\b
        |only\ works?\ (?:if|when|with|on|for|in|after)\ \S|(?:is|are)\ (?:always\ )?(?:stored|kept|hosted|deployed|generated|written|managed|configured|defined|versioned|deprecated)\ (?:from|in|with|by|on|to|at|as|under|via)\b|(?:is|are|was|were)\ (?:supposed|meant)\ to\ (?:be|go|live)\ (?:in|at|under|on|inside)\ \S|(?:is|are)\ at\ (?=x{3,}|[\w-]*[./~])|(?:is|are|was|were)\ (?:intentional|deliberate|on\ purpose|by\ design)\b
        |(?:is|are)\ (?:now\ )?(?:the|our)\ (?:(?!only\b)\w+\ )?(?:source\ of\ truth|(?:preferred|recommended|standard|canonical|official|primary)\ (?!(?:problem|issue|reason|question|thing|concern)\b)\w+)\b)
      | (?:you\ (?:can|must|have\ to|need\ to)\ |just\ )?(?:use|run)\ x{3,}(?=\ (?:first\ )?to\ (?!(?:see|check|verify|confirm|find|reproduce|debug|show|be|look)\b)\w)
      | (?:to|for)\ [^,;?]{3,60},?\ (?:you\ (?:can|must|have\ to|need\ to)\ |just\ )?(?:use|run)\ x{3,}
      | (?:all|every|each)\ (?:[\w'/.-]+\ ){1,3}can\ be\ \w+(?:ed|ne)\ (?:\w+ly\ )?(?:with|using|via|by|from)\ (?:the\ |a\ )?(?=x{3,}|--?\w|[\w-]*[./_-]\w)
      | you\ (?:can|must)\ (?!(?:see|check|verify|confirm|find|reproduce|debug|fix)\b)[^,;?]{3,60}\ (?:with|by\ running|using)\ x{3,}
      | the\ reason\ (?:why\ |that\ )?we\ (?!(?:see|get|had|have|are)\b)[^,;?]{3,60}\ is\ (?:that|because|to)\ \w
      | the\ only\ way\ to\ [^,;?]{3,60}\ is\ (?:to|by|with|via|through)\ \S
      | (?:this|it)\ is\ (?:just\ |only\ )?for\ (?:personal|private|internal)\ \w
      | (?:to|in\ order\ to|before\ you\ can)\ (?!(?:fix|be|do|see|me|you|us)\b)[^,;.?]{2,60}?,?\ (?:you|we|one)\ (?:first\ |also\ |always\ )?(?:need\ to|have\ to|must)\ (?!(?:consider|think|discuss|decide|plan|understand|look|figure|find|investigate|create|build|implement|add|refactor|fix)\b)\w
      | (?:all|every|each)\ (?!tests?\b)(?:[\w-]+\ ){1,3}(?:is|are)\ (?:in|kept|written|named|prefixed|sorted|private|public|optional)\ \w
      | everything\ (?:under|in|below|inside|outside)\ \S+\ (?:is|must|should|goes|has)\ \w
      | (?:the|our)\ (?:priority|precedence|order\ of\ (?:precedence|priority))\ is\ \S
      | (?:the|our)\ (?:minimum|maximum|default|required|supported|lowest|highest|target|oldest)\ (?:[\w-]+\ ){1,3}is\ \w
      | (?:the|your|our)\ (?!(?:culprit|problem|issue|reason|cause)\b)(?:[\w'-]+\ ){1,4}is\ me(?=[.!]?$|\ \()
      )""",
    re.VERBOSE,
)
"""How a person tells how things are set up."""

_CALLED = lazy_pattern(
    r"""(?:
        the\ (?P<thing>(?:[\w'/.-]+\ ){1,4}?)(?:is|are)\ (?:(?:actually|simply|always)\ )*(?P<called>(?:called|named)\ )?
      | (?:it|that|they)\ (?:is|are)\ (?:(?:actually|spelled|written|in)\ )*(?P<known>(?:called|named)\ )?(?=\S+?(?:\ now)?,?\ (?:and\ )?not\s)
      )(?P<name>(?!\w+ly\b|(?:by|from|when|with|on|in|at|for|twice|once|again)\b)[^\s,;]+(?:\ (?!now\b)[^\s,;]+)?)(?:\ now)?(?:,?\ (?:and\ )?not\ [^,;]{1,40})?[.!]?$""",
    re.VERBOSE,
)
"""How a person tells what something is called, or which it is."""

_NAME = lazy_pattern(r"`[^`]+`|@?[\w~]*[\w/~](?:[-_./:@][\w/]+)+/?|[\w.-]+/|--?\w[\w-]+")
_PERSONS = lazy_pattern(
    r"\b(?:team|owner|maintainer|author|company|organi[sz]ation|customer|client|developer|account|database|language"
    r"|framework|os|system|editor|shell|provider|registry)\s$"
)
"""What is called by a word with a capital, as people are."""

_NAMED_THING = lazy_pattern(
    r"\b(?:tool|command|executable|binary|package|library|repo|repository|project|folder|branch|table|database"
    r"|service|app|product|module|plugin|script|bot|server|cluster|environment|bucket|queue|team|company)\s$"
)
_NUMBERED = lazy_pattern(r"\b(?:port|timeout|limit)\s$")

_QUOTED = lazy_pattern(r"[\"“]([^\"“”]+)")
"""What begins a correction that quotes a page."""

_HIDDEN = lazy_pattern(r"x{4,}")
_NAMES = lazy_pattern(
    r"`[^`\n]+`|\b\w+[._/]\w|\b[a-z]+[A-Z]\w|\w\(\)|(?<=\s)[~/.][\w/]|\b[A-Z]{3,}\b|\b\w+-\w+"
)
"""A name as code has it."""

_POINTS = lazy_pattern(
    r"^(?:it|its|this|that|these|those|they|there\ is|he|she|both|so|because|i|if|what|why"
    r"|how|who|which|when|where|is|are|was|do|does|did|can|could|would|will|should|yes|no|maybe|perhaps|let|please"
    r"|also \w+s|you|your|thanks|sorry|same|just|not|nothing|something|sure|ok|okay|wait|to|for|at|with|about)\b"
)
_DOUBTS = lazy_pattern(
    r"\b(?:maybe|perhaps|probably|might|wonder\w*|not sure|seems?|looks like"
    r"|should|could|would|want|need you|you|i|my|me)\b|\?"
)
_OF_US_NOW = lazy_pattern(
    r"(?:we|they|i) (?:also |now |still )*(?:need|have) to (?:build|create|implement|add|make|fix|write|consider|understand|find|check|look"
    r"|think|decide|discuss|plan|figure|refactor|update)\b"
    r"|(?:we|they) (?:are|were) (?:not )?(?:working|ready|concerned|worried|done|there|fine|good|interested|sure|trying|looking|going|talking)\b"
)
_THINGS_SEEN = lazy_pattern(
    r"\b(?:here|above|below|this|these|those|again|now|currently|still|today|just)\b"
    r"|\bthe (?:(?:same|other|last|new|old|failing) )?(?:issues?|problems?|errors?|bugs?|failures?|fix(?:es)?"
    r"|tests?|code|changes?|output|plan|task|result|merge|commit|branch|pr)\b(?! (?:of|for|in|on|to|with|from) \S)"
)
_MOMENT = lazy_pattern(
    r"\b(?:now|currently|still|again|today|already|above|below|same|other|new)\b"
)
_AT_PRESENT = lazy_pattern(r"\b(?:now|currently|still|again|today|in use|growing|crash\w*)\b")
_BEFORE = lazy_pattern(r"(?:the|our|my) (?:current|present|existing)\b")
"""What is told of because it is to be otherwise."""

_COMPLAINS = lazy_pattern(
    r"\b(?:twice|wrong\w*|missing|empty|nothing|nowhere|slow\w*|unused|duplicated?|invalid|not (?:defined|found))\b"
)
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|does|do|can|cannot|must|may|will|need"
    r"|\w{2,}s|\w{2,}ed)\b"
)
_FEWEST, _FEWEST_NOTED = (5, 3), (4, 2)
"""Words, and words that mean something, of a correction and of a note."""


class Explanation(NamedTuple):
    """What a person explained, as it is kept; `lasting` if it can be read alone next week."""

    text: str
    start: int
    end: int
    lasting: bool


@lru_cache(maxsize=4_096)
def explained(text: str, in_project: bool = False) -> tuple[Explanation, ...]:
    """Notes, corrections and causes in what a person typed, in order.

    Args:
        text: What they typed.
        in_project: Whether there is a project of which they may tell how it is.
    """
    taken = {one.end for one in directives(text)}
    found: list[Explanation] = []
    after_no = False
    for (start, end), following in pairwise([*parts(text), (0, 0)]):
        if end - start > LONGEST_SENTENCE:
            after_no = False
            continue
        plain = plain_words(text[start:end])
        one = (
            _called(text, start, end, plain)
            or _correction(text, start, end, plain, after_no)
            or _told(text, start, end, plain, in_project)
        )
        after_no = _BARE.match(plain.text) is not None and following != (0, 0)
        if one and one.end not in taken:
            found.append(one)
    return tuple(found)


def _called(text: str, start: int, end: int, words_: PlainWords) -> Explanation | None:
    """What something is called, in words that can be read alone."""
    plain, places = words_
    opening = lead_in(plain).opening
    found = _CALLED.match(plain, opening)
    if found is None or TROUBLED.search(plain):
        return None
    if not found["known"] and _THINGS_SEEN.search(plain[opening:]):
        return None
    thing = found["thing"] or ""
    name = text[start + places[found.start("name")] : start + places[found.end("name")]]
    if not (
        found["known"]
        or (
            found["called"]
            and (" not " in plain[found.end("name") :] or _NAMED_THING.search(thing))
        )
        or _NAME.fullmatch(name.rstrip(".!"))
        or (name[:1].isupper() and _PERSONS.search(thing))
        or (name.rstrip(".!").isdigit() and _NUMBERED.search(thing))
    ):
        return None
    start += places[opening]
    kept = as_kept(text[start:end])
    return Explanation(kept, start, end, lasting=True) if kept else None


def _told(
    text: str, start: int, end: int, words_: PlainWords, in_project: bool
) -> Explanation | None:
    """A note, how a project is, or a cause that was found."""
    plain, places = words_
    if note := _NOTE.search(plain):
        aside = "(" in note[0].partition(note["told"])[0] and plain.endswith(")")
        if _HEADED.search(plain[: note.start("told")]) and not _TELLS.search(note["told"]):
            return None
        found = _asserted(text, start + places[note.start("told")], end - aside, _FEWEST_NOTED)
        if found:
            return found if found.lasting else None
    opening = lead_in(plain).opening
    told = plain[opening:]
    if not (ASKS.match(told) or _BEFORE.match(told)):
        for at in (opening, *(cut.end() for cut in _NEXT_CLAUSE.finditer(plain, opening))):
            if (stands := _STANDS.match(plain, at)) and (
                found := _stands(text, start + places[at], end, plain[at:], stands[0])
            ):
                return found
        passing = _HEDGED.search(told) or _AT_PRESENT.search(told)
        if in_project and tells_of_project(told) and not passing:
            kept = as_kept(text[start + places[opening] : end])
            return Explanation(kept, start + places[opening], end, lasting=True) if kept else None
    start += places[opening]
    if _CAUSED.match(told) and not (_BEGINS.match(told) or _UNSURE.search(told)):
        kept = as_kept(text[start:end])
        if kept and (_NAMES.search(kept) or len(words(told)) >= _FEWEST_OF_CAUSE):
            return Explanation(kept, start, end, lasting=True)
    cause = _CAUSE.match(told)
    if cause is None or _DOUBTS.search(told) or not _NAMES.search(text[start:end]):
        return None
    first = re.search(r"(?:the|my|our)\ ", told)
    if first:
        start += places[opening + first.start()] - places[opening]
    kept = as_kept(text[start:end])
    return Explanation(kept, start, end, lasting=True) if kept else None


_NEXT_CLAUSE = lazy_pattern(r",?\ (?:and|but|so|since|because)\ |[;—–]\ ")


def _stands(text: str, start: int, end: int, told: str, stands: str) -> Explanation | None:
    """How things are set up, unless it is told of what is at fault, or at this moment."""
    passes = (
        len(words(told)) < _FEWEST_NOTED[0]
        or TROUBLED.search(told)
        or _COMPLAINS.search(told)
        or _DOUBTS.search(_NEEDED.sub(" ", _NEXT_CLAUSE.split(told, maxsplit=1)[0]))
        or _MOMENT.search(stands)
        or _HEDGED.search(told)
        or (stands.endswith("x") and "`" not in text[start:end])
    )
    kept = None if passes else as_kept(text[start:end])
    return Explanation(kept, start, end, lasting=True) if kept else None


_HEDGED = lazy_pattern(r"\bwhatever\b|\bi (?:think|guess|believe)\b")
_NEEDED = lazy_pattern(
    r"\b(?:you|we|one) (?:first |also |always )?(?:need to|have to|must|can)\b|\bis me\b"
)


def _correction(
    text: str, start: int, end: int, words_: PlainWords, after_no: bool
) -> Explanation | None:
    plain, places = words_
    if _RIGHT_AND_WRONG.match(plain):
        kept = as_kept(text[start:end])
        return Explanation(kept, start, end, lasting=False) if kept else None
    lead = _CORRECTION.match(plain)
    if lead is None and not after_no:
        return None
    return _asserted(text, start + (places[lead.end()] if lead else 0), end)


def _asserted(
    text: str, start: int, end: int, fewest: tuple[int, int] = _FEWEST
) -> Explanation | None:
    """What is asserted in a stretch of a text; None if nothing is that can be read alone."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    if quoted := _QUOTED.match(text, start, end):
        start, end = quoted.span(1)
    written = text[start:end].strip()
    plain = plain_words(written).text
    told = [word for word in words(plain) if not _HIDDEN.fullmatch(word)]
    content = [word for word in told if word not in STOP_WORDS]
    code = len(_HIDDEN.findall(plain))
    order = is_order(plain)
    if len(told) + code < fewest[0] - 2 * order or len(content) + code < fewest[1] - order:
        return None
    if (
        _POINTS.match(plain)
        or _DOUBTS.search(_NEEDED.sub(" ", plain))
        or not (order or _VERB.search(plain))
    ):
        return None
    if (order and POINTS_BACK.search(plain)) or _OF_US_NOW.match(plain):
        return None
    kept = as_kept(written)
    lasting = not (order or _THINGS_SEEN.search(plain))
    return Explanation(kept, start, end, lasting) if kept else None


def _explains(record: Record, _: Policy) -> Iterator[RuleMatch]:
    for one in explained(record.words, record.project is not None):
        yield RuleMatch(one.text, one.start, one.end, predicate=None if one.lasting else "asks")


RULES: tuple[Rule, ...] = (
    rule(
        "explains",
        14,
        "What a person explains: how things are set up, a correction, the cause of a failure.",
        predicate="states",
        confidence=0.8,
        reads=SAID_BY_PERSON & BY_OWN_HAND & TO_AGENT,
        find=each(_explains),
        examples=(
            RuleExample(
                "Note that the cranes report in feet, not metres.",
                ("The cranes report in feet, not metres.",),
            ),
            RuleExample(
                "You are not correct: `Quay.next` receives the ship as its first argument.",
                ("`Quay.next` receives the ship as its first argument.",),
            ),
            RuleExample(
                "So the issue was the proxy, which drops `If-Match` headers.",
                ("The issue was the proxy, which drops `If-Match` headers.",),
            ),
            RuleExample(
                "`tides.db` is generated by the nightly job.",
                ("`tides.db` is generated by the nightly job.",),
            ),
            RuleExample(
                "The outbox is our preferred pattern for events.",
                ("The outbox is our preferred pattern for events.",),
            ),
            RuleExample(
                "Deploys happen on Tuesday. Odile owns the crane service.",
                ("Deploys happen on Tuesday.", "Odile owns the crane service."),
            ),
            RuleExample(
                "Turns out it was the DNS cache, the cranes kept the old address.",
                ("Turns out it was the DNS cache, the cranes kept the old address.",),
            ),
            RuleExample("The deploy tool is `quayctl`", ("The deploy tool is `quayctl`",)),
            RuleExample("The result is `None`. The hook is called twice. It is called berth."),
            RuleExample("The current list of berths is read from `berths.csv`, and should not be."),
            RuleExample("To check the berths we need to consider how the list is structured."),
            RuleExample(
                "No, that is fine. No, I meant the other one. The problem is that it fails."
            ),
        ),
    ),
)
