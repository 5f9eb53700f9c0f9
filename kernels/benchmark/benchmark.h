/* Benchmarks: experiments that are kernels or copies swept over axes. A benchmark is its tables (struct
 * lab_experiment), an image of kernels and one pure function that describes the workload of a point: buffers, kernels
 * with their launches and arguments or copies, counters and what the result must be. The plan and the run follow from
 * these.
 */
#ifndef LAB_BENCHMARK_H
#define LAB_BENCHMARK_H

#include "benchmark/counted.h"
#include "benchmark/fit.h"
#include "benchmark/medians.h"
#include "measure/measurement.h"
#include "runtime/module.h"
#include "runtime/pattern.h"
#include "runtime/runtime.h"

enum {
    LAB_BUFFERS_MAX = 8,
    LAB_STEPS_MAX = 32,
    LAB_STREAMS_MAX = 32,
    LAB_KERNEL_NAME_MAX = 512, /* C++ makes long names of templates */
    LAB_COPIES_MAX = 2,
    LAB_FIGURES_MAX = 4,
    LAB_COUNTED_MAX = 3
};

/* A buffer of a workload. An input is filled with `content` before the first sample. An output is overwritten with
 * other data, its content with the complement of the run's seed, before the first and before the last repetition. */
struct lab_buffer {
    enum lab_memory memory;
    size_t bytes;        /* of data */
    size_t width, pitch; /* the data are rows of `width` bytes, whose starts are `pitch` bytes apart; 0: contiguous */
    bool output;
    /* An input has this content, with the run's seed plus the index of the buffer. An output is overwritten with data
     * of this kind before the work. */
    enum lab_content content;
    uint64_t first; /* index of the buffer's first element in the content */
    /* The kernel of the image, made by LAB_FILL_KERNEL (check.h), that fills it instead of `content`, and its
     * parameters; they say all on which the data depend. Of an output that has it, because it is also the input of work
     * in place: it is filled so, not overwritten with other data. NULL: none */
    const char *fill;
    uint64_t fill_parameters[3];
    const char *global; /* the variable of the image (__constant__ or __device__) that is the buffer; NULL: allocated */
};

/* A copy of an input to an output with as many rows of the same width; their pitches may differ. The kinds of memory of
 * the two determine its direction. After it the output must have the content of the input. */
struct lab_workload_copy {
    size_t source, destination; /* buffers */
    size_t layers; /* number of layers of the box that one three-dimensional copy copies; 0: the copy is not of a box */
    size_t piece_bytes; /* bytes of each call, for rows their width; 0: one call copies all */
    bool by_kernel;     /* a kernel copies, in one call, instead of a copy engine; not pageable memory */
};

/* The texture of 4-byte words that are read as they are: with a height of 1 of linear memory, else of a two-dimensional
 * array. */
static inline struct lab_texture_shape lab_texture_of_words(uint64_t width, uint64_t height)
{
    return (struct lab_texture_shape){.extent = {(uint32_t)width, height > 1 ? (uint32_t)height : 0},
                                      .channels = 1,
                                      .bits = 32,
                                      .memory = height > 1 ? LAB_TEXTURE_ARRAY : LAB_TEXTURE_LINEAR};
}

/* A kernel's argument: a value, the address of a buffer, or a texture or surface of a buffer in device memory. */
enum lab_argument_kind { LAB_ARGUMENT_VALUE, LAB_ARGUMENT_ADDRESS, LAB_ARGUMENT_TEXTURE };

struct lab_workload_argument {
    enum lab_argument_kind kind;
    struct lab_argument value;
    size_t buffer;
    struct lab_texture_shape texture; /* of the elements of the buffer */
};

