/* SPDX-License-Identifier: Apache-2.0 */
/* profile_log.c - a complete program that uses the public API: prints how much of a log is left if
 * each query needs several users.
 *
 *     cc profile_log.c $(pkg-config --cflags --libs lethe) -o profile_log
 *     ./profile_log log.tsv
 *
 * `lethe profile` prints the same figures and more. */
#include <lethe/lethe.h>
#include <stdio.h>

/* Called from any thread, one message at a time.  `content` is raw data and is not shown. */
static void on_message(void *user, const lethe_message *m)
{
    static const char *const names[] = {"error", "warning", "note"};
    (void)user;
    if (m->file) fprintf(stderr, "%s:%llu: ", m->file, (unsigned long long)m->line);
    fprintf(stderr, "%s: %s\n", names[m->severity], m->text);
}

static void print_share(const lethe_json *metrics, const char *name, const char *what)
{
    printf("%5.1f %%  %s\n", 100 * lethe_json_real(lethe_json_get(metrics, name)), what);
}

static lethe_err print_page(const char *text)
{
    lethe_json_doc *doc; /* owns what was read */
    lethe_json *report;
    lethe_err e = lethe_json_read(text, &doc, &report);
    if (e != LETHE_OK) return e;
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    printf("%lld queries of %lld users\n",
           (long long)lethe_json_int(lethe_json_get(metrics, "queries")),
           (long long)lethe_json_int(lethe_json_get(metrics, "users")));
    print_share(metrics, "unique_user_share",
                "of the users issued a query that nobody else issued");
    print_share(metrics, "left_t2", "of the queries have a text that at least 2 users issued");
    print_share(metrics, "left_t3", "at least 3 users");
    print_share(metrics, "left_t5", "at least 5 users");
    lethe_json_doc_free(doc);
    return LETHE_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: profile_log LOG...\n");
        return 2;
    }
    /* zero: all cores, half the memory */
    lethe_settings settings = {.size = sizeof settings, .on_message = on_message};
    lethe_ctx *ctx;
    lethe_err e = lethe_ctx_new(&settings, &ctx);
    if (e != LETHE_OK) return lethe_exit_status(e);

    lethe_job *job = lethe_job_new(ctx, "profile");
    for (int i = 1; i < argc; i++)
        lethe_job_input_file(job, argv[i]); /* what fails here, lethe_job_run() returns */
    char *report;
    e = lethe_job_run(job, &report);
    if (e == LETHE_OK) e = print_page(report);
    lethe_text_free(report);
    lethe_job_free(job);
    lethe_ctx_free(ctx);
    if (fclose(stdout) != 0 && e == LETHE_OK) e = LETHE_EIO;
    return lethe_exit_status(e);
}
