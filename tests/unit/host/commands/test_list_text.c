/* Tests the text and JSON of `gpubench list`, including hostile texts of a plugin. */
#include "commands/list_text.h"

#include "fixture_catalog.h"
#include "plan/lineup.h"
#include "unit.h"

static char *listed;
static size_t listed_size;

static const bool *chosen;
static const char *backend;
static const struct stored_runs *stored;

static const char *list(const struct catalog *catalog, bool json, size_t device_count) {
  static const struct device_facts devices[] = {
      {.backend = "cuda",
       .spec = "cuda:0",
       .name = "NVIDIA H200",
       .uuid = "GPU-1",
       .memory_bytes = 150000000000,
       .sm_count = 132,
       .compute_capability = 90,
       .l2_bytes = -1,
       .threads = -1},
      {.backend = "cpu", .spec = "cpu", .name = "Some CPU", .memory_bytes = -1, .threads = 2},
  };
  struct lineups lineups;
  lineups_all(catalog, &lineups);
  const struct listing listing = {catalog, &lineups, chosen, backend, devices, device_count, stored};
  free(listed);
  listed = NULL;
  FILE *out = open_memstream(&listed, &listed_size);
  ASSERT_EQ_INT(list_print(&listing, json, out), EXIT_OK);
  fclose(out);
  lineups_free(&lineups);
  return listed;
}

static void lists_text(void) {
  struct fixture *f = fixture_new();
  f->variants[ATTENTION][2].flags = VARIANT_BY_NAME;
  const char *text = list(&f->catalog, false, 2);
  ASSERT_HAS(text, "attention 0.1.0  /opt/plugins/attention.so\n");
  ASSERT_HAS(text, "  attention/forward  contract gpubench.org/attention/forward/1\n");
  ASSERT_HAS(text, "    axis     s              i64  64,128; cuda: 1k,2k\n");
  ASSERT_HAS(text, "    axis     dtype          str  bf16  of fp32,bf16\n");
  ASSERT_HAS(text, "    preset   llama3-8b-4k             b=2,h=32,s=4096  default on cuda, other\n");
  ASSERT_HAS(text, "    preset   odd                      s=77  by name only\n");
  ASSERT_HAS(text, "    variant  cudnn                    cuda  native  baseline\n");
  ASSERT_HAS(text, "    variant  standard                 cuda  native  by name only\n");
  ASSERT_HAS(text, "    variant  flash@mine               cuda  native  from plugin mine\n");
  ASSERT_HAS(text, "    variant  tiled                    cpu   native  from plugin mine\n");
  ASSERT_HAS(text, "  guest      tiled                    cpu   native  for gpubench.org/attention/forward/1\n");
  ASSERT_HAS(text, "device cuda:0  NVIDIA H200  GPU-1  150 GB\n");
  ASSERT_HAS(text, "device cpu  Some CPU\n");
  free(f);
}

static void lists_json(void) {
  struct fixture *f = fixture_new();
  const char *text = list(&f->catalog, true, 1);
  ASSERT_HAS(text,
             "{\n  \"plugins\": [\n    {\n      \"id\": \"attention\",\n      \"label\": null,\n      \"version\": "
             "\"0.1.0\",\n");
  ASSERT_HAS(text, "\"contract\": \"gpubench.org/attention/forward/1\"");
  ASSERT_HAS(text, "\"defaults\": {\n                \"cuda\": \"1k,2k\"\n              }");
  ASSERT_HAS(text, "\"choices\": null");
  ASSERT_HAS(text,
             "\"name\": \"flash@mine\",\n              \"backend\": \"cuda\",\n              \"math\": \"native\",\n"
             "              \"baseline\": false,\n              \"yardstick\": false,\n              \"by_name\": "
             "false,\n              \"provider\": \"mine\",\n"
             "              \"guest\": true");
  ASSERT_HAS(text, "\"devices\": [\n    {\n      \"spec\": \"cuda:0\"");
  ASSERT_HAS(text, "\"sm_count\": 132,\n      \"l2_bytes\": null");
  free(f);
}

