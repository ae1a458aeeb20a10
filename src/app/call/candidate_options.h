/* SPDX-License-Identifier: Apache-2.0 */
/* candidate_options.h - rows of the option tables of `publish`, `redo`, `suggest` and `compare`. */
#ifndef LETHE_APP_CALL_CANDIDATE_OPTIONS_H
#define LETHE_APP_CALL_CANDIDATE_OPTIONS_H
#include "core/ctx.h"
#include "lethe/option.h"

/* clang-format off */
#define RISK_OPTION(text)                                                                          \
    {.name = "risk", .type = LETHE_OPT_REAL, .arg = "SHARE", .fallback = "9%", .unit = '%',        \
     .min = 0, .max = 100, .help = (text)}
#define LEAST_OPTION                                                                               \
    {.name = "least", .type = LETHE_OPT_REAL, .arg = "SHARE", .fallback = "2%", .unit = '%',       \
     .min = 0, .max = 100, .help = "how much must be kept of what matters for the goal"}
#define SAMPLE_OPTION                                                                              \
    {.name = "sample", .type = LETHE_OPT_COUNT, .arg = "N", .min = 2, .max = 1e12,                 \
     .help = "for logs: try the candidates on N users first [default: 2000 if there are more "     \
             "than 3000]"}
#define WITHIN_OPTION(time, text)                                                                  \
    {.name = "within", .type = LETHE_OPT_DURATION, .arg = "DURATION", .fallback = (time), .min = 1,\
     .max = 3.2e9, .help = (text)}
#define GOAL_OPTION(goal, text)                                                                    \
    {.name = "goal", .type = LETHE_OPT_CHOICE, .arg = "patterns|sessions|clicks|counts",           \
     .fallback = (goal),                                                                           \
     .help = "purpose of the release: find what occurs together, follow sessions, learn which "    \
             "results are clicked, or count" text}
#define COLUMN_OPTIONS                                                                             \
    {.name = "qi", .type = LETHE_OPT_TEXT, .arg = "COLUMN,...",                                    \
     .help = "treat the input as a table; these columns are quasi-identifiers"},                   \
    {.name = "sa", .type = LETHE_OPT_TEXT, .arg = "COLUMN,...",                                    \
     .help = "for tables: sensitive columns"},                                                     \
    {.name = "class", .type = LETHE_OPT_TEXT, .arg = "COLUMN",                                     \
     .help = "for tables: the class column, published unchanged"}
#define GENERALIZING_OPTIONS(ranges_default)                                                       \
    {.name = "hierarchies", .type = LETHE_OPT_PATH, .arg = "DIR", .told = true,                    \
     .help = "for tables: folder with COLUMN.csv or COLUMN.tsv per quasi-identifier"},             \
    {.name = "ranges", .type = LETHE_OPT_TEXT, .arg = "COLUMN=5,10,...",                           \
     .help = "for tables: widths of ranges for a numeric column" ranges_default},                  \
    {.name = "missing", .type = LETHE_OPT_CHOICE, .arg = "keep|drop",                              \
     .help = "for tables: keep or drop rows with a missing value"}
#define TAXONOMY_OPTION(text)                                                                      \
    {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "FILE",                                    \
     .word = "wordnet|wordnet:present", .help = (text)}
#define TRUTH_OPTION                                                                               \
    {.name = "truth", .type = LETHE_OPT_PATH, .arg = "FILE",                                       \
     .help = "who was planted in the input (adversary identity)"}
#define RESULTS_OPTION(text)                                                                       \
    {.name = "results", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,                       \
     .help = "search results as query TAB url, in rank order (" text ")"}
#define ADVERSARY_OPTIONS                                                                          \
    TRUTH_OPTION,                                                                                  \
    {.name = "known", .type = LETHE_OPT_COUNT, .arg = "M", .min = 1, .max = 1000,                  \
     .help = "number of facts that adversaries know about a person [default: 3]"},                 \
    {.name = "external", .type = LETHE_OPT_PATH, .arg = "FILE",                                    \
     .help = "for tables: the adversary's own table of persons (linking) [default: the original]"}
/* clang-format on */

/* The value of an option that is a share: 9% and 0.09 are the same. */
static inline double lethe_option_share(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_of(v, name);
    return value->count == 1 ? value->real / 100 : value->real;
}

/* LETHE_EUSAGE, after a message, unless they are shares that make sense. */
LETHE_MUST_CHECK static inline lethe_err lethe_shares_check(lethe_ctx *ctx, double risk,
                                                            double least)
{
    bool risky = risk <= 0 || risk > 1;
    if (!risky && least <= 1) return LETHE_OK;
    return lethe_fail(ctx, LETHE_EUSAGE,
                      "--%s: a share of up to 100 %% is needed, such as 9%% or 0.09",
                      risky ? "risk" : "least");
}

#endif
