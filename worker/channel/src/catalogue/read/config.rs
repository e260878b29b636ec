//! `channel.json`, `settings.json`, `prerolls.json`, `colors.json`: the channel's identity and look.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use touchline_domain::accounts::{deliverable_address, is_email};
use touchline_domain::coupons::{CouponRule, Discount};
use touchline_domain::regions::GeoRules;
use touchline_protocol::catalogue::{
    AnalyticsSettings, AuthSettings, ClipSettings, ColorSettings, Preroll, Seller, Settings,
};
use touchline_protocol::purchases::OrderType;

use super::addresses;
use super::folder::fields::{Fields, LINE};
use super::folder::{Claims, Folder, Ids, ItemList};
use super::media::LiveRules;
use super::screenshots::screenshots;
use crate::catalogue::records::{ChannelConfig, DemoAccount, DiskLimits, MailAddresses, MediaRecord};
use crate::media::{Feed, Mount, Timing, signing::OPEN};

/// Rights of accounts (`USER-2`).
pub(crate) const CAPABILITIES: [&str; 6] = ["watch", "download", "clipping", "download_clip", "no_ads", "vod_media"];
/// Rights of accounts if the channel lists none.
const DEFAULT_CAPABILITIES: [&str; 4] = ["watch", "clipping", "download_clip", "vod_media"];
/// Latest time in a promo code, in Unix seconds: the year 9000.
const LATEST_S: i64 = 221_845_392_000;
/// Social login providers.
const PROVIDERS: [&str; 2] = ["google", "facebook"];

/// Products that a promo code can apply to.
pub(super) struct Products<'a> {
    pub(super) events: &'a Ids,
    pub(super) packages: &'a Ids,
    pub(super) subscriptions: &'a Ids,
}

pub(super) fn channel(folder: &Folder<'_>, products: &Products<'_>, media: &[&MediaRecord]) -> Option<ChannelConfig> {
    folder.object("channel.json", true, |fields| {
        let key = key(fields);
        let hosts = hosts(fields);
        let public_url = public_url(fields);
        let geo = fields.maybe_object("geo").map(|geo| geo_rules(&geo, false)).unwrap_or_default();
        if let Some(live) = fields.maybe_object("live") {
            LiveRules::check(&live);
        }
        let more_hosts = addresses::more_hosts(fields);
        let media_hosts = addresses::hosts(|fault| fields.fault("media_hosts", fault), &more_hosts, media);
        let coupons = fields.objects("coupons", |coupon| self::coupon(coupon, products));
        for (index, rule) in coupons.iter().enumerate() {
            if coupons[..index].iter().any(|coupon| coupon.code.eq_ignore_ascii_case(&rule.code)) {
                fields.fault("coupons", format!("the code `{}` is used twice", rule.code));
            }
        }
        let demo_accounts = fields.objects("demo_accounts", demo_account);
        let default_capabilities = if fields.has("default_capabilities") {
            capabilities(fields, "default_capabilities")
        } else {
            DEFAULT_CAPABILITIES.map(str::to_owned).to_vec()
        };
        let mail = fields.maybe_object("mail").map(|mail| {
            let (from, reply_to) = (email_address(&mail, "from"), email_address(&mail, "reply_to"));
            // Few servers send from others.
            if from.as_ref().is_some_and(|from| !deliverable_address(from).is_ascii()) {
                mail.fault("from", "must have only ASCII characters before the @");
            }
            MailAddresses { from, reply_to }
        });
        let disk = fields.maybe_object("disk").map(|disk| {
            let bytes = |field| disk.maybe_integer(field, DiskLimits::BYTES).map(i64::unsigned_abs);
            DiskLimits { recordings: bytes("recordings_bytes"), reports: bytes("reports_bytes") }
        });
        let screenshots = screenshots(fields);
        let fallback = fields.flag("fallback");
        folder.claims.replace(Some(Claims { hosts: hosts.clone(), fallback }));
        Some(ChannelConfig {
            key: key?,
            hosts,
            fallback,
            public_url,
            geo,
            coupons,
            demo_accounts,
            default_capabilities,
            mail: mail.unwrap_or_default(),
            disk: disk.unwrap_or_default(),
            media_hosts,
            screenshots,
        })
    })
}

