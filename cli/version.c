/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - prints the version. */
#include "cli.h"
#include <string.h>

lethe_err run_version(const arguments *a)
{
    if (!wants_json(a)) return printf("lethe %s\n", lethe_version()) > 0 ? LETHE_OK : LETHE_EIO;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    lethe_json *report = lethe_json_object(doc);
    lethe_json_set(doc, report, "command", lethe_json_new_text(doc, (lethe_str){"version", 7}));
    lethe_json_set(doc, report, "version",
                   lethe_json_new_text(doc, (lethe_str){lethe_version(), strlen(lethe_version())}));
    lethe_err e = print_json(report);
    lethe_json_doc_free(doc);
    return e;
}
