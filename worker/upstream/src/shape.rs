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
    takes_null: bool,
}

/// The response schemas of all calls.
#[derive(Default)]
pub(crate) struct Shapes {
    nodes: Vec<Node>,
    /// By method and path below `/api/`.
    answers: HashMap<(String, String), NodeId>,
    /// Content types of responses other than JSON, by method and path below `/api/`.
    files: HashMap<(String, String), String>,
    /// Matches a path to its route.
    routes: matchit::Router<String>,
}

/// A correction of a response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Mend {
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
        let (mut answers, mut files) = (HashMap::new(), HashMap::new());
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
                    answers.insert(name, reader.node(schema));
                } else if let Some(kind) = content.as_object().and_then(|kinds| kinds.keys().next()) {
                    files.insert(name, kind.clone());
                }
            }
        }
        Self { nodes: reader.nodes, answers, files, routes }
    }

    /// The methods and paths below `/api/` of all calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answers.keys().chain(self.files.keys()).map(|(method, path)| (method.as_str(), path.as_str()))
    }

    /// Content type of a response other than JSON, such as `text/calendar`.
    pub(crate) fn file_kind(&self, method: &Method, path: &str) -> Option<&str> {
        self.files.get(&(method.to_string(), path.to_owned())).map(String::as_str)
    }

    /// The route of a path below `/api/`, such as `events/{id}`.
    pub(crate) fn route_of(&self, path: &str) -> Option<&str> {
        self.routes.at(path.trim_end_matches('/')).ok().map(|found| found.value.as_str())
    }

    /// Corrects a response to its call's schema, and lists the corrections. `None` if it can't be corrected.
    pub(crate) fn mend(&self, method: &str, path: &str, answer: Value) -> (Option<Value>, Vec<Mend>) {
        let Some(&node) = self.answers.get(&(method.to_owned(), path.to_owned())) else {
            return (Some(answer), Vec::new());
        };
        let mut mends = Vec::new();
        let answer = self.enveloped(node, answer);
        (self.value(node, Some(answer), &mut String::new(), &mut mends), mends)
    }

    /// Adds a missing envelope. A list without pagination counts as complete.
    fn enveloped(&self, node: NodeId, answer: Value) -> Value {
        let Node::Object(Shape { fields, .. }) = &self.nodes[node] else { return answer };
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        if !has("data") {
            return answer;
        }
        let mut answer = match answer {
            Value::Object(fields) if fields.contains_key("data") => fields,
            bare => Map::from_iter([("data".to_owned(), bare)]),
        };
        if has("meta") && !answer.get("meta").is_some_and(Value::is_object) {
            let total = answer["data"].as_array().map_or(0, Vec::len);
            answer.insert("meta".to_owned(), json!({ "total": total, "limit": total, "offset": 0 }));
        }
        Value::Object(answer)
    }

    /// Corrects a value to the schema of `node`. `None` if it can't be corrected.
    fn value(&self, node: NodeId, value: Option<Value>, at: &mut String, mends: &mut Vec<Mend>) -> Option<Value> {
        let expected = self.nodes[node].name();
        let found = value.as_ref().map_or("nothing", kind_of);
        let mended = match (&self.nodes[node], value) {
            (Node::Anything, value) => return Some(value.unwrap_or(Value::Null)),
            (Node::Text, Some(Value::String(text))) => return Some(Value::String(text)),
            (Node::Text, Some(Value::Number(number))) => Value::String(number.to_string()),
            (Node::Integer, Some(Value::Number(number))) if number.is_i64() || number.is_u64() => {
                return Some(Value::Number(number));
            }
            (Node::Integer, Some(Value::Number(number))) => whole(&number).map_or(json!(0), Value::from),
            (Node::Integer, Some(Value::String(text))) => text.trim().parse::<i64>().map_or(json!(0), Value::from),
            (Node::Integer, Some(Value::Bool(flag))) => json!(i64::from(flag)),
            (Node::Number, Some(Value::Number(number))) => return Some(Value::Number(number)),
            (Node::Number, Some(Value::String(text))) => text.trim().parse::<f64>().map_or(json!(0), |n| json!(n)),
            (Node::Boolean, Some(Value::Bool(flag))) => return Some(Value::Bool(flag)),
            (Node::Boolean, Some(Value::Number(number))) => json!(number.as_f64().is_some_and(|n| n != 0.0)),
            (Node::Boolean, Some(Value::String(text))) => json!(matches!(text.as_str(), "1" | "true")),
            (Node::List(item), Some(Value::Array(items))) => return Some(self.list(*item, items, at, mends)),
            (Node::Map(item), Some(Value::Object(fields))) => {
                let each = |(name, value)| {
                    let value = self.within(*item, Some(value), &format!(".{name}"), at, mends)?;
                    Some((name, value))
                };
                return Some(Value::Object(fields.into_iter().filter_map(each).collect()));
            }
            (Node::Object(shape), Some(Value::Object(there))) => return self.object(shape, there, at, mends),
            (Node::Text, _) => json!(""),
            (Node::Integer | Node::Number, _) => json!(0),
            (Node::Boolean, _) => json!(false),
            (Node::List(_), _) => json!([]),
            (Node::Map(_), _) => json!({}),
            (Node::Object(shape), _) => {
                mends.push(Mend { field: at.clone(), expected, found });
                return self.object(shape, Map::new(), at, &mut Vec::new());
            }
        };
        mends.push(Mend { field: at.clone(), expected, found });
        Some(mended)
    }

    fn within(
        &self,
        node: NodeId,
        value: Option<Value>,
        step: &str,
        at: &mut String,
        mends: &mut Vec<Mend>,
    ) -> Option<Value> {
        let length = at.len();
        at.push_str(if length == 0 { step.trim_start_matches('.') } else { step });
        let value = self.value(node, value, at, mends);
        at.truncate(length);
        value
    }

    /// Invalid items are omitted: a card without an id can't be used.
    fn list(&self, item: NodeId, items: Vec<Value>, at: &mut String, mends: &mut Vec<Mend>) -> Value {
        let has_id = matches!(&self.nodes[item], Node::Object(shape)
            if shape.fields.iter().any(|field| field.name == "id" && field.is_required));
        let is_object = matches!(self.nodes[item], Node::Object(_));
        let each = |value: Value| {
            let lacks_id = has_id && value.get("id").is_none_or(Value::is_null);
            if is_object && (!value.is_object() || lacks_id) {
                let (expected, found) = ("an item with an id", kind_of(&value));
                mends.push(Mend { field: format!("{at}[]"), expected, found });
                return None;
            }
            self.within(item, Some(value), "[]", at, mends)
        };
        Value::Array(items.into_iter().filter_map(each).collect())
    }

    /// Corrects an object to its schema. `None` if a required field can't be corrected.
    fn object(
        &self,
        shape: &Shape,
        mut there: Map<String, Value>,
        at: &mut String,
        mends: &mut Vec<Mend>,
    ) -> Option<Value> {
        // An empty object is no resource, so it has no version.
        if let Some(kind) = shape.kind.filter(|_| !there.is_empty()) {
            versions::stamp(kind, &mut there);
        }
        if let Some(offer) = shape.offer
            && let Some(amount) = offer.unreadable(&there)
        {
            let found = there.get(amount).map_or("nothing", kind_of);
            mends.push(Mend { field: format!("{at}.{amount}"), expected: AMOUNT, found });
            if offer != Offer::Event {
                return None;
            }
            there.shift_remove("single_event_package_id");
            there.insert(amount.to_owned(), json!(0));
        }
        for field in &shape.fields {
            let value = there.get_mut(&field.name).map(Value::take);
            match value {
                // An optional list is read as an empty one.
                None if !field.is_required && !field.takes_null && matches!(self.nodes[field.node], Node::List(_)) => {
                    drop(there.insert(field.name.clone(), json!([])));
                }
                None if !field.is_required => {}
                None if field.takes_null => drop(there.insert(field.name.clone(), Value::Null)),
                Some(Value::Null) if field.takes_null => {}
                // An optional field is omitted rather than null.
                Some(Value::Null) if !field.is_required => drop(there.shift_remove(&field.name)),
                value => match (self.within(field.node, value, &field.step, at, mends), there.get_mut(&field.name)) {
                    (Some(value), Some(slot)) => *slot = value,
                    (Some(value), None) => drop(there.insert(field.name.clone(), value)),
                    (None, _) if field.is_required => return None,
                    (None, _) => drop(there.shift_remove(&field.name)),
                },
            }
        }
        Some(Value::Object(there))
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

fn kind_of(value: &Value) -> &'static str {
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
fn whole(number: &serde_json::Number) -> Option<i64> {
    let number = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "its part after the point is nothing, and it is in range")]
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> Shapes {
        let document: Value = serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap();
        Shapes::of(&document)
    }

    fn mend(path: &str, answer: Value) -> (Value, Vec<Mend>) {
        let (mended, mends) = shapes().mend("GET", path, answer);
        (mended.expect("the response can be corrected"), mends)
    }

    fn fields(mends: &[Mend]) -> Vec<&str> {
        mends.iter().map(|mend| mend.field.as_str()).collect()
    }

    #[test]
    fn what_is_whole_stays_as_it_is_with_fields_that_nobody_knows() {
        let order = json!({ "data": {
            "id": 7, "type": "event", "status": "paid", "activity_status": "active", "product": { "id": 25, "name": "A game" },
            "base_price": 1, "discount": 0, "service_fee": 0, "total": 1, "currency": "USD", "version": 4,
            "created_at": "2026-11-21T18:00:00.000Z", "loyalty_points": { "of": 3 },
        } });
        let (mended, mends) = mend("orders/{id}", order.clone());
        assert_eq!((mended, mends), (order, Vec::new()));
    }

    #[test]
    fn a_bare_list_gets_its_envelope_and_missing_fields_what_says_least() {
        let (mended, mends) = mend("orders", json!([{ "id": 7, "type": "event", "status": "paid" }]));
        assert_eq!(mended["meta"], json!({ "total": 1, "limit": 1, "offset": 0 }));
        let order = &mended["data"][0];
        assert_eq!((&order["total"], &order["currency"], &order["version"]), (&json!(0), &json!(""), &json!(30)));
        assert!(fields(&mends).contains(&"data[].total"), "{mends:?}");
    }

    #[test]
    fn a_wrong_type_is_converted_where_that_loses_nothing_and_named() {
        let (mended, mends) = mend(
            "orders/{id}",
            json!({ "data": { "id": "7", "type": "event", "status": "created", "activity_status": "inactive",
                "product": { "id": 25, "name": "A game" }, "base_price": 1.0, "discount": "none", "service_fee": 0, "total": "1799",
                "currency": "USD", "created_at": "2026-11-21T18:00:00.000Z" } }),
        );
        let order = &mended["data"];
        assert_eq!((&order["id"], &order["total"], &order["base_price"]), (&json!(7), &json!(1799), &json!(1)));
        assert_eq!(order["discount"], 0);
        let named = fields(&mends);
        assert_eq!(named, ["data.id", "data.base_price", "data.discount", "data.total"]);
    }

    #[test]
    fn a_list_that_may_be_absent_is_an_empty_one() {
        let package = json!({ "data": [{
            "id": 1, "name": "A pass", "price": 9, "base_price": 9, "service_fee": 0, "currency": "USD", "type": "pass",
            "is_team_pass": false, "event_categories": [10], "weight": 1,
        }] });
        let (mended, mends) = mend("packages", package);
        let package = &mended["data"][0];
        assert_eq!((&package["participants"], &package["disabled_categories"]), (&json!([]), &json!([])));
        assert!(package.get("description").is_none() && mends.is_empty(), "{mends:?}");
    }

    #[test]
    fn an_item_without_an_id_is_left_out_and_a_tree_is_walked() {
        let tree = json!({ "data": [
            { "id": 1, "name": "Basketball", "alias": "b", "children": [{ "id": 2, "name": 3, "alias": "w" }] },
            { "name": "no id" }, "nonsense",
        ] });
        let (mended, mends) = mend("events-categories", tree);
        assert_eq!(mended["data"].as_array().unwrap().len(), 1);
        assert_eq!(mended["data"][0]["children"][0]["name"], "3");
        assert_eq!(fields(&mends), ["data[].children[].name", "data[]", "data[]"]);
    }

    #[test]
    fn an_answer_of_nothing_to_a_call_without_a_shape_stands() {
        assert_eq!(shapes().mend("GET", "a-call-of-its-own", Value::Null), (Some(Value::Null), Vec::new()));
    }

    #[test]
    fn no_answer_of_any_shape_makes_it_panic() {
        let shapes = shapes();
        for (method, path) in shapes.calls().map(|(m, p)| (m.to_owned(), p.to_owned())).collect::<Vec<_>>() {
            for odd in
                [json!(null), json!([]), json!({}), json!("x"), json!({ "data": 1 }), json!({ "data": [null, 1] })]
            {
                let _mended = shapes.mend(&method, &path, odd);
            }
        }
    }
}
