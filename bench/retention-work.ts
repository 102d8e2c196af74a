/** What the benches of retention share: the real housekeeping, and callers that accept beside it. */
import { createHousekeeping } from "../src/delivery/housekeeping.ts";
import { newId } from "../src/domain/id.ts";
import { systemClock } from "../src/lib/clock.ts";
import { daysMs } from "../src/lib/duration.ts";
import { systemRandom } from "../src/lib/random.ts";
import type { Loop } from "../src/lib/rounds.ts";
import type { Store } from "../src/store/contract/store.ts";
import { makeNewDelivery, makeNewEvent } from "../test/kit/make.ts";
import { pause } from "../test/kit/wait.ts";
import type { MadeAccount } from "./log-history.ts";
import { bodyText } from "./record.ts";

export const WINDOW_MS = 2_000;
export const CALLERS = 4;
export const PAUSE_MS = 5;
export const RETENTION = { payloadMs: daysMs(30), attemptBodyMs: daysMs(7), rowMs: daysMs(90) };

export function startHousekeeping(store: Store): Loop {
  const failed = ({ error }: { readonly error: unknown }): never => {
    throw error;
  };
  const report = { failed, replaysStepped: () => {} } as unknown as Parameters<typeof createHousekeeping>[0]["report"];
  const housekeeping = createHousekeeping({ clock: systemClock, store, report }, { nudge: () => {} }, RETENTION);
  housekeeping.start();
  return housekeeping;
}

/** Milliseconds of each accept in a window. */
export function startAccepts(store: Store, account: MadeAccount): () => Promise<number[]> {
  let made = 0;
  const acceptOne = async (): Promise<number> => {
    const nowMs = Date.now();
    const [to] = account.destinations;
    const startedMs = performance.now();
    await store.acceptEvents({
      nowMs,
      claim: { token: "bench", untilMs: nowMs + 60_000 },
      events: [
        makeNewEvent({
          id: newId("evt", nowMs, systemRandom),
          accountId: account.id,
          configVersion: account.configVersion,
          sourceId: `00000000-0000-4000-9000-${(made += 1).toString(16).padStart(12, "0")}`,
          body: bodyText(made),
          deliveries: [
            makeNewDelivery({ id: newId("dlv", nowMs, systemRandom), destinationId: to?.id ?? "", claimed: true }),
          ],
        }),
      ],
    });
    return performance.now() - startedMs;
  };
  return async () => {
    const times: number[] = [];
    const untilMs = performance.now() + WINDOW_MS;
    const call = async (): Promise<void> => {
      while (performance.now() < untilMs) {
        times.push(await acceptOne());
        await pause(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    return times;
  };
}
