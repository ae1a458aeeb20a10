/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_bound.c - what a group costs, and costs at least in whichever way it is split.
 *
 * Let P be a group of the cut at hand, U any cut of the subtree: its groups within P are unions of
 * the groups of Cut_spec.  `least` rows or values of P at least are suppressed in U: Lemma 3.3. The
 * demands of k and `distinct` only forbid more, and a group that they forbid costs as much at least
 * as one that they do not: so all of section 3.3 holds with them.  They also add to `least`; see
 * measure_least(). */
#include "method/table/search/table_search_internal.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- sensitive values of a group --- */

/* The rows of the cells are counted by sensitive value.  Returns how many values there are. */
static uint32_t count_values(lethe_table_parts *s, lethe_table_part *p)
{
    const lethe_table_tally *tally = s->tally;
    uint32_t rows = 0, n = 0, *dense = s->dense;
    if (s->c->n_sa == 1) {
        for (uint32_t i = p->begin; i < p->end; i++)
            rows += tally[i].count;
        dense[0] = rows;
        s->touched[0] = 0;
        n = rows > 0; // 0: of the population alone
    }
    for (uint32_t i = p->begin; i < p->end && s->c->n_sa > 1; i++) {
        lethe_table_tally t = tally[i];
        if (t.count == 0) continue; // of the population alone
        s->touched[n] = t.sa;       // stays if it is the first
        n += dense[t.sa] == 0;
        dense[t.sa] += t.count;
        rows += t.count;
    }
    p->rows = rows;
    return n;
}

/* Takes the counts out, which are zeros again. */
static lethe_group_counts group_of(lethe_table_parts *s, uint32_t n, uint64_t rows)
{
    size_t n_class = s->c->n_class;
    if (n > s->c->n_sa / 8) { // most are there: look at all
        for (uint32_t sa = 0, k = 0; k < n; sa++)
            if (s->dense[sa]) s->touched[k++] = sa;
    } else {
        qsort(s->touched, n, sizeof *s->touched, lethe_u32_cmp);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sa = s->touched[i];
        s->with[i] = s->dense[sa];
        s->dense[sa] = 0;
    }
    for (uint32_t i = 0; i < n && s->c->d->cost == LETHE_COST_CM; i++) {
        uint32_t *from = s->dense_class + s->touched[i] * n_class;
        memcpy(s->of_class + i * n_class, from, n_class * sizeof *from);
        memset(from, 0, n_class * sizeof *from);
    }
    return (lethe_group_counts){.n = rows,
                                .n_values = n,
                                .value = s->touched,
                                .with = s->with,
                                .of_class = s->of_class,
                                .room = s->room};
}

static void stars_measure(lethe_table_parts *s, lethe_table_part *p, const lethe_group_counts *g,
                          bool all, uint64_t least)
{
    p->least = all ? p->rows : (uint32_t)least;
    p->losses = p->least * s->c->unit;
    if (s->c->d->price) p->losses = lethe_group_suppressed_cost(s->c->d, g, all ? g->with : s->cut);
}

/* How many rows or values of the group are suppressed however it is split.
 *
 * Records: what is kept of value s in all groups of U together is at most theta_s of all that is
 * kept, since it is so in each; so it is no more, value by value, than the greatest such numbers,
 * which vioRec keeps of P as a whole.  If these are under k rows or show too few values, so does
 * every group of U, and all is deleted; likewise where P has too few rows of the population.  So
 * `deleted` of vioRec is it, for allRec too, but for entropy, recursive diversity and several
 * columns: where P does not keep these, a part of it may, so only the number of values that they
 * need is looked at, and theta column by column (lethe_group_least_deleted).
 *
 * Values: Lemma 3.3, not iterated.  Where P has fewer values than `distinct`, a group of U has so
 * too: allSA stars all of it, and with vioSA it is valid only if all of it is starred.
 *
 * evenSA: no group of U of n rows shows a value more than theta n times, so that all of them show
 * it at most theta times the rows of P.  Where P has fewer values than 1 / theta or `distinct`, so
 * has every group of U, and all is starred.
 *
 * Groups under k rows that may not be deleted, and violations that may not be mended, are in every
 * split of P: Observation 3.2; it holds for all that is kept by mixtures (group_columns.h). */
