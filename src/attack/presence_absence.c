/* SPDX-License-Identifier: Apache-2.0 */
/* presence_absence.c - an adversary who knows of a person that some items are there and some are
 * not, and looks for the sets that fit.
 *
 * This is the one that KL(m,n)-privacy is defined against: J. Liu, "Enhancing Utility in
 * Privacy Preserving Data Publishing", 2010, section 4.2.  He
 * knows up to M items of one of a person's records, drawn at random, and up to N that the person
 * does not have, drawn at random from the items that others have, each as likely as any other.
 * Sensitive items are what he wants to know: he knows none, neither that it is there nor that it is
 * not.  Who has no public item is not looked for.
 *
 * With --sensitive-known he also knows that up to so many sensitive items are there, of the same
 * record, drawn at random, and wants to know others; those who have none are not looked for.  This
 * is the adversary of rho-uncertainty (J. Cao, P. Karras, C. Raissi and K.-L. Tan, VLDB 2010), whom
 * KL(m,n)-privacy by itself does not take into account.
 *
 * Before, he has the original sets, a person's records merged as the release's method merges them:
 * a candidate has all items of the first kind and none of the second.  After, he has the release,
 * and excludes what cannot be (attack/set_search.h): a published set must show, for each item that
 * is there, one that may be it; and must show none that can only be items that are not there.  An
 * item that the release shows nowhere is no clue.  So with M <= m and N <= n all he uses is
 * knowledge within the power (m,n), of the published items: each item that is there counts for one
 * published item, and what is excluded has no more leaves than he knows items that are not there.
 * A release that is KL(m,n)-private leaves him no candidate or k of them, and no sensitive item in
 * more than 1/l.
 *
 * He chooses among the candidates at random.  `success` is the chance that the record he chooses is
 * the person's; without a map the person's records, as far as there is room, are taken to be among
 * the candidates.  His confidence in a sensitive item is the share of candidates that have it; of a
 * person's, the greatest counts.
 *
 * Where an item is suppressed or generalized in some sets and not in others, a person's own record
 * need not fit: then he is misled, or finds nobody.
 *
 * Up to 1000 persons are drawn, by the stream of --seed, or by a fixed one: the same for the same
 * original.  Memory: 4 bytes for each item of a set, before and after, and for each thread as much
 * for each set and node. */
#include "attack/attack.h"
#include "attack/sample.h"
#include "attack/set_search.h"
#include "model/knowledge/knowledge.h"
#include "model/published/published_records.h"
#include "model/records/record_map.h"
#include "core/sort.h"
#include <stdlib.h>

enum { SAMPLE = 1000 };
#define SEED UINT64_C(20060301)

/* Records to choose from, how many of them are the person's own, and how many have the sensitive
 * item that most have. */
struct found {
    uint64_t candidates, own, with;
};

enum { BEFORE, AFTER, TIMES };

struct person_search {
    lethe_comparison *c;
    lethe_arena *arena;
    const lethe_records *original;
    const lethe_tree *tree;
    uint32_t n_public; /* nodes; those past them are sensitive items, in their order */
    uint64_t known, absent, sensitive;
    lethe_published_records *published;
    uint64_t *line; /* by record: the line it became; NULL: there is no map */
    lethe_set_index index[TIMES];
    lethe_person_sample sample;
    struct found *found[TIMES]; /* by person */
    double *blind;              /* by person: the chance that a published record is theirs */
    lethe_set_scratch *scratch; /* by thread */
    unsigned n_scratch;
};

/* --- the sets --- */

/* The original is a release that shows every item as it is. */
static lethe_err original_show(struct person_search *a)
{
    const lethe_records *o = a->original;
    lethe_set_index *s = &a->index[BEFORE];
    uint32_t n = a->tree->n, *node = lethe_new(a->arena, uint32_t, n);
    uint64_t *first = lethe_new(a->arena, uint64_t, (size_t)n + 1);
    if (!node || !first) return LETHE_ENOMEM;
    for (uint32_t v = 0; v < n; v++) {
        node[v] = v;
        first[v + 1] = (uint64_t)v + 1;
    }
    *s = (lethe_set_index){.n = o->n,
                           .start = o->start,
                           .item = o->item,
                           .items = {a->tree, n, first, node},
                           .n_marks = a->tree->n - a->n_public,
                           .first_mark = a->n_public,
                           .mark_start = o->mark_start,
                           .mark = o->mark};
    return lethe_set_index_build(s, a->arena);
}

