/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - files that are no text, recognised by their first bytes, and what to do with them. */
#ifndef LETHE_IO_READ_FOREIGN_H
#define LETHE_IO_READ_FOREIGN_H
#include "core/diag.h"

/* Bytes that decide whether a file is one of them, and those that also tell zip from what is packed
 * in it. */
enum { LETHE_FOREIGN_LEAST = 16, LETHE_FOREIGN_HEAD = 256 };

/* May a file that begins with these bytes (LETHE_FOREIGN_LEAST of them, or all) be such a file? */
bool lethe_foreign_suspected(lethe_str head);
/* LETHE_EINPUT, with a message that says how to convert it: `head` are the first bytes of a Parquet
 * file, a spreadsheet or the like.  `name` as it was given. */
LETHE_MUST_CHECK lethe_err lethe_foreign_refuse(lethe_diag *d, const char *name, lethe_str head);

#endif
