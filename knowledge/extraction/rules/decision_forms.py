"""The forms of decisions: what was settled, changed or ended, and what is to be so from then on.

They are matched on a clause in lower case whose contractions are written out.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.extraction.rules.word_classes import DOUBTED, ORDER, POINTED
from cairn.knowledge.nlp.patterns import lazy_pattern

_CHOSE = r"(?:decided|agreed|settled|opted|voted|ruled|chosen|chose|picked)"
_ENDED = (
    r"(?:dropped|moved|renamed|replaced|removed|abolished|given\ up|rejected|retired|scrapped|abandoned|merged|cancelled"
    r"|postponed|switched|decommissioned|discontinued|deprecated|sold|split|chosen|picked|approved)"
)
_DATE = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|next\ \w+|\w+day\b"
    r"|(?:the\ )?(?:first|\d+(?:st|nd|rd|th))\ of|this\ (?:week|month|year)|(?:version\ |release\ |v)?\d+(?:\.\d+)+|20\d\d)"
)
_SOMETHING = r"(?!(?:i|you|it|this|that|these|those|he|she|they|there|what)\b)[^,;?]{2,60}?"

SETTLED = lazy_pattern(
    rf"""
      ^(?:we|i|{_SOMETHING})\ (?:have\ |has\ |had\ |is\ |was\ |been\ |finally\ |all\ |just\ )*{_CHOSE}
        (?!\ to\ (?:talk|discuss|meet|see|think|wait|add|update|fix)\b)\ (?!(?:it|this|that|so|yet|on\ that)\b)\S
    | ^{_SOMETHING}\ (?:has\ been|have\ been|was|were|got|is|are)\ (?:\w+ly\ |both\ |finally\ )?{_ENDED}\b
    | ^{_SOMETHING}\ (?:is|are)\ (?:out(?!\ of)|dead|abolished|frozen|final|history|off\ the\ table)\b
    | ^(?:{_ENDED}|hired|signed|bought|quit|going\ with|went\ with)\ (?!(?:it|this|that|them)\b)\w+\ \w
    | ^(?:i|we)\ (?:are|am|will)\ (?:not\ (?:going\ to\ )?(?:support|renew|port|use|keep|have|run|build|ship)\w*|no\ longer|(?:drop|archiv|retir|clos|deprecat|abandon|replac|keep)(?:p?ing)
        |(?:stay|stick|go)ing\ with|staying\ (?:at|on)|getting\ rid\ of|(?:switch|mov|migrat)ing\ (?:to|from|away|off)|going\ to\ (?:adopt|drop|use|get\ rid\ of|switch|replace|remove|charge))\ (?!(?:it|this|that)\b)\w
    | ^(?:i|we)\ no\ longer\ \w | ^{_SOMETHING}\ (?:is|are)\ no\ longer\ (?:needed|used|supported|required|available|maintained)\b | ^no\ longer\ need\ \w
    | ^[\w .]{{2,40}}(?<!as)\ it\ is(?:\ then)?[,.!;]
    | ^(?!{POINTED})[^;?]*?\b(?:from|as\ of|starting)\ {_DATE}
    | \b(?:that\ is|it\ is)\ (?:final|settled|official)\b | \bonce\ and\ for\ all\b | ^{_SOMETHING}\ won\ over\ \w
    | ^(?:decision|verdict)(?:\ (?:from|of)\ [^:]+)?:\ \w
    """,
    re.VERBOSE,
)
"""How a clause tells of what was decided, of a change that stays, or of what ended."""

ASKS_WHETHER = lazy_pattern(r"\b(?:if|whether)\b")
PROGRESS = lazy_pattern(
    r"\b(?:phases?|steps?|tasks?|tickets?|milestones?|prs?|pull requests?|commits?|branch(?:es)?|work)\b"
    r"(?: (?!once\b|when|until\b|if\b)[^\s,;]+){0,5}? (?:is|are|was|were|been|got) (?:\w+ly |both |finally )?(?:merged|approved|moved|picked)\b"
    r"|\bmerged (?:in)?to (?:main|master|develop|trunk)\b"
)
"""What asks for it in `SETTLED`'s words, and what tells how far the work at hand is."""

_KEEPS = (
    r"(?:go\ (?:with|for)|settle\ on|stay\ (?:with|on)|stick\ (?:with|to)|use|keep|drop|remove|call|name|adopt|replace|rename|hide"
    r"|switch|support|store|ignore|allow|return|exclude|include)"
)
_CHORE = (
    rf"(?!working\b|going\b|{POINTED}(?<!the)(?<!an)(?<!\ba)|the\ (?:same|first|second|last|next|other)\b|your\b|sure\b|(?:[\w'-]+\ ){{0,4}}"
    r"(?:tests?|docs?|documentation|comments?|commits?|prs?|branch|todos?|tickets?|issues?|changelog|approach|picks?|option)\b)"
)
"""What stays so once it is done is done with nothing of this kind."""

