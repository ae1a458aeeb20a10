/* SPDX-License-Identifier: Apache-2.0 */
/* svg.c - bars, curves and points as SVG inside a page, with ticks and labels that do not overlap.
 */
#include "release/page/svg.h"
#include <math.h>
#include <stdio.h>

/* Units of the drawing: a letter is LETTER wide on average, a line of text LINE high. */
#define LETTER 6.3
#define LINE 16.0

enum { COLOURS = LETHE_PLOT_SERIES, MARKS = 4 };

/* --- numbers --- */

const char *lethe_number_show(char out[40], double x, lethe_unit unit)
{
    enum { GROUPED_FROM = 10000 };
    double percent = 100 * x;
    if (unit != LETHE_UNIT_SHARE && isfinite(x) && fabs(x) >= GROUPED_FROM && fabs(x) < 9e15)
        x = round(x);
    if (unit != LETHE_UNIT_SHARE && isfinite(x) && x == round(x) && fabs(x) < 9e15) {
        // 1234567 as 1,234,567
        char plain[40];
        int n = snprintf(plain, sizeof plain, "%lld", (long long)x), digits = n - (x < 0), at = 0;
        for (int i = 0; i < n; i++) {
            out[at++] = plain[i];
            int left = n - 1 - i;
            if (left > 0 && left % 3 == 0 && left < digits) out[at++] = ',';
        }
        out[at] = '\0';
        return out;
    }
    if (!isfinite(x))
        snprintf(out, 40, "not known");
    else if (unit != LETHE_UNIT_SHARE && fabs(x) >= 1e300)
        snprintf(out, 40, "%s10^300", x < 0 ? "less than -" : "more than ");
    else if (unit != LETHE_UNIT_SHARE && fabs(x) >= 9e15)
        snprintf(out, 40, "about %s10^%d", x < 0 ? "-" : "", (int)floor(log10(fabs(x))));
    else if (unit != LETHE_UNIT_SHARE)
        snprintf(out, 40, "%.4g", x);
    else if (x > 0 && percent < 0.1)
        snprintf(out, 40, "below 0.1 %%");
    else if (x < 1 && percent > 99.9)
        snprintf(out, 40, "above 99.9 %%");
    else if (fabs(percent - round(percent)) < 1e-6)
        snprintf(out, 40, "%.0f %%", fabs(percent) < 1e-6 ? 0 : percent);
    else
        snprintf(out, 40, "%.1f %%", percent);
    for (char *s = out; *s; s++) // a program that uses the library may have set a locale
        if (*s == ',') *s = '.';
    return out;
}

/* --- ticks --- */

size_t lethe_ticks_linear(double min, double max, size_t wanted, double out[LETHE_TICKS_MAX])
{
    assert(min < max && wanted > 0 && wanted < LETHE_TICKS_MAX);
    double rough = (max - min) / (double)wanted, step = pow(10, floor(log10(rough)));
    static const double times[] = {1, 2, 5, 10};
    for (size_t i = 0; i < LETHE_COUNT(times); i++)
        if (times[i] * step >= rough * (1 - 1e-9)) {
            step *= times[i];
            break;
        }
    size_t n = 0;
    double first = ceil(min / step - 1e-9);
    while (n < LETHE_TICKS_MAX && (first + (double)n) * step <= max + step * 1e-9) {
        out[n] = (first + (double)n) * step + 0.0; // no -0
        n++;
    }
    return n;
}

static size_t ticks_of(double min, double max, const double *times, size_t n_times, int every,
                       double out[LETHE_TICKS_MAX])
{
    size_t n = 0;
    int first = (int)floor(log10(min)), last = (int)ceil(log10(max));
    for (int e = first - (first % every + every) % every; e <= last; e += every)
        for (size_t i = 0; i < n_times && n < LETHE_TICKS_MAX; i++) {
            double x = times[i] * pow(10, e);
            if (x >= min * (1 - 1e-9) && x <= max * (1 + 1e-9)) out[n++] = x;
        }
    return n;
}

