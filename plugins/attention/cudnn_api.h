/* The part of cuDNN 9's backend interface that attention needs. It is small enough that no cuDNN header is needed to
 * build. Its functions and numbers are those of cudnn_graph.h of cuDNN 9.19; a test compares them if that header is
 * installed. The way in which attention is built from these operations follows NVIDIA/cudnn-frontend
 * (scaled_dot_product_flash_attention.h, softmax.h, diagonal_band_mask.h). */
#ifndef ATTENTION_CUDNN_API_H
#define ATTENTION_CUDNN_API_H

#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

/* Handles and descriptors are void *; statuses are int, 0 on success; names and types of attributes are int. */
struct cudnn_functions {
  size_t (*cudnnGetVersion)(void);
  void (*cudnnGetLastErrorString)(char *text, size_t size);
  int (*cudnnCreate)(void **handle);
  int (*cudnnDestroy)(void *handle);
  int (*cudnnSetStream)(void *handle, struct CUstream_st *stream);
  int (*cudnnBackendCreateDescriptor)(int kind, void **descriptor);
  int (*cudnnBackendDestroyDescriptor)(void *descriptor);
  int (*cudnnBackendFinalize)(void *descriptor);
  int (*cudnnBackendSetAttribute)(void *descriptor, int name, int type, int64_t count, const void *values);
  int (*cudnnBackendGetAttribute)(void *descriptor, int name, int type, int64_t most, int64_t *count, void *values);
  int (*cudnnBackendExecute)(void *handle, void *plan, void *pack);
};

#define CUDNN_FUNCTIONS(use)                                                                               \
  use(cudnnGetVersion) use(cudnnGetLastErrorString) use(cudnnCreate) use(cudnnDestroy) use(cudnnSetStream) \
      use(cudnnBackendCreateDescriptor) use(cudnnBackendDestroyDescriptor) use(cudnnBackendFinalize)       \
          use(cudnnBackendSetAttribute) use(cudnnBackendGetAttribute) use(cudnnBackendExecute)

/* cuDNN's header has the same names with the prefix CUDNN_ instead of DNN_. */
enum {
  DNN_DATA_FLOAT = 0,
  DNN_DATA_HALF = 2,
  DNN_DATA_INT32 = 4,
  DNN_DATA_BFLOAT16 = 9,
  DNN_DATA_BOOLEAN = 11,

  DNN_POINTWISE_ADD = 0,
  DNN_POINTWISE_MUL = 1,
  DNN_POINTWISE_DIV = 6,
  DNN_POINTWISE_SUB = 9,
  DNN_POINTWISE_EXP = 13,
  DNN_POINTWISE_LOG = 15,
  DNN_POINTWISE_IDENTITY = 21,
  DNN_POINTWISE_CMP_GT = 302,
  DNN_POINTWISE_CMP_GE = 303,
  DNN_POINTWISE_GEN_INDEX = 501,
  DNN_POINTWISE_BINARY_SELECT = 601,

  DNN_REDUCE_TENSOR_ADD = 0,
  DNN_REDUCE_TENSOR_MAX = 3,

  DNN_HEUR_MODE_A = 3,

  DNN_TYPE_HANDLE = 0,
  DNN_TYPE_DATA_TYPE = 1,
  DNN_TYPE_BOOLEAN = 2,
  DNN_TYPE_INT64 = 3,
  DNN_TYPE_VOID_PTR = 6,
  DNN_TYPE_HEUR_MODE = 8,
  DNN_TYPE_KNOB_TYPE = 9,
  DNN_TYPE_POINTWISE_MODE = 14,
  DNN_TYPE_BACKEND_DESCRIPTOR = 15,
  DNN_TYPE_REDUCTION_OPERATOR_TYPE = 18,

