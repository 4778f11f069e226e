/* Services that plugins may use but need not: notes, options, a folder for files, metrics, and spans of a timeline. */
#include "case/services/services.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "case/calls.h"
#include "model/axis.h"
#include "plugin/abi.h"

/* ---- gb.note/1: notes of the variant that is being prepared, refreshed or released ---- */

void (*services_log)(const char *plugin, int32_t level, const char *message);
void (*services_note_sink)(uint32_t variant, const struct note_list *notes);

static gb_status note_set(gb_case *c, const char *key, const char *text) {
  if (!case_is(c, "gb.note/1 set")) return GB_EINVAL;
  char shown[2 * ID_SIZE];
  struct note *note = NULL;
  text_copy(shown, sizeof shown, key);
  text_sanitize(shown);
  if (c->phase != PHASE_PREPARE && c->phase != PHASE_REFRESH && c->phase != PHASE_RELEASE) {
    case_misuse(c, "gb.note/1 set is for prepare, refresh and release, not %s", phase_name(c->phase));
  } else if (key == NULL || !text_is_id(key)) {
    case_misuse(c, "note key '%s' is not a valid name", shown);
  } else {
    if (c->notes == NULL) c->notes = xcalloc(1, sizeof *c->notes);
    if (strnlen(text_or_empty(text), TEXT_SIZE) == TEXT_SIZE)
      case_left_out(c, "note '%s' has more than %d bytes", shown, TEXT_SIZE - 1);
    else if ((note = note_place(c->notes, key)) == NULL)
      case_left_out(c, "note '%s' is one more than %d", shown, NOTES_MAX);
  }
  if (note != NULL) {
    text_copy(note->text, sizeof note->text, text);
    text_sanitize(note->text);
  }
  return c->misused ? GB_EINVAL : GB_OK;
}

const gb_note_ext services_note = {.struct_size = sizeof(gb_note_ext), .set = note_set};

void services_note_end(gb_case *c, uint32_t variant, bool good) {
  if (good && c->notes != NULL && services_note_sink != NULL) services_note_sink(variant, c->notes);
  free(c->notes);
  c->notes = NULL;
}

/* ---- gb.option/2: options declared in `open`, and their values in this run ---- */

static struct setting *find_option(const struct plugin *plugin, const char *name) {
  for (size_t i = 0; i < plugin->setting_count; i++)
    if (name != NULL && strcmp(plugin->settings[i]->desc.name, name) == 0) return plugin->settings[i];
  return NULL;
}

/* ---- Declaring ---- */

static void add_option(struct plugin *plugin, struct setting *setting, struct err *err) {
  if (find_option(plugin, setting->desc.name) != NULL) {
    err_set(err, EXIT_FAILED, "two options are named '%s'", setting->desc.name);
  } else if (plugin->setting_count == SETTINGS_MAX) {
    err_set(err, EXIT_FAILED, "option '%s' is one more than %d", setting->desc.name, SETTINGS_MAX);
  } else {
    setting_parse(&setting->desc, setting->desc.value, "its default", &setting->value, err);
    plugin->settings = xrealloc(plugin->settings, plugin->setting_count + 1, sizeof *plugin->settings);
    plugin->settings[plugin->setting_count++] = setting;
  }
}

static gb_status option_declare(const gb_host *host, gb_registry *registry, const gb_option *theirs) {
  struct plugin *plugin = (struct plugin *)(uintptr_t)host;
  if (plugin == NULL) return GB_EINVAL;
  /* The call came at a wrong time. It is only logged, because there is no running callback that could be made to fail.
   */
  if (plugin->opening == NULL || plugin->opening != registry) {
    if (services_log != NULL) services_log(plugin->desc.id, GB_LOG_WARNING, "gb.option/2 declare is for open: ignored");
    return GB_EINVAL;
  }
  if (registry->err.exit_code != 0) return GB_EINVAL;
  struct setting *setting = xcalloc(1, sizeof *setting);
  if (theirs == NULL)
    err_set(&registry->err, EXIT_FAILED, "gb.option/2 declare: option is NULL");
  else if (abi_option(theirs, &setting->desc, &registry->err) == 0)
    add_option(plugin, setting, &registry->err);
  if (registry->err.exit_code == 0) return GB_OK;
  if (find_option(plugin, setting->desc.name) != setting) free(setting);
  return GB_EINVAL;
}

