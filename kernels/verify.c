/* Pattern work: on the device where it can reach the memory, else on CPU threads. */
#include "verify.h"

#include "pattern.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 8, BYTES_PER_THREAD_MIN = 1 << 20 };

/* --- on the CPU --------------------------------------------------------------------------------------------------- */

/* One thread's part: rows [first, last) when the region has several, else bytes [first, last) of its only row, both
 * starting at a whole word. */
struct part {
    struct lab_region region;
    uint64_t seed;
    size_t first, last;
    bool check;
    uint64_t wrong;
};

/* Fills or checks part of one pattern word: `bytes` bytes from byte `offset` of the pattern on, all in the same word.
 */
static uint64_t work_fragment(unsigned char *address, size_t offset, size_t bytes, uint64_t seed, bool check)
{
    uint32_t word = lab_pattern_word(offset / 4, seed);
    const unsigned char *pattern = (const unsigned char *)&word + offset % 4;
    if (check)
        return memcmp(address, pattern, bytes) != 0;
    memcpy(address, pattern, bytes);
    return 0;
}

/* Fills or checks whole words from word `index` on. The length is a constant, so that memcpy is a move. */
static uint64_t work_words(unsigned char *address, size_t index, size_t words, uint64_t seed, bool check)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < words; i++) {
        uint32_t pattern = lab_pattern_word(index + i, seed);
        uint32_t found = pattern;
        if (check)
            memcpy(&found, address + 4 * i, 4);
        else
            memcpy(address + 4 * i, &pattern, 4);
        wrong += found != pattern;
    }
    return wrong;
}

/* Fills or checks `bytes` bytes at `address`, whose first byte is byte `offset` of the pattern. */
static uint64_t work_run(unsigned char *address, size_t offset, size_t bytes, uint64_t seed, bool check)
{
    uint64_t wrong = 0;
    size_t head = (4 - offset % 4) % 4;
    if (head > bytes)
        head = bytes;
    if (head > 0)
        wrong += work_fragment(address, offset, head, seed, check);
    size_t words = (bytes - head) / 4;
    wrong += work_words(address + head, (offset + head) / 4, words, seed, check);
    size_t done = head + 4 * words;
    if (done < bytes)
        wrong += work_fragment(address + done, offset + done, bytes - done, seed, check);
    return wrong;
}

static void *work_part(void *argument)
{
    struct part *part = argument;
    const struct lab_region *region = &part->region;
    unsigned char *base = region->address;
    if (region->height == 1) {
        part->wrong = work_run(base + part->first, part->first, part->last - part->first, part->seed, part->check);
        return NULL;
    }
    for (size_t row = part->first; row < part->last; row++)
        part->wrong +=
            work_run(base + row * region->pitch, row * region->width, region->width, part->seed, part->check);
    return NULL;
}

static size_t thread_count(size_t bytes)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = bytes / BYTES_PER_THREAD_MIN;
    if (processors > 0 && count > (size_t)processors)
        count = (size_t)processors;
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count;
}

/* Divides the region among threads and adds up what they found. A thread that cannot be started is done here instead.
 */
static uint64_t work_on_cpu(struct lab_region region, uint64_t seed, bool check)
{
    struct part parts[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    size_t count = thread_count(region.width * region.height);
    size_t units = region.height > 1 ? region.height : region.width;
    size_t step = units / count / 4 * 4;

    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){region, seed, i * step, i + 1 == count ? units : (i + 1) * step, check, 0};
        started[i] = i > 0 && pthread_create(&threads[i], NULL, work_part, &parts[i]) == 0;
    }
    uint64_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            work_part(&parts[i]);
        wrong += parts[i].wrong;
    }
    return wrong;
}

/* --- on the device ------------------------------------------------------------------------------------------------ */

static bool work_on_device(struct lab_device *device, struct lab_stream *stream, const struct lab_problem *problem)
{
    const struct lab_runtime *runtime = device->runtime;
    struct lab_plan *plan = runtime->prepare(device, problem);
    if (plan == NULL)
        return false;
    bool good = runtime->enqueue(device, plan, stream) && runtime->stream_synchronize(device, stream);
    runtime->plan_release(device, plan);
    return good;
}

bool lab_verify_fill(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                     struct lab_region region, uint64_t seed)
{
    if (kind == LAB_MEMORY_PAGEABLE) {
        work_on_cpu(region, seed, false);
        return true;
    }
    struct lab_problem problem = {.kind = LAB_PROBLEM_FILL, .destination = region, .seed = seed};
    return work_on_device(device, stream, &problem);
}

bool lab_verify_poison(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                       struct lab_region region, uint64_t seed)
{
    return lab_verify_fill(device, stream, kind, region, ~seed);
}

bool lab_verify_check(struct lab_device *device, struct lab_stream *stream, enum lab_memory kind,
                      struct lab_region region, uint64_t seed, uint64_t *wrong)
{
    if (kind == LAB_MEMORY_PAGEABLE) {
        *wrong = work_on_cpu(region, seed, true);
        return true;
    }
    struct lab_problem problem = {.kind = LAB_PROBLEM_CHECK, .destination = region, .seed = seed, .wrong = wrong};
    return work_on_device(device, stream, &problem);
}
