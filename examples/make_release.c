/* SPDX-License-Identifier: Apache-2.0 */
/* make_release.c - a complete program that uses the library: publishes the queries of a log that at
 * least T users issued, and verifies the release as its receiver would.
 *
 *     cc make_release.c $(pkg-config --cflags --libs lethe) -o make_release
 *     ./make_release log.tsv release 5 */
#include <lethe/lethe.h>
#include <stdio.h>
#include <string.h>

static void on_message(void *user, const lethe_message *m)
{
    (void)user;
    fprintf(stderr, "%s\n", m->text);
}

/* Sets an option by its name on the command line. */
static lethe_err set(lethe_values *v, const char *name, const char *text)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->table[i].name, name) == 0) return lethe_values_set(v, i, text, NULL);
    return LETHE_EUSAGE;
}

static lethe_err release(lethe_ctx *ctx, lethe_json_doc *doc, char **argv)
{
    const lethe_method *method = lethe_method_find("threshold");
    lethe_value at[32];
    lethe_step step = {.method = method};
    if (!method || lethe_option_count(method->options) > sizeof at / sizeof *at)
        return LETHE_EUSAGE;
    lethe_values_init(&step.values, method->options, at);
    lethe_err e = set(&step.values, "t", argv[3]);

    const char *log = argv[1];
    lethe_job job = {.inputs = &log, .n_inputs = 1, .steps = &step, .n_steps = 1, .out = argv[2]};
    job.publishing.force = true; /* replace an earlier release */
    lethe_json *made, *verified;
    if (e == LETHE_OK) e = lethe_release_make(ctx, &job, doc, &made);
    if (e == LETHE_OK) e = lethe_release_verify(ctx, job.out, NULL, doc, &verified);
    if (e != LETHE_OK) return e;
    const lethe_json *counts = lethe_json_get(made, "counts");
    printf("%lld of %lld rows are published, and the promise holds\n",
           (long long)lethe_json_int(lethe_json_get(counts, "published")),
           (long long)lethe_json_int(lethe_json_get(counts, "read")));
    return LETHE_OK;
}

int main(int argc, char **argv)
{
    lethe_settings settings = {.on_message = on_message};
    lethe_ctx *ctx = NULL;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_err e = argc == 4 ? lethe_ctx_new(&settings, &ctx) : LETHE_EUSAGE;
    if (e == LETHE_OK) e = doc ? release(ctx, doc, argv) : LETHE_ENOMEM;
    if (e != LETHE_OK) fprintf(stderr, "make_release LOG FOLDER T: %s\n", lethe_err_name(e));
    lethe_json_doc_free(doc);
    if (ctx) lethe_ctx_free(ctx);
    return lethe_exit_status(e);
}
