/* SPDX-License-Identifier: Apache-2.0 */
/* index.noun and data.noun to the dictionary in memory.  Both files are cut into parts of whole
 * lines, which are parsed side by side:
 *   1. the parts of index.noun, to words and the offsets of their synsets; then the words' table;
 *   2. the parts of data.noun, whose words are looked up in it;
 *   3. offsets become numbers, and it is checked that both files say the same.
 * Parts depend on the bytes alone, and of several faults the first is reported. */
#include "io/read/scan.h"
#include "lexicon/wordnet/wordnet_internal.h"

enum { PART_BYTES = 256 << 10 };

/* Whole lines of a file, and the first fault in them. */
typedef struct line_part {
    const char *begin, *end;
    lethe_wn_line fault;
} line_part;

typedef struct index_part {
    line_part lines; /* first */
    uint32_t n, n_senses;
    size_t n_text;
    char *text;
    uint8_t *length; /* of each word */
    uint32_t *tag;
    uint16_t *n_of; /* senses of each word */
    uint32_t *offset;
} index_part;

typedef struct data_part {
    line_part lines; /* first */
    uint32_t n, n_words, n_up;
    uint32_t *offset;
    uint8_t *file;
    uint16_t *words_of, *up_of; /* of each synset */
    uint32_t *words, *up;       /* nouns, and offsets of hypernyms */
} data_part;

typedef struct parse {
    lethe_wordnet *wn;
    lethe_wn_file index, data;
    size_t n_index, n_data;
    index_part *index_parts;
    data_part *data_parts;
    uint32_t *noun_base, *sense_base; /* of the parts: what the parts before them hold */
    uint32_t *up_base;
    uint32_t *offset; /* of each synset, ascending */
    uint32_t *bucket; /* the first synset at or after each multiple of 2^BUCKET_BITS */
    size_t n_buckets;
} parse;

enum { BUCKET_BITS = 7 };

/* --- parts --- */

static line_part *part_at(void *parts, size_t size, size_t i)
{
    return (line_part *)(void *)((char *)parts + i * size);
}

/* Cuts a file, after the licence, whose lines begin with two spaces, into parts of `size` bytes
 * each that begin with a line_part.  Part i begins with the first line at or after i * PART_BYTES.
 */
static lethe_err cut(lethe_diag *d, const lethe_wn_file *file, size_t size, void **parts, size_t *n)
{
    const char *body = file->text.at, *end = body + file->text.n, *lf;
    while (end - body >= 2 && body[0] == ' ' && body[1] == ' ' &&
           (lf = memchr(body, '\n', (size_t)(end - body))))
        body = lf + 1;
    *n = ((size_t)(end - body) + PART_BYTES - 1) / PART_BYTES;
    if (*n == 0) return lethe_fail_at(d, LETHE_EINPUT, file->name, 1, 0, "the file has no entry");
    *parts = lethe_alloc_zero(*n, size);
    if (!*parts) return LETHE_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        line_part *before = i > 0 ? part_at(*parts, size, i - 1) : NULL,
                  *p = part_at(*parts, size, i);
        const char *at = body + i * PART_BYTES;
        p->begin = before ? before->begin : body;
        if (at > p->begin) {
            lf = memchr(at - 1, '\n', (size_t)(end - (at - 1)));
            p->begin = lf ? lf + 1 : end;
        }
        p->end = end;
        if (before) before->end = p->begin;
    }
    return LETHE_OK;
}

/* Reports the first fault of the parts; LETHE_ENOMEM: there is none. */
static lethe_err first_fault(lethe_diag *d, const lethe_wn_file *file, void *parts, size_t size,
                             size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (part_at(parts, size, i)->fault.cause)
            return lethe_wn_fault(d, file, &part_at(parts, size, i)->fault);
    return LETHE_ENOMEM;
}

/* --- index.noun --- */

