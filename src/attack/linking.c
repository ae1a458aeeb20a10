/* SPDX-License-Identifier: Apache-2.0 */
/* linking.c - an adversary who has a table of persons with their quasi-identifiers (a register of
 * voters, a list of members) and looks each of them up.
 *
 * Before, candidates are the rows of the original with the person's own values; after, the
 * published rows each of whose quasi-identifiers is the person's value or stands above it.  Where
 * published values stand apart, these are the rows of one group, or none; where groups overlap, of
 * all groups that the person fits.  The best guess at the person's sensitive value is the commonest
 * among the candidates, and its share is how sure one may be of it (Liu 2010, section 3.1.1): a
 * starred row counts among the candidates, and shows no value.
 *
 * With vioSA a value is starred in all rows of a group or in none.  So where a group shows all
 * values that there are but one, its stars are that one: it is counted as if it were shown.
 *
 * Of several sensitive columns each is guessed by itself, by all strategies, and all figures but
 * `sensitive` are of the one of which most is learned.
 *
 * Who finds nothing, or stars alone, guesses the commonest value of the published table.  Where
 * there is no sensitive column, it is guessed which row is the person's.
 *
 * The worst case is who knows the quasi-identifiers of everybody in the original, and so it is
 * where no table is given.  Such an adversary can count, too: where groups overlap, persons that
 * fit each (fitting.h; what is left gives `counted`); where they do not, rows that are starred or
 * missing, and which values these may have (hidden.h).  Who also knows the class of each person
 * looks at the rows of that class alone; `before` is with the same knowledge then.  Of these
 * strategies the best one is taken. */
#include "attack/attack.h"
#include "attack/external.h"
#include "attack/fitting.h"
#include "attack/hidden.h"
#include "attack/strategies.h"
#include "model/records/record_map.h"
#include "model/table/table_beside.h"
#include <math.h>
#include <stdlib.h>

enum {
    DOUBTS = 10,         /* no answer where more than this part of all persons is in doubt */
    FITS_MAX = 100000000 /* pairs of a tuple and a group that are kept */
};

/* Candidates of persons, by the tuple of their values. */
struct candidates {
    uint64_t *size;  /* rows; 0: there are none */
    uint64_t *most;  /* those with the commonest value, or 1 where there is no sensitive column; */
    uint64_t *shown; /* those that show their value; likewise */
};

/* Rows of a group, or of several. */
struct rows_seen {
    uint64_t size, most, shown;
};

/* What published groups show: value[first[g]] .. value[first[g + 1] - 1], and how often. */
struct shown_values {
    uint64_t *first;
    uint32_t *value;
    uint32_t *often;
    uint32_t n_values; /* all that there may be: the original's first */
};

struct table_lookup {
    lethe_comparison *c;
    const lethe_table *original;
    const lethe_column *sa; /* the sensitive column that is guessed, of the original; NULL: none; */
    const lethe_published_column *shown_sa; /* of the release; */
    uint32_t starred;                       /* the number of `*` there */
    lethe_table_beside *b;
    lethe_beside_fits *fits; /* NULL: groups do not overlap */
    lethe_arena *arena;
    lethe_external persons;
    lethe_dict *keys;  /* tuples of leaves: those of the original first, then other persons' */
    uint32_t n_before; /* the original's */
    uint32_t *of;      /* by row of the original: its tuple */
    uint32_t n_tuples;
    uint64_t *in;             /* by tuple: persons */
    struct candidates before; /* rows of the original with equal values */
    struct candidates after;  /* published ones */
    uint32_t *n_fits;         /* by tuple: groups */
    uint64_t *first;          /* by tuple: its groups in `fit` begin here; */
    lethe_u32s fit;           /* kept where `narrows` */
    bool narrows;             /* who knows everybody can rule groups out */
    bool *is_revealed;        /* by tuple: stars of a group that it fits are one value */
    struct rows_seen *group;  /* by published group */
    bool *revealed;           /* by published group: its stars are one value */
    struct shown_values shown;
    uint64_t undecided; /* persons who are left out, for the release does not show where they are */
    double commonest;   /* the share of the commonest value */
    double baseline;
};

/* --- what groups show --- */

static lethe_err candidates_new(const struct table_lookup *a, struct candidates *c)
{
    c->size = lethe_new(a->arena, uint64_t, (size_t)a->n_tuples + 1);
    c->most = lethe_new(a->arena, uint64_t, (size_t)a->n_tuples + 1);
    c->shown = lethe_new(a->arena, uint64_t, (size_t)a->n_tuples + 1);
    return c->size && c->most && c->shown ? LETHE_OK : lethe_no_memory(a->c->ctx);
}

/* Numbers the original's rows by pairs of numbers. */
static lethe_err rows_pair(const struct table_lookup *a, const uint32_t *x, const uint32_t *y,
                           uint32_t **pair, uint32_t *n)
{
    const uint32_t *column[2] = {x, y};
    lethe_dict *keys = lethe_dict_new();
    lethe_err e =
        keys ? lethe_rows_group(a->arena, keys, a->original->n, column, 2, pair, n) : LETHE_ENOMEM;
    lethe_dict_free(keys);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(a->c->ctx);
}

