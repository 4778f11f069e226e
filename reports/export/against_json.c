/* A comparison as JSON. */
#include "compare/against.h"
#include "export/compare.h"

enum { FORMAT_VERSION = 1 };

static const char *const fates[AGAINST_FATES] = {"both", "lost", "mended", "untimed", "only_base", "only_here"};

static const char *text_or_null(const char *text) {
  return text[0] != '\0' ? text : NULL;
}

static void write_row(struct json *json, const struct against_row *row) {
  json_object(json, NULL);
  json_text(json, "case_key", row->case_key);
  json_text(json, "variant", row->variant);
  json_text(json, "mode", row->mode);
  json_text(json, "devices", row->devices);
  json_text(json, "fate", fates[row->fate]);
  json_real(json, "base_ns", row->base_ns);
  json_real(json, "ns", row->ns);
  json_real(json, "speedup", row->speedup);
  json_real(json, "lo", row->lo);
  json_real(json, "hi", row->hi);
  json_text(json, "verdict", text_or_null(stats_verdict_name(row->word)));
  json_bool(json, "beyond", row->beyond);
  json_text(json, "not_judged", text_or_null(gap_name(row->gap)));
  json_text(json, "note", row->note);
  json_object_end(json);
}

static void write_unlike(struct json *json, const struct against *against) {
  json_array(json, "unlike");
  json_flatten(json);
  for (size_t i = 0; i < against->unlike_count; i++) {
    json_object(json, NULL);
    json_text(json, "what", against->differences[i].what);
    json_text(json, "base", against->differences[i].base);
    json_text(json, "here", against->differences[i].other);
    json_object_end(json);
  }
  json_array_end(json);
}

void against_json(struct json *json, const char *key, const struct against *against) {
  size_t unjudged = 0;
  for (size_t i = 0; i < against->count; i++)
    unjudged += against->rows[i].gap != GAP_NONE;
  json_object(json, key);
  json_text(json, "verdict", against_verdict_name(against_verdict(against)));
  json_text(json, "sentence", against_fact(against, "sentence"));
  json_text(json, "base", against_fact(against, "run_id"));
  json_text(json, "threshold_percent", against_fact(against, "threshold"));
  json_whole(json, "not_judged", (int64_t)unjudged);
  write_unlike(json, against);
  json_array(json, "notes");
  for (size_t i = 0; i < against->notes.count; i++)
    json_text(json, NULL, against->notes.items[i]);
  json_array_end(json);
  json_array(json, "rows");
  json_flatten(json);
  for (size_t i = 0; i < against->count; i++)
    write_row(json, &against->rows[i]);
  json_array_end(json);
  json_object_end(json);
}

int compare_json_write(const struct compare *compare, FILE *out, struct err *err) {
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_text(&json, "format", "gpubench-compare");
  json_whole(&json, "format_version", FORMAT_VERSION);
  json_text(&json, "verdict", against_verdict_name(compare_verdict(compare)));
  json_text(&json, "base", compare->base_label);
  json_array(&json, "runs");
  for (size_t i = 0; i < compare->run_count; i++) {
    struct against *against = against_make(compare, i, compare->base_label);
    json_object(&json, NULL);
    json_text(&json, "name", compare->runs[i].label);
    against_json(&json, "against", against);
    json_object_end(&json);
    against_free(against);
  }
  json_array_end(&json);
  json_object_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the JSON");
}
