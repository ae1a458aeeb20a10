/* SPDX-License-Identifier: Apache-2.0 */
/* report_examples.c - a few rows as they are published.  They come from the release alone, and are
 * shown as text whatever they hold. */
#include "io/read/fields.h"
#include "model/published/published_lines.h"
#include "release/page/report_page.h"

enum { COLUMNS = 24, CELL = 80, RECORD = 240, LOOKED_AT = 100000 };
#define LINE_MAX_BYTES ((size_t)64 << 20)

typedef struct examples examples;

/* How the lines of a shape are shown. */
typedef struct line_format {
    lethe_shape shape;
    int header_lines;   /* column names are in the last */
    size_t max;         /* characters of a cell that are shown */
    bool by_query;      /* rows differ by their query, not by the whole line */
    const char *column; /* in place of a header */
    const char *empty;  /* shown for an empty cell; NULL: nothing */
    lethe_err (*split)(examples *x, lethe_str line);
} line_format;

struct examples {
    lethe_page *page;
    const line_format *format;
    lethe_published_lines lines;
    lethe_buf scratch;
    lethe_str cells[COLUMNS];
    uint32_t n_cells;   /* all of them, more than COLUMNS maybe */
    const char **shown; /* what makes a row unlike those before */
    size_t n_shown;
};

static lethe_err split_nothing(examples *x, lethe_str line)
{
    x->cells[0] = line;
    x->n_cells = 1;
    return LETHE_OK;
}

static lethe_err split_csv(examples *x, lethe_str line)
{
    lethe_csv csv = lethe_csv_begin(line, ',');
    lethe_str record;
    uint32_t used;
    lethe_csv_fault fault;
    bool more;
    LETHE_TRY(lethe_csv_next(&csv, &x->scratch, x->cells, COLUMNS, &x->n_cells, &record, &used,
                             &fault, &more));
    if (!more) x->n_cells = 0; // an empty line
    return LETHE_OK;
}

static lethe_err split_tabs(examples *x, lethe_str line)
{
    for (x->n_cells = 0;;) {
        const char *tab = memchr(line.at, '\t', line.n);
        size_t n = tab ? (size_t)(tab - line.at) : line.n;
        if (x->n_cells < COLUMNS) x->cells[x->n_cells] = (lethe_str){line.at, n};
        x->n_cells++;
        if (!tab) return LETHE_OK;
        line = (lethe_str){tab + 1, line.n - n - 1};
    }
}

static const line_format formats[] = {
    {LETHE_SHAPE_LOG, 1, CELL, true, NULL, NULL, split_tabs},
    {LETHE_SHAPE_SEALED, 2, CELL / 4, false, NULL, NULL, split_tabs}, // first how it was sealed
    {LETHE_SHAPE_RECORDS, 0, RECORD, false, "Record", "a record without items", split_nothing},
    {LETHE_SHAPE_TABLE, 1, CELL, false, NULL, NULL, split_csv},
    {LETHE_SHAPE_COUNTS, 1, CELL, false, NULL, NULL, split_tabs}};

static lethe_err examples_show(examples *x)
{
    lethe_page *p = x->page;
    const line_format *format = x->format;
    const char *names[COLUMNS + 2] = {format->column};
    lethe_str line;
    LETHE_TRY(lethe_published_open(&x->lines, p->ctx, p->in->dirfd, lethe_data_name(format->shape),
                                   LINE_MAX_BYTES));
    for (int i = 0; i < format->header_lines; i++) {
        if (!lethe_published_next(&x->lines, &line)) {
            LETHE_TRY(x->lines.err);
            break;
        }
        if (i + 1 == format->header_lines) LETHE_TRY(format->split(x, line));
    }
    size_t n = LETHE_MIN(x->n_cells, (uint32_t)COLUMNS);
    for (size_t i = 0; i < n; i++) {
        const char *name = lethe_page_copy(p, x->cells[i]);
        names[i] = name[0] == '#' ? lethe_page_format(p, " %s", name) : name;
    }
    if (x->n_cells > COLUMNS) names[n] = "\u2026";
    lethe_page_table(p, "Rows as they are published", names);
    for (size_t looked = 0; x->n_shown < p->in->n_examples && looked < LOOKED_AT; looked++) {
        if (!lethe_published_next(&x->lines, &line)) break;
        LETHE_TRY(format->split(x, line));
        // of a log the query, of anything else the whole line: rows of one user come one after the
        // other, and the same text again shows nothing new
        lethe_str what = format->by_query && x->n_cells > 1 ? x->cells[1] : line;
        bool seen = false;
        for (size_t i = 0; i < x->n_shown; i++)
            seen = seen || lethe_str_eq(what, lethe_str_of(x->shown[i]));
        if (seen) continue;
        x->shown[x->n_shown++] = lethe_page_copy(p, what);
        lethe_page_row(p, NULL);
        for (uint32_t i = 0; i < LETHE_MIN(x->n_cells, (uint32_t)COLUMNS); i++) {
            if (format->empty && x->cells[i].n == 0)
                lethe_html_leaf(&p->h, "td", "none", format->empty);
            else
                lethe_page_raw(p, "td", x->cells[i], format->max);
        }
        if (x->n_cells > COLUMNS) lethe_page_cell(p, "\u2026");
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    return x->lines.err;
}

lethe_err lethe_page_examples(lethe_page *p)
{
    const lethe_report_input *in = p->in;
    examples x = {.page = p, .format = formats, .lines = {.fd = -1}};
    if (in->dirfd < 0 || in->n_examples == 0) return LETHE_OK;
    while (x.format->shape != in->shape)
        x.format++;
    x.shown = lethe_new(p->arena, const char *, in->n_examples);
    if (!x.shown) return LETHE_ENOMEM;
    lethe_page_section(p, "examples", "Examples");
    lethe_page_paragraph(p, x.format->by_query
                                ? "The first rows of the release with different texts, as its "
                                  "receivers see them. Long texts are shortened here."
                                : "The first distinct rows of the release, as its receivers see "
                                  "them. Long rows are shortened here.");
    lethe_err e = examples_show(&x);
    lethe_published_close(&x.lines);
    lethe_buf_free(&x.scratch);
    if (e == LETHE_OK) lethe_html_end(&p->h);
    return e;
}
