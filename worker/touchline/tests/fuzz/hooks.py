"""Gives each valid case its own key, account and address, so that cases do not affect each other.

Invalid cases share accounts, since each account costs the worker a password hash.
"""

import atexit
import collections
import html
import itertools
import json
import os
import re
import time
from http.cookiejar import DefaultCookiePolicy
from urllib.parse import parse_qsl, quote

import requests
import schemathesis
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import TestPhase

WORKER = os.environ["FUZZED_WORKER"]
LONGEST_KEY = 128
counter = itertools.count(1)
steps = itertools.count()
made = itertools.count()
session = requests.Session()
# Connections are shared, cookies are not: all clients would share one device.
session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))


class Asker:
    """A client with its own address, which the worker accepts because it trusts this machine as a proxy."""

    def __init__(self, logged_in: bool):
        self.number = next(counter)
        self.address = f"10.{self.number >> 16 & 255}.{self.number >> 8 & 255}.{self.number & 255}"
        self.api_key = ""
        self.verified = False
        self.api_key = self.post("get_api_key", channel_key="northfield")["api_key"]
        if logged_in:
            email = self.email = f"fuzzed-{os.getpid()}-{self.number}@viewers.example"
            password = {"password": "correct horse", "password_confirmation": "correct horse"}
            registered = self.post(
                "v2/auth/register", first_name="Fa", last_name="Zer", email=email, terms=True, **password
            )
            self.api_key = registered["api_key"]

    def ask(self, method: str, call: str, **more):
        headers = {"x-forwarded-for": self.address, "idempotency-key": f"made-{next(made)}"}
        answer = session.request(method, f"{WORKER}/api/{call}", headers=headers, timeout=20, **more)
        answer.raise_for_status()
        return answer.json()["data"]

    def post(self, call: str, **fields):
        return self.ask("POST", call, json={"api_key": self.api_key, **fields})

    def get(self, call: str):
        return self.ask("GET", call, params={"api_key": self.api_key})

    def card(self, number="4242 4242 4242 4242") -> str:
        card = {"client_secret": self.setup_secret(), "number": number, "exp": "12/40", "cvc": "123"}
        return self.post("stripe/sandbox-card", **card)["payment_method_id"]

    def setup_secret(self) -> str:
        return self.post("stripe/setup-intent")["client_secret"]

    def order(self, card=None, **product) -> int:
        product = product or {"type": "package", "id": 1}
        return self.post("stripe/buy", payment_method_id=card or self.card(), **product)["id"]

    def verify(self) -> dict:
        """Confirms the email address through its letter in the demo mailbox, as clips require."""
        if self.verified:
            return {}
        self.post("auth/email-verify-request")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            letters = html.unescape(session.get(f"{WORKER}/demo/mail", timeout=20).text)
            found = re.search(rf'/verify-email\?(email={re.escape(quote(self.email, safe=""))}[^"]*)"', letters)
            if found:
                link = dict(parse_qsl(found.group(1)))
                self.post("auth/email-verify", **{**link, "expires": int(link["expires"])})
                self.verified = True
                return {}
            time.sleep(0.02)
        raise TimeoutError(f"no letter to {self.email}")

    def clip(self) -> dict:
        """Creates a clip and waits until it is ready."""
        self.verify()
        wanted = {"event_id": 25, "event_media_id": 253, "start_time": 4, "duration": 8}
        clip = self.post("clip", name="A goal", tags=["goal"], **wanted)
        deadline = time.monotonic() + 20
        while clip["status"] != "ready" and time.monotonic() < deadline:
            time.sleep(0.02)
            clip = self.get("clips/user")[0]
        return clip

    def shared(self) -> dict:
        """The parameters in the link of a shared clip."""
        clip = self.clip()
        return {"id": clip["id"], "uuid": clip["uuid"]}

    def subscription(self) -> int:
        """Buys a subscription and waits until it is paid."""
        order = self.order(type="subscription", id=1)
        deadline = time.monotonic() + 20
        while self.get(f"orders/{order}")["status"] == "created" and time.monotonic() < deadline:
            time.sleep(0.02)
        return 1

    def cancelled(self) -> int:
        """A subscription that is cancelled at the end of its period."""
        subscription = self.subscription()
        self.post("stripe/unsubscribe", subscription_id=subscription)
        return subscription


