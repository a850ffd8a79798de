//! Types of files by their first bytes, compared with the type that the part declares. A known signature that contradicts the declared
//! type is a finding; content that nobody knows is not.

use waf_shared::catalog::Leaf;

use super::finding::Finding;

/// Bytes of a file that are looked at.
pub(super) const HEAD_BYTES: usize = 512;

/// The kind of a file, as far as either side shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
    Gif,
    Bmp,
    Webp,
    Tiff,
    Icon,
    /// HEIC, AVIF, MP4, QuickTime: one container.
    IsoMedia,
    Matroska,
    Ogg,
    Mp3,
    Flac,
    Wave,
    Avi,
    Pdf,
    PostScript,
    Rtf,
    /// ZIP and what is made of it.
    Zip,
    Gzip,
    Bzip2,
    Xz,
    SevenZip,
    Rar,
    Zstandard,
    /// The old office formats.
    Compound,
    Font,
    Sqlite,
    Html,
    Xml,
    /// Programs for machines.
    Program,
    /// Programs for interpreters.
    Script,
    /// Declared as text; no signature says so.
    Text,
}

/// Signatures at the beginning, the longer ones of a beginning first.
const SIGNATURES: &[(&[u8], Kind)] = &[
    (b"\x89PNG\r\n\x1a\n", Kind::Png),
    (b"\xff\xd8\xff", Kind::Jpeg),
    (b"GIF87a", Kind::Gif),
    (b"GIF89a", Kind::Gif),
    (b"II*\0", Kind::Tiff),
    (b"MM\0*", Kind::Tiff),
    (b"\0\0\x01\0", Kind::Icon),
    (b"\x1a\x45\xdf\xa3", Kind::Matroska),
    (b"OggS", Kind::Ogg),
    (b"ID3", Kind::Mp3),
    (b"fLaC", Kind::Flac),
    (b"%PDF-", Kind::Pdf),
    (b"%!PS", Kind::PostScript),
    (b"{\\rtf", Kind::Rtf),
    (b"PK\x03\x04", Kind::Zip),
    (b"PK\x05\x06", Kind::Zip),
    (b"\x1f\x8b\x08", Kind::Gzip),
    (b"BZh", Kind::Bzip2),
    (b"\xfd7zXZ\0", Kind::Xz),
    (b"7z\xbc\xaf\x27\x1c", Kind::SevenZip),
    (b"Rar!\x1a\x07", Kind::Rar),
    (b"\x28\xb5\x2f\xfd", Kind::Zstandard),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind::Compound),
    (b"wOFF", Kind::Font),
    (b"wOF2", Kind::Font),
    (b"OTTO", Kind::Font),
    (b"SQLite format 3\0", Kind::Sqlite),
    (b"\x7fELF", Kind::Program),
    (b"\xfe\xed\xfa\xce", Kind::Program),
    (b"\xfe\xed\xfa\xcf", Kind::Program),
    (b"\xce\xfa\xed\xfe", Kind::Program),
    (b"\xcf\xfa\xed\xfe", Kind::Program),
    (b"\xca\xfe\xba\xbe", Kind::Program),
    (b"\0asm\x01\0\0\0", Kind::Program),
    (b"dex\n03", Kind::Program),
];

/// Media types and what a file of that type is. Types that may hold several things are not here.
const TYPES: &[(&str, Kind)] = &[
    ("image/png", Kind::Png),
    ("image/apng", Kind::Png),
    ("image/jpeg", Kind::Jpeg),
    ("image/jpg", Kind::Jpeg),
    ("image/pjpeg", Kind::Jpeg),
    ("image/gif", Kind::Gif),
    ("image/bmp", Kind::Bmp),
    ("image/x-ms-bmp", Kind::Bmp),
    ("image/webp", Kind::Webp),
    ("image/tiff", Kind::Tiff),
    ("image/x-icon", Kind::Icon),
    ("image/vnd.microsoft.icon", Kind::Icon),
    ("image/heic", Kind::IsoMedia),
    ("image/heif", Kind::IsoMedia),
    ("image/avif", Kind::IsoMedia),
    ("video/mp4", Kind::IsoMedia),
    ("video/quicktime", Kind::IsoMedia),
    ("video/3gpp", Kind::IsoMedia),
    ("audio/mp4", Kind::IsoMedia),
    ("audio/x-m4a", Kind::IsoMedia),
    ("video/webm", Kind::Matroska),
    ("audio/webm", Kind::Matroska),
    ("video/x-matroska", Kind::Matroska),
    ("audio/ogg", Kind::Ogg),
    ("video/ogg", Kind::Ogg),
    ("application/ogg", Kind::Ogg),
    ("audio/opus", Kind::Ogg),
    ("audio/mpeg", Kind::Mp3),
    ("audio/mp3", Kind::Mp3),
    ("audio/flac", Kind::Flac),
    ("audio/x-flac", Kind::Flac),
    ("audio/wav", Kind::Wave),
    ("audio/wave", Kind::Wave),
    ("audio/x-wav", Kind::Wave),
    ("video/x-msvideo", Kind::Avi),
    ("application/pdf", Kind::Pdf),
    ("application/x-pdf", Kind::Pdf),
    ("application/rtf", Kind::Rtf),
    ("text/rtf", Kind::Rtf),
    ("application/zip", Kind::Zip),
    ("application/x-zip-compressed", Kind::Zip),
    ("application/epub+zip", Kind::Zip),
    ("application/gzip", Kind::Gzip),
    ("application/x-gzip", Kind::Gzip),
    ("application/x-bzip2", Kind::Bzip2),
    ("application/x-xz", Kind::Xz),
    ("application/x-7z-compressed", Kind::SevenZip),
    ("application/vnd.rar", Kind::Rar),
    ("application/zstd", Kind::Zstandard),
    ("application/json", Kind::Text),
    ("application/yaml", Kind::Text),
    ("application/xml", Kind::Text),
    ("image/svg+xml", Kind::Text),
];

