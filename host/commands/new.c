/* What `gpubench new NAME` writes are the SDK's own template and examples, from share/gpubench beside the binary, under
 * another name: so whoever looks at those sees what he gets, and their tests are its tests. A guest of a contract that
 * no example is of has the frame of one that is, around a source made of the contract. A script is not built: it comes
 * without a CMakeLists.txt. */
#include "commands/new.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "commands/new_copy.h"
#include "commands/new_guest.h"

enum { NAME_MOST = 40 };

static const struct guest {
  const char *contract, *bench, *plugin;
} gemm = {"gpubench.org/matmul/gemm/1", "matmul/gemm", "matmul.so"},
  attention = {"gpubench.org/attention/forward/4", "attention/forward", "attention.so"},
  softmax = {"gpubench.org/softmax/rows/1", "softmax/rows", "softmax.so"};

static const struct start {
  const char *lang;
  const struct guest *guest; /* NULL: a problem of its own */
  const char *folder;
  const char *name, *source; /* what its plugin is called there, and where the steps are that make it another's */
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

/* A name that a plugin, a target of CMake, a function and a crate can have. */
static int check_name(const char *name, struct err *err) {
  static const char *const taken[] = {"all",           "clean",   "edit_cache",     "help",
                                      "install",       "package", "package_source", "preinstall",
                                      "rebuild_cache", "test"}; /* targets that CMake makes */
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

static int check_options(const struct options *options, struct err *err) {
  if (options->new.split && (strcmp(options->new.lang, "cuda") != 0 || options->new.guest != NULL))
    return err_set(err, EXIT_USAGE, "new --split is for --lang cuda without --guest");
  if (options->new.guest == NULL && options->cli.plugins.count > 0)
    return err_set(err, EXIT_USAGE, "new --plugin says where the contract of --guest is: give that too");
  return 0;
}

/* What is made, as a shell takes it from where this was typed. */
static void quote_made(const char *folder, const char *name, bool built, char to[PATH_MAX]) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s%s/%s%s%s", strchr(folder, '/') == NULL ? "./" : "", folder, built ? "build/" : "",
           name, built ? ".so" : ".py");
  to[0] = '\0';
  text_shell_add(to, PATH_MAX, path);
}

/* The commands that come next. */
static void say_next_script(const struct options *options, const char *folder, const char *owner, const char *choice) {
  char script[PATH_MAX], python[PATH_MAX] = "";
  quote_made(folder, options->arguments.items[0], false, script);
  if (options->common.python != NULL) text_copy(python, sizeof python, " --python ");
  if (options->common.python != NULL) text_shell_add(python, sizeof python, options->common.python);
  const char *beside = owner != NULL && strchr(owner, '/') != NULL ? owner : NULL; /* check finds bundled ones itself */
  printf("  gpubench check %s%s%s%s%s\n", script, beside != NULL ? " " : "", text_or_empty(beside), choice, python);
  printf("  gpubench %s%s%s%s%s\n", text_or_empty(owner), owner != NULL ? " " : "", script, choice, python);
}

static void say_next(const char *prefix, const char *folder, const char *name, const char *owner, const char *choice) {
  char dir[PATH_MAX] = "", hint[2 * PATH_MAX] = "", plugin[PATH_MAX];
  const bool usual = strcmp(prefix, "/usr") == 0 || strcmp(prefix, "/usr/local") == 0; /* where CMake looks anyway */
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

/* Copies the start under its new name, but `source` where that is made otherwise. */
static int copy_start(const struct options *options, const char *prefix, const struct start *start, const char *to,
                      const char *source, const struct guest *owner, struct err *err) {
  char from[PATH_MAX + 64], crate[PATH_MAX + 64];
  snprintf(from, sizeof from, "%s/share/gpubench/%s", prefix, start->folder);
  snprintf(crate, sizeof crate, "%s/share/gpubench/rust", prefix); /* where a Cargo.toml finds the SDK from */
  const bool guest = owner != NULL;
  const struct rename renames[] = {{start->name, options->arguments.items[0]},
                                   {"../../rust", crate},
                                   {guest ? start->guest->plugin : NULL, guest ? owner->plugin : NULL},
                                   {guest ? start->guest->bench : NULL, guest ? owner->bench : NULL},
                                   {NULL, NULL}};
  const char *const but[] = {is_script(options) ? "CMakeLists.txt" : source, source, NULL};
  return new_copy(from, to, but, renames, err);
}

/* The file where the steps are. */
static void name_source(const struct options *options, const struct start *start, char to[PATH_MAX]) {
  if (is_script(options))
    snprintf(to, PATH_MAX, "%s.py", options->arguments.items[0]);
  else
    text_copy(to, PATH_MAX, start->source);
}

static int write_own(const struct options *options, const char *prefix, const char *to, struct err *err) {
  const char *name = options->arguments.items[0];
  const struct start *start = find_start(options, NULL); /* --lang takes these alone */
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

static int check_start(const struct options *options, const struct new_host *host, bool works, struct err *err) {
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
  if (check_start(options, host, works, err) != 0) return -1;
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
  if (check_name(name, err) != 0 || check_options(options, err) != 0 || new_prefix(prefix, err) != 0)
    return err->exit_code;
  if (options->new.guest == NULL) return write_own(options, prefix, to, err) == 0 ? EXIT_OK : err->exit_code;
  int rc = new_host_find(options, &host, err);
  if (rc == 0) rc = write_guest(options, &host, prefix, to, err);
  new_host_free(&host);
  return rc == 0 ? EXIT_OK : err->exit_code;
}
