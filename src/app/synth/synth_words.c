/* SPDX-License-Identifier: Apache-2.0 */
/* synth_words.c - the words of the synthetic log that WordNet does not have.
 *
 * Towns and surnames are put together from two halves, so that none of them is anybody's; the
 * halves of those that may be planted and of all others have nothing in common. */
#include "app/synth/synth_internal.h"

/* Lists of words fill their lines. */
// clang-format off
const char *const lethe_synth_firsts[LETHE_SYNTH_FIRSTS] = {
    "thelma", "harold", "agnes", "walter", "edith", "leonard", "mabel", "ernest", "gladys",
    "raymond", "phyllis", "stanley", "lorraine", "melvin", "bernice", "chester", "doris", "floyd",
    "eunice", "gerald", "marjorie", "vernon", "lucille", "wallace", "shirley", "norman", "maxine",
    "eugene", "geraldine", "curtis", "rosalie", "clifford"};

const char *const lethe_synth_relatives[LETHE_SYNTH_RELATIVES] = {
    "jarrett", "kimberly", "brandon", "heather", "tyler", "melissa", "dustin", "crystal", "travis",
    "brittany", "derek", "amber", "corey", "tiffany", "shawn", "lindsay"};

const char *const lethe_synth_family[16] = {
    "arn", "bram", "cald", "darn", "elm", "fent", "garr", "hask", "inch", "kell", "lund", "mott",
    "norr", "pell", "quim", "rud"};
const char *const lethe_synth_family_end[8] = {
    "oway", "istead", "ensby", "ablon", "urther", "ickson", "omire", "edahl"};
const char *const lethe_synth_other_end[8] = {
    "owitz", "elmann", "inski", "arelli", "opoulos", "etsky", "iguez", "uccio"};

const char *const lethe_synth_town[16] = {
    "ash", "birch", "cedar", "dunn", "elder", "fern", "glen", "hazel", "ivy", "juniper", "kings",
    "lark", "maple", "north", "oak", "pine"};
const char *const lethe_synth_town_end[16] = {
    "bury", "combe", "dale", "erton", "ville", "ham", "hurst", "ington", "leigh", "mere", "mont",
    "port", "stead", "thorpe", "wick", "burg"};

const char *const lethe_synth_states[LETHE_SYNTH_STATES] = {
    "al", "ga", "fl", "tx", "ny", "pa", "oh", "mi", "nc", "va", "tn", "ky", "mo", "wi", "mn", "az"};

const char *const lethe_synth_adjectives[LETHE_SYNTH_ADJECTIVES] = {
    "new", "cheap", "online", "used", "best", "american", "waterproof", "cordless", "stainless",
    "digital", "homemade", "beautiful", "funny", "famous", "healthy", "elegant", "local",
    "portable", "electric", "wooden", "affordable", "adjustable", "washable", "outdoor", "reliable",
    "printable", "inexpensive", "handmade", "old", "organic", "secondhand", "unusual", "oversized",
    "safe", "easy", "handheld", "traditional", "authentic", "decorative", "inflatable", "wireless",
    "rare", "fresh", "tropical", "spicy", "legal", "historic", "educational", "free", "trendy",
    "southern", "tiny", "medieval", "christian", "european", "colorful", "durable", "foreign",
    "seasonal", "antique", "comfortable", "unique", "latest"};

const char *const lethe_synth_modifiers[LETHE_SYNTH_MODIFIERS] = {
    "pictures", "recipes", "prices", "history", "reviews", "supplies", "lyrics", "information",
    "store", "sale", "parts", "games", "club", "jobs", "school", "symptoms", "treatment", "repair",
    "magazine", "clipart", "coupons", "catalog", "software", "patterns", "facts", "company",
    "rental", "service", "association", "directory", "dealers", "schedule", "museum", "costumes",
    "lessons", "ideas", "kits", "training", "definition", "videos", "books", "shop", "county",
    "center", "list", "design", "manual", "insurance", "accessories", "maps", "tickets", "festival",
    "stories", "photos", "tours", "equipment", "décor", "piñata", "types", "calendar", "reports",
    "furniture", "music"};

