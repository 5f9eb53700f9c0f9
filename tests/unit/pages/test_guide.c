/* kernels/pages/guide.c and guide_check.c: the rows that are made of the guide's files, and what is said of files that
 * do not fit. */
#include "pages/check.h"
#include "pages/guide.h"
#include "support/expect_abort.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static struct lab_source_file page = {.path = "kernels/guide/memory.md"},
                              terms = {.path = "kernels/guide/glossary.json"};

static char *written(void (*write)(const struct lab_source_file *file, FILE *out), const struct lab_source_file *file)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(file, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void write_page(void)
{
    free(written(lab_guide_page_write, &page));
}

static void write_terms(void)
{
    free(written(lab_terms_write, &terms));
}

TEST(a_page_has_title_summary_and_text)
{
    page.text = "# Two words\n\nWhat it\nis about.\n\nText.\n\n## More\n";
    char *row = written(lab_guide_page_write, &page);
    assert_string_equal(row,
                        "    {\"memory\", \"Two words\",\n    \"What it\\n\"\n    \"is about.\",\n    \"Text.\\n\"\n"
                        "    \"\\n\"\n    \"## More\\n\"},\n");
    free(row);
}

TEST(a_page_of_another_form_is_refused)
{
    static const char *const wrong[] = {"", "Two words\n\nSummary.\n\nText.\n", "# Two words\nSummary.\n\nText.\n",
                                        "# Two words\n\nSummary.\n", "# Two words\n\nSummary.\n\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        page.text = wrong[i];
        expect_failure(
            write_page,
            "kernels/guide/memory.md:1: the file begins with \"# TITLE\", a paragraph that says what the page is "
            "about, and the text\n");
    }
}

#define TERM(name)                                                                                                     \
    "{\"term\": \"" name                                                                                               \
    "\", \"text\": \"t\", \"see\": \"/guide/x\", \"ru\": \"r\", \"sk\": \"s\", \"zh\": \"z\", \"also\": [\"a\"]}"

TEST(a_term_has_all_its_names)
{
    terms.text = "[" TERM("Bank") ", " TERM("warp") "]";
    char *rows = written(lab_terms_write, &terms);
    assert_string_equal(
        rows,
        "    {\"Bank\", \"t\", \"/guide/x\", \"r\", \"s\", \"z\", (const char *const[]){\"a\", NULL}},\n"
        "    {\"warp\", \"t\", \"/guide/x\", \"r\", \"s\", \"z\", (const char *const[]){\"a\", NULL}},\n");
    free(rows);
}

TEST(terms_of_another_form_are_refused)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"{}", "glossary.json:1: must be a list\n"},
        {"[" TERM("Warp") ", " TERM("bank") "]",
         "glossary.json: 'bank' must stand before 'Warp': terms are in the order of their names\n"},
        {"[" TERM("Warp") ", " TERM("warp") "]",
         "glossary.json: 'warp' must stand before 'Warp': terms are in the order of their names\n"},
        {"[{\"term\": \"a\"}]",
         "glossary.json: term 1 must have the members term, text, see, ru, sk, zh and the list also, no others\n"},
        {"[{\"term\": \"a\", \"text\": \"\", \"see\": \"/\", \"ru\": \"r\", \"sk\": \"s\", \"zh\": \"z\", \"also\": []}]",
         "glossary.json: term 1: 'text' must be a text\n"},
        {"[{\"term\": \"a\", \"text\": \"t\", \"see\": \"/\", \"ru\": \"r\", \"sk\": \"s\", \"zh\": \"z\", \"also\": [1]}]",
         "glossary.json: term 1: 'also' must be a text\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        terms.text = wrong[i].text;
        expect_failure(write_terms, lab_keep_format("kernels/guide/%s", wrong[i].message));
    }
}

/* What is said of a page of this text and a term that leads to this address. */
static void expect_checked(const char *text, const char *see, const char *expected)
{
    const struct lab_guide_page pages[] = {{"memory", "M", "S", text}, {0}};
    const struct lab_term list[] = {{"Warp", "t", see, "r", "s", "z", (const char *const[]){NULL}}, {0}};
    char *messages = NULL;
    size_t size;
    FILE *out = open_memstream(&messages, &size);
    assert_non_null(out);
    assert_int_equal(lab_guide_check(pages, list, out), *expected == '\0');
    fclose(out);
    assert_string_equal(messages, expected);
    free(messages);
}

TEST(facts_and_addresses_must_exist)
{
    expect_checked(
        "{{l2_bytes}} of {{name}}, [a](/experiments/stream) [b](/guide/memory) [c](/program?sample=overlap) "
        "[d](/kernels) [e](https://example.org/x)",
        "/experiments/stream", "");
    expect_checked(
        "{{l3_bytes}} and {{name", "/machines",
        "kernels/guide, page 'memory': the lab has no 'l3_bytes'\nkernels/guide, page 'memory': the lab has no ''\n");
    expect_checked("[a](/experiments/streams) [b](/guide/stream) [c](/program?sample=x) [d](nowhere)", "/guide/none",
                   "kernels/guide, page 'memory': the lab has no '/experiments/streams'\n"
                   "kernels/guide, page 'memory': the lab has no '/guide/stream'\n"
                   "kernels/guide, page 'memory': the lab has no '/program?sample=x'\n"
                   "kernels/guide, page 'memory': the lab has no 'nowhere'\n"
                   "kernels/guide/glossary.json: the lab has no '/guide/none', which 'Warp' leads to\n");
}

TEST(properties_of_published_devices_are_facts)
{
    static const char cards[] =
        "[{\"name\": \"A\", \"source\": \"s\", \"properties\": {\"warp_size\": 32, \"warps\": 1}}, {\"name\": \"B\"}]";
    char *messages = NULL;
    size_t size;
    FILE *out = open_memstream(&messages, &size);
    assert_non_null(out);
    assert_false(lab_cards_check(cards, out));
    fclose(out);
    assert_string_equal(messages,
                        "kernels/guide/cards.json: 'warps' of 'A' is no property of a device\n"
                        "kernels/guide/cards.json: device 2 must have name, source and properties\n");
    free(messages);
}
