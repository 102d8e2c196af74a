/** The three adapters over real sockets, in the real frameworks: one table of requests, the same answers from each. */
import assert from "node:assert/strict";
import { type Server, createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import Fastify from "fastify";
import { request } from "undici";
import { newSigningKey, toPublicKey } from "../domain/signature.ts";
import { buildRequest } from "../delivery/send/request.ts";
import type { WebhookEvent } from "./events.ts";
import { expressWebhooks } from "./express.ts";
import { fastifyWebhooks } from "./fastify.ts";
import { fetchWebhooks } from "./fetch.ts";
import { type ReceiveOptions, createTakeWebhook } from "./take-webhook.ts";
import type { VerifyReason } from "./verify-event.ts";
import { makeTarget } from "../../test/kit/make.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
/** Spaces that a parser and a writer would not keep. */
const BODY = '{ "id":"a","event":"demo_viewed",  "name":"Präsentation" }';

interface Running extends AsyncDisposable {
  readonly url: string;
}

type Adapter = (options: ReceiveOptions) => Promise<Running>;

async function serve(server: Server): Promise<Running> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** The used part of Express, which brings no types. */
interface Sender {
  sendStatus(status: number): void;
}

interface Express {
  (): Parameters<typeof createServer>[1] & Express;
  readonly json: () => unknown;
  readonly raw: (options: object) => unknown;
  all(path: string, ...handlers: unknown[]): void;
  use(...handlers: unknown[]): void;
}
const framework = createRequire(import.meta.url)("express") as Express;
/** Takes an error that Express would print. Express recognises a handler of errors by its four parameters. */
function onError(tell: (error: unknown) => void = () => {}) {
  const handle = (...[error, , response]: readonly [{ status?: number }, unknown, Sender]): void => {
    tell(error);
    response.sendStatus(error.status ?? 500);
  };
  return Object.defineProperty(handle, "length", { value: 4 });
}

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  async fastify(options) {
    const app = Fastify();
    // Another route keeps its parsed JSON.
    app.post("/other", (call) => ({ got: call.body }));
    await app.register(fastifyWebhooks(options));
    await app.ready();
    return await serve(app.server);
  },
  async express(options) {
    const app = framework();
    app.all("/webhooks", expressWebhooks(options));
    app.use(framework.json());
    app.use(onError());
    return await serve(createServer(app));
  },
  async "express.raw"(options) {
    const app = framework();
    app.all("/webhooks", framework.raw({ type: "*/*", limit: "2mb" }), expressWebhooks(options));
    app.use(onError());
    return await serve(createServer(app));
  },
  async "a host that has read the body"(options) {
    const app = framework();
    const toMemory = (call: { body?: unknown }, _response: unknown, next: () => void): void => {
      if (Buffer.isBuffer(call.body)) call.body = new Uint8Array(call.body).buffer;
      next();
    };
    app.all("/webhooks", framework.raw({ type: "*/*", limit: "2mb" }), toMemory, expressWebhooks(options));
    app.use(onError());
    return await serve(createServer(app));
  },
  "node:http": (options) => serve(createServer(expressWebhooks(options))),
};

function signed(body: string, webhookId: string, secrets: readonly string[] = [SECRET]): Record<string, string> {
  const target = makeTarget({ secrets });
  const names = { signatureHeader: "x-service-signature", userAgent: "Bellwire/0" };
  return { ...buildRequest({ webhookId, body, target, nowMs: Date.now(), names, owner: "acct-1" }).headers };
}

interface PostParams {
  readonly webhookId?: string;
  /** The signed body. */
  readonly body?: string;
  /** The sent body. */
  readonly sent?: string;
}

async function post(url: string, { webhookId = "dlv_1", body = BODY, sent = body }: PostParams = {}): Promise<number> {
  const headers = { ...signed(body, webhookId), "content-length": String(Buffer.byteLength(sent)) };
  const answer = await request(url, { method: "POST", headers, body: sent });
  await answer.body.dump();
  return answer.statusCode;
}

function recording() {
  const events: WebhookEvent[] = [];
  const ids: string[] = [];
  const tests: string[] = [];
  const reasons: VerifyReason[] = [];
  const options: ReceiveOptions = {
    secrets: SECRET,
    onEvent(event, { webhookId, isTest }) {
      events.push(event);
      ids.push(webhookId);
      if (isTest) tests.push(webhookId);
    },
    onRefused: (reason) => reasons.push(reason),
  };
  return { events, ids, tests, reasons, options };
}