/* Such a word would be taken for a synset in a tree. */
static bool looks_like_synset(lethe_str word)
{
    size_t n = word.n;
    while (n > 0 && word.at[n - 1] >= '0' && word.at[n - 1] <= '9')
        n--;
    return n < word.n && n >= 3 && memcmp(word.at + n - 3, ".n.", 3) == 0;
}

/* Eight digits and a space or the line's end. */
static bool take_offset(lethe_wn_line *l, uint32_t *out)
{
    const uint64_t high = 0xf0 * LETHE_ONES, zero = 0x30 * LETHE_ONES;
    if (l->end - l->p < 9 || l->p[8] != ' ') return lethe_wn_decimal(l, 8, out);
    uint64_t w = lethe_word_at(l->p);
    if ((w & high) != zero || ((w + 0x06 * LETHE_ONES) & high) != zero)
        return lethe_wn_wrong(l, "an offset is not eight digits");
    // Digits, then pairs of them, then fours, put together side by side.
    w = ((w & (0x0f * LETHE_ONES)) * 2561) >> 8;
    w = ((w & UINT64_C(0x00ff00ff00ff00ff)) * 6553601) >> 16;
    *out = (uint32_t)(((w & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001)) >> 32);
    l->p += 9;
    return true;
}

/* lemma pos synset_cnt p_cnt [ptr_symbol...] sense_cnt tagsense_cnt synset_offset... */
static bool index_line(const lethe_wordnet *wn, index_part *part, lethe_wn_line *l)
{
    uint32_t n, n_symbols, again, tagged;
    char pos;
    lethe_str symbol, word, last = {part->text + part->n_text, 0};
    lethe_wn_line at_word = *l;
    if (!lethe_wn_word(l, true, &word)) return false;
    if (part->n > 0) last.n = part->length[part->n - 1];
    last.at -= last.n;
    const char *cause = NULL;
    if (looks_like_synset(word)) cause = "a word has the form of a synset's name";
    if (part->n > 0 && lethe_str_cmp(last, word) >= 0) cause = "the word is out of order";
    if (cause) {
        *l = at_word;
        return lethe_wn_wrong(l, cause);
    }
    memcpy(part->text + part->n_text, word.at, word.n);
    part->n_text += word.n;
    part->length[part->n] = (uint8_t)word.n;
    part->tag[part->n] = lethe_wn_tag(wn, word);
    if (!lethe_wn_letter(l, "n", &pos) || !lethe_wn_count(l, &n)) return false;
    if (n == 0 || n > LETHE_WN_SENSES_MAX)
        return lethe_wn_wrong(l, "the number of senses is out of range");
    if (!lethe_wn_count(l, &n_symbols)) return false;
    for (uint32_t i = 0; i < n_symbols; i++)
        if (!lethe_wn_word(l, true, &symbol)) return false;
    if (!lethe_wn_count(l, &again) || !lethe_wn_count(l, &tagged)) return false;
    if (again != n || tagged > n) return lethe_wn_wrong(l, "the numbers of senses do not agree");
    uint32_t *offset = part->offset + part->n_senses;
    for (uint32_t i = 0; i < n; i++) {
        if (!take_offset(l, &offset[i])) return false;
        for (uint32_t j = 0; j < i; j++)
            if (offset[i] == offset[j]) return lethe_wn_wrong(l, "a synset is named twice");
    }
    while (l->p < l->end && *l->p == ' ')
        l->p++;
    if (l->p < l->end) return lethe_wn_wrong(l, "the line is longer than its counts say");
    part->n_of[part->n++] = (uint16_t)n;
    part->n_senses += n;
    return true;
}

/* A part's arrays have room for the most that so many bytes can hold: a line of the index has 21 at
 * least, an offset 9. */
