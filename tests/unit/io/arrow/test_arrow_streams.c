/* SPDX-License-Identifier: Apache-2.0 */
/* Streams as inputs: what is taken over, in which form it reads, where its rows are, and what is
 * said of producers that fail and arrays that are malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arrow_harness.h"

static void text_is(arrow_place *p, arrow_feed *feed, const char *weight, const char *want)
{
    for (size_t cap = 1; cap < 100; cap = cap * 5 + 2) {
        char *text;
        if (feed_text_weighted(p, feed, weight, cap, &text) != LETHE_OK) fail_msg("%s", p->said);
        assert_string_equal(text, want);
        free(text);
        assert_int_equal(feed->made, feed->released);
    }
}

static void fails(arrow_place *p, arrow_feed *feed, const char *weight, lethe_err code,
                  const char *want)
{
    char *text;
    p->n_errors = 0;
    assert_int_equal(feed_text_weighted(p, feed, weight, 1000, &text), code);
    if (!strstr(p->said, want)) fail_msg("'%s' does not say '%s'", p->said, want);
    assert_int_equal(p->n_errors, 1);
    assert_int_equal(feed->made, feed->released);
}

/* --- what most tests read --- */

static const int32_t four[] = {0, 1, 2, 3, 4};
static const int64_t numbers[] = {10, 20, 30, 40};
static const arrow_node letters = TEXT_COLUMN("text", 4, four, "abcd");
static const arrow_node counts = PLAIN_COLUMN("l", "n", 4, numbers);

static void batches(void **state)
{
    arrow_place *p = *state;
    arrow_node rows = ROWS(4, &letters, &counts), part = rows, none = rows;
    part.offset = 1;
    part.length = 2;
    none.length = 0;
    const arrow_node *all[] = {&none, &part, &none, &rows};
    arrow_feed feed = {.batches = all, .n_batches = 4};
    text_is(p, &feed, NULL, "text,n\nb,20\nc,30\na,10\nb,20\nc,30\nd,40\n");
    feed.n_batches = 1;
    text_is(p, &feed, NULL, "text,n\n");
    feed.n_batches = 0;
    feed.type = &rows;
    text_is(p, &feed, NULL, "text,n\n");
    // children have offsets of their own, and may be longer than their parent
    arrow_node later = letters;
    later.offset = 1;
    later.length = 3;
    const arrow_node slice = ROWS(2, &later, &counts), *one[] = {&slice};
    feed = (arrow_feed){.batches = one, .n_batches = 1};
    text_is(p, &feed, NULL, "text,n\nb,10\nc,20\n");
    const uint8_t valid[] = {0x05};
    rows.buffers[0] = valid;
    all[0] = &rows;
    feed = (arrow_feed){.batches = all, .n_batches = 1};
    text_is(p, &feed, NULL, "text,n\na,10\n,\nc,30\n,\n");
}

static void headers(void **state)
{
    arrow_place *p = *state;
    arrow_node a = letters, b = letters;
    a.length = b.length = 1;
    a.name = "with \"quotes\", commas\nand lines";
    b.name = NULL;
    const arrow_node rows = ROWS(1, &a, &b), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    text_is(p, &feed, NULL, "\"with \"\"quotes\"\", commas\nand lines\",\na,a\n");
    const arrow_node alone = ROWS(1, &b), *one[] = {&alone};
    feed = (arrow_feed){.batches = one, .n_batches = 1};
    text_is(p, &feed, NULL, "\"\"\na\n");
}

/* --- records --- */

