/* matmul, measured: the roofs, then group by group, the reference of each before the other steps. */
#include "ceilings.h"
#include "experiment/parameters.h"
#include "product.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What one step took where it was measured last: what it will take at the next size. */
struct pace {
    double seconds, operations;
};

struct matmul {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct matmul_product product;
    double reference_s; /* median of the group's reference; NAN before it is known */
    struct pace paces[LAB_GEMM_STEPS][LAB_GEMM_TYPES][LAB_GEMM_LAYOUTS];
    size_t points, done;
};

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* A sentence when a step that was slow at the size before would eat up the whole run's time at this one. */
static const char *too_slow(const struct matmul *m, const struct matmul_group *group, enum lab_gemm_step step,
                            char *reason, size_t size)
{
    const struct pace *pace = &m->paces[step][group->type][group->layout];
    double budget_s = lab_parameter_number(m->run->parameters, "time_budget_s");
    double samples = (double)lab_parameter_integer(m->run->parameters, "min_samples");
    if (!(pace->operations > 0))
        return NULL;
    double seconds = (samples + 4) * pace->seconds * matmul_operations(group) / pace->operations;
    if (seconds <= budget_s)
        return NULL;
    snprintf(reason, size, "by its pace at the size before it would take %.0f s; the time budget of the run is %g s",
             seconds, budget_s);
    return reason;
}

static bool report(struct matmul *m, enum lab_gemm_step step, const struct lab_outcome *outcome)
{
    const struct matmul_group *group = &m->product.group;
    struct lab_summary summary;
    if (!lab_summarise(outcome->samples, outcome->count, &summary))
        return lab_error_set(&m->run->error, "out-of-memory", "", "no memory for a summary");
    m->paces[step][group->type][group->layout] = (struct pace){summary.median, matmul_operations(group)};
    bool is_reference = step == m->product.runtime->gemm->reference;
    if (!matmul_report_outcome(m->run, group, step, outcome, is_reference ? NAN : m->reference_s))
        return false;
    if (is_reference)
        m->reference_s = summary.median;
    return true;
}

/* What a point that is not measured leaves over of the time goes to the others. */
static void skip(struct matmul *m, enum lab_gemm_step step, const char *reason)
{
    matmul_report_skipped(m->run, &m->product.group, step, reason);
    lab_measurer_skip(m->measurer);
}

/* A product of so many operations takes any device longer than queueing it takes the host, and needs no latch: in the hold of
 * one the device would rest, and then be faster than it is in a loop. */
static enum lab_timing timing_of(const struct matmul_group *group)
{
    return matmul_operations(group) >= 1e11 ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

static bool measure_point(struct matmul *m, enum lab_gemm_step step)
{
    struct matmul_product *p = &m->product;
    struct lab_outcome outcome;
    if (!matmul_product_prepare(p, step)) {
        if (p->device->lost || (strcmp(p->device->error.code, "unsupported") != 0 &&
                                strcmp(p->device->error.code, "insufficient-memory") != 0)) {
            m->run->error = p->device->error;
            return false;
        }
        skip(m, step, p->device->error.detail);
        return true;
    }
    const struct lab_lane lane = {p->device, p->stream};
    struct lab_work work = {
        .timing = timing_of(&p->group),
        .lane_count = 1,
        .lanes = &lane,
        .operations = 4, /* a library may launch more than one kernel for a product */
        .sample_s = lab_parameter_number(m->run->parameters, "sample_s"),
        .settle_s = lab_parameter_number(m->run->parameters, "settle_s"),
        .context = p,
        .enqueue = matmul_product_enqueue,
        .poison = matmul_product_poison,
        .verify = matmul_product_verify,
    };
    if (!lab_measure(m->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable != NULL) {
        matmul_report_skipped(m->run, &p->group, step, outcome.unmeasurable);
        return true;
    }
    return report(m, step, &outcome);
}

static bool visit_step(struct matmul *m, enum lab_gemm_step step)
{
    const struct matmul_group *group = &m->product.group;
    char label[96], reason[160];
    if (lab_run_cancelled(m->run))
        return lab_error_set(&m->run->error, "cancelled", "", "the run was cancelled");
    snprintf(label, sizeof label, "%s, %s %s, %zu x %zu x %zu", matmul_steps[step], matmul_types[group->type],
             matmul_layouts[group->layout], group->m, group->n, group->k);
    m->run->sink.progress(m->run->sink.context, m->done++, m->points, label);
    if (too_slow(m, group, step, reason, sizeof reason) != NULL) {
        skip(m, step, reason);
        return true;
    }
    return measure_point(m, step);
}

/* --- the steps of a group ----------------------------------------------------------------------------------------- */

/* The reference first. Of all steps those that the runtime has for matrices of the type; of steps asked for by name every
 * one, so that each gets its reason. */
static size_t steps_of(const struct matmul *m, enum lab_gemm_type type, enum lab_gemm_step *steps)
{
    const struct lab_values *asked = lab_parameter_values(m->run->parameters, "step");
    const struct lab_runtime_gemm *gemm = m->run->devices[0]->runtime->gemm;
    bool all = matmul_all_steps(m->run->parameters);
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t s = 0; s < matmul_step_count(m->run->parameters); s++) {
            enum lab_gemm_step step = (enum lab_gemm_step)(all ? (int64_t)s : asked->items[s].integer);
            bool first = step == gemm->reference;
            if (first == (pass == 0) && (!all || gemm->has(step, type)))
                steps[count++] = step;
        }
    return count;
}

static bool visit_group(void *context, const struct matmul_group *group)
{
    struct matmul *m = context;
    enum lab_gemm_step steps[LAB_GEMM_STEPS];
    size_t count = steps_of(m, group->type, steps);
    m->reference_s = NAN;
    if (count > 0 && !matmul_product_set(&m->product, group))
        return false;
    for (size_t s = 0; s < count; s++)
        if (!visit_step(m, steps[s]))
            return false;
    return true;
}

static bool count_group(void *context, const struct matmul_group *group)
{
    struct matmul *m = context;
    enum lab_gemm_step steps[LAB_GEMM_STEPS];
    m->points += steps_of(m, group->type, steps);
    return true;
}

bool matmul_run(struct lab_run *run)
{
    struct matmul m = {.run = run, .points = matmul_ceiling_count(run)};
    if (run->devices[0]->runtime->gemm == NULL)
        return lab_error_set(&run->error, "unsupported", "", "this device's runtime has no products of matrices");
    matmul_each_group(run->parameters, count_group, &m);
    m.measurer = lab_measurer_create(run, m.points);
    bool good = m.measurer != NULL && matmul_product_open(&m.product, run) &&
                matmul_measure_ceilings(run, m.measurer, &m.done, m.points) &&
                matmul_each_group(run->parameters, visit_group, &m);
    if (good)
        run->sink.progress(run->sink.context, m.done, m.points, "done");
    matmul_product_close(&m.product);
    lab_measurer_release(m.measurer);
    return good;
}
