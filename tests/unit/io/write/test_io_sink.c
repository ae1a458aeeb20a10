/* SPDX-License-Identifier: Apache-2.0 */
/* Files that appear only when they are complete; spill files, digests and keys. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "sink_harness.h"
#include "io/write/place.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

/* --- one file --- */

static void file_appears_when_committed(void **state)
{
    place *p = *state;
    lethe_sink *s;
    char temp[NAME_MAX + 1] = "";
    umask(027);
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    assert_ok(lethe_sink_write(s, "one\n", 4));
    assert_ok(lethe_sink_write(s, NULL, 0));
    assert_false(exists("out"));
    assert_int_equal(entries(".", temp), 1);
    assert_memory_equal(temp, ".out.lethe-", 11);
    assert_int_equal(strlen(temp), 17);
    assert_int_equal(mode_of(temp), 0600);
    assert_ok(lethe_sink_write(s, "two\n", 4));
    assert_ok(lethe_sink_commit(s));
    file_is("out", "one\ntwo\n");
    assert_int_equal(mode_of("out"), 0640);
    assert_int_equal(entries(".", NULL), 1);
    assert_string_equal(p->said, "");
}

static void file_mode_follows_perm_and_umask(void **state)
{
    place *p = *state;
    static const struct {
        unsigned perm, mask, want;
    } rows[] = {{0666, 0, 0666}, {0666, 022, 0644}, {0600, 0, 0600}, {0666, 077, 0600}};
    for (size_t i = 0; i < LETHE_COUNT(rows); i++) {
        lethe_sink *s;
        umask(rows[i].mask);
        assert_int_equal(lethe_umask(), rows[i].mask);
        assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, rows[i].perm, &s));
        assert_ok(lethe_sink_commit(s));
        assert_int_equal(mode_of("out"), rows[i].want);
        assert_int_equal(umask(rows[i].mask), rows[i].mask);
    }
}

static void writes_of_all_sizes_come_in_order(void **state)
{
    place *p = *state;
    enum { TOTAL = 2 << 20 };
    uint8_t *data = malloc(TOTAL), *back = malloc(TOTAL + 1);
    uint32_t x = 12345;
    for (size_t i = 0; i < TOTAL; i++) {
        x = x * 1664525u + 1013904223u;
        data[i] = (uint8_t)(x >> 24);
    }
    static const size_t sizes[] = {1, 262143, 262144, 1, 262145, 5, 300000, 100000, 200000};
    lethe_sink *s;
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    for (size_t i = 0, at = 0; at < TOTAL; i++) {
        size_t n = LETHE_MIN(sizes[i % LETHE_COUNT(sizes)], TOTAL - at);
        assert_ok(lethe_sink_write(s, data + at, n));
        at += n;
    }
    assert_ok(lethe_sink_commit(s));
    FILE *f = fopen("out", "r");
    assert_int_equal(fread(back, 1, TOTAL + 1, f), TOTAL);
    fclose(f);
    assert_memory_equal(data, back, TOTAL);
    free(data);
    free(back);
}

static void aborted_file_leaves_nothing(void **state)
{
    place *p = *state;
    lethe_sink *s;
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    assert_ok(lethe_sink_write(s, "x", 1));
    lethe_sink_abort(s);
    assert_int_equal(entries(".", NULL), 0);
    put_file("out", "old");
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, 0666, &s));
    lethe_sink_abort(s);
    file_is("out", "old");
    assert_int_equal(entries(".", NULL), 1);
    lethe_sink_abort(NULL);
}

static void existing_file_is_replaced_only_when_asked(void **state)
{
    place *p = *state;
    lethe_sink *s;
    put_file("out", "old");
    assert_usage(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    assert_string_equal(p->said, "'out' exists (use --force to replace it)");
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, 0666, &s));
    assert_ok(lethe_sink_write(s, "new", 3));
    file_is("out", "old");
    assert_ok(lethe_sink_commit(s));
    file_is("out", "new");
    assert_int_equal(entries(".", NULL), 1);
}

