/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - a folder built beside its target and put in its place as a whole. */
#include "io/write/sink.h"
#include "io/write/place.h"
#include "io/syserr.h"
#include "core/mem.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100, WAITS = 1000 /* of 10 ms, for another run that replaces the same target */ };

struct lethe_folder {
    lethe_diag *d;
    lethe_place place;
    char *temp_path;
    int fd;
    bool force;
    bool replaces; /* there was an old folder when this one was begun */
    lethe_may_replace_fn may_replace;
    lethe_is_ours_fn is_ours;       /* names of its files; NULL: none are known */
    int old;                        /* placed: the folder that was replaced; -1: there was none */
    char aside[LETHE_NAME_MAX + 1]; /* its name now */
};

static bool is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

DIR *lethe_folder_list(int dirfd)
{
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return NULL;
    DIR *dir = fdopendir(fd);
    if (!dir) close(fd);
    return dir;
}

/* 1, 0, or -1 with errno. */
static int is_empty(int dirfd)
{
    DIR *dir = lethe_folder_list(dirfd);
    if (!dir) return -1;
    struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(dir);
    } while (entry && is_dot(entry->d_name));
    int answer = entry ? 0 : errno ? -1 : 1, errnum = errno;
    closedir(dir);
    errno = errnum;
    return answer;
}

