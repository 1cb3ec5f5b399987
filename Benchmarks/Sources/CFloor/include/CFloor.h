#include "calls.h"
#include "floor.h"
#include "resident.h"
