//! Rules of [`crate::request`]: see `request/content_type.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &MALFORMED,
    &REPEATED,
    &CHARACTER_SET,
    &HIDDEN_MEDIA_TYPE,
    &FORM_CHARACTER_SET,
    &FORM_BOUNDARY,
    &TRANSFER_ENCODING_OF_FORM,
    &BYTES_OUTSIDE_ASCII,
];

pub(crate) static MALFORMED: Rule = Rule {
    id: "http-compliance-content-type-header/malformed",
    leaf: Leaf::HttpComplianceContentTypeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Content-Type is not a media type with parameters, repeats a parameter, or has charset or boundary in the extended form of RFC 2231.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/xml; blah\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=\"UTF-8\"; garbage\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: %{(#a='multipart/form-data').(#b=1)}\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=utf-8; charset=utf-16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json, text/xml\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset*=utf-16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; Charset*=us-ascii'en'utf-32\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json; charset*0=utf-; charset*1=16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=utf-8; charset*0*=utf-7\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/mixed; boundary*=utf-8''b; boundary=a\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json; charset=utf-8;\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/mixed; boundary=--a:55780(123,45:667)+b\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/soap+xml; action=\"urn:a:b#c\"; charset=UTF-8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/*+json\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/pdf; name*=utf-8''caf%C3%A9.pdf\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset-hint=utf-8; charset=utf-8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type:\n\n",
    ],
};

pub(crate) static REPEATED: Rule = Rule {
    id: "http-compliance-content-type-header/repeated",
    leaf: Leaf::HttpComplianceContentTypeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "There is more than one Content-Type.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\nContent-Type: application/xml\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain\nContent-Type: text/plain\n\n",
        "PUT / HTTP/1.1\nHost: shop.example\nContent-type: text/plain\nCONTENT-TYPE: text/html\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\nX-Content-Type: x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Content-Type-Options: nosniff\n\n",
    ],
};

pub(crate) static CHARACTER_SET: Rule = Rule {
    id: "http-compliance-content-type-header/character-set",
    leaf: Leaf::HttpComplianceContentTypeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Content-Type names a character set that does not exist or in which text reads as something else.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset=ibm037\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain;charset=garbage\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json; charset=\"utf-7\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset=utf-16\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/xml; charset=utf-16\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded; charset='utf-8'\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/html; charset=Shift_JIS\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain; charset=windows-1252\n\n",
    ],
};

pub(crate) static HIDDEN_MEDIA_TYPE: Rule = Rule {
    id: "http-attacks-dangerous-content-types/hidden-media-type",
    leaf: Leaf::HttpAttacksDangerousContentTypes,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A parameter of the Content-Type holds a second media type, which a lenient parser may take for the first.",
    attacks: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: application/x-www-form-urlencoded;boundary=\"application/json\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: application/x-www-form-urlencoded; boundary=\"foo/bar\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: text/plain; x=text/xml\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: text/plain; a/b; application/soap+xml\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/related; type=\"application/xop+xml\"; boundary=\"x\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=aB3/xY+z\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: application/ld+json; profile=\"https://www.example.org/a\"\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=something\n\n",
    ],
};

pub(crate) static FORM_CHARACTER_SET: Rule = Rule {
    id: "file-upload-attacks-charset-trick/form",
    leaf: Leaf::FileUploadAttacksCharsetTrick,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A multipart form as a whole is declared to be in a character set other than UTF-8 or a Latin one.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x; charset=utf-7\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=\"ibm037\"; boundary=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=utf-16; boundary=x\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x; charset=utf-8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=ISO-8859-1; boundary=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x\n\n",
    ],
};

pub(crate) static FORM_BOUNDARY: Rule = Rule {
    id: "file-upload-attacks-content-type-trick/boundary",
    leaf: Leaf::FileUploadAttacksContentTypeTrick,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A multipart form has no boundary, two of them, or one that RFC 2046 does not allow.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=a; boundary=b\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=\"a;b\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary*0=a; boundary*1=b\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=\"=_a.b:c/d(e)\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; charset=utf-8; boundary=1234\n\n",
    ],
};

pub(crate) static TRANSFER_ENCODING_OF_FORM: Rule = Rule {
    id: "file-upload-attacks-deprecated-encoding/form",
    leaf: Leaf::FileUploadAttacksDeprecatedEncoding,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A multipart form as a whole has a Content-Transfer-Encoding that changes how it reads.",
    attacks: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: base64\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: quoted-printable\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: x-uue\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: binary\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: multipart/form-data; boundary=x\nContent-Transfer-Encoding: 8bit\n\n",
        "GET / HTTP/1.1\nHost: a.example\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n",
    ],
};

pub(crate) static BYTES_OUTSIDE_ASCII: Rule = Rule {
    id: "file-upload-attacks-header-tricks/form",
    leaf: Leaf::FileUploadAttacksHeaderTricks,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Content-Type of a multipart form holds bytes outside ASCII or a tab, which parsers read differently.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=ü\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data;\tboundary\t=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; bound\u{130}ry=y; boundary=x\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data; boundary=x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: multipart/form-data;boundary=\"x\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: Multipart/Form-Data; boundary=x; charset=utf-8\n\n",
    ],
};
