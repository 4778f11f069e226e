/* Writes the style sheet and the script, and a Content-Security-Policy that allows only these two, so that markup in
 * untrusted text has no effect even if escaping fails. The hashes in the policy are computed here, so that they always
 * match. */
#include "html/assets.h"

#include <sha2.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"

static void write_base64(FILE *out, const uint8_t *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    uint32_t group = (uint32_t)bytes[i] << 16;
    if (i + 1 < count) group |= (uint32_t)bytes[i + 1] << 8;
    if (i + 2 < count) group |= bytes[i + 2];
    putc(digits[group >> 18], out);
    putc(digits[group >> 12 & 63], out);
    putc(i + 1 < count ? digits[group >> 6 & 63] : '=', out);
    putc(i + 2 < count ? digits[group & 63] : '=', out);
  }
}

/* Writes where a page may take its style sheet or its script from: the file next to the page, or the text inside the
 * page. */
static void write_source(FILE *out, enum html_assets assets, const char *text) {
  if (assets == HTML_SPLIT) {
    fputs("'self'", out);
    return;
  }
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, (const uint8_t *)text, strlen(text));
  SHA256Final(digest, &context);
  fputs("'sha256-", out);
  write_base64(out, digest, sizeof digest);
  putc('\'', out);
}

static void write_policy(FILE *out, enum html_assets assets) {
  fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ", out);
  write_source(out, assets, html_css);
  fputs("; script-src ", out);
  write_source(out, assets, html_js);
  fputs("; img-src data:; base-uri 'none'; form-action 'none'\">\n", out);
}

static void write_style(FILE *out, enum html_assets assets) {
  if (assets == HTML_SPLIT)
    fputs("<link rel=\"stylesheet\" href=\"report.css\">\n", out);
  else
    fprintf(out, "<style>%s</style>\n", html_css);
}

void html_page_head(FILE *out, enum html_assets assets, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
  write_policy(out, assets);
  xml_print(out,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
            "content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" "
            "href=\"data:,\">\n<title>%s - gpubench</title>\n",
            title);
  write_style(out, assets);
  fputs("</head>\n<body>\n", out);
}

void html_script(FILE *out, enum html_assets assets) {
  if (assets == HTML_SPLIT)
    fputs("<script src=\"report.js\"></script>\n", out);
  else
    fprintf(out, "<script>%s</script>\n", html_js);
}

int html_write_css(const struct run_data *data, FILE *out, struct err *err) {
  (void)data;
  fputs(html_css, out);
  return output_end(out, "the style sheet", err);
}

int html_write_js(const struct run_data *data, FILE *out, struct err *err) {
  (void)data;
  fputs(html_js, out);
  return output_end(out, "the script", err);
}
