/* SPDX-License-Identifier: Apache-2.0 */
/* Random originals and releases of every shape: who holds what is known of a person, and what each
 * strategy makes of it, by looking at every user and record.  What is known of whom is drawn as the
 * adversary draws it, and is itself looked at. */
/* suite: threads */
#include "seeds.h"
#include "scale_world.h"
#include "attack/sample.h"
#include <math.h>

#define ROUNDS seeds(3000)

enum { MOST, IDF, BAYES, NEAR, STRATEGIES };
static const char *const strategies[] = {"most", "idf", "bayes", "near"};

typedef struct answer {
    double success[STRATEGIES], before[STRATEGIES], narrowed, among, before_narrowed;
} answer;

/* The letters that are known of each person drawn; which person it is. */
typedef struct knowing {
    size_t n;
    size_t person[W_PERSONS];
    char known[W_PERSONS][32];
} knowing;

/* Persons by name, or where they have none by number. */
static size_t person_number(const lethe_records *terms, uint32_t owner)
{
    uint32_t name = terms->owners ? terms->owner_name[owner] : LETHE_NONE;
    if (name == LETHE_NONE) return owner;
    return (size_t)(lethe_dict_at(terms->owners, name).at[1] - '0');
}

/* Can a letter of a person's be known?  Of a log, function words cannot: among letters, a and i. */
static bool can_know(const world *w, size_t person, size_t x)
{
    bool function_word = w->shape != W_FILE && (x == 0 || x == 'i' - 'a');
    return w->terms[person].count[x] > 0 && !function_word;
}

static void knowing_draw(const world *w, const lethe_records *terms, unsigned known, knowing *k,
                         unsigned long long seed)
{
    uint32_t n = lethe_dict_count(terms->items);
    bool unknown[26] = {false};
    for (uint32_t i = 0; i < n && w->shape != W_FILE; i++) {
        char x = lethe_dict_at(terms->items, i).at[0];
        unknown[i] = x == 'a' || x == 'i';
    }
    lethe_person_sample_options by = {.seed = seed,
                                      .n_nodes = n,
                                      .n_public = n,
                                      .unknown = unknown,
                                      .persons = 1000,
                                      .present = known};
    lethe_person_sample d;
    lethe_arena *a = lethe_arena_new();
    assert_int_equal(lethe_person_sample_draw(terms, &by, a, &d), LETHE_OK);
    k->n = d.n;
    for (size_t i = 0; i < d.n; i++) {
        size_t p = k->person[i] = person_number(terms, d.person[i].owner), distinct = 0;
        for (size_t x = 0; x < 26; x++)
            distinct += can_know(w, p, x);
        if (d.person[i].n_present != LETHE_MIN(distinct, known))
            fail_msg("seed %llu: not as many are known as could be", seed);
        for (size_t j = 0; j < d.person[i].n_present; j++) {
            char x = k->known[i][j] = lethe_dict_at(terms->items, d.person[i].present[j]).at[0];
            if (!can_know(w, p, (size_t)(x - 'a'))) fail_msg("seed %llu: known, and not so", seed);
        }
        k->known[i][d.person[i].n_present] = '\0';
    }
    size_t full = 0;
    for (size_t p = 0; p < w->n_persons; p++) {
        bool any = false;
        for (size_t x = 0; x < 26; x++)
            any = any || can_know(w, p, x);
        full += any;
    }
    if (full != d.n) fail_msg("seed %llu: %zu persons of %zu are looked for", seed, d.n, full);
    lethe_arena_free(a);
}

/* How a holder shows a letter: by a node, that so many show something at or below, and that has so
 * many leaves. */
typedef struct shown {
    bool is;
    double below, leaves;
} shown;

/* Everybody's side: the persons of the original, or what was released; over how many edges a
 * published term may stand for another. */
typedef struct side {
    const world *w;
    bool before;
    size_t n;
    unsigned reach;
} side;

static const w_bag *bag_of(const side *s, size_t h)
{
    return s->before ? &s->w->terms[h] : &s->w->released[h].bag;
}

