/* The reference results, by experiment and system. */
#include "experiment/references.h"

#include <stdio.h>
#include <string.h>

/* One measured value of a system. */
struct figure {
    const char *axes; /* JSON object: names and values of the experiment's axes */
    const char *metric;
    double value;
    const char *unit;
    const char *baseline; /* if this time is the baseline of the speedups of the following times: its name; else NULL */
    const char *remark;   /* NULL if there is none */
};

/* The values of one system from one source. `figures` ends with an entry whose `axes` is NULL. */
struct system_results {
    const char *experiment, *system, *source;
    const struct figure *figures;
};

static const char h100_x2[] = "2 x NVIDIA H100 SXM, NVLink";
static const char h200[] = "NVIDIA H200 SXM";
static const char h200_x2[] = "2 x NVIDIA H200 SXM, NVLink";
static const char h200_x4[] = "4 x NVIDIA H200 SXM, NVLink";
static const char source_gpulab[] = "gpulab on H200 SXM, driver 580.159.04, 2026-11";
static const char source_gpulab_h100[] = "gpulab on H100 SXM, driver 580.159.04, 2026-11";

/* --- transfer ----------------------------------------------------------------------------------------------------- */

static const char source_transfer[] = "Ruetsch and Fatica, CUDA Fortran for Scientists and Engineers, 3.1.1";

static const char pageable_h2d[] = "{\"direction\":\"h2d\",\"memory\":\"pageable\",\"bytes\":16777216}";
static const char pageable_d2h[] = "{\"direction\":\"d2h\",\"memory\":\"pageable\",\"bytes\":16777216}";
static const char pinned_h2d[] = "{\"direction\":\"h2d\",\"memory\":\"pinned\",\"bytes\":16777216}";
static const char pinned_d2h[] = "{\"direction\":\"d2h\",\"memory\":\"pinned\",\"bytes\":16777216}";

static const struct figure k20_e5540[] = {
    {pageable_h2d, "bandwidth", 1.659565, "GB/s", NULL, NULL},
    {pageable_d2h, "bandwidth", 1.593377, "GB/s", NULL, NULL},
    {pinned_h2d, "bandwidth", 5.745055, "GB/s", NULL, NULL},
    {pinned_d2h, "bandwidth", 6.566322, "GB/s", NULL, NULL},
    {pageable_h2d, "time", 9018.912e-6, "s", NULL, "profile, pageable h2d: gputime is the time, cputime 9937.000 us"},
    {pageable_d2h, "time", 9216.160e-6, "s", NULL, "profile, pageable d2h: gputime is the time, cputime 10160.000 us"},
    {pinned_h2d, "time", 2786.464e-6, "s", NULL, "profile, pinned h2d: gputime is the time, cputime 3127.991 us"},
    {pinned_d2h, "time", 2501.312e-6, "s", NULL, "profile, pinned d2h: gputime is the time, cputime 2555.000 us"},
    {0},
};
static const struct figure k20_e5_2667[] = {
    {pageable_h2d, "bandwidth", 3.251782, "GB/s", NULL, NULL},
    {pageable_d2h, "bandwidth", 3.301395, "GB/s", NULL, NULL},
    {pinned_h2d, "bandwidth", 6.213710, "GB/s", NULL, NULL},
    {pinned_d2h, "bandwidth", 6.608200, "GB/s", NULL, NULL},
    {0},
};

#define COPY_AXES(direction, memory)                                                                                   \
    "{\"direction\":\"" direction "\",\"memory\":\"" memory                                                            \
    "\",\"engine\":\"copy\",\"pattern\":\"contiguous\","                                                               \
    "\"opposing\":false,\"bytes\":268435456}"

static const char remark_pageable[] =
    "pageable memory: the largest of several runs, which reached 9.1 to 10.3 GB/s h2d and 14.2 to 19.3 GB/s d2h";

