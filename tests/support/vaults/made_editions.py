"""A vault of two editions, of which a filter may hide one."""

from typing import Any

SECOND = "---\nedition: 2\nstatus: current\n---\n"
FIRST = "---\nedition: 1\nstatus: superseded\n---\n"
FILES = {
    "First/Torches.md": FIRST + "# Torches\n\nA torch burns for one hour.\n",
    "First/Lanterns.md": FIRST + "# Lanterns\n\nA lantern burns a flask of oil in four hours.\n",
    "First/Monsters/Wight.md": FIRST + "# Wight\n\nA wight drains one level with each hit.\n",
    "First/Monsters/Ghoul.md": FIRST + "# Ghoul\n\nA ghoul paralyses with each hit.\n",
    "First/Monsters/Spectre.md": FIRST + "# Spectre\n\nA spectre drains two levels.\n",
    "Second/Torches.md": SECOND + "# Torches\n\nA torch burns for six hours.\n",
    "Second/Hazards.md": "---\nedition: 2\n---\n# Hazards\n\nA fall deals 1d6 for each 10 feet.\n",
    "Second/Weapons.md": SECOND + "# Weapons\n\n| Weapon | Cost |\n|---|---|\n| Axe | 7 |\n",
}
TORCH, LANTERN = "How long does a torch burn?", "How long does a lantern burn a flask of oil?"
FRANCE = "What is the capital of France?"
NEW: dict[str, Any] = {"edition": 2}
