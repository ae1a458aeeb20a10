/* The same index, byte for byte, for any number of threads and any amount of memory; and many may
 * ask it at once. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "core/mem.h"
#include "lexicon/odp/odp.h"
#include "odp_harness.h"

enum { N_PAGES = 20000, N_ASKED = 4000 };

static uint64_t state_of = 3;

static uint32_t below(uint32_t n)
{
    state_of = state_of * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state_of >> 33) % n);
}

/* Words of which some are common and most are rare. */
static void put_words(FILE *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "%sw%u", i ? " " : "", below(1u << below(15)));
}

static const char *make_content(void)
{
    const char *path = file_of("", 0);
    FILE *out = fopen(path, "w");
    fprintf(out, "<RDF>\n");
    for (unsigned i = 0; i < N_PAGES; i++) {
        fprintf(out, "<ExternalPage about=\"http://x/\"><d:Title>");
        put_words(out, 3);
        fprintf(out, "</d:Title><d:Description>");
        put_words(out, 12);
        fprintf(out, "</d:Description><topic>Top/a%u/b%u/c%u</topic></ExternalPage>\n", i / 4000,
                i / 200, i / 5);
    }
    fprintf(out, "</RDF>\n");
    fclose(out);
    return path;
}

static void the_index_is_the_same_for_any_threads_and_memory(void **state)
{
    (void)state;
    static const struct {
        unsigned threads;
        uint64_t memory;
    } runs[] = {{1, 0}, {2, 0}, {7, 0}, {1, 4 << 20}, {7, 4 << 20}};
    char *first = NULL, content[64], cache[64];
    size_t n_first = 0, n;
    snprintf(content, sizeof content, "%s", make_content());
    snprintf(cache, sizeof cache, "%.50s.index", content);
    for (size_t i = 0; i < LETHE_COUNT(runs); i++) {
        lethe_ctx *ctx = ctx_of(runs[i].threads, runs[i].memory, NULL);
        lethe_directory *dir = NULL;
        assert_int_equal(lethe_odp_open(ctx, content, NULL, cache, &dir), LETHE_OK);
        char *bytes = bytes_of(cache, &n);
        if (i == 0) {
            first = bytes;
            n_first = n;
        } else {
            assert_int_equal(n, n_first);
            assert_memory_equal(bytes, first, n);
            free(bytes);
        }
        unlink(cache);
        lethe_directory_free(dir);
        lethe_ctx_free(ctx);
    }
    free(first);
    unlink(content);
}

typedef struct asking {
    const lethe_directory *dir;
    uint32_t found[N_ASKED][5];
    size_t n[N_ASKED];
} asking;

static lethe_err ask(void *arg, size_t i, unsigned w)
{
    asking *a = arg;
    char term[32];
    (void)w;
    snprintf(term, sizeof term, "w%zu", i / 2);
    a->n[i] = lethe_directory_find(a->dir, lethe_str_of(term), 5, a->found[i]);
    return LETHE_OK;
}

static void many_may_ask_at_once(void **state)
{
    (void)state;
    lethe_ctx *ctx = ctx_of(7, 0, NULL);
    lethe_directory *dir = NULL;
    asking *a = calloc(1, sizeof *a);
    const char *content = make_content();
    size_t found = 0;
    assert_int_equal(lethe_odp_open(ctx, content, NULL, NULL, &dir), LETHE_OK);
    a->dir = dir;
    assert_int_equal(lethe_pool_for(ctx, N_ASKED, ask, a), LETHE_OK);
    for (size_t i = 0; i < N_ASKED; i += 2) {
        assert_int_equal(a->n[i], a->n[i + 1]);
        assert_memory_equal(a->found[i], a->found[i + 1], sizeof a->found[i]);
        found += a->n[i] > 0;
    }
    assert_true(found > N_ASKED / 4);
    free(a);
    lethe_directory_free(dir);
    lethe_ctx_free(ctx);
    unlink(content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_is_the_same_for_any_threads_and_memory),
        cmocka_unit_test(many_may_ask_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
