//! Parser for the schemas of the API document.

use std::collections::HashMap;

use serde_json::Value;
use touchline_protocol::sync::StatusKind;

use super::{Field, Node, NodeId, Shape};
use crate::price::Offer;

/// Parses schemas, each named one once.
pub(super) struct Reader<'a> {
    document: &'a Value,
    pub(super) nodes: Vec<Node>,
    named: HashMap<&'a str, NodeId>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Value) -> Self {
        Self { document, nodes: Vec::new(), named: HashMap::new() }
    }

    /// The node of a schema.
    pub(super) fn node(&mut self, schema: &'a Value) -> NodeId {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            if let Some(&known) = self.named.get(name) {
                return known;
            }
            // Registered before its children, because a category contains categories.
            let id = self.push(Node::Anything);
            self.named.insert(name, id);
            let node = self.read(&self.document["components"]["schemas"][name]);
            self.nodes[id] = node;
            return id;
        }
        let node = self.read(schema);
        self.push(node)
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn read(&mut self, schema: &'a Value) -> Node {
        if let Some(ways) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
            let mut ways = ways.iter().filter(|way| way["type"] != "null");
            return match (ways.next(), ways.next()) {
                (Some(only), None) => {
                    let id = self.node(only);
                    self.nodes[id].clone()
                }
                _ => Node::Anything,
            };
        }
        let kind = match &schema["type"] {
            Value::String(kind) => kind.as_str(),
            Value::Array(kinds) => {
                let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
                match (kinds.next(), kinds.next()) {
                    (Some(only), None) => only,
                    _ => return Node::Anything,
                }
            }
            _ => return Node::Anything,
        };
        match kind {
            "string" => Node::Text,
            "integer" => Node::Integer,
            "number" => Node::Number,
            "boolean" => Node::Boolean,
            "array" => Node::List(self.node(&schema["items"])),
            "object" if schema["properties"].is_object() => self.object(schema),
            "object" if schema["additionalProperties"].is_object() => {
                Node::Map(self.node(&schema["additionalProperties"]))
            }
            _ => Node::Anything,
        }
    }

    fn object(&mut self, schema: &'a Value) -> Node {
        let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let fields: Vec<_> = fields
            .map(|(name, schema)| Field {
                node: self.node(schema),
                is_required: required.contains(&name.as_str()),
                is_nullable: is_nullable(schema),
                step: format!(".{name}"),
                name: name.clone(),
            })
            .collect();
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        // The document inlines each call's schema, so the type of a resource is recognised by its fields.
        let kind = match (has("version"), has("activity_status"), has("event_media_id"), has("stream_status")) {
            (true, true, ..) => Some(StatusKind::Order),
            (true, _, true, _) => Some(StatusKind::Clip),
            (true, _, _, true) => Some(StatusKind::Event),
            _ => None,
        };
        let offer = Offer::of(has);
        Node::Object(Shape { kind, offer, fields })
    }
}

fn is_nullable(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(is_null))
        || schema["oneOf"].as_array().is_some_and(|ways| ways.iter().any(|way| way["type"] == "null"))
}
