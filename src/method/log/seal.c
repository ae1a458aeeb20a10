/* SPDX-License-Identifier: Apache-2.0 */
/* seal.c - locks every query in a box whose key is shared among those who issued it: t persons with
 * the same query open it together, and what fewer issued stays closed.
 * E. Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5.2; the form of the lines is
 * described in lethe-sealed(5), the cryptography in algo/seal/boxes.h. */
#include "algo/seal/boxes.h"
#include "io/json/json.h"
#include "method/method.h"

/* Additive sharing needs all of its shares, so there are t of them: t buckets, not t - 1 as in the
 * paper, or nothing could ever be opened. */
static lethe_sealed_form form_of(const lethe_values *v)
{
    lethe_sealed_form form = {.t = (uint32_t)lethe_count_of(v, "t"),
                              .n = (uint32_t)lethe_count_of(v, "n"),
                              .scheme = (lethe_scheme)lethe_count_of(v, "scheme"),
                              .clicks = lethe_value_of(v, "keep-clicks")->given};
    if (form.scheme == LETHE_SCHEME_ADDITIVE) form.n = form.t;
    return form;
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    lethe_sealed_form form = form_of(v);
    const lethe_value *n = lethe_value_of(v, "n");
    if (form.scheme == LETHE_SCHEME_ADDITIVE && n->given && n->count != (int64_t)form.t)
        return lethe_fail(d, LETHE_EUSAGE,
                          "-n %lld: additive sharing has exactly as many shares as -t %u",
                          (long long)n->count, form.t);
    if (form.t > form.n)
        return lethe_fail(d, LETHE_EUSAGE, "-t %u is more than the number of shares, -n %u", form.t,
                          form.n);
    return LETHE_OK;
}

static void head(const lethe_values *v, char out[LETHE_HEAD_MAX], bool *clicks)
{
    _Static_assert((int)LETHE_SEALED_HEAD_MAX < (int)LETHE_HEAD_MAX, "room for a final NUL");
    lethe_sealed_form form = form_of(v);
    out[lethe_sealed_head(&form, out)] = '\0';
    *clicks = form.clicks;
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_sealed_form form = form_of(v);
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "sealed");
    lethe_set_count(doc, c, "t", form.t);
    lethe_set_count(doc, c, "n", form.n);
    lethe_set_text(doc, c, "scheme", lethe_scheme_names[form.scheme]);
    lethe_json_set(doc, c, "clicks", lethe_json_new_bool(doc, form.clicks));
    lethe_json_push(doc, out, c);
}

/* --- row by row --- */

typedef struct worker {
    lethe_seal_memory *memory;
    lethe_buf sealed;        /* of queries that are not remembered */
    lethe_buf columns;       /* QueryID, Share, Box */
    uint64_t rows, timeless; /* timeless: without a time */
    char apart[64];          /* no two workers write in one cache line */
} worker;

typedef struct seal {
    lethe_ctx *ctx;
    lethe_sealer *sealer;
    bool clicks, epochs; /* epochs: keys change with time, which rows without one do not have */
    unsigned n_workers;
    worker *workers;
} seal;

static void seal_free(void *state)
{
    seal *s = state;
    for (unsigned w = 0; s->workers && w < s->n_workers; w++) {
        lethe_seal_memory_free(s->workers[w].memory);
        lethe_buf_free(&s->workers[w].sealed);
        lethe_buf_free(&s->workers[w].columns);
    }
    lethe_free(s->workers);
    lethe_sealer_free(s->sealer);
    lethe_free(s);
}

