/**
 * Making a replay: its form, what it would take, and the confirmation. Its scope comes from the log's filters;
 * **Count deliveries** has the service freeze it and count, and leads to the replay's own page, where the exact number
 * is confirmed. Nothing is sent from here.
 */
import { type FormEvent, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { ApiProblem, serviceNowMs } from "../../api.ts";
import { useAnswer, useChange, useOwnersOnly, useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, Input } from "../../ui/field.tsx";
import { count, duration, number } from "../../words.ts";
import {
  isTypedCount,
  parseDraft,
  remainingMs,
  type ReplayedState,
  REPLAYED_STATES,
  scopeLines,
  TYPED_ABOVE,
} from "./replay-draft.ts";
import type { useReplay } from "./replay-progress.tsx";

interface ReplayDialogProps {
  readonly search: URLSearchParams;
  readonly onClose: () => void;
}

/** Slow enough for an endpoint that has just come back; a guess. */
const RATE_AT_FIRST = "10";

export function ReplayDialog({ search, onClose }: ReplayDialogProps) {
  const [, navigate] = useLocation();
  const [draft] = useState(() => parseDraft(search, serviceNowMs()));
  const [states, setStates] = useState(draft.states);
  const [rate, setRate] = useState(RATE_AT_FIRST);
  const rateInput = useRef<HTMLInputElement>(null);
  const start = useRef<HTMLButtonElement>(null);
  const { limits } = useSession();
  const destinations = useAnswer("GET /destinations").data?.destinations ?? [];
  const change = useChange("POST /replays", "GET /replays");
  const ratePerSecond = Number(rate);
  const rateError = rateProblem(rate, limits.replayRatePerSecondMax) ?? serverProblem(change.error, "ratePerSecond");
  const prepare = async (): Promise<void> => {
    if (rateError !== undefined) return rateInput.current?.focus();
    const replay = await change.mutateAsync({ body: { filter: { ...draft.filter, states }, ratePerSecond } });
    navigate(`/replays/${replay.id}`);
  };
  return (
    <Dialog
      isOpen
      isFirm
      onClose={onClose}
      title="Replay deliveries"
      initialFocus={start}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            ref={start}
            tone="primary"
            isBusy={change.isPending}
            disabledReason={states.length === 0 ? "Choose at least one state." : undefined}
            // The refusal is shown above.
            onClick={() => void prepare().catch(() => undefined)}
          >
            Count deliveries
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <p>Sends what your filters say. First we count; nothing is sent before you confirm.</p>
        <States states={states} onChange={setStates} />
        <ScopeList
          lines={scopeLines({ ...draft.filter, states }, findName(draft.filter.destinationId, destinations)).slice(1)}
        />
        {draft.leftOut.length > 0 && (
          <Banner tone="info" title="A replay is wider than this list">
            It can’t be narrowed by {new Intl.ListFormat("en").format(draft.leftOut)}. To send exactly what the list
            shows, up to 1,000 deliveries, select its rows and then all that match.
          </Banner>
        )}
        <Field label="Deliveries a second" help="All destinations of this replay together." error={rateError}>
          {(control) => (
            <Input
              {...control}
              ref={rateInput}
              inputMode="decimal"
              value={rate}
              onChange={(event) => setRate(event.target.value)}
              className="max-w-28"
            />
          )}
        </Field>
        {change.error !== null && serverProblem(change.error, "ratePerSecond") === undefined && (
          <Banner tone="bad" role="alert" title={change.error.message} />
        )}
      </div>
    </Dialog>
  );
}

interface StatesProps {
  readonly states: readonly ReplayedState[];
  readonly onChange: (states: readonly ReplayedState[]) => void;
}

function States({ states, onChange }: StatesProps) {
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium text-ink">What is sent again</legend>
      {REPLAYED_STATES.map(({ state, label, help }) => (
        <Checkbox
          key={state}
          label={<span className="text-ink">{label}</span>}
          help={help}
          checked={states.includes(state)}
          onChange={(event) =>
            onChange(event.target.checked ? [...states, state] : states.filter((other) => other !== state))
          }
        />
      ))}
    </fieldset>
  );
}

function findName(id: string | undefined, destinations: readonly DestinationView[]): string | null {
  if (id === undefined) return null;
  return destinations.find((destination) => destination.id === id)?.owner.name ?? "A deleted destination";
}

