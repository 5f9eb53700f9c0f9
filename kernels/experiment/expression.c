/* Parses expressions by recursive descent, and evaluates them on a stack. */
#include "experiment/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *text, *at;
    const char *const *names;
    struct lab_expression *expression;
    struct lab_error *error;
    size_t depth;
};

static bool parse_sum(struct parser *p);

static bool fail(const struct parser *p, const char *what)
{
    return lab_error_set(p->error, "bad-expression", "", "%s at character %zu of \"%.80s\"", what,
                         (size_t)(p->at - p->text) + 1, p->text);
}

static bool add(struct parser *p, struct lab_expression_step step)
{
    if (p->expression->count == LAB_EXPRESSION_STEPS_MAX)
        return fail(p, "too long an expression");
    p->expression->steps[p->expression->count++] = step;
    return true;
}

/* The next character that is no space. */
static char peek(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at;
}

static bool accept(struct parser *p, char c)
{
    bool found = peek(p) == c;
    p->at += found;
    return found;
}

static bool expect(struct parser *p, char c)
{
    char what[] = "expected ' '";
    what[10] = c;
    return accept(p, c) || fail(p, what);
}

/* --- primaries ---------------------------------------------------------------------------------------------------- */

/* Digits, a fraction and an exponent, without the other numbers that strtod knows. */
static bool parse_number(struct parser *p)
{
    char *end;
    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X'))
        return fail(p, "expected a decimal number");
    double number = strtod(p->at, &end);
    if (!isfinite(number))
        return fail(p, "too large a number");
    p->at = end;
    return add(p, (struct lab_expression_step){.kind = LAB_STEP_NUMBER, .number = number});
}

static bool parse_function(struct parser *p, const char *name, size_t length)
{
    static const struct {
        const char *name;
        int kind;
    } functions[] = {{"min", LAB_STEP_MIN}, {"max", LAB_STEP_MAX}, {"ceil_div", LAB_STEP_CEIL_DIV}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
            return expect(p, '(') && parse_sum(p) && expect(p, ',') && parse_sum(p) && expect(p, ')') &&
                   add(p, (struct lab_expression_step){.kind = functions[i].kind});
    p->at = name;
    return fail(p, "unknown name");
}

static bool parse_name(struct parser *p)
{
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t length = (size_t)(p->at - name);
    for (size_t i = 0; p->names[i] != NULL; i++)
        if (strlen(p->names[i]) == length && strncmp(p->names[i], name, length) == 0)
            return add(p, (struct lab_expression_step){.kind = LAB_STEP_NAME, .name = i});
    return parse_function(p, name, length);
}

static bool parse_primary(struct parser *p)
{
    char c = peek(p);
    if (c == '(')
        return expect(p, '(') && parse_sum(p) && expect(p, ')');
    if (isdigit((unsigned char)c) || c == '.')
        return isdigit((unsigned char)p->at[c == '.']) ? parse_number(p) : fail(p, "expected a digit");
    if (isalpha((unsigned char)c) || c == '_')
        return parse_name(p);
    return fail(p, "expected a number, a name or '('");
}

/* --- operators ---------------------------------------------------------------------------------------------------- */

/* The depth bounds the recursion: every nesting passes here. */
static bool parse_unary(struct parser *p)
{
    if (p->depth == LAB_EXPRESSION_DEPTH_MAX)
        return fail(p, "too deep a nesting");
    p->depth++;
    bool good = accept(p, '-') ? parse_unary(p) && add(p, (struct lab_expression_step){.kind = LAB_STEP_NEGATE})
                               : parse_primary(p);
    p->depth--;
    return good;
}

static bool parse_product(struct parser *p)
{
    static const char operators[] = "*/%";
    static const int kinds[] = {LAB_STEP_MULTIPLY, LAB_STEP_DIVIDE, LAB_STEP_REMAINDER};
    const char *found;
    bool good = parse_unary(p);
    while (good && peek(p) != '\0' && (found = strchr(operators, *p->at)) != NULL) {
        p->at++;
        good = parse_unary(p) && add(p, (struct lab_expression_step){.kind = kinds[found - operators]});
    }
    return good;
}

static bool parse_sum(struct parser *p)
{
    bool good = parse_product(p);
    while (good && (peek(p) == '+' || *p->at == '-')) {
        bool plus = *p->at++ == '+';
        good =
            parse_product(p) && add(p, (struct lab_expression_step){.kind = plus ? LAB_STEP_ADD : LAB_STEP_SUBTRACT});
    }
    return good;
}

bool lab_expression_parse(struct lab_expression *expression, const char *text, const char *const *names,
                          struct lab_error *error)
{
    struct parser parser = {.text = text, .at = text, .names = names, .expression = expression, .error = error};
    expression->count = 0;
    return parse_sum(&parser) && (peek(&parser) == '\0' || fail(&parser, "expected an operator or the end"));
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static double apply(const struct lab_expression_step *step, double a, double b)
{
    switch (step->kind) {
    case LAB_STEP_ADD:
        return a + b;
    case LAB_STEP_SUBTRACT:
        return a - b;
    case LAB_STEP_MULTIPLY:
        return a * b;
    case LAB_STEP_DIVIDE:
        return a / b;
    case LAB_STEP_REMAINDER:
        return fmod(a, b);
    case LAB_STEP_MIN:
        return fmin(a, b);
    case LAB_STEP_MAX:
        return fmax(a, b);
    default:
        return ceil(a / b);
    }
}

double lab_expression_value(const struct lab_expression *expression, const int64_t *values)
{
    double stack[LAB_EXPRESSION_STEPS_MAX] = {0};
    size_t depth = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const struct lab_expression_step *step = &expression->steps[i];
        if (step->kind == LAB_STEP_NUMBER)
            stack[depth++] = step->number;
        else if (step->kind == LAB_STEP_NAME)
            stack[depth++] = (double)values[step->name];
        else if (step->kind == LAB_STEP_NEGATE)
            stack[depth - 1] = -stack[depth - 1];
        else {
            depth--;
            stack[depth - 1] = apply(step, stack[depth - 1], stack[depth]);
        }
    }
    return stack[0];
}