# Values specific to an account, which no example in the document can have.
OWN = {
    ("POST", "/api/profile"): lambda asker: {"email": None, "current_password": None, "password": None},
    ("POST", "/api/stripe/buy"): lambda asker: {
        "type": "package", "id": 1, "payment_method_id": asker.card(),
        "promo_code": None, "participant_id": None, "single_event_package_id": None,
    },
    ("POST", "/api/stripe/subscription/start_trial"): lambda asker: {"payment_method_id": asker.card()},
    ("POST", "/api/stripe/sandbox-card"): lambda asker: {"client_secret": asker.setup_secret()},
    ("POST", "/api/stripe/unsubscribe"): lambda asker: {"subscription_id": asker.subscription()},
    ("POST", "/api/stripe/remove-card"): lambda asker: {"payment_method_id": asker.card()},
    ("POST", "/api/stripe/save-card"): lambda asker: {"payment_method_id": asker.card()},
    ("POST", "/api/stripe/subscription/resume"): lambda asker: {"subscription_id": asker.cancelled()},
    ("POST", "/api/stripe/subscription/use_card"): lambda asker: {
        "subscription_id": asker.subscription(), "payment_method_id": asker.card(),
    },
    ("POST", "/api/auth/add_session"): lambda asker: {"code": Asker(False).post("auth/session_code")["code"]},
    # A public event with a recording for clips.
    ("GET", "/api/events"): lambda _: {"ids": "25"},
    ("GET", "/api/orders/{id}"): lambda asker: {"id": asker.order()},
    ("DELETE", "/api/favorite/{id}"): lambda asker: {
        "id": asker.post("favorite", favoritable_type="group", favoritable_id=1)["id"]
    },
    ("POST", "/api/clip"): lambda asker: asker.verify(),
    ("GET", "/api/clip/download/{id}"): lambda asker: {"id": asker.clip()["id"]},
    ("GET", "/api/shared-clip/{id}"): lambda _: Asker(True).shared(),
    ("DELETE", "/api/clip/{id}"): lambda asker: {"id": asker.clip()["id"]},
    ("DELETE", "/api/auth/sessions/{id}"): lambda asker: {"id": asker.get("auth/sessions")[0]["id"]},
}


# Clients by key: a request that follows a link uses the client of the first request.
askers = {}


def known_asker(places):
    return next((askers[fields["api_key"]] for fields in places if fields["api_key"] in askers), None)


def is_stateful(case) -> bool:
    return case.meta is not None and case.meta.phase.name == TestPhase.STATEFUL


def is_meant_to_succeed(case) -> bool:
    return case.meta.generation.mode == GenerationMode.POSITIVE and next(steps) % 4 > 0


def given_by_links(schema) -> dict:
    """The body fields set by the document's links, by operation."""
    given = collections.defaultdict(set)
    for path in schema["paths"].values():
        for operation in path.values():
            responses = operation.get("responses", {}) if isinstance(operation, dict) else {}
            for link in (link for answer in responses.values() for link in answer.get("links", {}).values()):
                given[link["operationId"]].update(link.get("requestBody", {}))
    return given


def as_in_the_example(case, asker, but=()):
    """Replaces generated fields by those of the example, so that chains can continue."""
    raw = case.operation.definition.raw
    example = raw.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example", {})
    fields, kept = (case.body if case.operation.method.upper() == "POST" else case.query), {"api_key", *but}
    for name in [name for name in fields or {} if name not in kept]:
        del fields[name]
    for name, value in example.items():
        if name not in kept:
            fields[name] = value
    put_own(case, asker, kept)


