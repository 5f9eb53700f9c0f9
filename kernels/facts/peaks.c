/* Computes theoretical peaks from the attributes of a device. */
#include "facts/peaks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fused multiply-adds per clock of one multiprocessor; each counts as two operations. NAN for a compute capability or
 * type that is not known, where there is no such unit, and where cards of one compute capability differ (tensor cores
 * with fp32 accumulation of 7.5, 8.6, 8.9 and 12.0).
 * Sources: for cores the CUDA C++ Programming Guide (since 13.0 the Best Practices Guide), "Throughput of Native
 * Arithmetic Instructions"; for tensor cores, without sparsity, NVIDIA's architecture white papers of V100, A100,
 * H100 and Blackwell; for 10.3 the published peaks of a B300. */
struct arithmetic_rate {
    double fp32, fp64;
    double tensor_fp64, tensor_tf32, tensor_bf16, tensor_fp16, tensor_fp8; /* accumulation in fp32; for fp64 in fp64 */
};

/* The rates of each compute capability, in the order of struct arithmetic_rate: fp32 and fp64 of the cores, then
 * fp64, tf32, bf16, fp16 and fp8 of the tensor cores. */
static const struct {
    int major, minor;
    struct arithmetic_rate rate;
} rates[] = {
    {5, 0, {128, 4, NAN, NAN, NAN, NAN, NAN}},      {5, 2, {128, 4, NAN, NAN, NAN, NAN, NAN}},
    {5, 3, {128, 4, NAN, NAN, NAN, NAN, NAN}},      {6, 0, {64, 32, NAN, NAN, NAN, NAN, NAN}},
    {6, 1, {128, 4, NAN, NAN, NAN, NAN, NAN}},      {6, 2, {128, 4, NAN, NAN, NAN, NAN, NAN}},
    {7, 0, {64, 32, NAN, NAN, NAN, 512, NAN}},      {7, 2, {64, 32, NAN, NAN, NAN, NAN, NAN}},
    {7, 5, {64, 2, NAN, NAN, NAN, NAN, NAN}},       {8, 0, {64, 32, 64, 512, 1024, 1024, NAN}},
    {8, 6, {128, 2, NAN, NAN, NAN, NAN, NAN}},      {8, 7, {128, 2, NAN, NAN, NAN, NAN, NAN}},
    {8, 9, {128, 2, NAN, NAN, NAN, NAN, NAN}},      {9, 0, {128, 64, 128, 1024, 2048, 2048, 4096}},
    {10, 0, {128, 64, 64, 2048, 4096, 4096, 8192}}, {10, 3, {128, 2, NAN, 2048, 4096, 4096, 8192}},
    {11, 0, {128, NAN, NAN, NAN, NAN, NAN, NAN}},   {12, 0, {128, 2, NAN, NAN, NAN, NAN, NAN}},
    {12, 1, {128, 2, NAN, NAN, NAN, NAN, NAN}},
};

/* The rates of compute capability `major`.`minor`; all NAN when it is not in the table. */
static struct arithmetic_rate rates_of(int major, int minor)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].major == major && rates[i].minor == minor)
            return rates[i].rate;
    return (struct arithmetic_rate){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* Indexed by PCIe generation: transfers of one bit per second on one lane, and the share of the bits that carry
 * data. */
static const struct {
    double transfers_per_s, share;
} links[] = {
    [1] = {2.5e9, 8.0 / 10},   [2] = {5e9, 8.0 / 10},     [3] = {8e9, 128.0 / 130},
    [4] = {16e9, 128.0 / 130}, [5] = {32e9, 128.0 / 130}, [6] = {64e9, 242.0 / 256},
};

double lab_peak_pcie(int64_t generation, int64_t lanes)
{
    if (generation < 1 || generation >= (int64_t)(sizeof links / sizeof *links) || lanes < 1)
        return NAN;
    return links[generation].transfers_per_s * links[generation].share * (double)lanes / 8;
}

/* By compute capability, the bytes per second of one NVLink in one direction. */
static const struct {
    const char *capability;
    double bytes_per_s;
} nvlinks[] = {
    {"6.0", 20e9},      {"7.0", 25e9}, {"7.5", 25e9},  {"8.0", 25e9},
    {"8.6", 14.0625e9}, {"9.0", 25e9}, {"10.0", 50e9}, {"10.3", 50e9},
};

double lab_peak_nvlink(const char *compute_capability, int count)
{
    for (size_t i = 0; i < sizeof nvlinks / sizeof *nvlinks; i++)
        if (strcmp(nvlinks[i].capability, compute_capability) == 0)
            return count * nvlinks[i].bytes_per_s;
    return NAN;
}

static double nan_if_unknown(int64_t fact)
{
    return fact == LAB_UNKNOWN ? NAN : (double)fact;
}

void lab_peaks_derive(struct lab_device_facts *facts)
{
    facts->pcie_peak_bytes_per_s = lab_peak_pcie(facts->pcie_max_generation, facts->pcie_max_width);
    facts->memory_peak_bytes_per_s = 2 * facts->memory_clock_hz * nan_if_unknown(facts->memory_bus_bits) / 8;

    struct arithmetic_rate rate = rates_of(0, 0);
    int major, minor;
    if (sscanf(facts->compute_capability, "%d.%d", &major, &minor) == 2)
        rate = rates_of(major, minor);
    if (isfinite(rate.fp32) && facts->multiprocessors != LAB_UNKNOWN)
        facts->cuda_cores = facts->multiprocessors * (int64_t)rate.fp32;
    double clocks_per_s = nan_if_unknown(facts->multiprocessors) * facts->clock_hz;
    facts->fp32_peak_flops = 2 * rate.fp32 * clocks_per_s;
    facts->fp64_peak_flops = 2 * rate.fp64 * clocks_per_s;
    facts->tensor_fp64_peak_flops = 2 * rate.tensor_fp64 * clocks_per_s;
    facts->tensor_tf32_peak_flops = 2 * rate.tensor_tf32 * clocks_per_s;
    facts->tensor_bf16_peak_flops = 2 * rate.tensor_bf16 * clocks_per_s;
    facts->tensor_fp16_peak_flops = 2 * rate.tensor_fp16 * clocks_per_s;
    facts->tensor_fp8_peak_flops = 2 * rate.tensor_fp8 * clocks_per_s;
}
