"""Everyday statements: what people are, have, do regularly and plan, in the usual words of a chat.

They are matched on a clause in lower case that begins with the speaker. What passes (a feeling, a
question, an error that somebody sees) is none, nor is what can only be read beside the sentence
before it.
"""

# ruff: noqa: E501  (a pattern is easier to read where it is not broken)

import re

_ADVERBS = (
    r"(?:(?:really|always|never|usually|generally|normally|mostly|only|also|still|now|currently|just|typically"
    r"|often|mainly|both|all|actually|sometimes|rarely|seldom|hardly ever|regularly|occasionally|mainly|basically"
    r"|even|already|finally|recently|eventually|officially|happily|only just|almost always|nearly always|do)\ )*"
)
_NOT = r"(?:do\ not\ |never\ |no\ longer\ |rarely\ )?"

_REGULAR = (
    r"(?:every\ (?:other\ |single\ |second\ )?(?:\w+day|day|night|morning|evening|afternoon|week|weekend|month|quarter|year"
    r"|spring|summer|autumn|fall|winter|sprint|\d+|two|three|four|few|six|half|hour)|each\ (?:\w+day|day|week|month|year|morning|evening"
    r"|night|sprint|quarter)|(?:once|twice|thrice|\w+\ times|\d+x|\w+\ (?:days|nights|hours))\ (?:a|an|per|every)\ (?:day|week|month|year|quarter|night|sprint)"
    r"|(?:on\ )?(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|(?:on|at)\ (?:the\ )?weekends|on\ weekdays|on\ work\ days"
    r"|(?:in\ the\ )(?:mornings|evenings|afternoons)|most\ (?:days|weekends|mornings|evenings|nights)|daily|weekly|fortnightly"
    r"|biweekly|monthly|quarterly|yearly|annually|at\ night|before\ (?:breakfast|work|bed)|after\ (?:work|school|dinner|lunch)"
    r"|at\ (?:noon|midnight|dawn)|these\ days|nowadays|all\ year\ round|for\ a\ living|in\ my\ (?:free|spare)\ time|as\ a\ hobby|whenever\ i\ can"
    r"|\w+\ (?:a|an|per)\ (?:day|night|week|month|year|quarter|sprint))"
)

_HABIT = (
    r"(?:weigh|wear|own|rent|use|ride|allow|spend\ (?:most|half|all|a\ lot)|test\ (?:on|in|with|against)|commute|sing|volunteer|drive|speak|sleep|report\ to|lead|manage|supervise|mentor|chair|track|bill|employ|outsource"
    r"|teach|coach|train|practi[cs]e|exercise|work\ out|cycle|jog|swim|hike|climb|surf|ski|snowboard|row|box|meditate|cook|bake|grow|breed|collect|paint|draw|knit"
    r"|sew|garden|fish|sail|dance|smoke|vape|drink|eat|fast|suffer\ from|struggle\ with|share|belong\ to|attend|subscribe\ to|donate"
    r"|earn|invest|owe|raise|foster|compose|blog|podcast|photograph|juggle|tutor|babysit|freelance|live|play|study|major\ in|specialize\ in|specialise\ in"
    r"|go\ (?:to\ (?:the\ gym|church|school|bed|university|college|yoga|therapy|work)|swimming|running|hiking|climbing|fishing|camping|skiing|jogging|dancing|by)"
    r"|get\ up|wake\ up|take\ (?:the\ (?:train|bus|tram|metro|subway|tube|ferry)|medication|insulin|vitamins|pills)|type\ on|do\ (?:yoga|pilates|karate|judo|ballet|crossfit|code\ reviews|pair\ programming)"
    r"|write\ (?:our|my|most|all|in)|deploy|host|ship|release|store|keep\ (?:our|my|all)|run\ (?:our|on|a)|sell|make(?!\ (?:a|an|the|it|sure|sense|us|me)\b)|pay|charge|publish|target|support|serve|read\ (?:a\ lot|mostly|mainly|the)|meet"
    r"|listen\ to|watch\ (?:a\ lot|mostly|tv|television|movies|films|football|anime|series)|prefer|follow|hold|cover|process|handle|count\ on|average|work(?!\ (?:well|great|together|hard|fine|out|on|around)\b)|operate|develop|build|maintain|produce|import|export|deliver)"
)

_NOT_HELD = (
    r"(?:question|problem|issue|error|idea|look|feeling|doubt|bug|failure|trouble|concern|request|task|todo|suggestion|comment"
    r"|clue|choice|conflict|hunch|theory|thought|word|favor|favour|time|day|weekend|night|blast|chance|opportunity|break|talk|chat"
    r"|go|try|picture|photo|stuff|second(?!\ ?\(|\ [a-z])|minute|moment|point|preference|objection|complaint|plan|test|case|fun|reason|way|lot|bit|few|couple|similar|different"
    r"|new\ (?:error|issue|problem|bug|question)|good|great|nice|wonderful|amazing|lovely|hard|tough|rough|difficult|busy|thing|evening|morning|week|choice|option|change|update|commit|conflict|merge|file|result|nothing|access|class|alternative|process|this|has|is|was|does|his|its|yes)"
)
_COUNT = r"(?:an?|no|any|\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many|access|about|around|over|almost|nearly|some|admin|full|only|at\ least|our\ own|my\ own)"

