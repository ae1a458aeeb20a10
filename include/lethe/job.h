/* job.h - what the program does, as calls: make a release, verify it, measure it, attack it,
 * profile a log, suggest methods for it, invent one, open a sealed one.
 *
 * Every call fills a report: one JSON object with `command`, `parameters`, `metrics`, `claims`,
 * `verdict`, `caveats`, `counts`, `seconds` for each phase and `peak_bytes`. */
#ifndef LETHE_JOB_H
#define LETHE_JOB_H
#include "lethe/context.h"
#include "lethe/log.h"
#include "lethe/tables.h"
LETHE_API_BEGIN

/* What zero stands for is the coarse choice. */
typedef enum lethe_times {
    LETHE_TIMES_DAY,
    LETHE_TIMES_HOUR,
    LETHE_TIMES_EXACT,
    LETHE_TIMES_DROP
} lethe_times;
typedef enum lethe_urls {
    LETHE_URLS_HOST,
    LETHE_URLS_ID,
    LETHE_URLS_KEEP,
    LETHE_URLS_DROP
} lethe_urls;

/* How a log is published. */
typedef struct lethe_publish_options {
    bool keep_users;
    lethe_times times;
    lethe_urls urls;
    bool has_seed;
    uint64_t seed;
    const char *key_file; /* NULL: a key is drawn and forgotten */
    const char *map;      /* NULL: none */
    bool force;
} lethe_publish_options;

typedef struct lethe_step {
    const lethe_method *method;
    lethe_values values;
} lethe_step;

