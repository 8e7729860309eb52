/* Included before everything else in a sheet with logging. */
#ifndef HX_LOG_H
#define HX_LOG_H
#ifdef __cplusplus
extern "C" {
#endif
void hx_pass(const char *function);
void hx_value(const char *function, const char *name, int is_pointer, double value);
void hx_start(const char *function, const char *name);
#ifdef __cplusplus
}
template <class T> int hx_is_pointer(T *const &) { return 1; }
template <class T> int hx_is_pointer(const T &) { return 0; }
template <class T> double hx_number(T *const &x) { return (double)(unsigned long)x; }
template <class T> double hx_number(const T &x) { return static_cast<double>(x); }
#define HX_VALUE(x) hx_value(__func__, #x, hx_is_pointer(x), hx_number(x))
#else
#define HX_IS_POINTER(x) (__builtin_classify_type(x) == 5)
#define HX_NUMBER(x) ((double) __builtin_choose_expr(HX_IS_POINTER(x), (unsigned long) (x), (x)))
#define HX_VALUE(x) hx_value(__func__, #x, HX_IS_POINTER(x), HX_NUMBER(x))
#endif
#define HX_START(x) hx_start(__func__, #x)
#endif
