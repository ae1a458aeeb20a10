/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over columns: made from a request in JSON, and applied to arrays.  Each value goes
 * through the code that the methods run, one after the other. */
#include "app/batch/batch_internal.h"
#include "io/write/sink.h"
#include "lethe/text.h"
#include "model/data.h"
#include "model/log/log_cells.h"
#include "release/publish/publish_log.h"

enum { SHOWN = 80, MEMBERS_MAX = 4 };

typedef enum function {
    NORMAL,
    WORDS_KEY,
    SCRUB,
    HOST,
    CLICKED_HOST,
    TEXT_HASH,
    PSEUDONYM,
    URL_ID,
    SEAL,
    CUT
} function;

/* By function: its name, and the members that its request has besides. */
static const struct {
    const char *name, *members[MEMBERS_MAX];
} functions[] = {[NORMAL] = {"normal", {NULL}},
                 [WORDS_KEY] = {"words-key", {NULL}},
                 [SCRUB] = {"scrub", {"options"}},
                 [HOST] = {"host", {NULL}},
                 [CLICKED_HOST] = {"clicked-host", {NULL}},
                 [TEXT_HASH] = {"text-hash", {"key-file", "options"}},
                 [PSEUDONYM] = {"pseudonym", {"key-file"}},
                 [URL_ID] = {"url-id", {"key-file"}},
                 [SEAL] = {"seal", {"key-file", "options", "publish"}},
                 [CUT] = {"cut", {"cut"}}};

struct lethe_batch_fn {
    lethe_ctx *ctx;
    function what;
    lethe_texts *texts;
    lethe_secret *key; /* of pseudonyms, identifiers or hashes */
    bool by_words;     /* hashes: of a text's words, not of the text */
    lethe_batch_seal *seal;
    const lethe_cut *cut;
    lethe_cut *own_cut; /* the same, where it was read here */
    lethe_buf cell, host;
};

/* --- the request --- */

static lethe_err wrong(lethe_ctx *ctx, const char *where, const char *expected)
{
    return lethe_fail(ctx, LETHE_EUSAGE, "request: '%s': %s expected", where, expected);
}

static bool is_member(function f, lethe_str name)
{
    bool is = lethe_str_eq(name, LETHE_LIT("function"));
    for (size_t i = 0; i < MEMBERS_MAX && functions[f].members[i]; i++)
        is = is || lethe_str_eq(name, lethe_str_of(functions[f].members[i]));
    return is;
}

/* Which function it is; its request has no member that it does not know. */
static lethe_err function_find(lethe_ctx *ctx, const lethe_json *request, function *out)
{
    char shown[SHOWN];
    lethe_str name = lethe_json_text(lethe_json_get(request, "function"));
    size_t f = 0;
    if (lethe_json_kind(request) != LETHE_JSON_OBJECT) return wrong(ctx, "request", "an object");
    if (name.n == 0) return wrong(ctx, "function", "a text");
    while (f < LETHE_COUNT(functions) && !lethe_str_eq(name, lethe_str_of(functions[f].name)))
        f++;
    if (f == LETHE_COUNT(functions)) {
        lethe_show(shown, sizeof shown, name);
        return lethe_fail(ctx, LETHE_EUSAGE, "request: there is no function '%s'", shown);
    }
    *out = (function)f;
    for (size_t i = 0; i < lethe_json_count(request); i++) {
        if (is_member(*out, lethe_json_name(request, i))) continue;
        lethe_show(shown, sizeof shown, lethe_json_name(request, i));
        return lethe_fail(ctx, LETHE_EUSAGE, "request: '%s' has no member '%s'", functions[f].name,
                          shown);
    }
    return LETHE_OK;
}

/* A member that must be there, a text without NUL. */
static lethe_err member_text(lethe_ctx *ctx, lethe_arena *a, const lethe_json *request,
                             const char *name, const char **out)
{
    lethe_str s = lethe_json_text(lethe_json_get(request, name));
    if (s.n == 0 || memchr(s.at, '\0', s.n)) return wrong(ctx, name, "a text (without NUL)");
    *out = lethe_arena_dup(a, s);
    return *out ? LETHE_OK : lethe_no_memory(ctx);
}

