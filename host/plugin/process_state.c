/* What a callback may leave changed: taken, compared, put back. */
#include "plugin/process_state.h"

#include "base/text.h"
#include "plugin/process_watch.h"

static const struct process_watch *const quick[] = {&watch_arithmetic, &watch_mask, &watch_alarm, &watch_processors};

static const struct process_watch *const rest[] = {
    &watch_limits, /* first: the others need descriptors */
    &watch_files,  &watch_handlers, &watch_timers,       &watch_directory, &watch_locale, &watch_environment,
    &watch_umask,  &watch_priority, &watch_death_signal, &watch_children,  &watch_room,   &watch_heap,
};

enum { QUICK = sizeof quick / sizeof quick[0], REST = sizeof rest / sizeof rest[0] };

static bool taken;

static void take(const struct process_watch *const *watches, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (watches[i]->take != NULL) watches[i]->take();
}

static void check(const struct process_watch *const *watches, size_t count, struct process_state_finding *finding) {
  for (size_t i = 0; i < count; i++)
    watches[i]->check(finding);
}

void process_state_take(int socket) {
  watch_files_socket(socket);
  take(quick, QUICK);
  take(rest, REST);
  taken = true;
}

enum process_state_harm process_state_check(enum process_state_depth depth, struct process_state_finding *finding) {
  *finding = (struct process_state_finding){0};
  if (!taken) return PROCESS_STATE_NONE;
  check(quick, QUICK, finding);
  if (depth == PROCESS_STATE_QUICK) return finding->harm;
  check(rest, REST, finding);
  text_sanitize(finding->text);
  return finding->harm;
}