/* ---- Asking ---- */

static const struct setting_value *option_value(gb_case *c, const char *name, uint32_t type) {
  const struct setting *setting = find_option(case_caller(c), name);
  char shown[ID_SIZE];
  text_copy(shown, sizeof shown, name);
  text_sanitize(shown);
  if (setting == NULL)
    case_misuse(c, "gb.option/2: '%s' was not declared in open", shown);
  else if (setting->desc.type != type)
    case_misuse(c, "option '%s' is %s, asked for as %s", shown, axis_type_name(setting->desc.type),
                axis_type_name(type));
  else
    return &setting->value;
  return NULL;
}

static int64_t option_i64(gb_case *c, const char *name) {
  if (!case_is(c, "gb.option/2 i64")) return 0;
  const struct setting_value *value = option_value(c, name, GB_I64);
  return value != NULL ? value->i64 : 0;
}

static double option_f64(gb_case *c, const char *name) {
  if (!case_is(c, "gb.option/2 f64")) return 0;
  const struct setting_value *value = option_value(c, name, GB_F64);
  return value != NULL ? value->f64 : 0;
}

static const char *option_str(gb_case *c, const char *name) {
  if (!case_is(c, "gb.option/2 str")) return "";
  const struct setting_value *value = option_value(c, name, GB_STR);
  return value != NULL ? value->text : "";
}

const gb_option_ext services_option = {
    .struct_size = sizeof(gb_option_ext),
    .declare = option_declare,
    .i64 = option_i64,
    .f64 = option_f64,
    .str = option_str,
};

/* ---- gb.scratch/1: a folder for the case, made when it is first asked for ---- */

/* Returns the path of the case's folder; NULL, with a message recorded, if it is not available. */
static const char *path_of(gb_case *c, const char *slot) {
  struct err err = {0};
  char path[4096];
  bool early = phase_chooses(c->phase), late = c->phase == PHASE_RELEASE || c->phase == PHASE_TEARDOWN;
  if (c->phase == PHASE_RUN || early || (late && c->scratch_path == NULL)) {
    case_misuse(c, "gb.scratch/1 %s is for setup, prepare, before, reference and verify, not %s", slot,
                phase_name(c->phase));
    return NULL;
  }
  if (c->scratch_path != NULL) return c->scratch_path;
  if (c->scratch == NULL) {
    case_misuse(c, "gb.scratch/1 %s: there is none here", slot);
  } else if (scratch_make_case(c->scratch, path, sizeof path, &err) != 0) {
    case_message(c, err.text);
  } else {
    c->scratch_path = xstrdup(path);
  }
  return c->scratch_path;
}

static const char *scratch_directory(gb_case *c) {
  if (!case_is(c, "gb.scratch/1 directory")) return NULL;
  return path_of(c, "directory");
}

static uint64_t scratch_bytes(gb_case *c) {
  if (!case_is(c, "gb.scratch/1 free_bytes")) return 0;
  const char *path = path_of(c, "free_bytes");
  return path != NULL ? scratch_free_bytes(path) : 0;
}

const gb_scratch_ext services_scratch = {
    .struct_size = sizeof(gb_scratch_ext),
    .directory = scratch_directory,
    .free_bytes = scratch_bytes,
};

/* ---- gb.metric/1: declared by the bench; values come from the running variant ---- */

static void leave_out_metric(gb_case *c, const char *name, const char *why) {
  if (c->metrics_left_out.count == METRICS_MAX && !strings_has(&c->metrics_left_out, name)) {
    case_misuse(c, "metric '%s' is one more than %d", name, METRICS_MAX);
    return;
  }
  case_left_out(c, "%s", why);
  strings_add_once(&c->metrics_left_out, name);
}

