/* server/client/output/table.c: aligned columns, and cutting them to the width. */
#include "client/output/table.h"
#include "support/test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

TEST(columns_are_aligned_and_rows_separated)
{
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

TEST(only_columns_that_may_be_cut_are_cut_in_the_middle)
{
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
    lab_table_fit(table, 80);
    char *text = print(table), *row = strchr(text, '\n') + 1;
    assert_int_equal(strcspn(row, "\n"), 80);
    assert_memory_equal(row, id, sizeof id - 1);
    assert_memory_equal(row + 38, "firstx", 6);
    assert_non_null(strstr(row, "x..x"));
    assert_non_null(strstr(row, "xlast  12345\n"));
    free(text);
    lab_table_free(table);
}

TEST(characters_are_not_split_and_short_cells_stay)
{
    struct lab_table *table = lab_table_create();
    char wide[2 * 90 + 1] = "";
    for (size_t i = 0; i < 90; i++)
        memcpy(wide + 2 * i, "\xc3\xa9", 2);
    lab_table_column(table, "a", LAB_COLUMN_CUT);
    lab_table_cell(table, "%s", wide);
    lab_table_cell(table, "short");
    lab_table_fit(table, 80);
    char *text = print(table), *row = strchr(text, '\n') + 1;
    assert_int_equal(strcspn(row, "\n"), 2 * 78 + 2);
    assert_memory_equal(row + 2 * 52, "..\xc3\xa9", 4);
    assert_non_null(strstr(text, "\nshort\n"));
    free(text);
    lab_table_free(table);
}

/* Prints a table of one column that may be cut, which is `width` wide; the caller frees the text. */
static char *print_fitted(const char *const *cells, size_t count, size_t width)
{
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "t", LAB_COLUMN_CUT);
    for (size_t i = 0; i < count; i++)
        lab_table_cell(table, "%s", cells[i]);
    lab_table_fit(table, width);
    char *text = print(table);
    lab_table_free(table);
    return text;
}

TEST(cells_are_cut_where_they_do_not_differ)
{
    static const struct {
        const char *cells[2], *wanted;
    } cases[] = {
        {{"host-0 of AMD EPYC 9004", "host-1 of AMD EPYC 9004"}, "t\nhost-0 ..004\nhost-1 ..004\n"},
        {{"AMD EPYC 9004 device 10", "AMD EPYC 9004 device 11"}, "t\nAMD EPY.. 10\nAMD EPY.. 11\n"},
        {{"AMD EPYC 0 has 512 cores", "AMD EPYC 1 has 512 cores"}, "t\nAMD EPYC 0..\nAMD EPYC 1..\n"},
        /* The column is wider than 12 where no place of the dots will do. */
        {{"a long name before it 0 and one after it", "a long name before it 1 and one after it"},
         "t\n..t 0 and one after it\n..t 1 and one after it\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = print_fitted(cases[i].cells, 2, 12);
        assert_string_equal(text, cases[i].wanted);
        free(text);
    }
}

enum { CELLS = 12, CELL_SIZE = 64 };

/* Texts that are the same but for one or two places, as ids and names of devices are. */
static void make_cells(unsigned *seed, char cells[CELLS][CELL_SIZE])
{
    size_t length = 1 + (size_t)rand_r(seed) % (CELL_SIZE - 1);
    size_t places[2] = {(size_t)rand_r(seed) % length, (size_t)rand_r(seed) % length};
    for (size_t i = 0; i < CELLS; i++) {
        memset(cells[i], '-', length);
        cells[i][length] = '\0';
        cells[i][places[0]] = (char)('a' + i);
        cells[i][places[1]] = (char)('a' + (size_t)rand_r(seed) % CELLS);
        if (i % 4 == 3) /* some are shorter, some look as if they had been cut */
            memcpy(cells[i] + length / 2, "..", length / 2 >= 2 ? 2 : 0);
    }
}

TEST(cells_that_differ_still_differ_at_every_width)
{
    unsigned seed = 1;
    size_t cut = 0;
    for (size_t round = 0; round < 200; round++) {
        char cells[CELLS][CELL_SIZE];
        const char *pointers[CELLS];
        make_cells(&seed, cells);
        for (size_t i = 0; i < CELLS; i++)
            pointers[i] = cells[i];
        for (size_t width = 0; width < CELL_SIZE; width++) {
            char *text = print_fitted(pointers, CELLS, width), *rest = text, *rows[CELLS];
            strsep(&rest, "\n");
            for (size_t i = 0; i < CELLS; i++) {
                rows[i] = strsep(&rest, "\n");
                cut += strcmp(rows[i], cells[i]) != 0;
                for (size_t k = 0; k < i; k++)
                    assert_int_equal(strcmp(rows[i], rows[k]) == 0, strcmp(cells[i], cells[k]) == 0);
            }
            free(text);
        }
    }
    assert_true(cut > 0);
}

/* The values of one row differ too: base and head of a comparison. */
TEST(cells_of_different_columns_still_differ)
{
    struct lab_table *table = lab_table_create();
    lab_table_column(table, "base", LAB_COLUMN_CUT);
    lab_table_column(table, "head", LAB_COLUMN_CUT);
    lab_table_cell(table, "release 580.65.06 of the driver");
    lab_table_cell(table, "release 580.82.07 of the driver");
    lab_table_fit(table, 40);
    char *text = print(table);
    assert_string_equal(text,
                        "base                 head\n"
                        "...06 of the driver  ...07 of the driver\n");
    free(text);
    lab_table_free(table);
}

TEST(a_table_has_any_number_of_columns)
{
    enum { MANY = 40 };
    struct lab_table *table = lab_table_create();
    for (size_t i = 0; i < MANY; i++)
        lab_table_column(table, "c", LAB_COLUMN_RIGHT);
    for (size_t i = 0; i < 2 * MANY; i++)
        lab_table_cell(table, "%zu", i);
    char *text = print(table);
    assert_non_null(strstr(text, " 39\n40 "));
    assert_non_null(strstr(text, " 79\n"));
    free(text);
    lab_table_free(table);
}

TEST(without_a_terminal_the_width_has_no_limit)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(setenv("COLUMNS", "40", 1), 0);
    assert_true(lab_terminal_width(file) == SIZE_MAX);
    fclose(file);
}
