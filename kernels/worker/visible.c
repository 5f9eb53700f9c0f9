/* Counts, checks and sets the devices of CUDA_VISIBLE_DEVICES. */
#include "visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool lab_visible_add(struct lab_visible *visible, const char *uuid)
{
    size_t space = sizeof visible->value - visible->length;
    int written = snprintf(visible->value + visible->length, space, "%s%s", visible->length > 0 ? "," : "", uuid);
    if (written < 0 || (size_t)written >= space) {
        visible->value[visible->length] = '\0';
        return false;
    }
    visible->length += (size_t)written;
    return true;
}

void lab_visible_set(const struct lab_visible *visible)
{
    if (visible->length > 0)
        setenv("CUDA_VISIBLE_DEVICES", visible->value, 1);
}

/* An item of the list, without blanks around it. */
struct item {
    const char *text;
    int length;
};

/* Takes the next item from *rest; false at the end of the list, which a word for no device is, too. */
static bool next_item(const char **rest, struct item *item)
{
    static const char *const ends[] = {"none", "NoDevFiles"};
    static const char blanks[] = " \t";
    const char *start = *rest + strspn(*rest, blanks);
    size_t length = strcspn(start, ",");
    *rest = start + length + (start[length] == ',');
    while (length > 0 && strchr(blanks, start[length - 1]) != NULL)
        length--;
    *item = (struct item){start, (int)length};
    if (length == 0 || *start == '-')
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strlen(ends[i]) == length && strncasecmp(ends[i], start, length) == 0)
            return false;
    return true;
}

size_t lab_visible_count(const char *value)
{
    struct item item;
    size_t count = 0;
    while (next_item(&value, &item)) {
        count++;
        if (item.length >= 4 && strncmp(item.text, "MIG-", 4) == 0)
            return 1;
    }
    return count;
}

/* Whether an item before `before` has the same text. */
static bool is_repeated(const char *value, const struct item *item)
{
    struct item each;
    while (next_item(&value, &each) && each.text != item->text)
        if (each.length == item->length && strncmp(each.text, item->text, (size_t)item->length) == 0)
            return true;
    return false;
}

bool lab_visible_check(const char *value, size_t found, struct lab_error *error)
{
    struct item item = {"", 0};
    const char *rest = value;
    size_t asked = lab_visible_count(value);
    if (found >= asked)
        return true;
    while (next_item(&rest, &item))
        if (is_repeated(value, &item))
            return lab_error_set(error, LAB_ERROR_NO_DEVICE, "", "CUDA_VISIBLE_DEVICES names the device \"%.*s\" twice",
                                 item.length, item.text);
    rest = value;
    for (size_t i = 0; i <= found; i++)
        next_item(&rest, &item);
    return lab_error_set(error, LAB_ERROR_NO_DEVICE, "",
                         "CUDA_VISIBLE_DEVICES is \"%s\", but CUDA does not find the device \"%.*s\"", value,
                         item.length, item.text);
}
