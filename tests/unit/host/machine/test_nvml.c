/* Tests the interface to NVML with stand-ins (pretend_nvml.c, found through LD_LIBRARY_PATH), or with the machine's
 * own library if the test runs without them. */
#include "machine/nvml.h"

#include <dlfcn.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/energy_source.h"
#include "fake_tree.h"
#include "machine/environment.h"
#include "machine/kernel_files.h"
#include "model/device_trait.h"
#include "pretend_nvml.h"
#include "unit.h"

static struct pretend *library;
static char why[256];

static void set_up(void) {
  int kind = library->kind;
  *library = (struct pretend){.kind = kind,
                              .clock = 1980,
                              .temperature = 40,
                              .power = 81000,
                              .limit = 700000,
                              .default_limit = 700000,
                              .application_clock = 1980,
                              .default_application_clock = 1980,
                              .mode = 1};
  library->field[186] = 287500;
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

static struct nvml *open_gpu(void) {
  struct nvml *nvml = nvml_open("GPU-1234", why, sizeof why);
  if (nvml == NULL) {
    UNIT_FAIL("%s", why);
    abort();
  }
  return nvml;
}

/* ---- A complete library ---- */

static void a_library_that_does_not_start_says_why(void) {
  set_up();
  library->init_code = 9;
  ASSERT_TRUE(nvml_open("GPU-1234", why, sizeof why) == NULL);
  ASSERT_EQ_STR(why, "NVML: Driver Not Loaded");
}

static void other_gpus_are_not_found(void) {
  static const char *const none[] = {"GPU-9", "", "MIG-1234", "1234", "GPU-"};
  set_up();
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    if (nvml_open(none[i], why, sizeof why) != NULL) UNIT_FAIL("'%s' is found", none[i]);
    ASSERT_HAS(why, ": Not Found");
  }
}

static void slots_get_what_they_ask_for(void) {
  struct slot_state state = {.position = 7, .throttle = 1000, .sm_clock_mhz = -1, .temperature_c = -2, .power_w = -3};
  set_up();
  struct nvml *nvml = open_gpu();
  nvml_slot_state(nvml, NVML_CLOCK, &state);
  ASSERT_EQ_INT(library->calls, 1);
  ASSERT_NEAR(state.sm_clock_mhz, 1980, 0);
  ASSERT_TRUE(state.temperature_c == -2 && state.power_w == -3 && state.throttle == 1000 && state.position == 7);
  nvml_slot_state(nvml, NVML_TEMPERATURE, &state);
  ASSERT_EQ_INT(library->calls, 2);
  ASSERT_NEAR(state.temperature_c, 41, 0);
  ASSERT_TRUE(state.power_w == -3 && library->fields_asked == 0);
  nvml_slot_state(nvml, NVML_POWER, &state);
  ASSERT_EQ_INT(library->calls, 3);
  ASSERT_EQ_INT(library->fields_asked, 1);
  ASSERT_NEAR(state.power_w, 287.5, 1e-9);
  ASSERT_EQ_INT(state.throttle, 1000);
  /* one call for all fields, and one for the throttle reasons */
  nvml_slot_state(nvml, NVML_POWER | NVML_THROTTLE, &state);
  ASSERT_EQ_INT(library->calls, 5);
  ASSERT_EQ_INT(state.throttle, THROTTLE_NONE);
  ASSERT_EQ_INT(library->fields_asked, 7);
  nvml_slot_state(nvml, NVML_THROTTLE, &state);
  ASSERT_EQ_INT(library->fields_asked, 12);
  nvml_slot_state(nvml, 0, &state);
  ASSERT_EQ_INT(library->calls, 7);
  nvml_close(nvml);
}

