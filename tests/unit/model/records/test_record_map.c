/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of records: written and read, persons with several records, and maps of something else. */
#include "published_harness.h"
#include "model/records/record_map.h"
#include <stdlib.h>
#include <unistd.h>

static lethe_records *records_of(lethe_ctx *ctx, const char *text)
{
    lethe_records *r = NULL;
    assert_int_equal(lethe_records_memory(ctx, lethe_str_of(text), true, &r), LETHE_OK);
    return r;
}

/* "2 0 -": lines from 0 */
static void lines_join(const uint64_t *line, size_t n, char *out)
{
    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        if (line[i] == LETHE_NOT_PUBLISHED)
            strcat(out, i ? " -" : "-");
        else
            sprintf(out + strlen(out), "%s%d", i ? " " : "", (int)line[i]);
}

static void maps_say_who_became_what(void **state)
{
    (void)state;
    static const struct {
        const char *original, *map, *want;
        uint64_t n;
    } good[] = {
        {"a\nb\nc\n", "1\t2\n2\t1\n3\t3\n", "1 0 2", 3},
        {"a\nb\nc\n", "3\t3\n1\t2\n2\t1\n", "1 0 2", 3},
        {"a\nb\nc\n", "1\t2\r\n2\t\r\n3\t1", "1 - 0", 2},
        {"a\nb\nc\n", "1\t2\n3\t1\n", "1 - 0", 2}, // one who has no line was suppressed
        {"x\ta\ny\tb\nx\tc\n", "x\t3\ny\t1\nx\t2\n", "2 0 1", 3},
        {"x\ta\ny\tb\nx\tc\n", "y\t1\nx\t3\nx\t2\n", "2 0 1", 3},
        {"x\ta\ny\tb\nx\tc\n", "x\t\ny\t1\nx\t2\n", "- 0 1", 2},
        {"x\ta\nb\nx\tc\n", "x\t1\n2\t2\nx\t3\n", "0 1 2", 3}, // one without ID among others
        {"2\ta\nb\n", "2\t2\n2\t1\n", "1 0", 2},               // an ID that looks like a number
        {"a b\tx\n", "a b\t1\n", "0", 1},
        {"a\n", "", "-", 0},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char got[64];
        uint64_t *line = NULL;
        lethe_arena *a = lethe_arena_new();
        lethe_records *r = records_of(ctx, good[i].original);
        if (lethe_record_map_memory(ctx, lethe_str_of(good[i].map), r, good[i].n, a, &line) !=
            LETHE_OK)
            fail_msg("case %zu: %s", i, h.text);
        lines_join(line, r->n, got);
        assert_string_equal(got, good[i].want);
        lethe_records_free(r);
        lethe_arena_free(a);
    }
    lethe_ctx_free(ctx);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    static const char text[] = "x\ta\nb\nx\tc\n\nzeta 9\td\n";
    static const uint64_t lines[] = {3, 0, LETHE_NOT_PUBLISHED, 1, 2};
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_records *r = records_of(ctx, text);
    lethe_arena *a = lethe_arena_new();
    lethe_buf b = {0};
    uint64_t *line = NULL;
    for (size_t i = 0; i < r->n; i++)
        assert_int_equal(lethe_record_map_put(r, i, lines[i], &b), LETHE_OK);
    static const char want[] = "x\t4\n2\t1\nx\t\n4\t2\nzeta 9\t3\n";
    assert_int_equal(b.n, sizeof want - 1);
    assert_memory_equal(b.at, want, b.n);
    lethe_str bytes = {(char *)b.at, b.n};
    assert_int_equal(lethe_record_map_memory(ctx, bytes, r, 4, a, &line), LETHE_OK);
    assert_memory_equal(line, lines, sizeof lines);
    lethe_buf_free(&b);
    lethe_records_free(r);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

static void what_is_no_map_of_this_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *original, *map;
        uint64_t n, line;
        uint32_t column;
        const char *says;
    } bad[] = {
        {"a\nb\n", "1\t1\n2\n", 2, 2, 0, "not a line of a map: there is no tab"},
        {"a\nb\n", "1\t1\n\n", 2, 2, 0, "not a line of a map: there is no tab"},
        {"a\nb\n", "1\t1\t\n", 2, 1, 3, "not a line of a map: a second tab"},
        {"a\nb\n", "1\t1\n3\t2\n", 2, 2, 1,
         "not in the original: the map belongs to another input"},
        {"a\nb\n", "0\t1\n", 2, 1, 1, "not in the original: the map belongs to another input"},
        {"a\nb\n", "01\t1\n", 2, 1, 1, "not in the original: the map belongs to another input"},
        {"x\ta\n", "1\t1\n", 1, 1, 1, "not in the original: the map belongs to another input"},
        {"a\nb\n", "1\t1\n1\t2\n", 2, 2, 1, "more lines than it has records in the original"},
        {"a\nb\n", "1\t0\n", 2, 1, 2, "not the number of a line"},
        {"a\nb\n", "1\t-1\n", 2, 1, 2, "not the number of a line"},
        {"a\nb\n", "1\tx\n", 2, 1, 2, "not the number of a line"},
        {"a\nb\n", "1\t99999999999999999999\n", 2, 1, 2, "not the number of a line"},
        {"a\nb\n", "1\t3\n", 2, 1, 2,
         "the release has no such line: the map belongs to another release"},
        {"a\nb\n", "1\t1\n2\t1\n", 2, 2, 2, "the line already belongs to another record"},
        {"a\nb\n", "1\t1\n", 2, 0, 0,
         "the map does not match this release: 1 of 2 records have no owner"},
        {"a\nb\n", "", 2, 0, 0,
         "the map does not match this release: 2 of 2 records have no owner"},
        {"x\ta\ny\tb\nx\tc\n", "x\t1\ny\t2\n", 2, 0, 0,
         "record 3 of the original has no line, but others of its person do"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        uint64_t *line = NULL;
        lethe_arena *a = lethe_arena_new();
        lethe_records *r = records_of(ctx, bad[i].original);
        h = (heard){0};
        if (lethe_record_map_memory(ctx, lethe_str_of(bad[i].map), r, bad[i].n, a, &line) !=
            LETHE_EINPUT)
            fail_msg("case %zu is taken", i);
        assert_null(line);
        assert_string_equal(h.text, bad[i].says);
        assert_int_equal(h.n, 1);
        assert_int_equal(h.line, bad[i].line);
        assert_int_equal(h.column, bad[i].column);
        lethe_records_free(r);
        lethe_arena_free(a);
    }
    uint64_t *line = NULL;
    lethe_arena *a = lethe_arena_new();
    lethe_records *r = records_of(ctx, "a\n");
    assert_int_equal(lethe_record_map_read(ctx, "/nowhere/map", NULL, r, 1, a, &line), LETHE_EIO);
    lethe_records_free(r);
    lethe_arena_free(a);
    lethe_ctx_free(ctx);
}

