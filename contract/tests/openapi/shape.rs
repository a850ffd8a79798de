//! A document in the shape of a real API: 200 paths, schemas that extend one another in long chains and contain
//! themselves.

use std::fmt::Write as _;

/// A document of 200 paths whose schemas extend, contain and choose between one another; `seed` makes each another one.
pub(crate) fn document(seed: usize) -> String {
    let mut text =
        format!("openapi: 3.{}.0\ninfo: {{title: 'api {seed}', version: '1'}}\npaths:\n", seed % 2);
    for path in 0..200 {
        let _ = write!(
            text,
            "  /r{seed}/c{}/items{path}/{{id}}:\n    parameters:\n      - {{name: id, in: path, required: true, schema: {{type: integer, format: int64}}}}\n\
             \x20   get:\n      parameters:\n        - {{name: page, in: query, schema: {{type: integer, minimum: 1}}}}\n        - {{name: sort, in: query, schema: {{type: string, pattern: '^[a-z]{{1,{}}}$'}}}}\n\
             \x20     responses: {{'200': {{description: ok, content: {{application/json: {{schema: {{$ref: '#/components/schemas/M{path}'}}}}}}}}}}\n\
             \x20   put:\n      requestBody: {{required: true, content: {{application/json: {{schema: {{$ref: '#/components/schemas/M{path}'}}}}}}}}\n\
             \x20     responses: {{'204': {{description: ok}}, default: {{description: error}}}}\n",
            path % 20,
            10 + path % 30,
        );
    }
    text += "components:\n  schemas:\n    Base: {type: object, required: [kind], properties: {kind: {type: string}, parent: {$ref: '#/components/schemas/Base'}}, discriminator: {propertyName: kind}}\n";
    for model in 0..200 {
        let before = if model % 10 == 0 { "Base".to_owned() } else { format!("M{}", model - 1) };
        let _ = write!(
            text,
            "    M{model}:\n      allOf:\n        - {{$ref: '#/components/schemas/{before}'}}\n        - type: object\n          properties:\n\
             \x20           name{model}: {{type: string, minLength: 1, maxLength: {}}}\n            amount{model}: {{type: number, multipleOf: 0.01}}\n\
             \x20           children{model}: {{type: array, items: {{$ref: '#/components/schemas/M{model}'}}}}\n\
             \x20           choice{model}: {{oneOf: [{{type: integer}}, {{type: string, format: date}}]}}\n",
            100 + model,
        );
    }
    text
}
