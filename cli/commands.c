/* commands.c - the table of commands and of the options common to them. */
#include "cli.h"
#include <string.h>

const lethe_option common_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "OUT",
     .help = "the release folder to make, or - for the data alone on standard output"},
    {.name = "force",
     .type = LETHE_OPT_FLAG,
     .help = "replace an existing release, or the file to be written"},
    {.name = "from",
     .type = LETHE_OPT_CHOICE,
     .arg = "aol|csv|jsonl|ubi|records|table",
     .help = "format of the input, where its content does not tell"},
    {.name = "delimiter",
     .type = LETHE_OPT_TEXT,
     .arg = "C",
     .help = "what parts the columns (guessed; 'tab' for a tab)"},
    {.name = "columns",
     .type = LETHE_OPT_TEXT,
     .arg = "user=1,time=2,query=3",
     .help = "where the fields are, by number or name; also rank= and url="},
    {.name = "users-with",
     .type = LETHE_OPT_TEXT,
     .arg = "MIN-MAX",
     .help = "keep only users with so many clicked queries"},
    {.name = "strict-input",
     .type = LETHE_OPT_FLAG,
     .help = "stop at the first line that does not parse"},
    {.name = "keep-users",
     .type = LETHE_OPT_FLAG,
     .help = "publish users under their own names, not pseudonyms"},
    {.name = "time",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|hour|day|drop",
     .help = "how finely times are published (day; with -o -: exact)"},
    {.name = "urls",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|host|id|drop",
     .help = "how clicked URLs are published (host; disconnect: id; with -o -: keep)"},
    {.name = "key-file",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help =
         "32 bytes that key pseudonyms, hashes and seals, so that their owner can join releases",
     .secret = true},
    {.name = "map",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "write original and published names there: the owner's only way back"},
    {.name = "seed",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .max = 9e18,
     .help = "make the run reproducible; who guesses N can undo pseudonyms",
     .secret = true},
    {.name = "threads",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1024,
     .help = "how many threads work (all cores)"},
    {.name = "memory",
     .type = LETHE_OPT_SIZE,
     .arg = "SIZE",
     .min = 16777216,
     .max = 9e18,
     .help = "how much memory the work may take (half the machine's)"},
    {.name = "report",
     .type = LETHE_OPT_FLAG,
     .help = "put a page for people, report.html, into the release"},
    {.name = "json", .type = LETHE_OPT_FLAG, .help = "print one JSON object on standard output"},
    {.name = "quiet", .letter = 'q', .type = LETHE_OPT_FLAG, .help = "say nothing but errors"},
    {.name = "verbose",
     .letter = 'v',
     .type = LETHE_OPT_FLAG,
     .help = "say more; shows the content of rejected lines"},
    {.name = "no-progress", .type = LETHE_OPT_FLAG, .help = "no progress bar on a terminal"},
    {.name = "help", .letter = 'h', .type = LETHE_OPT_FLAG, .help = "show this help"},
    {0},
};

bool common_applies(const lethe_option *o, const command *c)
{
    static const char *const reading[] = {"from", "delimiter", "columns", "users-with",
                                          "strict-input"};
    static const char *const publishing[] = {"output", "key-file", "map", "report"};
    static const char *const coarsening[] = {"time", "urls"};
    if (strcmp(o->name, "keep-users") == 0) return c->takes & TAKES_USERS;
    if (strcmp(o->name, "force") == 0) return c->takes & (TAKES_PUBLISHING | TAKES_FORCE);
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (strcmp(o->name, reading[i]) == 0) return c->takes & TAKES_READING;
    for (size_t i = 0; i < sizeof coarsening / sizeof *coarsening; i++)
        if (strcmp(o->name, coarsening[i]) == 0) return c->takes & TAKES_COARSENING;
    for (size_t i = 0; i < sizeof publishing / sizeof *publishing; i++)
        if (strcmp(o->name, publishing[i]) == 0) return c->takes & TAKES_PUBLISHING;
    return true;
}

