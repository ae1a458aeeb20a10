/* kl.h - what og and mog have in common: KL(m,n)-privacy by one cut of the taxonomy.
 * J. Liu, thesis, 2010, chapter 4. */
#ifndef LETHE_METHOD_ITEMSET_KL_H
#define LETHE_METHOD_ITEMSET_KL_H
#include "method/itemset/cuts/cut_sets.h"
#include "method/itemset/cuts/cuts.h"
#include "method/method.h"

#define LETHE_KL_OPTIONS                                                                           \
    {.name = "k",                                                                                  \
     .letter = 'k',                                                                                \
     .type = LETHE_OPT_COUNT,                                                                      \
     .arg = "N",                                                                                   \
     .min = 1,                                                                                     \
     .max = 1e9,                                                                                   \
     .required = true,                                                                             \
     .help = "how many persons fit whatever is known, at least; 1: sensitive items alone are "     \
             "protected"},                                                                         \
        {.name = "l",                                                                              \
         .letter = 'l',                                                                            \
         .type = LETHE_OPT_REAL,                                                                   \
         .arg = "X",                                                                               \
         .fallback = "1",                                                                          \
         .min = 1,                                                                                 \
         .max = 1e9,                                                                               \
         .help = "of those who fit, at most 1/X have any one sensitive item; 1: any share may"},   \
        {.name = "m",                                                                              \
         .letter = 'm',                                                                            \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .min = 1,                                                                                 \
         .max = 1e3,                                                                               \
         .required = true,                                                                         \
         .help = "of how many items it may be known that a person has them"},                      \
        {.name = "n",                                                                              \
         .letter = 'n',                                                                            \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .fallback = "0",                                                                          \
         .min = 0,                                                                                 \
         .max = 1e9,                                                                               \
         .help = "of how many items it may be known that a person does not have them"},            \
        LETHE_SENSITIVE_OPTION,                                                                    \
        {.name = "strict",                                                                         \
         .type = LETHE_OPT_FLAG,                                                                   \
         .help =                                                                                   \
             "also protect against knowing that one of two or three items of a kind is there, "    \
             "and that something of a kind is there but not this"},                                \
        {.name = "time-limit",                                                                     \
         .type = LETHE_OPT_DURATION,                                                               \
         .arg = "DURATION",                                                                        \
         .min = 1,                                                                                 \
         .max = 3.2e9,                                                                             \
         .help = "search for the best cut no longer than this"},                                   \
        {.name = "max-cuts",                                                                       \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .min = 1,                                                                                 \
         .max = 9e15,                                                                              \
         .help = "look at no more cuts than this"},                                                \
        {.name = "alpha",                                                                          \
         .type = LETHE_OPT_REAL,                                                                   \
         .arg = "X",                                                                               \
         .fallback = "0",                                                                          \
         .min = 0,                                                                                 \
         .max = 1e3,                                                                               \
         .help = "be content with at most 1 + X times the least loss"},                            \
        {.name = "top-h",                                                                          \
         .type = LETHE_OPT_COUNT,                                                                  \
         .arg = "N",                                                                               \
         .fallback = "1",                                                                          \
         .min = 1,                                                                                 \
         .max = 1000,                                                                              \
         .help = "publish by a random one of the N best cuts, so that nobody can reason from its " \
                 "being the best"},                                                                \
    {                                                                                              \
        .name = "without", .type = LETHE_OPT_SET,                                                  \
        .arg = "global|local|generic|locked|cost|order|bound|reduce|parts",                        \
        .help = "for experiments: prunings to be left out; the result is the same"                 \
    }

/* A run at work. */
typedef struct lethe_kl_run {
    lethe_run *run;
    lethe_result *out;
    const lethe_tree *t;
    const lethe_records *sets;
    lethe_kl kl;
    lethe_cuts_costs costs;
    lethe_arena *arena;
    /* Sums over all rounds. */
    uint64_t threats, nodes, cuts;
    double phase1_s, phase2_s;
    bool optimal;
    /* The cut to publish by. */
    uint32_t *cut;
    size_t n_cut;
} lethe_kl_run;

void lethe_kl_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
LETHE_MUST_CHECK lethe_err lethe_kl_validate(const lethe_values *v, lethe_diag *d);
size_t lethe_kl_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);
extern const lethe_figure lethe_kl_figures[];
extern const char *const lethe_kl_caveats[];

/* Makes h ready for rounds, or says why nothing can be published (LETHE_ANSWER_NO).  To be ended in
 * any case. */
LETHE_MUST_CHECK lethe_err lethe_kl_begin(lethe_kl_run *h, lethe_run *run, const lethe_data *in,
                                          lethe_result *out);
/* One round: h->cut becomes the best valid cut for power (m,n), of those at or above the cut there
 * is; the first of them where the last round draws from several. */
LETHE_MUST_CHECK lethe_err lethe_kl_round(lethe_kl_run *h, uint32_t m, uint64_t n, bool last);
/* Publishes by h->cut, and sets the figures. */
LETHE_MUST_CHECK lethe_err lethe_kl_publish(lethe_kl_run *h);
void lethe_kl_end(lethe_kl_run *h);

#endif