/* --- of a chain --- */

/* Rows 0, 1 and 2 are in record 0, row 4 in record 1. */
static lethe_row_place some_places[] = {{0, 0}, {1, 0}, {2, 0}, {4, 1}};
static const lethe_row_places places = {some_places, LETHE_COUNT(some_places)};

static lethe_err row_map_read(lethe_ctx *ctx, const char *text, uint64_t n, lethe_row_map *out)
{
    char path[] = "/tmp/lethe-map-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    lethe_records *r = records_of(ctx, "x\ta\ny\tb\n");
    lethe_err e = lethe_row_map_read(ctx, path, NULL, r, &places, n, out);
    lethe_records_free(r);
    unlink(path);
    return e;
}

static void a_map_of_rows_finds_records_by_any_of_their_rows(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_row_map map = {0};
    assert_int_equal(row_map_read(ctx, "x\t2\t1\nx\t3\t3\nx\t\t2\ny\t1\t5\n", 3, &map), LETHE_OK);
    static const lethe_mapped_record want[] = {{0, 1}, {0, 2}, {0, LETHE_NOT_PUBLISHED}, {1, 0}};
    assert_int_equal(map.n, LETHE_COUNT(want));
    for (size_t i = 0; i < map.n; i++) {
        assert_int_equal(map.at[i].record, want[i].record);
        assert_int_equal(map.at[i].line, want[i].line);
    }
    lethe_free(map.at);
    lethe_buf b = {0};
    lethe_records *r = records_of(ctx, "x\ta\ny\tb\n");
    assert_int_equal(lethe_row_map_put(r, 0, 7, &b), LETHE_OK);
    assert_int_equal(lethe_row_map_put(r, 1, LETHE_NOT_PUBLISHED, &b), LETHE_OK);
    assert_int_equal(b.n, 11);
    assert_memory_equal(b.at, "x\t8\t1\ny\t\t2\n", 11);
    lethe_buf_free(&b);
    lethe_records_free(r);
    lethe_ctx_free(ctx);
}

