//! One exception as it is written.

use super::kinds::PROTECTIONS;
use super::section::section;
use crate::field::FieldKind;
use crate::names::{Day, Method, PlaceText, PlainText, PresetName, Protection, RuleId, Word};
use crate::pattern::PathText;
use crate::read::At;

/// A list of exceptions.
pub(crate) const EXCEPTIONS: FieldKind = FieldKind::List(&FieldKind::Section(Exception::FIELDS));

/// A list of presets.
pub(crate) const PRESETS: FieldKind = FieldKind::List(&FieldKind::Text(PresetName::SYNTAX));

section! {
    /// A file of shipped exceptions.
    Preset {
        application: PlainText, FieldKind::Text(PlainText::SYNTAX), required, "", "", "Name of the application.";
        covers: PlainText, FieldKind::Text(PlainText::SYNTAX), required, "", "", "Work that the exceptions are for.";
        exceptions: Vec<At<Exception>>, EXCEPTIONS, required, "", "", "The exceptions.";
    }
}

section! {
    /// An entry of `exceptions`.
    Exception {
        protections: Vec<At<Protection>>, PROTECTIONS, optional, "[]",
            "each a registered protection name; `protections` or `rules` is required",
            "Protections whose findings are taken away, at any level of the catalog.";
        rules: Vec<At<RuleId>>, FieldKind::List(&FieldKind::Text(RuleId::SYNTAX)), optional, "[]",
            "each the id of a rule, as events name it", "Rules whose findings are taken away.";
        r#in: Vec<At<PlaceText>>, FieldKind::AtLeastOne(&FieldKind::Text(PlaceText::SYNTAX), "place"), required, "",
            "places as events write them, such as `ARGS:content`, `JSON:post.body`, `COOKIES:prefs`, `HEADERS:referer`, `PATH`; `*` stands for anything inside a name or a key",
            "Places of the findings.";
        methods: Vec<At<Method>>, FieldKind::List(&FieldKind::Text(Method::SYNTAX)), optional, "[]", "case-sensitive; empty is any",
            "Methods of the requests.";
        paths: Vec<At<PathText>>, FieldKind::List(&FieldKind::Text(PathText::SYNTAX)), optional, "[]",
            "as in `match.paths`; empty is any", "Paths of the requests.";
        reason: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "", "", "Why the exception is there.";
        expires: Day, FieldKind::Text(Day::SYNTAX), optional, "",
            "`YYYY-MM-DD`; from then on the exception holds and warns", "When it should be looked at again.";
    }
}
