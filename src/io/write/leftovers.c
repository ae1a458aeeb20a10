/* SPDX-License-Identifier: Apache-2.0 */
/* leftovers.c - what runs that were killed have left beside a target, under its temporary names.
 *
 * Whoever builds something under such a name holds a lock (flock) on it, and the lock ends with the
 * process: what can be locked is nobody's any more. */
#include "io/write/sink.h"
#include "io/write/place.h"
#include "core/mem.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool lethe_lock_hold(int dirfd, const char *name, int fd)
{
    struct stat a, b;
    int locked;
    do // whoever looks whether it is a leftover holds the lock for a moment
        locked = flock(fd, LOCK_EX);
    while (locked != 0 && errno == EINTR);
    if (locked != 0) return true; // where there are no locks nobody takes it for a leftover
    if (fstatat(dirfd, name, &a, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) errno = EEXIST;
        return false;
    }
    if (fstat(fd, &b) != 0) return false;
    bool same = a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    if (!same) errno = EEXIST; // removed before it was locked, and the name taken again
    return same;
}

/* --- finding them --- */

typedef struct names {
    char **at;
    size_t n, cap;
} names;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool name_add(names *all, const char *name)
{
    if (all->n == all->cap) {
        size_t cap = all->cap ? 2 * all->cap : 8;
        char **at = lethe_realloc((void *)all->at, cap, sizeof *at);
        if (!at) return false;
        all->at = at;
        all->cap = cap;
    }
    size_t n = strlen(name) + 1;
    char *copy = lethe_alloc(n, 1);
    if (!copy) return false;
    memcpy(copy, name, n);
    all->at[all->n++] = copy;
    return true;
}

static void names_free(names *all)
{
    for (size_t i = 0; i < all->n; i++)
        lethe_free(all->at[i]);
    lethe_free((void *)all->at);
}

/* In the order of their bytes, so that messages come in the same order each time. */
static void names_find(const lethe_place *p, names *all)
{
    DIR *dir = lethe_folder_list(p->dirfd);
    bool room = true;
    for (struct dirent *entry; dir && room && (entry = readdir(dir));)
        if (lethe_place_is_temp(p, entry->d_name)) room = name_add(all, entry->d_name);
    if (dir) closedir(dir);
    if (all->n > 1) qsort((void *)all->at, all->n, sizeof *all->at, compare_names);
}

/* Opens and locks it: true if it is a leftover.  A file, or a folder, of ours that nobody builds.
 */
static bool leftover_take(const lethe_place *p, const char *name, bool folder, int *fd)
{
    struct stat st;
    int f = openat(p->dirfd, name,
                   O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                       (folder ? O_DIRECTORY : 0));
    if (f < 0) return false;
    bool kind = fstat(f, &st) == 0 && st.st_uid == geteuid() &&
                (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode) && !(st.st_mode & 0111));
    // locked first, then asked for its name: it may have got its final one in between
    if (kind && flock(f, LOCK_EX | LOCK_NB) == 0 && lethe_lock_hold(p->dirfd, name, f)) {
        *fd = f;
        return true;
    }
    close(f);
    return false;
}

void lethe_leftovers_each(const lethe_place *p, bool folder, lethe_leftover_fn fn, void *arg)
{
    names all = {0};
    names_find(p, &all);
    for (size_t i = 0; i < all.n; i++) {
        lethe_place one = *p;
        int fd;
        if (!leftover_take(p, all.at[i], folder, &fd)) continue;
        memcpy(one.temp, all.at[i], strlen(all.at[i]) + 1);
        char *path = lethe_place_temp_path(&one);
        if (path) fn(arg, &(lethe_leftover){.path = path, .name = all.at[i], .fd = fd});
        lethe_free(path);
        close(fd);
    }
    names_free(&all);
}

/* --- naming and removing them --- */

/* It may be an old file that is still needed: nobody is told to remove it by hand. */
static void name_it(void *arg, const lethe_leftover *l)
{
    const lethe_place *p = arg;
    lethe_warn(p->d, "'%s' was left by a run that was killed; --force removes it once '%s' is made",
               l->path, p->path);
}

void lethe_leftovers_warn(const lethe_place *p, bool folder)
{
    lethe_place copy = *p;
    lethe_leftovers_each(p, folder, name_it, &copy);
}

void lethe_leftovers_of(const char *path, lethe_leftover_fn fn, void *arg)
{
    lethe_place p;
    if (lethe_place_open(NULL, path, &p) != LETHE_OK) return;
    lethe_leftovers_each(&p, false, fn, arg);
    lethe_place_close(&p);
}

void lethe_leftovers_name(lethe_diag *d, const char *path)
{
    lethe_place p;
    if (lethe_place_open(NULL, path, &p) != LETHE_OK) return;
    p.d = d;
    lethe_leftovers_warn(&p, false);
    lethe_place_close(&p);
}

typedef struct removal {
    const lethe_place *place;
    bool folder;
    lethe_leftover_may_fn may;
    void *arg;
} removal;

static void remove_it(void *arg, const lethe_leftover *l)
{
    const removal *r = arg;
    lethe_diag *d = r->place->d;
    if (r->may && !r->may(r->arg, l)) return;
    bool gone = r->folder ? lethe_folder_remove(r->place->dirfd, l->name, l->fd)
                          : unlinkat(r->place->dirfd, l->name, 0) == 0;
    if (gone)
        lethe_note(d, "removed '%s', which a run that was killed had left", l->path);
    else
        lethe_warn(d, "cannot remove '%s', which a run that was killed had left", l->path);
}

void lethe_leftovers_remove(const lethe_place *p, bool folder, lethe_leftover_may_fn may, void *arg)
{
    removal r = {.place = p, .folder = folder, .may = may, .arg = arg};
    lethe_leftovers_each(p, folder, remove_it, &r);
}
