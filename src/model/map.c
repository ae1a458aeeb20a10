/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - the first line of a map.  After a run was killed, a map and a release that do not belong
 * together may stand side by side: by this line they are told apart. */
#include "model/map.h"
#include "core/mem.h"
#include "io/write/sink.h"
#include <stdio.h>
#include <unistd.h>

static const char of_manifest[] = "# lethe map of manifest ";
static const char of_none[] = "# lethe map of no release";

size_t lethe_map_head(char out[LETHE_MAP_HEAD_BYTES], const char *digest)
{
    return (size_t)snprintf(out, LETHE_MAP_HEAD_BYTES, "%s%s\n", digest ? of_manifest : of_none,
                            digest ? digest : "");
}

bool lethe_map_head_read(lethe_str line, char digest[LETHE_DIGEST_CHARS + 1])
{
    size_t n = sizeof of_manifest - 1;
    digest[0] = '\0';
    if (lethe_str_eq(line, lethe_str_of(of_none))) return true;
    if (line.n != n + LETHE_DIGEST_CHARS || memcmp(line.at, of_manifest, n) != 0) return false;
    for (size_t i = n; i < line.n; i++)
        if (!strchr("0123456789abcdef", line.at[i]) || !line.at[i]) return false;
    memcpy(digest, line.at + n, LETHE_DIGEST_CHARS);
    digest[LETHE_DIGEST_CHARS] = '\0';
    return true;
}

bool lethe_map_next(lethe_lines *l, const char *digest, lethe_str *line)
{
    char found[LETHE_DIGEST_CHARS + 1];
    bool first = l->number == 0 && l->at == 0;
    bool more = lethe_lines_next(l, line);
    if (!first || l->err != LETHE_OK) return more;
    bool is_head = more && lethe_map_head_read(*line, found);
    if (digest && !is_head)
        l->err = lethe_fail_at(l->diag, LETHE_EINPUT, l->name, 1, 0,
                               "the map does not say which release it belongs to: its first line "
                               "must be '%sDIGEST'",
                               of_manifest);
    else if (digest && !found[0])
        l->err = lethe_fail_at(l->diag, LETHE_EINPUT, l->name, 1, 0,
                               "the map belongs to data that was written to standard output, not "
                               "to this release");
    else if (digest && strcmp(found, digest) != 0)
        l->err = lethe_fail_at(l->diag, LETHE_EINPUT, l->name, 1, 0,
                               "the map belongs to another release: this line does not hold the "
                               "digest of this release's manifest.json");
    if (l->err != LETHE_OK) return false;
    return is_head ? lethe_lines_next(l, line) : more;
}

/* --- maps that were left behind --- */

/* The first bytes of a map, less than a line; or none. */
static bool is_begun(const char *head, size_t n)
{
    return memcmp(head, of_manifest, LETHE_MIN(n, sizeof of_manifest - 1)) == 0 ||
           memcmp(head, of_none, LETHE_MIN(n, sizeof of_none - 1)) == 0;
}

lethe_map_state lethe_map_look(int fd, char digest[LETHE_DIGEST_CHARS + 1])
{
    char head[LETHE_MAP_HEAD_BYTES];
    digest[0] = '\0';
    ssize_t n = pread(fd, head, sizeof head, 0);
    const char *lf = n > 0 ? memchr(head, '\n', (size_t)n) : NULL;
    if (n < 0 || (!lf && !is_begun(head, (size_t)n))) return LETHE_MAP_UNKNOWN;
    if (!lf) return LETHE_MAP_UNFINISHED;
    return lethe_map_head_read((lethe_str){head, (size_t)(lf - head)}, digest) ? LETHE_MAP_NAMED
                                                                               : LETHE_MAP_UNKNOWN;
}

typedef struct wanted {
    const char *digest;
    char *path; /* of what was found */
} wanted;

static void leftover_compare(void *arg, const lethe_leftover *l)
{
    wanted *w = arg;
    char digest[LETHE_DIGEST_CHARS + 1];
    if (w->path || lethe_map_look(l->fd, digest) != LETHE_MAP_NAMED ||
        strcmp(digest, w->digest) != 0)
        return;
    size_t n = strlen(l->path) + 1;
    w->path = lethe_alloc(n, 1);
    if (w->path) memcpy(w->path, l->path, n);
}

char *lethe_map_left(const char *path, const char *digest)
{
    wanted w = {.digest = digest};
    lethe_leftovers_of(path, leftover_compare, &w);
    return w.path;
}
