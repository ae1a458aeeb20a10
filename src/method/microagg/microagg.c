/* SPDX-License-Identifier: Apache-2.0 */
/* microagg.c - puts users with common interests into groups of k, and publishes all users of a
 * group with the same queries, drawn from those of its members. A. Erola, J. Castella-Roca, G.
 * Navarro-Arribas and V. Torra, "Semantic microaggregation for the anonymization of query logs
 * using the Open Directory Project", 2011; departures: docs/methods.md.
 *
 * This file combines the parts: the log as users and texts (user_texts.h), their categories
 * (classify.h, the paper's Algorithm 1), the groups (group_search.h, Algorithms 2 to 4), and the
 * queries that a group is published with (coverage.h; centroid.h, Algorithm 5). */
#include "method/method.h"
#include "method/microagg/coverage.h"
#include "method/microagg/srp.h"
#include "io/read/blocks.h"
#include "io/json/json.h"
#include "lexicon/directory.h"
#include "model/tree/forest.h"
#include "text/normalize.h"

enum cluster { BY_SIMILARITY, BY_CHANCE }; /* the choices of --cluster */
enum list { LIST_COVERAGE, LIST_PAPER };   /* those of --list */

enum {
    BLOCKS_MAX = 64, /* of groups, whose sums are added separately: the same for any number of
                        threads */
    LABEL_BYTES_MAX = 1 << 16,
    SPARE_BYTES = 128 /* of a line besides user and query, as the reader of logs counts it */
};

/* May a text be in a list? */
enum fate { FINE, TOO_FEW, TOO_LONG };
static const char too_few[] = "query of too few users";
static const char too_long[] = "query too long to be published with every name";
static const char no_label[] = "query without a word that has a category";
static const char not_drawn[] = "query not chosen for the list of its group";

struct worker {
    lethe_buf masked;
    uint64_t found[LETHE_N_PII];
    bool renamed;               /* a row's user is not its owner */
    lethe_coverage coverage;    /* for choosing lists */
    lethe_centroid centroid;    /* of the current group */
    lethe_microagg_tally tally; /* categories of its list */
    uint64_t rows_out;
    char apart[64]; /* no two workers write in one cache line */
};

struct microagg {
    lethe_run *run;
    lethe_ctx *ctx;
    lethe_result *out;
    uint32_t k, levels;
    uint64_t min_users;
    bool scrubs, synthetic, covers;
    lethe_masking masking;
    lethe_directory *dir;
    lethe_user_texts *log;
    lethe_classes *classes;
    lethe_user_interests interests;
    lethe_microagg_groups groups;
    uint64_t *member_start; /* groups.n + 1, into `member`: the members of each group, ascending */
    uint32_t *member;
    lethe_dict *labels; /* NULL: texts are published as they are */
    uint32_t *label;    /* of each text; LETHE_NONE: it has none */
    lethe_centroid_texts lists;
    uint8_t *fate; /* of each text or label: enum fate */
    size_t n_blocks;
    lethe_srp *srp; /* of each block of groups */
    unsigned n_workers;
    struct worker *workers;
};

/* --- the log --- */

/* k counts persons: one with several names could fill a group alone. */
static lethe_err change_row(void *arg, unsigned w, lethe_row *row, bool *dropped)
{
    struct microagg *h = arg;
    struct worker *me = &h->workers[w];
    const char *reason = NULL;
    me->renamed |= !lethe_str_eq(row->user, row->owner);
    if (me->renamed) return LETHE_EUSAGE;
    if (!h->scrubs) return LETHE_OK;
    if (lethe_masking_apply(&h->masking, row, &me->masked, me->found, &reason) != LETHE_OK)
        return lethe_no_memory(h->ctx);
    if (reason) h->out->drop(h->out, w, reason, 1);
    *dropped = reason != NULL;
    return LETHE_OK;
}

/* --- categories --- */

static lethe_json *shares(lethe_json_doc *doc, const uint64_t *part, uint32_t n, uint64_t all)
{
    lethe_json *array = lethe_json_array(doc);
    for (uint32_t i = 0; i < n; i++)
        lethe_json_push(doc, array,
                        lethe_json_new_real(doc, all ? (double)part[i] / (double)all : 0));
    return array;
}

