/**
 * The product's back end in a run: posts records to any node that serves, and posts again until it has an answer, like
 * a client that takes a time-out or a 503 seriously. With the `repeat` fault it also posts what was answered already.
 */
import type { Acceptance } from "../src/delivery/accept.ts";
import type { ParsedRecord } from "../src/events/event-type.ts";
import { secondsMs } from "../src/lib/duration.ts";
import { newUuid } from "../src/lib/random.ts";
import { StoreUnavailable } from "../src/store/contract/store.ts";
import type { Chance } from "./chance.ts";
import type { Cluster } from "./cluster.ts";
import type { Swarm } from "./faults.ts";
import type { History } from "./history.ts";
import type { Node } from "./node.ts";
import type { SourceRecord } from "./records.ts";
import type { SetUpAccount } from "./set-up.ts";
import type { Simulator } from "./simulator.ts";
import { DECLARED, TYPES } from "./event-types.ts";
import { eventType } from "../test/kit/event-type.ts";

export interface Source {
  /** Records without an answer yet, or still to come. */
  open(): number;
  /** The chat assistant of the record with this source id; `null`: it has none; undefined: no such record. */
  findAssistant(sourceId: string): string | null | undefined;
}

export interface SourceOptions {
  readonly sim: Simulator;
  readonly swarm: Swarm;
  readonly cluster: Cluster;
  readonly history: History;
  readonly chance: Chance;
  /** For records of declared types, so that the others stay as they are. */
  readonly chanceOfDeclared: Chance;
  readonly accounts: readonly SetUpAccount[];
  readonly faultsMs: number;
}

interface Posting extends SourceRecord {
  readonly parsed: ParsedRecord;
  readonly assistantId: string | null;
  isAnswered: boolean;
}

const RECORDS_MIN = 15;
const RECORDS_MAX = 80;
/** Enough at once to fill a lane, so that the fast path must be declined. */
const BATCH_MAX = 40;
const ANSWER_PATIENCE_MS = secondsMs(12);
/** Most records come while most faults happen, and some much later. */
const EARLY_MS = secondsMs(240);
const EARLY_SHARE = 0.75;

export function startSource(options: SourceOptions): Source {
  const { swarm, chance, chanceOfDeclared } = options;
  const records: Posting[] = [];
  send(options, records, { count: chance.between(RECORDS_MIN, RECORDS_MAX), draw: drawBatch });
  if (swarm.isOn("webhooks")) {
    const count = chanceOfDeclared.between(RECORDS_MIN, RECORDS_MAX);
    send({ ...options, chance: chanceOfDeclared }, records, { count, draw: drawDeclared });
  }
  return {
    open: () => records.filter(({ isAnswered }) => !isAnswered).length,
    findAssistant: (sourceId) => records.find((record) => record.sourceId === sourceId)?.assistantId,
  };
}

interface Drawn {
  readonly count: number;
  readonly draw: (chance: Chance, account: SetUpAccount, shape: BatchShape) => Posting[];
}

/** Adds so many to `records`, and posts each in its time. */
function send(options: SourceOptions, records: Posting[], { count, draw }: Drawn): void {
  const { sim, swarm, chance, accounts, faultsMs } = options;
  const most = records.length + count;
  while (records.length < most) {
    const account = chance.pick(accounts);
    const batchMax = chance.happens(0.2) ? BATCH_MAX : chance.pick([1, 1, 2, 5]);
    const size = Math.min(batchMax, most - records.length);
    const batch = draw(chance, account, { size, firstNumber: records.length + 1 });
    records.push(...batch);
    const afterMs = Math.floor(
      chance.between(0, chance.happens(EARLY_SHARE) ? Math.min(EARLY_MS, faultsMs) : faultsMs),
    );
    sim.after(afterMs, null, () => post(options, batch));
    if (chance.happens(swarm.rate("repeat"))) repeat(options, batch, afterMs);
  }
}