/// Beginnings of media types, after the types.
const TYPE_STARTS: &[(&str, Kind)] = &[
    ("application/vnd.openxmlformats-officedocument.", Kind::Zip),
    ("application/vnd.oasis.opendocument.", Kind::Zip),
    ("text/", Kind::Text),
];

/// Declaration of a file by its sender.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared<'a> {
    /// The media type, in lower case, perhaps empty.
    pub(crate) media_type: &'a [u8],
    /// True if the file's name is that of source text, which servers hand out and never run.
    pub(crate) is_source: bool,
}

/// Judges the head of a file that was declared as `declaration` says. `allowed` are the types that the route takes; `None` takes
/// every type.
pub(crate) fn judge(
    head: &[u8],
    declaration: Declared<'_>,
    allowed: Option<&[String]>,
    report: &mut impl FnMut(Finding),
) {
    const TYPE: Leaf = Leaf::FileUploadLimitsAllowedTypes;
    let found = sniff(head);
    let declared = kind_of(declaration.media_type);
    let is_script = found == Some(Kind::Script) && !declaration.is_source;
    if found == Some(Kind::Program) || is_script || is_hidden_script(head, found, declared) {
        report((Leaf::FileUploadLimitsExecutable, "a file begins like a program"));
    }
    let Some(found) = found else { return };
    if declared.is_some_and(|declared| !agree(declared, found)) {
        report((TYPE, "a file's first bytes contradict its declared type"));
        return;
    }
    // A type that may hold anything does not make what it holds allowed.
    let covers = |name: &String| kind_of(name.as_bytes()).is_none_or(|kind| agree(kind, found));
    if declared.is_none() && allowed.is_some_and(|allowed| !allowed.iter().any(covers)) {
        report((TYPE, "a file's first bytes are of a type that is not allowed"));
    }
}

/// Returns `true` for a media type of markup.
pub(super) fn is_markup_type(media_type: &[u8]) -> bool {
    [&b"text/html"[..], b"text/xml", b"application/xml", b"image/svg"]
        .iter()
        .any(|start| media_type.starts_with(start))
        || media_type.ends_with(b"+xml")
}

/// Returns `true` if the list of allowed types holds `media_type`, by itself or as `image/*`.
pub(super) fn is_allowed(media_type: &[u8], allowed: &[String]) -> bool {
    // RFC 7578, section 4.4: what does not say is text.
    let media_type = if media_type.is_empty() { b"text/plain" } else { media_type };
    allowed.iter().any(|name| match name.strip_suffix('*').filter(|start| start.ends_with('/')) {
        Some(start) => media_type.starts_with(start.as_bytes()),
        None => name.as_bytes() == media_type,
    })
}

fn kind_of(media_type: &[u8]) -> Option<Kind> {
    let exact = TYPES.iter().find(|(name, _)| name.as_bytes() == media_type);
    exact
        .or_else(|| TYPE_STARTS.iter().find(|(start, _)| media_type.starts_with(start.as_bytes())))
        .map(|(_, kind)| *kind)
}

fn agree(declared: Kind, found: Kind) -> bool {
    let markup = matches!(found, Kind::Html | Kind::Xml);
    match declared {
        Kind::Text => markup || matches!(found, Kind::Script | Kind::Rtf | Kind::PostScript),
        // An MP4 recording and a browser's MP3 without tags look alike to few; what plays, plays.
        Kind::Mp3 | Kind::Wave => matches!(found, Kind::Mp3 | Kind::Wave),
        _ => declared == found,
    }
}

fn sniff(head: &[u8]) -> Option<Kind> {
    if let Some((_, kind)) = SIGNATURES.iter().find(|(start, _)| head.starts_with(start)) {
        return Some(*kind);
    }
    let at = |range: std::ops::Range<usize>| head.get(range).unwrap_or_default();
    match (at(0..4), at(4..8), at(8..12)) {
        (b"RIFF", _, b"WEBP") => return Some(Kind::Webp),
        (b"RIFF", _, b"WAVE") => return Some(Kind::Wave),
        (b"RIFF", _, b"AVI ") => return Some(Kind::Avi),
        (_, b"ftyp", _) => return Some(Kind::IsoMedia),
        _ => {}
    }
    // Two letters are not much: the fields that follow them must fit.
    if head.starts_with(b"BM") && at(6..10) == [0; 4] && head.len() > 14 {
        return Some(Kind::Bmp);
    }
    if head.starts_with(b"MZ") && head.len() >= 64 && head.contains(&0) {
        return Some(Kind::Program);
    }
    text(head)
}

