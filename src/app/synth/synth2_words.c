/* SPDX-License-Identifier: Apache-2.0 */
/* synth2_words.c - names, towns and phrases of the synthetic log, version 2.
 *
 * Given names, surnames and towns are common ones of the United States; who has which follows from
 * chance.  The surnames of planted persons and of all others have nothing in common, and no name of
 * a planted person is the beginning or the end of another's. */
#include "app/synth/synth2.h"

/* Lists of words fill their lines. */
// clang-format off
const char *const lethe_synth2_firsts[LETHE_SYNTH_FIRSTS] = {
    "harold", "agnes", "walter", "edith", "leonard", "mabel", "ernest", "gladys", "raymond",
    "phyllis", "stanley", "lorraine", "melvin", "bernice", "chester", "doris", "floyd", "eunice",
    "gerald", "marjorie", "vernon", "lucille", "wallace", "shirley", "norman", "maxine", "eugene",
    "wilma", "curtis", "rosalie", "clifford", "beatrice"};

const char *const lethe_synth2_relatives[LETHE_SYNTH_RELATIVES] = {
    "jarrett", "kimberly", "brandon", "heather", "tyler", "melissa", "dustin", "crystal", "travis",
    "brittany", "derek", "amber", "corey", "tiffany", "shawn", "lindsay"};

const char *const lethe_synth2_given[LETHE_SYNTH2_GIVEN] = {
    "james", "mary", "john", "patricia", "robert", "linda", "michael", "barbara", "william",
    "elizabeth", "david", "jennifer", "richard", "maria", "charles", "susan", "joseph", "margaret",
    "thomas", "dorothy", "christopher", "lisa", "daniel", "nancy", "paul", "karen", "mark", "betty",
    "donald", "helen", "george", "sandra", "kenneth", "donna", "steven", "carol", "edward", "ruth",
    "brian", "sharon", "ronald", "michelle", "anthony", "laura", "kevin", "sarah", "jason",
    "kimberley", "jeff", "deborah", "scott", "jessica", "eric", "cynthia", "stephen", "angela",
    "andrew", "brenda", "frank", "amy", "gregory", "anna", "joshua", "rebecca", "jerry", "virginia",
    "dennis", "kathleen", "peter", "pamela", "henry", "martha", "carl", "debra", "arthur", "amanda",
    "ryan", "stephanie", "roger", "carolyn", "joe", "christine", "juan", "marie", "jack", "janet",
    "albert", "catherine", "jonathan", "frances", "justin", "ann", "terry", "joyce", "keith", "diane"};

/* Of planted persons. */
const char *const lethe_synth2_surnames[LETHE_SYNTH_SURNAMES] = {
    "abernathy", "ackerman", "aldridge", "atwood", "babcock", "baldwin", "barlow", "barrington",
    "beasley", "blackwell", "blankenship", "boatwright", "bradshaw", "brewster", "brockman",
    "burkhart", "calloway", "carmichael", "chadwick", "chamberlain", "chandler", "clayton",
    "cochran", "colburn", "covington", "crenshaw", "cunningham", "dalrymple", "davenport",
    "dempsey", "dillard", "donaldson", "drummond", "eastman", "eberhart", "ellsworth", "emerson",
    "fairbanks", "farnsworth", "ferguson", "fitzgerald", "fletcher", "forsythe", "gallagher",
    "garrison", "gillespie", "goodwin", "greenwood", "griffith", "hackett", "haggerty", "hammond",
    "hargrove", "hathaway", "hawthorne", "henderson", "hendricks", "higgins", "hollingsworth",
    "holloway", "huffman", "hutchinson", "ingram", "jamison", "jennings", "kendrick", "kessler",
    "kirkland", "langston", "lattimore", "lockhart", "lombardo", "lundgren", "macdonald",
    "mansfield", "marlowe", "mcallister", "mccormick", "mcdaniel", "mcintosh", "merriweather",
    "middleton", "montgomery", "mulligan", "nesbitt", "newberry", "nicholson", "norwood",
    "oakley", "overstreet", "pemberton", "pendleton", "pickett", "pritchard", "prescott",
    "quigley", "radcliffe", "rafferty", "ramsey", "redmond", "remington", "ridgeway", "rockwell",
    "rosenthal", "rutherford", "satterfield", "schaeffer", "seymour", "shackelford", "sheffield",
    "sinclair", "stafford", "stanfield", "stephenson", "stockton", "sutherland", "talbot",
    "thackeray", "thornton", "treadwell", "underhill", "vandyke", "wadsworth", "weatherby",
    "whitaker", "whitfield", "winslow", "woodruff"};

