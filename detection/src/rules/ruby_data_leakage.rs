//! Rules of this bucket: Ruby's and Rails' errors and templates in responses.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::response_pattern::{Kind, MatchContext};
use crate::response_pattern::{checked, leads, raw};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket { rules: &[&[&ERROR, &TEMPLATE]], detectors: &[] };

static ERROR: Rule = Rule {
    id: "ruby-data-leakage-version-info/error",
    leaf: Leaf::RubyDataLeakageVersionInfo,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("ActiveRecord::", "@", is_reported),
        checked("ActionView::", "@", is_reported),
        checked("ActionController::", "@", is_reported),
        checked("ActionDispatch::", "@", is_reported),
        checked("ActiveModel::", "@", is_reported),
        checked("ActiveSupport::", "@", is_reported),
        checked("ActiveJob::", "@", is_reported),
        checked("AbstractController::", "@", is_reported),
        checked("Rack::", "@", is_reported),
        checked("Sinatra::", "@", is_reported),
        checked("Psych::", "@", is_reported),
        checked("JSON::ParserError", "", is_reported),
        checked("Errno::E", "@", is_reported),
        checked("Encoding::", "@", is_reported),
        checked("Net::", "@", is_reported),
        checked("Timeout::Error", "", is_reported),
        leads("SyntaxError (", "~.rb:#"),
        leads("SyntaxError: ", "~.rb:#"),
        leads("NoMethodError", "~undefined method "),
        leads("NoMethodError", "~private method "),
        leads("NameError", "~undefined local variable or method "),
        leads("NameError", "~uninitialized constant "),
        leads("LoadError", "~cannot load such file"),
        leads("LoadError", "~no such file to load"),
        leads("TypeError", "~no implicit conversion "),
        leads("TypeError", "~can't be coerced into "),
        leads("TypeError", "~can't convert "),
        leads("ArgumentError", "~wrong number of arguments (given "),
        leads("ArgumentError", "~wrong number of arguments ("),
        leads("ArgumentError", "~comparison of "),
        leads("ArgumentError", "~invalid value for "),
        leads("ArgumentError", "~missing keyword"),
        leads("ArgumentError", "~unknown keyword"),
        leads("ArgumentError", "~invalid byte sequence in "),
        leads("ZeroDivisionError", "~divided by 0"),
        leads("FrozenError", "~can't modify frozen "),
        leads("KeyError", "~key not found: "),
        leads("IndexError", "~index "),
        leads("StopIteration", "~iteration reached an end"),
        leads("FloatDomainError", ": @"),
        leads("LocalJumpError", "~no block given"),
        leads("SystemStackError", "~stack level too deep"),
        leads("NoMemoryError", "~failed to allocate"),
        leads("NotImplementedError", "~.rb:#"),
        leads("RuntimeError", "~.rb:#"),
        leads("StandardError", "~.rb:#"),
        leads("RegexpError", ": "),
        leads("ThreadError", ": "),
        leads("FiberError", ": "),
        checked(".rb:", "#", is_frame),
        raw("<title>Action Controller: Exception caught</title>", ""),
    ]),
    summary: "The response reports an error of Ruby or Rails as the framework words it.",
    attacks: &[
        "SyntaxError (/srv/app/controllers/posts_controller.rb:10: syntax error, unexpected keyword_end)",
        "ActiveRecord::RecordNotFound (Couldn't find Post with 'id'=999)",
        "TypeError: no implicit conversion of String into Integer",
        "ArgumentError: wrong number of arguments (given 0, expected 1)",
        "<h1>NoMethodError in PostsController#index</h1><h2>undefined method `name' for nil:NilClass</h2><pre>app/controllers/posts_controller.rb:7:in `index'</pre>",
        "{\"status\":404,\"exception\":\"#<ActionController::RoutingError: No route matches [GET] \\\"/x\\\">\",\"error\":\"ActionController::RoutingError: No route matches\"}",
        "Errno::ENOENT: No such file or directory @ rb_sysopen - /etc/x",
    ],
    benign: &[
        "TypeError: Cannot read properties of undefined (reading 'id')",
        "var messages = {fileuploaderror: 'The file could not be uploaded', loaderror: 'Could not load'};",
        "<p>Rails raises ActiveRecord::RecordNotFound when there is no such row.</p>",
        "{\"title\":\"NoMethodError: undefined method 'x' for nil\",\"tags\":[\"ruby\"]}",
        "<pre><code>ActiveRecord::Base.establish_connection</code></pre>",
        "class Post < ActiveRecord::Base",
    ],
};

