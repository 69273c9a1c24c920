"""Words that carry weight when two statements are compared: a small English vocabulary.

Lists stand as plain text. Words are casefolded; `stem` makes one of the forms of a word.
"""

import re
from functools import lru_cache


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _members(group: str) -> list[str]:
    return group.split(",")


_CONTRACTIONS = """
don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't hasn't
haven't hadn't
"""
NEGATIONS = _listed("""
not no never without neither nor none nobody nothing nowhere cannot lack lacks lacked lacking avoid
avoids avoided avoiding unless
""") | _listed(_CONTRACTIONS.replace("'", ""))
"""Words that deny the clause that they stand in; contractions as they are mistyped."""

SELDOM = _listed("hardly barely scarcely seldom rarely")
"""What is less than always, and more than never: it denies nothing."""

NONE = _listed("no none nobody nothing nowhere never neither")
"""Those that deny it of all there are."""

UNIVERSAL = _listed("all every each always everyone everybody everything")

STOPS = _listed("""
a an the this that these those it its itself they them their he him his she her we us our i me my
you your there here is are was were be been being am do does did doing of on in at to
for as with and really very quite just also still now currently already actually simply
please then so such too even always all every each ever any anything everything everyone everybody
own about which who whose s ve re d m both yet certainly definitely surely clearly obviously indeed
moreover furthermore therefore thus hence besides but however anymore
""")
"""Words that change nothing of weight, `always` and `all` among them."""

DIRECTIONS = _listed("""
from over than by before because if when until since into
""")
"""Words whose two sides must not be exchanged."""

ADJECTIVES_IN_LY = _listed("""
monthly quarterly nightly friendly mainly mostly partly merely primarily exclusively entirely
completely especially particularly exactly equally possibly assembly anomaly multiply supply
""")
"""Words in `ly` of which it matters where they stand."""

RELATIONS = _listed("of on in at to for as with")
"""Prepositions that may be left out, but not exchanged: `stops at` is not `stops for`."""

PARTICLES = _listed("off out away back")
"""Words that go with a verb or a thing before them, as `on` does in "monitoring on": they are no
members of a list."""

POINTING = {"here": "there", "there": "here", "now": "then", "then": "now", "these": "those",
            "those": "these"}  # fmt: skip
"""Words of no weight but where the other one stands in the same statement."""

CLAUSE = _listed("""
but however because when if unless while although though whereas until
""")
"""Words that begin a clause, with a polarity of its own."""

JOINTS = _listed("and or nor & ,")
"""What may begin a clause, or another member of a list."""

FRONTED = _listed("""
but however because when if unless while although though whereas until without after before since
once in on at for to with during
""")
"""Words that begin a part that may stand before or behind the rest."""

BE = _listed("is are was were be been being am")
AUXILIARIES = BE | _listed("have has had get gets got getting having")
"""Verbs before a participle: `is cached` is no past."""

ASKING = _listed("""
is are am was were do does did can could should would will has have had may might must shall
""")
"""Words that turn a statement into a question when they lead it."""

DEFINITE = _listed("the my our your his her their this that")
"""Words before a name that there is one of: only such a name can change sides with its bearer."""

DETERMINERS = DEFINITE | _listed("a an these those any some every each no its")
"""Words that a noun follows, so that no verb does."""

PERSONS = {
    word: person
    for person, listed in {
        "first": "i me my mine myself we us our ours ourselves",
        "second": "you your yours yourself yourselves",
        "he": "he him his himself",
        "she": "she her hers herself",
        "they": "they them their theirs themselves",
    }.items()
    for word in listed.split()
}
"""Pronoun → who is meant."""

