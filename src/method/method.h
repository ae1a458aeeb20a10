/* SPDX-License-Identifier: Apache-2.0 */
/* method.h - the interface between methods and the pipeline: what a method gets and what it gives
 * back, and the options and helpers that several methods share. */
#ifndef LETHE_METHOD_METHOD_H
#define LETHE_METHOD_METHOD_H
#include "core/rng.h"
#include "io/write/sink.h"
#include "model/data.h"
#include "model/table/theta.h"
#include "text/pii/pii.h"

/* What a method gets besides its data. */
struct lethe_run {
    lethe_ctx *ctx;
    const lethe_values *values; /* of the method's own options */
    const lethe_secret *random; /* streams: lethe_rng_stream(run->random, "purpose", index) */
    const lethe_secret *key;    /* --key-file, or drawn for this run: pseudonyms, hashes, seals */
    lethe_time_unit times;      /* precision of published times: what the release counts must be
                                   counted with it */
    lethe_url_form urls;        /* form of published URLs */
    bool part;                  /* the data is a part of all: what only all of it tells is asked of
                                   somebody else */
    size_t n_kept;              /* columns whose values rows have in `kept` */
    const lethe_json *claims;   /* of earlier steps; NULL: there are none */
    uint64_t memory_bytes;      /* this step's share of the budget */
    lethe_sink *trace;          /* --trace: text published with the release; NULL: none */
};

/* What a method gives back.  Rows and drops may come from several workers, each with its own w;
 * figures from one thread, after the last row. */
struct lethe_result {
    void *pipeline; /* for src/release */
    lethe_err (*emit)(lethe_result *out, unsigned w, const lethe_row *row);
    void (*drop)(lethe_result *out, unsigned w, const char *reason, uint64_t n_rows);
    /* For a method that samples: n of the rows that it was given are behind what it emits. */
    void (*keep)(lethe_result *out, unsigned w, uint64_t n_rows);
    /* For counts: publishes an item, a normalised text, with its count (1 or more); each item once.
     * Where the counts are exact (lethe_notion.counted), the rows behind them are emitted too: they
     * are not published, but counted again. */
    lethe_err (*count)(lethe_result *out, unsigned w, lethe_str item, uint64_t count);
    /* For records: publishes nodes of the tree in place of record `from` of the input (at most once
     * each): one copy per item, in any order; its sensitive items are added automatically.  Records
     * of one group are published with the same nodes; the check of persons uses `group` (0, 1, ..).
     * Records that are not given are suppressed.  One thread. */
    lethe_err (*record)(lethe_result *out, size_t from, uint32_t group, const uint32_t *node,
                        size_t n);
    /* An item that stands for any one of these nodes, published as their names joined by `|`; *item
     * is its number among the `node`s of `record`.  At least two nodes, all different. */
    lethe_err (*bag)(lethe_result *out, const uint32_t *node, size_t n, uint32_t *item);
    /* For a table: publishes row `from` of the input (at most once each) with these nodes, one per
     * quasi-identifier, and its sensitive value, or a star if `starred`.  Rows that are not given
     * are suppressed.  One thread. */
    lethe_err (*cells)(lethe_result *out, size_t from, const uint32_t *node, bool starred);
    /* For a table, and a quasi-identifier published as ranges of values (lethe_qi.position): *node
     * is the number, among the `node`s of `cells`, of the range from leaf `low` to leaf `high`. */
    lethe_err (*range)(lethe_result *out, size_t qi, uint32_t low, uint32_t high, uint32_t *node);
    /* For a table: publishes thresholds of its sensitive values, one each, beside it. */
    lethe_err (*thetas)(lethe_result *out, const lethe_theta *theta);
    lethe_json_doc *doc;
    lethe_json *metrics; /* an object: set the descriptor's figures here */
    lethe_json *caveats; /* an array: push texts of the descriptor's `found` here */
};