static void what_is_no_file_is_never_replaced(void **state)
{
    place *p = *state;
    static const char *const names[] = {"link", "dangling", "dir", "fifo", "to_dir", "/dev/null"};
    put_file("file", "old");
    assert_int_equal(mkdir("dir", 0755) | mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("file", "link") | symlink("none", "dangling"), 0);
    assert_int_equal(symlink("dir", "to_dir"), 0);
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        for (int mode = LETHE_SINK_NEW; mode <= LETHE_SINK_REPLACE; mode++) {
            lethe_sink *s = NULL;
            p->said[0] = '\0';
            assert_usage(lethe_sink_open(p->d, names[i], (lethe_sink_mode)mode, 0666, &s));
            assert_null(s);
            assert_said(p, names[i]);
        }
    }
    file_is("file", "old");
    assert_false(exists("none"));
    assert_int_equal(entries(".", NULL), 6); // file, dir, fifo and three links
}

static void names_that_are_no_files_are_refused(void **state)
{
    place *p = *state;
    lethe_sink *s;
    static const char *const bad[] = {"", "/", ".", "..", "out/", "./", "a/..", "dir/."};
    assert_int_equal(mkdir("dir", 0755) | mkdir("a", 0755), 0);
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_usage(lethe_sink_open(p->d, bad[i], LETHE_SINK_NEW, 0666, &s));
    assert_io(lethe_sink_open(p->d, "/proc/none/x", LETHE_SINK_NEW, 0666, &s));
    assert_string_equal(p->said, "cannot create '/proc/none/x': no such file or directory");
    put_file("file", "");
    assert_io(lethe_sink_open(p->d, "file/x", LETHE_SINK_NEW, 0666, &s));
    assert_string_equal(p->said, "cannot create 'file/x': not a directory");
    assert_ok(lethe_sink_open(p->d, "dir//x", LETHE_SINK_NEW, 0666, &s));
    assert_ok(lethe_sink_commit(s));
    assert_true(exists("dir/x"));
}

static void long_names_are_cut_in_the_temporary_one(void **state)
{
    place *p = *state;
    lethe_sink *s;
    char name[300] = {0}, temp[NAME_MAX + 1];
    for (int i = 0; i < 127; i++)
        memcpy(name + 2 * i, "\xC3\xA4", 2); // two bytes a letter: the cut must not halve one
    name[254] = 'x';
    assert_ok(lethe_sink_open(p->d, name, LETHE_SINK_NEW, 0666, &s));
    assert_int_equal(entries(".", temp), 1);
    const char *mark = strstr(temp, ".lethe-");
    assert_non_null(mark);
    assert_int_equal((mark - temp - 1) % 2, 0);
    assert_ok(lethe_sink_commit(s));
    assert_true(exists(name));
    name[255] = 'x';
    assert_io(lethe_sink_open(p->d, name, LETHE_SINK_NEW, 0666, &s));
    assert_said(p, "file name too long");
}

static void target_that_appears_meanwhile_stays(void **state)
{
    place *p = *state;
    for (int round = 0; round < 2; round++) {
        lethe_sink *s;
        no_rename_flags = round == 1;
        assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
        put_file("out", "theirs");
        assert_usage(lethe_sink_commit(s));
        assert_string_equal(p->said, "'out' was created by another process");
        file_is("out", "theirs");
        assert_int_equal(entries(".", NULL), 1);
        assert_int_equal(unlink("out"), 0);
    }
    lethe_sink *s;
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, 0666, &s));
    assert_int_equal(symlink("none", "out"), 0);
    assert_usage(lethe_sink_commit(s));
    assert_int_equal(entries(".", NULL), 1);
    assert_false(exists("none"));
}

static void file_system_without_flags_will_do(void **state)
{
    place *p = *state;
    lethe_sink *s;
    no_rename_flags = true;
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    assert_ok(lethe_sink_write(s, "new", 3));
    assert_ok(lethe_sink_commit(s));
    file_is("out", "new");
    assert_int_equal(entries(".", NULL), 1);
    struct stat st;
    assert_int_equal(stat("out", &st), 0);
    assert_int_equal(st.st_nlink, 1);
}