/* Of the original's rows, by what `of` says: those with the commonest value. */
static lethe_err most_fill(const struct table_lookup *a, const uint32_t *of, uint64_t *most)
{
    uint32_t *pair = NULL, n_pairs = 0;
    LETHE_TRY(rows_pair(a, of, a->sa->code, &pair, &n_pairs));
    uint64_t *often = lethe_new(a->arena, uint64_t, (size_t)n_pairs + 1);
    if (!often) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < a->original->n; i++) {
        often[pair[i]]++;
        most[of[i]] = LETHE_MAX(most[of[i]], often[pair[i]]);
    }
    return LETHE_OK;
}

/* The original's rows, by tuple. */
static lethe_err before_fill(struct table_lookup *a)
{
    struct candidates *c = &a->before;
    LETHE_TRY(candidates_new(a, c));
    for (size_t i = 0; i < a->original->n; i++)
        c->size[a->of[i]]++;
    for (uint32_t i = 0; i < a->n_before; i++) {
        c->shown[i] = a->sa ? c->size[i] : 1;
        c->most[i] = a->sa ? 0 : 1;
    }
    return a->sa ? most_fill(a, a->of, c->most) : LETHE_OK;
}

/* Published rows, those of a group together. */
static uint32_t *rows_by_group(const struct table_lookup *a)
{
    const lethe_table_beside *b = a->b;
    uint32_t *row = lethe_new(a->arena, uint32_t, b->published->n + 1);
    uint64_t *next = lethe_new(a->arena, uint64_t, (size_t)b->n_groups + 2);
    if (!row || !next) return NULL;
    for (uint32_t g = 0; g < b->n_groups; g++)
        next[g + 1] = next[g] + b->size[g];
    for (size_t i = 0; i < b->published->n; i++)
        row[next[b->group[i]]++] = (uint32_t)i;
    return row;
}

static bool suppresses(const struct table_lookup *a, const char *scheme)
{
    const lethe_json *step = lethe_json_at(lethe_json_get(a->c->published->manifest, "steps"), 0);
    lethe_str suppress =
        lethe_json_text(lethe_json_get(lethe_json_get(step, "parameters"), "suppress"));
    return a->sa && lethe_str_eq(suppress, lethe_str_of(scheme));
}

/* Counts the values of one group, and clears the counts; `often` is by value. */
static void group_close(struct table_lookup *a, uint32_t g, bool whole, uint32_t *often,
                        uint32_t *touched, uint32_t n_touched)
{
    struct shown_values *s = &a->shown;
    struct rows_seen *seen = &a->group[g];
    uint32_t n_original = lethe_dict_count(a->sa->values), kinds = 0, stars, missing = 0;
    for (uint32_t i = 0; i < n_touched; i++) {
        seen->shown += often[touched[i]];
        seen->most = LETHE_MAX(seen->most, often[touched[i]]);
        kinds += touched[i] < n_original;
    }
    stars = (uint32_t)(seen->size - seen->shown);
    a->revealed[g] = whole && stars > 0 && (uint64_t)kinds + 1 == n_original;
    if (a->revealed[g]) {
        while (often[missing])
            missing++;
        touched[n_touched++] = missing;
        often[missing] = stars;
        seen->most = LETHE_MAX(seen->most, stars);
        seen->shown = seen->size;
    }
    s->first[g + 1] = s->first[g] + n_touched;
    for (uint32_t i = 0; i < n_touched; i++) {
        s->value[s->first[g] + i] = touched[i];
        s->often[s->first[g] + i] = often[touched[i]];
        often[touched[i]] = 0;
    }
}

/* What the rows of each published group show. */
static lethe_err groups_fill(struct table_lookup *a)
{
    const lethe_table_beside *b = a->b;
    size_t n = b->published->n, at = 0;
    struct shown_values *s = &a->shown;
    a->group = lethe_new(a->arena, struct rows_seen, (size_t)b->n_groups + 1);
    a->revealed = lethe_new(a->arena, bool, (size_t)b->n_groups + 1);
    if (!a->group || !a->revealed) return lethe_no_memory(a->c->ctx);
    for (uint32_t g = 0; g < b->n_groups; g++)
        a->group[g] = (struct rows_seen){b->size[g], a->sa ? 0 : 1, a->sa ? 0 : 1};
    if (!a->sa) return LETHE_OK;
    uint32_t n_original = lethe_dict_count(a->sa->values),
             n_shown = lethe_dict_count(a->shown_sa->values);
    uint32_t *number = lethe_dict_translate(a->arena, a->sa->values, a->shown_sa->values);
    uint32_t *row = rows_by_group(a);
    s->n_values = n_original + n_shown;
    uint32_t *often = lethe_new(a->arena, uint32_t, (size_t)s->n_values + 1),
             *touched = lethe_new(a->arena, uint32_t, (size_t)s->n_values + 1);
    s->first = lethe_new(a->arena, uint64_t, (size_t)b->n_groups + 1);
    s->value = lethe_new(a->arena, uint32_t, n + b->n_groups + 1);
    s->often = lethe_new(a->arena, uint32_t, n + b->n_groups + 1);
    if (!number || !row || !often || !touched || !s->first || !s->value || !s->often)
        return lethe_no_memory(a->c->ctx);
    bool whole = suppresses(a, "vioSA"); // then every row of a value in a group is starred, or none
    for (uint32_t g = 0; g < b->n_groups; g++) {
        uint32_t n_touched = 0;
        for (size_t end = at + b->size[g]; at < end; at++) {
            uint32_t code = a->shown_sa->code[row[at]];
            if (code == a->starred) continue;
            uint32_t v = number[code] == LETHE_NONE ? n_original + code : number[code];
            if (often[v]++ == 0) touched[n_touched++] = v;
        }
        group_close(a, g, whole, often, touched, n_touched);
    }
    return LETHE_OK;
}

