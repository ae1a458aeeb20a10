/* SPDX-License-Identifier: Apache-2.0 */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/ctx.h"
#include "core/machine.h"
#include "core/mem.h"
#include "sanitized.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap_us(long us)
{
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

static lethe_ctx *ctx_with(unsigned n_threads)
{
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = n_threads};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

/* --- status --- */

static void errors_have_names_and_exit_statuses(void **state)
{
    (void)state;
    static const struct {
        lethe_err e;
        int status;
    } cases[] = {{LETHE_OK, 0},  {LETHE_ANSWER_NO, 1}, {LETHE_EUSAGE, 2},  {LETHE_EINPUT, 3},
                 {LETHE_EIO, 4}, {LETHE_ENOMEM, 4},    {LETHE_ECANCEL, 4}, {LETHE_EINTERNAL, 5}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        assert_int_equal(lethe_exit_status(cases[i].e), cases[i].status);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(lethe_err_name(cases[i].e), lethe_err_name(cases[j].e));
    }
    assert_int_equal(lethe_exit_status((lethe_err)99), 5);
    assert_string_equal(lethe_err_name((lethe_err)99), "unknown");
    assert_string_equal(lethe_version(), LETHE_VERSION);
}

/* --- messages --- */

typedef struct heard {
    int n;
    lethe_message last;
    char file[8192], text[8192];
} heard;

static void hear(void *ctx, const lethe_message *m)
{
    heard *h = ctx;
    h->n++;
    h->last = *m;
    snprintf(h->file, sizeof h->file, "%s", m->file ? m->file : "(none)");
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

static void messages_arrive_as_said(void **state)
{
    (void)state;
    static heard h;
    lethe_diag *d = lethe_diag_new(hear, &h);
    assert_int_equal(lethe_fail(d, LETHE_EIO, "cannot open '%s': %d", "a", 5), LETHE_EIO);
    assert_string_equal(h.text, "cannot open 'a': 5");
    assert_true(h.last.severity == LETHE_ERROR && !h.last.file && !h.last.line && !h.last.column);
    assert_int_equal(h.last.content.n, 0);
    assert_int_equal(lethe_fail_at(d, LETHE_EINPUT, "log", 7, 3, "bad %s", "time"), LETHE_EINPUT);
    assert_string_equal(h.file, "log");
    assert_string_equal(h.text, "bad time");
    assert_true(h.last.line == 7 && h.last.column == 3 && h.last.severity == LETHE_ERROR);
    lethe_warn(d, "w%d", 1);
    assert_true(h.last.severity == LETHE_WARNING && strcmp(h.text, "w1") == 0);
    lethe_note(d, "n");
    assert_true(h.last.severity == LETHE_NOTE && strcmp(h.text, "n") == 0);
    assert_int_equal(lethe_no_memory(d), LETHE_ENOMEM);
    assert_string_equal(h.text, "out of memory");
    lethe_message m = {.severity = LETHE_NOTE, .text = "t", .content = LETHE_LIT("raw\n")};
    lethe_say(d, &m);
    assert_true(lethe_str_eq(h.last.content, m.content));
    lethe_say(d, &(lethe_message){.severity = LETHE_NOTE});
    assert_string_equal(h.text, "");
    assert_int_equal(h.n, 7);
    lethe_diag_free(d);
}

static void nobody_need_listen(void **state)
{
    (void)state;
    assert_int_equal(lethe_fail(NULL, LETHE_ANSWER_NO, "x"), LETHE_ANSWER_NO);
    assert_int_equal(lethe_fail_at(NULL, LETHE_EINPUT, "f", 1, 1, "x"), LETHE_EINPUT);
    assert_int_equal(lethe_no_memory(NULL), LETHE_ENOMEM);
    lethe_warn(NULL, "x");
    lethe_note(NULL, "x");
    lethe_diag *d = lethe_diag_new(NULL, NULL);
    assert_int_equal(lethe_fail(d, LETHE_ANSWER_NO, "x"), LETHE_ANSWER_NO);
    lethe_say(d, &(lethe_message){.text = "x"});
    lethe_diag_free(d);
    lethe_diag_free(NULL);
    lethe_alloc_fail_at(1);
    assert_null(lethe_diag_new(NULL, NULL));
    lethe_alloc_fail_at(0);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *shown;
    } cases[] = {
        {"plain ~!", "plain ~!"},
        {"a\nb\rc\td", "a\\nb\\rc\\td"},
        {"\x1b[31m", "\\x1b[31m"},
        {"\x01\x7f", "\\x01\\x7f"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc2\x9b", "\\xc2\\x9b"},                   // C1: some terminals obey it
        {"\xc2\xa0", "\xc2\xa0"},                     // the first one after C1
        {"\xff\xc3", "\\xff\\xc3"},                   // not UTF-8
        {"\xc0\xaf", "\\xc0\\xaf"},                   // overlong
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},          // overlong
        {"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"}, // overlong
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          // surrogate
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, // beyond U+10FFFF
        {"\xe2\x82", "\\xe2\\x82"},                   // cut off
    };
    static heard h;
    lethe_diag *d = lethe_diag_new(hear, &h);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_fail_at(d, LETHE_EIO, cases[i].raw, 1, 1, "%s", cases[i].raw);
        assert_string_equal(h.file, cases[i].shown);
        assert_string_equal(h.text, cases[i].shown);
    }
    lethe_diag_free(d);
    char out[16];
    assert_int_equal(lethe_show(out, sizeof out, (lethe_str){"a\0b", 3}), 6);
    assert_string_equal(out, "a\\x00b");
}

