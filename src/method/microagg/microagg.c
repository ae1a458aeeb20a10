/* microagg.c - users with common interests are put together in groups of k, and all of a group are
 * published with the same queries, drawn from those of its members.
 * A. Erola, J. Castella-Roca, G. Navarro-Arribas and V. Torra, "Semantic microaggregation for the
 * anonymization of query logs using the Open Directory Project", 2011; where we depart:
 * docs/methods.md.
 *
 * Here the parts are put together: the log as users and texts (algo/user_texts.h), what they are
 * about (algo/classify.h, the paper's Algorithm 1), who goes with whom (algo/companions.h,
 * Algorithms 2 to 4), and what stands for a group (algo/centroid.h, Algorithm 5). */
#include "method/method.h"
#include "method/microagg/centroid.h"
#include "method/microagg/remains.h"
#include "io/read/blocks.h"
#include "io/json/json.h"
#include "lexicon/directory.h"
#include "model/tree/forest.h"
#include "text/normalize.h"

enum cluster { BY_SIMILARITY, BY_CHANCE }; /* as the choices of --cluster */

enum {
    BLOCKS_MAX = 64, /* sums of groups that are added up by themselves: the same for any
                        number of threads */
    LABEL_BYTES_MAX = 1 << 16,
    SPARE_BYTES = 128 /* of a line besides user and query, as the reader of logs reckons */
};

/* May a text stand in a list? */
enum fate { FINE, TOO_FEW, TOO_LONG };
static const char too_few[] = "query of too few users";
static const char too_long[] = "query too long to stand beside every name";
static const char no_label[] = "query without a word that has a category";
static const char not_drawn[] = "query not drawn for the list of its group";

/* A worker's own; on the heap by itself, so that workers do not share cache lines. */
struct worker {
    lethe_buf masked;
    uint64_t found[LETHE_N_PII];
    bool renamed;            /* a row's user is not its owner */
    lethe_centroid centroid; /* of the group at hand */
    lethe_tally tally;       /* what its list is about */
    uint64_t rows_out;
};

struct microagg {
    lethe_run *run;
    lethe_result *out;
    uint32_t k, levels;
    uint64_t min_users;
    bool scrubs, synthetic;
    lethe_masking masking;
    lethe_directory *dir;
    lethe_user_texts *log;
    lethe_classes *classes;
    lethe_user_interests interests;
    lethe_companions groups;
    uint64_t *member_start; /* groups.n + 1: the members of each, ascending, in */
    uint32_t *member;
    lethe_dict *labels; /* NULL: texts are published as they stand */
    uint32_t *label;    /* of each text; LETHE_NONE: it has none */
    lethe_lists lists;
    uint8_t *fate; /* of what may be published: enum fate */
    size_t n_blocks;
    lethe_remains *remains; /* of each block of groups */
    unsigned n_workers;
    struct worker **workers;
};

static lethe_diag *diag(const struct microagg *h) { return lethe_ctx_diag(h->run->ctx); }
/* --- the log --- */

/* What k counts are persons: one with several names could fill a group alone. */
static lethe_err change_row(void *arg, unsigned w, lethe_row *row, bool *dropped)
{
    struct microagg *h = arg;
    struct worker *me = h->workers[w];
    const char *reason = NULL;
    me->renamed |= !lethe_str_eq(row->user, row->owner);
    if (me->renamed) return LETHE_EUSAGE;
    if (!h->scrubs) return LETHE_OK;
    if (lethe_mask_query(&h->masking, row, &me->masked, me->found, &reason) != LETHE_OK)
        return lethe_no_memory(diag(h));
    if (reason) h->out->drop(h->out, w, reason, 1);
    *dropped = reason != NULL;
    return LETHE_OK;
}

