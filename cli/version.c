/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - prints the version; and what a command does that has nothing to show. */
#include "cli.h"

lethe_err run_quiet(arguments *a)
{
    lethe_json_doc *doc;
    lethe_json *report;
    lethe_err e = request(a, &doc, &report);
    lethe_json_doc_free(doc);
    return e;
}

lethe_err run_version(arguments *a)
{
    if (wants_json(a)) return run_quiet(a);
    return printf("lethe %s\n", lethe_version()) > 0 ? LETHE_OK : LETHE_EIO;
}
