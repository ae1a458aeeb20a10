/* threshold.c - only query texts that enough people issued.
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5 ("Masking identifying data").
 *
 * Rows go through the sorter by class: the texts that count as one, those with the same words, or
 * each text by itself.  A class is read once to count it and to find the commonest of its texts,
 * and again to emit its rows under that text, to hash them, or to leave them out.
 *
 * Inside a class rows stand by text, so that memory holds one text of it and no more, however many
 * there are.  A person may then come by several times.  Where it matters how often (no text has
 * enough alone, all would have enough if nobody had come twice), the rows, which now have one text,
 * go through a second sorter, where a person's stand together. */
#include "method/method.h"
#include "algo/text/same_words.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"

enum by { BY_USERS, BY_QUERIES, BY_ROWS }; /* as the choices of --by */
enum rare { RARE_DROP, RARE_HASH };        /* as those of --rare */
enum same { SAME_EXACT, SAME_WORDS };      /* as those of --same */
static const char *const by_names[] = {"users", "queries", "rows"};

#define HASH_BYTES 16
#define HASH_CHARS (1 + 2 * HASH_BYTES)

/* A worker's own; on the heap by itself, so that workers do not share cache lines. */
struct worker {
    lethe_buf record;
    lethe_same_words same;
    lethe_buf text; /* the commonest of a class's texts so far */
    uint64_t rows_kept, rows_hashed, rows_suppressed, texts_kept;
};

struct threshold {
    lethe_run *run;
    lethe_result *out;
    uint64_t t;
    enum by by;
    lethe_secret *key; /* NULL: rare texts are dropped */
    lethe_wordnet *wn; /* NULL: every text is a class of its own */
    lethe_sorter *rows;
    lethe_sorter *again; /* rows that have to be counted by person; NULL: there cannot be any */
    unsigned n_workers;
    struct worker **workers;
};

/* --- by class --- */

