/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - paths taken apart, temporary names, renames that replace nothing. */
#include "io/write/place.h"
#include "io/syserr.h"
#include "core/mem.h"
#include "core/rng.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = ".lethe-";
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
enum { N_RANDOM = 6 };

lethe_err lethe_place_draw(lethe_place *p)
{
    size_t n = strlen(p->base), most = LETHE_NAME_MAX - 1 - (sizeof mark - 1) - N_RANDOM;
    if (n > most) {
        n = most;
        // Not inside a character: some file systems insist on UTF-8.
        while (n > 0 && ((unsigned char)p->base[n] & 0xC0) == 0x80)
            n--;
    }
    char *at = p->temp;
    *at++ = '.';
    memcpy(at, p->base, n);
    memcpy(at + n, mark, sizeof mark - 1);
    // Six characters out of 64, so that each takes six random bits.
    char *out = at + n + sizeof mark - 1;
    uint8_t bytes[N_RANDOM];
    LETHE_TRY(lethe_random_get(p->d, bytes, sizeof bytes));
    for (size_t i = 0; i < N_RANDOM; i++)
        out[i] = letters[bytes[i] & 63];
    out[N_RANDOM] = '\0';
    return LETHE_OK;
}

bool lethe_place_is_temp(const lethe_place *p, const char *name)
{
    size_t n = strlen(p->temp) - N_RANDOM; // what all its temporary names begin with
    if (strncmp(name, p->temp, n) != 0 || strlen(name) != n + N_RANDOM) return false;
    return strspn(name + n, letters) == N_RANDOM;
}

/* The length of the path of the folder that is next above path[0..n-1]; 0: there is
 * none. */
static size_t parent_above(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 0 && path[n - 1] == '/')
        n--;
    return n;
}

static bool parent_make(char *path, size_t n, size_t *made)
{
    struct stat st;
    char next = path[n];
    path[n] = '\0';
    bool there = stat(path, &st) == 0; // if it is no folder, opening the last one says so
    bool is_new = !there && mkdir(path, 0777) == 0;
    int errnum = errno;
    path[n] = next;
    if (is_new && *made == 0) *made = n;
    errno = errnum;
    return there || is_new || errnum == EEXIST;
}

lethe_err lethe_parents_make(lethe_diag *d, char *path, size_t *made)
{
    size_t end = parent_above(path, strlen(path));
    *made = 0;
    for (size_t n = 1; n <= end; n++) {
        if (path[n] != '/' || path[n - 1] == '/' || parent_make(path, n, made)) continue;
        int errnum = errno;
        lethe_parents_unmake(path, *made);
        return lethe_fail_sys(d, "create", path, errnum);
    }
    return LETHE_OK;
}

void lethe_parents_unmake(char *path, size_t made)
{
    size_t n = parent_above(path, strlen(path));
    for (; made > 0 && n >= made; n = parent_above(path, n)) {
        char next = path[n];
        path[n] = '\0';
        (void)rmdir(path); // what holds something stays
        path[n] = next;
    }
}

/* Opens the folder part of p->path, "." where there is none. */
static lethe_err open_parent(lethe_place *p)
{
    size_t n = (size_t)(p->base - p->path);
    const char *dir = ".";
    char *copy = NULL;
    if (n > 0) {
        copy = lethe_alloc(n + 1, 1);
        if (!copy) return lethe_no_memory(p->d);
        memcpy(copy, p->path, n);
        copy[n] = '\0';
        dir = copy;
    }
    do {
        p->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (p->dirfd < 0 && errno == EINTR);
    int errnum = errno;
    lethe_free(copy);
    return p->dirfd < 0 ? lethe_fail_sys(p->d, "create", p->path, errnum) : LETHE_OK;
}

static lethe_err take_apart(lethe_place *p, const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] == '/')
        n--;
    p->path = lethe_alloc(n + 1, 1);
    if (!p->path) return lethe_no_memory(p->d);
    memcpy(p->path, path, n);
    p->path[n] = '\0';
    const char *slash = strrchr(p->path, '/');
    p->base = slash ? slash + 1 : p->path;
    if (!*p->base || strcmp(p->base, ".") == 0 || strcmp(p->base, "..") == 0)
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' cannot be created: it has no name of its own",
                          path);
    return LETHE_OK;
}

static lethe_err place_open(lethe_diag *d, const char *path, bool make, lethe_place *out)
{
    lethe_place p = {.d = d, .dirfd = -1};
    lethe_err e = take_apart(&p, path);
    if (e == LETHE_OK && make) e = lethe_parents_make(d, p.path, &p.made);
    if (e == LETHE_OK) e = open_parent(&p);
    if (e == LETHE_OK) e = lethe_place_draw(&p);
    if (e == LETHE_OK)
        *out = p;
    else
        lethe_place_close(&p);
    return e;
}

lethe_err lethe_place_open(lethe_diag *d, const char *path, lethe_place *out)
{
    return place_open(d, path, false, out);
}

lethe_err lethe_place_make(lethe_diag *d, const char *path, lethe_place *out)
{
    return place_open(d, path, true, out);
}

void lethe_place_close(lethe_place *p)
{
    if (p->dirfd >= 0) close(p->dirfd);
    if (p->path) lethe_parents_unmake(p->path, p->made);
    lethe_free(p->path);
    p->dirfd = -1;
    p->path = NULL;
}

char *lethe_place_temp_path(const lethe_place *p)
{
    size_t n_dir = (size_t)(p->base - p->path), n_temp = strlen(p->temp);
    char *path = lethe_alloc(n_dir + n_temp + 1, 1);
    if (!path) return NULL;
    memcpy(path, p->path, n_dir);
    memcpy(path + n_dir, p->temp, n_temp + 1);
    return path;
}

void lethe_place_sync(const lethe_place *p)
{
    // EINVAL and EROFS: the file system has nothing to force for a folder.
    if (fsync(p->dirfd) != 0 && errno != EINVAL && errno != EROFS)
        lethe_warn(p->d, "'%s' is complete, but its name may not survive a power failure", p->path);
}

unsigned lethe_umask(void)
{
    unsigned mask = 077;
    FILE *f = fopen("/proc/self/status", "re");
    if (!f) return mask;
    char line[256];
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "Umask:", 6) != 0) continue;
        mask = (unsigned)strtoul(line + 6, NULL, 8) & 0777;
        break;
    }
    fclose(f);
    return mask;
}

bool lethe_rename_unknown(int errnum)
{
    return errnum == EINVAL || errnum == ENOSYS || errnum == EOPNOTSUPP;
}

int lethe_rename_file(int dirfd, const char *from, const char *to)
{
    if (renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0) return 0;
    if (!lethe_rename_unknown(errno)) return errno;
    if (linkat(dirfd, from, dirfd, to, 0) != 0) return errno;
    unlinkat(dirfd, from, 0); // the file has its name now; what is left is a second one
    return 0;
}

int lethe_rename_folder(int dirfd, const char *from, const char *to)
{
    if (renameat2(dirfd, from, dirfd, to, RENAME_NOREPLACE) == 0) return 0;
    if (!lethe_rename_unknown(errno)) return errno;
    struct stat st;
    if (fstatat(dirfd, to, &st, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
    if (errno != ENOENT) return errno;
    return renameat(dirfd, from, dirfd, to) == 0 ? 0 : errno;
}
