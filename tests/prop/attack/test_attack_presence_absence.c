/* SPDX-License-Identifier: Apache-2.0 */
/* Random originals and releases of them, with sensitive items: candidates and confidence by the
 * definitions, every set against every item.  What is known of whom is drawn as the adversary draws
 * it, and is itself looked at. */
/* suite: threads */
#include "presence_harness.h"
#include "attack/sample.h"
#include "attack/set_search.h"
#include "random_tree.h"
#include "seeds.h"
#include <stdlib.h>

#define ROUNDS seeds(2500)
enum { MOST = 9, ITEMS = 5, MARKS = 2 };

/* How a release is made of its original. */
enum { LOCAL, BAGS, CUT, DROP, KINDS };

typedef struct world {
    lethe_tree *tree;
    size_t n; /* sets, or records */
    uint32_t bag[MOST][8];
    size_t n_bag[MOST], n_part[MOST];
    r_item part[MOST][8];
    unsigned mark[MOST]; /* bits */
    unsigned owner[MOST];
    bool published[MOST];
    unsigned k, known, absent, sensitive_known;
    double l;
    bool sensitive, by_record;
} world;

/* --- drawing --- */

/* Items distinct, as og's are. */
static size_t bag_distinct(uint32_t *bag, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        for (size_t j = 0; j < kept; j++)
            again = again || bag[j] == bag[i];
        if (!again) bag[kept++] = bag[i];
    }
    return kept;
}

/* Every leaf below a node of the cut is published as that node. */
static size_t part_cut(const lethe_tree *t, const bool *in_cut, const uint32_t *bag, size_t n,
                       r_item *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v = bag[i], to = bag[i];
        for (; v != LETHE_NONE; v = t->parent[v])
            if (in_cut[v]) to = v;
        bool again = false;
        for (size_t j = 0; j < kept; j++)
            again = again || out[j].node[0] == to;
        if (!again) out[kept++] = (r_item){{to}, 1};
    }
    return kept;
}

static size_t part_drop(const bool *dropped, const uint32_t *bag, size_t n, r_item *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!dropped[bag[i]]) out[kept++] = (r_item){{bag[i]}, 1};
    return kept;
}

static void world_draw(uint64_t *seed, world *w)
{
    unsigned kind = (unsigned)o_below(seed, KINDS);
    bool some[R_NODES + 2];
    for (size_t v = 0; v < LETHE_COUNT(some); v++)
        some[v] = o_below(seed, 3) == 0;
    w->n = 1 + o_below(seed, MOST);
    w->sensitive = o_below(seed, 3) > 0;
    w->by_record = o_below(seed, 3) == 0;
    w->k = 1 + (unsigned)o_below(seed, 4);
    w->l = 1 + (double)o_below(seed, 5) / 2;
    w->known = 1 + (unsigned)o_below(seed, 4);
    w->absent = (unsigned)o_below(seed, 6);
    for (size_t i = 0; i < w->n; i++) {
        w->owner[i] =
            w->by_record && i > 0 && o_below(seed, 3) == 0 ? w->owner[i - 1] : (unsigned)i;
        w->n_bag[i] = bag_distinct(w->bag[i], r_leaves(seed, w->tree, ITEMS, w->bag[i]));
        w->mark[i] = w->sensitive ? (unsigned)o_below(seed, 1 << MARKS) : 0;
        w->published[i] = i == 0 || o_below(seed, 6) > 0;
        if (kind == CUT)
            w->n_part[i] = part_cut(w->tree, some, w->bag[i], w->n_bag[i], w->part[i]);
        else if (kind == DROP)
            w->n_part[i] = part_drop(some, w->bag[i], w->n_bag[i], w->part[i]);
        else
            w->n_part[i] = r_items(seed, w->tree, w->bag[i], w->n_bag[i], kind == BAGS, w->part[i]);
    }
}

/* Sensitive items are called 0 and 1, which come before letters. */
static void marks_put(unsigned mark, bool more, char *out)
{
    static const char *const names[] = {"", "0", "1", "0 1"};
    sprintf(out, "%s%s", names[mark], mark && more ? " " : "");
}

