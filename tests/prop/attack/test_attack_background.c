/* SPDX-License-Identifier: Apache-2.0 */
/* Random releases, with bags and without, everything of a record known: candidates by the
 * definitions, climbing the tree for every known and every published item. */
/* suite: threads */
#include "random_tree.h"
#include "seeds.h"
#include "attack/attack.h"
#include <stdlib.h>

#define ROUNDS seeds(2000)
enum { MOST = 9, ITEMS = 4 };

typedef struct world {
    lethe_tree *tree;
    size_t n;
    uint32_t bag[MOST][8];
    r_item part[MOST][8];
    size_t n_bag[MOST], n_part[MOST];
    unsigned
        owner[MOST]; /* records of one owner are equal, so that it does not matter which is known */
    bool published[MOST];
} world;

/* Items of the original that p could be. */
static unsigned often(const world *w, const r_item *p)
{
    unsigned n = 0;
    for (size_t i = 0; i < w->n; i++)
        for (size_t j = 0; j < w->n_bag[i]; j++)
            n += r_item_above(w->tree, p, w->bag[i][j]);
    return n;
}

static const r_item root = {{0}, 1};

/* How likely the known items are under a published record, but for what is the same for all. */
static long double likely(const world *w, const uint32_t *known, size_t n, const r_item *part,
                          size_t n_part)
{
    long double p = 1;
    for (size_t i = 0; i < n; i++) {
        long double sum = 1.0L / often(w, &root);
        for (size_t j = 0; j < n_part; j++)
            if (r_item_above(w->tree, &part[j], known[i])) sum += 1.0L / often(w, &part[j]);
        p *= sum / (long double)(n_part + 1);
    }
    return p;
}

/* How likely the known items are where a published item stands for one of them at most, in the best
 * of all ways. */
static long double stand(const world *w, const uint32_t *known, size_t n, const r_item *part,
                         size_t n_part, unsigned used)
{
    if (n == 0) return 1;
    long double best = stand(w, known + 1, n - 1, part, n_part, used) / often(w, &root);
    for (size_t j = 0; j < n_part; j++) {
        if (used & 1u << j || !r_item_above(w->tree, &part[j], known[0])) continue;
        long double p =
            stand(w, known + 1, n - 1, part, n_part, used | 1u << j) / often(w, &part[j]);
        best = LETHE_MAX(best, p);
    }
    return best;
}

/* Can every published item stand for another known one? */
static bool generalizes(const world *w, const uint32_t *known, size_t n, const r_item *part,
                        size_t n_part, unsigned used)
{
    if (n_part == 0) return true;
    for (size_t i = 0; i < n; i++)
        if (!(used & 1u << i) && r_item_above(w->tree, &part[0], known[i]) &&
            generalizes(w, known, n, part + 1, n_part - 1, used | 1u << i))
            return true;
    return false;
}

/* How many of the known items have a published item at or above them. */
static size_t covered(const world *w, const uint32_t *known, size_t n, const r_item *part,
                      size_t n_part)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (size_t j = 0; j < n_part; j++)
            any = any || r_item_above(w->tree, &part[j], known[i]);
        count += any;
    }
    return count;
}

static size_t copies(const uint32_t *bag, size_t n, uint32_t v)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += bag[i] == v;
    return count;
}

static bool contains(const world *w, size_t record, const uint32_t *known, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (copies(w->bag[record], w->n_bag[record], known[i]) < copies(known, n, known[i]))
            return false;
    return true;
}

/* Over persons: chances, how many have less than 2 candidates, how many are among these. */
typedef struct way {
    double success, at_most;
    unsigned alone, among;
} way;
typedef struct tally {
    unsigned persons;
    way before, before_by_size, compatible, likeliest, by_size, blind;
} tally;

/* Candidates are those published that score highest. */
static void way_add(const world *w, size_t me, const long double *score, way *to)
{
    size_t fits = 0, own = 0, all = 0;
    long double best = 0;
    for (size_t i = 0; i < w->n; i++) {
        all += w->owner[i] == w->owner[me];
        if (w->published[i] && score[i] > best) best = score[i];
    }
    for (size_t i = 0; i < w->n; i++) {
        if (!w->published[i] || score[i] < best * (1 - 1e-14L)) continue;
        fits++;
        own += w->owner[i] == w->owner[me];
    }
    to->success += (double)own / (double)fits;
    to->at_most += (double)LETHE_MIN(all, fits) / (double)fits;
    to->alone += fits < 2;
    to->among += own > 0;
}

static void person_add(const world *w, size_t me, tally *t)
{
    const uint32_t *known = w->bag[me];
    size_t n = w->n_bag[me], has = 0, own_has = 0, is = 0, own_is = 0;
    long double compatible[MOST], likeliest[MOST], by_size[MOST], blind[MOST];
    for (size_t i = 0; i < w->n; i++) {
        if (contains(w, i, known, n)) {
            has++;
            own_has += w->owner[i] == w->owner[me];
            is += w->n_bag[i] == n;
            own_is += w->n_bag[i] == n && w->owner[i] == w->owner[me];
        }
        compatible[i] = covered(w, known, n, w->part[i], w->n_part[i]);
        likeliest[i] = likely(w, known, n, w->part[i], w->n_part[i]);
        by_size[i] = generalizes(w, known, n, w->part[i], w->n_part[i], 0)
                         ? stand(w, known, n, w->part[i], w->n_part[i], 0)
                         : 0;
        blind[i] = 1;
    }
    t->persons++;
    t->before.success += (double)own_has / (double)has;
    t->before.alone += has < 2;
    t->before_by_size.success += (double)own_is / (double)is; // the shortest too: all is known
    way_add(w, me, compatible, &t->compatible);
    way_add(w, me, likeliest, &t->likeliest);
    way_add(w, me, by_size, &t->by_size);
    way_add(w, me, blind, &t->blind);
}

