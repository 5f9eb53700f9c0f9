/* The conditions of a device at one moment: clock, temperature, power, throttling. */
#ifndef LAB_CONDITIONS_H
#define LAB_CONDITIONS_H

#include "core/throttle_reasons.h"

#include <stddef.h>

/* The conditions while a point was measured: before or after its samples, and of all its devices, the lowest clock, the
 * highest temperature and power, and all throttle reasons. Unknown numbers are NAN. */
struct lab_conditions {
    double sm_clock_hz;
    double temperature_c;
    double power_w;
    size_t throttle_count;
    const char *throttle[LAB_THROTTLE_MAX]; /* names of core/throttle_reasons.h */
};

/* Sets every number to unknown and removes all throttle reasons. */
void lab_conditions_clear(struct lab_conditions *conditions);

/* Merges other conditions into *conditions: the lower clock, the higher temperature and power, and the throttle reasons of
 * both. A number that only one of them knows is kept. */
void lab_conditions_merge(struct lab_conditions *conditions, const struct lab_conditions *other);

#endif
