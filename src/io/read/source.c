/* SPDX-License-Identifier: Apache-2.0 */
/* The stored bytes come by read or pread into a buffer, never by a map: a file that shrinks while
 * it is read then ends early instead of killing the process. */
#include "io/read/source.h"
#include "core/mem.h"
#include "io/arrow/streams.h"
#include "io/read/codec.h"
#include "io/read/encoding.h"
#include "io/read/foreign.h"
#include "io/syserr.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_BYTES = 64 << 10, LOOK_UP_MS = 100 };

struct lethe_source {
    lethe_diag *diag;
    const lethe_ctx *watched; /* NULL: nobody asks to be let go */
    int fd;                   /* -1: from memory, or `stored` */
    lethe_stored *stored;     /* borrowed; NULL: not from one */
    bool owned;               /* fd is closed with us */
    bool seeks;               /* by pread, from the beginning */
    bool given;               /* by its path, so that it may be anything */
    lethe_str memory;
    lethe_stream_reader *stream; /* NULL: not from one */
    uint64_t size;
    _Atomic uint64_t taken; /* asked for by other threads */

    bool known; /* `kind` has been found out */
    lethe_codec_kind kind;
    lethe_codec *codec;
    bool between; /* members of a compressed file: the one before is complete */
    bool first;   /* there is none before */
    bool raw_end; /* no stored bytes are left */
    bool end;
    lethe_err failed; /* what every later call returns */
    uint8_t *in;      /* stored bytes not yet used: in[at..n-1] */
    size_t in_at, in_n;
    lethe_recoder *recoder; /* NULL: bytes as they are */
    bool told;              /* of what it guessed, or nobody wants to know */
    char name[];
};

const char *lethe_source_name(const lethe_source *s) { return s->name; }
uint64_t lethe_source_size(const lethe_source *s) { return s->size; }
uint64_t lethe_source_taken(const lethe_source *s)
{
    return atomic_load_explicit(&s->taken, memory_order_relaxed);
}

/* --- opening --- */

static lethe_source *source_new(lethe_diag *d, const char *name)
{
    size_t n = strlen(name) + 1;
    lethe_source *s = lethe_alloc(1, sizeof *s + n);
    if (!s) return NULL;
    *s = (lethe_source){.diag = d, .fd = -1, .between = true, .first = true};
    memcpy(s->name, name, n);
    s->in = lethe_alloc(IN_BYTES, 1);
    if (s->in) return s;
    lethe_free(s);
    return NULL;
}

void lethe_source_close(lethe_source *s)
{
    if (!s) return;
    lethe_codec_free(s->codec);
    lethe_recoder_free(s->recoder);
    lethe_stream_close(s->stream);
    lethe_free(s->in);
    if (s->owned) close(s->fd); // only read from: nothing can be lost
    lethe_free(s);
}

/* Looks at what `fd` is.  On failure the source is closed, and `fd` with it where it is owned. */
static lethe_err source_on(lethe_diag *d, int fd, bool owned, const char *name, lethe_source **out)
{
    lethe_source *s = source_new(d, name);
    if (!s) {
        if (owned) close(fd);
        (void)lethe_no_memory(d);
        return LETHE_ENOMEM;
    }
    s->fd = fd;
    s->owned = owned;
    lethe_err e = LETHE_OK;
    struct stat st;
    if (fstat(fd, &st) != 0)
        e = lethe_fail_sys(d, "open", name, errno);
    else if (S_ISDIR(st.st_mode))
        e = lethe_fail(d, LETHE_EIO, "'%s' is a directory", name);
    if (e != LETHE_OK) {
        lethe_source_close(s);
        return e;
    }
    s->seeks = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
    if (S_ISREG(st.st_mode) && st.st_size > 0) s->size = (uint64_t)st.st_size;
    if (S_ISREG(st.st_mode)) (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); // a hint
    *out = s;
    return LETHE_OK;
}

static lethe_streams *streams_of(const lethe_diag *d) { return lethe_diag_inputs_of(d).at; }