static const struct figure transfer_h200[] = {
    {COPY_AXES("h2d", "pinned"), "bandwidth", 55.5, "GB/s", NULL, NULL},
    {COPY_AXES("d2h", "pinned"), "bandwidth", 55.4, "GB/s", NULL, NULL},
    {COPY_AXES("h2d", "pageable"), "bandwidth", 10.3, "GB/s", NULL, remark_pageable},
    {COPY_AXES("d2h", "pageable"), "bandwidth", 19.3, "GB/s", NULL, remark_pageable},
    {0},
};

/* --- overlap ------------------------------------------------------------------------------------------------------ */

static const char source_pipelines[] =
    "Ruetsch and Fatica, CUDA Fortran for Scientists and Engineers, 3.1.3; article on asyncAPI "
    "and overlapping transfers";
static const char source_averaging[] = "Lecture \"Потоки CUDA\" (CUDA streams), averaging kernel on several streams";
static const char sequential[] = "sequential", one_stream[] = "one stream";

/* The published programs: testAsync and the averaging kernel. */
#define WAVES_AXES(variant, chunks, streams)                                                                           \
    "{\"kernel\":\"waves\",\"bytes\":16777216,\"weight\":1,\"chunks\":" #chunks ",\"variant\":\"" variant              \
    "\",\"streams\":" #streams "}"
#define AVERAGE_AXES(variant, streams)                                                                                 \
    "{\"kernel\":\"average\",\"bytes\":83886080,\"chunks\":20,\"variant\":\"" variant "\",\"streams\":" #streams "}"

static const char waves[] = "{\"kernel\":\"waves\",\"bytes\":16777216,\"weight\":1}";
static const char waves_sequential[] = WAVES_AXES("sequential", 1, 1);
static const char waves_depth_first[] = WAVES_AXES("depth-first", 4, 4);
static const char waves_breadth_first[] = WAVES_AXES("breadth-first", 4, 4);
static const char average_one[] = AVERAGE_AXES("one-stream", 1);
static const char average_depth_first[] = AVERAGE_AXES("depth-first", 2);
static const char average_interleaved[] = AVERAGE_AXES("interleaved", 2);

static const struct figure c1060[] = {
    {waves_sequential, "time", 12.92381e-3, "s", sequential, NULL},
    {waves_depth_first, "time", 13.63690e-3, "s", NULL, NULL},
    {waves_breadth_first, "time", 8.845888e-3, "s", NULL,
     "breadth first: the article predicts 8/12 of the sequential time, 8.7 ms"},
    {waves, "max_error", 2.3841858e-07, "1", NULL, NULL},
    {0},
};
static const struct figure c2050[] = {
    {waves_sequential, "time", 9.984512e-3, "s", sequential, NULL},
    {waves_depth_first, "time", 5.735584e-3, "s", NULL, "depth first: the article predicts 1/2 of the sequential time"},
    {waves_breadth_first, "time", 7.597984e-3, "s", NULL,
     "breadth first: the article predicts 9/12 of the sequential time, 7.5 ms"},
    {waves, "max_error", 1.1920929e-07, "1", NULL, NULL},
    {0},
};
static const struct figure k20c[] = {
    {waves_sequential, "time", 7.101760e-3, "s", sequential, NULL},
    {waves_depth_first, "time", 3.974144e-3, "s", NULL, NULL},
    {waves_breadth_first, "time", 3.967616e-3, "s", NULL, NULL},
    {waves, "max_error", 1.1920929e-07, "1", NULL, NULL},
    {0},
};
static const struct figure gtx650[] = {
    {average_one, "time", 34.1e-3, "s", one_stream, NULL},
    {average_depth_first, "time", 34.1e-3, "s", NULL, NULL},
    {average_interleaved, "time", 23.7e-3, "s", NULL, NULL},
    {0},
};
static const struct figure gtx560ti[] = {
    {average_one, "time", 44.1e-3, "s", one_stream, NULL},
    {average_depth_first, "time", 44.4e-3, "s", NULL, NULL},
    {average_interleaved, "time", 41.6e-3, "s", NULL, NULL},
    {0},
};

#define OVERLAP_AXES(bytes, variant, chunks, streams)                                                                  \
    "{\"kernel\":\"waves\",\"memory\":\"pinned\",\"replay\":\"stream\",\"bytes\":" #bytes ",\"variant\":\"" variant    \
    "\",\"chunks\":" #chunks ",\"streams\":" #streams "}"

