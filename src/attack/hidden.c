/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.c - what may be hidden in each group, and the guess in each group or class of one. */
#include "attack/hidden.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* Published rows of a group, or of a class of one, by the value that they show.  `often` is by
 * value, and zeros between two tallies. */
struct tally {
    uint32_t *often;
    uint32_t *value; /* those that occur; `*` does not */
    uint32_t n;
    uint64_t rows, shown;
};

/* What may be hidden in a group. */
struct candidates {
    uint64_t first;   /* in guesser.candidate; */
    uint32_t n;       /* there: of values that a group does not show, the commonest and the one
                         that is soonest above its threshold */
    uint32_t several; /* how many there are */
    uint64_t weight;  /* of all: rows of the published table; 0: none is known */
};

struct guesser {
    const lethe_hidden *h;
    lethe_arena *a;
    const lethe_published_column *sa;
    uint32_t starred, n_values;
    uint64_t *common;  /* by value: published rows */
    uint64_t all;      /* that show one */
    uint32_t *ranked;  /* values, the commonest first */
    uint32_t *rank;    /* by value: its place there */
    uint32_t *soonest; /* values, the one that is soonest above its threshold first */
    struct tally t;
    struct candidates *of; /* by group */
    lethe_u32s candidate;
    bool *is_candidate; /* by value; false between two cells */
    uint32_t *place;    /* by row of the original: its group, or n_groups */
    uint32_t *truth;    /* by row of the original: its value; LETHE_NONE: it is not published */
};

/* --- values --- */

struct ranking {
    const struct guesser *g;
};

static int by_rank(const void *x, const void *y, void *arg)
{
    const struct guesser *g = ((const struct ranking *)arg)->g;
    uint32_t v = *(const uint32_t *)x, w = *(const uint32_t *)y;
    if (g->common[v] != g->common[w]) return g->common[v] > g->common[w] ? -1 : 1;
    return lethe_str_cmp(lethe_dict_at(g->sa->values, v), lethe_dict_at(g->sa->values, w));
}

/* Of two values that are hidden, the one with the greater common / theta is sooner above its
 * threshold.  Whole parts are compared before what is left, so that no product is too large. */
static int by_threshold(const void *x, const void *y, void *arg)
{
    const struct guesser *g = ((const struct ranking *)arg)->g;
    uint32_t v = *(const uint32_t *)x, w = *(const uint32_t *)y;
    lethe_theta s = g->h->theta[v], t = g->h->theta[w];
    bool v_first = s.num == 0 && g->common[v] > 0, w_first = t.num == 0 && g->common[w] > 0;
    if (v_first || w_first)
        return v_first && w_first ? by_rank(x, y, arg) : (int)w_first - (int)v_first;
    uint64_t s_num = LETHE_MAX(s.num, 1), t_num = LETHE_MAX(t.num, 1);
    wide a = (wide)g->common[v] * s.den, b = (wide)g->common[w] * t.den;
    if (a / s_num != b / t_num) return a / s_num > b / t_num ? -1 : 1;
    a = a % s_num * t_num;
    b = b % t_num * s_num;
    return a != b ? (a > b ? -1 : 1) : by_rank(x, y, arg);
}

static lethe_err values_rank(struct guesser *g)
{
    size_t n = g->n_values;
    g->common = lethe_new(g->a, uint64_t, n + 1);
    g->ranked = lethe_new(g->a, uint32_t, n + 1);
    g->rank = lethe_new(g->a, uint32_t, n + 1);
    g->soonest = lethe_new(g->a, uint32_t, n + 1);
    g->is_candidate = lethe_new(g->a, bool, n + 1);
    g->t.often = lethe_new(g->a, uint32_t, n + 1);
    g->t.value = lethe_new(g->a, uint32_t, n + 1);
    if (!g->common || !g->ranked || !g->rank || !g->soonest || !g->is_candidate || !g->t.often ||
        !g->t.value)
        return LETHE_ENOMEM;
    for (size_t i = 0; i < g->h->b->published->n; i++)
        g->common[g->sa->code[i]] += g->sa->code[i] != g->starred;
    for (uint32_t v = 0; v < n; v++) {
        g->all += g->common[v];
        g->ranked[v] = g->soonest[v] = v;
    }
    if (n > 0) qsort_r(g->ranked, n, sizeof *g->ranked, by_rank, &(struct ranking){g});
    if (n > 0)
        qsort_r(g->soonest, n, sizeof *g->soonest, g->h->theta ? by_threshold : by_rank,
                &(struct ranking){g});
    for (uint32_t i = 0; i < n; i++)
        g->rank[g->ranked[i]] = i;
    return LETHE_OK;
}

