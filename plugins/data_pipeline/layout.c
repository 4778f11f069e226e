#include "layout.h"

#define PAGE UINT64_C(4096)

struct layout layout_of(uint64_t record_bytes, uint64_t records, uint64_t chunk_records) {
  return (struct layout){.record_bytes = record_bytes,
                         .records = records,
                         .chunk_records = chunk_records,
                         .chunks = (records + chunk_records - 1) / chunk_records};
}

uint64_t layout_bytes(const struct layout *layout) {
  return layout->record_bytes * layout->records;
}

uint64_t layout_chunk_bytes(const struct layout *layout) {
  return layout->record_bytes * layout->chunk_records;
}

uint64_t layout_chunk_at(const struct layout *layout, uint64_t chunk) {
  return chunk * layout_chunk_bytes(layout);
}

uint64_t layout_chunk_size(const struct layout *layout, uint64_t chunk) {
  const uint64_t left = layout_bytes(layout) - layout_chunk_at(layout, chunk);
  return left < layout_chunk_bytes(layout) ? left : layout_chunk_bytes(layout);
}

static uint64_t boundary(uint64_t bytes, int part, int parts) {
  const uint64_t pages = (bytes + PAGE - 1) / PAGE;
  const uint64_t at = pages * (uint64_t)part / (uint64_t)parts * PAGE;
  return at < bytes ? at : bytes;
}

void layout_part(uint64_t bytes, int part, int parts, uint64_t *from, uint64_t *to) {
  *from = boundary(bytes, part, parts);
  *to = boundary(bytes, part + 1, parts);
}
