/* The events of a run: what its experiment reports becomes JSON lines for the server. */
#include "job.h"

#include "channel.h"

/* The context is a struct worker_side. */

static void send_measurement(void *context, const struct lab_measurement *measurement)
{
    const struct worker_side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:o}", "event", "measurement", "run", side->job->id, "measurement",
                               lab_measurement_to_json(measurement)));
}

static void send_span(void *context, const struct lab_span *span)
{
    const struct worker_side *side = context;
    lab_channel_send(
        json_pack("{s:s, s:s, s:o}", "event", "span", "run", side->job->id, "span", lab_span_to_json(span)));
}

static void send_field(void *context, const struct lab_field *field)
{
    const struct worker_side *side = context;
    lab_channel_send(
        json_pack("{s:s, s:s, s:o}", "event", "field", "run", side->job->id, "field", lab_field_to_json(field)));
}

/* The timeline with its findings, the fields, and what compilers say are those of the head. */
static void drop_field(void *context, const struct lab_field *field)
{
    (void)context;
    (void)field;
}

static void drop_span(void *context, const struct lab_span *span)
{
    (void)context;
    (void)span;
}

static void send_progress(void *context, size_t done, size_t total, const char *label)
{
    const struct worker_side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:I, s:I, s:s}", "event", "progress", "run", side->job->id, "done",
                               (json_int_t)done, "total", (json_int_t)total, "label", label));
}

/* Sends an event with a text, which says if it is about the base. */
static void send_text(const struct worker_side *side, const char *event, const char *text)
{
    bool base = side == &side->job->sides[LAB_BASE];
    lab_channel_send(
        json_pack("{s:s, s:s, s:s+}", "event", event, "run", side->job->id, "text", base ? "base: " : "", text));
}

static void send_warning(void *context, const char *text)
{
    send_text(context, "warning", text);
}

static void send_note(void *context, const char *text)
{
    send_text(context, "note", text);
}

/* The output is that of both sides, in the order in which they print. */
static void send_output(void *context, const char *stream, const char *text)
{
    const struct worker_side *side = context;
    lab_channel_send(
        json_pack("{s:s, s:s, s:s, s:s}", "event", "output", "run", side->job->id, "stream", stream, "text", text));
}

static void send_findings(void *context, const json_t *findings)
{
    const struct worker_side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:O}", "event", "findings", "run", side->job->id, "findings", findings));
}

static void send_messages(void *context, const json_t *messages)
{
    const struct worker_side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:O}", "event", "messages", "run", side->job->id, "messages", messages));
}

static void send_verdict(void *context, const struct lab_axes *axes, uint64_t wrong, const char *text)
{
    const struct worker_side *side = context;
    lab_channel_send(json_pack("{s:s, s:s, s:o, s:I, s:s?}", "event", "verdict", "run", side->job->id, "axes",
                               lab_axes_to_json(axes), "wrong", (json_int_t)wrong, "text", text));
}

static void drop_list(void *context, const json_t *list)
{
    (void)context;
    (void)list;
}

void worker_side_set_sink(struct worker_side *side)
{
    bool is_head = side == &side->job->sides[LAB_HEAD];
    side->run.sink = (struct lab_sink){
        .context = side,
        .measurement = send_measurement,
        .span = is_head ? send_span : drop_span,
        .progress = send_progress,
        .warning = send_warning,
        .note = send_note,
        .field = is_head ? send_field : drop_field,
        .messages = is_head ? send_messages : drop_list,
        .findings = is_head ? send_findings : drop_list,
        .verdict = send_verdict,
        .output = send_output,
    };
}
