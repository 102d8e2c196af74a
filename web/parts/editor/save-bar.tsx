/** The end of a form: what came of saving, and the buttons. */
import type { ReactNode } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import type { Saving } from "./use-saving.ts";

interface Props {
  readonly saving: Saving;
  readonly disabledReason: string | undefined;
  /** Beside Save, such as Cancel. */
  readonly children?: ReactNode;
}

export function SaveBar({ saving: { refusal, saved, isBusy }, disabledReason, children }: Props) {
  return (
    <div className="space-y-3">
      {refusal !== null && <Banner tone="bad" role="alert" title={refusal} />}
      <div role="status">{saved !== null && <Banner tone={saved === "Saved." ? "ok" : "warn"} title={saved} />}</div>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {disabledReason !== undefined && <p className="mr-auto text-sm text-ink-soft">{disabledReason}</p>}
        {children}
        <Button type="submit" tone="primary" isBusy={isBusy} disabledReason={disabledReason}>
          Save
        </Button>
      </div>
    </div>
  );
}
