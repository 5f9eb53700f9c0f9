/* Kernels as data: an optional table of the runtime (runtime.h). An image holds compiled kernels; the runtime loads it,
 * finds kernels by name and launches them. The same table serves the kernels that are compiled into gpulab and those
 * that are compiled at run time.
 *
 * Source: the CUDA runtime API's library functions (cudaLibraryLoadData, cudaLibraryGetKernel, cudaLaunchKernelExC).
 */
#ifndef LAB_MODULE_H
#define LAB_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_device;
struct lab_plan;
struct lab_module;  /* an image loaded on a device */
struct lab_kernel;  /* a kernel of a module */
struct lab_texture; /* memory that kernels access through the texture units */

/* A launch of a kernel. */
struct lab_launch {
    uint32_t grid[3], block[3]; /* blocks, threads per block; an entry of 0 counts as 1 */
    uint32_t cluster[3];        /* blocks of a cluster; {0} for none */
    size_t shared_bytes;        /* dynamic shared memory of a block, in bytes */
    bool cooperative;           /* all blocks run at the same time and may synchronise */
    /* Asks that `shared_percent` of the largest shared memory of a multiprocessor be shared memory and the rest L1
     * cache; a hint. Without it the driver chooses. */
    bool divides_l1;
    uint32_t shared_percent;
};

/* An argument of a kernel: its value, and its size in bytes, which must be that of the kernel's parameter. A value of
 * more than 8 bytes is at `pointer` and must stay valid until the prepared launch is released. */
struct lab_argument {
    size_t bytes;
    union {
        void *pointer;
        uint64_t u64;
        int64_t i64;
        uint32_t u32;
        int32_t i32;
        float f32;
        double f64;
    };
};

static inline struct lab_argument lab_argument_pointer(const void *pointer)
{
    return (struct lab_argument){sizeof(void *), {.pointer = (void *)(uintptr_t)pointer}};
}

static inline struct lab_argument lab_argument_u64(uint64_t value)
{
    return (struct lab_argument){sizeof value, {.u64 = value}};
}

static inline struct lab_argument lab_argument_u32(uint32_t value)
{
    return (struct lab_argument){sizeof value, {.u32 = value}};
}

static inline struct lab_argument lab_argument_f32(float value)
{
    return (struct lab_argument){sizeof value, {.f32 = value}};
}

static inline struct lab_argument lab_argument_f64(double value)
{
    return (struct lab_argument){sizeof value, {.f64 = value}};
}

/* A value of more than 8 bytes, such as a struct. */
static inline struct lab_argument lab_argument_large(const void *value, size_t bytes)
{
    return (struct lab_argument){bytes, {.pointer = (void *)(uintptr_t)value}};
}

enum { LAB_ARGUMENTS_MAX = 24 };

/* The part of a launch that one CPU core executes: part `index` of `count` parts. */
struct lab_host_part {
    size_t index, count;
    const struct lab_launch *launch;
};

/* A kernel of the host runtime: executes its part of the launch. Called once for each part, on several threads. */
struct lab_host_kernel {
    const char *name;
    void (*run)(const struct lab_host_part *part, const struct lab_argument *arguments);
};

/* Begins the definition of the kernel `name` of the host runtime, the function host_NAME, whose body follows.
 * gpulab-pages (kernels/pages) finds these definitions in NAME_host.c and lists them in the table NAME_host_kernels. */
#define LAB_HOST_KERNEL(name)                                                                                          \
    void host_##name(const struct lab_host_part *part, const struct lab_argument *arguments);                          \
    void host_##name(const struct lab_host_part *part, const struct lab_argument *arguments)

/* The range of elements, begin <= i < end, that a part has of `total`; ranges are multiples of `unit` elements, except
 * the last. */
static inline void lab_host_part_range(const struct lab_host_part *part, uint64_t total, uint64_t unit, uint64_t *begin,
                                       uint64_t *end)
{
    uint64_t units = (total + unit - 1) / unit;
    *begin = units * part->index / part->count * unit;
    *end = units * (part->index + 1) / part->count * unit;
    *end = *end < total ? *end : total;
    *begin = *begin < *end ? *begin : *end;
}

/* A fatbin or cubin, which the build embeds (experiments/images.cmake); {0} in a build without CUDA. */
struct lab_binary {
    const unsigned char *begin, *end;
};

/* Compiled kernels. Each runtime uses its own member; NULL: the image has no kernels for it. */
struct lab_image {
    const char *name;                   /* that with which the names of its kernels begin: "vector_add" */
    const struct lab_binary *binary;    /* CUDA */
    const struct lab_host_kernel *host; /* host runtime: ends with name NULL */
};

