/* SPDX-License-Identifier: Apache-2.0 */
/* Files of records: what is read, what is rejected and how it is said. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "records_text.h"

static const lethe_record_counts no_counts = {0};

/* Reads bytes from memory; the records as text, which the caller frees, NULL where there are none.
 */
static char *read_bytes(outcome *o, lethe_str bytes, bool strict, lethe_record_counts *counts)
{
    text t = {0};
    lethe_records *r = NULL;
    lethe_ctx *ctx = records_ctx(o, 1, 0);
    *counts = no_counts;
    o->err = lethe_records_memory(ctx, bytes, strict, &r);
    if (o->err == LETHE_OK) {
        text_put(&t, "", 0);
        records_text(&t, r, NULL);
        assert_null(records_fault(r));
        *counts = r->counts;
        assert_int_equal(counts->read, r->n + counts->rejected);
    } else {
        assert_null(r);
    }
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    return t.at;
}

typedef struct reading_case {
    lethe_str in;
    const char *want;     /* NULL: LETHE_EINPUT */
    const char *messages; /* "" where nothing is said */
} reading_case;
#define IN(s)                                                                                      \
    {                                                                                              \
        (s), sizeof(s) - 1                                                                         \
    }

static void check_case(const reading_case *c)
{
    outcome o;
    lethe_record_counts counts;
    char *got = read_bytes(&o, c->in, false, &counts);
    if (c->want) {
        assert_int_equal(o.err, LETHE_OK);
        assert_string_equal(got, c->want);
    } else {
        assert_int_equal(o.err, LETHE_EINPUT);
    }
    assert_string_equal(o.messages.at, c->messages);
    free(got);
    outcome_end(&o);
}

static void lines_become_records(void **state)
{
    (void)state;
    static const reading_case table[] = {
        {IN("a b a\n"), "0 0: a b a\n", ""},
        {IN("a b a"), "0 0: a b a\n", ""},
        {IN("a\r\nb c\r\n"), "0 0: a\n1 1: b c\n", ""},
        {IN("\n"), "0 0:\n", ""},
        {IN("\r\n"), "0 0:\n", ""},
        {IN("a\n\nb\n"), "0 0: a\n1 1:\n2 2: b\n", ""},
        {IN("\xEF\xBB\xBF"
            "a\n"),
         "0 0: a\n", ""},
        {IN("x\ta b\ny\tc\nx\t\n"), "0 0=x: a b\n1 1=y: c\n2 0=x:\n", ""},
        /* with an ID and without, side by side */
        {IN("x\ta\nb\nx\tc\nb\n"), "0 0=x: a\n1 1: b\n2 0=x: c\n3 2: b\n", ""},
        {IN("ann lee\ttea\n"), "0 0=ann lee: tea\n", ""},
        {IN("  \ttea\n"), "0 0=  : tea\n", ""},
        /* one space after the last item, as FIMI's files have it */
        {IN("1 2 3 \n4 \n"), "0 0: 1 2 3\n1 1: 4\n", ""},
        {IN("x\t1 2 \r\n"), "0 0=x: 1 2\n", ""},
        {IN("1 "), "0 0: 1\n", ""},
        /* what parts nothing stays */
        {IN("a\vb \f c_d\n"), "0 0: a\vb \f c_d\n", ""},
        {IN("\xC3\xA9t\xC3\xA9 A a\n"), "0 0: \xC3\xA9t\xC3\xA9 A a\n", ""},
        /* no bytes but valid ones, in items and IDs */
        {IN("\xE9t\xE9 b\n"), "0 0: \xEF\xBF\xBDt\xEF\xBF\xBD b\n", ""},
        {IN("i\xFF\ta\n"), "0 0=i\xEF\xBF\xBD: a\n", ""},
        {IN("a\xC3 b\n"), "0 0: a\xEF\xBF\xBD b\n", ""},
        {IN("a\xF0\x9F\n"), "0 0: a\xEF\xBF\xBD\n", ""},
        /* once repaired they may be one */
        {IN("\xFE\ta\n\xFF\tb\n"), "0 0=\xEF\xBF\xBD: a\n1 0=\xEF\xBF\xBD: b\n", ""},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++)
        check_case(&table[i]);
}

#define GOOD "a\na\na\na\na\na\na\na\na\na\n" /* ten good lines, so that one bad passes */

