/* SPDX-License-Identifier: Apache-2.0 */
/* report_examples.c - a few rows as they are published, from all over the file.  They come from the
 * release alone, and are shown as text whatever they hold. */
#include "io/read/fields.h"
#include "lexicon/wordnet/wordnet.h"
#include "model/published/published_lines.h"
#include "release/page/report_page.h"
#include <fcntl.h>
#include <unistd.h>

enum { COLUMNS = 24, CELL = 80, RECORD = 240, NODES_MAX = 40 };
#define LINE_MAX_BYTES ((size_t)64 << 20)

typedef struct examples examples;

/* How the lines of a shape are shown. */
typedef struct line_format {
    lethe_shape shape;
    int header_lines;   /* column names are in the last */
    size_t max;         /* characters of a cell that are shown */
    bool by_query;      /* rows differ by their query, not by the whole line */
    const char *column; /* in place of a header */
    bool empty;         /* an empty line is a record without items, which is not shown */
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
    const char *nodes[NODES_MAX]; /* of WordNet's, in what is shown */
    size_t n_nodes;
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
    {LETHE_SHAPE_LOG, 1, CELL, true, NULL, false, split_tabs},
    {LETHE_SHAPE_SEALED, 2, CELL / 4, false, NULL, false, split_tabs}, // first how it was sealed
    {LETHE_SHAPE_RECORDS, 0, RECORD, false, "Record", true, split_nothing},
    {LETHE_SHAPE_TABLE, 1, CELL, false, NULL, false, split_csv},
    {LETHE_SHAPE_COUNTS, 1, CELL, false, NULL, false, split_tabs}};

/* How many rows the file has, about. */
static uint64_t rows_of(const lethe_page *p)
{
    int64_t n =
        lethe_json_int(lethe_json_get(lethe_json_get(p->in->manifest, "counts"), "published"));
    const lethe_json *records =
        lethe_json_get(lethe_json_get(p->in->manifest, "metrics"), "records");
    if (p->survival.rows[0] > 0) return p->survival.rows[0];
    return (uint64_t)LETHE_MAX(records ? lethe_json_int(records) : n, 0);
}

/* --- names of WordNet's nodes --- */

static bool is_wordnet(const lethe_page *p)
{
    const lethe_json *steps = lethe_json_get(p->in->manifest, "steps");
    for (size_t i = 0; i < lethe_json_count(steps); i++) {
        const lethe_json *with = lethe_json_get(lethe_json_at(steps, i), "parameters");
        lethe_str taxonomy = lethe_json_text(lethe_json_get(with, "taxonomy"));
        if (lethe_str_eq(taxonomy, LETHE_LIT("wordnet"))) return true;
    }
    return false;
}

/* word.n.NN: the bytes of the word; 0: it is none. */
static size_t node_word(lethe_str item)
{
    size_t n = item.n;
    while (n > 0 && item.at[n - 1] >= '0' && item.at[n - 1] <= '9')
        n--;
    if (n + 2 > item.n || n < 4 || memcmp(item.at + n - 3, ".n.", 3) != 0) return 0;
    return n - 3;
}

static void nodes_add(examples *x, lethe_str record)
{
    while (record.n > 0) {
        const char *space = memchr(record.at, ' ', record.n);
        size_t n = space ? (size_t)(space - record.at) : record.n;
        lethe_str item = {record.at, n};
        bool known = node_word(item) == 0 || x->n_nodes == NODES_MAX;
        for (size_t i = 0; i < x->n_nodes && !known; i++)
            known = lethe_str_eq(item, lethe_str_of(x->nodes[i]));
        if (!known) x->nodes[x->n_nodes++] = lethe_page_copy(x->page, item);
        record = (lethe_str){record.at + n + (space != NULL), record.n - n - (space != NULL)};
    }
}

/* What the general terms above mean. */
static void nodes_show(examples *x)
{
    lethe_html *h = &x->page->h;
    char gloss[LETHE_GLOSS_MAX];
    if (x->n_nodes == 0 || !is_wordnet(x->page)) return;
    lethe_page_paragraph(x->page, "Names such as these are general terms of WordNet: they stand "
                                  "for any term below them.");
    lethe_html_begin(h, "dl");
    lethe_html_attr(h, "class", "nodes");
    for (size_t i = 0; i < x->n_nodes; i++) {
        lethe_str name = lethe_str_of(x->nodes[i]);
        char *word = lethe_arena_dup(x->page->arena, (lethe_str){name.at, node_word(name)});
        for (char *c = word; c && *c; c++)
            if (*c == '_') *c = ' ';
        lethe_html_begin(h, "dt");
        lethe_html_leaf(h, "code", NULL, x->nodes[i]);
        lethe_html_end(h);
        bool told = x->page->in->glosses &&
                    lethe_wordnet_gloss(lethe_ctx_wordnet_dir(x->page->ctx), name, gloss);
        lethe_html_leaf(h, "dd", NULL,
                        lethe_page_format(x->page, "%s%s%s", word ? word : "", told ? ": " : "",
                                          told ? gloss : ""));
        if (!word) h->err = LETHE_ENOMEM;
    }
    lethe_html_end(h);
}

