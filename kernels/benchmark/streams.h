/* Streams of the work of runs. The sides of a comparison use the same ones, because the time of a launch or a copy
 * depends on which of the device's queues a stream has been given (METHOD.md 19).
 */
#ifndef LAB_STREAMS_H
#define LAB_STREAMS_H

#include "measure/run.h"

/* The streams that the sides of a comparison share: run->streams of both. Initialise with `{0}`. */
struct lab_streams {
    size_t count, capacity;
    struct lab_shared_stream *items; /* in the order of creation */
};

/* A stream that this run does not have yet; in a comparison the first one of the device that the side does not have.
 * Returns NULL with the device's error set. */
struct lab_stream *lab_run_stream(const struct lab_run *run, struct lab_device *device);
/* Takes a stream back; NULL is allowed and does nothing. */
void lab_run_stream_return(const struct lab_run *run, struct lab_device *device, struct lab_stream *stream);

/* Frees the shared streams, while the devices are open. */
void lab_streams_release(struct lab_streams *streams);

#endif
