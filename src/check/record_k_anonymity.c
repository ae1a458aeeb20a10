/* SPDX-License-Identifier: Apache-2.0 */
/* record_k_anonymity.c - does every published record equal at least k - 1 others?
 *
 * Decided from data.txt alone: its lines stand in the order of their bytes, which the reader sees
 * to, so equal ones follow each other, and two lines of memory will do.  Where there is a
 * taxonomy.tsv, every item must be a node of it or a bag of such, or be listed in sensitive.txt,
 * and every lowest node of it an item or in a bag: what it lists beyond the published items and all
 * above them would be published unchecked. */
#include "check/check.h"
#include "check/claim.h"
#include "io/json/json.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include "model/published/published_tree.h"
#include "model/knowledge/sensitive.h"

struct inspection {
    lethe_ctx *ctx;
    uint64_t k, term_persons;
    lethe_record_lines lines;
    lethe_dict *sensitive;          /* NULL: there is none */
    lethe_published_tree *taxonomy; /* NULL: there is none */
    bool *published;                /* by node of it: is it an item, or in a bag? */
    lethe_arena *arena;             /* of */
    lethe_u32s nodes;               /* the item at hand */
    bool bags;                      /* may an item be a bag? */
    uint64_t group_line, group_n;   /* the equal records at hand: line of the first, how many */
};

struct claim {
    uint64_t k;
    bool of_records;       /* persons are records: nothing is known of who is behind them */
    uint64_t term_persons; /* of the input, who used each published term; 0: nothing is said */
};
static const lethe_claim_field claim_fields[] = {
    {"k", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, k)},
    {"persons", LETHE_CLAIM_WORD, .optional = true, .choices = (const char *const[]){"record"},
     .n_choices = 1, .offset = offsetof(struct claim, of_records)},
    {"term-persons", LETHE_CLAIM_U64, .min = 1, .optional = true,
     .offset = offsetof(struct claim, term_persons)},
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct claim *out)
{
    return lethe_claim_read(d, claim, "record-k-anonymity", claim_fields, LETHE_COUNT(claim_fields),
                            out);
}

/* --- counterexamples --- */

static lethe_json *at_line(lethe_json_doc *doc, uint64_t line)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_count(doc, why, "line", line);
    return why;
}

/* NULL: the group that ends here is large enough. */
static lethe_json *group_fault(const struct inspection *c, lethe_json_doc *doc)
{
    if (c->group_n == 0 || c->group_n >= c->k) return NULL;
    lethe_json *why = at_line(doc, c->group_line);
    lethe_set_count(doc, why, "equal", c->group_n);
    lethe_set_count(doc, why, "needed", c->k);
    return why;
}

/* NULL: there are records of so many persons, as far as can be seen.  Who used a term is seen only
 * while the release is made (check/persons.h). */
static lethe_json *terms_fault(const struct inspection *c, lethe_json_doc *doc)
{
    uint64_t n = c->lines.lines.number;
    if (n >= c->term_persons) return NULL;
    lethe_json *why = lethe_json_object(doc);
    lethe_set_text(doc, why, "reason", "there are fewer records than persons who used each term");
    lethe_set_count(doc, why, "records", n);
    lethe_set_count(doc, why, "needed", c->term_persons);
    return why;
}

/* May an item be a bag?  Only ssg --centre bag publishes these.  There is no manifest while a
 * release is being made. */
static bool may_be_bags(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1),
                     *centre = lethe_json_get(lethe_json_get(last, "parameters"), "centre");
    return !manifest || lethe_str_eq(lethe_json_text(centre), LETHE_LIT("bag"));
}

/* *fault stays NULL: the items of the record are all nodes, or bags of them. */
static lethe_err items_check(struct inspection *c, lethe_str record, lethe_json_doc *doc,
                             lethe_json **fault)
{
    lethe_str item;
    while (c->taxonomy && !*fault && lethe_record_item(&record, &item)) {
        c->nodes.n = 0;
        if (lethe_item_read(c->taxonomy->tree, item, c->arena, &c->nodes) != LETHE_OK)
            return lethe_no_memory(c->ctx);
        if (c->nodes.n > 1 && !c->bags) c->nodes.n = 0;
        for (size_t i = 0; i < c->nodes.n; i++)
            c->published[c->nodes.at[i]] = true;
        bool listed = c->sensitive && lethe_dict_find(c->sensitive, item) != LETHE_NONE;
        if ((c->nodes.n > 0) != listed) continue;
        *fault = at_line(doc, c->lines.lines.number);
        lethe_json_set(doc, *fault, "item", lethe_json_new_text(doc, item));
        lethe_set_text(doc, *fault, "reason",
                       listed ? "the item is sensitive, and in the taxonomy"
                              : "the item is not in the taxonomy");
    }
    return LETHE_OK;
}

