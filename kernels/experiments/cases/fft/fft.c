/* fft: Fourier transforms, from the direct sum to one kernel that keeps a transform on the multiprocessor, beside the
 * library.
 *
 * Reproduces the batched transforms of Ruetsch & Fatica (7.1). The order of the passes is that of T. G. Stockham,
 * "High-speed convolution and correlation", 1966, and their form that of N. Govindaraju et al., "High performance
 * discrete Fourier transforms on graphics processors", 2008.
 */
#include "fft.h"

#include "benchmark/axes.h"
#include "descriptor/parameters.h"
#include "workload.h"

static const char *const kinds[] = {"complex", "real", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS_OF("step", "Steps", fft_steps, "all"),
     .text =
         "Algorithms to measure. all: every one that the device has for the size; library, cuFFT on GPUs and FFTW on "
         "CPUs, is the reference that the others are compared with."},
    {LAB_INTEGERS(
         "n", "Length",
         "Numbers of a transform in each dimension. The library and mixed-radix take any length, the others powers "
         "of two.",
         256, 512, 1024, 2048, 4096),
     .minimum = 2, .maximum = 16777216},
    {LAB_INTEGERS("dimensions", "Dimensions", "1: vectors of n numbers; 2: matrices of n x n numbers.", 1),
     .minimum = 1, .maximum = 2},
    {LAB_INTEGERS("bytes", "Size",
                  "Bytes of the input, which is a batch of as many transforms as fit, and at least one.", 268435456),
     .unit = "B", .minimum = 16, .maximum = 17179869184.0},
    {LAB_CHOICES(
        "kind", "Numbers",
        "complex; real: real numbers, of whose transform n / 2 + 1 complex numbers are kept, because the others are "
        "their conjugates.",
        kinds, "complex")},
    {LAB_CHOICES("type", "Types", "Type of a number, or of each part of a complex number.", fft_types, "fp32")},
    {LAB_BOOLEANS("in_place", "In place", "Whether the result replaces the input.", false)},
    {LAB_COUNTERS_PARAMETER_OFF},
    {0},
};

static const struct lab_axis axes[] = {
    [FFT_KIND] = {.name = "kind"},
    [FFT_DIMENSIONS] = {.name = "dimensions"},
    [FFT_N] = {.name = "n"},
    [FFT_BYTES] = {.name = "bytes"},
    [FFT_TYPE] = {.name = "type", .title = "Type"},
    [FFT_IN_PLACE] = {.name = "in_place"},
    [FFT_STEP] = {.name = "step", .title = "Step", .all = FFT_ALL, .keeps = fft_keeps_step},
    [FFT_LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "throughput", "Throughput", "GFLOP/s",
         "5 N log2 N operations for each transform of N complex numbers, half of it for real ones, however many the "
         "algorithm makes, / time / 10^9; N = n, or n^2 in two dimensions"),
     .counter = LAB_COUNT_OPERATIONS},
    {LAB_METRIC(
        "share_of_peak", "Share of one pass", "1",
        "time of reading the input and writing the result once at the theoretical bandwidth of the device's memory "
        "/ time")},
    {LAB_METRIC("share_of_reference", "Share of the library", "1",
                "time of the library / time, for the same transforms; their samples are taken alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("bandwidth", "Effective bandwidth", "GB/s",
                "bytes of the input and of the result, each counted once, / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("time", "Time", "s", "time from the first to the last of the launches that transform the batch"),
     .counter = LAB_COUNT_SECONDS},
    LAB_INTENSITY_METRICS(
        "bytes of the input and of the result, each counted once, which one pass through device memory moves"),
    {LAB_TRAFFIC_METRIC},
    {LAB_METRIC(
        "relative_error", "Largest error", "1",
        "largest |X - exact X| of all elements of the result / root of N, which is the magnitude of every exact "
        "complex element")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("ladder", "ladder", "Throughput by step", "throughput", "step")},
    {LAB_VIEW("line", "length", "Throughput over length", "throughput", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "share", "Share of the library over length", "share_of_reference", "n"), .log_x = true},
    {LAB_VIEW("line", "error", "Largest error over length", "relative_error", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("roofline", "roofline", "Roofline", "throughput", "n"), .y = "step", .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "counted", "Counted over highest arithmetic intensity", "counted_intensity", "intensity"),
     .y = "step", .beside = "throughput", .predicted = true, .log_x = true, .log_y = true},
    {LAB_VIEW("line", "traffic", "Counted traffic over length", "counted_traffic", "n"), .log_x = true},
    {0},
};

LAB_IMAGE(fft);
static const struct lab_benchmark benchmark = {.image = &image, .describe = fft_describe, .baseline = fft_baseline};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Throughput", "throughput"), .except = {"step", "library"}, .largest = {"n", "bytes"},
     .share = "share_of_reference"},
    {0},
};

LAB_PAGE(fft);
const struct lab_experiment lab_fft = {
    .name = "fft",
    .title = "Fourier transform (FFT)",
    .subject = "cases",
    .summary =
        "Batches of Fourier transforms, from the direct sum to one kernel for a transform, compared with cuFFT or FFTW.",
    LAB_BENCHMARK_FIELDS(fft, benchmark),
};
