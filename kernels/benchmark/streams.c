/* Creates, shares and frees streams. */
#include "benchmark/streams.h"

#include <stdlib.h>

struct lab_shared_stream {
    struct lab_device *device;
    struct lab_stream *stream;
    bool has[LAB_SIDES]; /* the sides that have it now */
};

static size_t side_of(const struct lab_run *run)
{
    return run->base != NULL ? LAB_HEAD : LAB_BASE;
}

static bool reserve(struct lab_streams *streams, struct lab_device *device)
{
    if (streams->count < streams->capacity)
        return true;
    size_t capacity = streams->capacity > 0 ? 2 * streams->capacity : 16;
    struct lab_shared_stream *items = realloc(streams->items, capacity * sizeof *items);
    if (items == NULL)
        return lab_error_set(&device->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the list of streams");
    streams->items = items;
    streams->capacity = capacity;
    return true;
}

struct lab_stream *lab_run_stream(const struct lab_run *run, struct lab_device *device)
{
    struct lab_streams *streams = run->streams;
    if (streams == NULL)
        return device->runtime->stream_create(device);
    struct lab_shared_stream *item = streams->items, *end = item + streams->count;
    while (item < end && (item->device != device || item->has[side_of(run)]))
        item++;
    if (item == end) {
        struct lab_stream *stream = reserve(streams, device) ? device->runtime->stream_create(device) : NULL;
        if (stream == NULL)
            return NULL;
        item = &streams->items[streams->count++];
        *item = (struct lab_shared_stream){.device = device, .stream = stream};
    }
    item->has[side_of(run)] = true;
    return item->stream;
}

void lab_run_stream_return(const struct lab_run *run, struct lab_device *device, struct lab_stream *stream)
{
    struct lab_streams *streams = run->streams;
    if (streams == NULL)
        device->runtime->stream_free(device, stream);
    for (size_t i = 0; streams != NULL && i < streams->count; i++)
        if (streams->items[i].stream == stream && streams->items[i].device == device)
            streams->items[i].has[side_of(run)] = false;
}

void lab_streams_release(struct lab_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        streams->items[i].device->runtime->stream_free(streams->items[i].device, streams->items[i].stream);
    free(streams->items);
    *streams = (struct lab_streams){0};
}