/* Of everybody else. */
const char *const lethe_synth2_others[LETHE_SYNTH_SURNAMES] = {
    "smith", "johnson", "williams", "jones", "brown", "davis", "miller", "wilson", "moore",
    "taylor", "anderson", "jackson", "harris", "martin", "thompson", "robinson", "clark",
    "lewis", "lee", "walker", "allen", "wright", "scott", "adams", "baker", "nelson", "carter",
    "mitchell", "roberts", "turner", "campbell", "parker", "evans", "edwards", "collins",
    "stewart", "garcia", "martinez", "rodriguez", "hernandez", "lopez", "gonzalez", "perez",
    "phillips", "torres", "peterson", "ramirez", "barnes", "jenkins", "patterson", "flores",
    "simmons", "gonzales", "bryant", "myers", "mcdonald", "cruz", "ortiz", "gomez", "boyd",
    "dixon", "ramos", "gordon", "nguyen", "kowalski", "schultz", "oconnor", "petersen",
    "larsen", "meyer", "gutierrez", "ruiz", "alvarez", "mendoza", "vasquez", "castillo",
    "moreno", "romero", "herrera", "aguilar", "garza", "fernandez", "guzman", "munoz", "mendez",
    "salazar", "delgado", "rios", "olson", "hansen", "larson", "carlson", "schneider",
    "schroeder", "becker", "mueller", "kramer", "snyder", "schwartz", "zimmerman", "harmon",
    "mccoy", "obrien", "mckinney", "dominguez", "estrada", "espinoza", "trujillo", "velasquez",
    "nunez", "maldonado", "figueroa", "novak", "kozlowski", "wojcik", "nowak", "jankowski",
    "petrov", "tanaka", "nakamura", "kim", "tran", "pham", "hoang", "patel", "gupta", "singh",
    "hussain"};

