/* SPDX-License-Identifier: Apache-2.0 */
/* generalize.h - what the methods that generalize a table share: lplus, incognito, anneal and, as
 * far as it is not about cuts, local. J. Liu, "Enhancing Utility in Privacy Preserving Data
 * Publishing", Simon Fraser University, 2010, chapter 3. */
#ifndef LETHE_METHOD_TABLE_GENERALIZE_H
#define LETHE_METHOD_TABLE_GENERALIZE_H
#include "method/table/asked.h"
#include "method/table/search/table_search.h"

/* clang-format off */
/* Privacy requirements on each group, and what is minimized. */
#define LETHE_DEMAND_OPTIONS                                                                       \
    {.name = "theta", .type = LETHE_OPT_TEXT, .arg = "X",                                          \
     .help = "at most this share of a group has any one sensitive value, such as 0.25 or 1/3"},    \
    {.name = "theta-file", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,                    \
     .help = "a threshold per sensitive value: value TAB theta; other values get --theta"},        \
    {.name = "theta-by-frequency", .type = LETHE_OPT_TEXT, .arg = "X",                             \
     .help = "X for values rarer than the average, proportionally more for other values"},         \
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,        \
     .help = "each group has at least this many rows"},                                            \
    {.name = "distinct-l", .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,              \
     .help = "each group shows at least this many different sensitive values"},                    \
    {.name = "entropy-l", .type = LETHE_OPT_TEXT, .arg = "L",                                      \
     .help = "the entropy of a group's sensitive values is at least log L, such as 2.5"},          \
    {.name = "recursive", .type = LETHE_OPT_TEXT, .arg = "C,L",                                    \
     .help = "in a group, the most frequent sensitive value has fewer rows than C times those "    \
             "of the L-th most frequent and all rarer ones"},                                      \
    {.name = "t-closeness", .type = LETHE_OPT_TEXT, .arg = "T",                                    \
     .help = "the sensitive values of a group are distributed as in the whole table, up to a "     \
             "distance of T, such as 0.2 or 1/5"},                                                 \
    {.name = "t-distance", .type = LETHE_OPT_TEXT, .arg = "DISTANCE",                              \
     .help = "distance of two values: equal (the default), ordered (numbers) or hierarchical "     \
             "(--hierarchies); by column: salary=ordered,disease=hierarchical"}
#define LETHE_COST_OPTION                                                                          \
    {.name = "cost", .type = LETHE_OPT_CHOICE, .arg = "LM|DM|CM", .fallback = "LM",                \
     .help = "what to minimize: loss of detail in the values (LM), rows that look alike (DM), "    \
             "or rows outside the class of their group (CM)"}
/* Of methods that count the rows of a population in each group: lethe_tuples.population. */
#define LETHE_POPULATION_OPTIONS                                                                   \
    {.name = "k-map", .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,                   \
     .help = "at least this many rows of the population fall under the values of each group"},     \
    {.name = "population", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,                    \
     .help = "the table of the population, with the columns of --qi, for --k-map"},                \
    {.name = "population-blake2b", .type = LETHE_OPT_TEXT, .arg = "DIGEST",                        \
     .help = "the digest that the file of --population must have, in hexadecimal digits; a "       \
             "manifest has it in any case"}
#define LETHE_SUPPRESS_OPTION                                                                      \
    {.name = "suppress", .type = LETHE_OPT_CHOICE, .arg = "none|vioSA|allSA|vioRec|allRec|evenSA", \
     .fallback = "vioRec",                                                                         \
     .help = "where a value is too common in a group: star that value or all values of the "       \
             "group (vioSA, allSA), star the commonest values of the group to equal counts "       \
             "(evenSA), delete as few rows as needed or all of them (vioRec, allRec), or "         \
             "generalize more (none)"}
#define LETHE_DELETION_OPTION                                                                      \
    {.name = "deletion-weight", .type = LETHE_OPT_REAL, .arg = "W", .min = 1, .max = 100,          \
     .help = "what a deleted row costs, in rows of which every value is fully general (with "      \
             "--cost LM, up to three decimals) [default: 2]"}
#define LETHE_PRICES_OPTION                                                                        \
    {.name = "prices", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,                        \
     .help = "what suppressing a sensitive value costs, as value TAB price, in rows of which "     \
             "every value is fully general (with --cost LM); other values cost 1 if they are "     \
             "starred, and --deletion-weight if their row is deleted"}
