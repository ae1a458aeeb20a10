/* SPDX-License-Identifier: Apache-2.0 */
/* What a node means, beside a reading of all lines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lexicon/wordnet/wordnet.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/lethe-gloss-XXXXXX";

static void file_write(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static const char *gloss_of(const char *where, const char *name)
{
    static char gloss[LETHE_GLOSS_MAX];
    return lethe_wordnet_gloss(where, lethe_str_of(name), gloss) ? gloss : NULL;
}

static void names_and_senses(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    static const char data[] = "00000000 03 n 01 a 0 000 | first of a; \"an example\"  \n"
                               "00000054 03 n 01 a 0 000 | second of a: \"an example\"  \n"
                               "00000109 03 n 01 ab 0 000 | of ab  \n";
    file_write("data.noun", data);
    file_write("index.noun", "  1 a licence  \na n 2 1 @ 2 0 00000000 00000054  \n"
                             "ab n 1 0 1 0 00000109  \nb n 1 0 1 0 99999999  \n"
                             "c n 1 7 @  \n");
    assert_string_equal(gloss_of(dir, "a.n.01"), "first of a");
    assert_string_equal(gloss_of(dir, "a.n.02"), "second of a");
    assert_string_equal(gloss_of(dir, "ab.n.01"), "of ab");
    static const char *const none[] = {"a.n.03", "a.n.00", "a.n.",    "a.n",    "a",
                                       "b.n.01", "c.n.01", "aa.n.01", "d.n.01", ".n.01",
                                       "",       "n.01",   "a.v.01",  "a.n.x"};
    for (size_t i = 0; i < LETHE_COUNT(none); i++)
        assert_null(gloss_of(dir, none[i]));
    file_write("index.noun", "");
    assert_null(gloss_of(dir, "a.n.01"));
    file_write("index.noun", "no end of the line");
    assert_null(gloss_of(dir, "a.n.01"));
    assert_null(gloss_of("/nowhere", "a.n.01"));
    char path[64];
    snprintf(path, sizeof path, "%s/data.noun", dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/index.noun", dir);
    unlink(path);
    rmdir(dir);
}

/* Every word of the index is found, and its first sense has a gloss. */
static void every_noun_is_found(void **state)
{
    char path[600], line[16384], word[300];
    size_t n = 0, found = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/index.noun", lethe_wordnet_folder(NULL));
    FILE *f = lethe_wordnet_installed(NULL) ? fopen(path, "r") : NULL;
    if (!f) {
        puts("skipped: WordNet is not installed");
        skip();
    }
    while (fgets(line, sizeof line, f)) {
        if (line[0] == ' ' || n++ % 200 > 0) continue;
        snprintf(word, sizeof word, "%.*s.n.01", (int)strcspn(line, " "), line);
        if (!gloss_of(NULL, word)) fail_msg("%s", word);
        found++;
    }
    fclose(f);
    assert_true(found > 500);
    assert_string_equal(gloss_of(NULL, "artifact.n.01"), "a man-made object taken as a whole");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_senses),
                                       cmocka_unit_test(every_noun_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