static gb_status metric_declare(gb_case *c, const gb_metric *theirs) {
  if (!case_is(c, "gb.metric/1 declare")) return GB_EINVAL;
  struct err err = {0};
  struct metric_desc desc;
  int rc = 0;
  if (c->phase != PHASE_SETUP) {
    case_misuse(c, "gb.metric/1 declare is for setup, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  if (c->metrics == NULL) c->metrics = xcalloc(1, sizeof *c->metrics);
  if (theirs == NULL)
    case_misuse(c, "gb.metric/1 declare: metric is NULL");
  else if ((rc = abi_metric(theirs, &desc, &err)) == ABI_NEWER)
    leave_out_metric(c, desc.name, err.text);
  else if (rc < 0)
    case_misuse(c, "%s", err.text);
  else if (metric_find(c->metrics, desc.name) >= 0)
    case_misuse(c, "two metrics are named '%s'", desc.name);
  else if (c->metrics->count == METRICS_MAX)
    case_misuse(c, "metric '%s' is one more than %d", desc.name, METRICS_MAX);
  else
    c->metrics->metrics[c->metrics->count++] = desc;
  return c->misused ? GB_EINVAL : GB_OK;
}

static gb_status metric_add(gb_case *c, const char *name, double value) {
  if (!case_is(c, "gb.metric/1 add")) return GB_EINVAL;
  char shown[ID_SIZE];
  if (c->phase != PHASE_RUN && c->phase != PHASE_PREPARE && c->phase != PHASE_VERIFY) {
    case_misuse(c, "gb.metric/1 add is for run, prepare and verify, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  int index = c->metrics != NULL && name != NULL ? metric_find(c->metrics, name) : -1;
  if (index < 0 && name != NULL && strings_has(&c->metrics_left_out, name)) return GB_OK;
  if (index < 0) {
    text_copy(shown, sizeof shown, name);
    text_sanitize(shown);
    case_misuse(c, "metric '%s' was not declared in setup", shown);
    return GB_EINVAL;
  }
  if (c->metric_logs == NULL) return GB_OK;
  metric_log_reserve(&c->metric_logs[index]);
  const uint64_t i = c->iteration;
  if (i >= c->kept.from && i < c->kept.to && i != c->kept.except) metric_log_add(&c->metric_logs[index], value);
  return GB_OK;
}

const gb_metric_ext services_metric = {
    .struct_size = sizeof(gb_metric_ext),
    .declare = metric_declare,
    .add = metric_add,
};

/* ---- gb.span/1: the spans of an iteration whose timeline is kept; several threads may call it together ---- */

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static int32_t span_wanted(gb_case *c) {
  if (!case_is(c, "gb.span/1 wanted")) return 0;
  if (c->phase != PHASE_RUN) {
    case_misuse(c, "gb.span/1 wanted is for run, not %s", phase_name(c->phase));
    return 0;
  }
  c->timeline_asked = true;
  return c->timeline != NULL;
}

static int64_t span_now(void) {
  return clock_now_ns();
}

/* Makes the times of a span relative to the start of the iteration. Returns false if a time overflows or lies too far
 * away. */
static bool shift_span(struct timeline_span *span, int64_t origin_ns) {
  return !__builtin_sub_overflow(span->begin_ns, origin_ns, &span->begin_ns) &&
         !__builtin_sub_overflow(span->end_ns, origin_ns, &span->end_ns) && timeline_check(span);
}

static bool take_span(gb_case *c, const gb_span *theirs) {
  struct err err = {0};
  struct timeline_span span;
  if (c->timeline == NULL) return true;
  if (abi_span(theirs, &span, &err) != 0)
    case_misuse(c, "%s", err.text);
  else if (!shift_span(&span, c->iteration_ns))
    case_misuse(c, "span on '%s' lies days away from now: its times are on the clock of gb.span/1 now", span.lane);
  else
    return timeline_add(c->timeline, &span), true;
  return false;
}

static gb_status span_add(gb_case *c, const gb_span *theirs) {
  if (!case_is(c, "gb.span/1 add")) return GB_EINVAL;
  bool taken = false;
  pthread_mutex_lock(&adding);
  if (c->phase != PHASE_RUN)
    case_misuse(c, "gb.span/1 add is for run, not %s", phase_name(c->phase));
  else if (theirs == NULL)
    case_misuse(c, "gb.span/1 add: span is NULL");
  else
    taken = take_span(c, theirs);
  pthread_mutex_unlock(&adding);
  return taken ? GB_OK : GB_EINVAL;
}

const gb_span_ext services_span = {
    .struct_size = sizeof(gb_span_ext),
    .wanted = span_wanted,
    .now = span_now,
    .add = span_add,
};
