/**
 * The instant of a request as the log of a server has it. Every other time on the page is the reader's own, with UTC on
 * hover; this one is for searching, so it is in UTC and says so.
 */
import { Tooltip } from "../../ui/tooltip.tsx";
import { exact, exactUtc } from "../../words.ts";

export function LogTime({ atMs }: { readonly atMs: number }) {
  const utc = exactUtc(atMs).replace(/[.].*/, "");
  return (
    <Tooltip content={`${exact(atMs)} where you are`}>
      {(id) => (
        <span
          // The local time is for keyboards too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-describedby={id}
          className="rounded-sm decoration-dotted underline-offset-2 hover:underline"
        >
          UTC time for your logs:{" "}
          <time dateTime={new Date(atMs).toISOString()} className="whitespace-nowrap tabular-nums">
            {utc}
          </time>
        </span>
      )}
    </Tooltip>
  );
}