/* A set may come in two lines of one person, where they are merged. */
static void original_put(const world *w, size_t i, char *out)
{
    bool two = !w->by_record && w->n_bag[i] > 1;
    size_t half = two ? w->n_bag[i] / 2 : 0;
    if (two) {
        sprintf(out, "p%u\t", w->owner[i]);
        r_line(w->tree, w->bag[i], half + 1, out + strlen(out)); // one item is in both
        strcat(out, "\n");
    }
    sprintf(out + strlen(out), "p%u\t", w->owner[i]);
    marks_put(w->mark[i], w->n_bag[i] > half, out + strlen(out));
    r_line(w->tree, w->bag[i] + half, w->n_bag[i] - half, out + strlen(out));
    strcat(out, "\n");
}

static void world_write(const world *w, char *original, char *published, char *map)
{
    char lines[MOST][64];
    size_t from[MOST], order[MOST], line_of[MOST], n = 0;
    for (size_t i = 0; i < w->n; i++) {
        original_put(w, i, original + strlen(original));
        if (!w->published[i]) continue;
        marks_put(w->mark[i], w->n_part[i] > 0, lines[n]);
        r_items_line(w->tree, w->part[i], w->n_part[i], lines[n] + strlen(lines[n]));
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

/* --- the definitions --- */

static bool among(const uint32_t *at, size_t n, uint32_t v)
{
    bool is = false;
    for (size_t i = 0; i < n; i++)
        is = is || at[i] == v;
    return is;
}

/* Known items as nodes of the world's tree. */
typedef struct known {
    uint32_t present[R_NODES + 2], absent[R_NODES + 2];
    size_t n_present, n_absent;
    unsigned marks; /* bits: sensitive items that are known to be there */
} known;

static bool fits_before(const world *w, const known *k, size_t i)
{
    bool fits = (k->marks & ~w->mark[i]) == 0;
    for (size_t j = 0; j < k->n_present; j++)
        fits = fits && among(w->bag[i], w->n_bag[i], k->present[j]);
    for (size_t j = 0; j < k->n_absent; j++)
        fits = fits && !among(w->bag[i], w->n_bag[i], k->absent[j]);
    return fits;
}

static bool shows(const world *w, size_t i, uint32_t x)
{
    bool any = false;
    for (size_t j = 0; j < w->n_part[i]; j++)
        any = any || r_item_above(w->tree, &w->part[i][j], x);
    return w->published[i] && any;
}

static bool shown_anywhere(const world *w, uint32_t x)
{
    bool any = false;
    for (size_t i = 0; i < w->n; i++)
        any = any || shows(w, i, x);
    return any;
}

/* Is there an item, of whose leaves none can be there? */
static bool refuted(const world *w, const known *k, size_t i)
{
    for (size_t j = 0; j < w->n_part[i]; j++) {
        bool possible = false;
        for (uint32_t v = 0; v < w->tree->n; v++)
            possible = possible || (w->tree->end[v] == v + 1 && // a leaf
                                    r_item_above(w->tree, &w->part[i][j], v) &&
                                    !among(k->absent, k->n_absent, v));
        if (!possible) return true;
    }
    return false;
}

static bool fits_after(const world *w, const known *k, size_t i)
{
    bool fits = w->published[i] && !refuted(w, k, i);
    unsigned shown = 0;
    for (size_t j = 0; j < w->n; j++)
        shown |= w->published[j] ? w->mark[j] : 0;
    fits = fits && (k->marks & shown & ~w->mark[i]) == 0;
    for (size_t j = 0; j < k->n_present; j++)
        fits = fits && (shows(w, i, k->present[j]) || !shown_anywhere(w, k->present[j]));
    return fits;
}

typedef struct tally {
    unsigned n, size[MOST], none, under_k, over, among;
    double success, confidence, most, blind;
} tally;

static void tally_add(const world *w, const known *k, unsigned owner, bool after, bool map,
                      tally *t)
{
    unsigned fits = 0, own = 0, all = 0, with[MARKS] = {0}, most = 0, published = 0, theirs = 0;
    for (size_t i = 0; i < w->n; i++) {
        all += w->owner[i] == owner;
        published += w->published[i];
        theirs += w->published[i] && w->owner[i] == owner;
        if (after ? !fits_after(w, k, i) : !fits_before(w, k, i)) continue;
        fits++;
        own += w->owner[i] == owner;
        for (unsigned m = 0; m < MARKS; m++)
            with[m] += (w->mark[i] & ~k->marks) >> m & 1;
    }
    if (after && !map) own = LETHE_MIN(all, fits);
    t->blind += (double)(map ? theirs : LETHE_MIN(all, published)) / published;
    for (unsigned m = 0; m < MARKS; m++)
        most = LETHE_MAX(most, with[m]);
    t->size[t->n++] = fits;
    t->none += fits == 0;
    t->under_k += fits > 0 && fits < LETHE_MAX(w->k, 2);
    t->among += own > 0;
    if (fits == 0) return;
    t->over += most * w->l > fits;
    t->success += (double)own / fits;
    t->confidence += (double)most / fits;
    t->most = LETHE_MAX(t->most, (double)most / fits);
}

/* --- what is known --- */

/* The nodes of the tree with marks, in the world's own. */
static size_t nodes_take(const world *w, const lethe_tree *t, const uint32_t *node, size_t n,
                         uint32_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = lethe_tree_find(w->tree, lethe_tree_name(t, node[i]));
    return n;
}

/* Items of others that the owner has in no record. */
static size_t lacks(const world *w, unsigned owner, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t v = 0; v < w->tree->n; v++) {
        bool other = false, own = false;
        for (size_t i = 0; i < w->n; i++) {
            bool has = among(w->bag[i], w->n_bag[i], v);
            other = other || has;
            own = own || (has && w->owner[i] == owner);
        }
        if (other && !own) out[n++] = v;
    }
    return n;
}

/* As many as can be, of one of the owner's records, and of what they lack; each once. */
static bool known_is_right(const world *w, const known *k, unsigned owner)
{
    uint32_t lack[R_NODES + 2];
    size_t n_lack = lacks(w, owner, lack);
    bool of_one = false, right = k->n_absent == LETHE_MIN(n_lack, w->absent);
    for (size_t i = 0; i < w->n; i++) {
        unsigned marks = LETHE_MIN((unsigned)__builtin_popcount(w->mark[i]), w->sensitive_known);
        bool all = w->owner[i] == owner && k->n_present == LETHE_MIN(w->n_bag[i], w->known) &&
                   (unsigned)__builtin_popcount(k->marks) == marks && (k->marks & ~w->mark[i]) == 0;
        for (size_t j = 0; j < k->n_present; j++)
            all = all && among(w->bag[i], w->n_bag[i], k->present[j]) &&
                  !among(k->present, j, k->present[j]);
        of_one = of_one || all;
    }
    for (size_t j = 0; j < k->n_absent; j++)
        right = right && among(lack, n_lack, k->absent[j]) && !among(k->absent, j, k->absent[j]);
    return right && of_one && k->n_present > 0 && (k->marks != 0) == (w->sensitive_known > 0);
}

static bool tallies(const world *w, const pa_original *o, uint64_t seed, bool map, tally t[2])
{
    const lethe_tree *tree = o->with_marks ? o->with_marks : o->tree;
    lethe_arena *a = lethe_arena_new();
    lethe_person_sample d;
    lethe_person_sample_options by = {.seed = seed,
                                      .n_nodes = tree->n,
                                      .n_public = o->with_marks ? o->tree->n + 1 : o->tree->n,
                                      .persons = 1000,
                                      .present = w->known,
                                      .absent = w->absent,
                                      .sensitive = w->sensitive_known};
    assert_int_equal(lethe_person_sample_draw(o->records, &by, a, &d), LETHE_OK);
    bool right = true, seen[MOST] = {false};
    for (size_t i = 0; i < d.n; i++) {
        const lethe_sampled_person *p = &d.person[i];
        known k = {.n_present = p->n_present};
        for (; k.n_present > 0 && p->present[k.n_present - 1] >= by.n_public; k.n_present--)
            k.marks |= 1u << (lethe_tree_name(tree, p->present[k.n_present - 1]).at[0] - '0');
        k.n_present = nodes_take(w, tree, p->present, k.n_present, k.present);
        k.n_absent = nodes_take(w, tree, p->absent, p->n_absent, k.absent);
        lethe_str name = lethe_dict_at(o->records->owners, o->records->owner_name[p->owner]);
        unsigned who = (unsigned)(name.at[1] - '0');
        right = right && !seen[who] && known_is_right(w, &k, who);
        seen[who] = true;
        tally_add(w, &k, who, false, true, &t[0]);
        tally_add(w, &k, who, true, map, &t[1]);
    }
    for (size_t i = 0; i < w->n; i++) // all who have an item, or one of each kind
        right = right && (w->n_bag[i] == 0 || (w->sensitive_known > 0 && w->mark[i] == 0) ||
                          seen[w->owner[i]]);
    lethe_arena_free(a);
    return right;
}

/* --- both --- */

static bool near(const lethe_json *o, const char *name, double want)
{
    const lethe_json *v = lethe_json_get(o, name);
    double d = lethe_json_real(v) - want;
    return v && d < 1e-12 && d > -1e-12;
}

static double median(tally *t)
{
    for (unsigned i = 0; i < t->n; i++)
        for (unsigned j = i + 1; j < t->n; j++)
            if (t->size[j] < t->size[i]) {
                unsigned swap = t->size[i];
                t->size[i] = t->size[j];
                t->size[j] = swap;
            }
    return t->n ? (t->size[(t->n - 1) / 2] + t->size[t->n / 2]) / 2.0 : 0;
}

static bool as_tallied(const lethe_json *out, const char *name, tally *t, bool told, bool map)
{
    const lethe_json *o = lethe_json_get(out, name);
    double n = t->n ? t->n : 1, sum = 0;
    for (unsigned i = 0; i < t->n; i++)
        sum += t->size[i];
    bool ok = near(o, "success", t->success / n) && near(o, "median", median(t)) &&
              near(o, "mean", sum / n) && near(o, "min", t->n ? t->size[0] : 0) &&
              near(o, "under_k", t->under_k / n) && near(o, "none", t->none / n) &&
              (!map || near(o, "among", t->among / n));
    bool says = lethe_json_get(o, "confidence") != NULL;
    if (!told) return ok && !says;
    return ok && says && near(o, "confidence", t->confidence / n) &&
           near(o, "confidence_max", t->most) && near(o, "over_limit", t->over / n);
}

static bool as_defined(lethe_ctx *ctx, const world *w, const pa_case *c, tally t[2])
{
    pa_original o = pa_read(ctx, c);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *out = lethe_json_object(doc);
    bool told = o.with_marks && o.with_marks->n > o.tree->n + 1;
    memset(t, 0, 2 * sizeof *t);
    bool ok = tallies(w, &o, c->seed, c->map != NULL, t);
    assert_int_equal(pa_run(ctx, c, &o, doc, out), LETHE_OK);
    ok = ok && near(out, "persons", t[0].n) &&
         near(out, "success", t[0].n ? t[1].success / t[0].n : 0) &&
         near(out, "before", t[0].n ? t[0].success / t[0].n : 0) &&
         near(out, "baseline", t[0].n ? t[1].blind / t[0].n : 0) &&
         as_tallied(out, "candidates_before", &t[0], told, false) &&
         as_tallied(out, "candidates_after", &t[1], told, c->map != NULL);
    lethe_json_doc_free(doc);
    pa_free(&o);
    return ok;
}

static void candidates_are_as_defined(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    unsigned misled = 0, alone = 0, over = 0, narrowed = 0;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t seed = round;
        char tree[R_TEXT], original[R_TEXT] = "", published[R_TEXT] = "", map[R_TEXT] = "";
        char manifest[200], n_known[8], n_absent[8], n_sensitive[8];
        world w = {0};
        tally t[2];
        r_tree(&seed, tree);
        assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(tree), LETHE_NAMES_RAW, &w.tree),
                         LETHE_OK);
        world_draw(&seed, &w);
        world_write(&w, original, published, map);
        sprintf(manifest, "{\"claims\":[{\"notion\":\"kl-privacy\",\"k\":%u,\"l\":%g,\"m\":9}]}",
                w.k, w.l);
        sprintf(n_known, "%u", w.known);
        sprintf(n_absent, "%u", w.absent);
        w.sensitive_known = w.sensitive ? (unsigned)(round % 3) : 0;
        sprintf(n_sensitive, "%u", w.sensitive_known);
        pa_case c = {.tree = tree,
                     .original = original,
                     .published = published,
                     .sensitive = w.sensitive ? "0\n1\n" : NULL,
                     .map = map,
                     .manifest = manifest,
                     .known = n_known,
                     .absent = n_absent,
                     .sensitive_known = n_sensitive,
                     .by_record = w.by_record,
                     .has_seed = true,
                     .seed = round};
        bool ok = as_defined(ctx, &w, &c, t);
        misled += t[1].among < t[1].n;
        alone += t[1].under_k > 0;
        over += t[1].over > 0;
        narrowed += t[1].n > 0 && t[1].size[0] < w.n;
        c.map = NULL;
        if (!ok || !as_defined(ctx, &w, &c, t))
            fail_msg("seed %d\n%s\n%s\n%s\n%s", (int)round, tree, original, published, map);
        lethe_tree_free(w.tree);
    }
    assert_in_range(misled, ROUNDS / 10, ROUNDS);
    assert_in_range(alone, ROUNDS / 4, ROUNDS);
    assert_in_range(over, ROUNDS / 10, ROUNDS);
    assert_in_range(narrowed, ROUNDS / 2, ROUNDS);
    lethe_ctx_free(ctx);
}

