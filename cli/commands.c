/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the table of commands, and the options that several of them share. */
#include "cli.h"
#include <string.h>

const lethe_option common_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "OUT",
     .help = "folder for the release, or - for the data alone on standard output"},
    {.name = "force", .type = LETHE_OPT_FLAG, .help = "replace an existing release or output file"},
    {.name = "from",
     .type = LETHE_OPT_CHOICE,
     .arg = "aol|csv|jsonl|ubi|records|table",
     .help = "input format [default: detected]"},
    {.name = "delimiter",
     .type = LETHE_OPT_TEXT,
     .arg = "C",
     .help = "column separator; 'tab' for a tab [default: detected]"},
    {.name = "columns",
     .type = LETHE_OPT_TEXT,
     .arg = "user=1,time=2,query=3",
     .help = "which column holds which field, by number or name; also rank= and url="},
    {.name = "time-format",
     .type = LETHE_OPT_TEXT,
     .arg = "FORMAT",
     .help = "how times are written, such as '%d.%m.%y %H:%M' [default: detected]"},
    {.name = "encoding",
     .type = LETHE_OPT_TEXT,
     .arg = "latin1|windows-1252|utf-16|...",
     .help = "encoding of the input, by any name that iconv knows [default: detected]"},
    {.name = "users-with",
     .type = LETHE_OPT_TEXT,
     .arg = "MIN-MAX",
     .help = "keep only users who have between MIN and MAX clicked queries"},
    {.name = "strict-input",
     .type = LETHE_OPT_FLAG,
     .help = "stop at the first line that cannot be parsed; otherwise it is skipped and counted"},
    {.name = "keep-users",
     .type = LETHE_OPT_FLAG,
     .help = "publish the users' own IDs instead of pseudonyms"},
    {.name = "time",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|hour|day|drop",
     .help = "precision of published times [default: day]"},
    {.name = "urls",
     .type = LETHE_OPT_CHOICE,
     .arg = "keep|host|id|drop",
     .help = "how clicked URLs are published [default: host; for disconnect, id]"},
    {.name = "key-file",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "secret key for pseudonyms, hashes and seals, so that the owner can link releases",
     .secret = true},
    {.name = "map",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "write the original name of each published one to FILE; the owner keeps it secret"},
    {.name = "seed",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .max = 9e18,
     .help = "make the run reproducible; anyone who guesses N can reverse the pseudonyms",
     .secret = true},
    {.name = "threads",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1024,
     .help = "number of threads [default: all cores]"},
    {.name = "memory",
     .type = LETHE_OPT_SIZE,
     .arg = "SIZE",
     .min = 16777216,
     .max = 9e18,
     .help = "memory limit, such as 200M or 4G [default: half of the machine's]"},
    {.name = "report",
     .type = LETHE_OPT_FLAG,
     .help = "add a readable page, report.html, to the release"},
    {.name = "json", .type = LETHE_OPT_FLAG, .help = "print one JSON object on standard output"},
    {.name = "quiet", .letter = 'q', .type = LETHE_OPT_FLAG, .help = "print errors only"},
    {.name = "verbose",
     .letter = 'v',
     .type = LETHE_OPT_FLAG,
     .help = "print more messages, including the content of rejected lines"},
    {.name = "no-progress", .type = LETHE_OPT_FLAG, .help = "do not show a progress bar"},
    {.name = "help", .letter = 'h', .type = LETHE_OPT_FLAG, .help = "show this help"},
    {0},
};

