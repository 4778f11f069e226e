/* The part of bad_hostile.c that needs a C++ compiler: a function that throws an exception. */
#ifndef BAD_HOSTILE_H
#define BAD_HOSTILE_H

#ifdef __cplusplus
extern "C"
#endif
    void
    hostile_throw(void);

#endif
