"""Where a language model's server may not be: the addresses of a cloud's machine metadata."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import httpx2

from retrieval.errors import ConfigurationError

# Link-local addresses, where clouds serve a machine's credentials, and the few that clouds serve
# them at outside of these ranges. Loopback and private networks are no reason to refuse: a
# language model of one's own mostly runs there.
_REFUSED = tuple(
    ip_network(text)
    for text in (
        "169.254.0.0/16",  # RFC 3927; the metadata of AWS, Google Cloud, Azure and others
        "fe80::/10",  # RFC 4291
        "fd00:ec2::254/128",  # AWS over IPv6
        "100.100.100.200/32",  # Alibaba Cloud
        "168.63.129.16/32",  # Azure's host
        "192.0.0.192/32",  # Oracle Cloud
    )
)
_NAT64 = ip_network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address


def refused(address: str) -> bool:
    """Tell whether no question may go to this IP address, also where IPv6 only wraps it."""
    plain = _unwrapped(ip_address(address))
    return any(plain in network for network in _REFUSED)


def of_host(host: str) -> list[str]:
    """Return the IP addresses of a host's name; none where it has none at the moment.

    The system's resolver also reads the odd spellings of an address, such as 0xa9fea9fe.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []  # whoever connects is told so, with the name
    return sorted({str(entry[4][0]) for entry in found})


def checked(base_url: str) -> httpx2.URL:
    """Return OPENAI_BASE_URL as an address. Raises ConfigurationError where no question may go."""
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise ConfigurationError(f"OPENAI_BASE_URL is no address: {error}") from error
    if url.scheme not in {"http", "https"}:
        raise ConfigurationError(
            f"OPENAI_BASE_URL begins with {url.scheme!r}, not with http:// or https://"
        )
    for address in of_host(url.host):
        if refused(address):
            raise ConfigurationError(
                f"OPENAI_BASE_URL leads to {address}, an address of machine metadata; "
                "set it to a language model's server"
            )
    return url


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
