//! One limit, tried on both sides of its bound: global, on a route of its own, in `detect_only`, and switched off.

use crate::contract::blocked;
use crate::origin::Origin;
use crate::raw::{Request, Response};
use crate::running::{self, Waf, with_routes};

/// A limit and a request that comes up to any size.
pub struct Limit<'a> {
    /// The protection that enforces it.
    pub leaf: &'a str,
    /// The answer to a client that exceeds it.
    pub status: u16,
    /// The setting, as one line of YAML.
    pub setting: &'a dyn Fn(u64) -> String,
    /// A request to a target that just keeps a limit of this value.
    pub request: &'a dyn Fn(&str, u64) -> Request,
    /// The global value.
    pub global: u64,
    /// The value of one route.
    pub route: u64,
}

impl Limit<'_> {
    /// Tries it everywhere.
    pub fn check(&self) {
        let origin = Origin::start();
        let waf = self.waf(&origin);
        let ask = |target: &str, size: u64| (self.request)(target, size).to(waf.port);
        let within = |target: &str, size: u64, why: &str| {
            let response = ask(target, size);
            assert_eq!(response.status, 200, "{} {why}: {}", self.leaf, response.text());
        };
        within("/", self.global, "at the global limit");
        self.refused(&waf, &ask("/", self.global + 1));
        within("/own/x", self.route, "at the route's limit");
        self.refused(&waf, &ask("/own/x", self.route + 1));
        within("/off/x", self.global + 1, "switched off");

        let before = waf.events().len();
        within("/seen/x", self.global, "in detect_only");
        within("/seen/x", self.global + 1, "over the limit in detect_only");
        let event = waf.wait_events(before + 1).pop().expect("an event");
        assert_eq!(
            (event["disposition_id"].as_u64(), event["status_code"].as_str()),
            (Some(15), Some("200")),
            "{event}"
        );
        assert!(event["waf"]["matched_protections"].to_string().contains(self.leaf), "{event}");
        assert_eq!(waf.events().len(), before + 1, "one event for one violation");
        // What streams may have begun before it was refused; it never ended.
        let whole = origin.take().into_iter().filter(|request| request.complete).count();
        assert_eq!(whole, 5, "{}: what was refused reached the origin", self.leaf);
    }

    fn waf(&self, origin: &Origin) -> Waf {
        let (url, global, route) = (origin.url(), (self.setting)(self.global), (self.setting)(self.route));
        let routes = format!(
            "  - upstream: {url}\n\
             \x20 - match: {{ paths: [/own/*] }}\n    upstream: {url}\n    {route}\n\
             \x20 - match: {{ paths: [/off/*] }}\n    upstream: {url}\n    disable: [{}]\n\
             \x20 - match: {{ paths: [/seen/*] }}\n    upstream: {url}\n    mode: detect_only\n",
            self.leaf
        );
        running::waf(&format!("{}global:\n  {global}\n", with_routes(&routes)))
    }

    fn refused(&self, waf: &Waf, response: &Response) {
        let id = blocked(response, self.status);
        let event = waf.event_of(&id);
        assert_eq!(event["disposition_id"], 2, "{event}");
        assert!(event["waf"]["matched_protections"].to_string().contains(self.leaf), "{event}");
    }
}

/// A POST whose body has no declared length: one chunk.
pub fn chunked(target: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: shop.example\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n",
        body.len()
    );
    [head.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
}
