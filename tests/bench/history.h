/* The history that fill_history writes and bench_store searches: what runs look like in a lab of several years. */
#ifndef LAB_BENCH_HISTORY_H
#define LAB_BENCH_HISTORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static const char *const bench_experiments[] = {
    "transfer",  "overlap",       "matmul",         "stream",     "coalescing",  "access-width",  "memory-hierarchy",
    "launch",    "transpose",     "bank-conflicts", "divergence", "intrinsics",  "atomics",       "reduction",
    "summation", "occupancy-ilp", "peer",           "scaling",    "collectives", "peer-transpose"};
/* The experiments from this one on take two devices, and are not run on the second half of the models. */
enum { BENCH_FIRST_WITH_TWO = 16 };

static const char *const bench_models[] = {"NVIDIA H200",
                                           "NVIDIA H100 80GB HBM3",
                                           "NVIDIA A100-SXM4-80GB",
                                           "NVIDIA L40S",
                                           "NVIDIA L4",
                                           "Tesla T4",
                                           "NVIDIA GeForce RTX 4090",
                                           "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"};
enum { BENCH_DEVICES_A_MODEL = 4, BENCH_POINTS = 40 /* of an experiment */ };

static const char *const bench_tags[] = {"nightly", "manual", "driver-580", "before-upgrade", "after-upgrade"};
static const char *const bench_notes[] = {"weekly check", "after moving the card to another slot", "power cap 400 W",
                                          "new cooling", "before the firmware update"};
/* Parts of texts that runs have. */
static const char *const bench_texts[] = {"weekly", "firmware", "H200", "rtx", "matmul",
                                          "night",  "upgrade",  "an",   "po",  "x"};

static inline void bench_device(char id[64], size_t model, size_t device)
{
    if (model == 0 && device == 0)
        snprintf(id, 64, "host-0-bench");
    else
        snprintf(id, 64, "GPU-8f3c2e10-5a7b-4c1d-%04zu-00000000%04zu", model, device);
}

/* A generator with a fixed seed, so that every history is the same. */
static inline size_t bench_random(uint64_t *state, size_t bound)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (size_t)((*state >> 11) % bound);
}

#endif
