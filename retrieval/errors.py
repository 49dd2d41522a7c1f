"""Every error that a user can meet. The API maps each to a status, the programs to an exit code.

RulesError
├── ConfigurationError         a setting is unknown, of the wrong kind, or contradicts another
├── VaultError                 the vault is missing, or an ingest of it would delete too much
├── FileRejectedError          one file cannot be read; the others go in
├── DatabaseUnreachableError   no database answers, or the embedded one cannot start
├── IndexMissingError          the database holds no live generation of rules
├── IndexMismatchError         the live generation was made by other models or another chunker
├── SchemaNewerError           a newer program has changed the database's tables
├── IngestRunningError         another process is writing the index
├── GateRefusedError           a new generation was measured and did not pass
├── BackupError                a backup cannot be written, read, or put where it is wanted
├── ModelUnavailableError      weights are missing, unreadable or not the ones that were pinned
├── QuestionError              a question that cannot be searched: empty, too long, no text
├── FilterError                a filter that the vault's metadata does not fit
├── DatasetError               a file of questions cannot be read; nothing could be measured
├── RetrieverError             a retriever that is measured and not ours cannot be asked
└── LlmError
    ├── LlmUnreachableError    no language model answered within the deadline
    └── LlmReplyError          it answered with something that is no answer

A message says what happened, with the value, and then what to do next.
"""

_TRY_LATER = "try again later; the server's log tells the operator more under this request's id"


class RulesError(Exception):
    """Base of all errors that are meant for a person to read."""

    # What callers of the API are told where the message names addresses or paths; "": the message.
    public = ""


class ConfigurationError(RulesError):
    """A setting is unknown, of the wrong kind, or contradicts another."""


class VaultError(RulesError):
    """The vault is missing, or an ingest of it would delete too much."""


class FileRejectedError(RulesError):
    """One file of the vault cannot be read. `path` is below the vault, with "/"."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class DatabaseUnreachableError(RulesError):
    """No database answers, or the embedded one cannot be started."""

    public = f"no database answers; {_TRY_LATER}"


class IndexMissingError(RulesError):
    """The database holds no live generation."""


class IndexMismatchError(RulesError):
    """The live generation was made by other models or by another chunker."""


class SchemaNewerError(RulesError):
    """A newer program has changed the database's tables."""


class IngestRunningError(RulesError):
    """Another process is writing the index."""


class GateRefusedError(RulesError):
    """A new generation was measured and did not pass, so the old one stays live."""


class BackupError(RulesError):
    """A backup cannot be written, read, or put where it is wanted."""


class ModelUnavailableError(RulesError):
    """Weights are missing, unreadable, or not the ones that were pinned."""

    public = f"a model of this server cannot be used; {_TRY_LATER}"


class QuestionError(RulesError):
    """A question that cannot be searched: empty, too long, or not text."""


class FilterError(RulesError):
    """A filter that cannot be applied: an unknown field, a wrong operator or value, too large."""


class OverloadedError(RulesError):
    """More is asked at once than can be answered in time."""


class DatasetError(RulesError):
    """A file of questions cannot be read, so nothing could be measured."""


class RetrieverError(RulesError):
    """A retriever that is measured and not ours cannot be asked, or returned no passages."""


class LlmError(RulesError):
    """The language model gave no usable answer."""


class LlmUnreachableError(LlmError):
    """No language model answered within the deadline."""


class LlmAbandonedError(LlmUnreachableError):
    """Nobody waits for the language model any longer: the client left, or the server stops."""


class LlmReplyError(LlmError):
    """The language model answered with something that is no answer."""
