/* laplace: Laplace's equation in two dimensions by Jacobi iterations. This file holds the descriptor: parameters, metrics, views
 * and explanation.
 *
 * Reproduces the case study of Ruetsch & Fatica, "CUDA Fortran for Scientists and Engineers", 6.2. The variants: the residual in
 * a pass of its own or in that of the iteration, of each iteration or of every k-th; how values are loaded; how iterations are
 * launched; and rows exchanged between several devices.
 */
#include "experiment.h"

static const char *const variants[] = {"copy",  "separate",    "fused",   "every-k", "tiles", "rows",
                                       "graph", "cooperative", "exposed", "hidden",  NULL};
static const char *const modes[] = {"strong", "weak", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "variant", "Variant",
        "copy: no iteration, the reference; separate: the residual in a pass of its own; fused: in that of the iteration; "
        "every-k: of every k-th iteration, also in those that follow; tiles: values in shared memory; rows: each thread goes "
        "along rows and keeps them in registers; graph: the same, launched as a graph; cooperative: k iterations in one "
        "launch; on several devices exposed: rows are exchanged after each iteration; hidden: while it runs.",
        variants, "copy", "separate", "fused", "every-k", "tiles", "rows", "graph", "cooperative", "exposed",
        "hidden")},
    {LAB_INTEGERS("n", "Points per side", "The plate has n x n points inside its boundary. Multiples of 32.", 128, 1024,
                  16384),
     .minimum = 64, .maximum = 32768},
    {LAB_INTEGERS(
         "interval", "Iterations per residual",
         "k: the residual of every k-th iteration is computed and copied to the host; separate and fused compute all.",
         16),
     .minimum = 2, .maximum = 256},
    {.name = "device_count",
     .title = "Number of devices",
     .text = "Number of the run's devices that share the plate, counted from the first. 0: every number from 1 to all.",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 0,
     .maximum = LAB_RUN_DEVICES_MAX,
     .fallback = "[0]"},
    {LAB_CHOICES("scaling", "Scaling",
                 "On several devices, strong: they share a plate of n x n points; weak: each has as many.", modes,
                 "strong", "weak")},
    {.name = "bound",
     .title = "Bound of the residual",
     .text = "Plates up to solve_n are solved: iterations go on until no value changes by more.",
     .type = LAB_TYPE_NUMBER,
     .minimum = 1e-6,
     .maximum = 1e-2,
     .fallback = "1e-5"},
    {LAB_INTEGER("solve_n", "Largest plate to solve", "Points per side. The iterations grow with the square of it.",
                 256),
     .minimum = 0, .maximum = 1024},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Effective bandwidth", "GB/s",
                "bytes of the plate, read and written once by each iteration, / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("aggregate_bandwidth", "Effective bandwidth of all devices", "GB/s",
                "the same on several devices: bytes of the whole plate"),
     .counter = LAB_COUNT_AGGREGATE_BYTES},
    {LAB_METRIC("share_of_peak", "Share of peak", "1",
                "bandwidth / theoretical bandwidth of the memory of the devices that take part")},
    {LAB_METRIC("iteration_time", "Time of an iteration", "s", "time of k iterations with their residuals / k"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("share_of_reference", "Share of the copy", "1",
                "time of copies of the same bytes by a kernel / time; their samples are taken alternately")},
    {LAB_METRIC(
        "speedup", "Speedup", "1",
        "strong: t(1) / t(N); weak: N t(1) / t(N). t(1): time of the variant rows on the first device; both are "
        "sampled alternately")},
    {LAB_METRIC("efficiency", "Efficiency", "1", "speedup / N")},
    {LAB_METRIC(
        "iterations", "Iterations to the bound", "1",
        "iterations until the residual is below the bound, from the solution plus a wave as long as the plate; the "
        "host sees every k-th residual, that of separate and fused every second")},
    {LAB_METRIC("predicted_iterations", "Predicted iterations", "1",
                "computed, not measured: 1 + ln(bound / (1 - d)) / ln(d), rounded up, d = cos(pi / (n + 1))")},
    {LAB_METRIC("solve_time", "Time to the bound", "s", "host clock, with the host's looks at the residual")},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "variants", "Bandwidth by variant", "bandwidth", "variant")},
    {LAB_VIEW("bars", "share", "Share of the copy", "share_of_reference", "variant")},
    {LAB_VIEW("line", "size", "Time of an iteration over n", "iteration_time", "n"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "speedup", "Speedup over devices", "speedup", "device_count")},
    {LAB_VIEW("line", "efficiency", "Efficiency over devices", "efficiency", "device_count")},
    {LAB_VIEW("bars", "solve", "Time to the bound", "solve_time", "variant")},
    {LAB_VIEW("table", "iterations", "Iterations to the bound", "iterations", "variant")},
    {LAB_VIEW("field", "solution", "Temperature of the plate", "iterations", "variant")},
    {0},
};

