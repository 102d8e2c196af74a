/** The head of every page: where it stands, its one h1, its actions, and the document's title. */
import clsx from "clsx";
import { ChevronLeft } from "lucide-react";
import { type ReactNode, use, useEffect, useEffectEvent, useRef } from "react";
import { type Back, PageBack, PageNotice } from "./page-frame.ts";
import { useSession } from "../query.ts";
import { EMBEDDED_PAGE, isReachable } from "../embed.ts";
import { PageLink } from "./links.tsx";
import { announce, useAnnounced } from "./announcer.tsx";

interface Props {
  readonly title: string;
  /** The part of the dashboard around it: "Settings" for "Alerts · Settings · Acme". */
  readonly section?: string;
  /** One level up: "Alerts". */
  readonly back?: Back;
  readonly description?: ReactNode;
  /** Beside the title, such as a chip. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** A heading below says more: this one is for readers of the screen. */
  readonly isTitleSpoken?: boolean;
  /** Forms and texts read better on a narrow page; lists use all there is. */
  readonly isNarrow?: boolean;
}

export function Page({ title, section, back, description, aside, actions, children, ...look }: Props) {
  const { isNarrow = false, isTitleSpoken = false } = look;
  const { account } = useSession();
  const heading = useArrival(title);
  useAnnounced(title);
  const isBelow = back !== undefined && isReachable(back.href);
  // The product's own heading stands above the page that its link opens; a page below is the only one to say its name.
  const isTitleTheirs = EMBEDDED_PAGE !== null && !isBelow;
  const parts = [title, section, account.name].filter((part) => part !== undefined);
  return (
    <div className={isNarrow ? "max-w-3xl" : "max-w-7xl"}>
      <title>{parts.join(" · ")}</title>
      <header className={isTitleSpoken ? "mb-2" : "mb-5"}>
        {isBelow && (
          <PageLink
            href={back.href}
            className="mb-1 -ml-1 inline-flex min-h-6 max-w-full items-center gap-0.5 pr-1 text-sm text-ink-soft
              [overflow-wrap:anywhere] hover:text-ink"
          >
            <ChevronLeft aria-hidden="true" className="size-4 shrink-0" />
            {back.label}
          </PageLink>
        )}
        <div className={isTitleSpoken ? "sr-only" : "flex flex-wrap items-center gap-x-4 gap-y-3"}>
          <div
            className={clsx(
              "flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1",
              // What is not seen needs no room beside the actions.
              !isTitleTheirs && "basis-52",
            )}
          >
            <h1
              ref={heading}
              tabIndex={-1}
              className={isTitleTheirs ? "sr-only" : "text-xl font-semibold outline-none [overflow-wrap:anywhere]"}
            >
              {title}
            </h1>
            {aside}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {description !== undefined && <div className="mt-1 max-w-3xl text-ink-soft">{description}</div>}
      </header>
      {use(PageNotice)}
      <PageBack value={back}>
        <div className="space-y-5">{children}</div>
      </PageBack>
    </div>
  );
}

/**
 * Tells a screen reader of the page that a link has led to. A focus that would be on nothing goes to the heading. When
 * the focus stays, as on a link of the rail, the title is announced. The first page does neither.
 */
function useArrival(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const arrive = useEffectEvent(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    else announce(title);
  });
  useEffect(() => {
    if (hasArrived) arrive();
    hasArrived = true;
  }, []);
  return heading;
}

let hasArrived = false;
