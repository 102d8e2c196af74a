/** Somebody else saved meanwhile: who and when, and the choice between theirs and mine. */
import { useRef } from "react";
import { withLocalTimes } from "../../local-times.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { ConflictPhase, Phase } from "./form-state.ts";
import type { ConflictChoice } from "./use-editor.ts";

interface Props {
  readonly phase: Phase;
  readonly choice: ConflictChoice;
}

export function ConflictDialog({ phase, choice }: Props) {
  return phase.kind === "conflict" ? <Choice conflict={phase} choice={choice} /> : null;
}

interface ChoiceProps {
  readonly conflict: ConflictPhase;
  readonly choice: ConflictChoice;
}

function Choice({ conflict: { who, reads, why }, choice: { close, loadTheirs, keepMine } }: ChoiceProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      title={withLocalTimes(who)}
      onClose={close}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} tone="quiet" onClick={close}>
            Cancel
          </Button>
          <Button isBusy={reads === "for theirs"} onClick={() => void loadTheirs()}>
            Load theirs
          </Button>
          <Button tone="primary" isBusy={reads === "for mine"} onClick={() => void keepMine()}>
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
      {why !== null && <Banner tone="bad" role="alert" className="mt-4" title={why} />}
    </Dialog>
  );
}
