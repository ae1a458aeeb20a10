/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c - options that ask for diversity, closeness and a population, read and made demands of.
 */
#include "method/table/asked.h"
#include "core/parse.h"
#include "model/table/table_beside.h"

enum { NAME_SHOWN = 80 };

static const char *text_of(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_find(v, name);
    return value ? value->text : NULL;
}

static bool is_given(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_find(v, name);
    return value && value->given;
}

static int64_t count_of(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_find(v, name);
    return value && value->present ? value->count : 1;
}

/* --- options --- */

/* "3,2" */
static bool recursive_parse(const char *text, lethe_asked *out)
{
    const char *comma = strrchr(text, ',');
    uint64_t l;
    if (!comma) return false;
    lethe_str c = lethe_str_trim((lethe_str){text, (size_t)(comma - text)}),
              count = lethe_str_trim(lethe_str_of(comma + 1));
    if (!lethe_decimal_parse(c, &out->c) || out->c.num == 0) return false;
    if (!lethe_parse_u64(count, &l) || l == 0 || l > 1000000000) return false;
    out->l = (uint32_t)l;
    return true;
}

static lethe_err diversity_read(lethe_diag *d, const lethe_values *v, lethe_asked *out)
{
    const char *entropy = text_of(v, "entropy-l"), *recursive = text_of(v, "recursive"),
               *t = text_of(v, "t-closeness");
    if (entropy && (!lethe_decimal_parse(lethe_str_of(entropy), &out->entropy) ||
                    out->entropy.num < out->entropy.den))
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--entropy-l: '%s' is not a number from 1 to a million, with at most nine "
            "decimals, such as 2.5",
            entropy);
    if (recursive && !recursive_parse(recursive, out))
        return lethe_fail(
            d, LETHE_EUSAGE,
            "--recursive: '%s' is not C,L: a number above 0, up to a million and with "
            "at most nine decimals, and a whole number of 1 or more, such as 3,2",
            recursive);
    out->has_t = t;
    if (t && !lethe_theta_parse(lethe_str_of(t), &out->t))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--t-closeness: '%s' is not a distance between 0 and 1, such as 0.2 or "
                          "1/5",
                          t);
    if (!t && text_of(v, "t-distance"))
        return lethe_fail(d, LETHE_EUSAGE, "--t-distance needs --t-closeness");
    return LETHE_OK;
}

/* A manifest says that there was a population, and its digest. */
static lethe_err population_read(lethe_diag *d, const lethe_values *v, lethe_asked *out)
{
    bool given = is_given(v, "population"), digest = is_given(v, "population-blake2b");
    int64_t k = count_of(v, "k-map");
    out->k_map = k > 1 ? (uint64_t)k : 0;
    if (out->k_map > 0 && !given)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--k-map needs the table of the population: --population FILE");
    if (out->k_map == 0 && (given || digest))
        return lethe_fail(d, LETHE_EUSAGE, "--population needs --k-map (2 or more)");
    if (given && !text_of(v, "population") && !digest)
        return lethe_fail(d, LETHE_EUSAGE, "the digest of the population is missing");
    return LETHE_OK;
}

lethe_err lethe_asked_read(lethe_diag *d, lethe_arena *a, const lethe_values *v, lethe_asked *out)
{
    *out = (lethe_asked){.distinct = (uint32_t)count_of(v, "distinct-l")};
    out->has_theta =
        text_of(v, "theta") || is_given(v, "theta-file") || text_of(v, "theta-by-frequency");
    LETHE_TRY(lethe_names_parse(d, a, text_of(v, "sa"), &out->sa, &out->n_sa));
    LETHE_TRY(diversity_read(d, v, out));
    LETHE_TRY(
        lethe_distances_parse(d, a, text_of(v, "t-distance"), out->sa, out->n_sa, &out->distance));
    for (size_t i = 0; i < out->n_sa; i++)
        if (out->distance[i] == LETHE_DISTANCE_HIERARCHICAL && !is_given(v, "hierarchies"))
            return lethe_fail(d, LETHE_EUSAGE,
                              "--t-distance hierarchical needs a hierarchy of the sensitive "
                              "column: --hierarchies DIR");
    return population_read(d, v, out);
}

