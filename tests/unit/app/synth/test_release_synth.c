/* SPDX-License-Identifier: Apache-2.0 */
/* lethe_synth_log: log, truth and results appear together, or none does. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "release/commands.h"
#include "core/mem.h"
#include "model/knowledge/truth.h"

typedef struct place {
    char dir[64], said[512];
    lethe_ctx *ctx;
    lethe_json_doc *doc;
    lethe_json *report;
    int n_reports;
    lethe_err answer; /* of on_report */
} place;

static void hear(void *user, const lethe_message *m)
{
    place *p = user;
    if (m->severity == LETHE_ERROR) snprintf(p->said, sizeof p->said, "%s", m->text);
}

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    lethe_settings s = {.n_threads = 2, .on_message = hear, .user = p};
    strcpy(p->dir, "/tmp/lethe-test-XXXXXX");
    umask(022);
    if (!mkdtemp(p->dir) || chdir(p->dir) != 0) return -1;
    p->doc = lethe_json_doc_new();
    *state = p;
    return p->doc && lethe_ctx_new(&s, &p->ctx) == LETHE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    place *p = *state;
    char line[128];
    lethe_json_doc_free(p->doc);
    lethe_ctx_free(p->ctx);
    snprintf(line, sizeof line, "cd / && rm -rf %s", p->dir);
    int bad = chdir("/") != 0 || system(line) != 0;
    free(p);
    return bad;
}

static lethe_err on_report(void *user, const lethe_json *report)
{
    place *p = user;
    (void)report;
    p->n_reports++;
    assert_int_not_equal(access("log", F_OK), 0); // not yet
    return p->answer;
}

static lethe_err make(place *p, lethe_synth_options s)
{
    if (!s.out) s.out = "log";
    if (s.users == 0) s.users = 100;
    if (s.queries_per_user == 0) s.queries_per_user = 10;
    s.has_seed = true;
    p->said[0] = '\0';
    return lethe_synth_log(p->ctx, &s, p->doc, &p->report);
}

static int files_here(void)
{
    DIR *dir = opendir(".");
    int n = 0;
    for (struct dirent *e; (e = readdir(dir));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool file_is(const char *path, const char *text)
{
    char got[64] = {0};
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    return n == strlen(text) && strcmp(got, text) == 0;
}

static int64_t lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    int64_t n = 0;
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        n += c == '\n';
    fclose(f);
    return n;
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static int64_t figure(const place *p, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(p->report, "metrics"), name));
}

static void all_appear_with_a_report(void **state)
{
    place *p = *state;
    lethe_truth *t;
    assert_int_equal(make(p, (lethe_synth_options){.seed = 3,
                                                   .truth = "truth",
                                                   .results = "results",
                                                   .on_report = on_report,
                                                   .user = p}),
                     LETHE_OK);
    assert_int_equal(p->n_reports, 1);
    assert_int_equal(files_here(), 3);
    assert_int_equal(mode_of("results"), 0644);
    assert_int_equal(mode_of("log"), 0644);
    assert_int_equal(mode_of("truth"), 0600);
    assert_int_equal(figure(p, "rows") + 1, lines_of("log"));
    assert_int_equal(figure(p, "users"), 100);
    assert_true(figure(p, "queries") > 0 && figure(p, "queries") <= figure(p, "rows"));
    assert_int_equal(lethe_truth_read(p->ctx, "truth", &t), LETHE_OK);
    const lethe_json *planted = lethe_json_get(lethe_json_get(p->report, "metrics"), "planted");
    for (size_t k = 0; k < LETHE_N_PLANTS; k++) {
        int64_t n = 0;
        for (size_t i = 0; i < t->n; i++)
            n += t->at[i].kind == (lethe_plant)k;
        assert_int_equal(lethe_json_int(lethe_json_get(planted, lethe_plant_names[k])), n);
    }
    assert_true(t->n > 0);
    lethe_truth_free(t);
    static const char *const members[] = {"command", "parameters", "metrics", "seconds",
                                          "peak_bytes"};
    for (size_t i = 0; i < LETHE_COUNT(members); i++)
        assert_non_null(lethe_json_get(p->report, members[i]));
    assert_null(lethe_json_get(lethe_json_get(p->report, "parameters"), "seed"));
}

static void truth_is_written_only_where_wanted(void **state)
{
    place *p = *state;
    assert_int_equal(make(p, (lethe_synth_options){.seed = 3}), LETHE_OK);
    assert_int_equal(files_here(), 1);
}

static void what_exists_stays(void **state)
{
    place *p = *state;
    put_file("log", "mine");
    assert_int_equal(make(p, (lethe_synth_options){.truth = "truth"}), LETHE_EUSAGE);
    assert_int_equal(files_here(), 1);
    assert_true(file_is("log", "mine"));
    static const char *const beside[] = {"truth", "results"};
    const char *was = "log";
    for (size_t i = 0; i < LETHE_COUNT(beside); i++) {
        assert_int_equal(rename(was, beside[i]), 0);
        assert_int_equal(make(p, (lethe_synth_options){.truth = "truth", .results = "results"}),
                         LETHE_EUSAGE);
        assert_int_equal(files_here(), 1);
        assert_true(file_is(beside[i], "mine"));
        was = beside[i];
    }
}

static void force_replaces_both(void **state)
{
    place *p = *state;
    put_file("log", "mine");
    put_file("truth", "mine");
    assert_int_equal(make(p, (lethe_synth_options){.truth = "truth", .force = true}), LETHE_OK);
    assert_int_equal(files_here(), 2);
    assert_true(lines_of("log") > 100);
    assert_true(lines_of("truth") > 1);
    assert_int_equal(mode_of("truth"), 0600);
}

