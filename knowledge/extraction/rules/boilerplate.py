"""How much a word says about what a text is about: a fixed background of English, in three steps.

Words of grammar and of requests weigh 0 and cut phrases; common words weigh 1 and can only be part
of a phrase; all others weigh 3. It ships with the rule, so no other conversation can change what
is found in one. The lists were written for this project.
"""

from functools import lru_cache

from cairn.knowledge.nlp.text import STOP_WORDS

_REQUEST_LIST = """
accept according actually add adjust agree allow answer apply appear ask assume attach avoid based
basically begin believe big break bring build buy call care cause change check choose clean clear
click close commit compare complete confirm consider contain continue copy cover create cut deal
decide define delete depend describe did different difficult directly disable discuss download
draft drop easily easy edit enable end ensure enter especially exactly exist expect explain
explore fail fast feel fetch figure fill finally find fine finish fit fix follow force forget
format found full fully generally generate good grab great guess handle happen happy hard hate
have help hide high hope ignore imagine implement important improve include incorrect inside
install instead interesting introduce investigate join keep kill large launch lead learn leave
left like list listen load long look lose love low main maintain manage match mean mention merge
miss modify more move nice notice offer old open order pass pay perfect pick plan play please
point possible prefer prepare present press prevent print probably produce properly propose
provide publish pull push quickly quite raise reach read ready real realize reason receive
recently recommend record redo reduce refer refactor regarding release remain remember remove
rename repeat replace reply report request require research resolve respond restart result return
revert review rewrite right run save scroll search second seem select send separate set setup
share short show similar simple simply single skip slow small solve sort sound speak spend split
start state stay step stop store submit suggest suppose support sure switch talk teach tell test
think tidy touch track translate trigger true turn type understand undo unfortunately update
upgrade upload usually validate various verify visit wait walk warn wish wonder work worry write
wrong able absolutely afraid amazing available aware awesome bad beautiful best better busy
careful certain common complex cool correct current currently dear deep definitely delicious early
enjoy entire exact exciting extra extremely false favorite favourite final former free fresh funny
general glad helpful huge incredible initial interested late latter likely little local lovely
lucky maximum minimum multiple near necessary new next normal obvious obviously official original
past personal pretty previous proper random recent relevant sad safe sensible serious several
special specific strange strong stuck successful suitable terrible tired total unable unique
unusual upset useful usual warm weird whole wonderful worth young hmm wow hello hi hey bye yep
nope cheers sorry welcome thank thanks congratulations maybe today tomorrow yesterday tonight
morning afternoon evening night week weekend month year day hour minute monday tuesday wednesday
thursday friday saturday sunday january february march april june july august september october
november december one two three four five six seven eight nine ten hundred thousand million first
last third fourth half double lot bit lots couple few sometimes always never often ago already yet
lately soon later earlier forward together everyone everybody someone somebody nobody anything
something everything nothing thing stuff kind way ways idea ideas people person guy guys man men
woman women a.m p.m e.g i.e etc eg ie vs via per aka alright besides haha goodbye otherwise anyway
gain encounter try tried taking felt heard communicate collect collecting confuse excite calm
comfortable anxious lonely healthy creative practical natural famous ancient difficulty
difficulties attitude recommendation recommendations accommodation celebrate refresh relax basic
daily efficient effective meaningful confident nervous proud grateful honest patient peaceful
quiet rich sincere smart smooth stressful tasty traditional wise online offline cancel cancellation
appreciate apologize assist assistant chatbot claude companion assistance exchange downgrade spoken
lenient outdoor indoor brief neat id ids live wherever whenever whoever ahead gather opposite
cheapest fastest slowest lowest highest largest smallest biggest oldest newest earliest closest
nearest longest shortest additional alternative direct duplicate
"""

