/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - the commands as functions: make, verify, measure, attack and describe a
 * release; profile a log, suggest methods for it, generate or open one.
 *
 * All of them take a context (context.h), pass messages to it, and set *report, owned by `doc`, to
 * an object with `command`, `parameters`, `metrics`, `claims`, `verdict`, `caveats`, `counts`,
 * `seconds` (per phase) and `peak_bytes`, as far as they apply.  A report is set on LETHE_OK and
 * LETHE_ANSWER_NO; on other results it may be NULL or incomplete.  Strings in options are borrowed
 * until the function returns.  "-" stands for standard input or output where a file is expected. */
#ifndef LETHE_RELEASE_COMMANDS_H
#define LETHE_RELEASE_COMMANDS_H
#include "lethe/arrow.h"
#include "lethe/context.h"
#include "model/reading.h"
#include "model/tables.h"

/* How times and clicked URLs are published.  Zero is the coarse choice. */
typedef enum lethe_times {
    LETHE_TIMES_DAY,
    LETHE_TIMES_HOUR,
    LETHE_TIMES_EXACT,
    LETHE_TIMES_DROP, /* not at all */
    LETHE_TIMES_WEEK, /* the Monday */
    LETHE_TIMES_MONTH
} lethe_times;
typedef enum lethe_urls {
    LETHE_URLS_HOST, /* the host name only; of a clicked object that is no URL a keyed identifier */
    LETHE_URLS_ID,   /* a keyed identifier */
    LETHE_URLS_KEEP, /* unchanged */
    LETHE_URLS_DROP  /* not at all */
} lethe_urls;

#define LETHE_KEEP_MIN 5

/* How a release is published. */
typedef struct lethe_publish_options {
    bool keep_users; /* publish the users' own IDs; otherwise keyed pseudonyms */
    lethe_times times;
    lethe_urls urls;
    /* Set by the library where a release made with LETHE_URLS_HOST holds keyed identifiers of
     * objects that are no URLs; ignored elsewhere. */
    bool object_ids;
    lethe_keep keep; /* of a log: its further columns, read and published too */
    /* A value of these is published where at least so many persons of published rows have it.  0:
     * LETHE_KEEP_MIN, or the greatest t of the steps that promise t users, if that is more. */
    uint64_t keep_min;
    bool as_ubi;   /* of a log: also as documents of User Behavior Insights, ubi.ndjson */
    bool has_seed; /* reproducible; anyone who guesses the seed can reverse the pseudonyms */
    uint64_t seed;
    const char *key_file; /* 32 secret bytes; NULL: a random key is used and forgotten */
    const char *map;      /* file for the original name of each published one; NULL: none */
    bool force;           /* replace an existing release */
} lethe_publish_options;

/* One method of a chain, with its options. */
typedef struct lethe_step {
    const lethe_method *method;
    lethe_values values;
} lethe_step;

