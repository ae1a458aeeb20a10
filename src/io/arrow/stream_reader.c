/* SPDX-License-Identifier: Apache-2.0 */
/* Rows into text, one after the other.  A row is made in a buffer of its own, and handed out from
 * there: as often as its weight says, and in pieces where the reader has less room. */
#include "core/mem.h"
#include "io/arrow/streams_internal.h"
#include "io/read/fields.h"
#include <stdio.h>

/* Whoever writes a larger sum has mistaken a column for the weight. */
#define WEIGHT_MAX ((uint64_t)1 << 40)

struct lethe_stream_reader {
    lethe_streams *all;
    lethe_stream *s;
    lethe_err failed;
    bool begun; /* the header has been made */
    const struct ArrowArray *batch;
    size_t i_batch;              /* of the next batch */
    int64_t i;                   /* of the next row of this one */
    uint64_t row, line, n_lines; /* of the next row, from 1; lines of each row so far */
    uint64_t n_rows;             /* with weights */
    lethe_buf text;              /* of the row at hand */
    lethe_buf first;             /* of a record: ID, tab and first item */
    size_t at;                   /* what has been handed out of it */
    uint64_t again;              /* how often it follows once more */
};

/* --- opening --- */

lethe_err lethe_stream_open(lethe_streams *all, size_t i, lethe_stream_reader **out)
{
    lethe_stream *s = &all->at[i];
    assert(i < all->n);
    if (lethe_stream_type(all, s) != LETHE_OK) return lethe_stream_say(all, s);
    lethe_stream_reader *r = lethe_alloc(1, sizeof *r);
    if (!r) return lethe_no_memory(all->ctx);
    *r = (lethe_stream_reader){.all = all, .s = s, .row = 1, .line = 1, .n_lines = 1};
    *out = r;
    return LETHE_OK;
}

void lethe_stream_close(lethe_stream_reader *r)
{
    if (!r) return;
    lethe_buf_free(&r->text);
    lethe_buf_free(&r->first);
    lethe_free(r);
}

/* --- what is wrong with a value --- */

static lethe_err value_fault(const lethe_stream_reader *r, size_t column, const char *cause)
{
    char shown[80];
    const lethe_stream *s = r->s;
    lethe_show(shown, sizeof shown, s->columns[column].name);
    // as the readers of the text say it: the line, and the column of the text
    uint32_t field = column == s->weight ? 0 : (uint32_t)(column + 1 - (column > s->weight));
    return lethe_fail_at(r->all->ctx, LETHE_EINPUT, s->name, r->line, field, "column '%s': %s",
                         shown, cause);
}

/* --- a row as CSV --- */

static bool is_blank(lethe_str s) { return lethe_str_trim(s).n == 0; }

/* A line with one blank field is a blank line, which readers skip. */
static lethe_err field_put(lethe_stream_reader *r, lethe_str field)
{
    if (r->s->n_fields > 1 || !is_blank(field)) return lethe_csv_put(&r->text, field, ',');
    LETHE_TRY(lethe_buf_str(&r->text, LETHE_LIT("\"")));
    LETHE_TRY(lethe_buf_str(&r->text, field));
    return lethe_buf_str(&r->text, LETHE_LIT("\""));
}

static lethe_err header_put(lethe_stream_reader *r)
{
    const lethe_stream *s = r->s;
    for (size_t c = 0, n = 0; c < s->n_columns; c++) {
        if (c == s->weight) continue;
        if (n++ > 0) LETHE_TRY(lethe_buf_str(&r->text, LETHE_LIT(",")));
        LETHE_TRY(field_put(r, s->columns[c].name));
    }
    return lethe_buf_str(&r->text, LETHE_LIT("\n"));
}

/* A row that is null as a whole has no values. */
static bool row_is_null(const lethe_stream_reader *r)
{
    const void *valid = r->batch->buffers[0];
    int64_t i = r->batch->offset + r->i;
    return valid && !(((const uint8_t *)valid)[i >> 3] >> (i & 7) & 1);
}