/* Declares the image `image` of the experiment `name`, of NAME.cu and NAME_host.c. */
#define LAB_IMAGE(name)                                                                                                \
    extern const struct lab_binary lab_binary_##name;                                                                  \
    extern const struct lab_host_kernel name##_host_kernels[];                                                         \
    static const struct lab_image image = {#name, &lab_binary_##name, name##_host_kernels}
/* As LAB_IMAGE, for an image without NAME_host.c. */
#define LAB_CUDA_IMAGE(name)                                                                                           \
    extern const struct lab_binary lab_binary_##name;                                                                  \
    static const struct lab_image image = {#name, &lab_binary_##name, NULL}

/* What a kernel needs of a multiprocessor. */
struct lab_kernel_attributes {
    int registers;                 /* per thread */
    size_t local_bytes;            /* local memory per thread, in bytes: arrays and spilled registers */
    size_t shared_bytes;           /* static and dynamic shared memory per block, in bytes */
    int blocks_per_multiprocessor; /* that fit at the same time */
    double occupancy;              /* share of the multiprocessor's maximum number of resident threads */
};

/* Where the elements of a texture are: in the memory itself, in an array that is a copy of it, or in an array that
 * kernels write to as well, a surface. In an array, elements that are neighbours in any dimension are near each
 * other. */
enum lab_texture_memory { LAB_TEXTURE_LINEAR, LAB_TEXTURE_ARRAY, LAB_TEXTURE_SURFACE };
/* How the bits of a channel are read. */
enum lab_texture_format { LAB_TEXTURE_UNSIGNED, LAB_TEXTURE_SIGNED, LAB_TEXTURE_FLOAT };
/* What is read at coordinates outside of a texture. */
enum lab_texture_address { LAB_TEXTURE_CLAMP, LAB_TEXTURE_BORDER, LAB_TEXTURE_WRAP, LAB_TEXTURE_MIRROR };

/* The elements of a texture or surface lie in memory one after the other, x fastest, then y, then z or the layer; the
 * channels of an element are neighbours. */
struct lab_texture_shape {
    uint32_t extent[3]; /* elements in x, y and z; 0: it has not that dimension */
    uint32_t layers;    /* 0: it has none; only with one or two dimensions */
    uint8_t channels;   /* of an element: 1, 2 or 4 */
    uint8_t bits;       /* of a channel: 8, 16 or 32 */
    uint8_t format;     /* enum lab_texture_format */
    uint8_t memory;     /* enum lab_texture_memory; LINEAR: with one dimension and no layers */
    /* The following members are for a texture in an array. */
    uint8_t address[3]; /* in x, y and z: enum lab_texture_address; WRAP and MIRROR need normalized_coordinates */
    bool linear_filter; /* reads interpolate between elements, which then are floats or read as such */
    bool normalized_coordinates;
    bool normalized_values; /* integers of 8 or 16 bits are read as floats from 0 or -1 to 1 */
};

/* The detail of the error where a device has no such table. */
#define LAB_MODULES_MISSING "this build cannot load kernels on this device"

/* The functions follow the rules of runtime.h. */
struct lab_runtime_module {
    /* Loads an image, which must stay valid until `unload`. Returns NULL with code "unsupported" if it has no kernels
     * for the runtime. */
    struct lab_module *(*load)(struct lab_device *device, const struct lab_image *image);
    void (*unload)(struct lab_device *device, struct lab_module *module);
    /* The kernel of that name, which belongs to the module. Returns NULL with code "unsupported" if there is none. */
    struct lab_kernel *(*kernel)(struct lab_device *device, struct lab_module *module, const char *name);
    /* Prepares a launch as a plan, which is enqueued and released like any other. `launch` and `arguments` are copied;
     * `count` is at most LAB_ARGUMENTS_MAX and must be the number of the kernel's parameters. */
    struct lab_plan *(*prepare)(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                                const struct lab_argument *arguments, size_t count);
    /* Sets *attributes. Returns false with code "unsupported" in a runtime whose kernels have none. */
    bool (*attributes)(struct lab_device *device, struct lab_kernel *kernel, const struct lab_launch *launch,
                       struct lab_kernel_attributes *attributes);
    /* The address and size of a global variable (__device__ or __constant__) of a module. Returns false with code
     * "unsupported" if it has none of that name. NULL in a runtime that has none. */
    bool (*global)(struct lab_device *device, struct lab_module *module, const char *name, void **address,
                   size_t *bytes);
    /* Creates a texture or surface of device memory that holds its elements and must stay valid until the release, and
     * sets *handle to the kernels' argument, a cudaTextureObject_t or cudaSurfaceObject_t. An array is filled from the
     * memory. NULL in a runtime that has none; the two functions that follow are there where this one is. */
    struct lab_texture *(*texture_create)(struct lab_device *device, void *elements,
                                          const struct lab_texture_shape *shape, uint64_t *handle);
    /* Copies the memory into the array, or the array into the memory; returns when it is done. Linear memory needs no
     * copy. */
    bool (*texture_fill)(struct lab_device *device, struct lab_texture *texture);
    bool (*texture_read)(struct lab_device *device, struct lab_texture *texture);
    /* NULL is allowed and does nothing. */
    void (*texture_free)(struct lab_device *device, struct lab_texture *texture);
};

#endif
