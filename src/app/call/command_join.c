/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one release of several, which were made alike from parts of one input. */
#include "app/call/command.h"
#include "app/call/time_limit.h"

static const lethe_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = LETHE_OPT_PATH,
     .arg = "RELEASE",
     .help = "folder for the joined release"},
    TIME_LIMIT_OPTION,
    {.name = "report",
     .type = LETHE_OPT_FLAG,
     .help = "add a readable page, report.html, to the release"},
    {.name = "title",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT",
     .help = "name of the data set, for the manifest and the page"},
    {.name = "date",
     .type = LETHE_OPT_TEXT,
     .arg = "TEXT",
     .help = "date for the manifest and the page, which have none otherwise"},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    const lethe_values *v = &r->values;
    const lethe_join_options how = {.parts = r->inputs,
                                    .n_parts = r->n_inputs,
                                    .out = r->out,
                                    .force = r->publishing.force,
                                    .page = lethe_value_of(v, "report")->given,
                                    .title = lethe_value_of(v, "title")->text,
                                    .date = lethe_value_of(v, "date")->text,
                                    .time_limit_s = lethe_time_limit_of(v),
                                    .on_report = lethe_request_report,
                                    .user = r};
    return lethe_release_join(r->ctx, &how, doc, report);
}

const lethe_runner lethe_command_join = {
    .command =
        {.name = "join",
         .group = "Make a release",
         .summary = "make one release of the releases of parts of an input",
         .operands = "PART...",
         .options = options,
         .takes = LETHE_TAKES_FORCE | LETHE_TAKES_EXPLAIN,
         .description =
             "Joins releases that were made by the same methods with the same options, each from a "
             "part of one input. An input that is too large for one machine can be divided into "
             "parts by person, so that all lines of a person are in one part. Groups then never "
             "span parts, so that the loss depends on how alike the persons of a part are.\n\n"
             "Each part is verified first, as by *lethe verify*. Their lines are merged in the "
             "order of their bytes, their taxonomies are united, and their counts are added. The "
             "joined release is checked on the written bytes before it appears. Its manifest says "
             "how many parts it was joined from, and *lethe verify*, *measure*, *attack* and "
             "*report* take it as any other.\n\n"
             "Only releases of *clump*, *partition*, *ssg*, *microagg* and *scrub* can be joined: "
             "what these promise holds of all parts together if it holds of each. The parts must "
             "be made by this version of lethe. A taxonomy made from the words that are present "
             "(_wordnet:present_) differs from part to part, and such parts are refused. Files "
             "that options name, such as a list of *scrub*, are not in a manifest: that all parts "
             "were made with the same is the publisher's word.\n\n"
             "That no person is in two parts cannot be seen in releases of records. It is the "
             "publisher's word, and a caveat says so. In logs, parts that have a pseudonym in "
             "common are refused: with one *--key-file* for all parts, a user whose rows are in "
             "two of them is found.\n\n"
             "A figure of the joined release follows from those of its parts: it is their sum, "
             "their greatest, or a weighted mean. Figures that only the whole input tells, such as "
             "_shared_rare_, are left out. So are the risks and what is left of the original, "
             "which a part made by *lethe publish* names. Maps of parts are not joined: each line "
             "of the owner's maps stays true of its part.",
         .example = "lethe join part-1 part-2 part-3 -o release/"},
    .run = run};
