/* Texts in XML, SVG and HTML. */
#ifndef LAB_XML_TEXT_H
#define LAB_XML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes `size` bytes of a text so that nothing in it is markup, between tags and in quoted values of attributes. What
 * XML cannot have, control characters and bytes that are no UTF-8, becomes U+FFFD. */
void lab_xml_write(FILE *out, const char *text, size_t size);

#endif
