/* Checks of a runtime's memory and of its copy engine. */
#include "runtime_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum lab_memory kinds[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PAGEABLE, LAB_MEMORY_PINNED,
                                        LAB_MEMORY_WRITE_COMBINED, LAB_MEMORY_MAPPED};
static const size_t kind_count = sizeof kinds / sizeof *kinds;

/* Whether the runtime has the kind at all; one that it lacks must say so. */
static bool allocate(struct bench *bench, enum lab_memory kind, size_t bytes, void **address)
{
    if (bench->runtime->allocate(bench->device, kind, bytes, address))
        return true;
    expect(bench, strcmp(bench->device->error.code, "unsupported") == 0, "allocating %zu bytes of %s memory: %s: %s",
           bytes, kind_names[kind], bench->device->error.code, bench->device->error.detail);
    return false;
}

void check_memory(struct bench *bench)
{
    static const size_t sizes[] = {1, 255, 4096, (3 << 20) + 5};
    for (size_t k = 0; k < kind_count; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            unsigned char *memory, *image = malloc(sizes[s]), *back = calloc(1, sizes[s]);
            if (!allocate(bench, kinds[k], sizes[s], (void **)&memory)) {
                free(image);
                free(back);
                break;
            }
            size_t alignment = kinds[k] == LAB_MEMORY_PAGEABLE ? 4096 : 256;
            expect(bench, (uintptr_t)memory % alignment == 0, "%s memory is aligned", kind_names[kinds[k]]);
            for (size_t i = 0; i < sizes[s]; i++)
                image[i] = pattern_byte(i, s);
            expect(bench,
                   write_memory(bench, kinds[k], memory, image, sizes[s]) &&
                       read_memory(bench, kinds[k], back, memory, sizes[s]) && memcmp(image, back, sizes[s]) == 0,
                   "%zu bytes of %s memory hold what was written", sizes[s], kind_names[kinds[k]]);
            bench->runtime->release(bench->device, kinds[k], memory);
            free(image);
            free(back);
        }
        bench->runtime->release(bench->device, kinds[k], NULL);
    }
    size_t free_bytes = 0, total_bytes = 0;
    if (expect_call(bench, bench->runtime->memory_info(bench->device, &free_bytes, &total_bytes), "memory_info"))
        expect(bench, free_bytes > 0 && free_bytes <= total_bytes, "%zu bytes of %zu are free", free_bytes,
               total_bytes);
}

/* host -> device -> device -> host, each by the copy engine. */
static void check_round_trip(struct bench *bench, enum lab_memory kind, size_t bytes)
{
    const struct lab_runtime *r = bench->runtime;
    struct lab_device *d = bench->device;
    unsigned char *up = NULL, *down = NULL, *first = NULL, *second = NULL, *found = calloc(1, bytes);
    if (allocate(bench, kind, bytes, (void **)&up) && allocate(bench, kind, bytes, (void **)&down) &&
        allocate(bench, LAB_MEMORY_DEVICE, bytes, (void **)&first) &&
        allocate(bench, LAB_MEMORY_DEVICE, bytes, (void **)&second)) {
        for (size_t i = 0; i < bytes; i++) {
            up[i] = pattern_byte(i, bytes);
            down[i] = (unsigned char)~pattern_byte(i, bytes);
        }
        expect_call(bench,
                    r->copy(d, bench->stream, first, up, bytes, LAB_H2D) &&
                        r->copy(d, bench->stream, second, first, bytes, LAB_D2D) &&
                        r->copy(d, bench->stream, down, second, bytes, LAB_D2H) &&
                        r->stream_synchronize(d, bench->stream),
                    "copies");
        memcpy(found, down, bytes);
        size_t wrong = 0;
        for (size_t i = 0; i < bytes; i++)
            wrong += found[i] != pattern_byte(i, bytes);
        expect(bench, wrong == 0, "%zu of %zu bytes of %s memory came back wrong", wrong, bytes, kind_names[kind]);
    }
    r->release(d, LAB_MEMORY_DEVICE, second);
    r->release(d, LAB_MEMORY_DEVICE, first);
    r->release(d, kind, down);
    r->release(d, kind, up);
    free(found);
}

