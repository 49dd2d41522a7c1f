"""Draw SVG as PNG, for where SVG is not shown: chat, slides, mail.

By resvg, a wheel of 1.4 MB without dependencies: matplotlib would bring ten packages to draw what
is drawn already, CairoSVG wants a system library, and a browser is not everywhere.
"""

import resvg_py

from retrieval.errors import ConfigurationError

_FONT = "DejaVu Sans"  # resvg takes Arial for "sans-serif", and nothing where that is missing
_ZOOM = 2.0  # pixels for each unit of the drawing: sharp on today's screens


def png(svg: str) -> bytes:
    """Return a drawing with text as PNG.

    Raises ConfigurationError where the machine has no font: resvg leaves texts out in silence.
    """
    drawn = resvg_py.svg_to_bytes(svg_string=svg, zoom=_ZOOM, sans_serif_family=_FONT)
    if drawn == resvg_py.svg_to_bytes(svg_string=svg, zoom=_ZOOM, skip_system_fonts=True):
        raise ConfigurationError(
            "no font is installed, so a PNG would have no words; install one, such as the package "
            "fonts-dejavu-core, or use --svg"
        )
    return drawn
