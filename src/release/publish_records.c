#include "release/publish_records.h"
#include "core/mem.h"
#include "model/published_tree.h"
#include "model/record_map.h"
#include <stdlib.h>

enum { WRITE_BYTES = 1 << 18 };

/* A published record: its items' nodes, in the order of their names. */
typedef struct published {
    uint64_t start; /* in `nodes` */
    uint32_t n;
    uint32_t group;
    size_t from; /* record of the input */
} published;

struct lethe_record_publisher {
    lethe_ctx *ctx;
    const lethe_records *r;
    const lethe_tree *t;
    lethe_arena *arena;
    uint32_t *rank; /* of each node: its place among the names of all nodes, by their bytes */
    published *at;  /* room for every record */
    size_t n;
    uint8_t *given; /* of each record */
    lethe_u32s nodes;
};

/* --- names in the order of their bytes --- */

static int by_name(const void *a, const void *b, void *arg)
{
    const lethe_tree *t = arg;
    return lethe_str_cmp(lethe_tree_name(t, *(const uint32_t *)a),
                         lethe_tree_name(t, *(const uint32_t *)b));
}

/* Of the nodes that are published only: a taxonomy may be far larger than what is shown of it. */
static lethe_err rank_nodes(lethe_record_publisher *p)
{
    uint8_t *shown = lethe_alloc_zero(p->t->n, 1);
    uint32_t *order = lethe_alloc(p->t->n, sizeof *order), n = 0;
    p->rank = lethe_new(p->arena, uint32_t, p->t->n);
    if (shown && order && p->rank) {
        for (size_t i = 0; i < p->nodes.n; i++)
            shown[p->nodes.at[i]] = 1;
        for (uint32_t v = 0; v < p->t->n; v++)
            if (shown[v]) order[n++] = v;
        qsort_r(order, n, sizeof *order, by_name, (void *)p->t);
        for (uint32_t i = 0; i < n; i++)
            p->rank[order[i]] = i;
    }
    lethe_err e = shown && order && p->rank ? LETHE_OK : LETHE_ENOMEM;
    lethe_free(shown);
    lethe_free(order);
    return e;
}