static lethe_err seal_begin(lethe_run *run, void **state)
{
    lethe_sealed_form form = form_of(run->values);
    seal *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return lethe_no_memory(run->ctx);
    *s = (seal){.ctx = run->ctx,
                .clicks = form.clicks,
                .epochs = lethe_value_of(run->values, "epoch")->given && !run->part,
                .n_workers = lethe_ctx_threads(run->ctx)};
    s->workers = lethe_alloc_zero(s->n_workers, sizeof *s->workers);
    lethe_err e = s->workers ? lethe_sealer_new(run->key, &form,
                                                lethe_count_of(run->values, "epoch"), &s->sealer)
                             : LETHE_ENOMEM;
    for (unsigned w = 0; e == LETHE_OK && w < s->n_workers; w++) {
        size_t cap_bytes = (size_t)(run->memory_bytes / 16 / s->n_workers);
        s->workers[w].memory = lethe_seal_memory_new(s->sealer, cap_bytes);
        if (!s->workers[w].memory) e = LETHE_ENOMEM;
    }
    if (e == LETHE_OK) {
        *state = s;
        return LETHE_OK;
    }
    seal_free(s);
    return lethe_no_memory(run->ctx);
}

/* The person is the owner, whatever an earlier step calls the row's user: somebody who counted
 * twice would open as two what only one has asked.  The time is the row's own, with full
 * precision. */
static lethe_err seal_row(void *state, unsigned w, lethe_row *row, const char **dropped)
{
    seal *s = state;
    worker *me = &s->workers[w];
    lethe_seal it;
    (void)dropped; // there is no query that cannot be sealed
    me->rows++;
    me->timeless += row->time == LETHE_NO_TIME;
    lethe_err e = lethe_seal_remembered(s->sealer, me->memory, row->owner, row->query, row->time,
                                        &me->sealed, &it);
    if (e != LETHE_OK)
        return e == LETHE_ENOMEM ? lethe_no_memory(s->ctx)
                                 : lethe_fail(s->ctx, e, "a query cannot be sealed");
    const lethe_str columns[] = {it.id, it.share, it.box};
    me->columns.n = 0;
    for (size_t i = 0; i < LETHE_COUNT(columns); i++) {
        if (i > 0) LETHE_TRY(lethe_buf_put(&me->columns, "\t", 1));
        LETHE_TRY(lethe_buf_str(&me->columns, columns[i]));
    }
    row->query = (lethe_str){(const char *)me->columns.at, me->columns.n};
    if (s->clicks) return LETHE_OK;
    row->url = (lethe_str){"", 0};
    row->rank = LETHE_NO_RANK;
    return LETHE_OK;
}

/* The check counts everything on the written bytes.  What has no time is in an epoch of its own,
 * whose key never changes: where that is all, --epoch would do nothing. */
static lethe_err seal_end(void *state, lethe_result *out)
{
    const seal *s = state;
    uint64_t rows = 0, timeless = 0;
    (void)out;
    for (unsigned w = 0; w < s->n_workers; w++) {
        rows += s->workers[w].rows;
        timeless += s->workers[w].timeless;
    }
    if (!s->epochs || timeless == 0) return LETHE_OK;
    if (timeless == rows)
        return lethe_fail(s->ctx, LETHE_EINPUT, "no row has a time: --epoch needs times");
    lethe_warn(s->ctx, "%llu of %llu rows have no time: their keys do not change with --epoch",
               (unsigned long long)timeless, (unsigned long long)rows);
    return LETHE_OK;
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    if (!lethe_value_of(v, "keep-clicks")->given) return 0;
    out[0] = "--keep-clicks: ranks and clicked URLs stand beside the sealed queries, and often "
             "reveal what was asked.";
    return 1;
}

/* --- the descriptor --- */

// clang-format off
static const lethe_option options[] = {
    {.name = "t", .letter = 't', .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "3", .min = 2,
     .max = 255,
     .help = "number of shares that open a query; at least this many persons have then issued it"},
    {.name = "n", .letter = 'n', .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "10", .min = 2,
     .max = 255,
     .help = "number of shares of a query's key; with fewer shares, more persons hold the same "
             "one (additive: always t)"},
    {.name = "scheme", .type = LETHE_OPT_CHOICE, .arg = "shamir|additive", .fallback = "shamir",
     .help = "any t of n shares open a query (shamir), or all t shares are needed (additive)"},
    {.name = "epoch", .type = LETHE_OPT_DURATION, .arg = "DURATION", .min = 1, .max = 3153600000.0,
     .help = "change the keys after this time (for example 7d): shares of different epochs do "
             "not combine"},
    {.name = "keep-clicks", .type = LETHE_OPT_FLAG,
     .help = "also publish ranks and clicked URLs, although they often reveal the query"},
    {.name = NULL},
};
// clang-format on