/* Measured with the kernel "waves" at its calibrated weight, and pinned memory. */
static const struct figure overlap_h200[] = {
    {OVERLAP_AXES(268435456, "depth-first", 16, 4), "speedup", 2.42, "1", NULL, NULL},
    {OVERLAP_AXES(268435456, "breadth-first", 16, 4), "speedup", 1.89, "1", NULL, NULL},
    {OVERLAP_AXES(268435456, "breadth-first-events", 16, 4), "speedup", 1.88, "1", NULL, NULL},
    {OVERLAP_AXES(268435456, "depth-first", 16, 16), "speedup", 2.41, "1", NULL, NULL},
    {OVERLAP_AXES(268435456, "breadth-first", 16, 16), "speedup", 2.41, "1", NULL, NULL},
    {OVERLAP_AXES(268435456, "breadth-first-events", 16, 16), "speedup", 2.34, "1", NULL, NULL},
    {0},
};

/* --- scaling ------------------------------------------------------------------------------------------------------ */

static const char source_collisions[] =
    "Lecture \"Потоки CUDA\" (CUDA streams), several GPUs: collision kernel over 25,165,824 grid points";

static const struct figure unnamed_gpus[] = {
    {"{\"scaling\":\"strong\",\"device_count\":1}", "time", 24 * 60 + 47.123, "s", "one device",
     "one device: a loop of 4,194,304 points (gStossCalc) takes 246.532 to 246.538 s; gCalculateParams, gClearStoss, "
     "gTransposeDf and gTransposeDfInverse 1.55, 0.21, 5.26 and 7.51 ms; CPU time 24m45.149s user, 0.944s system"},
    {"{\"scaling\":\"strong\",\"device_count\":2}", "time", 12 * 60 + 35.874, "s", NULL,
     "two devices: the lecture calls this a two-times speedup; a loop takes 248.722 to 248.926 s; CPU time 12m33.123s "
     "user, 1.628s system"},
    {"{\"scaling\":\"strong\",\"device_count\":3}", "time", 5 * 60 + 38.815, "s", NULL,
     "three devices: the lecture calls this a superlinear speedup, approx. 5-times (not 3!), but it is not due to scaling "
     "alone: a loop takes 164.575 to 164.591 s; the other kernels 1.48, 0.14, 5.14 and 7.44 ms; CPU time 5m36.017s user, "
     "1.800s system"},
    {0},
};

/* Measured with the default weight; one device takes 0.547 s. */
static const struct figure scaling_h200[] = {
    {"{\"scaling\":\"strong\",\"kernel\":\"pairs\",\"device_count\":2}", "efficiency", 0.9912, "1", NULL, NULL},
    {"{\"scaling\":\"strong\",\"kernel\":\"pairs\",\"device_count\":3}", "efficiency", 0.9903, "1", NULL, NULL},
    {"{\"scaling\":\"strong\",\"kernel\":\"pairs\",\"device_count\":4}", "efficiency", 0.9735, "1", NULL, NULL},
    {0},
};

/* --- peer and peer-transpose -------------------------------------------------------------------------------------- */

#define PEER_AXES(pattern, access)                                                                                     \
    "{\"pattern\":\"" pattern "\",\"engine\":\"copy\",\"peer_access\":" access ",\"bytes\":268435456"

static const struct figure peer_h200_x2[] = {
    {PEER_AXES("pair", "true") ",\"access\":\"read\"}", "bandwidth", 390, "GB/s", NULL, NULL},
    {PEER_AXES("pair", "true") ",\"access\":\"write\"}", "bandwidth", 395, "GB/s", NULL, NULL},
    {PEER_AXES("pair", "false") "}", "bandwidth", 38, "GB/s", NULL, NULL},
    {0},
};
static const struct figure peer_h200_x4[] = {
    {PEER_AXES("all-to-all", "true") "}", "aggregate_bandwidth", 1544, "GB/s", NULL, NULL},
    {0},
};
static const struct figure transpose_h100_x2[] = {
    {"{\"n\":16384,\"variant\":\"overlapped\",\"peer_access\":true,\"device_count\":2}", "share_of_all_to_all", 0.841,
     "1", NULL, NULL},
    {"{\"n\":16384,\"variant\":\"direct\",\"peer_access\":true,\"device_count\":2}", "share_of_all_to_all", 0.936, "1",
     NULL, NULL},
    {0},
};
static const char remark_squares[] =
    "with an earlier kernel, which transposed the squares of a chunk one after the other";
