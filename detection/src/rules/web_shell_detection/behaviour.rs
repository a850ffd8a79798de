//! What a web shell offers, whatever its name: weak evidence each, and a shell together.

use waf_shared::catalog::Leaf;

use super::places::PLACES;
use crate::response_pattern::{Kind, MatchContext};
use crate::response_pattern::{checked, leads};
use crate::rule::{Rule, RuleMatcher};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&COMMAND_FORM, &IDENTITY, &KERNEL, &SWITCHES, &FILE_MANAGER];

pub(super) static COMMAND_FORM: Rule = Rule {
    id: "web-shell-detection/command-form",
    leaf: Leaf::WebShellDetection,
    weight: 2,
    places: PLACES,
    matcher: RuleMatcher::Response(&[
        checked("name=\"cmd\"", "", is_field),
        checked("name='cmd'", "", is_field),
        checked("name=cmd", "", is_field),
        checked("name=\"command\"", "", is_field),
        checked("name='command'", "", is_field),
        checked("name=\"exec\"", "", is_field),
        checked("name='exec'", "", is_field),
        checked("name=\"shell\"", "", is_field),
        checked("name=\"execute\"", "", is_field),
        checked("name='execute'", "", is_field),
        checked("name=\"p1\"", "", is_field),
        checked("name=\"phpcode\"", "", is_field),
        checked("name=\"evalcode\"", "", is_field),
        checked("name=\"syscmd\"", "", is_field),
    ]),
    summary: "The page asks for a command to run.",
    attacks: &[
        "<form method=post><input type=text name=\"cmd\" size=80><input type=submit></form>",
        "<form><input name=cmd><input type=submit value=Execute></form>",
        "<textarea name='command'></textarea>",
    ],
    benign: &[
        "<input name=\"comment\">",
        "<p>The parameter name=\"cmd\" is described below.</p>",
        "{\"html\":\"<input name='q'>\"}",
    ],
};

/// A text field of a form.
fn is_field(context: &MatchContext<'_>) -> bool {
    let Some(open) = memchr::memrchr(b'<', context.before()) else { return false };
    let tag = context.before().get(open + 1..).unwrap_or_default().to_ascii_lowercase();
    let hidden = memchr::memmem::find(&tag, b"hidden").is_some();
    context.kind() == Kind::Html
        && !context.is_in_script()
        && (tag.starts_with(b"input") || tag.starts_with(b"textarea"))
        && !tag.contains(&b'>')
        && !hidden
}

pub(super) static IDENTITY: Rule = Rule {
    id: "web-shell-detection/identity",
    leaf: Leaf::WebShellDetection,
    weight: 3,
    places: PLACES,
    matcher: RuleMatcher::Response(&[
        checked("uid=", "#", is_identity),
        leads("nt authority\\", "@"),
        leads("iis apppool\\", "@"),
        checked("Uid: ", "#", |context| context.kind() == Kind::Html && context.is_spoken()),
    ]),
    summary: "The page prints the account that the server runs as, the way a command does.",
    attacks: &[
        "uid=33(www-data) gid=33(www-data) groups=33(www-data)",
        "<pre>uid=0(root) gid=0(root) groups=0(root)</pre>",
        "<html><body>nt authority\\system</body></html>",
    ],
    benign: &[
        "<p>The command <code>id</code> prints <code>uid=1000(ann) gid=1000(ann)</code>.</p>",
        "https://shop.example/list?uid=4711",
        "ldap: uid=ann,ou=people,dc=example,dc=org",
    ],
};

/// `uid=33(www-data) gid=33(`.
fn is_identity(context: &MatchContext<'_>) -> bool {
    crate::response_pattern::shape_length(context.after(), "uid=@(~) gid=@(")
        .is_some_and(|length| length < 120)
        && context.is_spoken()
}

pub(super) static KERNEL: Rule = Rule {
    id: "web-shell-detection/kernel",
    leaf: Leaf::WebShellDetection,
    weight: 2,
    places: PLACES,
    matcher: RuleMatcher::Response(&[
        checked("Linux ", "~#.#~#", is_kernel),
        checked("Windows NT ", "@ @ build ", is_page_voice),
        checked("FreeBSD ", "~#.#~RELEASE", is_kernel),
    ]),
    summary: "The page prints the server's kernel, the way `uname -a` does.",
    attacks: &[
        "<b>Uname:</b> Linux web1 5.4.0-42-generic #46-Ubuntu SMP Fri Jul 10 00:24:02 UTC 2020 x86_64",
        "<td>Linux shop 3.10.0-1160.el7.x86_64 #1 SMP Mon Oct 19 16:18:59 UTC 2020 x86_64</td>",
        "<td>Windows NT WEB01 10.0 build 17763 (Windows Server 2016) AMD64</td>",
    ],
    benign: &[
        "<p>Linux 6.1 brings support for new hardware.</p>",
        "<code>Linux web1 5.4.0-42-generic #46-Ubuntu SMP x86_64 GNU/Linux</code>",
        "<p>Windows NT 4.0 was released in 1996.</p>",
    ],
};

