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
static bool read_image(const json_t *text, const char *name, struct lab_image *image, struct worker_own_image *decoded)
{
    size_t size;
    if (!json_is_string(text) ||
        !lab_base64_decode(json_string_value(text), json_string_length(text), &decoded->bytes, &size))
        return false;
    decoded->binary = (struct lab_binary){decoded->bytes, decoded->bytes + size};
    *image = (struct lab_image){.name = name, .binary = &decoded->binary};
    return true;
}

/* Reads {"entry", "image"} of a variant. Without an image, it is that of `shared`. */
static bool read_entry(struct worker_own_kernels *own, const json_t *object, const char *name,
                       const struct lab_image *shared, struct lab_own_entry *entry)
{
    const json_t *image = json_object_get(object, "image");
    entry->name = json_string_value(json_object_get(object, "entry"));
    entry->image = *shared;
    return entry->name != NULL &&
           (image == NULL || read_image(image, name, &entry->image, &own->images[own->image_count++]));
}

/* A process that judges outputs does not get the kernel itself. */
static bool read_variant(struct worker_own_kernels *own, const json_t *object, struct lab_own_variant *variant)
{
    const json_t *reference = json_object_get(object, "reference");
    static const struct lab_image none = {0};
    variant->macros = json_object_get(object, "macros");
    variant->refusal = json_string_value(json_object_get(object, "refusal"));
    bool judges = json_object_get(object, "entry") == NULL;
    return variant->refusal != NULL || ((judges || (read_entry(own, object, "the source", &none, &variant->own) &&
                                                    variant->own.image.binary != NULL)) &&
                                        (reference == NULL || read_entry(own, reference, "the reference",
                                                                         &variant->own.image, &variant->reference)));
}

static bool read_variants(struct worker_own_kernels *own, const json_t *variants)
{
    size_t count = json_array_size(variants);
    if (count == 0 || count > LAB_MACRO_COMBINATIONS_MAX)
        return false;
    own->kernels.variants = own->variants;
    own->kernels.variant_count = count;
    for (size_t i = 0; i < count; i++)
        if (!read_variant(own, json_array_get(variants, i), &own->variants[i]))
            return false;
    return true;
}

bool worker_own_kernels_read(struct worker_own_kernels *own, const json_t *kernel, struct lab_error *error)
{
    const json_t *image = json_object_get(kernel, "image");
    const char *edits = json_string_value(json_object_get(kernel, "edits"));
    const char *slash = edits != NULL ? strchr(edits, '/') : NULL;
    *own = (struct worker_own_kernels){.kernels.step = slash != NULL ? slash + 1 : ""};
    if (image != NULL ? !read_image(image, "the source", &own->kernels.image, &own->image)
                      : !read_variants(own, json_object_get(kernel, "variants")))
        return lab_error_set(error, LAB_ERROR_INVALID_REQUEST, "/kernel",
                             "the images of the kernels are missing or not valid Base64");
    read_sizes(json_object_get(kernel, "block"), own->kernels.block);
    read_sizes(json_object_get(kernel, "grid"), own->kernels.grid);
    return true;
}

void worker_own_kernels_release(struct worker_own_kernels *own)
{
    free(own->image.bytes);
    for (size_t i = 0; i < own->image_count; i++)
        free(own->images[i].bytes);
    *own = (struct worker_own_kernels){0};
}
