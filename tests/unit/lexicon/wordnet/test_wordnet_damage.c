/* SPDX-License-Identifier: Apache-2.0 */
/* Dictionaries that are damaged, in every way that files get damaged. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "wordnet_oracle.h"

/* Everything that a dictionary that was taken must keep, whatever was in the files. */
static void check_whole(lethe_wordnet *wn)
{
    uint32_t n_nouns = lethe_wordnet_nouns(wn), n_synsets = lethe_wordnet_synsets(wn);
    size_t n;
    assert_true(n_nouns > 0 && n_synsets > 0);
    for (uint32_t i = 0; i < n_nouns; i++) {
        const uint32_t *senses = lethe_wordnet_senses(wn, i, &n);
        assert_true(n > 0);
        for (size_t j = 0; j < n; j++)
            assert_true(senses[j] < n_synsets);
        assert_true(lethe_wordnet_merged(wn, i) < n_nouns);
        assert_int_equal(lethe_wordnet_find(wn, lethe_wordnet_noun(wn, i)), i);
    }
    lethe_tree *t = NULL;
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_wordnet_tree(NULL, wn, NULL, 0, false, &t), LETHE_OK);
    assert_int_equal(t->leaves[0], n_nouns);
    assert_int_equal(lethe_wordnet_directory(wn, &dir), LETHE_OK);
    lethe_tree_free(t);
    lethe_directory_free(dir);
}

static lethe_err open_copy(lethe_ctx *ctx, const fake_files *f, int which, const char *text,
                           size_t n)
{
    lethe_wordnet *wn = NULL;
    fake_files other = *f;
    char *copy = malloc(n + 1); // of its own length, so that nothing behind it is read unseen
    memcpy(copy, text, n);
    other.text[which] = realloc(copy, n ? n : 1);
    other.n[which] = n;
    said = (struct said){0};
    lethe_err e = fake_open(ctx, &other, &wn);
    if (e == LETHE_OK) {
        check_whole(wn);
        lethe_wordnet_free(wn);
    } else {
        assert_int_equal(e, LETHE_EINPUT);
        assert_int_equal(said.n, 1);
        assert_true(said.line > 0);
        assert_true(*said.file);
    }
    free(other.text[which]);
    return e;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    lethe_ctx *ctx = new_ctx(1);
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\nbaum bush plant\n", true);
    for (int i = 0; i < 3; i++)
        for (size_t n = 0; n < f.n[i]; n++) {
            lethe_err e = open_copy(ctx, &f, i, f.text[i], n);
            bool whole_lines = n > 0 && f.text[i][n - 1] == '\n';
            // A list of exceptions that ends with a line cannot be told from a shorter one.
            assert_int_equal(e, i == 2 && whole_lines ? LETHE_OK : LETHE_EINPUT);
        }
    assert_int_equal(open_copy(ctx, &f, 0, f.text[0], f.n[0]), LETHE_OK);
    fake_free(&f);
    lethe_ctx_free(ctx);
}

static void any_byte_may_be_wrong(void **state)
{
    (void)state;
    static const char bytes[] = {'\0', '\n', '\r', ' ', '0', '9', 'n', 'A', '|', '@', '\xff'};
    lethe_ctx *ctx = new_ctx(1);
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\n", false);
    for (int i = 0; i < 3; i++)
        for (size_t at = 0; at < f.n[i]; at++)
            for (size_t b = 0; b < sizeof bytes; b++) {
                char was = f.text[i][at];
                f.text[i][at] = bytes[b];
                (void)open_copy(ctx, &f, i, f.text[i], f.n[i]);
                f.text[i][at] = was;
            }
    fake_free(&f);
    lethe_ctx_free(ctx);
}

/* A change of the first `from` in a file to `to`, of the same length or not. */
static lethe_err open_changed(lethe_ctx *ctx, const fake_files *f, int which, const char *from,
                              const char *to)
{
    char *at = strstr(f->text[which], from), *text = NULL;
    size_t n = 0;
    assert_non_null(at);
    FILE *out = open_memstream(&text, &n);
    fprintf(out, "%.*s%s%s", (int)(at - f->text[which]), f->text[which], to, at + strlen(from));
    fclose(out);
    lethe_err e = open_copy(ctx, f, which, text, n);
    free(text);
    return e;
}

