/** Names and values side by side: what is known about one thing, and the ids that other systems know it by. */
import type { ReactNode } from "react";
import { CopyButton } from "../ui/copy-button.tsx";

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

export function IdFact({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <Fact name={name}>
      <span className="-my-1 flex min-w-0 flex-wrap items-center gap-x-1">
        <code className="min-w-0 [overflow-wrap:anywhere]">{id}</code>
        <CopyButton text={id} />
      </span>
    </Fact>
  );
}
