/* SPDX-License-Identifier: Apache-2.0 */
/* coherence.c - does no combination of public items name anyone or tell anything?
 * (h,k,p)-coherence: Y. Xu, K. Wang, A. Fu, P. Yu, "Anonymizing Transaction Databases for
 * Publication", KDD 2008.
 *
 * Decided from data.txt and sensitive.txt: every combination of at most p public items, those that
 * are not sensitive, is in no record or in k at least, and no sensitive item is in more than the
 * share h of these.  No item at all is a combination. */
#include "check/check.h"
#include "check/claim.h"
#include "check/item_verdict.h"

struct claim {
    double h;
    uint64_t k;
    uint32_t p;
    bool of_records; /* persons are records: nothing is known of who is behind them */
};
static const lethe_claim_field claim_fields[] = {
    {"h", LETHE_CLAIM_REAL, .max = 1, .offset = offsetof(struct claim, h)},
    {"k", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, k)},
    {"p", LETHE_CLAIM_U32, .min = 1, .offset = offsetof(struct claim, p)},
    {"persons", LETHE_CLAIM_WORD, .optional = true, .choices = (const char *const[]){"record"},
     .n_choices = 1, .offset = offsetof(struct claim, of_records)},
};

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct claim c = {0};
    LETHE_TRY(lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "coherence", claim_fields,
                               LETHE_COUNT(claim_fields), &c));
    lethe_item_question q = {.kl = {.k = c.k, .l = 1, .m = c.p}, .by_share = true, .h = c.h};
    return lethe_item_verdict(p, &q, doc, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "k", 1) && lethe_claim_at_least(claim, "h", 1)
               ? "coherence with k = 1 and h = 1 promises nothing: a single record may have what "
                 "is "
                 "known, and all records that have it may have the same sensitive item."
               : NULL;
}

const lethe_notion lethe_notion_coherence = {
    .name = "coherence",
    .holds = "every combination of up to p public items is in no record or in at least k, and at "
             "most the share h of these records has the same sensitive item",
    .shapes = LETHE_SHAPE_RECORDS,
    .check = check,
    .nothing = nothing,
};
