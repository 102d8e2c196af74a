/** Asks before a view of the log is deleted: one that is shared goes from every colleague's menu. */
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

interface Props {
  readonly name: string;
  /** Everybody of the account sees it. */
  readonly isShared: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export function DeleteView({ name, isShared, onConfirm, onClose }: Props) {
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={`Delete the view “${name}”?`}
      action="Delete view"
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {isShared ? "It goes from everybody’s menu. " : "It is kept in this browser alone. "}
      The deliveries that it shows stay. This can’t be taken back.
    </ConfirmDialog>
  );
}
