//! Rules of the OWASP Core Rule Set that look for the same as a leaf: for people who come from there, in suggestions and
//! on the page about migration. The ids are pointers, no promise of equal verdicts. It knows names, not the configuration.

use std::ops::RangeInclusive;

use waf_shared::catalog::Leaf;

/// Leaves with the ids of the rules, as they are printed: single ids and ranges with both ends included.
const RULES: &[(Leaf, &str)] = &[
    (Leaf::SqlInjectionGeneric, "942100, 942101"),
    (Leaf::SqlInjectionGenericAggressive, "942330, 942370, 942380, 942390, 942400, 942470, 942480, 942490"),
    (Leaf::SqlInjectionOperators, "942120, 942250, 942251"),
    (Leaf::SqlInjectionFunctionCalls, "942150, 942151, 942152, 942410"),
    (Leaf::SqlInjectionSystemSchemaNames, "942140"),
    (Leaf::SqlInjectionSqlComments, "942440, 942500"),
    (Leaf::SqlInjectionCommentsInJson, "942200"),
    (Leaf::SqlInjectionBackticks, "942510, 942511"),
    (Leaf::SqlInjectionHexEncoded, "942450"),
    (Leaf::SqlInjectionStringConcatenation, "942360, 942362"),
    (Leaf::SqlInjectionSpecialCharacterDensity, "942420, 942421, 942430, 942431, 942432, 942460"),
    (Leaf::SqlInjectionTimeBased, "942160, 942170, 942280"),
    (Leaf::SqlInjectionAlwaysTrue, "942130, 942131"),
    (Leaf::SqlInjectionUnionSelect, "942270, 942361"),
    (Leaf::SqlInjectionIfStatements, "942230, 942300"),
    (Leaf::SqlInjectionMultipleStatements, "942210, 942310"),
    (Leaf::SqlInjectionQueryClosers, "942530"),
    (Leaf::SqlInjectionOverflowProbes, "942220"),
    (Leaf::SqlInjectionLoginBypass, "942180, 942260, 942520, 942522, 942540"),
    (Leaf::SqlInjectionQuotesInText, "942521"),
    (Leaf::SqlInjectionMssqlSpecific, "942190, 942240"),
    (Leaf::SqlInjectionStoredProcedures, "942320, 942321, 942350"),
    (Leaf::SqlInjectionMongodbOperators, "942290"),
    (Leaf::SqlInjectionJsonOperators, "942550"),
    (Leaf::SqlInjectionScientificNotation, "942560"),
    (Leaf::SqlDataLeakageMssql, "951220"),
    (Leaf::SqlDataLeakageMsaccess, "951110"),
    (Leaf::SqlDataLeakageOracle, "951120"),
    (Leaf::SqlDataLeakageDb2, "951130"),
    (Leaf::SqlDataLeakageInformix, "951180"),
    (Leaf::SqlDataLeakageSybase, "951260"),
    (Leaf::SqlDataLeakageMysql, "951230"),
    (Leaf::SqlDataLeakagePostgres, "951240"),
    (Leaf::SqlDataLeakageSqlite, "951250"),
    (Leaf::SqlDataLeakageFirebird, "951150"),
    (Leaf::SqlDataLeakageFrontbase, "951160"),
    (Leaf::SqlDataLeakageHsqldb, "951170"),
    (Leaf::SqlDataLeakageIngres, "951190"),
    (Leaf::SqlDataLeakageInterbase, "951200"),
    (Leaf::SqlDataLeakageMaxdb, "951210"),
    (Leaf::SqlDataLeakageEmc, "951140"),
    (Leaf::PhpInjectionOpenTags, "933100, 933190"),
    (Leaf::PhpInjectionScriptUpload, "933110, 933111, 933220"),
    (Leaf::PhpInjectionConfigDirectives, "933120"),
    (Leaf::PhpInjectionSuperglobalNames, "933130, 933131, 933135"),
    (Leaf::PhpInjectionStreamWrappers, "933140, 933200"),
    (Leaf::PhpInjectionDangerousFunctions, "933150, 933160"),
    (Leaf::PhpInjectionSuspiciousFunctionsAggressive, "933151, 933152, 933153, 933161"),
    (Leaf::PhpInjectionSerializedObjects, "933170"),
    (Leaf::PhpInjectionIndirectFunctionCalls, "933180, 933210, 933211"),
    (Leaf::PhpDataLeakageVersionInfo, "953100, 953101"),
    (Leaf::PhpDataLeakageSourceCode, "953110, 953120"),
    (Leaf::JavaInjectionClassAndMethodNames, "944100, 944130, 944250, 944260"),
    (Leaf::JavaInjectionStruts2RuntimeExec, "944110"),
    (Leaf::JavaInjectionSerializedObjects, "944120, 944200, 944210, 944240"),
    (Leaf::JavaInjectionScriptUpload, "944140"),
    (Leaf::JavaInjectionLog4shell, "944150, 944151, 944152"),
    (Leaf::JavaInjectionBase64EncodedKeywords, "944300"),
    (Leaf::JavaDataLeakageStackTrace, "952110"),
    (Leaf::RubyInjectionSystemCalls, "934150"),
    (Leaf::RubyDataLeakageVersionInfo, "956100"),
    (Leaf::RubyDataLeakageSourceCode, "956110"),
    (Leaf::PerlInjectionSystemCalls, "934140"),
    (Leaf::IisDataLeakageInstallPaths, "954100, 954101"),
    (Leaf::IisDataLeakageAvailabilityErrors, "954110"),
    (Leaf::IisDataLeakageVersionHeaders, "954120, 954130"),
    (Leaf::JavascriptInjectionEval, "934100, 934101"),
    (Leaf::JavascriptInfiniteLoops, "934160"),
    (Leaf::JavascriptPrototypePollution, "934130"),
    (Leaf::CrossSiteScriptingScriptTags, "941100, 941101, 941110"),
    (Leaf::CrossSiteScriptingEventHandlers, "941120"),
    (Leaf::CrossSiteScriptingHtmlAttributes, "941130, 941150, 941170"),
    (Leaf::CrossSiteScriptingHtmlInjectionMarkers, "941160, 941320"),
    (Leaf::CrossSiteScriptingSuspiciousKeywords, "941180, 941181"),
    (Leaf::CrossSiteScriptingJavascriptUrls, "941140"),
    (Leaf::CrossSiteScriptingJavascriptKeywords, "941210, 941370, 941390, 941400"),
    (Leaf::CrossSiteScriptingAngularTemplates, "941380"),
    (Leaf::CrossSiteScriptingEncodingEvasion, "941310, 941350"),
    (Leaf::CrossSiteScriptingJsfuckObfuscation, "941360"),
    (
        Leaf::CrossSiteScriptingInternetExplorer,
        "941190, 941200, 941220, 941230, 941240, 941250, 941260, 941270, 941280, 941290, 941300, 941330, 941340",
    ),
    (
        Leaf::CommandInjectionUnixCommands,
        "932220, 932230, 932231, 932232, 932235, 932239, 932240, 932250, 932260, 932340, 932350",
    ),
    (Leaf::CommandInjectionEnglishWords, "932236"),
    (
        Leaf::CommandInjectionShellSubstitution,
        "932130, 932131, 932160, 932161, 932237, 932238, 932270, 932271",
    ),
    (Leaf::CommandInjectionShellAliases, "932175"),
    (Leaf::CommandInjectionShellHistory, "932330, 932331"),
    (Leaf::CommandInjectionBraceExpansion, "932280, 932281"),
    (Leaf::CommandInjectionShellWildcards, "932190"),
    (Leaf::CommandInjectionEvasionTricks, "932200, 932205, 932206, 932207"),
    (Leaf::CommandInjectionForkBomb, "932390"),
    (Leaf::CommandInjectionShellshock, "932170, 932171"),
    (Leaf::CommandInjectionWindowsCmd, "932140, 932370, 932371, 932380"),
    (Leaf::CommandInjectionPowershell, "932120, 932125"),
    (Leaf::CommandInjectionSqliteShell, "932210"),
    (Leaf::LocalFileAccessDotDotPaths, "930100, 930110"),
    (Leaf::LocalFileAccessOsFiles, "930120, 930121"),
    (Leaf::LocalFileAccessDotfiles, "930130"),
    (Leaf::LocalFileAccessAiToolFiles, "930140"),
    (Leaf::RemoteFileFetchIpUrls, "931100"),
    (Leaf::RemoteFileFetchSuspiciousParamNames, "931110"),
    (Leaf::RemoteFileFetchTruncationTrick, "931120"),
    (Leaf::RemoteFileFetchExternalUrls, "931130, 931131"),
    (Leaf::OutboundRequestForgeryCloudMetadata, "934110"),
    (Leaf::OutboundRequestForgeryInternalAddresses, "934120, 934190"),
    (Leaf::FileUploadAttacksCharsetTrick, "922100"),
    (Leaf::FileUploadAttacksContentTypeTrick, "922110, 922140, 922150"),
    (Leaf::FileUploadAttacksDeprecatedEncoding, "922120"),
    (Leaf::FileUploadAttacksHeaderTricks, "922130"),
    (Leaf::FileUploadLimitsMaxFileSize, "920400"),
    (Leaf::FileUploadLimitsMaxTotalSize, "920410"),
    (Leaf::FileUploadLimitsExecutable, "932180"),
    (Leaf::HttpComplianceMalformedRequestLine, "920100"),
    (Leaf::HttpComplianceMultipartBoundaries, "920120, 920121"),
    (Leaf::HttpComplianceContentLength, "920160"),
    (Leaf::HttpComplianceGetWithBody, "920170, 920171"),
    (Leaf::HttpCompliancePostWithoutLength, "920180"),
    (Leaf::HttpComplianceConflictingLength, "920181"),
    (Leaf::HttpComplianceHttpVersion, "920430"),
    (Leaf::HttpComplianceMethodOverrideParam, "920650"),
    (Leaf::HttpComplianceUriFragments, "920610"),
    (Leaf::HttpComplianceHostHeader, "920280, 920290, 920350"),
    (Leaf::HttpComplianceAcceptHeader, "920300, 920310, 920311, 920600"),
    (Leaf::HttpComplianceUserAgentHeader, "920320, 920330"),
    (Leaf::HttpComplianceContentTypeHeader, "920340, 920470, 920480, 920530, 920620, 920640"),
    (Leaf::HttpComplianceAcceptEncoding, "920520, 920521"),
    (Leaf::HttpComplianceRestrictedHeaders, "920450, 920451, 920490, 920510"),
    (Leaf::HttpComplianceRangeHeader, "920190, 920200, 920201, 920202, 920660"),
    (Leaf::HttpComplianceConnectionHeader, "920210"),
    (Leaf::HttpComplianceDoubleUrlEncoding, "920230, 920240, 920460"),
    (Leaf::HttpComplianceUtf8Tricks, "920250, 920260, 920540"),
    (Leaf::HttpComplianceNullBytes, "920270"),
    (Leaf::HttpComplianceNonPrintableCharacters, "920271, 920272, 920273, 920274, 920275"),
    (Leaf::HttpComplianceAllowedContentTypes, "920420"),
    (Leaf::HttpComplianceBlockedExtensions, "920440"),
    (Leaf::HttpComplianceBackupFileProbes, "920500"),
    (Leaf::HttpAttacksRequestSmuggling, "921110"),
    (Leaf::HttpAttacksResponseSplitting, "921120, 921130"),
    (Leaf::HttpAttacksHeaderCrlfInjection, "921140, 921150, 921151, 921160, 921190"),
    (Leaf::HttpAttacksDuplicateParameters, "921170, 921180, 921210, 921220"),
    (Leaf::HttpAttacksRangeDos, "921230"),
    (Leaf::HttpAttacksApacheModProxy, "921240"),
    (Leaf::HttpAttacksRfc2109Cookies, "921250"),
    (Leaf::HttpAttacksDangerousContentTypes, "921421, 921422"),
    (Leaf::LdapInjection, "921200"),
    (Leaf::MailProtocolInjection, "932300, 932301, 932310, 932311, 932320, 932321"),
    (Leaf::TemplateInjection, "934180"),
    (Leaf::DataUriAbuse, "934170"),
    (Leaf::ServerDataLeakageDirectoryListing, "950130"),
    (Leaf::ServerDataLeakageCgiSource, "950140"),
    (Leaf::ServerDataLeakageAspnetErrors, "950150"),
    (Leaf::ServerDataLeakage5xxBodies, "950100"),
    (Leaf::WebShellDetection, "955100-955400"),
    (Leaf::ScannerDetectionUserAgent, "913100"),
    (Leaf::SessionFixationCookieInjection, "943100"),
    (Leaf::SessionFixationExternalReferer, "943110"),
    (Leaf::SessionFixationMissingReferer, "943120"),
    (Leaf::RequestValidationArgumentLimits, "920360, 920370, 920380, 920390"),
];

