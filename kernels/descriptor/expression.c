/* Parses expressions by recursive descent. */
#include "descriptor/expression.h"

#include "core/number.h"
#include "core/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct parser {
    const char *text, *at;
    const char *const *names;
    struct lab_expression *expression;
    struct lab_error *error;
    size_t depth;
};

static bool parse_shift(struct parser *p);

static bool fail(const struct parser *p, const char *what)
{
    if (*p->at == '^')
        what = "'^' is no operator (2 to the power of 20 is 1 << 20)";
    return lab_error_set(p->error, LAB_ERROR_BAD_EXPRESSION, "", "%s at character %zu of \"%.80s\"", what,
                         lab_utf8_count(p->text, (size_t)(p->at - p->text)) + 1, p->text);
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

static bool is_name(const struct parser *p, size_t index, const char *text, size_t length)
{
    return strlen(p->names[index]) == length && strncmp(p->names[index], text, length) == 0;
}

static struct lab_number number_of(double value, bool is_real)
{
    is_real = is_real || value != floor(value) || fabs(value) > LAB_INTEGER_MAX;
    return (struct lab_number){.is_real = is_real, .real = value, .integer = is_real ? 0 : (int64_t)value};
}

/* A size. A word that could be its unit or the name of an axis ("4k") is refused. */
static bool parse_size(struct parser *p)
{
    double value;
    size_t unit, length = lab_size_read(p->at, &value, &unit);
    if (length == 0)
        return fail(p, "expected a decimal number");
    if (!isfinite(value))
        return fail(p, "too large a number");
    bool has_point = memchr(p->at, '.', length) != NULL, has_unit = unit < length;
    for (size_t i = 0; has_unit && p->names[i] != NULL; i++)
        if (is_name(p, i, p->at + unit, length - unit)) {
            p->at += unit;
            return fail(p, "expected an operator before the name of an axis");
        }
    p->at += length;
    return add(
        p, (struct lab_expression_step){.kind = LAB_STEP_NUMBER, .number = number_of(value, has_point && !has_unit)});
}

static bool parse_function(struct parser *p, const char *name, size_t length)
{
    static const struct {
        const char *name;
        int kind;
    } functions[] = {{"min", LAB_STEP_MIN}, {"max", LAB_STEP_MAX}, {"ceil_div", LAB_STEP_CEIL_DIV}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
            return expect(p, '(') && parse_shift(p) && expect(p, ',') && parse_shift(p) && expect(p, ')') &&
                   add(p, (struct lab_expression_step){.kind = functions[i].kind});
    p->at = name;
    return fail(p, "not the name of an axis");
}

static bool parse_name(struct parser *p)
{
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t length = (size_t)(p->at - name);
    for (size_t i = 0; p->names[i] != NULL; i++)
        if (is_name(p, i, name, length))
            return add(p, (struct lab_expression_step){.kind = LAB_STEP_NAME, .name = i});
    return parse_function(p, name, length);
}

static bool parse_primary(struct parser *p)
{
    char c = peek(p);
    if (c == '(')
        return expect(p, '(') && parse_shift(p) && expect(p, ')');
    if (isdigit((unsigned char)c) || c == '.')
        return isdigit((unsigned char)p->at[c == '.']) ? parse_size(p) : fail(p, "expected a digit");
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

static bool parse_shift(struct parser *p)
{
    bool good = parse_sum(p);
    while (good && (peek(p) == '<' || *p->at == '>') && p->at[1] == *p->at) {
        bool left = *p->at == '<';
        p->at += 2;
        good = parse_sum(p) &&
               add(p, (struct lab_expression_step){.kind = left ? LAB_STEP_SHIFT_LEFT : LAB_STEP_SHIFT_RIGHT});
    }
    return good;
}

struct lab_expression lab_expression_of(double number)
{
    return (struct lab_expression){.count = 1,
                                   .steps = {{.kind = LAB_STEP_NUMBER, .number = number_of(number, false)}}};
}

bool lab_expression_parse(struct lab_expression *expression, const char *text, const char *const *names,
                          struct lab_error *error)
{
    struct parser parser = {.text = text, .at = text, .names = names, .expression = expression, .error = error};
    double number;
    expression->count = 0;
    if (strchr(text, '^') != NULL && lab_size_parse(text, &number) && isfinite(number)) {
        *expression = lab_expression_of(number);
        return true;
    }
    return parse_shift(&parser) && (peek(&parser) == '\0' || fail(&parser, "expected an operator or the end"));
}
