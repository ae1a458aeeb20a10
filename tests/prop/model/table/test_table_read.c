/* SPDX-License-Identifier: Apache-2.0 */
/* Random small files of CSV against a reader that goes byte by byte: the same rows, counts and
 * first fault. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "table_text.h"
#include "seeds.h"

#define FILES seeds(12000)
enum { COLUMNS = 6, CELL = 400, ROWS = 128 };

/* Columns by what they are for: a in a hierarchy, b numbers of a domain, c free, then the sensitive
 * one, one that is kept, and one that nobody wants. */
static const char *const names[COLUMNS] = {"a", "b", "c", "s", "k", "e"};
enum { A, B, C, S, K, E };
static const char hierarchy[] = "x;low;*\ny;low;*\nz;high;*\n";
#define LEAST 5
#define GREATEST 10

/* --- the slow reader --- */

typedef struct slow_cell {
    char at[CELL];
    size_t n;
} slow_cell;

typedef struct slow_row {
    slow_cell field[2 * COLUMNS + 8];
    size_t n_fields;
    char cell[COLUMNS][CELL];
    bool invalid, missing;
    char refused[CELL]; /* the value of a or b that was looked at last */
    const char *cause;  /* NULL: none */
    int column;         /* of the cause; -1: no column's name is in it */
    size_t number;      /* of the field, from 1 */
    uint64_t n_lines;
} slow_row;

typedef struct slow_file {
    int column_of[COLUMNS]; /* field to column */
    char kept[ROWS][COLUMNS][CELL];
    uint64_t origin[ROWS];
    size_t n;
    uint64_t n_read, n_rejected, n_missing, n_invalid;
    char strict[256];
} slow_file;

/* Where the record that begins at p ends: at an LF outside quotes, or at the end. */
static size_t record_end(const char *p, size_t n)
{
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (quoted && p[i] == '"' && i + 1 < n && p[i + 1] == '"') {
            i++;
        } else if (quoted) {
            quoted = p[i] != '"';
        } else if (p[i] == '"') {
            quoted = i == 0 || p[i - 1] == ',';
        } else if (p[i] == '\n') {
            return i;
        }
    }
    return n;
}

static void put(slow_cell *c, char byte)
{
    assert_true(c->n < CELL - 8);
    c->at[c->n++] = byte;
}

/* The fields of the record; what is wrong with its quotes. */
static void split(const char *p, size_t n, slow_row *r)
{
    size_t i = 0;
    for (;;) {
        slow_cell *c = &r->field[r->n_fields];
        c->n = 0;
        if (i < n && p[i] == '"') {
            bool closed = false;
            for (i++; i < n && !closed; i++) {
                if (p[i] != '"')
                    put(c, p[i]);
                else if (i + 1 < n && p[i + 1] == '"')
                    put(c, p[i++]);
                else
                    closed = true;
            }
            r->number = r->n_fields + 1;
            r->column = -1;
            if (!closed) r->cause = "quote not closed";
            if (closed && i < n && p[i] != ',') r->cause = "text after a closing quote";
            if (r->cause) return;
        } else {
            while (i < n && p[i] != ',')
                put(c, p[i++]);
        }
        r->n_fields++;
        assert_true(r->n_fields < LETHE_COUNT(r->field));
        if (i++ == n) return;
    }
}

/* Bytes from 0x80 on are \xFF, \xC3 and \xA9, so that only \xC3\xA9 is a character. */
static void repair(const char *p, size_t n, char *out, bool *invalid)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)p[i];
        if (c < 0x80) {
            out[used++] = p[i];
        } else if (c == 0xC3 && i + 1 < n && (uint8_t)p[i + 1] == 0xA9) {
            out[used++] = p[i++];
            out[used++] = p[i];
        } else {
            memcpy(out + used, "\xEF\xBF\xBD", 3);
            used += 3;
            *invalid = true;
        }
        assert_true(used < CELL - 8);
    }
    out[used] = '\0';
}

static void fault(slow_row *r, size_t field, int column, const char *cause)
{
    if (r->cause) return; // the first counts
    r->cause = cause;
    r->number = field + 1;
    r->column = column;
}

