/* Writes the source of a new plugin: a copy of an SDK folder under a new name, or a guest, that is a plugin with a
 * variant of an existing bench. */
#include "contract/new.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/describe.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/tree.h"
#include "contract/contract.h"
#include "contract/skeleton.h"
#include "plan/lineup.h"
#include "worker/signals.h"

/* A word and its replacement in copied files and in their names. The word is not replaced where it is a part of a
 * longer word. */
struct rename {
  const char *from, *to; /* from NULL: the end of the list */
};

struct new_host {
  struct catalog catalog;
  struct lineups lineups;
  const struct lineup *lineup; /* the bench for which a variant is made */
  char plugin[4096];           /* the plugin that owns the bench, in the form that --plugin accepts */
};

/* Finds the folder in which gpubench is installed, two levels above its binary in bin/. */
static int new_prefix(char to[PATH_MAX], struct err *err) {
  if (tree_installed(to, PATH_MAX, "")) return 0;
  return err_set(err, EXIT_FAILED, "no folder for this binary: '%.200s'", to);
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

static int copy_renamed(const char *from, const char *to, const struct rename *renames, struct err *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *in = fopen(from, "r");
  if (in == NULL || getdelim(&text, &size, '\0', in) < 0) {
    if (in != NULL) fclose(in);
    free(text);
    return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be read: %s", from, strerror(errno));
  }
  fclose(in);
  SCOPED char *made = renamed(text, renames);
  free(text);
  FILE *out = made != NULL ? fopen(to, "wx") : NULL;
  if (out != NULL) fputs(made, out);
  if (out != NULL && fclose(out) == 0) return 0;
  return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be written: %s", to, strerror(errno));
}

/* Copies a folder to a new one, except the files whose names are in `but`, a NULL-terminated list or NULL. Never
 * overwrites existing files. */
static int new_copy(const char *from, const char *to, const char *const *but, const struct rename *renames,
                    struct err *err);

static int copy_entry(const char *from, const char *to, const char *entry, const struct rename *renames,
                      struct err *err) {
  char source[PATH_MAX], made[PATH_MAX], *name = renamed(entry, renames);
  struct stat info;
  const bool fits = name != NULL && (size_t)snprintf(source, sizeof source, "%s/%s", from, entry) < sizeof source &&
                    (size_t)snprintf(made, sizeof made, "%s/%s", to, name) < sizeof made;
  free(name);
  if (!fits) return err_set(err, EXIT_FAILED, "new: the name of '%.500s' is too long", to);
  if (stat(source, &info) == 0 && S_ISDIR(info.st_mode)) return new_copy(source, made, NULL, renames, err);
  return copy_renamed(source, made, renames, err);
}

static bool is_among(const char *const *names, const char *name) {
  for (; names != NULL && *names != NULL; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static int new_copy(const char *from, const char *to, const char *const *but, const struct rename *renames,
                    struct err *err) {
  SCOPED_DIR DIR *stream = opendir(from);
  if (stream == NULL)
    return err_set(err, EXIT_FAILED, "new: '%.500s' is missing: %s; install gpubench", from, strerror(errno));
  int rc = 0;
  if (mkdir(to, 0777) != 0)
    rc = err_set(err, EXIT_USAGE, "new: '%.500s' cannot be made: %s; choose another --dir", to, strerror(errno));
  for (struct dirent *entry; rc == 0 && (entry = readdir(stream)) != NULL;)
    if (entry->d_name[0] != '.' && !is_among(but, entry->d_name))
      rc = copy_entry(from, to, entry->d_name, renames, err);
  return rc;
}

/* ---- A variant of an existing bench: finding the bench, and writing the source if the SDK has no example ---- */

/* Returns true if the bench runs only if it is named. Then the name of its plugin alone does not mean this bench. */
static bool is_by_name(const struct new_host *host, const struct lineup *lineup) {
  return (host->catalog.plugins[lineup->plugin].benches[lineup->bench].flags & BENCH_BY_NAME) != 0;
}

static size_t find_named(const struct new_host *host, const char *name, bool whole, const char **ids,
                         const struct lineup **last) {
  size_t count = 0, usual = 0;
  const struct lineup *last_usual = NULL;
  for (size_t i = 0; i < host->lineups.count; i++) {
    const struct lineup *lineup = &host->lineups.items[i];
    if (name != NULL && !loaded_is_named(&host->catalog, lineup, name, whole, text_same)) continue;
    ids[count++] = lineup->id;
    *last = lineup;
    if (is_by_name(host, lineup)) continue;
    usual++;
    last_usual = lineup;
  }
  if (usual != 1 || name == NULL) return count;
  *last = last_usual;
  return usual;
}

/* Reports the benches that the name could mean. */
static int refuse_guest(const struct new_host *host, const char *name, const char **ids, size_t count,
                        struct err *err) {
  const struct lineup *ignored;
  char list[1400];
  const bool several = count > 0;
  if (!several) count = find_named(host, NULL, false, ids, &ignored);
  const char *nearest = several ? NULL : text_nearest(name, ids, count);
  text_join(list, sizeof list, ids, count);
  return err_set(err, EXIT_USAGE, "new --guest '%.200s' %s%s%s; there %s %s", name,
                 several ? "is more than one contract" : "is no contract here", nearest != NULL ? "; nearest: " : "",
                 text_or_empty(nearest), count == 1 ? "is" : "are",
                 count > 0 ? list : "none: name a plugin by --plugin");
}

/* Checks that the plugin's path has only characters that need no quotes, because it is written to a CMakeLists.txt. */
static int check_plugin(const char *path, struct err *err) {
  const char *usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-@,=~";
  if (path[strspn(path, usual)] == '\0') return 0;
  return err_set(err, EXIT_USAGE, "new --guest: the plugin's path '%.500s' has more than letters, digits and _./+-@,=~",
                 path);
}

/* Finds the bench that --guest means. --guest may give its contract or PLUGIN/BENCH, or only the name of the plugin or
 * the bench if no other bench matches. Returns -1 with exit code 2 if there is no such bench, or several. The caller
 * must call new_host_free() in either case. */
static int new_host_find(const struct options *options, struct new_host *host, struct err *err) {
  *host = (struct new_host){.lineup = NULL};
  signals_catch();
  if (loaded_describe(options, &host->catalog, err) != 0) return -1;
  lineups_all(&host->catalog, &host->lineups);
  SCOPED const char **ids = xcalloc(host->lineups.count + 1, sizeof *ids);
  size_t count = find_named(host, options->new.guest, true, ids, &host->lineup);
  if (count == 0) count = find_named(host, options->new.guest, false, ids, &host->lineup);
  int rc = count == 1 ? 0 : refuse_guest(host, options->new.guest, ids, count, err);
  if (rc != 0) return -1;
  contract_owner(&host->catalog, host->lineup, host->plugin, sizeof host->plugin);
  return check_plugin(host->plugin, err);
}

static void add_words(char *choice, size_t size, const char *option, const char *value) {
  char word[TEXT_SIZE + EXPR_SIZE] = "";
  size_t used = strlen(choice);
  text_shell_add(word, sizeof word, value);
  snprintf(choice + used, size - used, " %s %s", option, word);
}

/* Writes the options that select the device, and the bench among those of its plugin: " --bench softmax/rows". */
static void new_host_choose(const struct options *options, const struct new_host *host, char *choice, size_t size) {
  size_t benches = 0;
  for (size_t i = 0; i < host->lineups.count; i++)
    benches += host->lineups.items[i].plugin == host->lineup->plugin;
  choice[0] = '\0';
  if (benches > 1) add_words(choice, size, "--bench", host->lineup->id);
  if (strcmp(options->new.lang, "cuda") == 0) add_words(choice, size, "--device", "cuda");
}

static void choose_types(const struct contract *contract, char *choice, size_t size) {
  for (uint32_t a = 0; a < contract->point.count; a++) {
    const struct axis_value *value = &contract->point.values[a];
    char setting[TEXT_SIZE + EXPR_SIZE];
    if (!contract_axis_types(contract, a)) continue;
    snprintf(setting, sizeof setting, "%s=%s", value->name, value->str);
    add_words(choice, size, "-a", setting);
  }
}

/* Writes the source of a variant that computes nothing yet, in options->lang, to a new file. Appends options to
 * `choice` that select cases with the types that the variant supports: " -a dtype=fp32". */
static int new_host_skeleton(const struct options *options, const struct new_host *host, const char *path, char *choice,
                             size_t size, struct err *err) {
  const struct skeleton wanted = {.lang = options->new.lang, .name = options->arguments.items[0]};
  struct contract contract = {0};
  if (loaded_learn(options, &host->catalog, host->lineup, &contract, err) != 0) return -1;
  if (contract.why[0] == '\0') choose_types(&contract, choice, size);
  FILE *out = fopen(path, "wx");
  if (out != NULL && strcmp(options->new.lang, "python") == 0)
    contract_python(&contract, &wanted, out);
  else if (out != NULL)
    contract_skeleton(&host->catalog, &contract, &wanted, out);
  contract_free(&contract);
  if (out != NULL && fclose(out) == 0) return 0;
  return err_set(err, EXIT_FAILED, "new: '%.500s' cannot be written: %s", path, strerror(errno));
}

/* How `gpubench new NAME` makes a plugin: it copies the SDK's own template and examples from share/gpubench under
 * another name, so users get what these files show, and the tests of these files cover it. If there is no example with
 * a variant of the wanted bench, it copies the files of an example for another bench, and generates the source from the
 * contract of the wanted one. A script is not built, so it gets no CMakeLists.txt. */

enum { NAME_MOST = 40 };

static const struct guest {
  const char *contract, *bench, *plugin;
} gemm = {"gpubench.org/matmul/gemm/1", "matmul/gemm", "matmul.so"},
  attention = {"gpubench.org/attention/forward/1", "attention/forward", "attention.so"},
  softmax = {"gpubench.org/softmax/rows/1", "softmax/rows", "softmax.so"};

static const struct start {
  const char *lang;
  const struct guest *guest; /* NULL: the plugin defines its own bench */
  const char *folder;
  /* name: name of the plugin in `folder`; source: its file whose comments describe the steps for changing the plugin */
  const char *name, *source;
  bool split;
} starts[] = {
    {"c", NULL, "template", "mine", "plugin.c", false},
    {"cuda", NULL, "examples/cuda", "mycuda", "plugin.cu", false},
    {"cuda", NULL, "examples/cuda-split", "mysplit", "plugin.c", true},
    {"cpp", NULL, "examples/cpp", "mycpp", "plugin.cpp", false},
    {"rust", NULL, "examples/rust", "myrust", "src/lib.rs", false},
    {"python", &softmax, "examples/softmax-python", "mysoftmax", "mysoftmax.py", false},
    {"c", &gemm, "examples/matmul", "mymatmul", "plugin.c", false},
    {"cpp", &gemm, "examples/matmul-cpp", "mymatmul", "plugin.cpp", false},
    {"cuda", &gemm, "examples/matmul-cuda", "mymatmul", "plugin.cu", false},
    {"rust", &gemm, "examples/matmul-rust", "mymatmul", "src/lib.rs", false},
    {"c", &attention, "examples/attention", "myattention", "plugin.c", false},
    {"cuda", &attention, "examples/attention-cuda", "myattention", "plugin.cu", false},
    {"rust", &attention, "examples/attention-rust", "myattention", "src/lib.rs", false},
};

static bool is_script(const struct options *options) {
  return strcmp(options->new.lang, "python") == 0;
}

static const struct start *find_start(const struct options *options, const char *contract) {
  for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
    if (strcmp(starts[i].lang, options->new.lang) == 0 && starts[i].split == options->new.split &&
        text_same(starts[i].guest != NULL ? starts[i].guest->contract : NULL, contract))
      return &starts[i];
  return NULL;
}

/* Checks that the name is valid for a plugin, a CMake target, a function and a crate. */
static int check_name(const char *name, struct err *err) {
  static const char *const taken[] = {"all",           "clean",   "edit_cache",     "help",
                                      "install",       "package", "package_source", "preinstall",
                                      "rebuild_cache", "test"}; /* targets that CMake creates */
  bool good = islower((unsigned char)name[0]) && strlen(name) <= NAME_MOST;
  for (const char *at = name; *at != '\0'; at++)
    good = good && (islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_');
  if (!good)
    return err_set(err, EXIT_USAGE,
                   "new '%.200s': a name has a-z, 0-9 and _, begins with a letter, and is at most %d long", name,
                   NAME_MOST);
  if (strncmp(name, "gb_", 3) == 0)
    return err_set(err, EXIT_USAGE, "new '%s': what begins with gb_ is the SDK's: choose another name", name);
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
    if (strcmp(taken[i], name) == 0)
      return err_set(err, EXIT_USAGE, "new '%s': a target of CMake is called so: choose another name", name);
  return 0;
}

static int check_new_options(const struct options *options, struct err *err) {
  if (options->new.split && (strcmp(options->new.lang, "cuda") != 0 || options->new.guest != NULL))
    return err_set(err, EXIT_USAGE, "new --split is for --lang cuda without --guest");
  if (options->new.guest == NULL && options->cli.plugins.count > 0)
    return err_set(err, EXIT_USAGE, "new --plugin says where the contract of --guest is: give that too");
  return 0;
}

/* Writes the path of the built plugin or script, quoted for a shell in the current folder. */
static void quote_made(const char *folder, const char *name, bool built, char to[PATH_MAX]) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s%s/%s%s%s", strchr(folder, '/') == NULL ? "./" : "", folder, built ? "build/" : "",
           name, built ? ".so" : ".py");
  to[0] = '\0';
  text_shell_add(to, PATH_MAX, path);
}

/* Print the commands that the user needs next. */
static void say_next_script(const struct options *options, const char *folder, const char *owner, const char *choice) {
  char script[PATH_MAX], python[PATH_MAX] = "";
  quote_made(folder, options->arguments.items[0], false, script);
  if (options->common.python != NULL) text_copy(python, sizeof python, " --python ");
  if (options->common.python != NULL) text_shell_add(python, sizeof python, options->common.python);
  /* `gpubench check` must be told the plugin that owns the bench if that is a path; it finds bundled plugins itself */
  const char *beside = owner != NULL && strchr(owner, '/') != NULL ? owner : NULL;
  printf("  gpubench check %s%s%s%s%s\n", script, beside != NULL ? " " : "", text_or_empty(beside), choice, python);
  printf("  gpubench %s%s%s%s%s\n", text_or_empty(owner), owner != NULL ? " " : "", script, choice, python);
}

static void say_next(const char *prefix, const char *folder, const char *name, const char *owner, const char *choice) {
  char dir[PATH_MAX] = "", hint[2 * PATH_MAX] = "", plugin[PATH_MAX];
  /* CMake searches /usr and /usr/local by default, so no CMAKE_PREFIX_PATH is needed */
  const bool usual = strcmp(prefix, "/usr") == 0 || strcmp(prefix, "/usr/local") == 0;
  text_shell_add(dir, sizeof dir, folder);
  if (!usual) text_copy(hint, sizeof hint, " -DCMAKE_PREFIX_PATH=");
  if (!usual) text_shell_add(hint, sizeof hint, prefix);
  quote_made(folder, name, true, plugin);
  printf("  cmake -S %s -B %s/build%s\n  cmake --build %s/build\n", dir, dir, hint, dir);
  if (owner == NULL)
    printf("  gpubench %s\n", plugin);
  else
    printf("  gpubench %s %s%s\n", owner, plugin, choice);
}

/* Copies the folder of `start` to `to`, with the name of the new plugin in place of the example's name. Leaves out the
 * file `source` (NULL: none), which is generated instead. */
static int copy_start(const struct options *options, const char *prefix, const struct start *start, const char *to,
                      const char *source, const struct guest *owner, struct err *err) {
  char from[PATH_MAX + 64], crate[PATH_MAX + 64];
  snprintf(from, sizeof from, "%s/share/gpubench/%s", prefix, start->folder);
  /* the path by which a Cargo.toml refers to the SDK */
  snprintf(crate, sizeof crate, "%s/share/gpubench/rust", prefix);
  const bool guest = owner != NULL;
  const struct rename renames[] = {{start->name, options->arguments.items[0]},
                                   {"../../rust", crate},
                                   {guest ? start->guest->plugin : NULL, guest ? owner->plugin : NULL},
                                   {guest ? start->guest->bench : NULL, guest ? owner->bench : NULL},
                                   {NULL, NULL}};
  const char *const but[] = {is_script(options) ? "CMakeLists.txt" : source, source, NULL};
  return new_copy(from, to, but, renames, err);
}

/* Writes the name of the file that describes the steps for changing the plugin. */
static void name_source(const struct options *options, const struct start *start, char to[PATH_MAX]) {
  if (is_script(options))
    snprintf(to, PATH_MAX, "%s.py", options->arguments.items[0]);
  else
    text_copy(to, PATH_MAX, start->source);
}

static int write_own(const struct options *options, const char *prefix, const char *to, struct err *err) {
  const char *name = options->arguments.items[0];
  /* `start` is never NULL, because there is one for every value that --lang accepts */
  const struct start *start = find_start(options, NULL);
  char source[PATH_MAX];
  name_source(options, start, source);
  if (copy_start(options, prefix, start, to, NULL, NULL, err) != 0) return -1;
  if (options->common.quiet) return 0;
  printf("%s: a plugin that works; steps at the top of %s make it yours; guide: %s/share/gpubench/README.md\n", to,
         source, prefix);
  if (is_script(options))
    say_next_script(options, to, NULL, "");
  else
    say_next(prefix, to, name, NULL, "");
  return 0;
}

static int check_guest_lang(const struct options *options, const struct new_host *host, bool works, struct err *err) {
  if (works || strcmp(options->new.lang, "rust") != 0) return 0;
  return err_set(err, EXIT_USAGE,
                 "new --guest %s: in rust there are guests of %s and %s alone; --lang c, cuda, cpp or python",
                 host->lineup->id, gemm.bench, attention.bench);
}

static int write_guest(const struct options *options, const struct new_host *host, const char *prefix, const char *to,
                       struct err *err) {
  const char *name = options->arguments.items[0];
  const struct start *start = find_start(options, host->lineup->desc->contract);
  const bool works = start != NULL;
  if (check_guest_lang(options, host, works, err) != 0) return -1;
  if (!works) start = find_start(options, is_script(options) ? softmax.contract : gemm.contract);
  char source[PATH_MAX], path[PATH_MAX], choice[KEY_SIZE];
  const struct guest owner = {.bench = host->lineup->id, .plugin = host->plugin};
  name_source(options, start, source);
  if (copy_start(options, prefix, start, to, works ? NULL : start->source, &owner, err) != 0) return -1;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", to, source) >= sizeof path)
    return err_set(err, EXIT_FAILED, "new: the name of '%.500s' is too long", to);
  new_host_choose(options, host, choice, sizeof choice);
  if (!works && new_host_skeleton(options, host, path, choice, sizeof choice, err) != 0) return -1;
  if (options->common.quiet) return 0;
  printf("%s: a guest of %s that %s; steps at the top of %s make it yours; guide: %s/share/gpubench/README.md\n", to,
         host->lineup->id, works ? "works" : "is skipped until its kernel is written", source, prefix);
  if (is_script(options))
    say_next_script(options, to, host->plugin, choice);
  else
    say_next(prefix, to, name, host->plugin, choice);
  return 0;
}

int new_command(const struct options *given, struct err *err) {
  struct options with_guest = *given;
  const struct options *options = &with_guest;
  if (given->new.guest == NULL && is_script(given)) with_guest.new.guest = (char *)softmax.contract;
  const char *name = options->arguments.items[0], *to = options->new.dir != NULL ? options->new.dir : name;
  char prefix[PATH_MAX];
  struct new_host host;
  if (check_name(name, err) != 0 || check_new_options(options, err) != 0 || new_prefix(prefix, err) != 0)
    return err->exit_code;
  if (options->new.guest == NULL) return write_own(options, prefix, to, err) == 0 ? EXIT_OK : err->exit_code;
  int rc = new_host_find(options, &host, err);
  if (rc == 0) rc = write_guest(options, &host, prefix, to, err);
  lineups_free(&host.lineups);
  catalog_free(&host.catalog);
  return rc == 0 ? EXIT_OK : err->exit_code;
}
