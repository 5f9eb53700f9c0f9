/* For tests of kernels/benchmark: runs an experiment on the host runtime and keeps what it reports.
 */
#ifndef LAB_BENCHMARK_HARNESS_H
#define LAB_BENCHMARK_HARNESS_H

#include "benchmark/benchmark.h"
#include "benchmark/loop.h"
#include "benchmark/own_kernels.h"
#include "descriptor/parameters.h"
#include "support/fake_experiment.h"
#include "support/host_harness.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An experiment of fake_experiment.h whose plan and run are those of BENCHMARK. */
#define FAKE_BENCHMARK(TAG, BENCHMARK, ...)                                                                            \
    FAKE_EXPERIMENT(TAG, .benchmark = &(BENCHMARK), .plan = lab_benchmark_plan, .run = lab_benchmark_run, ##__VA_ARGS__)

enum { REPORTED_MAX = 64 };

/* A measurement. Texts are cut; "" stands for NULL. */
struct reported {
    char axes[160]; /* JSON with sorted names */
    char metric[32], stop_reason[16], cache[8], peak[64], skipped[160];
    bool verified_known, verified;
    uint64_t wrong;
    struct lab_summary summary;
};

struct results {
    bool good;
    bool any_wrong;
    struct lab_error error;
    size_t count, warning_count, note_count;
    struct reported items[REPORTED_MAX];
    char warning[256], note[256]; /* the last ones */
    char fields[512];             /* as JSON, as much as fits */
    char verdicts[256];           /* axes as JSON and the number of wrong elements, one after the other */
    char first_wrong[256];        /* of the last verdict */
};

struct lab_sink sink_of(struct results *results);

/* Runs an experiment on a device with the parameters of a request. The run has what is set of `run`: the experiment,
 * and what only some runs have. */
void run_as(struct lab_run run, struct lab_device *device, const char *text, struct results *results);

/* Runs an experiment on a device with the parameters of a request, and with own kernels unless they are NULL. */
void run_monitored(const struct lab_experiment *experiment, struct lab_device *device, const char *text,
                   const struct lab_own_kernels *own, struct lab_monitor monitor, struct results *results);
void run_with_kernels(const struct lab_experiment *experiment, struct lab_device *device, const char *text,
                      const struct lab_own_kernels *own, struct results *results);
void run_experiment(const struct lab_experiment *experiment, struct lab_device *device, const char *text,
                    struct results *results);

/* The only measurement of a metric at a point: its axes, as JSON, contain `axes`. NULL if there is none. */
const struct reported *find_reported(const struct results *results, const char *metric, const char *axes);

#endif
