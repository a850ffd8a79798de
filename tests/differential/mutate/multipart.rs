//! Changes of multipart bodies: what names a part, what parts them.

use crate::case::Case;
use crate::random::Random;
use crate::seeds::BOUNDARY;

/// Lines that name a part, each with another quirk. `N` stands for the name, `F` for a file name.
const DISPOSITIONS: &[&str] = &[
    "Content-Disposition: form-data; name=N",
    "Content-Disposition: form-data; name='N'",
    "content-disposition:form-data;name=\"N\"",
    "Content-Disposition : form-data; name=\"N\"",
    "Content-Disposition: form-data; name=\"N\"; filename=\"\"",
    "Content-Disposition: form-data; name=\"N\"; filename=",
    "Content-Disposition: form-data; name=\"N\"; filename",
    "Content-Disposition: form-data; name=\"N\"; filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\"; filename*=UTF-8''F",
    "Content-Disposition: form-data; name=\"N\"; filename*=F",
    "Content-Disposition: form-data; name=\"N\"; filename*=UTF-8''",
    "Content-Disposition: form-data; name=\"N\"; filename*0=\"F\"; filename*1=\"x\"",
    "Content-Disposition: form-data; name=\"N\"; filename*0*=UTF-8''F",
    "Content-Disposition: form-data; name=\"N\"; FileName=\"F\"",
    "Content-Disposition: form-data; name=\"N\"; filename =\"F\"",
    "Content-Disposition: form-data; name=\"N\"; filename= \"F\"",
    "Content-Disposition: form-data; name=\"N\"; \"filename\"=\"F\"",
    "Content-Disposition: form-data; name=\"N\"; x=\"; filename=F\"",
    "Content-Disposition: form-data; name=\"N\"; x=\"\\\"; filename=F; y=\"",
    "Content-Disposition: form-data; name=\"N\\\"; filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\"; x='; filename=F'",
    "Content-Disposition: form-data; name=\"N\",filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\" filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\";; filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\"\r\n ; filename=\"F\"",
    "Content-Disposition: form-data;\r\n name=\"N\"",
    "Content-Disposition: form-data;\r\n\tname=\"N\"",
    "Content-Disposition: form-data; name=\"x\"; name=\"N\"",
    "Content-Disposition: form-data; name=\"N\"; name=\"x\"",
    "Content-Disposition: form-data; name*=UTF-8''N",
    "Content-Disposition: form-data; name*0=\"N\"",
    "Content-Disposition: form-data; filename=\"F\"",
    "Content-Disposition: form-data",
    "Content-Disposition: attachment; name=\"N\"",
    "Content-Disposition: file; name=\"N\"; filename=\"F\"",
    "Content-Disposition: inline; name=\"N\"",
    "Content-Disposition: FORM-DATA; NAME=\"N\"",
    "Content-Disposition: ; name=\"N\"",
    "Content-Disposition: name=\"N\"",
    "Content-Disposition: \"form-data\"; name=\"N\"",
    "Content-Disposition:\tform-data;\tname=\"N\"",
    "Content-Disposition: form-data; name=\"N\";",
    "Content-Disposition: form-data; name=\"N\"; ",
    "Content-Disposition: form-data; name=\"N\0\"",
    "Content-Disposition: form-data; name=\"N\"; filename=\"F\0\"",
    "Content-Disposition: form-data; name=\"N\"; filename=\"a\\b\\F\"",
    "Content-Disposition: =?utf-8?q?form-data?=; name=\"N\"",
    "Content-Disposition: form-data; name=\"=?utf-8?B?Tg==?=\"",
    "Content-Disposition: form-data; name=\"N\"; filename=\"=?utf-8?Q?F?=\"",
    "Content_Disposition: form-data; name=\"N\"",
    "Content-Disposition form-data; name=\"N\"",
    "X-Content-Disposition: form-data; name=\"N\"; filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\"\r\nContent-Disposition: form-data; name=\"x\"; filename=\"F\"",
    "Content-Disposition: form-data; name=\"x\"; filename=\"F\"\r\nContent-Disposition: form-data; name=\"N\"",
    "Content-Disposition: form-data; name=\"N\"; size=\"5\"; filename=\"F\"; filename=\"\"",
    "Content-Disposition: form-data; name=\"N\"; filename=\"\"; filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\"; filename*=UTF-8''; filename=\"F\"",
    "Content-Disposition: form-data; name=\"N\"; filename=\"F\"; filename*=UTF-8''",
    "Content-Disposition: form-data (comment); name=\"N\"",
    "Content-Disposition: form-data; name=(c)\"N\"",
    "Content-Disposition: form-data; name=\"N\"; filename\t=\t\"F\"",
    "Content-Disposition: form-data; name=N; filename=F",
    "\tContent-Disposition: form-data; name=\"N\"",
    "",
];

