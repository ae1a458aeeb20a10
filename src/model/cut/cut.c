/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a cut, sorted, so that a value is found by halving. */
#include "model/cut/cut_internal.h"
#include "core/dict.h"
#include "io/write/sink.h"
#include "text/normalize.h"
#include <stdlib.h>

static const char *const kinds[] = {
    [LETHE_CUT_ANY] = "any", [LETHE_CUT_RANGE] = "range", [LETHE_CUT_VALUE] = "value"};

/* The numbers of a line. */
typedef struct line_range {
    lethe_number low, high;
    bool half_open; /* `high` is not within, and numbers need not be whole */
} line_range;

typedef struct cut_line {
    uint32_t column;
    lethe_cut_kind kind;
    lethe_str value, published;
    line_range range;
} cut_line;

typedef struct cut_column {
    lethe_str name;
    size_t from[LETHE_CUT_VALUE + 2]; /* lines by kind: from[kind] .. from[kind + 1] - 1 */
} cut_column;

struct lethe_cut {
    lethe_arena *arena;
    bool of_sets;
    size_t n_columns, n;
    cut_column *column;
    cut_line *line;
};

struct lethe_cut_builder {
    lethe_arena *arena;
    bool of_sets;
    lethe_dict *columns;
    lethe_buf lines; /* cut_line */
};

/* --- ranges --- */

/* "[20,25)", both whole. */
static bool half_open_parse(lethe_str text, line_range *out)
{
    if (text.n < 2 || text.at[0] != '[' || text.at[text.n - 1] != ')') return false;
    lethe_str rest = {text.at + 1, text.n - 2};
    const char *comma = rest.n ? memchr(rest.at, ',', rest.n) : NULL;
    if (!comma) return false;
    lethe_str low = {rest.at, (size_t)(comma - rest.at)},
              high = {comma + 1, rest.n - (size_t)(comma - rest.at) - 1};
    char text_low[LETHE_NUMBER_TEXT], text_high[LETHE_NUMBER_TEXT];
    *out = (line_range){.half_open = true};
    return lethe_number_parse(low, &out->low) && lethe_number_parse(high, &out->high) &&
           out->low.nano == 0 && out->high.nano == 0 && lethe_number_cmp(out->low, out->high) < 0 &&
           lethe_str_eq(low, (lethe_str){text_low, lethe_number_print(out->low, text_low)}) &&
           lethe_str_eq(high, (lethe_str){text_high, lethe_number_print(out->high, text_high)});
}

static bool range_parse(lethe_str text, line_range *out)
{
    lethe_span s;
    if (half_open_parse(text, out)) return true;
    if (!lethe_span_parse(text, &s)) return false;
    bool one = lethe_number_cmp(s.low, s.high) == 0;
    if (!one && (s.low.nano > 0 || s.high.nano > 0)) return false;
    *out = (line_range){.low = s.low, .high = s.high};
    return true;
}

static bool range_has(const line_range *r, lethe_number x)
{
    int low = lethe_number_cmp(r->low, x), high = lethe_number_cmp(x, r->high);
    if (low > 0) return false;
    if (r->half_open) return high < 0;
    return high < 0 ? low == 0 || x.nano == 0 : high == 0;
}

/* Do two ranges, the first of which does not begin later, have a number in common? */
static bool ranges_meet(const line_range *a, const line_range *b)
{
    int c = lethe_number_cmp(b->low, a->high);
    return a->half_open ? c < 0 : c <= 0;
}

/* --- order --- */

static int line_cmp(const cut_line *a, const cut_line *b)
{
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    int c = a->kind == LETHE_CUT_RANGE ? lethe_number_cmp(a->range.low, b->range.low) : 0;
    return c ? c : lethe_str_cmp(a->value, b->value);
}

static int by_line(const void *a, const void *b) { return line_cmp(a, b); }

/* Why the second of two lines cannot follow the first; NULL: it can. */
static const char *order_fault(const cut_line *a, const cut_line *b)
{
    int c = line_cmp(a, b);
    if (c > 0) return "lines are out of order";
    if (c == 0) return "a value has two lines";
    if (a->column == b->column && b->kind == LETHE_CUT_RANGE && a->kind == LETHE_CUT_RANGE &&
        ranges_meet(&a->range, &b->range))
        return "two ranges have a number in common";
    return NULL;
}

/* --- building --- */

lethe_cut_builder *lethe_cut_builder_new(bool of_sets)
{
    lethe_cut_builder *b = lethe_alloc_zero(1, sizeof *b);
    if (!b) return NULL;
    b->of_sets = of_sets;
    b->arena = lethe_arena_new();
    b->columns = lethe_dict_new();
    if (b->arena && b->columns) return b;
    lethe_cut_builder_free(b);
    return NULL;
}

