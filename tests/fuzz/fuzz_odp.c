/* Any bytes as a file of the Open Directory: an index, or a refusal.  Every word of a category's
 * name finds categories, which are distinct; and the bytes cut in two by the repair are the bytes
 * repaired at once. */
#include "core/mem.h"
#include "lexicon/odp/odp_internal.h"
#include "text/normalize.h"
#include "text/words.h"
#include "fuzz.h"

/* Of larger ones, the words of these many categories at either end: the rest is more of the same.
 */
enum { LOOKS = 16 };

static lethe_ctx *ctx;

static void ctx_end(void) { lethe_ctx_free(ctx); }

/* Without repair the first half may be used to all but a few bytes; the rest comes again. */
static void repaired_in_two(lethe_str in)
{
    lethe_buf once = {0}, twice = {0};
    uint64_t n_once = 0, n_twice = 0;
    size_t used, half = in.n / 2;
    lethe_rdf_place at_once = LETHE_RDF_TEXT, in_two = LETHE_RDF_TEXT;
    MUST(lethe_rdf_repair(&at_once, in, true, &once, &used, &n_once) == LETHE_OK && used == in.n);
    MUST(lethe_rdf_repair(&in_two, (lethe_str){in.at, half}, false, &twice, &used, &n_twice) ==
         LETHE_OK);
    MUST(used <= half && half - used <= LETHE_RDF_AHEAD);
    lethe_str rest = {in.at + used, in.n - used};
    MUST(lethe_rdf_repair(&in_two, rest, true, &twice, &used, &n_twice) == LETHE_OK &&
         used == rest.n);
    MUST(n_once == n_twice && once.n == twice.n && at_once == in_two);
    MUST(once.n == 0 || memcmp(once.at, twice.at, once.n) == 0);
    lethe_str good = {once.n ? (const char *)once.at : "", once.n};
    MUST(lethe_utf8_valid(good) && !memchr(good.at, 0, good.n));
    lethe_buf_free(&once);
    lethe_buf_free(&twice);
}

/* `seen` holds for each category the last look that found it. */
static void look_at_word(const lethe_directory *dir, lethe_str word, uint32_t category,
                         uint32_t *seen, uint32_t look)
{
    uint32_t found[LETHE_ODP_BEST + 1], n_categories = lethe_directory_categories(dir);
    size_t n = lethe_directory_find(dir, word, LETHE_ODP_BEST + 1, found);
    bool there = false;
    MUST(n > 0 && n <= LETHE_ODP_BEST);
    for (size_t i = 0; i < n; i++) {
        MUST(found[i] < n_categories);
        there |= found[i] == category;
        MUST(seen[found[i]] != look);
        seen[found[i]] = look;
    }
    MUST(there || n == LETHE_ODP_BEST);
}

static void look_at(const lethe_directory *dir)
{
    lethe_buf normal = {0}, spaced = {0};
    uint32_t n = lethe_directory_categories(dir), look = 0, *seen = calloc(n, sizeof *seen);
    MUST(n > 0 && seen);
    for (uint32_t c = 0; c < n; c++) {
        uint32_t parent = lethe_directory_parent(dir, c);
        lethe_str name = lethe_directory_name(dir, c), text;
        lethe_word word;
        bool invalid;
        MUST(parent == LETHE_NONE || parent < c);
        MUST(name.n > 0 && lethe_utf8_valid(name) && !memchr(name.at, '/', name.n));
        for (size_t i = 0; i < name.n; i++)
            MUST((unsigned char)name.at[i] >= ' ');
        if (c >= LOOKS && n - c > LOOKS) continue;
        spaced.n = 0;
        MUST(lethe_buf_str(&spaced, name) == LETHE_OK);
        for (size_t i = 0; i < spaced.n; i++)
            if (spaced.at[i] == '_') spaced.at[i] = ' ';
        MUST(lethe_normalize((lethe_str){(char *)spaced.at, spaced.n}, &normal, &text, &invalid) ==
             LETHE_OK);
        lethe_words words = lethe_words_of(text);
        while (lethe_words_next(&words, &word))
            if (!word.mask && word.text.n <= LETHE_ODP_WORD_MAX)
                look_at_word(dir, word.text, c, seen, ++look);
    }
    free(seen);
    lethe_buf_free(&normal);
    lethe_buf_free(&spaced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_directory *dir = NULL;
    lethe_settings settings = {.n_threads = 1, .memory_bytes = (uint64_t)1 << 20};
    if (!ctx) {
        MUST(lethe_ctx_new(&settings, &ctx) == LETHE_OK);
        atexit(ctx_end);
    }
    lethe_str in = {n ? (const char *)data : "", n};
    repaired_in_two(in);
    lethe_err e = lethe_odp_memory(ctx, in, LETHE_LIT(""), &dir);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (dir != NULL));
    if (dir) look_at(dir);
    lethe_directory_free(dir);
    return 0;
}
