/* SPDX-License-Identifier: Apache-2.0 */
/* make_log.c - the log that the benchmarks read: make_log ROWS SEED > log.tsv
 *
 * Shaped like a large search engine's log in what costs time: rows grouped by user and sorted by
 * time, some thirty a user with a log-normal spread, a few heads that everybody types and a long
 * tail that one user types once, so that 28 % of the rows are distinct texts, one to five words,
 * half of the rows with a click, 70 bytes a row.  The words are made up.  Equal arguments give
 * equal bytes on every machine that rounds exp and log alike. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_DAYS = 92,      /* from 2006-03-01 */
    N_WORDS = 150000, /* the vocabulary */
    MAX_ROW = 512,    /* no row is longer */
    OUT_BYTES = 1 << 20
};

static const int64_t SPAN_S = (int64_t)N_DAYS * 86400;
static const uint64_t TAIL = UINT64_C(1) << 40; /* texts from here on are drawn once */

typedef struct source {
    uint64_t state;
    uint64_t n_heads; /* texts that are drawn again and again */
    uint64_t n_tail;  /* texts of the tail handed out so far */
    uint64_t n_hosts;
    double log_heads;
} source;

typedef struct output {
    size_t n;
    char at[OUT_BYTES];
} output;

typedef struct word {
    uint8_t n;
    char at[15];
} word;

static word words[N_WORDS];
static char days[N_DAYS][10];
static output out;

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, figure 16). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t draw(source *s) { return mix(s->state += UINT64_C(0x9e3779b97f4a7c15)); }
static double unit(source *s) { return (double)(draw(s) >> 11) * 0x1p-53; }
static uint64_t below(source *s, uint64_t n) { return (uint64_t)(unit(s) * (double)n); }

/* Consonant and vowel in turn, the most frequent words being the shortest. */
static void make_words(void)
{
    static const char first[] = "bcdfghklmnprstvw", second[] = "aeiou", last[] = "nrstlmd";
    for (uint32_t i = 0; i < N_WORDS; i++) {
        word *w = &words[i];
        uint32_t n_syllables = i < 80 ? 1 : i < 6480 ? 2 : i < 40000 ? 3 : 4;
        uint32_t rest = i < 80 ? i : i < 6480 ? i - 80 : i - 6480;
        for (uint32_t k = 0; k < n_syllables; k++, rest /= 80) {
            w->at[w->n++] = first[rest % 80 / 5];
            w->at[w->n++] = second[rest % 5];
        }
        uint64_t h = mix(i);
        if (h % 3 > 0) w->at[w->n++] = last[h / 3 % (sizeof last - 1)];
    }
}

static void make_days(void)
{
    static const int length[] = {31, 30, 31};
    for (int i = 0, month = 0, day = 1; i < N_DAYS; i++) {
        memcpy(days[i], "2006-0", 6);
        days[i][6] = (char)('3' + month);
        days[i][7] = '-';
        days[i][8] = (char)('0' + day / 10);
        days[i][9] = (char)('0' + day % 10);
        if (++day > length[month]) {
            day = 1;
            month++;
        }
    }
}

/* Frequent words come first: the cube of an even number leans towards zero. */
static const word *pick_word(uint64_t h)
{
    double u = (double)(h >> 11) * 0x1p-53;
    return &words[(size_t)(u * u * u * N_WORDS)];
}

static char *put(char *p, const void *from, size_t n)
{
    memcpy(p, from, n);
    return p + n;
}

/* Text `id` is always the same words; one of the tail has at least two, lest tails meet. */
static char *put_text(char *p, uint64_t id)
{
    static const uint8_t n_words_of[16] = {1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5};
    uint64_t h = mix(id * 2 + 1);
    unsigned n = n_words_of[h & 15];
    if (id >= TAIL) n = n < 3 ? n + 1 : n;
    for (unsigned i = 0; i < n; i++) {
        const word *w = pick_word(mix(h + i));
        if (i > 0) *p++ = ' ';
        p = put(p, w->at, w->n);
    }
    return p;
}

static char *put_number(char *p, uint64_t x)
{
    char digits[20];
    size_t n = 0;
    do
        digits[sizeof digits - ++n] = (char)('0' + x % 10);
    while ((x /= 10) > 0);
    return put(p, digits + sizeof digits - n, n);
}

static char *put_time(char *p, int64_t t)
{
    int64_t s = t % 86400;
    char clock[9] = {' ', (char)('0' + s / 36000),   (char)('0' + s / 3600 % 10),
                     ':', (char)('0' + s / 600 % 6), (char)('0' + s / 60 % 10),
                     ':', (char)('0' + s / 10 % 6),  (char)('0' + s % 10)};
    return put(put(p, days[t / 86400], 10), clock, sizeof clock);
}

