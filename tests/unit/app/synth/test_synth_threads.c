/* SPDX-License-Identifier: Apache-2.0 */
/* The synthetic log: the same bytes on any number of threads, and clean ends. */
/* suite: threads */
#include "synth_harness.h"
#include <sys/stat.h>
#include "app/synth/synth_internal.h"

static lethe_ctx *ctx_of(unsigned n_threads)
{
    lethe_settings s = {.n_threads = n_threads};
    lethe_ctx *ctx;
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

static lethe_wordnet *wn; /* it belongs to no context */

static int begin(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(2);
    lethe_err e = lethe_wordnet_open(ctx, NULL, &wn);
    lethe_ctx_free(ctx);
    return e == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_wordnet_free(wn);
    return 0;
}

static slog made(unsigned n_threads, uint64_t seed, uint64_t users)
{
    lethe_ctx *ctx = ctx_of(n_threads);
    slog s = s_make(ctx, wn, seed, users, 20);
    lethe_ctx_free(ctx);
    return s;
}

static void same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    slog one = made(1, 3, 1000);
    static const unsigned others[] = {2, 7};
    for (size_t i = 0; i < LETHE_COUNT(others); i++) {
        slog s = made(others[i], 3, 1000);
        assert_int_equal(s.n_bytes, one.n_bytes);
        assert_memory_equal(s.bytes, one.bytes, one.n_bytes);
        assert_int_equal(s.n_truth, one.n_truth);
        assert_memory_equal(s.truth, one.truth, one.n_truth);
        assert_memory_equal(&s.counts, &one.counts, sizeof s.counts);
        s_free(&s);
    }
    s_free(&one);
}

/* A larger log begins with the smaller one: what a user does hangs on nobody else. */
static void users_follow_from_seed_and_number(void **state)
{
    (void)state;
    slog large = made(2, 5, 500);
    static const uint64_t sizes[] = {1, 63, 64, 65, 200};
    for (size_t i = 0; i < LETHE_COUNT(sizes); i++) {
        slog s = made(2, 5, sizes[i]);
        assert_true(s.n_bytes < large.n_bytes);
        assert_memory_equal(s.bytes, large.bytes, s.n_bytes);
        assert_memory_equal(s.truth, large.truth, s.n_truth);
        assert_int_equal(lethe_dict_count(s.users), sizes[i]);
        s_free(&s);
    }
    s_free(&large);
}

static void another_seed_is_another_log(void **state)
{
    (void)state;
    slog a = made(2, 1, 100), b = made(2, 2, 100);
    assert_true(a.n_bytes != b.n_bytes || memcmp(a.bytes, b.bytes, a.n_bytes) != 0);
    assert_true(a.n_truth != b.n_truth || memcmp(a.truth, b.truth, a.n_truth) != 0);
    s_free(&a);
    s_free(&b);
}

static void truth_may_be_unwanted(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(2);
    lethe_synth_counts counts, with;
    char log[] = "/tmp/lethe-synth-log-XXXXXX", truth[] = "/tmp/lethe-synth-truth-XXXXXX";
    close(mkstemp(log));
    close(mkstemp(truth));
    assert_int_equal(s_write(ctx, wn, 1, 200, 60, log, NULL, &counts), LETHE_OK);
    size_t n, n_with;
    char *bytes = s_read(log, &n);
    assert_int_equal(s_write(ctx, wn, 1, 200, 60, log, truth, &with), LETHE_OK);
    char *bytes_with = s_read(log, &n_with);
    assert_int_equal(n, n_with);
    assert_memory_equal(bytes, bytes_with, n);
    assert_memory_equal(&counts, &with, sizeof with); // counted all the same
    free(bytes);
    free(bytes_with);
    unlink(log);
    unlink(truth);
    lethe_ctx_free(ctx);
}

static void cancelled_is_cancelled(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(2);
    lethe_synth_counts counts;
    lethe_ctx_cancel(ctx);
    assert_int_equal(s_write(ctx, wn, 1, 1000, 60, "/tmp/lethe-synth-cancelled", NULL, &counts),
                     LETHE_ECANCEL);
    assert_int_not_equal(access("/tmp/lethe-synth-cancelled", F_OK), 0);
    lethe_ctx_free(ctx);
}

/* Each try makes the topics again, which takes its time: in the long middle, where arena and
 * buffers grow, not every n.  What several threads need depends on which of them gets the work, so
 * that every n fails is asked of one alone. */
static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        char log[] = "/tmp/lethe-synth-log-XXXXXX", truth[] = "/tmp/lethe-synth-truth-XXXXXX";
        close(mkstemp(log));
        close(mkstemp(truth));
        lethe_ctx *ctx = ctx_of(threads);
        lethe_synth_counts counts;
        uint64_t before = lethe_alloc_count();
        assert_int_equal(s_write(ctx, wn, 1, 70, 30, log, truth, &counts), LETHE_OK);
        uint64_t all = lethe_alloc_count() - before;
        size_t n_tried = 0;
        for (uint64_t n = 1; n <= all; n += n > 30 && n + 30 < all ? 10 : 1) {
            n_tried++;
            lethe_alloc_fail_at(n);
            lethe_err e = s_write(ctx, wn, 1, 70, 30, log, truth, &counts);
            lethe_alloc_fail_at(0);
            if (threads == 1 || e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        }
        assert_true(n_tried > 30);
        unlink(log);
        unlink(truth);
        lethe_ctx_free(ctx);
    }
}

/* --- a dictionary without topics --- */

static char said[256];

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    if (m->severity == LETHE_ERROR) snprintf(said, sizeof said, "%s", m->text);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void too_small_a_dictionary_is_refused(void **state)
{
    (void)state;
    char dir[] = "/tmp/lethe-synth-XXXXXX";
    lethe_settings s = {.n_threads = 1, .on_message = keep_message};
    lethe_ctx *ctx;
    lethe_wordnet *small;
    lethe_synth_counts counts;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    put("data.noun", "00000000 03 n 01 entity 0 000 | all there is  \n");
    put("index.noun", "entity n 1 0 1 0 00000000  \n");
    put("noun.exc", "entities entity\n");
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    assert_int_equal(lethe_wordnet_open(ctx, dir, &small), LETHE_OK);
    assert_int_equal(s_write(ctx, small, 1, 10, 10, "log", NULL, &counts), LETHE_EINPUT);
    assert_string_equal(said, "the dictionary is too small for a synthetic log");
    assert_int_not_equal(access("log", F_OK), 0);
    lethe_wordnet_free(small);
    lethe_ctx_free(ctx);
    unlink("data.noun");
    unlink("index.noun");
    unlink("noun.exc");
    assert_int_equal(chdir("/"), 0);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_for_any_number_of_threads),
        cmocka_unit_test(users_follow_from_seed_and_number),
        cmocka_unit_test(another_seed_is_another_log),
        cmocka_unit_test(truth_may_be_unwanted),
        cmocka_unit_test(cancelled_is_cancelled),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
        cmocka_unit_test(too_small_a_dictionary_is_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
