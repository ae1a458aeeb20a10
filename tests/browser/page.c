/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - writes a page from JSON, for the browser to look at: page MANIFEST STUDY, "-" for none.
 * What the program does not write by itself can be seen so: a promise that does not hold, a study.
 */
#include <stdio.h>
#include <stdlib.h>
#include "release/page/report.h"

static const lethe_json *read_json(const char *path, lethe_json_doc **doc)
{
    static char text[1 << 20];
    lethe_json *out = NULL;
    FILE *f = strcmp(path, "-") ? fopen(path, "r") : NULL;
    if (!f) return NULL;
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    if (lethe_json_parse(NULL, path, (lethe_str){text, n}, doc, &out) != LETHE_OK) exit(3);
    return out;
}

int main(int argc, char **argv)
{
    lethe_ctx *ctx;
    lethe_json_doc *docs[2] = {NULL, NULL};
    lethe_buf page = {0};
    if (argc != 3 || lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) != LETHE_OK) return 2;
    lethe_report_input in = {.manifest = read_json(argv[1], &docs[0]),
                             .study = read_json(argv[2], &docs[1]),
                             .dirfd = -1};
    in.shape = lethe_manifest_shape(in.manifest);
    lethe_err e = lethe_report_write(ctx, &in, &page, NULL);
    if (e == LETHE_OK && fwrite(page.at, 1, page.n, stdout) != page.n) e = LETHE_EIO;
    lethe_buf_free(&page);
    lethe_json_doc_free(docs[0]);
    lethe_json_doc_free(docs[1]);
    lethe_ctx_free(ctx);
    return lethe_exit_status(e);
}