/* Town and state. */
const char *const lethe_synth2_towns[LETHE_SYNTH_TOWNS] = {
    "chicago il", "houston tx", "phoenix az", "philadelphia pa", "san antonio tx", "san diego ca",
    "dallas tx", "san jose ca", "detroit mi", "jacksonville fl", "indianapolis in", "columbus oh",
    "austin tx", "memphis tn", "baltimore md", "fort worth tx", "charlotte nc", "el paso tx",
    "milwaukee wi", "seattle wa", "boston ma", "denver co", "louisville ky", "nashville tn",
    "las vegas nv", "portland or", "oklahoma city ok", "tucson az", "albuquerque nm", "atlanta ga",
    "fresno ca", "sacramento ca", "long beach ca", "mesa az", "kansas city mo", "cleveland oh",
    "virginia beach va", "omaha ne", "miami fl", "oakland ca", "tulsa ok", "honolulu hi",
    "minneapolis mn", "colorado springs co", "arlington tx", "wichita ks", "raleigh nc",
    "st louis mo", "santa ana ca", "anaheim ca", "tampa fl", "cincinnati oh", "pittsburgh pa",
    "bakersfield ca", "aurora co", "toledo oh", "riverside ca", "stockton ca", "corpus christi tx",
    "newark nj", "anchorage ak", "buffalo ny", "st paul mn", "lexington ky", "plano tx",
    "fort wayne in", "st petersburg fl", "glendale az", "jersey city nj", "lincoln ne",
    "henderson nv", "chandler az", "greensboro nc", "scottsdale az", "baton rouge la",
    "birmingham al", "norfolk va", "madison wi", "new orleans la", "chesapeake va", "orlando fl",
    "garland tx", "hialeah fl", "laredo tx", "chula vista ca", "lubbock tx", "reno nv", "akron oh",
    "durham nc", "rochester ny", "modesto ca", "montgomery al", "fremont ca", "shreveport la",
    "yonkers ny", "augusta ga", "tacoma wa", "spokane wa",
    "irving tx", "boise id", "little rock ar", "huntington beach ca", "amarillo tx", "tempe az",
    "grand rapids mi", "mobile al", "huntsville al", "knoxville tn", "providence ri",
    "worcester ma", "brownsville tx", "overland park ks", "santa clarita ca", "des moines ia",
    "dayton oh", "chattanooga tn", "springfield mo", "sioux falls sd", "salt lake city ut",
    "syracuse ny", "columbia sc", "fort lauderdale fl", "cape coral fl", "salem or", "eugene or",
    "pasadena tx", "ontario ca", "oceanside ca", "peoria il", "rockford il", "joliet il",
    "naperville il", "warren mi", "sterling heights mi", "flint mi", "lansing mi", "ann arbor mi",
    "evansville in", "south bend in", "gary in", "bloomington in", "muncie in", "kokomo in",
    "cedar rapids ia", "davenport ia", "waterloo ia", "dubuque ia", "topeka ks", "olathe ks",
    "lawrence ks", "salina ks", "bowling green ky", "owensboro ky", "paducah ky", "lafayette la",
    "lake charles la", "monroe la", "bangor me", "frederick md", "hagerstown md", "lowell ma",
    "fall river ma", "pittsfield ma", "kalamazoo mi", "saginaw mi", "duluth mn", "mankato mn",
    "biloxi ms", "tupelo ms", "hattiesburg ms", "joplin mo", "sedalia mo", "billings mt",
    "missoula mt", "bozeman mt", "kearney ne", "grand island ne", "elko nv", "nashua nh",
    "concord nh", "trenton nj", "camden nj", "toms river nj", "santa fe nm", "las cruces nm",
    "roswell nm", "utica ny", "ithaca ny", "elmira ny", "binghamton ny", "asheville nc",
    "wilmington nc", "hickory nc", "gastonia nc", "fargo nd", "bismarck nd", "minot nd",
    "canton oh", "youngstown oh", "mansfield oh", "zanesville oh", "lima oh", "lawton ok",
    "enid ok", "stillwater ok", "medford or", "bend or", "corvallis or", "erie pa", "scranton pa",
    "lancaster pa", "altoona pa", "johnstown pa", "pawtucket ri", "charleston sc",
    "spartanburg sc", "greenville sc", "rapid city sd", "clarksville tn", "murfreesboro tn",
    "jonesborough tn", "abilene tx", "waco tx", "tyler tx", "beaumont tx", "killeen tx",
    "odessa tx", "ogden ut", "provo ut", "st george ut", "burlington vt", "roanoke va",
    "lynchburg va", "danville va", "hampton va", "yakima wa", "bellingham wa", "kennewick wa",
    "wheeling wv", "parkersburg wv", "morgantown wv", "green bay wi", "appleton wi", "oshkosh wi",
    "racine wi", "kenosha wi", "eau claire wi", "casper wy", "cheyenne wy", "pensacola fl",
    "ocala fl", "gainesville fl", "lakeland fl", "valdosta ga", "macon ga", "dothan al"};

/* How hosts are called after a word; the last are of a kind of their own. */
const char *const lethe_synth2_host_ends[LETHE_SYNTH2_HOST_ENDS] = {
    "world.com", "online.com", "guide.com", "shop.com", "info.org", "central.com", "direct.com",
    "depot.com", "source.com", "zone.com", "society.org", "planet.com", "usa.com", "pages.net",
    "forum.net", "expert.com", "place.com", "facts.org", "express.com", "house.com", "corner.com",
    "network.com", "library.org", "club.com", "store.com", "today.com", "village.com",
    "weekly.com", "lovers.com", "mart.com", "review.com", "finder.com"};

/* Roots of WordNet that topics are taken from: the first word, its sense counted from 1, and the
 * kind of things below it. */