/* One of the launches of which a repetition consists. Those in the same stream run one after the other. */
struct lab_workload_step {
    char kernel[LAB_KERNEL_NAME_MAX]; /* name in the image; "": the step is a call of a library */
    struct lab_launch launch;
    size_t stream;  /* of the workload, in which it is launched */
    uint64_t items; /* threads that the launch needs, as of lab_own_module_launch; 0: unknown */
    /* Prepares the call of the library. Returns NULL with the device's error set; if its code is "unsupported", the
     * point is skipped. NULL: the step is a kernel. */
    struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_argument *arguments, size_t count);
    size_t argument_count;
    struct lab_workload_argument arguments[LAB_ARGUMENTS_MAX];
};

/* How the result is checked (METHOD.md 9): the kernel `kernel` of the image, made by LAB_CHECK_KERNEL (check.h),
 * compares every 4-byte element of the buffer with a function of its index, of the run's seed and of `parameters`. The
 * elements are contiguous, so the result of a kernel that leaves gaps is a buffer without `width`, whose gaps must be
 * as they were overwritten before. */
struct lab_workload_check {
    const char *kernel; /* NULL: the workload has no result */
    size_t buffer;
    uint64_t parameters[3];
    const char *error; /* the metric that is the largest error that the kernel finds; NULL: it looks for none */
    const char *rms;   /* the metric that is the root of the mean square of the errors; NULL: it does not sum them up */
    /* Each repetition adds to the result of those before: only that of the last one is checked, which begins with the
     * output as it was overwritten. */
    bool accumulates;
};

/* A stream of the steps; the default ones are those of runtime.h. Work in others than the first kind is timed with the
 * host's clock, and skipped where the runtime does not have them. */
enum lab_workload_stream { LAB_STREAM_NON_BLOCKING, LAB_STREAM_BLOCKING, LAB_STREAM_LEGACY, LAB_STREAM_PER_THREAD };

/* One repetition at a point. Cleared before lab_benchmark.describe is called. */
struct lab_workload {
    char skipped[LAB_DETAIL_MAX]; /* why the point cannot be measured; "" if it can */
    size_t buffer_count;
    struct lab_buffer buffers[LAB_BUFFERS_MAX];
    const struct lab_image *image; /* of the steps' kernels, loaded for this point; NULL: that of the benchmark */
    size_t step_count;
    struct lab_workload_step steps[LAB_STEPS_MAX];
    size_t stream_count; /* of the steps; 0: one */
    enum lab_workload_stream streams[LAB_STREAMS_MAX];
    bool waits; /* the kernels take a given time: neither the clock nor the cache matters */
    /* For work in place, whose data grow with each repetition: the outputs are filled before each sample, and a sample
     * has at most this many repetitions. 0: the work is not in place */
    size_t repetitions_in_place;
    struct lab_workload_check check;
    struct lab_workload_records {
        size_t buffer, bytes;
    } records; /* the first bytes of an output, which lab_benchmark.read gets; bytes 0: none */
    /* The copies that the workload consists of instead of kernels; a benchmark may have points of both kinds. Two are
     * equal and start together. */
    size_t copy_count;
    struct lab_workload_copy copies[LAB_COPIES_MAX];
    bool background;             /* the second copy is background load: neither measured nor checked */
    double counts[LAB_COUNTERS]; /* see struct lab_case */
    /* The peak of the main metric, in its unit; `what` is static. {0}: if the metric counts bytes, that of the link for
     * copies from or to host memory, else that of device memory, unless the buffers fit in the last-level cache */
    struct lab_peak peak;
    /* How often a thread accesses each byte of its local memory in the unit for which the metric "local_traffic" counts
     * these bytes; 0: the metric is not reported */
    double local_accesses;
    /* Expected time of a repetition, for the estimate, and to skip the point if it is too long; 0: follows from the
     * counts */
    double seconds;
    size_t figure_count; /* figures that are computed, not measured: predictions */
    struct lab_figure {
        const char *metric;
        double value;
    } figures[LAB_FIGURES_MAX];
    size_t counted_count; /* figures of hardware counters, reported where the point was counted */
    struct lab_counted_figure counted[LAB_COUNTED_MAX];
};

