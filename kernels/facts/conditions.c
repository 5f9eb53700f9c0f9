/* Initialises conditions to unknown. */
#include "facts/conditions.h"

#include <math.h>

void lab_conditions_clear(struct lab_conditions *conditions)
{
    *conditions = (struct lab_conditions){.sm_clock_hz = NAN, .temperature_c = NAN, .power_w = NAN};
}