static lethe_err classify(struct microagg *h)
{
    const lethe_values *v = h->run->values;
    const lethe_value *levels = lethe_value_of(v, "levels"),
                      *categories = lethe_value_of(v, "categories");
    lethe_json_doc *doc = h->out->doc;
    LETHE_TRY(lethe_classes_new(h->ctx, h->dir, h->log->texts,
                                categories->word ? 0 : (uint32_t)categories->count, &h->classes));
    if (!levels->word)
        h->levels = (uint32_t)levels->count;
    else if (lethe_classes_levels(h->classes, h->log, LETHE_PATH_LEVELS_MAX, &h->levels) !=
             LETHE_OK)
        return lethe_no_memory(h->ctx);
    lethe_classes_share reach;
    if (lethe_classes_reach(h->classes, h->log, h->levels, &reach) != LETHE_OK)
        return lethe_no_memory(h->ctx);
    lethe_json_set(doc, h->out->metrics, "classified",
                   shares(doc, reach.words, h->levels, reach.all_words));
    lethe_json_set(doc, h->out->metrics, "classified_queries",
                   shares(doc, reach.queries, h->levels, reach.all_queries));
    bool any = reach.words[0] > 0;
    lethe_classes_share_free(&reach);
    if (lethe_json_failed(doc)) return lethe_no_memory(h->ctx);
    /* With a file of other words, given as the directory by mistake, groups would mean nothing, and
     * nobody would notice. */
    if (!any && lethe_count_of(v, "cluster") == BY_SIMILARITY)
        return lethe_fail(h->ctx, LETHE_ANSWER_NO,
                          "no word of the queries is in the directory: users cannot be compared");
    lethe_classes_cut(h->classes, h->levels);
    return lethe_user_interests_new(h->ctx, h->classes, h->log, &h->interests);
}

/* --- groups --- */

/* Every order of the users is equally likely, so those left over may join the groups in turn. */
static lethe_err cluster_by_chance(struct microagg *h)
{
    uint32_t n = h->log->n, *order = lethe_alloc(n, sizeof *order);
    lethe_rng r = lethe_rng_stream(h->run->random, "microagg groups", 0);
    h->groups = (lethe_microagg_groups){.n = n / h->k, .group = lethe_alloc(n, sizeof *order)};
    if (!order || !h->groups.group) {
        lethe_free(order);
        return lethe_no_memory(h->ctx);
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)lethe_rng_below(&r, i), last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
    assert(h->groups.n > 0); // there are k users
    for (uint32_t i = 0; i < n; i++) {
        uint32_t group = i / h->k;
        h->groups.group[order[i]] = group < h->groups.n ? group : i % h->k % h->groups.n;
    }
    lethe_rng_wipe(&r);
    lethe_free(order);
    return LETHE_OK;
}

static lethe_err cluster(struct microagg *h)
{
    uint32_t n = h->log->n;
    lethe_ctx_phase(h->ctx, "groups", n);
    if (lethe_count_of(h->run->values, "cluster") == BY_CHANCE) {
        LETHE_TRY(cluster_by_chance(h));
    } else {
        lethe_err err = lethe_microagg_groups_find(h->ctx, &h->interests.of, h->k, &h->groups);
        if (err == LETHE_ENOMEM) return lethe_no_memory(h->ctx);
        LETHE_TRY(err);
    }
    uint32_t n_groups = h->groups.n;
    h->member_start = lethe_alloc_zero((size_t)n_groups + 1, sizeof *h->member_start);
    h->member = lethe_alloc(n, sizeof *h->member);
    if (!h->member_start || !h->member) return lethe_no_memory(h->ctx);
    for (uint32_t u = 0; u < n; u++)
        h->member_start[h->groups.group[u] + 1]++;
    for (uint32_t g = 0; g < n_groups; g++)
        h->member_start[g + 1] += h->member_start[g];
    for (uint32_t u = 0; u < n; u++)
        h->member[h->member_start[h->groups.group[u]]++] = u; // a start becomes the next one's
    memmove(h->member_start + 1, h->member_start, n_groups * sizeof *h->member_start);
    h->member_start[0] = 0;
    return LETHE_OK;
}