static lethe_err pack(const struct threshold *h, struct worker *k, const lethe_row *row)
{
    lethe_str key;
    if (!h->wn) return lethe_row_pack(row, LETHE_BY_QUERY, &k->record);
    LETHE_TRY(lethe_same_words_key(&k->same, h->wn, row->query, &key));
    return lethe_row_pack_keyed(row, key, &k->record);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct threshold *h = arg;
    struct worker *k = h->workers[w];
    if (pack(h, k, row) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    return lethe_sorter_put(h->rows, w, k->record.at, k->record.n);
}

/* Where a worker is in its part. */
struct reading {
    lethe_sorted *it;
    bool keyed; /* by key and text; else by text alone, which is the key */
    bool more;
    lethe_row row;  /* the current one, if `more` */
    lethe_str key;  /* of its class */
    lethe_str head; /* of its record: the same for rows of one text, and for no others */
};

static void step(struct reading *r)
{
    lethe_str record;
    r->more = lethe_sorted_next(r->it, &record);
    if (!r->more) return;
    if (r->keyed) {
        lethe_row_unpack_keyed(record, &r->key, &r->row);
    } else {
        lethe_row_unpack(record, LETHE_BY_QUERY, &r->row);
        r->key = r->row.query;
    }
    r->head = (lethe_str){record.at, (size_t)(r->row.owner.at - record.at)};
}

/* --- counting --- */

/* A text's rows, counted while they come by: owner by owner, an owner's users together, and a
 * user's times rising. */
struct tally {
    uint64_t rows, users, queries;
};

/* A class's texts, one after the other.  The views are of the record before. */
struct group {
    struct tally now; /* of the text at hand */
    lethe_row last;
    lethe_str key, head;
    uint64_t n_texts;           /* before it */
    struct tally best;          /* of the commonest among these; the worker holds its text */
    uint64_t rows;              /* of them all */
    uint64_t at_least, at_most; /* of what is counted: some may have come by with two texts */
};

static uint64_t counted(const struct threshold *h, const struct tally *c)
{
    return h->by == BY_USERS ? c->users : h->by == BY_QUERIES ? c->queries : c->rows;
}

static void count_row(const struct threshold *h, struct group *c, const struct reading *r)
{
    lethe_time_unit unit = h->run->times;
    const lethe_row *row = &r->row;
    bool new_owner = c->now.rows == 0 || !lethe_str_eq(row->owner, c->last.owner);
    c->now.rows++;
    c->now.users += new_owner;
    /* Published times tell queries apart, not the exact ones: what the release cannot show must
     * not count. */
    c->now.queries += new_owner || !lethe_str_eq(row->user, c->last.user) ||
                      lethe_time_cut(row->time, unit) != lethe_time_cut(c->last.time, unit);
    c->last = *row;
    c->key = r->key;
    c->head = r->head;
}

/* Is the text at hand commoner than those before it?  More users; of as many the shorter, which has
 * fewer signs besides its words; then the lesser bytes.  How often it was typed does not count: one
 * user would decide what all are published with. */
static bool is_commoner(const struct group *c, const lethe_buf *text)
{
    if (c->n_texts == 0) return true;
    if (c->now.users != c->best.users) return c->now.users > c->best.users;
    if (c->last.query.n != text->n) return c->last.query.n < text->n;
    return lethe_str_cmp(c->last.query, (lethe_str){(const char *)text->at, text->n}) < 0;
}

/* The text at hand has come to its end. */
static lethe_err end_text(const struct threshold *h, struct worker *k, struct group *c)
{
    uint64_t n = counted(h, &c->now);
    c->at_most += n;
    c->at_least = h->by == BY_ROWS ? c->at_most : LETHE_MAX(c->at_least, n);
    c->rows += c->now.rows;
    if (is_commoner(c, &k->text)) {
        c->best = c->now;
        k->text.n = 0;
        if (lethe_buf_str(&k->text, c->last.query) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    }
    c->n_texts++;
    c->now = (struct tally){0};
    return LETHE_OK;
}

/* Counts the class whose first row is current, to its end; or, where it has one text in any case,
 * until that has enough. */
static lethe_err count_class(const struct threshold *h, struct worker *k, struct reading *r,
                             struct group *c)
{
    *c = (struct group){0};
    do {
        if (c->now.rows > 0 && !lethe_str_eq(r->head, c->head)) LETHE_TRY(end_text(h, k, c));
        count_row(h, c, r);
        if (!r->keyed && counted(h, &c->now) >= h->t) break;
        step(r);
    } while (r->more && (lethe_str_eq(r->head, c->head) || lethe_str_eq(r->key, c->key)));
    LETHE_TRY(lethe_sorted_err(r->it)); /* half a class must not pass for a whole one */
    return end_text(h, k, c);
}

/* --- emitting --- */

/* A class's place in the release: keyed, so that who does not hold the key cannot try texts. */
static void hash_class(const struct threshold *h, lethe_str key, char out[HASH_CHARS])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t mac[HASH_BYTES];
    lethe_secret_mac(h->key, key, mac, sizeof mac);
    out[0] = '#';
    for (size_t i = 0; i < HASH_BYTES; i++) {
        out[1 + 2 * i] = digits[mac[i] >> 4];
        out[2 + 2 * i] = digits[mac[i] & 15];
    }
}

/* What the class with this first row is hashed by: rows that are counted again have lost their key.
 */
static lethe_err key_of(const struct threshold *h, struct worker *k, const struct reading *r,
                        lethe_str *key)
{
    *key = r->key;
    if (!h->wn || r->keyed) return LETHE_OK;
    return lethe_same_words_key(&k->same, h->wn, r->row.query, key) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(h->run->ctx);
}

/* What becomes of a class's rows. */
struct fate {
    lethe_err (*row)(struct threshold *h, unsigned w, lethe_row *row);
    bool hash;
};

static lethe_err keep_row(struct threshold *h, unsigned w, lethe_row *row)
{
    h->workers[w]->rows_kept++;
    return h->out->emit(h->out, w, row);
}

/* Without its click: where somebody went tells what they asked. */
static lethe_err hide_row(struct threshold *h, unsigned w, lethe_row *row)
{
    row->url = (lethe_str){"", 0};
    row->rank = LETHE_NO_RANK;
    h->workers[w]->rows_hashed++;
    return h->out->emit(h->out, w, row);
}

static lethe_err put_again(struct threshold *h, unsigned w, lethe_row *row)
{
    lethe_buf *b = &h->workers[w]->record;
    if (lethe_row_pack(row, LETHE_BY_QUERY, b) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    return lethe_sorter_put(h->again, w, b->at, b->n);
}

/* Hands on the class whose first row is marked, all under one text, and leaves the first row of the
 * next one current. */
static lethe_err hand_on(struct threshold *h, unsigned w, struct reading *r, const struct fate *f)
{
    struct worker *k = h->workers[w];
    char hashed[HASH_CHARS];
    lethe_str text = {(const char *)k->text.at, k->text.n}, head, key;
    LETHE_TRY(lethe_sorted_rewind(r->it));
    step(r);
    if (!r->more) return lethe_sorted_err(r->it);
    if (f->hash) {
        LETHE_TRY(key_of(h, k, r, &key));
        hash_class(h, key, hashed);
        text = (lethe_str){hashed, sizeof hashed};
    }
    do {
        lethe_row row = r->row;
        head = r->head;
        key = r->key;
        row.query = text;
        LETHE_TRY(f->row(h, w, &row));
        step(r);
    } while (r->more && (lethe_str_eq(r->head, head) || lethe_str_eq(r->key, key)));
    return LETHE_OK;
}

static lethe_err decide(struct threshold *h, unsigned w, struct reading *r, uint64_t *dropped)
{
    static const struct fate keep = {.row = keep_row}, again = {.row = put_again};
    static const struct fate hide = {.row = hide_row, .hash = true};
    struct worker *k = h->workers[w];
    struct group c;
    lethe_sorted_mark(r->it);
    LETHE_TRY(count_class(h, k, r, &c));
    if (c.at_least >= h->t) {
        /* A text that looks like a hash would pass for one, and nobody would look at it again. */
        if (h->key && lethe_is_text_hash((lethe_str){(const char *)k->text.at, k->text.n}))
            return hand_on(h, w, r, &hide);
        k->texts_kept++;
        return hand_on(h, w, r, &keep);
    }
    if (c.at_most >= h->t) {
        assert(h->again && r->keyed); // one text, or rows: what is counted is exact
        return hand_on(h, w, r, &again);
    }
    if (h->key) return hand_on(h, w, r, &hide);
    *dropped += c.rows;
    return LETHE_OK;
}

static lethe_err read_part(struct threshold *h, unsigned w, lethe_sorted *it, bool keyed)
{
    struct reading r = {.it = it, .keyed = keyed};
    uint64_t dropped = 0;
    for (step(&r); r.more;)
        LETHE_TRY(decide(h, w, &r, &dropped));
    LETHE_TRY(lethe_sorted_err(it));
    if (dropped > 0) h->out->drop(h->out, w, "rare query text", dropped);
    h->workers[w]->rows_suppressed += dropped;
    return LETHE_OK;
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct threshold *h = arg;
    (void)i;
    return read_part(h, w, it, h->wn != NULL);
}

static lethe_err part_again(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    (void)i;
    return read_part(arg, w, it, false);
}

/* --- the method --- */

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    const char *by = by_names[lethe_count_of(v, "by")];
    lethe_json_set(doc, c, "notion", lethe_json_new_text(doc, LETHE_LIT("query-threshold")));
    lethe_json_set(doc, c, "t", lethe_json_new_int(doc, lethe_count_of(v, "t")));
    lethe_json_set(doc, c, "by", lethe_json_new_text(doc, lethe_str_of(by)));
    if (lethe_count_of(v, "rare") == RARE_HASH)
        lethe_json_set(doc, c, "rare", lethe_json_new_text(doc, LETHE_LIT("hash")));
    lethe_json_push(doc, out, c);
}

static lethe_err conclude(const struct threshold *h)
{
    struct worker all = {0};
    lethe_diag *d = lethe_ctx_diag(h->run->ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        all.rows_kept += h->workers[w]->rows_kept;
        all.rows_hashed += h->workers[w]->rows_hashed;
        all.rows_suppressed += h->workers[w]->rows_suppressed;
        all.texts_kept += h->workers[w]->texts_kept;
    }
    lethe_set_count(h->out->doc, h->out->metrics, "rows_kept", all.rows_kept);
    lethe_set_count(h->out->doc, h->out->metrics, "rows_hashed", all.rows_hashed);
    lethe_set_count(h->out->doc, h->out->metrics, "rows_suppressed", all.rows_suppressed);
    lethe_set_count(h->out->doc, h->out->metrics, "queries_kept", all.texts_kept);
    if (all.rows_kept + all.rows_hashed == 0) {
        return lethe_fail(d, LETHE_ANSWER_NO,
                          "no query text has %llu %s: nothing is left to publish",
                          (unsigned long long)h->t, by_names[h->by]);
    }
    return lethe_json_failed(h->out->doc) ? lethe_no_memory(d) : LETHE_OK;
}

static lethe_err open_workers(struct threshold *h)
{
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(h->run->ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w] = lethe_alloc(1, sizeof **h->workers);
        if (!h->workers[w]) return lethe_no_memory(h->run->ctx);
        *h->workers[w] = (struct worker){0};
    }
    return LETHE_OK;
}

