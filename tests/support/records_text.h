/* SPDX-License-Identifier: Apache-2.0 */
/* records_text.h - records and messages as text, and what holds for all records. */
#ifndef LETHE_TESTS_RECORDS_TEXT_H
#define LETHE_TESTS_RECORDS_TEXT_H
#include "log_rows.h"
#include "model/records/records.h"

static inline lethe_str item_text(const lethe_records *r, const lethe_tree *tree, uint32_t item)
{
    return r->items ? lethe_dict_at(r->items, item) : lethe_tree_name(tree, item);
}

/* ORIGIN OWNER[=NAME]: item item ...   `tree` for records that are bound to one. */
static inline void records_text(text *t, const lethe_records *r, const lethe_tree *tree)
{
    for (size_t i = 0; i < r->n; i++) {
        uint32_t owner = r->owner[i];
        text_add(t, "%llu %u", (unsigned long long)r->origin[i], owner);
        if (r->owners && r->owner_name[owner] != LETHE_NONE) {
            lethe_str name = lethe_dict_at(r->owners, r->owner_name[owner]);
            text_put(t, "=", 1);
            text_put(t, name.at, name.n);
        }
        text_put(t, ":", 1);
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            lethe_str item = item_text(r, tree, r->item[k]);
            text_put(t, " ", 1);
            text_put(t, item.at, item.n);
        }
        text_put(t, "\n", 1);
    }
}

/* The first promise of records.h that is broken; NULL: none. */
static inline const char *records_fault(const lethe_records *r)
{
    uint32_t n_items = 0, n_owners = 0, n_names = 0;
    if (!r->start || !r->item || !r->owner || !r->origin || !r->arena) return "NULL";
    if (r->start[0] != 0) return "start";
    for (size_t i = 0; i < r->n; i++) {
        if (r->start[i + 1] < r->start[i]) return "starts fall";
        if (r->owner[i] > n_owners) return "owners not in order of appearance";
        n_owners += r->owner[i] == n_owners;
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            if (r->items && r->item[k] > n_items) return "items not in order of appearance";
            n_items += r->item[k] == n_items;
        }
    }
    if (n_owners != r->n_owners) return "number of owners";
    if (r->items && n_items != lethe_dict_count(r->items)) return "number of items";
    if (!r->owners != !r->owner_name) return "owners without names";
    for (uint32_t o = 0; r->owners && o < n_owners; o++) {
        if (r->owner_name[o] == LETHE_NONE) continue;
        if (r->owner_name[o] != n_names++) return "names not in order of appearance";
    }
    if (r->owners && n_names != lethe_dict_count(r->owners)) return "number of names";
    return NULL;
}

/* A context whose messages become text, as outcome_message() writes them. */
static inline lethe_ctx *records_ctx(outcome *o, unsigned threads, uint64_t memory)
{
    outcome_begin(o);
    lethe_ctx *ctx = outcome_ctx(o, threads, memory);
    if (!ctx) abort();
    return ctx;
}

#endif