size_t lethe_ticks_log(double min, double max, size_t wanted, double out[LETHE_TICKS_MAX])
{
    static const double times[] = {1, 2, 5};
    assert(min > 0 && min < max && wanted > 0 && wanted < LETHE_TICKS_MAX);
    size_t n = ticks_of(min, max, times, LETHE_COUNT(times), 1, out);
    for (int every = 1; n > wanted && every < 400; every++)
        n = ticks_of(min, max, times, 1, every, out);
    return n;
}

/* --- the drawing --- */

/* A coordinate, to a tenth; made of whole numbers, so that no locale can spoil it. */
static void coordinate(lethe_html *h, const char *name, double x)
{
    long tenths = lround(x * 10);
    unsigned long size = (unsigned long)(tenths < 0 ? -tenths : tenths);
    lethe_html_attr_format(h, name, "%s%lu.%lu", tenths < 0 ? "-" : "", size / 10, size % 10);
}

static void svg_begin(lethe_html *h, const lethe_plot *plot, double width, double height)
{
    lethe_html_begin(h, "svg");
    lethe_html_attr(h, "xmlns", "http://www.w3.org/2000/svg");
    lethe_html_attr_format(h, "viewBox", "0 0 %ld %ld", lround(width), lround(height));
    lethe_html_attr(h, "role", "img");
    lethe_html_attr_format(h, "aria-labelledby", "%s-title %s-desc", plot->id, plot->id);
    lethe_html_begin(h, "title");
    lethe_html_attr_format(h, "id", "%s-title", plot->id);
    lethe_html_words(h, plot->title);
    lethe_html_end(h);
    lethe_html_begin(h, "desc");
    lethe_html_attr_format(h, "id", "%s-desc", plot->id);
    lethe_html_words(h, plot->desc);
    lethe_html_end(h);
}

static void text_at(lethe_html *h, double x, double y, const char *anchor, const char *class_name,
                    const char *text)
{
    lethe_html_begin(h, "text");
    coordinate(h, "x", x);
    coordinate(h, "y", y);
    if (anchor) lethe_html_attr(h, "text-anchor", anchor);
    if (class_name) lethe_html_attr(h, "class", class_name);
    lethe_html_words(h, text);
    lethe_html_end(h);
}

static void line_at(lethe_html *h, double x0, double y0, double x1, double y1,
                    const char *class_name)
{
    lethe_html_begin(h, "line");
    coordinate(h, "x1", x0);
    coordinate(h, "y1", y0);
    coordinate(h, "x2", x1);
    coordinate(h, "y2", y1);
    lethe_html_attr(h, "class", class_name);
    lethe_html_end(h);
}

/* Letters, not bytes: what a text takes. */
static double width_of(const char *text)
{
    size_t n = 0;
    for (const char *c = text; *c; c++)
        n += ((unsigned char)*c & 0xC0) != 0x80;
    return LETTER * (double)n;
}

static void series_class(lethe_html *h, const char *kind, unsigned series)
{
    lethe_html_attr_format(h, "class", "%s s%u", kind, series % COLOURS);
}

/* A mark of its own shape for each series, so that colour is not all that tells them apart. */
static void mark_at(lethe_html *h, double x, double y, unsigned series, const char *kind)
{
    static const int shape[MARKS][8] = {
        {0}, {-4, -4, 4, -4, 4, 4, -4, 4}, {0, -6, 6, 0, 0, 6, -6, 0}, {0, -6, 6, 5, -6, 5, -6, 5}};
    const int *s = shape[series % MARKS];
    if (series % MARKS == 0) {
        lethe_html_begin(h, "circle");
        coordinate(h, "cx", x);
        coordinate(h, "cy", y);
        lethe_html_attr(h, "r", "4.5");
    } else {
        char d[160];
        long xs[4], ys[4];
        for (size_t i = 0; i < 4; i++) {
            xs[i] = lround(x) + s[2 * i];
            ys[i] = lround(y) + s[2 * i + 1];
        }
        snprintf(d, sizeof d, "M%ld %ldL%ld %ldL%ld %ldL%ld %ldZ", xs[0], ys[0], xs[1], ys[1],
                 xs[2], ys[2], xs[3], ys[3]);
        lethe_html_begin(h, "path");
        lethe_html_attr(h, "d", d);
    }
    series_class(h, kind, series);
    lethe_html_end(h);
}

