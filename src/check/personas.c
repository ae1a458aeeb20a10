/* SPDX-License-Identifier: Apache-2.0 */
/* personas.c - is every published user a persona, as far as the published rows show?
 *
 * Published times are cut, so a row's time is a span: from the instant that is written to the last
 * one that would be written so.  A promise about times is broken only where no choice of instants
 * keeps it.  By day and gap, spans that are longer than a day and than the gap decide next to
 * nothing, and all rows of a user with several count as undecided.
 *
 * By day, gap and query a row without a time is a persona of its own: beside other rows it could be
 * of any day.  Where the release says that times are published, it breaks the promise that such a
 * row shares its user with another.  Where times were left out, nobody can tell, and all rows of a
 * user with several count as undecided.
 *
 *   day       the latest beginning of a span less the earliest end of one is 24 hours or more.
 *   gap       some row lies more than the gap after the latest instant that the row before it, and
 *             so on back to the persona's first, can have.  Where a later step of the chain may
 *             have left rows out, those that are gone may have stood in the pause, and a row after
 *             one counts as undecided.
 *   query     a user with two texts, or with two times.
 *   interest  a persona's texts, in order of their first times (in any order where these are the
 *             same), must each after the first be similar to an earlier one.  Similarity of texts
 *             can be seen.  Whether two queries had results in common, too, where the results are
 *             the clicks of the log, which are published: without a published address in common
 *             they had none, and with a host in common they may have had one, which counts as
 *             undecided.  Results from a file of `split` are known only with that file: while the
 *             release is made, and with `verify --results`.  Where they are not known, where
 *             addresses were left out, or where a later step may have changed or removed what stood
 *             between, nothing is contradicted, and what the texts do not show is undecided. */
#include "check/check.h"
#include "check/claim.h"
#include "check/interests.h"
#include "check/text_clicks.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"

enum by { BY_DAY, BY_GAP, BY_INTEREST, BY_QUERY };
static const char *const by_names[] = {"day", "gap", "interest", "query"};
enum results_from { FROM_CLICKS, FROM_FILE };
static const char *const from_names[] = {"clicks", "file"};

#define DAY_S INT64_C(86400)
#define HOUR_S INT64_C(3600)
#define WEEK_S (7 * DAY_S)
#define MONTH_S (31 * DAY_S) /* at most */

struct claim {
    enum by by;
    int64_t gap_s;
    double edit, overlap;
    uint64_t top;
    enum results_from from; /* by interest: where a text's results are from */
};

/* A worker's own: its least counterexample, and scratch. */
struct finding {
    bool found;
    lethe_buf user;
    const char *what;
    lethe_buf text;
    uint64_t undecided;
    uint64_t rows, timeless; /* timeless: without a time */
    uint64_t users, queries; /* distinct; not by interest */
    lethe_buf record;
    lethe_interests *interests; /* by interest */
};

struct inspection {
    lethe_published *p;
    struct claim claim;
    int64_t span_s; /* of a published time; 0: not known, or times are not published */
    bool coarse;    /* spans are longer than what is promised of times */
    bool decides;   /* a pause, or texts that are not alike, are a contradiction */
    const lethe_results *results; /* FROM_FILE; NULL: not known */
    lethe_text_clicks *clicks;    /* FROM_CLICKS; NULL: not known */
    lethe_sorter *sorter;         /* user NUL time(8) text NUL addresses(8 each) */
    unsigned n_workers;
    struct finding *findings;
};

static lethe_diag *diag_of(const struct inspection *c) { return lethe_ctx_diag(c->p->ctx); }

/* --- the claim --- */

/* Has no later step of the chain come after this promise?  Steps claim in their order. */
static bool is_last(const lethe_published *p, const lethe_json *claim)
{
    size_t n = lethe_json_count(p->claims);
    return n == 0 || lethe_json_at(p->claims, n - 1) == claim;
}

/* --- times --- */