static void look_at_bytes(slow_row *r, size_t i, int column)
{
    for (size_t k = 0; k < r->field[i].n; k++) {
        char c = r->field[i].at[k];
        if (c == '\0') fault(r, i, column, "NUL byte");
        if (c == '\t') fault(r, i, column, "tab in a field");
        if (c == '\r') fault(r, i, column, "carriage return in a field");
        if (c == '\n') fault(r, i, column, "line feed in a field");
    }
}

/* Numbers of the files have at most two digits before the point and one behind it. */
static const char *number_of(char *cell)
{
    char *rest;
    double x = strtod(cell, &rest);
    if (*rest || strspn(cell, "-.0123456789") != strlen(cell)) return "value is not a number";
    if (x != (int)x || x < LEAST || x > GREATEST) return "number outside the domain";
    snprintf(cell, CELL, "%d", (int)x);
    return NULL;
}

/* Which marks the decimals of column b have had so far. */
static struct {
    bool point, comma, sure, mixed, first;
} marks;

/* A decimal comma becomes a point; false: that the file has both was noticed. */
static bool comma_take(char *cell)
{
    char *comma = strchr(cell, ','), *point = strchr(cell, '.');
    size_t n = strlen(cell), minus = cell[0] == '-';
    if ((!comma && !point) || strspn(cell + minus, ",.0123456789") != n - minus) return true;
    if (strcspn(cell, "0123456789") == n) return true;
    if (comma && point) return false;
    if (point) {
        if (!marks.comma && !strchr(point + 1, '.')) marks.point = true;
        return !marks.comma;
    }
    if (strchr(comma + 1, ',') || !comma[1]) return true; // no number
    if (marks.point) return false;
    size_t before = (size_t)(comma - cell) - minus, after = strlen(comma + 1);
    marks.comma = true;
    if (before == 0 || before > 3 || cell[minus] == '0' || after != 3) marks.sure = true;
    *comma = '.';
    return true;
}

/* What the column makes of its value: as the table will show it. */
static const char *bind(int column, char *cell)
{
    static const char *const known[] = {"x", "y", "z"}, *const inner[] = {"low", "high", "*"};
    bool found = false;
    if (column == S && strcmp(cell, "*") == 0)
        return "the value '*' stands for what is not published";
    if (strcmp(cell, "?") == 0) return NULL;
    if (column == B) return number_of(cell);
    if (column != A) return NULL;
    for (size_t i = 0; i < 3 && !found; i++) {
        found = strcmp(cell, known[i]) == 0;
        if (!found && strcmp(cell, inner[i]) == 0) {
            memmove(cell + 1, cell, strlen(cell) + 1);
            cell[0] = '=';
            found = true;
        }
    }
    return found ? NULL : "value is not in the hierarchy";
}

static void take_cell(slow_row *r, size_t i, int column, uint64_t n_rejected)
{
    const char *p = r->field[i].at;
    size_t n = r->field[i].n;
    if (column == E || r->cause) return;
    while (n > 0 && *p == ' ')
        p++, n--;
    while (n > 0 && p[n - 1] == ' ')
        n--;
    if (n > 0 && p > r->field[i].at && *p == '"')
        fault(r, i, column, "quote after a space at the beginning of a field");
    repair(p, n, r->cell[column], &r->invalid);
    if (n == 0) strcpy(r->cell[column], "?");
    r->missing |= strcmp(r->cell[column], "?") == 0;
    if (r->cause) return;
    if (column == B && !comma_take(r->cell[B]) && !marks.mixed) {
        marks.mixed = true;
        marks.first = n_rejected == 0;
    }
    if (column == A || column == B) snprintf(r->refused, CELL, "%s", r->cell[column]);
    const char *cause = bind(column, r->cell[column]);
    if (cause) fault(r, i, column, cause);
}