void check_copies(struct bench *bench)
{
    static const size_t sizes[] = {1, 3, 64, 4096, 100003, (4 << 20) + 7};
    for (size_t k = 1; k < kind_count; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            check_round_trip(bench, kinds[k], sizes[s]);
}

/* A rectangle out of the middle of one pitched buffer into another; what lies around it must stay. */
void check_rectangles(struct bench *bench)
{
    const struct lab_runtime *r = bench->runtime;
    struct lab_device *d = bench->device;
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
    if (!allocate(bench, LAB_MEMORY_PINNED, HERE, (void **)&here) ||
        !allocate(bench, LAB_MEMORY_DEVICE, THERE, (void **)&there))
        goto out;
    for (size_t i = 0; i < HERE; i++)
        here[i] = pattern_byte(i, 7);
    write_memory(bench, LAB_MEMORY_DEVICE, there, poison, THERE);
    struct lab_region from = {here + 100, WIDTH, HEIGHT, PITCH_HERE}, to = {there + 8, WIDTH, HEIGHT, PITCH_THERE};
    expect_call(bench, r->copy2d->copy(d, bench->stream, to, from, LAB_H2D) && r->stream_synchronize(d, bench->stream),
                "copy2d up");
    unsigned char *found = malloc(THERE);
    read_memory(bench, LAB_MEMORY_DEVICE, found, there, THERE);
    size_t wrong = 0;
    for (size_t row = 0; row < HEIGHT; row++)
        for (size_t column = 0; column < PITCH_THERE; column++) {
            bool inside = column >= 8 && column < 8 + WIDTH;
            unsigned char right = inside ? pattern_byte(row * PITCH_HERE + column - 8 + 100, 7) : 0xEE;
            wrong += found[row * PITCH_THERE + column] != right;
        }
    expect(bench, wrong == 0, "a rectangle up: %zu bytes wrong", wrong);
    free(found);

    memset(here, 0xEE, HERE);
    expect_call(bench, r->copy2d->copy(d, bench->stream, from, to, LAB_D2H) && r->stream_synchronize(d, bench->stream),
                "copy2d down");
    wrong = 0;
    for (size_t row = 0; row < HEIGHT; row++)
        for (size_t column = 0; column < PITCH_HERE && row * PITCH_HERE + column < HERE; column++) {
            bool inside = column >= 100 && column < 100 + WIDTH;
            unsigned char right = inside ? pattern_byte(row * PITCH_HERE + column, 7) : 0xEE;
            wrong += here[row * PITCH_HERE + column] != right;
        }
    expect(bench, wrong == 0, "a rectangle down: %zu bytes wrong", wrong);
    struct lab_region line = {there, 100, 1, 0};
    expect_call(bench,
                r->copy2d->copy(d, bench->stream, line, lab_region_of(here, 100), LAB_H2D) &&
                    r->stream_synchronize(d, bench->stream),
                "a rectangle of one row, whose pitch means nothing");
out:
    r->release(d, LAB_MEMORY_DEVICE, there);
    r->release(d, LAB_MEMORY_PINNED, here);
    free(poison);
}

void check_out_of_memory(struct bench *bench)
{
    static const enum lab_memory hungry[] = {LAB_MEMORY_DEVICE, LAB_MEMORY_PINNED, LAB_MEMORY_PAGEABLE};
    for (size_t k = 0; k < sizeof hungry / sizeof *hungry; k++) {
        size_t bytes =
            hungry[k] == LAB_MEMORY_DEVICE ? 2 * (size_t)bench->device->facts.total_memory_bytes : (size_t)1 << 46;
        char asked[24];
        void *memory;
        snprintf(asked, sizeof asked, "%zu", bytes);
        bool given = bench->runtime->allocate(bench->device, hungry[k], bytes, &memory);
        if (!expect(bench, !given, "%zu bytes of %s memory are refused", bytes, kind_names[hungry[k]])) {
            bench->runtime->release(bench->device, hungry[k], memory);
            continue;
        }
        const struct lab_error *error = &bench->device->error;
        printf("out of memory: %s: %s\n", error->code, error->detail);
        expect(bench, strcmp(error->code, "insufficient-memory") == 0, "the code is %s", error->code);
        expect(bench, strstr(error->detail, asked) != NULL, "both numbers are said: %s", error->detail);
        expect(bench, !bench->device->lost, "the device outlives a refusal");
    }
    check_round_trip(bench, LAB_MEMORY_PINNED, 4096);
}
