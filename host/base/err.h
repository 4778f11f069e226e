/* Errors as values: the first message is kept, and callers prepend context. These functions do no I/O. */
#pragma once

/* Exit codes of the command line, documented in reports/docs/running.md. */
enum exit_code {
  EXIT_OK = 0,
  EXIT_REGRESSION = 1,
  EXIT_USAGE = 2,  /* wrong command line or suite file, or it selects nothing that exists */
  EXIT_FAILED = 3, /* wrong results, crashes, refusals, nothing ran, or the run directory could not be written */
  EXIT_DEVICE = 4, /* the device cannot be used */
  /* --fail-on: a row that the option covers could not be judged, or there was no row to judge */
  EXIT_UNJUDGED = 5,
  EXIT_UNFIT = 6, /* doctor: this machine is not fit for measurements */
};

struct err {
  int exit_code; /* 0: no error yet */
  int about;     /* a number that tells the caller what kind of error it is; 0: not set */
  char text[1800];
};

#ifdef __GNUC__
#define ERR_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define ERR_PRINTF(text, args)
#endif

/* Records an error unless one is recorded already. Always returns -1, so that a function can `return err_set(...)`. */
int err_set(struct err *err, int exit_code, const char *format, ...) ERR_PRINTF(3, 4);

/* Sets the number `about` of the recorded error unless it is set already. Returns -1. */
int err_about(struct err *err, int about);

/* Prepends "context: " to the recorded text. Returns -1. */
int err_context(struct err *err, const char *format, ...) ERR_PRINTF(2, 3);
