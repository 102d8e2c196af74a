/** "4 min ago", kept up to date, with the exact instant in local time and in UTC on hover and focus. */
import { type ReactNode, useSyncExternalStore } from "react";
import { serviceNowMs } from "../api.ts";
import { exact, exactUtc, relative } from "../words.ts";
import { Tooltip } from "./tooltip.tsx";

interface Props {
  readonly atMs: number;
  /** Before the time, inside the same text: "next attempt". */
  readonly prefix?: string;
}

/** Every text on the page changes in the same moment, on one timer. */
const TICK_MS = 1_000;

export function RelativeTime({ atMs, prefix }: Props) {
  const nowMs = useNow();
  return (
    <Instant atMs={atMs}>
      {prefix === undefined ? "" : `${prefix} `}
      {relative(atMs, nowMs)}
    </Instant>
  );
}

/** A time in any words, with the exact instant on hover and focus. */
export function Instant({ atMs, children }: { readonly atMs: number; readonly children: ReactNode }) {
  return (
    <Tooltip
      content={
        <span className="grid gap-0.5 tabular-nums">
          <span>{exact(atMs)}</span>
          <span className="text-ink-soft">{exactUtc(atMs)}</span>
        </span>
      }
    >
      {(id) => (
        <time
          dateTime={new Date(atMs).toISOString()}
          // The exact time is for keyboards too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-describedby={id}
          className="rounded-sm whitespace-nowrap tabular-nums decoration-dotted underline-offset-2 hover:underline"
        >
          {children}
        </time>
      )}
    </Tooltip>
  );
}

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tickedAtMs = serviceNowMs();

/** The present, a second at a time. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => tickedAtMs);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  if (watchers.size === 1) {
    tick();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  tickedAtMs = serviceNowMs();
  for (const watcher of watchers) watcher();
}
