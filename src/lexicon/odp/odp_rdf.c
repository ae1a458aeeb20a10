/* The elements of content.rdf.u8 and structure.rdf.u8, by expat:
 *
 *   <RDF ...>
 *     <Topic r:id="Top/Arts"> <d:Title>..</d:Title> <d:Description>..</d:Description> .. </Topic>
 *     <ExternalPage about="http://.."> <d:Title>.. <d:Description>.. <topic>Top/Arts</topic> ..
 *
 * What else stands there (links, narrower and related categories, other languages, aliases) says
 * nothing of words. */
#include "core/mem.h"
#include "lexicon/odp/odp_internal.h"
#include <expat.h>
#include <inttypes.h>

enum { CHUNK_BYTES = 128 << 10 };

typedef enum field { NO_FIELD, TITLE, DESCRIPTION, TOPIC, N_FIELDS } field;

typedef struct reader {
    lethe_ctx *ctx;
    XML_Parser xml;
    const char *name;
    lethe_rdf_fn fn;
    void *arg;
    lethe_err err; /* of a handler; the parser is stopped */
    unsigned depth;
    bool in_entry, is_page;
    field field;
    unsigned field_depth;
    lethe_buf text[N_FIELDS];
    lethe_buf category; /* the path of the last one */
    lethe_buf raw, good;
    lethe_rdf_place place;
    uint64_t repaired;
    uint64_t fed; /* bytes that expat was given */
} reader;

static lethe_err stop(reader *r, lethe_err e)
{
    if (r->err == LETHE_OK) r->err = e;
    XML_StopParser(r->xml, XML_FALSE);
    return e;
}

static void fault(reader *r, const char *cause)
{
    if (r->err != LETHE_OK) return;
    (void)stop(r, lethe_fail_at(r->ctx, LETHE_EINPUT, r->name, XML_GetCurrentLineNumber(r->xml), 0,
                                "%s", cause));
}

static void take(reader *r, lethe_buf *to, const char *p, size_t n)
{
    if (to->n + n > LETHE_RDF_TEXT_MAX)
        fault(r, "a text longer than 1 MiB");
    else if (lethe_buf_put(to, p, n) != LETHE_OK)
        (void)stop(r, lethe_no_memory(r->ctx));
}

static lethe_str text_of(const lethe_buf *b)
{
    return b->n ? (lethe_str){(const char *)b->at, b->n} : (lethe_str){"", 0};
}

static bool is_blank(const lethe_buf *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i] > ' ') return false;
    return true;
}

/* --- handlers --- */

static void entry_begins(reader *r, bool page, const XML_Char **attributes)
{
    r->in_entry = true;
    r->is_page = page;
    for (field f = TITLE; f < N_FIELDS; f++)
        r->text[f].n = 0;
    if (page) return;
    r->category.n = 0;
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], "r:id") == 0)
            take(r, &r->category, attributes[1], strlen(attributes[1]));
}

static void field_begins(reader *r, const char *name)
{
    field f = NO_FIELD;
    if (strcmp(name, "d:Title") == 0) f = TITLE;
    if (strcmp(name, "d:Description") == 0) f = DESCRIPTION;
    if (r->is_page && strcmp(name, "topic") == 0) f = TOPIC;
    if (f == NO_FIELD || (f == TOPIC && !is_blank(&r->text[f]))) return; // it stands in one place
    r->field = f;
    r->field_depth = r->depth;
    if (r->text[f].n > 0) take(r, &r->text[f], " ", 1); // there was one before
}

static void XMLCALL on_start(void *arg, const XML_Char *name, const XML_Char **attributes)
{
    reader *r = arg;
    if (r->err != LETHE_OK) return;
    if (++r->depth > LETHE_RDF_DEPTH_MAX) {
        fault(r, "elements too deep in one another");
    } else if (r->depth == 1) {
        if (strcmp(name, "RDF") != 0 && strcmp(name, "r:RDF") != 0)
            fault(r, "not a file of the Open Directory: it does not begin with RDF");
    } else if (r->depth == 2) {
        bool page = strcmp(name, "ExternalPage") == 0;
        if (page || strcmp(name, "Topic") == 0) entry_begins(r, page, attributes);
    } else if (r->depth == 3 && r->in_entry) {
        field_begins(r, name);
    } else if (r->field != NO_FIELD) {
        take(r, &r->text[r->field], " ", 1); // tags part words
    }
}

static void XMLCALL on_text(void *arg, const XML_Char *p, int n)
{
    reader *r = arg;
    if (r->err == LETHE_OK && r->field != NO_FIELD) take(r, &r->text[r->field], p, (size_t)n);
}

static void entry_ends(reader *r)
{
    const char *cause = NULL;
    lethe_buf *path = r->is_page && !is_blank(&r->text[TOPIC]) ? &r->text[TOPIC] : &r->category;
    for (size_t i = 0; i < path->n; i++) // as XML does with attributes, but not with elements
        if (path->at[i] < ' ') path->at[i] = ' ';
    lethe_rdf_entry entry = {text_of(path), text_of(&r->text[TITLE]),
                             text_of(&r->text[DESCRIPTION]), r->is_page};
    r->in_entry = false;
    lethe_err e = r->fn(r->arg, &entry, &cause);
    if (cause)
        fault(r, cause);
    else if (e != LETHE_OK)
        (void)stop(r, e);
}

