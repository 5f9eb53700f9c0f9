/* Loads CUPTI. */
#include "cupti_library.h"

#include "core/library.h"

static const struct lab_library_symbol symbols[] = {
    {offsetof(struct cupti, register_callbacks), "cuptiActivityRegisterCallbacks"},
    {offsetof(struct cupti, enable), "cuptiActivityEnable"},
    {offsetof(struct cupti, disable), "cuptiActivityDisable"},
    {offsetof(struct cupti, flush_all), "cuptiActivityFlushAll"},
    {offsetof(struct cupti, next_record), "cuptiActivityGetNextRecord"},
    {offsetof(struct cupti, dropped_records), "cuptiActivityGetNumDroppedRecords"},
    {offsetof(struct cupti, stream_id), "cuptiGetStreamIdEx"},
    {offsetof(struct cupti, result_string), "cuptiGetResultString"},
};

bool lab_cuda_cupti_open(struct cupti *cupti, char *why, size_t why_size)
{
    const struct lab_library library = {lab_cupti_names, symbols, sizeof symbols / sizeof *symbols};
    return lab_library_open(&library, cupti, why, why_size);
}
