/* SPDX-License-Identifier: Apache-2.0 */
/* theta.h - thresholds of confidence, one for each sensitive value. Liu 2010, Definition 3.1.
 *
 * A threshold is an exact fraction: whether 1 of 3 rows is more than a third must not hang on
 * floating point. */
#ifndef LETHE_MODEL_TABLE_THETA_H
#define LETHE_MODEL_TABLE_THETA_H
#include "core/ctx.h"
#include "core/dict.h"

#define LETHE_THETA_NAME "theta.tsv" /* in a release, where values have thresholds of their own */

typedef struct lethe_theta {
    uint64_t num, den; /* num <= den <= LETHE_THETA_DEN, in lowest terms */
} lethe_theta;
#define LETHE_THETA_DEN UINT64_C(1000000000000000000)

/* For products of a threshold's num or den, below 2^60, with numbers of rows. */
__extension__ typedef unsigned __int128 lethe_theta_product;

/* "0.25", ".25", "1", "1/3", at most eighteen decimals (zeros at the end aside) or a den of at most
 * LETHE_THETA_DEN.  false: not so, or outside [0, 1]. */
bool lethe_theta_parse(lethe_str text, lethe_theta *out);
/* What lethe_theta_parse has against the text, in words that follow it: "is not a share between 0
 * and 1 ...". */
const char *lethe_theta_fault(lethe_str text);
/* As it is written: "0.25" or "1" where nine decimals are exact, else "1/3" where the den is at
 * most 10^9, else decimals where these are exact, else the fraction: one form for each threshold.
 */
enum { LETHE_THETA_MAX = 48 };
void lethe_theta_print(lethe_theta t, char out[LETHE_THETA_MAX]);

/* A number from 0 to a million that need not be a share: "2.5", "5/2", "3".  In lowest terms; den
 * is at most LETHE_DECIMAL_DEN, num at most LETHE_DECIMAL_NUM.  false: not so. */
#define LETHE_DECIMAL_NUM UINT64_C(1000000000000000)
#define LETHE_DECIMAL_DEN UINT64_C(1000000000)
bool lethe_decimal_parse(lethe_str text, lethe_theta *out);
/* One number has one text: num/den, "5/2" or "3/1". */
void lethe_decimal_print(lethe_theta t, char out[LETHE_THETA_MAX]);

/* A file of `value TAB theta` lines, --theta-file and theta.tsv alike: thresholds by number in
 * `names`.  Empty lines are skipped; spaces around a value are not part of it, as in the table;
 * CRLF, a missing last LF, a byte order mark and compression are fine.  LETHE_EINPUT with file,
 * line, column and cause: another number of columns, a value twice, an empty value, bytes that are
 * not UTF-8, a NUL or CR, what lethe_theta_parse refuses, no line at all. */
typedef struct lethe_thetas {
    lethe_dict *names;
    lethe_theta *at;
} lethe_thetas;
LETHE_MUST_CHECK lethe_err lethe_thetas_read(lethe_ctx *ctx, const char *path, lethe_thetas *out);
LETHE_MUST_CHECK lethe_err lethe_thetas_memory(lethe_ctx *ctx, lethe_str bytes, lethe_thetas *out);
/* From an open release folder, links not followed, as strictly as model/published_lines.h reads;
 * and then lines stand in the order of their bytes, or it is LETHE_EINPUT.  LETHE_EIO: there is
 * none. */
LETHE_MUST_CHECK lethe_err lethe_thetas_published(lethe_ctx *ctx, int dirfd, lethe_thetas *out);
void lethe_thetas_free(lethe_thetas *t);

/* Likewise `value TAB price` lines: numbers from 1 to 100 with at most three decimals, so that den
 * divides 1000. */
LETHE_MUST_CHECK lethe_err lethe_prices_read(lethe_ctx *ctx, const char *path, lethe_thetas *out);

#endif
