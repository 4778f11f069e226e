/* Tests diagrams without Graphviz: wrapping text, parsing the answer of the layout program, drawing, and the
 * handling of a program that misbehaves. */
#include "diagram/diagram.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "diagram/draw.h"
#include "diagram/graphviz/layout.h"
#include "diagram/layout.h"

/* ---- Text ---- */

static void assert_lines(const char *text, size_t most, size_t count, const char *first, const char *last) {
  struct strings lines = {0};
  diagram_wrap(&lines, text, most);
  ASSERT_EQ_INT(lines.count, count);
  if (lines.count == count && count > 0) {
    ASSERT_EQ_STR(lines.items[0], first);
    ASSERT_EQ_STR(lines.items[count - 1], last);
  }
  for (size_t i = 0; i < lines.count; i++)
    if (diagram_columns(lines.items[i]) > most) UNIT_FAIL("'%s' is wider than %zu", lines.items[i], most);
  strings_free(&lines);
}

static void text_is_wrapped(void) {
  assert_lines("", 10, 0, "", "");
  assert_lines("short", 10, 1, "short", "short");
  assert_lines("exactly10!", 10, 1, "exactly10!", "exactly10!");
  assert_lines("two short words", 10, 2, "two short", "words");
  assert_lines("one\nline each", 20, 2, "one", "line each");
  assert_lines("averyveryverylongword", 10, 3, "averyveryv", "d");
  assert_lines("a b c d e f g h i j k l m n o p", 5, 3, "a b c", "g h\xE2\x80\xA6");
  assert_lines("\xE6\xB3\xA8\xE6\x84\x8F\xE5\x8A\x9B\xE6\xA9\x9F", 4, 2, "\xE6\xB3\xA8\xE6\x84\x8F",
               "\xE5\x8A\x9B\xE6\xA9\x9F");
  assert_lines("\xff\xfe\xff", 10, 1, "\xff\xfe\xff", "\xff\xfe\xff");
}

static void long_text_is_bounded(void) {
  char *text = malloc(100001);
  memset(text, 'x', 100000);
  text[100000] = '\0';
  struct strings lines = {0};
  diagram_wrap(&lines, text, DIAGRAM_LINE_MOST);
  ASSERT_EQ_INT(lines.count, DIAGRAM_LINES_MOST);
  ASSERT_EQ_INT(diagram_columns(lines.items[2]), DIAGRAM_LINE_MOST);
  strings_free(&lines);
  for (size_t i = 0; i < 100000; i += 4) /* the widest characters */
    memcpy(text + i, "\xF0\x9F\x98\x80", 4);
  diagram_wrap(&lines, text, 60);
  ASSERT_EQ_INT(lines.count, DIAGRAM_LINES_MOST);
  strings_free(&lines);
  free(text);
}

/* ---- Drawing ---- */

static const char *const answer =
    "size 300.0 200.0\ncluster 8.0 8.0 150.0 120.0\nnode 70.0 60.0\nnode 200.0 60.0\nnode 200.0 150.0\n"
    "edge 135.0 50.0 5 110.0 60.0 120.0 60.0 140.0 60.0 150.0 60.0 160.0 60.0\n"
    "edge 0.0 0.0 5 200.0 80.0 200.0 90.0 200.0 110.0 200.0 120.0 200.0 130.0\nend\n";

static void build(struct diagram *d, const char *title, const char *text) {
  diagram_init(d, "d-1", title, text);
  int cluster = (int)diagram_cluster(d, title);
  size_t x = diagram_node(d, cluster, DIAGRAM_DATA, title);
  size_t k = diagram_node(d, -1, DIAGRAM_STEP, title);
  size_t y = diagram_node(d, -1, DIAGRAM_STRONG, title);
  diagram_line(d, x, text);
  diagram_line(d, k, "kernel, 137 GFLOP");
  d->nodes[y].place = 1;
  diagram_edge(d, x, k, text)->weight = 1;
  diagram_link(d, k, y, "");
}

static char *drawn(struct diagram *d) {
  struct capture capture;
  diagram_measure(d);
  ASSERT_TRUE(diagram_parse(d, answer));
  diagram_draw(capture_open(&capture), d);
  return capture_close(&capture);
}

static void looks_as_it_should(void) {
  struct diagram d;
  build(&d, "S = Q K^T", "8.6 GB");
  char *text = drawn(&d);
  assert_golden("diagram.svg", text);
  free(text);
  diagram_free(&d);
}

