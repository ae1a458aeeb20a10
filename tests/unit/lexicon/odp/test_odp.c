/* The Open Directory's files: what is found in them, how it is ranked, what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include <zlib.h>
#include "core/mem.h"
#include "lexicon/odp/odp_internal.h"
#include "odp_harness.h"

static lethe_ctx *ctx;
static said last;

static int begin(void **state)
{
    (void)state;
    ctx = ctx_of(1, 0, &last);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

#define BARCA "Sports/Soccer/UEFA/Spain/Clubs/Barcelona"
#define BCN                                                                                        \
    "World/Espa\xC3\xB1ol/Regional/Europa/Espa\xC3\xB1"                                            \
    "a/Catalu\xC3\xB1"                                                                             \
    "a/Barcelona"

static lethe_directory *opened(const char *content, const char *structure)
{
    lethe_directory *dir = NULL;
    last = (said){0};
    assert_int_equal(
        lethe_odp_open(ctx, odp_file(content), structure ? odp_file(structure) : NULL, NULL, &dir),
        LETHE_OK);
    return dir;
}

static lethe_err from_text(const char *text, lethe_directory **dir)
{
    *dir = NULL;
    last = (said){0};
    return lethe_odp_memory(ctx, lethe_str_of(text), LETHE_LIT(""), dir);
}

static void words_of_titles_descriptions_and_names_are_terms(void **state)
{
    (void)state;
    lethe_directory *dir = opened("content.rdf", NULL);
    assert_string_equal(of_term(dir, "barcelona"), BARCA " | " BCN);
    assert_string_equal(of_term(dir, "ciudad"), BCN);
    assert_string_equal(of_term(dir, "gu\xC3\xAD"
                                     "a"),
                        BCN);
    assert_string_equal(of_term(dir, "f.c"), BARCA);
    assert_string_equal(of_term(dir, "soccer"), "Sports/Soccer"); // its own name alone
    assert_string_equal(of_term(dir, "soups"), "Home/Cooking/Soups_and_Stews"); // _ is a space
    assert_string_equal(of_term(dir, "soup"), "Home/Cooking/Soups_and_Stews");
    assert_string_equal(of_term(dir, "paella"), "Home/Cooking/Soups_and_Stews");
    assert_string_equal(of_term(dir, "arts"), "Adult/Arts | Arts");
    assert_string_equal(of_term(dir, "top"), "");        // no category
    assert_string_equal(of_term(dir, "example"), "");    // of addresses
    assert_string_equal(of_term(dir, "2004-05-01"), ""); // of other elements
    assert_string_equal(of_term(dir, "the"), BARCA);
    assert_string_equal(last.notes, "");
    lethe_directory_free(dir);
}

static void the_structure_describes_categories(void **state)
{
    (void)state;
    lethe_directory *dir = opened("content.rdf", "structure.rdf");
    assert_string_equal(of_term(dir, "music"), "Arts/Music | Arts");
    assert_string_equal(of_term(dir, "tunes"), "Arts/Music"); // its title
    assert_string_equal(of_term(dir, "sculpture"), "Arts");
    assert_string_equal(of_term(dir, "arts"), "Adult/Arts | Arts");
    assert_string_equal(of_term(dir, "cooking"), "Home/Cooking"); // no alias
    assert_string_equal(of_term(dir, "somebody"), "");
    assert_string_equal(of_term(dir, "barcelona"), BARCA " | " BCN);
    lethe_directory_free(dir);
}

static void known_defects_are_repaired(void **state)
{
    (void)state;
    lethe_directory *dir = opened("defects.rdf", NULL);
    const char *there = "Shopping/Food&Drink";
    static const char *const words[] = {"tea",
                                        "biscuits",
                                        "cr\xC3\xA8me",
                                        ("br\xC3\xBBl\xC3\xA9"
                                         "e"),
                                        "r&d",
                                        "prices",
                                        "crumpets",
                                        "\xF0\x9F\x8D\xB5",
                                        "at&t",
                                        "end",
                                        "food&drink",
                                        "2003"};
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        assert_string_equal(of_term(dir, words[i]), there);
    assert_string_equal(of_term(dir, "caf"), there); // what follows it was broken
    assert_non_null(strstr(last.notes, "bad characters were repaired"));
    assert_int_equal(last.errors, 0);
    lethe_directory_free(dir);
}

#define RDF(inner) "<RDF>" inner "</RDF>"
#define TOPIC(path) "<Topic r:id=\"" path "\"/>"
#define PAGE(path, title, text)                                                                    \
    "<ExternalPage about=\"u\"><d:Title>" title "</d:Title><d:Description>" text                   \
    "</d:Description><topic>" path "</topic></ExternalPage>"

/* name 8; title of a page 2; description 1; a page counts once. */
static void categories_are_ranked_by_their_matches(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] =
        RDF(TOPIC("Top/W") PAGE("Top/A", "w w w", "w w w")      // A: 2
            PAGE("Top/B", "x", "w") PAGE("Top/B", "", "W!")     // B: 2
            PAGE("Top/B", "x", "") PAGE("Top/C", "w", "x")      // C: 5
            PAGE("Top/C", "w", "y") PAGE("Top/C", "y", "w")     //
            PAGE("Top/D/w_v", "x", "") PAGE("Top/D", "", "w")); // D/w_v: 8, D: 1
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "w"), "D/w_v | W | C | A | B | D");
    assert_string_equal(of_term(dir, "x"), "B | D/w_v | C");
    assert_string_equal(of_term(dir, "v"), "D/w_v");
    lethe_directory_free(dir);
}

