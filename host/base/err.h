/* One error: the first message wins, callers add context outward. Pure. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* Exit codes of the command line; README.md lists them. */
enum exit_code {
  EXIT_OK = 0,
  EXIT_REGRESSION = 1,
  EXIT_USAGE = 2,    /* bad command line, suite or selection */
  EXIT_FAILED = 3,   /* wrong, crashed, refused, nothing ran, or the run directory could not be written */
  EXIT_DEVICE = 4,   /* the device cannot be used */
  EXIT_UNJUDGED = 5, /* --fail-on: something of what it asks about could not be judged, or there was nothing */
  EXIT_UNFIT = 6,    /* doctor: this machine is not fit to be measured */
};

struct err {
  int exit_code; /* 0: no error yet */
  int about;     /* what kind of thing it is about, for who tells errors apart; 0: not said */
  char text[1800];
};

#ifdef __GNUC__
#define ERR_PRINTF(text, args) __attribute__((format(printf, text, args)))
#else
#define ERR_PRINTF(text, args)
#endif

/* Records an error unless one is recorded already. Always returns -1, so that `return err_set(...)` reads well. */
int err_set(struct err *err, int exit_code, const char *format, ...) ERR_PRINTF(3, 4);

/* Says what the recorded error is about, unless somebody has said it who knew better. Returns -1. */
int err_about(struct err *err, int about);

/* Puts "context: " before the recorded text. Returns -1. */
int err_context(struct err *err, const char *format, ...) ERR_PRINTF(2, 3);

#endif
