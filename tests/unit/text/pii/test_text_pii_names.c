/* SPDX-License-Identifier: Apache-2.0 */
/* Persons and places: what is known of words, against the definition of the score; how texts are
 * cut into tokens; examples.  tests/cli/names.sh compares the whole with a second implementation.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/pii/names_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what is known --- */

static const lethe_name_profile *known(const char *word)
{
    const lethe_name_profile *p = lethe_name_look_up(word, strlen(word));
    if (!p) fail_msg("'%s' is not known", word);
    return p;
}

static void words_are_known(void **unused)
{
    (void)unused;
    assert_true(known("john")->level[LETHE_NAME_GIVEN] > 10);
    assert_true(known("smith")->level[LETHE_NAME_SURNAME] > 10);
    assert_true(known("milwaukee")->level[LETHE_NAME_TOWN] > 5);
    assert_true(known("bread")->level[LETHE_NAME_WORD] > 5);
    assert_true(known("salt lake city")->several && known("salt")->starts && known("lake")->second);
    assert_true(known("california")->region && known("ca")->region);
    assert_null(lethe_name_look_up("qqxzzkjw", 8));
    assert_null(lethe_name_look_up("", 0));
    assert_int_equal(lethe_names_profiles[LETHE_NAME_UNKNOWN].level[LETHE_NAME_WORD], 0);
}

/* The score in bits, from counts: how often such a name occurs among 2^28 persons, against how
 * often the word occurs among 2^21 words; unknown words occur a quarter of a time. */
static double score(unsigned level, double least, unsigned word)
{
    double as_name = pow(2, level - 1.0) * least / pow(2, 28);
    double as_word = (word ? pow(2, word - 1.0) : 0.25) / pow(2, 21);
    return log2(as_name / as_word);
}

static unsigned class_of(double bits)
{
    static const double from[] = {-4, 0, 3, 6, 9, 12};
    unsigned class = 1;
    for (size_t k = 0; k < LETHE_COUNT(from); k++)
        class += bits >= from[k];
    return class;
}

/* Levels are logarithms of counts from 2^7 (128) persons and 2^10 inhabitants on. */
static void classes_follow_from_the_score(void **unused)
{
    (void)unused;
    size_t n = 0;
    bool seen[65536] = {false};
    for (size_t slot = 0; slot < (size_t)1 << LETHE_NAME_SLOT_BITS; slot++) {
        unsigned id = lethe_names_entries[slot].profile;
        if (id == 0 || seen[id]) continue;
        seen[id] = true;
        n++;
        const lethe_name_profile *p = &lethe_names_profiles[id];
        static const double least[] = {128, 128, 1024};
        for (int k = 0; k < 3; k++) {
            unsigned want =
                p->level[k] ? class_of(score(p->level[k], least[k], p->level[LETHE_NAME_WORD])) : 0;
            assert_int_equal(p->class[k], want);
        }
        unsigned w = p->level[LETHE_NAME_WORD];
        assert_int_equal(p->class[3], w == 0 ? 0 : w <= 2 ? 1 : w <= 5 ? 2 : w <= 8 ? 3 : 4);
        assert_int_equal(p->region, w == LETHE_NAME_REGION);
        bool likely = p->class[0] >= 3 || p->class[1] >= 3 || p->class[2] >= 3;
        assert_int_equal(p->candidate, p->region || likely || w == 0);
        assert_true(p->reduced < 36 && p->context < 1024);
    }
    assert_true(n > 1000);
}

/* --- tokens --- */

static void cut(const char *text, const char *want)
{
    lethe_pii_view v = {text, 0, strlen(text), LETHE_PII_EVERY};
    lethe_name_reader r;
    lethe_name_token t;
    char got[512] = "";
    lethe_name_reader_begin(&r, &v);
    while (lethe_name_reader_next(&r, &t)) {
        static const char *const kinds[] = {"", "i:", "o:", "|"};
        size_t n = strlen(got), end = t.kind == LETHE_NAME_EDGE ? t.at : t.end;
        snprintf(got + n, sizeof got - n, "%s%s%.*s%s", n ? " / " : "", kinds[t.kind],
                 (int)(end - t.at), text + t.at, t.owned ? "+" : "");
    }
    if (strcmp(got, want) != 0) fail_msg("'%s' is cut into '%s', not '%s'", text, got, want);
}

