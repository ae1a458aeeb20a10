/* SPDX-License-Identifier: Apache-2.0 */
/* Trees made by hand, huge ones, and every way in which one cannot be made. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tree_oracle.h"
#include <stdio.h>
#include <stdlib.h>

enum { MILLION = 1000000 };

typedef struct said {
    uint32_t n, column;
    uint64_t line;
    char file[32], text[128], content[32];
} said;

static void hear(void *user, const lethe_message *m)
{
    said *s = user;
    s->n++;
    s->line = m->line;
    s->column = m->column;
    snprintf(s->file, sizeof s->file, "%s", m->file ? m->file : "-");
    snprintf(s->text, sizeof s->text, "%s", m->text);
    snprintf(s->content, sizeof s->content, "%.*s", (int)m->content.n,
             m->content.n ? m->content.at : "");
}

/* --- by edges --- */

/* "a>b c>b": a and c below b; a word alone is a node.  Line i for the i-th. */
static lethe_err add_edges(lethe_tree_builder *b, const char *edges)
{
    uint64_t line = 0;
    while (*edges) {
        size_t n = strcspn(edges, " "), k = strcspn(edges, ">");
        line++;
        lethe_err e = k < n ? lethe_tree_edge(b, (lethe_str){edges, k},
                                              (lethe_str){edges + k + 1, n - k - 1}, line)
                            : lethe_tree_node(b, (lethe_str){edges, n}, line);
        if (e != LETHE_OK) return e;
        edges += n + (edges[n] == ' ');
    }
    return LETHE_OK;
}

static lethe_err build(lethe_diag *d, const char *edges, lethe_tree **out)
{
    lethe_tree_builder *b = NULL;
    lethe_err e = lethe_tree_builder_new(d, "edges", &b);
    if (e != LETHE_OK) return e;
    e = add_edges(b, edges);
    lethe_err built = lethe_tree_build(b, out);
    if (e != LETHE_OK) assert_int_equal(built, e); // what failed stays failed
    return built;
}

static lethe_tree *must_build(const char *edges)
{
    lethe_tree *t = NULL;
    assert_int_equal(build(NULL, edges, &t), LETHE_OK);
    const char *fault = tree_fault(t);
    if (fault) fail_msg("%s: %s", edges, fault);
    return t;
}

/* "b(a c)" */
static void show(const lethe_tree *t, uint32_t v, char *out)
{
    lethe_str name = lethe_tree_name(t, v);
    sprintf(out + strlen(out), "%.*s", (int)name.n, name.at);
    if (lethe_tree_is_leaf(t, v)) return;
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c]) {
        strcat(out, c == v + 1 ? "(" : " ");
        show(t, c, out);
    }
    strcat(out, ")");
}

static void assert_shape(const lethe_tree *t, const char *want)
{
    char got[512] = "";
    show(t, 0, got);
    assert_string_equal(got, want);
}

static const char food[] = "fruit>food meat>food dairy>food apple>fruit orange>fruit banana>fruit "
                           "chicken>meat beef>meat milk>dairy butter>dairy cheese>dairy";

static void a_tree_answers(void **state)
{
    (void)state;
    lethe_tree *t = must_build(food);
    assert_shape(t,
                 "food(fruit(apple orange banana) meat(chicken beef) dairy(milk butter cheese))");
    uint32_t fruit = lethe_tree_find(t, LETHE_LIT("fruit"));
    uint32_t apple = lethe_tree_find(t, LETHE_LIT("apple"));
    uint32_t beef = lethe_tree_find(t, LETHE_LIT("beef"));
    assert_int_equal(fruit, 1);
    assert_int_equal(t->height, 2);
    assert_int_equal(lethe_tree_scale(t), 7);
    assert_int_equal(lethe_tree_lm(t, fruit), 2);
    assert_int_equal(lethe_tree_lm(t, beef), 0);
    assert_int_equal(lethe_tree_lca(t, apple, beef), 0);
    assert_int_equal(lethe_tree_lca(t, apple, fruit), fruit);
    assert_int_equal(lethe_tree_distance(t, apple, beef), 4);
    assert_int_equal(lethe_tree_distance(t, beef, beef), 0);
    assert_int_equal(lethe_tree_find(t, LETHE_LIT("appl")), LETHE_NONE);
    assert_int_equal(lethe_tree_find(t, LETHE_LIT("")), LETHE_NONE);
    lethe_tree_free(t);
    lethe_tree_free(NULL);
}