static void faults_are_named_by_line_and_column(void **state)
{
    (void)state;
    static const struct {
        lethe_str line;
        const char *says;
    } table[] = {
        {IN("a\0b"), "W memory:11:2 NUL byte\n"},
        {IN("i\0\tb"), "W memory:11:2 NUL byte\n"},
        {IN("i\ta\tb"), "W memory:11:4 second tab\n"},
        {IN("i\t\t"), "W memory:11:3 second tab\n"},
        {IN("\ta"), "W memory:11:1 empty ID\n"},
        {IN("\t"), "W memory:11:1 empty ID\n"},
        {IN("a  b"), "W memory:11:3 empty item\n"},
        {IN("a  "), "W memory:11:3 empty item\n"},
        {IN(" a"), "W memory:11:1 empty item\n"},
        {IN(" "), "W memory:11:1 empty item\n"},
        {IN("i\t "), "W memory:11:3 empty item\n"},
        {IN("i\t a"), "W memory:11:3 empty item\n"},
        {IN("a\rb"), "W memory:11:2 carriage return inside the line\n"},
        {IN("a\r\r"), "W memory:11:2 carriage return inside the line\n"},
        {IN("i\r\ta"), "W memory:11:2 carriage return inside the line\n"},
        /* of several the first, whatever it is */
        {IN("a\0  \r"), "W memory:11:2 NUL byte\n"},
        {IN("a  \0"), "W memory:11:3 empty item\n"},
        {IN("\t\t\0"), "W memory:11:1 empty ID\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(table); i++) {
        for (int end = 0; end < 2; end++) {
            text in = {0};
            text_put(&in, GOOD, sizeof GOOD - 1);
            text_put(&in, table[i].line.at, table[i].line.n);
            text_put(&in, "\nz\n", end ? 3 : 1);
            outcome o;
            lethe_record_counts counts;
            char *got = read_bytes(&o, (lethe_str){in.at, in.n}, false, &counts);
            assert_int_equal(o.err, LETHE_OK);
            assert_string_equal(o.messages.at, table[i].says);
            assert_int_equal(counts.read, 11 + end);
            assert_int_equal(counts.rejected, 1);
            // the line counts where it comes to origins, and leaves nothing behind
            if (end) assert_non_null(strstr(got, "11 10: z\n"));
            free(got);
            outcome_end(&o);
            free(in.at);
        }
    }
}

static void a_cr_at_the_very_end_is_inside_the_line(void **state)
{
    (void)state;
    check_case(&(reading_case){
        IN(GOOD "b\r"),
        "0 0: a\n1 1: a\n2 2: a\n3 3: a\n4 4: a\n5 5: a\n6 6: a\n7 7: a\n8 8: a\n9 9: a\n",
        "W memory:11:2 carriage return inside the line\n"});
}

static void a_rejected_line_leaves_no_item(void **state)
{
    (void)state;
    lethe_records *r = NULL;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_str in = IN(GOOD "new\tsecret other  x\nb\n");
    o.show_content = true;
    assert_int_equal(lethe_records_memory(ctx, in, false, &r), LETHE_OK);
    assert_int_equal(lethe_dict_count(r->items), 2);
    assert_null(r->owners);
    assert_int_equal(r->n_owners, 11);
    // the content goes where it is shown only if asked for
    assert_string_equal(o.messages.at, "W memory:11:18 empty item [new\tsecret other  x]\n");
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void three_of_a_kind_are_named_and_the_rest_counted(void **state)
{
    (void)state;
    text in = {0};
    for (int i = 0; i < 100; i++)
        text_add(&in, i % 20 == 1 ? "a  b\n" : i == 50 ? "x\t\ty\n" : "a\n");
    outcome o;
    lethe_record_counts counts;
    char *got = read_bytes(&o, (lethe_str){in.at, in.n}, false, &counts);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(counts.rejected, 6);
    assert_string_equal(o.messages.at, "W memory:2:3 empty item\n"
                                       "W memory:22:3 empty item\n"
                                       "W memory:42:3 empty item\n"
                                       "W memory:51:3 second tab\n"
                                       "W memory:0:0 \xE2\x80\xA6 and 2 more lines: empty item\n");
    free(got);
    outcome_end(&o);
    free(in.at);
}

static void a_tenth_may_be_rejected_and_no_more(void **state)
{
    (void)state;
    for (int n_bad = 1; n_bad <= 3; n_bad++) {
        for (int n = 9; n <= 30; n++) {
            text in = {0};
            for (int i = 0; i < n; i++)
                text_add(&in, i < n_bad ? " \n" : "a\n");
            outcome o;
            lethe_record_counts counts;
            char *got = read_bytes(&o, (lethe_str){in.at, in.n}, false, &counts);
            assert_int_equal(o.err, n_bad * 10 > n ? LETHE_EINPUT : LETHE_OK);
            char says[128];
            snprintf(says, sizeof says, "E %d of %d lines rejected: not a file of records?\n",
                     n_bad, n);
            assert_int_equal(strstr(o.messages.at, says) != NULL, n_bad * 10 > n);
            free(got);
            outcome_end(&o);
            free(in.at);
        }
    }
}

static void strict_stops_at_the_first(void **state)
{
    (void)state;
    outcome o;
    lethe_record_counts counts;
    lethe_str in = IN("a\na\nb\n c\n\td\n");
    assert_null(read_bytes(&o, in, true, &counts));
    assert_int_equal(o.err, LETHE_EINPUT);
    assert_string_equal(o.messages.at, "E memory:4:1 empty item\n");
    outcome_end(&o);
    char *got = read_bytes(&o, (lethe_str)IN("a\n\xFF\n"), true, &counts); // no fault at all
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(counts.invalid_utf8, 1);
    free(got);
    outcome_end(&o);
}

static void nothing_is_bad_input(void **state)
{
    (void)state;
    check_case(&(reading_case){IN(""), NULL, "E 'memory' is empty\n"});
    check_case(&(reading_case){IN("\xEF\xBB\xBF"), NULL, "E 'memory' is empty\n"});
    check_case(&(reading_case){IN(" \n"), NULL,
                               "W memory:1:1 empty item\n"
                               "E 'memory': 1 of 1 lines rejected: not a file of records?\n"});
}

static void replaced_bytes_are_counted_by_line(void **state)
{
    (void)state;
    outcome o;
    lethe_record_counts counts;
    char *got =
        read_bytes(&o, (lethe_str)IN("\xFF \xFE\nok\n\xC3\xA9\ni\xFF\tx\n"), false, &counts);
    assert_int_equal(o.err, LETHE_OK);
    assert_int_equal(counts.invalid_utf8, 2);
    assert_int_equal(counts.rejected, 0);
    free(got);
    outcome_end(&o);
}

/* --- long lines --- */

/* A line of `n` bytes: items of 63 bytes, the last one as long as need be. */
static void put_long(text *t, size_t n)
{
    char item[64];
    memset(item, 'x', sizeof item);
    item[63] = ' ';
    while (n > 128) {
        text_put(t, item, 64);
        n -= 64;
    }
    text_put(t,
             "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
             "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
             n);
}

static void a_million_items_fit_in_a_line(void **state)
{
    (void)state;
    enum { N = 1200000 };
    text in = {0};
    text_put(&in, "first\n", 6);
    text_put(&in, "id\t", 3);
    for (int i = 0; i < N; i++)
        text_add(&in, i ? " %d" : "%d", i % 1000003);
    text_put(&in, "\nlast\n", 6);
    assert_true(in.n > 7 << 20);
    lethe_records *r = NULL;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_records_memory(ctx, (lethe_str){in.at, in.n}, true, &r), LETHE_OK);
    assert_int_equal(r->n, 3);
    assert_int_equal(lethe_record_size(r, 1), N);
    assert_int_equal(lethe_dict_count(r->items), 1000003 + 2);
    assert_int_equal(r->item[r->start[1] + 1000003], r->item[r->start[1]]);
    assert_int_equal(r->origin[2], 2);
    assert_int_equal(lethe_record_size(r, 2), 1);
    assert_null(records_fault(r));
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    free(in.at);
}

/* As long as may be, and one byte more; the next lines are read all the same. */
static void lines_may_have_64_mib(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        text in = {0};
        for (int i = 0; i < 12; i++)
            text_put(&in, "ab\n", 3);
        put_long(&in, LETHE_RECORD_MAX + over);
        text_put(&in, "\r\nid\tlast", 9);
        lethe_records *r = NULL;
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        assert_int_equal(lethe_records_memory(ctx, (lethe_str){in.at, in.n}, false, &r), LETHE_OK);
        assert_string_equal(o.messages.at, over ? "W memory:13:0 line over 64 MiB\n" : "");
        assert_int_equal(r->counts.read, 14);
        assert_int_equal(r->counts.rejected, over);
        assert_int_equal(r->n, 14 - over);
        assert_int_equal(r->origin[r->n - 1], 13);
        assert_int_equal(lethe_record_size(r, 12), over ? 1 : (LETHE_RECORD_MAX + 63) / 64 - 1);
        assert_null(records_fault(r));
        lethe_records_free(r);
        lethe_ctx_free(ctx);
        outcome_end(&o);
        free(in.at);
    }
}

