/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c - see the header. */
#include "measure/kept.h"
#include <math.h>

/* Of the measure `scale`. */
#define ANY_WORDS (LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED | LETHE_SHAPE_RECORDS | LETHE_SHAPE_COUNTS)

/* Words are those with a meaning of their own: function words are kept by almost any release. */
static const lethe_kept table[LETHE_KEPT_MAX + 1] = {
    {"queries", "queries", "queries", NULL, false, LETHE_SHAPE_LOG},
    {"clicks", "clicks", "clicks", NULL, false, LETHE_SHAPE_LOG},
    {"sessions", "sessions", "sessions", NULL, false, LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS},
    {"patterns", "patterns", "pattern_recall_content", "pattern_recall", false, ANY_WORDS},
    {"terms", "terms", "terms_kept_content", "terms_kept", false, ANY_WORDS},
    {"detail", "detail of the columns", "loss", NULL, false, LETHE_SHAPE_TABLE},
    {"counts", "counted queries", "volume_covered", NULL, false, LETHE_SHAPE_COUNTS},
    {"count_error", "error of the counts", "count_error", NULL, true, LETHE_SHAPE_COUNTS},
    {0},
};

const lethe_kept *lethe_kept_table(void) { return table; }

/* A share, by itself or of a pair of counts; NAN: there is none. */
static double share_of(const lethe_json *measures, const char *name)
{
    const lethe_json *v = lethe_json_get(measures, name);
    if (lethe_json_kind(v) == LETHE_JSON_OBJECT) v = lethe_json_get(v, "share");
    lethe_json_type kind = lethe_json_kind(v);
    if (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL) return NAN;
    return fmin(fmax(lethe_json_real(v), 0), 1);
}

static double share_of_row(const lethe_kept *k, const lethe_json *measures)
{
    double share = share_of(measures, k->figure);
    if (isnan(share) && k->other) share = share_of(measures, k->other);
    return strcmp(k->figure, "loss") == 0 ? 1 - share : share;
}

double lethe_kept_share(const lethe_json *measures, const char *name)
{
    for (const lethe_kept *k = table; k->name; k++)
        if (strcmp(k->name, name) == 0) return share_of_row(k, measures);
    return NAN;
}

lethe_json *lethe_kept_json(lethe_json_doc *doc, const lethe_json *measures)
{
    lethe_json *o = lethe_json_object(doc);
    for (const lethe_kept *k = table; k->name; k++) {
        double share = share_of_row(k, measures);
        if (!isnan(share)) lethe_set_real(doc, o, k->name, share);
    }
    return o;
}

static bool is_measured(lethe_str name, lethe_shape shape)
{
    for (const lethe_kept *k = table; k->name; k++)
        if (lethe_str_eq(name, lethe_str_of(k->name))) return k->shapes & shape;
    return false;
}

bool lethe_kept_told(const lethe_json *kept, lethe_shape shape)
{
    if (lethe_json_kind(kept) != LETHE_JSON_OBJECT) return false;
    for (size_t i = 0; i < lethe_json_count(kept); i++) {
        const lethe_json *v = lethe_json_at(kept, i);
        lethe_json_type kind = lethe_json_kind(v);
        if (!is_measured(lethe_json_name(kept, i), shape) ||
            (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL) ||
            !(lethe_json_real(v) >= 0 && lethe_json_real(v) <= 1))
            return false;
    }
    return lethe_json_count(kept) > 0;
}
