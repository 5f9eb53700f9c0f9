/* Channels, what is watched for them, and the notices that went out. Admins define channels; an address and a secret
 * are never shown again. Operators choose what is watched. */
#include "judge.h"
#include "openapi/schemas.h"
#include "resources.h"

#include "core/clock.h"
#include "core/json_members.h"
#include "core/json_text.h"
#include "notices/notices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor/results.h"

enum { NOTICES_SHOWN = 200 };

static json_t *id_json(int64_t id)
{
    return json_sprintf("%" PRId64, id);
}

static void refuse(struct lab_response *response, enum lab_error_code code, const char *pointer, const char *detail)
{
    struct lab_errors errors = {0};
    lab_errors_add(&errors, code, pointer, "%s", detail);
    lab_reply_invalid(response, &errors);
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static json_t *channel_json(const struct lab_channel_row *row)
{
    return json_pack("{s:o, s:s, s:s, s:b, s:o, s:s?}", "id", id_json(row->id), "name", row->name, "kind", row->kind,
                     "private", row->private, "created_at", lab_json_time_or_null(row->created_at), "created_by",
                     row->created_by);
}

static void list_add_channel(void *context, const struct lab_channel_row *row)
{
    json_array_append_new(context, channel_json(row));
}

void lab_api_list_channels(const struct lab_request *request, struct lab_response *response)
{
    json_t *list = json_array();
    lab_reply_list(request, response, "channels",
                   lab_store_list_channels(lab_api_of(request)->store, list_add_channel, list), list);
}

static bool is_email(const struct lab_channel_row *row)
{
    return strcmp(row->kind, lab_channel_kinds[LAB_CHANNEL_EMAIL]) == 0;
}

/* A secret becomes a header, so it has visible characters of ASCII only. */
static bool is_header_text(const char *text)
{
    while (*text > ' ' && *text < 0x7F)
        text++;
    return *text == '\0';
}

/* What the rows of the body cannot say. */
static bool check_channel(const struct lab_channel_row *row, struct lab_response *response)
{
    struct lab_errors errors = {0};
    enum lab_channel_kind kind = is_email(row) ? LAB_CHANNEL_EMAIL : LAB_CHANNEL_WEBHOOK;
    if (!lab_channel_address_is_valid(kind, row->address))
        lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, "/address",
                       "'address' must be a URL of %s without user, password and fragment.",
                       is_email(row) ? "smtp:// or smtps://" : "http:// or https://");
    if (row->secret != NULL && !is_header_text(row->secret))
        lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, "/secret", "'secret' must be of visible characters of ASCII.");
    const char *const mail[] = {row->sender, row->recipient}, *const pointers[] = {"/from", "/to"};
    for (size_t i = 0; i < 2; i++)
        if (is_email(row) ? mail[i] == NULL || !lab_mail_address_is_valid(mail[i]) : mail[i] != NULL)
            lab_errors_add(&errors, LAB_ERROR_OUT_OF_BOUNDS, pointers[i],
                           is_email(row) ? "'%s' must be an address such as lab@example.org."
                                         : "'%s' is for channels of the kind email.",
                           pointers[i] + 1);
    if (errors.count > 0)
        lab_reply_invalid(response, &errors);
    return errors.count == 0;
}

void lab_api_create_channel(const struct lab_request *request, struct lab_response *response)
{
    const json_t *body = lab_request_json(request);
    struct lab_channel_row row = {.name = lab_text_of(body, "name"),
                                  .kind = lab_text_of(body, "kind"),
                                  .address = lab_text_of(body, "address"),
                                  .secret = lab_optional_text_of(body, "secret"),
                                  .sender = lab_optional_text_of(body, "from"),
                                  .recipient = lab_optional_text_of(body, "to"),
                                  .private = json_is_true(json_object_get(body, "private")),
                                  .created_at = lab_time_now(),
                                  .created_by = lab_requested_by(request)};
    if (!check_channel(&row, response))
        return;
    enum lab_store_result result = lab_store_add_channel(lab_api_of(request)->store, &row, &row.id);
    if (result == LAB_STORE_OK)
        lab_reply_created(request, response, row.id, channel_json(&row));
    else if (result == LAB_STORE_CONFLICT)
        lab_respond_problem(response, LAB_ERROR_NAME_IN_USE,
                            "A channel has this name, or there are 64 channels; delete one first.", NULL);
    else
        lab_reply_store_error(request, response, result);
}

