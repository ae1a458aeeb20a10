/* SPDX-License-Identifier: Apache-2.0 */
/* Values of each type as text, with and without nulls, offsets and slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arrow_harness.h"
#include <float.h>
#include <locale.h>
#include <math.h>

/* The text of one batch of one column, its header left out; read a few bytes at a time. */
static void column_is(arrow_place *p, const arrow_node *column, const char *want)
{
    const arrow_node batch = ROWS(column->length, column), *batches[] = {&batch};
    arrow_feed feed = {.batches = batches, .n_batches = 1};
    for (size_t cap = 1; cap < 5000; cap = cap * 7 + 1) {
        char *text;
        lethe_err e = feed_text(p, &feed, cap, &text);
        if (e != LETHE_OK) fail_msg("%s: %s", column->format, p->said);
        const char *body = strchr(text, '\n') + 1;
        assert_string_equal(body, want);
        free(text);
        assert_int_equal(feed.made, feed.released);
    }
}

static void column_fails(arrow_place *p, const arrow_node *column, const char *want)
{
    const arrow_node batch = ROWS(column->length, column), *batches[] = {&batch};
    arrow_feed feed = {.batches = batches, .n_batches = 1};
    char *text;
    assert_int_equal(feed_text(p, &feed, 100, &text), LETHE_EINPUT);
    if (!strstr(p->said, want)) fail_msg("'%s' does not say '%s'", p->said, want);
    assert_int_equal(feed.made, feed.released);
}

#define COLUMN_IS(p, kind, n, values, want)                                                        \
    do {                                                                                           \
        const arrow_node column_ = PLAIN_COLUMN(kind, "c", n, values);                             \
        column_is(p, &column_, want);                                                              \
    } while (0)

static void whole_numbers(void **state)
{
    arrow_place *p = *state;
    COLUMN_IS(p, "c", 3, ((int8_t[]){INT8_MIN, -1, INT8_MAX}), "-128\n-1\n127\n");
    COLUMN_IS(p, "C", 2, ((uint8_t[]){0, UINT8_MAX}), "0\n255\n");
    COLUMN_IS(p, "s", 2, ((int16_t[]){INT16_MIN, INT16_MAX}), "-32768\n32767\n");
    COLUMN_IS(p, "S", 2, ((uint16_t[]){7, UINT16_MAX}), "7\n65535\n");
    COLUMN_IS(p, "i", 2, ((int32_t[]){INT32_MIN, INT32_MAX}), "-2147483648\n2147483647\n");
    COLUMN_IS(p, "I", 1, ((uint32_t[]){UINT32_MAX}), "4294967295\n");
    COLUMN_IS(p, "l", 2, ((int64_t[]){INT64_MIN, INT64_MAX}),
              "-9223372036854775808\n9223372036854775807\n");
    COLUMN_IS(p, "L", 2, ((uint64_t[]){0, UINT64_MAX}), "0\n18446744073709551615\n");
}

static void floats(void **state)
{
    arrow_place *p = *state;
    COLUMN_IS(
        p, "g", 9, ((double[]){0.0, -0.0, 1.0, -3.0, 0.1, 1e15, 4294967296.5, 1e20, 123456.789}),
        "0\n0\n1\n-3\n0.1\n1000000000000000\n4294967296.5\n100000000000000000000\n123456.789\n");
    COLUMN_IS(p, "g", 7, ((double[]){1e-6, 1.5e-7, 1e21, 1.5e22, DBL_MAX, 5e-324, -2.5e-10}),
              "0.000001\n0.00000015\n1e+21\n1.5e+22\n1.7976931348623157e+308\n5e-324\n"
              "-2.5e-10\n");
    COLUMN_IS(p, "g", 3, ((double[]){NAN, INFINITY, -INFINITY}), "\"\"\ninf\n-inf\n");
    COLUMN_IS(p, "f", 5, ((float[]){0.1F, 16777216.0F, 3.4028235e38F, 1e-45F, -2.5F}),
              "0.1\n16777216\n3.4028235e+38\n1e-45\n-2.5\n");
    COLUMN_IS(p, "e", 6, ((uint16_t[]){0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x7e00}),
              "1\n-2\n65504\n5.9604645e-8\ninf\n\"\"\n");
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) COLUMN_IS(p, "g", 1, ((double[]){0.25}), "0.25\n");
    setlocale(LC_NUMERIC, "C");
}

static void decimals(void **state)
{
    arrow_place *p = *state;
    COLUMN_IS(p, "d:10,2", 4, ((uint64_t[]){1250, 0, 300, 0, (uint64_t)-1, (uint64_t)-1, 0, 0}),
              "12.5\n3\n-0.01\n0\n");
    COLUMN_IS(p, "d:38,0", 1, ((uint64_t[]){0x098a223fffffffffULL, 0x4b3b4ca85a86c47aULL}),
              "99999999999999999999999999999999999999\n");
    COLUMN_IS(p, "d:5,-3", 2, ((int64_t[]){7, 0, -12, -1}), "7000\n-12000\n");
    COLUMN_IS(p, "d:9,4,32", 2, ((int32_t[]){12345, -1}), "1.2345\n-0.0001\n");
    COLUMN_IS(p, "d:18,1,64", 1, ((int64_t[]){-15}), "-1.5\n");
    COLUMN_IS(p, "d:38,76", 1, ((uint64_t[]){1, 0}),
              "0.0000000000000000000000000000000000000000000000000000000000000000000000000001\n");
}

