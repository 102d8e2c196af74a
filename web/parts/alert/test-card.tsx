/** **Test webhook** on what is typed, with its result. There is nothing to test while Webhooks is off. */
import { useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { AfterTest } from "../health/after-test.tsx";
import { TestArea } from "../test-result/test-area.tsx";
import type { AlertEditor } from "./use-alert-subject.ts";

interface Props {
  readonly editor: AlertEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

/** Beside the button, because what it sends is real and leaves the account at once. */
const SENDS =
  "Sends your latest session, personal data included, to the Webhook URL as typed, saved or not; a made-up one if " +
  "you have none.";

export function TestCard({ editor, ownersOnly }: Props) {
  const { alertWebhooksGate: gate } = useSession();
  if (!editor.state.webhooksOn && gate === null) return null;
  return (
    <Card title="Send a test">
      <TestArea
        action="Test webhook"
        help={SENDS}
        tests={editor.tests}
        sends={editor.sends}
        onTest={() => void editor.test()}
        // The reason stands in full above the fields; said twice it reads as two.
        disabledReason={ownersOnly ?? (gate === null ? undefined : "Part of the Starter plan.")}
        onUseUrl={gate === null && ownersOnly === undefined ? editor.useUrl : undefined}
      >
        <AfterTest
          tests={editor.tests}
          sends={editor.sends}
          isDirty={editor.isDirty}
          destinationId={editor.saved?.destination?.id}
        />
      </TestArea>
    </Card>
  );
}