/* The data of a benchmark, to which lab_experiment.benchmark points. The main metric of a point is the first of the
 * table whose count is not 0. */
struct lab_benchmark {
    const struct lab_image *image; /* NULL: no kernels */
    /* Describes the workload of a point on a device. Pure: the plan calls it too. */
    void (*describe)(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                     const struct lab_point *point, struct lab_workload *workload);
    /* Adds an error for parameters that contradict each other, and returns false. NULL: none do. */
    bool (*check)(const struct lab_parameters *parameters, struct lab_errors *errors);
    const struct lab_fit *fit; /* the line fitted to each series; NULL: none */
    /* Sets *baseline to the point whose samples are taken alternately with those of `point`, on memory of its own;
     * returns false if `point` has none. It is left out where it is skipped or not supported. For metrics with
     * LAB_COUNT_BASELINE. Pure. NULL: no point has one. */
    bool (*baseline)(const struct lab_point *point, struct lab_point *baseline);
    /* Reports what the kernels of the last repetition have recorded, as metrics and spans, if the result was right.
     * `records` is a copy of the workload's records. Returns false with report->run->error set. NULL: no workload has
     * records. */
    bool (*read)(const struct lab_report *report, const struct lab_workload *workload, const void *records);
    /* Reports figures that follow from several points, with lab_report_value. Called after the last point, for the
     * points of each load. Returns false with run->error set. NULL: there are none. */
    bool (*summarise)(struct lab_run *run, const struct lab_medians *medians);
};

/* The metrics that follow a bandwidth in a benchmark's table. */
#define LAB_KERNEL_METRICS                                                                                             \
    {LAB_METRIC("share_of_peak", "Share of peak", "1",                                                                 \
                "bandwidth / theoretical bandwidth of the device's memory (2 * memory clock * bus width / 8)")},       \
    {                                                                                                                  \
        LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS                            \
    }

/* A metric beside a bandwidth, which lab_workload_add_traffic counts. */
#define LAB_TRAFFIC_METRIC                                                                                              \
    LAB_METRIC(                                                                                                         \
        "counted_traffic", "Counted traffic", "1",                                                                      \
        "counted by the hardware: bytes that device memory read, wrote or both, as the bandwidth counts them, / bytes " \
        "that it counts; 1 if each byte is moved once, less if the last-level cache has some of them or has not yet "   \
        "written them")

/* The metrics of a roofline, which lab_workload_add_intensity reports beside a throughput. `bytes`: which the first
 * counts. */
#define LAB_INTENSITY_METRICS(bytes)                                                                                   \
    {LAB_METRIC("intensity", "Arithmetic intensity", "FLOP/B",                                                         \
                "computed, not measured: operations that the throughput counts / " bytes)},                            \
    {                                                                                                                  \
        LAB_METRIC("counted_intensity", "Counted arithmetic intensity", "FLOP/B",                                      \
                   "counted by the hardware: operations that the throughput counts / bytes that device memory reads "  \
                   "and writes")                                                                                       \
    }

/* All of them, in a benchmark whose bandwidth is that of `bytes`: "bytes of the three arrays". */
#define LAB_BANDWIDTH_METRICS(bytes)                                                                                   \
    {LAB_METRIC("bandwidth", "Bandwidth", "GB/s", bytes " / time / 10^9"), .counter = LAB_COUNT_BYTES},                \
        LAB_KERNEL_METRICS

/* Fields of a parameter with the sizes of a workload's arrays, for the axis "bytes"; the default comes last. */
#define LAB_BYTES_PARAMETER(what, least, ...)                                                                          \
    .unit = "B", .minimum = (least), .maximum = 17179869184.0,                                                         \
    LAB_INTEGERS("bytes", "Size", "Bytes of each of " what ".", __VA_ARGS__)

