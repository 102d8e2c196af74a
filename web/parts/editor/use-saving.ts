/**
 * Saving a form: under way, refused, in conflict with somebody else's change, or done. A refusal about fields goes to
 * those fields; what has no field of its own is said above the button.
 */
import { useState } from "react";
import { ApiProblem } from "../../api-problem.ts";

export interface Saving {
  readonly isBusy: boolean;
  /** Why it was not saved; `null` when nothing is to be said. */
  readonly refusal: string | null;
  /** Who changed it meanwhile, and when, in words. */
  readonly conflict: string | null;
  readonly saved: string | null;
  readonly run: (work: () => Promise<string>, onRefused: (problem: ApiProblem) => void) => Promise<void>;
  readonly settleConflict: () => void;
  /** The form has changed: "Saved." is no longer true of it. */
  readonly forget: () => void;
}

export function useSaving(): Saving {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [conflict, setConflict] = useState<string | null>(null);
  const [saved, setSaved] = useState<string | null>(null);

  const run: Saving["run"] = async (work, onRefused) => {
    if (isBusy) return;
    setBusy(true);
    setRefusal(null);
    setSaved(null);
    try {
      setSaved(await work());
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "edited_meanwhile") setConflict(error.message);
      else {
        setRefusal(error instanceof Error ? error.message : String(error));
        if (error instanceof ApiProblem) onRefused(error);
      }
    } finally {
      setBusy(false);
    }
  };
  const forget = (): void => {
    setSaved(null);
    setRefusal(null);
  };
  return { isBusy, refusal, conflict, saved, run, settleConflict: () => setConflict(null), forget };
}
