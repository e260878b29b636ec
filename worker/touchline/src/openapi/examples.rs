//! Generates an example for every request body and response from the examples of the fields. A field without one is an
//! error in the document.

use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value, json};
use touchline_channel::http::ApiError;
use touchline_protocol::codes::ErrorCode;
use touchline_protocol::envelope::Failure;

const JSON: &str = "application/json";

/// Adds an example to every body and response that has none.
///
/// # Errors
/// A field without an example, or a status without a known failure.
pub(super) fn add_examples(document: &mut Value) -> Result<()> {
    let schemas = document["components"]["schemas"].clone();
    let paths = document["paths"].as_object_mut().context("the document has no paths")?;
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            add_to_operation(operation, &schemas).with_context(|| format!("{method} {path}"))?;
        }
    }
    Ok(())
}

fn add_to_operation(operation: &mut Value, schemas: &Value) -> Result<()> {
    let auth = Auth::of(operation, schemas)?;
    if let Some(content) = operation.pointer_mut("/requestBody/content/application~1json") {
        insert(content, |schema| example_of(schema, schemas))?;
    }
    for (status, answer) in operation["responses"].as_object_mut().into_iter().flatten() {
        let Some(content) = answer.get_mut("content").and_then(|content| content.get_mut(JSON)) else { continue };
        let named = |fault| anyhow!("status {status}: {fault:#}");
        insert(content, |schema| if status == "200" { example_of(schema, schemas) } else { auth.failure(status) })
            .map_err(named)?;
    }
    Ok(())
}

fn insert(content: &mut Value, example: impl FnOnce(&Value) -> Result<Value>) -> Result<()> {
    if content.get("example").is_none() {
        content["example"] = example(&content["schema"])?;
    }
    Ok(())
}

/// The authentication of a call, which decides its first failure.
#[derive(Debug, Clone, Copy)]
enum Auth {
    ApiKey,
    ChannelKey,
    Nothing,
    Events,
}

impl Auth {
    fn of(operation: &Value, schemas: &Value) -> Result<Self> {
        if operation["tags"][0] == "datalake" {
            return Ok(Self::Events);
        }
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let mut names: Vec<String> = parameters.filter_map(|one| one["name"].as_str().map(str::to_owned)).collect();
        if let Some(body) = operation.pointer("/requestBody/content/application~1json/schema") {
            names.extend(example_of(body, schemas)?.as_object().into_iter().flatten().map(|(name, _)| name.clone()));
        }
        let has_parameter = |key: &str| names.iter().any(|name| name == key);
        Ok(match () {
            () if has_parameter("api_key") => Self::ApiKey,
            () if has_parameter("channel_key") => Self::ChannelKey,
            () => Self::Nothing,
        })
    }

    fn failure(self, status: &str) -> Result<Value> {
        let failure = match (status, self) {
            ("400", Self::ApiKey) => answer(&ApiError::ApiKey),
            ("400", Self::ChannelKey) => answer(&ApiError::ChannelKey),
            ("400", Self::Nothing) => {
                answer(&ApiError::malformed("body", "EOF while parsing a value at line 1 column 0"))
            }
            ("400", Self::Events) => Failure::new(ErrorCode::Invalid, "The analytics request is invalid.")
                .field("body", "the body is not an object"),
            ("401", _) => answer(&ApiError::LoggedOut),
            ("403", _) => answer(&ApiError::TEMPORARY_PASSWORD),
            ("404", _) => answer(&ApiError::NotFound),
            ("408", _) => Failure::new(ErrorCode::TooSlow, "The request took too long to arrive."),
            ("409", _) => answer(&ApiError::IDEMPOTENCY_CONFLICT),
            ("413", _) => answer(&ApiError::TooLarge),
            ("421", _) => Failure::new(ErrorCode::UnknownHost, "This host serves no channel."),
            ("429", _) => answer(&ApiError::TooMany { retry_after_s: 1 }),
            ("500", _) => answer(&ApiError::Internal(anyhow!("an internal error"))),
            ("503", _) => answer(&ApiError::Unavailable(anyhow!("unavailable"))),
            _ => return Err(anyhow!("no known failure has this status")),
        };
        Ok(serde_json::to_value(failure)?)
    }
}

fn answer(error: &ApiError) -> Failure {
    error.answer().1
}

/// The example of a schema: its own, or one assembled from those of its parts.
fn example_of(schema: &Value, schemas: &Value) -> Result<Value> {
    if let Some(existing) = schema.get("example").or_else(|| schema.get("examples").and_then(|several| several.get(0)))
    {
        return Ok(existing.clone());
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return example_of(&schemas[name], schemas).with_context(|| name.to_owned());
    }
    if let Some(value) = schema["enum"].get(0) {
        return Ok(value.clone());
    }
    if let Some(parts) = schema["oneOf"].as_array() {
        let first = parts.iter().find(|part| part["type"] != "null").context("every alternative is null")?;
        return example_of(first, schemas);
    }
    if schema.get("items").is_some() {
        return Ok(json!([example_of(&schema["items"], schemas).context("in its items")?]));
    }
    let is_object = schema["type"] == "object" && schema.get("additionalProperties").is_none();
    if !is_object && schema.get("allOf").is_none() {
        return Err(anyhow!("it has no example"));
    }
    let mut object = Map::new();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        if let Value::Object(fields) = example_of(part, schemas)? {
            object.extend(fields);
        }
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        match example_of(field, schemas) {
            // Nullable fields are left out unless they have an example of their own.
            _ if is_nullable(field) && field.get("example").is_none() => {}
            Ok(example) => drop(object.insert(name.clone(), example)),
            Err(fault) => return Err(fault.context(name.clone())),
        }
    }
    Ok(Value::Object(object))
}

fn is_nullable(field: &Value) -> bool {
    let includes_null = |types: &Value| types.as_array().is_some_and(|types| types.iter().any(|one| one == "null"));
    includes_null(&field["type"])
        || field["oneOf"].as_array().is_some_and(|parts| parts.iter().any(|one| one["type"] == "null"))
}