/* --- the rows --- */

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
    uint64_t step = LETHE_MAX(rows_of(p) / LETHE_MAX(p->in->n_examples, 1), 1);
    for (uint64_t row = 0; x->n_shown < p->in->n_examples; row++) {
        if (!lethe_published_next(&x->lines, &line)) break;
        if (row < step * x->n_shown || (format->empty && line.n == 0)) continue;
        LETHE_TRY(format->split(x, line));
        // of a log the query, of anything else the whole line: the same again shows nothing new
        lethe_str what = format->by_query && x->n_cells > 1 ? x->cells[1] : line;
        bool seen = false;
        for (size_t i = 0; i < x->n_shown; i++)
            seen = seen || lethe_str_eq(what, lethe_str_of(x->shown[i]));
        if (seen) continue;
        x->shown[x->n_shown++] = lethe_page_copy(p, what);
        lethe_page_row(p, NULL);
        for (uint32_t i = 0; i < LETHE_MIN(x->n_cells, (uint32_t)COLUMNS); i++)
            lethe_page_raw(p, "td", x->cells[i], format->max);
        if (x->n_cells > COLUMNS) lethe_page_cell(p, "\u2026");
        lethe_page_row_end(p);
        if (format->shape == LETHE_SHAPE_RECORDS) nodes_add(x, line);
    }
    lethe_page_table_end(p);
    return x->lines.err;
}

lethe_err lethe_page_examples(lethe_page *p)
{
    const lethe_report_input *in = p->in;
    examples x = {.page = p, .format = formats, .lines = {.file = NULL}};
    if (in->dirfd < 0 || in->n_examples == 0) return LETHE_OK;
    while (x.format->shape != in->shape)
        x.format++;
    x.shown = lethe_new(p->arena, const char *, in->n_examples);
    if (!x.shown) return LETHE_ENOMEM;
    lethe_page_section(p, "examples", "Sample rows");
    lethe_page_paragraph(p, x.format->by_query
                                ? "Rows with different texts from all over the release, as its "
                                  "receivers see them. Long texts are shortened here."
                                : "Different rows from all over the release, as its receivers see "
                                  "them. Long rows are shortened here.");
    lethe_err e = examples_show(&x);
    if (e == LETHE_OK) nodes_show(&x);
    lethe_published_close(&x.lines);
    lethe_buf_free(&x.scratch);
    if (e == LETHE_OK) lethe_html_end(&p->h);
    return e;
}

/* --- rows of a study's release --- */

/* The folder of a release, or -1; a name that could lead elsewhere is none. */
static int release_fd(const lethe_page *p, const char *name)
{
    static const char fits[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    if (p->in->dirfd < 0 || !name[0] || name[0] == '.' || name[strspn(name, fits)]) return -1;
    int all = openat(p->in->dirfd, "releases", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = all < 0 ? -1 : openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (all >= 0) close(all);
    return fd;
}

const char *lethe_page_study_link(lethe_page *p, const char *name)
{
    int fd = release_fd(p, name);
    bool has = fd >= 0 && faccessat(fd, LETHE_REPORT_NAME, R_OK, 0) == 0;
    if (fd >= 0) close(fd);
    return has ? lethe_page_format(p, "releases/%s/%s", name, LETHE_REPORT_NAME) : NULL;
}

/* One line: of a log without the user and the time. */
static void row_item(examples *x, lethe_str line)
{
    enum { ITEM = 120 };
    lethe_html *h = &x->page->h;
    bool log = x->format->shape == LETHE_SHAPE_LOG && x->n_cells >= 5;
    lethe_html_begin(h, "li");
    lethe_html_begin(h, "bdi");
    lethe_html_cut(h, log ? x->cells[1] : line, ITEM);
    lethe_html_end(h);
    if (log && x->cells[4].n > 0) {
        lethe_html_words(h, " \u2192 ");
        lethe_html_begin(h, "bdi");
        lethe_html_cut(h, x->cells[4], ITEM / 2);
        lethe_html_end(h);
    }
    lethe_html_end(h);
}

static lethe_err rows_list(examples *x, size_t n)
{
    lethe_str line;
    uint64_t step = LETHE_MAX(rows_of(x->page) / (n + 1), 1), row = 0;
    LETHE_TRY(lethe_published_open(&x->lines, x->page->ctx, x->page->in->dirfd,
                                   lethe_data_name(x->format->shape), LINE_MAX_BYTES));
    lethe_html_begin(&x->page->h, "ul");
    for (int i = 0; i < x->format->header_lines; i++)
        if (!lethe_published_next(&x->lines, &line)) break;
    for (; x->n_shown < n && lethe_published_next(&x->lines, &line); row++) {
        if (row < step * (x->n_shown + 1) || line.n == 0) continue;
        LETHE_TRY(x->format->split(x, line));
        x->n_shown++;
        row_item(x, line);
    }
    lethe_html_end(&x->page->h);
    return x->lines.err;
}

lethe_err lethe_page_study_rows(lethe_page *p, const char *name, size_t n)
{
    const lethe_report_input *study = p->in;
    lethe_report_input in = {.dirfd = release_fd(p, name)};
    lethe_json_doc *doc = NULL;
    lethe_json *manifest = NULL;
    examples x = {.page = p, .format = formats, .lines = {.file = NULL}};
    if (in.dirfd < 0) return LETHE_OK;
    lethe_err e = LETHE_OK;
    if (faccessat(in.dirfd, LETHE_MANIFEST, R_OK, 0) == 0)
        e = lethe_manifest_read(p->diag, in.dirfd, &doc, &manifest);
    if (e == LETHE_OK && manifest) {
        in.manifest = manifest;
        in.shape = lethe_manifest_shape(manifest);
        while (x.format->shape != in.shape)
            x.format++;
        p->in = &in;
        e = rows_list(&x, n);
        p->in = study;
    }
    lethe_published_close(&x.lines);
    lethe_buf_free(&x.scratch);
    lethe_json_doc_free(doc);
    close(in.dirfd);
    return e;
}