/// An email address, if the field is present.
pub(super) fn email_address(fields: &Fields<'_>, field: &'static str) -> Option<String> {
    let address = fields.maybe_string(field, LINE);
    if address.as_ref().is_some_and(|address| !is_email(address)) {
        fields.fault(field, "must be an address like `help@example.com`");
    }
    address
}

/// Geo rules that events and videos inherit from their channel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Region {
    /// Whether anyone anywhere may fetch free video.
    pub(super) is_open: bool,
    /// Default rule for unknown countries, for an event with its own rules.
    pub(super) deny_unknown: bool,
}

/// Reads the channel's region first. Its faults are reported when the whole file is read.
pub(super) fn read_region(folder: &Folder<'_>) -> Region {
    let bytes = folder.files.get("channel.json").and_then(|file| folder.source.read(&file.path).ok());
    let value: Value = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let names_any = |list: &str| value.pointer(list).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    Region {
        is_open: !names_any("/geo/allow") && !names_any("/geo/deny"),
        deny_unknown: value.pointer("/geo/unknown").is_some_and(|unknown| unknown == "deny"),
    }
}

fn key(fields: &Fields<'_>) -> Option<String> {
    let key = fields.alias("key")?;
    if key.len() > 64 {
        fields.fault("key", "is too long: at most 64 characters");
    }
    if key != fields.folder.key {
        fields.fault("key", format!("must be the name of its folder, `{}`", fields.folder.key));
    }
    Some(key)
}

fn hosts(fields: &Fields<'_>) -> Vec<String> {
    let hosts = fields.lines("hosts");
    for (index, host) in hosts.iter().enumerate() {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
        if !host.bytes().all(plain) || crate::catalogue::hosts::host_name(host) != *host {
            fields.fault(&format!("hosts[{index}]"), "must be a host in lower case, without scheme, port or path");
        }
    }
    hosts
}

fn public_url(fields: &Fields<'_>) -> Option<String> {
    let url = fields.maybe_string("public_url", LINE)?;
    let fits = url::Url::parse(&url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https") && url.host().is_some() && url.path() == "/" && url.query().is_none()
    });
    if !fits {
        fields.fault("public_url", "must be an address like `https://tv.example.com`");
    }
    fits.then(|| url.trim_end_matches('/').to_owned())
}

pub(super) fn geo_rules(fields: &Fields<'_>, deny_unknown: bool) -> GeoRules {
    let allow = fields.countries("allow");
    let deny = fields.countries("deny");
    let unknown = fields.maybe_one_of("unknown", &[("allow", false), ("deny", true)]);
    GeoRules { allow, deny, deny_unknown: unknown.unwrap_or(deny_unknown) }
}

fn coupon(fields: &Fields<'_>, products: &Products<'_>) -> Option<CouponRule> {
    let code = fields.line("code");
    if code.as_ref().is_some_and(|code| code.trim() != code || code.len() > 64) {
        fields.fault("code", "must have at most 64 characters and no surrounding space");
    }
    let percent = fields.maybe_integer("percent", 1..=100);
    let amount = fields.maybe_integer("amount", 1..=100_000_000);
    if fields.has("percent") == fields.has("amount") {
        fields.fault("percent", "or `amount` must be present, but not both");
    }
    let max_uses = fields.maybe_integer("max_uses", 1..=1_000_000_000);
    let moment = |name| fields.maybe_integer(name, 0..=LATEST_S).map(|at| at * 1000);
    let (starts_at, ends_at) = (moment("starts_utc_ts"), moment("ends_utc_ts"));
    if starts_at.zip(ends_at).is_some_and(|(from, until)| until <= from) {
        fields.fault("ends_utc_ts", "must be after `starts_utc_ts`");
    }
    let products = fields.objects("products", |product| {
        let kinds =
            [("event", OrderType::Event), ("package", OrderType::Package), ("subscription", OrderType::Subscription)];
        let kind = product.one_of("type", &kinds);
        let ids = match kind {
            Some(OrderType::Event) => products.events,
            Some(OrderType::Package) => products.packages,
            Some(OrderType::Subscription) => products.subscriptions,
            None => return product.id("id").and(None),
        };
        Some((kind?, product.reference("id", ids)?))
    });
    Some(CouponRule {
        code: code?,
        discount: percent.map(Discount::Percent).or(amount.map(Discount::Amount))?,
        products,
        max_uses,
        starts_at,
        ends_at,
    })
}