static void power_and_temperature_have_a_second_source(void) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  set_up();
  struct nvml *nvml = open_gpu();
  library->no_heat = 1;
  library->field_status[186] = 3;
  nvml_slot_state(nvml, NVML_ALL, &state);
  ASSERT_NEAR(state.temperature_c, 40, 0);
  ASSERT_NEAR(state.power_w, 81, 1e-9);
  ASSERT_EQ_INT(state.throttle, THROTTLE_NONE);
  library->field_status[186] = 0;
  library->no_fields = 1;
  nvml_slot_state(nvml, NVML_ALL, &state);
  ASSERT_NEAR(state.power_w, 81, 1e-9);
  ASSERT_EQ_INT(state.throttle, THROTTLE_NONE);
  nvml_close(nvml);
}

static void energy_is_in_joules(void) {
  set_up();
  library->energy = 12345678901234;
  struct nvml *nvml = open_gpu();
  ASSERT_NEAR(nvml_energy_j(nvml), 12345678901.234, 1e-5);
  library->failing = 3;
  ASSERT_TRUE(isnan(nvml_energy_j(nvml)));
  nvml_close(nvml);
  ASSERT_TRUE(energy_source_nvml("GPU-1234", why, sizeof why) == NULL);
  ASSERT_EQ_STR(why, "NVML: the driver reports no energy for this GPU");
  library->failing = 0;
  struct energy_source *source = energy_source_nvml("GPU-1234", why, sizeof why);
  ASSERT_TRUE(source != NULL);
  if (source == NULL) return;
  ASSERT_NEAR(source->joules(source), 12345678901.234, 1e-5);
  ASSERT_NEAR(source->watts(source), 287.5, 1e-9);
  source->close(source);
}

static void reasons_become_bits(void) {
  static const struct {
    unsigned long long reasons;
    uint32_t bits;
  } cases[] = {{0, THROTTLE_NONE},
               {0x1, THROTTLE_NONE},
               {0x2, THROTTLE_NONE},
               {0x100, THROTTLE_NONE},
               {0x4, THROTTLE_POWER_CAP},
               {0x8, THROTTLE_HARDWARE},
               {0x10, THROTTLE_SYNC_BOOST},
               {0x20, THROTTLE_THERMAL},
               {0x48, THROTTLE_HARDWARE_THERMAL},
               {0x88, THROTTLE_POWER_BRAKE},
               {0x200, THROTTLE_BOARD_LIMIT},
               {0x400, THROTTLE_RELIABILITY},
               {0x25, THROTTLE_POWER_CAP | THROTTLE_THERMAL},
               {1ULL << 63, THROTTLE_NONE}};
  set_up();
  struct nvml *nvml = open_gpu();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct slot_state state = SLOT_STATE_UNKNOWN;
    struct device_conditions now = CONDITIONS_UNKNOWN;
    library->reasons = cases[i].reasons;
    nvml_slot_state(nvml, NVML_THROTTLE, &state);
    nvml_conditions(nvml, &now);
    if (state.throttle != cases[i].bits || now.throttle != cases[i].bits)
      UNIT_FAIL("%llx is %x and %x", cases[i].reasons, state.throttle, now.throttle);
  }
  nvml_close(nvml);
}

static uint32_t throttle_now(struct nvml *nvml) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  nvml_slot_state(nvml, NVML_THROTTLE, &state);
  return state.throttle;
}

/* Throttling that was active only between two queries shows in the counters. */
static void counters_tell_what_was(void) {
  set_up();
  library->field[74] = 5000000000;
  struct nvml *nvml = open_gpu();
  /* the first query has no values to compare with, so the counters may have advanced long ago */
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_NONE);
  library->field[74] += 1000000000;
  library->field[270] += 1000000000;
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_POWER_CAP | THROTTLE_HARDWARE_THERMAL);
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_NONE);
  usleep(20000);
  library->field[74] += 100000; /* less than 1% of the time */
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_NONE);
  library->field[74] = 7; /* the driver was reloaded */
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_NONE);
  library->field_status[74] = 3;
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_NONE);
  library->field_status[74] = 0;
  library->field[74] = 9000000000;
  ASSERT_EQ_INT(throttle_now(nvml), THROTTLE_NONE); /* there is no earlier value to compare with */
  nvml_close(nvml);
}

