/* SPDX-License-Identifier: Apache-2.0 */
/* When two texts are one, and rows packed under a key. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "algo/text/same_words.h"
#include "core/ctx.h"
#include "model/log/log.h"
#include "small_wordnet.h"

static lethe_ctx *ctx;
static lethe_wordnet *wn;

static int begin(void **state)
{
    (void)state;
    small_wordnet();
    if (lethe_ctx_new(&(lethe_settings){.n_threads = 2}, &ctx) != LETHE_OK) return -1;
    return lethe_wordnet_open(ctx, NULL, &wn) == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_wordnet_free(wn);
    lethe_ctx_free(ctx);
    return 0;
}

static void expect_key(lethe_same_words *s, const lethe_wordnet *dictionary, const char *text,
                       const char *want)
{
    lethe_str key;
    assert_int_equal(lethe_same_words_key(s, dictionary, lethe_str_of(text), &key), LETHE_OK);
    if (!lethe_str_eq(key, lethe_str_of(want)))
        fail_msg("'%s' has key '%.*s', want '%s'", text, (int)key.n, key.at, want);
}

typedef struct pair {
    const char *text, *key;
} pair;

static void keys_are_sorted_reduced_words(void **state)
{
    (void)state;
    static const pair table[] = {
        {"car", "car"},
        {"cars", "car"},
        {"red cars", "car red"},
        {"cars red", "car red"},
        {"car red", "car red"},
        {"red, cars!", "car red"},
        {"red  car", "car red"},
        {"red-car", "red-car"}, /* one word */
        {"car car", "car car"}, /* repeated ones are kept */
        {"cars car", "car car"},
        {"geese", "goose"},
        {"mice and men", "and man mouse"},
        {"axes", "axis"}, /* the first base that is a noun: ax is none here */
        {"boxes", "box"},
        {"boxesful", "boxful"},
        {"watches", "watch"},
        {"cities", "city"},
        {"glasses", "glasses"}, /* no noun here, so it stays */
        {"b a", "a b"},
        {"a b", "a b"},
        {"ab a", "a ab"}, /* by words, not by the bytes of the whole */
        {"a-b a", "a a-b"},
        {"new york", "new york"},
        {"new_york", "new_york"},
        {"[email] login", "[email] login"},
        {"login [email]", "[email] login"},
        {"email login", "email login"},
        {"[email][email]", "[email] [email]"},
        {"c++", "c"},
        {"???", "???"}, /* no word: its own key */
        {"? ?", "? ?"},
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"#", "#"},
        {"", ""},
        {"\xC3\xA9t\xC3\xA9 cars", "car \xC3\xA9t\xC3\xA9"},
    };
    lethe_same_words s = {0};
    for (int round = 0; round < 2; round++) /* from memory the second time */
        for (size_t i = 0; i < sizeof table / sizeof *table; i++)
            expect_key(&s, wn, table[i].text, table[i].key);
    lethe_same_words_free(&s);
    lethe_same_words_free(&s); /* twice is fine */
}

/* What is remembered is what would be found, however many texts fall on one place. */
static void memory_forgets_but_does_not_mix_up(void **state)
{
    (void)state;
    lethe_same_words s = {0};
    for (int round = 0; round < 4; round++) {
        if (round == 2) { /* with as many places as there may be */
            lethe_same_words_free(&s);
            s.cap_bytes = (size_t)64 << 20;
        }
        for (int i = 0; i < 30000; i++) {
            char text[64], want[64];
            snprintf(text, sizeof text, "z%d cars boxes", i % 20000);
            snprintf(want, sizeof want, "box car z%d", i % 20000);
            expect_key(&s, wn, text, want);
        }
    }
    lethe_same_words_free(&s);
}

/* Texts and words that no place of the memory has room for. */
static void long_texts_have_keys_too(void **state)
{
    (void)state;
    enum { N = 50000 };
    char *text = malloc(N * 5 + 1), *want = malloc(N * 5 + 1);
    lethe_same_words s = {0};
    for (int i = 0; i < N; i++) {
        memcpy(text + 5 * i, i % 2 ? "mice " : "cars ", 5);
        memcpy(want + (i < N / 2 ? 4 * i : 2 * N + 6 * (i - N / 2)), i < N / 2 ? "car " : "mouse ",
               i < N / 2 ? 4 : 6);
    }
    text[5 * N] = want[5 * N - 1] = '\0';
    for (int round = 0; round < 2; round++)
        expect_key(&s, wn, text, want);
    for (size_t n = 1; n < 300; n++) { /* one word of every length about the edges */
        memset(text, 'x', n);
        strcpy(text + n, " cars");
        memcpy(want, "car ", 4);
        memset(want + 4, 'x', n);
        want[n + 4] = '\0';
        for (int round = 0; round < 2; round++)
            expect_key(&s, wn, text, want);
    }
    lethe_same_words_free(&s);
    free(text);
    free(want);
}

