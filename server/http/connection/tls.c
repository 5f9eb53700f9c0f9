#include "tls.h"

#include <gnutls/x509.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct lab_tls_pair {
    gnutls_certificate_credentials_t credentials;
    size_t uses; /* by connections, and one while it is the current pair */
};

struct lab_tls {
    const char *certificate_path, *key_path;
    gnutls_datum_t certificate, key; /* the first pair as PEM texts; from gnutls_malloc, NUL-terminated */
    pthread_mutex_t lock;            /* for `current` and the uses of all pairs */
    struct lab_tls_pair *current;
};

const char lab_tls_priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

/* Sets certificate and key from PEM texts. Returns GnuTLS's error. gnutls_certificate_set_x509_key_file would do, but
 * leaks memory when a certificate is cut off (3.7). */
static int set_pair(gnutls_certificate_credentials_t credentials, const gnutls_datum_t *certificate,
                    const gnutls_datum_t *key_text)
{
    gnutls_x509_crt_t *chain = NULL;
    gnutls_x509_privkey_t key = NULL;
    unsigned count = 0;
    int result =
        gnutls_x509_crt_list_import2(&chain, &count, certificate, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT);
    if (result >= 0)
        result = gnutls_x509_privkey_init(&key);
    if (result >= 0)
        result = gnutls_x509_privkey_import2(key, key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (result >= 0)
        result = gnutls_certificate_set_x509_key(credentials, chain, (int)count, key);
    if (key != NULL)
        gnutls_x509_privkey_deinit(key);
    for (unsigned i = 0; i < count; i++)
        gnutls_x509_crt_deinit(chain[i]);
    gnutls_free(chain);
    return result;
}

static void free_key(gnutls_datum_t *key)
{
    if (key->data != NULL)
        gnutls_memset(key->data, 0, key->size);
    gnutls_free(key->data);
}

/* NULL with *error when the texts are not valid. */
static struct lab_tls_pair *make_pair(const struct lab_tls *tls, const gnutls_datum_t *certificate,
                                      const gnutls_datum_t *key, struct lab_error *error)
{
    struct lab_tls_pair *pair = calloc(1, sizeof *pair);
    int result = GNUTLS_E_MEMORY_ERROR;
    if (pair != NULL && (result = gnutls_certificate_allocate_credentials(&pair->credentials)) == 0) {
        result = set_pair(pair->credentials, certificate, key);
        if (result >= 0) {
            pair->uses = 1;
            return pair;
        }
        gnutls_certificate_free_credentials(pair->credentials);
    }
    free(pair);
    lab_error_set(error, LAB_ERROR_BAD_CERTIFICATE, "--tls-cert",
                  "The certificate %s and the key %s cannot be used: %s", tls->certificate_path, tls->key_path,
                  gnutls_strerror(result));
    return NULL;
}

static bool load_text(const char *path, gnutls_datum_t *text, struct lab_error *error)
{
    int result = gnutls_load_file(path, text);
    return result == 0 || lab_error_set(error, LAB_ERROR_BAD_CERTIFICATE, "--tls-cert", "Cannot read %s: %s", path,
                                        gnutls_strerror(result));
}

struct lab_tls *lab_tls_create(const char *certificate, const char *key, struct lab_error *error)
{
    struct lab_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) {
        lab_error_set(error, LAB_ERROR_OUT_OF_MEMORY, "", "Out of memory.");
        return NULL;
    }
    pthread_mutex_init(&tls->lock, NULL);
    tls->certificate_path = certificate;
    tls->key_path = key;
    if (load_text(certificate, &tls->certificate, error) && load_text(key, &tls->key, error) &&
        (tls->current = make_pair(tls, &tls->certificate, &tls->key, error)) != NULL)
        return tls;
    lab_tls_free(tls);
    return NULL;
}

void lab_tls_free(struct lab_tls *tls)
{
    if (tls == NULL)
        return;
    lab_tls_release(tls, tls->current);
    gnutls_free(tls->certificate.data);
    free_key(&tls->key);
    pthread_mutex_destroy(&tls->lock);
    free(tls);
}

bool lab_tls_reload(struct lab_tls *tls, struct lab_error *error)
{
    gnutls_datum_t certificate = {0}, key = {0};
    struct lab_tls_pair *pair = NULL;
    if (load_text(tls->certificate_path, &certificate, error) && load_text(tls->key_path, &key, error))
        pair = make_pair(tls, &certificate, &key, error);
    gnutls_free(certificate.data);
    free_key(&key);
    if (pair == NULL)
        return false;
    pthread_mutex_lock(&tls->lock);
    struct lab_tls_pair *before = tls->current;
    tls->current = pair;
    pthread_mutex_unlock(&tls->lock);
    lab_tls_release(tls, before);
    return true;
}

const char *lab_tls_certificate(const struct lab_tls *tls)
{
    return (const char *)tls->certificate.data;
}

const char *lab_tls_key(const struct lab_tls *tls)
{
    return (const char *)tls->key.data;
}

struct lab_tls_pair *lab_tls_use(struct lab_tls *tls, gnutls_session_t session)
{
    pthread_mutex_lock(&tls->lock);
    struct lab_tls_pair *pair = tls->current;
    pair->uses++;
    pthread_mutex_unlock(&tls->lock);
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, pair->credentials);
    return pair;
}

void lab_tls_release(struct lab_tls *tls, struct lab_tls_pair *pair)
{
    if (pair == NULL)
        return;
    pthread_mutex_lock(&tls->lock);
    bool unused = --pair->uses == 0;
    pthread_mutex_unlock(&tls->lock);
    if (!unused)
        return;
    gnutls_certificate_free_credentials(pair->credentials);
    free(pair);
}