void lab_api_delete_channel(const struct lab_request *request, struct lab_response *response)
{
    lab_reply_deleted(request, response, "Channel",
                      lab_store_delete_channel(lab_api_of(request)->store, lab_number_of_part(request, "id")));
}

void lab_api_test_channel(const struct lab_request *request, struct lab_response *response)
{
    json_t *content = json_pack("{s:s, s:o, s:s, s:s}", "kind", "test", "at", lab_json_time_or_null(lab_time_now()),
                                "title", "A test notice", "text", "This channel of the lab works.");
    char delivery[LAB_RUN_ID_SIZE];
    enum lab_store_result result =
        lab_notice_add(lab_api_of(request)->store, lab_number_of_part(request, "id"), content, delivery);
    if (result == LAB_STORE_OK)
        lab_respond_json(response, 202, json_pack("{s:s}", "delivery", delivery));
    else
        lab_reply_deleted(request, response, "Channel", result);
}

/* --- watches ------------------------------------------------------------------------------------------------------ */

static json_t *watch_json(const struct lab_watch_row *row)
{
    return json_pack("{s:o, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:s?}", "id", id_json(row->id), "channel",
                     row->channel_name, "kind", row->kind, "experiment", row->experiment, "metric", row->metric, "low",
                     lab_json_real_or_null(row->low), "high", lab_json_real_or_null(row->high), "created_at",
                     lab_json_time_or_null(row->created_at), "created_by", row->created_by);
}

static void list_add_watch(void *context, const struct lab_watch_row *row)
{
    json_array_append_new(context, watch_json(row));
}

void lab_api_list_watches(const struct lab_request *request, struct lab_response *response)
{
    json_t *list = json_array();
    lab_reply_list(request, response, "watches",
                   lab_store_list_watches(lab_api_of(request)->store, list_add_watch, list), list);
}

struct named {
    const char *name;
    int64_t id;
};

static void find_channel(void *context, const struct lab_channel_row *row)
{
    struct named *named = context;
    if (strcmp(row->name, named->name) == 0)
        named->id = row->id;
}

static double limit_of(const json_t *body, const char *name)
{
    const json_t *limit = json_object_get(body, name);
    return limit != NULL ? json_number_value(limit) : NAN;
}

void lab_api_create_watch(const struct lab_request *request, struct lab_response *response)
{
    const json_t *body = lab_request_json(request);
    struct lab_store *store = lab_api_of(request)->store;
    struct named named = {.name = lab_text_of(body, "channel")};
    struct lab_watch_row row = {.channel_name = named.name,
                                .kind = lab_text_of(body, "kind"),
                                .experiment = lab_optional_text_of(body, "experiment"),
                                .metric = lab_optional_text_of(body, "metric"),
                                .low = limit_of(body, "low"),
                                .high = limit_of(body, "high"),
                                .created_at = lab_time_now(),
                                .created_by = lab_requested_by(request)};
    bool of_limit = strcmp(row.kind, lab_watch_kinds[LAB_WATCH_LIMIT]) == 0, any = !isnan(row.low) || !isnan(row.high);
    enum lab_store_result result = lab_store_list_channels(store, find_channel, &named);
    if (result == LAB_STORE_OK && named.id == 0)
        return refuse(response, LAB_ERROR_UNKNOWN_VALUE, "/channel",
                      "'channel' must be the name of a channel; GET /api/v1/channels lists them.");
    if (of_limit != any || (of_limit && row.metric == NULL))
        return refuse(response, LAB_ERROR_CONTRADICTION, "/kind",
                      "A watch of the kind limit must have 'metric' and 'low' or 'high', others neither 'low' nor "
                      "'high'.");
    row.channel = named.id;
    if (result == LAB_STORE_OK)
        result = lab_store_add_watch(store, &row, &row.id);
    if (result == LAB_STORE_OK)
        lab_reply_created(request, response, row.id, watch_json(&row));
    else if (result == LAB_STORE_CONFLICT)
        refuse(response, LAB_ERROR_OUT_OF_BOUNDS, "", "There are 256 watches already; delete some first.");
    else
        lab_reply_store_error(request, response, LAB_STORE_FAILED);
}

