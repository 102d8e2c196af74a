/** Asks before a person is erased, and says afterwards what was taken out, as the command and the product are told. */
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useChange } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { number, upperFirst } from "../../words.ts";
import { type Erased, eraseParts, NOTHING_ERASED } from "./erase-parts.ts";

interface Props {
  readonly email: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onErased: (erased: Erased) => void;
}

export function EraseDialog({ email, isOpen, onClose, onErased }: Props) {
  const erase = useErasing(email);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Erase ${email}?`}
      action="Erase this person"
      isDestructive
      onConfirm={async () => onErased(await erase())}
    >
      <div className="space-y-3">
        <p>
          Every event with this e-mail address in its body, however it is written there, loses its body, what receivers
          answered, and its texts in search. What waits is cancelled: it is not sent. This can’t be taken back.
        </p>
        <p>
          Ids, states and counts stay, and a record that is repeated is still no second event. What is accepted later is
          not concerned, nor what receivers have got already. The activity says that somebody was erased, not whom.
        </p>
      </div>
    </ConfirmDialog>
  );
}

/** The dialog may be closed between two presses. */
function useErasing(email: string): () => Promise<Erased> {
  const client = useQueryClient();
  const { mutateAsync } = useChange("POST /people/erase");
  const soFar = useRef(NOTHING_ERASED);
  return async () => {
    const erased = await eraseParts(soFar, (after) =>
      mutateAsync({ body: after === "" ? { email } : { email, after } }),
    );
    await client.invalidateQueries();
    return erased;
  };
}

export function ErasedBanner({ erased: { lines, inFlight } }: { readonly erased: Erased }) {
  const some = lines.filter((line) => line.count > 0);
  return (
    <Banner
      tone={inFlight > 0 ? "warn" : "info"}
      role="status"
      title={some.length === 0 ? "Nothing of this address was left to erase" : "Erased"}
    >
      <ul>
        {some.map((line) => (
          <li key={line.what}>
            {upperFirst(line.what)}: {number(line.count)}
          </li>
        ))}
      </ul>
      {inFlight > 0 && <p>Being sent just now: {number(inFlight)}. Erase again in a minute.</p>}
    </Banner>
  );
}
