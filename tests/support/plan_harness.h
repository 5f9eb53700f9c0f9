/* For tests of plans: parses a request given as text and plans it on a test device.
 */
#ifndef LAB_PLAN_HARNESS_H
#define LAB_PLAN_HARNESS_H

#include "descriptor/parameters.h"
#include "measure/run.h"
#include "support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PLAN_MEMORY = 1 << 30 };

struct plan {
    bool good;
    struct lab_estimate estimate;
    struct lab_errors errors;
};

/* The parameters of a request. The caller frees them with lab_parameters_free. */
struct lab_parameters *parse(const char *experiment, const char *text);

/* Plans a request on `device_count` test devices. */
struct plan plan_on(const char *experiment, const char *text, size_t device_count, int64_t total_memory);
struct plan plan_within(const char *experiment, const char *text, int64_t total_memory);
void expect_points_on(const char *experiment, const char *text, size_t device_count, size_t points);
void expect_points(const char *experiment, const char *text, size_t points);

/* Expects that the request is refused on a device of 1 GiB with exactly this error. */
void expect_refusal(const char *experiment, const char *text, const char *code, const char *pointer);

#endif
