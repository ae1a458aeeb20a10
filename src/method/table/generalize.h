/* generalize.h - what the methods that generalize a table have in common: lplus, incognito and
 * anneal.  J. Liu, thesis, 2010, chapter 3. */
#ifndef LETHE_METHOD_TABLE_GENERALIZE_H
#define LETHE_METHOD_TABLE_GENERALIZE_H
#include "method/table/search/table_search.h"
#include "method/method.h"

/* What is asked of each group. */
#define LETHE_DEMAND_OPTIONS                                                                       \
    {.name = "theta",                                                                              \
     .type = LETHE_OPT_TEXT,                                                                       \
     .arg = "X",                                                                                   \
     .help = "at most this share of a group has any one sensitive value: 0.25, or 1/3"},           \
        {.name = "theta-file",                                                                     \
         .type = LETHE_OPT_PATH,                                                                   \
         .arg = "FILE",                                                                            \
         .told = true,                                                                             \
         .help = "a threshold for each sensitive value: value TAB theta; --theta is for those "    \
                 "that it lacks"},                                                                 \
        {.name = "theta-by-frequency",                                                             \
         .type = LETHE_OPT_TEXT,                                                                   \
         .arg = "X",                                                                               \
         .help =                                                                                   \
             "X for values that are rarer than the average, and in proportion more for others"},   \
        {.name = "k",                                                                              \
         .letter = 'k',                                                                            \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .help = "how many rows a group has at least"},                                            \
        {.name = "distinct-l",                                                                     \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .help = "how many different sensitive values a group shows at least"},                    \
    {                                                                                              \
        .name = "cost", .type = LETHE_OPT_CHOICE, .arg = "LM|DM|CM", .fallback = "LM",             \
        .help = "what is to be least: loss of the values (LM), rows that look alike (DM), rows "   \
                "outside their group's class (CM)"                                                 \
    }
#define LETHE_SUPPRESS_OPTION                                                                      \
    {                                                                                              \
        .name = "suppress", .type = LETHE_OPT_CHOICE, .arg = "none|vioSA|allSA|vioRec|allRec",     \
        .fallback = "vioRec",                                                                      \
        .help =                                                                                    \
            "where too many of a group have one value: star that value or all of the group's "     \
            "(vioSA, allSA), delete as few rows as will do or all of them (vioRec, allRec), or "   \
            "generalize more (none)"                                                               \
    }
#define LETHE_SEARCH_OPTIONS                                                                       \
    {.name = "time-limit",                                                                         \
     .type = LETHE_OPT_DURATION,                                                                   \
     .arg = "DURATION",                                                                            \
     .min = 1,                                                                                     \
     .max = 3.2e9,                                                                                 \
     .help = "search no longer than this"},                                                        \
        {.name = "max-cuts",                                                                       \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .min = 1,                                                                                 \
         .max = 9e15,                                                                              \
         .help = "look at no more cuts than this"},                                                \
        {.name = "precaution",                                                                     \
         .type = LETHE_OPT_REAL,                                                                   \
         .arg = "P",                                                                               \
         .fallback = "0",                                                                          \
         .min = 0,                                                                                 \
         .max = 1,                                                                                 \
         .help = "generalize each value once more with this probability, so that nobody can "      \
                 "reason from the cut being the best"},                                            \
    {                                                                                              \
        .name = "trace", .type = LETHE_OPT_PATH, .arg = "FILE",                                    \
        .help = "write there each better cut that is found: seconds, cuts looked at, cost"         \
    }

/* A run at work. */
typedef struct lethe_generalize_run {
    lethe_run *run;
    lethe_result *out;
    const lethe_table *table;
    lethe_arena *arena;
    lethe_tuples *tuples;
    lethe_group_demand demand;
    const uint64_t **weight;
    double unit; /* what a cost of 1 is in whole numbers */
    bool listed; /* do values have thresholds of their own? */
    lethe_table_limits limits;
    struct lethe_generalize_trace *trace; /* NULL: none is written */
} lethe_generalize_run;

LETHE_MUST_CHECK lethe_err lethe_generalize_validate(const lethe_values *v, lethe_diag *d);
void lethe_generalize_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
size_t lethe_generalize_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);
extern const lethe_figure lethe_generalize_figures[];
extern const char *const lethe_generalize_caveats[];

/* The function of a method: makes all ready for `search`, which finds cuts and publishes by one. */
typedef lethe_err (*lethe_generalize_search_fn)(lethe_generalize_run *g);
LETHE_MUST_CHECK lethe_err lethe_generalize_table(lethe_run *run, const lethe_data *in,
                                                  lethe_result *out,
                                                  lethe_generalize_search_fn search);
/* Publishes by one of the cuts found, drawn where there are several, or says why there is none
 * (LETHE_ANSWER_NO); and sets the figures. */
LETHE_MUST_CHECK lethe_err lethe_generalize_publish(lethe_generalize_run *g,
                                                    const lethe_table_found *found,
                                                    double cuts_total);
#endif
