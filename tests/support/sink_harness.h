/* SPDX-License-Identifier: Apache-2.0 */
/* sink_harness.h - an empty folder for each test of the sinks, and a system that fails on request.
 * To be included once in a test program, after cmocka.h. */
#ifndef LETHE_TESTS_SINK_HARNESS_H
#define LETHE_TESTS_SINK_HARNESS_H
#include "core/mem.h"
#include "io/write/sink.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- a system that fails on request: these stand before the C library's --- */

static bool no_rename_flags, no_tmpfile;
static int fail_rename;     /* the n-th plain rename from now fails; 0: none does */
static int fail_fsync_file; /* an errno, or 0 */
static int fail_fsync_dir;
static int fail_stat_temp; /* of a temporary name */

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

int fstatat(int dir, const char *restrict name, struct stat *restrict out, int flags)
{
    if (fail_stat_temp && strstr(name, ".lethe-")) {
        errno = fail_stat_temp;
        return -1;
    }
    return (int)syscall(SYS_newfstatat, dir, name, out, flags);
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

static inline void hear(void *ctx, const lethe_message *m)
{
    place *p = ctx;
    snprintf(p->said, sizeof p->said, "%s", m->text);
    p->n_warnings += m->severity == LETHE_WARNING;
}

static inline int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/lethe-test-XXXXXX");
    if (!mkdtemp(p->dir) || chdir(p->dir) != 0) return -1;
    p->d = lethe_diag_new(hear, p);
    umask(022);
    *state = p;
    return p->d ? 0 : -1;
}

static inline int tear_down(void **state)
{
    place *p = *state;
    char line[128];
    lethe_alloc_fail_at(0);
    no_rename_flags = no_tmpfile = false;
    fail_rename = fail_fsync_file = fail_fsync_dir = fail_stat_temp = 0;
    umask(022);
    lethe_diag_free(p->d);
    snprintf(line, sizeof line, "cd / && rm -rf %s", p->dir);
    int bad = chdir("/") != 0 || system(line) != 0;
    free(p);
    return bad;
}

static inline void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static inline void file_is(const char *path, const char *text)
{
    char got[4096] = {0};
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(text));
    assert_string_equal(got, text);
}

static inline unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static inline bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Entries of a folder; the name of the last one that looks temporary goes to `temp`. */
static inline int entries(const char *path, char *temp)
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
static inline void assert_said(const place *p, const char *part)
{
    if (!strstr(p->said, part)) fail_msg("said \"%s\", not \"%s\"", p->said, part);
}

/* A test in a folder of its own. */
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