static void sets(void **state)
{
    arrow_place *p = *state;
    const int32_t ends[] = {0, 2, 2, 3, 4};
    const int64_t long_ends[] = {0, 2, 2, 3, 4}, sizes64[] = {2, 0, 1, 1};
    const int32_t from[] = {0, 4, 2, 3}, sizes[] = {2, 0, 1, 1};
    const int64_t from64[] = {0, 4, 2, 3};
    arrow_node list = {.format = "+l",
                       .name = "items",
                       .length = 4,
                       .n_buffers = 2,
                       .buffers = {NULL, ends},
                       .n_children = 1,
                       .children = (const arrow_node *[]){&letters}};
    const arrow_node rows = ROWS(4, &list), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    static const char want[] = "a,b\n\nc\nd\n";
    text_is(p, &feed, NULL, want);
    list.format = "+L";
    list.buffers[1] = long_ends;
    text_is(p, &feed, NULL, want);
    list.n_buffers = 3;
    list.format = "+vl";
    list.buffers[1] = from;
    list.buffers[2] = sizes;
    text_is(p, &feed, NULL, want);
    list.format = "+vL";
    list.buffers[1] = from64;
    list.buffers[2] = sizes64;
    text_is(p, &feed, NULL, want);
    list.length = 2;
    list.n_buffers = 1;
    list.format = "+w:2";
    const arrow_node pairs = ROWS(2, &list), *two[] = {&pairs};
    feed = (arrow_feed){.batches = two, .n_batches = 1};
    text_is(p, &feed, NULL, "a,b\nc,d\n");
}

static void sets_with_ids(void **state)
{
    arrow_place *p = *state;
    const int32_t ends[] = {0, 2, 2, 3, 4}, odd[] = {0, 3, 4, 5, 6};
    const uint8_t valid[] = {0x0d};
    const arrow_node items = TEXT_COLUMN("item", 4, odd, "x,yz\tw"), *const child[] = {&counts},
                     *const odd_child[] = {&items};
    arrow_node list = {.format = "+l",
                       .name = "items",
                       .length = 4,
                       .n_buffers = 2,
                       .null_count = 1,
                       .buffers = {valid, ends},
                       .n_children = 1,
                       .children = child};
    arrow_node rows = ROWS(4, &list, &letters);
    const arrow_node *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    text_is(p, &feed, NULL, "a\t10,20\nb\t\nc\t30\nd\t40\n");
    list.children = odd_child; // with a comma, and one with a tab
    fails(p, &feed, NULL, LETHE_EINPUT, "stream:0:3:0: column 'items': a tab in an item");
    rows.length = 2;
    text_is(p, &feed, NULL, "\"a\tx,y\",z\nb\t\n");
    // weights are no IDs
    const arrow_node third = ROWS(1, &list, &letters, &counts), *three[] = {&third};
    feed = (arrow_feed){.batches = three, .n_batches = 1};
    fails(p, &feed, NULL, LETHE_EINPUT, "3 columns and one of them is a list");
    text_is(p, &feed, "n",
            "\"a\tx,y\",z\n\"a\tx,y\",z\n\"a\tx,y\",z\n\"a\tx,y\",z\n\"a\tx,y\",z\n"
            "\"a\tx,y\",z\n\"a\tx,y\",z\n\"a\tx,y\",z\n\"a\tx,y\",z\n\"a\tx,y\",z\n");
    const arrow_node both = ROWS(1, &list, &list), *pair[] = {&both};
    feed = (arrow_feed){.batches = pair, .n_batches = 1};
    fails(p, &feed, NULL, LETHE_EINPUT, "column 'items' is a second list");
}

/* --- weights --- */

