#include "own_kernels.h"

#include "core/base64.h"

#include <stdlib.h>

/* Reads three sizes; absent: they stay 0. */
static void read_sizes(const json_t *list, uint32_t sizes[3])
{
    for (size_t i = 0; i < 3; i++)
        sizes[i] = (uint32_t)json_integer_value(json_array_get(list, i));
}

bool worker_own_kernels_read(struct worker_own_kernels *own, const json_t *kernel, struct lab_error *error)
{
    const json_t *image = json_object_get(kernel, "image");
    const char *step = json_string_value(json_object_get(kernel, "step"));
    size_t size;
    *own = (struct worker_own_kernels){.kernels.step = step != NULL ? step : ""};
    if (!json_is_string(image) ||
        !lab_base64_decode(json_string_value(image), json_string_length(image), &own->bytes, &size))
        return lab_error_set(error, "invalid-request", "/kernel/image", "the image of the kernels is not Base64");
    own->binary = (struct lab_binary){own->bytes, own->bytes + size};
    own->kernels.image = (struct lab_image){.name = "the edited source", .binary = &own->binary};
    read_sizes(json_object_get(kernel, "block"), own->kernels.block);
    read_sizes(json_object_get(kernel, "grid"), own->kernels.grid);
    return true;
}

void worker_own_kernels_release(struct worker_own_kernels *own)
{
    free(own->bytes);
    *own = (struct worker_own_kernels){0};
}
