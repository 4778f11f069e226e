/* Finds installed tools without starting them. */
#include "doctor/tools.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/kernel_files.h"

enum { PATH_SIZE = 4096, LINE_SIZE = 1024 };

static const char *const names[TOOL_COUNT] = {"nvcc",   "torch", "triton", "cupy", "pycuda",
                                              "cublas", "cudnn", "ncu",    "nsys"};

const char *doctor_tool_name(enum tool tool) {
  return names[tool];
}

/* Converts a version to a number: 13000 for "13.0.48"; -1: the text is no version. */
static int64_t cuda_number(const char *text) {
  unsigned major = 0, minor = 0;
  return sscanf(text, "%3u.%2u", &major, &minor) == 2 ? 1000 * (int64_t)major + 10 * minor : -1;
}

static bool is_version(const char *text) {
  return text[0] >= '0' && text[0] <= '9' && text[strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz.+-_")] == '\0';
}

static bool set_version(struct doctor_tool *tool, const char *version, const char *where) {
  if (!is_version(version) || strlen(version) >= sizeof tool->version) return false;
  text_copy(tool->version, sizeof tool->version, version);
  text_copy(tool->where, sizeof tool->where, where);
  text_sanitize(tool->where);
  return true;
}

/* Copies the text between the first two characters of the line that are in `mark`. Returns false if there are none. */
static bool between(const char *line, const char *mark, char *to, size_t size) {
  const char *begin = strpbrk(line, mark), *end = begin != NULL ? strpbrk(begin + 1, mark) : NULL;
  if (end == NULL || (size_t)(end - begin) > size) return false;
  text_copy(to, (size_t)(end - begin), begin + 1);
  return true;
}

/* ---- Tools that are Python packages ---- */

/* Reads the CUDA version from a line of torch/version.py such as `cuda: Optional[str] = '13.0'`, or None. */
static int64_t torch_cuda(const char *packages) {
  char path[PATH_SIZE + 32], line[LINE_SIZE], version[32];
  int64_t cuda = -1;
  snprintf(path, sizeof path, "%s/torch/version.py", packages);
  SCOPED_TREE_FILE struct tree_file file = tree_open("", path);
  while (tree_line(&file, line, sizeof line)) {
    const char *value = strncmp(line, "cuda", 4) == 0 ? strchr(line, '=') : NULL;
    if (value == NULL) continue;
    cuda = between(value, "'\"", version, sizeof version) ? cuda_number(version) : 0;
  }
  return cuda;
}

static void read_torch(const char *packages, const char *metadata, struct doctor_tool *tool) {
  static const char wish[] = "Requires-Dist: triton";
  char line[LINE_SIZE];
  tool->cuda = torch_cuda(packages);
  SCOPED_TREE_FILE struct tree_file file = tree_open("", metadata);
  /* reads the headers, which end with an empty line; the package's description follows */
  while (tree_line(&file, line, sizeof line) && line[0] != '\0') {
    const char *exact = strncmp(line, wish, sizeof wish - 1) == 0 ? strstr(line, "==") : NULL;
    if (exact == NULL) continue;
    size_t length = strspn(exact + 2, "0123456789.");
    if (length < sizeof tool->wants_triton) text_copy(tool->wants_triton, length + 1, exact + 2);
  }
}

/* Returns the CUDA version in the name of a folder such as "cupy_cuda12x-13.4.1.dist-info" or
 * "cupy_cuda117-10.6.0.dist-info"; -1: the name has none, as in "cupy-13.4.1", which was built locally. */
static int64_t cupy_cuda(const char *folder) {
  const char *name = strrchr(folder, '/');
  unsigned number = 0;
  if (name == NULL || sscanf(name, "/cupy_cuda%4u", &number) != 1) return -1;
  return number < 100 ? 1000 * (int64_t)number : number / 10 * 1000 + number % 10 * 10;
}

static bool read_package(const char *folder, enum tool which, struct doctor_tool *tool) {
  static const char *const files[] = {"/METADATA", "/PKG-INFO", ""};
  char path[PATH_SIZE + 16], packages[PATH_SIZE], version[ID_SIZE];
  text_copy(packages, sizeof packages, folder);
  *strrchr(packages, '/') = '\0';
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s%s", folder, files[i]);
    if (!tree_value("", path, "Version", version, sizeof version) || !set_version(tool, version, packages)) continue;
    if (which == TOOL_TORCH) read_torch(packages, path, tool);
    if (which == TOOL_CUPY) tool->cuda = cupy_cuda(folder);
    return true;
  }
  return false;
}

