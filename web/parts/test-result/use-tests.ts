/** The tests of this visit: runs them one at a time, and keeps the last ones with what each was a test of. */
import { useRef, useState } from "react";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import { ApiProblem } from "../../api-problem.ts";

/** The one that is shown and those before it. */
const KEPT_MAX = 6;

export interface KeptTest {
  readonly id: number;
  readonly answer: TestAnswer;
  /** The content of the form at that time. */
  readonly sent: string;
}

export interface Tests {
  /** Newest first. */
  readonly kept: readonly KeptTest[];
  readonly shown: KeptTest | null;
  readonly isBusy: boolean;
  /** Why the last one could not be run; `null` when it was. */
  readonly fault: string | null;
  readonly run: (test: TestToRun) => Promise<void>;
  readonly show: (id: number) => void;
  /** The form sends something else to say the same: a secret that was just saved is no longer in it. */
  readonly renew: (before: string, after: string) => void;
}

export interface TestToRun {
  readonly sent: string;
  readonly send: () => Promise<TestAnswer>;
  /** Fields were refused. */
  readonly onRefused: (problem: ApiProblem) => void;
}

export function useTests(): Tests {
  const [kept, setKept] = useState<readonly KeptTest[]>([]);
  const [shownId, setShownId] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const next = useRef(1);
  const isRunning = useRef(false);

  const run = async ({ sent, send, onRefused }: TestToRun): Promise<void> => {
    // Not the state: two clicks can come before it is drawn.
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFault(null);
    try {
      const answer = await send();
      const id = next.current++;
      setKept((before) => [{ id, answer, sent }, ...before].slice(0, KEPT_MAX));
      setShownId(id);
    } catch (error) {
      const isOnForm = error instanceof ApiProblem && error.errors.length > 0;
      setFault(isOnForm ? "Not tested: some fields need another look." : faultInWords(error));
      if (isOnForm) onRefused(error);
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };

  const renew = (before: string, after: string): void =>
    setKept((tests) => tests.map((test) => (test.sent === before ? { ...test, sent: after } : test)));
  const shown = kept.find(({ id }) => id === shownId) ?? null;
  return { kept, shown, isBusy, fault, run, show: setShownId, renew };
}

/** The service explains its own refusals; any other failure is not the form's fault. */
function faultInWords(error: unknown): string {
  if (error instanceof ApiProblem && error.status < 500) return error.message;
  const why = error instanceof Error ? error.message : String(error);
  return `We couldn’t run the test. Your settings are fine. ${why}`;
}