static void damage_is_named_by_file_and_line(void **state)
{
    (void)state;
    static const struct {
        int which;
        const char *from, *to;
        uint64_t line; /* of that file, the licence having two */
        const char *says;
    } cases[] = {
        {0, "apple n", "Apple n", 3, "lower case"},
        {0, "apple n", "apple v", 3, "part of speech"},
        {0, "cider n", "aaple n", 4, "out of order"},
        {0, "cider n", "apple n", 4, "out of order"},
        {0, "cider n", "cider.n.01 n", 4, "form of a synset's name"},
        {0, "apple n 2", "apple n 3", 3, "do not agree"},
        {0, "apple n 2", "apple n 0", 3, "out of range"},
        {0, "apple n 2", "apple n 9999", 3, "out of range"},
        {0, "apple n 2", "apple n x", 3, "number"},
        {0, "apple n 2", "apple n -2", 3, "number"},
        {0, "apple n 2", "apple n 9999999", 3, "number"},
        {0, "2 @ ~ 2 0", "2 @ ~ 1 0", 3, "do not agree"},
        {0, "2 @ ~ 2 0", "2 @ ~ 2 3", 3, "do not agree"},
        {0, "2 @ ~ 2 0", "9 @ ~ 2 0", 3, "missing"},
        {0, "  \nfruit", " 00000000\nfruit", 7, "longer than its counts"},
        {0, "cider n 1 2 @ ~ 1 0 0", "cider n 1 2 @ ~ 1 0 1", 4, "that of no synset"},
        {0, "cider n 1 2 @ ~ 1 0 0", "cider n 1 2 @ ~ 1 0 x", 4, "digits"},
        {0, "cider n 1 2 @ ~ 1 0 0", "cider n 1 2 @ ~ 1 0 :", 4, "digits"},
        {0, "cider n 1 2 @ ~ 1 0 0", "cider n 1 2 @ ~ 1 0 /", 4, "digits"},
        {0, "  \nentity", "\t\nentity", 4, "malformed"},
        {0, "  \nentity", "  \r\nentity", 4, "CR"},
        {0, "  \nentity", "  \n\nentity", 5, "missing"},
        {0, "entity", "ent\001ty", 5, "printable"},
        {0, "entity", "ent\303\251ty", 5, "printable"},
        {1, "| what", "what", 3, "gloss"},
        {1, "03 n 02 thing", "02 n 02 thing", 4, "lexicographer"},
        {1, "03 n 02 thing", "29 n 02 thing", 4, "lexicographer"},
        {1, "03 n 02 thing", "xx n 02 thing", 4, "number"},
        {1, "03 n 02 thing", "03 v 02 thing", 4, "part of speech"},
        {1, "03 n 02 thing", "03 n 03 thing", 4, ""},
        {1, "03 n 02 thing", "03 n 00 thing", 4, "no word"},
        {1, "03 n 02 thing", "03 n 2 thing", 4, "number"},
        {1, "thing 0", "thong 0", 4, "not in the index"},
        {1, "thing 0", "thing g", 4, "number"},
        {1, "object 0 001", "object 0 002", 4, ""},
        {1, "object 0 001", "object 0 000", 4, "gloss"},
        {1, "cider 0 002 @", "cider 0 002 #", 10, NULL}, // another pointer: fine, but for the top
        {1, "n 0000 @ ", "v 0000 @ ", 9, "not a noun"},
        {1, "n 0000 @ ", "n 00g0 @ ", 9, "number"},
        {1, "  \n", " x\n", 1, NULL}, // in the licence
        {1, "means  \n", "means  \r\n", 3, "CR"},
        {1, "means  \n", "means \r\n", 3, "CR"},
        {1, "means  \n", "means   \n", 4, "not that of the line"},
        {1, "means  \n", "means  \n  more of a licence\n", 4, ""},
        {2, "apfel apple", "apfel", 1, "missing"},
        {2, "apfel apple", "apfel  apple", 1, "missing"},
        {2, "apfel apple", "apfel apple ", 1, "space"},
        {2, "apfel apple", "Apfel apple", 1, "lower case"},
        {2, "apfel apple", "apfel apple\r", 1, "CR"},
        {2, "apfel apple", "\napfel apple", 1, "missing"},
    };
    lethe_ctx *ctx = new_ctx(2);
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\n", true);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_err e = open_changed(ctx, &f, cases[i].which, cases[i].from, cases[i].to);
        if (!cases[i].says) {
            assert_int_equal(e, LETHE_OK);
            continue;
        }
        if (e != LETHE_EINPUT) fail_msg("'%s' is taken", cases[i].to);
        if (strcmp(said.file, fake_names[cases[i].which]) != 0 || said.line != cases[i].line ||
            !strstr(said.text, cases[i].says))
            fail_msg("'%s': %s:%llu: %s", cases[i].to, said.file, (unsigned long long)said.line,
                     said.text);
    }
    fake_free(&f);
    lethe_ctx_free(ctx);
}