/* --- who fits where --- */

/* Is a value of the row one of which the release does not show where it stands? */
static bool row_in_doubt(const lethe_table_beside *b, size_t row)
{
    for (size_t k = 0; k < b->original->n_qi; k++)
        if (b->qi[k].kind == LETHE_BESIDE_PLACED && b->qi[k].doubt[b->original->qi[k].leaf[row]])
            return true;
    return false;
}

/* Numbers the tuples of the original and of the persons, and counts the latter; and those with a
 * value of nowhere. */
static lethe_err persons_count(struct table_lookup *a, uint64_t *unknown)
{
    const lethe_table *t = a->original;
    size_t n_qi = t->n_qi;
    uint32_t leaf[LETHE_QI_MAX];
    const uint32_t **column = lethe_new(a->arena, const uint32_t *, n_qi);
    uint32_t *person = lethe_new(a->arena, uint32_t, a->persons.n + 1);
    a->keys = lethe_dict_new();
    if (!column || !person || !a->keys) return lethe_no_memory(a->c->ctx);
    for (size_t k = 0; k < n_qi; k++)
        column[k] = t->qi[k].leaf;
    if (lethe_rows_group(a->arena, a->keys, t->n, column, n_qi, &a->of, &a->n_before) != LETHE_OK)
        return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < a->persons.n; i++) {
        bool is_known = true;
        for (size_t k = 0; k < n_qi; k++) {
            leaf[k] = a->persons.leaf[k][i];
            is_known = is_known && leaf[k] != LETHE_NONE;
        }
        person[i] = LETHE_NONE;
        if (a->undecided > 0 && row_in_doubt(a->b, i)) continue; // then persons are its rows
        *unknown += !is_known;
        if (is_known &&
            lethe_dict_add(a->keys, (lethe_str){(const char *)leaf, n_qi * sizeof *leaf},
                           &person[i]) != LETHE_OK)
            return lethe_no_memory(a->c->ctx);
    }
    a->n_tuples = lethe_dict_count(a->keys);
    a->in = lethe_new(a->arena, uint64_t, (size_t)a->n_tuples + 1);
    if (!a->in) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < a->persons.n; i++)
        if (person[i] != LETHE_NONE) a->in[person[i]]++;
    a->persons.n -= a->undecided;
    return LETHE_OK;
}

static void tuple_leaves(const struct table_lookup *a, uint32_t tuple, uint32_t *leaf)
{
    lethe_str key = lethe_dict_at(a->keys, tuple);
    memcpy(leaf, key.at, key.n);
}

struct tuple_order {
    const struct table_lookup *a;
    const size_t *column;
};

static int by_leaves(const void *x, const void *y, void *arg)
{
    const struct tuple_order *o = arg;
    uint32_t one[LETHE_QI_MAX], other[LETHE_QI_MAX];
    tuple_leaves(o->a, *(const uint32_t *)x, one);
    tuple_leaves(o->a, *(const uint32_t *)y, other);
    for (size_t j = 0; j < o->a->original->n_qi; j++) {
        size_t k = o->column[j];
        if (one[k] != other[k]) return one[k] < other[k] ? -1 : 1;
    }
    return 0;
}

/* The tuples, in the order in which the index is quickest. */
static lethe_err tuples_sort(const struct table_lookup *a, uint32_t **out)
{
    uint32_t *order = lethe_new(a->arena, uint32_t, (size_t)a->n_tuples + 1);
    if (!order) return lethe_no_memory(a->c->ctx);
    for (uint32_t i = 0; i < a->n_tuples; i++)
        order[i] = i;
    struct tuple_order by = {a, a->fits ? lethe_beside_fits_order(a->fits) : NULL};
    if (a->fits && a->n_tuples > 0) qsort_r(order, a->n_tuples, sizeof *order, by_leaves, &by);
    *out = order;
    return LETHE_OK;
}

/* The rows of several groups together; `often` is by value, and zero before and after. */
static struct rows_seen groups_join(const struct table_lookup *a, const uint32_t *group, size_t n,
                                    uint32_t *often)
{
    const struct shown_values *s = &a->shown;
    struct rows_seen all = {0, a->sa ? 0 : 1, a->sa ? 0 : 1};
    if (n == 1) return a->group[group[0]];
    for (size_t i = 0; i < n; i++) {
        uint32_t g = group[i];
        all.size += a->group[g].size;
        if (!a->sa) continue;
        all.shown += a->group[g].shown;
        for (uint64_t k = s->first[g]; k < s->first[g + 1]; k++) {
            uint32_t times = often[s->value[k]] += s->often[k];
            all.most = LETHE_MAX(all.most, times);
        }
    }
    for (size_t i = 0; i < n && a->sa; i++)
        for (uint64_t k = s->first[group[i]]; k < s->first[group[i] + 1]; k++)
            often[s->value[k]] = 0;
    return all;
}

