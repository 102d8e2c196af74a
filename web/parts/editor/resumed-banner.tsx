/** Above a form that goes on with what was typed into it before the frame got a new link. */
import { Banner } from "../../ui/banner.tsx";
import { listMissingSecrets } from "../webhook/draft.ts";
import type { Editor } from "./use-editor.ts";

interface Props {
  readonly editor: Pick<Editor<unknown, unknown>, "isResumed" | "isDirty" | "webhook">;
}

export function ResumedBanner({ editor: { isResumed, isDirty, webhook } }: Props) {
  if (!isResumed || !isDirty) return null;
  const missing = listMissingSecrets(webhook);
  return (
    <Banner tone="info" title="What you typed is here again">
      It is not saved yet.{missing.length > 0 && ` Secrets are not kept; enter them again: ${missing.join(", ")}.`}
    </Banner>
  );
}
