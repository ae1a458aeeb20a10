/* kl_privacy.c - does what a person is known to have, and not to have, name no one and tell
 * nothing? KL(m,n)-privacy: J. Liu, thesis, 2010, Definition 4.4.
 *
 * Decided from data.txt, taxonomy.tsv and sensitive.txt: every set of decorated items within the
 * power (m,n) is satisfied by no record or by k, no more than 1/l of which have any one sensitive
 * item.  Items are those published and all above them.  The empty set is one.  (The definition says
 * "more than k" and then "k or more": the latter is meant, for the chance is to be at most 1/k.)
 * That a node has so many leaves is what taxonomy.tsv says. */
#include "check/check.h"
#include "check/item_verdict.h"
#include "io/json/json.h"

static bool count_is(const lethe_json *v, int64_t least, int64_t most, uint64_t *out)
{
    if (lethe_json_kind(v) != LETHE_JSON_INT || lethe_json_int(v) < least ||
        lethe_json_int(v) > most)
        return false;
    *out = (uint64_t)lethe_json_int(v);
    return true;
}

static const char *const parameters[] = {"notion", "k", "l", "m", "n", "strict", "persons", NULL};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, lethe_kl *out)
{
    const lethe_json *l = lethe_json_get(claim, "l"), *strict = lethe_json_get(claim, "strict"),
                     *persons = lethe_json_get(claim, "persons");
    bool is_number = lethe_json_kind(l) == LETHE_JSON_INT || lethe_json_kind(l) == LETHE_JSON_REAL;
    uint64_t m;
    if (lethe_json_kind(claim) != LETHE_JSON_OBJECT || !lethe_item_claim_knows(claim, parameters))
        return lethe_fail(d, LETHE_EINPUT,
                          "malformed claim: kl-privacy takes k, l, m, n, strict and persons");
    if (!count_is(lethe_json_get(claim, "k"), 1, INT64_MAX, &out->k))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: k is not a whole number above 0");
    if (!is_number || !(lethe_json_real(l) >= 1))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: l is not a number of 1 or more");
    if (!count_is(lethe_json_get(claim, "m"), 1, UINT32_MAX, &m))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: m is not a whole number above 0");
    if (!count_is(lethe_json_get(claim, "n"), 0, INT64_MAX, &out->n))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: n is not a whole number");
    if (strict && lethe_json_kind(strict) != LETHE_JSON_BOOL)
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: strict is neither true nor false");
    if (persons && !lethe_str_eq(lethe_json_text(persons), LETHE_LIT("record")))
        return lethe_fail(d, LETHE_EINPUT, "malformed claim: persons is not record");
    out->l = lethe_json_real(l);
    out->m = (uint32_t)m;
    out->strict = lethe_json_bool(strict);
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    lethe_item_question q = {.by_share = false};
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &q.kl));
    return lethe_item_verdict(p, &q, doc, holds, why);
}

const lethe_notion lethe_notion_kl_privacy = {
    .name = "kl-privacy",
    .holds = "whoever knows that a record has up to m items and lacks items with up to n leaves "
             "finds none or at least k such records, of which at most 1/l have any one sensitive "
             "item",
    .shapes = LETHE_SHAPE_RECORDS,
    .check = check,
};