/* Part by part: below A come A's own, then what begins with A. */
static void equal_ones_come_in_order_of_their_paths(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] = RDF(PAGE("Top/B", "w", "") PAGE("Top/A B", "w", "")
                                       PAGE("Top/A/z", "w", "") PAGE("Top/A", "w", ""));
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "w"), "A | A/z | A B | B");
    lethe_directory_free(dir);
}

/* The titles of content, as old dumps have them, do not hide the descriptions of structure. */
static void a_category_may_be_described_in_several_places(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] = RDF("<Topic r:id='Top/A'><d:Title>a</d:Title></Topic>"
                                   "<Topic r:id='Top/A'><d:Description>w v</d:Description></Topic>"
                                   "<Topic r:id='Top/A'><d:Description>w u</d:Description></Topic>"
                                   "<Topic r:id='Top/A'><d:Title>t</d:Title></Topic>"
                                   "<Topic r:id='Top/B'><d:Title>A</d:Title><d:Title>w</d:Title>"
                                   "<d:Description>w</d:Description></Topic>");
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "w"), "B | A");
    assert_string_equal(of_term(dir, "v"), "A");
    assert_string_equal(of_term(dir, "u"), "A");
    assert_string_equal(of_term(dir, "t"), "A");
    assert_string_equal(of_term(dir, "a"), "A | B");
    lethe_directory_free(dir);
}

/* However often it has a word, a category itself gives 8 for it, or 1: not 9, 10 or 16. */
static void what_describes_a_category_counts_once(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] =
        RDF("<Topic r:id='Top/w'><d:Description>w v</d:Description></Topic>"
            "<Topic r:id='Top/w'><d:Title>w</d:Title><d:Description>v</d:Description></Topic>"
            "<Topic r:id='Top/w'><d:Description>v</d:Description></Topic>" PAGE("Top/v9", "v", "")
                PAGE("Top/w9", "w", "") PAGE("Top/w9", "w", "") PAGE("Top/w9", "w", "")
                    PAGE("Top/w9", "w", "") PAGE("Top/w9", "", "w"));
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "w"), "w9 | w"); // 9, 8
    assert_string_equal(of_term(dir, "v"), "v9 | w"); // 2, 1
    lethe_directory_free(dir);
}

