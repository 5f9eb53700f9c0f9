/* Takes the samples of a series. */
#include "benchmark/series.h"

#include "measure/clock.h"

#include <math.h>

static const double series_s = 0.25;

bool lab_series_take(struct lab_run *run, struct lab_measurer *measurer, bool (*take)(void *context, size_t index),
                     void *context, struct lab_series *series)
{
    double end_s = lab_now_s() + series_s;
    *series = (struct lab_series){.stop_reason = "sample-limit", .skipped = lab_measurer_used_up(measurer)};
    if (series->skipped != NULL)
        return true;
    for (; series->count < LAB_SERIES_MAX; series->count++) {
        if (lab_run_cancelled(run))
            return lab_error_set(&run->error, LAB_ERROR_CANCELLED, "", "the run was cancelled");
        if (series->count >= LAB_SERIES_MIN && lab_now_s() >= end_s) {
            series->stop_reason = "budget";
            return true;
        }
        if (!take(context, series->count))
            return false;
    }
    return true;
}

double lab_series_seconds(double sample_s)
{
    return fmin(fmax(series_s, LAB_SERIES_MIN * sample_s), LAB_SERIES_MAX * sample_s);
}
