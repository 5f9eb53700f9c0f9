/* Checks of a runtime's typed operations: FILL, CHECK and COPY with odd sizes, alignments and pitches, on every kind of
 * memory that kernels can access. Results are compared with the pattern computed on this CPU, and CHECK must count
 * deliberately wrong words.
 */
#include "runtime_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA = (1 << 20) + 4096, GUARD = 0xEE };

static const uint64_t seed = 0x123456789abcdef5u;
static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED, LAB_MEMORY_WRITE_COMBINED,
                                        LAB_MEMORY_MAPPED};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The position of a region in an arena. */
struct shape {
    size_t offset, width, height, pitch;
};

static const struct shape shapes[] = {
    {0, 1, 1, 0},        {0, 2, 1, 0},       {0, 3, 1, 0},        {0, 4, 1, 0},         {0, 5, 1, 0},
    {0, 15, 1, 0},       {0, 16, 1, 0},      {0, 17, 1, 0},       {0, 31, 1, 0},        {0, 63, 1, 0},
    {0, 255, 1, 0},      {0, 4096, 1, 0},    {0, 65521, 1, 0},    {0, 1 << 20, 1, 0},   {0, (1 << 20) - 1, 1, 0},
    {16, 1 << 20, 1, 0}, {4, 70000, 1, 0},   {8, 1000, 1, 0},     {1, 999, 1, 0},       {2, 70002, 1, 0},
    {7, 65537, 1, 0},    {0, 16, 5, 32},     {0, 4096, 64, 4352}, {32, 1008, 33, 1024}, {4, 1000, 33, 1024},
    {0, 3, 9, 5},        {1, 100, 7, 128},   {0, 1, 1000, 3},     {0, 1022, 500, 1023}, {0, 65536, 2, 65552},
    {0, 48, 4000, 64},   {12, 20, 5000, 36}, {0, 16, 65536, 16},
};

/* ARENA bytes of one kind of memory, and their image on the host. */
struct arena {
    enum lab_memory kind;
    unsigned char *memory, *image;
};

static bool arena_create(struct fixture *fixture, enum lab_memory kind, struct arena *arena)
{
    *arena = (struct arena){.kind = kind, .image = malloc(ARENA)};
    if (fixture->runtime->allocate(fixture->device, kind, ARENA, (void **)&arena->memory))
        return true;
    arena->memory = NULL;
    expect(fixture, fixture->device->error.code == LAB_ERROR_UNSUPPORTED, "allocate %s: %s", kind_names[kind],
           fixture->device->error.detail);
    return false;
}

static void arena_release(struct fixture *fixture, struct arena *arena)
{
    fixture->runtime->free(fixture->device, arena->kind, arena->memory);
    free(arena->image);
}

static bool arena_write(struct fixture *fixture, struct arena *arena)
{
    return write_memory(fixture, arena->kind, arena->memory, arena->image, ARENA);
}

static bool arena_read(struct fixture *fixture, struct arena *arena)
{
    return read_memory(fixture, arena->kind, arena->image, arena->memory, ARENA);
}

static struct lab_region region_in(const struct arena *arena, struct shape shape)
{
    return (struct lab_region){arena->memory + shape.offset, shape.width, shape.height, shape.pitch};
}

static size_t offset_of(struct shape shape, size_t byte)
{
    return shape.offset + byte / shape.width * shape.pitch + byte % shape.width;
}

/* Writes the pattern into the shape and guard bytes around it. */
static void write_image(unsigned char *image, struct shape shape)
{
    memset(image, GUARD, ARENA);
    for (size_t i = 0; i < shape.width * shape.height; i++)
        image[offset_of(shape, i)] = pattern_byte(i, seed);
}

static void check_image(struct fixture *fixture, struct arena *arena, struct shape shape, const char *what)
{
    unsigned char *right = malloc(ARENA);
    write_image(right, shape);
    size_t wrong = 0;
    for (size_t i = 0; i < ARENA; i++)
        wrong += arena->image[i] != right[i];
    expect(fixture, wrong == 0, "%s, %s, %zu x %zu at %zu, pitch %zu: %zu bytes of the arena wrong", what,
           kind_names[arena->kind], shape.width, shape.height, shape.offset, shape.pitch, wrong);
    free(right);
}

