/* coherence.c - does no combination of public items name anyone or tell anything?
 * (h,k,p)-coherence: Y. Xu, K. Wang, A. Fu, P. Yu, "Anonymizing Transaction Databases for
 * Publication", KDD 2008.
 *
 * Decided from data.txt and sensitive.txt: every combination of at most p public items, those that
 * are not sensitive, is in no record or in k at least, and no sensitive item is in more than the
 * share h of these.  No item at all is a combination. */
#include "check/check.h"
#include "check/item_verdict.h"
#include "io/json/json.h"

static const char *const parameters[] = {"notion", "h", "k", "p", "persons", NULL};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, lethe_item_question *out)
{
    const lethe_json *h = lethe_json_get(claim, "h"), *k = lethe_json_get(claim, "k"),
                     *p = lethe_json_get(claim, "p"), *persons = lethe_json_get(claim, "persons");
    bool is_number = lethe_json_kind(h) == LETHE_JSON_INT || lethe_json_kind(h) == LETHE_JSON_REAL;
    if (lethe_json_kind(claim) != LETHE_JSON_OBJECT || !lethe_item_claim_knows(claim, parameters))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: coherence takes h, k, p and persons");
    if (!is_number || !(lethe_json_real(h) >= 0 && lethe_json_real(h) <= 1))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: h is not a share between 0 and 1");
    if (lethe_json_kind(k) != LETHE_JSON_INT || lethe_json_int(k) < 1)
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: k is not a whole number above 0");
    if (lethe_json_kind(p) != LETHE_JSON_INT || lethe_json_int(p) < 1 ||
        lethe_json_int(p) > UINT32_MAX)
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: p is not a whole number above 0");
    if (persons && !lethe_str_eq(lethe_json_text(persons), LETHE_LIT("record")))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: persons is not record");
    *out = (lethe_item_question){
        .kl = {.k = (uint64_t)lethe_json_int(k), .l = 1, .m = (uint32_t)lethe_json_int(p)},
        .by_share = true,
        .h = lethe_json_real(h)};
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    lethe_item_question q;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &q));
    return lethe_item_verdict(p, &q, doc, holds, why);
}

const lethe_notion lethe_notion_coherence = {
    .name = "coherence",
    .holds = "every combination of up to p public items is in no record or in at least k, of which "
             "at most the share h has any one sensitive item",
    .shapes = LETHE_SHAPE_RECORDS,
    .check = check,
};
