//! The OpenAPI document as Markdown: the calls by tag, then the schemas.

use std::fmt::Write as _;

use serde_json::Value;

/// Responses that the page lists once for all calls.
const COMMON_STATUSES: [&str; 4] = ["421", "429", "500", "503"];
const MAX_LINE: usize = 110;

pub(super) fn markdown(document: &Value) -> String {
    let mut tags: Vec<(&str, String)> = Vec::new();
    for (path, item) in fields(&document["paths"]) {
        for (method, operation) in fields(item).filter(|(_, operation)| operation.get("responses").is_some()) {
            let tag = operation["tags"][0].as_str().unwrap_or("Other");
            let index = tags.iter().position(|(other, _)| *other == tag).unwrap_or_else(|| {
                tags.push((tag, format!("## {tag}\n\n")));
                tags.len() - 1
            });
            tags[index].1 += &call(method, path, operation);
        }
    }
    let calls: String = tags.into_iter().map(|(_, text)| text).collect();
    let mut names: Vec<_> = fields(&document["components"]["schemas"]).collect();
    names.sort_by_key(|(name, _)| *name);
    let shapes: String = names.into_iter().map(|(name, schema)| shape(name, schema)).collect();
    format!(
        "# API reference\n\n{}\n\n\
         A successful response has status 200 and `data`, and `meta` if it is a list. An error has `message`, `code` and\n\
         `errors` (see [Failure](#failure)). Any call can also return 421 (the host serves no channel), 429 (`Retry-After`), \
         500 or 503.\n\n{calls}## Schemas\n\n{shapes}",
        text(&document["info"]["description"])
    )
}

fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, field)| (name.as_str(), field))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text on one line; empty if there is none.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('\n', " ").trim().to_owned()
}

/// Escapes a text for a table cell.
fn cell(value: &Value) -> String {
    text(value).replace('|', "\\|")
}

fn call(method: &str, path: &str, operation: &Value) -> String {
    let mut page = format!("### {} `{path}`\n\n{}\n\n", method.to_uppercase(), text(&operation["summary"]));
    if let Some(description) = operation.get("description") {
        _ = writeln!(page, "{}\n", text(description));
    }
    let rows: String = items(&operation["parameters"])
        .map(|parameter| {
            let (name, location) = (text(&parameter["name"]), text(&parameter["in"]));
            let optional = if parameter["required"] == true { "" } else { ", optional" };
            let what = cell(&parameter["description"]);
            format!("| `{name}` | {location} | {}{optional} | {what} |\n", type_of(&parameter["schema"]))
        })
        .collect();
    if !rows.is_empty() {
        _ = writeln!(page, "| parameter | in | type | |\n|---|---|---|---|\n{rows}");
    }
    if let Some(body) = operation.pointer("/requestBody/content/application~1json") {
        _ = writeln!(page, "Body: {}\n\n{}", type_of(&body["schema"]), example(body));
    }
    for (status, answer) in fields(&operation["responses"]).filter(|(status, _)| !COMMON_STATUSES.contains(status)) {
        let content = &answer["content"]["application/json"];
        let shape = content.get("schema").filter(|_| status == "200").map(type_of);
        let code = content["example"]["code"].as_str().map(|code| format!("such as `{code}`"));
        // A shape says more than "success".
        let description = Some(cell(&answer["description"])).filter(|text| shape.is_none() || text != "success");
        let parts = [shape, description, code];
        let texts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        _ = writeln!(page, "- {status}: {}", texts.join(", "));
    }
    page + "\n" + &example(&operation["responses"]["200"]["content"]["application/json"])
}

/// The example of a body or response, as a code block.
fn example(content: &Value) -> String {
    let block = |example| format!("```json\n{}\n```\n\n", formatted(example, ""));
    content.get("example").map(block).unwrap_or_default()
}