interface BatchShape {
  readonly size: number;
  readonly firstNumber: number;
}

/** One call's records are of one family, like intake's. */
function drawBatch(chance: Chance, account: SetUpAccount, { size, firstNumber }: BatchShape): Posting[] {
  const type = chance.pick(["demo_viewed", "chat_conversation_completed"] as const);
  const family = eventType(type);
  const assistantId = type === "demo_viewed" ? null : chance.pick(account.assistantIds);
  const about = assistantId === null ? {} : { assistant_id: assistantId };
  return Array.from({ length: size }, (_, index) => {
    const sourceId = newUuid(chance);
    const parsed = family.parse(JSON.stringify({ ...family.example, id: sourceId, ...about }));
    if (!parsed.ok) throw new Error(`the sample record is refused: ${JSON.stringify(parsed.error)}`);
    const number = firstNumber + index;
    return { number, accountId: account.id, sourceId, parsed: parsed.value, assistantId, isAnswered: false };
  });
}

function drawDeclared(chance: Chance, account: SetUpAccount, { size, firstNumber }: BatchShape): Posting[] {
  const type = chance.pick(DECLARED);
  return Array.from({ length: size }, (_, index) => {
    const sourceId = newUuid(chance);
    const parsed = TYPES.find(type)?.parse(JSON.stringify({ id: sourceId, big: chance.happens(0.5) }));
    if (parsed?.ok !== true) throw new Error(`the record of ${type} is refused: ${JSON.stringify(parsed)}`);
    const number = firstNumber + index;
    return { number, accountId: account.id, sourceId, parsed: parsed.value, assistantId: null, isAnswered: false };
  });
}

/** The same records, at the same instant or later, to whichever node. */
function repeat(options: SourceOptions, batch: readonly Posting[], afterMs: number): void {
  const { sim, chance } = options;
  const times = chance.between(1, 3);
  for (let time = 0; time < times; time += 1) {
    const laterMs = chance.pick([0, 0, 1, 50, secondsMs(5), secondsMs(300)]);
    sim.after(afterMs + laterMs, null, () => post(options, batch));
  }
}

function post(options: SourceOptions, batch: readonly Posting[]): void {
  const { sim, cluster, chance, history } = options;
  const serving = cluster.serving();
  const againAfter = (ms: number) => sim.after(ms, null, () => postAgain(options, batch));
  if (serving.length === 0) return againAfter(secondsMs(1));
  const node = chance.pick(serving);
  sim.noteActivity();
  // Its process may die, and then nothing comes back at all.
  againAfter(ANSWER_PATIENCE_MS);
  const answering = node.accept(
    batch[0]?.accountId ?? "",
    batch.map(({ parsed }) => parsed),
  );
  void answering.then(
    (answer) => {
      if (answer.ok) noteAnswers(options, { node, batch, acceptances: answer.value });
      else history.add({ kind: "told_failed", life: node.life, what: "accepting", error: answer.error.detail });
    },
    (error: unknown) => {
      for (const record of batch) history.add({ kind: "not_answered", life: node.life, record, why: String(error) });
      const isExpected = error instanceof StoreUnavailable;
      if (!isExpected) history.add({ kind: "told_failed", life: node.life, what: "accepting", error });
    },
  );
}

function postAgain(options: SourceOptions, batch: readonly Posting[]): void {
  const open = batch.filter(({ isAnswered }) => !isAnswered);
  if (open.length > 0) post(options, open);
}

interface Answers {
  readonly node: Node;
  readonly batch: readonly Posting[];
  readonly acceptances: readonly Acceptance[];
}

function noteAnswers({ history }: SourceOptions, { node, batch, acceptances }: Answers): void {
  for (const [index, record] of batch.entries()) {
    const acceptance = acceptances[index];
    if (acceptance === undefined) continue;
    record.isAnswered = true;
    history.add({ kind: "answered", life: node.life, record, acceptance });
  }
}