static lethe_err scalar_put(lethe_ctx *ctx, const lethe_json *v, const char *where, lethe_buf *to)
{
    lethe_json_type kind = lethe_json_kind(v);
    lethe_str s = lethe_json_text(v);
    if (kind == LETHE_JSON_TEXT && (s.n == 0 || !memchr(s.at, '\0', s.n)))
        return lethe_buf_str(to, s);
    if (kind != LETHE_JSON_INT && kind != LETHE_JSON_REAL)
        return wrong(ctx, where, "a text, a number, true or a list of texts");
    char *number = lethe_json_write(v, 0, NULL);
    if (!number) return LETHE_ENOMEM;
    lethe_err e = lethe_buf_str(to, lethe_str_of(number));
    lethe_json_text_free(number);
    return e;
}

/* As it would be typed on the command line; *out = NULL: not given. */
static lethe_err option_text(lethe_ctx *ctx, lethe_arena *a, const lethe_json *v, const char *name,
                             bool is_flag, const char **out)
{
    lethe_json_type kind = lethe_json_kind(v);
    lethe_buf text = {0};
    lethe_err e = LETHE_OK;
    *out = NULL;
    if (kind == LETHE_JSON_NULL || (kind == LETHE_JSON_BOOL && !lethe_json_bool(v)))
        return LETHE_OK;
    if ((kind == LETHE_JSON_BOOL) != is_flag)
        return wrong(ctx, name, is_flag ? "true or false" : "a value");
    for (size_t i = 0; kind == LETHE_JSON_ARRAY && i < lethe_json_count(v) && e == LETHE_OK; i++) {
        if (i > 0) e = lethe_buf_str(&text, LETHE_LIT(","));
        if (e == LETHE_OK) e = scalar_put(ctx, lethe_json_at(v, i), name, &text);
    }
    if (kind != LETHE_JSON_ARRAY && kind != LETHE_JSON_BOOL) e = scalar_put(ctx, v, name, &text);
    if (e == LETHE_OK) {
        *out = lethe_arena_dup(a, (lethe_str){text.n ? (const char *)text.at : "", text.n});
        if (!*out) e = LETHE_ENOMEM;
    }
    lethe_buf_free(&text);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}

lethe_err lethe_batch_options(lethe_ctx *ctx, lethe_arena *arena, const lethe_json *object,
                              lethe_values *v)
{
    char shown[SHOWN];
    const char *text;
    if (object && lethe_json_kind(object) != LETHE_JSON_OBJECT)
        return wrong(ctx, "options", "an object of options");
    for (size_t i = 0; i < lethe_json_count(object); i++) {
        size_t at = 0;
        while (at < v->n &&
               !lethe_str_eq(lethe_json_name(object, i), lethe_str_of(v->table[at].name)))
            at++;
        lethe_show(shown, sizeof shown, lethe_json_name(object, i));
        if (at == v->n) return lethe_fail(ctx, LETHE_EUSAGE, "there is no option --%s", shown);
        bool is_flag = v->table[at].type == LETHE_OPT_FLAG;
        LETHE_TRY(option_text(ctx, arena, lethe_json_at(object, i), shown, is_flag, &text));
        if (text) LETHE_TRY(lethe_values_set(v, at, text, lethe_ctx_diag(ctx)));
    }
    return LETHE_OK;
}

/* --- making --- */

static lethe_err key_read(lethe_ctx *ctx, const char *path, lethe_secret **out)
{
    uint8_t bytes[32];
    LETHE_TRY(lethe_key_read(lethe_ctx_diag(ctx), path, bytes));
    lethe_err e = lethe_secret_from_bytes(bytes, out);
    explicit_bzero(bytes, sizeof bytes);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
}

