"""What a person tells an agent of a project: where things are, what they are, when they happen.

They are matched on a sentence in lower case whose subject is a thing or somebody else, in the
present tense: "the staging database runs on `berth-2`", "CI takes 20 min". What is told of the thing
at hand (a button, this line, an error) is none, nor how it is at the moment.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.extraction.rules.forms.directives import is_order
from cairn.knowledge.extraction.rules.forms.everyday import PASSING
from cairn.knowledge.extraction.rules.forms.word_classes import FINITE, ORDER, TROUBLED
from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.vocabulary import VERBS, stem

_NO_SUBJECT = (
    r"(?:it|its|this|that|these|those|they|them|their|he|she|i|we|you|your|there|here|what|which|who|how|why|when|where|if|as|so|let|not|no|one|some|something|everything|nothing"
    r"|any\w*|another|other|same|next|last|first|only|and|or|but|then|than|because|since|while|until|unless|please|make|sure|don|do|does|did|is|are|was|were|be|been|has|have|had"
    r"|can|could|will|would|should|must|may|might|also|just|maybe|still|thanks|ok|yes)"
)
_WORD = r"\w[\w'./+:@-]*"
_SUBJECT = (
    rf"(?P<first>(?:(?:the|our|my|all|each|every|most|both)(?:\ (?:of\ )?(?:the|our|my))?\ )?)(?P<noun>(?!{_NO_SUBJECT}\b){_WORD})"
    rf"(?:\ (?!{_NO_SUBJECT}\b|{FINITE}){_WORD}){{0,4}}?"
)
_ADVERB = r"(?:(?:always|never|only|also|all|still|usually|normally|mostly|really|actually|just|both|currently|not|no\ longer|already|now|then)\ )*"
_NUMBER = r"(?:about\ |around\ |roughly\ |~|at\ (?:least|most)\ |up\ to\ |over\ |under\ |only\ |some\ |like\ |max(?:imum)?\ )*(?:\d[\w.,:]*|a\ few\ (?:hours|days|weeks|minutes)|two|three|four|five|six|seven|eight|nine|ten|twelve|half)"
_PLACED = (
    r"(?:called|named|hosted|stored|kept|deployed|managed|generated|compiled|written\ in|built\ (?:with|by|from|on)|based\ on|mounted|encrypted|maintained|mirrored|scheduled|pinned\ to"
    r"|published|served|vendored|owned|run\ by|read[ -]only|write[ -]only|append[ -]only|legacy|deprecated|frozen|shared\ (?:by|with|between)|limited\ to|capped\ at|reserved\ for|meant\ for"
    r"|responsible\ for|in\ charge\ of|big[ -]endian|little[ -]endian|due|licensed|cached|self[ -]hosted|defined\ in|documented\ in|checked\ in|exposed\ (?:on|at|as)|protected|gated|billed|versioned|tracked\ in|backed\ (?:by|up))"
)
_DOES = (
    r"(?:lives?|sits?\ (?:in|on|at|behind)|comes?\ (?:from|out\ of|through|with|as)|goes?\ (?:through|to\ (?!the\ (?:top|bottom|left|right)\b)|via|out)|runs?\ (?:on|at|in|every|as|under|inside|behind|nightly|daily|hourly|weekly)"
    rf"|takes?\ {_NUMBER}|(?:has|have|needs?|costs?|keeps?|allows?|accepts?|handles?|serves?|gets?)\ {_NUMBER}|(?:starts?|ends?|closes?|opens?|fires?|kicks\ in)\ (?:at|on|every|in)|lands?\ (?:in|on|at)|gives?\ (?:us|you)\ {_NUMBER}|shares?\ {_NUMBER}|happens?\ (?:on|every|at|in|\w+days?)|arrives?\ (?:at|in|on|as)|delivers?|belongs?\ to|depends?\ on"
    r"|expects?|extends?|fills?|points?\ (?:to|at)|talks?\ to|listens?\ on|reads?\ from|writes?\ (?:to|into)|ships?\ (?:with|as|to)|expires?|stands?\ for|requires?|speaks?|stores?|caches|enforces?|blocks?|rejects?|strips?|rotates?|syncs?|mirrors?|owns?|maintains?|uses?|supports?"
    r"|only\ (?:runs?|works?|accepts?|reads?|supports?|takes?|allows?))"
)
_IN = r"(?:in|on|at|under|behind|inside|outside|from|by|for|with|over|via)"

_NAMES = (
    r"(?:version|target|minimum|limit|default|port|license|licence|host|region|branch|user|password|timeout|format|language|stack|framework|encoding|timezone|currency|deadline|budget|owner|maintainer|contact"
    r"|board|chip|mcu|gpu|cpu|os|database|db|domain|url|endpoint|provider|registry|queue|broker|runtime|compiler|shell|editor|laptop|audience|customers|users|clients|id|name|key|path|bundle|namespace|bucket|tenant|channel|server|machine|cluster|year)"
)
"""What has one value in a project."""
_DOING = r"(?:owns|maintains|handles|leads|manages|reviews|does|runs|approves|signs\ off)\ (?:the|all|our|every)"

_TELLS = lazy_pattern(
    rf"""(?:
        {_SUBJECT}\ (?:
            (?P<plainly>(?:is|are)\ {_ADVERB}{_PLACED}\b|{_DOING}\ \w)
          | (?:is|are)\ {_ADVERB}(?:{_IN}\ \S|{_NUMBER}|every\ (?:other\ )?(?:year|month|week|day|night|hour|quarter|\w+day)\b|an?\ (?:nightly|daily|weekly|read[ -]only|[\w-]+)\ (?:restore|copy|mirror|snapshot|clone|replica|fork|wrapper|dump)\b)
          | {_ADVERB}(?P<does>{_DOES})\b\ ?\S
          | (?:has|have)\ (?:no|its|their|only|[\w+.-]+\ \d)\ ?\S
          | (?:is|are)\ (?:not\ )?(?:unique|case[- ]sensitive|immutable|nullable|optional|mandatory|idempotent|stateless|latin1|utf-?8|utc)\b
          | (?:is|are)\ (?:[\w-]+\ ){{1,3}}?only\ (?:on|in|at|for|from)\ \w
        )
      | (?:the|our)\ (?:[\w'/.-]+\ ){{0,3}}{_NAMES}\ (?:(?:on|of|for|in|at)\ (?:the\ )?[\w'/.-]+\ )?(?:is|are)\ (?!{_NO_SUBJECT}\b|\w+ing\b|\w+ed\b)\S
      | (?:[\w'/.-]+\ ){{1,5}}?(?:is|are)\ (?:running|listening|deployed|reachable|available|hosted)\ (?:on|at|under|here:?)\ (?:port\ )?(?:\d|x{{3,}}|https?:|[\w-]+[.:]\w)
      | we\ have\ (?:an?\ |our\ own\ )?(?:[\w-]+\ ){{1,3}}(?:endpoint|server|instance|mirror|registry|cluster|proxy|account)\ (?:at|on|under|in|\()\ ?\S
      | (?:all\ |the\ |every\ )?(?:[\w'-]+\ ){{1,4}}can\ be\ (?:done|run|tested|verified|built|deployed|started|accessed|reached|debugged)\ (?:\w+ly\ )?(?:with|via|by|through|using|at|on)\ (?:the\ )?(?:x{{2,}}|-)
      | (?:an?\ |every\ |each\ )?{_WORD}\ (?:can\ (?:only\ )?have|has|have)\ (?:several|many|multiple|exactly\ one|only\ one|at\ most|more\ than\ one)\ \w
      | [a-z]+[\w-]*\d+\ is\ (?:the|our)\ (?!(?:one|same|problem|issue|next|first|last|latest|new)\b)\w
      | x{{2,}}\S*\ (?:regenerates|generates|seeds|wipes|deploys|publishes)\ \w
      | there\ (?:is|are)\ (?:no|only|{_NUMBER})\ (?:[\w'/.-]+\ ){{1,4}}?{_IN}\ \S
      | (?:anything|everything|files|whatever\ is)\ (?:in|under|below|inside)\ x{{3,}}\S*\ (?:is|are|comes?|belongs?|gets?)\ \w
      | (?:about\ |around\ |roughly\ |only\ )?\d+\ ?%\ of\ (?:our|the|all)\ \w
      | x{{2,}}\S*\ (?:is|are)\ (?:an?|the|our)\ (?:old|new|legacy|main|only|reference|internal|official|default|source|entry|folder|module|script|service|place|copy|fork|wrapper|mirror|generated)\b
      | [\w'/. -]{{2,40}}?\ (?:is|are)\ [^,;?]{{2,40}}?\ in\ this\ (?:repo|repository|codebase|project|team|company|app|module|monorepo)\b
      | this\ is\ an?\ (?:[\w'/.-]+\ ){{1,4}}?(?:workspace|monorepo|repo|repository|project|codebase|package|extension|library|plugin|template|fork|mirror)\b
    )""",
    re.VERBOSE,
)
_ANCHOR = lazy_pattern(
    r"x{3,}|\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(?:prod(?:uction)?|staging|ci|docker|kubernetes|k8s|aws|gcp|azure|s3|github|gitlab|jenkins|cloudflare|vercel|heroku|postgres|redis|kafka|terraform|vpn|vpc|dns|nas|server|cluster|registry"
    r"|bucket|database|db|repo(?:sitory)?|monorepo|workspace|contractor|team|office|utc|cet|weekly|nightly|daily|license|machines?|endian|json|csv|xml|parquet|https?|grpc|contract|customers)\b|/\w"
)
"""What tells of the world and not of a screen: a name in code, a number, a day, a place of software."""

_AT_HAND = lazy_pattern(
    r"\b(?:button|buttons|page|pages|screen|modal|dialog|dropdown|menu|header|footer|sidebar|icon|icons|text|label|column|row|image|color|colour|font|margin|padding|tab|card|title|popup|tooltip|spinner"
    r"|line|lines|cursor|output|message|log|trace|diff|attached|screenshot|should|need\ to|needs\ to|must|please|instead|missing|empty|too|looks?|shows?|seems?|option|approach|plan|phase|step|task|pr|issue)\b"
)
"""What is on a screen, wanted of it, or part of the work at hand."""
_MOMENT = lazy_pattern(
    r"\b(?:currently|at\ the\ moment|today|tonight|tomorrow|yesterday|again|so\ far|already|yet|temporarily)\b|\bnow[.!]?$"
)
_THEN_DO = lazy_pattern(
    rf"(?:,|;|\bso|\band)\ (?:please\ |pls\ |just\ |can\ you\ |could\ you\ |then\ )*(?!(?:{FINITE}))(?:{ORDER}\ (?:it|this|that|them|these|those|one)\b|wait\b|fix\b|check\b|look\b|try\b|rebase\b|move\b|make\b|remove\b|change\b|can\ you\b|could\ you\b)"
)
"""What is to be done about it: it is told as it is now."""
_NEXT_CLAUSE = lazy_pattern(
    r",\ |;\ |\ (?:because|since|so|but|even\ though|although|though|cause|bc)\ "
)


def tells_of_project(told: str) -> bool:
    """Whether a sentence tells how a project, its environment or its people are.

    `told` is in lower case, its contractions written out and code as `x`, without what leads to it.
    """
    found = _TELLS.match(told)
    if found is None or is_order(told):
        return False
    clause = _NEXT_CLAUSE.split(told, maxsplit=1)[0]
    if _THEN_DO.search(told):
        return False
    if _AT_HAND.search(clause) or _MOMENT.search(clause) or TROUBLED.search(clause):
        return False
    if PASSING.search(clause[max(0, found.end() - 1) :]):
        return False
    if found["does"] and not _agrees(told[: found.start("does")], found["does"]):
        return False
    noun = found["noun"]
    if noun and not found["first"] and stem(noun) in VERBS and not noun.endswith("s"):
        return False
    return found["plainly"] is not None or _ANCHOR.search(told) is not None


def _agrees(subject: str, verb: str) -> bool:
    """Whether a verb has the number of its subject: what tells of one thing ends in `s`."""
    first = verb.split(maxsplit=1)[0]
    return first == "only" or first.endswith("s") or _PLURAL.search(subject) is not None


_PLURAL = lazy_pattern(
    r"(?:(?:[^su\W])s|people|data|team|folks)(?:\ (?:in|of|for|from|to|on)\ .*?)?(?:\ \w+ly|\ (?:always|never|only|also|all|still))*\ $"
)
