/* SPDX-License-Identifier: Apache-2.0 */
/* person_terms.c - the terms of each person, from a log, from records or from a sealed log as far
 * as it opens. */
#include "algo/text/person_terms.h"
#include "algo/text/log_records.h"
#include "core/parse.h"
#include "io/json/json.h"
#include "model/published/published_counts.h"
#include <assert.h>
#include <stdio.h>

/* --- of records --- */

/* `order`: records by person. */
static lethe_err persons_put(const lethe_records *raw, lethe_records_builder *b,
                             const size_t *order)
{
    for (size_t i = 0; i < raw->n; i++) {
        size_t record = order[i];
        uint32_t owner = raw->owner[record];
        if (i == 0 || owner != raw->owner[order[i - 1]]) {
            uint32_t name = raw->owners ? raw->owner_name[owner] : LETHE_NONE;
            lethe_str id =
                name == LETHE_NONE ? (lethe_str){NULL, 0} : lethe_dict_at(raw->owners, name);
            LETHE_TRY(lethe_records_begin(b, name == LETHE_NONE ? NULL : &id, owner));
        }
        for (uint64_t k = raw->start[record]; k < raw->start[record + 1]; k++)
            LETHE_TRY(lethe_records_item(b, lethe_dict_at(raw->items, raw->item[k])));
    }
    return LETHE_OK;
}