_IS = (
    r"(?:left-?handed|right-?handed|ambidextrous|allergic|intolerant|lactose|gluten|coeliac|celiac|diabetic|asthmatic|dyslexic|colou?r-?\s?blind|deaf|blind"
    r"|vegan|vegetarian|pescatarian|teetotal|single|divorced|widowed|separated|engaged\ to|married|pregnant|expecting|retired|unemployed|self-employed"
    r"|freelanc\w+|bilingual|trilingual|adopted|an?\ only\ child|religious|catholic|protestant|muslim|jewish|hindu|buddhist|atheist|agnostic|an\ atheist"
    r"|(?:half\ |originally\ )?(?:\w+(?:ish|ese)|\w+[^aeiou](?:ian|ean)|german|french|dutch|greek|swiss|thai|czech|american|mexican)\b(?!\ (?:to|that|about))"
    r"|(?:terrified|afraid|scared)\ of|good\ at|bad\ at|terrible\ at|fluent\ in|in\ charge\ of|responsible\ for|part\ of|member\ of|closed\ on|open\ (?:on|from|until)"
    r"|(?:really\ |big\ )?into|keen\ on|fond\ of|crazy\ about|obsessed\ with|passionate\ about|recovering\ from|suffering\ from|undergoing|prone\ to"
    r"|on\ call|on\ (?:a\ diet|parental\ leave|maternity\ leave|medication|insulin)|remote|fully\ remote|part-time|full-time"
    r"|(?:about\ |almost\ |nearly\ |only\ )?\d+(?:\.\d+)?\s?(?:years?|cm|m|kg|lbs?|pounds|feet|foot|people|developers|engineers|strong)?\b(?!\s?(?:%|percent|minutes|min))"
    r"|getting\ (?:married|divorced)|planning\ (?:to|on|a|our|my)\b|saving\ (?:up\ )?for|training\ for|learning\ (?:to|how|\w+)|studying|taking\ (?:\w+\ )?(?:lessons|classes|courses?)"
    r"|writing\ (?:a|my)\ (?:book|novel|thesis|dissertation|phd)|moving\ to|expecting\ (?:a|our|my)|renovating|born|raised|named\ after|short-sighted|near-?sighted|far-?sighted"
    r"|insured\ with|registered|certified|trained\ as|employed|a\ team\ of|based|located|in\ (?:the\ )?(?:\w+\ )?(?:time\ ?zone|industry|business|sector)|new\ to)"
)
_THEIRS = (
    r"(?:turns?|takes?|costs?|ends?|starts?|begins?|belongs?|comes?|goes|go|meets?|opens?|closes?|contains?|includes?|covers?|consists?|expires?|lasts?|study|studies"
    r"|plays?|loves?|likes?|hates?|speaks?|drives?|makes?|owns?|lies?|sits?|supports?|sells?|ships?|pays?|reports?|writes?|earns?|weighs?|teach(?:es)?|stud(?:y|ies)"
    r"|died|passed\ away|retired|cannot|can|does\ not|do\ not|is\ not|are\ not|has|have|had|is|are|lives?|works?|runs?|uses?|needs?|stays?|keeps?|grew|comes|handles?|serves?|targets?|depends?"
    r"|wants?\ to\ (?:be|become|study)|prefers?|moved|graduat\w+|attends?|travels?|visits?|sings?|cooks?|collects?|snores?|barks?|gets?\ up)"
)

