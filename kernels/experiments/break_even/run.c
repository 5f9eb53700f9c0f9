/* Measures the job on the cores of the host, and on the device with its copies and without. */
#include "break_even.h"

#include "benchmark/benchmark.h"
#include "benchmark/loop.h"
#include "core/parallel.h"
#include "descriptor/parameters.h"
#include "measure/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The times of a point. */
struct timed {
    struct lab_point point;
    double seconds, predicted_s;
};

struct run {
    struct lab_run *run;
    struct lab_benchmark_state *benchmark;
    struct lab_device *device;
    struct break_even_rates rates;
    size_t count;
    struct timed *points; /* that are measured */
    /* of the current point */
    struct lab_work kernel;
    struct lab_point point;
    const uint32_t *in;
    uint32_t *out;
    void *device_in, *device_out;
    size_t bytes;
    uint32_t rounds;
    uint64_t wrong;
};

// region cpu
/* The elements of one thread of the host. */
static void compute(void *context, size_t begin, size_t end)
{
    const struct run *r = context;
    const uint32_t multiplier = BREAK_EVEN_MULTIPLIER, increment = BREAK_EVEN_INCREMENT;
    for (size_t i = begin; i < end; i++)
        r->out[i] = break_even_rounds(r->in[i], r->rounds, multiplier, increment);
}

static bool compute_on_host(void *context)
{
    struct run *r = context;
    lab_parallel_for(r->bytes / sizeof *r->out, BREAK_EVEN_GRAIN, compute, r);
    return true;
}
// end

// region copies
static bool copy_and_compute(void *context)
{
    struct run *r = context;
    const struct lab_runtime *runtime = r->device->runtime;
    struct lab_stream *stream = r->kernel.lanes[0].stream;
    return runtime->copy(r->device, stream, r->device_in, r->in, r->bytes, LAB_H2D) &&
           r->kernel.enqueue(r->kernel.context) &&
           runtime->copy(r->device, stream, r->out, r->device_out, r->bytes, LAB_D2H);
}
// end

static bool compute_on_device(void *context)
{
    struct run *r = context;
    return r->kernel.enqueue(r->kernel.context);
}

static bool poison(void *context)
{
    const struct run *r = context;
    return r->kernel.poison(r->kernel.context);
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static void count_wrong(void *context, size_t begin, size_t end)
{
    struct run *r = context;
    uint64_t seed = (uint64_t)lab_parameter_integer(r->run->parameters, "seed"), found = 0;
    const uint64_t parameters[3] = {r->rounds};
    for (size_t i = begin; i < end; i++)
        found += r->out[i] != break_even_expected(i, seed, parameters);
    __atomic_fetch_add(&r->wrong, found, __ATOMIC_RELAXED);
}

static bool verify_on_host(void *context, uint64_t *wrong)
{
    struct run *r = context;
    r->wrong = 0;
    lab_parallel_for(r->bytes / sizeof *r->out, BREAK_EVEN_GRAIN, count_wrong, r);
    *wrong = r->wrong;
    return true;
}

static bool verify_on_device(void *context, uint64_t *wrong)
{
    const struct run *r = context;
    return r->kernel.verify(r->kernel.context, wrong);
}

/* --- the case of a point ------------------------------------------------------------------------------------------ */

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    static bool (*const jobs[])(void *context) = {[BREAK_EVEN_CPU] = compute_on_host,
                                                  [BREAK_EVEN_KERNEL] = compute_on_device,
                                                  [BREAK_EVEN_PINNED] = copy_and_compute,
                                                  [BREAK_EVEN_PAGEABLE] = copy_and_compute};
    struct run *r = context;
    int64_t variant = point->values[BREAK_EVEN_AXIS_VARIANT];
    bool on_device = variant == BREAK_EVEN_KERNEL;
    if (!lab_benchmark_begin(r->benchmark, point, c))
        return false;
    if (c->skipped[0] != '\0')
        return true;
    r->kernel = c->work;
    r->point = *point;
    r->bytes = (size_t)point->values[BREAK_EVEN_AXIS_BYTES];
    r->rounds = (uint32_t)point->values[BREAK_EVEN_AXIS_WEIGHT];
    r->device_out = lab_benchmark_buffer(r->benchmark, BREAK_EVEN_DEVICE_OUT);
    if (!on_device) {
        r->in = lab_benchmark_buffer(r->benchmark, BREAK_EVEN_HOST_IN);
        r->out = lab_benchmark_buffer(r->benchmark, BREAK_EVEN_HOST_OUT);
        r->device_in = lab_benchmark_buffer(r->benchmark, BREAK_EVEN_DEVICE_IN);
    }
    c->work = (struct lab_work){.timing = LAB_TIME_HOST_CLOCK,
                                .lane_count = 1,
                                .lanes = r->kernel.lanes,
                                .context = r,
                                .enqueue = jobs[variant],
                                .poison = poison,
                                .verify = on_device ? verify_on_device : verify_on_host,
                                .cacheless = true};
    c->kernel = NULL;
    c->peak = (struct lab_peak){0};
    return true;
}

