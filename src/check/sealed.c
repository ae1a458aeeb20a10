/* SPDX-License-Identifier: Apache-2.0 */
/* sealed.c - is this a sealed log as the claim has it?
 *
 * Decided from the published lines alone; nothing is opened.  The reader sees to the form of every
 * line and to their order.  Beyond that the first two lines must say what the claim says, no column
 * may be finer than the release says, and the rows of one QueryID must agree:
 *
 *   box    all have the same one: boxes that differ would tell rows apart, by their length above
 *          all, that the QueryID says are one query's.
 *   share  those with the same index show the same bytes.
 *   user   a user shows one share, or one person could open alone what t persons should.
 *
 * What these bytes cannot show: that a box is locked under the key that the shares are of.  A box
 * of the right size with the query in the clear has the form of a sealed one.
 *
 * What is wrong is said of the first of these: the first line; the lowest line that is too fine;
 * and of the lowest QueryID with a fault the first row that does not agree with the rows before it,
 * in order of user, index, share, box and line. */
#include "check/check.h"
#include "check/claim.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/log/sealed.h"

enum {
    ID = LETHE_SEALED_ID_CHARS,
    SHARE = LETHE_SEALED_SHARE_BYTES,
    INDICES = 256, /* by their number, from 1 */
    AT_USER = ID + 1,
    TAIL = 8 + 8, /* line, rows */
};

/* A record of the sorter: QueryID NUL user NUL index(1) share(32) box line(8) rows(8), for as many
 * rows in a row as say the same. */
struct record {
    lethe_str id, user, box;
    uint32_t index;
    const uint8_t *share;
    uint64_t line, rows;
};

/* The rows of a QueryID that do not agree, as far as one worker has seen the lowest. */
struct finding {
    const char *reason; /* NULL: none found */
    char id[ID];
    uint32_t index; /* 0: not the matter */
    lethe_buf user; /* empty: not the matter */
    uint64_t line, other_line;
};

struct worker {
    /* reading: what the last rows said, and how many said it */
    lethe_buf run, next;
    uint64_t run_line, run_rows;
    lethe_finer finer; /* of its lowest line that is too fine */
    uint64_t finer_line;
    /* the group at hand */
    uint8_t shares[INDICES][SHARE];
    uint64_t share_lines[INDICES];
    uint64_t share_groups[INDICES]; /* the last that had the index, by its number */
    uint64_t box_line, user_line;   /* of its first row, and of the first of the user at hand */
    uint32_t n_indices;
    uint64_t n_rows;
    bool disagrees;
    /* all groups */
    struct finding least;
    uint64_t rows, queries, openable, recoverable_rows; /* queries: also the group's number */
    char apart[64];                                     /* workers do not share a cache line */
};

struct inspection {
    lethe_published *p;
    lethe_sealed_form claim, form; /* what must be, and what the file says */
    lethe_sorter *sorter;
    unsigned n_workers;
    struct worker *workers;
};

static lethe_diag *diag_of(const struct inspection *c) { return lethe_ctx_diag(c->p->ctx); }

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, lethe_sealed_form *out)
{
    static const lethe_claim_field fields[] = {
        {"t", LETHE_CLAIM_U32, .offset = offsetof(lethe_sealed_form, t)},
        {"n", LETHE_CLAIM_U32, .offset = offsetof(lethe_sealed_form, n)},
        {"scheme", LETHE_CLAIM_CHOICE, .choices = lethe_scheme_names,
         .n_choices = LETHE_COUNT(lethe_scheme_names),
         .offset = offsetof(lethe_sealed_form, scheme)},
        {"clicks", LETHE_CLAIM_BOOL, .offset = offsetof(lethe_sealed_form, clicks)},
    };
    LETHE_TRY(lethe_claim_read(d, claim, "sealed", fields, LETHE_COUNT(fields), out));
    const char *fault = lethe_sealed_form_fault(out);
    return fault ? lethe_fail(d, LETHE_EINPUT, "malformed claim: %s", fault) : LETHE_OK;
}

static bool same_form(const lethe_sealed_form *a, const lethe_sealed_form *b)
{
    return a->t == b->t && a->n == b->n && a->scheme == b->scheme && a->clicks == b->clicks;
}

