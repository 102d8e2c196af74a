/** What is done to the others in each phase, by the row of the review that found it. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { request } from "undici";
import { chatConversationCompleted } from "../../src/events/chat-conversation-completed.ts";
import type { SetUp } from "../../test/kit/process/account.ts";
import { signIn } from "../../test/kit/process/person.ts";
import { conversationRecord, sessionRecord } from "../../test/kit/process/records.ts";
import type { Running } from "../../test/kit/process/running.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { ASSISTANT } from "../many-destinations.ts";
import { REFUSED, TYPES } from "./declared.ts";

export interface Phase {
  readonly row: string;
  readonly what: string;
  readonly perSecond: number;
  /** Of the account whose name is the phase's row. */
  readonly setUp?: Pick<SetUp, "assistants" | "webhooks">;
  /** Ahead of the measurement; returns what is sent each time, which resolves with the answer in a word. */
  prepare(service: Running, account: string): Send | Promise<Send>;
  /** Ends what is held open. */
  end?(): void;
}

export type Send = (signal: AbortSignal) => Promise<string>;

const CHAT = chatConversationCompleted.type;
const SEARCHED_CHARS = 64 * 1024;
/** As long as a condition's value may be, and nearly everywhere in a text of one letter. */
const NEEDLE = `${"a".repeat(100)}b${"a".repeat(411)}`;
const WEBHOOKS = 20;
const CONDITIONS = 20;
const VALUES = 100;
const NUMBERS = 5_000;
const PREVIEWED = 50;
const HANGING = 100;
const STRANGERS = 40;
const DRIPPING = 60;
const DRIPPED_LINES = 250;
const DRIP_MS = 3;

/** The receiver at `url` answers 200. */
export async function listPhases(url: string): Promise<readonly Phase[]> {
  return [...OF_TYPES, ...listConditions(url), ...(await listReceivers()), STRANGERS_READ];
}

/** An operator's declared types, and a product's records. */
const OF_TYPES: readonly Phase[] = [
  {
    row: "S10",
    what: "60,000 unknown names beside `unevaluatedProperties`",
    perSecond: 2,
    prepare: posting("events/unknown_names", () => REFUSED.unknownNames),
  },
  {
    row: "S11",
    what: "60 levels of a tagged union, refused at the last",
    perSecond: 2,
    prepare: posting("events/tagged_union", () => REFUSED.taggedUnion),
  },
  {
    row: "S12",
    what: "four patterns, texts that almost fit",
    perSecond: 2,
    prepare: posting("events/patterns", () => REFUSED.patterns),
  },
];

const STRANGERS_READ: Phase = {
  row: "S16",
  what: `strangers read /openapi.json of ${TYPES} declared types, ${STRANGERS} at once`,
  perSecond: 0.25,
  async prepare({ url: of }) {
    const read = () => call(`${of}/openapi.json`);
    // Made at the first GET, once a process.
    await read();
    return async () => (await Promise.all(times(STRANGERS, read)))[0] ?? "";
  },
};

/** An owner's conditions, and a visitor's record. */
function listConditions(url: string): readonly Phase[] {
  const assistants = { [ASSISTANT]: url };
  const long = { conversation_summary: "a".repeat(SEARCHED_CHARS) };
  const numbers = times(NUMBERS, (n) => n + 0.5);
  return [
    {
      row: "S13",
      what: `${WEBHOOKS} × ${CONDITIONS} \`contains\` on ${SEARCHED_CHARS / 1024} KiB`,
      perSecond: 2,
      setUp: { assistants, webhooks: times(WEBHOOKS, (n) => wanting(url, n, SEARCHING)) },
      prepare: posting("chat-conversations", () => chat(long)),
    },
    {
      row: "S13 preview",
      what: `a viewer's preview of ${CONDITIONS} such conditions on ${PREVIEWED} such records`,
      perSecond: 2,
      setUp: { assistants },
      async prepare(service, account) {
        const post = posting("chat-conversations", () => chat(long))(service, account);
        for (let count = 0; count < PREVIEWED; count += 1) await post(AbortSignal.timeout(60_000));
        return await previewing(service, account);
      },
    },
    {
      row: "S14",
      what: `${WEBHOOKS} × ${CONDITIONS} \`one_of\` of ${VALUES} on a list of ${NUMBERS} numbers`,
      perSecond: 2,
      setUp: { assistants, webhooks: times(WEBHOOKS, (n) => wanting(url, n, choosing(n))) },
      prepare: posting("chat-conversations", () => chat({ extracted_variables: { numbers } })),
    },
  ];
}