static lethe_err index_run(void *arg, size_t i, unsigned w)
{
    (void)w;
    parse *k = arg;
    index_part *part = &k->index_parts[i];
    size_t bytes = (size_t)(part->lines.end - part->lines.begin), most = bytes / 21 + 2;
    part->text = lethe_alloc(bytes, 1);
    part->length = lethe_alloc(most, sizeof *part->length);
    part->tag = lethe_alloc(most, sizeof *part->tag);
    part->n_of = lethe_alloc(most, sizeof *part->n_of);
    part->offset = lethe_alloc(bytes / 8 + 1, sizeof *part->offset);
    if (!part->text || !part->length || !part->tag || !part->n_of || !part->offset)
        return LETHE_ENOMEM;
    for (const char *p = part->lines.begin; p < part->lines.end;) {
        lethe_wn_line l;
        if (!lethe_wn_line_at(&l, p, part->lines.end) || !index_line(k->wn, part, &l)) {
            part->lines.fault = l;
            return LETHE_EINPUT;
        }
        p = l.end + 1;
    }
    return LETHE_OK;
}

static lethe_err index_join(parse *k)
{
    lethe_wordnet *wn = k->wn;
    size_t n = 0, n_senses = 0, n_text = 0;
    k->noun_base = lethe_alloc(k->n_index + 1, sizeof *k->noun_base);
    k->sense_base = lethe_alloc(k->n_index + 1, sizeof *k->sense_base);
    if (!k->noun_base || !k->sense_base) return LETHE_ENOMEM;
    for (size_t i = 0; i < k->n_index; i++) {
        k->noun_base[i] = (uint32_t)n;
        k->sense_base[i] = (uint32_t)n_senses;
        n += k->index_parts[i].n;
        n_senses += k->index_parts[i].n_senses;
        n_text += k->index_parts[i].n_text;
    }
    wn->text = lethe_alloc(n_text, 1);
    wn->word_at = lethe_alloc(n + 1, sizeof *wn->word_at);
    wn->senses.start = lethe_alloc(n + 1, sizeof *wn->senses.start);
    wn->senses.at = lethe_alloc(n_senses, sizeof *wn->senses.at);
    if (!wn->text || !wn->word_at || !wn->senses.start || !wn->senses.at) return LETHE_ENOMEM;
    LETHE_TRY(lethe_wn_table_new(n, &wn->table));
    uint32_t text_at = 0, noun = 0, sense = 0;
    for (size_t i = 0; i < k->n_index; i++) {
        const index_part *part = &k->index_parts[i];
        if (part->n_text) memcpy(wn->text + text_at, part->text, part->n_text);
        for (uint32_t j = 0; j < part->n; j++, noun++) {
            wn->word_at[noun] = text_at;
            wn->senses.start[noun] = sense;
            text_at += part->length[j];
            sense += part->n_of[j];
            lethe_wn_table_put(&wn->table, part->tag[j], noun);
        }
    }
    wn->word_at[noun] = text_at;
    wn->senses.start[noun] = sense;
    wn->n_nouns = noun;
    return LETHE_OK;
}

/* --- data.noun --- */

static bool data_word(const lethe_wordnet *wn, data_part *part, lethe_wn_line *l, uint16_t *n)
{
    lethe_str word;
    uint32_t lex_id;
    char lower[LETHE_WN_WORD_MAX];
    lethe_wn_line at_word = *l;
    if (!lethe_wn_word(l, false, &word)) return false;
    for (size_t i = 0; i < word.n; i++)
        lower[i] = (char)(word.at[i] | (word.at[i] >= 'A' && word.at[i] <= 'Z' ? 0x20 : 0));
    uint32_t noun = lethe_wordnet_find(wn, (lethe_str){lower, word.n});
    if (noun == LETHE_NONE) {
        *l = at_word;
        return lethe_wn_wrong(l, "a word is not in the index");
    }
    // Words that differ in capitals alone are one noun, which a synset has but once.
    uint32_t *words = part->words + part->n_words;
    for (uint16_t i = 0; i < *n; i++)
        if (words[i] == noun) return lethe_wn_hex(l, 1, &lex_id);
    words[(*n)++] = noun;
    return lethe_wn_hex(l, 1, &lex_id);
}

