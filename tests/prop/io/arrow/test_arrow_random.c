/* SPDX-License-Identifier: Apache-2.0 */
/* Random tables as streams: of any type, in slices of slices, in batches of any size, with nulls
 * said in either way.  Their text is taken apart by a splitter of our own, and each value read back
 * with the C library.  And a log gives the same release as the CSV file that we print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arrow_harness.h"
#include "lethe/call.h"
#include "seeds.h"
#include <math.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 3000,
    LOGS = 120,
    ROWS_MAX = 40,
    COLUMNS_MAX = 6,
    BATCHES_MAX = 12,
    KEPT_MAX = 4000
};

static uint64_t next_random(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t *x, uint64_t n) { return next_random(x) % n; }

/* --- values --- */

typedef enum kind { INT, UINT, REAL, REAL4, DECIMAL, BOOL, DAY, MOMENT, CLOCK, TEXT } kind;

static const struct type {
    const char *format;
    kind kind;
    int width;
    int64_t per_second;
} types[] = {
    {"c", INT, 1, 0},
    {"s", INT, 2, 0},
    {"i", INT, 4, 0},
    {"l", INT, 8, 0},
    {"C", UINT, 1, 0},
    {"S", UINT, 2, 0},
    {"I", UINT, 4, 0},
    {"L", UINT, 8, 0},
    {"g", REAL, 8, 0},
    {"f", REAL4, 4, 0},
    {"d:18,4,64", DECIMAL, 8, 0},
    {"d:20,4", DECIMAL, 16, 0},
    {"b", BOOL, 0, 0},
    {"tdD", DAY, 4, 0},
    {"tss:", MOMENT, 8, 1},
    {"tsm:UTC", MOMENT, 8, 1000},
    {"tsn:", MOMENT, 8, 1000000000},
    {"tts", CLOCK, 4, 1},
    {"ttu", CLOCK, 8, 1000000},
    {"u", TEXT, 4, 0},
    {"U", TEXT, 8, 0},
    {"z", TEXT, 4, 0},
    {"vu", TEXT, 16, 0},
};

typedef struct cell {
    bool null;
    int64_t v; /* of REAL and REAL4 the bits */
    char text[40];
    size_t n;
} cell;

typedef struct column {
    const struct type *type;
    bool coded; /* by a dictionary */
    char name[24];
    cell at[ROWS_MAX];
} column;

typedef struct table {
    column columns[COLUMNS_MAX];
    size_t n_columns, n_rows, n_kept;
    void *kept[KEPT_MAX]; /* freed at the end */
} table;

static void *keep(table *t, size_t bytes)
{
    assert_true(t->n_kept < KEPT_MAX);
    return t->kept[t->n_kept++] = calloc(bytes ? bytes : 1, 1); // of their exact size
}

static void cell_random(uint64_t *x, const struct type *t, cell *c)
{
    static const char letters[] = "ab,\"\n\r\t ;\xc3\xa9";
    int64_t any = (int64_t)(next_random(x) >> below(x, 64));
    *c = (cell){.null = below(x, 5) == 0};
    float f = (float)((double)any / (double)(1 + below(x, 1000)));
    double d = (double)any / (double)(1 + below(x, 1000)) * pow(10, (double)below(x, 40) - 20);
    switch (t->kind) {
    case INT:
        c->v = t->width == 8 ? any : any % ((int64_t)1 << (8 * t->width - 1));
        if (t->width == 8 && below(x, 2)) c->v = -c->v;
        return;
    case UINT:
        c->v = t->width == 8 ? (int64_t)next_random(x) : any & (((int64_t)1 << 8 * t->width) - 1);
        return;
    case REAL:
        if (below(x, 3) == 0) c->v = (int64_t)next_random(x), memcpy(&d, &c->v, 8);
        memcpy(&c->v, &d, 8);
        return;
    case REAL4:
        if (below(x, 3) == 0) {
            uint32_t bits = (uint32_t)next_random(x);
            memcpy(&f, &bits, 4);
        }
        memcpy(&c->v, &f, 4);
        return;
    case DECIMAL:
        c->v = any % 1000000000000000000 * (below(x, 2) ? 1 : -1);
        return;
    case BOOL:
        c->v = (int64_t)below(x, 2);
        return;
    case DAY:
        c->v = (int64_t)below(x, 3652059) - 719162;
        return;
    case MOMENT: // 1700 to 2240, so that nanoseconds fit
        c->v = ((int64_t)below(x, 17000000000) - 8500000000) * t->per_second;
        if (below(x, 2)) c->v += (int64_t)below(x, (uint64_t)t->per_second);
        return;
    case CLOCK:
        c->v = (int64_t)below(x, 86400 * (uint64_t)t->per_second);
        return;
    case TEXT:
        for (c->n = below(x, below(x, 2) ? 4 : 30); c->v < (int64_t)c->n; c->v++)
            c->text[c->v] = letters[below(x, sizeof letters - 3)];
        return;
    }
}