static const char explanation[] =
    "The temperature of a plate whose edges are kept hot or cold satisfies Laplace's equation. On a grid it says that every "
    "value is the mean of its four neighbours, and Jacobi's iteration does just this: it replaces all values by these means, "
    "again and again, until no value changes by more than a bound. The largest change of an iteration is the residual.\n\n"
    "An iteration does four operations for each value, which is read and written once: memory is the limit, and a copy of "
    "the plate is what it can reach. The iterations are many: waves as long as the plate shrink by a factor of "
    "cos(pi / (n + 1)) each time, so that twice as many points per side need four times as many iterations. So "
    "what accompanies an iteration counts as well: the residual, the launch, and the copy by which the host learns whether "
    "to go on.\n\n"
    "What to expect on large plates: `separate` reads both arrays again for the residual and takes twice as long. `fused` "
    "computes it where the values are in registers. `every-k` saves that, too, and 15 of 16 copies to the host. "
    "Its five loads for each value come from the L1 cache; `tiles` replaces them by shared memory. `rows` has "
    "four values side by side of eight rows in registers: ten rows are loaded for eight, by fewer instructions, and all loads "
    "of a thread are under way together. On small plates the launches take most of the time: `graph` launches k iterations "
    "with one call, and `cooperative` does not leave the kernel; its blocks wait for each other.\n\n"
    "On several devices each has some of the rows and needs one row of each neighbour for each iteration. `exposed` "
    "copies them when the iteration has ended. `hidden` computes the outer rows first and copies them while the inner "
    "ones are computed. The copies are small, 64 KiB at n = 16384, so they are hidden if the interior takes longer than "
    "their latency.\n\n"
    "The values begin as the solution plus a wave, which each iteration multiplies by a known factor. So the result of any "
    "number of iterations is known and checked at every point. Plates up to solve_n are solved from a wave as long as "
    "the plate, the one that lasts longest, and drawn in the tab Field as they are when the bound is reached. A small "
    "residual is not yet a small error: an iteration takes only pi^2 / (2 (n + 1)^2) off the height of that wave, so it is "
    "still 2 (n + 1)^2 / pi^2 times as high as the bound, 0.13 at n = 256 and a bound of 1e-5.\n\n"
    "On an H200 an iteration of n = 16384 takes 506 us for the copy, 4243 GB/s. separate reaches 0.21 of it, fused 0.30, "
    "every-k 0.51, tiles 0.64, rows 0.975 and graph 0.978; cooperative 0.77, because its blocks do not follow each other in "
    "memory. With segments of 32 rows, four loads under way, rows reached 0.86. The residual in the same pass costs more "
    "than its arithmetic, because the host waits for each. At n = 256 graph solves the plate in 69 ms and 26960 iterations, "
    "cooperative in 87, rows in 111, separate in 490.\n\n"
    "Try n = 256 with interval = 2 and 256: looking seldom saves time, but the last look comes up to k iterations late. On a "
    "CPU the caches do what tiles and registers do.";

#define FOLDER "kernels/experiments/cases/laplace/"
#define ITERATION                                                                                                      \
    {                                                                                                                  \
        FOLDER "iterate.c", "iteration"                                                                                \
    }