/* How long the span of a published time can be, as the release says; 0: it does not. */
static int64_t span_of(const lethe_published *p)
{
    const lethe_json *steps = lethe_json_get(p->manifest, "steps");
    size_t n = lethe_json_count(steps);
    const lethe_json *last = n ? lethe_json_at(steps, n - 1) : NULL;
    const lethe_json *unit = lethe_json_get(lethe_json_get(last, "parameters"), "time");
    if (p->form ? p->form->times == LETHE_TIME_EXACT : lethe_claim_is(unit, "exact")) return 1;
    if (p->form ? p->form->times == LETHE_TIME_HOUR : lethe_claim_is(unit, "hour")) return HOUR_S;
    if (p->form ? p->form->times == LETHE_TIME_DAY : lethe_claim_is(unit, "day")) return DAY_S;
    if (p->form ? p->form->times == LETHE_TIME_WEEK : lethe_claim_is(unit, "week")) return WEEK_S;
    if (p->form ? p->form->times == LETHE_TIME_MONTH : lethe_claim_is(unit, "month"))
        return MONTH_S;
    return 0;
}

/* The last instant that is written so.  Where the release does not say, by the looks of the time: a
 * whole day may be a day, a whole hour an hour. */
static int64_t end_of(const struct inspection *c, int64_t time)
{
    // 31 days after the first of a month it is the next one
    if (c->span_s == MONTH_S) return lethe_time_cut(time + MONTH_S, LETHE_TIME_MONTH) - 1;
    int64_t looks = time % DAY_S == 0 ? DAY_S : time % HOUR_S == 0 ? HOUR_S : 1;
    return time + (c->span_s ? c->span_s : looks) - 1;
}

/* Are days, or pauses, lost in published times?  Days are never: they are what is published if
 * nobody asks for anything else. */
static bool is_coarse(const struct claim *claim, int64_t span_s)
{
    int64_t needed = claim->by == BY_GAP ? LETHE_MAX(DAY_S, claim->gap_s) : DAY_S;
    return (claim->by == BY_DAY || claim->by == BY_GAP) && span_s > needed;
}

/* --- counterexamples --- */

static lethe_err note(const struct inspection *c, struct finding *f, lethe_str user, lethe_str text,
                      const char *what)
{
    lethe_str least = {(const char *)f->user.at, f->user.n};
    if (f->found && lethe_str_cmp(user, least) >= 0) return LETHE_OK;
    f->user.n = f->text.n = 0;
    if (lethe_buf_str(&f->user, user) != LETHE_OK || lethe_buf_str(&f->text, text) != LETHE_OK)
        return lethe_no_memory(diag_of(c));
    f->found = true;
    f->what = what;
    return LETHE_OK;
}

/* --- rows --- */

/* The user first, so that a user's rows come together; then the time, so that they come in its
 * order, those without one first. */
static lethe_err put_text(void *arg, unsigned w, const lethe_clicked_text *t)
{
    struct inspection *c = arg;
    lethe_buf *b = &c->findings[w].record;
    uint8_t time[8];
    lethe_be64_put(time, (uint64_t)t->time ^ UINT64_C(1) << 63);
    b->n = 0;
    if (lethe_buf_str(b, t->user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, time, sizeof time) != LETHE_OK || lethe_buf_str(b, t->text) != LETHE_OK ||
        lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, t->urls, t->n_urls * sizeof *t->urls) != LETHE_OK)
        return lethe_no_memory(diag_of(c));
    return lethe_sorter_put(c->sorter, w, b->at, b->n);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct inspection *c = arg;
    const lethe_clicked_text text = {.user = row->user, .text = row->query, .time = row->time};
    c->findings[w].rows++;
    c->findings[w].timeless += row->time == LETHE_NO_TIME;
    if (c->clicks) return lethe_text_clicks_add(c->clicks, w, row);
    /* without a sorter there is nothing to find but that rows can be read */
    return c->sorter ? put_text(c, w, &text) : LETHE_OK;
}

struct fields {
    lethe_str user, text;
    int64_t time;
    lethe_str urls; /* as bytes */
};

static struct fields fields_of(lethe_str record)
{
    const char *at = record.at, *end = record.at + record.n;
    size_t n = (size_t)((const char *)memchr(at, 0, record.n) - at);
    const char *text = at + n + 9, *stop = memchr(text, 0, (size_t)(end - text));
    uint64_t time = lethe_be64_get((const uint8_t *)at + n + 1);
    return (struct fields){.user = {at, n},
                           .text = {text, (size_t)(stop - text)},
                           .time = (int64_t)(time ^ UINT64_C(1) << 63),
                           .urls = {stop + 1, (size_t)(end - stop - 1)}};
}