static void failures_are_unknown(void) {
  struct slot_state state = {.position = 1, .sm_clock_mhz = 1, .temperature_c = 1, .power_w = 1, .throttle = 1};
  struct device_conditions now = CONDITIONS_UNKNOWN;
  struct nvml_facts facts;
  set_up();
  library->failing = 3;
  struct nvml *nvml = open_gpu();
  nvml_slot_state(nvml, NVML_ALL, &state);
  ASSERT_TRUE(isnan(state.sm_clock_mhz) && isnan(state.temperature_c) && isnan(state.power_w) && state.throttle == 0);
  nvml_conditions(nvml, &now);
  ASSERT_TRUE(isnan(now.sm_clock_mhz) && isnan(now.temperature_c) && isnan(now.power_w) && isnan(now.power_limit_w));
  ASSERT_TRUE(now.throttle == 0 && now.others == -1);
  ASSERT_EQ_STR(now.note, "");
  nvml_read_facts(nvml, &facts);
  ASSERT_EQ_STR(facts.driver, "");
  ASSERT_TRUE(facts.ecc == -1 && facts.mig == -1 && facts.persistence == -1 && facts.exclusive == -1);
  ASSERT_TRUE(facts.clocks_set == -1 && isnan(facts.power_limit_w) && isnan(facts.default_limit_w));
  ASSERT_TRUE(isnan(facts.max_sm_clock_mhz) && isnan(facts.application_clock_mhz));
  ASSERT_EQ_STR(facts.why,
                "NVML: this GPU or driver does not report driver, ecc, mig, persistence, compute mode, mps, "
                "power limit, highest clock");
  nvml_close(nvml);
}

static void facts_are_complete(void) {
  struct nvml_facts facts;
  set_up();
  library->reasons = 2;
  ASSERT_EQ_INT(nvml_facts("GPU-1234", &facts), 0);
  ASSERT_EQ_STR(facts.driver, "580.65.06");
  ASSERT_TRUE(facts.ecc == 1 && facts.mig == 0 && facts.persistence == 1 && facts.exclusive == 1 && !facts.slice);
  ASSERT_EQ_INT(facts.clocks_set, 1);
  ASSERT_NEAR(facts.power_limit_w, 700, 1e-9);
  ASSERT_NEAR(facts.default_limit_w, 700, 1e-9);
  ASSERT_NEAR(facts.max_sm_clock_mhz, 1980, 0);
  ASSERT_NEAR(facts.application_clock_mhz, 1980, 0);
  ASSERT_EQ_STR(facts.why, "");
  ASSERT_EQ_INT(nvml_facts("GPU-9", &facts), -1);
  ASSERT_EQ_STR(facts.why, "NVML: GPU-9: Not Found");
  ASSERT_TRUE(facts.ecc == -1 && isnan(facts.power_limit_w));
}

/* ---- Other processes ---- */

/* Starts a process that sleeps until it is killed: a child of this one, or an orphan outside its process tree. */
static pid_t start_sleeper(bool ours, const char *name) {
  int ends[2];
  pid_t pid = 0;
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    pid_t sleeper = ours ? 0 : fork();
    if (sleeper != 0) _exit(0);
    pid = getpid();
    if (name != NULL) prctl(PR_SET_NAME, name);
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    close(ends[0]), close(ends[1]);
    sleep(60);
    _exit(0);
  }
  if (!ours) waitpid(child, NULL, 0);
  if (read(ends[0], &pid, sizeof pid) != sizeof pid) abort();
  close(ends[0]), close(ends[1]);
  return pid;
}

static void note_is(const char *expected, int others) {
  struct device_conditions now = CONDITIONS_UNKNOWN;
  struct nvml *nvml = open_gpu();
  nvml_conditions(nvml, &now);
  ASSERT_EQ_STR(now.note, expected);
  ASSERT_EQ_INT(now.others, others);
  nvml_close(nvml);
}

static void set_pids(struct pretend_list *list, unsigned count, const unsigned *pids) {
  list->count = count;
  for (unsigned i = 0; i < count; i++)
    list->pids[i] = pids[i];
}

