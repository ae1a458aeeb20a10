/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - the digest of a file, and key files. */
#include "io/write/sink.h"
#include "io/syserr.h"
#include "core/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 256 << 10, DIGEST_BYTES = 32, KEY_BYTES = 32 };

static ssize_t read_some(int fd, void *p, size_t n)
{
    ssize_t k;
    do {
        k = read(fd, p, n);
    } while (k < 0 && errno == EINTR);
    return k;
}

static lethe_err digest_fd(lethe_ctx *ctx, int fd, const char *name, uint8_t out[DIGEST_BYTES],
                           uint64_t *size)
{
    uint8_t *chunk = lethe_alloc(CHUNK_BYTES, 1);
    if (!chunk) return lethe_no_memory(ctx);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, DIGEST_BYTES);
    lethe_err e = LETHE_OK;
    uint64_t total = 0;
    ssize_t k = 0;
    while (e == LETHE_OK && (k = read_some(fd, chunk, CHUNK_BYTES)) > 0) {
        crypto_generichash_update(&state, chunk, (size_t)k);
        total += (uint64_t)k;
        if (lethe_ctx_cancelled(ctx)) e = LETHE_ECANCEL;
    }
    if (k < 0) e = lethe_fail_sys(lethe_ctx_diag(ctx), "read", name, errno);
    crypto_generichash_final(&state, out, DIGEST_BYTES);
    lethe_free(chunk);
    *size = total;
    return e;
}

static lethe_err digest_at(lethe_ctx *ctx, int dirfd, const char *name, int flags, char hex[65],
                           uint64_t *size)
{
    // O_NONBLOCK: a pipe under that name must not make us wait before it is refused.
    int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0) return lethe_fail_sys(ctx, "open", name, errno);
    struct stat st;
    uint8_t digest[DIGEST_BYTES];
    uint64_t n = 0;
    lethe_err e;
    if (fstat(fd, &st) != 0)
        e = lethe_fail_sys(ctx, "read", name, errno);
    else if (!S_ISREG(st.st_mode))
        e = lethe_fail(ctx, LETHE_EIO, "cannot read '%s': not a regular file", name);
    else
        e = digest_fd(ctx, fd, name, digest, &n);
    close(fd);
    if (e != LETHE_OK) return e;
    sodium_bin2hex(hex, 65, digest, sizeof digest);
    *size = n;
    return LETHE_OK;
}

lethe_err lethe_file_digest(lethe_ctx *ctx, int dirfd, const char *name, char hex[65],
                            uint64_t *size)
{
    return digest_at(ctx, dirfd, name, O_NOFOLLOW, hex, size);
}

lethe_err lethe_path_digest(lethe_ctx *ctx, const char *path, char hex[65], uint64_t *size)
{
    return digest_at(ctx, AT_FDCWD, path, 0, hex, size);
}

/* One byte more than a key is asked for, so that a longer file is seen. */
static lethe_err key_fd(lethe_diag *d, int fd, const char *path, uint8_t bytes[KEY_BYTES + 1])
{
    struct stat st;
    if (fstat(fd, &st) != 0) return lethe_fail_sys(d, "read", path, errno);
    if (S_ISDIR(st.st_mode)) return lethe_fail_sys(d, "read", path, EISDIR);
    if (S_ISREG(st.st_mode) && (st.st_mode & 077))
        return lethe_fail(d, LETHE_EUSAGE,
                          "key file '%s' can be read by other users: run 'chmod "
                          "600' on it",
                          path);
    size_t n = 0;
    ssize_t k = 1;
    while (n <= KEY_BYTES && k > 0) {
        k = read_some(fd, bytes + n, KEY_BYTES + 1 - n);
        if (k < 0) return lethe_fail_sys(d, "read", path, errno);
        n += (size_t)k;
    }
    if (n > KEY_BYTES)
        return lethe_fail(d, LETHE_EINPUT, "key file '%s' holds more than 32 bytes", path);
    if (n < KEY_BYTES)
        return lethe_fail(d, LETHE_EINPUT, "key file '%s' holds %zu bytes, not 32", path, n);
    return LETHE_OK;
}

lethe_err lethe_key_read(lethe_diag *d, const char *path, uint8_t key[32])
{
    int fd;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return lethe_fail_sys(d, "open", path, errno);
    uint8_t bytes[KEY_BYTES + 1];
    lethe_err e = key_fd(d, fd, path, bytes);
    if (e == LETHE_OK) memcpy(key, bytes, KEY_BYTES);
    sodium_memzero(bytes, sizeof bytes);
    close(fd);
    return e;
}