/* --- bars --- */

enum { BAR_ROW = 22, BAR_HIGH = 14, HEADING = 22 };

void lethe_svg_bars(lethe_html *h, const lethe_plot *plot, const lethe_bar *bars, size_t n,
                    lethe_unit unit)
{
    double label = 0, number = 0, max = unit == LETHE_UNIT_SHARE ? 1 : 0, bottom = 6, y = 0;
    double ticks[LETHE_TICKS_MAX];
    char shown[40];
    for (size_t i = 0; i < n; i++) {
        label = fmax(label, width_of(bars[i].label));
        number = fmax(number, width_of(lethe_number_show(shown, bars[i].value, unit)));
        max = fmax(max, bars[i].value);
        bottom += BAR_ROW + (bars[i].group ? HEADING : 0);
    }
    if (max <= 0) max = 1;
    // bars begin behind the longest label, as far as that leaves room, and end so that the longest
    // value still fits behind them
    double left = fmin(fmax(label + 8, 40), 180), right = LETHE_PLOT_WIDTH - 8 - number;
    svg_begin(h, plot, LETHE_PLOT_WIDTH, bottom + LINE + 6);
    size_t n_ticks = lethe_ticks_linear(0, max, 4, ticks);
    for (size_t i = 0; i < n_ticks; i++) {
        double x = left + ticks[i] / max * (right - left);
        line_at(h, x, 0, x, bottom, i ? "grid" : "axis");
        if (n_ticks < 4 || i % 2 == 0) // every second number: those of large counts are long
            text_at(h, x, bottom + LINE, i ? "middle" : "start", "tick",
                    lethe_number_show(shown, ticks[i], unit));
    }
    for (size_t i = 0; i < n; i++) {
        if (bars[i].group) {
            text_at(h, 0, y + LINE, NULL, "heading", bars[i].group);
            y += HEADING;
        }
        double value = isfinite(bars[i].value) ? fmax(bars[i].value, 0) : 0,
               wide = value / max * (right - left);
        if (value > 0) wide = fmax(wide, 1); // there is something: it must be seen
        text_at(h, left - 6, y + LINE, "end", NULL, bars[i].label);
        lethe_html_begin(h, "rect");
        coordinate(h, "x", left);
        coordinate(h, "y", y + 4);
        coordinate(h, "width", wide);
        lethe_html_attr_format(h, "height", "%d", BAR_HIGH);
        series_class(h, "bar", bars[i].series);
        lethe_html_end(h);
        text_at(h, left + wide + 5, y + LINE, NULL, "value",
                lethe_number_show(shown, bars[i].value, unit));
        y += BAR_ROW;
    }
    lethe_html_end(h);
}

/* --- axes --- */

typedef struct frame {
    double left, right, top, bottom;
    const lethe_axis *x, *y;
} frame;

static double place(const lethe_axis *a, double v, double from, double to)
{
    double at = a->log ? log(v / a->min) / log(a->max / a->min) : (v - a->min) / (a->max - a->min);
    return from + fmin(fmax(at, 0), 1) * (to - from);
}

static double x_of(const frame *f, double v) { return place(f->x, v, f->left, f->right); }
static double y_of(const frame *f, double v) { return place(f->y, v, f->bottom, f->top); }

static size_t ticks_on(const lethe_axis *a, size_t wanted, double out[LETHE_TICKS_MAX])
{
    return a->log ? lethe_ticks_log(a->min, a->max, wanted, out)
                  : lethe_ticks_linear(a->min, a->max, wanted, out);
}

