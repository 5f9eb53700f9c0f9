/* The thread that executes the queued runs, one at a time. */
#ifndef LAB_RUNNER_H
#define LAB_RUNNER_H

/* The thread's main function; `context` is the struct lab_jobs. Returns NULL after jobs->stopping is set. */
void *lab_runner_main(void *context);

#endif
