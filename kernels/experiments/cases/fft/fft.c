/* fft: Fourier transforms, from the direct sum to one kernel that keeps a transform on the multiprocessor, beside the library.
 *
 * Reproduces the batched transforms of Ruetsch & Fatica (7.1). The order of the passes is that of T. G. Stockham, "High-speed
 * convolution and correlation", 1966, and their form that of N. Govindaraju et al., "High performance discrete Fourier
 * transforms on graphics processors", 2008.
 */
#include "fft.h"

#include "benchmark/axes.h"
#include "workload.h"

static const char *const kinds[] = {"complex", "real", NULL};
static const char *const types[] = {"fp32", "fp64", NULL};
static const char *const steps[] = {"dft", "radix-2", "radix-8", "stockham", "mixed-radix", "library", "all", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "step", "Steps",
        "Algorithms to measure. all: every one that the device has for the size; library, cuFFT on GPUs and FFTW on "
        "CPUs, is the reference that the others are compared with.",
        steps, "all")},
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
    {LAB_CHOICES("type", "Types", "Type of a number, or of each part of a complex number.", types, "fp32")},
    {.name = "in_place",
     .title = "In place",
     .text = "Whether the result replaces the input.",
     .type = LAB_TYPE_BOOLEAN,
     .count = LAB_ONE_OR_LIST,
     .fallback = "[false]"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    [FFT_KIND] = {.name = "kind", .title = "Numbers"},
    [FFT_DIMENSIONS] = {.name = "dimensions", .title = "Dimensions"},
    [FFT_N] = {.name = "n", .title = "Length"},
    [FFT_BYTES] = {.name = "bytes", .title = "Size", .unit = "B"},
    [FFT_TYPE] = {.name = "type", .title = "Type"},
    [FFT_IN_PLACE] = {.name = "in_place", .title = "In place"},
    [FFT_STEP] = {.name = "step", .title = "Step", .list = fft_list_steps},
    [FFT_LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
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
    {LAB_METRIC(
        "relative_error", "Largest error", "1",
        "largest |X - exact X| of all elements of the result / root of N, which is the magnitude of every exact "
        "complex element")},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("ladder", "ladder", "Throughput by step", "throughput", "step")},
    {LAB_VIEW("line", "length", "Throughput over length", "throughput", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "share", "Share of the library over length", "share_of_reference", "n"), .log_x = true},
    {LAB_VIEW("line", "error", "Largest error over length", "relative_error", "n"), .log_x = true, .log_y = true},
    {0},
};

static const char explanation[] =
    "The Fourier transform of n numbers is n sums of n products. The fast transform splits it: the transforms of the even and "
    "of the odd elements give the whole one with n / 2 more products. Repeated log2 n times this is 5 n log2 n operations "
    "instead of 8 n^2, by which all transforms are compared.\n\n"
    "What to expect: for n = 4096 these are 60 operations for each number, which is read and written once, 16 bytes in fp32. "
    "A GPU can do several times as many in the time that memory needs for them, so the limit is the memory, "
    "and what counts is how often the batch passes through it. The steps form a ladder. dft makes the direct sum. radix-2 "
    "makes log2 n passes through global memory, each a launch: for n = 4096 it can be no faster than a twelfth of one pass. "
    "radix-8 transforms 8 numbers in the registers of a thread at a time, and needs 4 passes. stockham needs one: the "
    "threads of a block hold whole transforms in registers, 16 numbers each, and exchange them through shared memory between "
    "passes of radix 16. All passes write their results such that the last result is in order (Stockham), so no pass "
    "is needed to sort the elements.\n\n"
    "The input is a chirp, a tone that rises steadily. Its transform is known exactly and is a chirp too, so every element of "
    "the result is checked, and its error given as a share of the element. The error of a fast transform grows "
    "with log n only, because each element passes through log n roundings; that of the direct sum grows with the root of n.\n\n"
    "On an H200 with 256 MiB of fp32: dft 71, 43 and 25 GFLOP/s at n = 256, 512 and 1024; radix-2 1290 at all n; radix-8 2150 "
    "to 2660; stockham 10100 at 256 and 512, 11900, 13300 and 14500 at 1024, 2048 and 4096, which is 1.03, 0.90, 0.95, 0.99 "
    "and 0.98 of cuFFT, and in fp64 1.00 to 1.01. At n = 4096 its 14500 GFLOP/s are 3860 GB/s. At n = 16, where each thread "
    "has a whole transform, it has 0.27 of cuFFT. cuFFT reaches 12300 GFLOP/s at 2401, and 2800 at the prime 4093.\n\n"
    "Try lengths that are no powers of two, such as 243, 625, 2401 or the primes 251 and 4093: cuFFT has kernels for factors "
    "up to 127, and turns larger primes into a convolution. Try kind real, which needs half of the bytes and operations, "
    "dimensions 2, and transforms in place. Try the types: fp64 has twice the bytes and half of the throughput.";

