/* The data_pipeline plugin. Its benches measure each stage on the way from a file of records to a kernel, and the whole
 * way. README.md states what each bench does. */
#include "memcpy.h"
#include "pipeline.h"
#include "preprocess_bench.h"
#include "source.h"
#include "transfer.h"

static const gb_bench *const benches[] = {
    &memcpy_bench,     &source_bench,
#ifdef GPUBENCH_CUDA
    &transfer_bench,
#endif
    &preprocess_bench, &pipeline_bench, NULL,
};

static gb_status data_pipeline_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = services_open(host, registry);
  for (int i = 0; status == GB_OK && benches[i] != NULL; i++)
    status = host->add(host, registry, benches[i]);
  return status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,
    .id = "data_pipeline",
    .version = "0.1.0",
    .summary = "from disk to kernel: transfers, sources, preprocessing, and the whole pipeline",
    .open = data_pipeline_open,
};
