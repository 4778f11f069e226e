#include "record/renamed.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

const struct renamed renamed_table[] = {
    /* schema 3 */
    {RENAMED_COLUMN, "rest", "cooldown"},
    {RENAMED_COLUMN, "set_aside", "discarded_samples"},
    {RENAMED_COLUMN, "roof_share", "ceiling_share"},
    {RENAMED_COLUMN, "above_roof", "above_ceiling"},
    {RENAMED_COLUMN, "few_compared", "few_verified"},
    {RENAMED_COLUMN, "hidden_share", "reuse_limit"},
    {RENAMED_COLUMN, "unseen", "unverified_work"},
    {RENAMED_COLUMN, "floor_ns", "launch_overhead_ns"},
    {RENAMED_COLUMN, "floor_unc_ns", "launch_overhead_unc_ns"},
    {RENAMED_COLUMN, "fate", "outcome"},
    {RENAMED_OUTCOME, "lost", "broken"},
    {RENAMED_OUTCOME, "mended", "fixed"},
    /* the drafts of the ABI raised the major of a contract where only cases were added, which is a minor now */
    {RENAMED_CONTRACT, "gpubench.org/attention/forward/2", "gpubench.org/attention/forward/1"},
    {RENAMED_CONTRACT, "gpubench.org/attention/forward/3", "gpubench.org/attention/forward/1"},
    {RENAMED_CONTRACT, "gpubench.org/attention/forward/4", "gpubench.org/attention/forward/1"},
    {RENAMED_CONTRACT, "gpubench.org/data_pipeline/pipeline/2", "gpubench.org/data_pipeline/pipeline/1"},
    {RENAMED_VERDICT, "undecided (floor)", "undecided (launch)"},
    {RENAMED_VERDICT, "above the roof", "above the ceiling"},
    {RENAMED_KEY, "floor_*", "launch_overhead_"},
    {RENAMED_KEY, "roofs", "ceilings"},
    {RENAMED_KEY, "option.roofs", "option.ceilings"},
    {RENAMED_KEY, "words.*", "verdicts."},
    {RENAMED_KEY, "elsewhere", "unsupported"},
    {RENAMED_KEY, "neighbours", "interference"},
};
const size_t renamed_count = sizeof renamed_table / sizeof renamed_table[0];

const char *renamed_name(enum renamed_kind kind, const char *name) {
  for (size_t i = 0; i < renamed_count; i++)
    if (renamed_table[i].kind == kind && strcmp(renamed_table[i].former, name) == 0) return renamed_table[i].name;
  return name;
}

/* Returns the length of "device.2." or "shard.2." at the beginning of a key. */
static size_t numbered_prefix(const char *name) {
  static const char *const prefixes[] = {"device.", "shard."};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    const size_t length = strlen(prefixes[i]);
    if (strncmp(name, prefixes[i], length) != 0) continue;
    const size_t number = strspn(name + length, "0123456789");
    if (number > 0 && name[length + number] == '.') return length + number + 1;
  }
  return 0;
}

/* Returns how many characters of `key` the entry replaces; 0 if the entry does not apply to this key. */
static size_t renamed_part(const struct renamed *entry, const char *key) {
  const size_t length = strlen(entry->former);
  const bool begins = entry->former[length - 1] == '*';
  if (entry->kind != RENAMED_KEY) return 0;
  if (begins) return strncmp(key, entry->former, length - 1) == 0 ? length - 1 : 0;
  return strcmp(key, entry->former) == 0 ? length : 0;
}

char *renamed_key(const char *name) {
  const size_t prefix = numbered_prefix(name);
  const char *key = name + prefix;
  for (size_t i = 0; i < renamed_count; i++) {
    const size_t part = renamed_part(&renamed_table[i], key);
    if (part > 0) return memory_print("%.*s%s%s", (int)prefix, name, renamed_table[i].name, key + part);
  }
  return xstrdup(name);
}