static void our_own_processes_are_no_others(void) {
  set_up();
  note_is("", 0);
  pid_t child = start_sleeper(true, NULL);
  set_pids(&library->compute, 3, (unsigned[]){(unsigned)getpid(), (unsigned)getppid(), (unsigned)child});
  note_is("", 0);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static void other_processes_are_named_by_number(void) {
  char expected[256];
  set_up();
  unsigned self = (unsigned)getpid(), others[4];
  for (int i = 0; i < 4; i++)
    others[i] = (unsigned)start_sleeper(false, NULL);
  set_pids(&library->compute, 2, (unsigned[]){self, others[0]});
  set_pids(&library->graphics, 1, others); /* the same one */
  set_pids(&library->mps, 1, others);
  snprintf(expected, sizeof expected, "another process on the GPU (1: pid %u)", others[0]);
  note_is(expected, 1);
  set_pids(&library->graphics, 2, others);
  snprintf(expected, sizeof expected, "other processes on the GPU (2: pids %u, %u)", others[0], others[1]);
  note_is(expected, 2);
  /* this process is not in the list, but all processes of the list run on this machine */
  set_pids(&library->compute, 4, others);
  snprintf(expected, sizeof expected, "other processes on the GPU (4: pids %u, %u, %u, ...)", others[0], others[1],
           others[2]);
  note_is(expected, 4);
  for (int i = 0; i < 4; i++)
    kill((pid_t)others[i], SIGKILL);
}

static void the_mps_server_is_no_other(void) {
  struct nvml_facts facts;
  set_up();
  unsigned server = (unsigned)start_sleeper(false, "nvidia-cuda-mps-server");
  set_pids(&library->compute, 2, (unsigned[]){(unsigned)getpid(), server});
  note_is("", 0);
  nvml_facts("GPU-1234", &facts);
  ASSERT_EQ_STR(facts.mps, "off");
  set_pids(&library->mps, 1, (unsigned[]){(unsigned)getpid()});
  nvml_facts("GPU-1234", &facts);
  ASSERT_EQ_STR(facts.mps, "on: 1 client");
  kill((pid_t)server, SIGKILL);
}

/* In a container the process ids are those of the machine, and one of them belongs to this process. */
static void numbers_from_elsewhere_are_only_counted(void) {
  set_up();
  set_pids(&library->compute, 1, (unsigned[]){2147480001});
  note_is("", 0);
  set_pids(&library->compute, 3, (unsigned[]){2147480001, 2147480002, 2147480003});
  note_is("other processes on the GPU (2)", 2);
}

static void too_many_processes_are_counted(void) {
  struct nvml_facts facts;
  set_up();
  library->compute.many = 200;
  note_is("other processes on the GPU (199)", 199);
  library->compute.many = -1; /* 4294967295 */
  note_is("other processes on the GPU (4294967294)", INT32_MAX);
  library->compute = (struct pretend_list){.count = 1, .pids = {(unsigned)getpid()}, .claimed = 5000};
  note_is("", 0); /* entries beyond the list are not read */
  library->mps.many = 65;
  nvml_facts("GPU-1234", &facts);
  ASSERT_EQ_STR(facts.mps, "on: 65 clients");
}

static void mps_shows_by_its_pipe(void) {
  struct nvml_facts facts;
  set_up();
  fake_begin();
  setenv("CUDA_MPS_PIPE_DIRECTORY", fake_root, 1);
  nvml_facts("GPU-1234", &facts);
  ASSERT_EQ_STR(facts.mps, "off");
  mkfifo(fake_path("/control"), 0600);
  nvml_facts("GPU-1234", &facts);
  ASSERT_EQ_STR(facts.mps, "on: its control pipe is there");
  fake_end();
}

/* ---- MIG slices ---- */

static void slices_are_found_and_say_so(void) {
  struct nvml_facts facts;
  struct slot_state state = SLOT_STATE_UNKNOWN;
  set_up();
  struct nvml *nvml = open_gpu();
  nvml_slot_state(nvml, NVML_CLOCK, &state);
  const void *whole = library->last_gpu;
  nvml_close(nvml);
  library->slice = 1;
  const char *const names[] = {"MIG-1234", "GPU-1234"}; /* NVML's name, and the one that CUDA derives from it */
  for (int i = 0; i < 2; i++) {
    nvml = nvml_open(names[i], why, sizeof why);
    ASSERT_TRUE(nvml != NULL);
    if (nvml == NULL) return;
    nvml_slot_state(nvml, NVML_CLOCK, &state);
    ASSERT_TRUE(library->last_gpu == whole);
    struct device_conditions now = CONDITIONS_UNKNOWN;
    nvml_conditions(nvml, &now);
    ASSERT_TRUE(library->last_list_gpu != whole); /* asks for the processes of the slice */
    nvml_read_facts(nvml, &facts);
    ASSERT_TRUE(facts.slice && facts.mig == 1);
    nvml_close(nvml);
  }
  library->no_parent = 1;
  nvml = nvml_open("MIG-1234", why, sizeof why);
  ASSERT_TRUE(nvml != NULL);
  nvml_slot_state(nvml, NVML_CLOCK, &state);
  ASSERT_TRUE(library->last_gpu != whole);
  nvml_close(nvml);
}

/* ---- Conditions in a run ---- */

static const struct device_facts h200 = {
    .backend = "cuda", .traits = DEVICE_TRAITS_GPU, .spec = "cuda:0", .name = "H200", .uuid = "GPU-1234"};

static const char *verdict(void) {
  static char text[512];
  environment_conditions(&h200, NULL, text, sizeof text);
  return text;
}

static void starts_with(const char *text, const char *begin) {
  if (strncmp(text, begin, strlen(begin)) != 0)
    UNIT_FAIL("'%s' does not begin with '%s'", text, begin);
  else
    UNIT_PASS();
}

static void a_run_says_its_faults_first(void) {
  char expected[256];
  set_up();
  ASSERT_HAS(verdict(), "1980 MHz now, 41 C, 81 W, 700 W limit, ECC on, no other process");
  unsigned other = (unsigned)start_sleeper(false, NULL);
  set_pids(&library->compute, 2, (unsigned[]){(unsigned)getpid(), other});
  library->reasons = 0x24;
  library->limit = 500000;
  library->application_clock = 1410;
  setenv("CUDA_MPS_PIPE_DIRECTORY", "/", 1);
  snprintf(expected, sizeof expected, "another process on the GPU (1: pid %u); power cap; thermal slowdown", other);
  starts_with(verdict(), expected);
  ASSERT_HAS(verdict(),
             " (1980 MHz now, application clock set to 1410 MHz, 41 C, 81 W, 500 W limit (default 700), ECC on)");
  library->slice = 1;
  ASSERT_HAS(verdict(), ", a MIG slice, its neighbours not seen");
  kill((pid_t)other, SIGKILL);
  library->failing = 3;
  ASSERT_HAS(verdict(), "nknown: NVML: this GPU or driver does not report driver");
  ASSERT_TRUE(strstr(verdict(), "no other process") == NULL);
}

static const char *value_of(const struct pairs *pairs, const char *name) {
  const char *value = pairs_get(pairs, name);
  return value != NULL ? value : "(none)";
}

static void run_ini_gets_every_fact(void) {
  struct pairs pairs = {0};
  set_up();
  environment_device(&pairs, &h200);
  ASSERT_EQ_STR(value_of(&pairs, "nvml"), "(none)");
  ASSERT_EQ_STR(value_of(&pairs, "max_sm_clock_mhz"), "1980");
  ASSERT_EQ_STR(value_of(&pairs, "application_clock_mhz"), "1980");
  ASSERT_EQ_STR(value_of(&pairs, "locked_clocks"), "none reported");
  ASSERT_EQ_STR(value_of(&pairs, "power_limit_w"), "700");
  ASSERT_EQ_STR(value_of(&pairs, "power_limit_default_w"), "700");
  ASSERT_EQ_STR(value_of(&pairs, "ecc"), "on");
  ASSERT_EQ_STR(value_of(&pairs, "mig"), "off");
  ASSERT_EQ_STR(value_of(&pairs, "mps"), "off");
  ASSERT_EQ_STR(value_of(&pairs, "persistence"), "on");
  ASSERT_EQ_STR(value_of(&pairs, "compute_mode"), "exclusive process");
  pairs_free(&pairs);
  library->reasons = 2;
  library->slice = 1;
  environment_device(&pairs, &h200);
  ASSERT_EQ_STR(value_of(&pairs, "locked_clocks"), "held by a setting");
  ASSERT_HAS(value_of(&pairs, "mig"), "a slice: ");
  pairs_free(&pairs);
  library->default_application_clock = 1800;
  environment_device(&pairs, &h200);
  ASSERT_EQ_STR(value_of(&pairs, "locked_clocks"), "application clock set to 1980 MHz, its default is 1800");
  pairs_free(&pairs);
}

/* ---- An old driver, no driver, this machine's driver ---- */

static void an_old_driver_tells_what_it_can(void) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  struct nvml_facts facts;
  struct pairs pairs = {0};
  set_up();
  library->reasons = 4;
  struct nvml *nvml = open_gpu();
  nvml_slot_state(nvml, NVML_ALL, &state);
  ASSERT_NEAR(state.sm_clock_mhz, 1980, 0);
  ASSERT_NEAR(state.temperature_c, 40, 0);
  ASSERT_NEAR(state.power_w, 81, 1e-9);
  ASSERT_EQ_INT(state.throttle, THROTTLE_POWER_CAP);
  nvml_read_facts(nvml, &facts);
  ASSERT_TRUE(facts.ecc == -1 && isnan(facts.power_limit_w) && facts.mps[0] == '\0');
  ASSERT_HAS(facts.why, "does not report driver, ecc, mig, persistence, compute mode, mps, power limit, highest clock");
  nvml_close(nvml);
  set_pids(&library->compute, 2, (unsigned[]){2147480001, 2147480002});
  note_is("another process on the GPU (1)", 1);
  environment_device(&pairs, &h200);
  ASSERT_HAS(value_of(&pairs, "nvml"), "unavailable: NVML: this GPU or driver does not report driver, ecc");
  ASSERT_EQ_STR(value_of(&pairs, "ecc"), "(none)"); /* unknown is not "off" */
  ASSERT_EQ_STR(value_of(&pairs, "power_limit_w"), "(none)");
  pairs_free(&pairs);
}

