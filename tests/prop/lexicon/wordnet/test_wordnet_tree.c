/* SPDX-License-Identifier: Apache-2.0 */
/* Trees and directories against the definitions taken by their word: on the whole dictionary, on
 * parts of it, and on made-up ones. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "wordnet_oracle.h"
#include "seeds.h"

static uint64_t mix(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(mix(seed) % n); }

/* --- the tree, plainly --- */

/* A word or a synset, and what hangs below it. */
typedef struct plain_node {
    bool word;
    size_t number;
    struct plain_node **child;
    size_t n, cap;
} plain_node;

static void hang(plain_node *parent, plain_node *child)
{
    if (parent->n == parent->cap) {
        parent->cap = 2 * parent->cap + 1;
        parent->child = realloc(parent->child, parent->cap * sizeof *parent->child);
    }
    parent->child[parent->n++] = child;
}

static int cmp_siblings(const void *a, const void *b)
{
    const plain_node *x = *(plain_node *const *)a, *y = *(plain_node *const *)b;
    if (x->word != y->word) return x->word ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Leaves out synsets that nothing stands below; NULL: nothing is left. */
static plain_node *prune(plain_node *v)
{
    size_t kept = 0;
    if (v->word) return v;
    for (size_t i = 0; i < v->n; i++) {
        plain_node *child = prune(v->child[i]);
        if (child) v->child[kept++] = child;
    }
    v->n = kept;
    return kept ? v : NULL;
}

/* A node with one child is merged with it, under the child's name. */
static plain_node *contract(plain_node *v)
{
    for (size_t i = 0; i < v->n; i++)
        v->child[i] = contract(v->child[i]);
    if (!v->word && v->n == 1) return v->child[0];
    if (v->n) qsort(v->child, v->n, sizeof *v->child, cmp_siblings);
    return v;
}

typedef struct plain_tree {
    plain_node *words, *synsets; /* all that there could be */
    size_t n_words, n_synsets;
    plain_node *root;
} plain_tree;

static bool is_merged(const oracle *o, size_t noun)
{
    long sense = o->noun[noun].sense[0];
    for (size_t i = 0; i < o->synset[sense].n_words; i++) {
        long other = oracle_find(o, o->synset[sense].word[i]);
        if (o->noun[other].sense[0] == sense) return other == (long)noun;
    }
    return false;
}

static plain_tree plain_new(const oracle *o, const bool *present, bool merge)
{
    plain_tree t = {.n_words = o->n_nouns, .n_synsets = o->n_synsets};
    t.words = calloc(t.n_words, sizeof *t.words);
    t.synsets = calloc(t.n_synsets, sizeof *t.synsets);
    for (size_t s = 0; s < t.n_synsets; s++) {
        t.synsets[s].number = s;
        if (o->synset[s].n_up)
            hang(&t.synsets[o->synset[s].up[0]], &t.synsets[s]);
        else
            t.root = &t.synsets[s];
    }
    for (size_t i = 0; i < t.n_words; i++) {
        t.words[i] = (plain_node){.word = true, .number = i};
        if ((!present || present[i]) && (!merge || is_merged(o, i)))
            hang(&t.synsets[o->noun[i].sense[0]], &t.words[i]);
    }
    plain_node *root = prune(t.root);
    if (root) t.root = contract(root);
    return t;
}

static void plain_free(plain_tree *t)
{
    for (size_t s = 0; s < t->n_synsets; s++)
        free(t->synsets[s].child);
    free(t->words);
    free(t->synsets);
}

/* In preorder; returns the number after the last of v's subtree. */
static uint32_t compare(const oracle *o, const plain_node *v, const lethe_tree *t, uint32_t at,
                        uint32_t level)
{
    char name[LETHE_SYNSET_NAME_MAX];
    assert_true(at < t->n);
    if (v->word)
        snprintf(name, sizeof name, "%s", o->noun[v->number].word);
    else
        oracle_name(o, (long)v->number, name, sizeof name);
    lethe_str got = lethe_tree_name(t, at);
    if (got.n != strlen(name) || memcmp(got.at, name, got.n) != 0)
        fail_msg("node %u is '%.*s', not '%s'", at, (int)got.n, got.at, name);
    assert_int_equal(t->level[at], level);
    assert_true(v->word || v->n != 1);
    uint32_t next = at + 1;
    for (size_t i = 0; i < v->n; i++) {
        assert_int_equal(t->parent[next], at);
        next = compare(o, v->child[i], t, next, level + 1);
    }
    assert_int_equal(t->end[at], next);
    return next;
}

static void check_tree(const lethe_wordnet *wn, const oracle *o, const bool *present, bool merge)
{
    uint32_t *nouns = calloc(o->n_nouns + 1, sizeof *nouns);
    size_t n = 0;
    lethe_tree *t = NULL;
    for (uint32_t i = 0; present && i < o->n_nouns; i++)
        if (present[i]) nouns[n++] = i;
    assert_int_equal(lethe_wordnet_tree(NULL, wn, present ? nouns : NULL, n, merge, &t), LETHE_OK);
    plain_tree plain = plain_new(o, present, merge);
    assert_int_equal(compare(o, plain.root, t, 0, 0), t->n);
    plain_free(&plain);
    lethe_tree_free(t);
    free(nouns);
}

/* --- the directory, plainly --- */

static const char *const file_names[] = {
    "Tops",          "act",    "animal",     "artifact",  "attribute",  "body",     "cognition",
    "communication", "event",  "feeling",    "food",      "group",      "location", "motive",
    "object",        "person", "phenomenon", "plant",     "possession", "process",  "quantity",
    "relation",      "shape",  "state",      "substance", "time"};

enum { PATH = 4096 };

static void plain_path(const oracle *o, long s, char *out)
{
    char name[LETHE_SYNSET_NAME_MAX], rest[PATH] = "", longer[PATH + LETHE_SYNSET_NAME_MAX + 1];
    unsigned file = o->synset[s].file;
    while (o->synset[s].n_up) {
        s = o->synset[s].up[0];
        if (o->synset[s].file != file) continue;
        oracle_name(o, s, name, sizeof name);
        snprintf(longer, sizeof longer, "/%s%s", name, rest);
        assert_true(strlen(longer) < PATH);
        strcpy(rest, longer);
    }
    snprintf(out, PATH + 64, "%s%s", file_names[file - 3], rest);
}

static void path_of(const lethe_directory *dir, uint32_t category, char *out)
{
    char rest[PATH + 64] = "", longer[2 * PATH];
    uint32_t level = 0;
    for (uint32_t c = category; c != LETHE_NONE; c = lethe_directory_parent(dir, c), level++) {
        lethe_str name = lethe_directory_name(dir, c);
        uint32_t up = lethe_directory_parent(dir, c);
        assert_true(up == LETHE_NONE || up < c);
        snprintf(longer, sizeof longer, "%.*s%s%s", (int)name.n, name.at, *rest ? "/" : "", rest);
        assert_true(strlen(longer) < PATH + 64);
        strcpy(rest, longer);
    }
    assert_int_equal(lethe_directory_level(dir, category), level);
    strcpy(out, rest);
}

static size_t plain_paths(const oracle *o, size_t noun, size_t max, char (*out)[PATH + 64])
{
    size_t n = 0;
    for (size_t i = 0; i < o->noun[noun].n && n < max; i++) {
        plain_path(o, o->noun[noun].sense[i], out[n]);
        size_t j = 0;
        while (strcmp(out[j], out[n]) != 0)
            j++;
        n += j == n;
    }
    return n;
}

/* `step`: every so many nouns are looked at. */
static void check_directory(const lethe_wordnet *wn, const oracle *o, size_t step)
{
    enum { MOST = 40 };
    static char want[MOST][PATH + 64], got[PATH + 64];
    static uint32_t found[MOST];
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_wordnet_directory(wn, &dir), LETHE_OK);
    for (size_t i = 0; i < o->n_nouns; i += step) {
        lethe_str word = lethe_str_of(o->noun[i].word);
        if (lethe_wordnet_reduce(wn, word) != i) continue; // it stands for another
        const size_t most[] = {MOST, 1, 2};
        for (size_t k = 0; k < LETHE_COUNT(most); k++) {
            size_t n = plain_paths(o, i, most[k], want);
            assert_int_equal(lethe_directory_find(dir, word, most[k], found), n);
            for (size_t j = 0; j < n; j++) {
                path_of(dir, found[j], got);
                assert_string_equal(got, want[j]);
            }
        }
    }
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("xqzzq"), MOST, found), 0);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT(""), MOST, found), 0);
    lethe_directory_free(dir);
}

