/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/need.h"
#include "core/parse.h"
#include <stdio.h>

#define MIB (UINT64_C(1) << 20)

/* The last message, and how many there were. */
typedef struct heard {
    int n;
    lethe_severity severity;
    char text[1024];
} heard;

static void hear(void *arg, const lethe_message *m)
{
    heard *h = arg;
    h->n++;
    h->severity = m->severity;
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

static lethe_ctx *ctx_with(uint64_t memory, heard *h)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {
        .n_threads = 2, .memory_bytes = memory, .on_message = hear, .user = h, .details = true};
    *h = (heard){0};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

/* A mebibyte for each record, and what is held. */
static uint64_t mib_each(const lethe_work *w, const lethe_sizes *s)
{
    assert_ptr_equal(w->arg, "arg");
    assert_int_equal(s->threads, 2);
    return s->n * MIB + s->held;
}

static const lethe_work work = {.name = "sort", .need = mib_each, .arg = "arg"};

static lethe_sizes records(uint64_t n)
{
    return (lethe_sizes){.things = "records", .parts_are = "items", .n = n, .parts = 10 * n};
}

static void a_need_is_told_or_refused(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = ctx_with(1000 * MIB, &h);
    lethe_sizes s = records(2000);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK); // no work is at hand
    assert_int_equal(h.n, 0);
    lethe_work before = lethe_ctx_begin_work(ctx, &work);
    assert_null(before.name);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_ENOMEM);
    assert_int_equal(h.severity, LETHE_ERROR);
    assert_string_equal(h.text, "sort needs about 2.0 GiB of memory for 2,000 records with 20,000 "
                                "items, and the limit is 1.0 GiB; give --memory 2100M, or fewer "
                                "records");
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_ENOMEM); // said once
    assert_int_equal(h.n, 1);
    lethe_ctx_begin_work(ctx, &work);
    s = records(1000); // not a byte more than the limit
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.severity, LETHE_NOTE);
    assert_string_equal(h.text, "sort needs about 1.0 GiB of memory for 1,000 records with 10,000 "
                                "items (limit 1.0 GiB)");
    s.held = 1;
    lethe_ctx_begin_work(ctx, &work);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_ENOMEM);
    assert_string_equal(lethe_ctx_begin_work(ctx, &before).name, "sort");
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK);
    lethe_ctx_free(ctx);
}

static void what_is_expected_is_told_while_reading(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = ctx_with(100 * MIB, &h);
    lethe_sizes s = records(100);
    lethe_ctx_begin_work(ctx, &work);
    assert_int_equal(lethe_ctx_grows(ctx, &s, 1, 1000), LETHE_OK); // as far as it was read
    assert_int_equal(h.n, 0);
    s = records(101);
    s.held = MIB;
    assert_int_equal(lethe_ctx_grows(ctx, &s, 500, 1000), LETHE_ENOMEM);
    assert_string_equal(h.text, // a tenth more than twice as much
                        "sort needs about 225 MiB of memory for about 202 records with 2,020 "
                        "items, and the limit is 100 MiB; give --memory 230M, or fewer records");
    s = records(5); // what was asked for while it was read is part of the need
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_ENOMEM);
    lethe_ctx_begin_work(ctx, &work);
    s = records(101);
    s.held = MIB;
    assert_int_equal(lethe_ctx_grows(ctx, &s, 500, 0), LETHE_ENOMEM); // of a pipe
    assert_string_equal(h.text,
                        "sort needs more than 102 MiB of memory for 101 records with 1,010 items, "
                        "and the limit is 100 MiB; give --memory 110M or more, or fewer records");
    lethe_ctx_begin_work(ctx, &(lethe_work){.name = "hold"});
    s = (lethe_sizes){.held = 100 * MIB};
    assert_int_equal(lethe_ctx_grows(ctx, &s, 0, 0), LETHE_ENOMEM);
    assert_string_equal(h.text,
                        "hold needs more than 112 MiB of memory for what was read so far, and the "
                        "limit is 100 MiB; give --memory 120M or more, or fewer data");
    lethe_ctx_free(ctx);
}

/* The program and WordNet alone take more than the least limit. */
static void little_is_never_refused(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = ctx_with(16 * MIB, &h);
    lethe_sizes s = records(64);
    lethe_ctx_begin_work(ctx, &work);
    assert_int_equal(lethe_ctx_grows(ctx, &s, 1, 1), LETHE_OK);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK);
    assert_int_equal(h.severity, LETHE_DETAIL);
    s.held = 1;
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_ENOMEM);
    lethe_ctx_free(ctx);
    ctx = NULL; // and who does not ask for details gets none
    assert_int_equal(
        lethe_ctx_new(&(lethe_settings){.n_threads = 2, .on_message = hear, .user = &h}, &ctx),
        LETHE_OK);
    h.n = 0;
    lethe_ctx_begin_work(ctx, &work);
    s = records(1);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK);
    assert_int_equal(h.n, 0);
    s = records(255);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK);
    assert_int_equal(h.n, 0);
    s = records(256); // unless it is large
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_OK);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.severity, LETHE_NOTE);
    lethe_ctx_free(ctx);
    ctx = ctx_with(0, &h);
    lethe_ctx_begin_work(ctx, &work);
    s = records(UINT64_C(1) << 40);
    assert_int_equal(lethe_ctx_need(ctx, &s), LETHE_ENOMEM);
    assert_non_null(strstr(h.text, " (half of the machine's); "));
    lethe_ctx_free(ctx);
}

/* What is offered is enough, not far too much, and an option takes it. */
static void a_size_offered_is_enough(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < UINT64_C(1) << 50; bytes += bytes / 3 + 1) {
        char text[LETHE_SIZE_TEXT];
        uint64_t offered;
        lethe_size_option(text, bytes);
        assert_true(lethe_parse_size(lethe_str_of(text), &offered));
        assert_true(offered > bytes);
        assert_true(offered <= bytes + bytes / 10 + 2 * MIB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_need_is_told_or_refused),
        cmocka_unit_test(what_is_expected_is_told_while_reading),
        cmocka_unit_test(little_is_never_refused),
        cmocka_unit_test(a_size_offered_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