/* --- labels in place of texts (Batet and others, 2013) --- */

/* The label is the name of the best category of each word, as the directory spells it.  It is
 * published, so it is normalised and scrubbed like a query. */
static lethe_err label_of(struct microagg *h, uint32_t text, lethe_buf *names, lethe_buf *normal,
                          uint32_t *out)
{
    struct worker *me = &h->workers[0];
    const lethe_classes *c = h->classes;
    const char *reason = NULL;
    bool invalid;
    lethe_row row = {.query = {"", 0}};
    names->n = 0;
    for (uint64_t i = c->term_start[text];
         i < c->term_start[text + 1] && names->n <= LABEL_BYTES_MAX; i++) {
        const uint64_t *start = c->category_start + c->term[i];
        if (start[0] == start[1]) continue;
        LETHE_TRY(lethe_buf_put(names, " ", 1));
        LETHE_TRY(lethe_buf_str(names, lethe_directory_name(h->dir, c->category[start[0]])));
    }
    LETHE_TRY(lethe_normalize((lethe_str){(const char *)names->at, names->n}, normal, &row.query,
                              &invalid));
    *out = LETHE_NONE;
    if (row.query.n == 0 || names->n > LABEL_BYTES_MAX) return LETHE_OK;
    if (h->scrubs)
        LETHE_TRY(lethe_masking_apply(&h->masking, &row, &me->masked, me->found, &reason));
    return reason ? LETHE_OK : lethe_dict_add(h->labels, row.query, out);
}

static lethe_err label_all(struct microagg *h)
{
    uint32_t n = h->classes->n_texts;
    lethe_buf names = {0}, normal = {0};
    h->labels = lethe_dict_new();
    h->label = lethe_alloc(n, sizeof *h->label);
    lethe_err err = h->labels && h->label ? LETHE_OK : LETHE_ENOMEM;
    for (uint32_t i = 0; i < n && err == LETHE_OK; i++)
        err = label_of(h, i, &names, &normal, &h->label[i]);
    lethe_buf_free(&names);
    lethe_buf_free(&normal);
    return err == LETHE_OK ? LETHE_OK : lethe_no_memory(h->ctx);
}

/* --- what may be published --- */

static lethe_str published_text(const struct microagg *h, uint32_t published)
{
    return lethe_dict_at(h->labels ? h->labels : h->log->texts, published);
}

/* Bars texts that too few users have, as they are published (a user may have several texts with one
 * label), and those that some name of the group would make too long to be read back. */
static lethe_err decide_fates(struct microagg *h)
{
    uint32_t n = lethe_dict_count(h->labels ? h->labels : h->log->texts);
    uint32_t *users = lethe_alloc_zero(n, sizeof *users);
    uint32_t *last = lethe_alloc_zero(n, sizeof *last); /* user, from 1 on */
    size_t longest = 0;
    h->fate = lethe_alloc_zero(n, sizeof *h->fate);
    h->lists = (lethe_centroid_texts){h->log, h->label, h->fate};
    bool ok = users && last && h->fate;
    for (uint32_t u = 0; u < h->log->n && ok; u++) {
        longest = LETHE_MAX(longest, h->log->name[u].n);
        for (uint64_t i = h->log->start[u]; i < h->log->start[u + 1]; i++) {
            uint32_t published = lethe_centroid_published(&h->lists, h->log->text[i]);
            if (published == LETHE_NONE || last[published] == u + 1) continue;
            last[published] = u + 1;
            users[published]++;
        }
    }
    for (uint32_t i = 0; i < n && ok; i++)
        if (users[i] < h->min_users)
            h->fate[i] = TOO_FEW;
        else if (published_text(h, i).n + longest + SPARE_BYTES > LETHE_LINE_MAX)
            h->fate[i] = TOO_LONG;
    lethe_free(users);
    lethe_free(last);
    return ok ? LETHE_OK : lethe_no_memory(h->ctx);
}

/* --- the list of a group --- */

