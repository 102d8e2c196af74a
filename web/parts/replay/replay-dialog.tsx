/**
 * Sending many again: which ones, by the log's own filters, how many they are now, and how fast they go. The number
 * follows each choice, and nothing is kept before **Send**. The service then freezes exactly those; where it finds
 * another number than was shown, or where the number was not exact, the send's own page asks once more.
 */
import { X } from "lucide-react";
import { type FormEvent, type RefObject, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { DeliveryTotal, ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { ApiProblem, serviceNowMs } from "../../api.ts";
import { useAnswer, useAnswerWhen, useChange, useOwnersOnly, useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Cut } from "../../ui/cut.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { count, duration, number } from "../../words.ts";
import { EventTypeFilter, ResponseFilter, TimeFilter, WebhookFilter } from "../deliveries/filter-choices.tsx";
import { type FilterName, withFilter } from "../deliveries/filters.ts";
import {
  foundInWords,
  guessStates,
  isNone,
  isTypedCount,
  parseDraft,
  remainingMs,
  type ReplayDraft,
  type ReplayedState,
  REPLAYED_STATES,
  type StateCounts,
  sumTotals,
  toTotalQuery,
  totalInWords,
  TYPED_ABOVE,
} from "./replay-draft.ts";
import type { useReplay } from "./replay-progress.tsx";
import { Warnings } from "./replay-warnings.tsx";

interface ReplayDialogProps {
  readonly search: URLSearchParams;
  readonly onClose: () => void;
}

/** Slow enough for an endpoint that has just come back; a guess. */
const RATE_AT_FIRST = "10";

export function ReplayDialog({ search: atFirst, onClose }: ReplayDialogProps) {
  const [search, setSearch] = useState(atFirst);
  const [nowMs] = useState(serviceNowMs);
  const [chosen, setChosen] = useState<readonly ReplayedState[] | null>(null);
  const draft = parseDraft(search, nowMs, chosen);
  const counts = useStateCounts(draft.filter);
  const states = draft.isGuess ? guessStates(counts) : draft.states;
  const [rate, setRate] = useState(RATE_AT_FIRST);
  const [isMissing, setMissing] = useState(false);
  const [typed, setTyped] = useState("");
  const rateInput = useRef<HTMLInputElement>(null);
  const typedInput = useRef<HTMLInputElement>(null);
  const { limits } = useSession();
  const filter = { ...draft.filter, states };
  const { send, isBusy, error } = useSend();
  const ratePerSecond = Number(rate);
  const rateError = rateProblem(rate, limits.replayRatePerSecondMax) ?? serverProblem(error, "ratePerSecond");
  const found = sumTotals(counts, states);
  // Where the number is not exact yet, the page that has it asks for it.
  const typedNumber = found?.isWhole === true && found.count > TYPED_ABOVE ? found.count : null;
  const press = (): void => {
    if (rateError !== undefined) return rateInput.current?.focus();
    if (typedNumber !== null && !isTypedCount(typed, typedNumber)) {
      setMissing(true);
      return typedInput.current?.focus();
    }
    // The refusal is shown above.
    if (found !== undefined) void send({ filter, ratePerSecond }, found).catch(() => undefined);
  };
  const problem = counts.error ?? (serverProblem(error, "ratePerSecond") === undefined ? error : null);
  return (
    <Dialog
      isOpen
      isFirm
      onClose={onClose}
      title="Send again"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" isBusy={isBusy} disabledReason={whyNot(states, found)} onClick={press}>
            {found === undefined || found.count === 0 ? "Send" : `Send ${totalInWords(found)}`}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <States states={states} counts={counts} onChange={setChosen} />
        <Narrowing search={search} onChange={setSearch} />
        <p role="status" className="font-medium text-ink tabular-nums">
          {found !== undefined && states.length > 0 && foundInWords(found, ratePerSecond)}
        </p>
        {draft.leftOut.length > 0 && (
          <Banner tone="info" title="This sends more than the list shows">
            It can’t be narrowed by {new Intl.ListFormat("en").format(draft.leftOut)}. To send exactly what the list
            shows, up to 1,000 deliveries, select its rows and then all that match.
          </Banner>
        )}
        {found !== undefined && !isNone(found) && <Warnings filter={filter} />}
        <Field label="Deliveries a second" help="To all webhooks together." error={rateError}>
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
        {typedNumber !== null && (
          <TypedCount
            deliveries={typedNumber}
            typed={typed}
            isMissing={isMissing}
            inputRef={typedInput}
            onChange={setTyped}
          />
        )}
        {problem !== null && <Banner tone="bad" role="alert" title={problem.message} />}
      </div>
    </Dialog>
  );
}

function whyNot(states: readonly ReplayedState[], found: DeliveryTotal | undefined): string | undefined {
  if (states.length === 0) return "Choose at least one state.";
  if (found === undefined) return "They are being counted.";
  return isNone(found) ? "Nothing matches, so there is nothing to send." : undefined;
}

/** Freezes what matches; it starts at once if that is what was shown, and else its page asks. */
function useSend() {
  const [, navigate] = useLocation();
  const prepare = useChange("POST /replays", "GET /replays");
  const start = useChange("PUT /replays/:id/state", "GET /replays", "GET /deliveries");
  const send = async (body: Parameters<typeof prepare.mutateAsync>[0]["body"], shown: DeliveryTotal): Promise<void> => {
    const { id, deliveries } = await prepare.mutateAsync({ body });
    if (shown.isWhole && shown.count === deliveries) {
      await start.mutateAsync({ params: { id }, body: { state: "running" } });
    }
    navigate(`/replays/${id}`);
  };
  return { send, isBusy: prepare.isPending || start.isPending, error: prepare.error ?? start.error };
}

interface NarrowingProps {
  readonly search: URLSearchParams;
  readonly onChange: (search: URLSearchParams) => void;
}

/** The log's filters as they are on, to be changed here; what was searched for can be taken away. */
function Narrowing({ search, onChange }: NarrowingProps) {
  const destinations = useAnswer("GET /destinations").data?.destinations ?? [];
  const set = (name: FilterName, value: string | null): void => onChange(withFilter(search, name, value));
  const q = search.get("q")?.trim() ?? "";
  return (
    <div role="group" aria-label="Which of them" className="flex flex-wrap items-center gap-2">
      <WebhookFilter destinations={destinations} chosen={search.get("destination")} onChange={set} />
      <TimeFilter search={search} onChange={onChange} />
      <EventTypeFilter chosen={search.get("event")} onChange={(type) => set("event", type)} />
      <ResponseFilter value={search.get("response")} onChange={(value) => set("response", value)} />
      {q !== "" && (
        <Button size="sm" icon={<X />} onClick={() => set("q", null)}>
          <span className="shrink-0">Found by</span> <Cut className="max-w-40">“{q}”</Cut>
          <span className="sr-only"> (remove this)</span>
        </Button>
      )}
    </div>
  );
}

/** How many there are of each state, whichever are chosen. */
function useStateCounts(filter: ReplayDraft["filter"]): StateCounts & { readonly error: Error | null } {
  const ask = (state: ReplayedState) => ({ query: toTotalQuery({ ...filter, states: [state] }) });
  const pending = useAnswerWhen("GET /deliveries/total", ask("pending"));
  const failed = useAnswerWhen("GET /deliveries/total", ask("failed"));
  const cancelled = useAnswerWhen("GET /deliveries/total", ask("cancelled"));
  const delivered = useAnswerWhen("GET /deliveries/total", ask("delivered"));
  return {
    pending: pending.data,
    failed: failed.data,
    cancelled: cancelled.data,
    delivered: delivered.data,
    error: pending.error ?? failed.error ?? cancelled.error ?? delivered.error,
  };
}

interface StatesProps {
  readonly states: readonly ReplayedState[];
  readonly counts: StateCounts;
  readonly onChange: (states: readonly ReplayedState[]) => void;
}

function States({ states, counts, onChange }: StatesProps) {
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium text-ink">What is sent again</legend>
      {REPLAYED_STATES.map(({ state, label, help }) => (
        <Checkbox
          key={state}
          label={
            <span className="text-ink">
              {label}
              {counts[state] !== undefined && (
                <span className="text-ink-soft tabular-nums"> · {totalInWords(counts[state])}</span>
              )}
            </span>
          }
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

function rateProblem(text: string, max: number): string | undefined {
  const rate = Number(text);
  return text.trim() !== "" && rate >= 1 && rate <= max ? undefined : `Enter a number from 1 to ${number(max)}.`;
}

function serverProblem(error: Error | null, path: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errors.find((problem) => problem.path === path)?.message;
}

/* The exact number, where the dialog could not show it, and the last question before anything is sent. */

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
  const ownersOnly = useOwnersOnly("send deliveries again");
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
              Send {number(deliveries)}
            </Button>
          </>
        }
      >
        <div className="max-w-prose space-y-4">
          <p>
            The count is exact and frozen: later failures are not part of it. Each delivery keeps its body and its
            webhook-id, and is signed anew with the current secret.
          </p>
          <Warnings filter={filter} />
          {mustType && <TypedCount {...{ deliveries, typed, isMissing }} inputRef={input} onChange={setTyped} />}
          {error !== null && <Banner tone="bad" role="alert" title={error.message} />}
        </div>
      </Card>
    </form>
  );
}

interface TypedCountProps {
  readonly deliveries: number;
  readonly typed: string;
  /** It was not there when somebody pressed. */
  readonly isMissing: boolean;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly onChange: (typed: string) => void;
}

/** Above a thousand the number is typed. */
function TypedCount({ deliveries, typed, isMissing, inputRef, onChange }: TypedCountProps) {
  const isWrong = isMissing && !isTypedCount(typed, deliveries);
  return (
    <Field
      label={`Type ${number(deliveries)} to confirm`}
      error={isWrong ? `Type the number ${number(deliveries)}.` : undefined}
      className="max-w-56"
    >
      {(control) => (
        <Input
          {...control}
          ref={inputRef}
          inputMode="numeric"
          value={typed}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

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