static void weights(void **state)
{
    arrow_place *p = *state;
    static const int32_t often[] = {1, 3, 2, 1};
    arrow_node w = PLAIN_COLUMN("i", "w", 4, often);
    const arrow_node rows = ROWS(4, &w, &letters, &counts), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    text_is(p, &feed, "w", "text,n\na,10\nb,20\nb,20\nb,20\nc,30\nc,30\nd,40\n");
    fails(p, &feed, "x", LETHE_EINPUT, "no column is called 'x', the weight");
    fails(p, &feed, "text", LETHE_EINPUT, "column 'text' is the weight, and not of whole numbers");
    const uint8_t valid[] = {0x0e};
    w.buffers[0] = valid;
    fails(p, &feed, "w", LETHE_EINPUT,
          "stream:0:1:0: column 'w': a weight is a whole number from 1");
    w.buffers[0] = NULL;
    static const int32_t zero[] = {1, 0, 2, 1};
    w.buffers[1] = zero;
    fails(p, &feed, "w", LETHE_EINPUT,
          "stream:0:2:0: column 'w': a weight is a whole number from 1");
    static const int64_t many[] = {1, (int64_t)1 << 40, 1, 1};
    w.format = "l";
    w.buffers[1] = many;
    fails(p, &feed, "w", LETHE_EINPUT, "stream:0:2:0: column 'w': the weights make more than 2^40");
    const arrow_node twice = ROWS(4, &w, &w, &letters), *both[] = {&twice};
    feed = (arrow_feed){.batches = both, .n_batches = 1};
    fails(p, &feed, "w", LETHE_EINPUT, "two columns are called 'w'");
    const arrow_node alone = ROWS(4, &w), *one[] = {&alone};
    feed = (arrow_feed){.batches = one, .n_batches = 1};
    fails(p, &feed, "w", LETHE_EINPUT, "has no columns");
}

/* --- rows in messages --- */

static void line_is(arrow_place *p, uint64_t line, uint32_t column, const char *want)
{
    (void)(lethe_fail_at)(lethe_ctx_diag(p->ctx), LETHE_EINPUT, "stream:0", line, column, "x");
    assert_string_equal(p->said, want);
}

static void rows_of_lines(void **state)
{
    arrow_place *p = *state;
    static const int32_t often[] = {1, 3, 2, 1}, at[] = {0, 1, 2, 6, 7};
    const arrow_node w = PLAIN_COLUMN("i", "w", 4, often),
                     t = TEXT_COLUMN("a\nb", 4, at, "xyz\n\nzx");
    const arrow_node rows = ROWS(4, &counts, &w, &t), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    struct ArrowArrayStream in = feed_stream(&feed), *const ins[] = {&in};
    lethe_streams *s;
    char *text;
    assert_int_equal(lethe_streams_new(p->ctx, ins, 1, &s), LETHE_OK);
    assert_null(in.release);
    assert_int_equal(lethe_streams_set_weight(s, 0, "w"), LETHE_OK);
    lethe_streams_set(p->ctx, s);
    for (int round = 0; round < 2; round++) { // what is known already is not noted again
        assert_int_equal(source_text(p->ctx, "stream:0", 3, &text), LETHE_OK);
        assert_string_equal(text, "n,\"a\nb\"\n10,x\n20,y\n20,y\n20,y\n"
                                  "30,\"z\n\nz\"\n30,\"z\n\nz\"\n40,x\n");
        free(text);
        line_is(p, 1, 1, "stream:0:0:1: x");
        line_is(p, 2, 2, "stream:0:0:3: x");
        line_is(p, 3, 1, "stream:0:1:1: x");
        line_is(p, 4, 2, "stream:0:2:3: x");
        line_is(p, 6, 0, "stream:0:2:0: x");
        line_is(p, 7, 0, "stream:0:3:0: x");
        line_is(p, 12, 0, "stream:0:3:0: x");
        line_is(p, 13, 0, "stream:0:4:0: x");
        line_is(p, 14, 0, "stream:0:5:0: x");
    }
    (void)(lethe_fail_at)(lethe_ctx_diag(p->ctx), LETHE_EINPUT, "other", 7, 3, "x");
    assert_string_equal(p->said, "other:7:3: x");
    lethe_streams_set(p->ctx, NULL);
    (void)(lethe_fail_at)(lethe_ctx_diag(p->ctx), LETHE_EINPUT, "stream:0", 7, 3, "x");
    assert_string_equal(p->said, "stream:0:7:3: x");
    lethe_streams_free(s);
    assert_int_equal(feed.made, feed.released);
}

/* --- producers --- */

