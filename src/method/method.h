/* method.h - what a method gets and gives.  DESIGN: "One pipeline". */
#ifndef LETHE_METHOD_METHOD_H
#define LETHE_METHOD_METHOD_H
#include "core/rng.h"
#include "model/data.h"

/* What a method gets besides its data. */
struct lethe_run {
    lethe_ctx *ctx;
    const lethe_values *values; /* of the method's own options */
    const lethe_secret *random; /* streams: lethe_rng_stream(run->random, "purpose", index) */
    const lethe_secret *key;  /* --key-file, or one drawn for this run: pseudonyms, hashes, seals */
    lethe_time_unit times;    /* how finely times will be published: what is counted in the release
                                 must be counted so here */
    const lethe_json *claims; /* of the steps before this one; NULL: there are none */
    uint64_t memory_bytes;    /* this step's share of the budget */
};

/* What a method gives back.  Rows and drops may come from several workers, each with its own w;
 * figures from one thread, when all rows are out. */
struct lethe_result {
    void *pipeline; /* src/release's own */
    lethe_err (*emit)(lethe_result *out, unsigned w, const lethe_row *row);
    void (*drop)(lethe_result *out, unsigned w, const char *reason, uint64_t n_rows);
    lethe_json_doc *doc;
    lethe_json *metrics; /* an object: set the descriptor's figures here */
    lethe_json *caveats; /* an array: push texts here, beside the descriptor's own */
};

extern const lethe_method lethe_method_scrub;
extern const lethe_method lethe_method_split;
extern const lethe_method lethe_method_threshold;

#endif
