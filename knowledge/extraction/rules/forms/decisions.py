"""The forms of decisions: what was settled, changed or ended, and what is to be so from then on.

They are matched on a clause in lower case whose contractions are written out.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.extraction.rules.forms.word_classes import (
    DOUBTED,
    ORDER,
    POINTED,
    THOUGHT_GONE,
)
from cairn.knowledge.nlp.patterns import lazy_pattern

_CHOSEN = (  # with a verb before it: what is chosen in "the chosen ship" nobody has decided just now
    r"(?:(?<=have\ )|(?<=has\ )|(?<=had\ )|(?<=was\ )|(?<=been\ )|(?<=finally\ )|(?<=just\ )|(?<=all\ ))chosen"
)
_CHOSE = rf"(?:decided|agreed|settled|opted|voted|ruled|{_CHOSEN}|chose|picked)"
_ENDED = (
    r"(?:dropped|moved|renamed|replaced|removed|abolished|given\ up|rejected|retired|scrapped|abandoned|merged|cancelled"
    r"|postponed|switched|decommissioned|discontinued|deprecated|sold|split|chosen|picked|approved)"
)
_DATE = (
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|next\ \w+|\w+day\b"
    r"|(?:the\ )?(?:first|\d+(?:st|nd|rd|th))\ of|this\ (?:week|month|year)|(?:version\ |release\ |v)?\d+(?:\.\d+)+|20\d\d)"
)
_SOMETHING = r"(?!(?:i|you|it|this|that|these|those|he|she|they|there|what)\b)[^,;?]{2,60}?"

_KEEPS = (
    r"(?:go\ (?:with|for)|ship\ with|settle\ on|stay\ (?:with|on)|stick\ (?:with|to)|use|keep|drop|remove|call|name|adopt|replace|rename|hide"
    r"|switch|support|store|ignore|allow|return|exclude|include)"
)
_CHORE = (
    rf"(?!(?:work|go|mov|push|try)ing\b|{POINTED}(?<!the)(?<!an)(?<!\ba)|the\ (?:same|first|second|last|next|other)\b|your\b|sure\b|(?:[\w'-]+\ ){{0,4}}"
    r"(?:tests?|docs?|documentation|comments?|commits?|prs?|branch|todos?|tickets?|issues?|changelog|approach|picks?|option|changes?|scope|gears)\b)"
)
"""What stays so once it is done is done with nothing of this kind."""

SETTLED = lazy_pattern(
    rf"""
      ^(?:we|i|{_SOMETHING})\ (?:have\ |has\ |had\ |is\ |was\ |been\ |finally\ |all\ |just\ )*{_CHOSE}
        (?!\ to\ (?:talk|discuss|meet|see|think|wait|add|update|fix|undo|revert|try|start)\b)\ (?!(?:it|this|so|yet|on\ that|that(?!\ (?!is\b|was\b)\w))\b)\S
    | ^{_SOMETHING}(?<!\bit)\ (?:has\ been|have\ been|was|were|got|is|are)\ (?:\w+ly\ |both\ |finally\ )?{_ENDED}\b
    | (?:^|,\ ){_SOMETHING}\ (?:is|are)\ (?:out(?!\ of)|dead|abolished|frozen|final|history|off\ the\ table|settled|cancelled|on\ hold|out\ of\ scope)\b
    | ^{_SOMETHING}\ gets?\ (?:shut\ (?:off|down)|dropped|retired|replaced|deprecated|sunset|archived|removed\ (?:after|in|by|with|once|when))\b | (?:^|,\ ){_SOMETHING}\ goe?s?\ away\b
    | (?:^|[,:]\ |^for\ [\w-]+\ (?:[\w-]+\ )?)we\ (?:have\ )?(?:went|gone)\ with\ (?!{POINTED}(?<!the)|(?:him|her|what)\b)\w
    | \b(?:i|we)\ (?:take|took|pick|choose)\ [\w'/.-]+(?:\ [\w'/.-]+)?\ over\ (?!{POINTED})\w
    | ^we\ keep\ (?!{POINTED}(?<!the)|\w+ing\b)[^,;?]{{2,40}}?(?:\ until\ (?!we\b)|,\ (?:so\ )?no\ |\ for\ another\ )\w
    | ^(?:the\ )?(?:minimum|maximum|default|target|base|lowest|oldest)\ [\w. ]{{1,30}}?\ (?:will|is\ going\ to)\ be\ \S
    | ^{_SOMETHING}\ (?:is|are)\ being\ {_ENDED}\ (?:by|with|in|from|to)\b | ^{_SOMETHING}\ will\ be\ [^,;?]{{2,30}}?\ only\b | (?:^|,\ )we\ (?:skip|drop)\ (?!(?:it|this|that|them|the\ rest)\b)\w
    | ^we\ will\ only\ (?:do|support|ship|use|have|build|offer)\ \w | ^no\ (?:[\w-]+\ ){{1,3}}(?:in|for|before|until)\ (?:the\ )?(?:first|initial|mvp|launch|beta|v\d|next)\b
    | ^{_SOMETHING}\ (?:will|is\ going\ to)\ be\ (?:called|named|licensed|{_ENDED}|written\ in|built\ (?:with|on)|hosted|under)\b
    | ^{_SOMETHING}\ (?:will|(?:is|are)\ (?:going\ to|gonna))\ be\ (?:stored|kept|saved|an?\ (?:[\w-]+\ )?(?:component|service|module|plugin|package|table|class|library|crate|sidecar|singleton))\b | ^(?:the\ )?licen[sc]e\ will\ be\ \w
    | (?:^|[,:]\ |\band\ )we\ (?:will\ |are\ )?(?:go|going)\ with\ (?!{POINTED}(?<!the)|(?:him|her|what|whatever)\b)\w | [,:]\ (?:so\ |and\ )?we\ keep\ (?!{POINTED}(?<!the)|\w+ing\b)\w | \band\ we\ keep\ (?!{POINTED}(?<!the)|\w+ing\b)[^,;?]{{2,40}},\ no\ \w
    | (?:^|[,:]\ )we\ (?:(?:move|switch|migrate)|(?:are|will\ be)\ (?:mov|switch|migrat)ing)\ from\ [^,;?]{{2,40}}?\ to\ \w
    | ^we\ will\ (?:ship|release|launch)\ [^,;?]{{2,40}}?\ (?:with|without|as)\ \w
    | ^(?:{_ENDED}|hired|signed|bought|quit|going\ with|went\ with)\ (?!(?:it|this|that|them)\b)\w+\ \w
    | (?:^|,\ )(?:i|we)\ (?:are|am|will)\ (?:not\ (?:going\ to\ )?(?:support|renew|port|use|keep|have|run|build|ship|do|offer|translate|maintain)\b(?!\ (?:it|this|that)\b)\w*|no\ longer|(?:drop|archiv|retir|clos|deprecat|abandon|replac|keep)(?:p?ing)
        |(?:stay|stick|go)ing\ with|staying\ (?:at|on)|getting\ rid\ of|(?:switch|mov|migrat)ing\ (?:to|from|away|off)|(?:ultimately\ |eventually\ |always\ )?going\ to\ (?:deploy|host|support|adopt|drop|use|get\ rid\ of|switch|replace|remove|charge))\ (?!(?:it|this|that)\b)\w
    | ^(?:i|we)\ no\ longer\ (?!(?:recall|remember|know|see|get|think|understand|believe|recogni[sz]e)\b)\w | ^{_SOMETHING}\ (?:is|are)\ no\ longer\ (?:needed|used|supported|required|available|maintained)\b | ^no\ longer\ need\ \w
    | ^we\ cannot\ (?:use|upgrade|depend\ on|rely\ on|change|rename|drop|support|break|store|expose)\ {_CHORE}\S | ^we\ do\ not\ care\ about\ (?!{POINTED}(?<!the))\S
    | ^{_CHORE}{_SOMETHING}(?<!\bthat)(?<!\bwhich)\ (?:(?:is|are)\ not\ (?:needed|required|necessary|important|a\ (?:goal|priority|concern))|(?:does|do)\ not\ matter)\b | ^no\ (?:[\w'/-]+\ ){{2,5}}?(?:needed|required|necessary)\b
    | ^we\ do\ not\ (?:have|support|need|run)\ (?:the|our|any)\ [^,;?]{{2,60}}?\ (?:anymore|any\ more|any\ longer)\b | ^{_SOMETHING}\ (?:no\ longer\ exists?|(?:does|do)\ not\ exist\ any\ ?(?:more|longer))\b
    | ^(?!.*\b(?:what|how|where|why|who)\b)[\w .'/@+-]{{2,40}}(?<!as)\ it\ (?:is|stays)(?:\ then)?(?:[,.!;]|\ but\b)
    | ^(?!{POINTED})[^;?]*?\b(?:from|as\ of|starting)\ {_DATE}(?![\w.]*\ to\b)
    | \b(?:that\ is|it\ is)\ (?:final|settled|official)\b | ,\ (?:that|it)\ is\ decided\b | ^we\ will\ (?:not|never)\ {ORDER}\ {_CHORE}\S | \bonce\ and\ for\ all\b | ^{_SOMETHING}\ won\ over\ \w
    | ^{THOUGHT_GONE}\ (?!{POINTED}(?<!the))\S
    | ^(?:drop|remove|end|stop)\ support\ for\ (?!{POINTED}(?<!the))\S
    | ^(?:decision|verdict|decided|agreed|settled)(?:\ (?:from|of|with)\ [^:]+)?:\ (?!we\ (?:start|begin|continue)\b)\w
    """,
    re.VERBOSE,
)
"""How a clause tells of what was decided, of a change that stays, or of what ended."""

ASKS_WHETHER = lazy_pattern(r"\b(?:if|whether)\b")
PROGRESS = lazy_pattern(
    r"\b(?:phases?|steps?|tasks?|tickets?|milestones?|prs?|pull requests?|commits?|branch(?:es)?|work)\b"
    r"(?: (?!once\b|when|until\b|if\b)[^\s,;]+){0,5}? (?:is|are|was|were|been|got) (?:\w+ly |both |finally )?(?:merged|approved|moved|picked)\b"
    r"|\bmerged (?:in)?to (?:main|master|develop|trunk)\b|\bsuccessfully\b|^your\b"
)
"""What asks for it in `SETTLED`'s words, and what tells how far the work at hand is."""

_HOW = r"(?:(?:just|completely|rather|also|now|simply|then|only|really|always|instead|all)\ )*"
_SETS = r"(?:limit|cap|restrict|disallow|forbid|require|treat|align|standardi[sz]e\ on|default\ to|disable|enable|prefer|avoid|reserve)"
LETS = lazy_pattern(
    rf"\blet\ us\ {_HOW}(?:{_KEEPS}|{_SETS})\ {_CHORE}\S"
    rf"|\blet\ us\ {_HOW}(?:make|have)\ (?!an?\b|(?:use|progress|time|fun|room)\b){_CHORE}(?:[\w'/.@-]+\ )+\w"
    r"|\blet\ us\ do\ (?:[\w-]+\ ){1,3}(?:in|with|via|by)\ [\w-]+\ (?:only|instead|everywhere)\b"
    rf"|\blet\ us\ not\ (?!(?:worry|mess|touch|forget|get|do|change|break|rush|go|start|over\w+|bother|waste|be|spend|jump|lose|focus|fix|overcomplicate)\b){ORDER}\ {_CHORE}\S"
)
WE_SHOULD = lazy_pattern(
    rf"\bwe\ {_HOW}(?:should|must|shall)\ {_HOW}(?:not\ )?{_KEEPS}\ (?:that\ in\b|{_CHORE}\S)"
    rf"|\bwe\ (?:should|must|shall)\ (?:not|never)\ (?:display|show|expose|leak|offer|send|log|track)\ {_CHORE}\S"
    rf"|^we\ will\ {_HOW}{_KEEPS}\ {_CHORE}\S"
    rf"|\bwe\ can\ (?:now\ |just\ |safely\ |completely\ )*(?:delete|remove|drop)\ {_CHORE}\S"
)
_NO_THING = (
    rf"{POINTED}(?<!the)|(?:i|we|you|he|she|who|what|which|how|where|why|when|if|to|tell|see|check|let|notice|all|every|each|latter|former|whatever|whoever)\b"
    r"|(?:[\w'/.@-]+\ ){0,5}?(?:tests?|docs?|fix|changes?|plan|prs?|issue|problem|error|branch|commit|answer|output|result|results|task|work|rest|latter|former|that|and|agent|build|ci|which|what|who|how|where|will|would)\ (?:should|must|to)\b"
)
"""What is no thing of the project that is to be some way, but the work at hand."""
_NO_STATE = (
    r"(?:(?:(?:a\ (?:bit|little)|much|slightly|way|far|even)\ )?(?:more\ \w+|bigger|smaller|larger|shorter|longer|better|faster|cleaner|clearer|simpler"
    r"|darker|lighter|wider|narrower|higher|lower|easier)\b(?!.*\bthan\b)"
    r"|(?:too|so|very|quite|pretty|that)\ (?:hard|difficult|bad|long|much|easy|complicated)|hard(?!\ \w+ed\b)|difficult|trivial|straightforward|a\ problem|an\ issue"
    r"|able|fixed|fine|ok|okay|done|there|here|working|possible|easy|simple|enough|noted|careful|aware|good|clear|ready|green|passing|safe|trivial|quick"
    r"|\w+ing|been|it|this|that|these|those|them|to)\b"
)
"""What is hoped of the work at hand."""
_WORK = r"(?:write|run|explain|commit|push|implement|edit|read|check|look|summari[sz]e|deal|wait|worry)\b"
"""What whoever works on it need not do this time."""
TO_BE_SO = lazy_pattern(
    rf"""(?:
        (?:(?:i\ do\ not\ think\ we|we\ do\ not)\ (?:actually\ |really\ |even\ )?need|(?:there\ is\ )?no\ need)\ (?:to\ (?!{_WORK}){ORDER}\ |for\ )?(?!{POINTED}(?<!the)(?<!any)(?<!\ba)(?<!\ban)|(?:to|(?:any\ )?more|all|much|(?:an?|any)\ (?:[\w-]+\ )?(?:fix|help|change|plan|test|answer|meeting)s?)\b)(?=\S)
      | it\ is\ (?:totally\ |perfectly\ )?(?:ok|okay|fine|acceptable|allowed)\ (?:to|if|for)\ (?!me\b|you\b)
      | (?:this|it|everything)\ (?:also\ )?(?:has\ to|must|needs\ to|should)\ (?:also\ )?(?:work|run|build|compile)\ (?:on|in|with|under|without|offline)\ (?!{POINTED}(?<!the)|(?:the\ same|all|both)\b)(?=\S)
      | we\ (?:also\ )?(?:have\ to|need\ to|must)\ support\ (?!{POINTED}(?<!the))(?=\S)
      | (?:i|we)\ do\ not\ want\ (?!{POINTED}(?<!the)|to\b)(?:[\w'/.-]+\ ){{1,5}}(?:to|in|on|as|when|without|separate\ from|next\ to)\ (?=\w)
      | (?:i|we)\ (?:also\ |really\ |just\ )*want\ (?!{_NO_THING})(?:[\w'/.@-]+\ ){{1,5}}?to\ (?:always\ |only\ |also\ |not\ )*(?:be(?!\ \w+ed\b)|use|have|stay|behave|show|start|live|return|default|look\ like|work\ like)\ (?!{_NO_STATE})(?=\S)
      | (?:we\ do\ not|i\ do\ not(?=\ want\ to\ (?:use|depend|rely|support|expose|introduce|maintain)\b))\ (?:ever\ )?want\ to\ (?!(?:worry|mess|touch|get|do|make|go|start|waste|be|spend|see|say|know|wait|think|fix|talk)\b){ORDER}\ (?={_CHORE}\S)
      | (?:i|we)\ (?:also\ |just\ )*want\ to\ (?=(?:replace|switch|migrate|move)\ (?!{POINTED}(?<!the)|\S*[@/])[^,;?]{{2,60}}?\ (?:with|to|into)\ (?!{POINTED}(?<!the))\S)
      | (?:i|we)\ (?:also\ |just\ )*want\ to\ (?:keep|stay|stick|avoid|support|allow|limit)\ (?={_CHORE}\S)
      | (?=(?:(?:in|on|for)\ (?:[\w'/.@-]+\ ){{1,5}}?)?(?!{_NO_THING})(?:[\w'/.@-]+\ ){{1,7}}?(?<!\bit\ )(?:should|must)\ (?:not\ |never\ |also\ |just\ |only\ |always\ |initially\ |all\ )*(?:be,?|have|use|go|live|return|show|appear|include|contain|stay|fall\ back|default|start|match|accept|require|behave|work\ like|take\ precedence|override|win)\ (?!{_NO_STATE})\S)
      | (?=instead\ of\ [^,;?]{{2,60}}?,?\ (?:we\ should|let\ us)\ (?:just\ |rather\ )*{ORDER}\ \S)
      | (?=(?:import|treat|expose|store|alias)\ (?:[\w'/.@-]+\ ){{1,5}}?as\ \S)
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
    rf"{DOUBTED.pattern}|^(?:if|when|while|did|do|does|should|would|is|are|(?:can|could|will) (?:i|we|you))\b|\b(?:would|if we|either|or should|for now|right now"
    r"|today|for the moment|until we|(?:not|n't) (?:yet|decided)|yet|in (?:this|that) case|now(?=[.!]?$)|nothing is|said|says|told|asked|again|just now|no idea)\b"
)
ASKS_BEHIND = lazy_pattern(
    r"(?:\s(?=(?:what|how|where) (?:do|should|would|can|else) (?:we|i|you)\b)"
    r"|(?:,|;|-|–|—|\band\b)\s*(?:(?:so|and|then|but)\s+)*(?:(?:can|could|would|will|do) you\b"
    r"|what do you\b|does that\b|any (?:ideas|objections)\b|ok(?:ay)?\b|agreed\b))[^.?]*\?\s*$"
)
"""What a person asks behind a decision."""

ASKS_FOR = lazy_pattern(
    r"(?:can|could|would|will) (?:we|you) (?:please )?"
    r"(?=(?:rename|switch|migrate) [^,;]{1,60}? from \S+(?: \S+)? to \S"
    r"|(?:change|move|convert) [^,;]{1,60}? from \w+(?:[-_./@:]\w+)+ to \S"
    r"|(?:import|treat|expose|store|alias) [^,;]{1,60}? as \S)"
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