static void booleans_and_nulls(void **state)
{
    arrow_place *p = *state;
    const uint8_t valid[] = {0x16}, bits[] = {0x12};
    arrow_node column = PLAIN_COLUMN("b", "c", 5, bits);
    column_is(p, &column, "false\ntrue\nfalse\nfalse\ntrue\n");
    column.buffers[0] = valid;
    column.null_count = -1;
    column_is(p, &column, "\"\"\ntrue\nfalse\n\"\"\ntrue\n");
    column.offset = 1;
    column.length = 3;
    column_is(p, &column, "true\nfalse\n\"\"\n");
    const arrow_node none = {.format = "n", .name = "c", .length = 2, .null_count = 2};
    column_is(p, &none, "\"\"\n\"\"\n");
}

static void times(void **state)
{
    arrow_place *p = *state;
    COLUMN_IS(p, "tdD", 5, ((int32_t[]){0, -1, 19782, -719162, 2932896}),
              "1970-01-01\n1969-12-31\n2024-02-29\n0001-01-01\n9999-12-31\n");
    COLUMN_IS(p, "tdm", 2, ((int64_t[]){86400000, -1}), "1970-01-02\n1969-12-31\n");
    COLUMN_IS(p, "tts", 2, ((int32_t[]){0, 86399}), "00:00:00\n23:59:59\n");
    COLUMN_IS(p, "ttm", 1, ((int32_t[]){3661500}), "01:01:01.5\n");
    COLUMN_IS(p, "ttu", 1, ((int64_t[]){1}), "00:00:00.000001\n");
    COLUMN_IS(p, "ttn", 1, ((int64_t[]){3600000000000 + 120}), "01:00:00.00000012\n");
    COLUMN_IS(p, "tss:", 3, ((int64_t[]){1141214472, -1, 0}),
              "2006-03-01 12:01:12\n1969-12-31 23:59:59\n1970-01-01 00:00:00\n");
    COLUMN_IS(p, "tsm:", 2, ((int64_t[]){1141214472250, -1}),
              "2006-03-01 12:01:12.25\n1969-12-31 23:59:59.999\n");
    COLUMN_IS(p, "tsu:UTC", 1, ((int64_t[]){1}), "1970-01-01 00:00:00.000001\n");
    COLUMN_IS(p, "tsn:+02:00", 1, ((int64_t[]){0}), "1970-01-01 02:00:00\n");
    COLUMN_IS(p, "tss:-0730", 1, ((int64_t[]){0}), "1969-12-31 16:30:00\n");
    assert_int_equal(p->n_notes, 0);
    COLUMN_IS(p, "tss:Europe/Berlin", 1, ((int64_t[]){0}), "1970-01-01 00:00:00\n");
    assert_true(p->n_notes > 0);
    assert_non_null(strstr(p->said, "'c'"));
    assert_non_null(strstr(p->said, "Europe/Berlin"));
    const arrow_node out[] = {PLAIN_COLUMN("tdD", "c", 1, ((int32_t[]){-719163})),
                              PLAIN_COLUMN("tdD", "c", 1, ((int32_t[]){2932897})),
                              PLAIN_COLUMN("tss:", "c", 1, ((int64_t[]){INT64_MAX})),
                              PLAIN_COLUMN("tss:+23:00", "c", 1, ((int64_t[]){INT64_MIN})),
                              PLAIN_COLUMN("tsn:", "c", 1, ((int64_t[]){INT64_MIN})),
                              PLAIN_COLUMN("tts", "c", 1, ((int32_t[]){86400})),
                              PLAIN_COLUMN("ttm", "c", 1, ((int32_t[]){-1}))};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        if (i == 4) { // 1677 is a year like another
            column_is(p, &out[i], "1677-09-21 00:12:43.145224192\n");
            continue;
        }
        column_fails(p, &out[i], "stream:0:1:1: column 'c': a time");
    }
}

/* --- text --- */

static const char words[] = "oneTWO,th\"re\"";
static const int32_t ends[] = {0, 3, 3, 6, 13};
static const int64_t long_ends[] = {0, 3, 3, 6, 13};

static void text(void **state)
{
    arrow_place *p = *state;
    arrow_node column = TEXT_COLUMN("c", 4, ends, words);
    static const char want[] = "one\n\"\"\nTWO\n\",th\"\"re\"\"\"\n";
    column_is(p, &column, want);
    column.format = "z";
    column_is(p, &column, want);
    column.format = "U";
    column.buffers[1] = long_ends;
    column_is(p, &column, want);
    column.format = "Z";
    column_is(p, &column, want);
    column.offset = 2;
    column.length = 1;
    column_is(p, &column, "TWO\n");
    // no text at all needs no bytes, and no rows no offsets
    const int32_t zeros[] = {0, 0, 0};
    column = (arrow_node)TEXT_COLUMN("c", 2, zeros, NULL);
    column_is(p, &column, "\"\"\n\"\"\n");
    column = (arrow_node)TEXT_COLUMN("c", 0, NULL, NULL);
    column_is(p, &column, "");
    const arrow_node fixed = PLAIN_COLUMN("w:3", "c", 2, "abcdef");
    column_is(p, &fixed, "abc\ndef\n");
    const arrow_node nothing = PLAIN_COLUMN("w:0", "c", 2, NULL);
    column_is(p, &nothing, "\"\"\n\"\"\n");
}

