/* Makes, finds and sends the responses for the files of static/. */
#include "parts.h"

#include "compress.h"

#include "http/connection/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_static_file {
    const struct lab_asset *asset; /* NULL: the end of the list */
    struct lab_asset own;          /* of index.html: with the base path in its addresses; its data and gzip are freed */
    char own_tag[64], gzip_tag[64];
    struct MHD_Response *plain, *gzip; /* gzip NULL: never sent compressed */
};

static const char index_path[] = "/index.html";

enum { POLICY_SIZE = 4096 };

/* Scripts, styles, fonts and connections only from this server, forms only to it, and no site may frame the page but
 * those that were named. False when they are too many. */
static bool write_policy(const char *const *frame_ancestors, char policy[POLICY_SIZE])
{
    int used = snprintf(policy, POLICY_SIZE,
                        "default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'; frame-ancestors");
    bool any = frame_ancestors != NULL && *frame_ancestors != NULL;
    for (; any && *frame_ancestors != NULL && used < POLICY_SIZE; frame_ancestors++)
        used += snprintf(policy + used, (size_t)(POLICY_SIZE - used), " %s", *frame_ancestors);
    if (!any)
        used += snprintf(policy + used, (size_t)(POLICY_SIZE - used), " 'none'");
    return used < POLICY_SIZE;
}

/* Returns a copy of a page in which each address of this server begins with the base path, and its root element names
 * it. */
static char *with_base(const struct lab_asset *asset, const char *base, size_t *length)
{
    static const struct {
        const char *find, *before; /* `before`: the part of it after which the base path comes */
    } places[] = {{"href=\"/", "href=\""}, {"src=\"/", "src=\""}, {"<html ", "<html data-base=\""}};
    const char *at = (const char *)asset->data, *end = at + asset->size;
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    while (out != NULL && at < end) {
        size_t i = 0;
        while (i < 3 &&
               ((size_t)(end - at) < strlen(places[i].find) || memcmp(at, places[i].find, strlen(places[i].find)) != 0))
            i++;
        if (i == 3) {
            fputc(*at++, out);
        } else {
            fprintf(out, "%s%s%s", places[i].before, base, i == 2 ? "\" " : "/");
            at += strlen(places[i].find);
        }
    }
    return out != NULL && fclose(out) == 0 ? text : NULL;
}

/* Replaces index.html by one with the base path. */
static bool set_base(struct lab_static_file *file, const char *base)
{
    size_t length, gzip_length = 0;
    char *text = with_base(file->asset, base, &length);
    char *gzip = text != NULL ? lab_gzip(text, length, &gzip_length) : NULL;
    snprintf(file->own_tag, sizeof file->own_tag, "%.16s-%016" PRIx64, file->asset->etag, lab_hash(base, strlen(base)));
    file->own = *file->asset;
    file->own.etag = file->own_tag;
    file->own.data = (const unsigned char *)text;
    file->own.size = length;
    file->own.gzip = (const unsigned char *)gzip;
    file->own.gzip_size = gzip_length;
    file->asset = &file->own;
    return text != NULL;
}

static struct MHD_Response *make(const struct lab_asset *asset, const char *tag, const char *policy, bool gzip)
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

struct lab_static_file *lab_static_files_create(const char *base_path, const char *const *frame_ancestors)
{
    size_t count = 0;
    char policy[POLICY_SIZE];
    if (!write_policy(frame_ancestors, policy))
        return NULL;
    while (lab_assets[count].path != NULL)
        count++;
    struct lab_static_file *files = calloc(count + 1, sizeof *files);
    for (size_t i = 0; files != NULL && i < count; i++) {
        struct lab_static_file *file = &files[i];
        file->asset = &lab_assets[i];
        if (base_path[0] != '\0' && strcmp(file->asset->path, index_path) == 0 && !set_base(file, base_path)) {
            lab_static_files_free(files);
            return NULL;
        }
        snprintf(file->gzip_tag, sizeof file->gzip_tag, "%s-gzip", file->asset->etag);
        file->plain = make(file->asset, file->asset->etag, policy, false);
        file->gzip = file->asset->gzip != NULL ? make(file->asset, file->gzip_tag, policy, true) : NULL;
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
        free((void *)(uintptr_t)file->own.data);
        free((void *)(uintptr_t)file->own.gzip);
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
    const struct lab_static_file *file = find(files, path, length);
    return file == NULL && is_permalink(path, length) ? find(files, index_path, sizeof index_path - 1) : file;
}

static void copy_header(const struct lab_static_file *file, const char *name, struct lab_response *response)
{
    const char *value = MHD_get_response_header(file->plain, name);
    if (value != NULL)
        lab_respond_header(response, name, value);
}

/* Responds with an HTML file whose head ends with `head`. False where it has no head, or when out of memory. */
static bool respond_with_head(const struct lab_static_file *file, const char *head, size_t length,
                              struct lab_response *response)
{
    static const char mark[] = "</head>";
    const char *data = (const char *)file->asset->data;
    const char *end = memmem(data, file->asset->size, mark, sizeof mark - 1);
    size_t before = end != NULL ? (size_t)(end - data) : 0, total = file->asset->size + length;
    char *body = end != NULL ? malloc(total) : NULL;
    if (body == NULL)
        return false;
    memcpy(body, data, before);
    memcpy(body + before, head, length);
    memcpy(body + before + length, end, file->asset->size - before);
    lab_response_set(response, MHD_HTTP_OK, file->asset->content_type, body, total);
    copy_header(file, "Content-Security-Policy", response);
    copy_header(file, "Referrer-Policy", response);
    return true;
}

static bool respond_with_page(const struct lab_request *request, struct lab_response *response)
{
    char *head = NULL;
    size_t length = 0;
    FILE *out = request->page != NULL ? open_memstream(&head, &length) : NULL;
    if (out == NULL)
        return false;
    request->page->write_head(request, out);
    bool responded = fclose(out) == 0 && length > 0 && respond_with_head(request->file, head, length, response);
    free(head);
    return responded;
}

void lab_static_file_respond(const struct lab_request *request, struct lab_response *response)
{
    const struct lab_static_file *file = request->file;
    if (respond_with_page(request, response))
        return;
    bool gzip = file->gzip != NULL && lab_accepts_gzip(request->headers[LAB_HEADER_ACCEPT_ENCODING]);
    response->shared = gzip ? file->gzip : file->plain;
    response->length = gzip ? file->asset->gzip_size : file->asset->size;
    response->status = MHD_HTTP_OK;
    snprintf(response->etag, sizeof response->etag, "%s", gzip ? file->gzip_tag : file->asset->etag);
}
