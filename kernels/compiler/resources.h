/* What each kernel of a compiled text needs: from the log of ptxas and from the PTX. */
#ifndef LAB_RESOURCES_H
#define LAB_RESOURCES_H

#include <jansson.h>

/* [{"name","registers","shared_bytes","local_bytes","spill_bytes","parameters":[bytes…]}…] in the order of the log that
 * ptxas writes with its option -v. `name` is the symbol. Shared bytes are those declared with a size, local bytes those
 * of a thread's stack, spill bytes those that are stored to local memory because there are too few registers. */
json_t *lab_kernel_resources(const char *log, const char *ptx);

#endif
