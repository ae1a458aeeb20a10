/* SPDX-License-Identifier: Apache-2.0 */
/* ssg.c - groups of k persons with vocabularies of similar meaning, each published as the typical
 * vocabulary of its group.  J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing",
 * Simon Fraser University, 2010, chapter 5: Algorithm 5.1 (vocabulary.h), semantic distance
 * (meaning.h), the centre of a group (hyper.h) and bLM (section 5.5.1.2).  Beyond the thesis:
 * persons,
 * --min-owners, and groups refined while bLM falls (refine_blm.h). */
#include "method/cluster/ssg/ssg_internal.h"
#include "algo/generalized.h"
#include "io/json/json.h"
#include "method/cluster/refine/refine_blm.h"

enum nearest { NEAREST_CENTRE, NEAREST_MEMBERS }; /* as the choices of --nearest */

static lethe_err with_message(const struct lethe_ssg *h, lethe_err err)
{
    if (err == LETHE_ENOMEM) return lethe_no_memory(lethe_ssg_diag(h));
    if (err == LETHE_EINPUT)
        return lethe_fail(lethe_ssg_diag(h), err,
                          "two vocabularies have too many pairs of terms to match");
    return err;
}

/* --- epsilon and omega --- */

enum { EPSILON_TERMS = 2048 }; /* whose distances decide about --epsilon auto: all, if so few */

/* The lower quartile of the distances, in edges, of two different terms: a term may stand for the
 * nearest quarter of the others.  On nouns of search logs that is 12 to 14, the thesis' 6 taken as
 * levels, each an edge up and one down.  Of more terms than EPSILON_TERMS, evenly spaced ones are
 * asked. */
static lethe_err epsilon_auto(const struct lethe_ssg *h, const uint32_t *term, size_t n,
                              uint32_t *out)
{
    size_t n_asked = LETHE_MIN(n, EPSILON_TERMS), distances = 2 * (size_t)h->t->height + 1;
    uint64_t n_pairs = n_asked ? n_asked * (n_asked - 1) / 2 : 0;
    uint64_t *pairs = lethe_alloc_zero(distances, sizeof *pairs); // at each distance
    if (!pairs) return lethe_no_memory(lethe_ssg_diag(h));
    for (size_t i = 0; i < n_asked; i++)
        for (size_t k = 0; k < i; k++)
            pairs[lethe_tree_distance(h->t, term[i * n / n_asked], term[k * n / n_asked])]++;
    *out = 0;
    for (uint64_t nearer = pairs[0]; 4 * nearer < n_pairs; nearer += pairs[*out])
        ++*out;
    lethe_free(pairs);
    return LETHE_OK;
}

/* A number of edges or links or, with a file of distances, of millionths. */
static lethe_err read_distance(const struct lethe_ssg *h, const char *option, const lethe_value *v,
                               bool round, uint64_t *out)
{
    if (h->metric == LETHE_SSG_FILE) {
        uint32_t weight = 0;
        const char *fault = lethe_edge_weight(lethe_str_of(v->text), &weight);
        if (fault) return lethe_fail(lethe_ssg_diag(h), LETHE_EUSAGE, "--%s: %s", option, fault);
        *out = weight;
        return LETHE_OK;
    }
    uint64_t whole = (uint64_t)(v->count ? 2 * v->real : v->real); // a level is two edges
    if (!round && (double)whole < v->real)
        return lethe_fail(lethe_ssg_diag(h), LETHE_EUSAGE,
                          "--%s: distances are whole numbers with this metric", option);
    *out = whole;
    return LETHE_OK;
}

static lethe_err read_epsilon(const struct lethe_ssg *h, const uint32_t *term, size_t n,
                              uint32_t *out)
{
    const lethe_value *v = lethe_value_of(h->run->values, "epsilon");
    uint64_t epsilon = 0;
    if (h->metric == LETHE_SSG_FILE && v->word)
        return lethe_fail(lethe_ssg_diag(h), LETHE_EUSAGE,
                          "--epsilon auto does not work with a file of distances: it counts "
                          "edges of the taxonomy; give a number");
    if (h->metric != LETHE_SSG_TREE && !v->word && v->count)
        return lethe_fail(lethe_ssg_diag(h), LETHE_EUSAGE,
                          "--epsilon: levels are those of the taxonomy; with this metric, give a "
                          "distance");
    if (v->word) return epsilon_auto(h, term, n, out);
    LETHE_TRY(read_distance(h, "epsilon", v, true, &epsilon));
    *out = (uint32_t)LETHE_MIN(epsilon, UINT32_MAX - 1);
    return LETHE_OK;
}

