//! The one list of protections. Selectors, suggestions, the printed catalog, reference pages, the JSON Schema,
//! metric labels and the test grid derive from it. It must not know rules, routes or configuration.
//!
//! One row: variant, canonical name, family, bucket (empty when the leaf stands directly under its family), default,
//! CWE numbers, status of a refusal, what it looks for, when an operator would disable (or, for one that is off, enable) it.
//! Names are never renamed or reused: see [`super::ALIASES`].

use super::Default::{Off, On};

macro_rules! leaves {
    ($($variant:ident, $name:literal, $family:literal, $bucket:literal, $default:ident, [$($cwe:literal),+], $status:literal, $summary:literal, $when:literal;)+) => {
        /// A protection: the leaf level of the catalog.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each row of the table documents its variant")]
        pub enum Leaf { $($variant),+ }

        /// Every row, in the order of [`Leaf`].
        pub const TABLE: &[super::Row] = &[$(super::Row {
            leaf: Leaf::$variant, name: $name, family: $family, bucket: $bucket, default: $default,
            cwe: &[$($cwe),+], status: $status, summary: $summary, when: $when,
        }),+];
    };
}

leaves! {
    SqlInjectionGeneric, "sql-injection-generic", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionGenericAggressive, "sql-injection-generic-aggressive", "sql", "sql-injection", Off, [89], 403,
        "",
        "";
    SqlInjectionOperators, "sql-injection-operators", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionFunctionCalls, "sql-injection-function-calls", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionSystemSchemaNames, "sql-injection-system-schema-names", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionSqlComments, "sql-injection-sql-comments", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionCommentsInJson, "sql-injection-comments-in-json", "sql", "sql-injection", Off, [89], 403,
        "",
        "";
    SqlInjectionBackticks, "sql-injection-backticks", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionHexEncoded, "sql-injection-hex-encoded", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionStringConcatenation, "sql-injection-string-concatenation", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionSpecialCharacterDensity, "sql-injection-special-character-density", "sql", "sql-injection", Off, [89], 403,
        "",
        "";
    SqlInjectionTimeBased, "sql-injection-time-based", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionAlwaysTrue, "sql-injection-always-true", "sql", "sql-injection", Off, [89], 403,
        "",
        "";
    SqlInjectionUnionSelect, "sql-injection-union-select", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionIfStatements, "sql-injection-if-statements", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionMultipleStatements, "sql-injection-multiple-statements", "sql", "sql-injection", Off, [89], 403,
        "",
        "";
    SqlInjectionQueryClosers, "sql-injection-query-closers", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionOverflowProbes, "sql-injection-overflow-probes", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionLoginBypass, "sql-injection-login-bypass", "sql", "sql-injection", On, [89, 287], 403,
        "",
        "";
    SqlInjectionQuotesInText, "sql-injection-quotes-in-text", "sql", "sql-injection", Off, [89, 287], 403,
        "",
        "";
    SqlInjectionMssqlSpecific, "sql-injection-mssql-specific", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionStoredProcedures, "sql-injection-stored-procedures", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionMongodbOperators, "sql-injection-mongodb-operators", "sql", "sql-injection", On, [943], 403,
        "",
        "";
    SqlInjectionJsonOperators, "sql-injection-json-operators", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlInjectionScientificNotation, "sql-injection-scientific-notation", "sql", "sql-injection", On, [89], 403,
        "",
        "";
    SqlDataLeakageMssql, "sql-data-leakage-mssql", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageMsaccess, "sql-data-leakage-msaccess", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageOracle, "sql-data-leakage-oracle", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageDb2, "sql-data-leakage-db2", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageInformix, "sql-data-leakage-informix", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageSybase, "sql-data-leakage-sybase", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageMysql, "sql-data-leakage-mysql", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakagePostgres, "sql-data-leakage-postgres", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageSqlite, "sql-data-leakage-sqlite", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageFirebird, "sql-data-leakage-firebird", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageFrontbase, "sql-data-leakage-frontbase", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageHsqldb, "sql-data-leakage-hsqldb", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageIngres, "sql-data-leakage-ingres", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageInterbase, "sql-data-leakage-interbase", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageMaxdb, "sql-data-leakage-maxdb", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    SqlDataLeakageEmc, "sql-data-leakage-emc", "sql", "sql-data-leakage", On, [209], 403,
        "",
        "";
    PhpInjectionOpenTags, "php-injection-open-tags", "php", "php-injection", On, [94], 403,
        "",
        "";
    PhpInjectionScriptUpload, "php-injection-script-upload", "php", "php-injection", On, [434], 403,
        "",
        "";
    PhpInjectionConfigDirectives, "php-injection-config-directives", "php", "php-injection", On, [94], 403,
        "",
        "";
    PhpInjectionSuperglobalNames, "php-injection-superglobal-names", "php", "php-injection", On, [94], 403,
        "",
        "";
    PhpInjectionStreamWrappers, "php-injection-stream-wrappers", "php", "php-injection", On, [94, 98], 403,
        "",
        "";
    PhpInjectionDangerousFunctions, "php-injection-dangerous-functions", "php", "php-injection", On, [94, 95], 403,
        "",
        "";
    PhpInjectionSuspiciousFunctionsAggressive, "php-injection-suspicious-functions-aggressive", "php", "php-injection", Off, [94], 403,
        "",
        "";
    PhpInjectionSerializedObjects, "php-injection-serialized-objects", "php", "php-injection", On, [502], 403,
        "",
        "";
    PhpInjectionIndirectFunctionCalls, "php-injection-indirect-function-calls", "php", "php-injection", On, [94], 403,
        "",
        "";
    PhpDataLeakageVersionInfo, "php-data-leakage-version-info", "php", "php-data-leakage", On, [200], 403,
        "",
        "";
    PhpDataLeakageSourceCode, "php-data-leakage-source-code", "php", "php-data-leakage", On, [540], 403,
        "",
        "";
    JavaInjectionClassAndMethodNames, "java-injection-class-and-method-names", "java", "java-injection", On, [94], 403,
        "",
        "";
    JavaInjectionStruts2RuntimeExec, "java-injection-struts2-runtime-exec", "java", "java-injection", On, [78, 94], 403,
        "",
        "";
    JavaInjectionSerializedObjects, "java-injection-serialized-objects", "java", "java-injection", On, [502], 403,
        "",
        "";
    JavaInjectionScriptUpload, "java-injection-script-upload", "java", "java-injection", On, [434], 403,
        "",
        "";
    JavaInjectionLog4shell, "java-injection-log4shell", "java", "java-injection", On, [917], 403,
        "",
        "";
    JavaInjectionBase64EncodedKeywords, "java-injection-base64-encoded-keywords", "java", "java-injection", Off, [94], 403,
        "",
        "";
    JavaDataLeakageStackTrace, "java-data-leakage-stack-trace", "java", "java-data-leakage", On, [209], 403,
        "",
        "";
    RubyInjectionSystemCalls, "ruby-injection-system-calls", "ruby", "ruby-injection", On, [78, 94], 403,
        "",
        "";
    RubyDataLeakageVersionInfo, "ruby-data-leakage-version-info", "ruby", "ruby-data-leakage", On, [200], 403,
        "",
        "";
    RubyDataLeakageSourceCode, "ruby-data-leakage-source-code", "ruby", "ruby-data-leakage", Off, [540], 403,
        "",
        "";
    PerlInjectionSystemCalls, "perl-injection-system-calls", "perl", "", On, [78, 94], 403,
        "",
        "";
    IisDataLeakageInstallPaths, "iis-data-leakage-install-paths", "iis", "iis-data-leakage", On, [200, 540], 403,
        "",
        "";
    IisDataLeakageAvailabilityErrors, "iis-data-leakage-availability-errors", "iis", "iis-data-leakage", On, [209], 403,
        "",
        "";
    IisDataLeakageVersionHeaders, "iis-data-leakage-version-headers", "iis", "iis-data-leakage", On, [200], 403,
        "",
        "";
    JavascriptInjectionEval, "javascript-injection-eval", "javascript", "", On, [94, 95], 403,
        "",
        "";
    JavascriptInfiniteLoops, "javascript-infinite-loops", "javascript", "", On, [400, 1333], 403,
        "",
        "";
    JavascriptPrototypePollution, "javascript-prototype-pollution", "javascript", "", On, [1321], 403,
        "",
        "";
    CrossSiteScriptingScriptTags, "cross-site-scripting-script-tags", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingEventHandlers, "cross-site-scripting-event-handlers", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingHtmlAttributes, "cross-site-scripting-html-attributes", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingHtmlInjectionMarkers, "cross-site-scripting-html-injection-markers", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingSuspiciousKeywords, "cross-site-scripting-suspicious-keywords", "cross-site-scripting", "cross-site-scripting-html-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingJavascriptUrls, "cross-site-scripting-javascript-urls", "cross-site-scripting", "cross-site-scripting-javascript-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingJavascriptKeywords, "cross-site-scripting-javascript-keywords", "cross-site-scripting", "cross-site-scripting-javascript-context", On, [79], 403,
        "",
        "";
    CrossSiteScriptingAngularTemplates, "cross-site-scripting-angular-templates", "cross-site-scripting", "cross-site-scripting-javascript-context", Off, [79, 1336], 403,
        "",
        "";
    CrossSiteScriptingEncodingEvasion, "cross-site-scripting-encoding-evasion", "cross-site-scripting", "cross-site-scripting-encoding-tricks", On, [79, 176], 403,
        "",
        "";
    CrossSiteScriptingJsfuckObfuscation, "cross-site-scripting-jsfuck-obfuscation", "cross-site-scripting", "cross-site-scripting-encoding-tricks", On, [79], 403,
        "",
        "";
    CrossSiteScriptingInternetExplorer, "cross-site-scripting-internet-explorer", "cross-site-scripting", "cross-site-scripting-legacy-browsers", On, [79], 403,
        "",
        "";
    CommandInjectionUnixCommands, "command-injection-unix-commands", "command-injection", "command-injection-unix", On, [77, 78], 403,
        "",
        "";
    CommandInjectionEnglishWords, "command-injection-english-words", "command-injection", "command-injection-unix", Off, [77, 78], 403,
        "",
        "";
    CommandInjectionShellSubstitution, "command-injection-shell-substitution", "command-injection", "command-injection-unix", On, [78], 403,
        "",
        "";
    CommandInjectionShellAliases, "command-injection-shell-aliases", "command-injection", "command-injection-unix", On, [78], 403,
        "",
        "";
    CommandInjectionShellHistory, "command-injection-shell-history", "command-injection", "command-injection-unix", On, [78], 403,
        "",
        "";
    CommandInjectionBraceExpansion, "command-injection-brace-expansion", "command-injection", "command-injection-unix", On, [78], 403,
        "",
        "";
    CommandInjectionShellWildcards, "command-injection-shell-wildcards", "command-injection", "command-injection-unix", Off, [78], 403,
        "",
        "";
    CommandInjectionEvasionTricks, "command-injection-evasion-tricks", "command-injection", "command-injection-unix", Off, [78], 403,
        "",
        "";
    CommandInjectionForkBomb, "command-injection-fork-bomb", "command-injection", "command-injection-unix", On, [78, 400], 403,
        "",
        "";
    CommandInjectionShellshock, "command-injection-shellshock", "command-injection", "command-injection-unix", On, [78], 403,
        "",
        "";
    CommandInjectionWindowsCmd, "command-injection-windows-cmd", "command-injection", "command-injection-windows", On, [77, 78], 403,
        "",
        "";
    CommandInjectionPowershell, "command-injection-powershell", "command-injection", "command-injection-windows", On, [78], 403,
        "",
        "";
    CommandInjectionSqliteShell, "command-injection-sqlite-shell", "command-injection", "command-injection-embedded-shells", Off, [78], 403,
        "",
        "";
    LocalFileAccessDotDotPaths, "local-file-access-dot-dot-paths", "local-file-access", "", On, [22, 23], 403,
        "",
        "";
    LocalFileAccessOsFiles, "local-file-access-os-files", "local-file-access", "", On, [22, 200], 403,
        "",
        "";
    LocalFileAccessDotfiles, "local-file-access-dotfiles", "local-file-access", "", On, [22, 538], 403,
        "",
        "";
    LocalFileAccessAiToolFiles, "local-file-access-ai-tool-files", "local-file-access", "", On, [22, 538], 403,
        "",
        "";
    RemoteFileFetchIpUrls, "remote-file-fetch-ip-urls", "remote-file-fetch", "", On, [98], 403,
        "",
        "";
    RemoteFileFetchSuspiciousParamNames, "remote-file-fetch-suspicious-param-names", "remote-file-fetch", "", On, [98], 403,
        "",
        "";
    RemoteFileFetchTruncationTrick, "remote-file-fetch-truncation-trick", "remote-file-fetch", "", On, [98], 403,
        "",
        "";
    RemoteFileFetchExternalUrls, "remote-file-fetch-external-urls", "remote-file-fetch", "", Off, [98, 918], 403,
        "",
        "";
    OutboundRequestForgeryCloudMetadata, "outbound-request-forgery-cloud-metadata", "outbound-request-forgery", "", On, [918], 403,
        "",
        "";
    OutboundRequestForgeryInternalAddresses, "outbound-request-forgery-internal-addresses", "outbound-request-forgery", "", On, [918], 403,
        "",
        "";
    FileUploadAttacksCharsetTrick, "file-upload-attacks-charset-trick", "file-upload", "file-upload-attacks", On, [444], 403,
        "",
        "";
    FileUploadAttacksContentTypeTrick, "file-upload-attacks-content-type-trick", "file-upload", "file-upload-attacks", On, [444], 403,
        "",
        "";
    FileUploadAttacksDeprecatedEncoding, "file-upload-attacks-deprecated-encoding", "file-upload", "file-upload-attacks", On, [444], 403,
        "",
        "";
    FileUploadAttacksHeaderTricks, "file-upload-attacks-header-tricks", "file-upload", "file-upload-attacks", On, [444], 403,
        "",
        "";
    FileUploadLimitsMaxFileCount, "file-upload-limits-max-file-count", "file-upload", "file-upload-limits", On, [770], 403,
        "",
        "";
    FileUploadLimitsMaxFileSize, "file-upload-limits-max-file-size", "file-upload", "file-upload-limits", On, [400, 434, 770], 403,
        "",
        "";
    FileUploadLimitsMaxTotalSize, "file-upload-limits-max-total-size", "file-upload", "file-upload-limits", On, [400, 770], 413,
        "",
        "";
    FileUploadLimitsAllowedTypes, "file-upload-limits-allowed-types", "file-upload", "file-upload-limits", On, [434], 403,
        "",
        "";
    FileUploadLimitsDoubleExtension, "file-upload-limits-double-extension", "file-upload", "file-upload-limits", On, [434], 403,
        "",
        "";
    FileUploadLimitsExecutable, "file-upload-limits-executable", "file-upload", "file-upload-limits", On, [434], 403,
        "",
        "";
    HttpComplianceMalformedRequestLine, "http-compliance-malformed-request-line", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "",
        "";
    HttpComplianceMultipartBoundaries, "http-compliance-multipart-boundaries", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "",
        "";
    HttpComplianceContentLength, "http-compliance-content-length", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "",
        "";
    HttpComplianceGetWithBody, "http-compliance-get-with-body", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "",
        "";
    HttpCompliancePostWithoutLength, "http-compliance-post-without-length", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "",
        "";
    HttpComplianceConflictingLength, "http-compliance-conflicting-length", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "",
        "";
    HttpComplianceHttpVersion, "http-compliance-http-version", "http-compliance", "http-compliance-request-framing", On, [444], 400,
        "",
        "";
    HttpComplianceMethodOverrideParam, "http-compliance-method-override-param", "http-compliance", "http-compliance-request-framing", Off, [444], 403,
        "",
        "";
    HttpComplianceUriFragments, "http-compliance-uri-fragments", "http-compliance", "http-compliance-request-framing", On, [444], 403,
        "",
        "";
    HttpComplianceMalformedBody, "http-compliance-malformed-body", "http-compliance", "http-compliance-request-framing", On, [20], 403,
        "",
        "";
    HttpComplianceHostHeader, "http-compliance-host-header", "http-compliance", "http-compliance-headers", On, [20], 403,
        "",
        "";
    HttpComplianceAcceptHeader, "http-compliance-accept-header", "http-compliance", "http-compliance-headers", Off, [20], 403,
        "",
        "";
    HttpComplianceUserAgentHeader, "http-compliance-user-agent-header", "http-compliance", "http-compliance-headers", Off, [20], 403,
        "",
        "";
    HttpComplianceContentTypeHeader, "http-compliance-content-type-header", "http-compliance", "http-compliance-headers", On, [20], 403,
        "",
        "";
    HttpComplianceAcceptEncoding, "http-compliance-accept-encoding", "http-compliance", "http-compliance-headers", On, [20], 403,
        "",
        "";
    HttpComplianceRestrictedHeaders, "http-compliance-restricted-headers", "http-compliance", "http-compliance-headers", On, [20], 403,
        "",
        "";
    HttpComplianceRangeHeader, "http-compliance-range-header", "http-compliance", "http-compliance-headers", On, [400], 403,
        "",
        "";
    HttpComplianceConnectionHeader, "http-compliance-connection-header", "http-compliance", "http-compliance-headers", On, [444], 403,
        "",
        "";
    HttpComplianceDoubleUrlEncoding, "http-compliance-double-url-encoding", "http-compliance", "http-compliance-character-encoding", Off, [177], 403,
        "",
        "";
    HttpComplianceUtf8Tricks, "http-compliance-utf8-tricks", "http-compliance", "http-compliance-character-encoding", On, [176], 403,
        "",
        "";
    HttpComplianceNullBytes, "http-compliance-null-bytes", "http-compliance", "http-compliance-character-encoding", On, [158], 403,
        "",
        "";
    HttpComplianceNonPrintableCharacters, "http-compliance-non-printable-characters", "http-compliance", "http-compliance-character-encoding", Off, [176], 403,
        "",
        "";
    HttpComplianceAllowedContentTypes, "http-compliance-allowed-content-types", "http-compliance", "http-compliance-allowed-shapes", On, [20], 415,
        "",
        "";
    HttpComplianceBlockedExtensions, "http-compliance-blocked-extensions", "http-compliance", "http-compliance-allowed-shapes", On, [538], 403,
        "",
        "";
    HttpComplianceBackupFileProbes, "http-compliance-backup-file-probes", "http-compliance", "http-compliance-allowed-shapes", On, [530], 403,
        "",
        "";
    HttpAttacksRequestSmuggling, "http-attacks-request-smuggling", "http-attacks", "", On, [444], 400,
        "",
        "";
    HttpAttacksResponseSplitting, "http-attacks-response-splitting", "http-attacks", "", On, [113], 403,
        "",
        "";
    HttpAttacksHeaderCrlfInjection, "http-attacks-header-crlf-injection", "http-attacks", "", On, [93, 113], 403,
        "",
        "";
    HttpAttacksDuplicateParameters, "http-attacks-duplicate-parameters", "http-attacks", "", Off, [235], 403,
        "",
        "";
    HttpAttacksRangeDos, "http-attacks-range-dos", "http-attacks", "", Off, [400], 403,
        "",
        "";
    HttpAttacksApacheModProxy, "http-attacks-apache-mod-proxy", "http-attacks", "", On, [444], 403,
        "",
        "";
    HttpAttacksRfc2109Cookies, "http-attacks-rfc2109-cookies", "http-attacks", "", On, [565], 403,
        "",
        "";
    HttpAttacksDangerousContentTypes, "http-attacks-dangerous-content-types", "http-attacks", "", On, [434], 403,
        "",
        "";
    LdapInjection, "ldap-injection", "ldap-injection", "", On, [90], 403,
        "",
        "";
    MailProtocolInjection, "mail-protocol-injection", "mail-protocol-injection", "", On, [77, 93], 403,
        "",
        "";
    TemplateInjection, "template-injection", "template-injection", "", On, [94, 1336], 403,
        "",
        "";
    DataUriAbuse, "data-uri-abuse", "data-uri-abuse", "", On, [79, 918], 403,
        "",
        "";
    ServerDataLeakageDirectoryListing, "server-data-leakage-directory-listing", "server-data-leakage", "", On, [548], 403,
        "",
        "";
    ServerDataLeakageCgiSource, "server-data-leakage-cgi-source", "server-data-leakage", "", On, [540], 403,
        "",
        "";
    ServerDataLeakageAspnetErrors, "server-data-leakage-aspnet-errors", "server-data-leakage", "", On, [209], 403,
        "",
        "";
    ServerDataLeakage5xxBodies, "server-data-leakage-5xx-bodies", "server-data-leakage", "", Off, [209], 403,
        "",
        "";
    WebShellDetection, "web-shell-detection", "web-shell-detection", "", On, [94, 912], 403,
        "",
        "";
    ScannerDetectionUserAgent, "scanner-detection-user-agent", "scanner-detection", "", On, [200], 403,
        "",
        "";
    SessionFixationCookieInjection, "session-fixation-cookie-injection", "session-fixation", "", On, [384], 403,
        "",
        "";
    SessionFixationExternalReferer, "session-fixation-external-referer", "session-fixation", "", On, [384], 403,
        "",
        "";
    SessionFixationMissingReferer, "session-fixation-missing-referer", "session-fixation", "", On, [384], 403,
        "",
        "";
    Http2FrameFlood, "http2-frame-flood", "http2", "", On, [400], 403,
        "",
        "";
    Http2HeaderBomb, "http2-header-bomb", "http2", "", On, [400, 409], 403,
        "",
        "";
    Http2MaxStreams, "http2-max-streams", "http2", "", On, [400, 770], 403,
        "",
        "";
    RequestValidationMaxBodySize, "request-validation-max-body-size", "request-validation", "", On, [400, 770], 413,
        "",
        "";
    RequestValidationMaxUrlLength, "request-validation-max-url-length", "request-validation", "", On, [400], 414,
        "",
        "";
    RequestValidationMaxHeaderSize, "request-validation-max-header-size", "request-validation", "", On, [400], 431,
        "",
        "";
    RequestValidationMaxHeaderCount, "request-validation-max-header-count", "request-validation", "", On, [400], 431,
        "",
        "";
    RequestValidationArgumentLimits, "request-validation-argument-limits", "request-validation", "", On, [400], 403,
        "",
        "";
    RequestValidationAllowedMethods, "request-validation-allowed-methods", "request-validation", "", On, [749], 405,
        "",
        "";
    RequestValidationRequireHostHeader, "request-validation-require-host-header", "request-validation", "", On, [20], 400,
        "",
        "";
    RequestValidationRequireContentType, "request-validation-require-content-type", "request-validation", "", On, [20], 415,
        "",
        "";
    RequestValidationSlowClients, "request-validation-slow-clients", "request-validation", "", On, [400], 408,
        "",
        "";
    JsonParsingMaxDepth, "json-parsing-max-depth", "json-parsing", "", On, [400, 674], 403,
        "",
        "";
    JsonParsingMaxKeys, "json-parsing-max-keys", "json-parsing", "", On, [400, 407], 403,
        "",
        "";
    XmlParsingMaxDepth, "xml-parsing-max-depth", "xml-parsing", "", On, [400, 674], 403,
        "",
        "";
    XmlParsingEntityExpansion, "xml-parsing-entity-expansion", "xml-parsing", "", On, [776], 403,
        "",
        "";
    ResourceLimitsMaxInspectionSize, "resource-limits-max-inspection-size", "resource-limits", "", Off, [400], 403,
        "",
        "";
    ResourceLimitsMaxMemory, "resource-limits-max-memory", "resource-limits", "", On, [400, 770], 503,
        "",
        "";
    ResourceLimitsDecompressionRatio, "resource-limits-decompression-ratio", "resource-limits", "", On, [409], 403,
        "",
        "";
    ResourceLimitsEvaluationTimeout, "resource-limits-evaluation-timeout", "resource-limits", "", On, [400, 1333], 403,
        "",
        "";
    OpenapiPathNotInSpec, "openapi-path-not-in-spec", "openapi", "", On, [20], 404,
        "",
        "";
    OpenapiMethodNotInSpec, "openapi-method-not-in-spec", "openapi", "", On, [749], 405,
        "",
        "";
    OpenapiParameterMismatch, "openapi-parameter-mismatch", "openapi", "", On, [20], 422,
        "",
        "";
    OpenapiBodyMismatch, "openapi-body-mismatch", "openapi", "", On, [20], 422,
        "",
        "";
    OpenapiContentTypeNotInSpec, "openapi-content-type-not-in-spec", "openapi", "", On, [20], 415,
        "",
        "";
    ResponseHeadersAddHsts, "response-headers-add-hsts", "response-headers", "response-headers-add", On, [319], 403,
        "",
        "";
    ResponseHeadersAddCsp, "response-headers-add-csp", "response-headers", "response-headers-add", Off, [79, 1021], 403,
        "",
        "";
    ResponseHeadersAddFrameOptions, "response-headers-add-frame-options", "response-headers", "response-headers-add", On, [1021], 403,
        "",
        "";
    ResponseHeadersAddNosniff, "response-headers-add-nosniff", "response-headers", "response-headers-add", On, [79, 430], 403,
        "",
        "";
    ResponseHeadersAddReferrerPolicy, "response-headers-add-referrer-policy", "response-headers", "response-headers-add", On, [200], 403,
        "",
        "";
    ResponseHeadersAddDnsPrefetch, "response-headers-add-dns-prefetch", "response-headers", "response-headers-add", On, [200], 403,
        "",
        "";
    ResponseHeadersAddCoop, "response-headers-add-coop", "response-headers", "response-headers-add", Off, [1021], 403,
        "",
        "";
    ResponseHeadersAddCoep, "response-headers-add-coep", "response-headers", "response-headers-add", Off, [1021], 403,
        "",
        "";
    ResponseHeadersAddCorp, "response-headers-add-corp", "response-headers", "response-headers-add", Off, [1021], 403,
        "",
        "";
    ResponseHeadersAddPermissionsPolicy, "response-headers-add-permissions-policy", "response-headers", "response-headers-add", Off, [1021], 403,
        "",
        "";
    ResponseHeadersAddCacheControl, "response-headers-add-cache-control", "response-headers", "response-headers-add", Off, [525], 403,
        "",
        "";
    ResponseHeadersRemoveServer, "response-headers-remove-server", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemovePoweredBy, "response-headers-remove-powered-by", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveAspnetVersion, "response-headers-remove-aspnet-version", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveGenerator, "response-headers-remove-generator", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveDrupal, "response-headers-remove-drupal", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveVarnish, "response-headers-remove-varnish", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveVia, "response-headers-remove-via", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveRuntime, "response-headers-remove-runtime", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveDebug, "response-headers-remove-debug", "response-headers", "response-headers-remove", On, [200, 489], 403,
        "",
        "";
    ResponseHeadersRemoveBackendServer, "response-headers-remove-backend-server", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseHeadersRemoveVersion, "response-headers-remove-version", "response-headers", "response-headers-remove", On, [200], 403,
        "",
        "";
    ResponseInspectionOpenRedirects, "response-inspection-open-redirects", "response-inspection", "", On, [601], 403,
        "",
        "";
    ResponseInspectionOpenapiValidation, "response-inspection-openapi-validation", "response-inspection", "", Off, [20], 403,
        "",
        "";
}
