/* GET /api/v1/runs/{id}/timeline/columns: the spans of a run as columns, without their details. The document of 100,000
 * spans has less than a third of the bytes of theirs, and few values to make and read. */
#include "openapi/schemas.h"
#include "resources.h"

#include "core/json_text.h"

#include <math.h>

/* Values that many spans share, each once. */
struct shared {
    json_t *values;    /* the list of them */
    json_t *positions; /* in that list, by the text that is stored */
};

/* The columns of the document; their names are those of the members of a span. */
enum column { LANE, KIND, LABEL, AXES, START, END, COLUMNS };

struct columns {
    struct shared texts, axes;
    json_t *lists[COLUMNS];
    bool failed; /* out of memory */
};

static void append(struct columns *columns, enum column column, json_t *value)
{
    if (json_array_append_new(columns->lists[column], value) != 0)
        columns->failed = true;
}

/* The position of the value whose stored text is `text` in its list, a new reference. Adds `value` if the list lacks
 * it. Takes over the reference to `value` in either case. */
static json_t *position_of(struct columns *columns, struct shared *shared, const char *text, json_t *value)
{
    json_t *position = json_object_get(shared->positions, text);
    if (position != NULL) {
        json_decref(value);
        return json_incref(position);
    }
    position = json_integer((json_int_t)json_array_size(shared->values));
    if (json_object_set(shared->positions, text, position) != 0 || json_array_append_new(shared->values, value) != 0)
        columns->failed = true;
    return position;
}

static json_t *text_position(struct columns *columns, const char *text)
{
    return text != NULL ? position_of(columns, &columns->texts, text, json_string(text)) : json_null();
}

static void add_span(void *context, const struct lab_span_row *row)
{
    struct columns *columns = context;
    const char *axes = row->axes != NULL ? row->axes : "{}";
    append(columns, LANE, text_position(columns, row->lane));
    append(columns, KIND, text_position(columns, row->kind));
    append(columns, LABEL, text_position(columns, row->label));
    append(columns, AXES, position_of(columns, &columns->axes, axes, lab_json_stored_object(axes)));
    append(columns, START, json_integer(row->start_ns));
    append(columns, END, json_integer(row->end_ns));
}

/* Makes the document of what the columns have, and takes them. NULL when out of memory. */
static json_t *document_of(struct columns *columns)
{
    json_t **lists = columns->lists;
    return json_pack("{s:O, s:O, s:{s:O, s:O, s:O, s:O, s:O, s:O}}", "texts", columns->texts.values, "axes",
                     columns->axes.values, "spans", "lane", lists[LANE], "kind", lists[KIND], "label", lists[LABEL],
                     "axes", lists[AXES], "start_ns", lists[START], "end_ns", lists[END]);
}

static struct shared shared_create(void)
{
    return (struct shared){.values = json_array(), .positions = json_object()};
}

static void release(struct columns *columns)
{
    struct shared *shared[] = {&columns->texts, &columns->axes};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        json_decref(shared[i]->values);
        json_decref(shared[i]->positions);
    }
    for (int i = 0; i < COLUMNS; i++)
        json_decref(columns->lists[i]);
}

void lab_api_get_timeline_columns(const struct lab_request *request, struct lab_response *response)
{
    struct columns columns = {.texts = shared_create(), .axes = shared_create()};
    for (int i = 0; i < COLUMNS; i++)
        columns.lists[i] = json_array();
    enum lab_store_result result = lab_store_list_spans(lab_api_of(request)->store, lab_request_part(request, "id"), 0,
                                                        SIZE_MAX, add_span, &columns);
    if (result != LAB_STORE_OK)
        lab_reply_store_error(request, response, result);
    else
        lab_respond_json(response, 200, columns.failed ? NULL : document_of(&columns));
    release(&columns);
}

/* --- what is answered --------------------------------------------------------------------------------------------- */

#define POSITIONS(name_, of)                                                                                           \
    {                                                                                                                  \
        LAB_GIVEN(INTEGER, name_), .count = LAB_LIST, .maximum = INFINITY, .text = "Positions in `" of "`."            \
    }

static const struct lab_schema span_columns[] = {
    POSITIONS("lane", "texts"),
    POSITIONS("kind", "texts"),
    {LAB_GIVEN(INTEGER, "label"), .count = LAB_LIST, .maximum = INFINITY, .gaps = true,
     .text = "Positions in `texts`."},
    POSITIONS("axes", "axes"),
    {LAB_GIVEN(INTEGER, "start_ns"), .count = LAB_LIST},
    {LAB_GIVEN(INTEGER, "end_ns"), .count = LAB_LIST},
    {0},
};

static const struct lab_schema columns_members[] = {
    {LAB_GIVEN(STRING, "texts"), .count = LAB_LIST},
    {LAB_GIVEN(OBJECT, "axes"), .count = LAB_LIST, .component = "Axes"},
    {LAB_GIVEN(OBJECT, "spans"), .members = span_columns,
     .text = "For each member of the spans but `details`, a list with the values of all spans."},
    {0},
};

const struct lab_schema lab_timeline_columns_documents[] = {
    {.name = "TimelineColumns", .type = LAB_TYPE_OBJECT, .members = columns_members},
    {0},
};
