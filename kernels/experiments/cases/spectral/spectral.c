/* spectral: what Fourier transforms are for: derivatives, convolutions and Poisson's equation, beside sums over neighbours.
 *
 * Reproduces the spectral derivative, the convolution and the solution of Poisson's equation of Ruetsch & Fatica (7.2 to 7.4).
 */
#include "spectral.h"

#include "benchmark/axes.h"
#include "workload.h"

static const char *const problems[] = {"derivative", "convolution", "poisson", NULL};
static const char *const variants[] = {"spectral", "difference-2", "difference-8", "direct", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "problem", "Problems",
        "derivative: of a periodic function; convolution: of signals with a filter of `taps` weights; poisson: the "
        "potential of charges in a periodic square.",
        problems, "derivative", "convolution", "poisson")},
    {LAB_CHOICES(
        "variant", "Methods",
        "spectral: by Fourier transforms; difference-2 and difference-8: by the neighbours of each point, of 2nd and of "
        "8th order (poisson: the equations of five neighbouring points, of 2nd order); direct: the sum over all "
        "taps (convolution).",
        variants, "spectral", "difference-2", "difference-8", "direct")},
    {LAB_INTEGERS("n", "Points", "Points in each dimension, a power of two. The convolution has the largest of them.",
                  16, 32, 64, 128, 256, 512, 1024),
     .minimum = SPECTRAL_N_MIN, .maximum = SPECTRAL_N_MAX},
    {LAB_INTEGERS("taps", "Taps", "Weights of the filter of the convolution.", 1, 4, 16, 64, 256), .minimum = 1,
     .maximum = SPECTRAL_N_MAX},
    {LAB_BYTES_PARAMETER("the input and of the result, which hold as many problems as fit, and at least two", 512,
                         134217728)},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    [SPECTRAL_PROBLEM] = {.name = "problem", .title = "Problem"},
    [SPECTRAL_N] = {.name = "n", .title = "Points", .list = spectral_list_sizes},
    [SPECTRAL_TAPS] = {.name = "taps", .title = "Taps", .applies = spectral_has_taps},
    [SPECTRAL_BYTES] = {.name = "bytes", .title = "Size", .unit = "B"},
    [SPECTRAL_VARIANT] = {.name = "variant", .title = "Method", .list = spectral_list_variants},
    [SPECTRAL_LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Effective bandwidth", "GB/s",
         "bytes of the input and of the result, each counted once, however often they are read and written, / time / "
         "10^9"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {LAB_METRIC("relative_error", "Largest error", "1",
                "largest |result - exact solution| / largest value of the exact solution")},
    {LAB_METRIC(
        "predicted_relative_error", "Predicted error", "1",
        "computed, not measured: the errors that the method makes in the waves of the exact solution, added up; "
        "rounding not included. None where rounding is larger")},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "error", "Largest error over points", "relative_error", "n"), .log_x = true, .log_y = true,
     .slope = -2},
    {LAB_VIEW("field", "solution", "Solution of Poisson's equation", "time", "variant")},
    {LAB_VIEW("line", "taps", "Time over taps", "time", "taps"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "bandwidth", "Effective bandwidth over points", "bandwidth", "n"), .log_x = true},
    {0},
};