static void axes(lethe_html *h, const frame *f)
{
    double ticks[LETHE_TICKS_MAX], end = -1e9;
    char shown[40];
    size_t n = ticks_on(f->y, 5, ticks);
    for (size_t i = 0; i < n; i++) {
        double y = y_of(f, ticks[i]);
        line_at(h, f->left, y, f->right, y, "grid");
        text_at(h, f->left - 6, y + 4, "end", "tick",
                lethe_number_show(shown, ticks[i], f->y->unit));
    }
    n = ticks_on(f->x, f->x->log ? 12 : 5, ticks);
    for (size_t i = 0; i < n; i++) {
        double x = x_of(f, ticks[i]),
               half = width_of(lethe_number_show(shown, ticks[i], f->x->unit)) / 2;
        line_at(h, x, f->bottom, x, f->bottom + 4, "axis");
        if (x - half < end + 6) continue; // it would run into the one before
        text_at(h, x, f->bottom + LINE + 2, "middle", "tick", shown);
        end = x + half;
    }
    line_at(h, f->left, f->bottom, f->right, f->bottom, "axis");
    line_at(h, f->left, f->top, f->left, f->bottom, "axis");
    text_at(h, 0, 12, NULL, "label", f->y->label);
    text_at(h, f->right, f->bottom + 2 * LINE + 4, "end", "label", f->x->label);
}

static void polyline(lethe_html *h, const frame *f, const double *x, const double *y, size_t n,
                     unsigned series)
{
    lethe_buf d = {0};
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < n && e == LETHE_OK; i++) {
        char point[64];
        long px = lround(10 * x_of(f, x[i])), py = lround(10 * y_of(f, y[i]));
        int m = snprintf(point, sizeof point, "%s%ld.%ld,%ld.%ld", i ? " " : "", px / 10, px % 10,
                         py / 10, py % 10);
        e = lethe_buf_put(&d, point, (size_t)m);
    }
    if (e == LETHE_OK) e = lethe_buf_put(&d, "", 1);
    if (e == LETHE_OK && n > 1) {
        lethe_html_begin(h, "polyline");
        lethe_html_attr(h, "points", (const char *)d.at);
        series_class(h, "curve", series);
        lethe_html_end(h);
    }
    if (h->err == LETHE_OK) h->err = e;
    lethe_buf_free(&d);
}

/* --- lines --- */

void lethe_svg_lines(lethe_html *h, const lethe_plot *plot, const lethe_axis *x,
                     const lethe_axis *y, const lethe_series *series, size_t n)
{
    assert(n <= LETHE_PLOT_SERIES);
    double legend = n > 1 ? LINE * (double)n : 0, top = 28 + legend;
    frame f = {.left = 48,
               .right = LETHE_PLOT_WIDTH - 14,
               .top = top,
               .bottom = top + 190,
               .x = x,
               .y = y};
    svg_begin(h, plot, LETHE_PLOT_WIDTH, f.bottom + 2 * LINE + 10);
    axes(h, &f);
    for (unsigned s = 0; s < n; s++) {
        polyline(h, &f, series[s].x, series[s].y, series[s].n, s);
        for (size_t i = 0; i < series[s].n; i++)
            mark_at(h, x_of(&f, series[s].x[i]), y_of(&f, series[s].y[i]), s, "mark");
        if (n < 2) continue;
        double at = 24 + LINE * s;
        mark_at(h, 56, at + 4, s, "mark");
        text_at(h, 68, at + 8, NULL, NULL, series[s].name);
    }
    lethe_html_end(h);
}

/* --- points --- */

typedef struct box {
    double x0, y0, x1, y1;
} box;

/* What is drawn of the points, by their number. */
typedef struct scatter_view {
    frame f;
    const lethe_scatter *s;
    const lethe_point *points;
    size_t n, n_taken, n_line;
    box *taken;   /* by marks, the bound and labels */
    box *line;    /* by the line of the best, in small parts, and the bound */
    bool *labels; /* has one, or is near one that has */
} scatter_view;

