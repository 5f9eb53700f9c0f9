/* The objects that time samples on the device: a latch, its stream, and events. Used by sampling.c only. */
#ifndef LAB_TIMER_H
#define LAB_TIMER_H

#include "measure/measure.h"

/* Times work whose first lane is on one device. */
struct lab_timer {
    struct lab_device *device;
    struct lab_latch *latch;
    struct lab_stream *control;     /* the stream on which the latch is enqueued */
    struct lab_event *latch_opened; /* reached when the latch opens */
    struct lab_event *load_started; /* end of the background load's first repetition: the load is running */
    struct lab_event *start, *stop; /* start and end of the timed work, on the first lane */
    struct lab_event *load_ended;   /* end of the background load's last repetition */
    size_t join_count;              /* entries of `joins` */
    struct join {                   /* for each lane after the first: */
        struct lab_device *device;  /* the lane's device */
        struct lab_event *event;    /* the end of the work on the lane */
    } * joins;
};

/* Timers, at most one for each device. Initialise with `{0}`; release with lab_timers_release. */
struct lab_timers {
    size_t count;
    struct lab_timer *items[LAB_RUN_DEVICES_MAX];
};

/* Returns the timer of the work's first device, created at first use; NULL with the device's error set on failure. */
struct lab_timer *lab_timers_get(struct lab_timers *timers, const struct lab_work *work);
void lab_timers_release(struct lab_timers *timers);

/* Creates an event for the end of each lane after the first. Returns false with the error of the first lane's device
 * set. */
bool lab_timer_create_joins(struct lab_timer *timer, const struct lab_work *work);

#endif
