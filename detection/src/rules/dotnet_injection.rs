//! Rules about .NET: types that a serializer would load, streams of its formatters, directives of server pages. What the bytes
//! hold, the languages say; here it is weighed by where they stand.

use waf_languages::dotnet::{Dotnet, DotnetSign};
use waf_languages::language::Context;
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &TYPE,
        &TYPE_IN_TEXT,
        &STREAM,
        &STREAM_BASE64,
        &STREAM_HEX,
        &FORMATTER,
        &MARKUP,
        &DIRECTIVE,
        &REQUEST_EXECUTED,
        &SHELL_OBJECT,
    ]],
    detectors: &[&DETECTOR],
};

/// Reads names of types.
static DETECTOR: Detector = Detector::of::<Dotnet>(Places::REQUEST, run);

/// Members of documents that name the type of a value.
const TYPES: &[&str] = &["__type", "$type", "@class", "$class"];

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Dotnet, _>(subject, |finding| match (finding.sign, finding.context == Context::Prose) {
        (DotnetSign::TypeName, false) => Some(&TYPE),
        (DotnetSign::TypeName, true) => Some(&TYPE_IN_TEXT),
        (DotnetSign::SoleName, _) => names_type(subject).then_some(&TYPE),
    });
}

/// Returns `true` for a member of a document that says of what type a value is.
fn names_type(subject: &Subject<'_>) -> bool {
    let last = subject.name.rsplit(|byte| matches!(byte, b'.' | b']' | b'[')).next().unwrap_or_default();
    subject.place == Place::Json && TYPES.iter().any(|known| known.as_bytes() == last)
}

static TYPE: Rule = Rule {
    id: "dotnet-injection-serialized-objects/type",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A .NET type that starts processes, loads code or opens files is named as a serializer reads it.",
    attacks: &[
        "System.Windows.Data.ObjectDataProvider, PresentationFramework, Version=4.0.0.0",
        "System.Configuration.Install.AssemblyInstaller, System.Configuration.Install",
        "<root type=\"System.Data.Services.Internal.ExpandedWrapper`2\"/>",
        "List`1[[System.Windows.Markup.XamlReader, PresentationFramework]]",
        "System.Management.Automation.PSObject, System.Management.Automation",
    ],
    benign: &[
        "System.Int32, mscorlib",
        "Contoso.Shop.OrderPlaced, Contoso.Shop",
        "   at System.Diagnostics.Process.Start(ProcessStartInfo startInfo)",
        "System.IO.IOException: The process cannot access the file",
        "System.Diagnostics.Process",
    ],
};

static TYPE_IN_TEXT: Rule = Rule {
    id: "dotnet-injection-serialized-objects/type-in-text",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text names such a type in a form that a serializer reads.",
    attacks: &[
        "our scanner sends \"System.IO.FileInfo, System.IO.FileSystem\" as the type of every object",
        "we should never allow type=\"System.Diagnostics.Process\" in the settings of this",
        "in our log we found \"System.Web.Security.RolePrincipal, System.Web\" many times",
    ],
    benign: &[
        "the class System.IO.File reads all of the text",
        "use System.Net.Http for this",
        "our system. it is slow",
    ],
};

static STREAM: Rule = Rule {
    id: "dotnet-injection-serialized-objects/stream",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"\x00\x01\x00\x00\x00(?:\xff|\xc3\xbf){4}\x01\x00\x00\x00\x00\x00\x00\x00",
        literals: &["\0\u{1}\0\0\0"],
    },
    summary: "The header of a stream of .NET's binary formatter.",
    attacks: &[
        "\0\u{1}\0\0\0\u{ff}\u{ff}\u{ff}\u{ff}\u{1}\0\0\0\0\0\0\0\u{c}",
        "x=\0\u{1}\0\0\0\u{ff}\u{ff}\u{ff}\u{ff}\u{1}\0\0\0\0\0\0\0",
        "a\0\u{1}\0\0\0\u{ff}\u{ff}\u{ff}\u{ff}\u{1}\0\0\0\0\0\0\0\u{4}b",
    ],
    benign: &["\0\u{1}\0\0\0", "\u{ff}\u{ff}", "\0\u{1}\0\0\0\u{1}\0\0\0"],
};

