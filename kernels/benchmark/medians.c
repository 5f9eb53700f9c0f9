/* Keeps the median times of measured points. */
#include "benchmark/medians.h"

#include "descriptor/parameters.h"
#include "descriptor/points.h"

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
        return lab_error_set(&report->run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                             "out of memory for the medians of points");
    medians->items[medians->count++] =
        (struct lab_median){*report->point, summary.median, count / summary.median, error};
    return true;
}

bool lab_medians_summarise(const struct lab_medians *medians, struct lab_run *run,
                           bool (*summarise)(struct lab_run *run, const struct lab_medians *medians))
{
    static const int64_t loads[] = {LAB_NO_VALUE, LAB_SUSTAINED, LAB_BURST};
    struct lab_medians part = {.items = calloc(medians->count + 1, sizeof *part.items)};
    if (part.items == NULL)
        return lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the medians of points");
    bool good = true;
    for (size_t i = 0; good && i < sizeof loads / sizeof *loads; i++) {
        part.count = 0;
        for (size_t k = 0; k < medians->count; k++)
            if (lab_point_load(run->experiment, &medians->items[k].point) == loads[i])
                part.items[part.count++] = medians->items[k];
        good = part.count == 0 || summarise(run, &part);
    }
    free(part.items);
    return good;
}

void lab_medians_release(struct lab_medians *medians)
{
    free(medians->items);
    *medians = (struct lab_medians){0};
}