/* The record of `used` bytes, its end among them. */
static void slow_parse(const slow_file *f, const char *p, size_t n, slow_row *r)
{
    split(p, n, r);
    if (r->cause) return;
    r->n_lines = 1;
    if (r->n_fields < COLUMNS) fault(r, r->n_fields, -1, "fewer fields than the header");
    if (r->n_fields > COLUMNS) fault(r, COLUMNS, -1, "more fields than the header");
    for (size_t i = 0; i < r->n_fields && i < COLUMNS; i++)
        look_at_bytes(r, i, f->column_of[i]);
    for (size_t i = 0; i < COLUMNS && i < r->n_fields; i++)
        take_cell(r, i, f->column_of[i], f->n_rejected);
}

static void slow_take(slow_file *f, const slow_row *r, uint64_t line, bool drop)
{
    if (r->cause) {
        bool named = strncmp(r->cause, "value is not", 12) == 0 ||
                     strcmp(r->cause, "number outside the domain") == 0;
        char shown[2 * CELL];
        lethe_show(shown, sizeof shown, lethe_str_of(r->refused));
        if (f->n_rejected == 0)
            snprintf(f->strict, sizeof f->strict, "E memory:%llu:%zu %s%s%s%s%s%s\n",
                     (unsigned long long)line, r->number, r->column < 0 ? "" : names[r->column],
                     r->column < 0 ? "" : ": ", r->cause, named ? ": '" : "", named ? shown : "",
                     named ? "'" : "");
        f->n_rejected += r->n_lines;
        f->n_read += r->n_lines;
        return;
    }
    uint64_t origin = f->n_read++;
    f->n_invalid += r->invalid;
    if (r->missing && drop) {
        f->n_missing++;
        return;
    }
    assert_true(f->n < ROWS);
    memcpy(f->kept[f->n], r->cell, sizeof r->cell);
    f->origin[f->n++] = origin;
}

/* Rows from the first behind the header on, which is on the lines before `line`. */
static void slow_read(slow_file *f, const char *p, size_t n, uint64_t line, bool drop)
{
    static slow_row r;
    while (n > 0) {
        size_t end = record_end(p, n), used = end + (end < n), length = end;
        if (end < n && end > 0 && p[end - 1] == '\r') length--;
        uint64_t lines = p[used - 1] != '\n';
        for (size_t i = 0; i < used; i++)
            lines += p[i] == '\n';
        bool blank = true;
        for (size_t i = 0; i < length; i++)
            blank &= p[i] == ' ';
        if (!blank) {
            memset(&r, 0, sizeof r);
            r.n_lines = lines;
            slow_parse(f, p, length, &r);
            slow_take(f, &r, line, drop);
        }
        line += lines;
        p += used;
        n -= used;
    }
}

/* A value of c that is called as the root gets a leaf of its own, unless nothing else is there. */
static void settle_roots(slow_file *f)
{
    bool others = false;
    for (size_t i = 0; i < f->n; i++)
        others |= strcmp(f->kept[i][C], "*") != 0;
    for (size_t i = 0; i < f->n && others; i++)
        if (strcmp(f->kept[i][C], "*") == 0) strcpy(f->kept[i][C], "=*");
}

static void slow_text(slow_file *f, text *t)
{
    static const char *const roles[] = {"qi", "qi", "qi", "sa", "keep"};
    bool first = true;
    settle_roots(f);
    for (size_t i = 0; i < COLUMNS; i++) {
        int c = f->column_of[i];
        if (c == E) continue;
        text_add(t, "%s%s:%s", first ? "" : "|", roles[c], names[c]);
        first = false;
    }
    text_put(t, "\n", 1);
    for (size_t row = 0; row < f->n; row++) {
        text_add(t, "%llu", (unsigned long long)f->origin[row]);
        for (size_t i = 0; i < COLUMNS; i++)
            if (f->column_of[i] != E) text_add(t, "|%s", f->kept[row][f->column_of[i]]);
        text_put(t, "\n", 1);
    }
    text_add(t, "read %llu rejected %llu missing %llu invalid %llu\n",
             (unsigned long long)f->n_read, (unsigned long long)f->n_rejected,
             (unsigned long long)f->n_missing, (unsigned long long)f->n_invalid);
}

/* --- files --- */

static void random_end(uint64_t *s, text *t)
{
    if (o_below(s, 2))
        text_put(t, "\r\n", 2);
    else
        text_put(t, "\n", 1);
}

