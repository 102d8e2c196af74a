/**
 * Every secret that the program handles, planted as a canary, and everything that it says afterwards searched for them:
 * answers of every route, pages, metrics, the live stream, the log, e-mails, and the bytes of the database. Each canary
 * is first seen where it belongs, so that none of these searches is for something that was never there.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import type { TableRoute } from "./call/operation.ts";
import { HANDLERS } from "./handlers.ts";
import {
  CHOSEN,
  type CanaryStage,
  LETTER_REFUSED,
  NOTICE_REFUSED,
  PRIVATE,
  setCanaryStage,
} from "../../test/kit/world/canary-stage.ts";

let stack: AsyncDisposableStack;
let stage: CanaryStage;

before(async () => {
  await using building = new AsyncDisposableStack();
  stage = await setCanaryStage(building);
  stack = building.move();
});
after(() => stack.disposeAsync());

function assertNone(where: string, text: string, secrets: Iterable<readonly [string, string]> = stage.secrets): void {
  assert.ok(text.length > 0, `${where} is empty`);
  for (const [what, secret] of secrets) assert.ok(!text.includes(secret), `${where} shows ${what}`);
}

/** Every way to name what there is: each delivery by itself, and one of everything else. */
function* everyCall(): Generator<readonly [name: TableRoute, id: string]> {
  for (const name of Object.keys(HANDLERS) as TableRoute[]) {
    if (name === "POST /verification/reveal" || name.startsWith("DELETE ")) continue;
    const [, noun = ""] = /^\S+ \/([\w-]+)/.exec(name) ?? [];
    for (const id of (stage.ids[noun] ?? "").split(",")) yield [name, id];
  }
}

describe("each canary is where it belongs", () => {
  test("the receiver got the secret headers and sent them back", () => {
    const got = stage.receiver.requests.map(({ raw }) => raw.toString("latin1")).join("\n");
    for (const what of ["an alert's header", "an assistant's header", "a Basic header"] as const) {
      assert.ok(got.includes(CHOSEN[what]), what);
    }
    assert.ok(got.includes(CHOSEN["a header of a test that was never saved"]));
    assert.ok(got.includes(PRIVATE["a query of a Webhook URL"]));
  });

  test("the log tells of deliveries, of the test, and of the e-mail and the notice that could not be sent", () => {
    for (const line of ["delivery.attempted", LETTER_REFUSED, NOTICE_REFUSED])
      assert.ok(stage.log().includes(line), line);
  });

  test("the operator's receiver was called", () => {
    const called = stage.receiver.requests.filter(({ path }) => path.startsWith("/c4nary-operator"));
    assert.ok(called.some(({ body }) => body.includes("destination_turned_off")));
  });

  test("the channel was told, at the address that nothing shows", () => {
    const told = stage.receiver.requests.filter(({ path }) => path === `/${CHOSEN["the path of a channel"]}`);
    assert.ok(told.some(({ body }) => body.includes("turned off")));
  });

  test("the sessions are good", async () => {
    for (const person of [stage.owner, stage.viewer]) assert.equal((await person.call("GET /session")).status, 200);
  });
});

describe("no canary is in", () => {
  test("an answer of any route, for owners, viewers, and who is refused", async () => {
    for (const [name, id] of everyCall()) {
      for (const person of [stage.owner, stage.viewer]) {
        const parts = { params: { id }, query: name === "GET /deliveries" ? { tests: "1" } : {} };
        const bad = { ...parts, ifMatch: 999, body: { x: CHOSEN["an alert's header"] } };
        for (const { text, headers } of [await person.call(name, parts), await person.call(name, bad)]) {
          assertNone(`${name} ${id}`, `${JSON.stringify(headers)}${text}`);
        }
      }
    }
  });

  test("a page, whatever its address, or anything that is open to everybody", async () => {
    const unused = stage.secrets.get("a sign-in link that was not") ?? "";
    const urls = ["/", `/sign-in/${unused}`, "/settings/verification", "/nowhere", "/metrics", "/openapi.json"];
    for (const url of [...urls, "/healthz", "/readyz"]) {
      for (const wanted of ["text/html", "application/json"]) {
        const { headers, body } = await stage.app.server.inject({
          url,
          headers: { accept: wanted, cookie: stage.owner.cookie },
        });
        assertNone(url, `${JSON.stringify(headers)}${body}`);
      }
    }
  });

  test("what the operator is told, nor anything of what was sent", () => {
    const told = stage.receiver.requests.filter(({ path }) => path.startsWith("/c4nary-operator"));
    const bodies = told.map(({ body }) => body.toString()).join("\n");
    assertNone("a notice", bodies, [...stage.secrets, ...Object.entries(PRIVATE)]);
  });

  test("an answer of intake", async () => {
    const urls = ["dashboard-links", "demo-sessions", "chat-conversations"].map((noun) => `/v1/accounts/acme/${noun}`);
    for (const url of urls) {
      for (const key of [API_KEY, `${API_KEY}x`]) {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const payload = JSON.stringify({ x: CHOSEN["an alert's header"] });
        assertNone(url, (await stage.app.server.inject({ method: "POST", url, headers, payload })).body);
      }
    }
  });

  test("the live stream", () => {
    assert.match(stage.stream(), /event: deliveries/);
    assertNone("the stream", stage.stream(), [...stage.secrets, ...Object.entries(PRIVATE)]);
  });

  test("the log and the metrics, which tell nothing of what was sent either", async () => {
    const { body } = await stage.app.server.inject({ url: "/metrics" });
    for (const text of [stage.log(), body]) assertNone("it", text, [...stage.secrets, ...Object.entries(PRIVATE)]);
  });

  test("the traces and the metrics that went to the collector", () => {
    const { requests, faults, spans } = stage.collector;
    assert.deepEqual(faults, []);
    assert.ok(requests.every(({ headers }) => headers["x-token"] === CHOSEN["the collector's token"]));
    assert.ok(spans.some(({ name }) => name === "deliver demo_viewed"));
    const texts = requests.map(({ text }) => text).join("\n");
    assertNone("what it was sent", texts, [...stage.secrets, ...Object.entries(PRIVATE)]);
    assert.ok(stage.secrets.size + Object.keys(PRIVATE).length >= 20);
  });

  test("the bytes of the database's files", () => {
    const bytes = stage.databaseBytes();
    assert.ok(bytes.includes(PRIVATE["a payload"]), "the files are read");
    assertNone("the database", bytes);
  });
});
