//! The selection of reports by their facts (`LOG-5`).

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use touchline_protocol::reports::{OutcomeKind, SessionOutcome};

use super::StoredReport;

/// The facts of the reports to list; absent ones select all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportFilter {
    /// Key of the channel.
    pub channel_key: Option<String>,
    /// The beginning of the build's name, or `unknown`.
    pub build: Option<String>,
    /// The site's language, or `unknown`.
    pub language: Option<String>,
    /// A part of the browser's user agent, in any case.
    pub device: Option<String>,
    /// An outcome among those of the session.
    pub outcome: Option<OutcomeFilter>,
    /// The least longest wait, in milliseconds.
    pub min_wait_ms: Option<u64>,
}

/// A kind of outcome, with any code or this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeFilter {
    /// The kind.
    pub kind: OutcomeKind,
    /// The code.
    pub code: Option<String>,
}

impl FromStr for OutcomeFilter {
    type Err = String;

    /// Parses `kind` or `kind:code`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, code) = text.split_once(':').map_or((text, None), |(name, code)| (name, Some(code.to_owned())));
        let kind = OutcomeKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = OutcomeKind::ALL.map(OutcomeKind::name).join(", ");
            format!("an outcome is one of {names}; refused and error may name a code, as in refused:price_changed")
        })?;
        Ok(Self { kind, code })
    }
}

impl OutcomeFilter {
    fn matches(&self, outcome: &SessionOutcome) -> bool {
        self.kind == outcome.kind && (self.code.is_none() || self.code == outcome.code)
    }
}

impl ReportFilter {
    /// Whether a report has these facts.
    pub fn matches(&self, report: &StoredReport) -> bool {
        let summary = report.summary.as_ref();
        let has_device = |part: &String| report.device.to_lowercase().contains(&part.to_lowercase());
        let has_outcome = |wanted: &OutcomeFilter| {
            summary.is_some_and(|summary| summary.outcomes.iter().any(|outcome| wanted.matches(outcome)))
        };
        self.channel_key.as_ref().is_none_or(|key| *key == report.channel)
            && self.build.as_ref().is_none_or(|build| report.build().starts_with(build.as_str()))
            && self.language.as_ref().is_none_or(|language| language == report.language())
            && self.device.as_ref().is_none_or(has_device)
            && self.outcome.as_ref().is_none_or(has_outcome)
            && self.min_wait_ms.is_none_or(|wait| summary.is_some_and(|summary| summary.longest_wait_ms >= wait))
    }
}

#[cfg(test)]
mod tests {
    use touchline_protocol::reports::SessionSummary;

    use super::*;

    fn report() -> StoredReport {
        let outcome = |kind, code: Option<&str>| SessionOutcome { kind, code: code.map(str::to_owned), count: 2 };
        let outcomes = vec![outcome(OutcomeKind::Refused, Some("throttled")), outcome(OutcomeKind::Crash, None)];
        StoredReport {
            id: "01".into(),
            received_at: "2026-11-30T20:00:00Z".into(),
            channel: "northfield".into(),
            device: "Firefox on Android".into(),
            note: String::new(),
            page: "/".into(),
            request_ids: Vec::new(),
            log_bytes: 0,
            summary: Some(SessionSummary {
                build: "0.1.0+abc".into(),
                language: "fr".into(),
                outcomes,
                longest_wait_ms: 1_200,
            }),
            network: String::new(),
        }
    }

    #[test]
    fn each_fact_selects_and_all_must_match() {
        let any = ReportFilter::default;
        let some = |text: &str| Some(text.to_owned());
        let outcome = |text: &str| Some(text.parse::<OutcomeFilter>().unwrap());
        for (filter, expected) in [
            (any(), true),
            (ReportFilter { channel_key: some("northfield"), ..any() }, true),
            (ReportFilter { channel_key: some("laurentides"), ..any() }, false),
            (ReportFilter { build: some("0.1.0"), ..any() }, true),
            (ReportFilter { build: some("0.1.0+b"), ..any() }, false),
            (ReportFilter { language: some("fr"), ..any() }, true),
            (ReportFilter { language: some("f"), ..any() }, false),
            (ReportFilter { device: some("firefox"), ..any() }, true),
            (ReportFilter { device: some("chrome"), ..any() }, false),
            (ReportFilter { outcome: outcome("refused"), ..any() }, true),
            (ReportFilter { outcome: outcome("refused:throttled"), ..any() }, true),
            (ReportFilter { outcome: outcome("refused:price_changed"), ..any() }, false),
            (ReportFilter { outcome: outcome("purchase_failed"), ..any() }, false),
            (ReportFilter { min_wait_ms: Some(1_200), ..any() }, true),
            (ReportFilter { min_wait_ms: Some(1_201), ..any() }, false),
            (ReportFilter { language: some("fr"), device: some("chrome"), ..any() }, false),
        ] {
            assert_eq!(filter.matches(&report()), expected, "{filter:?}");
        }
    }

    #[test]
    fn a_report_without_a_summary_is_unknown() {
        let report = StoredReport { summary: None, ..report() };
        let build = |name: &str| ReportFilter { build: Some(name.to_owned()), ..ReportFilter::default() };
        assert!(build("unknown").matches(&report) && !build("0.1.0").matches(&report));
        let waited = ReportFilter { min_wait_ms: Some(0), ..ReportFilter::default() };
        assert!(!waited.matches(&report));
    }

    #[test]
    fn another_outcome_is_refused_with_the_list_of_outcomes() {
        let refusal = "declined".parse::<OutcomeFilter>().unwrap_err();
        assert!(refusal.contains("purchase_failed, purchase_interrupted"), "{refusal}");
    }
}
