// The access rules (USER-4, USER-5, EVENT-8, GEO-1, AUTH) in the code. Each entry has the rule's text and its
// replacement without the rule; `cut` occurs once in its file.

const ACCESS = "worker/domain/src/entitlements.rs";
const CALLER = "worker/channel/src/http/caller.rs";
const CLIPS = "worker/channel/src/routes/clips/mod.rs";
const CLIP_REQUEST = "worker/channel/src/routes/clips/create.rs";
const CLIP_LINK = "worker/channel/src/clips/mod.rs";
const DEVICES = "worker/channel/src/routes/auth/devices.rs";
const DOWNLOAD = "worker/channel/src/routes/catalogue/download_event.rs";
const LISTS = "worker/channel/src/routes/catalogue/event_lists.rs";
const CLIPPING = "worker/domain/src/clips.rs";
const PURCHASES = "worker/domain/src/purchases.rs";
const BUYING = "worker/channel/src/payments/checkout.rs";
const SERVE = "worker/channel/src/routes/media/mod.rs";
const PRESENT = "worker/channel/src/catalogue/presenter.rs";
const STATEMENTS = "worker/store/src/sql";

const USER = "let user = caller.user(&state).await?;";
const NOBODY =
  "let user = state.store.user(caller.user_id.unwrap_or(0)).await?.ok_or(ApiError::LoggedOut)?;";

