/* What the heads of pages say of runs, comparisons, lessons and summaries of devices, for programs that show previews
 * of links (Open Graph, https://ogp.me): only what the client may read, and no names of machines or people. The
 * picture of a summary is SVG, because no library here draws a PNG; programs that do not show SVG show the texts alone.
 */
#include "card/card.h"
#include "resources.h"
#include "results/svg_text.h"
#include "visibility.h"

#include "core/clock.h"
#include "core/format.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "core/xml_text.h"
#include "descriptor/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 70, DESCRIPTION = 240, TEXT_SIZE = 1024, DATE_LENGTH = 10 };

/* --- elements ----------------------------------------------------------------------------------------------------- */

static void write_meta(FILE *out, const char *property, const char *content, size_t most)
{
    bool is_name = strncmp(property, "twitter:", 8) == 0; /* its documentation says so */
    fprintf(out, "  <meta %s=\"%s\" content=\"", is_name ? "name" : "property", property);
    lab_svg_write_cut(out, content, most);
    fputs("\">\n", out);
}

static void write_texts(FILE *out, const char *title, const char *description)
{
    write_meta(out, "og:site_name", "gpulab", TITLE);
    write_meta(out, "og:type", "website", TITLE);
    write_meta(out, "og:title", title, TITLE);
    write_meta(out, "og:description", description, DESCRIPTION);
    write_meta(out, "twitter:card", "summary", TITLE);
}

/* --- texts -------------------------------------------------------------------------------------------------------- */

struct text {
    char text[TEXT_SIZE];
    size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text->text + text->length, TEXT_SIZE - text->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        text->length = (size_t)written < TEXT_SIZE - text->length ? text->length + (size_t)written : TEXT_SIZE - 1;
}

/* "Host to device 55.05 GB/s, Share of the copy 97.9 %" */
static void add_figures(struct text *text, const struct lab_run_row *run)
{
    static const char share_of[] = "Share of ";
    json_t *headlines = run->headline != NULL ? lab_json_stored(run->headline) : NULL, *headline;
    size_t i, begun = text->length;
    json_array_foreach(headlines, i, headline)
    {
        char value[LAB_FORMAT_SIZE];
        const char *title = lab_text_of(headline, "title"), *unit = lab_text_of(headline, "unit");
        double number = lab_number_of(headline, "value");
        bool is_share = strncmp(title, share_of, sizeof share_of - 1) == 0 && strcmp(unit, "1") == 0;
        if (!isfinite(number))
            continue;
        add(text, "%s%s %s", text->length > begun ? ", " : "", title,
            is_share ? lab_format_share(number, value) : lab_format_quantity(number, unit, value));
    }
    json_decref(headlines);
}

/* "NVIDIA H100, 2026-11-28" or "4 x NVIDIA H100, 2026-11-28": the model of the first device. */
static void add_devices(struct text *text, const struct lab_run_row *run)
{
    json_t *devices = lab_json_stored(run->devices);
    const char *model = lab_text_of(json_array_get(devices, 0), "name");
    char at[LAB_TIME_SIZE];
    lab_time_text(run->created_at, at);
    if (json_array_size(devices) > 1)
        add(text, "%zu x ", json_array_size(devices));
    if (model[0] != '\0')
        add(text, "%s, ", model);
    add(text, "%.*s", DATE_LENGTH, at);
    json_decref(devices);
}

/* --- pages -------------------------------------------------------------------------------------------------------- */

/* A run that anonymous clients see, of an experiment that this program has: the caller frees it; else NULL. */
static struct lab_run_row *read_run(const struct lab_request *request, const char *id)
{
    static const struct lab_identity everyone = {.role = LAB_ROLE_ANONYMOUS};
    struct lab_run_row *run = NULL;
    if (id == NULL || lab_store_get_run(lab_api_of(request)->store, id, &run) != LAB_STORE_OK)
        return NULL;
    if (lab_may_see(&everyone, run) && lab_experiment_find(run->experiment) != NULL)
        return run;
    free(run);
    return NULL;
}

static void write_run(const struct lab_request *request, FILE *out)
{
    struct text description = {0};
    struct lab_run_row *run = read_run(request, lab_request_part(request, "id"));
    if (run == NULL)
        return;
    add_figures(&description, run);
    add(&description, "%s", description.length > 0 ? ". " : "");
    add_devices(&description, run);
    write_texts(out, lab_experiment_find(run->experiment)->title, description.text);
    free(run);
}

static void write_comparison(const struct lab_request *request, FILE *out)
{
    struct text title = {0}, description = {0};
    struct lab_run_row *base = read_run(request, lab_request_query(request, "base"));
    struct lab_run_row *head = read_run(request, lab_request_query(request, "head"));
    if (base != NULL && head != NULL) {
        const struct lab_run_row *const sides[] = {head, base};
        add(&title, "Comparison: %s", lab_experiment_find(head->experiment)->title);
        for (size_t i = 0; i < 2; i++) {
            add(&description, "%s", i == 0 ? "" : ". Compared with ");
            add_devices(&description, sides[i]);
            add(&description, ": ");
            add_figures(&description, sides[i]);
        }
        write_texts(out, title.text, description.text);
    }
    free(base);
    free(head);
}

static void write_lesson(const struct lab_request *request, FILE *out)
{
    const struct lab_experiment *experiment = lab_experiment_find(lab_request_part(request, "name"));
    if (experiment != NULL)
        write_texts(out, experiment->title, experiment->summary);
}

/* The address of the picture beside the page: that of the page without "/card", as the client sent it. */
static void write_picture(const struct lab_request *request, FILE *out)
{
    static const char devices[] = "/devices/";
    const char *id = strstr(lab_request_path(request), devices), *end = strrchr(lab_request_path(request), '/');
    if (id == NULL || end < id + sizeof devices - 1)
        return;
    fputs("  <meta property=\"og:image\" content=\"", out);
    lab_request_write_origin(request, out);
    fprintf(out, "%s/api/v1/devices/", lab_request_base_path(request));
    lab_xml_write(out, id + sizeof devices - 1, (size_t)(end - id) - (sizeof devices - 1));
    fputs("/card.svg\">\n", out);
    write_meta(out, "og:image:type", "image/svg+xml", TITLE);
    fprintf(out, "  <meta property=\"og:image:width\" content=\"%d\">\n", LAB_CARD_WIDTH);
    fprintf(out, "  <meta property=\"og:image:height\" content=\"%d\">\n", LAB_CARD_HEIGHT);
}

static void write_card(const struct lab_request *request, FILE *out)
{
    struct lab_card card;
    struct text description = {0};
    char text[LAB_CARD_TEXT];
    if (lab_card_read(request, lab_request_part(request, "id"), &card) != LAB_STORE_OK)
        return;
    lab_card_verdict_text(&card, text, sizeof text);
    add(&description, "%s", text);
    for (size_t i = 0; i < LAB_CARD_FIGURES; i++) {
        if (!isfinite(card.figures[i].value))
            continue;
        lab_card_figure_text(&card.figures[i], text, sizeof text);
        add(&description, ". %s: %s", card.figures[i].label, text);
    }
    write_texts(out, card.model, description.text);
    write_picture(request, out);
}

const struct lab_page lab_api_pages[] = {
    {"/runs/{id}", write_run},
    {"/compare", write_comparison},
    {"/experiments/{name}", write_lesson},
    {"/devices/{id}/card", write_card},
    {0},
};
