/* gb.option/2: settings of a plugin that are not axes: where its data lies, how many threads it may use. The user gives
 * them as `--option PLUGIN.NAME=VALUE` or in a suite. In a run, a setting has the same value for all cases. The values
 * are recorded with the run, and a comparison of runs with different values says so. */
#ifndef GPUBENCH_EXT_OPTION_H
#define GPUBENCH_EXT_OPTION_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_OPTION "gb.option/2"

/* The plugin gives this struct to `declare`, which copies it; later versions may append members. Since 1.0. */
typedef struct gb_option {
  uint32_t struct_size;
  uint32_t type;       /* GB_I64, GB_F64 or GB_STR */
  const char *name;    /* a name: "threads" */
  const char *unit;    /* "B"; NULL: none */
  const char *summary; /* one line; may be NULL */
  /* for GB_STR every legal value, "read,mmap"; for numbers the least and the greatest, "1:64" or ":64"; NULL: any
   * value */
  const char *choices;
  /* the default, written as on the command line. A number may end in k, M or G (powers of 1024). A text may be empty if
   * it has no `choices`. The default has at most 511 bytes, and a user's value at most 4095. */
  const char *value;
} gb_option;

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_option_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Declares a setting. May be called in `open`, at most 32 times per plugin [main-thread]. Returns GB_EINVAL with a
   * recorded reason if the setting is refused; `open` should then return that status. If the user's value does not fit,
   * the host refuses it before anything runs, with exit code 2. */
  gb_status (*declare)(const gb_host *host, gb_registry *registry, const gb_option *option);

  /* Return the value that a setting has in this run. A plugin can only ask for its own settings. May be called while
   * cases are chosen or run, but not on other threads [plan-thread, case-thread]. The value is not known in `open`. A
   * setting that was not declared, or has another type, records a failure on the case, which fails the callback
   * whatever it returns, and gives 0 (`str`: an empty string). The text of `str` is valid until `close` returns. */
  int64_t (*i64)(gb_case *c, const char *name);
  double (*f64)(gb_case *c, const char *name);
  const char *(*str)(gb_case *c, const char *name);
} gb_option_ext;

#ifdef __cplusplus
}
#endif
#endif
