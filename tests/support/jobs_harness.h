/* A queue with a real store, a real event stream, the fake worker of fake_worker.h and the experiments of
 * instead/experiments.c: "probe", whose parameter `behaviour` selects what the fake worker does; "pair", which needs
 * two devices; "group", which takes all devices; "timeline", whose parameter `tracing` selects what the worker does
 * when it traces; "shown", whose source can be edited; and "spanning", whose devices may be of several nodes. Own
 * kernels are judged. */
#ifndef LAB_JOBS_HARNESS_H
#define LAB_JOBS_HARNESS_H

#include "descriptor/parameters.h"
#include "jobs/jobs.h"
#include "jobs/run_json.h"
#include "support/fake_worker.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

extern atomic_int compiled; /* calls of compile_nothing */

/* --- the lab ------------------------------------------------------------------------------------------------------ */

struct lab {
    char folder[64], path[96];
    size_t node_count; /* 1: "here", with the devices fake-0 and fake-1; 2: also "there", with there-0 and there-1 */
    struct lab_store *store;
    struct lab_events *events;
    struct lab_subscriber *subscriber;
    struct lab_jobs *jobs;
    char *received; /* the event stream so far */
    size_t received_length;
};

void lab_begin(struct lab *lab, double worker_idle_s);
void lab_stop(struct lab *lab);
struct lab *lab_setup_nodes(size_t count, double worker_idle_s);
struct lab *lab_setup(double worker_idle_s);
void lab_teardown(struct lab *lab);
enum lab_submit_result lab_submit_text(struct lab *lab, const char *text, const char *key, char id[LAB_RUN_ID_SIZE],
                                       struct lab_errors *errors);

/* A file whose existence changes what each worker that is started does; see fake_worker.h. */
struct switch_file {
    char path[64];
};

void switch_on(struct switch_file *file, const char *variable);
void switch_off(const struct switch_file *file);

/* Submits a valid probe. */
void lab_submit(struct lab *lab, const char *behaviour, const char *device, char id[LAB_RUN_ID_SIZE]);

/* The run as it is in the store; a new reference. */
json_t *lab_read(struct lab *lab, const char *id);
const char *text_at(const json_t *object, const char *name);

/* Waits until the run has that status; fails when it takes more than 20 s. A new reference. */
json_t *lab_await(struct lab *lab, const char *id, const char *status);
void lab_expect(struct lab *lab, const char *id, const char *status);

/* Waits until the run has failed, and checks its problem's type and that its detail contains `words`. */
void lab_expect_problem(struct lab *lab, const char *id, const char *type, const char *words);

/* Waits until the run reports progress: its worker is executing it. */
void lab_await_progress(struct lab *lab, const char *id);

/* Waits until the idle worker has ended, at most 20 s. */
void await_no_worker(void);

/* Waits until the queue is held (or, with "", no longer held) for a reason that contains `words`. */
void lab_await_held(struct lab *lab, const char *words);

/* Reads the published events, and returns how often `words` occur in all events so far. */
int lab_count_events(struct lab *lab, const char *words);

/* Copies the state of a device and its reason. */
void lab_device_state(struct lab *lab, size_t index, char state[16], char reason[256]);

#endif
