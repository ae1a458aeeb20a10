/* SPDX-License-Identifier: Apache-2.0 */
/* spill.c - nameless files for what memory cannot hold, and whole reads and writes at a place. */
#include "io/write/sink.h"
#include "io/syserr.h"
#include "core/mem.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

lethe_err(lethe_fail_sys)(lethe_diag *d, const char *verb, const char *name, int errnum)
{
    char room[128];
    const char *cause = strerror_r(errnum, room, sizeof room); // GNU's: `room` or a static text
    return lethe_fail(d, LETHE_EIO, "cannot %s '%s': %c%s", verb, name,
                      tolower((unsigned char)cause[0]), cause[0] ? cause + 1 : "");
}

lethe_err lethe_spill_open(lethe_diag *d, const char *dir, int *fd)
{
    int f;
    do {
        f = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    } while (f < 0 && errno == EINTR);
    if (f >= 0) {
        *fd = f;
        return LETHE_OK;
    }
    // What a file system, or a kernel, without O_TMPFILE answers; the rest is a true failure.
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOSYS) {
        // For file systems without O_TMPFILE: a name for the moment between two calls. The file is
        // empty and 0600 until it has none, so even a death in between shows nothing.
        static const char tail[] = "/" LETHE_SPILL_PREFIX "XXXXXX";
        size_t n = strlen(dir);
        char *path = lethe_alloc(n + sizeof tail, 1);
        if (!path) return lethe_no_memory(d);
        memcpy(path, dir, n);
        memcpy(path + n, tail, sizeof tail);
        lethe_err e = LETHE_OK;
        f = mkostemp(path, O_CLOEXEC);
        if (f < 0) {
            e = lethe_fail_sys(d, "create a file in", dir, errno);
        } else if (unlink(path) != 0) {
            e = lethe_fail_sys(d, "remove", path, errno);
            close(f);
        } else {
            *fd = f;
        }
        lethe_free(path);
        return e;
    }
    return lethe_fail_sys(d, "create a file in", dir, errno);
}

/* Offsets are signed in the system's calls. */
static bool fits(uint64_t offset, size_t n)
{
    return offset <= INT64_MAX && n <= (uint64_t)INT64_MAX - offset;
}

lethe_err lethe_pwrite_all(lethe_diag *d, int fd, const void *p, size_t n, uint64_t offset,
                           const char *name)
{
    const char *at = p;
    if (!fits(offset, n)) return lethe_fail_sys(d, "write", name, EFBIG);
    while (n > 0) {
        ssize_t k = pwrite(fd, at, n, (off_t)offset);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return lethe_fail_sys(d, "write", name, errno);
        if (k == 0) return lethe_fail_sys(d, "write", name, EIO); // would loop for ever
        at += k;
        offset += (uint64_t)k;
        n -= (size_t)k;
    }
    return LETHE_OK;
}

lethe_err lethe_pread_all(lethe_diag *d, int fd, void *p, size_t n, uint64_t offset,
                          const char *name)
{
    char *at = p;
    if (!fits(offset, n)) return lethe_fail_sys(d, "read", name, EFBIG);
    while (n > 0) {
        ssize_t k = pread(fd, at, n, (off_t)offset);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return lethe_fail_sys(d, "read", name, errno);
        if (k == 0)
            return lethe_fail(d, LETHE_EIO, "cannot read '%s': it ends %zu bytes early", name, n);
        at += k;
        offset += (uint64_t)k;
        n -= (size_t)k;
    }
    return LETHE_OK;
}
