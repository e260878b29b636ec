//! Receipts and refund emails. Emails about subscriptions are in [`subscriptions`] (`ORDER-5`, `SUB-7`).

mod subscriptions;

use touchline_protocol::isolated::isolated;
use touchline_protocol::money::in_units;
use touchline_protocol::purchases::{ActivityStatus, ChargeKind, ChargeStatus};
use touchline_store::{ChargeRecord, Mail, OrderNotice, OrderRecord, User};
use url::Url;

use super::from_channel;
use super::moments;
use super::templates::greeting;
use crate::catalogue::ChannelSnapshot;
use crate::payments::transactions::receipt_number;

/// Context of an email: the channel, its site and the recipient.
#[derive(Clone, Copy)]
pub(crate) struct EmailContext<'a> {
    /// The channel. It sets the language and the sender's name.
    pub(crate) channel: &'a ChannelSnapshot,
    pub(crate) site: &'a Url,
    pub(crate) user: &'a User,
}

impl EmailContext<'_> {
    /// Returns the email about an order event, or `None` if the event needs no email.
    pub(crate) fn notice(&self, notice: &OrderNotice) -> Option<Mail> {
        let OrderNotice { order, what, charge, .. } = notice;
        match (what.as_str(), charge) {
            ("paid" | "renewed" | "refunded" | "partly_refunded", Some(charge)) => self.receipt(order, charge),
            ("returned", Some(charge)) => self.returned(order, charge),
            ("refund_failed", Some(charge)) => Some(self.refund_failed(order, charge)),
            ("paid", None) if order.subscription.is_some_and(|it| it.trial_end.is_some()) => Some(self.trial(order)),
            ("action_needed", _) => Some(self.confirm_renewal(order)),
            ("renewal_failed" | "ended", _) => Some(self.renewal_failed(order, what == "ended")),
            ("renewing_stopped", _) => Some(self.stopped(order)),
            ("renewing_resumed", _) => Some(self.resumed(order)),
            _ => None,
        }
    }

    /// Returns the reminder before a trial ends or an annual subscription renews.
    pub(crate) fn reminder(&self, order: &OrderRecord) -> Mail {
        let (name, price) = (isolated(&order.order.product.name), self.renewal_price(order));
        let date = self.period_end(order);
        let (subject, text) = self.either(
            (
                format!("{name} renews on {date} for {price}"),
                format!("{name} renews on {date}, and your card will be charged {price}. {}", self.how_to_stop()),
            ),
            (
                format!("{name} se renouvellera le {date} pour {price}"),
                format!(
                    "{name} se renouvellera le {date}, et votre carte sera débitée de {price}. {}",
                    self.how_to_stop()
                ),
            ),
        );
        self.mail(subject, &text)
    }

    fn receipt(&self, order: &OrderRecord, charge: &ChargeRecord) -> Option<Mail> {
        let number = receipt_number(charge).filter(|_| charge.status == ChargeStatus::Succeeded)?;
        let name = isolated(&order.order.product.name);
        let total = self.money(charge.amount, &charge.currency);
        let card = charge.card_brand.as_deref().zip(charge.card_last4.as_deref());
        let discount = if charge.kind == ChargeKind::Purchase { order.order.discount } else { 0 };
        let price = self.money(charge.amount - charge.fee + discount, &charge.currency);
        let is_back = !matches!(charge.kind, ChargeKind::Purchase | ChargeKind::Renewal);
        let what = match (charge.kind, order.subscription.is_some()) {
            (ChargeKind::Renewal, _) => self.either("Subscription Renewal", "Renouvellement de l'abonnement"),
            (ChargeKind::Purchase, true) => self.either("New subscription", "Nouvel abonnement"),
            (ChargeKind::Purchase, false) => self.either("Purchase", "Achat"),
            _ => self.either("Refund", "Remboursement"),
        };
        let mut lines = vec![
            (self.either("Receipt", "Reçu"), number.clone()),
            (self.either("Date", "Date"), moments::moment(self.channel, charge.at)),
            (self.either("Item", "Article"), format!("{name} ({what})")),
            (self.either("Price", "Prix"), price),
        ];
        if discount > 0 {
            let code = order.promo_code.as_deref().unwrap_or_default();
            let off = self.money(-discount, &charge.currency);
            lines.push((self.either("Discount", "Rabais"), format!("{off} {code}").trim().to_owned()));
        }
        lines.push((self.either("Service fee", "Frais de service"), self.money(charge.fee, &charge.currency)));
        lines.push((self.either("Total", "Total"), total.clone()));
        if let Some((brand, last4)) = card {
            let card = self.either(format!("{brand} ending in {last4}"), format!("{brand} se terminant par {last4}"));
            lines.push((self.either("Card", "Carte"), card));
        }
        let table: String = lines.iter().map(|(label, value)| format!("{label:<18}{value}\n")).collect();
        let link = self.link(&format!("profile/receipts/{}", charge.id));
        let (subject, first) = if is_back {
            let (to, sur) = if charge.is_outside() {
                (" by a method other than your card", " par un autre moyen que votre carte")
            } else {
                (" to your card", " sur votre carte")
            };
            self.either(
                (format!("Refund {number}: {name}, {total}"), format!("We've refunded {total}{to}.")),
                (
                    format!("Remboursement {number} : {name}, {total}"),
                    format!("Nous vous avons remboursé {total}{sur}."),
                ),
            )
        } else {
            self.either(
                (format!("Receipt {number}: {name}, {total}"), format!("You paid {total}. Thank you.")),
                (format!("Reçu {number} : {name}, {total}"), format!("Vous avez payé {total}. Merci.")),
            )
        };
        let print = self.either(format!("Printable receipt: {link}"), format!("Reçu imprimable : {link}"));
        let last = match (is_back, order.order.subscription.as_ref().and_then(|it| it.next_charge_at.as_ref())) {
            (true, _) => String::new(),
            (false, None) => self
                .either("All sales are final, with no refunds.", "Toutes les ventes sont finales, sans remboursement.")
                .to_owned(),
            (false, Some(_)) => {
                let (date, price) = (self.period_end(order), self.renewal_price(order));
                let renews = self.either(
                    format!("Your subscription renews on {date} for {price}."),
                    format!("Votre abonnement se renouvellera le {date} pour {price}."),
                );
                format!("{renews} {}", self.how_to_stop())
            }
        };
        Some(self.mail(subject, format!("{first}\n\n{table}\n{print}\n\n{last}").trim_end()))
    }

    /// A payment that was returned in full because its order had ended or was stopped.
    fn returned(&self, order: &OrderRecord, charge: &ChargeRecord) -> Option<Mail> {
        let (name, total) = (isolated(&order.order.product.name), self.money(charge.amount, &charge.currency));
        let receipt = self.receipt(order, charge)?;
        let why = self.either(
            format!("You were charged {total} for {name} after the order was cancelled or had failed."),
            format!("Vous avez été débité de {total} pour {name} après l'annulation ou l'échec de la commande."),
        );
        let (greeting, rest) = receipt.text.split_once("\n\n")?;
        Some(Mail { text: format!("{greeting}\n\n{why}\n\n{rest}"), ..receipt })
    }

    /// A refund that the card's bank rejected.
    fn refund_failed(&self, order: &OrderRecord, charge: &ChargeRecord) -> Mail {
        let (name, total) = (isolated(&order.order.product.name), self.money(charge.amount, &charge.currency));
        let link = self.link("profile/transactions");
        let open = match order.order.activity_status {
            ActivityStatus::Active => self.either(
                format!(" In the meantime, you can keep using {name}."),
                format!(" En attendant, vous pouvez continuer à utiliser {name}."),
            ),
            ActivityStatus::Inactive => String::new(),
        };
        let (subject, text) = self.either(
            (
                format!("Your {total} refund for {name} didn't reach your card"),
                format!("Your bank rejected the {total} refund for {name}. The card may be closed.{open} Please reply to this email so that we can refund you another way. Your transactions: {link}"),
            ),
            (
                format!("Votre remboursement de {total} pour {name} n'est pas arrivé sur votre carte"),
                format!("Votre banque a refusé le remboursement de {total} pour {name}. La carte est peut-être fermée.{open} Répondez à ce courriel pour que nous puissions vous rembourser autrement. Vos transactions : {link}"),
            ),
        );
        self.mail(subject, &text)
    }

    fn mail(&self, subject: String, text: &str) -> Mail {
        let settings = &self.channel.settings;
        let greeting = greeting(self.is_french(), &self.user.first_name);
        let sender = match &settings.seller {
            Some(seller) => format!("{}\n{}\n{}", seller.name, seller.address, seller.contact).trim_end().to_owned(),
            None => settings.name.clone(),
        };
        Mail {
            user_id: Some(self.user.id),
            recipient: self.user.email.clone(),
            subject,
            text: format!("{greeting},\n\n{text}\n\n{sender}\n"),
            ..from_channel(self.channel)
        }
    }

    fn how_to_stop(&self) -> String {
        let link = self.link("profile");
        self.either(
            format!("You can cancel at any time in your profile: {link}"),
            format!("Vous pouvez résilier à tout moment dans votre profil : {link}"),
        )
    }

    fn link(&self, path: &str) -> String {
        self.site.join(path).map_or_else(|_| self.site.to_string(), |url| url.to_string())
    }

    fn renewal_price(&self, order: &OrderRecord) -> String {
        let price = order.subscription.map_or(order.order.total, |subscription| subscription.renewal_price);
        self.money(price, &order.order.currency)
    }

    fn period_end(&self, order: &OrderRecord) -> String {
        self.date(order.subscription.map_or(order.created_at, |subscription| subscription.current_period_end))
    }

    fn money(&self, minor: i64, currency: &str) -> String {
        let sign = if minor < 0 { "−" } else { "" };
        let point = if self.is_french() { ',' } else { '.' };
        format!("{sign}{} {currency}", in_units(minor.saturating_abs(), currency, point))
    }

    fn date(&self, at_ms: i64) -> String {
        moments::date(self.channel, at_ms)
    }

    fn is_french(&self) -> bool {
        self.channel.settings.language == "fr"
    }

    fn either<T>(&self, english: T, french: T) -> T {
        if self.is_french() { french } else { english }
    }
}
