/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and clicks of User Behavior Insights, joined by query id.  Nobody knows in which file and
 * after how many lines a click's query stands, so the documents go through the sorter: grouped by
 * query id, the queries of a group before its clicks, both in the input's order.
 *
 *   id NUL kind origin broken time user NUL query        a query
 *   id NUL kind origin broken rank client NUL url        a click
 *
 * What of this is rejected is known only then, which is why the files' rejected lines are kept
 * until the end: they are said together, and with --strict-input the lowest of all of them. */
#include "model/log/log_internal.h"
#include "io/sort/sorter.h"

enum { IS_QUERY, IS_CLICK }; /* in this order in a group */
enum { HEAD_BYTES = 1 + 8 + 1 + 8 };

static const char no_query[] = "no query document with its query id";
static const char other_query[] = "another query document has its query id";
static const char other_client[] = "client id is not that of its query";

/* A file that has been read. */
typedef struct file {
    char *name;
    uint64_t base; /* origin of its first line */
    lethe_rejects rejects;
} file;

/* One worker, and the group that it is in. */
typedef struct joiner {
    lethe_buf record, id, user, query;
    bool has_id, has_query, clicked, broken;
    uint64_t origin; /* of the query */
    int64_t time;
    lethe_read_counts counts;
    uint64_t repeated;
    lethe_rejects *rejects; /* one a file */
    uint8_t apart[64];      /* so that no two workers count in one cache line */
} joiner;

struct lethe_ubi {
    lethe_ctx *ctx;
    lethe_sorter *by_id;
    lethe_by_origin *by_origin; /* NULL: rows go to the visitor at once */
    const lethe_row_visitor *visitor;
    file *files;
    size_t n_files;
    joiner *joiners;
    unsigned n_joiners;
    lethe_ubi_seen seen;
};

/* --- making --- */

lethe_err lethe_ubi_new(lethe_ctx *ctx, const lethe_row_visitor *visitor, bool any_order,
                        lethe_ubi **out)
{
    unsigned n = lethe_ctx_threads(ctx);
    uint64_t share = lethe_ctx_memory(ctx) / 6; // there may be three, and the visitor has needs too
    lethe_ubi *u = lethe_alloc(1, sizeof *u);
    joiner *joiners = lethe_alloc_zero(n, sizeof *joiners);
    if (!u || !joiners) {
        lethe_free_all(u, joiners);
        return lethe_no_memory(ctx);
    }
    *u = (lethe_ubi){.ctx = ctx, .visitor = visitor, .joiners = joiners, .n_joiners = n};
    lethe_err e = lethe_sorter_new(ctx, LETHE_ORDER_GROUP, share, &u->by_id);
    if (e == LETHE_OK && !any_order) e = lethe_by_origin_new(ctx, share, &u->by_origin);
    if (e == LETHE_OK)
        *out = u;
    else
        lethe_ubi_free(u);
    return e;
}

void lethe_ubi_free(lethe_ubi *u)
{
    if (!u) return;
    for (unsigned w = 0; w < u->n_joiners; w++) {
        joiner *j = &u->joiners[w];
        lethe_buf_free(&j->record);
        lethe_buf_free(&j->id);
        lethe_buf_free(&j->user);
        lethe_buf_free(&j->query);
        for (size_t i = 0; j->rejects && i < u->n_files; i++)
            lethe_rejects_free(&j->rejects[i]);
        lethe_free(j->rejects);
    }
    for (size_t i = 0; i < u->n_files; i++) {
        lethe_free(u->files[i].name);
        lethe_rejects_free(&u->files[i].rejects);
    }
    lethe_sorter_free(u->by_id);
    lethe_by_origin_free(u->by_origin);
    lethe_free_all(u->files, u->joiners, u);
}

/* --- taking in --- */

lethe_err lethe_ubi_put(lethe_ubi *u, unsigned w, const lethe_ubi_document *doc)
{
    lethe_buf *b = &u->joiners[w].record;
    uint8_t head[1 + HEAD_BYTES];
    head[0] = 0;
    head[1] = doc->is_click ? IS_CLICK : IS_QUERY;
    lethe_be64_put(head + 2, doc->origin);
    head[10] = doc->broken;
    lethe_be64_put(head + 11, doc->is_click ? doc->rank : (uint64_t)doc->time);
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, doc->id));
    LETHE_TRY(lethe_buf_put(b, head, sizeof head));
    LETHE_TRY(lethe_buf_str(b, doc->user));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    LETHE_TRY(lethe_buf_str(b, doc->is_click ? doc->url : doc->query));
    return lethe_sorter_put(u->by_id, w, b->at, b->n);
}

