/* Reads numbers with units. */
#include "core/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

/* The length of the decimal at the beginning of a text, 0 if there is none. "0x10" begins with none. */
static size_t decimal_length(const char *text)
{
    size_t whole = strspn(text, digits), length = whole, fraction = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return 0;
    if (text[length] == '.') {
        fraction = strspn(text + length + 1, digits);
        length += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
        size_t exponent = strspn(text + length + 1 + sign, digits);
        length += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return length;
}

/* The factor of a unit of that length, 0 if it is none. */
static long double factor_of(const char *unit, size_t length)
{
    static const char letters[] = "kmgt";
    static const long double decimal[] = {1e3L, 1e6L, 1e9L, 1e12L};
    char lower[4] = "";
    if (length == 0 || length >= sizeof lower)
        return 0;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)unit[i]);
    const char *letter = strchr(letters, lower[0]), *rest = lower + 1;
    if (letter == NULL)
        return strcmp(lower, "b") == 0;
    if (strcmp(rest, "b") == 0)
        return decimal[letter - letters];
    bool binary = rest[0] == '\0' || strcmp(rest, "i") == 0 || strcmp(rest, "ib") == 0;
    return binary ? ldexpl(1, 10 * (int)(letter - letters + 1)) : 0;
}

size_t lab_size_read(const char *text, double *value, size_t *unit)
{
    size_t length = decimal_length(text);
    *value = 0;
    *unit = length;
    if (length == 0)
        return 0;
    const char *word = text + length + (text[length] == ' ');
    size_t letters = 0;
    while (isalnum((unsigned char)word[letters]) || word[letters] == '_')
        letters++;
    long double factor = factor_of(word, letters);
    if (factor > 0) {
        *unit = (size_t)(word - text);
        length = *unit + letters;
    }
    /* The product of a long double has more digits than a double, so that "1.005KB" is 1005. */
    *value = (double)(strtold(text, NULL) * (factor > 0 ? factor : 1));
    return length;
}

/* Parses "BASE^EXPONENT" or "BASE<<COUNT". Sets *end behind it; false if the text begins with none. */
static bool read_power(const char *text, double *value, const char **end)
{
    const int most = 1100; /* beyond the exponents of a double */
    size_t length = strspn(text, digits);
    const char *operation = text + length + strspn(text + length, " ");
    bool shift = strncmp(operation, "<<", 2) == 0;
    const char *right = operation + (shift ? 2 : 1);
    if (length == 0 || !(shift || *operation == '^'))
        return false;
    right += strspn(right, " ");
    size_t count = strspn(right, digits);
    double base = strtod(text, NULL), given = count > 0 ? strtod(right, NULL) : 0;
    int exponent = given < most ? (int)given : most;
    *value = shift ? ldexp(base, exponent) : 1;
    for (int i = 0; !shift && i < exponent; i++)
        *value *= base;
    *end = right + count;
    return count > 0;
}

bool lab_size_parse(const char *text, double *value)
{
    text += strspn(text, " ");
    const char *end;
    if (!read_power(text, value, &end)) {
        size_t sign = *text == '-' || *text == '+', unit, length = lab_size_read(text + sign, value, &unit);
        if (length == 0)
            return false;
        *value = *text == '-' ? -*value : *value;
        end = text + sign + length;
    }
    return end[strspn(end, " ")] == '\0';
}

bool lab_decimal_parse(const char *text, double *value)
{
    size_t sign = *text == '-' || *text == '+', length = decimal_length(text + sign);
    if (length == 0 || text[sign + length] != '\0')
        return false;
    *value = strtod(text, NULL);
    return true;
}
