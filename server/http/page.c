/* The page: the files of static/, compiled in, each made once into the responses that are sent for it.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct lab_page {
    const struct lab_asset *asset; /* NULL: the end of the list */
    char tag[64], gzip_tag[64];
    struct MHD_Response *plain, *gzip; /* gzip NULL: sent as it is */
};

/* Scripts, styles, fonts and connections from here alone, and nobody may frame the page or send its forms elsewhere. */
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
        /* To be asked again each time, and to be answered with 304 while it is the same. */
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache"},
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

struct lab_page *lab_pages_create(void)
{
    size_t count = 0;
    while (lab_assets[count].path != NULL)
        count++;
    struct lab_page *pages = calloc(count + 1, sizeof *pages);
    for (size_t i = 0; pages != NULL && i < count; i++) {
        struct lab_page *page = &pages[i];
        page->asset = &lab_assets[i];
        snprintf(page->tag, sizeof page->tag, "%s", page->asset->etag);
        snprintf(page->gzip_tag, sizeof page->gzip_tag, "%s-gzip", page->asset->etag);
        page->plain = make(page->asset, page->tag, false);
        page->gzip = page->asset->gzip != NULL ? make(page->asset, page->gzip_tag, true) : NULL;
        if (page->plain == NULL || (page->gzip == NULL && page->asset->gzip != NULL)) {
            lab_pages_free(pages);
            return NULL;
        }
    }
    return pages;
}

void lab_pages_free(struct lab_page *pages)
{
    for (struct lab_page *page = pages; page != NULL && page->asset != NULL; page++) {
        if (page->plain != NULL)
            MHD_destroy_response(page->plain);
        if (page->gzip != NULL)
            MHD_destroy_response(page->gzip);
    }
    free(pages);
}

static const struct lab_page *find(const struct lab_page *pages, const char *path, size_t length)
{
    for (; pages->asset != NULL; pages++)
        if (strncmp(pages->asset->path, path, length) == 0 && pages->asset->path[length] == '\0')
            return pages;
    return NULL;
}

/* A path that the page itself understands ("/runs/ID"): no file's name, nothing of the API. */
static bool is_permalink(const char *path, size_t length)
{
    static const char api[] = "/api";
    const char *name = memrchr(path, '/', length);
    bool of_api = length >= sizeof api - 1 && memcmp(path, api, sizeof api - 1) == 0 &&
                  (length == sizeof api - 1 || path[sizeof api - 1] == '/');
    return !of_api && name != NULL && memchr(name, '.', (size_t)(path + length - name)) == NULL;
}

const struct lab_page *lab_page_find(const struct lab_page *pages, const char *path, size_t length)
{
    static const char index[] = "/index.html";
    const struct lab_page *page = find(pages, path, length);
    return page == NULL && is_permalink(path, length) ? find(pages, index, sizeof index - 1) : page;
}

/* Whether the list has "gzip" or "x-gzip" with a weight that is not zero. */
static bool accepts_gzip(const char *list)
{
    while (list != NULL && *list != '\0') {
        list += strspn(list, " \t,");
        size_t length = strcspn(list, ",");
        size_t name = strcspn(list, " \t,;");
        bool gzip =
            (name == 4 && strncasecmp(list, "gzip", 4) == 0) || (name == 6 && strncasecmp(list, "x-gzip", 6) == 0);
        if (gzip) {
            const char *weight = memmem(list, length, "q=", 2);
            return weight == NULL || strtod(weight + 2, NULL) > 0;
        }
        list += length;
    }
    return false;
}

void lab_page_respond(const struct lab_page *page, const struct lab_request *request, struct lab_response *response)
{
    bool gzip = page->gzip != NULL && accepts_gzip(request->headers[LAB_HEADER_ACCEPT_ENCODING]);
    bool matches = lab_matches_tag(request, gzip ? page->gzip_tag : page->tag);
    response->shared = gzip ? page->gzip : page->plain;
    response->length = gzip ? page->asset->gzip_size : page->asset->size;
    response->status = matches ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK;
}
