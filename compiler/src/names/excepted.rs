//! Texts of exceptions: places as events write them, ids of rules, dates.

use std::sync::LazyLock;

use waf_detection::exceptions::{PlaceMistake, parse};
use waf_detection::field::Place;
use waf_detection::rule::Rule;
use waf_detection::rules;
use waf_shared::limits::{ARGUMENT_NAME_BYTES_MAX, PLACE_WILDCARDS_MAX};
use waf_shared::plan::ExceptedPlace;

use super::word::{Mistake, Word};
use crate::date::Date;
use crate::diagnostic::did_you_mean;
use crate::field::Syntax;
use crate::presets::files::NAMES;

/// A place of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceText {
    /// As written.
    pub(crate) text: String,
    /// As the plan has it.
    pub(crate) planned: ExceptedPlace,
}

/// Collections of other firewalls and the kind that holds the same values.
const FOREIGN: &[(&str, &str)] = &[
    ("ARGS_GET", "ARGS"),
    ("ARGS_POST", "ARGS"),
    ("ARGS_GET_NAMES", "ARGS_NAMES"),
    ("ARGS_POST_NAMES", "ARGS_NAMES"),
    ("REQUEST_HEADERS", "HEADERS"),
    ("REQUEST_COOKIES", "COOKIES"),
    ("REQUEST_COOKIES_NAMES", "COOKIE_NAMES"),
    ("REQUEST_BODY", "BODY"),
    ("REQUEST_FILENAME", "PATH"),
    ("REQUEST_URI", "PATH"),
    ("FILES_NAMES", "FILES"),
];

impl Word for PlaceText {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a place as events write it, such as `ARGS:content`, `JSON:post.body` or `PATH`",
        pattern: r"^[A-Z_]+(:.+)?$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<PlaceText, Mistake> {
        let planned = parse(text).map_err(|mistake| mistaken(text, mistake))?;
        Ok(PlaceText { text: text.to_owned(), planned })
    }
}

fn mistaken(text: &str, mistake: PlaceMistake) -> Mistake {
    let kind = text.split(':').next().unwrap_or_default();
    match mistake {
        PlaceMistake::Kind => {
            let upper = kind.to_ascii_uppercase().replace('-', "_");
            let foreign = FOREIGN.iter().find(|(name, _)| *name == upper).map(|(_, known)| *known);
            let kinds = || Place::ALL.iter().map(|place| place.as_str());
            let help = match foreign.or_else(|| kinds().find(|kind| *kind == upper)) {
                Some(known) => Some(format!("did you mean `{known}`?")),
                None => did_you_mean(kind, kinds()),
            };
            Mistake { help, ..Mistake::of::<PlaceText>() }
        }
        PlaceMistake::Named => Mistake::because(format!("has a name, and values of {kind} have none")),
        PlaceMistake::Nameless => Mistake::because("needs a name")
            .help(format!("each value of {kind} has one: write `{kind}:name`")),
        PlaceMistake::Wildcards => {
            Mistake::because(format!("has more than {PLACE_WILDCARDS_MAX} wildcards, or two in a row"))
        }
        PlaceMistake::Name => {
            Mistake::because(format!("needs a name of 1 to {ARGUMENT_NAME_BYTES_MAX} bytes behind the colon"))
        }
    }
}

/// A rule, by its id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleId(pub(crate) &'static Rule);

impl Word for RuleId {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "the id of a rule",
        pattern: "",
        words: Some(|| RULES.iter().map(|rule| rule.id).collect()),
        shown: None,
    };

    fn parse(text: &str) -> Result<RuleId, Mistake> {
        let found = RULES.binary_search_by(|rule| rule.id.cmp(text)).ok();
        let rule = found.and_then(|at| RULES.get(at)).map(|rule| RuleId(rule));
        rule.ok_or_else(Mistake::of::<RuleId>)
    }
}

/// Every rule, sorted by its id.
static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut all: Vec<&'static Rule> = rules::all().collect();
    all.sort_unstable_by_key(|rule| rule.id);
    all
});

/// The name of a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PresetName(pub(crate) &'static str);

impl Word for PresetName {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "the name of a preset",
        pattern: "",
        words: Some(|| NAMES.to_vec()),
        shown: None,
    };

    fn parse(text: &str) -> Result<PresetName, Mistake> {
        let name = NAMES.iter().find(|name| **name == text).map(|name| PresetName(name));
        let known = NAMES.join(", ");
        name.ok_or_else(|| match did_you_mean(text, NAMES.iter().copied()) {
            Some(help) => Mistake::of::<PresetName>().help(help),
            None => Mistake::of::<PresetName>().help(format!("there are {known}")),
        })
    }
}

/// A date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day(pub(crate) Date);

impl Word for Day {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "date",
        expects: "a date of the form `YYYY-MM-DD`",
        pattern: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<Day, Mistake> {
        Date::parse(text).map(Day).ok_or_else(Mistake::of::<Day>)
    }
}
