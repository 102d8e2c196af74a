/** The button that sends what waits for a destination now, with how far it is below it. */
import { Send } from "lucide-react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useOwnersOnly } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { sendLabel, sendingWords } from "./sending-words.ts";
import { useSendWaiting } from "./use-send-waiting.ts";

interface Props {
  readonly destination: Pick<DestinationView, "id" | "state" | "health">;
  readonly isPrimary?: boolean;
}

export function SendWaiting({ destination, isPrimary = false }: Props) {
  const { id, state, health } = destination;
  const { sending, isBusy, error, send } = useSendWaiting(id);
  const ownersOnly = useOwnersOnly("send deliveries");
  const isOffered = state === "on" && health.waiting.count > 0;
  if (!isOffered && sending === null) return null;
  return (
    <>
      {(isOffered || isBusy) && (
        <Button
          size="sm"
          tone={isPrimary ? "primary" : "plain"}
          icon={<Send />}
          isBusy={isBusy}
          disabledReason={ownersOnly}
          onClick={send}
        >
          {sendLabel(health)}
        </Button>
      )}
      <span role="status" className="w-full text-sm font-medium text-ink empty:hidden">
        {sending !== null && sendingWords(sending)}
      </span>
      {error !== null && (
        <span role="alert" className="w-full text-sm text-bad">
          {error}
        </span>
      )}
    </>
  );
}