/* --- many sets --- */

#define SEARCHES ((int)seeds(400))
enum { LARGE = 1000, BRANCHES = 6, TWIGS = 5, LARGE_MARKS = 3 };

/* Leaf and branch numbers of a tree in preorder: branch b is 1 + b (TWIGS + 1). */
static uint32_t branch(size_t b) { return (uint32_t)(1 + b * (TWIGS + 1)); }
static uint32_t twig(size_t b, size_t i) { return branch(b) + 1 + (uint32_t)i; }

static lethe_tree *large_tree(lethe_ctx *ctx)
{
    char edges[2000], *at = edges;
    lethe_tree *t = NULL;
    for (int b = 0; b < BRANCHES; b++) {
        at += sprintf(at, "b%d\tr\n", b);
        for (int i = 0; i < TWIGS; i++)
            at += sprintf(at, "l%d.%d\tb%d\n", b, i, b);
    }
    assert_int_equal(lethe_tree_memory(ctx, lethe_str_of(edges), LETHE_NAMES_RAW, &t), LETHE_OK);
    return t;
}

typedef struct large {
    uint64_t first[LARGE + 1], start[LARGE + 1], mark_start[LARGE + 1], item_first[64];
    uint32_t item[LARGE * 8], mark[LARGE * LARGE_MARKS], node[64];
} large;