#define HALO                                                                                                           \
    {FOLDER "iterate.c", "halo"},                                                                                      \
    {                                                                                                                  \
        FOLDER "laplace.cu", "rows"                                                                                    \
    }

static const struct lab_source sources[] = {
    {"copy", "cuda", "Copy", "The bytes of an iteration without arithmetic.", {{FOLDER "laplace.cu", "copy"}}},
    {"separate",
     "cuda",
     "Residual in a pass of its own",
     "A second kernel reads both arrays again.",
     {{FOLDER "laplace.cu", "points"}, {FOLDER "laplace.cu", "residual"}, ITERATION}},
    {"fused",
     "cuda",
     "Fused residual",
     "The kernel that computes a value also knows its change. Each block reports its largest one.",
     {{FOLDER "laplace.cu", "residual-max"}, {FOLDER "laplace.cu", "points"}, ITERATION}},
    {"every-k",
     "cuda",
     "Residual of every k-th iteration",
     "The others are a kernel and nothing else.",
     {{FOLDER "laplace.cu", "points"}, ITERATION}},
    {"tiles",
     "cuda",
     "Tiles in shared memory",
     "Each value is loaded once, and those around the tile.",
     {{FOLDER "laplace.cu", "tiles"}}},
    {"rows",
     "cuda",
     "Rows in registers",
     "Four values side by side of eight rows: ten rows are loaded for eight, all at once.",
     {{FOLDER "laplace.cu", "rows"}}},
    {"graph",
     "cuda",
     "Graph",
     "k iterations are recorded once and launched with one call.",
     {{FOLDER "laplace.cu", "rows"}, ITERATION}},
    {"cooperative",
     "cuda",
     "Cooperative grid",
     "A barrier of all blocks separates the iterations.",
     {{FOLDER "laplace.cu", "rows"}, {FOLDER "laplace.cu", "cooperative"}}},
    {"exposed", "cuda", "Exposed exchange", "The next iteration waits for the rows of the neighbours.", {HALO}},
    {"hidden",
     "cuda",
     "Hidden exchange",
     "The outer rows come first and are copied while the interior is computed.",
     {HALO}},
    {"copy", "host", "Copy", "The bytes of an iteration without arithmetic.", {{FOLDER "laplace_host.c", "copy"}}},
    {"separate",
     "host",
     "Residual in a pass of its own",
     "A second loop reads both arrays again.",
     {{FOLDER "laplace_host.c", "rows"}, {FOLDER "laplace_host.c", "residual"}}},
    {"fused",
     "host",
     "Fused residual",
     "The change of a row is computed while the row is in the cache.",
     {{FOLDER "laplace_host.c", "rows"}}},
    {"rows",
     "host",
     "Rows",
     "Row by row; the caches hold the rows above and below.",
     {{FOLDER "laplace_host.c", "rows"}}},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Bandwidth", "bandwidth"), .except = {"variant", "copy"}, .largest = {"n"},
     .share = "share_of_reference"},
    {LAB_HEADLINE("Strong scaling", "speedup"), .at = {{"scaling", "strong"}}, .largest = {"device_count", "n"},
     .share = "efficiency"},
    {LAB_HEADLINE("Weak scaling", "speedup"), .at = {{"scaling", "weak"}}, .largest = {"device_count", "n"},
     .share = "efficiency"},
    {LAB_HEADLINE("Time to the bound", "solve_time"), .largest = {"n"}, .lowest = true},
    {0},
};

LAB_PAGE(laplace);
const struct lab_experiment lab_laplace = {
    .name = "laplace",
    .title = "Laplace's equation (Jacobi)",
    .subject = "cases",
    .summary =
        "The temperature of a plate by Jacobi iterations: residual, launches, and rows exchanged between devices.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = laplace_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .sources = sources,
    .devices_min = 1,
    .devices_max = LAB_RUN_DEVICES_MAX,
    LAB_PAGE_FIELDS(laplace),
    .plan = laplace_plan,
    .run = laplace_run,
};