static lethe_str until_nul(const char *p, const char *end)
{
    const char *nul = memchr(p, 0, (size_t)(end - p));
    assert(nul); // packed by ourselves
    return (lethe_str){p, (size_t)(nul - p)};
}

lethe_err lethe_ubi_file_end(lethe_ubi *u, const char *name, uint64_t base,
                             const lethe_ubi_seen *seen, lethe_rejects *rejects)
{
    size_t n = strlen(name) + 1;
    file *files = lethe_realloc(u->files, u->n_files + 1, sizeof *files);
    if (!files) return lethe_no_memory(u->ctx);
    u->files = files;
    char *copy = lethe_alloc(n, 1);
    if (!copy) return lethe_no_memory(u->ctx);
    memcpy(copy, name, n);
    files[u->n_files++] = (file){.name = copy, .base = base, .rejects = *rejects};
    *rejects = (lethe_rejects){0};
    u->seen.others += seen->others;
    u->seen.unranked += seen->unranked;
    return LETHE_OK;
}

/* --- joining --- */

static lethe_str bytes_of(const lethe_buf *b) { return (lethe_str){(const char *)b->at, b->n}; }

/* The sorters say themselves what they lack. */
static lethe_err memory_result(const lethe_ubi *u, lethe_err e)
{
    return e == LETHE_OK ? e : lethe_no_memory(u->ctx);
}

static lethe_err set_bytes(const lethe_ubi *u, lethe_buf *b, lethe_str s)
{
    b->n = 0;
    return memory_result(u, lethe_buf_str(b, s));
}

/* The line is gone, but the id by which it could not be joined is known. */
static lethe_err reject(lethe_ubi *u, joiner *j, const lethe_ubi_document *doc, const char *cause)
{
    // The last file that begins at that origin or before it: an empty one is none.
    size_t low = 0, high = u->n_files;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (u->files[mid].base <= doc->origin)
            low = mid;
        else
            high = mid;
    }
    uint64_t line = doc->origin - u->files[low].base + 1;
    j->counts.lines++;
    j->counts.rejected++;
    return memory_result(u, lethe_rejects_add(&j->rejects[low], line, 0, cause, doc->id));
}

/* A row of the query at hand. */
static lethe_err emit(lethe_ubi *u, joiner *j, unsigned w, lethe_row *row, bool broken)
{
    j->counts.lines++;
    j->counts.invalid_utf8 += broken || j->broken;
    if (row->query.n == 0) {
        j->counts.empty++;
        return LETHE_OK;
    }
    j->counts.rows++;
    if (!u->by_origin) return u->visitor->row(u->visitor->arg, w, row);
    LETHE_TRY(memory_result(u, lethe_row_pack(row, LETHE_BY_USER, &j->record)));
    return lethe_by_origin_put(u->by_origin, w, row->origin, bytes_of(&j->record));
}

static lethe_row row_of(const joiner *j)
{
    lethe_str user = bytes_of(&j->user);
    return (lethe_row){.origin = j->origin,
                       .owner = user,
                       .user = user,
                       .query = bytes_of(&j->query),
                       .url = {"", 0},
                       .time = j->time,
                       .rank = LETHE_NO_RANK};
}

static lethe_err end_group(lethe_ubi *u, joiner *j, unsigned w)
{
    if (!j->has_query || j->clicked) return LETHE_OK;
    lethe_row row = row_of(j);
    return emit(u, j, w, &row, false);
}

/* The first document of an id is the query; engines write another for each request that the query
 * took (its further pages, say), which must be of the same user and text. */
static lethe_err take_query(lethe_ubi *u, joiner *j, const lethe_ubi_document *doc)
{
    if (j->has_query) {
        bool same = lethe_str_eq(doc->user, bytes_of(&j->user)) &&
                    lethe_str_eq(doc->query, bytes_of(&j->query));
        j->repeated += same;
        return same ? LETHE_OK : reject(u, j, doc, other_query);
    }
    LETHE_TRY(set_bytes(u, &j->user, doc->user));
    LETHE_TRY(set_bytes(u, &j->query, doc->query));
    j->has_query = true;
    j->origin = doc->origin;
    j->time = doc->time;
    j->broken = doc->broken;
    return LETHE_OK;
}

/* A click of somebody else (on a link that was passed on) is not what the query's user did. */
static lethe_err take_click(lethe_ubi *u, joiner *j, unsigned w, const lethe_ubi_document *doc)
{
    if (!j->has_query) return reject(u, j, doc, no_query);
    lethe_row row = row_of(j);
    row.origin = doc->origin;
    row.rank = doc->rank;
    row.url = doc->url;
    if (doc->user.n > 0 && !lethe_str_eq(doc->user, row.user))
        return reject(u, j, doc, other_client);
    if (lethe_row_too_long(&row)) return reject(u, j, doc, lethe_cause_long);
    j->clicked = true;
    return emit(u, j, w, &row, doc->broken);
}

