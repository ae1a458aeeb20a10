/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and clicks of User Behavior Insights, joined by query id.  Nobody knows in which file and
 * after how many lines a click's query stands, so the documents go through the sorter: grouped by
 * query id, the queries of a group before its clicks, these by what was clicked, and all else in
 * the input's order.
 *
 *   id NUL kind NUL origin broken time user NUL query      a query
 *   id NUL kind url NUL origin broken rank client NUL      a click
 *
 * Several events may be about one object: it is clicked, put into the cart and bought.  That is one
 * click of the query, at the best of its ranks: whoever counts clicks would count it thrice.
 *
 * What of this is rejected is known only then, which is why the files' rejected lines are kept
 * until the end: they are said together, and with --strict-input the lowest of all of them. */
#include "model/log/log_internal.h"
#include "io/sort/sorter.h"

enum { IS_QUERY, IS_CLICK }; /* in this order in a group */
enum { HEAD_BYTES = 8 + 1 + 8 };

static const char no_query[] = "no query document with its query id";
static const char other_query[] = "another query document has its query id";
static const char other_client[] = "client id is not that of its query";

/* A file that has been read. */
typedef struct file {
    char *name;
    uint64_t base; /* origin of its first line */
    lethe_rejects rejects;
} file;

/* What the join leaves out. */
typedef struct ubi_found {
    uint64_t repeated;      /* documents of queries */
    uint64_t clicked_again; /* events that repeat a click */
    uint64_t unasked;       /* events other than clicks that belong to no query */
} ubi_found;

/* One worker, and the group that it is in. */
typedef struct joiner {
    lethe_buf record, id, user, query;
    bool has_id, has_query, clicked, broken;
    uint64_t origin; /* of the query */
    int64_t time;
    bool has_click; /* one that waits for what repeats it: */
    lethe_buf click_url;
    uint64_t click_origin;
    uint32_t click_rank;
    bool click_broken;
    lethe_read_counts counts;
    ubi_found found;
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
        lethe_buf_free(&j->click_url);
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
    uint8_t kind[2] = {0, doc->is_click ? IS_CLICK : IS_QUERY}, head[1 + HEAD_BYTES] = {0};
    lethe_be64_put(head + 1, doc->origin);
    head[9] = (uint8_t)(doc->broken | doc->other << 1);
    lethe_be64_put(head + 10, doc->is_click ? doc->rank : (uint64_t)doc->time);
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, doc->id));
    LETHE_TRY(lethe_buf_put(b, kind, sizeof kind));
    LETHE_TRY(lethe_buf_str(b, doc->url));
    LETHE_TRY(lethe_buf_put(b, head, sizeof head));
    LETHE_TRY(lethe_buf_str(b, doc->user));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    LETHE_TRY(lethe_buf_str(b, doc->query));
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
    lethe_ubi_seen_add(&u->seen, seen);
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
    j->counts.clicks += row->url.n > 0;
    j->counts.ranks += row->rank != LETHE_NO_RANK;
    j->counts.times++;
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

/* No more events are about what was clicked. */
static lethe_err end_click(lethe_ubi *u, joiner *j, unsigned w)
{
    lethe_row row = row_of(j);
    if (!j->has_click) return LETHE_OK;
    row.origin = j->click_origin;
    row.rank = j->click_rank;
    row.url = bytes_of(&j->click_url);
    j->has_click = false;
    return emit(u, j, w, &row, j->click_broken);
}

