/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a key file. */
#include "app/call/command.h"

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    if (!r->out) return lethe_fail(r->ctx, LETHE_EUSAGE, "no file given for the key");
    LETHE_TRY(lethe_key_new(r->ctx, r->out, r->publishing.force));
    *report = lethe_json_object(doc);
    lethe_set_text(doc, *report, "command", "key");
    return LETHE_OK;
}

const lethe_runner lethe_command_key = {
    .command = {.name = "key",
                .group = "Other",
                .summary = "create a key file",
                .operands = "FILE",
                .takes = LETHE_TAKES_FORCE,
                .description =
                    "Writes 32 random bytes to FILE, with mode 0600. Given to methods as "
                    "*--key-file*, they key pseudonyms and hashes, so that the owner can link "
                    "several releases. Anyone who has the file can do the same: keep it secret, "
                    "or do not use one.",
                .example = "lethe key my.key"},
    .run = run};