static void tally_add(struct guesser *g, size_t row)
{
    uint32_t v = g->sa->code[row];
    g->t.rows++;
    if (v == g->starred) return;
    if (g->t.often[v]++ == 0) g->t.value[g->t.n++] = v;
    g->t.shown++;
}

static void tally_clear(struct tally *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->often[t->value[i]] = 0;
    *t = (struct tally){.often = t->often, .value = t->value};
}

/* --- candidates --- */

static lethe_err candidate_add(struct guesser *g, struct candidates *c, uint32_t v)
{
    c->n++;
    return lethe_u32s_append(g->a, &g->candidate, &v, 1);
}

static uint32_t first_unseen(const struct tally *t, const uint32_t *order)
{
    uint32_t i = 0;
    while (t->often[order[i]] > 0)
        i++;
    return order[i];
}

/* Values of the table that the group does not show. */
static lethe_err unseen_find(struct guesser *g, struct candidates *c)
{
    c->weight = g->all;
    for (uint32_t i = 0; i < g->t.n; i++)
        c->weight -= g->common[g->t.value[i]];
    if (c->weight == 0) return LETHE_OK;
    c->several = g->n_values - (g->starred != LETHE_NONE) - g->t.n;
    uint32_t best = first_unseen(&g->t, g->ranked), soonest = first_unseen(&g->t, g->soonest);
    LETHE_TRY(candidate_add(g, c, best));
    return soonest != best ? candidate_add(g, c, soonest) : LETHE_OK;
}

/* Values of which no row more could have stayed. */
static bool is_at_theta(const struct guesser *g, uint32_t v)
{
    lethe_theta t = g->h->theta[v];
    return g->t.often[v] == (uint64_t)((wide)t.num * g->t.rows / t.den);
}

static uint32_t most_often(const struct tally *t)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->n; i++)
        most = LETHE_MAX(most, t->often[t->value[i]]);
    return most;
}

static lethe_err group_find(struct guesser *g, struct candidates *c)
{
    lethe_hidden_scheme scheme = g->h->scheme;
    uint32_t most = scheme == LETHE_HIDDEN_MOST ? most_often(&g->t) : 0;
    c->first = g->candidate.n;
    if (scheme == LETHE_HIDDEN_ANY) return LETHE_OK;
    if (scheme == LETHE_HIDDEN_UNSEEN || (scheme == LETHE_HIDDEN_MOST && most == 0))
        return unseen_find(g, c);
    for (uint32_t i = 0; i < g->t.n; i++) {
        uint32_t v = g->t.value[i];
        if (most > 0 ? g->t.often[v] < most : !is_at_theta(g, v)) continue;
        c->several++;
        c->weight += g->common[v];
        LETHE_TRY(candidate_add(g, c, v));
    }
    return LETHE_OK;
}

/* Rows by what `of` says, which is below `n`: row[first[i]] .. row[first[i + 1] - 1] of i. */
static lethe_err rows_sort(lethe_arena *a, const uint32_t *of, size_t n_rows, size_t n,
                           uint64_t **first, uint32_t **row)
{
    uint64_t *at = lethe_new(a, uint64_t, n + 2);
    *row = lethe_new(a, uint32_t, n_rows + 1);
    if (!at || !*row) return LETHE_ENOMEM;
    for (size_t i = 0; i < n_rows; i++)
        at[of[i] + 2]++;
    for (size_t i = 0; i < n; i++)
        at[i + 2] += at[i + 1];
    for (size_t i = 0; i < n_rows; i++)
        (*row)[at[of[i] + 1]++] = (uint32_t)i;
    *first = at;
    return LETHE_OK;
}