static void XMLCALL on_end(void *arg, const XML_Char *name)
{
    reader *r = arg;
    (void)name;
    if (r->err != LETHE_OK) return;
    if (r->field != NO_FIELD && r->depth == r->field_depth)
        r->field = NO_FIELD;
    else if (r->field != NO_FIELD)
        take(r, &r->text[r->field], " ", 1);
    if (r->depth == 2 && r->in_entry) entry_ends(r);
    r->depth--;
}

/* Comes before any entity could be declared. */
static void XMLCALL on_doctype(void *arg, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int subset)
{
    (void)name, (void)system, (void)public, (void)subset;
    fault(arg, "a document type declaration, which no file of the Open Directory has");
}

/* --- the parser's memory, and its bytes --- */

static void *xml_alloc(size_t n) { return lethe_alloc(n, 1); }
static void *xml_realloc(void *p, size_t n) { return lethe_realloc(p, n, 1); }

static lethe_err begin(reader *r)
{
    static const XML_Memory_Handling_Suite memory = {xml_alloc, xml_realloc, lethe_free};
    r->xml = XML_ParserCreate_MM("UTF-8", &memory, NULL);
    if (!r->xml || lethe_buf_reserve(&r->raw, CHUNK_BYTES + LETHE_RDF_AHEAD) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    XML_SetUserData(r->xml, r);
    XML_SetElementHandler(r->xml, on_start, on_end);
    XML_SetCharacterDataHandler(r->xml, on_text);
    XML_SetStartDoctypeDeclHandler(r->xml, on_doctype);
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 206
    // It would let tags wait until twice their bytes have come; ours are bounded (tag_too_long).
    XML_SetReparseDeferralEnabled(r->xml, XML_FALSE);
#endif
    return LETHE_OK;
}

static void end(reader *r)
{
    XML_ParserFree(r->xml);
    for (field f = TITLE; f < N_FIELDS; f++)
        lethe_buf_free(&r->text[f]);
    lethe_buf_free(&r->category);
    lethe_buf_free(&r->raw);
    lethe_buf_free(&r->good);
}

static lethe_err refused(reader *r)
{
    lethe_diag *d = lethe_ctx_diag(r->ctx);
    enum XML_Error code = XML_GetErrorCode(r->xml);
    if (r->err != LETHE_OK) return r->err;
    if (code == XML_ERROR_NO_MEMORY) return lethe_no_memory(d);
    return lethe_fail_at(d, LETHE_EINPUT, r->name, XML_GetCurrentLineNumber(r->xml), 0,
                         "not well-formed: %s",
                         code == XML_ERROR_INVALID_TOKEN ? "invalid token" : XML_ErrorString(code));
}

/* Expat holds what it has seen of a tag until it is whole, and looks at all of it again whenever
 * more comes: so a tag may not be of any length. */
static bool tag_too_long(const reader *r)
{
    XML_Index at = XML_GetCurrentByteIndex(r->xml);
    return at >= 0 && r->fed - (uint64_t)at > LETHE_RDF_TEXT_MAX;
}

/* What is in `raw`; the bytes that could not be judged yet stay. */
static lethe_err feed(reader *r, bool last)
{
    size_t used = 0;
    lethe_str raw = text_of(&r->raw);
    r->good.n = 0;
    if (lethe_rdf_repair(&r->place, raw, last, &r->good, &used, &r->repaired) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    if (used > 0) memmove(r->raw.at, r->raw.at + used, r->raw.n - used);
    r->raw.n -= used;
    lethe_str good = text_of(&r->good);
    r->fed += good.n;
    if (XML_Parse(r->xml, good.at, (int)good.n, last) != XML_STATUS_OK) return refused(r);
    if (last || !tag_too_long(r)) return LETHE_OK;
    fault(r, "a tag longer than 1 MiB");
    return r->err;
}

static lethe_err read_all(reader *r, lethe_source *s)
{
    uint64_t taken = 0;
    for (;;) {
        size_t n;
        if (lethe_ctx_cancelled(r->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(lethe_source_read(s, r->raw.at + r->raw.n, CHUNK_BYTES, &n));
        r->raw.n += n;
        LETHE_TRY(feed(r, n == 0));
        lethe_ctx_advance(r->ctx, lethe_source_taken(s) - taken);
        taken = lethe_source_taken(s);
        if (n == 0) return LETHE_OK;
    }
}

lethe_err lethe_rdf_read(lethe_ctx *ctx, lethe_source *s, lethe_rdf_fn fn, void *arg)
{
    reader r = {.ctx = ctx, .name = lethe_source_name(s), .fn = fn, .arg = arg};
    lethe_err e = begin(&r);
    lethe_source_watch(s, ctx);
    if (e == LETHE_OK) e = read_all(&r, s);
    if (e == LETHE_OK && r.repaired > 0)
        lethe_note(ctx, "'%s': %" PRIu64 " bad character%s repaired", r.name, r.repaired,
                   r.repaired == 1 ? " was" : "s were");
    end(&r);
    return e;
}