static const char explanation[] =
    "A Fourier transform turns operators into products. The derivative of a wave of frequency k is the wave times ik, so a "
    "derivative is a transform, n products and a transform back; a convolution with a filter is a product with the "
    "filter's transform; and Poisson's equation, which couples all points of a square, becomes one division for each "
    "wave.\n\n"
    "What to expect of the error: the difference of two neighbours is right up to a term with the square of their distance, so "
    "twice as many points make its error 4 times smaller, a slope of 2; the stencil of nine points has the slope 8. "
    "The spectral derivative is exact for every wave that the points can tell apart. The amplitudes of the waves of a "
    "smooth function fall faster than any power of k, and so does the error, until only rounding is left: with 64 points it is "
    "as exact as fp64 allows. Then more points make it worse, because ik enlarges the rounding errors of high "
    "frequencies. The predicted error is the sum of what each method gets wrong in each wave; a result with a larger error is "
    "wrong.\n\n"
    "What to expect of the time: the stencils read and write each number once, if the caches hold the neighbours. So "
    "do the spectral derivative and the convolution here: a block keeps lines in registers, transforms them, multiplies, "
    "transforms them back, and only then writes them. In fp64 they cost more arithmetic. A direct convolution costs two "
    "operations for each tap and number; the spectral one is as fast for any filter. Where the curves over taps "
    "cross is the answer to which one to choose. The Poisson solver makes three passes: rows, columns, rows; the column "
    "pass reads memory in pieces of one number for each row, and neighbouring blocks share the sectors.\n\n"
    "On an H200 128 MiB take 66 us by difference-2, 67 to 70 by difference-8, and 89 by the spectral derivative at n = 128, 124 "
    "at 1024. It has an error of 2.5e-9 with 32 points and of rounding with 64; difference-8 needs 512 points for that. A "
    "direct convolution takes 66 us with 1 tap, 122 with 16 and 434 with 64, the spectral one 147 with any: they cross at "
    "about 20. Poisson's equation takes 357 us at n = 64 and 433 at 1024.\n\n"
    "Try fewer and more points. Try more taps, up to n: the direct sum then takes as long as a transform by definition.";

#define FOLDER "kernels/experiments/cases/spectral/"
#define REGION(name)                                                                                                   \
    {                                                                                                                  \
        FOLDER "spectral.cu", name                                                                                     \
    }
#define HOST_REGION(name)                                                                                              \
    {                                                                                                                  \
        FOLDER "spectral_host.c", name                                                                                 \
    }

static const struct lab_source sources[] = {
    {"spectral",
     "cuda",
     "By transforms",
     "The threads of a block hold whole lines in registers, as in the kernel stockham of the experiment fft. Between the transform "
     "and the transform back each element is multiplied, so the line passes through memory once.",
     {REGION("lines"), REGION("derivative"), REGION("convolution"), REGION("poisson")}},
    {"difference-2",
     "cuda",
     "Differences of neighbours",
     "A thread for each point. The weights are known when compiling; the neighbours come from the caches.",
     {REGION("difference")}},
    {"difference-8",
     "cuda",
     "Differences of eight neighbours",
     "Four pairs of neighbours with the weights that make the first seven powers of the distance vanish from the error.",
     {REGION("difference")}},
    {"direct",
     "cuda",
     "Sum over taps",
     "A thread for each element. All threads of a warp read the same tap and neighbouring elements.",
     {REGION("direct")}},
    {"spectral",
     "host",
     "By transforms",
     "Each core takes lines in turn: transform, product, transform back.",
     {HOST_REGION("lines"), HOST_REGION("derivative"), HOST_REGION("convolution"), HOST_REGION("poisson")}},
    {"difference-2",
     "host",
     "Differences of neighbours",
     "Each core computes a part of the points.",
     {HOST_REGION("difference")}},
    {"difference-8",
     "host",
     "Differences of eight neighbours",
     "Four pairs of neighbours for each point.",
     {HOST_REGION("difference")}},
    {"direct", "host", "Sum over taps", "Each core computes a part of the elements.", {HOST_REGION("direct")}},
    {0},
};

extern const struct lab_binary lab_binary_spectral;
extern const struct lab_host_kernel spectral_host_kernels[];
static const struct lab_image image = {"spectral", &lab_binary_spectral, spectral_host_kernels};
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = spectral_describe, .check = spectral_check_parameters, .read = spectral_read};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Derivative", "bandwidth"), .at = {{"problem", "derivative"}, {"variant", "spectral"}},
     .largest = {"n", "bytes"}},
    {LAB_HEADLINE("Poisson", "bandwidth"), .at = {{"problem", "poisson"}, {"variant", "spectral"}},
     .largest = {"n", "bytes"}},
    {0},
};

LAB_PAGE(spectral);
const struct lab_experiment lab_spectral = {
    .name = "spectral",
    .title = "Spectral methods",
    .subject = "cases",
    .summary =
        "Derivatives, convolutions and Poisson's equation by Fourier transforms, compared with sums over neighbours.",
    .sources = sources,
    LAB_BENCHMARK_FIELDS(spectral, benchmark),
};