_FUTURE = (
    r"(?:this\ (?:year|spring|summer|autumn|fall|winter)|next\ (?:week|month|year|spring|summer|autumn|fall|winter|quarter|\w+day)|in\ (?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|spring|summer|autumn|winter|\d{4}|(?:\w+\ ){1,2}(?:weeks|months|years))|on\ (?:the\ )?\d+\w*)\b"
)
_PAST = (
    r"(?:(?:last|this)\ (?:week|month|year|spring|summer|autumn|fall|winter|\w+day)|in\ (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})"
    r"|(?:\w+\ ){1,3}ago|when\ (?:i|we)\ (?:was|were|moved|lived)|back\ in)\b"
)
_WHEN_PAST = (
    r"(?:(?:last|this)\ (?:week|weekend|month|year|spring|summer|autumn|fall|winter|morning|evening|\w+day)|yesterday|recently|today|tonight|the\ other\ day"
    r"|in\ (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4})|(?:\w+\ ){1,3}ago|on\ (?:the\ )?(?:weekend|\w+day))\b"
)
_BODY = r"(?:arm|leg|wrist|ankle|foot|knee|hip|back|shoulder|elbow|hand|finger|thumb|toe|rib|ribs|nose|collarbone|jaw|tendon|acl|hamstring|neck)"
_ILLNESS = (
    r"(?:diabetes|asthma|adhd|add|autism|arthritis|epilepsy|migraines?|allerg(?:y|ies)|hay\ fever|depression|anxiety|insomnia|eczema|psoriasis|ibs|crohn's|hypertension|blood\ pressure"
    r"|tinnitus|dyslexia|an(?:a)?emia|lupus|sclerosis|cancer|endometriosis|glaucoma|scoliosis|sciatica|gout|apnea|reflux|pacemaker|back\ pain|panic\ attacks|intolerance|vertigo|heart\ (?:condition|disease)|ptsd|ocd|celiac|coeliac)"
)
_KIN = (
    r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?|ex|mother|father|mom|mum|dad|parents|sister|brother|sisters|brothers|siblings|twins?|daughters?|sons?|kids?|children|child|baby|toddler"
    r"|grandmother|grandfather|grandma|grandpa|grandparents|granddaughter|grandson|grandchildren|aunt|uncle|cousins?|niece|nephew|in-laws|mother-in-law|father-in-law|sister-in-law|brother-in-law|stepson|stepdaughter"
    r"|dogs?|cats?|puppy|kitten|horse|parrot|rabbits?|hamster|tortoise|pets?|roommate|flatmate|housemate|best\ friend)(?:\ (?!is\b|are\b|was\b|has\b|have\b|and\b|to\b|for\b|in\b|on\b|at\b)\w+)?"
)
"""Whom and what one lives with; a name may stand behind."""
_SAYING = r"(?:says?|said|tells?|told|thinks?|thought|claims?|claimed|believes?|asks?|asked|swears|wonders?|suggests?|suggested|recommends?|recommended|insists?|joked|jokes|wants?\ (?:me|to\ know))"

_PURSUES = (
    r"(?:(?:learning|practi[cs]ing|studying|dating|volunteering|rehearsing|training\ for|preparing\ for|saving\ (?:up\ )?for|seeing\ a\ (?:therapist|doctor|physio\w*)"
    r"|planning\ (?:a|an|our|my)\ (?:\w+\ )?(?:trip|wedding|holiday|vacation|party|move|visit|journey|birthday)|writing\ (?:a|my)\ (?:book|novel|thesis|blog|memoir|screenplay)"
    r"|looking\ for\ an?\ (?:new\ )?(?:\w+\ )?(?:job|flat|house|apartment|place|room|position|partner|hobby)|taking\ (?:\w+\ ){0,2}(?:lessons|classes|courses?|pills|medication)"
    r"|(?:considering|thinking\ (?:about|of))\ (?:getting|buying|moving|changing|quitting|starting|adopting|learning|visiting|travel\w*|finding|becoming|having|studying)"
    r"|reading\ an?\ (?:\w+\ )?(?:book|novel|biography|series))\b(?=\ \w|[.!]?$))"
)
"""What somebody is at for weeks."""
_LIVES_THROUGH = (
    r"(?:lost\ my\ (?:job|wife|husband|mother|father|mom|mum|dad|dog|cat)|passed\ (?:an?|my)\ (?:\w+\ )?(?:interview|exams?|test|bar)|got\ (?:accepted|laid\ off|fired|hired|into)"
    r"|broke\ up\ with|graduated|had\ a\ baby|started\ (?:an?|my|our)\ (?:own\ |new\ |small\ |\w+\ )?(?:business|blog|company|studio|shop|podcast|course|job|phd|degree|therapy|garden|band|family))"
)
"""What changes somebody's life."""

WISHES = re.compile(
    r"(?:i|we)(?:\ would)?\ (?:really\ |also\ |always\ )*(?:want|hope|dream|love|like|wanted)\ to\ (?:(?:finally|eventually|one\ day|someday)\ )?"
    r"(?:learn|become|visit|travel(?!\ on\b)|study|move\ (?:to|back)|retire|emigrate|adopt|quit\ (?:smoking|drinking|my)|lose\ weight|climb|live\ (?:in|by|on)|run\ a\ (?:marathon|half)|write\ a\ (?:book|novel)"
    r"|start\ (?:a\ family|my\ own|our\ own|a\ (?:business|company))|have\ (?:kids|children)|buy\ (?:a|an|our|my)\ (?:house|flat|home|car|boat|van|farm|horse))\b"
)
"""What somebody wants of their life."""

