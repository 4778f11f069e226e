/* gb.script/1: for a plugin that runs scripts of another language. Where a user names a script, `--plugin my.py`, the
 * host loads a copy of the plugin that is for its language and hands it the script: what `open` registers is the
 * script's, and the file's name without its ending is the plugin's id. Such a plugin knows no contract beforehand, so
 * it asks for the axes of a case as well. */
#ifndef GPUBENCH_EXT_SCRIPT_H
#define GPUBENCH_EXT_SCRIPT_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_SCRIPT "gb.script/1"

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_script_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Absolute path of the script, for messages and for what lies beside it; NULL where the plugin was loaded without
   * one. [main, in open] Valid until `close` returns. */
  const char *(*path)(const gb_host *host);

  /* What stands in it, `*bytes` of them and a NUL that is not counted: the very bytes whose SHA-256 the run records,
   * whatever has become of the file. NULL and 0 without a script. [main, in open] Valid as long. */
  const char *(*text)(const gb_host *host, uint64_t *bytes);

  /* Name of an axis of the case's bench, in the bench's order, and in `*type` its GB_I64, GB_F64 or GB_STR: for
   * gb.case/1. NULL beyond the last. [plan, case] Valid until the callback returns. */
  const char *(*axis)(gb_case *c, uint32_t index, uint32_t *type);
} gb_script_ext;

#ifdef __cplusplus
}
#endif
#endif
