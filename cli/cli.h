/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - the program: a table of commands on top of the public API. */
#ifndef LETHE_CLI_H
#define LETHE_CLI_H
#include "lethe/lethe.h"
#include <stdio.h>
#include <string.h>

typedef struct arguments arguments;

/* One command of a chain: what stands between two `--then`. */
typedef struct stage {
    lethe_command command;
    lethe_values values;
} stage;

/* An option of the request as it was typed; those of the program itself are not among them. */
typedef struct given {
    size_t stage; /* the last one when it was read */
    const char *name, *value;
} given;

struct arguments {
    stage *stages;
    size_t n_stages;
    lethe_values common;
    given *given;
    size_t n_given;
    const char **operands;
    size_t n_operands;
    char **words;   /* as typed, from the program's name on; NULL ends them */
    lethe_ctx *ctx; /* NULL until the arguments have been checked */
    lethe_diag *diag;
    bool report_printed; /* as JSON, before the command was through */
};

/* --- the table: the library's, and `help` --- */
bool command_at(size_t i, lethe_command *out); /* false: there are fewer */
bool command_find(const char *name, lethe_command *out);
bool is_method(const lethe_command *c);
typedef lethe_err (*command_fn)(arguments *a);
command_fn command_function(const char *name);
/* The options that commands share, with those of the program; ends with a NULL name. */
extern lethe_option common_options[];
void common_options_begin(void); /* fills it, before anything else */
bool common_applies(const lethe_option *o, const lethe_command *c);
/* Is it in the help?  Those of logs alone are refused for tables, with a reason, and not shown. */
bool common_shown(const lethe_option *o, const lethe_command *c);
bool takes_tables_alone(const lethe_command *c);

/* --- the request --- */
/* Runs what the arguments ask for, and prints the report if --json asks for it.  Otherwise *report,
 * owned by *doc, is set on LETHE_OK and LETHE_ANSWER_NO; both are NULL in all other cases. */
LETHE_MUST_CHECK lethe_err request(arguments *a, lethe_json_doc **doc, lethe_json **report);
/* The same where every run's memory is measured, and large blocks come and go. */
LETHE_MUST_CHECK lethe_err request_many(arguments *a, lethe_json_doc **doc, lethe_json **report);
/* The value of -o; NULL: none. */
const char *output_of(const arguments *a);

/* --- parsing --- */
/* Prints one line on standard error: what is wrong, and which help to read, that of the command
 * `whose` or (NULL) the overview.  Always returns LETHE_EUSAGE. */
LETHE_PRINTF(2, 3) lethe_err misuse(const char *whose, const char *fmt, ...);
/* The same for a command that does not exist; suggests the one that was probably meant. */
lethe_err misuse_command(const char *name);
/* LETHE_EUSAGE after a message.  Call arguments_free() in any case. */
LETHE_MUST_CHECK lethe_err arguments_parse(int argc, char **argv, lethe_diag *d, arguments *a);
void arguments_free(arguments *a);
const lethe_value *common(const arguments *a, const char *name);

/* --- typing errors --- */
/* The name nearest to what was typed, of those offered so far; name.n is 0 if none is near. */
typedef struct nearest {
    lethe_str typed, name;
    size_t distance; /* of `name`; 0: it is the same */
} nearest;
/* True if `name` (borrowed) is near, and nearer than all before it. */
bool nearest_offer(nearest *near, lethe_str name);
static inline lethe_str str_of(const char *s) { return (lethe_str){s, strlen(s)}; }

/* --- output --- */
bool wants_json(const arguments *a);
bool wants_all(const arguments *a); /* --explain */
/* Prints a report as one line; LETHE_EIO if standard output fails. */
LETHE_MUST_CHECK lethe_err print_report(const char *json);
/* The same just before a release or file appears: a script that cannot read the report must not
 * find what it describes. */
