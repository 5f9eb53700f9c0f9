/* Writes the path and query of a request. */
#include "url.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static void append(struct lab_url *url, const char *before, const char *name, const char *equals, const char *value)
{
    size_t length = strlen(url->text), space = sizeof url->text - length;
    char *encoded = curl_easy_escape(NULL, value, 0);
    int added = encoded != NULL ? snprintf(url->text + length, space, "%s%s%s%s", before, name, equals, encoded) : -1;
    url->cut = url->cut || added < 0 || (size_t)added >= space;
    curl_free(encoded);
}

void lab_url_begin(struct lab_url *url, const char *path)
{
    url->cut = (size_t)snprintf(url->text, sizeof url->text, "%s", path) >= sizeof url->text;
}

void lab_url_segment(struct lab_url *url, const char *segment)
{
    append(url, "/", "", "", segment);
}

void lab_url_query(struct lab_url *url, const char *name, const char *value)
{
    if (value != NULL)
        append(url, strchr(url->text, '?') == NULL ? "?" : "&", name, "=", value);
}