_VERBS = """
accept access add agree allow apply approve ask assign assume attach avoid become begin belong
block book break bring build buy cache call carry cause change check choose clean clear close
collect come commit compile complete configure connect contain contribute control convert copy
cost cover crash create cut decide default define delete deliver depend deploy describe die
disable drink drive drop eat edit enable encrypt end expect expire explain export fail fall feed
feel fetch find finish fit fix fly follow forbid forget forward get give go grow handle happen
hate have hear help hide hold host hurt ignore import improve include increase install introduce
invite join jump keep know land last launch lead learn leave let lie like limit link list listen
live load log look lose love maintain make manage mean meet merge migrate miss mount move name
need occur offer open order own pass pay perform pick pin plan play point poll prefer prepare
produce publish pull push put raise reach read receive recommend record reduce refuse reject
release rely remain remember remove rename replace report require reserve reset resolve restart
restore return ride rotate run save say schedule see sell send serve set share ship show sing sit
sleep smoke solve sort speak spend stand start stay step stop store study supply support switch
take talk teach tell terminate test think throw travel trigger try turn update upgrade upload use
utilise visit wait wake walk want watch wear weigh win wish work write
"""
"""Common verbs, so that what stands before the first one can be taken for a subject. Some are more
often nouns (`port`, `test`): these count only where they look like verbs."""

_VERB_AXES = """
like/dislike,hate,detest,loathe enable/disable,deactivate
allow/forbid,prohibit,deny,disallow,block,ban increase/decrease,reduce pass/fail,unsuccessful
work/break
include/exclude,omit accept/decline,reject,refuse agree/disagree trust/distrust open/close,shut
recommend/discourage connect/disconnect encrypt/decrypt compress/decompress appear/disappear
approve/disapprove lock/unlock attach/detach show/hide win/lose remember/forget rise/fall
arrive/depart enter/leave,exit upgrade/downgrade expand/shrink support/oppose mount/unmount
load/unload
"""
_EITHER_OR_AXES = """
true/false possible/impossible online/offline public/private
require/optional valid/invalid present/absent,missing stable/unstable secure/insecure
correct/incorrect compatible/incompatible available/unavailable
synchronous/asynchronous mutable/immutable active/inactive complete/incomplete
consistent/inconsistent legal/illegal regular/irregular visible/invisible dependent/independent
direct/indirect effective/ineffective local/remote internal/external alive,live/dead
same/different awake/asleep innocent/guilty
"""
_GRADED_AXES = """
safe/dangerous,unsafe fast/slow easy/hard,difficult good/bad maximum/minimum full/empty
stable/flaky correct/wrong healthy/unhealthy high/low happy/unhappy,sad strict/lenient early/late
long/short big/small new/old rich/poor strong/weak
wide/narrow thick/thin deep/shallow clean/dirty wet/dry loud/quiet cheap/expensive
simple/complex,complicated temporary/permanent static/dynamic manual/automatic
ascending/descending horizontal/vertical inner/outer hot/cold positive/negative sequential/parallel
"""
_OTHER_AXES = "before/after over/under,below more/less,fewer up/down inside/outside sync/async"
"""Positive ends / words of the denied end."""

_MERE_DENIALS = """
dislike forbid prohibit deny disallow ban fail exclude omit reject disagree distrust disapprove
forget async unsafe unhealthy
"""
"""Verbs of the denied end, and others, that say no more than that the other end is not so."""