/* Text never becomes markup, and all of it reaches the tooltip. */
static void hostile_text_is_inert(void) {
  static const char *const hostile[] = {"</text><script>alert(1)</script>",
                                        "\"><svg onload=x>",
                                        "a\\N \\G \\l \\\"",
                                        "<b>HTML-like</b>",
                                        "&amp;&lt;",
                                        "\x01\x1b[31m\xff\xfe",
                                        "two\nlines\r\nmore",
                                        "]]>-->",
                                        "'+style='x",
                                        "URL=javascript:x"};
  for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
    struct diagram d;
    build(&d, hostile[i], hostile[i]);
    char *text = drawn(&d);
    static const char *const never[] = {"<script", "<b>",  "onload=x>\"", "\x01",
                                        "\x1b",    "\xff", "href",        "&amp;amp;amp"};
    for (size_t n = 0; n < sizeof never / sizeof never[0]; n++)
      if (strstr(text, never[n]) != NULL) UNIT_FAIL("%s in the drawing of %s", never[n], hostile[i]);
    ASSERT_EQ_INT(count_of(text, "<svg"), 1);
    ASSERT_EQ_INT(count_of(text, "<text "), count_of(text, "</text>"));
    ASSERT_EQ_INT(count_of(text, "<title"), count_of(text, "</title>"));
    ASSERT_EQ_INT(count_of(text, "<"), count_of(text, ">")); /* equal, because '<' and '>' in texts are escaped */
    free(text);
    diagram_free(&d);
  }
}

static void ids_carry_the_diagrams_own(void) {
  struct diagram d;
  build(&d, "a", "b");
  char *text = drawn(&d);
  ASSERT_EQ_INT(count_of(text, " id=\""), 2);
  ASSERT_HAS(text, "aria-labelledby=\"d-1-title d-1-desc\"");
  ASSERT_HAS(text, "<title id=\"d-1-title\">a</title>");
  ASSERT_HAS(text, "<desc id=\"d-1-desc\">b</desc>");
  ASSERT_EQ_INT(count_of(text, "style="), 0);
  ASSERT_EQ_INT(count_of(text, "http"), 1); /* the only URL is that of the namespace */
  free(text);
  diagram_free(&d);
}

/* ---- Answers of the program ---- */

static void damaged_answers_are_refused(void) {
  static const char *const bad[] = {
      "",           "end\n",        "size 1 1\nend\n",       "size nan 1\n", "size 1 inf\n",
      "size 0 0\n", "size 1e9 1\n", "<svg onload=alert(1)>",
  };
  struct diagram d;
  build(&d, "a", "b");
  diagram_measure(&d);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (diagram_parse(&d, bad[i])) UNIT_FAIL("taken for an answer: %s", bad[i]);
  for (size_t cut = 0; cut + 2 < strlen(answer); cut++) { /* the newline after `end` may be missing */
    char *part = strndup(answer, cut);
    if (diagram_parse(&d, part) && cut + 4 < strlen(answer)) UNIT_FAIL("taken for an answer: %zu bytes", cut);
    free(part);
  }
  static const char *const counts[] = {" 0 ", " 4 ", " 6 ", " -2 ", " 1e5 ", " 2.5 ", " 99999999999 ", " nan "};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    char text[2048];
    const char *at = strstr(answer, "50.0 5 ") + 4;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - answer), answer, counts[i], at + 3);
    if (diagram_parse(&d, text)) UNIT_FAIL("taken for an answer: %s points", counts[i]);
  }
  ASSERT_TRUE(diagram_parse(&d, answer)); /* the right answer is still accepted */
  diagram_free(&d);
}

static void too_much_is_not_asked(void) {
  struct diagram d;
  struct err err = {0};
  diagram_program = "/nonexistent/never-asked";
  diagram_init(&d, "d", "t", "");
  ASSERT_TRUE(diagram_svg(&d, &err) == NULL);
  ASSERT_HAS(err.text, "nothing to draw");
  for (int i = 0; i <= LAYOUT_NODES_MAX; i++)
    diagram_node(&d, -1, DIAGRAM_PLAIN, "n");
  err = (struct err){0};
  ASSERT_TRUE(diagram_svg(&d, &err) == NULL);
  ASSERT_HAS(err.text, "97 boxes and 0 arrows are more than 96 and 160");
  diagram_free(&d);
  diagram_program = NULL;
}

/* ---- Programs that misbehave ---- */

static char program[] = "/tmp/test_diagram.XXXXXX";

static void use_program(const char *script) {
  strcpy(program, "/tmp/test_diagram.XXXXXX");
  FILE *out = fdopen(mkstemp(program), "w");
  fprintf(out, "#!/bin/sh\n%s\n", script);
  fchmod(fileno(out), 0700);
  fclose(out);
  diagram_program = program;
}

/* Runs the script as the program; no process of it may be left. Returns NULL if there was no answer. */
static char *ask(const char *script, size_t request_size, struct err *err) {
  char *request = calloc(request_size + 1, 1);
  memset(request, '7', request_size);
  *err = (struct err){0};
  use_program(script);
  char *text = diagram_ask(request, request_size, err);
  ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
  ASSERT_TRUE((text == NULL) == (err->text[0] != '\0'));
  unlink(program);
  diagram_program = NULL;
  free(request);
  return text;
}

static void fails(const char *script, const char *part) {
  struct err err;
  char *text = ask(script, 100, &err);
  if (text != NULL) UNIT_FAIL("'%s' had an answer: %.100s", script, text);
  ASSERT_HAS(err.text, part);
  free(text);
}