static lethe_sink *placed(place *p, const char *text)
{
    lethe_sink *s;
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, 0600, &s));
    assert_ok(lethe_sink_write(s, text, strlen(text)));
    assert_ok(lethe_sink_place(s));
    file_is("out", text);
    return s;
}

static void placed_file_is_kept_or_taken_back(void **state)
{
    place *p = *state;
    for (int round = 0; round < 2; round++) {
        no_rename_flags = round == 1;
        lethe_sink_take_back(placed(p, "first"));
        assert_int_equal(entries(".", NULL), 0);
        lethe_sink_keep(placed(p, "first"));
        assert_int_equal(entries(".", NULL), 1);
        lethe_sink_take_back(placed(p, "second"));
        file_is("out", "first");
        assert_int_equal(entries(".", NULL), 1);
        lethe_sink_keep(placed(p, "second"));
        file_is("out", "second");
        assert_int_equal(entries(".", NULL), 1);
        assert_int_equal(unlink("out"), 0);
    }
    assert_int_equal(p->n_warnings, 0);
}

static void taking_back_spares_what_others_put_there(void **state)
{
    place *p = *state;
    lethe_sink *s = placed(p, "ours");
    put_file("other", "theirs");
    assert_int_equal(rename("other", "out"), 0);
    lethe_sink_take_back(s);
    file_is("out", "theirs");
    assert_int_equal(entries(".", NULL), 1);
    s = placed(p, "ours");
    put_file("other", "new");
    assert_int_equal(rename("other", "out"), 0);
    lethe_sink_take_back(s);
    file_is("out", "new");
    assert_int_equal(entries(".", NULL), 2); // what we replaced waits, and is told of
    assert_int_equal(p->n_warnings, 1);
}

static void file_that_cannot_be_placed_leaves_the_old(void **state)
{
    place *p = *state;
    lethe_sink *s;
    put_file("out", "old");
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, 0600, &s));
    assert_int_equal(unlink("out"), 0);
    assert_int_equal(symlink("none", "out"), 0);
    assert_usage(lethe_sink_place(s));
    assert_int_equal(unlink("out"), 0);
    put_file("out", "old");
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_REPLACE, 0600, &s));
    fail_fsync_file = EIO;
    assert_int_equal(lethe_sink_place(s), LETHE_EIO);
    file_is("out", "old");
    assert_int_equal(entries(".", NULL), 1);
}

static void file_that_cannot_be_forced_to_disk_does_not_appear(void **state)
{
    place *p = *state;
    lethe_sink *s;
    fail_fsync_file = EIO;
    put_file("old", "old");
    assert_ok(lethe_sink_open(p->d, "old", LETHE_SINK_REPLACE, 0666, &s));
    assert_io(lethe_sink_commit(s));
    assert_string_equal(p->said, "cannot write 'old': input/output error");
    file_is("old", "old");
    assert_int_equal(entries(".", NULL), 1);
    fail_fsync_file = 0;
    fail_fsync_dir = EIO; // by then the file is there, and whole
    assert_ok(lethe_sink_open(p->d, "new", LETHE_SINK_NEW, 0666, &s));
    assert_ok(lethe_sink_commit(s));
    assert_int_equal(p->n_warnings, 1);
    assert_true(exists("new"));
    fail_fsync_dir = EINVAL;
    assert_ok(lethe_sink_open(p->d, "new", LETHE_SINK_REPLACE, 0666, &s));
    assert_ok(lethe_sink_commit(s));
    assert_int_equal(p->n_warnings, 1);
    fail_rename = 1;
    assert_ok(lethe_sink_open(p->d, "old", LETHE_SINK_REPLACE, 0666, &s));
    assert_io(lethe_sink_commit(s));
    file_is("old", "old");
}