export const RULES = [
  ["an event blocked in the region opens to nobody", ACCESS, "if viewer.is_event_blocked(event.geo) {", "if false {"],
  ["a channel blocked in the region opens no video", ACCESS, "if viewer.geo_blocked {\n        return false;", "if false {\n        return false;"],
  ["the channel's geo rules apply as well as the event's", ACCESS, "self.geo_blocked || geo.blocks(self.country.as_deref())", "geo.blocks(self.country.as_deref())"],
  ["an event's own geo rules apply as well as the channel's", ACCESS, "self.geo_blocked || geo.blocks(self.country.as_deref())", "self.geo_blocked || { let _ = geo; false }"],
  ["a visitor watches free events only", ACCESS, "if viewer.user_id.is_none() || !viewer.can(\"watch\") {", "if !viewer.can(\"watch\") {"],
  ["watching requires the watch capability", ACCESS, "if viewer.user_id.is_none() || !viewer.can(\"watch\") {", "if viewer.user_id.is_none() {"],
  ["pay-per-view opens to the event's owners only", ACCESS, "AccessType::Ppv => viewer.events.contains(&event.id),", "AccessType::Ppv => true,"],
  ["a paid event opens to its owners", ACCESS, "viewer.events.contains(&event.id)\n                || viewer.subscribed", "viewer.subscribed"],
  ["a subscription opens paid events", ACCESS, "                || viewer.subscribed\n", ""],
  ["a package opens its categories", ACCESS, "                || categories.line(event.event_category_id).any(|id| viewer.categories.contains(&id))\n", ""],
  ["a category includes its subcategories", ACCESS, "categories.line(event.event_category_id).any(|id| viewer.categories.contains(&id))", "viewer.categories.contains(&event.event_category_id)"],
  ["a team pass opens its team's events", ACCESS, "                || event.participants.iter().any(|team| viewer.participants.contains(&team.id))\n", ""],
  ["a registered video requires an account", ACCESS, "AccessType::Register => viewer.user_id.is_some() && viewer.can(\"vod_media\"),", "AccessType::Register => viewer.can(\"vod_media\"),"],
  ["a registered video requires the library capability", ACCESS, "AccessType::Register => viewer.user_id.is_some() && viewer.can(\"vod_media\"),", "AccessType::Register => viewer.user_id.is_some(),"],
  ["a paid video requires a subscription", ACCESS, "viewer.user_id.is_some() && viewer.can(\"vod_media\") && viewer.subscribed", "viewer.user_id.is_some() && viewer.can(\"vod_media\")"],
  ["a paid video requires the library capability", ACCESS, "viewer.user_id.is_some() && viewer.can(\"vod_media\") && viewer.subscribed", "viewer.user_id.is_some() && viewer.subscribed"],
  ["owned parts of a package are reported with their parent categories", ACCESS, "categories.line(*id).any(|above| viewer.categories.contains(&above))", "viewer.categories.contains(id)"],
  ["a team pass counts as purchased once every team is", ACCESS, "!package.participants.is_empty() && disabled_participants(viewer, package).len() == package.participants.len()", "!disabled_participants(viewer, package).is_empty()"],
  ["a package counts as purchased once every category is", ACCESS, "&& disabled_categories(viewer, package, categories).len() == package.event_categories.len()", "&& !disabled_categories(viewer, package, categories).is_empty()"],
  ["a blocked person has no access", ACCESS, "if user.blocked || user.temporary_password {", "if user.temporary_password {"],
  ["a person with a temporary password has no access", ACCESS, "if user.blocked || user.temporary_password {", "if user.blocked {"],
  ["a team pass opens its team and not the package's categories", ACCESS, "(OrderType::Package, Some(team)) => drop(self.participants.insert(team)),", "(OrderType::Package, Some(_)) => self.categories.extend(event_categories),"],
  ["a purchase counts while it is paid", `${STATEMENTS}/orders.rs`, "o.user_id = $1 AND o.status = 'paid' AND o.activity_status = 'active'", "o.user_id = $1 AND o.activity_status = 'active'"],
  ["a purchase counts while it is active", `${STATEMENTS}/orders.rs`, "o.user_id = $1 AND o.status = 'paid' AND o.activity_status = 'active'", "o.user_id = $1 AND o.status = 'paid'"],
  ["a purchase counts until it expires", `${STATEMENTS}/orders.rs`, "AND (o.active_until IS NULL OR o.active_until > $2)\"", "AND $2 = $2\""],
  ["a key opens only its own channel", CALLER, "Some(host_channel).filter(|host_channel| host_channel.key() == identity.channel_key)", "state.channels().by_key(&identity.channel_key)"],
  ["a revoked key opens nothing", `${STATEMENTS}/keys.rs`, "WHERE k.hash = $1 AND k.revoked_at IS NULL AND (", "WHERE k.hash = $1 AND ("],
  ["a blocked person's key opens nothing", `${STATEMENTS}/keys.rs`, " AND (k.user_id IS NULL OR NOT u.blocked)", ""],
  ["a blocked person is logged out", CALLER, ".filter(|user| !user.blocked)", ""],
  ["a temporary password allows only the profile", CALLER, "if user.temporary_password {", "if false {"],
  ["an order is visible to its buyer only", `${STATEMENTS}/orders.rs`, ".filter(|record| record.user_id == user_id)", ".filter(|_| user_id > 0)"],
  ["a list of orders is its buyer's", `${STATEMENTS}/orders.rs`, "\"o.user_id = $1 ORDER BY o.id DESC LIMIT $2 OFFSET $3\"", "\"$1 = $1 ORDER BY o.id DESC LIMIT $2 OFFSET $3\""],
  ["favourites are visible to their owner only", `${STATEMENTS}/favorites.rs`, "FROM favorites WHERE user_id = $1 ORDER BY id", "FROM favorites WHERE $1 = $1 ORDER BY id"],
  ["a favourite is removed by its owner only", `${STATEMENTS}/favorites.rs`, "WHERE id = $1 AND user_id = $2", "WHERE id = $1 AND $2 = $2"],
  ["a device is revoked by its owner only", DEVICES, "if !keys.iter().any(|key| key.id == id) {", "if keys.is_empty() {"],
  ["devices are linked only if the channel offers it", DEVICES, "if caller.channel.settings.auth.remote_auth == 0 {", "if false {"],
  ["a code links a device of its own channel", `${STATEMENTS}/tokens.rs`, "code_hash = $1 AND channel_key = $2 AND expires > $3", "code_hash = $1 AND $2 = $2 AND expires > $3"],
  ["a code links a device before it expires", `${STATEMENTS}/tokens.rs`, "code_hash = $1 AND channel_key = $2 AND expires > $3", "code_hash = $1 AND channel_key = $2 AND $3 = $3"],
  ["a social login ends in the browser that started it", `${STATEMENTS}/tokens.rs`, "WHERE hash = $1 AND subject = $2 AND expires > $3 AND NOT used", "WHERE hash = $1 AND $2 = $2 AND expires > $3 AND NOT used"],
  ["a social login is used once", `${STATEMENTS}/tokens.rs`, "AND expires > $3 AND NOT used", "AND expires > $3"],
  ["a social login must be one that the channel offers", "worker/channel/src/auth/social.rs", "self.providers.get(login.provider).filter(|_| is_offered)", "self.providers.get(login.provider).filter(|_| is_offered || true)"],
  ["a link is signed", "worker/channel/src/auth/email_tokens.rs", "let is_valid = bool::from(expected[..].ct_eq(&signature_bytes));", "let is_valid = !bool::from(expected[..].ct_eq(&signature_bytes)) || !signature_bytes.is_empty();"],
  ["a link expires", "worker/channel/src/auth/email_tokens.rs", "if is_outdated || link.expires <= links.clock.now_s() {", "if is_outdated {"],
  ["a password reset link works once", "worker/channel/src/auth/email_tokens.rs", "user.as_ref().is_some_and(|user| purpose.stamp(links.secret, user) != stamp)", "user.as_ref().is_some_and(|user| user.id < 0 && purpose.stamp(links.secret, user) != stamp)"],
  ["a token is valid for its own form", "worker/channel/src/auth/recaptcha.rs", "            && self.action.as_deref().is_none_or(|action| action == form.action())\n", ""],
  ["a low score means a robot", "worker/channel/src/auth/recaptcha.rs", "            && self.score.is_none_or(|score| score >= MIN_SCORE)\n", ""],
  ["a blocked person does not log in", "worker/channel/src/routes/auth/login.rs", "user.filter(|user| right && !user.blocked)", "user.filter(|_| right)"],
  ["a blocked person does not log in through a provider", "worker/channel/src/routes/auth/social.rs", "if user.blocked {", "if false {"],
  ["a provider's email counts only if the provider has verified it", "worker/channel/src/routes/auth/social.rs", ".filter(|_| identity.email_verified)", ""],
  ["a new address requires the current password", "worker/channel/src/routes/profile.rs", "if new_email.is_some() || body.password.is_some() {", "if body.password.is_some() {"],
  ["a new password requires the current one", "worker/channel/src/routes/profile.rs", "if new_email.is_some() || body.password.is_some() {", "if new_email.is_some() {"],
  ["a download requires its capability", DOWNLOAD, "if !viewer.can(\"download\") || !event_access", "if !event_access"],
  ["a download requires access to the event", DOWNLOAD, "if !viewer.can(\"download\") || !event_access(&viewer, &event.terms(), &caller.channel.categories) {", "if !viewer.can(\"download\") {"],
  ["only finished events can be downloaded", DOWNLOAD, "if now_s < event.ends_at() {", "if false {"],
  ["a download is blocked in blocked regions", DOWNLOAD, "if viewer.is_event_blocked(&event.geo) {", "if false {"],
  ["favourite events require an account", LISTS, "let user = request.caller.user(&request.state).await?;\n    let favorites", "let user = request.state.store.user(request.caller.user_id.unwrap_or(1)).await?.ok_or(crate::http::ApiError::LoggedOut)?;\n    let favorites"],
  ["a video's address requires access", PRESENT, "let is_visible = is_on(kind, status) && self.may_see(record, kind, has_access);", "let is_visible = is_on(kind, status) && self.may_see(record, kind, true);"],
  ["a player's address requires access", PRESENT, "(self.may_see(record, kind, has_access) && is_on(kind, status))", "(self.may_see(record, kind, true) && is_on(kind, status))"],
  ["a player's address in the library requires access", PRESENT, "vod_access(self.viewer, record.access_type).then(|| self.playback(&record.media, \"v\"))?", "(vod_access(self.viewer, record) || true).then(|| self.playback(&record.media, \"v\"))?"],
  ["the library's address requires access", PRESENT, "let address = if has_access { self.address(medium, \"v\", record.access_type) } else { MediaAddress::None };", "let address = self.address(medium, \"v\", record.access_type);"],
  ["a live address exists while the event is live", PRESENT, "MediaKind::Live => status == StreamStatus::Live,", "MediaKind::Live => true,"],
  ["a recording's address exists once the event has ended", PRESENT, "MediaKind::Vod => status == StreamStatus::Finished,", "MediaKind::Vod => true,"],
  ["media is signed", SERVE, "if mount.is_open && pass == OPEN {", "if pass == OPEN {"],
  ["a signature expires", "worker/channel/src/media/signing.rs", "if now_s < grant.expires_s() { Ok(grant) } else { Err(Refusal::Expired) }", "if now_s < i64::MAX { Ok(grant) } else { Err(Refusal::Expired) }"],
  ["an address expires with its session", "worker/channel/src/media/passes.rs", "if self.revocations.read().covers(&grant) {", "if false {"],
  ["an address is limited to a few networks", "worker/channel/src/media/passes.rs", "if is_admitted { Ok(grant.expires_s()) }", "if is_admitted || true { Ok(grant.expires_s()) }"],
  ["a medium is not served before its time", SERVE, "if now_s < from {", "if false {"],
  ["video of an event with geo rules is signed even if it is free", "worker/channel/src/catalogue/read/events.rs", "context.region.is_open && !geo.is_restricting()", "context.region.is_open"],
  ["video of a channel with geo rules is signed even if it is free", "worker/channel/src/catalogue/read/events.rs", "context.region.is_open && !geo.is_restricting()", "!geo.is_restricting()"],
  ["clips require an account", CLIP_REQUEST, USER, NOBODY],
  ["a clip requires the clipping capability", CLIPPING, "if !viewer.can(\"clipping\") || !event_access", "if !event_access"],
  ["a clip requires access to the event", CLIPPING, "if !viewer.can(\"clipping\") || !event_access(viewer, event, categories) {", "if !viewer.can(\"clipping\") {"],
  ["a clip is not cut from an upcoming event", CLIP_REQUEST, "StreamStatus::Upcoming => Err(ApiError::NotFound),", "StreamStatus::Upcoming => Ok(Span::whole(length_ms(&cuttable))),"],
  ["a clip is not cut in a blocked region", CLIPPING, "if viewer.is_event_blocked(event.geo) {", "if false {"],
  ["a clip's download requires its owner", CLIPS, "record.user_id == user.id && record.clip.status", "user.id > 0 && record.clip.status"],
  ["a clip's download requires its capability", CLIPS, "if !viewer.can(\"download_clip\") {", "if false {"],
  ["a shared clip requires its uuid", CLIP_LINK, "record.clip.uuid == uuid && record.channel_key", "uuid.len() < 99 && record.channel_key"],
  ["a shared clip is blocked in blocked regions", CLIPS, "return Err(ApiError::GEO_BLOCKED);\n    }\n    Ok(Json(Data::of(present_clip(", "}\n    Ok(Json(Data::of(present_clip("],
  ["a list of clips is its owner's", `${STATEMENTS}/clips.rs`, "FROM clips WHERE user_id = $1 AND event_id = COALESCE", "FROM clips WHERE $1 = $1 AND event_id = COALESCE"],
  ["a clip is deleted by its owner only", `${STATEMENTS}/clips.rs`, "WHERE id = $1 AND user_id = $2", "WHERE id = $1 AND $2 = $2"],
  ["a clip's file is blocked in blocked regions", SERVE, "if channel.is_geo_blocked(country) {", "if false {"],
  ["a clip's file is blocked where its event is", SERVE, "is_some_and(|event| event.geo.blocks(country)),", "is_some_and(|_| false),"],
  ["a card is usable by its owner only", BUYING, "if cards.iter().any(|card| card.id == id) {", "if !cards.is_empty() || !id.is_empty() {"],
  ["an event is bought once", PURCHASES, "if buyer.events.contains(&event.id) {", "if false {"],
  ["a team is bought once", PURCHASES, "Some(team) => buyer.participants.contains(&team),", "Some(_) => false,"],
  ["a package is bought until all of it is owned", PURCHASES, "None => is_purchased(buyer, package, categories),", "None => false,"],
  ["a team pass is for one of its own teams", PURCHASES, ".filter(|team| package.participants.contains(team))", ""],
  ["a trial is used once", PURCHASES, "if was_used {", "if false {"],
  ["an event is bought only as what it is sold as", PURCHASES, "if named.is_none() || named != event.single_event_package_id {", "if false {"],
].map(([rule, file, cut, put]) => ({ rule, file, cut, put }));
