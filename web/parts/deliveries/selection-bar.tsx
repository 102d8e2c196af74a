/**
 * Actions on the selected rows, in sight at the foot of the window for as long as there are some. After sending it says
 * why a delivery was refused.
 */
import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { toast } from "../../toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { count } from "../../words.ts";
import { nameOf, ownerName } from "./delivery-columns.tsx";
import type { Selection } from "./use-selection.ts";
import { type Refusal, useSendAgain } from "./use-send-again.ts";

interface Props {
  readonly selection: Selection;
  readonly rows: readonly DeliveryRow[];
  /** There are more than this page has. */
  readonly hasMore: boolean;
  /** Everything that the filters find, on the other pages too. */
  readonly onChooseMatching: () => void;
}

export function SelectionBar({ selection, rows, hasMore, onChooseMatching }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const sendAgain = useSendAgain();
  const chosen = rows.filter(({ id }) => selection.ids.has(id));
  const accepted = chosen.filter(({ status }) => status === "delivered").length;
  const send = async (): Promise<void> => {
    const refusals = await sendAgain(chosen.map(({ id }) => id));
    const sent = chosen.length - refusals.length;
    if (sent > 0) toast(`${count(sent, "resend")} queued`);
    setRefused(refusals);
    selection.clear();
  };
  return (
    <>
      {chosen.length > 0 && (
        <div className="pointer-events-none sticky bottom-4 z-10 flex justify-center px-4 pb-4">
          <div
            role="region"
            aria-label="Selected deliveries"
            className="pointer-events-auto flex flex-wrap items-center gap-2 rounded-xl border border-line bg-raised
              py-2 pr-2 pl-4 shadow-popup"
          >
            <span role="status" className="mr-2 font-medium tabular-nums">
              {chosen.length} selected
            </span>
            <Button size="sm" tone="primary" icon={<RotateCw />} onClick={() => setAsking(true)}>
              Send again
            </Button>
            {selection.isPage && hasMore && (
              <Button size="sm" onClick={onChooseMatching}>
                All that match…
              </Button>
            )}
            <Button size="sm" tone="quiet" aria-keyshortcuts="Escape" onClick={selection.clear}>
              Clear
            </Button>
          </div>
        </div>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Send ${count(chosen.length, "delivery", "deliveries")} again?`}
        action="Send again"
        onConfirm={send}
      >
        {accepted === 0
          ? "Each goes out now with the same body and the same webhook-id."
          : `Your endpoint already accepted ${accepted} of them. Each carries the same webhook-id again, so it can tell
            a duplicate.`}
      </ConfirmDialog>
      <Refusals refused={refused} rows={rows} onClose={() => setRefused([])} />
    </>
  );
}

interface RefusalsProps {
  readonly refused: readonly Refusal[];
  readonly rows: readonly DeliveryRow[];
  readonly onClose: () => void;
}

function Refusals({ refused, rows, onClose }: RefusalsProps) {
  return (
    <Dialog
      isOpen={refused.length > 0}
      onClose={onClose}
      title={`${count(refused.length, "delivery was", "deliveries were")} not sent again`}
    >
      <ul className="space-y-3">
        {refused.map(({ id, why }) => {
          const row = rows.find((candidate) => candidate.id === id);
          return (
            <li key={id}>
              <p className="font-medium text-ink">{row === undefined ? id : `${nameOf(row)} to ${ownerName(row)}`}</p>
              <p>{why}</p>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
