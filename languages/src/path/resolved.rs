//! A path in a value, and what remains of it once its dot segments are resolved.

/// Segments of a path that are kept by name; deeper ones are only counted.
const SEGMENTS_MAX: usize = 24;

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// At the place where the application looks.
    Relative,
    /// At the root: `/`, `\`, a drive, a share, a `file:` URL.
    Absolute,
    /// At a host of the network: the path of a URL.
    Url,
}

/// A path in a value.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    /// Where it begins in the value.
    pub offset: usize,
    /// The path, without a scheme or a host.
    pub bytes: &'a [u8],
    /// The place that it starts at.
    pub origin: Origin,
    /// Written as a `file:` URL or with another scheme that opens local files.
    pub by_scheme: bool,
    /// The byte before it in the value.
    pub before: Option<u8>,
}

/// A path with its dot segments resolved.
#[derive(Debug)]
pub struct Resolved<'a> {
    segments: [&'a [u8]; SEGMENTS_MAX],
    kept: usize,
    /// Parent steps.
    pub ups: usize,
    /// How far it leads above its start.
    pub climbs: usize,
    /// Segments of three dots or more, which naive filters turn into two.
    pub long_dots: usize,
    /// Parent steps dressed up for a container that cuts path parameters off (`..;/`), or with a stray percent sign.
    pub disguised: usize,
}

impl<'a> Resolved<'a> {
    /// Resolves `path`; separators are `/` and `\`.
    pub fn of(path: &'a [u8]) -> Resolved<'a> {
        let mut resolved = Resolved {
            segments: [&[]; SEGMENTS_MAX],
            kept: 0,
            ups: 0,
            climbs: 0,
            long_dots: 0,
            disguised: 0,
        };
        let mut depth = 0_usize;
        for raw in path.split(|byte| matches!(byte, b'/' | b'\\')) {
            // What follows a NUL is lost to C libraries.
            let segment = raw.split(|byte| *byte == 0).next().unwrap_or_default();
            if resolved.step(segment) {
                if depth == 0 {
                    resolved.climbs += 1;
                }
                depth = depth.saturating_sub(1);
                resolved.kept = resolved.kept.min(depth);
            } else if !segment.is_empty() && !segment.iter().all(|byte| *byte == b'.') {
                if let Some(slot) = resolved.segments.get_mut(depth.min(SEGMENTS_MAX - 1)) {
                    *slot = segment;
                    resolved.kept = (depth + 1).min(SEGMENTS_MAX);
                }
                depth += 1;
            }
        }
        resolved
    }

    /// Counts a dot segment; whether it is a parent step.
    fn step(&mut self, segment: &[u8]) -> bool {
        let up = match segment {
            b".." => true,
            [b'.', b'.', b';', ..] | [b'.', b'.', b'%'] => {
                self.disguised += 1;
                true
            }
            [b'.', b'.', b'.', rest @ ..] if rest.iter().all(|byte| *byte == b'.') => {
                self.long_dots += 1;
                false
            }
            _ => false,
        };
        self.ups += usize::from(up);
        up
    }

    /// The names that remain, outermost first.
    pub fn segments(&self) -> &[&'a [u8]] {
        self.segments.get(..self.kept).unwrap_or_default()
    }
}
