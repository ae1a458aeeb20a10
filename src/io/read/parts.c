/* SPDX-License-Identifier: Apache-2.0 */
/* Names of parts, and those in a folder. */
#include "io/read/parts.h"
#include "io/syserr.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PREFIX "part-"
enum { PREFIX_BYTES = sizeof PREFIX - 1, DIGITS = 5, EXT_MOST = 8 };

void lethe_part_name(uint32_t i, const char *ext, char name[LETHE_PART_NAME])
{
    assert(i < LETHE_PARTS_MAX && strlen(ext) <= EXT_MOST);
    snprintf(name, LETHE_PART_NAME, PREFIX "%05u.%s", i, ext);
}

static bool begins(lethe_str s, lethe_str with)
{
    return s.n >= with.n && memcmp(s.at, with.at, with.n) == 0;
}

bool lethe_part_parse(lethe_str name, uint32_t *i, lethe_str *ext)
{
    const size_t dot = PREFIX_BYTES + DIGITS;
    uint32_t number = 0;
    if (name.n <= dot + 1 || !begins(name, LETHE_LIT(PREFIX)) || name.at[dot] != '.') return false;
    for (size_t k = PREFIX_BYTES; k < dot; k++) {
        if (name.at[k] < '0' || name.at[k] > '9') return false;
        number = number * 10 + (uint32_t)(name.at[k] - '0');
    }
    *i = number;
    *ext = (lethe_str){name.at + dot + 1, name.n - dot - 1};
    return true;
}

const char *lethe_parts_ext(const char *data)
{
    static const char whole[] = "data.";
    size_t n = strlen(data), head = sizeof whole - 1;
    bool has = n > head && n <= head + EXT_MOST && memcmp(data, whole, head) == 0;
    return has ? data + head : NULL;
}

bool lethe_part_of(lethe_str name, const char *data, uint32_t *i)
{
    uint32_t number;
    lethe_str own;
    const char *ext = lethe_parts_ext(data);
    bool is = ext && lethe_part_parse(name, &number, &own) && lethe_str_eq(own, lethe_str_of(ext));
    if (is) *i = number;
    return is;
}

/* Does it look like a part, written in whatever way? */
static bool is_like_part(lethe_str name, lethe_str ext)
{
    return begins(name, LETHE_LIT(PREFIX)) && name.n > ext.n &&
           name.at[name.n - ext.n - 1] == '.' &&
           memcmp(name.at + name.n - ext.n, ext.at, ext.n) == 0;
}

static lethe_err name_refuse(lethe_diag *d, lethe_str name)
{
    char shown[80];
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(d, LETHE_EINPUT,
                      "'%s' is not the name of a part, which has a number of five digits alone",
                      shown);
}

/* How many parts `dir` has, and the highest number of one. */
static lethe_err parts_look(lethe_diag *d, DIR *dir, lethe_str ext, uint32_t *n, uint32_t *highest)
{
    errno = 0;
    for (struct dirent *entry; (entry = readdir(dir)); errno = 0) {
        uint32_t i = 0;
        lethe_str name = lethe_str_of(entry->d_name), own;
        if (!is_like_part(name, ext)) continue;
        if (!lethe_part_parse(name, &i, &own) || !lethe_str_eq(own, ext))
            return name_refuse(d, name);
        *highest = LETHE_MAX(*highest, i);
        ++*n;
    }
    return errno ? lethe_fail_sys(d, "list folder", "release", errno) : LETHE_OK;
}

lethe_err lethe_parts_count(lethe_diag *d, int dirfd, const char *ext, uint32_t *n)
{
    uint32_t found = 0, highest = 0;
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        int errnum = errno;
        if (fd >= 0) close(fd);
        return lethe_fail_sys(d, "list folder", "release", errnum);
    }
    lethe_err e = parts_look(d, dir, lethe_str_of(ext), &found, &highest);
    closedir(dir);
    // names are distinct, and so are the numbers: with all below the highest there are as many
    if (e == LETHE_OK && found > 0 && found != highest + 1)
        e = lethe_fail(d, LETHE_EINPUT,
                       "a part of the data is missing: of the numbers 0 to %u there are %u",
                       highest, found);
    if (e == LETHE_OK) *n = found;
    return e;
}