static const char *value_text(const lethe_stream_reader *r, size_t column, char *scratch,
                              lethe_str *out)
{
    *out = (lethe_str){"", 0};
    if (row_is_null(r)) return NULL;
    return lethe_arrow_text(r->s->columns[column].type, r->batch->children[column],
                            r->batch->offset + r->i, scratch, out);
}

/* LETHE_ENOMEM without a message. */
static lethe_err row_put(lethe_stream_reader *r)
{
    const lethe_stream *s = r->s;
    char scratch[LETHE_ARROW_SCRATCH];
    lethe_str text;
    for (size_t c = 0, n = 0; c < s->n_columns; c++) {
        if (c == s->weight) continue;
        const char *fault = value_text(r, c, scratch, &text);
        if (fault) return value_fault(r, c, fault);
        if (n++ > 0) LETHE_TRY(lethe_buf_str(&r->text, LETHE_LIT(",")));
        LETHE_TRY(field_put(r, text));
    }
    return lethe_buf_str(&r->text, LETHE_LIT("\n"));
}

/* --- a row as a record --- */

static lethe_err id_put(lethe_stream_reader *r)
{
    const lethe_stream *s = r->s;
    char scratch[LETHE_ARROW_SCRATCH];
    lethe_str text;
    for (size_t c = 0; c < s->n_columns; c++) {
        if (c == s->weight || c == s->list) continue;
        const char *fault = value_text(r, c, scratch, &text);
        if (!fault && memchr(text.at, '\t', text.n)) fault = "a tab in an ID";
        if (fault) return value_fault(r, c, fault);
        LETHE_TRY(lethe_buf_str(&r->first, text));
        LETHE_TRY(lethe_buf_str(&r->first, LETHE_LIT("\t")));
    }
    return LETHE_OK;
}

static lethe_err item_text(const lethe_stream_reader *r, int64_t k, char *scratch, lethe_str *out)
{
    const lethe_arrow_type *list = r->s->columns[r->s->list].type;
    const struct ArrowArray *items = r->batch->children[r->s->list]->children[0];
    const char *fault = lethe_arrow_text(list->values, items, k, scratch, out);
    if (!fault && memchr(out->at, '\t', out->n)) fault = "a tab in an item";
    return fault ? value_fault(r, r->s->list, fault) : LETHE_OK;
}

/* The items of the list at hand; none where it is null. */
static lethe_err items_find(const lethe_stream_reader *r, int64_t *from, int64_t *n)
{
    const lethe_arrow_type *list = r->s->columns[r->s->list].type;
    const struct ArrowArray *a = r->batch->children[r->s->list];
    int64_t i = r->batch->offset + r->i;
    *from = *n = 0;
    if (row_is_null(r) || lethe_arrow_is_null(list, a, i)) return LETHE_OK;
    const char *fault = lethe_arrow_items(list, a, i, from, n);
    return fault ? value_fault(r, r->s->list, fault) : LETHE_OK;
}

static lethe_err record_put(lethe_stream_reader *r)
{
    char scratch[LETHE_ARROW_SCRATCH];
    lethe_str text;
    int64_t from, n;
    r->first.n = 0;
    LETHE_TRY(id_put(r));
    LETHE_TRY(items_find(r, &from, &n));
    if (n > 0) {
        LETHE_TRY(item_text(r, from, scratch, &text));
        LETHE_TRY(lethe_buf_str(&r->first, text));
    }
    LETHE_TRY(lethe_csv_put(&r->text, (lethe_str){(char *)r->first.at, r->first.n}, ','));
    for (int64_t k = 1; k < n; k++) {
        LETHE_TRY(item_text(r, from + k, scratch, &text));
        LETHE_TRY(lethe_buf_str(&r->text, LETHE_LIT(",")));
        LETHE_TRY(lethe_csv_put(&r->text, text, ','));
    }
    return lethe_buf_str(&r->text, LETHE_LIT("\n"));
}

