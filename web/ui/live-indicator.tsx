/** Whether the page follows what happens: Live, Reconnecting or Not live, in words. */
import clsx from "clsx";
import type { LiveState } from "../live-stream.ts";
import { useLiveState } from "../live.ts";
import { Tooltip } from "./tooltip.tsx";

const LOOKS: Readonly<Record<LiveState, { readonly word: string; readonly note: string; readonly dot: string }>> = {
  live: { word: "Live", note: "Changes appear by themselves.", dot: "bg-ok-mark" },
  reconnecting: { word: "Reconnecting", note: "Changes will appear once the stream is back.", dot: "bg-warn-mark" },
  off: {
    word: "Not live",
    note: "The live stream cannot be opened. The page asks every 15 seconds.",
    dot: "bg-bad-mark",
  },
};

export function LiveIndicator() {
  const { word, note, dot } = LOOKS[useLiveState()];
  return (
    <Tooltip content={note}>
      {(id) => (
        <span
          role="status"
          aria-describedby={id}
          // Its note is for keyboards too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="inline-flex items-center gap-1.5 rounded-sm text-sm text-ink-soft"
        >
          <span aria-hidden="true" className={clsx("size-2 rounded-full forced-colors:border", dot)} />
          {word}
        </span>
      )}
    </Tooltip>
  );
}
