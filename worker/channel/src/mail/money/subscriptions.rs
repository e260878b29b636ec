//! Emails about subscriptions: trials, renewals and cancellations.

use touchline_protocol::isolated::isolated;
use touchline_protocol::purchases::ActivityStatus;
use touchline_store::{Mail, OrderRecord};

use super::EmailContext;
use crate::messages;

impl EmailContext<'_> {
    pub(super) fn trial(&self, order: &OrderRecord) -> Mail {
        let (name, price, date) =
            (isolated(&order.order.product.name), self.renewal_price(order), self.period_end(order));
        let (subject, text) = self.either(
            (
                format!("Your free trial of {name} ends on {date}"),
                format!(
                    "{name} is free until {date}. After that, your card will be charged {price}. {}",
                    self.how_to_stop()
                ),
            ),
            (
                format!("Votre essai gratuit de {name} se termine le {date}"),
                format!(
                    "Votre essai gratuit se termine le {date}. Votre carte sera ensuite débitée de {price}. {}",
                    self.how_to_stop()
                ),
            ),
        );
        self.mail(subject, &text)
    }

    /// Asks the viewer to confirm a renewal with their bank. The link contains only the order id, and opening it
    /// requires signing in (`SUB-9`).
    pub(super) fn confirm_renewal(&self, order: &OrderRecord) -> Mail {
        let (name, price) = (isolated(&order.order.product.name), self.renewal_price(order));
        let link = self.link(&format!("profile?renewal={}", order.order.id));
        let date = order.active_until.map_or_else(|| self.period_end(order), |until| self.date(until));
        let (subject, text) = self.either(
            (
                format!("Confirm your renewal of {name}"),
                format!("Your bank needs you to confirm the {price} payment for {name}. You haven't been charged. To keep your subscription, confirm the payment: {link}\n\nYou can watch until {date}."),
            ),
            (
                format!("Confirmez le renouvellement de {name}"),
                format!("Votre banque vous demande de confirmer le paiement de {price} pour {name}. Rien n'a été débité. Pour conserver votre abonnement, confirmez le paiement : {link}\n\nVous pouvez regarder jusqu'au {date}."),
            ),
        );
        self.mail(subject, &text)
    }

    pub(super) fn renewal_failed(&self, order: &OrderRecord, is_last: bool) -> Mail {
        let (name, price) = (isolated(&order.order.product.name), self.renewal_price(order));
        let why = self.reason(order.order.failure.as_deref().unwrap_or_default());
        let link = self.link("profile");
        let (subject, text) = if is_last {
            self.either(
                (
                    format!("{name} has ended: the renewal was not paid"),
                    format!("Your {price} renewal of {name} was declined again. {why} You haven't been charged, and your subscription has ended. To subscribe again: {link}"),
                ),
                (
                    format!("{name} a pris fin : le renouvellement n'a pas été payé"),
                    format!("Le renouvellement de {name} pour {price} a de nouveau été refusé. {why} Rien n'a été débité, et votre abonnement a pris fin. Pour vous abonner de nouveau : {link}"),
                ),
            )
        } else {
            self.either(
                (
                    format!("{name} couldn't be renewed: use another card"),
                    format!("Your {price} renewal of {name} was declined. {why} You haven't been charged. We'll try again in a few days. To avoid an interruption, use another card: {link}"),
                ),
                (
                    format!("Le renouvellement de {name} a échoué : utilisez une autre carte"),
                    format!("Le renouvellement de {name} pour {price} a été refusé. {why} Rien n'a été débité. Nous réessaierons dans quelques jours. Pour éviter toute interruption, utilisez une autre carte : {link}"),
                ),
            )
        };
        self.mail(subject, &text)
    }

    /// Translates a payment provider's English failure message. In French, unknown messages are left out.
    fn reason<'a>(&self, english: &'a str) -> &'a str {
        let french = match english {
            messages::NOT_CONFIRMED => "Le paiement n'a pas été confirmé.",
            "Your card was declined." => "Votre carte a été refusée.",
            "Your card has insufficient funds." => "Le solde de votre carte est insuffisant.",
            "Your card has expired." => "Votre carte a expiré.",
            _ => "",
        };
        self.either(english, french)
    }

    pub(super) fn stopped(&self, order: &OrderRecord) -> Mail {
        let (name, link) = (isolated(&order.order.product.name), self.link("profile"));
        let date = order.active_until.map_or_else(|| self.period_end(order), |until| self.date(until));
        if order.order.activity_status == ActivityStatus::Inactive {
            return self.stopped_at_once(&name);
        }
        if order.subscription.is_some_and(|it| order.active_until > Some(it.current_period_end)) {
            return self.stopped_in_grace(&name, &date);
        }
        let (subject, text) = self.either(
            (
                format!("{name} has been cancelled"),
                format!("{name} has been cancelled. You won't be charged again, and you can watch until {date}. To keep your subscription: {link}"),
            ),
            (
                format!("{name} : résiliation confirmée"),
                format!("La résiliation de votre abonnement ({name}) est confirmée. Rien d'autre ne sera débité, et vous pouvez regarder jusqu'au {date}. Pour conserver votre abonnement : {link}"),
            ),
        );
        self.mail(subject, &text)
    }

    /// A cancellation after a declined renewal, during the grace period.
    fn stopped_in_grace(&self, name: &str, date: &str) -> Mail {
        let link = self.link("packages");
        let (subject, text) = self.either(
            (
                format!("{name} has been cancelled"),
                format!("{name} has been cancelled. We won't try your card again. You can watch until {date}. To subscribe again: {link}"),
            ),
            (
                format!("{name} : résiliation confirmée"),
                format!("La résiliation de votre abonnement ({name}) est confirmée. Nous ne tenterons plus de débiter votre carte. Vous pouvez regarder jusqu'au {date}. Pour vous abonner de nouveau : {link}"),
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
                format!("{name} was cancelled and has ended. You won't be charged again. To subscribe again: {link}"),
            ),
            (
                format!("{name} a pris fin"),
                format!("Votre abonnement ({name}) a été résilié et a pris fin. Rien d'autre ne sera débité. Pour vous abonner de nouveau : {link}"),
            ),
        );
        self.mail(subject, &text)
    }

    pub(super) fn resumed(&self, order: &OrderRecord) -> Mail {
        let (name, price, date) =
            (isolated(&order.order.product.name), self.renewal_price(order), self.period_end(order));
        let (subject, text) = self.either(
            (
                format!("Auto-renew is back on for {name}"),
                format!("Your subscription continues. {name} renews on {date} for {price}. {}", self.how_to_stop()),
            ),
            (
                format!("Le renouvellement automatique de {name} est réactivé"),
                format!(
                    "Votre abonnement continue. {name} se renouvellera le {date} pour {price}. {}",
                    self.how_to_stop()
                ),
            ),
        );
        self.mail(subject, &text)
    }
}
