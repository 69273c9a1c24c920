"""The forms of directives: what a person wants done or left, once and for all, or this time.

They are matched on a sentence in lower case in which code and quotations are `x` all through, of
the same length, so that places stay.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from typing import NamedTuple

from cairn.knowledge.nlp.plain_words import lead_in

_DEED_LIST = """
add adjust apply ask count depend rely assert assign await build bump cache call cast catch change check clean commit
compile configure convert copy create declare define delete deploy disable document download drop
edit embed enable escape expose extract fetch fix follow force format generate group handle
hardcode implement import include indent initialize inline inject inline insert install invent keep
leave let link lint list load lock log make mark measure merge migrate mix mock modify move mutate
name nest open order overwrite parse pass patch pin place prefix print publish pull push put quote
raise read rebase refactor refer release remove rename replace report return reuse review revert
rewrite round run save seed send separate set ship show sign skip sort split squash stage start stick
stop store stub summarize tag target test throw touch treat trust try type update upgrade use
validate verify work wrap write answer avoid begin bring clarify communicate confirm consider
explain give go mention offer prefer propose reply respond say send speak state suggest talk tell
translate
"""
_DEED = rf"(?:{'|'.join(sorted(set(_DEED_LIST.split()), key=lambda word: (-len(word), word)))})"
"""Verbs of what is asked of an agent."""

_DOING = (
    r"(?:using|running|storing|calling|following|logging|sending|testing|deploying|writing|reading|keeping"
    r"|publishing|mocking|caching|committing|pushing|hardcoding|polling|importing|loading|validating|guessing)"
)
"""The same, as what somebody does or is to leave."""

_WORK = (
    r"(?:commits?|commit\ messages?|pull\ requests?|prs?|functions?|files?|modules?|branch(?:es)?|steps?|tests?|comments?"
    r"|names?|messages?|diffs?|changes|classes|components?|answers?|explanations?|imports|exports)"
)
_MANNER = (
    r"(?:small|tiny|short|granular|atomic|separate|single|conventional|signed|squashed|focused|concise|minimal"
    r"|descriptive|incremental|meaningful|explicit|frequent|named|absolute|relative)"
)
"""How work is cut; praise and complaints are none."""

_ONES = (
    r"(?:people|users|contributors|developers|engineers|customers|clients|reviewers|everyone|everybody|others|agents"
    r"|(?:all|every|each|any)\ [\w-]+|the\ (?:team|agents?|users?))"
)
"""Whom somebody wants to do something, whoever they are."""

_NO_ORDER = (
    r"(?:worry|think|know|care|mind|bother|get\ (?:it|why|how|what|the\ point|that)|see|understand"
    r"|have\b(?!\ to)|need|want|believe|recall|remember|agree|like|love|feel|hesitate|panic|laugh|ask\ me"
    r"|forget|trust\ me|tell\ me|let\ me\b|give\ up|you\b|i\b|we\b|they\b|exist|work\b|seem|look|matter"
    r"|really|quite|actually|even|yet|be\b)\b"
)
"""What behind `do not` is no prohibition."""

_START = (
    r"(?:^|(?<=[,;:—–(-])\s*|\b(?:and|but|so|then|also|please|just|or)\s+"
    r"|\b(?:from\ now\ on|going\ forward|in\ (?:the\ )?future)\s+)"
)
_NOT = r"(?:do\ not|do\ never)"
_PLURAL = r"(?:\w+(?<!s)(?<!u)(?<!i)s|code|data|documentation|logging|typing|whitespace|output)"
"""A word that is a plural, or of what is not counted."""

_EVER = (
    r"(?:from\ now\ on|going\ forward|in\ (?:the\ )?future\b(?!\ (?:we|i|it|versions?|releases?))"
    r"|for\ future\ reference|every\ (?:single\ )?time|each\ time|^next\ time(?=,|\ (?:you|we)\b)|whenever|at\ all\ times"
    r"|under\ no\ circumstances|without\ exception|as\ a\ (?:general\ )?rule|in\ general|anywhere|everywhere"
    r"|(?:in|for|across|throughout)\ (?:this|our|the\ whole|the\ entire)\ (?:repo|repository|project|codebase"
    r"|code\ base|workspace|monorepo|team|package|org)"
    r"|(?:before|after|on|with|for|in|at)\ (?:every|each|any|all)\ (?:\w+\ ){0,2}(?:commit|push|change|edit|pr|merge"
    r"|release|run|deploy|session|task|file|test|message|answer|response|reply|branch|step)(?:e?s)?"
    r"|(?:before|after|when)\ (?:committing|pushing|merging|releasing|deploying|editing|finishing)\b"
    r"|in\ (?:unit\ |integration\ )?(?:tests|commit\ messages|comments|migrations|docstrings|logs|templates|production)\b"
    r"|never\ again|once\ and\ for\ all|any\ more|anymore)"
)
"""What says that something is meant for good."""

FOR_GOOD = re.compile(
    rf"""
      {_START}(?:always|never)\ (?:\w+ly\ )?{_DEED}\b(?!\ up\b|\ (?:us|me\ (?:happy|smile|laugh))\b)
    | {_START}{_NOT}\ ever\ \w
    | {_START}{_NOT}\ (?!{_NO_ORDER})\w+\ [^,;?]{{1,60}}\ ever[.!]?$
    | {_START}(?:make\ sure|be\ sure|remember|ensure|do\ not\ forget)\ (?:to\ |that\ |you\ |we\ )*(?:always|never)\ \w
    | \b(?:you|we|one|agents?|claude)\ (?:should|must|shall|have\ to|need\ to|are\ to|is\ to)\ (?:always|never|only)\ {_DEED}\b
    | \b(?:you|we|one)\ (?:must\ not|should\ not|may\ not|are\ not\ to|are\ not\ (?:supposed|allowed)\ to)\ (?!be\b|have\b|need\b|think\b)
    | \bwe\ (?:always|never|only|do\ not\ ever)\ (?:{_DEED}|support|target|allow|accept)\b
    | ^(?:you|we|everyone|agents?|claude)\ (?:are|is)\ (?:only\ |always\ )?supposed\ to\ (?:\w+ly\ )?{_DEED}\b
    | ^(?:you|we)\ should\ (?:not\ |only\ |always\ |never\ |all\ )?be\ {_DOING}\ \w
    | ^(?:i|we)\ only\ want\ (?!to\b|it\b|you\b|the\b|(?:one|two|a\ few)\ (?:thing|more)s?\b)\w
    | ^(?:i|we)\ (?:just\ |really\ )*want\ (?:only\ one|exactly\ one|a\ single)\ \w
    | ^(?:i|we)\ (?:do\ not\ )?(?:want|expect|would\ like)\ {_ONES}\ to\ (?!.*\bnow\b)(?:not\ |never\ |always\ )?(?!pass\b|be\ (?:fixed|green|done)\b)\w
    | ^we\ (?:also\ |really\ )*(?:want|need|would\ like)\ to\ {_DEED}\ [^,;?]{{1,80}}?\b(?:all|every|each)\ (?!of\b|(?:this|these|those|the|my|our)\b|tests?\b)\w
    | ^(?:i|we)\ (?:do\ not\ )?(?:want|would\ like)\ us\ to\ (?:always|never|use|keep|follow|avoid|stick|have)\ \w
    | ^use\ (?!the\b|this\b|that\b|these\b|your\b|an?\b|it\b)[\w.+#/@-]+\ for\ (?:all\ |any\ )?(?:[\w-]+\ ){{0,2}}{_PLURAL}(?=[,.!;]|$)
    | ^(?:always\ )?(?:ask|prompt|warn|check\ with)\ me\ (?:first\ )?(?:before\ (?:you\ )?\w+|for\ (?:all\ |any\ |every\ )?(?:\w+\ ){{0,3}}{_PLURAL})
    | ^(?:i|we)\ (?:expect|want|need|require)\ (?:at\ (?:least|most)|no\ more\ than|exactly|only|a\ maximum\ of)\ (?:\w+\ ){{1,3}}(?:per|for\ (?:each|every)|in\ (?:each|every))\ \w
    | ^(?:i|we)\ (?:want|would\ (?:like|prefer)|prefer|expect)\ (?!(?:these|those|this|your|my)\b)(?:\w+\ ){{0,2}}(?!tests\b){_PLURAL}\ to\ (?:always\ |never\ |not\ )?(?:be|have|use|stay|live|follow|end|start)\b
    | ^(?:nothing|nobody|no\ one)\ (?:should|must|may|shall|is\ allowed\ to)\ (?:ever\ )?(?!(?:happen|change|break|fail|be\ (?:broken|wrong|missing))\b)\w
    | ^{_WORK}\ (?:in|with|as|without)\ [^,;?]{{3,50}}\ please[.!]?$
    | ^no\ {_DOING}(?:[.!]?$|\ (?:in|of|with|on|for|without|to|please)\b)
    | ^{_MANNER}\ {_WORK}(?:,?\ (?:only|please|always))?[.!]?$
    | ^(?!(?:these|those|this|for|some|the|my|your|two|three|failing|new|tests|yes)\b)(?:[\w-]+\ ){{1,3}}{_PLURAL}\ only[.!]?$
    | ^(?:set\ ?up|create|add|make|configure|write|build|change)\ (?!sure\b)[^.;?]{{2,120}}?\ (?:so|such|(?:that|which)\ makes?\ sure|to\ (?:make\ sure|ensure))(?:\ that)?,?
        \ (?:when(?:ever)?|every|each|on\ (?:every|each)|any|only)\ (?!tests?\b|time\b)\w
    | \b(?:i|we)\ (?:want|expect|need|would\ like|insist\ on)\ (?:all|every|each|any)\ (?!of\ (?:this|that|it|them)\b|tests?\ to\ (?:pass|run|be)\b)(?:\w+\ )
    | \bi\ (?:want|expect|need|would\ like)\ you\ to\ (?:always|never)\ \w
    | \b(?:i|we)\ (?:do\ not|never)\ (?:ever\ )?want\ (?:any|to\ see\ (?:any)?)\ ?(?:\w+\ ){{0,3}}{_PLURAL}\b
    | ^(?:all|every|each)\ (?!of\ (?:this|that|it|them|these|those)\b|(?:is|are|right|good|done|time|these|those|this|the\ time)\b)
        (?:[\w§'-]+\ ){{1,6}}(?:should|must|shall|needs?\ to|ha(?:s|ve)\ to|goes|go)\ (?!have\ been\b|work\b|pass\b|now\b|still\b|be\ (?:green|passing|done|fine|good|fixed|ok|okay|there|gone|possible)\b)
    | ^(?!(?:this|these|those|it|that|there|they|things|its|yes|others|errors|is|was|does|has|always|my|his|her|your)\b)
        (?:\w+\ ){{0,2}}{_PLURAL}\ (?:in\ \w+\ )?(?:should|must|shall|need\ to|have\ to)\ (?:not\ |never\ |always\ |only\ )?
        (?:be\ (?!(?:fine|good|fixed|ok|okay|there|gone|possible|able|green|passing|enough)\b)|go\ |live\ |have\ |use\ |start\ |end\ |follow\ |return\ |follow\ |come\ |begin\ |contain\ |stay\ |run\ |hit\ |touch\ )
    | ^(?:for|on|in|at|with|under)\ (?:each|every|all|any)\ (?:[\w'-]+\ ){{1,4}}there\ (?:should|must|has\ to|needs\ to)\ (?:always\ )?be\b
    | ^(?!\w+\ (?:me\ )?(?:an?|the|this|one)\ )(?:[^\n]{{0,200}}?[,;:(–-]\ )?(?:max\.?|maximum|at\ most|no\ more\ than|not\ more\ than|at\ least|minimum|exactly|only|up\ to)\ (?:of\ )?(?:\d+|one|two|three|four|five|six|ten)\ (?:[\w-]+\ ){{1,2}}
        (?:per|for\ (?:each|every)|in\ (?:each|every))\ \w
    | ^we\ (?:\w+ly\ |also\ |really\ )?(?:should|must|have\ to)\ (?:also\ |always\ )?(?:add|include|use|log|return|show|validate|escape|redact|prefix|mark|handle|wrap|document|keep|have|name)\ (?:[^,;]{{1,60}}?\ )?(?:any|all|every|each)\ (?!of\ (?:this|that|these|those|it|them)\b|(?:this|these|those)\b|tests?\b)\w
    | ^you\ (?:keep\ (?:on\ )?(?:forgetting|ignoring|adding|using|skipping|breaking|changing|removing|missing)|always\ (?:forget|ignore|skip|miss)|never\ (?:run|check|use|update))\b
    | ^only\ (?:the\ |our\ )?(?:[\w'/.-]+\ ){{1,4}}(?:may|can|should|must|is\ allowed\ to|are\ allowed\ to)\ \w
    | ^(?:whenever|every\ time|each\ time)\ you\ \w+\ \w
    | ^(?:before|after|when)\ (?:committing|pushing|merging|releasing|deploying|you\ (?:commit|push|merge|release|deploy))\b[^,;?]{{0,30}}?,?\ (?:please\ )?(?:run|check|make|{_DEED})\ \w
    | ^i\ would\ rather\ (?:have|see|use|get|keep)\ (?!the\b|this\b|that\b|it\b|these\b|them\b|to\b)[^?]{{2,80}}\ (?:than|instead\ of|and\ not)\ \w
    | {_START}{_NOT}\ use\ (?!the\b|this\b|that\b|these\b|it\b|your\b|an?\b)[\w.+#/@-]+(?:\ [\w.+#/@-]+)?[,;]?\ (?:but\ )?use\ (?!the\b|this\b|that\b|it\b|an?\b)\w
    | ^use\ (?!the\b|this\b|that\b|these\b|those\b|your\b|my\b|some\b|both\b|two\b|three\b|as\b|its\b|sub)(?:[\w-]+(?<!s)\ )?{_PLURAL}(?:\ (?:for|in|when|to|named|with|everywhere|only)\b(?!\ (?:this|that|the\ (?:new|above))\b)|[.!]?$)
    | ^(?:answer|respond|reply|speak|talk|write\ to\ me)\ (?:to\ me\ |only\ |back\ )?in\ \w
    | ^keep\ (?:your|the)\ (?:answers|replies|responses|explanations|summaries|commit\ messages|messages|comments)\ \w
    | ^(?:prefer|favou?r)\ (?!to\ know\b)\w
    | ^avoid\ (?:\w+ing\b|(?:any\ |all\ )?(?:\w+\ ){{0,2}}{_PLURAL}\b)
    | ^(?:stop|quit)\ (?:\w+ing)\ (?!the\b|this\b|that\b|my\b)(?:(?:so\ many|any|all|these|those|such|unnecessary|useless)\ )?(?:\w+\ ){{0,2}}{_PLURAL}\b
    | ^no\ (?:more\ )?(?!problems?|worries|issues?|errors?|changes?|need|idea|thanks|matter|tests?\b|one\b|way|luck|results?
        |updates?|questions?|longer|diffs?|differences?|failures?)(?:\w+\ ){{0,3}}{_PLURAL}\b
        (?:\ [^,;?]{{1,60}}\ please\b|\ in\ (?:the\ |any\ |our\ )?(?:[\w-]+\ )?(?:code|tests?|commit\w*|comments?|docs|messages?|names?|prs?|production|our\ \w+)\b|,?\ please\b|\ at\ all\b|\ ever\b)
    | ^(?:only\ )?use\ (?:only\ )?(?!your\b|the\b|this\b|that\b|these\b|those\b|it\b|its\b|a\b|an\b|one\b|option\b|my\b|both\b|them\b)[\w.+#/@-]+
        (?:\ [\w.+#/-]+){{0,4}}?\ ?,?\ (?:instead\ of|rather\ than|not|over|and\ not|never)\ (?!the\b|this\b|that\b|these\b|those\b|it\b|just\b|only\b|a\b)[\w.+#/@-]+
    | ^only\ use\ the\ standard\b | ^only\ use\ (?!the\b|this\b|that\b|these\b|it\b|a\b|one\b)[\w.+#/@-]+
    | ^(?:always\ )?keep\ (?:(?:all|every|our)\ (?:\w+\ ){{0,3}}|(?:\w+\ )?{_PLURAL}\ )(?:in|out|under|below|short|small|simple|pure|up|separate|free|to|as)\b
    """,
    re.VERBOSE,
)
"""What says by itself that it is meant for good."""

WITH_EVER = re.compile(
    rf"""{_START}(?:{_DEED}|be|{_NOT}\ \w+|make\ sure|remember\ to|ensure)\b
      | \b(?:you|we)\ (?:should|must|should\ not|must\ not|need\ to|have\ to|do\ not)\b
      | \blet\ us\ \w | \bi\ (?:want|expect|would\ like|would\ rather|do\ not\ want|would\ prefer)\b | ^no\ \w""",
    re.VERBOSE,
)
"""What is a directive for good where EVER says so."""

EVER = re.compile(rf"\b{_EVER}", re.VERBOSE)

THIS_TIME = re.compile(
    rf"""
      {_START}{_NOT}\ (?!{_NO_ORDER})(?:just\ |also\ )?\w+
    | {_START}let\ us\ (?:not|stop|avoid)\ \w
    | ^let\ us\ (?:just\ |rather\ |only\ )?(?:use|go\ with|keep|do|make|call|name|put|have|stick|move|switch)\b
        .*?(?:\ instead\b|\ rather\ than\b|\ and\ not\b|,\ not\b|\ instead\ of\b|\ to\b)
    | ^(?:please\ )?(?:use|do|make|put|call|name|write|return|store|keep)\ .{{1,80}}?(?:\ instead\b|\ rather\ than\b|\ and\ not\b|,\ not\b)
    | ^(?:leave|keep)\ .{{3,60}}?\ (?:alone|untouched|unchanged|as\ (?:it\ is|is|they\ are)|out)\b
    | ^(?:stop|quit)\ \w+ing\b | ^avoid\ \w
    | ^be\ (?:very\ |more\ )?(?:cautious|careful|brief|concise|thorough|precise|honest|explicit|critical|strict|conservative|specific)\b
    | \bi\ would\ rather\ (?!not\ say\b)\w
    | \bi\ do\ not\ want\ (?:you\ (?:to\b|\w+ing\b)|to\ (?:add|change|use|have|break|rely)|any|the)\ ?\w
    | ^(?:please\ )?(?:make\ sure|be\ sure|ensure|remember|do\ not\ forget)\ (?:to|that|you|the|all|every)\ \w
    | \b(?:you|we)\ (?:must\ not|should\ not|are\ not\ to|are\ not\ (?:supposed|allowed)\ to)\ (?!be\b|have\b|need\b|think\b)
    """,
    re.VERBOSE,
)
"""A demand on how to do it, or on what to leave, that does not say that it is meant for good."""

NO_DIRECTIVE = re.compile(
    r"""
      ^(?:can|could|would|will|do|does|did|is|are|was|were|has|have|what|why|how|when\ did|where|who|which|should|shall|may|if\ only|may\ i)\b
        (?!\ not\b)(?<!do)
    | \bnever\ mind\b | \b(?:your|best|own)\ (?:\w+\ )?(?:judge?ment|discretion|instinct|call)\b | \bwhatever\b
    | \bi\ do\ not\ (?:think|know|believe|see|understand|remember|get|mind|care|like|have|feel|need)\b
    | \b(?:said|says|told|wrote|writes|claims|asked|suggests?|suggested|recommends?)\b
    | \b(?:i|we|they|he|she|it)\ (?:used\ to|would\ have|could\ have|should\ have|should\ not\ have)\b
    | \bwhy\ (?:do\ not|cannot|not)\b | \b(?:not\ sure|wondering|maybe|perhaps|i\ guess|i\ wonder|might)\b
    | ^(?:let\ me|tell\ me|show\ me|give\ me)\b | \bright\ now\b | \bfor\ now\b | \b(?:lol|haha\w*|jk)\b | ^(?:take|have)\ a\ look\b
    """,
    re.VERBOSE,
)
"""Questions without their mark, what others said, regrets, doubts, what is meant for the moment."""

_POINTING = re.compile(
    r"""\b(?:this|these|those|here|there|above|below|same|he|she|him|her|do\ so)\b
      | \bthat\b(?!\ (?:[\w'-]+\ ){0,3}(?:is|are|was|were|has|have|can|must|should|do|does|need|needs|you|we|all
          |every|no|each|any|\w+s)\b)
      | \b(?:it|them|they|its|their)\b
      | \b(?:step|option|item|point|line|phase|task)\ \d""",
    re.VERBOSE,
)
_INTRODUCED = re.compile(
    r"\b(?:an?|any|every|each|all|no|whenever|code|(?!always\b|this\b|has\b|was\b)\w+(?<!s)s)\b.*?\b(?:it|them|they|its|their)\b",
    re.VERBOSE,
)
_POINTS_AT_HOME = re.compile(
    r"\b(?:in|for|across|throughout|of|to)\ this\ (?:repo|repository|project|codebase|code\ base|workspace"
    r"|monorepo|team|package)\b | \bso\ that\b | \bsuch\ that\b | \bis\ there\b | \bthere\ (?:should|must|has|needs|is|are)\b | \bthat\ way\b",
    re.VERBOSE,
)
_CONDITION = re.compile(
    r"^(?:if|when|whenever|before|after|for|in|on|unless|until|while|once|as|with|every|each|from|going|next|under)\b"
)
_GIVES_REASON = re.compile(r",?\ (?:because|since|as\ (?:it|we|they|i)\b|otherwise)\ .*$")


class DirectiveForm(NamedTuple):
    """A directive within a sentence: where it begins, and whether it is meant for good."""

    start: int
    standing: bool


def directive_form(plain: str) -> DirectiveForm | None:
    """The directive that a sentence gives; None if it gives none that can be read alone.

    Args:
        plain: The sentence in lower case, code and quotations as `x`.
    """
    lead = lead_in(plain)
    start = lead.opening
    if asked := _ASKED.match(plain, start):
        start = asked.end()
        plain = plain.rstrip().rstrip("?")
    told = plain[start:]
    if NO_DIRECTIVE.search(told) or told.rstrip().endswith("?"):
        return None
    clause = max(start, lead.clause)
    later = [found.end() for found in _NEXT_CLAUSE.finditer(plain, clause)]
    for at in dict.fromkeys((start, clause, *later)):
        standing = FOR_GOOD.search(plain[at:])
        if standing is None:
            continue
        form = _kept_from(plain, at if at in later else start, at, standing)
        if form is not None:
            return DirectiveForm(form, standing=True)
    standing = None
    if EVER.search(told) and not _ENDS_NOW.search(told):
        standing = WITH_EVER.search(told)
    found = standing or THIS_TIME.search(told)
    form = None if found is None else _kept_from(plain, start, start, found)
    return None if form is None else DirectiveForm(form, standing is not None)


def _kept_from(plain: str, start: int, at: int, found: re.Match[str]) -> int | None:
    """Where a directive begins that was found in `plain[at:]`; None if it is none, or points."""
    before = plain[at : at + found.start()]
    if _SUPPOSED.search(before):
        return None
    if (
        before.strip()
        and not _LIMITS.match(found[0])
        and not _CONDITION.match(before)
        and _CLAUSE_END.search(before)
    ):
        start = at + found.start() + len(found[0]) - len(_LEADING.sub("", found[0]))
    return start if alone(plain[start:]) else None


_NEXT_CLAUSE = re.compile(
    r"(?:,?\ (?:which\ means|that\ means|meaning)(?:\ that)?|,\ (?:and|but|so)(?:\ that)?|[;:])\ ",
    re.VERBOSE,
)
"""What stands between a clause and another that can be read by itself."""

_ORDER = re.compile(
    rf"(?:(?:please|just|then|now|only|rather|simply) )*(?:{_DEED}|do|do\ not|make|let\ us|run|look|take)\b"
    r"(?! (?:you|we|they|i)\b)(?!(?: [\w'/.-]+){0,3} (?:is|are|was|were|has|have|does|do|can|must|may|will)\b)"
)


def is_order(plain: str) -> bool:
    """Whether a sentence in lower case begins by telling what to do."""
    return _ORDER.match(plain) is not None


_ENDS_NOW = re.compile(r"\b(?:for now|this time|today|until we|for this (?:task|pr|change|one))\b")
_SUPPOSED = re.compile(
    r"\b(?:i|you|we|they|he|she|it|which|who|what|how|why|to|that|tests?|that\ is|not)\ $",
    re.VERBOSE,
)
"""What makes the words behind it no order."""

_ASKED = re.compile(
    r"(?:can|could|would|will)\ (?:you|we)\ (?:please\ |maybe\ |just\ )*(?=(?:always|never|stop|avoid|not\ |use\ [^?]{1,80}\b(?:instead|rather)\b))",
    re.VERBOSE,
)
"""A wish in the form of a question."""

_LIMITS = re.compile(
    r"max|at (?:most|least)|no(?:t)? more|min|exactly|only \w+ \w+ (?:per|for|in)|up to"
)
"""How a limit begins, which says little without what it is one of."""

_CLAUSE_END = re.compile(r"[,;:—–(-]\s*$|\b(?:and|but|so|then)\s*$|\S\s$")
_LEADING = re.compile(r"^(?:[\s,;:—–(-]|(?:and|but|so|then|also|please|just|or)\s)+")


def alone(told: str) -> bool:
    """Whether it can be read without what was said before it."""
    kept = _POINTS_AT_HOME.sub(" ", _GIVES_REASON.sub("", told))
    pointing = _POINTING.search(kept)
    if pointing is None:
        return True
    return pointing[0] in _PRONOUNS and _INTRODUCED.search(kept[: pointing.end()]) is not None


_PRONOUNS = frozenset({"it", "them", "they", "its", "their"})