#define FOLDER "kernels/experiments/cases/fft/"
#define REGION(name)                                                                                                   \
    {                                                                                                                  \
        FOLDER "fft.cu", name                                                                                          \
    }

#define SHARED(name)                                                                                                   \
    {                                                                                                                  \
        FOLDER "stockham.cuh", name                                                                                    \
    }

static const struct lab_source sources[] = {
    {"dft",
     "cuda",
     "Direct sum",
     "A thread for each element of the result adds up n products. The threads of a warp read the same element at a time, so "
     "memory is no limit, but the work grows with n^2.",
     {SHARED("complex"), REGION("dft")}},
    {"radix-2",
     "cuda",
     "Radix 2, passes through global memory",
     "A pass combines pairs of elements that are n / 2 apart: one multiplication by a root of unity, one addition, one "
     "subtraction. It writes the results to a second array, at the places from which the next pass reads such pairs "
     "again. log2 n launches read and write the whole batch each.",
     {SHARED("complex"), SHARED("butterfly"), REGION("passes")}},
    {"radix-8",
     "cuda",
     "Radix 8, passes through global memory",
     "Each thread transforms 8 elements in its registers, which does the work of three passes in one. The last pass has radix "
     "2 or 4, if log2 n is not a multiple of 3.",
     {SHARED("butterfly"), REGION("passes")}},
    {"stockham",
     "cuda",
     "Radix 16, one kernel for a transform",
     "The same passes with 16 elements in each thread, but the elements stay in registers: between the passes the threads "
     "of a transform exchange them through shared memory. Gaps after every 16 elements keep the threads of a warp in "
     "different banks. The batch passes through global memory once.",
     {{FOLDER "fft.h", "sizes"}, SHARED("butterfly"), SHARED("exchange"), REGION("stockham")}},
    {"library",
     "cuda",
     "cuFFT (library)",
     "NVIDIA's library, as the reference: it chooses radices and kernels for the length and the device.",
     {{"kernels/cuda/fft.c", "transform"}}},
    {"dft",
     "host",
     "Direct sum",
     "n products for each element of the result, with a table of the roots of unity.",
     {{FOLDER "fft_host.c", "dft"}}},
    {"mixed-radix",
     "host",
     "Recursion over the prime factors",
     "n is split into its factors, 4 first. The elements whose numbers have the same remainder are transformed by "
     "themselves, and the results combined. Any n works; a large prime factor takes as long as the direct sum. Each "
     "core transforms other rows or columns.",
     {{FOLDER "recursion.h", "mixed-radix"}, {FOLDER "fft_host.c", "mixed-radix"}}},
    {"library",
     "host",
     "FFTW (library)",
     "FFTW, if it is installed, as the reference. Each core computes other transforms of the batch.",
     {{"kernels/host/fft.c", "transform"}}},
    {0},
};

extern const struct lab_binary lab_binary_fft;
extern const struct lab_host_kernel fft_host_kernels[];
static const struct lab_image image = {"fft", &lab_binary_fft, fft_host_kernels};
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
    .sources = sources,
    LAB_BENCHMARK_FIELDS(fft, benchmark),
};
