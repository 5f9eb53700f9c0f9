/* The work and the metrics of each point of a matmul run. */
#include "ceilings.h"
#include "product.h"

#include "benchmark/loop.h"
#include "descriptor/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Median time of a step at the last measured size, and the floating-point operations of that product. The time at the
 * next size is extrapolated from them. */
struct timed_step {
    double seconds, operations;
};

struct matmul {
    struct lab_run *run;
    struct matmul_ceilings ceilings;
    struct matmul_product product;
    struct timed_step last_times[MATMUL_STEPS][LAB_GEMM_TYPES][LAB_GEMM_LAYOUTS];
};

static struct timed_step *last_time_of(struct matmul *m, const struct lab_point *point)
{
    return &m->last_times[point->values[MATMUL_STEP]][point->values[MATMUL_TYPE]][point->values[MATMUL_LAYOUT]];
}

/* Writes the reason to skip a step that, extrapolated from the previous size, would take longer than what is left of
 * the run's time budget. A tenth of the budget is allowed in any case. */
static bool is_too_slow(struct matmul *m, const struct lab_point *point, const struct lab_measurer *measurer,
                        char reason[LAB_DETAIL_MAX])
{
    enum { SAMPLES = 3, WARM_UP = 4 }; /* repetitions that a point has at least (METHOD.md 5) */
    const struct timed_step *last = last_time_of(m, point);
    const struct matmul_problem problem = matmul_problem_of(point);
    double budget_s = lab_parameter_number(m->run->parameters, "time_budget_s");
    double left_s = fmax(lab_measurer_budget_left_s(measurer), budget_s / 10);
    if (!(last->operations > 0))
        return false;
    double seconds = (SAMPLES + WARM_UP) * last->seconds * matmul_operations(&problem) / last->operations;
    if (seconds <= left_s)
        return false;
    snprintf(reason, LAB_DETAIL_MAX,
             "extrapolated from the previous size, the point would take %.1f s, more than the %.1f s that are left of "
             "the run's time budget (%g s)",
             seconds, left_s, budget_s);
    return true;
}

static bool begin_product(struct matmul *m, const struct lab_point *point, struct lab_case *c)
{
    struct lab_device *device = m->product.device;
    const struct lab_device_facts *facts = &device->facts;
    const struct matmul_problem problem = matmul_problem_of(point);
    const struct matmul_step *step = &matmul_steps[point->values[MATMUL_STEP]];
    if (is_too_slow(m, point, c->measurer, c->skipped))
        return true;
    if (!matmul_product_set(&m->product, &problem))
        return false;
    if (!matmul_product_prepare(&m->product, step, &c->work)) {
        bool refused =
            device->error.code == LAB_ERROR_UNSUPPORTED || device->error.code == LAB_ERROR_INSUFFICIENT_MEMORY;
        m->run->error = device->error;
        memcpy(c->skipped, device->error.detail, sizeof c->skipped);
        return refused && !device->lost;
    }
    c->counts[LAB_COUNT_OPERATIONS] = matmul_operations(&problem);
    c->counts[LAB_COUNT_BYTES] = matmul_bytes(&problem);
    c->counts[LAB_COUNT_BASELINE] = 1;
    c->kernel = m->product.record.name != NULL ? &m->product.record : NULL;
    c->peak = matmul_peak(facts, matmul_on_tensor_cores(facts, step, problem.type), problem.type);
    return true;
}

static bool matmul_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct matmul *m = context;
    if (point->values[MATMUL_VARIANT] == LAB_NO_VALUE)
        return begin_product(m, point, c);
    matmul_product_free_memory(&m->product); /* the ceilings' arrays may be as large */
    return matmul_ceilings_begin(&m->ceilings, point, c);
}

/* Times below 100 us are not extrapolated: launching and small grids take most of them. */
static bool remember_time(struct matmul *m, const struct lab_report *report)
{
    static const double extrapolated_s = 100e-6;
    const struct matmul_problem problem = matmul_problem_of(report->point);
    struct lab_summary summary;
    if (!lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&m->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a summary");
    if (summary.median >= extrapolated_s)
        *last_time_of(m, report->point) = (struct timed_step){summary.median, matmul_operations(&problem)};
    return true;
}

static bool report_share_of_roof(const struct matmul *m, const struct lab_case *c, const struct lab_report *report)
{
    const struct matmul_problem problem = matmul_problem_of(report->point);
    const struct lab_peak roof = matmul_roof(&m->product.device->facts, &problem, &c->peak);
    return lab_report_share(report, "share_of_roof", c->counts[LAB_COUNT_OPERATIONS] / 1e9, &roof);
}

/* The bytes of device memory beside those of A, B and C. */
static bool report_counted_intensity(const struct lab_case *c, const struct lab_report *report)
{
    return lab_report_counted(report,
                              &(struct lab_counted_figure){
                                  .metric = "counted_intensity",
                                  .factor = c->counts[LAB_COUNT_OPERATIONS],
                                  .above = LAB_SUM_OF_NONE,
                                  .below = LAB_SUM_OF(LAB_HARDWARE_DRAM_READ_BYTES, LAB_HARDWARE_DRAM_WRITTEN_BYTES)});
}

static bool matmul_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct matmul *m = context;
    const struct lab_report computed = {.run = report->run, .point = report->point};
    if (report->point->values[MATMUL_VARIANT] != LAB_NO_VALUE)
        return matmul_ceilings_report(&m->ceilings, c, report);
    return lab_report_time(report, "time") && report_share_of_roof(m, c, report) &&
           lab_report_value(&computed, "intensity", c->counts[LAB_COUNT_OPERATIONS] / c->counts[LAB_COUNT_BYTES]) &&
           report_counted_intensity(c, report) && remember_time(m, report);
}

static void matmul_end(void *context)
{
    struct matmul *m = context;
    matmul_ceilings_end(&m->ceilings);
    matmul_product_end(&m->product);
}

static bool matmul_renew(void *context)
{
    struct matmul *m = context;
    matmul_product_free_matrices(&m->product);
    matmul_ceilings_renew(&m->ceilings);
    return true;
}

bool matmul_run(struct lab_run *run)
{
    static const struct lab_loop loop = {
        .begin = matmul_begin, .report = matmul_report, .end = matmul_end, .renew = matmul_renew};
    struct matmul m = {.run = run};
    if (run->devices[0]->runtime->gemm == NULL)
        return lab_error_set(&run->error, LAB_ERROR_UNSUPPORTED, "",
                             "this device's runtime does not support matrix multiplication");
    bool ceilings = matmul_ceilings_open(&m.ceilings, run),
         product = matmul_product_open(&m.product, run, run->devices[0]);
    bool good = ceilings && product && lab_loop_run(run, &loop, &m);
    matmul_product_close(&m.product);
    matmul_ceilings_close(&m.ceilings);
    return good;
}