_SYNONYMS = """
use,utilise,utilize,employ like,enjoy,love error,exception fix,repair,resolve solve,solution
pass,succeed,success,successful folder,directory repository,repo delete,remove,erase create,make
start,begin,launch,commence stop,halt show,display select,choose,pick require,need big,large,huge
small,little,tiny fast,quick,rapid configure,config application,app documentation,docs,doc
database,db environment,env production,prod development,dev authenticate,auth,login second,sec,s
millisecond,ms minute,min,m hour,hr,h day,d %,percent megabyte,mb gigabyte,gb kilobyte,kb
purchase,buy user,person,human happen,occur find,discover finish,complete crash,abort
must,should,shall,ought over,above might,may maybe,perhaps,possibly favourite,favorite
cause,lead,trigger child,kid increase,raise allow,permit answer,reply,respond,response
someone,somebody have,contain almost,nearly fetch,retrieve get,obtain try,attempt keep,retain
help,assist often,frequently usually,normally,generally,typically immediately,instantly
message,msg password,passwd variable,var parameter,param argument,arg temporary,temp,tmp
maximum,max address,addr specification,spec administrator,admin information,info certificate,cert
statistics,stats javascript,js typescript,ts postgres,postgresql woman,lady movie,film
car,automobile photo,photograph,picture bike,bicycle plane,airplane,aeroplane phone,telephone
television,tv mother,mom,mum father,dad couch,sofa advertisement,advert,ad lawyer,attorney
spokesman,spokesperson,spokeswoman speak,talk shout,yell,scream jump,leap grey,gray centre,center
licence,license catalogue,catalog company,firm happy,glad ill,sick clever,smart,intelligent
rich,wealthy many,numerous baby,infant motorcycle,motorbike stone,rock woods,forest
stare,gaze walk,stroll throw,toss marry,wed destroy,demolish injure,wound weep,cry search,seek
afraid,scared,frightened whole,entire blonde,blond wood,wooden wool,woolen,woollen mix,blend
government,govt arrest,detain jail,prison policeman,cop beside,alongside tired,exhausted
doctor,physician taxi,cab truck,lorry holiday,vacation
"""
_NATIONS = """
africa,african america,american asia,asian australia,australian austria,austrian belgium,belgian
brazil,brazilian britain,british bulgaria,bulgarian canada,canadian china,chinese cuba,cuban
denmark,danish egypt,egyptian europe,european finland,finnish france,french germany,german
greece,greek hungary,hungarian india,indian indonesia,indonesian iran,iranian iraq,iraqi
ireland,irish israel,israeli italy,italian japan,japanese kenya,kenyan korea,korean
lebanon,lebanese libya,libyan mexico,mexican nigeria,nigerian norway,norwegian pakistan,pakistani
portugal,portuguese romania,romanian russia,russian scotland,scottish spain,spanish sweden,swedish
syria,syrian thailand,thai ukraine,ukrainian vietnam,vietnamese
"""
"""Countries, and what is of them: "Egypt's president", "the Egyptian president"."""

_IRREGULAR = """
become,became begin,began,begun bite,bit,bitten blow,blew,blown break,broke,broken bring,brought
build,built buy,bought catch,caught choose,chose,chosen come,came deal,dealt do,did,done
draw,drew,drawn drink,drank,drunk drive,drove,driven eat,ate,eaten fall,fell,fallen feel,felt
fight,fought find,found fly,flew,flown forbid,forbade,forbidden forget,forgot,forgotten
freeze,froze,frozen get,got,gotten give,gave,given go,went,gone grow,grew,grown have,had
hear,heard hide,hid,hidden hold,held keep,kept know,knew,known lead,led learn,learnt
lend,lent lose,lost make,made mean,meant meet,met pay,paid ride,rode,ridden ring,rang,rung
rise,rose,risen run,ran say,said see,saw,seen seek,sought sell,sold send,sent shake,shook,shaken
shoot,shot show,showed,shown sing,sang,sung sink,sank,sunk sit,sat sleep,slept speak,spoke,spoken
spend,spent stand,stood steal,stole,stolen stick,stuck swear,swore,sworn swim,swam,swum
take,took,taken teach,taught tear,tore,torn tell,told think,thought throw,threw,thrown
understand,understood wake,woke,woken wear,wore,worn win,won write,wrote,written
"""
"""Verbs: present, past, participle where it is another."""

_FORMS = """
child,children person,people man,men woman,women foot,feet mouse,mice index,indices
matrix,matrices criterion,criteria have,has slow,slower,slowest fast,faster,fastest
big,bigger,biggest large,larger,largest small,smaller,smallest high,higher,highest
low,lower,lowest early,earlier,earliest late,later lose,loses use,used,using do,does
"""