/* Opens made-up synsets; *line: the line of data.noun that is named. */
static lethe_err open_synsets(lethe_ctx *ctx, const fake_synset *s, size_t n)
{
    fake_files f = fake_make(s, n, "a b\n", false);
    lethe_err e = open_copy(ctx, &f, 1, f.text[1], f.n[1]);
    fake_free(&f);
    return e;
}

static void hypernyms_lead_to_one_top(void **state)
{
    (void)state;
    static const fake_synset circle[] = {{3, "a", ""}, {3, "b", "2"}, {3, "c", "3"}, {3, "d", "1"}};
    static const fake_synset aside[] = {{3, "a", ""}, {3, "b", "0 2"}, {3, "c", "0 1"}};
    static const fake_synset self[] = {{3, "a", ""}, {3, "b", "0 1"}};
    static const fake_synset no_top[] = {{3, "a", "1"}, {3, "b", "0"}};
    static const fake_synset two_tops[] = {{3, "a", ""}, {3, "b", "0"}, {3, "c", ""}};
    static const fake_synset fine[] = {
        {3, "a", ""}, {3, "b", "0 0"}, {3, "c", "0 1"}, {4, "d", "2 1"}};
    static const fake_synset alone[] = {{28, "a", ""}};
    lethe_ctx *ctx = new_ctx(1);
    assert_int_equal(open_synsets(ctx, circle, 4), LETHE_EINPUT);
    assert_true(said.line >= 2 && said.line <= 4 && strstr(said.text, "above itself"));
    assert_int_equal(open_synsets(ctx, aside, 3), LETHE_EINPUT);
    assert_true(said.line >= 2 && strstr(said.text, "above itself"));
    assert_int_equal(open_synsets(ctx, self, 2), LETHE_EINPUT);
    assert_true(said.line == 2 && strstr(said.text, "above itself"));
    assert_int_equal(open_synsets(ctx, no_top, 2), LETHE_EINPUT);
    assert_int_equal(open_synsets(ctx, two_tops, 3), LETHE_EINPUT);
    assert_true(said.line == 3 && strstr(said.text, "second"));
    assert_int_equal(open_synsets(ctx, fine, 4), LETHE_OK);
    assert_int_equal(open_synsets(ctx, alone, 1), LETHE_OK);
    lethe_ctx_free(ctx);
}

