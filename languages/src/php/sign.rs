//! The signs of PHP.

/// A thing that PHP code or data shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhpSign {
    /// `<?php`, `<?=`, `<?`, or the tags of a template engine that runs PHP.
    OpenTag,
    /// A call of a function that runs code, reads files or opens connections, and that only PHP has.
    DangerousCall,
    /// A call of another function that only PHP has.
    PhpCall,
    /// A call of a function whose name other languages and prose have as well.
    SharedCall,
    /// A call of a function that is listed for completeness.
    OtherCall,
    /// A comment stands between a function's name and its parenthesis.
    CommentedCall,
    /// A call whose argument is read from the request: `f($_GET[…`.
    TaintedCall,
    /// A call of a value: `$f(…)`, `$f[0](…)`, `$o->$m(…)`.
    VariableCall,
    /// A call of a name that is written as an expression: `('sys'.'tem')(…)`.
    IndirectCall,
    /// A variable that holds the request or the server: `$_GET`, `$GLOBALS`.
    Superglobal,
    /// A variable whose name is an expression: `${'a'}`.
    VariableVariable,
    /// A stream wrapper: `php://input`, `phar://…`.
    Wrapper,
    /// A serialized object.
    Serialized,
    /// A directive of `php.ini` is set.
    Directive,
}
