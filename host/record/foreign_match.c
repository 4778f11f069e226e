/* Assigns foreign rows, which other programs have timed, to the rows of runs, by case, mode, device and run. */
#include "record/run_data.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { KEY_PARTS = 4 };

/* ---- Finding the case of a row ---- */

/* The key by which the case of a foreign row is looked up: case, mode, device and run. An empty text matches any. */
struct wanted {
  const char *parts[KEY_PARTS];
  char run[24];
};

static void want_case(struct wanted *wanted, const char *case_key, const char *mode, const char *device, size_t run) {
  *wanted = (struct wanted){{case_key, mode, device, wanted->run}, ""};
  if (run != FOREIGN_ANY_RUN) snprintf(wanted->run, sizeof wanted->run, "%zu", run);
}

static void add_places(struct map *places, const struct record *record, size_t run) {
  const char *key = text_or_empty(record->case_key), *mode = text_or_empty(record->mode);
  const char *const devices[] = {"", text_or_empty(record->device_name), text_or_empty(record->devices)};
  struct wanted wanted;
  want_case(&wanted, key, "", "", run);
  map_put(places, wanted.parts, KEY_PARTS, 0);
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    want_case(&wanted, key, mode, devices[i], run);
    map_put(places, wanted.parts, KEY_PARTS, 0);
  }
}

/* Returns true if the record differs from the one before it in case, mode or device. Only such records enter the index,
 * because the variants of a case are consecutive and have the same key. */
static bool is_new_place(const struct record *record, const struct record *before) {
  return !text_same(record->case_key, before->case_key) || !text_same(record->mode, before->mode) ||
         !text_same(record->devices, before->devices) || !text_same(record->device_name, before->device_name);
}

static struct map find_places(const struct run_data *data) {
  struct map places = {0};
  size_t last_run = FOREIGN_ANY_RUN;
  for (size_t i = 0; i < data->count; i++) {
    const size_t run = run_data_run_of(data, &data->records[i]);
    if (run == last_run && !is_new_place(&data->records[i], &data->records[i - 1])) continue;
    add_places(&places, &data->records[i], run);
    add_places(&places, &data->records[i], FOREIGN_ANY_RUN);
    last_run = run;
  }
  return places;
}

static bool is_case_there(const struct map *places, const struct foreign_row *row, const char *mode, const char *device,
                          size_t run) {
  struct wanted wanted;
  want_case(&wanted, row->case_key, mode, device, run);
  return map_get(places, wanted.parts, KEY_PARTS) != MAP_NONE;
}

static enum foreign_place place_of_foreign(const struct map *places, const struct foreign_row *row) {
  if (is_case_there(places, row, row->mode, row->device, row->run)) return FOREIGN_MATCHED;
  if (is_case_there(places, row, row->mode, "", row->run)) return FOREIGN_OTHER_DEVICE;
  return is_case_there(places, row, "", "", row->run) ? FOREIGN_OTHER_MODE : FOREIGN_NO_CASE;
}

bool foreign_match_is_of(const struct run_data *data, const struct foreign_row *row, size_t run) {
  if (row->place != FOREIGN_MATCHED || (row->run != FOREIGN_ANY_RUN && row->run != run)) return false;
  if (row->run == run || data->run_count < 2) return true;
  for (size_t i = data->runs[run].first; i < data->runs[run].first + data->runs[run].count; i++)
    if (text_same(data->records[i].case_key, row->case_key) && text_same(data->records[i].mode, row->mode)) return true;
  return false;
}

/* ---- The note about rows without a case ---- */

enum { NAMED_MAX = 3, CANDIDATES_MAX = 1000 };

struct sentence {
  char *to;
  size_t size;
};

#define say(sentence, ...) phrase_add((sentence)->to, (sentence)->size, "", __VA_ARGS__)

/* Returns the case key that `key` may be a misspelling of, or NULL. Considers only case keys of the same bench, and
 * sets `*like` to one of these. */
