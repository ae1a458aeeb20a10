/* SPDX-License-Identifier: Apache-2.0 */
/* profile_json.c - the profile of a log as JSON figures. */
#include "measure/measure.h"
#include "io/json/json.h"

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

void lethe_measure_set_histogram(lethe_json_doc *doc, lethe_json *out, const char *name,
                                 const uint64_t counts[LETHE_N_BUCKETS])
{
    lethe_json *list = lethe_json_array(doc);
    size_t n = LETHE_N_BUCKETS;
    while (n > 0 && counts[n - 1] == 0)
        n--;
    for (size_t i = counts[0] == 0; i < n; i++) {
        uint64_t from, to;
        lethe_bucket_range(i, &from, &to);
        lethe_json *bucket = lethe_json_object(doc);
        lethe_set_count(doc, bucket, "from", from);
        lethe_set_count(doc, bucket, "to", to);
        lethe_set_count(doc, bucket, "count", counts[i]);
        lethe_json_push(doc, list, bucket);
    }
    lethe_json_set(doc, out, name, list);
}

static void set_distributions(lethe_json_doc *doc, lethe_json *out, const lethe_profile *p,
                              const lethe_profile_users *users)
{
    lethe_json *per_user = lethe_json_object(doc), *histograms = lethe_json_object(doc);
    lethe_measure_set_spread(doc, per_user, "rows", users->rows);
    lethe_measure_set_spread(doc, per_user, "distinct_queries", users->texts);
    lethe_measure_set_spread(doc, per_user, "distinct_clicks", users->clicks);
    lethe_measure_set_spread(doc, per_user, "days", users->days);
    lethe_json_set(doc, out, "per_user", per_user);
    lethe_json *survival = lethe_json_array(doc);
    for (size_t i = 0; i < LETHE_N_SURVIVAL; i++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_set_count(doc, o, "t", lethe_survival_t[i]);
        lethe_set_count(doc, o, "texts", p->with[i].texts);
        lethe_set_real(doc, o, "queries", share(p->with[i].queries, p->with[0].queries));
        lethe_set_real(doc, o, "rows", share(p->with[i].rows, p->with[0].rows));
        lethe_json_push(doc, survival, o);
    }
    lethe_json_set(doc, out, "survival", survival);
    lethe_measure_set_histogram(doc, histograms, "texts_by_users", p->texts_by_users);
    lethe_measure_set_histogram(doc, histograms, "texts_by_queries",
                                p->texts_by_queries); /* figure 3 */
    lethe_measure_set_histogram(doc, histograms, "users_by_queries",
                                p->users_by_queries); /* figure 1 */
    lethe_measure_set_histogram(doc, histograms, "users_by_clicks",
                                p->users_by_clicks); /* figure 2 */
    lethe_json_set(doc, out, "histograms", histograms);
}

lethe_err lethe_profile_measure(lethe_ctx *ctx, lethe_log *log, lethe_json_doc *doc,
                                lethe_json *out)
{
    lethe_profile p = {0};
    lethe_profile_users users = {0};
    lethe_examples examples[LETHE_PII_LIST] = {0};
    lethe_wordnet *nouns = NULL;
    if (lethe_wordnet_installed(lethe_ctx_wordnet_dir(ctx)))
        LETHE_TRY(lethe_wordnet_open_words(ctx, NULL, &nouns));
    else
        lethe_warn(ctx, "WordNet is not installed (Debian: wordnet-base): noun_share is left out");
    lethe_profile_asked asked = {
        .pii = true, .nouns = nouns, .per_user = &users, .examples = examples};
    lethe_err err = lethe_profile_count(ctx, log, &asked, &p);
    lethe_wordnet_free(nouns);
    LETHE_TRY(err);
    const lethe_read_counts *read = lethe_log_counts(log);
    if (asked.nouns) lethe_log_note_language(ctx, read);
    lethe_set_count(doc, out, "rows", p.with[0].rows);
    lethe_set_count(doc, out, "rejected", read->rejected);
    lethe_set_count(doc, out, "empty", read->empty);
    lethe_set_count(doc, out, "invalid_utf8", read->invalid_utf8);
    lethe_set_count(doc, out, "users", p.users);
    lethe_set_count(doc, out, "queries", p.with[0].queries);
    lethe_set_count(doc, out, "distinct_queries", p.with[0].texts);
    /* Shares that a threshold leaves: Adar, section 5. */
    const lethe_text_counts *all = &p.with[0]; /* every text has one user */
    lethe_set_real(doc, out, "once_share", share(p.texts_once, all->texts));
    lethe_set_real(doc, out, "le3_share", share(p.texts_le3, all->texts));
    lethe_set_real(doc, out, "unique_user_share", share(p.users_alone, p.users));
    lethe_set_real(doc, out, "left_t2", share(p.with[1].queries, all->queries));
    lethe_set_real(doc, out, "left_t3", share(p.with[2].queries, all->queries));
    lethe_set_real(doc, out, "left_t5", share(p.with[3].queries, all->queries));
    lethe_set_real(doc, out, "left_q2", share(p.queries_of_2, all->queries));
    lethe_set_real(doc, out, "left_q4", share(p.queries_of_4, all->queries));
    lethe_set_real(doc, out, "terms_per_query", share(p.all_terms, all->queries));
    if (asked.nouns) lethe_set_real(doc, out, "noun_share", share(p.nouns, p.words));
    lethe_json *pii = lethe_json_object(doc), *shapes = lethe_json_object(doc);
    for (size_t k = 0; k < LETHE_PII_LIST; k++) {
        lethe_set_count(doc, pii, lethe_pii_names[k], p.pii[k]);
        if (examples[k].n == 0) continue;
        lethe_json *list = lethe_json_array(doc);
        for (size_t i = 0; i < examples[k].n; i++) {
            lethe_str shape = {examples[k].at[i].text, examples[k].at[i].n};
            lethe_json_push(doc, list, lethe_json_new_text(doc, shape));
        }
        lethe_json_set(doc, shapes, lethe_pii_names[k], list);
    }
    lethe_json_set(doc, out, "pii", pii);
    lethe_json_set(doc, out, "pii_examples", shapes);
    lethe_set_count(doc, out, "clicks", p.clicks);
    lethe_set_count(doc, out, "urls", p.urls);
    set_distributions(doc, out, &p, &users);
    return lethe_json_failed(doc) ? lethe_no_memory(ctx) : LETHE_OK;
}
