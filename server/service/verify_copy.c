#include "verify_copy.h"

#include "store.h"

#include <stdio.h>

bool lab_verify_copy(const char *path, char *found, size_t size, struct lab_error *error)
{
    struct lab_verified verified;
    char message[LAB_DETAIL_MAX];
    if (!lab_copy_verify(path, &verified, message, sizeof message))
        return lab_error_set(error, LAB_ERROR_STORE, "", "%s", message);
    snprintf(found, size, "schema %zu, %lld runs, %lld measurements", verified.schema, (long long)verified.runs,
             (long long)verified.measurements);
    return true;
}