const char *lethe_asked_sensitive(const lethe_asked *k)
{
    return k->has_theta         ? "--theta"
           : k->distinct > 1    ? "--distinct-l"
           : k->entropy.den > 0 ? "--entropy-l"
           : k->l > 0           ? "--recursive"
           : k->has_t           ? "--t-closeness"
                                : NULL;
}

bool lethe_asked_columns(const lethe_asked *k)
{
    return k->n_sa > 1 || k->entropy.den > 0 || k->l > 0 || k->has_t;
}

/* --- closeness --- */

/* Numbers in order, one place for each. */
static lethe_err order_values(lethe_ctx *ctx, lethe_arena *a, const lethe_column *c,
                              uint32_t *place, uint32_t *n_places)
{
    uint32_t bad = LETHE_NONE;
    char column[NAME_SHOWN], value[NAME_SHOWN];
    if (lethe_values_order(a, c->values, place, n_places, &bad) != LETHE_OK)
        return lethe_no_memory(ctx);
    if (bad == LETHE_NONE) return LETHE_OK;
    lethe_show(column, sizeof column, c->name);
    lethe_show(value, sizeof value, lethe_dict_at(c->values, bad));
    return lethe_fail(ctx, LETHE_EINPUT,
                      "--t-distance ordered needs numbers: '%s' has the value '%s'", column, value);
}

/* Values are leaves.  Only nodes above values of the table have a height: others are not published,
 * and nothing goes through them. */
static lethe_err tree_values(lethe_ctx *ctx, lethe_arena *a, const lethe_column *c,
                             lethe_group_closeness *out)
{
    const lethe_tree *t = c->tree;
    uint32_t *height = lethe_new(a, uint32_t, t->n), *climb = lethe_new(a, uint32_t, t->n);
    char column[NAME_SHOWN], value[NAME_SHOWN];
    if (!height || !climb) return lethe_no_memory(ctx);
    for (uint32_t i = 0; i < lethe_dict_count(c->values); i++) {
        if (lethe_str_eq(lethe_tree_name(t, c->leaf[i]), lethe_dict_at(c->values, i))) continue;
        lethe_show(column, sizeof column, c->name);
        lethe_show(value, sizeof value, lethe_dict_at(c->values, i));
        return lethe_fail(ctx, LETHE_EINPUT,
                          "--t-distance hierarchical needs values that are leaves: '%s' has the "
                          "value '%s', which stands above others in its hierarchy",
                          column, value);
    }
    for (uint32_t v = t->n; v-- > 1;)
        if (out->with[v] > 0) height[t->parent[v]] = LETHE_MAX(height[t->parent[v]], height[v] + 1);
    for (uint32_t v = 1; v < t->n; v++)
        if (out->with[v] > 0) climb[v] = height[t->parent[v]] - height[v];
    out->n = t->n;
    out->parent = t->parent;
    out->climb = climb;
    out->height = height[0];
    return LETHE_OK;
}

/* The whole table's distribution. */
static lethe_err closeness_of(lethe_ctx *ctx, lethe_arena *a, const lethe_table *t,
                              const lethe_column *c, lethe_theta bound,
                              lethe_value_distance distance, lethe_group_closeness *out)
{
    uint32_t n = lethe_dict_count(c->values), *place = lethe_new(a, uint32_t, n);
    bool tree = distance == LETHE_DISTANCE_HIERARCHICAL;
    uint32_t *with = lethe_new(a, uint32_t, tree ? LETHE_MAX(c->tree->n, n) : n);
    if (!place || !with) return lethe_no_memory(ctx);
    *out = (lethe_group_closeness){
        .t = bound, .distance = distance, .rows = t->n, .n = n, .place = place, .with = with};
    for (uint32_t i = 0; i < n; i++)
        place[i] = tree ? c->leaf[i] : i;
    if (distance == LETHE_DISTANCE_ORDERED) LETHE_TRY(order_values(ctx, a, c, place, &out->n));
    for (size_t i = 0; i < t->n; i++)
        with[place[c->code[i]]]++;
    for (uint32_t v = tree ? c->tree->n : 0; v-- > 1;)
        with[c->tree->parent[v]] += with[v];
    return tree ? tree_values(ctx, a, c, out) : LETHE_OK;
}