/* What is known of the times of a persona, row by row. */
struct times {
    uint64_t rows, timeless; /* so far; timeless: without a time */
    bool any;
    int64_t earliest_end; /* of all spans */
    int64_t latest;       /* by gap: the last instant that the last row can have */
};

static lethe_err look_at_time(const struct inspection *c, struct finding *f, struct times *t,
                              const struct fields *row)
{
    if (row->time == LETHE_NO_TIME) return LETHE_OK;
    int64_t end = end_of(c, row->time);
    if (!t->any) {
        t->any = true;
        t->earliest_end = t->latest = end;
        return LETHE_OK;
    }
    if (c->claim.by == BY_DAY && row->time - t->earliest_end >= DAY_S)
        LETHE_TRY(note(c, f, row->user, row->text, "the persona spans 24 hours or more"));
    bool paused = c->claim.by == BY_GAP && row->time - t->latest > c->claim.gap_s;
    if (paused && c->decides)
        LETHE_TRY(note(c, f, row->user, row->text, "a longer pause comes before this query"));
    f->undecided += paused && !c->decides && !c->coarse; // else it counts at the persona's end
    t->earliest_end = LETHE_MIN(t->earliest_end, end);
    int64_t latest = paused ? end : LETHE_MIN(end, t->latest + c->claim.gap_s);
    t->latest = LETHE_MAX(t->latest, LETHE_MAX(row->time, latest));
    return LETHE_OK;
}

static lethe_err look_at_query(const struct inspection *c, struct finding *f,
                               const struct fields *row, const struct fields *before)
{
    if (!lethe_str_eq(row->text, before->text))
        return note(c, f, row->user, row->text, "the user has another query");
    if (row->time != before->time)
        return note(c, f, row->user, row->text, "the user has this query at another time");
    return LETHE_OK;
}

/* Rows without a time come first: one of them and any other row are two. */
static lethe_err look_for_time(const struct inspection *c, struct finding *f, struct times *t,
                               const struct fields *row)
{
    t->rows++;
    t->timeless += row->time == LETHE_NO_TIME;
    if (c->span_s == 0 || t->rows == 1 || t->timeless == 0) return LETHE_OK;
    return note(c, f, row->user, row->text, "a row without a time shares its user with another");
}

/* No more rows of the persona come. */
static void end_persona(const struct inspection *c, struct finding *f, const struct times *t)
{
    if (t->rows > 1) f->undecided += c->coarse ? t->rows : c->span_s == 0 ? t->timeless : 0;
}

/* --- interests --- */

/* Texts that are not similar to an earlier one: do they have an address in common with it?  With
 * the address as it was, they have; with its host, they may.  More addresses than count as results
 * are none that could be told from results. */
static lethe_err judge_clicks(const struct inspection *c, struct finding *f, lethe_str user,
                              uint64_t unlike, size_t most_urls)
{
    uint64_t loose = 0;
    lethe_str first = {"", 0};
    bool whole = c->p->form->urls != LETHE_URL_HOST && most_urls <= c->claim.top;
    if (most_urls <= LETHE_TEXT_CLICKS_MAX)
        LETHE_TRY(lethe_interests_loose(f->interests, c->p->ctx, true, &loose, &first));
    if (loose == 0) f->undecided += whole ? 0 : unlike;
    if (loose == 0) return LETHE_OK;
    return note(c, f, user, first, "no earlier query of the persona is similar, by text or clicks");
}

/* All texts of a persona are there. */
static lethe_err judge_interest(const struct inspection *c, struct finding *f, lethe_str user,
                                size_t most_urls)
{
    uint64_t unlike;
    lethe_str first = {"", 0};
    LETHE_TRY(lethe_interests_loose(f->interests, c->p->ctx, c->results != NULL, &unlike, &first));
    if (unlike == 0) return LETHE_OK;
    if (c->clicks) return judge_clicks(c, f, user, unlike, most_urls);
    if (!c->decides) f->undecided += unlike;
    if (!c->decides) return LETHE_OK;
    return note(c, f, user, first, "no earlier query of the persona is similar");
}