const lethe_synth_root lethe_synth2_roots[] = {
    {"mammal", 1, LETHE_ABOUT_ANIMAL}, {"bird", 1, LETHE_ABOUT_ANIMAL}, {"fish", 1, LETHE_ABOUT_ANIMAL}, {"reptile", 1, LETHE_ABOUT_ANIMAL}, {"insect", 1, LETHE_ABOUT_ANIMAL},
    {"flower", 1, LETHE_ABOUT_PLANT}, {"tree", 1, LETHE_ABOUT_PLANT}, {"shrub", 1, LETHE_ABOUT_PLANT}, {"herb", 1, LETHE_ABOUT_PLANT},
    {"food", 1, LETHE_ABOUT_FOOD}, {"food", 2, LETHE_ABOUT_FOOD},
    {"ill_health", 1, LETHE_ABOUT_ILLNESS}, {"disorder", 1, LETHE_ABOUT_ILLNESS}, {"symptom", 1, LETHE_ABOUT_ILLNESS},
    {"medicine", 2, LETHE_ABOUT_MEDICINE},
    {"medical_procedure", 1, LETHE_ABOUT_SURGERY},
    {"external_body_part", 1, LETHE_ABOUT_BODY}, {"bone", 1, LETHE_ABOUT_BODY}, {"muscle", 1, LETHE_ABOUT_BODY}, {"joint", 1, LETHE_ABOUT_BODY},
    {"city", 1, LETHE_ABOUT_PLACE}, {"country", 2, LETHE_ABOUT_PLACE}, {"state", 1, LETHE_ABOUT_PLACE}, {"island", 1, LETHE_ABOUT_PLACE}, {"lake", 1, LETHE_ABOUT_PLACE},
    {"furniture", 1, LETHE_ABOUT_GOODS}, {"implement", 1, LETHE_ABOUT_GOODS}, {"container", 1, LETHE_ABOUT_GOODS}, {"commodity", 1, LETHE_ABOUT_GOODS}, {"jewelry", 1, LETHE_ABOUT_GOODS}, {"equipment", 1, LETHE_ABOUT_GOODS}, {"toy", 1, LETHE_ABOUT_GOODS}, {"fabric", 1, LETHE_ABOUT_GOODS}, {"decoration", 1, LETHE_ABOUT_GOODS},
    {"vehicle", 1, LETHE_ABOUT_VEHICLE},
    {"clothing", 1, LETHE_ABOUT_CLOTHES}, {"footwear", 1, LETHE_ABOUT_CLOTHES},
    {"musical_instrument", 1, LETHE_ABOUT_MUSIC}, {"music", 1, LETHE_ABOUT_MUSIC},
    {"sport", 1, LETHE_ABOUT_SPORT}, {"diversion", 1, LETHE_ABOUT_SPORT},
    {"worker", 1, LETHE_ABOUT_JOB}, {"professional", 1, LETHE_ABOUT_JOB},
    {"writer", 1, LETHE_ABOUT_FAMOUS}, {"athlete", 1, LETHE_ABOUT_FAMOUS}, {"entertainer", 1, LETHE_ABOUT_FAMOUS}, {"leader", 1, LETHE_ABOUT_FAMOUS},
    {"insurance", 1, LETHE_ABOUT_MONEY}, {"loan", 1, LETHE_ABOUT_MONEY}, {"tax", 1, LETHE_ABOUT_MONEY}, {"payment", 1, LETHE_ABOUT_MONEY}, {"money", 1, LETHE_ABOUT_MONEY}, {"document", 1, LETHE_ABOUT_MONEY}, {"possession", 2, LETHE_ABOUT_MONEY},
    {"social_event", 1, LETHE_ABOUT_EVENT}, {"holiday", 2, LETHE_ABOUT_EVENT}, {"ceremony", 1, LETHE_ABOUT_EVENT},
    {"literary_composition", 1, LETHE_ABOUT_READING}, {"publication", 1, LETHE_ABOUT_READING}, {"writing", 2, LETHE_ABOUT_READING}, {"software", 1, LETHE_ABOUT_READING},
    {"discipline", 1, LETHE_ABOUT_STUDY}, {"language", 1, LETHE_ABOUT_STUDY}, {"religion", 1, LETHE_ABOUT_STUDY},
    {"building", 1, LETHE_ABOUT_BUSINESS}, {"school", 1, LETHE_ABOUT_BUSINESS}, {"company", 1, LETHE_ABOUT_BUSINESS},
    {"metal", 1, LETHE_ABOUT_SUBSTANCE}, {"chemical", 1, LETHE_ABOUT_SUBSTANCE},
    {NULL, 0, 0},
};

/* How people ask about things of a kind.  N is the thing; P a town, S a state, Y a year.  The rest
 * stands as it is. */