/* Twigs and branches are shown as they are, early ones far more often, and some in copies. */
static lethe_set_index large_draw(uint64_t *seed, const lethe_tree *t, large *l)
{
    for (uint32_t v = 0; v < t->n; v++) {
        l->node[v] = v;
        l->item_first[v + 1] = v + 1;
    }
    for (size_t i = 0; i < LARGE; i++) {
        l->first[i + 1] = l->first[i] + 1 + o_below(seed, 3);
        l->start[i + 1] = l->start[i];
        l->mark_start[i + 1] = l->mark_start[i];
        for (size_t k = o_below(seed, 9); k > 0; k--) {
            size_t b = o_below(seed, 1 + o_below(seed, BRANCHES)),
                   twigs = o_below(seed, 1 + o_below(seed, TWIGS));
            l->item[l->start[i + 1]++] = o_below(seed, 4) ? twig(b, twigs) : branch(b);
        }
        for (uint32_t m = 0; m < LARGE_MARKS; m++)
            if (o_below(seed, 3 + m) == 0) l->mark[l->mark_start[i + 1]++] = m;
    }
    return (lethe_set_index){.n = LARGE,
                             .first = l->first,
                             .start = l->start,
                             .item = l->item,
                             .items = {t, t->n, l->item_first, l->node},
                             .n_marks = LARGE_MARKS,
                             .first_mark = UINT32_MAX, // none is among what is known
                             .mark_start = l->mark_start,
                             .mark = l->mark};
}

