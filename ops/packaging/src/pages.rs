//! Pages of the documentation that need both programs: their command lines, and the index of all names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Arg, Command};
use waf_compiler::field::{Field, FieldKind};
use waf_compiler::{code, reference};

use crate::manual::programs;

/// Every page, with its path below the repository's root.
pub fn files() -> Vec<(&'static str, String)> {
    vec![("docs/command-line.md", command_line()), ("docs/names.md", names())]
}

/// `docs/command-line.md`.
fn command_line() -> String {
    let mut out = String::from(
        "# Command line\n\n\
         <!-- Made by `waf-packaging pages`; edit the command lines in supervisor/src/cli.rs and compiler/src/cli.rs instead. -->\n\n\
         ```sh\nwaf demo                       # try it\nwaf --validate waf.yaml        # check a configuration\n\
         waf --config waf.yaml          # serve\n```\n\n\
         Exit statuses, files, signals and examples are in the manual pages, such as `man waf`. Completions for bash, zsh, fish\n\
         and elvish come with the [package](debian.md).\n",
    );
    for program in programs() {
        let mut built = program.clone();
        built.build();
        let name = built.get_name().to_owned();
        command(&mut out, &name, &built);
        for subcommand in built.get_subcommands() {
            command(&mut out, &format!("{name} {}", subcommand.get_name()), subcommand);
        }
    }
    out
}

fn command(out: &mut String, name: &str, command: &Command) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(out, "\n## {name}\n\n{}\n", sentence(&about));
    let arguments: Vec<&Arg> = shown(command).collect();
    if arguments.is_empty() {
        return;
    }
    out.push_str("\n| Argument | Default | Variable | Meaning |\n|---|---|---|---|\n");
    for argument in arguments {
        let defaults: Vec<String> = argument
            .get_default_values()
            .iter()
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        let variable = argument.get_env().map(|name| format!("`{}`", name.to_string_lossy()));
        let takes_value = argument.get_action().takes_values();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            typed(argument),
            if takes_value && !defaults.is_empty() { defaults.join(", ") } else { "–".to_owned() },
            variable.unwrap_or_else(|| "–".to_owned()),
            sentence(&argument.get_help().map(ToString::to_string).unwrap_or_default()).replace('|', "\\|")
        );
    }
}

/// Arguments as people type them, without those that every program has.
fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| {
        !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
    })
}

fn typed(argument: &Arg) -> String {
    let values: Vec<String> =
        argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let Some(long) = argument.get_long() else { return format!("`{}`", values.join(" ")) };
    let short = argument.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let value =
        if argument.get_action().takes_values() { format!(" {}", values.join(" ")) } else { String::new() };
    format!("{short}`--{long}{value}`")
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// The place that a heading is linked by.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// `docs/names.md`.
fn names() -> String {
    let mut options: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for program in programs() {
        let name = program.get_name().to_owned();
        let mut commands = vec![(name.clone(), program.clone())];
        commands
            .extend(program.get_subcommands().map(|sub| (format!("{name} {}", sub.get_name()), sub.clone())));
        for (name, command) in commands {
            for argument in shown(&command).filter_map(Arg::get_long) {
                let link = format!("[{name}](command-line.md#{})", anchor(&name));
                options.entry(format!("--{argument}")).or_default().push(link);
            }
        }
    }
    let mut fields = BTreeMap::new();
    section("", "top-level", waf_compiler::document(), &mut fields);
    let metrics = of_page(&reference::metrics(), "metrics.md", |_| String::new(), "waf_");
    let protections =
        of_page(&reference::protections(), "protections.md", |heading| format!("#{}", anchor(heading)), "");
    let findings =
        code::ALL.iter().map(|(code, _)| ((*code).to_owned(), "linter.md#findings".to_owned())).collect();
    let mut out = String::from(
        "# Index of names\n\n\
         <!-- Made by `waf-packaging pages`. -->\n\n\
         ```sh\nwaf-compile catalog sql-injection       # a protection\nwaf-compile schema                      # every field, for editors\n```\n",
    );
    out.push_str("\n## Options\n\n");
    for (name, links) in options {
        let _ = writeln!(out, "- `{name}`: {}", links.join(", "));
    }
    for (title, list) in [
        ("Fields of the configuration", fields),
        ("Protections", protections),
        ("Metrics", metrics),
        ("Codes of findings", findings),
    ] {
        let _ = write!(out, "\n## {title}\n\n");
        for (name, link) in list {
            let _ = writeln!(out, "- [`{name}`]({link})");
        }
    }
    out
}

/// Adds each field with the heading below which the reference has it. Sections that a route shares with `global` are
/// described there.
fn section(path: &str, heading: &str, fields: &[Field], found: &mut BTreeMap<String, String>) {
    for field in fields {
        let own = format!("{path}{}", field.name);
        found.insert(own.clone(), format!("configuration.md#{heading}"));
        let (below, suffix) = match field.kind {
            FieldKind::Section(below) => (below, ""),
            FieldKind::List(FieldKind::Section(below))
            | FieldKind::AtLeastOne(FieldKind::Section(below), _) => (*below, "[]"),
            _ => continue,
        };
        let place = format!("{own}{suffix}");
        if reference::configuration().contains(&format!("## `{place}`\n\nThe fields of `global.")) {
            continue;
        }
        section(&format!("{place}."), &anchor(&place), below, found);
    }
}

/// Names in the first column of a page's tables, each with the heading above it.
fn of_page(page: &str, file: &str, place: impl Fn(&str) -> String, prefix: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut heading = String::new();
    for line in page.lines() {
        if let Some(text) = line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")) {
            text.clone_into(&mut heading);
            continue;
        }
        let cell = line.strip_prefix("| `").and_then(|rest| rest.split_once("` |"));
        if let Some((name, _)) = cell.filter(|(name, _)| name.starts_with(prefix)) {
            found.insert(name.to_owned(), format!("{file}{}", place(&heading)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn committed_pages_are_current() {
        for (name, text) in files() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
            let committed = std::fs::read_to_string(path).unwrap_or_default();
            assert!(
                committed == text,
                "{name} is not current; fix it with\n  cargo run -p waf-packaging -- pages"
            );
        }
    }

    #[test]
    fn names_of_every_kind_are_listed() {
        let page = names();
        for name in [
            "`global.accept.max_body_size`",
            "`routes[].match.paths`",
            "`health_port`",
            "`sql-injection-union-select`",
            "`waf_requests_total`",
            "`unknown-field`",
        ] {
            assert!(page.contains(&format!("- [{name}](")), "{name}");
        }
        for option in ["`--trusted-proxies`: [waf](command-line.md#waf), ", "`--deny-warnings`: "] {
            assert!(page.contains(&format!("- {option}")), "{option}");
        }
        for name in waf_compiler::catalog::all_names() {
            let leaf = page.contains(&format!("- [`{name}`]("));
            let heading = page.contains(&format!("#{name}")) || page.contains(&format!("-{name})"));
            assert!(leaf || heading, "{name}");
        }
    }
}