static lethe_err published_show(struct person_search *a)
{
    const lethe_published_records *p = a->published;
    lethe_set_index *s = &a->index[AFTER];
    *s = (lethe_set_index){.n = p->n,
                           .first = p->first,
                           .start = p->start,
                           .item = p->item,
                           .n_marks = a->tree->n - a->n_public,
                           .first_mark = a->n_public};
    LETHE_TRY(lethe_published_items_read(a->tree, p->items, a->arena, &s->items));
    if (s->n_marks > 0) {
        /* Equal items of a record follow each other. */
        uint64_t *start = lethe_new(a->arena, uint64_t, s->n + 1);
        lethe_u32s mark = {0};
        if (!start) return LETHE_ENOMEM;
        for (size_t set = 0; set < s->n; set++) {
            for (uint64_t i = s->start[set]; i < s->start[set + 1]; i++) {
                uint32_t item = s->item[i];
                if ((i > s->start[set] && s->item[i - 1] == item) ||
                    lethe_item_size(&s->items, item) != 1)
                    continue;
                uint32_t node = s->items.node[s->items.first[item]], m = node - a->n_public;
                if (node >= a->n_public) LETHE_TRY(lethe_u32s_append(a->arena, &mark, &m, 1));
            }
            start[set + 1] = mark.n;
        }
        s->mark_start = start;
        s->mark = mark.at;
    }
    return lethe_set_index_build(s, a->arena);
}

/* --- the search --- */

static lethe_err search_one(void *arg, size_t i, unsigned number)
{
    struct person_search *a = arg;
    const lethe_sampled_person *p = &a->sample.person[i];
    lethe_known_items k = {p->present, p->absent, p->n_present, p->n_absent};
    lethe_set_scratch *v = &a->scratch[number];
    for (int time = 0; time < TIMES; time++) {
        lethe_set_matches fit;
        if (lethe_set_search(&a->index[time], &k, v, &fit) != LETHE_OK)
            return lethe_no_memory(a->c->ctx);
        uint64_t own = time == AFTER && !a->line ? LETHE_MIN(p->n, fit.records) : 0;
        for (size_t r = 0; (time == BEFORE || a->line) && r < p->n; r++) {
            size_t record = a->sample.record[p->first + r];
            if (time == BEFORE)
                own += lethe_set_fits(v, record);
            else if (a->line[record] != LETHE_NOT_PUBLISHED)
                own += lethe_set_fits(v, lethe_published_record_of(a->published, a->line[record]));
        }
        a->found[time][i] = (struct found){fit.records, own, fit.with};
    }
    uint64_t published = a->line ? 0 : LETHE_MIN(p->n, a->published->n_records);
    for (size_t r = 0; a->line && r < p->n; r++)
        published += a->line[a->sample.record[p->first + r]] != LETHE_NOT_PUBLISHED;
    a->blind[i] = (double)published / (double)LETHE_MAX(a->published->n_records, 1);
    lethe_ctx_advance(a->c->ctx, 1);
    return LETHE_OK;
}

/* --- what is claimed --- */

struct claimed {
    uint64_t k;    /* the greatest there is, or 2: to be alone is an anonymity of one */
    double l, h;   /* at most 1/l, at most h of those who fit have one sensitive item */
    bool limits;   /* is one of these claimed? */
    bool exceeded; /* is more known than a claim allows for? */
};

static bool over(uint64_t known, const lethe_json *claim, const char *name)
{
    return (int64_t)known > lethe_json_int(lethe_json_get(claim, name));
}

static struct claimed claims_read(const struct person_search *a)
{
    const lethe_json *claims = lethe_json_get(a->c->published->manifest, "claims");
    struct claimed c = {.k = 2, .l = 1, .h = 1};
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        lethe_str notion = lethe_json_text(lethe_json_get(claim, "notion"));
        int64_t k = lethe_json_int(lethe_json_get(claim, "k"));
        if (k > 0) c.k = LETHE_MAX(c.k, (uint64_t)k);
        if (lethe_str_eq(notion, LETHE_LIT("kl-privacy"))) {
            c.limits = true;
            c.l = LETHE_MAX(c.l, lethe_json_real(lethe_json_get(claim, "l")));
            if (over(a->known, claim, "m") || over(a->absent, claim, "n") ||
                over(a->sensitive, claim, "sensitive_known"))
                c.exceeded = true;
        } else if (lethe_str_eq(notion, LETHE_LIT("coherence"))) {
            c.limits = true;
            c.h = LETHE_MIN(c.h, lethe_json_real(lethe_json_get(claim, "h")));
            if (over(a->known, claim, "p") || a->absent > 0 || a->sensitive > 0) c.exceeded = true;
        }
    }
    return c;
}