/* --- meaning --- */

static lethe_err open_meaning(struct lethe_ssg *h)
{
    lethe_ctx *ctx = h->run->ctx;
    uint32_t *term = NULL;
    size_t n = 0;
    lethe_wordnet *wn = NULL;
    lethe_edges *edges = NULL;
    lethe_err err;
    const lethe_value *v = lethe_value_of(h->run->values, "omega");
    lethe_assign_omega *omega = &h->how.matcher.omega;
    omega->kind = !v->present ? LETHE_ASSIGN_OMEGA_OVER
                  : v->word   ? LETHE_ASSIGN_OMEGA_NONE
                              : LETHE_ASSIGN_OMEGA_IS;
    if (omega->kind == LETHE_ASSIGN_OMEGA_IS)
        LETHE_TRY(read_distance(h, "omega", v, false, &omega->value));
    LETHE_TRY(with_message(h, lethe_ssg_terms(h->r, &term, &n)));
    h->distinct_before = n;
    err = read_epsilon(h, term, n, &h->epsilon);
    lethe_meaning_terms terms = {.at = term, .n = n, .name = lethe_meaning_tree_name, .arg = h->t};
    lethe_ctx_phase(ctx, "meaning", 0);
    if (err != LETHE_OK) {
        // said already
    } else if (h->metric == LETHE_SSG_TREE) {
        err = lethe_meaning_tree(ctx, h->t, &terms, h->epsilon, &h->meaning);
    } else if (h->metric == LETHE_SSG_NETWORK) {
        err = lethe_wordnet_open(ctx, NULL, &wn);
        if (err == LETHE_OK) err = lethe_meaning_network(ctx, wn, &terms, h->epsilon, &h->meaning);
        lethe_wordnet_free(wn);
    } else {
        const char *path = lethe_value_of(h->run->values, "metric")->text;
        lethe_naming naming =
            h->r->of_log ? LETHE_NAMES_TERMS : LETHE_NAMES_ITEMS; // as the records'
        err = lethe_edges_read(ctx, path, naming, &edges);
        if (err == LETHE_OK) err = lethe_meaning_edges(ctx, edges, &terms, h->epsilon, &h->meaning);
        lethe_edges_free(edges);
    }
    lethe_free(term);
    h->how.matcher.meaning = h->meaning;
    return err;
}

/* --- the method --- */

static bool any_empty(const lethe_records *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (lethe_record_size(r, i) == 0) return true;
    return false;
}

/* Where LG(bag) loses less, its groups are taken, and all of their terms climb: that loses no more.
 * With more owners than k a group may publish nothing, and records without terms are no group of
 * LG(bag)'s; then there is nothing to compare. */
static lethe_err climb_all(struct lethe_ssg *h)
{
    lethe_ctx *ctx = h->run->ctx;
    uint64_t lost = 0, lg_lost = 0;
    lethe_ssg_groups lg = {0};
    LETHE_TRY(lethe_ssg_climb(ctx, &h->how, h->t, &h->groups, lethe_ssg_scale(h), h->arena,
                              &h->climbed, &lost));
    if ((!h->of_log && h->min_owners > h->how.k) || any_empty(h->r)) return LETHE_OK;
    LETHE_TRY(lethe_ssg_lg_bag(ctx, &h->how, h->t, lethe_ssg_scale(h), &lg, &lg_lost));
    if (lg_lost >= lost) {
        lethe_ssg_groups_free(&lg);
        return LETHE_OK;
    }
    lg.pairs = h->groups.pairs;
    lg.pairs_all = h->groups.pairs_all;
    lethe_ssg_groups_free(&h->groups);
    h->groups = lg;
    return lethe_ssg_climb(ctx, &h->how, h->t, &h->groups, lethe_ssg_scale(h), h->arena,
                           &h->climbed, &lost);
}

