// The ledger: every live simulated object and every API violation. Plain C, for Go.
#ifndef ASSAY_SIM_LEDGER_H
#define ASSAY_SIM_LEDGER_H

#include <stdint.h>

typedef struct sim_live {
    char *kind, *label, *site; // freed with sim_live_free
    int retains;
    uint64_t serial;
} sim_live;

int sim_ledger_count(void);
char *sim_ledger_text(int at); // freed by the caller; NULL past the end
int sim_live_list(sim_live **list);
void sim_live_free(sim_live *list, int count);
void sim_ledger_clear(void); // clears the violations and ignores the objects that are live now

#endif