/* synset_offset lex_filenum ss_type w_cnt word lex_id [word lex_id...] p_cnt [ptr...] | gloss */
static bool data_line(const parse *k, data_part *part, lethe_wn_line *l)
{
    uint32_t offset, file, n_words, n_pointers;
    uint16_t words = 0, up = 0;
    char type;
    if (!take_offset(l, &offset)) return false;
    if (offset != (size_t)(l->begin - k->data.text.at)) {
        l->p = l->begin;
        return lethe_wn_wrong(l, "the offset is not that of the line");
    }
    if (!lethe_wn_decimal(l, 2, &file)) return false;
    if (file < LETHE_WN_FIRST_FILE || file > LETHE_WN_LAST_FILE)
        return lethe_wn_wrong(l, "the lexicographer file is not one of nouns");
    if (!lethe_wn_letter(l, "n", &type) || !lethe_wn_hex(l, 2, &n_words)) return false;
    if (n_words == 0) return lethe_wn_wrong(l, "the synset has no word");
    for (uint32_t i = 0; i < n_words; i++)
        if (!data_word(k->wn, part, l, &words)) return false;
    if (!lethe_wn_decimal(l, 3, &n_pointers)) return false;
    for (uint32_t i = 0; i < n_pointers; i++) { // pointer_symbol synset_offset pos source/target
        lethe_str symbol;
        uint32_t above, between;
        char pos;
        lethe_wn_line at_pointer = *l;
        if (!lethe_wn_word(l, false, &symbol) || !take_offset(l, &above) ||
            !lethe_wn_letter(l, "nvasr", &pos) || !lethe_wn_hex(l, 4, &between))
            return false;
        if (symbol.at[0] != '@' || (symbol.n != 1 && !(symbol.n == 2 && symbol.at[1] == 'i')))
            continue;
        if (pos != 'n') {
            *l = at_pointer;
            return lethe_wn_wrong(l, "a hypernym is not a noun");
        }
        part->up[part->n_up + up++] = above;
    }
    if (l->p == l->end || *l->p != '|')
        return lethe_wn_wrong(l, "the gloss is not where the counts say");
    part->offset[part->n] = offset;
    part->file[part->n] = (uint8_t)file;
    part->words_of[part->n] = words;
    part->up_of[part->n++] = up;
    part->n_words += words;
    part->n_up += up;
    return true;
}

/* As for the index: a line has 26 bytes at least, a word 4, a pointer 18. */
static lethe_err data_run(void *arg, size_t i, unsigned w)
{
    (void)w;
    parse *k = arg;
    data_part *part = &k->data_parts[i];
    size_t bytes = (size_t)(part->lines.end - part->lines.begin), most = bytes / 26 + 2;
    part->offset = lethe_alloc(most, sizeof *part->offset);
    part->file = lethe_alloc(most, sizeof *part->file);
    part->words_of = lethe_alloc(most, sizeof *part->words_of);
    part->up_of = lethe_alloc(most, sizeof *part->up_of);
    part->words = lethe_alloc(bytes / 4 + 1, sizeof *part->words);
    part->up = lethe_alloc(bytes / 16 + 1, sizeof *part->up);
    if (!part->offset || !part->file || !part->words_of || !part->up_of || !part->words ||
        !part->up)
        return LETHE_ENOMEM;
    for (const char *p = part->lines.begin; p < part->lines.end;) {
        lethe_wn_line l;
        if (!lethe_wn_line_at(&l, p, part->lines.end) || !data_line(k, part, &l)) {
            part->lines.fault = l;
            return LETHE_EINPUT;
        }
        p = l.end + 1;
    }
    return LETHE_OK;
}

