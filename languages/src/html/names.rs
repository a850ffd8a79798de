//! Names of HTML elements and attributes, sorted by what they can do. Lists alone: where a name stands is judged elsewhere.

/// Longest name that is looked at; every known one is shorter.
const NAME_BYTES_MAX: usize = 48;

/// A name in lower case without NUL bytes, up to the length that matters.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
}

impl Name {
    /// An element's name.
    pub fn element(written: &[u8]) -> Name {
        let mut name = Name { bytes: [0; NAME_BYTES_MAX], length: 0 };
        for byte in written.iter().filter(|&&byte| byte != 0) {
            let Some(slot) = name.bytes.get_mut(name.length) else { break };
            *slot = byte.to_ascii_lowercase();
            name.length += 1;
        }
        name
    }

    /// An attribute's name: what follows the last quote in it, since a quote may have ended a value before it.
    pub fn attribute(written: &[u8]) -> Name {
        let from = memchr::memrchr3(b'"', b'\'', b'`', written).map_or(0, |at| at + 1);
        Name::element(written.get(from..).unwrap_or_default())
    }

    /// The letters.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Without a namespace prefix (`svg:script`, `:vmlframe`).
    pub fn local(&self) -> &[u8] {
        let bytes = self.as_bytes();
        memchr::memchr(b':', bytes).and_then(|at| bytes.get(at + 1..)).unwrap_or(bytes)
    }
}

/// How sure it is that an attribute's name is an event handler's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handler {
    /// Begins as handlers of browsers do.
    Known,
    /// `on` and letters.
    Possible,
}

/// Beginnings of the event names that browsers, old and new, have (after `on`).
const EVENTS: &[&str] = &[
    "abort",
    "activate",
    "after",
    "animation",
    "appinstalled",
    "audio",
    "auxclick",
    "beforecopy",
    "before",
    "begin",
    "blur",
    "bounce",
    "cached",
    "cancel",
    "canplay",
    "cellchange",
    "change",
    "checking",
    "chargingchange",
    "click",
    "close",
    "command",
    "complete",
    "connect",
    "contentvisibility",
    "contextlost",
    "contextmenu",
    "contextrestored",
    "controlselect",
    "copy",
    "cuechange",
    "cut",
    "dataavailable",
    "datasetc",
    "dblclick",
    "deactivate",
    "device",
    "downloading",
    "drag",
    "drop",
    "durationchange",
    "emptied",
    "encrypted",
    "end",
    "enter",
    "error",
    "exit",
    "filterchange",
    "finish",
    "focus",
    "formchange",
    "formdata",
    "forminput",
    "fullscreen",
    "gamepad",
    "gesture",
    "gotpointer",
    "hashchange",
    "help",
    "input",
    "invalid",
    "key",
    "languagechange",
    "layoutcomplete",
    "load",
    "losecapture",
    "lostpointer",
    "media",
    "message",
    "mouse",
    "move",
    "moz",
    "ms",
    "noupdate",
    "obsolete",
    "offline",
    "orientation",
    "outofsync",
    "pagehide",
    "pageshow",
    "pagereveal",
    "pageswap",
    "paste",
    "pause",
    "play",
    "pointer",
    "popstate",
    "popup",
    "progress",
    "propertychange",
    "ratechange",
    "readystate",
    "redo",
    "rejection",
    "repeat",
    "reset",
    "resize",
    "resume",
    "reverse",
    "row",
    "scroll",
    "search",
    "securitypolicy",
    "seek",
    "select",
    "show",
    "slotchange",
    "stalled",
    "start",
    "stop",
    "storage",
    "submit",
    "suspend",
    "syncrestored",
    "timeerror",
    "timeout",
    "timeupdate",
    "toggle",
    "touch",
    "trackchange",
    "transition",
    "undo",
    "unhandled",
    "unload",
    "updateready",
    "urlflip",
    "volumechange",
    "waiting",
    "webkit",
    "wheel",
    "zoom",
];

/// Everyday words that begin with `on`.
const WORDS: &[&str] = &[
    "one",
    "ones",
    "once",
    "only",
    "onto",
    "onset",
    "online",
    "onward",
    "onwards",
    "ongoing",
    "onsite",
    "onion",
    "onboard",
    "onboarding",
    "onair",
    "onus",
    "ontology",
    "ondemand",
    "onscreen",
    "onstage",
    "ontario",
    "onyx",
    "onpage",
    "onsale",
    "ontime",
    "onhold",
    "onduty",
];

/// Whether `name` (lower case) is an event handler's.
pub fn handler(name: &[u8]) -> Option<Handler> {
    let event = name.strip_prefix(b"on")?;
    let event = event.strip_prefix(b"-").or_else(|| event.strip_prefix(b":")).unwrap_or(event);
    let letters = event.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if letters < 2 || WORDS.iter().any(|word| word.as_bytes() == name) {
        return None;
    }
    if EVENTS.iter().any(|known| event.starts_with(known.as_bytes())) {
        return Some(Handler::Known);
    }
    (letters >= 3 && event.iter().all(u8::is_ascii_alphanumeric)).then_some(Handler::Possible)
}

/// What an element can do by being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    /// Runs code.
    Script,
    /// Loads foreign content or changes how the page works.
    Loads,
    /// Needs attributes to do harm: [`powerful`].
    Needs,
    /// Opens another language, or draws a form: suspect, but at home in rich text too.
    Suspect,
    /// Loads content into browsers of old.
    Legacy,
    /// Style sheet.
    Style,
    /// Formatting, or not HTML at all.
    Plain,
}