/* --- row after row --- */

static lethe_err weight_read(lethe_stream_reader *r, uint64_t *weight)
{
    const lethe_stream *s = r->s;
    int64_t v = 1;
    *weight = 1;
    if (s->weight != LETHE_STREAM_NO_COLUMN) {
        const lethe_arrow_type *t = s->columns[s->weight].type;
        const struct ArrowArray *a = r->batch->children[s->weight];
        int64_t i = r->batch->offset + r->i;
        if (row_is_null(r) || lethe_arrow_is_null(t, a, i) || !lethe_arrow_int(t, a, i, &v) ||
            v < 1)
            return value_fault(r, s->weight, "a weight is a whole number from 1");
        *weight = (uint64_t)v;
        if (*weight > WEIGHT_MAX || r->n_rows + *weight > WEIGHT_MAX)
            return value_fault(r, s->weight, "the weights make more than 2^40 rows");
    }
    r->n_rows += *weight;
    return LETHE_OK;
}

/* Where the row is, for messages about its lines. */
static void place_put(lethe_stream_reader *r, uint64_t weight)
{
    uint64_t lines = lethe_count_lines((lethe_str){(char *)r->text.at, r->text.n}) * weight;
    if (lines != r->n_lines)
        lethe_stream_places_put(&r->s->places, (lethe_stream_run){r->line, r->row, lines});
    r->n_lines = lines;
    r->line += lines;
    r->row++;
}

static lethe_err batch_take(lethe_stream_reader *r)
{
    r->batch = NULL;
    lethe_err e = lethe_stream_batch(r->all, r->s, r->i_batch, &r->batch);
    if (e != LETHE_OK) return lethe_stream_say(r->all, r->s);
    if (r->batch) r->i_batch++;
    r->i = 0;
    return LETHE_OK;
}

/* The text of the next row; nothing at the end. */
static lethe_err row_next(lethe_stream_reader *r)
{
    uint64_t weight;
    bool is_set = r->s->list != LETHE_STREAM_NO_COLUMN;
    r->at = r->text.n = 0;
    if (!r->begun && !is_set) {
        r->begun = true;
        LETHE_TRY(header_put(r));
        r->line += lethe_count_lines((lethe_str){(char *)r->text.at, r->text.n});
        lethe_stream_places_header(&r->s->places, r->line - 1);
        return LETHE_OK;
    }
    while (!r->batch || r->i >= r->batch->length) {
        LETHE_TRY(batch_take(r));
        if (!r->batch) return LETHE_OK;
    }
    LETHE_TRY(weight_read(r, &weight));
    LETHE_TRY(is_set ? record_put(r) : row_put(r));
    r->i++;
    r->again = weight - 1;
    place_put(r, weight);
    return LETHE_OK;
}

static lethe_err read_some(lethe_stream_reader *r, uint8_t *buf, size_t cap, size_t *n)
{
    if (lethe_ctx_cancelled(r->all->ctx)) return LETHE_ECANCEL;
    while (*n < cap) {
        if (r->at == r->text.n && r->again > 0) {
            r->again--;
            r->at = 0;
        } else if (r->at == r->text.n) {
            lethe_err e = row_next(r);
            if (e == LETHE_ENOMEM) return lethe_no_memory(r->all->ctx);
            LETHE_TRY(e);
            if (r->text.n == 0) return LETHE_OK;
        }
        size_t piece = LETHE_MIN(cap - *n, r->text.n - r->at);
        memcpy(buf + *n, r->text.at + r->at, piece);
        r->at += piece;
        *n += piece;
    }
    return LETHE_OK;
}

lethe_err lethe_stream_read(lethe_stream_reader *r, void *buf, size_t cap, size_t *n)
{
    assert(cap > 0);
    *n = 0;
    if (r->failed == LETHE_OK) r->failed = read_some(r, buf, cap, n);
    if (r->failed != LETHE_OK) *n = 0;
    return r->failed;
}
