#include "floor.h"
#include "resident.h"
