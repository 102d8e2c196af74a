/**
 * Names and values: what is known about one thing, and the ids that other systems know it by. They stand side by side,
 * and one above the other where the place is narrow.
 */
import type { ReactNode } from "react";
import { CopyButton } from "../ui/copy-button.tsx";

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">{children}</dl>;
}

/** Over the width of a page; on a phone each value stands right under its name. */
export function WideFacts({ children }: { readonly children: ReactNode }) {
  return <dl className={WIDE}>{children}</dl>;
}

const WIDE =
  "grid grid-cols-1 gap-x-6 max-sm:[&_dt:not(:first-child)]:mt-2.5 " +
  "sm:grid-cols-[10rem_minmax(0,1fr)] sm:gap-y-2.5";

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft [overflow-wrap:anywhere]">{name}</dt>
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

/** In a narrow place, such as a card beside the thing itself. */
export function NarrowFacts({ children }: { readonly children: ReactNode }) {
  return <dl className="space-y-2.5">{children}</dl>;
}

export function NarrowFact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

/** A text that somebody takes along: an id, an e-mail address. */
export function NarrowCopyFact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <NarrowFact name={name}>
      <span className="-my-0.5 flex items-center gap-1">
        <span className="min-w-0 text-sm">{text}</span>
        <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} isIcon />
      </span>
    </NarrowFact>
  );
}