/* A release to make. */
typedef struct lethe_release_job {
    const char *const *inputs; /* files, read as one input */
    size_t n_inputs;
    lethe_read_options reading;
    const lethe_step *steps; /* applied in this order */
    size_t n_steps;
    /* The folder with data files of a log that others have written for these steps,
     * part-00000.tsv and so on, and account.json, what they have counted (lethe-request(5)); there
     * are no inputs then.  The files are moved; if the release does not appear, they may be gone.
     * NULL: the steps are run. */
    const char *written;
    const char *out; /* the release folder, or "-" for the data alone on standard output */
    lethe_publish_options publishing;
    bool page; /* add report.html, a readable page, to the release */
    /* To be written to the manifest and shown on the page, as the publisher's word; all may be
     * NULL. `title` names the data set, `date` is any text: both of at most 200 bytes of UTF-8
     * without control characters.  `risk` is `metrics` of the report of lethe_release_attack() on
     * the same release, made before with the same options and seed or key: of each adversary that
     * had something to try, success, its upper bound, the success before, and the baseline. */
    const char *title, *date;
    const lethe_json *risk;
    /* Called with the finished report just before the release appears; if it does not return
     * LETHE_OK, the release does not appear and lethe_release_make() returns that result.  May be
     * NULL. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_release_job;

/* Reads the inputs, runs the steps, writes the release, and checks its promise on the written
 * files. The folder appears only on LETHE_OK, complete and in one step. */
LETHE_MUST_CHECK lethe_err lethe_release_make(lethe_ctx *ctx, const lethe_release_job *job,
                                              lethe_json_doc *doc, lethe_json **report);

/* Some steps of a chain, over a part of the rows of a log: for engines that spread the rows over
 * machines.  What comes out is no release. */
typedef struct lethe_part_job {
    lethe_release_job job; /* the chain; its inputs are this part, and it has no output */
    size_t first, end;     /* the steps to run: [first, end); none: the rows are read alone */
    bool lines;            /* give lines as they are published, not rows */
    bool whole; /* the rows are all there are: what only all of them tell is asked, too */
} lethe_part_job;

/* Gives the rows of the last of these steps as columns owner, user, query, time (seconds since
 * 1970), rank and url; or the line of each in data.tsv, without its end.  The owner is the user as
 * read.  The report has `counts` (read, rows, suppressed, rejected), `metrics` and `caveats` of
 * this part, and of lines `head`, what stands before them in data.tsv.  Each row follows from the
 * rows of its owner alone, or from itself, and from the key file, which all parts need (but one
 * that is only read): there is no seed.  All rows are held in memory.  LETHE_EUSAGE: a step needs
 * all rows at once, and they are not `whole`.  *out is set on LETHE_OK alone. */
LETHE_MUST_CHECK lethe_err lethe_part_run(lethe_ctx *ctx, const lethe_part_job *job,
                                          lethe_json_doc *doc, lethe_json **report,
                                          struct ArrowArrayStream *out);

#define LETHE_VERIFY_SECONDS 600.0 /* the time limit of a check that is given none */

/* How a release is checked.  Zero in a field means its default. */
typedef struct lethe_verify_options {
    const char *results;    /* the file of search results that a step was given (--results) */
    const char *taxonomy;   /* an own copy of the taxonomy that items were generalized with: a file,
                               or "wordnet".  NULL: the installed WordNet, if its digest is the one
                               in the manifest */
    double time_limit_s;    /* 0: LETHE_VERIFY_SECONDS; below 0: none */
    const char *population; /* the population table of a k-map claim: a CSV file */
    const char *hierarchies; /* beside it, the folder of hierarchies that the release was made with
                              */
} lethe_verify_options;

/* Checks a release from its files alone: a folder, or a tar archive of one, packed or not, which is
 * unpacked into a temporary folder.  LETHE_ANSWER_NO: it does not keep its promise, or its
 * files do not match its manifest; `metrics.counterexample` says why.  If `metrics.decided` is
 * false, it is not known: the limit of time or of memory was met before, or a claim needs a file
 * that was not given.  What else could not be checked is listed in `unchecked` of the report.
 *
 * `how->results` is the file of search results that a step was given (--results; "-" is standard
 * input), or NULL.  It is read once, before anything is judged: LETHE_EINPUT, with file and line,
 * where it is malformed.  So is `how->population`; if it is not the file that the claim names,
 * that is LETHE_EINPUT too.  LETHE_EUSAGE: a population without such a claim, or hierarchies
 * without a population. */
LETHE_MUST_CHECK lethe_err lethe_release_verify_as(lethe_ctx *ctx, const char *folder,
                                                   const lethe_verify_options *how,
                                                   lethe_json_doc *doc, lethe_json **report);
/* The same with `results` (may be NULL) and defaults. */
LETHE_MUST_CHECK lethe_err lethe_release_verify(lethe_ctx *ctx, const char *folder,
                                                const char *results, lethe_json_doc *doc,
                                                lethe_json **report);

/* Releases of parts of one input, to be made one. */
typedef struct lethe_join_options {
    const char *const *parts; /* folders */
    size_t n_parts;
    const char *out;
    bool force, page; /* as in lethe_release_job and lethe_publish_options */
    const char *title, *date;
    double time_limit_s; /* for the check of each part, as in lethe_verify_options */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_join_options;

/* Joins releases that were made by this version with the same steps from parts of one input, no
 * person of which is in two parts: all their lines in one release, whose figures follow from
 * theirs.  Each part is verified first, and the joined release before it appears.
 * LETHE_ANSWER_NO: a part, or all together, do not keep the promise.  LETHE_EUSAGE: what the steps
 * promise of each part need not hold of all together.  LETHE_EINPUT: the parts do not belong
 * together, or two have a published user in common; nothing else shows that a person is in two. */
LETHE_MUST_CHECK lethe_err lethe_release_join(lethe_ctx *ctx, const lethe_join_options *how,
                                              lethe_json_doc *doc, lethe_json **report);

/* A release and the original it was made from. */
typedef struct lethe_evaluate_options {
    const char *folder;
    const char *const *originals; /* the inputs of the release */
    size_t n_originals;
    lethe_read_options reading;
    const char *map;       /* the map written with the release; NULL: none */
    const char *adversary; /* attack only with this one; NULL: all that apply */
    /* Values of options that measures and adversaries declare, found by name; may be NULL. */
    const lethe_values *values;
    bool has_seed; /* for the random samples of adversaries; without one they are always the same */
    uint64_t seed;
} lethe_evaluate_options;

/* Measures how much of the original is left; `metrics` has the figures of each measure that
 * applies.  Verifies the release first.  LETHE_ANSWER_NO: it does not keep its promise, or its
 * files do not match its manifest; `metrics` then has `holds` and `counterexample` of
 * lethe_release_verify(). */
LETHE_MUST_CHECK lethe_err lethe_release_measure(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                 lethe_json_doc *doc, lethe_json **report);
/* Runs adversaries; `metrics` has an object for each, with `success`, `baseline` (the success of a
 * random choice) and `meaning`.  Verifies the release first, as lethe_release_measure() does.
 * LETHE_ANSWER_NO: it does not keep its promise, or no adversary applies. */
LETHE_MUST_CHECK lethe_err lethe_release_attack(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                lethe_json_doc *doc, lethe_json **report);

/* A study: the chains of methods that lethe_publish() tries for an input, or methods that are
 * named, each with several settings; each release is checked, measured and attacked. */
typedef struct lethe_compare_options {
    const char *const *inputs; /* a log, records, or with an option `qi` a table */
    size_t n_inputs;
    lethe_read_options reading;
    const char *methods; /* names separated by commas; NULL: the chains */
    /* Values to try, separated by commas: k (NULL: 5,10), t (NULL: as k) and theta (NULL: the one
     * that lethe_publish() takes).  Named methods: theta is 1/2,1/5,1/10 if NULL.  One that has
     * both k and theta varies the one that is given; if both are, each k with each theta; if
     * neither is, theta if there is an option `sa`, else k.  A method whose varied option is a
     * choice runs once per choice, and a method without a varied option once. */
    const char *k, *t, *theta;
    /* Values of options that methods, measures and adversaries declare, found by name, for all that
     * have an option of that name.  May be NULL. */
    const lethe_values *values;
    lethe_publish_options publishing; /* for each release; key_file and map are not used */
    bool has_urls; /* publishing.urls counts; otherwise hosts, or identifiers if the method says so
                    */
    /* Folder for releases/, maps/, rows/, study.json, study.csv and report.html; NULL: nothing is
     * kept.  A missing or empty folder starts a study.  A folder with a study of the same settings
     * and input (names, sizes and times of the files) resumes it; publishing.force starts it again.
     * A study of other settings or input is LETHE_EUSAGE without publishing.force, and any other
     * folder always is. */
    const char *out;
    /* Time for all runs; 0: no limit.  The cheapest of a large log come first, measured on a sample
     * of it; those that do not fit are rows with the reason, and are made when the study is resumed
     * with more time. */
    double within_s;
    /* Called after each run, with its row, its number and how many there are; may be NULL. */
    void (*on_row)(void *user, const lethe_json *row, size_t i, size_t n);
    /* As in lethe_release_job, before study.json is written. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_compare_options;

/* `metrics.varied` says which options were varied, over which values, by which methods.
 * `metrics.rows` has an object per method and setting: method, parameters, label, name (of its
 * files), notion, holds, nothing (a sentence, if all its claims promise nothing), utility, recall,
 * success, baseline, kept_for (what is kept of what matters, for each goal that it serves),
 * exposure, exposure_found, exposure_before and exposure_by (the risk that a person is found, as in
 * lethe_publish()), risk (by kind of adversary the greatest), attacks, measures, command,
 * published, suppressed, seconds, peak_bytes, error (null, or why there is no release or no
 * figures), left_out (true where time or memory was not enough) and status (the exit status of the
 * run).  The most useful rows come first.  A setting that fails gives a row with its error, and the
 * study goes on; LETHE_ANSWER_NO if no setting gave a release.  After LETHE_ECANCEL or a crash the
 * folder keeps what was finished, and the next call resumes from there. */
LETHE_MUST_CHECK lethe_err lethe_compare_make(lethe_ctx *ctx, const lethe_compare_options *c,
                                              lethe_json_doc *doc, lethe_json **report);

/* An input, what its release is for, and how much risk is acceptable. */
typedef struct lethe_publish_request {
    const char *const *inputs; /* a log, records, or with an option `qi` a table */
    size_t n_inputs;
    lethe_read_options reading;
    /* The folder of a release, or its manifest: its steps are made again of this input, with files
     * that it does not name taken from `values`, and no other is tried.  NULL: none. */
    const char *like;
    lethe_goal goal;
    double risk;     /* the greatest acceptable; 0: LETHE_PUBLISH_RISK */
    double least;    /* of what matters for the goal, how much must be kept; below 0:
                        LETHE_PUBLISH_LEAST */
    bool anyway;     /* publish less than that */
    bool dry_run;    /* write nothing */
    uint64_t sample; /* persons to try the candidates on; 0: chosen by the size of the input */
    double within_s; /* for the decision: candidates that do not fit are left out, and those whose
                        release would take longer come last.  0: LETHE_PUBLISH_S */
    /* Values of options that methods, measures and adversaries declare, found by name.  May be
     * NULL. */
    const lethe_values *values;
    const char *out;                  /* the release folder */
    lethe_publish_options publishing; /* map NULL: OUT.map.tsv */
    bool has_urls;                    /* as in lethe_compare_options */
    const char *title, *date;         /* as in lethe_release_job */
    /* Called after each candidate, with its row, its number and how many there are; may be NULL. */
    void (*on_candidate)(void *user, const lethe_json *row, size_t i, size_t n);
    /* As in lethe_release_job, before the release appears. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_publish_request;
#define LETHE_PUBLISH_RISK 0.09 /* 1 in 11: European Medicines Agency, Health Canada */
#define LETHE_PUBLISH_LEAST 0.02
#define LETHE_PUBLISH_S 240.0

/* Tries the candidate chains that fit the input and the goal, each checked, measured and attacked;
 * makes the release of the one that keeps most for the goal among those whose risk is acceptable;
 * and attacks that with fresh draws before it appears.  The risk is the largest 95 % upper
 * confidence bound of success over the adversaries that find a person.  lethe-publish(1) lists the
 * figures.  LETHE_ANSWER_NO: nothing can be published so; the report says why. */
LETHE_MUST_CHECK lethe_err lethe_publish(lethe_ctx *ctx, const lethe_publish_request *q,
                                         lethe_json_doc *doc, lethe_json **report);

/* Describes what a log contains and how identifying it is; lethe-profile(1) lists the figures. */
LETHE_MUST_CHECK lethe_err lethe_profile_log(lethe_ctx *ctx, const char *const *inputs, size_t n,
                                             const lethe_read_options *reading, lethe_json_doc *doc,
                                             lethe_json **report);

/* A log, records (baskets) or a table to describe. */
typedef struct lethe_profile_options {
    const char *const *inputs;
    size_t n_inputs;
    lethe_read_options reading;
    /* Of a table: lists of columns, separated by commas.  NULL: quasi-identifiers are proposed;
     * there is no sensitive column. */
    const char *qi, *sa;
    const char *population; /* a table of the people that the rows were drawn from; NULL: none */
} lethe_profile_options;

/* Describes what an input contains and how identifying it is; lethe-profile(1) lists the figures.
 * It is a table if one of qi, sa and population is given, if the format is LETHE_FORMAT_TABLE, or
 * if it is a file with a header that names no user and query; records if the format is
 * LETHE_FORMAT_RECORDS, if reading.columns names person and item, or if most lines of a file have
 * no columns; otherwise a log, as for lethe_profile_log().  `metrics.shape` is "table" for a table,
 * "records" for records, and absent for a log. */
LETHE_MUST_CHECK lethe_err lethe_profile_input(lethe_ctx *ctx, const lethe_profile_options *p,
                                               lethe_json_doc *doc, lethe_json **report);

/* A table that lethe did not make, and what to require of it. */
typedef struct lethe_check_options {
    const char *input; /* CSV with a header */
    lethe_read_options reading;
    const char *qi; /* the quasi-identifiers, separated by commas */
    const char *sa; /* sensitive columns, separated by commas; NULL: none */
    /* Values of the options k, theta, distinct-l, t-closeness, t-distance, entropy-l, recursive,
     * k-map and population, found by name, as lethe-check(1) describes them. */
    const lethe_values *values;
} lethe_check_options;

/* Decides privacy notions on any table: a group is the rows with equal values of the
 * quasi-identifiers.  `verdict.checks` has each requirement with `holds`, `reached` (what the table
 * reaches, where it is known) and the first `counterexample`; `metrics` has the groups and what is
 * reached.  Every row must be readable: LETHE_EINPUT for the first that is not.  LETHE_ANSWER_NO:
 * one of the requirements does not hold.  Without a requirement nothing is decided: LETHE_OK. */
LETHE_MUST_CHECK lethe_err lethe_table_check(lethe_ctx *ctx, const lethe_check_options *c,
                                             lethe_json_doc *doc, lethe_json **report);

/* An input, and the purpose of the release to make from it. */
typedef struct lethe_suggest_options {
    const char *const *inputs; /* a log, records, or with an option `qi` a table */
    size_t n_inputs;
    lethe_read_options reading;
    bool has_goal; /* otherwise all goals are considered */
    lethe_goal goal;
    double risk, least; /* as in lethe_publish_request */
    uint64_t sample;    /* the same; 0: 2,000 users of a log of more than 3,000 */
    double within_s;    /* 0: LETHE_SUGGEST_S */
    bool has_seed;      /* the same candidates are suggested again */
    uint64_t seed;
    /* As in lethe_publish_request. */
    const lethe_values *values;
    void (*on_candidate)(void *user, const lethe_json *row, size_t i, size_t n);
    void *user;
} lethe_suggest_options;
#define LETHE_SUGGEST_S 120.0

/* Tries the candidates of lethe_publish() for the goal or for all goals, on a sample of a large
 * log, and shows what each keeps and gives away, with its command; writes nothing. lethe-suggest(1)
 * lists the figures.  LETHE_ANSWER_NO: no candidate is worth publishing; the report says why. */
LETHE_MUST_CHECK lethe_err lethe_suggest(lethe_ctx *ctx, const lethe_suggest_options *s,
                                         lethe_json_doc *doc, lethe_json **report);

/* A synthetic log, with statistics of real ones (lethe-synth(1)). */
typedef struct lethe_synth_options {
    uint64_t users;          /* 1 or more */
    double queries_per_user; /* mean; 1 to LETHE_QUERIES_MAX */
    bool has_seed;           /* reproducible; otherwise random */
    uint64_t seed;
    const char *out;   /* file for the log, or "-" for standard output */
    const char *truth; /* file for the planted persons; NULL: none */
    bool force;        /* replace existing files */
    /* As in lethe_release_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
    unsigned version; /* of the generator: 1 or 2; 0: the newest */
    /* File for the search engine's answers to every text of the log, as --results of other commands
     * reads it; NULL: none.  Version 1 has none.  Its memory grows with the distinct texts. */
    const char *results;
} lethe_synth_options;
#define LETHE_QUERIES_MAX 10000

/* Requires WordNet's dictionary files.  Log, truth and results appear together, and only on
 * LETHE_OK.
 * `metrics` has rows, queries, users, and planted persons by kind. */
LETHE_MUST_CHECK lethe_err lethe_synth_log(lethe_ctx *ctx, const lethe_synth_options *s,
                                           lethe_json_doc *doc, lethe_json **report);

/* What the values of a table's column are. */
typedef enum lethe_hierarchy_kind {
    LETHE_HIERARCHY_NUMBERS, /* ranges */
    LETHE_HIERARCHY_DATES,   /* months, years, decades */
    LETHE_HIERARCHY_CODES,   /* prefixes */
    LETHE_HIERARCHY_GROUPS,  /* groups from a list */
    LETHE_HIERARCHY_FLAT,    /* all below the root */
} lethe_hierarchy_kind;

/* A hierarchy to edit, for one column of a table. */
typedef struct lethe_hierarchy_options {
    const char *const *inputs; /* a table (lethe-table(5)) */
    size_t n_inputs;
    lethe_read_options reading;
    const char *column;
    bool has_kind; /* otherwise found from the options below, or from the values */
    lethe_hierarchy_kind kind;
    const char *widths;   /* of ranges: "5,10,20"; NULL: chosen by the spread */
    const char *prefixes; /* their lengths: "3,2,1"; NULL: all */
    const char *groups;   /* a file of value TAB group [TAB group above ...] */
    const char *out;      /* file, or "-" for standard output */
    bool force;           /* replace an existing file */
    /* As in lethe_release_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_hierarchy_options;

/* Writes the hierarchy in the form of ARX: a row `leaf;...;*` for each value of the column, all of
 * the same length.  A missing value stands below the root.  LETHE_EUSAGE: options that exclude each
 * other; LETHE_EINPUT: an unknown column, a column without values, or values that are not of the
 * kind asked for.  `metrics` has column, kind, made (in words), values and levels. */
LETHE_MUST_CHECK lethe_err lethe_hierarchy_write(lethe_ctx *ctx, const lethe_hierarchy_options *h,
                                                 lethe_json_doc *doc, lethe_json **report);

/* Sealed logs to open (lethe-sealed(5)). */
typedef struct lethe_open_options {
    /* Sealed files, or folders that hold one as data.tsv or in parts.  A folder with a manifest is
     * a release, and is verified first. */
    const char *const *inputs;
    size_t n_inputs;
    bool strict;     /* a damaged line is an error */
    const char *out; /* file for the log, or "-" for standard output */
    bool force;      /* replace an existing file */
    /* As in lethe_release_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_open_options;

/* Writes the rows of all queries that have t shares as a log, sorted by bytes.  No key is needed: t
 * shares are the key.  LETHE_EINPUT if the files differ in t, n or scheme; shares made with
 * different keys or in different epochs do not combine.  A damaged line is reported in a warning,
 * counted and left out.  LETHE_ANSWER_NO: nothing can be opened, or a release does not keep its
 * promise.  `metrics` has rows_opened, queries_opened, queries_closed, and rows_damaged by cause.
 */
LETHE_MUST_CHECK lethe_err lethe_open_sealed(lethe_ctx *ctx, const lethe_open_options *o,
                                             lethe_json_doc *doc, lethe_json **report);

/* A readable page about a release: one HTML file without scripts or external resources. */
typedef struct lethe_report_options {
    /* The release; of `values`, `taxonomy` and `time-limit` are for its check, too.  With originals
     * (not standard input) the page also shows measures and attacks, and has mode 0600. */
    lethe_evaluate_options against;
    const char *results; /* as for lethe_release_verify() */
    size_t n_examples;   /* number of published rows to show */
    const char *title;   /* name of the data set; NULL: that of the manifest, or none */
    const char *date;    /* to be shown as it is; NULL: likewise */
    double bound;        /* up to which a risk is low, 0 to 1; 0: 0.09 */
    const char *out;     /* file outside the release, or "-" for standard output */
    bool force;          /* replace an existing file */
    /* As in lethe_release_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_report_options;

/* Verifies the release first.  LETHE_ANSWER_NO: it does not keep its promise, and no page is
 * written. `metrics` has plots and bytes. */
LETHE_MUST_CHECK lethe_err lethe_report_make(lethe_ctx *ctx, const lethe_report_options *r,
                                             lethe_json_doc *doc, lethe_json **report);

/* Creates a key file of 32 random bytes with mode 0600; `force` replaces an existing one. */
LETHE_MUST_CHECK lethe_err lethe_key_new(lethe_ctx *ctx, const char *path, bool force);

#endif
