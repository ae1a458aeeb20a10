/* Random releases, everything of a record known: candidates against trying all ways in which known
 * items can be explained, likelihoods compared as exact products. */
#include "random_tree.h"
#include "attack/attack.h"
#include <stdlib.h>

enum { ROUNDS = 2000, MOST = 9, ITEMS = 4 };

typedef struct world {
    lethe_tree *tree;
    size_t n;
    uint32_t bag[MOST][8], part[MOST][8];
    size_t n_bag[MOST], n_part[MOST];
    unsigned
        owner[MOST]; /* records of one owner are equal, so that it does not matter which is known */
    bool published[MOST];
} world;

/* The least product over known items of the leaves below what explains them; all leaves, for one
 * that nothing explains.  What is least is likeliest. */
static uint64_t least(const lethe_tree *t, const uint32_t *known, size_t n, const uint32_t *part,
                      size_t n_part, unsigned used)
{
    if (n == 0) return 1;
    uint64_t best = t->leaves[0] * least(t, known + 1, n - 1, part, n_part, used);
    for (size_t j = 0; j < n_part; j++) {
        if (used & 1u << j || !r_above(t, part[j], known[0])) continue;
        uint64_t p = t->leaves[part[j]] * least(t, known + 1, n - 1, part, n_part, used | 1u << j);
        best = LETHE_MIN(best, p);
    }
    return best;
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

/* Over persons: sums of success, of candidates, and of those with less than 2. */
typedef struct tally {
    double before, after, confirmed;
    unsigned persons, alone_before, alone_after, among;
} tally;

static void person_add(const world *w, size_t me, tally *t)
{
    const uint32_t *known = w->bag[me];
    size_t n = w->n_bag[me], has = 0, own_has = 0, fits = 0, own_fits = 0;
    uint64_t best = UINT64_MAX, product[MOST];
    for (size_t i = 0; i < w->n; i++) {
        if (contains(w, i, known, n)) {
            has++;
            own_has += w->owner[i] == w->owner[me];
        }
        product[i] = least(w->tree, known, n, w->part[i], w->n_part[i], 0);
        if (w->published[i]) best = LETHE_MIN(best, product[i]);
    }
    for (size_t i = 0; i < w->n; i++) {
        if (!w->published[i] || product[i] != best) continue;
        fits++;
        own_fits += w->owner[i] == w->owner[me];
    }
    t->persons++;
    t->before += (double)own_has / (double)has;
    t->after += 1 / (double)fits;
    t->confirmed += (double)own_fits / (double)fits;
    t->alone_before += has < 2;
    t->alone_after += fits < 2;
    t->among += own_fits > 0;
}

static void world_draw(uint64_t *seed, world *w)
{
    w->n = 1 + o_below(seed, MOST);
    for (size_t i = 0; i < w->n; i++) {
        w->owner[i] = i > 0 && o_below(seed, 4) == 0 ? w->owner[i - 1] : (unsigned)i;
        if (w->owner[i] != i) {
            memcpy(w->bag[i], w->bag[i - 1], sizeof w->bag[i]);
            w->n_bag[i] = w->n_bag[i - 1];
        } else {
            w->n_bag[i] = r_leaves(seed, w->tree, ITEMS, w->bag[i]);
        }
        w->n_part[i] = r_generalize(seed, w->tree, w->bag[i], w->n_bag[i], w->part[i]);
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
        r_line(w->tree, w->part[i], w->n_part[i], lines[n]);
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
    bool ok = near(out, NULL, "persons", t->persons) &&
              near(out, NULL, "baseline", t->before / n) &&
              near(out, NULL, "success", (a->map ? t->confirmed : t->after) / n) &&
              near(out, "before", "under_k", t->alone_before / n) &&
              near(out, "after", "under_k", t->alone_after / n) &&
              (!a->map || near(out, "after", "among", t->among / n));
    lethe_json_doc_free(doc);
    bound_free(&b);
    return ok;
}

static void candidates_are_the_likeliest(void **state)
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
        misled += t.among < t.persons;
        lethe_tree_free(w.tree);
    }
    assert_in_range(misled, ROUNDS / 10, ROUNDS);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(candidates_are_the_likeliest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