/* The texts of the user that `record` is the first of; *more: it is now the next one's first. */
static lethe_err persona(const struct inspection *c, struct finding *f, lethe_sorted *it,
                         lethe_str *record, bool *more)
{
    struct fields row = fields_of(*record), before;
    uint64_t urls[LETHE_TEXT_CLICKS_MAX + 1];
    size_t most_urls = 0;
    LETHE_TRY(lethe_interests_clear(f->interests));
    do {
        size_t n_urls = row.urls.n / sizeof *urls;
        memcpy(urls, row.urls.at, row.urls.n);
        most_urls = LETHE_MAX(most_urls, n_urls);
        LETHE_TRY(lethe_interests_add(f->interests, row.text, row.time, urls, n_urls));
        before = row;
        *more = lethe_sorted_next(it, record);
        if (*more) row = fields_of(*record);
    } while (*more && lethe_str_eq(row.user, before.user));
    LETHE_TRY(lethe_sorted_err(it)); /* half a persona must not pass for a whole one */
    return judge_interest(c, f, before.user, most_urls);
}

static lethe_err part_of_interests(const struct inspection *c, struct finding *f, lethe_sorted *it)
{
    lethe_likeness how = {c->claim.edit, c->claim.overlap, c->results, c->claim.top};
    lethe_str record;
    bool more = lethe_sorted_next(it, &record);
    if (!f->interests) f->interests = lethe_interests_new(&how);
    if (!f->interests) return lethe_no_memory(diag_of(c));
    while (more) {
        lethe_err err = persona(c, f, it, &record, &more);
        if (err == LETHE_ENOMEM) return lethe_no_memory(diag_of(c));
        LETHE_TRY(err);
    }
    return lethe_sorted_err(it);
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    (void)i;
    if (c->claim.by == BY_INTEREST) return part_of_interests(c, &c->findings[w], it);
    struct finding *f = &c->findings[w];
    struct fields row, before = {0};
    struct times t = {0};
    lethe_str record;
    for (bool first = true; lethe_sorted_next(it, &record); first = false) {
        row = fields_of(record);
        bool same = !first && lethe_str_eq(row.user, before.user);
        if (!same) {
            end_persona(c, f, &t);
            t = (struct times){0};
            f->users++;
        }
        f->queries += !same || row.time != before.time || !lethe_str_eq(row.text, before.text);
        if (c->claim.by != BY_QUERY)
            LETHE_TRY(look_at_time(c, f, &t, &row));
        else if (same)
            LETHE_TRY(look_at_query(c, f, &row, &before));
        LETHE_TRY(look_for_time(c, f, &t, &row));
        before = row;
    }
    end_persona(c, f, &t);
    return lethe_sorted_err(it);
}

/* --- the verdict --- */

/* By interest, without results and while the release is made, nothing is contradicted: there is
 * something to do only where somebody asks how much is undecided. */
static bool has_work(const struct inspection *c)
{
    return c->claim.by != BY_INTEREST || c->p->manifest || c->p->figures || c->results || c->clicks;
}

/* Do the published rows show all clicks of the log that was split, cut or not?  A click whose host
 * could not be determined is published as none. */
static bool shows_clicks(const struct inspection *c)
{
    const lethe_json *told =
        c->p->manifest ? lethe_json_get(c->p->manifest, "metrics") : c->p->figures;
    return c->decides && c->p->form && c->p->form->urls != LETHE_URL_NONE &&
           lethe_json_int(lethe_json_get(told, "urls_uncut")) == 0;
}

static lethe_err take_results(struct inspection *c)
{
    lethe_ctx *ctx = c->p->ctx;
    if (c->claim.by != BY_INTEREST) return LETHE_OK;
    if (c->claim.from == FROM_FILE) {
        c->results = c->p->results;
    } else if (shows_clicks(c)) {
        LETHE_TRY(lethe_text_clicks_new(ctx, lethe_ctx_memory(ctx) / 4, &c->clicks));
    }
    c->decides = c->decides && (c->results || c->clicks);
    return LETHE_OK;
}