static lethe_err open_words(struct threshold *h)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "dictionary", 0);
    lethe_err err = lethe_wordnet_open_words(ctx, NULL, &h->wn);
    if (err != LETHE_EIO && err != LETHE_EINPUT) return err;
    return lethe_fail(
        lethe_ctx_diag(ctx), err,
        "--same words needs WordNet; --same exact counts each text by itself without it");
}

/* Rows are counted as they are: none has to be counted again. */
static lethe_err open_sorters(struct threshold *h)
{
    lethe_ctx *ctx = h->run->ctx;
    bool again = h->wn && h->by != BY_ROWS;
    uint64_t bytes = h->run->memory_bytes, few = again ? bytes / 4 : 0;
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes - few, &h->rows));
    return again ? lethe_sorter_new(ctx, LETHE_ORDER_GROUP, few, &h->again) : LETHE_OK;
}

/* Hashes of classes and of single texts are no relatives. */
static lethe_err open_all(struct threshold *h, bool hash, bool words)
{
    const char *label = words ? "words-hash" : "query-hash";
    LETHE_TRY(open_workers(h));
    if (hash && lethe_secret_derive(h->run->key, label, &h->key) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    if (words) LETHE_TRY(open_words(h));
    return open_sorters(h);
}

static void close_all(struct threshold *h)
{
    lethe_sorter_free(h->rows);
    lethe_sorter_free(h->again);
    lethe_secret_free(h->key);
    lethe_wordnet_free(h->wn);
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        struct worker *k = h->workers[w];
        if (!k) continue;
        lethe_buf_free(&k->record);
        lethe_buf_free(&k->text);
        lethe_same_words_free(&k->same);
        lethe_free(k);
    }
    lethe_free(h->workers);
}

