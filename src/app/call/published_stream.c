/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the data file of a release line by line, and hands it out in batches.  The release has been
 * checked: what is looked at here is only what could not be put into columns. */
#include "app/call/published_stream.h"
#include "core/mem.h"
#include "core/parse.h"
#include "io/arrow/builder.h"
#include "io/read/fields.h"
#include "io/read/stored.h"
#include "io/syserr.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum {
    ROWS_MAX = 65536,
    BATCH_BYTES = 64 << 20,
    READ_BYTES = 256 << 10,
    LINE_MAX_BYTES = 65 << 20, // a record has at most 64 MiB
    COLUMNS_MAX = 1 << 16
};

typedef enum data_shape { DATA_LOG, DATA_TABLE, DATA_RECORDS, DATA_COUNTS } data_shape;

static const struct {
    const char *name;
    data_shape shape;
} files[] = {{"data.tsv", DATA_LOG},
             {"data.csv", DATA_TABLE},
             {"data.txt", DATA_RECORDS},
             {"counts.tsv", DATA_COUNTS}};

typedef struct published_stream {
    lethe_stored *data;
    uint64_t offset; /* bytes of it read so far */
    data_shape shape;
    const char *file;
    lethe_buf bytes; /* read, and from `at` on not yet used */
    size_t at;
    bool file_end;
    uint64_t number; /* of the line at hand, from 1 */
    int failed;      /* for good: what get_next returns */
    char why[256];
    /* columns: */
    size_t n;
    lethe_built_column *columns;
    lethe_str *names, *fields;
    bool *may_lack; /* nothing is null there */
    lethe_buf header, scratch;
} published_stream;

static void stream_free(published_stream *s)
{
    if (!s) return;
    for (size_t i = 0; s->columns && i < s->n; i++)
        lethe_built_free(&s->columns[i]);
    lethe_buf_free(&s->bytes);
    lethe_buf_free(&s->header);
    lethe_buf_free(&s->scratch);
    lethe_stored_close(s->data);
    lethe_free_all(s->columns, s->names, s->fields, s->may_lack, s);
}

LETHE_PRINTF(3, 4)
static int stream_fail(published_stream *s, int errnum, const char *fmt, ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    snprintf(s->why, sizeof s->why, "%s: %s", s->file, text);
    s->failed = errnum;
    return errnum;
}

static int no_memory(published_stream *s) { return stream_fail(s, ENOMEM, "out of memory"); }

static int line_fault(published_stream *s, const char *cause)
{
    return stream_fail(s, EINVAL, "line %llu: %s", (unsigned long long)s->number, cause);
}

/* --- lines --- */

static int bytes_read(published_stream *s)
{
    size_t left = s->bytes.n - s->at;
    if (left > LINE_MAX_BYTES) return line_fault(s, "too long");
    if (s->bytes.at && left > 0) memmove(s->bytes.at, s->bytes.at + s->at, left);
    s->bytes.n = left;
    s->at = 0;
    if (lethe_buf_reserve(&s->bytes, READ_BYTES) != LETHE_OK) return no_memory(s);
    ssize_t got = lethe_stored_pread(s->data, s->bytes.at + left, READ_BYTES, s->offset);
    if (got < 0) {
        int errnum = errno;
        char system[96];
        return stream_fail(s, errnum, "cannot read it: %s",
                           strerror_r(errnum, system, sizeof system));
    }
    s->bytes.n += (size_t)got;
    s->offset += (size_t)got;
    s->file_end = got == 0;
    return 0;
}

/* The next line without its end; *more = false: there is none. */
static int line_next(published_stream *s, lethe_str *line, bool *more)
{
    size_t seen = 0; // of the line, without an end
    for (;;) {
        const char *from = s->bytes.at ? (const char *)s->bytes.at + s->at : "";
        size_t left = s->bytes.n - s->at;
        const char *lf = left > seen ? memchr(from + seen, '\n', left - seen) : NULL;
        if (lf) {
            *line = (lethe_str){from, (size_t)(lf - from)};
            s->at += line->n + 1;
            s->number++;
            *more = true;
            return 0;
        }
        if (s->file_end) {
            *more = false;
            s->number++;
            return left > 0 ? line_fault(s, "its end is missing") : 0;
        }
        seen = left;
        int errnum = bytes_read(s);
        if (errnum) return errnum;
    }
}

/* --- fields --- */