static void which_file_comes_first_does_not_matter(void **state)
{
    (void)state;
    static const char *const terms[] = {"barcelona", "music", "tunes", "arts", "the", "cooking"};
    lethe_directory *dir = opened("content.rdf", "structure.rdf");
    lethe_directory *swapped = opened("structure.rdf", "content.rdf");
    char want[1024];
    assert_int_equal(lethe_directory_categories(dir), lethe_directory_categories(swapped));
    for (size_t i = 0; i < LETHE_COUNT(terms); i++) {
        snprintf(want, sizeof want, "%s", of_term(dir, terms[i]));
        assert_string_equal(of_term(swapped, terms[i]), want);
    }
    lethe_directory_free(dir);
    lethe_directory_free(swapped);
}

/* Its pages would count twice. */
static void one_file_is_not_two(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    char link[128];
    snprintf(link, sizeof link, "%s", file_of("", 0));
    unlink(link);
    char *real = realpath(odp_file("content.rdf"), NULL);
    assert_non_null(real);
    assert_int_equal(symlink(real, link), 0);
    free(real);
    const char *const names[] = {odp_file("content.rdf"), link};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        assert_int_equal(lethe_odp_open(ctx, odp_file("content.rdf"), names[i], NULL, &dir),
                         LETHE_EUSAGE);
        assert_null(dir);
        assert_non_null(strstr(last.text, "are one file"));
    }
    assert_int_equal(lethe_odp_open(ctx, "-", "-", NULL, &dir), LETHE_EUSAGE);
    unlink(link);
}

#define UNPLACED(title) "<ExternalPage about='u'><d:Title>" title "</d:Title></ExternalPage>"

static void pages_may_not_say_where_they_stand(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char before[] = UNPLACED("lost") TOPIC("Top/A") UNPLACED("w");
    static const char after[] = TOPIC("Top") UNPLACED("lost") PAGE(" Top / B //C/", "v", "");
    char text[1024];
    snprintf(text, sizeof text, RDF("%s%s"), before, after);
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "w"), "A");
    assert_string_equal(of_term(dir, "v"), "B/C");
    assert_string_equal(of_term(dir, "lost"), "");
    assert_string_equal(last.notes, "2 pages are in no category, and left out\n");
    lethe_directory_free(dir);
}

/* The same place, however it is written. */
static void a_path_is_one_however_it_is_written(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] =
        RDF("<Topic r:id='Top/A\nB'/>" PAGE("Top/A\nB", "one", "") PAGE("/Top/A B/", "two", "")
                PAGE("\n Top\t/ A&#10;B", "three", "") PAGE(" / / Top / A B ", "four", "")
                    PAGE("A\x01"
                         "B",
                         "five", ""));
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    static const char *const words[] = {"one", "two", "three", "four", "five", "a", "b"};
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        assert_string_equal(of_term(dir, words[i]), "A B");
    assert_int_equal(lethe_directory_categories(dir), 1);
    lethe_directory_free(dir);
}

static void a_page_stands_in_one_place(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] =
        RDF("<ExternalPage><d:Title>w</d:Title><topic>Top/A</topic><topic>Top/B</topic>"
            "</ExternalPage><ExternalPage><topic> </topic><d:Title>v</d:Title><topic>Top/B</topic>"
            "</ExternalPage>" TOPIC("Top/C") "<ExternalPage><d:Title>u</d:Title><topic>\n</topic>"
                                             "</ExternalPage>");
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "w"), "A");
    assert_string_equal(of_term(dir, "v"), "B");
    assert_string_equal(of_term(dir, "u"), "C"); // it does not say
    assert_int_equal(lethe_directory_categories(dir), 3);
    lethe_directory_free(dir);
}

/* What is repaired is not to be read as what repaired it. */
static void what_is_not_escaped_needs_no_escape(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] = RDF("<!-- & < ]]> -->" PAGE(
        "Top/A", "<![CDATA[one & two < three]]> & four", "five ]]> six<br/>seven<b>eight</b>nine"));
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    static const char *const words[] = {"one", "two",   "three", "four", "five",
                                        "six", "seven", "eight", "nine"};
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        assert_string_equal(of_term(dir, words[i]), "A");
    assert_string_equal(of_term(dir, "amp"), "");
    assert_string_equal(of_term(dir, "lt"), "");
    assert_string_equal(last.notes, "'memory': 2 bad characters were repaired\n");
    lethe_directory_free(dir);
}

