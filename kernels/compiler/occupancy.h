/* How many warps of a kernel fit on a multiprocessor, by threads of a block: from its registers and shared memory and
 * the limits of the architecture. Dynamic shared memory is not counted.
 */
#ifndef LAB_OCCUPANCY_H
#define LAB_OCCUPANCY_H

#include <jansson.h>

/* [{"threads": 32, 64, … 1024, "warps": resident warps, "share": of the most that the architecture has, "limit":
 * "registers", "shared memory", "blocks" or "warps", whichever is reached first}…]; 0 warps: such a block cannot be
 * launched. `architecture`: "sm_90". `registers`: of a thread; `shared_bytes`: static, of a block. An empty list for an
 * architecture that is not known here. The caller owns the result. */
json_t *lab_occupancy(const char *architecture, long registers, long shared_bytes);

#endif
