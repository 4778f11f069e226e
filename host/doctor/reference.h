/* What models of GPU have shown of the yardsticks, for whoever has no history yet. */
#ifndef DOCTOR_REFERENCE_H
#define DOCTOR_REFERENCE_H

/* Nanoseconds; NaN: not known. Both as struct doctor_yardstick has them. */
double doctor_reference_ns(const char *device, const char *what);

#endif
