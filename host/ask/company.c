/* Names the other variants in the process of a variant. */
#include "ask/company.h"

#include <stdio.h>

#include "base/memory.h"

enum { NAMED = 5 };

bool company_has_providers(const struct epoch *e, size_t index) {
  const struct plan_variant *variants = e->plan_case->variants;
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (variants[e->asked[i]].plugin != variants[index].plugin) return true;
  return false;
}

static void add_providers(const struct epoch *e, size_t index, struct strings *names) {
  const struct plan_variant *variants = e->plan_case->variants;
  for (uint32_t i = 0; e->catalog != NULL && i < e->request->variant_count; i++)
    if (variants[e->asked[i]].plugin != variants[index].plugin)
      strings_add_once(names, e->catalog->plugins[variants[e->asked[i]].plugin].desc.id);
}

static void add_companions(const struct epoch *e, size_t index, struct strings *names) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (e->asked[i] != index) strings_add_once(names, e->request->variants[i].name);
}

char *company_names(const struct epoch *e, size_t index) {
  SCOPED_STRINGS struct strings names = {0};
  char text[TEXT_SIZE] = "", more[32] = "";
  add_providers(e, index, &names);
  if (names.count == 0) add_companions(e, index, &names);
  if (names.count == 0) strings_add(&names, "what ran in its process before");
  text_join(text, sizeof text, (const char *const *)names.items, names.count > NAMED ? NAMED : names.count);
  if (names.count > NAMED) snprintf(more, sizeof more, " and %zu more", names.count - NAMED);
  return memory_print("%s%s", text, more);
}
