/**
 * The event's path without network and without waiting: a real store in memory, a clock that the test moves, and a
 * `send` that the test scripts. Everything between them is the code that runs in production.
 */
import { createHousekeeping } from "../../../src/delivery/housekeeping.ts";
import { createAccountCache } from "../../../src/accounts/account-cache.ts";
import type { AccountsContext } from "../../../src/accounts/context.ts";
import type { WebhookForm } from "../../../src/domain/webhook-form.ts";
import { putAccount, putChatAssistant } from "../../../src/accounts/put-account.ts";
import { type AlertDraft, saveAlert } from "../../../src/accounts/save-alert.ts";
import { saveAssistantWebhook } from "../../../src/accounts/save-assistant-webhook.ts";
import { type Acceptance, accept } from "../../../src/delivery/accept.ts";
import type { DeliveryContext } from "../../../src/delivery/context.ts";
import { type Engine, createEngine } from "../../../src/delivery/engine.ts";
import { MadeBodies } from "../../../src/delivery/made-bodies.ts";
import { joinReports, type AttemptFact, type DeliveryReport } from "../../../src/delivery/report.ts";
import type { WebhookRequest } from "../../../src/delivery/send/request.ts";
import type { Outcome, SendResult } from "../../../src/domain/attempt.ts";
import type { Plan } from "../../../src/domain/account.ts";
import type { Result } from "../../../src/domain/problem.ts";
import { RETRY_SCHEDULE } from "../../../src/domain/retry-schedule.ts";
import type { ParsedRecord } from "../../../src/events/event-type.ts";
import { daysMs } from "../../../src/lib/duration.ts";
import { createSealer } from "../../../src/lib/seal.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { type VirtualClock, createVirtualClock, settled } from "./virtual-clock.ts";
import { eventType } from "../event-type.ts";
import { BUILT_IN_TYPES, type EventTypes } from "../../../src/events/event-types.ts";
import { makeAccount, makeAlertSettings, makeWebhookForm } from "../make.ts";

export const ACCOUNT = "acct-1";
/** Who decides things in these tests. */
export const ADA = { person: "ada@example.com", role: "owner" } as const;
export const APP_URL = "https://app.example.com";
export const HOOK = "https://hook.example.com/in";

