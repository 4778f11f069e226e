/* Tests lists of devices, and the facts that run.ini keeps of several. */
#include "options/device_list.h"

#include "machine/environment.h"
#include "unit.h"

static void splits(const char *text, const char *expected) {
  struct strings specs = {0};
  char joined[512];
  devices_split(text, &specs);
  text_join(joined, sizeof joined, (const char *const *)specs.items, specs.count);
  ASSERT_EQ_STR(joined, expected); /* text_join() separates by ", " */
  strings_free(&specs);
}

static void lists(void) {
  splits("cuda", "cuda");
  splits("cuda:0,cuda:2", "cuda:0, cuda:2");
  splits("cuda:all", "cuda:all");
  splits("GPU-1,MIG-2,cuda", "GPU-1, MIG-2, cuda");
  splits("fake:a.ini,fake:/x/b.ini,cpu", "fake:a.ini, fake:/x/b.ini, cpu");
  splits("fake:a,b.ini", "fake:a,b.ini"); /* the comma belongs to the file name */
  splits("fake:a,cpus.ini,fake:b", "fake:a,cpus.ini, fake:b");
}

static void fails(const char *text, const char *message) {
  struct strings specs = {0};
  struct err err = {0};
  devices_split(text, &specs);
  ASSERT_EQ_INT(devices_check(&specs, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  ASSERT_EQ_STR(err.text, message);
  strings_free(&specs);
}

static void slips(void) {
  fails("cuda:0,", "--device: device 2 of the list has no name");
  fails(",cuda:0", "--device: device 1 of the list has no name");
  fails("cuda:0,,cuda:1", "--device: device 2 of the list has no name");
  fails("cuda:0,cuda:1,cuda:0", "--device: cuda:0 is listed twice");
}

static void all(void) {
  struct strings specs = {0};
  char joined[64];
  devices_split("cuda:all", &specs);
  devices_expand(&specs, 3);
  text_join(joined, sizeof joined, (const char *const *)specs.items, specs.count);
  ASSERT_EQ_STR(joined, "cuda:0, cuda:1, cuda:2");
  strings_free(&specs);
}

static void backends(void) {
  ASSERT_EQ_STR(devices_backend("cuda:all"), "cuda");
  ASSERT_EQ_STR(devices_backend("GPU-1"), "cuda");
  ASSERT_EQ_STR(devices_backend("MIG-1"), "cuda");
  ASSERT_EQ_STR(devices_backend("fake:cuda"), "cpu");
}

static void what_is_known_of_a_device_before_it_is_open(void) {
  static const char *const gpus[] = {"cuda", "cuda:1", "cuda:all", "GPU-1", "MIG-1", "fake", "cuda:0,cuda:1"};
  for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
    ASSERT_TRUE(devices_are(gpus[i], DEVICE_IS_GPU) && devices_are(gpus[i], DEVICE_QUEUES));
    ASSERT_TRUE(!devices_are(gpus[i], DEVICE_HOST_MEMORY) && !devices_are(gpus[i], DEVICE_HOST_PROCESSORS));
  }
  ASSERT_TRUE(devices_are("cpu", DEVICE_HOST_PROCESSORS) && !devices_are("cpu", DEVICE_SCRIPTED));
  ASSERT_TRUE(devices_are("fake:cuda", DEVICE_SCRIPTED) && !devices_are("fake:cuda", DEVICE_QUEUES));
  ASSERT_TRUE(!devices_are("", DEVICE_HOST_PROCESSORS) && !devices_are("auto", DEVICE_IS_GPU));
  ASSERT_TRUE(devices_are("fake", DEVICE_PRETENDED) && !devices_are("cuda", DEVICE_PRETENDED));
  ASSERT_EQ_STR(devices_all("cuda"), DEVICES_ALL);
  ASSERT_EQ_STR(devices_all("cuda:1"), "cuda:1");
}

static const char *value_of(const struct pairs *pairs, const char *name) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].name, name) == 0) return pairs->items[i].value;
  return NULL;
}

static void what_devices_have_in_common(void) {
  struct pairs each[3] = {0}, whole = {0};
  pairs_add(&each[0], "device_name", "H200"), pairs_add(&each[2], "device_name", "H200"); /* unknown for the second */
  pairs_add(&each[0], "device_uuid", "GPU-1"), pairs_add(&each[2], "device_uuid", "GPU-3");
  pairs_add(&each[0], "nvml", "unavailable");
  environment_devices(&whole, each, 3);
  ASSERT_EQ_INT(whole.count, 4);
  ASSERT_EQ_STR(value_of(&whole, "device_name"), "H200");
  ASSERT_EQ_STR(value_of(&whole, "device.1.device_uuid"), "GPU-1");
  ASSERT_EQ_STR(value_of(&whole, "device.3.device_uuid"), "GPU-3");
  ASSERT_EQ_STR(value_of(&whole, "device.1.nvml"), "unavailable");
  pairs_free(&whole);
  whole = (struct pairs){0};
  environment_devices(&whole, each, 1); /* a single device has everything in common with itself */
  ASSERT_EQ_INT(whole.count, 3);
  ASSERT_EQ_STR(value_of(&whole, "device_uuid"), "GPU-1");
  pairs_free(&whole), pairs_free(&each[0]), pairs_free(&each[2]);
}

UNIT_MAIN("devices", UNIT_TEST(lists), UNIT_TEST(slips), UNIT_TEST(all), UNIT_TEST(backends),
          UNIT_TEST(what_is_known_of_a_device_before_it_is_open), UNIT_TEST(what_devices_have_in_common))
