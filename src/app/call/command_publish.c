/* SPDX-License-Identifier: Apache-2.0 */
/* Tries what could be published, and publishes the best of it; makes the release
 * again of another input. */
#include "app/call/command.h"
#include "app/call/candidate_options.h"

static const lethe_option options[] = {
    GOAL_OPTION("patterns", ""),
    RISK_OPTION("highest acceptable risk: the upper 95 % confidence bound for the share of people "
                "who can be found, by the adversary that finds most"),
    LEAST_OPTION,
    {.name = "anyway", .type = LETHE_OPT_FLAG, .help = "publish also what keeps less than --least"},
    {.name = "dry-run",
     .type = LETHE_OPT_FLAG,
     .help = "try, choose, make and attack the release, but write nothing"},
    SAMPLE_OPTION,
    WITHIN_OPTION("4m",
                  "time for the decision: candidates that do not fit are left out, and those whose "
                  "release would take longer come last"),
    TAXONOMY_OPTION("for records: taxonomy for generalizing items"),
    COLUMN_OPTIONS,
    GENERALIZING_OPTIONS(" [default: suggested]"),
    RESULTS_OPTION("adversaries"),
    ADVERSARY_OPTIONS,
    {0},
};

static const lethe_option redo_options[] = {
    RISK_OPTION("highest acceptable risk, as for lethe-publish(1)"),
    {.name = "dry-run",
     .type = LETHE_OPT_FLAG,
     .help = "make and attack the release, but write nothing"},
    TAXONOMY_OPTION("the taxonomy, if the release was made with a file"),
    {.name = "hierarchies",
     .type = LETHE_OPT_PATH,
     .arg = "DIR",
     .told = true,
     .help = "for tables: the folder of hierarchies"},
    {.name = "list",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "for scrub: the list of words and phrases, if the release was made with one"},
    {.name = "sensitive",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "for records: the list of sensitive items"},
    {.name = "directory",
     .type = LETHE_OPT_PATH,
     .arg = "wordnet|FILE",
     .word = "wordnet",
     .help = "for microagg: the directory of categories, if it was a file"},
    RESULTS_OPTION("split, disconnect, adversaries"),
    TRUTH_OPTION,
    {0},
};

static const lethe_figure figures[] = {
    {"goal, bound, least", "as asked for", .better = 0},
    {"shape, persons, rows", "of the input", .better = 0},
    {"sample_persons", "users of the sample that the candidates were tried on, if there was one",
     .better = 0},
    {"candidates",
     "an object for each candidate, the best first: as rows of lethe-compare(1), with "
     "kept_for_goal, kept, risk, risk_by and risks",
     .better = 0},
    {"chosen",
     "label, summary, command, kept_for_goal, kept (shares of queries, clicks, sessions, patterns, "
     "terms and detail that are left), risk, risk_by, risks (an object for each adversary: threat, "
     "counts, success, upper, risk, before, baseline, trials), not_tried, examples",
     .better = 0},
    {"runner_up", "label, command, kept_for_goal and risk of the next one", .better = 0},
    {"refused",
     "label, kept_for_goal and risk of those that keep more, but were above the bound when they "
     "were made on the whole and attacked again",
     .better = 0},
    {"slower",
     "the same of the one that would have been made, but would have taken about so many seconds, "
     "longer than --within",
     .better = 0},
    {"not_tried", "how many candidates were not, for lack of time or memory", .better = 0},
    {"instead",
     "where nothing is published: goal, label, kept_for_goal, risk and command of what could be, "
     "if "
     "there is any",
     .better = 0},
    {"release, map", "where they are; the page is report.html in the release", .better = 0},
    {0},
};

static lethe_err publish(lethe_request *r, lethe_publish_request *q, lethe_json_doc *doc,
                         lethe_json **report)
{
    LETHE_TRY(lethe_shares_check(r->ctx, q->risk, q->least));
    if (!r->out && !q->dry_run)
        return lethe_fail(r->ctx, LETHE_EUSAGE,
                          "no output given: use -o FOLDER, or --dry-run to write nothing");
    q->inputs = r->inputs;
    q->n_inputs = r->n_inputs;
    q->reading = r->reading;
    q->values = &r->values;
    q->out = r->out ? r->out : "release";
    q->publishing = r->publishing;
    q->has_urls = r->has_urls;
    q->title = r->title;
    q->date = r->date;
    q->on_candidate = lethe_request_row;
    q->on_report = lethe_request_report;
    q->user = r;
    return lethe_publish(r->ctx, q, doc, report);
}

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    lethe_publish_request q = {
        .goal = (lethe_goal)lethe_value_of(v, "goal")->count,
        .risk = lethe_option_share(v, "risk"),
        .least = lethe_option_share(v, "least"),
        .anyway = lethe_value_of(v, "anyway")->given,
        .dry_run = lethe_value_of(v, "dry-run")->given,
        .sample = (uint64_t)lethe_value_of(v, "sample")->count,
        .within_s = (double)lethe_value_of(v, "within")->count,
    };
    return publish(r, &q, doc, report);
}