/* --- the answer --- */

/* Over the persons drawn. */
struct summary {
    double success, among, median, mean, under_k, none, confidence, confidence_max, over;
    uint64_t least;
};

/* `size` is room for a number a person. */
static struct summary summarize(const struct found *f, size_t n, const struct claimed *c,
                                uint64_t *size)
{
    const struct found *end = f + n;
    struct summary s = {0};
    double *const means[] = {&s.mean, &s.none,    &s.under_k,   &s.among,
                             &s.over, &s.success, &s.confidence};
    if (n == 0) return s;
    for (; f < end; f++) {
        *size++ = f->candidates;
        s.none += f->candidates == 0;
        s.among += f->own > 0;
        if (f->candidates == 0) continue;
        double confidence = (double)f->with / (double)f->candidates;
        s.mean += (double)f->candidates;
        s.under_k += f->candidates < c->k;
        // as the claims are meant
        s.over +=
            (f->with > 0 && (double)f->candidates / (double)f->with < c->l) || confidence > c->h;
        s.success += (double)f->own / (double)f->candidates;
        s.confidence += confidence;
        s.confidence_max = LETHE_MAX(s.confidence_max, confidence);
    }
    size -= n;
    for (size_t i = 0; i < LETHE_COUNT(means); i++)
        *means[i] /= (double)n;
    qsort(size, n, sizeof *size, lethe_u64_cmp);
    s.least = size[0];
    size_t low = (n - 1) / 2, high = n / 2;
    s.median = ((double)size[low] + (double)size[high]) / 2;
    return s;
}

static void summary_set(const struct person_search *a, const struct summary *s,
                        const struct claimed *c, int time, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "success", s->success);
    if (time == AFTER && a->line) lethe_set_real(doc, o, "among", s->among);
    lethe_set_real(doc, o, "median", s->median);
    lethe_set_real(doc, o, "mean", s->mean);
    lethe_set_count(doc, o, "min", s->least);
    lethe_set_real(doc, o, "under_k", s->under_k);
    lethe_set_real(doc, o, "none", s->none);
    if (a->index[time].n_marks > 0) {
        lethe_set_real(doc, o, "confidence", s->confidence);
        lethe_set_real(doc, o, "confidence_max", s->confidence_max);
        if (c->limits) lethe_set_real(doc, o, "over_limit", s->over);
    }
    lethe_json_set(doc, out, time == BEFORE ? "candidates_before" : "candidates_after", o);
}

/* --- the whole --- */

/* By what is lacking: a map (1), room in the claim (2). */
static const char *const notes[] = {
    "", "success is an upper bound: without --map, nobody knows whose record is which",
    "the adversary knows more than the claim allows for",
    "upper bound without --map; the adversary knows more than the claim allows for"};

