/** A file of all that the filters find, by one click. Plain links: the browser shows how far the download is. */
import { Download } from "lucide-react";
import { dashboardAddress } from "../../api.ts";
import { serviceNowMs } from "../../service-clock.ts";
import { Mark, toButtonClasses } from "../../ui/button.tsx";
import { timeZone } from "../../words.ts";
import { parseQuery } from "./filters.ts";

type Ending = "csv" | "ndjson";

export const EXPORTS: readonly { readonly ending: Ending; readonly label: string }[] = [
  { ending: "csv", label: "Export CSV" },
  { ending: "ndjson", label: "Export NDJSON" },
];

export function ExportLinks({ search }: { readonly search: URLSearchParams }) {
  return (
    <span className="inline-flex items-center">
      <a href={exportHref(search, "csv")} download className={toButtonClasses({ tone: "quiet" })}>
        <Mark>
          <Download />
        </Mark>
        Export CSV
      </a>
      <a
        href={exportHref(search, "ndjson")}
        download
        aria-label="Export NDJSON"
        className={toButtonClasses({ tone: "quiet" })}
      >
        NDJSON
      </a>
    </span>
  );
}

/** It has every page, from the newest on, with times in the zone of the reader. */
export function exportHref(search: URLSearchParams, ending: Ending): string {
  const { cursor: _, ...filters } = parseQuery(search, serviceNowMs());
  const query = new URLSearchParams({ zone: timeZone() });
  for (const [name, value] of Object.entries(filters)) query.set(name, String(value));
  return dashboardAddress(`/export/deliveries.${ending}?${query}`);
}
