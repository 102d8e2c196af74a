/**
 * An answer in its three states: the skeleton, the error with **Try again**, or the content. An answer that could not
 * be renewed stays on the page, marked with its age.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import type { LucideIcon } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { isAway } from "../api.ts";
import { timeOfDay } from "../words.ts";
import { announce } from "./announcer.tsx";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { Card } from "./card.tsx";
import { ErrorState } from "./error-state.tsx";
import { RowsSkeleton } from "./skeleton.tsx";

interface Props<Data> {
  /** Completes "We couldn't load …". */
  readonly what: string;
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
  readonly skeleton?: ReactNode;
}

const AWAY = "your account’s data can’t be reached right now";

export function Loaded<Data>({ what, query, children, skeleton = <RowsSkeleton /> }: Props<Data>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    return error === null ? <>{skeleton}</> : <ErrorState what={what} error={error} onRetry={refetch} />;
  }
  // One tree with and without the error: what is typed and open inside outlives a refetch that fails.
  return (
    <>
      {error !== null && (
        <Banner
          tone="warn"
          role="status"
          className="m-3"
          title={`As of ${timeOfDay(query.dataUpdatedAt)}: ${isAway(error) ? AWAY : `we couldn’t load ${what} again`}.`}
          actions={
            <Button size="sm" isBusy={query.isFetching} onClick={() => void refetch()}>
              Try again
            </Button>
          }
        >
          {error.message}
        </Banner>
      )}
      {children(data)}
    </>
  );
}

/** The same for content that has cards of its own: until it is there, its skeleton or error stands in one. */
export function LoadedCards<Data>({ what, query, children }: Omit<Props<Data>, "skeleton">) {
  const loaded = (
    <Loaded what={what} query={query}>
      {children}
    </Loaded>
  );
  return query.data === undefined ? <Card isFlush>{loaded}</Card> : loaded;
}

/* Nothing here yet, or nothing that matches: a title, a sentence on what this is for, and one way on. */

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  useEffect(() => announce(title), [title]);
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span
        aria-hidden="true"
        className="mb-4 flex size-11 items-center justify-center rounded-full bg-accent-soft text-accent [&_svg]:size-5"
      >
        <Icon />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mt-1 max-w-md text-balance text-ink-soft [overflow-wrap:anywhere]">{children}</div>
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