static lethe_err read_log(struct microagg *h, lethe_log *log)
{
    lethe_err err =
        lethe_user_texts_read(h->run->ctx, log, change_row, h, h->run->memory_bytes / 2, &h->log);
    for (unsigned w = 0; w < h->n_workers && err == LETHE_EUSAGE; w++)
        if (h->workers[w]->renamed)
            return lethe_fail(diag(h), err,
                              "microagg puts persons together, and cannot follow a step that has "
                              "given one several names");
    LETHE_TRY(err);
    if (h->log->n >= h->k) return LETHE_OK;
    return lethe_fail(diag(h), LETHE_ANSWER_NO, "fewer than k users: there are %lu, and k is %lu",
                      (unsigned long)h->log->n, (unsigned long)h->k);
}

/* --- what it is about --- */

static lethe_err set_shares(const struct microagg *h, const char *name, const uint64_t *part,
                            uint64_t all)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *shares = lethe_json_array(doc);
    for (uint32_t l = 0; l < h->levels; l++)
        lethe_json_push(doc, shares,
                        lethe_json_new_real(doc, all ? (double)part[l] / (double)all : 0));
    lethe_json_set(doc, h->out->metrics, name, shares);
    return lethe_json_failed(doc) ? lethe_no_memory(diag(h)) : LETHE_OK;
}

/* A file of other words, taken for a directory by mistake, would put users together in no
 * meaningful way, and nobody would see it. */
static lethe_err say_classified(const struct microagg *h, enum cluster cluster)
{
    uint64_t all, *reach = lethe_alloc(h->levels, sizeof *reach);
    if (!reach) return lethe_no_memory(diag(h));
    lethe_classes_reach(h->classes, h->log, h->levels, reach, &all);
    bool any = reach[0] > 0;
    lethe_err err = set_shares(h, "classified", reach, all);
    lethe_free(reach);
    LETHE_TRY(err);
    if (any || cluster == BY_CHANCE) return LETHE_OK;
    return lethe_fail(diag(h), LETHE_ANSWER_NO,
                      "no word of the queries is in the directory: users cannot be compared");
}

static lethe_err classify(struct microagg *h)
{
    const lethe_values *v = h->run->values;
    const lethe_value *levels = lethe_value_of(v, "levels"),
                      *categories = lethe_value_of(v, "categories");
    LETHE_TRY(lethe_classify(h->run->ctx, h->dir, h->log->texts,
                             categories->word ? 0 : (uint32_t)categories->count, &h->classes));
    if (!levels->word)
        h->levels = (uint32_t)levels->count;
    else if (lethe_classes_levels(h->classes, h->log, LETHE_PATH_LEVELS_MAX, &h->levels) !=
             LETHE_OK)
        return lethe_no_memory(diag(h));
    LETHE_TRY(say_classified(h, (enum cluster)lethe_count_of(v, "cluster")));
    lethe_classes_cut(h->classes, h->levels);
    return lethe_interests_make(h->run->ctx, h->classes, h->log, &h->interests);
}

/* --- groups --- */

