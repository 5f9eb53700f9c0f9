/* Formulas as text: commands by their characters, fractions and roots with parentheses. */
#include "formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

struct symbol {
    const char *name, *text;
};

/* Other names that are text of their own, such as \log, are printed by their name. */
static const struct symbol symbols[] = {
    {"cdot", "·"},  {"times", "×"},  {"pm", "±"},    {"le", "≤"},      {"leq", "≤"},    {"ge", "≥"},
    {"geq", "≥"},   {"ne", "≠"},     {"neq", "≠"},   {"approx", "≈"},  {"to", "→"},     {"sum", "∑"},
    {"ldots", "…"}, {"lceil", "⌈"},  {"rceil", "⌉"}, {"lfloor", "⌊"},  {"rfloor", "⌋"}, {"alpha", "α"},
    {"beta", "β"},  {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ε"}, {"eta", "η"},    {"theta", "θ"},
    {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},    {"nu", "ν"},      {"xi", "ξ"},     {"pi", "π"},
    {"rho", "ρ"},   {"sigma", "σ"},  {"tau", "τ"},   {"phi", "φ"},     {"chi", "χ"},    {"psi", "ψ"},
    {"omega", "ω"}, {"Gamma", "Γ"},  {"Delta", "Δ"}, {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Pi", "Π"},
    {"Sigma", "Σ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},   {"Omega", "Ω"},   {"infty", "∞"},  {"log", "log"},
    {"ln", "ln"},   {"exp", "exp"},  {"sin", "sin"}, {"cos", "cos"},   {"min", "min"},  {"max", "max"},
    {"left", ""},   {"right", ""},
};

struct reader {
    const char *at, *end;
    unsigned depth;
    bool failed;
};

static void print_atom(FILE *out, struct reader *reader);

/* Prints up to the end or to a brace that closes a group. */
static void print_row(FILE *out, struct reader *reader)
{
    while (!reader->failed && reader->at < reader->end && *reader->at != '}')
        print_atom(out, reader);
}

/* Prints a group whose opening brace was read. */
static void print_group(FILE *out, struct reader *reader)
{
    reader->failed = ++reader->depth > DEPTH_MAX;
    print_row(out, reader);
    if (reader->at == reader->end)
        reader->failed = true;
    else
        reader->at++;
    reader->depth--;
}

/* Whether the text is one thing beside an operator: letters, digits, scripts and symbols of names. */
static bool is_single(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x80 && !isalnum((unsigned char)*c) && strchr("^_.", *c) == NULL)
            return false;
    return strstr(text, "·") == NULL && strstr(text, "×") == NULL;
}

/* Prints the next item, in parentheses where it has operators. */
static void print_argument(FILE *out, struct reader *reader)
{
    char *text = NULL;
    size_t size = 0;
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    FILE *argument = reader->at < reader->end && *reader->at != '}' ? open_memstream(&text, &size) : NULL;
    reader->failed = reader->failed || argument == NULL || ++reader->depth > DEPTH_MAX;
    if (argument == NULL)
        return;
    if (!reader->failed)
        print_atom(argument, reader);
    reader->depth--;
    reader->failed = fclose(argument) != 0 || reader->failed;
    if (!reader->failed)
        fprintf(out, is_single(text) ? "%s" : "(%s)", text);
    free(text);
}

/* Prints what is between braces, as it is. */
static void print_plain(FILE *out, struct reader *reader)
{
    const char *end = reader->at < reader->end && *reader->at == '{'
                          ? memchr(reader->at, '}', (size_t)(reader->end - reader->at))
                          : NULL;
    reader->failed = reader->failed || end == NULL;
    if (end == NULL)
        return;
    fwrite(reader->at + 1, 1, (size_t)(end - reader->at - 1), out);
    reader->at = end + 1;
}

/* Prints a command whose backslash was read. */
static void print_command(FILE *out, struct reader *reader)
{
    const char *name = reader->at;
    while (reader->at < reader->end && isalpha((unsigned char)*reader->at))
        reader->at++;
    size_t length = (size_t)(reader->at - name);
    if (length == 4 && memcmp(name, "frac", length) == 0) {
        print_argument(out, reader);
        fputc('/', out);
        print_argument(out, reader);
    } else if (length == 4 && memcmp(name, "sqrt", length) == 0) {
        fputs("√", out);
        print_argument(out, reader);
    } else if (length == 4 && memcmp(name, "text", length) == 0) {
        print_plain(out, reader);
    } else if (length > 0) {
        for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
            if (strlen(symbols[i].name) == length && memcmp(symbols[i].name, name, length) == 0) {
                fputs(symbols[i].text, out);
                return;
            }
        reader->failed = true;
    } else if (reader->at < reader->end) {
        fputc(strchr(",;:! ", *name) != NULL ? ' ' : *name, out); /* \, and the like are distances */
        reader->at++;
    } else {
        reader->failed = true;
    }
}

static void print_atom(FILE *out, struct reader *reader)
{
    char c = *reader->at++;
    if (c == '\\') {
        print_command(out, reader);
    } else if (c == '{') {
        print_group(out, reader);
    } else {
        fputc(c, out);
        if (c == '^' || c == '_')
            print_argument(out, reader);
    }
}

bool lab_print_formula(FILE *out, const char *formula, size_t length)
{
    struct reader reader = {.at = formula, .end = formula + length};
    char *text = NULL;
    size_t size = 0;
    FILE *copy = open_memstream(&text, &size);
    if (copy == NULL)
        return false;
    print_row(copy, &reader);
    bool printed = fclose(copy) == 0 && !reader.failed && reader.at == reader.end;
    if (printed)
        fputs(text, out);
    free(text);
    return printed;
}
