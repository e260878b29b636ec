//! Response schemas from the API document, and the correction of an upstream's responses (`UP-8`).
//!
//! Unknown fields pass. A missing field gets a neutral default. A field of another type is converted if nothing is
//! lost, and otherwise counts as missing. In both cases the log names the call and the field from time to time. Items
//! whose price can't be read are omitted ([`Offer`]).

mod reader;

use std::collections::HashMap;

use axum::http::Method;
use serde_json::{Map, Value, json};
use touchline_protocol::sync::StatusKind;

use crate::price::{AMOUNT, Offer};
use crate::versions;
use reader::Reader;

/// Index of a node in [`Shapes`].
type NodeId = usize;

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Anything,
    Text,
    Integer,
    Number,
    Boolean,
    List(NodeId),
    Map(NodeId),
    Object(Shape),
}

#[derive(Debug, Clone, PartialEq)]
struct Shape {
    /// The type of resource, if the status log covers it.
    kind: Option<StatusKind>,
    offer: Option<Offer>,
    fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq)]
struct Field {
    name: String,
    /// The name with a leading dot, to build a path.
    step: String,
    node: NodeId,
    is_required: bool,
    is_nullable: bool,
}

/// The response schemas of all calls.
#[derive(Default)]
pub(crate) struct Shapes {
    nodes: Vec<Node>,
    /// By method and path below `/api/`.
    replies: HashMap<(String, String), NodeId>,
    /// Content types of responses other than JSON, by method and path below `/api/`.
    files: HashMap<(String, String), String>,
    /// Matches a path to its route.
    routes: matchit::Router<String>,
}

/// A correction of a response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Correction {
    /// Path of the field, such as `data[].total`.
    pub(crate) field: String,
    /// The expected type.
    pub(crate) expected: &'static str,
    /// The type that was found.
    pub(crate) found: &'static str,
}

impl Shapes {
    /// Reads the OpenAPI document.
    pub(crate) fn of(document: &Value) -> Self {
        let mut reader = Reader::new(document);
        let (mut replies, mut files) = (HashMap::new(), HashMap::new());
        let mut routes = matchit::Router::new();
        for (path, methods) in document["paths"].as_object().into_iter().flatten() {
            let Some(below) = path.strip_prefix("/api/") else { continue };
            // A second method of the same path is a duplicate route here, which is harmless.
            let _new = routes.insert(below, below.to_owned()).is_ok();
            for (method, call) in methods.as_object().into_iter().flatten() {
                let content = &call["responses"]["200"]["content"];
                let (name, schema) =
                    ((method.to_uppercase(), below.to_owned()), &content["application/json"]["schema"]);
                if schema.is_object() {
                    replies.insert(name, reader.node(schema));
                } else if let Some(kind) = content.as_object().and_then(|kinds| kinds.keys().next()) {
                    files.insert(name, kind.clone());
                }
            }
        }
        Self { nodes: reader.nodes, replies, files, routes }
    }