static void texts_may_hold_other_elements(void **state)
{
    (void)state;
    lethe_directory *dir;
    static const char text[] =
        RDF(PAGE("Top/A", "one <b>two</b> three",
                 "<![CDATA[four]]>") "<Other><d:Title>no</d:Title></Other>text");
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    static const char *const words[] = {"one", "two", "three", "four"};
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        assert_string_equal(of_term(dir, words[i]), "A");
    assert_string_equal(of_term(dir, "no"), "");
    assert_string_equal(of_term(dir, "text"), "");
    lethe_directory_free(dir);
}

static void masks_and_endless_words_are_no_terms(void **state)
{
    (void)state;
    lethe_directory *dir;
    char text[2048], word[LETHE_ODP_WORD_MAX + 2];
    memset(word, 'w', sizeof word);
    snprintf(text, sizeof text, RDF(PAGE("Top/A", "[ssn] %.*s %.*s", "")), LETHE_ODP_WORD_MAX, word,
             LETHE_ODP_WORD_MAX + 1, word);
    assert_int_equal(from_text(text, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "[ssn]"), "");
    word[LETHE_ODP_WORD_MAX + 1] = '\0';
    assert_string_equal(of_term(dir, word), "");
    word[LETHE_ODP_WORD_MAX] = '\0';
    assert_string_equal(of_term(dir, word), "A");
    lethe_directory_free(dir);
}

static void only_the_best_are_kept(void **state)
{
    (void)state;
    enum { N = 150 };
    lethe_directory *dir;
    lethe_buf text = {0};
    uint32_t found[N];
    char page[256], path[64];
    assert_int_equal(lethe_buf_str(&text, LETHE_LIT("<RDF>")), LETHE_OK);
    for (int i = 0; i < N; i++) { /* the last ones are the best */
        snprintf(page, sizeof page, PAGE("Top/C%03d", "%s", "w"), i >= N / 2 ? "w" : "", i);
        assert_int_equal(lethe_buf_str(&text, lethe_str_of(page)), LETHE_OK);
    }
    assert_int_equal(lethe_buf_put(&text, "</RDF>", 7), LETHE_OK);
    assert_int_equal(from_text((const char *)text.at, &dir), LETHE_OK);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("w"), N, found), LETHE_ODP_BEST);
    for (int i = 0; i < LETHE_ODP_BEST; i++) {
        char want[8];
        (void)path_text(dir, found[i], path);
        snprintf(want, sizeof want, "C%03d", i < N / 2 ? N / 2 + i : i - N / 2);
        assert_string_equal(path, want);
    }
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("w"), 7, found), 7);
    lethe_directory_free(dir);
    lethe_buf_free(&text);
}

static void what_is_not_well_formed_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
        const char *cause;
    } bad[] = {
        {"", 1, "not well-formed: no element found"},
        {"no xml", 1, "not well-formed: syntax error"},
        {"<RDF>\n" TOPIC("Top/A") "\n", 3, "not well-formed: no element found"},
        {"<RDF>\n<Topic>\n</RDF>", 3, "not well-formed: mismatched tag"},
        {"<RDF>\n<Topic r:id='a' r:id='b'/></RDF>", 2, "not well-formed: duplicate attribute"},
        {RDF("\n<Topic r:id='<a'/>"), 2, "not well-formed: invalid token"},
        {"\xFF\xFE<\0R\0", 1, "not well-formed: invalid token"},
        {"<RDF></RDF>\n<RDF/>", 2, "not well-formed: junk after document element"},
        {"<html></html>", 1, "not a file of the Open Directory: it does not begin with RDF"},
        {"<!DOCTYPE RDF [<!ENTITY a 'b'>]>\n<RDF>&a;</RDF>", 1,
         "a document type declaration, which no file of the Open Directory has"},
        {"<!DOCTYPE RDF SYSTEM 'file:///etc/passwd'>\n<RDF/>", 1,
         "a document type declaration, which no file of the Open Directory has"},
        {"<RDF/>", 0, "no category in 'memory'"},
        {RDF(TOPIC("Top")), 0, "no category in 'memory'"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_directory *dir;
        assert_int_equal(from_text(bad[i].text, &dir), LETHE_EINPUT);
        assert_null(dir);
        assert_string_equal(last.text, bad[i].cause);
        assert_int_equal(last.line, bad[i].line);
        assert_int_equal(last.errors, 1);
    }
}

