//! `docs/presets.md`, from the files of the presets.

use std::fmt::Write as _;

use super::cell::cell;
use crate::presets::all;
use crate::raw::Exception;
use crate::read::At;
use crate::resolve::entries;

/// The page.
pub fn presets() -> String {
    let mut out = String::from(
        "# Presets\n\n\
         <!-- Made by `waf-compile reference presets`; edit compiler/src/presets instead. -->\n\n\
         A preset is a list of [exceptions](exceptions.md) for the normal work of an application: texts with code or markup,\n\
         queries, files with any name. `use` on the route of the application, or in `global`, adds it:\n\n\
         ```yaml\n\
         version: v1alpha1\n\
         port: 8080\n\
         routes:\n\
         \x20 - id: blog\n\
         \x20   match: { paths: [/blog/*] }\n\
         \x20   upstream: http://127.0.0.1:3000\n\
         \x20   use: [wordpress]\n\
         ```\n\n\
         A preset names places, methods and paths of the application as its documentation has them, with any prefix in front.\n\
         What visitors without an account send (searches, comments, logins) is judged as before. Limits are not part of it: raise\n\
         `max_body_size`, `json_depth` or `accept.methods` on the route where the application needs it.\n\
         `waf-compile effective FILE --route ID` lists what a preset adds, and `waf_exceptions_total` counts it under\n\
         `<preset>: …`.\n",
    );
    for (name, preset) in all() {
        let text = |field: &Option<At<crate::names::PlainText>>| {
            field.as_ref().map_or(String::new(), |at| at.value.0.clone())
        };
        let _ = write!(
            out,
            "\n## `{name}`\n\n{}: {}.\n\n| In | Methods | Paths | Not judged by |\n|---|---|---|---|\n",
            text(&preset.application),
            text(&preset.covers)
        );
        for at in entries(preset.exceptions.as_ref()) {
            row(&mut out, &at.value);
        }
    }
    out
}

fn row(out: &mut String, exception: &Exception) {
    let listed = |texts: Vec<String>| match texts.as_slice() {
        [] => "any".to_owned(),
        texts => cell(&texts.join(", ")),
    };
    let code = |text: &str| format!("`{text}`");
    let places = entries(exception.r#in.as_ref()).iter().map(|entry| code(&entry.value.text)).collect();
    let methods = entries(exception.methods.as_ref()).iter().map(|entry| entry.value.0.clone()).collect();
    let paths = entries(exception.paths.as_ref()).iter().map(|entry| code(&entry.value.text)).collect();
    let protections =
        entries(exception.protections.as_ref()).iter().map(|entry| code(entry.value.name)).collect();
    let _ = writeln!(
        out,
        "| {} | {} | {} | {} |",
        listed(places),
        listed(methods),
        listed(paths),
        listed(protections)
    );
}
