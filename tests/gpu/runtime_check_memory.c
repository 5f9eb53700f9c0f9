/* Checks of a runtime's memory and copies. */
#include "runtime_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE,         LAB_MEMORY_PAGEABLE, LAB_MEMORY_PINNED,
                                        LAB_MEMORY_WRITE_COMBINED, LAB_MEMORY_MAPPED,   LAB_MEMORY_MANAGED};
static const size_t kind_count = sizeof kinds / sizeof *kinds;

/* Returns false if the runtime does not support the kind of memory; its error must then be "unsupported". */
static bool allocate(struct fixture *fixture, enum lab_memory kind, size_t bytes, void **address)
{
    if (fixture->runtime->allocate(fixture->device, kind, bytes, address))
        return true;
    expect(fixture, fixture->device->error.code == LAB_ERROR_UNSUPPORTED,
           "allocating %zu bytes of %s memory must succeed or be unsupported: %s: %s", bytes, kind_names[kind],
           lab_error_name(fixture->device->error.code), fixture->device->error.detail);
    return false;
}

void check_memory(struct fixture *fixture)
{
    static const size_t sizes[] = {1, 255, 4096, (3 << 20) + 5};
    for (size_t k = 0; k < kind_count; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            unsigned char *memory, *image = malloc(sizes[s]), *back = calloc(1, sizes[s]);
            if (!allocate(fixture, kinds[k], sizes[s], (void **)&memory)) {
                free(image);
                free(back);
                break;
            }
            size_t alignment = kinds[k] == LAB_MEMORY_PAGEABLE ? 4096 : 256;
            expect(fixture, (uintptr_t)memory % alignment == 0, "%s memory must be aligned", kind_names[kinds[k]]);
            for (size_t i = 0; i < sizes[s]; i++)
                image[i] = pattern_byte(i, s);
            expect(fixture,
                   write_memory(fixture, kinds[k], memory, image, sizes[s]) &&
                       read_memory(fixture, kinds[k], back, memory, sizes[s]) && memcmp(image, back, sizes[s]) == 0,
                   "%zu bytes of %s memory must hold the bytes that were written", sizes[s], kind_names[kinds[k]]);
            fixture->runtime->free(fixture->device, kinds[k], memory);
            free(image);
            free(back);
        }
        fixture->runtime->free(fixture->device, kinds[k], NULL);
    }
    size_t free_bytes = 0, total_bytes = 0;
    if (expect_call(fixture, fixture->runtime->memory_info(fixture->device, &free_bytes, &total_bytes), "memory_info"))
        expect(fixture, free_bytes > 0 && free_bytes <= total_bytes,
               "free memory must be above 0 and at most the total: %zu of %zu bytes", free_bytes, total_bytes);
}

/* Copies from host to device, device to device and device to host, each by a copy engine, and compares the result. */
static void check_round_trip(struct fixture *fixture, enum lab_memory kind, size_t bytes)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    unsigned char *up = NULL, *down = NULL, *first = NULL, *second = NULL, *found = calloc(1, bytes);
    if (allocate(fixture, kind, bytes, (void **)&up) && allocate(fixture, kind, bytes, (void **)&down) &&
        allocate(fixture, LAB_MEMORY_DEVICE, bytes, (void **)&first) &&
        allocate(fixture, LAB_MEMORY_DEVICE, bytes, (void **)&second)) {
        for (size_t i = 0; i < bytes; i++) {
            up[i] = pattern_byte(i, bytes);
            down[i] = (unsigned char)~pattern_byte(i, bytes);
        }
        expect_call(fixture,
                    r->copy(d, fixture->stream, first, up, bytes, LAB_H2D) &&
                        r->copy(d, fixture->stream, second, first, bytes, LAB_D2D) &&
                        r->copy(d, fixture->stream, down, second, bytes, LAB_D2H) &&
                        r->stream_synchronize(d, fixture->stream),
                    "copies");
        memcpy(found, down, bytes);
        size_t wrong = 0;
        for (size_t i = 0; i < bytes; i++)
            wrong += found[i] != pattern_byte(i, bytes);
        expect(fixture, wrong == 0, "%zu of %zu bytes of %s memory are wrong after a round trip", wrong, bytes,
               kind_names[kind]);
    }
    r->free(d, LAB_MEMORY_DEVICE, second);
    r->free(d, LAB_MEMORY_DEVICE, first);
    r->free(d, kind, down);
    r->free(d, kind, up);
    free(found);
}