static lethe_err groups_of(const struct table_lookup *a, const uint32_t *leaf, uint32_t *one,
                           const uint32_t **group, size_t *n)
{
    if (a->fits)
        return lethe_beside_fit(a->fits, leaf, group, n) == LETHE_OK ? LETHE_OK
                                                                     : lethe_no_memory(a->c->ctx);
    *one = lethe_beside_group(a->b, leaf);
    *group = one;
    *n = *one != LETHE_NONE;
    return LETHE_OK;
}

/* Candidates of each tuple that a person has. */
static lethe_err after_fill(struct table_lookup *a)
{
    struct candidates *c = &a->after;
    uint32_t leaf[LETHE_QI_MAX], one, *order;
    const uint32_t *group;
    size_t n;
    LETHE_TRY(candidates_new(a, c));
    uint32_t *often = lethe_new(a->arena, uint32_t, (size_t)a->shown.n_values + 1);
    a->n_fits = lethe_new(a->arena, uint32_t, (size_t)a->n_tuples + 1);
    a->is_revealed = lethe_new(a->arena, bool, (size_t)a->n_tuples + 1);
    a->first = lethe_new(a->arena, uint64_t, (size_t)a->n_tuples + 1);
    a->fit.n = 0;
    a->narrows = a->fits && !lethe_value_of(a->c->values, "external")->present && !a->undecided;
    if (!often || !a->n_fits || !a->is_revealed || !a->first) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(tuples_sort(a, &order));
    for (uint32_t i = 0; i < a->n_tuples; i++) {
        uint32_t t = order[i];
        if (i % 1024 == 0 && lethe_ctx_cancelled(a->c->ctx)) return LETHE_ECANCEL;
        if (a->in[t] == 0) continue;
        tuple_leaves(a, t, leaf);
        LETHE_TRY(groups_of(a, leaf, &one, &group, &n));
        a->n_fits[t] = (uint32_t)n;
        a->first[t] = a->fit.n;
        a->narrows = a->narrows && a->fit.n + n <= FITS_MAX;
        if (a->narrows && lethe_u32s_append(a->arena, &a->fit, group, n) != LETHE_OK)
            return lethe_no_memory(a->c->ctx);
        if (n == 0) continue;
        struct rows_seen seen = groups_join(a, group, n, often);
        c->size[t] = seen.size;
        c->most[t] = seen.most;
        c->shown[t] = seen.shown;
        for (size_t k = 0; k < n; k++)
            a->is_revealed[t] = a->is_revealed[t] || a->revealed[group[k]];
    }
    return LETHE_OK;
}

/* --- who knows everybody --- */

/* Candidates that are left of each tuple; *n: persons who have fewer. */
static lethe_err candidates_narrow(const struct table_lookup *a, struct candidates *to, uint64_t *n)
{
    const lethe_fitting f = {.n_tuples = a->n_tuples,
                             .n_groups = a->b->n_groups,
                             .persons = a->in,
                             .first = a->first,
                             .n_fits = a->n_fits,
                             .fit = a->fit.at,
                             .n_fit = a->fit.n,
                             .size = a->b->size,
                             .all_are_in = a->b->n_deleted == 0};
    bool *out = NULL;
    if (lethe_fitting_rule_out(&f, a->arena, &out) != LETHE_OK) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(candidates_new(a, to));
    uint32_t *often = lethe_new(a->arena, uint32_t, (size_t)a->shown.n_values + 1);
    uint32_t *group = lethe_new(a->arena, uint32_t, (size_t)a->b->n_groups + 1);
    if (!often || !group) return lethe_no_memory(a->c->ctx);
    for (uint32_t t = 0; t < a->n_tuples; t++) {
        size_t left = 0;
        for (uint64_t e = a->first[t]; e < a->first[t] + a->n_fits[t]; e++)
            if (!out[e]) group[left++] = a->fit.at[e];
        *n += left < a->n_fits[t] ? a->in[t] : 0;
        if (left == 0) continue;
        struct rows_seen seen = groups_join(a, group, left, often);
        to->size[t] = seen.size;
        to->most[t] = seen.most;
        to->shown[t] = seen.shown;
    }
    return LETHE_OK;
}

/* --- the answer --- */

struct summary {
    uint64_t linked, unique, certain; /* persons */
    double mean, median, confidence;  /* over those who have a candidate */
    double chance;                    /* of choosing the right row, over all persons */
};

struct size_order {
    const struct candidates *c;
};

