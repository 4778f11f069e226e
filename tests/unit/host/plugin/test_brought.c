/* Tests which files belong to a plugin (its modules, sources and libraries), in folders made for the test, and how
 * they enter the identity of a build. */
#include "plugin/brought.h"

#include <fcntl.h>
#include <sha256.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "fake_tree.h"
#include "unit.h"

static struct brought brought;

static const char *names_of(const char *plugin) {
  static char list[4096];
  brought_free(&brought);
  brought_find(fake_path(plugin), &brought);
  list[0] = '\0';
  for (size_t i = 0; i < brought.count; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? " " : "", brought.items[i].name);
  return list;
}

static void modules_that_scripts_import(void) {
  fake_begin();
  fake_file("/p/mine.py", "import numpy, kernels\n  from pack.inner import x\nimport mine\nfrom native import y\n");
  ASSERT_EQ_STR(names_of("/p/mine.py"), "");
  fake_file("/p/kernels.py", "def f():\n    import deeper as d\n");
  fake_file("/p/deeper.py", "import kernels\n");
  fake_file("/p/kernels2.py", "");
  fake_file("/p/other.py", "");
  fake_file("/p/pack/__init__.py", "");
  fake_file("/p/pack/inner.py", "");
  fake_file("/p/pack/sub/deep.py", "import other\n");
  fake_file("/p/pack/__pycache__/inner.py", "");
  fake_file("/p/pack/notes.txt", "");
  fake_file("/p/native.cpython-311-x86_64-linux-gnu.so", "");
  ASSERT_EQ_STR(names_of("/p/mine.py"),
                "deeper.py kernels.py native.cpython-311-x86_64-linux-gnu.so other.py pack/__init__.py pack/inner.py "
                "pack/sub/deep.py");
  fake_end();
}

static void imports_by_name_and_files_in_quotes(void) {
  fake_begin();
  fake_file("/p/kernel.cu", "");
  fake_file("/p/late.py", "");
  fake_file("/p/data/table.bin", "");
  fake_file("/outside.txt", "");
  fake_file(
      "/p/mine.py",
      "importlib.import_module('late')\nS = \"kernel.cu\"\nT = 'data/table.bin'\nU = '../outside.txt'\nV = 'kernel.c'"
      "\nW = '/etc/passwd'\nX = \"late.py'\n");
  ASSERT_EQ_STR(names_of("/p/mine.py"), "data/table.bin kernel.cu late.py");
  fake_end();
}

/* Folders quoted in a script may be added to sys.path, so modules are found there. */
static void folders_in_quotes_have_modules(void) {
  fake_begin();
  fake_file("/p/lib/kernels.py", "import deeper\n");
  fake_file("/p/lib/deeper.py", "");
  fake_file("/p/lib/other.py", "");
  fake_file("/common/shared.py", "");
  fake_file("/p/elsewhere/kernels.py", "");
  fake_file("/p/mine.py", "sys.path[:0] = [here / 'lib', here.parent / \"common\"]\nimport kernels, shared\n");
  ASSERT_EQ_STR(names_of("/p/mine.py"), "../common/shared.py lib/deeper.py lib/kernels.py");
  fake_end();
}

static const char elf[] = "\177ELF";

static void file_of(const char *path, const char *text, size_t size) {
  char bytes[1024];
  memcpy(bytes, elf, 4);
  memcpy(bytes + 4, text, size);
  fake_bytes(path, bytes, 4 + size);
}

#define TEXT(path, text) file_of(path, text, sizeof text)

static void files_that_libraries_name(void) {
  fake_begin();
  fake_file("/p/kernel.cubin", "");
  fake_file("/p/libhelper.so", "");
  fake_file("/p/libother.so", "");
  fake_file("/p/prefix-libother.so", "");
  TEXT("/p/mine.so", "\0%s/kernel.cubin\0libhelper.so\0xlibother.so\0mine.so\0libother.so.1\0 libother.so");
  ASSERT_EQ_STR(names_of("/p/mine.so"), "kernel.cubin libhelper.so");
  for (size_t i = 0; i < brought.count; i++)
    ASSERT_TRUE(!brought.items[i].library); /* without a RUNPATH the loader does not look in the plugin's folder */
  fake_file("/p/mine.so", "no object: libhelper.so");
  ASSERT_EQ_STR(names_of("/p/mine.so"), "");
  fake_file("/p/mine.so", "");
  ASSERT_EQ_STR(names_of("/p/mine.so"), "");
  ASSERT_EQ_STR(names_of("/p/missing.so"), "");
  fake_end();
}