bool lethe_folder_remove(int parent, const char *name, int dirfd)
{
    DIR *dir = lethe_folder_list(dirfd);
    if (dir) {
        struct dirent *entry;
        while ((entry = readdir(dir)))
            if (!is_dot(entry->d_name)) (void)unlinkat(dirfd, entry->d_name, 0);
        closedir(dir);
    }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* Opens what stands at the target: *old = -1 if nothing.  LETHE_EUSAGE if it is not a folder. */
static lethe_err open_old(const lethe_place *p, int *old)
{
    struct stat st;
    *old = -1;
    if (fstatat(p->dirfd, p->base, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? LETHE_OK : lethe_fail_sys(p->d, "create", p->path, errno);
    if (S_ISLNK(st.st_mode))
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' is a link, which is never replaced", p->path);
    if (!S_ISDIR(st.st_mode))
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' exists and is not a folder", p->path);
    int fd = openat(p->dirfd, p->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return lethe_fail_sys(p->d, "replace", p->path, errno);
    *old = fd;
    return LETHE_OK;
}

static lethe_err ask_may_replace(const lethe_folder *f, int old)
{
    int empty = is_empty(old);
    if (empty < 0) return lethe_fail_sys(f->d, "read", f->place.path, errno);
    if (empty) return LETHE_OK;
    if (!f->may_replace)
        return lethe_fail(f->d, LETHE_EUSAGE, "'%s' exists and is not empty", f->place.path);
    return f->may_replace(f->d, f->place.path, old);
}

/* Is the target free, or may it be replaced? */
static lethe_err check_target(lethe_folder *f, bool force)
{
    int old;
    LETHE_TRY(open_old(&f->place, &old));
    if (old < 0) return LETHE_OK;
    f->replaces = true;
    lethe_err e = force ? ask_may_replace(f, old)
                        : lethe_fail(f->d, LETHE_EUSAGE, "'%s' exists (use --force to replace it)",
                                     f->place.path);
    close(old);
    return e;
}

/* A new folder under a temporary name, or -1 with errno: EEXIST, another name is needed. */
static int create_temp(const lethe_place *p)
{
    if (mkdirat(p->dirfd, p->temp, 0700) != 0) return -1;
    int fd = openat(p->dirfd, p->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && lethe_lock_hold(p->dirfd, p->temp, fd)) return fd;
    int errnum = errno;
    if (fd >= 0) close(fd);
    if (errnum != EEXIST) (void)unlinkat(p->dirfd, p->temp, AT_REMOVEDIR);
    errno = errnum == ENOENT ? EEXIST : errnum; // gone again: it was taken for a leftover
    return -1;
}

static lethe_err make_temp(lethe_folder *f)
{
    lethe_place *p = &f->place;
    for (int i = 0; i < TRIES && f->fd < 0; i++) {
        if (i > 0) LETHE_TRY(lethe_place_draw(p));
        f->fd = create_temp(p);
        if (f->fd < 0 && errno != EEXIST) break;
    }
    if (f->fd < 0) return lethe_fail_sys(p->d, "create", p->path, errno);
    f->temp_path = lethe_place_temp_path(p);
    if (f->temp_path) return LETHE_OK;
    unlinkat(p->dirfd, p->temp, AT_REMOVEDIR);
    return lethe_no_memory(p->d);
}

static void folder_free(lethe_folder *f)
{
    if (f->fd >= 0) close(f->fd);
    if (f->old >= 0) close(f->old);
    lethe_free(f->temp_path);
    lethe_place_close(&f->place);
    lethe_free(f);
}

lethe_err lethe_folder_begin(lethe_diag *d, const char *path, bool force,
                             lethe_may_replace_fn may_replace, lethe_folder **out)
{
    lethe_folder *f = lethe_alloc(1, sizeof *f);
    if (!f) return lethe_no_memory(d);
    *f = (lethe_folder){
        .d = d, .place.dirfd = -1, .fd = -1, .old = -1, .force = force, .may_replace = may_replace};
    lethe_err e = lethe_place_make(d, path, &f->place);
    if (e == LETHE_OK && !force) lethe_leftovers_warn(&f->place, true);
    if (e == LETHE_OK) e = check_target(f, force);
    if (e == LETHE_OK) e = make_temp(f);
    if (e == LETHE_OK)
        *out = f;
    else
        folder_free(f);
    return e;
}

int lethe_folder_fd(const lethe_folder *f) { return f->fd; }
const char *lethe_folder_temp(const lethe_folder *f) { return f->temp_path; }

/* Mode and entries on disk, once all questions are answered and before the name is taken. */
static lethe_err settle(lethe_folder *f)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0) return lethe_fail_sys(f->d, "write", f->place.path, errno);
    mode_t mode = (0777 & ~lethe_umask()) | (st.st_mode & S_ISGID); // inherited: mkdir(1) keeps it
    if (fchmod(f->fd, mode) != 0 || (fsync(f->fd) != 0 && errno != EINVAL))
        return lethe_fail_sys(f->d, "write", f->place.path, errno);
    return LETHE_OK;
}

static lethe_err put_new(lethe_folder *f)
{
    lethe_place *p = &f->place;
    int errnum = lethe_rename_folder(p->dirfd, p->temp, p->base);
    if (errnum == EEXIST || errnum == ENOTEMPTY || errnum == ENOTDIR)
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' was created by another process", p->path);
    return errnum ? lethe_fail_sys(p->d, "create", p->path, errnum) : LETHE_OK;
}

/* Is the folder under `name` the one that `fd` shows? */
static bool same_folder(int dirfd, const char *name, int fd)
{
    struct stat a, b;
    return fstatat(dirfd, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Where folders cannot be exchanged: the old one steps aside, and back if the new one cannot go in.
 * For a moment there is none; a death in that moment leaves both under temporary names. */
static lethe_err step_aside(lethe_folder *f)
{
    lethe_place second = f->place;
    LETHE_TRY(lethe_place_draw(&second));
    int errnum = lethe_rename_folder(second.dirfd, second.base, second.temp);
    if (errnum) return lethe_fail_sys(f->d, "replace", f->place.path, errnum);
    lethe_err e =
        same_folder(second.dirfd, second.temp, f->old)
            ? put_new(f)
            : lethe_fail(f->d, LETHE_EUSAGE, "'%s' was changed by another process", f->place.path);
    if (e == LETHE_OK)
        memcpy(f->aside, second.temp, sizeof second.temp);
    else if (lethe_rename_folder(second.dirfd, second.temp, second.base) != 0)
        lethe_warn(f->d, "the folder that was '%s' was kept as '%s'", f->place.path, second.temp);
    return e;
}

/* Puts the new folder in the place of f->old, which was asked about; its name is then f->aside. */
static lethe_err exchange(lethe_folder *f)
{
    lethe_place *p = &f->place;
    if (renameat2(p->dirfd, p->temp, p->dirfd, p->base, RENAME_EXCHANGE) != 0)
        return lethe_rename_unknown(errno) ? step_aside(f)
                                           : lethe_fail_sys(p->d, "replace", p->path, errno);
    if (!same_folder(p->dirfd, p->temp, f->old)) {
        // Somebody put another one there since; it was not asked about, so it gets its place back.
        if (renameat2(p->dirfd, p->temp, p->dirfd, p->base, RENAME_EXCHANGE) != 0)
            lethe_warn(p->d, "the folder that was '%s' was kept as '%s'", p->path, p->temp);
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' was changed by another process", p->path);
    }
    memcpy(f->aside, p->temp, sizeof p->temp);
    return LETHE_OK;
}

/* f->old was opened: is it locked now, and still the target?  1, or 0; -1: another run has the
 * lock.
 */
static int lock_old(const lethe_folder *f)
{
    if (flock(f->old, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? -1 : 1; // no locks here
    return same_folder(f->place.dirfd, f->place.base, f->old);
}

lethe_err lethe_folder_hold(lethe_folder *f)
{
    const struct timespec pause = {.tv_nsec = 10L * 1000 * 1000};
    if (!f->replaces || f->old >= 0) return LETHE_OK;
    for (int i = 0; i < WAITS; i++) {
        LETHE_TRY(open_old(&f->place, &f->old));
        int locked = f->old < 0 ? 1 : lock_old(f);
        if (locked == 1) return LETHE_OK;
        close(f->old);
        f->old = -1;
        if (locked < 0) nanosleep(&pause, NULL);
    }
    return lethe_fail(f->d, LETHE_EUSAGE, "'%s' is being replaced by another process",
                      f->place.path);
}

static lethe_err replace_target(lethe_folder *f)
{
    LETHE_TRY(lethe_folder_hold(f));
    if (f->old < 0) { // there was none, or it went away by itself
        LETHE_TRY(settle(f));
        return put_new(f);
    }
    LETHE_TRY(ask_may_replace(f, f->old));
    LETHE_TRY(settle(f));
    return exchange(f);
}

lethe_err lethe_folder_place(lethe_folder *f)
{
    lethe_err e = replace_target(f);
    if (e == LETHE_OK)
        lethe_place_sync(&f->place); // the new one is certain before the old one is lost
    else
        lethe_folder_abort(f);
    return e;
}

void lethe_folder_files(lethe_folder *f, lethe_is_ours_fn is_ours) { f->is_ours = is_ours; }

/* Holds the folder files that are ours by their names, and nothing else? */
static bool holds_ours(const lethe_folder *f, int dirfd)
{
    struct stat st;
    struct dirent *entry;
    DIR *dir = f->is_ours ? lethe_folder_list(dirfd) : NULL;
    if (!dir) return false;
    bool all = true;
    while (all && (errno = 0, entry = readdir(dir)))
        all = is_dot(entry->d_name) ||
              (f->is_ours(entry->d_name) &&
               fstatat(dirfd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode));
    all = all && !errno;
    closedir(dir);
    return all;
}

/* A folder under a temporary name is certainly ours if nobody else may look into it, as while it is
 * built or removed, and it holds our files alone; or if it is one that may be replaced. */
static bool leftover_may(void *arg, const lethe_leftover *l)
{
    const lethe_folder *f = arg;
    struct stat st;
    if (fstat(l->fd, &st) == 0 && !(st.st_mode & 077) && holds_ours(f, l->fd)) return true;
    if (is_empty(l->fd) == 1 ||
        (f->may_replace && f->may_replace(NULL, l->path, l->fd) == LETHE_OK))
        return true;
    lethe_warn(f->d,
               "'%s' looks like the folder of a run that was killed, but holds other files: "
               "it was not removed",
               l->path);
    return false;
}

void lethe_folder_keep(lethe_folder *f)
{
    const lethe_place *p = &f->place;
    if (f->old >= 0) {
        (void)fchmod(f->old, 0700); // what is left of it after a kill is known by its mode
        if (!lethe_folder_remove(p->dirfd, f->aside, f->old))
            lethe_warn(p->d, "cannot remove all of the old '%s': it was kept as '%s'", p->path,
                       f->aside);
        lethe_place_sync(p);
    }
    if (f->force) lethe_leftovers_remove(p, true, leftover_may, f);
    folder_free(f);
}

lethe_err lethe_folder_commit(lethe_folder *f)
{
    LETHE_TRY(lethe_folder_place(f));
    lethe_folder_keep(f);
    return LETHE_OK;
}

void lethe_folder_leftovers(lethe_folder *f, lethe_leftover_fn fn, void *arg)
{
    lethe_leftovers_each(&f->place, true, fn, arg);
}

void lethe_folder_abort(lethe_folder *f)
{
    if (!f) return;
    if (!lethe_folder_remove(f->place.dirfd, f->place.temp, f->fd))
        lethe_warn(f->d, "cannot remove the unfinished folder '%s'", f->temp_path);
    folder_free(f);
}