/* Lines around the length of a block, and of several. */
static void long_lines_follow_each_other(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        1 << 20, (1 << 20) - 1, (1 << 20) + 1, 5 << 20, (2 << 20) - 2, 3, (4 << 20) + 7, 100};
    text in = {0};
    for (size_t i = 0; i < LETHE_COUNT(sizes); i++) {
        put_long(&in, sizes[i]);
        text_put(&in, "\r\n", 2);
    }
    lethe_records *r = NULL;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_records_memory(ctx, (lethe_str){in.at, in.n}, true, &r), LETHE_OK);
    assert_int_equal(r->n, LETHE_COUNT(sizes));
    for (size_t i = 0; i < r->n; i++) {
        size_t bytes = 0;
        for (uint64_t k = r->start[i]; k < r->start[i + 1]; k++)
            bytes += lethe_dict_at(r->items, r->item[k]).n + 1;
        assert_int_equal(bytes, sizes[i] + 1);
    }
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    free(in.at);
}

/* --- files --- */

static void write_file(char path[64], const void *bytes, size_t n)
{
    snprintf(path, 64, "/tmp/lethe-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
}

static void files_are_read_as_one(void **state)
{
    (void)state;
    char a[64], b[64], says[128];
    write_file(a, "x\ta b\n", 6);
    write_file(b, GOOD "q\t\t\nx\tc", sizeof GOOD - 1 + 7);
    const char *paths[] = {a, b};
    outcome o;
    lethe_records *r = NULL;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_records_read(ctx, paths, 2, &(lethe_read_options){.strict = false}, &r),
                     LETHE_OK);
    snprintf(says, sizeof says, "W %s:11:3 second tab\n", b);
    assert_string_equal(o.messages.at, says);
    assert_int_equal(r->n, 12);
    assert_int_equal(r->counts.read, 13);
    assert_int_equal(r->origin[11], 12);
    assert_int_equal(r->owner[11], 0); // the same ID in the other file
    assert_null(records_fault(r));
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    unlink(a);
    unlink(b);
}