/* `n` times `each`, between `before` and `after`; ends with NUL. */
static lethe_buf repeated(const char *before, const char *each, size_t n, const char *after)
{
    lethe_buf b = {0};
    assert_int_equal(lethe_buf_str(&b, lethe_str_of(before)), LETHE_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(lethe_buf_str(&b, lethe_str_of(each)), LETHE_OK);
    assert_int_equal(lethe_buf_put(&b, after, strlen(after) + 1), LETHE_OK);
    return b;
}

static void nothing_may_be_endless(void **state)
{
    (void)state;
    static const struct {
        const char *before, *each;
        size_t n;
        const char *after, *cause;
    } bad[] = {
        {"<RDF>", "<a>", 64, "", "elements too deep in one another"},
        {"<RDF><Topic r:id=\"Top", "/x", 10001, "\"/></RDF>", "a path of too many levels"},
        {"<RDF><Topic r:id=\"", "0123456789", 300000, "\"/></RDF>", "a tag longer than 1 MiB"},
        {"<RDF><Topic r:id=\"", "0123456789", 300000, "", "a tag longer than 1 MiB"},
        {"<RDF><!--", "0123456789", 300000, "", "a tag longer than 1 MiB"},
        {"<RDF><Topic r:id=\"Top/A\"><d:Title>", "0123456789", 105000, "",
         "a text longer than 1 MiB"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_directory *dir;
        lethe_buf text = repeated(bad[i].before, bad[i].each, bad[i].n, bad[i].after);
        assert_int_equal(from_text((const char *)text.at, &dir), LETHE_EINPUT);
        assert_string_equal(last.text, bad[i].cause);
        lethe_buf_free(&text);
    }
}

/* It is not held. */
static void what_nobody_reads_may_be_long(void **state)
{
    (void)state;
    static const struct {
        const char *before, *each, *after;
    } good[] = {
        {"<RDF><Topic r:id=\"Top/A\"/>", "\n", "</RDF>"},
        {"<RDF><Topic r:id=\"Top/A\"><other>", "text text\n", "</other></Topic></RDF>"},
        {"<RDF><Topic r:id=\"Top/A\"><other>", "0123456789", "</other></Topic></RDF>"},
        {"<RDF><Topic r:id=\"Top/A\"/>", "<x y='z'/>", "</RDF>"},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        lethe_directory *dir;
        lethe_buf text = repeated(good[i].before, good[i].each, 300000, good[i].after);
        assert_int_equal(from_text((const char *)text.at, &dir), LETHE_OK);
        lethe_directory_free(dir);
        lethe_buf_free(&text);
    }
}

static void a_path_may_have_a_thousand_levels(void **state)
{
    (void)state;
    lethe_directory *dir;
    uint32_t c;
    lethe_buf text = repeated("<RDF><Topic r:id=\"Top", "/x", 999, "/deep\"/></RDF>");
    assert_int_equal(from_text((const char *)text.at, &dir), LETHE_OK);
    assert_int_equal(lethe_directory_find(dir, LETHE_LIT("deep"), 1, &c), 1);
    assert_int_equal(lethe_directory_level(dir, c), 1000);
    lethe_directory_free(dir);
    lethe_buf_free(&text);
}

static void files_may_be_compressed_or_missing(void **state)
{
    (void)state;
    size_t n;
    lethe_directory *dir = NULL;
    char *bytes = bytes_of(odp_file("content.rdf"), &n);
    assert_non_null(bytes);
    const char *path = file_of("", 0);
    gzFile f = gzopen(path, "wb");
    assert_int_equal(gzwrite(f, bytes, (unsigned)n), n);
    gzclose(f);
    assert_int_equal(lethe_odp_open(ctx, path, odp_file("structure.rdf"), NULL, &dir), LETHE_OK);
    assert_string_equal(of_term(dir, "ciudad"), BCN);
    lethe_directory_free(dir);
    dir = NULL;
    assert_int_equal(lethe_odp_open(ctx, path, "/nowhere/structure.rdf", NULL, &dir), LETHE_EIO);
    unlink(path);
    assert_int_equal(lethe_odp_open(ctx, path, NULL, NULL, &dir), LETHE_EIO);
    assert_null(dir);
    free(bytes);
}

static void faults_name_their_file(void **state)
{
    (void)state;
    lethe_directory *dir = NULL;
    const char *path = file_of("<RDF>\n<Topic r:id=\"Top/A\">\n</RDF>\n", 34);
    assert_int_equal(lethe_odp_open(ctx, odp_file("content.rdf"), path, NULL, &dir), LETHE_EINPUT);
    assert_string_equal(last.file, path);
    assert_int_equal(last.line, 3);
    unlink(path);
}

static void who_cancels_is_heard(void **state)
{
    (void)state;
    lethe_ctx *other = ctx_of(1, 0, NULL);
    lethe_directory *dir = NULL;
    lethe_ctx_cancel(other);
    assert_int_equal(lethe_odp_memory(other, LETHE_LIT(RDF(TOPIC("Top/A"))), LETHE_LIT(""), &dir),
                     LETHE_ECANCEL);
    assert_null(dir);
    lethe_ctx_free(other);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char content[] = RDF(TOPIC("Top/A/B") PAGE("Top/C", "One", "two & \x01"));
    static const char structure[] =
        RDF("<Topic r:id='Top/A'><d:Title>t</d:Title><d:Description>d</d:Description></Topic>");
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK) {
        lethe_directory *dir = NULL;
        last.errors = 0;
        lethe_alloc_fail_at(++n);
        e = lethe_odp_memory(ctx, LETHE_LIT(content), LETHE_LIT(structure), &dir);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_true((e == LETHE_OK) == (dir != NULL));
        assert_true((e == LETHE_OK) == (last.errors == 0));
        lethe_directory_free(dir);
    }
    assert_true(n > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_titles_descriptions_and_names_are_terms),
        cmocka_unit_test(the_structure_describes_categories),
        cmocka_unit_test(known_defects_are_repaired),
        cmocka_unit_test(categories_are_ranked_by_their_matches),
        cmocka_unit_test(equal_ones_come_in_order_of_their_paths),
        cmocka_unit_test(a_category_may_be_described_in_several_places),
        cmocka_unit_test(what_describes_a_category_counts_once),
        cmocka_unit_test(which_file_comes_first_does_not_matter),
        cmocka_unit_test(one_file_is_not_two),
        cmocka_unit_test(a_path_is_one_however_it_is_written),
        cmocka_unit_test(a_page_stands_in_one_place),
        cmocka_unit_test(what_is_not_escaped_needs_no_escape),
        cmocka_unit_test(pages_may_not_say_where_they_stand),
        cmocka_unit_test(texts_may_hold_other_elements),
        cmocka_unit_test(masks_and_endless_words_are_no_terms),
        cmocka_unit_test(only_the_best_are_kept),
        cmocka_unit_test(what_is_not_well_formed_is_refused),
        cmocka_unit_test(nothing_may_be_endless),
        cmocka_unit_test(what_nobody_reads_may_be_long),
        cmocka_unit_test(a_path_may_have_a_thousand_levels),
        cmocka_unit_test(files_may_be_compressed_or_missing),
        cmocka_unit_test(faults_name_their_file),
        cmocka_unit_test(who_cancels_is_heard),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