static void check_fill(struct fixture *fixture, struct arena *arena, struct shape shape)
{
    memset(arena->image, GUARD, ARENA);
    if (arena_write(fixture, arena) &&
        perform(fixture, &(struct lab_operation){LAB_OPERATION_FILL, region_in(arena, shape), .seed = seed}) &&
        arena_read(fixture, arena))
        check_image(fixture, arena, shape, "fill");
}

static void check_count(struct fixture *fixture, struct arena *arena, struct shape shape, uint64_t planted)
{
    uint64_t wrong = UINT64_MAX;
    if (perform(fixture,
                &(struct lab_operation){LAB_OPERATION_CHECK, region_in(arena, shape), .seed = seed, .wrong = &wrong}))
        expect(fixture, wrong == planted, "check, %s, %zu x %zu at %zu, pitch %zu: counts %llu wrong elements of %llu",
               kind_names[arena->kind], shape.width, shape.height, shape.offset, shape.pitch, (unsigned long long)wrong,
               (unsigned long long)planted);
}

/* CHECK must count 0 for the CPU's pattern; each element once if the first, the middle and the last one have a wrong
 * byte; all elements if all bytes are wrong. */
static void check_counts(struct fixture *fixture, struct arena *arena, struct shape shape)
{
    size_t bytes = shape.width * shape.height, elements = (bytes + 3) / 4;
    size_t damaged[] = {0, elements / 2, elements - 1};
    uint64_t planted = 0;
    write_image(arena->image, shape);
    if (!arena_write(fixture, arena))
        return;
    check_count(fixture, arena, shape, 0);

    for (size_t i = 0; i < 3; i++) {
        size_t byte = damaged[i] * 4 + (i == 1 ? 3 : 0);
        if (byte >= bytes || (i > 0 && damaged[i] == damaged[i - 1]))
            continue;
        arena->image[offset_of(shape, byte)] ^= 0x40;
        planted++;
    }
    if (arena_write(fixture, arena))
        check_count(fixture, arena, shape, planted);

    for (size_t i = 0; i < bytes; i++)
        arena->image[offset_of(shape, i)] = (unsigned char)~pattern_byte(i, seed);
    if (arena_write(fixture, arena))
        check_count(fixture, arena, shape, elements);
}

void check_pattern(struct fixture *fixture)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct arena arena;
        if (arena_create(fixture, kinds[k], &arena))
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes && !fixture->device->lost; s++) {
                check_fill(fixture, &arena, shapes[s]);
                check_counts(fixture, &arena, shapes[s]);
            }
        arena_release(fixture, &arena);
    }
}

/* Copies a shape from one arena to the other, with another pitch in the source where that is possible. */
static void check_core_copy(struct fixture *fixture, struct arena *from, struct arena *to, struct shape shape)
{
    struct shape other = shape;
    if (shape.height > 1 && shape.offset + (shape.pitch + 16) * shape.height <= ARENA)
        other.pitch += 16;
    write_image(from->image, other);
    memset(to->image, GUARD, ARENA);
    if (arena_write(fixture, from) && arena_write(fixture, to) &&
        perform(fixture,
                &(struct lab_operation){LAB_OPERATION_COPY, region_in(to, shape), .source = region_in(from, other)}) &&
        arena_read(fixture, to))
        check_image(fixture, to, shape, kind_names[from->kind]);
}

void check_core_copies(struct fixture *fixture)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct arena here, there;
        bool made = arena_create(fixture, LAB_MEMORY_DEVICE, &there);
        if (arena_create(fixture, kinds[k], &here) && made)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes && !fixture->device->lost; s++) {
                check_core_copy(fixture, &here, &there, shapes[s]);
                check_core_copy(fixture, &there, &here, shapes[s]);
            }
        arena_release(fixture, &here);
        arena_release(fixture, &there);
    }
}

void check_flush(struct fixture *fixture)
{
    for (int i = 0; i < 3; i++)
        perform(fixture, &(struct lab_operation){.kind = LAB_OPERATION_FLUSH});
}

/* --- rates -------------------------------------------------------------------------------------------------------- */

/* The highest bandwidth in GB/s of several samples, each of TIMES plans, or copies if `plan` is NULL, of `bytes`
 * bytes. */
