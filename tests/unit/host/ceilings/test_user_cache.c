/* Tests the file in the user's cache that keeps ceilings (the highest rates measured on the machine): which of them
 * are read back, and which must not be. */
#include "ceilings/user_cache.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resume/run_ini.h"
#include "unit.h"

enum { NOW = 1795000000 };

static char folder[64], path[4096];
static struct pairs key;
static struct remembered figures[CEILINGS];
static struct err error;

static void begin(void) {
  strcpy(folder, "/tmp/gpubench-remembered-XXXXXX");
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  setenv("XDG_CACHE_HOME", folder, 1);
  ASSERT_TRUE(remembered_path("GPU-1/../2", path, sizeof path));
  key = (struct pairs){0};
  pairs_add(&key, "device_name", "NVIDIA ; H200 = \"best\"");
  pairs_add(&key, "nvml", " unavailable: 50%% ");
  pairs_add(&key, "driver", "580");
  for (size_t i = 0; i < CEILINGS; i++)
    figures[i] = (struct remembered){NAN, 0, "", ""};
  figures[CEILING_COPY] = (struct remembered){4293.32012345, NOW - 100, "pack@mine", "night; 2"};
  figures[CEILING_BF16] = (struct remembered){923.5, NOW - REMEMBERED_S, "wgmma", "a"};
}

static void end(void) {
  char command[128];
  pairs_free(&key);
  snprintf(command, sizeof command, "rm -r %s", folder);
  ASSERT_EQ_INT(system(command), 0);
}

static void keep(void) {
  error = (struct err){0};
  ASSERT_EQ_INT(remembered_write(path, &key, figures, &error), 0);
  ASSERT_EQ_STR(error.text, "");
}

static struct remembered *read_at(int64_t now_s) {
  static struct remembered read[CEILINGS];
  memset(read, 1, sizeof read);
  remembered_read(path, &key, now_s, read);
  return read;
}

static size_t known_at(int64_t now_s) {
  const struct remembered *read = read_at(now_s);
  size_t known = 0;
  for (size_t i = 0; i < CEILINGS; i++)
    known += isnan(read[i].value) ? 0 : 1;
  return known;
}

/* ---- The cache file ---- */

static void places(void) {
  char to[4096], small[40];
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CACHE_HOME", "/cache", 1);
  ASSERT_TRUE(remembered_path("NVIDIA H200", to, sizeof to));
  ASSERT_EQ_STR(to, "/cache/gpubench/ceilings-NVIDIA_H200.ini");
  ASSERT_TRUE(!remembered_path("NVIDIA H200", small, sizeof small));
  setenv("XDG_CACHE_HOME", "cache", 1); /* relative paths are ignored */
  ASSERT_TRUE(remembered_path("../GPU-1.2", to, sizeof to));
  ASSERT_EQ_STR(to, "/home/me/.cache/gpubench/ceilings-___GPU-1_2.ini");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "", 1);
  ASSERT_TRUE(!remembered_path("GPU-1", to, sizeof to));
  unsetenv("HOME");
  ASSERT_TRUE(!remembered_path("GPU-1", to, sizeof to));
}

static void comes_back(void) {
  begin();
  keep();
  const struct remembered *read = read_at(NOW - 1);
  ASSERT_NEAR(read[CEILING_COPY].value, 4293.32012345, 0);
  ASSERT_EQ_INT(read[CEILING_COPY].measured_s, NOW - 100);
  ASSERT_EQ_STR(read[CEILING_COPY].variant, "pack@mine");
  ASSERT_EQ_STR(read[CEILING_COPY].run_id, "night; 2");
  ASSERT_EQ_STR(read[CEILING_BF16].variant, "wgmma");
  ASSERT_TRUE(isnan(read[CEILING_READ].value) && isnan(read[CEILING_FP32].value));
  keep(); /* overwrites the file */
  ASSERT_EQ_INT(known_at(NOW - 1), 2);
  end();
}

static void is_of_its_day(void) {
  begin();
  keep();
  ASSERT_EQ_INT(known_at(NOW - 1), 2);
  ASSERT_EQ_INT(known_at(NOW), 1); /* one of the two ceilings was measured a day ago */
  ASSERT_EQ_INT(known_at(NOW - 100 + REMEMBERED_S - 1), 1);
  ASSERT_EQ_INT(known_at(NOW - 100 + REMEMBERED_S), 0);
  ASSERT_EQ_INT(known_at(NOW - 101), 1); /* the copy ceiling was measured later than this time */
  end();
}

static void is_of_its_key(void) {
  begin();
  keep();
  pairs_add(&key, "locked_clocks", "held by a setting");
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  keep();
  ASSERT_EQ_INT(known_at(NOW - 1), 2);
  free(key.items[2].value);
  key.items[2].value = strdup("581");
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  free(key.items[2].value);
  key.items[2].value = strdup("580");
  ASSERT_EQ_INT(known_at(NOW - 1), 2);
  key.count--; /* the key in the file has more entries than the present one */
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  key.count++;
  end();
}

