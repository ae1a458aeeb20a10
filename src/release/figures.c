/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c - which figures a manifest has, and where each comes from. */
#include "release/shape_ops.h"
#include "check/check.h"
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

static const lethe_joint *joint_find(const lethe_joint *table, lethe_str name)
{
    for (const lethe_joint *j = table; j && j->figure; j++)
        if (lethe_str_eq(name, lethe_str_of(j->figure))) return j;
    return NULL;
}

/* Of the same row as lethe_steps_figure(). */
const lethe_joint *lethe_steps_joint(const lethe_json *steps, lethe_str name)
{
    size_t n = lethe_json_count(steps);
    for (size_t i = n; i > 0; i--) {
        const lethe_method *m = lethe_step_method(lethe_json_at(steps, i - 1));
        if (m && lethe_figure_find(m->figures, name)) return joint_find(m->joint, name);
    }
    if (n == 0) return NULL;
    const lethe_shape_ops *ops =
        lethe_shape_ops_of(lethe_step_shape_said(lethe_json_at(steps, n - 1)));
    return ops ? joint_find(ops->joint, name) : NULL;
}

const char *lethe_steps_hinder_joining(const lethe_json *steps, const lethe_json *claims)
{
    for (size_t i = 0; i < lethe_json_count(steps); i++) {
        const lethe_method *m = lethe_step_method(lethe_json_at(steps, i));
        const lethe_notion *own = m ? lethe_notion_find(lethe_str_of(m->notion)) : NULL;
        if (!m || !m->joint || !own || !own->joins) return m ? m->name : "an unknown method";
    }
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(claims, i), "notion"));
        const lethe_notion *notion = lethe_notion_find(name);
        if (!notion || !notion->joins) return notion ? notion->name : "an unknown promise";
    }
    return NULL;
}

uint64_t lethe_manifest_parts(const lethe_json *manifest)
{
    int64_t n = lethe_json_int(lethe_json_get(manifest, LETHE_PARTS));
    return n > 0 ? (uint64_t)n : 0;
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
