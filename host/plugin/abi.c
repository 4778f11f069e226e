/* Copies the structs that plugins pass to the host into structs of the host, and checks them. This is the only code
 * that knows the layout of the plugins' structs. Runs no plugin code. */
#include "plugin/abi.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/axis.h"
#include "model/contract_id.h"
#include "model/precision.h"
#include "model/rule.h"

/* Largest size of a plugin's struct that is accepted. A larger size can only be a mistake, and reading that many bytes
 * might crash. */
enum { STRUCT_MOST = 1 << 16 };

/* Copies the plugin's struct `theirs` into `own`, of which all bytes must be zero before. `least` is the size of the
 * struct in ABI 1.0. Returns ABI_NEWER if the struct uses members that this host does not know. */
static int border_copy(void *own, size_t own_size, size_t least, const void *theirs, uint32_t theirs_size,
                       const char *what, struct err *err) {
  if (theirs_size < least)
    return err_set(err, EXIT_FAILED, "%s: struct_size is %u, ABI 1.0 has %zu", what, theirs_size, least);
  if (theirs_size > STRUCT_MOST)
    return err_set(err, EXIT_FAILED, "%s: struct_size is %u, at most %d", what, theirs_size, STRUCT_MOST);
  memcpy(own, theirs, theirs_size < own_size ? theirs_size : own_size);
  const unsigned char *bytes = theirs;
  for (size_t i = own_size; i < theirs_size; i++)
    if (bytes[i] != 0) {
      err_set(err, EXIT_FAILED, "%s: built for a newer ABI: byte %zu of %u is not zero, this host knows %zu bytes",
              what, i, theirs_size, own_size);
      return ABI_NEWER;
    }
  return 0;
}

/* Copies a struct that begins with its own size. All structs of plugins do, except gb_plugin, which begins with a magic
 * number. */
static int border_copy_sized(void *own, size_t own_size, size_t least, const void *theirs, const char *what,
                             struct err *err) {
  uint32_t theirs_size;
  memset(own, 0, own_size);
  if (theirs == NULL) return err_set(err, EXIT_FAILED, "%s is NULL", what);
  memcpy(&theirs_size, theirs, sizeof theirs_size);
  return border_copy(own, own_size, least, theirs, theirs_size, what, err);
}

/* Returns ABI_NEWER if the word is not 0, because a later version of the ABI may give it a meaning. */
static int border_reserved(uint32_t reserved, const char *what, struct err *err) {
  if (reserved == 0) return 0;
  err_set(err, EXIT_FAILED, "%s: reserved is %u, must be 0", what, reserved);
  return ABI_NEWER;
}

/* Copies a name of at most ID_SIZE bytes. */
static int border_id(char *to, const char *from, const char *what, struct err *err) {
  if (from == NULL || from[0] == '\0') {
    err_set(err, EXIT_FAILED, "%s is empty", what);
    return err_about(err, RULE_NAMES);
  }
  if (!text_is_id(from)) {
    char shown[2 * ID_SIZE];
    text_copy(shown, sizeof shown, from);
    text_sanitize(shown);
    err_set(err, EXIT_FAILED, "%s '%s' is not a valid name: [A-Za-z0-9][A-Za-z0-9._/-]*, at most %d bytes", what, shown,
            ID_SIZE - 1);
    return err_about(err, RULE_NAMES);
  }
  text_copy(to, ID_SIZE, from);
  return 0;
}

/* Copies any text and makes it printable; NULL becomes empty. */
static int border_text(char *to, size_t size, const char *from, const char *what, struct err *err) {
  if (!text_copy(to, size, from)) return err_set(err, EXIT_FAILED, "%s has more than %zu bytes", what, size - 1);
  text_sanitize(to);
  return 0;
}

/* The size of a struct in ABI 1.0: up to the end of `last`, the last member that it had then. Later versions of the ABI
 * append members behind it. */
#define SIZE_1_0(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

static int refuse_newer(struct err *err, const char *format, ...) ERR_PRINTF(2, 3);

