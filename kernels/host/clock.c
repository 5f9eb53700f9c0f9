/* How fast the cores run right now. A chain of exclusive-or instructions, each of which needs the result of the one
 * before it, takes one cycle an instruction on the cores that this is built for, so their number over the time is the
 * clock. On other kinds of core the runtime has no such table. */
#include "internal.h"

#if defined(__x86_64__)
#define STEP "xor %1, %0\n\t"
#elif defined(__aarch64__)
#define STEP "eor %0, %0, %1\n\t"
#endif

#ifdef STEP
#define STEPS_8 STEP STEP STEP STEP STEP STEP STEP STEP
#define STEPS_64 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8

/* A core loses time to interrupts and to other threads, never gains any: the fastest of a few spells counts. */
enum { SPELLS = 3, SPELL_NS = 1000000, TURNS = 1000, STEPS_A_TURN = 64 };

static double spell_hz(void)
{
    uint64_t value = 1, other = 3, turns = 0;
    uint64_t start_ns = lab_host_now_ns(), now_ns = start_ns;
    while (now_ns - start_ns < SPELL_NS) {
        for (int turn = 0; turn < TURNS; turn++)
            __asm__ volatile(STEPS_64 : "+r"(value) : "r"(other));
        turns += TURNS;
        now_ns = lab_host_now_ns();
    }
    return (double)(turns * STEPS_A_TURN) / ((double)(now_ns - start_ns) / 1e9);
}

/* On the calling thread, which is bound to the device's cores meanwhile. */
static bool measure(struct lab_device *device, double *hz)
{
    cpu_set_t before;
    if (!lab_host_alive(device))
        return false;
    bool bound = sched_getaffinity(0, sizeof before, &before) == 0 &&
                 sched_setaffinity(0, sizeof before, lab_host_device(device)->cores) == 0;
    *hz = 0;
    for (int spell = 0; spell < SPELLS; spell++) {
        double found = spell_hz();
        *hz = found > *hz ? found : *hz;
    }
    if (bound)
        sched_setaffinity(0, sizeof before, &before);
    return true;
}

const struct lab_runtime_clock lab_host_clock = {.measure = measure};

#endif
