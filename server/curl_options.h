/* What all transfers with libcurl need: the protocols that they may use, and whom they trust. */
#ifndef LAB_CURL_OPTIONS_H
#define LAB_CURL_OPTIONS_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdlib.h>

/* Return false when out of memory, or if this libcurl lacks one of the protocols. libcurl takes their names since 7.85;
 * the bits that it takes before are marked as deprecated there. */

static inline bool lab_curl_allow_http(CURL *handle)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)) == CURLE_OK;
#endif
}

static inline bool lab_curl_allow_smtp(CURL *handle)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps") == CURLE_OK;
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_SMTP | CURLPROTO_SMTPS)) == CURLE_OK;
#endif
}

/* Trusts the authorities of the file that SSL_CERT_FILE names, as curl does; by default those of the system. False when
 * out of memory. */
static inline bool lab_curl_trust(CURL *handle)
{
    const char *file = getenv("SSL_CERT_FILE");
    return file == NULL || curl_easy_setopt(handle, CURLOPT_CAINFO, file) == CURLE_OK;
}

#endif
