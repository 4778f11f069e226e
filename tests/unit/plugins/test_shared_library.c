/* Tests the search for a vendor's library: in pip's folders of all possible environments, and only in absolute
 * paths. */
#include <dlfcn.h>
#include <link.h>

#include "../../plugins/shared/library.h"
#include "fake_tree.h"
#include "unit.h"

static char path[1024], why[1024];

/* Puts a copy of libm into the folder as libthing.so.1, so that the search finds a library that can be loaded. A link
 * would not do: the loader would see that it is libm, which is loaded already. */
static void place(const char *folder) {
  static char bytes[8 << 20];
  struct link_map *map = NULL;
  char name[512];
  void *any = dlopen("libm.so.6", RTLD_NOW);
  if (any == NULL || dlinfo(any, RTLD_DI_LINKMAP, &map) != 0) abort();
  FILE *file = fopen(map->l_name, "rb");
  if (file == NULL) perror(map->l_name), abort();
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  dlclose(any);
  snprintf(name, sizeof name, "%s/nvidia/thing/lib/libthing.so.1", folder);
  fake_bytes(name, bytes, size);
}

static const char *found(void) {
  path[0] = why[0] = '\0';
  void *library = library_open_pip("libthing.so.1", "thing", path, sizeof path, why, sizeof why);
  library_close(library);
  return library == NULL ? "" : path + strlen(fake_root);
}

static void begin(void) {
  fake_begin();
  unsetenv("VIRTUAL_ENV");
  unsetenv("CONDA_PREFIX");
  setenv("HOME", fake_root, 1);
  setenv("PATH", "/nowhere/bin", 1);
}

static void nothing_says_where_it_looked(void) {
  begin();
  ASSERT_EQ_STR(found(), "");
  ASSERT_EQ_STR(why, "libthing.so.1: no python3 has it in nvidia/thing/lib");
  fake_end();
}

static void the_active_environment_comes_first(void) {
  char venv[256];
  begin();
  place("/.local/lib/python3.11/site-packages");
  ASSERT_EQ_STR(found(), "/.local/lib/python3.11/site-packages/nvidia/thing/lib/libthing.so.1");
  place("/venv/lib/python3.12/site-packages");
  snprintf(venv, sizeof venv, "%s/venv", fake_root);
  setenv("VIRTUAL_ENV", venv, 1);
  ASSERT_EQ_STR(found(), "/venv/lib/python3.12/site-packages/nvidia/thing/lib/libthing.so.1");
  setenv("VIRTUAL_ENV", "venv", 1); /* not absolute */
  ASSERT_EQ_STR(found(), "/.local/lib/python3.11/site-packages/nvidia/thing/lib/libthing.so.1");
  fake_end();
}

static void the_python_of_the_path_is_asked(void) {
  char search[512];
  begin();
  place("/opt/lib/python3.12/site-packages");
  fake_file("/opt/bin/python3", "#!/bin/sh\n");
  chmod(fake_path("/opt/bin/python3"), 0700);
  snprintf(search, sizeof search, "opt/bin::%s/none/bin:%s/opt/bin", fake_root, fake_root);
  setenv("PATH", search, 1);
  ASSERT_EQ_STR(found(), "/opt/lib/python3.12/site-packages/nvidia/thing/lib/libthing.so.1");
  ASSERT_EQ_INT(chdir(fake_root), 0);
  setenv("PATH", "opt/bin", 1);
  ASSERT_EQ_STR(found(), "");
  fake_end();
}

static void signals_do_what_they_did(void) {
  struct library_signals kept;
  struct sigaction now;
  signal(SIGUSR1, SIG_IGN);
  library_signals_keep(&kept);
  signal(SIGINT, SIG_IGN); /* as a library may do */
  signal(SIGUSR1, SIG_DFL);
  library_signals_put_back(&kept);
  ASSERT_EQ_INT(sigaction(SIGINT, NULL, &now), 0);
  ASSERT_TRUE(now.sa_handler == SIG_DFL);
  ASSERT_EQ_INT(sigaction(SIGUSR1, NULL, &now), 0);
  ASSERT_TRUE(now.sa_handler == SIG_IGN);
}

UNIT_MAIN("vendors' libraries", UNIT_TEST(signals_do_what_they_did), UNIT_TEST(nothing_says_where_it_looked),
          UNIT_TEST(the_active_environment_comes_first), UNIT_TEST(the_python_of_the_path_is_asked))