static void identity_is(const char *own, const char *text) {
  char expected[65], identity[65];
  brought_identity(&brought, own, identity);
  if (text != NULL)
    SHA256Data((const uint8_t *)text, strlen(text), expected);
  else
    text_copy(expected, sizeof expected, own);
  ASSERT_EQ_STR(identity, expected);
}

/* The identity of a plugin changes with each of its files. ci/nightly.py must compute the same identity for the same
 * files. */
static void the_identity_is_of_all(void) {
  fake_begin();
  fake_file("/p/mine.py", "import b, a\n");
  names_of("/p/mine.py");
  identity_is("0123", NULL);
  fake_file("/p/b.py", "");
  fake_file("/p/a.py", "abc");
  names_of("/p/mine.py");
  identity_is("0123",
              "0123\n"
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad a.py\n"
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 b.py\n");
  fake_end();
}

static void only_other_contents_of_one_name_clash(void) {
  struct brought_file one[] = {{"libx.so", "/a/libx.so", true, "11"}, {"liby.so", "/a/liby.so", true, "22"}};
  struct brought_file two[] = {{"libx.so", "/b/libx.so", true, "11"}, {"k.cu", "/b/k.cu", false, "33"}};
  const struct brought a = {one, 2, true}, b = {two, 2, true};
  const struct brought_file *other;
  ASSERT_TRUE(brought_clash(&a, &b, &other) == NULL);
  strcpy(two[0].sha256, "99");
  ASSERT_TRUE(brought_clash(&a, &b, &other) == &two[0] && other == &one[0]);
  two[0].library = false;
  ASSERT_TRUE(brought_clash(&a, &b, &other) == NULL);
}

static void names_are_relative(void) {
  static const char *const cases[][3] = {{"/a/b", "/a/b/c.py", "c.py"},
                                         {"/a/b", "/a/b/c/d.py", "c/d.py"},
                                         {"/a/b", "/a/lib/x.so", "../lib/x.so"},
                                         {"/a/b", "/a/bc/x.so", "../bc/x.so"},
                                         {"/a/b/c", "/a/x.so", "../../x.so"}};
  char shown[256];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mentions_relative(cases[i][0], cases[i][1], shown, sizeof shown);
    ASSERT_EQ_STR(shown, cases[i][2]);
  }
}

/* The stamp changes if the contents of a file change, even if its size and time of modification stay the same. It also
 * changes if a file is added to the folder. A file that was just written has no stamp. */
static void stamps_tell_what_has_changed(void) {
  char stamps[4][65];
  const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
  fake_begin();
  TEXT("/p/mine.so", "\0nothing.so");
  utimensat(AT_FDCWD, fake_path("/p/mine.so"), times, 0);
  mentions_stamp(fake_path("/p/mine.so"), stamps[0]);
  ASSERT_EQ_STR(stamps[0], ""); /* just written, whatever its time says */
  ASSERT_EQ_STR(names_of("/p/mine.so"), "");
  ASSERT_TRUE(!brought.looked_for);
  for (size_t i = 0; i < 4; i++) {
    if (i == 2) {
      TEXT("/p/mine.so", "\0nothinG.so");
      utimensat(AT_FDCWD, fake_path("/p/mine.so"), times, 0);
    }
    if (i == 3) fake_file("/p/nothinG.so", "");
    if (i != 1) usleep(3500000);
    mentions_stamp(fake_path("/p/mine.so"), stamps[i]);
    ASSERT_EQ_INT((int)strlen(stamps[i]), 64);
  }
  ASSERT_EQ_STR(stamps[1], stamps[0]);
  ASSERT_TRUE(strcmp(stamps[2], stamps[1]) != 0);
  ASSERT_TRUE(strcmp(stamps[3], stamps[2]) != 0);
  ASSERT_EQ_STR(names_of("/p/mine.so"), "nothinG.so");
  ASSERT_TRUE(brought.looked_for);
  mentions_stamp(fake_path("/p/missing.so"), stamps[0]);
  ASSERT_EQ_STR(stamps[0], "");
  fake_end();
}

UNIT_MAIN("brought", UNIT_TEST(modules_that_scripts_import), UNIT_TEST(imports_by_name_and_files_in_quotes),
          UNIT_TEST(folders_in_quotes_have_modules), UNIT_TEST(files_that_libraries_name),
          UNIT_TEST(the_identity_is_of_all), UNIT_TEST(only_other_contents_of_one_name_clash),
          UNIT_TEST(names_are_relative), UNIT_TEST(stamps_tell_what_has_changed))
