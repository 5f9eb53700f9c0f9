/* kernels/compiler/includes.c: which names a text includes, and how relative names are resolved. */
#include "compiler/includes.h"
#include "support/test.h"

#include <string.h>

/* Checks the names in `text`; `expected` ends with NULL, and begins a quoted name with a quote. */
static void check(const char *text, const char *const *expected)
{
    struct lab_include_search search = {text, false};
    struct lab_include include;
    for (; *expected != NULL; expected++) {
        assert_true(lab_include_next(&search, &include));
        assert_string_equal(include.name, *expected + (**expected == '"'));
        assert_int_equal(include.quoted, **expected == '"');
    }
    assert_false(lab_include_next(&search, &include));
}

TEST(names_are_found_in_every_spelling)
{
    check("#include <a.h>\n  #  include\t\"b.h\"  // why\n#include<c>\n#include_next <d.h>",
          (const char *const[]){"a.h", "\"b.h", "c", "d.h", NULL});
    check("#if defined(X) && __has_include(<e.h>)\n#elif __has_include(\"f.h\")\n",
          (const char *const[]){"e.h", "\"f.h", NULL});
}

TEST(names_in_macros_and_continued_directives_are_found)
{
    check("#define H <a.h>\n#include H\n#define S(x) \"b.h\"\n#if HAS(<c.h>) || HAS(\"d.h\")\n",
          (const char *const[]){"a.h", "\"b.h", "c.h", "\"d.h", NULL});
    check("#include \\\n <a.h>\n#include \\\r\n\"b.h\"\r\n# /* \\ */ include /* why */ <c.h>",
          (const char *const[]){"a.h", "\"b.h", "c.h", NULL});
}

TEST(other_lines_name_nothing)
{
    check("int include; // #include <a.h>\n#define X 1\n#include X\n#include\n\"c.h\"\n\\\n<d.h>\n",
          (const char *const[]){NULL});
    check("#include <a.h\n#include \"\"\n#if a < b && c > d\n#error \"not a name\"\n#include",
          (const char *const[]){NULL});
    check("", (const char *const[]){NULL});
}

TEST(a_name_that_is_too_long_is_skipped)
{
    char text[LAB_INCLUDE_NAME_MAX + 64] = "#include <";
    memset(text + 10, 'x', LAB_INCLUDE_NAME_MAX);
    strcat(text, ">\n#include <a.h>");
    check(text, (const char *const[]){"a.h", NULL});
}

TEST(relative_names_are_resolved)
{
    static const struct {
        const char *from, *name, *path; /* path NULL: refused */
    } cases[] = {
        {"", "a.h", "a.h"},
        {"d/e.h", "a.h", "d/a.h"},
        {"d/e/f.h", "../a.h", "d/a.h"},
        {"d/e.h", "./a//b.h", "d/a/b.h"},
        {"d/e.h", "../../a.h", NULL},
        {"d/e.h", "/etc/passwd", NULL},
        {"", "../etc/passwd", NULL},
        {"", "a/../../b", NULL},
        {"d/e.h", "..", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[LAB_INCLUDE_NAME_MAX];
        bool good = lab_include_resolve(cases[i].from, cases[i].name, path);
        assert_int_equal(good, cases[i].path != NULL);
        if (good)
            assert_string_equal(path, cases[i].path);
    }
}

TEST(a_path_that_is_too_long_is_refused)
{
    char name[2 * LAB_INCLUDE_NAME_MAX], path[LAB_INCLUDE_NAME_MAX];
    memset(name, 'x', sizeof name);
    name[LAB_INCLUDE_NAME_MAX - 1] = '\0';
    assert_true(lab_include_resolve("", name, path));
    assert_false(lab_include_resolve("d/e.h", name, path));
    name[LAB_INCLUDE_NAME_MAX - 1] = 'x';
    name[LAB_INCLUDE_NAME_MAX] = '\0';
    assert_false(lab_include_resolve("", name, path));
}