static void what_is_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    static const struct {
        const char *raw;
        size_t cap;
        const char *shown;
    } cases[] = {
        {"abcdef", 7, "abcdef"},
        {"abcdef", 6, "ab..."},
        {"abcdef", 4, "..."},
        {"abc", 4, "abc"},
        {"", 4, ""},
        {"ab\xc3\xa9\xc3\xa9", 7, "ab\xc3\xa9\xc3\xa9"},
        {"ab\xc3\xa9\xc3\xa9", 6, "ab..."},
        {"a\n\n\n", 7, "a\\n..."}, // an escape is not cut either
        {"\x01\x01\x01", 10, "\\x01..."},
        {"\x01\x01\x01", 4, "..."},
        {"\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 8, "\xf0\x9f\x98\x80..."},
        {"\xe2\x80\xae", 20, "\\xe2\\x80\\xae"}, // it turns the direction of writing
        {"\xe2\x80\xa7\xe2\x80\xaf", 20, "\xe2\x80\xa7\xe2\x80\xaf"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        char *out = malloc(cases[i].cap);
        size_t n = lethe_show(out, cases[i].cap, lethe_str_of(cases[i].raw));
        assert_string_equal(out, cases[i].shown);
        assert_int_equal(n, strlen(out));
        free(out);
    }
    static heard h;
    static char huge[100000];
    memset(huge, 'x', sizeof huge - 1);
    lethe_diag *d = lethe_diag_new(hear, &h);
    lethe_fail_at(d, LETHE_EIO, huge, 1, 1, "cannot open '%s'", huge);
    assert_in_range(strlen(h.text), 5000, 8000);
    assert_string_equal(h.text + strlen(h.text) - 3, "...");
    assert_string_equal(h.file + strlen(h.file) - 3, "...");
    lethe_diag_free(d);
}

static lethe_err say_item(void *arg, size_t i, unsigned w)
{
    lethe_note(arg, "%zu on %u", i, w);
    return LETHE_OK;
}

static void messages_come_one_at_a_time(void **state)
{
    (void)state;
    static heard h; // not atomic: a second one at the same time would be a race, and lose counts
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 4, .on_message = hear, .user = &h};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    assert_int_equal(lethe_pool_for(ctx, 5000, say_item, lethe_ctx_diag(ctx)), LETHE_OK);
    assert_int_equal(h.n, 5000);
    lethe_ctx_free(ctx);
}

/* --- the machine --- */