enum { LINE_PARTS = 400 };

/* Where a text of that width may stand by a point: beside it, above, below, askew, and further. */
static box beside(double x, double y, double wide, int way)
{
    static const double at[12][2] = {{9, -6},   {-1, -6}, {0, -20}, {0, 8},  {7, -18},  {7, 6},
                                     {-1, -18}, {-1, 6},  {0, -32}, {0, 20}, {12, -30}, {12, 18}};
    double left = at[way][0] > 0 ? x + at[way][0] : at[way][0] < 0 ? x - 9 - wide : x - wide / 2;
    return (box){left, y + at[way][1], left + wide, y + at[way][1] + 13};
}

static bool is_free(box b, const box *taken, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b.x0 < taken[i].x1 && taken[i].x0 < b.x1 && b.y0 < taken[i].y1 && taken[i].y0 < b.y1)
            return false;
    return true;
}

/* The way that leaves all free; where there is none, one across the line; -1: none. */
static int label_way(const scatter_view *v, double x, double y, double wide, box *out)
{
    for (int across = 0; across < 2; across++)
        for (int way = 0; way < 12; way++) {
            box b = beside(x, y, wide, way);
            if (b.x0 < v->f.left + 2 || b.x1 > v->s->width || b.y0 < v->f.top ||
                b.y1 > v->f.bottom || !is_free(b, v->taken, v->n_taken) ||
                (!across && !is_free(b, v->line, v->n_line)))
                continue;
            *out = b;
            return way;
        }
    return -1;
}

static bool is_dim(const scatter_view *v, const lethe_point *p)
{
    return v->s->bound > 0 && p->y > v->s->bound;
}

static void label_at(lethe_html *h, scatter_view *v, size_t i)
{
    enum { NEAR = 7 };
    const lethe_point *p = &v->points[i];
    double x = x_of(&v->f, p->x), y = y_of(&v->f, p->y);
    size_t others = 0;
    char text[80];
    box b;
    for (size_t k = 0; k < v->n; k++) {
        double dx = x_of(&v->f, v->points[k].x) - x, dy = y_of(&v->f, v->points[k].y) - y;
        if (k == i || v->labels[k] || dx * dx + dy * dy > NEAR * NEAR) continue;
        v->labels[k] = true;
        others++;
    }
    v->labels[i] = true;
    if (others > 0)
        snprintf(text, sizeof text, "%s +%zu", p->label, others);
    else
        snprintf(text, sizeof text, "%s", p->label);
    if (label_way(v, x, y, width_of(text), &b) < 0) return;
    v->taken[v->n_taken++] = b;
    // the side towards the point is where it is said to be, however wide the letters are
    const char *anchor = b.x0 > x ? NULL : b.x1 < x ? "end" : "middle";
    text_at(h,
            b.x0 > x   ? b.x0
            : b.x1 < x ? b.x1
                       : x,
            b.y1 - 3, anchor, is_dim(v, p) ? "name dim" : "name", text);
}

/* The best first: they must have room. */
static void labels(lethe_html *h, scatter_view *v)
{
    for (int round = 0; round < (v->s->best_only ? 1 : 3); round++)
        for (size_t i = 0; i < v->n; i++) {
            int turn = v->points[i].best ? 0 : is_dim(v, &v->points[i]) ? 2 : 1;
            if (turn == round && !v->labels[i]) label_at(h, v, i);
        }
}

