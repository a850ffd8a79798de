//! The signs of script.

/// A thing that script in a value does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JavascriptSign {
    /// `alert(1)`, `eval(…)`, `Function(…)` where an expression may stand.
    Call,
    /// `document.cookie`, `window.location` where an expression may stand.
    PageObject,
    /// `window['al'+'ert']`.
    ComputedMember,
    /// A function called by a template literal through `call` or `apply`.
    TaggedTemplate,
    /// A dangerous function handed over: `onerror=eval`, `[1].find(alert)`.
    Handover,
    /// `x.constructor('…')`, `String.fromCharCode(…)`.
    Detour,
    /// `'-f()-'`, `";f()//`: a string of the page is ended and a call made.
    StringBreak,
    /// `location='…'`, `x.innerHTML='<…'`.
    Assignment,
}
