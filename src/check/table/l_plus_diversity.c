/* SPDX-License-Identifier: Apache-2.0 */
/* l_plus_diversity.c - does no group of published rows let a sensitive value be inferred with more
 * confidence than its threshold?  l+-diversity: J. Liu, "Enhancing Utility in Privacy
 * Preserving Data Publishing", Simon Fraser University, 2010, Definition 3.1.
 *
 * Decided from data.csv, taxonomy.tsv and, where values have thresholds of their own, theta.tsv.
 * The confidence of a value is its share of all rows of the group, starred ones among them (Table
 * 3.2), and is compared in whole numbers. */
#include "check/bounds.h"
#include "check/check.h"
#include "check/table/table_groups.h"
#include "model/published/published_lines.h"
#include "model/table/theta.h"
#include <fcntl.h>
#include <sys/stat.h>

struct inspection {
    lethe_group_claim claim;
    lethe_str theta_text;
    bool counting;     /* counting what is starred must not tell more, either */
    bool listed;       /* in theta.tsv, else: */
    lethe_theta theta; /* of all values */
    lethe_groups *groups;
    lethe_theta *by_value; /* by the sensitive column's numbers; of `*`: nothing */
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct inspection *c)
{
    static const char *const fixed_cut[] = {"fixed-cut"};
    static const lethe_claim_field fields[] = {
        {"qi", LETHE_CLAIM_COLUMNS, .offset = offsetof(struct inspection, claim.qi)},
        {"sa", LETHE_CLAIM_COLUMN, .offset = offsetof(struct inspection, claim.sa)},
        {"theta", LETHE_CLAIM_TEXT, .offset = offsetof(struct inspection, theta_text)},
        {"groups", LETHE_CLAIM_WORD, .optional = true, .choices = lethe_overlap_word,
         .n_choices = 1, .offset = offsetof(struct inspection, claim.overlap)},
        {"counting", LETHE_CLAIM_WORD, .optional = true, .choices = fixed_cut, .n_choices = 1,
         .offset = offsetof(struct inspection, counting)},
    };
    LETHE_TRY(lethe_claim_read(d, claim, "l-plus-diversity", fields, LETHE_COUNT(fields), c));
    c->listed = lethe_str_eq(c->theta_text, LETHE_LIT("listed"));
    if (c->counting && (c->listed || c->claim.overlap))
        return lethe_fail(d, LETHE_EINPUT,
                          "malformed claim: counting is for one theta for all values, "
                          "in groups that do not overlap");
    if (c->listed) c->theta = (lethe_theta){0, 1}; // until theta.tsv says more, nothing is allowed
    if (c->listed || lethe_theta_parse(c->theta_text, &c->theta)) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT,
                      "malformed claim: theta must be a share from 0 to 1, or 'listed'");
}

/* --- thresholds --- */

static lethe_json *listed_take(struct inspection *c, const lethe_thetas *t, lethe_json_doc *doc)
{
    const lethe_groups *g = c->groups;
    for (uint32_t i = 0; i < lethe_dict_count(g->sa->values); i++) {
        if (i == g->starred) continue;
        uint32_t at = lethe_dict_find(t->names, lethe_dict_at(g->sa->values, i));
        if (at == LETHE_NONE)
            return lethe_value_fault(doc, g, g->sa, i, "theta.tsv has no threshold for the value");
        c->by_value[i] = t->at[at];
    }
    /* A threshold of a value that no row shows would tell that some row had it. */
    for (uint32_t i = 0; i < lethe_dict_count(t->names); i++) {
        lethe_str name = lethe_dict_at(t->names, i);
        uint32_t code = lethe_dict_find(c->groups->sa->values, name);
        if (code != LETHE_NONE && code != c->groups->starred) continue;
        lethe_json *why = lethe_json_object(doc);
        lethe_set_text(doc, why, "reason", "theta.tsv lists a value that is not published");
        lethe_json_set(doc, why, "value", lethe_json_new_text(doc, name));
        return why;
    }
    return NULL;
}