static lethe_err look(struct inspection *c, lethe_log *log)
{
    lethe_ctx *ctx = c->p->ctx;
    LETHE_TRY(take_results(c));
    uint64_t memory = lethe_ctx_memory(ctx) / (c->clicks ? 4 : 2);
    if (has_work(c)) LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, memory, &c->sorter));
    lethe_ctx_phase(ctx, "reading back", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c}));
    if (!c->sorter) return LETHE_OK;
    if (c->clicks) LETHE_TRY(lethe_text_clicks_each(c->clicks, put_text, c));
    lethe_ctx_phase(ctx, "checking", lethe_sorter_count(c->sorter));
    return lethe_sorter_each(c->sorter, part, c);
}

/* As figures, `undecided` summed over the promises of a chain. */
static void set_figures(const struct inspection *c, lethe_json_doc *doc, uint64_t undecided,
                        uint64_t timeless)
{
    lethe_json *figures = c->p->figures;
    if (!figures) return;
    int64_t before = lethe_json_int(lethe_json_get(figures, "undecided"));
    lethe_set_count(doc, figures, "undecided", (uint64_t)before + undecided);
    if (c->claim.by != BY_INTEREST) lethe_set_count(doc, figures, "rows_without_time", timeless);
}

/* Why something is undecided. */
static const char *because(const struct inspection *c)
{
    if (c->coarse) return "published times are too coarse to show days or pauses";
    if (c->claim.by != BY_INTEREST)
        return c->span_s == 0 ? "no time is published"
                              : "a longer pause comes before, and a later step may have removed "
                                "what stood between";
    if (c->clicks)
        return c->p->form->urls == LETHE_URL_HOST
                   ? "only a clicked host links a query to an earlier one of its persona"
                   : "a query of the persona has more clicked URLs than count as results";
    if (c->results)
        return "no similar earlier query of the persona was found; a later step may have removed "
               "it";
    if (c->p->results_gone)
        return "no similar earlier query of the persona was found, and results from a pipe cannot "
               "be read again";
    return c->claim.from == FROM_FILE
               ? "no similar earlier query of the persona was found; use --results to check"
               : "no similar earlier query of the persona was found, and not all clicks are "
                 "published";
}

/* Where all rows were sorted by user. */
static void tell_seen(const struct inspection *c, lethe_log_seen *seen)
{
    if (c->claim.by == BY_INTEREST) return;
    seen->what |= LETHE_SEES_USERS;
    seen->rows = seen->users = seen->queries = 0;
    for (unsigned w = 0; w < c->n_workers; w++) {
        seen->rows += c->findings[w].rows;
        seen->users += c->findings[w].users;
        seen->queries += c->findings[w].queries;
    }
}

