/* SPDX-License-Identifier: Apache-2.0 */
/* user_k_anonymity.c - is every published user's list of queries that of at least k - 1 others?
 *
 * Decided from the published rows alone.  A user's rows come together in the sorter, in an order
 * that does not depend on the user, and what they say (all columns but the user) goes into one
 * digest; users with the same digest then come together, and are counted.  Memory holds neither the
 * rows nor the users.  The digest is BLAKE2b-256: nobody can find two lists that share one. */
#include "check/check.h"
#include "check/claim.h"
#include "core/mem.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include <sodium.h>

#define DIGEST_BYTES 32
#define DIGEST_CHARS ((size_t)2 * DIGEST_BYTES)
#define ROW_BYTES 12 /* of a record: time and rank */

/* The least user in order of bytes with too few equals, as far as one worker has seen. */
struct finding {
    bool found;
    uint64_t users;
    lethe_buf user;
    lethe_buf record; /* the one being put together */
    char apart[64];   /* workers do not share a cache line */
};

struct inspection {
    lethe_ctx *ctx;
    uint64_t k;
    lethe_sorter *rows;  /* user NUL query NUL time(8) rank(4) url */
    lethe_sorter *lists; /* digest in hex NUL user */
    unsigned n_workers;
    struct finding *findings;
};

static const lethe_claim_field claim_fields[] = {{"k", LETHE_CLAIM_U64, .min = 1}};

/* --- rows, user by user --- */

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct inspection *c = arg;
    lethe_buf *b = &c->findings[w].record;
    uint8_t numbers[ROW_BYTES];
    lethe_be64_put(numbers, (uint64_t)row->time);
    lethe_be32_put(numbers + 8, row->rank);
    b->n = 0;
    if (lethe_buf_str(b, row->user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, row->query) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, numbers, sizeof numbers) != LETHE_OK ||
        lethe_buf_str(b, row->url) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->rows, w, b->at, b->n);
}

static lethe_str key_of(lethe_str record)
{
    return (lethe_str){record.at,
                       (size_t)((const char *)memchr(record.at, 0, record.n) - record.at)};
}

/* A user's list so far. */
struct list {
    lethe_str user; /* of the record before */
    crypto_generichash_state state;
};

static lethe_err end_list(struct inspection *c, unsigned w, struct list *l)
{
    uint8_t digest[DIGEST_BYTES];
    char hex[DIGEST_CHARS + 1]; /* its NUL ends the key */
    lethe_buf *b = &c->findings[w].record;
    crypto_generichash_final(&l->state, digest, sizeof digest);
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    b->n = 0;
    if (lethe_buf_put(b, hex, sizeof hex) != LETHE_OK || lethe_buf_str(b, l->user) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->lists, w, b->at, b->n);
}

static lethe_err part_of_rows(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    struct list l;
    lethe_str record;
    bool any = false;
    (void)i;
    for (; lethe_sorted_next(it, &record); any = true) {
        lethe_str user = key_of(record);
        bool same = any && lethe_str_eq(user, l.user);
        if (any && !same) LETHE_TRY(end_list(c, w, &l));
        if (!same) {
            crypto_generichash_init(&l.state, NULL, 0, DIGEST_BYTES);
        }
        /* With its length first: where a row ends is part of what is compared. */
        uint8_t n[8];
        size_t skip = user.n + 1;
        lethe_be64_put(n, record.n - skip);
        crypto_generichash_update(&l.state, n, sizeof n);
        crypto_generichash_update(&l.state, (const uint8_t *)record.at + skip, record.n - skip);
        l.user = user;
    }
    LETHE_TRY(lethe_sorted_err(it)); /* half a list must not pass for a whole one */
    return any ? end_list(c, w, &l) : LETHE_OK;
}

/* --- lists, digest by digest --- */

/* The users of the list that `record` is the first of stand in order of bytes; the first one is
 * kept in the worker's buffer, for the record itself does not last. */
