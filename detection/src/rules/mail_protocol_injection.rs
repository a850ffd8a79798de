//! Rules of this bucket and the detector that reports them: commands and headers that a value would put into a mail session.

use waf_languages::language::Context;
use waf_languages::mail::{Mail, MailSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&COMMAND, &WORD, &RECIPIENT, &IN_TEXT]], detectors: &[&DETECTOR] };

static COMMAND: Rule = Rule {
    id: "mail-protocol-injection/command",
    leaf: Leaf::MailProtocolInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A line of a value is a command of SMTP, IMAP or POP3 with its arguments.",
    attacks: &[
        "\r\nMAIL FROM:<a@b.com>",
        "\nRCPT TO: test@evil.com\n",
        "x\r\nEHLO test.com",
        "\r\na001 uid store 231:233\r\n",
        "\r\nA1 list \"INBOX/\" \"*\"",
        "\r\nV100 CAPABILITY\r\nV101 FETCH 4791",
        "\nRETR 123",
    ],
    benign: &[
        "Hello,\r\nplease help\r\nme to quit",
        "a list:\n1 apple\n2 pears\n3 select your fruit",
        "I got this back:\nRCPT TO:<me@example.org>\nand then it said no such user",
        "MAIL FROM: THE FRONT",
    ],
};

static WORD: Rule = Rule {
    id: "mail-protocol-injection/lone-command",
    leaf: Leaf::MailProtocolInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Behind a line break a value holds nothing but commands of a mail protocol.",
    attacks: &[
        "\r\nDATA",
        "\r\nQUIT\r\n",
        "\r\nHELP Postmaster",
        "a@b.example\r\nRSET\r\nNOOP",
        "\r\nA1 QUIT",
    ],
    benign: &["line one\nDATA", "data\nquit", "\nhelp\n", "QUIT", "x\nDATA\nline three is longer"],
};

static RECIPIENT: Rule = Rule {
    id: "mail-protocol-injection/recipient",
    leaf: Leaf::MailProtocolInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An address goes on with the header of another recipient.",
    attacks: &[
        "me@example.org\nBcc: you@example.com",
        "me@example.org\r\nCc:a@b.example,c@d.example",
        "x@y.example\nTo: victim@example.org\nSubject: hi",
    ],
    benign: &[
        "From: me\nTo: you@example.org\nSubject: hello",
        "me@example.org\nyou@example.org",
        "Dear all,\nBcc: nobody",
    ],
};

static IN_TEXT: Rule = Rule {
    id: "mail-protocol-injection/in-text",
    leaf: Leaf::MailProtocolInjection,
    weight: 2,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text holds a line that is a command of a mail protocol or names a recipient.",
    attacks: &[
        "I got this back:\nRCPT TO:<me@example.org>\nand then it said no such user",
        "our server wants\nEHLO mail.example.org\nbefore it does anything else",
        "when I type\na1 FETCH 1:* FLAGS\nthere is no answer from it",
    ],
    benign: &[
        "Hello,\nplease help me to quit\nsmoking",
        "the mail from: your friends over there",
        "we fetch the\ndata and go",
    ],
};

/// Reads commands and headers line by line.
static DETECTOR: Detector = Detector::of::<Mail>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Mail, _>(subject, |finding| {
        Some(match finding.sign {
            _ if finding.context == Context::Prose => &IN_TEXT,
            MailSign::Command => &COMMAND,
            MailSign::Word => &WORD,
            MailSign::Recipient => &RECIPIENT,
        })
    });
}