/* NULL: the taxonomy lists what is published and all above it, nothing else.  The root alone is
 * listed where nothing is. */
static lethe_json *taxonomy_fault(const struct inspection *c, lethe_json_doc *doc)
{
    const lethe_tree *t = c->taxonomy ? c->taxonomy->tree : NULL;
    for (uint32_t v = 1; t && v < t->n; v++) {
        if (!lethe_tree_is_leaf(t, v) || c->published[v]) continue;
        lethe_json *why = lethe_json_object(doc);
        lethe_json_set(doc, why, "name", lethe_json_new_text(doc, lethe_tree_name(t, v)));
        lethe_set_text(doc, why, "reason", "the taxonomy lists a node that is not published");
        return why;
    }
    return NULL;
}

/* --- the walk --- */

static lethe_err walk(struct inspection *c, lethe_json_doc *doc, lethe_json **fault)
{
    lethe_str record;
    lethe_ctx_phase(c->ctx, "checking", 0);
    while (!*fault && lethe_record_lines_next(&c->lines, &record)) {
        if (c->lines.same) {
            c->group_n++;
            continue;
        }
        *fault = group_fault(c, doc);
        if (!*fault) LETHE_TRY(items_check(c, record, doc, fault));
        c->group_line = c->lines.lines.number;
        c->group_n = 1;
    }
    LETHE_TRY(lethe_record_lines_err(&c->lines));
    if (!*fault) *fault = group_fault(c, doc);
    if (!*fault) *fault = terms_fault(c, doc);
    if (!*fault) *fault = taxonomy_fault(c, doc);
    return lethe_json_failed(doc) ? lethe_no_memory(c->ctx) : LETHE_OK;
}

static lethe_err begin(struct inspection *c, int dirfd)
{
    LETHE_TRY(lethe_record_lines_open(&c->lines, c->ctx, dirfd));
    LETHE_TRY(lethe_published_sensitive_read(c->ctx, dirfd, &c->sensitive));
    LETHE_TRY(lethe_published_tree_read(c->ctx, dirfd, &c->taxonomy));
    if (!c->taxonomy) return LETHE_OK;
    c->arena = lethe_arena_new();
    c->published = lethe_alloc_zero(c->taxonomy->tree->n, sizeof *c->published);
    return c->arena && c->published ? LETHE_OK : lethe_no_memory(c->ctx);
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx, .bags = may_be_bags(p->manifest)};
    lethe_json *fault = NULL;
    struct claim asked = {0};
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &asked));
    c.k = asked.k;
    c.term_persons = asked.term_persons;
    lethe_err e = begin(&c, p->dirfd);
    if (e == LETHE_OK) e = walk(&c, doc, &fault);
    if (e == LETHE_OK) {
        *holds = !fault;
        if (fault) *why = fault;
    }
    lethe_record_lines_close(&c.lines);
    lethe_dict_free(c.sensitive);
    lethe_published_tree_free(c.taxonomy);
    lethe_arena_free(c.arena);
    lethe_free(c.published);
    return e;
}

/* Groups are asked about by their numbers, and all need as many. */
static uint64_t persons(const lethe_json *claim, lethe_str group)
{
    struct claim c = {0};
    (void)group;
    if (claim_read(NULL, claim, &c) != LETHE_OK) return UINT64_MAX; // nothing keeps it
    return c.of_records ? 0 : c.k;
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "k", 1) ? "record-k-anonymity with k = 1 promises nothing: "
                                                "each record may be the only one of its kind."
                                              : NULL;
}

const lethe_notion lethe_notion_record_k_anonymity = {
    .name = "record-k-anonymity",
    .holds = "every published record equals at least k - 1 others, and has only items of the "
             "published taxonomy; that term-persons of the input used each is checked before it is "
             "written",
    .shapes = LETHE_SHAPE_RECORDS,
    .check = check,
    .persons = persons,
    .nothing = nothing,
    .joins = true, // lines that are equal stay so, and more persons stand behind them and each term
};
