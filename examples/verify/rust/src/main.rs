// A webhook receiver with tiny_http; see Cargo.toml for the crates.
use base64::{engine::general_purpose::STANDARD, Engine};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::env;
use tiny_http::{Request, Response, Server};

/// Whether the signature was made over exactly these bytes with one of our secrets.
fn is_genuine(raw_body: &[u8], signature: &str, secrets: &[&str]) -> bool {
    let Ok(given) = STANDARD.decode(signature) else {
        return false;
    };
    secrets.iter().any(|secret| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key length will do");
        mac.update(raw_body);
        // Takes the same time wherever the two differ.
        mac.verify_slice(&given).is_ok()
    })
}

fn header<'a>(request: &'a Request, name: &'static str) -> &'a str {
    let found = request.headers().iter().find(|header| header.field.equiv(name));
    found.map_or("", |header| header.value.as_str())
}

fn main() {
    // One secret, or two with a comma between them while the secret is being rotated.
    let secrets = env::var("WEBHOOK_SECRETS").expect("WEBHOOK_SECRETS is set");
    let secrets: Vec<&str> = secrets.split([',', ' ', '\n']).filter(|secret| !secret.is_empty()).collect();
    // Anybody can sign with a secret that is empty.
    assert!(!secrets.is_empty(), "set WEBHOOK_SECRETS");
    let port = env::var("PORT").unwrap_or("3000".into());
    let server = Server::http(format!("127.0.0.1:{port}")).expect("the port is free");
    println!("listening on {}", server.server_addr().to_ip().expect("an IP address").port());
    for mut request in server.incoming_requests() {
        // The signature covers the bytes as they were sent: verify before parsing.
        let mut raw_body = Vec::new();
        let is_read = request.as_reader().read_to_end(&mut raw_body).is_ok();
        let genuine = is_read && is_genuine(&raw_body, header(&request, "x-service-signature"), &secrets);
        if genuine {
            let event: serde_json::Value = serde_json::from_slice(&raw_body).unwrap_or_default();
            let id = header(&request, "webhook-id");
            // A test from the dashboard: nothing has happened, and its body is a sample.
            let kind = if id.starts_with("test_") { "test" } else { "event" };
            // A repeat has the same webhook-id: remember the ones you have handled.
            println!("{kind} {id} {}", event["event"]);
        }
        let _ = request.respond(Response::empty(if genuine { 200 } else { 401 }));
    }
}
