/* The direction and the sign of metrics: a table of names, then one of units. */
#include "descriptor/metric.h"

#include <stddef.h>
#include <string.h>

struct direction {
    const char *text;
    enum lab_better better;
};

/* Metrics whose unit does not say it. */
static const struct direction names[] = {
    {"at_once", LAB_BETTER_HIGHER},
    {"speedup", LAB_BETTER_HIGHER},
    {"efficiency", LAB_BETTER_HIGHER},
    {"share_of_peak", LAB_BETTER_HIGHER},
    {"share_of_roof", LAB_BETTER_HIGHER},
    {"share_of_reference", LAB_BETTER_HIGHER},
    {"share_of_all_to_all", LAB_BETTER_HIGHER},
    {"imbalance", LAB_BETTER_LOWER},
    {"max_error", LAB_BETTER_LOWER},
    {"relative_error", LAB_BETTER_LOWER},
    {"bound", LAB_BETTER_NONE}, /* computed, not measured */
    {0},
};

static const struct direction units[] = {
    {"s", LAB_BETTER_LOWER},
    {"cycles", LAB_BETTER_LOWER},
    {"ulp", LAB_BETTER_LOWER},
    {"J", LAB_BETTER_LOWER},
    {"J/TFLOP", LAB_BETTER_LOWER},
    {"GB/s", LAB_BETTER_HIGHER},
    {"GFLOP/s", LAB_BETTER_HIGHER},
    {"Gop/s", LAB_BETTER_HIGHER},
    {"G/s", LAB_BETTER_HIGHER},
    {"B", LAB_BETTER_NONE},
    {"Hz", LAB_BETTER_NONE},
    {"FLOP/B", LAB_BETTER_NONE},
    {0},
};

static const struct direction *find(const struct direction *table, const char *text)
{
    while (table->text != NULL && strcmp(table->text, text) != 0)
        table++;
    return table;
}

enum lab_better lab_metric_better(const char *name, const char *unit)
{
    static const char predicted[] = "predicted_";
    if (strncmp(name, predicted, sizeof predicted - 1) == 0)
        return LAB_BETTER_NONE;
    const struct direction *found = find(names, name);
    return found->text != NULL ? found->better : find(units, unit)->better;
}

const char *lab_better_name(enum lab_better better)
{
    return better == LAB_BETTER_HIGHER ? "higher" : better == LAB_BETTER_LOWER ? "lower" : NULL;
}

bool lab_metric_can_be_negative(const char *name, const char *unit)
{
    return find(names, name)->text == NULL && find(units, unit)->text == NULL;
}
