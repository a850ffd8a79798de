//! The service's log on stderr: one JSON object a line, text on a terminal, the same in the supervisor and in its
//! workers. It knows how a line looks, nothing of what is logged.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use waf_shared::text::{escaped, is_escaped, push_escape};

/// Sends every event of at least this level to stderr; `worker` is the number of a worker process.
pub fn init(level: Level, worker: Option<u64>) {
    // NO_COLOR and terminals without colours are known there.
    let has_colours = || anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let style = match io::stderr().is_terminal() {
        true if has_colours() => Style::Colours,
        true => Style::Text,
        false => Style::Json,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .event_format(Line { style, worker })
        .finish();
    // It fails only when a log was set up before, which then stays.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

#[derive(Debug, Clone, Copy)]
enum Style {
    Json,
    Text,
    /// Text whose level has a colour.
    Colours,
}

struct Line {
    style: Style,
    worker: Option<u64>,
}

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut fields = Fields::default();
        event.record(&mut fields);
        writer.write_str(&self.line(&time, event.metadata(), fields))
    }
}

impl Line {
    fn line(&self, time: &str, meta: &tracing::Metadata<'_>, fields: Fields) -> String {
        let mut line = String::with_capacity(256);
        match self.style {
            Style::Json => {
                let _ = write!(line, "{{\"timestamp\":{},\"level\":\"{}\"", Value::from(time), meta.level());
                let _ = write!(line, ",\"message\":{}", Value::from(fields.message));
                if let Some(worker) = self.worker {
                    let _ = write!(line, ",\"worker\":{worker}");
                }
                for (name, value) in &fields.others {
                    let _ = write!(line, ",{}:{value}", Value::from(name.as_str()));
                }
                let _ = write!(line, ",\"target\":{}}}", Value::from(meta.target()));
            }
            Style::Text | Style::Colours => {
                let _ = write!(line, "{time} {:>5} ", meta.level());
                if let Some(worker) = self.worker {
                    let _ = write!(line, "[worker {worker}] ");
                }
                // What is logged may quote a client or a file; a terminal must not obey it.
                for character in fields.message.chars() {
                    match character {
                        '\t' | '\n' | '\r' => line.push(' '),
                        other if is_escaped(other) => push_escape(&mut line, other),
                        other => line.push(other),
                    }
                }
                for (name, value) in &fields.others {
                    let _ = write!(line, " {name}={value}");
                }
            }
        }
        // In values of fields JSON has escaped no more than it must.
        let mut line = escaped(&line);
        line.push('\n');
        if let Style::Colours = self.style {
            // The time holds no such word, and stands before everything that may quote others.
            let level = format!("{:>5}", meta.level());
            line = line.replacen(&level, &format!("{}{level}\u{1b}[0m", colour(*meta.level())), 1);
        }
        line
    }
}

/// The sequence that begins the colour of a level.
fn colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\u{1b}[31m",
        Level::WARN => "\u{1b}[33m",
        Level::INFO => "\u{1b}[32m",
        _ => "\u{1b}[2m",
    }
}

/// An event's fields, its message apart.
#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.others.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            _ => self.put(field, value),
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let mut text = value.to_string();
        let mut cause = value.source();
        while let Some(inner) = cause {
            let _ = write!(text, ": {inner}");
            cause = inner.source();
        }
        self.put(field, text);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            _ => self.put(field, format!("{value:?}")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(style: Style, log: impl FnOnce()) -> String {
        let written = Written::default();
        let target = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || target.clone())
            .event_format(Line { style, worker: Some(3) })
            .finish();
        tracing::subscriber::with_default(subscriber, log);
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    fn logged(style: Style) -> String {
        written(style, || {
            let error = io::Error::other("disk \"full\"");
            tracing::warn!(error = &error as &dyn std::error::Error, route = "shop", count = 2, "a\nb");
        })
    }

    #[test]
    fn a_json_line_is_one_object() {
        let line = logged(Style::Json);
        assert_eq!(line.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["level"], "WARN");
        assert_eq!(value["message"], "a\nb");
        assert_eq!(value["worker"], 3);
        assert_eq!(value["count"], 2);
        assert_eq!(value["error"], "disk \"full\"");
        assert!(value["timestamp"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn a_text_line_carries_no_control_characters() {
        let line = logged(Style::Text);
        assert!(
            line.contains(" WARN [worker 3] a b count=2 error=\"disk \\\"full\\\"\" route=\"shop\"\n"),
            "{line}"
        );
    }

    #[test]
    fn on_a_terminal_the_level_alone_has_a_colour() {
        let line = written(Style::Colours, || tracing::warn!("a WARN \u{1b}[31m b"));
        assert!(line.contains("\u{1b}[33m WARN\u{1b}[0m [worker 3] a WARN "), "{line:?}");
        assert_eq!(line.matches('\u{1b}').count(), 2, "{line:?}");
    }

    #[test]
    fn a_line_carries_nothing_that_a_terminal_or_a_reader_obeys() {
        let hostile =
            "a\u{9b}31mb\u{1b}]0;t\u{7}c\u{7f}d\u{85}e\u{2028}f\u{2029}g\u{202e}h\u{2066}i\u{200f}j\u{61c}k";
        let honest = "na\u{ef}ve \u{5e9}\u{5dc}\u{5d5}\u{5dd}";
        for style in [Style::Json, Style::Text] {
            let line = written(style, || tracing::warn!(value = hostile, honest, "{hostile}"));
            let text = line.strip_suffix('\n').unwrap();
            assert!(!text.chars().any(is_escaped), "{style:?}: {line:?}");
            assert_eq!(text.matches("\\u202e").count(), 2, "{style:?}: {line}");
            assert!(text.contains(honest), "{style:?}: {line}");
        }
        let line = written(Style::Json, || tracing::warn!(value = hostile, "x"));
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["value"], hostile);
    }
}