static lethe_err end_group(lethe_ubi *u, joiner *j, unsigned w)
{
    LETHE_TRY(end_click(u, j, w));
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
        j->found.repeated += same;
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

/* A click of somebody else (on a link that was passed on) is not what the query's user did.  Other
 * events (hovering, buying what was found elsewhere) need not follow a query at all. */
static lethe_err take_click(lethe_ubi *u, joiner *j, unsigned w, const lethe_ubi_document *doc)
{
    lethe_row row = row_of(j);
    row.url = doc->url;
    const char *cause = !j->has_query ? no_query : NULL;
    if (!cause && doc->user.n > 0 && !lethe_str_eq(doc->user, row.user)) cause = other_client;
    j->found.unasked += cause && doc->other;
    if (cause) return doc->other ? LETHE_OK : reject(u, j, doc, cause);
    if (lethe_row_too_long(&row)) return reject(u, j, doc, lethe_cause_long);
    j->clicked = true;
    if (j->has_click && lethe_str_eq(bytes_of(&j->click_url), doc->url)) {
        j->found.clicked_again++;
        j->click_rank = LETHE_MIN(j->click_rank, doc->rank); // none is the greatest
        j->click_broken = j->click_broken || doc->broken;
        return LETHE_OK;
    }
    LETHE_TRY(end_click(u, j, w));
    j->has_click = true;
    j->click_origin = doc->origin;
    j->click_rank = doc->rank;
    j->click_broken = doc->broken;
    return set_bytes(u, &j->click_url, doc->url);
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
        const char *kind = doc.id.at + doc.id.n + 1;
        doc.is_click = *kind == IS_CLICK;
        doc.url = until_nul(kind + 1, end);
        const uint8_t *head = (const uint8_t *)doc.url.at + doc.url.n + 1;
        doc.origin = lethe_be64_get(head);
        doc.broken = head[8] & 1;
        doc.other = head[8] >> 1;
        doc.user = until_nul((const char *)head + HEAD_BYTES, end);
        const char *rest = doc.user.at + doc.user.n + 1;
        doc.query = (lethe_str){rest, (size_t)(end - rest)};
        if (doc.is_click)
            doc.rank = (uint32_t)lethe_be64_get(head + 9);
        else
            doc.time = (int64_t)lethe_be64_get(head + 9);
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
static lethe_err gather(lethe_ubi *u, lethe_read_counts *counts, ubi_found *found)
{
    for (unsigned w = 0; w < u->n_joiners; w++) {
        joiner *j = &u->joiners[w];
        counts->lines += j->counts.lines;
        counts->rows += j->counts.rows;
        counts->empty += j->counts.empty;
        counts->rejected += j->counts.rejected;
        counts->clicks += j->counts.clicks;
        counts->ranks += j->counts.ranks;
        counts->times += j->counts.times;
        counts->invalid_utf8 += j->counts.invalid_utf8;
        found->repeated += j->found.repeated;
        found->clicked_again += j->found.clicked_again;
        found->unasked += j->found.unasked;
        for (size_t i = 0; i < u->n_files; i++)
            LETHE_TRY(lethe_rejects_merge(&u->files[i].rejects, &j->rejects[i]));
    }
    return LETHE_OK;
}

static void note(lethe_diag *d, uint64_t n, const char *one, const char *many)
{
    if (n > 0) lethe_note(d, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void say_ranks(lethe_diag *d, uint64_t unranked, bool some)
{
    if (unranked == 0 || some)
        note(d, unranked, "click whose position is no rank: read without",
             "clicks whose positions are no ranks: read without");
    else
        lethe_warn(d,
                   "no click has a rank: %llu have a position (event_attributes.position.ordinal) "
                   "that is no whole number under 4294967295",
                   (unsigned long long)unranked);
}

static lethe_err say_rejects_and_notes(lethe_ubi *u, const ubi_found *found, bool ranks)
{
    lethe_diag *d = lethe_ctx_diag(u->ctx);
    char left[LETHE_UBI_SHOWN];
    lethe_ubi_actions_show(&u->seen, true, left);
    for (size_t i = 0; i < u->n_files; i++)
        LETHE_TRY(lethe_rejects_say(d, u->files[i].name, &u->files[i].rejects));
    if (u->seen.others > 0)
        lethe_note(d, "%llu %s: left out (%s)", (unsigned long long)u->seen.others,
                   u->seen.others == 1 ? "event that is no click" : "events that are no clicks",
                   left);
    note(d, found->unasked, "event other than a click belongs to no query of its client: left out",
         "events other than clicks belong to no queries of their clients: left out");
    note(d, found->clicked_again, "event that repeats a click of its query: counted once",
         "events that repeat clicks of their queries: each click counted once");
    note(d, found->repeated, "query document that repeats another: counted once",
         "query documents that repeat others: each query counted once");
    say_ranks(d, u->seen.unranked, ranks);
    return LETHE_OK;
}

lethe_err lethe_ubi_join(lethe_ubi *u, const lethe_ubi_actions *actions, bool strict, bool quiet,
                         lethe_read_counts *counts)
{
    ubi_found found = {0};
    for (unsigned w = 0; w < u->n_joiners; w++) {
        u->joiners[w].rejects = lethe_alloc_zero(u->n_files, sizeof(lethe_rejects));
        if (!u->joiners[w].rejects) return lethe_no_memory(u->ctx);
    }
    lethe_ctx_phase(u->ctx, "joining", lethe_sorter_count(u->by_id));
    LETHE_TRY(lethe_sorter_each(u->by_id, part_of_documents, u));
    LETHE_TRY(memory_result(u, gather(u, counts, &found)));
    for (size_t i = 0; strict && i < u->n_files; i++) {
        if (u->files[i].rejects.n == 0) continue;
        lethe_rejects_say_first(lethe_ctx_diag(u->ctx), u->files[i].name, &u->files[i].rejects);
        return LETHE_EINPUT;
    }
    if (!quiet) LETHE_TRY(memory_result(u, say_rejects_and_notes(u, &found, counts->ranks > 0)));
    return lethe_ubi_actions_check(lethe_ctx_diag(u->ctx), actions, &u->seen, quiet);
}

lethe_err lethe_ubi_walk(lethe_ubi *u)
{
    if (!u->by_origin) return LETHE_OK;
    lethe_ctx_phase(u->ctx, "reading", 0);
    return lethe_by_origin_walk(u->by_origin, u->visitor);
}
