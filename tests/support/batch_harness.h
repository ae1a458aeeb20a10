/* SPDX-License-Identifier: Apache-2.0 */
/* batch_harness.h - columns of text in any form that Arrow has for it, and the values of results.
 * After cmocka.h. */
#ifndef LETHE_TESTS_BATCH_HARNESS_H
#define LETHE_TESTS_BATCH_HARNESS_H
#include "arrow_feed.h"
#include "lethe/lethe.h"
#include <stdio.h>
#include <string.h>

typedef enum bh_form {
    BH_SMALL,        /* offsets of 4 bytes */
    BH_LARGE,        /* of 8 */
    BH_VIEWS,        /* views */
    BH_BINARY,       /* bytes */
    BH_DICTIONARY,   /* numbers of distinct values, nulls in the numbers */
    BH_NULLS_INSIDE, /* the same, a null being a value of the dictionary */
    BH_FORMS
} bh_form;

/* What nodes are made of; freed together. */
typedef struct bh_heap {
    void **at;
    size_t n;
} bh_heap;

static inline void *bh_get(bh_heap *h, size_t bytes)
{
    void *p = calloc(1, bytes + 1);
    h->at = realloc(h->at, (h->n + 1) * sizeof *h->at);
    if (!p || !h->at) abort();
    return h->at[h->n++] = p;
}

static inline void bh_free(bh_heap *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->at[i]);
    free(h->at);
    *h = (bh_heap){0};
}

static inline void bh_invalid(uint8_t *bits, size_t i) { bits[i / 8] &= (uint8_t) ~(1 << i % 8); }

/* Values with `before` others in front of them, which are not to be seen; `at` NULL: null. */
static inline arrow_node *bh_column(bh_heap *h, const char *name, const lethe_str *value, size_t n,
                                    bh_form form, size_t before)
{
    arrow_node *node = bh_get(h, sizeof *node);
    size_t all = before + n, bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += value[i].n;
    char *text = bh_get(h, bytes + all * 16);
    uint8_t *valid = bh_get(h, all / 8 + 1), *views = bh_get(h, all * 16);
    int32_t *small = bh_get(h, (all + 1) * sizeof *small);
    int64_t *large = bh_get(h, (all + 1) * sizeof *large), *sizes = bh_get(h, sizeof *sizes);
    size_t at = 0;
    memset(valid, 255, all / 8 + 1);
    for (size_t i = 0; i < all; i++) {
        lethe_str v = i < before ? (lethe_str){"outside", 7} : value[i - before];
        int32_t length = (int32_t)v.n, from = (int32_t)at, zero = 0;
        if (!v.at) bh_invalid(valid, i);
        if (v.n > 0) memcpy(text + at, v.at, v.n);
        memcpy(views + 16 * i, &length, 4);
        if (v.n > 0) memcpy(views + 16 * i + 4, v.at, v.n < 12 ? v.n : 12);
        if (v.n > 12) {
            memcpy(views + 16 * i + 8, &zero, 4);
            memcpy(views + 16 * i + 12, &from, 4);
        }
        at += v.n;
        small[i + 1] = (int32_t)at;
        large[i + 1] = (int64_t)at;
    }
    *sizes = (int64_t)at;
    *node = (arrow_node){.format = "u",
                         .name = name,
                         .length = (int64_t)n,
                         .null_count = -1,
                         .offset = (int64_t)before,
                         .n_buffers = 3,
                         .buffers = {valid, small, text}};
    if (form == BH_LARGE) {
        node->format = "U";
        node->buffers[1] = large;
    } else if (form == BH_BINARY) {
        node->format = "z";
    } else if (form == BH_VIEWS) {
        node->format = "vu";
        node->n_buffers = 4;
        node->buffers[1] = views;
        node->buffers[2] = text;
        node->buffers[3] = sizes;
    } else if (form >= BH_DICTIONARY) {
        arrow_node *inner = bh_get(h, sizeof *inner);
        int32_t *number = bh_get(h, all * sizeof *number);
        *inner = *node;
        inner->offset = 0;
        inner->length = (int64_t)all;
        for (size_t i = 0; i < all; i++) { // of equal values, the first
            size_t k = before;
            while (k < i && (i < before || value[k - before].n != value[i - before].n ||
                             !value[k - before].at != !value[i - before].at ||
                             memcmp(value[k - before].at ? value[k - before].at : "",
                                    value[i - before].at ? value[i - before].at : "",
                                    value[i - before].n) != 0))
                k++;
            number[i] = (int32_t)(i < before ? i : k);
        }
        if (form == BH_DICTIONARY) inner->buffers[0] = NULL;
        node->format = "i";
        node->n_buffers = 2;
        node->buffers[0] = form == BH_DICTIONARY ? valid : NULL;
        node->buffers[1] = number;
        node->buffers[2] = NULL;
        node->dictionary = inner;
    }
    return node;
}

