/** **Test webhook** on what is typed, with its result: the card beside every form with a webhook in it. */
import type { ReactNode } from "react";
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Card } from "../../ui/card.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { AfterTest } from "../health/health-banner.tsx";
import { TestArea } from "../test-result/test-area.tsx";

interface Props<Saved, Draft> {
  readonly editor: Editor<Saved, Draft>;
  /** On the button. */
  readonly action?: string;
  readonly help: string;
  readonly disabledReason: string | undefined;
  /** Above the button: what is sent. */
  readonly children?: ReactNode;
}

interface WithDestination extends SavedAnswer {
  readonly destination: DestinationView | null;
}

export function TestCard<Saved extends WithDestination, Draft>(props: Props<Saved, Draft>) {
  const { editor, action = "Test webhook", help, disabledReason, children } = props;
  const { tests, sends, isDirty, saved } = editor;
  return (
    <Card title="Send a test">
      <div className="space-y-4">
        {children}
        <TestArea
          action={action}
          help={help}
          tests={tests}
          sends={sends}
          onTest={() => void editor.test()}
          disabledReason={disabledReason}
          edits={disabledReason === undefined ? editor : undefined}
        >
          <AfterTest tests={tests} sends={sends} isDirty={isDirty} destinationId={saved?.destination?.id} />
        </TestArea>
      </div>
    </Card>
  );
}