/// Whether `name` is an instruction to a cache at the edge that assembles pages (Edge Side Includes).
pub fn is_edge_include(name: &Name) -> bool {
    matches!(
        name.as_bytes().strip_prefix(b"esi:"),
        Some(b"include" | b"inline" | b"vars" | b"assign" | b"eval" | b"function" | b"remove" | b"debug")
    )
}

/// What the element `name` can do.
pub fn power(name: &Name) -> Power {
    match name.local() {
        b"script" => Power::Script,
        b"vmlframe" | b"applet" | b"bgsound" | b"layer" | b"ilayer" | b"isindex" => Power::Legacy,
        b"iframe" | b"frame" | b"frameset" | b"object" | b"embed" | b"portal" | b"plaintext"
        | b"fencedframe" => Power::Loads,
        b"meta" | b"link" | b"base" | b"import" | b"xml" | b"animate" | b"set" | b"animatetransform"
        | b"animatemotion" | b"include" | b"param" | b"input" | b"button" | b"form" => Power::Needs,
        b"style" => Power::Style,
        b"svg" | b"math" | b"foreignobject" | b"template" | b"marquee" | b"xss" | b"keygen" | b"noembed"
        | b"xmp" => Power::Suspect,
        _ => Power::Plain,
    }
}

/// Whether the attribute makes the [`Power::Needs`] element dangerous.
pub fn powerful(element: &[u8], attribute: &[u8], value: &[u8]) -> bool {
    match element {
        b"meta" => meta(attribute, value),
        b"link" => link(attribute, value),
        b"base" => matches!(attribute, b"href" | b"target"),
        b"xml" => matches!(attribute, b"src" | b"datasrc" | b"id"),
        b"animate" | b"set" | b"animatetransform" | b"animatemotion" => {
            attribute == b"attributename"
                && (ends_with_href(value) || handler(Name::element(value).as_bytes()).is_some())
        }
        b"param" => attribute == b"name" && value.eq_ignore_ascii_case(b"movie"),
        b"form" => attribute == b"action" && value.contains(&b':'),
        b"input" | b"button" => matches!(attribute, b"formaction" | b"pattern"),
        _ => false,
    }
}

/// Every page says its character set and may say how old browsers shall read it; refreshing, setting cookies and
/// character sets that hide markup are another matter.
fn meta(attribute: &[u8], value: &[u8]) -> bool {
    let honest = |charset: &[u8]| {
        let charset = charset.trim_ascii().to_ascii_lowercase();
        [&b"utf-8"[..], b"utf8", b"iso-8859-", b"windows-12", b"shift_jis", b"euc-", b"gb", b"big5", b"koi8"]
            .iter()
            .any(|known| charset.starts_with(known))
    };
    let lower = value.get(..64).unwrap_or(value).to_ascii_lowercase();
    match attribute {
        b"http-equiv" => !matches!(&*lower, b"content-type" | b"x-ua-compatible" | b"content-language"),
        b"charset" => !honest(&lower),
        b"content" => memchr::memmem::find(&lower, b"charset=")
            .is_some_and(|at| !honest(lower.get(at + 8..).unwrap_or_default())),
        _ => false,
    }
}

/// A link that loads something, or one whose address is missing; feeds are full of the others.
fn link(attribute: &[u8], value: &[u8]) -> bool {
    const LOADING: [&[u8]; 7] =
        [b"stylesheet", b"import", b"manifest", b"preload", b"prefetch", b"modulepreload", b"prerender"];
    match attribute {
        b"rel" => value
            .split(u8::is_ascii_whitespace)
            .take(8)
            .any(|word| LOADING.iter().any(|loading| word.eq_ignore_ascii_case(loading))),
        // An address begins with a letter or a path; anything else is what is left of one.
        b"href" | b"xlink:href" => value
            .first()
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'/' | b'.' | b'#' | b'?')),
        _ => false,
    }
}

fn ends_with_href(value: &[u8]) -> bool {
    let start = value.len().saturating_sub(4);
    value.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(b"href"))
}

/// Attributes that are dangerous on any element.
pub fn dangerous_attribute(name: &[u8]) -> bool {
    matches!(
        name,
        b"srcdoc"
            | b"formaction"
            | b"dynsrc"
            | b"lowsrc"
            | b"datasrc"
            | b"fscommand"
            | b"seeksegmenttime"
            | b"xlink:href"
    )
}

/// Elements whose name, spelled with gaps, is no accident.
pub fn conspicuous(name: &[u8]) -> bool {
    matches!(
        name,
        b"script"
            | b"iframe"
            | b"frame"
            | b"form"
            | b"object"
            | b"embed"
            | b"style"
            | b"applet"
            | b"meta"
            | b"link"
            | b"body"
            | b"html"
            | b"base"
            | b"input"
            | b"image"
            | b"svg"
            | b"img"
            | b"video"
            | b"audio"
            | b"layer"
            | b"button"
            | b"select"
            | b"marquee"
            | b"isindex"
            | b"bgsound"
            | b"math"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_told_from_words() {
        for known in ["onload", "onpointerrawupdate", "onerror", "onbeforescriptexecute", "onzoom", "onend"] {
            assert_eq!(handler(known.as_bytes()), Some(Handler::Known), "{known}");
        }
        assert_eq!(handler(b"onabcdef"), Some(Handler::Possible));
        for word in ["one", "only", "once", "online", "on", "ontime", "title", "onab1"] {
            assert_eq!(handler(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn names_are_compared_without_case_nul_and_quotes() {
        assert_eq!(Name::element(b"scR\0ipt").as_bytes(), b"script");
        assert_eq!(Name::element(b"x:script").local(), b"script");
        assert_eq!(Name::attribute(b"x\"OnClick").as_bytes(), b"onclick");
    }
}
