/** The doctor's look into the inbox: records that no node takes, and records that were refused lately. */
import type { Clock } from "../../lib/clock.ts";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import type { Store } from "../../store/contract/store.ts";
import { type Finding, warning } from "./finding.ts";

/** A running node takes a record within a second. */
const STUCK_MS = minutesMs(2);
const LATELY_MS = daysMs(1);

export async function checkInbox(store: Store, clock: Clock): Promise<Finding[]> {
  const nowMs = clock.nowMs();
  const { waiting, oldestEmittedAtMs, refused } = await store.countInbox({ refusedFromMs: nowMs - LATELY_MS });
  const found: Finding[] = [];
  if (oldestEmittedAtMs !== null && nowMs - oldestEmittedAtMs > STUCK_MS) {
    const minutes = Math.floor((nowMs - oldestEmittedAtMs) / minutesMs(1));
    const text = `An emitted record has waited in the inbox for ${minutes} minutes (${waiting} wait in all).`;
    found.push(warning(text, "Is a node running? Records whose account was never put wait an hour, then are refused."));
  }
  if (refused > 0) {
    const text = `Emitted records refused in the last 24 hours: ${refused}.`;
    found.push(warning(text, "Each is kept with its reason: in the dashboard, or GET …/refused-records."));
  }
  return found;
}
