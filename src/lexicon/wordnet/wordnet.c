/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the dictionary files, reads them in parallel, and answers questions about nouns and
 * synsets. */
#include "core/rng.h"
#include "io/syserr.h"
#include "lexicon/wordnet/wordnet_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef LETHE_WORDNET_DIR
#define LETHE_WORDNET_DIR "/usr/share/wordnet"
#endif

static const char *const file_names[LETHE_WN_FILES] = {"index.noun", "data.noun", "noun.exc"};

/* --- reading --- */

enum { PIECE_BYTES = 1 << 20, LARGEST = 99999999 }; /* an offset has eight digits */

typedef struct opened_file {
    int fd;
    char *path, *text;
    size_t size, first_piece;
} opened_file;

typedef struct reader {
    opened_file files[LETHE_WN_FILES];
    size_t n_pieces;
    int *errnum; /* of each piece */
} reader;

static opened_file *file_of(reader *r, size_t piece)
{
    size_t i = LETHE_WN_FILES - 1;
    while (r->files[i].first_piece > piece)
        i--;
    return &r->files[i];
}

static lethe_err read_piece(void *arg, size_t i, unsigned w)
{
    (void)w;
    reader *r = arg;
    opened_file *f = file_of(r, i);
    size_t at = (i - f->first_piece) * PIECE_BYTES, end = LETHE_MIN(at + PIECE_BYTES, f->size);
    while (at < end) {
        ssize_t got = pread(f->fd, f->text + at, end - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        r->errnum[i] = got < 0 ? errno : EIO; // 0: it has become shorter
        if (got <= 0) return LETHE_EIO;
        at += (size_t)got;
    }
    r->errnum[i] = 0;
    return LETHE_OK;
}

static lethe_err read_files(lethe_ctx *ctx, const char *dir, bool words_only, reader *r)
{
    for (size_t i = 0; i < LETHE_WN_FILES; i++) {
        opened_file *f = &r->files[i];
        f->first_piece = r->n_pieces;
        if (words_only && i == LETHE_WN_DATA) continue;
        struct stat about;
        size_t n = strlen(dir) + strlen(file_names[i]) + 2;
        f->path = lethe_alloc(n, 1);
        if (!f->path) return LETHE_ENOMEM;
        snprintf(f->path, n, "%s/%s", dir, file_names[i]);
        // O_NONBLOCK: a pipe in its place must not hold us up.
        f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (f->fd < 0 && errno == ENOENT)
            return lethe_fail(ctx, LETHE_EIO,
                              "cannot open '%s': no such file (WordNet comes with the package "
                              "wordnet-base)",
                              f->path);
        if (f->fd < 0 || fstat(f->fd, &about) != 0)
            return lethe_fail_sys(ctx, "open", f->path, errno);
        if (!S_ISREG(about.st_mode))
            return lethe_fail(ctx, LETHE_EIO, "cannot read '%s': not a file", f->path);
        if (about.st_size > LARGEST)
            return lethe_fail_at(ctx, LETHE_EINPUT, f->path, 1, 0, "the file is too large");
        f->size = (size_t)about.st_size;
        f->text = lethe_alloc(f->size, 1);
        if (!f->text) return LETHE_ENOMEM;
        r->n_pieces += (f->size + PIECE_BYTES - 1) / PIECE_BYTES;
    }
    r->errnum = lethe_alloc_zero(r->n_pieces, sizeof *r->errnum);
    if (!r->errnum) return LETHE_ENOMEM;
    lethe_err e = lethe_pool_for(ctx, r->n_pieces, read_piece, r);
    if (e != LETHE_EIO) return e;
    size_t i = 0;
    while (!r->errnum[i])
        i++;
    return lethe_fail_sys(ctx, "read", file_of(r, i)->path, r->errnum[i]);
}

/* --- opening --- */

static lethe_err open_bytes(lethe_ctx *ctx, const lethe_wn_file *files, lethe_wordnet **out)
{
    for (size_t i = 0; i < LETHE_WN_FILES; i++) {
        size_t n = files[i].text.n;
        if (!files[i].text.at || (n > 0 && n <= LARGEST)) continue;
        return lethe_fail_at(lethe_ctx_diag(ctx), LETHE_EINPUT, files[i].name, 1, 0,
                             n ? "the file is too large" : "the file is empty");
    }
    lethe_wordnet *wn = lethe_alloc_zero(1, sizeof *wn);
    if (!wn) return LETHE_ENOMEM;
    lethe_err e = lethe_random_get(lethe_ctx_diag(ctx), &wn->seed, sizeof wn->seed);
    if (e == LETHE_OK) e = lethe_wn_parse(ctx, files, wn);
    if (e == LETHE_OK)
        *out = wn;
    else
        lethe_wordnet_free(wn);
    return e;
}

const char *lethe_wordnet_folder(const char *dir)
{
    if (!dir) dir = getenv("WNSEARCHDIR");
    return dir && *dir ? dir : LETHE_WORDNET_DIR;
}

bool lethe_wordnet_installed(const char *dir)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < LETHE_WN_FILES; i++) {
        int n = snprintf(path, sizeof path, "%s/%s", lethe_wordnet_folder(dir), file_names[i]);
        if (n < 0 || (size_t)n >= sizeof path || access(path, F_OK) != 0) return false;
    }
    return true;
}

