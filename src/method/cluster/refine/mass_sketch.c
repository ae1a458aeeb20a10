/* SPDX-License-Identifier: Apache-2.0 */
/* mass_sketch.c - how nodes are divided into parts, and sketches of bags by these parts. */
#include "method/cluster/refine/mass_sketch.h"

/* Nodes that are parts of their own. */
enum { OWN = LETHE_MASS_SKETCH_PARTS / 2 };

struct lethe_mass_sketcher {
    const lethe_tree *t;
    unsigned shift; /* a unit is 2^shift */
    uint8_t of[];   /* the part of each node */
};

/* --- the heaviest nodes --- */

struct heavy {
    uint64_t mass;
    uint32_t node;
};

static size_t find_heaviest(const uint64_t *mass, uint32_t n_nodes, struct heavy *top)
{
    size_t n = 0;
    for (uint32_t v = 1; v < n_nodes; v++) {
        if (mass[v] == 0 || (n == OWN && mass[v] <= top[n - 1].mass)) continue;
        size_t i = n < OWN ? n++ : n - 1;
        for (; i > 0 && top[i - 1].mass < mass[v]; i--)
            top[i] = top[i - 1];
        top[i] = (struct heavy){mass[v], v};
    }
    return n;
}

/* --- parts --- */

/* The other nodes in preorder: a part ends where its share of the remaining mass is reached. */
static void part_rest(lethe_mass_sketcher *p, uint64_t *mass, const struct heavy *top, size_t n)
{
    uint64_t left = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mass[top[i].node] = 0;
    for (uint32_t v = 1; v < p->t->n; v++)
        left += mass[v];
    unsigned part = (unsigned)n, last = LETHE_MASS_SKETCH_PARTS - 1;
    for (uint32_t v = 1; v < p->t->n; v++) {
        p->of[v] = (uint8_t)part;
        sum += mass[v];
        if (part == last || sum < left / (last - part + 1)) continue;
        left -= sum;
        sum = 0;
        part++;
    }
    for (size_t i = 0; i < n; i++)
        p->of[top[i].node] = (uint8_t)i;
}

static void make_parts(lethe_mass_sketcher *p, const lethe_ancestors *record, size_t n,
                       uint64_t *mass)
{
    struct heavy top[OWN];
    uint64_t most = 0;
    for (size_t r = 0; r < n; r++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < record[r].n; i++) {
            lethe_ancestors_entry x = record[r].at[i];
            uint64_t m = (uint64_t)x.count * lethe_ancestors_weight(p->t, x.node);
            mass[x.node] += m;
            sum += m;
        }
        most = LETHE_MAX(most, sum);
    }
    // rounding up adds less than one per part
    while ((most >> p->shift) + LETHE_MASS_SKETCH_PARTS >= INT32_MAX)
        p->shift++;
    size_t n_top = find_heaviest(mass, p->t->n, top);
    part_rest(p, mass, top, n_top);
}

lethe_err lethe_mass_sketcher_new(const lethe_tree *t, const lethe_ancestors *record, size_t n,
                                  lethe_mass_sketcher **out)
{
    lethe_mass_sketcher *p = lethe_alloc_zero(1, sizeof *p + t->n);
    uint64_t *mass = p ? lethe_alloc_zero(t->n, sizeof *mass) : NULL;
    if (!mass) {
        lethe_free(p);
        return LETHE_ENOMEM;
    }
    p->t = t;
    make_parts(p, record, n, mass);
    lethe_free(mass);
    *out = p;
    return LETHE_OK;
}

void lethe_mass_sketcher_free(lethe_mass_sketcher *p) { lethe_free(p); }

/* --- sketches --- */

void lethe_mass_sketch_of(const lethe_mass_sketcher *p, const lethe_ancestors_entry *at, size_t n,
                          lethe_mass_sketch *out)
{
    uint64_t mass[LETHE_MASS_SKETCH_PARTS] = {0}, unit = UINT64_C(1) << p->shift;
    for (size_t i = 0; i < n; i++)
        mass[p->of[at[i].node]] += (uint64_t)at[i].count * lethe_ancestors_weight(p->t, at[i].node);
    for (int i = 0; i < LETHE_MASS_SKETCH_PARTS; i++)
        out->part[i] = (int32_t)((mass[i] + unit - 1) >> p->shift);
}

/* Signed, of known length and without a branch, so that compilers vectorize it. */
uint64_t lethe_mass_sketch_overlap_bound(const lethe_mass_sketcher *p, const lethe_mass_sketch *a,
                                         const lethe_mass_sketch *b)
{
    int32_t sum = 0;
    for (int i = 0; i < LETHE_MASS_SKETCH_PARTS; i++)
        sum += LETHE_MIN(a->part[i], b->part[i]);
    return (uint64_t)sum << p->shift;
}
