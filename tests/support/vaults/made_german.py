"""The rules of a German boat club: six files, and ten questions with the line that answers."""

FILES = {
    "Boote.md": """# Boote

## Ausleihe

Mitglieder leihen ein Ruderboot höchstens vier Stunden lang aus. Die Kaution beträgt 50 Euro.

## Schäden

Wer ein beschädigtes Paddel zurückgibt, meldet den Schaden am selben Tag dem Bootswart.
""",
    "Beiträge.md": """# Beiträge

| Mitglied | Jahresbeitrag (Euro) | Aufnahmegebühr (Euro) |
|---|---|---|
| Erwachsene | 180 | 60 |
| Jugendliche | 75 | 20 |
| Fördernde | 40 | keine |

Der Beitrag wird im Januar eingezogen.
""",
    "Kündigung.md": """# Kündigung

Eine Kündigung ist schriftlich bis zum 30. September beim Vorstand einzureichen.

Bereits gezahlte Beiträge werden nicht erstattet.
""",
    "Gäste.md": """# Gäste

- Gäste tragen sich vor der Fahrt in das Gästebuch ein.
- Ein Gast darf im Jahr dreimal mitfahren.
- Hunde müssen an Land bleiben.
""",
    "Wetter.md": """# Wetter

Ab Windstärke 6 bleiben alle Boote am Steg.

Bei Gewitter ist das Wasser sofort zu verlassen; gefahren wird 30 Minuten nach dem letzten Donner.
""",
    "Schlüssel.md": """# Schlüssel

Den Schlüssel zum Bootshaus verwahrt der Hausmeister.

Ein verlorener Schlüssel kostet 35 Euro, und das Schloss wird ausgetauscht.
""",
}
QUESTIONS = (
    ("Kaution Ruderboote", "Boote.md", 5),
    ("Wie lange darf man Ruderboote ausleihen?", "Boote.md", 5),
    ("beschädigte Paddel", "Boote.md", 9),
    ("Jahresbeiträge für Jugendliche", "Beiträge.md", 6),
    ("Wann werden die Beiträge eingezogen?", "Beiträge.md", 9),
    ("Kündigungen schriftlich einreichen", "Kündigung.md", 3),
    ("Dürfen Hunde mitfahren?", "Gäste.md", 5),
    ("Gästebücher", "Gäste.md", 3),
    ("Gewittern Minuten Donner", "Wetter.md", 5),
    ("Was kosten verlorene Schlüssel?", "Schlüssel.md", 5),
)
