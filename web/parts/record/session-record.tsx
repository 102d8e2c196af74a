/** One demo session: how far the visitor came, what was opened, and where he or she came from. */
import { Check, Minus } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { IntentMark } from "../../ui/chips.tsx";
import { OutsideLink } from "../../ui/links.tsx";
import { duration } from "../../words.ts";
import { readSession, type Session } from "./bodies.ts";
import { Tile, Tiles, Unknown } from "./record-head.tsx";
import { RecordPage } from "./record-page.tsx";

export function SessionRecord({ detail }: { readonly detail: EventDetail }) {
  const { body } = detail;
  const session = useMemo(() => (body === null ? null : readSession(body)), [body]);
  return (
    <RecordPage detail={detail} visitor={session?.visitor ?? null}>
      {session !== null && <Whole session={session} />}
    </RecordPage>
  );
}

function Whole({ session }: { readonly session: Session }) {
  const { ctaOpened, link, referers, campaign } = session;
  return (
    <div className="space-y-5">
      <Figures session={session} />
      <Part title="Call to action">
        {ctaOpened === "" ? <Unknown>None was opened.</Unknown> : <OutsideLink url={ctaOpened} />}
      </Part>
      <Part title="Share link">
        {link.name !== "" && <p className="[overflow-wrap:anywhere]">{link.name}</p>}
        <p>{link.url === "" ? <Unknown /> : <OutsideLink url={link.url} />}</p>
      </Part>
      <Part title="Came from">
        {referers.length === 0 ? <Unknown>No address is known.</Unknown> : <Path stops={referers} />}
      </Part>
      <Part title="Campaign">
        {campaign.length === 0 ? (
          <Unknown>No campaign parameters.</Unknown>
        ) : (
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
            {campaign.map(([name, value]) => (
              <div key={name} className="col-span-2 grid grid-cols-subgrid">
                <dt className="text-ink-soft [overflow-wrap:anywhere]">
                  <code>{name}</code>
                </dt>
                <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </Part>
    </div>
  );
}

function Figures({ session }: { readonly session: Session }) {
  const { completion, timeSpentMs, intent, isChecklistCompleted: isDone } = session;
  return (
    <Tiles>
      <Tile name="Completion">{completion === "" ? <Unknown /> : <Completion percent={completion} />}</Tile>
      <Tile name="Time spent">{timeSpentMs === null ? <Unknown /> : duration(timeSpentMs)}</Tile>
      <Tile name="Intent">{intent === "" ? <Unknown /> : <IntentMark level={intent} />}</Tile>
      <Tile name="Checklist">{isDone === null ? <Unknown /> : <Flag isDone={isDone} />}</Tile>
    </Tiles>
  );
}

function Completion({ percent }: { readonly percent: string }) {
  return (
    <>
      {percent} %
      <svg aria-hidden="true" className="mt-1.5 block h-1.5 w-full overflow-hidden rounded-full bg-hover">
        <rect width={`${Math.min(100, Number(percent))}%`} height="100%" className="fill-accent-solid" />
      </svg>
    </>
  );
}

function Flag({ isDone }: { readonly isDone: boolean }) {
  const Icon = isDone ? Check : Minus;
  return (
    <span className="inline-flex items-center gap-1.5">
      <Icon aria-hidden="true" className={isDone ? "size-4 text-ok" : "size-4 text-ink-faint"} />
      {isDone ? "Done" : "Not done"}
    </span>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="border-line not-first-of-type:border-t not-first-of-type:pt-4">
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {children}
    </section>
  );
}

/** The addresses one after the other, as the visitor went through them. */
function Path({ stops }: { readonly stops: readonly string[] }) {
  return (
    <ol className="space-y-2">
      {stops.map((url, index) => (
        <li key={index} className="relative pl-5">
          <span aria-hidden="true" className="absolute top-1.5 left-0.5 size-2 rounded-full bg-accent-solid" />
          {index < stops.length - 1 && (
            <span aria-hidden="true" className="absolute top-4 -bottom-3 left-[5px] w-px bg-line-strong" />
          )}
          <OutsideLink url={url} />
        </li>
      ))}
    </ol>
  );
}