/** An owner's receivers. */
async function listReceivers(): Promise<readonly Phase[]> {
  const [hanging, dripping] = [await startHanging(), await startDripping()];
  return [
    {
      row: "S15",
      what: `${HANGING} webhooks of one account at a receiver that says nothing`,
      perSecond: 5,
      setUp: { webhooks: times(HANGING, (n) => ({ url: `${hanging.url}/${n}` })) },
      prepare: posting("demo-sessions", () => sessionRecord(randomUUID())),
      end: hanging.end,
    },
    {
      row: "S17",
      what: `${DRIPPING} webhooks whose heads drip, ${DRIPPED_LINES} lines ${DRIP_MS} ms apart`,
      perSecond: 0.5,
      setUp: { webhooks: times(DRIPPING, (n) => ({ url: `${dripping}/${n}` })) },
      prepare: posting("demo-sessions", () => sessionRecord(randomUUID())),
    },
  ];
}

const SEARCHING = times(CONDITIONS, () => ({
  field: "conversation_summary",
  operator: "contains" as const,
  value: NEEDLE,
}));

const choosing = (webhook: number) =>
  times(CONDITIONS, (n) => ({
    field: "extracted_variables.numbers",
    operator: "one_of" as const,
    values: times(VALUES, (m) => `${1_000_000 + (webhook * CONDITIONS + n) * VALUES + m}`),
  }));

const wanting = (url: string, webhook: number, list: typeof SEARCHING | ReturnType<typeof choosing>) => ({
  url,
  name: `Webhook ${webhook}`,
  events: [{ type: CHAT, conditions: { join: "all" as const, list } }],
});

const chat = (changes: object): string =>
  JSON.stringify({ ...JSON.parse(conversationRecord(randomUUID(), ASSISTANT)), ...changes });

/** Posts a record of the phase's account to that path. */
function posting(path: string, toBody: () => string): (service: Running, account: string) => Send {
  return ({ url, apiKey }, account) => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    return (signal) =>
      call(`${url}/v1/accounts/${account}/${path}`, { method: "POST", headers, body: toBody(), signal });
  };
}

async function previewing(service: Running, account: string): Promise<Send> {
  const { headers } = await signIn(service, account);
  const body = JSON.stringify({ conditions: { join: "all", list: SEARCHING } });
  return (signal) =>
    call(`${service.url}/dashboard/event-types/${CHAT}/preview`, { method: "POST", headers, body, signal });
}

async function call(url: string, options: Parameters<typeof request>[1] = {}): Promise<string> {
  const { statusCode, body } = await request(url, options);
  await body.dump({ limit: Number.POSITIVE_INFINITY });
  return String(statusCode);
}

async function startHanging() {
  let { promise, resolve } = Promise.withResolvers<object>();
  const { url } = await startReceiver(() => promise);
  const end = (): void => {
    resolve({});
    ({ promise, resolve } = Promise.withResolvers<object>());
  };
  return { url, end };
}

/** Answers with a head whose lines come one at a time. */
async function startDripping(): Promise<string> {
  const server = createServer((socket) => {
    let lines = 0;
    let timer: NodeJS.Timeout;
    const drip = (): void => {
      lines += 1;
      const isLast = lines > DRIPPED_LINES;
      socket.write(
        isLast ? "content-length: 0\r\nconnection: close\r\n\r\n" : `x-line-${lines}: ${"x".repeat(40)}\r\n`,
      );
      if (isLast) socket.end();
    };
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\n");
      timer = setInterval(drip, DRIP_MS);
    });
    socket.on("error", () => {});
    socket.on("close", () => clearInterval(timer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function times<Value>(count: number, toValue: (n: number) => Value): Value[] {
  return Array.from({ length: count }, (_, n) => toValue(n));
}
