/* Theoretical peaks from attributes. */
#include "peaks.h"

#include <math.h>
#include <stdio.h>

static const struct {
    int major, minor;
    double fp32, fp64;
} rates[] = {
    {5, 0, 128, 4},  {5, 2, 128, 4},    {5, 3, 128, 4},  {6, 0, 64, 32},  {6, 1, 128, 4},
    {6, 2, 128, 4},  {7, 0, 64, 32},    {7, 2, 64, 32},  {7, 5, 64, 2},   {8, 0, 64, 32},
    {8, 6, 128, 2},  {8, 7, 128, 2},    {8, 9, 128, 2},  {9, 0, 128, 64}, {10, 0, 128, 64},
    {10, 3, 128, 2}, {11, 0, 128, NAN}, {12, 0, 128, 2}, {12, 1, 128, 2},
};

struct lab_arithmetic_rate lab_peak_arithmetic(int major, int minor)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].major == major && rates[i].minor == minor)
            return (struct lab_arithmetic_rate){rates[i].fp32, rates[i].fp64};
    return (struct lab_arithmetic_rate){NAN, NAN};
}

/* Transfers per second on each lane, one bit each, and which share of them carries data. */
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

static double known(int64_t fact)
{
    return fact == LAB_UNKNOWN ? NAN : (double)fact;
}

void lab_peaks_derive(struct lab_device_facts *facts)
{
    facts->pcie_peak_bytes_per_s = lab_peak_pcie(facts->pcie_max_generation, facts->pcie_max_width);
    facts->memory_peak_bytes_per_s = 2 * facts->memory_clock_hz * known(facts->memory_bus_bits) / 8;

    struct lab_arithmetic_rate rate = {NAN, NAN};
    int major, minor;
    if (sscanf(facts->compute_capability, "%d.%d", &major, &minor) == 2)
        rate = lab_peak_arithmetic(major, minor);
    double clocks_per_s = known(facts->multiprocessors) * facts->clock_hz;
    facts->fp32_peak_flops = 2 * rate.fp32 * clocks_per_s;
    facts->fp64_peak_flops = 2 * rate.fp64 * clocks_per_s;
}