/* Fields of a line, and how many there are, which may be more than there is room for. */
static lethe_err fields_split(published_stream *s, lethe_str line, lethe_str *fields, size_t max,
                              size_t *n)
{
    uint32_t count = 1, used;
    lethe_csv_fault fault = LETHE_CSV_OK;
    bool more = true;
    lethe_str whole;
    *n = 0;
    if (s->shape == DATA_TABLE && line.n > 0) {
        lethe_csv csv = lethe_csv_begin(line, ',');
        LETHE_TRY(lethe_csv_next(&csv, &s->scratch, fields, (uint32_t)max, &count, &whole, &used,
                                 &fault, &more));
        *n = fault == LETHE_CSV_OK && csv.p == csv.end ? count : 0;
        return LETHE_OK;
    }
    for (lethe_str rest = line;; (*n)++) {
        const char *tab = rest.n ? memchr(rest.at, '\t', rest.n) : NULL;
        size_t length = tab ? (size_t)(tab - rest.at) : rest.n;
        if (*n < max) fields[*n] = (lethe_str){rest.at, length};
        if (!tab) break;
        rest = (lethe_str){tab + 1, rest.n - length - 1};
    }
    ++*n;
    return LETHE_OK;
}

static int value_put(published_stream *s, size_t i, lethe_str field)
{
    lethe_built_column *c = &s->columns[i];
    int64_t number;
    lethe_err e;
    if (field.n == 0 && s->may_lack[i]) {
        e = lethe_built_null(c);
    } else if (c->kind == LETHE_BUILT_INT) {
        if (!lethe_parse_i64(field, &number)) return line_fault(s, "a number is malformed");
        e = lethe_built_int(c, number);
    } else {
        e = lethe_built_text(c, field);
    }
    return e == LETHE_OK ? 0 : no_memory(s);
}

static int row_put(published_stream *s, lethe_str line)
{
    size_t n;
    if (fields_split(s, line, s->fields, s->n, &n) != LETHE_OK) return no_memory(s);
    if (n != s->n) return line_fault(s, "its fields are not those of the header");
    for (size_t i = 0; i < n; i++) {
        int errnum = value_put(s, i, s->fields[i]);
        if (errnum) return errnum;
    }
    return 0;
}

/* Items with a space between them; none in an empty line. */
static int record_put(published_stream *s, lethe_str line)
{
    lethe_err e = LETHE_OK;
    while (line.n > 0 && e == LETHE_OK) {
        const char *space = memchr(line.at, ' ', line.n);
        size_t n = space ? (size_t)(space - line.at) : line.n;
        if (n == 0 || n + 1 == line.n) return line_fault(s, "an item is empty");
        e = lethe_built_item(&s->columns[0], (lethe_str){line.at, n});
        n += space != NULL;
        line = (lethe_str){line.at + n, line.n - n};
    }
    if (e == LETHE_OK) e = lethe_built_list(&s->columns[0]);
    return e == LETHE_OK ? 0 : no_memory(s);
}

/* --- columns --- */

static lethe_err columns_new(published_stream *s, size_t n)
{
    s->columns = lethe_alloc_zero(n, sizeof *s->columns);
    s->names = lethe_alloc(n, sizeof *s->names);
    s->fields = lethe_alloc(n, sizeof *s->fields);
    s->may_lack = lethe_alloc_zero(n, sizeof *s->may_lack);
    s->n = n;
    return s->columns && s->names && s->fields && s->may_lack ? LETHE_OK : LETHE_ENOMEM;
}

/* By its name in the header of a log, sealed or not. */
static void log_column_set(published_stream *s, size_t i, bool sealed)
{
    static const char *const lacking[] = {"QueryTime", "ItemRank", "ClickURL"};
    enum { LOG_COLUMNS = 5 }; // what is kept besides stands behind them
    s->may_lack[i] = !sealed && i >= LOG_COLUMNS;
    for (size_t k = 0; k < LETHE_COUNT(lacking); k++)
        s->may_lack[i] |= lethe_str_eq(s->names[i], lethe_str_of(lacking[k]));
    if (!sealed && lethe_str_eq(s->names[i], LETHE_LIT("ItemRank")))
        s->columns[i].kind = LETHE_BUILT_INT;
}

/* The names of the header, of which a copy is kept. */
static int names_read(published_stream *s, lethe_str line, bool sealed)
{
    lethe_str first;
    size_t n, least = s->shape == DATA_TABLE ? 1 : 2;
    if (fields_split(s, line, &first, 1, &n) != LETHE_OK) return no_memory(s);
    if (n < least || n > COLUMNS_MAX) return line_fault(s, "this is no header");
    if (columns_new(s, n) != LETHE_OK || fields_split(s, line, s->names, n, &n) != LETHE_OK)
        return no_memory(s);
    size_t bytes = 0; // views are made of offsets once the copy does not move any more
    for (size_t i = 0; i < n; i++) {
        if (lethe_buf_str(&s->header, s->names[i]) != LETHE_OK) return no_memory(s);
        if (memchr(s->names[i].at, '\0', s->names[i].n)) return line_fault(s, "a NUL in a name");
    }
    for (size_t i = 0; i < n; i++) {
        s->names[i].at = s->header.at ? (const char *)s->header.at + bytes : "";
        bytes += s->names[i].n;
        if (s->shape == DATA_LOG) log_column_set(s, i, sealed);
    }
    return 0;
}

