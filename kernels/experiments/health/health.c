/* health: short checks that together say whether a device is sound: its link, its memory, its arithmetic, its copies to
 * other devices, and the errors that it has counted. This file holds the descriptor.
 *
 * The experiment measures and reads; the server judges (server/analysis/health.h), because it has the history.
 */
#include "health.h"

static const struct lab_schema parameters[] = {{0}};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes / time / 10^9 of a copy: h2d and d2h between page-locked host memory and the device, p2p between two "
         "devices by a write of the source; memory: within the device, each byte counted twice (read and written)"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
         "throughput", "Throughput", "GFLOP/s",
         "2 n^3 / time / 10^9 of a product of two square matrices by the vendor's library, of bf16 on tensor cores, "
         "of fp32 on devices without them; on the CPU by gpulab's own kernel"),
     .counter = LAB_COUNT_OPERATIONS},
    {LAB_METRIC("share_of_peak", "Share of peak", "1",
                "bandwidth or throughput / peak; the measurement names the peak")},
    {LAB_METRIC("clock", "Clock", "Hz",
                "the lowest clock of the multiprocessors before and after the samples of the matrix product")},
    {LAB_METRIC(
        "reading", "Reading", "1",
        "what the device reports: lanes, generation, a count, or 1 for yes. The link is read while copies use it, the "
        "errors after all checks")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "bandwidth", "Bandwidth by check", "bandwidth", "check"), .own_scales = true},
    {LAB_VIEW("table", "throughput", "Matrix product", "throughput", "device")},
    {LAB_VIEW("table", "readings", "What the device reports", "reading", "check")},
    {LAB_VIEW("table", "clock", "Clock under load", "clock", "device")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Host to device", "bandwidth"), .at = {{"check", "h2d"}}, .worst = true},
    {LAB_HEADLINE("Device memory", "bandwidth"), .at = {{"check", "memory"}}, .worst = true},
    {LAB_HEADLINE("Matrix product", "throughput"), .at = {{"check", "gemm"}}, .worst = true},
    {0},
};

LAB_PAGE(health);
const struct lab_experiment lab_health = {
    .name = "health",
    .title = "Machine health",
    .subject = "health",
    .summary = "Whether the devices of a machine are sound: links, bandwidths, arithmetic, memory errors, throttling.",
    .devices_min = 1,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .checks_devices = true,
    LAB_RUN_FIELDS(health),
};