static lethe_err attack_run(struct person_search *a, lethe_json_doc *doc, lethe_json *out)
{
    a->arena = lethe_arena_new();
    if (!a->arena) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(lethe_attack_records(a->c, a->arena, &a->published, &a->line));
    if (LETHE_MAX(a->published->n, a->original->n) >= UINT32_MAX)
        return lethe_fail(a->c->ctx, LETHE_EINPUT, "too many records: the limit is 4294967294");
    lethe_person_sample_options by = {.seed = a->c->has_seed ? a->c->seed : SEED,
                                      .n_nodes = a->tree->n,
                                      .n_public = a->n_public,
                                      .persons = SAMPLE,
                                      .present = a->known,
                                      .absent = a->absent,
                                      .sensitive = a->sensitive};
    lethe_err e = lethe_person_sample_draw(a->original, &by, a->arena, &a->sample);
    if (e == LETHE_OK) e = original_show(a);
    if (e == LETHE_OK) e = published_show(a);
    if (e != LETHE_OK) return e == LETHE_ENOMEM ? lethe_no_memory(a->c->ctx) : e;
    size_t n_sets = LETHE_MAX(a->index[BEFORE].n, a->index[AFTER].n);
    unsigned n = lethe_ctx_threads(a->c->ctx);
    a->scratch = lethe_new(a->arena, lethe_set_scratch, n);
    if (!a->scratch) return lethe_no_memory(a->c->ctx);
    a->n_scratch = n;
    for (unsigned w = 0; w < n; w++)
        if (lethe_set_scratch_init(&a->scratch[w], n_sets, a->tree->n, a->index[BEFORE].n_marks) !=
            LETHE_OK)
            return lethe_no_memory(a->c->ctx);
    a->blind = lethe_new(a->arena, double, a->sample.n + 1);
    if (!a->blind) return lethe_no_memory(a->c->ctx);
    for (int time = 0; time < TIMES; time++) {
        a->found[time] = lethe_new(a->arena, struct found, a->sample.n + 1);
        if (!a->found[time]) return lethe_no_memory(a->c->ctx);
    }
    lethe_ctx_phase(a->c->ctx, "looking for sets that fit", a->sample.n);
    LETHE_TRY(lethe_pool_for(a->c->ctx, a->sample.n, search_one, a));
    struct claimed c = claims_read(a);
    struct summary s[TIMES];
    uint64_t *size = lethe_new(a->arena, uint64_t, a->sample.n + 1);
    if (!size) return lethe_no_memory(a->c->ctx);
    for (int time = 0; time < TIMES; time++)
        s[time] = summarize(a->found[time], a->sample.n, &c, size);
    double blind = 0;
    for (size_t i = 0; i < a->sample.n; i++)
        blind += a->blind[i];
    lethe_set_real(doc, out, "success", s[AFTER].success);
    lethe_set_real(doc, out, "before", s[BEFORE].success);
    lethe_set_real(doc, out, "baseline", blind / (double)LETHE_MAX(a->sample.n, 1));
    lethe_set_count(doc, out, "persons", a->sample.n);
    lethe_set_count(doc, out, "known", a->known);
    lethe_set_count(doc, out, "absent", a->absent);
    if (a->sensitive > 0) lethe_set_count(doc, out, "sensitive_known", a->sensitive);
    lethe_set_count(doc, out, "k", c.k);
    if (c.limits && a->index[AFTER].n_marks > 0)
        lethe_set_real(doc, out, "limit", LETHE_MIN(1 / c.l, c.h));
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, a->line != NULL));
    for (int time = 0; time < TIMES; time++)
        summary_set(a, &s[time], &c, time, doc, out);
    int which = !a->line + 2 * c.exceeded;
    if (which > 0) lethe_set_text(doc, out, "note", notes[which]);
    lethe_set_text(doc, out, "meaning", lethe_adversary_presence_absence.meaning);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    const lethe_value *absent = lethe_value_of(c->values, "absent");
    struct person_search a = {.c = c,
                              .original = c->original.records,
                              .tree = c->original.tree,
                              .n_public = c->taxonomy ? c->taxonomy->n + 1 : c->original.tree->n,
                              .known = (uint64_t)lethe_count_of(c->values, "known"),
                              .sensitive = (uint64_t)lethe_count_of(c->values, "sensitive-known")};
    a.absent = absent->given ? (uint64_t)absent->count : a.known;
    lethe_err e = attack_run(&a, doc, out);
    for (unsigned w = 0; w < a.n_scratch; w++)
        lethe_set_scratch_free(&a.scratch[w]);
    lethe_published_records_free(a.published);
    lethe_arena_free(a.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    LETHE_ATTACK_KNOWN("how many items of a person are known"),
    {.name = "absent",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 0,
     .max = 1000,
     .help = "number of items the adversary knows a person does not have [default: as --known]"},
    {.name = "sensitive-known",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "number of sensitive items of a person the adversary knows, besides the others"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_presence_absence = {
    .name = "presence-absence",
    .summary = "how many sets fit the items that a person is known to have and to lack?",
    .threat = LETHE_THREAT_SINGLING_OUT,
    .trials = "persons",
    .shapes = LETHE_SHAPE_RECORDS,
    .options = options,
    .meaning = "chance of choosing a person's set when a few items in it and a few items not in it "
               "are known, among the published sets that fit (without --map: if the person's own "
               "are among them); before: among the original sets; baseline: a published set chosen "
               "at random",
    .run = run,
};