/// Formats JSON, on one line where it fits.
fn formatted(value: &Value, indent: &str) -> String {
    let line = on_one_line(value);
    if indent.len() + line.chars().count() <= MAX_LINE {
        return line;
    }
    let deeper = format!("{indent}  ");
    let (open, close, parts): (_, _, Vec<String>) = match value {
        Value::Object(_) => {
            let part = |(name, field)| format!("{deeper}{}: {}", Value::from(name), formatted(field, &deeper));
            ('{', '}', fields(value).map(part).collect())
        }
        Value::Array(_) => {
            ('[', ']', items(value).map(|item| format!("{deeper}{}", formatted(item, &deeper))).collect())
        }
        _ => return line,
    };
    format!("{open}\n{}\n{indent}{close}", parts.join(",\n"))
}

fn on_one_line(value: &Value) -> String {
    let (open, close, parts): (_, _, Vec<String>) = match value {
        Value::Object(_) => {
            let part = |(name, field)| format!("{}: {}", Value::from(name), on_one_line(field));
            ('{', '}', fields(value).map(part).collect())
        }
        Value::Array(_) => ('[', ']', items(value).map(on_one_line).collect()),
        _ => return value.to_string(),
    };
    if parts.is_empty() { format!("{open}{close}") } else { format!("{open} {} {close}", parts.join(", ")) }
}

/// A type as text, with links to schemas.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    let join = |parts: &Value, with: &str| items(parts).map(type_of).collect::<Vec<_>>().join(with);
    if let Some(parts) = schema.get("oneOf").or_else(|| schema.get("anyOf")) {
        return join(parts, " or ");
    }
    if let Some(parts) = schema.get("allOf") {
        return join(parts, " and ");
    }
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(values) = schema.get("enum") {
        return items(values).map(|value| format!("`{}`", plain(value))).collect::<Vec<_>>().join(", ");
    }
    if let Some(item) = schema.get("items") {
        return format!("list of {}", type_of(item));
    }
    let kind = match &schema["type"] {
        Value::Null => "anything".to_owned(),
        Value::Array(types) => types.iter().map(plain).collect::<Vec<_>>().join(" or "),
        one => plain(one),
    };
    kind + &bounds(schema)
}

fn bounds(schema: &Value) -> String {
    let mut parts = Vec::new();
    parts.extend(
        schema["format"].as_str().filter(|format| !format.starts_with("int") && *format != "double").map(str::to_owned),
    );
    if let Some(max) = schema.get("maxLength") {
        parts.push(format!("{} to {max} characters", schema.get("minLength").unwrap_or(&Value::from(0))));
    }
    if let Some(max) = schema.get("maximum") {
        let min = schema.get("minimum").map(Value::to_string).unwrap_or_default();
        parts.push(format!("{min} to {max}"));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn shape(name: &str, schema: &Value) -> String {
    let mut page = format!("### {name}\n\n");
    if let Some(description) = schema.get("description") {
        _ = writeln!(page, "{}\n", text(description));
    }
    let rows = rows(schema);
    let values: Vec<&Value> = items(&schema["oneOf"]).filter(|value| value.get("enum").is_some()).collect();
    if !rows.is_empty() {
        _ = writeln!(page, "| field | type | |\n|---|---|---|\n{rows}");
    } else if values.is_empty() {
        _ = writeln!(page, "{}\n", type_of(schema));
    } else {
        for value in values {
            _ = writeln!(page, "- {}: {}", type_of(value), cell(&value["description"]));
        }
        page.push('\n');
    }
    page
}

/// Table rows, including those of unnamed parts.
fn rows(schema: &Value) -> String {
    let part_rows = |part: &Value| match part.get("$ref") {
        Some(_) => format!("| | the fields of {} | |\n", type_of(part)),
        None => rows(part),
    };
    let mut rows: String = items(&schema["allOf"]).map(part_rows).collect();
    for (name, field) in fields(&schema["properties"]) {
        let optional = if items(&schema["required"]).any(|required| required == name) { "" } else { ", optional" };
        _ = writeln!(rows, "| `{name}` | {}{optional} | {} |", type_of(field), cell(&field["description"]));
    }
    rows
}
