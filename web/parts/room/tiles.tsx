/** A few facts of one thing in a row, each with its name above. */
import type { ReactNode } from "react";

interface TileProps {
  readonly name: string;
  readonly children: ReactNode;
}

export function Tiles({ children }: { readonly children: ReactNode }) {
  // The ground between the tiles is their line: right in any number of columns.
  return (
    <dl className="grid grid-cols-2 gap-px overflow-clip rounded-lg border border-line bg-line sm:grid-cols-4">
      {children}
    </dl>
  );
}

export function Tile({ name, children }: TileProps) {
  return (
    <div className="min-w-0 bg-surface px-3.5 py-2.5">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="mt-0.5 font-medium [overflow-wrap:anywhere] tabular-nums">{children}</dd>
    </div>
  );
}

export function Unknown({ children = "Not known" }: { readonly children?: string }) {
  return <span className="font-normal text-ink-faint">{children}</span>;
}
