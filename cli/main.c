/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - signals, messages, the progress bar; runs the command. */
#include "candidates.h"
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* What signal handlers reach. */
static _Atomic(lethe_ctx *) running;
static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
    lethe_ctx *ctx = atomic_load(&running);
    if (caught || !ctx) _exit(128 + signal); // second signal, or nothing to clean up
    caught = signal;
    lethe_ctx_cancel(ctx);
}

static void signals_begin(void)
{
    struct sigaction stop = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};
    const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        struct sigaction old;
        sigaction(stopping[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) sigaction(stopping[i], &stop, NULL); // nohup stays nohup
    }
    sigaction(SIGPIPE, &ignore, NULL); // a failed write is an error like any other
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* A core dump would hold the raw log, and keys.  The limit forbids it for files and, being 1, for
 * programs that core_pattern pipes it to, which ignore a limit of 0; a process that is not dumpable
 * dumps nothing at all, and other processes of the same user cannot read its memory. */
void core_dumps_forbid(bool dumpable)
{
#ifdef LETHE_CORE_DUMPS
    (void)dumpable; // a build for developers
#else
    struct rlimit none = {1, 1}, now;
    if (getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_max < none.rlim_max)
        none.rlim_cur = none.rlim_max = now.rlim_max;
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, dumpable ? 1 : 0, 0, 0, 0);
#endif
}

/* The number of a closed standard stream would go to the next file that is opened, and messages
 * into a map or a release.  So it is taken here, by something that can be neither read nor written.
 */
static bool descriptors_begin(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

/* Is standard output a pipe whose reader has gone, as `head` does? */
static bool reader_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

/* --- messages and progress, both on standard error --- */

typedef struct talk {
    bool quiet, verbose, bar_wanted;
    bool bar_shown;
    bool error_said;
    bool output_closed; /* the reader of standard output has gone: nothing to complain about */
    struct timespec started;
    arguments *arguments;
} talk;

static void bar_clear(talk *t)
{
    if (t->bar_shown) fputs("\r\033[K", stderr);
    t->bar_shown = false;
}

static void on_message(void *user, const lethe_message *m)
{
    static const char *const words[] = {"", "warning: ", "note: ", ""};
    talk *t = user;
    if (m->severity == LETHE_ERROR) t->error_said = true;
    if (t->quiet && m->severity != LETHE_ERROR) return;
    static const char lost[] = "cannot write 'standard output'";
    if (m->severity == LETHE_ERROR && !strncmp(m->text, lost, sizeof lost - 1) && reader_gone()) {
        t->output_closed = true;
        return;
    }
    bar_clear(t);
    fputs("lethe: ", stderr);
    if (m->file) {
        print_safe(stderr, (lethe_str){m->file, strlen(m->file)}, 4096);
        if (m->line) fprintf(stderr, ":%" PRIu64, m->line);
        fputs(": ", stderr);
        if (m->column) fprintf(stderr, "column %" PRIu32 ": ", m->column);
    }
    fprintf(stderr, "%s%s\n", words[m->severity], m->text);
    if (t->verbose && m->content.n) {
        fputs("    ", stderr);
        print_safe(stderr, m->content, 200);
        fputc('\n', stderr);
    }
}

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    enum { WIDTH = 30, COLUMNS = 80 };
    talk *t = user;
    struct timespec now;
    char x[SAFE_BYTES];
    if (!t->bar_wanted) return;
    if (!phase) {
        bar_clear(t);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - t->started.tv_sec < 1 + (now.tv_nsec < t->started.tv_nsec)) return;
    t->bar_shown = true;
    if (!total) {
        fprintf(stderr, "\r\033[K%s ...", safe(x, str_of(phase)));
        return;
    }
    // what is wider than the terminal could not be cleared
    int most = COLUMNS - 10 - (int)strlen(phase), width = most < 8       ? 8
                                                          : most < WIDTH ? most
                                                                         : WIDTH;
    int filled = (int)(done >= total ? (uint64_t)width : done * (uint64_t)width / total);
    char bar[WIDTH + 1];
    memset(bar, '.', (size_t)width);
    memset(bar, '#', (size_t)filled);
    bar[width] = '\0';
    fprintf(stderr, "\r\033[K%-10s [%s] %3d %%", safe(x, str_of(phase)), bar,
            (int)(done >= total ? 100 : done * 100 / total));
}