static double share(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static lethe_err run_phases(struct lethe_ssg *h)
{
    int64_t rounds = lethe_count_of(h->run->values, "refine");
    uint64_t n = h->how.each ? h->r->n : h->r->n_owners;
    if (n < h->how.k)
        return lethe_fail(lethe_ssg_diag(h), LETHE_ANSWER_NO,
                          "fewer than k %s: there are %llu, and k is %llu",
                          h->how.each ? "records" : "persons", (unsigned long long)n,
                          (unsigned long long)h->how.k);
    LETHE_TRY(lethe_generalized_fits(lethe_ssg_diag(h), h->r, h->t));
    h->arena = lethe_arena_new();
    if (!h->arena) return lethe_no_memory(lethe_ssg_diag(h));
    LETHE_TRY(open_meaning(h));
    LETHE_TRY(lethe_ssg_run(h->run->ctx, &h->how, &h->groups));
    if (rounds > 0)
        LETHE_TRY(with_message(h, lethe_refine_blm(h->run->ctx, &h->how, lethe_ssg_scale(h),
                                                   (uint64_t)rounds, &h->groups)));
    if (h->climbs) LETHE_TRY(with_message(h, climb_all(h)));
    LETHE_TRY(lethe_ssg_publish_groups(h));
    const lethe_ssg_groups *all = &h->groups;
    for (uint32_t g = 0; g < all->n; g++) {
        for (uint32_t i = all->first[g]; i < all->first[g + 1]; i++)
            LETHE_TRY(h->out->record(h->out, all->member[i], g, h->item[g], h->n_items[g]));
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
    }
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    uint64_t items = h->r->start[h->r->n];
    lethe_set_real(doc, m, "blm", share(h->lost, items) / (double)lethe_ssg_scale(h));
    double suppressed = (double)(items - h->published);
    lethe_set_real(doc, m, "distance_loss", items ? (h->distance + suppressed) / (double)items : 0);
    lethe_set_real(doc, m, "epsilon", h->epsilon / (h->metric == LETHE_SSG_FILE ? 1e6 : 1));
    lethe_set_count(doc, m, "clusters", all->n);
    lethe_set_real(doc, m, "distinct_terms_share", share(h->distinct, h->distinct_before));
    lethe_set_real(doc, m, "avg_size_share", share(h->published, items));
    lethe_set_real(doc, m, "words_share", share(h->words, h->published));
    lethe_set_count(doc, m, "empty", h->empty);
    lethe_set_count(doc, m, "pairs", all->pairs);
    lethe_set_real(doc, m, "pairs_share", share(all->pairs, all->pairs_all));
    return lethe_json_failed(doc) ? lethe_no_memory(lethe_ssg_diag(h)) : LETHE_OK;
}

/* The thesis' own is the centre; with --centre bag that is what all members have. */
static bool by_members(const lethe_values *v)
{
    const lethe_value *nearest = lethe_value_of(v, "nearest");
    if (nearest->present) return nearest->count == NEAREST_MEMBERS;
    return lethe_count_of(v, "refine") > 0 || lethe_count_of(v, "centre") == LETHE_SSG_BAG;
}

enum {
    MANY = 5
}; /* persons of the log who make a term common; of a group, from which log is usual */

/* With k = 2, both members of a group used a term that two must have used, and a bag lists the
 * terms of all members: there the log's rule would tell more (docs/ssg.md). */
static bool is_of_log(const lethe_values *v)
{
    const lethe_value *owners = lethe_value_of(v, "owners");
    if (owners->present) return owners->count == 1;
    return !lethe_value_of(v, "min-owners")->present && lethe_count_of(v, "k") >= MANY &&
           lethe_count_of(v, "centre") != LETHE_SSG_BAG;
}

/* Two of a group, or of the log MANY and no fewer than k. */
static uint64_t min_owners(const lethe_values *v)
{
    const lethe_value *least = lethe_value_of(v, "min-owners");
    if (least->present) return (uint64_t)least->count;
    return is_of_log(v) ? (uint64_t)LETHE_MAX(lethe_count_of(v, "k"), MANY) : 2;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    const lethe_value *metric = lethe_value_of(v, "metric");
    struct lethe_ssg h = {
        .run = run,
        .out = out,
        .t = in->tree,
        .r = in->records,
        .centre = (enum lethe_ssg_centre)lethe_count_of(v, "centre"),
        .metric = !metric->word        ? LETHE_SSG_FILE
                  : metric->count == 0 ? LETHE_SSG_TREE
                                       : LETHE_SSG_NETWORK,
        .of_log = is_of_log(v),
        .climbs = lethe_count_of(v, "unmatched") == 0,
        .min_owners = min_owners(v),
        .how = {.records = in->records,
                .matcher = {.greedy = lethe_count_of(v, "matching") == 1},
                .each = lethe_count_of(v, "persons") == 1,
                .by_members = by_members(v),
                .k = (uint64_t)lethe_count_of(v, "k")},
    };
    lethe_err err = run_phases(&h);
    lethe_ssg_groups_free(&h.groups);
    lethe_meaning_free(h.meaning);
    lethe_free(h.use);
    lethe_free(h.used);
    lethe_free(h.meet);
    lethe_arena_free(h.arena);
    return err;
}

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_record_claim(v, doc);
    if (is_of_log(v)) lethe_set_count(doc, c, "term-persons", min_owners(v));
    lethe_json_push(doc, out, c);
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    int64_t centre = lethe_count_of(v, "centre");
    size_t n = 0;
    if (min_owners(v) < 2 && centre != LETHE_SSG_ANCESTOR)
        out[n++] =
            "--min-owners 1: a published term may have been used by a single person, exactly "
            "as published.";
    if (is_of_log(v))
        out[n++] = "--owners log: of a group, a single person may have used a published term, "
                   "exactly as published; at least --min-owners persons of the input used it.";
    if (centre != LETHE_SSG_ANCESTOR)
        out[n++] = "What is published for a record is typical of its group and need not be true of "
                   "the record: terms are replaced by others of similar meaning.";
    if (centre == LETHE_SSG_BAG)
        out[n++] = "--centre bag: an item lists every term that its group used in this place, or "
                   "its ancestor. This tells more about the group than one typical term: at least "
                   "--min-owners persons (of --owners) used each of the others, too.";
    return n + lethe_record_warns(v, out + n);
}