/* Every order of the users is as likely, so that those left over may go to the groups in turn. */
static lethe_err cluster_by_chance(struct microagg *h)
{
    uint32_t n = h->log->n, *order = lethe_alloc(n, sizeof *order);
    lethe_rng r = lethe_rng_stream(h->run->random, "microagg groups", 0);
    h->groups = (lethe_companions){.n = n / h->k, .group = lethe_alloc(n, sizeof *order)};
    if (!order || !h->groups.group) {
        lethe_free(order);
        return lethe_no_memory(diag(h));
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

static lethe_err list_members(struct microagg *h)
{
    uint32_t n = h->log->n, n_groups = h->groups.n;
    h->member_start = lethe_alloc_zero((size_t)n_groups + 1, sizeof *h->member_start);
    h->member = lethe_alloc(n, sizeof *h->member);
    if (!h->member_start || !h->member) return lethe_no_memory(diag(h));
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

static lethe_err cluster(struct microagg *h)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "groups", h->log->n);
    if (lethe_count_of(h->run->values, "cluster") == BY_CHANCE) {
        LETHE_TRY(cluster_by_chance(h));
    } else {
        lethe_err err = lethe_companions_find(ctx, &h->interests.of, h->k, &h->groups);
        if (err == LETHE_ENOMEM) return lethe_no_memory(diag(h));
        LETHE_TRY(err);
    }
    return list_members(h);
}

/* --- labels in place of texts (Batet and others, 2013) --- */

/* The name of the best category of each word, as the directory spells it. */
static lethe_err join_names(const struct microagg *h, uint32_t text, lethe_buf *b)
{
    const lethe_classes *c = h->classes;
    b->n = 0;
    for (uint64_t i = c->term_start[text]; i < c->term_start[text + 1]; i++) {
        const uint64_t *start = c->category_start + c->term[i];
        if (start[0] == start[1]) continue;
        LETHE_TRY(lethe_buf_put(b, " ", 1));
        LETHE_TRY(lethe_buf_str(b, lethe_directory_name(h->dir, c->category[start[0]])));
        if (b->n > LABEL_BYTES_MAX) break;
    }
    return LETHE_OK;
}

/* A label is published, so it is normalised and looked through as a query is. */
static lethe_err label_of(struct microagg *h, uint32_t text, lethe_buf *names, lethe_buf *normal,
                          uint32_t *out)
{
    struct worker *me = h->workers[0];
    const char *reason = NULL;
    bool invalid;
    lethe_row row = {.query = {"", 0}};
    LETHE_TRY(join_names(h, text, names));
    LETHE_TRY(lethe_normalize((lethe_str){(const char *)names->at, names->n}, normal, &row.query,
                              &invalid));
    *out = LETHE_NONE;
    if (row.query.n == 0 || names->n > LABEL_BYTES_MAX) return LETHE_OK;
    if (h->scrubs) LETHE_TRY(lethe_mask_query(&h->masking, &row, &me->masked, me->found, &reason));
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
    return err == LETHE_OK ? LETHE_OK : lethe_no_memory(diag(h));
}

/* --- what may be published --- */

static lethe_str shown_text(const struct microagg *h, uint32_t shown)
{
    return lethe_dict_at(h->labels ? h->labels : h->log->texts, shown);
}

/* Distinct users of each text, as it is published; a user may have several that share a label. */
static lethe_err count_users(const struct microagg *h, uint32_t *users, uint32_t n)
{
    uint32_t *last = lethe_alloc_zero(n, sizeof *last); /* user, from 1 on */
    if (!last) return lethe_no_memory(diag(h));
    for (uint32_t u = 0; u < h->log->n; u++)
        for (uint64_t i = h->log->start[u]; i < h->log->start[u + 1]; i++) {
            uint32_t shown = lethe_list_shown(&h->lists, h->log->text[i]);
            if (shown == LETHE_NONE || last[shown] == u + 1) continue;
            last[shown] = u + 1;
            users[shown]++;
        }
    lethe_free(last);
    return LETHE_OK;
}

static size_t longest_name(const struct microagg *h)
{
    size_t n = 0;
    for (uint32_t u = 0; u < h->log->n; u++)
        n = LETHE_MAX(n, h->log->name[u].n);
    return n;
}

/* Under any name of the group a text must make a line that can be read back. */
static lethe_err decide(struct microagg *h)
{
    uint32_t n = lethe_dict_count(h->labels ? h->labels : h->log->texts);
    uint32_t *users = lethe_alloc_zero(n, sizeof *users);
    h->fate = lethe_alloc_zero(n, sizeof *h->fate);
    h->lists = (lethe_lists){h->log, h->label, h->fate};
    lethe_err err = users && h->fate ? count_users(h, users, n) : lethe_no_memory(diag(h));
    size_t beside = longest_name(h) + SPARE_BYTES;
    assert(err != LETHE_OK || (users && h->fate));
    for (uint32_t i = 0; i < n && err == LETHE_OK; i++)
        h->fate[i] = users[i] < h->min_users                        ? TOO_FEW
                     : shown_text(h, i).n + beside > LETHE_LINE_MAX ? TOO_LONG
                                                                    : FINE;
    lethe_free(users);
    return err;
}

/* --- the list of a group --- */

static bool coin(void *arg, uint64_t more, uint64_t of) { return lethe_rng_below(arg, of) < more; }

/* The coins of a group are a stream of their own, thrown member by member and text by text: the
 * same for any number of threads. */
static lethe_err draw(const struct microagg *h, struct worker *me, uint32_t group)
{
    const uint64_t *start = h->member_start + group;
    size_t n;
    lethe_rng r = lethe_rng_stream(h->run->random, "microagg", group);
    lethe_err err = lethe_centroid_draw(&me->centroid, &h->lists, h->member + start[0],
                                        (size_t)(start[1] - start[0]), coin, &r);
    lethe_rng_wipe(&r);
    if (err != LETHE_OK) return lethe_no_memory(diag(h));
    const lethe_drawn *d = lethe_centroid_list(&me->centroid, &n);
    lethe_tally_clear(&me->tally);
    for (size_t i = 0; i < n; i++)
        lethe_tally_add(&me->tally, h->classes, d[i].source, d[i].copies, h->label != NULL);
    return LETHE_OK;
}

/* --- what a member is published with --- */

static lethe_err emit(const struct microagg *h, struct worker *me, unsigned w, uint32_t user)
{
    size_t n;
    const lethe_drawn *d = lethe_centroid_list(&me->centroid, &n);
    lethe_row row = {.owner = h->log->name[user],
                     .user = h->log->name[user],
                     .url = {"", 0},
                     .time = LETHE_NO_TIME,
                     .rank = LETHE_NO_RANK};
    for (size_t i = 0; i < n; i++) {
        row.query = shown_text(h, d[i].shown);
        for (uint64_t c = 0; c < d[i].copies; c++)
            LETHE_TRY(h->out->emit(h->out, w, &row));
        me->rows_out += d[i].copies;
    }
    return LETHE_OK;
}

/* A line is published in this sense: its text, as published, is in the list of its user. */
static void account(const struct microagg *h, const struct worker *me, unsigned w, uint32_t user)
{
    const lethe_user_texts *t = h->log;
    uint64_t kept = 0;
    for (uint64_t i = t->start[user]; i < t->start[user + 1]; i++) {
        uint32_t shown = lethe_list_shown(&h->lists, t->text[i]);
        const char *reason = not_drawn;
        if (shown == LETHE_NONE)
            reason = no_label;
        else if (h->fate[shown] != FINE)
            reason = h->fate[shown] == TOO_FEW ? too_few : too_long;
        else if (lethe_centroid_has(&me->centroid, shown))
            reason = NULL;
        if (reason)
            h->out->drop(h->out, w, reason, t->rows[i]);
        else
            kept += t->rows[i];
    }
    h->out->keep(h->out, w, kept);
}

/* --- all groups --- */

static lethe_err publish_group(struct microagg *h, unsigned w, uint32_t group, lethe_remains *to)
{
    struct worker *me = h->workers[w];
    LETHE_TRY(draw(h, me, group));
    for (uint64_t i = h->member_start[group]; i < h->member_start[group + 1]; i++) {
        LETHE_TRY(emit(h, me, w, h->member[i]));
        account(h, me, w, h->member[i]);
        lethe_remains_add(to, &h->interests.of, h->member[i], &me->tally);
    }
    return LETHE_OK;
}

static lethe_err publish_block(void *arg, size_t block, unsigned w)
{
    struct microagg *h = arg;
    uint32_t first = (uint32_t)(block * h->groups.n / h->n_blocks);
    uint32_t end = (uint32_t)((block + 1) * h->groups.n / h->n_blocks);
    for (uint32_t g = first; g < end; g++) {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(publish_group(h, w, g, &h->remains[block]));
    }
    lethe_ctx_advance(h->run->ctx, end - first);
    return LETHE_OK;
}

static lethe_err publish_all(struct microagg *h)
{
    h->n_blocks = LETHE_MIN(h->groups.n, BLOCKS_MAX);
    h->remains = lethe_alloc_zero(h->n_blocks, sizeof *h->remains);
    if (!h->remains) return lethe_no_memory(diag(h));
    for (size_t b = 0; b < h->n_blocks; b++)
        if (lethe_remains_new(h->levels, &h->remains[b]) != LETHE_OK)
            return lethe_no_memory(diag(h));
    for (unsigned w = 0; w < h->n_workers; w++)
        if (lethe_tally_new(h->dir, &h->workers[w]->tally) != LETHE_OK)
            return lethe_no_memory(diag(h));
    lethe_ctx_phase(h->run->ctx, "lists", h->groups.n);
    return lethe_pool_for(h->run->ctx, h->n_blocks, publish_block, h);
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

static lethe_err conclude(const struct microagg *h)
{
    lethe_json_doc *doc = h->out->doc;
    lethe_json *metrics = h->out->metrics;
    lethe_remains *all = &h->remains[0];
    uint64_t rows = 0;
    for (size_t b = 1; b < h->n_blocks; b++)
        lethe_remains_join(all, &h->remains[b]);
    for (unsigned w = 0; w < h->n_workers; w++)
        rows += h->workers[w]->rows_out;
    lethe_set_count(doc, metrics, "clusters", h->groups.n);
    lethe_json_set(doc, metrics, "srp", means(h, all->level, all->users));
    lethe_json_set(doc, metrics, "srp_cumulative", means(h, all->so_far, all->users_so_far));
    lethe_set_count(doc, metrics, "rows_out", rows);
    if (lethe_json_failed(doc)) return lethe_no_memory(diag(h));
    if (rows > 0) return LETHE_OK;
    return lethe_fail(diag(h), LETHE_ANSWER_NO,
                      "nothing is left to publish: no group has a list with a query in it");
}

/* --- the method --- */

static lethe_err open_all(struct microagg *h)
{
    const lethe_values *v = h->run->values;
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(diag(h));
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w] = lethe_alloc_zero(1, sizeof **h->workers);
        if (!h->workers[w]) return lethe_no_memory(diag(h));
    }
    lethe_ctx_phase(h->run->ctx, "directory", 0);
    return lethe_directory_open(h->run->ctx, lethe_value_of(v, "directory")->text, &h->dir);
}