/* Appends text whose special characters are escaped, so that glob() takes it literally. */
static void add_plainly(char *to, size_t size, const char *text) {
  size_t length = strlen(to);
  for (; *text != '\0' && length + 3 < size; text++) {
    if (strchr("\\*?[", *text) != NULL) to[length++] = '\\';
    to[length++] = *text;
  }
  to[length] = '\0';
}

/* A tool and a pattern that the names of its Python packages match. */
struct package {
  enum tool which;
  const char *name;
};

static bool find_package(const char *root, const char *prefix, const char *libraries, const struct package *package,
                         struct doctor_tool *tool) {
  char pattern[PATH_SIZE] = "";
  glob_t found = {0};
  add_plainly(pattern, sizeof pattern, root);
  add_plainly(pattern, sizeof pattern, prefix);
  size_t length = strlen(pattern);
  snprintf(pattern + length, sizeof pattern - length, "%s/*-packages/%s-[0-9]*-info", libraries, package->name);
  bool is_there = false;
  /* searches from the end of the sorted list, because the newest version of Python is probably there */
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = found.gl_pathc; i-- > 0 && !is_there;)
      is_there = strlen(found.gl_pathv[i]) < PATH_SIZE && read_package(found.gl_pathv[i], package->which, tool);
  globfree(&found);
  return is_there;
}

/* ---- Tools that are programs ---- */

/* Finds a program in a folder below root; `real` becomes its path with all links resolved. */
static bool find_in_folder(const char *root, const char *folder, const char *name, char real[PATH_MAX]) {
  char path[PATH_SIZE];
  if (folder[0] != '/' || (size_t)snprintf(path, sizeof path, "%s%s/%s", root, folder, name) >= sizeof path)
    return false;
  return access(path, X_OK) == 0 && realpath(path, real) != NULL;
}

/* Finds a program in the folders of PATH. Sets the folder, and its path with all links resolved. */
static bool find_in_path(const char *root, const char *name, char folder[PATH_SIZE], char real[PATH_MAX]) {
  char folders[PATH_SIZE];
  text_copy(folders, sizeof folders, getenv("PATH"));
  for (char *rest = folders, *one; (one = strsep(&rest, ":")) != NULL;)
    if (find_in_folder(root, one, name, real)) return text_copy(folder, PATH_SIZE, one);
  return false;
}

static bool find_tool_program(const char *root, const char *name, char real[PATH_MAX]) {
  static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
  char folder[PATH_SIZE];
  if (find_in_path(root, name, folder, real)) return true;
  for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
    snprintf(folder, sizeof folder, "%s/bin", text_or_empty(getenv(homes[i])));
    if (find_in_folder(root, folder, name, real)) return true;
  }
  return find_in_folder(root, "/usr/local/cuda/bin", name, real);
}

static void cut_last(char *path) {
  char *slash = strrchr(path, '/');
  if (slash != NULL) *slash = '\0';
}

/* Returns the folder in which a toolkit is installed, two levels above its program. */
static void toolkit_of(const char *program, char *to, size_t size) {
  text_copy(to, size, program);
  cut_last(to);
  cut_last(to);
}