static bool commas; /* in the file at hand: decimals of column b have them */

static void random_value(uint64_t *s, int column, uint64_t dirt, bool quoted, text *t)
{
    static const char *const good[COLUMNS][8] = {
        {"x", "y", "z", "low", "*", "x", "y", "high"},
        {"5", "6", "07", "8.0", "9", "10", "5", "6"},
        {"p", "q", "*", "\xC3\xA9", "r s", "p'", "a\"b", "P"},
        {"flu", "cold", "hiv", "flu", "flu", "cold", "?!", "**"},
        {"1", "2", "3", "", "5", "*", "7;8", "|"},
        {"u", "v", "w", "", "?", "*", "n/a", "-"}};
    static const char *const bad[] = {"X", "11",   "4",    "7.5",  "-6",       "+5",  "5e0",
                                      "*", "\xFF", "\xC3", "\x01", "high low", "=low"};
    if (o_below(s, 8) == 0)
        text_put(t, "?", o_below(s, 2));
    else if (o_below(s, dirt) == 0)
        text_add(t, "%s", bad[o_below(s, LETHE_COUNT(bad))]);
    else {
        const char *value = good[column][o_below(s, 8)], *quote = quoted ? "" : "\"";
        size_t odd = o_below(s, 40);
        if (!commas || column != B || strcmp(value, "8.0") != 0 || odd == 0)
            text_add(t, "%s", value); // perhaps a point among commas
        else
            text_add(t, "%s%s%s", quote, odd == 1 ? "1.008,0" : odd < 20 ? "8,0" : "8,000", quote);
    }
}

/* A value with spaces around it, or in quotes, perhaps with more in it than may be. */
static void random_cell(uint64_t *s, int column, uint64_t dirt, text *t)
{
    static const char odd[] = "\"\" ,\t\r\n\0\"";
    size_t kind = o_below(s, 5);
    for (size_t k = kind == 1 ? o_below(s, 3) : 0; k > 0; k--)
        text_put(t, " ", 1);
    if (kind == 2) text_put(t, "\"", 1);
    if (kind == 2 && o_below(s, 3) == 0) text_put(t, " ", 1);
    random_value(s, column, dirt, kind == 2, t);
    if (kind == 2 && column >= C && o_below(s, 4) == 0) text_put(t, ",\"\"", 3);
    for (size_t k = o_below(s, dirt) == 0 ? 1 + o_below(s, 2) : 0; k > 0; k--)
        text_put(t, &odd[o_below(s, sizeof odd - 1)], 1);
    if (kind == 2 && o_below(s, dirt) > 0) text_put(t, "\"", 1);
    for (size_t k = kind == 1 ? o_below(s, 3) : 0; k > 0; k--)
        text_put(t, " ", 1);
}

static void random_header(uint64_t *s, slow_file *f, text *t)
{
    for (int i = 0; i < COLUMNS; i++)
        f->column_of[i] = i;
    for (size_t i = COLUMNS - 1; i > 0; i--) {
        size_t k = o_below(s, i + 1);
        int swap = f->column_of[i];
        f->column_of[i] = f->column_of[k];
        f->column_of[k] = swap;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *quote = o_below(s, 4) ? "" : "\"", *space = o_below(s, 4) ? "" : " ";
        if (*quote) space = "";
        text_add(t, "%s%s%s%s%s%s", i ? "," : "", space, quote, names[f->column_of[i]], quote,
                 space);
    }
    random_end(s, t);
}

/* Returns where the rows begin; *line: and on which line. */
static size_t random_file(uint64_t *s, slow_file *f, text *t, uint64_t *line)
{
    uint64_t dirt = 1 + o_below(s, 400);
    size_t n = 1 + o_below(s, 50);
    commas = o_below(s, 3) == 0;
    *line = 2;
    if (o_below(s, 8) == 0) text_put(t, "\xEF\xBB\xBF", 3);
    for (; o_below(s, 6) == 0; ++*line)
        random_end(s, t);
    random_header(s, f, t);
    size_t begin = t->n;
    for (size_t row = 0; row < n; row++) {
        size_t fields = COLUMNS;
        if (o_below(s, dirt) == 0) fields = 1 + o_below(s, COLUMNS + 2);
        for (size_t i = 0; i < fields; i++) {
            if (i > 0) text_put(t, ",", 1);
            random_cell(s, f->column_of[i % COLUMNS], dirt, t);
        }
        if (row + 1 < n || o_below(s, 3)) random_end(s, t);
        if (o_below(s, 20) == 0) random_end(s, t);
    }
    return begin;
}