/// Lines beside the one that names a part.
const PART_HEADERS: &[&str] = &[
    "Content-Type: text/plain",
    "Content-Type: text/plain; charset=utf-16",
    "Content-Type: text/plain; charset=utf-7",
    "Content-Type: application/octet-stream",
    "Content-Type: application/json",
    "Content-Type: image/png",
    "Content-Type:",
    "Content-Type: multipart/mixed; boundary=inner",
    "Content-Type: message/rfc822",
    "Content-Type: message/external-body; access-type=URL",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Transfer-Encoding: 8bit",
    "Content-Transfer-Encoding: x-uuencode",
    "Content-Transfer-Encoding: 7bit",
    "Content-Encoding: gzip",
    "Content-Length: 3",
    "Content-Length: 10000",
    "Transfer-Encoding: chunked",
    "X-Note: a",
    " folded",
    "no colon",
    ": no name",
    "X\0Y: a",
    "Content-Disposition: x",
    "Content-Description: a\r\n folded",
    "X-A: a\rX-B: b",
    "X-A: \"",
    "Content-ID: <a>",
    "MIME-Version: 1.0",
];

/// Values of the type, with their boundary. `B` stands for the seeds'.
const TYPES: &[&str] = &[
    "multipart/form-data; boundary=\"B\"",
    "multipart/form-data;boundary=B",
    "multipart/form-data; boundary='B'",
    "multipart/form-data; boundary=B; charset=utf-16",
    "multipart/form-data; charset=utf-8; boundary=B",
    "Multipart/Form-Data; BOUNDARY=B",
    "multipart/form-data; boundary=x; boundary=B",
    "multipart/form-data; boundary=B; boundary=x",
    "multipart/form-data; boundary =B",
    "multipart/form-data; boundary= B",
    "multipart/form-data; boundary=\"B",
    "multipart/form-data; boundary=B ",
    "multipart/form-data; boundary=B;",
    "multipart/form-data; boundary=B,x",
    "multipart/form-data; boundary=B\\",
    "multipart/form-data; boundary=\"B\"x",
    "multipart/form-data; boundary=\"\\B\"",
    "multipart/form-data; boundary=\"B \"",
    "multipart/form-data; boundary*=utf-8''B",
    "multipart/form-data; boundary*0=B",
    "multipart/form-data; boundary*0=x; boundary=B",
    "multipart/form-data; x=\"; boundary=x; \"; boundary=B",
    "multipart/form-data; xboundary=x; boundary=B",
    "multipart/form-data; x=boundary=x; boundary=B",
    "multipart/form-data, boundary=B",
    "multipart/form-data boundary=B",
    "multipart/form-data; boundary",
    "multipart/form-data; boundary=",
    "multipart/form-data",
    "multipart/mixed; boundary=B",
    "multipart/related; boundary=B",
    "multipart/x; boundary=B",
    "multipart/; boundary=B",
    "multipart/form-data\t;\tboundary=B",
    "multipart/form-data; boundary=----",
    "multipart/form-data; boundary=----WebKitFormBoundary",
    "multipart/form-data; boundary=B--",
    "multipart/form-data; boundary=--B",
    "multipart/form-datax; boundary=B",
    "multipart /form-data; boundary=B",
    "application/x-www-form-urlencoded; multipart/form-data; boundary=B",
    "text/plain, multipart/form-data; boundary=B",
    "message/rfc822; boundary=B",
];

