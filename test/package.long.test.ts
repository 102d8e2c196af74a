/** The published package in somebody else's project: what is in it, that it runs there, and that its types hold. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { SAMPLE_PRINTS, createConsumer, parseSnippets } from "./package-consumer.ts";
import { readEventTypes } from "../src/events/declared/read-event-types.ts";
import { printTypes } from "../src/events/declared/typescript.ts";
import { eventType } from "./kit/event-type.ts";
import { APP_URL, toValue } from "./kit/world/world.ts";

const ROOT = dirname(import.meta.dirname);

describe("the package", { timeout: 300_000 }, () => {
  const consumer = createConsumer();
  after(() => consumer[Symbol.dispose]());
  const files = globSync("**/*.*", { cwd: consumer.installed });

  test("installs without the registry, and brings nothing else", () => {
    assert.deepEqual(globSync("*", { cwd: dirname(consumer.installed) }), ["bellwire"]);
    const manifest = JSON.parse(readFileSync(join(consumer.installed, "package.json"), "utf8"));
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies", "scripts", "bin"]) {
      assert.equal(manifest[kind], undefined, kind);
    }
  });

  test("holds code, its types and the page about it, and no TypeScript, test or server", () => {
    const odd = files.filter(
      (path) => !/^(?:(?:receiver|client|lib)\/[\w-]+|domain\/event)\.(?:js|d\.ts)$/.test(path.replaceAll("\\", "/")),
    );
    assert.deepEqual(odd.toSorted(), ["README.md", "package.json"]);
    assert.ok(files.length < 62, `${files.length} files`);
  });

  test("imports nothing but itself and Node", () => {
    const imports = files
      .filter((path) => path.endsWith(".js"))
      .flatMap((path) => [...readFileSync(join(consumer.installed, path), "utf8").matchAll(/^import .*?"(.+?)";$/gm)])
      .map(([, specifier = ""]) => specifier)
      .filter((specifier) => !/^\.{1,2}\/.*\.js$/.test(specifier));
    assert.deepEqual([...new Set(imports)].toSorted(), ["node:crypto", "node:util"]);
  });

  test("runs from ESM", () => {
    assert.equal(consumer.run(process.execPath), SAMPLE_PRINTS);
  });

  test("the code of its page compiles against its types, and wrong uses of them do not", () => {
    const body = (type: string): string => {
      const family = eventType(type);
      return toValue(family.parse(JSON.stringify(family.example))).buildBody({ appUrl: APP_URL });
    };
    const record = (type: string): string => JSON.stringify(eventType(type).example);
    const samples = [
      'import type { ChatConversationCompleted, DemoViewed } from "bellwire/events";',
      'import type { ChatConversation, DemoSession } from "bellwire/client";',
      `export const viewed: DemoViewed = ${body("demo_viewed")};`,
      `export const completed: ChatConversationCompleted = ${body("chat_conversation_completed")};`,
      `export const session: DemoSession = ${record("demo_viewed")};`,
      `export const chat: ChatConversation = ${record("chat_conversation_completed")};`,
    ].join("\n");
    const declared = toValue(readEventTypes(join(ROOT, "examples", "events"), { taken: [] }));
    const types = { "event-types.ts": printTypes(declared) };
    assert.equal(consumer.compile({ ...types, ...parseSnippets("typescript.md"), "samples.ts": samples }), "");
    const wrong = consumer.compile({ ...types, "wrong.ts": WRONG });
    const lines = [...wrong.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    const expected = WRONG.split("\n").flatMap((line, index) => (line.endsWith("// wrong") ? [index + 1] : []));
    assert.deepEqual([...new Set(lines)], expected, wrong);
  });
});

const WRONG = `import { verify } from "bellwire/receiver";
import { fetchWebhooks } from "bellwire/receiver/fetch";
import { createClient } from "bellwire/client";
import type { EventRecords, WebhookEvent } from "./event-types.js";
const webhook = verify("{}", {}, "whsec_x");
webhook.event; // wrong
if (webhook.valid && webhook.event.event === "demo_viewed") webhook.event.transcript; // wrong
if (webhook.valid) webhook.webhookId.trim();
const replayable = verify("{}", {}, { secrets: "whsec_x", requireStandard: false });
if (replayable.valid) replayable.webhookId.trim(); // wrong
const client = createClient({ url: "http://localhost", key: "k" });
const base = { id: "", assistant_id: "", conversation_summary: "", topics: [], started_at: "", completed_at: "" };
const chat = { ...base, intent_level: "high" } as const;
void client.sendChatConversation("a", { ...chat, mode: "text", messages: [] });
void client.sendChatConversation("a", { ...chat, mode: "text" }); // wrong
void client.sendChatConversation("a", { ...chat, mode: "text", messages: [], transcript: "" }); // wrong
void client.sendChatConversation("a", { ...chat, mode: "text", messages: [], topic: "x" }); // wrong
void client.sendEvent("a", "order_paid", { id: "1" });
void client.sendEvent("a", "order_paid", "1"); // wrong
const typed = createClient<EventRecords>({ url: "http://localhost", key: "k" });
void typed.sendEvent("a", "meeting_booked", {}); // wrong
void typed.sendEvent("a", "order_paid", { id: "1" }); // wrong
const lead = { id: "1", identified_at: "", lead: { email: "" } };
void typed.sendEvents("a", "lead_identified", [lead]);
void typed.sendEvents("a", "lead_identified", [{ ...lead, lead: {} }]); // wrong
void fetchWebhooks({ secrets: "whsec_x", onEvent: (event) => event.event === "lead_identified" }); // wrong
void fetchWebhooks<WebhookEvent>({ secrets: "whsec_x", onEvent: (event) => event.event === "lead_identified" });
void fetchWebhooks<WebhookEvent>({ secrets: "whsec_x", onEvent: (event) => event.event === "demo_viewed" }); // wrong
export {};
`;

describe("the package's sources", () => {
  test("every entry of package.json is compiled", () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const { files } = JSON.parse(readFileSync(join(ROOT, "tsconfig.package.json"), "utf8"));
    assert.deepEqual(new Set(Object.values(exports)), new Set(files.map((file: string) => `./${file}`)));
  });

  test("packing the whole project is refused, with what to do instead", () => {
    const run = spawnSync(process.execPath, [join(ROOT, "tools", "package.ts"), "--refuse"], { encoding: "utf8" });
    assert.equal(run.status, 1);
    assert.match(run.stderr, /npm run package/);
  });
});