static void producers_fail(void **state)
{
    arrow_place *p = *state;
    const arrow_node rows = ROWS(4, &letters), *all[] = {&rows, &rows, &rows};
    arrow_feed feed = {.batches = all, .n_batches = 3, .fail_schema = EIO};
    fails(p, &feed, NULL, LETHE_EIO, "cannot read 'stream:0': its producer failed: Input/output");
    feed.error = "the query was refused";
    fails(p, &feed, NULL, LETHE_EIO, "its producer failed: the query was refused");
    feed.fail_schema = 0;
    feed.fail_next = ENOMEM;
    for (feed.fail_at = 0; feed.fail_at < 4; feed.fail_at++)
        fails(p, &feed, NULL, LETHE_EIO, "its producer failed: the query was refused");
    // each who reads it is told
    struct ArrowArrayStream in = feed_stream(&feed), *const ins[] = {&in};
    lethe_streams *s;
    char *text;
    feed.fail_at = 1;
    assert_int_equal(lethe_streams_new(p->ctx, ins, 1, &s), LETHE_OK);
    lethe_streams_set(p->ctx, s);
    for (int i = 0; i < 2; i++) {
        p->n_errors = 0;
        assert_int_equal(source_text(p->ctx, "stream:0", 3, &text), LETHE_EIO);
        assert_int_equal(p->n_errors, 1);
    }
    lethe_streams_set(p->ctx, NULL);
    lethe_streams_free(s);
    assert_int_equal(feed.made, feed.released);
}

static void taken_over_or_not(void **state)
{
    arrow_place *p = *state;
    const arrow_node rows = ROWS(4, &letters), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    struct ArrowArrayStream a = feed_stream(&feed), b = {0};
    lethe_streams *s;
    assert_int_equal(lethe_streams_new(p->ctx, (struct ArrowArrayStream *[]){&a, &b}, 2, &s),
                     LETHE_EUSAGE);
    assert_int_equal(lethe_streams_new(p->ctx, (struct ArrowArrayStream *[]){&a, NULL}, 2, &s),
                     LETHE_EUSAGE);
    assert_int_equal(lethe_streams_new(p->ctx, (struct ArrowArrayStream *[]){&a, &a}, 2, &s),
                     LETHE_EUSAGE);
    assert_non_null(a.release);
    a.release(&a);
    assert_int_equal(lethe_streams_new(p->ctx, NULL, 0, &s), LETHE_OK);
    lethe_streams_free(s);
    lethe_streams_free(NULL);
}

static void again(void **state)
{
    arrow_place *p = *state;
    const arrow_node rows = ROWS(4, &letters), *all[] = {&rows, &rows, &rows};
    arrow_feed feed = {.batches = all, .n_batches = 3};
    struct ArrowArrayStream in = feed_stream(&feed), *const ins[] = {&in};
    lethe_streams *s;
    lethe_stream_form form;
    char *text;
    assert_int_equal(lethe_streams_new(p->ctx, ins, 1, &s), LETHE_OK);
    lethe_streams_set(p->ctx, s);
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    assert_int_equal(lethe_streams_form(s, 0, &form), LETHE_OK);
    assert_int_equal(form, LETHE_STREAM_CSV);
    assert_false(lethe_source_is_path(d, "stream:0"));
    assert_true(lethe_source_rereads(d, "stream:0"));
    assert_false(lethe_source_is_once(d, "stream:0"));
    assert_true(lethe_source_is_path(d, "stream:1"));
    assert_int_equal(source_text(p->ctx, "stream:0", 9, &text), LETHE_OK);
    free(text);
    // the struct of each batch and its column; else the schema's two and the stream
    assert_int_equal(feed.released, 3);
    assert_int_equal(source_text(p->ctx, "stream:0", 9, &text), LETHE_OK);
    free(text);
    lethe_streams_set(p->ctx, NULL);
    lethe_streams_free(s);
    assert_int_equal(feed.made, feed.released);
}

