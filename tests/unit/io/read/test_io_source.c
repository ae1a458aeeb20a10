/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: what is stored comes out as it was before it was packed, or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "io/read/source.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#ifdef LETHE_HAVE_XZ
#include <lzma.h>
#endif
#ifdef LETHE_HAVE_BZIP2
#include <bzlib.h>
#endif

/* --- what messages say --- */

typedef struct heard {
    unsigned n;
    char last[512];
} heard;

static void listen(void *ctx, const lethe_message *m)
{
    heard *h = ctx;
    h->n++;
    snprintf(h->last, sizeof h->last, "%s", m->text);
}

/* --- packing --- */

enum { GZIP, ZSTD, XZ, BZIP2, N_KINDS };
static const char *const kind_names[] = {"gzip", "zstd", "xz", "bzip2"};

static bool have(int kind)
{
#ifndef LETHE_HAVE_XZ
    if (kind == XZ) return false;
#endif
#ifndef LETHE_HAVE_BZIP2
    if (kind == BZIP2) return false;
#endif
    return kind < N_KINDS;
}

static size_t pack_gzip(const void *p, size_t n, uint8_t *out, size_t cap)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t made = z.total_out;
    deflateEnd(&z);
    return made;
}

static size_t pack_zstd(const void *p, size_t n, uint8_t *out, size_t cap)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size_t made = ZSTD_compress2(c, out, cap, p, n);
    assert_false(ZSTD_isError(made));
    ZSTD_freeCCtx(c);
    return made;
}

static size_t pack(int kind, const void *p, size_t n, uint8_t *out, size_t cap)
{
    if (kind == GZIP) return pack_gzip(p, n, out, cap);
    if (kind == ZSTD) return pack_zstd(p, n, out, cap);
#ifdef LETHE_HAVE_XZ
    if (kind == XZ) {
        size_t made = 0;
        assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, p, n, out, &made, cap),
                         LZMA_OK);
        return made;
    }
#endif
#ifdef LETHE_HAVE_BZIP2
    if (kind == BZIP2) {
        unsigned made = (unsigned)cap;
        assert_int_equal(BZ2_bzBuffToBuffCompress((char *)out, &made, (char *)(uintptr_t)p,
                                                  (unsigned)n, 1, 0, 0),
                         BZ_OK);
        return made;
    }
#endif
    fail();
    return 0;
}

/* --- unpacking --- */

/* Reads `s` to its end in pieces of `step` bytes, and closes it. */
static lethe_err drain(lethe_source *s, size_t step, lethe_buf *out)
{
    uint8_t piece[4096];
    size_t n;
    lethe_err e;
    assert_true(step <= sizeof piece);
    while ((e = lethe_source_read(s, piece, step, &n)) == LETHE_OK && n > 0) {
        assert_true(n <= step);
        assert_int_equal(lethe_buf_put(out, piece, n), LETHE_OK);
    }
    assert_int_equal(n, 0);
    assert_int_equal(lethe_source_read(s, piece, step, &n), e); // and so it stays
    assert_int_equal(n, 0);
    lethe_source_close(s);
    return e;
}

static lethe_err unpack(const void *p, size_t n, size_t step, lethe_buf *out, heard *h)
{
    lethe_diag *d = lethe_diag_new(listen, h);
    lethe_source *s;
    assert_int_equal(lethe_source_memory(d, (lethe_str){p, n}, &s), LETHE_OK);
    out->n = 0;
    *h = (heard){0};
    lethe_err e = drain(s, step, out);
    assert_int_equal(h->n, e != LETHE_OK); // a failure is said once
    lethe_diag_free(d);
    return e;
}

static void expect(const void *stored, size_t n_stored, const void *want, size_t n)
{
    static const size_t steps[] = {1, 7, 4096};
    for (size_t i = 0; i < LETHE_COUNT(steps); i++) {
        lethe_buf out = {0};
        heard h;
        assert_int_equal(unpack(stored, n_stored, steps[i], &out, &h), LETHE_OK);
        assert_int_equal(out.n, n);
        if (n > 0) assert_memory_equal(out.at, want, n);
        lethe_buf_free(&out);
    }
}

