/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ssg.c - What does the exact nearest vocabulary cost beside a full scan, how does SSG grow,
 * and what does a round of --refine cost?
 *
 *   bench_ssg [K [EPSILON [MATCHING [NEAREST]]]]    k = 5, epsilon = 6, exact (or greedy), centre
 *                                                   (or members)
 *
 * Vocabularies of a synthetic log (seed 1, LETHE_BENCH_QUERIES queries a user, 1 unless set), nouns
 * with a gap of one hour, WordNet's tree, k counting persons; a rung of the ladder is the log's
 * first so many.  On one thread; processor time; each in a process of its own.  One JSON line each:
 *
 *   search   2,000 vocabularies: lethe_ssg_run, and the yardstick, Algorithm 5.1 to the letter, all
 *            candidates matched (`ratio`: its time over ours).  The groups must be the same.
 *   growth   10,000, 40,000 and 160,000 vocabularies (with LETHE_BENCH_FULL=1 380,000 too):
 *            microseconds a vocabulary, pairs evaluated and their share of a full scan's.
 *            `exponent`: p where the time grew like n^p since the rung before.
 *   refine   10,000 and 40,000 (with LETHE_BENCH_FULL=1 380,000 too): 20 rounds on these groups;
 *            bLM before and after.
 *
 * `peak_bytes` is what the method adds to what holds the records and the taxonomy. */
#include "algo/text/log_records.h"
#include "method/cluster/refine/refine_blm.h"
#include "core/mem.h"
#include "release/commands.h"
#include "lexicon/taxonomy.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOUR = 3600, SAMPLE = 2000, ROUNDS = 20 };
enum task { SEARCH, GROWTH, REFINE };

typedef struct setting {
    uint64_t k;
    uint32_t epsilon;
    bool greedy, by_members;
} setting;

typedef struct figures { /* what the child tells its parent */
    double seconds, yard_seconds;
    uint64_t n, items, persons, pairs, pairs_all, peak_bytes, groups, before, after, scale, rounds;
} figures;

static void need(bool ok, const char *step)
{
    if (ok) return;
    fprintf(stderr, "bench_ssg: %s failed\n", step);
    exit(4);
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A line of /proc/self/status, in bytes; 0 where there is none. */
static uint64_t status_of(const char *name)
{
    char line[256];
    uint64_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kb = strtoull(line + strlen(name) + 1, NULL, 10); // after the colon
    if (f) fclose(f);
    return kb << 10;
}

/* Forgets the peak so far, and gives what is held now. */
static uint64_t peak_begin(void)
{
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return status_of("VmRSS");
}

/* --- data --- */

typedef struct input {
    lethe_ctx *ctx;
    lethe_wordnet *wn;
    lethe_records *records;
    lethe_tree *tree;
} input;

static double queries_per_user(void)
{
    const char *s = getenv("LETHE_BENCH_QUERIES");
    return s ? strtod(s, NULL) : 1;
}

/* The log is gone again once it is read. */
static lethe_records *vocabularies(input *in, uint64_t users)
{
    char path[] = "/tmp/bench-ssg-XXXXXX";
    const char *name = path;
    int fd = mkstemp(path);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    lethe_log *log = NULL;
    lethe_records *r = NULL;
    lethe_log_records_result counts;
    lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log_records_options how = {.gap_s = HOUR, .nouns = in->wn};
    lethe_synth_options s = {.version = 1,
                             .users = users,
                             .queries_per_user = queries_per_user(),
                             .has_seed = true,
                             .seed = 1,
                             .out = path,
                             .force = true};
    need(fd >= 0 && doc && lethe_synth_log(in->ctx, &s, doc, &report) == LETHE_OK, "synthetic log");
    need(lethe_log_files(in->ctx, &name, 1, &reading, &log) == LETHE_OK, "log");
    need(lethe_log_to_records(in->ctx, log, &how, &counts, &r) == LETHE_OK, "making records");
    close(fd);
    unlink(path);
    lethe_json_doc_free(doc);
    lethe_log_free(log);
    return r;
}

/* At least n vocabularies: what a user does depends on the seed and his number alone, so that with
 * more users there are only more. */
static void make_input(input *in, uint64_t n)
{
    lethe_records *r = NULL;
    lethe_settings set = {.n_threads = 1};
    need(lethe_ctx_new(&set, &in->ctx) == LETHE_OK, "context");
    need(lethe_wordnet_open(in->ctx, NULL, &in->wn) == LETHE_OK, "opening WordNet");
    for (uint64_t users = n - n / 6; !r || r->n < n; users += users / 8) {
        lethe_records_free(r);
        r = vocabularies(in, users);
    }
    need(lethe_taxonomy_bind(in->ctx, "wordnet", in->wn, false, LETHE_NAMES_TERMS, false, r,
                             &in->records, &in->tree) == LETHE_OK,
         "taxonomy");
}

static uint32_t persons_of(const lethe_records *r, size_t n)
{
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++)
        last = LETHE_MAX(last, r->owner[i]);
    return last + 1;
}

