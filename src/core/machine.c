/* SPDX-License-Identifier: Apache-2.0 */
/* Processors and memory of this process: affinity, control groups (versions 1 and 2) and resource
 * limits. */
#include "core/machine.h"
#include "core/parse.h"
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

unsigned lethe_machine_threads(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int n = CPU_COUNT(&set);
        if (n > 0) return (unsigned)n;
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN); // more processors than cpu_set_t has room for
    return n > 0 ? (unsigned)n : 1;
}

/* The start of a small file, NUL-ended; false: it cannot be read. */
static bool read_small(const char *path, char *text, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    size_t n = 0;
    ssize_t got = 0;
    while (n + 1 < cap && (got = read(fd, text + n, cap - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    text[n] = 0;
    return got >= 0;
}

/* The number that the file holds; UINT64_MAX where there is none ("max", no file). */
static uint64_t limit_in(const char *path)
{
    char text[64];
    uint64_t v;
    if (!read_small(path, text, sizeof text)) return UINT64_MAX;
    return lethe_parse_u64((lethe_str){text, strcspn(text, "\n")}, &v) ? v : UINT64_MAX;
}

/* The least limit of the group `path` and of all groups above it, in `root` or a folder of it. */
static uint64_t limit_up(const char *root, const char *sub, char *path, const char *file)
{
    char name[3 * PATH_MAX];
    uint64_t least = UINT64_MAX;
    for (;;) {
        int n = snprintf(name, sizeof name, "%s%s%s/%s", root, sub, path, file);
        if (n > 0 && (size_t)n < sizeof name) least = LETHE_MIN(least, limit_in(name));
        char *slash = strrchr(path, '/');
        if (!slash) return least;
        *slash = 0;
    }
}

static bool names_memory(const char *controllers)
{
    size_t n = strlen(controllers);
    for (size_t i = 0; i < n; i += strcspn(controllers + i, ",") + 1)
        if (strncmp(controllers + i, "memory", 6) == 0 && strchr(",", controllers[i + 6]))
            return true;
    return false;
}

/* Lines are "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers.  cgroups(7) */
uint64_t lethe_cgroup_memory(const char *self, const char *root)
{
    char text[16 << 10];
    uint64_t least = UINT64_MAX;
    if (!read_small(self, text, sizeof text)) return least;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *id = strsep(&line, ":"), *controllers = strsep(&line, ":"), *path = line;
        if (!path) continue;
        uint64_t v = UINT64_MAX;
        if (strcmp(id, "0") == 0 && !*controllers)
            v = limit_up(root, "", path, "memory.max");
        else if (names_memory(controllers))
            v = limit_up(root, "/memory", path, "memory.limit_in_bytes");
        least = LETHE_MIN(least, v);
    }
    return least;
}

static uint64_t limit_of(int resource)
{
    struct rlimit r;
    if (getrlimit((__rlimit_resource_t)resource, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return r.rlim_cur;
}

uint64_t lethe_machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30;
    uint64_t group = lethe_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup");
    uint64_t space = LETHE_MIN(limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA));
    return LETHE_MIN(all, LETHE_MIN(group, space));
}