/* --- reading --- */

static lethe_err run_put(struct inspection *c, unsigned w)
{
    struct worker *me = &c->workers[w];
    if (me->run_rows == 0) return LETHE_OK;
    lethe_be64_put(me->run.at + me->run.n, me->run_line);
    lethe_be64_put(me->run.at + me->run.n + 8, me->run_rows);
    me->run_rows = 0;
    return lethe_sorter_put(c->sorter, w, me->run.at, me->run.n + TAIL);
}

/* Lines are sorted, so that all rows of a user and QueryID that say the same follow each other, and
 * the first of them begins a run whichever worker reads it. */
static lethe_err row_put(struct inspection *c, unsigned w, const lethe_sealed_row *row)
{
    struct worker *me = &c->workers[w];
    /* All of a record but its tail, for which there is room. */
    me->next.n = 0;
    LETHE_TRY(
        lethe_buf_reserve(&me->next, AT_USER + row->user.n + 2 + SHARE + row->box_bytes + TAIL));
    uint8_t *p = me->next.at;
    memcpy(p, row->id.at, ID);
    p[ID] = 0;
    memcpy(p + AT_USER, row->user.at, row->user.n);
    p += AT_USER + row->user.n;
    p[0] = 0;
    p[1] = (uint8_t)row->index;
    lethe_sealed_share(row, p + 2);
    lethe_sealed_box(row, p + 2 + SHARE);
    me->next.n = (size_t)(p + 2 + SHARE + row->box_bytes - me->next.at);
    bool again = me->run_rows > 0 && me->next.n == me->run.n &&
                 memcmp(me->next.at, me->run.at, me->run.n) == 0;
    if (!again) {
        LETHE_TRY(run_put(c, w));
        lethe_buf spare = me->run;
        me->run = me->next;
        me->next = spare;
        me->run_line = row->line;
    }
    me->run_rows++;
    return LETHE_OK;
}

/* A worker's blocks come in rising order: the first line that is too fine is its lowest. */
static lethe_err on_row(void *arg, unsigned w, const lethe_sealed_row *row)
{
    struct inspection *c = arg;
    struct worker *me = &c->workers[w];
    if (!same_form(&c->form, &c->claim)) return LETHE_OK; // there is nothing left to find
    if (c->p->form && me->finer == LETHE_FINER_NONE) {
        me->finer = lethe_log_form_finer(c->p->form, row->user, row->time_text, row->url,
                                         row->rank_text.n > 0);
        me->finer_line = row->line;
    }
    return row_put(c, w, row);
}

/* --- groups --- */

static struct record record_of(lethe_str s)
{
    const uint8_t *tail = (const uint8_t *)s.at + s.n - TAIL;
    const char *user = s.at + AT_USER, *end = memchr(user, 0, s.n - AT_USER);
    assert(end); // we packed it
    const uint8_t *share = (const uint8_t *)end + 2;
    return (struct record){
        .id = {s.at, ID},
        .user = {user, (size_t)(end - user)},
        .box = {(const char *)share + SHARE, (size_t)(tail - share) - SHARE},
        .index = (uint8_t)end[1],
        .share = share,
        .line = lethe_be64_get(tail),
        .rows = lethe_be64_get(tail + 8),
    };
}

static lethe_err note(struct finding *f, const struct record *r, const char *reason, uint32_t index,
                      lethe_str user, uint64_t other_line)
{
    if (f->reason && memcmp(r->id.at, f->id, ID) >= 0) return LETHE_OK;
    f->user.n = 0;
    LETHE_TRY(lethe_buf_str(&f->user, user));
    memcpy(f->id, r->id.at, ID);
    f->reason = reason;
    f->index = index;
    f->line = r->line;
    f->other_line = other_line;
    return LETHE_OK;
}

static bool index_seen(const struct worker *me, const struct record *r)
{
    return me->share_groups[r->index] == me->queries;
}

/* Does the row agree with those of the group before it?  Only the first that does not is noted.
 * All before it have agreed, and users stand together, so that the row before tells.  The lines
 * that are named begin a run for any number of workers. */
