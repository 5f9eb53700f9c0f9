/* What a value of a health run is compared with, for health.c.
 */
#ifndef LAB_HEALTH_REFERENCE_H
#define LAB_HEALTH_REFERENCE_H

#include "analysis/health.h"
#include "core/format.h"

/* The values of all runs, ordered by run. */
struct lab_health_values {
    const struct lab_health_value *values;
    size_t count;
    double *selected; /* space for `count` numbers */
    bool failed;      /* out of memory */
};

struct lab_health_reference {
    double value;     /* NAN: there is nothing to compare with */
    double usual;     /* a value that is at least this is ok; NAN: none */
    char source[192]; /* "median of 12 earlier runs on NVIDIA H200" */
};

/* The median of the earlier runs on the value's device model. Sets all->failed when out of memory. */
struct lab_health_reference lab_health_find_history(struct lab_health_values *all,
                                                    const struct lab_health_value *value);
/* The median of the other devices of the model, of the same run or else of their latest ones. */
struct lab_health_reference lab_health_find_peers(const struct lab_health_values *all,
                                                  const struct lab_health_value *value);
/* The copy from value->peer to value->device, of the same run. */
struct lab_health_reference lab_health_find_opposite(const struct lab_health_values *all,
                                                     const struct lab_health_value *value);
/* The peak that was measured with the value. */
struct lab_health_reference lab_health_find_peak(const struct lab_health_value *value);

/* Writes a value in the unit of `of`, or a larger one: "27.10 GB/s", "1.410 GHz", "8". Returns `text`. */
const char *lab_health_write_quantity(const struct lab_health_value *of, double value, char text[LAB_FORMAT_SIZE]);

#endif
