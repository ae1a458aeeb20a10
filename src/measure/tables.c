/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the measures: one line each; and figures that several of them have. */
#include "measure/measure.h"
#include "io/json/json.h"
#include <stdarg.h>
#include <stdio.h>

// clang-format off
static const lethe_measure *const measures[] = {
    &lethe_measure_log_sizes,
    &lethe_measure_sessions,
    &lethe_measure_counts,
    &lethe_measure_records,
    &lethe_measure_patterns,
    &lethe_measure_scale,
    &lethe_measure_table,
    &lethe_measure_columns,
    &lethe_measure_class,
    NULL,
};
// clang-format on

const lethe_measure *const *lethe_measures(void) { return measures; }

void lethe_measure_set_size(lethe_json_doc *doc, lethe_json *out, const char *name,
                            uint64_t original, uint64_t published)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_count(doc, o, "original", original);
    lethe_set_count(doc, o, "published", published);
    lethe_set_real(doc, o, "share", original ? (double)published / (double)original : 0);
    lethe_json_set(doc, out, name, o);
}

void lethe_measure_set_ratio(lethe_json_doc *doc, lethe_json *out, const char *name, double part,
                             uint64_t all)
{
    if (all > 0)
        lethe_set_real(doc, out, name, part / (double)all);
    else
        lethe_json_set(doc, out, name, lethe_json_copy(doc, NULL));
}

void lethe_measure_set_spread(lethe_json_doc *doc, lethe_json *out, const char *name,
                              lethe_spread_summary s)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "mean", s.mean);
    lethe_set_real(doc, o, "median", s.median);
    lethe_set_count(doc, o, "min", s.min);
    lethe_set_count(doc, o, "max", s.max);
    lethe_json_set(doc, out, name, o);
}

void lethe_measure_left_out(lethe_json_doc *doc, lethe_json *out, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    lethe_json *list = lethe_json_array(doc);
    const lethe_json *before = lethe_json_get(out, "left_out");
    for (size_t i = 0; i < lethe_json_count(before); i++)
        lethe_json_push(doc, list, lethe_json_copy(doc, lethe_json_at(before, i)));
    lethe_json_push(doc, list, lethe_json_new_text(doc, lethe_str_of(text)));
    lethe_json_set(doc, out, "left_out", list);
}
