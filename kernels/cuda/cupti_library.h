/* The functions of CUPTI that trace.c calls. The library is loaded at its first use: it is part of the toolkit, not of
 * the driver, and only tracing needs it.
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

/* Loads the library and fills in *cupti. Returns false if no library that has all functions is found; the loader's
 * error is then written to `why`. */
bool lab_cuda_cupti_open(struct cupti *cupti, char *why, size_t why_size);

#endif
