/* What a callback may leave changed: taken, compared, put back. */
#include "plugin/process_state.h"

#include "base/text.h"
#include "plugin/process_watch.h"

/* Limits before those that need descriptors. */
static const struct process_watch *const watches[] = {
    &watch_arithmetic, &watch_mask,         &watch_alarm,     &watch_processors, &watch_limits,      &watch_files,
    &watch_handlers,   &watch_timers,       &watch_directory, &watch_locale,     &watch_environment, &watch_umask,
    &watch_priority,   &watch_death_signal, &watch_children,  &watch_room,       &watch_heap,
};

enum { WATCHES = sizeof watches / sizeof watches[0] };

static bool taken;

void process_state_take(int socket) {
  watch_files_socket(socket);
  for (size_t i = 0; i < WATCHES; i++)
    if (watches[i]->take != NULL) watches[i]->take();
  taken = true;
}

enum process_state_harm process_state_check(struct process_state_finding *finding) {
  *finding = (struct process_state_finding){0};
  for (size_t i = 0; taken && i < WATCHES; i++)
    watches[i]->check(finding);
  text_sanitize(finding->text);
  return finding->harm;
}
