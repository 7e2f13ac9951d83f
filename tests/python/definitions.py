from dataclasses import dataclass, field
from typing import ClassVar, TYPE_CHECKING


@dataclass(frozen=True)
class Note(Base, Generic[T], metaclass=Meta):
    """A note."""

    text: str
    tags: list[str] = field(default_factory=list)
    limit: ClassVar[int] = 3
    plain = make()

    class Inner:
        depth = 1

    if TYPE_CHECKING:

        def hint(self) -> "Inner": ...

    @staticmethod
    def build(text): ...

    @classmethod
    def load(cls, path): ...

    @property
    def short(self):
        return self.text[:10]

    async def save(self, path: "Path", /, mode=0o644, *rest: str, name, **options: object) -> bool:
        """Writes the note.

        Then returns.
        """
        return await self.store(path)


def outer(*, key=lambda item, reverse=False: -item.rank):
    @wraps(key)
    def inner(value):
        yield from value

    return inner