const char *const lethe_synth_verbs[LETHE_SYNTH_VERBS] = {
    "make", "buy", "grow", "find", "build", "remove", "fix", "choose", "sell", "clean", "install",
    "learn", "raise", "prevent", "identify", "prepare", "store", "obtain", "write", "become",
    "improve", "avoid", "restore", "measure", "paint", "draw", "apply", "adopt", "repair", "donate",
    "compare"};

const char *const lethe_synth_services[LETHE_SYNTH_SERVICES] = {
    "high school", "weather", "hospital", "newspaper", "public library", "pizza", "real estate",
    "movie theater", "police department", "hotels", "restaurants", "florist", "apartments",
    "post office", "dentist", "homes for sale", "property tax", "auto repair", "veterinarian",
    "city hall", "funeral home", "day care", "lawn service", "church", "plumber",
    "chamber of commerce", "bowling alley", "community college", "bus schedule", "golf course",
    "hair salon"};

/* The head: sites that everybody goes to, the most popular first; and after them words. */
const char *const lethe_synth_sites[LETHE_SYNTH_SITES] = {
    "google", "yahoo", "ebay", "mapquest", "myspace", "quickmail", "amazon", "homepages",
    "weatherwatch", "craigslist", "petalbank", "dogpile", "hotlist", "jobfinder", "carlotonline",
    "freegreetings", "tripledger", "moviephones", "bigfurniture", "walkmart", "ticketbarn",
    "songwords", "recipebin", "kidscorner", "netauction", "phonefinder", "sportsbeat", "firstunion",
    "pogogames", "newsdesk", "travelnest", "ancestrybook", "wikinotes", "clipartbox",
    "mortgageport", "autoshopper", "gamehollow", "healthpages", "stockticker", "shoebarn",
    "collegenet", "schoolmates", "photobin", "babysteps", "teleflower", "postalrates",
    "savingsbank", "quiltworld", "homeloft", "cellplans", "couponclip", "creditscore",
    "vacationrent", "petfinders", "puzzlepage", "answerdesk", "lotterytimes", "toolshed",
    "guitartabs", "crosswordist", "paintchips", "coinshow", "garageband"};
const char *const lethe_synth_common[LETHE_SYNTH_COMMON] = {
    "weather", "lyrics", "dictionary", "white pages", "yellow pages", "horoscope", "free games",
    "jokes", "maps", "baby names", "jobs", "used cars", "song lyrics", "recipes", "movie times",
    "driving directions", "lottery results", "cheap flights", "zip codes", "area codes", "poems",
    "tattoos", "internet", "people search", "reverse phone lookup", "free ringtones",
    "screensavers", "the bible", "currency converter", "prom dresses", "mortgage calculator"};

