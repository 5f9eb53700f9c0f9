/* Sets and frees the members of a response. */
#include "output.h"

#include "cache.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void free_body(struct lab_response *response)
{
    free(response->body);
    response->body = NULL;
    if (response->producer.produce != NULL)
        response->producer.release(response->producer.context);
    response->producer = (struct lab_producer){0};
}

void lab_response_set(struct lab_response *response, int status, const char *content_type, char *body, size_t length)
{
    free_body(response);
    response->status = status;
    response->content_type = content_type;
    response->body = body;
    response->length = length;
}

void lab_respond_empty(struct lab_response *response, int status)
{
    lab_response_set(response, status, NULL, NULL, 0);
}

void lab_respond_stream(struct lab_response *response, const char *content_type,
                        ssize_t (*produce)(void *context, char *buffer, size_t size), void (*release)(void *context),
                        void *context)
{
    lab_response_set(response, MHD_HTTP_OK, content_type, NULL, 0);
    response->producer = (struct lab_producer){produce, release, context};
}

void lab_respond_header(struct lab_response *response, const char *name, const char *value)
{
    if (response->header_count == LAB_RESPONSE_HEADERS_MAX)
        return;
    char *own_name = strdup(name), *own_value = strdup(value);
    if (own_name == NULL || own_value == NULL) {
        free(own_name);
        free(own_value);
        return;
    }
    response->headers[response->header_count].name = own_name;
    response->headers[response->header_count++].value = own_value;
}

const char *lab_response_header(const struct lab_response *response, const char *name)
{
    for (size_t i = 0; i < response->header_count; i++)
        if (strcasecmp(response->headers[i].name, name) == 0)
            return response->headers[i].value;
    return NULL;
}

void lab_response_release(struct lab_response *response)
{
    free_body(response);
    lab_cached_release(response->cached);
    if (response->made != NULL)
        MHD_destroy_response(response->made);
    for (size_t i = 0; i < response->header_count; i++) {
        free(response->headers[i].name);
        free(response->headers[i].value);
    }
    *response = (struct lab_response){0};
}
