"""Registers, buys an event and watches it, with a client that openapi-python-client generated as `generated`."""

import sys
import time

import httpx
from generated import AuthenticatedClient, Client
from generated.api.events import event, event_playback
from generated.api.keys_and_auth import get_api_key, register
from generated.api.payments import buy, order, sandbox_card, setup_intent
from generated.models import (
    GetApiKey,
    OrderStatus,
    OrderType,
    WithKeyBuy,
    WithKeyNothing,
    WithKeyRegister,
    WithKeySandboxCard,
)

EVENT, ITS_PRODUCT = 1, 1001
base = sys.argv[1]
visitor = Client(base_url=base, raise_on_unexpected_status=True)
key = get_api_key.sync(client=visitor, body=GetApiKey(channel_key="northfield")).data.api_key
person = WithKeyRegister(
    api_key=key, first_name="Robin", last_name="Hale", email="robin@viewers.example", terms=True,
    password="correct horse", password_confirmation="correct horse",
)
key = register.sync(client=visitor, body=person).data.api_key

viewer = AuthenticatedClient(base_url=base, token=key, raise_on_unexpected_status=True)
secret = setup_intent.sync(client=viewer, body=WithKeyNothing(api_key=key)).data.client_secret
card = WithKeySandboxCard(api_key=key, client_secret=secret, number="4242 4242 4242 4242", exp="12/40", cvc="123")
method = sandbox_card.sync(client=viewer, body=card).data.payment_method_id
request = WithKeyBuy(
    api_key=key, type_=OrderType.EVENT, id=EVENT, single_event_package_id=ITS_PRODUCT, payment_method_id=method
)
number = buy.sync(client=viewer, body=request, idempotency_key="generated-client").data.id
deadline = time.monotonic() + 60
while (status := order.sync(number, client=viewer, api_key=key).data.status) != OrderStatus.PAID:
    assert status == OrderStatus.CREATED and time.monotonic() < deadline, status
    time.sleep(0.1)

LIVE = 2
media = event.sync(EVENT, client=viewer, api_key=key).data.media
live = next(medium for medium in media if medium.type_ == LIVE)
playback = event_playback.sync(EVENT, live.id, client=viewer, api_key=key).data
playlist = httpx.get(base + playback.playback_url)
assert playlist.text.startswith("#EXTM3U"), playlist
print("watched")