/// Ids that the rule set uses.
const IDS: RangeInclusive<u32> = 900_000..=999_999;

/// The id that `text` is, with or without the words that rule files put in front of it.
pub(crate) fn id(text: &str) -> Option<u32> {
    let digits = ["id:", "crs-", "crs:"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    let is_id = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| digits.parse().ok())?.filter(|id| IDS.contains(id))
}

/// Leaves that look for the same as the rule.
pub(crate) fn leaves_of(id: u32) -> Vec<Leaf> {
    let covers = |text: &str| ranges(text).any(|range| range.contains(&id));
    RULES.iter().filter(|(_, ids)| covers(ids)).map(|(leaf, _)| *leaf).collect()
}

/// Each leaf that has such rules, with their ids as text, in the order of the catalog.
pub(crate) fn pairs() -> impl Iterator<Item = (Leaf, &'static str)> {
    RULES.iter().copied()
}

fn ranges(ids: &str) -> impl Iterator<Item = RangeInclusive<u32>> {
    ids.split(", ").filter_map(|text| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some(first.parse().ok()?..=last.parse().ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_listed_once_with_ids_in_order() {
        assert!(RULES.windows(2).all(|pair| pair[0].0 < pair[1].0), "in the order of the catalog");
        for (leaf, ids) in RULES {
            assert_eq!(ranges(ids).count(), ids.split(", ").count(), "{}: {ids}", leaf.name());
            assert!(ranges(ids).all(|range| IDS.contains(range.start()) && range.start() <= range.end()));
        }
    }

    #[test]
    fn ids_lead_to_leaves() {
        for (text, leaves) in [
            ("942100", &[Leaf::SqlInjectionGeneric][..]),
            ("id:941110", &[Leaf::CrossSiteScriptingScriptTags]),
            ("crs-930120", &[Leaf::LocalFileAccessOsFiles]),
            ("955205", &[Leaf::WebShellDetection]),
            ("920272", &[Leaf::HttpComplianceNonPrintableCharacters]),
            ("949110", &[]),
        ] {
            assert_eq!(id(text).map(leaves_of).as_deref(), Some(leaves), "{text}");
        }
        for text in ["", "94210", "9421000", "842100", "94210a", "sql", "+42100"] {
            assert_eq!(id(text), None, "{text}");
        }
    }
}