/* Two that read one stream, turn by turn. */
static void two_readers(void **state)
{
    arrow_place *p = *state;
    const arrow_node rows = ROWS(4, &letters), *all[] = {&rows, &rows};
    arrow_feed feed = {.batches = all, .n_batches = 2};
    struct ArrowArrayStream in = feed_stream(&feed), *const ins[] = {&in};
    lethe_streams *s;
    lethe_stream_reader *r[2];
    char got[2][64] = {"", ""};
    assert_int_equal(lethe_streams_new(p->ctx, ins, 1, &s), LETHE_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lethe_stream_open(s, 0, &r[i]), LETHE_OK);
    for (size_t k = 0; k < 40; k++) {
        size_t i = k % 3 == 0, n;
        char piece[8];
        assert_int_equal(lethe_stream_read(r[i], piece, i ? 7 : 3, &n), LETHE_OK);
        strncat(got[i], piece, n);
    }
    for (int i = 0; i < 2; i++) {
        assert_string_equal(got[i], "text\na\nb\nc\nd\na\nb\nc\nd\n");
        lethe_stream_close(r[i]);
    }
    lethe_streams_free(s);
    assert_int_equal(feed.made, feed.released);
}

static void memory_is_a_file(void **state)
{
    arrow_place *p = *state;
    static const uint8_t gz[] = {0x1f, 0x8b, 0x08, 0,    0,    0,   0,    0, 0, 3, 0x4b, 0x4c,
                                 0xe2, 2,    0,    0xa2, 0x61, 0xd, 0x64, 3, 0, 0, 0};
    lethe_streams *s;
    size_t at[3];
    char *text;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    lethe_stream_name name;
    lethe_source_form form;
    uint64_t bytes;
    assert_int_equal(lethe_streams_new(p->ctx, NULL, 0, &s), LETHE_OK);
    assert_int_equal(lethe_streams_add_memory(s, "some\ntext", 9, &at[0]), LETHE_OK);
    assert_int_equal(lethe_streams_add_memory(s, gz, sizeof gz, &at[1]), LETHE_OK);
    assert_int_equal(lethe_streams_add_memory(s, NULL, 0, &at[2]), LETHE_OK);
    assert_true(at[0] == 0 && at[1] == 1 && at[2] == 2);
    lethe_streams_set(p->ctx, s);
    assert_int_equal(source_text(p->ctx, "memory:0", 4, &text), LETHE_OK);
    assert_string_equal(text, "some\ntext");
    free(text);
    lethe_err e = source_text(p->ctx, "memory:1", 4, &text);
    assert_true(e == LETHE_OK || e == LETHE_EINPUT); // decompressed, then, or found damaged
    free(text);
    assert_int_equal(source_text(p->ctx, "memory:2", 4, &text), LETHE_OK);
    assert_string_equal(text, "");
    free(text);
    assert_int_equal(source_text(p->ctx, "memory:3", 4, &text), LETHE_EIO);
    assert_int_equal(lethe_source_form_of(d, "memory:0", &form), LETHE_OK);
    assert_int_equal(form, LETHE_SOURCE_TEXT);
    assert_true(lethe_source_rereads(d, "memory:0"));
    assert_int_equal(lethe_sources_size(d, (const char *[]){"memory:0", "memory:1"}, 2, &bytes),
                     LETHE_OK);
    assert_int_equal(bytes, 9 + sizeof gz);
    assert_true(lethe_streams_find(s, "memory:2", &name) && name.is_memory && name.i == 2);
    assert_false(lethe_streams_find(s, "memory:3", &name));
    assert_false(lethe_streams_find(s, "memory:", &name));
    assert_false(lethe_streams_find(s, "memory:0x", &name));
    assert_false(lethe_streams_find(NULL, "memory:0", &name));
    lethe_streams_set(p->ctx, NULL);
    lethe_streams_free(s);
}

/* Text is not taken for compressed, whatever its first bytes are, and no other encoding is guessed.
 */