/* --- as an array --- */

static void bit_set(uint8_t *bits, size_t i, bool v)
{
    bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1 << i % 8)) | v << i % 8);
}

/* Puts text i of n at the end of what its offsets, or views, say. */
static void texts_put(table *t, const column *c, const cell *const *cells, size_t n,
                      arrow_node *out)
{
    size_t bytes = 0, at = 0, w = (size_t)c->type->width;
    for (size_t i = 0; i < n; i++)
        bytes += cells[i]->n;
    char *text = keep(t, bytes), *offsets = keep(t, w * (n + (w < 16)));
    for (size_t i = 0; i < n; i++) {
        memcpy(text + at, cells[i]->text, cells[i]->n);
        if (w == 16) {
            int32_t view[4] = {(int32_t)cells[i]->n, 0, 0, (int32_t)at};
            if (cells[i]->n <= 12) memcpy(view + 1, cells[i]->text, cells[i]->n);
            memcpy(offsets + 16 * i, view, 16);
        }
        at += cells[i]->n;
        int64_t end64 = (int64_t)at;
        int32_t end = (int32_t)at;
        if (w < 16) memcpy(offsets + w * (i + 1), w == 8 ? (void *)&end64 : (void *)&end, w);
    }
    out->buffers[1] = offsets;
    out->buffers[2] = text;
    out->n_buffers = 3;
    if (w < 16) return;
    int64_t *sizes = keep(t, sizeof *sizes);
    *sizes = (int64_t)bytes;
    out->buffers[3] = sizes;
    out->n_buffers = 4;
}

static void numbers_put(table *t, const column *c, const cell *const *cells, size_t n,
                        arrow_node *out)
{
    size_t w = (size_t)c->type->width;
    uint8_t *values = keep(t, w ? w * n : (n + 7) / 8);
    for (size_t i = 0; i < n; i++) {
        int64_t v[2] = {cells[i]->v, cells[i]->v < 0 ? -1 : 0};
        if (w)
            memcpy(values + w * i, v, w);
        else
            bit_set(values, i, cells[i]->v);
    }
    out->buffers[1] = values;
    out->n_buffers = 2;
}

static void values_put(table *t, const column *c, const cell *const *cells, size_t n,
                       arrow_node *out)
{
    (c->type->kind == TEXT ? texts_put : numbers_put)(t, c, cells, n, out);
}

