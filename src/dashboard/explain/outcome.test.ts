import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Outcome, ReceiverResponse } from "../../domain/attempt.ts";
import { START_MS } from "../../../test/kit/world/virtual-clock.ts";
import { FAILURE_CODES } from "../../domain/failure-codes.ts";
import type { OutcomeClass } from "../contract/outcomes.ts";
import { CAN_BE_ALLOWED, CLOSED, HTTPS_ONLY } from "../../domain/refusal-words.ts";
import { explainOutcome } from "./outcome.ts";

const URL_CALLED = "https://hook.example.com/in";

const answer = (status: number, changes: Partial<ReceiverResponse> = {}): Outcome => ({
  kind: "response",
  response: { status, headers: { date: "now" }, body: new Uint8Array(), bodyCut: false, ...changes },
});

const redirect = (location: string): Outcome => answer(308, { headers: { location } });
const network = (code: string): Outcome => ({ kind: "network_error", code, message: "as it was said" });
const tls = (code: string): Outcome => ({ kind: "tls_error", code, message: "as it was said" });
const dns = (code: string): Outcome => ({ kind: "dns_error", code, message: "as it was said" });

const NOT_REACHED = null as number | null;

function explain(
  outcome: Outcome,
  { isTest = true, isFresh = true, url = URL_CALLED, totalMs = 15_000, connectMs = NOT_REACHED } = {},
) {
  const timings = { dnsMs: null, connectMs, tlsMs: null, firstByteMs: null, totalMs };
  const result = { outcome, timings, address: null };
  return explainOutcome({ result, startedAtMs: START_MS, url, bodyBytes: 2_000, isTest, isFresh });
}

type Row = [outcome: Outcome, kind: OutcomeClass, status: string, sentence: string | RegExp, advice: RegExp];

