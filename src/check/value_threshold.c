/* SPDX-License-Identifier: Apache-2.0 */
/* value_threshold.c - does every published value of the further columns of a log have t users?
 *
 * Decided from the published rows alone: those with a value in a column are brought together, and
 * their distinct users counted.  An empty field is no value.  The columns of the claim are those of
 * the file, all of them and in their order: what is not claimed would go unchecked. */
#include "check/check.h"
#include "check/claim.h"
#include "io/sort/sorter.h"

struct claim {
    lethe_claim_columns columns;
    uint64_t t;
};

/* The least value with too few users: by its column, then in order of bytes. */
struct finding {
    bool found;
    size_t column;
    uint64_t users;
    uint64_t rows, values; /* as far as the worker has seen; values: distinct ones */
    lethe_buf text;
    lethe_buf record; /* being put together */
    char apart[64];   /* workers do not share a cache line */
};

struct inspection {
    lethe_ctx *ctx;
    struct claim claim;
    lethe_sorter *sorter; /* the column's number from 1 in a byte, value, NUL, user */
    unsigned n_workers;
    struct finding *findings;
};

static const lethe_claim_field claim_fields[] = {
    {"columns", LETHE_CLAIM_NAMES, .max = LETHE_KEEP_MAX,
     .offset = offsetof(struct claim, columns)},
    {"t", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, t)},
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct claim *out)
{
    return lethe_claim_read(d, claim, "value-threshold", claim_fields, LETHE_COUNT(claim_fields),
                            out);
}

/* --- counting --- */

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct inspection *c = arg;
    lethe_buf *b = &c->findings[w].record;
    const char *at = row->kept.at, *end = at + row->kept.n;
    c->findings[w].rows++;
    for (size_t i = 0; i < c->claim.columns.n; i++) {
        const uint8_t column = (uint8_t)(i + 1);
        const char *value = at;
        while (at < end && *at != '\t')
            at++;
        size_t n = (size_t)(at - value);
        at += at < end; // the tab
        if (n == 0) continue;
        b->n = 0;
        if (lethe_buf_put(b, &column, 1) != LETHE_OK || lethe_buf_put(b, value, n) != LETHE_OK ||
            lethe_buf_put(b, "", 1) != LETHE_OK || lethe_buf_str(b, row->user) != LETHE_OK)
            return lethe_no_memory(c->ctx);
        LETHE_TRY(lethe_sorter_put(c->sorter, w, b->at, b->n));
    }
    return LETHE_OK;
}

static lethe_str text_of(const struct finding *f)
{
    return (lethe_str){(const char *)f->text.at, f->text.n};
}

/* Does the value come before the one that was found? */
static bool is_less(size_t column, lethe_str value, const struct finding *than)
{
    if (!than->found || column != than->column) return !than->found || column < than->column;
    return lethe_str_cmp(value, text_of(than)) < 0;
}