static double rate(struct fixture *fixture, struct lab_plan *plan, const void *from, void *to, size_t bytes,
                   enum lab_direction direction)
{
    enum { TIMES = 8 };
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    struct lab_event *start = r->event_create(d), *stop = r->event_create(d);
    double best = 0;
    for (int sample = 0; sample < 4; sample++) {
        double seconds = 0;
        bool good = r->event_record(d, start, fixture->stream);
        for (int i = 0; i < TIMES && good; i++)
            good = plan != NULL ? r->enqueue(d, plan, fixture->stream)
                                : r->copy(d, fixture->stream, to, from, bytes, direction);
        good = good && r->event_record(d, stop, fixture->stream) && r->stream_synchronize(d, fixture->stream) &&
               r->event_elapsed(d, start, stop, &seconds);
        double now = good ? TIMES * (double)bytes / seconds / 1e9 : 0;
        best = now > best ? now : best;
    }
    r->event_free(d, stop);
    r->event_free(d, start);
    return best;
}

static void show(struct fixture *fixture, const char *what, struct lab_operation operation)
{
    struct lab_plan *plan = fixture->runtime->prepare(fixture->device, &operation);
    if (expect_call(fixture, plan != NULL, what)) {
        size_t bytes = operation.destination.width * operation.destination.height;
        printf("rate: %-44s %9.2f GB/s\n", what, rate(fixture, plan, NULL, NULL, bytes, LAB_D2D));
    }
    fixture->runtime->plan_free(fixture->device, plan);
}

void show_rates(struct fixture *fixture)
{
    enum { BYTES = 256 << 20, ROWS = 1 << 14, ROW = BYTES / ROWS };
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    void *here = NULL, *there = NULL, *also = NULL;
    uint64_t wrong = 0;
    if (!expect_call(fixture,
                     r->allocate(d, LAB_MEMORY_PINNED, BYTES, &here) &&
                         r->allocate(d, LAB_MEMORY_DEVICE, BYTES, &there) &&
                         r->allocate(d, LAB_MEMORY_DEVICE, BYTES, &also),
                     "allocate"))
        goto out;
    struct lab_region host = lab_region_of(here, BYTES), first = lab_region_of(there, BYTES),
                      second = lab_region_of(also, BYTES);
    struct lab_region narrow = {there, ROW - 16, ROWS, ROW}, narrow_too = {also, ROW - 16, ROWS, ROW};
    printf("rate: %-44s %9.2f GB/s\n", "copy engine, host to device", rate(fixture, NULL, here, there, BYTES, LAB_H2D));
    printf("rate: %-44s %9.2f GB/s\n", "copy engine, device to host", rate(fixture, NULL, there, here, BYTES, LAB_D2H));
    printf("rate: %-44s %9.2f GB/s\n", "copy engine, device to device, bytes once",
           rate(fixture, NULL, there, also, BYTES, LAB_D2D));
    show(fixture, "cores, host to device", (struct lab_operation){LAB_OPERATION_COPY, first, .source = host});
    show(fixture, "cores, device to host", (struct lab_operation){LAB_OPERATION_COPY, host, .source = first});
    show(fixture, "cores, device to device, bytes once",
         (struct lab_operation){LAB_OPERATION_COPY, second, .source = first});
    show(fixture, "cores, device to device, pitched, bytes once",
         (struct lab_operation){LAB_OPERATION_COPY, narrow_too, .source = narrow});
    show(fixture, "fill, device", (struct lab_operation){LAB_OPERATION_FILL, first, .seed = seed});
    show(fixture, "fill, host", (struct lab_operation){LAB_OPERATION_FILL, host, .seed = seed});
    show(fixture, "check, device", (struct lab_operation){LAB_OPERATION_CHECK, first, .seed = seed, .wrong = &wrong});
    expect(fixture, wrong == 0, "CHECK must count no wrong elements in device memory");
    show(fixture, "check, host", (struct lab_operation){LAB_OPERATION_CHECK, host, .seed = seed, .wrong = &wrong});
    expect(fixture, wrong == 0, "CHECK must count no wrong elements in host memory");
out:
    r->free(d, LAB_MEMORY_DEVICE, also);
    r->free(d, LAB_MEMORY_DEVICE, there);
    r->free(d, LAB_MEMORY_PINNED, here);
}
