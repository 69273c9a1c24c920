"""Words of prose that is read without a model: verbs of statements, and what makes a sentence none.

All is matched on lower case, with straight apostrophes.
"""

import re
from collections.abc import Iterable

_VERB_LIST = """
absorb accept achieve act add adjust adopt affect aggregate agree aim allow analyze announce answer
apply arrive ask assign assist assume attach attract authenticate automate avoid await backport bake
balance bear become begin behave believe belong bind bite block boast boil borrow break breathe brew
bridge bring build bundle burn buy cache calculate call carry catch cause celebrate change charge
check choose climb close coexist collect combine come communicate compare compete compile compress
comprise compute configure connect consist construct consume contain continue contribute control
convert cook cooperate coordinate copy cost cover create cross cultivate cure cut damage dance date
deal decide decode decompress decrypt deduplicate defend define degrade delay delegate delete
deliver depend depict deploy deprecate derive describe detect determine develop differ digest direct
disable discover dispatch display dissolve distinguish distribute divide document dominate download
drain draw drink drive drop dry earn eat echo elect eliminate embed embrace emerge emit emphasize
employ emulate enable encode encompass encourage encrypt enforce enhance enjoy ensure enter escape
establish estimate evaluate evolve examine exceed exclude execute exhibit exist expand expect expire
explain expose extend extract face facilitate fail fall feature feed ferment fetch fight fill filter
find finish fit fix float flow fly focus follow forbid force form forward freeze fulfil function
gain gather generate germinate get give glow go govern grant grind grow guarantee guess handle
happen harm harvest hash hatch have heal hear help hide highlight hold host hum hunt identify ignore
illustrate impact implement import impose improve include incorporate increase index indicate infect
infer influence inform inherit inject insert inspect inspire install integrate interact intercept
interoperate interpret introduce invalidate invent invest investigate invite invoke involve isolate
iterate join keep kill know lack last launch lay lead leak learn leave lend let lie lift limit link
listen live load locate lock look loop lose lower maintain make manage mandate map mark match mean
measure melt merge migrate mimic minimize mirror mix monitor mount move multiply mutate name need
negate negotiate nest normalize notice notify obtain occupy occur offer open operate optimize orbit
orchestrate order organize originate outperform overcome overlap override own oxidize pack
parallelize parse partition pass pay penetrate perform permit persist pick place play poll pollinate
pollute pose possess pour power precede prefer prepare present preserve prevent print prioritize
process produce prohibit promise promote propagate protect prove provide proxy prune publish pull
purify push put query radiate raise rank reach react read rebase rebuild recall receive recognize
recommend record recover recreate recycle redirect redo reduce refer refine reflect refuse register
regulate reinforce reject relate release relieve reload rely remain remember remind remove rename
render renew reorder repair repeat replace replicate report represent reproduce require resemble
reserve reside resist resolve respect respond restart restore restrict result retain retrieve retry
return reuse reveal revolve rewrite ride ripen rise roast rotate route run sail sanitize satisfy
save scale scan schedule seal search secure seek select sell send separate serialize serve set
settle shape share shift ship show shrink shut sign simplify simulate sing sink sit skip sleep slide
slow smell sniff soak solve sort span spawn speak specialize specify spend spin split spoil spread
stabilize stand standardize start stay stem stop store stream strengthen stretch strike strip
strive structure subclass submit subscribe substitute succeed suffer suggest suit summarize
supplement supply support surpass surround survive suspend sustain swarm swim switch sync
synchronize tackle tag take talk target taste tend terminate test thicken thrive throttle throw tie
tighten tolerate touch trace track train transcribe transfer transform translate transmit transport
trap travel treat trigger try tunnel turn tweak undergo understand unify unite unlock update upgrade
upload use utilize validate vanish vary verify vibrate visit visualize wait wake walk want warn wash
watch wear weave weigh win withstand work wrap write yield
"""
_PAST_LIST = """
became began bit bought broke brought built came caught chose copied cost cut drew dropped drove
fell flew fought found froze gave got grew heard held kept knew laid led left lost made meant melted
met occurred paid planned put ran referred rose sang sank saw sent set shipped shut slid sold spent
split spoke spread spun stood stopped struck swam switched taught took went won wove wrote
"""
_PLAIN_LIST = """
allow benefit demand depend enable enhance give help improve include increase involve keep lead make
mean need offer prevent provide reduce require strengthen take teach
"""
VERBS = tuple(_VERB_LIST.split())
"""As they follow a plural."""


