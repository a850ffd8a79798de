//! The second plan that judges a share of the requests beside the plan in force, and reports of what it would have
//! decided differently. It decides nothing itself: no answer depends on these messages.

use bincode::{Decode, Encode};

use crate::plan::Digest;

/// Share of the requests, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
pub struct Share(pub u32);

impl Share {
    /// Every request.
    pub const ALL: Share = Share(1_000_000);

    /// Reads `0.1` or `10%`. More than all is no share.
    pub fn parse(text: &str) -> Option<Share> {
        // Digits behind the point that make a millionth.
        let (number, places) = match text.strip_suffix('%') {
            Some(percent) => (percent, 4),
            None => (text, 6),
        };
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && part.is_empty())
            || part.len() > places
            || !is_number(whole)
            || !is_number(part)
        {
            return None;
        }
        let millionths: u64 = format!("{whole}{part:0<places$}").parse().ok()?;
        u32::try_from(millionths).ok().map(Share).filter(|share| *share <= Share::ALL)
    }

    /// True if `part` is more than this share of `whole`.
    pub fn is_exceeded(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(Self::ALL.0) > u128::from(whole) * u128::from(self.0)
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}%", f64::from(self.0) / f64::from(Self::ALL.0 / 100))
    }
}

/// A plan that judges requests and answers none.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ShadowPlan {
    /// Number of this plan; it grows with every one, so that a late report is recognised.
    pub number: u64,
    /// Name of the plan.
    pub digest: Digest,
    /// The encoded plan.
    pub plan: Vec<u8>,
    /// Share of the requests that it judges.
    pub share: Share,
}

/// Decision about a request. A later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Decision {
    /// Nothing was found.
    Allowed,
    /// A violation was found, and the request was forwarded.
    Detected,
    /// The request was refused.
    Blocked,
}

impl Decision {
    /// As metrics and logs write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Decision::Allowed => "allowed",
            Decision::Detected => "detected",
            Decision::Blocked => "blocked",
        }
    }
}

/// Result of judging one request by the second plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShadowResult {
    /// The same decision.
    Same,
    /// Another decision.
    Different,
    /// The request ended before both plans had decided.
    Unfinished,
    /// The judging failed.
    Error,
}

impl ShadowResult {
    /// Every one, in order, as metrics write it.
    pub const ALL: [(ShadowResult, &str); 4] = [
        (ShadowResult::Same, "same"),
        (ShadowResult::Different, "different"),
        (ShadowResult::Unfinished, "unfinished"),
        (ShadowResult::Error, "error"),
    ];
}

/// Counts of a worker since its last report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct ShadowReport {
    /// Number of the plan.
    pub number: u64,
    /// Requests by [`ShadowResult`].
    pub results: [u64; ShadowResult::ALL.len()],
    /// Judged requests that the plan in force did not refuse.
    pub passed: u64,
    /// Those of them that the second plan would have refused.
    pub refused: u64,
    /// Requests that it would have decided differently, at most [`crate::limits::SHADOW_DIFFERENCES_MAX`] entries.
    pub differences: Vec<ShadowDifference>,
}

/// Requests that the second plan would have decided differently for one rule on one route. A request counts for each
/// rule that decided.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ShadowDifference {
    /// The route that the plan in force chose, or `-`.
    pub route: String,
    /// Id of the rule, name of the protection, or `-` where no rule decided.
    pub rule: String,
    /// Decision of the second plan.
    pub decision: Decision,
    /// Their number.
    pub requests: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_fractions_or_percentages() {
        for (text, expected) in [
            ("0.1", Some(100_000)),
            ("10%", Some(100_000)),
            ("0.1%", Some(1_000)),
            ("1", Some(1_000_000)),
            ("100%", Some(1_000_000)),
            ("0", Some(0)),
            ("0.0001%", Some(1)),
            ("1.1", None),
            ("101%", None),
            ("-1", None),
            ("", None),
            ("%", None),
            ("nan", None),
            ("inf", None),
            ("1e-3", None),
            (".5", Some(500_000)),
            ("1.", Some(1_000_000)),
            (".", None),
            ("0.0000001", None),
            ("99999999999999999999", None),
            ("ten", None),
        ] {
            assert_eq!(Share::parse(text).map(|share| share.0), expected, "{text:?}");
        }
        assert_eq!(Share(1_000).to_string(), "0.1%");
        assert_eq!(Share::ALL.to_string(), "100%");
    }

    #[test]
    fn a_share_is_exceeded_by_more_than_it() {
        let share = Share(1_000);
        for (part, whole, expected) in [
            (0, 0, false),
            (0, 10, false),
            (1, 10, true),
            (1, 1_000, false),
            (2, 1_000, true),
            (u64::MAX, u64::MAX, true),
        ] {
            assert_eq!(share.is_exceeded(part, whole), expected, "{part} of {whole}");
        }
        assert!(!Share::ALL.is_exceeded(5, 5));
    }
}