    /// The methods and paths below `/api/` of all calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&str, &str)> {
        self.replies.keys().chain(self.files.keys()).map(|(method, path)| (method.as_str(), path.as_str()))
    }

    /// Content type of a response other than JSON, such as `text/calendar`.
    pub(crate) fn file_type(&self, method: &Method, path: &str) -> Option<&str> {
        self.files.get(&(method.to_string(), path.to_owned())).map(String::as_str)
    }

    /// The route of a path below `/api/`, such as `events/{id}`.
    pub(crate) fn route_of(&self, path: &str) -> Option<&str> {
        self.routes.at(path.trim_end_matches('/')).ok().map(|found| found.value.as_str())
    }

    /// Corrects a response to its call's schema, and lists the corrections. `None` if it can't be corrected.
    pub(crate) fn correct(&self, method: &str, path: &str, reply: Value) -> (Option<Value>, Vec<Correction>) {
        let Some(&node) = self.replies.get(&(method.to_owned(), path.to_owned())) else {
            return (Some(reply), Vec::new());
        };
        let mut corrections = Vec::new();
        let reply = self.with_envelope(node, reply);
        (self.value(node, Some(reply), &mut String::new(), &mut corrections), corrections)
    }

    /// Adds a missing envelope. A list without pagination counts as complete.
    fn with_envelope(&self, node: NodeId, reply: Value) -> Value {
        let Node::Object(Shape { fields, .. }) = &self.nodes[node] else { return reply };
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        if !has("data") {
            return reply;
        }
        let mut reply = match reply {
            Value::Object(fields) if fields.contains_key("data") => fields,
            bare => Map::from_iter([("data".to_owned(), bare)]),
        };
        if has("meta") && !reply.get("meta").is_some_and(Value::is_object) {
            let total = reply["data"].as_array().map_or(0, Vec::len);
            reply.insert("meta".to_owned(), json!({ "total": total, "limit": total, "offset": 0 }));
        }
        Value::Object(reply)
    }

    /// Corrects a value to the schema of `node`. `None` if it can't be corrected.
    fn value(
        &self,
        node: NodeId,
        value: Option<Value>,
        path: &mut String,
        corrections: &mut Vec<Correction>,
    ) -> Option<Value> {
        let expected = self.nodes[node].name();
        let found = value.as_ref().map_or("nothing", type_name);
        let corrected = match (&self.nodes[node], value) {
            (Node::Anything, value) => return Some(value.unwrap_or(Value::Null)),
            (Node::Text, Some(Value::String(text))) => return Some(Value::String(text)),
            (Node::Text, Some(Value::Number(number))) => Value::String(number.to_string()),
            (Node::Integer, Some(Value::Number(number))) if number.is_i64() || number.is_u64() => {
                return Some(Value::Number(number));
            }
            (Node::Integer, Some(Value::Number(number))) => as_integer(&number).map_or(json!(0), Value::from),
            (Node::Integer, Some(Value::String(text))) => text.trim().parse::<i64>().map_or(json!(0), Value::from),
            (Node::Integer, Some(Value::Bool(flag))) => json!(i64::from(flag)),
            (Node::Number, Some(Value::Number(number))) => return Some(Value::Number(number)),
            (Node::Number, Some(Value::String(text))) => text.trim().parse::<f64>().map_or(json!(0), |n| json!(n)),
            (Node::Boolean, Some(Value::Bool(flag))) => return Some(Value::Bool(flag)),
            (Node::Boolean, Some(Value::Number(number))) => json!(number.as_f64().is_some_and(|n| n != 0.0)),
            (Node::Boolean, Some(Value::String(text))) => json!(matches!(text.as_str(), "1" | "true")),
            (Node::List(item), Some(Value::Array(items))) => return Some(self.list(*item, items, path, corrections)),
            (Node::Map(item), Some(Value::Object(fields))) => {
                let each = |(name, value)| {
                    let value = self.nested(*item, Some(value), &format!(".{name}"), path, corrections)?;
                    Some((name, value))
                };
                return Some(Value::Object(fields.into_iter().filter_map(each).collect()));
            }
            (Node::Object(shape), Some(Value::Object(object))) => return self.object(shape, object, path, corrections),
            (Node::Text, _) => json!(""),
            (Node::Integer | Node::Number, _) => json!(0),
            (Node::Boolean, _) => json!(false),
            (Node::List(_), _) => json!([]),
            (Node::Map(_), _) => json!({}),
            (Node::Object(shape), _) => {
                corrections.push(Correction { field: path.clone(), expected, found });
                return self.object(shape, Map::new(), path, &mut Vec::new());
            }
        };
        corrections.push(Correction { field: path.clone(), expected, found });
        Some(corrected)
    }

    fn nested(
        &self,
        node: NodeId,
        value: Option<Value>,
        step: &str,
        path: &mut String,
        corrections: &mut Vec<Correction>,
    ) -> Option<Value> {
        let length = path.len();
        path.push_str(if length == 0 { step.trim_start_matches('.') } else { step });
        let value = self.value(node, value, path, corrections);
        path.truncate(length);
        value
    }

    /// Invalid items are omitted: a card without an id can't be used.
    fn list(&self, item: NodeId, items: Vec<Value>, path: &mut String, corrections: &mut Vec<Correction>) -> Value {
        let has_id = matches!(&self.nodes[item], Node::Object(shape)
            if shape.fields.iter().any(|field| field.name == "id" && field.is_required));
        let is_object = matches!(self.nodes[item], Node::Object(_));
        let each = |value: Value| {
            let lacks_id = has_id && value.get("id").is_none_or(Value::is_null);
            if is_object && (!value.is_object() || lacks_id) {
                let (expected, found) = ("an item with an id", type_name(&value));
                corrections.push(Correction { field: format!("{path}[]"), expected, found });
                return None;
            }
            self.nested(item, Some(value), "[]", path, corrections)
        };
        Value::Array(items.into_iter().filter_map(each).collect())
    }

    /// Corrects an object to its schema. `None` if a required field can't be corrected.
    fn object(
        &self,
        shape: &Shape,
        mut object: Map<String, Value>,
        path: &mut String,
        corrections: &mut Vec<Correction>,
    ) -> Option<Value> {
        // An empty object isn't a resource, so it has no version.
        if let Some(kind) = shape.kind.filter(|_| !object.is_empty()) {
            versions::stamp(kind, &mut object);
        }
        if let Some(offer) = shape.offer
            && let Some(amount) = offer.unreadable(&object)
        {
            let found = object.get(amount).map_or("nothing", type_name);
            corrections.push(Correction { field: format!("{path}.{amount}"), expected: AMOUNT, found });
            if offer != Offer::Event {
                return None;
            }
            object.shift_remove("single_event_package_id");
            object.insert(amount.to_owned(), json!(0));
        }
        for field in &shape.fields {
            let value = object.get_mut(&field.name).map(Value::take);
            match value {
                // An optional list is read as an empty one.
                None if !field.is_required && !field.is_nullable && matches!(self.nodes[field.node], Node::List(_)) => {
                    drop(object.insert(field.name.clone(), json!([])));
                }
                None if !field.is_required => {}
                None if field.is_nullable => drop(object.insert(field.name.clone(), Value::Null)),
                Some(Value::Null) if field.is_nullable => {}
                // An optional field is omitted rather than null.
                Some(Value::Null) if !field.is_required => drop(object.shift_remove(&field.name)),
                value => {
                    match (self.nested(field.node, value, &field.step, path, corrections), object.get_mut(&field.name))
                    {
                        (Some(value), Some(slot)) => *slot = value,
                        (Some(value), None) => drop(object.insert(field.name.clone(), value)),
                        (None, _) if field.is_required => return None,
                        (None, _) => drop(object.shift_remove(&field.name)),
                    }
                }
            }
        }
        Some(Value::Object(object))
    }
}