/* --- memory --- */

enum { SAMPLED = 64, NEAR_WHOLE = 12 << 20, NEAR_MOST = 16 << 20 }; /* as in neighbourhoods.c */

/* How many pairs of terms are near each other, from some of them. */
static uint64_t near_pairs(const lethe_values *v, const lethe_data *in)
{
    const lethe_value *epsilon = lethe_value_of(v, "epsilon");
    const lethe_tree *t = in->tree;
    const lethe_records *r = in->records;
    uint64_t n = 0, near = 0, asked = 0, n_items = r->start[r->n];
    // auto, about a quarter of all pairs, is found later: 12 to 14 edges on a log (docs/ssg.md)
    double edges = epsilon->word ? 14 : epsilon->count ? 2 * epsilon->real : epsilon->real;
    double most = lethe_value_of(v, "metric")->word ? edges : 1e9;
    uint8_t *seen = lethe_alloc_zero(t->n, 1);
    if (!seen || n_items == 0) {
        lethe_free(seen);
        return 0; // the method will lack memory, and say so
    }
    for (uint64_t i = 0; i < n_items; i++) {
        n += !seen[r->item[i]];
        seen[r->item[i]] = 1;
    }
    lethe_free(seen);
    for (uint64_t i = 0; i < SAMPLED; i++)
        for (uint64_t k = 0; k < SAMPLED; k++, asked++) {
            uint32_t a = r->item[i * (n_items / SAMPLED) % n_items],
                     b = r->item[(k * (n_items / SAMPLED) + n_items / SAMPLED / 2) % n_items];
            uint32_t above = lethe_tree_lca(t, a, b);
            near += t->level[a] + t->level[b] - 2.0 * t->level[above] <= most;
        }
    return (uint64_t)((double)near / (double)asked * (double)n * (double)n);
}

