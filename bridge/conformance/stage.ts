/**
 * A real Bellwire for the suite: in this process on a file, behind a proxy that makes bad weather, and read by others
 * through the file alone. Bridges run as the command does, in this process or as one of their own.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestMessage, TestSource } from "../../test/kit/brokers/broker.ts";
import { newFolder } from "../../test/kit/folder.ts";
import { type Child, startChild } from "../../test/kit/process/child.ts";
import { BIN } from "../../test/kit/process/running.ts";
import { type TcpProxy, startTcpProxy } from "../../test/kit/servers/tcp-proxy.ts";
import { eventually, soon } from "../../test/kit/wait.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { bridge } from "../command.ts";
import { uuid } from "./ids.ts";
import { DECLARED_TYPES, LEAD_TYPE } from "../../test/kit/declared-types.ts";

export const ACCOUNTS = ["acme", "globex"] as const;

/** An event as the database has it. */
interface StoredEvent {
  readonly account: string;
  readonly type: string;
  readonly id: string;
}

export interface Stage extends AsyncDisposable {
  /** Between bridges and Bellwire. */
  readonly network: TcpProxy;
  events(): StoredEvent[];
  /** How many there are: far cheaper than to read them all, which tests that wait do again and again. */
  eventCount(): number;
  /** Resolves when as many events are there. */
  untilEvents(count: number): Promise<void>;
  /** The command in this process. */
  startBridge(
    broker: string,
    source: Pick<TestSource, "env">,
    env?: Readonly<Record<string, string>>,
  ): Promise<RunningBridge>;
  /** The command as a process, for kills. */
  spawnBridge(broker: string, source: TestSource, env?: Readonly<Record<string, string>>): Child;
}

export interface RunningBridge {
  /** The value of a metric without labels, or the sum over those that have `label`. */
  metric(name: string, label?: string): Promise<number | null>;
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  readonly lines: readonly string[];
  /** As SIGTERM does; resolves with the exit code. */
  stop(): Promise<number>;
}

export async function openStage(): Promise<Stage> {
  const folder = newFolder();
  const file = join(folder.path, "bellwire.db");
  const { app, put } = await createTestApp({ BELLWIRE_DATABASE: `sqlite:${file}` }, { types: DECLARED_TYPES });
  const { port } = await app.start();
  for (const account of ACCOUNTS) {
    const body = { name: account, plan: "starter", app_url: "https://app.example.com" };
    assert.ok((await put(`/v1/accounts/${account}`, body)).statusCode < 300);
  }
  const network = await startTcpProxy(port);
  const database = new DatabaseSync(file, { readOnly: true });
  const listEvents = database.prepare(
    `select account_id as account, type, replace(source_id, '-', '') as id from events order by seq`,
  );
  const settings = {
    BELLWIRE_BRIDGE_SERVICE_URL: network.url,
    BELLWIRE_API_KEY: API_KEY,
    BELLWIRE_BRIDGE_PORT: "0",
    BELLWIRE_DATA_DIR: folder.path,
  };
  const running: RunningBridge[] = [];
  const count = database.prepare("select count(*) as found from events");
  const eventCount = (): number => Number(count.get()?.["found"]);
  const events = (): StoredEvent[] => listEvents.all() as unknown as StoredEvent[];
  return {
    network,
    events,
    eventCount,
    async untilEvents(wanted) {
      await eventually(`${wanted} events`, () => eventCount() >= wanted);
    },
    async startBridge(broker, source, env = {}) {
      const started = await startBridge(broker, { ...settings, ...source.env, ...env });
      running.push(started);
      return started;
    },
    spawnBridge: (broker, source, env = {}) =>
      startChild({ args: [BIN, "bridge", broker], env: { ...settings, ...source.env, ...env } }),
    async [Symbol.asyncDispose]() {
      // A test that failed leaves its bridges running, which would keep its process from ending.
      await Promise.allSettled(running.map((each) => each.stop()));
      database.close();
      await network[Symbol.asyncDispose]();
      await app.stop();
      folder[Symbol.dispose]();
    },
  };
}

async function startBridge(broker: string, env: Readonly<Record<string, string>>): Promise<RunningBridge> {
  const fake = createFakeIo([broker], env);
  const ended = bridge(fake.io);
  const started = fake.printed(/metrics at port \d+/);
  const line = await soon(Promise.race([started, ended.then((code) => `ended with ${code}`)]), "the bridge's start");
  const port = /port (\d+)/.exec(line)?.[1];
  assert.ok(port !== undefined, [line, ...fake.err].join("\n"));
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return {
    get,
    lines: fake.out,
    async metric(name, label = "") {
      const { text } = await get("/metrics");
      const found = [...text.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? (\\S+)$`, "gm"))];
      const values = found.filter(([, labels = ""]) => labels.includes(label));
      return values.length === 0 ? null : values.reduce((sum, [, , value]) => sum + Number(value), 0);
    },
    async stop() {
      fake.stop();
      return await soon(ended, "the bridge's end");
    },
  };
}

/** The command in this process, for settings with which it does not start: its exit code, and what it said. */
export async function runBridge(broker: string, env: Readonly<Record<string, string>>) {
  const fake = createFakeIo([broker], { BELLWIRE_API_KEY: API_KEY, BELLWIRE_BRIDGE_PORT: "0", ...env });
  const ended = bridge(fake.io);
  // One that starts after all would keep the test's process from ending.
  const code = await soon(ended, "the bridge's end").finally(() => fake.stop());
  return { code, said: [...fake.err, ...fake.out].join("\n") };
}

/** A session or a conversation with the id of this number, by turns, and by turns for each account. */
export function toMessage(number: number, changes: Partial<TestMessage> = {}): TestMessage {
  const event = number % 2 === 0 ? "demo_viewed" : "chat_conversation_completed";
  const account = ACCOUNTS[number % 3 === 0 ? 0 : 1];
  return { account, event, body: recordText(event, number), ...changes };
}

export const recordText = (event: TestMessage["event"], number: number): string =>
  JSON.stringify({ ...DECLARED_TYPES.find(event)?.example, id: uuid(number) });

/** The same, but one in three is of a declared type. */
export const toMixedMessage = (number: number): TestMessage =>
  number % 3 === 1 ? toMessage(number, { event: LEAD_TYPE, body: recordText(LEAD_TYPE, number) }) : toMessage(number);

export const messagesFrom = (first: number, count: number): TestMessage[] =>
  Array.from({ length: count }, (_, index) => toMessage(first + index));

/** Exactly these numbers have an event each, in the account and of the type of their message. */
export function assertEvents(
  stage: Stage,
  numbers: readonly number[],
  toSent: (number: number) => TestMessage = toMessage,
): void {
  const found = stage.events().map(({ account, type, id }) => `${account} ${type} ${id}`);
  const expected = numbers.map((number) => {
    const { account, event } = toSent(number);
    return `${account} ${event} ${uuid(number).replaceAll("-", "")}`;
  });
  assert.deepEqual(found.toSorted(), expected.toSorted());
}