EVERYDAY = re.compile(
    rf"""(?:
        (?:i|we)\ {_ADVERBS}{_NOT}{_ADVERBS}{_HABIT}\b(?=\ \S|[.!]?$)
      | (?:i|we)\ {_ADVERBS}{_NOT}(?!(?:think|guess|see|get|need|want|know|believe|mean|hope|wish|wonder|suppose|assume|feel|agree|understand|notice|found|find|said|say|tell
          |told|ask|asked|try|tried|look|check|expect|remember|forget|doubt|recommend|suggest|propose|should|could|would|will|can|must|may|might|had|was|were|did|went|saw|got|made|took
          |came|ran|wrote|gave|left|met|felt|lost|spent|bought|put|let|am|are|have|has|seem|keep|end|just|'d|'ll|had|been|thought|loved|tried|first|then|\w+ed)\b)
          [a-z]+\ (?:[^,;]{{1,80}}\ )?{_REGULAR}
      | (?:i|we)\ (?:also\ )?(?:usually|always|normally|typically|never|often|rarely|seldom|sometimes|mostly|regularly|generally|hardly\ ever)\ (?:also\ )?(?!(?:get|see|think|feel|wonder|mean|know|want|need|have|understand|find|seem|hear|hope|wish|believe|agree|forget|remember|say|said|thought|was|were|had
          |did|got|saw|made|took|came|ran|wrote|gave|went|felt|heard|found|knew|meant|told|am|are|can|could|would|should|will|do|be|been|mind|\w+ed)\b)[a-z]+\ \w
      | (?:i|we)(?:\ have\ got|\ {_ADVERBS}(?:have|own|do\ not\ have|never\ have))\ {_COUNT}\ (?!(?:[\w'-]+\ ){{0,2}}?{_NOT_HELD}s?\b)[\w'$€£-]+
      | (?:i|we)\ {_ADVERBS}(?:have|own|keep)\ (?!to\b|each\b|(?:\w+ly\ )?(?:\w+(?:ed|en)|been|put|made|done|set|run|got|had|found|built|come|gone|read|thought|felt|met|kept|left|lost|sent|told|said|begun|sung|become|heard)\b|unique\b|(?:[\w'-]+\ ){{0,2}}?{_NOT_HELD}s?\b)(?:[\w'-]+(?<!ing)\ ){{0,2}}[\w'-]{{2,}}(?<!us)(?<!ss)(?<!alway)(?<!')s\b(?!\ to\b)
      | (?:i|we)\ {_ADVERBS}(?:have|need)\ (?!been\b)(?:an?\ |at\ least\ |about\ |around\ )?(?!(?:{_NOT_HELD})\b)[^,;]{{0,50}}\b{_REGULAR}
      | (?:i|we)\ {_ADVERBS}need\ (?:at\ least\ |about\ |around\ )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|glasses|insulin|medication|a\ wheelchair|a\ hearing\ aid)\b(?!\ (?:more|things|changes|tests))
      | (?:i\ am|we\ are)\ {_ADVERBS}(?:not\ )?(?:a\ bit\ |very\ |quite\ |pretty\ |so\ )?{_IS}
      | (?:i\ am|we\ are)\ {_ADVERBS}(?:going\ to(?!\ (?:fix|check|look|review|merge|update|push|commit|add|refactor|rewrite|debug|implement|test|try|do)\b)|moving|travell?ing|flying|running|starting|taking|visiting|launching|releasing|hiring|opening|closing)\b[^,;]{{0,60}}
          \b{_FUTURE}
      | (?:i|we)\ have\ {_ADVERBS}(?:been|worked|lived|known|had|played|used|written|owned|taught|studied|practi[cs]ed|run|sung|danced|smoked)\b[^,;?]{{1,80}}\b(?:for\ (?:over\ |about\ |almost\ |more\ than\ |nearly\ |the\ (?:last|past)\ )?(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|many|eleven|twelve|\w+teen|several|a\ few|twenty|\w+ty)\ \w+|since\ (?:\d{{4}}|january|february|march|april|may|june|july|august|september|october|november|december|childhood|i\ was|university|college|school|last))
      | (?:i|we)\ have\ never\ (?!seen\ (?:this|that|it)|had\ (?:this|that)|heard|thought|tried|said|used\ (?:this|that|it))(?:been|had|learned|learnt|eaten|driven|flown|smoked|owned|worked|lived|played|\w+ed)\ \w
      | (?:i|we)\ do\ not\ (?:have|use|support|need|run|ship|maintain|offer|allow)\ [^,;?]{{1,80}}?\ any\ ?(?:more|longer)\b
      | (?:i|we)\ (?:was|were)\ (?:born|raised|brought\ up|adopted|diagnosed)\b
      | (?:i|we)\ {_ADVERBS}(?:cannot|am\ unable\ to)\ (?:eat|drink|have|stand|bear|do\ without|tolerate|digest|swim|drive|sing|cook|dance|ride|speak|sleep|whistle|smell|taste)\b
      | (?:i|we)\ (?:have\ )?{_ADVERBS}(?:quit|gave\ up|given\ up|stopped|no\ longer|retired|dropped|ditched|replaced|got\ rid\ of|moved\ (?:to|from|away|off|over)|switched\ (?:to|from|over)|migrated
          |relocated|resigned|upgraded\ (?:to|from|\w+\ (?:to|from))|renamed|changed\ (?:my|our)\ (?!mind\b)\w+|got\ (?:an?\ |the\ )?(?:new\ )?(?:job|married|divorced|engaged|promoted)|joined|started\ (?:working|a\ new\ job|at|my\ own)
          |left\ (?:my|the\ company|the\ team)|turned\ \d+|graduated|bought\ a\ (?:house|flat|car|home)|adopted\ an?|deprecated|standardi[sz]ed)\ ?(?!this\b|that\b|it\b)
      | (?:i|we)(?:\ {_ADVERBS}|\ )(?:plan|intend)\ to\ [^,;]{{3,80}}\b(?:next|in|this|by|until|after|before|on|soon|someday|one\ day)\b
      | (?:all\ |most\ |some\ |both\ |half\ |one\ |two\ |none\ |each\ |many\ )(?:of\ )?(?:my|our)\ (?:[\w§'-]+\ ){{1,4}}(?:is|are|has|have|{_THEIRS})\b
      | (?:my|our)\ (?:[\w§'-]+\ ){{1,5}}?{_THEIRS}\ (?!(?:not\ |n't\ |still\ |also\ )?(?:working|broken|failing|getting|going|down|slow|stuck|messed|to\ )\b)
      | (?:i|we)\ will\ (?:also\ |probably\ |then\ )?(?!be\ (?:able|right|back)\b|see\b|let\b|check\b|look\b|try\b|do\b|fix\b|get\ back\b|need\b)[a-z]+\ (?:[^,;]{{1,60}}\ )?{_FUTURE}
      | (?:i\ am|we\ are|(?:i|we)\ have\ (?:recently\ |just\ |lately\ |also\ )*been)\ (?:also\ |currently\ |still\ |just\ |recently\ |now\ )*{_PURSUES}
      | (?:i|we)(?:\ have)?\ (?:just\ |recently\ |finally\ |also\ )*{_LIVES_THROUGH}\b
      | i\ (?:also\ |still\ )?take\ (?:[\w-]+\ ){{0,5}}(?:thinners|tablets?|pills?|supplements|statins|antidepressants|painkillers|antihistamines|drops|injections)\b
      | i\ am\ {_ADVERBS}(?:more\ of\ )?an?\ (?!bit\b|little\b|huge\b|big\b|lot\b|mess\b|fool\b|idiot\b|genius\b|robot\b|ghost\b|failure\b|step\b)(?:[\w'-]+\ ){{0,3}}[\w'-]{{3,}}[.!]?$
      | (?:i|we)\ {_ADVERBS}(?:do\ not\ )?(?:love|hate|like|dislike|enjoy|adore|detest|loathe|fear)\ (?!to\b|option\b|how\b|what\b|when\b|where\b|talking\b|chatting\b|both\b|all\b|the\ (?:idea|sound|look|way|new)\b)\w
      | (?:i|we)\ used\ to\ (?!think|see\b|get\b|believe|be\ able|wonder)[a-z]+\ \w
      | (?:i|we)\ (?:lost|adopted|married|met|divorced|buried|bought|sold|left)\ (?:my|our|an?)\ [^,;]{{2,60}}?\ {_PAST}
      | (?:i|we)\ (?:had|owned|rented|kept)\ (?:my|our|an?|two|three)\ [^,;]{{2,60}}?\ for\ (?:\w+\ ){{1,3}}(?:years|months)
      | (?:i|we)\ (?:broke|fractured|sprained|tore|injured|hurt)\ (?:my|an?)\ (?:\w+\ )?{_BODY}\b
      | (?:i|we)\ (?:also\ |sometimes\ |often\ |regularly\ |usually\ )?(?:have|get|had|suffer\ from|live\ with|was\ diagnosed\ with|deal\ with)\ (?:[\w-]+\ ){{0,3}}{_ILLNESS}\b
      | (?:(?:my\ )?(?:friends|family|everyone|everybody|people|colleagues|most\ people)|you\ can|just|please)\ (?:just\ |usually\ |all\ )?calls?\ me\ \w
      | (?:i|we)\ can\ (?:also\ )?(?:speak|play\ (?:the|piano|guitar|chess)|ride|ski|sew|knit|juggle|sing|swim)\b
      | (?:i|we)\ have\ (?:also\ |already\ |never\ )?been\ to\ (?!the\ (?:page|docs|site)\b)\w
      | (?:i|we)\ (?:named|called)\ (?:my|our)\ (?:[\w-]+\ )?(?:baby|son|daughter|dog|cat|boat|band|company|shop|puppy|kitten)\b
      | (?:it|today|tomorrow|next\ \w+|\w+day)\ is\ (?:my|our)\ (?:\w+\ )?(?:birthday|anniversary|wedding|graduation)\b
      | (?:i|we)\ learn(?:ed|t)\ (?:to|how\ to)\ [a-z]+\b[^,;]*\b(?:when\ i\ was|at\ (?:the\ age|\d)|as\ an?\ (?:child|kid|teenager|adult|student))\b
      | (?:i|we)\ (?:was|were|have\ been|got)\ (?:just\ |recently\ |finally\ )?(?:promoted|laid\ off|fired|hired|accepted|transferred|nominated|elected|admitted|evicted)\b
      | (?:i\ am|we\ are)\ (?:now\ |currently\ |slowly\ )?(?:migrating|switching|transitioning|moving\ over)\ (?:from|to|over)\ (?!this|that|it)\w
      | i\ go\ by\ (?!the\b|bus|train|car|bike|foot|what)\w
      | (?:my|our)\ (?:[\w'-]+\ ){{0,2}}?{_KIN}\ (?!{_SAYING}\b|(?:was|were|is)\ (?:like|right|wrong|saying|asking|telling|wondering)\b|and\ (?:i|me)\b|would\b|could\b|might\b|should\b)(?:\w+\ ){{0,6}}?\w{{3,}}
      | [\w.+-]+\ (?:is|are)\ (?:now\ )?(?:deprecated|no\ longer\ used|obsolete)\ (?:for\ us|in\ our)\b
    )""",
    re.VERBOSE,
)
"""A clause of the speaker, from its first word on."""

