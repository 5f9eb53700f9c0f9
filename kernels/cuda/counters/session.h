/* CUPTI's Range Profiler while it counts: it is opened, configured for a number of ranges, started and stopped for each
 * pass, and what was counted is decoded. While it is open, it keeps other profilers off the device. Clocks are left
 * alone, and caches not flushed. */
#ifndef LAB_CUDA_SESSION_H
#define LAB_CUDA_SESSION_H

#include "selection.h"

struct cuda_session {
    const struct cuda_chip *chip;
    const struct cuda_selection *selection;
    CUpti_RangeProfiler_Object *object;
    struct cuda_image data; /* what is counted */
    size_t ranges;          /* in a pass, at most */
    bool is_started;        /* a pass has not yet ended */
};

/* Both must stay until the session is released. The functions return false with *error set; lab_cuda_session_release
 * releases what was opened. */
bool lab_cuda_session_open(struct cuda_session *session, const struct cuda_chip *chip,
                           const struct cuda_selection *selection, size_t ranges, struct lab_error *error);
/* Before the first pass, and again before that of other work: what was counted is forgotten. */
bool lab_cuda_session_configure(struct cuda_session *session, struct lab_error *error);
bool lab_cuda_session_start(struct cuda_session *session, struct lab_error *error);
/* Ends a pass; sets *last when no other one is needed. */
bool lab_cuda_session_stop(struct cuda_session *session, bool *last, struct lab_error *error);
/* A range, between start and stop. The work in it must have ended before it does. `range`: a number of its own in the
 * pass, because CUPTI counts ranges of one name together; in each pass the same. */
bool lab_cuda_session_push(const struct cuda_session *session, size_t range, struct lab_error *error);
bool lab_cuda_session_pop(const struct cuda_session *session, struct lab_error *error);
/* After the last pass. */
bool lab_cuda_session_decode(const struct cuda_session *session, struct lab_error *error);
/* Ends a pass that has not ended, and lets go of the device; values can still be read. In any state. */
void lab_cuda_session_close(struct cuda_session *session);
/* The number of the range that CUPTI keeps at this place, from 0 on. */
bool lab_cuda_session_range(const struct cuda_session *session, size_t place, size_t *range, struct lab_error *error);
/* What the range at a place has counted, in the units of the counters and the order of the selection. */
bool lab_cuda_session_values(const struct cuda_session *session, size_t place,
                             double values[LAB_HARDWARE_COUNTER_COUNT], struct lab_error *error);
void lab_cuda_session_release(struct cuda_session *session);

#endif
