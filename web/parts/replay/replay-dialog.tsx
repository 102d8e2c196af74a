/**
 * A new replay. Its scope comes from the log's filters; **Count deliveries** has the service freeze it and count, and
 * leads to the replay's own page, where the exact number is confirmed. Nothing is sent from here.
 */
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { ApiProblem } from "../../api-problem.ts";
import { serviceNowMs } from "../../service-clock.ts";
import { useAnswer, useChange } from "../../query.ts";
import { useSession } from "../../session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { number } from "../../words.ts";
import { REPLAYED_STATES, type ReplayedState, parseDraft, scopeLines } from "./replay-draft.ts";
import { ScopeList } from "./scope-list.tsx";

interface Props {
  readonly search: URLSearchParams;
  readonly onClose: () => void;
}

/** Slow enough for an endpoint that has just come back; a guess. */
const RATE_AT_FIRST = "10";

export function ReplayDialog({ search, onClose }: Props) {
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