static bool coin(void *arg, uint64_t more, uint64_t of) { return lethe_rng_below(arg, of) < more; }

/* Algorithm 5.  The coins of a group are a random stream of their own, used member by member and
 * text by text: the same for any number of threads. */
static lethe_err draw_list(const struct microagg *h, struct worker *me, uint32_t group,
                           const uint32_t *member, size_t n)
{
    lethe_rng r = lethe_rng_stream(h->run->random, "microagg", group);
    lethe_err err = lethe_centroid_draw(&me->centroid, &h->lists, member, n, coin, &r);
    lethe_rng_wipe(&r);
    return err;
}

static lethe_err make_list(const struct microagg *h, struct worker *me, uint32_t group)
{
    const uint32_t *member = h->member + h->member_start[group];
    size_t n = (size_t)(h->member_start[group + 1] - h->member_start[group]);
    lethe_coverage_source source = {&h->lists, h->classes, &h->interests.of, h->levels,
                                    h->label != NULL};
    lethe_err err = h->covers
                        ? lethe_coverage_choose(&me->coverage, &source, member, n, &me->centroid)
                        : draw_list(h, me, group, member, n);
    if (err != LETHE_OK) return lethe_no_memory(h->ctx);
    const lethe_centroid_query *d = lethe_centroid_list(&me->centroid, &n);
    lethe_microagg_tally_clear(&me->tally);
    for (size_t i = 0; i < n; i++)
        lethe_microagg_tally_add(&me->tally, h->classes, d[i].source, d[i].copies,
                                 h->label != NULL);
    return LETHE_OK;
}

static lethe_err emit_list(const struct microagg *h, struct worker *me, unsigned w, uint32_t user)
{
    size_t n;
    const lethe_centroid_query *d = lethe_centroid_list(&me->centroid, &n);
    lethe_row row = {.owner = h->log->name[user],
                     .user = h->log->name[user],
                     .url = {"", 0},
                     .time = LETHE_NO_TIME,
                     .rank = LETHE_NO_RANK};
    for (size_t i = 0; i < n; i++) {
        row.query = published_text(h, d[i].published);
        for (uint64_t c = 0; c < d[i].copies; c++)
            LETHE_TRY(h->out->emit(h->out, w, &row));
        me->rows_out += d[i].copies;
    }
    return LETHE_OK;
}

/* A line counts as published if its text, as published, is in the list of its user. */
static void count_lines(const struct microagg *h, const struct worker *me, unsigned w,
                        uint32_t user)
{
    const lethe_user_texts *t = h->log;
    uint64_t kept = 0;
    for (uint64_t i = t->start[user]; i < t->start[user + 1]; i++) {
        uint32_t published = lethe_centroid_published(&h->lists, t->text[i]);
        const char *reason = not_drawn;
        if (published == LETHE_NONE)
            reason = no_label;
        else if (h->fate[published] != FINE)
            reason = h->fate[published] == TOO_FEW ? too_few : too_long;
        else if (lethe_centroid_has(&me->centroid, published))
            reason = NULL;
        if (reason)
            h->out->drop(h->out, w, reason, t->rows[i]);
        else
            kept += t->rows[i];
    }
    h->out->keep(h->out, w, kept);
}

static lethe_err publish_block(void *arg, size_t block, unsigned w)
{
    struct microagg *h = arg;
    struct worker *me = &h->workers[w];
    uint32_t first = (uint32_t)(block * h->groups.n / h->n_blocks);
    uint32_t end = (uint32_t)((block + 1) * h->groups.n / h->n_blocks);
    for (uint32_t g = first; g < end; g++) {
        if (lethe_ctx_cancelled(h->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(make_list(h, me, g));
        for (uint64_t i = h->member_start[g]; i < h->member_start[g + 1]; i++) {
            LETHE_TRY(emit_list(h, me, w, h->member[i]));
            count_lines(h, me, w, h->member[i]);
            lethe_srp_add(&h->srp[block], &h->interests.of, h->member[i], &me->tally);
        }
    }
    lethe_ctx_advance(h->ctx, end - first);
    return LETHE_OK;
}

/* --- figures --- */

/* A mean over no user is null. */
static lethe_json *means(const struct microagg *h, const double *sum, const uint64_t *users)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *array = lethe_json_array(doc);
    for (uint32_t l = 0; l < h->levels; l++)
        lethe_json_push(doc, array,
                        users[l] ? lethe_json_new_real(doc, sum[l] / (double)users[l])
                                 : lethe_json_copy(doc, NULL));
    return array;
}

static lethe_json *by_volume(const struct microagg *h, const lethe_srp *r)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *array = lethe_json_array(doc);
    for (uint32_t l = 0; l < h->levels; l++)
        lethe_json_push(
            doc, array,
            r->all_original[l] > 0
                ? lethe_json_new_real(doc, (double)r->all_common[l] / (double)r->all_original[l])
                : lethe_json_copy(doc, NULL));
    return array;
}

