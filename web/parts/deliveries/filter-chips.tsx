/** The filters that are on, in words, each with its way out. */
import { X } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { DELIVERY_LOOKS } from "../../ui/status-chip.tsx";
import { toChips, withoutFilters } from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
  readonly destinationName: (id: string) => string | null;
}

export function FilterChips({ search, onChange, destinationName }: Props) {
  const chips = toChips(search, destinationName, statusLabel);
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Filters that are on" className="flex flex-wrap items-center gap-1.5 px-5 pb-4 max-sm:px-4">
      {chips.map(({ key, label, without }) => (
        <li
          key={key}
          className="inline-flex min-w-0 items-center rounded-full bg-accent-soft pl-2.5 text-sm text-accent"
        >
          <span className="min-w-0 [overflow-wrap:anywhere]">{label}</span>
          <button
            type="button"
            aria-label={`Remove the filter ${label}`}
            onClick={() => onChange(without)}
            className="ml-0.5 inline-flex size-7 shrink-0 items-center justify-center rounded-full hover:bg-accent/15"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
      <li>
        <Button size="sm" tone="quiet" onClick={() => onChange(withoutFilters(search))}>
          Clear filters
        </Button>
      </li>
    </ul>
  );
}

function statusLabel(status: string): string {
  return (DELIVERY_LOOKS as Readonly<Record<string, { readonly word: string }>>)[status]?.word ?? status;
}
