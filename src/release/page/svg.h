/* SPDX-License-Identifier: Apache-2.0 */
/* svg.h - plots: bars, lines, labelled points.  Bars and lines are 360 units wide, so that their
 * text is still readable on a telephone; colours are the page's (classes s0 to s5).  For anyone who
 * cannot see it each has a title and a description; its numbers are in a table beside it. */
#ifndef LETHE_RELEASE_PAGE_SVG_H
#define LETHE_RELEASE_PAGE_SVG_H
#include "release/page/html.h"

enum { LETHE_PLOT_WIDTH = 360, LETHE_PLOT_SERIES = 6, LETHE_TICKS_MAX = 16 };

/* What a plot is called: `id` is unlike that of any other plot of the page. */
typedef struct lethe_plot {
    const char *id, *title, *desc;
} lethe_plot;

typedef enum lethe_unit { LETHE_UNIT_COUNT, LETHE_UNIT_SHARE } lethe_unit;

/* A number as people read it: 1,234 or 12.3 %; very large ones as "about 10^25" and "more than
 * 10^300".  Where a share is neither 0 nor 1 it is not shown as
 * if it were ("below 0.1 %"). */
const char *lethe_number_show(char out[40], double x, lethe_unit unit);

/* Round numbers from `min` to `max`, both among them where they are round: about `wanted` of them,
 * steps of 1, 2 or 5 times a power of ten.  Returns how many. */
size_t lethe_ticks_linear(double min, double max, size_t wanted, double out[LETHE_TICKS_MAX]);
/* 1, 2, 5, 10, ... from min > 0 to max; powers of ten alone, or of more, where these are too many.
 */
size_t lethe_ticks_log(double min, double max, size_t wanted, double out[LETHE_TICKS_MAX]);

/* --- bars, lying --- */

typedef struct lethe_bar {
    const char *group; /* begins a group of bars with that heading; NULL: goes on */
    const char *label; /* short */
    double value;      /* 0 or more */
    unsigned series;
} lethe_bar;
/* Each has its value beside it.  Not for negative values. */
void lethe_svg_bars(lethe_html *h, const lethe_plot *plot, const lethe_bar *bars, size_t n,
                    lethe_unit unit);

/* --- lines and points --- */

typedef struct lethe_axis {
    const char *label;
    double min, max; /* min < max; of a logarithmic one 0 < min */
    lethe_unit unit;
    bool log;
} lethe_axis;

typedef struct lethe_series {
    const char *name;
    const double *x, *y;
    size_t n;
} lethe_series;
/* At most LETHE_PLOT_SERIES lines, told apart by dashes and marks too. */
void lethe_svg_lines(lethe_html *h, const lethe_plot *plot, const lethe_axis *x,
                     const lethe_axis *y, const lethe_series *series, size_t n);

typedef struct lethe_point {
    double x, y;
    const char *label; /* short */
    unsigned series;
    bool hollow;
    bool best; /* joined by a line with the other best ones, and labelled first */
} lethe_point;

typedef struct lethe_scatter {
    lethe_axis x, y;
    double width, height;
    double bound; /* of y: above, all is grey; 0: none */
    const char *bound_label;
    bool best_only; /* label only these: there is little room */
} lethe_scatter;
/* Labels do not overlap.  Points that lie on each other have one label, with "+N" for the others; a
 * label for which there is no room is left out.  LETHE_ENOMEM is remembered in `h`. */
void lethe_svg_points(lethe_html *h, const lethe_plot *plot, const lethe_scatter *s,
                      const lethe_point *points, size_t n);

#endif
