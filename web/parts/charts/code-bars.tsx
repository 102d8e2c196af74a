/** Answers by code as horizontal bars; each leads to the deliveries that had it last. */
import { number } from "../../words.ts";
import { failureCode } from "../health/health-words.ts";
import { NoDeliveries } from "./chart.tsx";
import { PageLink } from "../../ui/links.tsx";

interface Props {
  readonly codes: readonly { readonly code: string; readonly count: number }[];
  /** Narrows the links to one destination. */
  readonly destinationId?: string | undefined;
}

const CODES_MAX = 8;

export function CodeBars({ codes, destinationId }: Props) {
  const most = Math.max(1, ...codes.map(({ count }) => count));
  if (codes.length === 0) return <NoDeliveries />;
  return (
    <ul className="space-y-1.5">
      {codes.slice(0, CODES_MAX).map(({ code, count }) => (
        <li key={code}>
          <PageLink href={toHref(code, destinationId)} className={BAR_LINK}>
            <span className="truncate">{failureCode(code)}</span>
            <svg aria-hidden="true" width="100%" height="10">
              <rect width={`${(count / most) * 100}%`} height="10" rx="2" className={toTone(code)} />
            </svg>
            <span className="text-ink-soft tabular-nums">{number(count)}</span>
          </PageLink>
        </li>
      ))}
    </ul>
  );
}

const BAR_LINK =
  "grid grid-cols-[9rem_minmax(0,1fr)_auto] items-center gap-3 rounded-md px-1.5 py-1 hover:bg-hover " +
  "max-sm:grid-cols-[7rem_minmax(0,1fr)_auto]";

function toHref(code: string, destinationId: string | undefined): string {
  const filters = `response=${responseFilter(code)}`;
  return `/deliveries?${filters}${destinationId === undefined ? "" : `&destination=${destinationId}`}`;
}

const isStatus = (code: string): boolean => /^\d{3}$/.test(code);
const responseFilter = (code: string): string => (isStatus(code) ? code : "none");

function toTone(code: string): string {
  if (code.startsWith("2")) return "fill-ok-mark";
  return isStatus(code) && !code.startsWith("5") ? "fill-warn-mark" : "fill-bad-mark";
}