static lethe_err answer(const struct inspection *c, lethe_json_doc *doc, bool *holds,
                        lethe_json **why)
{
    const struct finding *least = NULL;
    uint64_t undecided = 0, timeless = 0;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct finding *f = &c->findings[w];
        undecided += f->undecided;
        timeless += f->timeless;
        if (!f->found) continue;
        if (!least || lethe_str_cmp((lethe_str){(const char *)f->user.at, f->user.n},
                                    (lethe_str){(const char *)least->user.at, least->user.n}) < 0)
            least = f;
    }
    *holds = !least;
    set_figures(c, doc, undecided, timeless);
    if (undecided > 0) c->p->because = because(c);
    if (lethe_json_failed(doc)) return lethe_no_memory(diag_of(c));
    if (!least) return LETHE_OK;
    lethe_json *o = lethe_json_object(doc);
    lethe_str user = {(const char *)least->user.at, least->user.n};
    lethe_str text = {(const char *)least->text.at, least->text.n};
    lethe_json_set(doc, o, "user", lethe_json_new_text(doc, user));
    lethe_json_set(doc, o, "query", lethe_json_new_text(doc, text));
    lethe_json_set(doc, o, "reason", lethe_json_new_text(doc, lethe_str_of(least->what)));
    if (lethe_json_failed(doc)) return lethe_no_memory(diag_of(c));
    *why = o;
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.p = p, .n_workers = lethe_ctx_threads(p->ctx)};
    lethe_log *log = NULL;
    /* `gap` belongs to personas by gap, those after `by` to those by interest: each
     * takes a stretch of the table, and refuses what is outside of it. */
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    static const lethe_claim_field fields[] = {
        {"gap", LETHE_CLAIM_U64, .min = 1, .max = INT64_MAX / 4,
         .offset = offsetof(struct claim, gap_s)},
        {"by", LETHE_CLAIM_CHOICE, .choices = by_names, .n_choices = LETHE_COUNT(by_names),
         .offset = offsetof(struct claim, by)},
        {"edit", LETHE_CLAIM_REAL, .max = 1, .offset = offsetof(struct claim, edit)},
        {"overlap", LETHE_CLAIM_REAL, .max = 1, .offset = offsetof(struct claim, overlap)},
        {"top", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, top)},
        {"results", LETHE_CLAIM_CHOICE, .choices = from_names, .n_choices = LETHE_COUNT(from_names),
         .offset = offsetof(struct claim, from)},
    };
    uint32_t by = lethe_claim_choice(lethe_json_get(claim, "by"), by_names, LETHE_COUNT(by_names));
    size_t from = by == BY_GAP ? 0 : 1, to = by == BY_INTEREST ? LETHE_COUNT(fields) : 2;
    LETHE_TRY(lethe_claim_read(d, claim, "personas", fields + from, to - from, &c.claim));
    c.decides = is_last(p, claim);
    c.span_s = span_of(p);
    c.coarse = is_coarse(&c.claim, c.span_s);
    c.findings = lethe_alloc_zero(c.n_workers, sizeof *c.findings);
    if (!c.findings) return lethe_no_memory(p->ctx);
    lethe_err err = lethe_log_published(p->ctx, p->dirfd, "data.tsv", &log);
    if (err == LETHE_OK) lethe_log_expect(log, p->form);
    if (err == LETHE_OK) err = look(&c, log);
    if (err == LETHE_OK) err = answer(&c, doc, holds, why);
    if (err == LETHE_OK) tell_seen(&c, &p->seen);
    lethe_log_free(log);
    lethe_sorter_free(c.sorter);
    lethe_text_clicks_free(c.clicks);
    for (unsigned w = 0; w < c.n_workers; w++) {
        struct finding *f = &c.findings[w];
        lethe_buf_free(&f->user);
        lethe_buf_free(&f->text);
        lethe_buf_free(&f->record);
        lethe_interests_free(f->interests);
    }
    lethe_free(c.findings);
    return err;
}

/* Levenshtein distances are at most the length of the longer text, and shares at least 0; both are
 * compared in millionths. */
static const char *nothing(const lethe_json *claim)
{
    const double year_s = 365 * (double)DAY_S, half = 0.5e-6;
    const lethe_json *by = lethe_json_get(claim, "by");
    if (lethe_claim_is(by, "gap") && lethe_claim_at_least(claim, "gap", year_s))
        return "personas by gap with a gap of a year or more promises next to nothing: hardly "
               "anyone pauses for so long, so all queries of a person stay under one name.";
    if (lethe_claim_is(by, "interest") && lethe_claim_at_least(claim, "edit", 1 - half))
        return "personas by interest with edit = 1 promises nothing: any two texts count as "
               "similar, so all queries of a person may stay under one name.";
    if (lethe_claim_is(by, "interest") && lethe_claim_at_most(claim, "overlap", half))
        return "personas by interest with overlap = 0 promises nothing: any two texts count as "
               "similar, so all queries of a person may stay under one name.";
    return NULL;
}

const lethe_notion lethe_notion_personas = {
    .name = "personas",
    .holds =
        "as far as published times show, no user spans 24 hours or more (by day), or has a pause "
        "longer than the gap (by gap, if no later step leaves out rows); no user has two queries "
        "(by query); a row without a time has a user of its own, and if times are not published, "
        "or by day and gap are published as weeks or months that are longer than the gap, the rows "
        "of users with several count as undecided; by interest, if no later step leaves "
        "out rows, each query after a user's first is similar to an earlier one by its text or its "
        "results, where these are known: from the file that was used, or from the published "
        "clicks, of which a host in common leaves a query undecided; without them, queries that "
        "are not similar by text count as undecided",
    .shapes = LETHE_SHAPE_LOG,
    .check = check,
    .nothing = nothing,
};
