/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that appear as a whole, and take the place of old ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "sink_harness.h"
#include <signal.h>
#include <sys/wait.h>

static lethe_err say_yes(lethe_diag *d, const char *path, int dirfd)
{
    (void)d;
    (void)path;
    struct stat st;
    return fstat(dirfd, &st) == 0 && S_ISDIR(st.st_mode) ? LETHE_OK : LETHE_EIO;
}

static lethe_err say_no(lethe_diag *d, const char *path, int dirfd)
{
    (void)dirfd;
    return lethe_fail(d, LETHE_EUSAGE, "not '%s'", path);
}

/* Yes, as long as there is a file "ours" in it. */
static lethe_err if_ours(lethe_diag *d, const char *path, int dirfd)
{
    return faccessat(dirfd, "ours", F_OK, 0) == 0 ? LETHE_OK : say_no(d, path, dirfd);
}

/* Yes; and then somebody puts another folder there. */
static lethe_err yes_then_swap(lethe_diag *d, const char *path, int dirfd)
{
    (void)d;
    (void)dirfd;
    if (exists("other")) {
        assert_int_equal(rename(path, "moved"), 0);
        assert_int_equal(rename("other", path), 0);
    }
    return LETHE_OK;
}

static void put_in(place *p, lethe_folder *f, const char *name, const char *text)
{
    lethe_sink *s;
    assert_ok(lethe_sink_in(p->d, f, name, &s));
    assert_ok(lethe_sink_write(s, text, strlen(text)));
    assert_ok(lethe_sink_commit(s));
}

static void folder_appears_when_committed(void **state)
{
    place *p = *state;
    lethe_folder *f;
    char temp[NAME_MAX + 1] = "", inside[PATH_MAX];
    umask(027);
    assert_ok(lethe_folder_begin(p->d, "rel//", false, NULL, &f));
    assert_int_equal(entries(".", temp), 1);
    assert_memory_equal(temp, ".rel.lethe-", 11);
    assert_string_equal(lethe_folder_temp(f), temp);
    assert_int_equal(mode_of(temp), 0700);
    struct stat a, b;
    assert_int_equal(fstat(lethe_folder_fd(f), &a) | stat(temp, &b), 0);
    assert_int_equal(a.st_ino, b.st_ino);
    lethe_sink *s;
    assert_ok(lethe_sink_in(p->d, f, "data", &s));
    snprintf(inside, sizeof inside, "%s/data", temp);
    assert_int_equal(mode_of(inside), 0600);
    assert_ok(lethe_sink_write(s, "x", 1));
    assert_ok(lethe_sink_commit(s));
    assert_int_equal(mode_of(inside), 0640);
    assert_ok(lethe_sink_in(p->d, f, "dropped", &s));
    lethe_sink_abort(s);
    assert_ok(lethe_folder_commit(f));
    assert_int_equal(mode_of("rel"), 0750);
    file_is("rel/data", "x");
    assert_int_equal(entries("rel", NULL), 1);
    assert_int_equal(entries(".", NULL), 1);
    assert_string_equal(p->said, "");
}

static void folder_lies_where_the_path_says(void **state)
{
    place *p = *state;
    lethe_folder *f;
    char path[128];
    assert_int_equal(mkdir("a", 0755), 0);
    snprintf(path, sizeof path, "%s/a/rel", p->dir);
    assert_ok(lethe_folder_begin(p->d, path, false, NULL, &f));
    assert_memory_equal(lethe_folder_temp(f), path, strlen(path) - 3);
    assert_int_equal(mode_of(lethe_folder_temp(f)), 0700);
    assert_ok(lethe_folder_commit(f));
    assert_int_equal(mode_of("a/rel"), 0755);
    assert_int_equal(entries("a", NULL), 1);
}

static void aborted_folder_leaves_nothing(void **state)
{
    place *p = *state;
    lethe_folder *f;
    lethe_sink *s;
    assert_ok(lethe_folder_begin(p->d, "rel", false, NULL, &f));
    put_in(p, f, "a", "x");
    assert_ok(lethe_sink_in(p->d, f, "b", &s));
    lethe_folder_abort(f);
    assert_int_equal(entries(".", NULL), 0);
    lethe_sink_abort(s); // in either order
    lethe_folder_abort(NULL);
    assert_int_equal(p->n_warnings, 0);
    assert_ok(lethe_folder_begin(p->d, "rel", false, NULL, &f));
    assert_int_equal(mkdirat(lethe_folder_fd(f), "strange", 0755), 0);
    lethe_folder_abort(f);
    assert_int_equal(p->n_warnings, 1);
}

