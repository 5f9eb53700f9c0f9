/* Opening CUPTI: where the loader finds it, else where toolkits put it. */
#include "cupti_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const places[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"};
static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

static const struct {
    size_t offset;
    const char *name;
} symbols[] = {
    {offsetof(struct cupti, register_callbacks), "cuptiActivityRegisterCallbacks"},
    {offsetof(struct cupti, enable), "cuptiActivityEnable"},
    {offsetof(struct cupti, disable), "cuptiActivityDisable"},
    {offsetof(struct cupti, flush_all), "cuptiActivityFlushAll"},
    {offsetof(struct cupti, next_record), "cuptiActivityGetNextRecord"},
    {offsetof(struct cupti, dropped_records), "cuptiActivityGetNumDroppedRecords"},
    {offsetof(struct cupti, stream_id), "cuptiGetStreamIdEx"},
    {offsetof(struct cupti, result_string), "cuptiGetResultString"},
};

static bool resolve(void *library, struct cupti *cupti)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL)
            return false;
        memcpy((char *)cupti + symbols[i].offset, &found, sizeof found);
    }
    return true;
}

bool lab_cuda_cupti_open(struct cupti *cupti)
{
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            char path[128];
            snprintf(path, sizeof path, "%s%s", places[p], names[n]);
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (library != NULL && resolve(library, cupti))
                return true;
            if (library != NULL)
                dlclose(library);
        }
    }
    return false;
}
