/* Writes metrics in Prometheus' text format 0.0.4: for each metric its description, then its samples. */
#ifndef LAB_EXPOSITION_H
#define LAB_EXPOSITION_H

#include "core/histogram.h"

#include <stdio.h>

enum lab_metric_type { LAB_COUNTER, LAB_GAUGE, LAB_HISTOGRAM };

/* `help` is one line without backslash. */
struct lab_family {
    const char *name;
    enum lab_metric_type type;
    const char *help;
};

/* `value` is UTF-8 with any characters. Lists end with name NULL. */
struct lab_label {
    const char *name, *value;
};
#define LAB_LABELS(...) ((const struct lab_label[]){__VA_ARGS__, {NULL, NULL}})

/* Begins a metric; its samples must follow before the next one begins. */
void lab_family_begin(FILE *out, const struct lab_family *family);
/* A sample of a counter or gauge. `labels` NULL: none. */
void lab_family_sample(FILE *out, const struct lab_family *family, const struct lab_label *labels, double value);
/* The samples of a histogram. */
void lab_family_histogram(FILE *out, const struct lab_family *family, const struct lab_label *labels,
                          const struct lab_histogram *histogram);

/* A metric with one sample, without labels. */
struct lab_family_value {
    struct lab_family family;
    double value;
};
void lab_family_values(FILE *out, const struct lab_family_value *values, size_t count);

#endif