static int by_size(const void *a, const void *b, void *arg)
{
    const struct size_order *o = arg;
    uint64_t x = o->c->size[*(const uint32_t *)a], y = o->c->size[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

/* How many candidates the person has who comes at this place, in the order of such numbers;
 * `order` has the tuples in that order. */
static double size_at(const struct table_lookup *a, const struct candidates *c,
                      const uint32_t *order, uint64_t place)
{
    uint32_t i = 0;
    for (; place >= a->in[order[i]]; i++)
        place -= a->in[order[i]];
    return (double)c->size[order[i]];
}

static lethe_err summarize(const struct table_lookup *a, const struct candidates *c,
                           struct summary *out)
{
    struct summary s = {.mean = NAN, .median = NAN, .confidence = NAN};
    double candidates = 0, confidence = 0, chance = 0;
    uint32_t n = 0, *order = lethe_new(a->arena, uint32_t, (size_t)a->n_tuples + 1);
    if (!order) return lethe_no_memory(a->c->ctx);
    for (uint32_t i = 0; i < a->n_tuples; i++) {
        double in = (double)a->in[i], size = (double)c->size[i];
        if (c->size[i] == 0 || a->in[i] == 0) continue;
        order[n++] = i;
        s.linked += a->in[i];
        s.unique += c->size[i] == 1 ? a->in[i] : 0;
        s.certain += c->most[i] == c->size[i] ? a->in[i] : 0;
        candidates += in * size;
        confidence += in * (double)c->most[i] / size;
        chance += in / size;
    }
    qsort_r(order, n, sizeof *order, by_size, &(struct size_order){c});
    if (s.linked > 0) {
        s.median =
            (size_at(a, c, order, (s.linked - 1) / 2) + size_at(a, c, order, s.linked / 2)) / 2;
        s.mean = candidates / (double)s.linked;
        s.confidence = confidence / (double)s.linked;
    }
    s.chance = chance / (double)LETHE_MAX(a->persons.n, 1);
    *out = s;
    return LETHE_OK;
}

static void summary_set(lethe_json_doc *doc, lethe_json *out, const char *name,
                        const struct summary *s, double persons)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "unique", (double)s->unique / persons);
    lethe_set_real(doc, o, "candidates_mean", s->mean);
    lethe_set_real(doc, o, "candidates_median", s->median);
    lethe_set_real(doc, o, "confidence", s->confidence);
    lethe_set_real(doc, o, "certain", (double)s->certain / persons);
    lethe_json_set(doc, out, name, o);
}

/* How often the best guess is right: the commonest value of the person's candidates, or of all. */
static double success_of(const struct table_lookup *a, const struct candidates *c)
{
    uint64_t guessed = a->persons.n; // those whose candidates show no value
    double sum = 0;
    for (uint32_t i = 0; i < a->n_tuples; i++) {
        if (c->shown[i] == 0 || c->size[i] == 0) continue;
        sum += (double)a->in[i] * (double)c->most[i] / (double)c->size[i];
        guessed -= a->in[i];
    }
    return (sum + (double)guessed * a->commonest) / (double)a->persons.n;
}

/* In how many groups persons are looked for, where these overlap. */
static void overlap_set(const struct table_lookup *a, lethe_json_doc *doc, lethe_json *out)
{
    double sum = 0;
    uint64_t linked = 0, several = 0;
    for (uint32_t i = 0; i < a->n_tuples; i++) {
        sum += (double)a->in[i] * a->n_fits[i];
        linked += a->n_fits[i] > 0 ? a->in[i] : 0;
        several += a->n_fits[i] > 1 ? a->in[i] : 0;
    }
    lethe_set_real(doc, out, "groups_mean", linked ? sum / (double)linked : NAN);
    lethe_attack_share(doc, out, "fit_several", several, a->persons.n);
}

/* --- strategies --- */

enum strategy { SHARES, COUNTED, SUPPRESSED, CLASS, STRATEGIES };
static const char *const strategies[] = {"shares", "counted", "suppressed", "class"};

/* What each achieves; NAN: it does not apply. */
struct outcome {
    double before; /* what can be achieved with the original and the same knowledge */
    double success[STRATEGIES];
    double above[STRATEGIES];
    uint64_t narrowed;         /* counted: persons who have fewer candidates */
    double row;                /* the same: the person's row is chosen among them */
    lethe_hidden_found hidden; /* suppressed */
};

/* How often a person's own row is chosen, if one of the candidates is taken at random. */
static double row_success(const struct table_lookup *a, const struct candidates *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->n_tuples; i++)
        if (c->size[i] > 0) sum += (double)a->in[i] / (double)c->size[i];
    return a->persons.n ? sum / (double)a->persons.n : 0;
}

static lethe_err narrowed_try(const struct table_lookup *a, struct outcome *r)
{
    struct candidates left = {0};
    LETHE_TRY(candidates_narrow(a, &left, &r->narrowed));
    r->success[COUNTED] = success_of(a, &left);
    r->row = row_success(a, &left);
    return LETHE_OK;
}

/* The thresholds of the column that is guessed, by its published values; NULL: it has none.  What
 * theta.tsv does not list is never above. */
static lethe_err thetas_find(const struct table_lookup *a, const lethe_theta **out)
{
    const lethe_published *p = a->c->published;
    const lethe_json *claims = lethe_json_get(p->manifest, "claims");
    lethe_str text = {0};
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        if (lethe_str_eq(lethe_json_text(lethe_json_get(claim, "notion")),
                         LETHE_LIT("l-plus-diversity")) &&
            lethe_str_eq(lethe_json_text(lethe_json_get(claim, "sa")), a->sa->name))
            text = lethe_json_text(lethe_json_get(claim, "theta"));
    }
    *out = NULL;
    if (text.n == 0) return LETHE_OK;
    uint32_t n = lethe_dict_count(a->shown_sa->values);
    lethe_theta all = {1, 1}, *theta = lethe_new(a->arena, lethe_theta, (size_t)n + 1);
    if (!theta) return lethe_no_memory(a->c->ctx);
    bool listed = !lethe_theta_parse(text, &all);
    for (uint32_t v = 0; v < n; v++)
        theta[v] = all;
    *out = theta;
    if (!listed || n <= (a->starred != LETHE_NONE)) return LETHE_OK;
    lethe_thetas list = {0};
    LETHE_TRY(lethe_thetas_published(a->c->ctx, p->dirfd, &list));
    for (uint32_t v = 0; v < n; v++) {
        uint32_t at = lethe_dict_find(list.names, lethe_dict_at(a->shown_sa->values, v));
        if (at != LETHE_NONE) theta[v] = list.at[at];
    }
    lethe_thetas_free(&list);
    return LETHE_OK;
}

