/* Captures iterations (calls of a variant's `run`) into a graph, to count their kernels and to replay them. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/cuda.h"

struct capture {
  cudaGraph_t graph;
  cudaGraphExec_t exec; /* the graph in executable form; NULL: the graph was only made to count its kernels */
};

void cuda_capture_free(struct capture *capture) {
  if (capture == NULL) return;
  if (capture->exec != NULL) cudaGraphExecDestroy(capture->exec);
  if (capture->graph != NULL) cudaGraphDestroy(capture->graph);
  free(capture);
}

cudaError_t cuda_replay(const struct capture *capture, cudaStream_t stream) {
  return cudaGraphLaunch(capture->exec, stream);
}

/* Captures the work that the iterations enqueue into a graph. During the capture, calls that allocate, free or wait
 * fail. */
static cudaError_t record(struct cuda_device *cuda, const struct slot_request *request, cudaGraph_t *graph, int *rc) {
  cudaError_t code = cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeThreadLocal);
  if (code != cudaSuccess) return code;
  for (uint32_t i = 0; i < request->replicas && *rc == 0; i++)
    *rc = request->run(request->context);
  code = cudaStreamEndCapture(cuda->stream, graph);
  (void)cudaGetLastError();
  return code == cudaSuccess && *graph == NULL ? cudaErrorStreamCaptureInvalidated : code;
}

static cudaError_t count_nodes(cudaGraph_t graph, size_t *kernels, size_t *allocations) {
  size_t count = 0;
  cudaError_t code = cudaGraphGetNodes(graph, NULL, &count);
  if (code != cudaSuccess || count == 0) return code;
  SCOPED cudaGraphNode_t *nodes = xcalloc(count, sizeof *nodes);
  code = cudaGraphGetNodes(graph, nodes, &count);
  for (size_t i = 0; i < count && code == cudaSuccess; i++) {
    enum cudaGraphNodeType type;
    code = cudaGraphNodeGetType(nodes[i], &type);
    *kernels += type == cudaGraphNodeTypeKernel;
    *allocations += type == cudaGraphNodeTypeMemAlloc;
  }
  return code;
}

static enum slot_result refused(cudaError_t code, struct err *err) {
  err_set(err, EXIT_FAILED,
          "cannot be captured into a graph (%s): it allocates, frees or synchronizes; a variant that has to sets "
          "GB_VARIANT_NO_CAPTURE",
          code == cudaSuccess ? "it failed meanwhile" : cudaGetErrorName(code));
  return SLOT_BLOCKED;
}

enum slot_result cuda_capture(struct device *device, const struct slot_request *request, struct capture **capture,
                              uint32_t *kernels, uint32_t *allocations, struct err *err) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  bool replayed = mode_replays((struct mode){request->timing, LOAD_PLAIN});
  size_t kernel_nodes = 0, allocation_nodes = 0;
  int rc = 0;
  *capture = NULL;
  if (cuda_check(cudaSetDevice(cuda->ordinal), err) != 0) return SLOT_DEVICE;
  struct capture *made = xcalloc(1, sizeof *made);
  cudaError_t code = record(cuda, request, &made->graph, &rc);
  if (code == cudaSuccess && rc == 0) code = count_nodes(made->graph, &kernel_nodes, &allocation_nodes);
  if (code == cudaSuccess && rc == 0 && replayed) code = cudaGraphInstantiate(&made->exec, made->graph, 0);
  if (code != cudaSuccess || rc != 0) {
    cuda_capture_free(made);
    (void)cudaGetLastError();
    return refused(code, err);
  }
  *capture = made;
  *kernels = (uint32_t)kernel_nodes / request->replicas;
  *allocations = (uint32_t)allocation_nodes / request->replicas;
  return SLOT_OK;
}