/* --- the method --- */

static lethe_err microagg_log(struct microagg *h, lethe_log *log)
{
    const lethe_values *v = h->run->values;
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(h->ctx);
    lethe_ctx_phase(h->ctx, "directory", 0);
    LETHE_TRY(lethe_directory_open(h->ctx, lethe_value_of(v, "directory")->text, &h->dir));
    lethe_err err =
        lethe_user_texts_read(h->ctx, log, change_row, h, h->run->memory_bytes / 2, &h->log);
    for (unsigned w = 0; w < h->n_workers && err == LETHE_EUSAGE; w++)
        if (h->workers[w].renamed)
            return lethe_fail(h->ctx, err,
                              "microagg groups persons: it cannot follow a step that gives a "
                              "person several names");
    LETHE_TRY(err);
    if (h->log->n < h->k)
        return lethe_fail(h->ctx, LETHE_ANSWER_NO,
                          "fewer than k users: there are %lu, and k is %lu",
                          (unsigned long)h->log->n, (unsigned long)h->k);
    lethe_sizes sizes = lethe_user_texts_sizes(h->log);
    LETHE_TRY(lethe_ctx_need(h->ctx, &sizes));
    LETHE_TRY(classify(h));
    LETHE_TRY(cluster(h));
    if (h->synthetic) LETHE_TRY(label_all(h));
    LETHE_TRY(decide_fates(h));
    h->n_blocks = LETHE_MIN(h->groups.n, BLOCKS_MAX);
    h->srp = lethe_alloc_zero(h->n_blocks, sizeof *h->srp);
    err = h->srp ? LETHE_OK : LETHE_ENOMEM;
    for (size_t b = 0; b < h->n_blocks && err == LETHE_OK; b++)
        err = lethe_srp_new(h->levels, &h->srp[b]);
    for (unsigned w = 0; w < h->n_workers && err == LETHE_OK; w++) {
        err = lethe_microagg_tally_new(h->dir, &h->workers[w].tally);
        if (err == LETHE_OK && h->covers)
            err = lethe_coverage_new(h->dir, h->levels, &h->workers[w].coverage);
    }
    if (err != LETHE_OK) return lethe_no_memory(h->ctx);
    lethe_ctx_phase(h->ctx, "lists", h->groups.n);
    LETHE_TRY(lethe_pool_for(h->ctx, h->n_blocks, publish_block, h));
    lethe_json_doc *doc = h->out->doc;
    lethe_json *metrics = h->out->metrics;
    lethe_srp *all = &h->srp[0];
    uint64_t rows = 0;
    for (size_t b = 1; b < h->n_blocks; b++)
        lethe_srp_join(all, &h->srp[b]);
    for (unsigned w = 0; w < h->n_workers; w++)
        rows += h->workers[w].rows_out;
    lethe_set_count(doc, metrics, "clusters", h->groups.n);
    lethe_json_set(doc, metrics, "srp", means(h, all->level, all->users));
    lethe_json_set(doc, metrics, "srp_volume", by_volume(h, all));
    lethe_json_set(doc, metrics, "srp_cumulative", means(h, all->so_far, all->users_so_far));
    lethe_set_count(doc, metrics, "rows_out", rows);
    if (lethe_json_failed(doc)) return lethe_no_memory(h->ctx);
    if (rows > 0) return LETHE_OK;
    return lethe_fail(h->ctx, LETHE_ANSWER_NO,
                      "nothing is left to publish: the list of every group is empty");
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    struct microagg h = {
        .run = run,
        .ctx = run->ctx,
        .out = out,
        .k = (uint32_t)lethe_count_of(v, "k"),
        .min_users = (uint64_t)lethe_count_of(v, "min-users"),
        .scrubs = !lethe_count_of(v, "no-scrub"),
        .synthetic = lethe_count_of(v, "synthetic"),
        .covers = lethe_count_of(v, "list") == LIST_COVERAGE,
        .masking = {.detector = {.kinds = LETHE_PII_ALL},
                    .hashes_pass = lethe_claims_allow_hashes(run->claims)},
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = microagg_log(&h, in->log);
    for (unsigned w = 0; h.workers && w < h.n_workers; w++) {
        lethe_buf_free(&h.workers[w].masked);
        lethe_coverage_free(&h.workers[w].coverage);
        lethe_centroid_free(&h.workers[w].centroid);
        lethe_microagg_tally_free(&h.workers[w].tally);
    }
    for (size_t b = 0; h.srp && b < h.n_blocks; b++)
        lethe_srp_free(&h.srp[b]);
    void *const all[] = {h.workers, h.srp, h.fate, h.label, h.member_start, h.member};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    lethe_dict_free(h.labels);
    lethe_microagg_groups_free(&h.groups);
    lethe_user_interests_free(&h.interests);
    lethe_classes_free(h.classes);
    lethe_user_texts_free(h.log);
    lethe_directory_free(h.dir);
    return err;
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "user-k-anonymity");
    lethe_json_set(doc, c, "k", lethe_json_new_int(doc, lethe_count_of(v, "k")));
    lethe_json_push(doc, out, c);
    if (!lethe_count_of(v, "no-scrub")) lethe_masking_claim(LETHE_PII_ALL, doc, out);
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    bool synthetic = lethe_count_of(v, "synthetic");
    size_t n = 0;
    if (lethe_count_of(v, "min-users") < 2)
        out[n++] = synthetic
                       ? "--min-users 1: labels that come from one user's queries are published."
                       : "--min-users 1: texts that only one user issued are published, and nearly "
                         "all that name a person are among these.";
    if (lethe_count_of(v, "no-scrub"))
        out[n++] = "--no-scrub: numbers, addresses and URLs in queries were not looked for, and "
                   "are published as they were typed.";
    if (synthetic)
        out[n++] = "--synthetic: rows hold names of categories in place of what was typed; a word "
                   "may be the name of its own category, and a category of few things reveals "
                   "nearly as much as their names.";
    else
        out[n++] = "Queries are published word for word. Searches for one's own name or street are "
                   "published if enough users have the text; --min-users leaves out what fewer "
                   "asked, --synthetic publishes categories in place of texts.";
    if (lethe_count_of(v, "list") == LIST_PAPER) {
        out[n++] = "--list paper: a list is drawn at random, from what each member repeats most: "
                   "where a user's share of the group's queries times the repetitions reaches 1, "
                   "the text is certain to be published. Anyone who knows the seed and the log can "
                   "draw the same lists again, and see whose queries they are: keep a --seed as "
                   "secret as the log.";
        out[n++] = "--list paper: a list is on average shorter than its users' own, because users "
                   "who asked little seldom fill their quota, and members contribute by how much "
                   "they asked: the list of a group with one heavy user is nearly that user's own.";
    } else {
        out[n++] = "A list is chosen to cover the categories of each member, also those of texts "
                   "that may not be published: a text can be in it more often than the members "
                   "asked it. Counts of categories are meant to be near those of the members, "
                   "counts of texts are not.";
    }
    if (lethe_count_of(v, "cluster") == BY_CHANCE)
        out[n++] = "--cluster random: users are grouped at random, so that a list says little "
                   "about the users who are published with it.";
    else
        out[n++] = "Queries whose words have no category do not count when users are compared, and "
                   "may still be published for all users of a group.";
    return n;
}

