/* CLONES before a function compiles the function once for each instruction set; the loader chooses a copy when the
 * program starts. Builds with sanitizers have only one copy, because sanitizers do not work yet when the loader
 * chooses, and these builds need no speed. */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLONES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(undefined_behavior_sanitizer)
#define CLONES
#endif
#endif

#if !defined(CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define CLONES __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef CLONES
#define CLONES
#endif