/* Does the set show all that is there, and nothing that can only be what is not? */
static bool large_fits(const lethe_set_index *s, const lethe_known_items *k, size_t set)
{
    bool fits = true;
    for (uint64_t at = s->start[set]; at < s->start[set + 1]; at++) {
        uint32_t v = s->item[at], absent = 0;
        bool is_branch = s->items.tree->end[v] > v + 1;
        for (size_t j = 0; j < k->n_absent; j++)
            absent += r_above(s->items.tree, v, k->absent[j]);
        fits = fits && absent < (is_branch ? TWIGS : 1);
    }
    for (size_t j = 0; j < k->n_present; j++) {
        bool shown = false;
        for (uint64_t at = s->start[set]; at < s->start[set + 1]; at++)
            shown = shown || r_above(s->items.tree, s->item[at], k->present[j]);
        fits = fits && shown;
    }
    return fits;
}

static void large_compare(const lethe_set_index *s, const lethe_known_items *k,
                          lethe_set_scratch *v)
{
    lethe_set_matches fit;
    uint64_t records = 0, with[LARGE_MARKS] = {0}, most = 0;
    assert_int_equal(lethe_set_search(s, k, v, &fit), LETHE_OK);
    for (size_t i = 0; i < s->n; i++) {
        bool fits = large_fits(s, k, i);
        assert_int_equal(lethe_set_fits(v, i), fits);
        records += fits ? s->first[i + 1] - s->first[i] : 0;
        for (uint64_t at = s->mark_start[i]; fits && at < s->mark_start[i + 1]; at++)
            with[s->mark[at]] += s->first[i + 1] - s->first[i];
    }
    for (uint32_t m = 0; m < LARGE_MARKS; m++)
        most = LETHE_MAX(most, with[m]);
    assert_int_equal(fit.records, records);
    assert_int_equal(fit.with, most);
}

