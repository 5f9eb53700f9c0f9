#include "tls.h"

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

/* NULL with *error when the files are not valid. */
static struct lab_tls_pair *read_pair(const struct lab_tls *tls, struct lab_error *error)
{
    struct lab_tls_pair *pair = calloc(1, sizeof *pair);
    int result = GNUTLS_E_MEMORY_ERROR;
    if (pair != NULL && (result = gnutls_certificate_allocate_credentials(&pair->credentials)) == 0) {
        result = gnutls_certificate_set_x509_key_file(pair->credentials, tls->certificate_path, tls->key_path,
                                                      GNUTLS_X509_FMT_PEM);
        if (result >= 0) {
            pair->uses = 1;
            return pair;
        }
        gnutls_certificate_free_credentials(pair->credentials);
    }
    free(pair);
    lab_error_set(error, "bad-certificate", "--tls-cert", "The certificate %s and the key %s cannot be used: %s",
                  tls->certificate_path, tls->key_path, gnutls_strerror(result));
    return NULL;
}

static bool load_text(const char *path, gnutls_datum_t *text, struct lab_error *error)
{
    int result = gnutls_load_file(path, text);
    return result == 0 ||
           lab_error_set(error, "bad-certificate", "--tls-cert", "Cannot read %s: %s", path, gnutls_strerror(result));
}

struct lab_tls *lab_tls_open(const char *certificate, const char *key, struct lab_error *error)
{
    struct lab_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) {
        lab_error_set(error, "out-of-memory", "", "Out of memory.");
        return NULL;
    }
    pthread_mutex_init(&tls->lock, NULL);
    tls->certificate_path = certificate;
    tls->key_path = key;
    if (load_text(certificate, &tls->certificate, error) && load_text(key, &tls->key, error) &&
        (tls->current = read_pair(tls, error)) != NULL)
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
    if (tls->key.data != NULL)
        gnutls_memset(tls->key.data, 0, tls->key.size);
    gnutls_free(tls->key.data);
    pthread_mutex_destroy(&tls->lock);
    free(tls);
}

bool lab_tls_reload(struct lab_tls *tls, struct lab_error *error)
{
    struct lab_tls_pair *pair = read_pair(tls, error);
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