static lethe_err data_join(parse *k)
{
    lethe_wordnet *wn = k->wn;
    uint32_t n = 0, n_words = 0, n_up = 0, s = 0, word = 0, up = 0;
    k->up_base = lethe_alloc(k->n_data, sizeof *k->up_base);
    if (!k->up_base) return LETHE_ENOMEM;
    for (size_t i = 0; i < k->n_data; i++) {
        k->up_base[i] = n_up;
        n += k->data_parts[i].n;
        n_words += k->data_parts[i].n_words;
        n_up += k->data_parts[i].n_up;
    }
    k->n_buckets = (k->data.text.n >> BUCKET_BITS) + 2;
    k->offset = lethe_alloc(n, sizeof *k->offset);
    k->bucket = lethe_alloc(k->n_buckets, sizeof *k->bucket);
    wn->file = lethe_alloc(n, sizeof *wn->file);
    wn->words.start = lethe_alloc((size_t)n + 1, sizeof *wn->words.start);
    wn->words.at = lethe_alloc(n_words, sizeof *wn->words.at);
    wn->hypernyms.start = lethe_alloc((size_t)n + 1, sizeof *wn->hypernyms.start);
    wn->hypernyms.at = lethe_alloc(n_up, sizeof *wn->hypernyms.at);
    if (!k->offset || !k->bucket || !wn->file || !wn->words.start || !wn->words.at ||
        !wn->hypernyms.start || !wn->hypernyms.at)
        return LETHE_ENOMEM;
    for (size_t i = 0; i < k->n_data; i++) {
        const data_part *part = &k->data_parts[i];
        if (part->n == 0) continue;
        memcpy(k->offset + s, part->offset, part->n * sizeof *k->offset);
        memcpy(wn->file + s, part->file, part->n);
        memcpy(wn->words.at + word, part->words, part->n_words * sizeof *wn->words.at);
        for (uint32_t j = 0; j < part->n; j++, s++) {
            wn->words.start[s] = word;
            wn->hypernyms.start[s] = up;
            word += part->words_of[j];
            up += part->up_of[j];
        }
    }
    wn->words.start[n] = word;
    wn->hypernyms.start[n] = up;
    wn->n_synsets = n;
    s = 0;
    for (size_t b = 0; b < k->n_buckets; b++) {
        while (s < n && k->offset[s] < b << BUCKET_BITS)
            s++;
        k->bucket[b] = s;
    }
    return LETHE_OK;
}

/* --- offsets to numbers --- */

/* A line is so long that a bucket holds a few synsets at most. */
static uint32_t synset_at(const parse *k, uint32_t offset)
{
    size_t b = offset >> BUCKET_BITS;
    if (b >= k->n_buckets) return LETHE_NONE;
    for (uint32_t s = k->bucket[b]; s < k->wn->n_synsets && k->offset[s] <= offset; s++)
        if (k->offset[s] == offset) return s;
    return LETHE_NONE;
}

static lethe_err data_resolve(void *arg, size_t i, unsigned w)
{
    (void)w;
    parse *k = arg;
    data_part *part = &k->data_parts[i];
    uint32_t *out = k->wn->hypernyms.at + k->up_base[i];
    for (uint32_t j = 0, up = 0; j < part->n; j++)
        for (uint16_t m = 0; m < part->up_of[j]; m++, up++) {
            out[up] = synset_at(k, part->up[up]);
            if (out[up] != LETHE_NONE) continue;
            const char *line = k->data.text.at + part->offset[j];
            part->lines.fault = (lethe_wn_line){.begin = line, .p = line};
            part->lines.fault.cause = "a hypernym's offset is not a synset's";
            return LETHE_EINPUT;
        }
    return LETHE_OK;
}

static bool has(const lethe_wn_lists *lists, uint32_t i, uint32_t what)
{
    for (uint32_t j = lists->start[i]; j < lists->start[i + 1]; j++)
        if (lists->at[j] == what) return true;
    return false;
}