static const char *const caveats[] = {
    "All users of a group have the same list. This hides which of them asked a query, not what "
    "was asked.",
    "Anyone who knows which users share a list knows that each of its queries was asked by at "
    "least one of them. Members are grouped because they asked alike, so what they have in common "
    "is revealed about each of them.",
    "A list is no user's own: it holds queries that most of its users never asked, and lacks "
    "others. Times, ranks and clicks are left out. Counts of users and of queries that occur "
    "together are those of the lists.",
    "Several accounts of one person count as several users.",
    "Two releases of the same or an overlapping log, with different groups, can be compared: a "
    "query that is in both lists of a user points to that user.",
    NULL,
};

/* --- memory --- */

/* The directory of categories; for each text of a user its categories and interests (classify.h);
 * for each user its sketches and partners, and for each member of a group its probe
 * (group_search_internal.h); for each text of the groups that lists are chosen for, at most as many
 * as there are blocks, what it covers (coverage.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    bool compares = lethe_count_of(v, "cluster") == BY_SIMILARITY;
    bool covers = lethe_count_of(v, "list") == LIST_COVERAGE;
    double k = (double)lethe_count_of(v, "k"), users = (double)LETHE_MAX(s->n, 1);
    double at_once = covers ? LETHE_MIN(1, k * BLOCKS_MAX / users) : 0; /* share of the texts */
    (void)in;
    return (UINT64_C(11) << 20) + 75 * s->parts + (uint64_t)(130 * at_once * (double)s->parts) +
           (compares ? 1900 : 100) * s->n +
           (compares ? 4300 * LETHE_MIN((uint64_t)lethe_count_of(v, "k"), s->n) : 0);
}

