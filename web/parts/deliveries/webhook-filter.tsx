/** The filter by webhook. An account may have hundreds, so they can be searched by name. */
import { useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Input } from "../../ui/input.tsx";
import { Choices } from "./choices.tsx";
import { FilterMenu } from "./filter-menu.tsx";

interface Props {
  readonly destinations: readonly DestinationView[];
  readonly chosen: string | null;
  readonly onChange: (name: "destination", value: string | null) => void;
}

/** As many as are seen at a glance. */
const SEEN_MAX = 8;

export function WebhookFilter({ destinations, chosen, onChange }: Props) {
  const isOn = chosen !== null && chosen !== "";
  // A destination that is gone may still be what the log is filtered by.
  const name = destinations.find(({ id }) => id === chosen)?.owner.name ?? "A deleted one";
  return (
    <FilterMenu label="Webhook" value={isOn ? name : null} onClear={() => onChange("destination", null)}>
      <Names destinations={destinations} chosen={chosen ?? ""} onChoose={(id) => onChange("destination", id)} />
    </FilterMenu>
  );
}

interface NamesProps {
  readonly destinations: readonly DestinationView[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

function Names({ destinations, chosen, onChoose }: NamesProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = destinations.filter(({ owner }) => owner.name.toLowerCase().includes(wanted));
  return (
    <>
      {destinations.length > SEEN_MAX && (
        <Input
          type="search"
          aria-label="Find a webhook"
          placeholder="Find a webhook"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="mb-1"
        />
      )}
      <Choices
        choices={found.map(({ id, owner }) => ({ value: id, label: owner.name }))}
        chosen={[chosen]}
        onChoose={onChoose}
      />
      {found.length === 0 && (
        <p className="px-2 py-1.5 text-ink-soft">{wanted === "" ? "There is none yet." : "None has this name."}</p>
      )}
    </>
  );
}