static void a_library_without_a_start_is_refused(void) {
  ASSERT_TRUE(nvml_open("GPU-1234", why, sizeof why) == NULL);
  ASSERT_EQ_STR(why, "NVML: libnvidia-ml.so.1 has no nvmlInit_v2");
  ASSERT_HAS(verdict(), "nknown: NVML: libnvidia-ml.so.1 has no nvmlInit_v2");
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double cost_us(struct nvml *nvml, unsigned what) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  double least = INFINITY;
  for (int i = 0; i < 20; i++) {
    double start = now_us();
    nvml_slot_state(nvml, what, &state);
    least = fmin(least, now_us() - start);
  }
  return least;
}

static void try_gpu(const char *uuid) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  struct device_conditions now = CONDITIONS_UNKNOWN;
  struct nvml_facts facts;
  struct nvml *nvml = nvml_open(uuid, why, sizeof why);
  if (nvml == NULL) {
    ASSERT_HAS(why, "NVML: ");
    return;
  }
  nvml_slot_state(nvml, NVML_ALL, &state);
  nvml_conditions(nvml, &now);
  nvml_read_facts(nvml, &facts);
  printf("\n    %s: %.0f MHz, %.0f C, %.1f W (average %.1f), throttle '%s', others %d, mps '%s', clocks %.0f of %.0f\n",
         uuid, state.sm_clock_mhz, state.temperature_c, state.power_w, now.power_w, throttle_text(state.throttle).text,
         now.others, facts.mps, facts.application_clock_mhz, facts.default_application_clock_mhz);
  printf("    least of 20: clock %.1f us, temperature %.1f us, power %.1f us, throttle %.1f us, all %.1f us\n",
         cost_us(nvml, NVML_CLOCK), cost_us(nvml, NVML_TEMPERATURE), cost_us(nvml, NVML_POWER),
         cost_us(nvml, NVML_THROTTLE), cost_us(nvml, NVML_ALL));
  ASSERT_TRUE(isnan(state.sm_clock_mhz) || (state.sm_clock_mhz > 10 && state.sm_clock_mhz < 10000));
  ASSERT_TRUE(isnan(state.temperature_c) || (state.temperature_c > 0 && state.temperature_c < 150));
  ASSERT_TRUE(isnan(state.power_w) || (state.power_w > 1 && state.power_w < 5000));
  nvml_close(nvml);
}