/* --- the descriptor --- */

// clang-format off
static const lethe_option options[] = {
    {.name = "k", .letter = 'k', .type = LETHE_OPT_COUNT, .arg = "N", .min = 2, .max = 1e9,
     .required = true,
     .help = "minimum number of users per group, all published with the same queries"},
    {.name = "levels", .type = LETHE_OPT_COUNT, .arg = "N|auto", .word = "auto", .fallback = "5",
     .min = 1,
     .max = LETHE_PATH_LEVELS_MAX,
     .help = "depth to which categories are compared; auto: as deep as at least half of the "
             "queries reach"},
    {.name = "categories", .type = LETHE_OPT_COUNT, .arg = "N|all", .word = "all",
     .fallback = "5", .min = 1,
     .max = 1e6, .help = "number of categories per word that count, the best first"},
    {.name = "directory", .type = LETHE_OPT_PATH, .arg = "wordnet|FILE", .word = "wordnet",
     .fallback = "wordnet",
     .help = "source of the categories: WordNet, or a file with a term, a tab and a path per line"},
    {.name = "cluster", .type = LETHE_OPT_CHOICE, .arg = "similarity|random",
     .fallback = "similarity",
     .help = "group users with most in common, or at random (the paper's worst case)"},
    {.name = "list", .type = LETHE_OPT_CHOICE, .arg = "coverage|paper", .fallback = "coverage",
     .help = "choose the queries that cover the categories of the members, or draw them at random "
             "as the paper does"},
    {.name = "min-users", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "3", .min = 1,
     .max = 1e9,
     .help = "publish no text (with --synthetic: no label) that fewer users have; it still "
             "counts for their interests"},
    {.name = "synthetic", .type = LETHE_OPT_FLAG,
     .help = "publish the names of categories in place of the words of queries"},
    {.name = "no-scrub", .type = LETHE_OPT_FLAG,
     .help = "do not mask personal data in queries first, as scrub does"},
    {.name = NULL},
};
// clang-format on

/* The shares are means over users, words and queries, and no figure says how many a part has. */
static const lethe_joint joint[] = {
    {"clusters", LETHE_JOINT_SUM}, {"rows_out", LETHE_JOINT_SUM}, {0}};

