/* What the server opens of this part at its start. */
#include "parts.h"

#include "cache.h"

bool lab_output_open(struct lab_http *http, const struct lab_http_options *options)
{
    http->cache = lab_cache_create();
    http->files = lab_static_files_create(http->base_path, options->frame_ancestors);
    http->queue_response = lab_http_queue_function();
    return http->cache != NULL && http->files != NULL && http->queue_response != NULL;
}

void lab_output_close(struct lab_http *http)
{
    lab_cache_free(http->cache);
    lab_static_files_free(http->files);
}
