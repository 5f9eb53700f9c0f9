/* server/notices/message.c: texts that people wrote are neither markup nor headers, whatever they contain. */
#include "notices/message.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static char *body_of(const char *kind, const char *title, const char *text)
{
    const struct lab_channel_row channel = {.kind = kind, .sender = "lab@example.org", .recipient = "ada@example.org"};
    const struct lab_notice_row notice = {.delivery = "0199-1", .created_at = 1767225600000000};
    json_t *content = json_pack("{s:s, s:s}", "title", title, "text", text);
    char *body = lab_message_body(&channel, &notice, content);
    json_decref(content);
    assert_non_null(body);
    return body;
}

TEST(test_json)
{
    json_t *webhook, *slack;
    char *body = body_of("webhook", "a \"b\"\n", "<x>");
    assert_non_null(webhook = json_loads(body, 0, NULL));
    assert_string_equal(json_string_value(json_object_get(webhook, "title")), "a \"b\"\n");
    assert_string_equal(json_string_value(json_object_get(webhook, "delivery")), "0199-1");
    json_decref(webhook);
    free(body);
    body = body_of("slack", "<!channel> & <https://evil|x>", "*bold* <!here>");
    assert_non_null(slack = json_loads(body, 0, NULL));
    assert_string_equal(json_string_value(json_object_get(slack, "text")),
                        "&lt;!channel&gt; &amp; &lt;https://evil|x&gt;");
    assert_non_null(strstr(body, "\"type\":\"plain_text\""));
    assert_null(strstr(body, "mrkdwn"));
    json_decref(slack);
    free(body);
    body = body_of("matrix", "<b>x</b>", "y");
    assert_string_equal(body, "{\"msgtype\":\"m.text\",\"body\":\"<b>x</b>\\ny\"}");
    free(body);
}

TEST(test_mail)
{
    char *body = body_of(
        "email",
        "x\r\nBcc: eve@example.org\r\n\r\nhello \xd1\x81\xd1\x82\xd0\xb5\xd0\xbd\xd0\xb4 and a long rest of a title, more than a line",
        "\r\n.\r\nMAIL FROM:<eve@example.org>");
    assert_null(strstr(body, "Bcc"));
    assert_null(strstr(body, "eve"));
    assert_non_null(
        strstr(body, "Date: Thu, 01 Jan 2026 00:00:00 +0000\r\nFrom: lab@example.org\r\nTo: ada@example.org\r\n"));
    assert_non_null(strstr(body, "\r\nSubject: =?UTF-8?B?"));
    for (const char *line = body; *line != '\0'; line = strstr(line, "\r\n") + 2) {
        assert_non_null(strstr(line, "\r\n"));
        assert_true(strcspn(line, "\r\n") <= 90);
        assert_true(line[0] != '.');
    }
    free(body);
}

/* As Python's hmac.new(b"key", b'1767225600.{"a":1}', "sha256") has it. */
TEST(test_signature)
{
    char signature[LAB_SIGNATURE_SIZE];
    lab_message_sign("key", "1767225600", "{\"a\":1}", signature);
    assert_string_equal(signature, "sha256=80f7b75f8618b9b24d72673996a625f1a43f7387a26b6739d667431724fe4d23");
}
