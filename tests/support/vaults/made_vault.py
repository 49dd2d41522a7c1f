"""A small vault with one of each form that a card has, for tests of answers."""

_SAILORS = "".join(
    f"| {name} | {pay} | {berth} |\n"
    for name, pay, berth in [
        ("Boatswain", 40, "aft"), ("Carpenter", 35, "aft"), ("Cook", 25, "galley"),
        ("Helmsman", 45, "aft"), ("Lookout", 22, "masthead"), ("Oarsman", 12, "bench"),
        ("Pilot", 90, "aft"), ("Sailmaker", 33, "forecastle"), ("Surgeon", 80, "aft"),
    ]
)  # fmt: skip
_FLAGS = "".join(f"| Flag {n:02} | {n * 3} yards of cloth |\n" for n in range(1, 46))

FILES = {
    "1. Ships/1. Crew.md": (
        "# Crew\n\nEvery ship signs its crew on at the harbour office before it sails. "
        "The master of the ship pays them on the last day of the voyage, in coin, and "
        "whoever deserts before that day is owed nothing at all. A crew that is not paid within "
        "ten days may sell the cargo, and the harbour office helps them to find a buyer for it.\n\n"
        "## Wages\n\n| Sailor | Wage (gp) | Berth |\n|---|---:|---|\n" + _SAILORS
    ),
    "1. Ships/2. Flags.md": "# Flags\n\n| Signal flag | Cloth |\n|---|---|\n" + _FLAGS,
    "1. Ships/3. Mutiny.md": (
        "# Mutiny\n\nA mutiny begins when half of the hands refuse an order. "
        "It ends when the captain yields.\n"
    ),
    "2. Beasts/Kraken.md": (
        "# Kraken\n\nA giant squid of the deep.\n\n| | |\n|---|---|\n| Armour Class | 2 |\n"
        "| Hit Dice | 20 |\n| Movement | 30’ |\n| Attacks | 10 tentacles |\n| Morale | 9 |\n"
        "| Treasure | none |\n"
    ),
    "2. Beasts/Selkie.md": (
        "# Selkie\n\n**Armour Class:** 7\n**Hit Dice:** 2 (9hp)\n**Movement:** 90’\n**Morale:** 6\n"
        "**Treasure:** a pearl\n\nSelkies sing at low tide.\n"
    ),
    "3. Magic/1. Sea Priests/Calm.md": "# Calm\n\n- Range: 120’\n- Duration: 12 turns\n",
    "3. Magic/2. Wind Mages/Calm.md": "# Calm\n\n- Range: 60’\n- Duration: 6 turns per level\n",
    "3. Magic/2. Wind Mages/Fog.md": "# Fog\n\n**Range:** 60’\n**Duration:** 3 turns\n",
    "4. Sailing/Departure.md": (
        "# Departure\n\nBefore it leaves the harbour, a ship must carry:\n\n"
        "- fresh water for ten days\n- a chest of tools with\n  - a caulking iron\n"
        "  - two hammers\n- one spare sail\n\nThe harbour master looks into it.\n"
    ),
    "4. Sailing/Storms.md": (
        "# Storms\n\nA storm costs a ship 1d6 hull points in each watch.\n\n"
        "## Lightning <marquee>*x*</marquee>\n\nLightning that strikes the mast burns one sail.\n\n"
        "## Speed > 10 knots\n\nA ship over ten knots may run before the storm.\n"
    ),
    "8. Old/Tolls 1650.md": (
        "---\nstatus: superseded\nedition: \"1650\"\n---\n\n# Tolls\n\n"
        "The harbour toll is 2 gp for every mast of a ship.\n"
    ),
    "5. Harbour/Tolls.md": "# Tolls\n\nThe harbour toll is 5 gp for every mast of a ship.\n",
    "9. Errata.md": (
        "---\nstatus: errata\nsupersedes:\n  - 1. Ships/3. Mutiny.md\n---\n\n# Errata\n\n"
        "A mutiny begins when two thirds of the hands refuse an order, not half.\n"
    ),
}  # fmt: skip