static const lethe_figure figures[] = {
    {"clusters", "groups of users", .better = 0, .label = "groups of users"},
    {"srp",
     "an array: by level, the share of the categories of a user's queries that the published "
     "queries have too, mean over users (null: nobody has a category there); with random groups "
     "and with --list paper it would be near 1 / k",
     1, .kind = LETHE_FIGURE_SHARES, .label = "categories kept per user, by level"},
    {"srp_volume",
     "an array: by level, the same share of the categories of all users' queries together, so that "
     "a user counts by how much it asked",
     1, .kind = LETHE_FIGURE_SHARES, .label = "categories kept in all, by level", .detail = true},
    {"srp_cumulative", "an array: the same, with all levels up to this one added up", 1,
     .kind = LETHE_FIGURE_SHARES, .label = "categories kept, up to level", .detail = true},
    {"classified",
     "an array: by level, the share of words of all queries with a category at "
     "that level",
     1, .kind = LETHE_FIGURE_SHARES, .label = "words with a category, by level", .detail = true},
    {"classified_queries",
     "an array: by level, the share of all queries with a word that has a category at that level",
     1, .kind = LETHE_FIGURE_SHARES, .label = "queries with a category, by level", .detail = true},
    {"rows_out", "rows of the release: each user of a group has all rows of its list", 0,
     .source = LETHE_FIGURE_RELEASE, .label = "rows of the release"},
    {.name = NULL},
};

const lethe_method lethe_method_microagg = {
    .name = "microagg",
    .summary = "publish users with common interests in groups, all with the same queries",
    .description =
        "Looks up the words of all queries in a directory of categories, counts for each user "
        "how often each category occurs, at each level from the top one to --levels, and groups "
        "users who have most in common: the two of all that share most, then the one that shares "
        "most with these two together, until there are k; then the next group. The users left "
        "over, fewer than k, join the groups they share most with. What two users share is the "
        "sum over all categories of the smaller of their two counts.\n"
        "\n"
        "All users of a group are then published with one list of queries, as long as the mean of "
        "what its members asked, and made of their texts. Texts without a category have the number "
        "of copies that members asked on average. For the rest, the text that keeps most is taken "
        "each time: what counts is the share of each member's categories that the list has too, "
        "added up over levels and members, so that each member counts alike. A text can be taken "
        "more often than it was asked: it then stands for texts of its categories that may not be "
        "published. When nothing is left to cover, the texts asked most often fill the list.\n"
        "\n"
        "With --list paper the list is drawn at random. In a group of z, a member contributes one "
        "z-th of its queries, rounded, those that it asked most often first: of a query that it "
        "asked r times, its share of the group's queries times r, rounded up or down at random.\n"
        "\n"
        "The list holds queries alone: no times, no ranks and no URLs. Lines of the log with the "
        "same user, text and time are one query; if a log has no times, so are all with the same "
        "user and text.\n"
        "\n"
        "First, personal data in queries is masked as by scrub (all kinds), and the release "
        "promises that too; --no-scrub omits this. Texts that fewer than --min-users users asked "
        "are in no list, but count for their users' interests. With "
        "--synthetic the words of a query are replaced by the names of their best categories, at "
        "the deepest level that counts; words without one are left out, and what is said here of "
        "texts then holds for these labels.\n"
        "\n"
        "The rows of the release are not lines of the log. In the manifest's counts a line is "
        "published if its text is in the list of its user, and rows_out counts the rows. No "
        "other step can follow this one, and no step that gives a person several names can come "
        "before it. Users without any word that has a category are grouped with others all the "
        "same; if nobody has one, the run fails.",
    .paper = "A. Erola, J. Castella-Roca, G. Navarro-Arribas and V. Torra, \"Semantic "
             "microaggregation for the anonymization of query logs using the Open Directory "
             "Project\", SORT special issue, 2011, sections 2.3 and 3; --synthetic after M. Batet "
             "and others, 2013",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .options = options,
    .knowledge = "directory",
    .figures = figures,
    .joint = joint,
    .notion = "user-k-anonymity",
    .claims = claims,
    .samples = true,
    .whole_persons = true,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1},
    .keeps = "the interests of groups of users, in queries as typed; no times and no clicks",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe microagg log.tsv.gz -k 5 -o release/",
    .run = run,
    .need = need,
};