static lethe_err agree(struct worker *me, const struct record *r, const struct record *before)
{
    static const lethe_str nobody = {"", 0};
    bool other_box = !lethe_str_eq(r->box, before->box);
    bool other_share = index_seen(me, r) && memcmp(me->shares[r->index], r->share, SHARE) != 0;
    bool second = r->index != before->index && lethe_str_eq(r->user, before->user);
    me->disagrees = other_box || other_share || second;
    if (other_box)
        return note(&me->least, r, "boxes of one QueryID differ", 0, nobody, me->box_line);
    if (other_share)
        return note(&me->least, r, "shares with the same index of one QueryID differ", r->index,
                    nobody, me->share_lines[r->index]);
    if (second)
        return note(&me->least, r, "a user shows two shares of one QueryID", 0, r->user,
                    me->user_line);
    return LETHE_OK;
}

/* `before`: NULL for the first of a group. */
static lethe_err group_take(struct worker *me, const struct record *r, const struct record *before)
{
    if (!before) {
        me->queries++;
        me->n_indices = 0;
        me->n_rows = 0;
        me->disagrees = false;
        me->box_line = r->line;
    } else if (!me->disagrees) {
        LETHE_TRY(agree(me, r, before));
    }
    if (!before || !lethe_str_eq(r->user, before->user)) me->user_line = r->line;
    if (!index_seen(me, r)) {
        me->share_groups[r->index] = me->queries;
        me->share_lines[r->index] = r->line;
        memcpy(me->shares[r->index], r->share, SHARE);
        me->n_indices++;
    }
    me->n_rows += r->rows;
    return LETHE_OK;
}

static void group_end(struct worker *me, uint32_t t)
{
    bool opens = me->n_indices >= t;
    me->openable += opens;
    me->rows += me->n_rows;
    me->recoverable_rows += opens ? me->n_rows : 0;
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    struct worker *me = &c->workers[w];
    struct record before = {0};
    lethe_str s;
    bool any = false;
    (void)i;
    while (lethe_sorted_next(it, &s)) {
        struct record r = record_of(s);
        bool same = any && lethe_str_eq(r.id, before.id);
        if (lethe_ctx_cancelled(c->p->ctx)) return LETHE_ECANCEL;
        if (any && !same) group_end(me, c->claim.t);
        if (group_take(me, &r, same ? &before : NULL) != LETHE_OK)
            return lethe_no_memory(diag_of(c));
        before = r;
        any = true;
    }
    if (any) group_end(me, c->claim.t);
    return lethe_sorted_err(it);
}

static lethe_err look_at_all(struct inspection *c)
{
    lethe_ctx *ctx = c->p->ctx;
    lethe_sealed_counts counts = {0};
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 2, &c->sorter));
    lethe_ctx_phase(ctx, "reading back", 0);
    LETHE_TRY(lethe_sealed_published(ctx, c->p->dirfd, "data.tsv",
                                     &(lethe_sealed_walk){.row = on_row, .arg = c}, &c->form,
                                     &counts));
    for (unsigned w = 0; w < c->n_workers; w++)
        LETHE_TRY(run_put(c, w));
    lethe_ctx_phase(ctx, "checking", lethe_sorter_count(c->sorter));
    return lethe_sorter_each(c->sorter, part, c);
}

/* --- the verdict --- */

static lethe_json *why_form(const struct inspection *c, lethe_json_doc *doc)
{
    const lethe_sealed_form *is = &c->form, *claim = &c->claim;
    lethe_json *o = lethe_json_object(doc);
    bool head = is->t == claim->t && is->n == claim->n && is->scheme == claim->scheme;
    lethe_set_text(doc, o, "reason",
                   !head        ? "the first line has another t, n or scheme"
                   : is->clicks ? "there are columns of clicks"
                                : "there are no columns of clicks");
    lethe_set_count(doc, o, "line", head ? 2 : 1);
    lethe_json *f = lethe_json_object(doc);
    lethe_set_count(doc, f, "t", is->t);
    lethe_set_count(doc, f, "n", is->n);
    lethe_set_text(doc, f, "scheme", lethe_scheme_names[is->scheme]);
    lethe_json_set(doc, f, "clicks", lethe_json_new_bool(doc, is->clicks));
    lethe_json_set(doc, o, "published", f);
    return o;
}

