/* Measures an operation of the device and work of the host that is begun when the call has returned. */
#include "host_work.h"

#include "benchmark/benchmark.h"
#include "benchmark/loop.h"
#include "measure/clock.h"

#include <math.h>

enum { ALONE = 5 }; /* repetitions of the operation alone, and of the work alone */

static const uint32_t rounds_of_call = 1000; /* after which the work asks for the time while its rate is measured */

struct run {
    struct lab_run *run;
    struct lab_benchmark_state *benchmark;
    double rounds_per_s;  /* of the work */
    uint64_t work_result; /* of the current point's work; what each repetition must compute */
    /* of the current point */
    struct lab_work operation;
    bool returns_early;
    uint64_t rounds;
    double operation_s, work_s; /* each alone */
    double call_s, calls;       /* time of the calls that enqueue the operation, and their number */
    uint64_t wrong_work;        /* results that differ */
};

// region work
/* Work of the host: each round needs the result of the one before. */
static uint64_t work(uint64_t rounds)
{
    uint64_t x = 1;
    for (uint64_t round = 0; round < rounds; round++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(x)); /* so that the compiler does not combine rounds */
    }
    return x;
}
// end

static bool synchronize(const struct run *r)
{
    const struct lab_lane *lane = &r->operation.lanes[0];
    return lane->device->runtime->stream_synchronize(lane->device, lane->stream);
}

// region together
/* The host begins its work when the call has returned; what measures this waits for the stream then. */
static bool operate_and_work(void *context)
{
    struct run *r = context;
    double start_s = lab_now_s();
    if (!r->operation.enqueue(r->operation.context))
        return false;
    r->call_s += lab_now_s() - start_s;
    r->calls++;
    r->wrong_work += work(r->rounds) != r->work_result;
    return true;
}
// end

static bool poison(void *context)
{
    const struct run *r = context;
    return r->operation.poison(r->operation.context);
}

static bool verify(void *context, uint64_t *wrong)
{
    const struct run *r = context;
    bool good = r->operation.verify(r->operation.context, wrong);
    *wrong += r->wrong_work;
    return good;
}

/* --- each alone --------------------------------------------------------------------------------------------------- */

static double median_of(double seconds[ALONE])
{
    struct lab_summary summary;
    return lab_summarise(seconds, ALONE, &summary) ? summary.median : (double)NAN;
}

static void measure_rate(struct run *r)
{
    static const double enough_s = 0.02;
    double rounds = 0, start_s = lab_now_s(), end_s = start_s;
    volatile uint64_t result;
    for (; end_s - start_s < enough_s; end_s = lab_now_s(), rounds += rounds_of_call)
        result = work(rounds_of_call);
    (void)result;
    r->rounds_per_s = rounds / (end_s - start_s);
}

static bool measure_operation(struct run *r)
{
    double seconds[ALONE];
    for (size_t i = 0; i <= ALONE; i++) { /* the first one warms up */
        double start_s = lab_now_s();
        if (!r->operation.enqueue(r->operation.context) || !synchronize(r))
            return false;
        if (i > 0)
            seconds[i - 1] = lab_now_s() - start_s;
    }
    r->operation_s = median_of(seconds);
    return true;
}

static void measure_work(struct run *r)
{
    double seconds[ALONE];
    for (size_t i = 0; i < ALONE; i++) {
        double start_s = lab_now_s();
        r->work_result = work(r->rounds);
        seconds[i] = lab_now_s() - start_s;
    }
    r->work_s = median_of(seconds);
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct run *r = context;
    int64_t variant = point->values[HOST_WORK_AXIS_VARIANT];
    if (!lab_benchmark_begin(r->benchmark, point, c))
        return false;
    if (c->skipped[0] != '\0')
        return true;
    bool pageable = variant == HOST_WORK_H2D_PAGEABLE || variant == HOST_WORK_D2H_PAGEABLE;
    r->returns_early = !pageable || lab_facts_is_cpu(&r->run->devices[0]->facts);
    r->operation = c->work;
    r->call_s = r->calls = 0;
    r->wrong_work = 0;
    if (!lab_run_forward_error(r->run, r->run->devices[0], measure_operation(r)))
        return false;
    r->rounds = (uint64_t)(r->rounds_per_s * r->operation_s * (double)point->values[HOST_WORK_AXIS_SHARE] / 100);
    measure_work(r);
    c->work = (struct lab_work){.timing = LAB_TIME_HOST_CLOCK,
                                .lane_count = 1,
                                .lanes = r->operation.lanes,
                                .context = r,
                                .enqueue = operate_and_work,
                                .poison = poison,
                                .verify = verify,
                                .cacheless = true};
    c->peak = (struct lab_peak){0};
    return true;
}

double host_work_predict(bool returns_early, double operation_s, double work_s)
{
    return returns_early ? fmax(operation_s, work_s) : operation_s + work_s;
}

/* What of the shorter of both is hidden behind the longer one, at the median; 0 if both together take longer than one
 * after the other. */
static double hidden_share(const struct run *r, double together_s)
{
    return fmax(r->operation_s + r->work_s - together_s, 0) / fmin(r->operation_s, r->work_s);
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct run *r = context;
    const struct lab_report besides = {.run = report->run, .point = report->point};
    struct lab_summary summary;
    (void)c;
    if (!lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a median");
    return lab_report_value(&besides, "predicted_time",
                            host_work_predict(r->returns_early, r->operation_s, r->work_s)) &&
           lab_report_value(&besides, "operation_time", r->operation_s) &&
           lab_report_value(&besides, "enqueue_time", r->call_s / r->calls) &&
           (r->rounds == 0 || lab_report_value(&besides, "hidden_share", hidden_share(r, summary.median)));
}

static void end(void *context)
{
    lab_benchmark_end(((struct run *)context)->benchmark);
}

static bool renew(void *context)
{
    lab_benchmark_renew(((struct run *)context)->benchmark);
    return true;
}

bool host_work_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end, .renew = renew};
    struct run r = {.run = run};
    r.benchmark = lab_benchmark_open(run, run->devices[0], run->experiment->benchmark);
    if (r.benchmark == NULL)
        return false;
    measure_rate(&r);
    bool good = lab_loop_run(run, &loop, &r);
    lab_benchmark_close(r.benchmark);
    return good;
}