void lethe_cut_builder_free(lethe_cut_builder *b)
{
    if (!b) return;
    lethe_arena_free(b->arena);
    lethe_dict_free(b->columns);
    lethe_buf_free(&b->lines);
    lethe_free(b);
}

static bool holds(lethe_str s, char c) { return s.n > 0 && memchr(s.at, c, s.n); }

static const char *text_fault(lethe_str s, bool of_sets)
{
    static const char forbidden[] = {'\0', '\t', '\n', '\r'};
    for (size_t i = 0; i < sizeof forbidden; i++)
        if (holds(s, forbidden[i])) return "a NUL, tab or line end in a text";
    if (of_sets && holds(s, ' ')) return "a space in an item";
    return lethe_utf8_valid(s) ? NULL : "a text is not valid UTF-8";
}

static const char *line_fault(const lethe_cut_builder *b, lethe_str column, cut_line *l)
{
    const lethe_str texts[] = {column, l->value, l->published};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++) {
        const char *fault = text_fault(texts[i], b->of_sets && i > 0);
        if (fault) return fault;
    }
    if (column.n == 0) return "a column without a name";
    if (l->published.n == 0) return "nothing is published";
    if (b->of_sets && !lethe_str_eq(column, LETHE_LIT(LETHE_CUT_ITEMS)))
        return "the column of sets is 'items'";
    if (b->of_sets && l->kind != LETHE_CUT_VALUE) return "sets have values alone";
    if (l->kind == LETHE_CUT_ANY) return l->value.n == 0 ? NULL : "any value is not one value";
    if (l->value.n == 0) return "the value is empty";
    if (l->kind == LETHE_CUT_RANGE && !range_parse(l->value, &l->range))
        return "a range is not one of numbers";
    return NULL;
}

static bool dup(lethe_arena *a, lethe_str *s)
{
    s->at = lethe_arena_dup(a, *s);
    return s->at != NULL;
}

lethe_err lethe_cut_add(lethe_cut_builder *b, lethe_str column, lethe_cut_kind kind,
                        lethe_str value, lethe_str published, const char **fault)
{
    cut_line l = {.kind = kind, .value = value, .published = published};
    *fault = line_fault(b, column, &l);
    if (*fault) return LETHE_OK;
    LETHE_TRY(lethe_dict_add(b->columns, column, &l.column));
    if (!dup(b->arena, &l.value) || !dup(b->arena, &l.published)) return LETHE_ENOMEM;
    return lethe_buf_put(&b->lines, &l, sizeof l);
}

static size_t line_count(const lethe_cut_builder *b) { return b->lines.n / sizeof(cut_line); }

/* As a file has them: columns in order of their first lines. */
static lethe_err columns_make(lethe_cut *cut, const lethe_dict *names)
{
    size_t at = 0;
    for (size_t c = 0; c < cut->n_columns; c++) {
        cut_column *column = &cut->column[c];
        column->name = lethe_dict_at(names, (uint32_t)c);
        if (!dup(cut->arena, &column->name)) return LETHE_ENOMEM;
        for (int kind = 0; kind <= LETHE_CUT_VALUE; kind++) {
            column->from[kind] = at;
            while (at < cut->n && cut->line[at].column == c && (int)cut->line[at].kind == kind)
                at++;
        }
        column->from[LETHE_CUT_VALUE + 1] = at;
    }
    return LETHE_OK;
}

static lethe_err build(lethe_cut_builder *b, lethe_cut **out, const char **fault)
{
    size_t n = line_count(b), n_columns = b->of_sets ? 1 : lethe_dict_count(b->columns);
    if (b->of_sets) { // also where there is no line
        uint32_t items;
        LETHE_TRY(lethe_dict_add(b->columns, LETHE_LIT(LETHE_CUT_ITEMS), &items));
    }
    *fault = n_columns == 0 ? "there is no column" : NULL;
    if (*fault) return LETHE_OK;
    lethe_arena *a = b->arena;
    lethe_cut *cut = lethe_new(a, lethe_cut, 1);
    cut_column *column = lethe_new(a, cut_column, n_columns);
    cut_line *line = lethe_new(a, cut_line, n + 1);
    if (!cut || !column || !line) return LETHE_ENOMEM;
    if (n > 0) memcpy(line, b->lines.at, n * sizeof *line);
    qsort(line, n, sizeof *line, by_line);
    for (size_t i = 1; i < n && !*fault; i++)
        *fault = order_fault(&line[i - 1], &line[i]);
    if (*fault) return LETHE_OK;
    *cut = (lethe_cut){.arena = a,
                       .of_sets = b->of_sets,
                       .n_columns = n_columns,
                       .n = n,
                       .column = column,
                       .line = line};
    LETHE_TRY(columns_make(cut, b->columns));
    b->arena = NULL; // the cut's now
    *out = cut;
    return LETHE_OK;
}

