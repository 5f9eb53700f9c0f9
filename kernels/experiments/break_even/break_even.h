/* What break-even computes, compiled for device and host, and declarations shared by its files: break_even.c
 * (descriptor and workload of a point), run.c (the job on host and device), predict.c (times and break-even sizes),
 * break_even.cu and break_even_host.c (the kernel).
 */
#ifndef LAB_BREAK_EVEN_H
#define LAB_BREAK_EVEN_H

#include "runtime/pattern.h"

/* A round, x = MULTIPLIER * x + INCREMENT: a generator of pseudo-random numbers (Numerical Recipes). */
enum { BREAK_EVEN_MULTIPLIER = 1664525, BREAK_EVEN_INCREMENT = 1013904223 };

// region rounds
/* The factors are arguments, because a compiler combines rounds whose constants it knows. */
LAB_HOST_DEVICE uint32_t break_even_rounds(uint32_t x, uint32_t rounds, uint32_t multiplier, uint32_t increment)
{
    for (uint32_t round = 0; round < rounds; round++)
        x = x * multiplier + increment;
    return x;
}
// end

/* Element i of the result, with parameters[0] rounds. */
LAB_HOST_DEVICE uint32_t break_even_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return break_even_rounds(lab_pattern_word(i, seed), (uint32_t)parameters[0], BREAK_EVEN_MULTIPLIER,
                             BREAK_EVEN_INCREMENT);
}

#ifndef __CUDACC__
#include "facts/facts.h"

struct lab_run;

enum { BREAK_EVEN_AXIS_VARIANT, BREAK_EVEN_AXIS_WEIGHT, BREAK_EVEN_AXIS_BYTES };

/* Where the job runs, in the order of the parameter's choices. */
enum break_even_variant { BREAK_EVEN_CPU, BREAK_EVEN_KERNEL, BREAK_EVEN_PINNED, BREAK_EVEN_PAGEABLE };

/* The buffers of a workload. */
enum { BREAK_EVEN_HOST_IN, BREAK_EVEN_DEVICE_OUT, BREAK_EVEN_DEVICE_IN, BREAK_EVEN_HOST_OUT };

/* The rates from which times are predicted; NAN: not known. */
struct break_even_rates {
    double core_bytes_per_s, core_rounds_per_s;                     /* of one thread, with data in its caches */
    double cpu_bytes_per_s, cpu_rounds_per_s, cpu_start_s;          /* of all threads; of starting them */
    double device_bytes_per_s, device_rounds_per_s, device_start_s; /* of a launch with its wait */
    double link_bytes_per_s;                                        /* of a pinned copy, one direction */
    double staged_bytes_per_s;                                      /* of a pageable copy */
};

/* The rates of a device by its facts; those of the CPU, of pageable copies and of the launch are not set. */
void break_even_device_rates(const struct lab_device_facts *device, struct break_even_rates *rates);

/* Elements worth a thread of the host, and the most threads among which core/parallel.h divides them. */
enum { BREAK_EVEN_GRAIN = 16384, BREAK_EVEN_THREADS_MAX = 8 };

/* The seconds of a job with arrays of `bytes` bytes; NAN if a rate is not known. */
double break_even_predict(const struct break_even_rates *rates, enum break_even_variant variant, uint32_t rounds,
                          double bytes);

/* A size and the times of the job on CPU and GPU. */
struct break_even_times {
    double bytes, cpu_s, gpu_s;
};

/* The size from which on the GPU is faster, between two of the sizes, which are in increasing order: where lines
 * between the times, all as logarithms, cross. The smallest size if it is always faster; NAN if the largest is not. */
double break_even_size(const struct break_even_times *times, size_t count);

bool break_even_run(struct lab_run *run);
#endif

#endif
