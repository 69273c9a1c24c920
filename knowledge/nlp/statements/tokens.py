"""A statement as tokens: words, marks, and literals of which no part may differ.

Spellings and turns of phrase that mean the same are made one first: `can't` is `can not`, "due to"
is "because", an opening "Sure," says nothing.
"""

import re

from cairn.knowledge.nlp.patterns import lazy_pattern
from cairn.knowledge.nlp.vocabulary import NUMBERS

_LITERAL = lazy_pattern(
    r"""
    (?P<quoted>`[^`\n]+`)
  | (?P<url>\b[a-z][a-z0-9+.-]*://\S+)
  | (?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)*)
  | (?P<path>(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@%+~/\\:-]*[\w*~-]
           | (?<![\w/])~(?=\s|$)
           | (?<![\w/])[\w.@-]*[A-Za-z_][\w.@-]*(?:/[\w.@-]+){2,}
           | (?<![\w/])[\w@-]+(?:/[\w@-]+)*/[\w-]+\.\w+)
  | (?P<date>\b\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?)?\b
           | \b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b
           | \b(?:MONTH)\.?\ \d{1,2}(?:st|nd|rd|th)?(?:,?\ \d{4})?\b  # codespell:ignore nd
           | \b\d{1,2}(?:st|nd|rd|th)?\ (?:MONTH)\.?(?:,?\ \d{4})?\b  # codespell:ignore nd
           | \b(?:MONTH)\.?\ \d{4}\b)
  | (?P<time>\b\d{1,2}:\d\d(?::\d\d)?(?:\ ?[ap]m)?\b | \b\d{1,2}\ ?[ap]m\b)
  | (?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\d+)?\b
           | \b(?:[\w-]+\.)+(?:com|org|net|io|dev|local|lan|internal|app|ai|edu|gov|de|uk)\b)
  | (?P<version>\bv\d+(?:\.\d+)*(?:[-+.]?(?:a|b|rc|alpha|beta|dev|post)[\w.]*)?\b
           | \b\d+(?:\.\d+)+(?:[-+.]?(?:a|b|rc|alpha|beta|dev|post)[\w.]*)?(?![\w%]))
  | (?P<name>(?<![\w-])--?[a-zA-Z][\w-]* | \$\w+ | \b[a-z]+(?:\+\+|\#)(?!\w)
           | (?-i:\b[A-Z]{1,2}[+-])(?=[\s.,;!?)]|$)
           | (?-i:\bA)(?=\s+(?:to|and|or|is|in|on|from|over|than|has|for|with)\b|[.,;:!?]|$)
           | (?-i:(?<=[a-z0-9,;:]\ )A)(?![\w'’-])
           | \b\w+(?:\.\w*[a-zA-Z_]\w*)+\b
           | \b\w*[a-z0-9]_\w+ | (?-i:\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*)
           | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b
           | \b[A-Za-z]+-?\d(?:[\w.-]*\w)?)
  | (?P<number>(?:(?<![\w)])-)?\#?\d[\d,]*(?:\.\d+)?)(?P<unit>%|[a-zA-Zµ]+)?
  | (?P<sign>(?<![-=<>])(?:<=|>=|!=|==|~=|≤|≥)(?=[\s\w])|(?<=[\s\w])[<>](?=\s*\d)
           | (?<=\s)[<>=+](?=\s))
  | (?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)
  | (?P<mark>[.!?;,](?=\s|$)|:(?=\s)|\s[-–—]\s|[&()]|(?<!\S)\*(?!\S))
  | (?P<symbol>[$+<=>^] | [^\w\s!-~…–—‘’“”•·\u200d\ufe0f])
    """.replace(
        "MONTH",
        "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
        "|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    ),
    re.VERBOSE | re.IGNORECASE,
)

PHRASES = [
    (triggers.split("|"), lazy_pattern(pattern, re.IGNORECASE), replacement)
    for triggers, pattern, replacement in (
        ("`", r"`([^`\s]+)`", r"\1"),
        ("â€™|‚äô", r"â€™|‚Äô", "'"),
        ("can", r"\bcan(?:['’]t|not)\b", "can not"),
        ("won", r"\bwon['’]t\b", "will not"),
        ("n't|n’t", r"(?<=\w)n['’]t\b", " not"),
        ("i'm|i’m", r"\bi['’]m\b", "i am"),
        ("'ve|’ve", r"(?<=\w)['’]ve\b", " have"),
        ("'re|’re", r"(?<=\w)['’]re\b", " are"),
        ("'ll|’ll", r"(?<=\w)['’]ll\b", " will"),
        ("'s|’s", r"(?<=\w)['’]s\b", " s"),
        ("unable to", r"\b(?:is|are|was|were|be|been) unable to\b", "can not"),
        ("able to", r"\b(?:is|are|was|were|be|been) able to\b", "can"),
        ("ed to", r"\b(?:failed|refused) to\b", "did not"),
        ("to", r"\b(?:fails?|failing|refuses?) to\b", "not"),
        ("need", r"\bneed not (?:to )?", "not must "),
        (" but", r"\b(nobody|nothing|no one|none|all|(?:every|any)(?:one|body|thing)) but\b",
         r"\1 except"),
        ("means|in no|under no|not at|but",
         r"\b(?:by no means|in no way|under no circumstances|not at all|anything but)\b", "not"),
        ("far from",
         r"\b(is|are|was|were) far from (?!(?:the|a|an|my|our|your|his|her|their|here)\b)",
         r"\1 not "),
        ("at all", r"\bat all\b", ""),
        ("all but", r"\ball but (?!one\b|\d)", "almost "),
        ("but|however", r"^\W*(?:but|however),? ", ""),
        ("would", r"\bwould (?=(?:also )?(?:prefer|rather|like|love|recommend|suggest)\b)", ""),
        ("not ", r"\bnot (?:only|just|merely|simply)\b", ""),
        ("doubt|whether|matter", r"\b(?:no doubt|without (?:a )?doubt|whether or not|no matter)\b",
         ""),
        ("not ", r"\bnot (?:all|every|always|everyone|everything)\b", "not partly"),
        ("no longer|not any", r"\b(?:no longer|not any ?(?:more|longer))\b", "anymore not"),
        (" of| to", r"\b(?:because of|due to|owing to|thanks to|on account of)\b", "because"),
        ("than|stead|in p", r"\b(?:rather than|instead of|in preference to|in place of)\b", "over"),
        ("any", r"\bany ?(?:more|longer)\b", "anymore"),
        (",",
         r"^\s*(?:no|yes|yeah|yep|sure(?: thing)?|ok(?:ay)?|alright|certainly|absolutely"
         r"|of course|well|great|thanks|thank you|hi|hello),",
         ""),
        (":", r"^\W*(?:the )?(?:root cause|cause|note|summary|conclusion):", ""),
        ("example|instance|in other words|result|such|by the way|reason|addition",
         r"^\W*(?:(?:for (?:example|instance)|in other words|as a result|as such|by the way"
         r"|for (?:this|that) reason|in addition),\s*)+",
         ""),
        (")|.", r"^\s*\(?\d{1,2}[.)]\s+(?=[^\W\d])", ""),
        ("turn|found|discovered",
         r"^\W*(?:(?:it )?turn(?:s|ed) out|(?:i|we) (?:found|discovered)(?: out)?)(?: that)?\b",
         ""),
        (" for", r"\blook((?:s|ed|ing)?) for\b", r"search\1 for"),
        ("next to", r"\bnext to\b", "beside"),
        ("on top of", r"\bon (?:the )?top of\b", "on"),
        ("using", r"(?<=\w )using (?=(?:an?|the|his|her|their|my|our)\b)", "with "),
        ("in this", r"\bin this (?:repo(?:sitory)?|project|codebase)\b", "here"),
        (" on",
         r"\b(is|are|be|been|was|were|stays?|remains?|keeps?|kept|set|left) on"
         r"(?=\s*(?:$|[.,;]|\b(?:and|or|but|at|in|for|by|when|while|if|because|now|again)\b))",
         r"\1 enabled"),
        (" off", r"\b(is|are|be|been|was|were|stays?|remains?|keeps?|kept|set|left) off\b",
         r"\1 disabled"),
        (" s", r"(?<=\d) (?=s\b)", ""),
        ("prior", r"\bprior to\b", "before"),
        ("order to|so as", r"\b(?:in order to|so as to)\b", "to"),
        ("with|well as", r"\b(?:as well as|along with|together with)\b", "and"),
        ("ought", r"\bought to\b", "should"),
        (" to", r"\b(?:has|have|need|needs) to\b", "must"),
        ("ha",
         r"\b(?:has|have|had) ((?:not |never )?)(?:(?:already|just|also|now|since) )?"
         r"(?=been\b|(?!(?:red|bed|need|seed|speed|feed)\b)\w+ed\b)",
         r"\1"),
        ("get|got",
         r"\b(?:gets?|got|getting) (?=(?:\w+e[dn]|sent|built|held|kept|made|put|read|run|set"
         r"|lost|sold|paid|cut)\b)",
         "are "),
        ("around|approx|roughly|circa|some|~",
         r"\b(?:around|approximately|roughly|circa|some|~) ?(?=\d)", ""),
        ("some", r"(?<=\w )some (?=(?!more|other|of)\w+[^s\W](?:$|\W))", ""),
        ("young|little|small", r"\b(?:young|little|small) (?=(?:boy|girl|kid|child|children)s?\b)",
         ""),
        ("prefer", r"\b(prefer\w*) ((?:\w+ ){1,3})to (?!be\b)", r"\1 \2over "),
        ("of", r"\b(?:a lot|lots|plenty) of\b", "many"),
        ("lot|bit|of course|in fact|moment|right now",
         r"\b(?:a lot|lots|a bit|of course|in fact|at the moment|right now)\b", ""),
        ("no one", r"\bno one\b", "nobody"),
        (" on", r"\b(?:turn|switch)(?:e?s|ed|ing)? on\b", "enable"),
        (" off", r"\b(?:turn|switch)(?:e?s|ed|ing)? off\b", "disable"),
    )
]  # fmt: skip
"""What any match contains one of, so that most are not looked for; a turn of phrase; what it is."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINALS = ("st", "nd", "rd", "th")  # codespell:ignore nd
_BITS = lazy_pattern("[KMGT]b")
_BOUNDS = {"<=": "<=", "≤": "<=", ">=": ">=", "≥": ">=", "~=": "~="}


def plain(text: str) -> str:
    """A text with turns of phrase made one."""
    folded = text.casefold()
    for triggers, pattern, replacement in PHRASES:
        for trigger in triggers:
            if trigger in folded:
                text = pattern.sub(replacement, text)
                folded = text.casefold()
                break
    return text


def tokens(text: str) -> list[str]:
    """Words (casefolded), literals as `kind=value`, marks."""
    text = plain(text)
    found: list[str] = []
    for match in _LITERAL.finditer(text):
        kind = match.lastgroup or ""
        value = match[0]
        if match["number"] is not None:
            number = match["number"].replace(",", "").lstrip("#")
            found.append(f"number={number.removesuffix('.0')}")
            if unit := match["unit"]:
                if unit.lower() in _ORDINALS:
                    found[-1] = f"ordinal={number}"
                elif _BITS.fullmatch(unit):
                    found.append(f"unit={unit}")
                else:
                    found.append("second" if unit == "s" else unit.lower())
        elif kind == "word" and _BITS.fullmatch(value):
            found.append(f"unit={value}")
        elif kind == "word":
            folded = value.casefold().replace("’", "'")
            found.append(f"number={NUMBERS[folded]}" if folded in NUMBERS else folded)
        elif kind == "sign":
            found += {"<": ["less", "than"], ">": ["more", "than"], "!=": ["not"]}.get(value, [])
            if value in _BOUNDS:
                found.append("name=" + _BOUNDS[value])
        elif kind == "mark":
            found.append(value.strip())
        elif kind == "version":
            found.append("version=" + value.lower().removeprefix("v"))
        elif kind == "date":
            found.append("date=" + _date(value))
        elif kind == "name" and value.casefold() in {"e.g", "i.e"}:
            continue
        elif kind == "name" and value.startswith("-"):
            found.append("name=" + value)  # -v is not -V
        elif kind == "quoted":
            found.append("quoted=" + value.strip("`").strip())
        else:
            found.append(f"{kind}={value.rstrip('/') if kind == 'path' else value.casefold()}")
    return found


def _date(text: str) -> str:
    """One form of a date, as far as it is unambiguous: month names become numbers."""
    if text[0].isdigit() and not re.search("[a-z]{3}", text, re.IGNORECASE):
        return text
    month = re.search("[a-z]{3}", text, re.IGNORECASE)
    number = _MONTHS.index(month[0].lower()) + 1 if month else 0
    year = re.search(r"\d{4}", text)
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", text)
    return "-".join(
        part
        for part in (year and year[0], f"{number:02}", day and f"{int(day[0]):02}")
        if part is not None
    )
