/* Rewrites the messages of the dynamic loader, which name the missing thing, but neither the file that needs it nor the
 * places that were searched. */
#include "plugin/why.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plugin/elf.h"

/* Cuts `text` at the first `mark`. Returns what follows the mark, or NULL if there is none. */
static char *cut_at_mark(char *text, const char *mark) {
  char *at = strstr(text, mark);
  if (at == NULL) return NULL;
  *at = '\0';
  return at + strlen(mark);
}

static int missing_library(int fd, const char *path, const char *name, struct err *err) {
  SCOPED_STRINGS struct strings needed = {0};
  char raw[1024], runpath[1024];
  const char *variable = getenv("LD_LIBRARY_PATH");
  bool own = false;
  loader_elf_needs(fd, &needed, raw, sizeof raw);
  loader_elf_origin(raw, path, runpath, sizeof runpath);
  for (size_t i = 0; i < needed.count; i++)
    own = own || strcmp(needed.items[i], name) == 0;
  /* the plugin's RUNPATH is not used for libraries that its libraries need */
  bool has_path = own && runpath[0] != '\0';
  return err_set(err, EXIT_FAILED, "%s %.256s, which is not found (looked in %s%.600s%sLD_LIBRARY_PATH%s%.400s, %s)",
                 own ? "needs" : "a library that it needs wants", name, has_path ? "its RUNPATH " : "",
                 has_path ? runpath : "", has_path ? ", " : "", variable && variable[0] ? " " : " (not set)",
                 variable ? variable : "", "the loader's cache and its default folders");
}

/* Demangles a C++ name if libstdc++ can be loaded; this program is written in C and does not load it otherwise. */
static char *demangle(const char *symbol) {
  typedef char *demangler(const char *, char *, size_t *, int *);
  demangler *function = NULL;
  void *library = strncmp(symbol, "_Z", 2) == 0 ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL) : NULL;
  void *address = library ? dlsym(library, "__cxa_demangle") : NULL;
  int status = -1;
  memcpy(&function, &address, sizeof function);
  return function != NULL ? function(symbol, NULL, NULL, &status) : NULL;
}

static int missing_symbol(const char *path, const char *who, char *symbol, struct err *err) {
  const char *version = cut_at_mark(symbol, ", version ");
  SCOPED char *plain = demangle(symbol);
  bool own = strcmp(who, path) == 0;
  err_set(err, EXIT_FAILED, "%s%.200s uses %.600s%s%.300s%s%s%.64s, which no library that is loaded defines",
          own ? "" : "its library ", own ? "it" : who, plain ? plain : symbol, plain ? " (" : "", plain ? symbol : "",
          plain ? ")" : "", version ? " of version " : "", version ? version : "");
  return -1;
}

static int old_library(const char *path, const char *library, char *version, char *who, struct err *err) {
  who[strcspn(who, ")")] = '\0';
  bool own = strcmp(who, path) == 0;
  return err_set(err, EXIT_FAILED, "%s%.200s needs version %.64s of %.200s, which this machine's %s",
                 own ? "" : "its library ", own ? "it" : who, version, text_file_name(library),
                 "is too old for: build it on an older system");
}

int loader_why(int fd, const char *path, const char *said, struct err *err) {
  char text[1600], *rest, *who;
  text_copy(text, sizeof text, said);
  if (cut_at_mark(text, ": cannot open shared object file: ") != NULL && strcmp(text, path) != 0)
    return missing_library(fd, path, text, err);
  text_copy(text, sizeof text, said);
  if ((rest = cut_at_mark(text, ": undefined symbol: ")) != NULL) return missing_symbol(path, text, rest, err);
  text_copy(text, sizeof text, said);
  if ((rest = cut_at_mark(text, ": version `")) != NULL &&
      (who = cut_at_mark(rest, "' not found (required by ")) != NULL)
    return old_library(path, text, rest, who, err);
  return err_set(err, EXIT_FAILED, "%s", said);
}