static lethe_err pass(struct threshold *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = h}));
    lethe_ctx_phase(ctx, "texts", lethe_sorter_count(h->rows));
    LETHE_TRY(lethe_sorter_each(h->rows, part, h));
    if (h->again && lethe_sorter_count(h->again) > 0) {
        lethe_ctx_phase(ctx, "texts again", lethe_sorter_count(h->again));
        LETHE_TRY(lethe_sorter_each(h->again, part_again, h));
    }
    return conclude(h);
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    struct threshold h = {
        .run = run,
        .out = out,
        .t = (uint64_t)lethe_count_of(run->values, "t"),
        .by = (enum by)lethe_count_of(run->values, "by"),
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = open_all(&h, lethe_count_of(run->values, "rare") == RARE_HASH,
                             lethe_count_of(run->values, "same") == SAME_WORDS);
    if (err == LETHE_OK) err = pass(&h, in->log);
    close_all(&h);
    return err;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    {.name = "t",
     .letter = 't',
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "5",
     .min = 1,
     .max = 1e9,
     .help = "publish query texts that have at least N users (or queries, or rows)"},
    {.name = "by",
     .type = LETHE_OPT_CHOICE,
     .arg = "users|queries|rows",
     .fallback = "users",
     .help = "what is counted; queries as published: those of one user with the same text are one "
             "where --time cuts their times to the same day (or hour), and one in all with drop"},
    {.name = "rare",
     .type = LETHE_OPT_CHOICE,
     .arg = "drop|hash",
     .fallback = "drop",
     .help = "leave rows of rarer texts out, or publish them without click under a keyed hash, "
             "which texts that are one share"},
    {.name = "same",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|words",
     .fallback = "words",
     .help = "when two texts are one: only when they are equal after normalising, or also when "
             "they have the same words in another order or number, and then all are published "
             "under the commonest of them; words needs WordNet"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"rows_kept", "rows published with their text", 1},
    {"rows_hashed", "rows published under a hash of their text", 0},
    {"rows_suppressed", "rows left out, their text being too rare", -1},
    {"queries_kept", "distinct query texts published", 1},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Common queries can identify a person when they are combined, as AOL's user 4417749 was found; "
    "a threshold looks at each text alone (Adar, section 6).",
    "A text that enough users issued may still name a person.",
    "Times and clicks remain, as finely as they are published, and may tell who asked.",
    "Several accounts of one person count as several users.",
    "Two releases of the same or an overlapping log can be compared, and their difference may show "
    "what neither shows alone.",
    "With --same words, rows carry the commonest of the texts that have the same words, not what "
    "was typed: order, singular or plural, and signs between the words may be another's.",
    "With --same words, enough users issued the words of a published text, as WordNet reduces "
    "them (its list of irregular plurals takes cola for one of colon); fewer of them, perhaps one, "
    "may have typed that very text, and its order and signs are then that user's own.",
    "With --by queries or rows, one person who repeats a text is enough to have it published.",
    "With --rare hash, who holds the key and guesses a text can confirm it and who issued it; "
    "equal hidden texts link the users who issued them, and how often they occur may betray them.",
    NULL,
};

