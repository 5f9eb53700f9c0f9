/* Experiments for tests, with defaults for what a test does not give: no parameters, axes, metrics and views, one
 * headline, and a plan of one point on one device. */
#ifndef LAB_FAKE_EXPERIMENT_H
#define LAB_FAKE_EXPERIMENT_H

#include "descriptor/experiment.h"

extern const struct lab_schema fake_no_parameters[];
extern const struct lab_axis fake_no_axes[];
extern const struct lab_metric fake_no_metrics[];
extern const struct lab_view fake_no_views[];
extern const struct lab_headline fake_headlines[];

bool fake_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
               size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);

/* Defines the experiment TAG, whose name and title are its tag; the members that follow come in place of the defaults:
 * FAKE_EXPERIMENT(pair, .devices_min = 2, .devices_max = 2). */
#define FAKE_EXPERIMENT(TAG, ...)                                                                                      \
    _Pragma("GCC diagnostic push")                                                                                     \
        _Pragma("GCC diagnostic ignored \"-Woverride-init\"") static const struct lab_experiment TAG = {               \
            .name = #TAG,                                                                                              \
            .title = #TAG,                                                                                             \
            .parameters = fake_no_parameters,                                                                          \
            .axes = fake_no_axes,                                                                                      \
            .metrics = fake_no_metrics,                                                                                \
            .views = fake_no_views,                                                                                    \
            .headlines = fake_headlines,                                                                               \
            .devices_min = 1,                                                                                          \
            .devices_max = 1,                                                                                          \
            .plan = fake_plan,                                                                                         \
            ##__VA_ARGS__};                                                                                            \
    _Pragma("GCC diagnostic pop")

#endif