/* --- the dictionary as installed --- */

typedef struct installed {
    lethe_ctx *ctx;
    lethe_wordnet *wn;
    oracle *plain;
} installed;

static int setup(void **state)
{
    installed *in = calloc(1, sizeof *in);
    in->ctx = new_ctx(2);
    if (lethe_wordnet_open(in->ctx, WORDNET_DIR, &in->wn) != LETHE_OK) return 1;
    in->plain = oracle_installed();
    *state = in;
    return 0;
}

static int teardown(void **state)
{
    installed *in = *state;
    lethe_wordnet_free(in->wn);
    lethe_ctx_free(in->ctx);
    oracle_free(in->plain);
    free(in);
    return 0;
}

static void the_tree_of_all_nouns(void **state)
{
    const installed *in = *state;
    lethe_tree *t = NULL;
    check_tree(in->wn, in->plain, NULL, false);
    assert_int_equal(lethe_wordnet_tree(NULL, in->wn, NULL, 0, false, &t), LETHE_OK);
    assert_int_equal(t->leaves[0], 117798);
    assert_int_equal(lethe_tree_scale(t), 117797);
    assert_int_equal(lethe_tree_find(t, LETHE_LIT("entity.n.01")), 0);
    for (uint32_t i = 0; i < 117798; i += 11) {
        uint32_t v = lethe_tree_find(t, lethe_wordnet_noun(in->wn, i));
        assert_true(v != LETHE_NONE && lethe_tree_is_leaf(t, v));
    }
    lethe_tree_free(t);
}

