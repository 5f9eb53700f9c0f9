#include "exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

static const char *const type_names[] = {
    [LAB_COUNTER] = "counter", [LAB_GAUGE] = "gauge", [LAB_HISTOGRAM] = "histogram"};

void lab_family_begin(FILE *out, const struct lab_family *family)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name, type_names[family->type]);
}

static void write_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\\' || *text == '"')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void write_label(FILE *out, const char *name, const char *value, bool is_first)
{
    fprintf(out, "%s%s=\"", is_first ? "{" : ",", name);
    write_escaped(out, value);
    fputc('"', out);
}

/* `le` is the bound of a bucket; NULL: not a bucket. */
static void write_labels(FILE *out, const struct lab_label *labels, const char *le)
{
    bool is_first = true;
    for (; labels != NULL && labels->name != NULL; labels++, is_first = false)
        write_label(out, labels->name, labels->value, is_first);
    if (le != NULL)
        write_label(out, "le", le, is_first);
    if (!is_first || le != NULL)
        fputc('}', out);
}

static void write_value(FILE *out, double value)
{
    if (isnan(value))
        fputs(" NaN\n", out);
    else if (isinf(value))
        fputs(value > 0 ? " +Inf\n" : " -Inf\n", out);
    else
        fprintf(out, " %.17g\n", value);
}

static void write_sample(FILE *out, const char *name, const char *suffix, const struct lab_label *labels,
                         const char *le, double value)
{
    fprintf(out, "%s%s", name, suffix);
    write_labels(out, labels, le);
    write_value(out, value);
}

void lab_family_sample(FILE *out, const struct lab_family *family, const struct lab_label *labels, double value)
{
    write_sample(out, family->name, "", labels, NULL, value);
}

void lab_family_histogram(FILE *out, const struct lab_family *family, const struct lab_label *labels,
                          const struct lab_histogram *histogram)
{
    uint64_t count = 0;
    for (size_t i = 0;; i++) {
        char bound[32];
        snprintf(bound, sizeof bound, "%g", histogram->bounds[i]);
        bool is_last = histogram->bounds[i] == 0;
        count += atomic_load_explicit(&histogram->buckets[i], memory_order_relaxed);
        write_sample(out, family->name, "_bucket", labels, is_last ? "+Inf" : bound, (double)count);
        if (is_last)
            break;
    }
    write_sample(out, family->name, "_sum", labels, NULL,
                 (double)atomic_load_explicit(&histogram->sum_ns, memory_order_relaxed) * 1e-9);
    write_sample(out, family->name, "_count", labels, NULL, (double)count);
}

void lab_family_values(FILE *out, const struct lab_family_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lab_family_begin(out, &values[i].family);
        lab_family_sample(out, &values[i].family, NULL, values[i].value);
    }
}