/* The fault of the part's j-th line. */
static lethe_err index_wrong(index_part *part, uint32_t j, const char *cause)
{
    const char *p = part->lines.begin;
    for (; j > 0; j--)
        p = (const char *)memchr(p, '\n', (size_t)(part->lines.end - p)) + 1;
    part->lines.fault = (lethe_wn_line){.begin = p, .p = p, .cause = cause};
    return LETHE_EINPUT;
}

static lethe_err index_resolve(void *arg, size_t i, unsigned w)
{
    (void)w;
    parse *k = arg;
    index_part *part = &k->index_parts[i];
    uint32_t *out = k->wn->senses.at + k->sense_base[i];
    for (uint32_t j = 0, sense = 0; j < part->n; j++)
        for (uint16_t m = 0; m < part->n_of[j]; m++, sense++) {
            uint32_t s = synset_at(k, part->offset[sense]);
            if (s == LETHE_NONE)
                return index_wrong(part, j, "a sense's offset is that of no synset");
            if (!has(&k->wn->words, s, k->noun_base[i] + j))
                return index_wrong(part, j, "a sense's synset does not have the word");
            out[sense] = s;
        }
    return LETHE_OK;
}

/* --- what must hold among all --- */

static lethe_err synset_wrong(const parse *k, lethe_diag *d, uint32_t s, const char *cause)
{
    const char *line = k->data.text.at + k->offset[s];
    lethe_wn_line l = {.begin = line, .p = line, .cause = cause};
    return lethe_wn_fault(d, &k->data, &l);
}

/* Every sense has been found among the synsets' words, each once: where the sums agree, nothing is
 * missing the other way round. */
static lethe_err check_words(const parse *k, lethe_diag *d)
{
    const lethe_wordnet *wn = k->wn;
    if (wn->words.start[wn->n_synsets] == wn->senses.start[wn->n_nouns]) return LETHE_OK;
    for (uint32_t s = 0; s < wn->n_synsets; s++)
        for (uint32_t j = wn->words.start[s]; j < wn->words.start[s + 1]; j++)
            if (!has(&wn->senses, wn->words.at[j], s))
                return synset_wrong(k, d, s, "the index does not have a word in this sense");
    assert(false);
    return LETHE_EINPUT;
}

static const uint32_t UNSEEN = 0, DONE = UINT32_MAX;

/* Follows hypernyms from `s`, depth first and without recursion; `next` holds for each synset the
 * hypernym to look at next, `way` those on the way.  LETHE_NONE: no circle, and all that was met is
 * marked as done; else a synset of the circle. */
static uint32_t find_circle(const lethe_wordnet *wn, uint32_t s, uint32_t *next, uint32_t *way)
{
    uint32_t depth = 0;
    way[depth++] = s;
    next[s] = 1;
    while (depth > 0) {
        uint32_t v = way[depth - 1], i = wn->hypernyms.start[v] + next[v] - 1;
        if (i == wn->hypernyms.start[v + 1]) {
            next[v] = DONE;
            depth--;
            continue;
        }
        next[v]++;
        uint32_t up = wn->hypernyms.at[i];
        if (next[up] == DONE) continue;
        if (next[up] != UNSEEN) return v;
        next[up] = 1;
        way[depth++] = up;
    }
    return LETHE_NONE;
}

/* Whoever follows hypernyms comes to the one top, in the end. */
static lethe_err check_hypernyms(const parse *k, lethe_diag *d)
{
    lethe_wordnet *wn = k->wn;
    uint32_t *next = lethe_alloc_zero(wn->n_synsets, sizeof *next);
    uint32_t *way = lethe_alloc(wn->n_synsets, sizeof *way);
    uint32_t circle = LETHE_NONE;
    lethe_err e = next && way ? LETHE_OK : LETHE_ENOMEM;
    wn->top = LETHE_NONE;
    for (uint32_t s = 0; e == LETHE_OK && s < wn->n_synsets; s++) {
        if (next[s] == UNSEEN) circle = find_circle(wn, s, next, way);
        bool top = wn->hypernyms.start[s] == wn->hypernyms.start[s + 1];
        if (circle != LETHE_NONE)
            e = synset_wrong(k, d, circle, "the synset is above itself");
        else if (top && wn->top != LETHE_NONE)
            e = synset_wrong(k, d, s, "a second synset has no hypernym");
        else if (top)
            wn->top = s;
    }
    lethe_free_all(next, way);
    return e;
}

