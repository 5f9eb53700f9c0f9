/* Answers <helper_timer.h> of NVIDIA's CUDA samples: a timer of the host in milliseconds, which can be stopped and
 * continued. Written for gpulab from what the samples call; C++11. */
#ifndef HELPER_TIMER_H
#define HELPER_TIMER_H

#include <chrono>

struct StopWatchInterface {
    typedef std::chrono::steady_clock clock;
    clock::time_point started;
    float total_ms = 0; /* of the periods that have ended */
    int periods = 0;
    bool running = false;

    float now_ms() const
    {
        return std::chrono::duration<float, std::milli>(clock::now() - started).count();
    }
};

/* Each function returns whether there is a timer. */
inline bool sdkCreateTimer(StopWatchInterface **timer)
{
    *timer = new StopWatchInterface;
    return true;
}

inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    bool exists = *timer != nullptr;
    delete *timer;
    *timer = nullptr;
    return exists;
}

inline bool sdkStartTimer(StopWatchInterface **timer)
{
    if (*timer == nullptr)
        return false;
    (*timer)->started = StopWatchInterface::clock::now();
    (*timer)->running = true;
    return true;
}

inline bool sdkStopTimer(StopWatchInterface **timer)
{
    if (*timer == nullptr)
        return false;
    (*timer)->total_ms += (*timer)->now_ms();
    (*timer)->periods++;
    (*timer)->running = false;
    return true;
}

/* Forgets the periods; a timer that runs begins again. */
inline bool sdkResetTimer(StopWatchInterface **timer)
{
    if (*timer == nullptr)
        return false;
    (*timer)->started = StopWatchInterface::clock::now();
    (*timer)->total_ms = 0;
    (*timer)->periods = 0;
    return true;
}

/* The sum of all periods, the present one too. */
inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    if (*timer == nullptr)
        return 0;
    return (*timer)->total_ms + ((*timer)->running ? (*timer)->now_ms() : 0);
}

/* The mean of the periods that have ended. */
inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return *timer != nullptr && (*timer)->periods > 0 ? (*timer)->total_ms / (float)(*timer)->periods : 0;
}

#endif
