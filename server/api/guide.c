/* GET /api/v1/guide: pages about CUDA beside the lessons, the terms of the field, and published devices. They are
 * compiled in. */
#include "openapi/schemas.h"
#include "resources.h"

#include "descriptor/guide.h"

static json_t *page_json(const struct lab_guide_page *page)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "name", page->name, "title", page->title, "summary", page->summary, "text",
                     page->text);
}

static json_t *term_json(const struct lab_term *term)
{
    json_t *also = json_array();
    for (const char *const *name = term->also; *name != NULL; name++)
        json_array_append_new(also, json_string(*name));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "term", term->term, "text", term->text, "see", term->see,
                     "ru", term->ru, "sk", term->sk, "zh", term->zh, "also", also);
}

void lab_api_get_guide(const struct lab_request *request, struct lab_response *response)
{
    json_t *pages = json_array(), *terms = json_array();
    (void)request;
    for (const struct lab_guide_page *page = lab_guide_pages; page->name != NULL; page++)
        json_array_append_new(pages, page_json(page));
    for (const struct lab_term *term = lab_terms; term->term != NULL; term++)
        json_array_append_new(terms, term_json(term));
    lab_respond_json(response, 200,
                     json_pack("{s:o, s:o, s:o}", "pages", pages, "terms", terms, "cards",
                               json_loads(lab_published_cards, 0, NULL)));
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

static const struct lab_schema guide_members[] = {
    {LAB_GIVEN(OBJECT, "pages"), .count = LAB_LIST, .component = "GuidePage"},
    {LAB_GIVEN(OBJECT, "terms"), .count = LAB_LIST, .component = "Term"},
    {LAB_GIVEN(OBJECT, "cards"), .count = LAB_LIST, .component = "PublishedCard"},
    {0},
};

static const struct lab_schema page_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "summary")},
    {LAB_GIVEN(STRING, "text"),
     .text = "Markdown. {{FACT}} stands for the value of a property of a device, {{name}} for the name of the device."},
    {0},
};

static const struct lab_schema term_members[] = {
    {LAB_GIVEN(STRING, "term")},
    {LAB_GIVEN(STRING, "text")},
    {LAB_GIVEN(STRING, "see"), .text = "The address in the lab's page that explains it."},
    {LAB_GIVEN(STRING, "ru"), .text = "In Russian."},
    {LAB_GIVEN(STRING, "sk"), .text = "In Slovak."},
    {LAB_GIVEN(STRING, "zh"), .text = "In Chinese."},
    {LAB_GIVEN(STRING, "also"), .count = LAB_LIST, .text = "Other and obsolete names, and names of the API."},
    {0},
};

static const struct lab_schema card_members[] = {
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(STRING, "source")},
    {LAB_GIVEN(OBJECT, "properties"),
     .text = "The properties of the device, named as in Device; properties that the source does not give are absent."},
    {0},
};

const struct lab_schema lab_guide_documents[] = {
    {.name = "Guide", .type = LAB_TYPE_OBJECT, .members = guide_members},
    {.name = "GuidePage", .type = LAB_TYPE_OBJECT, .members = page_members, .text = "A page about CUDA."},
    {.name = "Term", .type = LAB_TYPE_OBJECT, .members = term_members, .text = "A term of the field."},
    {.name = "PublishedCard",
     .type = LAB_TYPE_OBJECT,
     .members = card_members,
     .text = "A published device, with which texts compare."},
    {0},
};