void check_copies(struct fixture *fixture)
{
    static const size_t sizes[] = {1, 3, 64, 4096, 100003, (4 << 20) + 7};
    for (size_t k = 1; k < kind_count; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            check_round_trip(fixture, kinds[k], sizes[s]);
}

/* Copies a rectangle from the middle of one pitched buffer into another; the bytes around it must not change. */
void check_rectangles(struct fixture *fixture)
{
    const struct lab_runtime *r = fixture->runtime;
    struct lab_device *d = fixture->device;
    enum {
        WIDTH = 1000,
        HEIGHT = 37,
        PITCH_HERE = 1536,
        PITCH_THERE = 1024,
        HERE = PITCH_HERE * HEIGHT,
        THERE = PITCH_THERE * HEIGHT
    };
    if (r->copy2d == NULL)
        return;
    unsigned char *here = NULL, *there = NULL, *poison = malloc(THERE);
    memset(poison, 0xEE, THERE);
    if (!allocate(fixture, LAB_MEMORY_PINNED, HERE, (void **)&here) ||
        !allocate(fixture, LAB_MEMORY_DEVICE, THERE, (void **)&there))
        goto out;
    for (size_t i = 0; i < HERE; i++)
        here[i] = pattern_byte(i, 7);
    write_memory(fixture, LAB_MEMORY_DEVICE, there, poison, THERE);
    struct lab_region from = {here + 100, WIDTH, HEIGHT, PITCH_HERE}, to = {there + 8, WIDTH, HEIGHT, PITCH_THERE};
    expect_call(fixture,
                r->copy2d->copy(d, fixture->stream, to, from, LAB_H2D) && r->stream_synchronize(d, fixture->stream),
                "copy2d up");
    unsigned char *found = malloc(THERE);
    read_memory(fixture, LAB_MEMORY_DEVICE, found, there, THERE);
    size_t wrong = 0;
    for (size_t row = 0; row < HEIGHT; row++)
        for (size_t column = 0; column < PITCH_THERE; column++) {
            bool inside = column >= 8 && column < 8 + WIDTH;
            unsigned char right = inside ? pattern_byte(row * PITCH_HERE + column - 8 + 100, 7) : 0xEE;
            wrong += found[row * PITCH_THERE + column] != right;
        }
    expect(fixture, wrong == 0, "a rectangle up: %zu bytes wrong", wrong);
    free(found);

    memset(here, 0xEE, HERE);
    expect_call(fixture,
                r->copy2d->copy(d, fixture->stream, from, to, LAB_D2H) && r->stream_synchronize(d, fixture->stream),
                "copy2d down");
    wrong = 0;
    for (size_t row = 0; row < HEIGHT; row++)
        for (size_t column = 0; column < PITCH_HERE && row * PITCH_HERE + column < HERE; column++) {
            bool inside = column >= 100 && column < 100 + WIDTH;
            unsigned char right = inside ? pattern_byte(row * PITCH_HERE + column, 7) : 0xEE;
            wrong += here[row * PITCH_HERE + column] != right;
        }
    expect(fixture, wrong == 0, "a rectangle down: %zu bytes wrong", wrong);
    write_memory(fixture, LAB_MEMORY_DEVICE, there, poison, THERE);
    expect_call(fixture,
                r->copy2d->copy3d(d, fixture->stream, to, from, HEIGHT, LAB_H2D) &&
                    r->copy2d->copy3d(d, fixture->stream, from, to, 1, LAB_D2H) &&
                    r->stream_synchronize(d, fixture->stream),
                "copy3d up in layers of one row, and down in one layer");
    wrong = 0;
    for (size_t row = 0; row < HEIGHT; row++)
        for (size_t column = 0; column < WIDTH; column++)
            wrong += here[100 + row * PITCH_HERE + column] != pattern_byte(row * PITCH_HERE + column + 100, 7);
    expect(fixture, wrong == 0, "a box up and down: %zu bytes wrong", wrong);
    struct lab_region line = {there, 100, 1, 0};
    expect_call(fixture,
                r->copy2d->copy(d, fixture->stream, line, lab_region_of(here, 100), LAB_H2D) &&
                    r->stream_synchronize(d, fixture->stream),
                "a rectangle of one row, whose pitch is not used");
out:
    r->free(d, LAB_MEMORY_DEVICE, there);
    r->free(d, LAB_MEMORY_PINNED, here);
    free(poison);
}

void check_out_of_memory(struct fixture *fixture)
{
    static const enum lab_memory exhausted[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED, LAB_MEMORY_PAGEABLE};
    for (size_t k = 0; k < sizeof exhausted / sizeof *exhausted; k++) {
        size_t bytes =
            exhausted[k] == LAB_MEMORY_DEVICE ? 2 * (size_t)fixture->device->facts.total_memory_bytes : (size_t)1 << 46;
        char requested[24];
        void *memory;
        snprintf(requested, sizeof requested, "%zu", bytes);
        bool given = fixture->runtime->allocate(fixture->device, exhausted[k], bytes, &memory);
        if (!expect(fixture, !given, "%zu bytes of %s memory must be refused", bytes, kind_names[exhausted[k]])) {
            fixture->runtime->free(fixture->device, exhausted[k], memory);
            continue;
        }
        const struct lab_error *error = &fixture->device->error;
        printf("out of memory: %s: %s\n", lab_error_name(error->code), error->detail);
        expect(fixture, error->code == LAB_ERROR_INSUFFICIENT_MEMORY,
               "the error's code must be insufficient-memory, not %s", lab_error_name(error->code));
        expect(fixture, strstr(error->detail, requested) != NULL, "the error must contain the requested size: %s",
               error->detail);
        expect(fixture, !fixture->device->lost, "a refused allocation must not lose the device");
    }
    check_round_trip(fixture, LAB_MEMORY_PINNED, 4096);
}