static void names_in_a_folder_are_checked(void **state)
{
    place *p = *state;
    lethe_folder *f;
    lethe_sink *s;
    char long_name[300];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const char *bad[] = {"", ".", "..", "a/b", "/", "../x", long_name};
    assert_ok(lethe_folder_begin(p->d, "rel", false, NULL, &f));
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_usage(lethe_sink_in(p->d, f, bad[i], &s));
    put_in(p, f, "a", "x");
    assert_io(lethe_sink_in(p->d, f, "a", &s));
    assert_said(p, "cannot create 'a': file exists");
    assert_int_equal(symlinkat("../none", lethe_folder_fd(f), "planted"), 0);
    assert_io(lethe_sink_in(p->d, f, "planted", &s));
    assert_false(exists("none"));
    lethe_folder_abort(f);
    assert_int_equal(entries(".", NULL), 0);
}

static void folder_targets_are_checked(void **state)
{
    place *p = *state;
    lethe_folder *f;
    static const char *const bad[] = {"",         "/",    "//",       ".",    "..",
                                      "./",       "../",  "full/..",  "file", "link",
                                      "dangling", "fifo", "/dev/null"};
    assert_int_equal(mkdir("full", 0755) | mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("full", "link") | symlink("none", "dangling"), 0);
    put_file("file", "");
    put_file("full/x", "");
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        for (int force = 0; force < 2; force++)
            assert_usage(lethe_folder_begin(p->d, bad[i], force, say_yes, &f));
    assert_usage(lethe_folder_begin(p->d, "full", false, say_yes, &f));
    assert_string_equal(p->said, "'full' exists (use --force to replace it)");
    assert_usage(lethe_folder_begin(p->d, "full", true, NULL, &f));
    assert_usage(lethe_folder_begin(p->d, "full", true, say_no, &f));
    assert_string_equal(p->said, "not 'full'");
    assert_io(lethe_folder_begin(p->d, "/proc/none/rel", true, say_yes, &f));
    assert_string_equal(p->said, "cannot create '/proc/none/rel': no such file or directory");
    // folders above it are made, and go with it
    assert_ok(lethe_folder_begin(p->d, "none/at//all/rel", true, say_yes, &f));
    assert_true(exists("none/at/all"));
    lethe_folder_abort(f);
    assert_false(exists("none"));
    assert_int_equal(entries(".", NULL), 5);
    assert_true(exists("full/x"));
}

static void old_folder_gives_way(void **state)
{
    place *p = *state;
    for (int round = 0; round < 2; round++) {
        lethe_folder *f;
        no_rename_flags = round == 1;
        assert_int_equal(mkdir("rel", 0755), 0);
        put_file("rel/old", "old");
        put_file("rel/ours", "");
        assert_int_equal(symlink("old", "rel/link"), 0);
        assert_ok(lethe_folder_begin(p->d, "rel", true, if_ours, &f));
        put_in(p, f, "new", "new");
        file_is("rel/old", "old");
        assert_ok(lethe_folder_commit(f));
        file_is("rel/new", "new");
        assert_int_equal(entries("rel", NULL), 1);
        assert_int_equal(entries(".", NULL), 1);
        assert_int_equal(mode_of("rel"), 0755);
        assert_int_equal(unlink("rel/new") | rmdir("rel"), 0);
    }
    assert_int_equal(p->n_warnings, 0);
}

static void empty_folder_needs_no_leave(void **state)
{
    place *p = *state;
    lethe_folder *f;
    assert_int_equal(mkdir("rel", 0755), 0);
    assert_ok(lethe_folder_begin(p->d, "rel/", true, say_no, &f));
    put_in(p, f, "new", "new");
    assert_ok(lethe_folder_commit(f));
    file_is("rel/new", "new");
    assert_int_equal(entries(".", NULL), 1);
}

static void old_folder_is_asked_about_again(void **state)
{
    place *p = *state;
    lethe_folder *f;
    assert_int_equal(mkdir("rel", 0755), 0);
    put_file("rel/ours", "");
    assert_ok(lethe_folder_begin(p->d, "rel", true, if_ours, &f));
    put_in(p, f, "new", "new");
    assert_int_equal(rename("rel/ours", "rel/theirs"), 0);
    assert_usage(lethe_folder_commit(f));
    assert_string_equal(p->said, "not 'rel'");
    assert_true(exists("rel/theirs"));
    assert_int_equal(entries(".", NULL), 1);
}