/* Rows from..from+n-1 behind `before` others of no meaning, as values or by their numbers. */
static arrow_node *array_random(uint64_t *x, table *t, const column *c, size_t from, size_t n,
                                size_t before)
{
    static const cell other = {.v = 1, .text = "garbage garbage", .n = 15};
    size_t all = before + n;
    const cell **cells = keep(t, all * sizeof *cells);
    arrow_node *out = keep(t, sizeof *out);
    bool any_null = false, said = below(x, 2);
    for (size_t i = 0; i < all; i++) {
        cells[i] = i < before ? &other : &c->at[from + i - before];
        any_null |= cells[i]->null;
    }
    *out = (arrow_node){.format = c->type->format,
                        .name = c->name,
                        .length = (int64_t)n,
                        .offset = (int64_t)before,
                        .null_count = said ? -1 : 0};
    if (c->coded) {
        arrow_node *values = keep(t, sizeof *values);
        *values = (arrow_node){.format = c->type->format, .name = "", .length = (int64_t)all};
        values_put(t, c, cells, all, values);
        uint16_t *index = keep(t, all * sizeof *index);
        for (size_t i = 0; i < all; i++)
            index[i] = (uint16_t)i;
        out->format = "S";
        out->n_buffers = 2;
        out->buffers[1] = index;
        out->dictionary = values;
    } else {
        values_put(t, c, cells, all, out);
    }
    if (any_null || below(x, 3) == 0) {
        uint8_t *valid = keep(t, (all + 7) / 8);
        for (size_t i = 0; i < all; i++) {
            bit_set(valid, i, !cells[i]->null);
            out->null_count += !said && i >= before && cells[i]->null;
        }
        out->buffers[0] = valid;
    }
    return out;
}

static arrow_node *batch_random(uint64_t *x, table *t, size_t from, size_t n)
{
    size_t skipped = below(x, 3) ? 0 : below(x, 5);
    const arrow_node **children = keep(t, t->n_columns * sizeof *children);
    arrow_node *out = keep(t, sizeof *out);
    for (size_t c = 0; c < t->n_columns; c++) {
        arrow_node *child =
            array_random(x, t, &t->columns[c], from, n, skipped + (below(x, 2) ? below(x, 12) : 0));
        child->offset -= (int64_t)skipped; // the rows of the batch skip these, too
        child->length += (int64_t)skipped;
        children[c] = child;
    }
    *out = (arrow_node){.format = "+s",
                        .name = "",
                        .length = (int64_t)n,
                        .offset = (int64_t)skipped,
                        .n_buffers = 1,
                        .n_children = (int64_t)t->n_columns,
                        .children = children};
    return out;
}

static size_t batches_random(uint64_t *x, table *t, const arrow_node *out[BATCHES_MAX])
{
    size_t n = 0, from = 0;
    while (n + 1 < BATCHES_MAX && from < t->n_rows) {
        size_t rows = below(x, t->n_rows - from + 1);
        out[n++] = batch_random(x, t, from, rows);
        from += rows;
    }
    out[n++] = batch_random(x, t, from, t->n_rows - from);
    return n;
}

static void table_free(table *t)
{
    for (size_t i = 0; i < t->n_kept; i++)
        free(t->kept[i]);
    free(t);
}

/* --- as text --- */

/* The field at *p into `out`; what ends it. */
static char field_take(const char **p, char *out, size_t cap)
{
    size_t n = 0;
    const char *s = *p;
    bool quoted = *s == '"';
    s += quoted;
    while (quoted ? !(s[0] == '"' && s[1] != '"') : *s != ',' && *s != '\n') {
        assert_true(*s && n + 1 < cap);
        s += quoted && *s == '"';
        out[n++] = *s++;
    }
    out[n] = '\0';
    s += quoted;
    *p = s + 1;
    return *s;
}

