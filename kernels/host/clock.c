/* Measures the current clock rate of the cores. In a chain of exclusive-or instructions each instruction needs the
 * result of the preceding one, so the chain takes one cycle per instruction on x86-64 and 64-bit ARM, and the number of
 * instructions divided by the time is the clock rate. On other kinds of core lab_host_runtime.clock is NULL. */
#include "device.h"
#include "entries.h"

#include "core/clock.h"

#if defined(__x86_64__)
#define STEP "xor %1, %0\n\t"
#elif defined(__aarch64__)
#define STEP "eor %0, %0, %1\n\t"
#endif

#ifdef STEP
#define STEP_8 STEP STEP STEP STEP STEP STEP STEP STEP
#define STEP_64 STEP_8 STEP_8 STEP_8 STEP_8 STEP_8 STEP_8 STEP_8 STEP_8

/* Interrupts and other threads can only make a trial slower, so the fastest of a few trials counts. A trial is short,
 * because each point of a run has two measurements; reading the time is still less than a thousandth of it. */
enum { TRIALS = 3, TRIAL_NS = 200000, ROUNDS = 1000, STEPS_PER_ROUND = 64 };

/* Executes the chain for TRIAL_NS and returns the clock rate in Hz. */
static double trial_hz(void)
{
    uint64_t value = 1, other = 3, rounds = 0;
    uint64_t start_ns = lab_clock_ns(), now_ns = start_ns;
    while (now_ns - start_ns < TRIAL_NS) {
        for (int i = 0; i < ROUNDS; i++)
            __asm__ volatile(STEP_64 : "+r"(value) : "r"(other));
        rounds += ROUNDS;
        now_ns = lab_clock_ns();
    }
    return (double)(rounds * STEPS_PER_ROUND) / ((double)(now_ns - start_ns) / 1e9);
}

/* Measures on the calling thread, which is bound to the device's cores meanwhile. */
static bool host_clock_measure(struct lab_device *device, double *hz)
{
    cpu_set_t before;
    if (!lab_host_alive(device))
        return false;
    bool bound = sched_getaffinity(0, sizeof before, &before) == 0 &&
                 sched_setaffinity(0, sizeof before, lab_host_device(device)->cores) == 0;
    *hz = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double found = trial_hz();
        *hz = found > *hz ? found : *hz;
    }
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    return true;
}

const struct lab_runtime_clock lab_host_clock = {.measure = host_clock_measure};

#endif