/* Reads the version of a part from a toolkit's version.json, where "version" is on a line after the part's name. */
static bool version_of_part(const char *toolkit, const char *part, char *to, size_t size) {
  char path[PATH_SIZE + 16], line[LINE_SIZE], name[64];
  bool inside = false, found = false;
  snprintf(path, sizeof path, "%s/version.json", toolkit);
  snprintf(name, sizeof name, "\"%s\"", part);
  SCOPED_TREE_FILE struct tree_file file = tree_open("", path);
  while (!found && tree_line(&file, line, sizeof line)) {
    const char *key = inside ? strstr(line, "\"version\"") : NULL, *colon = key != NULL ? strchr(key, ':') : NULL;
    found = colon != NULL && between(colon, "\"", to, size);
    inside = inside || strstr(line, name) != NULL;
  }
  return found;
}

/* Reads the version from a toolkit's header: "#define CUDA_VERSION 13000". */
static bool version_of_header(const char *toolkit, char *to, size_t size) {
  char path[PATH_SIZE + 32], line[LINE_SIZE];
  unsigned version = 0;
  snprintf(path, sizeof path, "%s/include/cuda.h", toolkit);
  SCOPED_TREE_FILE struct tree_file file = tree_open("", path);
  while (version == 0 && tree_line(&file, line, sizeof line))
    if (sscanf(line, "#define CUDA_VERSION %6u", &version) != 1) version = 0;
  snprintf(to, size, "%u.%u", version / 1000, version % 1000 / 10);
  return version > 0;
}

/* Reads the version from a program's path: "2025.3.0" for ".../nsight-compute/2025.3.0/ncu". */
static bool version_of_path(const char *program, const char *product, char *to, size_t size) {
  const char *at = strstr(program, product);
  if (at == NULL) return false;
  at += strlen(product);
  size_t length = *at == '/' ? strspn(at + 1, "0123456789.") : 0;
  if (length == 0 || length >= size) return false;
  text_copy(to, length + 1, at + 1);
  return true;
}

static void find_nvcc(const char *root, struct doctor_tool *tool) {
  char program[PATH_MAX], toolkit[PATH_SIZE], version[ID_SIZE];
  if (!find_tool_program(root, "nvcc", program)) return;
  toolkit_of(program, toolkit, sizeof toolkit);
  text_copy(tool->where, sizeof tool->where, program);
  text_sanitize(tool->where);
  if ((version_of_part(toolkit, "cuda_nvcc", version, sizeof version) ||
       version_of_header(toolkit, version, sizeof version)) &&
      set_version(tool, version, program))
    tool->cuda = cuda_number(version);
}

/* Finds a Nsight tool. `product` is the name of its folder, `part` its name in version.json. */
static void find_nsight(const char *root, enum tool which, const char *product, const char *part,
                        struct doctor_tool *tool) {
  char program[PATH_MAX] = "", toolkit[PATH_SIZE], version[ID_SIZE], pattern[PATH_SIZE] = "";
  glob_t found = {0};
  /* the program is not in PATH, so the folders are searched in which its packages are installed */
  if (!find_tool_program(root, names[which], program)) {
    add_plainly(pattern, sizeof pattern, root);
    size_t length = strlen(pattern);
    snprintf(pattern + length, sizeof pattern - length, "/opt/nvidia/%s/[0-9]*", product);
    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0)
      text_copy(program, sizeof program, found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
  }
  if (program[0] == '\0') return;
  text_copy(tool->where, sizeof tool->where, program);
  text_sanitize(tool->where);
  toolkit_of(program, toolkit, sizeof toolkit);
  if (version_of_path(program, product, version, sizeof version) ||
      version_of_part(toolkit, part, version, sizeof version))
    set_version(tool, version, program);
}

/* ---- Tools that are libraries ---- */

/* Reads the version from a library's file name: "12.4.5.8" from libcublas.so.12.4.5.8. Ignores links to the library,
 * whose names have a shorter version. */
