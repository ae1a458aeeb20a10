/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - the commands of lethe_call(): a file each, with its table of options and figures and
 * the function that runs it. */
#ifndef LETHE_APP_CALL_COMMAND_H
#define LETHE_APP_CALL_COMMAND_H
#include "core/ctx.h"
#include "io/json/json.h"
#include "lethe/command.h"
#include "release/commands.h"

/* A request that has been checked: what a command gets to see. */
typedef struct lethe_request {
    lethe_ctx *ctx;
    const lethe_command *command;
    lethe_values values; /* of the command's own options */
    /* Of the options that commands share: */
    lethe_read_options reading;
    lethe_publish_options publishing;
    bool has_urls, page;
    const char *title, *date;
    const char *const *inputs; /* of one that compares with an original: the original */
    size_t n_inputs;
    const char *release, *out, *column; /* NULL: not given */
    const lethe_step *steps;
    size_t n_steps;
    struct ArrowArrayStream *rows; /* of a command that gives rows of its own: where they go */
    bool wants_text;
    char *text; /* the report as it was just before what it is about appeared; NULL: not yet */
} lethe_request;

typedef lethe_err (*lethe_command_fn)(lethe_request *r, lethe_json_doc *doc, lethe_json **report);
typedef struct lethe_runner {
    lethe_command command;
    lethe_command_fn run;
    bool chains;   /* it takes steps */
    bool own_rows; /* a stream that it gives is made by itself, not of a release */
} lethe_runner;

extern const lethe_runner lethe_command_assemble, lethe_command_attack, lethe_command_check,
    lethe_command_compare, lethe_command_hierarchy, lethe_command_join, lethe_command_key,
    lethe_command_measure, lethe_command_methods, lethe_command_open, lethe_command_part,
    lethe_command_profile, lethe_command_publish, lethe_command_redo, lethe_command_release,
    lethe_command_report, lethe_command_suggest, lethe_command_synth, lethe_command_verify,
    lethe_command_version;

bool lethe_common_named(const char *name);               /* Is it an option that commands share? */
const lethe_runner *lethe_runner_find(const char *name); /* NULL: there is no such command */

/* Callbacks of the functions of job.h, whose `user` is the request. */
void lethe_request_row(void *user, const lethe_json *row, size_t i, size_t n);
lethe_err lethe_request_report(void *user, const lethe_json *report);
/* What the request says about a release and its original. */
lethe_evaluate_options lethe_request_against(const lethe_request *r);

/* All methods, notions, measures, adversaries and commands, as the report of `methods`. */
lethe_json *lethe_tables_json(lethe_json_doc *doc);

#endif