static void siblings_stand_in_the_order_of_their_edges(void **state)
{
    (void)state;
    static const struct {
        const char *edges, *want;
    } cases[] = {
        {"a>r b>r c>r", "r(a b c)"},
        {"c>r b>r a>r", "r(c b a)"},
        {"x>b c>r b>r", "r(c b(x))"}, // b is named before c, but its edge comes after
        {"r a>r", "r(a)"},
        {"a b c>a b>a", "a(c b)"},
        {"a>r a>r b>r a>r", "r(a b)"}, // the same edge again
        {"only", "only"},
        {"only only", "only"},
        {"d>c c>b b>a", "a(b(c(d)))"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_tree *t = must_build(cases[i].edges);
        assert_shape(t, cases[i].want);
        lethe_tree_free(t);
    }
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        uint64_t line;
        const char *content, *text;
    } cases[] = {
        {"", 0, "", "the taxonomy is empty"},
        {"a>a", 1, "a", "a name is its own parent"},
        {"a>r b>a b>b", 3, "b", "a name is its own parent"},
        {"a>r >r", 2, "", "a name is empty"},
        {"a>r b>", 2, "", "a name is empty"},
        {"a>r b>r a>b", 3, "a", "a name has two parents; line 1 gave it the first"},
        {"a>r a>r a>new", 3, "a", "a name has two parents; line 1 gave it the first"},
        {"a>b b>a", 2, "b", "the edge closes a cycle"},
        {"b>c a>b c>a", 3, "c", "the edge closes a cycle"},
        {"c>a b>c x>r a>b", 4, "a", "the edge closes a cycle"}, // beside a good tree
        {"x>y u>v v>u y>x", 3, "v", "the edge closes a cycle"}, // of two the one closed first
        {"a>r b>s x>y y>x", 4, "y", "the edge closes a cycle"}, // rather than two roots
        {"leaf>a a>b b>a", 3, "b", "the edge closes a cycle"},
        {"a>r b>s", 2, "s", "a second root: its name never gets a parent"},
        {"a>r b>s s>t r>u", 4, "u", "a second root: its name never gets a parent"},
        {"a b", 2, "b", "a second root: its name never gets a parent"},
        {"a>r lone", 2, "lone", "a second root: its name never gets a parent"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        said s = {0};
        lethe_diag *d = lethe_diag_new(hear, &s);
        lethe_tree *t = NULL;
        assert_int_equal(build(d, cases[i].edges, &t), LETHE_EINPUT);
        assert_null(t);
        assert_int_equal(s.n, 1); // said once, by whoever saw it
        assert_int_equal(s.line, cases[i].line);
        assert_string_equal(s.text, cases[i].text);
        assert_string_equal(s.content, cases[i].content);
        assert_string_equal(s.file, "edges");
        lethe_diag_free(d);
    }
}

static void a_failed_builder_stays_failed(void **state)
{
    (void)state;
    lethe_tree_builder *b = NULL;
    lethe_tree *t = NULL;
    said s = {0};
    lethe_diag *d = lethe_diag_new(hear, &s);
    assert_int_equal(lethe_tree_builder_new(d, NULL, &b), LETHE_OK);
    assert_int_equal(add_edges(b, "a>r a>a"), LETHE_EINPUT);
    assert_string_equal(s.file, "-");
    assert_int_equal(lethe_tree_edge(b, LETHE_LIT("b"), LETHE_LIT("r"), 3), LETHE_EINPUT);
    assert_int_equal(lethe_tree_node(b, LETHE_LIT("c"), 4), LETHE_EINPUT);
    assert_int_equal(lethe_tree_build(b, &t), LETHE_EINPUT);
    assert_null(t);
    assert_int_equal(s.n, 1);
    lethe_diag_free(d);
    lethe_tree_builder_free(NULL);
}

/* --- from numbers --- */

static void numbers_that_make_no_tree_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t n, parent[4];
        const char *names[4], *text;
    } cases[] = {
        {0, {0}, {0}, "the taxonomy is empty"},
        {2, {LETHE_NONE, 2}, {"a", "b"}, "node 1 has a parent that does not exist"},
        {2, {LETHE_NONE, LETHE_NONE}, {"a", "b"}, "node 1 is a second root"},
        {3, {LETHE_NONE, 0, LETHE_NONE}, {"a", "b", "c"}, "node 2 is a second root"},
        {1, {0}, {"a"}, "the edge of node 0 closes a cycle"},
        {3, {LETHE_NONE, 2, 1}, {"a", "b", "c"}, "the edge of node 2 closes a cycle"},
        {4, {3, 0, LETHE_NONE, 1}, {"a", "b", "c", "d"}, "the edge of node 3 closes a cycle"},
        {3, {LETHE_NONE, 0, 0}, {"a", "b", "b"}, "nodes 1 and 2 have the same name"},
        {3, {LETHE_NONE, 0, 0}, {"a", "b", ""}, "the name of node 2 is empty"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        said s = {0};
        lethe_diag *d = lethe_diag_new(hear, &s);
        lethe_tree *t = NULL;
        lethe_str names[4];
        for (uint32_t k = 0; k < cases[i].n; k++)
            names[k] = lethe_str_of(cases[i].names[k]);
        assert_int_equal(lethe_tree_from(d, cases[i].n, cases[i].parent, names, &t), LETHE_EINPUT);
        assert_null(t);
        assert_int_equal(s.n, 1);
        assert_string_equal(s.text, cases[i].text);
        lethe_diag_free(d);
    }
}

