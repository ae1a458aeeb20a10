/* job.h - what the program does, as calls: make a release, verify it, measure it, attack it,
 * profile a log, invent one, open a sealed one.
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
typedef struct lethe_publishing {
    bool keep_users;
    lethe_times times;
    lethe_urls urls;
    bool has_seed;
    uint64_t seed;
    const char *key_file; /* NULL: a key is drawn and forgotten */
    const char *map;      /* NULL: none */
    bool force;
} lethe_publishing;

typedef struct lethe_step {
    const lethe_method *method;
    lethe_values values;
} lethe_step;

typedef struct lethe_job {
    const char *const *inputs;
    size_t n_inputs;
    lethe_reading reading;
    const lethe_step *steps;
    size_t n_steps;
    const char *out; /* a folder to be, or "-" for the data alone on standard output */
    lethe_publishing publishing;
    /* Called with the finished report just before the target appears; any return but LETHE_OK keeps
     * it from appearing.  NULL: not wanted. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_job;

/* Reads, runs the steps, checks, publishes.  On any result but LETHE_OK no target appears.  *report
 * (in `doc`) is filled as far as things went. */
LETHE_MUST_CHECK lethe_err lethe_release_make(lethe_ctx *ctx, const lethe_job *job,
                                              lethe_json_doc *doc, lethe_json **report);

/* LETHE_ENO: the release does not keep its promise, or its files are not those of the manifest. */
LETHE_MUST_CHECK lethe_err lethe_release_verify(lethe_ctx *ctx, const char *folder,
                                                const char *results, lethe_json_doc *doc,
                                                lethe_json **report);

typedef struct lethe_against {
    const char *folder;
    const char *const *originals;
    size_t n_originals;
    lethe_reading reading;
    const char *map;       /* NULL: none */
    const char *adversary; /* NULL: all that apply */
    /* Of options that measures or adversaries declare, by name; may be NULL. */
    const lethe_values *values;
    bool has_seed; /* of the samples that adversaries draw; else they are always the same */
    uint64_t seed;
} lethe_against;
LETHE_MUST_CHECK lethe_err lethe_release_measure(lethe_ctx *ctx, const lethe_against *a,
                                                 lethe_json_doc *doc, lethe_json **report);
LETHE_MUST_CHECK lethe_err lethe_release_attack(lethe_ctx *ctx, const lethe_against *a,
                                                lethe_json_doc *doc, lethe_json **report);

/* What is in a log, and how identifying is it? */
LETHE_MUST_CHECK lethe_err lethe_profile_log(lethe_ctx *ctx, const char *const *inputs, size_t n,
                                             const lethe_reading *reading, lethe_json_doc *doc,
                                             lethe_json **report);

/* An invented log, shaped like AOL's of 2006 (lethe-synth(1)). */
typedef struct lethe_synthesis {
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
} lethe_synthesis;
#define LETHE_QUERIES_MAX 10000

/* Needs WordNet's dictionary files.  Log and truth appear together, or on any result but LETHE_OK
 * neither does.  `metrics` has rows, queries, users, and planted by kind. */
LETHE_MUST_CHECK lethe_err lethe_synth_log(lethe_ctx *ctx, const lethe_synthesis *s,
                                           lethe_json_doc *doc, lethe_json **report);

/* What a sealed log (lethe-sealed(5)) gives away by itself: queries of which t shares are there. */
typedef struct lethe_opening {
    const char *const *inputs; /* sealed files, or folders that hold one as data.tsv */
    size_t n_inputs;
    bool strict;     /* the first line that is damaged ends it */
    const char *out; /* a file to be, or "-" for standard output */
    bool force;      /* may it replace a file? */
    /* As in lethe_job. */
    lethe_err (*on_report)(void *user, const lethe_json *report);
    void *user;
} lethe_opening;

/* Writes the rows that can be opened, as a log, in order of their bytes.  No key is needed: t
 * shares are the key.  Files of other t, n or scheme than the first are LETHE_EINPUT; of other keys
 * or epochs they simply do not combine.  A damaged line is counted, named in a warning and left
 * out. LETHE_ENO: there is nothing to open.  `metrics` has rows_opened, queries_opened,
 * queries_closed, and rows_damaged by cause. */
LETHE_MUST_CHECK lethe_err lethe_open_sealed(lethe_ctx *ctx, const lethe_opening *o,
                                             lethe_json_doc *doc, lethe_json **report);

/* A new key file of 32 random bytes, mode 0600. */
LETHE_MUST_CHECK lethe_err lethe_key_new(lethe_ctx *ctx, const char *path, bool force);

LETHE_API_END
#endif
