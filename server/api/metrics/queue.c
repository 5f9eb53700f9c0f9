/* The queue as it is now. */
#include "sources.h"

void lab_metrics_queue(FILE *out, const struct lab_api *api)
{
    struct lab_queue_state queue;
    lab_jobs_queue(api->jobs, &queue);
    const struct lab_family_value values[] = {
        {{"gpulab_queue_length", LAB_GAUGE, "Queued runs."}, (double)queue.length},
        {{"gpulab_queue_expected_duration_seconds", LAB_GAUGE,
          "Time that the runs in progress and in the queue are expected to take, on the machine that takes longest."},
         lab_jobs_expected_s(api->jobs)},
        {{"gpulab_queue_paused", LAB_GAUGE, "1 while the queue is paused."}, queue.paused},
        {{"gpulab_queue_held", LAB_GAUGE, "1 while no run is started because no worker answers."},
         queue.held[0] != '\0'},
        {{"gpulab_running", LAB_GAUGE, "Runs in progress, at most one on each machine."}, (double)queue.running},
    };
    lab_family_values(out, values, sizeof values / sizeof values[0]);
}