static lethe_err open_files(lethe_ctx *ctx, const char *dir, bool words_only, lethe_wordnet **out)
{
    reader r = {.files = {{.fd = -1}, {.fd = -1}, {.fd = -1}}};
    if (!dir) dir = lethe_ctx_wordnet_dir(ctx);
    lethe_wn_file files[LETHE_WN_FILES];
    lethe_err e = read_files(ctx, lethe_wordnet_folder(dir), words_only, &r);
    for (size_t i = 0; i < LETHE_WN_FILES; i++)
        files[i] = (lethe_wn_file){r.files[i].path, {r.files[i].text, r.files[i].size}};
    if (e == LETHE_OK) e = open_bytes(ctx, files, out);
    for (size_t i = 0; i < LETHE_WN_FILES; i++) {
        if (r.files[i].fd >= 0) close(r.files[i].fd);
        lethe_free_all(r.files[i].path, r.files[i].text);
    }
    lethe_free(r.errnum);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

lethe_err lethe_wordnet_open(lethe_ctx *ctx, const char *dir, lethe_wordnet **out)
{
    lethe_ctx_set_english(ctx, true);
    return open_files(ctx, dir, false, out);
}

lethe_err lethe_wordnet_open_words(lethe_ctx *ctx, const char *dir, lethe_wordnet **out)
{
    lethe_ctx_set_english(ctx, true);
    return open_files(ctx, dir, true, out);
}

lethe_err lethe_wordnet_memory(lethe_ctx *ctx, lethe_str index, lethe_str data,
                               lethe_str exceptions, lethe_wordnet **out)
{
    const lethe_wn_file files[LETHE_WN_FILES] = {
        {file_names[0], index}, {file_names[1], data}, {file_names[2], exceptions}};
    lethe_err e = open_bytes(ctx, files, out);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

void lethe_wordnet_free(lethe_wordnet *wn)
{
    if (!wn) return;
    lethe_free_all(wn->text, wn->word_at, wn->table.slots, wn->senses.start, wn->senses.at,
                   wn->words.start, wn->words.at, wn->hypernyms.start, wn->hypernyms.at, wn->file,
                   wn->exception_text, wn->exception_at, wn->exception_noun,
                   wn->exception_table.slots, wn);
}

/* --- what it holds --- */

static const uint32_t *list_of(const lethe_wn_lists *lists, uint32_t i, size_t *n)
{
    *n = lists->start[i + 1] - lists->start[i];
    return lists->at + lists->start[i];
}

uint32_t lethe_wordnet_nouns(const lethe_wordnet *wn) { return wn->n_nouns; }

lethe_str lethe_wordnet_noun(const lethe_wordnet *wn, uint32_t noun)
{
    assert(noun < wn->n_nouns);
    return lethe_wn_text(wn->text, wn->word_at, noun);
}

const uint32_t *lethe_wordnet_senses(const lethe_wordnet *wn, uint32_t noun, size_t *n)
{
    assert(noun < wn->n_nouns && wn->n_synsets > 0);
    return list_of(&wn->senses, noun, n);
}

uint32_t lethe_wordnet_synsets(const lethe_wordnet *wn) { return wn->n_synsets; }

const uint32_t *lethe_wordnet_words(const lethe_wordnet *wn, uint32_t synset, size_t *n)
{
    assert(synset < wn->n_synsets);
    return list_of(&wn->words, synset, n);
}

const uint32_t *lethe_wordnet_hypernyms(const lethe_wordnet *wn, uint32_t synset, size_t *n)
{
    assert(synset < wn->n_synsets);
    return list_of(&wn->hypernyms, synset, n);
}

unsigned lethe_wordnet_file(const lethe_wordnet *wn, uint32_t synset)
{
    assert(synset < wn->n_synsets);
    return wn->file[synset];
}

const char *lethe_wordnet_file_name(unsigned file)
{
    static const char *const names[] = {
        "Tops",          "act",    "animal",     "artifact",  "attribute",  "body",     "cognition",
        "communication", "event",  "feeling",    "food",      "group",      "location", "motive",
        "object",        "person", "phenomenon", "plant",     "possession", "process",  "quantity",
        "relation",      "shape",  "state",      "substance", "time",
    };
    _Static_assert(LETHE_COUNT(names) == LETHE_WN_LAST_FILE - LETHE_WN_FIRST_FILE + 1,
                   "lexnames(5WN)");
    assert(file >= LETHE_WN_FIRST_FILE && file <= LETHE_WN_LAST_FILE);
    return names[file - LETHE_WN_FIRST_FILE];
}

lethe_str lethe_wordnet_name(const lethe_wordnet *wn, uint32_t synset,
                             char buf[LETHE_SYNSET_NAME_MAX])
{
    size_t n_words, n_senses;
    uint32_t noun = lethe_wordnet_words(wn, synset, &n_words)[0];
    const uint32_t *senses = lethe_wordnet_senses(wn, noun, &n_senses);
    size_t sense = 1;
    while (senses[sense - 1] != synset)
        sense++;
    lethe_str word = lethe_wordnet_noun(wn, noun);
    char *p = buf + word.n;
    memcpy(buf, word.at, word.n);
    memcpy(p, ".n.", 3);
    p += 3;
    if (sense >= 100) *p++ = (char)('0' + sense / 100);
    *p++ = (char)('0' + sense / 10 % 10);
    *p++ = (char)('0' + sense % 10);
    return (lethe_str){buf, (size_t)(p - buf)};
}

uint32_t lethe_wordnet_merged(const lethe_wordnet *wn, uint32_t noun)
{
    assert(noun < wn->n_nouns);
    uint32_t synset = wn->senses.at[wn->senses.start[noun]];
    const uint32_t *word = wn->words.at + wn->words.start[synset];
    while (wn->senses.at[wn->senses.start[*word]] != synset)
        word++; // ends at `noun`, if not before
    return *word;
}