static STREAM_BASE64: Rule = Rule {
    id: "dotnet-injection-serialized-objects/base64",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    // The header at each of the three alignments; a view state holds it at one of the last two.
    matcher: RuleMatcher::Pattern {
        regex: r"(?-i)AAEAAAD[/_]{5}AQAAAAAAAA|[AQgw]ABAAAA[/_]{5}wEAAAAAAAAA|[AEIMQUYcgkosw048]AAQAAAP[/_]{4}8BAAAAAAAAA",
        literals: &["aaeaaad", "abaaaa/", "abaaaa_", "aaqaaap"],
    },
    summary: "A stream of .NET's binary formatter in base64, at any alignment, as in a view state.",
    attacks: &[
        "AAEAAAD/////AQAAAAAAAAAMAgAAAElTeXN0ZW0",
        "{\"d\":\"AAEAAAD_____AQAAAAAAAAAEAQAAAH9T\"}",
        "/wEyxBEAAQAAAP////8BAAAAAAAAAAwCAAAA",
        "xAABAAAA/////wEAAAAAAAAADAIAAABJ",
    ],
    benign: &["AAEAAQABAAEA", "/wEPDwUKLTY3ODI1MDQ5OWRk", "AAAAGGZ0eXBpc29tAAAAAA", "AAEAAAD the first"],
};

static STREAM_HEX: Rule = Rule {
    id: "dotnet-injection-serialized-objects/hex",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"(?:^|[^0-9a-z]|0x)0001000000ffffffff0100000000000000",
        literals: &["0001000000ffffffff01"],
    },
    summary: "A stream of .NET's binary formatter in hexadecimal.",
    attacks: &[
        "0001000000ffffffff01000000000000000c02000000",
        "x=0x0001000000FFFFFFFF0100000000000000",
        "{\"o\":\"0001000000ffffffff010000000000000004\"}",
    ],
    benign: &["0001000000", "ffffffff01", "10001000000ffffffff0100000000000000"],
};

static FORMATTER: Rule = Rule {
    id: "dotnet-injection-serialized-objects/formatter",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"schemas\.microsoft\.com/clr/(?:nsassem|assem|ns)/|\b[a-z]\w{0,8}:(?:factory)?(?:type|assembly)\s*=\s*["'](?:system\.[a-z]+\.[a-z]|microsoft\.|mscorlib|0["'])|\bn\s*=\s*["']targettypefordeserialization"#,
        literals: &["schemas.microsoft.com/clr/", "type", "assembly", "targettype"],
    },
    summary: "Markup of formatters of .NET and PowerShell, which names the class and assembly of each object.",
    attacks: &[
        "<a1:WindowsIdentity xmlns:a1=\"http://schemas.microsoft.com/clr/nsassem/System.Security.Principal/mscorlib\"/>",
        "<w z:Type=\"System.Security.Principal.WindowsIdentity\" z:Assembly=\"mscorlib\"/>",
        "xmlns:a=\"http://schemas.microsoft.com/clr/ns/System\"",
        "<Obj N=\"TargetTypeForDeserialization\"/>",
    ],
    benign: &[
        "<e xsi:type=\"xsd:string\"/>",
        "xmlns=\"http://schemas.microsoft.com/winfx/2006/xaml\"",
        "<x:assembly=\"Contoso\">",
    ],
};

static MARKUP: Rule = Rule {
    id: "dotnet-injection-serialized-objects/markup",
    leaf: Leaf::DotnetInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r#"clr-namespace:\s*system\.(?:diagnostics;\s*assembly\s*=\s*(?:system|mscorlib)\b|(?:reflection|management|configuration|io|web|runtime|codedom)\b)"#,
            r#"|<(?:\w{1,16}:)?processstartinfo\b[^>]{0,400}\b(?:arguments|filename)\s*="#,
            r#"|<(?:\w{1,16}:)?objectdataprovider\b[^>]{0,400}\bmethodname\s*=\s*["'](?:start|load|parse|deserialize|execute|invoke|pullfile|writeallbytes|copy)"#,
            r#"|<(?:\w{1,16}:)?objectdataprovider\.objectinstance\b"#,
        ),
        literals: &["clr-namespace:", "processstartinfo", "objectdataprovider"],
    },
    summary: "XAML that starts a process, loads code or calls a method of an object that it makes.",
    attacks: &[
        "<a xmlns:d=\"clr-namespace:System.Diagnostics;assembly=system\"/>",
        "<sd:ProcessStartInfo Arguments=\"/c calc\" FileName=\"cmd\"/>",
        "<ObjectDataProvider x:Key=\"\" MethodName=\"Start\"/>",
        "<ObjectDataProvider.ObjectInstance><x/></ObjectDataProvider.ObjectInstance>",
    ],
    benign: &[
        "xmlns:sys=\"clr-namespace:System;assembly=mscorlib\"",
        "xmlns:diag=\"clr-namespace:System.Diagnostics;assembly=WindowsBase\"",
        "<ObjectDataProvider x:Key=\"values\" MethodName=\"GetValues\" ObjectType=\"{x:Type sys:Enum}\"/>",
        "new ProcessStartInfo { FileName = \"git\" }",
    ],
};

