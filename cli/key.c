/* SPDX-License-Identifier: Apache-2.0 */
/* key.c - creates a key file. */
#include "cli.h"

lethe_err run_key(const arguments *a)
{
    lethe_err e = lethe_key_new(a->ctx, a->operands[0], common(a, "force")->given);
    if (e != LETHE_OK) return e;
    if (!wants_json(a)) return LETHE_OK;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return LETHE_ENOMEM;
    lethe_json *report = lethe_json_object(doc);
    lethe_json_set(doc, report, "command", lethe_json_new_text(doc, (lethe_str){"key", 3}));
    e = print_json(report);
    lethe_json_doc_free(doc);
    return e == LETHE_EIO ? LETHE_OK : e; // the key is there; main() finds and says what was lost
}
