/** Pauses a destination or turns it on, whichever can be done now, behind the question that belongs to it. */
import { Suspense, useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Button, type ButtonLook } from "../../ui/button.tsx";
import { onDemand } from "../../later.ts";
import { DialogSkeleton } from "../../ui/dialog.tsx";

/** Fetched when somebody opens them: they would weigh on the first load of the overview. */
const PauseDialog = onDemand(() => import("./state-dialogs.tsx"), "PauseDialog");
const TurnOnDialog = onDemand(() => import("./state-dialogs.tsx"), "TurnOnDialog");

interface Props {
  readonly destination: DestinationView;
  readonly disabledReason: string | undefined;
  /** Where turning it on is what the page asks for. */
  readonly turnOnTone?: ButtonLook["tone"];
}

export function StateButton({ destination, disabledReason, turnOnTone }: Props) {
  // The dialog that was asked for stays when somebody else changes the state meanwhile.
  const [open, setOpen] = useState<"pause" | "turn_on" | null>(null);
  const isOn = destination.state === "on";
  const close = (): void => setOpen(null);
  return (
    <>
      <Button
        size="sm"
        tone={isOn ? undefined : turnOnTone}
        onClick={() => setOpen(isOn ? "pause" : "turn_on")}
        disabledReason={disabledReason}
      >
        {isOn ? "Pause…" : "Turn on…"}
      </Button>
      <Suspense fallback={<DialogSkeleton onClose={close} />}>
        {open === "turn_on" && <TurnOnDialog destination={destination} onClose={close} />}
        {open === "pause" && <PauseDialog destination={destination} onClose={close} />}
      </Suspense>
    </>
  );
}