/* With force too: the second would take the place of the first. */
static void one_file_cannot_hold_both(void **state)
{
    place *p = *state;
    char whole[128];
    snprintf(whole, sizeof whole, "%s/log", p->dir);
    const char *const names[] = {"log", "./log", ".//log", whole};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        assert_int_equal(make(p, (lethe_synth_options){.truth = names[i], .force = true}),
                         LETHE_EUSAGE);
        assert_non_null(strstr(p->said, "cannot hold both the log and the truth"));
        assert_int_equal(files_here(), 0);
    }
    assert_int_equal(make(p, (lethe_synth_options){.results = "./log"}), LETHE_EUSAGE);
    assert_non_null(strstr(p->said, "cannot hold both the log and the results"));
    assert_int_equal(make(p, (lethe_synth_options){.truth = "t", .results = "./t"}), LETHE_EUSAGE);
    assert_non_null(strstr(p->said, "cannot hold both the truth and the results"));
    assert_int_equal(make(p, (lethe_synth_options){.version = 1, .results = "r"}), LETHE_EUSAGE);
    assert_non_null(strstr(p->said, "version 1"));
    assert_int_equal(make(p, (lethe_synth_options){.version = 3}), LETHE_EUSAGE);
    assert_int_equal(files_here(), 0);
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(make(p, (lethe_synth_options){.truth = "d/log"}), LETHE_OK);
}

static void a_report_that_fails_leaves_nothing(void **state)
{
    place *p = *state;
    p->answer = LETHE_EIO;
    assert_int_equal(
        make(p, (lethe_synth_options){.truth = "truth", .on_report = on_report, .user = p}),
        LETHE_EIO);
    assert_int_equal(p->n_reports, 1);
    assert_int_equal(files_here(), 0);
}

static void folders_that_cannot_be_made_are_an_error(void **state)
{
    place *p = *state;
    assert_int_equal(make(p, (lethe_synth_options){.out = "/proc/no/log", .truth = "truth"}),
                     LETHE_EIO);
    assert_int_equal(make(p, (lethe_synth_options){.truth = "/proc/no/truth"}), LETHE_EIO);
    assert_int_equal(files_here(), 0);
}

static void nonsense_is_bad_usage(void **state)
{
    place *p = *state;
    static const double bad[] = {-1, 0.5, 10001, INFINITY, NAN};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_int_equal(make(p, (lethe_synth_options){.queries_per_user = bad[i]}), LETHE_EUSAGE);
    lethe_synth_options none = {.queries_per_user = 10, .out = "log"};
    assert_int_equal(lethe_synth_log(p->ctx, &none, p->doc, &p->report), LETHE_EUSAGE);
    assert_int_equal(make(p, (lethe_synth_options){.users = UINT64_MAX}), LETHE_EUSAGE);
    assert_int_equal(files_here(), 0);
}

static void without_a_dictionary_there_is_no_log(void **state)
{
    place *p = *state;
    const char *was = getenv("WNSEARCHDIR");
    char keep[4096] = "";
    if (was) snprintf(keep, sizeof keep, "%s", was);
    setenv("WNSEARCHDIR", p->dir, 1);
    assert_int_equal(make(p, (lethe_synth_options){.truth = "truth"}), LETHE_EIO);
    assert_true(p->said[0]);
    assert_int_equal(files_here(), 0);
    if (was)
        setenv("WNSEARCHDIR", keep, 1);
    else
        unsetenv("WNSEARCHDIR");
}

static void without_a_seed_no_two_are_alike(void **state)
{
    place *p = *state;
    lethe_synth_options s = {.users = 50, .queries_per_user = 10, .out = "a"};
    assert_int_equal(lethe_synth_log(p->ctx, &s, p->doc, &p->report), LETHE_OK);
    s.out = "b";
    assert_int_equal(lethe_synth_log(p->ctx, &s, p->doc, &p->report), LETHE_OK);
    assert_int_not_equal(system("cmp -s a b"), 0);
}

static void cancelled_leaves_nothing(void **state)
{
    place *p = *state;
    lethe_ctx_cancel(p->ctx);
    assert_int_equal(make(p, (lethe_synth_options){.truth = "truth", .results = "results"}),
                     LETHE_ECANCEL);
    assert_int_equal(files_here(), 0);
}

/* Each try reads the dictionary again: not every n. */
static void every_lack_of_memory_leaves_nothing(void **state)
{
    place *p = *state;
    size_t n_failed = 0;
    lethe_err e = LETHE_ENOMEM;
    for (uint64_t n = 1; e != LETHE_OK; n += 1 + n / 4) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report;
        lethe_synth_options s = {.users = 70,
                                 .queries_per_user = 10,
                                 .has_seed = true,
                                 .out = "log",
                                 .truth = "truth",
                                 .results = "results"};
        lethe_alloc_fail_at(n);
        e = lethe_synth_log(p->ctx, &s, doc, &report);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) {
            assert_int_equal(e, LETHE_ENOMEM);
            assert_int_equal(files_here(), 0);
            n_failed++;
        }
        lethe_json_doc_free(doc);
    }
    assert_true(n_failed > 10);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(all_appear_with_a_report),
        T(truth_is_written_only_where_wanted),
        T(what_exists_stays),
        T(force_replaces_both),
        T(one_file_cannot_hold_both),
        T(a_report_that_fails_leaves_nothing),
        T(folders_that_cannot_be_made_are_an_error),
        T(nonsense_is_bad_usage),
        T(without_a_dictionary_there_is_no_log),
        T(without_a_seed_no_two_are_alike),
        T(cancelled_leaves_nothing),
        T(every_lack_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
