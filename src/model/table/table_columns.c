/* SPDX-License-Identifier: Apache-2.0 */
/* Names of columns in messages: the list of those that there are, and the nearest to a typo. */
#include "model/table/table.h"
#include "core/mem.h"
#include "text/distance.h"
#include "text/normalize.h"
#include <stdio.h>

void lethe_names_show(char out[LETHE_NAMES_SHOWN], const lethe_str *name, size_t n)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (i > 0) at += (size_t)sprintf(out + at, ", ");
        if (LETHE_NAMES_SHOWN - at < 90) { // room for one more name, and for these dots
            sprintf(out + at, "...");
            return;
        }
        at += lethe_show(out + at, 80, name[i]);
    }
}

/* Are two neighbouring bytes exchanged?  The most common typo; Levenshtein counts two for it. */
static bool is_swapped(lethe_str a, lethe_str b)
{
    size_t i = 0;
    if (a.n != b.n) return false;
    while (i < a.n && a.at[i] == b.at[i])
        i++;
    return i + 1 < a.n && a.at[i] == b.at[i + 1] && a.at[i + 1] == b.at[i] &&
           memcmp(a.at + i + 2, b.at + i + 2, a.n - i - 2) == 0;
}

lethe_err lethe_column_nearest(lethe_str typed, const lethe_str *name, size_t n, size_t *out)
{
    lethe_distance_scratch tmp = {0};
    lethe_buf folded[2] = {0};
    lethe_str wanted, other;
    bool invalid;
    uint32_t d, least = (uint32_t)LETHE_MIN(typed.n + 1, UINT32_MAX) / 3 + 1;
    *out = n;
    lethe_err e = lethe_normalize(typed, &folded[0], &wanted, &invalid);
    for (size_t i = 0; i < n && e == LETHE_OK; i++) {
        e = lethe_normalize(name[i], &folded[1], &other, &invalid);
        if (e == LETHE_OK) e = lethe_levenshtein(wanted, other, least, &tmp, &d);
        if (e == LETHE_OK && is_swapped(wanted, other)) d = 1;
        if (e != LETHE_OK || d >= least) continue;
        least = d;
        *out = i;
    }
    lethe_distance_scratch_free(&tmp);
    lethe_buf_free(&folded[0]);
    lethe_buf_free(&folded[1]);
    return e;
}

lethe_err lethe_column_unknown(lethe_diag *d, const lethe_column_asked *asked, lethe_str typed,
                               const lethe_str *name, size_t n)
{
    char shown[80], meant[80] = "", have[LETHE_NAMES_SHOWN];
    size_t near;
    if (lethe_column_nearest(typed, name, n, &near) != LETHE_OK) return lethe_no_memory(d);
    bool found = near < n;
    lethe_show(shown, sizeof shown, typed);
    if (found) lethe_show(meant, sizeof meant, name[near]);
    lethe_names_show(have, name, n);
    return lethe_fail_at(d, asked->err, asked->file, asked->line, 0,
                         "%s%sunknown column '%s': %s are %s%s%s%s",
                         asked->option ? asked->option : "", asked->option ? ": " : "", shown,
                         asked->among ? asked->among : "the columns", have,
                         found ? " (did you mean '" : "", meant, found ? "'?)" : "");
}