impl Node {
    fn name(&self) -> &'static str {
        match self {
            Self::Anything => "anything",
            Self::Text => "a string",
            Self::Integer => "a whole number",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::List(_) => "a list",
            Self::Map(_) | Self::Object(_) => "an object",
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The value of a number without a fractional part.
fn as_integer(number: &serde_json::Number) -> Option<i64> {
    let number = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "the number has no fractional part and is in range")]
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> Shapes {
        let document: Value = serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap();
        Shapes::of(&document)
    }

    fn correct(path: &str, reply: Value) -> (Value, Vec<Correction>) {
        let (corrected, corrections) = shapes().correct("GET", path, reply);
        (corrected.expect("the response can be corrected"), corrections)
    }

    fn fields(corrections: &[Correction]) -> Vec<&str> {
        corrections.iter().map(|correction| correction.field.as_str()).collect()
    }

    #[test]
    fn a_valid_reply_is_unchanged_including_unknown_fields() {
        let order = json!({ "data": {
            "id": 7, "type": "event", "status": "paid", "activity_status": "active", "product": { "id": 25, "name": "A game" },
            "base_price": 1, "discount": 0, "service_fee": 0, "total": 1, "currency": "USD", "version": 4,
            "created_at": "2026-11-21T18:00:00.000Z", "loyalty_points": { "of": 3 },
        } });
        let (corrected, corrections) = correct("orders/{id}", order.clone());
        assert_eq!((corrected, corrections), (order, Vec::new()));
    }