/* Terms near each term, 8 bytes each (neighbourhoods.c); the index of candidates, 12 bytes per item
 * and 60 per record (vocabulary_search.h); the vocabularies of groups and, to refine these, of
 * their members without each one, 4 bytes per item and person, and a bit for each pair of terms, up
 * to 96 MB (refine_blm.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    uint64_t near = in ? near_pairs(v, in) : 0, k = (uint64_t)lethe_count_of(v, "k");
    uint64_t terms = LETHE_MIN(s->distinct, UINT32_MAX), used = LETHE_MIN(terms, s->parts);
    if (s->expected) near = terms * terms; // the taxonomy is not there yet: all may be near
    if (near > NEAR_WHOLE) near = LETHE_MIN(near, NEAR_WHOLE + NEAR_WHOLE / 20);
    return 8 * near + LETHE_MIN(used * used / 8, UINT64_C(96) << 20) + 100 * s->n +
           (16 + 4 * LETHE_MIN(k, 32)) * s->parts;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    LETHE_RECORD_OPTIONS,
    LETHE_K_OPTION,
    {.name = "epsilon",
     .type = LETHE_OPT_REAL,
     .arg = "X|Xl|auto",
     .word = "auto",
     .unit = 'l',
     .fallback = "auto",
     .min = 0,
     .max = 2e9,
     .help = "greatest distance of two terms that may stand for each other: edges of the taxonomy "
             "between them, or levels (6l is 12 edges); auto: the number "
             "of edges of the taxonomy within which a quarter of all pairs of terms are; with "
             "--metric network, as many links"},
    {.name = "omega",
     .type = LETHE_OPT_REAL,
     .arg = "X|none",
     .word = "none",
     .min = 0,
     .max = 4e9,
     .help = "cost of an unmatched term; none: no cost [default: more than any distance]"},
    {.name = "matching",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|greedy",
     .fallback = "exact",
     .help = "how terms are matched: at the least total cost, or the nearest pair first, as the "
             "thesis' program does"},
    {.name = "centre",
     .type = LETHE_OPT_CHOICE,
     .arg = "vote|ancestor|bag",
     .fallback = "vote",
     .help = "what is published for matched terms: the one nearest to all, their lowest common "
             "ancestor, or all of them"},
    {.name = "nearest",
     .type = LETHE_OPT_CHOICE,
     .arg = "centre|members",
     .help = "what the next record of a group is compared with: the terms elected so far, as in "
             "the thesis, or all matched terms [default: members; centre with --refine 0 unless "
             "--centre is bag]"},
    {.name = "min-owners",
     .type = LETHE_OPT_COUNT,
     .arg = "T",
     .min = 1,
     .max = 1e9,
     .help = "persons who must have used a published term; a term that fewer used is replaced by "
             "its lowest ancestor for which that holds, or by nothing [default: 2 of the group, or "
             "the greater of 5 and k of the log]"},
    {.name = "owners",
     .type = LETHE_OPT_CHOICE,
     .arg = "group|log",
     .help = "whose persons --min-owners counts: those of the group, or of the whole input "
             "[default: log where k is 5 or more, except with --min-owners or --centre bag; else "
             "group]"},
    {.name = "unmatched",
     .type = LETHE_OPT_CHOICE,
     .arg = "climb|drop",
     .fallback = "climb",
     .help = "what becomes of terms that not all members of a group can be matched with: their "
             "lowest ancestors that fit all members, or nothing, as in the thesis"},
    {.name = "metric",
     .type = LETHE_OPT_PATH,
     .arg = "tree|network|FILE",
     .word = "tree|network",
     .fallback = "tree",
     .help = "how distances are measured: in edges of the taxonomy, in links of WordNet, or by a "
             "file of term, term and distance"},
    {.name = "refine",
     .type = LETHE_OPT_COUNT,
     .arg = "ROUNDS",
     .fallback = "20",
     .min = 0,
     .max = 1e6,
     .help = "maximum rounds in which records change groups to lower bLM; 0 gives the thesis' "
             "result"},
    {0},
};

/* The other shares and means are of the items of the input, or of its distinct terms, and no figure
 * says how many of these a part has. */
static const lethe_joint joint[] = {{"epsilon", LETHE_JOINT_GREATEST},
                                    {"clusters", LETHE_JOINT_SUM},
                                    {"empty", LETHE_JOINT_SUM},
                                    {"pairs", LETHE_JOINT_SUM},
                                    {0}};