static void numbers_make_a_tree(void **state)
{
    (void)state;
    const uint32_t parent[] = {2, 2, LETHE_NONE, 1, 2, 1};
    const lethe_str names[] = {LETHE_LIT("a"), LETHE_LIT("b"), LETHE_LIT("r"),
                               LETHE_LIT("x"), LETHE_LIT("c"), LETHE_LIT("y")};
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_from(NULL, 6, parent, names, &t), LETHE_OK);
    assert_null(tree_fault(t));
    assert_shape(t, "r(a b(x y) c)");
    for (uint32_t i = 0; i < 6; i++)
        assert_true(lethe_str_eq(lethe_tree_name(t, t->node[i]), names[i]));
    lethe_tree_free(t);
    const uint32_t root = LETHE_NONE;
    assert_int_equal(lethe_tree_from(NULL, 1, &root, names, &t), LETHE_OK);
    assert_null(tree_fault(t));
    assert_int_equal(lethe_tree_scale(t), 0);
    assert_int_equal(t->height, 0);
    assert_int_equal(lethe_tree_lca(t, 0, 0), 0);
    lethe_tree_free(t);
}

/* --- huge --- */

typedef struct huge {
    uint32_t *parent;
    char (*text)[12];
    lethe_str *name;
    uint32_t (*pairs)[2];
} huge;

enum { N_PAIRS = 64 };

static huge huge_new(uint32_t n)
{
    huge h = {malloc(n * sizeof *h.parent), malloc(n * sizeof *h.text), malloc(n * sizeof *h.name),
              malloc(N_PAIRS * sizeof *h.pairs)};
    uint32_t x = 1;
    for (uint32_t i = 0; i < n; i++)
        h.name[i] = (lethe_str){h.text[i], (size_t)sprintf(h.text[i], "%u", i)};
    for (uint32_t i = 0; i < 2 * N_PAIRS; i++) {
        x = x * 1664525u + 1013904223u;
        h.pairs[i / 2][i % 2] = (uint32_t)((uint64_t)x * n >> 32);
    }
    return h;
}

static void huge_free(huge *h)
{
    free(h->parent);
    free(h->text);
    free(h->name);
    free(h->pairs);
}

static lethe_tree *huge_tree(const huge *h, uint32_t n)
{
    lethe_tree *t = NULL;
    assert_int_equal(lethe_tree_from(NULL, n, h->parent, h->name, &t), LETHE_OK);
    const char *fault = tree_fault_large(t, (const uint32_t(*)[2])h->pairs, N_PAIRS);
    if (fault) fail_msg("%s", fault);
    return t;
}

