/**
 * The stand-in for the product's back end: it creates its account and its assistant, then sends sessions and
 * conversations to intake over HTTP, slowly enough for people to read. Some go as batches, and some are repeated on
 * purpose.
 */
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";
import type { Plan } from "../domain/account.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import type { EventType } from "../events/event-type.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { parseAcceptances } from "../commands/send-answers.ts";
import type { RecordAnswer } from "../intake/records.ts";
import type { ServiceCall, ServiceClient } from "../commands/service-client.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { ASSISTANT_ID, type ProductRecord, type RecordKind, newExampleRecord, newRecord } from "./records.ts";
import type { Tally } from "./tally.ts";

export const ACCOUNT_ID = "demo";

export interface ProductOptions {
  /** Declared ones that it sends too, each in turn. */
  readonly declared: readonly EventType[];
  readonly client: ServiceClient;
  readonly tally: Tally;
  readonly clock: Clock;
  readonly random: Random;
  /** Average records a second; a batch is followed by a longer pause. */
  readonly ratePerSecond: number;
  readonly say: (line: string) => void;
}

export interface Product {
  /** Sends nothing more, and waits for the answer to the call in flight. */
  stop(): Promise<void>;
}

/** The first calls of every product. Throws when intake refuses them, because nothing works without them. */
export async function nameAccount(client: ServiceClient, appUrl: string, plan: Plan): Promise<void> {
  const account = { name: "Demo account", plan, app_url: appUrl };
  await put(client, `/v1/accounts/${ACCOUNT_ID}`, account);
  await put(client, `/v1/accounts/${ACCOUNT_ID}/chat-assistants/${ASSISTANT_ID}`, { name: "Website assistant" });
}

/** Starts sending, and continues until it is stopped. */
export function startProduct(options: ProductOptions): Product {
  const { clock, ratePerSecond } = options;
  const latest = new Map<string, ProductRecord>();
  const pause = createPause(clock);
  let isStopping = false;

  async function run(): Promise<void> {
    const startedMs = clock.monotonicMs();
    for (let sent = 0, turn = 0; !isStopping; turn += 1) {
      sent += await takeTurn(options, latest, chooseTurn(options.declared, turn));
      const dueMs = startedMs + (sent * 1000) / ratePerSecond;
      if (!isStopping) await pause.for(Math.max(0, dueMs - clock.monotonicMs()));
    }
  }

  const running = run();
  return {
    stop() {
      isStopping = true;
      pause.end();
      return running;
    },
  };
}

/** One call of intake: new records and, where it says so, a repeat of the latest one. */
interface Turn {
  readonly type: string;
  readonly fresh: readonly ((nowMs: number, random: Random) => ProductRecord)[];
  readonly again: boolean;
}

/** Every second turn is a declared type's, where there are some. */
function chooseTurn(declared: readonly EventType[], turn: number): Turn {
  const own = turn % 2 === 1 ? declared[((turn - 1) / 2) % declared.length] : undefined;
  if (own === undefined) return ROUND[(declared.length > 0 ? turn / 2 : turn) % ROUND.length] ?? ROUND[0];
  return { type: own.type, fresh: [(nowMs, random) => newExampleRecord(own, nowMs, random)], again: false };
}

const made = (...kinds: readonly RecordKind[]): Turn["fresh"] =>
  kinds.map((kind) => (nowMs, random) => newRecord(kind, nowMs, random));

/** Short enough that three seconds at the usual rate show both families, both modes and a repeat. */
const ROUND: readonly [Turn, ...Turn[]] = [
  { type: demoViewed.type, fresh: made("session_of_lead"), again: false },
  { type: chatConversationCompleted.type, fresh: made("text_chat"), again: false },
  { type: demoViewed.type, fresh: made("session_of_unknown"), again: false },
  { type: chatConversationCompleted.type, fresh: [], again: true },
  { type: chatConversationCompleted.type, fresh: made("voice_chat"), again: false },
  { type: demoViewed.type, fresh: made("session_of_unknown", "session_of_lead"), again: true },
  { type: chatConversationCompleted.type, fresh: made("text_chat", "voice_chat"), again: false },
  { type: demoViewed.type, fresh: made("session_of_lead"), again: false },
];

/** Returns the number of records that were sent. */
async function takeTurn(options: ProductOptions, latest: Map<string, ProductRecord>, turn: Turn): Promise<number> {
  const { client, tally, clock, random } = options;
  const fresh = turn.fresh.map((make) => make(clock.nowMs(), random));
  const repeated = turn.again ? latest.get(turn.type) : undefined;
  const records = repeated === undefined ? fresh : [...fresh, repeated];
  // The turn repeats a record that intake refused.
  if (records.length === 0) return 0;
  tally.handedIn(fresh, clock.monotonicMs());
  const answer = await client.call({
    method: "POST",
    path: `/v1/accounts/${ACCOUNT_ID}/events/${turn.type}`,
    body: toBody(records),
  });
  const acceptances = answer.kind === "answered" ? parseAcceptances(answer) : null;
  if (acceptances === null) options.say(`! intake did not take a call: ${terminalText(JSON.stringify(answer), 300)}`);
  for (const [index, record] of fresh.entries()) {
    tally.answered(record.id, newAnswer(answer.kind, acceptances?.[index]));
    // Intake does not know a record that it refused, so repeating it would show nothing.
    if (acceptances?.[index]) latest.set(turn.type, record);
  }
  if (repeated !== undefined) noteRepeat(options, { turn, repeated, acceptance: acceptances?.at(-1) });
  return records.length;
}

function toBody(records: readonly ProductRecord[]): NonNullable<ServiceCall["body"]> {
  const type = records.length === 1 ? "application/json" : "application/x-ndjson";
  return { type, content: records.map(({ text }) => text).join("\n") };
}

function newAnswer(
  kind: "answered" | "unreachable",
  acceptance: RecordAnswer | null | undefined,
): "accepted" | "refused" | "unknown" {
  if (kind === "unreachable") return "unknown";
  // Intake cannot know an id that was made a moment ago.
  return acceptance && !acceptance.duplicate ? "accepted" : "refused";
}

interface Repeat {
  readonly turn: Turn;
  readonly repeated: ProductRecord;
  readonly acceptance: RecordAnswer | null | undefined;
}

function noteRepeat({ tally, say }: ProductOptions, { turn, repeated, acceptance }: Repeat): void {
  if (!acceptance) return tally.answeredRepeat("refused");
  tally.answeredRepeat(acceptance.duplicate ? "known" : "accepted");
  if (!acceptance.duplicate) return say(`! ${repeated.id} was accepted twice`);
  say(`=            ${turn.type.padEnd(27)}  ${repeated.title} · sent again on purpose, known already`);
}

async function put(client: ServiceClient, path: string, value: unknown): Promise<void> {
  const body = { type: "application/json", content: JSON.stringify(value) } as const;
  const answer = await client.call({ method: "PUT", path, body });
  if (answer.kind === "answered" && (answer.status === 200 || answer.status === 201)) return;
  throw new Error(`the demo could not set up its account: PUT ${path} gave ${JSON.stringify(answer)}`);
}

/** A wait that can be ended early. */
function createPause(clock: Clock) {
  let endNow = (): void => {};
  return {
    for(delayMs: number): Promise<void> {
      return new Promise((resolve) => {
        const cancel = clock.after(delayMs, resolve);
        endNow = () => {
          cancel();
          resolve();
        };
      });
    },
    end: () => endNow(),
  };
}
