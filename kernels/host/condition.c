/* A condition variable whose waiters spin before they sleep. */
#include "condition.h"

#include "core/clock.h"

#include <sched.h>
#include <stdbool.h>

/* After this long, a spinning thread yields its core to any thread that has work. */
enum { YIELD_AFTER_NS = 20000 };

/* Executes the instruction for spin loops, which gives more of the core's resources to its other hyperthread. */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void lab_host_condition_init(struct host_condition *condition)
{
    lab_condition_init(&condition->condition);
    atomic_init(&condition->signals, 0);
    condition->sleepers = 0;
}

void lab_host_condition_release(struct host_condition *condition)
{
    pthread_cond_destroy(&condition->condition);
}

void lab_host_condition_signal(struct host_condition *condition, size_t count)
{
    atomic_fetch_add_explicit(&condition->signals, 1, memory_order_relaxed);
    for (size_t woken = 0; woken < count && woken < condition->sleepers; woken++)
        pthread_cond_signal(&condition->condition);
}

/* Spins until there is a signal or spin_ns have passed; returns whether there was one. `seen` is the number of signals
 * at the start. */
static bool spin(struct host_condition *condition, unsigned seen, uint64_t spin_ns)
{
    uint64_t start_ns = lab_clock_ns(), waited_ns = 0;
    while (waited_ns < spin_ns) {
        for (int turn = 0; turn < 32; turn++) {
            if (atomic_load_explicit(&condition->signals, memory_order_relaxed) != seen)
                return true;
            relax();
        }
        if (waited_ns > YIELD_AFTER_NS)
            sched_yield();
        waited_ns = lab_clock_ns() - start_ns;
    }
    return false;
}

void lab_host_condition_wait(struct host_condition *condition, pthread_mutex_t *mutex, uint64_t spin_ns)
{
    unsigned seen = atomic_load_explicit(&condition->signals, memory_order_relaxed);
    if (spin_ns > 0) {
        pthread_mutex_unlock(mutex);
        bool signalled = spin(condition, seen, spin_ns);
        pthread_mutex_lock(mutex);
        if (signalled || atomic_load_explicit(&condition->signals, memory_order_relaxed) != seen)
            return;
    }
    condition->sleepers++;
    pthread_cond_wait(&condition->condition, mutex);
    condition->sleepers--;
}