static const lethe_figure figures[] = {
    {"rows", "rows published", 0, .source = LETHE_FIGURE_RELEASE, .label = "rows published",
     .detail = true},
    {"queries", "distinct QueryIDs: one per text, with --epoch one per text and epoch", 0,
     .source = LETHE_FIGURE_RELEASE, .label = "distinct queries"},
    {"openable", "QueryIDs of which t different shares are published", 0,
     .source = LETHE_FIGURE_RELEASE, .label = "queries that anyone can open"},
    {"recoverable", "share of rows whose QueryID has t different shares", 0,
     .source = LETHE_FIGURE_RELEASE, .kind = LETHE_FIGURE_SHARE, .label = "rows of such queries"},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Anyone can open a query that t persons issued, and it need not be harmless: a name that t "
    "relatives searched for opens as well.",
    "Anyone who controls t users of the log, or issues a query under t names, can open that query.",
    "Rows of one query show the same QueryID: how often a hidden query was issued, when and by "
    "which pseudonyms is published, and anyone who knows how often queries are issued may guess "
    "it.",
    "Anyone who can issue queries that are published later, or holds the key, can confirm that a "
    "pseudonym issued a given query.",
    "The key opens everything, and the shares of releases sealed with one key and the same options "
    "add up. Use a new key for every release.",
    "The length of a hidden query is visible up to a power of two.",
    NULL,
};

static const lethe_row_method rows = {seal_begin, seal_row, seal_end, seal_free};

const lethe_method lethe_method_seal = {
    .name = "seal",
    .summary = "encrypt every query so that t of its users together open it",
    .description =
        "Replaces each query by an identifier, a box that holds the query, and one share of the "
        "box's key. Which share a row shows follows from the user and the query, so one user shows "
        "one share of one query however often it was issued. Anyone who has t different shares of "
        "a query can open it (lethe open) without any key. So a query can be read if at least t "
        "users have issued it, and fewer shares reveal nothing about it. As two users may hold the "
        "same share, a query of exactly t users often stays closed: with -t 3 -n 10 in 28 cases of "
        "100 for three users, in 1.4 for five. More shares (-n) make that rarer.\n"
        "\n"
        "Nothing but the key is remembered between rows: logs that arrive day by day, sealed with "
        "one --key-file and the same options, combine, and a query opens once t users have issued "
        "it on any days. With --epoch the key that is derived from the key file changes with time, "
        "counted from 1970, and shares of different epochs never combine. Rows without a time have "
        "one key for all time; a log in which no row has a time is refused with --epoch.\n"
        "\n"
        "Ranks and clicked URLs are left out, because they often reveal the hidden query; "
        "--keep-clicks keeps them. Rows are in order of their bytes.\n"
        "\n"
        "Rows are sealed one by one: with -o - they stream in constant memory and keep their "
        "order. No step can follow seal. To scrub first, run 'lethe scrub LOG --then seal -o "
        "release/'; what scrub promises cannot be checked once queries are sealed, and is not "
        "claimed.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 5.2",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_SEALED,
    .options = options,
    .validate = validate,
    .figures = figures,
    .notion = "sealed",
    .claims = claims,
    .sweep = "t",
    .good_for = {[LETHE_GOAL_SESSIONS] = 1, [LETHE_GOAL_COUNTS] = 2},
    .keeps = "every row with pseudonym and day; its query can be read once enough people asked it",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe seal log.tsv.gz -t 3 -n 10 -o release/",
    .rows = &rows,
    .head = head,
};
