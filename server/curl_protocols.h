/* The protocols that a transfer may use. libcurl takes their names since 7.85; the bits that it takes before are marked as
 * deprecated there.
 */
#ifndef LAB_CURL_PROTOCOLS_H
#define LAB_CURL_PROTOCOLS_H

#include <curl/curl.h>
#include <stdbool.h>

/* Return false when out of memory, or if this libcurl lacks one of the protocols. */

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

#endif