static const struct figure transpose_h200_x2[] = {
    {"{\"n\":16384,\"variant\":\"overlapped\",\"peer_access\":true,\"device_count\":2}", "share_of_all_to_all", 0.925,
     "1", NULL, remark_squares},
    {0},
};
static const struct figure transpose_h200_x4[] = {
    {"{\"n\":16384,\"variant\":\"overlapped\",\"peer_access\":true,\"device_count\":4}", "share_of_all_to_all", 0.931,
     "1", NULL, remark_squares},
    {0},
};

/* --- matmul ------------------------------------------------------------------------------------------------------- */

#define GEMM_AXES(type, layout, step, size)                                                                            \
    "{\"type\":\"" type "\",\"layout\":\"" layout "\",\"step\":\"" step "\",\"m\":" #size ",\"n\":" #size              \
    ",\"k\":" #size "}"

/* Products repeated without pauses, as matmul measures them by default. The counters of the profiler (ncu) below explain
 * the fp32 results at 4096. "Busy" is the share of time in which the load/store unit works, "issue" the share of cycles
 * in which a scheduler issues an instruction.
 * - naive: busy 98.5 %, issue 5 %; 99 % of all possible warps are resident.
 * - coalesced: L2 hit rate 60 %; at size 2048 busy 72 %.
 * - tiled-8: busy 92 %, more than a third of it for loads from global memory. (coalesced: caches serve 95 % of its
 *   loads.)
 * - tiled-16: busy 93 %; 1.65 cycles of the load/store unit for each multiply-add of a warp.
 * - tiled-32: busy 84 %; 1.58 cycles of the load/store unit for each multiply-add of a warp.
 * - register-tiles: busy 44 %, issue 64 %; 124 registers; 71 % of the instructions are multiply-adds.
 * - vectorized: issue 61 %; 89 % of the instructions are multiply-adds. An instruction waits 1.1 cycles for loads and
 *   0.6 cycles at the barrier.
 * - double-buffered: issue 74 %; an instruction waits 0.01 cycles for loads and 0.9 for operands. With loads through
 *   registers the kernel reaches 42.2 TFLOP/s.
 * - warp-tiled: issue 90 %; 210 registers; 90.5 % of the instructions are multiply-adds; bank conflicts 0.17; 79 % of
 *   the measured compute ceiling. Its 512 tiles on 132 multiprocessors are 3.88 waves. The kernel reaches 50.3 TFLOP/s
 *   without the back-and-forth order of the sums, 46.4 without adding 0, and 48.7 without either. At size 8192 the
 *   device draws 690 of 700 W and the clock drops by 1 %. */
