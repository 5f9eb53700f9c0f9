#include "cupti.h"

#include "core/library.h"

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct tracer_cupti, register_callbacks), "cuptiActivityRegisterCallbacks"},
    {offsetof(struct tracer_cupti, enable), "cuptiActivityEnable"},
    {offsetof(struct tracer_cupti, flush_all), "cuptiActivityFlushAll"},
    {offsetof(struct tracer_cupti, next_record), "cuptiActivityGetNextRecord"},
    {offsetof(struct tracer_cupti, dropped_records), "cuptiActivityGetNumDroppedRecords"},
    {offsetof(struct tracer_cupti, set_thread_id_type), "cuptiSetThreadIdType"},
    {offsetof(struct tracer_cupti, callback_name), "cuptiGetCallbackName"},
    {offsetof(struct tracer_cupti, result_string), "cuptiGetResultString"},
};

bool tracer_cupti_open(struct tracer_cupti *cupti, const char *path, char *why, size_t why_size)
{
    const char *const given[] = {path, NULL};
    const struct lab_library library = {path != NULL ? given : lab_cupti_names, symbols,
                                        sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, cupti, why, why_size);
}
