#include "own_kernels.h"

#include "core/base64.h"

#include <stdlib.h>
#include <string.h>

/* Reads three sizes; absent: they stay 0. */
static void read_sizes(const json_t *list, uint32_t sizes[3])
{
    for (size_t i = 0; i < 3; i++)
        sizes[i] = (uint32_t)json_integer_value(json_array_get(list, i));
}

/* Decodes an image. */
static bool read_image(const json_t *text, const char *name, struct lab_image *image, struct lab_binary *binary,
                       unsigned char **bytes)
{
    size_t size;
    if (!json_is_string(text) || !lab_base64_decode(json_string_value(text), json_string_length(text), bytes, &size))
        return false;
    *binary = (struct lab_binary){*bytes, *bytes + size};
    *image = (struct lab_image){.name = name, .binary = binary};
    return true;
}

bool worker_own_kernels_read(struct worker_own_kernels *own, const json_t *kernel, struct lab_error *error)
{
    const json_t *reference = json_object_get(json_object_get(kernel, "reference"), "image");
    const char *edits = json_string_value(json_object_get(kernel, "edits"));
    const char *slash = edits != NULL ? strchr(edits, '/') : NULL;
    *own = (struct worker_own_kernels){.kernels.step = slash != NULL ? slash + 1 : ""};
    if (!read_image(json_object_get(kernel, "image"), "the source", &own->kernels.image, &own->binary, &own->bytes) ||
        (reference != NULL &&
         !read_image(reference, "the reference", &own->kernels.reference, &own->reference, &own->reference_bytes)))
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/kernel/image",
                             "the image of the kernels is not Base64");
    read_sizes(json_object_get(kernel, "block"), own->kernels.block);
    read_sizes(json_object_get(kernel, "grid"), own->kernels.grid);
    return true;
}

void worker_own_kernels_release(struct worker_own_kernels *own)
{
    free(own->bytes);
    free(own->reference_bytes);
    *own = (struct worker_own_kernels){0};
}
