//! The signs of markup.

/// A thing that markup in a value does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HtmlSign {
    /// `<script`, under any prefix.
    ScriptElement,
    /// `</script` alone.
    ScriptEnd,
    /// An event handler inside a tag.
    Handler,
    /// An event handler behind a quote or a gap that ends an attribute of the page.
    HandlerBreak,
    /// An event handler with code, without a break before it.
    HandlerText,
    /// `srcdoc`, `formaction` and their like inside a tag.
    DangerousAttribute,
    /// The same behind a quote that ends an attribute of the page.
    AttributeBreak,
    /// A script address as an attribute's value.
    ScriptUrl,
    /// `javascript:void(0)` and its like.
    FillerUrl,
    /// A script address where a value stands for an address.
    BareScriptUrl,
    /// `data:` with a document.
    DataUrl,
    /// An element that loads foreign content or changes the page.
    DangerousElement,
    /// An element that opens another language or draws a form.
    SuspectElement,
    /// An element of browsers of old.
    LegacyElement,
    /// `"><`, `--><`, `</title><`: an end of what the page had open, then markup.
    MarkupBreak,
    /// A dangerous element spelled with gaps.
    SpacedElement,
    /// `<!--#echo …`.
    ServerInclude,
    /// A schema or an inclusion fetched from elsewhere.
    RemoteSchema,
    /// `<style`.
    StyleElement,
    /// A style sheet that imports, or hides its words behind backslashes.
    StyleTrick,
    /// Style that runs code.
    StyleScript,
}