/* The nodes of a published item; a member of a bag that another is above says nothing. */
static size_t nodes_of(const world *w, size_t item, uint32_t *node)
{
    char letter[2] = {(char)('a' + item), '\0'};
    const char *text = item < 26 ? letter : w->item[item];
    uint32_t all[8];
    size_t n = 0, kept = 0;
    for (const char *at = text; *at; at += at[1] ? 2 : 1)
        all[n++] = lethe_tree_find(w->tree, (lethe_str){at, 1});
    for (size_t i = 0; i < n; i++) {
        bool covered = all[i] == LETHE_NONE;
        for (size_t j = 0; j < n; j++)
            covered = covered || (j != i && r_above(w->tree, all[j], all[i]));
        if (!covered) node[kept++] = all[i];
    }
    return kept;
}

/* Does a holder show something at or below v? */
static bool reaches(const side *s, size_t h, uint32_t v)
{
    uint32_t node[8];
    for (size_t i = 0; i < s->w->n_items; i++) {
        if (bag_of(s, h)->count[i] == 0) continue;
        for (size_t n = nodes_of(s->w, i, node); n > 0; n--)
            if (r_above(s->w->tree, v, node[n - 1])) return true;
    }
    return false;
}

static shown shows(const side *s, size_t h, char x)
{
    const world *w = s->w;
    shown out = {.below = 0, .leaves = 1};
    if (s->before || w->shape < W_FILE) {
        out.is = bag_of(s, h)->count[x - 'a'] > 0;
        for (size_t g = 0; g < s->n; g++)
            out.below += bag_of(s, g)->count[x - 'a'] > 0;
        return out;
    }
    uint32_t leaf = lethe_tree_find(w->tree, (lethe_str){&x, 1}), low = LETHE_NONE, node[8];
    for (size_t i = 0; leaf != LETHE_NONE && i < w->n_items; i++)
        for (size_t n = bag_of(s, h)->count[i] ? nodes_of(w, i, node) : 0; n > 0; n--)
            if (r_above(w->tree, node[n - 1], leaf) &&
                (low == LETHE_NONE || r_above(w->tree, low, node[n - 1])))
                low = node[n - 1];
    if (low == LETHE_NONE) return out;
    out.is = true;
    for (size_t g = 0; g < s->n; g++)
        out.below += reaches(s, g, low);
    out.leaves = 0;
    for (uint32_t v = 0; v < w->tree->n; v++)
        out.leaves += lethe_tree_is_leaf(w->tree, v) && r_above(w->tree, low, v);
    return out;
}

static double size_of(const side *s, size_t h)
{
    double n = 0;
    for (size_t i = 0; i < s->w->n_items; i++)
        n += bag_of(s, h)->count[i] > 0;
    return n;
}

static unsigned edges_up(const lethe_tree *t, uint32_t from, uint32_t to)
{
    unsigned n = 0;
    for (; from != to; from = t->parent[from])
        n++;
    return n;
}

static unsigned edges_between(const lethe_tree *t, uint32_t a, uint32_t b)
{
    uint32_t top = a;
    while (!r_above(t, top, b))
        top = t->parent[top];
    return edges_up(t, a, top) + edges_up(t, b, top);
}

enum { FAR = 1000 };

/* The nearest node of a holder that is above a letter, or within reach of it, of several the first;
 * how many edges it is away. */
static uint32_t nearest(const side *s, size_t h, char x, unsigned *least)
{
    const lethe_tree *t = s->w->tree;
    uint32_t leaf = lethe_tree_find(t, (lethe_str){&x, 1}), node[8], found = LETHE_NONE;
    *least = FAR;
    if (s->before || s->w->shape < W_FILE) { // a word is its own node
        *least = shows(s, h, x).is ? 0 : FAR;
        return (uint32_t)x;
    }
    for (size_t i = 0; leaf != LETHE_NONE && i < s->w->n_items; i++)
        for (size_t n = bag_of(s, h)->count[i] ? nodes_of(s->w, i, node) : 0; n > 0; n--) {
            uint32_t v = node[n - 1];
            unsigned edges = edges_between(t, leaf, v);
            if (edges > s->reach && !r_above(t, v, leaf)) continue;
            if (edges < *least || (edges == *least && v < found)) found = v;
            *least = LETHE_MIN(*least, edges);
        }
    return found;
}

/* What all that is known is worth to a holder by `near`: for each of its nodes, the most of what
 * goes there. */