static void expect_fault(const void *stored, size_t n, const char *text)
{
    lethe_buf out = {0};
    heard h;
    assert_int_equal(unpack(stored, n, 4096, &out, &h), LETHE_EINPUT);
    assert_non_null(strstr(h.last, text));
    lethe_buf_free(&out);
}

static const char sample[] = "142\trentdirect.com\t2006-03-01 07:17:12\t\t\n"
                             "142\twww.prescriptionfortime.com\t2006-03-12 12:31:06\t\t\n";
enum { SAMPLE = sizeof sample - 1 };

/* Bytes that do not pack well, so that output and input cross many buffers. */
static uint8_t *noise(size_t n)
{
    uint8_t *p = malloc(n);
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        p[i] = (uint8_t)(x >> 32);
    }
    p[0] = 'x';
    return p;
}

/* --- plain --- */

static void plain_bytes_pass_unchanged(void **state)
{
    (void)state;
    expect("", 0, "", 0);
    expect("\n", 1, "\n", 1);
    expect(sample, SAMPLE, sample, SAMPLE);
    expect("a\0b\0", 4, "a\0b\0", 4);
    uint8_t *p = noise(200000);
    expect(p, 200000, p, 200000);
    free(p);
}

static void what_only_resembles_a_mark_is_plain(void **state)
{
    (void)state;
    static const char *const texts[] = {"\x1f",
                                        "(",
                                        "BZ",
                                        "BZh",
                                        "BZh0 is text",
                                        "BZhello",
                                        "BZh91 is a name",
                                        "\xfd_zXZ",
                                        "P*",
                                        "P*M and more",
                                        "(\xb5 or so"};
    for (size_t i = 0; i < LETHE_COUNT(texts); i++)
        expect(texts[i], strlen(texts[i]), texts[i], strlen(texts[i]));
}

/* --- packed --- */

static void every_kind_is_recognised_by_content(void **state)
{
    (void)state;
    static uint8_t out[4096];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        expect(out, pack(kind, sample, SAMPLE, out, sizeof out), sample, SAMPLE);
        expect(out, pack(kind, "", 0, out, sizeof out), "", 0);
    }
}

static void members_are_joined(void **state)
{
    (void)state;
    static uint8_t out[8192];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        size_t n = pack(kind, "one\n", 4, out, sizeof out);
        n += pack(kind, "", 0, out + n, sizeof out - n);
        n += pack(kind, "two\n", 4, out + n, sizeof out - n);
        expect(out, n, "one\ntwo\n", 8);
    }
}

static void large_members_are_joined(void **state)
{
    (void)state;
    size_t n = 300000, cap = 2 * n, made;
    uint8_t *p = noise(n), *out = malloc(cap);
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        made = pack(kind, p, n / 2, out, cap);
        made += pack(kind, p + n / 2, n - n / 2, out + made, cap - made);
        expect(out, made, p, n);
    }
    free(p);
    free(out);
}

static void zeros_after_the_end_are_padding(void **state)
{
    (void)state;
    static uint8_t out[200000];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        memset(out, 0, sizeof out);
        size_t n = pack(kind, sample, SAMPLE, out, 4096);
        expect(out, n + 1, sample, SAMPLE);
        expect(out, n + 512, sample, SAMPLE);
        expect(out, sizeof out, sample, SAMPLE); // past what is read at once
    }
}

static void garbage_after_the_end_is_refused(void **state)
{
    (void)state;
    static uint8_t out[4096];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        memset(out, 0, sizeof out);
        size_t n = pack(kind, sample, SAMPLE, out, sizeof out);
        memcpy(out + n, "x", 1);
        expect_fault(out, n + 1, "garbage after the end of the compressed data");
        memcpy(out + n, "more text\n", 10);
        expect_fault(out, n + 10, "garbage after the end of the compressed data");
        memcpy(out + n, "\0\0\0x", 4);
        expect_fault(out, n + 4, "garbage after the end of the compressed data");
        memcpy(out + n, "\x1f", 1); // not yet a member of any kind
        expect_fault(out, n + 1, "garbage after the end of the compressed data");
    }
}

