/* Initialises and merges conditions. */
#include "facts/conditions.h"

#include <math.h>
#include <string.h>

void lab_conditions_clear(struct lab_conditions *conditions)
{
    *conditions = (struct lab_conditions){.sm_clock_hz = NAN, .temperature_c = NAN, .power_w = NAN};
}

static void add_throttle(struct lab_conditions *to, const char *reason)
{
    for (size_t i = 0; i < to->throttle_count; i++)
        if (strcmp(to->throttle[i], reason) == 0)
            return;
    if (to->throttle_count < LAB_THROTTLE_MAX)
        to->throttle[to->throttle_count++] = reason;
}

/* fmin and fmax ignore an unknown number (NAN). */
void lab_conditions_merge(struct lab_conditions *conditions, const struct lab_conditions *other)
{
    conditions->sm_clock_hz = fmin(conditions->sm_clock_hz, other->sm_clock_hz);
    conditions->temperature_c = fmax(conditions->temperature_c, other->temperature_c);
    conditions->power_w = fmax(conditions->power_w, other->power_w);
    for (size_t i = 0; i < other->throttle_count; i++)
        add_throttle(conditions, other->throttle[i]);
}