/* --- all of it --- */

static lethe_err parse_words(parse *k, lethe_ctx *ctx, const lethe_wn_file *exceptions)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    const size_t size = sizeof *k->index_parts;
    void *parts = NULL;
    LETHE_TRY(cut(d, &k->index, size, &parts, &k->n_index));
    k->index_parts = parts;
    lethe_err e = lethe_pool_for(ctx, k->n_index, index_run, k);
    if (e == LETHE_EINPUT) return first_fault(d, &k->index, parts, size, k->n_index);
    LETHE_TRY(e);
    LETHE_TRY(index_join(k));
    // Words in order across parts too; so none stands twice.
    lethe_wordnet *wn = k->wn;
    for (size_t i = 1; i < k->n_index; i++) {
        uint32_t first = k->noun_base[i];
        if (k->index_parts[i].n == 0 || first == 0) continue;
        if (lethe_str_cmp(lethe_wordnet_noun(wn, first - 1), lethe_wordnet_noun(wn, first)) < 0)
            continue;
        lethe_wn_line l = {.begin = k->index_parts[i].lines.begin,
                           .p = k->index_parts[i].lines.begin};
        l.cause = "the word is out of order";
        return lethe_wn_fault(d, &k->index, &l);
    }
    return lethe_wn_exceptions(d, exceptions, k->wn);
}

static lethe_err parse_meanings(parse *k, lethe_ctx *ctx)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    const size_t size = sizeof *k->data_parts;
    void *parts = NULL;
    LETHE_TRY(cut(d, &k->data, size, &parts, &k->n_data));
    k->data_parts = parts;
    lethe_err e = lethe_pool_for(ctx, k->n_data, data_run, k);
    if (e == LETHE_OK) e = data_join(k);
    if (e == LETHE_OK) e = lethe_pool_for(ctx, k->n_data, data_resolve, k);
    if (e == LETHE_EINPUT) return first_fault(d, &k->data, parts, size, k->n_data);
    LETHE_TRY(e);
    e = lethe_pool_for(ctx, k->n_index, index_resolve, k);
    if (e == LETHE_EINPUT)
        return first_fault(d, &k->index, k->index_parts, sizeof *k->index_parts, k->n_index);
    LETHE_TRY(e);
    LETHE_TRY(check_words(k, d));
    return check_hypernyms(k, d);
}

lethe_err lethe_wn_parse(lethe_ctx *ctx, const lethe_wn_file *files, lethe_wordnet *wn)
{
    parse k = {.wn = wn, .index = files[LETHE_WN_INDEX], .data = files[LETHE_WN_DATA]};
    lethe_err e = parse_words(&k, ctx, &files[LETHE_WN_EXCEPTIONS]);
    if (e == LETHE_OK && k.data.text.at) e = parse_meanings(&k, ctx);
    for (size_t i = 0; k.index_parts && i < k.n_index; i++) {
        index_part *p = &k.index_parts[i];
        lethe_free_all(p->text, p->length, p->tag, p->n_of, p->offset);
    }
    for (size_t i = 0; k.data_parts && i < k.n_data; i++) {
        data_part *p = &k.data_parts[i];
        lethe_free_all(p->offset, p->file, p->words_of, p->up_of, p->words, p->up);
    }
    lethe_free_all(k.index_parts, k.data_parts, k.noun_base, k.sense_base, k.up_base, k.offset,
                   k.bucket);
    return e;
}