static lethe_hidden_scheme scheme_of(const struct table_lookup *a, bool thetas)
{
    if (suppresses(a, "vioSA") || suppresses(a, "allSA")) return LETHE_HIDDEN_UNSEEN;
    if (suppresses(a, "evenSA")) return LETHE_HIDDEN_MOST;
    if (suppresses(a, "vioRec") && thetas) return LETHE_HIDDEN_AT_THETA;
    return LETHE_HIDDEN_ANY;
}

/* Guesses of who knows everybody, in groups that do not overlap. */
static lethe_err hidden_try(const struct table_lookup *a, struct outcome *r)
{
    lethe_hidden h = {.b = a->b, .sa = (size_t)(a->sa - a->original->sa)};
    LETHE_TRY(thetas_find(a, &h.theta));
    h.scheme = scheme_of(a, h.theta != NULL);
    for (int s = SUPPRESSED; s <= CLASS; s++) {
        lethe_hidden_found f;
        h.by_class = s == CLASS;
        if (s == SUPPRESSED && h.scheme == LETHE_HIDDEN_ANY) continue;
        if (s == CLASS && !a->b->class) continue;
        if (lethe_hidden_guess(&h, a->arena, &f) != LETHE_OK) return lethe_no_memory(a->c->ctx);
        double lost = (double)(a->persons.n - f.persons) * a->commonest; // who has no group
        r->success[s] = ((double)f.right + lost) / (double)a->persons.n;
        if (h.theta) r->above[s] = (double)f.above / (double)a->persons.n;
        if (s == SUPPRESSED) r->hidden = f;
    }
    return LETHE_OK;
}

/* Who also knows the class of each person, in the original. */
static lethe_err class_before(const struct table_lookup *a, double *out)
{
    uint32_t *cell = NULL, n = 0;
    uint64_t right = 0;
    LETHE_TRY(rows_pair(a, a->of, a->original->class->code, &cell, &n));
    uint64_t *most = lethe_new(a->arena, uint64_t, (size_t)n + 1);
    if (!most) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(most_fill(a, cell, most));
    for (uint32_t i = 0; i < n; i++)
        right += most[i];
    *out = (double)right / (double)a->persons.n;
    return LETHE_OK;
}

static double best_of(const struct outcome *r)
{
    return r->success[lethe_strategy_best(r->success, STRATEGIES)];
}

/* Tries what applies. */
static lethe_err strategies_try(const struct table_lookup *a, struct outcome *r)
{
    bool everybody = !lethe_value_of(a->c->values, "external")->present && !a->undecided;
    *r = (struct outcome){0};
    for (int s = 0; s < STRATEGIES; s++)
        r->success[s] = r->above[s] = NAN;
    r->success[SHARES] = success_of(a, &a->after);
    r->before = success_of(a, &a->before);
    if (a->narrows) LETHE_TRY(narrowed_try(a, r));
    if (!everybody || !a->sa || a->b->overlap) return LETHE_OK;
    LETHE_TRY(hidden_try(a, r));
    return isnan(r->success[CLASS]) ? LETHE_OK : class_before(a, &r->before);
}

/* What who knows everybody could do besides, and why it was not tried; NULL: nothing. */
static const char *not_tried(const struct table_lookup *a)
{
    if (lethe_value_of(a->c->values, "external")->present) return NULL;
    if (a->b->overlap && a->undecided)
        return "The strategy counted was not tried: it needs everybody, and some are undecided.";
    if (a->b->overlap && !a->narrows)
        return "The strategy counted was not tried: persons fit too many groups.";
    if (a->sa && a->undecided)
        return "The strategies suppressed and class were not tried: they need everybody, and some "
               "are undecided.";
    return NULL;
}

