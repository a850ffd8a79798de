//! Operators of document databases that are attacks where they stand: those where an application expects a plain
//! value: `password[$ne]=`, `{"user":{"$gt":""}}`. Filters of an interface carry the same operators below a name that says
//! so, ranges below the name of a quantity, and operators of updates ask for nothing.

/// Operators that change a document; services of analytics have them as names.
const UPDATES: &[&[u8]] = &[b"$set", b"$unset", b"$push", b"$inc", b"$rename", b"$add"];
/// Operators whose operand is code or reaches beyond the field.
const CODE: &[&[u8]] = &[b"$where", b"$function", b"$accumulator", b"$expr", b"$jsonschema"];
/// Operators that join conditions on several fields.
const LOGICAL: &[&[u8]] = &[b"$or", b"$and", b"$nor", b"$not"];
/// Stages of a pipeline that read and reshape. Those that write or run code are not among them.
const STAGES: &[&[u8]] = &[
    b"$match",
    b"$group",
    b"$project",
    b"$sort",
    b"$limit",
    b"$skip",
    b"$unwind",
    b"$count",
    b"$addfields",
    b"$facet",
    b"$lookup",
    b"$bucket",
    b"$sample",
    b"$sortbycount",
    b"$replaceroot",
];
/// Operators that compare with one value or several.
const EQUALITIES: &[&[u8]] = &[b"$ne", b"$eq", b"$in", b"$nin"];
/// Last words of names of properties that sort documents into classes, which people ask for by exclusion.
const CLASSES: &[&[u8]] = &[
    b"status",
    b"state",
    b"type",
    b"category",
    b"kind",
    b"tag",
    b"tags",
    b"label",
    b"labels",
    b"genre",
    b"color",
    b"colour",
    b"lang",
    b"language",
    b"locale",
    b"country",
    b"city",
    b"region",
    b"brand",
    b"priority",
    b"severity",
    b"visibility",
    b"archived",
    b"deleted",
    b"published",
    b"hidden",
    b"draft",
    b"completed",
    b"done",
    b"read",
    b"unread",
];
/// Operators of ranges.
const RANGES: &[&[u8]] = &[b"$gt", b"$gte", b"$lt", b"$lte"];

/// Names below which an interface takes conditions: Strapi, Feathers, Mango, GraphQL and their like.
const FILTERS: &[&[u8]] = &[
    b"filter",
    b"filters",
    b"where",
    b"selector",
    b"query",
    b"criteria",
    b"condition",
    b"conditions",
    b"match",
    b"having",
    b"pipeline",
    b"aggregate",
    b"variables",
];

/// Names of values that a login compares and no filter asks for.
const SECRETS: &[&[u8]] = &[
    b"password",
    b"passwd",
    b"passwort",
    b"pass",
    b"pwd",
    b"passphrase",
    b"pin",
    b"otp",
    b"totp",
    b"secret",
    b"token",
    b"apikey",
    b"hash",
    b"salt",
];

/// Who somebody claims to be.
const IDENTITIES: &[&[u8]] =
    &[b"user", b"username", b"uname", b"login", b"email", b"mail", b"account", b"admin", b"role", b"session"];

/// Last words of names of quantities, which people ask for by range.
const QUANTITIES: &[&[u8]] = &[
    b"age",
    b"price",
    b"cost",
    b"amount",
    b"total",
    b"sum",
    b"count",
    b"qty",
    b"quantity",
    b"size",
    b"length",
    b"width",
    b"height",
    b"weight",
    b"year",
    b"month",
    b"day",
    b"date",
    b"time",
    b"timestamp",
    b"at",
    b"rating",
    b"score",
    b"rank",
    b"stock",
    b"distance",
    b"level",
    b"points",
    b"balance",
    b"salary",
    b"temperature",
    b"duration",
    b"created",
    b"updated",
    b"modified",
    b"start",
    b"end",
    b"votes",
    b"views",
    b"likes",
    b"since",
    b"until",
    b"from",
    b"to",
    b"max",
    b"min",
    b"limit",
    b"offset",
    b"bytes",
];

