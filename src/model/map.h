/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - the first line of a map: which release it belongs to.
 *
 *   # lethe map of manifest DIGEST    of the release whose manifest.json has this digest
 *   # lethe map of no release         of data that went to standard output
 *
 * Every other line of a map has a tab, so none of them can be taken for it. */
#ifndef LETHE_MODEL_MAP_H
#define LETHE_MODEL_MAP_H
#include "io/read/lines.h"

#define LETHE_DIGEST_CHARS 64
enum { LETHE_MAP_HEAD_BYTES = 128 };

/* The line, with LF and NUL; returns its length.  `digest`: that of the manifest; NULL: there is no
 * release. */
size_t lethe_map_head(char out[LETHE_MAP_HEAD_BYTES], const char *digest);
/* Is `line`, without LF, such a line?  `digest`: that of the manifest, "" where there is no
 * release.
 */
bool lethe_map_head_read(lethe_str line, char digest[LETHE_DIGEST_CHARS + 1]);

/* lethe_lines_next() for a map: the first line is checked, not handed out.  LETHE_EINPUT in l->err
 * where it is not there, or names another manifest than `digest`.  NULL: there is no release to
 * compare with, and the line may be missing. */
bool lethe_map_next(lethe_lines *l, const char *digest, lethe_str *line);

/* What the first line of an open map says. */
typedef enum lethe_map_state {
    LETHE_MAP_UNFINISHED, /* its first line was not written to the end */
    LETHE_MAP_UNKNOWN,    /* it is another line */
    LETHE_MAP_NAMED,      /* `digest` is as lethe_map_head_read() has it */
} lethe_map_state;
lethe_map_state lethe_map_look(int fd, char digest[LETHE_DIGEST_CHARS + 1]);
/* The map of the release with this digest, if a killed run has left it beside `path`: its path, on
 * the heap; NULL: there is none. */
char *lethe_map_left(const char *path, const char *digest);

#endif
