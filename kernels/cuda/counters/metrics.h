/* Which metrics of NVIDIA GPUs count what core/hardware_counters.h lists. */
#ifndef LAB_CUDA_METRICS_H
#define LAB_CUDA_METRICS_H

#include "core/hardware_counters.h"

enum { CUDA_METRIC_NAMES = 2 };

/* The names that the metric has on different chips, most first; a counter is `factor` times the value of the first that
 * the chip has. */
struct cuda_counter_metric {
    const char *names[CUDA_METRIC_NAMES];
    double factor;
};

extern const struct cuda_counter_metric lab_cuda_counter_metrics[LAB_HARDWARE_COUNTER_COUNT];

#endif
