#include "worker/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool has_plugin(const struct pool_worker *member, size_t plugin) {
  for (size_t i = 0; i < member->plugin_count; i++)
    if (member->plugins[i] == plugin) return true;
  return false;
}

static void add_plugin(struct pool_worker *member, size_t plugin) {
  if (has_plugin(member, plugin)) return;
  member->plugins = xrealloc(member->plugins, member->plugin_count + 1, sizeof *member->plugins);
  member->plugins[member->plugin_count++] = plugin;
}

static struct pool_worker member_of(const struct plan_case *plan_case) {
  struct pool_worker wanted = {0};
  add_plugin(&wanted, plan_case->plugin);
  for (size_t i = 0; i < plan_case->variant_count; i++)
    add_plugin(&wanted, plan_case->variants[i].plugin);
  return wanted;
}

static bool same_plugins(const struct pool_worker *a, const struct pool_worker *b) {
  return a->plugin_count == b->plugin_count &&
         memcmp(a->plugins, b->plugins, a->plugin_count * sizeof *a->plugins) == 0;
}

bool pool_serves(const struct pool_worker *member, const struct plan_case *plan_case) {
  struct pool_worker wanted = member_of(plan_case);
  bool same = !member->alone && same_plugins(member, &wanted);
  free(wanted.plugins);
  return same;
}

static struct pool_worker *add_member(struct pool *pool, const struct pool_worker *member) {
  pool->members = xrealloc(pool->members, pool->count + 1, sizeof *pool->members);
  pool->members[pool->count] = xcalloc(1, sizeof *pool->members[pool->count]);
  *pool->members[pool->count] = *member;
  return pool->members[pool->count++];
}

struct pool_worker *members_in_company(struct pool *pool, const struct plan_case *plan_case) {
  for (size_t i = 0; i < pool->count; i++)
    if (pool_serves(pool->members[i], plan_case)) return pool->members[i];
  const struct pool_worker member = member_of(plan_case);
  return add_member(pool, &member);
}

struct pool_worker *members_find_alone(struct pool *pool, size_t owner, size_t provider) {
  const size_t plugins = owner == provider ? 1 : 2;
  for (size_t i = 0; i < pool->count; i++) {
    struct pool_worker *member = pool->members[i];
    if (member->alone && member->plugin_count == plugins && has_plugin(member, owner) && has_plugin(member, provider))
      return member;
  }
  return NULL;
}

struct pool_worker *members_alone(struct pool *pool, size_t owner, size_t provider) {
  struct pool_worker *found = members_find_alone(pool, owner, provider), wanted = {.alone = true};
  if (found != NULL) return found;
  add_plugin(&wanted, owner);
  add_plugin(&wanted, provider);
  return add_member(pool, &wanted);
}

uint32_t pool_place(const struct pool_worker *member, size_t plugin) {
  for (size_t i = 0; i < member->plugin_count; i++)
    if (member->plugins[i] == plugin) return (uint32_t)i;
  return UINT32_MAX;
}