export interface WorldOptions {
  readonly store?: Store;
  /** The clock that a given store goes by. */
  readonly clock?: VirtualClock;
  readonly deliveriesMax?: number;
  /** The built-in ones unless given. */
  readonly types?: EventTypes;
  /** Other nodes change accounts too. */
  readonly isShared?: boolean;
  /** Looking up the name and opening the connection; takes no time unless it waits. */
  readonly connect?: () => Promise<void>;
  /** Is told the path's facts too. */
  readonly report?: DeliveryReport | null;
  /** The receiver's answer; 200 unless given. May wait for as long as it likes. */
  readonly receiver?: ((request: WebhookRequest, place: number) => Outcome | Promise<Outcome>) | undefined;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld({
  store: given,
  deliveriesMax = 1_024,
  types = BUILT_IN_TYPES,
  isShared = false,
  connect = () => Promise.resolve(),
  receiver = () => answer(200),
  report: listener = null,
  ...rest
}: WorldOptions = {}) {
  const clock = rest.clock ?? createVirtualClock();
  const random = createSeededRandom(7);
  const store = given ?? (await openSqliteStore({ path: ":memory:", clock }));
  const sealer = createSealer(new Uint8Array(32).fill(1), random);
  const cache = createAccountCache({ store, sealer, clock, isShared });
  const sent: { readonly atMs: number; readonly request: WebhookRequest }[] = [];
  const told = createTold();

  const ctx: DeliveryContext = {
    clock,
    random,
    store,
    accounts: cache,
    bodies: new MadeBodies({ store, types, clock }),
    report: listener === null ? told.report : joinReports(told.report, listener),
    names: { signatureHeader: "x-service-signature", userAgent: "Bellwire/test" },
    schedule: { ...RETRY_SCHEDULE, jitter: 0 },
    async send(request, mayStart) {
      await connect();
      if (!mayStart()) return null;
      sent.push({ atMs: clock.nowMs(), request });
      return sendResult(await receiver(request, sent.length));
    },
  };
  const accounts: AccountsContext = {
    store,
    types,
    accounts: cache,
    sealer,
    clock,
    random,
    checkUrl: () => Promise.resolve(null),
    signatureHeader: "x-service-signature",
    publicUrl: () => "http://localhost:7070",
  };
  const engine = createEngine(ctx, { deliveriesMax });
  const retention = { payloadMs: daysMs(30), attemptBodyMs: daysMs(7), rowMs: daysMs(90) };
  const housekeeping = createHousekeeping(ctx, engine, retention);

  return {
    clock,
    store,
    ctx,
    accounts,
    engine,
    housekeeping,
    sent,
    told,
    ...createSetUps(accounts),
    ...createPath(ctx, engine),
  };
}

/** Accounts, alerts and assistants, as an owner and the product set them up. */
function createSetUps(accounts: AccountsContext) {
  return {
    setUpAccount: (plan: Plan = "starter", id = ACCOUNT) =>
      putAccount(accounts, makeAccount({ id, plan, appUrl: APP_URL })),
    setUpAlert: (changes: AlertChanges = {}) => saveAlert(accounts, alertDraft(changes)),
    async setUpAssistant(id: string, changes: Partial<WebhookForm> = {}) {
      await putChatAssistant(accounts, ACCOUNT, { id, name: id });
      const webhook = makeWebhookForm({ url: HOOK, ...changes });
      return toValue(
        await saveAssistantWebhook(accounts, { accountId: ACCOUNT, assistantId: id, revision: null, webhook, by: ADA }),
      );
    },
  };
}

/** Records go in, and the engine runs them. */
function createPath(ctx: DeliveryContext, engine: Engine) {
  return {
    accept: (...records: ParsedRecord[]) => accept({ ctx, engine }, ACCOUNT, records),
    /** Accepts one record that must be taken. */
    acceptOne: async (record: ParsedRecord): Promise<Acceptance> => {
      const [acceptance] = toValue(await accept({ ctx, engine }, ACCOUNT, [record]));
      if (acceptance === undefined) throw new Error("accept answered nothing");
      return acceptance;
    },
    /** The same with a store in a thread, whose answers take real time; only for receivers that answer. */
    async runToIdle(): Promise<void> {
      do await engine.lanes.load.idle();
      while ((await engine.tick()) > 0);
    },
    /** Claims and runs all that is due now, and everything that follows at once. */
    async run(): Promise<void> {
      do await settled();
      while ((await engine.tick()) > 0);
      await settled();
    },
  };
}

interface AlertChanges {
  readonly settings?: Partial<AlertDraft["settings"]>;
  readonly existing?: AlertDraft["existing"];
  readonly webhook?: AlertDraft["webhook"];
}

function alertDraft({
  settings = {},
  existing = null,
  webhook = makeWebhookForm({ url: HOOK }),
}: AlertChanges): AlertDraft {
  const base = makeAlertSettings();
  return { accountId: ACCOUNT, existing, settings: { ...base, ...settings }, webhook, by: ADA };
}

/** A session's record with an id of its own; `number` makes the id. */
export function session(number: number, changes: Record<string, unknown> = {}): ParsedRecord {
  return makeSample("demo_viewed", number, changes);
}

export function conversation(number: number, changes: Record<string, unknown> = {}): ParsedRecord {
  return makeSample("chat_conversation_completed", number, changes);
}

function makeSample(type: string, number: number, changes: Record<string, unknown>): ParsedRecord {
  const family = eventType(type);
  return toValue(family.parse(JSON.stringify({ ...family.example, id: uuid(number), ...changes })));
}

export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export function toValue<Value, Failure>(result: Result<Value, Failure>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function answer(status: number, headers: Readonly<Record<string, string>> = {}): Outcome {
  return { kind: "response", response: { status, headers, body: new Uint8Array(), bodyCut: false } };
}

function sendResult(outcome: Outcome): SendResult {
  const timings = { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 8, totalMs: 9 };
  return { outcome, timings, address: "203.0.113.9" };
}

function createTold() {
  const attempts: AttemptFact[] = [];
  const failures: unknown[] = [];
  const turnedOff: Parameters<DeliveryReport["turnedOff"]>[0][] = [];
  const counts = { accepted: 0, duplicates: 0, claimsLost: 0, tested: 0 };
  const report: DeliveryReport = {
    accepted({ accepted, duplicates }) {
      counts.accepted += accepted;
      counts.duplicates += duplicates;
    },
    queued: () => {},
    assistantsCreated: () => {},
    claimed: () => {},
    replaysStepped: () => {},
    attempted: (fact) => void attempts.push(fact),
    claimLost: () => void (counts.claimsLost += 1),
    turnedOff: (fact) => void turnedOff.push(fact),
    tested: () => void (counts.tested += 1),
    pulled: () => {},
    failed: ({ error }) => void failures.push(error),
  };
  return { report, attempts, failures, turnedOff, counts };
}