static void on_row(void *user, const char *json, size_t i, size_t n)
{
    const talk *t = user;
    lethe_json_doc *doc;
    lethe_json *row;
    if (!wants_lines(t->arguments) || lethe_json_read(json, &doc, &row) != LETHE_OK) return;
    candidate_line(row, i, n);
    lethe_json_doc_free(doc);
}

static lethe_err on_report(void *user, const char *json)
{
    talk *t = user;
    if (!wants_json(t->arguments)) return LETHE_OK;
    t->arguments->report_printed = true;
    return print_report_first(json);
}

static lethe_err command_run(arguments *a, talk *t)
{
    const lethe_value *threads = common(a, "threads"), *memory = common(a, "memory");
    lethe_settings settings = {.size = sizeof settings,
                               .on_row = on_row,
                               .on_report = on_report,
                               .n_threads = threads->given ? (unsigned)threads->count : 0,
                               .memory_bytes = memory->given ? (uint64_t)memory->count : 0,
                               .on_message = on_message,
                               .on_progress = on_progress,
                               .user = t,
                               .details = common(a, "verbose")->given};
    t->arguments = a;
    t->quiet = common(a, "quiet")->given;
    t->verbose = settings.details;
    t->bar_wanted = !t->quiet && !common(a, "no-progress")->given && isatty(STDERR_FILENO);
    clock_gettime(CLOCK_MONOTONIC, &t->started);
    lethe_err e = lethe_ctx_new(&settings, &a->ctx);
    if (e != LETHE_OK) {
        fputs("lethe: cannot start: out of memory, or no random numbers from the system\n", stderr);
        return e;
    }
    atomic_store(&running, a->ctx);
    e = command_function(a->stages[0].command.name)(a);
    atomic_store(&running, NULL);
    lethe_ctx_free(a->ctx);
    bar_clear(t);
    return e;
}

/* The file or folder that the command has made; NULL: it makes none, or standard output is it. */
static const char *target_of(const arguments *a)
{
    if (strcmp(a->stages[0].command.name, "key") == 0) return a->operands[0];
    const lethe_value *own = lethe_value_find(&a->stages[0].values, "output");
    const char *out = own ? own->text : output_of(a);
    return out && strcmp(out, "-") != 0 ? out : NULL;
}

/* Output that was lost is a failure, even if everything went well before; `made` was made all the
 * same.  A reader that has seen enough (`| head`) is no reason for a message. */
static lethe_err stdout_close(lethe_err e, talk *t, const char *made)
{
    char x[SAFE_BYTES];
    bool failed = fflush(stdout) != 0 || output_lost();
    if (failed && reader_gone()) t->output_closed = true;
    if (fclose(stdout) == 0 && !failed) return e;
    if (e != LETHE_OK && e != LETHE_EIO) return e; // something else failed first
    if (e == LETHE_OK && made)
        fprintf(stderr, "lethe: cannot write standard output, but '%s' is complete\n",
                safe(x, str_of(made)));
    else if (!t->output_closed)
        fputs("lethe: cannot write standard output\n", stderr);
    return LETHE_EIO;
}

/* Ends as the signal would have ended the program. */
static void die_of(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

int main(int argc, char **argv)
{
    talk t = {0};
    arguments a = {0};
    const char *made = NULL; // a word of argv
    core_dumps_forbid(false);
    common_options_begin();
    if (!descriptors_begin()) return lethe_exit_status(LETHE_EIO);
    signals_begin();
    lethe_diag *d = lethe_diag_new(on_message, &t);
    lethe_err e = d ? arguments_parse(argc, argv, d, &a) : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        if (common(&a, "help")->given) {
            print_help(stdout, &a.stages[a.n_stages - 1].command);
        } else {
            e = command_run(&a, &t);
            if (e == LETHE_OK) made = target_of(&a);
        }
        bool speaks = e == LETHE_ENOMEM || e == LETHE_EIO || e == LETHE_EINPUT;
        if ((speaks || e == LETHE_EINTERNAL) && !t.error_said && !output_lost())
            fprintf(stderr, "lethe: %s\n", lethe_err_name(e)); // no failure without a message
    }
    arguments_free(&a);
    lethe_diag_free(d);
    e = stdout_close(e, &t, made);
    if (e == LETHE_ECANCEL && caught) die_of(caught);
    if (e == LETHE_EIO && t.output_closed) die_of(SIGPIPE);
    return lethe_exit_status(e);
}
