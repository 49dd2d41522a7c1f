"""Whether a list stands first: one that is called as what is asked for, and one in a sentence."""

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards.table_signs import explained_signs
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles
from tests.support.made.made_cards import chosen
from tests.support.vaults.made_vault import FILES


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("asked", "counted"),
    [
        ("all sailors with their wages", 9),
        ("crew sailors and wages", 9),
        ("flags and sailors wages", 0),  # of flags it says nothing
        ("deserted from both ships", 0),
    ],
)
def test_a_list_is_called_as_what_a_few_words_name(
    context: SearchContext, asked: str, counted: int
) -> None:
    assert (chosen(context, asked)[0].counted or 0) == counted


@pytest.mark.parametrize(
    ("asked", "best"),
    [("which ports are zone 2", "Zone 1: "), ("which ports are free of tolls", "| ")],
)
def test_a_list_within_a_sentence_stands_above_a_table(
    index_files: IndexFiles, asked: str, best: str
) -> None:
    rows = "| Sloop | 5 | 3 | 1 |\n| Barge | 7 | 4 | 2 |\n| Raft | 1 | 1 | 0 |\n"
    page = (
        "# Tolls\n\n| | Zone 1 port | Zone 2 port | Free port |\n|---|---|---|---|\n"
        f"{rows}\nZone 1: Aldmouth, Brine, Corm. Zone 2: the ports of the bay, and Drell, Esk.\n"
    )
    card = chosen(index_files({"Tolls.md": page}, rag_threshold=-9.0), asked)[0]
    assert card.best.quote.startswith(best)


RULES = {
    "Tolls.md": (
        "# Tolls\n\n## Late payment\n\nWhat follows when a toll is paid late:\n\n"
        "1. First reminder, after two weeks: free.\n2. Second reminder: 10 marks.\n"
        "3. After six weeks the boat is chained.\n\n"
    )
}


def test_of_what_happens_all_steps_of_a_list_are_marked(index_files: IndexFiles) -> None:
    card = chosen(index_files(RULES, rag_threshold=-9.0), "what happens if a toll is paid late")[0]
    assert [part.first_line for part in card.marked] == [7, 8, 9]


def test_what_a_dash_means_is_explained_in_words() -> None:
    said = "A dash means: that folk does not serve. A tick in the last column stands for the night."
    assert explained_signs(said, {"-", "✓", "x"}) == {
        "-": "that folk does not serve",
        "✓": "the night",
    }
    assert explained_signs("A dash of salt means luck.", {"-"}) == {}


STORE = {
    "Suits and Tools.md": (
        "# Suits and Tools\n\n## Suits\n\n| Suit | Bottles | Cost |\n|---|---|---|\n"
        "| Skin suit | 1 | 40 |\n| Yard suit | 2 | 80 |\n| Hard shell | 5 | 650 |\n"
        "| Frame | 8 | 900 |\n\n"
        "## Tools\n\n| Tool | Cost | Trait |\n|---|---|---|\n| Saw | 20 | Grip |\n"
        "| Lamp | 18 | Wits |\n| Winch | 300 | Grip |\n| Beacon | 60 | Wits |\n"
    ),
    "Building.md": (
        "# Building halls\n\nWhich clans may build a hall at their rank, see ***Clans***.\n\n"
        "| Part | Cost |\n|---|---|\n| Gate | 900 |\n| Wall | 50 |\n| Keep | 75 |\n| Moat | 4 |\n"
    ),
    "Clans.md": (
        "# Clans\n\n## Halls of the clans\n\n| Clan | From rank | Hall |\n|---|---|---|\n"
        "| Otter | 9 | Lodge |\n| Heron | any | Tower |\n| Pike | 7 | Weir |\n"
    ),
}


@pytest.mark.parametrize(
    ("asked", "counted"),
    [
        ("which suits cost less than 200", 2),  # and no tools, though the file is called suits too
        ("list all the tools that use wits", 2),
        ("list tools that use wits", 2),
    ],
)
def test_rows_are_chosen_of_the_table_that_is_called_so(
    index_files: IndexFiles, asked: str, counted: int
) -> None:
    card = chosen(index_files(STORE, rag_threshold=-9.0), asked)[0]
    assert card.counted == counted


def test_a_list_that_is_not_called_as_what_is_asked_for_does_not_say_all(
    index_files: IndexFiles,
) -> None:
    asked = "which clans can build a hall at any rank"
    card = chosen(index_files(STORE, rag_threshold=-9.0), asked)[0]
    assert card.counted is None


def test_what_one_item_alone_says_asks_for_no_list(index_files: IndexFiles) -> None:
    page = (
        "# Rust Eel\n\n- **Rust:** a bite ruins a blade.\n- **Coins:** copper is safe.\n"
        "- **Dead ones:** tanners pay 9 marks for the skin.\n- **Food:** nails.\n"
    )
    card = chosen(index_files({"Rust Eel.md": page}), "what do tanners pay for a rust eel")[0]
    assert card.counted is None
    assert "tanners pay" in card.best.quote