/* --- the yardstick: all candidates are matched --- */

typedef struct scan {
    const lethe_ssg_options *how;
    lethe_hyper_work work;
    uint32_t *order, *group;
    uint32_t *met; /* of each person, the last group it was met in, and 1 */
    lethe_hyper *hyper;
    uint32_t n_groups;
} scan;

static const uint32_t *terms_of(const scan *s, uint32_t i)
{
    return s->how->records->item + s->how->records->start[i];
}
static size_t size_of(const scan *s, uint32_t i) { return lethe_record_size(s->how->records, i); }

static bool is_nearer(scan *s, const lethe_hyper *h, uint32_t *centre, uint32_t record,
                      lethe_assign_cost *best)
{
    bool within = false;
    lethe_assign_cost price;
    for (uint32_t i = 0; i < h->n; i++)
        centre[i] = lethe_hyper_elect(h, i);
    need(lethe_hyper_bag_price(&s->work, centre, h->n, terms_of(s, record), size_of(s, record),
                               *best, &price, &within) == LETHE_OK,
         "matching");
    if (!within || lethe_assign_cost_cmp(price, *best) >= 0) return false;
    *best = price;
    return true;
}

/* The same by all members of the group. */
static bool is_nearer_to_members(scan *s, const lethe_hyper *h, uint32_t record,
                                 lethe_assign_cost *best)
{
    bool within = false;
    size_t n = size_of(s, record), n_pairs = 0;
    lethe_assign_cost price;
    need(lethe_hyper_put(h, &s->work, terms_of(s, record), n, &n_pairs) == LETHE_OK &&
             lethe_hyper_pairs_price(&s->work, h->n, n, n_pairs, *best, &price, &within) ==
                 LETHE_OK,
         "matching");
    if (!within || lethe_assign_cost_cmp(price, *best) >= 0) return false;
    *best = price;
    return true;
}

static void scan_join(scan *s, uint32_t g, uint32_t record)
{
    need(lethe_hyper_join(&s->hyper[g], &s->work, terms_of(s, record), size_of(s, record)) ==
             LETHE_OK,
         "joining");
    s->group[record] = g;
    s->met[s->how->records->owner[record]] = g + 1;
}

/* Lines 2 to 6; false: no group could be filled. */
static bool scan_fill(scan *s, uint32_t *centre)
{
    uint32_t n = (uint32_t)s->how->records->n, g = s->n_groups, next = LETHE_NONE;
    for (uint32_t i = 0; i < n && next == LETHE_NONE; i++)
        if (s->group[s->order[i]] == LETHE_NONE) next = s->order[i];
    for (uint64_t count = 0; next != LETHE_NONE;) {
        scan_join(s, g, next);
        if (++count == s->how->k) return true;
        lethe_assign_cost best = LETHE_ASSIGN_COST_ANY;
        next = LETHE_NONE;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t record = s->order[i];
            if (s->group[record] != LETHE_NONE) continue;
            if (s->met[s->how->records->owner[record]] == g + 1) continue;
            if (s->how->by_members ? is_nearer_to_members(s, &s->hyper[g], record, &best)
                                   : is_nearer(s, &s->hyper[g], centre, record, &best))
                next = record;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (s->group[i] == g) s->group[i] = LETHE_NONE;
    return false;
}

static void scan_all(scan *s, uint32_t most)
{
    uint32_t n = (uint32_t)s->how->records->n, size = 0, at = 0;
    for (uint32_t i = 0; i < n; i++)
        s->group[i] = LETHE_NONE;
    for (; at < n; size++)
        for (uint32_t i = 0; i < n; i++)
            if (size_of(s, i) == size) s->order[at++] = i;
    uint32_t *centre = lethe_alloc(size, sizeof *centre);
    need(centre != NULL, "memory");
    while (s->n_groups < most && scan_fill(s, centre))
        s->n_groups++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best_g = LETHE_NONE;
        lethe_assign_cost best = LETHE_ASSIGN_COST_ANY;
        if (s->group[s->order[i]] != LETHE_NONE) continue;
        for (uint32_t g = 0; g < s->n_groups; g++)
            if (is_nearer(s, &s->hyper[g], centre, s->order[i], &best)) best_g = g;
        scan_join(s, best_g, s->order[i]);
    }
    lethe_free(centre);
}

