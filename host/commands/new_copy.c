/* Copies of folders. */
#include "commands/new_copy.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int new_prefix(char to[PATH_MAX], struct err *err) {
  ssize_t length = readlink("/proc/self/exe", to, PATH_MAX - 1);
  to[length > 0 ? length : 0] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(to, '/');
    if (slash == NULL) return err_set(err, EXIT_FAILED, "no folder for this binary: '%.200s'", to);
    *slash = '\0';
  }
  return 0;
}

static const struct rename *find_rename(const struct rename *renames, const char *text, const char *at) {
  if (at > text && isalnum((unsigned char)at[-1])) return NULL;
  for (; renames->from != NULL; renames++) {
    const size_t length = strlen(renames->from);
    if (strncmp(at, renames->from, length) == 0 && !isalnum((unsigned char)at[length])) return renames;
  }
  return NULL;
}

static char *renamed(const char *text, const struct rename *renames) {
  char *made = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&made, &size);
  if (out == NULL) return NULL;
  for (const char *at = text; *at != '\0';) {
    const struct rename *found = find_rename(renames, text, at);
    if (found == NULL) {
      putc(*at++, out);
      continue;
    }
    fputs(found->to, out);
    at += strlen(found->from);
  }
  return fclose(out) == 0 ? made : NULL;
}

static int copy_file(const char *from, const char *to, const struct rename *renames, struct err *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *in = fopen(from, "r");
  if (in == NULL || getdelim(&text, &size, '\0', in) < 0) {
    if (in != NULL) fclose(in);
    free(text);
    return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be read: %s", from, strerror(errno));
  }
  fclose(in);
  char *made = renamed(text, renames);
  free(text);
  FILE *out = made != NULL ? fopen(to, "wx") : NULL;
  if (out != NULL) fputs(made, out);
  free(made);
  if (out != NULL && fclose(out) == 0) return 0;
  return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be written: %s", to, strerror(errno));
}

static int copy_entry(const char *from, const char *to, const char *entry, const struct rename *renames,
                      struct err *err) {
  char source[PATH_MAX], made[PATH_MAX], *name = renamed(entry, renames);
  struct stat info;
  const bool fits = name != NULL && (size_t)snprintf(source, sizeof source, "%s/%s", from, entry) < sizeof source &&
                    (size_t)snprintf(made, sizeof made, "%s/%s", to, name) < sizeof made;
  free(name);
  if (!fits) return err_set(err, EXIT_FAILED, "new: the name of '%.500s' is too long", to);
  if (stat(source, &info) == 0 && S_ISDIR(info.st_mode)) return new_copy(source, made, NULL, renames, err);
  return copy_file(source, made, renames, err);
}

static bool is_among(const char *const *names, const char *name) {
  for (; names != NULL && *names != NULL; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

int new_copy(const char *from, const char *to, const char *const *but, const struct rename *renames, struct err *err) {
  DIR *stream = opendir(from);
  if (stream == NULL)
    return err_set(err, EXIT_FAILED, "new: '%.500s' is missing: %s; install gpubench", from, strerror(errno));
  int rc = 0;
  if (mkdir(to, 0777) != 0)
    rc = err_set(err, EXIT_USAGE, "new: '%.500s' cannot be made: %s; choose another --dir", to, strerror(errno));
  for (struct dirent *entry; rc == 0 && (entry = readdir(stream)) != NULL;)
    if (entry->d_name[0] != '.' && !is_among(but, entry->d_name))
      rc = copy_entry(from, to, entry->d_name, renames, err);
  closedir(stream);
  return rc;
}