const ROWS: readonly Row[] = [
  [answer(200), "success", "200 OK", "Your endpoint accepted the test.", /^$/],
  [answer(204), "success", "204 No Content", "Your endpoint accepted the test.", /^$/],
  [answer(299), "success", "299", "Your endpoint accepted the test.", /^$/],
  [answer(304), "redirect", "304 Not Modified", /redirected, without an address/, /answers by itself/],
  [answer(400), "bad_request", "400 Bad Request", "Your endpoint didn't accept the body.", /its response/],
  [answer(422), "bad_request", "422 Unprocessable Entity", "Your endpoint didn't accept the body.", /its response/],
  [answer(401), "rejected", "401 Unauthorized", "Your endpoint rejected the test.", /headers.*signature check/],
  [answer(403), "rejected", "403 Forbidden", "Your endpoint rejected the test.", /headers.*signature check/],
  [answer(404), "not_found", "404 Not Found", "Nothing answers at this path.", /Check the path/],
  [answer(405), "method_not_allowed", "405 Method Not Allowed", "This path doesn't accept POST.", /POST/],
  [answer(410), "gone", "410 Gone", /it's gone. Real deliveries would turn this webhook off/, /Webhook URL/],
  [answer(413), "too_large", "413 Payload Too Large", /body is too large/, /2,000 bytes.*up to 1 MiB/],
  [answer(429), "rate_limited", "429 Too Many Requests", /limiting requests/, /^Real deliveries wait as asked/],
  [
    answer(429, { headers: { "retry-after": "90" } }),
    "rate_limited",
    "429 Too Many Requests",
    /limiting requests/,
    /^It asked for 90 s of silence/,
  ],
  [answer(500), "server_error", "500 Internal Server Error", "Your endpoint had an error.", /logs of that time/],
  [answer(503), "server_error", "503 Service Unavailable", "Your endpoint had an error.", /logs of that time/],
  [answer(599), "server_error", "599", "Your endpoint had an error.", /logs/],
  [answer(418), "other_status", "418 I'm a Teapot", /answered 418 I'm a Teapot. Only 200 to 299/, /its response/],
  [answer(999), "other_status", "999", /answered 999. Only 200 to 299/, /its response/],
  [
    { kind: "timeout", phase: "headers" },
    "timeout",
    "Timed out",
    "No answer in 15 s.",
    /^Answer within 15 s and do the work afterwards\.$/,
  ],
  [{ kind: "timeout", phase: "body" }, "timeout", "Timed out", /didn't finish in 15 s/, /End the response/],
  [
    { kind: "timeout", phase: "connect" },
    "timeout",
    "Timed out",
    /hook.example.com didn't accept a connection on port 443/,
    /running/,
  ],
  [{ kind: "timeout", phase: "dns" }, "timeout", "Timed out", /name servers didn't tell where/, /name servers/],
  [dns("ENOTFOUND"), "name_not_found", "Name not found", "We couldn't find hook.example.com.", /spelling/],
  [dns("ENODATA"), "name_not_found", "Name not found", "We couldn't find hook.example.com.", /A or AAAA/],
  [
    dns("ESERVFAIL"),
    "name_not_found",
    "Name not found",
    "We couldn't find hook.example.com.",
    /^Check the name servers of hook.example.com: its name servers failed to answer\.$/,
  ],
  [dns("ECONNREFUSED"), "our_fault", "Not sent", /couldn't look up/, /operator.*your settings are fine/],
  [dns("EBUSY"), "our_fault", "Not sent", /couldn't look up/, /operator.*your settings are fine/],
  [network("ECONNREFUSED"), "connection", "Connection refused", /refused the connection on port 443/, /running/],
  [network("ECONNRESET"), "connection", "Connection reset", /closed the connection on port 443/, /logs/],
  [network("ANSWER_INCOMPLETE"), "connection", "Connection closed", /closed the connection on port 443/, /logs/],
  [network("EPIPE"), "connection", "Connection closed", /port 443 without an answer\.$/, /logs/],
  [network("EHOSTUNREACH"), "connection", "Not reachable", /can't be reached on port 443/, /network/],
  [
    network("ANSWER_NOT_HTTP"),
    "connection",
    "Not HTTP",
    /can't be read as HTTP\. .*as it was said\.$/,
    /HTTP\/1\.1 200 OK/,
  ],
  [network("ANSWER_IN_TLS"), "connection", "Not HTTP", /answers in TLS/, /https:/],
  [network("INTERIM_ANSWERS"), "connection", "Connection failed", /as it was said\.$/, /logs/],
  [tls("CERT_HAS_EXPIRED"), "certificate", "Certificate problem", /hook.example.com.*it has expired/, /Renew/],
  [tls("CERT_NOT_YET_VALID"), "certificate", "Certificate problem", /not valid yet/, /clocks/],
  [tls("ERR_TLS_CERT_ALTNAME_INVALID"), "certificate", "Certificate problem", /another name/, /certificate is for/],
  [tls("DEPTH_ZERO_SELF_SIGNED_CERT"), "certificate", "Certificate problem", /self-signed/, /known authority/],
  [tls("UNABLE_TO_GET_ISSUER_CERT_LOCALLY"), "certificate", "Certificate problem", /issuer/, /intermediate/],
  [tls("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "certificate", "Certificate problem", /issuer/, /full chain/],
  [tls("EPROTO"), "certificate", "TLS failed", /doesn't answer in TLS on port 443/, /http:/],
  [tls("ECONNRESET"), "certificate", "TLS failed", /while it was being encrypted/, /https port/],
  [tls("ERR_SSL_OTHER"), "certificate", "TLS failed", /could be made: TLS failed\.$/, /TLS settings/],
  [
    { kind: "blocked", message: `10.0.0.5 is private. ${CAN_BE_ALLOWED}` },
    "blocked",
    "Address blocked",
    "10.0.0.5 is private.",
    /^Ask the people who run this service to allow it\.$/,
  ],
  [
    { kind: "blocked", message: `localhost points to 127.0.0.1, which is a loopback address. ${CAN_BE_ALLOWED}` },
    "blocked",
    "Address blocked",
    "localhost points to 127.0.0.1, which is a loopback address.",
    /to allow it\. For a server on your own machine there is “While you build”/,
  ],
  [
    { kind: "blocked", message: `11.0.0.1 is closed: ${CLOSED}` },
    "blocked",
    "Address blocked",
    /^11\.0\.0\.1 is closed: the people who run this service do not let/,
    /^It is their rule: ask them to change it\.$/,
  ],
  [{ kind: "blocked", message: HTTPS_ONLY }, "blocked", "Not https", HTTPS_ONLY, /Write https:\/\/ in the Webhook URL/],
  [{ kind: "blocked", message: "It is ours." }, "blocked", "Address blocked", "It is ours.", /No setting opens/],
  [
    { kind: "blocked", message: "The egress proxy refuses to call it." },
    "blocked",
    "Address blocked",
    /egress proxy/,
    /rule of the operator's proxy/,
  ],
  [
    { kind: "proxy_error", code: "PROXY_UNREACHABLE", message: "It is away" },
    "proxy",
    "Proxy failed",
    /couldn't send the test: the operator's proxy failed. Your settings are fine/,
    /It is away\.$/,
  ],
  [
    { kind: "token_error", code: "TOKEN_INVALID_SCOPE", message: "login.example.com answered 400 (invalid_scope)." },
    "token",
    "No access token",
    "Without an access token the test was not sent: login.example.com answered 400 (invalid_scope).",
    /^Check scope and audience/,
  ],
  [
    { kind: "token_error", code: "TOKEN_UNAVAILABLE", message: "login.example.com answered 503." },
    "token",
    "No access token",
    /answered 503/,
    /^Look at your identity provider's status\.$/,
  ],
  [
    { kind: "network_error", code: "CLOSED_AFTER_CERTIFICATE", message: "It closed." },
    "certificate",
    "Connection closed",
    "hook.example.com closed the connection after it got our client certificate, without an answer.",
    /may not accept the certificate/,
  ],
  [
    { kind: "tls_error", code: "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", message: "alert 40" },
    "certificate",
    "TLS failed",
    "hook.example.com broke off the TLS handshake on port 443.",
    /client certificate/,
  ],
  [
    { kind: "tls_error", code: "ERR_TLS_COSTLY", message: "It took more than 30 ms." },
    "certificate",
    "TLS too expensive",
    "Encrypting the connection to hook.example.com on port 443 takes this service far too much computing time.",
    /ordinary certificate/,
  ],
  [
    { kind: "proxy_error", code: "PROXY_STATUS_502", message: "502" },
    "proxy",
    "Proxy failed",
    /couldn't connect to hook.example.com on port 443/,
    /operator/,
  ],
  [
    {
      kind: "internal_error",
      message: "Other receivers of this account made TLS expensive, so its handshakes rest for a while.",
    },
    "our_fault",
    "Not sent",
    "Another endpoint of this account made encrypting far too expensive, so its new connections wait.",
    /mend or pause that webhook/,
  ],
  [
    { kind: "body_error", message: "The body would have more than 256 KiB." },
    "body",
    "Body not made",
    "The body could not be made: The body would have more than 256 KiB.",
    /^Nothing was sent\. Change the webhook's body/,
  ],
  [
    { kind: "internal_error", message: "EMFILE" },
    "our_fault",
    "Not sent",
    "We couldn't run the test. Your settings are fine.",
    /^Try again/,
  ],
];

for (const [outcome, kind, status, sentence, advice] of ROWS) {
  test(`${JSON.stringify(outcome).slice(0, 70)} is told as ${kind}`, () => {
    const explained = explain(outcome);
    assert.deepEqual([explained.class, explained.status], [kind, status]);
    if (typeof sentence === "string") assert.equal(explained.sentence, sentence);
    else assert.match(explained.sentence, sentence);
    assert.match(explained.advice, advice);
  });
}

test("no word of success without a 2xx, and our own faults never blame the receiver", () => {
  for (const [outcome, kind] of ROWS) {
    for (const isTest of [true, false]) {
      const { sentence, advice } = explain(outcome, { isTest });
      const words = `${sentence} ${advice}`;
      if (kind !== "success") assert.doesNotMatch(words, /accepted|succe|deliver(?:ed|y worked)|received it/i);
      if (kind === "our_fault") assert.doesNotMatch(words, /your endpoint (?:had|did|said|rejected|closed|refused)/i);
      assert.doesNotMatch(words, /!|undefined|\{|\bplease\b/);
      assert.match(sentence, /[.?]$/);
    }
  }
});

test("a deadline that ran out behind TCP is told as what it waited for: encryption", () => {
  const { sentence, advice } = explain({ kind: "timeout", phase: "connect" }, { connectMs: 3, totalMs: 5_004 });
  assert.match(sentence, /took the connection on port 443 but didn't finish encrypting it within 5 s/);
  assert.match(advice, /http:/);
});

test("an attempt is not called a test", () => {
  for (const [outcome] of ROWS) {
    const { sentence, advice } = explain(outcome, { isTest: false });
    assert.doesNotMatch(`${sentence} ${advice}`, /\btest\b/);
  }
});

describe("a redirect", () => {
  const ADDRESSES: readonly [what: string, location: string, offered: string | null][] = [
    ["absolute", "https://www.example.com/in", "https://www.example.com/in"],
    ["relative to the path", "v2?x=1", "https://hook.example.com/v2?x=1"],
    ["relative to the scheme", "//www.example.com/in", "https://www.example.com/in"],
    ["with a fragment, which is never sent", "https://www.example.com/in#top", "https://www.example.com/in"],
    ["to a script", "javascript:alert(1)", null],
    ["with a password in it", "https://a:b@www.example.com/", null],
    ["to itself", URL_CALLED, null],
    ["that cannot be read", "http://[", null],
  ];
  for (const [what, location, offered] of ADDRESSES) {
    test(what, () => {
      const remedy = offered === null ? null : { kind: "use_url", url: offered };
      assert.deepEqual(explain(redirect(location)).remedy, remedy);
    });
  }

  const SIGN_IN = [
    "https://login.example.com/",
    "https://accounts.example.com/v3",
    "https://acme-sso.example.com/in",
    "https://auth.example.com/hook",
    "/signin",
    "/users/sign_in",
    "/oauth2/authorize?client_id=a",
    "/welcome?next=%2Fhook",
    "/welcome?returnTo=/hook",
    "/welcome?redirect_uri=/hook",
  ];
  for (const location of SIGN_IN) {
    test(`to ${location} looks like a sign-in page, and its address is not offered`, () => {
      const { remedy, advice } = explain(redirect(location));
      assert.equal(remedy, null);
      assert.match(advice, /sign-in page/);
    });
  }

  test("to an address that only reminds of one is offered", () => {
    for (const path of ["/blogin", "/authors", "/accounts/7/hook", "/design?id=next"]) {
      assert.equal(explain(redirect(path)).remedy?.kind, "use_url", path);
    }
  });

  test("is offered only where the same request is taken", () => {
    const offered = [301, 302, 303, 304, 307, 308].map(
      (status) => explain(answer(status, { headers: { location: "/v2" } })).remedy !== null,
    );
    assert.deepEqual(offered, [true, false, false, false, true, true]);
  });

  test("names where it points, absolute and shortened", () => {
    assert.match(explain(redirect("/login")).sentence, /redirected to https:\/\/hook\.example\.com\/login\./);
    assert.ok(explain(redirect(`/${"x".repeat(5_000)}`)).sentence.length < 300);
  });
});

describe("a 401", () => {
  const ASKED: readonly [challenge: string, scheme: string | null][] = [
    ['Bearer realm="hooks"', "Bearer"],
    ["basic", "Basic"],
    ['Negotiate, Basic realm="a"', "Basic"],
    ["Digest realm=a", null],
    ["Bearers", null],
    ["", null],
  ];
  for (const [challenge, scheme] of ASKED) {
    test(`that asks for ${challenge === "" ? "nothing" : challenge}`, () => {
      const { remedy, advice } = explain(answer(401, { headers: { "www-authenticate": challenge } }));
      assert.deepEqual(remedy, scheme === null ? null : { kind: "add_authorization", scheme });
      assert.match(advice, scheme === null ? /signature check/ : new RegExp(`begins with ${scheme}`));
    });
  }
});

test("a port without TLS offers the same address without it, and a certificate's fault does not", () => {
  const remedy = { kind: "use_http", url: URL_CALLED.replace("https:", "http:") };
  assert.deepEqual(explain(tls("EPROTO")).remedy, remedy);
  assert.deepEqual(explain({ kind: "timeout", phase: "connect" }, { connectMs: 3 }).remedy, remedy);
  assert.equal(explain({ kind: "timeout", phase: "connect" }).remedy, null);
  assert.equal(explain(tls("CERT_HAS_EXPIRED")).remedy, null);
});

describe("bytes from outside", () => {
  const bytes = (text: string | Uint8Array) => Buffer.from(text);
  const view = (body: Uint8Array, bodyCut = false) => explain(answer(200, { body, bodyCut })).response?.body;

  test("are text when they are UTF-8, letters of any script included", () => {
    assert.deepEqual(view(bytes("<b>Zoë</b>\r\n\t東京 🎉")), { kind: "text", text: "<b>Zoë</b>\r\n\t東京 🎉" });
    assert.deepEqual(view(bytes("")), { kind: "text", text: "" });
  });

  test("are Base64 when they are not, or when control characters are among them", () => {
    for (const body of [Uint8Array.of(0xff, 0xfe, 0x41), bytes("a\u0000b"), bytes("a\u001b[31m"), bytes("a\u007f")]) {
      assert.deepEqual(view(body), {
        kind: "binary",
        base64: Buffer.from(body).toString("base64"),
        bytes: body.length,
      });
    }
  });

  test("are text also when the cap cut a letter in two, and only then", () => {
    for (const letter of ["ë", "東", "🎉"]) {
      const whole = bytes(`a${letter}`);
      for (let end = 2; end < whole.length; end += 1) {
        assert.deepEqual(view(whole.subarray(0, end), true), { kind: "text", text: "a" }, `${letter} ${end}`);
        assert.equal(view(whole.subarray(0, end), false)?.kind, "binary");
      }
      assert.deepEqual(view(whole, true), { kind: "text", text: `a${letter}` });
    }
    assert.equal(view(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80), true)?.kind, "binary");
  });
});

test("an answer that housekeeping has emptied says so, and one that came just now never does", () => {
  const emptied = answer(500, { headers: {} });
  assert.equal(explain(emptied, { isFresh: false }).response?.isPurged, true);
  assert.equal(explain(emptied, { isFresh: true }).response?.isPurged, false);
  assert.equal(explain(answer(500), { isFresh: false }).response?.isPurged, false);
});

test("says how the facts were called where they came from", () => {
  assert.equal(explain(network("ECONNREFUSED")).technical, "ECONNREFUSED: as it was said");
  assert.equal(explain({ kind: "timeout", phase: "body" }).phase, "body");
  assert.equal(explain(answer(200)).technical, "");
  const blocked = { kind: "blocked", message: `10.0.0.5 is private. ${CAN_BE_ALLOWED}` } as const;
  assert.equal(explain(blocked).technical, "", "sentence and advice are all of it");
});

test("a URL that cannot be read any more does not throw", () => {
  assert.match(explain(network("ECONNREFUSED"), { url: "not a URL" }).sentence, /not a URL refused/);
});

test("the owners' documentation explains each code of our own", () => {
  const page = readFileSync("docs/why-not-arrived.md", "utf8");
  for (const code of Object.keys(FAILURE_CODES)) assert.ok(page.includes(`\`${code}\``), code);
});
