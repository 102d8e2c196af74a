/** What is done with all chosen rows of the log at once. It comes behind the list, in a chunk of its own. */
import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { DeliveryQuery, DeliveryRow, MatchingDeliveries } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswerWhen, useChange, useSession } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toast } from "../../ui/toasts.ts";
import { count, number } from "../../words.ts";
import { nameOf, ownerName } from "./delivery-columns.tsx";
import { type Refusal, Refusals } from "../selection/refusals.tsx";
import type { Selection } from "../selection/selection-column.tsx";

interface Props {
  readonly selection: Selection;
  readonly rows: readonly DeliveryRow[];
  /** The question whose answer the rows are. */
  readonly query: DeliveryQuery;
  /** The list has other pages than this one. */
  readonly hasOthers: boolean;
  /** On a phone the boxes are only there for as long as somebody selects. */
  readonly onDone: (() => void) | undefined;
  /** More match than can be selected. */
  readonly onReplay: () => void;
}

export function SelectionBar({ selection, rows, query, hasOthers, onDone, onReplay }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const sendAgain = useSendAgain();
  const { cursor: _, ...everyPage } = query;
  const wantsOthers = hasOthers && selection.isPage;
  const matching = useAnswerWhen("GET /deliveries/matching", wantsOthers ? { query: everyPage } : null);
  const chosen = toChosen(selection, rows, matching.data);
  const accepted = countAccepted(chosen, rows, matching.data);
  const send = async (): Promise<void> => {
    // A delivery that has arrived since it was selected no longer matches, and does not go out twice.
    const now = isBeyond(chosen, rows) ? (await matching.refetch()).data : undefined;
    const wanted = now?.isWhole === true ? chosen.filter((id) => now.ids.includes(id)) : chosen;
    const refusals = await sendAgain(wanted);
    const sent = wanted.length - refusals.length;
    if (sent > 0) toast(`${count(sent, "delivery", "deliveries")} queued to be sent again`);
    setRefused(refusals.map((refusal) => ({ ...refusal, name: nameIn(rows, refusal.id) })));
    selection.clear();
    onDone?.();
  };
  return (
    <>
      {(chosen.length > 0 || onDone !== undefined) && (
        <div
          className="pointer-events-none sticky bottom-[calc(var(--unseen-below,0px)+1rem)] z-10 flex justify-center
            px-4 pb-4"
        >
          <div
            role="region"
            aria-label="Selected deliveries"
            className="pointer-events-auto flex flex-wrap items-center gap-2 rounded-xl border border-line bg-raised
              py-2 pr-2 pl-4 shadow-popup"
          >
            <span role="status" className="mr-2 font-medium tabular-nums">
              {number(chosen.length)} selected
            </span>
            {chosen.length > 0 && (
              <Button size="sm" tone="primary" icon={<RotateCw />} onClick={() => setAsking(true)}>
                Send again
              </Button>
            )}
            {onDone !== undefined && !selection.isPage && (
              <Button size="sm" onClick={selection.togglePage}>
                All on this page
              </Button>
            )}
            {wantsOthers && (
              <EveryMatch
                matching={matching.data}
                selected={chosen.length}
                onSelect={selection.select}
                onReplay={onReplay}
              />
            )}
            <Button size="sm" tone="quiet" aria-keyshortcuts="Escape" onClick={onDone ?? selection.clear}>
              {onDone === undefined ? "Clear" : "Done"}
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
          ? "Each goes out now for the same event, with the same webhook-id."
          : `Your endpoint already accepted ${number(accepted)} of them. Each carries the same webhook-id again, so it
            can tell a duplicate.`}
      </ConfirmDialog>
      <Refusals
        refused={refused}
        title={`${count(refused.length, "delivery was", "deliveries were")} not sent again`}
        onClose={() => setRefused([])}
      />
    </>
  );
}

function nameIn(rows: readonly DeliveryRow[], id: string): string {
  const row = rows.find((candidate) => candidate.id === id);
  return row === undefined ? id : `${nameOf(row)} to ${ownerName(row)}`;
}

interface EveryMatchProps {
  readonly matching: MatchingDeliveries | undefined;
  readonly selected: number;
  readonly onSelect: (ids: readonly string[]) => void;
  readonly onReplay: () => void;
}

/** The page is selected whole and there are others: the number of all is there before anybody presses it. */
function EveryMatch({ matching, selected, onSelect, onReplay }: EveryMatchProps) {
  if (matching === undefined) {
    return (
      <Button size="sm" isBusy>
        Counting all that match
      </Button>
    );
  }
  const { ids, isWhole } = matching;
  if (!isWhole) {
    return (
      <Button size="sm" onClick={onReplay}>
        {number(ids.length)} or more match: send again…
      </Button>
    );
  }
  if (selected === ids.length) return <span className="mr-2 text-sm text-ink-soft">All that match</span>;
  return (
    <Button size="sm" onClick={() => onSelect(ids)}>
      Select all {number(ids.length)} that match
    </Button>
  );
}

const isBeyond = (chosen: readonly string[], rows: readonly DeliveryRow[]): boolean => chosen.length > rows.length;

/** A row that has left the list meanwhile is not sent, because it is not seen any more. */
function toChosen(
  { ids }: Selection,
  rows: readonly DeliveryRow[],
  matching: MatchingDeliveries | undefined,
): readonly string[] {
  const there = new Set([...rows.map(({ id }) => id), ...(matching?.ids ?? [])]);
  return [...ids].filter((id) => there.has(id));
}

function countAccepted(
  chosen: readonly string[],
  rows: readonly DeliveryRow[],
  matching: MatchingDeliveries | undefined,
): number {
  const delivered = rows.filter(({ status }) => status === "delivered").map(({ id }) => id);
  const accepted = new Set([...delivered, ...(matching?.deliveredIds ?? [])]);
  return chosen.filter((id) => accepted.has(id)).length;
}

/* Sends a selection again, in as many calls as it takes. A delivery that is refused stops none of the others. */

function useSendAgain(): (ids: readonly string[]) => Promise<readonly Omit<Refusal, "name">[]> {
  const { mutateAsync } = useChange(
    "POST /deliveries/resend",
    "GET /deliveries",
    "GET /deliveries/:id",
    "GET /deliveries/matching",
  );
  const { selectionMax } = useSession().limits;
  return async (ids) => {
    const refusals: Omit<Refusal, "name">[] = [];
    for (let from = 0; from < ids.length; from += selectionMax) {
      const { results } = await mutateAsync({ body: { ids: ids.slice(from, from + selectionMax) } });
      for (const { id, refusal } of results) if (refusal !== null) refusals.push({ id, why: refusal });
    }
    return refusals;
  };
}
