/* SPDX-License-Identifier: Apache-2.0 */
/* synth2_results.c - the search engine of the synthetic log, version 2.
 *
 * It answers by words.  The result of a text at a rank is about one of its words, chosen by a hash
 * of text and rank: on a host that many words lead to, or on one of the word's own.  As a rule the
 * page is for that text alone; some pages are about the word, and every text that comes to the word
 * at that rank is shown them.  Who asks for a site gets its home page first.  No two results of a
 * text are one page: those of the text carry their rank in their number, those of a word in their
 * path. */
#include "app/synth/synth2.h"
#include <xxhash.h>

enum {
    GENERAL = 445, /* of a thousand results: on a host about everything */
    GENERAL_HOSTS = 1023,
    WORD_PAGE = 250,   /* of a thousand results: a page about the word */
    FEW_RESULTS = 100, /* of a thousand texts: fewer results than there could be */
};

static bool plain(lethe_str word)
{
    for (size_t i = 0; i < word.n; i++)
        if (word.at[i] < 'a' || word.at[i] > 'z') return false;
    return word.n > 3;
}

/* What no page is about. */
static bool asks(lethe_str word)
{
    static const char *const list[] = {"what", "when", "where", "does",
                                       "with", "from", "near",  "your"};
    for (size_t i = 0; i < LETHE_COUNT(list); i++)
        if (lethe_str_eq(word, lethe_str_of(list[i]))) return true;
    return false;
}

/* The host that a text asks for: it has the form of one, or is the name of a known site. */
static lethe_str site_of(lethe_str text)
{
    static const char *const ends[] = {".com", " com", ".org", ".net"};
    lethe_str name = text;
    bool form = false;
    if (name.n > 4 && memcmp(name.at, "www.", 4) == 0) {
        name.at += 4;
        name.n -= 4;
    }
    for (size_t i = 0; i < LETHE_COUNT(ends); i++)
        if (name.n > 4 && memcmp(name.at + name.n - 4, ends[i], 4) == 0) form = true;
    if (form && !memchr(name.at, ' ', name.n - 4) && !memchr(name.at, '@', name.n)) return name;
    for (size_t i = 0; i < LETHE_SYNTH_SITES; i++)
        if (lethe_str_eq(name, lethe_str_of(lethe_synth_sites[i]))) return name;
    return (lethe_str){0};
}

lethe_synth_answers lethe_synth2_ask(lethe_str text)
{
    lethe_synth_answers a = {.key = XXH3_64bits(text.at, text.n), .site = site_of(text)};
    const char *at = text.at, *end = text.at + text.n;
    while (at < end && a.n_words < LETHE_COUNT(a.words)) {
        const char *space = memchr(at, ' ', (size_t)(end - at)), *stop = space ? space : end;
        lethe_str word = {at, (size_t)(stop - at)};
        if (plain(word) && !asks(word)) a.words[a.n_words++] = word;
        at = stop + 1;
    }
    if (a.n_words == 0) a.words[a.n_words++] = LETHE_LIT("pages");
    lethe_synth_draw d = {.state = a.key};
    a.n_results = LETHE_RESULTS;
    if (a.site.n == 0 && lethe_synth_chance(&d, FEW_RESULTS))
        a.n_results = 1 + lethe_synth_pick(&d, LETHE_RESULTS - 1);
    return a;
}

static void home_write(lethe_str site, lethe_synth_pen *p)
{
    bool bare = !memchr(site.at, '.', site.n), spaced = bare && memchr(site.at, ' ', site.n);
    lethe_synth_pen_text(p, "http://www.");
    lethe_synth_pen_str(p, spaced ? (lethe_str){site.at, site.n - 4} : site);
    if (bare) lethe_synth_pen_text(p, ".com");
}

/* A host about everything, the first being the best known. */
static void general_write(uint32_t k, lethe_synth_pen *p)
{
    if (k < LETHE_SYNTH_SITES) {
        lethe_synth_pen_text(p, lethe_synth_sites[k]);
        lethe_synth_pen_text(p, ".com");
        return;
    }
    lethe_synth_draw fixed = {.state = k};
    const char *const services =
        lethe_synth2_services[lethe_synth_pick(&fixed, LETHE_SYNTH2_SERVICES)];
    for (const char *c = services; *c; c++)
        if (*c != ' ') lethe_synth_pen_char(p, *c);
    lethe_synth_pen_text(p,
                         lethe_synth2_host_ends[lethe_synth_pick(&fixed, LETHE_SYNTH2_HOST_ENDS)]);
}

void lethe_synth2_result(const lethe_synth_answers *a, uint32_t rank, lethe_synth_pen *p)
{
    if (rank == 1 && a->site.n > 0) {
        home_write(a->site, p);
        return;
    }
    lethe_synth_draw d = {.state = lethe_synth_mix(a->key + rank)};
    lethe_str word = a->words[lethe_synth_pick(&d, a->n_words)];
    bool of_word = lethe_synth_chance(&d, WORD_PAGE);
    if (of_word) d.state = lethe_synth_mix(XXH3_64bits(word.at, word.n) + rank);
    lethe_synth_pen_text(p, "http://www.");
    if (lethe_synth_chance(&d, GENERAL)) {
        general_write(lethe_synth_rank(&d, GENERAL_HOSTS), p);
    } else {
        lethe_synth_pen_str(p, word);
        lethe_synth_pen_text(p,
                             lethe_synth2_host_ends[lethe_synth_rank(&d, LETHE_SYNTH2_HOST_ENDS)]);
    }
    lethe_synth_pen_char(p, '/');
    lethe_synth_pen_str(p, word);
    lethe_synth_pen_char(p, of_word ? '/' : '-');
    lethe_synth_pen_number(p, of_word ? rank : a->key % 1000000 + rank, 1);
    lethe_synth_pen_text(p, ".html");
}