static const struct figure matmul_h200[] = {
    {GEMM_AXES("fp32", "nn", "naive", 4096), "throughput", 500, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "coalesced", 4096), "throughput", 4690, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "tiled-8", 4096), "throughput", 5120, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "tiled-16", 4096), "throughput", 8100, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "tiled-32", 4096), "throughput", 8590, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "register-tiles", 4096), "throughput", 29700, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "vectorized", 4096), "throughput", 35800, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "double-buffered", 4096), "throughput", 40400, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "warp-tiled", 4096), "throughput", 52500, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "warp-tiled", 4096), "share_of_reference", 1.023, "1", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "warp-tiled", 8192), "throughput", 52800, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "warp-tiled", 8192), "share_of_reference", 1.037, "1", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "coalesced", 2048), "throughput", 6050, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "tiled-8", 2048), "throughput", 5100, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "warp-tiled", 1024), "throughput", 39100, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "cublas", 1024), "throughput", 36100, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "tiled-32", 512), "throughput", 7800, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "register-tiles", 512), "throughput", 3100, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "warp-tiled", 512), "throughput", 20100, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "nn", "cublas", 512), "throughput", 16900, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("bf16", "nn", "mma", 8192), "share_of_reference", 0.56, "1", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "mma", 8192), "share_of_reference", 0.56, "1", NULL, NULL},
    {GEMM_AXES("fp32", "tn", "warp-tiled", 4096), "throughput", 50700, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp32", "tn", "warp-tiled", 4096), "share_of_reference", 1.010, "1", NULL, NULL},
    {GEMM_AXES("fp64", "tn", "mma", 8192), "throughput", 57800, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp64", "tn", "mma", 8192), "share_of_reference", 1.032, "1", NULL, NULL},
    {GEMM_AXES("fp64", "tn", "cublas", 8192), "throughput", 59200, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("tf32", "tn", "wgmma", 8192), "throughput", 337500, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("tf32", "tn", "wgmma", 8192), "share_of_reference", 1.002, "1", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "wgmma", 8192), "throughput", 672000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "wgmma", 8192), "share_of_reference", 1.021, "1", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "cublas", 8192), "throughput", 665000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "wgmma", 2048), "throughput", 721000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "wgmma", 2048), "share_of_reference", 1.038, "1", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "wgmma", 1024), "share_of_reference", 1.002, "1", NULL, NULL},
    {GEMM_AXES("fp8", "tn", "wgmma", 8192), "throughput", 1300000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp8", "tn", "wgmma", 8192), "share_of_reference", 0.997, "1", NULL, NULL},
    {0},
};

/* Single products with pauses between them, so that the power limit does not lower the clock. Further observations:
 * - wgmma: a product takes 2.138 million cycles, of which 2.097 million (98 %) are for the multiplications. Under load
 *   the clock falls immediately from 1.98 GHz to 1.6 GHz, and later to 1.43 GHz.
 * - wgmma at size 4096: 790 TFLOP/s with cluster multicast, 703 without. The order of the tiles reduces device memory
 *   traffic from 1.28 to 1.14 GB and is 0.5 % faster.
 * - Rows that are not a multiple of 16 bytes (4095 x 4097 x 4093): wgmma 400, cuBLAS 136 to 155, mma about 78 TFLOP/s.
 */
static const struct figure matmul_h200_pauses[] = {
    {GEMM_AXES("bf16", "tn", "wgmma", 8192), "throughput", 809000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "cublas", 8192), "throughput", 788000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("bf16", "tn", "mma", 8192), "throughput", 482000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp16", "tn", "wgmma", 8192), "throughput", 776000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("fp16", "tn", "mma", 8192), "throughput", 472000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("tf32", "tn", "mma", 8192), "throughput", 250000, "GFLOP/s", NULL, NULL},
    {GEMM_AXES("tf32", "nn", "mma", 8192), "throughput", 228000, "GFLOP/s", NULL, NULL},
    {0},
};

/* --- reduction ---------------------------------------------------------------------------------------------------- */

static const char source_reduction[] = "M. Harris, Optimizing Parallel Reduction in CUDA, 2007";

#define REDUCTION_AXES(step) "{\"step\":\"" step "\",\"type\":\"int32\",\"bytes\":16777216}"

static const struct figure geforce_8800[] = {
    {REDUCTION_AXES("divergent"), "bandwidth", 2.083, "GB/s", NULL, NULL},
    {REDUCTION_AXES("interleaved"), "bandwidth", 4.854, "GB/s", NULL, NULL},
    {REDUCTION_AXES("sequential"), "bandwidth", 9.741, "GB/s", NULL, NULL},
    {REDUCTION_AXES("first-add"), "bandwidth", 17.377, "GB/s", NULL, NULL},
    {REDUCTION_AXES("grid-stride"), "bandwidth", 62.671, "GB/s", NULL, "with 4-byte loads and an unrolled tree"},
    {0},
};

/* --- all results -------------------------------------------------------------------------------------------------- */

