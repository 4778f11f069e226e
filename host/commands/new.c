/* What `gpubench new NAME` writes are the SDK's own template and examples, from share/gpubench beside the binary, under
 * another name: so whoever looks at those sees what he gets, and their tests are its tests. */
#include "commands/new.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { NAME_MOST = 40 };

static const struct start {
  const char *lang, *folder;
  const char *name; /* what its plugin is called there */
  const char *source;
} starts[] = {
    {"c", "template", "mine", "plugin.c"},
    {"cuda", "examples/cuda", "mycuda", "plugin.cu"},
    {"cpp", "examples/cpp", "mycpp", "plugin.cpp"},
    {"rust", "examples/rust", "myrust", "src/lib.rs"},
};

static const struct start *find_start(const char *lang) {
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
    if (strcmp(starts[i].lang, lang) == 0) return &starts[i];
  return NULL; /* --lang takes these alone */
}

/* A name that a plugin, a target of CMake, a function and a crate can have. */
static int check_name(const char *name, struct err *err) {
  bool good = islower((unsigned char)name[0]) && strlen(name) <= NAME_MOST;
  for (const char *at = name; *at != '\0'; at++)
    good = good && (islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_');
  if (good) return 0;
  return err_set(err, EXIT_USAGE,
                 "new '%.200s': a name has a-z, 0-9 and _, begins with a letter, and is at most %d long", name,
                 NAME_MOST);
}

/* The folder that bin/gpubench was installed to. */
static int find_prefix(char to[PATH_MAX], struct err *err) {
  ssize_t length = readlink("/proc/self/exe", to, PATH_MAX - 1);
  to[length > 0 ? length : 0] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(to, '/');
    if (slash == NULL) return err_set(err, EXIT_FAILED, "no folder for this binary: '%.200s'", to);
    *slash = '\0';
  }
  return 0;
}

/* Writes text with one name in another's place, wherever it is no part of a longer word. */
static void put_renamed(FILE *out, const char *text, const char *name, const char *other) {
  const size_t length = strlen(name);
  for (const char *at = text; *at != '\0';) {
    const bool begins = at == text || !isalnum((unsigned char)at[-1]);
    if (begins && strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[length])) {
      fputs(other, out);
      at += length;
    } else {
      putc(*at++, out);
    }
  }
}

static int copy_file(const char *from, const char *to, const char *name, const char *other, struct err *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *in = fopen(from, "r");
  if (in == NULL || getdelim(&text, &size, '\0', in) < 0) {
    if (in != NULL) fclose(in);
    free(text);
    return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be read: %s", from, strerror(errno));
  }
  fclose(in);
  FILE *out = fopen(to, "wx");
  if (out != NULL) put_renamed(out, text, name, other);
  free(text);
  if (out != NULL && fclose(out) == 0) return 0;
  return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be written: %s", to, strerror(errno));
}

static int copy_folder(const char *from, const char *to, const char *name, const char *other, struct err *err);

static int copy_entry(const char *from, const char *to, const char *entry, const char *name, const char *other,
                      struct err *err) {
  char source[PATH_MAX], made[PATH_MAX];
  struct stat info;
  if ((size_t)snprintf(source, sizeof source, "%s/%s", from, entry) >= sizeof source ||
      (size_t)snprintf(made, sizeof made, "%s/%s", to, entry) >= sizeof made)
    return err_set(err, EXIT_FAILED, "new: the name of '%.500s' is too long", to);
  if (stat(source, &info) == 0 && S_ISDIR(info.st_mode)) return copy_folder(source, made, name, other, err);
  return copy_file(source, made, name, other, err);
}

static int copy_folder(const char *from, const char *to, const char *name, const char *other, struct err *err) {
  DIR *stream = opendir(from);
  if (stream == NULL)
    return err_set(err, EXIT_FAILED, "new: '%.500s' is missing: %s; install gpubench", from, strerror(errno));
  int rc = 0;
  if (mkdir(to, 0777) != 0)
    rc = err_set(err, errno == EEXIST ? EXIT_USAGE : EXIT_FAILED, "new: '%.500s' cannot be made: %s%s", to,
                 strerror(errno), errno == EEXIST ? "; choose another --dir" : "");
  for (struct dirent *entry; rc == 0 && (entry = readdir(stream)) != NULL;)
    if (entry->d_name[0] != '.') rc = copy_entry(from, to, entry->d_name, name, other, err);
  closedir(stream);
  return rc;
}

/* The commands that come next, as a shell takes them. */
static void say_next(const char *prefix, const char *folder, const char *name) {
  char dir[PATH_MAX] = "", hint[2 * PATH_MAX] = "", built[PATH_MAX + 64], plugin[PATH_MAX] = "";
  const bool usual = strcmp(prefix, "/usr") == 0 || strcmp(prefix, "/usr/local") == 0; /* where CMake looks anyway */
  text_shell_add(dir, sizeof dir, folder);
  if (!usual) text_copy(hint, sizeof hint, " -DCMAKE_PREFIX_PATH=");
  if (!usual) text_shell_add(hint, sizeof hint, prefix);
  snprintf(built, sizeof built, "%s%s/build/%s.so", strchr(folder, '/') == NULL ? "./" : "", folder, name);
  text_shell_add(plugin, sizeof plugin, built);
  printf("  cmake -S %s -B %s/build%s\n  cmake --build %s/build\n  gpubench %s\n", dir, dir, hint, dir, plugin);
}

int new_command(const struct options *options, struct err *err) {
  const char *name = options->arguments.items[0], *to = options->dir != NULL ? options->dir : name;
  const struct start *start = find_start(options->lang);
  char prefix[PATH_MAX], from[PATH_MAX + 64];
  if (check_name(name, err) != 0 || find_prefix(prefix, err) != 0) return err->exit_code;
  snprintf(from, sizeof from, "%s/share/gpubench/%s", prefix, start->folder);
  if (copy_folder(from, to, start->name, name, err) != 0) return err->exit_code;
  if (options->quiet) return EXIT_OK;
  printf("%s: a plugin that works; what to make of it is said in steps at the top of %s\n", to, start->source);
  say_next(prefix, to, name);
  return EXIT_OK;
}