/* Rare items beside frequent ones, up to whole branches absent, nothing known at all: by lists and
 * by sets, one search after the other in one sieve. */
static void many_sets_are_searched_alike(void **state)
{
    (void)state;
    static large l;
    lethe_ctx *ctx = o_ctx(1, 0);
    lethe_tree *t = large_tree(ctx);
    lethe_arena *a = lethe_arena_new();
    lethe_set_scratch v = {0};
    uint64_t seed = 1;
    lethe_set_index s = large_draw(&seed, t, &l);
    assert_int_equal(lethe_set_index_build(&s, a), LETHE_OK);
    assert_int_equal(lethe_set_scratch_init(&v, s.n, t->n, LARGE_MARKS), LETHE_OK);
    for (int round = 0; round < SEARCHES; round++) {
        uint32_t present[BRANCHES * TWIGS], absent[BRANCHES * TWIGS];
        size_t n_present = 0, n_absent = 0;
        for (size_t b = 0; b < BRANCHES; b++) {
            size_t lacked = o_below(&seed, 8); // 0: all of the branch, 1: half of it
            for (size_t i = 0; i < TWIGS; i++) {
                if (lacked == 0 || (lacked == 1 && o_below(&seed, 2)))
                    absent[n_absent++] = twig(b, i);
                else if (o_below(&seed, 12) == 0 && round % 10)
                    present[n_present++] = twig(b, i);
            }
        }
        large_compare(&s, &(lethe_known_items){present, absent, n_present, n_absent}, &v);
    }
    lethe_set_scratch_free(&v);
    lethe_arena_free(a);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

/* Of five items that a person lacks, two are drawn: each pair as often as any other. */
static void absent_items_are_drawn_fairly(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(1, 0);
    pa_case c = {.tree = "a\tr\nb\tr\nc\tr\nd\tr\ne\tr\nf\tr\ng\tr\nh\tr\n",
                 .original = "p\tc f\nq\ta b b b d e c\nq\tg\n"};
    pa_original o = pa_read(ctx, &c);
    unsigned pair[8][8] = {{0}}, one[8] = {0};
    for (uint64_t seed = 0; seed < 10000; seed++) {
        lethe_arena *a = lethe_arena_new();
        lethe_person_sample d;
        lethe_person_sample_options by = {.seed = seed,
                                          .n_nodes = o.tree->n,
                                          .n_public = o.tree->n,
                                          .persons = 2,
                                          .present = 1,
                                          .absent = 2};
        assert_int_equal(lethe_person_sample_draw(o.records, &by, a, &d), LETHE_OK);
        for (size_t i = 0; i < d.n; i++) {
            const lethe_sampled_person *p = &d.person[i];
            if (p->owner != 0) continue;
            assert_int_equal(p->n_absent, 2);
            pair[p->absent[0] - 1][p->absent[1] - 1]++;
            one[p->present[0] - 1]++;
        }
        lethe_arena_free(a);
    }
    // of a, b, d, e and g (0, 1, 3, 4, 6) ten pairs, in order; nobody has h
    static const unsigned lacked[] = {0, 1, 3, 4, 6};
    unsigned sum = 0;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++) {
            assert_in_range(pair[lacked[i]][lacked[j]], 880, 1120); // 1000, four deviations
            sum += pair[lacked[i]][lacked[j]];
        }
    assert_int_equal(sum, 10000);
    assert_in_range(one[2], 4800, 5200);
    assert_int_equal(one[2] + one[5], 10000);
    pa_free(&o);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(candidates_are_as_defined),
                                       cmocka_unit_test(many_sets_are_searched_alike),
                                       cmocka_unit_test(absent_items_are_drawn_fairly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
