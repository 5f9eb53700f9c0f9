/* Reads and prints the JSON documents of the API. */
#include "api_json.h"

#include "core/clock.h"
#include "core/json_members.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double lab_time_of(const json_t *object, const char *name)
{
    int64_t at;
    return lab_time_parse(lab_text_of(object, name), &at) ? (double)at / 1e6 : (double)NAN;
}

/* The object in `list` whose member `key` is `text`. */
static json_t *find(const json_t *list, const char *key, const char *text)
{
    size_t index;
    json_t *each;
    json_array_foreach(list, index, each)
    {
        if (strcmp(lab_text_of(each, key), text) == 0)
            return each;
    }
    return NULL;
}

json_t *lab_list_find(const json_t *list, const char *name)
{
    return find(list, "name", name);
}

void lab_list_suggest(const json_t *list, const char *key, struct lab_suggestion *suggestion)
{
    json_t *object;
    size_t index;
    json_array_foreach(list, index, object) lab_suggestion_consider(suggestion, lab_text_of(object, key));
}

json_t *lab_document_find_experiment(const json_t *document, const char *name)
{
    return find(json_object_get(document, "experiments"), "name", name);
}

json_t *lab_document_find_device(const json_t *document, const char *word)
{
    const json_t *devices = json_object_get(document, "devices");
    json_t *device = find(devices, "id", word);
    bool is_index = word[0] != '\0' && strlen(word) < 4 && strspn(word, "0123456789") == strlen(word);
    return device == NULL && is_index ? json_array_get(devices, strtoul(word, NULL, 10)) : device;
}

void lab_print_json(const json_t *document)
{
    json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', stdout);
}
