/** Settings → Activity: who did what, newest first, narrowed by a person, a webhook or a kind. */
import { History } from "lucide-react";
import { useSearchParams } from "wouter";
import type { AuditKind } from "../../src/dashboard/contract/session.ts";
import { Acts } from "../parts/account/activity.tsx";
import { Choices, FilterMenu } from "../parts/deliveries/filter-choices.tsx";
import { SearchInput, type SearchStep } from "../parts/search/search-box.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { EmptyState, Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";

const KINDS: Readonly<Record<AuditKind, string>> = {
  setup: "Alerts and webhooks",
  sending: "Sending again",
  keys: "Secrets and keys",
  news: "News of failures",
  people: "Signing in and out",
  account: "The account",
};

export function ActivityPage() {
  const [search, setSearch] = useSearchParams();
  const [q = "", kind = "", cursor = ""] = ["q", "kind", "cursor"].map((name) => search.get(name) ?? "");
  const query = useAnswer("GET /audit", { query: { q, kind: kind as AuditKind, cursor } });
  // Each change begins on the first page.
  const set = (parts: { readonly q?: string; readonly kind?: string }, step?: SearchStep): void =>
    setSearch(new URLSearchParams(Object.entries({ q, kind, ...parts }).filter(([, text]) => text !== "")), step);
  return (
    <Page
      title="Activity"
      section="Settings"
      description="Who signed in, changed, tested, sent again or revealed something."
    >
      <Card isFlush>
        <search className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
          <SearchInput
            label="Search the activity"
            placeholder="Person, webhook, address"
            value={q}
            onSearch={(words, step) => set({ q: words }, step)}
            className="flex-1 basis-full sm:max-w-md sm:basis-0"
          />
          <FilterMenu
            label="Kind"
            value={kind === "" ? null : (KINDS[kind as AuditKind] ?? kind)}
            onClear={() => set({ kind: "" })}
          >
            <Choices
              choices={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
              chosen={[kind]}
              onChoose={(chosen) => set({ kind: chosen })}
            />
          </FilterMenu>
        </search>
        <Loaded what="the activity" query={query}>
          {({ entries, nextCursor }) => (
            <>
              {entries.length > 0 ? (
                <Acts entries={entries} isBusy={query.isPlaceholderData} />
              ) : (
                <EmptyState icon={History} title={nextCursor === null ? "Nothing is found" : "Nothing is found so far"}>
                  {nextCursor === null ? "Nobody has done such a thing." : "“Older” looks further back."}
                </EmptyState>
              )}
              <Pager label="activity" nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}
