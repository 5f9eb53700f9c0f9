/* A run on devices of several nodes. The nodes form a group: each executes its part of the run on its runner's thread,
 * with a worker of its own. The node of the first device, the leader, takes the run from the queue, records it and
 * decides how it ends; the others are its followers. A cancel and the time limit concern the leader's worker only,
 * which tells the others through NCCL. When a member's worker fails, the workers of all others are stopped.
 *
 *   forming     the leader takes the run and the nodes; each member prepares a worker
 *   executing   each member's worker gets its devices; when all have opened them, all get the id of the communicator
 *   dissolving  the followers leave; then the leader's run is over
 */
#ifndef LAB_RUN_GROUP_H
#define LAB_RUN_GROUP_H

#include "jobs_state.h"

#include <jansson.h>

#define LAB_GROUP_PROBLEM "/problems/group-failed"

enum lab_group_phase { LAB_GROUP_FORMING, LAB_GROUP_EXECUTING, LAB_GROUP_DISSOLVING };
enum lab_member_state { LAB_MEMBER_PREPARING, LAB_MEMBER_READY, LAB_MEMBER_UNABLE, LAB_MEMBER_ENDED };

struct lab_group_member {
    struct lab_node *node;
    enum lab_member_state state;
    bool joined;     /* its worker has opened its devices and waits for the id */
    json_t *problem; /* why its part of the run failed; NULL: it did not */
};

/* All members are locked by jobs->lock. */
struct lab_run_group {
    enum lab_group_phase phase;
    bool stopping;        /* the workers are being stopped, because a part of the run has failed */
    bool contended;       /* another process used a device of a follower */
    json_t *operation;    /* that of the whole run; NULL before LAB_GROUP_EXECUTING */
    json_t *devices;      /* of the run: [{id, name, node}] */
    json_t *id;           /* of the communicator; NULL: the leader's worker has not sent it yet */
    json_t *warnings;     /* of the followers' workers, with the names of their machines */
    const json_t *failed; /* the problem of the follower that failed first, before any other member; NULL: none */
    size_t count;
    struct lab_group_member members[LAB_RUN_NODES_MAX]; /* the first is the leader */
};

static inline struct lab_node *lab_group_leader(const struct lab_run_group *group)
{
    return group->members[0].node;
}

/* Whether the other nodes of a queued run can start it now: they execute no run, a worker answers there, and no
 * examination is to begin there before the next run. One that is in progress is no obstacle: the run is taken, and
 * begins when it has ended. The lock is held. */
bool lab_group_can_form(const struct lab_jobs *jobs, const struct lab_queue_entry *run);
/* Takes the nodes of the leader's current run, if it is on several. False when out of memory. The lock is held. */
bool lab_group_form(struct lab_node *leader);

/* The rest is for the leader's thread, and does nothing if its run is on one node.
 *
 * Waits until all members have a worker. False when one of them cannot start any, or when the run is to be stopped. */
bool lab_group_await_workers(struct lab_node *leader);
/* Begins the execution of `operation`, which is changed to the leader's part of it; `devices` are those of the run.
 * False when a device belongs to no member. */
bool lab_group_begin(struct lab_node *leader, json_t *operation, json_t *devices);
/* Waits until all followers have ended their parts; stops them if the leader's part has not succeeded, or if they do
 * not end soon. */
void lab_group_await_end(struct lab_node *leader, bool succeeded);
/* The problem of a follower because of which the run failed, borrowed; NULL: none. `own` is that of the leader's part,
 * or NULL: of type LAB_GROUP_PROBLEM, it says that a follower's part could not go on. After lab_group_await_end. */
const json_t *lab_group_failure(const struct lab_node *leader, const json_t *own);
/* Lets the followers leave, and frees the group. The lock is held, and released while it waits. */
void lab_group_dissolve(struct lab_node *leader);

/* Whether the node's worker is being stopped because its group is. The lock is held. */
bool lab_group_is_stopping(const struct lab_node *node);

/* --- of each member ----------------------------------------------------------------------------------------------- */

/* Takes the node's part in its current group, if it follows one, until the group dissolves; `ready` says whether its
 * worker can execute a run. Returns whether there was a group. On the follower's thread. */
bool lab_group_follow(struct lab_node *node, bool ready);

/* The node's part of the operation of the whole run, a new reference; NULL if it has none of the devices. The lock is
 * held. */
json_t *lab_group_part(const struct lab_run_group *group, const struct lab_node *node);
/* Handles the event `group` of a member's worker: when all have sent it, all get the id. */
void lab_group_join(struct lab_node *node, const json_t *event);
/* Stops the workers of all other members. The lock is held. */
void lab_group_stop_others(struct lab_run_group *group, const struct lab_node *node);
/* The index of a member. */
size_t lab_group_index(const struct lab_run_group *group, const struct lab_node *node);

#endif