static double full_scan(const lethe_ssg_options *how, const lethe_ssg_groups *ours)
{
    size_t n = how->records->n;
    scan s = {.how = how,
              .order = lethe_alloc(n, sizeof(uint32_t)),
              .group = lethe_alloc(n, sizeof(uint32_t)),
              .met = lethe_alloc_zero(how->records->n_owners, sizeof(uint32_t)),
              .hyper = lethe_alloc_zero(n, sizeof(lethe_hyper))};
    need(s.order && s.group && s.met && s.hyper, "memory");
    need(lethe_hyper_work_begin(&s.work, &how->matcher) == LETHE_OK, "memory");
    double t = cpu();
    scan_all(&s, ours->n); // how many groups there are is counted, not searched for
    t = cpu() - t;
    need(s.n_groups == ours->n && memcmp(s.group, ours->group, n * sizeof *s.group) == 0,
         "agreement with the full scan");
    return t;
}

/* --- a run --- */

static uint64_t loss_of(const lethe_ssg_groups *g, uint64_t scale)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->n; i++)
        sum += lethe_hyper_loss(&g->hyper[i], scale);
    return sum;
}

static void run(const input *in, const setting *set, enum task task, size_t n, figures *out)
{
    lethe_records r = *in->records;
    uint32_t *term = NULL;
    size_t n_terms = 0;
    lethe_meaning *meaning = NULL;
    lethe_ssg_groups g = {0};
    r.n = n;
    r.n_owners = persons_of(&r, n);
    lethe_ssg_options how = {.records = &r,
                             .matcher = {.greedy = set->greedy},
                             .k = set->k,
                             .by_members = set->by_members};
    uint64_t before = peak_begin();
    double t = cpu();
    need(lethe_ssg_terms(&r, &term, &n_terms) == LETHE_OK, "terms");
    lethe_meaning_terms terms = {.at = term, .n = n_terms};
    need(lethe_meaning_tree(in->ctx, in->tree, &terms, set->epsilon, &meaning) == LETHE_OK,
         "meaning");
    how.matcher.meaning = meaning;
    need(lethe_ssg_run(in->ctx, &how, &g) == LETHE_OK, "SSG");
    out->seconds = cpu() - t;
    out->scale = LETHE_MAX(lethe_tree_scale(in->tree), 1);
    out->before = loss_of(&g, out->scale);
    if (task == REFINE) {
        t = cpu();
        need(lethe_refine_blm(in->ctx, &how, out->scale, ROUNDS, &g) == LETHE_OK, "refining");
        out->seconds = cpu() - t;
    }
    out->peak_bytes = status_of("VmHWM") - before;
    out->after = loss_of(&g, out->scale);
    out->n = n;
    out->items = r.start[n];
    out->persons = r.n_owners;
    out->groups = g.n;
    out->pairs = g.pairs;
    out->pairs_all = g.pairs_all;
    if (task == SEARCH) out->yard_seconds = full_scan(&how, &g);
}