static lethe_err groups_find(struct guesser *g)
{
    const lethe_table_beside *b = g->h->b;
    uint64_t *first;
    uint32_t *row;
    g->of = lethe_new(g->a, struct candidates, (size_t)b->n_groups + 1);
    if (!g->of) return LETHE_ENOMEM;
    LETHE_TRY(rows_sort(g->a, b->group, b->published->n, b->n_groups, &first, &row));
    for (uint32_t k = 0; k < b->n_groups; k++) {
        for (uint64_t i = first[k]; i < first[k + 1]; i++)
            tally_add(g, row[i]);
        LETHE_TRY(group_find(g, &g->of[k]));
        tally_clear(&g->t);
    }
    return LETHE_OK;
}

/* --- persons --- */

static lethe_err persons_place(struct guesser *g)
{
    const lethe_table_beside *b = g->h->b;
    const lethe_column *sa = &b->original->sa[g->h->sa];
    uint32_t *number = lethe_dict_translate(g->a, g->sa->values, sa->values);
    g->place = lethe_new(g->a, uint32_t, b->original->n + 1);
    g->truth = lethe_new(g->a, uint32_t, b->original->n + 1);
    if (!number || !g->place || !g->truth) return LETHE_ENOMEM;
    for (size_t i = 0; i < b->original->n; i++) {
        uint32_t group = lethe_beside_group_of(b, i);
        g->place[i] = group == LETHE_NONE ? b->n_groups : group;
        g->truth[i] = number[sa->code[i]];
    }
    return LETHE_OK;
}

/* Groups, or classes of groups: published rows and persons of each. */
struct cells {
    uint32_t n;
    uint32_t *group; /* by cell; n_groups: persons of no group */
    uint64_t *published_first, *person_first;
    uint32_t *published, *person;
};

/* Numbers both tables' rows by group and class: the published ones first. */
static lethe_err cells_number(const struct guesser *g, uint32_t **of, struct cells *c)
{
    const lethe_table_beside *b = g->h->b;
    size_t n = b->published->n, m = b->original->n;
    uint32_t *group = lethe_new(g->a, uint32_t, n + m + 1),
             *class = lethe_new(g->a, uint32_t, n + m + 1);
    if (!group || !class) return LETHE_ENOMEM;
    memcpy(group, b->group, n * sizeof *group);
    memcpy(group + n, g->place, m * sizeof *group);
    if (g->h->by_class) {
        uint32_t *number = lethe_dict_translate(g->a, b->class->values, b->original->class->values);
        if (!number) return LETHE_ENOMEM;
        memcpy(class, b->class->code, n * sizeof *class);
        for (size_t i = 0; i < m; i++)
            class[n + i] = number[b->original->class->code[i]];
    }
    lethe_dict *keys = lethe_dict_new();
    const uint32_t *column[2] = {group, class};
    lethe_err e = keys ? lethe_rows_group(g->a, keys, n + m, column, 2, of, &c->n) : LETHE_ENOMEM;
    lethe_dict_free(keys);
    c->group = e == LETHE_OK ? lethe_new(g->a, uint32_t, (size_t)c->n + 1) : NULL;
    if (!c->group) return LETHE_ENOMEM;
    for (size_t i = 0; i < n + m; i++)
        c->group[(*of)[i]] = group[i];
    return LETHE_OK;
}

static lethe_err cells_make(const struct guesser *g, struct cells *c)
{
    const lethe_table_beside *b = g->h->b;
    uint32_t *of = NULL;
    LETHE_TRY(cells_number(g, &of, c));
    LETHE_TRY(rows_sort(g->a, of, b->published->n, c->n, &c->published_first, &c->published));
    return rows_sort(g->a, of + b->published->n, b->original->n, c->n, &c->person_first,
                     &c->person);
}

/* --- guesses --- */

/* A group, or a class of one. */
struct cell {
    uint64_t persons, hidden;
    uint64_t weight; /* of the candidates, or 1 */
};

/* The share of a value in a cell is mass / (weight * persons). */
struct guess {
    uint32_t value; /* LETHE_NONE: none */
    wide mass;
    bool above; /* some value, guessed or not, has a share above its threshold */
};