static void another_kind_after_the_end_is_garbage(void **state)
{
    (void)state;
    static uint8_t out[4096];
    size_t n = pack(GZIP, "one\n", 4, out, sizeof out);
    n += pack(ZSTD, "two\n", 4, out + n, sizeof out - n);
    expect_fault(out, n, "garbage after the end of the compressed data");
}

static void skippable_frames_are_skipped(void **state)
{
    (void)state;
    static uint8_t out[4096];
    static const uint8_t skip[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    memcpy(out, skip, sizeof skip);
    expect(out, sizeof skip, "", 0);
    size_t n = sizeof skip + pack(ZSTD, "one\n", 4, out + sizeof skip, 1000);
    memcpy(out + n, skip, sizeof skip);
    n += sizeof skip;
    n += pack(ZSTD, "two\n", 4, out + n, 1000);
    expect(out, n, "one\ntwo\n", 8);
    expect_fault(out, 9, "is truncated");
}

/* --- cut off and damaged --- */

static size_t least_to_tell(int kind) { return kind == BZIP2 ? 4 : 2; }

static void a_file_cut_anywhere_is_truncated(void **state)
{
    (void)state;
    static uint8_t out[8192];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        size_t n = pack(kind, sample, SAMPLE, out, sizeof out);
        for (size_t cut = least_to_tell(kind); cut < n; cut++)
            expect_fault(out, cut, "'memory' is truncated");
        size_t two = n + pack(kind, sample, SAMPLE, out + n, sizeof out - n);
        for (size_t cut = n + least_to_tell(kind); cut < two; cut++)
            expect_fault(out, cut, "'memory' is truncated");
    }
}

/* Whatever byte is changed, what comes out is never something else than what went in. */
static void a_changed_byte_never_changes_the_text(void **state)
{
    (void)state;
    static uint8_t out[8192];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        size_t n = pack(kind, sample, SAMPLE, out, sizeof out), refused = 0;
        for (size_t i = least_to_tell(kind) + 4; i < n; i++) {
            lethe_buf got = {0};
            heard h;
            out[i] ^= 0x55;
            lethe_err e = unpack(out, n, 4096, &got, &h);
            out[i] ^= 0x55;
            assert_true(e == LETHE_OK || e == LETHE_EINPUT);
            bool plain = kind == BZIP2 && i < 10; // its mark is gone
            if (e == LETHE_OK && !plain) {
                assert_int_equal(got.n, SAMPLE);
                assert_memory_equal(got.at, sample, SAMPLE);
            }
            refused += e == LETHE_EINPUT;
            lethe_buf_free(&got);
        }
        if (refused < n * 3 / 4) fail_msg("%s: %zu of %zu refused", kind_names[kind], refused, n);
    }
}

static void damage_is_named(void **state)
{
    (void)state;
    static uint8_t out[8192];
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        size_t n = pack(kind, sample, SAMPLE, out, sizeof out);
        out[n / 2] ^= 0x55;
        expect_fault(out, n, "'memory' is");
        if (kind == GZIP) {
            out[n / 2] ^= 0x55;
            out[n - 5] ^= 1; // the check sum
            expect_fault(out, n, "'memory' is damaged");
        }
    }
}

static void a_window_over_128_mib_is_refused(void **state)
{
    (void)state;
    // A frame header with a window descriptor of 2^31 bytes, then an empty last block.
    static const uint8_t bomb[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 1, 0, 0};
    expect_fault(bomb, sizeof bomb, "needs too much memory");
}

/* --- files --- */

static char folder[] = "/tmp/lethe-source-XXXXXX";

static char *write_file(const char *name, const void *p, size_t n)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    if (n > 0) assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void expect_open_fault(const char *path, const char *text)
{
    heard h = {0};
    lethe_diag *d = lethe_diag_new(listen, &h);
    lethe_source *s = NULL;
    assert_int_equal(lethe_source_open(d, path, &s), LETHE_EIO);
    assert_null(s);
    assert_string_equal(h.last, text);
    lethe_diag_free(d);
}

