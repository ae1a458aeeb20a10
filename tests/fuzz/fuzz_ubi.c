/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as User Behavior Insights.  Every row keeps log.h's promises, rows come by their
 * origin, every line is accounted for.  Where nothing was rejected, documents may stand anywhere,
 * with one exception: of several query documents with one id the first counts, and its time is that
 * of the query (docs/formats.md).  So
 *
 *   - the same lines from the last to the first give the same rows, except for their times;
 *   - the lines followed by themselves from the last to the first give the same rows, times
 *     included: a query and what it clicked count once.
 *
 * Of an answer to a search, the lines say nothing: there the same hits are found in pieces of any
 * size.
 *
 * The first byte chooses the options, the rest is the log. */
#include "log_rows.h"
#include "model/log/log_internal.h"
#include "text/normalize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

typedef struct checking {
    lethe_buf normal;
    char **rows;     /* without their origins, sorted */
    char **timeless; /* the same without their times, sorted */
    size_t n_rows, cap;
    bool has_last;
    uint64_t last; /* origin */
    lethe_read_counts counts;
} checking;

static void check_text(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        expect(s.at[i] != '\0' && s.at[i] != '\t' && s.at[i] != '\r' && s.at[i] != '\n');
    expect(lethe_utf8_valid(s));
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    checking *c = arg;
    lethe_str again;
    bool invalid;
    lethe_row without = *row;
    text t = {0}, timeless = {0};
    (void)w;
    expect(!c->has_last || row->origin > c->last);
    c->has_last = true;
    c->last = row->origin;
    expect(row->user.n > 0 && row->query.n > 0 && lethe_str_eq(row->user, row->owner));
    expect(row->time != LETHE_NO_TIME && (row->url.n > 0 || row->rank == LETHE_NO_RANK));
    check_text(row->user);
    check_text(row->query);
    check_text(lethe_is_object(row->url) ? lethe_object_id(row->url) : row->url);
    expect(lethe_normalize(row->query, &c->normal, &again, &invalid) == LETHE_OK);
    expect(lethe_str_eq(again, row->query));
    row_text(&t, row);
    without.time = LETHE_NO_TIME;
    row_text(&timeless, &without);
    if (c->n_rows == c->cap) {
        c->cap = c->cap * 2 + 16;
        c->rows = realloc(c->rows, c->cap * sizeof *c->rows);
        c->timeless = realloc(c->timeless, c->cap * sizeof *c->timeless);
        expect(c->rows != NULL && c->timeless != NULL);
    }
    c->rows[c->n_rows] = t.at;
    c->timeless[c->n_rows++] = timeless.at;
    return LETHE_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static lethe_err read_all(lethe_ctx *ctx, lethe_str bytes, const lethe_read_options *reading,
                          checking *c)
{
    lethe_log *log = NULL;
    expect(lethe_log_memory(ctx, bytes, reading, &log) == LETHE_OK);
    lethe_err e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c});
    c->counts = *lethe_log_counts(log);
    lethe_log_free(log);
    const lethe_read_counts *k = &c->counts;
    expect(e == LETHE_OK || e == LETHE_EINPUT);
    expect(k->lines == k->rows + k->empty + k->rejected);
    expect(e != LETHE_OK || c->n_rows + k->filtered == k->rows);
    expect(e != LETHE_OK || (k->lines > 0 && k->rejected <= k->lines / 10));
    expect(e != LETHE_OK || k->rejected == 0 || !reading->strict);
    if (c->n_rows > 0) {
        qsort(c->rows, c->n_rows, sizeof *c->rows, by_text);
        qsort(c->timeless, c->n_rows, sizeof *c->timeless, by_text);
    }
    return e;
}

static void checking_free(checking *c)
{
    for (size_t i = 0; i < c->n_rows; i++) {
        free(c->rows[i]);
        free(c->timeless[i]);
    }
    free(c->rows);
    free(c->timeless);
    lethe_buf_free(&c->normal);
}

static text reversed(lethe_str s)
{
    text t = {0};
    text_put(&t, "", 0);
    size_t end = s.n > 0 && s.at[s.n - 1] == '\n' ? s.n - 1 : s.n;
    for (;;) {
        size_t begin = end;
        while (begin > 0 && s.at[begin - 1] != '\n')
            begin--;
        text_put(&t, s.at + begin, end - begin);
        text_put(&t, "\n", 1);
        if (begin == 0) return t;
        end = begin - 1;
    }
}

