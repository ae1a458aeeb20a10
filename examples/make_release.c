/* SPDX-License-Identifier: Apache-2.0 */
/* make_release.c - a complete program that uses the library: publishes the queries of a log that at
 * least T users issued.  The release is checked before it appears.
 *
 *     cc make_release.c $(pkg-config --cflags --libs lethe) -o make_release
 *     ./make_release log.tsv release 5 */
#include <lethe/lethe.h>
#include <stdio.h>

static void on_message(void *user, const lethe_message *m)
{
    (void)user;
    fprintf(stderr, "%s\n", m->text);
}

int main(int argc, char **argv)
{
    if (argc != 4) return lethe_exit_status(LETHE_EUSAGE);
    lethe_settings settings = {.size = sizeof settings, .on_message = on_message};
    lethe_ctx *ctx;
    lethe_err e = lethe_ctx_new(&settings, &ctx);
    if (e != LETHE_OK) return lethe_exit_status(e);
    lethe_job *job = lethe_job_new(ctx, "release");
    lethe_job_input_file(job, argv[1]);
    lethe_job_step(job, "scrub");
    lethe_job_step(job, "threshold");
    lethe_job_set(job, "t", argv[3]);
    lethe_job_set(job, "force", ""); /* replace an earlier release */
    lethe_job_output(job, argv[2]);
    e = lethe_job_run(job, NULL); /* what failed before is its result, too */
    if (e == LETHE_OK) puts("released, and the promise holds");
    lethe_job_free(job);
    lethe_ctx_free(ctx);
    return lethe_exit_status(e);
}
