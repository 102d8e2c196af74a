/**
 * The test button with what the test met below it. While another test runs, the result before is quiet. The focus
 * stays on the button; readers of the screen hear the result. The three lines are those of the design page, word for
 * word.
 */
import clsx from "clsx";
import { CircleAlert, CircleCheck, Send } from "lucide-react";
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { duration, timeOfDay } from "../../words.ts";
import { LogTime } from "../delivery/log-time.tsx";
import { EarlierTests } from "./earlier-tests.tsx";
import { TestDetails } from "./test-details.tsx";
import type { KeptTest, Tests } from "./use-tests.ts";

interface Props {
  /** "Test webhook" or "Send test webhook". */
  readonly action: string;
  readonly help: string;
  readonly tests: Tests;
  /** The content of the form now. */
  readonly sends: string;
  readonly onTest: () => void;
  readonly disabledReason: string | undefined;
  /** Puts a redirect's target into the form; left out where the form cannot be changed. */
  readonly onUseUrl?: ((url: string) => void) | undefined;
  /** Right below the result: the next step. */
  readonly children?: ReactNode;
}

export function TestArea({ action, help, tests, sends, onTest, disabledReason, onUseUrl, children }: Props) {
  const { shown, fault, isBusy } = tests;
  // While another one runs, or could not be run, this is no answer to the button that was pressed.
  const isEarlier = isBusy || fault !== null;
  const isCurrent = shown !== null && !isEarlier && shown.sent === sends;
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button icon={<Send />} isBusy={isBusy} onClick={onTest} disabledReason={disabledReason}>
          {action}
        </Button>
        <p className="min-w-0 flex-1 basis-52 text-sm text-ink-soft">
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
          {!isEarlier && <UseUrl key={shown.id} outcome={shown.answer.outcome} onUseUrl={onUseUrl} />}
          <TestDetails key={`${shown.id} ${isCurrent}`} test={shown} isOpen={isCurrent} />
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
  const { status, sentence, advice, timings, class: outcomeClass } = test.answer.outcome;
  const isSuccess = outcomeClass === "success";
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

interface UseUrlProps {
  readonly outcome: ExplainedOutcome;
  readonly onUseUrl: ((url: string) => void) | undefined;
}

function UseUrl({ outcome: { redirectUrl }, onUseUrl }: UseUrlProps) {
  if (redirectUrl === null || onUseUrl === undefined) return null;
  return (
    <Button size="sm" onClick={() => onUseUrl(redirectUrl)}>
      Use this URL
    </Button>
  );
}
