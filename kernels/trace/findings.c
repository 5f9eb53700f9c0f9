#include "trace/findings.h"

#include "core/text.h"
#include "trace/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const struct lab_trace_rule_row lab_trace_rules[] = {
    {"pageable-copies", "transfer", lab_trace_rule_pageable},
    {"small-copies", "transfer", lab_trace_rule_small_copies},
    {"no-overlap", "overlap", lab_trace_rule_no_overlap},
    {"costly-launches", "launch", lab_trace_rule_launches},
    {"default-stream", "overlap", lab_trace_rule_default_stream},
    {"waits", "launch", lab_trace_rule_waits},
    {"small-grids", "thread-map", lab_trace_rule_small_grids},
    {"start-up", "launch", lab_trace_rule_start_up},
    {"one-kernel", "stream", lab_trace_rule_one_kernel},
    {"idle-gpu", "overlap", lab_trace_rule_idle},
    {0},
};
enum { RULES = sizeof lab_trace_rules / sizeof *lab_trace_rules - 1 };

struct held {
    const struct lab_trace_rule_row *rule;
    struct lab_finding finding;
};

/* What concerns more time first, then in the order of the rules. */
static int by_time(const void *a, const void *b)
{
    const struct held *one = a, *other = b;
    if (one->finding.concerned_ns != other->finding.concerned_ns)
        return one->finding.concerned_ns > other->finding.concerned_ns ? -1 : 1;
    return one->rule < other->rule ? -1 : one->rule > other->rule;
}

/* Applies the rules. Returns how many hold; SIZE_MAX when out of memory. */
static size_t apply(const struct lab_trace_facts *facts, struct held held[RULES])
{
    size_t count = 0;
    for (size_t i = 0; i < RULES; i++) {
        held[count] = (struct held){.rule = &lab_trace_rules[i]};
        bool holds = lab_trace_rules[i].holds(facts, &held[count].finding);
        if (held[count].finding.out_of_memory)
            return SIZE_MAX;
        count += holds;
    }
    qsort(held, count, sizeof *held, by_time);
    return count;
}

/* A finding of the only device that worked names no device. */
static json_t *to_json(const struct held *held, const struct lab_trace_facts *facts)
{
    char text[LAB_FINDING_TEXT_SIZE + 64], where[64] = "";
    if (!facts->works.is_of_all && facts->trace->process_count > 1)
        snprintf(where, sizeof where, "Device %" PRIu32 " in process %" PRIu32 ": ", facts->device, facts->process);
    else if (!facts->works.is_of_all)
        snprintf(where, sizeof where, "Device %" PRIu32 ": ", facts->device);
    snprintf(text, sizeof text, "%s%s", where, held->finding.text);
    lab_utf8_drop_invalid(text);
    return json_pack("{s:s, s:s, s:s}", "name", held->rule->name, "text", text, "lesson", held->rule->lesson);
}

json_t *lab_trace_findings(const struct lab_trace *trace, double link_gb_per_s)
{
    struct lab_trace_facts facts = {.trace = trace, .link_gb_per_s = link_gb_per_s};
    struct held held[RULES + 1];
    size_t count = 0;
    json_t *list = json_array();
    if (!lab_trace_works_init(&facts.works, trace))
        count = SIZE_MAX;
    if (facts.works.count > 0) {
        facts.process = facts.works.items[0].place->head.process;
        facts.device = facts.works.items[0].place->device;
        facts.span_ns = facts.works.last_ns - facts.works.first_ns;
        count = apply(&facts, held);
    }
    for (size_t i = 0; count != SIZE_MAX && i < count; i++)
        if (json_array_append_new(list, to_json(&held[i], &facts)) != 0)
            count = SIZE_MAX;
    lab_trace_works_release(&facts.works);
    if (count != SIZE_MAX)
        return list;
    json_decref(list);
    return NULL;
}