#define ADJECTIVES(...) .adjectives = (const char *const[]){__VA_ARGS__, NULL}
#define TERSE(...) .terse = (const char *const[]){__VA_ARGS__, NULL}
#define WORDY(...) .wordy = (const char *const[]){__VA_ARGS__, NULL}
const lethe_synth2_phrases lethe_synth2_about[LETHE_ABOUTS] = {
    [LETHE_ABOUT_ANIMAL] = {
        ADJECTIVES("wild", "tame", "baby", "endangered", "poisonous", "domesticated", "injured",
                   "loyal", "playful", "abandoned", "aggressive", "rare", "trained",
                   "hairless", "stuffed"),
        TERSE("N pictures", "N breeders S", "N adoption P", "N habitat", "N facts", "N diet",
              "N photos", "N rescue P", "N bite", "N sounds", "N behavior", "N species",
              "N coloring pages", "N names", "N life cycle", "N figurines", "N tracks",
              "N hunting S", "N anatomy", "N sanctuary", "N mating season", "N symbolism",
              "N cartoon", "N training", "N repellent", "N migration"),
        WORDY("what do N eat", "where do N live", "how long does a N live", "how to care for a N",
              "how to get rid of N", "how to draw a N", "N for sale in S")},
    [LETHE_ABOUT_PLANT] = {
        ADJECTIVES("blooming", "overgrown", "wilted", "variegated", "potted", "diseased", "edible",
                   "invasive", "fragrant", "shaded", "drought tolerant", "transplanted", "dried",
                   "pruned", "imported"),
        TERSE("N seeds", "N care", "N pruning", "growing N", "N bulbs", "N fertilizer", "N leaves",
              "N diseases", "N nursery P", "N hardiness zone", "N tea", "N pests", "N benefits",
              "N landscaping", "N varieties", "N blossom", "N oil", "N transplanting", "N extract",
              "N garden P", "N cuttings", "N hedge", "N wreath"),
        WORDY("how to grow N", "when to plant N", "how to prune N", "N in containers",
              "is N poisonous", "what is eating my N")},
    [LETHE_ABOUT_FOOD] = {
        ADJECTIVES("homemade", "easy", "grilled", "fried", "baked", "marinated", "organic", "fresh",
                   "frozen", "spicy", "creamy", "smoked", "unsweetened", "stuffed", "roasted",
                   "delicious", "authentic", "crunchy", "reheated", "healthy", "gourmet", "kosher",
                   "traditional", "steamed", "seasoned"),
        TERSE("N recipe", "N recipes", "N calories", "N nutrition", "N sauce", "N soup", "N salad",
              "N casserole", "N restaurant P", "N substitute", "N dip", "N cake", "N marinade",
              "N appetizers", "crock pot N", "N dessert", "N sandwich", "N stuffing", "N allergy",
              "N pie", "N shelf life", "N glaze", "N cookbook", "N festival S", "N diet",
              "N leftovers", "N garnish", "N wholesale", "N pairing"),
        WORDY("how to cook N", "how to make N", "how to freeze N", "calories in N",
              "what to serve with N", "recipe for N", "is N good for you")},
    [LETHE_ABOUT_ILLNESS] = {
        ADJECTIVES("chronic", "severe", "mild", "acute", "recurring", "undiagnosed", "contagious",
                   "congenital", "untreated", "hereditary", "incurable", "misdiagnosed",
                   "persistent"),
        TERSE("N symptoms", "N treatment", "N causes", "N medication", "N diagnosis",
              "N support group P", "N remedies", "N prevention", "N diet", "N research Y",
              "N stages", "N cure", "N vaccine", "N specialist P", "N doctors P S", "N prognosis",
              "N therapy", "N pregnancy", "N complications", "N clinical trials", "N statistics",
              "N surgery", "N awareness", "N survivors", "N relapse"),
        WORDY("symptoms of N", "what causes N", "how to treat N", "signs of N", "is N contagious",
              "living with N", "cure for N", "how to prevent N")},
    [LETHE_ABOUT_MEDICINE] = {
        ADJECTIVES("generic", "prescribed", "expired", "topical", "injectable", "natural",
                   "inexpensive", "experimental"),
        TERSE("N side effects", "N dosage", "N overdose", "N interactions", "N withdrawal",
              "N pharmacy P", "N lawsuit", "N weight gain", "N prescription", "N warnings",
              "N manufacturer", "N alternatives", "N tablets", "N recall Y", "N abuse"),
        WORDY("side effects of N", "is N addictive", "what is N used for", "how long does N last",
              "N and alcohol")},
    [LETHE_ABOUT_SURGERY] = {
        ADJECTIVES("laparoscopic", "outpatient", "elective", "unsuccessful", "painless", "cosmetic",
                   "experimental"),
        TERSE("N cost", "N recovery", "N risks", "N surgeon P", "N complications", "N procedure",
              "N scars", "N success rate", "N insurance coverage", "N before after pictures",
              "N malpractice", "N anesthesia"),
        WORDY("how is N done", "recovery from N", "what to expect after N", "alternatives to N")},
    [LETHE_ABOUT_BODY] = {
        ADJECTIVES("sore", "swollen", "itchy", "numb", "broken", "dislocated", "fractured",
                   "bruised", "stiff", "dry", "sprained", "pulled", "bleeding", "inflamed"),
        TERSE("N pain", "N exercises", "N surgery", "N anatomy", "N injury", "N cancer",
              "N infection", "N diagram", "N tattoo designs", "N spasms", "N specialist P",
              "N x ray", "N massage", "N brace", "N stretches", "N rash", "N weakness"),
        WORDY("pain in the N", "what causes N pain", "how to strengthen the N", "lump on N",
              "function of the N")},
    [LETHE_ABOUT_PLACE] = {
        ADJECTIVES("historic", "affordable", "ancient", "romantic", "luxurious", "modern", "rural",
                   "medieval", "unspoiled", "colonial"),
        TERSE("hotels N", "N map", "N weather", "flights N", "N real estate", "N vacation",
              "N tourism", "N beaches", "N population", "cheap flights N", "N restaurants",
              "N cruise", "N apartments", "N newspaper", "N hostels", "N zip code", "N airport",
              "N campgrounds", "N attractions", "N flag", "N embassy", "N nightlife", "N villas",
              "N travel guide", "N currency", "N visa", "N tours", "N museums", "flights P N",
              "N postcards", "N immigration", "N festivals", "N time zone"),
        WORDY("things to do in N", "map of N", "flights to N", "hotels in N", "moving to N",
              "weather in N", "driving directions to N", "history of N")},
    [LETHE_ABOUT_GOODS] = {
        ADJECTIVES("cheap", "used", "affordable", "handheld", "refurbished", "wooden", "adjustable",
                   "waterproof", "cordless", "inexpensive", "handmade", "decorative", "inflatable",
                   "washable", "stainless steel", "digital", "durable", "rugged", "collapsible",
                   "vintage", "secondhand", "oversized", "antique", "broken", "discounted",
                   "homemade", "personalized", "unfinished", "motorized"),
        TERSE("N reviews", "N parts", "N repair P", "N sale", "N manufacturers", "wholesale N",
              "N manual", "replacement N", "custom N", "N prices", "N catalog", "N dealers P S",
              "leather N", "N store P", "N kit", "N plans", "N rental P", "N ratings Y", "N cover",
              "plastic N", "N installation", "N warranty", "N auction", "N blueprints",
              "N supplier", "N measurements", "N assembly", "N clearance", "N collectors",
              "N patent", "N storage", "N refinishing"),
        WORDY("how to clean a N", "how to build a N", "where to buy N", "how to fix a N",
              "N for sale in S", "how does a N work", "who invented the N")},
    [LETHE_ABOUT_VEHICLE] = {
        ADJECTIVES("used", "cheap", "vintage", "restored", "armored", "customized", "wrecked",
                   "amphibious", "salvaged", "abandoned", "restorable"),
        TERSE("N parts", "N dealer P", "N rental P S", "N insurance", "N repair P", "N reviews Y",
              "N specifications", "N racing", "N models", "N engine", "N tires", "N museum",
              "N paint colors", "N trailer", "N registration S", "N accident P", "Y N",
              "N transmission", "N loan", "N auction P", "N seat covers", "N blue book"),
        WORDY("how to drive a N", "how much is a N worth", "N for sale in S", "how to paint a N",
              "history of the N")},
    [LETHE_ABOUT_CLOTHES] = {
        ADJECTIVES("cheap", "designer", "embroidered", "knitted", "sleeveless", "pleated",
                   "tailored", "padded", "plus size", "quilted", "handmade", "strapless",
                   "beaded", "discounted", "fashionable", "waterproof"),
        TERSE("N pattern", "N outlet P", "leather N", "N sizes", "mens N", "womens N", "N sale",
              "N catalog", "N boutique P", "cotton N", "N tailor P", "N fashion Y", "N wholesale",
              "kids N", "N coupon", "N rental", "N monogram", "silk N"),
        WORDY("how to sew a N", "how to wear a N", "where to buy N", "how to wash a N",
              "what to wear with N")},
    [LETHE_ABOUT_MUSIC] = {
        ADJECTIVES("acoustic", "amplified", "handmade", "classical", "vintage", "secondhand",
                   "religious", "romantic"),
        TERSE("N lessons P", "N sheet music", "N chords", "N tabs", "N recordings", "N concert P",
              "N teacher P S", "N strings", "N solo", "N tuner", "N festival Y", "N repair",
              "N ensemble", "N downloads", "N mp3", "N orchestra", "N songbook", "N scales"),
        WORDY("how to play the N", "how to tune a N", "N for beginners", "history of the N",
              "how to hold a N")},
    [LETHE_ABOUT_SPORT] = {
        ADJECTIVES("advanced", "amateur", "dangerous", "competitive", "recreational", "indoor",
                   "collegiate", "illegal", "underwater"),
        TERSE("N rules", "N lessons P", "N tips", "N equipment", "N tournament P", "N techniques",
              "N classes P", "N camp", "N videos", "N league P S", "N instructor", "N clubs P",
              "N magazine", "N championship Y", "N safety", "N gear", "N drills", "N coach P S",
              "youth N", "N uniforms", "N scholarships", "N trophies", "N strategy", "N injuries"),
        WORDY("how to learn N", "benefits of N", "rules of N", "history of N", "N for beginners",
              "how to get better at N")},
    [LETHE_ABOUT_JOB] = {
        ADJECTIVES("famous", "licensed", "certified", "retired", "experienced", "female",
                   "skilled", "unemployed", "talented", "incompetent", "bilingual"),
        TERSE("N jobs P", "N salary", "N training", "N license S", "N costume", "N school",
              "N certification", "N career", "N uniform", "N resume", "N wages", "N jokes", "N P S",
              "N interview questions", "N apprenticeship", "N union", "N gifts", "N exam",
              "N directory P", "N malpractice", "N pension", "N cover letter", "N shortage"),
        WORDY("how to become a N", "job description of a N", "gifts for a N", "N jobs in S",
              "life of a N")},
    [LETHE_ABOUT_FAMOUS] = {
        ADJECTIVES("young", "rare", "unauthorized", "forgotten"),
        TERSE("N biography", "N quotes", "N photos", "N autograph", "N death", "N childhood",
              "N books", "N interview", "N poster", "N fan club", "N timeline",
              "N letters", "N movies", "N museum", "N house", "N grave", "N family tree", "N documentary", "N paintings"),
        WORDY("who was N", "when was N born", "how did N die", "life of N", "facts about N")},
    [LETHE_ABOUT_MONEY] = {
        ADJECTIVES("deferred", "unclaimed", "private", "overdue", "affordable", "fraudulent",
                   "unpaid", "guaranteed", "delinquent", "corporate", "taxable"),
        TERSE("N rates", "N calculator", "N laws S", "N forms", "N lawyer P", "online N",
              "N advice", "N company", "N quotes", "N software", "N deduction", "N application",
              "N scams", "N comparison", "N bankruptcy", "N Y", "N assistance P", "N deadline",
              "N worth", "N template", "N records P", "N broker P", "N definition", "N exemption",
              "N appeal"),
        WORDY("how to get N", "what is N", "N for students", "N in S", "how to apply for N")},
    [LETHE_ABOUT_EVENT] = {
        ADJECTIVES("annual", "upcoming", "traditional", "outdoor", "charitable", "formal",
                   "canceled", "unforgettable"),
        TERSE("N tickets P", "N schedule Y", "N results", "N dates", "N P S", "Y N",
              "N decorations", "N invitations", "N news", "N highlights", "N party supplies",
              "N poster", "N broadcast", "N games", "N clip art", "N crafts", "N greetings",
              "N poems", "N etiquette", "N songs", "N menu", "N favors", "N cards"),
        WORDY("when is N", "history of N", "what happened at the N", "N in S", "origin of N",
              "ideas for N")},
    [LETHE_ABOUT_READING] = {
        ADJECTIVES("printable", "funny", "famous", "unabridged", "illustrated", "online",
                   "translated", "religious", "free", "banned", "handwritten", "anonymous"),
        TERSE("N examples", "N template", "sample N", "N quotes", "N generator", "N archive",
              "N editor", "N format", "N software", "N transcript", "N collection", "N download",
              "N subscription", "N publisher", "N analysis", "N summary", "N font", "N excerpts",
              "N author", "N review", "N contest Y"),
        WORDY("how to write a N", "example of a N", "N for kids", "meaning of N",
              "how to publish a N")},
    [LETHE_ABOUT_STUDY] = {
        ADJECTIVES("applied", "advanced", "experimental", "introductory", "medieval", "comparative",
                   "elementary"),
        TERSE("N theory", "N definition", "N test", "N books", "N essay", "N course P",
              "N lesson plans", "N worksheets", "N research", "N degree online", "N major",
              "N textbook", "N professor", "N vocabulary", "N glossary", "N beliefs",
              "N translation", "N conference Y", "N scholarships S", "N tutor P", "N timeline"),
        WORDY("what is N", "history of N", "introduction to N", "N in the classroom",
              "how to study N")},
    [LETHE_ABOUT_BUSINESS] = {
        ADJECTIVES("abandoned", "historic", "local", "haunted", "renovated", "prefabricated",
                   "closed", "affordable", "accredited", "nearest", "unfurnished"),
        TERSE("N P S", "N P", "N jobs P", "N blueprints", "N hours", "N directory P",
              "N floor plans", "N construction", "N address P", "N reviews", "N rates",
              "N employment P", "N franchise", "N history P", "N regulations S", "N management",
              "N lease", "N architect", "N coupons", "N opening Y", "N accreditation"),
        WORDY("N near P", "how to start a N", "N in P S", "cost of building a N", "list of N in S")},
    [LETHE_ABOUT_SUBSTANCE] = {
        ADJECTIVES("liquid", "pure", "industrial", "refined", "synthetic", "toxic", "recycled",
                   "molten", "corrosive"),
        TERSE("N uses", "N properties", "N suppliers", "N poisoning", "N density", "N removal P",
              "N recycling", "N melting point", "N stain", "N exposure", "N prices", "N mining",
              "N detector", "N formula", "N experiment", "N allergy", "N coating", "N hazards"),
        WORDY("what is N", "how is N made", "how to remove N", "effects of N",
              "N in drinking water")},
};