static void failures_are_told(void) {
  fails("exit 127", "Graphviz's libraries (libgvc) are missing here");
  fails("exit 3", "gpubench-diagram: failed without a message");
  fails("printf 'no \\033[31mluck\\nat all'; exit 1", "gpubench-diagram: no ?[31mluck");
  fails("kill -SEGV $$", "gpubench-diagram died of SIGSEGV");
  fails("kill -KILL $$", "gpubench-diagram died of SIGKILL");
}

static void output_is_bounded(void) {
  fails(
      "while :; do printf '%s' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
      "longer than 262144 bytes");
}

static void time_is_bounded(void) {
  fails("exec sleep 60", "no layout within 5 s");
  fails("exec >&- <&- sleep 60", "died of SIGKILL"); /* it closed its output and does not exit */
}

static void cpu_time_is_bounded(void) {
  /* it ends after 2 s of CPU time, or after 5 s on a busy machine */
  fails("read line; while :; do :; done", "no layout within ");
}

static void limits_hold(void) {
  struct err err;
  char *text =
      ask("read line; echo $(ulimit -t) $(ulimit -c) $(ulimit -f); env; ls /proc/self/fd | tr '\\n' ' '", 100, &err);
  ASSERT_HAS(text != NULL ? text : err.text, "2 0 0\n");
  ASSERT_TRUE(text != NULL && strstr(text, "HOME=") == NULL && strstr(text, "PATH=/") == NULL);
  /* the program has the descriptors 0 to 2; 3 is opened by ls itself */
  ASSERT_HAS(text != NULL ? text : "", "0 1 2 3 ");
  ASSERT_TRUE(text != NULL && strstr(text, "0 1 2 3 4") == NULL);
  free(text);
#if !defined(__SANITIZE_ADDRESS__)
  text = ask("read line; ulimit -v", 100, &err);
  ASSERT_EQ_STR(text != NULL ? text : err.text, "524288\n");
  free(text);
#endif
}

static void what_is_said_arrives(void) {
  struct err err;
  char *text = ask("wc -c", 1000000, &err); /* a request that is larger than a socket's buffer */
  ASSERT_EQ_INT(text != NULL ? atoi(text) : -1, 1000000);
  free(text);
  text = ask("echo without having listened", 1000000, &err);
  ASSERT_EQ_STR(text != NULL ? text : err.text, "without having listened\n");
  free(text);
}

static void a_missing_program_is_named(void) {
  struct err err = {0};
  diagram_program = "/nonexistent/gpubench-diagram";
  ASSERT_TRUE(!diagram_ready(&err));
  ASSERT_HAS(err.text, "built without Graphviz");
  err = (struct err){0};
  ASSERT_TRUE(diagram_ask("", 0, &err) == NULL);
  ASSERT_HAS(err.text, "built without Graphviz");
  struct diagram d;
  build(&d, "a", "b");
  err = (struct err){0};
  ASSERT_TRUE(diagram_svg(&d, &err) == NULL);
  diagram_free(&d);
  diagram_program = NULL;
}

/* Only numbers are accepted from the program. */
static void a_lying_program_draws_nothing(void) {
  struct diagram d;
  struct err err = {0};
  build(&d, "a", "b");
  use_program("echo '<svg><script>alert(1)</script></svg>'");
  ASSERT_TRUE(diagram_svg(&d, &err) == NULL);
  ASSERT_HAS(err.text, "gave no layout that can be read");
  unlink(program);
  diagram_program = NULL;
  diagram_free(&d);
}

/* The program receives numbers only: no text of a plugin reaches Graphviz. */
static void programs_are_told_no_text(void) {
  struct diagram d;
  struct err err = {0};
  build(&d, "secret title\\N", "secret text");
  use_program("cat; exit 1");
  ASSERT_TRUE(diagram_svg(&d, &err) == NULL);
  ASSERT_HAS(err.text, "gpubench-diagram: " LAYOUT_HEADING " 0 1 3 2"); /* the first line of its input */
  unlink(program);
  use_program("tr -d '0-9 \\n-' | cut -c1-60; exit 1"); /* everything except the numbers */
  err = (struct err){0};
  ASSERT_TRUE(diagram_svg(&d, &err) == NULL);
  ASSERT_EQ_STR(err.text, "gpubench-diagram: gpubenchdiagram");
  unlink(program);
  diagram_program = NULL;
  diagram_free(&d);
}

UNIT_MAIN("diagram", UNIT_TEST(text_is_wrapped), UNIT_TEST(long_text_is_bounded), UNIT_TEST(looks_as_it_should),
          UNIT_TEST(hostile_text_is_inert), UNIT_TEST(ids_carry_the_diagrams_own),
          UNIT_TEST(damaged_answers_are_refused), UNIT_TEST(too_much_is_not_asked), UNIT_TEST(failures_are_told),
          UNIT_TEST(output_is_bounded), UNIT_TEST(time_is_bounded), UNIT_TEST(cpu_time_is_bounded),
          UNIT_TEST(limits_hold), UNIT_TEST(what_is_said_arrives), UNIT_TEST(a_missing_program_is_named),
          UNIT_TEST(a_lying_program_draws_nothing), UNIT_TEST(programs_are_told_no_text))