static void a_chain_of_a_million(void **state)
{
    (void)state;
    huge h = huge_new(MILLION);
    for (uint32_t i = 0; i < MILLION; i++)
        h.parent[i] = i + 1 < MILLION ? i + 1 : LETHE_NONE; // the last is the root
    lethe_tree *t = huge_tree(&h, MILLION);
    assert_int_equal(t->height, MILLION - 1);
    assert_int_equal(t->leaves[0], 1);
    assert_int_equal(lethe_tree_scale(t), 0);
    assert_int_equal(lethe_tree_find(t, LETHE_LIT("0")), MILLION - 1);
    assert_int_equal(lethe_tree_distance(t, 0, MILLION - 1), MILLION - 1);
    lethe_tree_free(t);
    huge_free(&h);
}

static void a_star_of_a_million(void **state)
{
    (void)state;
    huge h = huge_new(MILLION);
    for (uint32_t i = 0; i < MILLION; i++)
        h.parent[i] = i == 7 ? LETHE_NONE : 7;
    lethe_tree *t = huge_tree(&h, MILLION);
    assert_int_equal(t->height, 1);
    assert_int_equal(lethe_tree_scale(t), MILLION - 2);
    assert_int_equal(lethe_tree_lca(t, 1, MILLION - 1), 0);
    lethe_tree_free(t);
    huge_free(&h);
}

/* A spine 100,000 deep, whose nodes carry bunches; and a tree of random parents. */
static void deep_and_wide_trees_of_a_million(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    huge h = huge_new(MILLION);
    for (uint32_t i = 0; i < MILLION; i++)
        h.parent[i] = i == 0 ? LETHE_NONE : i < DEEP ? i - 1 : i % DEEP;
    lethe_tree *t = huge_tree(&h, MILLION);
    assert_int_equal(t->height, DEEP); // leaves below the deepest of the spine
    assert_int_equal(t->leaves[0], MILLION - DEEP);
    lethe_tree_free(t);
    uint32_t x = 1;
    for (uint32_t i = 0; i < MILLION; i++) {
        x = x * 1664525u + 1013904223u;
        h.parent[i] = i == 0 ? LETHE_NONE : (uint32_t)((uint64_t)x * i >> 32);
    }
    lethe_tree_free(huge_tree(&h, MILLION));
    huge_free(&h);
}

static void a_cycle_of_a_million_is_refused(void **state)
{
    (void)state;
    huge h = huge_new(MILLION);
    lethe_tree *t = NULL;
    said s = {0};
    lethe_diag *d = lethe_diag_new(hear, &s);
    for (uint32_t i = 0; i < MILLION; i++)
        h.parent[i] = (i + 1) % MILLION;
    assert_int_equal(lethe_tree_from(d, MILLION, h.parent, h.name, &t), LETHE_EINPUT);
    assert_string_equal(s.text, "the edge of node 999999 closes a cycle");
    h.parent[MILLION - 1] = 1; // and one that a chain leads into, beside a root
    h.parent[0] = LETHE_NONE;
    assert_int_equal(lethe_tree_from(d, MILLION, h.parent, h.name, &t), LETHE_EINPUT);
    assert_string_equal(s.text, "the edge of node 999999 closes a cycle");
    assert_null(t);
    lethe_diag_free(d);
    huge_free(&h);
}

/* --- growing --- */

static void a_tree_grows_leaves(void **state)
{
    (void)state;
    lethe_tree *t = must_build(food), *g = NULL;
    const uint32_t inner[] = {0, lethe_tree_find(t, LETHE_LIT("meat"))};
    assert_int_equal(lethe_tree_grow(NULL, t, inner, 2, &g), LETHE_OK);
    assert_null(tree_fault(g));
    assert_shape(g, "food(=food fruit(apple orange banana) meat(=meat chicken beef) "
                    "dairy(milk butter cheese))");
    assert_int_equal(lethe_tree_scale(g), 9);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(g->parent[inner[i] + i + 1], inner[i] + i);
    lethe_tree_free(g);
    assert_int_equal(lethe_tree_grow(NULL, t, NULL, 0, &g), LETHE_OK);
    assert_null(tree_fault(g));
    assert_shape(g,
                 "food(fruit(apple orange banana) meat(chicken beef) dairy(milk butter cheese))");
    lethe_tree_free(t);
    assert_true(lethe_str_eq(lethe_tree_name(g, 1), LETHE_LIT("fruit"))); // owes nothing to t
    lethe_tree_free(g);
}

