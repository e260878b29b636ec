//! Malformed requests to every call in the document: a 4xx with the error envelope, nothing stored, no panic (`CALL-4`,
//! `ERR`, `LIM`).

use serde_json::{Value, json};

use crate::overload::{Call, Overload, request};
use crate::support::{Worker, folder};

/// Bodies that are not a JSON object in UTF-8.
fn broken_bodies() -> Vec<Vec<u8>> {
    let nested = |open: &str| open.repeat(3_000).into_bytes();
    vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"{\"api_key\":}".to_vec(),
        b"{\"api_key\":\"x\"} {}".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        b"\"api_key\"".to_vec(),
        b"api_key=x&channel_key=northfield".to_vec(),
        b"{\"api_key\":\"\xff\xfe\"}".to_vec(),
        b"{\"api_key\":\"\\ud800\"}".to_vec(),
        b"{\"api_key\":1e999}".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"\x00\x01\x02".to_vec(),
        nested("["),
        nested("{\"a\":"),
    ]
}

#[tokio::test]
async fn every_call_refuses_a_body_that_is_not_a_json_object() {
    let (overload, ()) = Overload::begin(async |_| ()).await;
    for call in Call::all().iter().filter(|call| call.takes_a_body()) {
        for body in broken_bodies() {
            let (status, _) = overload.refused(&request(&call.method, &call.usual_path(), &body)).await;
            assert_eq!(status, 400, "{call:?}");
        }
    }
    overload.end().await;
}

