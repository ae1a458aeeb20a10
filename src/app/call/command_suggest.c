/* SPDX-License-Identifier: Apache-2.0 */
/* Tries what could be published, and shows what is worth it. */
#include "app/call/command.h"
#include "app/call/candidate_options.h"

static const lethe_option options[] = {
    GOAL_OPTION(NULL, " [default: each of them]"),
    RISK_OPTION("highest risk to show: the upper 95 % confidence bound for the share of people who "
                "can be found, by the adversary that finds most"),
    LEAST_OPTION,
    {.name = "all",
     .type = LETHE_OPT_FLAG,
     .help = "show all candidates, and why each of the others is not worth publishing"},
    SAMPLE_OPTION,
    WITHIN_OPTION("2m", "time for trying candidates; those that do not fit are left out"),
    TAXONOMY_OPTION("for records: taxonomy for generalizing items"),
    COLUMN_OPTIONS,
    GENERALIZING_OPTIONS(" [default: suggested]"),
    RESULTS_OPTION("adversaries"),
    ADVERSARY_OPTIONS,
    {0},
};

static const lethe_figure figures[] = {
    {"shape, persons, rows", "of the input", .better = 0},
    {"sample_persons", "users of the sample that the candidates were tried on, if there was one",
     .better = 0},
    {"top_share, ranges, no_hierarchy",
     "of a table: the share of its most common sensitive value, the ranges that were chosen, and a "
     "column of many values that has no hierarchy",
     .better = 0},
    {"bound, least", "as asked for", .better = 0},
    {"candidates", "an object for each candidate: as rows of lethe-compare(1)", .better = 0},
    {"goals",
     "for each goal: its name and meaning; what the input lacks for it, if it does; fits, best "
     "first: label, method, summary, kept_for_goal, risk (none: no user to find) and command; and "
     "dropped: label, why, and kept_for_goal and risk, or the error",
     .better = 0},
    {"dropped", "how many fit no goal: by risk, little (is kept), no_release and not_tried",
     .better = 0},
    {"next", "the command that publishes", .better = 0},
    {"not_tried, instead", "where nothing fits: as for lethe-publish(1)", .better = 0},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    const lethe_value *goal = lethe_value_of(v, "goal");
    lethe_suggest_options s = {.inputs = r->inputs,
                               .n_inputs = r->n_inputs,
                               .reading = r->reading,
                               .has_goal = goal->given,
                               .goal = (lethe_goal)goal->count,
                               .risk = lethe_option_share(v, "risk"),
                               .least = lethe_option_share(v, "least"),
                               .sample = (uint64_t)lethe_value_of(v, "sample")->count,
                               .within_s = (double)lethe_value_of(v, "within")->count,
                               .has_seed = r->publishing.has_seed,
                               .seed = r->publishing.seed,
                               .values = v,
                               .on_candidate = lethe_request_row,
                               .user = r};
    LETHE_TRY(lethe_shares_check(r->ctx, s.risk, s.least));
    return lethe_suggest(r->ctx, &s, doc, report);
}

const lethe_runner lethe_command_suggest = {
    .command =
        {.name = "suggest",
         .group = "Look at the input",
         .summary = "show what is worth publishing of this input, with the command for each",
         .operands = "LOG|RECORDS|TABLE...",
         .options = options,
         .takes = LETHE_TAKES_READING,
         .description =
             "Tries the candidates of *lethe publish*, for one goal or for all: chains of methods "
             "with "
             "several k and t, each checked, measured, and attacked. Shows those that are worth "
             "publishing, the best first: what each keeps of what matters for the goal, the risk "
             "that "
             "a person is found, and a command line that can be run as it stands. Both figures are "
             "explained in *lethe-publish*(1), which makes the best one. Nothing is written.\n\n"
             "Candidates with a risk above *--risk*, or that keep less than *--least*, are counted "
             "in "
             "one line; *--all* shows them, and all that fit. Of a table every goal needs the "
             "same, "
             "the detail of its columns, so that there is one list.\n\n"
             "A log of more than 3,000 users is tried on a sample of 2,000, in which there are "
             "fewer "
             "people to hide among: up to twice the bound is shown then, marked by a star, because "
             "*lethe publish* may find it below the bound on the whole.\n\n"
             "If nothing is worth publishing the exit status is 1, and the output names what could "
             "be "
             "published for another goal, such as a list of counts.",
         .figures = figures,
         .example = "lethe suggest log.tsv.gz --goal counts"},
    .run = run};
