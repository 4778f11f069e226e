/* gb.script/1: for a plugin that runs scripts of another language. If a user names a script, `--plugin my.py`, the host
 * loads a copy of the plugin for its language and gives it the script. What `open` registers then belongs to the
 * script, and the script's file name without its ending is the plugin's id. Such a plugin knows no contract beforehand,
 * so it can also ask for the axes of a case. */
#ifndef GPUBENCH_EXT_SCRIPT_H
#define GPUBENCH_EXT_SCRIPT_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_SCRIPT "gb.script/1"

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_script_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns the absolute path of the script, for messages and for files next to it; NULL if the plugin was loaded
   * without a script. May be called in `open` [main-thread]. Valid until `close` returns. */
  const char *(*path)(const gb_host *host);

  /* Returns the text of the script: `*bytes` bytes and a NUL that is not counted. May be called in `open`
   * [main-thread].
   * These are the very bytes whose SHA-256 the run records, even if the file has changed since.
   * NULL and 0 if the plugin was loaded without a script.
   * Valid until `close` returns. */
  const char *(*text)(const gb_host *host, uint64_t *bytes);

  /* Returns the name of the axis with this index in the case's bench; NULL after the last axis. May be called while
   * cases are chosen or run [plan-thread, case-thread].
   * `*type` receives the axis's type (GB_I64, GB_F64 or GB_STR), which says whether to read the axis by `i64`, `f64` or
   * `str` of gb.case/1.
   * Valid until the callback returns. */
  const char *(*axis)(gb_case *c, uint32_t index, uint32_t *type);
} gb_script_ext;

#ifdef __cplusplus
}
#endif
#endif
