/**
 * An answer in its three states: the skeleton, the error with **Try again**, or the content. An answer that could not
 * be renewed stays on the page, marked with its age.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isAway } from "../api-problem.ts";
import { timeOfDay } from "../words.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
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