fn is_page_voice(context: &MatchContext<'_>) -> bool {
    context.kind() == Kind::Html && context.is_spoken()
}

/// A kernel's own name: host, version, build, time, machine.
fn is_kernel(context: &MatchContext<'_>) -> bool {
    let line = context.after().split(|byte| matches!(byte, b'<' | b'\n')).next().unwrap_or_default();
    let line = line.get(..line.len().min(200)).unwrap_or_default();
    let has = |word: &[u8]| memchr::memmem::find(line, word).is_some();
    let build = memchr::memchr(b'#', line).is_some() || has(b"RELEASE");
    let machine = has(b"x86_64") || has(b"i686") || has(b"amd64") || has(b"aarch64");
    build && machine && is_page_voice(context)
}

pub(super) static SWITCHES: Rule = Rule {
    id: "web-shell-detection/switches",
    leaf: Leaf::WebShellDetection,
    weight: 2,
    places: PLACES,
    matcher: RuleMatcher::Response(&[
        checked("Safe mode", "", is_switch),
        checked("Safe Mode", "", is_switch),
        checked("Safe-mode", "", is_switch),
        checked("safe_mode", "", is_switch),
        checked("SAFE_MODE", "", is_switch),
        checked("Disable functions", "", is_switch),
        checked("Disabled functions", "", is_switch),
        checked("Disabled Functions", "", is_switch),
        checked("disable_functions", "", is_switch),
        checked("Open_basedir", "", is_switch),
    ]),
    summary: "The page prints the switches of PHP that hinder a shell.",
    attacks: &[
        "<b>Safe mode:</b> <font color=green>OFF</font>",
        "<td>Disable functions: <b>NONE</b></td>",
        "<b>Safe Mode :</b> OFF",
    ],
    benign: &[
        "<p>Start Windows in Safe mode: press F8.</p>",
        "<code>disable_functions = exec</code>",
        "<td>Safe mode is gone since PHP 5.4.</td>",
    ],
};

/// The switch and its state: ON, OFF or NONE behind little more than markup.
fn is_switch(context: &MatchContext<'_>) -> bool {
    let mut text = context.after().get(..context.after().len().min(120)).unwrap_or_default();
    let name = text.iter().take_while(|b| b.is_ascii_alphabetic() || b" _-".contains(b)).count();
    text = text.get(name..).unwrap_or_default();
    // Take off tags, colons and spaces; a few rounds are all that markup needs.
    for _ in 0..8 {
        let rest = text.trim_ascii_start();
        let rest = rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b"=")).unwrap_or(rest);
        text = match rest.first() {
            Some(b'<') => memchr::memchr(b'>', rest).and_then(|at| rest.get(at + 1..)).unwrap_or_default(),
            _ => rest,
        };
    }
    let word = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let state = text.get(..word).unwrap_or_default();
    let is_state =
        ["on", "off", "none", "all", "nothing"].iter().any(|s| state.eq_ignore_ascii_case(s.as_bytes()));
    is_state && is_page_voice(context)
}

pub(super) static FILE_MANAGER: Rule = Rule {
    id: "web-shell-detection/file-manager",
    leaf: Leaf::WebShellDetection,
    weight: 2,
    places: PLACES,
    matcher: RuleMatcher::Response(&[
        checked("drwx", "@", is_permission),
        checked("-rw-r--", "@", is_permission),
        checked(">drwx", "", is_permission),
        checked("<th>Permissions</th>", "", is_page_voice),
        checked(">chmod<", "", is_page_voice),
        checked(">Chmod<", "", is_page_voice),
        checked("value=\"chmod\"", "", |context| context.kind() == Kind::Html),
    ]),
    summary: "The page lists files with their permissions and offers to change them.",
    attacks: &[
        "<td><a href=\"?chmod=x\">drwxr-xr-x</a></td>",
        "<td>x.php</td><td><font color=green>-rw-r--r--</font></td>",
        "<option value=\"chmod\">Chmod</option>",
    ],
    benign: &[
        "<pre><code>drwxr-xr-x 2 ann ann 4096 docs</code></pre>",
        "<p>Files with -rw-r--r-- are readable by all.</p>",
        "The chmod command changes permissions.",
    ],
};

/// Permissions as the whole text of a cell.
fn is_permission(context: &MatchContext<'_>) -> bool {
    let text = context.after().strip_prefix(b">").unwrap_or(context.after());
    let length = text.iter().take_while(|byte| b"drwxst-".contains(byte)).count();
    let opened = context.before().ends_with(b">") || context.after().starts_with(b">");
    length == 10
        && opened
        && text.get(length) == Some(&b'<')
        && context.kind() == Kind::Html
        && !context.is_discussed()
}
