/* SPDX-License-Identifier: Apache-2.0 */
/* counted_threshold.c - has every published item a count of at least t?
 *
 * Decided from counts.tsv alone, which shows no users: that a count is the number of users, queries
 * or rows that it says is seen while the release is made (check/recount.h), and is the publisher's
 * word afterwards. */
#include "check/check.h"
#include "check/claim.h"
#include "model/published/published_counts.h"

static const char *const unit_names[] = {[LETHE_COUNTED_USERS] = "users",
                                         [LETHE_COUNTED_QUERIES] = "queries",
                                         [LETHE_COUNTED_ROWS] = "rows"};

struct claim {
    uint64_t t;
    lethe_counted unit;
};

static const lethe_claim_field claim_fields[] = {
    {"t", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, t)},
    {"by", LETHE_CLAIM_CHOICE, .choices = unit_names, .n_choices = LETHE_COUNT(unit_names),
     .offset = offsetof(struct claim, unit)},
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct claim *out)
{
    return lethe_claim_read(d, claim, "counted-threshold", claim_fields, LETHE_COUNT(claim_fields),
                            out);
}

struct inspection {
    lethe_ctx *ctx;
    struct claim claim;
    lethe_json_doc *doc;
    lethe_json *why; /* the first item with too small a count */
};

static lethe_err on_item(void *arg, lethe_str item, uint64_t count)
{
    struct inspection *c = arg;
    if (count >= c->claim.t || c->why) return LETHE_OK;
    lethe_json *o = lethe_json_object(c->doc);
    lethe_json_set(c->doc, o, "item", lethe_json_new_text(c->doc, item));
    lethe_json_set(c->doc, o, unit_names[c->claim.unit],
                   lethe_json_new_int(c->doc, (int64_t)count));
    lethe_json_set(c->doc, o, "needed", lethe_json_new_int(c->doc, (int64_t)c->claim.t));
    c->why = o;
    return lethe_json_failed(c->doc) ? lethe_no_memory(c->ctx) : LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx, .doc = doc};
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c.claim));
    lethe_ctx_phase(p->ctx, "reading back", 0);
    LETHE_TRY(lethe_counts_published(p->ctx, p->dirfd, on_item, &c));
    *why = c.why;
    *holds = !c.why;
    return LETHE_OK;
}

static lethe_counted counted(const lethe_json *claim)
{
    struct claim c = {0};
    return claim_read(NULL, claim, &c) == LETHE_OK ? c.unit : LETHE_N_COUNTED;
}

static const char *nothing(const lethe_json *claim)
{
    static const char *const of_one[] = {
        [LETHE_COUNTED_USERS] = ("counted-threshold with t = 1 promises nothing: every text has at "
                                 "least one user."),
        [LETHE_COUNTED_QUERIES] = ("counted-threshold with t = 1 promises nothing: every text was "
                                   "issued at least once."),
        [LETHE_COUNTED_ROWS] = ("counted-threshold with t = 1 promises nothing: every text is in "
                                "at least one row.")};
    uint32_t unit =
        lethe_claim_choice(lethe_json_get(claim, "by"), unit_names, LETHE_COUNT(unit_names));
    return unit != LETHE_NONE && lethe_claim_at_most(claim, "t", 1) ? of_one[unit] : NULL;
}

const lethe_notion lethe_notion_counted_threshold = {
    .name = "counted-threshold",
    .holds = "every published item has a count of at least t users (or queries, or rows); that it "
             "was counted so is checked while the release is made, and the files do not show it",
    .shapes = LETHE_SHAPE_COUNTS,
    .check = check,
    .nothing = nothing,
    .counted = counted,
};