static void says(const char *copy, const char *measured, const char *variant, size_t known) {
  FILE *file = fopen(path, "w");
  struct pairs tags = {0};
  pairs_add_text(&tags, "copy_ceiling_gb_per_s", copy);
  if (measured != NULL) pairs_add_text(&tags, "copy_ceiling_gb_per_s.measured_s", measured);
  pairs_add_text(&tags, "copy_ceiling_gb_per_s.variant", variant);
  run_ini_write_pairs(file, "environment", &key);
  run_ini_write_pairs(file, "tags", &tags);
  pairs_free(&tags);
  fclose(file);
  if (known_at(NOW) != known) UNIT_FAIL("'%s' of '%s' by '%.40s'", copy, measured ? measured : "-", variant);
}

static void numbers_are_checked(void) {
  static const char *const wrong[] = {"",     "0",   "-1",        "nan",   "inf",    "1e999", "1e-999",
                                      "1e10", "12x", "copy_ceil", "1,5e3", "0x1p99", "1 2",   "--1"};
  char many[300];
  begin();
  keep();
  memset(many, 'v', sizeof many - 1);
  many[sizeof many - 1] = '\0';
  says("4000", "1794999999", "pack", 1);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    says(wrong[i], "1794999999", "pack", 0);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    says("4000", wrong[i], "pack", 0);
  says("4000", NULL, "pack", 0);
  says("4000", "99999999999999999999", "pack", 0);
  says("4000", "-9223372036854775808", "pack", 0);
  says("4000", "1794999999", many, 0);
  end();
}

static void files_are_checked(void) {
  char other[128];
  struct stat info;
  begin();
  keep();
  ASSERT_EQ_INT(stat(path, &info), 0);
  for (off_t size = info.st_size - 1; size >= 0;
       size -= 7) { /* truncated anywhere: complete entries are used, the rest is not */
    ASSERT_EQ_INT(truncate(path, size), 0);
    const struct remembered *read = read_at(NOW - 1);
    ASSERT_TRUE(isnan(read[CEILING_COPY].value) || read[CEILING_COPY].measured_s == NOW - 100);
  }
  keep();
  FILE *file = fopen(path, "a");
  fputc('\0', file);
  fclose(file);
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  keep();
  ASSERT_EQ_INT(truncate(path, 1 << 20), 0);
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  keep();
  snprintf(other, sizeof other, "%s/other", folder);
  ASSERT_EQ_INT(rename(path, other), 0);
  ASSERT_EQ_INT(symlink(other, path), 0);
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  ASSERT_EQ_INT(remembered_write(path, &key, figures, &error), -1); /* the link is not followed when writing either */
  ASSERT_EQ_INT(unlink(path), 0);
  ASSERT_EQ_INT(mkfifo(path, 0600), 0);
  ASSERT_EQ_INT(known_at(NOW - 1), 0); /* reading does not block on a FIFO */
  ASSERT_EQ_INT(remembered_write(path, &key, figures, &error), -1);
  ASSERT_EQ_INT(unlink(path), 0);
  ASSERT_EQ_INT(mkdir(path, 0700), 0);
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  end();
}

/* A concurrent reader finds the complete text of one writer. */
static void runs_at_once(void) {
  enum { WRITERS = 3, TIMES = 100 };
  pid_t writers[WRITERS];
  begin();
  keep();
  for (int i = 0; i < WRITERS; i++) {
    writers[i] = fork();
    ASSERT_TRUE(writers[i] >= 0);
    if (writers[i] != 0) continue;
    figures[CEILING_COPY].value = 1000 + i;
    for (int n = 0; n < TIMES; n++)
      if (remembered_write(path, &key, figures, &error) != 0) _exit(1);
    _exit(0);
  }
  for (int n = 0; n < TIMES; n++)
    if (known_at(NOW - 1) != 2) UNIT_FAIL("reading %d", n);
  for (int i = 0; i < WRITERS; i++) {
    int status = -1;
    ASSERT_TRUE(waitpid(writers[i], &status, 0) == writers[i] && status == 0);
  }
  const double copy = read_at(NOW - 1)[CEILING_COPY].value;
  ASSERT_TRUE(copy >= 1000 && copy < 1000 + WRITERS);
  end();
}

static void needs_a_folder(void) {
  begin();
  char file[128];
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  snprintf(file, sizeof file, "%s/gpubench", folder);
  FILE *there = fopen(file, "w");
  fclose(there);
  ASSERT_EQ_INT(remembered_write(path, &key, figures, &error), -1);
  ASSERT_EQ_INT(known_at(NOW - 1), 0);
  end();
}

UNIT_MAIN("user_cache", UNIT_TEST(places), UNIT_TEST(comes_back), UNIT_TEST(is_of_its_day), UNIT_TEST(is_of_its_key),
          UNIT_TEST(numbers_are_checked), UNIT_TEST(files_are_checked), UNIT_TEST(runs_at_once),
          UNIT_TEST(needs_a_folder))
