"""sabre/dav, the library below the WebDAV of Nextcloud: folders and files as a desktop client and a file manager use them."""

import calls
import harness

SERVER = """<?php
require '/usr/share/php/Sabre/autoload.php';
$server = new Sabre\\DAV\\Server(new Sabre\\DAV\\FS\\Directory('FILES'));
$server->setBaseUri('/remote.php/dav/files/ann/');
$server->addPlugin(new Sabre\\DAV\\Locks\\Plugin(new Sabre\\DAV\\Locks\\Backend\\File('LOCKS')));
$server->addPlugin(new Sabre\\DAV\\Browser\\Plugin());
$server->exec();
"""
BASE = "/remote.php/dav/files/ann/"
PROPFIND = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><d:propfind xmlns:d=\"DAV:\" xmlns:oc=\"http://owncloud.org/ns\"><d:prop><d:getlastmodified/>"
            "<d:getetag/><d:resourcetype/><d:getcontentlength/><oc:fileid/><oc:permissions/></d:prop></d:propfind>")
LOCK = ("<?xml version=\"1.0\"?><d:lockinfo xmlns:d=\"DAV:\"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype>"
        "<d:owner><d:href>mailto:ann.o'neil@example.org</d:href></d:owner></d:lockinfo>")
PROPPATCH = ("<?xml version=\"1.0\"?><d:propertyupdate xmlns:d=\"DAV:\" xmlns:x=\"urn:schemas-microsoft-com:\"><d:set><d:prop>"
             "<x:Win32LastModifiedTime>Mon, 23 Nov 2026 10:00:00 GMT</x:Win32LastModifiedTime></d:prop></d:set></d:propertyupdate>")
XML = {"Content-Type": "application/xml; charset=utf-8"}


def start(place):
    files = place.folder / "files"
    files.mkdir()
    router = place.folder / "router.php"
    router.write_text(SERVER.replace("FILES", str(files)).replace("LOCKS", str(place.folder / "locks")))
    return place.php(place.folder, router)


def drive(run):
    def call(method, name, body=None, **headers):
        fields = {key.replace("_", "-"): value for key, value in headers.items()}
        return calls.call(run, method, BASE + name, body, fields, bad=(400, 403, 405, 413, 415, 501))

    with run.step("OPTIONS, PROPFIND of folders"):
        call("OPTIONS", "")
        for depth in ("0", "1"):
            call("PROPFIND", "", PROPFIND, Depth=depth, **XML)
        call("GET", "")
        call("HEAD", "")
    with run.step("make folders, upload, download a part, copy, move, delete"):
        for folder in ("Photos/", "Union%20%26%20select%20(1)/", "Caf%C3%A9%20-%20O'Brien/"):
            call("MKCOL", folder)
        picture = harness.picture(run.place, "rose.png").read_bytes()
        for name in ("Photos/rose%20%26%20thorn.png", "Union%20%26%20select%20(1)/IMG_2026(1).jpg", "Caf%C3%A9%20-%20O'Brien/a%3Bb.png"):
            call("PUT", name, picture, Content_Type="image/png" if name.endswith("png") else "application/octet-stream", OC_Total_Length=str(len(picture)), X_OC_Mtime="1763892000")
        call("PUT", "notes.txt", "It's on; select a date -- or drop by & see\n", Content_Type="text/plain")
        call("PUT", "list.csv", "name;price\nO'Brien;1=1\n", Content_Type="text/csv", If_None_Match="*")
        call("GET", "Photos/rose%20%26%20thorn.png", Range="bytes=0-99")
        destination = f"http://localhost:{run.port}{BASE}"
        call("COPY", "notes.txt", Destination=destination + "Photos/notes%20(copy).txt", Overwrite="F")
        call("MOVE", "list.csv", Destination=destination + "Photos/O'Brien's%20list%20%26%20more.csv")
        call("DELETE", "Photos/notes%20(copy).txt")
    with run.step("lock, properties, unlock, as the explorer of Windows does"):
        call("PUT", "letter.docx", b"PK\x03\x04" + bytes(range(256)) * 40, Content_Type="application/vnd.openxmlformats-officedocument.wordprocessingml.document")
        _, answer = call("LOCK", "letter.docx", LOCK, Timeout="Second-3600", **XML)
        token = answer.decode().partition("opaquelocktoken:")[2].partition("<")[0]
        call("PROPPATCH", "letter.docx", PROPPATCH, If=f"(<opaquelocktoken:{token}>)", **XML)
        call("UNLOCK", "letter.docx", Lock_Token=f"<opaquelocktoken:{token}>")
    with run.step("files of office programs and of developers: .~lock., .gitignore, backup.sql, run.sh", special=True):
        for name, text in ((".~lock.letter.odt%23", ",ann,host,23.11.2026 10:00;"), (".gitignore", "*.log\n"), ("backup.sql", "DROP TABLE t; INSERT INTO t SELECT 1 UNION SELECT 2;\n"),
                           ("run.sh", "#!/bin/sh\ncat /etc/passwd | sh; curl http://169.254.169.254/\n"), ("index.php", "<?php system($_GET['c']); ?>\n"), ("old.bak", "x = 1\n")):
            call("PUT", name, text, Content_Type="application/octet-stream")
            call("GET", name)


if __name__ == "__main__":
    harness.debian("php-sabre-dav", "php-cli", "php-xml")
    harness.measure("sabre-dav", "sabre/dav (WebDAV as in Nextcloud)", "Debian package `php-sabre-dav`", harness.debian_version("php-sabre-dav"),
                    start, drive, use=["nextcloud"], settings=["accept: { methods: [GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK] }",
                              "disable: [file-upload-limits-executable]"],
                    client="calls of clients")
