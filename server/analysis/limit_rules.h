/* The rules of limit.c, of which some are in other files. */
#ifndef LAB_LIMIT_RULES_H
#define LAB_LIMIT_RULES_H

#include "analysis/point_facts.h"

/* A unit that is busy for this share of the time is what limits; one below the second share does not. */
#define LAB_UNIT_BUSY 0.8
#define LAB_UNIT_IDLE 0.6

/* What a rule finds. `what` may be NULL, `share` NAN; `text` is a new reference, NULL where the rule does not apply. */
struct lab_limit {
    const char *basis, *what;
    double share;
    json_t *text;
};
typedef struct lab_limit lab_limit_rule(const struct lab_point_facts *point);

/* The busiest unit by hardware counters; latency where none is busy (limit_counters.c). */
lab_limit_rule lab_limit_by_counters;

/* A peak that is nearly reached (limit_peaks.c). */
lab_limit_rule lab_limit_by_peak;
/* ", of whose peak it reaches 9.8 %" of the nearest peak; "" where none is known. Returns its share; NAN. */
double lab_limit_say_peak(const struct lab_point_facts *point, char *text, size_t size);
/* Whether the arrays may be in the last-level cache, as far as the axis `bytes` says it. */
bool lab_limit_fits_cache(const struct lab_point_facts *point);

#endif
