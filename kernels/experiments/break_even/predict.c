/* Predicts the times of the job, and finds the sizes at which two times are equal. */
#include "break_even.h"

#include <math.h>

/* An integer multiply-add takes twice the cycles of one of fp32, whose peak counts two operations. */
void break_even_device_rates(const struct lab_device_facts *device, struct break_even_rates *rates)
{
    rates->device_bytes_per_s = device->memory_peak_bytes_per_s;
    rates->device_rounds_per_s = device->fp32_peak_flops / 4;
    rates->link_bytes_per_s = device->pcie_peak_bytes_per_s;
}

double break_even_predict(const struct break_even_rates *rates, enum break_even_variant variant, uint32_t rounds,
                          double bytes)
{
    bool cpu = variant == BREAK_EVEN_CPU;
    double memory = cpu ? rates->cpu_bytes_per_s : rates->device_bytes_per_s;
    double rate = cpu ? rates->cpu_rounds_per_s : rates->device_rounds_per_s;
    double copies = variant == BREAK_EVEN_PINNED ? rates->link_bytes_per_s : rates->staged_bytes_per_s;
    double both = 2 * bytes, all = bytes / sizeof(uint32_t) * rounds;
    if (isnan(memory) || isnan(rate))
        return (double)NAN;
    double computing_s = (cpu ? rates->cpu_start_s : rates->device_start_s) + fmax(both / memory, all / rate);
    return variant <= BREAK_EVEN_KERNEL ? computing_s : computing_s + both / copies;
}

double break_even_size(const struct break_even_times *times, size_t count)
{
    if (count == 0 || !(times[count - 1].gpu_s < times[count - 1].cpu_s))
        return (double)NAN;
    size_t i = count - 1;
    while (i > 0 && times[i - 1].gpu_s < times[i - 1].cpu_s)
        i--;
    if (i == 0)
        return times[0].bytes;
    double before = log(times[i - 1].gpu_s / times[i - 1].cpu_s), after = log(times[i].gpu_s / times[i].cpu_s);
    double share = before / (before - after);
    return times[i - 1].bytes * pow(times[i].bytes / times[i - 1].bytes, share);
}