/* Add a buffer; return its index. An input or output is contiguous, in device memory. */
size_t lab_workload_declare(struct lab_workload *workload, struct lab_buffer buffer);
size_t lab_workload_input(struct lab_workload *workload, size_t bytes, enum lab_content content);
size_t lab_workload_output(struct lab_workload *workload, size_t bytes);
/* An output to which kernels add. */
size_t lab_workload_zeros(struct lab_workload *workload, size_t bytes);
/* An input that a kernel of the image fills, and the parameters of that kernel. */
#define LAB_FILLED(workload, bytes_, fill_, ...)                                                                       \
    lab_workload_declare(workload,                                                                                     \
                         (struct lab_buffer){.bytes = (bytes_), .fill = (fill_), .fill_parameters = {__VA_ARGS__}})

/* A check of a buffer, and the parameters of its kernel. */
#define LAB_CHECK(kernel_, buffer_, ...)                                                                               \
    (struct lab_workload_check)                                                                                        \
    {                                                                                                                  \
        .kernel = (kernel_), .buffer = (buffer_), .parameters = { __VA_ARGS__ }                                        \
    }

/* Says why the point cannot be measured. */
__attribute__((format(printf, 2, 3))) void lab_workload_skip(struct lab_workload *workload, const char *format, ...);

/* Add a launch of the kernel `name`, or the call of a library that `prepare` (struct lab_workload_step) prepares; the
 * functions that follow apply to it. */
void lab_workload_add_step(struct lab_workload *workload, const char *name);
/* Adds a kernel whose name is formatted. Hyphens of the name become underscores, so that names of steps can be parts of
 * the name: "stream_%s" with "triad", "vector_add_%s" with "one-block". */
__attribute__((format(printf, 2, 3))) void lab_workload_add_kernel(struct lab_workload *workload, const char *format,
                                                                   ...);
void lab_workload_add_call(struct lab_workload *workload,
                           struct lab_plan *(*prepare)(struct lab_device *device, const struct lab_argument *arguments,
                                                       size_t count));

/* Appends arguments of the kernel or of the call, in the order of its parameters:
 * LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U32(rows), LAB_U64(n)). */
#define LAB_ARGUMENTS(workload, ...)                                                                                   \
    lab_workload_add_arguments(workload, (const struct lab_workload_argument[]){__VA_ARGS__},                          \
                               sizeof((const struct lab_workload_argument[]){__VA_ARGS__}) /                           \
                                   sizeof(struct lab_workload_argument))
#define LAB_BUFFER(index)                                                                                              \
    (struct lab_workload_argument)                                                                                     \
    {                                                                                                                  \
        .kind = LAB_ARGUMENT_ADDRESS, .buffer = (index)                                                                \
    }
#define LAB_TEXTURE(index, shape)                                                                                      \
    (struct lab_workload_argument)                                                                                     \
    {                                                                                                                  \
        .kind = LAB_ARGUMENT_TEXTURE, .buffer = (index), .texture = (shape)                                            \
    }
#define LAB_VALUE(...)                                                                                                 \
    (struct lab_workload_argument)                                                                                     \
    {                                                                                                                  \
        .value = __VA_ARGS__                                                                                           \
    }
#define LAB_U32(number) LAB_VALUE(lab_argument_u32((uint32_t)(number)))
#define LAB_U64(number) LAB_VALUE(lab_argument_u64((uint64_t)(number)))
void lab_workload_add_arguments(struct lab_workload *workload, const struct lab_workload_argument *arguments,
                                size_t count);
/* Declare a buffer and append it; return its index. */
size_t lab_workload_add_input(struct lab_workload *workload, size_t bytes, enum lab_content content);
size_t lab_workload_add_output(struct lab_workload *workload, size_t bytes);

/* Adds a copy. */
void lab_workload_add_copy(struct lab_workload *workload, struct lab_workload_copy copy);

/* Adds a computed figure, reported as a metric of the point. */
void lab_workload_add_figure(struct lab_workload *workload, const char *metric, double value);