static void the_tree_of_merged_nouns(void **state)
{
    const installed *in = *state;
    check_tree(in->wn, in->plain, NULL, true);
}

static void trees_of_words_present(void **state)
{
    const installed *in = *state;
    uint64_t seed = 7;
    static const size_t one_in[] = {2, 50, 3000, 40000, 100000};
    bool *present = calloc(in->plain->n_nouns, sizeof *present);
    for (size_t k = 0; k < LETHE_COUNT(one_in); k++) {
        for (size_t i = 0; i < in->plain->n_nouns; i++)
            present[i] = below(&seed, one_in[k]) == 0;
        check_tree(in->wn, in->plain, present, k % 2);
    }
    free(present);
}

static void the_directory_of_all_nouns(void **state)
{
    const installed *in = *state;
    check_directory(in->wn, in->plain, 1);
}

/* A path begins with the name of a lexicographer file: noun.food gives food (docs/formats.md). */
static void paths_that_people_know(void **state)
{
    const installed *in = *state;
    static const struct {
        const char *term, *path;
    } cases[] = {
        {"apple", "food/food.n.02/produce.n.01/edible_fruit.n.01"},
        {"apples", "food/food.n.02/produce.n.01/edible_fruit.n.01"},
        {"dogs", "animal/chordate.n.01/vertebrate.n.01/mammal.n.01/placental.n.01/carnivore.n.01/"
                 "canine.n.02"},
        {"entity", "Tops"},
        {"aspirin", "artifact"}, // what stands above it is substance
    };
    lethe_directory *dir = NULL;
    uint32_t category;
    char got[PATH + 64];
    assert_int_equal(lethe_wordnet_directory(in->wn, &dir), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        assert_int_equal(lethe_directory_find(dir, lethe_str_of(cases[i].term), 1, &category), 1);
        path_of(dir, category, got);
        assert_string_equal(got, cases[i].path);
    }
    lethe_directory_free(dir);
}

/* --- made-up dictionaries --- */

