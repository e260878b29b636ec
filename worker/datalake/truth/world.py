"""A simulated month of two channels: what people did, and the rows that the worker receives about it.

Rows have late arrivals, wrong clocks, doubles, heartbeats that claim hours, and claims of purchases that nobody made. The
facts in `World` are counted from what people did, not from the rows.
"""

import random
import uuid
from collections import Counter, defaultdict

from books import order

SECOND, MINUTE, HOUR, DAY = 10**6, 60 * 10**6, 3600 * 10**6, 86400 * 10**6
# Monday 2026-10-05
START = 20731 * DAY
TRKS = ["", "flyer", "mail", "banner"]
COUNTRIES, DEVICES, SPORTS = ["US", "CA", None], ["desktop", "mobile", "tablet"], ["Soccer", "Hockey", None]
PREROLLS = ["completed", "skipped", "failed", "left", "not_started"]


class World:
    def __init__(self, seed, events):
        self.draw = random.Random(seed)
        self.rows = defaultdict(list)
        self.facts = defaultdict(Counter)
        self.sets = defaultdict(lambda: defaultdict(set))
        self.lives = []
        self.sent = self.orders = 0
        self.newest_us = 0
        for channel in ["northfield", "laurentides"]:
            self.catalogue(channel)
        number = 0
        while self.sent < events:
            self.person(self.draw.choice(["northfield", "laurentides"]), number)
            number += 1
        for channel in ["northfield", "laurentides"]:
            self.counted(channel)
        # The newest event of all, so that the last week's end is known.
        self.visit({"channel": "northfield", "profile": "last", "skew": 0}, START + 29 * DAY, "/", "", None)
        self.sets["viewed"]["northfield"].add("last")
        self.sets["retention"]["northfield", 4, 4].add("last")

    def add(self, table, row, at, skew=0, noisy=True):
        """A row of a moment, as the worker dates it: some late, some twice, its `at` by the sender's clock."""
        draw = self.draw
        delay = draw.choice([HOUR, DAY, 3 * DAY]) if noisy and draw.random() < 0.03 else draw.randrange(10 * SECOND)
        row |= {"event_id": str(uuid.UUID(int=draw.getrandbits(128), version=4)), "occurred_at": at, "at": at + skew}
        self.rows[table].append(row | {"received_at": at + delay})
        if noisy and draw.random() < 0.02:
            self.rows[table].append(row | {"received_at": at + delay + draw.choice([SECOND, DAY])})
        self.sent += 1

    def catalogue(self, channel):
        """Dimensions of two versions each: only the newer counts."""
        for at, edition in [(START - 90 * DAY, "old"), (START - 80 * DAY, "new")]:
            for number in ["1", "2"]:
                name = {"channel": channel, "id": number, "name": f"{edition} {channel} {number}", "currency": "USD"}
                self.add("event_dim", {**name, "access": "ppv", "starts_at": "2026-10-10T18:00:00Z"}, at, noisy=False)
                self.add("package_dim", {**name, "kind": "package", "is_team_pass": "false"}, at, noisy=False)
                self.add("subscription_dim", {**name, "offer": "monthly", "trial_days": 7.0}, at, noisy=False)

    def counted(self, channel):
        """Rows of a day's end: what viewers without consent did, now and then in two parts."""
        for day in range(START // DAY, START // DAY + 28):
            for event in ["consent_refused", "consent_given", "registered", "searched"]:
                for part in range(self.draw.choice([0, 1, 1, 2])):
                    count = self.draw.randrange(1, 40)
                    row = {"channel": channel, "event": event, "count": float(count)}
                    self.add("event_count", row, day * DAY, noisy=False)
                    self.facts["counted"][channel, day, event] += count

    def act(self, who, at, event, extras):
        """An event of a viewer who allows analytics."""
        row = {"event": event, "channel": who["channel"], "profile": who["profile"], "extras": extras}
        self.add("event", {**row, "session_uuid": who["session"], "user_id": who["user"]}, at)
        self.facts["recorded"][who["channel"], at // DAY, event] += 1

    def person(self, channel, number):
        draw = self.draw
        skew = draw.choice([-400 * DAY, 400 * DAY]) if draw.random() < 0.03 else 0
        who = {"channel": channel, "profile": f"p{number}", "skew": skew, "user": None, "number": number}
        weeks = sorted(draw.sample(range(4), draw.choice([1, 1, 2, 3])))
        if draw.random() < 0.1:
            # A signed-in visit before any registration form is no registration.
            self.visit(who, START + weeks[0] * 7 * DAY, "/", "", f"u{number}")
            self.sets["viewed"][channel].add(who["profile"])
        for week in weeks:
            self.sitting(who, START + week * 7 * DAY + draw.randrange(6 * DAY) + draw.randrange(20 * HOUR))
            self.sets["retention"][channel, weeks[0], week].add(who["profile"])

    def visit(self, who, at, page, trk, user):
        row = {"event": "visit", "channel": who["channel"], "profile": who["profile"], "trk": trk or None}
        extras = '{"page": "%s"}' % page
        self.add("event", {**row, "extras": extras, "user_id": user, "session_uuid": who.get("session")}, at, who["skew"])
        self.newest_us = max(self.newest_us, at)
        channel, profile = who["channel"], who["profile"]
        self.sets["trk"][channel, trk, "checkouts" if page == "/buy" else "pages"].add(profile)
        self.sets["trk"][channel, trk, "visitors"].add(profile)
        self.sets["visited"][channel].add(profile)
        if page == "/buy":
            self.sets["opened"][channel].add(user)

    def sitting(self, who, at):
        """One evening of a browser: pages, a registration, a purchase, videos."""
        draw, channel = self.draw, who["channel"]
        who["session"] = f"s{who['profile']}-{at}"
        if who["profile"] not in self.sets["consented"][channel]:
            self.sets["consented"][channel].add(who["profile"])
            self.act(who, at + SECOND, "consent_given", "{}")
        device, country = draw.choice(DEVICES), draw.choice(COUNTRIES)
        session = {"channel": channel, "profile": who["profile"], "session": who["session"], "device_type": device}
        self.add("session", session, at, who["skew"])
        trk = draw.choice(TRKS)
        self.visit(who, at, "/", trk, who["user"])
        self.sets["viewed"][channel].add(who["profile"])
        if who["user"] is None and draw.random() < 0.5:
            self.visit(who, at + MINUTE, "/registration", trk, None)
            self.sets["registration"][channel].add(who["profile"])
            if draw.random() < 0.7:
                who["user"] = f"{who['number']}"
                self.act(who, at + MINUTE + 30 * SECOND, "registered", '{"method": "password"}')
                self.sets["registered"][channel].add(who["profile"])
        if who["user"] and draw.random() < 0.5:
            self.visit(who, at + 2 * MINUTE, "/buy", trk, who["user"])
            self.sets["checkout"][channel].add(who["profile"])
            if draw.random() < 0.8:
                # The visits with this value did not arrive.
                order(self, who, at + 3 * MINUTE, "podcast" if draw.random() < 0.05 else trk)
        if draw.random() < 0.1:
            # A claim that the books do not confirm.
            claim = {"event": "purchase", "channel": channel, "profile": who["profile"], "trk": trk or None}
            self.add("event", {**claim, "extras": '{"transaction_id": "x%d"}' % self.orders}, at + 4 * MINUTE)
            if who["profile"] in self.sets["checkout"][channel]:
                self.sets["claimed"][channel].add(who["profile"])
        for video in range(draw.choice([0, 1, 1, 2])):
            self.watch(who, at + 10 * MINUTE + video * 90 * MINUTE, country, device)
        if draw.random() < 0.2:
            clip = str(draw.randrange(5))
            self.visit(who, at + 200 * MINUTE, f"/share/{clip}", trk, who["user"])
            week = (at + 200 * MINUTE - START) // (7 * DAY)
            self.sets["clip_links"][channel, week, "clips"].add(clip)
            self.sets["clip_links"][channel, week, "visitors"].add(who["profile"])
            self.sets["clip_weeks"][channel, clip].add(week)

    def watch(self, who, at, country, device):
        """A viewing with heartbeats, pauses, a preroll, and the row of its quality."""
        draw, channel = self.draw, who["channel"]
        kind = draw.choice(["event", "event", "clip", "vod"])
        content, game = str(draw.randrange(1, 3)), None
        if kind != "vod":
            game = content if kind == "event" else str(draw.randrange(1, 3))
        if kind == "clip":
            content = str(draw.randrange(5))
            self.sets["clip_weeks"][channel, content].add((at - START) // (7 * DAY))
        if draw.random() < 0.3:
            # Heartbeats end with the minute.
            at -= (at + 40 * SECOND) % MINUTE
        sport, viewing = draw.choice(SPORTS), f"v{self.sent}"
        base = {"channel": channel, "profile": who["profile"], "session_uuid": who["session"], "country": country}
        base |= {"content_type": kind, "content_id": content, "content_event_id": game}
        opened = {**base, "video_view_uuid": viewing, "event": "opened", "stream_id": content}
        self.add("video_event", opened, at, who["skew"])
        if draw.random() < 0.3:
            self.preroll(who, base, viewing, at)
        now, seconds = at + 40 * SECOND, 0
        for beat in range(draw.randrange(1, 8)):
            # A pause lets time pass that nobody watched.
            now += draw.choice([0, 0, 0, 200 * SECOND]) if beat else 0
            played = 30 if draw.random() < 0.8 else draw.randrange(1, 30)
            claimed, before = played, now
            now += played * SECOND
            if draw.random() < 0.01:
                # It counts for the time since the previous heartbeat, or for a minute.
                claimed = draw.choice([3600, 86400])
                before = self.last_beat if beat else now - 60 * SECOND
            beaten = {**base, "video_view_uuid": viewing, "viewing_time": float(claimed), "sport": sport}
            self.add("video_viewing", beaten, now, who["skew"])
            self.last_beat = now
            counted = (now - before) // SECOND
            seconds += counted
            for minute in range(before // MINUTE, (now - 1) // MINUTE + 1):
                self.sets["minutes"][minute, channel, kind, content].add(viewing)
            self.facts["weeks"][channel, kind, content, (now - START) // (7 * DAY)] += counted
            if kind == "clip":
                self.sets["clip_viewings"][channel, (now - START) // (7 * DAY)].add((content, viewing))
        self.facts["sport"][channel, sport or "unknown"] += seconds
        self.sets["sport"][channel, sport or "unknown"].add(viewing)
        self.facts["watched"][channel, kind, content, game] += seconds
        self.sets["watched"][channel, kind, content, game].add(viewing)
        self.quality(who, base, viewing, (at, now), device)

    def preroll(self, who, base, viewing, at):
        outcome, spot = self.draw.choice(PREROLLS), self.draw.choice(["spot-1", "spot-2"])
        names = [] if outcome == "not_started" else ["preroll_started", "preroll_midpoint"]
        # The press of a button comes with the last frame.
        names += ["preroll_skipped"] if outcome == "completed" and self.draw.random() < 0.2 else []
        last = {"completed": "preroll_ended", "skipped": "preroll_skipped", "left": None}.get(outcome, "preroll_failed")
        for step, name in enumerate([*names, last] if last else names):
            row = {**base, "video_view_uuid": viewing, "event": name, "stream_id": spot, "stream_type": "preroll"}
            self.add("video_event", row, at + step * SECOND, who["skew"])
        self.facts["prerolls"][who["channel"], spot, outcome] += 1

    def quality(self, who, base, viewing, span, device):
        """Up to two rows, of which the later one counts; one in fifty claims a day."""
        draw, channel = self.draw, who["channel"]
        (began, ended), ending = span, draw.choice(["ended", "left", "before_start", "failed"])
        length = (ended - began) // SECOND
        shown = ending != "before_start"
        watched = draw.randrange(length) if shown else None
        stalled = draw.randrange(length - watched) if shown and watched < length - 1 else 0 if shown else None
        claimed = 86400 if shown and draw.random() < 0.02 else watched
        if claimed == 86400:
            watched = length
        startup = draw.randrange(100, 4000) / 1000 if shown else None
        codes = draw.choice([None, None, ["network"], ["network", "decoder"]])
        row = {**base, "viewing": viewing, "began_at": began, "ending": ending, "startup_time": startup}
        row |= {"watch_time": None if claimed is None else float(claimed), "cdn": draw.choice(["edge-1", None])}
        row |= {"rebuffer_time": None if stalled is None else float(stalled), "rebuffer_count": float(bool(stalled))}
        row |= {"error_codes": None if codes is None else str(codes).replace("'", '"'), "errors": float(bool(codes))}
        halves = '[{"height": 360, "kbps": 800, "s": %s}, {"height": 720, "kbps": 3200, "s": %s}]'
        row["renditions"] = halves % (claimed / 2, claimed / 2) if claimed else None
        earlier = {**row, "ending": "lost", "watch_time": 1.0, "event_id": str(uuid.UUID(int=draw.getrandbits(128)))}
        earlier |= {"occurred_at": began, "at": began, "received_at": began + SECOND}
        if draw.random() < 0.2:
            self.rows["viewing"].append(earlier)
        self.add("viewing", row, ended, who["skew"], noisy=False)
        place = channel, base["country"] or "unknown", device
        quality = self.facts["quality"]
        quality[*place, "viewings"] += 1
        quality[*place, "left"] += not shown
        quality[*place, "stalls"] += bool(stalled)
        quality[*place, "stalled"] += stalled or 0
        quality[*place, "watched"] += watched or 0
        self.sets["startups"][place].add((viewing, startup))
        self.facts["contents"][channel, base["content_type"], base["content_id"], "watched"] += watched or 0
        self.facts["contents"][channel, base["content_type"], base["content_id"], "viewings"] += 1
        self.facts["endings"][channel, row["cdn"] or "", ending] += 1
        for code in codes or []:
            self.facts["errors"][channel, code] += 1
            self.facts["failed"][channel, code] += ending == "failed"
        if claimed:
            for height in (360.0, 720.0):
                self.facts["renditions"][channel, height] += watched / 2
