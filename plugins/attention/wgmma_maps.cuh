// Tensor maps for TMA copies of tensors that have a matrix for each head. Copying, and filling with zeros past the end,
// depend only on the size of elements: 2 bytes for bf16 and fp16, 1 for e4m3.
#ifndef ATTENTION_WGMMA_MAPS_CUH
#define ATTENTION_WGMMA_MAPS_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "../shared/tensor_map.cuh"

namespace attention {

using hopper::encode_function;
using hopper::encoder;

// Describes a matrix [heads][s][d] in boxes of 64 columns by `rows`. Elements outside are read as zero and not written.
// L2 fetches `promotion` bytes at once.
inline int describe(encode_function encode, CUtensorMap *map, const void *matrix, int d, int s, int64_t heads, int rows,
                    CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B) {
  const cuuint64_t width = static_cast<cuuint64_t>(d), height = static_cast<cuuint64_t>(s);
  const cuuint64_t extents[3] = {width, height, static_cast<cuuint64_t>(heads)};
  const cuuint64_t pitch[2] = {width * 2, width * height * 2};
  const cuuint32_t box[3] = {64, static_cast<cuuint32_t>(rows), 1}, steps[3] = {1, 1, 1};
  const CUresult result =
      encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, const_cast<void *>(matrix), extents, pitch, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

// Describes a matrix [heads][s][d] of e4m3 in boxes of 128 columns, or of 64 if d is 64, with the swizzle of that
// width.
inline int describe_e4m3(encode_function encode, CUtensorMap *map, const void *matrix, int d, int s, int64_t heads,
                         int rows) {
  const cuuint64_t width = static_cast<cuuint64_t>(d), height = static_cast<cuuint64_t>(s);
  const cuuint64_t extents[3] = {width, height, static_cast<cuuint64_t>(heads)};
  const cuuint64_t pitch[2] = {width, width * height};
  const cuuint32_t box[3] = {d < 128 ? 64u : 128u, static_cast<cuuint32_t>(rows), 1}, steps[3] = {1, 1, 1};
  const CUresult result =
      encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, const_cast<void *>(matrix), extents, pitch, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, d < 128 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace attention
#endif