static void workers_free(struct microagg *h)
{
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        struct worker *me = h->workers[w];
        if (!me) continue;
        lethe_buf_free(&me->masked);
        lethe_centroid_free(&me->centroid);
        lethe_tally_free(&me->tally);
        lethe_free(me);
    }
    lethe_free(h->workers);
}

static void close_all(struct microagg *h)
{
    workers_free(h);
    for (size_t b = 0; h->remains && b < h->n_blocks; b++)
        lethe_remains_free(&h->remains[b]);
    lethe_free(h->remains);
    lethe_free(h->fate);
    lethe_free(h->label);
    if (h->labels) lethe_dict_free(h->labels);
    lethe_free(h->member_start);
    lethe_free(h->member);
    lethe_companions_free(&h->groups);
    lethe_user_interests_free(&h->interests);
    lethe_classes_free(h->classes);
    lethe_user_texts_free(h->log);
    lethe_directory_free(h->dir);
}

static lethe_err pass(struct microagg *h, lethe_log *log)
{
    LETHE_TRY(open_all(h));
    LETHE_TRY(read_log(h, log));
    LETHE_TRY(classify(h));
    LETHE_TRY(cluster(h));
    if (h->synthetic) LETHE_TRY(label_all(h));
    LETHE_TRY(decide(h));
    LETHE_TRY(publish_all(h));
    return conclude(h);
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    struct microagg h = {
        .run = run,
        .out = out,
        .k = (uint32_t)lethe_count_of(v, "k"),
        .min_users = (uint64_t)lethe_count_of(v, "min-users"),
        .scrubs = !lethe_count_of(v, "no-scrub"),
        .synthetic = lethe_count_of(v, "synthetic"),
        .masking = {.detector = {.kinds = LETHE_PII_ALL},
                    .hashes_pass = lethe_claims_allow_hashes(run->claims)},
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = pass(&h, in->log);
    close_all(&h);
    return err;
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "user-k-anonymity");
    lethe_json_set(doc, c, "k", lethe_json_new_int(doc, lethe_count_of(v, "k")));
    lethe_json_push(doc, out, c);
    if (!lethe_count_of(v, "no-scrub")) lethe_scrubbed_claim(LETHE_PII_ALL, doc, out);
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = 0;
    if (lethe_count_of(v, "min-users") < 2)
        out[n++] =
            lethe_count_of(v, "synthetic")
                ? "--min-users 1: labels that one user's queries alone gave are published."
                : "--min-users 1: texts that one user alone issued are published, and nearly "
                  "all that name a person are among these.";
    if (lethe_count_of(v, "no-scrub"))
        out[n++] = "--no-scrub: numbers, addresses and URLs in queries are published as they were "
                   "typed, and nothing was looked for.";
    if (lethe_count_of(v, "synthetic"))
        out[n++] = "--synthetic: rows hold names of categories in place of what was typed; a word "
                   "may be the name of its own category, and a category of few things tells "
                   "nearly as much as their names.";
    if (lethe_count_of(v, "cluster") == BY_CHANCE)
        out[n++] = "--cluster random: users are put together by chance, so that a list says little "
                   "about those who are published with it.";
    return n;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    {.name = "k",
     .letter = 'k',
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 2,
     .max = 1e9,
     .required = true,
     .help = "how many users a group has at least, all published with the same queries"},
    {.name = "levels",
     .type = LETHE_OPT_COUNT,
     .arg = "N|auto",
     .word = "auto",
     .fallback = "5",
     .min = 1,
     .max = LETHE_PATH_LEVELS_MAX,
     .help = "how deep categories are compared; auto: as deep as at least half of the words reach"},
    {.name = "categories",
     .type = LETHE_OPT_COUNT,
     .arg = "N|all",
     .word = "all",
     .fallback = "5",
     .min = 1,
     .max = 1e6,
     .help = "how many categories of a word count, the best first"},
    {.name = "directory",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|FILE",
     .word = "wordnet",
     .fallback = "wordnet",
     .help = "where the categories of words come from: WordNet, or a file of lines term TAB path"},
    {.name = "cluster",
     .type = LETHE_OPT_CHOICE,
     .arg = "similarity|random",
     .fallback = "similarity",
     .help = "who goes together: users with most in common, or any (the paper's worst case)"},
    {.name = "min-users",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "2",
     .min = 1,
     .max = 1e9,
     .help = "publish no text (with --synthetic: no label) that fewer users have; it still tells "
             "what they are interested in"},
    {.name = "synthetic",
     .type = LETHE_OPT_FLAG,
     .help = "publish the names of categories in place of the words of queries"},
    {.name = "no-scrub",
     .type = LETHE_OPT_FLAG,
     .help = "do not mask personal data in queries first, as scrub does"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"clusters", "groups of users", 0},
    {"srp",
     "an array: by level, the share of what a user's queries are about that the published ones "
     "are about too, the mean over users (null: nobody has a category there); by chance it would "
     "be near 1 / k",
     1},
    {"srp_cumulative", "an array: the same, with the levels up to this one added up", 1},
    {"classified",
     "an array: by level, the share of the words of all queries that have a category so deep", 1},
    {"rows_out", "rows of the release: each user of a group has all rows of its list", 0},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Queries are published word for word, and those that a user repeats most come first: where the "
    "user's share of the group's queries times the repetitions reaches 1, the text is published "
    "for certain. Searches for one's own name or street are such texts. That k users have the same "
    "list hides who of them asked, not what was asked. --min-users keeps out what few users asked, "
    "--synthetic publishes categories in place of texts.",
    "Who knows which users share a list knows that each of its queries was asked by one of them at "
    "least; where the members asked alike, which is why they were put together, what they share is "
    "told of each of them.",
    "Members give to the list by how much they asked: that of a group with one heavy user is "
    "nearly that user's own, and the others are published with it.",
    "Queries whose words have no category do not count when users are compared, and may still be "
    "published for all of a group.",
    "A list is drawn, and is no user's own: it holds queries that most of its users never asked, "
    "lacks others, and is on average shorter than theirs, for who asked little seldom fills a "
    "quota. Times, ranks and clicks are left out. Counts of users and of queries that occur "
    "together are those of the lists.",
    "Who knows the seed and the log can draw the same lists again, and see whose queries they are: "
    "a --seed is to be kept as secret as the log.",
    "Several accounts of one person count as several users.",
    "Two releases of the same or an overlapping log, with other groups, can be compared: a query "
    "that is in both lists of a user points to that user.",
    NULL,
};

