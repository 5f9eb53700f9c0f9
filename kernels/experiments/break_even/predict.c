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

/* So many threads have their part of all rates, but not more than all reach together. */
static double cpu_seconds(const struct break_even_rates *rates, uint32_t rounds, double bytes)
{
    double elements = bytes / sizeof(uint32_t);
    double threads = fmin(fmax(ceil(elements / BREAK_EVEN_GRAIN), 1), BREAK_EVEN_THREADS_MAX);
    double memory =
        threads > 1 ? fmin(threads * rates->core_bytes_per_s, rates->cpu_bytes_per_s) : rates->core_bytes_per_s;
    double rate =
        threads > 1 ? fmin(threads * rates->core_rounds_per_s, rates->cpu_rounds_per_s) : rates->core_rounds_per_s;
    return (threads > 1 ? rates->cpu_start_s : 0) + fmax(2 * bytes / memory, elements * rounds / rate);
}

double break_even_predict(const struct break_even_rates *rates, enum break_even_variant variant, uint32_t rounds,
                          double bytes)
{
    double copies = variant == BREAK_EVEN_PINNED ? rates->link_bytes_per_s : rates->staged_bytes_per_s;
    double both = 2 * bytes, all = bytes / sizeof(uint32_t) * rounds;
    if (variant == BREAK_EVEN_CPU)
        return cpu_seconds(rates, rounds, bytes);
    if (isnan(rates->device_bytes_per_s) || isnan(rates->device_rounds_per_s))
        return (double)NAN;
    double kernel_s = rates->device_start_s + fmax(both / rates->device_bytes_per_s, all / rates->device_rounds_per_s);
    return variant == BREAK_EVEN_KERNEL ? kernel_s : kernel_s + both / copies;
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
