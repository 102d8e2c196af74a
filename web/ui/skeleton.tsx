/** The shape of what is coming. It shows after 150 ms only (`animate-appear`), so that quick answers do not flicker. */
import clsx from "clsx";

/** One grey bar; `className` gives its size: "h-4 w-40". */
export function Skeleton({ className }: { readonly className: string }) {
  return <div aria-hidden="true" className={clsx("animate-appear rounded-md bg-hover", className)} />;
}

const WIDTHS = ["w-3/5", "w-2/5", "w-1/2", "w-2/3", "w-2/5", "w-1/2"];

/** Rows of a list. */
export function RowsSkeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex items-center gap-6 px-5 py-3.5">
          <Skeleton className={clsx("h-4", WIDTHS[index % WIDTHS.length])} />
          <Skeleton className="ml-auto h-4 w-16" />
        </div>
      ))}
    </div>
  );
}

/** The place of a page while its code is on its way. */
export function PageSkeleton() {
  return (
    <div className="space-y-5">
      <Skeleton className="h-7 w-48" />
      <div className="animate-appear rounded-xl border border-line bg-surface">
        <RowsSkeleton />
      </div>
    </div>
  );
}