static void world_draw(uint64_t *seed, world *w)
{
    bool bags = o_below(seed, 2);
    w->n = 1 + o_below(seed, MOST);
    for (size_t i = 0; i < w->n; i++) {
        w->owner[i] = i > 0 && o_below(seed, 4) == 0 ? w->owner[i - 1] : (unsigned)i;
        if (w->owner[i] != i) {
            memcpy(w->bag[i], w->bag[i - 1], sizeof w->bag[i]);
            w->n_bag[i] = w->n_bag[i - 1];
        } else {
            w->n_bag[i] = r_leaves(seed, w->tree, ITEMS, w->bag[i]);
        }
        w->n_part[i] = r_items(seed, w->tree, w->bag[i], w->n_bag[i], bags, w->part[i]);
        w->published[i] = i == 0 || o_below(seed, 6) > 0;
    }
}

/* As files. */
static void world_write(const world *w, char *original, char *published, char *map)
{
    char lines[MOST][64];
    size_t from[MOST], order[MOST], line_of[MOST], n = 0;
    for (size_t i = 0; i < w->n; i++) {
        sprintf(original + strlen(original), "p%u\t", w->owner[i]);
        r_line(w->tree, w->bag[i], w->n_bag[i], original + strlen(original));
        strcat(original, "\n");
        if (!w->published[i]) continue;
        r_items_line(w->tree, w->part[i], w->n_part[i], lines[n]);
        from[n++] = i;
    }
    r_sort(lines, n, order);
    for (size_t i = 0; i < n; i++) {
        sprintf(published + strlen(published), "%s\n", lines[order[i]]);
        line_of[from[order[i]]] = i + 1;
    }
    for (size_t i = 0; i < w->n; i++)
        if (w->published[i])
            sprintf(map + strlen(map), "p%u\t%zu\n", w->owner[i], line_of[i]);
        else
            sprintf(map + strlen(map), "p%u\t\n", w->owner[i]);
}

static bool near(const lethe_json *out, const char *object, const char *name, double want)
{
    const lethe_json *o = object ? lethe_json_get(out, object) : out;
    double d = lethe_json_real(lethe_json_get(o, name)) - want;
    return d < 1e-12 && d > -1e-12;
}

static bool as_expected(lethe_ctx *ctx, const char *tree, const against *a, const tally *t)
{
    bound b = bind_text(ctx, tree, a->original);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    assert_int_equal(against_bound(ctx, a, &b, lethe_adversary_background.run,
                                   lethe_adversary_background.options, doc, out),
                     LETHE_OK);
    double n = t->persons ? t->persons : 1;
    const struct {
        const char *name;
        const way *way;
    } ways[] = {{"candidates_after", &t->compatible},
                {"likeliest", &t->likeliest},
                {"by_size", &t->by_size}};
    bool ok =
        near(out, NULL, "persons", t->persons) &&
        near(out, NULL, "before", LETHE_MAX(t->before.success, t->before_by_size.success) / n) &&
        near(out, "candidates_before", "success", t->before.success / n) &&
        near(out, "candidates_before", "under_k", t->before.alone / n);
    double blind = a->map ? t->blind.success : t->blind.at_most, best = blind;
    for (size_t i = 0; i < LETHE_COUNT(ways); i++) {
        const way *w = ways[i].way;
        double success = a->map ? w->success : w->at_most;
        best = LETHE_MAX(best, success);
        ok = ok && near(out, ways[i].name, "success", success / n) &&
             near(out, ways[i].name, "under_k", w->alone / n) &&
             (!a->map || near(out, ways[i].name, "among", w->among / n));
    }
    ok = ok && near(out, NULL, "baseline", blind / n) && near(out, NULL, "success", best / n);
    lethe_json_doc_free(doc);
    bound_free(&b);
    return ok;
}

static void candidates_are_as_defined(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    unsigned misled = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char tree[R_TEXT], original[R_TEXT] = "", published[R_TEXT] = "", map[R_TEXT] = "";
        world w = {0};
        tally t = {0};
        r_tree(&seed, tree);
        assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(tree), LETHE_NAMES_RAW, &w.tree),
                         LETHE_OK);
        world_draw(&seed, &w);
        world_write(&w, original, published, map);
        for (size_t i = 0; i < w.n; i++)
            if (w.owner[i] == i && w.n_bag[i] > 0) person_add(&w, i, &t);
        against a = {.original = original, .published = published, .map = map, .known = "1000"};
        bool ok = as_expected(ctx, tree, &a, &t);
        a.map = NULL;
        if (!ok || !as_expected(ctx, tree, &a, &t))
            fail_msg("seed %d\n%s\n%s\n%s\n%s", (int)round, tree, original, published, map);
        misled += t.likeliest.among < t.persons;
        lethe_tree_free(w.tree);
    }
    assert_in_range(misled, ROUNDS / 10, ROUNDS);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(candidates_are_as_defined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