def put_own(case, asker, kept=()):
    """Sets values of the client's account, except those set by a link."""
    own = OWN.get((case.operation.method.upper(), case.operation.path), lambda _: {})
    places = [case.body] if case.operation.method.upper() == "POST" else [case.query, case.path_parameters]
    places = [fields for fields in places if fields is not None]
    for name, value in own(asker).items():
        if name not in kept:
            next((fields for fields in places if name in fields), places[0])[name] = value


def is_for_people(case) -> bool:
    return "401" in case.operation.definition.raw["responses"]


def asker_of(case) -> Asker:
    """Mostly signed-in clients for calls that need an account, a mix for others; examples get the right kind."""
    if is_stateful(case):
        # Links from lists lead to calls that need an account.
        return Asker(case.operation.method.upper() == "GET" or is_for_people(case))
    if is_example(case):
        return Asker(is_for_people(case))
    turn = next(counter)
    logged_in = turn % 8 > 0 if is_for_people(case) else turn % 4 == 0
    return shared_asker(logged_in) if is_invalid(case) else Asker(logged_in)


# The client that invalid cases share, by whether it is signed in, and the number of cases that each may still serve.
shared = {}
MAX_SHARED = 25


def is_invalid(case) -> bool:
    """A systematically changed value that the worker has to refuse."""
    return (
        case.meta is not None
        and case.meta.phase.name == TestPhase.COVERAGE
        and case.meta.generation.mode == GenerationMode.NEGATIVE
    )


def shared_asker(logged_in: bool) -> Asker:
    asker, left = shared.pop(logged_in, (None, 0))
    if asker is None:
        asker, left = Asker(logged_in), MAX_SHARED
    if left > 1:
        shared[logged_in] = (asker, left - 1)
    return asker


def is_example(case) -> bool:
    return case.meta is not None and case.meta.phase.name == TestPhase.EXAMPLES


def holds_fit_key(fields) -> bool:
    """Whether the key is plausible; a deliberately invalid one is left alone."""
    key = fields.get("api_key") if hasattr(fields, "get") else None
    return isinstance(key, str) and len(key) <= LONGEST_KEY


def spoils_the_key(case) -> bool:
    return case.meta is not None and getattr(case.meta.phase.data, "parameter", None) == "api_key"


@schemathesis.hook
def before_call(context, case, kwargs):
    places = [fields for fields in (case.query, case.body) if holds_fit_key(fields)]
    if spoils_the_key(case) or not places:
        number = next(counter)
        case.headers["x-forwarded-for"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        return
    asker = known_asker(places)
    if asker is not None:
        case.headers["x-forwarded-for"] = asker.address
        given = given_by_links(case.operation.schema.raw_schema)[case.operation.definition.raw["operationId"]]
        if given and is_meant_to_succeed(case):
            as_in_the_example(case, asker, given)
        return
    asker = asker_of(case)
    askers[asker.api_key] = asker
    case.headers["x-forwarded-for"] = asker.address
    for fields in places:
        fields["api_key"] = asker.api_key
    if is_example(case):
        put_own(case, asker)
    elif is_stateful(case) and is_meant_to_succeed(case):
        as_in_the_example(case, asker)


answered = collections.Counter()


@schemathesis.hook
def after_call(context, case, response):
    phase = "stateful " if is_stateful(case) else ""
    answered[f"{phase}{case.operation.method.upper()} {case.operation.path} {response.status_code}"] += 1
    # It was valid after all, and may have ended the session.
    if is_invalid(case) and response.status_code < 300 and case.operation.method.upper() != "GET":
        shared.clear()


@atexit.register
def tell():
    """Writes the number of responses by operation and status, so that the test can check that keys and examples work."""
    with open(os.environ["FUZZED_TALLY"], "w") as file:
        json.dump(answered, file)
