"""Eleven small files in the Markdown of Obsidian, MkDocs and Docusaurus, each with a question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """A file, a question, the lines that answer it (inclusive), and words that the card shows."""

    path: str
    text: str
    question: str
    lines: tuple[int, int]
    shown: tuple[str, ...]


DIALECTS = (
    Dialect(
        "obsidian/Boats.md",
        """# Boats

Every boat is checked against [[Weather#Gale|the gale table]] and [[Moorings#Fees|fees]].

A dinghy may leave the quay only while [[Weather]] shows a green flag.
A coracle needs no flag, see [[#Rescue]] and [[Weather#Gale]].
""",
        "When may a dinghy leave the quay?",
        (5, 6),
        (
            "see Rescue and Weather > Gale",
            "while Weather shows a green flag",
        ),
    ),
    Dialect(
        "obsidian/Weather.md",
        """# Weather

## Gale

![[Gale signals]]

The harbour closes at force 8, as ![[Chart of winds.png|300]] shows.

![[Moorings#Fees]]
""",
        "At which force does the harbour close?",
        (7, 7),
        ("The harbour closes at force 8", "Chart of winds"),
    ),
    Dialect(
        "obsidian/Moorings.md",
        """# Moorings

## Fees

Boats pay at the office.

> [!warning]- Unpaid mooring fees
> A boat whose mooring fee is unpaid for 14 days is chained to the quay.
>
> > [!tip] Relief
> > Widows of harbour pilots pay half.
""",
        "What happens to a boat whose mooring fee is unpaid?",
        (7, 11),
        ("Relief", "Unpaid mooring fees", "chained to the quay"),
    ),
    Dialect(
        "mkdocs/Kiln.md",
        """# Kiln

Fire the kiln on dry days only.

!!! danger "Opening the kiln"

    Nobody opens the kiln above 90 degrees.

    - Gloves of wool come off before the latch is touched.
    - The potter counts the shelves.

The log is signed by two people.
""",
        "Above how many degrees may nobody open the kiln?",
        (5, 7),
        ("Opening the kiln", "Nobody opens the kiln above 90 degrees."),
    ),
    Dialect(
        "mkdocs/Glazes.md",
        """# Glazes

???+ tip "Firing of glazes"
    Glazes are fired twice.

    | Glaze | Firing (hours) |
    |---|---|
    | Celadon | 11 |
    | Tenmoku | 14 |
""",
        "How many hours is tenmoku fired?",
        (9, 9),
        ("Tenmoku",),
    ),
    Dialect(
        "mkdocs/Parcels.md",
        """# Parcels

## Sending a parcel

=== "By land"

    A parcel by land takes six days and costs 4 florins.

=== "By sea"

    A parcel by sea takes forty days and costs 1 florin.

    1. Wrap it in oilcloth.
    2. Tie it with tarred string.
""",
        "How long does a parcel by sea take?",
        (9, 11),
        ("By sea", "takes forty days"),
    ),
    Dialect(
        "docusaurus/library.mdx",
        """---
id: library
title: Reading room
sidebar_label: 'Rooms: reading'
sidebar_position: 3
hide_table_of_contents: true
keywords: [books, silence]
---

import Tabs from '@theme/Tabs';
import {
  Card,
} from '../components/Card';

export const toc = [
  {value: 'Loans', id: 'loans'},
];

{/* The opening hours are in another file. */}

A loan from the reading room ends after 21 days.
""",
        "After how many days does a loan from the reading room end?",
        (21, 21),
        ("A loan from the reading room ends after 21 days.",),
    ),
    Dialect(
        "docusaurus/ladders.md",
        """# Ladders

:::caution[Ladders in the wind]

Above a wind of 12 knots no ladder is leaned against the tower.

:::

::::info
Ladders are painted yellow.

:::tip Rungs
A rung is replaced when it bends by a thumb.
:::
::::

Ladders are counted in autumn.
""",
        "At how many knots of wind is no ladder leaned against the tower?",
        (3, 5),
        ("Ladders in the wind", "no ladder is leaned against the tower"),
    ),
    Dialect(
        "docusaurus/lamps.md",
        """# Lamps

import TabItem from '@theme/TabItem';

<Tabs groupId="lamp" defaultValue="oil">
  <TabItem value="oil" label="Oil lamp">

    An oil lamp is trimmed every 5 hours.

  </TabItem>
  <TabItem value="gas" label="Gas lamp">

  A gas lamp is vented every 9 hours.

  ```sh
  !!! vent --now
  ```

  </TabItem>
</Tabs>

<LampPicture kind="gas" />
""",
        "How often is a gas lamp vented?",
        (11, 13),
        ("!!! vent --now", "Gas lamp", "A gas lamp is vented every 9 hours"),
    ),
    Dialect(
        "mkdocs/Dyes.md",
        """# Dyes

1. Grind the madder root.

    !!! note "Madder"
        Madder is steeped for 3 nights, never boiled.

2. Rinse the cloth.

??? question
    Indigo smells of the sea.
""",
        "For how many nights is madder steeped?",
        (3, 6),
        ("Madder", "Madder is steeped for 3 nights"),
    ),
    Dialect(
        "docusaurus/uploads.md",
        """# Uploads {#uploads .wide}

<details open>
<summary>How heavy may a <b>parchment</b> be?</summary>

A parchment may weigh 3 stone. {: .note }

</details>
<details><summary>Who carries it?</summary>

Two porters carry it.
</details>
""",
        "How heavy may a parchment be?",
        (4, 6),
        ("How heavy may a parchment be?", "A parchment may weigh 3 stone."),
    ),
)
CODE = "!!! vent --now"  # in a fence, so no markup
MARKUP = (
    "[[", "]]", "!!!", "???", ":::", "===", "<Tab", "</Tab", "[!", "import ", "export ", "{/*",
    "sidebar", "{.", "{#", "{:", "summary>", "details>", "|300", "^",
)  # fmt: skip