#[tokio::test]
async fn every_call_refuses_fields_of_the_wrong_type() {
    let (overload, key) = Overload::begin(Worker::register).await;
    let document: Value = serde_json::from_str(&std::fs::read_to_string(crate::openapi::COMMITTED).unwrap()).unwrap();
    let mut tried = 0;
    for call in Call::all().iter().filter(|call| call.takes_a_body()) {
        let schema = &document["paths"][&call.path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        for field in fields_of(&document, schema) {
            let key = if field == "api_key" { json!({}) } else { json!(key) };
            let mut body = json!({ "api_key": key });
            body[&field] = json!({ "not": ["what", "is", "meant"] });
            overload.refused(&request(&call.method, &call.usual_path(), body.to_string().as_bytes())).await;
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
    overload.end().await;
}

/// The names of a schema's fields, without those of any type.
fn fields_of(document: &Value, schema: &Value) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fields_of(document, &document["components"]["schemas"][name.rsplit('/').next().unwrap()]);
    }
    let parts = schema["allOf"].as_array().into_iter().flatten().flat_map(|part| fields_of(document, part));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let properties = properties.filter(|(_, field)| !field["type"].is_null() || !field["$ref"].is_null());
    let properties =
        properties.filter(|(_, field)| field["type"] != "object" && field["additionalProperties"].is_null());
    parts.chain(properties.map(|(name, _)| name.clone())).collect()
}

/// Shows LIM-8a.
#[tokio::test]
async fn every_call_refuses_a_body_over_a_mebibyte() {
    let (overload, key) = Overload::begin(Worker::register).await;
    for call in Call::all().iter().filter(|call| call.takes_a_body()) {
        let filler = format!(",\"filler\":\"{}\"", "x".repeat(1 << 20));
        let (status, failure) = overload.refused(&call.request_with_key(&json!(key).to_string(), &filler)).await;
        assert_eq!((status, &failure["code"]), (413, &json!("too_large")), "{call:?}");
    }
    overload.end().await;
}

/// Shows CALL-1a.
#[tokio::test]
async fn every_call_refuses_an_invalid_key() {
    let (overload, revoked) = Overload::begin(async |worker| {
        let revoked = worker.register().await;
        worker.data(reqwest::Method::POST, "auth/logout", &json!({ "api_key": revoked })).await;
        revoked
    })
    .await;
    let (_folder, data) = folder();
    let foreign = Worker::start(&data, &[]).register().await;
    let texts = [revoked.as_str(), foreign.as_str(), &revoked[1..], "", "x", "%00", "%27%20OR%201=1--", "null"];
    let keys = texts.map(|key| json!(key).to_string()).into_iter().chain([format!("\"{}\"", "k".repeat(4000))]);
    for key in keys {
        for call in Call::all().iter().filter(|call| call.keyed) {
            let (status, failure) = overload.refused(&call.request_with_key(&key, "")).await;
            assert_eq!(status, 400, "{key} {call:?}");
            assert!(failure["errors"]["api_key"].is_array(), "{key} {call:?}: {failure}");
        }
    }
    for call in Call::all().iter().filter(|call| call.keyed) {
        let none = request(&call.method, &call.usual_path(), if call.takes_a_body() { b"{}" } else { b"" });
        let (_, failure) = overload.refused(&none).await;
        assert!(failure["errors"]["api_key"].is_array(), "{call:?}: {failure}");
        if call.takes_a_body() {
            for key in ["null", "1", "[]", "{\"$ne\":null}"] {
                let (_, failure) = overload.refused(&call.request_with_key(key, "")).await;
                assert!(failure["errors"]["api_key"].is_array(), "{call:?}: {failure}");
            }
        }
    }
    overload.end().await;
}

/// Values that are not ids or names.
const INVALID_IDS: &[&str] = &[
    "0",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "1e0",
    "0x1",
    "%31%00",
    "%00",
    "%ff",
    "%c3%28",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f1",
    "1;drop%20table%20users",
    "%F0%9F%8F%90",
];

#[tokio::test]
async fn invalid_ids_and_names_are_refused() {
    let (overload, key) = Overload::begin(Worker::register).await;
    let long = "9".repeat(4000);
    for call in Call::all().iter().filter(|call| call.keyed && call.path.contains('{')) {
        for id in INVALID_IDS.iter().copied().chain([long.as_str()]) {
            let body = json!({ "api_key": key, "code": "c", "state": "s" }).to_string();
            let (path, body) =
                if call.takes_a_body() { (call.path_with(id), body) } else { (call.path_with(id), String::new()) };
            let target = if call.takes_a_body() { path } else { format!("{path}?api_key={key}") };
            let (status, _) = overload.refused(&request(&call.method, &target, body.as_bytes())).await;
            assert!([400, 404].contains(&status), "{status} {target}");
        }
    }
    overload.end().await;
}

#[tokio::test]
async fn paths_never_escape_their_folder() {
    let (overload, key) = Overload::begin(Worker::register).await;
    let ways = [
        "../channel.sqlite",
        "../../data/channel.sqlite",
        "..%2fchannel.json",
        "%2e%2e/channel.json",
        "%2e%2e%2fchannel.json",
        "..%5cchannel.json",
        "....//channel.json",
        "./../channel.json",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "hls/%00/master.m3u8",
        "%ff%fe",
        "crests/../../channel.json",
        "s/e1/9999999999-abc/../../../channel.json",
    ];
    let bases =
        ["/media/northfield/", "/media/", "/storage/settings/", "/assets/", "/api/", "/datalake/", "/keys/", "/icons/"];
    for base in bases {
        for way in ways {
            let (status, _) = overload.refused(&request("GET", &format!("{base}{way}"), b"")).await;
            assert!([400, 404].contains(&status), "{status} {base}{way}");
        }
    }
    for name in ["/keys/%ff.json", "/keys/%00.json", "/icons/%ff", "/icons/%ff.png"] {
        assert_eq!(overload.refused(&request("GET", name, b"")).await.0, 404, "{name}");
    }
    // A path that only resolves to a call after normalisation is unknown here.
    for target in ["/api//events", "/api/./events", "/api/x/../events", "/api/events/", "/API/events"] {
        let (status, body) = overload.send(&request("GET", &format!("{target}?api_key={key}"), b"")).await;
        assert_eq!(status, 404, "{target}: {}", String::from_utf8_lossy(&body));
    }
    overload.end().await;
}

#[tokio::test]
async fn every_list_refuses_malformed_queries() {
    let (overload, key) = Overload::begin(Worker::register).await;
    let lists = ["events", "events/favorite", "participants", "vod-media-items", "vod-media/search", "orders"];
    let queries = [
        "limit=0",
        "limit=101",
        "limit=-1",
        "limit=x",
        "limit=1e1",
        "limit=99999999999999999999",
        "limit=%ff",
        "offset=-1",
        "offset=x",
        "offset=99999999999999999999",
        "no_limit=2",
        "no_limit=true",
        "limit=1&limit=2",
    ];
    for list in lists {
        for query in queries {
            let target = format!("/api/{list}?{query}&api_key={key}");
            let (status, _) = overload.refused(&request("GET", &target, b"")).await;
            assert_eq!(status, 400, "{target}");
        }
    }
    for query in ["stream_status=soon", "gender=%ff", "sort_field=password", "start_date=yesterday", "ids=1,x"] {
        let (status, _) = overload.refused(&request("GET", &format!("/api/events?{query}&api_key={key}"), b"")).await;
        assert_eq!(status, 400, "{query}");
    }
    let (_, failure) =
        overload.refused(&request("GET", &format!("/api/events?api_key={key}&api_key={key}"), b"")).await;
    assert_eq!(failure["code"], "malformed");
    overload.end().await;
}

#[tokio::test]
async fn requests_that_are_not_http_are_refused() {
    let (overload, ()) = Overload::begin(async |_| ()).await;
    for broken in [
        &b"GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -1\r\n\r\n"[..],
        b"GET /api/\xff\xfe HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
        b"POST /api/get_api_key HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\
          connection: close\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"BREW /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    ] {
        let (status, _) = overload.send(broken).await;
        assert!((400..500).contains(&status), "{status} to {}", String::from_utf8_lossy(broken));
    }
    let header = format!("GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\nx: {}\r\n\r\n", "x".repeat(1 << 20));
    let (status, _) = overload.send(header.as_bytes()).await;
    assert_eq!(status, 431);
    overload.end().await;
}
