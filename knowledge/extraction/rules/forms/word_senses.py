"""The senses of keywords: when a sentence is a solution, an issue, a statement, a decision.

Beside each pattern stands another for what only looks like it.
They are matched on a sentence in lower case, its quotations blank, each piece of code one `§`.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.nlp.patterns import lazy_pattern


def _sense(*patterns: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(f"(?:{pattern})" for pattern in patterns), re.VERBOSE)


_OPENERS = (
    r"(?:now|ok|okay|so|and|then|next|first|good|great|perfect|right|alright|excellent|also|but|finally"
    r"|progress|for\ now|clean\ compile|right)"
)
_DEEDS = (
    r"(?:fix|check|try|find|resolve|handle|look|investigate|debug|add|update|implement|create|run|make|write"
    r"|use|ensure|verify|see|remove|change|test|read|show|tell|explain|help|move|rename|replace|refactor"
    r"|commit|push|close|file|start|continue|work|working|fixing|checking|running|filing)"
)
PLAN = lazy_pattern(
    rf"""^(?:{_OPENERS}\b[\s,.:;!—–-]*)*(?:
        let\ me\b | let'?s\b | let\ us\b | (?:i|we)'ll\b | (?:i|we)\ will\b | (?:i'm|i\ am|we're)\ going\ to\b
      | (?:i|we)\ (?:also\ |now\ |just\ )?(?:need|should|must|want|have)\ to\b | i\ (?:can|would)\b | i'd\b
      | (?:could|can|would|will)\ you\b | please\b | need\ to\b | going\ to\b | {_DEEDS}\b
      | (?:the|my|our|a)\ next\ (?:step|thing|task)\b | as\ (?:a|the)\ next\ step\b
      | (?:to|before|after|once|by)\ [^,]{{3,80}},\ (?:let\ me|let's|let\ us|(?:i|we)(?:'ll|\ will|\ should|\ need|\ must)
          |(?:i|we|it)\ (?:would|is|'s)\ (?:be\ )?(?:good|important|prudent|best|better)|it's\ (?:important|best|good))
      | expected\s*(?:—|–|-|,|:)\s )""",
    re.VERBOSE,
)
"""What is about to be done or asked for, which says nothing of how things are."""

_DOUBT = (
    r"\b(?:if|whether|unless|would|could|should|might|may|maybe|perhaps|possibly|wish|hope|hopefully"
    r"|suppose|imagine|in\ case|to\ see|make\ sure|ensure)\b"
)
_NOT = r"(?:\b(?:not|never|no|without|cannot|hardly)\b|n't\b|\b(?:do|does|did|is|was|ca|wo)nt\b)"

_FAULT = (
    r"(?:errors?|exceptions?|failures?|crash(?:es)?|bugs?|issues?|problems?|regressions?|leaks?)"
)
SOLUTION = _sense(
    r"\bthe\ (?:\w+\ ){0,3}(?:fix|solution|workaround|remedy)\ (?:is|was|turned\ out)\b",
    r"^(?:the\ )?(?:\w+\ )?(?:fix|solution|workaround|resolution)(?:\s*(?::|—|–|-)\s|\ (?:is|was)\b)",
    r"\b(?:this|that|which|it|doing\ so|\w+ing\ [\w§\ -]{1,60})\ (?:also\ |finally\ )?"
    r"(?:fixed|fixes|solve[sd]|resolve[sd])\b",
    r"\b(?:fixed|solved|resolved|corrected)\ (?:it\ |this\ |that\ |the\ [\w§\ -]{3,60}\ )?"
    r"(?:by|with|using|via|through)\b",
    r"^(?:also\ |now\ |finally\ )?(?:fixed|resolved|solved|worked\ around)\b",
    r"\b(?:i|we)(?:\ have|'ve)?\ (?:also\ |now\ |finally\ |just\ )?(?:fixed|resolved|solved|worked\ around)\b",
    r"\b(?:is|are|was|were|been|got)\ (?:now\ |finally\ |been\ )?(?:resolved|solved)\b|\b(?:now|finally|been)\ fixed\b",
    rf"\b(?:{_FAULT}|tests?|it|this|that)\ (?:is|are|was|were|got)\ fixed\b",
    r"\bas\ an?\ (?:workaround|fix|solution)\b",
    r"\b[\w§-]+\ (?:fixed|solved|resolved)\ (?:it|this|that|the)\b",
)
NO_SOLUTION = _sense(
    rf"{_NOT}[^,;.]{{0,30}}\b(?:fix|solv|resolv|solution)",
    rf"{_DOUBT}[^,;]{{0,40}}\b(?:fix|solv|resolv)",
    r"\bfixed[-\ ](?:width|point|size|length|position|price|rate|height|term|income|set|number|point)\b",
    r"\b(?:to|will|must|be|being)\ (?:be\ )?(?:fix(?:ed)?|solved?|resolved?)\b",
    r"\b(?:blockers?|dependenc\w+|deps?|paths?|versions?|imports?)\ (?:are\ |is\ )?resolved\b",
    r"\bresolved\ (?:to|as|at|from|path|url|version)\b|\b(?:position|width|height)\ (?:is\ )?fixed\b",
    r"\balready\ (?:been\ )?(?:fixed|resolved|solved)\b|^now\ that\b|\b(?:have|get)\ (?:this|it|that)\ (?:fixed|resolved|solved)\b",
    r"^(?:this|that|it|which)\ (?:suggests|indicates|means|confirms)\b|^corrected\b",
)

_VERDICT_LIST = """
issue issues problem problems error errors bug bugs failure failures fix fixes fixed fixing solution
solutions solved resolved corrected mended cause clear clearly clearer obvious straightforward simple
simpler simplest easy sound ready clean perfect good great see found confirmed real actual exact main
most remaining complete completely successfully finally
"""
VERDICTS = frozenset(_VERDICT_LIST.split())
"""Words of a verdict on a finding, which say nothing of what was found."""

ISSUE = _sense(
    rf"\b(?:the|a|an|this|that|another|one|our|my|real|known)\ (?:[\w§-]+\ ){{0,3}}{_FAULT}\ "
    r"(?:is|was|are|were|occur\w*|happen\w*|comes?|came|aris\w+|arose|means?|says?|said|stems?|lies"
    r"|indicates?|persists?|shows?|caused|—|–|-)(?:\s|$)",
    r"\b(?:throws?|threw|raises?|raised|gets?|got|getting|gave|gives?|hits?|hitting|reports?|reported"
    r"|returns?|returned|caus(?:es|ed|ing)|produces?|produced|see|seeing|saw|hit)\ (?:me\ )?"
    r"(?:an?\ |the\ |this\ |that\ |these\ |some\ |many\ )?(?:[\w§-]+\ ){0,3}"
    r"(?:errors?|exceptions?|failures?|crash|segfault|panic|5\d\d|4\d\d)\b",
    r"\b(?:fails|failed|failing|crashes|crashed|crashing|errors\ out|errored|timed\ out|times\ out"
    r"|panicked|hangs|hung)\b",
    r"\b\w+s\ (?:still\ |now\ |also\ |all\ )?(?:fail|crash|break|hang)\b(?=\ (?:on|with|when|because|since"
    r"|in|for|at|after|due)\b|[.,;]|$)",
    r"(?:\b(?:does|do|did|is)\ ?n'?t|\b(?:does|do|did|is)\ not|\bdoesnt|\bdont|\bdidnt|\bisnt)\ "
    r"(?:seem\ to\ |appear\ to\ |even\ |actually\ |always\ )?(?:work|working|start|starting|run|running|load"
    r"|loading|compile|build|respond|responding|connect|render|update|updating|show\ up|exist|support"
    r"|supported)\b",
    r"§.*(?:\bdoes\ ?n'?t|\bdo\ ?n'?t|\bdoes\ not|\bdo\ not|\bdid\ ?n'?t)\ (?:actually\ )?(?:include|contain|define|export|accept)\b",
    r"\bnot\ (?:working|starting|loading|responding|rendering|updating|supported)\b|\bnot\ work\b",
    r"\b(?:will|can|could|does|may|might)\ (?:also\ )?(?:fail|crash|break)\ (?:on|with|if|when|because|in)\b",
    r"\b(?:is|are|was|were|got)\ (?:now\ |completely\ |still\ )?(?:broken|corrupted|corrupt|missing|wrong)\b",
    r"\b(?:real|known|compiler|serious|nasty|subtle)\ (?:[\w§-]+\ ){0,2}bug\b",
    r"\b(?:memory\ leak|race\ condition|deadlock)s?\b|\broot\ cause\ (?:is|was)\b|^root\ cause\s?[:—–-]",
    rf"\bthere\ (?:is|was|are|were)\ (?:an?\ |another\ |some\ |still\ )*(?:[\w§-]+\ ){{0,2}}{_FAULT}\ "
    r"(?:in|with|on|when|while|because|due|near|that|calling|where)\b",
    rf"\b{_FAULT}\b[^,;:]{{0,60}}\b(?:is|was|are|were)\ (?:\w+\ )?(?:due\ to|because|caused\ by)\b",
    r"\bbugs?\ (?:where|in\ which)\b",
)
CONDITION = lazy_pattern(r"\b(?:if|unless|whether|in case)\b[^,;—]*")
"""What an issue is not found in: it may never happen."""

MENDED = lazy_pattern(
    r"\b(?:fix(?:es|ed)?|chang(?:es?|ed)|done|improvements?|added|solutions?|resolved|solved|features?"
    r"|tests?|plan|to-?do|next steps?|verif\w+|how to|steps|edge cases|scenarios)\b"
)
"""Headings of lists whose items are no issues, though they speak of them."""

NO_ISSUE = _sense(
    rf"\b(?:0|no|zero|without(?:\ any)?|any|free\ of|not\ an?|never|none|avoids?|prevents?|any\ more)\ (?:[\w§/-]+\ )?"
    rf"(?:{_FAULT}|failed|failing|warnings?)\b",
    r"\b(?:error|exception|failure|failed|bug|issue)s?[-\ ](?:handl\w+|messages?|paths?|states?|spans?|boundar\w+"
    r"|codes?|logg?\w*|track\w*|report\w*|types?|class\w*|cases?|recovery|budget|rates?|tuples?|pages?"
    r"|views?|attributes?|propagation|toast|responses?|metadata|status|events?|panels?|templates?)\b",
    r"\b(?:handl\w+|catch\w*|logs?|logging|rescue\w*|record\w*|track\w*|assert\w*|marks?|displays?)\ "
    r"(?:an?\ |the\ |any\ |all\ )?(?:\w+\ )?(?:errors?|exceptions?|failures?)\b",
    r"\b(?:fixed|resolved|solved|fixes|resolves|solves)\b",
    r"\b(?:if|when|whenever)\ (?:it|this|that|they|the\ [\w§-]+|a\ [\w§-]+|any\w*|one|[\w§-]+)\ (?:ever\ )?"
    r"(?:fails?|crash\w*|breaks?|errors?)\b",
    r"\bin\ case\ of\b|\bto\ (?:fail|crash|error|hang)\b|\bfalse\ positive|\bfailed\ (?:with\ )?0\b",
    r"\bfail\w*[-\ ](?:open|closed|safe\w*|fast|soft|over|gracefully|silently|loudly)\b",
    r"\bit'?s\ not\ relevant\b|\b(?:all|both)\ (?:\d+\ )?(?:tests?\ )?pass(?:ed|ing)?\b",
    r"\b(?:would|could|might|may|should)\ (?:\w+\ )?(?:see|get|cause|throw|raise|produce|hit)\b"
    r"|\bexpected\ (?:errors?|failures?)\b|\busually\b",
    r"\b(?:0|no|zero)\ (?:[\w-]+\ )?(?:errors?|failures?|issues?|problems?|bugs?)\b|\bnot\ (?:an?|the)\ (?:\w+\ )?(?:bug|issue|problem|error)\b",
    r"^(?:please,?\ )?(?:do\ not|don't|dont)\b|^(?:how|what|why|where|whether)\b|\bgracefully\b|\bsilently\b|\bon\ (?:failure|error)s?\b",
    r"\bhung\ (?:out|up)\b|\bhangs?\ out\b",
    r"\berrors\ are\ (?:safe|expected|caught|handled|logged)\b|\bno\ longer\b|\bused\ to\b",
)

DISCOVERY = _sense(
    r"\bit\ (?:then\ )?turn(?:s|ed)\ out\b|^turns\ out\b|\bturn(?:s|ed)\ out\ (?:that|to\ be|the|we|it|they|there)\b",
    r"\b(?:i|we|i've|we've|i\ have|we\ have)\ (?:just\ |also\ |now\ |then\ )?"
    r"(?:discovered|realized|realised|noticed|learned|learnt|figured\ out|found\ out|found)\ (?:that|why|how)\b",
    r"\b(?:testing|profiling|debugging|the\ (?:logs?|trace|profiler|tests?|docs?|documentation))\ "
    r"(?:shows?|showed|revealed|found)\ (?:that|out)\b",
    r"^(?:found|discovered|noticed|confirmed|learned)(?:\ out)?\ that\b",
    r"\b(?:found|identified|discovered|pinpointed)\ (?:the|a|an|another|one)\ (?:[\w§-]+\ ){0,2}"
    r"(?:bug|issue|problem|cause|culprit|error|reason|regression|leak)\b(?=\s*(?:—|–|-|:|,|in\b|with\b|where\b|that\b))",
    r"\b(?:root|real|actual|underlying)\ (?:cause|reason|problem|issue)\ (?:is|was|turned)\b",
    r"^(?:\w+[\s,.!—-]+){0,2}i\ see\ (?:the|what\ the|—\ the|-\ the)\ (?:\w+\ )?(?:issue|problem|bug)\b",
    r"^(?:this|that)(?:\ is|'s)\ (?:the|a)\ (?:real\ |known\ )?(?:[\w§-]+\ ){0,3}(?:bug|cause|reason|limitation|culprit)\b",
    r"\bthe\ culprit\ (?:is|was)\b|\bthe\ trick\ (?:is|was)\b|^(?:interestingly|surprisingly),",
)
NO_DISCOVERY = _sense(
    rf"{_NOT}\ (?:been\ )?(?:find|found|discover\w*|notic\w*)",
    rf"{_DOUBT}\ [^,;]{{0,30}}\b(?:turns?\ out|found|discover|notic)",
    r"\b(?:found|discovered)\ (?:the\ )?(?:\d+|following|relevant|all|some|several|many)\b",
    r"\bturn(?:s|ed)\ out\ (?:really|pretty|very|so|great|well|good|fine|ok|okay|nice|to\ be\ (?:great|fine))\b",
)

NO_STATEMENT = _sense(
    r"^(?:i|we)(?:\ (?:would|want|wish|hope|can(?!not|\ (?:also\ )?(?:speak|play|ride|ski|sew|knit|juggle|sing|swim)\b)|could|should|might))\b",
    r"^(?:i|we)\ need\b(?!\ (?:at\ least\ |about\ |around\ )?(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|glasses"
    r"|insulin|medication)\b)",
    r"\b(?:my|our)\ (?:\w+\ )?(?:point|question|concern|guess|bad|understanding|thought|worry|suggestion|assumption)\ (?:is|was)\b",
    r"^(?:my|our)\ (?:[\w'-]+\ ){1,3}(?:says?|said|tells?|told|thinks?|claims?|claimed|believes?|asks?|asked|swears|insists?)\b",
    r"\b(?:option|alternative|approach|variant|choice|proposal)\ (?:[a-z]|\d|one|two|three)\b",
    r"^(?:what|why|how|when|where|who|which|do|does|did|is|are|can|could|would|should|will|shall|have|has|may)"
    r"\b(?!\ not\ ever)",
    r"^(?:suppose|imagine|pretend|what\ if|if\ only)\b",
    r"\bi\ (?:never\ said|do\ not\ think|would\ not\ say|am\ not\ saying|did\ not\ say)\b|\bi\ am\ not\ (?:sure|saying)\b",
    r"\bas\ an\ ai\b|\bif\ (?:i|we)\ (?:were|was|had)\b|\b(?:today|tonight|tomorrow|this\ (?:week|morning|afternoon|evening))\b",
)
"""Wishes, questions without their mark, denials of having said so, and what passes with the day."""
