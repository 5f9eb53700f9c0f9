/* The rules of findings. Each returns whether it holds; then it has written its sentence and the time that it
 * concerns. */
#ifndef LAB_TRACE_RULES_H
#define LAB_TRACE_RULES_H

#include "core/format.h"
#include "trace/work.h"

#include <stdbool.h>

enum { LAB_FINDING_TEXT_SIZE = 900 };

/* What the rules ask. */
struct lab_trace_facts {
    const struct lab_trace *trace;
    struct lab_trace_works works; /* of the device that worked the longest; at least one */
    uint32_t process, device;
    int64_t span_ns;      /* from its first to its last work */
    double link_gb_per_s; /* between host and device; 0: not known */
};

struct lab_finding {
    char text[LAB_FINDING_TEXT_SIZE];
    double concerned_ns;
    bool out_of_memory;
};

typedef bool lab_trace_rule(const struct lab_trace_facts *facts, struct lab_finding *finding);

/* What takes less of the time in which the GPU worked is not worth a sentence. */
#define LAB_FINDING_SHARE_MIN 0.05
/* Fewer events may be the beginning of the program, or chance. */
enum { LAB_FINDING_COUNT_MIN = 50 };

/* A rule, with the name of the experiment that explains it. Ended by {NULL}. */
struct lab_trace_rule_row {
    const char *name, *lesson;
    lab_trace_rule *holds;
};
extern const struct lab_trace_rule_row lab_trace_rules[];

lab_trace_rule lab_trace_rule_pageable, lab_trace_rule_small_copies, lab_trace_rule_no_overlap; /* rules_copies.c */
lab_trace_rule lab_trace_rule_launches, lab_trace_rule_default_stream, lab_trace_rule_waits;    /* rules_order.c */
lab_trace_rule lab_trace_rule_small_grids, lab_trace_rule_start_up, lab_trace_rule_one_kernel,
    lab_trace_rule_idle; /* rules_time.c */

/* Writes the sentence of a rule that holds; returns true. */
bool lab_finding_write(struct lab_finding *finding, double concerned_ns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds another sentence; returns true. */
bool lab_finding_add(struct lab_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Durations of single records and of what ran at any time fit into an int64_t; sums of many are double, because the
 * program could make them overflow. A time in a sentence, in a buffer that belongs to the expression:
 * lab_format_seconds. */
#define LAB_NS(ns) lab_format_seconds((double)(ns) / 1e9, (char[LAB_FORMAT_SIZE]){0})
#define LAB_SHARE(part, whole) lab_format_share((double)(part) / (double)(whole), (char[LAB_FORMAT_SIZE]){0})

#endif
