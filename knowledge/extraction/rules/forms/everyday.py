"""Everyday statements: what people are, have, do regularly and plan, in the usual words of a chat.

They are matched on a clause in lower case that begins with the speaker. What somebody does in the
present tense is an open class: only what is thought, asked for, or done at this moment is left out
of it. What passes (a feeling, a question, an error that somebody sees) is none, nor is what can
only be read beside the sentence before it.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

from cairn.knowledge.extraction.rules.forms.word_classes import PAST, PLURAL
from cairn.knowledge.nlp.patterns import lazy_pattern

_ADVERB = (
    r"(?:really|always|never|usually|generally|normally|mostly|only|also|still|now|currently|just|typically|often|mainly|both|all|actually"
    r"|sometimes|rarely|seldom|hardly\ ever|regularly|occasionally|basically|even|already|finally|recently|eventually|officially|previously"
    r"|happily|only\ just|almost\ always|nearly\ always|do|lately|once|first|absolutely|strongly|personally|then|not|so|too|very|quite|super|truly|totally|extremely|incredibly|deeply)\b"
)
_ADVERBS = rf"(?:{_ADVERB}\ )*"
_NOT = r"(?:do\ not\ |never\ |no\ longer\ |rarely\ )?"

_AT_HAND = (
    r"(?:no|think|guess|see|get|need|want|know|believe|mean|hope|wish|wonder|suppose|assume|suspect|feel|agree|disagree|approve|allow|permit|authori[sz]e|grant|understand|notice|find"
    r"|say|tell|ask|try|look|check|expect|remember|recall|forget|doubt|recommend|suggest|propose|should|could|would|will|shall|can|cannot|must|may"
    r"|might|let|am|are|have|has|seem|keep|end|just|not|if|or|and|in|on|hear|click|press|hit\ (?:undo|enter|esc|save|send|§)|type|select|open|close|delete|reload|refresh|restart|scroll|drag|undo|upload|receive|run\ into|appreciate|apologi[sz]e"
    r"|thank|bet|swear|promise|trust|insist|consider|plan|intend|used|read\ (?:the|your|that)|do|put|add|set|call|care|mind|prefer\ (?:that|it)"
    r"|go\ (?:back|with|ahead|on)|come|start|begin|stop|ready|merge\ (?:it|this|§)|make\ (?:a|sure|it)|take\ (?:it|that|a\ look)|give|leave|move|send|like\ (?:how|what|the\ idea|both|option)|rock"
    r"|(?:love|like)\ (?:the|your)\ (?:[\w'-]+\ ){0,3}?(?:themes?|ideas?|designs?|looks?|patterns?|vibes?|pictures?|photos?|energy|way|message|concept|quote|name|sound\ of))\b"
)
"""What is thought, asked for, or done at this moment."""

_NOT_HELD = (
    r"(?:question|problem|desire|intention|issue|error|idea|look|feeling|doubt|bug|failure|trouble|concern|request|task|todo|suggestion|comment|clue|choice|conflict"
    r"|hunch|theory|thought|word|favor|favour|time|day|weekend|night|blast|chance|opportunity|break|talk|chat|go|try|picture|photo|stuff|second(?!\ ?\()"
    r"|minute|moment|point|preference|objection|complaint|plan|test|case|fun|reason|way|lot|bit|few|couple|similar|different|new|good|great|nice"
    r"|more\ than\ half|half|wonderful|amazing|lovely|hard|tough|rough|difficult|busy|bad|thing|evening|morning|week|option|change|update|commit|merge|file|result|nothing|access"
    r"|class|alternative|process|percent|call|meeting|number|many|another|additional|what|such|version|branch|draft|strategy)s?\b"
)
"""What somebody has for the moment."""

_OF_NOW = (
    r"(?:(?:not\ )?(?:sure|able|aware|certain|convinced)|un(?:able|clear|sure|aware|certain)|ready|open(?!\ to\b)|clean|focused|concerned|green|done|back|fine|ok(?:ay)?|good|happy|glad|sorry|stuck|lost|here|there|away|late|early|busy|tired|hungry|confused"
    r"|(?:more|most|mostly|mainly|still)\ (?:concerned|worried|interested|curious|confused|afraid|unsure)|curious|excited|thankful|grateful|thrilled|stoked|pumped|psyched|amazed|relieved|overwhelmed|touched|honou?red|inspired(?!\ by\ my)|blessed|delighted|proud(?!\ to\ be)|sad|sick|worried|afraid\ (?:that|it|i)|bored|torn|home|connected|outside|inside|all\ (?:ears|set|good)|in\ (?:the|a\ (?:hurry|meeting|rush)|plan)|somewhere|on\ (?:it|the|my|that|hold)|at\ the|about|almost|nearly|close"
    r"|a\ (?:bit|little|lot|mess|fan\ of\ (?:how|this|the))|the\ (?:queen|king)|under|off|out|over|up|down|with\ you|against|for\ it|right|wrong|trying|impressed|surprised|interested\ in\ (?:how|what|the|your|\w+ing\ (?:it|its|the|this|that|your)\b)|(?:logged|signed|locked|kicked|cut|shut)\ (?:in|out|off)|set\ up|what|how|too|very|quite|pretty|really|just|done|going|so)\b"
)
"""How somebody is at this moment."""

_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|\d{4})"
_FUTURE = rf"(?:(?:this|next)\ \w+|in\ (?:{_MONTH}|(?:\w+\ ){{1,2}}(?:weeks|months|years))|on\ (?:the\ )?\d+\w*|before\ we\b)\b"
_WHEN_PAST = rf"(?:(?:last|this)\ \w+|yesterday|recently|today|tonight|the\ other\ day|in\ {_MONTH}|(?:\w+\ ){{1,3}}ago|on\ (?:the\ )?(?:weekend|\w+day)|when\ (?:i|we)\b|back\ in)\b"

_KIN = (
    r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|ex|mother|father|mom|mum|dad|parents|sisters?|brothers?|siblings|twins?|daughters?|sons?|kids?|children|child|baby|toddler"
    r"|grand\w+|aunt|uncle|cousins?|niece|nephew|in-laws|\w+-in-law|step\w+|dogs?|cats?|puppy|kitten|horse|parrot|rabbits?|hamster|tortoise|pets?|\w+mate|(?:best\ )?friends?|boss|colleague)"
)
"""Whom and what one lives with."""
_SAYING = r"(?:says?|said|tells?|told|thinks?|thought|claims?|claimed|believes?|asks?|asked|swears|wonders?|suggests?|suggested|recommends?|recommended|insists?|joked|jokes|wants?|called)"
_BODY_PART = r"(?:arm|leg|wrist|ankle|foot|knee|hip|back|shoulder|elbow|hand|finger|thumb|toe|ribs?|nose|collarbone|jaw|tendon|hamstring|neck)"

WISHES = lazy_pattern(
    r"(?:i|we)(?:\ would)?\ (?:really\ |also\ |always\ )*(?:want|hope|dream|love|like|wanted)\ to\ (?:(?:finally|eventually|one\ day|someday)\ )?"
    r"(?:learn|become|visit|travel(?!\ on\b)|study|move\ (?:to|back)|retire|emigrate|adopt|quit\ (?:smoking|drinking|my)|lose\ weight|climb|live\ (?:in|by|on)|run\ a\ (?:marathon|half)|write\ a\ (?:book|novel)"
    r"|start\ (?:a\ family|my\ own|our\ own|a\ (?:business|company))|have\ (?:kids|children)|buy\ (?:a|an|our|my)\ (?:house|flat|home|car|boat|van|farm|horse))\b"
)
"""What somebody wants of their life."""

_PURSUIT = (
    r"(?:learning|studying|practi[cs]ing|collecting|cooking|baking|gardening|painting|drawing|knitting|sewing|playing(?!\ with\ the)|rehearsing|jogging|hiking|cycling|swimming|climbing|dancing|singing"
    r"|exercising|meditating|growing|volunteering|teaching|coaching|mentoring|renovating|restoring|dating|preparing\ for|training\ for|saving\ (?:up\ )?for|applying\ (?:for|to)|expecting|raising|caring\ for|recovering\ from|suffering\ from"
    r"|attending|following|moving\ (?:to|in)|reading(?=\ an?\b)|working\ (?:as|at|for|part-time|full-time|remotely)|living|trying\ to\ (?:lose|gain|quit|learn|become|eat|get\ (?:fit|pregnant|in\ shape)|save|sleep)|having\ (?:trouble|difficulty)\ (?:sleeping|concentrating)"
    r"|(?:writing|taking|planning|making|looking\ for|considering|thinking\ (?:about|of)|seeing)\ (?:an?|my|our|\w+ing)\ (?!(?:test|script|function|fix|change|way|look|file|page|solution|bug|it)\b)\w+|taking\ \w+\ (?:lessons|classes)|getting\ (?:married|divorced)|migrating|switching)\b(?!\ (?:the|it|that)\b)"
)
"""What somebody is at for weeks."""
_EVENT = (
    r"(?:concerts?|gatherings?|museums?|galler(?:y|ies)|exhibitions?|festivals?|match|part(?:y|ies)|wedding|funeral|graduation|workshop|lecture|seminar|conference|courses?|trips?|hike|beach|park|zoo|theatre|theater|cinema|opera|ballet|restaurants?"
    r"|market|gym|doctor|dentist|therapist|hospital|church|retreat|reunion|barbecue|picnic|dinner|camp|lake|sea|island|farm|parade|rally|exams?|marathon|race|tournament|yoga|interviews?|clubs?|band|choir|team|shelter|support\ group|friends?|family"
    r"|books?|novels?|films?|movies?|documentar(?:y|ies)|biograph(?:y|ies)|memoir|albums?|songs?|musical|podcasts?|poems?|opera|offer|job|promotion|raise|scholarship|internship|award|prize|medal|degree|diploma|licen[cs]e|visa|puppy|kitten|dog|cat|bike"
    r"|bicycle|car|guitar|piano|camera|surgery|baby|grant|position|admission|house|flat|apartment|driving\ test|business|company|studio|shop|blog)\b(?!\ (?:page|file|test|key|table|object|id|class|component)\b)"
)
"""Where people go, what they read and see, and what they are glad to get."""

EVERYDAY = lazy_pattern(
    rf"""(?:
        (?:i|we)\ {_ADVERBS}{_NOT}{_ADVERBS}(?!{_AT_HAND}|{PAST}\b|{_ADVERB}|[a-z]+(?:ed|ly)\b)[a-z]{{2,}}(?:\ \S|[.!]?$)
      | (?:i|we)\ {_ADVERBS}{_NOT}(?:need|get|put|call|keep|make|take|give|start|go|do(?!\ not\b)|come)\ (?!(?:to|it|this|you|back|the|an?\ error)\b)[^,;]*(?:\b(?:every|each)\ \w|\b(?:daily|weekly|monthly|yearly|at\ night|once|twice)\b|\w+s\ per\b|\bin\ my\ (?:free|spare)\ time\b|\w+days\b)
      | (?:i|we)(?:\ have\ got|\ {_ADVERBS}(?:do\ not\ |never\ )?have)\ (?!(?:to|been|done|the|it|run|put|set|read|cut|{PAST})\b|{_ADVERB}|\w+ed\b)(?!(?:[\w'-]+\ ){{0,3}}?{_NOT_HELD})(?!some\b)[\w'§$€£-]+\ ?[^,;]
      | (?:i|we)\ {_ADVERBS}(?:keep|make|take|put|leave|start|call|send|move)\ (?:our|my|all|{PLURAL})\b
      | (?:i|we)\ {_ADVERBS}need\ (?:at\ least\ |about\ )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|glasses|insulin|medication|a\ wheelchair|a\ hearing\ aid)\b(?!\ (?:more|things|changes|tests))
      | (?:i\ am|we\ are)\ {_ADVERBS}(?:not\ )?(?!{_OF_NOW}|{_ADVERB})(?:\w+(?<!ing)(?<!ly)\b|\w+ly\ (?!{_OF_NOW})\w+(?<!ing)\b|{_PURSUIT}|\w+ing\ [^,;]{{0,60}}\b{_FUTURE})
      | (?:i\ am|we\ are|(?:i|we)\ have\ {_ADVERBS}been)\ {_ADVERBS}(?:going\ to\ (?!(?:fix|check|look|review|merge|push|commit|add|test|try|do|be|grab|take|talk)\b)[^,;]{{0,60}}\b{_FUTURE}|{_PURSUIT})
      | (?:i|we)\ have\ {_ADVERBS}(?:been|{PAST}|\w+ed)\b[^,;?]{{1,80}}\b(?:for\ [^,;]*\b(?:years?|months?|weeks|decades?)|since\ (?:\d{{4}}|{_MONTH}|childhood|i\ was|university|college|school|last))\b
      | (?:i|we)\ have\ (?:never|always)\ (?!(?:seen|heard|thought|tried|said)\b)(?:been|{PAST}|\w+ed)\ \w
      | (?:i|we)\ have\ (?:also\ |already\ |never\ )?been\ to\ (?!the\ (?:page|docs|site)\b)\w
      | (?:i|we)\ (?:was|were|have\ been|got)\ (?:just\ |recently\ |finally\ )?(?:born|raised|brought\ up|adopted|diagnosed|promoted|laid\ off|fired|hired|accepted|transferred|elected|married|divorced|engaged)\b
      | (?:i|we)\ {_ADVERBS}(?:cannot|can)\ (?:eat|drink|have|stand|bear|do\ without|tolerate|swim|drive|sing|cook|dance|ride|speak|sleep|whistle|ski|sew|knit|juggle|play\ (?:the|piano|guitar|chess))\b
      | (?:i|we)\ (?:have\ )?{_ADVERBS}(?:quit|gave\ up|given\ up|stopped|retired|dropped|ditched|replaced|got\ rid\ of|moved\ (?:to|from|away|off|over|in)|switched\ (?:to|from|over)|migrated|relocated|resigned
          |upgraded|renamed|changed\ (?:my|our)\ (?!mind\b)\w+|joined|enrolled|left\ (?:my|the\ (?:company|team))|turned\ \d+|graduated|deprecated|standardi[sz]ed|adopted|founded|forked|killed|sold|signed)(?!\ (?:this|that|it|now|on|my\ phone|(?:the\ )?(?:agent|ask|plan|chat|edit|auto)(?:\ mode)?|(?:\w+\ )?(?:access|mode|sandbox|permissions?))\b)
      | (?:i|we)\ {_ADVERBS}(?:plan|intend)\ to\ [^,;]{{3,80}}\b(?:next|in|this|by|until|after|before|on|soon|someday)\b
      | (?:i|we)\ will\ (?:also\ |then\ )?(?!(?:be\ (?:able|right|back)|see|let|check|look|try|do|fix|get|need|add|send)\b)[a-z]+\ (?:[^,;]{{1,60}}\ )?{_FUTURE}
      | (?:i|we)\ keep\ (?!(?:\w+ing|on)\b)[^,;]{{2,40}}?\ (?:off|on|open|closed|in|under|at|away)\b
      | (?:i|we)\ (?:lost|adopted|married|met|divorced|buried|bought|sold|left)\ (?:my|our|an?)\ [^,;]{{2,60}}?\ {_WHEN_PAST} | (?:i|we)\ used\ to\ (?!(?:think|see|get|believe|be\ able|wonder)\b)[a-z]+\ \w
      | (?:i|we)\ (?:broke|fractured|sprained|tore|injured|hurt)\ (?:my|an?)\ (?:\w+\ )?{_BODY_PART}\b | (?:i|we)\ (?:named|called)\ (?:my|our)\ \w
      | (?:(?:my\ )?(?:friends|family|everyone|everybody|people|colleagues|most\ people)|you\ can)\ (?:just\ |usually\ |all\ )?calls?\ me\ \w | i\ go\ by\ (?!(?:the|bus|train|car|bike|foot|what)\b)\w
      | (?:(?:all|most|some|both|half|none|each|many|one|two)\ (?:of\ )?)?(?:my|our)\ (?!(?:stomach|hands|legs|head|options|internet)\b)(?:[\w§'.-]+,?\ ){{1,6}}?(?:is|are|has(?!\ been\ \w+ing)|have|can|cannot|does\ not|do\ not|was|were|died|(?!(?:always|his|its|this|us|as|across|wants|says|thinks|asks|tells)\b)[a-z]+(?<![su])s|live|work|run|use|go|come|meet|visit|need|share)
          (?:\ (?!(?:not\ |still\ |also\ )?(?:cold|hot|gone|dead|ready|late|here|empty|full|killing|shouting|screaming|crying|asleep|working|broken|failing|getting|going|down|slow|stuck|messed|calling|on\ the\ phone|\w+ing\ me|late|down)\b|\d+\ minutes)\S|[.!]?$)
      | (?:my|our)\ (?:[\w'-]+\ ){{0,2}}?{_KIN}\ (?!(?:{_SAYING}|would|could|might|should|and\ (?:i|me)|(?:was|were|is)\ (?:like|right|wrong|saying|asking|telling|wondering))\b)(?:\w+\ ){{0,6}}?(?:{PAST}|\w+ed)\b
      | (?:it|today|tomorrow|next\ \w+|\w+day)\ is\ (?:my|our)\ (?:\w+\ )?(?:birthday|anniversary|wedding|graduation)\b
    )""",
    re.VERBOSE,
)
"""A clause of the speaker, from its first word on."""

WENT_THROUGH = lazy_pattern(
    rf"""(?:
        (?:i\ am|we\ are|(?:i|we)\ have\ {_ADVERBS}been)\ {_ADVERBS}(?:\w+ing\ )?{_PURSUIT}
      | (?:i|we)\ (?:have\ )?{_ADVERBS}(?:started|began|took\ up|got\ into|stopped|quit|tried|went)\ (?:{_PURSUIT}|hiking|camping|skiing|fishing|surfing|sailing|kayaking|running|biking|bowling)
      | (?:i|we)\ (?:have\ )?{_ADVERBS}(?:{PAST}|read|\w+ed)\ (?:\w+ing\ |up\ )?(?![^,;]*\b(?:he|she|they|errors?)\b)(?:(?:to|from|on|for|with|in|at|part\ in|back\ from|off\ with)\ )?(?:(?:a|an|the|my|our|some|two|three|his|her|another)\ )?(?:[\w'-]+\ ){{0,3}}?{_EVENT}
      | (?:i|we)\ (?:have\ )?{_ADVERBS}(?:watched|read|saw|seen|finished)\ (?:reading\ |watching\ )?(?:an?\ |the\ )?[\"“]\s
      | (?:i|we)\ (?:have\ )?{_ADVERBS}(?:visited|travell?ed|went\ to|drove\ to|flew\ to|moved\ to|hiked|climbed|ran|baked|cooked|planted|knitted|painted)\ (?!(?:the\ |a\ |my\ |our\ )?(?:[\w-]+\ )?(?:settings|menu|tab|dashboard|console|repo|docs|folder|script|command|query|build|migration|suite|page|site|code|tests?|files?|next|it|this|that)\b|§)[^,;]*?{_WHEN_PAST}
      | (?:my|our)\ (?:[\w'-]+\ ){{0,2}}(?:and\ i)\ (?:broke\ up|got\ (?:married|engaged|divorced|back\ together)|moved|are\ (?:planning|expecting|moving|getting))\b
    )""",
    re.VERBOSE,
)
"""What somebody is at these weeks, or lately went through."""

_NO_DEED = (
    r"(?:tired|bored|thought|said|told|asked|heard|knew|felt|wanted|needed|hoped|meant|guessed|wondered|noticed|reali[sz]ed|remembered|forgot|liked|loved|hated|missed"
    r"|wished|agreed|tried|talked|spoke|chatted|texted|mentioned|seemed|looked|worried|kept|let|was|were|had|did|used|supposed|suggested|checked|woke|stayed|slept"
    r"|got\ (?:home|back|here|off|up|out|it|to)|red|need|bed|indeed|speed|excited|amazed|surprised|stoked|pumped|relieved|thrilled|interested|related)\b"
)
"""What is no deed that somebody would ask after: what was thought, said, felt, or is of each day."""

LIVED = lazy_pattern(
    rf"""(?:
        (?:(?:i|we)\ (?:have\ )?{_ADVERBS})?(?!{_ADVERB}|{_NO_DEED})(?:{PAST}|\w{{2,}}ed)\b(?=\ (?!when\b)\w)[^,;]*?\b{_WHEN_PAST}
      | (?:i|we)\ (?:have\ )?(?:also\ )?(?:just|finally|recently|officially)\ (?!{_ADVERB}|{_NO_DEED})(?:{PAST}|\w{{2,}}ed)\b(?=\ \w)
      | (?:i|we)\ had\ to\ (?!(?:say|ask|tell|laugh|share|go|do|be|get|have|see|check|admit|look)\b)\w+\ (?:\w+\ )?(?:my|our|an?)\ \w
      | (?:i\ am|we\ are)\ {_ADVERBS}(?!(?:having|taking|giving|doing|getting|feeling|being|trying|going|hoping|wishing|making|sending|sharing|looking|asking|waiting|wearing|holding|bringing|missing|leaving|seeing|showing|telling)\b)\w+ing\ (?:(?:on|in|for|with|at)\ )?(?:an?|my|our)\ (?!(?:[\w'-]+\ ){{0,2}}{_NOT_HELD})\w
    )""",
    re.VERBOSE,
)
"""What somebody did, told with its day or as news, and what they are at: among people, who tell each
other of their lives. The subject may be left out: `Lost my job yesterday`."""

CHANGED = lazy_pattern(
    rf"""(?:
        (?:i|we)\ (?:have\ )?{_ADVERBS}(?:swapped|cancel(?:l)?ed|deleted|uninstalled|inherited|took\ up|broke\ up|split\ up|separated|handed\ in|dropped\ out|packed\ in|jacked\ in|moved\ (?:out|back|in)|unsubscribed|came\ off|went\ (?:vegan|vegetarian|freelance|part[- ]time|back\ to)|called\ it\ quits)\b(?!\ (?:it|this|that|them)\b)
      | (?!(?:it|this|that|these|those|you|your|he|she|they|their|his|her|which|what|who|there|the|on|something|nothing|everything|seeing|taking|knowing|imagining|wearing)\b)(?:[\w'-]+\ ){{1,6}}?(?:makes?|wrecks?|kills?|gives?|scares?|bores?|terrif(?:y|ies)|puts?|(?:does|do)\ not\ agree\ with|disagrees?\ with)\ me\b
      | (?!(?:it|this|that|these|those|there|which|what|who|whatever|either|any|anything|everything|nothing)\b)(?:[\w'/-]+\ ){{1,5}}?(?:is|are)\ (?:an?\ |the\ |not\ )?(?!(?:fine|ok|okay|good|great|perfect|hard|easy|new|enough|too|difficult)\b)(?:[\w'/-]+\ ){{1,4}}?for\ me\b | (?:[\w'-]+\ )?only\ for\ me\b | it\ is\ (?:he/him|she/her|they/them)\b
      | as\ an?\ (?!(?:matter|result|rule|side|whole|last|first|bonus|joke|test|start|kid|child)\b)(?:[\w-]+\ ){{1,3}}?i\b | (?:type\ [12]\ diabetic|vegan|vegetarian|lefty|introvert|nurse|teacher|student|(?:new|first[- ]time)\ (?:mum|mom|dad|parent))\ here\b
      | (?!(?:the|this|that|it|you|he|she|they|there|what|which|who|every|remind|tell|send|ask|give|show|make|set|write|call|let|please)\b)(?:[\w'/-]+\ ){{1,6}}?(?:is\ |on\ )?(?:every|most)\ (?:other\ |second\ |single\ )?(?:\w+days?|day|mornings?|evenings?|nights?|week|weekends?|month|year|summer|winter)\b
      | (?:my|our)\ (?:[\w'-]+\ ){{1,3}}?(?:will\ (?:be|turn|start|finish|graduate|retire|get)|turns?|(?:is|are)\ due)\ [^,;]{{0,40}}?(?:\b{_FUTURE}|\d)
      | (?:i|we)\ (?:am|are|can)\ (?:scared|afraid|terrified|sick|tired|allergic|intolerant|addicted|used)\ (?:of|to)\ (?!(?:it|this|that|you|being)\b)\w
      | (?:i|we)\ (?:always\ |usually\ |normally\ |never\ )+(?:get\ up|go\ to\ bed|wake\ up|have\ (?:lunch|dinner|breakfast)|take\ the|go\ (?:to|by))\ \w
      | (?:i|we)\ (?:am|are)\ (?:not\ )?[\w' -]{{2,40}}?\ (?:anymore|any\ more|any\ longer|these\ days|myself|by\ (?:trade|training|profession))\b
    )""",
    re.VERBOSE,
)
"""What is otherwise for somebody by now, agrees with them or not, or is done by them regularly, in
the words that people use among each other."""

_KIN_ALONE = r"(?:hubby|mum|mom|dad|grandma|grandad|granddad|nan|granny|the\ (?:wife|missus|husband|kids|boys|girls|baby|dog|cat|dogs|cats|twins))"
_LEFT_OUT = lazy_pattern(
    rf"""(?:(?:yeah|yep|nah|nope|oh|also|tbh|honestly|ugh|so),?\ )*(?:
        (?P<i>(?:{_ADVERB}\ )*(?:cannot\ (?:stand|swim|drive|cook|eat|drink|sleep|sing|dance|ride|do\ without)|never\ (?:learned|been|had|drink|eat|got)|used\ to|have\ (?:not|never|an?|two|three|four|been|got|had)|do\ not\ (?:have|own|eat|drink|smoke|drive|like|speak|do|watch|believe|want\ (?:kids|children))
          |wear|(?:love|hate)\ (?!(?:the|your|that|this|it|how|when|what|to\ see|seeing|you|and|is|can|does|did|will|has|was|never|often|always|speaks|leaves|takes|makes|means)\b)\w+|live|work\ (?:as|at|for|in|from)|study|speak|play|own|(?!(?:tired|bored|excited|amazed|confused|annoyed|worried|agreed|red|need)\b)(?:\w{{2,}}ed|{PAST}))\b)
      | (?P<am>(?:{_ADVERB}\ )*(?:turning\ \d+|been\ (?!(?:a|great|nice|fun|good|hard|tough|so|there)\b)\w+|am|born|allergic|scared|afraid|terrified|single|married|divorced|widowed|retired|vegan|vegetarian|left-handed|colou?rblind|into|on\ (?!(?:my\ way|the|it|that|second|top)\b)|from\ (?!(?:the|an?|my|your|his|her|their|our|this|that|these|those|here|there|what|now|under|all)\b|[\w'-]+'s\b|(?:[\w'-]+\ )+to\b)|not\ (?:religious|married|vegan|into|a\b|an\b|in\b|at\b|on\b))\b)
      | (?P<my>{_KIN_ALONE}\ (?:is|are|has|have|had|works?|lives?|got)\b)
      | (?P<we>my\ [\w' -]{{2,30}}?\ and\ i\ )(?!(?:are|were|have\ been)\ (?:going|having|fighting|arguing)\b)
    )""",
    re.VERBOSE,
)


def with_subject(told: str) -> str:
    """A sentence of a chat whose subject was left out, or is told at length, with a plain one."""
    found = _LEFT_OUT.match(told)
    if found is None or found.lastgroup is None:
        return told
    start = found.start(found.lastgroup)
    match found.lastgroup:
        case "i":
            return f"i {told[start:]}"
        case "am":
            return f"i {'' if found['am'].startswith('am') else 'am '}{told[start:]}"
        case "my":
            return f"my {told[start:].removeprefix('the ')}"
        case _:
            return f"we {told[found.end() :]}"


DAYS = lazy_pattern(
    r"\b(?:today|tonight|yesterday|lately|again|so far|right now|at the moment|(?:this|these) (?:week|morning|evening|afternoon|weekend|days|weeks)|(?:the )?(?:first|last|other) (?:\w+ ){0,2}?(?:day|week|weekend|month|year|time|marathon|book))\b"
)
"""When it was, which for such things is no passing."""

CONDITIONAL = lazy_pattern(
    r"(?:if|when (?!i was|we were)|once|as|while|by|in case|for (?:this|that)|at the moment)\b"
)
"""Circumstances that make of a statement a condition, or one of the moment."""

INTRODUCES = lazy_pattern(
    r"(?:(?:(?:[Hh]i|[Hh]ello|[Hh]ey)(?: \w+)?[,.!] ?)?(?:I['’]m|I am|[Tt]his is)"
    r"|(?:[Hh]i|[Hh]ello|[Hh]ey)(?: \w+)?[,.!] ?[Ii]t['’]s) "
    r"(?!OK\b|Sorry|Done|Back|Fine|Good|Sure|Not|So|Just|On|In|At|The|A|Still)"
    r"[A-Z][a-zà-öø-ÿ]+(?:[- ][A-Z][a-zà-öø-ÿ]+){0,2}"
    r"(?:,? (?:by the way|btw|nice to meet you|from\b.*|and\b.*|your\b.*))?[.!]?$"
)
"""How somebody gives their name."""

PASSING = lazy_pattern(
    r"""\b(?:this|that|these|those)\b(?!\ (?:days|year|month|summer|spring|autumn|winter|company|team|project|repo|repository|codebase|job|city|town|country|house|home|office))
      | \b(?:it(?!\ is\ (?:my|our)\b|(?:'s|\ is|\ gets)\ (?:too\ |really\ |very\ )?(?:hot|cold|warm|sunny|windy|raining|snowing|dark|late|freezing|summer|winter)\b|\ (?:rains|snows|freezes)\b|\ (?:is|gets|was)\ \w+[.!]?$)|(?<!/)them|him|here(?![.!]?$)|there|something|someone|anything|such)\b
      | \b(?:today|tonight|tomorrow|yesterday|right\ now|at\ the\ moment|just\ now|so\ far|again|one\ sec|brb)\b
      | \b(?:errors?|exceptions?|fail(?:s|ed|ing|ure)?|(?<!car\ )(?<!bike\ )crash\w*|broken|issues?|problems?|bugs?|stuck|wrong|weird|strange)\b
      | \b(?:my|our)\ (?:\w+\ )?(?:point|question|concern|guess|bad|understanding|suggestion|idea|thought|thoughts|worry|mistake|apologies|assumption|intention|feeling|feelings|expectation|opinion|view|impression|issue|problem|last|next|turn|pleasure)\b
      | (?<!thank\ )\byou\b(?!\ can\ call\ me) | \byour\b | \bthe\ (?:following|above|same|other|one|new|different|previous|(?:first|second|last)(?!\ (?:\w+day|week|weekend|day|month|of)s?\b))\b | \.\.\.|… | \b(?:haha\w*|lol|jk|kidding|ugh)\b | \bto[.! ]*$""",
    re.VERBOSE,
)
"""What an everyday statement has not: pointing words, the moment, trouble at work, its hearer, an end
that only the question before it tells (`Yeah, I love to`)."""