/* Options of methods that take records, first in their tables.  The pipeline implements all but
 * `persons` (lethe_count_of: 1, records count in place of persons).  `gap`, by which a manifest
 * recognises a log, and `persons` are in every such table; without `taxonomy` nothing is
 * generalized, and every item is a leaf below a root that has no name in the release. */
// clang-format off
#define LETHE_GAP_OPTIONS                                                                          \
    {.name = "gap", .type = LETHE_OPT_DURATION, .arg = "DURATION|all", .word = "all",              \
     .fallback = "all", .min = 0, .max = 9e15,                                                     \
     .help = "for logs: a pause longer than this begins a new record of the user; all: one "       \
             "record per user"},                                                                   \
    {.name = "clicked", .type = LETHE_OPT_FLAG,                                                    \
     .help = "for logs: leave out queries without a click"}
#define LETHE_DISTINCT_OPTION                                                                      \
    {.name = "distinct", .type = LETHE_OPT_FLAG, .help = "keep one copy of each item of a record"}
#define LETHE_TERMS_OPTION                                                                         \
    {.name = "terms", .type = LETHE_OPT_CHOICE, .arg = "nouns|words",                              \
     .help = "for logs: which words of queries are items [default: nouns with WordNet, else words]"}
#define LETHE_TAXONOMY_OPTION                                                                      \
    {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "wordnet|wordnet:present|FILE",            \
     .word = "wordnet|wordnet:present", .fallback = "wordnet",                                     \
     .help = "taxonomy for generalizing items: WordNet, the part of it that the input uses "       \
             "(which reveals that part), a file of children and parents, or an ARX hierarchy"}
#define LETHE_SYNONYMS_OPTION                                                                      \
    {.name = "synonyms", .type = LETHE_OPT_CHOICE, .arg = "keep|merge", .fallback = "keep",        \
     .help = "merge: replace each WordNet noun by the first word of its synset"}
#define LETHE_PERSONS_OPTION                                                                       \
    {.name = "persons", .type = LETHE_OPT_CHOICE, .arg = "person|record", .fallback = "person",    \
     .help = "what k counts: persons, or records as in the papers, although one person may have "  \
             "several"}
#define LETHE_RECORD_OPTIONS                                                                       \
    LETHE_GAP_OPTIONS, LETHE_DISTINCT_OPTION, LETHE_TERMS_OPTION, LETHE_TAXONOMY_OPTION,           \
        LETHE_SYNONYMS_OPTION, LETHE_PERSONS_OPTION
/* For methods that take sets, whose items are always distinct; and without a taxonomy. */
#define LETHE_SET_OPTIONS                                                                          \
    LETHE_GAP_OPTIONS, LETHE_TERMS_OPTION, LETHE_TAXONOMY_OPTION, LETHE_SYNONYMS_OPTION,           \
        LETHE_PERSONS_OPTION
#define LETHE_FLAT_SET_OPTIONS                                                                     \
    LETHE_GAP_OPTIONS, LETHE_TERMS_OPTION, LETHE_SYNONYMS_OPTION, LETHE_PERSONS_OPTION
/* Implemented by the pipeline: lethe_records.mark.  A manifest says that there was a list. */
#define LETHE_SENSITIVE_OPTION                                                                     \
    {.name = "sensitive", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,                     \
     .help = "sensitive items, one per line: they are never generalized, and published as they are"}

