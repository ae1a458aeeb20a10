/* SPDX-License-Identifier: Apache-2.0 */
/* directory.h - terms to category paths (docs/formats.md).
 *
 * Categories are numbered and form a forest: a path such as food/produce/fruit is its last
 * category, whose parents are the rest of the path. */
#ifndef LETHE_MODEL_KNOWLEDGE_DIRECTORY_H
#define LETHE_MODEL_KNOWLEDGE_DIRECTORY_H
#include "core/ctx.h"
#include "core/mem.h"

typedef struct lethe_directory lethe_directory;

/* From a text file: `term TAB A/B/C` per line, a term's first line being its best category; the
 * lines of a term need not stand together, one that is repeated counts once, and what follows a
 * second tab is ignored.  Terms are normalised as queries are (text/normalize.h) and found by their
 * whole normalised text, of however many words; a part of a path loses the spaces at its ends and
 * stays as it is otherwise.  `path` as lethe_source_open() takes it.
 *
 * Strict: a line without a tab, an empty term, path or part of a path, a control character or bytes
 * that are not UTF-8 in either, more than LETHE_PATH_LEVELS_MAX levels, a line over 1 MiB and a
 * file without a term are LETHE_EINPUT with file, line, column (1: the term, 2: the path, 0: the
 * whole line) and cause.  Empty lines are skipped; lines may end in CRLF, and the last without.
 * All of it is held in memory, which is linear in the file. */
LETHE_MUST_CHECK lethe_err lethe_directory_read(lethe_ctx *ctx, const char *path,
                                                lethe_directory **out);
/* From memory, for tests and fuzzing; the bytes need not outlive the call. */
LETHE_MUST_CHECK lethe_err lethe_directory_memory(lethe_ctx *ctx, lethe_str bytes,
                                                  lethe_directory **out);
void lethe_directory_free(lethe_directory *dir); /* NULL is fine */

/* The categories of `term` (normalised), distinct, best first, at most `max` of them, into `out`;
 * returns how many.  Safe from several threads. */
size_t lethe_directory_find(const lethe_directory *dir, lethe_str term, size_t max, uint32_t *out);
uint32_t lethe_directory_categories(const lethe_directory *dir); /* numbers below this one */
uint32_t lethe_directory_parent(const lethe_directory *dir, uint32_t category); /* or LETHE_NONE */
uint32_t lethe_directory_level(const lethe_directory *dir,
                               uint32_t category); /* 1: a top category */
/* The last part of its path; lives as long as the directory. */
lethe_str lethe_directory_name(const lethe_directory *dir, uint32_t category);

/* What a kind of directory gives; `self` is freed by `free`. */
typedef struct lethe_directory_kind {
    size_t (*find)(const void *self, lethe_str term, size_t max, uint32_t *out);
    lethe_str (*name)(const void *self, uint32_t category);
    void (*free)(void *self);
} lethe_directory_kind;
/* A directory over `self`, which it takes over, on failure too; parents come before their children
 * in number; `parent` (n numbers) is copied. */
LETHE_MUST_CHECK lethe_err lethe_directory_new(const lethe_directory_kind *kind, void *self,
                                               uint32_t n, const uint32_t *parent,
                                               lethe_directory **out);

#endif
