-- The rooms: where their doors lead, what lies in them, what lives there, and what opens them.
return {
  cell = { text = "A cell. A door in the north stands open.", north = "corridor" },
  corridor = {
    text = "A corridor. Doors lead east and north; something breathes in the north.",
    south = "cell", east = "armoury", north = "bridge",
  },
  armoury = { text = "An armoury, long plundered. A sword is left.", west = "corridor", item = "sword" },
  bridge = {
    text = "A bridge over a chasm. In the north there is a gate.",
    south = "corridor", north = "garden", monster = { name = "troll", strength = 3 },
  },
  garden = { text = "A garden.", south = "bridge", needs = "sword", isExit = true },
}