_TIMES = r"(?:just|recently|finally|also|already|currently|still|now|lately|really|even|actually|only|always|often|sometimes|first|once)"
_PURSUIT = (
    r"(?:baking|cooking|reading(?!\ (?:the\ )?(?:docs|code|logs?|files?|source|documentation|output))|learning|practi[cs]ing|studying|collecting"
    r"|gardening|painting|drawing|sketching|knitting|sewing|crocheting|playing(?!\ with\ the\b)|rehearsing|jogging|hiking|cycling|swimming|climbing|dancing"
    r"|singing|exercising|meditating|working\ out|dieting|brewing|growing|fishing|camping|skiing|surfing|skateboarding|photographing"
    r"|listening\ to|watching(?!\ (?:the\ )?(?:logs?|output))|travell?ing|volunteering|teaching|coaching|mentoring|tutoring|renovating|restoring"
    r"|dating|preparing\ for|getting\ ready\ for|trying\ to\ (?:lose|gain|quit|learn|become|eat|get\ (?:fit|pregnant|healthy|in\ shape)|save|sleep)|having\ (?:some\ )?(?:trouble|difficulty|a\ hard\ time)\ (?:sleeping|falling\ asleep|concentrating|focusing|breathing|studying|walking)|training\ for|saving\ (?:up\ )?for|applying\ (?:for|to)|interviewing|expecting|raising|caring\ for|recovering"
    r"|working\ (?:as|at|night|part-time|full-time|two)|attending|following|writing\ (?:my|a|an|the|short)\ (?:[\w'-]+\ )?(?:book|novel|thesis|dissertation|memoir|stories|poems?|poetry|diary|journal|songs?|screenplay|blog|paper)"
    r"|taking\ (?:[\w-]+\ ){0,3}(?:lessons|classes|class|course|courses|photos|pictures|medication|pills)|looking\ for\ (?:an?|my)\ (?:new\ )?(?:\w+\ )?(?:job|flat|house|apartment|place|position|partner|hobby|internship)"
    r"|planning\ (?:a|an|our|my)\ (?:\w+\ )?(?:trip|wedding|holiday|vacation|party|move|visit|journey|birthday)|making\ (?:my\ own|pottery|jewel\w+|music|films|videos|furniture|wine|cheese|bread|friends))"
)
"""What somebody is at for weeks."""
_OUTING = (
    r"(?:concert|stadium|racetrack|pool|spa|bookshop|aquarium|gathering|meetup|event|museum|gallery|exhibition|exhibit|festival|match|party|wedding|funeral|ceremony|graduation|workshop|lecture|seminar|conference|course|class|trip|hike"
    r"|beach|park|zoo|theatre|theater|cinema|movies|opera|ballet|show|restaurant|cafe|café|bar|market|fair|gym|doctor|dentist|therapist|hospital|support\ group|church|temple|retreat|library|bookstore"
    r"|book\ club|reunion|barbecue|bbq|picnic|dinner|lunch|camp|campsite|mountains|lake|sea|seaside|countryside|forest|island|farm|parade|pride|protest|rally|interview|exam|marathon|race|tournament|game\ night|yoga)s?"
)
_WORK_OF_ART = r"(?:book|novel|film|movie|series|show|documentary|biography|memoir|album|song|play|musical|podcast|anime|manga|comic|poem|trilogy|concert|game|opera|story|stories)s?"
_GAINED = (
    r"(?:interview|offer|job|promotion|raise|scholarship|internship|award|prize|medal|degree|diploma|certificate|certification|licen[cs]e|visa|puppy|kitten|dog|cat|pet|bike|bicycle|car|guitar|piano|camera"
    r"|tattoo|haircut|diagnosis|surgery|baby|grant|position|admission|house|flat|apartment)"
)
_DETERMINED = r"(?:(?:a|an|the|my|our|some|two|three|his|her|another|\w+'s)\ )?(?:[\w'-]+\ ){0,3}?"