static uint64_t n_read_well, n_with_rejects, n_with_commas, n_unclear;

static void check_file(lethe_ctx *ctx, outcome *o, uint64_t seed, const lethe_tree *tree)
{
    static slow_file f;
    uint64_t s = seed, line, widths[] = {2, 4};
    text in = {0}, want = {0}, got = {0};
    lethe_table *t = NULL;
    memset(&f, 0, sizeof f);
    memset(&marks, 0, sizeof marks);
    size_t begin = random_file(&s, &f, &in, &line);
    const lethe_ranges ranges = {
        .n = 2, .width = widths, .has_domain = true, .least = LEAST, .greatest = GREATEST};
    lethe_table_read_options how = {.roles = {.qi = "a,b,c", .sa = "s", .keep = "k"},
                                    .delimiter = o_below(&s, 2) ? ',' : 0,
                                    .strict = o_below(&s, 3) == 0,
                                    .drop_missing = o_below(&s, 2),
                                    .hierarchy = (const lethe_tree *const[]){tree, NULL, NULL},
                                    .ranges = (const lethe_ranges *const[]){NULL, &ranges, NULL}};
    slow_read(&f, in.at + begin, in.n - begin, line, how.drop_missing);
    bool refused = f.n == 0 || f.n_rejected * 10 > f.n_read || (how.strict && f.n_rejected > 0) ||
                   marks.mixed || (marks.comma && !marks.sure);
    o->messages.n = 0;
    lethe_err e = lethe_table_memory(ctx, (lethe_str){in.at, in.n}, &how, &t);
    if (e != (refused ? LETHE_EINPUT : LETHE_OK))
        fail_msg("seed %llu: error %d, %llu of %llu rejected\n%s\n%s", (unsigned long long)seed, e,
                 (unsigned long long)f.n_rejected, (unsigned long long)f.n_read, o->messages.at,
                 in.at);
    if (how.strict && f.n_rejected > 0 && !(marks.mixed && marks.first) &&
        strcmp(o->messages.at, f.strict) != 0)
        fail_msg("seed %llu: %s, not %s\n%s", (unsigned long long)seed, o->messages.at, f.strict,
                 in.at);
    if (t) {
        slow_text(&f, &want);
        table_text(&got, t);
        counts_text(&got, t);
        if (strcmp(got.at, want.at) != 0 || table_fault(t))
            fail_msg("seed %llu: %s\n--- want\n%s--- got\n%s", (unsigned long long)seed,
                     table_fault(t) ? table_fault(t) : "", want.at, got.at);
        n_read_well++;
        n_with_rejects += f.n_rejected > 0;
        n_with_commas += marks.comma;
    } else if (!how.strict && f.n > 0 && f.n_rejected * 10 <= f.n_read) {
        n_unclear += marks.mixed || !marks.sure;
    }
    lethe_table_free(t);
    free(in.at);
    free(want.at);
    free(got.at);
}

static void random_files_are_read_as_a_slow_reader_reads_them(void **state)
{
    (void)state;
    outcome o;
    lethe_tree *tree = NULL;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(lethe_tree_memory(ctx, (lethe_str){hierarchy, sizeof hierarchy - 1},
                                       LETHE_NAMES_RAW, &tree),
                     LETHE_OK);
    for (uint64_t seed = 1; seed <= FILES; seed++)
        check_file(ctx, &o, seed, tree);
    // the files must have put it to the test
    assert_true(n_read_well > FILES / 4 && n_with_rejects > FILES / 20);
    assert_true(n_with_commas > FILES / 40 && n_unclear > FILES / 100);
    lethe_tree_free(tree);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_files_are_read_as_a_slow_reader_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
