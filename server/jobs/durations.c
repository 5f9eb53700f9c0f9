/* Durations of runs compared with their plans. */
#include "durations.h"

#include "core/order.h"

#include <stdlib.h>
#include <string.h>

struct lab_duration_history {
    const struct lab_experiment *experiment;
    double ratios[LAB_DURATIONS_KEPT]; /* actual / planned; a ring */
    size_t added;                      /* runs so far */
    double median;
};

static struct lab_duration_history *find(const struct lab_durations *durations, const struct lab_experiment *experiment)
{
    for (size_t i = 0; i < durations->count; i++)
        if (durations->histories[i].experiment == experiment)
            return &durations->histories[i];
    return NULL;
}

static struct lab_duration_history *create(struct lab_durations *durations, const struct lab_experiment *experiment)
{
    struct lab_duration_history *histories = realloc(durations->histories, (durations->count + 1) * sizeof *histories);
    if (histories == NULL)
        return NULL;
    durations->histories = histories;
    histories[durations->count] = (struct lab_duration_history){.experiment = experiment};
    return &histories[durations->count++];
}

static double median_of(const struct lab_duration_history *history)
{
    double ratios[LAB_DURATIONS_KEPT];
    size_t count = history->added < LAB_DURATIONS_KEPT ? history->added : LAB_DURATIONS_KEPT;
    memcpy(ratios, history->ratios, count * sizeof *ratios);
    return lab_median(ratios, count);
}

void lab_durations_add(struct lab_durations *durations, const struct lab_experiment *experiment, double planned_s,
                       double actual_s)
{
    if (!(planned_s > 0) || !(actual_s > 0) || experiment == NULL)
        return;
    struct lab_duration_history *history = find(durations, experiment);
    if (history == NULL)
        history = create(durations, experiment);
    if (history == NULL)
        return;
    history->ratios[history->added++ % LAB_DURATIONS_KEPT] = actual_s / planned_s;
    history->median = median_of(history);
}

double lab_durations_expect(const struct lab_durations *durations, const struct lab_experiment *experiment,
                            double planned_s)
{
    const struct lab_duration_history *history = find(durations, experiment);
    return history != NULL ? planned_s * history->median : planned_s;
}

void lab_durations_release(struct lab_durations *durations)
{
    free(durations->histories);
    *durations = (struct lab_durations){0};
}
