/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary as installed, read by the library and plainly; and dictionaries that are damaged.
 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "wordnet_oracle.h"
#include "core/mem.h"
#include <sys/stat.h>
#include <unistd.h>

/* --- as installed --- */

typedef struct installed {
    lethe_ctx *ctx;
    lethe_wordnet *wn;
    oracle *plain;
} installed;

static int setup(void **state)
{
    installed *in = calloc(1, sizeof *in);
    unsetenv("WNSEARCHDIR");
    in->ctx = new_ctx(2);
    if (lethe_wordnet_open(in->ctx, NULL, &in->wn) != LETHE_OK) {
        fprintf(stderr, "%s: %s\n", said.file, said.text);
        return 1;
    }
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

/* wnstats(7WN) */
static void counts_are_those_of_the_manual(void **state)
{
    const installed *in = *state;
    size_t n, senses = 0, words = 0;
    assert_int_equal(lethe_wordnet_nouns(in->wn), 117798);
    assert_int_equal(lethe_wordnet_synsets(in->wn), 82115);
    for (uint32_t i = 0; i < lethe_wordnet_nouns(in->wn); i++) {
        (void)lethe_wordnet_senses(in->wn, i, &n);
        senses += n;
    }
    for (uint32_t s = 0; s < lethe_wordnet_synsets(in->wn); s++) {
        (void)lethe_wordnet_words(in->wn, s, &n);
        words += n;
    }
    assert_int_equal(senses, 146312);
    assert_int_equal(words, 146312);
}

static void assert_str(lethe_str got, const char *want)
{
    if (got.n == strlen(want) && memcmp(got.at, want, got.n) == 0) return;
    fail_msg("got '%.*s', want '%s'", (int)got.n, got.at, want);
}

static void check_nouns(const lethe_wordnet *wn, const oracle *o)
{
    size_t n;
    assert_int_equal(lethe_wordnet_nouns(wn), o->n_nouns);
    for (uint32_t i = 0; i < o->n_nouns; i++) {
        assert_str(lethe_wordnet_noun(wn, i), o->noun[i].word);
        assert_int_equal(lethe_wordnet_find(wn, lethe_str_of(o->noun[i].word)), i);
        const uint32_t *senses = lethe_wordnet_senses(wn, i, &n);
        assert_int_equal(n, o->noun[i].n);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(senses[j], o->noun[i].sense[j]);
    }
}

static void check_synsets(const lethe_wordnet *wn, const oracle *o)
{
    size_t n;
    char got[LETHE_SYNSET_NAME_MAX], want[LETHE_SYNSET_NAME_MAX];
    assert_int_equal(lethe_wordnet_synsets(wn), o->n_synsets);
    for (uint32_t s = 0; s < o->n_synsets; s++) {
        const oracle_synset *plain = &o->synset[s];
        const uint32_t *words = lethe_wordnet_words(wn, s, &n);
        assert_int_equal(n, plain->n_words);
        for (size_t j = 0; j < n; j++)
            assert_str(lethe_wordnet_noun(wn, words[j]), plain->word[j]);
        const uint32_t *up = lethe_wordnet_hypernyms(wn, s, &n);
        assert_int_equal(n, plain->n_up);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(up[j], plain->up[j]);
        assert_int_equal(lethe_wordnet_file(wn, s), plain->file);
        oracle_name(o, (long)s, want, sizeof want);
        assert_str(lethe_wordnet_name(wn, s, got), want);
    }
}

static void everything_is_as_read_plainly(void **state)
{
    const installed *in = *state;
    check_nouns(in->wn, in->plain);
    check_synsets(in->wn, in->plain);
}

static void threads_make_no_difference(void **state)
{
    const installed *in = *state;
    static const unsigned threads[] = {1, 7};
    for (size_t i = 0; i < LETHE_COUNT(threads); i++) {
        lethe_wordnet *wn = NULL;
        lethe_ctx *ctx = new_ctx(threads[i]);
        assert_int_equal(lethe_wordnet_open(ctx, WORDNET_DIR, &wn), LETHE_OK);
        check_nouns(wn, in->plain);
        check_synsets(wn, in->plain);
        lethe_wordnet_free(wn);
        lethe_ctx_free(ctx);
    }
}

static void what_is_no_noun_is_not_found(void **state)
{
    const installed *in = *state;
    static const char *const none[] = {"",         "Apple",  "appl",   "applf",
                                       "new york", "apple ", "zzzzzz", "entity.n.01"};
    char longest[5000];
    memset(longest, 'a', sizeof longest);
    for (size_t i = 0; i < LETHE_COUNT(none); i++)
        assert_int_equal(lethe_wordnet_find(in->wn, lethe_str_of(none[i])), LETHE_NONE);
    for (size_t n = 40; n <= sizeof longest; n += n < 120 ? 1 : 400) {
        assert_int_equal(lethe_wordnet_find(in->wn, (lethe_str){longest, n}), LETHE_NONE);
        assert_int_equal(lethe_wordnet_reduce(in->wn, (lethe_str){longest, n}), LETHE_NONE);
    }
    assert_int_equal(lethe_wordnet_find(in->wn, (lethe_str){"apple\0", 6}), LETHE_NONE);
    assert_int_equal(lethe_wordnet_reduce(in->wn, (lethe_str){"\0s\xff\xfes", 5}), LETHE_NONE);
}

/* lexnames(5WN); every file is in use. */
static void files_have_their_names(void **state)
{
    const installed *in = *state;
    static const struct {
        const char *word, *file;
    } cases[] = {
        {"entity", "Tops"},
        {"abduction", "act"},
        {"aardvark", "animal"},
        {"abacus", "artifact"},
        {"ability", "attribute"},
        {"ankle", "body"},
        {"algebra", "cognition"},
        {"adjective", "communication"},
        {"avalanche", "event"},
        {"joy", "feeling"},
        {"pizza", "food"},
        {"family", "group"},
        {"paris", "location"},
        {"urge", "motive"},
        {"volcano", "object"},
        {"accountant", "person"},
        {"gravity", "phenomenon"},
        {"oak", "plant"},
        {"bank_account", "possession"},
        {"photosynthesis", "process"},
        {"kilogram", "quantity"},
        {"cylinder", "shape"},
        {"anorexia", "state"},
        {"ink", "substance"},
        {"monday", "time"},
        {"rose", "plant"},
        {"ratio", "relation"},
    };
    bool used[29] = {false};
    size_t n;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        uint32_t noun = lethe_wordnet_find(in->wn, lethe_str_of(cases[i].word));
        assert_int_not_equal(noun, LETHE_NONE);
        uint32_t synset = lethe_wordnet_senses(in->wn, noun, &n)[0];
        assert_string_equal(lethe_wordnet_file_name(lethe_wordnet_file(in->wn, synset)),
                            cases[i].file);
        used[lethe_wordnet_file(in->wn, synset)] = true;
    }
    for (unsigned file = 3; file <= 28; file++)
        assert_true(used[file]);
}

