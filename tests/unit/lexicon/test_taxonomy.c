/* SPDX-License-Identifier: Apache-2.0 */
/* What --taxonomy names, and how items become leaves of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "wordnet_oracle.h"
#include "core/mem.h"
#include "lexicon/taxonomy.h"
#include <unistd.h>

typedef struct around {
    lethe_ctx *ctx;
    lethe_wordnet *wn;
} around;

static int setup(void **state)
{
    around *a = calloc(1, sizeof *a);
    a->ctx = new_ctx(2);
    if (lethe_wordnet_open(a->ctx, WORDNET_DIR, &a->wn) != LETHE_OK) return 1;
    *state = a;
    return 0;
}

static int teardown(void **state)
{
    around *a = *state;
    lethe_wordnet_free(a->wn);
    lethe_ctx_free(a->ctx);
    free(a);
    return 0;
}

static lethe_records *records_of(lethe_ctx *ctx, const char *text)
{
    lethe_records *r = NULL;
    assert_int_equal(lethe_records_memory(ctx, lethe_str_of(text), true, &r), LETHE_OK);
    return r;
}

/* Records as text again: names of leaves, one space between, a line each. */
static void assert_records(const lethe_records *r, const lethe_tree *t, const char *want)
{
    char *got = NULL;
    size_t n;
    FILE *out = open_memstream(&got, &n);
    for (size_t i = 0; i < r->n; i++) {
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            assert_true(lethe_tree_is_leaf(t, r->item[k]));
            lethe_str name = lethe_tree_name(t, r->item[k]);
            fprintf(out, "%s%.*s", k > r->start[i] ? " " : "", (int)name.n, name.at);
        }
        fprintf(out, "\n");
    }
    fclose(out);
    assert_string_equal(got, want);
    free(got);
}

typedef struct bound {
    lethe_records *r;
    lethe_tree *t;
} bound;

static bound bind(const around *a, const char *name, bool merge, const char *text)
{
    bound b = {0};
    assert_int_equal(lethe_taxonomy_bind(a->ctx, name, a->wn, merge, LETHE_NAMES_ITEMS, false,
                                         records_of(a->ctx, text), &b.r, &b.t),
                     LETHE_OK);
    assert_null(b.r->items);
    return b;
}

static void bound_free(bound *b)
{
    lethe_records_free(b->r);
    lethe_tree_free(b->t);
}

static void items_become_words_of_wordnet(void **state)
{
    const around *a = *state;
    bound b = bind(a, "wordnet", false, "apple automobile\nmice hot_dogs apples apple\n\ndata\n");
    assert_records(b.r, b.t, "apple automobile\nmouse hot_dog apple apple\n\ndata\n");
    assert_int_equal(b.t->leaves[0], 117798);
    assert_int_equal(b.r->counts.unknown, 0);
    bound_free(&b);
}

static void synonyms_can_be_merged(void **state)
{
    const around *a = *state;
    bound b = bind(a, "wordnet", true, "automobile car apple autos\n");
    assert_records(b.r, b.t, "car car apple car\n");
    assert_true(b.t->leaves[0] < 117798);
    assert_int_equal(lethe_tree_find(b.t, LETHE_LIT("automobile")), LETHE_NONE);
    bound_free(&b);
}

static void a_tree_of_the_words_present(void **state)
{
    const around *a = *state;
    bound b = bind(a, "wordnet:present", false, "apple pear\ncar xqzzq\npears\n");
    assert_records(b.r, b.t, "apple pear\ncar\npear\n");
    assert_int_equal(b.t->leaves[0], 3);
    assert_int_equal(b.t->n, 5); // and what apple and pear, and all three, have in common
    assert_int_equal(lethe_tree_find(b.t, LETHE_LIT("edible_fruit.n.01")),
                     b.t->parent[lethe_tree_find(b.t, LETHE_LIT("pear"))]);
    assert_int_equal(b.r->counts.unknown, 1);
    bound_free(&b);
    b = bind(a, "wordnet:present", true, "car auto\nautomobile\n");
    assert_records(b.r, b.t, "car car\ncar\n");
    assert_int_equal(b.t->n, 1);
    bound_free(&b);
    b = bind(a, "wordnet:present", false, "xqzzq\n\n"); // no word at all
    assert_records(b.r, b.t, "\n\n");
    assert_int_equal(b.t->n, 1);
    bound_free(&b);
}

/* The name of a synset is an inner node: its own leaf below it. */
static void an_item_may_be_a_synset(void **state)
{
    const around *a = *state;
    bound b = bind(a, "wordnet", false, "apple edible_fruit.n.01\n");
    assert_records(b.r, b.t, "apple =edible_fruit.n.01\n");
    assert_int_equal(b.t->leaves[0], 117799);
    bound_free(&b);
}

