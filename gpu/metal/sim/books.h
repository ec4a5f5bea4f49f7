// The books: every simulated object that lives, and every rule of the API that was broken. Plain C, for Go.
#ifndef ASSAY_SIM_BOOKS_H
#define ASSAY_SIM_BOOKS_H

#include <stdint.h>

typedef struct sim_live {
    char *kind, *label, *site; // freed with sim_live_free
    int retains;
    uint64_t serial;
} sim_live;

int sim_books_count(void);
char *sim_books_text(int at); // freed by the caller; NULL past the end
int sim_live_list(sim_live **list);
void sim_live_free(sim_live *list, int count);
void sim_books_clear(void); // forgets violations and the objects that live now

#endif