function rateProblem(text: string, max: number): string | undefined {
  const rate = Number(text);
  return text.trim() !== "" && rate >= 1 && rate <= max ? undefined : `Enter a number from 1 to ${number(max)}.`;
}

function serverProblem(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errors.find((problem) => problem.path === path)?.message;
}

/* The exact number, and the last question before anything is sent. Above a thousand the number is typed. */

interface ConfirmReplayProps {
  readonly replay: ReplayView;
  readonly set: ReturnType<typeof useReplay>["set"];
  readonly isBusy: boolean;
  readonly error: Error | null;
}

export function ConfirmReplay({ replay, set, isBusy, error }: ConfirmReplayProps) {
  const { deliveries, ratePerSecond, filter } = replay;
  const [typed, setTyped] = useState("");
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const ownersOnly = useOwnersOnly("replay deliveries");
  const takes = duration(Math.max(1_000, remainingMs(replay)));
  const mustType = deliveries > TYPED_ABOVE;
  const confirm = (event: FormEvent): void => {
    event.preventDefault();
    if (mustType && !isTypedCount(typed, deliveries)) {
      setMissing(true);
      input.current?.focus();
    } else void set("running");
  };
  return (
    <form onSubmit={confirm} noValidate>
      <Card
        title={`Send ${count(deliveries, "delivery", "deliveries")} again?`}
        description={`At ${number(ratePerSecond)} a second this takes about ${takes}.`}
        footer={
          <>
            <Button isBusy={isBusy} disabledReason={ownersOnly} onClick={() => void set("cancelled")}>
              Don’t send
            </Button>
            <Button type="submit" tone="primary" isBusy={isBusy} disabledReason={ownersOnly}>
              Replay {number(deliveries)}
            </Button>
          </>
        }
      >
        <div className="max-w-prose space-y-4">
          <p>
            The count is exact and frozen: later failures are not part of it. Each delivery keeps its body and its
            webhook-id, and is signed anew with the current secret.
          </p>
          <DestinationWarning destinationId={filter.destinationId} />
          {filter.states.includes("delivered") && (
            <Banner tone="warn" title="Some were accepted already">
              Your endpoint gets those a second time. The same webhook-id lets it tell.
            </Banner>
          )}
          {mustType && (
            <Field
              label={`Type ${number(deliveries)} to confirm`}
              error={
                isMissing && !isTypedCount(typed, deliveries) ? `Type the number ${number(deliveries)}.` : undefined
              }
              className="max-w-56"
            >
              {(control) => (
                <Input
                  {...control}
                  ref={input}
                  inputMode="numeric"
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                />
              )}
            </Field>
          )}
          {error !== null && <Banner tone="bad" role="alert" title={error.message} />}
        </div>
      </Card>
    </form>
  );
}

/** A thousand webhooks to an endpoint that is down only fail, but it may be up again in a moment. */
function DestinationWarning({ destinationId }: { readonly destinationId: string | undefined }) {
  const destinations = useAnswer("GET /destinations").data?.destinations ?? [];
  const troubled = destinations.filter(
    ({ id, health, owner }) =>
      (destinationId === undefined || id === destinationId) && !owner.isDeleted && health.word in NOT_READY,
  );
  return troubled.map(({ id, owner, health }) => (
    <Banner key={id} tone="warn" title={`${owner.name} is ${NOT_READY[health.word]?.is}`}>
      {NOT_READY[health.word]?.follows}
    </Banner>
  ));
}

const NOT_READY: Readonly<Record<string, { readonly is: string; readonly follows: string }>> = {
  failing: {
    is: "failing at the moment",
    follows: "Webhooks to it wait now, and may use up their attempts again.",
  },
  paused: { is: "paused", follows: "Webhooks to it wait until it is turned on again." },
  off: { is: "turned off", follows: "Webhooks to it wait until it is turned on again." },
};

/** The scope of a replay, line by line. */
interface ScopeListProps {
  readonly lines: readonly (readonly [name: string, value: string])[];
}

export function ScopeList({ lines }: ScopeListProps) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1">
      {lines.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-soft">{name}</dt>
          <dd className="min-w-0 text-ink [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