static const char *nearest_key(const struct run_data *data, const char *key, const char **like) {
  const char *candidates[CANDIDATES_MAX];
  const size_t name = strcspn(key, "[");
  size_t count = 0;
  for (size_t i = 0; i < data->count && count < CANDIDATES_MAX; i++) {
    const char *other = text_or_empty(data->records[i].case_key);
    if (count != 0 && strcmp(candidates[count - 1], other) == 0) continue;
    if (strncmp(other, key, name) == 0 && strlen(other) < KEY_SIZE) candidates[count++] = other;
  }
  *like = count != 0 ? candidates[0] : NULL;
  return text_nearest(key, candidates, count);
}

static void say_no_case(struct sentence *sentence, const struct run_data *data, size_t count) {
  size_t named = 0;
  say(sentence, "%zu of %zu are of no case here: ", count, data->foreign.count);
  for (size_t i = 0; i < data->foreign.count && named < NAMED_MAX; i++) {
    const struct foreign_row *row = &data->foreign.items[i];
    if (row->place != FOREIGN_NO_CASE) continue;
    const char *like = NULL, *near = nearest_key(data, row->case_key, &like);
    say(sentence, "%s'%.120s' %.40s", named != 0 ? ", " : "", row->case_key, row->variant);
    if (near != NULL)
      say(sentence, " (nearest: '%.120s')", near);
    else if (like != NULL && named == 0)
      say(sentence, " (keys here are like '%.120s')", like);
    named++;
  }
  if (count > named) say(sentence, " and %zu more", count - named);
}

static const struct foreign_row *first_of(const struct run_data *data, enum foreign_place place) {
  for (size_t i = 0; i < data->foreign.count; i++)
    if (data->foreign.items[i].place == place) return &data->foreign.items[i];
  return NULL;
}

static void say_other(struct sentence *sentence, const struct run_data *data, enum foreign_place place, size_t count) {
  const struct foreign_row *row = first_of(data, place);
  if (row == NULL) return;
  say(sentence, "%s%zu of %zu are of a case that was not timed %s here: ", sentence->to[0] != '\0' ? "; " : "", count,
      data->foreign.count, place == FOREIGN_OTHER_MODE ? "in their mode" : "on their device");
  say(sentence, "%s'%.120s' %.40s, %s %.60s", count > 1 ? "first " : "", row->case_key, row->variant,
      place == FOREIGN_OTHER_MODE ? "mode" : "device", place == FOREIGN_OTHER_MODE ? row->mode : row->device);
}

/* Adds one note about all foreign rows (timed by other programs) that fit no case of the runs. */
static void note_unmatched(struct run_data *data, const size_t counts[FOREIGN_OTHER_DEVICE + 1]) {
  char text[MSG_SIZE];
  struct sentence sentence = {text, sizeof text};
  if (counts[FOREIGN_MATCHED] == data->foreign.count) return;
  text[0] = '\0';
  if (counts[FOREIGN_NO_CASE] != 0) say_no_case(&sentence, data, counts[FOREIGN_NO_CASE]);
  say_other(&sentence, data, FOREIGN_OTHER_MODE, counts[FOREIGN_OTHER_MODE]);
  say_other(&sentence, data, FOREIGN_OTHER_DEVICE, counts[FOREIGN_OTHER_DEVICE]);
  strings_print(&data->notes, "Foreign rows: %s.", text);
}

void foreign_match(struct run_data *data) {
  size_t counts[FOREIGN_OTHER_DEVICE + 1] = {0};
  if (data->foreign.count == 0) return;
  struct map places = find_places(data);
  for (size_t i = 0; i < data->foreign.count; i++) {
    struct foreign_row *row = &data->foreign.items[i];
    row->place = place_of_foreign(&places, row);
    counts[row->place]++;
  }
  map_free(&places);
  note_unmatched(data, counts);
}
