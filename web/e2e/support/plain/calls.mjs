// The specification's calls, each answered as in docs/openapi.json; no websocket, no Idempotency-Key, and no call
// outside the specification except the two that replace a card form.
import * as data from "./catalogue.mjs";

export class Refusal extends Error {
  constructor(status, code, message, errors = {}) {
    super(message);
    this.status = status;
    this.body = { message, code, errors };
  }
}
const refuse = (status, code, message, field) => {
  throw new Refusal(status, code, message, field ? { [field]: [message] } : {});
};
const notFound = () => refuse(404, "not_found", "Not found.");

const paged = (list, query) => {
  const limit = query.get("no_limit") ? list.length : Number(query.get("limit") ?? list.length);
  const offset = Number(query.get("offset") ?? 0);
  return { data: list.slice(offset, offset + limit), meta: { total: list.length, limit, offset } };
};

const KIND = {
  group: "group",
  participant_group: "group",
  category: "category",
  event_category: "category",
  participant: "participant",
};
/** A card whose bank asks the viewer before it pays. */
const ASKING_CARD = "4000002500003155";
const shownOrder = ({ user, card, ...order }) => order;
const shownClip = ({ user, ...clip }) => clip;

export function makeCalls(state) {
  const person = ({ user }) => user ?? refuse(401, "unauthenticated", "user must be logged in");
  const seen = ({ user }) => {
    const owned = user ? state.ownedBy(user) : [];
    const opens = (order, event) => {
      if (order.type === "event") return order.product.id === event.id;
      if (event.access_type !== "paid") return false;
      if (order.type === "subscription") return true;
      const pack = data.packagesFor([]).find((it) => it.id === order.product.id);
      if (pack?.is_team_pass) return (event.participant_ids ?? []).includes(order.product.participant_id);
      return pack !== undefined && data.covers(event.event_category_id, pack.event_categories);
    };
    const now = Date.now() / 1000;
    return {
      anchor: state.it.anchor,
      now,
      user: user ?? null,
      owned,
      owns: (event) => owned.some((it) => opens(it, event)),
    };
  };
  const profile = (user) => ({
    id: user.id,
    email: user.email,
    email_verified: user.email_verified,
    first_name: user.first_name,
    last_name: user.last_name,
    phone: user.phone,
    temporary_password: user.temporary_password,
    trial_period_used: user.trial_period_used,
    is_geo_blocked: false,
    capabilities: ["watch", "clipping", "download_clip", "vod_media"],
    featureCount: { clips: state.it.clips.filter((it) => it.user === user.id).length, downloads: 0 },
  });
  const session = (user, old) => {
    delete state.it.keys[old];
    return { data: { api_key: state.issueKey(user), user: profile(user) } };
  };
  const priceOf = ({ type, id, promo_code }) => {
    const list = {
      event: data.listOf(new URLSearchParams(), seen({})),
      package: data.packagesFor([]),
      subscription: data.plans,
    };
    const it = (list[type] ?? notFound()).find((one) => one.id === Number(id)) ?? notFound();
    const coupon = promo_code ? data.couponOf(promo_code) : undefined;
    if (promo_code && !coupon) refuse(400, "wrong_promo_code", "Wrong promo code.", "promo_code");
    const off = coupon?.percent ? Math.round((it.base_price * coupon.percent) / 100) : (coupon?.amount ?? 0);
    const discount = Math.min(off, it.base_price);
    const total = it.base_price - discount + it.service_fee;
    return { it, base_price: it.base_price, discount, service_fee: it.service_fee, total, currency: "USD" };
  };
  const place = (asked, type, body) => {
    const user = person(asked);
    const { it, ...sum } = priceOf({ ...body, type });
    if (!state.it.cards[body.payment_method_id])
      refuse(400, "card_not_selected", "Please select one of your saved cards or enter new one.");
    const has = state.ownedBy(user).some((o) => o.type === type && o.product.id === it.id && !body.participant_id);
    if (has) refuse(400, "already_bought", `You already bought this ${type}.`, "id");
    const order = {
      id: 9000 + state.id(),
      user: user.id,
      card: state.it.cards[body.payment_method_id],
      type,
      status: "created",
      activity_status: "inactive",
      product: {
        id: it.id,
        name: it.name,
        event_category_id: it.event_category_id,
        participant_id: body.participant_id,
      },
      ...sum,
      created_at: new Date().toISOString(),
      points: 12,
    };
    if (order.card === ASKING_CARD) order.next_action = { type: "confirm", client_secret: `pi_${state.uuid()}` };
    state.it.orders.unshift(order);
    state.save();
    return { data: shownOrder(order) };
  };
  const favouritesOf = (user) =>
    state.it.favourites.filter((it) => it.user === user.id).map(({ user: _, ...it }) => it);
  const ownClip = (asked) =>
    state.it.clips.find((it) => it.id === Number(asked.id) && it.user === person(asked).id) ?? notFound();
  const bundle = (asked) => ({
    "color-settings": data.colors,
    "events-categories": data.tree.categories,
    "events-locations": data.tree.locations,
    faq: data.faq,
    menu: data.menu(),
    packages: data.packagesFor(seen(asked).owned),
    pages: data.pages,
    "participant-groups": data.schools,
    settings: data.settingsOf(),
    slides: data.slides,
    subscriptions: data.plans,
    "participant-group-properties": data.properties,
  });
  const list = (read) => (asked) => paged(read(asked), asked.query);
  const one = (read) => (asked) => ({ data: read(asked).find((it) => it.id === Number(asked.id)) ?? notFound() });
  const events = (asked) => data.listOf(asked.query, seen(asked));

  return {
    "POST v2/auth/login": (asked) =>
      session(
        state.login(asked.body.email, asked.body.password) ??
          refuse(400, "wrong_login", "Invalid email or password. Please try again."),
        asked.key,
      ),
    "POST v2/auth/register": (asked) => {
      const { email, password } = asked.body;
      const isTaken = state.it.users.some((it) => it.email.toLowerCase() === String(email).toLowerCase());
      if (isTaken) refuse(400, "email_taken", "The email address you have entered is already registered.", "email");
      if (String(password ?? "").length < 8) refuse(400, "validation", "The password is too short.", "password");
      return session(state.addUser(asked.body), asked.key);
    },
    "POST auth/logout": (asked) => {
      delete state.it.keys[asked.key];
      state.save();
      return { data: { done: true } };
    },
    "POST auth/password-reset-request": () => ({ data: { done: true } }),
    "GET profile": (asked) => ({ data: profile(person(asked)) }),
    "POST profile": (asked) => {
      const user = person(asked);
      for (const name of ["first_name", "last_name", "phone", "email"])
        if (typeof asked.body[name] === "string") user[name] = asked.body[name];
      if (asked.body.password) state.setPassword(user, asked.body.password);
      state.save();
      return { data: profile(user) };
    },
    "GET user/access": (asked) => {
      const owned = state.ownedBy(person(asked));
      const ids = (type) => owned.filter((it) => it.type === type).map((it) => it.product.id);
      return {
        data: {
          ...{
            watch: true,
            download: false,
            clipping: true,
            download_clip: true,
            no_ads: false,
            vod_media_access: true,
          },
          ...{
            events: ids("event"),
            event_categories: [],
            participants: [],
            subscribed: ids("subscription").length > 0,
          },
        },
      };
    },
    "GET settings": () => ({ data: data.settingsOf() }),
    "GET color-settings/web": () => ({ data: data.colors }),
    "GET menu": () => ({ data: data.menu() }),
    "GET pages": list(() => data.pages),
    "GET pages/{id}": one(() => data.pages),
    // A bare list, without the envelope.
    "GET slides/web": ({ query }) =>
      data.slides.filter((it) => !query.get("type") || it.slidable_type === query.get("type")),
    "GET faq": list(() => data.faq),
    "GET channel-bootstrap-data": (asked) => ({ data: bundle(asked) }),
    "GET geo": () => ({ data: { country: "", country_code: "", ip: "0.0.0.0", is_geo_blocked: false } }),
    "GET participants": list(() => data.teams),
    "GET participant-groups": list(() => data.schools),
    "GET participant-group-properties": list(() => data.properties),
    "GET events": list(events),
    "GET events/{id}": one((asked) => data.listOf(new URLSearchParams(), seen(asked))),
    "GET events-categories": list(() => data.tree.categories),
    "GET events-locations": list(() => data.tree.locations),
    "GET events-for-homepage": (asked) => ({ data: data.homeRails(seen(asked)) }),
    "GET events/favorite": list((asked) => {
      const marked = favouritesOf(person(asked));
      const is = (kind, id) => marked.some((it) => KIND[it.favoritable_type] === kind && it.favoritable_id === id);
      const wanted = (it) =>
        is("category", it.event_category_id) ||
        it.participants.some((team) => is("participant", team.id) || is("group", team.group_id));
      return events(asked).filter(wanted);
    }),
    "GET events/with_clip": list((asked) => {
      const ids = state.it.clips.filter((it) => it.user === person(asked).id).map((it) => it.event_id);
      return events(asked).filter((it) => ids.includes(it.id));
    }),
    "GET packages": list((asked) => data.packagesFor(seen(asked).owned)),
    "GET packages/{id}": one((asked) => data.packagesFor(seen(asked).owned)),
    "GET subscriptions": list(() => data.plans),
    "GET subscriptions/{id}": one(() => data.plans),
    "GET vod-media-items": list((asked) => data.videosFor(asked.user)),
    "GET vod-media-items/{id}": one((asked) => data.videosFor(asked.user)),
    "GET vod-media-categories": list(() => data.videoCategories),
    "GET vod-media-rails": (asked) => ({ data: data.rails(asked.user) }),
    "GET vod-media/search": list((asked) => {
      const title = (asked.query.get("title") ?? "").toLowerCase();
      return data.videosFor(asked.user).filter((it) => it.title.toLowerCase().includes(title));
    }),
    "GET orders": list((asked) => state.ordersOf(person(asked)).map(shownOrder)),
    "GET orders/{id}": one((asked) => state.ordersOf(person(asked)).map(shownOrder)),
    "GET apply_coupon": (asked) => {
      const [type, id, promo_code] = ["type", "id", "promo_code"].map((name) => asked.query.get(name));
      const { it, ...sum } = priceOf({ type, id, promo_code });
      return { data: { code: promo_code.trim().toUpperCase(), ...sum } };
    },
    "POST stripe/buy": (asked) => place(asked, asked.body.type, asked.body),
    "POST stripe/subscription/start_trial": (asked) =>
      place(asked, "subscription", { ...asked.body, id: asked.body.subscription_id }),
    "POST stripe/setup-intent": (asked) => ({ data: { client_secret: `seti_${person(asked).id}_${state.uuid()}` } }),
    "GET stripe/list-cards": list((asked) => (person(asked), [])),
    "POST stripe/sandbox-card": (asked) => {
      person(asked);
      const id = `pm_${state.uuid()}`;
      state.it.cards[id] = String(asked.body.number).replaceAll(" ", "");
      state.save();
      return { data: { payment_method_id: id } };
    },
    "POST stripe/sandbox-confirm": (asked) => {
      const user = person(asked);
      const isAsked = (it) => it.next_action?.client_secret === asked.body.client_secret;
      state.answerBank(state.ordersOf(user).find(isAsked) ?? notFound(), asked.body.accept === true);
      return { data: { ok: true } };
    },
    "GET favorites": list((asked) => favouritesOf(person(asked))),
    "POST favorite": (asked) => {
      const user = person(asked);
      const { favoritable_id, favoritable_type } = asked.body;
      if (!KIND[favoritable_type])
        refuse(400, "validation", "The type must equal one of: participant, group, category.", "favoritable_type");
      const same = (it) =>
        it.user === user.id && it.favoritable_id === favoritable_id && it.favoritable_type === favoritable_type;
      let mark = state.it.favourites.find(same);
      if (!mark) state.it.favourites.push((mark = { id: state.id(), user: user.id, favoritable_id, favoritable_type }));
      state.save();
      return { data: { id: mark.id, favoritable_id, favoritable_type } };
    },
    "DELETE favorite/{id}": (asked) => {
      const user = person(asked);
      state.it.favourites = state.it.favourites.filter((it) => it.user !== user.id || it.id !== Number(asked.id));
      state.save();
      return { data: { done: true } };
    },
    "POST clip": (asked) => {
      const user = person(asked);
      const { event_id, name, start_time, duration, tags, event_media_id } = asked.body;
      if (!data.eventById(event_id)) notFound();
      const clip = {
        id: state.id(),
        uuid: state.uuid(),
        user: user.id,
        event_id,
        name,
        start_time,
        duration,
        tags,
        event_media_id,
      };
      state.it.clips.unshift({ ...clip, status: "queued", created_at: new Date().toISOString() });
      state.save();
      return { data: shownClip(state.it.clips[0]) };
    },
    "GET clips/user": list(
      (asked) => (state.settle(), state.it.clips.filter((it) => it.user === person(asked).id).map(shownClip)),
    ),
    "GET clips/event/{id}": list(
      (asked) => (state.settle(), state.it.clips.filter((it) => it.event_id === Number(asked.id)).map(shownClip)),
    ),
    "GET shared-clip/{id}": (asked) => {
      const clip = state.it.clips.find((it) => it.id === Number(asked.id) && it.uuid === asked.query.get("uuid"));
      return { data: shownClip(clip ?? notFound()) };
    },
    "DELETE clip/{id}": (asked) => {
      const clip = ownClip(asked);
      state.it.clips = state.it.clips.filter((it) => it !== clip);
      state.save();
      return { data: { done: true } };
    },
  };
}
