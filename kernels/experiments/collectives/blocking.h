/* Tests whether a library's calls block until the devices have finished. A call that launches on several devices may
 * wait for earlier launches. Behind a closed latch it would block until the latch times out, so it cannot be timed with
 * a latch (METHOD.md 2).
 */
#ifndef LAB_COLLECTIVES_BLOCKING_H
#define LAB_COLLECTIVES_BLOCKING_H

#include "measure/measure.h"

/* Queues the work once and waits for it, then queues `repetitions` of it behind a latch that times out after half a
 * second. *block becomes true if the latch timed out, that is, if the calls block. On failure returns false and sets
 * the error of the first lane's device. */
bool collectives_calls_block(const struct lab_work *work, size_t repetitions, bool *block);

#endif
