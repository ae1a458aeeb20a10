/* Files and folders that appear only when they are complete; digests and keys. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/mem.h"
#include "io/place.h"
#include "io/sink.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- a system that fails on request: these stand before the C library's --- */

static bool no_rename_flags, no_tmpfile;
static int fail_rename;     /* the n-th plain rename from now fails; 0: none does */
static int fail_fsync_file; /* an errno, or 0 */
static int fail_fsync_dir;

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (no_rename_flags) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    if (fail_rename && --fail_rename == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

int fsync(int fd)
{
    struct stat st;
    int fault = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? fail_fsync_dir : fail_fsync_file;
    if (fault) {
        errno = fault;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* --- each test in an empty folder of its own --- */

typedef struct place {
    char dir[64];
    lethe_diag *d;
    char said[4096]; /* the last message */
    int n_warnings;
} place;

static void hear(void *ctx, const lethe_message *m)
{
    place *p = ctx;
    snprintf(p->said, sizeof p->said, "%s", m->text);
    p->n_warnings += m->severity == LETHE_WARNING;
}

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/lethe-test-XXXXXX");
    if (!mkdtemp(p->dir) || chdir(p->dir) != 0) return -1;
    p->d = lethe_diag_new(hear, p);
    umask(022);
    *state = p;
    return p->d ? 0 : -1;
}

static int tear_down(void **state)
{
    place *p = *state;
    char line[128];
    lethe_alloc_fail_at(0);
    no_rename_flags = no_tmpfile = false;
    fail_rename = fail_fsync_file = fail_fsync_dir = 0;
    umask(022);
    lethe_diag_free(p->d);
    snprintf(line, sizeof line, "cd / && rm -rf %s", p->dir);
    int bad = chdir("/") != 0 || system(line) != 0;
    free(p);
    return bad;
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void file_is(const char *path, const char *text)
{
    char got[4096] = {0};
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(text));
    assert_string_equal(got, text);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Entries of a folder; the name of the last one that looks temporary goes to `temp`. */
static int entries(const char *path, char *temp)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int n = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (temp && strstr(e->d_name, ".lethe-")) snprintf(temp, NAME_MAX + 1, "%s", e->d_name);
        n++;
    }
    closedir(dir);
    return n;
}

#define assert_ok(call) assert_int_equal((call), LETHE_OK)
#define assert_usage(call) assert_int_equal((call), LETHE_EUSAGE)
#define assert_io(call) assert_int_equal((call), LETHE_EIO)
static void assert_said(const place *p, const char *part)
{
    if (!strstr(p->said, part)) fail_msg("said \"%s\", not \"%s\"", p->said, part);
}

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
    assert_io(lethe_sink_open(p->d, "none/x", LETHE_SINK_NEW, 0666, &s));
    assert_string_equal(p->said, "cannot create 'none/x': no such file or directory");
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
        assert_string_equal(p->said, "'out' has appeared meanwhile");
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

static void standard_output_waits_where_it_must(void **state)
{
    place *p = *state;
    int ends[2];
    lethe_sink *s;
    static char data[700001];
    void *total;
    pthread_t reader;
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    fcntl(ends[0], F_SETFL, 0);
    assert_int_equal(pthread_create(&reader, NULL, drain, &ends[0]), 0);
    int saved = swap_stdout(ends[1]);
    lethe_err opened = lethe_sink_stdout(p->d, &s), wrote = lethe_sink_write(s, data, sizeof data);
    lethe_err at = lethe_sink_write_at(s, 0, data, 0);
    lethe_err done = lethe_sink_commit(s);
    put_back_stdout(saved);
    close(ends[1]);
    pthread_join(reader, &total);
    close(ends[0]);
    assert_ok(opened);
    assert_ok(wrote);
    assert_io(at); // it has no places
    assert_io(done);
    assert_int_equal((uintptr_t)total, sizeof data);
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

/* --- folders --- */

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
    static const char *const bad[] = {"", "/", "//", ".", "..", "./", "../", "full/..",
                                      "file", "link", "dangling", "fifo", "/dev/null"};
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
    assert_io(lethe_folder_begin(p->d, "none/rel", true, say_yes, &f));
    assert_string_equal(p->said, "cannot create 'none/rel': no such file or directory");
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
        assert_string_equal(p->said, "'rel' has appeared meanwhile");
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
    lethe_folder *f;
    assert_int_equal(mkdir("rel", 0755), 0);
    put_file("rel/old", "old");
    assert_ok(lethe_folder_begin(p->d, "rel", true, yes_then_swap, &f));
    put_in(p, f, "new", "new");
    assert_int_equal(mkdir("other", 0755), 0);
    put_file("other/precious", "");
    assert_usage(lethe_folder_commit(f));
    assert_string_equal(p->said, "'rel' has changed meanwhile");
    assert_true(exists("rel/precious"));
    assert_true(exists("moved/old"));
    assert_int_equal(entries(".", NULL), 2);
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
        assert_string_equal(p->said, "key file 'key' can be read by others (chmod 600 it)");
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

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
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
        T(file_that_cannot_be_forced_to_disk_does_not_appear),
        T(limit_of_size_is_an_error),
        T(standard_output_tells_of_a_full_disk),
        T(standard_output_tells_of_a_closed_pipe),
        T(standard_output_waits_where_it_must),
        T(several_threads_write_at_their_places),
        T(every_failing_allocation_leaves_no_file),
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
        T(every_failing_allocation_leaves_no_folder),
        T(death_leaves_only_what_others_cannot_read),
        T(spill_file_has_no_name),
        T(spill_folder_must_be_there),
        T(reads_and_writes_are_whole_or_fail),
        T(digest_is_blake2b_256),
        T(key_is_32_bytes_that_others_cannot_read),
        T(key_comes_through_a_pipe),
    };
    return cmocka_run_group_tests_name("io_sink", tests, NULL, NULL);
}