/* A stream, or bytes that stand for a file. */
static lethe_err given_open(lethe_diag *d, const char *name, const lethe_stream_name *what,
                            lethe_source **out)
{
    lethe_source *s = source_new(d, name);
    if (!s) return lethe_no_memory(d);
    s->memory = what->memory;
    s->size = what->memory.n;
    s->given = what->is_memory;
    s->known = !what->is_memory; // as it is: none of its first bytes means anything
    lethe_err e = LETHE_OK;
    if (!what->is_memory) e = lethe_stream_open(streams_of(d), what->i, &s->stream);
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_source_close(s);
    return e;
}

lethe_err lethe_source_open(lethe_diag *d, const char *path, lethe_source **out)
{
    lethe_stream_name name;
    if (lethe_streams_find(streams_of(d), path, &name)) return given_open(d, path, &name, out);
    if (strcmp(path, "-") == 0) {
        // Whoever handed us standard input may have read some of it: we go on from there.
        lethe_source *s = NULL;
        LETHE_TRY(source_on(d, STDIN_FILENO, false, "standard input", &s));
        off_t at = s->seeks ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
        s->size = at > 0 && (uint64_t)at < s->size ? s->size - (uint64_t)at : at > 0 ? 0 : s->size;
        s->seeks = false;
        s->given = true;
        *out = s;
        return LETHE_OK;
    }
    int fd;
    do // a pipe that nobody writes to is waited for when it is read, where we can be called off
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return lethe_fail_sys(d, "open", path, errno);
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK); // both ways of reading will do
    LETHE_TRY(source_on(d, fd, true, path, out));
    (*out)->given = true;
    return LETHE_OK;
}

lethe_err lethe_source_fd(lethe_diag *d, int fd, const char *name, lethe_source **out)
{
    return source_on(d, fd, false, name, out);
}

lethe_err lethe_source_stored(lethe_diag *d, lethe_stored *stored, lethe_source **out)
{
    lethe_source *s = source_new(d, lethe_stored_name(stored));
    if (!s) return lethe_no_memory(d);
    s->stored = stored;
    s->seeks = true;
    s->size = lethe_stored_size(stored);
    *out = s;
    return LETHE_OK;
}

lethe_err lethe_source_memory(lethe_diag *d, lethe_str bytes, lethe_source **out)
{
    lethe_source *s = source_new(d, "memory");
    if (!s) return lethe_no_memory(d);
    s->memory = bytes;
    s->size = bytes.n;
    *out = s;
    return LETHE_OK;
}

/* --- stored bytes --- */

void lethe_source_watch(lethe_source *s, const lethe_ctx *ctx) { s->watched = ctx; }

/* Waits for bytes (or a pipe's first writer), looking up now and then; false: cancelled.  A signal
 * alone would not do: it interrupts whichever thread takes it. */
static bool wait_for_bytes(const lethe_source *s)
{
    int ready = 0, timeout = s->watched ? LOOK_UP_MS : -1;
    while (ready <= 0 && !s->seeks) {
        if (s->watched && lethe_ctx_cancelled(s->watched)) return false;
        ready = poll(&(struct pollfd){.fd = s->fd, .events = POLLIN}, 1, timeout);
        if (ready < 0 && errno != EINTR) break; // reading will say why
    }
    return true;
}

/* One read, or why not; tried again after a signal, waited for where the descriptor does not. */
static ssize_t read_some(lethe_source *s, void *buf, size_t cap, uint64_t offset)
{
    for (;;) {
        ssize_t n = s->seeks ? pread(s->fd, buf, cap, (off_t)offset) : read(s->fd, buf, cap);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
        if (errno == EAGAIN) (void)poll(&(struct pollfd){.fd = s->fd, .events = POLLIN}, 1, -1);
    }
}

