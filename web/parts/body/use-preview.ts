/** The preview of a body: asked for when somebody stops typing; the last answer stays until the next one is there. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BodyPreview } from "../../../src/dashboard/contract/body-preview.ts";
import { useSettled } from "../../ui/use-settled.ts";
import { type BodyDraft, toBodySettings } from "./body-draft.ts";
import { askPreview, type WantedEvents } from "./wanted-events.ts";

export interface PreviewState {
  readonly data: BodyPreview | undefined;
  /** Why there is none; the template's own error stands at the template. */
  readonly fault: string | null;
  readonly templateError: string | undefined;
  /** An answer is on its way, and `data` is an earlier one. */
  readonly isOld: boolean;
  readonly show: (eventId: string) => void;
}

export function usePreview(draft: BodyDraft, events: WantedEvents): PreviewState {
  const [shown, show] = useState<string | null>(null);
  const settings = toBodySettings(draft);
  const isWanted = settings.body !== "event" && settings.template?.trim() !== "";
  const wanted = JSON.stringify([settings, events]);
  const asked = useSettled(wanted);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["preview of a body", asked, shown],
    queryFn: () => askPreview(events, { ...settings, shown }),
    enabled: isWanted && asked === wanted,
    retry: false,
    placeholderData: (previous) => previous,
  });
  const mistake = data?.mistakes[0];
  const isOld = isPlaceholderData || asked !== wanted;
  return {
    data: isWanted && error === null && mistake === undefined ? data : undefined,
    fault: error?.message ?? null,
    // An earlier mistake may be mended already: it is said again when the service still finds it.
    templateError: isWanted && !isOld && mistake !== undefined ? `The template ${mistake}.` : undefined,
    isOld,
    show,
  };
}
