/* Keeps the median times of measured points. */
#include "benchmark/medians.h"

#include <stdlib.h>

static bool grow(struct lab_medians *medians)
{
    size_t capacity = medians->capacity > 0 ? 2 * medians->capacity : 16;
    struct lab_median *items = realloc(medians->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    medians->items = items;
    medians->capacity = capacity;
    return true;
}

bool lab_medians_add(struct lab_medians *medians, const struct lab_report *report, double count, double error)
{
    struct lab_summary summary;
    if ((medians->count == medians->capacity && !grow(medians)) ||
        !lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&report->run->error, "out-of-memory", "", "out of memory for the medians of points");
    medians->items[medians->count++] =
        (struct lab_median){*report->point, summary.median, count / summary.median, error};
    return true;
}

void lab_medians_release(struct lab_medians *medians)
{
    free(medians->items);
    *medians = (struct lab_medians){0};
}