const char *const lethe_synth2_family[LETHE_SYNTH2_FAMILY] = {
    "G F", "G M F", "G F P", "G F S", "G F genealogy", "G F family tree", "G F obituary", "G F resume",
    "G F photos", "G F biography", "G F phone number", "G F address", "F reunion P", "dr F P",
    "F funeral home P", "G F wedding", "G F high school reunion", "G F P S", "G F attorney", "judge G F",
    "F census S", "G F arrest", "F plumbing P", "F realty P", "G F website"};

const char *const lethe_synth2_local[LETHE_SYNTH2_LOCAL] = {
    "V P", "V P", "P S V", "V P S", "P V", "V in P", "V near P S", "P S"};
const char *const lethe_synth2_services[LETHE_SYNTH2_SERVICES] = {
    "high school", "weather", "hospital", "newspaper", "public library", "pizza", "real estate",
    "movie theater", "police department", "hotels", "restaurants", "florist", "apartments",
    "post office", "dentist", "homes for sale", "property tax", "auto repair", "veterinarian",
    "city hall", "funeral home", "day care", "lawn service", "church", "plumber",
    "chamber of commerce", "bowling alley", "community college", "bus schedule", "golf course",
    "hair salon", "storage units", "craft fair", "tanning", "karaoke", "concerts", "marathon",
    "tire shop", "roofing", "zoning map", "obituaries", "county jail", "dance studio", "skating rink",
    "courthouse", "radio station", "airport parking", "pawn shop", "catering", "dog park",
    "museum", "used cars", "electrician", "landscaping", "gymnastics", "pharmacy", "optometrist",
    "carpet cleaning", "moving companies", "bakery", "swimming pool", "limousine", "paintball"};

/* What everybody asks, beside sites; the commonest first. */
const char *const lethe_synth2_common[LETHE_SYNTH2_COMMON] = {
    "weather", "lyrics", "dictionary", "white pages", "yellow pages", "horoscope", "free games",
    "jokes", "maps", "baby names", "jobs", "used cars", "song lyrics", "recipes", "movie times",
    "driving directions", "lottery results", "cheap flights", "zip codes", "area codes", "poems",
    "tattoos", "internet", "people search", "reverse phone lookup", "free ringtones",
    "screensavers", "the bible", "currency converter", "prom dresses", "mortgage calculator",
    "american idol", "daylight savings time", "memorial day", "easter", "mothers day",
    "celebrity gossip", "hairstyles", "cinco de mayo", "st patricks day", "tax forms",
    "unclaimed money", "airline tickets", "world cup", "crossword puzzles", "clip art",
    "ringtones", "sudoku", "food network", "social security", "home depot coupons", "gas prices",
    "horse racing", "music videos", "wedding dresses", "thesaurus", "online dating",
    "credit report", "greeting cards", "nascar", "basketball scores", "solitaire", "funny videos"};
// clang-format on
