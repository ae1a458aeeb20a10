/* SPDX-License-Identifier: Apache-2.0 */
/* table_columns.c - a column that a table does not have: which ones it has, and which was meant. */
#include "model/table/table.h"
#include "text/distance.h"
#include "text/normalize.h"
#include <stdio.h>

/* The column whose name is nearest to `name`, without regard to case; LETHE_NONE if none is near.
 */
static lethe_err nearest_column(const lethe_dict *header, lethe_str name, uint32_t *out)
{
    lethe_distance_scratch tmp = {0};
    lethe_buf folded[2] = {0};
    lethe_str typed, other;
    bool invalid;
    uint32_t d, least = (uint32_t)LETHE_MIN(name.n + 1, UINT32_MAX) / 3 + 1;
    *out = LETHE_NONE;
    lethe_err e = lethe_normalize(name, &folded[0], &typed, &invalid);
    for (uint32_t i = 0; i < lethe_dict_count(header) && e == LETHE_OK; i++) {
        e = lethe_normalize(lethe_dict_at(header, i), &folded[1], &other, &invalid);
        if (e == LETHE_OK) e = lethe_levenshtein(typed, other, least, &tmp, &d);
        if (e != LETHE_OK || d >= least) continue;
        least = d;
        *out = i;
    }
    lethe_distance_scratch_free(&tmp);
    lethe_buf_free(&folded[0]);
    lethe_buf_free(&folded[1]);
    return e;
}

lethe_err lethe_column_unknown(lethe_diag *d, const char *file, uint64_t line,
                               const lethe_dict *header, lethe_str name)
{
    char typed[80], meant[80] = "", have[320];
    size_t n = 0;
    uint32_t n_columns = lethe_dict_count(header), near;
    if (nearest_column(header, name, &near) != LETHE_OK) return LETHE_ENOMEM;
    lethe_show(typed, sizeof typed, name);
    for (uint32_t i = 0; i < n_columns; i++) {
        if (i > 0) n += (size_t)sprintf(have + n, ", ");
        if (sizeof have - n < 90) { // room for one more name, and for these dots
            strcpy(have + n, "...");
            break;
        }
        n += lethe_show(have + n, 80, lethe_dict_at(header, i));
    }
    if (near != LETHE_NONE) lethe_show(meant, sizeof meant, lethe_dict_at(header, near));
    return lethe_fail_at(d, LETHE_EINPUT, file, line, 0,
                         near != LETHE_NONE
                             ? "unknown column '%s': the columns are %s (did you mean '%s'?)"
                             : "unknown column '%s': the columns are %s%s",
                         typed, have, meant);
}