/// The meaning of text at the beginning, white space and a byte order mark aside.
fn text(head: &[u8]) -> Option<Kind> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins =
        |mark: &str| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()));
    if head.starts_with(b"#!") && head.get(2..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"/"))
    {
        return Some(Kind::Script);
    }
    // Code of servers between text, and drawings that are lists of commands to a converter.
    let is_tag = begins("<%") && text.get(2).is_some_and(|byte| b" \t\r\n@=!-".contains(byte));
    if begins("<?php") || begins("<?=") || is_tag || begins("push graphic-context") {
        return Some(Kind::Script);
    }
    if ["<!doctype html", "<html", "<head", "<body", "<script", "<iframe"].into_iter().any(begins) {
        return Some(Kind::Html);
    }
    if begins("<?xml") || begins("<svg") { Some(Kind::Xml) } else { None }
}

/// Returns `true` if a picture, recording or document carries a script for the server that might be made to run it.
fn is_hidden_script(head: &[u8], found: Option<Kind>, declared: Option<Kind>) -> bool {
    let is_text =
        |kind: Option<Kind>| matches!(kind, Some(Kind::Text | Kind::Html | Kind::Xml | Kind::Script));
    if is_text(declared) || is_text(found) || declared.is_none() && found.is_none() {
        return false;
    }
    // Three bytes stand in compressed data by chance; with text behind them they do not.
    let echo = memchr::memmem::find_iter(head, b"<?=").any(|at| {
        let code = head.get(at + 3..at + 9).unwrap_or_default();
        code.len() == 6 && code.iter().all(|byte| matches!(byte, b' '..=b'~'))
    });
    echo || memchr::memmem::find(head, b"<?php").is_some() || memchr::memmem::find(head, b"<%@ ").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: Leaf = Leaf::FileUploadLimitsAllowedTypes;
    const RUNS: Leaf = Leaf::FileUploadLimitsExecutable;

    fn leaves(head: &[u8], media_type: &str, allowed: Option<&[&str]>) -> Vec<Leaf> {
        let allowed: Option<Vec<String>> =
            allowed.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let mut found = Vec::new();
        let declared = Declared { media_type: media_type.as_bytes(), is_source: false };
        judge(head, declared, allowed.as_deref(), &mut |(leaf, _)| found.push(leaf));
        found
    }

    #[test]
    fn signatures_contradict_declared_types() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        let zip = b"PK\x03\x04\x14\0\0\0";
        let mut exe = b"MZ\x90\0\x03\0".to_vec();
        exe.resize(128, 0);
        for (head, media_type, expected) in [
            (&png[..], "image/png", &[][..]),
            (png, "application/octet-stream", &[]),
            (png, "", &[]),
            (png, "image/jpeg", &[TYPE]),
            (png, "text/plain", &[TYPE]),
            (zip, "image/png", &[TYPE]),
            (zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", &[]),
            (zip, "application/vnd.ms-excel", &[]),
            (b"just some bytes", "image/png", &[]),
            (b"BM is how this text begins, nothing else", "text/plain", &[]),
            (b"MZ too, and this line is long enough to be a header of sixty-four bytes", "text/plain", &[]),
            (&exe, "application/octet-stream", &[RUNS]),
            (&exe, "image/png", &[RUNS, TYPE]),
            (b"#!/bin/sh\nid", "text/plain", &[RUNS]),
            (b"#! not a path", "text/plain", &[]),
            (b"<?php system('id');", "application/octet-stream", &[RUNS]),
            (b"GIF89a<?php system('id');", "image/gif", &[RUNS]),
            (b"\xff\xd8\xff\xe0 <?= `id` ?>", "application/octet-stream", &[RUNS]),
            (b"<html><script>", "image/png", &[TYPE]),
            (b"<html><body>", "text/html", &[]),
            (b"# Notes\n```php\n<?php echo 1;", "text/markdown", &[]),
            (b"<?xml version=\"1.0\"?><svg/>", "image/svg+xml", &[]),
            (b"", "image/png", &[]),
        ] {
            assert_eq!(leaves(head, media_type, None), expected, "{media_type} {}", head.escape_ascii());
        }
    }

    #[test]
    fn a_list_of_types_holds_for_contents_too() {
        assert!(is_allowed(b"image/png", &["image/png".into()]));
        assert!(is_allowed(b"image/gif", &["image/*".into()]));
        assert!(is_allowed(b"", &["text/plain".into()]));
        assert!(!is_allowed(b"application/pdf", &["image/*".into(), "text/plain".into()]));
        assert_eq!(leaves(b"%PDF-1.7", "application/octet-stream", Some(&["image/png"])), [TYPE]);
        assert_eq!(leaves(b"%PDF-1.7", "application/x-anything", Some(&["application/x-anything"])), []);
    }
}
