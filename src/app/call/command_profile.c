/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what a log, baskets or a table contain. */
#include "app/call/command.h"

static const lethe_option options[] = {
    {.name = "qi",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "of a table: the quasi-identifiers [default: proposed]"},
    {.name = "sa",
     .type = LETHE_OPT_TEXT,
     .arg = "COLUMN,...",
     .help = "of a table: sensitive columns"},
    {.name = "population",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "of a table: a table of all people that its rows may be about, for the journalist's "
             "risk"},
    {0},
};

static const lethe_figure figures[] = {
    {"rows", "lines that hold a query", .better = 0},
    {"rejected", "lines that could not be parsed", .better = 0},
    {"empty", "lines without a query", .better = 0},
    {"invalid_utf8", "lines with bytes that are not UTF-8", .better = 0},
    {"users", "distinct users", .better = 0},
    {"queries", "queries; lines of one user with the same text and time are one query",
     .better = 0},
    {"distinct_queries", "distinct query texts", .better = 0},
    {"once_share", "share of the texts that were issued once", .better = -1},
    {"le3_share", "share of the texts that were issued at most three times", .better = -1},
    {"unique_user_share", "share of the users who have a text that nobody else issued",
     .better = -1},
    {"left_t2, left_t3, left_t5", "share of the queries whose text has at least 2, 3, 5 users",
     .better = 1},
    {"left_q2, left_q4", "share of the queries whose text has at least 2, 4 queries", .better = 1},
    {"terms_per_query", "mean number of terms per query, separated by spaces", .better = 0},
    {"noun_share",
     "share of the words that are nouns in WordNet, including plurals; function words (in, a) are "
     "no nouns, punctuation separates words, and masks are not words",
     .better = 0},
    {"pii", "for each kind of personal data: number of queries in which a detector finds it",
     .better = -1},
    {"pii_examples", "the form of such findings, with letters and digits masked", .better = 0},
    {"clicks", "lines with a URL", .better = 0},
    {"urls", "distinct URLs", .better = 0},
    {"per_user",
     "mean, median, min and max over users of rows, distinct_queries, distinct_clicks "
     "and days",
     .better = 0},
    {"survival",
     "for several t: number of texts that have at least t users, and their share "
     "of the queries and of the rows; of baskets: distinct items that at least t persons have, and "
     "the "
     "share of the items (occurrences) and of the baskets (records) that are not empty then",
     .better = 1},
    {"histograms",
     "texts by users and by queries, users by distinct queries and by distinct "
     "clicks; of baskets: items by persons, persons by distinct items; from, to and count",
     .better = 0},
    {"shape",
     "\"records\" if the input is baskets, and \"table\" if it is a table, whose figures are "
     "below; "
     "both also have rejected and invalid_utf8",
     .better = 0},
    {"records, persons, items, distinct_items, empty",
     "of baskets: their number, persons, items of all baskets, different ones, baskets without "
     "item",
     .better = 0},
    {"persons_named", "of baskets: whether the input says who has which; else each has one person",
     .better = 0},
    {"items_per_record, items_per_person",
     "of baskets: mean, median, min and max over baskets, and of distinct items over persons",
     .better = 0},
    {"unique_person_share",
     "of baskets: share of the persons who have an item that nobody else has", .better = -1},
    {"singled_out",
     "of baskets: share of the persons who have one, at most two, and at most three items that "
     "nobody "
     "else has together",
     .better = -1},
    {"singled_others, singled_tried, singled_undecided",
     "of baskets: persons whom no single item identifies; of these, those for whom two and three "
     "items "
     "were tried (if not all, drawn at random, and the shares are estimated), and those who would "
     "take too long (and are not in the shares)",
     .better = 0},
    {"rows", "of a table: its rows", .better = 0},
    {"detected", "of baskets or a table: no option said that it is one", .better = 0},
    {"columns",
     "of a table, for each column: name, type (number, date, code, category, free text, "
     "identifier), distinct values, missing values, unique_share (rows whose value no other row "
     "has), commonest value and its commonest_share (not of identifiers and free text)",
     .better = 0},
    {"qi, qi_proposed", "of a table: the quasi-identifiers, and whether they are a proposal",
     .better = 0},
    {"proposal",
     "of a table without --qi: for each proposed column the share of rows that it singles out "
     "alone, with its best partner (pair), and together with all columns before it",
     .better = 0},
    {"identifiers, free_texts, constants, not_proposed",
     "of a table: columns that are not proposed, by reason", .better = 0},
    {"groups, mean_group, largest_group",
     "of a table: groups of rows with equal quasi-identifiers, and their sizes", .better = 0},
    {"smallest_k", "of a table: rows of the smallest group; the table is k-anonymous with this k",
     .better = 1},
    {"unique_rows, unique_share", "of a table: rows that are alone in their group", .better = -1},
    {"sensitive",
     "of a table, for each column of --sa, of its worst group: distinct_l (different values), "
     "entropy_l (exp of the entropy), theta (largest share of one value; theta_rows of theta_of "
     "rows) and t (distance from the whole table, equal distance)",
     .better = 0},
    {"risk",
     "of a table: highest, mean and above_20 (share of the rows with a risk over 20 %) of the "
     "prosecutor, with --population also of the journalist (with population_rows, and "
     "groups_lacking: groups that have fewer rows in the population), and the marketer's risk",
     .better = -1},
    {"combinations, combinations_tried, combinations_all",
     "of a table: up to ten combinations of at most three columns that single out most rows; how "
     "many were tried, and how many there are",
     .better = 0},
    {0},
};