/// Longest name that is looked at; longer ones are no filter's.
const PATH_BYTES_MAX: usize = 1024;

/// Returns `true` if `operator` below `path` (names joined by dots or in brackets) is evidence of an attack.
pub(super) fn counts(operator: &[u8], path: &[u8]) -> bool {
    let is_any = |known: &[&[u8]]| known.iter().any(|other| operator.eq_ignore_ascii_case(other));
    if is_any(UPDATES) {
        return false;
    }
    if is_any(CODE) || path.len() > PATH_BYTES_MAX {
        return true;
    }
    let mut names = path.rsplit(|byte| matches!(byte, b'.' | b'[' | b']')).filter(|name| {
        !name.is_empty() && name.first() != Some(&b'$') && !name.iter().all(u8::is_ascii_digit)
    });
    let field = names.next().unwrap_or_default();
    if is_secret(field) {
        return true;
    }
    let is_filter = |name: &[u8]| FILTERS.iter().any(|known| name.eq_ignore_ascii_case(known));
    // The nearest name is the field that the operator is about, unless it joins conditions.
    if names.any(is_filter) || (is_any(LOGICAL) || is_any(STAGES)) && is_filter(field) {
        return false;
    }
    let ends_in = |known: &[&[u8]]| {
        words(field).last().is_some_and(|word| known.iter().any(|other| word.eq_ignore_ascii_case(other)))
    };
    if is_any(EQUALITIES) && ends_in(CLASSES) {
        return false;
    }
    if operator.eq_ignore_ascii_case(b"$in") {
        return IDENTITIES.iter().any(|known| words(field).any(|word| word.eq_ignore_ascii_case(known)));
    }
    !(is_any(RANGES) && is_quantity(field))
}

/// Returns `true` if `name` ends in a word for a quantity or a time.
pub(super) fn is_quantity(name: &[u8]) -> bool {
    words(name).last().is_some_and(|word| QUANTITIES.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

fn is_secret(name: &[u8]) -> bool {
    words(name).any(|word| SECRETS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The words of a name: `createdAt`, `created_at`, `created-at`.
fn words(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.split(|byte| matches!(byte, b'_' | b'-' | b' ')).flat_map(|part| {
        part.chunk_by(|before, after| !(before.is_ascii_lowercase() && after.is_ascii_uppercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_count_where_a_plain_value_belongs() {
        for (operator, path) in [
            ("$ne", "password"),
            ("$gt", "user"),
            ("$nin", "login"),
            ("$in", "username"),
            ("$in", "user_name.email"),
            ("$ne", "q"),
            ("$regex", "query"),
            ("$ne", "filter"),
            ("$where", ""),
            ("$where", "filters.a"),
            ("$regex", "filters[author][password]"),
            ("$ne", "variables.input.passwordHash"),
            ("$exists", "resetToken"),
            ("$gt", ""),
            ("$or", ""),
            ("$gt", "token_count.secret"),
            ("$eq", "age"),
            ("$ne", "id"),
            ("$regex", "status"),
            ("$match", ""),
            ("$lookup", "q"),
            ("$out", "pipeline"),
            ("$ne", "state.userName"),
        ] {
            assert!(counts(operator.as_bytes(), path.as_bytes()), "{operator} {path}");
        }
    }

    #[test]
    fn filters_ranges_and_updates_pass() {
        for (operator, path) in [
            ("$set", ""),
            ("$unset", "properties"),
            ("$add", "user_properties"),
            ("$in", "roomId"),
            ("$in", "_id"),
            ("$eq", "filters[title]"),
            ("$or", "filters"),
            ("$lt", "filters[$or][0][price]"),
            ("$gt", "selector.year"),
            ("$ne", "selector.$or.director"),
            ("$gte", "variables.filter.votes"),
            ("$gt", "createdAt"),
            ("$lte", "unit_price"),
            ("$gte", "where.user"),
            ("$ne", "status"),
            ("$nin", "orderStatus"),
            ("$match", "pipeline"),
            ("$group", "aggregate"),
        ] {
            assert!(!counts(operator.as_bytes(), path.as_bytes()), "{operator} {path}");
        }
    }
}
