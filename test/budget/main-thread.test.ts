import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { request } from "undici";
import { putAccount } from "../../src/accounts/put-account.ts";
import type { BodySettings } from "../../src/domain/body.ts";
import { conversationRecord } from "../kit/process/records.ts";
import { startReceiver } from "../kit/servers/receiver.ts";
import { makeAccount } from "../kit/make.ts";
import { API_KEY, createTestApp } from "../kit/world/app-under-test.ts";
import { createAssistant } from "../kit/world/alerts.ts";
import { soon } from "../kit/wait.ts";
import { type Costs, holdBudget } from "./hold.ts";

const WEBHOOKS = 20;
/** What is beside the path, such as another connection's first look at the key, only adds: the least counts. */
const ROUNDS = 3;
/** Longer than any text on the path but the record, the body and what is made of them whole. */
const LONG_CHARS = 1_000;

/** With 20 values of the record, and the record itself. */
const VALUES = Array.from({ length: 19 }, (_, n) => `"m${n}": "{{message_count|none}}"`);
const TEMPLATE = `{${VALUES.join(", ")}, "all": "{{payload}}"}`;

const WHERE: readonly (readonly [where: string, webhook: Partial<BodySettings>])[] = [
  ["main thread", {}],
  ["main thread, a template", { body: "template", template: TEMPLATE }],
];

for (const [where, webhook] of WHERE) {
  test(`${where}: hashes and passes over the whole body stay within the budget`, async () => {
    await using receiver = await startReceiver();
    await using scene = await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" });
    const { publicUrl: url } = await scene.app.start();
    await setUp(scene, { url: receiver.url, ...webhook });
    await post(url);
    await soon(receiver.received(1), "the first webhook");
    const rounds: Costs[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      using counts = countCalls();
      for (let n = 0; n < WEBHOOKS; n += 1) await post(url);
      await soon(receiver.received(1 + WEBHOOKS * (round + 1)), "all webhooks of a round");
      rounds.push({ ...counts.calls });
    }
    const names = Object.keys(rounds[0] ?? {});
    const least = (name: string): number => Math.min(...rounds.map((costs) => costs[name] ?? 0));
    holdBudget(where, Object.fromEntries(names.map((name) => [name, least(name) / WEBHOOKS])));
  });
}

const ACCOUNT = "acct-1";

async function setUp(
  { app }: Awaited<ReturnType<typeof createTestApp>>,
  webhook: Partial<BodySettings> & { url: string },
): Promise<void> {
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT }));
  await createAssistant(app.accounts, { accountId: ACCOUNT, assistantId: "bot", ...webhook });
}

/** The body is bytes already, so that nothing of the caller's own work is counted. */
async function post(serviceUrl: string): Promise<void> {
  const body = new TextEncoder().encode(conversationRecord(crypto.randomUUID(), "bot"));
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const url = `${serviceUrl}/v1/accounts/${ACCOUNT}/chat-conversations`;
  const answer = await request(url, { method: "POST", headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 202) throw new Error(`the service answered ${answer.statusCode}`);
}

interface Counts extends Disposable {
  readonly calls: Readonly<Record<string, number>>;
}

/** Replaces the functions that read a whole body, or hash, by ones that count and do the same. */
function countCalls(): Counts {
  const calls: Record<string, number> = { hashes: 0, "byte lengths": 0, encodings: 0, parses: 0, writings: 0 };
  const undo: (() => void)[] = [];

  function count(place: object, name: string, { as, when }: Counting): void {
    const original = Reflect.get(place, name) as (...args: unknown[]) => unknown;
    function counting(this: unknown, ...args: unknown[]): unknown {
      const result = Reflect.apply(original, this, args);
      if (when(args[0], result)) calls[as] = (calls[as] ?? 0) + 1;
      return result;
    }
    Reflect.set(place, name, counting);
    undo.push(() => void Reflect.set(place, name, original));
  }

  const always = () => true;
  for (const name of ["createHmac", "createHash", "hash"]) count(crypto, name, { as: "hashes", when: always });
  count(Buffer, "byteLength", { as: "byte lengths", when: isLong });
  count(Buffer, "from", { as: "encodings", when: isLong });
  count(JSON, "parse", { as: "parses", when: isLong });
  count(JSON, "stringify", { as: "writings", when: (_given, result) => isLong(result) });
  syncBuiltinESMExports();
  return {
    calls,
    [Symbol.dispose]() {
      for (const each of undo) each();
      syncBuiltinESMExports();
    },
  };
}

interface Counting {
  readonly as: string;
  readonly when: (given: unknown, result: unknown) => boolean;
}

const isLong = (value: unknown): boolean => typeof value === "string" && value.length >= LONG_CHARS;
