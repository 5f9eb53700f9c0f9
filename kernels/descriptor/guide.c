/* Finds pages of the guide by name. */
#include "descriptor/guide.h"

#include <stddef.h>
#include <string.h>

const struct lab_guide_page *lab_guide_page_find(const char *name)
{
    for (const struct lab_guide_page *page = lab_guide_pages; page->name != NULL; page++)
        if (strcmp(page->name, name) == 0)
            return page;
    return NULL;
}