static const command tools[] = {
    {.name = "profile",
     .group = "Look at a log",
     .summary = "what is in a log, and how identifying is it?",
     .operands = "LOG...",
     .takes = TAKES_READING,
     .description =
         "Reads a search log once and shows how its queries and clicks spread over texts and "
         "users, "
         "how many users have a query that nobody else issued, and what each threshold would "
         "leave.\n\n"
         "A *query* is one user, one text and one time; several clicks of it are several rows.",
     .figures = profile_figures,
     .example = "lethe profile log.tsv.gz",
     .run = run_profile},
    {.name = "compare",
     .group = "Look at a log",
     .summary = "what would each method cost, protect and leave?",
     .operands = "LOG|RECORDS|TABLE...",
     .options = compare_options,
     .takes = TAKES_READING | TAKES_FORCE | TAKES_COARSENING | TAKES_USERS,
     .description =
         "Runs every method that takes the input (or those of *--methods*), each over some "
         "settings, in one process that reads the input once. Each run makes a release, which is "
         "checked as ever, measured, and attacked by every adversary that applies. A setting that "
         "is infeasible, or fails, is a row that says why, and not the end; exits 1 where none "
         "gave a release. An option is handed to every method, measure and adversary that has "
         "one of that name.\n\n"
         "With *-o* all of it is kept in a folder: the releases, each with its map, _study.json_, "
         "_study.csv_ and _report.html_. The folder is its owner's (the maps are the way back); "
         "what is below _releases_ can be handed out, one or the other: several releases of one "
         "log tell more than each by itself. A study that was stopped, at whatever moment, goes "
         "on when the same command is given again, and with *--seed* comes to the same result. A "
         "folder of other settings, or of an input that has changed, is refused without "
         "*--force*, which begins it anew. Without *-o* nothing is kept.\n\n"
         "_memory_ is the most that the process had while the run lasted, with what all runs "
         "share.",
     .figures = compare_figures,
     .example = "lethe compare log.tsv.gz -k 5 -o study/",
     .run = run_compare},
    {.name = "suggest",
     .group = "Look at a log",
     .summary = "which methods fit, and how are they called?",
     .operands = "LOG|RECORDS|TABLE...",
     .options = suggest_options,
     .takes = TAKES_READING,
     .description =
         "Reads a log, records or (with *--qi*) a table once, counts what is in it, and names the "
         "methods that fit what the release is for: the best first, each with what it keeps, what "
         "it promises, why it fits and a command line that can be run as it stands; then those "
         "that do not fit, and why. Without *--goal* there is one line for each goal.\n\n"
         "k and t are chosen from the counts: t so that half of what the least threshold leaves "
         "stays, k so that there are several groups. No method is run: *lethe compare* does that, "
         "and says what each costs and protects on this very input. Options for methods are part "
         "of the command lines of those that have them. Exits 1 where nothing fits.",
     .figures = suggest_figures,
     .example = "lethe suggest log.tsv.gz --goal counts",
     .run = run_suggest},
    {.name = "verify",
     .group = "Check a release",
     .summary = "does a release keep its promise?",
     .operands = "RELEASE",
     .options = verify_options,
     .description = "Compares the digests, checks that the manifest promises what its steps "
                    "promise, and decides every claim "
                    "anew from the published bytes, with code that shares nothing with the "
                    "methods. Exits 1 and shows the "
                    "first counterexample where a claim does not hold.",
     .figures = verify_figures,
     .example = "lethe verify release/",
     .run = run_verify},
    {.name = "measure",
     .group = "Check a release",
     .summary = "what is a release still good for?",
     .operands = "RELEASE",
     .options = measure_options,
     .takes = TAKES_READING,
     .description = "Lays a release beside the log it was made from and shows what is left of it: "
                    "the manifest's figures, and those of the measures that *lethe methods* lists.",
     .example = "lethe measure release/ --original log.tsv.gz",
     .run = run_measure},
    {.name = "attack",
     .group = "Check a release",
     .summary = "what can an adversary still do with a release?",
     .operands = "RELEASE",
     .options = attack_options,
     .takes = TAKES_READING,
     .description = "Runs the adversaries of the table (see *lethe methods*) against a release, "
                    "with the original as the truth. "
                    "What is drawn at random is the same each time; *--seed* chooses another "
                    "sample. "
                    "Exits 1 where none applies.",
     .example = "lethe attack release/ --original log.tsv.gz",
     .run = run_attack},
    {.name = "report",
     .group = "Check a release",
     .summary = "write a page about a release",
     .operands = "RELEASE",
     .options = report_options,
     .takes = TAKES_READING | TAKES_FORCE,
     .description =
         "Verifies a release and writes a page about it for the people who decide whether it may "
         "go "
         "out: what was done, what is promised, in words that need no mathematics, whether it "
         "holds, "
         "what it does not protect against, what was published, and a few rows as they are. With "
         "*--original* the release is laid beside what it was made from as well: what *lethe "
         "measure* "
         "and *lethe attack* find, with plots.\n\n"
         "The page is one HTML file. It loads nothing and runs nothing, reads well on paper, in "
         "the "
         "dark and on a telephone, and says beside every plot what it shows. Without *--original* "
         "it "
         "holds nothing that the release does not show, and may be handed out with it; with it the "
         "page is for the owner, and readable by them alone (mode 0600).\n\n"
         "It is written outside the release folder, which holds only what its manifest names. "
         "Exits "
         "1, and writes nothing, where the release does not keep its promise.",
     .figures = report_figures,
     .example = "lethe report release/ --original log.tsv.gz -o report.html",
     .run = run_report},
    {.name = "open",
     .group = "Look at a log",
     .summary = "open what a sealed log gives away",
     .operands = "SEALED...",
     .options = open_options,
     .takes = TAKES_FORCE,
     .description =
         "The receiver's tool for what *lethe seal* makes (see *lethe-sealed*(5)): puts the shares "
         "of each query together, and where t distinct ones are there, opens its box and writes "
         "its rows as a log, sorted, with a header. No key is needed: t shares are the key. What "
         "has fewer shares stays closed and is left out. SEALED is a file, also a compressed one, "
         "or a release folder; several are opened together, as long as they have t, n and scheme "
         "in common. Shares of different keys or epochs never combine.\n\n"
         "A line whose share or box is damaged is counted, named by number and cause, and left "
         "out; a query is never guessed. Exits 1, and writes nothing, where there is nothing to "
         "open.",
     .figures = open_figures,
     .example = "lethe seal log.tsv -t 3 -o sealed/ && lethe open sealed/ -o opened.tsv",
     .run = run_open},
    {.name = "synth",
     .group = "Other",
     .summary = "invent a log, with people planted in it",
     .operands = "",
     .options = synth_options,
     .takes = TAKES_FORCE,
     .description =
         "Writes a search log of people who do not exist, to try methods and attacks on. Its users "
         "have a few interests (parts of WordNet), repeat themselves, misspell, issue the queries "
         "that everybody issues, click on hosts that belong to their topics, and come back in "
         "sessions from March to May 2006. It is fitted to published figures of the log that AOL "
         "released in 2006 (those of *lethe profile*, for a thousand users); nothing else of that "
         "log was used.\n\n"
         "Of every 64 users one has a number planted (social security, card, phone, e-mail "
         "address), one a name and a town, and one a pattern: harmless queries, each issued by "
         "others too, that only together tell who it is. *--truth* says who they are and what "
         "gives them away; see *lethe-truth*(5). Numbers are valid by their form, and nobody's; "
         "surnames and towns are made up.\n\n"
         "With *--seed* the same options give the same bytes. Needs WordNet's dictionary files "
         "(Debian's _wordnet-base_).",
     .figures = synth_figures,
     .example = "lethe synth --users 1000 --seed 1 --truth truth.tsv -o synthetic.tsv",
     .run = run_synth},
    {.name = "key",
     .group = "Other",
     .summary = "make a key file",
     .operands = "FILE",
     .takes = TAKES_FORCE,
     .description = "Writes 32 random bytes to FILE, readable by its owner alone. With "
                    "*--key-file* they key pseudonyms and hashes, so "
                    "that the owner can join releases. Whoever has the file can do the same: keep "
                    "it, or do without.",
     .example = "lethe key my.key",
     .run = run_key},
    {.name = "methods",
     .group = "Other",
     .summary = "list methods, notions, measures and adversaries",
     .operands = "",
     .description = "Shows every method with its paper, figures and caveats, the notions that "
                    "releases can claim, and the measures and adversaries; with *--json* all of "
                    "their options too.",
     .example = "lethe methods",
     .run = run_methods},
    {.name = "help",
     .group = "Other",
     .summary = "show help on a command",
     .operands = "[COMMAND]",
     .options = help_options,
     .description = "Without a command: an overview of all of them.",
     .example = "lethe help threshold",
     .run = run_help},
    {.name = "version",
     .group = "Other",
     .summary = "show the version",
     .operands = "",
     .description = "Prints the version of program and library.",
     .example = "lethe version",
     .run = run_version},
};
enum { N_TOOLS = sizeof tools / sizeof *tools };

size_t command_count(void)
{
    size_t n = N_TOOLS;
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        n++;
    return n;
}

command command_at(size_t i)
{
    if (i < N_TOOLS) return tools[i];
    const lethe_method *m = lethe_methods()[i - N_TOOLS];
    bool of_records = m->in & LETHE_SHAPE_RECORDS, of_table = m->in & LETHE_SHAPE_TABLE,
         to_log = m->out & (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED);
    return (command){.name = m->name,
                     .group = "Make a release",
                     .summary = m->summary,
                     .operands = of_records ? "LOG|RECORDS..."
                                 : of_table ? "TABLE..."
                                            : "LOG...",
                     .options = m->options,
                     .takes = TAKES_READING | TAKES_PUBLISHING |
                              (to_log ? (unsigned)TAKES_USERS : 0u) |
                              (to_log && !m->samples ? (unsigned)TAKES_COARSENING : 0u),
                     .description = m->description,
                     .figures = m->figures,
                     .example = m->example,
                     .run = run_method,
                     .method = m};
}

bool command_find(const char *name, command *out)
{
    for (size_t i = 0; i < command_count(); i++) {
        command c = command_at(i);
        if (strcmp(c.name, name) != 0) continue;
        *out = c;
        return true;
    }
    return false;
}
