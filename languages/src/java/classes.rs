//! Dotted Java names: which packages reach files, the network, reflection or an interpreter, which classes merely hold a
//! value, and which are links of the known deserialization chains. Lists of the platform and of libraries, no grammar.

/// The use of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JavaClass {
    /// It opens, loads, runs or reflects.
    Reaching,
    /// It holds a value; serializers write its name beside the value.
    Value,
    /// An exception: names of traces.
    Error,
}

/// Packages of the platform, and of libraries that interpret or load, whose names an ordinary client does not send.
const REACHING: &[&str] = &[
    "java.io",
    "java.net",
    "java.nio",
    "java.rmi",
    "java.beans",
    "java.lang",
    "java.security",
    "javax.script",
    "javax.naming",
    "javax.management",
    "javax.el",
    "javax.imageio",
    "jakarta.el",
    "com.sun",
    "sun.misc",
    "sun.reflect",
    "sun.rmi",
    "sun.net",
    "jdk.internal",
    "jdk.jshell",
    "jdk.nashorn",
    "org.omg",
    "org.apache.commons",
    "org.apache.struts",
    "org.apache.struts2",
    "org.apache.catalina",
    "org.apache.tomcat",
    "org.apache.xalan",
    "org.apache.bcel",
    "org.apache.velocity",
    "org.apache.naming",
    "org.apache.xbean",
    "com.opensymphony",
    "com.mchange",
    "com.bea",
    "weblogic",
    "ognl",
    "bsh",
    "javassist",
    "groovy.lang",
    "groovy.util",
    "org.codehaus.groovy",
    "freemarker.template",
    "freemarker.core",
    "org.mozilla.javascript",
    "org.springframework.expression",
    "org.springframework.context.support",
    "org.springframework.beans.factory",
    "org.python.util",
    "org.jruby",
];

/// Packages that are asked for by their own name, without a class.
const BARE: &[&str] = &[
    "java.lang.reflect",
    "com.sun.org.apache",
    "com.opensymphony.xwork",
    "com.opensymphony.xwork2",
    "org.apache.commons",
    "org.apache.struts",
    "org.apache.struts2",
    "org.omg.corba",
];

/// Classes of `java.lang` that hold a value.
const VALUES: &[&str] = &[
    "boolean",
    "byte",
    "character",
    "charsequence",
    "comparable",
    "double",
    "enum",
    "float",
    "integer",
    "iterable",
    "long",
    "number",
    "object",
    "record",
    "short",
    "string",
    "stringbuilder",
    "stringbuffer",
    "void",
];

/// Links of the deserialization chains in common libraries, in lower case.
const GADGETS: &[&str] = &[
    "annotationinvocationhandler",
    "badattributevalueexpexception",
    "chainedtransformer",
    "clonetransformer",
    "closuretransformer",
    "constanttransformer",
    "convertedclosure",
    "factorytransformer",
    "forclosure",
    "instantiatefactory",
    "instantiatetransformer",
    "invokertransformer",
    "jdbcrowsetimpl",
    "jndirefforwardingdatasource",
    "lazymap",
    "maptransformer",
    "methodclosure",
    "prototypeclonefactory",
    "prototypeserializationfactory",
    "switchtransformer",
    "templatesimpl",
    "tiedmapentry",
    "transformerclosure",
    "whileclosure",
    "wrapperconnectionpooldatasource",
];

/// Methods at the end of a chain that start a process, load code or reflect.
const CALLS: &[&str] = &[
    "getruntime",
    "forname",
    "loadclass",
    "defineclass",
    "getclassloader",
    "getsystemclassloader",
    "getdeclaredmethod",
    "getdeclaredmethods",
    "getdeclaredconstructor",
    "getdeclaredconstructors",
    "getdeclaredfield",
    "getenginebyname",
    "newinstance",
    "getprotectiondomain",
];

