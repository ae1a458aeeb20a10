/* SPDX-License-Identifier: Apache-2.0 */
/* kl.h - what og and mog share: KL(m,n)-privacy by one cut of the taxonomy.  J. Liu, "Enhancing
 * Utility in Privacy Preserving Data Publishing", Simon Fraser University, 2010, chapter 4. */
#ifndef LETHE_METHOD_ITEMSET_KL_H
#define LETHE_METHOD_ITEMSET_KL_H
#include "method/itemset/cuts/cut_sets.h"
#include "method/method.h"
#include "model/knowledge/knowledge.h"

/* The state of one run. */
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
    /* The cut to publish; n_cut nodes. */
    uint32_t *cut;
    size_t n_cut;
} lethe_kl_run;

void lethe_kl_claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
LETHE_MUST_CHECK lethe_err lethe_kl_validate(const lethe_values *v, lethe_diag *d);
/* Memory: see threats/threats.h; threats themselves are few beside the sets, unless m is large. */
uint64_t lethe_kl_need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s);
size_t lethe_kl_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);
extern const lethe_option lethe_kl_options[];
extern const lethe_figure lethe_kl_figures[];
extern const char *const lethe_kl_caveats[];

/* The function of a method: prepares a run, calls `rounds`, then publishes the sets by h->cut and
 * sets the figures.  Where nothing can be published: LETHE_ANSWER_NO, with a message. */
typedef lethe_err (*lethe_kl_rounds_fn)(lethe_kl_run *h);
LETHE_MUST_CHECK lethe_err lethe_kl_publish(lethe_run *run, const lethe_data *in, lethe_result *out,
                                            lethe_kl_rounds_fn rounds);
/* One round: h->cut becomes the best valid cut for power (m,n) among those at or above the current
 * one, which is valid for power (valid_m,0); in the last round, with --top-h, a random one of the
 * best. */
LETHE_MUST_CHECK lethe_err lethe_kl_round(lethe_kl_run *h, uint32_t m, uint64_t n, uint32_t valid_m,
                                          bool last);

#endif
