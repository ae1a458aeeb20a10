#include "core/mem.h"
#include "io/write/sink.h"
#include "io/syserr.h"
#include "lexicon/odp/odp_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- who the sources are --- */

/* Links are followed here; the digest itself does not. */
static lethe_err digest(lethe_ctx *ctx, const char *path, uint8_t out[32])
{
    char real[PATH_MAX], hex[65];
    uint64_t size;
    if (!realpath(path, real)) return lethe_fail_sys(lethe_ctx_diag(ctx), "open", path, errno);
    LETHE_TRY(lethe_file_digest(ctx, AT_FDCWD, real, hex, &size));
    int bad = sodium_hex2bin(out, 32, hex, 64, NULL, NULL, NULL);
    assert(bad == 0);
    (void)bad;
    return LETHE_OK;
}

static lethe_err sources_of(lethe_ctx *ctx, const char *content, const char *structure,
                            lethe_odp_sources *out)
{
    *out = (lethe_odp_sources){0};
    LETHE_TRY(digest(ctx, content, out->content));
    return structure ? digest(ctx, structure, out->structure) : LETHE_OK;
}

/* --- making it --- */

static lethe_err read_file(lethe_odp_builder *b, lethe_diag *d, const char *path)
{
    lethe_source *s = NULL;
    LETHE_TRY(lethe_source_open(d, path, &s));
    lethe_err e = lethe_odp_builder_read(b, s);
    lethe_source_close(s);
    return e;
}

static lethe_err build(lethe_ctx *ctx, const char *content, const char *structure,
                       lethe_odp_index *out)
{
    lethe_odp_builder *b = NULL;
    lethe_diag *d = lethe_ctx_diag(ctx);
    LETHE_TRY(lethe_odp_builder_new(ctx, &b));
    lethe_err e = read_file(b, d, content);
    if (e == LETHE_OK && structure) e = read_file(b, d, structure);
    if (e == LETHE_OK) e = lethe_odp_builder_end(b, content, out);
    lethe_odp_builder_free(b);
    return e;
}

/* Makes the index that is to be kept: under the digests that the sources had before and after they
 * were read. */
static lethe_err build_from(lethe_ctx *ctx, const char *content, const char *structure,
                            const lethe_odp_sources *before, lethe_odp_index *out)
{
    lethe_odp_sources after;
    LETHE_TRY(build(ctx, content, structure, out));
    lethe_err e = sources_of(ctx, content, structure, &after);
    if (e == LETHE_OK && memcmp(before, &after, sizeof after) != 0)
        e = lethe_fail(ctx, LETHE_EINPUT, "'%s' changed while it was read",
                       memcmp(before->content, after.content, sizeof after.content) != 0
                           ? content
                           : structure);
    if (e != LETHE_OK) lethe_odp_index_free(out);
    return e;
}

/* The file is opened first: that it cannot be written is to be known before hours of work. */
static lethe_err build_and_save(lethe_ctx *ctx, const char *content, const char *structure,
                                const char *cache, const lethe_odp_sources *of,
                                lethe_odp_index *out)
{
    lethe_sink *sink = NULL;
    LETHE_TRY(lethe_sink_open(lethe_ctx_diag(ctx), cache, LETHE_SINK_REPLACE, 0666, &sink));
    lethe_err e = build_from(ctx, content, structure, of, out);
    if (e != LETHE_OK) {
        lethe_sink_abort(sink);
        return e;
    }
    e = lethe_odp_save(sink, of, out);
    if (e != LETHE_OK) lethe_odp_index_free(out);
    return e;
}

static lethe_err open_cached(lethe_ctx *ctx, const char *content, const char *structure,
                             const char *cache, lethe_odp_index *out)
{
    lethe_odp_sources of;
    lethe_odp_state state = LETHE_ODP_ABSENT;
    LETHE_TRY(sources_of(ctx, content, structure, &of));
    LETHE_TRY(lethe_odp_load(ctx, cache, &of, &state, out));
    if (state == LETHE_ODP_FOUND) return LETHE_OK;
    if (state == LETHE_ODP_OTHER)
        lethe_note(ctx, "'%s' is of other files or another version: made anew", cache);
    return build_and_save(ctx, content, structure, cache, &of, out);
}

/* Every page would count twice.  What cannot be looked at is left to who opens it. */
static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0) return true;
    if (stat(a, &x) != 0 || stat(b, &y) != 0) return false;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

lethe_err lethe_odp_open(lethe_ctx *ctx, const char *content, const char *structure,
                         const char *cache, lethe_directory **out)
{
    lethe_odp_index x;
    if (structure && same_file(content, structure))
        return lethe_fail(ctx, LETHE_EUSAGE,
                          "'%s' and '%s' are one file: content and structure are two", content,
                          structure);
    LETHE_TRY(cache ? open_cached(ctx, content, structure, cache, &x)
                    : build(ctx, content, structure, &x));
    if (lethe_odp_directory(&x, out) != LETHE_OK) return lethe_no_memory(ctx);
    return LETHE_OK;
}

/* --- from memory --- */

static lethe_err read_memory(lethe_odp_builder *b, lethe_diag *d, lethe_str bytes)
{
    lethe_source *s = NULL;
    LETHE_TRY(lethe_source_memory(d, bytes, &s));
    lethe_err e = lethe_odp_builder_read(b, s);
    lethe_source_close(s);
    return e;
}

lethe_err lethe_odp_memory(lethe_ctx *ctx, lethe_str content, lethe_str structure,
                           lethe_directory **out)
{
    lethe_odp_builder *b = NULL;
    lethe_odp_index x;
    lethe_diag *d = lethe_ctx_diag(ctx);
    LETHE_TRY(lethe_odp_builder_new(ctx, &b));
    lethe_err e = read_memory(b, d, content);
    if (e == LETHE_OK && structure.n > 0) e = read_memory(b, d, structure);
    if (e == LETHE_OK) e = lethe_odp_builder_end(b, "memory", &x);
    lethe_odp_builder_free(b);
    if (e != LETHE_OK) return e;
    return lethe_odp_directory(&x, out) == LETHE_OK ? LETHE_OK : lethe_no_memory(d);
}