/* NULL: no line is too fine. */
static lethe_json *why_finer(const struct inspection *c, lethe_json_doc *doc)
{
    const struct worker *first = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct worker *me = &c->workers[w];
        if (me->finer == LETHE_FINER_NONE) continue;
        if (!first || me->finer_line < first->finer_line) first = me;
    }
    if (!first) return NULL;
    lethe_json *o = lethe_json_object(doc); // what the column holds was meant to be hidden
    lethe_set_text(doc, o, "reason", lethe_finer_causes[first->finer]);
    lethe_set_count(doc, o, "line", first->finer_line);
    return o;
}

/* NULL: the rows of every QueryID agree. */
static lethe_json *why_group(const struct inspection *c, lethe_json_doc *doc)
{
    const struct finding *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct finding *f = &c->workers[w].least;
        if (f->reason && (!least || memcmp(f->id, least->id, ID) < 0)) least = f;
    }
    if (!least) return NULL;
    lethe_str user = {(const char *)least->user.at, least->user.n};
    lethe_json *o = lethe_json_object(doc);
    lethe_set_text(doc, o, "reason", least->reason);
    lethe_json_set(doc, o, "query_id", lethe_json_new_text(doc, (lethe_str){least->id, ID}));
    if (least->index > 0) lethe_set_count(doc, o, "index", least->index);
    if (user.n > 0) lethe_json_set(doc, o, "user", lethe_json_new_text(doc, user));
    lethe_set_count(doc, o, "line", least->line);
    lethe_set_count(doc, o, "other_line", least->other_line);
    return o;
}

static lethe_err answer(const struct inspection *c, lethe_json_doc *doc, bool *holds,
                        lethe_json **why)
{
    lethe_json *o = NULL;
    if (!same_form(&c->form, &c->claim)) {
        o = why_form(c, doc);
    } else {
        o = why_finer(c, doc);
        if (!o) o = why_group(c, doc);
        if (c->p->figures) {
            uint64_t rows = 0, queries = 0, openable = 0, recoverable = 0;
            lethe_json *figures = c->p->figures;
            for (unsigned w = 0; w < c->n_workers; w++) {
                const struct worker *me = &c->workers[w];
                rows += me->rows;
                queries += me->queries;
                openable += me->openable;
                recoverable += me->recoverable_rows;
            }
            assert(rows > 0); // the reader refuses a file without any
            lethe_set_count(doc, figures, "rows", rows);
            lethe_set_count(doc, figures, "queries", queries);
            lethe_set_count(doc, figures, "openable", openable);
            lethe_set_real(doc, figures, "recoverable", (double)recoverable / (double)rows);
        }
    }
    if (lethe_json_failed(doc)) return lethe_no_memory(diag_of(c));
    if (o) *why = o;
    *holds = !o;
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.p = p, .n_workers = lethe_ctx_threads(p->ctx)};
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c.claim));
    c.workers = lethe_alloc_zero(c.n_workers, sizeof *c.workers);
    if (!c.workers) return lethe_no_memory(diag_of(&c));
    lethe_err err = look_at_all(&c);
    if (err == LETHE_OK) err = answer(&c, doc, holds, why);
    lethe_sorter_free(c.sorter);
    for (unsigned w = 0; w < c.n_workers; w++) {
        lethe_buf_free(&c.workers[w].run);
        lethe_buf_free(&c.workers[w].next);
        lethe_buf_free(&c.workers[w].least.user);
    }
    lethe_free(c.workers);
    return err;
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "t", 1) ? "sealed with t = 1 promises nothing: one share "
                                                "opens a query, and every row has one."
                                              : NULL;
}

const lethe_notion lethe_notion_sealed = {
    .name = "sealed",
    .holds = "every line has the form of a sealed log with this t, n and scheme, and has columns "
             "of clicks only if the claim says so; rows of one QueryID have one box, and those "
             "with the same index one share; a user shows one share of a QueryID; no column is "
             "finer than the release says",
    .shapes = LETHE_SHAPE_SEALED,
    .check = check,
    .nothing = nothing,
};