void lab_api_delete_watch(const struct lab_request *request, struct lab_response *response)
{
    lab_reply_deleted(request, response, "Watch",
                      lab_store_delete_watch(lab_api_of(request)->store, lab_number_of_part(request, "id"),
                                             lab_only_author(request)));
}

/* --- notices ------------------------------------------------------------------------------------------------------ */

static void list_add_notice(void *context, const struct lab_notice_row *row)
{
    json_t *content = lab_json_stored(row->content);
    json_array_append_new(
        context, json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:I, s:o, s:s?}", "delivery", row->delivery, "channel",
                           row->channel_name, "created_at", lab_json_time_or_null(row->created_at), "kind",
                           lab_text_of(content, "kind"), "title", lab_text_of(content, "title"), "text",
                           lab_text_of(content, "text"), "state", row->state, "attempts", (json_int_t)row->attempts,
                           "next_at", lab_json_time_or_null(row->next_at), "error", row->error));
    json_decref(content);
}

void lab_api_list_notices(const struct lab_request *request, struct lab_response *response)
{
    json_t *list = json_array();
    lab_reply_list(request, response, "notices",
                   lab_store_list_notices(lab_api_of(request)->store, NOTICES_SHOWN, list_add_notice, list), list);
}

/* --- what is asked and answered ----------------------------------------------------------------------------------- */

#define PERSON                                                                                                         \
    {LAB_GIVEN(TIME, "created_at"), .component = "Time"},                                                              \
    {                                                                                                                  \
        LAB_GIVEN(STRING, "created_by"), .nullable = true                                                              \
    }

const struct lab_schema lab_channel_body[] = {
    {LAB_GIVEN(STRING, "name"), .minimum = 1, .maximum = 64, .text = "The name of the channel."},
    {LAB_GIVEN(CHOICE, "kind"), .choices = lab_channel_kinds, .text = "webhook sends JSON in the lab's own format."},
    {LAB_GIVEN(STRING, "address"), .minimum = 1, .maximum = 2048,
     .text =
         "A URL of http or https; of email one of smtp or smtps, such as smtps://mail.example:465. Of matrix, that of the "
         "room's messages, …/rooms/ROOM/send/m.room.message. It is never shown again."},
    {.name = "secret",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 256,
     .text =
         "For webhook the key of the signature, for matrix the token, for email USER:PASSWORD. It is never shown again."},
    {.name = "from", .type = LAB_TYPE_STRING, .minimum = 3, .maximum = 254, .text = "For email: the sender."},
    {.name = "to", .type = LAB_TYPE_STRING, .minimum = 3, .maximum = 254, .text = "For email: the recipient."},
    {.name = "private",
     .type = LAB_TYPE_BOOLEAN,
     .text =
         "Whether the address may lead to this machine, private networks and link-local addresses; by default it may not."},
    {0},
};