/* YYYY-MM-DD HH:MM:SS and a fraction, in units. */
static int64_t moment_parse(const char *s, int64_t per_second)
{
    struct tm tm = {0};
    int64_t v = 0, unit = per_second;
    assert_int_equal(sscanf(s, "%4d-%2d-%2d %2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                            &tm.tm_hour, &tm.tm_min, &tm.tm_sec),
                     6);
    tm.tm_year -= 1900;
    tm.tm_mon--;
    v = (int64_t)timegm(&tm) * per_second;
    assert_true(s[19] == '\0' || s[19] == '.');
    for (const char *f = s[19] ? s + 20 : ""; *f; f++) {
        unit /= 10;
        v += (*f - '0') * unit;
    }
    return v;
}

static int64_t decimal_parse(const char *s)
{
    int64_t v = 0, decimals = -1;
    bool negative = *s == '-';
    for (s += negative; *s; s++) {
        if (*s == '.') {
            decimals = 0;
            continue;
        }
        v = v * 10 + (*s - '0');
        decimals += decimals >= 0;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 4; decimals++)
        v *= 10;
    return negative ? -v : v;
}

static bool reads_back(const struct type *t, const cell *c, const char *text)
{
    char longer[64];
    double d;
    float f;
    int64_t back;
    if (c->null) return text[0] == '\0';
    switch (t->kind) {
    case INT:
        return strtoll(text, NULL, 10) == c->v;
    case UINT:
        return strtoull(text, NULL, 10) == (uint64_t)c->v;
    case REAL:
        memcpy(&d, &c->v, 8);
        return isnan(d) ? text[0] == '\0' : strtod(text, NULL) == d;
    case REAL4:
        memcpy(&f, &c->v, 4);
        return isnan(f) ? text[0] == '\0' : strtof(text, NULL) == f;
    case DECIMAL:
        return decimal_parse(text) == c->v;
    case BOOL:
        return strcmp(text, c->v ? "true" : "false") == 0;
    case DAY:
        snprintf(longer, sizeof longer, "%.40s 00:00:00", text);
        return moment_parse(longer, 1) == c->v * 86400;
    case MOMENT:
        return moment_parse(text, t->per_second) == c->v;
    case CLOCK:
        snprintf(longer, sizeof longer, "1970-01-01 %.40s", text);
        back = moment_parse(longer, t->per_second);
        return back == c->v;
    case TEXT:
        return strlen(text) == c->n && memcmp(text, c->text, c->n) == 0;
    }
    return false;
}

static table *table_random(uint64_t *x)
{
    table *t = calloc(1, sizeof *t);
    t->n_columns = 1 + below(x, COLUMNS_MAX);
    t->n_rows = below(x, ROWS_MAX + 1);
    for (size_t c = 0; c < t->n_columns; c++) {
        column *to = &t->columns[c];
        to->type = &types[below(x, sizeof types / sizeof *types)];
        to->coded = below(x, 4) == 0;
        snprintf(to->name, sizeof to->name, "%s%u", below(x, 4) ? "c" : "with, \"x\"\n",
                 (unsigned)c);
        for (size_t i = 0; i < t->n_rows; i++)
            cell_random(x, to->type, &to->at[i]);
    }
    return t;
}

static void values_read_back(void **state)
{
    arrow_place *p = *state;
    for (uint64_t seed = 0; seed < seeds(ROUNDS); seed++) {
        uint64_t x = seed;
        table *t = table_random(&x);
        const arrow_node *batches[BATCHES_MAX];
        arrow_feed feed = {.batches = batches, .n_batches = batches_random(&x, t, batches)};
        char *text, field[128];
        if (feed_text(p, &feed, 1 + below(&x, 300), &text) != LETHE_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, p->said);
        if (feed.made != feed.released)
            fail_msg("seed %llu: not released", (unsigned long long)seed);
        const char *at = text;
        for (size_t i = 0; i <= t->n_rows; i++)
            for (size_t c = 0; c < t->n_columns; c++) {
                char end = field_take(&at, field, sizeof field);
                const column *of = &t->columns[c];
                bool good = i == 0 ? strcmp(field, of->name) == 0
                                   : reads_back(of->type, &of->at[i - 1], field);
                if (!good || end != (c + 1 < t->n_columns ? ',' : '\n'))
                    fail_msg("seed %llu: row %u, column %u of type %s: '%s'",
                             (unsigned long long)seed, (unsigned)i, (unsigned)c, of->type->format,
                             field);
            }
        assert_int_equal(*at, '\0');
        free(text);
        table_free(t);
    }
}

/* --- a log --- */

static void cell_print(FILE *f, const cell *c)
{
    fputc('"', f);
    for (size_t i = 0; i < c->n; i++) {
        if (c->text[i] == '"') fputc('"', f);
        fputc(c->text[i], f);
    }
    fputc('"', f);
}

/* Users by number, a few queries, times; the same into a file. */
static table *log_random(uint64_t *x, const char *path)
{
    static const struct type user = {"i", INT, 4, 0}, query = {"u", TEXT, 4, 0},
                             view = {"vu", TEXT, 16, 0}, moment = {"tss:", MOMENT, 8, 1};
    table *t = calloc(1, sizeof *t);
    FILE *f = fopen(path, "w");
    t->n_columns = 3;
    t->n_rows = 20 + below(x, ROWS_MAX - 20);
    t->columns[0] = (column){.type = &user, .name = "user", .coded = below(x, 2)};
    t->columns[1] =
        (column){.type = below(x, 2) ? &query : &view, .name = "query", .coded = below(x, 2)};
    t->columns[2] = (column){.type = &moment, .name = "time"};
    fputs("user,query,time\n", f);
    for (size_t i = 0; i < t->n_rows; i++) {
        cell *u = &t->columns[0].at[i], *q = &t->columns[1].at[i], *m = &t->columns[2].at[i];
        u->v = (int64_t)below(x, 9);
        q->n = (size_t)snprintf(q->text, sizeof q->text, "%s %s%u",
                                below(x, 2) ? "words, \"quoted\"" : "others",
                                below(x, 2) ? "a" : "b", (unsigned)below(x, 2));
        m->v = 1141214400 + (int64_t)below(x, 5000000);
        char time[32];
        time_t v = (time_t)m->v;
        strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", gmtime(&v));
        fprintf(f, "%d,", (int)u->v);
        cell_print(f, q);
        fprintf(f, ",%s\n", time);
    }
    assert_int_equal(fclose(f), 0);
    return t;
}

static char *file_read(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = f ? calloc(1, 1 << 16) : NULL;
    if (text) assert_true(fread(text, 1, (1 << 16) - 1, f) < (1 << 16) - 1);
    if (f) fclose(f);
    return text;
}

static lethe_err release(arrow_place *p, arrow_feed *feed, const char *folder)
{
    char request[512];
    struct ArrowArrayStream in = {0}, *const ins[] = {&in};
    if (feed) in = feed_stream(feed);
    snprintf(request, sizeof request,
             "{\"command\": \"release\", \"inputs\": [%s], \"steps\": [{\"method\": \"threshold\", "
             "\"options\": {\"t\": 2}}], \"publish\": {\"seed\": 1, \"force\": true}, "
             "\"output\": {\"path\": \"%s\"}}",
             feed ? "{\"stream\": 0}" : "{\"path\": \"log.csv\"}", folder);
    return lethe_call(p->ctx, request, ins, feed != NULL, NULL, 0, NULL);
}

static void logs_are_alike(void **state)
{
    arrow_place *p = *state;
    char dir[] = "/tmp/lethe-test-XXXXXX", line[64];
    unsigned n_published = 0;
    assert_true(mkdtemp(dir) && chdir(dir) == 0);
    for (uint64_t seed = 0; seed < seeds(LOGS); seed++) {
        uint64_t x = seed;
        table *t = log_random(&x, "log.csv");
        const arrow_node *batches[BATCHES_MAX];
        arrow_feed feed = {.batches = batches, .n_batches = batches_random(&x, t, batches)};
        lethe_err a = release(p, NULL, "a"), b = release(p, &feed, "b");
        assert_int_equal(a, b);
        if (a == LETHE_OK) {
            char *of_file = file_read("a/data.tsv"), *of_stream = file_read("b/data.tsv");
            if (strcmp(of_file, of_stream) != 0) fail_msg("seed %llu", (unsigned long long)seed);
            free(of_file);
            free(of_stream);
            n_published++;
        }
        assert_int_equal(feed.made, feed.released);
        table_free(t);
    }
    assert_true(n_published > 5);
    snprintf(line, sizeof line, "rm -rf '%s'", dir);
    assert_int_equal(chdir("/") || system(line), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_read_back, arrow_set_up, arrow_tear_down),
        cmocka_unit_test_setup_teardown(logs_are_alike, arrow_set_up, arrow_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
