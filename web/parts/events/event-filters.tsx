/** The filters of a list of events, in the address: a search, and what was not sent, to any webhook or to one. */
import clsx from "clsx";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useAnswer } from "../../query.ts";
import { FilterMenu, SearchedChoices } from "../deliveries/filter-choices.tsx";
import { type FieldProps, SearchInput, type SearchStep } from "../search/search-box.tsx";
import { useMarks } from "../tell-apart.ts";

interface SearchBoxProps extends Pick<FieldProps, "label"> {
  /** Filters beside. */
  readonly children?: ReactNode;
}

/** The filters of a list of events. Each change begins on the first page. */
export function SearchBox({ label, children }: SearchBoxProps) {
  const [search, setSearch] = useSearchParams();
  const value = search.get("q") ?? "";
  const isNotSent = search.get("not_sent") === "1";
  const set = (parts: Readonly<Record<string, string>>, step?: SearchStep): void =>
    setSearch((before) => {
      const kept = Object.entries({ ...Object.fromEntries(before), ...parts, cursor: "" });
      return new URLSearchParams(kept.filter(([, text]) => text !== ""));
    }, step);
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
      <SearchInput
        label={label}
        value={value}
        onSearch={(q, step) => set({ q }, step)}
        className={clsx("flex-1 sm:max-w-md", children !== undefined && "max-sm:basis-full")}
      />
      {children}
      <NotSentFilter
        chosen={isNotSent ? (search.get("webhook") ?? ANY_WEBHOOK) : null}
        onChange={(webhook) =>
          set({ not_sent: webhook === null ? "" : "1", webhook: webhook === ANY_WEBHOOK ? "" : (webhook ?? "") })
        }
      />
    </search>
  );
}

interface NotSentFilterProps {
  /** A destination, or `ANY_WEBHOOK`; `null` while the list has all events. */
  readonly chosen: string | null;
  readonly onChange: (chosen: string | null) => void;
}

const ANY_WEBHOOK = "any";

function NotSentFilter({ chosen, onChange }: NotSentFilterProps) {
  const { data } = useAnswer("GET /destinations");
  const marks = useMarks();
  const webhooks = (data?.destinations ?? []).map(({ id, owner }) => ({
    value: id,
    label: owner.name,
    mark: marks.get(id),
  }));
  const choices = [{ value: ANY_WEBHOOK, label: "To some webhook" }, ...webhooks];
  const name = webhooks.find(({ value }) => value === chosen)?.label ?? "a deleted one";
  const shown = chosen === ANY_WEBHOOK ? "some webhook" : name;
  return (
    <FilterMenu label="Not sent" value={chosen === null ? null : shown} onClear={() => onChange(null)}>
      <SearchedChoices what="webhook" choices={choices} chosen={chosen ?? ""} onChoose={onChange} />
    </FilterMenu>
  );
}