/* --- reduction --- */

static void assert_reduced(const lethe_wordnet *wn, const char *word, const char *want)
{
    uint32_t noun = lethe_wordnet_reduce(wn, lethe_str_of(word));
    if (!want && noun == LETHE_NONE) return;
    if (!want || noun == LETHE_NONE) fail_msg("'%s' is %s", word, want ? "not reduced" : "reduced");
    assert_str(lethe_wordnet_noun(wn, noun), want);
}

static void words_are_reduced_by_the_rules(void **state)
{
    const installed *in = *state;
    static const struct {
        const char *word, *want;
    } cases[] = {
        {"apple", "apple"},
        {"apples", "apple"},       // s
        {"biases", "bias"},        // ses
        {"foxes", "fox"},          // xes
        {"waltzes", "waltz"},      // zes
        {"churches", "church"},    // ches
        {"dishes", "dish"},        // shes
        {"firemen", "fireman"},    // men
        {"ponies", "pony"},        // ies
        {"axes", "ax"},            // the list's first base
        {"calcanei", "calcaneus"}, // its first is no noun
        {"geese", "goose"},
        {"mice", "mouse"},
        {"children", "child"},
        {"knives", "knife"},
        {"data", "datum"},      // the list goes before the word itself
        {"glasses", "glasses"}, // and the word itself before the rules
        {"spectacles", "spectacles"},
        {"glass", "glass"},
        {"boxesful", "boxful"},
        {"spoonsful", "spoonful"},
        {"boxful", "boxful"},
        {"beautiful", NULL},
        {"new york", "new_york"},
        {"new_york", "new_york"},
        {"t-shirts", "t-shirt"},
        {"hot dogs", "hot_dog"},
        {"governors general", "governor_general"}, // on the list
        {"lines of products", NULL},               // parts are not reduced
        {"is", NULL},                              // too short for a rule, though i is a noun
        {"xss", NULL},
        {"quickly", NULL},
        {"apples s", NULL},
        {"", NULL},
        {"s", "s"},
        {"ful", "ful"},
        {"sful", NULL},
        {"men", "man"},
        {"Apples", NULL}, // words are normalised before
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        assert_reduced(in->wn, cases[i].word, cases[i].want);
}

/* The rules, written once more, over every noun with every ending. */
static long reduce_plainly(const oracle *o, const char *word)
{
    static const char *const rules[][2] = {{"s", ""},      {"ses", "s"},   {"xes", "x"},
                                           {"zes", "z"},   {"ches", "ch"}, {"shes", "sh"},
                                           {"men", "man"}, {"ies", "y"}};
    long noun = oracle_find(o, word);
    size_t n = strlen(word);
    if (noun >= 0) return noun;
    if (n <= 2 || strcmp(word + n - 2, "ss") == 0) return -1;
    for (size_t i = 0; i < LETHE_COUNT(rules) && noun < 0; i++) {
        char form[256];
        size_t k = strlen(rules[i][0]);
        if (n < k || strcmp(word + n - k, rules[i][0]) != 0) continue;
        snprintf(form, sizeof form, "%.*s%s", (int)(n - k), word, rules[i][1]);
        noun = oracle_find(o, form);
    }
    return noun;
}

/* Each line of noun.exc gives its first base form that is a noun; those without one are left to the
 * rules. */
static void reductions_agree_with_the_exception_list(void **state)
{
    const installed *in = *state;
    size_t n, n_lines = 0, n_none = 0;
    char *text = oracle_slurp(WORDNET_DIR "/noun.exc", &n), *save, *inside;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *word = strtok_r(line, " ", &inside), *want = NULL, *base;
        while ((base = strtok_r(NULL, " ", &inside)))
            if (!want && oracle_find(in->plain, base) >= 0) want = base;
        n_lines++;
        n_none += !want;
        long noun = reduce_plainly(in->plain, word);
        if (!want && noun >= 0) want = in->plain->noun[noun].word;
        bool twice = strcmp(word, "aurar") == 0 || strcmp(word, "involucra") == 0;
        if (want || !twice) // the other line has the noun
            assert_reduced(in->wn, word, want);
    }
    free(text);
    assert_int_equal(n_lines, 2054);
    assert_int_equal(n_none, 595);
}