static void an_empty_or_bad_file_among_good_ones_is_named(void **state)
{
    (void)state;
    char good[64], bad[64], says[256];
    text many = {0};
    for (int i = 0; i < 100; i++)
        text_put(&many, "a\n", 2);
    write_file(good, many.at, many.n);
    for (int empty = 0; empty < 2; empty++) {
        write_file(bad, " \n", empty ? 0 : 2);
        const char *paths[] = {good, bad, good};
        outcome o;
        lethe_records *r = NULL;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        assert_int_equal(
            lethe_records_read(ctx, paths, 3, &(lethe_read_options){.strict = false}, &r),
            LETHE_EINPUT);
        assert_null(r);
        if (empty)
            snprintf(says, sizeof says, "E '%s' is empty\n", bad);
        else
            snprintf(says, sizeof says,
                     "W %s:1:1 empty item\n"
                     "E '%s': 1 of 1 lines rejected: not a file of records?\n",
                     bad, bad);
        assert_string_equal(o.messages.at, says);
        lethe_ctx_free(ctx);
        outcome_end(&o);
        unlink(bad);
    }
    unlink(good);
    free(many.at);
}

static void compressed_files_are_recognised(void **state)
{
    (void)state;
    static const char in[] = "x\ta b\n\nc";
    uint8_t z[256];
    char paths[2][64];
    size_t n = ZSTD_compress(z, sizeof z, in, sizeof in - 1, 3);
    assert_false(ZSTD_isError(n));
    write_file(paths[0], z, n);
    write_file(paths[1], "", 0);
    gzFile gz = gzopen(paths[1], "wb");
    assert_int_equal(gzwrite(gz, in, sizeof in - 1), sizeof in - 1);
    gzclose(gz);
    for (int i = 0; i < 2; i++) {
        const char *path = paths[i];
        outcome o;
        text t = {0};
        lethe_records *r = NULL;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        assert_int_equal(
            lethe_records_read(ctx, &path, 1, &(lethe_read_options){.strict = true}, &r), LETHE_OK);
        records_text(&t, r, NULL);
        assert_string_equal(t.at, "0 0=x: a b\n1 1:\n2 2: c\n");
        free(t.at);
        lethe_records_free(r);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
    assert_int_equal(truncate(paths[0], (off_t)n - 3), 0);
    const char *cut = paths[0];
    outcome o;
    lethe_records *r = NULL;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_records_read(ctx, &cut, 1, &(lethe_read_options){.strict = true}, &r),
                     LETHE_EINPUT);
    assert_null(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    unlink(paths[0]);
    unlink(paths[1]);
}

static void what_cannot_be_opened_is_a_system_failure(void **state)
{
    (void)state;
    const char *missing = "/tmp/lethe-no-such-file", *folder = "/tmp", *twice[] = {"-", "-"};
    outcome o;
    lethe_records *r = NULL;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(
        lethe_records_read(ctx, &missing, 1, &(lethe_read_options){.strict = false}, &r),
        LETHE_EIO);
    assert_int_equal(
        lethe_records_read(ctx, &folder, 1, &(lethe_read_options){.strict = false}, &r), LETHE_EIO);
    assert_int_equal(lethe_records_read(ctx, twice, 2, &(lethe_read_options){.strict = false}, &r),
                     LETHE_EUSAGE);
    assert_non_null(strstr(o.messages.at, "E standard input can be read only once\n"));
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_records_memory(ctx, LETHE_LIT("a\n"), false, &r), LETHE_ECANCEL);
    assert_null(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void standard_input_is_read(void **state)
{
    (void)state;
    char path[64];
    const char *dash = "-";
    write_file(path, "u\ta\n \n", 6);
    int kept = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
    dup2(fd, STDIN_FILENO);
    outcome o;
    lethe_records *r = NULL;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_records_read(ctx, &dash, 1, &(lethe_read_options){.strict = true}, &r),
                     LETHE_EINPUT);
    assert_string_equal(o.messages.at, "E standard input:2:1 empty item\n");
    lethe_ctx_free(ctx);
    outcome_end(&o);
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(fd);
    unlink(path);
}

/* --- real data --- */

/* Figures of data/README.md. */
static void check_real(const char *name, size_t n, uint32_t n_items, uint64_t most, double mean)
{
    const char *folder = getenv("LETHE_DATA");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    const char *paths = path;
    outcome o;
    lethe_records *r = NULL;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_records_read(ctx, &paths, 1, &(lethe_read_options){.strict = true}, &r),
                     LETHE_OK);
    assert_string_equal(o.messages.at, "");
    assert_int_equal(r->n, n);
    assert_int_equal(r->counts.read, n);
    assert_int_equal(r->n_owners, n);
    assert_null(r->owners);
    assert_int_equal(lethe_dict_count(r->items), n_items);
    uint64_t max = 0;
    for (size_t i = 0; i < n; i++)
        max = LETHE_MAX(max, lethe_record_size(r, i));
    if (most) assert_int_equal(max, most);
    if (mean > 0)
        assert_true((uint64_t)(1000.0 * (double)r->start[n] / (double)n + 0.5) ==
                    (uint64_t)(1000 * mean + 0.5));
    assert_null(records_fault(r));
    lethe_records_free(r);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void bms_webview_1_is_as_described(void **state)
{
    (void)state;
    check_real("BMS-WebView-1.dat.zst", 59602, 497, 267, 2.511);
}

static void groceries_are_as_described(void **state)
{
    (void)state;
    check_real("groceries.dat.zst", 9835, 169, 0, 0);
}

/* --- no memory --- */

static void lack_of_memory_is_clean(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_records *r = NULL;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_str in = IN(GOOD GOOD "x\t\xFF b c\na\na\na\na\na\n  \ny\n\t\n");
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_records_memory(ctx, in, false, &r);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done && e != LETHE_ENOMEM) fail_msg("allocation %llu: %d", (unsigned long long)n, e);
        if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        assert_true(!done || n > 10);
        assert_true(done || !r);
        lethe_records_free(r);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_records),
        cmocka_unit_test(faults_are_named_by_line_and_column),
        cmocka_unit_test(a_cr_at_the_very_end_is_inside_the_line),
        cmocka_unit_test(a_rejected_line_leaves_no_item),
        cmocka_unit_test(three_of_a_kind_are_named_and_the_rest_counted),
        cmocka_unit_test(a_tenth_may_be_rejected_and_no_more),
        cmocka_unit_test(strict_stops_at_the_first),
        cmocka_unit_test(nothing_is_bad_input),
        cmocka_unit_test(replaced_bytes_are_counted_by_line),
        cmocka_unit_test(a_million_items_fit_in_a_line),
        cmocka_unit_test(lines_may_have_64_mib),
        cmocka_unit_test(long_lines_follow_each_other),
        cmocka_unit_test(files_are_read_as_one),
        cmocka_unit_test(an_empty_or_bad_file_among_good_ones_is_named),
        cmocka_unit_test(compressed_files_are_recognised),
        cmocka_unit_test(what_cannot_be_opened_is_a_system_failure),
        cmocka_unit_test(standard_input_is_read),
        cmocka_unit_test(bms_webview_1_is_as_described),
        cmocka_unit_test(groceries_are_as_described),
        cmocka_unit_test(lack_of_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
