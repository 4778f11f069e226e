#include "model/build_label.h"

#include <stdio.h>
#include <string.h>

const char *label_split(const char *typed, char label[ID_SIZE]) {
  size_t length = strcspn(typed, "=");
  label[0] = '\0';
  if (typed[length] == '\0' || length >= ID_SIZE) return typed;
  text_copy(label, length + 1, typed);
  if (text_is_id(label) && strchr(label, '/') == NULL) return typed + length + 1;
  label[0] = '\0';
  return typed;
}

void label_join(char *to, size_t size, const char *label, const char *file) {
  snprintf(to, size, "%s%s%s", label, label[0] != '\0' ? "=" : "", file);
}

void label_show(char *to, size_t size, const char *name, const char *label) {
  snprintf(to, size, "%s%s%s", name, label[0] != '\0' ? "@" : "", label);
}