static void other_maps_of_rows_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "x\t1\n",
        "x\t1\t1\t1\n",
        "x\t1\t4\n",
        "x\t1\t0\n",
        "x\t1\t\n",
        "y\t1\t1\n",
        "z\t1\t1\n",
        "x\t2\t1\n",
        "x\t0\t1\n",
        "x\t1\t9\n",
        "x\t1\t1\nx\t1\t2\n",
        "x\t\t1\n",
        "x\t1\t-1\n",
        "",
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_row_map map = {0};
        h = (heard){0};
        if (row_map_read(ctx, bad[i], 1, &map) != LETHE_EINPUT) fail_msg("case %zu", i);
        assert_int_equal(h.n, 1);
        assert_null(map.at);
    }
    lethe_ctx_free(ctx);
}

static void chosen_records_stand_as_often_as_they_are_named(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_records *r = records_of(ctx, "x\ta b\ny\t\nz\tc\n");
    static const uint32_t from[] = {2, 0, 0};
    static const uint32_t items[] = {2, 0, 1, 0, 1};
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    for (; e == LETHE_ENOMEM; n++) {
        lethe_alloc_fail_at(n + 1);
        e = lethe_records_choose(r, from, 3);
        lethe_alloc_fail_at(0);
        assert_int_equal(r->n, 3);
        if (e != LETHE_OK) assert_int_equal(r->origin[2], 2);
    }
    assert_int_equal(e, LETHE_OK);
    static const uint64_t origins[] = {2, 0, 0}, starts[] = {0, 1, 3, 5};
    assert_memory_equal(r->start, starts, sizeof starts);
    assert_memory_equal(r->origin, origins, sizeof origins);
    assert_memory_equal(r->item, items, sizeof items);
    assert_int_equal(r->owner[0], 2);
    assert_int_equal(r->owner[1], 0);
    lethe_records_free(r);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_is_said_once(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_records *r = records_of(ctx, "x\ta\nb\nx\tc\n");
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        uint64_t *line = NULL;
        lethe_arena *a = lethe_arena_new();
        h = (heard){0};
        lethe_alloc_fail_at(++n);
        e = lethe_record_map_memory(ctx, LETHE_LIT("x\t1\n2\t2\nx\t3\n"), r, 3, a, &line);
        lethe_alloc_fail_at(0);
        assert_true((e == LETHE_OK) == (line != NULL));
        assert_int_equal(h.n, e != LETHE_OK);
        lethe_arena_free(a);
    }
    assert_int_equal(e, LETHE_OK);
    lethe_records_free(r);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_say_who_became_what),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(what_is_no_map_of_this_is_refused),
        cmocka_unit_test(a_map_of_rows_finds_records_by_any_of_their_rows),
        cmocka_unit_test(other_maps_of_rows_are_refused),
        cmocka_unit_test(chosen_records_stand_as_often_as_they_are_named),
        cmocka_unit_test(lack_of_memory_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