lethe_err lethe_cut_build(lethe_cut_builder *b, lethe_cut **out, const char **fault)
{
    lethe_err e = build(b, out, fault);
    lethe_cut_builder_free(b);
    return e;
}

void lethe_cut_free(lethe_cut *cut)
{
    if (cut) lethe_arena_free(cut->arena);
}

/* Of the last line added and the one before: files are in order. */
const char *lethe_cut_last_fault(const lethe_cut_builder *b)
{
    size_t n = line_count(b);
    if (n < 2) return NULL;
    cut_line last[2];
    memcpy(last, b->lines.at + (n - 2) * sizeof *last, sizeof last);
    return order_fault(&last[0], &last[1]);
}

/* --- looking at it --- */

bool lethe_cut_is_of_sets(const lethe_cut *cut) { return cut->of_sets; }
size_t lethe_cut_columns(const lethe_cut *cut) { return cut->n_columns; }

lethe_str lethe_cut_column(const lethe_cut *cut, size_t i)
{
    return i < cut->n_columns ? cut->column[i].name : (lethe_str){"", 0};
}

static const cut_line *value_find(const lethe_cut *cut, const cut_column *c, lethe_str value)
{
    size_t low = c->from[LETHE_CUT_VALUE], high = c->from[LETHE_CUT_VALUE + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lethe_str_cmp(cut->line[middle].value, value);
        if (order == 0) return &cut->line[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The last range that does not begin behind the number, if it has it. */
static const cut_line *range_find(const lethe_cut *cut, const cut_column *c, lethe_str value)
{
    size_t first = c->from[LETHE_CUT_RANGE], low = first, high = c->from[LETHE_CUT_RANGE + 1];
    lethe_number x;
    if (low == high || !lethe_number_parse(value, &x)) return NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lethe_number_cmp(cut->line[middle].range.low, x) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == first) return NULL;
    const cut_line *l = &cut->line[low - 1];
    return range_has(&l->range, x) ? l : NULL;
}

lethe_str lethe_cut_find(const lethe_cut *cut, size_t column, lethe_str value)
{
    const cut_column *c = &cut->column[column];
    const cut_line *l = value_find(cut, c, value);
    if (!l) l = range_find(cut, c, value);
    if (!l && c->from[LETHE_CUT_ANY] < c->from[LETHE_CUT_RANGE])
        l = &cut->line[c->from[LETHE_CUT_ANY]];
    return l ? l->published : (lethe_str){NULL, 0};
}

/* --- writing --- */

lethe_err lethe_cut_print(const lethe_cut *cut, lethe_buf *to)
{
    LETHE_TRY(lethe_buf_str(to, cut->of_sets ? LETHE_LIT("#lethe-cut 1 sets\n")
                                             : LETHE_LIT("#lethe-cut 1 table\n")));
    for (size_t i = 0; i < cut->n; i++) {
        const cut_line *l = &cut->line[i];
        const lethe_str fields[] = {cut->column[l->column].name, lethe_str_of(kinds[l->kind]),
                                    l->value, l->published};
        for (size_t k = 0; k < LETHE_COUNT(fields); k++) {
            LETHE_TRY(lethe_buf_str(to, fields[k]));
            LETHE_TRY(
                lethe_buf_str(to, k + 1 < LETHE_COUNT(fields) ? LETHE_LIT("\t") : LETHE_LIT("\n")));
        }
    }
    return LETHE_OK;
}

lethe_err lethe_cut_write(lethe_ctx *ctx, const lethe_cut *cut, const char *path, bool replace)
{
    lethe_buf text = {0};
    lethe_sink *to;
    lethe_ctx_forget_error(ctx);
    lethe_err e = lethe_cut_print(cut, &text);
    if (e == LETHE_OK)
        e = lethe_sink_open(lethe_ctx_diag(ctx), path,
                            replace ? LETHE_SINK_REPLACE : LETHE_SINK_NEW, 0666, &to);
    else
        e = lethe_no_memory(ctx);
    if (e == LETHE_OK) {
        e = lethe_sink_write(to, text.at, text.n);
        if (e == LETHE_OK)
            e = lethe_sink_commit(to);
        else
            lethe_sink_abort(to);
    }
    lethe_buf_free(&text);
    return e;
}