/* What the pipeline makes of a key file, for the purpose of the function. */
static lethe_err keyed_begin(lethe_batch_fn *fn, lethe_arena *a, const lethe_json *request)
{
    const char *path;
    lethe_secret *key = NULL;
    LETHE_TRY(member_text(fn->ctx, a, request, "key-file", &path));
    LETHE_TRY(key_read(fn->ctx, path, &key));
    lethe_err e = LETHE_OK;
    if (fn->what == SEAL) {
        e = lethe_batch_seal_new(fn->ctx, lethe_json_get(request, "options"),
                                 lethe_json_get(request, "publish"), key, &fn->seal);
    } else {
        const char *purpose = fn->what == PSEUDONYM ? LETHE_USER_KEY
                              : fn->what == URL_ID  ? LETHE_URL_KEY
                              : fn->by_words        ? LETHE_WORDS_HASH
                                                    : LETHE_QUERY_HASH;
        e = lethe_secret_derive(key, purpose, &fn->key);
        if (e != LETHE_OK) e = lethe_no_memory(fn->ctx);
    }
    lethe_secret_free(key);
    return e;
}

/* Only these two of the method's options are about a single text. */
static lethe_err scrub_begin(lethe_batch_fn *fn, lethe_arena *a, const lethe_json *options)
{
    static const lethe_option own[] = {
        {.name = "kinds", .type = LETHE_OPT_TEXT}, {.name = "list", .type = LETHE_OPT_PATH}, {0}};
    lethe_value at[LETHE_COUNT(own)];
    lethe_values v;
    lethe_values_init(&v, own, at);
    LETHE_TRY(lethe_batch_options(fn->ctx, a, options, &v));
    return lethe_texts_new(fn->ctx, at[0].text, at[1].text, &fn->texts);
}

/* WordNet is opened with the first text: so that it is now, there is one. */
static lethe_err words_begin(lethe_batch_fn *fn)
{
    lethe_str key;
    LETHE_TRY(lethe_texts_new(fn->ctx, NULL, NULL, &fn->texts));
    return lethe_texts_words_key(fn->texts, LETHE_LIT("a"), &key);
}

/* The option of threshold says what a hash is of. */
static lethe_err hash_begin(lethe_batch_fn *fn, lethe_arena *a, const lethe_json *request)
{
    enum { EXACT, WORDS };
    static const lethe_option own[] = {
        {.name = "same", .type = LETHE_OPT_CHOICE, .arg = "exact|words", .fallback = "words"}, {0}};
    lethe_value at[LETHE_COUNT(own)];
    lethe_values v;
    lethe_values_init(&v, own, at);
    LETHE_TRY(lethe_batch_options(fn->ctx, a, lethe_json_get(request, "options"), &v));
    fn->by_words = lethe_count_of(&v, "same") == WORDS;
    LETHE_TRY(fn->by_words ? words_begin(fn) : lethe_texts_new(fn->ctx, NULL, NULL, &fn->texts));
    return keyed_begin(fn, a, request);
}

static lethe_err fn_begin(lethe_batch_fn *fn, lethe_arena *a, const lethe_json *request)
{
    const char *path;
    LETHE_TRY(function_find(fn->ctx, request, &fn->what));
    switch (fn->what) {
    case NORMAL:
    case HOST:
    case CLICKED_HOST:
        return lethe_texts_new(fn->ctx, NULL, NULL, &fn->texts);
    case WORDS_KEY:
        return words_begin(fn);
    case SCRUB:
        return scrub_begin(fn, a, lethe_json_get(request, "options"));
    case TEXT_HASH:
        return hash_begin(fn, a, request);
    case PSEUDONYM:
    case URL_ID:
    case SEAL:
        return keyed_begin(fn, a, request);
    case CUT:
        break;
    }
    LETHE_TRY(member_text(fn->ctx, a, request, "cut", &path));
    LETHE_TRY(lethe_cut_read(fn->ctx, path, &fn->own_cut));
    fn->cut = fn->own_cut;
    return LETHE_OK;
}

static lethe_err fn_new(lethe_ctx *ctx, lethe_batch_fn **out)
{
    lethe_ctx_forget_error(ctx);
    lethe_batch_fn *fn = lethe_alloc_zero(1, sizeof *fn);
    if (!fn) return lethe_no_memory(ctx);
    fn->ctx = ctx;
    *out = fn;
    return LETHE_OK;
}

