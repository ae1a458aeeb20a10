/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c - which figures a manifest has, and where each comes from. */
#include "release/shape_ops.h"
#include <stdio.h>

const lethe_figure *lethe_shape_figures(lethe_shape shape)
{
    const lethe_shape_ops *ops = lethe_shape_ops_of(shape);
    return ops ? ops->adds : NULL;
}

const lethe_figure *lethe_figure_find(const lethe_figure *table, lethe_str name)
{
    for (const lethe_figure *f = table; f && f->name; f++)
        if (lethe_str_eq(name, lethe_str_of(f->name))) return f;
    return NULL;
}

const lethe_figure *lethe_steps_figure(const lethe_json *steps, lethe_str name, bool *last)
{
    size_t n = lethe_json_count(steps);
    for (size_t i = n; i > 0; i--) {
        const lethe_method *m = lethe_step_method(lethe_json_at(steps, i - 1));
        const lethe_figure *f = m ? lethe_figure_find(m->figures, name) : NULL;
        if (f && last) *last = i == n;
        if (f) return f;
    }
    if (last) *last = true;
    if (n == 0) return NULL;
    lethe_shape shape = lethe_step_shape_said(lethe_json_at(steps, n - 1));
    return lethe_figure_find(lethe_shape_figures(shape), name);
}

bool lethe_steps_figure_is_checked(const lethe_json *steps, lethe_str name)
{
    bool last;
    const lethe_figure *f = lethe_steps_figure(steps, name, &last);
    return f && last && f->source == LETHE_FIGURE_RELEASE;
}

lethe_json *lethe_figures_published(lethe_json_doc *doc, const lethe_json *steps,
                                    const lethe_json *metrics)
{
    lethe_json *out = lethe_json_object(doc);
    for (size_t i = 0; i < lethe_json_count(metrics); i++) {
        lethe_str name = lethe_json_name(metrics, i);
        const lethe_figure *f = lethe_steps_figure(steps, name, NULL);
        char copy[64]; // the names are our own, and short
        snprintf(copy, sizeof copy, "%.*s", (int)name.n, name.at);
        if (!f || f->source != LETHE_FIGURE_RUN)
            lethe_json_set(doc, out, copy, lethe_json_copy(doc, lethe_json_at(metrics, i)));
    }
    return out;
}
