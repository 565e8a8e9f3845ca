/* Reads the XML of S3: elements and text. Strict and bounded: no document types, no comments, at
 * most 8 levels, 8 KiB of text in an element. */
#ifndef STORE_S3_XML_H
#define STORE_S3_XML_H

#include <stddef.h>
#include <swathe/swathe.h>

/* Called at the end of every element, with its path such as "ListBucketResult/Contents/Key" and the
 * text between its tags, without that of inner elements. */
typedef swathe_status xml_visit(void *user, const char *path, const char *text);

/* Returns SWATHE_ERROR_INPUT, without a record, if the text is not what this reads; otherwise what
 * `visit` returned first that is not SWATHE_OK. */
swathe_status store_xml_walk(const char *bytes, size_t size, xml_visit *visit, void *user);

#endif
