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

static void print_page(const lethe_json *report)
{
    const lethe_json *metrics = lethe_json_get(report, "metrics");
    printf("%lld queries of %lld users\n",
           (long long)lethe_json_int(lethe_json_get(metrics, "queries")),
           (long long)lethe_json_int(lethe_json_get(metrics, "users")));
    print_share(metrics, "unique_user_share",
                "of the users issued a query that nobody else issued");
    print_share(metrics, "left_t2", "of the queries have a text that at least 2 users issued");
    print_share(metrics, "left_t3", "at least 3 users");
    print_share(metrics, "left_t5", "at least 5 users");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: profile_log LOG...\n");
        return 2;
    }
    lethe_settings settings = {.on_message = on_message}; /* zero: all cores, half the memory */
    lethe_ctx *ctx;
    lethe_err e = lethe_ctx_new(&settings, &ctx);
    if (e != LETHE_OK) return lethe_exit_status(e);

    lethe_json_doc *doc = lethe_json_doc_new(); /* owns the report */
    e = doc ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        lethe_read_options reading = {0}; /* detect the format */
        lethe_json *report;
        e = lethe_profile_log(ctx, (const char *const *)(argv + 1), (size_t)(argc - 1), &reading,
                              doc, &report);
        if (e == LETHE_OK) print_page(report);
    }
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    if (fclose(stdout) != 0 && e == LETHE_OK) e = LETHE_EIO;
    return lethe_exit_status(e);
}
