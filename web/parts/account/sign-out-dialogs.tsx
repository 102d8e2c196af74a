/** Asks before people are signed out from here: what ends at once, and what keeps them out. */
import type { SignedIn } from "../../../src/dashboard/contract/signed-in.ts";
import { useChange } from "../../query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

interface Props {
  readonly onClose: () => void;
}

const OUTDATED = ["GET /signed-in", "GET /audit"] as const;

const COMING_BACK = "A new sign-in link lets them in again: your product decides who gets one.";

export function SignOutDialog({ browser, onClose }: Props & { readonly browser: SignedIn }) {
  const { id, person, purpose } = browser;
  const isForward = purpose === "forward";
  const signOut = useChange("DELETE /signed-in/:id", ...OUTDATED);
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={isForward ? `End the forwarding of “${person}”?` : `Sign out “${person}”?`}
      action={isForward ? "End it" : "Sign out"}
      onClose={onClose}
      onConfirm={() => signOut.mutateAsync({ params: { id } })}
    >
      {isForward ? "That machine gets no more webhooks" : "That browser is signed out at once"}, and sign-in links of “
      {person}” that were not used yet stop working. {COMING_BACK}
    </ConfirmDialog>
  );
}

export function SignOutOthersDialog({ onClose }: Props) {
  const signOut = useChange("DELETE /signed-in", ...OUTDATED);
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title="Sign out all others?"
      action="Sign out all others"
      onClose={onClose}
      onConfirm={() => signOut.mutateAsync({})}
    >
      Every browser but this one is signed out at once, your own others too, and sign-in links that were not used yet
      stop working. {COMING_BACK}
    </ConfirmDialog>
  );
}
