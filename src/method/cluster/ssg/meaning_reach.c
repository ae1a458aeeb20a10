/* SPDX-License-Identifier: Apache-2.0 */
/* meaning_reach.c - from which number to which the terms near a term are.
 *
 * Numbers of nodes are a preorder, so what is near a term lies around it.  A term y whose lowest
 * common ancestor with x is u levels above x is within epsilon if it is at most epsilon - u levels
 * below that ancestor: the first and the last such term, over all u, bound all that are near. */
#include "method/cluster/ssg/meaning_internal.h"

enum { CLIMB = 64 }; /* levels; from a term deeper than that anything may be near */

/* Positions from .. to - 1, of level at most `deepest`. */
struct span {
    size_t from, to;
    uint64_t deepest;
    bool back; /* the last first */
};

/* The first of them below node i of the levels, which covers positions at .. at + width - 1;
 * SIZE_MAX: none.  Recursion is as deep as the logarithm of the number of terms. */
static size_t seek(const lethe_meaning *m, const struct span *s, size_t i, size_t at, size_t width)
{
    if (at >= s->to || at + width <= s->from || m->level[i] > s->deepest) return SIZE_MAX;
    if (width == 1) return at;
    size_t half = width / 2;
    size_t found = seek(m, s, 2 * i + s->back, at + (s->back ? half : 0), half);
    if (found != SIZE_MAX) return found;
    return seek(m, s, 2 * i + !s->back, at + (s->back ? 0 : half), half);
}

/* The number of terms below `v`. */
static size_t count_below(const lethe_meaning *m, uint32_t v)
{
    size_t from = 0, to = m->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (m->term[mid] < v)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static lethe_meaning_reach reach_of(const lethe_meaning *m, size_t at)
{
    const lethe_tree *t = m->tree;
    size_t first = at, last = at, left = at, right = at + 1;
    uint32_t up = 0, v = m->term[at];
    for (; v != LETHE_NONE && up <= m->epsilon && up <= CLIMB; v = t->parent[v], up++) {
        uint64_t deepest = (uint64_t)t->level[v] + (m->epsilon - up);
        size_t from = count_below(m, v), to = count_below(m, t->end[v]), found;
        found = seek(m, &(struct span){from, left, deepest, false}, 1, 0, m->n_level);
        if (found != SIZE_MAX) first = found;
        found = seek(m, &(struct span){right, to, deepest, true}, 1, 0, m->n_level);
        if (found != SIZE_MAX) last = found;
        left = from;
        right = to;
    }
    if (v != LETHE_NONE && up <= m->epsilon) return LETHE_MEANING_REACH_ALL;
    return (lethe_meaning_reach){m->term[first], m->term[last] - m->term[first] + 1};
}

void lethe_meaning_reach_find(lethe_meaning *m)
{
    for (size_t i = 0; m->place && i < m->n; i++)
        m->place[m->term[i]].reach = reach_of(m, i);
}

lethe_meaning_reach lethe_meaning_reach_of(const lethe_meaning *m, uint32_t term)
{
    return m->place ? m->place[term].reach : LETHE_MEANING_REACH_ALL;
}
