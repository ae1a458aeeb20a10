/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the arguments as a request to the library. */
#include "cli.h"
#include <malloc.h>
#include <stdlib.h>

static lethe_err stage_set(const arguments *a, size_t which, lethe_job *job)
{
    for (size_t i = 0; i < a->n_given; i++) {
        const given *g = &a->given[i];
        if (g->stage != which) continue;
        lethe_err e = strcmp(g->name, "output") == 0 ? lethe_job_output(job, g->value)
                                                     : lethe_job_set(job, g->name, g->value);
        if (e != LETHE_OK) return e;
    }
    return LETHE_OK;
}

/* "RELEASE LOG...": the first operand is the release; "TABLE... COLUMN": the last is a column. */
static lethe_err operands_set(const arguments *a, lethe_job *job)
{
    const char *operands = a->stages[0].command.operands;
    bool release = strncmp(operands, "RELEASE", 7) == 0, key = strcmp(operands, "FILE") == 0,
         column = strstr(operands, "COLUMN");
    size_t n = a->n_operands - column;
    lethe_err e = LETHE_OK;
    for (size_t i = 0; i < n && e == LETHE_OK; i++)
        e = key                 ? lethe_job_output(job, a->operands[i])
            : release && i == 0 ? lethe_job_release(job, a->operands[i])
                                : lethe_job_input_file(job, a->operands[i]);
    if (e == LETHE_OK && column) e = lethe_job_set(job, "column", a->operands[n]);
    return e;
}

static lethe_err job_of(const arguments *a, lethe_job **out)
{
    const lethe_command *first = &a->stages[0].command;
    lethe_job *job = *out = lethe_job_new(a->ctx, is_method(first) ? "release" : first->name);
    lethe_err e = job ? LETHE_OK : LETHE_ENOMEM;
    for (size_t i = 0; i < a->n_stages && e == LETHE_OK; i++) {
        if (is_method(first)) e = lethe_job_step(job, a->stages[i].command.name);
        if (e == LETHE_OK) e = stage_set(a, i, job);
    }
    return e == LETHE_OK ? operands_set(a, job) : e;
}

lethe_err request(arguments *a, lethe_json_doc **doc, lethe_json **report)
{
    lethe_job *job;
    char *text = NULL;
    *doc = NULL;
    *report = NULL;
    lethe_err e = job_of(a, &job);
    if (e == LETHE_OK) e = lethe_job_run(job, &text);
    lethe_job_free(job);
    lethe_err shown = LETHE_OK;
    if (text && !wants_json(a)) {
        shown = lethe_json_read(text, doc, report);
        if (shown == LETHE_EINPUT) shown = LETHE_EINTERNAL;
    } else if (text && !a->report_printed) {
        shown = print_report(text);
        if (shown == LETHE_EIO)
            shown = LETHE_OK; // output that was lost is found, and said, by main()
    }
    lethe_text_free(text);
    return e == LETHE_OK ? shown : e;
}

lethe_err request_many(arguments *a, lethe_json_doc **doc, lethe_json **report)
{
    core_dumps_forbid(true); // each run's greatest memory is measured by /proc/self/clear_refs
    // Large blocks go back to the system as soon as a run frees them. By default glibc would start
    // to take them from the heap, which then gets fragmented from run to run.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    return request(a, doc, report);
}

const char *output_of(const arguments *a)
{
    const char *out = NULL;
    for (size_t i = 0; i < a->n_given; i++)
        if (strcmp(a->given[i].name, "output") == 0) out = a->given[i].value;
    return out;
}