/* The site that stands at `rank` among the results of text `id`. */
static char *put_site(char *p, const source *s, uint64_t id, uint64_t rank)
{
    static const char ends[4][5] = {".com", ".com", ".org", ".net"};
    double u = (double)(mix(id * 16 + rank) >> 11) * 0x1p-53;
    uint64_t host = mix((uint64_t)(u * u * (double)s->n_hosts));
    p = put(p, "http://www.", 11);
    const word *a = pick_word(mix(host)), *b = &words[host % N_WORDS];
    p = put(put(p, a->at, a->n), b->at, b->n);
    return put(p, ends[host >> 62], 4);
}

static void flush_out(void)
{
    if (fwrite(out.at, 1, out.n, stdout) != out.n) {
        fprintf(stderr, "make_log: cannot write: %s\n", strerror(errno));
        exit(1);
    }
    out.n = 0;
}

static void write_row(const source *s, uint64_t user, uint64_t text, int64_t t, uint64_t rank)
{
    if (out.n + MAX_ROW > sizeof out.at) flush_out();
    char *start = out.at + out.n, *p = put_number(start, user);
    *p++ = '\t';
    p = put_text(p, text);
    *p++ = '\t';
    p = put_time(p, t);
    *p++ = '\t';
    if (rank > 0) p = put_number(p, rank);
    *p++ = '\t';
    if (rank > 0) p = put_site(p, s, text, rank);
    *p++ = '\n';
    out.n += (size_t)(p - start);
}

/* A head by Zipf's law with exponent 1 (the logarithm of its place is even), or a new one of the
 * tail. */
static uint64_t pick_text(source *s)
{
    if (unit(s) < 0.37) return TAIL + s->n_tail++;
    return (uint64_t)exp(unit(s) * s->log_heads);
}

static double normal(source *s)
{
    return sqrt(-2 * log(1 - unit(s))) * cos(6.283185307179586 * unit(s));
}

/* Mean 30: exp(2.42 + 1.4^2 / 2). */
static uint64_t user_rows(source *s)
{
    double n = exp(2.42 + 1.4 * normal(s));
    return n < 1 ? 1 : n > 20000 ? 20000 : (uint64_t)n;
}

/* Bursts of queries with long pauses between; a query may have several clicks, at one time. */
static void write_user(source *s, uint64_t user, uint64_t n)
{
    int64_t t = (int64_t)below(s, (uint64_t)SPAN_S / (n + 1) + 1);
    uint64_t text = pick_text(s), rank = 0;
    for (uint64_t i = 0; i < n; i++) {
        double u = unit(s);
        if (i > 0 && u < 0.14 && rank > 0) {
            rank += 1 + below(s, 3); /* one more click */
        } else {
            if (i > 0) t += 1 + (int64_t)below(s, u < 0.7 ? 240 : (uint64_t)(6 * SPAN_S) / n + 1);
            if (t >= SPAN_S) t = SPAN_S - 1;
            if (i > 0 && u > 0.14 && unit(s) > 0.16) text = pick_text(s);
            rank = unit(s) < 0.46 ? 1 + (uint64_t)(-3 * log(1 - unit(s))) : 0;
        }
        write_row(s, user, text, t, rank);
    }
}

static uint64_t number_or_die(const char *text)
{
    char *end;
    errno = 0;
    uint64_t x = strtoull(text, &end, 10);
    if (errno || *end || *text < '0' || *text > '9') {
        fprintf(stderr, "make_log: not a number: '%s'\n", text);
        exit(2);
    }
    return x;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: make_log ROWS SEED > log.tsv\n");
        return 2;
    }
    uint64_t n_rows = number_or_die(argv[1]);
    source s = {.state = mix(number_or_die(argv[2])),
                .n_heads = n_rows / 50 + 1000,
                .n_hosts = n_rows / 12 + 1000};
    s.log_heads = log((double)s.n_heads);
    make_words();
    make_days();
    static const char header[] = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n";
    out.n = sizeof header - 1;
    memcpy(out.at, header, out.n);
    for (uint64_t user = 100; n_rows > 0; user += 1 + below(&s, 30)) {
        uint64_t n = user_rows(&s);
        if (n > n_rows) n = n_rows;
        write_user(&s, user, n);
        n_rows -= n;
    }
    flush_out();
    if (fclose(stdout) != 0) {
        fprintf(stderr, "make_log: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}
