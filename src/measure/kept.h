/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h - what is left of an original, in a few shares that everybody understands: what `publish`
 * decides by, what `compare` shows, and what a manifest may say as the publisher's word. */
#ifndef LETHE_MEASURE_KEPT_H
#define LETHE_MEASURE_KEPT_H
#include "io/json/json.h"
#include "model/tables.h"

enum { LETHE_KEPT_MAX = 8 }; /* rows of the table */

typedef struct lethe_kept {
    const char *name;   /* in reports and manifests: "patterns" */
    const char *label;  /* for people: "patterns of words" */
    const char *figure; /* of a measure, and */
    const char *other;  /* what to take where that is missing; NULL: nothing */
    bool is_error;      /* less is better: of the counts that are published */
    unsigned shapes;    /* of releases that have the figure: those of its measure */
} lethe_kept;
/* Ends with a row without a name. */
const lethe_kept *lethe_kept_table(void);

/* The share of that name, by the figures of all measures; NAN: it was not measured. */
double lethe_kept_share(const lethe_json *measures, const char *name);
/* An object in `doc` with the shares that the measures have, by name. */
lethe_json *lethe_kept_json(lethe_json_doc *doc, const lethe_json *measures);
/* Is it such an object, not an empty one, with shares that releases of that shape have? */
bool lethe_kept_told(const lethe_json *kept, lethe_shape shape);

#endif