/* For methods that take a table; implemented by the pipeline (release/make/table_options.h). */
#define LETHE_TABLE_OPTIONS                                                                        \
    {.name = "qi", .type = LETHE_OPT_TEXT, .arg = "COLUMN,...", .required = true,                  \
     .help = "quasi-identifiers: columns that others may know about a person; these are "          \
             "generalized"},                                                                       \
    {.name = "sa", .type = LETHE_OPT_TEXT, .arg = "COLUMN,...",                                    \
     .help = "sensitive columns, whose values nobody may learn about a person"},                   \
    {.name = "class", .type = LETHE_OPT_TEXT, .arg = "COLUMN",                                     \
     .help = "a column of classes to predict, published unchanged"},                               \
    {.name = "keep", .type = LETHE_OPT_TEXT, .arg = "COLUMN,...",                                  \
     .help = "further columns to publish unchanged; all others are left out"},                     \
    {.name = "hierarchies", .type = LETHE_OPT_PATH, .arg = "DIR", .told = true,                    \
     .help = "folder with COLUMN.csv (ARX) or COLUMN.tsv (child, parent) per "                     \
             "quasi-identifier; without one, values are kept or starred ('lethe hierarchy' "       \
             "writes one)"},                                                                       \
    {.name = "ranges", .type = LETHE_OPT_TEXT, .arg = "COLUMN=5,10,...",                           \
     .help = "hierarchy of numbers: ranges of these widths; COLUMN=0-99:5,10 gives the domain; "   \
             "COLUMN=values (local) publishes ranges of each group's numbers; separate "           \
             "columns by ;"},                                                                      \
    {.name = "missing", .type = LETHE_OPT_CHOICE, .arg = "keep|drop", .fallback = "keep",          \
     .help = "keep or drop rows with a missing value (empty, or ?) in a column that is used"}

/* The k of a group, and its promise: record-k-anonymity. */
#define LETHE_K_OPTION                                                                             \
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 2, .max = 1e9,        \
     .required = true,                                                                             \
     .help = "minimum number of persons per group, all published with the same record"}
// clang-format on
lethe_json *lethe_record_claim(const lethe_values *v, lethe_json_doc *doc); /* to be added to */
void lethe_record_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
/* Caveats of these methods that depend on options: sets out[0] .. and returns how many. */
size_t lethe_record_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);

/* For lethe_method.need: lethe_records_path_nodes() of the input, which may still be being read. */
static inline uint64_t lethe_need_path_nodes(const lethe_data *in, const lethe_sizes *s)
{
    return lethe_records_path_nodes(in ? in->records : NULL, in ? in->tree : NULL, s);
}

/* How personal data in queries is hidden: by scrub, and by methods that scrub first. */
typedef struct lethe_masking {
    lethe_detector detector;
    bool drops;       /* leave out queries with a finding, instead of masking it */
    bool hashes_pass; /* an earlier step replaced texts by keyed hashes, which reveal nothing */
} lethe_masking;
/* Masks the row's query, in `buf`, or sets *dropped to the reason why the row is left out (a static
 * text).  Adds the findings to `found`.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_masking_apply(const lethe_masking *m, lethe_row *row,
                                               lethe_buf *buf, uint64_t found[LETHE_N_PII],
                                               const char **dropped);
bool lethe_masking_finds(const lethe_masking *m, lethe_str text); /* is there a finding? */
/* Pushes the claim that detectors of these kinds find nothing. */
void lethe_masking_claim(unsigned kinds, lethe_json_doc *doc, lethe_json *claims);

/* The shape that a method produces where its option `as`, if it has one, is this. */
lethe_shape lethe_method_shape_as(const lethe_method *m, lethe_str as);

extern const lethe_method lethe_method_aa;
extern const lethe_method lethe_method_anneal;
extern const lethe_method lethe_method_clump;
extern const lethe_method lethe_method_disconnect;
extern const lethe_method lethe_method_incognito;
extern const lethe_method lethe_method_local;
extern const lethe_method lethe_method_lplus;
extern const lethe_method lethe_method_microagg;
extern const lethe_method lethe_method_mm;
extern const lethe_method lethe_method_mog;
extern const lethe_method lethe_method_og;
extern const lethe_method lethe_method_partition;
extern const lethe_method lethe_method_scrub;
extern const lethe_method lethe_method_seal;
extern const lethe_method lethe_method_split;
extern const lethe_method lethe_method_ssg;
extern const lethe_method lethe_method_threshold;

#endif