static void this_machine_is_plausible(void) {
  glob_t files = {0};
  char uuid[128];
  glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &files);
  for (size_t i = 0; i < files.gl_pathc; i++)
    if (tree_value("", files.gl_pathv[i], "GPU UUID", uuid, sizeof uuid)) try_gpu(uuid);
  if (files.gl_pathc == 0) try_gpu("GPU-none");
  globfree(&files);
}

/* test_nvml [full | old | broken]: the library that must be found; without an argument it is the machine's, if any. */
int main(int argc, char **argv) {
  static const struct unit_test full[] = {UNIT_TEST(a_library_that_does_not_start_says_why),
                                          UNIT_TEST(other_gpus_are_not_found),
                                          UNIT_TEST(slots_get_what_they_ask_for),
                                          UNIT_TEST(power_and_temperature_have_a_second_source),
                                          UNIT_TEST(energy_is_in_joules),
                                          UNIT_TEST(reasons_become_bits),
                                          UNIT_TEST(counters_tell_what_was),
                                          UNIT_TEST(failures_are_unknown),
                                          UNIT_TEST(facts_are_complete),
                                          UNIT_TEST(our_own_processes_are_no_others),
                                          UNIT_TEST(other_processes_are_named_by_number),
                                          UNIT_TEST(the_mps_server_is_no_other),
                                          UNIT_TEST(numbers_from_elsewhere_are_only_counted),
                                          UNIT_TEST(too_many_processes_are_counted),
                                          UNIT_TEST(mps_shows_by_its_pipe),
                                          UNIT_TEST(slices_are_found_and_say_so),
                                          UNIT_TEST(a_run_says_its_faults_first),
                                          UNIT_TEST(run_ini_gets_every_fact)};
  static const struct unit_test old[] = {UNIT_TEST(an_old_driver_tells_what_it_can)};
  static const struct unit_test broken[] = {UNIT_TEST(a_library_without_a_start_is_refused)};
  static const struct unit_test here[] = {UNIT_TEST(this_machine_is_plausible)};
  static const struct {
    const char *name;
    const struct unit_test *tests;
    size_t count;
  } kinds[] = {{"", here, sizeof here / sizeof *here},
               [PRETEND_FULL] = {"full", full, sizeof full / sizeof *full},
               [PRETEND_OLD] = {"old", old, sizeof old / sizeof *old},
               [PRETEND_BROKEN] = {"broken", broken, sizeof broken / sizeof *broken}};
  void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  library = handle != NULL ? (struct pretend *)dlsym(handle, "pretend") : NULL;
  int kind = library != NULL ? library->kind : 0;
  const char *wanted = argc > 1 ? argv[1] : "";
  if (strcmp(kinds[kind].name, wanted) != 0) {
    fprintf(stderr, "found the library '%s', not '%s'\n", kinds[kind].name, wanted);
    return 1;
  }
  return unit_run("nvml", kinds[kind].tests, kinds[kind].count);
}
