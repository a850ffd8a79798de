//! Places of values in requests and responses.

use std::fmt;

/// Kind of place. Rules say which they look at ([`Places`]); events name it (`ARGS:q`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Place {
    /// The whole path as sent, without the query.
    Path,
    /// One segment of the path.
    PathSegment,
    /// Name of a query parameter.
    QueryName,
    /// Value of a query parameter.
    Query,
    /// Name of a form field.
    FormName,
    /// Value of a form field.
    Form,
    /// Name of a multipart field; never percent-coded. Rules that look at [`Place::FormName`] look here too.
    PartName,
    /// Text value of a multipart field; never percent-coded. Rules that look at [`Place::Form`] look here too.
    Part,
    /// Key of a JSON object.
    JsonKey,
    /// Scalar in a JSON document; the field's name is its path (`user.name`).
    Json,
    /// Value of a request header; the field's name is the header's.
    Header,
    /// Name of a cookie.
    CookieName,
    /// Value of a cookie.
    Cookie,
    /// Text or attribute value of an XML document.
    Xml,
    /// Value of a header of a multipart part.
    PartHeader,
    /// File name of a multipart part.
    FileName,
    /// Content of an uploaded file of markup; the field's name is the part's. Only rules that name it look here.
    File,
    /// A body of unknown or plain type, whole.
    Body,
    /// Value of a response header; the field's name is the header's.
    ResponseHeader,
    /// Body of a response, decoded when it was compressed.
    ResponseBody,
    /// A value in a message of a WebSocket, in events and exceptions. It is judged at the place that its form gives it
    /// (JSON, text), so no rule names this one.
    Message,
}

impl Place {
    /// Notation in events (OCSF `firewall_rule.match_location`), before `:name`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Place::Path => "PATH",
            Place::PathSegment => "PATH_SEGMENT",
            Place::QueryName | Place::FormName | Place::PartName => "ARGS_NAMES",
            Place::Query | Place::Form | Place::Part => "ARGS",
            Place::JsonKey => "JSON_KEYS",
            Place::Json => "JSON",
            Place::Header => "HEADERS",
            Place::CookieName => "COOKIE_NAMES",
            Place::Cookie => "COOKIES",
            Place::Xml => "XML",
            Place::PartHeader => "PART_HEADERS",
            Place::FileName | Place::File => "FILES",
            Place::Body => "BODY",
            Place::ResponseHeader => "RESPONSE_HEADERS",
            Place::ResponseBody => "RESPONSE_BODY",
            Place::Message => "WS_MESSAGE",
        }
    }
}

impl Place {
    /// Every place.
    pub const ALL: &[Place] = &[
        Place::Path,
        Place::PathSegment,
        Place::QueryName,
        Place::Query,
        Place::FormName,
        Place::Form,
        Place::PartName,
        Place::Part,
        Place::JsonKey,
        Place::Json,
        Place::Header,
        Place::CookieName,
        Place::Cookie,
        Place::Xml,
        Place::PartHeader,
        Place::FileName,
        Place::File,
        Place::Body,
        Place::ResponseHeader,
        Place::ResponseBody,
        Place::Message,
    ];

    /// Returns `true` if its values are percent-coded, by definition or, in cookies, by what every library does.
    pub(crate) const fn is_coded(self) -> bool {
        matches!(
            self,
            Place::Path
                | Place::PathSegment
                | Place::Query
                | Place::QueryName
                | Place::Form
                | Place::FormName
                | Place::Cookie
                | Place::CookieName
        )
    }

    /// The way in which its values are named.
    pub(crate) const fn naming(self) -> Naming {
        match self {
            Place::Path | Place::PathSegment | Place::CookieName | Place::Body | Place::ResponseBody => {
                Naming::Never
            }
            Place::Header | Place::ResponseHeader => Naming::Always,
            Place::QueryName
            | Place::Query
            | Place::FormName
            | Place::Form
            | Place::PartName
            | Place::Part => Naming::Coded,
            Place::JsonKey | Place::Json | Place::Message => Naming::Path(b'.'),
            Place::Xml => Naming::Path(b'/'),
            Place::Cookie | Place::PartHeader | Place::FileName | Place::File => Naming::Plain,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The way in which the values of a kind of place are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// No value has a name.
    Never,
    /// Every value has one, in any case of letters.
    Always,
    /// By names that are coded as in a form, or by none.
    Coded,
    /// By paths of keys or elements with this byte between them, or by none.
    Path(u8),
    /// By names as they are, or by none.
    Plain,
}

/// A set of [`Place`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places(u32);

impl Places {
    /// Everything that a client can put free text into: path, query, form, JSON, XML, cookies, headers, uploads, raw bodies.
    pub const REQUEST: Places = Places(!Places::RESPONSE.or(Places::FILES).0);
    /// Contents of uploaded files of markup.
    pub const FILES: Places = Places::of(&[Place::File]);
    /// [`Places::REQUEST`] and [`Places::FILES`]: markup does the same wherever it stands.
    pub const REQUEST_AND_FILES: Places = Places::REQUEST.or(Places::FILES);
    /// Answers of upstreams.
    pub const RESPONSE: Places = Places::of(&[Place::ResponseHeader, Place::ResponseBody]);
    /// Values of arguments: query, form, JSON, XML, raw body, cookies.
    pub const ARGUMENTS: Places =
        Places::of(&[Place::Query, Place::Form, Place::Json, Place::Xml, Place::Body, Place::Cookie]);
    /// Arguments, and the names that carry them.
    pub const ARGUMENTS_AND_NAMES: Places = Places(
        Places::ARGUMENTS.0
            | Places::of(&[
                Place::QueryName,
                Place::FormName,
                Place::JsonKey,
                Place::CookieName,
                Place::FileName,
            ])
            .0,
    );
    /// Header values alone.
    pub const HEADERS: Places = Places::of(&[Place::Header]);

    /// Exactly these; where the values or names of forms are among them, those of multipart forms are too.
    pub const fn of(places: &[Place]) -> Places {
        let mut bits = 0;
        let mut i = 0;
        while i < places.len() {
            bits |= 1 << places[i] as u32;
            i += 1;
        }
        // How a form was encoded makes no difference to what its values can do.
        if bits & (1 << Place::Form as u32) != 0 {
            bits |= 1 << Place::Part as u32;
        }
        if bits & (1 << Place::FormName as u32) != 0 {
            bits |= 1 << Place::PartName as u32;
        }
        Places(bits)
    }

    /// Either.
    #[must_use]
    pub const fn or(self, other: Places) -> Places {
        Places(self.0 | other.0)
    }

    /// Returns `true` if `place` is among them.
    pub const fn contains(self, place: Place) -> bool {
        self.contains_index(place as usize)
    }

    /// Returns `true` if the place with that discriminant is among them.
    pub(crate) const fn contains_index(self, index: usize) -> bool {
        index < 32 && self.0 & (1 << index) != 0
    }
}

/// One value of a request, borrowed from the request's own buffers.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// Its place.
    pub place: Place,
    /// Name of the parameter, header, cookie or JSON path that it is the value of; empty where there is none.
    pub name: &'a [u8],
    /// The bytes as sent (form and query values still percent-encoded; JSON strings unescaped).
    pub value: &'a [u8],
}