static DIRECTIVE: Rule = Rule {
    id: "dotnet-injection-server-code/directive",
    leaf: Leaf::DotnetInjectionServerCode,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r#"<%@\s*(?:register\s[^%]{0,400}\bassembly\s*=|assembly\s[^%]{0,200}\b(?:name|src)\s*=|web(?:handler|service)\s[^%]{0,200}\b(?:class|language)\s*="#,
            r#"|import\s[^%]{0,100}\bnamespace\s*=\s*["']?system\.(?:io|diagnostics|reflection|net|web|codedom|management|data|runtime|text))"#,
        ),
        literals: &["<%@"],
    },
    summary: "A directive of an ASP.NET page that loads an assembly or imports what starts processes and opens files.",
    attacks: &[
        "<%@ Register Tagprefix=\"a\" Namespace=\"System.Web.UI\" Assembly=\"System.Web.Extensions\" %>",
        "<%@ Assembly Name=\"System.Workflow\" %>",
        "<%@Import Namespace='System.Diagnostics'%>",
        "<%@ WebHandler Language=\"C#\" Class=\"H\" %>",
    ],
    benign: &[
        "<%@ Page Language=\"C#\" AutoEventWireup=\"true\" %>",
        "<%@ taglib prefix=\"c\" uri=\"http://java.sun.com/jsp/jstl/core\" %>",
        "<%@ Master Language=\"C#\" %>",
        "<%@ Register Src=\"~/Menu.ascx\" TagName=\"Menu\" TagPrefix=\"uc\" %>",
    ],
};

static REQUEST_EXECUTED: Rule = Rule {
    id: "dotnet-injection-server-code/request-executed",
    leaf: Leaf::DotnetInjectionServerCode,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"\b(?:eval|execute(?:global)?)\s*\(?\s*(?:request(?:\s*\.\s*(?:item|form|querystring|params|cookies|headers))?\s*[(\[]\s*["'0-9]|"[^"\r\n]{0,40}"\s*&\s*(?:"|chr\s*\())"#,
        literals: &["eval", "execute"],
    },
    summary: "A page of ASP runs what a request holds, or code that it puts together.",
    attacks: &[
        "execute(request(\"x\"))",
        "<%eval request(\"cmd\")%>",
        "eval(Request.Item[\"a\"],\"unsafe\")",
        "ExecuteGlobal(\"Ex\"&\"ecute(1)\")",
    ],
    benign: &["execute(request)", "evaluate(request)", "request(\"x\")", "we execute requests (all of them)"],
};

static SHELL_OBJECT: Rule = Rule {
    id: "dotnet-injection-server-code/shell-object",
    leaf: Leaf::DotnetInjectionServerCode,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"\b(?:createobject|activexobject)\s*\(\s*\\?["'](?:wscript\.shell|wscript\.network|shell\.application|scripting\.filesystemobject|adodb\.stream|wbemscripting\.\w+)\\?["']"#,
        literals: &["createobject", "activexobject"],
    },
    summary: "A script makes an object of Windows that starts processes or writes files.",
    attacks: &[
        "CreateObject(\"WScript.Shell\").Run(\"cmd\")",
        "Set f = Server.CreateObject( 'Scripting.FileSystemObject' )",
        "new ActiveXObject(\"Shell.Application\")",
    ],
    benign: &[
        "CreateObject(\"Excel.Application\")",
        "CreateObject in VBA is slow",
        "WScript.Shell is what you need",
    ],
};
