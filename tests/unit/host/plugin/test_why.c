/* Tests the explanations of the dynamic loader's messages. The messages are those of glibc; e2e tests provoke real
 * ones. */
#include "plugin/loader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const char *why(const char *said) {
  static struct err err;
  int fd = open("/proc/self/exe", O_RDONLY);
  err = (struct err){0};
  ASSERT_EQ_INT(loader_why(fd, "/x/p.so", said, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  close(fd);
  return err.text;
}

static void a_library_is_missing(void) {
  setenv("LD_LIBRARY_PATH", "/opt/a:/opt/b", 1);
  /* This test's own binary needs libc, so it can stand for the file that needs the missing library. */
  ASSERT_HAS(why("libc.so.6: cannot open shared object file: No such file or directory"),
             "needs libc.so.6, which is not found (looked in ");
  ASSERT_HAS(why("libc.so.6: cannot open shared object file: No such file or directory"),
             "LD_LIBRARY_PATH /opt/a:/opt/b, the loader's cache and its default folders)");
  ASSERT_HAS(why("libdeep.so.3: cannot open shared object file: No such file or directory"),
             "a library that it needs wants libdeep.so.3, which is not found (looked in LD_LIBRARY_PATH ");
  unsetenv("LD_LIBRARY_PATH");
  ASSERT_HAS(why("libdeep.so.3: cannot open shared object file: No such file or directory"),
             "(looked in LD_LIBRARY_PATH (not set), ");
  ASSERT_EQ_STR(why("/x/p.so: cannot open shared object file: Permission denied"),
                "/x/p.so: cannot open shared object file: Permission denied");
}

static void a_symbol_is_missing(void) {
  ASSERT_EQ_STR(why("/x/p.so: undefined symbol: frobnicate"),
                "it uses frobnicate, which no library that is loaded defines");
  ASSERT_HAS(why("/x/q.so: undefined symbol: frobnicate, version Q_1.2"),
             "its library /x/q.so uses frobnicate of version Q_1.2, which");
  const char *text = why("/x/p.so: undefined symbol: _ZN5outer5innerEid");
  ASSERT_HAS(text, "_ZN5outer5innerEid");
  ASSERT_HAS(text,
             /* demangled only if a C++ library is present, as on every machine with a compiler */
             "outer::inner(int, double) (");
  ASSERT_HAS(why("/x/p.so: undefined symbol: _Zwhat"), "it uses _Zwhat, which");
}

static void a_library_is_too_old(void) {
  ASSERT_EQ_STR(
      why("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by /x/p.so)"),
      "it needs version GLIBC_2.99 of libc.so.6, which this machine's is too old for: build it on an older system");
  ASSERT_HAS(why("/lib/libc.so.6: version `GLIBC_2.99' not found (required by /x/q.so)"),
             "its library /x/q.so needs version GLIBC_2.99 of libc.so.6");
}

static void other_words_are_passed_on(void) {
  static const char *const texts[] = {"/x/p.so: cannot enable executable stack as shared object requires",
                                      "/x/p.so: version `X", ": undefined symbol", "", "%s%n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    ASSERT_EQ_STR(why(texts[i]), texts[i]);
}

static void long_words_are_cut(void) {
  static char text[5000];
  memset(text, 'a', sizeof text - 1);
  memcpy(text, "/x/p.so: undefined symbol: ", 27);
  ASSERT_HAS(why(text), "it uses aaaa");
  ASSERT_HAS(why(text), "which no library that is loaded defines");
}

UNIT_MAIN("loader_why", UNIT_TEST(a_library_is_missing), UNIT_TEST(a_symbol_is_missing),
          UNIT_TEST(a_library_is_too_old), UNIT_TEST(other_words_are_passed_on), UNIT_TEST(long_words_are_cut))