static void files_that_cannot_be_opened_say_why(void **state)
{
    (void)state;
    char text[512], path[300];
    snprintf(path, sizeof path, "%s/none", folder);
    snprintf(text, sizeof text, "cannot open '%s': no such file or directory", path);
    expect_open_fault(path, text);
    snprintf(text, sizeof text, "'%s' is a directory", folder);
    expect_open_fault(folder, text);
    if (geteuid() == 0) return; // root may read anything
    char locked[300];
    snprintf(locked, sizeof locked, "%s", write_file("locked", "x", 1));
    assert_int_equal(chmod(locked, 0), 0);
    snprintf(text, sizeof text, "cannot open '%s': permission denied", locked);
    expect_open_fault(locked, text);
    unlink(locked);
}

static void a_failed_read_is_said_with_its_cause(void **state)
{
    (void)state;
    heard h = {0};
    lethe_diag *d = lethe_diag_new(listen, &h);
    char *path = write_file("out", "x", 1);
    int fd = open(path, O_WRONLY);
    lethe_source *s;
    char c;
    size_t n = 9;
    assert_int_equal(lethe_source_fd(d, fd, "the log", &s), LETHE_OK);
    assert_int_equal(lethe_source_read(s, &c, 1, &n), LETHE_EIO);
    assert_int_equal(n, 0);
    assert_string_equal(h.last, "cannot read 'the log': bad file descriptor");
    assert_int_equal(lethe_source_read(s, &c, 1, &n), LETHE_EIO);
    assert_int_equal(h.n, 1);
    lethe_source_close(s);
    assert_int_equal(close(fd), 0); // it was borrowed
    lethe_diag_free(d);
    unlink(path);
}

static void a_file_is_read_whole_with_its_size(void **state)
{
    (void)state;
    size_t n = 150001;
    uint8_t *p = noise(n);
    char *path = write_file("plain", p, n);
    lethe_source *s;
    assert_int_equal(lethe_source_open(NULL, path, &s), LETHE_OK);
    assert_string_equal(lethe_source_name(s), path);
    assert_int_equal(lethe_source_size(s), n);
    assert_int_equal(lethe_source_taken(s), 0);
    uint8_t first[100];
    size_t got;
    assert_int_equal(lethe_source_read(s, first, sizeof first, &got), LETHE_OK);
    assert_int_equal(got, sizeof first);
    assert_int_equal(lethe_source_taken(s), sizeof first); // and not what was read to find the kind
    assert_memory_equal(first, p, sizeof first);
    lethe_buf out = {0};
    assert_int_equal(drain(s, 4096, &out), LETHE_OK);
    assert_int_equal(out.n, n - sizeof first);
    assert_memory_equal(out.at, p + sizeof first, out.n);
    lethe_buf_free(&out);
    unlink(path);
    free(p);
}

static void a_packed_file_takes_all_its_stored_bytes(void **state)
{
    (void)state;
    uint8_t packed[4096];
    size_t n = pack(GZIP, sample, SAMPLE, packed, sizeof packed);
    char *path = write_file("log.gz", packed, n);
    lethe_source *s;
    assert_int_equal(lethe_source_open(NULL, path, &s), LETHE_OK);
    assert_int_equal(lethe_source_size(s), n);
    uint8_t out[SAMPLE + 1];
    size_t got;
    assert_int_equal(lethe_source_read(s, out, sizeof out, &got), LETHE_OK);
    assert_int_equal(got, SAMPLE);
    assert_int_equal(lethe_source_taken(s), n);
    lethe_source_close(s);
    unlink(path);
}

static void a_descriptor_is_read_from_the_beginning_and_kept(void **state)
{
    (void)state;
    char *path = write_file("twice", sample, SAMPLE);
    int fd = open(path, O_RDONLY);
    assert_int_equal(lseek(fd, 20, SEEK_SET), 20);
    for (int i = 0; i < 2; i++) {
        lethe_source *s;
        lethe_buf out = {0};
        assert_int_equal(lethe_source_fd(NULL, fd, "log", &s), LETHE_OK);
        assert_string_equal(lethe_source_name(s), "log");
        assert_int_equal(drain(s, 7, &out), LETHE_OK);
        assert_int_equal(out.n, SAMPLE);
        assert_memory_equal(out.at, sample, SAMPLE);
        lethe_buf_free(&out);
    }
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 20);
    close(fd);
    unlink(path);
}

