//! Names of .NET types in a value, as serializers read them: which namespaces start processes, load code or open files, and
//! how a name stands. It knows bytes, not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// Names that are looked at in one view.
const NAMES_MAX: usize = 64;
/// Bytes behind a name in which its assembly is looked for.
const ASSEMBLY_BYTES: usize = 48;

/// Namespaces and classes that deserialization chains are built of, as far as a name of theirs begins so.
const REACHING: &[&str] = &[
    "System.Activities.",
    "System.AddIn.",
    "System.CodeDom.",
    "System.ComponentModel.Design.",
    "System.Configuration.Install.",
    "System.Configuration.SettingsPropertyValue",
    "System.Data.DataSet",
    "System.Data.DataViewManager",
    "System.Data.Services.Internal.",
    "System.Delegate",
    "System.Diagnostics.Process",
    "System.Drawing.Design.",
    "System.EnterpriseServices.",
    "System.IO.",
    "System.IdentityModel.",
    "System.Management.Automation.",
    "System.Messaging.",
    "System.Net.",
    "System.Reflection.",
    "System.Resources.",
    "System.Runtime.Remoting.",
    "System.Runtime.Serialization.",
    "System.Security.Claims.",
    "System.Security.Policy.",
    "System.Security.Principal.",
    "System.ServiceProcess.",
    "System.Transactions.",
    "System.Web.",
    "System.Windows.Data.ObjectDataProvider",
    "System.Windows.Forms.",
    "System.Windows.Markup.",
    "System.Windows.ResourceDictionary",
    "System.Workflow.",
    "System.Xml.Xsl.",
    "Microsoft.ApplicationId.Framework.",
    "Microsoft.Exchange.",
    "Microsoft.IdentityModel.",
    "Microsoft.Office.Server.",
    "Microsoft.PerformancePoint.",
    "Microsoft.PowerShell.",
    "Microsoft.SharePoint.",
    "Microsoft.VisualBasic.",
    "Microsoft.VisualStudio.Text.Formatting.",
    "Microsoft.Web.",
    "Microsoft.Win32.",
    "System.DelegateSerializationHolder",
    "System.Linq.EnumerableQuery",
];

/// A thing that names of .NET types show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DotnetSign {
    /// A type that reaches beyond its data is named in a form that loads it: with its assembly, in brackets, or as a tag.
    TypeName,
    /// Such a name is the whole value.
    SoleName,
}

/// Names of .NET types.
#[derive(Debug)]
pub struct Dotnet;

impl Language for Dotnet {
    type Sign = DotnetSign;
    const NAME: &'static str = "dotnet";
    const TRIGGERS: &'static [&'static str] = &["system.", "microsoft."];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, DotnetSign>) {
        let bytes = input.bytes;
        let mut at = 0;
        for _ in 0..NAMES_MAX {
            let Some((start, end)) = next_name(bytes, at) else { return };
            at = end;
            if !is_reaching(bytes.get(start..end).unwrap_or_default()) {
                continue;
            }
            let head = bytes.get(..start).unwrap_or_default();
            let tail = bytes.get(end..).unwrap_or_default();
            let sole = head.trim_ascii().is_empty() && tail.trim_ascii().is_empty();
            if sole {
                findings.add(DotnetSign::SoleName, Context::Sole, start, end - start);
                return;
            }
            if is_loaded(head, tail) {
                let context = Context::of_text(prose::is_text(bytes));
                findings.add(DotnetSign::TypeName, context, start, end - start);
                return;
            }
        }
    }
}

/// The next dotted name that begins with a root of the platform.
fn next_name(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(from..)?;
    let roots = [&b"System."[..], b"Microsoft."];
    let start = roots.iter().filter_map(|root| memchr::memmem::find(rest, root)).min()? + from;
    let length = bytes.get(start..)?.iter().take_while(|byte| is_name(**byte)).count();
    Some((start, start + length))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'`' | b'+')
}

/// An exception is named by whoever reports it.
fn is_reaching(name: &[u8]) -> bool {
    !name.ends_with(b"Exception") && REACHING.iter().any(|prefix| name.starts_with(prefix.as_bytes()))
}