fn demo_account(fields: &Fields<'_>) -> Option<DemoAccount> {
    let (email, password) = (fields.line("email"), fields.line("password"));
    let (first_name, last_name) = (fields.line("first_name"), fields.line("last_name"));
    let temporary_password = fields.flag("temporary_password");
    let capabilities = capabilities(fields, "capabilities");
    if email.as_ref().is_some_and(|email| !is_email(email)) {
        fields.fault("email", "must be an address like `robin@example.com`");
    }
    if password.as_ref().is_some_and(|password| !(8..=128).contains(&password.chars().count())) {
        fields.fault("password", "must have 8 to 128 characters");
    }
    Some(DemoAccount {
        email: email?,
        password: password?,
        first_name: first_name?,
        last_name: last_name?,
        temporary_password,
        capabilities,
    })
}

fn capabilities(fields: &Fields<'_>, field: &'static str) -> Vec<String> {
    choices(fields, field, &CAPABILITIES)
}

fn choices(fields: &Fields<'_>, field: &'static str, allowed: &[&str]) -> Vec<String> {
    let values = fields.lines(field);
    for (index, value) in values.iter().enumerate() {
        if !allowed.contains(&value.as_str()) {
            fields.fault(&format!("{field}[{index}]"), format!("must be one of {}", allowed.join(", ")));
        }
    }
    values
}

pub(super) fn settings(folder: &Folder<'_>) -> Option<Settings> {
    folder.object("settings.json", true, |fields| {
        let (name, short_name) = (fields.line("name"), fields.line("short_name"));
        let language = fields.one_of("language", &[("en", "en"), ("fr", "fr")]);
        let currency = fields.maybe_string("currency", 3).unwrap_or_else(|| "USD".to_owned());
        if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
            fields.fault("currency", "must be a currency code of three capital letters, like `USD`");
        }
        let time_zone = fields.has("time_zone").then(|| fields.time_zone("time_zone")).flatten();
        let analytics = fields.maybe_object("analytics").map(|analytics| AnalyticsSettings {
            consent: analytics.flag("consent"),
            respect_dnt: analytics.flag("respect_dnt"),
        });
        let auth = fields.maybe_object("auth").map(|auth| AuthSettings {
            remote_auth: u8::from(auth.maybe_integer("remote_auth", 0..=1) == Some(1)),
            providers: choices(&auth, "providers", &PROVIDERS),
        });
        let clips =
            fields.maybe_object("clips").map(|clips| ClipSettings { public_of_paid: clips.flag("public_of_paid") });
        let seller = fields.maybe_object("seller").and_then(|seller| {
            let (name, address) = (seller.line("name"), seller.line("address"));
            Some(Seller { name: name?, address: address?, contact: seller.line_or_empty("contact") })
        });
        Some(Settings {
            tagline: fields.line_or_empty("tagline"),
            logo: fields.maybe_image("logo").unwrap_or_default(),
            google_analytics: container(fields),
            yare_analytics: fields.maybe_string("yare-analytics", LINE),
            static_blocks: static_blocks(fields),
            simulate: fields.flag("simulate"),
            seller,
            name: name?,
            short_name: short_name?,
            language: language?.to_owned(),
            currency,
            time_zone: time_zone.unwrap_or_default(),
            analytics: analytics.unwrap_or_default(),
            auth: auth.unwrap_or_default(),
            prerolls: Vec::new(),
            preroll_skip_after_s: fields
                .maybe_integer("preroll_skip_after_s", 0..=60)
                .and_then(|seconds| u8::try_from(seconds).ok()),
            preroll_period_s: fields
                .maybe_integer("preroll_period_s", 0..=604_800)
                .and_then(|seconds| u32::try_from(seconds).ok()),
            clips: clips.unwrap_or_default(),
            sandbox_payments: false,
            stripe_publishable_key: None,
            stripe_script_url: None,
            recaptcha_site_key: None,
            switched_off: None,
        })
    })
}

