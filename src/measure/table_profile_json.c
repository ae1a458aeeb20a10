/* SPDX-License-Identifier: Apache-2.0 */
/* table_profile_json.c - the profile of a table as JSON figures. */
#include "measure/table_profile_json.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

lethe_json *lethe_column_names_json(lethe_json_doc *doc, const lethe_published_table *t,
                                    const uint32_t *column, size_t n)
{
    lethe_json *list = lethe_json_array(doc);
    for (size_t i = 0; i < n; i++)
        lethe_json_push(doc, list, lethe_json_new_text(doc, t->column[column[i]].name));
    return list;
}

lethe_json *lethe_columns_json(lethe_json_doc *doc, const lethe_published_table *t,
                               const lethe_column_profile *profile)
{
    lethe_json *list = lethe_json_array(doc);
    for (size_t i = 0; i < t->n_columns; i++) {
        const lethe_column_profile *p = &profile[i];
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "name", lethe_json_new_text(doc, t->column[i].name));
        lethe_set_text(doc, o, "type", lethe_column_type_names[p->type]);
        lethe_set_count(doc, o, "distinct", p->distinct);
        lethe_set_count(doc, o, "missing", p->missing);
        lethe_set_real(doc, o, "unique_share", share(p->unique, t->n));
        // a value that stands for one person, or tells about one, is not shown
        bool is_personal = p->commonest_rows < 2 || p->type == LETHE_COLUMN_IDENTIFIER ||
                           p->type == LETHE_COLUMN_FREE_TEXT;
        if (p->commonest != LETHE_NONE && !is_personal) {
            lethe_str value = lethe_dict_at(t->column[i].values, p->commonest);
            lethe_json_set(doc, o, "commonest", lethe_json_new_text(doc, value));
            lethe_set_real(doc, o, "commonest_share", share(p->commonest_rows, t->n));
        }
        lethe_json_push(doc, list, o);
    }
    return list;
}

void lethe_group_sizes_json(lethe_json_doc *doc, lethe_json *o, const lethe_group_sizes *s)
{
    lethe_json *list = lethe_json_array(doc), *histograms = lethe_json_object(doc);
    lethe_set_count(doc, o, "groups", s->groups);
    lethe_set_count(doc, o, "smallest_k", s->smallest);
    lethe_set_count(doc, o, "largest_group", s->largest);
    lethe_set_real(doc, o, "mean_group", s->groups ? (double)s->rows / (double)s->groups : 0);
    lethe_set_count(doc, o, "unique_rows", s->unique);
    lethe_set_real(doc, o, "unique_share", share(s->unique, s->rows));
    for (size_t i = 0; i < LETHE_N_BUCKETS; i++) {
        uint64_t from, to;
        if (s->groups_by_size[i] == 0) continue;
        lethe_bucket_range(i, &from, &to);
        lethe_json *bucket = lethe_json_object(doc);
        lethe_set_count(doc, bucket, "from", from);
        lethe_set_count(doc, bucket, "to", LETHE_MIN(to, s->largest));
        lethe_set_count(doc, bucket, "count", s->rows_by_size[i]);
        lethe_set_count(doc, bucket, "groups", s->groups_by_size[i]);
        lethe_json_push(doc, list, bucket);
    }
    lethe_json_set(doc, histograms, "rows_by_group_size", list);
    lethe_json_set(doc, o, "histograms", histograms);
}

lethe_json *lethe_diversity_json(lethe_json_doc *doc, const lethe_published_column *sa,
                                 const lethe_group_diversity *d)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_json_set(doc, o, "column", lethe_json_new_text(doc, sa->name));
    if (d->distinct_l != UINT64_MAX) {
        lethe_set_count(doc, o, "distinct_l", d->distinct_l);
        lethe_set_real(doc, o, "theta", share(d->with, d->of));
        lethe_set_count(doc, o, "theta_rows", d->with);
        lethe_set_count(doc, o, "theta_of", d->of);
    }
    if (d->starred) return o;
    lethe_set_real(doc, o, "entropy_l", d->entropy_l);
    lethe_set_real(doc, o, "t", d->t);
    return o;
}

void lethe_risk_json(lethe_json_doc *doc, lethe_json *out, const lethe_group_sizes *s,
                     const lethe_population_risk *population)
{
    lethe_json *risk = lethe_json_object(doc), *prosecutor = lethe_json_object(doc);
    lethe_set_real(doc, prosecutor, "highest", share(1, s->smallest));
    lethe_set_real(doc, prosecutor, "mean", share(s->groups, s->rows));
    lethe_set_real(doc, prosecutor, "above_20", share(s->at_risk, s->rows));
    lethe_json_set(doc, risk, "prosecutor", prosecutor);
    if (population) {
        lethe_json *journalist = lethe_json_object(doc);
        lethe_set_real(doc, journalist, "highest", share(1, population->smallest));
        lethe_set_real(doc, journalist, "mean", population->mean);
        lethe_set_real(doc, journalist, "above_20", share(population->at_risk, s->rows));
        lethe_set_count(doc, journalist, "population_rows", population->rows);
        lethe_set_count(doc, journalist, "groups_lacking", population->lacking);
        lethe_json_set(doc, risk, "journalist", journalist);
    }
    lethe_set_real(doc, risk, "marketer", share(s->groups, s->rows));
    lethe_json_set(doc, out, "risk", risk);
}

void lethe_singling_json(lethe_json_doc *doc, lethe_json *out, const lethe_published_table *t,
                         const lethe_singling *s)
{
    lethe_json *list = lethe_json_array(doc);
    for (size_t i = 0; i < s->n_top; i++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, "columns",
                       lethe_column_names_json(doc, t, s->top[i].column, s->top[i].n));
        lethe_set_count(doc, o, "unique_rows", s->top[i].unique);
        lethe_set_real(doc, o, "unique_share", share(s->top[i].unique, t->n));
        lethe_json_push(doc, list, o);
    }
    lethe_json_set(doc, out, "combinations", list);
    lethe_set_count(doc, out, "combinations_tried", s->tried);
    lethe_set_count(doc, out, "combinations_all", s->all);
}