static lethe_err read_raw(lethe_source *s, void *buf, size_t cap, size_t *n)
{
    uint64_t taken = lethe_source_taken(s);
    *n = 0;
    if (s->raw_end) return LETHE_OK;
    if (s->stored) {
        LETHE_TRY(lethe_stored_read(s->diag, s->stored, buf, cap, taken, n));
    } else if (s->fd < 0) {
        *n = LETHE_MIN(cap, s->memory.n - (size_t)taken);
        if (*n > 0) memcpy(buf, s->memory.at + taken, *n);
    } else {
        if (!wait_for_bytes(s)) return LETHE_ECANCEL;
        ssize_t got = read_some(s, buf, cap, taken);
        if (got < 0) return lethe_fail_sys(s->diag, "read", s->name, errno);
        *n = (size_t)got;
    }
    s->raw_end = *n == 0;
    atomic_store_explicit(&s->taken, taken + *n, memory_order_relaxed);
    return LETHE_OK;
}

/* At least `want` stored bytes in `in`, or all that are left. */
static lethe_err fill_in(lethe_source *s, size_t want)
{
    while (s->in_n - s->in_at < want && !s->raw_end) {
        memmove(s->in, s->in + s->in_at, s->in_n - s->in_at);
        s->in_n -= s->in_at;
        s->in_at = 0;
        size_t n;
        LETHE_TRY(read_raw(s, s->in + s->in_n, IN_BYTES - s->in_n, &n));
        s->in_n += n;
    }
    return LETHE_OK;
}

/* --- what comes out --- */

/* Is it a Parquet file, a spreadsheet or the like?  Not for what lethe has written itself. */
static lethe_err refuse_foreign(lethe_source *s)
{
    if (!s->given) return LETHE_OK;
    LETHE_TRY(fill_in(s, LETHE_FOREIGN_LEAST));
    if (!lethe_foreign_suspected((lethe_str){(char *)s->in, s->in_n})) return LETHE_OK;
    LETHE_TRY(fill_in(s, LETHE_FOREIGN_HEAD));
    return lethe_foreign_refuse(s->diag, s->name, (lethe_str){(char *)s->in, s->in_n});
}

static lethe_err fail_truncated(lethe_source *s)
{
    return lethe_fail(s->diag, LETHE_EINPUT, "'%s' is truncated", s->name);
}

/* A complete member lies behind us: another one follows, or zeros (tapes and disks pad with them)
 * up to the end, or the file is not what it seems. */
static lethe_err next_member(lethe_source *s)
{
    do {
        LETHE_TRY(fill_in(s, 1));
        while (!s->first && s->in_at < s->in_n && s->in[s->in_at] == 0)
            s->in_at++;
    } while (s->in_at == s->in_n && !s->raw_end);
    s->end = s->in_at == s->in_n;
    if (s->end) return LETHE_OK;
    LETHE_TRY(fill_in(s, LETHE_CODEC_MAGIC));
    bool partial;
    if (lethe_codec_detect(s->in + s->in_at, s->in_n - s->in_at, &partial) != s->kind)
        return lethe_fail(s->diag, LETHE_EINPUT,
                          "'%s': garbage after the end of the compressed data", s->name);
    if (partial) return fail_truncated(s);
    if (lethe_codec_begin(s->codec) != LETHE_OK) return lethe_no_memory(s->diag);
    s->between = s->first = false;
    return LETHE_OK;
}

/* One step of the codec.  Without input it may still have output to give; if it has none, the
 * file ended too early. */
static lethe_err decode(lethe_source *s, void *buf, size_t cap, size_t *n)
{
    LETHE_TRY(fill_in(s, 1));
    size_t had = s->in_n - s->in_at;
    lethe_codec_io io = {s->in + s->in_at, buf, had, cap};
    lethe_codec_result r = lethe_codec_step(s->codec, &io);
    s->in_at = s->in_n - io.n_in;
    *n = cap - io.n_out;
    bool stuck = *n == 0 && io.n_in == had;
    if (r == LETHE_CODEC_MORE && stuck && had == 0) return fail_truncated(s);
    switch (r) {
    case LETHE_CODEC_END:
        s->between = true;
        return LETHE_OK;
    case LETHE_CODEC_MORE:
        if (!stuck) return LETHE_OK;
        break;
    case LETHE_CODEC_NO_MEMORY:
        return lethe_no_memory(s->diag);
    case LETHE_CODEC_TOO_LARGE:
        return lethe_fail(s->diag, LETHE_EINPUT, "'%s' needs too much memory to decompress",
                          s->name);
    case LETHE_CODEC_DAMAGED:
        break;
    }
    return lethe_fail(s->diag, LETHE_EINPUT, "'%s' is damaged", s->name);
}

