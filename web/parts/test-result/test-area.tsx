/**
 * The test button with what the test met below it. While another test runs, the result before is quiet. The focus
 * stays on the button; readers of the screen hear the result. The three lines are those of the design page, word for
 * word.
 */
import clsx from "clsx";
import { CircleAlert, CircleCheck, Send } from "lucide-react";
import { type ReactNode, type RefObject, Suspense, useId, useLayoutEffect, useRef, useState } from "react";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { BodyKind } from "../../../src/dashboard/contract/destinations.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import { ApiProblem } from "../../api.ts";
import { useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/chips.tsx";
import { duration, timeOfDay } from "../../words.ts";
import { LogTime } from "../delivery/log-time.tsx";
import { BODIES } from "../body/body-kinds.ts";
import type { WebhookDraft } from "../webhook/draft.ts";
import { type Tested, testedWords } from "./tested-words.ts";
import { onDemand } from "../../later.ts";

const TestDetails = onDemand(() => import("./test-details.tsx"), "TestDetails");

interface Props {
  /** "Test webhook" or "Send test webhook". */
  readonly action: string;
  readonly help: string;
  readonly tests: Tests;
  /** The content of the form now. */
  readonly sends: string;
  readonly onTest: () => void;
  readonly disabledReason: string | undefined;
  /** What an answer asks for is put into the form by them; left out where the form cannot be changed. */
  readonly edits?: Mending | undefined;
  /** Right below the result: the next step. */
  readonly children?: ReactNode;
}

export function TestArea({ action, help, tests, sends, onTest, disabledReason, edits, children }: Props) {
  const { shown, fault, isBusy } = tests;
  const id = useId();
  // While another one runs, or could not be run, this is no answer to the button that was pressed.
  const isEarlier = isBusy || fault !== null;
  const isCurrent = shown !== null && !isEarlier && shown.sent === sends;
  return (
    <div className="space-y-3">
      <div className="space-y-2">
        <Button
          icon={<Send />}
          isBusy={isBusy}
          onClick={onTest}
          disabledReason={disabledReason}
          aria-describedby={`${id}-help`}
        >
          {action}
        </Button>
        <p id={`${id}-help`} className="text-sm text-ink-soft">
          {disabledReason ?? (
            <>
              {help} Your server can tell a test by its header{" "}
              <code className="whitespace-nowrap">bellwire-test: 1</code>.
            </>
          )}
        </p>
      </div>
      {fault !== null && <Banner tone="bad" role="alert" title={fault} />}
      <div role="status">
        {isBusy && <p className="text-ink-soft">Sending a test and waiting for the answer…</p>}
        {shown !== null && !isEarlier && <Told key={shown.id} test={shown} isChanged={!isCurrent} />}
      </div>
      {children}
      {shown !== null && isEarlier && <EarlierTest test={shown} />}
      {shown !== null && (
        <>
          {isCurrent && edits !== undefined && <Mend outcome={shown.answer.outcome} edits={edits} />}
          <Suspense>
            <TestDetails
              key={`${shown.id} ${isCurrent}`}
              answer={shown.answer}
              isOpen={isCurrent && !isAccepted(shown)}
            />
          </Suspense>
        </>
      )}
      <EarlierTests tests={tests} />
    </div>
  );
}

interface ToldProps {
  readonly test: KeptTest;
  readonly isChanged: boolean;
}

/** The three lines: the result, the advice, and that it was a test. */
function Told({ test, isChanged }: ToldProps) {
  const { status, sentence, advice, timings } = test.answer.outcome;
  const isSuccess = isAccepted(test);
  const Icon = isSuccess ? CircleCheck : CircleAlert;
  const box = useArrival();
  return (
    <div
      ref={box}
      className={clsx(
        "flex gap-2.5 rounded-lg border px-4 py-3",
        isSuccess ? "border-ok-mark/40 bg-ok-soft" : "border-bad-mark/40 bg-bad-soft",
      )}
    >
      <Icon aria-hidden="true" className={clsx("mt-0.5 size-4 shrink-0", isSuccess ? "text-ok" : "text-bad")} />
      <div className="min-w-0 space-y-0.5 [overflow-wrap:anywhere]">
        <p>
          <strong className="font-semibold">{status}</strong> · {sentence}{" "}
          <span className="whitespace-nowrap tabular-nums">· {duration(timings.totalMs)}</span>
          {isChanged && (
            <>
              {" "}
              <Badge tone="warn">Changed since this test</Badge>
            </>
          )}
        </p>
        {advice !== "" && (
          <p>
            {advice} {!isSuccess && <LogTime atMs={test.answer.atMs} />}
          </p>
        )}
        <p className="text-sm text-ink-soft">This was a test. It was not retried and does not count towards health.</p>
      </div>
    </div>
  );
}

const isAccepted = ({ answer }: KeptTest): boolean => answer.outcome.class === "success";

/** The result before, without its colours: they would be taken for the answer that is waited for. */
function EarlierTest({ test }: { readonly test: KeptTest }) {
  const { status, timings } = test.answer.outcome;
  return (
    <p className="rounded-lg border border-line bg-sunken px-4 py-2 text-sm text-ink-soft [overflow-wrap:anywhere]">
      Earlier test, {timeOfDay(test.answer.atMs)}: {status} · {duration(timings.totalMs)}
    </p>
  );
}

/** The focus stays on the button, so a result that arrives outside the window is scrolled into it as it is drawn. */
function useArrival(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Not as the effect's own value: browsers of late return a promise here, which React would call at the end.
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return box;
}

export interface Mending {
  /** As it is typed. */
  readonly webhook: WebhookDraft;
  /** These move the focus to what is to be looked at next. */
  readonly takeUrl: (url: string) => void;
  readonly addAuthorization: (scheme: string) => void;
  /** The focus stays: the next press is another test. */
  readonly takeBody: (kind: BodyKind) => void;
}

interface MendProps {
  readonly outcome: ExplainedOutcome;
  readonly edits: Mending;
}

/** The change that the answer asks for, as one press. */
function Mend({ outcome: { remedy }, edits }: MendProps) {
  const { customHeadersMax, httpsOnly } = useSession().limits;
  const { rows, authentication } = edits.webhook;
  if (remedy === null) return null;
  if (remedy.kind === "add_authorization") {
    const isThere = rows.some(({ name }) => name.trim().toLowerCase() === "authorization");
    if (isThere || authentication.hasToken || rows.length >= customHeadersMax) return null;
    return (
      <Button size="sm" onClick={() => edits.addAuthorization(remedy.scheme)}>
        Add an Authorization header
      </Button>
    );
  }
  if (remedy.kind === "use_body") {
    return (
      <Button size="sm" onClick={() => edits.takeBody(remedy.body)}>
        Send {BODIES[remedy.body].label}s
      </Button>
    );
  }
  if (httpsOnly && !remedy.url.startsWith("https:")) return null;
  return (
    <Button size="sm" onClick={() => edits.takeUrl(remedy.url)}>
      {remedy.kind === "use_url" ? "Use this URL" : "Use http://"}
    </Button>
  );
}

/* The tests of this visit before the one that is shown: a click shows one again. */

function EarlierTests({ tests: { kept, shown, show } }: { readonly tests: Tests }) {
  if (kept.length < 2) return null;
  return (
    <nav aria-label="Tests of this visit" className="flex flex-wrap items-center gap-1.5 text-sm">
      <span className="text-ink-soft">Tests of this visit:</span>
      {kept.map(({ id, answer }, index) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === shown?.id}
          onClick={() => show(id)}
          className={clsx(
            "min-h-6 max-w-full rounded-md border px-2 text-left [overflow-wrap:anywhere]",
            id === shown?.id
              ? "border-accent bg-accent-soft text-accent"
              : "border-line text-ink-soft hover:border-line-strong hover:text-ink",
          )}
        >
          {answer.outcome.status} · {testedWords(kept, index)}
        </button>
      ))}
    </nav>
  );
}

/* The tests of this visit: runs them one at a time, and keeps the last ones with what each was a test of. */

/** The one that is shown and those before it. */
const KEPT_MAX = 6;

interface KeptTest extends Tested {
  readonly id: number;
  readonly answer: TestAnswer;
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

interface TestToRun {
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
