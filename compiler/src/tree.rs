//! Source text to a spanned tree. The only module that knows the YAML parser: tags, merge keys, further documents and
//! repeated keys end here, aliases are shared and counted, nesting is bounded. It must not know the schema.

use std::collections::HashMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use waf_shared::limits::{CONFIG_DEPTH_MAX, CONFIG_NODES_MAX};

use crate::code;
use crate::diagnostic::{Sink, quoted};

/// A node of the document.
#[derive(Debug)]
pub(crate) struct Node {
    /// Line on which it begins; for a mapping in a list, the line of its dash.
    pub(crate) line: u32,
    /// Its value.
    pub(crate) value: Value,
    /// Nodes below and including it, every alias expanded.
    weight: usize,
}

/// The shape of a [`Node`].
#[derive(Debug)]
pub(crate) enum Value {
    /// Nothing was written, or `~` or `null`.
    Empty,
    /// Text; a plain one is read by the type of its field.
    Scalar {
        /// Unescaped.
        text: String,
        /// Written without quotes and not as a block.
        plain: bool,
    },
    /// A sequence.
    List(Vec<Rc<Node>>),
    /// A mapping, keys unique.
    Map(Vec<Entry>),
}

/// One key of a mapping.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The key's text.
    pub(crate) key: String,
    /// The key's line.
    pub(crate) line: u32,
    /// Its value.
    pub(crate) node: Rc<Node>,
}

impl Node {
    /// The value of `key`, if this is a mapping that has it.
    pub(crate) fn child(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &*entry.node),
            _ => None,
        }
    }

    /// The entries of a list, none for anything else.
    pub(crate) fn items(&self) -> &[Rc<Node>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Its text, if it is a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// Reads the one document of `text`. Faults that leave the tree usable are reported and reading goes on; `None` after
/// one that does not.
pub(crate) fn read(text: &str, sink: &mut Sink) -> Option<Rc<Node>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder {
        lines: text.split('\n').collect(),
        sink,
        stack: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
        root: None,
        documents: 0,
    };
    let mut parser: Parser<'_, StrInput<'_>> = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let step = match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => Err(builder.unreadable(line_of(error.marker().line()), error.info())),
        };
        if let Err(fatal) = step {
            builder.sink.error_with(code::SYNTAX, fatal.line, fatal.message, fatal.help.map(str::to_owned));
            return None;
        }
    }
    Some(builder.root.unwrap_or_else(|| Rc::new(Node { line: 1, value: Value::Empty, weight: 1 })))
}

/// A fault after which there is no tree.
struct Fatal {
    line: u32,
    message: String,
    help: Option<&'static str>,
}

fn fatal(line: u32, message: impl Into<String>) -> Fatal {
    Fatal { line, message: message.into(), help: None }
}

fn line_of(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX).max(1)
}

/// A collection whose end has not come yet.
struct Frame {
    line: u32,
    anchor: usize,
    weight: usize,
    content: Content,
}

enum Content {
    List(Vec<Rc<Node>>),
    Map { entries: Vec<Entry>, seen: HashMap<String, u32>, key: Option<Key> },
}

/// A key that waits for its value; a faulty one takes its value with it.
struct Key {
    text: String,
    line: u32,
    faulty: bool,
}

struct Builder<'a> {
    lines: Vec<&'a str>,
    sink: &'a mut Sink,
    stack: Vec<Frame>,
    anchors: HashMap<usize, Rc<Node>>,
    nodes: usize,
    root: Option<Rc<Node>>,
    documents: usize,
}

/// Remedy for a value that YAML takes for something else.
const QUOTES: &str = "a value that begins with `*`, `&`, `{`, `[`, `%`, `@` or a backquote needs quotes";

/// Remedy for a tab where YAML wants a space.
const TAB: &str = "a tab follows the colon or the dash: YAML wants a space there";

/// Remedy for lines that are indented by tabs.
const TAB_INDENT: &str = "the line is indented with a tab: YAML wants spaces";

