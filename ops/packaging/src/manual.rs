//! Manual pages and shell completions, made from the command lines of both programs. Hidden subcommands, which the
//! service starts by itself, are left out.

mod sections;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory as _};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use waf_compiler::cli::Arguments;
use waf_supervisor::cli::Cli;

/// Folder of the committed pages, below the repository's root.
pub const FOLDER: &str = "ops/packaging/manual";

/// Both command lines, as people see them.
pub fn programs() -> [Command; 2] {
    [Cli::command(), Arguments::command()].map(|command| visible(command.disable_help_subcommand(true)))
}

/// Without what is hidden: generators of completions would show it. clap cannot take a subcommand away, so a command
/// that has one is put together again.
fn visible(command: Command) -> Command {
    if !command.get_subcommands().any(Command::is_hide_set) {
        return command;
    }
    let mut kept = Command::new(lasting(command.get_name().to_owned()))
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(command.is_args_conflicts_with_subcommands_set())
        .args(command.get_arguments().cloned())
        .subcommands(command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned());
    if let Some(about) = command.get_about() {
        kept = kept.about(about.clone());
    }
    kept
}

/// clap keeps names for ever; this program ends soon.
fn lasting(text: String) -> &'static str {
    text.leak()
}

/// Every file, with its path below [`FOLDER`].
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for program in programs() {
        pages(&program, &mut files);
        for (shell, folder) in
            [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish"), (Shell::Elvish, "elvish")]
        {
            let name = program.get_name().to_owned();
            let mut text = Vec::new();
            generate(shell, &mut completed(program.clone()), &name, &mut text);
            files.push((format!("completions/{folder}/{}", completion(shell, &name)), text));
        }
    }
    files
}

/// With the names of protections as values: shells complete them. The program itself takes any text, to advise on it.
fn completed(command: Command) -> Command {
    let named = |command: Command, argument: &'static str| {
        command.mut_arg(argument, |argument| {
            argument.value_parser(PossibleValuesParser::new(waf_compiler::catalog::all_names()))
        })
    };
    [("catalog", "name"), ("rules", "leaf")].into_iter().fold(command, |command, (subcommand, argument)| {
        match command.find_subcommand(subcommand) {
            Some(_) => command.mut_subcommand(subcommand, |subcommand| named(subcommand, argument)),
            None => command,
        }
    })
}

/// As each shell looks for it in its folder of completions.
fn completion(shell: Shell, name: &str) -> String {
    match shell {
        Shell::Zsh => format!("_{name}"),
        Shell::Fish => format!("{name}.fish"),
        Shell::Elvish => format!("{name}.elv"),
        _ => name.to_owned(),
    }
}

fn pages(program: &Command, files: &mut Vec<(String, Vec<u8>)>) {
    let mut built = program.clone();
    built.build();
    page(&built, files);
    for subcommand in built.get_subcommands() {
        // `waf demo` is the page waf-demo(1).
        let name = format!("{}-{}", program.get_name(), subcommand.get_name());
        page(&subcommand.clone().name(lasting(name)), files);
    }
}

fn page(command: &Command, files: &mut Vec<(String, Vec<u8>)>) {
    let mut text = Vec::new();
    Man::new(command.clone()).render(&mut text).expect("writing to memory does not fail");
    text.extend_from_slice(sections::of(command.get_name()).as_bytes());
    files.push((format!("man/{}.1", command.get_name()), text));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn text(files: &[(String, Vec<u8>)], name: &str) -> String {
        let (_, text) =
            files.iter().find(|(path, _)| path == name).unwrap_or_else(|| panic!("{name} is made"));
        String::from_utf8(text.clone()).expect("pages are text")
    }

    /// Options as they are typed. In manual pages hyphens are escaped.
    fn options(command: &Command) -> Vec<String> {
        command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set())
            .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
            .collect()
    }

    #[test]
    fn committed_files_are_current() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER);
        let fix = "fix it with\n  cargo run -p waf-packaging -- manual";
        let files = files();
        for (name, made) in &files {
            let committed = std::fs::read(folder.join(name)).unwrap_or_default();
            assert!(&committed == made, "{FOLDER}/{name} is not current; {fix}");
        }
        for below in ["man", "completions/bash", "completions/zsh", "completions/fish", "completions/elvish"]
        {
            for entry in std::fs::read_dir(folder.join(below)).expect("the folder is there") {
                let name = entry.expect("it can be listed").file_name();
                let path = format!("{below}/{}", name.to_str().expect("names are text"));
                assert!(
                    files.iter().any(|(name, _)| *name == path),
                    "{FOLDER}/{path} is made no more: remove it"
                );
            }
        }
    }

    #[test]
    fn pages_and_completions_name_every_option() {
        let files = files();
        for program in programs() {
            let name = program.get_name().to_owned();
            let mut all = vec![(name.clone(), program.clone())];
            let subcommands = program.get_subcommands();
            all.extend(subcommands.map(|sub| (format!("{name}-{}", sub.get_name()), sub.clone())));
            let (bash, fish) = (format!("completions/bash/{name}"), format!("completions/fish/{name}.fish"));
            for (page, command) in all {
                let manual = text(&files, &format!("man/{page}.1"));
                for option in options(&command) {
                    assert!(
                        manual.contains(&option.replace('-', "\\-")),
                        "{page}(1) says nothing of {option}"
                    );
                    assert!(text(&files, &bash).contains(&option), "{bash}: {option}");
                    assert!(text(&files, &format!("completions/zsh/_{name}")).contains(&option), "{option}");
                    let long = format!("-l {}", &option[2..]);
                    assert!(text(&files, &fish).contains(&long), "{fish}: {option}");
                }
            }
        }
    }

    #[test]
    fn pages_say_how_a_program_ends_and_give_examples() {
        let files = files();
        for (name, _) in files.iter().filter(|(name, _)| name.starts_with("man/")) {
            let page = text(&files, name);
            for section in ["EXIT STATUS", "EXAMPLES"] {
                assert_eq!(page.matches(&format!(".SH \"{section}\"")).count(), 1, "{name}: {section}");
            }
        }
        for section in ["SIGNALS", "FILES", "ENVIRONMENT"] {
            assert!(text(&files, "man/waf.1").contains(&format!(".SH \"{section}\"")), "{section}");
        }
    }

    #[test]
    fn names_of_protections_are_completed() {
        let files = files();
        for shell in ["bash/waf-compile", "zsh/_waf-compile", "fish/waf-compile.fish"] {
            let script = text(&files, &format!("completions/{shell}"));
            for name in ["sql-injection-union-select", "cross-site-scripting", "response-headers-add-csp"] {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
    }

    #[test]
    fn what_the_service_starts_by_itself_is_not_shown() {
        for (name, text) in files() {
            let text = String::from_utf8_lossy(&text).into_owned();
            assert!(!name.contains("worker") && !text.contains("data plane; started by"), "{name}");
        }
        assert!(programs().iter().any(|program| program.get_subcommands().count() > 1), "others are");
    }
}
