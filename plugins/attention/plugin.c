/* The entry point of the attention plugin, which adds the plugin's benches to gpubench. */
#include <gpubench/sugar.h>

#include "benches.h"
#ifdef GPUBENCH_CUDA
#include "cudnn.h"
#endif

static gb_status attention_open(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = attention_forward_add(host, registry);
  (void)self;
  if (status == GB_OK) status = attention_decode_add(host, registry);
  if (status == GB_OK) status = attention_window_add(host, registry);
  if (status == GB_OK) status = attention_varlen_add(host, registry);
  return status == GB_OK ? attention_backward_add(host, registry) : status;
}

static void attention_close(const gb_host *host, void *self) {
  (void)host;
  (void)self;
#ifdef GPUBENCH_CUDA
  attention_cudnn_close();
#endif
}

const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,
    .id = "attention",
    .version = "0.1.0",
    .summary =
        "scaled dot-product attention, of whole sequences, by windows, packed, of the last queries; its gradients",
    .open = attention_open,
    .close = attention_close,
};
