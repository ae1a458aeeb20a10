/* SPDX-License-Identifier: Apache-2.0 */
/* sink.c - one file: written under a temporary name, forced to disk, renamed. */
#include "io/write/sink.h"
#include "io/write/place.h"
#include "io/syserr.h"
#include "core/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 256 << 10, TRIES = 100 };

typedef enum kind { TO_TARGET, TO_STDOUT, TO_FOLDER } kind;

struct lethe_sink {
    lethe_diag *d;
    kind kind;
    int fd;
    lethe_place place; /* for TO_FOLDER: the folder, and the final name at once */
    lethe_sink_mode mode;
    bool force; /* it was opened with LETHE_SINK_REPLACE */
    unsigned perm;
    uint8_t *buf;
    size_t n;
    uint64_t offset; /* of the buffer's first byte in the file */
    atomic_int err;  /* the first failure: a sink that lost bytes is never let out */
    int lock;        /* a copy of fd, once that is closed: the file stays locked; -1: none */
    int old;         /* placed: what was replaced, locked; -1: none */
    lethe_leftover_may_fn may_remove; /* of leftovers; NULL: all */
    void *arg;
    bool old_waits; /* placed: what was replaced is under the temporary name */
    dev_t dev;      /* placed: by these the file is known again */
    ino_t ino;
};

