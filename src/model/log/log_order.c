/* SPDX-License-Identifier: Apache-2.0 */
/* Are the lines of a published log in order of their bytes?  Inside a block its reader sees;
 * between blocks, which several workers read, the last line of each is held against the first of
 * the next as soon as both are known.  What waits for its neighbour is little: workers are at most
 * one block each ahead of the slowest. */
#include "model/log/log_internal.h"

bool lethe_order_line(lethe_order_seen *o, lethe_str line)
{
    bool in_order = !o->has_last || lethe_str_cmp(o->last, line) <= 0;
    if (!o->has_last) o->first = line;
    o->last = line;
    o->has_last = true;
    return in_order;
}

void lethe_block_edges_begin(lethe_block_edges *e)
{
    *e = (lethe_block_edges){.in_order = true};
    pthread_mutex_init(&e->lock, NULL);
}

void lethe_block_edges_end(lethe_block_edges *e)
{
    for (size_t i = 0; i < e->n; i++)
        lethe_buf_free(&e->at[i].line);
    lethe_free(e->at);
    pthread_mutex_destroy(&e->lock);
}

/* The edge that waits at that place, taken out; false: none does. */
static bool edge_take(lethe_block_edges *e, uint64_t block, bool is_first, lethe_block_edge *out)
{
    for (size_t i = 0; i < e->n; i++) {
        if (e->at[i].block != block || e->at[i].is_first != is_first) continue;
        *out = e->at[i];
        e->at[i] = e->at[--e->n];
        return true;
    }
    return false;
}

static lethe_err edge_keep(lethe_block_edges *e, uint64_t block, bool is_first, lethe_str line)
{
    lethe_block_edge edge = {.block = block, .is_first = is_first};
    if (e->n == e->cap) {
        size_t cap = e->cap + e->cap / 4 + 16;
        lethe_block_edge *at = lethe_realloc(e->at, cap, sizeof *at);
        if (!at) return LETHE_ENOMEM;
        e->at = at;
        e->cap = cap;
    }
    LETHE_TRY(lethe_buf_str(&edge.line, line));
    e->at[e->n++] = edge;
    return LETHE_OK;
}

static lethe_err edges_meet(lethe_block_edges *e, const lethe_order_seen *o, uint64_t block)
{
    lethe_block_edge other;
    if (block > 0) { // the first line, and the last one before it
        if (!edge_take(e, block - 1, false, &other)) {
            LETHE_TRY(edge_keep(e, block, true, o->first));
        } else {
            lethe_str before = {(const char *)other.line.at, other.line.n};
            e->in_order = e->in_order && lethe_str_cmp(before, o->first) <= 0;
            lethe_buf_free(&other.line);
        }
    }
    if (!edge_take(e, block + 1, true, &other)) return edge_keep(e, block, false, o->last);
    lethe_str after = {(const char *)other.line.at, other.line.n};
    e->in_order = e->in_order && lethe_str_cmp(o->last, after) <= 0;
    lethe_buf_free(&other.line);
    return LETHE_OK;
}

lethe_err lethe_block_edges_add(lethe_block_edges *e, lethe_order_seen *o, uint64_t block)
{
    static const lethe_order_seen header = {.first = {"", 0}, .last = {"", 0}};
    pthread_mutex_lock(&e->lock);
    // a block with the header alone is before everything
    lethe_err err = edges_meet(e, o->has_last ? o : &header, block);
    pthread_mutex_unlock(&e->lock);
    o->has_last = false;
    return err;
}
