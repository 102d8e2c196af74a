/** The end of a form: what came of saving, and the buttons. */
import type { ReactNode } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { type Phase, isSaving } from "./form-state.ts";
import { savedWords } from "./saved-words.ts";

interface Props {
  readonly phase: Phase;
  readonly disabledReason: string | undefined;
  /** Beside Save, such as Cancel. */
  readonly children?: ReactNode;
}

export function SaveBar({ phase, disabledReason, children }: Props) {
  const words = phase.kind === "saved" ? savedWords(phase) : null;
  return (
    <div className="space-y-3">
      {phase.kind === "refused" && <Banner tone="bad" role="alert" title={phase.why} />}
      <div role="status">{words !== null && <Banner tone={words === "Saved." ? "ok" : "warn"} title={words} />}</div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {disabledReason !== undefined && <p className="mr-auto text-sm text-ink-soft">{disabledReason}</p>}
        {children}
        <Button type="submit" tone="primary" isBusy={isSaving(phase)} disabledReason={disabledReason}>
          Save
        </Button>
      </div>
    </div>
  );
}