/* Is the value's share above its threshold? */
static bool is_above(const struct guesser *g, uint32_t v, wide mass, const struct cell *r)
{
    if (!g->h->theta) return false;
    lethe_theta t = g->h->theta[v];
    return mass * t.den > (wide)t.num * r->persons * r->weight;
}

static void guess_consider(const struct guesser *g, uint32_t v, const struct cell *r,
                           struct guess *best)
{
    wide mass = (wide)g->t.often[v] * r->weight;
    if (g->is_candidate[v]) mass += (wide)r->hidden * g->common[v];
    best->above = best->above || is_above(g, v, mass, r);
    bool better = best->value == LETHE_NONE || mass > best->mass ||
                  (mass == best->mass && g->rank[v] < g->rank[best->value]);
    if (better) *best = (struct guess){v, mass, best->above};
}

static struct guess cell_guess(struct guesser *g, const struct candidates *c, const struct cell *r)
{
    assert(c->n == 0 || g->candidate.at);
    const uint32_t *candidate = c->n > 0 ? g->candidate.at + c->first : NULL;
    struct guess best = {.value = LETHE_NONE};
    for (uint32_t i = 0; i < c->n; i++)
        g->is_candidate[candidate[i]] = true;
    for (uint32_t i = 0; i < g->t.n; i++)
        guess_consider(g, g->t.value[i], r, &best);
    for (uint32_t i = 0; i < c->n; i++)
        guess_consider(g, candidate[i], r, &best);
    for (uint32_t i = 0; i < c->n; i++)
        g->is_candidate[candidate[i]] = false;
    if (best.value == LETHE_NONE && g->all > 0) best.value = g->ranked[0]; // nothing is shown
    return best;
}

/* Of the hidden rows of a cell, those that have the commonest candidate: all rows of it that are
 * not shown. */
static void hidden_count(const struct guesser *g, const struct candidates *c,
                         const uint32_t *person, uint64_t persons, uint64_t hidden,
                         lethe_hidden_found *out)
{
    uint32_t best = LETHE_NONE;
    uint64_t with = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t v = g->candidate.at[c->first + i];
        if (best == LETHE_NONE || g->rank[v] < g->rank[best]) best = v;
    }
    out->hidden += hidden;
    out->groups += hidden > 0;
    if (hidden == 0 || best == LETHE_NONE) return;
    for (uint64_t i = 0; i < persons; i++)
        with += g->truth[person[i]] == best;
    uint64_t named = with - LETHE_MIN(with, g->t.often[best]);
    out->named += named;
    out->single += c->several == 1;
    out->exact += c->several == 1 && named == hidden;
}

static void cell_close(struct guesser *g, uint32_t group, const uint32_t *person, uint64_t persons,
                       lethe_hidden_found *out)
{
    const struct candidates *c = &g->of[group];
    uint64_t hidden = persons - LETHE_MIN(persons, g->t.shown);
    struct guess best = cell_guess(g, c, &(struct cell){persons, hidden, LETHE_MAX(c->weight, 1)});
    out->persons += persons;
    out->above += best.above ? persons : 0;
    for (uint64_t i = 0; i < persons; i++)
        out->right += best.value != LETHE_NONE && g->truth[person[i]] == best.value;
    hidden_count(g, c, person, persons, hidden, out);
}

lethe_err lethe_hidden_guess(const lethe_hidden *h, lethe_arena *a, lethe_hidden_found *out)
{
    struct guesser g = {.h = h, .a = a, .sa = h->b->sa[h->sa], .starred = h->b->starred[h->sa]};
    struct cells c = {0};
    *out = (lethe_hidden_found){0};
    g.n_values = lethe_dict_count(g.sa->values);
    LETHE_TRY(values_rank(&g));
    LETHE_TRY(groups_find(&g));
    LETHE_TRY(persons_place(&g));
    LETHE_TRY(cells_make(&g, &c));
    for (uint32_t k = 0; k < c.n; k++) {
        if (c.group[k] == h->b->n_groups) continue;
        for (uint64_t i = c.published_first[k]; i < c.published_first[k + 1]; i++)
            tally_add(&g, c.published[i]);
        cell_close(&g, c.group[k], c.person + c.person_first[k],
                   c.person_first[k + 1] - c.person_first[k], out);
        tally_clear(&g.t);
    }
    return LETHE_OK;
}
