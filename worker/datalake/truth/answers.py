"""The rows that each shipped query must return, counted from what people did."""

import datetime
import statistics
from collections import Counter

from world import DAY, MINUTE, START

WEEK = 7 * DAY


def moment(us):
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=us)


def month(us):
    return moment(us).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def percent(part, whole, digits=1):
    return None if not whole else 100 * part / whole


def answers(world):
    facts, sets = world.facts, world.sets
    size = {name: {key: len(members) for key, members in of.items()} for name, of in sets.items()}
    found = {}
    games = {(channel, "event", number): f"new {channel} {number}" for channel in sets["visited"] for number in "12"}
    found["concurrent_viewers"] = [
        (moment(minute * MINUTE), *content, games.get(content), count)
        for (minute, *content), count in ((key, count) for key, count in size["minutes"].items())
        for content in [tuple(content)]
    ]
    found["watch_time_by_sport"] = [
        (*key, seconds / 3600, size["sport"][key]) for key, seconds in facts["sport"].items()
    ]
    found["watch_time_by_event"] = [by_event(world, channel, game) for channel, game in games_of(facts["watched"])]
    found["watch_time_by_clip"] = [
        (channel, content, game, seconds / 60, size["watched"][channel, kind, content, game])
        for (channel, kind, content, game), seconds in facts["watched"].items()
        if kind == "clip"
    ]
    found["purchase_funnel"] = [funnel(size, channel, "viewed", "checkout", "claimed") for channel in size["visited"]]
    steps = ("visited", "registration", "registered", "registered_buyers")
    found["visit_to_purchase"] = [funnel(size, channel, *steps) for channel in size["visited"]]
    acted = facts["recorded"].keys() | facts["counted"].keys()
    found["viewer_events"] = [
        (channel, moment(day * DAY).date(), event, recorded, counted, recorded + counted)
        for channel, day, event in acted
        for recorded, counted in [(facts["recorded"][channel, day, event], facts["counted"][channel, day, event])]
    ]
    days = {(channel, day) for channel, day, event in acted if event.startswith("consent")}
    found["consent"] = [
        (channel, moment(day * DAY).date(), given, refused, percent(refused, given + refused))
        for channel, day in days
        for given in [sum(facts[part][channel, day, "consent_given"] for part in ("recorded", "counted"))]
        for refused in [facts["counted"][channel, day, "consent_refused"]]
    ]
    values = {key[:2] for key in size["trk"]} | set(size["trk_buyers"])
    found["conversion_by_trk"] = [
        (*key, visitors, size["trk"].get((*key, "checkouts"), 0), *buyers(world, *key, visitors))
        for key in values
        for visitors in [size["trk"].get((*key, "visitors"), 0)]
    ]
    found["retention_by_week"] = [
        (channel, moment(START + first * WEEK), later - first, count, percent(count, size["retention"][channel, first, first]), later < 4)
        for (channel, first, later), count in size["retention"].items()
    ]
    found["clips"] = list(clips(world, size))
    found["payment_funnel"] = [payments(world, size, channel) for channel in sorted(size["visited"])]
    found["revenue"] = [
        (moment(day * DAY).date(), *product, "USD", *(sums[name] for name in ("gross", "discount", "fee", "sent_back", "net")))
        for (day, *product), sums in ((key[1:], sums) for key, sums in facts.items() if key[0] == "revenue")
    ]
    found["trial_conversion"] = list(trials(facts))
    found["churn"] = list(churn(world.lives, max(row["occurred_at"] for row in world.rows["subscription_event"])))
    found["preroll_completion"] = list(prerolls(facts["prerolls"]))
    found["buffering_by_country_device"] = [buffering(world, place) for place in sets["startups"]]
    contents = {key[:3] for key in facts["contents"]}
    found["playback_quality"] = [
        (*key, facts["contents"][*key, "viewings"], facts["contents"][*key, "watched"] / 60) for key in contents
    ]
    found["playback_endings"] = [(*key, count) for key, count in facts["endings"].items()]
    found["playback_errors"] = [(*key, count, facts["failed"][key]) for key, count in facts["errors"].items()]
    renditions = facts["renditions"]
    whole = Counter()
    for (channel, _), seconds in renditions.items():
        whole[channel] += seconds
    found["renditions_over_time"] = [
        (*key, seconds / 60, percent(seconds, whole[key[0]])) for key, seconds in renditions.items()
    ]
    return found


