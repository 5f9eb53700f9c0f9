/* server/cli/output/table.c: aligned columns, and cutting them to the width. */
#include "cli/output/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Prints the table; the caller frees the text. */
static char *print(const struct lab_table *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    lab_table_print(table, out);
    fclose(out);
    return text;
}

static void columns_are_aligned_and_rows_separated(void **state)
{
    (void)state;
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "name", LAB_COLUMN_LEFT);
    lab_table_column(table, "n", LAB_COLUMN_RIGHT);
    lab_table_cell(table, "a");
    lab_table_cell(table, "%d", 100);
    lab_table_gap(table);
    lab_table_cell(table, "longer");
    lab_table_cell(table, "%d", 7);
    char *text = print(table);
    assert_string_equal(text,
                        "name      n\n"
                        "a       100\n"
                        "\n"
                        "longer    7\n");
    free(text);
    lab_table_free(table);
}

/* Output that is no terminal is 80 columns wide. On a terminal, the tests of the width are skipped. */
static void need_80_columns(void)
{
    if (lab_terminal_width(stdout) != 80)
        skip();
}

static void only_columns_that_may_be_cut_are_cut_in_the_middle(void **state)
{
    (void)state;
    need_80_columns();
    char id[37] = "", device[101] = "";
    memset(id, 'i', sizeof id - 1);
    memset(device, 'x', sizeof device - 1);
    memcpy(device, "first", 5);
    memcpy(device + sizeof device - 5, "last", 4);
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "id", LAB_COLUMN_LEFT);
    lab_table_column(table, "device", LAB_COLUMN_CUT);
    lab_table_column(table, "n", LAB_COLUMN_RIGHT);
    lab_table_cell(table, "%s", id);
    lab_table_cell(table, "%s", device);
    lab_table_cell(table, "12345");
    lab_table_fit(table);
    char *text = print(table), *row = strchr(text, '\n') + 1;
    assert_int_equal(strcspn(row, "\n"), 80);
    assert_memory_equal(row, id, sizeof id - 1);
    assert_memory_equal(row + 38, "firstx", 6);
    assert_non_null(strstr(row, "x..x"));
    assert_non_null(strstr(row, "xlast  12345\n"));
    free(text);
    lab_table_free(table);
}

static void characters_are_not_split_and_short_cells_stay(void **state)
{
    (void)state;
    need_80_columns();
    struct lab_table *table = lab_table_create();
    char wide[2 * 90 + 1] = "";
    for (size_t i = 0; i < 90; i++)
        memcpy(wide + 2 * i, "\xc3\xa9", 2);
    lab_table_column(table, "a", LAB_COLUMN_CUT);
    lab_table_cell(table, "%s", wide);
    lab_table_cell(table, "short");
    lab_table_fit(table);
    char *text = print(table), *row = strchr(text, '\n') + 1;
    assert_int_equal(strcspn(row, "\n"), 2 * 78 + 2);
    assert_memory_equal(row + 2 * 52, "..\xc3\xa9", 4);
    assert_non_null(strstr(text, "\nshort\n"));
    free(text);
    lab_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned_and_rows_separated),
        cmocka_unit_test(only_columns_that_may_be_cut_are_cut_in_the_middle),
        cmocka_unit_test(characters_are_not_split_and_short_cells_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