WENT_THROUGH = re.compile(
    rf"""(?:
        (?:i|we)\ (?:(?:am|are)|have\ (?:{_TIMES}\ )*been)\ (?:{_TIMES}\ )*{_PURSUIT}\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:started|began|begun|took\ up|taken\ up|got\ into|gotten\ into|stopped|quit|tried)\ {_PURSUIT}\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:went|gone|been|took\ (?:\w+\ ){{1,2}}|came\ back|come\ back|got\ back|gotten\ back|returned)\ (?:to|from|on)\ {_DETERMINED}{_OUTING}\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:took|brought|drove)\ (?:my|our)\ (?:[\w'-]+\ )?(?:son|daughter|kids?|children|mother|father|mom|mum|dad|parents|wife|husband|dog|cat|family|grandmother|grandfather|friends?|nephew|niece)\ (?:to|on|for)\ \w
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:took|taken)\ up\ (?!(?:the|this|that|space|too|so|a\ lot|time|all|most)\b)[a-z]+
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:read|re-?read|watched)\ (?!(?:the\ |a\ |all\ |my\ |your\ )?(?:[\w-]+\ )?(?:docs|code|logs?|files?|tests?|source|documentation|output|readme|spec|script|error|issues?|thread|comments?|message|tutorials?|it|this|that)\b)[^,;]{{2,40}}?\ {_WHEN_PAST}
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*visited\ (?:about\ |over\ )?(?:\w+\ )(?:countries|cities|continents|states|museums)\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*went\ (?:[\w-]+\ )?(?:hiking|camping|swimming|skiing|fishing|climbing|surfing|sailing|kayaking|dancing|running|biking|cycling|snowboarding|bowling|birdwatching|on\ (?:a|an|our|my)\ (?:[\w'-]+\ ){{0,3}}(?:trip|hike|walk|cruise|date|vacation|holiday|honeymoon))\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:attended|won|visited|joined|signed\ up\ for|enrolled\ in|registered\ for|took\ part\ in|participated\ in|hosted|organi[sz]ed|performed\ (?:at|in)|spoke\ at)\ {_DETERMINED}(?:{_OUTING}|club|team|band|choir|orchestra|community|group|league|program(?:me)?|society|family|parents|grandparents|friends?|sister|brother|shelter|school|university)\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:visited|travell?ed\ (?:to|through|around)|went\ to|drove\ to|flew\ to|moved\ to|hiked|climbed|ran)\ (?!(?:the\ |a\ |an\ |my\ |our\ )?(?:[\w-]+\ )?(?:bed|sleep|work|settings|menu|tab|dashboard|console|repo|docs|folder|script|command|query|build|linter|migration|suite|page|site|url|website|link|code|tests?|file|settings|next|new|it|this|that|these|all|those|them)\b|§)(?:the\ )?[\w'-]+\b[^,;]*?{_WHEN_PAST}
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:watched|read|re-?read|saw|seen|listened\ to|finished|played|wrote|written|published|composed|recorded|started|discovered)\ (?:reading\ |watching\ |writing\ |listening\ to\ )?{_DETERMINED}{_WORK_OF_ART}\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:watched|read|re-?read|saw|seen|listened\ to|finished)\ (?:reading\ |watching\ )?(?:(?:an?|the)\ )?[\"“]\s
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*finished\ (?:(?:reading|writing)(?!\ (?:the\ |a\ |all\ |my\ )?(?:docs|code|logs?|files?|tests?|source|documentation|output|readme|spec|script|function))|watching|knitting|painting|renovating|school|university|college|my\ (?:first\ |second\ |last\ )?(?:degree|thesis|dissertation|phd|studies|exams?|marathon|training|course|internship|apprenticeship|book|novel|shift))\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:got|gotten|received|landed|won|was\ offered|were\ offered|had|bought|adopted|earned)\ (?:an?|the|my|our)\ (?!(?:new\ )?(?:error|idea)\b)(?:[\w'-]+\ ){{0,3}}?{_GAINED}\b(?!\ (?:page|file|test|key|table|object|id|class)\b)
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:applied\ (?:for|to)|interviewed\ (?:for|at|with))\ (?:(?:an?|the|my|some|several)\ )?(?:[\w'-]+\ ){{0,3}}?(?:{_GAINED}|university|college|school|programs?|programmes?|jobs|positions|agenc(?:y|ies)|mortgage|loan|citizenship)\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:passed|failed|took|sat)\ (?:my|an?|the)\ (?:[\w'-]+\ ){{0,2}}(?:driving\ (?:test|exam)|exams?|bar|finals|citizenship\ test|interview)\b
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*(?:bought|adopted|planted|built|baked|cooked|made|painted|knitted|sewed|drew|carved)\ {_DETERMINED}(?!(?:change|changes|commit|mistake|test|file|branch|copy|function|script|decision|list|plan)s?\b)[\w'-]+(?:\ [\w'-]+)?\ (?:[^,;]*\ )?{_WHEN_PAST}
      | (?:i|we)\ have\ always\ (?:been\ (?:an?|into|interested|fascinated|passionate|afraid|good|bad)|loved|enjoyed|liked|preferred|wanted\ to|dreamed\ of|hated|lived|worked|had\ an?)\ \w
      | (?:i|we)\ (?:have\ )?(?:{_TIMES}\ )*met\ (?:up\ with\ )?(?:an?|my|some|his|her)\ (?:old\ |new\ |best\ )?(?:friends?|neighbou?rs?|girl|boy|woman|man|people|colleagues?|teacher|professor|mentor|hero|cousins?)\b
      | (?:my|our)\ (?:[\w'-]+\ ){{0,2}}?(?:mother|father|mom|mum|dad|sister|brother|wife|husband|partner|son|daughter|dog|cat|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|friend|best\ friend)\ (?:\w+\ )?(?:moved\ to|got\ (?:married|engaged|a\ )|had\ a\ baby|graduated|died|passed\ away|started|won|gave\ me)\b
      | (?:my|our)\ (?:[\w'-]+\ ){{0,2}}(?:and\ (?:i|me)|and\ i)\ (?:broke\ up|got\ (?:married|engaged|divorced|back\ together)|moved|are\ (?:planning|expecting|moving|getting))\b
    )""",
    re.VERBOSE,
)
"""What somebody is at these weeks, or lately went through."""