static void threads_heed_affinity(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(lethe_machine_threads(), CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(lethe_machine_threads(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void memory_heeds_resource_limits(void **state)
{
    (void)state;
    static const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
    uint64_t all = lethe_machine_memory();
    assert_true(all >= 16 << 20);
    assert_true(all <= (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    for (size_t i = 0; i < LETHE_COUNT(resources); i++) {
        struct rlimit before, less;
        assert_int_equal(getrlimit((__rlimit_resource_t)resources[i], &before), 0);
        less = before;
        less.rlim_cur = all / 3;
        assert_int_equal(setrlimit((__rlimit_resource_t)resources[i], &less), 0);
        uint64_t now = lethe_machine_memory(); // allocates nothing
        assert_int_equal(setrlimit((__rlimit_resource_t)resources[i], &before), 0);
        assert_int_equal(now, all / 3);
    }
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static uint64_t cgroup_in(const char *dir, const char *self)
{
    char path[512];
    write_file(dir, "self", self);
    snprintf(path, sizeof path, "%s/self", dir);
    return lethe_cgroup_memory(path, dir);
}

static void memory_heeds_control_groups(void **state)
{
    (void)state;
    static const char *const dirs[] = {"a", "a/b", "memory", "memory/c"};
    char dir[] = "/tmp/lethe-cgroup-XXXXXX", path[512];
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < LETHE_COUNT(dirs); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, dirs[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    write_file(dir, "a/memory.max", "5000\n");
    write_file(dir, "a/b/memory.max", "max\n");
    write_file(dir, "memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file(dir, "memory/c/memory.limit_in_bytes", "7000");
    assert_int_equal(cgroup_in(dir, "0::/a/b\n"), 5000); // the group above counts
    assert_int_equal(cgroup_in(dir, "0::/\n"), UINT64_MAX);
    assert_int_equal(cgroup_in(dir, "0::/a/gone\n"), 5000);
    assert_int_equal(cgroup_in(dir, "9:cpu,memory:/c\n8:pids:/a\n"), 7000);
    assert_int_equal(cgroup_in(dir, "9:memory,cpu:/\n"), UINT64_C(9223372036854771712));
    assert_int_equal(cgroup_in(dir, "9:memoryless,cpu:/c\n"), UINT64_MAX);
    assert_int_equal(cgroup_in(dir, "9:memory:/c\n0::/a\n"), 5000);
    assert_int_equal(cgroup_in(dir, ""), UINT64_MAX);
    assert_int_equal(cgroup_in(dir, "nonsense\n:\n0:\n"), UINT64_MAX);
    assert_int_equal(lethe_cgroup_memory("/nonexistent", dir), UINT64_MAX);
    write_file(dir, "memory.max", "4000\n");
    assert_int_equal(cgroup_in(dir, "0::/a/b\n"), 4000);
    snprintf(path, sizeof path, "rm -r %s", dir);
    assert_int_equal(system(path), 0);
}

/* --- the context --- */

static void settings_are_kept_or_found(void **state)
{
    (void)state;
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 3, .memory_bytes = 12345, .spill_dir = "/somewhere"};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    assert_int_equal(lethe_ctx_threads(ctx), 3);
    assert_int_equal(lethe_ctx_memory(ctx), 12345);
    assert_string_equal(lethe_ctx_spill_dir(ctx), "/somewhere");
    char dir[] = "/elsewhere";
    assert_int_equal(lethe_ctx_set_spill_dir(ctx, dir), LETHE_OK);
    dir[1] = 'x'; // it was copied
    assert_string_equal(lethe_ctx_spill_dir(ctx), "/elsewhere");
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_ctx_set_spill_dir(ctx, "/third"), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_string_equal(lethe_ctx_spill_dir(ctx), "/elsewhere");
    lethe_ctx_free(ctx);
    lethe_ctx_free(NULL);

    setenv("TMPDIR", "/of/the/environment", 1);
    assert_int_equal(lethe_ctx_new(NULL, &ctx), LETHE_OK);
    assert_int_equal(lethe_ctx_threads(ctx), lethe_machine_threads());
    assert_int_equal(lethe_ctx_memory(ctx), lethe_machine_memory() / 2);
    assert_string_equal(lethe_ctx_spill_dir(ctx), "/of/the/environment");
    lethe_ctx_free(ctx);
    setenv("TMPDIR", "", 1);
    ctx = ctx_with(1);
    assert_string_equal(lethe_ctx_spill_dir(ctx), "/tmp");
    lethe_ctx_free(ctx);
    unsetenv("TMPDIR");
    ctx = ctx_with(1);
    assert_string_equal(lethe_ctx_spill_dir(ctx), "/tmp");
    lethe_ctx_free(ctx);
}

static void context_without_memory_fails_cleanly(void **state)
{
    (void)state;
    lethe_settings settings = {.n_threads = 2};
    uint64_t n = 1;
    for (;; n++) {
        lethe_ctx *ctx = NULL;
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_ctx_new(&settings, &ctx);
        lethe_alloc_fail_at(0);
        if (e == LETHE_OK) {
            lethe_ctx_free(ctx);
            break;
        }
        assert_int_equal(e, LETHE_ENOMEM);
        assert_null(ctx);
    }
    assert_in_range(n, 4, 20);
}

/* --- phases and progress --- */

static double seconds_of(const lethe_ctx *ctx, size_t i, const char *want)
{
    const char *name;
    double s;
    lethe_ctx_phase_at(ctx, i, &name, &s);
    assert_string_equal(name, want);
    return s;
}

static void phases_are_timed_and_add_up(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_with(1);
    assert_int_equal(lethe_ctx_phase_count(ctx), 0);
    char name[] = "read";
    lethe_ctx_phase(ctx, name, 0);
    name[0] = 'x';
    nap_us(20000);
    lethe_ctx_phase(ctx, "sort", 10);
    double read_1 = seconds_of(ctx, 0, "read");
    assert_true(read_1 >= 0.02);
    nap_us(10000);
    assert_true(seconds_of(ctx, 0, "read") == read_1); // it does not run on
    double sort_1 = seconds_of(ctx, 1, "sort");
    assert_true(sort_1 >= 0.01);
    nap_us(2000);
    assert_true(seconds_of(ctx, 1, "sort") > sort_1); // this one does
    lethe_ctx_phase(ctx, "read", 0);
    nap_us(20000);
    lethe_ctx_phase(ctx, NULL, 0);
    double read_2 = seconds_of(ctx, 0, "read");
    assert_true(read_2 >= read_1 + 0.02);
    nap_us(2000);
    assert_true(seconds_of(ctx, 0, "read") == read_2);
    assert_int_equal(lethe_ctx_phase_count(ctx), 2);
    lethe_ctx_free(ctx);
}

static void phases_never_run_out(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_with(1);
    char name[200];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%d %0100d", i, 0);
        lethe_ctx_phase(ctx, name, 0);
    }
    size_t n = lethe_ctx_phase_count(ctx);
    assert_in_range(n, 10, 100);
    lethe_ctx_phase(ctx, "one more", 0);
    assert_int_equal(lethe_ctx_phase_count(ctx), n);
    const char *got;
    double s;
    lethe_ctx_phase_at(ctx, 7, &got, &s);
    assert_true(strncmp(got, "7 000", 5) == 0 && strlen(got) < 100);
    lethe_ctx_free(ctx);
}

typedef struct seen {
    int n;
    bool inside, twice, wrong, over;
    uint64_t done;
} seen;

static void see(void *user, const char *phase, uint64_t done, uint64_t total)
{
    seen *s = user;
    if (!phase) {
        s->over = true;
        return;
    }
    if (s->inside) s->twice = true;
    s->inside = true;
    s->n++;
    if (strcmp(phase, "work") != 0 || total != 1000 || done > total) s->wrong = true;
    s->done = done;
    nap_us(s->n == 2 ? 300000 : 1000); // the next report falls due, and another worker comes
    s->inside = false;
}

static lethe_err advance_slowly(void *arg, size_t i, unsigned w)
{
    (void)i, (void)w;
    nap_us(2000);
    lethe_ctx_advance(arg, 1);
    return LETHE_OK;
}

static void progress_is_told_a_few_times_a_second_and_never_twice_at_once(void **state)
{
    (void)state;
    seen s = {0};
    lethe_ctx *ctx = NULL;
    lethe_settings settings = {.n_threads = 4, .on_progress = see, .user = &s};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    lethe_ctx_advance(ctx, 5); // no phase yet: nothing to tell
    assert_int_equal(s.n, 0);
    nap_us(300000);
    lethe_ctx_phase(ctx, "work", 1000);
    assert_int_equal(s.n, 1);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_int_equal(lethe_pool_for(ctx, 1000, advance_slowly, ctx), LETHE_OK);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    assert_true(took > 0.4);
    assert_true(s.n >= 2 && s.n <= 2 + (int)(took * 5.1));
    assert_true(!s.twice && !s.wrong && s.done > 0);
    assert_false(s.over);
    lethe_ctx_phase(ctx, NULL, 0);
    assert_true(s.over);
    lethe_ctx_free(ctx);
}

/* --- cancellation --- */

static lethe_ctx *of_the_handler;
static void on_signal(int sig)
{
    (void)sig;
    lethe_ctx_cancel(of_the_handler);
}

typedef struct counted {
    lethe_ctx *ctx;
    _Atomic size_t n;
    size_t cancel_at;
} counted;

static lethe_err count_item(void *arg, size_t i, unsigned w)
{
    (void)w;
    counted *c = arg;
    c->n++;
    if (i == c->cancel_at) raise(SIGUSR1); // as if the user had pressed ^C
    return LETHE_OK;
}

static void cancelling_stops_the_loop(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    signal(SIGUSR1, on_signal);
    for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
        lethe_ctx *ctx = of_the_handler = ctx_with(threads[t]);
        assert_false(lethe_ctx_cancelled(ctx));
        on_signal(SIGUSR1);
        counted c = {.ctx = ctx, .cancel_at = SIZE_MAX};
        assert_true(lethe_ctx_cancelled(ctx));
        assert_int_equal(lethe_pool_for(ctx, 1000, count_item, &c), LETHE_ECANCEL);
        assert_int_equal(lethe_pool_for(ctx, 0, count_item, &c), LETHE_ECANCEL);
        assert_int_equal(c.n, 0);
        lethe_ctx_free(ctx);
    }
    lethe_ctx *ctx = of_the_handler = ctx_with(1);
    counted c = {.ctx = ctx, .cancel_at = 10};
    assert_int_equal(lethe_pool_for(ctx, 1000, count_item, &c), LETHE_ECANCEL);
    assert_int_equal(c.n, 11);
    lethe_ctx_free(ctx);
    signal(SIGUSR1, SIG_DFL);
}

/* A limit ends work as cancelling does, but is told apart from it, and can be lifted. */
static void limits_end_work_and_are_told_apart(void **state)
{
    (void)state;
    char text[LETHE_BOUND_TEXT];
    lethe_ctx *ctx = ctx_with(2);
    counted c = {.ctx = ctx, .cancel_at = SIZE_MAX};
    assert_int_equal(lethe_ctx_bound_met(ctx), LETHE_BOUND_NONE);
    lethe_ctx_limit_time(ctx, 1e-9);
    nap_us(20000); // the clock is coarse
    assert_true(lethe_ctx_cancelled(ctx));
    assert_int_equal(lethe_ctx_bound_met(ctx), LETHE_BOUND_TIME);
    assert_int_equal(lethe_pool_for(ctx, 1000, count_item, &c), LETHE_ECANCEL);
    lethe_ctx_limit_time(ctx, 90);
    assert_false(lethe_ctx_cancelled(ctx));
    assert_int_equal(lethe_ctx_over_memory(ctx), LETHE_ECANCEL);
    assert_true(lethe_ctx_cancelled(ctx));
    assert_int_equal(lethe_ctx_bound_met(ctx), LETHE_BOUND_MEMORY);
    lethe_ctx_bound_text(ctx, text);
    assert_ptr_equal(strstr(text, "not decided within the memory limit of "), text);
    lethe_ctx_forget_memory(ctx);
    assert_false(lethe_ctx_cancelled(ctx));
    lethe_ctx_bound_text(ctx, text);
    assert_string_equal(text, "not decided within the time limit of 90 s");
    lethe_ctx_limit_time(ctx, 1e-9);
    nap_us(20000);
    lethe_ctx_cancel(ctx); // what the user wants comes first
    assert_int_equal(lethe_ctx_bound_met(ctx), LETHE_BOUND_NONE);
    lethe_ctx_free(ctx);
}

static void no_limit_is_none(void **state)
{
    (void)state;
    static const double none[] = {0, -1, 1e300};
    lethe_ctx *ctx = ctx_with(1);
    for (size_t i = 0; i < LETHE_COUNT(none); i++) {
        lethe_ctx_limit_time(ctx, 1e-9);
        nap_us(20000);
        lethe_ctx_limit_time(ctx, none[i]);
        assert_false(lethe_ctx_cancelled(ctx));
    }
    lethe_ctx_free(ctx);
}

static lethe_err cancel_from_item(void *arg, size_t i, unsigned w)
{
    (void)w;
    counted *c = arg;
    c->n++;
    if (i == c->cancel_at) lethe_ctx_cancel(c->ctx);
    nap_us(100);
    return i > c->cancel_at ? LETHE_EIO : LETHE_OK; // which the cancellation hides
}

static void cancelling_midway_stops_soon(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_with(7);
    counted c = {.ctx = ctx, .cancel_at = 50};
    assert_int_equal(lethe_pool_for(ctx, 100000, cancel_from_item, &c), LETHE_ECANCEL);
    assert_in_range(c.n, 51, 200);
    lethe_ctx_free(ctx);
}

/* --- the pool --- */

typedef struct work {
    unsigned threads;
    uint8_t *ran; /* how often item i did */
    const uint8_t *fails;
    _Atomic unsigned wrong;
    bool slow;
} work;

static lethe_err work_item(void *arg, size_t i, unsigned w)
{
    work *k = arg;
    k->ran[i]++;
    if (w >= k->threads) k->wrong++;
    if (k->slow) nap_us((long)(i * 7919 % 5) * 40);
    return k->fails ? (lethe_err)k->fails[i] : LETHE_OK;
}

static void every_item_runs_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    static const size_t counts[] = {0, 1, 2, 3, 7, 100, 20000};
    for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
        lethe_ctx *ctx = ctx_with(threads[t]);
        assert_int_equal(lethe_ctx_threads(ctx), threads[t]);
        for (size_t c = 0; c < LETHE_COUNT(counts); c++) {
            uint8_t *ran = calloc(counts[c] + 1, 1);
            work k = {.threads = threads[t], .ran = ran};
            assert_int_equal(lethe_pool_for(ctx, counts[c], work_item, &k), LETHE_OK);
            for (size_t i = 0; i < counts[c]; i++)
                assert_int_equal(ran[i], 1);
            assert_int_equal(ran[counts[c]], 0);
            assert_int_equal(k.wrong, 0);
            free(ran);
        }
        lethe_ctx_free(ctx);
    }
}

static void lowest_failure_wins_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { N = 200 };
    static const unsigned threads[] = {1, 2, 7};
    for (size_t t = 0; t < LETHE_COUNT(threads); t++) {
        lethe_ctx *ctx = ctx_with(threads[t]);
        uint64_t x = 1234567;
        for (int round = 0; round < 300; round++) {
            uint8_t ran[N] = {0}, fails[N] = {0};
            x = x * 6364136223846793005u + 1442695040888963407u;
            for (size_t i = x >> 33 & 127; i < N; i += 1 + (x >> 40 & 15))
                fails[i] = (uint8_t)(LETHE_ANSWER_NO + i % 5);
            work k = {.threads = threads[t], .ran = ran, .fails = fails, .slow = round % 10 == 0};
            lethe_err e = lethe_pool_for(ctx, N, work_item, &k);
            size_t low = 0;
            while (!fails[low])
                low++;
            assert_int_equal(e, fails[low]);
            for (size_t i = 0; i < N; i++)
                if (i <= low) assert_int_equal(ran[i], 1);
            if (threads[t] == 1) assert_true(low + 1 == N || ran[low + 1] == 0);
        }
        lethe_ctx_free(ctx);
    }
}

static void failing_stops_the_loop_soon(void **state)
{
    (void)state;
    enum { N = 20000 };
    static uint8_t ran[N], fails[N];
    fails[3] = LETHE_EIO;
    lethe_ctx *ctx = ctx_with(7);
    work k = {.threads = 7, .ran = ran, .fails = fails, .slow = true};
    assert_int_equal(lethe_pool_for(ctx, N, work_item, &k), LETHE_EIO);
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        n += ran[i];
    assert_in_range(n, 4, 1000);
    lethe_ctx_free(ctx);
}

static void many_short_loops_follow_each_other(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_with(7);
    uint8_t ran[3];
    for (int round = 0; round < 5000; round++) {
        memset(ran, 0, sizeof ran);
        work k = {.threads = 7, .ran = ran};
        assert_int_equal(lethe_pool_for(ctx, 3, work_item, &k), LETHE_OK);
        assert_true(ran[0] == 1 && ran[1] == 1 && ran[2] == 1);
    }
    lethe_ctx_free(ctx);
}

typedef struct party {
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    unsigned n, want;
    bool signals_open;
} party;

/* Waits for all workers: returns only if every thread takes part. */
static lethe_err meet(void *arg, size_t i, unsigned w)
{
    (void)i;
    party *p = arg;
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    pthread_mutex_lock(&p->lock);
    if (w > 0 && (!sigismember(&now, SIGINT) || !sigismember(&now, SIGTERM)))
        p->signals_open = true;
    if (w > 0 && sigismember(&now, SIGSEGV)) p->signals_open = true;
    if (++p->n == p->want) pthread_cond_broadcast(&p->all_here);
    while (p->n < p->want)
        pthread_cond_wait(&p->all_here, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return LETHE_OK;
}

static void all_workers_take_part_and_leave_signals_to_the_program(void **state)
{
    (void)state;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    lethe_ctx *ctx = ctx_with(5);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int sig = 1; sig < 32; sig++)
        assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
    party p = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_here = PTHREAD_COND_INITIALIZER, .want = 5};
    assert_int_equal(lethe_pool_for(ctx, 5, meet, &p), LETHE_OK);
    assert_false(p.signals_open);
    lethe_ctx_free(ctx);
}

static unsigned n_tasks(void)
{
    DIR *dir = opendir("/proc/self/task");
    assert_non_null(dir);
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void one_thread_is_the_callers(void **state)
{
    (void)state;
    unsigned before = n_tasks();
    lethe_ctx *ctx = ctx_with(1);
    assert_int_equal(n_tasks(), before);
    lethe_ctx *more = ctx_with(3);
    assert_int_equal(n_tasks(), before + 2);
    lethe_ctx_free(more);
    lethe_ctx_free(ctx);
}

/* In a child, which a lack of address space cannot outlive. */
static void fewer_threads_will_do(void **state)
{
    (void)state;
#if SANITIZED
    skip(); // sanitizers want more address space than is left here
#else
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit r = {.rlim_cur = 256 << 20, .rlim_max = 256 << 20};
        lethe_ctx *ctx = NULL;
        lethe_settings settings = {.n_threads = 5000};
        static uint8_t ran[3000];
        if (setrlimit(RLIMIT_AS, &r) != 0 || lethe_ctx_new(&settings, &ctx) != LETHE_OK) _exit(1);
        unsigned n = lethe_ctx_threads(ctx);
        work k = {.threads = n, .ran = ran};
        if (n < 2 || n > 1000) _exit(2);
        if (lethe_pool_for(ctx, 3000, work_item, &k) != LETHE_OK || k.wrong) _exit(3);
        lethe_ctx_free(ctx);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
#endif
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_names_and_exit_statuses),
        cmocka_unit_test(messages_arrive_as_said),
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(what_is_too_long_is_cut_between_characters),
        cmocka_unit_test(messages_come_one_at_a_time),
        cmocka_unit_test(threads_heed_affinity),
        cmocka_unit_test(memory_heeds_resource_limits),
        cmocka_unit_test(memory_heeds_control_groups),
        cmocka_unit_test(settings_are_kept_or_found),
        cmocka_unit_test(context_without_memory_fails_cleanly),
        cmocka_unit_test(phases_are_timed_and_add_up),
        cmocka_unit_test(phases_never_run_out),
        cmocka_unit_test(progress_is_told_a_few_times_a_second_and_never_twice_at_once),
        cmocka_unit_test(cancelling_stops_the_loop),
        cmocka_unit_test(limits_end_work_and_are_told_apart),
        cmocka_unit_test(no_limit_is_none),
        cmocka_unit_test(cancelling_midway_stops_soon),
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(lowest_failure_wins_for_any_number_of_threads),
        cmocka_unit_test(failing_stops_the_loop_soon),
        cmocka_unit_test(many_short_loops_follow_each_other),
        cmocka_unit_test(all_workers_take_part_and_leave_signals_to_the_program),
        cmocka_unit_test(one_thread_is_the_callers),
        cmocka_unit_test(fewer_threads_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