static double near_score(const side *s, size_t h, const char *known)
{
    uint32_t node[32];
    double worth[32], sum = 0;
    size_t n = 0;
    for (; *known; known++) {
        unsigned own, other, as_near = 0;
        node[n] = nearest(s, h, *known, &own);
        if (own == FAR) continue;
        for (size_t g = 0; g < s->n; g++) {
            (void)nearest(s, g, *known, &other);
            as_near += other <= own;
        }
        worth[n++] = log(1 + (double)s->n / (100 * as_near * sqrt(size_of(s, h))));
    }
    for (size_t i = 0; i < n; i++) {
        bool counts = true;
        for (size_t j = 0; j < n; j++) // of equal ones the first
            if (node[j] == node[i] && (worth[j] > worth[i] || (worth[j] == worth[i] && j < i)))
                counts = false;
        sum += counts ? worth[i] : 0;
    }
    return sum;
}

/* The scores of all holders by every strategy; false in `any`: holds nothing that is known, or is
 * not near to anything. */
static void scores(const side *s, const char *known, double (*by)[STRATEGIES],
                   bool (*any)[STRATEGIES])
{
    memset(by, 0, s->n * sizeof *by);
    memset(any, 0, s->n * sizeof *any);
    for (size_t h = 0; h < s->n; h++) {
        by[h][NEAR] = near_score(s, h, known);
        any[h][NEAR] = by[h][NEAR] > 0;
    }
    for (; *known; known++) {
        double p = 0;
        for (size_t h = 0; h < s->n; h++) {
            shown x = shows(s, h, *known);
            if (x.is) p += 1 / (size_of(s, h) * x.leaves) / (double)s->n;
        }
        for (size_t h = 0; h < s->n; h++) {
            shown x = shows(s, h, *known);
            if (!x.is) continue;
            any[h][MOST] = any[h][IDF] = any[h][BAYES] = true;
            by[h][MOST] += 1;
            by[h][IDF] += log((double)s->n) - log(x.below);
            by[h][BAYES] += log(1 + 1 / (size_of(s, h) * x.leaves * p));
        }
    }
    for (size_t h = 0; h < s->n; h++)
        by[h][IDF] -= 0.5 * log(size_of(s, h));
}

/* Who has the best score, and how many of them are the person's. */
static void best_of(const side *s, double (*by)[STRATEGIES], bool (*any)[STRATEGIES], int strategy,
                    size_t person, size_t *candidates, size_t *own)
{
    double best = -1e9;
    *candidates = *own = 0;
    for (size_t h = 0; h < s->n; h++)
        if (any[h][strategy]) best = fmax(best, by[h][strategy]);
    for (size_t h = 0; h < s->n; h++) {
        if (!any[h][strategy] || by[h][strategy] < best - 1e-9) continue;
        ++*candidates;
        *own += (s->before ? h : s->w->released[h].person) == person;
    }
}

/* How the adversary was asked. */
typedef struct asked {
    bool told;
    unsigned known, crowd, reach;
    char manifest[128]; /* empty: none */
} asked;

/* Adds what comes of one person. */
static void person_add(const world *w, const knowing *k, size_t i, const asked *q, answer *a)
{
    size_t candidates, own, p = k->person[i];
    double by[W_RELEASED + W_PERSONS][STRATEGIES];
    bool any[W_RELEASED + W_PERSONS][STRATEGIES];
    side before = {w, true, w->n_persons, 0}, after = {w, false, w->n_released, q->reach};
    scores(&before, k->known[i], by, any);
    for (int s = 0; s < STRATEGIES; s++) {
        best_of(&before, by, any, s, p, &candidates, &own);
        a->before[s] += (double)own / (double)candidates;
        a->before_narrowed += s == MOST && candidates < q->crowd;
    }
    scores(&after, k->known[i], by, any);
    for (int s = 0; s < STRATEGIES; s++) {
        best_of(&after, by, any, s, p, &candidates, &own);
        if (!q->told) own = LETHE_MIN(candidates, w->shape >= W_FILE ? w->n_lines[p] : 1);
        if (own == 0) continue;
        a->success[s] += (double)own / (double)candidates;
        a->narrowed += s == MOST && candidates < q->crowd;
        a->among += s == MOST;
    }
}

static void is(const lethe_json *out, const char *name, double sum, size_t n,
               unsigned long long seed)
{
    double want = n ? sum / (double)n : 0, got = lethe_json_real(lethe_json_get(out, name));
    if (fabs(got - want) > 1e-9)
        fail_msg("seed %llu: %s %.12g, and it is %.12g", seed, name, got, want);
}

