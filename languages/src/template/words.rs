//! Words that expressions of template engines use, by what they are there for.

use std::sync::LazyLock;

use crate::table::Table;

/// The meaning of a known name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// An attribute of Python objects that leads from one to the interpreter.
    Dunder,
    /// A name that no template needs: it is a step to the interpreter wherever it stands.
    Step,
    /// The same when it is called.
    StepCall,
    /// Called, it runs a command or code, or reads or writes files.
    Run,
    /// Called on an object, it reflects or runs; alone it may be anything.
    Method,
    /// An object whose methods run commands or reach files.
    Receiver,
    /// An object of the engine or the framework that holds secrets.
    Engine,
}

/// In alphabetical order, in lower case.
const WORDS: &[(&str, Class)] = &[
    ("__base__", Class::Dunder),
    ("__bases__", Class::Dunder),
    ("__builtins__", Class::Step),
    ("__class__", Class::Dunder),
    ("__code__", Class::Dunder),
    ("__dict__", Class::Dunder),
    ("__getattribute__", Class::Dunder),
    ("__getitem__", Class::Dunder),
    ("__globals__", Class::Step),
    ("__import__", Class::StepCall),
    ("__init__", Class::Dunder),
    ("__loader__", Class::Dunder),
    ("__mro__", Class::Dunder),
    ("__reduce__", Class::Dunder),
    ("__self__", Class::Dunder),
    ("__subclasses__", Class::Dunder),
    ("_context", Class::Engine),
    ("_memberaccess", Class::Step),
    ("_mmarker", Class::Step),
    ("_nsattr__parent", Class::Step),
    ("_self", Class::Engine),
    ("_templatereference__context", Class::Step),
    ("_with_template", Class::Step),
    ("app", Class::Engine),
    ("application", Class::Engine),
    ("array_map", Class::Run),
    ("builtins", Class::Receiver),
    ("call_user_func", Class::Run),
    ("check_output", Class::Run),
    ("child_process", Class::Step),
    ("classloader", Class::Step),
    ("code", Class::Receiver),
    ("commands", Class::Receiver),
    ("config", Class::Engine),
    ("create_function", Class::Run),
    ("createobject", Class::Run),
    ("defineclass", Class::StepCall),
    ("dir", Class::Receiver),
    ("eval", Class::Run),
    ("exec", Class::Run),
    ("execfile", Class::Run),
    ("execsync", Class::Run),
    ("facescontext", Class::Engine),
    ("file", Class::Receiver),
    ("file_excerpt", Class::Run),
    ("file_get_contents", Class::Run),
    ("file_put_contents", Class::Run),
    ("forname", Class::StepCall),
    ("get_admin_log", Class::Run),
    ("getclass", Class::Method),
    ("getclassloader", Class::StepCall),
    ("getconstructor", Class::Method),
    ("getconstructors", Class::Method),
    ("getdeclaredconstructor", Class::StepCall),
    ("getdeclaredconstructors", Class::StepCall),
    ("getdeclaredmethod", Class::StepCall),
    ("getdeclaredmethods", Class::StepCall),
    ("getenginebyname", Class::StepCall),
    ("getinputstream", Class::Method),
    ("getmethod", Class::Method),
    ("getmethods", Class::Method),
    ("getprotectiondomain", Class::StepCall),
    ("getresource", Class::Method),
    ("getresourceasstream", Class::Method),
    ("getruntime", Class::StepCall),
    ("groovyclassloader", Class::Step),
    ("groovyshell", Class::Step),
    ("ini_set", Class::Run),
    ("instance_eval", Class::Method),
    ("invoke", Class::Method),
    ("io", Class::Receiver),
    ("kernel", Class::Receiver),
    ("loadclass", Class::StepCall),
    ("loadtemplate", Class::Run),
    ("mainmodule", Class::Step),
    ("mro", Class::Method),
    ("newinstance", Class::StepCall),
    ("open3", Class::Receiver),
    ("open4", Class::Receiver),
    ("os", Class::Receiver),
    ("pagecontext", Class::Engine),
    ("parseclass", Class::Method),
    ("passthru", Class::Run),
    ("pcntl_exec", Class::Run),
    ("phpinfo", Class::Run),
    ("popen", Class::Run),
    ("popen3", Class::Run),
    ("proc_open", Class::Run),
    ("process", Class::Receiver),
    ("processbuilder", Class::Step),
    ("protectiondomain", Class::Step),
    ("pty", Class::Receiver),
    ("readallbytes", Class::Method),
    ("readdirsync", Class::Run),
    ("readfile", Class::Run),
    ("readfilesync", Class::Run),
    ("registerundefinedfiltercallback", Class::Step),
    ("registerundefinedfunctioncallback", Class::Step),
    ("request", Class::Engine),
    ("scriptenginemanager", Class::Step),
    ("self", Class::Engine),
    ("session", Class::Engine),
    ("setcache", Class::Method),
    ("setresponseheader", Class::Run),
    ("settings", Class::Engine),
    ("shell_exec", Class::Run),
    ("show_source", Class::Run),
    ("smarty_internal_write_file", Class::Step),
    ("spawn", Class::Run),
    ("spawnsync", Class::Run),
    ("subclasses", Class::Method),
    ("subprocess", Class::Receiver),
    ("sys", Class::Receiver),
    ("system", Class::Run),
    ("tourl", Class::Method),
    ("var_dump", Class::Run),
    ("waitfor", Class::Method),
    ("writefile", Class::Run),
    ("writefilesync", Class::Run),
];

