"""Text in logs that gives orders to a model, to be held for a person and never injected.

Nothing is obeyed here anyway: what a model reads is fenced as data, and it has no tools. This is
about what it may be made to write down, since facts are later shown to agents.
"""

import re
from functools import lru_cache

from knowledge.text import undisguised

_MODEL = r"(?:ai|a\.i\.|llms?|language\s+models?|chat\s?bots?|assistants?|models?|ki|ia)"

ALWAYS = re.compile(
    rf"""
      \b(?:ignore|disregard|forget|override|bypass|overlook|(?:do\s+not|don['’]t)\s+(?:follow|obey))
        \b[^.!?\n]{{0,30}}
        (?: \b(?:previous|prior|above|earlier|preceding|your)\b[^.!?\n]{{0,30}}
            \b(?:instructions?|directives?|guidelines?|prompts?|rules|guardrails|training)\b
          | \b(?:all|any|system)\s+(?:instructions|directives|prompts?|guardrails)\b
          | \b(?:instructions?|directives?|prompts?|rules)\s+(?:above|before|so\s+far)\b )
    | \b(?:ignorier\w*|vergiss|missachte\w*)\b[^.!?\n]{{0,50}}
        \b(?:anweisung\w*|instruktion\w*|vorgaben|befehle)\b
    | \b(?:ignore[zr]?|oublie[zr]?|ignor[ae]|olvid[ae]|esque[çc]a)\b[^.!?\n]{{0,50}}
        \b(?:consignes|instructions\s+pr[ée]c\w+|(?:tes|vos)\s+instructions|instrucciones
        |istruzioni|instru[çc][õo]es)\b
    | \bnegeer\b[^.!?\n]{{0,50}}\b(?:instructies|opdrachten|aanwijzingen)\b
    | \b(?:z?ignoruj|zapomnij)\b[^.!?\n]{{0,50}}\b(?:instrukcj|polece)\w+
    | \btalimat\w*[^.!?\n]{{0,30}}\b(?:yok\s+say|unut|görmezden)
    | \b(?:(?:про)?игнорируй|забудь)\w*[^.!?\n]{{0,50}}\b(?:инструкц|указани)\w+
    | (?:تجاهل|انس)\b[^.!?\n]{{0,50}}(?:التعليمات|الأوامر)
    | (?:忽略|忽视|忽視|无视|無視|忘记|忘記|忘掉)[^。！？\n]{{0,15}}(?:指令|指示|提示词)
    | (?:指示|命令|プロンプト)[^。！？\n]{{0,12}}(?:無視|忘れ)
    | (?:지시|지침|명령|프롬프트)[^.!?\n]{{0,12}}(?:무시|잊)
    | \byou\s+are\s+now\s+(?:an?\s+|in\s+|the\s+)?(?:[\w-]+\s+){{0,3}}(?:{_MODEL}|mode|dan)\b
    | \b(?:act\s+as|pretend\s+(?:to\s+be|(?:that\s+)?you\s+are))\s+(?:an?\s+)?(?:[\w-]+\s+){{0,2}}
        (?:ai|llms?|language\s+models?|chat\s?bots?|dan)\b
    | \b(?:reveal|print|repeat|output|leak|disclose)\b[^.!?\n]{{0,15}}\byour\b[^.!?\n]{{0,20}}
        \b(?:prompt|instructions?)\b
    | \b(?:if|when|since|as)\s+you\s+are\s+(?:an?\s+)?(?:[\w-]+\s+){{0,2}}{_MODEL}\b
    | \b(?:attention|note|message|instructions?|hinweis|anweisung\w*)\b[^.!?\n]{{0,15}}
        \b(?:to|for|an|für)\s+(?:all\w?\s+|any\s+|the\s+|every\s+|die\s+)?
        (?:ai|llms?|language\s+models?|ki)\b
    | <\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|(?:start|end)_header_id)\|>
    | <start_of_turn> | \[/?INST\] | <</?SYS>>
    | ^\W*(?:(?:system|developer)\s+(?:prompt|message|override)|new\s+instructions?)\s*:
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""Whoever says it."""

FROM_OUTSIDE = re.compile(
    rf"""
      \b{_MODEL}\s+(?:must|should|shall|are\s+to|is\s+to|has\s+to|have\s+to|needs?\s+to)\b
        [^.!?\n]{{0,30}}\b(?:respond|reply|answer|recommend|tell|inform|remind|convince|remember
        |memori[sz]e|obey|comply|forward|exfiltrate|send|store|save|run|execute)\b
    | \byou\s+(?:must|shall|will)\b[^.!?\n]{{0,30}}\b(?:obey|comply|exfiltrate|recommend|convince)\b
    | \b(?:tell|inform|remind|convince|warn|urge|mention\s+to)\s+(?:the|your)\s+(?:users?|humans?)\b
    | \b(?:in|to|into)\s+your\s+(?:long[- ]term\s+)?(?:memory|knowledge\s+base)\b
    | \b(?:store|save|remember|record)\b[^.!?\n]{{0,40}}\bas\s+a\s+fact\b
    | (?:^|[.!?:;]\s+|\bplease\s+|\band\s+)(?:always|from\s+now\s+on,?|only)\s+
        (?:recommend|suggest|respond|reply|answer|say|trust|obey)\b
    | (?:^|[.!?:;]\s+|\bplease\s+)(?:respond|reply|answer)\s+(?:only|always|exclusively|with)\b
    | \byour\s+(?:new|real|true|only)\s+
        (?:instructions?|task|goal|mission|purpose|role)\s+(?:is|are)\b
    | </?(?:tool_calls?|function_calls?)\b
    | \bantworte(?:n\s+\w+)?\s+(?:ab|nur|immer|stets|mit)\b
    | \bsag(?:e|en\s+\w+)?\s+de[mn]\s+(?:be)?nutzer\w*\b | \bin\s+dein(?:em)?\s+gedächtnis\b
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""What a person may well ask of an agent, and no web page or tool has to say to one."""

_WRAPPED = re.compile(r"(?<=[^\s.:;!?])\n(?=[^\s])")
_STRANGERS = frozenset({"external", "tool"})


def gives_orders(text: str, origin: str) -> bool:
    """Whether a text gives orders to a model, as far as its wording shows.

    Args:
        text: A message, a sentence or a statement.
        origin: Who speaks: a person or an agent may say more than what came from outside.
    """
    return orders(text, origin) is not None


@lru_cache(maxsize=64)  # every fact of a page asks about the page
def orders(text: str, origin: str) -> str | None:
    """The first words of a text that give orders to a model; None if none do."""
    seen = undisguised(text)
    # Lines that are wrapped are read as one, too.
    forms = dict.fromkeys((seen, _WRAPPED.sub(" ", seen)))
    rules = (ALWAYS, FROM_OUTSIDE) if origin in _STRANGERS else (ALWAYS,)
    found = (rule.search(form) for rule in rules for form in forms)
    return next((each[0] for each in found if each), None)