/// Positions of the channel's texts on the site.
const STATIC_BLOCKS: [&str; 4] = ["contacts", "footer", "library", "registration"];

fn static_blocks(fields: &Fields<'_>) -> BTreeMap<String, String> {
    let blocks = fields.texts_by_name("static_blocks");
    for name in blocks.keys().filter(|name| !STATIC_BLOCKS.contains(&name.as_str())) {
        let names = STATIC_BLOCKS.map(|name| format!("`{name}`")).join(", ");
        fields.fault(&format!("static_blocks.{name}"), format!("is unknown: choose from {names}"));
    }
    blocks
}

/// Id of the tag manager's container, which becomes part of a URL that every page loads.
fn container(fields: &Fields<'_>) -> Option<String> {
    let id = fields.maybe_string("google-analytics", LINE)?;
    let rest = id.strip_prefix("GTM-").unwrap_or_default();
    if rest.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
        fields.fault("google-analytics", "must be the id of a tag manager's container, like `GTM-ABC1234`");
    }
    Some(id)
}

pub(super) fn prerolls(folder: &Folder<'_>, locations: &Ids, categories: &Ids) -> ItemList<Preroll> {
    folder.list("prerolls.json", false, |fields| {
        let id = fields.id("id");
        let path = fields.line("path");
        let stream = path.as_ref().and_then(|path| folder.stream(fields, "path", path));
        let weight = fields.maybe_number("weight", 0.001..=1_000_000.0);
        let location_id = fields.maybe_reference("location_id", locations);
        let event_categories = fields.references("event_categories", categories);
        let (for_vod, for_live) = (fields.flag("for_vod"), fields.flag("for_live"));
        if !for_vod && !for_live {
            fields.fault("for_vod", "must be true, or `for_live` must be, since the preroll is never shown otherwise");
        }
        let (id, stream) = (id?, stream?);
        let mount = format!("p{id}");
        let url = format!("/media/{}/s/{mount}/{OPEN}/{}", folder.key, stream.entry);
        let (timing, geo) = (Timing::OnDemand { from: i64::MIN }, GeoRules::default());
        folder.mount(mount, Mount { feed: Feed::Files(stream), timing, is_open: true, geo });
        let weight = weight.unwrap_or(1.0);
        Some(Preroll { id, url, weight, location_id, event_categories, for_vod, for_live })
    })
}

pub(super) fn colors(folder: &Folder<'_>) -> Option<ColorSettings> {
    folder.object("colors.json", true, |fields| {
        let scheme = fields.one_of("scheme", &[("dark", "dark"), ("light", "light")]);
        let footer_text_color = fields.maybe_color("footer-text-color");
        let [header, header_text, body, body_text, footer, accent] = [
            "header-background",
            "header-text-color",
            "body-background",
            "body-text-color",
            "footer-background",
            "accent",
        ]
        .map(|name| fields.color(name));
        Some(ColorSettings {
            scheme: scheme?.to_owned(),
            header_background: header?,
            header_text_color: header_text?,
            body_background: body?,
            body_text_color: body_text?,
            footer_background: footer?,
            footer_text_color,
            accent: accent?,
        })
    })
}

/// Checks that an alias or path is unique.
pub(super) fn check_unique(fields: &Fields<'_>, field: &str, value: Option<&String>, seen: &mut BTreeSet<String>) {
    if let Some(value) = value
        && !seen.insert(value.clone())
    {
        fields.fault(field, format!("`{value}` is used twice"));
    }
}
