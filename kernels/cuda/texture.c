/* Textures of device memory: linear, and in arrays whose layout serves accesses that are near in two dimensions. */
#include "device.h"
#include "entries.h"

#include <stdlib.h>

struct lab_texture {
    cudaTextureObject_t handle; /* 0: not created */
    cudaArray_t array;          /* NULL for a linear texture */
};

static const struct cudaChannelFormatDesc word = {.x = 32, .f = cudaChannelFormatKindUnsigned};

/* Copies the rows into an array. */
static bool fill_array(struct lab_device *device, const struct lab_region *words, cudaArray_t *array)
{
    cudaStream_t stream = cuda_device_of(device)->service;
    return lab_cuda_check(device, cudaMallocArray(array, &word, words->width / sizeof(uint32_t), words->height, 0),
                          "allocating the array of a texture") &&
           lab_cuda_check(device,
                          cudaMemcpy2DToArrayAsync(*array, 0, 0, words->address, words->pitch, words->width,
                                                   words->height, cudaMemcpyDeviceToDevice, stream),
                          "copying into the array of a texture") &&
           lab_cuda_check(device, cudaStreamSynchronize(stream), "copying into the array of a texture");
}

/* Sets the handle, and the array if there are several rows. */
static bool create(struct lab_device *device, const struct lab_region *words, struct lab_texture *texture)
{
    const struct cudaTextureDesc reading = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
                                            .filterMode = cudaFilterModePoint,
                                            .readMode = cudaReadModeElementType};
    struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeLinear,
        .res.linear = {.devPtr = words->address, .desc = word, .sizeInBytes = words->width}};
    if (words->height > 1) {
        if (!fill_array(device, words, &texture->array))
            return false;
        resource = (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = texture->array};
    }
    return lab_cuda_check(device, cudaCreateTextureObject(&texture->handle, &resource, &reading, NULL),
                          "creating a texture");
}

struct lab_texture *lab_cuda_texture_create(struct lab_device *device, const struct lab_region *words, uint64_t *handle)
{
    if (!lab_cuda_make_current(device))
        return NULL;
    struct lab_texture *texture = calloc(1, sizeof *texture);
    if (texture == NULL) {
        lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a texture");
        return NULL;
    }
    if (create(device, words, texture)) {
        *handle = texture->handle;
        return texture;
    }
    struct lab_error error = device->error;
    lab_cuda_texture_free(device, texture);
    device->error = error;
    return NULL;
}

void lab_cuda_texture_free(struct lab_device *device, struct lab_texture *texture)
{
    if (texture == NULL)
        return;
    if (lab_cuda_make_current(device)) {
        if (texture->handle != 0)
            (void)lab_cuda_check(device, cudaDestroyTextureObject(texture->handle), "releasing a texture");
        if (texture->array != NULL)
            (void)lab_cuda_check(device, cudaFreeArray(texture->array), "releasing the array of a texture");
    }
    free(texture);
}
