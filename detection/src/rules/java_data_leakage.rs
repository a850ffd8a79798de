//! Rules of this bucket: Java exceptions and stack traces in responses.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::response_pattern::{MatchContext, shape_length};
use crate::response_pattern::{checked, leads, raw};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket { rules: &[&[&EXCEPTION, &FRAME]], detectors: &[] };

static EXCEPTION: Rule = Rule {
    id: "java-data-leakage-stack-trace/exception",
    leaf: Leaf::JavaDataLeakageStackTrace,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("java.lang.", "@", is_thrown),
        checked("java.io.", "@", is_thrown),
        checked("java.net.", "@", is_thrown),
        checked("java.nio.", "@", is_thrown),
        checked("java.sql.", "@", is_thrown),
        checked("java.util.", "@", is_thrown),
        checked("java.security.", "@", is_thrown),
        checked("java.beans.", "@", is_thrown),
        checked("java.rmi.", "@", is_thrown),
        checked("java.text.", "@", is_thrown),
        checked("java.time.", "@", is_thrown),
        checked("javax.", "@", is_thrown),
        checked("jakarta.", "@", is_thrown),
        checked("sun.", "@", is_thrown),
        checked("com.sun.", "@", is_thrown),
        checked("org.apache.", "@", is_thrown),
        checked("org.springframework.", "@", is_thrown),
        checked("org.hibernate.", "@", is_thrown),
        checked("org.eclipse.jetty.", "@", is_thrown),
        checked("org.jboss.", "@", is_thrown),
        checked("freemarker.", "@", is_thrown),
        checked("ognl.", "@", is_thrown),
        checked("groovy.lang.", "@", is_thrown),
        checked("scala.", "@", is_thrown),
        checked("kotlin.", "@", is_thrown),
        checked("weblogic.", "@", is_thrown),
        checked("com.ibm.ws.", "@", is_thrown),
        checked("com.fasterxml.jackson.", "@", is_thrown),
        leads("at java.", "@"),
        leads("at javax.", "@"),
        leads("at jakarta.", "@"),
        leads("at sun.reflect.", "@"),
        leads("at org.apache.", "@"),
        leads("at org.springframework.", "@"),
        raw("toggle('full exception chain stacktrace')", ""),
        leads("Exception in thread \"", "~\" @"),
        raw("<p><b>Root Cause</b></p><pre>", ""),
        raw("<b>root cause</b> <pre>", ""),
        raw("<p><b>Exception</b></p><pre>", "@"),
        raw("<b>exception</b> <pre>", "@"),
    ]),
    summary: "The response reports a Java exception by its class.",
    attacks: &[
        "java.lang.NullPointerException",
        "javax.servlet.ServletException: Error occurred during request processing",
        "<html><body><h1>HTTP Status 500</h1><p><b>Exception</b></p><pre>java.lang.IllegalStateException: closed\n\tcom.example.Shop.pay(Shop.java:42)\n</pre></body></html>",
        "{\"timestamp\":1,\"status\":500,\"exception\":\"java.lang.IllegalArgumentException\",\"path\":\"/pay\"}",
        "Error: org.springframework.web.util.NestedServletException: Request processing failed",
    ],
    benign: &[
        "{\"type\":\"java.lang.String\",\"name\":\"customer\"}",
        "{\"title\":\"java.lang.NullPointerException in my servlet\",\"answers\":2}",
        "<p>A java.lang.NullPointerException is thrown when a reference is null.</p>",
        "<article><pre><code>java.lang.NullPointerException: Cannot invoke \"String.length()\"\n\tat Main.main(Main.java:5)\n</code></pre></article>",
        "<li><a href=\"/java/lang/NullPointerException.html\">java.lang.NullPointerException</a></li>",
        "We use java.util.List and java.util.Map everywhere.",
    ],
};

/// Whether an exception class is what the server reports.
fn is_thrown(context: &MatchContext<'_>) -> bool {
    let Some(length) = shape_length(context.after(), "@") else { return false };
    let name = context.after().get(..length).unwrap_or_default();
    let name = name.strip_suffix(b".").unwrap_or(name);
    let rest = context.after().get(length..).unwrap_or_default();
    let is_exception = name.ends_with(b"Exception") || name.ends_with(b"Error");
    let apart = !context.before().last().is_some_and(|b| b.is_ascii_alphanumeric() || b"_.$/-".contains(b));
    // What follows a class that was thrown: its message, or nothing on its line. Prose goes on in words.
    let line = rest.split(|byte| matches!(byte, b'\n' | b'<' | 0x1e)).next().unwrap_or_default();
    let ends = line.trim_ascii().is_empty() || line.starts_with(b":") || line.starts_with(b" (");
    // `class java.lang.NullPointerException`, as `getClass()` prints it.
    let named = usize::from(context.before().ends_with(b"class ")) * b"class ".len();
    is_exception && apart && ends && context.back(named).leads()
}

static FRAME: Rule = Rule {
    id: "java-data-leakage-stack-trace/frame",
    leaf: Leaf::JavaDataLeakageStackTrace,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked(".java:", "#", is_frame),
        checked(".kt:", "#", is_frame),
        checked(".scala:", "#", is_frame),
        checked(".groovy:", "#", is_frame),
        checked("(Native Method)", "", is_frame),
        checked("(Unknown Source)", "", is_frame),
    ]),
    summary: "The response carries a frame of a Java stack trace.",
    attacks: &[
        "Oops\n\tat com.example.Shop.pay(Shop.java:42)\n\tat com.example.Main.main(Main.java:7)\n",
        "{\"status\":500,\"trace\":\"x\\n\\tat com.example.Api.get(Api.kt:12)\\n\"}",
        "<html><body><pre>   at com.example.Shop.pay(Shop.java:42)\n</pre></body></html>",
        "<div>at sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)</div>",
    ],
    benign: &[
        "The bug is in Shop.java:42, said the reviewer.",
        "<pre class=\"highlight\">\tat com.example.Shop.pay(Shop.java:42)</pre>",
        "<p>See <code>at com.example.Shop.pay(Shop.java:42)</code></p>",
        "Meet me at the shop (Unknown Source) on Monday",
    ],
};

/// `at package.Class.method(File.java:12)`, the sign being somewhere in the parentheses.
fn is_frame(context: &MatchContext<'_>) -> bool {
    let at_parenthesis = context.after().starts_with(b"(");
    let file = if at_parenthesis {
        0
    } else {
        let name =
            context.before().iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        if !context.before().get(..context.before().len() - name).unwrap_or_default().ends_with(b"(")
            || name == 0
        {
            return false;
        }
        name + 1
    };
    let before = context.before();
    let before = before.get(..before.len().saturating_sub(file)).unwrap_or_default();
    let method =
        before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_.$<>/@".contains(b)).count();
    let call = before.get(before.len() - method..).unwrap_or_default();
    let lead = before.get(..before.len() - method).unwrap_or_default();
    let dots = memchr::memchr_iter(b'.', call).count();
    dots >= 2 && lead.ends_with(b"at ") && context.is_frame()
}