const lethe_method lethe_method_microagg = {
    .name = "microagg",
    .summary = "publish users with common interests in groups, all with the same queries",
    .description =
        "Looks up the words of all queries in a directory of categories, counts for each user how "
        "often each category is met, at each level from the top one to --levels, and puts users "
        "together that have most in common: the two of all that share most, then the one that "
        "shares most with these two together, until there are k; then the next group. Fewer than k "
        "that are left over join the groups they share most with. What two users share is the sum "
        "over all categories of the lesser of their two counts.\n"
        "\n"
        "All users of a group are then published with one list of queries, drawn from those of all "
        "members. A member of a group of z gives a z-th of its queries, rounded, those that it "
        "asked most often first: of a query that it asked r times, its share of the group's "
        "queries times r, rounded up or down by chance. The list holds queries alone: no times, no "
        "ranks and no URLs. Lines of the log with the same user, text and time are one query; "
        "where a log has no times, so are all with the same user and text.\n"
        "\n"
        "First, personal data in queries is masked as scrub does it (all kinds), and the release "
        "promises that too; --no-scrub leaves that out. Texts that fewer than --min-users users "
        "asked are left out of the lists before they are drawn, but count for what their users are "
        "interested in. With --synthetic the words of a query are replaced by the names of their "
        "best categories, at the deepest level that counts; words without one are left out, and "
        "what is said of texts then holds for these labels.\n"
        "\n"
        "The rows of the release are no lines of the log. In the manifest's counts a line is "
        "published if its text is in the list that its user is published with, and rows_out counts "
        "the rows. No other step can follow this one, and none that gives a person several names "
        "can come before it. Users without any word that has a category are put together with "
        "others all the same; if nobody has one, the run ends.",
    .paper = "A. Erola, J. Castella-Roca, G. Navarro-Arribas and V. Torra, \"Semantic "
             "microaggregation for the anonymization of query logs using the Open Directory "
             "Project\", SORT special issue, 2011, sections 2.3 and 3; --synthetic after M. Batet "
             "and others, 2013",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .options = options,
    .knowledge = "directory",
    .figures = figures,
    .notion = "user-k-anonymity",
    .claims = claims,
    .samples = true,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 1},
    .keeps =
        "the interests of groups of users, in queries as they were typed; no times and no clicks",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe microagg log.tsv.gz -k 5 -o release/",
    .run = run,
};
