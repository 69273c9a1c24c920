"""Four factors by rule, the confidence from them, and the guards that make it zero."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from cairn.knowledge.dialogue.trust import AGENT, OUTSIDE, PERSON, TRUSTS, most
from cairn.knowledge.dialogue.turns import Turn
from cairn.knowledge.failures.stages import wilson
from cairn.knowledge.learnings.draft import Draft, Factors
from cairn.knowledge.llm.prompt_injection import QUARANTINED_ORDERS, gives_orders
from cairn.knowledge.schema.learning_categories import STRICT
from cairn.knowledge.schema.policy import Policy

WEIGHTS = Factors(actionability=0.35, generalizability=0.30, clarity=0.20, evidence=0.15)
UNLINKED_EVIDENCE = 0.4
SHORTEST_CONTENT = 100
LONGEST_TITLE = 100
GENERIC = frozenset(
    {"write tests", "use logging", "follow best practices", "add comments", "handle errors"}
)

_GENERAL_TOOL_LIST = (
    "git ssh scp rsync curl wget tar make bash sh docker npm node npx python python3 pip "
    "cargo go apt brew sudo systemctl sqlite postgres nginx kubectl"
)
GENERAL_TOOLS = frozenset(_GENERAL_TOOL_LIST.split())
"""Met in many contexts, so that a lesson about them holds in many."""

UNTRUSTED = {AGENT: "only an agent says so", OUTSIDE: "it stood in text from outside before"}
"""Why what somebody says is not believed."""

WEAK, GOOD, STRONG = 0.4, 0.7, 1.0
"""Grades of evidence."""

PROJECT = 0.4
"""Generalizability of what holds in one project."""

_CASE = re.compile(
    r"\b[0-9a-f]{8,}\b|#\d+|\b\d{4}-\d\d-\d\d\b|\b[0-9a-f]{4,}-[0-9a-f]{4,}-"
    r"|\b(?!SHA|MD5|UTF|ISO|RFC|CVE|PEP|HTTP)[A-Z]{2,}\d{3,}\b"
)
_IDENTIFIER = re.compile(
    r"\b[a-z]\w*_\w+|\b[a-z]+[A-Z]\w*|[\w-]+\.[a-z]{1,5}\b(?!/)|\b[a-z]\w+/(?!\d)"
)
_TECHNICAL = re.compile(r"\b[A-Z]\w*[A-Z.]\w*|\b\w+[._/:]\w+|--\w+|:\w+|\b[A-Z][a-z]{3,}\b")
_WORD = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True)
class DraftGrounds:
    """What a rule knows of its draft; the factors follow from it."""

    steps: bool
    """It names code, a command or steps that worked."""
    guidance: bool
    """It says in words what to do."""
    changed: bool
    """Something was changed, without a word on what."""
    parts: int
    """How many of the three parts that its category asks for are there."""
    stands_alone: bool
    """Whether its title can be read without the conversation."""
    linked: int
    """Messages and results that speak for it."""
    proofs: int
    """What bears it out: an outcome that was seen and is linked to it, a person's word or assent,
    each further conversation. An agent's narration is none."""


def factors(
    grounds: DraftGrounds, about: str, own_names: Iterable[str], named: str = ""
) -> Factors:
    """Grades of the four factors.

    Actionability: 1.0 with code, a command or steps; 0.7 with guidance in words; 0.4 when all that
    is known is what was changed; else 0. Clarity: 1.0 with all three parts and a title that stands
    alone; 0.7 when one of these is missing; 0.4 with one part; else 0. Evidence: see
    `evidence_grade`. Generalizability: see `scope`.

    Args:
        grounds: What is known.
        about: Title, and what else it is about.
        own_names: Names that belong to the project: its folder, the files that were edited.
        named: The error's message: what a tool names is not the project's alone.
    """
    if grounds.steps:
        action = 1.0
    elif grounds.guidance:
        action = 0.7
    else:
        action = 0.4 if grounds.changed else 0.0
    missing = 3 - grounds.parts + (not grounds.stands_alone)
    clarity = (1.0, 0.7, 0.4)[missing] if missing < 3 and grounds.parts else 0.0
    strength = evidence_grade(grounds.proofs) if grounds.linked else 0.0
    return Factors(action, scope(about, own_names, named), clarity, strength)