static bool keep(struct run *r, double seconds, double predicted_s)
{
    struct timed *points = realloc(r->points, (r->count + 1) * sizeof *points);
    if (points == NULL)
        return lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the times of the points");
    r->points = points;
    r->points[r->count++] = (struct timed){r->point, seconds, predicted_s};
    return true;
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct run *r = context;
    const struct lab_report besides = {.run = report->run, .point = report->point};
    struct lab_summary summary;
    (void)c;
    double predicted_s = break_even_predict(
        &r->rates, (enum break_even_variant)r->point.values[BREAK_EVEN_AXIS_VARIANT], r->rounds, (double)r->bytes);
    if (!lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a median");
    return keep(r, summary.median, predicted_s) &&
           (!isfinite(predicted_s) || lab_report_value(&besides, "predicted_time", predicted_s));
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

/* --- rates of the host -------------------------------------------------------------------------------------------- */

/* The seconds of the job on the host, the best of some. */
static double time_on_host(struct run *r)
{
    enum { TIMES = 5 };
    double best_s = INFINITY;
    for (size_t i = 0; i < TIMES; i++) {
        double start_s = lab_now_s();
        compute_on_host(r);
        best_s = fmin(best_s, lab_now_s() - start_s);
    }
    return best_s;
}

/* The seconds of the job on the host with arrays of `bytes` bytes, which are large enough. */
static double time_job(struct run *r, size_t bytes, uint32_t rounds)
{
    r->bytes = bytes;
    r->rounds = rounds;
    return time_on_host(r);
}

/* Measures one thread with arrays that fit in its caches and with many rounds, then all threads with arrays that are
 * larger than caches; and what starting a second thread adds. */
static bool measure_host(struct run *r)
{
    static const size_t large = 64 << 20, small = 1 << 20, one = BREAK_EVEN_GRAIN * sizeof(uint32_t);
    static const uint32_t many = 256;
    struct break_even_rates *rates = &r->rates;
    uint32_t *in = calloc(1, large), *out = malloc(large);
    if (in != NULL && out != NULL) {
        r->in = in;
        r->out = out;
        double one_s = time_job(r, one, 1);
        rates->core_bytes_per_s = 2 * (double)one / one_s;
        rates->core_rounds_per_s = (double)BREAK_EVEN_GRAIN * many / time_job(r, one, many);
        rates->cpu_bytes_per_s = 2 * (double)large / time_job(r, large, 1);
        rates->cpu_rounds_per_s = (double)small / sizeof *out * many / time_job(r, small, many);
        rates->cpu_start_s = fmax(time_job(r, 2 * one, 1) - one_s, 0);
    }
    bool good = in != NULL && out != NULL;
    free(in);
    free(out);
    return good ||
           lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the rates of the host");
}

/* --- break-even sizes --------------------------------------------------------------------------------------------- */

static const struct timed *find(const struct run *r, enum break_even_variant variant, const struct lab_point *like)
{
    for (size_t i = 0; i < r->count; i++) {
        const int64_t *values = r->points[i].point.values;
        if (values[BREAK_EVEN_AXIS_VARIANT] == variant &&
            values[BREAK_EVEN_AXIS_WEIGHT] == like->values[BREAK_EVEN_AXIS_WEIGHT] &&
            values[BREAK_EVEN_AXIS_BYTES] == like->values[BREAK_EVEN_AXIS_BYTES])
            return &r->points[i];
    }
    return NULL;
}

/* Reports the size from which on the variant of the points from `first` on, of one weight, is faster than the CPU. */
static bool report_size(struct run *r, size_t first, size_t count, bool predicted)
{
    struct lab_point point = r->points[first].point;
    struct break_even_times *times = calloc(count, sizeof *times);
    size_t known = 0;
    if (times == NULL)
        return lab_error_set(&r->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for break-even sizes");
    for (size_t i = first; i < first + count; i++) {
        const struct timed *cpu = find(r, BREAK_EVEN_CPU, &r->points[i].point);
        if (cpu != NULL)
            times[known++] = (struct break_even_times){(double)r->points[i].point.values[BREAK_EVEN_AXIS_BYTES],
                                                       predicted ? cpu->predicted_s : cpu->seconds,
                                                       predicted ? r->points[i].predicted_s : r->points[i].seconds};
    }
    double size = break_even_size(times, known);
    free(times);
    point.values[BREAK_EVEN_AXIS_BYTES] = LAB_NO_VALUE;
    const struct lab_report report = {.run = r->run, .point = &point};
    return !isfinite(size) ||
           lab_report_value(&report, predicted ? "predicted_break_even_bytes" : "break_even_bytes", size);
}

/* The points of a variant and a weight follow one another. */
static bool report_sizes(struct run *r)
{
    for (size_t first = 0, count; first < r->count; first += count) {
        const int64_t *values = r->points[first].point.values;
        for (count = 1; first + count < r->count; count++) {
            const int64_t *next = r->points[first + count].point.values;
            if (next[BREAK_EVEN_AXIS_VARIANT] != values[BREAK_EVEN_AXIS_VARIANT] ||
                next[BREAK_EVEN_AXIS_WEIGHT] != values[BREAK_EVEN_AXIS_WEIGHT])
                break;
        }
        if (values[BREAK_EVEN_AXIS_VARIANT] != BREAK_EVEN_CPU &&
            (!report_size(r, first, count, false) || !report_size(r, first, count, true)))
            return false;
    }
    return true;
}

bool break_even_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end, .renew = renew};
    static const double launch_s = 10e-6, staged_share = 0.25; /* what is usual, for the prediction */
    struct run r = {.run = run, .device = run->devices[0]};
    break_even_device_rates(&r.device->facts, &r.rates);
    r.rates.device_start_s = launch_s;
    r.rates.staged_bytes_per_s = staged_share * r.rates.link_bytes_per_s;
    r.benchmark = lab_benchmark_open(run, r.device, run->experiment->benchmark);
    bool good = r.benchmark != NULL && measure_host(&r) && lab_loop_run(run, &loop, &r) && report_sizes(&r);
    lab_benchmark_close(r.benchmark);
    free(r.points);
    return good;
}