static void what_cannot_be_removed_is_told(void **state)
{
    place *p = *state;
    lethe_folder *f;
    char temp[NAME_MAX + 1] = "";
    assert_int_equal(mkdir("rel", 0755) | mkdir("rel/sub", 0755), 0);
    put_file("rel/sub/deep", "");
    put_file("rel/flat", "");
    assert_ok(lethe_folder_begin(p->d, "rel", true, say_yes, &f));
    put_in(p, f, "new", "new");
    assert_ok(lethe_folder_commit(f));
    file_is("rel/new", "new");
    assert_int_equal(p->n_warnings, 1);
    assert_int_equal(entries(".", temp), 2);
    assert_said(p, temp);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sub/deep", temp);
    assert_true(exists(path));
    assert_int_equal(entries(temp, NULL), 1);
}

static void folder_that_appears_meanwhile_stays(void **state)
{
    place *p = *state;
    for (int round = 0; round < 4; round++) {
        lethe_folder *f;
        no_rename_flags = round & 1;
        assert_ok(lethe_folder_begin(p->d, "rel", true, say_yes, &f));
        put_in(p, f, "new", "new");
        if (round < 2)
            assert_int_equal(mkdir("rel", 0711), 0);
        else
            put_file("rel", "theirs");
        assert_usage(lethe_folder_commit(f));
        assert_string_equal(p->said, "'rel' was created by another process");
        assert_int_equal(entries(".", NULL), 1);
        if (round < 2) assert_int_equal(mode_of("rel"), 0711);
        assert_int_equal(remove("rel"), 0);
    }
}

static void old_folder_that_goes_is_not_missed(void **state)
{
    place *p = *state;
    lethe_folder *f;
    assert_int_equal(mkdir("rel", 0755), 0);
    assert_ok(lethe_folder_begin(p->d, "rel", true, NULL, &f));
    assert_int_equal(rmdir("rel"), 0);
    assert_ok(lethe_folder_commit(f));
    assert_int_equal(mode_of("rel"), 0755);
    assert_int_equal(mkdir("two", 0755), 0);
    assert_ok(lethe_folder_begin(p->d, "two", true, NULL, &f));
    assert_int_equal(rmdir("two") | symlink("rel", "two"), 0);
    assert_usage(lethe_folder_commit(f));
    assert_int_equal(entries(".", NULL), 2);
}

static void folder_swapped_under_our_hands_stays(void **state)
{
    place *p = *state;
    for (int round = 0; round < 2; round++) {
        lethe_folder *f;
        no_rename_flags = round == 1;
        assert_int_equal(mkdir("rel", 0755), 0);
        put_file("rel/old", "old");
        assert_ok(lethe_folder_begin(p->d, "rel", true, yes_then_swap, &f));
        put_in(p, f, "new", "new");
        assert_int_equal(mkdir("other", 0755), 0);
        put_file("other/precious", "");
        assert_usage(lethe_folder_commit(f));
        assert_string_equal(p->said, "'rel' was changed by another process");
        assert_true(exists("moved/old"));
        assert_int_equal(entries(".", NULL), 2);
        assert_int_equal(unlink("rel/precious") | rmdir("rel"), 0);
        assert_int_equal(unlink("moved/old") | rmdir("moved"), 0);
    }
    assert_int_equal(p->n_warnings, 0);
}

static void old_folder_comes_back_when_the_new_one_cannot_go_in(void **state)
{
    place *p = *state;
    lethe_folder *f;
    assert_int_equal(mkdir("rel", 0755), 0);
    put_file("rel/old", "old");
    no_rename_flags = true;
    for (int i = 1; i <= 2; i++) {
        assert_ok(lethe_folder_begin(p->d, "rel", true, say_yes, &f));
        put_in(p, f, "new", "new");
        fail_rename = i; // 1: stepping aside; 2: going in
        assert_io(lethe_folder_commit(f));
        assert_int_equal(fail_rename, 0);
        file_is("rel/old", "old");
        assert_int_equal(entries(".", NULL), 1);
    }
}