def evidence_grade(proofs: int) -> float:
    """Strength of evidence: 1.0 if borne out twice or more, 0.7 once, 0.4 if only narrated."""
    return (WEAK, GOOD, STRONG)[min(max(proofs, 0), 2)]


def evidence_of_fix(wins: int, losses: int) -> float:
    """Strength of evidence of a fix by the share of tries that it won, surely (Wilson's bound).

    As strong as that of two wins, or of one, without a loss; else weak.
    """
    bound = wilson(wins, losses)
    if bound >= wilson(2, 0):
        return STRONG
    return GOOD if bound >= wilson(1, 0) else WEAK


def scope(about: str, own_names: Iterable[str], named: str = "") -> float:
    """How widely a statement holds.

    0.0 for one case (it names an id, a ticket or a date); 0.4 for one project (it names the
    project, a file that was edited, a path or an identifier that no tool named, or speaks of "the"
    thing without a technical name); 1.0 for many contexts (it names a tool of everyday use); else
    0.7, one domain.
    """
    if _CASE.search(about):
        return 0.0
    folded = about.casefold()
    if any(re.search(rf"(?<![a-z]){re.escape(name.casefold())}", folded) for name in own_names):
        return PROJECT
    if any(identifier not in named for identifier in _IDENTIFIER.findall(about)):
        return PROJECT
    words = {word.casefold() for word in _WORD.findall(about)}
    if words & GENERAL_TOOLS:
        return 1.0
    return PROJECT if about.startswith("The ") and not _TECHNICAL.search(about, 4) else 0.7


def confidence(draft: Draft) -> float:
    """The weighted sum of the factors, unrounded, after the guards.

    Zero when the content is under 100 characters, or title or content say only what everybody
    says (GENERIC). Evidence counts at most 0.4 when no message is linked.
    """
    generic = {_canonical(draft.title), _canonical(draft.content)} & GENERIC
    if len(draft.content) < SHORTEST_CONTENT or generic:
        return 0.0
    graded = draft.factors
    strength = graded.evidence if draft.evidence else min(graded.evidence, UNLINKED_EVIDENCE)
    return (
        WEIGHTS.actionability * graded.actionability
        + WEIGHTS.generalizability * graded.generalizability
        + WEIGHTS.clarity * graded.clarity
        + WEIGHTS.evidence * strength
    )


def judged(draft: Draft, policy: Policy) -> Draft:
    """The draft with its confidence, and why it is refused, if it is.

    A shortcut is never taught. What an agent says by itself, or a text from outside said first, has
    no more confidence than a fact would; and a decision needs a person, whatever came of it.
    """
    trust = draft.trust
    if draft.category == "decision" and trust != PERSON:
        trust = min(trust, AGENT, key=TRUSTS.index)
    score = min(confidence(draft), most(trust, policy))
    bar = (
        policy.min_advice_confidence if draft.category in STRICT else policy.min_learning_confidence
    )
    reason = None
    if not draft.evidence:
        reason = "no message is linked"
    elif draft.shortcut:
        reason = f"a shortcut is not taught: {draft.shortcut}"
    elif most(trust, policy) < bar:
        reason = UNTRUSTED[trust]
    elif score == 0.0:
        reason = "too short or generic"
    elif not draft.title or len(draft.title) > LONGEST_TITLE:
        reason = "no usable title"
    elif round(score, 9) < bar:  # as sums of decimals, not as floats happen to add up
        reason = f"confidence {score:.2f} under {bar:g}"
    return msgspec.structs.replace(draft, confidence=score, refused=reason)


def held(draft: Draft, evidence: Iterable[Turn]) -> Draft:
    """The draft, held if it gives orders to a model, or rests on a message that does.

    What a tool returns beside an order to a model is not to be trusted either.
    """
    quoted = (quote.text for quote in draft.quotes)
    words = "\n".join([draft.title, draft.content, draft.summary, *draft.tags, *quoted])
    swayed = any(gives_orders(turn.text, turn.origin) for turn in evidence)
    if swayed or gives_orders(words, "agent"):
        return msgspec.structs.replace(draft, refused=QUARANTINED_ORDERS)
    return draft


def _canonical(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", text).casefold().split())
