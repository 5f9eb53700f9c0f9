/* gpulab devices [ID]: what there is to run on. */
#include "documents.h"
#include "look.h"
#include "quantities.h"
#include "table.h"

#include "facts/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Usage: gpulab devices [ID] [OPTIONS]\n\n"
    "Lists the devices, or all that is known of one. ID is an id, or a device's number.\n";

/* A figure in its unit: bytes in KiB and so on, rates in thousands of millions. */
static void show_figure(char *text, size_t size, double value, const char *unit)
{
    char figure[LAB_QUANTITY_SIZE];
    bool rate = strcmp(unit, "Hz") == 0 || strcmp(unit, "B/s") == 0 || strcmp(unit, "FLOP/s") == 0;
    if (strcmp(unit, "B") == 0)
        snprintf(text, size, "%s", lab_show_bytes(value, figure));
    else if (rate)
        snprintf(text, size, "%s G%s", lab_show_number(value / 1e9, figure), unit);
    else
        snprintf(text, size, "%.15g%s%s", value, unit[0] != '\0' ? " " : "", unit);
}

/* Several figures of one property: "1024 x 1024 x 64". */
static void show_list(char *text, size_t size, const json_t *list)
{
    size_t index, used = 0;
    json_t *each;
    json_array_foreach(list, index, each)
    {
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%" JSON_INTEGER_FORMAT, index > 0 ? " x " : "",
                                     json_integer_value(each));
    }
}

/* A property for people; `text` is room for figures. */
static const char *show_property(const char *name, const json_t *value, char *text, size_t size)
{
    const char *unit = lab_facts_unit(name);
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "yes" : "no";
    snprintf(text, size, "-");
    if (json_is_number(value))
        show_figure(text, size, json_number_value(value), unit != NULL ? unit : "");
    else
        show_list(text, size, value);
    return text;
}

static void print_list(const json_t *devices)
{
    static const char *const titles[] = {"#", "id", "name", "runtime", "state", "memory", "cores"};
    static const char *const shown[] = {"total_memory_bytes", "multiprocessors"};
    struct lab_table *table = lab_table_create();
    size_t index;
    json_t *device;
    char text[128];
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i == 0 || i >= 5);
    json_array_foreach(devices, index, device)
    {
        lab_table_cell(table, "%zu", index);
        lab_table_cell(table, "%s", lab_text_of(device, "id"));
        lab_table_cell(table, "%s", lab_text_of(device, "name"));
        lab_table_cell(table, "%s", lab_text_of(device, "backend"));
        lab_table_cell(table, "%s", lab_text_of(device, "state"));
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            const json_t *value = json_object_get(json_object_get(device, "properties"), shown[i]);
            lab_table_cell(table, "%s", show_property(shown[i], value, text, sizeof text));
        }
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static void print_one(const json_t *device)
{
    struct lab_table *table = lab_table_create();
    const char *name;
    json_t *value;
    char text[128];
    lab_table_column(table, lab_text_of(device, "id"), false);
    lab_table_column(table, lab_text_of(device, "name"), false);
    json_object_foreach(json_object_get(device, "properties"), name, value)
    {
        lab_table_cell(table, "%s", name);
        lab_table_cell(table, "%s", show_property(name, value, text, sizeof text));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

static enum lab_exit_code print_document(const struct lab_look *look, const json_t *document)
{
    const json_t *devices = json_object_get(document, "devices");
    if (look->arguments.words.count > 0) {
        const json_t *device = lab_find_device(document, look->arguments.words.items[0]);
        if (device == NULL) {
            fprintf(stderr, "gpulab: there is no device '%s'; 'gpulab devices' lists them.\n",
                    look->arguments.words.items[0]);
            return LAB_EXIT_USAGE;
        }
        if (look->json)
            lab_print_json(device);
        else
            print_one(device);
    } else if (look->json) {
        lab_print_json(document);
    } else {
        print_list(devices);
    }
    return LAB_EXIT_OK;
}

int lab_command_devices(int argc, char **argv)
{
    struct lab_look look = {0};
    struct lab_error error = {0};
    enum lab_exit_code end = lab_look_parse(&look, argc, argv, usage);
    if (end != LAB_EXIT_OK || look.arguments.help)
        return end;
    const struct lab_session_wish wish = {.config = &look.config};
    struct lab_session *session = lab_session_open(&wish, &end, &error);
    json_t *document = session != NULL ? session->kind->devices(session, &error) : NULL;
    if (document != NULL) {
        end = print_document(&look, document);
    } else {
        lab_print_error(&error);
        end = session != NULL && look.config.server == NULL ? LAB_EXIT_NO_DEVICE : LAB_EXIT_ERROR;
    }
    json_decref(document);
    lab_session_close(session);
    lab_config_release(&look.config);
    return end;
}