/* A struct of columns. */
static inline arrow_node *bh_rows(bh_heap *h, const arrow_node *const *columns, size_t n_columns,
                                  size_t n)
{
    arrow_node *node = bh_get(h, sizeof *node);
    const arrow_node **children = bh_get(h, n_columns * sizeof *children);
    memcpy(children, columns, n_columns * sizeof *children);
    *node = (arrow_node){.format = "+s",
                         .name = "",
                         .length = (int64_t)n,
                         .n_buffers = 1,
                         .n_children = (int64_t)n_columns,
                         .children = children};
    return node;
}

/* Lists over the values of `items`; end[i]: where list i ends.  A list that `null` names is null.
 */
static inline arrow_node *bh_lists(bh_heap *h, const char *name, const arrow_node *items,
                                   const int32_t *end, const bool *null, size_t n)
{
    arrow_node *node = bh_get(h, sizeof *node);
    const arrow_node **children = bh_get(h, sizeof *children);
    uint8_t *valid = bh_get(h, n / 8 + 1);
    int32_t *offsets = bh_get(h, (n + 1) * sizeof *offsets);
    children[0] = items;
    memset(valid, 255, n / 8 + 1);
    for (size_t i = 0; i < n; i++) {
        offsets[i + 1] = end[i];
        if (null && null[i]) bh_invalid(valid, i);
    }
    *node = (arrow_node){.format = "+l",
                         .name = name,
                         .length = (int64_t)n,
                         .null_count = -1,
                         .n_buffers = 2,
                         .buffers = {valid, offsets},
                         .n_children = 1,
                         .children = children};
    return node;
}

/* What a function made of a node. */
typedef struct bh_result {
    struct ArrowSchema schema;
    struct ArrowArray array;
} bh_result;

static inline void bh_release(bh_result *r)
{
    if (r->schema.release) r->schema.release(&r->schema);
    if (r->array.release) r->array.release(&r->array);
    *r = (bh_result){0};
}

/* Applies it to rows from .. from + n - 1.  What was borrowed must be as it was: released here,
 * once. */
static inline lethe_err bh_apply(lethe_batch_fn *fn, const arrow_node *node, int64_t from,
                                 int64_t n, bh_result *out)
{
    arrow_feed feed = {0};
    struct ArrowSchema schema;
    struct ArrowArray array;
    *out = (bh_result){0};
    node_schema(&feed, node, &schema);
    node_array(&feed, node, &array);
    array.offset += from;
    array.length = n;
    if (from > 0 || n < node->length) array.null_count = -1; // not known of a part
    lethe_err e = lethe_batch_apply(fn, &schema, &array, &out->schema, &out->array);
    if (feed.released != 0) abort();
    schema.release(&schema);
    array.release(&array);
    if (feed.made != feed.released) abort();
    return e;
}

static inline lethe_err bh_apply_all(lethe_batch_fn *fn, const arrow_node *node, bh_result *out)
{
    return bh_apply(fn, node, 0, node->length, out);
}

/* Value i of a text array that a function made; `at` NULL: null. */
static inline lethe_str bh_value(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *valid = a->buffers[0];
    const int32_t *offsets = a->buffers[1];
    if (valid && !(valid[i / 8] >> (i % 8) & 1)) return (lethe_str){NULL, 0};
    return (lethe_str){(const char *)a->buffers[2] + offsets[i],
                       (size_t)(offsets[i + 1] - offsets[i])};
}

static inline bool bh_same(lethe_str a, lethe_str b)
{
    return !a.at == !b.at && a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

static inline bool bh_is(lethe_str a, const char *text)
{
    return bh_same(a, text ? (lethe_str){text, strlen(text)} : (lethe_str){NULL, 0});
}

#endif