/// Methods of [`Class::Receiver`]s that run commands or reach files.
const RECEIVED: &[&str] = &[
    "binread",
    "call",
    "eval_string",
    "capture2",
    "capture2e",
    "capture3",
    "chdir",
    "children",
    "cmd",
    "entries",
    "environ",
    "exec",
    "fork",
    "getcwd",
    "getoutput",
    "glob",
    "listdir",
    "modules",
    "new",
    "open",
    "pipeline",
    "popen",
    "popen2",
    "popen2e",
    "popen3",
    "popen4",
    "read",
    "readlines",
    "run",
    "scandir",
    "shell",
    "spawn",
    "start",
    "syscall",
    "sysopen",
    "system",
    "unlink",
    "write",
];

/// Members of [`Class::Engine`] objects that hold secrets or lead on.
const HELD: &[&str] = &[
    "add_extension",
    "env",
    "environ",
    "environment",
    "from_envvar",
    "from_object",
    "from_pyfile",
    "getattribute",
    "getcharset",
    "getfilter",
    "items",
    "iteritems",
    "keys",
    "runtime_config",
    "secret_key",
    "server",
    "setattribute",
    "setcache",
    "template",
    "values",
    "application",
];

/// The longest of [`WORDS`].
const WORD_BYTES_MAX: usize = 40;

/// The class of a known `word`.
pub(super) fn class(word: &[u8]) -> Option<Class> {
    static TABLE: LazyLock<Table<Class>> = LazyLock::new(|| Table::new(WORDS.iter().copied()));
    let mut lower = [0_u8; WORD_BYTES_MAX];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    TABLE.find(lower)
}

/// Returns `true` if a receiver's `member` runs commands or reaches files.
pub(super) fn is_received(member: &[u8]) -> bool {
    is_one(member, RECEIVED)
}

/// Returns `true` if an engine object's `member` holds secrets or leads on.
pub(super) fn is_held(member: &[u8]) -> bool {
    is_one(member, HELD)
}

/// Returns `true` if `word` is one of `list`, whatever its case.
pub(super) fn is_one(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_short() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(WORDS.iter().all(|(word, _)| word.len() <= WORD_BYTES_MAX));
        assert_eq!(class(b"GetRuntime"), Some(Class::StepCall));
        assert_eq!(class(&[b'a'; 100]), None);
    }
}
