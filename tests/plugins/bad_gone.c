/* The library that the plugin bad_load_library needs. It is built in a place where the loader does not find it. */
int gone(int);
int gone(int value) {
  return value;
}
