/** Somebody else saved meanwhile: who and when, and the choice between theirs and mine. */
import { useRef, useState } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

interface Props {
  /** "Ana changed this alert at 11:32."; `null` when there is no conflict. */
  readonly conflict: string | null;
  readonly onClose: () => void;
  readonly onLoadTheirs: () => Promise<void>;
  /** Settles the conflict itself: saving over it may meet the next one. */
  readonly onKeepMine: () => Promise<void>;
}

export function ConflictDialog(props: Props) {
  return props.conflict === null ? null : <Choice {...props} conflict={props.conflict} />;
}

function Choice({ conflict, onClose, onLoadTheirs, onKeepMine }: Props & { readonly conflict: string }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState<"theirs" | "mine" | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const decide = async (which: "theirs" | "mine", work: () => Promise<void>): Promise<void> => {
    setBusy(which);
    try {
      await work();
      if (which === "theirs") onClose();
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
      setBusy(null);
    }
  };
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      title={conflict}
      onClose={onClose}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button isBusy={busy === "theirs"} onClick={() => void decide("theirs", onLoadTheirs)}>
            Load theirs
          </Button>
          <Button tone="primary" isBusy={busy === "mine"} onClick={() => void decide("mine", onKeepMine)}>
            Keep mine
          </Button>
        </>
      }
    >
      <p>
        <strong className="font-medium text-ink">Load theirs</strong> shows what is saved now, and your changes are
        lost.
        <br />
        <strong className="font-medium text-ink">Keep mine</strong> saves your form over it.
      </p>
      {refusal !== null && <Banner tone="bad" role="alert" className="mt-4" title={refusal} />}
    </Dialog>
  );
}