DAYS = re.compile(
    r"\b(?:today|tonight|yesterday|lately|again|so far|right now|at the moment|(?:this|these) (?:week|morning|evening|afternoon|weekend|days|weeks)|(?:the )?(?:first|last|other) (?:\w+ ){0,2}?(?:day|week|weekend|month|year|time|marathon|book))\b"
)
"""When it was, which for such things is no passing."""

CONDITIONAL = re.compile(
    r"(?:if|when (?!i was|we were)|once|as|while|by|in case|for (?:this|that)|at the moment)\b"
)
"""Circumstances that make of a statement a condition, or one of the moment."""

INTRODUCES = re.compile(
    r"(?:(?:[Hh]i|[Hh]ello|[Hh]ey)(?: \w+)?[,.!] ?)?(?:I['’]m|I am|[Tt]his is|[Ii]t['’]s) "
    r"(?!OK\b|Sorry|Done|Back|Fine|Good|Sure|Not|So|Just|On|In|At|The|A|Still)"
    r"[A-Z][a-zà-öø-ÿ]+(?:[- ][A-Z][a-zà-öø-ÿ]+){0,2}"
    r"(?:,? (?:by the way|btw|nice to meet you|from\b.*|and\b.*|your\b.*))?[.!]?$"
)
"""How somebody gives their name."""