_COMMON_LIST = """
attribute certificate command constraint description detail focus flight gear macro passenger
reservation suitcase
access account accuracy act action activity address advice afternoon age agent air amount analysis
animal app application approach area argument army art article aspect attention author background
bag balance ball bank bar base basis bath beach bed behavior behaviour benefit bird birth block
blood board boat body book boss bottle bottom box boy brain branch breakfast brother bug building
bus business button cache cake camera camp capital car card career cat category center centre
century chair challenge chance chapter character chat child children choice church city class
client clothes club code coffee collection color colour column comment community company computer
concept concern condition conference config configuration connection console contact content
context control conversation cookie corner cost count country course credit culture cup customer
dad daddy damage dance data database date daughter dead death debt decision default degree
department dependency deployment design desk detail details development device diet difference
dinner direction directory discussion disease distance doc docs doctor document documentation dog
dollar door dream dress drink driver duty ear earth education effect effort egg element email
emotion employee energy engine engineer entry environment equipment error event evening evidence
example exam exception exercise experience expert explanation expression eye face fact factor
failure faith family fan farm father fear feature feedback feeling field film finger fire fish
flag floor flow flower folder food foot form forest friend front fruit fun function future game
garden gas gift girl glass goal god gold government grade grandmother grandfather grass ground
group growth guest guide habit hair hall hand head health heart heat height history hobby hole
holiday home horse hospital host hotel house human husband ice image impact implementation
improvement inch income increase index industry info information input instance instruction
instructions insurance interest interface internet interview investment island issue item job
journey joy judge key kid kids kitchen knowledge label lab lady lake land language law lawyer
layer leader lesson letter level library license life light limit line link lips literature loan
location log logic logs loss lunch machine magazine mail manager manner map market marriage master
material matter meal meaning measure meat media medicine meeting member memory menu message metal
method middle mind mission mistake mode model module moment money mom mood mother mountain mouth
movement movie museum music name nation nature neck need neighbor network news newspaper noise
north note notes number object objective office oil online operation opinion opportunity option
options organization output owner package page paint painting pair paper parameter parent parents
park part partner party path patient pattern peace performance period phone photo phrase picture
piece pipeline place plant plate player plenty poem poet police policy pool population position
possibility post potential power practice pressure price principle priority private problem
procedure process product production profession professor profile program project promise proof
property proposal protection public purpose quality quantity query question race radio rain range
rate ratio reader reality recipe record reference region relation relationship repo repository
resource response responsibility rest restaurant rice risk river road role room root row rule sale
sample sand scale scene schedule school science screen script sea season seat section security
sentence series server service session setting settings sex shape sheet ship shirt shoe shop shot
side sign signal sir sister site situation size skill skills skin sky sleep smile snow society
software soil soldier solution son song soul source south space speaker speech speed sport spring
staff stage standard star statement station status story strategy stream street stress string
structure student study style subject success sugar suggestion summary summer sun surface surprise
survey sweet syntax system table talent target task tasks taste tax tea teacher team technique
technology telephone temperature template term terminal tests text theory thought thread ticket
time timeline tip tips title token tool tools tooth top topic tour town toy track trade tradition
traffic train training transport travel tree trip trouble truth turn type unit university update
usage user users utility vacation value values variable version view village voice volume wall war
waste watch water weather web website weight west wife wind window wine winter winner wood word
words worker workflow world writer writing colleague colleagues inspiration mentality efficiency
living companion companionship emotional sauce studio budget lens birthday cuisine breath
breathing black blue brown gray green grey red white yellow fare medium numeric professional round
segment suite cheap
airline airport aisle apartment apology arrival avenue backpack baggage battery bonus border cable
cap carpet cash charger cheque classmate clinic compensation complaint confirmation contract coupon
courtesy coworker crew currency curtain delivery dentist departure deposit discount economy
emergency etiquette exhibition fate fee fever fridge funeral furniture glove gossip graduation
headache homework honesty intern invoice jacket lamp landlord luck luggage membership military
mirror monitor mortgage neighborhood nonstop outgoing oven overnight pan passport patience payment
pharmacy photograph pilot postcode prescription promotion receipt refund reimbursement rent resume
retirement romance roommate roundtrip rumor salary savings scarf secret semester shelf shipment
sidewalk silver sofa spirit storm subscription sunshine supervisor surgery tablet temple tenant
therapist transfer trousers trust tunnel umbrella unemployment upcoming voucher wallet warranty
wedding wisdom zip
"""

_REQUESTS = frozenset(_REQUEST_LIST.split())
_HASTY = frozenset(word.replace("'", "") for word in STOP_WORDS if "'" in word)
"""Contractions as people type them, without the apostrophe."""
_COMMON = frozenset(_COMMON_LIST.split())
_ENDINGS = (("ies", "y"), ("ied", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ing", ""),
            ("ing", "e"), ("ed", ""), ("ed", "e"), ("er", ""), ("er", "e"), ("ly", ""))  # fmt: skip


@lru_cache(maxsize=32_768)
def weight(word: str) -> int:
    """0 for words of grammar and requests, 1 for common words, 3 for all others."""
    folded = word.casefold().replace("’", "'")
    forms = {folded} | _stems(folded)
    if folded in STOP_WORDS or folded in _HASTY or forms & _REQUESTS:
        return 0
    return 1 if forms & _COMMON else 3


def _stems(word: str) -> set[str]:
    found: set[str] = set()
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            found.add(stem + instead)
            if ending in ("ing", "ed", "er") and stem[-1] == stem[-2]:
                found.add(stem[:-1])
    return found