static figures measure(const input *in, const setting *set, enum task task, size_t n)
{
    figures *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(shared != MAP_FAILED, "memory");
    pid_t pid = fork();
    need(pid >= 0, "fork");
    if (pid == 0) {
        run(in, set, task, n, shared);
        _exit(0);
    }
    int status;
    need(waitpid(pid, &status, 0) == pid && status == 0, "a run");
    figures f = *shared;
    munmap(shared, sizeof *shared);
    return f;
}

static void print_begin(const char *what, const setting *set, const figures *f)
{
    printf("{\"bench\":\"ssg\",\"what\":\"%s\",\"k\":%llu,\"epsilon\":%u,\"matching\":\"%s\","
           "\"nearest\":\"%s\",\"vocabularies\":%llu,\"mean_size\":%.3f,\"persons\":%llu,"
           "\"groups\":%llu,"
           "\"seconds\":%.3f,\"us_per_vocabulary\":%.2f,\"peak_bytes\":%llu,",
           what, (unsigned long long)set->k, set->epsilon, set->greedy ? "greedy" : "exact",
           set->by_members ? "members" : "centre", (unsigned long long)f->n,
           (double)f->items / (double)f->n, (unsigned long long)f->persons,
           (unsigned long long)f->groups, f->seconds, 1e6 * f->seconds / (double)f->n,
           (unsigned long long)f->peak_bytes);
}

static void print_end(const char *unit, double value)
{
    printf("\"%s\":%.4f}\n", unit, value);
    fflush(stdout);
}

static void print_pairs(const figures *f)
{
    printf("\"pairs\":%llu,\"pairs_share\":%.6f,\"blm\":%.4f,", (unsigned long long)f->pairs,
           (double)f->pairs / (double)f->pairs_all,
           (double)f->before / (double)f->scale / (double)f->items);
}

static void search(const input *in, const setting *set)
{
    figures f = measure(in, set, SEARCH, SAMPLE);
    print_begin("search", set, &f);
    print_pairs(&f);
    printf("\"yardstick\":\"a full scan: the same groups\",\"yardstick_seconds\":%.3f,",
           f.yard_seconds);
    print_end("ratio", f.yard_seconds / f.seconds);
}

static void growth(const input *in, const setting *set, size_t n, figures *last)
{
    figures f = measure(in, set, GROWTH, n);
    print_begin("growth", set, &f);
    print_pairs(&f);
    double p = last->n ? log(f.seconds / last->seconds) / log((double)f.n / (double)last->n) : 0;
    print_end("exponent", p);
    *last = f;
}

static void refine(const input *in, const setting *set, size_t n)
{
    figures f = measure(in, set, REFINE, n);
    double all = (double)f.scale * (double)f.items;
    print_begin("refine", set, &f);
    printf("\"rounds\":%d,\"us_per_vocabulary_and_round\":%.3f,\"blm_before\":%.4f,\"blm\":%.4f,",
           ROUNDS, 1e6 * f.seconds / (double)f.n / ROUNDS, (double)f.before / all,
           (double)f.after / all);
    print_end("ratio", (double)f.after / (double)f.before);
}

int main(int argc, char **argv)
{
    setting set = {.k = argc > 1 ? strtoull(argv[1], NULL, 10) : 5,
                   .epsilon = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 6,
                   .greedy = argc > 3 && strcmp(argv[3], "greedy") == 0,
                   .by_members = argc > 4 && strcmp(argv[4], "members") == 0};
    const char *text = getenv("LETHE_BENCH_FULL");
    bool full = text && strcmp(text, "1") == 0;
    if (argc > 5 || set.k == 0) {
        fprintf(stderr, "usage: bench_ssg [K [EPSILON [MATCHING [NEAREST]]]]\n");
        return 2;
    }
    input in = {0};
    figures last = {0};
    make_input(&in, full ? 380000 : 160000);
    search(&in, &set);
    growth(&in, &set, 10000, &last);
    growth(&in, &set, 40000, &last);
    growth(&in, &set, 160000, &last);
    if (full) growth(&in, &set, 380000, &last);
    refine(&in, &set, 10000);
    refine(&in, &set, 40000);
    if (full) refine(&in, &set, 380000);
    lethe_records_free(in.records);
    lethe_tree_free(in.tree);
    lethe_wordnet_free(in.wn);
    lethe_ctx_free(in.ctx);
    return 0;
}
