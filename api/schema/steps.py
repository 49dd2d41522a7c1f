"""The steps of an answer: what was found, sentences of a draft, the checked answer."""

from pydantic import BaseModel, Field

from api.schema.answer import Answer
from api.schema.passages import Passage


class SearchResults(BaseModel):
    """What was found, before anything is answered: the event `search_results`, the first."""

    question: str = Field(description="the question as it was searched")
    passages: list[Passage]
    generation: str


class Delta(BaseModel):
    """A sentence of a draft: the event `message`. It is provisional.

    Markup, addresses and words of the prompt are taken out of it; the whole is checked in the end.
    Show it as plain text, and only until `final_answer` comes in its place, whose findings say what
    was struck.
    """

    text: str
    attempt: int = Field(default=1, ge=1, description="a higher one begins the draft again")
    claim: int = Field(
        default=1, ge=1, description="its number, by which the guard's findings name it"
    )


Step = SearchResults | Delta | Answer
