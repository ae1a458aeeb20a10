/* SPDX-License-Identifier: Apache-2.0 */
/* data.txt: what is taken, and everything that is refused, with its place. */
/* suite: threads */
#include <unistd.h>
#include "published_harness.h"
#include "model/published/published_records.h"
#include "model/records/records.h"
#include <stdlib.h>
#include <sys/stat.h>

/* "a a|a b||": records, | after each, * before one that equals the one before. */
static void records_join(lethe_record_lines *l, char *out)
{
    lethe_str record;
    out[0] = '\0';
    while (lethe_record_lines_next(l, &record))
        sprintf(out + strlen(out), "%s%.*s|", l->same ? "*" : "", (int)record.n, record.at);
}

static void records_come_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } good[] = {
        {"a\n", "a|"},
        {"\n", "|"},
        {"\n\n", "|*|"},
        {"\na\na\na a\na b\nb\n", "|a|*a|a a|a b|b|"},
        {"a a b c c c\n", "a a b c c c|"},
        {"a\na\x01\n", "a|a\x01|"},      // LF does not count for the order
        {"BZh91AY&SY\n", "BZh91AY&SY|"}, // not taken for bzip2
        {"\xef\xbb\xbf"
         "a\n",
         "\xef\xbb\xbf"
         "a|"}, // a byte order mark is part of the item
        {"z\n\xc3\xa9\n\xe2\x82\xac\n", "z|\xc3\xa9|\xe2\x82\xac|"},
        {"a=b|c;d\n", "a=b|c;d|"},
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char out[256];
        lethe_record_lines l;
        lethe_record_lines_memory(&l, ctx, lethe_str_of(good[i].text));
        records_join(&l, out);
        assert_int_equal(lethe_record_lines_err(&l), LETHE_OK);
        assert_string_equal(out, good[i].want);
        lethe_record_lines_close(&l);
    }
    assert_int_equal(h.n, 0);
    lethe_ctx_free(ctx);
}

static void all_else_is_refused(void **state)
{
    (void)state;
#define TEXT(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1                                                                           \
    }
    static const struct {
        lethe_str text;
        uint64_t line;
        uint32_t column;
        const char *says;
    } bad[] = {
        {TEXT(""), 1, 0, "the file is empty"},
        {TEXT("a"), 1, 0, "the last line does not end in LF"},
        {TEXT("a\nb"), 2, 0, "the last line does not end in LF"},
        {TEXT("a\r\n"), 1, 2, "a CR"},
        {TEXT("a\n\r\n"), 2, 1, "a CR"},
        {TEXT("a\na\0b\n"), 2, 2, "a NUL"},
        {TEXT("id\ta\n"), 1, 3, "a tab"},
        {TEXT("a\nb\tc\n"), 2, 2, "a tab"},
        {TEXT("a\na \n"), 2, 2, "an empty item"},
        {TEXT(" a\n"), 1, 1, "an empty item"},
        {TEXT("a  b\n"), 1, 3, "an empty item"},
        {TEXT(" \n"), 1, 1, "an empty item"},
        {TEXT("a\nb a\n"), 2, 3, "an item out of order"},
        {TEXT("a ab a\n"), 1, 6, "an item out of order"},
        {TEXT("a\nb\na\n"), 3, 0, "a record out of order"},
        {TEXT("a\n\n"), 2, 0, "a record out of order"},
        {TEXT("a b\na\n"), 2, 0, "a record out of order"},
        {TEXT("a\na\xff\n"), 2, 2, "not valid utf-8"},
        {TEXT("a\xc0\xaf\n"), 1, 2, "not valid utf-8"},
        {TEXT("\xc3\xa9\xed\xa0\x80\n"), 1, 3, "not valid utf-8"},
        {TEXT("a\xc3\n"), 1, 2, "not valid utf-8"},
        {TEXT("\x1f\x8b\x08\x00\n"), 1, 2, "not valid utf-8"}, // gzip
    };
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        char out[256];
        lethe_record_lines l;
        lethe_str record;
        h = (heard){0};
        lethe_record_lines_memory(&l, ctx, bad[i].text);
        records_join(&l, out);
        assert_int_equal(lethe_record_lines_err(&l), LETHE_EINPUT);
        assert_false(lethe_record_lines_next(&l, &record)); // and stays so
        assert_int_equal(h.n, 1);
        assert_string_equal(h.text, bad[i].says);
        assert_string_equal(h.file, "data.txt");
        assert_int_equal(h.line, bad[i].line);
        assert_int_equal(h.column, bad[i].column);
        lethe_record_lines_close(&l);
        lethe_published_records *all = NULL;
        assert_int_equal(lethe_published_records_memory(ctx, bad[i].text, &all), LETHE_EINPUT);
        assert_null(all);
    }
    lethe_ctx_free(ctx);
}