static const struct system_results results[] = {
    {"transfer", "Tesla K20, Xeon E5540", source_transfer, k20_e5540},
    {"transfer", "Tesla K20, Xeon E5-2667", source_transfer, k20_e5_2667},
    {"transfer", h200, source_gpulab, transfer_h200},
    {"overlap", "Tesla C1060", source_pipelines, c1060},
    {"overlap", "Tesla C2050", source_pipelines, c2050},
    {"overlap", "Tesla K20c", source_pipelines, k20c},
    {"overlap", "GeForce GTX 650, 2 x 192 cores at 1110 MHz, memory at 2500 MHz, one copy engine", source_averaging,
     gtx650},
    {"overlap", "GeForce GTX 560 Ti, 8 x 48 cores at 1645 MHz, memory at 2004 MHz, one copy engine", source_averaging,
     gtx560ti},
    {"overlap", h200, source_gpulab, overlap_h200},
    {"matmul", h200, source_gpulab, matmul_h200},
    {"matmul", "NVIDIA H200 SXM, one matrix product at a time, with pauses", source_gpulab, matmul_h200_pauses},
    {"reduction", "GeForce 8800 GTX, 86.4 GB/s", source_reduction, geforce_8800},
    {"scaling", "one to three GPUs, not named", source_collisions, unnamed_gpus},
    {"scaling", h200_x4, source_gpulab, scaling_h200},
    {"peer", h200_x2, source_gpulab, peer_h200_x2},
    {"peer", h200_x4, source_gpulab, peer_h200_x4},
    {"peer-transpose", h100_x2, source_gpulab_h100, transpose_h100_x2},
    {"peer-transpose", h200_x2, source_gpulab, transpose_h200_x2},
    {"peer-transpose", h200_x4, source_gpulab, transpose_h200_x4},
};

typedef void visit_function(void *context, const struct lab_reference *reference);

/* Derives the speedup of a time over its baseline, and calls `visit` for it. */
static void visit_speedup(const struct lab_reference *time, const struct figure *baseline, visit_function *visit,
                          void *context)
{
    char remark[512];
    struct lab_reference speedup = *time;
    snprintf(remark, sizeof remark, "derived: published time of %s / published time of this configuration%s%s",
             baseline->baseline, time->remark != NULL ? "; " : "", time->remark != NULL ? time->remark : "");
    speedup.metric = "speedup";
    speedup.value = baseline->value / time->value;
    speedup.unit = "1";
    speedup.remark = remark;
    visit(context, &speedup);
}

static void visit_system(const struct system_results *system, visit_function *visit, void *context)
{
    const struct figure *baseline = NULL;
    for (const struct figure *figure = system->figures; figure->axes != NULL; figure++) {
        const struct lab_reference reference = {.experiment = system->experiment,
                                                .system = system->system,
                                                .axes = figure->axes,
                                                .metric = figure->metric,
                                                .value = figure->value,
                                                .unit = figure->unit,
                                                .source = system->source,
                                                .remark = figure->remark};
        visit(context, &reference);
        if (figure->baseline != NULL)
            baseline = figure;
        else if (baseline != NULL && strcmp(figure->metric, baseline->metric) == 0)
            visit_speedup(&reference, baseline, visit, context);
    }
}

void lab_references_each(const char *experiment, visit_function *visit, void *context)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (experiment == NULL || strcmp(results[i].experiment, experiment) == 0)
            visit_system(&results[i], visit, context);
}

static void references_append(void *context, const struct lab_reference *reference)
{
    json_t **list = context;
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:s, s:f, s:s, s:s, s:s?}", "experiment", reference->experiment, "system",
                  reference->system, "axes", json_loads(reference->axes, 0, NULL), "metric", reference->metric, "value",
                  reference->value, "unit", reference->unit, "source", reference->source, "remark", reference->remark);
    if (json_array_append_new(*list, object) != 0) { /* out of memory, now or earlier (*list is NULL then) */
        json_decref(*list);
        *list = NULL;
    }
}

json_t *lab_references_to_json(const char *experiment)
{
    json_t *list = json_array();
    lab_references_each(experiment, references_append, &list);
    return list;
}
