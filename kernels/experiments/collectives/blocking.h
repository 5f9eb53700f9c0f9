/* Whether a library's calls come back while the devices are held back. Calls that launch on many devices may wait for what
 * they have launched before, and no measurement may count on a latch that they wait behind (METHOD.md 2).
 */
#ifndef LAB_COLLECTIVES_BLOCKING_H
#define LAB_COLLECTIVES_BLOCKING_H

#include "measure/measure.h"

/* Queues the work once, waits for it, and then `repetitions` times behind a latch that opens by itself after half a second:
 * *waits tells whether that had to happen. False with the error of the first lane's device set. */
bool collectives_calls_block(const struct lab_work *work, size_t repetitions, bool *block);

#endif