/* The best are joined in order of x. */
static void frontier(lethe_html *h, scatter_view *v)
{
    double *xs = lethe_alloc(2 * v->n + 1, sizeof *xs), *ys = xs ? xs + v->n : NULL;
    size_t m = 0;
    if (!xs) {
        if (h->err == LETHE_OK) h->err = LETHE_ENOMEM;
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        if (!v->points[i].best) continue;
        size_t k = m++;
        for (; k > 0 && xs[k - 1] > v->points[i].x; k--) {
            xs[k] = xs[k - 1];
            ys[k] = ys[k - 1];
        }
        xs[k] = v->points[i].x;
        ys[k] = v->points[i].y;
    }
    polyline(h, &v->f, xs, ys, m, 0);
    for (size_t i = 0; i + 1 < m; i++)
        for (size_t k = 0, parts = LINE_PARTS / m; k < parts; k++) {
            double at = (double)k / (double)parts,
                   x = x_of(&v->f, xs[i]) * (1 - at) + x_of(&v->f, xs[i + 1]) * at,
                   y = y_of(&v->f, ys[i]) * (1 - at) + y_of(&v->f, ys[i + 1]) * at;
            v->line[v->n_line++] = (box){x - 1, y - 1, x + 1, y + 1};
        }
    lethe_free(xs);
}

static void bound_draw(lethe_html *h, scatter_view *v)
{
    const frame *f = &v->f;
    if (!(v->s->bound > 0)) return;
    double y = y_of(f, v->s->bound);
    lethe_html_begin(h, "rect");
    coordinate(h, "x", f->left);
    coordinate(h, "y", f->top);
    coordinate(h, "width", f->right - f->left);
    coordinate(h, "height", y - f->top);
    lethe_html_attr(h, "class", "over");
    lethe_html_end(h);
    line_at(h, f->left, y, f->right, y, "bound");
    v->line[v->n_line++] = (box){f->left, y - 1, f->right, y + 1};
}

/* Below its line or above, from right to left, where nothing else is. */
static void bound_name(lethe_html *h, scatter_view *v)
{
    enum { PLACES = 6 };
    const frame *f = &v->f;
    if (!(v->s->bound > 0)) return;
    double y = y_of(f, v->s->bound), wide = width_of(v->s->bound_label);
    for (int i = 0; i < 2 * PLACES; i++) {
        int place = i / 2;
        double right = f->right - 2 - (f->right - f->left - wide) * place / PLACES,
               top = i % 2 ? y - 17 : y + 2;
        box b = {right - wide, top, right, top + 15};
        bool last = i + 1 == 2 * PLACES;
        if (!last && (!is_free(b, v->taken, v->n_taken) || !is_free(b, v->line, v->n_line)))
            continue;
        text_at(h, right, b.y1 - 3, "end", "tick", v->s->bound_label);
        v->taken[v->n_taken++] = b;
        return;
    }
}

void lethe_svg_points(lethe_html *h, const lethe_plot *plot, const lethe_scatter *s,
                      const lethe_point *points, size_t n)
{
    scatter_view v = {.f = {.left = 56,
                            .right = s->width - 14,
                            .top = 28,
                            .bottom = s->height - 2 * LINE - 10,
                            .x = &s->x,
                            .y = &s->y},
                      .s = s,
                      .points = points,
                      .n = n,
                      .taken = lethe_alloc(2 * n + 1, sizeof *v.taken),
                      .line = lethe_alloc(LINE_PARTS + 1, sizeof *v.line),
                      .labels = lethe_alloc_zero(n + 1, sizeof *v.labels)};
    svg_begin(h, plot, s->width, s->height);
    if (v.taken && v.line && v.labels) {
        bound_draw(h, &v);
        axes(h, &v.f);
        frontier(h, &v);
        for (size_t i = 0; i < n; i++) {
            double x = x_of(&v.f, points[i].x), y = y_of(&v.f, points[i].y);
            mark_at(h, x, y, points[i].series,
                    points[i].hollow         ? "mark hollow"
                    : is_dim(&v, &points[i]) ? "mark dim"
                                             : "mark");
            v.taken[v.n_taken++] = (box){x - 5, y - 5, x + 5, y + 5};
        }
        bound_name(h, &v);
        labels(h, &v);
    } else if (h->err == LETHE_OK) {
        h->err = LETHE_ENOMEM;
    }
    lethe_free(v.taken);
    lethe_free(v.line);
    lethe_free(v.labels);
    lethe_html_end(h);
}