static lethe_err read_stream(lethe_source *s, void *buf, size_t cap, size_t *n)
{
    lethe_err e = lethe_stream_read(s->stream, buf, cap, n);
    atomic_store_explicit(&s->taken, lethe_source_taken(s) + *n, memory_order_relaxed);
    return e;
}

static lethe_err read_any(lethe_source *s, void *buf, size_t cap, size_t *n)
{
    if (s->stream) return read_stream(s, buf, cap, n);
    if (!s->known) {
        LETHE_TRY(fill_in(s, LETHE_CODEC_MAGIC));
        bool partial;
        s->kind = lethe_codec_detect(s->in, s->in_n, &partial);
        if (partial) return fail_truncated(s);
        if (s->kind == LETHE_CODEC_NONE) LETHE_TRY(refuse_foreign(s));
        if (s->kind != LETHE_CODEC_NONE) {
            if (!lethe_codec_built_in(s->kind))
                return lethe_fail(s->diag, LETHE_EINPUT,
                                  "'%s' is compressed with %s, which was not built in", s->name,
                                  lethe_codec_name(s->kind));
            s->codec = lethe_codec_new(s->kind);
            if (!s->codec) return lethe_no_memory(s->diag);
        } else if (s->seeks) { // plain, and can be read once more: `in` need not be passed on
            s->in_n = 0;
            s->raw_end = false;
            atomic_store_explicit(&s->taken, 0, memory_order_relaxed);
        }
        s->known = true;
    }
    if (s->kind == LETHE_CODEC_NONE) {
        if (s->in_at == s->in_n) return read_raw(s, buf, cap, n);
        *n = LETHE_MIN(cap, s->in_n - s->in_at);
        memcpy(buf, s->in + s->in_at, *n);
        s->in_at += *n;
        return LETHE_OK;
    }
    while (*n == 0) {
        if (s->between) LETHE_TRY(next_member(s));
        if (s->end) return LETHE_OK;
        LETHE_TRY(decode(s, buf, cap, n));
    }
    return LETHE_OK;
}

static lethe_err read_decoded(void *arg, void *buf, size_t cap, size_t *n)
{
    lethe_source *s = arg;
    *n = 0;
    return s->end ? LETHE_OK : read_any(s, buf, cap, n);
}

static lethe_err read_text(lethe_source *s, void *buf, size_t cap, size_t *n)
{
    LETHE_TRY(lethe_recoder_read(s->recoder, read_decoded, s, buf, cap, n));
    const char *encoding = lethe_recoder_encoding(s->recoder);
    if (!s->told && encoding && lethe_recoder_guessed(s->recoder))
        lethe_note(s->diag, "'%s' is not UTF-8: it is read as %s (change this with --encoding)",
                   s->name, encoding);
    s->told = true;
    return LETHE_OK;
}

lethe_err lethe_source_read(lethe_source *s, void *buf, size_t cap, size_t *n)
{
    assert(cap > 0);
    *n = 0;
    if (s->failed == LETHE_OK)
        s->failed = s->recoder ? read_text(s, buf, cap, n) : read_decoded(s, buf, cap, n);
    if (s->failed != LETHE_OK) *n = 0;
    return s->failed;
}

