/* SPDX-License-Identifier: Apache-2.0 */
/* distances.c - the option --t-distance. */
#include "model/table/distances.h"
#include "core/mem.h"
#include "model/table/table_internal.h"
#include <stdlib.h>

static const char *const names[] = {[LETHE_DISTANCE_EQUAL] = "equal",
                                    [LETHE_DISTANCE_ORDERED] = "ordered",
                                    [LETHE_DISTANCE_HIERARCHICAL] = "hierarchical"};
enum { NAME_SHOWN = 80 };

const char *lethe_distance_name(lethe_value_distance d) { return names[d]; }

static bool distance_find(lethe_str name, lethe_value_distance *out)
{
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        *out = (lethe_value_distance)i;
        if (lethe_str_eq(name, lethe_str_of(names[i]))) return true;
    }
    return false;
}

/* "salary=ordered": the name may have a `=` in it, the distance has none. */
static lethe_err item_take(lethe_diag *d, lethe_str item, const lethe_str *sa, size_t n,
                           bool *given, lethe_value_distance *out)
{
    char shown[NAME_SHOWN];
    size_t at = item.n, column = 0;
    lethe_value_distance distance;
    while (at > 0 && item.at[at - 1] != '=')
        at--;
    lethe_str name = lethe_str_trim((lethe_str){item.at, at > 0 ? at - 1 : 0});
    lethe_show(shown, sizeof shown, item);
    if (at == 0 ||
        !distance_find(lethe_str_trim((lethe_str){item.at + at, item.n - at}), &distance))
        return lethe_fail(d, LETHE_EUSAGE,
                          "--t-distance: '%s' is not equal, ordered or hierarchical, nor "
                          "COLUMN=DISTANCE",
                          shown);
    while (column < n && !lethe_str_eq(sa[column], name))
        column++;
    lethe_show(shown, sizeof shown, name);
    if (column == n)
        return lethe_fail(d, LETHE_EUSAGE, "--t-distance: '%s' is not one of the columns of --sa",
                          shown);
    if (given[column])
        return lethe_fail(d, LETHE_EUSAGE, "--t-distance: '%s' is given twice", shown);
    given[column] = true;
    out[column] = distance;
    return LETHE_OK;
}

lethe_err lethe_distances_parse(lethe_diag *d, lethe_arena *a, const char *text,
                                const lethe_str *sa, size_t n, lethe_value_distance **out)
{
    lethe_value_distance *of = lethe_new(a, lethe_value_distance, n), all;
    bool *given = lethe_new(a, bool, n);
    lethe_str *item = NULL;
    size_t n_items = 0;
    if (!of || !given) return lethe_no_memory(d);
    *out = of;
    if (text && distance_find(lethe_str_trim(lethe_str_of(text)), &all)) {
        for (size_t i = 0; i < n; i++)
            of[i] = all;
        return LETHE_OK;
    }
    LETHE_TRY(lethe_names_parse(d, a, text, &item, &n_items));
    for (size_t i = 0; i < n_items; i++)
        LETHE_TRY(item_take(d, item[i], sa, n, given, of));
    return LETHE_OK;
}

/* --- order --- */

typedef struct numbered {
    lethe_number number;
    uint32_t value;
} numbered;

static int by_number(const void *a, const void *b)
{
    lethe_number x = ((const numbered *)a)->number, y = ((const numbered *)b)->number;
    if (x.whole != y.whole) return x.whole < y.whole ? -1 : 1;
    return (x.nano > y.nano) - (x.nano < y.nano);
}

lethe_err lethe_values_order(lethe_arena *a, const lethe_dict *values, uint32_t *place,
                             uint32_t *n_places, uint32_t *bad)
{
    uint32_t n = lethe_dict_count(values);
    numbered *x = lethe_new(a, numbered, n);
    if (!x) return LETHE_ENOMEM;
    *bad = LETHE_NONE;
    *n_places = 0;
    for (uint32_t i = 0; i < n; i++) {
        x[i].value = i;
        if (lethe_number_parse(lethe_dict_at(values, i), &x[i].number)) continue;
        *bad = i;
        return LETHE_OK;
    }
    if (n > 0) qsort(x, n, sizeof *x, by_number);
    for (uint32_t i = 0; i < n; i++) {
        *n_places += i == 0 || by_number(&x[i - 1], &x[i]) != 0;
        place[x[i].value] = *n_places - 1;
    }
    return LETHE_OK;
}