static void limit_of_size_is_an_error(void **state)
{
    place *p = *state;
    struct rlimit before, small = {100000, RLIM_INFINITY};
    char data[4096] = {0};
    lethe_sink *s;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    lethe_err e = LETHE_OK;
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    for (int i = 0; i < 64 && e == LETHE_OK; i++) // the buffer's worth: the error comes at its end
        e = lethe_sink_write(s, data, sizeof data);
    assert_ok(e);
    assert_io(lethe_sink_write(s, data, 1));
    assert_string_equal(p->said, "cannot write 'out': file too large");
    p->said[0] = '\0';
    assert_io(lethe_sink_write(s, data, 1)); // it is remembered, and not said twice
    assert_io(lethe_sink_commit(s));
    assert_string_equal(p->said, "");
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    assert_io(lethe_sink_write_at(s, 99999, data, 2));
    assert_io(lethe_sink_commit(s));
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    for (int i = 0; i < 40; i++)
        assert_ok(lethe_sink_write(s, data, sizeof data));
    assert_io(lethe_sink_commit(s)); // what was in the buffer
    assert_int_equal(entries(".", NULL), 0);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
}

/* Runs with another descriptor as standard output. */
static int swap_stdout(int fd)
{
    fflush(stdout);
    int saved = dup(1);
    assert_int_equal(dup2(fd, 1), 1);
    return saved;
}

static void put_back_stdout(int saved)
{
    assert_int_equal(dup2(saved, 1), 1);
    close(saved);
}

static void standard_output_tells_of_a_full_disk(void **state)
{
    place *p = *state;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    lethe_sink *s;
    int saved = swap_stdout(full);
    lethe_err opened = lethe_sink_stdout(p->d, &s), wrote = lethe_sink_write(s, "x", 1);
    lethe_err done = lethe_sink_commit(s);
    put_back_stdout(saved);
    close(full);
    assert_ok(opened);
    assert_ok(wrote);
    assert_io(done);
    assert_string_equal(p->said, "cannot write 'standard output': no space left on device");
}

static void standard_output_tells_of_a_closed_pipe(void **state)
{
    place *p = *state;
    int ends[2];
    lethe_sink *s;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    int saved = swap_stdout(ends[1]);
    lethe_err opened = lethe_sink_stdout(p->d, &s), wrote = lethe_sink_write(s, "x", 1);
    lethe_err done = lethe_sink_commit(s);
    put_back_stdout(saved);
    close(ends[1]);
    signal(SIGPIPE, SIG_DFL);
    assert_ok(opened);
    assert_ok(wrote);
    assert_io(done);
    assert_string_equal(p->said, "cannot write 'standard output': broken pipe");
}

static void *drain(void *arg)
{
    int fd = *(int *)arg;
    static char room[5000];
    size_t total = 0;
    for (ssize_t k; (k = read(fd, room, sizeof room)) > 0; total += (size_t)k)
        usleep(100);
    return (void *)(uintptr_t)total;
}

/* Writes `n` bytes to a pipe that gives way slowly and never blocks; how many came out. */
static size_t through_slow_pipe(place *p, size_t n, bool at_a_place, lethe_err *e)
{
    int ends[2];
    lethe_sink *s;
    char *data = calloc(n, 1);
    void *total;
    pthread_t reader;
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    fcntl(ends[0], F_SETFL, 0);
    assert_int_equal(pthread_create(&reader, NULL, drain, &ends[0]), 0);
    int saved = swap_stdout(ends[1]);
    *e = lethe_sink_stdout(p->d, &s);
    if (*e == LETHE_OK) *e = lethe_sink_write(s, data, n);
    if (*e == LETHE_OK && at_a_place) (void)!lethe_sink_write_at(s, 0, data, 1);
    *e = lethe_sink_commit(s);
    put_back_stdout(saved);
    close(ends[1]);
    pthread_join(reader, &total);
    close(ends[0]);
    free(data);
    return (size_t)(uintptr_t)total;
}

static void standard_output_waits_where_it_must(void **state)
{
    lethe_err e;
    assert_int_equal(through_slow_pipe(*state, 700001, false, &e), 700001);
    assert_ok(e);
    assert_int_equal(through_slow_pipe(*state, 10, false, &e), 10);
    assert_ok(e);
}