static void measure_least(lethe_table_parts *s, lethe_table_part *p, const lethe_group_counts *g)
{
    const lethe_group_demand *d = s->c->d;
    bool few = d->n_sa > 0 && g->n_values < d->distinct;
    uint64_t removed;
    p->least = 0;
    p->losses = 0;
    p->doomed = false;
    p->gone = false;
    switch (d->suppress) {
    case LETHE_SUPPRESS_NONE:
        p->doomed = !p->valid;
        return;
    case LETHE_SUPPRESS_VIO_SA:
    case LETHE_SUPPRESS_ALL_SA:
        removed = lethe_group_least_starred(d, g, s->cut);
        p->doomed = !p->valid && (g->n < d->k || g->population < d->k_map);
        stars_measure(s, p, g, few, removed);
        // with k a part of it may be too small; with vioSA show too few values
        p->gone = d->k <= 1 && d->k_map == 0 &&
                  (removed == p->rows || (few && d->suppress == LETHE_SUPPRESS_ALL_SA));
        return;
    case LETHE_SUPPRESS_EVEN_SA:
        // too few rows, or too few values in the whole table: so it is in each part
        p->doomed = !p->valid;
        few = few || lethe_theta_violated(d->theta[0], 1, g->n_values);
        stars_measure(s, p, g, few, lethe_group_least_starred(d, g, s->cut));
        p->gone = few && p->valid && d->k <= 1 && d->k_map == 0;
        return;
    case LETHE_SUPPRESS_VIO_REC:
        p->least = p->deleted; // but for demands that a part may keep where the whole does not
        if (d->n_columns > 0) p->least = (uint32_t)lethe_group_least_deleted(d, g, s->cut);
        break;
    case LETHE_SUPPRESS_ALL_REC:
        if (p->deleted == 0) break; // no violation, so none need be deleted
        p->least = (uint32_t)lethe_group_least_deleted(d, g, s->cut);
        break;
    }
    p->gone = p->least == p->rows;
    // with prices there is one column, and `cut` has the numbers by value
    p->losses = p->least * s->c->unit;
    if (d->price && p->least > 0) p->losses = lethe_group_suppressed_cost(d, g, s->cut);
}

static void measure_varies(const lethe_table_parts *s, lethe_table_part *p)
{
    const lethe_table_cells *c = s->c;
    size_t words = c->words;
    const uint64_t *first = s->key + p->begin * words;
    uint64_t varies = 0;
    for (size_t w = 0; w < words; w++) {
        uint64_t differs = 0;
        for (size_t i = p->begin; i < p->end; i++)
            differs |= s->key[i * words + w] ^ first[w];
        for (size_t q = 0; differs && q < c->n_qi; q++)
            if (c->word[q] == w && (differs & c->mask[q])) varies |= UINT64_C(1) << q;
    }
    p->varies = varies;
}

void lethe_table_part_measure(lethe_table_parts *s, lethe_table_part *p)
{
    uint32_t n_touched = count_values(s, p);
    for (uint32_t i = p->begin; i < p->end && s->class; i++)
        s->dense_class[(size_t)s->tally[i].sa * s->c->n_class + s->class[i]] += s->tally[i].count;
    s->work += p->end - p->begin;
    lethe_group_counts g = group_of(s, n_touched, p->rows);
    for (uint32_t i = p->begin; i < p->end && s->population; i++)
        g.population += s->population[i];
    lethe_group_price price = lethe_group_price_of(s->c->d, &g, s->cut);
    p->valid = price.valid;
    p->deleted = (uint32_t)price.deleted;
    p->base = price.valid ? price.cost : 0;
    measure_least(s, p, &g);
    measure_varies(s, p);
}

/* --- groups at Cut_spec --- */

/* DM of a group, or its rows in the minority. */
static void add_spread(lethe_table_part *p, const uint32_t *with, uint32_t n_class, bool dm)
{
    uint64_t rows = 0;
    uint32_t most = 0;
    for (uint32_t k = 0; k < n_class; k++) {
        rows += with[k];
        most = LETHE_MAX(most, with[k]);
    }
    p->spread += dm ? rows * rows : rows - most;
    p->largest = LETHE_MAX(p->largest, (uint32_t)rows);
}

/* Are two cells one at Cut_spec? */
static bool same_group(const lethe_table_parts *s, size_t i, size_t j)
{
    size_t words = s->c->words;
    for (size_t w = 0; w < words; w++)
        if ((s->key[i * words + w] ^ s->key[j * words + w]) & s->group_mask[w]) return false;
    return true;
}

