/* Waiting for another thread: awake for a while, because a sleeper takes tens of microseconds to wake up, then asleep,
 * because an idle device must not use up a core. */
#include "internal.h"

#include <time.h>

/* Who is awake for longer than this gives way to any thread that has work. */
enum { SELFISH_NS = 20000 };

/* Tells a core that it spins, for the sake of its sibling. */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

uint64_t lab_host_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void lab_host_doorbell_init(struct host_doorbell *doorbell)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&doorbell->condition, &attributes);
    pthread_condattr_destroy(&attributes);
    atomic_init(&doorbell->rings, 0);
    doorbell->sleepers = 0;
}

void lab_host_doorbell_destroy(struct host_doorbell *doorbell)
{
    pthread_cond_destroy(&doorbell->condition);
}

void lab_host_doorbell_ring(struct host_doorbell *doorbell, size_t count)
{
    atomic_fetch_add_explicit(&doorbell->rings, 1, memory_order_relaxed);
    for (size_t woken = 0; woken < count && woken < doorbell->sleepers; woken++)
        pthread_cond_signal(&doorbell->condition);
}

/* True when it rang meanwhile. */
static bool stay_awake(struct host_doorbell *doorbell, unsigned heard, uint64_t awake_ns)
{
    uint64_t start_ns = lab_host_now_ns(), waited_ns = 0;
    while (waited_ns < awake_ns) {
        for (int turn = 0; turn < 32; turn++) {
            if (atomic_load_explicit(&doorbell->rings, memory_order_relaxed) != heard)
                return true;
            relax();
        }
        if (waited_ns > SELFISH_NS)
            sched_yield();
        waited_ns = lab_host_now_ns() - start_ns;
    }
    return false;
}

void lab_host_doorbell_wait(struct host_doorbell *doorbell, pthread_mutex_t *lock, uint64_t awake_ns)
{
    unsigned heard = atomic_load_explicit(&doorbell->rings, memory_order_relaxed);
    if (awake_ns > 0) {
        pthread_mutex_unlock(lock);
        bool rang = stay_awake(doorbell, heard, awake_ns);
        pthread_mutex_lock(lock);
        if (rang || atomic_load_explicit(&doorbell->rings, memory_order_relaxed) != heard)
            return;
    }
    doorbell->sleepers++;
    pthread_cond_wait(&doorbell->condition, lock);
    doorbell->sleepers--;
}