/// `Module::SomeError` with a message.
fn is_reported(context: &MatchContext<'_>) -> bool {
    let text = context.after();
    let end = text
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || *b == b':' || *b == b'_'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, b""));
    let with_colon = name.ends_with(b":");
    let name = name.strip_suffix(b":").unwrap_or(name);
    let said = with_colon && rest.starts_with(b" ") || rest.starts_with(b" (") || rest.starts_with(b" in ");
    let kinds = [
        &b"Error"[..],
        b"NotFound",
        b"Invalid",
        b"NotUnique",
        b"Missing",
        b"Exception",
        b"Timeout",
        b"NotSaved",
        b"NotDestroyed",
        b"AuthenticityToken",
        b"UnknownFormat",
        b"UnknownAction",
        b"ReadOnlyRecord",
        b"Deadlocked",
        b"ENOENT",
        b"EACCES",
        b"ECONNREFUSED",
        b"ECONNRESET",
        b"EPIPE",
        b"EEXIST",
        b"EISDIR",
        b"ENOTDIR",
        b"EINVAL",
        b"ETIMEDOUT",
        b"ENOTEMPTY",
        b"ENOSPC",
        b"EHOSTUNREACH",
        b"SyntaxError",
        b"DisallowedClass",
        b"UnpermittedParameters",
        b"StatementInvalid",
        b"Rollback",
        b"NotSerializable",
        b"SerializationFailure",
    ];
    said && kinds.iter().any(|kind| name.ends_with(kind)) && context.leads()
}

/// ``app/models/post.rb:12:in `save'``.
fn is_frame(context: &MatchContext<'_>) -> bool {
    let digits = context.after().iter().skip(4).take_while(|b| b.is_ascii_digit()).count();
    let rest = context.after().get(4 + digits..).unwrap_or_default();
    let path = context
        .before()
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || b"_./-@+".contains(b))
        .count();
    let frame =
        [&b":in `"[..], b":in '", b":in &#39;", b":in &#x27;"].iter().any(|mark| rest.starts_with(mark));
    path > 0 && frame && context.is_spoken()
}

static TEMPLATE: Rule = Rule {
    id: "ruby-data-leakage-source-code/template",
    leaf: Leaf::RubyDataLeakageSourceCode,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[checked("<%", "", is_template)]),
    summary: "The response carries a Ruby template that was not rendered.",
    attacks: &[
        "<%= link_to user.name, user_path(user) %>",
        "<ul><% @posts.each do |post| %><li><%= post.title %></li><% end %></ul>",
        "<%= form_for @user do |f| %>",
        "<% if current_user.admin? %>",
        "<%- require 'json' -%>",
    ],
    benign: &[
        "<%- sidebar.id %>",
        "<script type=\"text/template\"><% if (user.name) { %><b><%= user.name %></b><% } %></script>",
        "<%@ page language=\"java\" %>",
        "Sales rose by <% 5",
        "<pre><code>&lt;%= link_to 'x' %&gt;</code></pre>",
    ],
};

/// A template tag whose code is Ruby's: its words, its blocks, its variables.
fn is_template(context: &MatchContext<'_>) -> bool {
    const WORDS: &[&str] = &[
        "end",
        "else",
        "require",
        "unless",
        "elsif",
        "yield",
        "render",
        "link_to",
        "form_for",
        "form_with",
        "form_tag",
        "image_tag",
        "content_for",
        "puts",
        "begin",
        "rescue",
        "def",
        "include",
        "stylesheet_link_tag",
        "javascript_include_tag",
        "csrf_meta_tags",
        "t",
        "raw",
    ];
    let text = context.after().get(2..).unwrap_or_default();
    let Some(end) = memchr::memmem::find(text, b"%>") else { return false };
    let code = text.get(..end).unwrap_or_default();
    let code = code.strip_prefix(b"=").or_else(|| code.strip_prefix(b"-")).unwrap_or(code);
    let code = code.strip_suffix(b"-").unwrap_or(code).trim_ascii();
    let word = code.split(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).next().unwrap_or_default();
    let has = |words: &[u8]| memchr::memmem::find(code, words).is_some();
    let is_ruby = code.starts_with(b"@") && !code.starts_with(b"@ ")
        || has(b" do |")
        || code.ends_with(b" do")
        || has(b"params[:")
        || has(b".each ")
        || code.ends_with(b"?")
        || WORDS.iter().any(|ruby| word == ruby.as_bytes()) && !has(b"{");
    is_ruby && !matches!(context.kind(), Kind::Json | Kind::Script) && context.is_spoken()
}