static void standard_output_has_no_places(void **state)
{
    place *p = *state;
    lethe_err e;
    assert_int_equal(through_slow_pipe(p, 300000, true, &e), 300000);
    assert_io(e);
    assert_string_equal(p->said, "cannot write 'standard output': illegal seek");
}

typedef struct part {
    lethe_sink *s;
    int i;
    lethe_err e;
} part;

static void *write_part(void *arg)
{
    part *t = arg;
    char block[1000];
    memset(block, 'a' + t->i, sizeof block);
    for (uint64_t k = 0; k < 50 && t->e == LETHE_OK; k++)
        t->e = lethe_sink_write_at(t->s, 5 + 1000 * (4 * k + (uint64_t)t->i), block, sizeof block);
    return NULL;
}

static void several_threads_write_at_their_places(void **state)
{
    place *p = *state;
    lethe_sink *s;
    pthread_t thread[4];
    part parts[4];
    assert_ok(lethe_sink_open(p->d, "out", LETHE_SINK_NEW, 0666, &s));
    assert_ok(lethe_sink_write(s, "head\n", 5));
    for (int i = 0; i < 4; i++) {
        parts[i] = (part){s, i, LETHE_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, write_part, &parts[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert_ok(lethe_sink_commit(s));
    FILE *f = fopen("out", "r");
    static char got[200006];
    assert_int_equal(fread(got, 1, sizeof got, f), 200005);
    fclose(f);
    assert_memory_equal(got, "head\n", 5);
    for (size_t i = 0; i < 200000; i++)
        assert_int_equal(got[5 + i], 'a' + (int)(i / 1000 % 4));
}

/* What was left has the mode of a file that is being written: a program has not, nor has a link. */
static void only_what_looks_like_ours_is_removed(void **state)
{
    place *p = *state;
    lethe_sink *s;
    put_file(".file.lethe-abcdef", "half");
    put_file(".file.lethe-ABCDEF", "#!/bin/sh");
    assert_int_equal(chmod(".file.lethe-ABCDEF", 0700), 0);
    put_file("precious", "precious");
    assert_int_equal(symlink("precious", ".file.lethe-linked"), 0);
    assert_ok(lethe_sink_open(p->d, "file", LETHE_SINK_REPLACE, 0666, &s));
    assert_ok(lethe_sink_commit(s));
    assert_false(exists(".file.lethe-abcdef"));
    file_is(".file.lethe-ABCDEF", "#!/bin/sh");
    file_is(".file.lethe-linked", "precious");
    assert_int_equal(entries(".", NULL), 4);
}

/* Whether it still has its name cannot be asked: it is not taken for gone, and left. */
static void file_that_cannot_be_asked_for_its_name_is_removed(void **state)
{
    place *p = *state;
    lethe_sink *s;
    fail_stat_temp = EIO;
    assert_io(lethe_sink_open(p->d, "file", LETHE_SINK_NEW, 0666, &s));
    assert_int_equal(entries(".", NULL), 0);
}

static void every_failing_allocation_leaves_no_file(void **state)
{
    place *p = *state;
    lethe_err e = LETHE_ENOMEM;
    int n = 0;
    assert_int_equal(mkdir("sub", 0755), 0);
    while (e == LETHE_ENOMEM) {
        lethe_sink *s;
        lethe_alloc_fail_at((uint64_t)++n);
        e = lethe_sink_open(p->d, "sub/../out", LETHE_SINK_NEW, 0666, &s);
        if (e == LETHE_OK) e = lethe_sink_commit(s);
        lethe_alloc_fail_at(0);
        assert_int_equal(exists("out"), e == LETHE_OK);
        assert_int_equal(entries(".", NULL), 1 + (e == LETHE_OK));
    }
    assert_ok(e);
    assert_in_range(n, 4, 20);
}

/* --- spill files --- */

static void spill_file_has_no_name(void **state)
{
    place *p = *state;
    for (int round = 0; round < 2; round++) {
        int fd = -1;
        char back[3];
        struct stat st;
        no_tmpfile = round == 1;
        umask(0);
        assert_ok(lethe_spill_open(p->d, ".", &fd));
        assert_int_equal(entries(".", NULL), 0);
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(st.st_nlink, 0);
        assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        assert_ok(lethe_pwrite_all(p->d, fd, "abc", 3, 100, "spill"));
        assert_ok(lethe_pread_all(p->d, fd, back, 3, 100, "spill"));
        assert_memory_equal(back, "abc", 3);
        close(fd);
    }
}

static void spill_folder_must_be_there(void **state)
{
    place *p = *state;
    int fd = -7;
    assert_io(lethe_spill_open(p->d, "none", &fd));
    assert_string_equal(p->said, "cannot create a file in 'none': no such file or directory");
    no_tmpfile = true;
    assert_io(lethe_spill_open(p->d, "none", &fd));
    assert_said(p, "no such file or directory");
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_spill_open(p->d, ".", &fd), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    assert_int_equal(entries(".", NULL), 0);
    assert_int_equal(fd, -7);
}

static void reads_and_writes_are_whole_or_fail(void **state)
{
    place *p = *state;
    int fd;
    char back[8];
    assert_ok(lethe_spill_open(p->d, ".", &fd));
    assert_ok(lethe_pwrite_all(p->d, fd, "abcd", 4, 0, "spill"));
    assert_io(lethe_pread_all(p->d, fd, back, 5, 0, "spill"));
    assert_string_equal(p->said, "cannot read 'spill': it ends 1 bytes early");
    assert_ok(lethe_pread_all(p->d, fd, back, 0, 999, "spill"));
    assert_io(lethe_pwrite_all(p->d, fd, "x", 1, UINT64_MAX, "spill"));
    assert_string_equal(p->said, "cannot write 'spill': file too large");
    assert_io(lethe_pread_all(p->d, fd, back, 2, INT64_MAX, "spill"));
    close(fd);
    assert_io(lethe_pwrite_all(p->d, -1, "x", 1, 0, "spill"));
    assert_io(lethe_pread_all(NULL, -1, back, 1, 0, "spill"));
}

/* --- digests and keys --- */

static void digest_is_blake2b_256(void **state)
{
    place *p = *state;
    lethe_settings settings = {.n_threads = 1, .on_message = hear, .user = p};
    lethe_ctx *ctx;
    char hex[65];
    uint64_t size = 7;
    assert_ok(lethe_ctx_new(&settings, &ctx));
    put_file("abc", "abc");
    put_file("empty", "");
    assert_ok(lethe_file_digest(ctx, AT_FDCWD, "abc", hex, &size));
    assert_string_equal(hex, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    assert_int_equal(size, 3);
    assert_ok(lethe_file_digest(ctx, AT_FDCWD, "empty", hex, &size));
    assert_string_equal(hex, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    assert_int_equal(size, 0);
    assert_int_equal(mkdir("dir", 0755) | mkfifo("fifo", 0600) | symlink("abc", "link"), 0);
    static const char *const bad[] = {"dir", "fifo", "link", "none"};
    strcpy(hex, "untouched");
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_io(lethe_file_digest(ctx, AT_FDCWD, bad[i], hex, &size));
    int dir = open("dir", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_io(lethe_file_digest(ctx, dir, "abc", hex, &size));
    close(dir);
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_file_digest(ctx, AT_FDCWD, "abc", hex, &size), LETHE_ENOMEM);
    lethe_alloc_fail_at(0);
    lethe_ctx_cancel(ctx);
    assert_int_equal(lethe_file_digest(ctx, AT_FDCWD, "abc", hex, &size), LETHE_ECANCEL);
    assert_string_equal(hex, "untouched");
    assert_int_equal(size, 0);
    lethe_ctx_free(ctx);
}

static const char key_text[] = "0123456789abcdef0123456789ABCDEF!";

static void put_key(const char *path, size_t n, mode_t mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(key_text, 1, n, f), n);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void key_is_32_bytes_that_others_cannot_read(void **state)
{
    place *p = *state;
    uint8_t key[32] = {9}, untouched[32] = {9};
    put_key("short", 31, 0600);
    put_key("long", 33, 0600);
    put_key("empty", 0, 0600);
    assert_int_equal(lethe_key_read(p->d, "short", key), LETHE_EINPUT);
    assert_string_equal(p->said, "key file 'short' holds 31 bytes, not 32");
    assert_int_equal(lethe_key_read(p->d, "long", key), LETHE_EINPUT);
    assert_string_equal(p->said, "key file 'long' holds more than 32 bytes");
    assert_int_equal(lethe_key_read(p->d, "empty", key), LETHE_EINPUT);
    static const mode_t open_modes[] = {0644, 0640, 0604, 0610, 0601, 0602, 0620};
    for (size_t i = 0; i < LETHE_COUNT(open_modes); i++) {
        put_key("key", 32, open_modes[i]);
        assert_usage(lethe_key_read(p->d, "key", key));
        assert_string_equal(p->said,
                            "key file 'key' can be read by other users: run 'chmod 600' on it");
    }
    assert_io(lethe_key_read(p->d, "none", key));
    assert_string_equal(p->said, "cannot open 'none': no such file or directory");
    assert_io(lethe_key_read(p->d, ".", key));
    assert_string_equal(p->said, "cannot read '.': is a directory");
    assert_memory_equal(key, untouched, 32);
    static const mode_t closed_modes[] = {0600, 0400, 0700};
    for (size_t i = 0; i < LETHE_COUNT(closed_modes); i++) {
        put_key("key", 32, 0600);
        assert_int_equal(chmod("key", closed_modes[i]), 0);
        memset(key, 0, sizeof key);
        assert_ok(lethe_key_read(p->d, "key", key));
        assert_memory_equal(key, key_text, 32);
    }
}

static void key_comes_through_a_pipe(void **state)
{
    place *p = *state;
    uint8_t key[32];
    char path[32];
    for (size_t n = 31; n <= 33; n++) {
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(write(ends[1], key_text, 10), 10);
        assert_int_equal(write(ends[1], key_text + 10, n - 10), (ssize_t)n - 10);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        assert_int_equal(lethe_key_read(p->d, path, key), n == 32 ? LETHE_OK : LETHE_EINPUT);
        close(ends[0]);
    }
    assert_memory_equal(key, key_text, 32);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        T(file_appears_when_committed),
        T(file_mode_follows_perm_and_umask),
        T(writes_of_all_sizes_come_in_order),
        T(aborted_file_leaves_nothing),
        T(existing_file_is_replaced_only_when_asked),
        T(what_is_no_file_is_never_replaced),
        T(names_that_are_no_files_are_refused),
        T(long_names_are_cut_in_the_temporary_one),
        T(target_that_appears_meanwhile_stays),
        T(file_system_without_flags_will_do),
        T(placed_file_is_kept_or_taken_back),
        T(taking_back_spares_what_others_put_there),
        T(file_that_cannot_be_placed_leaves_the_old),
        T(file_that_cannot_be_forced_to_disk_does_not_appear),
        T(limit_of_size_is_an_error),
        T(standard_output_tells_of_a_full_disk),
        T(standard_output_tells_of_a_closed_pipe),
        T(standard_output_waits_where_it_must),
        T(standard_output_has_no_places),
        T(several_threads_write_at_their_places),
        T(only_what_looks_like_ours_is_removed),
        T(file_that_cannot_be_asked_for_its_name_is_removed),
        T(every_failing_allocation_leaves_no_file),
        T(spill_file_has_no_name),
        T(spill_folder_must_be_there),
        T(reads_and_writes_are_whole_or_fail),
        T(digest_is_blake2b_256),
        T(key_is_32_bytes_that_others_cannot_read),
        T(key_comes_through_a_pipe),
    };
    return cmocka_run_group_tests_name("io_sink", tests, NULL, NULL);
}
