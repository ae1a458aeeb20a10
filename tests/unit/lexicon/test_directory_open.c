/* SPDX-License-Identifier: Apache-2.0 */
/* What --directory names; and real directories, where their data is there. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "small_wordnet.h"
#include "core/mem.h"
#include "lexicon/directory.h"
#include "lexicon/wordnet/wordnet.h"
#include "directory_harness.h"

static lethe_ctx *ctx;
static said last;

static int begin(void **state)
{
    (void)state;
    small_wordnet();
    setenv("WNSEARCHDIR", small_folder, 1);
    last = (said){0};
    ctx = ctx_of(1, 0, &last);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

static lethe_directory *opened(const char *name)
{
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_directory_open(ctx, name, &dir), LETHE_OK);
    return dir;
}

/* "mice", "city" and "new york" are of the small dictionary. */
static void wordnet_is_one(void **state)
{
    (void)state;
    lethe_directory *dir = opened("wordnet");
    assert_string_equal(of_term(dir, "mice"), "artifact");
    assert_string_equal(of_term(dir, "zzz"), "");
    assert_int_equal(lethe_directory_level(dir, 3), 1);
    lethe_directory_free(dir);
}

static void a_file_is_one(void **state)
{
    (void)state;
    static const char text[] = "mouse\tAnimals/Small\nnew york\tTowns\ngoose\tAnimals\n"
                               "geese\tMany\n";
    char path[64];
    snprintf(path, sizeof path, "%s", file_of(text, sizeof text - 1));
    lethe_directory *dir = opened(path);
    uint32_t c;
    assert_string_equal(of_term(dir, "mouse"), "Animals/Small");
    assert_string_equal(of_term(dir, "mice"), "Animals/Small"); // reduced
    assert_string_equal(of_term(dir, "geese"), "Many");         // as it stands
    assert_string_equal(of_term(dir, "new york"), "Towns");
    assert_string_equal(of_term(dir, "new yorks"), "Towns");
    assert_string_equal(of_term(dir, "cars"), "");
    assert_string_equal(of_term(dir, "zzz"), "");
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("mice"), 1, &c), 1);
    assert_int_equal(lethe_directory_level(dir, c), 2);
    lethe_directory_free(dir);
    setenv("WNSEARCHDIR", "/nowhere", 1); // without WordNet nothing is reduced
    dir = opened(path);
    assert_string_equal(of_term(dir, "mouse"), "Animals/Small");
    assert_string_equal(of_term(dir, "mice"), "");
    lethe_directory_free(dir);
    unlink(path);
}

enum { N_ASKED = 4000 };

typedef struct answers {
    const lethe_directory *dir;
    uint32_t found[N_ASKED][5];
    size_t n[N_ASKED];
} answers;

static lethe_err ask(void *arg, size_t i, unsigned w)
{
    answers *a = arg;
    char term[32];
    (void)w;
    snprintf(term, sizeof term, "w%zu", i / 2);
    a->n[i] = lethe_directory_find(a->dir, lethe_str_of(term), 5, a->found[i]);
    return LETHE_OK;
}