static void strict_input_refuses_what_is_no_word(void **state)
{
    const around *a = *state;
    lethe_records *r = NULL;
    lethe_tree *t = NULL;
    assert_int_equal(lethe_taxonomy_bind(a->ctx, "wordnet", a->wn, false, LETHE_NAMES_ITEMS, true,
                                         records_of(a->ctx, "apple\nxqzzq\n"), &r, &t),
                     LETHE_EINPUT);
    assert_null(r);
    assert_null(t);
}

static void write_temp(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void a_file_can_be_named(void **state)
{
    const around *a = *state;
    char path[] = "/tmp/test-taxonomy-XXXXXX";
    write_temp(path, "apples\tfruit\npears\tfruit\nfruit\tfood\nbread\tfood\n");
    bound b = bind(a, path, false, "apples bread\nfruit pears apple\n");
    // Its words are not WordNet's business: apples stay, apple is unknown.
    assert_records(b.r, b.t, "apples bread\n=fruit pears\n");
    assert_int_equal(b.r->counts.unknown, 1);
    bound_free(&b);
    lethe_records *r = NULL;
    lethe_tree *t = NULL;
    assert_int_equal(lethe_taxonomy_bind(a->ctx, path, NULL, false, LETHE_NAMES_ITEMS, false,
                                         records_of(a->ctx, "bread\n"), &r, &t),
                     LETHE_OK); // needs no dictionary
    lethe_records_free(r);
    lethe_tree_free(t);
    remove(path);
    assert_int_equal(lethe_taxonomy_bind(a->ctx, path, NULL, false, LETHE_NAMES_ITEMS, false,
                                         records_of(a->ctx, "bread\n"), &r, &t),
                     LETHE_EIO);
}

/* A small dictionary, or each time 150,000 names would be added. */
/* Binds with a list; names of marks, sorted, in *marks. */
static lethe_err bind_listed(const around *a, const char *name, const lethe_wordnet *wn, bool merge,
                             bool strict, const char *text, const char *items, bound *b)
{
    lethe_sensitive *list = NULL;
    *b = (bound){0};
    assert_int_equal(lethe_sensitive_memory(a->ctx, lethe_str_of(items), LETHE_NAMES_ITEMS, &list),
                     LETHE_OK);
    if (wn) assert_int_equal(lethe_sensitive_nouns(a->ctx, wn, merge, false, list), LETHE_OK);
    lethe_binding how = {.name = name,
                         .wn = wn,
                         .merge = merge,
                         .naming = LETHE_NAMES_ITEMS,
                         .strict = strict,
                         .sensitive = list};
    lethe_err e = lethe_taxonomy_bind_as(a->ctx, &how, records_of(a->ctx, text), &b->r, &b->t);
    lethe_sensitive_free(list);
    return e;
}

static void assert_marks(const lethe_records *r, const char *want)
{
    char got[256] = "";
    for (uint32_t i = 0; i < lethe_dict_count(r->marks); i++) {
        lethe_str name = lethe_dict_at(r->marks, i);
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%.*s", n ? " " : "", (int)name.n, name.at);
    }
    assert_string_equal(got, want);
}

static void listed_words_are_no_items(void **state)
{
    const around *a = *state;
    bound b, plain = bind(a, "wordnet", false, "cancer wine\n");
    assert_int_equal(bind_listed(a, "wordnet", a->wn, false, true, "cancers wine sickly\ncancer\n",
                                 "cancer\nsickly\n", &b),
                     LETHE_OK);
    assert_records(b.r, b.t, "wine\n\n");
    assert_marks(b.r, "cancer sickly");
    assert_int_equal(b.t->n, plain.t->n); // the leaf stays, and counts
    assert_int_equal(b.t->leaves[0], plain.t->leaves[0]);
    assert_true(lethe_tree_find(b.t, LETHE_LIT("cancer")) != LETHE_NONE);
    bound_free(&b);
    bound_free(&plain);
    assert_int_equal(bind_listed(a, "wordnet:present", a->wn, true, true, "auto wine\nbeer cars\n",
                                 "automobile\n", &b),
                     LETHE_OK); // all synonyms are
    assert_records(b.r, b.t, "wine\nbeer\n");
    assert_marks(b.r, "car");
    assert_int_equal(lethe_tree_find(b.t, LETHE_LIT("car")), LETHE_NONE);
    assert_int_equal(b.t->leaves[0], 2);
    bound_free(&b);
    assert_int_equal(
        bind_listed(a, "wordnet", a->wn, false, false, "wine entity.n.01\n", "entity.n.01\n", &b),
        LETHE_EINPUT);
    assert_int_equal(bind_listed(a, "wordnet", a->wn, false, true, "wine\n", "cancer\n", &b),
                     LETHE_EINPUT); // strict: no record has it
}

static void without_a_taxonomy_items_are_leaves(void **state)
{
    const around *a = *state;
    bound b;
    assert_int_equal(
        bind_listed(a, NULL, NULL, false, true, "b a hiv b\n\nall items\n", "hiv\n", &b), LETHE_OK);
    assert_records(b.r, b.t, "b a b\n\nall items\n");
    assert_marks(b.r, "hiv");
    assert_int_equal(b.t->n, 5);
    assert_int_equal(b.t->height, 1);
    assert_int_equal(lethe_tree_find(b.t, LETHE_LIT("a")), 1); // in the order of their bytes
    assert_int_equal(lethe_tree_find(b.t, LETHE_LIT("all")), 2);
    assert_int_equal(lethe_tree_find(b.t, LETHE_LIT("hiv")), LETHE_NONE);
    bound_free(&b);
    assert_int_equal(bind_listed(a, NULL, NULL, false, true, "hiv\n", "hiv\n", &b), LETHE_OK);
    assert_int_equal(b.t->n, 1); // no item at all
    bound_free(&b);
}

static void a_list_is_brought_to_nouns_as_queries_are(void **state)
{
    const around *a = *state;
    lethe_sensitive *list = NULL;
    // by the exceptions first, as of a query; an item of records that is a noun is that one
    for (int of_queries = 0; of_queries < 2; of_queries++) {
        assert_int_equal(lethe_sensitive_memory(a->ctx, LETHE_LIT("children\naxes\nsickly\n"),
                                                LETHE_NAMES_TERMS, &list),
                         LETHE_OK);
        assert_int_equal(lethe_sensitive_nouns(a->ctx, a->wn, false, of_queries, list), LETHE_OK);
        assert_true(lethe_dict_find(list->names, LETHE_LIT("child")) == 0);
        assert_true(lethe_dict_find(list->names, LETHE_LIT("sickly")) == 2);
        lethe_str axes = lethe_dict_at(list->names, 1), word = LETHE_LIT("axes");
        uint32_t noun = of_queries ? LETHE_NONE : lethe_wordnet_find(a->wn, word);
        if (noun == LETHE_NONE) noun = lethe_wordnet_reduce(a->wn, word);
        assert_true(lethe_str_eq(axes, lethe_wordnet_noun(a->wn, noun)));
        lethe_sensitive_free(list);
    }
}

static void any_allocation_may_fail(void **state)
{
    const around *a = *state;
    static const char *const taxonomies[] = {"wordnet", "wordnet:present", NULL};
    lethe_wordnet *wn = NULL;
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\n", false);
    assert_int_equal(fake_open(a->ctx, &f, &wn), LETHE_OK);
    for (size_t i = 0; i < LETHE_COUNT(taxonomies); i++) {
        lethe_err e = LETHE_ENOMEM;
        uint64_t n = 0;
        while (e != LETHE_OK) {
            lethe_records *r = NULL;
            lethe_tree *t = NULL;
            lethe_records *in = records_of(a->ctx, "apfel cider food.n.01\nplants xx\n");
            lethe_sensitive *list = NULL;
            lethe_binding how = {.name = taxonomies[i],
                                 .wn = taxonomies[i] ? wn : NULL,
                                 .merge = taxonomies[i] != NULL,
                                 .naming = LETHE_NAMES_ITEMS};
            lethe_alloc_fail_at(++n);
            e = lethe_sensitive_memory(a->ctx, LETHE_LIT("xx\ncider\n"), LETHE_NAMES_ITEMS, &list);
            if (e == LETHE_OK && how.wn) e = lethe_sensitive_nouns(a->ctx, wn, true, false, list);
            how.sensitive = list;
            if (e == LETHE_OK)
                e = lethe_taxonomy_bind_as(a->ctx, &how, in, &r, &t);
            else
                lethe_records_free(in);
            lethe_alloc_fail_at(0);
            lethe_sensitive_free(list);
            if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
            lethe_records_free(r);
            lethe_tree_free(t);
        }
        assert_true(n > 10);
    }
    lethe_wordnet_free(wn);
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_become_words_of_wordnet),
        cmocka_unit_test(synonyms_can_be_merged),
        cmocka_unit_test(a_tree_of_the_words_present),
        cmocka_unit_test(an_item_may_be_a_synset),
        cmocka_unit_test(strict_input_refuses_what_is_no_word),
        cmocka_unit_test(a_file_can_be_named),
        cmocka_unit_test(listed_words_are_no_items),
        cmocka_unit_test(without_a_taxonomy_items_are_leaves),
        cmocka_unit_test(a_list_is_brought_to_nouns_as_queries_are),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