static void grown_names_make_way(void **state)
{
    (void)state;
    // =a is taken by an inner node, which itself grows; ==r by a leaf.
    lethe_tree *t = must_build("a>r =a>a x>=a ==r>r =r>r"), *g = NULL;
    assert_shape(t, "r(a(=a(x)) ==r =r)");
    const uint32_t inner[] = {0, 1, 2};
    assert_int_equal(lethe_tree_grow(NULL, t, inner, 3, &g), LETHE_OK);
    assert_null(tree_fault(g));
    assert_shape(g, "r(===r a(==a =a(===a x)) ==r =r)");
    lethe_tree_free(g);
    lethe_tree_free(t);
}

/* --- lack of memory --- */

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    lethe_tree *whole = must_build(food);
    const uint32_t inner[] = {0, 1}, parent[] = {LETHE_NONE, 0, 0, 1};
    const lethe_str names[] = {LETHE_LIT("a"), LETHE_LIT("b"), LETHE_LIT("c"), LETHE_LIT("d")};
    for (int what = 0; what < 4; what++) {
        uint64_t n = 1;
        for (lethe_err e = LETHE_ENOMEM; e != LETHE_OK && e != LETHE_EINPUT; n++) {
            lethe_tree *t = NULL;
            lethe_alloc_fail_at(n);
            e = what == 0   ? build(NULL, food, &t)
                : what == 1 ? lethe_tree_from(NULL, 4, parent, names, &t)
                : what == 2 ? lethe_tree_grow(NULL, whole, inner, 2, &t)
                            : build(NULL, "a>b b>a", &t); // the look for what is wrong
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_ENOMEM || e == (what == 3 ? LETHE_EINPUT : LETHE_OK));
            assert_true((e == LETHE_OK) == (t != NULL));
            lethe_tree_free(t);
        }
        assert_true(n > 5);
    }
    lethe_tree_free(whole);
}

/* The lines of all nodes in the order of names, by Python's hashlib; the order of siblings does not
 * matter, a leaf or another parent does. */
static void a_digest_is_of_the_whole_tree(void **state)
{
    (void)state;
    static const char *const other[] = {"a>b c>b d>c", "a>b c>b d>c e>b", "a>b c>b d>c f>c",
                                        "a>b c>b d>c e>c f>c"};
    char first[LETHE_TREE_DIGEST], second[LETHE_TREE_DIGEST];
    lethe_tree *t = must_build("a>b c>b d>c e>c");
    assert_int_equal(lethe_tree_digest(NULL, t, first), LETHE_OK);
    lethe_tree_free(t);
    assert_string_equal(first, "abbd7f0043268690e733cd8bf7217dafe1281842d8b9d3fb0eac74b18bdfa4d7");
    t = must_build("e>c c>b d>c a>b");
    assert_int_equal(lethe_tree_digest(NULL, t, second), LETHE_OK);
    lethe_tree_free(t);
    assert_string_equal(first, second);
    for (size_t i = 0; i < LETHE_COUNT(other); i++) {
        t = must_build(other[i]);
        assert_int_equal(lethe_tree_digest(NULL, t, second), LETHE_OK);
        lethe_tree_free(t);
        assert_string_not_equal(first, second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_answers),
        cmocka_unit_test(a_digest_is_of_the_whole_tree),
        cmocka_unit_test(siblings_stand_in_the_order_of_their_edges),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(a_failed_builder_stays_failed),
        cmocka_unit_test(numbers_that_make_no_tree_are_refused),
        cmocka_unit_test(numbers_make_a_tree),
        cmocka_unit_test(a_chain_of_a_million),
        cmocka_unit_test(a_star_of_a_million),
        cmocka_unit_test(deep_and_wide_trees_of_a_million),
        cmocka_unit_test(a_cycle_of_a_million_is_refused),
        cmocka_unit_test(a_tree_grows_leaves),
        cmocka_unit_test(grown_names_make_way),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
