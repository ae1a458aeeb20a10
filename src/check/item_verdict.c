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

/* Sensitive items that are known. */
struct known_marks {
    uint32_t *at;
    uint32_t n;
};

static lethe_err counterexample(lethe_ctx *ctx, const lethe_item_sets *s, uint64_t k,
                                const lethe_item_finding *f, const struct known_marks *known,
                                lethe_json_doc *doc, lethe_json **why)
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
    lethe_json *marks = known->n > 0 ? lethe_json_array(doc) : NULL;
    if (marks) lethe_json_set(doc, o, "known", marks);
    for (uint32_t i = 0; i < known->n; i++)
        lethe_json_push(doc, marks,
                        lethe_json_new_text(doc, lethe_dict_at(s->marks, known->at[i])));
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

/* --- sensitive items that are known --- */

static bool has_mark(const lethe_item_sets *s, uint32_t set, uint32_t mark)
{
    for (uint64_t i = s->mark_start[set]; i < s->mark_start[set + 1]; i++)
        if (s->mark[i] == mark) return true;
    return false;
}

/* The sets of `s` that have a sensitive item, without it, in `a`. */
static lethe_err sets_with(const lethe_item_sets *s, uint32_t mark, lethe_arena *a,
                           lethe_item_sets *out)
{
    uint32_t n = 0;
    uint64_t items = 0, marks = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!has_mark(s, i, mark)) continue;
        n++;
        items += s->start[i + 1] - s->start[i];
        marks += s->mark_start[i + 1] - s->mark_start[i];
    }
    uint64_t *weight = lethe_new(a, uint64_t, (size_t)n + 1);
    uint64_t *start = lethe_new(a, uint64_t, (size_t)n + 1);
    uint64_t *mark_start = lethe_new(a, uint64_t, (size_t)n + 1);
    uint32_t *item = lethe_new(a, uint32_t, items + 1), *left = lethe_new(a, uint32_t, marks + 1);
    if (!weight || !start || !mark_start || !item || !left) return LETHE_ENOMEM;
    *out = *s;
    out->n_records = n = 0;
    items = marks = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!has_mark(s, i, mark)) continue;
        for (uint64_t k = s->start[i]; k < s->start[i + 1]; k++)
            item[items++] = s->item[k];
        for (uint64_t k = s->mark_start[i]; k < s->mark_start[i + 1]; k++)
            if (s->mark[k] != mark) left[marks++] = s->mark[k];
        out->n_records += s->weight[i];
        weight[n++] = s->weight[i];
        start[n] = items;
        mark_start[n] = marks;
    }
    out->n = n;
    out->weight = weight;
    out->start = start;
    out->item = item;
    out->mark_start = mark_start;
    out->mark = left;
    return LETHE_OK;
}

/* The least counterexample of who knows one more sensitive item, from `first` on: such knowledge is
 * satisfied by sets that have it.  Then of who knows two more, and so on. */
static lethe_err search_known(lethe_ctx *ctx, const lethe_item_sets *s,
                              const lethe_item_question *q, uint32_t first,
                              struct known_marks *known, lethe_item_finding *f)
{
    lethe_err e = LETHE_OK;
    if (known->n == q->kl.sensitive_known) return LETHE_OK;
    for (uint32_t mark = first; e == LETHE_OK && !f->found && mark < s->n_marks; mark++) {
        lethe_item_sets with;
        lethe_arena *a = lethe_arena_new();
        e = a && sets_with(s, mark, a, &with) == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
        known->at[known->n++] = mark;
        if (e == LETHE_OK && with.n > 0) {
            e = lethe_item_search(ctx, &with, q, f);
            if (e == LETHE_OK && !f->found) e = search_known(ctx, &with, q, mark + 1, known, f);
        }
        if (!f->found) known->n--;
        lethe_arena_free(a);
    }
    return e;
}

/* Of sets in which nothing was found by public items alone. */
static lethe_err search_with_sensitive(lethe_published *p, lethe_item_sets *s,
                                       const lethe_item_question *q, struct known_marks *known,
                                       lethe_item_finding *f)
{
    if (q->kl.sensitive_known == 0 || s->n_marks == 0) return LETHE_OK;
    lethe_err e = s->tree ? LETHE_OK : lethe_item_sets_climb(s); // where only presence counted
    LETHE_TRY(e);
    if (p->leaves) s->leaves = p->leaves;
    known->at = lethe_new(s->arena, uint32_t, s->n_marks);
    if (!known->at) return lethe_no_memory(p->ctx);
    return search_known(p->ctx, s, q, 0, known, f);
}

lethe_err lethe_item_verdict(lethe_published *p, const lethe_item_question *q, lethe_json_doc *doc,
                             bool *holds, lethe_json **why)
{
    lethe_item_sets *s = NULL;
    lethe_item_finding f = {.found = false};
    lethe_json *fault = NULL;
    LETHE_TRY(lethe_item_sets_read(p->ctx, p->dirfd, !q->by_share, doc, &fault, &s));
    struct known_marks known = {.n = 0};
    lethe_err e = s ? search(p, s, q, &f) : LETHE_OK;
    if (e == LETHE_OK && s && !f.found) e = search_with_sensitive(p, s, q, &known, &f);
    if (e == LETHE_OK && f.found) e = counterexample(p->ctx, s, q->kl.k, &f, &known, doc, &fault);
    if (e == LETHE_OK) {
        *holds = !fault;
        if (fault) *why = fault;
    }
    lethe_free(f.clue);
    lethe_item_sets_free(s);
    return e;
}