CAMP = {
    "Camp.md": (
        "# Camp\n\n## Boats of your own\n\nGuests may bring canoes. It costs 6 marks a day.\n\n"
        "## Launching\n\n1. Fetch the tag.\n2. Wash the hull.\n3. Launch from the slip.\n\n"
        "## Canoes for hire\n\n| Canoe | Hour |\n|---|---|\n| Short | 5 |\n| Long | 7 |\n"
        "| Broad | 9 |\n\n## Who may do what\n\n| May | Manager | Night warden | Warden |\n"
        "|---|---|---|---|\n| ring the bell | Y | Y | Y |\n| send a party away | Y | A | Y |\n"
        "| open the safe | Y | – | – |\n| give a slip | Y | Y | – |\n\n"
        "## Guests\n\nOf the day and of the night.\n\n| | Guest | Member |\n|---|---|---|\n"
        "| Seat | no | yes |\n| Votes | no | yes |\n\n"
        "## Extras\n\n**Conditions:** extras are for members.\n\n"
        "### Conditions\n\n- Pay first.\n- Bring it back dry.\n- Sign the sheet.\n"
    )
}


@pytest.fixture(scope="module")
def camp(index_files: IndexFiles) -> SearchContext:
    return index_files(CAMP, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("asked", "first", "shown"),
    [
        ("how do I get my own canoe on the water, step by step", "1. Fetch the tag.", 3),
        ("list everything a night warden can do", "| ring the bell | Y | Y | Y |", 2),
        ("what is the difference between a guest and a member", "| Seat | no | yes |", 2),
        ("conditions of the extras", "- Pay first.", 3),
    ],
)
def test_the_list_that_is_meant_goes_first(
    camp: SearchContext, asked: str, first: str, shown: int
) -> None:
    parts = chosen(camp, asked)[0].pieces[-1].parts
    line = CAMP["Camp.md"].split("\n")[parts[0].first_line - 1]
    assert (line, len(parts)) == (first, shown)


def test_two_columns_that_are_compared_answer(camp: SearchContext) -> None:
    asked = "what is the difference between a guest and a member"
    assert card_reply(camp, asked).certainty == "answered"


def test_a_role_s_powers_are_those_with_a_plain_yes(camp: SearchContext) -> None:
    card = chosen(camp, "what can a night warden do")[0]
    assert card.said
    assert "send a party away" not in " ".join(card.lines.values())
    for asked in (
        "list everything a night warden may not do",
        "list everything a night warden is never allowed to do",
        "what can happen to a night warden",
    ):
        assert not chosen(camp, asked)[0].said, asked
    safe = chosen(camp, "what can a night warden do with the safe")[0]
    assert "ring the bell" not in " ".join(safe.lines[part.first_line] for part in safe.marked)


def test_a_number_of_things_in_words_is_no_row(index_files: IndexFiles) -> None:
    page = "# Curses\n\n| 1d3 | Item |\n|---|---|\n| 1 | Boots |\n| 2 | Cloak |\n| 3 | Coin |\n"
    context = index_files({"Curses.md": page}, rag_threshold=-9.0)
    assert len(chosen(context, "the three curses and what each is")[0].pieces[-1].parts) == 3


def test_a_list_of_exports_is_none_of_imports(index_files: IndexFiles) -> None:
    page = (
        "# Export and import\n\n## Export formats\n\n| Format | Size |\n|---|---|\n| PDF | 5 |\n"
        "| JSON | 7 |\n| Text | 2 |\n\n## Import\n\nIt reads HTML and CSV files.\n"
    )
    context = index_files({"Export and import.md": page}, rag_threshold=-9.0)
    first, *others = chosen(context, "which export formats are there")
    assert first.says_all
    assert all(one.folded for one in others)
    imported = chosen(context, "which import formats are there")
    assert not any(card.says_all for card in imported)


TRAPS = {
    "Traps.md": (
        "# Traps\n\nA trap lies face down until somebody steps on it.\n\n"
        "- Slit: two darts\n- Pit: a fall of two ells\n- Bell: everybody wakes\n\n"
        "## Making a trap safe\n\n1. Stand beside the trap.\n2. Roll a die.\n"
        "3. On a six take the trap away.\n"
    ),
    "Market.md": (
        "# Market\n\n| Ware | Price | Use |\n|---|---|---|\n| Candle | 1 | light |\n"
        "| Pick | 4 | better at locks and traps |\n| Rope | 2 | to cross a pit |\n"
    ),
    "Closing.md": (
        "# Closing\n\n## Closing list\n\nTo be done before the last one goes:\n\n"
        "- Sweep the floor\n- Shut the windows\n- Lock the front door\n"
    ),
}


def test_neither_steps_nor_a_list_of_another_name_are_a_list_of_things(
    index_files: IndexFiles,
) -> None:
    context = index_files(TRAPS, rag_threshold=-9.0)
    card = chosen(context, "list all traps")[0]
    assert (card.heading, [part.first_line for part in card.marked]) == ("Traps", [5, 6, 7])


def test_all_of_a_list_is_marked_that_stands_where_the_nearest_line_does(
    index_files: IndexFiles,
) -> None:
    context = index_files(TRAPS, rag_threshold=-9.0)
    card = chosen(context, "list all that is on the closing list at night")[0]
    assert [part.first_line for part in card.marked] == [7, 8, 9]
    denied = chosen(context, "list all that is never on the closing list at night")[0]
    assert denied.marked == () or denied.heading != card.heading