static lethe_err count_users(struct inspection *c, unsigned w, lethe_sorted *it, lethe_str *record,
                             bool *more)
{
    lethe_buf *first = &c->findings[w].record;
    uint64_t users = 0;
    first->n = 0;
    if (lethe_buf_str(first, *record) != LETHE_OK) return lethe_no_memory(c->ctx);
    do {
        users++;
        *more = lethe_sorted_next(it, record);
    } while (*more && memcmp(record->at, first->at, DIGEST_CHARS) == 0);
    LETHE_TRY(lethe_sorted_err(it)); /* nor half of a list's users for all of them */
    lethe_str user = {(const char *)first->at + DIGEST_CHARS + 1, first->n - DIGEST_CHARS - 1};
    struct finding *f = &c->findings[w];
    lethe_str least = {(const char *)f->user.at, f->user.n};
    if (users >= c->k || (f->found && lethe_str_cmp(user, least) >= 0)) return LETHE_OK;
    f->user.n = 0;
    if (lethe_buf_str(&f->user, user) != LETHE_OK) return lethe_no_memory(c->ctx);
    f->found = true;
    f->users = users;
    return LETHE_OK;
}

static lethe_err part_of_lists(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    lethe_str record;
    (void)i;
    for (bool more = lethe_sorted_next(it, &record); more;)
        LETHE_TRY(count_users(c, w, it, &record, &more));
    return lethe_sorted_err(it);
}

static lethe_err count_all(struct inspection *c, lethe_log *log)
{
    uint64_t bytes = lethe_ctx_memory(c->ctx) / 4;
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, bytes, &c->rows));
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, bytes, &c->lists));
    lethe_ctx_phase(c->ctx, "reading back", 0);
    LETHE_TRY(lethe_log_walk(c->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c}));
    lethe_ctx_phase(c->ctx, "checking", lethe_sorter_count(c->rows));
    LETHE_TRY(lethe_sorter_each(c->rows, part_of_rows, c));
    return lethe_sorter_each(c->lists, part_of_lists, c);
}

/* --- the verdict --- */

static lethe_err answer(struct inspection *c, lethe_json_doc *doc, bool *holds, lethe_json **why)
{
    const struct finding *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct finding *f = &c->findings[w];
        if (!f->found) continue;
        if (!least || lethe_str_cmp((lethe_str){(const char *)f->user.at, f->user.n},
                                    (lethe_str){(const char *)least->user.at, least->user.n}) < 0)
            least = f;
    }
    if (least) {
        lethe_json *o = lethe_json_object(doc);
        lethe_str user = {(const char *)least->user.at, least->user.n};
        lethe_json_set(doc, o, "user", lethe_json_new_text(doc, user));
        lethe_set_count(doc, o, "equal", least->users);
        lethe_set_count(doc, o, "needed", c->k);
        if (lethe_json_failed(doc)) return lethe_no_memory(c->ctx);
        *why = o;
    }
    *holds = !least;
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx, .n_workers = lethe_ctx_threads(p->ctx)};
    lethe_log *log = NULL;
    LETHE_TRY(
        lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "user-k-anonymity", claim_fields, 1, &c.k));
    c.findings = lethe_alloc_zero(c.n_workers, sizeof *c.findings);
    if (!c.findings) return lethe_no_memory(p->ctx);
    lethe_err err = lethe_log_published(p->ctx, p->dirfd, "data.tsv", &log);
    if (err == LETHE_OK) lethe_log_expect(log, p->form);
    if (err == LETHE_OK) err = count_all(&c, log);
    if (err == LETHE_OK) err = answer(&c, doc, holds, why);
    lethe_log_free(log);
    lethe_sorter_free(c.rows);
    lethe_sorter_free(c.lists);
    for (unsigned w = 0; w < c.n_workers; w++) {
        lethe_buf_free(&c.findings[w].user);
        lethe_buf_free(&c.findings[w].record);
    }
    lethe_free(c.findings);
    return err;
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "k", 1) ? "user-k-anonymity with k = 1 promises nothing: "
                                                "each user may be the only one with these rows."
                                              : NULL;
}

const lethe_notion lethe_notion_user_k_anonymity = {
    .name = "user-k-anonymity",
    .holds = "apart from the name, the published rows of every user equal those of at least "
             "k - 1 other users",
    .shapes = LETHE_SHAPE_LOG,
    .check = check,
    .nothing = nothing,
    .joins = true, // a user's rows and those of the k - 1 others are the same, whoever is added
};