/* DM, where a key is one word. */
static void spread_words(const lethe_table_parts *s, lethe_table_part *p)
{
    const uint64_t *key = s->key, mask = s->group_mask[0];
    uint64_t rows = 0, largest = 0, sum = 0;
    for (size_t i = p->begin; i < p->end; i++) {
        rows += s->tally[i].count;
        bool last = i + 1 == p->end || ((key[i] ^ key[i + 1]) & mask); // of its group
        sum += last ? rows * rows : 0;
        largest = LETHE_MAX(largest, rows);
        rows = last ? 0 : rows;
    }
    p->spread = sum;
    p->largest = (uint32_t)largest;
}

void lethe_table_part_spread(lethe_table_parts *s, lethe_table_part *p)
{
    const lethe_table_cells *c = s->c;
    bool dm = c->d->cost == LETHE_COST_DM;
    p->spread = 0;
    p->largest = 0;
    if (c->d->cost == LETHE_COST_LM || lethe_table_part_homogeneous(p)) return;
    assert(lethe_table_part_is_tidy(p));
    memset(s->group_mask, 0, c->words * sizeof *s->group_mask);
    for (size_t q = 0; q < c->n_qi; q++)
        if ((p->varies & p->open) >> q & 1) s->group_mask[c->word[q]] |= c->mask[q];
    s->work += p->end - p->begin;
    if (dm && c->words == 1) {
        spread_words(s, p);
        return;
    }
    for (uint32_t i = p->begin, j = i; i < p->end; i = j) {
        memset(s->with_class, 0, c->n_class * sizeof *s->with_class);
        for (; j < p->end && same_group(s, i, j); j++)
            s->with_class[s->class ? s->class[j] : 0] += s->tally[j].count;
        add_spread(p, s->with_class, c->n_class, dm);
    }
}

/* --- bounds --- */

/* DM with vioRec: kept rows pay the size after deletion, so Lemma 3.2 does not hold
 * (docs/lplus.md).  Let n_i be the groups of Cut_spec and d_i what U deletes of each, D in all, D
 * >= least.  U costs at least
 *
 *     sum (n_i - d_i)^2 + D |T|  >=  sum n_i^2 + D (|T| - 2 max n_i + 1)
 *
 * (the square of a sum is no less than the sum of squares; d_i^2 >= d_i), which grows with D as
 * long as no n_i is over half of all rows.  Else sum f(n_i), f(n) = min over d of (n - d)^2 + d
 * |T|; f(n) = n^2 for all the others. */
static uint64_t dm_vio_rec(const lethe_table_part *p, uint64_t rows)
{
    uint64_t largest = p->largest, removed = (uint64_t)p->least * rows;
    uint64_t bound = p->spread + p->least * (rows - 2 * largest + 1), f = largest * largest;
    if (2 * largest > rows) { // f is least at d = n - |T| / 2 or beside it, since it is convex
        for (uint64_t keep = rows / 2; keep <= rows / 2 + 1 && keep <= largest; keep++)
            f = LETHE_MIN(f, keep * keep + (largest - keep) * rows);
        bound = p->spread - largest * largest + f;
    }
    return LETHE_MAX(bound, removed);
}

/* Corollary 3.7: the `least` rows that cost most at Cut_spec are those deleted; of these none costs
 * more than `largest`. */
static uint64_t dm_all_rec(const lethe_table_part *p, uint64_t rows)
{
    uint64_t most = LETHE_MIN((uint64_t)p->least * p->largest, p->spread);
    return p->spread - most + p->least * rows;
}

static uint64_t bound_of(const lethe_table_cells *c, const lethe_table_part *p)
{
    const lethe_group_demand *d = c->d;
    bool stars = lethe_suppress_stars(d->suppress);
    if (lethe_table_part_homogeneous(p)) // it is never split: section 3.3.1
        return p->base + (uint64_t)(p->rows - p->deleted) * p->spec;
    switch (d->cost) {
    // Theorems 3.5 and 3.6: all rows of a group have one LM at Cut_spec, and none is worth less
    // deleted: `unit` is never under the LM of a row at the roots
    case LETHE_COST_LM:
        return p->losses + (uint64_t)(p->rows - (stars ? 0 : p->least)) * p->spec;
    case LETHE_COST_DM:
        if (d->suppress == LETHE_SUPPRESS_VIO_REC) return dm_vio_rec(p, d->rows);
        return dm_all_rec(p, d->rows);
    case LETHE_COST_CM: // Theorem 3.4
        break;
    }
    return LETHE_MAX(p->least, p->spread);
}

void lethe_table_part_bound(const lethe_table_parts *s, lethe_table_part *p)
{
    p->lost = p->doomed || (!p->valid && lethe_table_part_homogeneous(p));
    p->bound = p->lost ? 0 : bound_of(s->c, p);
}