lethe_err lethe_batch_new(lethe_ctx *ctx, const char *request, lethe_batch_fn **out)
{
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    lethe_batch_fn *fn;
    LETHE_TRY(fn_new(ctx, &fn));
    lethe_arena *a = lethe_arena_new();
    lethe_err e = a ? LETHE_OK : lethe_no_memory(ctx);
    if (e == LETHE_OK)
        e = lethe_json_parse(lethe_ctx_diag(ctx), "request", lethe_str_of(request), &doc, &v);
    if (e == LETHE_EINPUT) e = LETHE_EUSAGE;
    if (e == LETHE_OK) e = fn_begin(fn, a, v);
    lethe_json_doc_free(doc);
    lethe_arena_free(a);
    if (e == LETHE_OK)
        *out = fn;
    else
        lethe_batch_free(fn);
    return e;
}

lethe_err lethe_batch_of_cut(lethe_ctx *ctx, const lethe_cut *cut, lethe_batch_fn **out)
{
    LETHE_TRY(fn_new(ctx, out));
    (*out)->what = CUT;
    (*out)->cut = cut;
    return LETHE_OK;
}

void lethe_batch_free(lethe_batch_fn *fn)
{
    if (!fn) return;
    lethe_texts_free(fn->texts);
    lethe_secret_free(fn->key);
    lethe_batch_seal_free(fn->seal);
    lethe_cut_free(fn->own_cut);
    lethe_buf_free(&fn->cell);
    lethe_buf_free(&fn->host);
    lethe_free(fn);
}

/* --- applying --- */

/* What a result that is no view has room for. */
typedef union made_id {
    char pseudonym[LETHE_PSEUDONYM_CHARS], hash[LETHE_TEXT_HASH_CHARS];
} made_id;

/* Hosts as a threshold counts them: one that looks like an identifier is counted, too. */
static lethe_err clicked_host(lethe_batch_fn *fn, lethe_str in, lethe_str *out)
{
    lethe_str cell;
    lethe_err e = lethe_log_cell(in, &fn->cell, &cell);
    if (e == LETHE_OK) e = lethe_click_shown(cell, LETHE_URL_HOST, &fn->host, out);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(fn->ctx);
}

/* `at` NULL: null, since nothing is left of the text. */
static lethe_err text_hash(lethe_batch_fn *fn, lethe_str in, made_id *id, lethe_str *out)
{
    lethe_str common;
    LETHE_TRY(fn->by_words ? lethe_texts_words_key(fn->texts, in, &common)
                           : lethe_texts_normal(fn->texts, in, &common));
    *out = (lethe_str){NULL, 0};
    if (common.n == 0) return LETHE_OK;
    lethe_text_hash_make(fn->key, common, id->hash);
    *out = (lethe_str){id->hash, LETHE_TEXT_HASH_CHARS};
    return LETHE_OK;
}

/* `at` NULL: null. */
static lethe_err keyed_text(lethe_batch_fn *fn, lethe_str in, made_id *id, lethe_str *out)
{
    lethe_str cell;
    *out = (lethe_str){NULL, 0};
    if (lethe_log_cell(in, &fn->cell, &cell) != LETHE_OK) return lethe_no_memory(fn->ctx);
    if (cell.n == 0) return LETHE_OK;
    lethe_pseudonym_make(fn->key, cell, id->pseudonym);
    *out = (lethe_str){id->pseudonym, LETHE_PSEUDONYM_CHARS};
    return LETHE_OK;
}

static lethe_err text_apply(lethe_batch_fn *fn, lethe_str in, made_id *id, lethe_str *out)
{
    switch (fn->what) {
    case NORMAL:
        return lethe_texts_normal(fn->texts, in, out);
    case WORDS_KEY:
        return lethe_texts_words_key(fn->texts, in, out);
    case SCRUB:
        return lethe_texts_scrub(fn->texts, in, out);
    case HOST:
        return lethe_texts_host(fn->texts, in, out);
    case CLICKED_HOST:
        return clicked_host(fn, in, out);
    case TEXT_HASH:
        return text_hash(fn, in, id, out);
    default:
        return keyed_text(fn, in, id, out);
    }
}

