/* SPDX-License-Identifier: Apache-2.0 */
/* typo.c - finds the name that was probably meant. */
#include "cli.h"

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
static size_t distance(lethe_str a, lethe_str b)
{
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a.n; i++)
        for (size_t j = 0; j <= b.n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            size_t differs = a.at[i - 1] != b.at[j - 1];
            d[i][j] = least(d[i - 1][j - 1] + differs, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.n][b.n];
}

bool nearest_offer(nearest *near, lethe_str name)
{
    if (near->typed.n > LONGEST || name.n > LONGEST) return false;
    size_t d = distance(near->typed, name);
    if (d > (near->typed.n + 1) / 3 || (near->name.n && d >= near->distance)) return false;
    near->name = name;
    near->distance = d;
    return true;
}
