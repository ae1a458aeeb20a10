/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - the program: a table of commands on top of the public API. */
#ifndef LETHE_CLI_H
#define LETHE_CLI_H
#include "lethe/lethe.h"
#include <stdio.h>
#include <string.h>

/* Which of the common options a command accepts. */
enum {
    TAKES_READING = 1,    /* --from, --columns, ... */
    TAKES_PUBLISHING = 2, /* -o, --time, --urls, ... */
    TAKES_FORCE = 4,
    TAKES_COARSENING = 8, /* --time, --urls: it publishes rows of the input log */
    TAKES_USERS = 16,     /* --keep-users: it publishes a log */
};

typedef struct arguments arguments;

typedef struct command {
    const char *name;
    const char *group;           /* heading in `lethe help` */
    const char *summary;         /* one line */
    const char *operands;        /* "LOG...", "RELEASE", "" */
    const lethe_option *options; /* not shared with other commands; NULL: none */
    unsigned takes;
    const char *description;     /* for the manual */
    const lethe_figure *figures; /* in `metrics`; NULL: none, or those of the method */
    const char *example;
    lethe_err (*run)(const arguments *a);
    const lethe_method *method; /* set for methods */
} command;

/* One command of a chain: what stands between two `--then`. */
typedef struct stage {
    command command;
    lethe_values values;
} stage;

struct arguments {
    stage *stages;
    size_t n_stages;
    lethe_values common;
    const char **operands;
    size_t n_operands;
    lethe_ctx *ctx; /* NULL until the arguments have been checked */
    lethe_diag *diag;
};

/* --- the table --- */
size_t command_count(void);
command command_at(size_t i); /* tools first, then the methods of the library's table */
bool command_find(const char *name, command *out);
extern const lethe_option common_options[];
bool common_applies(const lethe_option *o, const command *c);
/* Is it in the help?  Those of logs alone are refused for tables, with a reason, and not shown. */
bool common_shown(const lethe_option *o, const command *c);
bool takes_tables_alone(const command *c);

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
LETHE_MUST_CHECK lethe_err reading_of(const arguments *a, lethe_read_options *out);

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
/* Prints a report as one line of JSON; LETHE_EIO if standard output fails. */
LETHE_MUST_CHECK lethe_err print_json(const lethe_json *report);
/* The same as a callback of the library, just before a release or file appears: a script that
 * cannot read the report must not find what it describes. */
lethe_err print_json_first(void *user, const lethe_json *report);
/* Has standard output failed so far? */
bool output_lost(void);
/* 1,234,567 */
const char *grouped(char out[32], int64_t n);
void print_percent(FILE *f, double share);
/* What a figure of a report is counted or measured in: "" if its name tells, "%" for a share. */
const char *unit_of(lethe_str name);
/* A number with its unit; a share is shown in percent. */
void print_real(FILE *f, int width, double value, const char *unit);
/* Folds text into lines of at most 96 columns: the first after `first`, the others after `indent`.
 */
void print_folded(FILE *f, lethe_str s, const char *first, const char *indent);
/* The first `most` of them: the most important come first. */
void print_caveats(FILE *f, const lethe_json *report, size_t most);
/* Prints raw text safely on a terminal: control characters, and bytes that are not UTF-8, as \xNN;
 * cut at `max` bytes. */
void print_safe(FILE *f, lethe_str s, size_t max);
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

/* --- tables --- */
/* One line per bucket of metrics.histograms: "3-5   1,234  5.6 %  ####". */
void print_histogram(const lethe_json *metrics, const char *name, const char *title);
void print_table_profile(const lethe_json *metrics, const char *input);
extern const lethe_option profile_options[], check_options[];
extern const lethe_figure check_figures[];
lethe_err run_check(const arguments *a);
/* Text that is safe for a terminal, cut or filled up to `width` columns. */
void print_padded(lethe_str s, int width);
void print_names(const lethe_json *names, const char *between);
/* "  lethe NAME INPUT --qi A,B --sa C" and `rest`, quoted for a shell; empty lists are left out. */
void print_command(const char *name, const char *input, const lethe_json *qi, const lethe_json *sa,
                   const char *rest);

/* --- checking a release --- */
/* clang-format off */
#define TIME_LIMIT_OPTION                                                                          \
    {.name = "time-limit", .type = LETHE_OPT_DURATION, .arg = "DURATION|none", .word = "none",     \
     .fallback = "10m", .min = 1, .max = 3.2e9,                                                    \
     .help = "time limit for checking the promise; if it is met, the answer is 'not decided'"}
/* clang-format on */
/* The value of that option, as lethe_verify_options has it. */
double time_limit_of(const lethe_values *v);

/* --- help --- */
enum { CAVEATS_MAX = 64, CAVEAT_CHARS = 1024 };
/* All that releases of a method can have; those of options say with which. */
typedef struct caveat_list {
    struct caveat {
        const char *text;
        char with[80]; /* "With --suppress vioSA: ", or "" */
    } at[CAVEATS_MAX];
    size_t n;
} caveat_list;
void caveats_of(const lethe_method *m, caveat_list *all);
const char *caveat_text(const struct caveat *c, char out[CAVEAT_CHARS]);
void print_help(FILE *f, const command *c);
void print_overview(FILE *f);
void print_completion(FILE *f, const char *shell); /* bash, zsh or fish */

/* No core dumps from here on.  `dumpable`: the limit alone sees to it, and the process may write
 * its own files below /proc. */
void core_dumps_forbid(bool dumpable);

/* --- one function per command --- */
lethe_err run_attack(const arguments *a);
lethe_err run_compare(const arguments *a);
lethe_err run_help(const arguments *a);
lethe_err run_hierarchy(const arguments *a);
lethe_err run_key(const arguments *a);
lethe_err run_measure(const arguments *a);
lethe_err run_method(const arguments *a);
lethe_err run_methods(const arguments *a);
lethe_err run_open(const arguments *a);
lethe_err run_profile(const arguments *a);
lethe_err run_publish(const arguments *a);
lethe_err run_redo(const arguments *a);
lethe_err run_report(const arguments *a);
lethe_err run_suggest(const arguments *a);
lethe_err run_synth(const arguments *a);
lethe_err run_verify(const arguments *a);
lethe_err run_version(const arguments *a);

extern const lethe_figure compare_figures[], hierarchy_figures[], open_figures[], profile_figures[],
    publish_figures[], report_figures[], suggest_figures[], synth_figures[], verify_figures[];
extern const lethe_option attack_options[], compare_options[], help_options[], hierarchy_options[],
    measure_options[], open_options[], publish_options[], redo_options[], report_options[],
    suggest_options[], synth_options[], verify_options[];

#endif