/* Longer than what is read at once; and one byte more than may be. */
static void lines_have_a_greatest_length(void **state)
{
    (void)state;
    size_t n = LETHE_RECORD_MAX;
    char *text = malloc(n + 2);
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_record_lines l;
    lethe_str record;
    memset(text, 'a', n + 2);
    text[n] = '\n';
    lethe_record_lines_memory(&l, ctx, (lethe_str){text, n + 1});
    assert_true(lethe_record_lines_next(&l, &record));
    assert_int_equal(record.n, n);
    assert_false(lethe_record_lines_next(&l, &record));
    assert_int_equal(lethe_record_lines_err(&l), LETHE_OK);
    lethe_record_lines_close(&l);
    text[n] = 'a';
    text[n + 1] = '\n';
    for (size_t with_lf = 0; with_lf < 2; with_lf++) {
        lethe_record_lines_memory(&l, ctx, (lethe_str){text, n + 1 + with_lf});
        assert_false(lethe_record_lines_next(&l, &record));
        assert_int_equal(lethe_record_lines_err(&l), LETHE_EINPUT);
        assert_string_equal(h.text, "a line over 67108864 bytes");
        assert_int_equal(h.line, 1);
        lethe_record_lines_close(&l);
    }
    free(text);
    lethe_ctx_free(ctx);
}

static void a_file_is_read_where_it_stands(void **state)
{
    (void)state;
    char path[64], link[96];
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_records *r = NULL;
    int dirfd = o_folder(path);
    assert_int_equal(lethe_published_records_read(ctx, dirfd, &r), LETHE_EIO); // nothing there
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    for (int i = 100000; i < 200000; i++) // some 700 KiB
        fprintf(f, "%d\n%d\n", i, i);
    fclose(f);
    o_write(dirfd, "data.txt", text, n);
    assert_int_equal(lethe_published_records_read(ctx, dirfd, &r), LETHE_OK);
    assert_int_equal(r->n, 100000);
    assert_int_equal(r->n_records, 200000);
    assert_int_equal(r->first[99999], 199998);
    assert_true(lethe_str_eq(lethe_dict_at(r->items, r->item[99999]), LETHE_LIT("199999")));
    lethe_published_records_free(r);
    r = NULL;
    // a link, a folder and a pipe are no data file
    assert_int_equal(renameat(dirfd, "data.txt", dirfd, "real"), 0);
    snprintf(link, sizeof link, "%s/real", path);
    assert_int_equal(symlinkat(link, dirfd, "data.txt"), 0);
    assert_int_equal(lethe_published_records_read(ctx, dirfd, &r), LETHE_EIO);
    assert_int_equal(unlinkat(dirfd, "data.txt", 0), 0);
    assert_int_equal(mkdirat(dirfd, "data.txt", 0700), 0);
    assert_int_equal(lethe_published_records_read(ctx, dirfd, &r), LETHE_EINPUT);
    assert_string_equal(h.text, "'data.txt' is not a regular file");
    assert_int_equal(unlinkat(dirfd, "data.txt", AT_REMOVEDIR), 0);
    assert_int_equal(mkfifoat(dirfd, "data.txt", 0600), 0);
    assert_int_equal(lethe_published_records_read(ctx, dirfd, &r), LETHE_EINPUT);
    assert_null(r);
    unlinkat(dirfd, "data.txt", 0);
    unlinkat(dirfd, "real", 0);
    o_folder_gone(dirfd, path);
    free(text);
    lethe_ctx_free(ctx);
}

static void equal_records_are_held_once(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_records *r = NULL;
    assert_int_equal(
        lethe_published_records_memory(ctx, LETHE_LIT("\n\nb\nb c c\nb c c\nb c c\nc\n"), &r),
        LETHE_OK);
    static const uint64_t first[] = {0, 2, 3, 6, 7}, start[] = {0, 0, 1, 4, 5};
    static const uint32_t item[] = {0, 0, 1, 1, 1};
    static const size_t of[] = {0, 0, 1, 2, 2, 2, 3};
    assert_int_equal(r->n, 4);
    assert_int_equal(r->n_records, 7);
    assert_memory_equal(r->first, first, sizeof first);
    assert_memory_equal(r->start, start, sizeof start);
    assert_memory_equal(r->item, item, sizeof item);
    for (size_t i = 0; i < LETHE_COUNT(of); i++)
        assert_int_equal(lethe_published_record_of(r, i), of[i]);
    assert_int_equal(lethe_dict_count(r->items), 2);
    lethe_published_records_free(r);
    lethe_published_records_free(NULL);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_is_said_once(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_published_records *r = NULL;
        h = (heard){0};
        lethe_alloc_fail_at(++n);
        e = lethe_published_records_memory(ctx, LETHE_LIT("a b\na b\nc d e\n"), &r);
        lethe_alloc_fail_at(0);
        assert_true((e == LETHE_OK) == (r != NULL));
        assert_int_equal(h.n, e != LETHE_OK);
        lethe_published_records_free(r);
    }
    assert_int_equal(e, LETHE_OK);
    assert_true(n > 4);
    lethe_ctx_free(ctx);
}

static void a_stop_is_heard(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 1);
    lethe_published_records *r = NULL;
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_published_records_memory(ctx, LETHE_LIT("a\n"), &r), LETHE_ECANCEL);
    lethe_ctx_free(ctx);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_order),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(lines_have_a_greatest_length),
        cmocka_unit_test(a_file_is_read_where_it_stands),
        cmocka_unit_test(equal_records_are_held_once),
        cmocka_unit_test(lack_of_memory_is_said_once),
        cmocka_unit_test(a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