static void named(const lethe_json *out, const char *name, const char *want,
                  unsigned long long seed)
{
    if (!lethe_str_eq(lethe_json_text(lethe_json_get(out, name)), lethe_str_of(want)))
        fail_msg("seed %llu: %s is not %s", seed, name, want);
}

static void answer_check(const world *w, const knowing *k, const asked *q, const lethe_json *out,
                         unsigned *won, unsigned long long seed)
{
    answer a = {0};
    for (size_t i = 0; i < k->n; i++)
        person_add(w, k, i, q, &a);
    size_t best = 0, best_before = 0;
    for (size_t s = 0; s < STRATEGIES; s++) {
        const lethe_json *one = lethe_json_get(lethe_json_get(out, "strategies"), strategies[s]);
        is(one, "success", a.success[s], k->n, seed);
        is(one, "before", a.before[s], k->n, seed);
        if (a.success[s] > a.success[best] + 1e-9) best = s;
        if (a.before[s] > a.before[best_before] + 1e-9) best_before = s;
    }
    is(out, "success", a.success[best], k->n, seed);
    is(out, "before", a.before[best_before], k->n, seed);
    named(out, "strategy", strategies[best], seed);
    named(out, "strategy_before", strategies[best_before], seed);
    won[best]++;
    is(out, "narrowed", a.narrowed, k->n, seed);
    is(out, "narrowed_before", a.before_narrowed, k->n, seed);
    is(out, "baseline", 1, w->n_released, seed);
    if (q->told) is(out, "among", a.among, k->n, seed);
    if (lethe_json_bool(lethe_json_get(out, "confirmed")) != q->told)
        fail_msg("seed %llu: who is who?", seed);
}

/* What the step says of terms that stand for others: nothing; so many edges; what it used, by a
 * figure; or something else. */
static void reach_draw(uint64_t *seed, asked *q)
{
    static const char form[] = "{\"metrics\":{%s%s},"
                               "\"steps\":[{\"parameters\":{\"epsilon\":%s,\"metric\":\"%s\"}}]}";
    unsigned edges = (unsigned)o_below(seed, 6), how = (unsigned)o_below(seed, 6);
    char number[16];
    snprintf(number, sizeof number, "%u.%u", edges, 9 * (edges % 2)); // rounded down
    q->reach = how == 0 ? 0 : how == 2 ? 6 : edges;
    q->manifest[0] = '\0';
    if (how > 0)
        snprintf(q->manifest, sizeof q->manifest, form, how == 1 ? "\"epsilon\":" : "",
                 how == 1 ? number : "", how == 1 ? "\"auto\"" : number,
                 how == 2   ? "file.tsv"
                 : how == 3 ? "network"
                            : "tree");
}

static void every_candidate_is_one(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    unsigned seen[W_SHAPES] = {0}, won[STRATEGIES] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        char known_text[16], crowd_text[16];
        static world w;
        w_draw(ctx, &seed, &w);
        asked q = {.known = 1 + (unsigned)o_below(&seed, 4),
                   .crowd = 2 + (unsigned)o_below(&seed, 4),
                   .told = o_below(&seed, 3) > 0};
        snprintf(known_text, sizeof known_text, "%u", q.known);
        snprintf(crowd_text, sizeof crowd_text, "%u", q.crowd);
        reach_draw(&seed, &q);
        if (w.shape >= W_FILE && *q.manifest)
            w.c.manifest = q.manifest;
        else
            q.reach = 0;
        w.c.known = known_text;
        w.c.crowd = crowd_text;
        w.c.map = q.told ? w.map : NULL;
        w.c.has_seed = true;
        w.c.seed = round;
        if (w_usable(&w)) {
            knowing k;
            sc_open o = sc_begin(ctx, &w.c);
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *out = lethe_json_object(doc);
            lethe_err e = sc_run(ctx, &w.c, &o, lethe_adversary_known_terms.run,
                                 lethe_adversary_known_terms.options, doc, out);
            if (e != LETHE_OK) fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
            knowing_draw(&w, o.terms, q.known, &k, round);
            answer_check(&w, &k, &q, out, won, round);
            seen[w.shape]++;
            lethe_json_doc_free(doc);
            sc_end(&o);
        }
        w_free(&w);
    }
    for (size_t i = 0; i < W_SHAPES; i++)
        assert_true(seen[i] > ROUNDS / 10);
    for (size_t i = 0; i < STRATEGIES; i++)
        assert_true(won[i] > ROUNDS / 300);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_candidate_is_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
