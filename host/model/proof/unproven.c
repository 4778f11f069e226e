#include "model/proof/unproven.h"

#include <string.h>

#include "base/text.h"

static const struct {
  const char *name, *sentence;
} reasons[UNPROVEN_REASONS] = {
    [UNPROVEN_UNTIMED] = {"untimed", "work that is not timed could carry the difference"},
    [UNPROVEN_FORESEEN] = {"foreseen", "it could foresee which of its elements would be compared"},
    [UNPROVEN_FEW] = {"few", "too few of its results were compared with the reference"},
    [UNPROVEN_PRECISION] = {"precision", "its arithmetic has fewer significant bits than what it is compared with"},
    [UNPROVEN_ERROR] = {"error",
                        "its error is 100 times that of what it is compared with, and above a tenth of the "
                        "tolerance"},
    [UNPROVEN_REUSE] = {"reuse", "results kept from earlier calls could carry the difference"},
    [UNPROVEN_ALONE] = {"alone", "measured alone, apart from what ran beside it, the difference was another"},
    [UNPROVEN_CLOCK] = {"clock", "a clock outside its process does not bear out its times"},
    [UNPROVEN_STATED] = {"stated", "the samples that its figures are of are not there"},
    [UNPROVEN_OTHER] = {"other", "for a reason that this version of gpubench does not know"},
};

const char *unproven_name(enum unproven reason) {
  return reasons[reason].name;
}

const char *unproven_sentence(enum unproven reason) {
  return reasons[reason].sentence;
}

void unproven_print(uint32_t bits, char *to, size_t size) {
  to[0] = '\0';
  for (unsigned i = 0; i < UNPROVEN_REASONS; i++)
    if ((bits & UNPROVEN_BIT(i)) != 0) phrase_add(to, size, ";", "%s", reasons[i].name);
}

void unproven_words(uint32_t bits, char *to, size_t size) {
  to[0] = '\0';
  for (unsigned i = 0; i < UNPROVEN_REASONS; i++)
    if ((bits & UNPROVEN_BIT(i)) != 0) phrase_add(to, size, "; ", "%s", reasons[i].sentence);
}

static uint32_t bit_of(const char *name, size_t length) {
  for (unsigned i = 0; i < UNPROVEN_REASONS; i++)
    if (strlen(reasons[i].name) == length && memcmp(reasons[i].name, name, length) == 0) return UNPROVEN_BIT(i);
  return UNPROVEN_BIT(UNPROVEN_OTHER);
}

uint32_t unproven_parse(const char *text) {
  uint32_t bits = 0;
  for (const char *at = text_or_empty(text); *at != '\0';) {
    const size_t length = strcspn(at, ";");
    if (length > 0) bits |= bit_of(at, length);
    at += length + (at[length] == ';');
  }
  return bits;
}

uint32_t unproven_takes(enum verdict word, uint32_t own, uint32_t denominators) {
  switch (word) {
    case VERDICT_FASTER:
      return own & ~denominators;
    case VERDICT_SLOWER:
      return denominators & ~own;
    case VERDICT_SAME:
      return own ^ denominators;
    default:
      return 0;
  }
}
