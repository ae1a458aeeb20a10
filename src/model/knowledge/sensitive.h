/* SPDX-License-Identifier: Apache-2.0 */
/* sensitive.h - which items are sensitive: the list that a user gives, and sensitive.txt, the one
 * that a release shows beside its records. */
#ifndef LETHE_MODEL_KNOWLEDGE_SENSITIVE_H
#define LETHE_MODEL_KNOWLEDGE_SENSITIVE_H
#include "core/ctx.h"
#include "core/dict.h"
#include "model/tree/tree.h"

/* --- the user's list --- */

typedef struct lethe_sensitive {
    lethe_dict *names;    /* in the order of the list */
    const uint64_t *line; /* where each stands first, from 1; by number in `names` */
    const char *file;     /* for messages */
    lethe_arena *arena;   /* of all of this, but for the names */
} lethe_sensitive;

/* One item per line; a repeated one is ignored.  Names are taken by `naming`, as those of a
 * taxonomy are: so they meet the items of records, or the terms of a log.  CRLF, a missing last LF,
 * a byte order mark, compression: all fine.  LETHE_EINPUT, with file, line, column (the byte, from
 * 1; 0: the whole line) and cause: no line at all, an empty one (or nothing left of it), a line
 * over LETHE_LINE_MAX, a NUL, a TAB, a CR inside, bytes that are not UTF-8. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_read(lethe_ctx *ctx, const char *path,
                                                lethe_naming naming, lethe_sensitive **out);
LETHE_MUST_CHECK lethe_err lethe_sensitive_memory(lethe_ctx *ctx, lethe_str bytes,
                                                  lethe_naming naming, lethe_sensitive **out);
/* A list of the names of sensitive.txt, for an original that is compared with its release: a line
 * each, in their order.  `names` is taken over, on failure too. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_of(lethe_ctx *ctx, lethe_dict *names,
                                              lethe_sensitive **out);
void lethe_sensitive_free(lethe_sensitive *s); /* NULL is fine */

/* Puts another name in place of each; names that become equal are one, and keep the first line.
 * LETHE_ENOMEM, which is reported: nothing is changed. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_rename(lethe_ctx *ctx, lethe_sensitive *s,
                                                  lethe_str (*name)(const void *arg, lethe_str old),
                                                  const void *arg);

/* LETHE_EINPUT, with the list's file and line, where an item of it is a node of the tree too: it
 * would be generalized or not, as one looks at it.  `leaves_pass`: inner nodes alone are refused,
 * for a tree that has all words there are (WordNet's): then a leaf is simply no item of any
 * record. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_apart(lethe_ctx *ctx, const lethe_sensitive *s,
                                                 const lethe_tree *t, bool leaves_pass);

/* --- sensitive.txt --- */

#define LETHE_SENSITIVE_NAME "sensitive.txt"

/* The sensitive items that are published, one per line, in the order of their bytes, each once;
 * none holds a space.  Strict as all that is published (model/published_lines.h).
 *
 * Reads it in the folder, links not followed; *out (names, in their order) is NULL where there is
 * none.  LETHE_EINPUT, with line and column: an empty line, a space or a TAB, lines out of order or
 * twice, no line at all. */
LETHE_MUST_CHECK lethe_err lethe_published_sensitive_read(lethe_ctx *ctx, int dirfd,
                                                          lethe_dict **out);
LETHE_MUST_CHECK lethe_err lethe_published_sensitive_memory(lethe_ctx *ctx, lethe_str bytes,
                                                            lethe_dict **out);
/* The file for these names, in any order, at the end of `to`.  LETHE_EINPUT: one could not be read
 * back. */
LETHE_MUST_CHECK lethe_err lethe_sensitive_write(lethe_diag *d, const lethe_dict *names,
                                                 lethe_buf *to);

#endif