static void shows_the_presets_of_the_device(void) {
  struct fixture *f = fixture_new();
  /* no variant is for "none", so the backend of the first variant is used */
  static const char *const backends[] = {"cuda", "other", "none", "cpu"};
  for (uint32_t i = 0; i < f->benches[0].preset_count; i++)
    if (strcmp(f->benches[0].presets[i].name, "llama3-8b-4k") == 0)
      SET(f->benches[0].presets[i].backends, "xcpu,cuda,other,cpux");
  for (size_t i = 0; i < 4; i++) {
    backend = backends[i];
    const char *text = list(&f->catalog, false, 0);
    ASSERT_TRUE((strstr(text, "    preset   llama3-8b-4k ") != NULL) == (i < 3));
    ASSERT_TRUE(strstr(text, "    preset   odd ") == NULL);
    ASSERT_HAS(text, "more, not run by default on ");
    ASSERT_HAS(list(&f->catalog, true, 0), "\"name\": \"odd\"");
  }
  backend = NULL;
  free(f);
}

static void shows_the_benches_that_are_asked_for(void) {
  struct fixture *f = fixture_new();
  static const bool first[8] = {true};
  chosen = first;
  const char *text = list(&f->catalog, false, 0);
  ASSERT_HAS(text, "  attention/forward  contract");
  ASSERT_TRUE(strstr(text, "copy 0.1.0") == NULL);
  ASSERT_TRUE(strstr(list(&f->catalog, true, 0), "\"id\": \"copy\"") == NULL);
  chosen = NULL;
  free(f);
}

static void shows_stored_runs(void) {
  struct catalog none = {0};
  struct stored_run items[2] = {{.name = "20261121T081503Z-b", .latest = true}, {.name = "20261121T071503Z-\x1b"}};
  const struct stored_runs runs = {items, 2, 3};
  pairs_add_text(&items[0].environment, "device_name", "NVIDIA H200");
  pairs_add_text(&items[0].environment, "wall_s", "31.2");
  pairs_add_text(&items[0].environment, "quick", "1");
  stored = &runs;
  ASSERT_EQ_STR(list(&none, false, 0),
                "run 20261121T081503Z-b  NVIDIA H200  31.2 s  quick  latest\n"
                "run 20261121T071503Z-?  not finished\n"
                "run and 3 older ones: list --runs --all\n");
  ASSERT_HAS(list(&none, true, 0), "\"directory\": \"20261121T081503Z-b\",\n      \"name\": null,");
  stored = NULL;
  pairs_free(&items[0].environment);
}

static void survives_an_empty_catalog(void) {
  struct catalog none = {0};
  ASSERT_EQ_STR(list(&none, false, 0), "");
  ASSERT_EQ_STR(list(&none, true, 0), "{\n  \"plugins\": [],\n  \"devices\": []\n}\n");
}

/* Lists a guest (a variant for another plugin's bench) without that bench, and two plugins with the same id, although
 * a plan refuses both. */
static void shows_what_a_plan_refuses(void) {
  struct fixture *f = fixture_new();
  struct catalog_plugin two[] = {f->plugins[MINE], f->plugins[MINE]};
  struct catalog catalog = {two, 2};
  ASSERT_HAS(list(&catalog, false, 0), "mine 0.1.0");
  ASSERT_HAS(list(&catalog, true, 0), "\"guests\": [\n        {\n          \"name\": \"flash\"");
  free(f);
}

static void keeps_the_terminal_clean(void) {
  struct fixture *f = fixture_new();
  SET(f->plugins[COPY].desc.summary, "red \x1b[31m\nsecond \xff line");
  SET(f->benches[COPY].summary, "bell \x07");
  const char *text = list(&f->catalog, false, 0);
  ASSERT_TRUE(strchr(text, '\x1b') == NULL && strchr(text, '\x07') == NULL);
  ASSERT_HAS(text, "copy 0.1.0  /opt/plugins/copy.so  -- red ?[31m?second ? line\n");
  ASSERT_HAS(list(&f->catalog, true, 0), "red \\u001b[31m\\nsecond \xEF\xBF\xBD line");
  free(f);
}

static void tells_of_a_full_disk(void) {
  struct fixture *f = fixture_new();
  const struct lineups none = {0};
  const struct listing listing = {.catalog = &f->catalog, .lineups = &none};
  FILE *full = fopen("/dev/full", "w");
  ASSERT_EQ_INT(list_print(&listing, false, full), EXIT_FAILED);
  fclose(full);
  free(f);
  free(listed);
}

UNIT_MAIN("list_print", UNIT_TEST(lists_text), UNIT_TEST(lists_json), UNIT_TEST(shows_the_presets_of_the_device),
          UNIT_TEST(shows_the_benches_that_are_asked_for), UNIT_TEST(shows_stored_runs),
          UNIT_TEST(survives_an_empty_catalog), UNIT_TEST(shows_what_a_plan_refuses),
          UNIT_TEST(keeps_the_terminal_clean), UNIT_TEST(tells_of_a_full_disk))
