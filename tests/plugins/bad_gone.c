/* The library that bad_load_library needs, and that the loader does not find. */
int gone(int);
int gone(int value) {
  return value;
}
