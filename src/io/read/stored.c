/* SPDX-License-Identifier: Apache-2.0 */
/* stored.c - a file, or the parts of one, of which a single one is open at a time: there may be
 * more than a process can have open. */
#include "io/read/stored.h"
#include "core/mem.h"
#include "io/read/parts.h"
#include "io/syserr.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAGS = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY };

struct lethe_stored {
    int fd; /* the file; of parts the one at hand, or -1 */
    uint64_t size;
    int dirfd;     /* of parts; else -1 */
    uint32_t n;    /* how many; 0: it is whole */
    uint32_t at;   /* the part that `fd` is */
    uint64_t *end; /* of each: the offset behind its last byte */
    const char *ext;
    char name[];
};

const char *lethe_stored_name(const lethe_stored *s) { return s->name; }
uint64_t lethe_stored_size(const lethe_stored *s) { return s->size; }

static lethe_stored *stored_new(const char *name)
{
    size_t n = strlen(name) + 1;
    lethe_stored *s = lethe_alloc(1, sizeof *s + n);
    if (!s) return NULL;
    *s = (lethe_stored){.fd = -1, .dirfd = -1};
    memcpy(s->name, name, n);
    return s;
}

void lethe_stored_close(lethe_stored *s)
{
    if (!s) return;
    if (s->fd >= 0) close(s->fd);
    if (s->dirfd >= 0) close(s->dirfd);
    lethe_free(s->end);
    lethe_free(s);
}