impl Builder<'_> {
    /// The parser's message, and the most frequent reason for it.
    fn unreadable(&self, line: u32, info: &str) -> Fatal {
        let text = self.lines.get(line as usize - 1).copied().unwrap_or_default();
        // Behind the name of a field, a dash or the opening of a list.
        let begins = |mark: char| {
            let value =
                |start: &str| text.split(start).skip(1).any(|rest| rest.trim_start().starts_with(mark));
            value(": ") || value("- ") || value("[") || value(", ")
        };
        let indented = |line: u32| {
            let text = self.lines.get(line as usize - 1).copied().unwrap_or_default();
            text.split(|c: char| !c.is_whitespace()).next().is_some_and(|indent| indent.contains('\t'))
        };
        // The parser may report the line before.
        let help = if indented(line) || indented(line.saturating_add(1)) {
            Some(TAB_INDENT)
        } else if text.contains(":\t") || text.contains("-\t") {
            Some(TAB)
        } else {
            ['*', '&', '%', '@', '`'].into_iter().any(begins).then_some(QUOTES)
        };
        Fatal { line, message: format!("not valid YAML: {info}"), help }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Fatal> {
        let line = line_of(span.start.line());
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => self.document(line),
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id).cloned() else {
                    return Err(fatal(line, "an alias must not stand inside of its own anchor"));
                };
                self.count(node.weight, line)?;
                self.place(node, line);
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.tag(tag.is_some(), line);
                self.count(1, line)?;
                self.scalar(text.into_owned(), style, anchor, line);
                Ok(())
            }
            Event::SequenceStart(anchor, tag) => {
                self.tag(tag.is_some(), line);
                self.open(line, anchor, Content::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.tag(tag.is_some(), line);
                let in_list =
                    self.stack.last().is_some_and(|frame| matches!(frame.content, Content::List(_)));
                let line = if in_list { self.dash(line, span.start.col()) } else { line };
                self.open(line, anchor, Content::Map { entries: Vec::new(), seen: HashMap::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(frame) = self.stack.pop() {
                    let value = match frame.content {
                        Content::List(items) => Value::List(items),
                        Content::Map { entries, .. } => Value::Map(entries),
                    };
                    self.finish(frame.anchor, Node { line: frame.line, value, weight: frame.weight });
                }
                Ok(())
            }
        }
    }

    fn document(&mut self, line: u32) -> Result<(), Fatal> {
        self.documents += 1;
        if self.documents > 1 {
            return Err(fatal(line, "a second document is not allowed"));
        }
        Ok(())
    }

    fn scalar(&mut self, text: String, style: ScalarStyle, anchor: usize, line: u32) {
        let line = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.block_header(line),
            _ => line,
        };
        let plain = style == ScalarStyle::Plain;
        let value = if plain && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL") {
            Value::Empty
        } else {
            Value::Scalar { text, plain }
        };
        self.finish(anchor, Node { line, value, weight: 1 });
    }

    fn tag(&mut self, present: bool, line: u32) {
        if present {
            self.sink.error(code::SYNTAX, line, "tags are not supported");
        }
    }

    fn count(&mut self, nodes: usize, line: u32) -> Result<(), Fatal> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > CONFIG_NODES_MAX {
            let what =
                format!("the document has more than {CONFIG_NODES_MAX} nodes with its aliases expanded");
            return Err(fatal(line, what));
        }
        Ok(())
    }

    fn open(&mut self, line: u32, anchor: usize, content: Content) -> Result<(), Fatal> {
        self.count(1, line)?;
        if self.stack.len() >= CONFIG_DEPTH_MAX {
            return Err(fatal(line, format!("the document is nested deeper than {CONFIG_DEPTH_MAX} levels")));
        }
        self.stack.push(Frame { line, anchor, weight: 1, content });
        Ok(())
    }

    fn finish(&mut self, anchor: usize, node: Node) {
        let line = node.line;
        let node = Rc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.place(node, line);
    }

    /// Puts a complete node where it belongs: an entry of a list, a key, or a key's value.
    fn place(&mut self, node: Rc<Node>, line: u32) {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.weight = frame.weight.saturating_add(node.weight);
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Map { entries, seen, key } => match key.take() {
                None => *key = Some(read_key(&node, line, seen, self.sink)),
                Some(Key { faulty: true, .. }) => {}
                Some(Key { text, line, .. }) => entries.push(Entry { key: text, line, node }),
            },
        }
    }

    /// The line of a block scalar's `|` or `>`: the parser reports where its text begins.
    fn block_header(&self, line: u32) -> u32 {
        self.line_above(line).unwrap_or(line)
    }

    /// The line of the dash before a mapping that begins on a line of its own.
    fn dash(&self, line: u32, column: usize) -> u32 {
        let own = self.lines.get(line as usize - 1).copied().unwrap_or_default();
        if own.chars().take(column).any(|c| !c.is_whitespace()) {
            return line;
        }
        let mut above = line;
        while let Some(candidate) = self.line_above(above) {
            let text = self.lines.get(candidate as usize - 1).copied().unwrap_or_default();
            let text = text.split(" #").next().unwrap_or_default().trim();
            if text.ends_with('-') {
                return candidate;
            }
            if !text.is_empty() && !text.starts_with('#') {
                return line;
            }
            above = candidate;
        }
        line
    }

    /// The nearest line above that is not blank.
    fn line_above(&self, line: u32) -> Option<u32> {
        let above = self.lines.get(..line as usize - 1)?;
        let position = above.iter().rposition(|text| !text.trim().is_empty())?;
        Some(line_of(position + 1))
    }
}

fn read_key(node: &Node, line: u32, seen: &mut HashMap<String, u32>, sink: &mut Sink) -> Key {
    let text = match &node.value {
        Value::Scalar { text, .. } => text.clone(),
        Value::Empty => String::new(),
        Value::List(_) | Value::Map(_) => {
            let help = Some(QUOTES.to_owned());
            sink.error_with(code::SYNTAX, line, "a field's name must be a string", help);
            return Key { text: String::new(), line, faulty: true };
        }
    };
    if text == "<<" {
        sink.error(code::SYNTAX, line, "merge keys (`<<`) are not supported");
        return Key { text, line, faulty: true };
    }
    let first = seen.get(&text).copied();
    if let Some(first) = first {
        let what = format!("field {} is given more than once, first on line {first}", quoted(&text));
        sink.error(code::DUPLICATE_FIELD, line, what);
        return Key { text, line, faulty: true };
    }
    seen.insert(text.clone(), line);
    Key { text, line, faulty: false }
}
