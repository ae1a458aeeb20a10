/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX.1-2017, pax, "ustar Interchange Format".  Extended headers are read over: the names and
 * sizes of a release's files need none, and one that changes them is refused. */
#include "io/read/tar.h"
#include <stdio.h>

enum {
    BLOCK = 512,
    NAME_AT = 0,
    SIZE_AT = 124,
    SUM_AT = 148,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    NAME_BYTES = 100,
    PREFIX_BYTES = 155,
    PAX_MOST = 64 << 10
};

static lethe_err refuse(const lethe_tar *t, const char *why)
{
    return lethe_fail(t->diag, LETHE_EINPUT, "'%s': %s", lethe_source_name(t->source), why);
}

/* Fills `buf`, or says that the archive ends too early; *n = 0: it ended before. */
static lethe_err read_block(lethe_tar *t, uint8_t buf[BLOCK], size_t *n)
{
    size_t got = 1;
    for (*n = 0; *n < BLOCK && got > 0; *n += got)
        LETHE_TRY(lethe_source_read(t->source, buf + *n, BLOCK - *n, &got));
    return *n == 0 || *n == BLOCK ? LETHE_OK : refuse(t, "is truncated, or not a tar archive");
}

/* An octal number with spaces or NUL behind it. */
static bool octal(const uint8_t *p, size_t n, uint64_t *out)
{
    size_t i = 0;
    *out = 0;
    while (i < n && p[i] == ' ')
        i++;
    size_t from = i;
    for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
        *out = *out * 8 + (uint64_t)(p[i] - '0');
    if (i == from) return false;
    while (i < n && (p[i] == ' ' || p[i] == '\0'))
        i++;
    return i == n;
}

/* Large files have their size in base 256. */
static bool size_of(const uint8_t block[BLOCK], uint64_t *out)
{
    const uint8_t *p = block + SIZE_AT;
    if (p[0] != 0x80) return octal(p, 12, out);
    *out = 0;
    for (size_t i = 1; i < 12; i++) {
        if (i < 5 && p[i] != 0) return false;
        *out = *out << 8 | p[i];
    }
    return *out <= INT64_MAX;
}

static bool sum_is_right(const uint8_t block[BLOCK])
{
    uint64_t sum = 0, said;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + 8 ? ' ' : block[i];
    return octal(block + SUM_AT, 8, &said) && said == sum;
}

static bool is_zero(const uint8_t block[BLOCK])
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i]) return false;
    return true;
}

static lethe_err skip(lethe_tar *t)
{
    uint8_t buf[BLOCK];
    while (t->left + t->pad > 0) {
        size_t n, want = (size_t)LETHE_MIN(t->left + t->pad, (uint64_t)BLOCK);
        LETHE_TRY(lethe_source_read(t->source, buf, want, &n));
        if (n == 0) return refuse(t, "is truncated");
        uint64_t of_file = LETHE_MIN(t->left, (uint64_t)n);
        t->left -= of_file;
        t->pad -= n - of_file;
    }
    return LETHE_OK;
}

/* An extended header: records `LENGTH KEY=VALUE LF`. */
static lethe_err pax_check(lethe_tar *t)
{
    static const char *const keys[] = {" path=", " linkpath=", " size=", " GNU.sparse"};
    static const char other[] = "has extended headers that change names or sizes: unpack it first";
    uint8_t buf[BLOCK + 16] = {0};
    size_t kept = 0;
    if (t->left > PAX_MOST) return refuse(t, other);
    while (t->left > 0) {
        size_t n;
        LETHE_TRY(lethe_tar_read(t, buf + kept, BLOCK, &n));
        for (size_t k = 0; k < LETHE_COUNT(keys); k++)
            if (memmem(buf, kept + n, keys[k], strlen(keys[k]))) return refuse(t, other);
        size_t keep = LETHE_MIN(kept + n, (size_t)16); // a key may lie on the edge
        memmove(buf, buf + kept + n - keep, keep);
        kept = keep;
    }
    return skip(t);
}

/* The path of an entry without its "./" and its last slash. */
static bool path_of(const uint8_t block[BLOCK], char path[NAME_BYTES + 1])
{
    if (memcmp(block + MAGIC_AT, "ustar", 5) == 0 && block[PREFIX_AT]) return false; // too long
    memcpy(path, block + NAME_AT, NAME_BYTES);
    path[NAME_BYTES] = '\0';
    while (path[0] == '.' && path[1] == '/')
        memmove(path, path + 2, strlen(path + 2) + 1);
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
    return true;
}

static bool is_plain(const char *name)
{
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strchr(name, '/');
}

/* Parts the folder from the name, and sees that it is the same for all. */
static bool name_take(lethe_tar *t, char *path, char name[LETHE_TAR_NAME])
{
    char *slash = strchr(path, '/');
    if (slash) *slash = '\0';
    const char *top = slash ? path : "", *last = slash ? slash + 1 : path;
    if (!is_plain(last) || (slash && !is_plain(top))) return false;
    if (t->any && strcmp(t->top, top) != 0) return false;
    t->any = true;
    snprintf(t->top, sizeof t->top, "%s", top);
    snprintf(name, LETHE_TAR_NAME, "%s", last);
    return true;
}

/* Nothing but zeros until the end. */
static lethe_err end_check(lethe_tar *t)
{
    uint8_t block[BLOCK];
    for (size_t n = BLOCK; n > 0;) {
        LETHE_TRY(read_block(t, block, &n));
        if (n > 0 && !is_zero(block)) return refuse(t, "has bytes behind its end");
    }
    return LETHE_OK;
}

lethe_err lethe_tar_next(lethe_tar *t, char name[LETHE_TAR_NAME], bool *more)
{
    uint8_t block[BLOCK];
    char path[NAME_BYTES + 1];
    *more = false;
    for (;;) {
        size_t n;
        uint64_t size;
        LETHE_TRY(skip(t));
        LETHE_TRY(read_block(t, block, &n));
        if (n == 0) return refuse(t, "is truncated, or not a tar archive");
        if (is_zero(block)) return end_check(t);
        if (!sum_is_right(block) || !size_of(block, &size))
            return refuse(t, "is damaged, or not a tar archive");
        t->left = size;
        t->pad = (BLOCK - size % BLOCK) % BLOCK;
        switch (block[TYPE_AT]) {
        case 'x':
        case 'g':
            LETHE_TRY(pax_check(t));
            continue;
        case '5':
            continue; // a release has no folders: its files tell which one they are in
        case '0':
        case '\0':
            if (!path_of(block, path))
                return refuse(t, "has names that are too long: unpack it first");
            if (strncmp(path, "._", 2) == 0 && !strchr(path, '/')) { // beside a folder, of macOS
                char shown[LETHE_TAR_NAME];
                lethe_show(shown, sizeof shown, lethe_str_of(path));
                lethe_note(t->diag, "'%s' in '%s' is ignored", shown, lethe_source_name(t->source));
                continue;
            }
            if (!name_take(t, path, name))
                return refuse(t, "holds files that are not all in one folder: unpack it first");
            *more = true;
            return LETHE_OK;
        default:
            return refuse(t, "holds links or other things that no release has");
        }
    }
}

lethe_err lethe_tar_read(lethe_tar *t, void *buf, size_t cap, size_t *n)
{
    *n = 0;
    if (t->left == 0) return LETHE_OK;
    LETHE_TRY(lethe_source_read(t->source, buf, (size_t)LETHE_MIN(t->left, (uint64_t)cap), n));
    if (*n == 0) return refuse(t, "is truncated");
    t->left -= *n;
    return LETHE_OK;
}
