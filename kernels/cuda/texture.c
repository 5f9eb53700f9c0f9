/* Textures and surfaces of device memory: linear, and in arrays whose layout serves accesses that are near in several
 * dimensions. */
#include "device.h"
#include "entries.h"

#include <stdlib.h>

struct lab_texture {
    cudaTextureObject_t handle;   /* 0: not created */
    cudaSurfaceObject_t writable; /* of a surface, which has no handle as a texture; 0: not created */
    cudaArray_t array;            /* NULL for a linear texture */
    void *elements;
    struct lab_texture_shape shape;
};

static struct cudaChannelFormatDesc format_of(const struct lab_texture_shape *shape)
{
    static const enum cudaChannelFormatKind kinds[] = {[LAB_TEXTURE_UNSIGNED] = cudaChannelFormatKindUnsigned,
                                                       [LAB_TEXTURE_SIGNED] = cudaChannelFormatKindSigned,
                                                       [LAB_TEXTURE_FLOAT] = cudaChannelFormatKindFloat};
    int bits[4] = {0};
    for (size_t i = 0; i < shape->channels; i++)
        bits[i] = shape->bits;
    return (struct cudaChannelFormatDesc){bits[0], bits[1], bits[2], bits[3], kinds[shape->format]};
}

static size_t element_bytes(const struct lab_texture_shape *shape)
{
    return (size_t)shape->channels * shape->bits / 8;
}

static bool allocate_array(struct lab_device *device, struct lab_texture *texture)
{
    const struct lab_texture_shape *shape = &texture->shape;
    const struct cudaChannelFormatDesc format = format_of(shape);
    const struct cudaExtent extent = {shape->extent[0], shape->extent[1],
                                      shape->layers > 0 ? shape->layers : shape->extent[2]};
    unsigned flags = shape->layers > 0 ? cudaArrayLayered : cudaArrayDefault;
    if (shape->memory == LAB_TEXTURE_SURFACE)
        flags |= cudaArraySurfaceLoadStore;
    return lab_cuda_check(device, cudaMalloc3DArray(&texture->array, &format, extent, flags),
                          "allocating the array of a texture");
}

/* Copies between the memory and the array, as a box of all rows. */
static bool copy(struct lab_device *device, struct lab_texture *texture, bool fills)
{
    const struct lab_texture_shape *shape = &texture->shape;
    size_t rows = shape->extent[1] > 0 ? shape->extent[1] : 1;
    size_t depth = shape->layers > 0 ? shape->layers : shape->extent[2] > 0 ? shape->extent[2] : 1;
    cudaStream_t stream = cuda_device_of(device)->service;
    struct cudaMemcpy3DParms box = {.extent = {shape->extent[0], rows, depth}, .kind = cudaMemcpyDeviceToDevice};
    const struct cudaPitchedPtr memory = {texture->elements, shape->extent[0] * element_bytes(shape), shape->extent[0],
                                          rows};
    if (texture->array == NULL)
        return true;
    if (fills) {
        box.srcPtr = memory;
        box.dstArray = texture->array;
    } else {
        box.srcArray = texture->array;
        box.dstPtr = memory;
    }
    return lab_cuda_make_current(device) &&
           lab_cuda_check(device, cudaMemcpy3DAsync(&box, stream), "copying the array of a texture") &&
           lab_cuda_check(device, cudaStreamSynchronize(stream), "copying the array of a texture");
}

static bool create_texture(struct lab_device *device, struct lab_texture *texture)
{
    static const enum cudaTextureAddressMode modes[] = {[LAB_TEXTURE_CLAMP] = cudaAddressModeClamp,
                                                        [LAB_TEXTURE_BORDER] = cudaAddressModeBorder,
                                                        [LAB_TEXTURE_WRAP] = cudaAddressModeWrap,
                                                        [LAB_TEXTURE_MIRROR] = cudaAddressModeMirror};
    const struct lab_texture_shape *shape = &texture->shape;
    const struct cudaTextureDesc reading = {
        .addressMode = {modes[shape->address[0]], modes[shape->address[1]], modes[shape->address[2]]},
        .filterMode = shape->linear_filter ? cudaFilterModeLinear : cudaFilterModePoint,
        .readMode = shape->normalized_values ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .normalizedCoords = shape->normalized_coordinates};
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray, .res.array.array = texture->array};
    if (shape->memory == LAB_TEXTURE_LINEAR)
        resource = (struct cudaResourceDesc){.resType = cudaResourceTypeLinear,
                                             .res.linear = {.devPtr = texture->elements,
                                                            .desc = format_of(shape),
                                                            .sizeInBytes = shape->extent[0] * element_bytes(shape)}};
    return lab_cuda_check(device, cudaCreateTextureObject(&texture->handle, &resource, &reading, NULL),
                          "creating a texture");
}

static bool create_surface(struct lab_device *device, struct lab_texture *texture)
{
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray, .res.array.array = texture->array};
    return lab_cuda_check(device, cudaCreateSurfaceObject(&texture->writable, &resource), "creating a surface");
}

static bool create(struct lab_device *device, struct lab_texture *texture)
{
    enum lab_texture_memory memory = texture->shape.memory;
    return (memory == LAB_TEXTURE_LINEAR || (allocate_array(device, texture) && copy(device, texture, true))) &&
           (memory == LAB_TEXTURE_SURFACE ? create_surface : create_texture)(device, texture);
}

struct lab_texture *lab_cuda_texture_create(struct lab_device *device, void *elements,
                                            const struct lab_texture_shape *shape, uint64_t *handle)
{
    if (!lab_cuda_make_current(device))
        return NULL;
    struct lab_texture *texture = calloc(1, sizeof *texture);
    if (texture == NULL) {
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a texture");
        return NULL;
    }
    texture->elements = elements;
    texture->shape = *shape;
    if (create(device, texture)) {
        *handle = shape->memory == LAB_TEXTURE_SURFACE ? texture->writable : texture->handle;
        return texture;
    }
    struct lab_error error = device->error;
    lab_cuda_texture_free(device, texture);
    device->error = error;
    return NULL;
}

bool lab_cuda_texture_fill(struct lab_device *device, struct lab_texture *texture)
{
    return copy(device, texture, true);
}

bool lab_cuda_texture_read(struct lab_device *device, struct lab_texture *texture)
{
    return copy(device, texture, false);
}

void lab_cuda_texture_free(struct lab_device *device, struct lab_texture *texture)
{
    if (texture == NULL)
        return;
    if (lab_cuda_make_current(device)) {
        if (texture->handle != 0)
            (void)lab_cuda_check(device, cudaDestroyTextureObject(texture->handle), "releasing a texture");
        if (texture->writable != 0)
            (void)lab_cuda_check(device, cudaDestroySurfaceObject(texture->writable), "releasing a surface");
        if (texture->array != NULL)
            (void)lab_cuda_check(device, cudaFreeArray(texture->array), "releasing the array of a texture");
    }
    free(texture);
}
