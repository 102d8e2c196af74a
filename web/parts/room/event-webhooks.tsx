/** The webhooks of one session or conversation: each delivery with its status and answer, a click from its page. */
import { SendHorizontal } from "lucide-react";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { ownerKindOf } from "../../../src/domain/event.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { BESIDE_EVENT_COLUMNS } from "../deliveries/delivery-columns.tsx";
import { NotSent } from "./not-sent.tsx";
import { sourceWord } from "../event-words.ts";

export function EventWebhooks({ detail: { type, rows, notSent } }: { readonly detail: EventDetail }) {
  const what = sourceWord(type);
  return (
    <Card title="Webhooks" isFlush>
      {rows.length === 0 ? (
        <EmptyState icon={SendHorizontal} title="Nothing was sent">
          {notSent.webhooks.length > 0
            ? "The reason for each webhook stands below."
            : ownerKindOf(type) === "alert"
              ? `No alert with a webhook was meant for this ${what} when it was accepted.`
              : `The assistant had no webhook when this ${what} was accepted.`}
        </EmptyState>
      ) : (
        <DataTable
          caption={`Deliveries of this ${what}`}
          columns={BESIDE_EVENT_COLUMNS}
          rows={rows}
          toKey={({ id }) => id}
          toHref={({ id }) => `/deliveries/${id}`}
          isAlwaysTable
        />
      )}
      <NotSent notSent={notSent} />
    </Card>
  );
}