static const lethe_figure figures[] = {
    {"blm",
     "mean loss per item: for a published one the other terms that it may stand for, as a share of "
     "the taxonomy's leaves, and 1 for a suppressed one",
     -1, .kind = LETHE_FIGURE_SHARE, .label = "generalization loss", .unit = "per item, 0 to 1"},
    {"distance_loss",
     "mean loss per item by distance: edges from a term to what is published for it, as a share of "
     "its edges to the root, and 1 for a suppressed one",
     -1, .kind = LETHE_FIGURE_SHARE, .label = "loss by distance", .unit = "per item, 0 to 1"},
    {"epsilon",
     "greatest distance of two terms that were matched: edges of the taxonomy, or what --metric "
     "counts",
     0, .kind = LETHE_FIGURE_NUMBER, .label = "terms are matched up to",
     .unit = "edges apart, or as --metric counts", .detail = true},
    {"clusters", "groups of equal published records", .better = 0,
     .label = "groups of equal records"},
    {"distinct_terms_share", "distinct terms published, as a share of those of the input", 1,
     .kind = LETHE_FIGURE_NUMBER, .label = "distinct terms published", .unit = "%"},
    {"avg_size_share", "mean size of a published record, as a share of that of the input", 1,
     .kind = LETHE_FIGURE_NUMBER, .label = "size of records, of the input's", .unit = "%"},
    {"words_share", "published items that are terms of the input, as a share of all", 1,
     .kind = LETHE_FIGURE_SHARE, .label = "items that are terms of the input"},
    {"empty", "records published empty because their group has nothing in common", -1,
     .source = LETHE_FIGURE_RELEASE, .label = "records published empty"},
    {"pairs", "pairs of a record and a group that were matched to find the nearest", .better = 0,
     .label = "pairs of record and group compared", .detail = true},
    {"pairs_share", "the same as a share of the pairs that a full scan would match", 0,
     .kind = LETHE_FIGURE_NUMBER, .label = "pairs compared, of a full scan", .detail = true},
    {0},
};

static const char *const caveats[] = {
    "A term that at least --min-owners persons used is published as they typed it. "
    "Anyone who knows that a person is in a group knows that the person used something close to "
    "each of its terms: groups need not be diverse.",
    "Releases of the same or of overlapping data are not protected together: groups that differ "
    "can be intersected.",
    "The length of a published record shows the least number of terms that each member of its "
    "group has.",
    NULL,
};

const lethe_method lethe_method_ssg = {
    .name = "ssg",
    .summary = "publish the typical record of each group of k persons, grouped by meaning",
    .description =
        "Puts vocabularies (records of terms) of similar meaning into groups of at least k "
        "persons, and publishes each as the typical vocabulary of its group. Terms of two "
        "vocabularies are matched one to one, as many as possible at the least sum of "
        "distances; terms further apart than --epsilon are not matched. Terms that are matched "
        "throughout a group are published as one of them, by default the one nearest to all. The "
        "others climb the taxonomy (--unmatched): the lowest nodes below which every member still "
        "has a term are published, and what is then left is suppressed. The loss is bLM: a "
        "published term that stands for d "
        "distinct terms loses (d - 1) / (M - 1), with M leaves in the taxonomy, and a "
        "suppressed one loses 1. It is never above that of the groups without climbing, nor above "
        "that of `partition --bag` at the same k: where that loses less, its groups are taken. "
        "(Records without terms, and more --min-owners than k, are left out of this.)\n"
        "\n"
        "The thesis' algorithm sorts vocabularies by size; the first begins a group, and the "
        "nearest of the others joins it until there are k, and so on while there are enough; "
        "the rest join the nearest group. The nearest is found exactly, by bounds that leave "
        "out most pairs. --refine 0 --min-owners 1 --persons record --unmatched drop gives this "
        "result, and --epsilon 6l the thesis' distance. By "
        "default, the nearest is the one that would be matched best with all members of the "
        "group, not with the terms elected so far (--nearest), and then records change groups, "
        "in rounds, while bLM falls and every group keeps its k persons.\n"
        "\n"
        "A term that fewer than --min-owners persons of a group used is not published: the nearest "
        "to all of those that enough used is, or where there is none, the lowest ancestor below "
        "which enough of them used a term. --owners log counts persons of the whole input, after "
        "earlier steps. With --centre "
        "ancestor the lowest common ancestor of all matched terms is published, which is true "
        "of all members. With --centre bag all matched terms, or their ancestors, are "
        "published: names joined by `|`, one of which is true of each member.\n"
        "\n"
        "A person with several records counts once per group. A group that cannot be filled is "
        "dissolved, and its records join the nearest other groups. --persons record counts "
        "records, as the thesis does.",
    .paper = "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, "
             "Simon Fraser University, 2010, chapter 5",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .knowledge = "taxonomy",
    .figures = figures,
    .joint = joint,
    .notion = "record-k-anonymity",
    .substitutes = true,
    .claims = claims,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 3, [LETHE_GOAL_SESSIONS] = 2},
    .keeps = "a typical record for each of a group, mostly in words that were used",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe ssg log.tsv.gz -k 5 --gap 1h -o release/",
    .run = run,
    .need = need,
};
