/* SPDX-License-Identifier: Apache-2.0 */
/* item_verdict.c - runs the search on a release folder and writes its counterexample as JSON. */
#include "check/item_verdict.h"
#include "io/json/json.h"

static lethe_err clue_text(const lethe_item_sets *s, const lethe_clue *clue, lethe_buf *to)
{
    to->n = 0;
    for (unsigned i = 0; i < LETHE_CLUE_ITEMS && clue->item[i] != LETHE_NONE; i++) {
        if (i > 0) LETHE_TRY(lethe_buf_str(to, LETHE_LIT("|")));
        LETHE_TRY(lethe_buf_str(to, s->name[clue->item[i]]));
    }
    if (!s->tree) return LETHE_OK; // nothing but present items
    return lethe_buf_str(to, clue->negative ? LETHE_LIT("-") : LETHE_LIT("+"));
}

static lethe_err counterexample(lethe_ctx *ctx, const lethe_item_sets *s, uint64_t k,
                                const lethe_item_finding *f, lethe_json_doc *doc, lethe_json **why)
{
    lethe_json *o = lethe_json_object(doc), *items = lethe_json_array(doc);
    lethe_json_set(doc, o, "items", items);
    lethe_buf text = {0};
    lethe_err e = LETHE_OK;
    for (uint32_t i = 0; i < f->n && e == LETHE_OK; i++) {
        e = clue_text(s, &f->clue[i], &text);
        lethe_str item = {(const char *)text.at, text.n};
        if (e == LETHE_OK) lethe_json_push(doc, items, lethe_json_new_text(doc, item));
    }
    lethe_buf_free(&text);
    if (f->mark == LETHE_NONE) {
        lethe_set_count(doc, o, "support", f->support);
        lethe_set_count(doc, o, "needed", k);
    } else {
        lethe_json_set(doc, o, "sensitive",
                       lethe_json_new_text(doc, lethe_dict_at(s->marks, f->mark)));
        lethe_set_count(doc, o, "with", f->with);
        lethe_set_count(doc, o, "of", f->support);
    }
    if (e != LETHE_OK || lethe_json_failed(doc)) return lethe_no_memory(ctx);
    *why = o;
    return LETHE_OK;
}

/* Does the knowledge that counts name items that are there, and nothing else? */
static bool only_presence_counts(const lethe_item_sets *s, const lethe_item_question *q)
{
    return q->kl.n == 0 && (s->n_marks == 0 || q->kl.l <= 1);
}

/* Where only presence counts, published items are enough for a yes: if a record has all of some
 * items, each is a published one or above one, and whoever has these published items, no more of
 * them, has the others too.  A counterexample is the least of all knowledge: it is looked for among
 * all items, also where published ones have shown that there is one. */
static lethe_err search(lethe_published *p, lethe_item_sets *s, const lethe_item_question *q,
                        lethe_item_finding *f)
{
    if (!q->by_share) {
        if (only_presence_counts(s, q)) {
            LETHE_TRY(lethe_item_search(p->ctx, s, q, f));
            if (!f->found) return LETHE_OK;
            lethe_free(f->clue);
            *f = (lethe_item_finding){.found = false};
        }
        LETHE_TRY(lethe_item_sets_climb(s));
        if (p->leaves) s->leaves = p->leaves;
    }
    return lethe_item_search(p->ctx, s, q, f);
}

lethe_err lethe_item_verdict(lethe_published *p, const lethe_item_question *q, lethe_json_doc *doc,
                             bool *holds, lethe_json **why)
{
    lethe_item_sets *s = NULL;
    lethe_item_finding f = {.found = false};
    lethe_json *fault = NULL;
    LETHE_TRY(lethe_item_sets_read(p->ctx, p->dirfd, !q->by_share, doc, &fault, &s));
    lethe_err e = s ? search(p, s, q, &f) : LETHE_OK;
    if (e == LETHE_OK && f.found) e = counterexample(p->ctx, s, q->kl.k, &f, doc, &fault);
    if (e == LETHE_OK) {
        *holds = !fault;
        if (fault) *why = fault;
    }
    lethe_free(f.clue);
    lethe_item_sets_free(s);
    return e;
}
