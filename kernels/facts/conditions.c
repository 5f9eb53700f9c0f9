/* Initialises and merges conditions. */
#include "facts/conditions.h"

#include <math.h>
#include <string.h>

/* What is done with each number of *conditions; fmin and fmax ignore an unknown one (NAN). */
#define CLEAR(x, form, name, ...) conditions->name = (double)NAN;
#define MERGE(x, form, name, ...) conditions->name = MERGE_##form(conditions->name, other->name);
#define MERGE_LOWEST fmin
#define MERGE_HIGHEST fmax

void lab_conditions_clear(struct lab_conditions *conditions)
{
    LAB_CONDITIONS_NUMBERS(CLEAR, )
    conditions->throttle_count = 0;
}

static void add_throttle(struct lab_conditions *to, const char *reason)
{
    for (size_t i = 0; i < to->throttle_count; i++)
        if (strcmp(to->throttle[i], reason) == 0)
            return;
    if (to->throttle_count < LAB_THROTTLE_MAX)
        to->throttle[to->throttle_count++] = reason;
}

void lab_conditions_merge(struct lab_conditions *conditions, const struct lab_conditions *other)
{
    LAB_CONDITIONS_NUMBERS(MERGE, )
    for (size_t i = 0; i < other->throttle_count; i++)
        add_throttle(conditions, other->throttle[i]);
}