LETHE_MUST_CHECK lethe_err print_report_first(const char *json);
/* Has standard output failed so far? */
bool output_lost(void);
/* 1,234,567 */
const char *grouped(char out[32], int64_t n);
void print_percent(FILE *f, double share);
/* A number with its unit; a share, whose unit begins with %, in percent. */
void print_real(FILE *f, double value, const char *unit);
/* Folds text into lines of at most 96 columns: the first after `first`, the others after `indent`.
 */
void print_folded(FILE *f, lethe_str s, const char *first, const char *indent);
/* The first `most` of them: the most important come first. */
void print_caveats(FILE *f, const lethe_json *report, size_t most);
/* Prints raw text safely on a terminal: control characters, and bytes that are not UTF-8, as \xNN;
 * cut at `max` bytes. */
void print_safe(FILE *f, lethe_str s, size_t max);
/* A word of a command line, as a shell takes it. */
void print_shell_word(FILE *f, lethe_str s);
/* The same as a string, for paths, names and whatever else comes from outside; cut at PATH_MAX. */
enum { SAFE_MAX = 4096, SAFE_BYTES = 4 * SAFE_MAX + 4 };
const char *safe(char out[SAFE_BYTES], lethe_str s);
/* The parameters of a claim, or of its check, in one line: "t = 5, by users".  Long lists and texts
 * are shortened, and control characters are \xNN.  free(); NULL: no memory. */
char *claim_parameters(const lethe_json *claim);
/* Of a check: "promises nothing: every text has at least one user"; empty if it promises something.
 */
lethe_str claim_nothing(const lethe_json *check);
double figure(const lethe_json *object, const char *name);
int64_t count(const lethe_json *object, const char *name);

/* --- figures --- */
enum { LABEL_BYTES = 64 };
const char *figure_label(const lethe_figure *f, char out[LABEL_BYTES]);
/* Not details, and not what is a loss and is 0; with `explain` all that can be shown. */
bool figure_shown(const lethe_figure *f, const lethe_json *v, bool explain);
/* "  label   12 units" in a line, with the label filled up to `width` columns. */
void print_figure(FILE *to, int width, const lethe_figure *f, const lethe_json *v);
/* Name and meaning, below that line. */
void print_figure_meaning(FILE *to, const lethe_figure *f);

/* --- tables --- */
/* One line per bucket of metrics.histograms: "3-5   1,234  5.6 %  ####". */
void print_histogram(const lethe_json *metrics, const char *name, const char *title);
void print_bar(double share);
void print_records_profile(const lethe_json *metrics, const char *input, bool explain);
void print_table_profile(const lethe_json *metrics, const char *input, bool explain);
/* Text that is safe for a terminal, cut or filled up to `width` columns. */
void print_padded(lethe_str s, int width);
void print_names(const lethe_json *names, const char *between);
/* "  lethe NAME INPUT --qi A,B --sa C" and `rest`, quoted for a shell; empty lists are left out. */
void print_command(const char *name, const char *input, const lethe_json *qi, const lethe_json *sa,
                   const char *rest);

/* --- help --- */
void print_help(FILE *f, const lethe_command *c);
void print_overview(FILE *f);
void print_completion(FILE *f, const char *shell); /* bash, zsh or fish */

/* No core dumps from here on.  `dumpable`: the limit alone sees to it, and the process may write
 * its own files below /proc. */
void core_dumps_forbid(bool dumpable);

/* --- one function per command --- */
lethe_err run_attack(arguments *a);
lethe_err run_check(arguments *a);
lethe_err run_compare(arguments *a);
lethe_err run_help(arguments *a);
lethe_err run_hierarchy(arguments *a);
lethe_err run_measure(arguments *a);
lethe_err run_method(arguments *a);
lethe_err run_methods(arguments *a);
lethe_err run_open(arguments *a);
lethe_err run_profile(arguments *a);
lethe_err run_publish(arguments *a);
lethe_err run_quiet(arguments *a); /* one that has nothing to show */
lethe_err run_report(arguments *a);
lethe_err run_suggest(arguments *a);
lethe_err run_synth(arguments *a);
lethe_err run_verify(arguments *a);
lethe_err run_version(arguments *a);

extern const lethe_option help_options[];

#endif
