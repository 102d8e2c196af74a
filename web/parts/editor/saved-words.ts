/** The words once a form is saved. A failed test does not hold up saving, and the words remind of it. */
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import type { SavedPhase } from "./form-state.ts";

export function savedWords({ lastTest, isReadBack, hasTypedOn }: Omit<SavedPhase, "kind">): string {
  return `${testedWords(lastTest)}${isReadBack ? "" : NOT_READ_BACK}${hasTypedOn ? NOT_SAVED_YET : ""}`;
}

const NOT_READ_BACK = " The saved version couldn’t be loaded again.";
const NOT_SAVED_YET = " Your changes since then are not saved yet.";

function testedWords(lastTest: ExplainedOutcome | null): string {
  if (lastTest === null || lastTest.class === "success") return "Saved.";
  const how =
    lastTest.response === null ? `failed (${lowered(lastTest.status)})` : `failed with ${lastTest.response.status}`;
  return `Saved. The last test ${how}, so deliveries may fail.`;
}

/** "Timed out" inside a sentence; "TLS failed" keeps its letters. */
const lowered = (status: string): string =>
  /^[A-Z][a-z]/.test(status) ? `${status.charAt(0).toLowerCase()}${status.slice(1)}` : status;
