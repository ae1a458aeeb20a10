/* SPDX-License-Identifier: Apache-2.0 */
/* value_groups.h - a list of groups for the values of a column: `value TAB group [TAB group above
 * ...]`. */
#ifndef LETHE_LEXICON_VALUE_GROUPS_H
#define LETHE_LEXICON_VALUE_GROUPS_H
#include "core/ctx.h"
#include "core/dict.h"

/* Names are values, groups, or both. */
typedef struct lethe_value_groups {
    lethe_dict *names;
    uint32_t *parent; /* by name: the group above; LETHE_NONE: none, it stands below the root */
    bool *is_value;   /* by name: it begins a line */
    uint32_t depth;   /* groups above a value, at most */
} lethe_value_groups;

/* Empty lines are skipped; spaces around a name are not part of it; a repeated line is fine, and a
 * group may be given its own group in one line only.  `*` is the root, and stands last.  CRLF, a
 * missing last LF, a byte order mark and compression are fine.  LETHE_EINPUT with file, line,
 * column and cause: a line without a tab, an empty name, bytes that are not UTF-8, a NUL or CR, a
 * name with two groups above it or below itself, something above `*`, no line at all. */
LETHE_MUST_CHECK lethe_err lethe_value_groups_read(lethe_ctx *ctx, const char *path,
                                                   lethe_value_groups *out);
LETHE_MUST_CHECK lethe_err lethe_value_groups_memory(lethe_ctx *ctx, lethe_str bytes,
                                                     lethe_value_groups *out);
void lethe_value_groups_free(lethe_value_groups *g);

#endif
