/** Why some of a selection are as they were: each reason once, with those that it is about. */
import { Dialog } from "../../ui/dialog.tsx";
import { number } from "../../words.ts";

export interface Refusal {
  readonly id: string;
  readonly name: string;
  /** In words. */
  readonly why: string;
}

interface Props {
  readonly refused: readonly Refusal[];
  readonly title: string;
  readonly onClose: () => void;
}

/** Guess: enough to recognise them. */
const NAMED_MAX = 20;

export function Refusals({ refused, title, onClose }: Props) {
  const reasons = Map.groupBy(refused, ({ why }) => why);
  return (
    <Dialog isOpen={refused.length > 0} onClose={onClose} title={title}>
      <div className="space-y-4">
        {[...reasons].map(([why, refusals]) => (
          <section key={why} className="space-y-1">
            <p className="[overflow-wrap:anywhere]">{why}</p>
            <ul className="text-ink">
              {refusals.slice(0, NAMED_MAX).map(({ id, name }) => (
                <li key={id} className="font-medium [overflow-wrap:anywhere]">
                  <bdi>{name}</bdi>
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
