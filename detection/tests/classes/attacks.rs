//! Attacks in spellings of their own, beside honest values that are written alike.

use super::{get, is_refused, passes};

#[test]
fn procedural_statements_behind_a_separator() {
    for value in [
        "5;begin my_pkg.wait(9); end;",
        "5');begin a.b.wait(9); end--",
        "5;begin if (3=3) then null; end if; end;",
        "7;call wait_for(repeat('a',9))",
        "7);if(4=4) select 1 else drop table x--",
        "3;iif(2=2,1,0)",
        "3/**/;/**/BeGiN/**/my_pkg.wait(9)",
        "shoes' in boolean mode) or 3=3#",
        "shoes\") in boolean mode) order by 9-- -",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "The match is over; begin at noon (sharp)",
        "int a = 1;\n  if (a == b) {\n    return c;\n  }",
        "Sort it; call me (maybe) tonight",
        "begin work; commit early",
        "search in boolean mode (advanced)",
    ] {
        passes(&get(value));
    }
}

#[test]
fn paths_with_escapes_that_nothing_decodes() {
    for coded in [
        "..%c0%9x..%c0%9xetc%c0%9xshadow",
        "%c1%1d%c1%1d%c1%8tetc%c1%8tgroup",
        "..%25%32%66..%zzetc%zzpasswd",
        "%fe%fe%ffwindows%ffwin.ini",
        "..%u2215..%u2215etc%u2215passwd",
        "a%01..%01..%01etc%01hosts",
        "WEB-INF/classes/app.properties",
        "/x/..;/WEB-INF/lib/",
    ] {
        is_refused(&format!("GET /?f={coded} HTTP/1.1\r\nHost: shop.example\r\n\r\n"));
    }
    for coded in [
        "gr%FC%DFe%20aus%20etc",
        "100%25%20etc.",
        "%E6%97%A5%E6%9C%AC/etc",
        "a%01b",
        "^%5B%25%26%5D%7B8%7D%24",
    ] {
        passes(&format!("GET /?f={coded} HTTP/1.1\r\nHost: shop.example\r\n\r\n"));
    }
}

#[test]
fn commands_within_words_and_calls() {
    for value in [
        "'.print(`echo ab`.`echo cd`);//",
        "x(`id`)",
        "abc$(sleep 9)def",
        "3$((4+5))$(expr 2 + 2)",
        "8.8.8.8|[ 1 -eq 1 ] && sleep 4",
        "8.8.8.8;cat secret.txt;#a(b)",
        "8.8.8.8;cat secret.txt;echo ${x:-a(b)}",
        "8.8.8.8;{ (cat secret.txt);}",
        "8.8.8.8;time -p (cat secret.txt)",
        "8.8.8.8;if ! (cat secret.txt); then :; fi",
        "\" | [ 7 -ne $(echo ab | wc -c) ] || sleep 3",
    ] {
        is_refused(&get(value));
    }
    for value in ["see `ls` for that", "costs $(5)", "[ ] milk | [x] bread", "a | [ -1 ] | b", "f(`name`)"] {
        passes(&get(value));
    }
}

#[test]
fn one_step_up_to_what_servers_do_not_hand_out() {
    for value in [
        "../config.php",
        "..\\settings.ini",
        "uploads/../Web.config",
        "a/b/../../conf/db.properties",
        "/pages/../../",
        "../Program Files/Vendor/conf/server.conf",
        "../webapps/x/y.txt",
        "..../etc/hostname",
        "file:///d:/",
        "jar:file:///c://windows/win.ini",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "../images/logo.png",
        "../tsconfig.base.json",
        "docs/../README.md",
        "file:///C:/Users/ana/page.html",
        "file:///{path}",
        "C:\\fakepath\\photo.jpg",
        "see ../notes for more",
    ] {
        passes(&get(value));
    }
}

#[test]
fn statements_without_a_query() {
    for value in [
        "1;delete from orders",
        "7; merge into a using b on (2=2)",
        "3; create table q(a int)",
        "x' delete from orders--",
        "x' update staff set pin='0' where name='eve",
        "x', role='boss' where name='eve'-- -",
        "';if 2=2 shutdown-- -",
        "2;begin dbms_session.sleep(4); end;",
        "begin if (3=3) then dbms_session.sleep(4); end if; end;",
        "1' union table staff--",
        "-3 union values row(version(),4)",
        "9-(select pin like '1%' from staff where id=2)",
        "3=(select top 1 pin from staff)",
        "name,(select password from staff)",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "Step 1; delete from the cart",
        "1; update the list",
        "it's an update: set the clock",
        "name='x', role='y'",
        "Select option 2 from the menu",
        "students union table tennis",
        "begin at 5 (sharp); end at 6",
    ] {
        passes(&get(value));
    }
}

#[test]
fn conditions_without_a_word_between() {
    for value in [
        "7-(left(pin,1)='a')",
        "3*(pin>'m')",
        "(14=15)*15",
        "elt(7=7,2)",
        "2 and 3=@@version",
        "'+@@datadir+'",
        "OR NOT (34=35)",
        "end and 'k'='k",
        "aa'^(0)='0",
        "Q' = 'Q' = 'Q",
        "2' * id - '0",
        "' or isnull(null)#",
        "4 + ascii(substring(pin,1,1)) - 9",
        "utl_inaddr.get_host_address('a')",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "3*(4+5)",
        "(5+5)*2",
        "2 + max(3,4)",
        "the end and the beginning",
        "5' * 6' table",
        "a = b = c",
        "print(\"a\",i,\"=\",n*i)",
        "=IF(A1>5,\"yes\",\"no\")",
    ] {
        passes(&get(value));
    }
}

#[test]
fn a_second_line_with_one_file_is_a_command() {
    for value in ["x\ncat secret.txt", "john\ncat notes.md", "a\r\nhead report.csv"] {
        is_refused(&get(value));
    }
    for value in [
        "dog\ncat",
        "milk\ncat food, two tins\nbread",
        "Dear all,\ncat pictures are in pets.zip as usual",
        "sort\nmore",
    ] {
        passes(&get(value));
    }
}

#[test]
fn strings_are_ended_by_assignments_of_calls_too() {
    for value in [
        "\";d=new Date();do{cd=new Date();}while(cd-d<10000);//",
        "';var t = wait(9000);//",
        "'};let x=probe();z='",
        "123${${print `whoami`}}",
    ] {
        is_refused(&get(value));
    }
    for value in ["\"; a = b; //", "'x' = f(y) is the rule", "it's x=f(1) // as above", "${{ github.ref }}"] {
        passes(&get(value));
    }
}