static void strategies_set(const struct table_lookup *a, const struct outcome *r,
                           lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *each = lethe_json_object(doc), *counted = lethe_json_object(doc),
               *hidden = lethe_json_object(doc);
    const lethe_hidden_found *f = &r->hidden;
    lethe_set_real(doc, counted, "success", r->success[COUNTED]);
    lethe_attack_share(doc, counted, "persons", r->narrowed, a->persons.n);
    lethe_set_count(doc, hidden, "rows", f->hidden);
    lethe_attack_share(doc, hidden, "named", f->named, f->hidden);
    lethe_set_count(doc, hidden, "groups", f->groups);
    lethe_set_count(doc, hidden, "one_candidate", f->single);
    lethe_set_count(doc, hidden, "recovered", f->exact);
    if (!isnan(r->success[COUNTED])) lethe_json_set(doc, out, "counted", counted);
    if (!isnan(r->success[SUPPRESSED])) lethe_json_set(doc, out, "suppressed", hidden);
    for (int s = 0; s < STRATEGIES; s++) {
        if (isnan(r->success[s])) continue;
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", r->success[s]);
        if (!isnan(r->above[s])) lethe_set_real(doc, one, "above", r->above[s]);
        lethe_json_set(doc, each, strategies[s], one);
    }
    if (not_tried(a)) lethe_set_text(doc, out, "not_tried", not_tried(a));
    if (lethe_json_count(each) < 2) return; // shares are all that can be looked at
    lethe_set_text(doc, out, "strategy", strategies[lethe_strategy_best(r->success, STRATEGIES)]);
    lethe_json_set(doc, out, "strategies", each);
}

/* --- the whole --- */

/* What cannot be looked up must not be taken for what is not found: few such persons are left out,
 * and counted; with many there is no answer. */
static lethe_err doubts_check(struct table_lookup *a, bool external)
{
    lethe_diag *d = lethe_ctx_diag(a->c->ctx);
    lethe_table_beside *b = a->b;
    uint32_t in_doubt = lethe_beside_doubt(b);
    if (in_doubt != LETHE_NONE && a->c->map) {
        uint64_t *row;
        LETHE_TRY(lethe_table_map_read(a->c->ctx, a->c->map, a->c->map_digest, b->original,
                                       b->published->n, a->arena, &row));
        if (lethe_beside_learn(b, row) != LETHE_OK) return lethe_no_memory(d);
        in_doubt = lethe_beside_doubt(b);
    }
    for (uint32_t k = 0; external && in_doubt == LETHE_NONE && k < b->original->n_qi; k++)
        if (b->qi[k].kind == LETHE_BESIDE_PLACED) in_doubt = k; // values that the original lacks
    if (in_doubt == LETHE_NONE) return LETHE_OK;
    for (size_t i = 0; !external && i < b->original->n; i++)
        a->undecided += row_in_doubt(b, i);
    if (!external && a->undecided <= b->original->n / DOUBTS) return LETHE_OK;
    return lethe_fail(d, LETHE_EUSAGE,
                      "linking: the release does not show which published values stand above those "
                      "of column '%.*s': use --hierarchies DIR%s",
                      (int)b->original->qi[in_doubt].name.n, b->original->qi[in_doubt].name.at,
                      a->c->map || external ? "" : " or --map FILE");
}

/* Reads the release and the persons, and groups the rows of both tables. */
static lethe_err lookup_open(struct table_lookup *a, uint64_t *unknown)
{
    a->arena = lethe_arena_new();
    if (!a->arena) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(lethe_table_beside_open(a->c->published, a->original, &a->b));
    const lethe_table *t = a->original;
    const lethe_value *file = lethe_value_of(a->c->values, "external");
    LETHE_TRY(doubts_check(a, file->present));
    const uint32_t **leaf = lethe_new(a->arena, const uint32_t *, t->n_qi);
    if (!leaf) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < t->n_qi; i++)
        leaf[i] = t->qi[i].leaf;
    a->persons = (lethe_external){.n = t->n, .leaf = leaf};
    if (file->present)
        LETHE_TRY(lethe_external_read(a->c->ctx, file->text, t, a->arena, &a->persons));
    if (a->b->overlap && lethe_beside_fits_new(a->b, &a->fits) != LETHE_OK)
        return lethe_no_memory(a->c->ctx);
    return persons_count(a, unknown);
}

/* The share of the commonest value in the published table, which is the guess for those who are
 * not found; and the chance that a row chosen at random has the value of another.  Where nothing is
 * sensitive, both are the share of a row. */
static lethe_err guesses_make(struct table_lookup *a)
{
    const lethe_table_beside *b = a->b;
    size_t n = b->published->n;
    a->commonest = a->baseline = n > 0 ? 1 / (double)n : NAN;
    if (!a->sa || n == 0) return LETHE_OK;
    uint32_t n_values = lethe_dict_count(a->shown_sa->values);
    uint64_t *often = lethe_new(a->arena, uint64_t, (size_t)n_values + 1);
    if (!often) return lethe_no_memory(a->c->ctx);
    for (size_t i = 0; i < n; i++)
        often[a->shown_sa->code[i]]++;
    double most = 0, same = 0;
    for (uint32_t v = 0; v < n_values; v++) {
        double times = v == a->starred ? 0 : (double)often[v];
        most = LETHE_MAX(most, times);
        same += times * times;
    }
    a->commonest = most / (double)n;
    a->baseline = same / ((double)n * (double)n);
    return LETHE_OK;
}

/* Guesses the k-th sensitive column, or the row. */
static lethe_err column_try(struct table_lookup *a, size_t k)
{
    a->sa = NULL;
    if (k < a->b->n_sa) {
        a->sa = &a->original->sa[k];
        a->shown_sa = a->b->sa[k];
        a->starred = a->b->starred[k];
    }
    LETHE_TRY(before_fill(a));
    LETHE_TRY(groups_fill(a));
    LETHE_TRY(after_fill(a));
    return guesses_make(a);
}

/* Guesses each of several columns by all strategies, and last the one of which most is learned: by
 * how much the best guesses are better than its commonest value. */