/// Lines in the place of a delimiter. `B` stands for the seeds' boundary.
const DELIMITERS: &[&str] = &[
    "--B\n",
    "--B\r",
    "--B \r\n",
    "--B\t\r\n",
    "--B--\r\n",
    "--B-\r\n",
    "--Bx\r\n",
    "--B;\r\n",
    " --B\r\n",
    "\r\n--B\r\n",
    "--B\r\n--B\r\n",
    "--B--\r\n--B\r\n",
    "--B\x0b\r\n",
    "--B\0\r\n",
    "--B--x\r\n",
    "-B\r\n",
    "B\r\n",
    "--b\r\n",
    "--B --\r\n",
    "--B\r\n\r\n",
    "--B\r\n \r\n",
    "--B\r\n\t\r\n",
    "x--B\r\n",
    "\n--B\r\n",
    "\r--B\r\n",
    "--B\x0c\n",
    "--B\r\r\n",
    "--B\r\n\n",
    "--B--\r\nepilogue\r\n--B\r\n",
    "",
];

fn is_multipart(case: &Case) -> bool {
    super::find(&case.body, b"--").first() == Some(&0)
}

/// Lines of the body that begin with `front`, ends included.
fn lines(body: &[u8], front: &[u8]) -> Vec<(usize, usize)> {
    let starts =
        super::find(body, front).into_iter().filter(|at| *at == 0 || body.get(at - 1) == Some(&b'\n'));
    let end = |at: usize| body.iter().skip(at).position(|b| *b == b'\n').map_or(body.len(), |n| at + n + 1);
    starts.map(|at| (at, end(at))).collect()
}

pub(super) fn disposition(case: &mut Case, random: &mut Random) {
    let found = lines(&case.body, b"Content-Disposition");
    if !is_multipart(case) || found.is_empty() {
        return;
    }
    let (from, to) = random.of_list(&found);
    let file = random.of_list(&["tea.txt", "tea.php", "a;b.txt", "t\\ea.txt", "%74ea.txt", "t\u{e9}.txt"]);
    let line = random.of_list(DISPOSITIONS).replace('N', "note").replace('F', file);
    let line = if line.is_empty() { line } else { line + "\r\n" };
    case.body.splice(from..to, line.into_bytes());
}

pub(super) fn part_header(case: &mut Case, random: &mut Random) {
    let found = lines(&case.body, b"Content-Disposition");
    if !is_multipart(case) || found.is_empty() {
        return;
    }
    let (from, to) = random.of_list(&found);
    let at = if random.once_in(2) { from } else { to };
    let line = format!("{}\r\n", random.of_list(PART_HEADERS));
    case.body.splice(at..at, line.into_bytes());
}

pub(super) fn boundary(case: &mut Case, random: &mut Random) {
    if is_multipart(case) {
        let value = random.of_list(TYPES).replace('B', BOUNDARY);
        case.set("content-type", value.as_bytes());
    }
}

pub(super) fn delimiter(case: &mut Case, random: &mut Random) {
    let found = lines(&case.body, format!("--{BOUNDARY}").as_bytes());
    if found.is_empty() {
        return;
    }
    let (from, to) = random.of_list(&found);
    let line = random.of_list(DELIMITERS).replace('B', BOUNDARY).replace('b', &BOUNDARY.to_ascii_lowercase());
    case.body.splice(from..to, line.into_bytes());
}
