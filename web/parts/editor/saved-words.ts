/** What is said once a form is saved. A test that failed does not hold up saving, and is not forgotten either. */
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";

/** `lastTest` is of exactly what was saved; `null` when that was not tested. */
export function savedWords(lastTest: ExplainedOutcome | null): string {
  if (lastTest === null || lastTest.class === "success") return "Saved.";
  const how =
    lastTest.response === null ? `failed (${lowered(lastTest.status)})` : `failed with ${lastTest.response.status}`;
  return `Saved. The last test ${how}, so deliveries may fail.`;
}

/** "Timed out" inside a sentence; "TLS failed" keeps its letters. */
const lowered = (status: string): string =>
  /^[A-Z][a-z]/.test(status) ? `${status.charAt(0).toLowerCase()}${status.slice(1)}` : status;
