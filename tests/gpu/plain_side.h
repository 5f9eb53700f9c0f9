/* What the programs of this folder have in common that compare gpulab with a plain loop of CUDA calls: messages,
 * medians, and gpulab's side, which is measured as in every run. */
#ifndef PLAIN_SIDE_H
#define PLAIN_SIDE_H

#include "measure/measure.h"
#include "runtime/runtime.h"

#include <cuda_runtime_api.h>

enum { SKIPPED = 77 }; /* exit code: the machine has no GPU, or not the library */

/* Prints the program's name, `what` and `why`, and exits with 2. */
_Noreturn void fail(const char *what, const char *why);

/* Fail with CUDA's or the device's error. */
void must(cudaError_t status, const char *what);
void must_lab(const struct lab_device *device, bool good, const char *what);

double median(const double *values, size_t count);

/* Runs `once` until the device has found its speed, by the rule with which gpulab settles it (METHOD.md 6): at least
 * for `settle_s`, and at most ten times as long. */
void settle(void (*once)(const void *context), const void *context, double settle_s);

/* gpulab's side, on the first GPU. */
struct plain_side {
    const struct lab_runtime *runtime;
    struct lab_device *device;
    struct lab_stream *stream;
    struct lab_plan *plan; /* what lab_side_time measures; of the program */
    struct lab_parameters *parameters;
    struct lab_run run;
    struct lab_measurer *measurer; /* NULL until lab_side_prepare */
};

/* Returns false, with a message, if there is no GPU. */
bool lab_side_open(struct plain_side *side);
/* Sets up the measuring of `points` points as a run of the experiment does: so many samples of each, after `settle_s`
 * seconds of warm-up. */
void lab_side_prepare(struct plain_side *side, const char *experiment, size_t points, size_t samples, double settle_s);
void lab_side_close(struct plain_side *side);

/* Runs a plan once and releases it. */
void lab_side_perform(struct plain_side *side, struct lab_plan *plan, const char *what);

/* Device memory; the program releases it. */
void *lab_side_allocate(struct plain_side *side, size_t bytes);

/* The median of the samples of `work`, in s. */
double lab_side_time(struct plain_side *side, const struct lab_work *work);

#endif