/// Segments of a property path beneath `class` that reach the loader.
const LOADER_PATH: &[&str] = &["classloader", "module", "protectiondomain", "declaredclasses"];

/// What `name` names, if it is a class (or a package) known here.
pub(super) fn kind(name: &[u8]) -> Option<JavaClass> {
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    if names_process(name, last) {
        return Some(JavaClass::Reaching);
    }
    if is_one(name, BARE) {
        return Some(JavaClass::Reaching);
    }
    let package = REACHING.iter().find(|package| is_within(name, package))?;
    let rest = name.get(package.len() + 1..)?;
    let class =
        rest.split(|byte| *byte == b'.').find(|part| part.first().is_some_and(u8::is_ascii_uppercase))?;
    if [&b"Exception"[..], b"Error", b"Throwable", b"Warning"].iter().any(|end| class.ends_with(end)) {
        return Some(JavaClass::Error);
    }
    let value = *package == "java.lang" && is_one(class, VALUES);
    Some(if value { JavaClass::Value } else { JavaClass::Reaching })
}

/// `java.Runtime`, `java.x.ProcessBuilder`: a process, under whatever package of `java`. `java.runtime.version` is a property.
fn names_process(name: &[u8], last: &[u8]) -> bool {
    let deep = memchr::memchr_iter(b'.', name).nth(1).is_some();
    is_within(name, "java")
        && (last.eq_ignore_ascii_case(b"processbuilder")
            || last == b"Runtime"
            || deep && last.eq_ignore_ascii_case(b"runtime"))
}

/// Whether a segment of `name` is a link of a deserialization chain.
pub(super) fn has_gadget(name: &[u8]) -> bool {
    name.rsplit(|byte| matches!(byte, b'.' | b'$')).take(4).any(|part| is_one(part, GADGETS))
}

/// Whether `name` is a chain that ends in one of [`CALLS`], as `Runtime.getRuntime` is. The chain may begin with a call of its own.
pub(super) fn ends_in_reaching_call(name: &[u8]) -> bool {
    is_one(name.rsplit(|byte| *byte == b'.').next().unwrap_or_default(), CALLS)
}

/// `class.module.classLoader.…` and its like.
pub(super) fn is_property_path(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| *byte == b'.').skip_while(|part| !part.eq_ignore_ascii_case(b"class"));
    let class = parts.next().is_some();
    class
        && parts.next().is_some_and(|part| is_one(part, LOADER_PATH))
        && parts.next().is_some_and(|part| !part.is_empty())
}

fn is_within(name: &[u8], package: &str) -> bool {
    name.get(..package.len()).is_some_and(|start| start.eq_ignore_ascii_case(package.as_bytes()))
        && name.get(package.len()) == Some(&b'.')
}

fn is_one(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_values_are_told_apart() {
        for (name, expected) in [
            ("java.io.File", Some(JavaClass::Reaching)),
            ("javax.script.ScriptEngineManager", Some(JavaClass::Reaching)),
            ("com.sun.org.apache", Some(JavaClass::Reaching)),
            ("java.lang.Integer", Some(JavaClass::Value)),
            ("java.lang.NullPointerException", Some(JavaClass::Error)),
            ("java.Runtime", Some(JavaClass::Reaching)),
            ("java.runtime.version", None),
            ("java.runtime", None),
            ("java.util.ArrayList", None),
            ("java.version", None),
            ("java.io.tmpdir", None),
            ("com.example.shop.Cart", None),
            ("org.apache.http.client", None),
        ] {
            assert_eq!(kind(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn only_paths_beneath_the_loader_count() {
        assert!(is_property_path(b"class.module.classLoader.resources.context.parent"));
        assert!(is_property_path(b"user.class.classLoader.URLs"));
        assert!(!is_property_path(b"class.name"));
        assert!(!is_property_path(b"class.module"));
        assert!(!is_property_path(b"css.class.modules.x"));
    }
}