PASSING = re.compile(
    r"""\b(?:this|that|these|those)\b(?!\ (?:days|year|month|summer|spring|autumn|winter|company|team|project|job|city|town|country))
      | \b(?:it(?!\ is\ (?:my|our)\b|(?:'s|\ is|\ gets)\ (?:too\ |really\ |very\ )?(?:hot|cold|warm|sunny|windy|raining|snowing|dark|late|freezing|summer|winter)\b|\ (?:rains|snows|freezes)\b|\ (?:is|gets|was)\ \w+[.!]?$)|(?<!/)them|him|here(?![.!]?$)|there|something|someone|anything|such)\b
      | \b(?:today|tonight|tomorrow|yesterday|right\ now|at\ the\ moment|just\ now|so\ far|again)\b
      | \b(?:errors?|exceptions?|fail(?:s|ed|ing|ure)?|(?<!car\ )(?<!bike\ )crash\w*|broken|issues?|problems?|bugs?|stuck|wrong|weird|strange)\b
      | \b(?:my|our)\ (?:\w+\ )?(?:point|question|concern|guess|bad|understanding|suggestion|idea|thought|thoughts|worry|mistake|apologies|assumption|intention|feeling|feelings|expectation|opinion|view|impression|issue|problem|last|next|turn|pleasure)\b
      | (?<!thank\ )\byou\b(?!\ can\ call\ me) | \byour\b | \bthe\ (?:following|above|same|other|(?:first|second|last)(?!\ (?:\w+day|week|weekend|day|month)s?\b))\b | \.\.\.|… | \b(?:haha\w*|lol|jk|kidding)\b""",
    re.VERBOSE,
)
"""What an everyday statement has not: pointing words, the moment, trouble at work, its hearer."""
