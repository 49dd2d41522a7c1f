"""What an answer took: tokens and milliseconds."""

from pydantic import BaseModel

from api.llm.completion import Reply


class Usage(BaseModel):
    """Tokens as the language model's server counted them; 0 where none was called."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def of(cls, reply: Reply) -> "Usage":
        """Return the tokens of a model's reply."""
        return cls(prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)

    def __add__(self, other: "Usage") -> "Usage":
        """Return the tokens of both."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class AnswerTimings(BaseModel):
    """Milliseconds."""

    embed_ms: float
    search_ms: float
    rerank_ms: float
    generate_ms: float
    total_ms: float
