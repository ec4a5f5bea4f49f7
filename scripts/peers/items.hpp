#ifndef PEERS_ITEMS_H
#define PEERS_ITEMS_H

#include "peers.hpp"

std::vector<Item> all_items();

#endif