static void nothing_is_guessed(void **state)
{
    arrow_place *p = *state;
    arrow_node t = letters;
    t.name = "BZh91AY";
    t.length = 1;
    const arrow_node rows = ROWS(1, &t), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    text_is(p, &feed, NULL, "BZh91AY\na\n");
    t.name = "\xe4\xf6\xfc\xdf";
    struct ArrowArrayStream in = feed_stream(&feed), *const ins[] = {&in};
    lethe_streams *s;
    lethe_source *source;
    char got[32] = "";
    size_t n;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    assert_int_equal(lethe_streams_new(p->ctx, ins, 1, &s), LETHE_OK);
    lethe_streams_set(p->ctx, s);
    assert_int_equal(lethe_source_open_text(d, "stream:0", NULL, false, &source), LETHE_OK);
    assert_int_equal(lethe_source_read(source, got, sizeof got - 1, &n), LETHE_OK);
    assert_string_equal(got, "\xe4\xf6\xfc\xdf\na\n");
    assert_string_equal(lethe_source_name(source), "stream:0");
    lethe_source_close(source);
    assert_int_equal(lethe_source_open_text(d, "stream:0", "latin1", false, &source), LETHE_EUSAGE);
    assert_int_equal(lethe_source_open_text(d, "stream:0", "UTF-8", false, &source), LETHE_OK);
    lethe_source_close(source);
    lethe_streams_set(p->ctx, NULL);
    lethe_streams_free(s);
}

static void cancelled(void **state)
{
    arrow_place *p = *state;
    const arrow_node rows = ROWS(4, &letters), *all[] = {&rows};
    arrow_feed feed = {.batches = all, .n_batches = 1};
    char *text;
    lethe_ctx_cancel(p->ctx);
    assert_int_equal(feed_text(p, &feed, 10, &text), LETHE_ECANCEL);
    assert_int_equal(feed.made, feed.released);
}

/* --- what is malformed --- */

typedef struct bad_case {
    const char *name;
    arrow_node column;
    const char *want;
} bad_case;