static lethe_err run(lethe_request *r, lethe_json_doc *doc, lethe_json **report)
{
    lethe_profile_options how = {.inputs = r->inputs,
                                 .n_inputs = r->n_inputs,
                                 .reading = r->reading,
                                 .qi = lethe_value_of(&r->values, "qi")->text,
                                 .sa = lethe_value_of(&r->values, "sa")->text,
                                 .population = lethe_value_of(&r->values, "population")->text};
    return lethe_profile_input(r->ctx, &how, doc, report);
}

const lethe_runner lethe_command_profile = {
    .command =
        {.name = "profile",
         .group = "Look at the input",
         .summary = "show what a log, baskets or a table contain and how identifying they are",
         .operands = "LOG|RECORDS|TABLE...",
         .options = options,
         .takes = LETHE_TAKES_READING | LETHE_TAKES_EXPLAIN,
         .description =
             "Reads a search log once and shows how its queries and clicks spread over texts and "
             "users, how many users have a query that nobody else issued, and how much a threshold "
             "of "
             "t users would keep, for several t.\n\n"
             "A *query* is one user, one text and one time; several clicks on its results are "
             "several "
             "rows.\n\n"
             "A table (CSV with a header, any separator) is described instead if *--qi*, *--sa*, "
             "*--population* or *--from table* says so, or if its header names no user and no "
             "query "
             "column; the first line of the output says which it is. Standard input is a log "
             "unless an "
             "option says otherwise.\n\n"
             "Baskets (records, see *lethe-records*(5)) are described if *--from records* or "
             "*--columns "
             "person=,item=* says so, or if most lines have no column separators. Two or three "
             "items "
             "*identify* a person if nobody else has all of them, in whichever baskets. The shares "
             "are "
             "exact where that takes a second or two; otherwise they are estimated from persons "
             "drawn "
             "at random, the same in each run, and the output says so.\n\n"
             "Of a table, each row is taken for one person. A *group* is all rows with "
             "equal values of the "
             "quasi-identifiers; "
             "a row is *unique* if its group has no other. Values are compared as they stand, "
             "without "
             "spaces at their ends; an empty field and a question mark are the same missing "
             "value.\n\n"
             "Without *--qi* quasi-identifiers are proposed from the data alone: all columns that "
             "have "
             "more than one value and are neither direct identifiers (at least 90 % of the rows "
             "have a "
             "value of their own) nor free text nor named by *--sa*, ordered by how many rows they "
             "single out in pairs with each other column, at most 16. In tables of fewer than 100 "
             "rows, "
             "short numbers and dates that all differ are not taken for identifiers. Whether "
             "others "
             "can "
             "know a column's values cannot be seen from the data: decide that yourself.\n\n"
             "The *types* of columns are guessed from their values: number, date, code (digits "
             "of "
             "one length or with a leading zero, or letters and digits), category, free text (four "
             "words and more on average, most of them different), identifier.\n\n"
             "The *risks* are those of El Emam (Guide to the De-Identification of Personal Health "
             "Information, 2013) and of ARX. The *prosecutor* knows that a person is in the table: "
             "the "
             "risk of a row is 1 / size of its group. The *journalist* knows that a person is in "
             "the "
             "population of *--population*, a table with the same columns: 1 / size of the group "
             "in "
             "the population, counted at least as large as in the table; without a population it "
             "is at "
             "worst the prosecutor's. For both, highest is the largest risk of a row, mean the "
             "mean "
             "over all rows, and then the share of the rows with a risk over 20 %. The *marketer* "
             "wants to find as many people as possible: the expected share of rows found, groups / "
             "rows.\n\n"
             "For a sensitive column (*--sa*) the worst group counts: distinct l is the least "
             "number "
             "of different values in a group, entropy l is exp of the least entropy, the largest "
             "share is the theta of l+-diversity, and t is the largest distance of a group's "
             "distribution from the whole table's, half the sum of the differences (t-closeness "
             "with "
             "the equal distance). An asterisk is a value that is not told, as for *lethe check*; "
             "then "
             "entropy l and t are not shown.\n\n"
             "Combinations of up to three columns are tried within a limit of 2^30 rows looked at; "
             "if "
             "that is not enough for all columns, those are combined that separate most pairs of "
             "rows "
             "(Motwani and Xu, 2007), and the output says how many combinations were tried. A "
             "combination that singles out no more rows than a part of it is not listed. The table "
             "is "
             "kept in memory: about 10 bytes per cell and the distinct values; peak_bytes of "
             "*--json* "
             "says how much it was.",
         .figures = figures,
         .example = "lethe profile patients.csv --qi age,zip,sex --sa disease"},
    .run = run};