static void reductions_agree_with_the_rules_on_all_nouns(void **state)
{
    const installed *in = *state;
    static const char *const endings[] = {"", "s", "es", "ses", "men", "ies", "ss"};
    size_t n;
    char *text = oracle_slurp(WORDNET_DIR "/noun.exc", &n), form[256], line_start[260];
    for (size_t i = 0; i < in->plain->n_nouns; i += 3)
        for (size_t j = 0; j < LETHE_COUNT(endings); j++) {
            const char *word = in->plain->noun[i].word;
            size_t cut = strcmp(endings[j], "ies") == 0 || strcmp(endings[j], "men") == 0;
            if (cut && strcmp(endings[j], "men") == 0) cut = strlen(word) > 3 ? 3 : 0;
            snprintf(form, sizeof form, "%.*s%s", (int)(strlen(word) - cut), word, endings[j]);
            if (strlen(form) > 3 && strcmp(form + strlen(form) - 3, "ful") == 0) continue;
            uint32_t got = lethe_wordnet_reduce(in->wn, lethe_str_of(form));
            long want = reduce_plainly(in->plain, form);
            if (got == (want < 0 ? LETHE_NONE : (uint32_t)want)) continue;
            snprintf(line_start, sizeof line_start, "\n%s ", form);
            if (!strstr(text, line_start)) fail_msg("'%s' is not reduced as it should be", form);
        }
    free(text);
}

/* --- synonyms --- */

