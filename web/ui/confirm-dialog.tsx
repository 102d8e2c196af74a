/**
 * Asks before something that is hard to take back. It names the thing and what follows, its button is a verb, and the
 * focus starts on Cancel. A refusal of the service is shown inside, so nothing is lost.
 */
import { type ReactNode, useRef, useState } from "react";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** A question that names the thing: "Delete the alert “New leads”?" */
  readonly title: string;
  /** The consequences, also those that somebody may fear and that do not follow. */
  readonly children: ReactNode;
  /** The verb: "Delete alert". */
  readonly action: string;
  /** Closes when it resolves, shows why not when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDestructive?: boolean;
}

export function ConfirmDialog(props: Props) {
  return props.isOpen ? <Question {...props} /> : null;
}

function Question({ onClose, title, children, action, onConfirm, isDestructive = false }: Props) {
  const cancel = useRef<HTMLButtonElement>(null);
  const { isBusy, refusal, take } = useTaking(onConfirm, onClose);
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      title={title}
      onClose={onClose}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button tone={isDestructive ? "danger" : "primary"} isBusy={isBusy} onClick={take}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {refusal}
    </Dialog>
  );
}

interface Taking {
  readonly isBusy: boolean;
  readonly take: () => void;
  /** Why the last try was refused, to be shown at the dialog's end. */
  readonly refusal: ReactNode;
}

/** The step that a dialog is about. It closes when `onTake` resolves, and says why not when it rejects. */
export function useTaking(onTake: () => Promise<unknown>, onClose: () => void): Taking {
  const [isBusy, setBusy] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const take = async (): Promise<void> => {
    setBusy(true);
    setWhy(null);
    try {
      await onTake();
      onClose();
    } catch (error) {
      setWhy(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  const refusal = why !== null && (
    <div ref={bringIntoView} className="pt-4">
      <Banner tone="bad" title={why} role="alert" />
    </div>
  );
  return { isBusy, refusal, take: () => void take() };
}

/** On a phone it is below what the dialog has room for. */
const bringIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" });
