"""The forms of directives: what a person wants done or left, once and for all, or this time.

They are matched on a sentence in lower case in which code and quotations are `x` all through, of
the same length, so that places stay. What one is told to do is an open class: what makes a
directive of it is a mark of generality (always, never, every, a bare plural, from now on).
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re
from typing import NamedTuple

from cairn.knowledge.extraction.rules.forms.conduct import conduct_form
from cairn.knowledge.extraction.rules.forms.word_classes import (
    ASKS,
    DOUBTED,
    FINITE,
    IN_GENERAL,
    NO_SUCH,
    OF_THE_MOMENT,
    ORDER,
    PLURAL,
    POINTED,
    REPORTED,
    STEERS,
    at_home,
)
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.plain_words import lead_in

_START = r"(?:^|\bfrom\ now\ on,?\s+|(?:(?<=[,;:—–(])|(?<=\s-))\s*|\b(?:but|so|then|also|please|just)\s+)"
_NOT = r"(?:do\ not|do\ never)"
_SHOWS = r"(?:show|display|render|load|hid|sort)\w*ing\b"
"""What a program is to stop doing, not who works on it."""

FOR_GOOD = lazy_pattern(
    rf"""
      ^(?:always|never)\ (?:\w+ly\ )?{ORDER} | {_START}(?:always|never)\ (?:\w+ly\ )?{ORDER}\ \w
    | {_START}{_NOT}\ (?:you\ )?(?:ever\ \w|{ORDER}\ [^;?]{{0,60}}\b(?:ever|anymore|any\ more)\b)
    | {_START}{_NOT}\ {ORDER}\ {IN_GENERAL}
    | {_START}{_NOT}\ {ORDER}\ [^;?]{{0,60}}\b(?:every|each)\ (?!of\b)\w | {_START}{_NOT}\ use\ (?!{POINTED}|(?:option|version|approach)\b)\w
    | ^the\ (?:[\w'/.-]+\ ){{0,2}}{PLURAL}\ must\ (?:not\ |always\ |never\ |only\ )?be\ (?!(?:green|passing|done|fine|fixed|ok)\b)\w | ^nothing\ (?:should|must|may)\ be\ \w
    | ^(?:before|after|when)\ (?:you\ )?\w+ing\ (?:any|every|each|an?)\ [^,;?]{{2,60}},\ (?:please\ )?(?:{_NOT}|(?:always\ )?{ORDER})\ \w
    | {_START}{_NOT}\ use\ (?!{POINTED})[^,;]{{1,40}}[,;]\ (?:but\ )?use\ (?!it\b)\w | ^use\ {IN_GENERAL}\ (?:for|in|when)\ {IN_GENERAL}
    | ^we\ (?:should|must|have\ to)\ (?:also\ )?{ORDER}\ [^,;]{{0,60}}\b(?:any|every|each)\ (?!of\b|time\b|tests?\b)\w
    | ^(?:make\ sure|be\ sure|remember|ensure)\ (?:to\ |that\ |you\ |we\ )*(?:always|never)\ \w | ^(?:make\ sure|be\ sure|ensure)\ (?:that\ )?(?!{POINTED}(?<!the))[^,;?]{{2,60}}?\ (?:always|never|only\ (?:\w+\ )+?when)\ \w
    | ^(?!(?:the|i|it|this|that|he|she|they)\b)[^,;?]{{1,80}}?\ (?:should|must|shall|has\ to|have\ to|needs?\ to|(?:is|are)\ to)\ (?:just\ )?(?:always|never)\ \w
    | ^(?:you|we|one|agents?|contributors|developers|nobody|no\ one|everyone|nothing)\ (?:must|shall|may\ not|(?:is|are)\ not\ to|(?:is|are)\ (?:not\ )?(?:allowed|supposed)\ to
        |should\ (?:not|only))\ (?!(?:be|have|need|think|see|know|happen|work|display|show)\b)\w
    | ^we\ (?:always|never|only|do\ not)\ {ORDER}\ (?!(?:it|this|that|to|them)\b)\w
    | ^{IN_GENERAL}\ (?:(?:in|for|of|on|with|under|at)\ \w+\ )?(?:must|shall|(?:has|have)\ to|(?:is|are)\ (?:never\ |not\ )?to\ be|may\ not)\ (?:not\ )?(?!(?:have\ been|work|pass|be\ able)\b)\w
    | ^(?!(?:all|every|each)\ (?:of|the|second|other|time|right)\b)(?:all|every|each|any)\ (?:[\w'/.-]+\ ){{1,9}}?(?<!\bthat\ )(?<!\bwhich\ )(?<!\bwho\ )(?:must|should|shall|may|will\ (?:have|use|get|return|support|need)|gets?|needs?\ (?:an?|to)|has\ to|have\ to|goes|go)
        \ (?!(?:have\ been|work|pass|be\ (?:green|passing|done|fine|fixed|ok))\b)\w
    | ^(?:only|nobody\ but)\ (?:the\ )?[\w-]+\ (?:[\w-]+\ )?(?:may|can|must|is\ allowed)\ \w
    | ^no\ (?:more\ )?{NO_SUCH}(?:\w+ing|{IN_GENERAL})(?:[.!]?$|\ (?:in|on|for|without|with|to|of|from|at|by|when|after|outside|unless|please)\b|,?\ please)
    | ^no\ (?:more\ )?(?:[\w-]+\ ){{1,3}}(?:is|are)\ (?:allowed|permitted|wanted)\b | {_START}use\ (?:the\ )?x{{2,}}\S*(?:\ (?:command|script|tool|task|target))?\ (?:for|when)\ (?!{POINTED})\w
    | ^(?:only\ )?use\ (?!{POINTED})[^,;]{{1,40}}?,?\ (?:not|never|over|instead\ of|rather\ than|and\ not)\ (?!{POINTED})\S | ^only\ use\ (?!{POINTED})\w
    | ^(?!{POINTED}|(?:we|i|use|put|drop|go|do)\b)(?:[\w'-]+\ ){{1,3}}(?:over|rather\ than)\ (?!{POINTED}|(?:time|night|to)\b)[\w'-]+(?:\ [\w'-]+)?(?:[,.!;]|$|\ (?:for|in|when|please)\b)
    | ^use\ (?!{POINTED})\S+\ as\ (?:the|our)\ (?:package\ manager|formatter|linter|(?:test\ )?runner|default|database|backend|framework|source\ of\ truth)\b
    | ^prefer\ (?!no\b)\w | ^(?:i|we)\ would\ (?:much\ |really\ )?(?:prefer|rather)\ (?!(?:the|this|that|it|these|them|not|to|\w+\ the)\b)\w[^?]*\ (?:over|than|to|everywhere|instead\ of)\b
    | ^(?:avoid|stop|quit|refrain\ from)\ (?!{_SHOWS})(?:\w+ing\ (?:so\ many\ )?)?(?!our\b){IN_GENERAL} | ^stop\ (?:saying|writing|using|putting)\ x{{2,}} | ^(?:stay\ away\ from|keep\ out\ of|hands\ off)\ \S
    | ^(?:i|we)\ (?:also\ |really\ )*(?:want|expect|insist\ on|would\ like|need)\ (?:all|every|each|any|no)\ (?!of\b|tests?\ to\ (?:pass|run|be)\b)\w
    | ^i\ (?:hate|insist\ on|do\ not\ accept|cannot\ stand|(?:never|do\ not)\ (?:ever\ )?want\ (?:to\ see\ )?(?:any\ )?)\ {IN_GENERAL}
    | ^i\ (?:want|expect|would\ like)\ you\ to\ (?:[^?]*\b(?:when(?:ever)?\ (?:i|you|we)|(?:every|each)\ time)\b|(?:always|never)\ \w)
    | ^(?:i|we)\ (?:want|expect|would\ like)\ {IN_GENERAL}\ to\ (?:always|never|use|keep|follow|have|sign)\ \w
    | ^(?:i|we)\ only\ want\ (?!(?:to|it|you|the|(?:one|two)\ things?)\b)\w | ^(?:i|we)\ want\ (?:only\ one|exactly\ one|a\ single)\ \w
    | ^for\ (?!{POINTED})(?:[\w'/-]+\ ){{1,4}}(?:always\ |please\ |only\ )?(?:use|prefer|do\ not)\ \w
    | ^(?:answer|respond|reply|speak|talk)\ (?:to\ me\ |only\ )?in\ \w | ^(?:answer|respond|reply)\ (?:to\ )?(?:me\ )?(?:shortly|short|briefly|concisely)\b | ^call\ me\ \w
    | ^(?:ask|check\ with|warn|tell)\ (?:me\ )?(?:first\ )?before\ (?!the\b)\w | ^when\ in\ doubt\b
    | ^{ORDER}\ [^;?]{{3,80}}\bbefore\ (?:any|every|each|\w+ing\ an?(?:other)?|you\ \w+\ (?:new|any\w*|it))\b
    | ^(?:{_NOT}\ )?{ORDER}\ [^;?]{{3,120}}\bwithout\ (?:asking|telling|my)\b | ^{_NOT}\ [^;?]{{3,120}}\bunless\ i\ \w
    | \w\ (?:is|are)\ (?:forbidden|banned|prohibited|off[ -]limits|not\ allowed|never\ allowed|not\ acceptable|mandatory|(?:a\ )?no[ -]go|a\ must(?!-))\b
    | ^(?:before|after|when)\ (?:you\ )?\w+ing\ (?:anything|something|stuff|files|code)\ (?:in|under|below)\ \S+,?\ (?:please\ |always\ |first\ )*(?:{_NOT}\ )?{ORDER}\ \w
    | ^when(?:ever)?\ you\ (?:finish|complete|are\ done\ with)\ (?:something|anything|an?\ \w+|any\ \w+),?\ (?:please\ |always\ )*{ORDER}\ \w
    | ^(?:if|when(?:ever)?)\ an?\ (?:[\w-]+\ ){{1,3}}(?:is|fails?|breaks?|has|needs?|gets?)\b[^;?]{{2,40}}?,?\ (?:please\ )?{_NOT}\ (?:just\ )?{ORDER}\ \w
    | ^{ORDER}\ [^;?]{{3,60}}\b(?:every|each|any)\ (?:[\w-]+\ ){{1,2}}you\ (?:make|write|add|create|touch|open|change)\b
    | ^no\ {NO_SUCH}(?:[\w.-]+\ ){{1,4}}?in\ (?:the\ |your\ |our\ )?(?:commits?|commit\ messages?|prs|comments|production\ code)\b
    | {_START}{_NOT}\ (?:just\ )?{ORDER}\ [^;?]{{0,60}}?\b(?:directly|straight|by\ hand|manually)\ (?:on|in|to|into|against)\ (?:the\ )?(?:(?:prod\w*|staging|live)\ )?(?:server|prod\w*|main|master|db|database|staging|cluster)\b
    | (?:^|\band\ )follow\ (?:the\ )?@?[\w/.-]+\.md\b[^;?]{{0,30}}?\b(?:guidelines|conventions|rules|style|exactly|always|strictly)\b
    | ^(?:in|for|on)\ {IN_GENERAL},?\ (?:always|never|only)\ \w
    | ^(?:before|after|when)\ (?:you\ )?(?:commit|push|merg|releas|deploy)(?:t?ing|e)?\b[^,;?]{{0,30}}?,?\ (?:please\ )?(?!add\b){ORDER}\ \w
    | ^(?:whenever|wherever|whichever|any\ time|every\ time|each\ time)\ (?!i\b)[^,]{{3,60}},\ (?:{_NOT}|{ORDER})\ \w
    | ^keep\ (?:our|your|all)\ (?:[\w'/.-]+\ ){{1,4}}?(?:in|inside|under|on|next\ to|beside|out\ of|up\ to\ date)\b | ^only\ {ORDER}\ (?!{POINTED}(?<!the))[^;?]{{2,60}}?\ (?:when|if)\ \w
    | ^{_NOT}\ {ORDER}\ (?!{POINTED}(?<!the))[^,;?]{{2,60}}?(?:[,;–—-]+|\ because|\ since)\ (?:it|they|that)\ (?:takes?|is|are|will|would|breaks?|costs?|needs?|gets?|runs?)\ \w
    | ^{_NOT}\ {ORDER}\ (?!{POINTED})[^,;?]{{2,60}}?\ (?:because|since|as)\ (?:the|our|its|their)\ (?:[\w-]+\ ){{1,2}}(?:takes?|is|are|breaks?|costs?|needs?|depends?)\ (?!still\b|\w+ing\b)\w | ^one\ [\w-]+\ per\ \w | ^only\ (?:run|commit|support|log)\ {IN_GENERAL}
    | ^(?:i\ want\ you\ to\ )?write\ (?:(?:the|a)\ )?(?:failing\ )?tests?\ (?:first|before\ (?:the\ )?\w)
    | \bi\ will\ (?:always\ |do\ the\ )?(?:run|start|restart|launch|test|deploy|commit|push|merge|release|publish|build|install|handle)\w*\ [^,;?]{{2,60}}?\ (?:myself|on\ my\ own|by\ hand)\b
    | ^you\ are\ to\ (?:ask|wait|check\ with|always|never|only)\ \w
    | ^keep\ (?:your\ |all\ |our\ |the\ )?(?:\w+\ )?(?:answers|replies|diff|code|{IN_GENERAL})\ (?:short|small|minimal|consistent|readable|simple|testable|reusable|modular|clean|under|below|out|free|pure|separate|documented|brief)\b
    | ^(?:small|minimal|focused|tiny|short|atomic|single|conventional|signed|squashed|plain)\ (?:[\w-]+\ )?{PLURAL}(?:,?\ (?:only|please|always))?[.!]?$
    | ^you\ keep\ (?:on\ )?(?:forgetting|ignoring|skipping|breaking)\b
    | ^for\ (?:every|each|all|any)\ (?:[\w'/-]+\ ){{1,4}}(?:i|we)\ (?:expect|want|need|require)\ \w
    | ^keep\ (?!{POINTED}(?<!the))(?:[\w'/.-]+\ ){{1,6}}?(?:under|below|at\ most|out\ of|free\ of)\ (?!{POINTED}(?<!the))\w
    | ^(?!(?:users|people|customers|visitors|players|we|they|the|our|my|your|some|both|these|those|all)\b)(?:[\w'/-]+\ ){{0,3}}{PLURAL}\ (?:(?:in|of|for|from|next\ to)\ (?:the\ )?[\w'/.-]+\ )?(?:always\ |only\ |never\ )?(?:belong|live|go\ (?:in|into|under|through|next\ to)|start\ with|end\ (?:in|with)|begin\ with|get\ x{{2,}}\S*)\ \w
    | ^(?:i|we)\ (?:really\ |strongly\ |also\ )*(?:dislike|hate|cannot\ stand|do\ not\ like)\ (?:seeing\ |to\ see\ )?(?:x{{2,}}|{IN_GENERAL})
    | ^(?:i|we)\ do\ not\ want\ you\ (?:to\ )?(?:commit|push|merg|deploy|delet|releas|publish|install|start|touch|creat|run|edit)\w*\ (?!{POINTED}(?<!the)(?<!\ba)(?<!any)|the\b)\w
    | ^(?:before|after|when(?:ever)?)\ you\ (?!(?:finish|get|go|do|come|start|try|wrap)\b){ORDER}\ (?:(?:an?|any|new|another|the|every|anything|something)\b|{PLURAL})[^;?]{{0,60}}?(?:,\ |\ )(?:please\ |also\ |always\ )*(?:{_NOT}\ {ORDER}|(?:run|do|put|update|tell|ask|check|add|commit|use|write|make|also\ {ORDER})\b)\ \w
    | ^when(?:ever)?\ there\ is\ an?\ (?:[\w-]+\ ){{1,3}}?,?\ ?(?:i|we)\ (?:would\ like|want|expect|need)\b | ^\w+ing\ is\ my\ (?:thing|job|call|task)\b
    | {_START}{_NOT}\ (?:touch|edit|change|modify|delete|move|rename|reformat)\ (?:anything|files|code|stuff)\ (?:in|under|inside|below|outside(?:\ of)?)\ (?:x{{2,}}|\S*/)
    | ^(?:commit\ messages?|branch(?:es|\ names?)?|prs?|pull\ requests|comments|tests|naming|names|migrations)\ ?:\ (?!(?:i|we|you|it|can|could|is|are|what|why)\b)\w
    | ^for\ {PLURAL}\ we\ (?:do|use|write|have|run|keep|go\ with)\ (?!{POINTED}(?<!the)(?<!\ba))\w | ^use\ x{{2,}}[^,;?]{{0,40}},\ not\ (?:the\ )?(?!{POINTED})\w
    | ^(?:if|when(?:ever)?)\ (?:something|anything|things|you)\ (?:is|are)\ (?:ever\ )?(?:un(?:clear|sure|certain)|not\ (?:sure|clear|certain)|in\ doubt|stuck)[^;?]{{0,30}}?\b(?:ask|tell|stop|check|say)\b
    | ^{ORDER}\ [^;?]{{3,80}}\bbefore\ (?:(?:show|tell|ask|hand|giv|ping|bother|say|report|claim)ing\b|you\ (?:show|tell|say|ask\ me|report|hand|claim|are\ done)\b)
    | ^(?:[\w'/.-]+\ ){{1,4}}(?:has|have|needs?)\ to\ be\ [^;?]{{2,60}}\bbefore\ you\ (?:show|tell|say|ask|report|hand|claim|are\ done)\b
    | ^x{{2,}}(?:\ x+)*\ is\ (?:mine|my\ (?:job|call|task)|for\ me)\b
    | ^(?:[\w.+-]+\ not\ [\w.+-]+,\ ){{1,3}}(?!not\b)[\w.+-]+\ not\ [\w.+-]+(?:[,.!]|$)
    | ^(?:code|{PLURAL})\ should\ (?:speak|explain|document)\b | ^(?!{POINTED})(?:[\w'-]+\ ){{1,3}}only\ (?:for|in)\ the\ (?:why|what|how)\b
    | ^(?!{POINTED}(?<!the)|{ORDER}\ {POINTED})(?:[\w'/.-]+\ ){{1,4}}(?:must|may)\ (?:not|never)\ {ORDER}\ (?:for\ |on\ |to\ )?\w
    | ^(?!(?:the|it|we|i)\b|{ORDER}\ {POINTED}|.*\b{FINITE}\b.*,\ (?:never|not)\b).*(?:,\ always|,\ (?:never|not)\ (?!{POINTED}|(?:sure|yet|just|only|really|much|\d+)\b)\S+(?:\ \S+)?)[.!]?$
    """,
    re.VERBOSE,
)
"""What says by itself that it is meant for good."""

EVER = lazy_pattern(
    r"""\b(?:from\ (?:now|here)\ on|going\ forward|for\ (?:all|the)\ future|in\ (?:the\ |all\ )?future\b(?!\ (?:we|i|it|to|versions?|releases?|states?|plans?|work)\b)
      |(?:any|every|each)\ time\ (?:you|we)|^next\ time|whenever\ (?:you|we)\b(?!\ (?:need|want|like|wish|can|are|feel)\b)|at\ all\ times|under\ no\ circumstances|(?:without|no)\ exceptions?
      |as\ a\ (?:general\ )?rule|^in\ general|in\ general(?=[.!]?$)|everywhere|where(?:ver)?\ (?:it\ is\ )?possible|once\ and\ for\ all
      |in\ (?:unit\ |integration\ )?(?:tests|commit\ messages|comments|production)
      |(?:across|throughout)\ (?:the|our)\ (?:whole\ |entire\ )?(?:repo|repository|project|codebase|team)
      |(?:before|after|on|with|for|in)\ (?:every|each)\ (?:\w+\ )?(?:commit|push|change|edit|pr|merge|release|deploy|session|answer|reply)s?)\b""",
    re.VERBOSE,
)
"""What says that something is meant for good."""

_TELLS = lazy_pattern(
    rf"""{_START}(?!(?:next|every|each|any|going|let|before|after|if|unless|until|when(?:ever)?\ (?:i|we))\b)(?:{ORDER}|be|{_NOT})\ \w | \b(?:you|we)\ (?:should|must|need\ to|have\ to|do\ not)\b | \blet\ (?:me\ |us\ (?!{STEERS}))\w
      | \bi\ (?:want|expect|would\ (?:like|rather|prefer)|do\ not\ want)\b(?!\ to\b) | ^no\ \w""",
    re.VERBOSE,
)
"""What is a directive for good where EVER says so."""

THIS_TIME = lazy_pattern(
    rf"""
      {_START}{_NOT}\ (?:just\ |also\ )?{ORDER}
    | {_START}let\ us\ (?:not|stop|avoid)\ \w
    | ^let\ us\ (?:\w+ly\ |just\ )?{ORDER}\ .*?(?:\ instead\b|\ rather\ than\b|,?\ (?:and\ )?not\b|\ to\b)
    | ^{ORDER}\ .{{1,80}}?(?:\ instead\b|\ rather\ than\b|,?\ and\ not\b|,\ not\b)
    | ^(?:leave|keep)\ .{{3,60}}?\ (?:alone|untouched|unchanged|as\ (?:it\ is|is|they\ are)|out)\b
    | ^(?:stop|quit)\ \w+ing\b | ^avoid\ \w | ^be\ (?:very\ |more\ )?\w+
    | \bi\ would\ rather\ (?!not\ say\b)\w
    | \bi\ do\ not\ want\ (?:you\ (?:to\b|\w+ing\b)|to\ {ORDER}|any|the)\ ?\w
    | ^(?:make\ sure|be\ sure|ensure|remember|do\ not\ forget)\ (?:to|that|you|the|all|every)\ \w
    | \b(?:you|we)\ (?:must\ not|should\ not|are\ not\ to|are\ not\ (?:supposed|allowed)\ to)\ (?!(?:be|have|need|think)\b)
    """,
    re.VERBOSE,
)
"""A demand on how to do it, or on what to leave, that does not say that it is meant for good."""

NO_DIRECTIVE = lazy_pattern(
    r"""\bnever\ mind\b | \b(?:your|best|own)\ (?:\w+\ )?(?:judge?ment|discretion|instinct|call)\b | \bwhatever\b
    | \bi\ do\ not\ (?:think|know|believe|see|understand|remember|get|mind|care|like|have|feel|need)\b
    | \b(?:i|we|they|he|she|it)\ (?:used\ to|would\ have|could\ have|should\ have|should\ not\ have)\b
    | ^(?:take|have)\ a\ look\b | \bthink\ (?:about|of|through)\b | \b(?:provide|explain|describe|summari[sz]e|discuss|outline)\b.*\bin\ general[.!]?$
    | \b(?:errors?|warnings?|exceptions?|getting|property)\b.*\b(?:is|are)\ not\ allowed\b | \bwill\ be\ \w+ed\b.*\bfuture\b | ^for\ (?:example|instance)\b
    | \bdo\ not\ (?:write|generate|show|give|provide|run)\ (?:me\ )?(?:any\ |more\ )*code\b(?!\ (?:without|that|in|for|with|which|like)\b)""",
    re.VERBOSE,
)
"""Doubts, regrets, examples, what is left to who is asked, and what to leave out of one answer."""

_POINTING = lazy_pattern(
    r"""\b(?:this|these|those|here|there|above|below|same|he|she|him|her|do\ so)\b
      | (?:(?<![a-rt-z]s\ )|(?<=\bdoes\ )|(?<=\bwas\ )|(?<=\bis\ )|(?<=\bas\ ))\bthat\b(?!\ (?:[\w'-]+\ ){0,3}(?:is|are|was|were|has|have|can|must|should|do|does|need|needs|you|we|all
          |every|no|each|any|\w+s)\b)
      | \b(?:it|them|they|its|their)\b | \b(?:about|of|for|to|with|in)\ both\b(?=\ (?:is|are|be|should|must|will|can)\b|[.,;]|$)
      | \b(?:step|option|item|point|line|phase|task)\ \d | \bthe\ (?:two|three)\b(?!\ of\b)
      | \b(?:implement|do|add|fix|take|keep|use)\ both\b(?=[,.;]|$)""",
    re.VERBOSE,
)
_INTRODUCED = lazy_pattern(
    r"\b(?:an?|any|every|each|all|no|whenever|code|(?!always\b|this\b|has\b|was\b)\w+(?<!s)s)\b.*?\b(?:it|them|they|its|their)\b",
    re.VERBOSE,
)
_POINTS_AT_HOME = lazy_pattern(
    r"\b(?:in|for|across|throughout|of|to)\ this\ (?:repo|repository|project|codebase|code\ base|workspace"
    r"|monorepo|team|package)\b | \bthis\ (?:app|application|repo|repository|project|codebase|product|website)\b | \bso\ that\b | \bsuch\ that\b | \bis\ there\b | \bthere\ (?:should|must|has|needs|is|are)\b | \bthat\ way\b",
    re.VERBOSE,
)
_CONDITION = lazy_pattern(
    r"^(?:if|when|whenever|before|after|for|in|on|unless|until|while|once|as|with|every|each|any|from|going|next|under)\b"
)
_GIVES_REASON = lazy_pattern(
    r",?\ (?:because|since|as\ (?:it|we|they|i)\b|otherwise)\ .*$"
    r"|[,;–—-]+\ (?:it|they|that)\ (?:takes?|is|are|will|would|breaks?|costs?|needs?|gets?|runs?)\ .*$"
)


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
    conduct = conduct_form(told)
    if conduct is not None and alone(told[conduct:]):
        return DirectiveForm(start + conduct, standing=True)
    if ASKS.match(told) or any(
        unsaid.search(told) for unsaid in (NO_DIRECTIVE, DOUBTED, REPORTED, _RIGHT_NOW)
    ):
        return None
    clause = max(start, lead.clause)
    later = [
        found.end()
        for found in _NEXT_CLAUSE.finditer(plain, clause)
        if not (found[0] == " to " and _INQUIRES.match(told))
    ]
    for at in dict.fromkeys((start, clause, *later)):
        standing = None if OF_THE_MOMENT.search(told) else FOR_GOOD.search(plain[at:])
        if standing is None:
            continue
        form = _kept_from(plain, at if at in later else start, at, standing)
        if form is not None:
            return DirectiveForm(form, standing=True)
    if reasoned := _reasoned(plain, start):
        return reasoned
    standing = None
    if EVER.search(told) and not _ENDS_NOW.search(told):
        standing = _TELLS.search(told)
    found = standing or (None if _SUBJECT.match(told) else THIS_TIME.search(told))
    form = None if found is None else _kept_from(plain, start, start, found)
    return None if form is None else DirectiveForm(form, standing is not None)


def _reasoned(plain: str, start: int) -> DirectiveForm | None:
    """A directive for good before a comma, behind which stands why: that may point, or be past."""
    first, comma, why = plain[start:].partition(", ")
    if (
        len(first.split()) < _FEWEST_REASONED
        or not comma
        or _ENDS_NOW.search(why)
        or _FOR_NOW.search(plain[start:])
    ):
        return None
    found = None if OF_THE_MOMENT.search(first) else FOR_GOOD.search(first)
    form = None if found is None else _kept_from(plain[: start + len(first)], start, start, found)
    return None if form is None else DirectiveForm(form, standing=True)


_FEWEST_REASONED = 4
_FOR_NOW = lazy_pattern(
    r"\b(?:for\ now|for\ this|right\ now|today|tonight|tomorrow|yet|until|in\ this|at\ the\ moment|first)\b",
    re.VERBOSE,
)
_OF_US = lazy_pattern(r"we\ (?!are\b|have\b).*,\s*$")
"""A clause behind which the rest of what we do stands: `we use uv, never pip`."""


def _kept_from(plain: str, start: int, at: int, found: re.Match[str]) -> int | None:
    """Where a directive begins that was found in `plain[at:]`; None if it is none, or points."""
    before = plain[at : at + found.start()]
    if _SUPPOSED.search(before) or _OF_US.match(before):
        return None
    if before.strip() and not _CONDITION.match(before) and _CLAUSE_END.search(before):
        start = at + found.start() + len(found[0]) - len(_LEADING.sub("", found[0]))
    return start if alone(plain[start:]) else None


_NEXT_CLAUSE = lazy_pattern(
    r"(?:,?\ (?:which\ means|that\ means|meaning)(?:\ that)?|,\ (?:and|but|so)(?:\ that)?|[;:])\ "
    r"|\ to\ (?=use\ [^,;?]{2,80}\ (?:instead\ of|rather\ than)\ )",
    re.VERBOSE,
)
"""What stands between a clause and another that can be read by itself."""

_INQUIRES = lazy_pattern(
    r"(?:please\ )?(?:check|confirm|verify|see|find\ out|investigate|research|explain|tell\ me|ask|look)\b",
    re.VERBOSE,
)
"""What asks whether something can be done, or how, and orders nothing of it."""

_TASK = lazy_pattern(
    rf"(?:(?:please|just|then|now|only|rather|simply) )*(?:{ORDER}|do|do\ not|make|let\ us|look)(?:\ (?:up|out|down|off|over|back))?\b"
    r"(?! (?:you|we|they|i)\b)(?!(?: [\w'/.-]+){0,3} (?:is|are|was|were|has|have|does|do|can|must|may|will)\b)"
    r"(?=\ (?:the|an?|all|our|my|your|it|this|that|x{3,})\b|\ \S*[./_])",
    re.VERBOSE,
)


def is_order(plain: str) -> bool:
    """Whether a sentence in lower case begins by telling what to do."""
    return _TASK.match(plain) is not None


_ENDS_NOW = lazy_pattern(
    r"\b(?:this time|today|until we|for this (?:task|pr|change|one))\b"
    r"|\b(?:in case|so that|so (?:we|i))\b.*\bfuture\b"
    r"|\b(?:add|create|implement|build)\b.*\bin (?:the )?future\b"
    r"|\b(?:update|bump|rename|change|replace|upgrade|fix)\b.*\beverywhere\b"
)
_SUBJECT = lazy_pattern(
    rf"(?:(?!(?:i|we|you|it|this|that|these|they|there|what|which|who|if|sure)\b)\w+\ ){{1,2}}?{FINITE}\ "
)
"""What reads like an order, and is a thing of which something is said: `resume needs the token`."""

_RIGHT_NOW = lazy_pattern(r"\b(?:right|for) now\b")
_SUPPOSED = lazy_pattern(
    r"\b(?:i|you|we|they|he|she|it|which|who|what|how|why|to|that|tests?|that\ is|not)\ $",
    re.VERBOSE,
)
"""What makes the words behind it no order."""

_ASKED = lazy_pattern(
    r"(?:can|could|would|will)\ (?:you|we)\ (?:please\ |maybe\ |just\ )*(?=(?:always|never|stop|avoid|not\ |use\ [^?]{1,80}\b(?:instead|rather)\b))(?!.*\bor\b)",
    re.VERBOSE,
)
"""A wish in the form of a question."""

_CLAUSE_END = lazy_pattern(r"[,;:—–(-]\s*$|\b(?:and|but|so|then)\s*$|\S\s$")
_LEADING = lazy_pattern(r"^(?:[\s,;:—–(-]|(?:and|but|so|then|also|please|just|or)\s)+")


def alone(told: str) -> bool:
    """Whether it can be read without what was said before it."""
    kept = _POINTS_AT_HOME.sub(" ", at_home(_GIVES_REASON.sub("", told)))
    pointing = _POINTING.search(kept)
    if pointing is None:
        return True
    return pointing[0] in _PRONOUNS and _INTRODUCED.search(kept[: pointing.end()]) is not None


_PRONOUNS = frozenset({"it", "them", "they", "its", "their"})
