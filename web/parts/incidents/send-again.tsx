/** What an incident has lost, all of it or what had one response last, goes to the log's dialog that sends it again. */
import { useState } from "react";
import type { IncidentFigures, StoredIncident } from "../../../src/dashboard/contract/incidents.ts";
import { useOwnersOnly } from "../../query.ts";
import { LinkButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { logOf, responseChoices } from "./incident-words.ts";

interface Props {
  readonly incident: StoredIncident;
  readonly figures: IncidentFigures;
}

export function SendAgain({ incident, figures }: Props) {
  const [response, setResponse] = useState("");
  const isOwner = useOwnersOnly("send deliveries again") === undefined;
  const href = logOf(incident, figures, "failed");
  const narrowed = response === "" ? "" : `&response=${response}`;
  return (
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
      <LinkButton href={`${href}${narrowed}${isOwner ? "&replay=1" : ""}`}>
        {isOwner ? "Send again…" : "View failures"}
      </LinkButton>
    </div>
  );
}