static void texts_are_cut_into_tokens(void **unused)
{
    (void)unused;
    cut("", "| / |");
    cut("john smith", "john / smith / | / |");
    cut("j. r. o'brien's dog", "i:j / i:r / o'brien+ / dog / | / |");
    cut("flights to salt lake city, ut", "flights / to / salt lake city / ut / | / |");
    cut("san-jose 95", "san-jose / o:95 / | / |");
    cut("salt lake", "salt / lake / | / |");
    cut("a@b.com john_x www.paris.com e.g. paris",
        "o:a@b.com / o:john_x / o:www.paris.com / i:e / i:g"
        " / paris / | / |");
    cut("call [phone]'s owner", "call / | / | / owner / | / |");
    cut("\xE2\x80\x9Cjohn\xE2\x80\x9D \xE6\x97\xA5\xE6\x9C\xAC zden\xC4\x9Bk\xE2\x80\x99s",
        "john / o:\xE6\x97\xA5\xE6\x9C\xAC / zden\xC4\x9Bk+ / | / |");
    cut("abcdefghijklmnopqrstuvwxyz", "o:abcdefghijklmnopqrstuvwxyz / | / |");
    cut("'s dog's", "dog+ / | / |");
}

/* --- findings --- */

typedef struct example {
    const char *text, *masked; /* NULL: it stays */
} example;

static void findings_of_examples(void **unused)
{
    (void)unused;
    static const example examples[] = {
        {"pictures of barbara kowalski", "pictures of [person]"},
        {"my name is zden\xC4\x9Bk", "my name is [person]"},
        {"dear mrs. o'connor, thank you", "dear mrs. [person], thank you"},
        {"cheap flights to milwaukee", "cheap flights to [place]"},
        {"weather in salt lake city, ut", "weather in [place]"},
        {"how to bake bread", NULL},
        {"will you mark the bill as paid in may", NULL},
        {"california driving test", NULL},
        {"johnsmith@example.com", NULL},
        {"www.paris.com", NULL},
        {"milwaukee", "[place]"},
        {"zorblega", NULL}, // unknown, and nothing beside it
        {"\"tolmegara\"", NULL},
        {"hotels in zorblega", "hotels in [place]"},
    };
    lethe_detector d = {LETHE_PII_NAMES, NULL};
    for (size_t i = 0; i < LETHE_COUNT(examples); i++) {
        const example *e = &examples[i];
        const char *want = e->masked ? e->masked : e->text;
        lethe_buf buf = {0};
        lethe_str masked;
        uint64_t found[LETHE_N_PII] = {0};
        assert_int_equal(lethe_pii_mask(&d, lethe_str_of(e->text), &buf, &masked, found), LETHE_OK);
        if (!lethe_str_eq(masked, lethe_str_of(want)))
            fail_msg("'%s' becomes '%.*s'", e->text, (int)masked.n, masked.at);
        lethe_buf_free(&buf);
    }
}

/* Persons only, places only: each as in both together, but for what the other covers. */
static void each_kind_by_itself(void **unused)
{
    (void)unused;
    static const char text[] = "barbara kowalski lives in milwaukee";
    lethe_finding f;
    lethe_detector persons = {1u << LETHE_PII_PERSON, NULL}, places = {1u << LETHE_PII_PLACE, NULL};
    assert_true(lethe_pii_next(&persons, lethe_str_of(text), 0, &f));
    assert_true(f.at == 0 && f.n == 16 && f.kind == LETHE_PII_PERSON);
    assert_false(lethe_pii_next(&persons, lethe_str_of(text), 16, &f));
    assert_true(lethe_pii_next(&places, lethe_str_of(text), 0, &f));
    assert_true(f.at == 26 && f.n == 9 && f.kind == LETHE_PII_PLACE);
}

/* A text without a space, a text of names alone: each byte is looked at a bounded number of times.
 */
static void long_texts(void **unused)
{
    (void)unused;
    enum { N = 1 << 20 };
    char *text = malloc(N);
    lethe_detector d = {LETHE_PII_EVERY, NULL};
    static const char *const pieces[] = {"john-", "john ", "new ",    "salt lake ",
                                         "j.",    "o'",    "\xC3\xA9"};
    for (size_t p = 0; p < LETHE_COUNT(pieces); p++) {
        size_t n = strlen(pieces[p]), used = N - N % n;
        lethe_buf buf = {0};
        lethe_str masked;
        uint64_t found[LETHE_N_PII] = {0};
        for (size_t k = 0; k < used; k++)
            text[k] = pieces[p][k % n];
        assert_int_equal(lethe_pii_mask(&d, (lethe_str){text, used}, &buf, &masked, found),
                         LETHE_OK);
        lethe_finding f;
        assert_false(lethe_pii_next(&d, masked, 0, &f));
        lethe_buf_free(&buf);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_known),
        cmocka_unit_test(classes_follow_from_the_score),
        cmocka_unit_test(texts_are_cut_into_tokens),
        cmocka_unit_test(findings_of_examples),
        cmocka_unit_test(each_kind_by_itself),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