/// Returns `true` if a serializer would load the type: an assembly follows, or the name is an argument of a generic type or a
/// tag of YAML. A frame of a trace and a message name types too, but not so.
fn is_loaded(head: &[u8], tail: &[u8]) -> bool {
    let generic = head.ends_with(b"[[") || head.ends_with(b"],[");
    let tag = head.ends_with(b"!<!") || head.ends_with(b"!<");
    let begins = head.trim_ascii_end().is_empty()
        || matches!(head.last(), Some(b'"' | b'\'' | b'[' | b'<' | b'!' | b'>' | b'\\'));
    generic || tag || begins && has_assembly(tail) || is_typed(head) && is_closed(tail)
}

/// `, Assembly` and perhaps its version.
fn has_assembly(tail: &[u8]) -> bool {
    let tail = tail.get(..ASSEMBLY_BYTES).unwrap_or(tail);
    let Some(name) = tail.strip_prefix(b",").or_else(|| tail.strip_prefix(b"%2c")) else { return false };
    let name = name.trim_ascii_start();
    let length = name.iter().take_while(|byte| is_name(**byte)).count();
    let after = name.get(length..).unwrap_or_default();
    let ends = matches!(
        after.trim_ascii_start().first(),
        None | Some(b',' | b'"' | b'\'' | b'<' | b']' | b'\\' | b';')
    );
    length > 0 && name.first().is_some_and(u8::is_ascii_alphabetic) && ends
}

/// Returns `true` if a member or an attribute that names types to a serializer stands before the quote: `"__type":"`, `x:Type='`.
fn is_typed(head: &[u8]) -> bool {
    let Some((b'"' | b'\'', before)) = head.split_last() else { return false };
    let before = before.trim_ascii_end();
    let (name, labels): (_, &[&str]) = match before.split_last() {
        Some((b':', name)) => (name, &["__type", "$type", "@class"]),
        Some((b'=', name)) => (name, &["type", "assembly"]),
        _ => return false,
    };
    let name = name.trim_ascii_end();
    let name = name.strip_suffix(b"\"").or_else(|| name.strip_suffix(b"'")).unwrap_or(name);
    labels.iter().any(|label| {
        let end = name.len().checked_sub(label.len()).and_then(|at| name.get(at..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(label.as_bytes()))
    })
}

fn is_closed(tail: &[u8]) -> bool {
    matches!(tail.first(), Some(b'"' | b'\'' | b','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_serializer_loads_are_found() {
        for value in [
            "System.Windows.Data.ObjectDataProvider, PresentationFramework, Version=4.0.0.0",
            "{\"a\":\"System.IO.FileInfo, System.IO.FileSystem\"}",
            "<root type=\"System.Diagnostics.Process\"/>",
            "X`2[[System.Windows.Markup.XamlReader, PresentationFramework],[System.Int32, mscorlib]]",
            "!<!System.Windows.Data.ObjectDataProvider%2c%20PresentationFramework> {a: b}",
            "{'__type': 'System.Configuration.Install.AssemblyInstaller'}",
        ] {
            let found = crate::language::signs::<Dotnet>(value);
            assert_eq!(found, [DotnetSign::TypeName], "{value}");
        }
        assert_eq!(crate::language::signs::<Dotnet>("System.Diagnostics.Process"), [DotnetSign::SoleName]);
    }

    #[test]
    fn traces_and_values_are_not() {
        for value in [
            "System.IO.IOException: The process cannot access the file",
            "   at System.Diagnostics.Process.Start(ProcessStartInfo startInfo)",
            "System.Collections.Generic.List`1[[System.String, mscorlib]], mscorlib",
            "Could not load file or assembly 'System.Web.Extensions, Version=4.0.0.0, Culture=neutral' or one of",
            "Contoso.System.IO",
            "System.Int32, mscorlib",
            "{\"exceptionType\":\"System.Net.Http.HttpRequestException, System.Net.Http\"}",
            "{\"type\":\"System.IO.Stream\"}",
            "using System.IO;",
        ] {
            assert_eq!(crate::language::signs::<Dotnet>(value), [], "{value}");
        }
    }
}
