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
const presentOrder = ({ user, card, ...order }) => order;
const presentClip = ({ user, ...clip }) => clip;

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
  const createOrder = (request, type, body) => {
    const user = person(request);
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
    return { data: presentOrder(order) };
  };
  const favouritesOf = (user) =>
    state.it.favourites.filter((it) => it.user === user.id).map(({ user: _, ...it }) => it);
  const clipOfViewer = (request) =>
    state.it.clips.find((it) => it.id === Number(request.id) && it.user === person(request).id) ?? notFound();
  const bundle = (request) => ({
    "color-settings": data.colors,
    "events-categories": data.tree.categories,
    "events-locations": data.tree.locations,
    faq: data.faq,
    menu: data.menu(),
    packages: data.packagesFor(seen(request).owned),
    pages: data.pages,
    "participant-groups": data.schools,
    settings: data.settingsOf(),
    slides: data.slides,
    subscriptions: data.plans,
    "participant-group-properties": data.properties,
  });
  const list = (read) => (request) => paged(read(request), request.query);
  const one = (read) => (request) => ({ data: read(request).find((it) => it.id === Number(request.id)) ?? notFound() });
  const events = (request) => data.listOf(request.query, seen(request));

  return {
    "POST v2/auth/login": (request) =>
      session(
        state.login(request.body.email, request.body.password) ??
          refuse(400, "wrong_login", "Invalid email or password. Please try again."),
        request.key,
      ),
    "POST v2/auth/register": (request) => {
      const { email, password } = request.body;
      const isRegistered = state.it.users.some((it) => it.email.toLowerCase() === String(email).toLowerCase());
      if (isRegistered)
        refuse(400, "email_taken", "The email address you have entered is already registered.", "email");
      if (String(password ?? "").length < 8) refuse(400, "validation", "The password is too short.", "password");
      return session(state.addUser(request.body), request.key);
    },
    "POST auth/logout": (request) => {
      delete state.it.keys[request.key];
      state.save();
      return { data: { done: true } };
    },
    "POST auth/password-reset-request": () => ({ data: { done: true } }),
    "GET profile": (request) => ({ data: profile(person(request)) }),
    "POST profile": (request) => {
      const user = person(request);
      for (const name of ["first_name", "last_name", "phone", "email"])
        if (typeof request.body[name] === "string") user[name] = request.body[name];
      if (request.body.password) state.setPassword(user, request.body.password);
      state.save();
      return { data: profile(user) };
    },
    "GET user/access": (request) => {
      const owned = state.ownedBy(person(request));
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
    "GET channel-bootstrap-data": (request) => ({ data: bundle(request) }),
    "GET geo": () => ({ data: { country: "", country_code: "", ip: "0.0.0.0", is_geo_blocked: false } }),
    "GET participants": list(() => data.teams),
    "GET participant-groups": list(() => data.schools),
    "GET participant-group-properties": list(() => data.properties),
    "GET events": list(events),
    "GET events/{id}": one((request) => data.listOf(new URLSearchParams(), seen(request))),
    "GET events-categories": list(() => data.tree.categories),
    "GET events-locations": list(() => data.tree.locations),
    "GET events-for-homepage": (request) => ({ data: data.homeRails(seen(request)) }),
    "GET events/favorite": list((request) => {
      const marked = favouritesOf(person(request));
      const is = (kind, id) => marked.some((it) => KIND[it.favoritable_type] === kind && it.favoritable_id === id);
      const wanted = (it) =>
        is("category", it.event_category_id) ||
        it.participants.some((team) => is("participant", team.id) || is("group", team.group_id));
      return events(request).filter(wanted);
    }),
    "GET events/with_clip": list((request) => {
      const ids = state.it.clips.filter((it) => it.user === person(request).id).map((it) => it.event_id);
      return events(request).filter((it) => ids.includes(it.id));
    }),
    "GET packages": list((request) => data.packagesFor(seen(request).owned)),
    "GET packages/{id}": one((request) => data.packagesFor(seen(request).owned)),
    "GET subscriptions": list(() => data.plans),
    "GET subscriptions/{id}": one(() => data.plans),
    "GET vod-media-items": list((request) => data.videosFor(request.user)),
    "GET vod-media-items/{id}": one((request) => data.videosFor(request.user)),
    "GET vod-media-categories": list(() => data.videoCategories),
    "GET vod-media-rails": (request) => ({ data: data.rails(request.user) }),
    "GET vod-media/search": list((request) => {
      const title = (request.query.get("title") ?? "").toLowerCase();
      return data.videosFor(request.user).filter((it) => it.title.toLowerCase().includes(title));
    }),
    "GET orders": list((request) => state.ordersOf(person(request)).map(presentOrder)),
    "GET orders/{id}": one((request) => state.ordersOf(person(request)).map(presentOrder)),
    "GET apply_coupon": (request) => {
      const [type, id, promo_code] = ["type", "id", "promo_code"].map((name) => request.query.get(name));
      const { it, ...sum } = priceOf({ type, id, promo_code });
      return { data: { code: promo_code.trim().toUpperCase(), ...sum } };
    },
    "POST stripe/buy": (request) => createOrder(request, request.body.type, request.body),
    "POST stripe/subscription/start_trial": (request) =>
      createOrder(request, "subscription", { ...request.body, id: request.body.subscription_id }),
    "POST stripe/setup-intent": (request) => ({
      data: { client_secret: `seti_${person(request).id}_${state.uuid()}` },
    }),
    "GET stripe/list-cards": list((request) => (person(request), [])),
    "POST stripe/sandbox-card": (request) => {
      person(request);
      const id = `pm_${state.uuid()}`;
      state.it.cards[id] = String(request.body.number).replaceAll(" ", "");
      state.save();
      return { data: { payment_method_id: id } };
    },
    "POST stripe/sandbox-confirm": (request) => {
      const user = person(request);
      const isConfirmed = (it) => it.next_action?.client_secret === request.body.client_secret;
      state.answerBank(state.ordersOf(user).find(isConfirmed) ?? notFound(), request.body.accept === true);
      return { data: { ok: true } };
    },
    "GET favorites": list((request) => favouritesOf(person(request))),
    "POST favorite": (request) => {
      const user = person(request);
      const { favoritable_id, favoritable_type } = request.body;
      if (!KIND[favoritable_type])
        refuse(400, "validation", "The type must equal one of: participant, group, category.", "favoritable_type");
      const same = (it) =>
        it.user === user.id && it.favoritable_id === favoritable_id && it.favoritable_type === favoritable_type;
      let mark = state.it.favourites.find(same);
      if (!mark) state.it.favourites.push((mark = { id: state.id(), user: user.id, favoritable_id, favoritable_type }));
      state.save();
      return { data: { id: mark.id, favoritable_id, favoritable_type } };
    },
    "DELETE favorite/{id}": (request) => {
      const user = person(request);
      state.it.favourites = state.it.favourites.filter((it) => it.user !== user.id || it.id !== Number(request.id));
      state.save();
      return { data: { done: true } };
    },
    "POST clip": (request) => {
      const user = person(request);
      const { event_id, name, start_time, duration, tags, event_media_id } = request.body;
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
      return { data: presentClip(state.it.clips[0]) };
    },
    "GET clips/user": list(
      (request) => (state.settle(), state.it.clips.filter((it) => it.user === person(request).id).map(presentClip)),
    ),
    "GET clips/event/{id}": list(
      (request) => (state.settle(), state.it.clips.filter((it) => it.event_id === Number(request.id)).map(presentClip)),
    ),
    "GET shared-clip/{id}": (request) => {
      const clip = state.it.clips.find((it) => it.id === Number(request.id) && it.uuid === request.query.get("uuid"));
      return { data: presentClip(clip ?? notFound()) };
    },
    "DELETE clip/{id}": (request) => {
      const clip = clipOfViewer(request);
      state.it.clips = state.it.clips.filter((it) => it !== clip);
      state.save();
      return { data: { done: true } };
    },
  };
}
