/* The conditions of a device at one moment: clock, temperature, power, throttling. */
#ifndef LAB_CONDITIONS_H
#define LAB_CONDITIONS_H

#include "core/result_members.h"
#include "core/throttle_reasons.h"

#include <stddef.h>

/* The conditions while a point was measured: before or after its samples, and of all its devices, the lowest or highest
 * value of each number (core/result_members.h), and all throttle reasons. Unknown numbers are NAN. */
struct lab_conditions {
    LAB_CONDITIONS_NUMBERS(LAB_STORED_FIELD, )
    size_t throttle_count;
    const char *throttle[LAB_THROTTLE_MAX]; /* names of core/throttle_reasons.h */
};

/* Sets every number to unknown and removes all throttle reasons. */
void lab_conditions_clear(struct lab_conditions *conditions);

/* Merges other conditions into *conditions: the lower or higher of each number, and the throttle reasons of both. A
 * number that only one of them knows is kept. */
void lab_conditions_merge(struct lab_conditions *conditions, const struct lab_conditions *other);

#endif