static void many_may_ask_at_once(void **state)
{
    (void)state;
    lethe_ctx *threads = ctx_of(7, 0, NULL);
    lethe_buf text = {0};
    answers *a = calloc(1, sizeof *a);
    char line[64], path[64];
    size_t found = 0;
    for (unsigned i = 0; i < N_ASKED; i++) { // of every other term two or three categories
        snprintf(line, sizeof line, "w%u\tA%u/B%u\n", i * 7 % N_ASKED & ~1u, i % 5, i % 30);
        assert_int_equal(lethe_buf_str(&text, lethe_str_of(line)), LETHE_OK);
    }
    snprintf(path, sizeof path, "%s", file_of((const char *)text.at, text.n));
    lethe_directory *dir = opened(path);
    a->dir = dir;
    assert_int_equal(lethe_pool_for(threads, N_ASKED, ask, a), LETHE_OK);
    for (size_t i = 0; i < N_ASKED; i += 2) {
        assert_int_equal(a->n[i], a->n[i + 1]);
        assert_memory_equal(a->found[i], a->found[i + 1], sizeof a->found[i]);
        found += a->n[i] > 0;
    }
    assert_int_equal(found, N_ASKED / 4);
    free(a);
    lethe_buf_free(&text);
    lethe_directory_free(dir);
    lethe_ctx_free(threads);
    unlink(path);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
#define CONVERT(files)                                                                             \
    "--directory reads no RDF files; convert them with 'tools/odp-convert " files                  \
    " > odp.tsv' and use --directory odp.tsv"
    static const struct {
        const char *name;
        lethe_err e;
        const char *cause;
    } bad[] = {
        {"", LETHE_EUSAGE, "--directory has no name"},
        {"odp:", LETHE_EUSAGE, CONVERT("content.rdf.u8 structure.rdf.u8")},
        {"odp:a.rdf", LETHE_EUSAGE, CONVERT("a.rdf")},
        {"odp:a.gz,b.gz", LETHE_EUSAGE, CONVERT("a.gz b.gz")},
        {"/nowhere/x", LETHE_EIO, "cannot open '/nowhere/x': no such file or directory"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_directory *dir = NULL;
        last.errors = 0;
        assert_int_equal(lethe_directory_open(ctx, bad[i].name, &dir), bad[i].e);
        assert_null(dir);
        assert_string_equal(last.text, bad[i].cause);
        assert_int_equal(last.errors, 1);
    }
    setenv("WNSEARCHDIR", "/nowhere", 1);
    lethe_directory *dir = NULL;
    assert_int_equal(lethe_directory_open(ctx, "wordnet", &dir), LETHE_EIO);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    char file[64];
    snprintf(file, sizeof file, "%s", file_of("a\tX\n", 4));
    const char *const names[] = {file, "wordnet"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        lethe_err e = LETHE_ENOMEM;
        uint64_t n = 0;
        while (e != LETHE_OK) {
            lethe_directory *dir = NULL;
            last.errors = 0;
            lethe_alloc_fail_at(++n);
            e = lethe_directory_open(ctx, names[i], &dir);
            lethe_alloc_fail_at(0);
            assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
            assert_true((e == LETHE_OK) == (dir != NULL));
            assert_true((e == LETHE_OK) == (last.errors == 0));
            lethe_directory_free(dir);
        }
        assert_true(n > 10);
    }
    unlink(file);
}

/* --- real data, made into directories as docs/formats.md says --- */

/* What a shell command makes of a data file, opened; NULL: the file is not there. */
static lethe_directory *made_of(const char *name, const char *filter)
{
    char path[4096], command[12288], out[64];
    lethe_directory *dir = NULL;
    const char *data = getenv("LETHE_DATA");
    snprintf(path, sizeof path, "%s/%s", data ? data : "/nowhere", name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: no %s in LETHE_DATA\n", name);
        return NULL;
    }
    snprintf(out, sizeof out, "%s", file_of("", 0));
    snprintf(command, sizeof command, "zstd -qdc '%s' | %s >%s", path, filter, out);
    assert_int_equal(system(command), 0);
    lethe_err e = lethe_directory_open(ctx, out, &dir);
    if (e != LETHE_OK)
        print_error("%s: line %llu: %s\n", name, (unsigned long long)last.line, last.text);
    assert_int_equal(e, LETHE_OK);
    unlink(out);
    return dir;
}

static void roget_serves_as_it_is(void **state)
{
    (void)state;
    lethe_directory *dir = made_of("roget1911_term_paths.tsv.zst", "cat");
    if (!dir) return;
    assert_string_equal(of_term(dir, "a can of worms"), "Words Relating To Space/Form/Convolution");
    assert_true(strncmp(of_term(dir, "soup"), "Words Relating To ", 18) == 0);
    lethe_directory_free(dir);
}

/* Senses in order. */
static void wordnet_domains_serve(void **state)
{
    (void)state;
    lethe_directory *dir =
        made_of("wordnet-domains-3.2-wordnet-3.0.txt.zst",
                "awk '{ split($2, l, \"#\"); gsub(\"_\", \" \", l[1]);"
                " for (i = 3; i <= NF; i++) printf \"%s\\t%s\\t%d\\n\", l[1], $i, l[3] }' |"
                " LC_ALL=C sort -s -t \"$(printf '\\t')\" -k1,1 -k3,3n");
    if (!dir) return;
    assert_string_equal(of_term(dir, "person"), "biology | person | grammar");
    assert_int_equal(lethe_directory_categories(dir), 167);
    lethe_directory_free(dir);
}

static void the_iab_taxonomy_serves(void **state)
{
    (void)state;
    lethe_directory *dir =
        made_of("iab_content_taxonomy_3.1.tsv.zst",
                "awk -F '\\t' 'NR > 2 { path = \"\"; for (i = 4; i <= 7; i++) if ($i != \"\") {"
                " gsub(\"/\", \" or \", $i); path = path (path == \"\" ? \"\" : \"/\") $i }"
                " print $3 \"\\t\" path }'");
    if (!dir) return;
    assert_string_equal(of_term(dir, "bars & restaurants"), "Attractions/Bars & Restaurants");
    assert_in_range(lethe_directory_categories(dir), 650, 710);
    lethe_directory_free(dir);
}

static void paths_of_the_open_directory_serve(void **state)
{
    (void)state;
    char filter[8192];
    const char *root = getenv("LETHE_ROOT");
    snprintf(filter, sizeof filter,
             "awk 'BEGIN { print \"<RDF>\" } { print \"<Topic r:id=\\\"\" $0 \"\\\"></Topic>\" } "
             "END { print \"</RDF>\" }' | '%s/tools/odp-convert' -",
             root ? root : ".");
    lethe_directory *dir = made_of("dmoz_category_paths_subrion.txt.zst", filter);
    if (!dir) return;
    assert_int_equal(lethe_directory_categories(dir), 1650);
    assert_string_equal(of_term(dir, "animated"), "Arts/Animation/Animated Graphics");
    lethe_directory_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wordnet_is_one, begin, end),
        cmocka_unit_test_setup_teardown(a_file_is_one, begin, end),
        cmocka_unit_test_setup_teardown(many_may_ask_at_once, begin, end),
        cmocka_unit_test_setup_teardown(bad_names_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_said, begin, end),
        cmocka_unit_test_setup_teardown(roget_serves_as_it_is, begin, end),
        cmocka_unit_test_setup_teardown(wordnet_domains_serve, begin, end),
        cmocka_unit_test_setup_teardown(the_iab_taxonomy_serves, begin, end),
        cmocka_unit_test_setup_teardown(paths_of_the_open_directory_serve, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
