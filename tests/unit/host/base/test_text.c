#include "base/text.h"

#include <stdlib.h>

#include "base/memory.h"
#include "unit.h"

static void copies_what_fits(void) {
  char to[4];
  ASSERT_TRUE(text_copy(to, sizeof to, "abc"));
  ASSERT_EQ_STR(to, "abc");
  ASSERT_TRUE(!text_copy(to, sizeof to, "abcd"));
  ASSERT_EQ_STR(to, "abc");
  ASSERT_TRUE(text_copy(to, sizeof to, NULL));
  ASSERT_EQ_STR(to, "");
}

static void knows_names(void) {
  static const char *const good[] = {"a", "9", "flash", "llama3-8b/prefill-4k", "a.b_c"};
  static const char *const bad[] = {"", "-a", "/a", ".a", "a b", "a=b", "a,b", "\xC3\xA4", "a\n", "a[1]"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    if (!text_is_id(good[i])) UNIT_FAIL("'%s' is a name", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (text_is_id(bad[i])) UNIT_FAIL("'%s' is no name", bad[i]);
  char name[ID_SIZE + 1];
  memset(name, 'a', sizeof name);
  name[ID_SIZE] = '\0';
  ASSERT_TRUE(!text_is_id(name));
  name[ID_SIZE - 1] = '\0';
  ASSERT_TRUE(text_is_id(name));
  ASSERT_TRUE(!text_is_id(NULL));
}

static void sanitizes(void) {
  static const struct {
    const char *from, *to;
  } rows[] = {
      {"plain", "plain"},
      {"a\nb\tc\x7F", "a?b?c?"},
      {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"\xC2\x9B"
       "31m",
       "?31m"},                     /* a control character of two bytes */
      {"\xC0\xAF", "??"},           /* overlong */
      {"\xED\xA0\x80", "???"},      /* surrogate */
      {"\xF4\x90\x80\x80", "????"}, /* above U+10FFFF */
      {"\xE2\x82", "??"},           /* truncated */
      {"x\xFF", "x?"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[32];
    snprintf(text, sizeof text, "%s", rows[i].from);
    text_sanitize(text);
    ASSERT_EQ_STR(text, rows[i].to);
  }
}

static void percent_encoding_round_trips(void) {
  char text[64], all[300];
  ASSERT_TRUE(text_percent_encode(text, sizeof text, "a;b=100% \n", ";="));
  ASSERT_EQ_STR(text, "a%3Bb%3D100%25 %0A");
  text_percent_decode(text);
  ASSERT_EQ_STR(text, "a;b=100% \n");
  for (int i = 1; i < 256; i++)
    all[i - 1] = (char)i;
  all[255] = '\0';
  char encoded[1024];
  ASSERT_TRUE(text_percent_encode(encoded, sizeof encoded, all, " ;"));
  ASSERT_TRUE(strpbrk(encoded, " ;\n") == NULL);
  text_percent_decode(encoded);
  ASSERT_EQ_INT(strcmp(encoded, all), 0);
}

static void percent_encoding_is_bounded(void) {
  char text[6];
  ASSERT_TRUE(text_percent_encode(text, sizeof text, "ab%", ""));
  ASSERT_EQ_STR(text, "ab%25");
  ASSERT_TRUE(!text_percent_encode(text, sizeof text, "abc%", ""));
  ASSERT_EQ_STR(text, "abc");
  char broken[] = "%4g%%41%4";
  text_percent_decode(broken);
  ASSERT_EQ_STR(broken, "%4g%A%4");
}

static void finds_the_nearest(void) {
  static const char *const keys[] = {"precision", "baseline", "device", "seed"};
  ASSERT_EQ_STR(text_nearest("precison", keys, 4), "precision");
  ASSERT_EQ_STR(text_nearest("sed", keys, 4), "seed");
  ASSERT_TRUE(text_nearest("completely", keys, 4) == NULL);
  ASSERT_TRUE(text_nearest("x", keys, 0) == NULL);
}

static void joins_and_cuts(void) {
  static const char *const items[] = {"one", "two", "three"};
  char text[32], small[13];
  text_join(text, sizeof text, items, 3);
  ASSERT_EQ_STR(text, "one, two, three");
  text_join(small, sizeof small, items, 3);
  ASSERT_TRUE(strlen(small) < sizeof small);
  ASSERT_EQ_STR(small, "one, ...");
  text_join(text, sizeof text, items, 0);
  ASSERT_EQ_STR(text, "");
}

static void globs(void) {
  ASSERT_TRUE(text_glob("*", "a/b"));
  ASSERT_TRUE(text_glob("attention/*", "attention/forward/x"));
  ASSERT_TRUE(text_glob("f?ash", "flash"));
  ASSERT_TRUE(!text_glob("flash", "flash2"));
}

static void bytes_in_decimal_units(void) {
  static const struct {
    double bytes;
    const char *text;
  } rows[] = {{0, "0 B"},        {999, "999 B"},      {1000, "1.0 kB"},  {1500000000.0, "1.5 GB"},
              {805e6, "805 MB"}, {999.6e3, "1.0 MB"}, {9.96e3, "10 kB"}, {5e18, "5000 PB"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[32];
    text_bytes(text, sizeof text, rows[i].bytes);
    ASSERT_EQ_STR(text, rows[i].text);
  }
}

static void lists_own_their_strings(void) {
  struct strings list = {0};
  char text[] = "first";
  strings_add(&list, text);
  text[0] = 'x';
  strings_add(&list, "second");
  ASSERT_EQ_INT(list.count, 2);
  ASSERT_EQ_STR(list.items[0], "first");
  ASSERT_EQ_STR(list.items[1], "second");
  strings_free(&list);
  ASSERT_TRUE(list.items == NULL && list.count == 0);
}

static void allocates_zeroed(void) {
  unsigned char *memory = xcalloc(16, 4), sum = 0;
  for (size_t i = 0; i < 64; i++)
    sum |= memory[i];
  ASSERT_EQ_INT(sum, 0);
  memory = xrealloc(memory, 0, 4);
  ASSERT_TRUE(memory != NULL);
  free(memory);
  char *copy = xstrdup("x");
  ASSERT_EQ_STR(copy, "x");
  free(copy);
}

static void numbers_read_back(void) {
  const double values[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 3, -2.5, 123456789.123456789};
  char text[40];
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    text_shortest(text, sizeof text, values[i]);
    ASSERT_TRUE(strtod(text, NULL) == values[i]);
  }
  text_shortest(text, sizeof text, 0.1);
  ASSERT_EQ_STR(text, "0.1");
}

static void knows_utf8(void) {
  ASSERT_EQ_INT(text_utf8_length("a"), 1);
  ASSERT_EQ_INT(text_utf8_length("\xC3\xA9"), 2);
  ASSERT_EQ_INT(text_utf8_length("\xE2\x96\xB2"), 3);
  ASSERT_EQ_INT(text_utf8_length("\xF0\x9F\x98\x80"), 4);
  ASSERT_EQ_INT(text_utf8_length("\xC0\x80"), 0);         /* overlong */
  ASSERT_EQ_INT(text_utf8_length("\xED\xA0\x80"), 0);     /* surrogate */
  ASSERT_EQ_INT(text_utf8_length("\xF4\x90\x80\x80"), 0); /* above U+10FFFF */
  ASSERT_EQ_INT(text_utf8_length("\xE2\x96"), 0);         /* truncated */
}

static void names_signals(void) {
  char name[32], cut[4];
  text_signal(11, name, sizeof name);
  ASSERT_EQ_STR(name, "SIGSEGV");
  text_signal(40, name, sizeof name);
  ASSERT_EQ_STR(name, "signal 40");
  text_signal(11, cut, sizeof cut);
  ASSERT_EQ_STR(cut, "SIG");
}

static void shells_take_words(void) {
  char text[64] = "gpubench";
  const char *words[] = {"--plugin", "a=./b.so", "it's", "k[b=1,c=x]", ""};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    strcat(text, " ");
    text_shell_add(text, sizeof text, words[i]);
  }
  ASSERT_EQ_STR(text, "gpubench --plugin a=./b.so 'it'\\''s' 'k[b=1,c=x]' ''");
  for (size_t size = 1; size < 12; size++) { /* truncated, but terminated */
    char small[16] = "";
    text_shell_add(small, size, "'a'b'");
    ASSERT_TRUE(strlen(small) < size);
  }
}

static void names_files(void) {
  ASSERT_EQ_STR(text_file_name("/a/b/c.so"), "c.so");
  ASSERT_EQ_STR(text_file_name("c.so"), "c.so");
  ASSERT_EQ_STR(text_file_name("/a/"), "");
}

UNIT_MAIN("text", UNIT_TEST(names_files), UNIT_TEST(numbers_read_back), UNIT_TEST(knows_utf8),
          UNIT_TEST(copies_what_fits), UNIT_TEST(knows_names), UNIT_TEST(sanitizes),
          UNIT_TEST(percent_encoding_round_trips), UNIT_TEST(percent_encoding_is_bounded), UNIT_TEST(finds_the_nearest),
          UNIT_TEST(joins_and_cuts), UNIT_TEST(globs), UNIT_TEST(shells_take_words), UNIT_TEST(bytes_in_decimal_units),
          UNIT_TEST(lists_own_their_strings), UNIT_TEST(allocates_zeroed), UNIT_TEST(names_signals))