bool common_applies(const lethe_option *o, const command *c)
{
    static const char *const reading[] = {"from",     "delimiter",  "columns",     "time-format",
                                          "encoding", "users-with", "strict-input"};
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

bool takes_tables_alone(const command *c) { return strncmp(c->operands, "TABLE", 5) == 0; }

bool common_shown(const lethe_option *o, const command *c)
{
    bool of_logs = strcmp(o->name, "columns") == 0 || strcmp(o->name, "users-with") == 0 ||
                   strcmp(o->name, "time-format") == 0;
    return common_applies(o, c) && !(of_logs && takes_tables_alone(c));
}

static const command tools[] = {
    {.name = "profile",
     .group = "Look at the input",
     .summary = "show what a log or table contains and how identifying it is",
     .operands = "LOG|TABLE...",
     .options = profile_options,
     .takes = TAKES_READING,
     .description =
         "Reads a search log once and shows how its queries and clicks spread over texts and "
         "users, how many users have a query that nobody else issued, and how much a threshold of "
         "t users would keep, for several t.\n\n"
         "A *query* is one user, one text and one time; several clicks on its results are several "
         "rows.\n\n"
         "A table (CSV with a header, any separator) is described instead if *--qi*, *--sa*, "
         "*--population* or *--from table* says so, or if its header names no user and no query "
         "column; the first line of the output says which it is. Standard input is a log unless an "
         "option says otherwise. Each row is taken for one person. A *group* is all rows with "
         "equal values of the "
         "quasi-identifiers; "
         "a row is *unique* if its group has no other. Values are compared as they stand, without "
         "spaces at their ends; an empty field and a question mark are the same missing value.\n\n"
         "Without *--qi* quasi-identifiers are proposed from the data alone: all columns that have "
         "more than one value and are neither direct identifiers (at least 90 % of the rows have a "
         "value of their own) nor free text nor named by *--sa*, ordered by how many rows they "
         "single out in pairs with each other column, at most 16. In tables of fewer than 100 "
         "rows, "
         "short numbers and dates that all differ are not taken for identifiers. Whether others "
         "can "
         "know a column's values cannot be seen from the data: decide that yourself.\n\n"
         "The *types* of columns are guessed from their values: number, date, code (digits "
         "of "
         "one length or with a leading zero, or letters and digits), category, free text (four "
         "words and more on average, most of them different), identifier.\n\n"
         "The *risks* are those of El Emam (Guide to the De-Identification of Personal Health "
         "Information, 2013) and of ARX. The *prosecutor* knows that a person is in the table: the "
         "risk of a row is 1 / size of its group. The *journalist* knows that a person is in the "
         "population of *--population*, a table with the same columns: 1 / size of the group in "
         "the population, counted at least as large as in the table; without a population it is at "
         "worst the prosecutor's. For both, highest is the largest risk of a row, mean the "
         "mean "
         "over all rows, and then the share of the rows with a risk over 20 %. The *marketer* "
         "wants to find as many people as possible: the expected share of rows found, groups / "
         "rows.\n\n"
         "For a sensitive column (*--sa*) the worst group counts: distinct l is the least number "
         "of different values in a group, entropy l is exp of the least entropy, the largest "
         "share is the theta of l+-diversity, and t is the largest distance of a group's "
         "distribution from the whole table's, half the sum of the differences (t-closeness with "
         "the equal distance). An asterisk is a value that is not told, as for *lethe check*; then "
         "entropy l and t are not shown.\n\n"
         "Combinations of up to three columns are tried within a limit of 2^30 rows looked at; if "
         "that is not enough for all columns, those are combined that separate most pairs of rows "
         "(Motwani and Xu, 2007), and the output says how many combinations were tried. A "
         "combination that singles out no more rows than a part of it is not listed. The table is "
         "kept in memory: about 10 bytes per cell and the distinct values; peak_bytes of "
         "*--json* "
         "says how much it was.",
     .figures = profile_figures,
     .example = "lethe profile patients.csv --qi age,zip,sex --sa disease",
     .run = run_profile},
    {.name = "publish",
     .group = "From an input to a decision",
     .summary = "try what could be published, choose, and publish it",
     .operands = "LOG|RECORDS|TABLE...",
     .options = publish_options,
     .takes = TAKES_READING | TAKES_PUBLISHING | TAKES_COARSENING | TAKES_USERS,
     .description =
         "Tries the chains of methods that fit the input and the goal, several k and t each; every "
         "release is checked, measured, and attacked with its map. Of those whose risk is "
         "acceptable, the one that keeps most of what matters for the goal is chosen. Its release "
         "is "
         "made on the whole input with fresh secrets, checked, and attacked again with fresh draws "
         "before it appears; if it is above the bound then, the next candidate follows.\n\n"
         "What matters: for _patterns_, how much of the frequent patterns of the original is found "
         "again; for _sessions_, how many sessions still have two different words; for _clicks_, "
         "how "
         "many clicks are left; for _counts_, how many queries are left. Of a table it is the "
         "detail of its quasi-identifiers.\n\n"
         "The *risk* is the largest upper 95 % confidence bound of success over the adversaries "
         "that "
         "find a person (*lethe methods* lists them: singling-out and linking). What can be "
         "learned "
         "about a group, and what an adversary can do who takes part, is shown and does not count. "
         "Adversaries that need a file which was not given are listed as not tried. The default "
         "of 9 % is 1 in 11, which the European Medicines Agency and Health Canada ask for "
         "published "
         "clinical data.\n\n"
         "A log of more than 3,000 users is tried on a sample of 2,000 first; what seems best "
         "there "
         "is then made and attacked on the whole. Nothing is published if less than *--least* of "
         "what matters is kept, unless *--anyway* is given, or if no candidate is below the bound; "
         "the exit status is then 1.\n\n"
         "The map, which leads back from the release to the people, is written to "
         "_FOLDER.map.tsv_, "
         "or to the file of *--map*. Keep it secret, or delete it.",
     .figures = publish_figures,
     .example = "lethe publish log.tsv.gz --goal counts -o release/",
     .run = run_publish},
    {.name = "redo",
     .group = "From an input to a decision",
     .summary = "make the same release of another input, such as next month's log",
     .operands = "RELEASE LOG|RECORDS|TABLE...",
     .options = redo_options,
     .takes = TAKES_READING | TAKES_PUBLISHING,
     .description =
         "Takes the steps and settings from the manifest of a release, makes them of another "
         "input, "
         "and checks, measures and attacks the result as *lethe publish* does; above the bound of "
         "*--risk* nothing is published. Files that the release was made with are not in its "
         "manifest and are given again: taxonomies, hierarchies, lists and keys. Without "
         "*--key-file* users get other pseudonyms than in the earlier release.\n\n"
         "Whoever is in both inputs can be looked for in both releases, and their differences may "
         "show what neither shows alone; a caveat of the release says so.",
     .figures = publish_figures,
     .example = "lethe redo release/ log.tsv.gz --risk 60% -o again/",
     .run = run_redo},
    {.name = "compare",
     .group = "Look at the input",
     .summary = "run every method and compare utility, privacy and cost",
     .operands = "LOG|RECORDS|TABLE...",
     .options = compare_options,
     .takes = TAKES_READING | TAKES_FORCE | TAKES_COARSENING | TAKES_USERS,
     .description =
         "Runs every method that accepts the input (or those of *--methods*), each with several "
         "settings, in one process that reads the input once. Each run makes a release, which is "
         "checked, measured, and attacked by every adversary that applies. A setting that is "
         "infeasible or fails becomes a row with the reason, and the study goes on; the exit "
         "status is 1 if no setting gave a release. An option is passed to every method, measure "
         "and adversary that has an option of that name.\n\n"
         "With *-o* everything is kept in a folder: the releases, each with its map, "
         "_study.json_, _study.csv_ and _report.html_. The folder is for its owner only, because "
         "the maps reverse the pseudonyms. One of the releases below _releases_ can be handed "
         "out, but not several: together they tell more than each alone. If a study is "
         "interrupted, the same command resumes it, and with *--seed* the result is the same. A "
         "folder that belongs to other settings or to an input that has changed since is refused "
         "unless *--force* is given, which starts the study again. Without *-o* nothing is "
         "kept.\n\n"
         "_memory_ is the peak memory of the process during the run, including what all runs "
         "share.",
     .figures = compare_figures,
     .example = "lethe compare log.tsv.gz -k 5 -o study/",
     .run = run_compare},
    {.name = "suggest",
     .group = "Look at the input",
     .summary = "show which methods fit this input, with the command for each",
     .operands = "LOG|RECORDS|TABLE...",
     .options = suggest_options,
     .takes = TAKES_READING,
     .description =
         "Reads a log, records or (with *--qi*) a table once, counts what it contains, and lists "
         "the methods that suit the purpose of the release, best first. Each comes with what it "
         "keeps, what it promises, why it fits, and a command line that can be run as it stands. "
         "Then follow the methods that do not fit, with the reason. Without *--goal* the output "
         "is one line per goal.\n\n"
         "k and t are chosen from the counts: t so that at least half of what the smallest "
         "threshold keeps is kept, k so that there are several groups. No method is run; *lethe "
         "compare* runs them and measures their cost and protection on this input. Options of "
         "methods are added to the command lines of the methods that have them. The exit status "
         "is 1 if nothing fits.",
     .figures = suggest_figures,
     .example = "lethe suggest log.tsv.gz --goal counts",
     .run = run_suggest},
    {.name = "hierarchy",
     .group = "Look at the input",
     .summary = "write a hierarchy for a column of a table, to edit",
     .operands = "TABLE... COLUMN",
     .options = hierarchy_options,
     .takes = TAKES_READING | TAKES_FORCE,
     .description =
         "Reads a column of a table and writes a hierarchy for its values: for *--hierarchies*, "
         "after you have edited it, or for ARX. Each row is a value and what it is generalized to, "
         "step by step, up to the root, separated by semicolons; see *lethe-table*(5). All rows "
         "have the same length. Standard error says what the column was taken for.\n\n"
         "Numbers get ranges, each width a multiple of the one before: '20-24', or '[0.5,1)' if "
         "there are decimals. Dates ('2006-03-04', '4.3.2006', and '3/4/2006' if the values show "
         "which part is the day; perhaps with a time) get months, years and decades. Codes of one "
         "length, such as ZIP codes, get prefixes, filled with stars. Numbers of one length are "
         "taken for codes if one begins with a zero or the name of the column says so. Other "
         "values are categories: with *--groups* they are placed in the groups of a list, and "
         "values that it lacks are named and stand directly below the root; without it, all "
         "do.\n\n"
         "Every value of the column is in the hierarchy, and a missing value is a leaf of its own. "
         "The file contains the values that are present: do not publish it. A release shows only "
         "the parts that it uses.",
     .figures = hierarchy_figures,
     .example = "lethe hierarchy patients.csv age --widths 5,10,20 -o trees/age.csv",
     .run = run_hierarchy},
    {.name = "verify",
     .group = "Check a release",
     .summary = "check that a release keeps its promise",
     .operands = "RELEASE",
     .options = verify_options,
     .description =
         "Compares the digests of the files with those in the manifest, checks that the manifest "
         "claims everything that its steps promise, and then decides each claim again from the "
         "published bytes, with code of its own. If a claim does not "
         "hold, the first counterexample is shown and the exit status is 1. Where the published "
         "data does not show everything that was promised, the claim holds as far as can be seen, "
         "and what is undecided is counted. If a limit of time or memory is met before the answer, "
         "it is 'not decided', and the exit status is 1.\n\n"
         "_RELEASE_ is a folder, or a tar archive of one (plain, or packed by gzip, zstd, xz or "
         "bzip2), which is unpacked into a private temporary folder; an archive with links, with "
         "files outside of one folder or with bytes behind its end is refused. A file that the "
         "manifest does not name breaks the promise, except small ones that file managers leave "
         "behind (_.DS\\_Store_, _Thumbs.db_, _desktop.ini_, _.\\_NAME_): a note names them as "
         "ignored.\n\n"
         "A manifest must be one that this version could have written for its steps, whatever "
         "version it names; see *lethe-manifest*(5). Statements that cannot be checked are shown "
         "as 'not checked' and counted.\n\n"
         "Each claim is shown with its parameters. With some parameters a claim holds of any data, "
         "or of nearly any: every query has at least t = 1 user. Such a claim is marked with what "
         "it lacks, and a release that makes no other _promises nothing_ (or next to nothing) "
         "instead of keeping its promise. The exit status is still 0: its claims do hold.\n\n"
         "*--results* is read before anything is judged; a fault in it is invalid input (exit "
         "status 3), not a fault of the release.\n\n"
         "The figures of the manifest are computed again as far as they follow from the published "
         "files. The others are the publisher's word: those that contradict the files are refused, "
         "and the rest is named (see *lethe-manifest*(5)).\n\n"
         "Numbers of leaves in the taxonomy of published records cannot be seen from the release. "
         "If a promise depends on them, they are compared with the installed WordNet or with "
         "*--taxonomy*; without a copy the answer is 'holds if taxonomy.tsv counts leaves "
         "truly'.\n\n"
         "*--caveats* also lists what the release does not protect against, as its manifest says.",
     .figures = verify_figures,
     .example = "lethe verify release/",
     .run = run_verify},
    {.name = "check",
     .group = "Check a release",
     .summary = "decide privacy notions on any table, such as k-anonymity",
     .operands = "TABLE",
     .options = check_options,
     .takes = TAKES_READING,
     .description =
         "Reads a table that lethe need not have made (CSV with a header, any separator) and "
         "decides each requirement with the code that checks releases. Each row is taken for one "
         "person. A *group* is all rows with "
         "equal values of *--qi*. If a requirement does not hold, the first row of the file that "
         "breaks it is shown with its line and group, and the exit status is 1; what the table "
         "reaches is shown in any case. Without a requirement the output is what the table "
         "reaches. A requirement about sensitive values is decided for each column of *--sa*.\n\n"
         "Values are taken as they stand, without spaces at their ends; an empty field and a "
         "question mark are "
         "the same missing value, and a value like any other. A file has no hierarchies, so "
         "30-39 "
         "is not known to include 34, and an asterisk not to include anything: rows with "
         "overlapping "
         "values are separate groups, each of which must keep the promise by itself. In a "
         "sensitive "
         "column, an asterisk is a value that is not told: it counts among the rows of its group, "
         "but is "
         "neither different from others nor too frequent.\n\n"
         "Every row must be readable: if one is not (other fields than the header, an open quote), "
         "nothing is decided, and the exit status is 3. For a release made by lethe use *lethe "
         "verify*, which knows its hierarchies.",
     .figures = check_figures,
     .example = "lethe check patients.csv --qi zip,sex --sa disease -k 5 --theta 1/2",
     .run = run_check},
    {.name = "measure",
     .group = "Check a release",
     .summary = "measure how useful a release still is",
     .operands = "RELEASE",
     .options = measure_options,
     .takes = TAKES_READING,
     .description = "Compares a release with the original it was made from and shows how much is "
                    "left: the figures of the manifest, and those of the measures that *lethe "
                    "methods* lists. The release is verified first; if it does not keep its "
                    "promise, nothing is measured and the exit status is 1.\n\n"
                    "Tables need no *--hierarchies*: what only they could tell is left out, and "
                    "the report says so (_left_out_).",
     .example = "lethe measure release/ --original log.tsv.gz",
     .run = run_measure},
    {.name = "attack",
     .group = "Check a release",
     .summary = "measure what an adversary can still learn from a release",
     .operands = "RELEASE",
     .options = attack_options,
     .takes = TAKES_READING,
     .description =
         "Runs the adversaries that *lethe methods* lists against a release, and compares what "
         "they conclude with the original. _success_ is the share of the attempts that succeed, "
         "_baseline_ that of a random choice. Random samples are the same in each run; *--seed* "
         "selects another sample. The release is verified first; if it does not keep its promise, "
         "it is not attacked. The exit status is then 1, as it is if no adversary applies.",
     .example = "lethe attack release/ --original log.tsv.gz",
     .run = run_attack},
    {.name = "report",
     .group = "Check a release",
     .summary = "write a readable page about a release or a study",
     .operands = "RELEASE|STUDY",
     .options = report_options,
     .takes = TAKES_READING | TAKES_FORCE,
     .description =
         "Verifies a release and writes a page about it, for the people who decide whether to "
         "publish it. It begins with the answer: whether the promise is kept, and what an "
         "adversary still finds, before and after. Then it shows what is left, a few rows, what "
         "the release does not protect against, what is promised (without mathematics), and the "
         "settings. With *--original* the page also shows what *lethe measure* and *lethe attack* "
         "find, with plots: of a table the loss by column, sizes of groups, values and risk "
         "before and after.\n\n"
         "The answer has a line for each kind of adversary (see *lethe*(1)), and shows the one "
         "with the highest risk. The risk is the upper 95 % confidence bound of its success "
         "(Clopper and Pearson); of inference, the part of what a guess without the release gets "
         "wrong that it tells at most (Giomi et al. 2023). It is low up to *--max-risk*, by "
         "default the 9 % (1 in 11) that the European Medicines Agency and Health Canada ask for "
         "when clinical data is published; raised up to twice that; else high. The answer is "
         "green only if the promise is kept and the risk of every kind that applies was tried "
         "and is low; amber if one is raised or was not tried; else red. *--map* is needed to "
         "try linking. Adversaries that need further files (*--results*, *--truth*) are run if "
         "these are given.\n\n"
         "The page is a single HTML file without scripts and without external resources. It suits "
         "print, dark mode and small screens, and describes every plot in text. Without "
         "*--original* it contains nothing that the release does not show, and may be handed out "
         "with it. With *--original* it is for the owner, and created with mode 0600; no row of "
         "the "
         "original is on it either. On paper it ends with lines to sign.\n\n"
         "Of a _STUDY_ that *lethe compare -o* made, it writes the page again: risk against "
         "usefulness in one plot, with what is above *--max-risk* in grey; the best runs for each "
         "purpose, with rows and commands; and all runs, the most useful first.\n\n"
         "The page must be written outside the release folder, which contains only what its "
         "manifest names. If the release does not keep its promise, nothing is written and the "
         "exit status is 1.",
     .figures = report_figures,
     .example = "lethe report release/ --original log.tsv.gz -o report.html",
     .run = run_report},
    {.name = "open",
     .group = "Other",
     .summary = "open the queries of a sealed log that enough users issued",
     .operands = "SEALED...",
     .options = open_options,
     .takes = TAKES_FORCE,
     .description =
         "For the receiver of a log made by *lethe seal* (see *lethe-sealed*(5)). Collects the "
         "shares of each query; if there are t distinct ones, opens its box and writes its rows "
         "as a sorted log with a header. No key is needed: t shares are the key. Queries with "
         "fewer shares stay closed and are left out. SEALED is a file, plain or compressed, or a "
         "release folder, which is verified first and not opened if it does not keep its promise. "
         "Several are opened together if they have the same t, n and scheme. "
         "Shares made with different keys or in different epochs do not combine.\n\n"
         "A line with a damaged share or box is reported with its number and the cause, counted, "
         "and left out; a query is never guessed. If nothing can be opened, nothing is written "
         "and the exit status is 1.",
     .figures = open_figures,
     .example = "lethe seal log.tsv -t 3 -o sealed/ && lethe open sealed/ -o opened.tsv",
     .run = run_open},
    {.name = "synth",
     .group = "Other",
     .summary = "generate a synthetic log, with identifiable people planted in it",
     .operands = "",
     .options = synth_options,
     .takes = TAKES_FORCE,
     .description =
         "Writes a search log of people who do not exist, for trying out methods and attacks. Its "
         "users have a few interests (parts of WordNet), a town and a family, repeat themselves, "
         "ask again in other words, misspell, issue common queries, click on pages, and return in "
         "sessions from March to May 2006. The log is fitted to figures of real logs, above all of "
         "the one that AOL released in 2006, for a thousand users; nothing else of those logs was "
         "used.\n\n"
         "A search engine answers each text with the same pages, whoever asks. *--results* writes "
         "its answers, as *--results* of other commands reads them; this needs memory for every "
         "distinct text. *--version 1* writes the log of earlier releases, which is fitted to "
         "fewer figures: its URLs are hosts, and it has no results.\n\n"
         "Of every 64 users, one has a number planted (social security, card, phone, e-mail "
         "address), one a name and a town, and one a pattern: harmless queries, each issued by "
         "others too, that identify the user only together. *--truth* writes who they are and "
         "what identifies them; see *lethe-truth*(5). The numbers are well-formed but unassigned; "
         "names are common ones, put together by chance.\n\n"
         "With *--seed* the same options give the same bytes. Requires WordNet's dictionary files "
         "(Debian package _wordnet-base_).",
     .figures = synth_figures,
     .example = "lethe synth --users 1000 --seed 1 --truth truth.tsv -o synthetic.tsv",
     .run = run_synth},
    {.name = "key",
     .group = "Other",
     .summary = "create a key file",
     .operands = "FILE",
     .takes = TAKES_FORCE,
     .description = "Writes 32 random bytes to FILE, with mode 0600. Given to methods as "
                    "*--key-file*, they key pseudonyms and hashes, so that the owner can link "
                    "several releases. Anyone who has the file can do the same: keep it secret, "
                    "or do not use one.",
     .example = "lethe key my.key",
     .run = run_key},
    {.name = "methods",
     .group = "Other",
     .summary = "list the methods, privacy notions, measures and adversaries",
     .operands = "",
     .description = "Lists every method with its paper, figures and caveats, the privacy notions "
                    "that releases can claim, and the measures and adversaries. *--json* adds all "
                    "of their options.",
     .example = "lethe methods",
     .run = run_methods},
    {.name = "help",
     .group = "Other",
     .summary = "show help for a command",
     .operands = "[COMMAND]",
     .options = help_options,
     .description = "Shows the options of a command, or without one an overview of all commands.",
     .example = "lethe help threshold",
     .run = run_help},
    {.name = "version",
     .group = "Other",
     .summary = "show the version",
     .operands = "",
     .description = "Prints the version of the program and the library.",
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
