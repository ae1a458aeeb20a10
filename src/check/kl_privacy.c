/* SPDX-License-Identifier: Apache-2.0 */
/* kl_privacy.c - does what a person is known to have, and not to have, name no one and tell
 * nothing? KL(m,n)-privacy: J. Liu, "Enhancing Utility in Privacy Preserving Data
 * Publishing", Simon Fraser University, 2010, Definition 4.4.
 *
 * Decided from data.txt, taxonomy.tsv and sensitive.txt: every set of decorated items within the
 * power (m,n) is satisfied by no record or by k, no more than 1/l of which have any one sensitive
 * item.  Items are those published and all above them.  The empty set is one.  (The definition says
 * "more than k" and then "k or more": the latter is meant, for the chance is to be at most 1/k.)
 * With sensitive_known the same holds of the records that have any one sensitive item, or any two,
 * up to so many, and of their other sensitive items: whoever knows these looks at no other records.
 * That a node has so many leaves is what taxonomy.tsv says, or p->leaves: `verify` compares them
 * with a copy of the taxonomy (release/verify/verify_taxonomy.c). */
#include "check/check.h"
#include "check/claim.h"
#include "check/item_verdict.h"

struct claim {
    lethe_kl kl;
    bool of_records; /* persons are records: nothing is known of who is behind them */
};
static const lethe_claim_field claim_fields[] = {
    {"k", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, kl.k)},
    {"l", LETHE_CLAIM_REAL, .min = 1, .offset = offsetof(struct claim, kl.l)},
    {"m", LETHE_CLAIM_U32, .min = 1, .offset = offsetof(struct claim, kl.m)},
    {"n", LETHE_CLAIM_U64, .offset = offsetof(struct claim, kl.n)},
    {"sensitive_known", LETHE_CLAIM_U32, .min = 1, .optional = true,
     .offset = offsetof(struct claim, kl.sensitive_known)},
    {"strict", LETHE_CLAIM_BOOL, .optional = true, .offset = offsetof(struct claim, kl.strict)},
    {"persons", LETHE_CLAIM_WORD, .optional = true, .choices = (const char *const[]){"record"},
     .n_choices = 1, .offset = offsetof(struct claim, of_records)},
};

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct claim c = {0};
    LETHE_TRY(lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "kl-privacy", claim_fields,
                               LETHE_COUNT(claim_fields), &c));
    return lethe_item_verdict(p, &(lethe_item_question){.kl = c.kl}, doc, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "k", 1) && lethe_claim_at_most(claim, "l", 1)
               ? "kl-privacy with k = 1 and l = 1 promises nothing: a single record may fit what "
                 "is "
                 "known, and all records that fit may have the same sensitive item."
               : NULL;
}

const lethe_notion lethe_notion_kl_privacy = {
    .name = "kl-privacy",
    .holds = "anyone who knows that a record has up to m items and lacks items with up to n "
             "leaves finds no such record or at least k, and at most 1/l of these records have "
             "the same sensitive item; with sensitive_known, also where so many sensitive items of "
             "the record are known",
    .shapes = LETHE_SHAPE_RECORDS,
    .check = check,
    .nothing = nothing,
};