PARTICIPLES = frozenset(forms[-1] for forms in map(_members, _IRREGULAR.split())) | _listed(
    "cut hit hurt put read run set shut split cast become come"
)
"""Participles of verbs that do not end in `ed`."""

PASTS = _listed("was were been") | {forms[1] for forms in map(_members, _IRREGULAR.split())}
"""Past forms that do not end in `ed`."""

QUANTITIES = _listed("""
all any both each half many most much none one other part piece several some kind sort type number
lot lots couple few group pair set out because instead front side top bottom end
""")
"""Words before `of` that are no thing that belongs to another."""

_NUMBERS = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""

NUMBERS = {word: str(value) for value, word in enumerate(_NUMBERS.split(), 2)} | {
    word: str(value)
    for value, word in zip(
        (20, 30, 40, 50, 60, 90, 100),
        ("twenty", "thirty", "forty", "fifty", "sixty", "ninety", "hundred"),
        strict=True,
    )
}
"""Number words; `one` is more often a pronoun."""

IRREGULAR = {
    form: forms[0] for forms in map(_members, (_FORMS + _IRREGULAR).split()) for form in forms[1:]
}

_SUFFIXES = (
    "ements", "ement", "ations", "ation", "itions", "ition", "ments", "ences", "ence", "ances",
    "ance", "ions", "ion", "ures", "ity", "ness", "ly",
    "ment", "ure",  # codespell:ignore ment,ure
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A light English stem: what is left without plural, tense and endings of nouns of verbs."""
    word = IRREGULAR.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return stem(word[: -len(suffix)]) if suffix == "ly" else word[: -len(suffix)]
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("ches", "shes", "sses", "xes", "zes")):
        word = word[:-2]
    elif (
        word.endswith("s")
        and (not word.endswith(("ss", "us", "is")) or word.endswith(("jis", "kis", "pis")))
        and len(word) > 3
    ):
        word = word[:-1]
    for suffix in ("ing", "ied", "ed"):
        body = word[: -len(suffix)]
        if (
            word.endswith(suffix)
            and not word.endswith("eed")
            and len(body) >= 3
            and re.search("[aeiouy]", body)
        ):
            word = body + "y" if suffix == "ied" else body
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if word.endswith("iz") and len(word) > 4:
        word = word[:-1] + "s"
    elif word.endswith("our") and len(word) > 4:
        word = word[:-2] + "r"
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


_ADJECTIVE_AXES = f"{_EITHER_OR_AXES} {_GRADED_AXES}"
_AXES = f"{_VERB_AXES} {_ADJECTIVE_AXES} {_OTHER_AXES}"


def _united() -> dict[str, tuple[str, bool]]:
    leader = {
        stem(word): stem(group[0])
        for group in map(_members, f"{_SYNONYMS} {_NATIONS}".split())
        for word in group
    }
    united = {word: (first, False) for word, first in leader.items()}
    for axis in _AXES.split():
        positive, _, negatives = axis.partition("/")
        first = leader.get(stem(positive), stem(positive))
        united[stem(positive)] = (first, False)
        united |= {stem(word): (first, True) for word in _members(negatives)}
    return united


UNITED = _united()
"""Stem → the stem that stands for it, and whether it is the denied end of its axis."""

MERE_DENIALS = frozenset(
    stem(word)
    for word in (
        *_MERE_DENIALS.split(),
        *(word for axis in _EITHER_OR_AXES.split() for word in axis.partition("/")[2].split(",")),
    )
)
"""Stems of the denied end that say no more than "not" before the other end: what is not public is
private. But what is not fast need not be slow."""

STATES = _listed("disabled deactivated closed shut unlocked disconnected detached hidden unmounted")
"""Participles that say so of what is, not of what is done: what is not open is closed, but who did
not open a door need not have closed one."""

POLAR = frozenset(stem(word) for word in re.split(r"[\s/,]+", _AXES.strip()))
"""Stems of the ends of all axes."""

ADJECTIVES = frozenset(stem(word) for word in re.split(r"[\s/,]+", _ADJECTIVE_AXES.strip()))
"""Those of adjectives."""

_KINDS = """
pet: dog cat hamster parrot rabbit puppy kitten budgie tortoise
animal: dog cat hamster parrot rabbit puppy kitten horse cow pig goat sheep chicken duck
meat: beef pork chicken lamb steak bacon ham sausage turkey veal salami
fish: salmon tuna trout cod herring
alcohol: beer wine whisky whiskey vodka gin rum champagne cider brandy
sibling: brother sister
child: son daughter
vehicle: car motorcycle truck van
instrument: guitar piano violin cello flute drum trumpet saxophone
fruit: apple banana pear cherry strawberry plum peach mango
vegetable: carrot broccoli spinach cabbage onion tomato
nut: almond walnut hazelnut cashew
database: postgres mysql mariadb sqlite mongodb
tool: hammer saw drill screwdriver
"""


def _kinds() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _KINDS.strip().splitlines():
        kind, _, members = line.partition(": ")
        for member in members.split():
            found.setdefault(united(member), set()).add(united(kind))
    return {member: frozenset(kinds) for member, kinds in found.items()}


def united(word: str) -> str:
    """The stem that stands for a word."""
    return UNITED.get(stem(word), (stem(word), False))[0]


KINDS = _kinds()
"""Stem → stems of the kinds of things that it is one of: who has no pet has no dog."""

UNITS = frozenset(
    united(unit)
    for unit in ("second", "minute", "hour", "day", "week", "month", "year", "%", "millisecond")
) | {"kilobyte", "megabyt", "gigabyt", "unit=KB", "unit=MB", "unit=GB"}
"""What is counted in a value: it belongs to the number before it."""

VERBS = frozenset(stem(verb) for verb in _VERBS.split())
"""Stems of common verbs."""

DIRECTION_STEMS = frozenset(map(united, DIRECTIONS))


def stems(words: frozenset[str]) -> frozenset[str]:
    """The stems that stand for words."""
    return frozenset(map(united, words))


UNAGENTS = frozenset(
    map(
        stem,
        _listed("""
        sort order group index partition key filter rank multiply divide increase decrease reduce
        raise cut default hand name date mistake time id size mail email phone far then now design
        accident chance law week month year day monday tuesday wednesday thursday friday saturday
        sunday tomorrow tonight noon midnight means way
        """),
    )
)
"""Verbs whose `by` tells how or how much, and words before which it tells no agent."""

SHADES = ((_listed("should ought"), _listed("must shall")), (_listed("yet"), _listed("anymore")))
"""Words that are one when something is denied, but say something else: not yet, no more."""

OBLIGING = SHADES[0][0] | SHADES[0][1]
"""Words of which it matters whether they are denied, or what follows: "need not", "must not"."""

WEAK = stems(_listed("some someone something sometimes often many several most mostly usually"))
"""Quantities that `none` denies."""

CONDITIONS = stems(_listed("if when whenever until while whether unless or once"))
"""Words by which a clause may not be asserted."""

CONTRASTS = stems(_listed("although though whereas because since"))
"""Words by which a clause is added to another; it is asserted all the same."""

TENTATIVE = stems(_listed("might maybe whether wonder"))
"""Words by which nothing is asserted."""

ONE_WAY = stems(_listed("than over before replace precede follow exceed beat outperform supersede"))
"""What holds one way round only."""

ADJUNCTS = (RELATIONS - {"of"}) | stems(
    _listed("from into over before since by via during through")
)
"""Words that begin a part which can change places with another such part."""

_AROUND = """
onto beside along across around near behind inside outside between among against toward
"""
PLACES = ADJUNCTS | {"of"} | stems(_listed(_AROUND))
"""Words before a place, a time or the like."""