/* The index lacks a sense, or has one that the synset does not. */
static void both_files_must_agree(void **state)
{
    (void)state;
    static const fake_synset three[] = {{3, "a b", ""}, {3, "a", "0"}, {3, "b", "0"}};
    static const fake_synset other[] = {{3, "a b", ""}, {3, "a", "0"}, {3, "a", "0"}};
    static const fake_synset fewer[] = {{3, "a b", ""}, {3, "a", "0"}, {3, "B", "0"}};
    lethe_ctx *ctx = new_ctx(1);
    fake_files f = fake_make(three, 3, "x y\n", false), g = fake_make(other, 3, "x y\n", false);
    assert_int_equal(open_copy(ctx, &f, 1, g.text[1], g.n[1]), LETHE_EINPUT);
    assert_string_equal(said.file, "index.noun");
    assert_int_equal(said.line, 2);
    assert_non_null(strstr(said.text, "does not have the word"));
    fake_free(&g);
    g = fake_make(fewer, 3, "x y\n", false); // B is b: nothing wrong
    assert_int_equal(open_copy(ctx, &f, 1, g.text[1], g.n[1]), LETHE_OK);
    fake_free(&g);
    assert_int_equal(open_changed(ctx, &f, 0, "a n 2 2 @ ~ 2 0 ", "a n 1 2 @ ~ 1 0 "),
                     LETHE_EINPUT);
    char *second = strstr(f.text[0], "\nb n 2"); // b once only
    assert_non_null(second);
    char line[64];
    snprintf(line, sizeof line, "%.*sb n 1 0 1 0 %08d\n", (int)(second + 1 - f.text[0]), f.text[0],
             0);
    assert_int_equal(open_copy(ctx, &f, 0, line, strlen(line)), LETHE_EINPUT);
    assert_string_equal(said.file, "data.noun");
    assert_int_equal(said.line, 3);
    assert_non_null(strstr(said.text, "in this sense"));
    fake_free(&f);
    lethe_ctx_free(ctx);
}

static void files_without_content_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", " ", "  ", "  \n", "  1 licence\n", "\r\n", "a"};
    lethe_ctx *ctx = new_ctx(1);
    fake_files f = fake_make(fake_small, FAKE_SMALL, "apfel apple\n", true);
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < LETHE_COUNT(texts); k++) {
            assert_int_equal(open_copy(ctx, &f, i, texts[k], strlen(texts[k])), LETHE_EINPUT);
            assert_string_equal(said.file, fake_names[i]);
        }
    // Both without a line, which do agree.
    lethe_wordnet *wn = NULL;
    assert_int_equal(
        lethe_wordnet_memory(ctx, LETHE_LIT("  1\n"), LETHE_LIT("  1\n"), LETHE_LIT("a b\n"), &wn),
        LETHE_EINPUT);
    fake_free(&f);
    lethe_ctx_free(ctx);
}

/* A word of 100 bytes is fine, one of 101 is not; nor is a line of megabytes. */
static void long_words_and_lines(void **state)
{
    (void)state;
    lethe_ctx *ctx = new_ctx(1);
    char *word = malloc(3 << 20);
    memset(word, 'a', 3 << 20);
    const size_t lengths[] = {100, 101, (3 << 20) - 1};
    for (size_t i = 0; i < LETHE_COUNT(lengths); i++) {
        char was = word[lengths[i]];
        word[lengths[i]] = 0;
        fake_synset s[] = {{3, word, ""}};
        fake_files f = fake_make(s, 1, "b c\n", false);
        lethe_wordnet *wn = NULL;
        lethe_err e = fake_open(ctx, &f, &wn);
        assert_int_equal(e, i == 0 ? LETHE_OK : LETHE_EINPUT);
        if (e == LETHE_OK) {
            char name[LETHE_SYNSET_NAME_MAX], plural[103];
            assert_int_equal(lethe_wordnet_name(wn, 0, name).n, 105);
            snprintf(plural, sizeof plural, "%ss", word);
            assert_int_equal(lethe_wordnet_reduce(wn, lethe_str_of(plural)), 0);
        }
        lethe_wordnet_free(wn);
        word[lengths[i]] = was;
        fake_free(&f);
    }
    free(word);
    lethe_ctx_free(ctx);
}

/* Words `w0000000` and so on, each a synset of its own below the first; but the word numbered `odd`
 * is `a` and its number. */
