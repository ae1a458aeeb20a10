/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that several workers collect, as a stream: each row once, those of a worker in its order, in
 * batches of a bounded number of rows and bytes; and what happens where there is no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arrow_harness.h"
#include "io/arrow/collector.h"

enum { BATCH_ROWS = 65536, WORKERS = 2 }; // of the context of arrow_set_up()

static const lethe_collected_column columns[] = {{"text", LETHE_BUILT_TEXT},
                                                 {"number", LETHE_BUILT_INT}};

/* Number i of a worker, every third without a number. */
static lethe_err row_put(lethe_collector *c, unsigned w, int64_t i, size_t bytes)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%u:%lld", w, (long long)i);
    lethe_built_column *to = lethe_collector_columns(c, w);
    LETHE_TRY(lethe_built_text(&to[0], (lethe_str){text, (size_t)n}));
    LETHE_TRY(i % 3 == 0 ? lethe_built_null(&to[1]) : lethe_built_int(&to[1], i));
    return lethe_collector_end_row(c, w, bytes);
}

static bool is_null(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *valid = a->buffers[0];
    return valid && !(valid[i / 8] >> i % 8 & 1);
}

/* The rows of a batch are the next ones of one worker. */
static void batch_check(const struct ArrowArray *a, int64_t next[WORKERS])
{
    const struct ArrowArray *texts = a->children[0], *numbers = a->children[1];
    const int32_t *ends = texts->buffers[1];
    assert_true(a->length > 0 && a->length <= BATCH_ROWS);
    assert_int_equal(a->n_children, 2);
    assert_int_equal(texts->length, a->length);
    assert_int_equal(numbers->length, a->length);
    for (int64_t i = 0; i < a->length; i++) {
        char want[32];
        const char *text = (const char *)texts->buffers[2] + ends[i];
        unsigned w = (unsigned)(text[0] - '0');
        assert_true(w < WORKERS);
        int n = snprintf(want, sizeof want, "%u:%lld", w, (long long)next[w]);
        assert_int_equal(ends[i + 1] - ends[i], n);
        assert_memory_equal(text, want, (size_t)n);
        assert_int_equal(is_null(numbers, i), next[w] % 3 == 0);
        if (next[w] % 3) assert_int_equal(((const int64_t *)numbers->buffers[1])[i], next[w]);
        next[w]++;
    }
}

/* Reads all of the stream, which is released then; *n_batches may be NULL. */
static void stream_check(struct ArrowArrayStream *in, const int64_t n[WORKERS], int *n_batches)
{
    struct ArrowSchema schema;
    int64_t next[WORKERS] = {0};
    int batches = 0;
    assert_int_equal(in->get_schema(in, &schema), 0);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 2);
    assert_string_equal(schema.children[0]->name, "text");
    assert_string_equal(schema.children[0]->format, "u");
    assert_string_equal(schema.children[1]->name, "number");
    assert_string_equal(schema.children[1]->format, "l");
    schema.release(&schema);
    for (;; batches++) {
        struct ArrowArray a;
        assert_int_equal(in->get_next(in, &a), 0);
        if (!a.release) break;
        batch_check(&a, next);
        a.release(&a);
        assert_null(a.release);
    }
    struct ArrowArray again;
    assert_int_equal(in->get_next(in, &again), 0);
    assert_null(again.release);
    assert_null(in->get_last_error(in));
    for (unsigned w = 0; w < WORKERS; w++)
        assert_int_equal(next[w], n[w]);
    in->release(in);
    assert_null(in->release);
    if (n_batches) *n_batches = batches;
}

static lethe_err collect(lethe_ctx *ctx, const int64_t n[WORKERS], size_t bytes,
                         struct ArrowArrayStream *out)
{
    lethe_collector *c;
    lethe_err e = lethe_collector_new(ctx, columns, LETHE_COUNT(columns), &c);
    if (e != LETHE_OK) return e;
    for (unsigned w = 0; w < WORKERS && e == LETHE_OK; w++)
        for (int64_t i = 0; i < n[w] && e == LETHE_OK; i++)
            e = row_put(c, w, i, bytes);
    if (e == LETHE_OK) e = lethe_collector_stream(c, out);
    if (e != LETHE_OK) lethe_collector_free(c);
    return e;
}

static void rows_of_all_workers_come_out(void **state)
{
    arrow_place *p = *state;
    static const struct {
        int64_t n[WORKERS];
        size_t bytes;
        int batches;
    } cases[] = {{{0, 0}, 0, 0},
                 {{1, 0}, 0, 1},
                 {{0, 1}, 0, 1},
                 {{5, 7}, 3, 2},
                 {{BATCH_ROWS, 1}, 0, 2},
                 {{BATCH_ROWS + 1, 2 * BATCH_ROWS}, 0, 4},
                 {{5, 3}, (size_t)32 << 20, 5}}; // a batch of two rows is full
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        struct ArrowArrayStream out;
        int batches;
        assert_int_equal(collect(p->ctx, cases[i].n, cases[i].bytes, &out), LETHE_OK);
        stream_check(&out, cases[i].n, &batches);
        assert_int_equal(batches, cases[i].batches);
    }
}

/* A stream that nobody reads to its end takes what is left with it, and it outlives the context. */
static void a_stream_is_released_early(void **state)
{
    arrow_place *p = *state;
    static const int64_t n[WORKERS] = {BATCH_ROWS + 5, 9};
    struct ArrowArrayStream out;
    struct ArrowArray a;
    assert_int_equal(collect(p->ctx, n, 0, &out), LETHE_OK);
    lethe_ctx_free(p->ctx);
    p->ctx = NULL;
    assert_int_equal(out.get_next(&out, &a), 0);
    out.release(&out);
    assert_int_equal(a.length, BATCH_ROWS); // what was handed out is not the stream's any more
    a.release(&a);
}

static void nothing_is_collected(void **state)
{
    arrow_place *p = *state;
    lethe_collector *c;
    lethe_collector_free(NULL);
    assert_int_equal(lethe_collector_new(p->ctx, columns, LETHE_COUNT(columns), &c), LETHE_OK);
    lethe_collector_free(c);
}

static void allocations_fail(void **state)
{
    arrow_place *p = *state;
    static const int64_t n[WORKERS] = {3, 2};
    void (*const fail[])(uint64_t) = {lethe_alloc_fail_at, lethe_alloc_fail_once};
    for (size_t k = 0; k < LETHE_COUNT(fail); k++) {
        bool done = false;
        for (uint64_t i = 1; !done; i++) {
            struct ArrowArrayStream out = {0};
            fail[k](i);
            lethe_err e = collect(p->ctx, n, (size_t)40 << 20, &out);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
            assert_true((e == LETHE_OK) == (out.release != NULL));
            done = e == LETHE_OK;
            if (done) stream_check(&out, n, NULL);
            assert_true(i < 200);
        }
    }
    struct ArrowArrayStream out;
    struct ArrowSchema schema;
    bool done = false;
    assert_int_equal(collect(p->ctx, n, 0, &out), LETHE_OK);
    for (uint64_t i = 1; !done; i++) {
        lethe_alloc_fail_at(i);
        int errnum = out.get_schema(&out, &schema);
        lethe_alloc_fail_at(0);
        assert_true(errnum == 0 || errnum == ENOMEM);
        done = errnum == 0;
        assert_true(i < 50);
    }
    schema.release(&schema);
    out.release(&out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, arrow_set_up, arrow_tear_down)
    const struct CMUnitTest tests[] = {TEST(rows_of_all_workers_come_out),
                                       TEST(a_stream_is_released_early), TEST(nothing_is_collected),
                                       TEST(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
