/* SPDX-License-Identifier: Apache-2.0 */
/* The method ssg with the metrics that are not the tree's: WordNet as a network, and a file. */
#include "ssg_harness.h"
#include "lexicon/taxonomy.h"
#include <unistd.h>

static char path[] = "/tmp/lethe-ssg-metrics-XXXXXX";

/* The file at `path` has this text now. */
static void put_text(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

typedef struct nouns {
    c_records c;
    lethe_tree *t;
} nouns;

/* Records of nouns, one a line, below WordNet's tree; false: there is no dictionary here. */
static bool read_nouns(nouns *n, const char *text)
{
    lethe_ctx *ctx = c_ctx(NULL, 1);
    lethe_wordnet *wn = NULL;
    lethe_records *r = NULL, *bound = NULL;
    const char *name = path;
    bool is_there = lethe_wordnet_open(ctx, NULL, &wn) == LETHE_OK;
    if (is_there) {
        put_text(text);
        assert_int_equal(
            lethe_records_read(ctx, &name, 1, &(lethe_read_options){.strict = true}, &r), LETHE_OK);
        assert_int_equal(lethe_taxonomy_bind(ctx, "wordnet", wn, false, LETHE_NAMES_ITEMS, true, r,
                                             &bound, &n->t),
                         LETHE_OK);
        c_begin(&n->c);
        for (size_t i = 0; i < bound->n; i++)
            c_add(&n->c, bound->owner[i], bound->item + bound->start[i],
                  lethe_record_size(bound, i));
        lethe_records_free(bound);
        lethe_wordnet_free(wn);
    }
    lethe_ctx_free(ctx);
    if (!is_there) print_message("no WordNet here: skipped\n");
    return is_there;
}

static void free_nouns(nouns *n)
{
    c_free(&n->c);
    lethe_tree_free(n->t);
}

/* How many terms each of the records is published with. */
static size_t published(const nouns *n, const s_setting *how)
{
    c_run h;
    assert_int_equal(s_run_method(&h, n->t, &n->c, how), LETHE_OK);
    size_t size = h.bag[0].n;
    for (size_t i = 0; i < n->c.r.n; i++)
        assert_int_equal(h.bag[i].n, size);
    c_run_end(&h);
    return size;
}

/* car and auto are synonyms; bank and cant only in senses that are not their first, by which the
 * tree goes. */
static void the_network_has_all_senses(void **state)
{
    (void)state;
    nouns n;
    if (!read_nouns(&n, "a\tcar bank\nb\tauto cant\n")) return;
    s_setting how = {.k = 2, .min_owners = 1, .epsilon = 2, .metric = "tree"};
    assert_int_equal(published(&n, &how), 1);
    how.metric = "network";
    assert_int_equal(published(&n, &how), 2);
    how.refine = "0";
    assert_int_equal(published(&n, &how), 2);
    how.greedy = true;
    assert_int_equal(published(&n, &how), 2);
    how.epsilon = 1; // a word and its synset: no two words are that near
    c_run h;
    assert_int_equal(s_run_method(&h, n.t, &n.c, &how), LETHE_ANSWER_NO);
    assert_non_null(strstr(h.message, "nothing to publish"));
    c_run_end(&h);
    free_nouns(&n);
}

static void a_file_says_what_is_near(void **state)
{
    (void)state;
    nouns n;
    if (!read_nouns(&n, "a\tcar bank\nb\tauto cant\n")) return;
    put_text("car\tcant\t0.5\nbank\tauto\t0.25\n");
    s_setting how = {.k = 2, .min_owners = 1, .metric = path, .epsilon_text = "0.5"};
    assert_int_equal(published(&n, &how), 2);
    how.epsilon_text = "0.25";
    assert_int_equal(published(&n, &how), 1);
    how.refine = "0";
    assert_int_equal(published(&n, &how), 1);
    free_nouns(&n);
}

/* bLM, and the same groups for any number of threads. */
static double loss_of(const nouns *n, s_setting how)
{
    c_run one, other;
    how.threads = 1;
    assert_int_equal(s_run_method(&one, n->t, &n->c, &how), LETHE_OK);
    how.threads = 7;
    assert_int_equal(s_run_method(&other, n->t, &n->c, &how), LETHE_OK);
    assert_memory_equal(one.group, other.group, n->c.r.n * sizeof *one.group);
    assert_int_equal(c_int(&one, "pairs"), c_int(&other, "pairs"));
    double blm = c_real(&one, "blm");
    c_run_end(&one);
    c_run_end(&other);
    return blm;
}

/* Many small ones: with more links in reach no more is lost here, nor by refining. */
static void larger_ones_are_refined(void **state)
{
    (void)state;
    static const char *const word[] = {
        "car",  "auto",  "truck", "bus",    "bank",  "cant", "wine",   "beer",  "milk",  "juice",
        "dog",  "cat",   "wolf",  "jacket", "coat",  "shoe", "boot",   "city",  "town",  "river",
        "lake", "music", "song",  "game",   "movie", "film", "doctor", "nurse", "house", "home"};
    char text[8192];
    size_t at = 0;
    uint64_t s = 5;
    for (uint32_t i = 0; i < 90; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%u\t", c_below(&s, 60));
        for (uint32_t k = 1 + c_below(&s, 4); k > 0; k--)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s",
                                   word[c_below(&s, LETHE_COUNT(word))], k > 1 ? " " : "\n");
    }
    nouns n;
    if (!read_nouns(&n, text)) return;
    s_setting how = {.k = 3, .min_owners = 1, .epsilon = 4, .metric = "network", .refine = "0"};
    double paper = loss_of(&n, how);
    how.refine = "20";
    double refined = loss_of(&n, how);
    assert_true(refined < paper);
    how.metric = "tree"; // of which all paths are in the network
    assert_true(refined <= loss_of(&n, how));
    put_text("car\tauto\t1\ncar\ttruck\t2\nwine\tbeer\t1\ndog\twolf\t1\ncity\ttown\t1\n"
             "movie\tfilm\t0\nriver\tlake\t1.5\nhouse\thome\t0.5\n");
    how = (s_setting){.k = 3, .min_owners = 1, .metric = path, .epsilon_text = "2", .refine = "0"};
    paper = loss_of(&n, how);
    how.refine = "20";
    assert_true(loss_of(&n, how) < paper);
    free_nouns(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_network_has_all_senses),
        cmocka_unit_test(a_file_says_what_is_near),
        cmocka_unit_test(larger_ones_are_refined),
    };
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