static lethe_sink *sink_new(lethe_diag *d, kind k)
{
    lethe_sink *s = lethe_alloc(1, sizeof *s);
    uint8_t *buf = lethe_alloc(BUFFER_BYTES, 1);
    if (!s || !buf) {
        lethe_free_all(s, buf);
        (void)lethe_no_memory(d);
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->d = d;
    s->kind = k;
    s->fd = s->lock = s->old = -1;
    s->place.dirfd = -1;
    s->buf = buf;
    atomic_init(&s->err, LETHE_OK);
    return s;
}

static void sink_free(lethe_sink *s)
{
    if (s->fd >= 0 && s->kind != TO_STDOUT) close(s->fd);
    if (s->lock >= 0) close(s->lock);
    if (s->old >= 0) close(s->old);
    lethe_place_close(&s->place);
    explicit_bzero(s->buf, BUFFER_BYTES); // it may have held a key
    lethe_free_all(s->buf, s);
}

static const char *sink_name(const lethe_sink *s)
{
    return s->kind == TO_STDOUT ? "standard output" : s->place.path;
}

/* May what stands at the target give way?  A link never does, even one that leads nowhere. */
static lethe_err target_free(const lethe_place *p, lethe_sink_mode mode)
{
    struct stat st;
    if (fstatat(p->dirfd, p->base, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? LETHE_OK : lethe_fail_sys(p->d, "create", p->path, errno);
    if (S_ISLNK(st.st_mode))
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' is a link, which is never replaced", p->path);
    if (S_ISDIR(st.st_mode))
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' is a folder: a file is needed", p->path);
    if (!S_ISREG(st.st_mode))
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' is not a regular file", p->path);
    if (mode == LETHE_SINK_NEW)
        return lethe_fail(p->d, LETHE_EUSAGE, "'%s' exists (use --force to replace it)", p->path);
    return LETHE_OK;
}

static int create_at(int dirfd, const char *name)
{
    int fd;
    do {
        fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* A new file under the temporary name, or -1 with errno: EEXIST, another name is needed. */
static int create_temp(const lethe_place *p)
{
    int fd = create_at(p->dirfd, p->temp);
    if (fd < 0 || lethe_lock_hold(p->dirfd, p->temp, fd)) return fd;
    int errnum = errno;
    close(fd);
    if (errnum != EEXIST) (void)unlinkat(p->dirfd, p->temp, 0);
    errno = errnum;
    return -1;
}

static lethe_err open_temp(lethe_sink *s)
{
    for (int i = 0; i < TRIES && s->fd < 0; i++) {
        if (i > 0) LETHE_TRY(lethe_place_draw(&s->place));
        s->fd = create_temp(&s->place);
        if (s->fd < 0 && errno != EEXIST) break;
    }
    return s->fd >= 0 ? LETHE_OK : lethe_fail_sys(s->d, "create", s->place.path, errno);
}

lethe_err lethe_sink_open(lethe_diag *d, const char *path, lethe_sink_mode mode, unsigned perm,
                          lethe_sink **out)
{
    size_t n = strlen(path);
    if (n > 0 && path[n - 1] == '/')
        return lethe_fail(d, LETHE_EUSAGE, "'%s' names a folder: a file is needed", path);
    lethe_sink *s = sink_new(d, TO_TARGET);
    if (!s) return LETHE_ENOMEM;
    s->mode = mode;
    s->force = mode == LETHE_SINK_REPLACE;
    s->perm = perm;
    lethe_err e = lethe_place_make(d, path, &s->place);
    if (e == LETHE_OK && mode == LETHE_SINK_NEW) lethe_leftovers_warn(&s->place, false);
    if (e == LETHE_OK) e = target_free(&s->place, mode);
    if (e == LETHE_OK) e = open_temp(s);
    if (e == LETHE_OK)
        *out = s;
    else
        sink_free(s);
    return e;
}

lethe_err lethe_sink_stdout(lethe_diag *d, lethe_sink **out)
{
    lethe_sink *s = sink_new(d, TO_STDOUT);
    if (!s) return LETHE_ENOMEM;
    s->fd = STDOUT_FILENO;
    *out = s;
    return LETHE_OK;
}

/* The place of a file inside an unfinished folder: no temporary name, the folder has one. */
static lethe_err place_in(lethe_sink *s, lethe_folder *f, const char *name)
{
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        strlen(name) > LETHE_NAME_MAX)
        return lethe_fail(s->d, LETHE_EUSAGE, "'%s' is not a file's name", name);
    size_t n = strlen(name) + 1;
    s->place.d = s->d;
    s->place.path = lethe_alloc(n, 1);
    if (!s->place.path) return lethe_no_memory(s->d);
    memcpy(s->place.path, name, n);
    memcpy(s->place.temp, name, n);
    s->place.base = s->place.path;
    // A descriptor of its own: the sink does not lean on the folder's life.
    s->place.dirfd = fcntl(lethe_folder_fd(f), F_DUPFD_CLOEXEC, 0);
    return s->place.dirfd < 0 ? lethe_fail_sys(s->d, "create", name, errno) : LETHE_OK;
}

lethe_err lethe_sink_in(lethe_diag *d, lethe_folder *f, const char *name, lethe_sink **out)
{
    lethe_sink *s = sink_new(d, TO_FOLDER);
    if (!s) return LETHE_ENOMEM;
    s->perm = 0666;
    lethe_err e = place_in(s, f, name);
    if (e == LETHE_OK) {
        s->fd = create_at(s->place.dirfd, name);
        if (s->fd < 0) e = lethe_fail_sys(d, "create", name, errno);
    }
    if (e == LETHE_OK)
        *out = s;
    else
        sink_free(s);
    return e;
}

/* Remembers the first failure, from whatever thread, and hands `e` back. */
static lethe_err note(lethe_sink *s, lethe_err e)
{
    int none = LETHE_OK;
    if (e != LETHE_OK) atomic_compare_exchange_strong(&s->err, &none, (int)e);
    return e;
}

/* To a descriptor that has no places, and that another process may have made non-blocking. */
static lethe_err write_stream(lethe_sink *s, const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(s->fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = s->fd, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
            continue;
        }
        if (k < 0) return lethe_fail_sys(s->d, "write", sink_name(s), errno);
        p += k;
        n -= (size_t)k;
    }
    return LETHE_OK;
}

static lethe_err write_through(lethe_sink *s, const uint8_t *p, size_t n)
{
    lethe_err e = s->kind == TO_STDOUT
                      ? write_stream(s, p, n)
                      : lethe_pwrite_all(s->d, s->fd, p, n, s->offset, sink_name(s));
    s->offset += n;
    return note(s, e);
}

static lethe_err flush(lethe_sink *s)
{
    size_t n = s->n;
    s->n = 0;
    return n ? write_through(s, s->buf, n) : LETHE_OK;
}

lethe_err lethe_sink_write(lethe_sink *s, const void *p, size_t n)
{
    lethe_err before = (lethe_err)atomic_load(&s->err);
    if (before != LETHE_OK) return before;
    if (n > BUFFER_BYTES - s->n) LETHE_TRY(flush(s));
    if (n >= BUFFER_BYTES) return write_through(s, p, n);
    if (n > 0) memcpy(s->buf + s->n, p, n);
    s->n += n;
    return LETHE_OK;
}

lethe_err lethe_sink_write_at(lethe_sink *s, uint64_t offset, const void *p, size_t n)
{
    if (s->kind == TO_STDOUT) return note(s, lethe_fail_sys(s->d, "write", sink_name(s), ESPIPE));
    return note(s, lethe_pwrite_all(s->d, s->fd, p, n, offset, sink_name(s)));
}

lethe_err lethe_sink_read_path(lethe_sink *s, char path[LETHE_SINK_PATH_BYTES])
{
    assert(s->kind != TO_STDOUT);
    LETHE_TRY(flush(s));
    snprintf(path, LETHE_SINK_PATH_BYTES, "/proc/self/fd/%d", s->fd);
    return LETHE_OK;
}

/* Everything on disk and the mode right, before the name appears. */
static lethe_err settle(lethe_sink *s)
{
    struct stat st;
    if (fchmod(s->fd, s->perm & ~lethe_umask() & 0777) != 0 || fsync(s->fd) != 0 ||
        fstat(s->fd, &st) != 0)
        return lethe_fail_sys(s->d, "write", sink_name(s), errno);
    s->dev = st.st_dev;
    s->ino = st.st_ino;
    int fd = s->fd;
    s->fd = -1;
    if (s->kind == TO_TARGET) s->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (close(fd) != 0 && errno != EINTR) return lethe_fail_sys(s->d, "write", sink_name(s), errno);
    return LETHE_OK;
}

static lethe_err rename_to_target(lethe_sink *s)
{
    lethe_place *p = &s->place;
    if (s->mode == LETHE_SINK_REPLACE) {
        LETHE_TRY(target_free(p, LETHE_SINK_REPLACE)); // it may have become something else
        if (renameat(p->dirfd, p->temp, p->dirfd, p->base) != 0)
            return lethe_fail_sys(p->d, "create", p->path, errno);
    } else {
        int errnum = lethe_rename_file(p->dirfd, p->temp, p->base);
        if (errnum == EEXIST)
            return lethe_fail(p->d, LETHE_EUSAGE, "'%s' was created by another process", p->path);
        if (errnum) return lethe_fail_sys(p->d, "create", p->path, errnum);
    }
    lethe_place_sync(p);
    return LETHE_OK;
}

/* A copy of the descriptor is closed: some file systems tell of lost bytes only then. */
static lethe_err check_stdout(lethe_sink *s)
{
    int copy = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 || (close(copy) != 0 && errno != EINTR))
        return lethe_fail_sys(s->d, "write", sink_name(s), errno);
    return LETHE_OK;
}

/* The target is in place. */
static void sink_end(lethe_sink *s)
{
    if (s->kind == TO_TARGET && s->force)
        lethe_leftovers_remove(&s->place, false, s->may_remove, s->arg);
    sink_free(s);
}

void lethe_sink_spare(lethe_sink *s, lethe_leftover_may_fn may_remove, void *arg)
{
    s->may_remove = may_remove;
    s->arg = arg;
}

lethe_err lethe_sink_commit(lethe_sink *s)
{
    lethe_err e = (lethe_err)atomic_load(&s->err);
    if (e == LETHE_OK) e = flush(s);
    if (e == LETHE_OK) e = s->kind == TO_STDOUT ? check_stdout(s) : settle(s);
    if (e == LETHE_OK && s->kind == TO_TARGET) e = rename_to_target(s);
    if (e != LETHE_OK)
        lethe_sink_abort(s);
    else
        sink_end(s);
    return e;
}

void lethe_sink_abort(lethe_sink *s)
{
    if (!s) return;
    if (s->kind != TO_STDOUT && unlinkat(s->place.dirfd, s->place.temp, 0) != 0 && errno != ENOENT)
        lethe_warn(s->d, "cannot remove the unfinished file '%s'", s->place.temp);
    sink_free(s);
}

/* --- placing: a commit that can be taken back --- */

/* Where files cannot be exchanged: the old one steps aside, and back if the new one cannot go in.
 */
static lethe_err step_aside(lethe_sink *s)
{
    lethe_place *p = &s->place, aside = *p;
    LETHE_TRY(lethe_place_draw(&aside));
    int errnum = lethe_rename_file(p->dirfd, p->base, aside.temp);
    if (errnum) return lethe_fail_sys(p->d, "replace", p->path, errnum);
    errnum = lethe_rename_file(p->dirfd, p->temp, p->base);
    if (!errnum) {
        memcpy(p->temp, aside.temp, sizeof p->temp);
        return LETHE_OK;
    }
    if (lethe_rename_file(p->dirfd, aside.temp, p->base) != 0)
        lethe_warn(p->d, "the previous '%s' was kept as '%s'", p->path, aside.temp);
    return lethe_fail_sys(p->d, "replace", p->path, errnum);
}

static lethe_err exchange(lethe_sink *s)
{
    lethe_place *p = &s->place;
    LETHE_TRY(target_free(p, LETHE_SINK_REPLACE)); // it may have become something else
    // under a temporary name it is no leftover yet
    s->old = openat(p->dirfd, p->base, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (s->old >= 0) (void)flock(s->old, LOCK_EX | LOCK_NB);
    if (renameat2(p->dirfd, p->temp, p->dirfd, p->base, RENAME_EXCHANGE) != 0) {
        if (!lethe_rename_unknown(errno)) return lethe_fail_sys(p->d, "replace", p->path, errno);
        LETHE_TRY(step_aside(s));
    }
    s->old_waits = true;
    lethe_place_sync(p);
    return LETHE_OK;
}

lethe_err lethe_sink_place(lethe_sink *s)
{
    struct stat st;
    assert(s->kind == TO_TARGET);
    lethe_err e = (lethe_err)atomic_load(&s->err);
    if (e == LETHE_OK) e = flush(s);
    if (e == LETHE_OK) e = settle(s);
    if (e == LETHE_OK) {
        bool replaces = s->mode == LETHE_SINK_REPLACE &&
                        fstatat(s->place.dirfd, s->place.base, &st, AT_SYMLINK_NOFOLLOW) == 0;
        if (!replaces) s->mode = LETHE_SINK_NEW; // there is none to come back
        e = replaces ? exchange(s) : rename_to_target(s);
    }
    if (e != LETHE_OK) lethe_sink_abort(s);
    return e;
}

void lethe_sink_keep(lethe_sink *s)
{
    if (s->old_waits && unlinkat(s->place.dirfd, s->place.temp, 0) != 0)
        lethe_warn(s->d, "cannot remove the old '%s': it was kept as '%s'", s->place.path,
                   s->place.temp);
    sink_end(s);
}

void lethe_sink_take_back(lethe_sink *s)
{
    const lethe_place *p = &s->place;
    struct stat st;
    bool ours = fstatat(p->dirfd, p->base, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == s->dev &&
                st.st_ino == s->ino;
    if (!s->old_waits) {
        if (ours && unlinkat(p->dirfd, p->base, 0) != 0)
            lethe_warn(s->d,
                       "cannot remove '%s': remove it yourself, because no release belongs "
                       "to it",
                       p->path);
    } else if (!ours || renameat(p->dirfd, p->temp, p->dirfd, p->base) != 0) {
        lethe_warn(s->d, "the previous '%s' was kept as '%s'", p->path, p->temp);
    }
    lethe_place_sync(p);
    sink_free(s);
}