static fake_files many_words(uint32_t n, uint32_t odd)
{
    fake_files f;
    FILE *index = open_memstream(&f.text[0], &f.n[0]);
    FILE *data = open_memstream(&f.text[1], &f.n[1]);
    for (uint32_t i = 0; i < n; i++) {
        char letter = i == odd ? 'a' : 'w';
        long at = ftell(data);
        fprintf(index, "%c%07u n 1 0 1 0 %08ld  \n", letter, i, at);
        fprintf(data, "%08ld 03 n 01 %c%07u 0 %s|\n", at, letter, i,
                i ? "001 @ 00000000 n 0000 " : "000 ");
    }
    fclose(index);
    fclose(data);
    f.text[2] = strdup("x y\n");
    f.n[2] = 4;
    return f;
}

/* The files are parsed in parts: order is kept across their seams too, wherever these are. */
static void order_holds_all_over_a_large_index(void **state)
{
    (void)state;
    enum { WORDS = 20000, LINE = 30 };
    const uint32_t seam = ((256 << 10) + LINE - 1) / LINE; // the first line of the second part
    lethe_ctx *ctx = new_ctx(2);
    for (uint32_t odd = seam - 2; odd <= seam + 2; odd++) {
        fake_files f = many_words(WORDS, odd);
        assert_int_equal(open_copy(ctx, &f, 0, f.text[0], f.n[0]), LETHE_EINPUT);
        assert_string_equal(said.file, "index.noun");
        assert_int_equal(said.line, odd + 1);
        assert_non_null(strstr(said.text, "out of order"));
        fake_free(&f);
    }
    fake_files f = many_words(WORDS, 0);
    assert_int_equal(strcspn(f.text[0], "\n") + 1, LINE);
    assert_int_equal(open_copy(ctx, &f, 0, f.text[0], f.n[0]), LETHE_OK);
    fake_free(&f);
    lethe_ctx_free(ctx);
}

/* No recursion, and no walk over the whole depth for each. */
static void depth_is_no_matter(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    lethe_ctx *ctx = new_ctx(1);
    char *index = NULL, *data = NULL;
    size_t n_index, n_data;
    FILE *i = open_memstream(&index, &n_index), *d = open_memstream(&data, &n_data);
    long last = -1;
    for (int s = 0; s < DEPTH; s++) {
        long at = ftell(d);
        fprintf(i, "w%06d n 1 0 1 0 %08ld  \n", s, at);
        fprintf(d, "%08ld %02d n 01 w%06d 0 ", at, 3 + s % 26, s);
        if (last < 0)
            fprintf(d, "000 |\n");
        else
            fprintf(d, "001 @ %08ld n 0000 |\n", last);
        last = at;
    }
    fclose(i);
    fclose(d);
    lethe_wordnet *wn = NULL;
    assert_int_equal(lethe_wordnet_memory(ctx, (lethe_str){index, n_index},
                                          (lethe_str){data, n_data}, LETHE_LIT("a b\n"), &wn),
                     LETHE_OK);
    lethe_tree *t = NULL;
    assert_int_equal(lethe_wordnet_tree(NULL, wn, NULL, 0, false, &t), LETHE_OK);
    assert_int_equal(t->height, DEPTH - 1);
    lethe_tree_free(t);
    const uint32_t lowest[] = {DEPTH - 2, DEPTH - 1};
    assert_int_equal(lethe_wordnet_tree(NULL, wn, lowest, 2, false, &t), LETHE_OK);
    assert_int_equal(t->n, 3);
    lethe_tree_free(t);
    lethe_directory *dir = NULL;
    uint32_t category;
    assert_int_equal(lethe_wordnet_directory(wn, &dir), LETHE_OK);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("w099999"), 1, &category), 1);
    assert_int_equal(lethe_directory_level(dir, category), 1 + (DEPTH - 1) / 26);
    lethe_directory_free(dir);
    lethe_wordnet_free(wn);
    free(index);
    free(data);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(any_byte_may_be_wrong),
        cmocka_unit_test(damage_is_named_by_file_and_line),
        cmocka_unit_test(hypernyms_lead_to_one_top),
        cmocka_unit_test(both_files_must_agree),
        cmocka_unit_test(files_without_content_are_refused),
        cmocka_unit_test(long_words_and_lines),
        cmocka_unit_test(order_holds_all_over_a_large_index),
        cmocka_unit_test(depth_is_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