static lethe_err columns_try(struct table_lookup *a, struct outcome *r, lethe_json_doc *doc,
                             lethe_json *out)
{
    lethe_json *list = lethe_json_array(doc);
    size_t worst = 0;
    double most = -1;
    for (size_t k = 0; k < a->b->n_sa; k++) {
        struct outcome own;
        LETHE_TRY(column_try(a, k));
        LETHE_TRY(strategies_try(a, &own));
        double success = best_of(&own);
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "column", lethe_json_new_text(doc, a->sa->name));
        lethe_set_real(doc, o, "success", success);
        lethe_set_real(doc, o, "before", own.before);
        lethe_set_real(doc, o, "baseline", a->baseline);
        lethe_set_real(doc, o, "commonest", a->commonest);
        double above = fmax(own.above[SUPPRESSED], own.above[CLASS]); // NAN only if both are
        if (!isnan(above)) lethe_set_real(doc, o, "above", above);
        lethe_json_push(doc, list, o);
        if (k > 0 && success - a->commonest <= most) continue;
        worst = k;
        most = success - a->commonest;
        *r = own;
    }
    LETHE_TRY(column_try(a, worst));
    lethe_json_set(doc, out, "guessed", lethe_json_new_text(doc, a->sa->name));
    lethe_json_set(doc, out, "sensitive", list);
    return LETHE_OK;
}

static const char meaning_overlap[] =
    "how often the best guess at a person's sensitive value (without a sensitive column: at the "
    "person's row) is right, for an adversary who knows the quasi-identifiers of all persons; "
    "groups of this release overlap, so the candidates of a person are the rows of all groups that "
    "the person fits (counted: of those that an adversary who counts how many persons fit each "
    "group "
    "cannot rule out); before: in the original; baseline: the value of a published row chosen at "
    "random";

static lethe_err attack_run(struct table_lookup *a, lethe_json_doc *doc, lethe_json *out)
{
    uint64_t unknown = 0, revealed = 0;
    LETHE_TRY(lookup_open(a, &unknown));
    struct outcome outcome;
    if (a->b->n_sa > 1) {
        LETHE_TRY(columns_try(a, &outcome, doc, out));
    } else {
        LETHE_TRY(column_try(a, 0));
        LETHE_TRY(strategies_try(a, &outcome));
    }
    double persons = (double)a->persons.n;
    struct summary before = {0}, after = {0};
    LETHE_TRY(summarize(a, &a->before, &before));
    LETHE_TRY(summarize(a, &a->after, &after));
    for (uint32_t i = 0; i < a->n_tuples; i++)
        revealed += a->is_revealed[i] ? a->in[i] : 0;
    lethe_set_real(doc, out, "success", best_of(&outcome));
    lethe_set_real(doc, out, "before", outcome.before);
    lethe_set_real(doc, out, "baseline", a->baseline);
    lethe_set_real(doc, out, "commonest", a->commonest);
    lethe_set_count(doc, out, "persons", a->persons.n);
    lethe_set_count(doc, out, "unknown", unknown);
    if (a->undecided) {
        lethe_set_count(doc, out, "undecided", a->undecided);
        lethe_set_text(doc, out, "note",
                       "Some persons (undecided) are left out: the release does not show which "
                       "published values stand above theirs. With the hierarchies (--hierarchies) "
                       "they would be looked for too.");
    }
    lethe_set_real(doc, out, "linked", (double)after.linked / persons);
    summary_set(doc, out, "candidates_before", &before, persons);
    summary_set(doc, out, "candidates_after", &after, persons);
    if (a->b->overlap) overlap_set(a, doc, out);
    if (a->sa) { // without, `success` is of the row already
        lethe_set_real(doc, out, "revealed", (double)revealed / persons);
        lethe_set_real(doc, out, "row_success", after.chance);
        lethe_set_real(doc, out, "row_before", before.chance);
        if (a->narrows) lethe_set_real(doc, out, "row_counted", outcome.row);
    }
    strategies_set(a, &outcome, doc, out);
    lethe_set_text(doc, out, "meaning",
                   a->b->overlap ? meaning_overlap : lethe_adversary_linking.meaning);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_table *t = c->original.table;
    struct table_lookup a = {.c = c, .original = t};
    lethe_ctx_phase(c->ctx, "looking for persons", 0);
    lethe_err e = attack_run(&a, doc, out);
    lethe_beside_fits_free(a.fits);
    lethe_table_beside_free(a.b);
    lethe_dict_free(a.keys);
    lethe_arena_free(a.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "external",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for tables: persons as a CSV file with the quasi-identifiers, as they are in the "
             "original; without it, all persons of the original"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_linking = {
    .name = "linking",
    .summary = "what does a table tell anyone who knows the quasi-identifiers of persons?",
    .threat = LETHE_THREAT_SINGLING_OUT,
    .trials = "persons",
    .shapes = LETHE_SHAPE_TABLE,
    .options = options,
    .meaning =
        "how often the best guess at a person's sensitive value (without a sensitive "
        "column: at the person's row) is right, for an adversary who knows the "
        "quasi-identifiers of all persons, by the best of several strategies; before: in the "
        "original; baseline: the value of a published row chosen at random",
    .run = run,
};
