/* The functions of CUPTI that the tracer calls. The library is opened at run time: it is part of the toolkit, not of
 * the driver. */
#ifndef LAB_TRACER_CUPTI_H
#define LAB_TRACER_CUPTI_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>

struct tracer_cupti {
    __typeof__(&cuptiActivityRegisterCallbacks) register_callbacks;
    __typeof__(&cuptiActivityEnable) enable;
    __typeof__(&cuptiActivityFlushAll) flush_all;
    __typeof__(&cuptiActivityGetNextRecord) next_record;
    __typeof__(&cuptiActivityGetNumDroppedRecords) dropped_records;
    __typeof__(&cuptiSetThreadIdType) set_thread_id_type;
    __typeof__(&cuptiGetCallbackName) callback_name;
    __typeof__(&cuptiGetResultString) result_string;
};

/* Opens the library at `path`; NULL: the one that the loader or the toolkit's usual folders have. Returns false if it
 * does not have all functions; the loader's error is then written to `why`. */
bool tracer_cupti_open(struct tracer_cupti *cupti, const char *path, char *why, size_t why_size);

#endif
