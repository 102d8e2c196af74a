/** The card that turns single-key shortcuts on or off in this browser, and lists them. */
import { Suspense, useState } from "react";
import { useKeysSetting } from "../../browser-settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DialogSkeleton } from "../../ui/dialog.tsx";
import { Switch } from "../../ui/controls.tsx";
import { onDemand } from "../../later.ts";

const KeysHelp = onDemand(() => import("../../shell/keys-help.tsx"), "KeysHelp");

export function Keyboard() {
  const [areOn, turn] = useKeysSetting();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const closeHelp = (): void => setHelpOpen(false);
  return (
    <Card
      title="Keyboard"
      description="Kept in this browser."
      actions={
        <Button size="sm" onClick={() => setHelpOpen(true)}>
          Show all keys
        </Button>
      }
    >
      <Switch
        label="Single-key shortcuts"
        help="Press / to search, j and k to move between rows, x to select one, and ? for all of them."
        checked={areOn}
        onChange={(event) => turn(event.target.checked)}
      />
      <Suspense fallback={<DialogSkeleton onClose={closeHelp} />}>
        {isHelpOpen && <KeysHelp onClose={closeHelp} />}
      </Suspense>
    </Card>
  );
}
