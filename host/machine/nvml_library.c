/* Loads libnvidia-ml and finds its functions. If the driver lacks the newer name of a function, the older one is used;
 * if it lacks both, the pointer is NULL. */
#include "machine/nvml_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *older; /* `older`: the name of the same function in older drivers */
  size_t offset;
  bool required;
} symbols[] = {
#define FIND(name, older, member, required) \
  { name, older, offsetof(struct nvml_library, member), required }
    FIND("nvmlInit_v2", NULL, init, true),
    FIND("nvmlErrorString", NULL, error_string, true),
    FIND("nvmlDeviceGetHandleByUUID", NULL, by_uuid, true),
    FIND("nvmlSystemGetDriverVersion", NULL, driver_version, false),
    FIND("nvmlDeviceGetClockInfo", NULL, clock, false),
    FIND("nvmlDeviceGetMaxClockInfo", NULL, max_clock, false),
    FIND("nvmlDeviceGetApplicationsClock", NULL, application_clock, false),
    FIND("nvmlDeviceGetDefaultApplicationsClock", NULL, default_application_clock, false),
    FIND("nvmlDeviceGetTemperatureV", NULL, heat, false),
    FIND("nvmlDeviceGetTemperature", NULL, temperature, false),
    FIND("nvmlDeviceGetPowerUsage", NULL, power, false),
    FIND("nvmlDeviceGetTotalEnergyConsumption", NULL, energy, false),
    FIND("nvmlDeviceGetEnforcedPowerLimit", NULL, power_limit, false),
    FIND("nvmlDeviceGetPowerManagementDefaultLimit", NULL, default_limit, false),
    FIND("nvmlDeviceGetFieldValues", NULL, fields, false),
    FIND("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons", reasons, false),
    FIND("nvmlDeviceGetEccMode", NULL, ecc, false),
    FIND("nvmlDeviceGetMigMode", NULL, mig, false),
    FIND("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", NULL, mig_parent, false),
    FIND("nvmlDeviceGetPersistenceMode", NULL, persistence, false),
    FIND("nvmlDeviceGetComputeMode", NULL, compute_mode, false),
    FIND("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2", compute_processes,
         false),
    FIND("nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2", graphics_processes,
         false),
    FIND("nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2", mps_processes,
         false),
    FIND("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion", cuda_version, false),
    FIND("nvmlDeviceGetCount_v2", NULL, count, false),
    FIND("nvmlDeviceGetHandleByIndex_v2", NULL, by_index, false),
    FIND("nvmlDeviceGetName", NULL, name, false),
    FIND("nvmlDeviceGetUUID", NULL, uuid, false),
    FIND("nvmlDeviceGetPciInfo_v3", NULL, pci, false),
    FIND("nvmlDeviceGetDefaultEccMode", NULL, default_ecc, false),
    FIND("nvmlDeviceGetTotalEccErrors", NULL, ecc_errors, false),
    FIND("nvmlDeviceGetRetiredPages", NULL, retired_pages, false),
    FIND("nvmlDeviceGetRetiredPagesPendingStatus", NULL, retirement_pending, false),
    FIND("nvmlDeviceGetRemappedRows", NULL, remapped_rows, false),
    FIND("nvmlDeviceGetCurrPcieLinkWidth", NULL, pcie_width, false),
    FIND("nvmlDeviceGetMaxPcieLinkWidth", NULL, max_pcie_width, false),
    FIND("nvmlDeviceGetCurrPcieLinkGeneration", NULL, pcie_generation, false),
    FIND("nvmlDeviceGetMaxPcieLinkGeneration", NULL, max_pcie_generation, false),
    FIND("nvmlDeviceGetPerformanceState", NULL, performance_state, false),
    FIND("nvmlDeviceGetNvLinkState", NULL, nvlink_state, false),
    FIND("nvmlDeviceGetTemperatureThreshold", NULL, temperature_threshold, false),
    FIND("nvmlDeviceGetMarginTemperature", NULL, temperature_margin, false),
    FIND("nvmlDeviceGetMaxMigDeviceCount", NULL, max_slices, false),
    FIND("nvmlDeviceGetMigDeviceHandleByIndex", NULL, slice, false),
#undef FIND
};

static int find_nvml_symbols(void *handle, struct nvml_library *library, char *why, size_t size) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(handle, symbols[i].name);
    if (symbol == NULL && symbols[i].older != NULL) symbol = dlsym(handle, symbols[i].older);
    if (symbol == NULL && symbols[i].required) {
      snprintf(why, size, "NVML: libnvidia-ml.so.1 has no %s", symbols[i].name);
      return -1;
    }
    memcpy((char *)library + symbols[i].offset, &symbol, sizeof symbol);
  }
  return 0;
}

/* Loads and starts the library once and never stops it, because starting takes tens of milliseconds, and more on a
 * machine with many GPUs. */
const struct nvml_library *nvml_library(char *why, size_t size) {
  static struct nvml_library library;
  static bool ready;
  struct nvml_library found = {0};
  if (ready) return &library;
  void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    snprintf(why, size, "NVML: %s", dlerror());
    return NULL;
  }
  if (find_nvml_symbols(handle, &found, why, size) != 0) return NULL;
  int code = found.init();
  if (code != NVML_OK) {
    snprintf(why, size, "NVML: %s", found.error_string(code));
    return NULL;
  }
  library = found;
  ready = true;
  return &library;
}
