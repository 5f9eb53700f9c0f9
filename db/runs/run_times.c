/* Finds runs by their time of creation without an index of times. Times grow with the numbers of runs, except at the
 * runs that are marked with clock_set_back: between two of these, a binary search over the numbers finds a time.
 */
#include "store_internal.h"

/* How many marked runs are looked at. With more of them, the range is not narrowed. */
enum { STEPS_MAX = 16 };

/* Returns the least number from which on all runs below range.high were created at `at` or later. Times must grow
 * within the range. */
static int64_t first_from_time(struct lab_db *connection, int64_t at, struct lab_number_range range)
{
    static const char sql[] =
        "SELECT number, created_at FROM run WHERE number >= ?1 AND number < ?2 ORDER BY number LIMIT 1";
    while (range.low < range.high) {
        int64_t middle = range.low + (range.high - range.low) / 2;
        sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_integer(middle), lab_integer(range.high)));
        if (!lab_query_next(connection, statement)) {
            range.high = middle;
            continue;
        }
        if (sqlite3_column_int64(statement, 1) >= at)
            range.high = middle;
        else
            range.low = sqlite3_column_int64(statement, 0) + 1;
        lab_query_reset(statement);
    }
    return range.low;
}

/* Reads the numbers at which times do not grow, and appends the end. Returns how many there are, 0 for too many. */
static size_t read_steps(struct lab_db *connection, int64_t steps[STEPS_MAX + 1])
{
    static const char sql[] = "SELECT number FROM run WHERE clock_set_back = 1 ORDER BY number LIMIT ?1";
    size_t count = 0;
    sqlite3_stmt *statement = lab_query(connection, sql, LAB_VALUES(lab_integer(STEPS_MAX + 1)));
    while (lab_query_next(connection, statement)) {
        if (count == STEPS_MAX) {
            lab_query_reset(statement);
            return 0;
        }
        steps[count++] = sqlite3_column_int64(statement, 0);
    }
    steps[count++] = LAB_RUN_NUMBER_END;
    return count;
}

void lab_range_narrow(struct lab_db *connection, int64_t since, int64_t until, struct lab_number_range *range)
{
    int64_t steps[STEPS_MAX + 1];
    if (since == LAB_NO_TIME && until == LAB_NO_TIME)
        return;
    size_t count = read_steps(connection, steps);
    struct lab_number_range found = {LAB_RUN_NUMBER_END, 0}, part = {0, 0};
    for (size_t i = 0; i < count; i++, part.low = part.high) {
        part.high = steps[i];
        int64_t low = since == LAB_NO_TIME ? part.low : first_from_time(connection, since, part);
        int64_t high = until == LAB_NO_TIME ? part.high : first_from_time(connection, until, part);
        if (low >= high)
            continue;
        found.low = low < found.low ? low : found.low;
        found.high = high > found.high ? high : found.high;
    }
    if (count > 0) {
        range->low = found.low > range->low ? found.low : range->low;
        range->high = found.high < range->high ? found.high : range->high;
    }
}
