/* Runs and measurements since the start, and the workers that made them. */
#include "sources.h"

static double load(const atomic_uint_least64_t *counter)
{
    return (double)atomic_load_explicit(counter, memory_order_relaxed);
}

static bool has_finished(const struct lab_run_counters *runs)
{
    bool finished = false;
    for (size_t status = 0; status < LAB_STATUS_COUNT; status++)
        finished = finished || load(&runs->finished[status]) > 0;
    return finished;
}

static void write_runs(FILE *out, const struct lab_jobs_counters *counters)
{
    static const struct lab_family finished = {"gpulab_runs_total", LAB_COUNTER,
                                               "Runs that ended, by experiment and final status."};
    static const struct lab_family duration = {
        "gpulab_run_duration_seconds", LAB_HISTOGRAM,
        "Time from the start of a run to its end, for experiments of which a run ended."};
    lab_family_begin(out, &finished);
    for (size_t i = 0; i < counters->run_count; i++)
        for (enum lab_status status = 0; status < LAB_STATUS_COUNT; status++)
            if (!lab_status_live(status))
                lab_family_sample(
                    out, &finished,
                    LAB_LABELS({"experiment", counters->runs[i].experiment}, {"status", lab_status_name(status)}),
                    load(&counters->runs[i].finished[status]));
    lab_family_begin(out, &duration);
    for (size_t i = 0; i < counters->run_count; i++)
        if (has_finished(&counters->runs[i]))
            lab_family_histogram(out, &duration, LAB_LABELS({"experiment", counters->runs[i].experiment}),
                                 &counters->runs[i].duration);
}

static void write_measurements(FILE *out, const struct lab_jobs_counters *counters)
{
    static const struct lab_family family = {"gpulab_measurements_total", LAB_COUNTER,
                                             "Measurements, by the check of their results."};
    static const char *const checks[LAB_CHECKS] = {
        [LAB_CHECK_PASSED] = "passed", [LAB_CHECK_WRONG] = "wrong", [LAB_CHECK_NONE] = "none"};
    lab_family_begin(out, &family);
    for (size_t i = 0; i < LAB_CHECKS; i++)
        lab_family_sample(out, &family, LAB_LABELS({"check", checks[i]}), load(&counters->measurements[i]));
}

static void write_workers(FILE *out, const struct lab_worker_counters *workers)
{
    static const struct lab_family deaths = {"gpulab_worker_deaths_total", LAB_COUNTER,
                                             "Worker processes that ended unasked, by their signal or exit."};
    const struct lab_family_value values[] = {
        {{"gpulab_worker_starts_total", LAB_COUNTER, "Worker processes that were started."}, load(&workers->starts)},
        {{"gpulab_worker_failed_starts_total", LAB_COUNTER,
          "Worker processes that could not be started or did not describe their devices."},
         load(&workers->failed_starts)},
        {{"gpulab_worker_kills_total", LAB_COUNTER, "Worker processes that had to be killed to end a run."},
         load(&workers->kills)},
    };
    lab_family_values(out, values, sizeof values / sizeof values[0]);
    lab_family_begin(out, &deaths);
    for (enum lab_death death = 0; death < LAB_DEATHS; death++)
        lab_family_sample(out, &deaths, LAB_LABELS({"cause", lab_death_name(death)}), load(&workers->deaths[death]));
}

void lab_metrics_runs(FILE *out, const struct lab_api *api)
{
    const struct lab_jobs_counters *counters = lab_jobs_counters(api->jobs);
    write_runs(out, counters);
    write_measurements(out, counters);
    write_workers(out, &counters->workers);
}
