//! Emails about subscriptions: trials, renewals and cancellations.

use touchline_protocol::purchases::ActivityStatus;
use touchline_store::{Mail, OrderRecord};

use super::Writing;
use crate::messages;

impl Writing<'_> {
    pub(super) fn trial(&self, order: &OrderRecord) -> Mail {
        let (name, price, date) = (&order.order.product.name, self.renewal_price(order), self.period_end(order));
        let (subject, text) = self.either(
            (
                format!("Your trial of {name} runs until {date}"),
                format!("{name} is free until {date}. Then your card is charged {price}. {}", self.how_to_stop()),
            ),
            (
                format!("Votre essai de {name} dure jusqu\'au {date}"),
                format!(
                    "{name} est gratuit jusqu\'au {date}. Ensuite, votre carte sera débitée de {price}. {}",
                    self.how_to_stop()
                ),
            ),
        );
        self.mail(subject, &text)
    }

    /// Asks the viewer to confirm a renewal with their bank. The link contains only the order id, and opening it
    /// requires signing in (`SUB-9`).
    pub(super) fn confirm_renewal(&self, order: &OrderRecord) -> Mail {
        let (name, price) = (&order.order.product.name, self.renewal_price(order));
        let link = self.link(&format!("profile?renewal={}", order.order.id));
        let date = order.active_until.map_or_else(|| self.period_end(order), |until| self.date(until));
        let (subject, text) = self.either(
            (
                format!("Confirm your renewal of {name}"),
                format!("your bank asks you to confirm the payment of {price} for {name}. You haven't been charged. To keep your subscription, confirm the payment: {link}\n\nYou can watch until {date}."),
            ),
            (
                format!("Confirmez le renouvellement de {name}"),
                format!("votre banque vous demande de confirmer le paiement de {price} pour {name}. Rien n\'a été débité. Pour garder votre abonnement, confirmez le paiement : {link}\n\nVous pouvez regarder jusqu\'au {date}."),
            ),
        );
        self.mail(subject, &text)
    }

    pub(super) fn renewal_failed(&self, order: &OrderRecord, is_last: bool) -> Mail {
        let (name, price) = (&order.order.product.name, self.renewal_price(order));
        let why = self.reason(order.order.failure.as_deref().unwrap_or_default());
        let link = self.link("profile");
        let (subject, text) = if is_last {
            self.either(
                (
                    format!("{name} has ended: the renewal was not paid"),
                    format!("the renewal of {name} for {price} was refused for the last time. {why} Nothing was charged, and the subscription has ended. You can subscribe again: {link}"),
                ),
                (
                    format!("{name} a pris fin : le renouvellement n\'a pas été payé"),
                    format!("le renouvellement de {name} pour {price} a été refusé pour la dernière fois. {why} Rien n\'a été débité, et l\'abonnement a pris fin. Vous pouvez vous réabonner : {link}"),
                ),
            )
        } else {
            self.either(
                (
                    format!("The renewal of {name} failed: use another card"),
                    format!("the renewal of {name} for {price} was refused. {why} Nothing was charged. We try again in some days; to go on without a break, use another card: {link}"),
                ),
                (
                    format!("Le renouvellement de {name} a échoué : utilisez une autre carte"),
                    format!("le renouvellement de {name} pour {price} a été refusé. {why} Rien n\'a été débité. Nous réessayons dans quelques jours ; pour continuer sans interruption, utilisez une autre carte : {link}"),
                ),
            )
        };
        self.mail(subject, &text)
    }

    /// Translates a payment provider's English failure message. In French, unknown messages are left out.
    fn reason<'a>(&self, english: &'a str) -> &'a str {
        let french = match english {
            messages::NOT_CONFIRMED => "Le paiement n’a pas été confirmé.",
            "Your card was declined." => "Votre carte a été refusée.",
            "Your card has insufficient funds." => "La provision de votre carte est insuffisante.",
            "Your card has expired." => "Votre carte a expiré.",
            _ => "",
        };
        self.either(english, french)
    }

    pub(super) fn stopped(&self, order: &OrderRecord) -> Mail {
        let (name, link) = (&order.order.product.name, self.link("profile"));
        let date = order.active_until.map_or_else(|| self.period_end(order), |until| self.date(until));
        if order.order.activity_status == ActivityStatus::Inactive {
            return self.stopped_at_once(name);
        }
        if order.subscription.is_some_and(|it| order.active_until > Some(it.current_period_end)) {
            return self.stopped_in_grace(name, &date);
        }
        let (subject, text) = self.either(
            (
                format!("{name} renews no more"),
                format!("{name} is cancelled: it renews no more and nothing is charged again. It runs until {date}. If you want to keep it: {link}"),
            ),
            (
                format!("{name} ne se renouvelle plus"),
                format!("{name} est résilié : il ne se renouvelle plus et rien ne sera débité. Il reste valable jusqu\'au {date}. Si vous voulez le garder : {link}"),
            ),
        );
        self.mail(subject, &text)
    }

    /// A cancellation after a declined renewal, during the grace period.
    fn stopped_in_grace(&self, name: &str, date: &str) -> Mail {
        let link = self.link("packages");
        let (subject, text) = self.either(
            (
                format!("{name} renews no more"),
                format!("{name} is cancelled: no card is charged again. You can use it until {date}. To have it anew: {link}"),
            ),
            (
                format!("{name} ne se renouvelle plus"),
                format!("{name} est résilié : aucune carte ne sera débitée. Vous pouvez l\'utiliser jusqu\'au {date}. Pour l\'avoir de nouveau : {link}"),
            ),
        );
        self.mail(subject, &text)
    }

    /// A cancellation after a declined renewal, when the grace period is over.
    fn stopped_at_once(&self, name: &str) -> Mail {
        let link = self.link("packages");
        let (subject, text) = self.either(
            (
                format!("{name} has ended"),
                format!("{name} is cancelled and has ended. Nothing is charged again. To have it anew: {link}"),
            ),
            (
                format!("{name} a pris fin"),
                format!("{name} est résilié et a pris fin. Rien ne sera débité. Pour l'avoir de nouveau : {link}"),
            ),
        );
        self.mail(subject, &text)
    }

    pub(super) fn resumed(&self, order: &OrderRecord) -> Mail {
        let (name, price, date) = (&order.order.product.name, self.renewal_price(order), self.period_end(order));
        let (subject, text) = self.either(
            (
                format!("{name} renews again"),
                format!("you keep {name}. It renews on {date} for {price}. {}", self.how_to_stop()),
            ),
            (
                format!("{name} se renouvelle de nouveau"),
                format!("vous gardez {name}. Il se renouvelle le {date} pour {price}. {}", self.how_to_stop()),
            ),
        );
        self.mail(subject, &text)
    }
}