/* Not blocking: a pipe that took the file's place must not hold us up. */
static int file_open(int dirfd, const char *name)
{
    int fd;
    do
        fd = openat(dirfd, name, FLAGS | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* --- reading --- */

static ssize_t pread_some(int fd, void *buf, size_t cap, uint64_t offset)
{
    ssize_t n;
    do
        n = pread(fd, buf, cap, (off_t)offset);
    while (n < 0 && errno == EINTR);
    return n;
}

static uint64_t part_begin(const lethe_stored *s, uint32_t i) { return i > 0 ? s->end[i - 1] : 0; }

/* The part with the byte at `offset`, which is one of them. */
static uint32_t part_find(const lethe_stored *s, uint64_t offset)
{
    uint32_t low = 0, high = s->n - 1; // it is in [low, high]
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (offset < s->end[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Makes `fd` part i, which must be as large as it was at first.  -1 and errno: it is not. */
static int part_enter(lethe_stored *s, uint32_t i)
{
    char name[LETHE_PART_NAME];
    struct stat st;
    if (s->fd >= 0 && s->at == i) return 0;
    if (s->fd >= 0) close(s->fd);
    lethe_part_name(i, s->ext, name);
    s->at = i;
    s->fd = file_open(s->dirfd, name);
    if (s->fd < 0) return -1;
    if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) &&
        (uint64_t)st.st_size == s->end[i] - part_begin(s, i)) {
        (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL); // a hint
        return 0;
    }
    close(s->fd);
    s->fd = -1;
    errno = EIO;
    return -1;
}

static ssize_t parts_pread(lethe_stored *s, void *buf, size_t cap, uint64_t offset)
{
    if (offset >= s->size) return 0;
    uint32_t i = part_find(s, offset);
    if (part_enter(s, i) != 0) return -1;
    size_t most = (size_t)LETHE_MIN((uint64_t)cap, s->end[i] - offset);
    ssize_t n = pread_some(s->fd, buf, most, offset - part_begin(s, i));
    if (n != 0) return n;
    errno = EIO; // it was cut short: what follows must not move up
    return -1;
}

ssize_t lethe_stored_pread(lethe_stored *s, void *buf, size_t cap, uint64_t offset)
{
    return s->n > 0 ? parts_pread(s, buf, cap, offset) : pread_some(s->fd, buf, cap, offset);
}

lethe_err lethe_stored_read(lethe_diag *d, lethe_stored *s, void *buf, size_t cap, uint64_t offset,
                            size_t *n)
{
    ssize_t got = lethe_stored_pread(s, buf, cap, offset);
    int errnum = errno;
    char part[LETHE_PART_NAME];
    if (got >= 0) {
        *n = (size_t)got;
        return LETHE_OK;
    }
    if (s->n > 0) lethe_part_name(s->at, s->ext, part);
    return lethe_fail_sys(d, "read", s->n > 0 ? part : s->name, errnum);
}

/* --- opening --- */

/* A regular file, with its last byte; its size is added to that of all. */
static lethe_err part_look(lethe_diag *d, lethe_stored *s, uint32_t i)
{
    struct stat st;
    char name[LETHE_PART_NAME], last = 0;
    lethe_part_name(i, s->ext, name);
    int fd = file_open(s->dirfd, name);
    if (fd < 0 && errno != ELOOP) return lethe_fail_sys(d, "open", name, errno);
    lethe_err e = LETHE_OK;
    if (fd >= 0 && fstat(fd, &st) != 0)
        e = lethe_fail_sys(d, "open", name, errno);
    else if (fd < 0 || !S_ISREG(st.st_mode))
        e = lethe_fail(d, LETHE_EINPUT, "'%s' is not a regular file", name);
    else if (st.st_size == 0)
        e = lethe_fail(d, LETHE_EINPUT, "'%s' is empty: a part has at least one line", name);
    else if (pread_some(fd, &last, 1, (uint64_t)st.st_size - 1) < 0)
        e = lethe_fail_sys(d, "read", name, errno);
    else if (last != '\n')
        e = lethe_fail(d, LETHE_EINPUT, "'%s' does not end in LF: no line may be in two parts",
                       name);
    if (e == LETHE_OK) s->end[i] = s->size += (uint64_t)st.st_size;
    if (fd >= 0) close(fd);
    return e;
}

/* The parts in place of data.EXT; *n = 0: there are none. */
static lethe_err parts_open(lethe_diag *d, int dirfd, lethe_stored *s, uint32_t *n)
{
    *n = 0;
    s->ext = lethe_parts_ext(s->name);
    if (!s->ext) return LETHE_OK;
    LETHE_TRY(lethe_parts_count(d, dirfd, s->ext, n));
    if (*n == 0) return LETHE_OK;
    s->dirfd = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
    if (s->dirfd < 0) return lethe_fail_sys(d, "open", s->name, errno);
    s->end = lethe_alloc(*n, sizeof *s->end);
    if (!s->end) return lethe_no_memory(d);
    for (uint32_t i = 0; i < *n; i++)
        LETHE_TRY(part_look(d, s, i));
    s->n = *n;
    return LETHE_OK;
}

/* Is there an entry that would be the first part?  Which of both is the data nobody could tell. */
static lethe_err alone_check(lethe_diag *d, int dirfd, const char *name)
{
    char part[LETHE_PART_NAME];
    struct stat st;
    const char *ext = lethe_parts_ext(name);
    if (!ext) return LETHE_OK;
    lethe_part_name(0, ext, part);
    if (fstatat(dirfd, part, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT, "'%s' is beside '%s': the data is one file or parts", name,
                      part);
}

static lethe_err whole_look(lethe_diag *d, lethe_stored *s)
{
    struct stat st;
    if (fstat(s->fd, &st) != 0) return lethe_fail_sys(d, "open", s->name, errno);
    if (!S_ISREG(st.st_mode))
        return lethe_fail(d, LETHE_EINPUT, "'%s' is not a regular file", s->name);
    s->size = (uint64_t)st.st_size;
    (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL); // a hint
    return LETHE_OK;
}

static lethe_err stored_fill(lethe_diag *d, int dirfd, lethe_stored *s)
{
    uint32_t n = 0;
    s->fd = file_open(dirfd, s->name);
    if (s->fd >= 0) {
        LETHE_TRY(alone_check(d, dirfd, s->name));
        return whole_look(d, s);
    }
    int errnum = errno;
    if (errnum == ENOENT) LETHE_TRY(parts_open(d, dirfd, s, &n));
    return n > 0 ? LETHE_OK : lethe_fail_sys(d, "open", s->name, errnum);
}

lethe_err lethe_stored_open(lethe_diag *d, int dirfd, const char *name, lethe_stored **out)
{
    lethe_stored *s = stored_new(name);
    if (!s) return lethe_no_memory(d);
    lethe_err e = stored_fill(d, dirfd, s);
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_stored_close(s);
    return e;
}

lethe_err lethe_stored_is(lethe_diag *d, int dirfd, const char *name, bool *is)
{
    struct stat st;
    uint32_t n = 0;
    const char *ext = lethe_parts_ext(name);
    *is = fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
    if (!*is && ext) LETHE_TRY(lethe_parts_count(d, dirfd, ext, &n));
    *is = *is || n > 0;
    return LETHE_OK;
}

lethe_err lethe_stored_take(lethe_diag *d, int fd, const char *name, lethe_stored **out)
{
    lethe_stored *s = stored_new(name);
    if (!s) {
        close(fd);
        return lethe_no_memory(d);
    }
    s->fd = fd;
    lethe_err e = whole_look(d, s);
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_stored_close(s);
    return e;
}
