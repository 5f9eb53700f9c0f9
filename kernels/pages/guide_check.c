/* Checks the facts and addresses that the guide names. */
#include "pages/check.h"

#include "core/json_members.h"
#include "facts/facts.h"

#include <string.h>

/* Pages of the lab that have no names in them. */
static const char *const plain_pages[] = {"/kernels", "/machines", "/program"};

/* A kind of address: what it begins with, and whether there is a page of the name that follows. */
struct address {
    const char *prefix;
    bool (*exists)(const char *name);
};

static bool is_experiment(const char *name)
{
    return lab_experiment_find(name) != NULL;
}

static bool is_guide_page(const char *name)
{
    return lab_guide_page_find(name) != NULL;
}

static bool is_sample(const char *name)
{
    return lab_sample_program_find(name) != NULL;
}

static const struct address addresses[] = {
    {"/experiments/", is_experiment},
    {"/guide/", is_guide_page},
    {"/program?sample=", is_sample},
};

/* Whether the lab has a page of this address. */
static bool leads_somewhere(const char *address)
{
    for (size_t i = 0; i < sizeof plain_pages / sizeof *plain_pages; i++)
        if (strcmp(address, plain_pages[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (strncmp(address, addresses[i].prefix, strlen(addresses[i].prefix)) == 0)
            return addresses[i].exists(address + strlen(addresses[i].prefix));
    return false;
}

static bool is_fact(const char *name)
{
    return strcmp(name, "name") == 0 || lab_fact_exists(name);
}

/* Whether what stands between `before` and `after` in the text, each time, is something that exists. */
static bool check_each(const struct lab_guide_page *page, const char *before, const char *after,
                       bool (*exists)(const char *name), FILE *messages)
{
    bool good = true;
    for (const char *at = page->text; (at = strstr(at, before)) != NULL;) {
        char name[128];
        const char *end = strstr(at += strlen(before), after);
        snprintf(name, sizeof name, "%.*s", end != NULL ? (int)(end - at) : 0, at);
        if (exists(name))
            continue;
        good = false;
        fprintf(messages, "kernels/guide, page '%s': the lab has no '%s'\n", page->name, name);
    }
    return good;
}

static bool is_address(const char *address)
{
    return strncmp(address, "https://", 8) == 0 || leads_somewhere(address);
}

bool lab_guide_check(const struct lab_guide_page *pages, const struct lab_term *terms, FILE *messages)
{
    bool good = true;
    for (; pages->name != NULL; pages++) {
        good = check_each(pages, "{{", "}}", is_fact, messages) && good;
        good = check_each(pages, "](", ")", is_address, messages) && good;
    }
    for (; terms->term != NULL; terms++) {
        if (leads_somewhere(terms->see))
            continue;
        good = false;
        fprintf(messages, "kernels/guide/glossary.json: the lab has no '%s', which '%s' leads to\n", terms->see,
                terms->term);
    }
    return good;
}

bool lab_cards_check(const char *cards, FILE *messages)
{
    bool good = true;
    json_t *list = json_loads(cards, 0, NULL), *card, *value;
    const char *fact;
    size_t i;
    json_array_foreach(list, i, card)
    {
        const char *name = lab_text_of(card, "name");
        if (*name == '\0' || *lab_text_of(card, "source") == '\0' ||
            !json_is_object(json_object_get(card, "properties"))) {
            good = false;
            fprintf(messages, "kernels/guide/cards.json: device %zu must have name, source and properties\n", i + 1);
        }
        json_object_foreach(json_object_get(card, "properties"), fact, value)
        {
            if (lab_fact_exists(fact))
                continue;
            good = false;
            fprintf(messages, "kernels/guide/cards.json: '%s' of '%s' is no property of a device\n", fact, name);
        }
    }
    json_decref(list);
    return good;
}