static lethe_err part_of_documents(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)part;
    lethe_ubi *u = arg;
    joiner *j = &u->joiners[w];
    lethe_str record;
    j->has_id = j->has_query = false;
    while (lethe_sorted_next(it, &record)) {
        if (lethe_ctx_cancelled(u->ctx)) return LETHE_ECANCEL;
        const char *end = record.at + record.n;
        lethe_ubi_document doc = {.id = until_nul(record.at, end)};
        const uint8_t *head = (const uint8_t *)doc.id.at + doc.id.n + 1;
        doc.is_click = head[0] == IS_CLICK;
        doc.origin = lethe_be64_get(head + 1);
        doc.broken = head[9];
        doc.user = until_nul((const char *)head + HEAD_BYTES, end);
        const char *rest = doc.user.at + doc.user.n + 1;
        lethe_str text = {rest, (size_t)(end - rest)};
        if (doc.is_click) {
            doc.rank = (uint32_t)lethe_be64_get(head + 10);
            doc.url = text;
        } else {
            doc.time = (int64_t)lethe_be64_get(head + 10);
            doc.query = text;
        }
        if (!j->has_id || !lethe_str_eq(doc.id, bytes_of(&j->id))) {
            LETHE_TRY(end_group(u, j, w));
            LETHE_TRY(set_bytes(u, &j->id, doc.id));
            j->has_id = true;
            j->has_query = j->clicked = false;
        }
        LETHE_TRY(doc.is_click ? take_click(u, j, w, &doc) : take_query(u, j, &doc));
    }
    LETHE_TRY(lethe_sorted_err(it));
    return end_group(u, j, w);
}

/* --- saying it --- */

/* Brings together what the workers found. */
static lethe_err gather(lethe_ubi *u, lethe_read_counts *counts, uint64_t *repeated)
{
    for (unsigned w = 0; w < u->n_joiners; w++) {
        joiner *j = &u->joiners[w];
        counts->lines += j->counts.lines;
        counts->rows += j->counts.rows;
        counts->empty += j->counts.empty;
        counts->rejected += j->counts.rejected;
        counts->invalid_utf8 += j->counts.invalid_utf8;
        *repeated += j->repeated;
        for (size_t i = 0; i < u->n_files; i++)
            LETHE_TRY(lethe_rejects_merge(&u->files[i].rejects, &j->rejects[i]));
    }
    return LETHE_OK;
}

static void note(lethe_diag *d, uint64_t n, const char *one, const char *many)
{
    if (n > 0) lethe_note(d, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static lethe_err say_rejects_and_notes(lethe_ubi *u, uint64_t repeated)
{
    lethe_diag *d = lethe_ctx_diag(u->ctx);
    for (size_t i = 0; i < u->n_files; i++)
        LETHE_TRY(lethe_rejects_say(d, u->files[i].name, &u->files[i].rejects));
    note(d, u->seen.others, "event that is no click: left out",
         "events that are no clicks: left out");
    note(d, repeated, "query document that repeats another: counted once",
         "query documents that repeat others: each query counted once");
    note(d, u->seen.unranked, "click whose position is no rank: read without",
         "clicks whose positions are no ranks: read without");
    return LETHE_OK;
}

lethe_err lethe_ubi_join(lethe_ubi *u, bool strict, bool quiet, lethe_read_counts *counts)
{
    uint64_t repeated = 0;
    for (unsigned w = 0; w < u->n_joiners; w++) {
        u->joiners[w].rejects = lethe_alloc_zero(u->n_files, sizeof(lethe_rejects));
        if (!u->joiners[w].rejects) return lethe_no_memory(u->ctx);
    }
    lethe_ctx_phase(u->ctx, "joining", lethe_sorter_count(u->by_id));
    LETHE_TRY(lethe_sorter_each(u->by_id, part_of_documents, u));
    LETHE_TRY(memory_result(u, gather(u, counts, &repeated)));
    for (size_t i = 0; strict && i < u->n_files; i++) {
        if (u->files[i].rejects.n == 0) continue;
        lethe_rejects_say_first(lethe_ctx_diag(u->ctx), u->files[i].name, &u->files[i].rejects);
        return LETHE_EINPUT;
    }
    return quiet ? LETHE_OK : memory_result(u, say_rejects_and_notes(u, repeated));
}

lethe_err lethe_ubi_walk(lethe_ubi *u)
{
    if (!u->by_origin) return LETHE_OK;
    lethe_ctx_phase(u->ctx, "reading", 0);
    return lethe_by_origin_walk(u->by_origin, u->visitor);
}