  DNN_BACKEND_POINTWISE_DESCRIPTOR = 0,
  DNN_BACKEND_ENGINE_DESCRIPTOR = 2,
  DNN_BACKEND_ENGINECFG_DESCRIPTOR = 3,
  DNN_BACKEND_ENGINEHEUR_DESCRIPTOR = 4,
  DNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR = 5,
  DNN_BACKEND_KNOB_CHOICE_DESCRIPTOR = 7,
  DNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR = 13,
  DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR = 15,
  DNN_BACKEND_VARIANT_PACK_DESCRIPTOR = 16,
  DNN_BACKEND_TENSOR_DESCRIPTOR = 17,
  DNN_BACKEND_MATMUL_DESCRIPTOR = 18,
  DNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR = 19,
  DNN_BACKEND_REDUCTION_DESCRIPTOR = 21,
  DNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR = 22,
  DNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR = 31,

  DNN_ATTR_POINTWISE_MODE = 0,
  DNN_ATTR_POINTWISE_MATH_PREC = 1,
  DNN_ATTR_POINTWISE_AXIS = 9,

  DNN_ATTR_ENGINEHEUR_MODE = 200,
  DNN_ATTR_ENGINEHEUR_OPERATION_GRAPH = 201,
  DNN_ATTR_ENGINEHEUR_RESULTS = 202,

  DNN_ATTR_ENGINECFG_ENGINE = 300,
  DNN_ATTR_ENGINECFG_KNOB_CHOICES = 302,

  DNN_ATTR_EXECUTION_PLAN_HANDLE = 400,
  DNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG = 401,
  DNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE = 402,

  DNN_ATTR_KNOB_CHOICE_KNOB_TYPE = 600,
  DNN_ATTR_KNOB_CHOICE_KNOB_VALUE = 601,

  DNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR = 750,
  DNN_ATTR_OPERATION_POINTWISE_XDESC = 751,
  DNN_ATTR_OPERATION_POINTWISE_BDESC = 752,
  DNN_ATTR_OPERATION_POINTWISE_YDESC = 753,
  DNN_ATTR_OPERATION_POINTWISE_TDESC = 758,

  DNN_ATTR_OPERATIONGRAPH_HANDLE = 800,
  DNN_ATTR_OPERATIONGRAPH_OPS = 801,

  DNN_ATTR_TENSOR_BYTE_ALIGNMENT = 900,
  DNN_ATTR_TENSOR_DATA_TYPE = 901,
  DNN_ATTR_TENSOR_DIMENSIONS = 902,
  DNN_ATTR_TENSOR_STRIDES = 903,
  DNN_ATTR_TENSOR_UNIQUE_ID = 906,
  DNN_ATTR_TENSOR_IS_VIRTUAL = 907,
  DNN_ATTR_TENSOR_IS_BY_VALUE = 908,

  DNN_ATTR_VARIANT_PACK_UNIQUE_IDS = 1000,
  DNN_ATTR_VARIANT_PACK_DATA_POINTERS = 1001,
  DNN_ATTR_VARIANT_PACK_WORKSPACE = 1003,

  DNN_ATTR_ENGINE_GLOBAL_INDEX = 1301,

  DNN_ATTR_MATMUL_COMP_TYPE = 1500,

  DNN_ATTR_OPERATION_MATMUL_ADESC = 1520,
  DNN_ATTR_OPERATION_MATMUL_BDESC = 1521,
  DNN_ATTR_OPERATION_MATMUL_CDESC = 1522,
  DNN_ATTR_OPERATION_MATMUL_DESC = 1523,

  DNN_ATTR_REDUCTION_OPERATOR = 1600,
  DNN_ATTR_REDUCTION_COMP_TYPE = 1601,

  DNN_ATTR_OPERATION_REDUCTION_XDESC = 1610,
  DNN_ATTR_OPERATION_REDUCTION_YDESC = 1611,
  DNN_ATTR_OPERATION_REDUCTION_DESC = 1612,

  DNN_ATTR_OPERATION_RESHAPE_XDESC = 2200,
  DNN_ATTR_OPERATION_RESHAPE_YDESC = 2201,
};

#endif
