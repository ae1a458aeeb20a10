/* SPDX-License-Identifier: Apache-2.0 */
/* partition_harness.h - the method partition run by itself: what it publishes is collected. */
#ifndef LETHE_TESTS_PARTITION_HARNESS_H
#define LETHE_TESTS_PARTITION_HARNESS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/mem.h"
#include "io/json/json.h"
#include "method/method.h"

/* --- records made by hand --- */

typedef struct bags {
    lethe_records r;
    uint64_t *start, *origin;
    uint32_t *item, *owner;
    size_t cap_items, cap;
} bags;

static inline void *bags_grow(void *p, size_t n, size_t size)
{
    p = realloc(p, n * size);
    if (!p) abort();
    return p;
}

static inline void bags_begin(bags *b, uint32_t owner)
{
    if (b->r.n + 1 >= b->cap) {
        b->cap = b->cap * 2 + 8;
        b->start = bags_grow(b->start, b->cap + 1, sizeof *b->start);
        b->origin = bags_grow(b->origin, b->cap, sizeof *b->origin);
        b->owner = bags_grow(b->owner, b->cap, sizeof *b->owner);
        if (b->r.n == 0) b->start[0] = 0;
    }
    b->origin[b->r.n] = b->r.n;
    b->owner[b->r.n++] = owner;
    b->start[b->r.n] = b->start[b->r.n - 1];
    if (owner >= b->r.n_owners) b->r.n_owners = owner + 1;
    b->r.start = b->start;
    b->r.origin = b->origin;
    b->r.owner = b->owner;
}

static inline void bags_item(bags *b, uint32_t node)
{
    uint64_t *n = &b->start[b->r.n];
    if (*n >= b->cap_items) {
        b->cap_items = b->cap_items * 2 + 64;
        b->item = bags_grow(b->item, b->cap_items, sizeof *b->item);
    }
    b->item[(*n)++] = node;
    b->r.item = b->item;
}

/* No record at all: start is there all the same. */
static inline void bags_none(bags *b)
{
    b->start = bags_grow(NULL, 1, sizeof *b->start);
    b->start[0] = 0;
    b->r.start = b->start;
}

static inline void bags_free(bags *b)
{
    free(b->start);
    free(b->origin);
    free(b->item);
    free(b->owner);
    *b = (bags){0};
}

/* A tree from parents: parent[0] is LETHE_NONE, parent[i] < i; node numbers are the tree's. */
static inline lethe_tree *tree_of(const uint32_t *parent, uint32_t n)
{
    char(*name)[16] = calloc(n, sizeof *name);
    lethe_str *names = calloc(n, sizeof *names);
    lethe_tree *t = NULL;
    if (!name || !names) abort();
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name[i], sizeof name[i], "n%u", i);
        names[i] = lethe_str_of(name[i]);
    }
    if (lethe_tree_from(NULL, n, parent, names, &t) != LETHE_OK) abort();
    free(name);
    free(names);
    return t;
}

/* --- the method --- */

typedef struct part_setting {
    const char *k, *pick, *persons; /* NULL: the default (k: 2) */
    bool bag;
    unsigned threads; /* 0: one */
} part_setting;

typedef struct part_run {
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *metrics, *claims;
    const lethe_records *r;
    uint32_t *group; /* LETHE_NONE: not published */
    uint32_t **node;
    size_t *n_nodes;
    size_t n_published;
    uint64_t cancel_at; /* the context is cancelled with this record; 0: never */
    bool keep_nothing;  /* do not copy what is published */
    char message[256];
} part_run;

static inline void part_message(void *user, const lethe_message *m)
{
    part_run *h = user;
    snprintf(h->message, sizeof h->message, "%s", m->text);
}