for (const [name, start] of Object.entries(ADAPTERS)) {
  describe(name, () => {
    test("hands a genuine webhook on, once", async () => {
      const { options, events, ids } = recording();
      await using app = await start(options);
      assert.deepEqual([await post(app.url), await post(app.url)], [200, 200]);
      assert.deepEqual([events, ids], [[JSON.parse(BODY)], ["dlv_1"]]);
      assert.equal(await post(app.url, { webhookId: "dlv_2" }), 200);
      assert.deepEqual(ids, ["dlv_1", "dlv_2"]);
    });

    test("says of each webhook whether it is a test", async () => {
      const { options, ids, tests } = recording();
      for (const repeats of [undefined, null]) {
        await using app = await start(repeats === null ? { ...options, repeats } : options);
        for (const webhookId of ["dlv_1", "test_dlv_2"]) assert.equal(await post(app.url, { webhookId }), 200);
      }
      assert.deepEqual([ids.length, tests], [4, ["test_dlv_2", "test_dlv_2"]]);
    });

    test("answers 401 to a changed body and to an empty one, and hands nothing on", async () => {
      const { options, events, reasons } = recording();
      await using app = await start(options);
      for (const sent of [BODY.replace("  ", " "), ""]) assert.equal(await post(app.url, { sent }), 401);
      assert.deepEqual([events, reasons], [[], ["signature_mismatch", "signature_mismatch"]]);
    });

    test("hands on an event of a type that it was not told of, and answers 422 to a body without one", async () => {
      const { options, events } = recording();
      await using app = await start(options);
      const body = '{"event":"lead.identified"}';
      assert.deepEqual([await post(app.url, { body }), events], [200, [JSON.parse(body)]]);
      assert.equal(await post(app.url, { body: '{"lead":{}}', webhookId: "dlv_2" }), 422);
    });

    test("answers 500 when the handler fails, and handles the next attempt", async () => {
      const { options, ids } = recording();
      let failures = 1;
      const onEvent: ReceiveOptions["onEvent"] = (...call) => {
        if (failures > 0) throw new Error(`failure ${(failures -= 1)}`);
        return options.onEvent(...call);
      };
      process.once("warning", () => {});
      await using app = await start({ ...options, onEvent });
      assert.deepEqual([await post(app.url), await post(app.url), await post(app.url)], [500, 200, 200]);
      assert.deepEqual(ids, ["dlv_1"]);
    });

    test("asks a repeat to come again while the first one is at work", async () => {
      const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      await using app = await start({
        secrets: SECRET,
        onEvent() {
          begin();
          return mayEnd;
        },
      });
      const first = post(app.url);
      await begun;
      assert.equal(await post(app.url), 409);
      end();
      assert.deepEqual([await first, await post(app.url)], [200, 200]);
    });

    test("takes a body of 2 MiB, and refuses a larger one", async () => {
      const { options, events } = recording();
      await using app = await start(options);
      const padding = (bytes: number) => `{"event":"demo_viewed"}${" ".repeat(bytes - 23)}`;
      const limit = 2 * 1024 * 1024;
      assert.equal(await post(app.url, { body: padding(limit) }), 200);
      // It hangs up on the rest, so the sender may see a reset instead of the answer.
      const status = await post(app.url, { body: padding(limit + 1), webhookId: "dlv_2" }).catch(() => 413);
      assert.equal(status, 413);
      assert.equal(events.length, 1);
    });

    test("does not take GET", async () => {
      await using app = await start(recording().options);
      const answer = await request(app.url);
      await answer.body.dump();
      assert.ok([404, 405].includes(answer.statusCode), `${answer.statusCode}`);
    });
  });
}

test("fastify: the other routes of the application keep their parsers", async () => {
  const app = Fastify();
  app.post("/other", (call) => ({ got: call.body }));
  await app.register(fastifyWebhooks(recording().options), { prefix: "/hooks" });
  const other = await app.inject({ method: "POST", url: "/other", payload: { a: 1 } });
  assert.deepEqual(other.json(), { got: { a: 1 } });
  const hook = await app.inject({ method: "POST", url: "/hooks/webhooks", headers: signed(BODY, "d"), payload: BODY });
  assert.equal(hook.statusCode, 200);
  await app.close();
});