def third(verb: str) -> str:
    """A regular verb as it follows a singular."""
    if verb == "have":
        return "has"
    if re.search(r"(?:s|sh|ch|x|z|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def past(verb: str) -> str:
    """A regular verb in the past."""
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


def alternatives(forms: Iterable[str]) -> str:
    """A pattern for one of some words."""
    return "|".join(sorted(set(forms), key=lambda form: (-len(form), form)))


THIRD = alternatives(map(third, VERBS))
PLURAL = alternatives(VERBS)
PAST = alternatives([*map(past, VERBS), *_PAST_LIST.split()])
OF_ACTIVITY = alternatives(map(third, _PLAIN_LIST.split()))
"""What is no plural of a noun: behind `running`, `tests` is one."""

FINITE = re.compile(
    r"(?P<before>\S+) "
    r"(?:(?:also|often|usually|now|still|then|always|never|not|[a-z]+ly) )*"
    r"(?:is|are|was|were|has|have|had|can|cannot|will|does|do|did|should|must|may|might|could|would"
    r"|(?:include|require|provide|contain|consist|allow|enable|become|remain|exist|depend)s?)\b(?!-)"
)
"""A verb that may be the one of the sentence, and the word before it."""

_CLAUSE_LIST = """
and or but which that who what when where while because since as if so it they he she there
than how why whether unless until although though you users people one to not
"""
CLAUSE = frozenset(_CLAUSE_LIST.split())
"""Words that a verb stands behind which is of another clause."""

UNFIT = re.compile(
    r"""
      \b(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'll|our|ours|my|mine|me|myself|ourselves)\b
    # what depends on the text around it
    | \b(?:this|these|those|here|such(?!\ as\b)|aforementioned|latter|former)\b
    | \b(?:the\ )?(?:following|above|below)(?:\ \w+)?[.:,;)] | \bas\ follows\b
    | \bthe\ (?:following|other|same|second|third|next|answer|reason|ones?|rest)\b | \banother\b
    | \b(?:however|therefore|thus|hence|consequently|likewise|meanwhile|nevertheless|nonetheless
        |otherwise|accordingly|conversely|furthermore|moreover|instead(?!\ of\b))\b
    | ,\ (?:for\ (?:example|instance)|in\ (?:addition|contrast|turn|fact)
        |on\ the\ other\ hand),
    | \b(?:too|as\ well|either|though|then|so|that|it|them|do)\.$
    | ^(?:\S+\ ){1,5}(?:is|are|was|were)\ (?:not\ )?(?:why|how|where|when|because|that|so|then)\b
    # what another says, or nobody surely
    | \b(?:may|might|could|would|perhaps|maybe|probably|possibly|presumably|reportedly|allegedly
        |supposedly|apparently|arguably|hopefully|seem(?:s|ed)?|seemingly|appear(?:s|ed)?\ to
        |(?:un)?likely|rumou?r\w*|speculat\w+|unconfirmed|unclear|uncertain)\b
    | \b(?:is|are|was|were)\ (?:said|believed|thought|expected|supposed|assumed|claimed|reported
        |considered|planned|slated|poised)\b
    | \b(?:sa(?:ys?|id)|claim(?:s|ed)?|told|argue[sd]?|in\ (?:his|her|their)\ opinion)\b
    | ,\ according\ to\b
    # what passes with the day, or with a version
    | \b(?:yesterday|today|tonight|tomorrow|recently|ago|upcoming|right\ now|at\ the\ moment
        |coming\ soon|just\ (?:released|announced|launched)
        |(?:mon|tues|wednes|thurs|fri|satur|sun)day
        |(?:this|last|next|past)\ (?:few|several|couple|\w*\ ?(?:week|month|year|morning|evening
        |night|summer|winter|spring|fall|autumn|quarter|decade|century)))\b
    | \b(?:used\ to\ (?!\w+\ (?:an?|the)\b)|previously|incorrectly|did\ not|didn't)\b
    | \b(?:is|are|has|have)\ (?:now|no\ longer)\b
    | ^(?:\S+\ ){1,5}(?:is|are|was|were)\ (?:\w+ly\ |not\ |also\ |still\ )?
        (?!(?:some|any|every|no)thing\b)\w{2,}ing\b
    | \b(?:is|are|was|were)\ (?:not\ |still\ |currently\ |already\ )*(?:broken|down|stuck|installed
        |done|ready|happy|pleased|excited|proud|unable|sure)\b
    # advertising, and what a page says of itself
    | \b(?:click|subscribe|sign\ (?:up|in)|log\ ?in|newsletter|discount|coupon|promo|%\ off
        |free\ (?:trial|shipping)|(?:buy|order|shop)\ now|in\ stock|best[-\ ]?sell\w+
        |deals?(?!\ with)|order\ (?:your|online)|add\ to\ cart|(?:learn|read|see)\ more|find\ out
        |check\ out|get\ started|(?:contact|follow)\ us|privacy\ policy|accept\ (?:all|cookies)
        |cookie\ (?:policy|settings|preferences|notice)|all\ rights\ reserved
        |terms\ of\ (?:use|service)|copyright|sponsored|advert\w*|affiliate|limited\ time
        |look\ no\ further|award-winning|world-class|best-in-class|industry-leading|cutting-edge
        |state-of-the-art|unparalleled|game-?changer|revolutioni[sz]\w+|one-stop|stay\ tuned
        |delicious|stunning|must-have)\b
    | \b(?:is|are|was|were)\ (?:an?\ |the\ )?(?:\w+ly\ |very\ |so\ |pretty\ )*
        (?:great|awesome|amazing|fantastic|wonderful|perfect|excellent|cool|nice|brilliant
        |incredible|beautiful|lovely|superb|fun|worth|welcome|interesting)\b
    | \b(?:in|see|of)\ (?:the\ )?(?:section|chapter|figure|fig\.|table|appendix|page|post|guide
        |video|readme|documentation|docs|changelog|examples?|paper)\b
    | \b(?:article|tutorial|chapter|faq)s?\b
    | https?:// | \bwww\. | © | @ | \bplease\b | \blet's\b
    """,
    re.VERBOSE,
)
"""What no sentence has that is understood alone, and holds."""
