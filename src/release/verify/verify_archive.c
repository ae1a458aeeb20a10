/* SPDX-License-Identifier: Apache-2.0 */
/* A release in an archive is unpacked into a private folder, which is removed again. */
#include "core/mem.h"
#include "io/read/parts.h"
#include "io/read/tar.h"
#include "io/syserr.h"
#include "release/release.h"
#include "release/verify/verify_internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Text that repeats itself packs well, but not like this. */
static const uint64_t least_room = UINT64_C(256) << 20;
enum { FILES_MOST = 64 + LETHE_PARTS_MAX, RATIO_MOST = 500, COPY_BYTES = 64 << 10 };

bool lethe_is_archive(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Copies the file at hand; *room is what the archive may still unpack to. */
static lethe_err file_unpack(lethe_ctx *ctx, lethe_tar *t, int dirfd, const char *name,
                             uint64_t *room)
{
    static const char too_large[] = "unpacks to more than 500 times its size: unpack it first";
    lethe_diag *d = lethe_ctx_diag(ctx);
    uint8_t *buf = lethe_alloc(COPY_BYTES, 1);
    if (!buf) return lethe_no_memory(d);
    int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    lethe_err e = fd >= 0           ? LETHE_OK
                  : errno == EEXIST ? lethe_fail(d, LETHE_EINPUT, "'%s' holds a file twice",
                                                 lethe_source_name(t->source))
                                    : lethe_fail_sys(d, "create", name, errno);
    for (size_t n = 1; e == LETHE_OK && n > 0;) {
        if (lethe_ctx_cancelled(ctx)) e = LETHE_ECANCEL;
        if (e == LETHE_OK) e = lethe_tar_read(t, buf, COPY_BYTES, &n);
        if (e == LETHE_OK && n > *room)
            e = lethe_fail(d, LETHE_EINPUT, "'%s' %s", lethe_source_name(t->source), too_large);
        if (e != LETHE_OK) break;
        *room -= n;
        for (size_t at = 0; at < n && e == LETHE_OK;) {
            ssize_t put = write(fd, buf + at, n - at);
            if (put < 0 && errno != EINTR) e = lethe_fail_sys(d, "write", name, errno);
            if (put > 0) at += (size_t)put;
        }
    }
    if (fd >= 0 && close(fd) != 0 && e == LETHE_OK) e = lethe_fail_sys(d, "write", name, errno);
    lethe_free(buf);
    return e;
}

static lethe_err zip_refuse(lethe_diag *d, const char *path)
{
    char head[4] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0) close(fd);
    if (n != 4 || memcmp(head, "PK\3\4", 4) != 0) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT, "'%s' is a zip archive: unpack it, and verify the folder",
                      path);
}

static lethe_err files_unpack(lethe_ctx *ctx, const char *path, lethe_archive *a)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    lethe_source *source;
    char name[LETHE_TAR_NAME];
    LETHE_TRY(zip_refuse(d, path));
    LETHE_TRY(lethe_source_open(d, path, &source));
    lethe_source_watch(source, ctx);
    lethe_tar t = {.diag = d, .source = source};
    uint64_t room = least_room + lethe_source_size(source) * RATIO_MOST;
    lethe_err e = LETHE_OK;
    bool more = true, manifest = false;
    for (size_t n = 0; e == LETHE_OK && more; n++) {
        e = lethe_tar_next(&t, name, &more);
        if (e != LETHE_OK || !more) break;
        if (n == FILES_MOST) e = lethe_fail(d, LETHE_EINPUT, "'%s' holds too many files", path);
        manifest |= strcmp(name, LETHE_MANIFEST) == 0;
        if (e == LETHE_OK) e = file_unpack(ctx, &t, a->fd, name, &room);
    }
    lethe_source_close(source);
    if (e == LETHE_OK && !manifest)
        e = lethe_fail(d, LETHE_EIO, "'%s' is not a release: it holds no " LETHE_MANIFEST, path);
    return e;
}

lethe_err lethe_archive_unpack(lethe_ctx *ctx, const char *path, lethe_archive *a)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    int n =
        snprintf(a->folder, sizeof a->folder, "%s/lethe-verify-XXXXXX", lethe_ctx_spill_dir(ctx));
    a->fd = -1;
    if (n < 0 || (size_t)n >= sizeof a->folder || !mkdtemp(a->folder)) {
        if (n < 0 || (size_t)n >= sizeof a->folder) errno = ENAMETOOLONG;
        return lethe_fail_sys(d, "write to", lethe_ctx_spill_dir(ctx), errno);
    }
    a->fd = open(a->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    lethe_err e =
        a->fd < 0 ? lethe_fail_sys(d, "open", a->folder, errno) : files_unpack(ctx, path, a);
    if (e != LETHE_OK) lethe_archive_remove(a);
    return e;
}

void lethe_archive_remove(lethe_archive *a)
{
    DIR *dir = a->fd >= 0 ? fdopendir(a->fd) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.' ||
            !(entry->d_name[1] == '\0' || strcmp(entry->d_name, "..") == 0))
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    else if (a->fd >= 0)
        close(a->fd);
    (void)rmdir(a->folder);
}
