/**
 * A day of deliveries of one account, made through the store's own verbs: traffic that swells and falls, and an hour in
 * which the receiver was slow and then refused. So that pictures of charts show what charts are for.
 */
import type { Outcome } from "../src/domain/attempt.ts";
import { newId } from "../src/domain/id.ts";
import { hoursMs, minutesMs } from "../src/lib/duration.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";
import type { Store } from "../src/store/contract/store.ts";
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";
import { visitorOfSession } from "../test/kit/world/visitors.ts";
import { toValue } from "../test/kit/world/world.ts";

export interface Day {
  readonly accountId: string;
  readonly destinationId: string;
  /** Its end; what is made lies before. */
  readonly nowMs: number;
}

const STEP_MS = minutesMs(2);
const OUTAGE_FROM_MS = hoursMs(5);
const OUTAGE_TO_MS = hoursMs(4);

export async function makeDay(store: Store, { accountId, destinationId, nowMs }: Day): Promise<void> {
  const random = createSeededRandom(3);
  let refusals = 0;
  let number = 0;
  const configVersion = (await store.loadAccount({ accountId }))?.configVersion ?? 0;
  for (let agoMs = hoursMs(24); agoMs > hoursMs(1); agoMs -= STEP_MS) {
    // A working day: most of it in the middle, hardly anything in the night.
    const swell = 0.15 + 0.85 * Math.sin((Math.PI * agoMs) / hoursMs(24)) ** 2;
    const count = Math.round(swell * 4 * random.unit());
    for (let made = 0; made < count; made += 1) {
      const atMs = nowMs - agoMs + made * 1_000;
      const isOutage = agoMs <= OUTAGE_FROM_MS && agoMs > OUTAGE_TO_MS;
      number += 1;
      const to = { accountId, destinationId, configVersion, claimedUntilMs: nowMs + hoursMs(1), atMs, number };
      // Every other one: more would open the breaker, and what waits then would go out now.
      refusals += isOutage ? 1 : 0;
      await makeOne(store, to, { isRefused: isOutage && refusals % 2 === 0, slow: isOutage ? 12 : 1, random });
    }
  }
}

interface To {
  readonly accountId: string;
  readonly destinationId: string;
  readonly configVersion: number;
  readonly claimedUntilMs: number;
  readonly atMs: number;
  /** Tells its visitor from those before. */
  readonly number: number;
}

interface Fate {
  readonly isRefused: boolean;
  readonly slow: number;
  readonly random: ReturnType<typeof createSeededRandom>;
}

async function makeOne(store: Store, { atMs, number, ...to }: To, { isRefused, slow, random }: Fate): Promise<void> {
  const family = demoViewed;
  const sourceId = crypto.randomUUID();
  const fields = { ...family.example, ...visitorOfSession(number), id: sourceId };
  const record = toValue(family.parse(JSON.stringify(fields)));
  const id = newId("dlv", atMs, random);
  const event = {
    id: newId("evt", atMs, random),
    accountId: to.accountId,
    configVersion: to.configVersion,
    type: family.type,
    sourceId,
    body: record.buildBody({ appUrl: "https://app.example.com" }),
    deliveries: [{ id, destinationId: to.destinationId, claimed: true }],
  };
  // A claim that lies in the past would be anybody's: the service that runs meanwhile would send the delivery.
  const claim = { token: id, untilMs: to.claimedUntilMs };
  await store.acceptEvents({ nowMs: atMs, claim, events: [event] });
  const totalMs = slow * (40 + 80 * random.unit() + (random.unit() < 0.05 ? 300 : 0));
  const timings = { dnsMs: 1, connectMs: 6, tlsMs: 12, firstByteMs: totalMs - 1, totalMs };
  const outcome: Outcome = {
    kind: "response",
    response: { status: isRefused ? 503 : 200, headers: {}, body: new Uint8Array(), bodyCut: false },
  };
  const settlement = {
    deliveryId: id,
    accountId: to.accountId,
    claimToken: id,
    attempt: {
      number: 1,
      startedAtMs: atMs,
      url: "https://crm.example.com/hooks",
      requestHeaders: {},
      result: { outcome, timings, address: "203.0.113.9" },
    },
    next: { state: isRefused ? "failed" : "delivered" },
    isTrial: false,
    isFree: false,
    destinationOff: null,
    setUpAtMs: null,
    holdUntilMs: null,
  } as const;
  await store.settleAttemptsIfClaimed({ nowMs: Math.ceil(atMs + totalMs), settlements: [settlement] });
}
