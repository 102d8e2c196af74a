/** A delivery's life as a list: accepted, each attempt with all that was sent and came back, and what comes next. */
import clsx from "clsx";
import { Ban, Check, ChevronRight, Clock, Inbox, type LucideIcon, RotateCw, Send, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { responseTime } from "../deliveries/filters.ts";
import { AttemptDetails } from "./attempt-details.tsx";
import { type Step, toSteps } from "./attempts.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { bodyPlace } from "./sent-bodies.ts";

interface Props {
  readonly detail: DeliveryDetail;
}

export function Timeline({ detail }: Props) {
  const last = detail.attempts.at(-1)?.number;
  return (
    <ol className="min-w-0">
      {toSteps(detail).map((step) => (
        <StepRow key={toKey(step)} step={step} detail={detail} lastNumber={last} />
      ))}
    </ol>
  );
}

const toKey = (step: Step): string => (step.kind === "attempt" ? `attempt ${step.attempt.number}` : step.kind);

interface StepProps extends Props {
  readonly step: Step;
  /** The newest attempt is the one that people came for. */
  readonly lastNumber: number | undefined;
}

function StepRow({ step, detail, lastNumber }: StepProps) {
  switch (step.kind) {
    case "accepted":
      return (
        <Row icon={Inbox} ground="bg-info-soft text-info">
          <Line words="Event accepted" atMs={step.atMs} />
        </Row>
      );
    case "resent":
      return (
        <Row icon={RotateCw} ground="bg-info-soft text-info">
          <Line words={`Sent again by ${step.by}`} atMs={step.atMs} />
        </Row>
      );
    case "cancelled":
      return (
        <Row icon={Ban} ground="bg-hover text-ink-soft">
          <Line words="Cancelled" atMs={step.atMs} />
        </Row>
      );
    case "next":
      return (
        <Row
          icon={detail.attemptsMade === 0 ? Send : Clock}
          ground="border border-dashed border-line-strong text-ink-soft"
          isDashed
        >
          {isAskedFor(detail) ? (
            <Line words="When your program asks" atMs={null} />
          ) : (
            <NextAttempt atMs={step.atMs} isFirst={detail.attemptsMade === 0} />
          )}
        </Row>
      );
    case "attempt":
      return (
        <AttemptRow
          attempt={step.attempt}
          bodyPlace={bodyPlace(step.attempt, detail)}
          isLast={step.attempt.number === lastNumber}
          isTold={detail.status !== "delivered" && step.attempt.number === detail.evidence?.attempt}
        />
      );
  }
}

const isAskedFor = ({ destinationNow }: DeliveryDetail): boolean =>
  destinationNow !== null && destinationNow.state === "on" && isPulled(destinationNow);

interface RowProps {
  readonly icon: LucideIcon;
  readonly ground: string;
  readonly isDashed?: boolean;
  readonly children: ReactNode;
}

/** The line down to the next step is drawn by the row above it, dashed where the next has not happened. */
function Row({ icon: Icon, ground, isDashed = false, children }: RowProps) {
  return (
    <li
      className={clsx(
        "group/step relative flex min-w-0 gap-3 pb-4 last:pb-0",
        "before:absolute before:top-7 before:bottom-0 before:left-3.25 before:border-l before:border-line-strong",
        "last:before:hidden",
        "has-[+[data-dashed]]:before:border-dashed",
      )}
      data-dashed={isDashed || undefined}
    >
      <span
        aria-hidden="true"
        className={clsx("flex size-6.5 shrink-0 items-center justify-center rounded-full", ground)}
      >
        <Icon className="size-3.5" strokeWidth={2.25} />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">{children}</div>
    </li>
  );
}

function Line({ words, atMs }: { readonly words: string; readonly atMs: number | null }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-3">
      <span className="min-w-0 [overflow-wrap:anywhere]">{words}</span>
      {atMs !== null && (
        <span className="ml-auto text-sm text-ink-soft">
          <RelativeTime atMs={atMs} />
        </span>
      )}
    </p>
  );
}

function NextAttempt({ atMs, isFirst }: { readonly atMs: number | null; readonly isFirst: boolean }) {
  const nowMs = useNow();
  const words = isFirst ? "First attempt" : "Next attempt";
  if (atMs === null) return <Line words={`${words} when it is turned on again`} atMs={null} />;
  if (atMs <= nowMs) return <Line words={`${words} now`} atMs={null} />;
  return <Line words={words} atMs={atMs} />;
}

interface AttemptProps {
  readonly attempt: AttemptView;
  /** Where its body stands, in words. */
  readonly bodyPlace: string;
  readonly isLast: boolean;
  /** Its advice and its time stand at the head of the delivery. */
  readonly isTold: boolean;
}

function AttemptRow({ attempt, bodyPlace: place, isLast, isTold }: AttemptProps) {
  // Until somebody decides, the newest is open: when another comes, it takes over.
  const [choice, setChoice] = useState<boolean | null>(null);
  const isOpen = choice ?? isLast;
  const { number, outcome, startedAtMs } = attempt;
  const isSuccess = outcome.class === "success";
  return (
    <Row icon={isSuccess ? Check : X} ground={isSuccess ? "bg-ok-soft text-ok" : "bg-bad-soft text-bad"}>
      <details open={isOpen} className="min-w-0">
        <summary
          onClick={(event) => {
            event.preventDefault();
            setChoice(!isOpen);
          }}
          className="-mt-0.5 flex min-h-6.5 list-none flex-wrap items-center gap-x-2 rounded-sm
            [&::-webkit-details-marker]:hidden"
        >
          <ChevronRight
            aria-hidden="true"
            className={clsx("size-4 shrink-0 text-ink-soft transition-transform", isOpen && "rotate-90")}
          />
          <span className="font-medium">Attempt {number}</span>
          <span className={clsx("min-w-0 [overflow-wrap:anywhere]", isSuccess ? "text-ok" : "text-bad")}>
            {outcome.status}
          </span>
          <span className="text-ink-soft tabular-nums">{responseTime(outcome.timings.totalMs)}</span>
          <span className="ml-auto text-sm text-ink-soft">
            <RelativeTime atMs={startedAtMs} />
          </span>
        </summary>
        {isOpen && <AttemptDetails attempt={attempt} isTold={isTold} bodyPlace={place} />}
      </details>
    </Row>
  );
}
