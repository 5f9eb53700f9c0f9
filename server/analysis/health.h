/* The verdict about a machine's devices, from the measurements of a run of the experiment health. Each value is held
 * against the rules of one table: fixed limits, shares of a theoretical peak, of the lab's history of the device model,
 * of the other devices, and of the opposite direction.
 */
#ifndef LAB_HEALTH_H
#define LAB_HEALTH_H

#include "analysis/rank.h"

#include <stdbool.h>
#include <stddef.h>

enum lab_health_level { LAB_HEALTH_SKIPPED, LAB_HEALTH_OK, LAB_HEALTH_WARNING, LAB_HEALTH_FAILURE };

/* What a value is compared with. */
enum lab_health_basis {
    LAB_HEALTH_RESULT, /* the expected result of the check */
    LAB_HEALTH_LIMIT,  /* a fixed number */
    LAB_HEALTH_PEAK,   /* the peak of the measurement */
    /* the median of at least LAB_HEALTH_RUNS_MIN earlier runs on the device model; what is as usual (rank.h) is ok */
    LAB_HEALTH_HISTORY,
    LAB_HEALTH_PEERS,    /* the median of the other devices of the model: of this run, else of their latest runs */
    LAB_HEALTH_OPPOSITE, /* the copy in the other direction */
};

enum { LAB_HEALTH_RUNS_MIN = LAB_RANK_RUNS_MIN, LAB_HEALTH_REASONS_MAX = 8, LAB_HEALTH_TEXT_MAX = 576 };

/* By these enums; they end with NULL. */
extern const char *const lab_health_level_names[], *const lab_health_basis_names[];

/* A measurement of the run that is judged, or of an earlier one. Texts are borrowed. */
struct lab_health_value {
    size_t run; /* 0: the run that is judged; 1, 2, …: earlier ones, the latest first */
    const char *device, *model;
    const char *check, *peer; /* peer: the other device; NULL: none */
    const char *metric, *unit;
    double value;
    double peak;           /* NAN: none */
    const char *peak_name; /* NULL: none */
    int verified;          /* the result was checked: 1 right, 0 wrong; -1: it was not checked */
    bool contended;        /* another process has begun to use a device of the run meanwhile */
    const char *skipped;   /* why it was not measured; NULL: it was */
    size_t throttle_count;
    const char *throttle[LAB_HEALTH_REASONS_MAX]; /* reasons why the clock was lowered meanwhile */
};

struct lab_health_finding {
    enum lab_health_level level;
    enum lab_health_basis basis;
    const struct lab_health_value *value;
    double expected; /* what the value is compared with; NAN: nothing */
    /* A value beyond it is a warning, or a failure: above it with LAB_HEALTH_LIMIT, else below it. NAN: none. */
    double limit;
    char text[LAB_HEALTH_TEXT_MAX]; /* one line: device, check, value, what it should be, and where that is from */
    size_t statement;               /* where in `text` begins what follows device and check; 0: they are not there */
};

/* Calls `report` with each finding about the values of run 0, in their order. The values are ordered by run. A finding
 * is valid during the call. Returns false, after some calls or none, when out of memory. */
bool lab_health_judge(const struct lab_health_value *values, size_t count,
                      void (*report)(void *context, const struct lab_health_finding *finding), void *context);

#endif
