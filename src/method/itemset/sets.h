/* SPDX-License-Identifier: Apache-2.0 */
/* sets.h - what the methods that publish sets of items share: og, mog, aa and mm. */
#ifndef LETHE_METHOD_ITEMSET_SETS_H
#define LETHE_METHOD_ITEMSET_SETS_H
#include "method/itemset/cuts/cut_sets.h"
#include "method/method.h"
#include "model/knowledge/knowledge.h"

/* Figures of a cut. */
/* clang-format off */
#define LETHE_CUT_FIGURES                                                                          \
    {"ncp", "loss of generalization: LM, averaged over the items of all sets", -1,                 \
     .kind = LETHE_FIGURE_SHARE, .label = "generalization loss", .unit = "per item, 0 to 1"},      \
    {"cost", "LM, summed over the items of all sets", -1, .kind = LETHE_FIGURE_NUMBER,             \
     .label = "generalization loss in total", .unit = "items, each 0 to 1", .detail = true},       \
    {"cut", "the items that are published, sorted", 0, .source = LETHE_FIGURE_RELEASE,             \
     .kind = LETHE_FIGURE_NAMES, .label = "distinct items published"}
/* clang-format on */

#define LETHE_SETS_CAVEAT_NONE                                                                     \
    "If no published set fits what someone knows about a person, this shows that the person is "   \
    "not in the data."
#define LETHE_SETS_CAVEAT_RELEASES                                                                 \
    "Releases of the same or of overlapping data are not protected together."

/* Caveats that depend on --persons and --sensitive; returns how many. */
size_t lethe_sets_warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);

/* Adds the claim kl-privacy; `v` tells whether records count as persons. */
void lethe_sets_kl_claim(const lethe_values *v, const lethe_kl *kl, lethe_json_doc *doc,
                         lethe_json *claims);

/* Reasons why nothing can be published: LETHE_ANSWER_NO, with a message. */

/* LETHE_OK where there are at least k sets. */
LETHE_MUST_CHECK lethe_err lethe_sets_enough(const lethe_run *run, const lethe_records *sets,
                                             uint64_t k);
/* `with` of all sets have the sensitive item, and `option` allows the share `most`; `consequence`
 * begins the message. */
lethe_err lethe_sets_too_common(const lethe_run *run, const lethe_records *sets, uint32_t mark,
                                uint64_t with, const char *consequence, const char *option,
                                double most);
/* Not even the most general item may be shown: some sets have no item at all, and having any
 * reveals too much. */
lethe_err lethe_sets_root_invalid(const lethe_run *run, const lethe_records *sets,
                                  const lethe_tree *t);

/* Publishes each set by the cut, and sets its figures.  Reorders `cut`. */
LETHE_MUST_CHECK lethe_err lethe_sets_publish_cut(const lethe_run *run, lethe_result *out,
                                                  const lethe_records *sets, const lethe_tree *t,
                                                  const lethe_cuts_costs *costs, uint32_t *cut,
                                                  size_t n);

#endif