/* Adds a figure of hardware counters, factor * above / below (counted.h), reported as a metric of the point. */
void lab_workload_add_counted(struct lab_workload *workload, const char *metric, double factor,
                              struct lab_counter_sum above, struct lab_counter_sum below);
/* Adds that of LAB_TRAFFIC_METRIC for bytes that are read and written. Where one is 0, that direction is not counted:
 * the cache writes what others, such as the profiler, have left in it. */
void lab_workload_add_traffic(struct lab_workload *workload, double read, double written);

/* Adds those of LAB_INTENSITY_METRICS for the workload's counts of operations and bytes: none without operations, and
 * without bytes the counted one alone. */
void lab_workload_add_intensity(struct lab_workload *workload);
/* Reports the figures of the workload, computed and counted. */
bool lab_workload_report_figures(const struct lab_workload *workload, const struct lab_report *report);

/* Sets a launch of `blocks` blocks of `threads` threads; of as many blocks as cover `items` items, one thread each. */
void lab_workload_launch(struct lab_workload *workload, uint64_t blocks, uint32_t threads);
void lab_workload_launch_items(struct lab_workload *workload, uint64_t items, uint32_t threads);

/* Bytes of memory that a buffer occupies, with the gaps between its rows; SIZE_MAX / 16 if that is more. */
size_t lab_buffer_bytes(const struct lab_buffer *buffer);
/* Bytes that all buffers in device memory and the arrays of textures occupy together; with `device` false: the buffers
 * in host memory. Managed memory can be in both. */
size_t lab_workload_bytes(const struct lab_workload *workload, bool device);

/* Whether a repetition, which cannot be cancelled, is expected to take so long that the point does not fit in `left_s`
 * seconds: with one to warm up, a sample, the last one and its check it takes as long as four. */
bool lab_workload_too_long(const struct lab_workload *workload, double left_s);

/* plan() and run() of every benchmark (experiment.h). */
bool lab_benchmark_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                        size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool lab_benchmark_run(struct lab_run *run);

/* Fields of struct lab_experiment that are the same in all benchmarks on one device, whose tables have these names:
 * NAME, as in LAB_PAGE, and the struct lab_benchmark; and those of a benchmark that has the same plan and a run() of
 * its own. */
#define LAB_BENCHMARK_FIELDS(name_, benchmark_) LAB_BENCHMARK_RUN_FIELDS(name_, benchmark_, lab_benchmark_run)
#define LAB_BENCHMARK_RUN_FIELDS(name_, benchmark_, run_)                                                              \
    LAB_TABLE_FIELDS(name_, axes), .devices_min = 1, .devices_max = 1, .benchmark = &(benchmark_),                     \
                                   .plan = lab_benchmark_plan, .run = (run_)

/* --- for experiments that measure points of another benchmark among their own ------------------------------------- */

struct lab_case; /* benchmark/loop.h */

/* The buffers and kernels of a benchmark on one of the run's devices. */
struct lab_benchmark_state;

/* Loads the kernels, if there are any. Returns NULL with run->error set. */
struct lab_benchmark_state *lab_benchmark_open(struct lab_run *run, struct lab_device *device,
                                               const struct lab_benchmark *benchmark);
/* Releases everything; NULL is allowed and does nothing. */
void lab_benchmark_close(struct lab_benchmark_state *state);

/* Prepares a case: work, counts, peak and kernel, or why it is skipped. `point` is a point of the benchmark, which gets
 * the run's parameters. Returns false with run->error set. Call lab_benchmark_end in either case, after the work. */
bool lab_benchmark_begin(struct lab_benchmark_state *state, const struct lab_point *point, struct lab_case *c);
void lab_benchmark_end(struct lab_benchmark_state *state);
/* The memory of a buffer of the prepared point. */
void *lab_benchmark_buffer(const struct lab_benchmark_state *state, size_t buffer);
/* Releases the buffers and kernels that are kept for later points. */
void lab_benchmark_renew(struct lab_benchmark_state *state);

#endif
