/* sets.h - what the methods that publish sets of items have in common: og, mog, aa and mm. */
#ifndef LETHE_METHOD_ITEMSET_SETS_H
#define LETHE_METHOD_ITEMSET_SETS_H
#include "method/itemset/cuts/cut_sets.h"
#include "method/method.h"
#include "model/knowledge/knowledge.h"

/* Figures of a cut. */
#define LETHE_CUT_FIGURES                                                                          \
    {"ncp", "what generalizing loses: LM, averaged over the items of all sets", -1},               \
        {"cost", "LM, summed over the items of all sets", -1},                                     \
    {                                                                                              \
        "cut", "what items are published, sorted", 0                                               \
    }

/* What all of them do not protect against. */
#define LETHE_SETS_CAVEAT_SENSITIVE                                                                \
    "Sensitive items are published as they are. Who knows that a person has one of them is not "   \
    "protected against."
#define LETHE_SETS_CAVEAT_NONE                                                                     \
    "That no set satisfies some knowledge can be seen, and tells that the person is not among "    \
    "them."
#define LETHE_SETS_CAVEAT_RELEASES                                                                 \
    "Releases of the same or of overlapping data are not protected together."
#define LETHE_SETS_CAVEAT_PERSONS                                                                  \
    "Who the sets belong to is taken from the input: a person with several IDs counts several "    \
    "times."

/* Pushes the claim kl-privacy; `v` tells whether records count for persons. */
void lethe_sets_kl_claim(const lethe_values *v, const lethe_kl *kl, lethe_json_doc *doc,
                         lethe_json *claims);

/* Why nothing can be published: LETHE_ANSWER_NO, with a message. */

/* LETHE_OK where there are k. */
LETHE_MUST_CHECK lethe_err lethe_sets_enough(const lethe_run *run, const lethe_records *sets,
                                             uint64_t k);
/* `with` of all sets have the sensitive item, and `option` allows the share `most` of them; `so` is
 * what follows. */
lethe_err lethe_sets_too_common(const lethe_run *run, const lethe_records *sets, uint32_t mark,
                                uint64_t with, const char *so, const char *option, double most);
/* Not even the most general item may be shown: some sets have no item at all, and having any tells
 * too much. */
lethe_err lethe_sets_root_invalid(const lethe_run *run, const lethe_records *sets,
                                  const lethe_tree *t);

/* Publishes each set by the cut, and sets its figures.  The cut is then in another order. */
LETHE_MUST_CHECK lethe_err lethe_sets_publish_cut(const lethe_run *run, lethe_result *out,
                                                  const lethe_records *sets, const lethe_tree *t,
                                                  const lethe_cuts_costs *costs, uint32_t *cut,
                                                  size_t n);

#endif