static void text_of_any_bytes(void **state)
{
    arrow_place *p = *state;
    const int32_t at[] = {0, 2, 4, 6};
    arrow_node column = TEXT_COLUMN("c", 3, at,
                                    "\xff\xfe"
                                    "a\n"
                                    " \r");
    column_is(p, &column, "\xff\xfe\n\"a\n\"\n\" \r\"\n");
    column.format = "z";
    column_fails(p, &column, "stream:0:1:1: column 'c': binary data that is no UTF-8");
    column = (arrow_node)TEXT_COLUMN("c", 1, ((int32_t[]){0, 3}), "   ");
    column_is(p, &column, "\"   \"\n"); // a blank line would be skipped
}

/* A view: length, then the text, or its first bytes, the buffer and where it begins. */
typedef struct text_view {
    int32_t n;
    char begin[4];
    int32_t buffer, from;
} text_view;
_Static_assert(sizeof(text_view) == 16, "as the specification says");

static void views(void **state)
{
    arrow_place *p = *state;
    static const char first[] = "not here: somewhat longer", second[] = "another that is long";
    text_view view[4] = {{.n = 15, .buffer = 0, .from = 10}, {.n = 0}, {.n = 20, .buffer = 1}};
    const int64_t sizes[] = {25, 20};
    view[3].n = 12;
    memcpy((char *)&view[3] + 4, "twelve bytes", 12);
    arrow_node column = {.format = "vu",
                         .name = "c",
                         .length = 4,
                         .n_buffers = 5,
                         .buffers = {NULL, view, first, second, sizes}};
    column_is(p, &column, "somewhat longer\n\"\"\nanother that is long\ntwelve bytes\n");
    column.format = "vz";
    column.offset = 3;
    column.length = 1;
    column_is(p, &column, "twelve bytes\n");
    column.offset = 0;
    const text_view wrong[] = {{.n = -1},
                               {.n = 16, .from = 10},
                               {.n = 13, .buffer = 2},
                               {.n = 13, .buffer = -1},
                               {.n = 13, .from = -1},
                               {.n = INT32_MAX, .from = INT32_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        column.buffers[1] = &wrong[i];
        column_fails(p, &column, "stream:0:1:1: column 'c': a text reaches beyond its buffer");
    }
    const arrow_node short_ones = {.format = "vu",
                                   .name = "c",
                                   .length = 1,
                                   .n_buffers = 3,
                                   .buffers = {NULL, view + 3, NULL}};
    column_is(p, &short_ones, "twelve bytes\n");
}

static void dictionaries(void **state)
{
    arrow_place *p = *state;
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const uint8_t valid[] = {0x1d}; // of the second row there is none
    const arrow_node texts = TEXT_COLUMN("", 4, ends, words);
    for (size_t i = 0; i < 8; i++) {
        int8_t i8[] = {2, 9, 0, 0, 1};
        int16_t i16[] = {2, 9, 0, 0, 1};
        int32_t i32[] = {2, 9, 0, 0, 1};
        int64_t i64[] = {2, 9, 0, 0, 1};
        const void *of[] = {i8, i16, i32, i64};
        const arrow_node column = {.format = formats[i],
                                   .name = "c",
                                   .length = 5,
                                   .null_count = 1,
                                   .n_buffers = 2,
                                   .buffers = {valid, of[i / 2]},
                                   .dictionary = &texts};
        column_is(p, &column, "TWO\n\"\"\none\none\n\"\"\n");
    }
    const double numbers[] = {1.5, NAN};
    const arrow_node floats_of = PLAIN_COLUMN("g", "", 2, numbers);
    arrow_node column = PLAIN_COLUMN("c", "c", 3, ((int8_t[]){0, 1, 0}));
    column.dictionary = &floats_of;
    column_is(p, &column, "1.5\n\"\"\n1.5\n");
    for (int i = 0; i < 2; i++) {
        column = (arrow_node)PLAIN_COLUMN("c", "c", 1, ((int8_t[]){(int8_t)(i ? -1 : 2)}));
        column.dictionary = &floats_of;
        column_fails(p, &column, "stream:0:1:1: column 'c': an index that its dictionary does not");
    }
    column = (arrow_node)PLAIN_COLUMN("L", "c", 1, ((uint64_t[]){UINT64_MAX}));
    column.dictionary = &floats_of;
    column_fails(p, &column, "an index");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_numbers, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(floats, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(decimals, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(booleans_and_nulls, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(times, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(text, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(text_of_any_bytes, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(views, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(dictionaries, arrow_set_up, arrow_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