/* Where a value is that is no view of the array, and what is made of it. */
typedef struct value_room {
    char scratch[LETHE_ARROW_SCRATCH];
    made_id id;
} value_room;

/* Row i of the column; `at` NULL: null. */
static lethe_err value_apply(lethe_batch_fn *fn, const lethe_batch_in *in,
                             const lethe_batch_column *column, int64_t i, value_room *room,
                             lethe_str *out)
{
    lethe_str text;
    bool is_null;
    *out = (lethe_str){NULL, 0};
    LETHE_TRY(lethe_batch_text(in, column, i, room->scratch, &is_null, &text));
    if (is_null) return LETHE_OK;
    LETHE_TRY(text_apply(fn, text, &room->id, out));
    if (!out->at && !fn->key) out->at = ""; // a text, if an empty one
    return LETHE_OK;
}

/* What was made of a value of a dictionary.  Each is worked on once: a column of many rows has few
 * of them.  Where there are more than rows that is of no use. */
typedef struct made_value {
    lethe_str text;
    bool is_made;
} made_value;

/* *out = NULL: nothing is remembered. */
static lethe_err made_begin(const lethe_batch_in *in, const lethe_batch_column *c, made_value **out)
{
    *out = NULL;
    if (c->type->kind != LETHE_ARROW_DICTIONARY || c->a->dictionary->length > in->n)
        return LETHE_OK;
    *out = lethe_new(in->arena, made_value, (size_t)c->a->dictionary->length);
    return *out ? LETHE_OK : lethe_no_memory(in->ctx);
}

/* Where what is made of row i belongs; NULL: it is not remembered. */
static made_value *made_of(made_value *made, const lethe_batch_column *c, int64_t i)
{
    int64_t k;
    if (!made || lethe_arrow_is_null(c->type, c->a, i)) return NULL;
    bool within = lethe_arrow_int(c->type, c->a, i, &k) && k >= 0 && k < c->a->dictionary->length;
    return within ? &made[k] : NULL;
}

static lethe_err made_apply(lethe_batch_fn *fn, const lethe_batch_in *in,
                            const lethe_batch_column *c, int64_t i, made_value *of,
                            value_room *room, lethe_str *out)
{
    if (of && of->is_made) {
        *out = of->text;
        return LETHE_OK;
    }
    LETHE_TRY(value_apply(fn, in, c, i, room, out));
    if (!of) return LETHE_OK;
    of->text = *out;
    if (out->at) of->text.at = lethe_arena_dup(in->arena, *out);
    if (out->at && !of->text.at) return lethe_no_memory(fn->ctx);
    of->is_made = true;
    return LETHE_OK;
}

static lethe_err texts_apply(lethe_batch_fn *fn, const lethe_batch_in *in, lethe_built_column *to)
{
    lethe_batch_column column;
    value_room room;
    made_value *made;
    LETHE_TRY(lethe_batch_itself(in, &column));
    if (lethe_arrow_is_list(column.type))
        return lethe_fail(in->ctx, LETHE_EINPUT, "the array has lists, not single values");
    LETHE_TRY(made_begin(in, &column, &made));
    for (int64_t i = 0; i < in->n; i++) {
        lethe_str result;
        LETHE_TRY(lethe_batch_go_on(in, i));
        LETHE_TRY(made_apply(fn, in, &column, i, made_of(made, &column, i), &room, &result));
        LETHE_TRY(lethe_batch_put(in->ctx, to, result));
    }
    return LETHE_OK;
}

/* The result of a function, taken out of what the columns hold. */
static lethe_err result_make(lethe_ctx *ctx, lethe_built_column *columns, const lethe_str *names,
                             size_t n, bool is_struct, int64_t n_rows,
                             struct ArrowSchema *out_schema, struct ArrowArray *out)
{
    struct ArrowSchema schema;
    struct ArrowArray rows;
    if (lethe_built_schema(columns, names, n, &schema) != LETHE_OK) return lethe_no_memory(ctx);
    if (lethe_built_batch(columns, n, n_rows, &rows) != LETHE_OK) {
        schema.release(&schema);
        return lethe_no_memory(ctx);
    }
    if (is_struct) {
        *out_schema = schema;
        *out = rows;
        return LETHE_OK;
    }
    // the one column is moved out of the struct, which is released without it
    *out_schema = *schema.children[0];
    schema.children[0]->release = NULL;
    schema.release(&schema);
    *out = *rows.children[0];
    rows.children[0]->release = NULL;
    rows.release(&rows);
    return LETHE_OK;
}

