"""Orders and subscriptions of the simulated month, and what the books have to add up to."""

DAY = 86400 * 10**6
PRICE, FEE = 1200, 100
# Steps of an order after its placing: name and days later.
ORDERS = {
    "paid": [("paid", 0)],
    "confirmed": [("action_needed", 0), ("paid", 0)],
    "second_card": [("failed", 0), ("paid", 0)],
    "declined": [("failed", 0)],
    "waiting": [("action_needed", 0)],
    "granted": [("granted", 0)],
    "refunded": [("paid", 0), ("partly_refunded", 2), ("refunded", 9)],
    "dispute_won": [("paid", 0), ("disputed", 5), ("dispute_won", 20)],
    "not_taken": [("failed", 0), ("not_taken", 1), ("returned", 2)],
}
TRIALS = {
    "converted": [("trial_started", 0), ("renewed", 7), ("renewed", 37)],
    "converted_resumed": [("trial_started", 0), ("cancelled", 1), ("resumed", 2), ("renewed", 7)],
    "converted_refunded": [("trial_started", 0), ("renewed", 7), ("cancelled", 8), ("refunded", 9)],
    "cancelled": [("trial_started", 0), ("cancelled", 3)],
    "cancelled_ended": [("trial_started", 0), ("cancelled", 3), ("ended", 7)],
    "ended": [("trial_started", 0), ("renewal_failed", 7), ("lapsed", 7), ("ended", 14)],
    "open": [("trial_started", 0)],
    "open_resumed": [("trial_started", 0), ("cancelled", 1), ("resumed", 2)],
    "open_retried": [("trial_started", 0), ("renewal_failed", 7), ("lapsed", 7)],
}
SUBSCRIPTIONS = {
    "running": [("paid", 0), ("renewed", 30)],
    "ended": [("paid", 0), ("cancelled", 4), ("ended", 30)],
    "ended_refunded_later": [("paid", 0), ("cancelled", 4), ("ended", 30), ("refunded", 65)],
    "reopened": [("paid", 0), ("refunded", 3), ("refund_failed", 5), ("reopened", 5)],
    "reopened_ended": [("paid", 0), ("refunded", 3), ("refund_failed", 5), ("reopened", 5), ("ended", 30)],
}
CLOSING = ("ended", "refunded", "disputed")


def amounts(name, discount):
    """Gross, discount, fee and net of a step."""
    if name == "paid":
        return PRICE, discount, FEE, PRICE - discount
    if name in ("renewed", "not_taken"):
        return PRICE, 0, FEE, PRICE
    if name in ("refunded", "disputed", "returned"):
        return 0, 0, -FEE, -PRICE
    if name in ("refund_failed", "dispute_won"):
        return 0, 0, FEE, PRICE
    return (0, 0, -10, -200) if name == "partly_refunded" else (0, 0, 0, 0)


def order(world, who, at, trk):
    draw, channel = world.draw, who["channel"]
    kind, stories = draw.choice([("package", ORDERS), ("subscription", TRIALS), ("subscription", SUBSCRIPTIONS)])
    story = draw.choice(list(stories))
    product, discount = draw.choice(["1", "2"]), draw.choice([0, 0, 300])
    world.orders += 1
    number = str(world.orders)
    base = {"channel": channel, "order_id": number, "user_id": who["user"], "product_type": kind, "currency": "USD"}
    base |= {"product_id": product, "product_name": "at the time"}
    name, renewal = f"new {channel} {product}", 0
    steps = [("placed", 0), *stories[story]]
    for step, (event, days) in enumerate(steps):
        moment = at + days * DAY + step * 1000
        renewal += event == "renewed"
        gross, less, fee, net = amounts(event, discount)
        row = {**base, "event": event, "renewal": renewal, "renewal_number": renewal}
        for column, amount in {"gross": gross, "discount": less, "fee": fee, "net": net}.items():
            row |= {column: amount, f"{column}_minor": amount}
        for table in ["order_event", "subscription_event"][: 1 + (kind == "subscription")]:
            world.add(table, dict(row), moment)
        if gross or net:
            day = world.facts["revenue", moment // DAY, channel, kind, name]
            day.update({"gross": gross, "discount": less, "fee": fee, "net": net, "sent_back": 0 if gross else -net})
    events = {event for event, _ in steps}
    if kind == "subscription":
        began = at + 1000
        world.lives.append((channel, began, end_of(at, steps)))
    if stories is TRIALS:
        world.facts["trials", channel, began, name][story.split("_")[0]] += 1
    person(world, channel, who["user"], events)
    if "paid" in events:
        world.sets["trk_buyers"][channel, trk].add(who["profile"])
        world.facts["trk_orders"][channel, trk] += 1
        if who["profile"] in world.sets["registered"][channel]:
            world.sets["registered_buyers"][channel].add(who["profile"])
    if events & {"paid", "trial_started"}:
        claim = {"event": "purchase", "channel": channel, "profile": who["profile"], "trk": trk or None}
        claim |= {"user_id": who["user"], "extras": '{"transaction_id": "%s", "value": 1}' % number}
        world.add("event", claim, at + 2 * 10**6, who["skew"])
        world.sets["claimed"][channel].add(who["profile"])
        if draw.random() < 0.1:
            # Somebody else claims the order as well.
            world.add("event", {**claim, "profile": f"claimer{number}", "trk": "mail"}, at + 3600 * 10**6)


def end_of(at, steps):
    """The end of a subscription: its first closing step that no reopening follows."""
    reopened = max((step for step, (event, _) in enumerate(steps) if event == "reopened"), default=-1)
    closing = [at + days * DAY + step * 1000 for step, (event, days) in enumerate(steps) if event in CLOSING and step > reopened]
    return closing[0] if closing else None


def person(world, channel, user, events):
    """The best outcome of a person's orders, and what they met on the way."""
    ranks = [("paid", {"paid"}), ("free", {"trial_started", "granted"})]
    best = next((rank for rank, names in ranks if events & names), "declined" if "failed" in events else "waiting")
    world.sets["outcomes"][channel, user].add(best)
    world.sets["asked"][channel].update([user] if "action_needed" in events else [])
    world.sets["had_decline"][channel].update([user] if "failed" in events else [])