typedef struct lethe_job {
    const char *const *inputs;
    size_t n_inputs;
    lethe_read_options reading;
    const lethe_step *steps;
    size_t n_steps;
    const char *out; /* a folder to be, or "-" for the data alone on standard output */
    lethe_publish_options publishing;
    bool page; /* put report.html, a page for people, beside the data */
    /* Called with the finished report just before the target appears; any return but LETHE_OK keeps
     * it from appearing.  NULL: not wanted. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_job;

/* Reads, runs the steps, checks, publishes.  On any result but LETHE_OK no target appears.  *report
 * (in `doc`) is filled as far as things went. */
LETHE_MUST_CHECK lethe_err lethe_release_make(lethe_ctx *ctx, const lethe_job *job,
                                              lethe_json_doc *doc, lethe_json **report);

/* LETHE_ANSWER_NO: the release does not keep its promise, or its files are not those of the
 * manifest. */
LETHE_MUST_CHECK lethe_err lethe_release_verify(lethe_ctx *ctx, const char *folder,
                                                const char *results, lethe_json_doc *doc,
                                                lethe_json **report);

typedef struct lethe_evaluate_options {
    const char *folder;
    const char *const *originals;
    size_t n_originals;
    lethe_read_options reading;
    const char *map;       /* NULL: none */
    const char *adversary; /* NULL: all that apply */
    /* Of options that measures or adversaries declare, by name; may be NULL. */
    const lethe_values *values;
    bool has_seed; /* of the samples that adversaries draw; else they are always the same */
    uint64_t seed;
} lethe_evaluate_options;
LETHE_MUST_CHECK lethe_err lethe_release_measure(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                 lethe_json_doc *doc, lethe_json **report);
LETHE_MUST_CHECK lethe_err lethe_release_attack(lethe_ctx *ctx, const lethe_evaluate_options *a,
                                                lethe_json_doc *doc, lethe_json **report);

/* A study: every method that applies to an input, each over some settings, each release checked,
 * measured and attacked.  The input is read once. */
typedef struct lethe_compare_options {
    const char *const *inputs; /* a log, records, or with an option `qi` a table */
    size_t n_inputs;
    lethe_read_options reading;
    const char *methods; /* names parted by commas; NULL: all that apply */
    /* What is varied, parted by commas: k of methods that sweep it (NULL: 2,5,10), t (NULL: as k),
     * theta (NULL: 1/k for each k; a table without an option `sa` has no such, and k is varied). A
     * method that sweeps a choice runs with each of them, and one that sweeps nothing once. */
    const char *k, *t, *theta;
    /* Of options that methods, measures or adversaries declare, by name: handed to each that has
     * one.  May be NULL. */
    const lethe_values *values;
    lethe_publish_options publishing; /* of each release; its key file and map do not count */
    bool has_urls; /* else clicked URLs become hosts, or identifiers where the method wants them */
    /* The study's folder: releases/, maps/, rows/, study.json, study.csv, report.html.  NULL:
     * nothing is kept.  A folder that is not there, or is empty, is begun.  A study of the same
     * settings and input (names, sizes and times of the files) goes on where it was stopped, and
     * publishing.force begins it anew; of others it is LETHE_EUSAGE, unless forced.  Anything else
     * is always refused. */
    const char *out;
    /* As in lethe_job, with the finished report, before study.json is written. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_compare_options;

/* `metrics.rows` has an object for each method and setting: method, parameters, label, name (of its
 * files), notion, holds, utility, recall, success, baseline, attacks, measures, published,
 * suppressed, seconds, peak_bytes, error (null, or why there is no release or no figures) and
 * status (what a program would exit with).  A setting that fails is such a row, and not the end;
 * LETHE_ANSWER_NO where no setting gave a release.  On LETHE_ECANCEL, and when the process dies,
 * what is done stays in the folder, and the next call goes on from there. */
LETHE_MUST_CHECK lethe_err lethe_compare_make(lethe_ctx *ctx, const lethe_compare_options *c,
                                              lethe_json_doc *doc, lethe_json **report);

/* What is in a log, and how identifying is it? */
LETHE_MUST_CHECK lethe_err lethe_profile_log(lethe_ctx *ctx, const char *const *inputs, size_t n,
                                             const lethe_read_options *reading, lethe_json_doc *doc,
                                             lethe_json **report);

/* Which methods fit an input and what is wanted of it, and how are they called? */
typedef struct lethe_suggest_options {
    const char *const *inputs; /* a log, records, or with an option `qi` a table */
    size_t n_inputs;
    lethe_read_options reading;
    bool has_goal; /* else all goals are looked at */
    lethe_goal goal;
    /* Of options that methods declare (qi, sa, taxonomy ...), by name: they are part of the command
     * lines of those that have them.  May be NULL. */
    const lethe_values *values;
} lethe_suggest_options;

/* Reads the input once and counts; no method is run.  `metrics` has shape, persons and other counts
 * of the input, and goals: for each its name and meaning; fits, the best first: method, summary,
 * keeps, notion, promise, reasons, caveat, command; others: method and why.  Commands are for a
 * shell.  LETHE_ANSWER_NO: nothing fits; the report says why. */
LETHE_MUST_CHECK lethe_err lethe_suggest(lethe_ctx *ctx, const lethe_suggest_options *s,
                                         lethe_json_doc *doc, lethe_json **report);

/* An invented log, shaped like AOL's of 2006 (lethe-synth(1)). */
typedef struct lethe_synth_options {
    uint64_t users;          /* 1 or more */
    double queries_per_user; /* mean; 1 to LETHE_QUERIES_MAX */
    bool has_seed;           /* else the system's randomness decides */
    uint64_t seed;
    const char *out;   /* a file to be, or "-" for standard output */
    const char *truth; /* who was planted; NULL: not wanted */
    bool force;        /* may both replace a file? */
    /* As in lethe_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_synth_options;
#define LETHE_QUERIES_MAX 10000

/* Needs WordNet's dictionary files.  Log and truth appear together, or on any result but LETHE_OK
 * neither does.  `metrics` has rows, queries, users, and planted by kind. */
LETHE_MUST_CHECK lethe_err lethe_synth_log(lethe_ctx *ctx, const lethe_synth_options *s,
                                           lethe_json_doc *doc, lethe_json **report);

/* What a sealed log (lethe-sealed(5)) gives away by itself: queries of which t shares are there. */
typedef struct lethe_open_options {
    const char *const *inputs; /* sealed files, or folders that hold one as data.tsv */
    size_t n_inputs;
    bool strict;     /* the first line that is damaged ends it */
    const char *out; /* a file to be, or "-" for standard output */
    bool force;      /* may it replace a file? */
    /* As in lethe_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_open_options;

/* Writes the rows that can be opened, as a log, in order of their bytes.  No key is needed: t
 * shares are the key.  Files of other t, n or scheme than the first are LETHE_EINPUT; of other keys
 * or epochs they simply do not combine.  A damaged line is counted, named in a warning and left
 * out. LETHE_ANSWER_NO: there is nothing to open.  `metrics` has rows_opened, queries_opened,
 * queries_closed, and rows_damaged by cause. */
LETHE_MUST_CHECK lethe_err lethe_open_sealed(lethe_ctx *ctx, const lethe_open_options *o,
                                             lethe_json_doc *doc, lethe_json **report);

/* A page about a release, for people: one HTML file that loads nothing. */
typedef struct lethe_report_options {
    /* The folder; where there are originals (not standard input), the page lays the release beside
     * them too, and is then readable by its owner alone. */
    lethe_evaluate_options against;
    const char *results; /* as lethe_release_verify takes it */
    size_t n_examples;   /* published rows that are shown; 0: none */
    const char *out;     /* a file to be, outside the release, or "-" for standard output */
    bool force;          /* may it replace a file? */
    /* As in lethe_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_report_options;

/* The release is verified first: of one that does not keep its promise there is no page
 * (LETHE_ANSWER_NO).  `metrics` has plots and bytes. */
LETHE_MUST_CHECK lethe_err lethe_report_make(lethe_ctx *ctx, const lethe_report_options *r,
                                             lethe_json_doc *doc, lethe_json **report);

/* A new key file of 32 random bytes, mode 0600. */
LETHE_MUST_CHECK lethe_err lethe_key_new(lethe_ctx *ctx, const char *path, bool force);

LETHE_API_END
#endif