/* `key` is a column's number and a value. */
static lethe_err value_end(struct inspection *c, unsigned w, lethe_str key, uint64_t users)
{
    struct finding *f = &c->findings[w];
    size_t column = (uint8_t)key.at[0];
    lethe_str value = {key.at + 1, key.n - 1};
    f->values++;
    if (users >= c->claim.t || !is_less(column, value, f)) return LETHE_OK;
    f->text.n = 0;
    if (lethe_buf_str(&f->text, value) != LETHE_OK) return lethe_no_memory(c->ctx);
    f->found = true;
    f->column = column;
    f->users = users;
    return LETHE_OK;
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    lethe_str record, before = {NULL, 0};
    uint64_t users = 0;
    (void)i;
    while (lethe_sorted_next(it, &record)) {
        size_t n = strnlen(record.at, record.n);
        bool same =
            before.at && strnlen(before.at, before.n) == n && memcmp(before.at, record.at, n) == 0;
        if (before.at && !same)
            LETHE_TRY(value_end(c, w, (lethe_str){before.at, strnlen(before.at, before.n)}, users));
        if (!same) users = 0;
        users += !same || !lethe_str_eq(record, before); // equal records: one user's rows
        before = record;
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (!before.at) return LETHE_OK;
    return value_end(c, w, (lethe_str){before.at, strnlen(before.at, before.n)}, users);
}

/* --- the verdict --- */

static lethe_err columns_check(const struct inspection *c, const lethe_log *log)
{
    const lethe_keep *has = lethe_log_keeps(log);
    bool same = has->n == c->claim.columns.n;
    for (size_t i = 0; i < has->n && same; i++)
        same = lethe_str_eq(has->at[i], c->claim.columns.at[i]);
    if (same) return LETHE_OK;
    return lethe_fail(c->ctx, LETHE_EINPUT,
                      "the claim value-threshold is about other columns than data.tsv has");
}

static lethe_err count_all(struct inspection *c, lethe_log *log)
{
    LETHE_TRY(columns_check(c, log));
    LETHE_TRY(
        lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(c->ctx) / 2, &c->sorter));
    lethe_ctx_phase(c->ctx, "reading back", 0);
    LETHE_TRY(lethe_log_walk(c->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c}));
    lethe_ctx_phase(c->ctx, "checking", lethe_sorter_count(c->sorter));
    return lethe_sorter_each(c->sorter, part, c);
}

static lethe_err answer(const struct inspection *c, lethe_json_doc *doc, lethe_log_seen *seen,
                        bool *holds, lethe_json **why)
{
    const struct finding *least = NULL;
    seen->what |= LETHE_SEES_VALUES;
    seen->rows = seen->values = 0;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct finding *f = &c->findings[w];
        seen->rows += f->rows;
        seen->values += f->values;
        if (f->found && (!least || is_less(f->column, text_of(f), least))) least = f;
    }
    *holds = !least;
    if (!least) return LETHE_OK;
    lethe_json *o = lethe_json_object(doc);
    lethe_json_set(doc, o, "column",
                   lethe_json_new_text(doc, c->claim.columns.at[least->column - 1]));
    lethe_json_set(doc, o, "value", lethe_json_new_text(doc, text_of(least)));
    lethe_json_set(doc, o, "users", lethe_json_new_int(doc, (int64_t)least->users));
    lethe_json_set(doc, o, "needed", lethe_json_new_int(doc, (int64_t)c->claim.t));
    if (lethe_json_failed(doc)) return lethe_no_memory(c->ctx);
    *why = o;
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx, .n_workers = lethe_ctx_threads(p->ctx)};
    lethe_log *log = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c.claim));
    c.findings = lethe_alloc_zero(c.n_workers, sizeof *c.findings);
    if (!c.findings) return lethe_no_memory(p->ctx);
    lethe_err err = lethe_log_published(p->ctx, p->dirfd, "data.tsv", &log);
    if (err == LETHE_OK) lethe_log_expect(log, p->form);
    if (err == LETHE_OK) err = count_all(&c, log);
    if (err == LETHE_OK) err = answer(&c, doc, &p->seen, holds, why);
    lethe_log_free(log);
    lethe_sorter_free(c.sorter);
    for (unsigned w = 0; w < c.n_workers; w++) {
        lethe_buf_free(&c.findings[w].text);
        lethe_buf_free(&c.findings[w].record);
    }
    lethe_free(c.findings);
    return err;
}

static uint64_t persons(const lethe_json *claim, lethe_str value)
{
    struct claim c = {.t = 0};
    (void)value;
    return claim_read(NULL, claim, &c) == LETHE_OK ? c.t : UINT64_MAX; // nothing keeps it
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "t", 1)
               ? "value-threshold with t = 1 promises nothing: every value has at least one user."
               : NULL;
}

const lethe_notion lethe_notion_value_threshold = {
    .name = "value-threshold",
    .holds = "every value in a further column of a published log (columns, in their order) is in "
             "rows of at least t distinct users; an empty field is no value",
    .shapes = LETHE_SHAPE_LOG,
    .check = check,
    .persons = persons,
    .of_values = true,
    .nothing = nothing,
};