/* --- demands --- */

lethe_err lethe_asked_demand(lethe_ctx *ctx, lethe_arena *a, const lethe_asked *k,
                             const lethe_table *t, const lethe_tuples *u, lethe_theta theta,
                             lethe_group_demand *out)
{
    out->k_map = k->k_map;
    if (!lethe_asked_columns(k)) return LETHE_OK;
    bool several = t->n_sa > 1;
    lethe_group_column *column = lethe_new(a, lethe_group_column, t->n_sa);
    lethe_group_closeness *close = lethe_new(a, lethe_group_closeness, t->n_sa);
    if (!column || !close) return lethe_no_memory(ctx);
    for (size_t i = 0; i < t->n_sa; i++) {
        column[i] = (lethe_group_column){.of = several ? u->part[i] : NULL,
                                         .n = lethe_dict_count(t->sa[i].values),
                                         .entropy = k->entropy,
                                         .c = k->c,
                                         .l = k->l};
        if (several && k->has_theta) column[i].theta = theta;
        if (several) column[i].distinct = k->distinct;
        if (!k->has_t) continue;
        LETHE_TRY(closeness_of(ctx, a, t, &t->sa[i], k->t, k->distance[i], &close[i]));
        column[i].close = &close[i];
    }
    out->column = column;
    out->n_columns = (uint32_t)t->n_sa;
    if (several) {
        out->theta = NULL;
        out->distinct = 1;
        out->n_sa = u->n_sa;
    }
    return LETHE_OK;
}

/* --- the population --- */

/* Which leaf of the table each value of the population is; LETHE_NONE: none. */
static uint32_t *leaves_of(lethe_arena *a, const lethe_qi *own, const lethe_qi *other)
{
    uint32_t *leaf = lethe_new(a, uint32_t, other->tree->n);
    for (uint32_t v = 0; leaf && v < other->tree->n; v++) {
        lethe_str name = lethe_tree_name(other->tree, v);
        leaf[v] = lethe_qi_leaf(own, lethe_str_eq(name, LETHE_LIT("=*")) ? LETHE_LIT("*") : name);
    }
    return leaf;
}

static lethe_err leaves_take(lethe_ctx *ctx, lethe_arena *a, const lethe_table *t,
                             const lethe_table *other, lethe_population *out)
{
    uint32_t **of = lethe_new(a, uint32_t *, t->n_qi), **leaf = lethe_new(a, uint32_t *, t->n_qi);
    if (!of || !leaf) return lethe_no_memory(ctx);
    for (size_t q = 0; q < t->n_qi; q++) {
        of[q] = leaves_of(a, &t->qi[q], &other->qi[q]);
        leaf[q] = lethe_new(a, uint32_t, other->n);
        if (!of[q] || !leaf[q]) return lethe_no_memory(ctx);
    }
    size_t n = 0;
    for (size_t i = 0; i < other->n; i++) {
        bool known = true;
        for (size_t q = 0; q < t->n_qi; q++) {
            leaf[q][n] = of[q][other->qi[q].leaf[i]];
            known = known && leaf[q][n] != LETHE_NONE;
        }
        n += known;
    }
    *out = (lethe_population){n, (const uint32_t *const *)leaf};
    return LETHE_OK;
}

lethe_err lethe_asked_population(lethe_ctx *ctx, lethe_arena *a, const char *path, const char *qi,
                                 const lethe_table *t, lethe_population *out)
{
    lethe_table *other = NULL;
    const lethe_table_read_options how = {.roles = {.qi = qi}};
    LETHE_TRY(lethe_table_read(ctx, &path, 1, &how, &other));
    uint64_t read = other->counts.read;
    lethe_err e = leaves_take(ctx, a, t, other, out);
    lethe_table_free(other);
    if (e == LETHE_OK && out->n < read)
        lethe_warn(ctx,
                   "%llu of %llu rows of the population are not counted: they cannot be read, or "
                   "have a value that a hierarchy lacks",
                   (unsigned long long)(read - out->n), (unsigned long long)read);
    return e;
}
