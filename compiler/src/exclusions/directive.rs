//! Directives of a file of exclusions: words, quotes, continued lines, chains of rules.

use super::condition::Condition;
use super::target::split;

/// The removals of one directive, and the requests that they are for.
#[derive(Debug, Default)]
pub(super) struct Directive {
    pub(super) condition: Condition,
    pub(super) removals: Vec<Removal>,
}

/// Rules that no longer look at targets; without targets at nothing.
#[derive(Debug)]
pub(super) struct Removal {
    /// Ids, ranges and tags.
    pub(super) rules: String,
    pub(super) targets: Vec<String>,
}

/// A chain of rules that is being read.
struct Chain {
    line: u32,
    directive: Directive,
    /// The first condition without a counterpart.
    fault: Option<String>,
}

/// Every directive that excludes anything, with its line; the error says why it has no counterpart.
pub(super) fn all(text: &str) -> Vec<(u32, Result<Directive, String>)> {
    let mut out = Vec::new();
    let mut chain: Option<Chain> = None;
    for (line, text) in logical_lines(text) {
        let words = words(&text);
        let Some((name, arguments)) = words.split_first() else { continue };
        match name.to_ascii_lowercase().as_str() {
            "secrule" | "secaction" => {
                let link =
                    chain.get_or_insert_with(|| Chain { line, directive: Directive::default(), fault: None });
                let is_chained = link.add(arguments, name.eq_ignore_ascii_case("secrule"));
                if !is_chained && let Some(done) = chain.take() {
                    out.extend(done.finish());
                }
            }
            "secruleremovebyid" | "secruleremovebytag" => {
                let removal = Removal { rules: arguments.join(" "), targets: Vec::new() };
                out.push((line, Ok(unconditional(removal))));
            }
            "secruleremovebymsg" | "secruleupdatetargetbymsg" => {
                out.push((line, Err("rules are not known by their messages".to_owned())));
            }
            "secruleupdatetargetbyid" | "secruleupdatetargetbytag" => out.push((line, updated(arguments))),
            _ => {}
        }
    }
    out.extend(chain.and_then(Chain::finish));
    out
}

impl Chain {
    /// Adds a link; true if another one follows.
    fn add(&mut self, arguments: &[String], has_condition: bool) -> bool {
        let actions = if has_condition {
            if let [variables, operator, ..] = arguments
                && let Err(why) = self.directive.condition.add(variables, operator)
            {
                self.fault.get_or_insert(why);
            }
            arguments.get(2)
        } else {
            arguments.first()
        };
        let mut is_chained = false;
        for action in split_actions(actions.map_or("", String::as_str)) {
            is_chained |= action.eq_ignore_ascii_case("chain");
            if let Some(control) = action.strip_prefix("ctl:") {
                self.control(control.trim_matches('\''));
            }
        }
        is_chained
    }

    fn control(&mut self, control: &str) {
        let (name, value) = control.split_once('=').unwrap_or((control, ""));
        match name.to_ascii_lowercase().as_str() {
            "ruleremovetargetbyid" | "ruleremovetargetbytag" => {
                let (rules, target) = value.split_once(';').unwrap_or((value, ""));
                let targets =
                    split(target).iter().map(|target| target.trim_start_matches('!').to_owned()).collect();
                self.directive.removals.push(Removal { rules: rules.to_owned(), targets });
            }
            "ruleremovebyid" | "ruleremovebytag" => {
                self.directive.removals.push(Removal { rules: value.to_owned(), targets: Vec::new() });
            }
            "ruleengine" | "requestbodyaccess" | "requestbodyprocessor" | "forcerequestbodyvariable" => {
                self.fault.get_or_insert(format!(
                    "`ctl:{name}` has no counterpart: use a route with `mode` or `disable`"
                ));
            }
            _ => {}
        }
    }

    /// The chain, if it excludes anything.
    fn finish(self) -> Option<(u32, Result<Directive, String>)> {
        let excludes = !self.directive.removals.is_empty();
        match self.fault {
            Some(why) if excludes || why.starts_with("`ctl:") => Some((self.line, Err(why))),
            None if excludes => Some((self.line, Ok(self.directive))),
            _ => None,
        }
    }
}

fn unconditional(removal: Removal) -> Directive {
    Directive { condition: Condition::default(), removals: vec![removal] }
}

/// `SecRuleUpdateTargetById 942100 "!ARGS:a,!ARGS:b"`.
fn updated(arguments: &[String]) -> Result<Directive, String> {
    let [rules, targets, replaced @ ..] = arguments else { return Err("it names no target".to_owned()) };
    if !replaced.is_empty() {
        return Err("a replaced target has no counterpart".to_owned());
    }
    let mut removed = Vec::new();
    for target in split(targets) {
        match target.strip_prefix('!') {
            Some(target) => removed.push(target.to_owned()),
            None => return Err("an added target has no counterpart".to_owned()),
        }
    }
    if removed.is_empty() {
        return Err("it names no target".to_owned());
    }
    Ok(unconditional(Removal { rules: rules.clone(), targets: removed }))
}

/// Lines with those that continue them joined, each with the number of its first line. Comments are left out.
fn logical_lines(text: &str) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let mut continues = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if !continues && line.starts_with('#') {
            continue;
        }
        let (line, goes_on) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match out.last_mut().filter(|_| continues) {
            Some((_, last)) => last.push_str(line),
            None => out.push((number, line.to_owned())),
        }
        continues = goes_on;
    }
    out
}

/// The words of a line; a quoted one may contain spaces and escaped quotes.
fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(&first) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let quote = matches!(first, '"' | '\'').then_some(first);
        if quote.is_some() {
            chars.next();
        }
        let mut word = String::new();
        while let Some(c) = chars.next() {
            match (c, quote) {
                ('\\', Some(quote)) if chars.peek() == Some(&quote) => word.extend(chars.next()),
                (c, Some(quote)) if c == quote => break,
                (c, None) if c.is_whitespace() => break,
                (c, _) => word.push(c),
            }
        }
        out.push(word);
    }
    out
}

/// Actions between commas that are not quoted.
fn split_actions(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut is_quoted = false;
    for c in text.chars() {
        is_quoted ^= c == '\'';
        match out.last_mut() {
            Some(action) if c != ',' || is_quoted => action.push(c),
            _ => out.push(String::new()),
        }
    }
    out.into_iter().map(|action| action.trim().to_owned()).collect()
}
