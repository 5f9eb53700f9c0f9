#include "trace/work.h"

#include <stdlib.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_device_and_start(const void *a, const void *b)
{
    const struct lab_trace_place *one = ((const struct lab_trace_work *)a)->place;
    const struct lab_trace_place *other = ((const struct lab_trace_work *)b)->place;
    int order = compare(one->head.process, other->head.process);
    order = order != 0 ? order : compare(one->device, other->device);
    order = order != 0 ? order : compare(one->start_ns, other->start_ns);
    return order != 0 ? order : compare(one->end_ns, other->end_ns);
}

static bool is_same_device(const struct lab_trace_work *a, const struct lab_trace_work *b)
{
    return a->place->head.process == b->place->head.process && a->place->device == b->place->device;
}

/* Selects the part of `all` of the device with the longest work. */
static void select_device(struct lab_trace_works *works, size_t count)
{
    double most = -1;
    for (size_t first = 0, next; first < count; first = next) {
        double sum = 0;
        for (next = first; next < count && is_same_device(&works->all[first], &works->all[next]); next++)
            sum += (double)(works->all[next].place->end_ns - works->all[next].place->start_ns);
        if (sum > most) {
            most = sum;
            works->items = works->all + first;
            works->count = next - first;
        }
    }
    works->is_of_all = works->count == count;
}

bool lab_trace_works_init(struct lab_trace_works *works, const struct lab_trace *trace)
{
    size_t count = 0, most = trace->kernel_count + trace->copy_count + trace->set_count;
    *works = (struct lab_trace_works){.all = calloc(most + 1, sizeof *works->all)};
    if (works->all == NULL)
        return false;
#define ADD(list, list_count, of_kind)                                                                                 \
    for (size_t i = 0; i < trace->list_count; i++)                                                                     \
        works->all[count++] = (struct lab_trace_work){of_kind, (const void *)&trace->list[i]};
    ADD(kernels, kernel_count, LAB_TRACE_WORK_KERNEL)
    ADD(copies, copy_count, LAB_TRACE_WORK_COPY)
    ADD(sets, set_count, LAB_TRACE_WORK_SET)
#undef ADD
    qsort(works->all, count, sizeof *works->all, by_device_and_start);
    select_device(works, count);
    for (size_t i = 0; i < works->count; i++) {
        works->first_ns = works->items[0].place->start_ns;
        if (works->items[i].place->end_ns > works->last_ns)
            works->last_ns = works->items[i].place->end_ns;
    }
    return true;
}

void lab_trace_works_release(struct lab_trace_works *works)
{
    free(works->all);
    *works = (struct lab_trace_works){0};
}

/* --- which -------------------------------------------------------------------------------------------------------- */

bool lab_trace_is_work(const struct lab_trace_work *work)
{
    return work != NULL;
}

bool lab_trace_is_kernel(const struct lab_trace_work *work)
{
    return work->kind == LAB_TRACE_WORK_KERNEL;
}

static bool is_copy(const struct lab_trace_work *work, enum lab_trace_direction direction)
{
    return work->kind == LAB_TRACE_WORK_COPY &&
           ((const struct lab_trace_copy *)(const void *)work->place)->direction == direction;
}

bool lab_trace_is_upload(const struct lab_trace_work *work)
{
    return is_copy(work, LAB_TRACE_COPY_H2D);
}

bool lab_trace_is_download(const struct lab_trace_work *work)
{
    return is_copy(work, LAB_TRACE_COPY_D2H);
}

bool lab_trace_is_host_copy(const struct lab_trace_work *work)
{
    return lab_trace_is_upload(work) || lab_trace_is_download(work);
}

/* --- how long ----------------------------------------------------------------------------------------------------- */

/* For how long work of either filter ran. */
static int64_t union_ns(const struct lab_trace_works *works, lab_trace_work_filter *first,
                        lab_trace_work_filter *second)
{
    int64_t busy = 0, until = INT64_MIN;
    for (size_t i = 0; i < works->count; i++) {
        const struct lab_trace_place *place = works->items[i].place;
        if ((!first(&works->items[i]) && !second(&works->items[i])) || place->end_ns <= until)
            continue;
        busy += place->end_ns - (place->start_ns > until ? place->start_ns : until);
        until = place->end_ns;
    }
    return busy;
}

int64_t lab_trace_busy_ns(const struct lab_trace_works *works, lab_trace_work_filter *is_meant)
{
    return union_ns(works, is_meant, is_meant);
}

int64_t lab_trace_overlap_ns(const struct lab_trace_works *works, lab_trace_work_filter *first,
                             lab_trace_work_filter *second)
{
    return lab_trace_busy_ns(works, first) + lab_trace_busy_ns(works, second) - union_ns(works, first, second);
}

size_t lab_trace_stream_count(const struct lab_trace_works *works, lab_trace_work_filter *is_meant)
{
    enum { STREAMS_MAX = 1000 };
    uint64_t streams[STREAMS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < works->count && count < STREAMS_MAX; i++) {
        const struct lab_trace_place *place = works->items[i].place;
        uint64_t stream = (uint64_t)place->context << 32 | place->stream;
        size_t at = 0;
        while (at < count && streams[at] != stream)
            at++;
        if (is_meant(&works->items[i]) && at == count)
            streams[count++] = stream;
    }
    return count;
}