static bool find_versioned_library(const char *root, const char *folder, const char *name, struct doctor_tool *tool) {
  char pattern[PATH_SIZE] = "";
  glob_t found = {0};
  bool is_there = false;
  if (folder[0] != '/') return false;
  add_plainly(pattern, sizeof pattern, root);
  add_plainly(pattern, sizeof pattern, folder);
  const size_t length = strlen(pattern);
  snprintf(pattern + length, sizeof pattern - length, "/lib%s.so.[0-9]*", name);
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = found.gl_pathc; i-- > 0 && !is_there;)
      is_there = set_version(tool, strstr(strrchr(found.gl_pathv[i], '/'), ".so.") + 4, found.gl_pathv[i]);
  globfree(&found);
  return is_there;
}

static void find_libraries(const char *root, enum tool which, struct doctor_tool *tool) {
  static const char *const usual[] = {"/usr/local/cuda/lib64",      "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu",
                                      "/usr/lib/aarch64-linux-gnu", "/usr/lib64",      "/usr/lib"};
  static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
  char folders[PATH_SIZE], folder[PATH_SIZE];
  text_copy(folders, sizeof folders, getenv("LD_LIBRARY_PATH"));
  for (char *rest = folders, *one; (one = strsep(&rest, ":;")) != NULL;)
    if (find_versioned_library(root, one, names[which], tool)) return;
  for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
    snprintf(folder, sizeof folder, "%s/lib64", text_or_empty(getenv(homes[i])));
    if (find_versioned_library(root, folder, names[which], tool)) return;
  }
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (find_versioned_library(root, usual[i], names[which], tool)) return;
}

static void find_packages(const char *root, const struct package *package, struct doctor_tool *tool) {
  char python[PATH_MAX], beside_python[PATH_SIZE] = "", user[PATH_SIZE];
  if (find_in_path(root, "python3", beside_python, python)) cut_last(beside_python);
  snprintf(user, sizeof user, "%s/.local", text_or_empty(getenv("HOME")));
  const char *const prefixes[] = {text_or_empty(getenv("VIRTUAL_ENV")),
                                  text_or_empty(getenv("CONDA_PREFIX")),
                                  user,
                                  beside_python,
                                  "/usr/local",
                                  "/usr"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && tool->version[0] == '\0'; i++)
    if (prefixes[i][0] == '/' && !find_package(root, prefixes[i], "/lib/python3*", package, tool))
      find_package(root, prefixes[i], "/lib64/python3*", package, tool);
}

void doctor_tools_read(const char *root, struct doctor_tool tools[TOOL_COUNT]) {
  static const struct package packages[] = {{TOOL_TORCH, "torch"},
                                            {TOOL_TRITON, "triton"},
                                            {TOOL_CUPY, "cupy"},
                                            {TOOL_CUPY, "cupy_cuda*"},
                                            {TOOL_PYCUDA, "pycuda"},
                                            {TOOL_CUBLAS, "nvidia_cublas"},
                                            {TOOL_CUBLAS, "nvidia_cublas_cu[0-9]*"},
                                            {TOOL_CUDNN, "nvidia_cudnn"},
                                            {TOOL_CUDNN, "nvidia_cudnn_cu[0-9]*"}};
  for (enum tool tool = 0; tool < TOOL_COUNT; tool++)
    tools[tool] = (struct doctor_tool){.cuda = -1};
  find_libraries(root, TOOL_CUBLAS, &tools[TOOL_CUBLAS]);
  find_libraries(root, TOOL_CUDNN, &tools[TOOL_CUDNN]);
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
    if (tools[packages[i].which].version[0] == '\0') find_packages(root, &packages[i], &tools[packages[i].which]);
  find_nvcc(root, &tools[TOOL_NVCC]);
  find_nsight(root, TOOL_NCU, "nsight-compute", "nsight_compute", &tools[TOOL_NCU]);
  find_nsight(root, TOOL_NSYS, "nsight-systems", "nsight_systems", &tools[TOOL_NSYS]);
}