static void folder_that_cannot_be_forced_to_disk_does_not_appear(void **state)
{
    place *p = *state;
    lethe_folder *f;
    assert_ok(lethe_folder_begin(p->d, "rel", false, NULL, &f));
    fail_fsync_dir = EIO;
    assert_io(lethe_folder_commit(f));
    assert_int_equal(entries(".", NULL), 0);
}

/* It is named, and it stays: only --force removes anything. */
static void leftovers_go_only_when_forced(void **state)
{
    place *p = *state;
    lethe_folder *f;
    assert_int_equal(mkdir(".rel.lethe-abcdef", 0700), 0);
    put_file(".rel.lethe-abcdef/data", "half");
    assert_ok(lethe_folder_begin(p->d, "rel", false, NULL, &f));
    assert_int_equal(p->n_warnings, 1);
    assert_ok(lethe_folder_commit(f));
    file_is(".rel.lethe-abcdef/data", "half");
    assert_ok(lethe_folder_begin(p->d, "rel", true, say_yes, &f));
    file_is(".rel.lethe-abcdef/data", "half");
    assert_ok(lethe_folder_commit(f));
    assert_false(exists(".rel.lethe-abcdef"));
    assert_int_equal(p->n_warnings, 1);
}

/* Whether it still has its name cannot be asked: it is not taken for gone, and left. */
static void folder_that_cannot_be_asked_for_its_name_is_removed(void **state)
{
    place *p = *state;
    lethe_folder *f;
    fail_stat_temp = EIO;
    assert_io(lethe_folder_begin(p->d, "rel", false, NULL, &f));
    assert_int_equal(entries(".", NULL), 0);
}

static void every_failing_allocation_leaves_no_folder(void **state)
{
    place *p = *state;
    lethe_err e = LETHE_ENOMEM;
    int n = 0;
    while (e == LETHE_ENOMEM) {
        lethe_folder *f = NULL;
        lethe_sink *s;
        lethe_alloc_fail_at((uint64_t)++n);
        e = lethe_folder_begin(p->d, "./rel", false, NULL, &f);
        if (e == LETHE_OK) e = lethe_sink_in(p->d, f, "x", &s);
        if (e == LETHE_OK) e = lethe_sink_commit(s);
        if (e == LETHE_OK)
            e = lethe_folder_commit(f);
        else
            lethe_folder_abort(f);
        lethe_alloc_fail_at(0);
        assert_int_equal(entries(".", NULL), e == LETHE_OK);
    }
    assert_ok(e);
    assert_in_range(n, 6, 30);
}

/* The test process is killed in the middle; what it leaves is closed to others. */
static void death_leaves_only_what_others_cannot_read(void **state)
{
    place *p = *state;
    char temp[NAME_MAX + 1] = "", inside[PATH_MAX];
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        lethe_folder *f;
        lethe_sink *s;
        if (lethe_folder_begin(p->d, "rel", false, NULL, &f) != LETHE_OK) _exit(1);
        if (lethe_sink_in(p->d, f, "data", &s) != LETHE_OK) _exit(1);
        static char data[300000];
        if (lethe_sink_write(s, data, sizeof data) != LETHE_OK) _exit(1);
        kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(entries(".", temp), 1);
    assert_int_equal(mode_of(temp), 0700);
    snprintf(inside, sizeof inside, "%s/data", temp);
    assert_int_equal(mode_of(inside), 0600);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        T(folder_appears_when_committed),
        T(folder_lies_where_the_path_says),
        T(aborted_folder_leaves_nothing),
        T(names_in_a_folder_are_checked),
        T(folder_targets_are_checked),
        T(old_folder_gives_way),
        T(empty_folder_needs_no_leave),
        T(old_folder_is_asked_about_again),
        T(what_cannot_be_removed_is_told),
        T(folder_that_appears_meanwhile_stays),
        T(old_folder_that_goes_is_not_missed),
        T(folder_swapped_under_our_hands_stays),
        T(old_folder_comes_back_when_the_new_one_cannot_go_in),
        T(folder_that_cannot_be_forced_to_disk_does_not_appear),
        T(leftovers_go_only_when_forced),
        T(folder_that_cannot_be_asked_for_its_name_is_removed),
        T(every_failing_allocation_leaves_no_folder),
        T(death_leaves_only_what_others_cannot_read),
    };
    return cmocka_run_group_tests_name("io_folder", tests, NULL, NULL);
}
