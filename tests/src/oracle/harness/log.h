/* Included before everything else in a logging build. */
#ifndef HX_LOG_H
#define HX_LOG_H
int hx_enter(const char *function);
void hx_leave(int *frame);
/* The variables are triples of name, type letter and address, ended by a null pointer. */
void hx_at(int site, ...);
void hx_stop(int site, ...);
#endif