static lethe_err redo_run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    lethe_publish_request q = {.like = r->release,
                               .risk = lethe_option_share(&r->values, "risk"),
                               .dry_run = lethe_value_of(&r->values, "dry-run")->given};
    return publish(r, &q, doc, report);
}

const lethe_runner lethe_command_publish = {
    .command =
        {.name = "publish",
         .group = "From an input to a decision",
         .summary = "try what could be published, choose, and publish it",
         .operands = "LOG|RECORDS|TABLE...",
         .options = options,
         .takes = LETHE_TAKES_READING | LETHE_TAKES_PUBLISHING | LETHE_TAKES_COARSENING |
                  LETHE_TAKES_USERS,
         .description =
             "Tries the chains of methods that fit the input and the goal, several k and t each; "
             "every "
             "release is checked, measured, and attacked with its map. Of those whose risk is "
             "acceptable, the one that keeps most of what matters for the goal is chosen. Its "
             "release "
             "is "
             "made on the whole input with fresh secrets, checked, and attacked again with fresh "
             "draws "
             "before it appears; if it is above the bound then, the next candidate follows.\n\n"
             "What matters: for _patterns_, how much of the frequent patterns of the original is "
             "found "
             "again; for _sessions_, how many sessions still have two different words; for "
             "_clicks_, "
             "how "
             "many clicks are left; for _counts_, how many queries are left. Of a table it is the "
             "detail of its quasi-identifiers.\n\n"
             "The *risk* is the largest upper 95 % confidence bound of success over the "
             "adversaries "
             "that "
             "find a person (*lethe methods* lists them: singling-out and linking). What can be "
             "learned "
             "about a group, and what an adversary can do who takes part, is shown and does not "
             "count. "
             "Adversaries that need a file which was not given are listed as not tried. The "
             "default "
             "of 9 % is 1 in 11, which the European Medicines Agency and Health Canada ask for "
             "published "
             "clinical data.\n\n"
             "A log of more than 3,000 users is tried on a sample of 2,000 first; what seems best "
             "there "
             "is then made and attacked on the whole. Nothing is published if less than *--least* "
             "of "
             "what matters is kept, unless *--anyway* is given, or if no candidate is below the "
             "bound; "
             "the exit status is then 1, and the output names what could be published instead, if "
             "there is any: of a log that cannot be published as one, perhaps a list of counts.\n\n"
             "The map, which leads back from the release to the people, is written to "
             "_FOLDER.map.tsv_, "
             "or to the file of *--map*. Keep it secret, or delete it.",
         .figures = figures,
         .example = "lethe publish log.tsv.gz --goal counts -o release/"},
    .run = run};

const lethe_runner lethe_command_redo = {
    .command =
        {.name = "redo",
         .group = "From an input to a decision",
         .summary = "make the same release of another input, such as next month's log",
         .operands = "RELEASE LOG|RECORDS|TABLE...",
         .options = redo_options,
         .takes = LETHE_TAKES_READING | LETHE_TAKES_PUBLISHING,
         .description =
             "Takes the steps and settings from the manifest of a release, makes them of another "
             "input, "
             "and checks, measures and attacks the result as *lethe publish* does; above the bound "
             "of "
             "*--risk* nothing is published. Files that the release was made with are not in its "
             "manifest and are given again: taxonomies, hierarchies, lists and keys. Without "
             "*--key-file* users get other pseudonyms than in the earlier release.\n\n"
             "Whoever is in both inputs can be looked for in both releases, and their differences "
             "may "
             "show what neither shows alone; a caveat of the release says so.",
         .figures = figures,
         .example = "lethe redo release/ log.tsv.gz --risk 60% -o again/"},
    .run = redo_run};
