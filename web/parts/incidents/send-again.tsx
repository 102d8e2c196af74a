/**
 * "Send again everything that failed since …", all of it or what had one response. The service freezes and counts,
 * and the exact number is confirmed on the replay's own page, and nothing is sent from here.
 */
import { useState } from "react";
import { useLocation } from "wouter";
import type { IncidentFiguresView, IncidentView } from "../../../src/dashboard/contract/incidents.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { minute } from "../../words.ts";
import { responseChoices, sinceMs, toReplayResponse } from "./incident-words.ts";

interface Props {
  readonly incident: IncidentView;
  readonly figures: IncidentFiguresView;
}

/** Slow enough for an endpoint that has just come back; a guess. */
const RATE_PER_SECOND = 10;

export function SendAgain({ incident, figures }: Props) {
  const [response, setResponse] = useState("");
  const [, navigate] = useLocation();
  const change = useChange("POST /replays", "GET /replays");
  const ownersOnly = useOwnersOnly("send deliveries again");
  const createdFromMs = sinceMs(incident, figures);
  const prepare = async (): Promise<void> => {
    const narrowed = response === "" ? {} : { response: toReplayResponse(response) };
    const filter = { destinationId: incident.destinationId, states: ["failed"] as const, createdFromMs, ...narrowed };
    const replay = await change.mutateAsync({ body: { filter, ratePerSecond: RATE_PER_SECOND } });
    navigate(`/replays/${replay.id}`);
  };
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-end gap-2">
        <Field label="Failed with" className="w-52 max-w-full">
          {(control) => (
            <select
              {...control}
              className="control min-h-9 truncate"
              value={response}
              onChange={(event) => setResponse(event.target.value)}
            >
              {responseChoices(figures).map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Button
          isBusy={change.isPending}
          disabledReason={ownersOnly}
          className="max-w-full whitespace-normal!"
          // The refusal is shown below.
          onClick={() => void prepare().catch(() => undefined)}
        >
          Send again everything that failed since {minute(createdFromMs)}…
        </Button>
      </div>
      {change.error !== null && <Banner tone="bad" role="alert" title={change.error.message} />}
    </div>
  );
}