_HOW = r"(?:(?:just|completely|rather|also|now|simply|then|only|really|always|instead|all)\ )*"
LETS = lazy_pattern(rf"\blet\ us\ {_HOW}{_KEEPS}\ {_CHORE}\S")
WE_SHOULD = lazy_pattern(
    rf"\bwe\ {_HOW}(?:should|must|shall)\ {_HOW}(?:not\ )?{_KEEPS}\ (?:that\ in\b|{_CHORE}\S)"
    rf"|\bwe\ can\ (?:now\ |just\ |safely\ |completely\ )*(?:delete|remove|drop)\ {_CHORE}\S"
)
TO_BE_SO = lazy_pattern(
    rf"""(?:
        (?:we\ do\ not\ need|no\ need)\ (?:to\ {ORDER}\ |for\ )?(?!{POINTED}(?<!the)|(?:to|more|all|much)\b)(?=\S)
      | it\ is\ (?:totally\ |perfectly\ )?(?:ok|okay|fine|acceptable|allowed)\ (?:to|if|for)\ (?!me\b|you\b)
      | (?:i|we)\ do\ not\ want\ (?!{POINTED}(?<!the)|to\b)(?:[\w'/.-]+\ ){{1,5}}to\ (?=\w)
      | (?=(?:rename|switch|migrate)\ (?:[\w'/.@-]+\ ){{1,5}}?from\ [\w'/.@-]+(?:\ [\w'/.@-]+){{0,2}}\ to\ [\w'/.@-]+)
      | (?=(?:change|move|convert)\ (?:[\w'/.@-]+\ ){{1,5}}?from\ \w+(?:[-_./@:]\w+)+\ to\ [\w'/.@-]+)
      | (?=(?:stay|stick)\ (?:with|to)\ (?!(?:me|us|it|this|that|them|the\ plan)\b)\w)
      | (?:[\w'/.-]+\ ){{1,3}}(?:is|are)\ (?:fine|ok|okay|enough|good\ enough)\ (?:just\ |only\ )?for\ (?!(?:now|me|this|that|the\ moment)\b)(?=\w)
    )""",
    re.VERBOSE,
)
"""How a sentence begins that says how something is to be, or what is not needed."""

POINTS_BACK = lazy_pattern(
    r"""\b(?:this|that|these|those|it|its|them|they|their|both|here|there|one|ones|first|then|same|changes?
      |fix|branch|something|everything|option|some|two|three|all\ of)\b""",
    re.VERBOSE,
)
"""What cannot be read alone, or orders the work at hand."""

DOUBTS = lazy_pattern(
    rf"{DOUBTED.pattern}|^(?:if|when|while|did|do|does|should|would|is|are)\b|\b(?:would|if we|either|or should|for now|right now"
    r"|today|for the moment|until we|(?:not|n't) (?:yet|decided)|yet|nothing is|said|says|told|asked|again|just now|no idea)\b"
)
ASKS_BEHIND = lazy_pattern(
    r"(?:\s(?=(?:what|how|where) (?:do|should|would|can|else) (?:we|i|you)\b)"
    r"|(?:,|;|-|–|—|\band\b)\s*(?:(?:so|and|then|but)\s+)*(?:(?:can|could|would|will|do) you\b"
    r"|what do you\b|does that\b|any (?:ideas|objections)\b|ok(?:ay)?\b|right\b|agreed\b))[^.?]*\?\s*$"
)
"""What a person asks behind a decision."""

ASKS_FOR = lazy_pattern(
    r"(?:can|could|would|will) (?:we|you) (?:please )?"
    r"(?=(?:rename|switch|migrate) [^,;]{1,60}? from \S+(?: \S+)? to \S"
    r"|(?:change|move|convert) [^,;]{1,60}? from \w+(?:[-_./@:]\w+)+ to \S)"
)
"""A switch that is asked for in the form of a question."""

UNDOES = lazy_pattern(
    r"(?:revert|undo|roll\ back|back\ out|scrap|scratch|forget|drop|take\ back)\ "
    r"(?:that|this|it|those\ changes|the\ last\ (?:change|one|commit))\b"
    r"|(?:let\ us\ )?(?:go|switch|change\ it)\ back\b|never\ ?mind\b|put\ it\ back\b",
    re.VERBOSE,
)
RETHINKS = lazy_pattern(
    r"^\W*(?:(?:hm+|no|ok|okay|oh|sorry|wait|ah),?\ )*(?:thinking\ again|on\ second\ thoughts?|actually"
    r"|i\ changed\ my\ mind|scratch\ that|rather|after\ all|come\ to\ think)\b",
    re.VERBOSE,
)
