/* What two sides have both measured: two runs, or the two sides of a run that compares (compare_with). */
#ifndef LAB_MATCHES_H
#define LAB_MATCHES_H

#include "store.h"

#include "descriptor/metric.h"
#include "descriptor/pairing.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A measurement of one side. */
struct lab_matched_side {
    int64_t position;
    size_t sample_count; /* stored now */
    bool lacks_samples;  /* it was sampled, and none are stored: they were removed, or left out of an export */
    double median;       /* NAN: none */
    bool wrong;          /* the results were wrong */
    bool has_rounds;     /* of a comparison within a run: it was measured in rounds, perhaps without a whole block */
    bool has_one_place;  /* its rounds are those of an older version, without blocks */
    double *blocks;      /* means of the logarithms of each block's rounds; NULL: none */
    size_t block_count;
};

struct lab_match {
    int64_t point; /* of runs; 0 within a run */
    /* {axes, metric, unit, base, head, counters}; base and head are {median, q1, q3, n, verified, cautions} */
    json_t *document;
    enum lab_better better;
    bool decides; /* the verdict about this combination of axes is that of this metric, which can be judged */
    struct lab_matched_side sides[LAB_SIDES];
};

struct lab_matches {
    struct lab_match *items; /* both sides have measured these */
    size_t count, capacity;
    json_t *only[LAB_SIDES];      /* axes that only one side has, as members of an object: their text */
    json_t *throttled[LAB_SIDES]; /* cautions of throttling, as members of an object: how many measurements */
    json_t *deciding;             /* while matches are added: the match that decides, by the text of its axes */
    const struct lab_experiment *experiment; /* NULL: not in this build */
    bool of_one_run;                         /* of its sides */
    bool failed;                             /* out of memory */
};

/* Reads what two runs of an experiment have both measured. The matches are to be freed, also after a failure. */
enum lab_store_result lab_matches_of_runs(struct lab_matches *matches, struct lab_store *store, const char *experiment,
                                          const char *base, const char *head);
/* Reads what both sides of a run have measured. */
enum lab_store_result lab_matches_of_sides(struct lab_matches *matches, struct lab_store *store, const char *experiment,
                                           const char *run);
void lab_matches_release(struct lab_matches *matches);

#endif