static void merged_is_the_first_word_that_means_it_first(void **state)
{
    const installed *in = *state;
    const oracle *o = in->plain;
    size_t n_same = 0;
    for (uint32_t i = 0; i < o->n_nouns; i++) {
        const oracle_synset *s = &o->synset[o->noun[i].sense[0]];
        long want = -1;
        for (size_t j = 0; j < s->n_words && want < 0; j++) {
            long noun = oracle_find(o, s->word[j]);
            if (o->noun[noun].sense[0] == o->noun[i].sense[0]) want = noun;
        }
        uint32_t merged = lethe_wordnet_merged(in->wn, i);
        assert_int_equal(merged, want);
        assert_int_equal(lethe_wordnet_merged(in->wn, merged), merged);
        n_same += merged == i;
    }
    assert_true(n_same > 50000 && n_same < 82115);
    assert_str(lethe_wordnet_noun(in->wn,
                                  lethe_wordnet_merged(
                                      in->wn, lethe_wordnet_find(in->wn, LETHE_LIT("automobile")))),
               "car");
}

/* --- where it is looked for --- */

static char *temp_dir(void)
{
    static char path[] = "/tmp/test-wordnet-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

static void write_file(const char *dir, const char *name, const char *text, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void remove_file(const char *dir, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    remove(path);
}

static void the_folder_can_be_named(void **state)
{
    (void)state;
    lethe_ctx *ctx = new_ctx(1);
    lethe_wordnet *wn = NULL;
    const char *dir = temp_dir();
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\n", true);
    for (int i = 0; i < 3; i++)
        write_file(dir, fake_names[i], f.text[i], f.n[i]);
    setenv("WNSEARCHDIR", dir, 1);
    assert_int_equal(lethe_wordnet_open(ctx, NULL, &wn), LETHE_OK);
    assert_int_equal(lethe_wordnet_synsets(wn), FAKE_SMALL);
    lethe_wordnet_free(wn);
    setenv("WNSEARCHDIR", "", 1); // as if it were not set
    assert_int_equal(lethe_wordnet_open(ctx, NULL, &wn), LETHE_OK);
    assert_int_equal(lethe_wordnet_synsets(wn), 82115);
    lethe_wordnet_free(wn);
    unsetenv("WNSEARCHDIR");
    assert_int_equal(lethe_wordnet_open(ctx, dir, &wn), LETHE_OK);
    assert_int_equal(lethe_wordnet_synsets(wn), FAKE_SMALL);
    lethe_wordnet_free(wn);
    assert_true(lethe_wordnet_installed(dir));
    for (int i = 0; i < 3; i++) {
        remove_file(dir, fake_names[i]);
        assert_false(lethe_wordnet_installed(dir));
        said = (struct said){0};
        assert_int_equal(lethe_wordnet_open(ctx, dir, &wn), LETHE_EIO);
        assert_non_null(strstr(said.text, "wordnet-base"));
        assert_non_null(strstr(said.text, fake_names[i]));
        assert_int_equal(said.n, 1);
        write_file(dir, fake_names[i], f.text[i], f.n[i]);
    }
    for (int i = 0; i < 3; i++)
        remove_file(dir, fake_names[i]);
    remove(dir);
    fake_free(&f);
    lethe_ctx_free(ctx);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    lethe_ctx *ctx = new_ctx(1);
    lethe_wordnet *wn = NULL;
    char path[256];
    const char *dir = temp_dir();
    snprintf(path, sizeof path, "%s/index.noun", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(lethe_wordnet_open(ctx, dir, &wn), LETHE_EIO);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); // nobody writes to it: must not wait
    assert_int_equal(lethe_wordnet_open(ctx, dir, &wn), LETHE_EIO);
    assert_int_equal(remove(path), 0);
    assert_int_equal(lethe_wordnet_open(ctx, "/dev/null", &wn), LETHE_EIO);
    FILE *f = fopen(path, "wb");
    assert_int_equal(ftruncate(fileno(f), 100000000), 0); // sparse
    fclose(f);
    said = (struct said){0};
    assert_int_equal(lethe_wordnet_open(ctx, dir, &wn), LETHE_EINPUT);
    assert_non_null(strstr(said.text, "too large"));
    remove_file(dir, "index.noun");
    remove(dir);
    lethe_ctx_free(ctx);
}

/* The installed files, cut: never taken, always named. */
static void the_real_dictionary_cut_is_refused(void **state)
{
    const installed *in = *state;
    static const double shares[] = {0.0001, 0.1, 0.37, 0.62, 0.9999999};
    size_t n[3];
    char *text[3], path[256];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, WORDNET_DIR "/%s", fake_names[i]);
        text[i] = oracle_slurp(path, &n[i]);
    }
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < LETHE_COUNT(shares); k++) {
            lethe_wordnet *wn = NULL;
            size_t cut[3] = {n[0], n[1], n[2]};
            cut[i] = (size_t)((double)n[i] * shares[k]);
            said = (struct said){0};
            assert_int_equal(lethe_wordnet_memory(in->ctx, (lethe_str){text[0], cut[0]},
                                                  (lethe_str){text[1], cut[1]},
                                                  (lethe_str){text[2], cut[2]}, &wn),
                             LETHE_EINPUT);
            assert_int_equal(said.n, 1);
            assert_true(said.line > 0);
        }
    for (int i = 0; i < 3; i++)
        free(text[i]);
}

