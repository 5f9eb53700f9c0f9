/* The kernels of finite-differences for host devices: each core takes some of the rows in x. */
#include "finite_differences.h"

#include "benchmark/check.h"

#include <string.h>

// region copy "The same bytes without a derivative"
/* The reference. Each core copies a part. */
LAB_HOST_KERNEL(finite_differences_copy)
{
    enum { UNIT = 16 };
    uint64_t begin, end;
    lab_host_part_range(part, arguments[2].u32, 64 / UNIT, &begin, &end);
    memcpy((char *)arguments[1].pointer + begin * UNIT, (const char *)arguments[0].pointer + begin * UNIT,
           (end - begin) * UNIT);
}
// end

// steps use finite_differences.h:stencil

// region global "Row by row"
/* Row by row in x. In y and z the values come from eight other rows, which the caches hold. */
/* The derivative at `count` points: ahead[k] and behind[k] are the values k + 1 points away, `metric` is that of the
 * first point, and `step` 0 if all points have the same. */
#define DEFINE_ROW(T, name)                                                                                            \
    static void name(void *restrict out, const void *const ahead[RADIUS], const void *const behind[RADIUS],            \
                     const void *metric, uint64_t step, uint64_t count)                                                \
    {                                                                                                                  \
        const T *const a[RADIUS] = {ahead[0], ahead[1], ahead[2], ahead[3]}, *factor = metric;                         \
        const T *const b[RADIUS] = {behind[0], behind[1], behind[2], behind[3]};                                       \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            ((T *)out)[i] =                                                                                            \
                factor[i * step] * ((T)STENCIL_1 * (a[0][i] - b[0][i]) + (T)STENCIL_2 * (a[1][i] - b[1][i]) +          \
                                    (T)STENCIL_3 * (a[2][i] - b[2][i]) + (T)STENCIL_4 * (a[3][i] - b[3][i]));          \
    }
DEFINE_ROW(float, row_fp32)
DEFINE_ROW(double, row_fp64)

/* The arguments of a kernel. Elements have `element` bytes. */
struct job {
    const char *in, *metric;
    char *out;
    uint64_t stretched, n, element;
    void (*row)(void *out, const void *const ahead[RADIUS], const void *const behind[RADIUS], const void *metric,
                uint64_t step, uint64_t count);
};

/* Computes a row whose points all have position p of their lines in y or z: the lines begin at the points from `first`
 * on, and their points are `stride` apart. They are periodic. */
static void compute_across(const struct job *job, uint64_t first, uint64_t stride, uint64_t p)
{
    const void *ahead[RADIUS], *behind[RADIUS];
    for (uint64_t k = 0; k < RADIUS; k++) {
        uint64_t next = p + k + 1 < job->n ? p + k + 1 : p + k + 1 - job->n;
        uint64_t last = p > k ? p - k - 1 : p + job->n - k - 1;
        ahead[k] = job->in + (first + next * stride) * job->element;
        behind[k] = job->in + (first + last * stride) * job->element;
    }
    job->row(job->out + (first + p * stride) * job->element, ahead, behind,
             job->metric + job->stretched * p * job->element, 0, job->n);
}

/* Computes a row along itself, from a copy that has the points of the other end before and behind it. */
static void compute_along(const struct job *job, uint64_t row)
{
    _Alignas(double) char points[(SIDE_MAX + 2 * RADIUS) * sizeof(double)];
    const void *ahead[RADIUS], *behind[RADIUS];
    const char *in = job->in + row * job->n * job->element;
    size_t bytes = job->n * job->element, halo = RADIUS * job->element;
    memcpy(points, in + bytes - halo, halo);
    memcpy(points + halo, in, bytes);
    memcpy(points + halo + bytes, in, halo);
    for (uint64_t k = 0; k < RADIUS; k++) {
        ahead[k] = points + halo + (k + 1) * job->element;
        behind[k] = points + halo - (k + 1) * job->element;
    }
    job->row(job->out + row * bytes, ahead, behind, job->metric, job->stretched, job->n);
}

static void global(const struct lab_host_part *part, const struct lab_argument *arguments, int direction, bool fp64)
{
    const struct job job = {.in = arguments[0].pointer,
                            .out = arguments[1].pointer,
                            .metric = arguments[2].pointer,
                            .stretched = arguments[3].u32,
                            .n = arguments[4].u32,
                            .element = fp64 ? sizeof(double) : sizeof(float),
                            .row = fp64 ? row_fp64 : row_fp32};
    uint64_t begin, end;
    lab_host_part_range(part, job.n * job.n, 1, &begin, &end);
    for (uint64_t row = begin; row < end; row++) {
        uint64_t y = row % job.n, z = row / job.n;
        if (direction == 0)
            compute_along(&job, row);
        else if (direction == 1)
            compute_across(&job, z * job.n * job.n, job.n, y);
        else
            compute_across(&job, y * job.n, job.n * job.n, z);
    }
}

#define DEFINE_KERNEL(name, direction, fp64)                                                                           \
    LAB_HOST_KERNEL(name)                                                                                              \
    {                                                                                                                  \
        global(part, arguments, direction, fp64);                                                                      \
    }
DEFINE_KERNEL(finite_differences_global_x_fp32, 0, false)
DEFINE_KERNEL(finite_differences_global_y_fp32, 1, false)
DEFINE_KERNEL(finite_differences_global_z_fp32, 2, false)
DEFINE_KERNEL(finite_differences_global_x_fp64, 0, true)
DEFINE_KERNEL(finite_differences_global_y_fp64, 1, true)
DEFINE_KERNEL(finite_differences_global_z_fp64, 2, true)
// end

static void fill_with(const struct lab_host_part *part, const struct lab_argument *arguments,
                      double (*value_of)(uint64_t i, struct finite_differences_grid grid))
{
    const struct finite_differences_grid grid = finite_differences_unpack(arguments[3].u64);
    uint64_t begin, end;
    lab_host_part_range(part, arguments[1].u64 / (grid.fp64 ? 2 : 1), 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        if (grid.fp64)
            ((double *)arguments[0].pointer)[i] = value_of(i, grid);
        else
            ((float *)arguments[0].pointer)[i] = (float)value_of(i, grid);
}

LAB_HOST_KERNEL(finite_differences_fill)
{
    fill_with(part, arguments, finite_differences_value);
}

LAB_HOST_KERNEL(finite_differences_fill_metric)
{
    fill_with(part, arguments, finite_differences_metric);
}

LAB_HOST_KERNEL(finite_differences_check)
{
    const struct finite_differences_grid grid = finite_differences_unpack(arguments[3].u64);
    const double allowed = arguments[4].f64;
    struct lab_check_result *of_check = arguments[6].pointer;
    uint64_t begin, end, wrong = 0, points = arguments[1].u64 / (grid.fp64 ? 2 : 1);
    double largest = 0, squares = 0;
    lab_host_part_range(part, points, 1, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        double value =
            grid.fp64 ? ((const double *)arguments[0].pointer)[i] : (double)((const float *)arguments[0].pointer)[i];
        double error = fabs(value - finite_differences_exact(i, grid));
        wrong += !(error <= allowed);
        largest = fmax(largest, error);
        squares += error * error;
    }
    lab_check_add(of_check, wrong, 0);
    lab_check_add_errors(of_check, largest, squares / (double)points);
}