lethe_err lethe_source_text(lethe_source *s, const char *encoding, bool quiet)
{
    assert((s->stream || !s->known) && !s->recoder);
    s->told = quiet;
    bool utf8 =
        !encoding || strcasecmp(encoding, "utf-8") == 0 || strcasecmp(encoding, "utf8") == 0;
    if (s->stream && !utf8)
        return lethe_fail(s->diag, LETHE_EUSAGE,
                          "--encoding applies to files, and '%s' is a stream, whose text is UTF-8",
                          s->name);
    return lethe_recoder_new(s->diag, s->stream ? "utf-8" : encoding, &s->recoder);
}

lethe_err lethe_source_open_text(lethe_diag *d, const char *path, const char *encoding, bool quiet,
                                 lethe_source **out)
{
    lethe_source *s = NULL;
    LETHE_TRY(lethe_source_open(d, path, &s));
    assert(s);
    lethe_err e = lethe_source_text(s, encoding, quiet);
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_source_close(s);
    return e;
}

uint64_t lethe_source_invalid(const lethe_source *s)
{
    return s->recoder ? lethe_recoder_invalid(s->recoder) : 0;
}

void lethe_source_say_invalid(const lethe_source *s, uint64_t n_lines)
{
    uint64_t n = lethe_source_invalid(s);
    if (n > 0)
        lethe_note(s->diag, "'%s': %llu byte%s not %s, replaced by U+FFFD", s->name,
                   (unsigned long long)n, n == 1 ? " is" : "s are",
                   lethe_recoder_encoding(s->recoder));
    if (n_lines > 0 && s->recoder)
        lethe_note(s->diag,
                   "'%s': %llu line%s bytes that are not UTF-8 (--encoding says what they are)",
                   s->name, (unsigned long long)n_lines, n_lines == 1 ? " has" : "s have");
}

/* --- before it is opened --- */

lethe_err lethe_source_form_of(lethe_diag *d, const char *path, lethe_source_form *out)
{
    lethe_stream_name name;
    lethe_stream_form form = LETHE_STREAM_CSV;
    *out = LETHE_SOURCE_TEXT;
    if (!lethe_streams_find(streams_of(d), path, &name) || name.is_memory) return LETHE_OK;
    LETHE_TRY(lethe_streams_form(streams_of(d), name.i, &form));
    *out = form == LETHE_STREAM_SETS ? LETHE_SOURCE_SETS : LETHE_SOURCE_CSV;
    return LETHE_OK;
}

bool lethe_source_is_path(lethe_diag *d, const char *path)
{
    lethe_stream_name name;
    return strcmp(path, "-") != 0 && !lethe_streams_find(streams_of(d), path, &name);
}

bool lethe_source_rereads(lethe_diag *d, const char *path)
{
    struct stat st;
    lethe_stream_name name;
    if (lethe_streams_find(streams_of(d), path, &name)) return true;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool lethe_source_is_once(lethe_diag *d, const char *path)
{
    struct stat st;
    if (!lethe_source_is_path(d, path)) return strcmp(path, "-") == 0;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

uint64_t lethe_source_line(lethe_diag *d, const char *path, uint64_t line)
{
    lethe_stream_name name;
    bool is_stream = lethe_streams_find(streams_of(d), path, &name) && !name.is_memory;
    return is_stream ? lethe_streams_row(streams_of(d), name.i, line) : line;
}

/* Of what has one. */
static bool size_of(lethe_diag *d, const char *path, uint64_t *bytes)
{
    struct stat st;
    lethe_stream_name name;
    if (lethe_streams_find(streams_of(d), path, &name)) {
        *bytes = name.memory.n;
        return name.is_memory;
    }
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

lethe_err lethe_sources_size(lethe_diag *d, const char *const *paths, size_t n, uint64_t *bytes)
{
    uint64_t total = 0;
    size_t n_stdin = 0;
    bool known = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t size = 0;
        n_stdin += strcmp(paths[i], "-") == 0;
        known = known && size_of(d, paths[i], &size);
        total += size;
    }
    if (n_stdin > 1) return lethe_fail(d, LETHE_EUSAGE, "standard input can be read only once");
    *bytes = known ? total : 0;
    return LETHE_OK;
}