static lethe_err one_apply(lethe_batch_fn *fn, const lethe_batch_in *in, struct ArrowSchema *schema,
                           struct ArrowArray *out)
{
    bool sets = fn->what == CUT;
    const lethe_str name = in->schema->name ? lethe_str_of(in->schema->name) : LETHE_LIT("");
    lethe_built_column column = {.kind = sets ? LETHE_BUILT_LIST : LETHE_BUILT_TEXT};
    lethe_err e = sets ? lethe_batch_cut_sets(fn->cut, in, &column) : texts_apply(fn, in, &column);
    if (e == LETHE_OK) e = result_make(in->ctx, &column, &name, 1, false, in->n, schema, out);
    lethe_built_free(&column);
    return e;
}

static lethe_err cut_rows_apply(lethe_batch_fn *fn, const lethe_batch_in *in,
                                struct ArrowSchema *schema, struct ArrowArray *out)
{
    size_t n = lethe_cut_columns(fn->cut);
    lethe_built_column *columns = lethe_alloc_zero(n, sizeof *columns);
    lethe_str *names = lethe_new(in->arena, lethe_str, n);
    if (!columns || !names) {
        lethe_free(columns);
        return lethe_no_memory(in->ctx);
    }
    for (size_t i = 0; i < n; i++)
        names[i] = lethe_cut_column(fn->cut, i);
    lethe_err e = lethe_batch_cut_rows(fn->cut, in, columns);
    if (e == LETHE_OK) e = result_make(in->ctx, columns, names, n, true, in->n, schema, out);
    for (size_t i = 0; i < n; i++)
        lethe_built_free(&columns[i]);
    lethe_free(columns);
    return e;
}

static lethe_err seal_apply(lethe_batch_fn *fn, const lethe_batch_in *in,
                            struct ArrowSchema *schema, struct ArrowArray *out)
{
    lethe_built_column *columns = NULL;
    const lethe_str *names;
    size_t n = 0;
    lethe_err e = lethe_batch_seal_rows(fn->seal, in, &columns, &names, &n);
    if (e == LETHE_OK) e = result_make(in->ctx, columns, names, n, true, in->n, schema, out);
    for (size_t i = 0; i < n; i++)
        lethe_built_free(&columns[i]);
    return e;
}

static lethe_err apply(lethe_batch_fn *fn, const lethe_batch_in *in, struct ArrowSchema *schema,
                       struct ArrowArray *out)
{
    bool wants_struct = fn->what == SEAL || (fn->what == CUT && !lethe_cut_is_of_sets(fn->cut));
    if (wants_struct != in->is_struct)
        return lethe_fail(in->ctx, LETHE_EINPUT,
                          wants_struct ? "the function takes rows, a struct of columns"
                                       : "the function takes one column, not a struct");
    if (fn->what == SEAL) return seal_apply(fn, in, schema, out);
    return wants_struct ? cut_rows_apply(fn, in, schema, out) : one_apply(fn, in, schema, out);
}

lethe_err lethe_batch_apply(lethe_batch_fn *fn, const struct ArrowSchema *schema,
                            const struct ArrowArray *in, struct ArrowSchema *out_schema,
                            struct ArrowArray *out)
{
    lethe_batch_in opened;
    lethe_ctx_forget_error(fn->ctx);
    lethe_arena *a = lethe_arena_new();
    if (!a) return lethe_no_memory(fn->ctx);
    lethe_err e = lethe_batch_open(fn->ctx, a, schema, in, &opened);
    if (e == LETHE_OK) e = apply(fn, &opened, out_schema, out);
    lethe_arena_free(a);
    return e;
}