static void a_file_that_shrinks_ends_early(void **state)
{
    (void)state;
    uint8_t *p = noise(100000);
    char *path = write_file("shrinks", p, 100000);
    lethe_source *s;
    lethe_buf out = {0};
    assert_int_equal(lethe_source_open(NULL, path, &s), LETHE_OK);
    assert_int_equal(truncate(path, 50000), 0);
    assert_int_equal(drain(s, 4096, &out), LETHE_OK);
    assert_int_equal(out.n, 50000);
    lethe_buf_free(&out);
    unlink(path);
    free(p);
}

/* --- pipes --- */

typedef struct feed {
    int fd;
    const uint8_t *p;
    size_t n;
} feed;

static void *feed_slowly(void *arg)
{
    feed *f = arg;
    for (size_t i = 0; i < f->n;) {
        size_t n = LETHE_MIN(f->n - i, i < 20 ? (size_t)1 : (size_t)3000); // the mark byte by byte
        ssize_t w = write(f->fd, f->p + i, n);
        if (w <= 0) break;
        i += (size_t)w;
    }
    close(f->fd);
    return NULL;
}

static void expect_by_pipe(const uint8_t *stored, size_t n_stored, const void *want, size_t n,
                           bool nonblock)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (nonblock) assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    feed f = {ends[1], stored, n_stored};
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, feed_slowly, &f), 0);
    lethe_source *s;
    lethe_buf out = {0};
    assert_int_equal(lethe_source_fd(NULL, ends[0], "pipe", &s), LETHE_OK);
    assert_int_equal(lethe_source_size(s), 0);
    assert_int_equal(drain(s, 4096, &out), LETHE_OK);
    pthread_join(writer, NULL);
    close(ends[0]);
    assert_int_equal(out.n, n);
    assert_memory_equal(out.at, want, n);
    lethe_buf_free(&out);
}

static void pipes_are_read_to_their_end(void **state)
{
    (void)state;
    uint8_t *p = noise(100000), *out = malloc(200000);
    expect_by_pipe(p, 100000, p, 100000, false);
    expect_by_pipe(p, 100000, p, 100000, true);
    expect_by_pipe((const uint8_t *)"ab", 2, "ab", 2, false);
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!have(kind)) continue;
        expect_by_pipe(out, pack(kind, p, 100000, out, 200000), p, 100000, false);
    }
    free(p);
    free(out);
}

static void nothing(int signal) { (void)signal; }

typedef struct nuisance {
    pthread_t reader;
    int fd;
} nuisance;

static void *interrupt_then_write(void *arg)
{
    nuisance *it = arg;
    for (int i = 0; i < 5; i++) {
        usleep(2000);
        pthread_kill(it->reader, SIGUSR1);
    }
    ssize_t n = write(it->fd, "done", 4);
    close(it->fd);
    return n == 4 ? NULL : arg;
}

static void interrupted_reads_are_tried_again(void **state)
{
    (void)state;
    struct sigaction old, now = {.sa_handler = nothing};
    sigaction(SIGUSR1, &now, &old); // without SA_RESTART
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    nuisance it = {pthread_self(), ends[1]};
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, interrupt_then_write, &it), 0);
    lethe_source *s;
    lethe_buf out = {0};
    assert_int_equal(lethe_source_fd(NULL, ends[0], "pipe", &s), LETHE_OK);
    assert_int_equal(drain(s, 100, &out), LETHE_OK);
    void *wrong;
    pthread_join(writer, &wrong);
    assert_null(wrong);
    assert_int_equal(out.n, 4);
    assert_memory_equal(out.at, "done", 4);
    lethe_buf_free(&out);
    close(ends[0]);
    sigaction(SIGUSR1, &old, NULL);
}

static void *cancel_soon(void *ctx)
{
    usleep(5000);
    lethe_ctx_cancel(ctx);
    return NULL;
}