    #[test]
    fn a_bare_list_gets_an_envelope_and_missing_fields_get_defaults() {
        let (corrected, corrections) = correct("orders", json!([{ "id": 7, "type": "event", "status": "paid" }]));
        assert_eq!(corrected["meta"], json!({ "total": 1, "limit": 1, "offset": 0 }));
        let order = &corrected["data"][0];
        assert_eq!((&order["total"], &order["currency"], &order["version"]), (&json!(0), &json!(""), &json!(30)));
        assert!(fields(&corrections).contains(&"data[].total"), "{corrections:?}");
    }

    #[test]
    fn wrong_types_are_converted_if_lossless_and_reported() {
        let (corrected, corrections) = correct(
            "orders/{id}",
            json!({ "data": { "id": "7", "type": "event", "status": "created", "activity_status": "inactive",
                "product": { "id": 25, "name": "A game" }, "base_price": 1.0, "discount": "none", "service_fee": 0, "total": "1799",
                "currency": "USD", "created_at": "2026-11-21T18:00:00.000Z" } }),
        );
        let order = &corrected["data"];
        assert_eq!((&order["id"], &order["total"], &order["base_price"]), (&json!(7), &json!(1799), &json!(1)));
        assert_eq!(order["discount"], 0);
        let reported = fields(&corrections);
        assert_eq!(reported, ["data.id", "data.base_price", "data.discount", "data.total"]);
    }

    #[test]
    fn an_absent_optional_list_becomes_empty() {
        let package = json!({ "data": [{
            "id": 1, "name": "A pass", "price": 9, "base_price": 9, "service_fee": 0, "currency": "USD", "type": "pass",
            "is_team_pass": false, "event_categories": [10], "weight": 1,
        }] });
        let (corrected, corrections) = correct("packages", package);
        let package = &corrected["data"][0];
        assert_eq!((&package["participants"], &package["disabled_categories"]), (&json!([]), &json!([])));
        assert!(package.get("description").is_none() && corrections.is_empty(), "{corrections:?}");
    }

    #[test]
    fn items_without_an_id_are_omitted_and_trees_are_corrected() {
        let tree = json!({ "data": [
            { "id": 1, "name": "Basketball", "alias": "b", "children": [{ "id": 2, "name": 3, "alias": "w" }] },
            { "name": "no id" }, "nonsense",
        ] });
        let (corrected, corrections) = correct("events-categories", tree);
        assert_eq!(corrected["data"].as_array().unwrap().len(), 1);
        assert_eq!(corrected["data"][0]["children"][0]["name"], "3");
        assert_eq!(fields(&corrections), ["data[].children[].name", "data[]", "data[]"]);
    }

    #[test]
    fn a_reply_without_a_schema_is_unchanged() {
        assert_eq!(shapes().correct("GET", "a-call-of-its-own", Value::Null), (Some(Value::Null), Vec::new()));
    }

    #[test]
    fn no_reply_causes_a_panic() {
        let shapes = shapes();
        for (method, path) in shapes.calls().map(|(m, p)| (m.to_owned(), p.to_owned())).collect::<Vec<_>>() {
            for invalid in
                [json!(null), json!([]), json!({}), json!("x"), json!({ "data": 1 }), json!({ "data": [null, 1] })]
            {
                let _corrected = shapes.correct(&method, &path, invalid);
            }
        }
    }
}
