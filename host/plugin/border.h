/* Fields of a plugin's structs into the host's own memory. `what` is how messages begin. */
#ifndef PLUGIN_BORDER_H
#define PLUGIN_BORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What cannot be taken because a later minor has made it: a variant's flag, math or tail, of which the variant is the
 * only victim. Below 0: refused. */
enum { ABI_NEWER = 1 };

/* A struct into `own`, which is zero; `least` is its size in ABI 1.0. ABI_NEWER where it has in use what this host does
 * not know. */
int border_copy(void *own, size_t own_size, size_t least, const void *theirs, uint32_t theirs_size, const char *what,
                struct err *err);
/* For every struct but the entry, whose first word is the magic. */
int border_copy_sized(void *own, size_t own_size, size_t least, const void *theirs, const char *what, struct err *err);

int border_reserved(uint32_t reserved, const char *what, struct err *err);
/* A name, into ID_SIZE bytes. */
int border_id(char *to, const char *from, const char *what, struct err *err);
/* Any text, made printable; NULL is empty. */
int border_text(char *to, size_t size, const char *from, const char *what, struct err *err);

#endif