enum { MAX_SYNSETS = 24, TEXT = 64 };

typedef struct invented {
    fake_synset at[MAX_SYNSETS];
    char words[MAX_SYNSETS][TEXT], up[MAX_SYNSETS][TEXT];
    size_t n;
} invented;

/* Few letters, so that words have several senses and synsets several words; the top anywhere. */
static void invent(invented *d, uint64_t *seed)
{
    size_t order[MAX_SYNSETS];
    d->n = 1 + below(seed, MAX_SYNSETS);
    for (size_t i = 0; i < d->n; i++) {
        size_t j = below(seed, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    size_t letters = 2 + below(seed, 24), files = 1 + below(seed, 3), deep = below(seed, 3);
    for (size_t i = 0; i < d->n; i++) {
        size_t s = order[i], n_words = 1 + below(seed, 3), n_up = i ? 1 + below(seed, 2) : 0;
        char *words = d->words[s], *up = d->up[s];
        *words = *up = 0;
        for (size_t k = 0; k < n_words; k++)
            words += sprintf(words, "%s%c", k ? " " : "",
                             (below(seed, 8) ? 'a' : 'A') + (char)below(seed, letters));
        for (size_t k = 0; k < n_up; k++)
            up += sprintf(up, "%s%zu", k ? " " : "",
                          order[deep ? i - 1 - below(seed, i) % deep % i : below(seed, i)]);
        d->at[s] = (fake_synset){3 + (unsigned)below(seed, files), d->words[s], d->up[s]};
    }
}

static void check_invented(lethe_ctx *ctx, const invented *d, uint64_t *seed)
{
    bool present[64];
    lethe_wordnet *wn = NULL;
    fake_files f = fake_make(d->at, d->n, "x y\n", below(seed, 2));
    assert_int_equal(fake_open(ctx, &f, &wn), LETHE_OK);
    oracle *o = oracle_new((lethe_str){f.text[0], f.n[0]}, (lethe_str){f.text[1], f.n[1]});
    assert_int_equal(lethe_wordnet_nouns(wn), o->n_nouns);
    check_tree(wn, o, NULL, false);
    check_tree(wn, o, NULL, true);
    for (size_t i = 0, share = 1 + below(seed, 6); i < o->n_nouns; i++)
        present[i] = below(seed, share) == 0;
    check_tree(wn, o, present, below(seed, 2));
    check_directory(wn, o, 1);
    oracle_free(o);
    lethe_wordnet_free(wn);
    fake_free(&f);
}

/* Set while one is looked at, so that whoever fails can be found again. */
static uint64_t seed_at_work;

static int say_seed(void **state)
{
    (void)state;
    if (seed_at_work) print_message("seed %llu\n", (unsigned long long)seed_at_work);
    return 0;
}

static void made_up_dictionaries(void **state)
{
    (void)state;
    static invented d;
    const uint64_t first = 20060301;
    lethe_ctx *ctx = new_ctx(1);
    for (uint64_t i = 0; i < seeds(3000); i++) {
        uint64_t seed = seed_at_work = first + i;
        invent(&d, &seed);
        check_invented(ctx, &d, &seed);
    }
    seed_at_work = 0;
    lethe_ctx_free(ctx);
}

/* No word at all: the top alone. */
static void a_tree_of_nothing(void **state)
{
    const installed *in = *state;
    static const uint32_t none[1];
    lethe_tree *t = NULL;
    assert_int_equal(lethe_wordnet_tree(NULL, in->wn, none, 0, false, &t), LETHE_OK);
    assert_int_equal(t->n, 1);
    assert_int_equal(lethe_tree_find(t, LETHE_LIT("entity.n.01")), 0);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_of_all_nouns),
        cmocka_unit_test(the_tree_of_merged_nouns),
        cmocka_unit_test(trees_of_words_present),
        cmocka_unit_test(a_tree_of_nothing),
        cmocka_unit_test(the_directory_of_all_nouns),
        cmocka_unit_test(paths_that_people_know),
        cmocka_unit_test_teardown(made_up_dictionaries, say_seed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