lethe_err lethe_terms_of_records(lethe_ctx *ctx, const lethe_records *raw, lethe_records **out)
{
    lethe_records_builder *b = lethe_records_builder_new();
    size_t *place = lethe_alloc_zero((size_t)raw->n_owners + 1, sizeof *place),
           *order = lethe_alloc(raw->n, sizeof *order);
    lethe_err e = b && place && order ? LETHE_OK : LETHE_ENOMEM;
    assert(raw->items); // not bound yet
    if (e == LETHE_OK) {
        /* Records by person, each person's in their order. */
        for (size_t i = 0; i < raw->n; i++)
            place[raw->owner[i] + 1]++;
        for (uint32_t o = 0; o < raw->n_owners; o++)
            place[o + 1] += place[o];
        for (size_t i = 0; i < raw->n; i++)
            order[place[raw->owner[i]]++] = i;
        e = persons_put(raw, b, order);
    }
    if (e == LETHE_OK) e = lethe_records_build(b, out);
    lethe_records_builder_free(b);
    lethe_free(place);
    lethe_free(order);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

/* --- of logs --- */

static const lethe_log_records_options all_words = {.gap_s = LETHE_GAP_ALL};

lethe_err lethe_terms_original(lethe_comparison *c, const lethe_records **out)
{
    lethe_log *log = c->original.log ? c->original.log : c->log;
    lethe_log_records_result counts;
    assert(c->terms || log);
    if (!c->terms) {
        LETHE_TRY(lethe_log_to_records(c->ctx, log, &all_words, &counts, &c->terms));
        lethe_sizes sizes = lethe_records_sizes(c->terms, NULL);
        if (c->original.records) // are held besides
            sizes.held += lethe_records_sizes(c->original.records, c->original.tree).held;
        LETHE_TRY(lethe_ctx_need(c->ctx, &sizes));
    }
    *out = c->terms;
    return LETHE_OK;
}

bool lethe_terms_are_labels(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    for (size_t i = 0; i < lethe_json_count(steps); i++)
        if (lethe_json_bool(
                lethe_json_get(lethe_json_get(lethe_json_at(steps, i), "parameters"), "synthetic")))
            return true;
    return false;
}

/* A copy of a published log with what is no term taken out, the users left in. */
struct term_filter {
    lethe_log *to;
    bool labels; /* is no text one of the original's? */
};

static lethe_err row_filter(void *arg, unsigned w, const lethe_row *row)
{
    const struct term_filter *s = arg;
    lethe_row kept = *row;
    if (s->labels || lethe_is_text_hash(row->query)) kept.query = LETHE_LIT("#"); // without a word
    return lethe_log_append(s->to, w, &kept);
}

static lethe_err users_read(lethe_comparison *c, lethe_log *log, lethe_records **out,
                            uint64_t *n_users)
{
    const lethe_json *manifest = c->published->manifest;
    bool labels = lethe_terms_are_labels(manifest);
    struct term_filter f = {.labels = labels};
    lethe_log_records_result counts = {0};
    lethe_err e = LETHE_OK;
    if (labels || lethe_claims_allow_hashes(lethe_json_get(manifest, "claims"))) {
        LETHE_TRY(lethe_log_store(c->ctx, lethe_ctx_memory(c->ctx) / 8, &f.to));
        e = lethe_log_walk(c->ctx, log, &(lethe_row_visitor){.row = row_filter, .arg = &f});
    }
    if (e == LETHE_OK)
        e = lethe_log_to_records(c->ctx, f.to ? f.to : log, &all_words, &counts, out);
    if (e == LETHE_OK) *n_users = (*out)->n + counts.empty;
    lethe_log_free(f.to);
    return e;
}

lethe_err lethe_terms_published(lethe_comparison *c, lethe_records **out, uint64_t *n_users)
{
    lethe_log *log = NULL;
    if (c->published->shape == LETHE_SHAPE_SEALED) {
        assert(c->opened);
        LETHE_TRY(users_read(c, c->opened, out, n_users));
        *n_users = c->n_sealed;
        return LETHE_OK;
    }
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err e = users_read(c, log, out, n_users);
    lethe_log_free(log);
    return e;
}

/* --- of counts --- */

/* Items as the rows of a log, each with a user of its own, whose name is the item's number. */
struct counted_items {
    lethe_ctx *ctx;
    lethe_log *to;
    lethe_buf counts; /* uint64_t each */
};

static lethe_err item_append(void *arg, lethe_str item, uint64_t count)
{
    struct counted_items *s = arg;
    char name[24];
    uint64_t number = s->counts.n / sizeof count;
    int n = snprintf(name, sizeof name, "%llu", (unsigned long long)number);
    const lethe_str user = {name, (size_t)n};
    if (lethe_buf_put(&s->counts, &count, sizeof count) != LETHE_OK) return lethe_no_memory(s->ctx);
    return lethe_log_append(s->to, 0,
                            &(lethe_row){.origin = number,
                                         .owner = user,
                                         .user = user,
                                         .query = item,
                                         .url = {"", 0},
                                         .time = LETHE_NO_TIME,
                                         .rank = LETHE_NO_RANK});
}

static lethe_err weights_find(const struct counted_items *s, const lethe_records *r, lethe_arena *a,
                              uint32_t **weight)
{
    *weight = lethe_new(a, uint32_t, r->n + 1);
    if (!*weight) return lethe_no_memory(s->ctx);
    for (size_t i = 0; i < r->n; i++) {
        uint64_t number = 0, count;
        bool named = lethe_parse_u64(lethe_dict_at(r->owners, r->owner_name[r->owner[i]]), &number);
        assert(named && number < s->counts.n / sizeof count);
        memcpy(&count, s->counts.at + number * sizeof count, sizeof count);
        (*weight)[i] = (uint32_t)LETHE_MIN(count, UINT32_MAX);
    }
    return LETHE_OK;
}

lethe_err lethe_terms_counted(lethe_comparison *c, lethe_arena *a, lethe_records **out,
                              uint32_t **weight)
{
    struct counted_items s = {.ctx = c->ctx};
    lethe_log_records_result counts;
    lethe_records *r = NULL;
    lethe_err e = lethe_log_store(c->ctx, lethe_ctx_memory(c->ctx) / 8, &s.to);
    if (e == LETHE_OK) e = lethe_counts_published(c->ctx, c->published->dirfd, item_append, &s);
    if (e == LETHE_OK) e = lethe_log_to_records(c->ctx, s.to, &all_words, &counts, &r);
    if (e == LETHE_OK) e = weights_find(&s, r, a, weight);
    lethe_log_free(s.to);
    lethe_buf_free(&s.counts);
    if (e == LETHE_OK)
        *out = r;
    else
        lethe_records_free(r);
    return e;
}

/* --- terms and leaves --- */

/* lethe_tree_grow() put it right behind its node, and called it after it. */
static bool is_own_leaf(const lethe_tree *t, uint32_t v)
{
    if (v == 0 || v >= t->n || t->parent[v] != v - 1 || !lethe_tree_is_leaf(t, v)) return false;
    lethe_str name = lethe_tree_name(t, v), above = lethe_tree_name(t, v - 1);
    if (name.n <= above.n) return false;
    for (size_t i = 0; i < name.n - above.n; i++)
        if (name.at[i] != '=') return false;
    return memcmp(name.at + (name.n - above.n), above.at, above.n) == 0;
}

lethe_str lethe_leaf_term(const lethe_tree *t, uint32_t leaf)
{
    return lethe_tree_name(t, is_own_leaf(t, leaf) ? leaf - 1 : leaf);
}

uint32_t lethe_term_leaf(const lethe_tree *t, lethe_str term)
{
    uint32_t v = lethe_tree_find(t, term);
    if (v == LETHE_NONE || (lethe_tree_is_leaf(t, v) && !is_own_leaf(t, v))) return v;
    return is_own_leaf(t, v + 1) ? v + 1 : LETHE_NONE;
}
