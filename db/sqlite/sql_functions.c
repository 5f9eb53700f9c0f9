/* The functions that the store adds to SQL. The tables contain results of earlier calls: a function that is changed so
 * that it returns something else needs a migration that recomputes them.
 */
#include "store_internal.h"

#include "core/shape.h"

#include <gnutls/crypto.h>
#include <stdlib.h>
#include <string.h>

/* run_number(id): the number of the run with this id; NULL when it is not a UUIDv7. */
static void run_number(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *id = (const char *)sqlite3_value_text(values[0]);
    int64_t number;
    if (id != NULL && lab_run_id_number(id, &number))
        sqlite3_result_int64(context, number);
}

/* Returns text that was allocated with malloc; NULL: out of memory. */
static void return_text(sqlite3_context *context, char *text)
{
    if (text == NULL)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text, -1, free);
}

/* canonical_axes(json): see lab_canonical_axes. */
static void canonical_axes(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *axes = (const char *)sqlite3_value_text(values[0]);
    if (axes != NULL)
        return_text(context, lab_canonical_axes(axes));
}

/* searchable(text): see lab_searchable. */
static void searchable(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    if (text != NULL)
        return_text(context, lab_searchable(text));
}

enum { DIGEST_SIZE = 32 };

/* Computes the SHA-256 of a text. Returns false when the text is NULL, or with the function's error set. */
static bool digest_of(sqlite3_context *context, sqlite3_value *value, unsigned char digest[DIGEST_SIZE])
{
    const void *text = sqlite3_value_text(value);
    if (text == NULL)
        return false;
    bool computed = gnutls_hash_fast(GNUTLS_DIG_SHA256, text, (size_t)sqlite3_value_bytes(value), digest) == 0;
    if (!computed)
        sqlite3_result_error(context, "SHA-256 is not available", -1);
    return computed;
}

/* has_text(text, query): see lab_search_matches; NULL instead of -1. */
static void has_text(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    const char *query = (const char *)sqlite3_value_text(values[1]);
    int matches = text != NULL && query != NULL ? lab_search_matches(text, query) : -1;
    if (matches >= 0)
        sqlite3_result_int(context, matches);
}

/* sha256(text): the digest as a blob. */
static void sha256(sqlite3_context *context, int count, sqlite3_value **values)
{
    unsigned char digest[DIGEST_SIZE];
    (void)count;
    if (digest_of(context, values[0], digest))
        sqlite3_result_blob(context, digest, DIGEST_SIZE, SQLITE_TRANSIENT);
}

/* short_digest(text): the first 8 bytes of its SHA-256 as an integer. */
static void short_digest(sqlite3_context *context, int count, sqlite3_value **values)
{
    unsigned char digest[DIGEST_SIZE];
    uint64_t bits = 0;
    (void)count;
    if (!digest_of(context, values[0], digest))
        return;
    for (size_t i = 0; i < sizeof bits; i++)
        bits = bits << 8 | digest[i];
    sqlite3_result_int64(context, (int64_t)bits);
}

/* sample_shape(samples): the member `shape` of a measurement with these samples, a blob of little-endian float64; NULL:
 * none. */
static void sample_shape(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    size_t samples = (size_t)sqlite3_value_bytes(values[0]) / sizeof(double);
    double *copy = samples > 0 ? malloc(samples * sizeof *copy) : NULL;
    if (copy != NULL) {
        lab_samples_copy(copy, sqlite3_value_blob(values[0]), samples);
        return_text(context, lab_shape_text(copy, samples));
    } else if (samples > 0) {
        sqlite3_result_error_nomem(context);
    }
    free(copy);
}

bool lab_functions_register(sqlite3 *db)
{
    static const struct {
        const char *name;
        int arguments;
        void (*function)(sqlite3_context *context, int count, sqlite3_value **values);
    } functions[] = {
        {"run_number", 1, run_number},
        {"canonical_axes", 1, canonical_axes},
        {"searchable", 1, searchable},
        {"has_text", 2, has_text},
        {"sha256", 1, sha256},
        {"short_digest", 1, short_digest},
        {"sample_shape", 1, sample_shape},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                       functions[i].function, NULL, NULL, NULL) != SQLITE_OK)
            return false;
    return true;
}