const lethe_method lethe_method_threshold = {
    .name = "threshold",
    .summary = "publish only query texts that enough people issued",
    .description =
        "Keeps the rows whose query text at least N users issued, and leaves out the others, or "
        "publishes them under a keyed hash in place of the text. Most query texts are issued once, "
        "and among these are nearly all that point to one person: names, addresses, numbers. Most "
        "of what many people ask is left.\n"
        "\n"
        "Users are the persons of the input, whatever an earlier step has made of their names. "
        "With --by queries, queries are counted as the release will show them: a user's queries "
        "with one text are told apart by their published times only, so with --time day those of "
        "one day count once, and with --time drop a user counts once in all. With --by rows every "
        "line counts.\n"
        "\n"
        "Texts that have the same words count together, whatever the order of the words, whether "
        "they stand in singular or plural (as WordNet reduces nouns), and whatever signs and "
        "spaces stand between them: red cars, car red and \"red\" cars! are one. All their rows "
        "are published under the commonest of these texts: the one that most users issued, of "
        "as many the shortest, then the first in order of bytes. A mask that scrub has left, such "
        "as "
        "[email], is a word of its own. A text without any letter or digit is like no other. With "
        "--same exact only equal texts count together, no row changes its text, and no dictionary "
        "is needed.\n"
        "\n"
        "With --rare hash a rare text is replaced by # and 32 hexadecimal digits, the same ones "
        "wherever it stands, and the same for all texts that count together; the rows keep user "
        "and time but lose rank and URL, which would tell the text. A text that "
        "has this form itself is hashed however common it is. The hash is keyed: without the "
        "key (see --key-file) texts cannot be tried.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 5",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .options = options,
    .figures = figures,
    .notion = "query-threshold",
    .claims = claims,
    .sweep = "t",
    .good_for = {[LETHE_GOAL_SESSIONS] = 1, [LETHE_GOAL_CLICKS] = 3, [LETHE_GOAL_COUNTS] = 3},
    .keeps = "the queries that many asked, as they were typed, with pseudonym, day and site of the "
             "click",
    .caveats = caveats,
    .example = "lethe threshold log.tsv.gz -t 5 -o release/",
    .run = run,
};