static void a_cancelled_run_waits_no_longer(void **state)
{
    (void)state;
    lethe_ctx *ctx;
    lethe_source *s;
    int ends[2];
    pthread_t other;
    char c;
    size_t n = 9;
    assert_int_equal(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx), LETHE_OK);
    assert_int_equal(pipe(ends), 0); // and nobody writes
    assert_int_equal(lethe_source_fd(NULL, ends[0], "pipe", &s), LETHE_OK);
    lethe_source_watch(s, ctx);
    assert_int_equal(pthread_create(&other, NULL, cancel_soon, ctx), 0);
    assert_int_equal(lethe_source_read(s, &c, 1, &n), LETHE_ECANCEL);
    assert_int_equal(n, 0);
    pthread_join(other, NULL);
    lethe_source_close(s);
    lethe_ctx_free(ctx);
    close(ends[0]);
    close(ends[1]);
}

static void standard_input_goes_on_where_it_stands(void **state)
{
    (void)state;
    char *path = write_file("stdin", sample, SAMPLE);
    int saved = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
    assert_int_equal(lseek(fd, 4, SEEK_SET), 4);
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    lethe_source *s;
    lethe_buf out = {0};
    assert_int_equal(lethe_source_open(NULL, "-", &s), LETHE_OK);
    assert_string_equal(lethe_source_name(s), "standard input");
    assert_int_equal(lethe_source_size(s), SAMPLE - 4);
    assert_int_equal(drain(s, 4096, &out), LETHE_OK);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    close(fd);
    assert_int_equal(out.n, SAMPLE - 4);
    assert_memory_equal(out.at, sample + 4, SAMPLE - 4);
    lethe_buf_free(&out);
    unlink(path);
}

/* --- no memory --- */

static void every_failed_allocation_is_a_clean_error(void **state)
{
    (void)state;
    static uint8_t packed[8192];
    for (int kind = -1; kind < N_KINDS; kind++) {
        if (kind >= 0 && !have(kind)) continue;
        size_t n = SAMPLE;
        if (kind < 0)
            memcpy(packed, sample, n);
        else {
            n = pack(kind, sample, SAMPLE, packed, 4096);
            n += pack(kind, sample, SAMPLE, packed + n, 4096);
        }
        lethe_err e = LETHE_ENOMEM;
        for (uint64_t fail_at = 1; e != LETHE_OK; fail_at++) {
            assert_true(fail_at < 100);
            uint8_t out[2 * SAMPLE + 1];
            size_t got = 1;
            lethe_source *s = NULL;
            lethe_alloc_fail_at(fail_at);
            e = lethe_source_memory(NULL, (lethe_str){(char *)packed, n}, &s);
            while (e == LETHE_OK && got > 0)
                e = lethe_source_read(s, out, sizeof out, &got);
            lethe_source_close(s);
            lethe_alloc_fail_at(0);
            if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        }
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    alarm(240); // nothing below waits longer
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_bytes_pass_unchanged),
        cmocka_unit_test(what_only_resembles_a_mark_is_plain),
        cmocka_unit_test(every_kind_is_recognised_by_content),
        cmocka_unit_test(members_are_joined),
        cmocka_unit_test(large_members_are_joined),
        cmocka_unit_test(zeros_after_the_end_are_padding),
        cmocka_unit_test(garbage_after_the_end_is_refused),
        cmocka_unit_test(another_kind_after_the_end_is_garbage),
        cmocka_unit_test(skippable_frames_are_skipped),
        cmocka_unit_test(a_file_cut_anywhere_is_truncated),
        cmocka_unit_test(a_changed_byte_never_changes_the_text),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(a_window_over_128_mib_is_refused),
        cmocka_unit_test(files_that_cannot_be_opened_say_why),
        cmocka_unit_test(a_failed_read_is_said_with_its_cause),
        cmocka_unit_test(a_file_is_read_whole_with_its_size),
        cmocka_unit_test(a_packed_file_takes_all_its_stored_bytes),
        cmocka_unit_test(a_descriptor_is_read_from_the_beginning_and_kept),
        cmocka_unit_test(a_file_that_shrinks_ends_early),
        cmocka_unit_test(pipes_are_read_to_their_end),
        cmocka_unit_test(interrupted_reads_are_tried_again),
        cmocka_unit_test(a_cancelled_run_waits_no_longer),
        cmocka_unit_test(standard_input_goes_on_where_it_stands),
        cmocka_unit_test(every_failed_allocation_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
