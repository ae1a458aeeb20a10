/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h - numbers, sizes and durations in text. */
#ifndef LETHE_CORE_PARSE_H
#define LETHE_CORE_PARSE_H
#include "core/base.h"

/* Numbers in text.  The whole of `s` must be digits (a leading '-' where signed), no sign '+', no
 * space, within the type's range; false otherwise, and *out is untouched. */
bool lethe_parse_u64(lethe_str s, uint64_t *out);
bool lethe_parse_i64(lethe_str s, int64_t *out);
bool lethe_parse_real(lethe_str s, double *out);   /* finite decimal, '.' whatever the locale */
bool lethe_parse_size(lethe_str s, uint64_t *out); /* 200M, 16M, 4G, 512K, 1000: binary units */
bool lethe_parse_duration(lethe_str s, int64_t *out_s); /* 90s, 60m, 1h, 2d, 1w; bare number: s */

#endif