static inline lethe_err part_record(lethe_result *out, size_t from, uint32_t group,
                                    const uint32_t *node, size_t n)
{
    part_run *h = out->pipeline;
    if (from >= h->r->n || h->group[from] != LETHE_NONE || group == LETHE_NONE) abort();
    h->group[from] = group;
    h->n_nodes[from] = n;
    if (++h->n_published == h->cancel_at) lethe_ctx_cancel(h->ctx);
    if (h->keep_nothing) return LETHE_OK;
    h->node[from] = malloc((n + 1) * sizeof *node);
    if (!h->node[from]) abort();
    if (n > 0) memcpy(h->node[from], node, n * sizeof *node);
    return LETHE_OK;
}

static inline void part_begin(part_run *h, const lethe_records *r, unsigned threads)
{
    uint64_t cancel_at = h->cancel_at;
    bool keep_nothing = h->keep_nothing;
    *h = (part_run){.r = r, .doc = lethe_json_doc_new(), .cancel_at = cancel_at};
    h->keep_nothing = keep_nothing;
    lethe_settings set = {
        .n_threads = threads ? threads : 1, .on_message = part_message, .user = h};
    if (lethe_ctx_new(&set, &h->ctx) != LETHE_OK) abort();
    h->metrics = lethe_json_object(h->doc);
    h->claims = lethe_json_array(h->doc);
    h->group = malloc((r->n + 1) * sizeof *h->group);
    h->node = calloc(r->n + 1, sizeof *h->node);
    h->n_nodes = calloc(r->n + 1, sizeof *h->n_nodes);
    if (!h->group || !h->node || !h->n_nodes) abort();
    memset(h->group, 0xFF, (r->n + 1) * sizeof *h->group);
}

static inline void part_end(part_run *h)
{
    for (size_t i = 0; i < h->r->n; i++)
        free(h->node[i]);
    free(h->node);
    free(h->group);
    free(h->n_nodes);
    lethe_json_doc_free(h->doc);
    lethe_ctx_free(h->ctx);
}

static inline lethe_err part_set(lethe_values *v, const char *name, const char *text)
{
    for (size_t i = 0; i < v->n; i++) {
        if (strcmp(v->table[i].name, name) == 0) return lethe_values_set(v, i, text, NULL);
    }
    abort();
}

/* After part_begin(). */
static inline lethe_err part_go(part_run *h, const lethe_tree *t, const part_setting *s)
{
    lethe_value at[32];
    lethe_values v;
    const lethe_method *m = &lethe_method_partition;
    if (lethe_option_count(m->options) > LETHE_COUNT(at)) abort();
    lethe_values_init(&v, m->options, at);
    if (part_set(&v, "k", s->k ? s->k : "2") != LETHE_OK) abort();
    if (s->pick && part_set(&v, "pick", s->pick) != LETHE_OK) abort();
    if (s->persons && part_set(&v, "persons", s->persons) != LETHE_OK) abort();
    if (s->bag && part_set(&v, "bag", "") != LETHE_OK) abort();
    lethe_run run = {.ctx = h->ctx, .values = &v, .memory_bytes = (uint64_t)64 << 20};
    lethe_result out = {.pipeline = h, .record = part_record, .doc = h->doc, .metrics = h->metrics};
    lethe_data in = {.shape = LETHE_SHAPE_RECORDS, .records = h->r, .tree = t};
    m->claims(&v, h->doc, h->claims);
    return m->run(&run, &in, &out);
}

static inline lethe_err part_do(part_run *h, const lethe_tree *t, const lethe_records *r,
                                const part_setting *s)
{
    part_begin(h, r, s->threads);
    return part_go(h, t, s);
}

static inline double part_real(const part_run *h, const char *name)
{
    const lethe_json *v = lethe_json_get(h->metrics, name);
    if (!v) fail_msg("there is no figure '%s'", name);
    return lethe_json_kind(v) == LETHE_JSON_INT ? (double)lethe_json_int(v) : lethe_json_real(v);
}

/* The figure is that, but for the last digits. */
static inline void part_expect(const part_run *h, const char *name, double want)
{
    double got = part_real(h, name), least = 1e-12 * (want < 1 ? 1 : want);
    if (!(got - want <= least && want - got <= least))
        fail_msg("%s is %.17g, not %.17g", name, got, want);
}

#endif