/* Harmless each, and asked by several; see synth_plant.c.  Every text has two words or more. */
const char *const lethe_synth_pool[LETHE_SYNTH_POOLS][LETHE_SYNTH_POOL] = {
    {"landscapers nearby", "mulch by the yard", "when to prune roses", "moss in the lawn",
     "dogwood blight", "tomato cages", "keeping deer out", "crabgrass killer", "azalea care",
     "gutter guards", "rain barrel kit", "shade perennials", "grubs in soil", "wisteria pruning",
     "raised garden bed", "lawn aeration", "bagworms on trees", "hydrangea color",
     "compost smells bad", "termite swarm", "mole traps", "seed potatoes", "bird bath heater",
     "weeping cherry", "fescue or bermuda", "boxwood hedge", "slug bait", "planting bulbs",
     "hummingbird nectar", "poison ivy vine", "tree stump removal"},
    {"dog that urinates on everything", "cat sneezing a lot", "senior dog food",
     "puppy crate training", "parakeet losing feathers", "humane society adoption",
     "dog allergic to fleas", "kitten not eating", "fish tank cloudy", "beagle howling",
     "hamster lifespan", "litter box odor", "dog ear infection", "invisible fence",
     "heartworm pills", "lost cat tips", "dog grooming clippers", "cat scratching couch",
     "rabbit hutch plans", "old dog limping", "shih tzu haircut", "pet boarding rates",
     "dog afraid of thunder", "cat urinary blockage", "guinea pig bedding", "turtle shell soft",
     "dachshund back problems", "pet cremation", "dog bad breath", "feral cats", "ferret biting"},
    {"numb fingers", "hand tremors", "nicotine effects on the body", "dry mouth at night",
     "swollen ankles", "bipolar disorder signs", "ringing in ears", "frozen shoulder exercises",
     "gout diet", "shingles rash", "kidney stone pain", "thyroid levels", "hot flashes",
     "blood thinner foods", "sleep apnea mask", "cataract recovery", "plantar fasciitis",
     "vertigo causes", "leg cramps at night", "acid reflux pillow", "hearing aid batteries",
     "knee replacement rehab", "restless legs", "carpal tunnel splint", "heel spur",
     "floaters in eye", "low potassium", "anemia diet", "sciatica stretches", "bunion pads",
     "cortisone shot"},
    {"water heater leaking", "refinish hardwood floors", "squeaky stairs",
     "basement smells musty", "toilet keeps running", "caulk a bathtub", "replace a light switch",
     "vinyl siding cost", "roof shingles curling", "garage door opener stuck", "patch drywall",
     "low water pressure", "furnace pilot light", "sump pump alarm", "popcorn ceiling removal",
     "sticking windows", "deck stain peeling", "ceiling fan wobbles", "chimney sweep",
     "clogged drain", "wallpaper paste removal", "laminate countertop", "attic insulation",
     "thermostat wiring", "leaking skylight", "tile grout sealer", "dryer vent cleaning",
     "storm door closer", "septic tank pumping", "fence post rot", "mailbox post"},
    {"peach cobbler", "slow cooker pot roast", "sugar free fudge", "church supper casserole",
     "canning green beans", "deviled eggs", "low salt soup", "pound cake from scratch",
     "turkey brine", "zucchini bread", "cornbread dressing", "pickled okra", "chicken pot pie",
     "pressure cooker stew", "divinity candy", "three bean salad", "sourdough starter",
     "coconut cream pie", "stuffed cabbage", "oven baked ribs", "ham glaze", "potato soup",
     "diabetic cookies", "blackberry jam", "hush puppies", "meatloaf with oats", "egg custard",
     "fried green tomatoes", "apple butter", "cabbage rolls", "bundt pan"},
    {"retirement abroad", "cruise for seniors", "best season to visit italy",
     "safest place to live", "moving to the coast", "bus tours to branson", "passport renewal",
     "train across canada", "rv parks by the lake", "alaska in june", "cheap trips to hawaii",
     "termini station luggage", "all inclusive resorts", "leaf season drive",
     "travel insurance seniors", "houseboat vacation", "bed and breakfast inns",
     "river cruise germany", "jet lag remedies", "flying with oxygen", "timeshare resale",
     "walking tour london", "grand canyon mule ride", "whale watching", "packing list cruise",
     "motel with pool", "ferry timetable", "covered bridges map", "fall color train",
     "beach condo weekly", "outer banks cottages"},
    {"jury duty excuse", "water bill late", "school calendar spring break", "yard sale permit",
     "voter registration card", "recycling pickup day", "dog license fee", "county fair dates",
     "noise ordinance", "restaurant inspection scores", "boat ramp hours", "tag office hours",
     "flea market weekends", "square dance club", "farmers market hours", "bingo hall",
     "senior center lunch", "library book sale", "fire station tour", "blood drive",
     "meals on wheels", "little league signup", "swim lessons adults", "free tax help",
     "notary public", "food bank donations", "road closures", "burn permit", "community theater",
     "landfill hours", "obituaries last week"},
    {"quilt batting", "crochet baby blanket", "genealogy ship records", "model train layouts",
     "ham radio license", "stamp collection value", "piano tuning", "bridge bidding rules",
     "watercolor for beginners", "bird calls", "metal detecting finds", "coin grading",
     "cake decorating tips", "fly tying", "dollhouse kits", "scrapbook layouts",
     "antique clock repair", "polka dancing", "bowling ball drilling", "crossword help",
     "wood carving knives", "knitting abbreviations", "telescope eyepiece", "banjo chords",
     "bonsai wire", "pottery wheel", "candle wicks", "gospel quartet", "jigsaw puzzles large",
     "rock tumbler", "beekeeping starter"}};
// clang-format on
