"""Which connection gives way to which, without a socket."""

from dataclasses import dataclass

from api.admission.connections import Connections


@dataclass(eq=False)
class Made:
    """A connection that notes whether it was closed."""

    address: str
    is_aborted: bool = False

    def abort(self) -> None:
        self.is_aborted = True


def test_the_oldest_unfinished_connection_gives_way_and_none_that_is_answered() -> None:
    kept = Connections(4)
    first, second, third, fourth = map(Made, "aabb")
    for one in (first, second, third, fourth):
        assert kept.admit(one)
        kept.unfinished(one, now=True)
    assert not kept.admit(Made("a")), "half of them are from one address"
    kept.unfinished(first, now=False)  # it is answered
    assert kept.admit(Made("c"))
    assert [one.is_aborted for one in (first, second, third)] == [False, True, False]
    kept.leave(second)  # its end is told later
    for one in (third, fourth):
        kept.unfinished(one, now=False)
    assert not kept.admit(Made("d")), "all are answered"
    kept.leave(first)
    assert kept.admit(Made("d"))


def test_nobody_gives_way_to_an_address_with_more_connections() -> None:
    kept = Connections(6)
    honest, *many = map(Made, "hmmnnn")
    for one in (honest, *many):
        assert kept.admit(one)
    kept.unfinished(honest, now=True)  # kept alive, and asks again soon
    assert not kept.admit(Made("m"))
    kept.unfinished(many[0], now=True)
    assert kept.admit(Made("m"))
    assert [one.is_aborted for one in (honest, many[0])] == [False, True]


def test_the_oldest_who_does_not_read_gives_way_to_an_address_with_fewer_connections() -> None:
    kept = Connections(6)
    honest, *many = map(Made, "hmmmnn")
    for one in (honest, *many):
        assert kept.admit(one)
        kept.unread(one, now=one is not many[0])
    kept.unfinished(many[4], now=True)
    assert kept.admit(Made("c"))
    assert many[1].is_aborted, "its address has most, so it goes before one that is unfinished"
    assert kept.admit(Made("d"))
    assert many[4].is_aborted, "of two with as many, the one that is unfinished"
    assert kept.admit(Made("e"))
    assert many[2].is_aborted
    kept.unread(many[3], now=False)  # it reads
    assert not kept.admit(Made("n")), "it has one, and who does not read has one"
    assert not honest.is_aborted
    assert kept.admit(Made("f"))
    assert honest.is_aborted


def test_the_reserve_always_has_a_place_and_who_has_most_of_it_pays() -> None:
    kept = Connections(2, reserve=4)
    for address in "ab":
        assert kept.admit(Made(address))
    probe, *flood = map(Made, "pxxx")
    for one in (probe, *flood):
        assert not kept.admit(one)
    assert not any(one.is_aborted for one in (probe, *flood))
    late = [Made("x") for _ in range(9)]
    for one in late:
        assert not kept.admit(one)
    assert all(one.is_aborted for one in (*flood, *late[:6]))
    assert not any(one.is_aborted for one in (probe, *late[6:]))
    kept.leave(probe)
    kept.unfinished(late[8], now=True)  # it is not one of the others
    assert not kept.admit(Made("c"))
    assert not late[8].is_aborted


def test_nothing_is_kept_of_connections_that_are_gone() -> None:
    kept = Connections(2, reserve=1)
    made = [Made(address) for address in "abcd"]
    for one in made:
        kept.admit(one)
        kept.unfinished(one, now=True)
        kept.unread(one, now=True)
    for one in (*made, *made):
        kept.leave(one)
    assert not any(vars(kept)[name] for name in vars(kept) if name.startswith("_"))