static int by_rank(const void *a, const void *b, void *arg)
{
    const uint32_t *rank = arg;
    uint32_t x = rank[*(const uint32_t *)a], y = rank[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* As two lines compare that differ from these names on; `more`: does the line of x go on? */
static int compare_names(lethe_str x, bool x_more, lethe_str y, bool y_more)
{
    size_t n = LETHE_MIN(x.n, y.n);
    int c = memcmp(x.at, y.at, n);
    if (c != 0) return c;
    // one goes on where the other ends, with its line or with a space
    bool x_ends = x.n < y.n;
    uint8_t next = (uint8_t)(x_ends ? y.at[n] : x.at[n]);
    bool less = !(x_ends ? x_more : y_more) || ' ' < next;
    return less == x_ends ? -1 : 1;
}

/* As the bytes of the two lines compare. */
static int compare(const lethe_record_publisher *p, const published *a, const published *b)
{
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        uint32_t x = p->nodes.at[a->start + i], y = p->nodes.at[b->start + i];
        if (x != y)
            return compare_names(lethe_tree_name(p->t, x), i + 1 < a->n, lethe_tree_name(p->t, y),
                                 i + 1 < b->n);
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int by_bytes(const void *a, const void *b, void *arg)
{
    const published *x = a, *y = b;
    int c = compare(arg, x, y);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

static int by_group(const void *a, const void *b, void *arg)
{
    const published *x = *(const published *const *)a, *y = *(const published *const *)b;
    (void)arg;
    return (x->group > y->group) - (x->group < y->group);
}

/* A method that gives members of one group different items has a bug, and its promise is void. */
static lethe_err groups_check(const lethe_record_publisher *p)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const published **order = lethe_alloc(p->n, sizeof *order);
    if (!order) return lethe_no_memory(d);
    for (size_t i = 0; i < p->n; i++)
        order[i] = &p->at[i];
    qsort_r(order, p->n, sizeof *order, by_group, NULL);
    bool same = true;
    for (size_t i = 1; i < p->n; i++)
        if (order[i]->group == order[i - 1]->group) same &= compare(p, order[i], order[i - 1]) == 0;
    lethe_free(order);
    return same ? LETHE_OK
                : lethe_fail(d, LETHE_ENO,
                             "records of one group came out different: nothing is published");
}

/* --- taking records --- */

lethe_err lethe_record_publisher_new(lethe_ctx *ctx, const lethe_records *r, const lethe_tree *t,
                                     lethe_record_publisher **out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_record_publisher *p = a ? lethe_new(a, lethe_record_publisher, 1) : NULL;
    if (p) {
        *p = (lethe_record_publisher){.ctx = ctx, .r = r, .t = t, .arena = a};
        p->at = lethe_new(a, published, r->n);
        p->given = lethe_new(a, uint8_t, r->n);
    }
    if (!p || !p->at || !p->given) {
        lethe_arena_free(a);
        return lethe_no_memory(lethe_ctx_diag(ctx));
    }
    *out = p;
    return LETHE_OK;
}

void lethe_record_publisher_free(lethe_record_publisher *p)
{
    if (p) lethe_arena_free(p->arena);
}

lethe_err lethe_record_publisher_put(lethe_record_publisher *p, size_t from, uint32_t group,
                                     const uint32_t *node, size_t n)
{
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    if (from >= p->r->n || p->given[from] || n > UINT32_MAX)
        return lethe_fail(d, LETHE_EUSAGE, "a record was published that is not there, or twice");
    for (size_t i = 0; i < n; i++)
        if (node[i] >= p->t->n)
            return lethe_fail(d, LETHE_EUSAGE, "an item was published that is not in the taxonomy");
    p->given[from] = 1;
    p->at[p->n++] =
        (published){.start = p->nodes.n, .n = (uint32_t)n, .group = group, .from = from};
    if (n == 0) return LETHE_OK;
    return lethe_u32s_append(p->arena, &p->nodes, node, n) == LETHE_OK ? LETHE_OK
                                                                       : lethe_no_memory(d);
}

lethe_err lethe_record_publisher_finish(lethe_record_publisher *p)
{
    if (rank_nodes(p) != LETHE_OK) return lethe_no_memory(lethe_ctx_diag(p->ctx));
    for (size_t i = 0; i < p->n; i++)
        if (p->at[i].n > 1)
            qsort_r(p->nodes.at + p->at[i].start, p->at[i].n, sizeof *p->nodes.at, by_rank,
                    p->rank);
    qsort_r(p->at, p->n, sizeof *p->at, by_bytes, p);
    return groups_check(p);
}

size_t lethe_record_publisher_count(const lethe_record_publisher *p) { return p->n; }
size_t lethe_record_publisher_items(const lethe_record_publisher *p) { return p->nodes.n; }

void lethe_record_publisher_lines(const lethe_record_publisher *p, uint64_t *shown,
                                  uint64_t *suppressed)
{
    for (size_t i = 0; i < p->r->n; i++)
        *(p->given[i] ? shown : suppressed) += p->r->lines ? p->r->lines[i] : 1;
}

/* --- writing --- */

static lethe_err put_line(const lethe_record_publisher *p, const published *it, lethe_buf *to)
{
    for (uint32_t i = 0; i < it->n; i++) {
        if (i > 0) LETHE_TRY(lethe_buf_put(to, " ", 1));
        LETHE_TRY(lethe_buf_str(to, lethe_tree_name(p->t, p->nodes.at[it->start + i])));
    }
    return lethe_buf_put(to, "\n", 1);
}

static lethe_err flush(lethe_sink *to, lethe_buf *buf)
{
    lethe_err e = buf->n ? lethe_sink_write(to, buf->at, buf->n) : LETHE_OK;
    buf->n = 0;
    return e;
}

lethe_err lethe_record_publisher_data(lethe_record_publisher *p, lethe_sink *to)
{
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < p->n && e == LETHE_OK; i++) {
        if (put_line(p, &p->at[i], &buf) != LETHE_OK) e = lethe_no_memory(lethe_ctx_diag(p->ctx));
        if (e == LETHE_OK && buf.n >= WRITE_BYTES) e = flush(to, &buf);
        if (e == LETHE_OK && lethe_ctx_cancelled(p->ctx)) e = LETHE_ECANCEL;
    }
    if (e == LETHE_OK) e = flush(to, &buf);
    lethe_buf_free(&buf);
    return e;
}

lethe_err lethe_record_publisher_tree(lethe_record_publisher *p, lethe_sink *to)
{
    lethe_buf buf = {0};
    lethe_err e = lethe_taxonomy_write(lethe_ctx_diag(p->ctx), p->t, p->nodes.at, p->nodes.n, &buf);
    if (e == LETHE_OK) e = flush(to, &buf);
    lethe_buf_free(&buf);
    return e;
}

lethe_err lethe_record_publisher_map(lethe_record_publisher *p, lethe_sink *to)
{
    lethe_buf buf = {0};
    lethe_err e = LETHE_OK;
    uint64_t *line = lethe_alloc(p->r->n, sizeof *line);
    if (!line) return lethe_no_memory(lethe_ctx_diag(p->ctx));
    for (size_t i = 0; i < p->r->n; i++)
        line[i] = LETHE_NOT_PUBLISHED;
    for (size_t i = 0; i < p->n; i++)
        line[p->at[i].from] = i;
    for (size_t i = 0; i < p->r->n && e == LETHE_OK; i++) {
        e = lethe_record_map_put(p->r, i, line[i], &buf);
        if (e == LETHE_ENOMEM) e = lethe_no_memory(lethe_ctx_diag(p->ctx));
        if (e == LETHE_OK && buf.n >= WRITE_BYTES) e = flush(to, &buf);
    }
    if (e == LETHE_OK) e = flush(to, &buf);
    lethe_free(line);
    lethe_buf_free(&buf);
    return e;
}