static void another_dictionary_is_another_memory(void **state)
{
    (void)state;
    lethe_wordnet *other = NULL;
    lethe_same_words s = {0};
    expect_key(&s, wn, "oranges", "oranges");
    if (lethe_wordnet_open(ctx, "/usr/share/wordnet", &other) != LETHE_OK) {
        print_message("skipped: WordNet is not installed\n");
        lethe_same_words_free(&s);
        return;
    }
    static const pair table[] = {
        {"oranges", "orange"},
        {"children of men", "child man of"}, /* of is no noun */
        {"cheap flights to london", "cheap flight london to"},
        {"london flights cheap to", "cheap flight london to"},
        {"women's hats", "hat women's"},
        {"shoes", "shoes"}, /* a noun of its own */
        {"news", "news"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_key(&s, other, table[i].text, table[i].key);
    expect_key(&s, wn, "oranges", "oranges"); /* and back */
    lethe_same_words_free(&s);
    lethe_wordnet_free(other);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    char text[400];
    memset(text, 'y', sizeof text);
    for (size_t i = 7; i < sizeof text; i += 8)
        text[i] = ' ';
    uint64_t n = 1;
    for (lethe_err err = LETHE_ENOMEM; err != LETHE_OK; n++) {
        lethe_same_words s = {0};
        lethe_str key = LETHE_LIT("before");
        lethe_alloc_fail_at(n);
        err = lethe_same_words_key(&s, wn, (lethe_str){text, sizeof text}, &key);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) {
            assert_int_equal(err, LETHE_ENOMEM);
            assert_true(lethe_str_eq(key, LETHE_LIT("before")));
            /* what it holds is good for another try */
            assert_int_equal(lethe_same_words_key(&s, wn, LETHE_LIT("cars"), &key), LETHE_OK);
            assert_true(lethe_str_eq(key, LETHE_LIT("car")));
        }
        lethe_same_words_free(&s);
    }
    assert_true(n > 3);
}

/* --- rows under a key --- */

static const lethe_row rows[] = {
    {7, {"1", 1}, {"1", 1}, {"a b", 3}, {"", 0}, LETHE_NO_TIME, LETHE_NO_RANK, {"", 0}},
    {0, {"1", 1}, {"1/x", 3}, {"b a", 3}, {"http://a.com", 12}, 1141171200, 3, {"phone\tde", 8}},
    {UINT64_MAX, {"", 0}, {"u", 1}, {"k", 1}, {"", 0}, 0, 0, {"\t", 1}},
    {300, {"22", 2}, {"22", 2}, {"key", 3}, {"x", 1}, -62135596800, UINT32_MAX - 1, {"", 0}},
    {300, {"2", 1}, {"22", 2}, {"keys", 4}, {"x", 1}, 253402300799, 1, {"x", 1}},
};

static void keyed_rows_come_back(void **state)
{
    (void)state;
    static const char *const keys[] = {"", "k", "key", "a b", "keys"};
    lethe_buf buf = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            lethe_row r = {0};
            lethe_str key;
            assert_int_equal(lethe_row_pack_keyed(&rows[i], lethe_str_of(keys[k]), &buf), LETHE_OK);
            lethe_str record = {(const char *)buf.at, buf.n};
            assert_int_equal(strlen(record.at),
                             strlen(keys[k])); /* the key ends it for the sorter */
            lethe_row_unpack_keyed(record, &key, &r);
            assert_true(lethe_str_eq(key, lethe_str_of(keys[k])));
            assert_true(lethe_str_eq(r.query, rows[i].query));
            assert_true(lethe_str_eq(r.owner, rows[i].owner));
            assert_true(lethe_str_eq(r.user, rows[i].user));
            assert_true(lethe_str_eq(r.url, rows[i].url));
            assert_true(lethe_str_eq(r.kept, rows[i].kept));
            assert_true(r.origin == rows[i].origin && r.time == rows[i].time &&
                        r.rank == rows[i].rank);
        }
    }
    lethe_alloc_fail_at(1);
    lethe_buf none = {0};
    assert_int_equal(lethe_row_pack_keyed(&rows[0], LETHE_LIT("k"), &none), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    lethe_buf_free(&buf);
}

static lethe_str packed(lethe_buf *buf, const char *key, const char *query, const char *owner,
                        const char *user, int64_t time)
{
    lethe_row r = {.owner = lethe_str_of(owner),
                   .user = lethe_str_of(user),
                   .query = lethe_str_of(query),
                   .url = {"", 0},
                   .time = time,
                   .rank = LETHE_NO_RANK};
    assert_int_equal(lethe_row_pack_keyed(&r, lethe_str_of(key), buf), LETHE_OK);
    return (lethe_str){(const char *)buf->at, buf->n};
}

/* By key, text, owner, user, time; the text that is the key comes first. */
static void keyed_rows_stand_by_text_and_person(void **state)
{
    (void)state;
    static const struct {
        const char *key, *query, *owner, *user;
        int64_t time;
    } order[] = {
        {"k", "k", "1", "1", 9},   {"k", "k", "2", "2", 1},      {"k", "a", "1", "1", 9},
        {"k", "a", "1", "1/x", 3}, {"k", "a", "1", "1/x", 1000}, {"k", "a", "1", "1/y", 2},
        {"k", "a", "10", "10", 1}, {"k", "a", "2", "2", 1},      {"k", "a b", "1", "1", 1},
        {"k", "ab", "1", "1", 1},  {"k l", "a", "1", "1", 1},
    };
    lethe_buf a = {0}, b = {0};
    for (size_t i = 1; i < sizeof order / sizeof *order; i++) {
        lethe_str x = packed(&a, order[i - 1].key, order[i - 1].query, order[i - 1].owner,
                             order[i - 1].user, order[i - 1].time);
        lethe_str y =
            packed(&b, order[i].key, order[i].query, order[i].owner, order[i].user, order[i].time);
        assert_true(lethe_str_cmp(x, y) < 0);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_sorted_reduced_words),
        cmocka_unit_test(memory_forgets_but_does_not_mix_up),
        cmocka_unit_test(long_texts_have_keys_too),
        cmocka_unit_test(another_dictionary_is_another_memory),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
        cmocka_unit_test(keyed_rows_come_back),
        cmocka_unit_test(keyed_rows_stand_by_text_and_person),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
