/* Creates measurers, and reads how much of their time is left. */
#include "measure/measuring.h"

#include <stdio.h>
#include <stdlib.h>

static struct lab_stopping_limits limits_of(const struct lab_parameters *parameters)
{
    return (struct lab_stopping_limits){
        .min_samples = (size_t)lab_parameter_integer(parameters, "min_samples"),
        .max_samples = (size_t)lab_parameter_integer(parameters, "max_samples"),
        .min_time_s = lab_parameter_number(parameters, "min_time_s"),
        .max_noise = lab_parameter_number(parameters, "max_noise"),
    };
}

struct lab_measurer *lab_measurer_create(struct lab_run *run, size_t points)
{
    struct lab_measurer *m = calloc(1, sizeof *m);
    if (m == NULL)
        goto fail;
    m->run = run;
    m->shared = &m->own;
    lab_measuring_prepare_counters(m);
    m->own.budget = lab_budget_start(lab_parameter_number(run->parameters, "time_budget_s"), points, run->tracing);
    m->limits = limits_of(run->parameters);
    m->sample_s = lab_parameter_number(run->parameters, "sample_s");
    m->settle_s = lab_parameter_number(run->parameters, "settle_s");
    m->rest_s =
        lab_parameter_rest_s(run->parameters, lab_parameter_loads(run->parameters) != NULL ? LAB_BURST : LAB_NO_VALUE);
    m->samples = calloc(m->limits.max_samples, sizeof *m->samples);
    m->baseline_samples = calloc(m->limits.max_samples, sizeof *m->baseline_samples);
    m->round_ends = calloc(m->limits.max_samples, sizeof *m->round_ends);
    m->block_ends = calloc(m->limits.max_samples, sizeof *m->block_ends);
    if (m->samples == NULL || m->baseline_samples == NULL || m->round_ends == NULL || m->block_ends == NULL)
        goto fail;
    return m;
fail:
    lab_measurer_free(m);
    lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the samples");
    return NULL;
}

struct lab_measurer *lab_measurer_create_beside(struct lab_run *run, struct lab_measurer *other)
{
    struct lab_measurer *m = lab_measurer_create(run, 1);
    if (m != NULL)
        m->shared = other->shared;
    return m;
}

void lab_measurer_free(struct lab_measurer *m)
{
    if (m == NULL)
        return;
    lab_timers_release(&m->own.timers);
    lab_timers_release(&m->own.baseline_timers);
    lab_flushes_release(&m->own.flushes);
    free(m->samples);
    free(m->baseline_samples);
    free(m->round_ends);
    free(m->block_ends);
    free(m);
}

void lab_measurer_skip(struct lab_measurer *m)
{
    lab_budget_next_point(&m->shared->budget);
}

double lab_measurer_remaining_s(const struct lab_measurer *m)
{
    return lab_budget_remaining_s(&m->shared->budget);
}

double lab_measurer_budget_left_s(const struct lab_measurer *m)
{
    return m->shared->budget.end_s - lab_now_s();
}

const char *lab_measurer_used_up(struct lab_measurer *m)
{
    if (lab_measurer_remaining_s(m) > 0)
        return NULL;
    snprintf(m->reason, sizeof m->reason, "the time budget of the run (%g s) is used up; raise time_budget_s",
             m->shared->budget.total_s);
    return m->reason;
}
