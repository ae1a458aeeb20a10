/* SPDX-License-Identifier: Apache-2.0 */
/* table_text.h - tables and hierarchies as text, and what holds for all tables. */
#ifndef LETHE_TESTS_TABLE_TEXT_H
#define LETHE_TESTS_TABLE_TEXT_H
#include "records_text.h"
#include "model/table/table.h"

static inline void str_text(text *t, lethe_str s) { text_put(t, s.at, s.n); }

/* root[child[leaf leaf] leaf] */
static inline void subtree_text(text *t, const lethe_tree *tree, uint32_t v)
{
    str_text(t, lethe_tree_name(tree, v));
    if (lethe_tree_is_leaf(tree, v)) return;
    text_put(t, "[", 1);
    for (uint32_t c = lethe_tree_first(tree, v); c < tree->end[v]; c = tree->end[c]) {
        if (c > v + 1) text_put(t, " ", 1);
        subtree_text(t, tree, c);
    }
    text_put(t, "]", 1);
}

/* The table's column that `order` calls so. */
static inline const lethe_column *table_column(const lethe_table *t, uint32_t which)
{
    if (which < t->n_qi) return NULL;
    size_t class = t->n_qi + t->n_sa;
    return which < class    ? &t->sa[which - t->n_qi]
           : which == class ? t->class
                            : &t->keep[which - class - 1];
}

static inline lethe_str table_cell(const lethe_table *t, uint32_t which, size_t row)
{
    if (which < t->n_qi) return lethe_tree_name(t->qi[which].tree, t->qi[which].leaf[row]);
    const lethe_column *c = table_column(t, which);
    return lethe_dict_at(c->values, c->code[row]);
}

/* role:name|... , then ORIGIN|value|... a row, columns as published. */
static inline void table_text(text *t, const lethe_table *table)
{
    for (size_t i = 0; i < table->n_order; i++) {
        uint32_t which = table->order[i];
        const lethe_column *c = table_column(table, which);
        const char *role = !c                                            ? "qi"
                           : c == table->class                           ? "class"
                           : table->order[i] < table->n_qi + table->n_sa ? "sa"
                                                                         : "keep";
        text_add(t, "%s%s:", i ? "|" : "", role);
        str_text(t, c ? c->name : table->qi[which].name);
    }
    text_put(t, "\n", 1);
    for (size_t row = 0; row < table->n; row++) {
        text_add(t, "%llu", (unsigned long long)table->origin[row]);
        for (size_t i = 0; i < table->n_order; i++) {
            text_put(t, "|", 1);
            str_text(t, table_cell(table, table->order[i], row));
        }
        text_put(t, "\n", 1);
    }
}

static inline void counts_text(text *t, const lethe_table *table)
{
    text_add(t, "read %llu rejected %llu missing %llu invalid %llu\n",
             (unsigned long long)table->counts.read, (unsigned long long)table->counts.rejected,
             (unsigned long long)table->counts.missing,
             (unsigned long long)table->counts.invalid_utf8);
}

/* Are values numbered in order of first appearance, and is there none besides? */
static inline bool column_is_dense(const lethe_column *c, size_t n)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (c->code[i] > seen) return false;
        seen += c->code[i] == seen;
    }
    return seen == lethe_dict_count(c->values);
}

/* The first promise of table.h that is broken; NULL: none. */
static inline const char *table_fault(const lethe_table *t)
{
    if (t->n == 0 || t->n_qi == 0 || !t->arena) return "empty";
    if (t->n + t->counts.rejected + t->counts.missing != t->counts.read) return "accounts";
    if (t->n_order != t->n_qi + t->n_sa + t->n_keep + (t->class != NULL)) return "order";
    if (!t->sa != !t->n_sa) return "sensitive columns";
    for (size_t i = 0; i < t->n; i++) {
        if (i > 0 && t->origin[i - 1] >= t->origin[i]) return "origins do not rise";
        for (size_t q = 0; q < t->n_qi; q++) {
            const lethe_qi *qi = &t->qi[q];
            if (qi->leaf[i] >= qi->tree->n) return "no node";
            if (!lethe_tree_is_leaf(qi->tree, qi->leaf[i])) return "not a leaf";
        }
    }
    if (t->origin[t->n - 1] >= t->counts.read) return "origin";
    uint32_t kept = 0;
    for (size_t i = 0; i < t->n_order; i++) {
        const lethe_column *c = table_column(t, t->order[i]);
        for (size_t k = 0; k < i; k++)
            if (t->order[k] == t->order[i]) return "a column twice";
        if (!c) continue;
        if (!column_is_dense(c, t->n)) return "values not in order of appearance";
        if (t->order[i] > t->n_qi + t->n_sa && t->order[i] != t->n_qi + t->n_sa + 1 + kept++)
            return "kept order";
    }
    return NULL;
}

#endif
