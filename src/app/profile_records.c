/* SPDX-License-Identifier: Apache-2.0 */
/* profile_records.c - reads records (baskets) and describes them. */
#include "app/profile_records.h"
#include "measure/measure.h"
#include "release/release.h"

/* Besides the records: items of persons, and persons of items, twice; and for everybody what each
 * has in common with one person (measure/profile_records.c). */
static uint64_t profile_need(const lethe_work *w, const lethe_sizes *s)
{
    uint64_t words = 1 + s->parts / 64 / LETHE_MAX(s->persons, 1);
    (void)w;
    return lethe_need_program + s->held + 12 * s->parts + 40 * s->distinct + 24 * s->persons +
           8 * LETHE_MIN(s->persons * words, (uint64_t)LETHE_PROFILE_MASKS);
}

static lethe_err baskets_profile(lethe_ctx *ctx, const lethe_profile_options *p,
                                 lethe_json_doc *doc, lethe_json *report, lethe_json *metrics)
{
    lethe_records *in = NULL;
    LETHE_TRY(lethe_records_read(ctx, p->inputs, p->n_inputs, &p->reading, &in));
    lethe_counts counts = {.read = in->counts.read, .rejected = in->counts.rejected};
    lethe_sizes sizes = lethe_records_sizes(in, NULL);
    lethe_json_set(doc, report, "counts", lethe_counts_json(doc, &counts));
    lethe_json_set(doc, metrics, "persons_named", lethe_json_new_bool(doc, in->owners));
    bool told = p->reading.format == LETHE_FORMAT_RECORDS || p->reading.columns;
    lethe_json_set(doc, metrics, "detected", lethe_json_new_bool(doc, !told));
    lethe_err e = lethe_ctx_need(ctx, &sizes);
    if (e == LETHE_OK && in->start[in->n] == 0)
        e = lethe_fail(lethe_ctx_diag(ctx), LETHE_EINPUT, "'%s': no line has an item",
                       p->inputs[0]);
    if (e == LETHE_OK) e = lethe_profile_records(ctx, in, LETHE_PROFILE_WORK, doc, metrics);
    lethe_records_free(in);
    return e;
}

lethe_err lethe_profile_baskets(lethe_ctx *ctx, const lethe_profile_options *p, lethe_json_doc *doc,
                                lethe_json **report)
{
    lethe_json *r = lethe_json_object(doc), *metrics = lethe_json_object(doc),
               *parameters = lethe_json_object(doc);
    lethe_reading_json(doc, parameters, &p->reading);
    lethe_set_text(doc, r, "command", "profile");
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_set_text(doc, metrics, "shape", "records");
    *report = r;
    const lethe_work before =
        lethe_ctx_begin_work(ctx, &(lethe_work){.name = "profile", .need = profile_need});
    lethe_err e = baskets_profile(ctx, p, doc, r, metrics);
    lethe_ctx_begin_work(ctx, &before);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}