/* An action that comes to be the last line is rejected, and that may be too many. */
static void check_reversed(lethe_ctx *ctx, lethe_str bytes, const lethe_read_options *reading,
                           const checking *c)
{
    checking again = {0};
    text t = reversed(bytes);
    if (read_all(ctx, (lethe_str){t.at, t.n}, reading, &again) == LETHE_OK) {
        expect(again.counts.rejected <= 1);
        expect(again.counts.rows == c->counts.rows && again.counts.empty == c->counts.empty);
        expect(again.n_rows == c->n_rows);
        for (size_t i = 0; i < c->n_rows; i++)
            expect(strcmp(again.timeless[i], c->timeless[i]) == 0);
    } else {
        expect(again.counts.rejected == 1);
    }
    checking_free(&again);
    free(t.at);
}

static void check_first_counts(lethe_ctx *ctx, lethe_str bytes, const lethe_read_options *reading,
                               const checking *c)
{
    checking again = {0};
    text t = {0}, back = reversed(bytes);
    text_put(&t, bytes.at, bytes.n);
    if (bytes.n > 0 && bytes.at[bytes.n - 1] != '\n') text_put(&t, "\n", 1);
    text_put(&t, back.at, back.n);
    if (read_all(ctx, (lethe_str){t.at, t.n}, reading, &again) == LETHE_OK) {
        expect(again.n_rows == c->n_rows);
        for (size_t i = 0; i < c->n_rows; i++)
            expect(strcmp(again.rows[i], c->rows[i]) == 0);
    } else {
        expect(again.counts.rejected == 1);
    }
    checking_free(&again);
    free(t.at);
    free(back.at);
}

/* All hits with their lines, and what ended them. */
static text hits_of(lethe_str bytes, size_t piece)
{
    text t = {0};
    lethe_ubi_hits *h = lethe_ubi_hits_new();
    lethe_ubi_fault fault = {0};
    expect(h != NULL);
    text_put(&t, "", 0);
    for (size_t i = 0; i < bytes.n && !fault.cause; i += piece) {
        lethe_str s = {bytes.at + i, LETHE_MIN(piece, bytes.n - i)};
        while (s.n > 0 && !fault.cause) {
            bool found;
            lethe_ubi_hit hit;
            expect(lethe_ubi_hits_next(h, &s, &hit, &found, &fault) == LETHE_OK);
            if (!found) continue;
            text_add(&t, "%llu:", (unsigned long long)hit.line);
            text_put(&t, hit.text.at, hit.text.n);
        }
    }
    if (!fault.cause) lethe_ubi_hits_end(h, &fault);
    text_add(&t, " %llu %s", (unsigned long long)fault.line, fault.cause ? fault.cause : "");
    lethe_ubi_hits_free(h);
    return t;
}

static void check_pieces(lethe_str bytes)
{
    text whole = hits_of(bytes, bytes.n + 1);
    for (size_t piece = 1; piece <= 7; piece += 3) {
        text t = hits_of(bytes, piece);
        expect(t.n == whole.n && memcmp(t.at, whole.at, t.n) == 0);
        free(t.at);
    }
    free(whole.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const lethe_read_options readings[] = {
        {.format = LETHE_FORMAT_UBI},
        {.format = LETHE_FORMAT_UBI, .strict = true},
        {.format = LETHE_FORMAT_UBI, .has_users_with = true, .users_with_max = 1},
        {.format = LETHE_FORMAT_UBI, .actions = "click,add_to_cart"},
    };
    static lethe_ctx *ctx;
    if (!ctx)
        expect(lethe_ctx_new(&(lethe_settings){.n_threads = 1, .memory_bytes = 1 << 20}, &ctx) ==
               LETHE_OK);
    if (n == 0) return 0;
    checking c = {0};
    const lethe_read_options *reading = &readings[data[0] % LETHE_COUNT(readings)];
    lethe_str bytes = {(const char *)data + 1, n - 1};
    lethe_err e = read_all(ctx, bytes, reading, &c);
    bool marked = bytes.n >= 3 && memcmp(bytes.at, "\xEF\xBB\xBF", 3) == 0, is, answer;
    expect(lethe_ubi_recognise(bytes, &is, &answer) == LETHE_OK);
    check_pieces(bytes);
    if (e == LETHE_OK && c.counts.rejected == 0 && !marked && !answer) {
        check_reversed(ctx, bytes, reading, &c);
        check_first_counts(ctx, bytes, reading, &c);
    }
    checking_free(&c);
    return 0;
}