/* Where no value is told no line is needed, and theta.tsv is empty or not there. */
static bool is_nothing_listed(const lethe_groups *g, int dirfd)
{
    struct stat st;
    if (g->starred == LETHE_NONE || lethe_dict_count(g->sa->values) > 1) return false;
    if (!lethe_published_has(dirfd, LETHE_THETA_NAME)) return true;
    return fstatat(dirfd, LETHE_THETA_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == 0;
}

static lethe_err thetas_take(lethe_published *p, struct inspection *c, lethe_json_doc *doc,
                             lethe_json **fault)
{
    uint32_t n = lethe_dict_count(c->groups->sa->values);
    lethe_thetas t = {0};
    c->by_value = lethe_alloc(n, sizeof *c->by_value);
    if (!c->by_value) return lethe_no_memory(p->ctx);
    for (uint32_t i = 0; i < n; i++)
        c->by_value[i] = c->theta;
    if (!c->listed || is_nothing_listed(c->groups, p->dirfd)) return LETHE_OK;
    LETHE_TRY(lethe_thetas_published(p->ctx, p->dirfd, &t));
    *fault = listed_take(c, &t, doc);
    lethe_thetas_free(&t);
    return LETHE_OK;
}

/* --- confidences --- */

struct finding {
    uint32_t row; /* the first of the group with the value; LETHE_NONE: there is none */
    uint64_t with, of;
};

static void group_look(const struct inspection *c, lethe_stretch group, struct finding *f)
{
    const lethe_groups *g = c->groups;
    lethe_stretch s = {group.from, group.from};
    uint64_t of = group.end - group.from;
    while (lethe_group_value_next(g, group, &s)) {
        uint32_t row = g->row[s.from], value = g->sa->code[row];
        if (value == g->starred || row > f->row) continue;
        lethe_theta t = c->by_value[value];
        if (!lethe_is_over_fraction(s.end - s.from, of, t.num, t.den)) continue;
        *f = (struct finding){row, s.end - s.from, of};
    }
}

/* NULL: no value is violated.  Else the first row in the file whose value is. */
static lethe_json *groups_fault(const struct inspection *c, lethe_json_doc *doc)
{
    const lethe_groups *g = c->groups;
    struct finding f = {.row = LETHE_NONE};
    lethe_stretch group = {0, 0};
    char theta[LETHE_THETA_MAX];
    while (lethe_group_next(g, &group))
        group_look(c, group, &f);
    if (f.row == LETHE_NONE) return NULL;
    uint32_t value = g->sa->code[f.row];
    lethe_theta_print(c->by_value[value], theta);
    lethe_json *why = lethe_row_fault(doc, f.row, "the value is too frequent in its group");
    lethe_json_set(doc, why, "value",
                   lethe_json_new_text(doc, lethe_dict_at(g->sa->values, value)));
    lethe_set_count(doc, why, "with", f.with);
    lethe_set_count(doc, why, "of", f.of);
    lethe_set_text(doc, why, "theta", theta);
    return why;
}

/* --- counting --- */

/* A group with stars shows some values most often, t values m times each; where it shows none, t is
 * the number of values that the table shows.  If the cut does not depend on the values, and to who
 * holds all values and all rows of a group for alike, stars are equally likely any of them: each
 * has the share (m + stars / t) / rows.  That the cut was chosen by the values is not considered.
 * (docs/lplus.md) */
static bool stars_tell(const struct inspection *c, lethe_stretch group, uint64_t values)
{
    const lethe_groups *g = c->groups;
    lethe_stretch s = {group.from, group.from};
    uint64_t rows = group.end - group.from, stars = 0, most = 0, t = values;
    while (lethe_group_value_next(g, group, &s)) {
        uint64_t with = s.end - s.from;
        if (g->sa->code[g->row[s.from]] == g->starred) {
            stars = with;
            continue;
        }
        t = with > most ? 1 : t + (with == most);
        most = LETHE_MAX(most, with);
    }
    return stars > 0 && t > 0 &&
           lethe_is_over_fraction(t * most + stars, t * rows, c->theta.num, c->theta.den);
}

/* NULL: no group tells more.  Else its first row in the file. */
static lethe_json *counting_fault(const struct inspection *c, lethe_json_doc *doc)
{
    const lethe_groups *g = c->groups;
    uint64_t values = lethe_dict_count(g->sa->values) - (g->starred != LETHE_NONE);
    lethe_stretch group = {0, 0};
    uint32_t first = LETHE_NONE;
    while (lethe_group_next(g, &group))
        for (size_t i = group.from; i < group.end && stars_tell(c, group, values); i++)
            first = LETHE_MIN(first, g->row[i]);
    return first == LETHE_NONE
               ? NULL
               : lethe_row_fault(doc, first, "who counts the stars of a group learns too much");
}

/* Does theta.tsv let every value that is published make up a whole group? */
static bool all_thetas_are_one(const struct inspection *c)
{
    uint32_t n = lethe_dict_count(c->groups->sa->values);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (i == c->groups->starred) continue;
        if (c->by_value[i].num < c->by_value[i].den) return false;
        any = true;
    }
    return any && c->listed;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.groups = NULL};
    lethe_json *fault = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c));
    LETHE_TRY(lethe_groups_read(p, &c.claim, doc, &fault, &c.groups));
    lethe_err e = c.groups ? thetas_take(p, &c, doc, &fault) : LETHE_OK;
    if (e == LETHE_OK && c.groups && !fault && all_thetas_are_one(&c))
        p->nothing =
            "l-plus-diversity with theta = 1 for every value promises nothing: all rows of "
            "a group may have the same sensitive value.";
    if (e == LETHE_OK && c.groups && !fault) fault = groups_fault(&c, doc);
    if (e == LETHE_OK && c.groups && !fault && c.counting) fault = counting_fault(&c, doc);
    lethe_groups_free(c.groups);
    lethe_free(c.by_value);
    return lethe_group_verdict(p, e, doc, fault, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    lethe_theta theta;
    lethe_str text = lethe_json_text(lethe_json_get(claim, "theta"));
    return lethe_theta_parse(text, &theta) && theta.num >= theta.den
               ? "l-plus-diversity with theta = 1 promises nothing: all rows of a group may have "
                 "the same sensitive value."
               : NULL;
}

const lethe_notion lethe_notion_l_plus_diversity = {
    .name = "l-plus-diversity",
    .holds = "no sensitive value has a larger share of a group of rows with equal "
             "quasi-identifiers than its threshold, and unless groups overlap, no published value "
             "is above another",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
