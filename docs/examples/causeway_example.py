#!/usr/bin/env python3
"""Asks a bridge for limits, quotes, unsigned calls, statuses, histories and explanations.

Needs Python 3.9 and its standard library. It has no keys: `calls` prints transactions for any signer.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Iterator

Json = dict[str, Any]

DIRECTIONS = ("ETHEREUM_TO_PARTNER", "PARTNER_TO_ETHEREUM")
# An operation in one of these never changes again.
ENDED = ("COMPLETED", "FAILED", "EXPIRED")
REQUEST_TIMEOUT_SECONDS = 15
MOST_ATTEMPTS = 6
LONGEST_BACKOFF_SECONDS = 60
# The API serves pages of at most this length.
LONGEST_PAGE = 100

EXIT_CODES = """\
Each command prints one JSON document. Progress, warnings and failures go to standard error.

exit codes:
  0    done; of status: COMPLETED
  1    the API refused the request
  2    wrong arguments
  3    no answer that can be used, after 6 attempts
  4    of status: FAILED or EXPIRED
  130  interrupted
"""


class Refusal(Exception):
    """A failure that the API names: `code` decides what a program does, `message` is for people."""

    def __init__(self, status: int, code: str, message: str, retry_after: float) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.retry_after = retry_after
        self.is_transient = status in (408, 429) or (status >= 500 and code != "SERVICE_PAUSED")


class NoAnswer(Exception):
    """The request or its answer was lost, or the answer is not of this API."""

    code = "NO_ANSWER"
    retry_after = 0.0
    is_transient = True


class Bridge:
    """The public REST API of a bridge. Amounts are plain decimals as text, never floats.

    report: receives a line before a request is repeated, and when a followed operation has changed.
    """

    def __init__(self, api_url: str, report: Callable[[str], None]) -> None:
        self._api_url = api_url.rstrip("/")
        self._report = report

    def limits(self) -> Json:
        return self._repeat("limits")

    def quote(self, token: str, amount: str, direction: str) -> Json:
        return self._repeat("fee-quote", {"token": token, "amount": amount, "direction": direction})

    def transactions(self, token: str, amount: str, direction: str, sender: str, recipient: str) -> Json:
        """The unsigned calls of a transfer, its quote and its warnings. Nothing is stored or reserved."""
        body = {
            "token": token,
            "amount": amount,
            "direction": direction,
            "senderAddress": sender,
            "recipientAddress": recipient,
        }
        return self._repeat("transactions", body=body)

    def explain(self, value: str) -> Json:
        return self._repeat("explain", {"hash": value})

    def history(self, address: str, page_size: int = LONGEST_PAGE) -> Iterator[Json]:
        """The operations of a wallet, newest first. None is missed or read twice when others begin meanwhile."""
        query = {"address": address, "limit": str(page_size)}
        while True:
            page = self._repeat("history", query)
            yield from page["operations"]
            if page["pagination"]["nextCursor"] is None:
                return
            query["cursor"] = page["pagination"]["nextCursor"]

    def follow(self, identifier: dict[str, str], interval: float) -> Json:
        """Polls an operation until its end.

        identifier: one of `originTxHash`, `depositId`, `withdrawId`, `intentId`.
        interval: seconds between two requests, up to twice as long, so that many clients spread.
        """
        failures = 0
        last = ""
        while True:
            try:
                operation = self._request("status", identifier)
                failures = 0
                state = " ".join(filter(None, [operation["status"], operation["delayedReason"]]))
            except (Refusal, NoAnswer) as error:
                if error.is_transient:
                    failures += 1
                    self._back_off(error, failures)
                    continue
                # The bridge has not seen it yet.
                if error.code != "OPERATION_NOT_FOUND":
                    raise
                state = str(error)
            if state != last:
                self._report(state)
                last = state
            if state in ENDED:
                return operation
            time.sleep(interval * random.uniform(1, 2))

    def _repeat(self, path: str, query: dict[str, str] | None = None, body: Json | None = None) -> Json:
        """Every request of this API may be repeated."""
        for failures in range(1, MOST_ATTEMPTS):
            try:
                return self._request(path, query, body)
            except (Refusal, NoAnswer) as error:
                if not error.is_transient:
                    raise
                self._back_off(error, failures)
        return self._request(path, query, body)

    def _back_off(self, error: Refusal | NoAnswer, failures: int) -> None:
        """Waits exponentially with jitter, and not less than Retry-After."""
        self._report(f"{error}; asking again")
        time.sleep(error.retry_after + random.uniform(0, min(LONGEST_BACKOFF_SECONDS, 2**failures)))

    def _request(self, path: str, query: dict[str, str] | None = None, body: Json | None = None) -> Json:
        url = f"{self._api_url}/bridge/{path}"
        if query is not None:
            url += f"?{urllib.parse.urlencode(query)}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT_SECONDS) as response:
                return parse_object(response.read())
        except urllib.error.HTTPError as error:
            raise to_refusal(error) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoAnswer(f"{self._api_url} gave no usable answer: {error}") from error


def parse_object(text: bytes) -> Json:
    answer = json.loads(text)
    if not isinstance(answer, dict):
        raise ValueError("it is not a JSON object")
    return answer


def to_refusal(error: urllib.error.HTTPError) -> Refusal:
    retry_after = error.headers.get("retry-after", "")
    seconds = float(retry_after) if retry_after.isdecimal() else 0.0
    try:
        answer = parse_object(error.read())
        return Refusal(error.code, answer["error"], answer["message"], seconds)
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        # A proxy before the API has answered.
        return Refusal(error.code, f"HTTP_{error.code}", "the answer is not one of this API", seconds)


def print_json(document: Any) -> None:
    print(json.dumps(document, indent=2))


def report_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run_calls(bridge: Bridge, words: argparse.Namespace) -> int:
    answer = bridge.transactions(words.token, words.amount, words.direction, words.sender, words.recipient)
    quote = answer["quote"]
    if not quote["deliverable"]:
        until = quote["deliverableAt"] or "an unknown time"
        report_line(f"It would wait until {until}: {quote['undeliverableReason']}")
    for warning in answer["warnings"]:
        report_line(f"{warning['code']}: {warning['message']}")
    print_json(answer["calls"])
    return 0


def run_status(bridge: Bridge, words: argparse.Namespace) -> int:
    operation = bridge.follow({words.by: words.value}, words.interval)
    print_json(operation)
    return 0 if operation["status"] == "COMPLETED" else 4


def run_history(bridge: Bridge, words: argparse.Namespace) -> int:
    operations = bridge.history(words.address, min(words.count, LONGEST_PAGE))
    print_json(list(itertools.islice(operations, words.count)))
    return 0


def run_read(read: Callable[[Bridge, argparse.Namespace], Json]) -> Callable[[Bridge, argparse.Namespace], int]:
    def run(bridge: Bridge, words: argparse.Namespace) -> int:
        print_json(read(bridge, words))
        return 0

    return run


def parse_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError("must begin with http:// or https://")
    return text


def parse_count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a whole number above 0")
    return int(text)


def parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    # This refuses NaN, too.
    if not 0 < seconds <= LONGEST_BACKOFF_SECONDS:
        raise argparse.ArgumentTypeError(f"must be seconds above 0 and at most {LONGEST_BACKOFF_SECONDS}")
    return seconds


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXIT_CODES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default_api = "http://127.0.0.1:3000/api/v1"
    parser.add_argument("--api", type=parse_url, default=default_api, help="address of the API (%(default)s)")
    commands = parser.add_subparsers(required=True, metavar="command")

    limits = commands.add_parser("limits", help="minimum, maximum and room of each asset")
    limits.set_defaults(run=run_read(lambda bridge, _: bridge.limits()))

    quote = commands.add_parser("quote", help="fee, output and duration of an amount")
    quote.set_defaults(run=run_read(lambda bridge, words: bridge.quote(words.token, words.amount, words.direction)))
    calls = commands.add_parser("calls", help="transactions to sign and send, each after the one before was mined")
    calls.set_defaults(run=run_calls)
    for command in (quote, calls):
        command.add_argument("token", help="ETH, USDC or XCN")
        command.add_argument("amount", help="a plain decimal such as 12.5")
        command.add_argument("direction", choices=DIRECTIONS)
    calls.add_argument("sender", help="address that pays, on the origin chain")
    calls.add_argument("recipient", help="address that is paid, on the destination chain")

    status = commands.add_parser("status", help="polls an operation until it is COMPLETED, FAILED or EXPIRED")
    status.add_argument("value", help="hash of the origin transaction, or the id that --by names")
    by = ("originTxHash", "depositId", "withdrawId", "intentId")
    status.add_argument("--by", choices=by, default=by[0], help="identifier (%(default)s)")
    status.add_argument("--interval", type=parse_seconds, default=5, help="seconds, up to twice as long (%(default)s)")
    status.set_defaults(run=run_status)

    history = commands.add_parser("history", help="operations of a wallet, newest first")
    history.add_argument("address")
    history.add_argument("--count", type=parse_count, default=100, help="operations at most (%(default)s)")
    history.set_defaults(run=run_history)

    explain = commands.add_parser("explain", help="what happened to a transaction or an id, and the next step")
    explain.add_argument("hash")
    explain.set_defaults(run=run_read(lambda bridge, words: bridge.explain(words.hash)))
    return parser


def main() -> int:
    words = make_parser().parse_args()
    try:
        return words.run(Bridge(words.api, report_line), words)
    except Refusal as error:
        report_line(str(error))
        return 1
    except NoAnswer as error:
        report_line(str(error))
        return 3
    except KeyboardInterrupt:
        return 130
    except KeyError as error:
        report_line(f"The answer has no field {error}: it is not of this API")
        return 3


if __name__ == "__main__":
    sys.exit(main())