static void malformed_columns(void **state)
{
    arrow_place *p = *state;
    static const int32_t falling[] = {0, 3, 2}, below[] = {-1, 0, 1}, two[] = {0, 1, 2},
                         far[] = {0, 1, 9}, negative[] = {-1, 0}, sizes[] = {1, 5};
    static const arrow_node item = TEXT_COLUMN("item", 4, four, "abcd");
    static const arrow_node *const items[] = {&item};
    const bad_case cases[] = {
        {"length", PLAIN_COLUMN("l", "c", -1, numbers), "its length or offset is below 0"},
        {"offset",
         {.format = "l", .name = "c", .length = 1, .offset = -1, .n_buffers = 2},
         "below 0"},
        {"large", PLAIN_COLUMN("l", "c", INT64_MAX, numbers), "too large"},
        {"shorter", PLAIN_COLUMN("l", "c", 1, numbers), "shorter than the batch"},
        {"no buffer", PLAIN_COLUMN("l", "c", 2, NULL), "a buffer is missing"},
        {"buffers", {.format = "l", .name = "c", .length = 2, .n_buffers = 1}, "number of buffers"},
        {"more", {.format = "l", .name = "c", .length = 2, .n_buffers = 3}, "number of buffers"},
        {"nulls",
         {.format = "l",
          .name = "c",
          .length = 2,
          .null_count = 1,
          .n_buffers = 2,
          .buffers = {NULL, numbers}},
         "does not say which"},
        {"null count",
         {.format = "l",
          .name = "c",
          .length = 2,
          .null_count = 3,
          .n_buffers = 2,
          .buffers = {four, numbers}},
         "its number of nulls is not possible"},
        {"falling", TEXT_COLUMN("c", 2, falling, "abc"), "its offsets are out of order"},
        {"below", TEXT_COLUMN("c", 2, below, "abc"), "its offsets are out of order"},
        {"no offsets", TEXT_COLUMN("c", 2, NULL, "abc"), "a buffer is missing"},
        {"no bytes", TEXT_COLUMN("c", 2, two, NULL), "a buffer is missing"},
        {"views", {.format = "vu", .name = "c", .length = 2, .n_buffers = 2}, "number of buffers"},
        {"no views",
         {.format = "vu", .name = "c", .length = 2, .n_buffers = 3},
         "a buffer is missing"},
        {"no sizes",
         {.format = "vu", .name = "c", .length = 2, .n_buffers = 4, .buffers = {NULL, numbers}},
         "a buffer is missing"},
        {"dictionary",
         {.format = "l",
          .name = "c",
          .length = 2,
          .n_buffers = 2,
          .buffers = {NULL, numbers},
          .dictionary = &(const arrow_node)TEXT_COLUMN("", 2, falling, "abc")},
         "its offsets are out of order"},
        {"list",
         {.format = "+l",
          .name = "c",
          .length = 2,
          .n_buffers = 2,
          .buffers = {NULL, far},
          .n_children = 1,
          .children = items},
         "a list reaches beyond the items"},
        {"falling list",
         {.format = "+l",
          .name = "c",
          .length = 2,
          .n_buffers = 2,
          .buffers = {NULL, falling},
          .n_children = 1,
          .children = items},
         "its offsets are out of order"},
        {"list view",
         {.format = "+vl",
          .name = "c",
          .length = 2,
          .n_buffers = 3,
          .buffers = {NULL, negative, sizes},
          .n_children = 1,
          .children = items},
         "stream:0:1:0: column 'c': a list reaches beyond the items"},
        {"list sizes",
         {.format = "+vl",
          .name = "c",
          .length = 2,
          .n_buffers = 3,
          .buffers = {NULL, two, sizes},
          .n_children = 1,
          .children = items},
         "stream:0:2:0: column 'c': a list reaches beyond the items"},
        {"list buffers",
         {.format = "+vl",
          .name = "c",
          .length = 2,
          .n_buffers = 3,
          .buffers = {NULL, two, NULL},
          .n_children = 1,
          .children = items},
         "a buffer is missing"},
        {"fixed list",
         {.format = "+w:3",
          .name = "c",
          .length = 2,
          .n_buffers = 1,
          .n_children = 1,
          .children = items},
         "a list reaches beyond the items"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const arrow_node rows = ROWS(2, &cases[i].column), *all[] = {&rows};
        arrow_feed feed = {.batches = all, .n_batches = 1};
        fails(p, &feed, NULL, LETHE_EINPUT, cases[i].want);
        assert_non_null(strstr(p->said, "'c'"));
    }
}

static void types_refused(void **state)
{
    arrow_place *p = *state;
    static const arrow_node inner = TEXT_COLUMN("item", 4, four, "abcd");
    static const arrow_node *const one[] = {&inner};
    static const arrow_node list = {.format = "+l", .name = "l", .n_children = 1, .children = one};
    static const arrow_node *const lists[] = {&list};
    static const arrow_node coded = {.format = "i", .name = "", .dictionary = &inner};
    static const struct {
        arrow_node column;
        const char *want;
    } cases[] = {
        {{.format = "+s", .name = "c", .n_children = 1, .children = one}, "'c' is a struct"},
        {{.format = "+m", .name = "c"}, "is a map"},
        {{.format = "+ud:0,1", .name = "c"}, "is a union"},
        {{.format = "+us:0,1", .name = "c"}, "is a union"},
        {{.format = "+r", .name = "c"}, "is run-end encoded"},
        {{.format = "tDs", .name = "c"}, "is a duration"},
        {{.format = "tiM", .name = "c"}, "is an interval"},
        {{.format = "d:60,2,256", .name = "c"}, "is a decimal of 256 bits"},
        {{.format = "d:60,2", .name = "c"}, "is a decimal of unusual size"},
        {{.format = "xyz", .name = "c"}, "(Arrow's format 'xyz')"},
        {{.format = "", .name = "c"}, "is unknown"},
        {{.format = "vx", .name = "c"}, "is unknown"},
        {{.format = "t", .name = "c"}, "is unknown"},
        {{.format = "+l", .name = "c", .n_children = 1, .children = lists}, "is a list of lists"},
        {{.format = "i", .name = "c", .dictionary = &list}, "is a dictionary of lists"},
        {{.format = "g", .name = "c", .dictionary = &inner}, "malformed: a dictionary that is not"},
        {{.format = "i", .name = "c", .dictionary = &coded}, "malformed: a dictionary that is not"},
        {{.format = "+l", .name = "c"}, "malformed: a list without items"},
        {{.format = NULL, .name = "c"}, "malformed: a schema without a format"},
        {{.format = "tsx:", .name = "c"}, "malformed: a timestamp without"},
        {{.format = "tss", .name = "c"}, "malformed: a timestamp without"},
        {{.format = "tdx", .name = "c"}, "malformed: a date"},
        {{.format = "ttx", .name = "c"}, "malformed: a time"},
        {{.format = "tt", .name = "c"}, "malformed: a time"},
        {{.format = "d:,", .name = "c"}, "malformed: a decimal"},
        {{.format = "d:3,2,", .name = "c"}, "malformed: a decimal"},
        {{.format = "w:", .name = "c"}, "malformed: a fixed length"},
        {{.format = "w:-1", .name = "c"}, "malformed: a fixed length"},
        {{.format = "+w:9999999999", .name = "c", .n_children = 1, .children = one},
         "a fixed length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const arrow_node rows = ROWS(0, &cases[i].column);
        arrow_feed feed = {.type = &rows};
        fails(p, &feed, NULL, LETHE_EINPUT, cases[i].want);
        assert_non_null(strstr(p->said, "column 'c'"));
    }
    arrow_feed feed = {.type = &inner};
    fails(p, &feed, NULL, LETHE_EINPUT, "is no table");
    const arrow_node none = {.format = "+s", .name = ""};
    feed = (arrow_feed){.type = &none};
    fails(p, &feed, NULL, LETHE_EINPUT, "has no columns");
    // batches that are not what their schema says
    const arrow_node rows = ROWS(2, &letters), more = ROWS(2, &letters, &counts), *two[] = {&more};
    feed = (arrow_feed){.type = &rows, .batches = two, .n_batches = 1};
    fails(p, &feed, NULL, LETHE_EINPUT, "its number of columns is not that of its schema");
    arrow_node long_one = rows;
    long_one.length = 5;
    const arrow_node *too_long[] = {&long_one};
    feed = (arrow_feed){.batches = too_long, .n_batches = 1};
    fails(p, &feed, NULL, LETHE_EINPUT, "shorter than the batch");
}

/* --- memory that lacks --- */

static void allocations_fail(void **state)
{
    arrow_place *p = *state;
    const int32_t ends[] = {0, 2, 2, 3, 4};
    arrow_node list = {.format = "+l",
                       .name = "items",
                       .length = 4,
                       .n_buffers = 2,
                       .buffers = {NULL, ends},
                       .n_children = 1,
                       .children = (const arrow_node *[]){&letters}};
    const arrow_node zoned = PLAIN_COLUMN("tss:Europe/Berlin", "t", 4, numbers);
    const arrow_node sets_of = ROWS(4, &list, &counts), rows = ROWS(4, &letters, &counts, &zoned);
    const arrow_node *const kinds[][2] = {{&sets_of, &sets_of}, {&rows, &rows}};
    for (size_t k = 0; k < 2; k++)
        for (int mode = 0; mode < 2; mode++) {
            lethe_err e = LETHE_ENOMEM;
            for (uint64_t n = 1; e != LETHE_OK; n++) {
                arrow_feed feed = {.batches = kinds[k], .n_batches = 2};
                char *text;
                (mode ? lethe_alloc_fail_once : lethe_alloc_fail_at)(n);
                e = feed_text_weighted(p, &feed, k ? "n" : NULL, 5, &text);
                lethe_alloc_fail_at(0);
                assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
                assert_int_equal(feed.made, feed.released);
                free(text);
                assert_true(n < 1000);
            }
        }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, arrow_set_up, arrow_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(batches),          TEST(headers),           TEST(sets),
        TEST(sets_with_ids),    TEST(weights),           TEST(rows_of_lines),
        TEST(producers_fail),   TEST(taken_over_or_not), TEST(again),
        TEST(two_readers),      TEST(memory_is_a_file),  TEST(nothing_is_guessed),
        TEST(cancelled),        TEST(malformed_columns), TEST(types_refused),
        TEST(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
