#include "support/fake_experiment.h"

const struct lab_schema fake_no_parameters[] = {{.name = NULL}};
const struct lab_axis fake_no_axes[] = {{.name = NULL}};
const struct lab_metric fake_no_metrics[] = {{.name = NULL}};
const struct lab_view fake_no_views[] = {{.name = NULL}};
const struct lab_headline fake_headlines[] = {{LAB_HEADLINE("Fastest", "bandwidth")}, {0}};

bool fake_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
               size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors)
{
    (void)parameters, (void)devices, (void)device_count, (void)errors;
    estimate->points = 1;
    return true;
}