/* Returns ABI_NEWER with a message: what the plugin uses needs a later host. */
static int refuse_newer(struct err *err, const char *format, ...) {
  char text[TEXT_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  err_set(err, EXIT_FAILED, "%s", text);
  return ABI_NEWER;
}

int abi_contract(const char *theirs, char *own, struct err *err) {
  char fault[TEXT_SIZE], shown[CONTRACT_SIZE];
  if (theirs == NULL || theirs[0] == '\0') {
    err_set(err, EXIT_FAILED, "contract is empty");
    return err_about(err, RULE_CONTRACTS);
  }
  if (contract_id_check(theirs, fault, sizeof fault)) {
    text_copy(own, CONTRACT_SIZE, theirs);
    return 0;
  }
  text_copy(shown, sizeof shown, theirs);
  text_sanitize(shown);
  err_set(err, EXIT_FAILED, "contract '%s' is no DOMAIN/PATH/N, such as example.org/mine/axpy/1: %s", shown, fault);
  return err_about(err, RULE_CONTRACTS);
}

static int check_minor(uint32_t minor, struct err *err) {
  if (minor <= CONTRACT_MINOR_MAX) return 0;
  err_set(err, EXIT_FAILED, "contract_minor is %u, at most %d", minor, CONTRACT_MINOR_MAX);
  return err_about(err, RULE_CONTRACTS);
}

/* Rejects an impossible version of the ABI. If a plugin's struct lacks a member or has its members in another order,
 * other bytes are read as the version, and these rarely form a possible one. */
static int check_needed_abi(uint32_t needed, struct err *err) {
  enum { MAJORS = 100, MINORS = 1000 };
  const uint32_t major = needed >> 16, minor = needed & 0xFFFF;
  if (major == 0 || major >= MAJORS || minor >= MINORS)
    return err_set(err, EXIT_FAILED, "abi_needed is 0x%X, which is no version of the ABI; the lowest is 0x%X", needed,
                   GB_ABI(1, 0));
  if (major == GB_ABI_VERSION >> 16 && needed <= GB_ABI_VERSION) return 0;
  return err_set(err, EXIT_FAILED, "needs ABI %u.%u, this host speaks %u.%u", major, minor, GB_ABI_VERSION >> 16,
                 GB_ABI_VERSION & 0xFFFF);
}

int abi_plugin(const void *symbol, gb_plugin *own, struct plugin_desc *desc, struct err *err) {
  uint32_t head[2], needed; /* magic and struct_size: the only bytes whose meaning is the same in every major version */
  memcpy(head, symbol, sizeof head);
  if (head[0] != GB_MAGIC)
    return err_set(err, EXIT_FAILED, "gb_plugin_v1 has magic 0x%08X, expected 0x%08X", head[0], GB_MAGIC);
  /* checks the ABI version that the plugin needs first, so that the message says if a newer host is needed */
  if (head[1] >= SIZE_1_0(gb_plugin, close)) {
    memcpy(&needed, (const char *)symbol + offsetof(gb_plugin, abi_needed), sizeof needed);
    if (check_needed_abi(needed, err) != 0) return -1;
  }
  *own = (gb_plugin){0};
  if (border_copy(own, sizeof *own, SIZE_1_0(gb_plugin, close), symbol, head[1], "entry", err) != 0) return -1;
  *desc = (struct plugin_desc){.abi_built = own->abi_built};
  if (border_id(desc->id, own->id, "id", err) != 0) return -1;
  if (own->version == NULL || own->version[0] == '\0') {
    err_set(err, EXIT_FAILED, "version is empty");
    return err_about(err, RULE_NAMES);
  }
  if (border_text(desc->version, sizeof desc->version, own->version, "version", err) != 0) return -1;
  if (border_text(desc->build, sizeof desc->build, own->build, "build", err) != 0) return -1;
  if (border_text(desc->summary, sizeof desc->summary, own->summary, "summary", err) != 0) return -1;
  if (own->open == NULL) return err_set(err, EXIT_FAILED, "open is NULL");
  return 0;
}

/* Returns the length of a NULL-terminated array of pointers, or -1 if it has more than `most` elements. */
static int array_length(const void *const *array, size_t most, const char *what, struct err *err) {
  size_t count = 0;
  while (array != NULL && array[count] != NULL)
    if (++count > most) return err_set(err, EXIT_FAILED, "more than %zu %s", most, what);
  return (int)count;
}

static int named_twice(struct err *err, const char *what, const char *name) {
  err_set(err, EXIT_FAILED, "two %s are named '%s'", what, name);
  return err_about(err, RULE_NAMES);
}

static int take_axis_defaults(const gb_axis *own, struct axis_desc *desc, struct err *err) {
  int count = array_length((const void *const *)own->defaults, BACKENDS_MAX, "axis defaults", err);
  if (count < 0) return -1;
  for (int i = 0; i < count; i++) {
    gb_axis_default item;
    int rc = border_copy_sized(&item, sizeof item, SIZE_1_0(gb_axis_default, values), own->defaults[i], "default", err);
    if (rc == 0) rc = border_reserved(item.reserved, "default", err);
    if (rc != 0) return rc;
    if (border_id(desc->defaults[i].backend, item.backend, "backend of a default", err) != 0) return -1;
    if (border_text(desc->defaults[i].values, EXPR_SIZE, item.values, "values", err) != 0) return -1;
    for (int j = 0; j < i; j++)
      if (strcmp(desc->defaults[i].backend, desc->defaults[j].backend) == 0)
        return err_set(err, EXIT_FAILED, "two defaults are for backend '%s'", item.backend);
  }
  desc->default_count = (uint32_t)count;
  return 0;
}

/* Turns a usage error into an error of the plugin. The functions that parse values report an error of the user, but the
 * text that they parsed here is the plugin's. Returns -1. */
static int plugins_fault(struct err *err) {
  err->exit_code = EXIT_FAILED;
  return -1;
}

static int check_axis_values(const struct axis_desc *desc, const char *expression, struct err *err) {
  SCOPED struct axis_value *values = NULL;
  size_t count = 0;
  if (axis_expand(desc, expression, false, "its default", &values, &count, err) != 0) return plugins_fault(err);
  return 0;
}

static int check_choices(const struct axis_desc *desc, struct err *err) {
  SCOPED struct axis_value *values = NULL;
  size_t count = 0;
  if (desc->type != AXIS_STR) return 0;
  if (axis_expand(desc, desc->choices, false, "its choices", &values, &count, err) != 0) return plugins_fault(err);
  for (size_t i = 1; i < count && err->exit_code == 0; i++)
    for (size_t j = 0; j < i && err->exit_code == 0; j++)
      if (strcmp(values[i].str, values[j].str) == 0)
        err_set(err, EXIT_FAILED, "its choices '%s' have '%s' twice", desc->choices, values[i].str);
  return err->exit_code == 0 ? 0 : -1;
}

/* Checks the texts of an axis and its values. */
static int take_axis_texts(const gb_axis *own, struct axis_desc *desc, struct err *err) {
  if ((own->type == GB_STR) != (own->choices != NULL))
    return err_set(err, EXIT_FAILED, "axis '%s': choices are for GB_STR, and needed there", desc->name);
  if (border_text(desc->unit, sizeof desc->unit, own->unit, "unit", err) != 0) return -1;
  if (border_text(desc->summary, sizeof desc->summary, own->summary, "summary", err) != 0) return -1;
  if (border_text(desc->choices, sizeof desc->choices, own->choices, "choices", err) != 0) return -1;
  if (strpbrk(desc->choices, "[]") !=
      NULL) /* choices must not contain brackets, because lists of values are written in brackets */
    return err_set(err, EXIT_FAILED, "axis '%s': choices '%s' hold brackets", desc->name, desc->choices);
  if (border_text(desc->values, sizeof desc->values, own->values, "values", err) != 0) return -1;
  int rc = take_axis_defaults(own, desc, err);
  if (rc == 0 && (check_choices(desc, err) != 0 || check_axis_values(desc, desc->values, err) != 0)) rc = -1;
  for (uint32_t i = 0; i < desc->default_count && rc == 0; i++)
    rc = check_axis_values(desc, desc->defaults[i].values, err);
  if (rc != 0) err_context(err, "axis '%s'", desc->name);
  return rc;
}

static int take_axis(const gb_axis *theirs, struct axis_desc *desc, struct err *err) {
  gb_axis own;
  struct err unnamed = {0};
  const int rc = border_copy_sized(&own, sizeof own, SIZE_1_0(gb_axis, defaults), theirs, "axis", err);
  if (rc < 0) return -1;
  if (border_id(desc->name, own.name, "axis name", &unnamed) != 0) return *err = unnamed, -1;
  if (rc != 0) {
    err_context(err, "axis '%s'", desc->name);
    return rc;
  }
  if (own.type > GB_STR)
    return refuse_newer(err, "axis '%s' has type %u, known are GB_I64, GB_F64 and GB_STR", desc->name, own.type);
  if (own.type < GB_I64)
    return err_set(err, EXIT_FAILED, "axis '%s' has type %u, known are GB_I64, GB_F64 and GB_STR", desc->name,
                   own.type);
  desc->type = own.type;
  return take_axis_texts(&own, desc, err);
}

static int take_axes(const gb_bench *own, struct bench_desc *desc, struct err *err) {
  int count = array_length((const void *const *)own->axes, AXES_MAX, "axes", err);
  if (count < 0) return -1;
  for (int i = 0; i < count; i++) {
    const int rc = take_axis(own->axes[i], &desc->axes[i], err);
    if (rc != 0) return rc;
    for (int j = 0; j < i; j++)
      if (strcmp(desc->axes[i].name, desc->axes[j].name) == 0) return named_twice(err, "axes", desc->axes[i].name);
  }
  desc->axis_count = (uint32_t)count;
  return 0;
}

static int take_devices_axis(const gb_bench *own, struct bench_desc *desc, struct err *err) {
  char name[ID_SIZE];
  if (own->devices_axis == NULL) return 0;
  if (border_id(name, own->devices_axis, "devices_axis", err) != 0) return -1;
  for (uint32_t i = 0; i < desc->axis_count && desc->devices_axis == 0; i++)
    if (strcmp(desc->axes[i].name, name) == 0) desc->devices_axis = i + 1;
  if (desc->devices_axis == 0)
    return err_set(err, EXIT_FAILED, "devices_axis is '%s', which is none of its axes", name);
  const uint32_t type = desc->axes[desc->devices_axis - 1].type;
  if (type == AXIS_I64) return 0;
  return err_set(err, EXIT_FAILED, "devices_axis is '%s', an axis of type %s: it counts, so GB_I64 is needed", name,
                 axis_type_name(type));
}

/* Rejects a list of backends in which one is not a valid name. */
static int check_backends(const struct preset_desc *desc, struct err *err) {
  char list[TEXT_SIZE], backend[ID_SIZE];
  text_copy(list, sizeof list, desc->backends);
  for (char *at = desc->backends[0] != '\0' ? list : NULL, *item; (item = strsep(&at, ",")) != NULL;) {
    item += strspn(item, " ");
    for (size_t end = strlen(item); end > 0 && item[end - 1] == ' '; end--)
      item[end - 1] = '\0';
    if (border_id(backend, item, "a backend", err) != 0)
      return err_context(err, "preset '%s': backends '%s'", desc->name, desc->backends);
  }
  return 0;
}

static int take_preset(const gb_preset *theirs, const struct bench_desc *bench, struct preset_desc *desc,
                       struct err *err) {
  gb_preset own;
  struct point point;
  struct err unnamed = {0};
  int rc = border_copy_sized(&own, sizeof own, SIZE_1_0(gb_preset, backends), theirs, "preset", err);
  if (rc == 0) rc = border_reserved(own.reserved, "preset", err);
  if (rc < 0) return -1;
  if (border_id(desc->name, own.name, "preset name", &unnamed) != 0) return *err = unnamed, -1;
  if (rc != 0) {
    err_context(err, "preset '%s'", desc->name);
    return rc;
  }
  if (border_text(desc->summary, sizeof desc->summary, own.summary, "summary", err) != 0) return -1;
  if (border_text(desc->point, sizeof desc->point, own.point, "point", err) != 0) return -1;
  if (border_text(desc->backends, sizeof desc->backends, own.backends, "backends", err) != 0) return -1;
  if (check_backends(desc, err) != 0) return -1;
  if (axis_point(bench, desc->point, "its point", &point, err) == 0) return 0;
  err_context(err, "preset '%s'", desc->name);
  return plugins_fault(err);
}

static int take_presets(const gb_bench *own, struct bench_desc *desc, struct err *err) {
  int count = array_length((const void *const *)own->presets, PRESETS_MAX, "presets", err);
  if (count < 0) return -1;
  for (int i = 0; i < count; i++) {
    const int rc = take_preset(own->presets[i], desc, &desc->presets[i], err);
    if (rc != 0) return rc;
    for (int j = 0; j < i; j++)
      if (strcmp(desc->presets[i].name, desc->presets[j].name) == 0)
        return named_twice(err, "presets", desc->presets[i].name);
  }
  desc->preset_count = (uint32_t)count;
  return 0;
}

static int check_bench_slots(const gb_bench *own, struct err *err) {
  const uint32_t unknown =
      own->flags & ~(GB_BENCH_STATEFUL | GB_BENCH_ITERABLE | GB_BENCH_ENERGY | GB_BENCH_NO_ROOF | GB_BENCH_BY_NAME);
  if (unknown != 0) return refuse_newer(err, "flag 0x%X is unknown to this host", unknown);
  if (own->setup == NULL) return err_set(err, EXIT_FAILED, "setup is NULL");
  if (own->reference == NULL && own->verify == NULL)
    return err_set(err, EXIT_FAILED, "reference and verify are both NULL: nothing would be checked");
  if ((own->flags & GB_BENCH_STATEFUL) != 0 && own->verify == NULL)
    return err_set(err, EXIT_FAILED, "GB_BENCH_STATEFUL without a verify: nothing would judge a trajectory");
  return array_length((const void *const *)own->variants, VARIANTS_MAX, "variants", err) < 0 ? -1 : 0;
}

/* Checks what a bench consists of. Returns ABI_NEWER if a part of it needs a later host. */
static int take_bench(const gb_bench *own, struct bench_desc *desc, struct err *err) {
  if (abi_contract(own->contract, desc->contract, err) != 0 || check_minor(own->contract_minor, err) != 0 ||
      border_text(desc->summary, sizeof desc->summary, own->summary, "summary", err) != 0)
    return -1;
  desc->contract_minor = own->contract_minor;
  int rc = border_reserved(own->reserved, "bench", err);
  if (rc == 0) rc = check_bench_slots(own, err);
  if (rc != 0) return rc;
  rc = take_axes(own, desc, err);
  if (rc == 0) rc = take_devices_axis(own, desc, err);
  if (rc != 0) return err_about(err, RULE_AXES), rc;
  rc = take_presets(own, desc, err);
  if (rc != 0) err_about(err, RULE_PRESETS);
  return rc;
}

int abi_bench(const gb_bench *theirs, gb_bench *own, struct bench_desc *desc, struct err *err) {
  *desc = (struct bench_desc){0};
  struct err unnamed = {0};
  int rc = border_copy_sized(own, sizeof *own, SIZE_1_0(gb_bench, teardown), theirs, "bench", err);
  if (rc < 0) return rc;
  if (border_id(desc->name, own->name, "bench name", &unnamed) != 0) return *err = unnamed, -1;
  desc->flags = own->flags;
  if (rc == 0) rc = take_bench(own, desc, err);
  if (rc != 0) err_context(err, "bench '%s'", desc->name);
  return rc;
}

static int check_math(const char *math, struct err *err) {
  const char *known[16], *name;
  size_t count = 0;
  for (; (name = precision_name(count)) != NULL; count++) {
    if (strcmp(math, name) == 0) return 0;
    known[count] = name;
  }
  char list[TEXT_SIZE];
  text_join(list, sizeof list, known, count);
  return refuse_newer(err, "math is '%s', known are %s", math, list);
}

static int check_variant(const gb_variant *own, struct variant_desc *desc, struct err *err) {
  static const uint32_t known = GB_VARIANT_BASELINE | GB_VARIANT_DERIVED | GB_VARIANT_SYNC | GB_VARIANT_NO_CAPTURE |
                                GB_VARIANT_YARDSTICK | GB_VARIANT_BY_NAME | GB_VARIANT_PROCESSES;
  const uint32_t both = GB_VARIANT_BASELINE | GB_VARIANT_YARDSTICK, apart = GB_VARIANT_BASELINE | GB_VARIANT_BY_NAME;
  if ((own->flags & ~known) != 0) return refuse_newer(err, "flag 0x%X is unknown to this host", own->flags & ~known);
  if ((own->flags & both) == both)
    return err_set(err, EXIT_FAILED, "a yardstick cannot be the baseline: flags 0x%X", both);
  if ((own->flags & apart) == apart) return err_set(err, EXIT_FAILED, "a baseline runs by default: flags 0x%X", apart);
  if (own->run == NULL) return err_set(err, EXIT_FAILED, "run is NULL");
  if (own->refresh != NULL && (own->flags & GB_VARIANT_DERIVED) == 0)
    return err_set(err, EXIT_FAILED, "refresh without GB_VARIANT_DERIVED: flags 0x%X", own->flags);
  if (check_minor(own->contract_minor, err) != 0) return -1;
  if (border_text(desc->summary, sizeof desc->summary, own->summary, "summary", err) != 0) return -1;
  if (border_id(desc->backend, own->backend, "backend", err) != 0) return -1;
  return border_id(desc->math, own->math, "math", err) != 0 ? -1 : check_math(desc->math, err);
}

int abi_variant(const gb_variant *theirs, gb_variant *own, struct variant_desc *desc, struct err *err) {
  *desc = (struct variant_desc){.bench = -1};
  struct err unnamed = {0};
  int rc = border_copy_sized(own, sizeof *own, SIZE_1_0(gb_variant, release), theirs, "variant", err);
  if (rc < 0) return rc;
  if (border_id(desc->name, own->name, "variant name", &unnamed) != 0) return *err = unnamed, -1;
  if (rc == 0) rc = border_reserved(own->reserved, "variant", err);
  if (rc == 0) rc = check_variant(own, desc, err);
  if (rc != 0) err_context(err, "variant '%s'", desc->name);
  desc->flags = own->flags;
  desc->contract_minor = own->contract_minor;
  desc->has_after = own->after != NULL;
  return rc;
}

int abi_tensor(const gb_tensor *theirs, gb_tensor *own, struct err *err) {
  char name[ID_SIZE];
  int rc = border_copy_sized(own, sizeof *own, SIZE_1_0(gb_tensor, reserved), theirs, "tensor", err);
  if (rc == 0) rc = border_reserved(own->reserved, "tensor", err);
  return rc != 0 ? rc : border_id(name, own->name, "tensor name", err);
}

/* Checks that the count fits into an int64_t, to which it is converted later. */
static int check_count(uint64_t count, const char *what, struct err *err) {
  if (count <= INT64_MAX) return 0;
  return err_set(err, EXIT_FAILED, "work: %s is %llu, at most %lld", what, (unsigned long long)count,
                 (long long)INT64_MAX);
}

int abi_work(const gb_work *theirs, gb_work *own, struct err *err) {
  int rc = border_copy_sized(own, sizeof *own, SIZE_1_0(gb_work, item_unit), theirs, "work", err);
  if (rc == 0) rc = border_reserved(own->reserved, "work", err);
  if (rc != 0) return rc;
  if (check_count(own->flops, "flops", err) != 0 || check_count(own->bytes_read, "bytes_read", err) != 0 ||
      check_count(own->bytes_written, "bytes_written", err) != 0 || check_count(own->items, "items", err) != 0)
    return -1;
  return check_count(own->bytes_read + own->bytes_written, "bytes_read + bytes_written", err);
}

int abi_graph_node(const gb_graph_node *theirs, struct graph_node *desc, struct err *err) {
  gb_graph_node own;
  *desc = (struct graph_node){0};
  struct err unnamed = {0};
  const int rc = border_copy_sized(&own, sizeof own, SIZE_1_0(gb_graph_node, bytes), theirs, "graph node", err);
  if (rc < 0) return -1;
  if (border_id(desc->id, own.id, "graph node", &unnamed) != 0) return *err = unnamed, -1;
  if (rc != 0) {
    err_context(err, "graph node '%s'", desc->id);
    return rc;
  }
  if (own.kind > GB_NODE_TENSOR)
    return refuse_newer(err, "graph node '%s': kind is %u, known are 1 to 5", desc->id, own.kind);
  if (own.kind < GB_NODE_KERNEL)
    return err_set(err, EXIT_FAILED, "graph node '%s': kind is %u, known are 1 to 5", desc->id, own.kind);
  if (border_text(desc->label, sizeof desc->label, own.label, "label", err) != 0 ||
      border_text(desc->note, sizeof desc->note, own.note, "note", err) != 0)
    return err_context(err, "graph node '%s'", desc->id);
  desc->kind = own.kind;
  desc->flops = own.flops;
  desc->bytes = own.bytes;
  return 0;
}

int abi_graph_edge(const gb_graph_edge *theirs, gb_graph_edge *own, struct graph_edge *desc, struct err *err) {
  char id[ID_SIZE];
  *desc = (struct graph_edge){0};
  int rc = border_copy_sized(own, sizeof *own, SIZE_1_0(gb_graph_edge, bytes), theirs, "graph edge", err);
  if (rc == 0) rc = border_reserved(own->reserved, "graph edge", err);
  if (rc != 0) return rc;
  if (border_id(id, own->from, "graph edge: from", err) != 0 || border_id(id, own->to, "graph edge: to", err) != 0)
    return -1;
  desc->bytes = own->bytes;
  return border_text(desc->label, sizeof desc->label, own->label, "label of a graph edge", err);
}

static int check_setting(const struct setting_desc *desc, struct err *err) {
  SCOPED struct setting_value *value = xcalloc(1, sizeof *value);
  int rc = setting_parse(desc, desc->value, "its default", value, err);
  return rc == 0 ? 0 : plugins_fault(err);
}

int abi_option(const gb_option *theirs, struct setting_desc *desc, struct err *err) {
  gb_option own;
  *desc = (struct setting_desc){0};
  if (border_copy_sized(&own, sizeof own, SIZE_1_0(gb_option, value), theirs, "option", err) != 0) return -1;
  if (border_id(desc->name, own.name, "option name", err) != 0) return -1;
  if (own.type != GB_I64 && own.type != GB_F64 && own.type != GB_STR)
    return err_set(err, EXIT_FAILED, "option '%s' has type %u, known are GB_I64, GB_F64 and GB_STR", desc->name,
                   own.type);
  desc->type = own.type;
  if (own.value == NULL) return err_set(err, EXIT_FAILED, "option '%s': value is NULL", desc->name);
  if (border_text(desc->unit, sizeof desc->unit, own.unit, "unit", err) != 0 ||
      border_text(desc->summary, sizeof desc->summary, own.summary, "summary", err) != 0 ||
      border_text(desc->choices, sizeof desc->choices, own.choices, "choices", err) != 0 ||
      border_text(desc->value, sizeof desc->value, own.value, "value", err) != 0 || check_setting(desc, err) != 0)
    return err_context(err, "option '%s'", desc->name);
  return 0;
}

int abi_metric(const gb_metric *theirs, struct metric_desc *desc, struct err *err) {
  gb_metric own;
  *desc = (struct metric_desc){0};
  struct err unnamed = {0};
  int rc = border_copy_sized(&own, sizeof own, SIZE_1_0(gb_metric, summary), theirs, "metric", err);
  if (rc == 0) rc = border_reserved(own.reserved, "metric", err);
  if (rc < 0) return -1;
  if (border_id(desc->name, own.name, "metric", &unnamed) != 0) return *err = unnamed, -1;
  if (rc != 0) {
    err_context(err, "metric '%s'", desc->name);
    return rc;
  }
  if (own.better > GB_BETTER_LESS)
    return refuse_newer(err, "metric '%s': better is %u, known are 0 to 2", desc->name, own.better);
  if (own.aggregate > GB_AGGREGATE_LAST)
    return refuse_newer(err, "metric '%s': aggregate is %u, known are 0 to 5", desc->name, own.aggregate);
  desc->better = own.better;
  desc->aggregate = own.aggregate;
  if (border_text(desc->unit, sizeof desc->unit, own.unit, "unit", err) != 0 ||
      border_text(desc->summary, sizeof desc->summary, own.summary, "summary", err) != 0)
    return err_context(err, "metric '%s'", desc->name);
  return 0;
}

int abi_span(const gb_span *theirs, struct timeline_span *desc, struct err *err) {
  gb_span own = {0};
  *desc = (struct timeline_span){0};
  if (border_copy_sized(&own, sizeof own, SIZE_1_0(gb_span, end_ns), theirs, "span", err) != 0) return -1;
  if (border_reserved(own.reserved, "span", err) != 0 || border_id(desc->lane, own.lane, "lane", err) != 0) return -1;
  if (own.end_ns < own.begin_ns)
    return err_set(err, EXIT_FAILED, "span on '%s' begins at %lld ns and ends before, at %lld", desc->lane,
                   (long long)own.begin_ns, (long long)own.end_ns);
  desc->begin_ns = own.begin_ns;
  desc->end_ns = own.end_ns;
  if (border_text(desc->label, sizeof desc->label, own.label, "label", err) == 0) return 0;
  return err_context(err, "span on '%s'", desc->lane);
}
