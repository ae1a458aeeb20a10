/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - names of the files that hold the data of a release together: part-00000.tsv,
 * part-00001.tsv and so on, in place of data.tsv.  Five digits, so that the order of the names is
 * that of the numbers (`cat part-*.tsv` is the data), and hence at most LETHE_PARTS_MAX of them. */
#ifndef LETHE_IO_READ_PARTS_H
#define LETHE_IO_READ_PARTS_H
#include "core/ctx.h"

enum { LETHE_PARTS_MAX = 100000, LETHE_PART_NAME = 24 };

/* "part-00007.tsv" of 7 and "tsv".  `i` is less than LETHE_PARTS_MAX, `ext` at most 8 bytes. */
void lethe_part_name(uint32_t i, const char *ext, char name[LETHE_PART_NAME]);

/* Is it written so?  Sets *i and *ext, a view of the name; both untouched otherwise. */
bool lethe_part_parse(lethe_str name, uint32_t *i, lethe_str *ext);

/* The ending of the parts of a file of this name, in it: "tsv" of data.tsv.  NULL: it has none. */
const char *lethe_parts_ext(const char *data);

/* Is `name` that of a part of the file `data`, such as part-00000.tsv of data.tsv? */
bool lethe_part_of(lethe_str name, const char *data, uint32_t *i);

/* How many parts with this ending are in the folder; 0: none.  LETHE_EINPUT: a number is missing,
 * or a name part-*.EXT is not that of a part. */
LETHE_MUST_CHECK lethe_err lethe_parts_count(lethe_diag *d, int dirfd, const char *ext,
                                             uint32_t *n);

#endif