/* --- memory --- */

static lethe_err all_of_it(lethe_ctx *ctx, const char *dir)
{
    lethe_wordnet *wn = NULL;
    lethe_tree *t = NULL;
    lethe_directory *d = NULL;
    const uint32_t present[] = {0, 2};
    lethe_err e = lethe_wordnet_open(ctx, dir, &wn);
    if (e == LETHE_OK) e = lethe_wordnet_tree(lethe_ctx_diag(ctx), wn, present, 2, true, &t);
    if (e == LETHE_OK) e = lethe_wordnet_directory(wn, &d);
    lethe_directory_free(d);
    lethe_tree_free(t);
    lethe_wordnet_free(wn);
    return e;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    lethe_ctx *ctx = new_ctx(1);
    const char *dir = temp_dir();
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\n", true);
    for (int i = 0; i < 3; i++)
        write_file(dir, fake_names[i], f.text[i], f.n[i]);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK) {
        lethe_alloc_fail_at(++n);
        e = all_of_it(ctx, dir);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
    }
    assert_true(n > 30);
    for (int i = 0; i < 3; i++)
        remove_file(dir, fake_names[i]);
    remove(dir);
    fake_free(&f);
    lethe_ctx_free(ctx);
}

static void work_that_is_cancelled_ends(void **state)
{
    (void)state;
    lethe_ctx *ctx = new_ctx(2);
    lethe_wordnet *wn = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_wordnet_open(ctx, WORDNET_DIR, &wn), LETHE_ECANCEL);
    assert_null(wn);
    lethe_ctx_free(ctx);
}

/* Words alone are the same words. */
static void words_alone_reduce_alike(void **state)
{
    (void)state;
    static const char *const words[] = {"geese", "cities", "dog", "dogs", "mouthsful", "red",
                                        "gas",   "men",    "ax",  "axes", "t-shirts",  ""};
    lethe_settings settings = {.n_threads = 2};
    lethe_ctx *ctx = NULL;
    lethe_wordnet *all = NULL, *alone = NULL;
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    assert_int_equal(lethe_wordnet_open(ctx, NULL, &all), LETHE_OK);
    assert_int_equal(lethe_wordnet_open_words(ctx, NULL, &alone), LETHE_OK);
    assert_int_equal(lethe_wordnet_nouns(alone), lethe_wordnet_nouns(all));
    assert_int_equal(lethe_wordnet_synsets(alone), 0);
    for (uint32_t i = 0; i < lethe_wordnet_nouns(all); i++) {
        lethe_str word = lethe_wordnet_noun(all, i);
        assert_true(lethe_str_eq(lethe_wordnet_noun(alone, i), word));
        assert_int_equal(lethe_wordnet_find(alone, word), i);
        assert_int_equal(lethe_wordnet_reduce(alone, word), lethe_wordnet_reduce(all, word));
    }
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        assert_int_equal(lethe_wordnet_reduce(alone, lethe_str_of(words[i])),
                         lethe_wordnet_reduce(all, lethe_str_of(words[i])));
    lethe_wordnet_free(all);
    lethe_wordnet_free(alone);
    lethe_ctx_free(ctx);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_alone_reduce_alike),
        cmocka_unit_test(counts_are_those_of_the_manual),
        cmocka_unit_test(everything_is_as_read_plainly),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(what_is_no_noun_is_not_found),
        cmocka_unit_test(files_have_their_names),
        cmocka_unit_test(words_are_reduced_by_the_rules),
        cmocka_unit_test(reductions_agree_with_the_exception_list),
        cmocka_unit_test(reductions_agree_with_the_rules_on_all_nouns),
        cmocka_unit_test(merged_is_the_first_word_that_means_it_first),
        cmocka_unit_test(the_folder_can_be_named),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(the_real_dictionary_cut_is_refused),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(work_that_is_cancelled_ends),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
