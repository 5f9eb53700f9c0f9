/* The few functions of CUPTI that the tracer calls, looked up when they are first needed: the library comes with the
 * toolkit and not with the driver, and all but tracing goes without it.
 */
#ifndef LAB_CUDA_CUPTI_LIBRARY_H
#define LAB_CUDA_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>

struct cupti {
    __typeof__(&cuptiActivityRegisterCallbacks) register_callbacks;
    __typeof__(&cuptiActivityEnable) enable;
    __typeof__(&cuptiActivityDisable) disable;
    __typeof__(&cuptiActivityFlushAll) flush_all;
    __typeof__(&cuptiActivityGetNextRecord) next_record;
    __typeof__(&cuptiActivityGetNumDroppedRecords) dropped_records;
    __typeof__(&cuptiGetStreamIdEx) stream_id;
    __typeof__(&cuptiGetResultString) result_string;
};

/* False when no library is found that has them all; `why` is then filled with what the loader said. */
bool lab_cuda_cupti_open(struct cupti *cupti, char *why, size_t why_size);

#endif