const struct lab_schema lab_watch_body[] = {
    {LAB_GIVEN(STRING, "channel"), .minimum = 1, .maximum = 64,
     .text = "The name of the channel that gets the notices."},
    {LAB_GIVEN(CHOICE, "kind"), .choices = lab_watch_kinds,
     .text =
         "slower: a point is worse than usual; shift: a lasting change was found; limit: a value is outside of low and high; "
         "health: a health check failed; node: a machine takes no runs; disk: nothing can be stored."},
    {.name = "experiment",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "Only runs of this experiment; by default of all."},
    {.name = "metric",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "All points of this metric; by default the headlines of the run."},
    {.name = "low", .type = LAB_TYPE_NUMBER, .text = "For a limit: the lowest allowed value, in the metric's unit."},
    {.name = "high", .type = LAB_TYPE_NUMBER, .text = "For a limit: the highest allowed value, in the metric's unit."},
    {0},
};

static const struct lab_schema channel_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "name")},
    {LAB_GIVEN(CHOICE, "kind"), .choices = lab_channel_kinds},
    {LAB_GIVEN(BOOLEAN, "private")},
    PERSON,
    {0},
};
static const struct lab_schema channels_members[] = {
    {LAB_GIVEN(OBJECT, "channels"), .count = LAB_LIST, .component = "Channel", .text = "By name."}, {0}};

static const struct lab_schema watch_members[] = {
    {LAB_GIVEN(STRING, "id")},
    {LAB_GIVEN(STRING, "channel")},
    {LAB_GIVEN(CHOICE, "kind"), .choices = lab_watch_kinds},
    {LAB_GIVEN(STRING, "experiment"), .nullable = true},
    {LAB_GIVEN(STRING, "metric"), .nullable = true},
    {LAB_GIVEN(NUMBER, "low"), .nullable = true},
    {LAB_GIVEN(NUMBER, "high"), .nullable = true},
    PERSON,
    {0},
};
static const struct lab_schema watches_members[] = {
    {LAB_GIVEN(OBJECT, "watches"), .count = LAB_LIST, .component = "Watch"}, {0}};

static const struct lab_schema notice_members[] = {
    {LAB_GIVEN(STRING, "delivery"), .text = "The same in all attempts; receivers get it."},
    {LAB_GIVEN(STRING, "channel")},
    {LAB_GIVEN(TIME, "created_at"), .component = "Time"},
    {LAB_GIVEN(STRING, "kind")},
    {LAB_GIVEN(STRING, "title")},
    {LAB_GIVEN(STRING, "text")},
    {LAB_GIVEN(CHOICE, "state"), .choices = LAB_TEXTS("waiting", "sent", "failed")},
    {LAB_GIVEN(INTEGER, "attempts"), .maximum = INFINITY},
    {LAB_GIVEN(TIME, "next_at"), .component = "Time", .text = "The time of the next attempt, or of the end."},
    {LAB_GIVEN(STRING, "error"), .nullable = true, .text = "The error of the last attempt."},
    {0},
};
static const struct lab_schema notices_members[] = {
    {LAB_GIVEN(OBJECT, "notices"), .count = LAB_LIST, .component = "Notice", .text = "The newest 200, newest first."},
    {0}};
static const struct lab_schema delivery_members[] = {{LAB_GIVEN(STRING, "delivery")}, {0}};

const struct lab_schema lab_channels_documents[] = {
    {.name = "Channels", .type = LAB_TYPE_OBJECT, .members = channels_members},
    {.name = "Channel", .type = LAB_TYPE_OBJECT, .members = channel_members},
    {.name = "Watches", .type = LAB_TYPE_OBJECT, .members = watches_members},
    {.name = "Watch", .type = LAB_TYPE_OBJECT, .members = watch_members},
    {.name = "Notices", .type = LAB_TYPE_OBJECT, .members = notices_members},
    {.name = "Notice", .type = LAB_TYPE_OBJECT, .members = notice_members},
    {.name = "Delivery", .type = LAB_TYPE_OBJECT, .members = delivery_members},
    {0},
};