static int header_read(published_stream *s)
{
    static const lethe_str sealed = {"#lethe-sealed ", 14};
    lethe_str line = {"", 0};
    bool more = true, is_sealed = false;
    if (s->shape == DATA_RECORDS) {
        if (columns_new(s, 1) != LETHE_OK) return no_memory(s);
        s->columns[0].kind = LETHE_BUILT_LIST;
        s->names[0] = LETHE_LIT("items");
        return 0;
    }
    int errnum = line_next(s, &line, &more);
    if (!errnum && s->shape == DATA_LOG && line.n > sealed.n &&
        memcmp(line.at, sealed.at, sealed.n) == 0) {
        is_sealed = true;
        errnum = line_next(s, &line, &more);
    }
    if (!errnum && !more) errnum = line_fault(s, "the header is missing");
    if (!errnum) errnum = names_read(s, line, is_sealed);
    if (errnum || s->shape != DATA_COUNTS) return errnum;
    if (s->n != 2) return line_fault(s, "this is no header");
    s->columns[1].kind = LETHE_BUILT_INT;
    s->names[0] = LETHE_LIT("item");
    s->names[1] = LETHE_LIT("count");
    return 0;
}

/* --- the stream --- */

static int batch_fill(published_stream *s, int64_t *n_rows)
{
    lethe_str line = {"", 0};
    bool more = true;
    size_t bytes = 0;
    for (*n_rows = 0; *n_rows < ROWS_MAX && bytes < BATCH_BYTES; ++*n_rows) {
        int errnum = line_next(s, &line, &more);
        if (errnum || !more) return errnum;
        bytes += line.n + sizeof(int32_t) * s->n;
        errnum = s->shape == DATA_RECORDS ? record_put(s, line) : row_put(s, line);
        if (errnum) return errnum;
    }
    return 0;
}

static int stream_next(struct ArrowArrayStream *in, struct ArrowArray *out)
{
    published_stream *s = in->private_data;
    int64_t n_rows = 0;
    *out = (struct ArrowArray){0};
    if (s->failed) return s->failed;
    int errnum = batch_fill(s, &n_rows);
    if (errnum) return errnum;
    if (n_rows == 0) return 0; // the end
    return lethe_built_batch(s->columns, s->n, n_rows, out) == LETHE_OK ? 0 : no_memory(s);
}

static int stream_schema(struct ArrowArrayStream *in, struct ArrowSchema *out)
{
    published_stream *s = in->private_data;
    if (lethe_built_schema(s->columns, s->names, s->n, out) == LETHE_OK) return 0;
    snprintf(s->why, sizeof s->why, "out of memory");
    return ENOMEM;
}

static const char *stream_error(struct ArrowArrayStream *in)
{
    published_stream *s = in->private_data;
    return s->why[0] ? s->why : NULL;
}

static void stream_release(struct ArrowArrayStream *in)
{
    stream_free(in->private_data);
    in->release = NULL;
}

/* --- opening --- */

static lethe_err data_open(lethe_ctx *ctx, const char *folder, published_stream *s)
{
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return lethe_fail_sys(ctx, "open", folder, errno);
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < LETHE_COUNT(files) && e == LETHE_OK && !s->data; i++) {
        bool is = false;
        e = lethe_stored_is(lethe_ctx_diag(ctx), dir, files[i].name, &is);
        if (e == LETHE_OK && is)
            e = lethe_stored_open(lethe_ctx_diag(ctx), dir, files[i].name, &s->data);
        s->shape = files[i].shape;
        s->file = files[i].name;
    }
    close(dir);
    if (e == LETHE_OK && !s->data)
        e = lethe_fail(ctx, LETHE_EIO, "'%s' has no data of a release", folder);
    return e;
}

static lethe_err header_result(lethe_ctx *ctx, const published_stream *s, int errnum)
{
    if (errnum == 0) return LETHE_OK;
    if (errnum == ENOMEM) return lethe_no_memory(ctx);
    return lethe_fail(ctx, errnum == EINVAL ? LETHE_EINPUT : LETHE_EIO, "%s", s->why);
}

lethe_err lethe_published_stream(lethe_ctx *ctx, const char *folder, struct ArrowArrayStream *out)
{
    published_stream *s = lethe_alloc(1, sizeof *s);
    if (!s) return lethe_no_memory(ctx);
    *s = (published_stream){.data = NULL};
    lethe_err e = data_open(ctx, folder, s);
    if (e == LETHE_OK) e = header_result(ctx, s, header_read(s));
    if (e != LETHE_OK) {
        stream_free(s);
        return e;
    }
    *out = (struct ArrowArrayStream){.get_schema = stream_schema,
                                     .get_next = stream_next,
                                     .get_last_error = stream_error,
                                     .release = stream_release,
                                     .private_data = s};
    return LETHE_OK;
}