#define LETHE_PRECAUTION_OPTION                                                                    \
    {.name = "precaution-suppress", .type = LETHE_OPT_REAL, .arg = "P", .min = 0, .max = 1,        \
     .help = "suppress each group altogether with this probability, starred or deleted as "        \
             "--suppress does, so that nobody can draw conclusions from what is suppressed"}
#define LETHE_SEARCH_OPTIONS                                                                       \
    {.name = "time-limit", .type = LETHE_OPT_DURATION, .arg = "DURATION", .min = 1, .max = 3.2e9,  \
     .help = "stop the search after this time"},                                                   \
    {.name = "max-cuts", .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 9e15,               \
     .help = "stop the search after N cuts"},                                                      \
    {.name = "precaution", .type = LETHE_OPT_REAL, .arg = "P", .fallback = "0",                    \
     .min = 0, .max = 1,                                                                           \
     .help = "generalize each value once more with this probability, so that nobody can draw "     \
             "conclusions from the cut being the best"},                                           \
    {.name = "trace", .type = LETHE_OPT_PATH, .arg = "FILE",                                       \
     .help = "write each better cut that is found to FILE: seconds, cuts examined, cost"}
/* clang-format on */

/* The state of one run. */
typedef struct lethe_generalize_run {
    lethe_run *run;
    lethe_result *out;
    const lethe_table *table;
    lethe_arena *arena;
    lethe_tuples *tuples;
    lethe_group_demand demand;
    lethe_asked asked;
    uint64_t population; /* rows that are counted, where there is k-map */
    const uint64_t **weight;
    double unit; /* a cost of 1 as a whole number */
    bool listed; /* do sensitive values have thresholds of their own? */
    lethe_table_limits limits;
    lethe_err trace_err; /* of writing the trace */
} lethe_generalize_run;

/* Of all methods that group rows, and of those that use one cut for the whole table. */
LETHE_MUST_CHECK lethe_err lethe_generalize_validate(const lethe_values *v, lethe_diag *d);
LETHE_MUST_CHECK lethe_err lethe_cut_validate(const lethe_values *v, lethe_diag *d);
void lethe_generalize_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
size_t lethe_generalize_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);
/* Where something is suppressed, and thresholds go by frequency. */
#define THRESHOLDS_TELL                                                                            \
    "The thresholds of --theta-by-frequency are published (theta.tsv), and tell about how often "  \
    "each value occurred in the original: anyone who counts the rows that show a value sees "      \
    "about how many of it are suppressed, and may learn whose."
double lethe_precaution_suppress(const lethe_values *v); /* 0 where there is no such option */
extern const lethe_figure lethe_generalize_figures[];
extern const char *const lethe_generalize_caveats[];
extern const char *const lethe_generalize_found[];
/* These, where the cut was raised less than asked, or less was suppressed. */
#define FEWER_RAISED                                                                               \
    "Fewer values were generalized further than --precaution asks for: with more of them the "     \
    "promise could not be kept."
#define FEWER_SUPPRESSED                                                                           \
    "Fewer groups were suppressed than --precaution-suppress asks for: with more of them nothing " \
    "would have been left."

/* What methods over tables need besides the table and its publisher: the numbers of rows while they
 * become tuples, then `per_tuple` bytes for each tuple, of which there are at most as many as
 * combinations of values; or the published table, read back to be checked, which is about as large
 * as the table itself. */
uint64_t lethe_generalize_need(const lethe_data *in, const lethe_sizes *s, uint64_t per_tuple);

/* The function of a method: prepares everything for `search`, which finds cuts and publishes by
 * one. */
typedef lethe_err (*lethe_generalize_search_fn)(lethe_generalize_run *g);
LETHE_MUST_CHECK lethe_err lethe_generalize_table(lethe_run *run, const lethe_data *in,
                                                  lethe_result *out,
                                                  lethe_generalize_search_fn search);
/* Publishes by one of the cuts found (a random one of several) and sets the figures, or reports why
 * there is none (LETHE_ANSWER_NO). */
LETHE_MUST_CHECK lethe_err lethe_generalize_publish(lethe_generalize_run *g,
                                                    const lethe_table_found *found,
                                                    double cuts_total);
/* Reports why not even the table as one group keeps the promise; `so` begins the message.  Returns
 * LETHE_ANSWER_NO. */
lethe_err lethe_generalize_infeasible(lethe_generalize_run *g, const char *so);
/* The rows of each tuple of a run: those of tuple i are row[first[i]] .. row[first[i + 1] - 1]. In
 * the run's arena. */
LETHE_MUST_CHECK lethe_err lethe_generalize_rows(lethe_generalize_run *g, uint32_t **first,
                                                 uint32_t **row);
#endif