test("express: says what to do when another parser has eaten the raw body", async () => {
  const app = framework();
  const { promise: told, resolve: tell } = Promise.withResolvers<unknown>();
  app.use(framework.json());
  app.all("/webhooks", expressWebhooks(recording().options));
  app.use(onError(tell));
  await using running = await serve(createServer(app));
  assert.equal(await post(running.url), 500);
  assert.match(String(await told), /before express\.json\(\)/);
});

describe("fetch", () => {
  const call = (body: string, headers: Record<string, string>): Request =>
    new Request("http://receiver.test/", { method: "POST", body, headers });

  test("maps a request to an answer", async () => {
    const { options, events } = recording();
    const take = fetchWebhooks(options);
    const headers = signed(BODY, "dlv_1");
    assert.equal((await take(call(BODY, headers))).status, 200);
    assert.equal(await (await take(call(BODY, headers))).text(), "verified, and handled before\n");
    assert.equal((await take(call(`${BODY} `, headers))).status, 401);
    assert.equal((await take(new Request("http://receiver.test/"))).headers.get("allow"), "POST");
    assert.equal(events.length, 1);
  });

  test("stops reading a body that is too large", async () => {
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
      cancel: () => void (isCancelled = true),
    });
    const take = fetchWebhooks(recording().options);
    const init = { method: "POST", body: endless, duplex: "half" } as const;
    assert.equal((await take(new Request("http://receiver.test/", init))).status, 413);
    assert.equal(isCancelled, true);
  });

  test("rejects when the handler fails, and when the body was read before", async () => {
    const onEvent = (): never => {
      throw new Error("no disk");
    };
    const take = fetchWebhooks({ secrets: SECRET, onEvent });
    await assert.rejects(take(call(BODY, signed(BODY, "dlv_1"))), /no disk/);
    const read = call(BODY, signed(BODY, "dlv_1"));
    await read.text();
    await assert.rejects(take(read), /read before/);
  });
});

describe("every adapter", () => {
  test("asks for the secrets with each webhook, so that they can be rotated", async () => {
    const { options, ids } = recording();
    const secrets = ["whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="];
    const take = createTakeWebhook({ ...options, secrets: () => secrets });
    assert.equal((await take(BODY, signed(BODY, "dlv_1"))).status, 401);
    secrets.push(SECRET);
    assert.equal((await take(BODY, signed(BODY, "dlv_1"))).status, 200);
    assert.deepEqual(ids, ["dlv_1"]);
  });

  test("calls the handler for repeats too when nothing is to be remembered", async () => {
    const { options, ids } = recording();
    const take = createTakeWebhook({ ...options, repeats: null });
    for (const _ of [1, 2]) await take(BODY, signed(BODY, "dlv_1"));
    assert.deepEqual(ids, ["dlv_1", "dlv_1"]);
  });

  test("checks with a public key instead of the secret, and asks for it with each webhook too", async () => {
    const { options, ids, reasons } = recording();
    const { secrets: _, ...how } = options;
    const key = newSigningKey(new Uint8Array(32).fill(1));
    const { publicKey } = toPublicKey(key);
    for (const trusted of [publicKey, () => publicKey]) {
      const take = createTakeWebhook({ ...how, repeats: null, publicKey: trusted });
      assert.equal((await take(BODY, signed(BODY, "dlv_1", [SECRET, key]))).status, 200);
      assert.equal((await take(BODY, signed(BODY, "dlv_2"))).status, 401);
    }
    assert.deepEqual(
      [ids, reasons],
      [
        ["dlv_1", "dlv_1"],
        ["key_signature_missing", "key_signature_missing"],
      ],
    );
  });

  test("does not start without a secret, nor with one in place of a public key", () => {
    const onEvent = (): void => {};
    assert.throws(() => createTakeWebhook({ secrets: "", onEvent }), /Secret is missing/);
    assert.throws(() => createTakeWebhook({ publicKey: SECRET, onEvent }), /is given the Webhook Verification Secret/);
  });
});
