/** Why deliveries of a selection were not sent again: each reason once, with those that it is about. */
import type { DeliveryRow } from "../../../src/dashboard/contract/deliveries.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { count, number } from "../../words.ts";
import { nameOf, ownerName } from "./delivery-columns.tsx";
import type { Refusal } from "./use-send-again.ts";

interface Props {
  readonly refused: readonly Refusal[];
  readonly rows: readonly DeliveryRow[];
  readonly onClose: () => void;
}

/** Guess: enough to recognise them. */
const NAMED_MAX = 10;

export function Refusals({ refused, rows, onClose }: Props) {
  const reasons = Map.groupBy(refused, ({ why }) => why);
  const toName = (id: string): string => {
    const row = rows.find((candidate) => candidate.id === id);
    return row === undefined ? id : `${nameOf(row)} to ${ownerName(row)}`;
  };
  return (
    <Dialog
      isOpen={refused.length > 0}
      onClose={onClose}
      title={`${count(refused.length, "delivery was", "deliveries were")} not sent again`}
    >
      <div className="space-y-4">
        {[...reasons].map(([why, refusals]) => (
          <section key={why} className="space-y-1">
            <p>{why}</p>
            <ul className="text-ink">
              {refusals.slice(0, NAMED_MAX).map(({ id }) => (
                <li key={id} className="font-medium [overflow-wrap:anywhere]">
                  {toName(id)}
                </li>
              ))}
              {refusals.length > NAMED_MAX && <li>and {number(refusals.length - NAMED_MAX)} more</li>}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
