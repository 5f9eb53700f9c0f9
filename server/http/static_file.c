/* Makes, finds and sends the responses for the files of static/. */
#include "static_file.h"

#include "compress.h"
#include "request.h"
#include "response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_static_file {
    const struct lab_asset *asset; /* NULL: the end of the list */
    char gzip_tag[64];
    struct MHD_Response *plain, *gzip; /* gzip NULL: never sent compressed */
};

/* Scripts, styles, fonts and connections only from this server, forms only to it, and no site may frame the page. */
static const char policy[] =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

static struct MHD_Response *make(const struct lab_asset *asset, const char *tag, bool gzip)
{
    char quoted[72];
    snprintf(quoted, sizeof quoted, "\"%s\"", tag);
    const struct {
        const char *name, *value;
    } headers[] = {
        {MHD_HTTP_HEADER_CONTENT_TYPE, asset->content_type},
        {MHD_HTTP_HEADER_ETAG, quoted},
        /* Unless the file is immutable, the browser asks each time, and gets 304 while it is the same. */
        {MHD_HTTP_HEADER_CACHE_CONTROL, asset->immutable ? "public, max-age=31536000, immutable" : "no-cache"},
        {"Content-Security-Policy", policy},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING},
    };
    struct MHD_Response *made =
        MHD_create_response_from_buffer(gzip ? asset->gzip_size : asset->size,
                                        (void *)(uintptr_t)(gzip ? asset->gzip : asset->data), MHD_RESPMEM_PERSISTENT);
    bool complete = made != NULL;
    for (size_t i = 0; complete && i < sizeof headers / sizeof headers[0]; i++)
        complete = MHD_add_response_header(made, headers[i].name, headers[i].value) == MHD_YES;
    if (complete && gzip)
        complete = MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") == MHD_YES;
    if (complete)
        return made;
    if (made != NULL)
        MHD_destroy_response(made);
    return NULL;
}

struct lab_static_file *lab_static_files_create(void)
{
    size_t count = 0;
    while (lab_assets[count].path != NULL)
        count++;
    struct lab_static_file *files = calloc(count + 1, sizeof *files);
    for (size_t i = 0; files != NULL && i < count; i++) {
        struct lab_static_file *file = &files[i];
        file->asset = &lab_assets[i];
        snprintf(file->gzip_tag, sizeof file->gzip_tag, "%s-gzip", file->asset->etag);
        file->plain = make(file->asset, file->asset->etag, false);
        file->gzip = file->asset->gzip != NULL ? make(file->asset, file->gzip_tag, true) : NULL;
        if (file->plain == NULL || (file->gzip == NULL && file->asset->gzip != NULL)) {
            lab_static_files_free(files);
            return NULL;
        }
    }
    return files;
}

void lab_static_files_free(struct lab_static_file *files)
{
    for (struct lab_static_file *file = files; file != NULL && file->asset != NULL; file++) {
        if (file->plain != NULL)
            MHD_destroy_response(file->plain);
        if (file->gzip != NULL)
            MHD_destroy_response(file->gzip);
    }
    free(files);
}

static const struct lab_static_file *find(const struct lab_static_file *files, const char *path, size_t length)
{
    for (; files->asset != NULL; files++)
        if (strncmp(files->asset->path, path, length) == 0 && files->asset->path[length] == '\0')
            return files;
    return NULL;
}

/* Whether the page interprets the path itself ("/runs/ID"): its last segment is not a file name, and it is not below
 * /api. */
static bool is_permalink(const char *path, size_t length)
{
    static const char api[] = "/api";
    const char *name = memrchr(path, '/', length);
    bool is_api = length >= sizeof api - 1 && memcmp(path, api, sizeof api - 1) == 0 &&
                  (length == sizeof api - 1 || path[sizeof api - 1] == '/');
    return !is_api && name != NULL && memchr(name, '.', (size_t)(path + length - name)) == NULL;
}

const struct lab_static_file *lab_static_file_find(const struct lab_static_file *files, const char *path, size_t length)
{
    static const char index[] = "/index.html";
    const struct lab_static_file *file = find(files, path, length);
    return file == NULL && is_permalink(path, length) ? find(files, index, sizeof index - 1) : file;
}

void lab_static_file_respond(const struct lab_static_file *file, const struct lab_request *request,
                             struct lab_response *response)
{
    bool gzip = file->gzip != NULL && lab_accepts_gzip(request->headers[LAB_HEADER_ACCEPT_ENCODING]);
    response->shared = gzip ? file->gzip : file->plain;
    response->length = gzip ? file->asset->gzip_size : file->asset->size;
    response->status = MHD_HTTP_OK;
    snprintf(response->etag, sizeof response->etag, "%s", gzip ? file->gzip_tag : file->asset->etag);
}
