/* gpulab devices [ID]: lists the devices, or prints the facts of one. */
#include "commands.h"
#include "lab/api_json.h"
#include "listing.h"
#include "output/table.h"

#include "cli/command.h"
#include "core/format.h"
#include "core/json_members.h"
#include "facts/facts.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Usage: gpulab devices [ID] [OPTIONS]\n\n"
    "Lists the devices, or prints all facts of one. ID is a device's id or its number in the list.\n";

/* Writes a number with its unit: sizes in KiB, MiB and so on, rates (Hz, B/s, FLOP/s) in units of 10^9 per second. */
static void format_number(char *text, size_t size, double value, const char *unit)
{
    char number[LAB_FORMAT_SIZE];
    bool rate = strcmp(unit, "Hz") == 0 || strcmp(unit, "B/s") == 0 || strcmp(unit, "FLOP/s") == 0;
    if (strcmp(unit, "B") == 0)
        snprintf(text, size, "%s", lab_format_bytes(value, number));
    else if (rate)
        snprintf(text, size, "%s G%s", lab_format_number(value / 1e9, number), unit);
    else
        snprintf(text, size, "%.15g%s%s", value, unit[0] != '\0' ? " " : "", unit);
}

/* Writes the numbers of a list, for example "1024 x 1024 x 64". */
static void format_list(char *text, size_t size, const json_t *list)
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

/* Returns a property's value as text. Numbers and lists are written to `text`; other values are returned without using
 * it. */
static const char *format_property(const char *name, const json_t *value, char *text, size_t size)
{
    const char *unit = lab_facts_unit(name);
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "yes" : "no";
    snprintf(text, size, "-");
    if (json_is_number(value))
        format_number(text, size, json_number_value(value), unit != NULL ? unit : "");
    else
        format_list(text, size, value);
    return text;
}

static bool of_several_machines(const json_t *document)
{
    const json_t *devices = json_object_get(document, "devices");
    bool several = false;
    for (size_t i = 1; i < json_array_size(devices); i++)
        several = several || strcmp(lab_text_of(json_array_get(devices, i), "node"),
                                    lab_text_of(json_array_get(devices, 0), "node")) != 0;
    return several;
}

static void print_all(const json_t *document)
{
    static const char *const titles[] = {"#", "id", "name", "runtime", "state", "memory", "cores"};
    static const char *const shown[] = {"total_memory_bytes", "multiprocessors"};
    struct lab_table *table = lab_table_create();
    bool several = of_several_machines(document);
    size_t index;
    json_t *device;
    char text[128];
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        lab_table_column(table, titles[i], i == 0 || i >= 5 ? LAB_COLUMN_RIGHT : LAB_COLUMN_LEFT);
    if (several)
        lab_table_column(table, "machine", LAB_COLUMN_LEFT);
    json_array_foreach(json_object_get(document, "devices"), index, device)
    {
        lab_table_cell(table, "%zu", index);
        lab_table_cell(table, "%s", lab_text_of(device, "id"));
        lab_table_cell(table, "%s", lab_text_of(device, "name"));
        lab_table_cell(table, "%s", lab_text_of(device, "backend"));
        lab_table_cell(table, "%s", lab_text_of(device, "state"));
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            const json_t *value = json_object_get(json_object_get(device, "properties"), shown[i]);
            lab_table_cell(table, "%s", format_property(shown[i], value, text, sizeof text));
        }
        if (several)
            lab_table_cell(table, "%s", lab_text_of(device, "node"));
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
    lab_table_column(table, lab_text_of(device, "id"), LAB_COLUMN_LEFT);
    lab_table_column(table, lab_text_of(device, "name"), LAB_COLUMN_LEFT);
    json_object_foreach(json_object_get(device, "properties"), name, value)
    {
        lab_table_cell(table, "%s", name);
        lab_table_cell(table, "%s", format_property(name, value, text, sizeof text));
    }
    lab_table_print(table, stdout);
    lab_table_free(table);
}

int lab_command_devices(const struct lab_invocation *invocation)
{
    static const struct lab_listing listing = {
        .usage = usage,
        .item = "device",
        .key = "id",
        .path = "/api/v1/devices",
        .missing = LAB_EXIT_NO_DEVICE,
        .find = lab_document_find_device,
        .print_all = print_all,
        .print_one = print_one,
    };
    return lab_listing_main(&listing, invocation);
}