def games_of(watched):
    return {(channel, game) for channel, _, _, game in watched if game}


def by_event(world, channel, game):
    of = [(key, seconds) for key, seconds in world.facts["watched"].items() if (key[0], key[3]) == (channel, game)]
    minutes = {kind: sum(seconds for key, seconds in of if key[1] == kind) / 60 for kind in ("event", "clip")}
    return channel, game, minutes["event"], minutes["clip"], len({key[2] for key, _ in of if key[1] == "clip"})


def funnel(size, channel, *steps):
    return (channel, *(size[step].get(channel, 0) for step in steps))


def buyers(world, channel, trk, visitors):
    count = len(world.sets["trk_buyers"].get((channel, trk), ()))
    return count, world.facts["trk_orders"][channel, trk], percent(count, visitors)


def clips(world, size):
    weeks, first = {}, Counter()
    for (channel, clip), seen in world.sets["clip_weeks"].items():
        first[channel, min(seen)] += 1
        weeks |= {(channel, week): None for week in seen}
    for channel, week in weeks:
        watched = world.sets["clip_viewings"].get((channel, week), set())
        of = lambda part: size["clip_links"].get((channel, week, part), 0)
        seconds = sum(s for (c, kind, _, w), s in world.facts["weeks"].items() if (c, kind, w) == (channel, "clip", week))
        row = first[channel, week], of("clips"), of("visitors"), len({clip for clip, _ in watched}), len(watched)
        yield channel, moment(START + week * WEEK), *row, seconds / 60


def payments(world, size, channel):
    best = Counter()
    for (of, _), outcomes in world.sets["outcomes"].items():
        if of == channel:
            best[next(name for name in ("paid", "free", "waiting", "declined") if name in outcomes)] += 1
    outcomes = [best[name] for name in ("paid", "free", "waiting", "declined")]
    opened, asked, declined = (size[name].get(channel, 0) for name in ("opened", "asked", "had_decline"))
    return channel, opened, sum(outcomes), *outcomes, asked, declined


def trials(facts):
    groups = {}
    for key, outcomes in ((key[1:], value) for key, value in facts.items() if key[0] == "trials"):
        channel, began, name = key
        groups.setdefault((channel, month(began), name), Counter()).update(outcomes)
    for key, of in groups.items():
        outcomes = [of[name] for name in ("converted", "cancelled", "ended", "open")]
        yield *key, sum(outcomes), *outcomes, percent(of["converted"], sum(outcomes) - of["open"])


def churn(lives, newest):
    months = [month(min(began for _, began, _ in lives))]
    while months[-1] < month(newest):
        months.append(months[-1] + datetime.timedelta(days=32))
        months[-1] = months[-1].replace(day=1)
    for channel in {channel for channel, _, _ in lives}:
        of = [(moment(began), end and moment(end)) for name, began, end in lives if name == channel]
        for start in months:
            stop = (start + datetime.timedelta(days=32)).replace(day=1)
            running = [end for began, end in of if began < start and (end is None or end >= start)]
            churned = sum(end is not None and end < stop for end in running)
            began = sum(start <= began < stop for began, _ in of)
            ended = sum(end is not None and start <= end < stop for _, end in of)
            yield channel, start, len(running), began, ended, churned, percent(churned, len(running)), start < months[-1]


def prerolls(facts):
    for channel, spot in {key[:2] for key in facts}:
        of = [facts[channel, spot, name] for name in ("completed", "skipped", "failed", "left")]
        yield channel, spot, sum(of), *of, percent(of[0], sum(of)), facts[channel, spot, "not_started"]


def buffering(world, place):
    of = lambda name: world.facts["quality"][*place, name]
    startups = [startup for _, startup in world.sets["startups"][place] if startup is not None]
    stalled = percent(of("stalled"), of("stalled") + of("watched"))
    counts = of("viewings"), statistics.median(startups) if startups else None, of("left"), of("stalls"), of("stalls")
    return *place, *counts, of("stalled"), stalled, of("watched") / 60
