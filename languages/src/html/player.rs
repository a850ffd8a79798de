//! Players and maps that people put into pages with an `iframe`: what their sites offer for that.

/// Hosts, with all below them.
const HOSTS: &[&str] = &[
    "bandcamp.com",
    "codepen.io",
    "dailymotion.com",
    "maps.google.com",
    "open.spotify.com",
    "openstreetmap.org",
    "player.twitch.tv",
    "player.vimeo.com",
    "www.google.com",
    "w.soundcloud.com",
    "youtube-nocookie.com",
    "youtube.com",
];
/// Bytes of a tag that are read.
const TAG_BYTES_MAX: usize = 1024;

/// Whether the tag that `text` begins with is an `iframe` of such a host, loaded over TLS.
pub(super) fn is_player(text: &[u8]) -> bool {
    let tag = text.get(..TAG_BYTES_MAX).unwrap_or(text);
    let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
    let tag = tag.get(..end).unwrap_or_default().to_ascii_lowercase();
    let Some(attributes) = tag.strip_prefix(b"<iframe") else { return false };
    let mut sources = memchr::memmem::find_iter(attributes, b"src");
    let (Some(at), None) = (sources.next(), sources.next()) else { return false };
    let value = attributes.get(at + 3..).unwrap_or_default();
    let value = value.trim_ascii_start().strip_prefix(b"=").unwrap_or_default().trim_ascii_start();
    let quotes = |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\');
    let start = value.iter().take_while(|byte| quotes(byte)).count();
    let url = value.get(start..).unwrap_or_default();
    let url = url.strip_prefix(b"https:").unwrap_or(url);
    let Some(authority) = url.strip_prefix(b"//") else { return false };
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let length = authority.iter().take_while(|byte| is_host(byte)).count();
    let (host, rest) = authority.split_at_checked(length).unwrap_or_default();
    matches!(rest.first(), Some(b'/' | b'?'))
        && HOSTS.iter().any(|known| {
            host.strip_suffix(known.as_bytes()).is_some_and(|front| front.is_empty() || front.ends_with(b"."))
        })
}

#[cfg(test)]
mod tests {
    use super::is_player;

    #[test]
    fn players_are_known_by_their_hosts() {
        for tag in [
            "<iframe width=\"560\" src=\"https://www.youtube.com/embed/x\" allowfullscreen>",
            "<IFRAME src='//player.vimeo.com/video/1'>",
            "<iframe src = https://www.openstreetmap.org/export/embed.html?bbox=1>",
        ] {
            assert!(is_player(tag.as_bytes()), "{tag}");
        }
        for tag in [
            "<iframe src=\"https://evil.example/youtube.com/\">",
            "<iframe src=\"https://youtube.com.evil.example/\">",
            "<iframe src=\"https://youtube.com@evil.example/\">",
            "<iframe src=\"http://www.youtube.com/\">",
            "<iframe src=\"https://www.youtube.com/embed/x\" srcdoc=\"<script>\">",
            "<iframe src=\"javascript:alert(1)\">",
            "<iframe>",
            "<object src=\"https://www.youtube.com/\">",
        ] {
            assert!(!is_player(tag.as_bytes()), "{tag}");
        }
    }
}
