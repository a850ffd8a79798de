//! The signs of template engines, and the syntaxes that expressions stand in.

/// The effect of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TemplateSign {
    /// It computes with constants alone: somebody asks whether it is evaluated.
    Probe,
    /// It runs code, reads files or reaches into the engine.
    Code,
    /// It walks from an object to the interpreter, as no template has to.
    Introspection,
}

/// The syntax that an expression stands in, as far as its meaning depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// `{{ … }}`
    Output,
    /// `{% … %}`
    Statement,
    /// `${ … }`, `*{ … }`, `%{ … }`, `~{ … }`
    Dollar,
    /// `#{ … }`
    Hash,
    /// `<% … %>`
    Tag,
    /// `<#assign … >`, `[#assign … ]`
    Directive,
    /// `#set( … )`, `$class. …`
    Velocity,
    /// `@( … )`, `@{ … }`
    Razor,
    /// `{ … }`
    Brace,
}
