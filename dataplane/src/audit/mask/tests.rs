//! Masking of values, by tables of texts and what is left of them.

use proptest::prelude::*;

use super::*;

fn check(kind: TextKind, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(String::from_utf8_lossy(&values(text.as_bytes(), kind)), *expected, "{text}");
    }
}

/// Names of parameters whose values are secrets.
const SECRETS: &[&str] = &[
    "password",
    "user[password]",
    "newPassword",
    "pass%77ord",
    "PASSWD",
    "pwd",
    "userPwd",
    "pass",
    "api_key",
    "X-Api-Key",
    "access_token",
    "csrf-token",
    "Authorization",
    "proxy-authorization",
    "client_secret",
    "JSESSIONID",
    "PHPSESSID",
    "connect.sid",
    "ASP.NET_SessionId",
    "session",
    "card_number",
    "cardNumber",
    "cc-number",
    "cvv2",
    "cvc",
    "card",
    "otp",
    "pin",
    "user.password",
    "Cookie",
];

/// Names of others, some of which contain the name of a secret.
const OTHERS: &[&str] = &[
    "q",
    "user",
    "author",
    "pinned",
    "passenger",
    "compass",
    "side",
    "option",
    "discard",
    "account",
    "panel",
    "accept",
    "page",
    "id",
    "",
];

#[test]
fn names_of_secrets_are_known() {
    for name in SECRETS {
        assert!(is_secret(name.as_bytes()), "{name}");
    }
    for name in OTHERS {
        assert!(!is_secret(name.as_bytes()), "{name}");
    }
}

#[test]
fn queries_keep_everything_else() {
    check(
        TextKind::Query,
        &[
            ("q=1&password=hunter2&x=2", "q=1&password=***&x=2"),
            ("password=a;b c<d\"&x=1", "password=***&x=1"),
            ("pass%77ord=a%26b&x=1", "pass%77ord=***&x=1"),
            ("user%5Bpassword%5D=s3", "user%5Bpassword%5D=***"),
            ("password=", "password="),
            ("password", "password"),
            ("q=password", "q=password"),
            ("next=%2Flogin%3Ftoken%3Dabc%26a%3D1&b=2", "next=%2Flogin%3Ftoken%3D***%26a%3D1&b=2"),
            ("next=%252F%253Ftoken%253Dabc&b=2", "next=%252F%253Ftoken%253D***&b=2"),
            ("f={\"password\":\"x y\",\"a\":1}", "f={\"password\":\"***\",\"a\":1}"),
            ("f=%7B%22pin%22:1234,%22a%22:1%7D", "f=%7B%22pin%22:***,%22a%22:1%7D"),
            ("id=1' UNION SELECT password FROM users--", "id=1' UNION SELECT password FROM users--"),
        ],
    );
}

#[test]
fn bodies_and_heads_keep_everything_else() {
    check(
        TextKind::Text,
        &[
            ("a=1&password=hunter2&b=2", "a=1&password=***&b=2"),
            ("{\"token\" : \"a\\\"b\", \"x\": 1}", "{\"token\" : \"***\", \"x\": 1}"),
            ("{\\\"token\\\":\\\"abc\\\"}", "{\\\"token\\\":\\\"***\"}"),
            ("<password>hunter2</password>", "<password>***</password>"),
            ("Authorization: Bearer abc.def\r\nA: b", "Authorization: ***\r\nA: b"),
            ("GET /x?token=abc HTTP/1.1", "GET /x?token=*** HTTP/1.1"),
            ("password=' OR 1=1--", "password='***"),
            ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ],
    );
    check(TextKind::Path, &[("/a;jsessionid=1F/b:c", "/a;jsessionid=***/b:c"), ("/token:a", "/token:a")]);
}

proptest! {
    #[test]
    fn a_value_never_survives(
        before in "[ -~]{0,20}",
        value in "[a-z]{8,20}",
        after in "(&[ -~]{0,20})?",
        kind in prop::sample::select(vec![TextKind::Query, TextKind::Text]),
    ) {
        let text = format!("{before}&password={value}{after}");
        let masked = values(text.as_bytes(), kind);
        prop_assume!(!before.contains(&value) && !after.contains(&value));
        prop_assert!(!String::from_utf8_lossy(&masked).contains(&value), "{}", text);
    }

    #[test]
    fn no_bytes_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        for kind in [TextKind::Query, TextKind::Path, TextKind::Text] {
            let _ = values(&text, kind);
        }
    }
}
