/** Links: inside the dashboard, and to an address that somebody else chose. */
import clsx from "clsx";
import { ExternalLink } from "lucide-react";
import type { ComponentProps } from "react";
import { Link } from "wouter";
import { isReachable } from "../embed.ts";

/** Plain text where the page stands alone (web/embed.ts) and the link leads out of it. */
export function PageLink({ href, className, children, ...others }: ComponentProps<"a"> & { readonly href: string }) {
  if (!isReachable(href)) return <span className={className}>{children}</span>;
  return (
    <Link href={href} className={className} {...others}>
      {children}
    </Link>
  );
}

export const TEXT_LINK =
  "rounded-sm text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent";

export function TextLink({ className, href, children }: ComponentProps<"a"> & { readonly href: string }) {
  if (!isReachable(href)) return <span className={className}>{children}</span>;
  return (
    <Link href={href} className={clsx(TEXT_LINK, className)}>
      {children}
    </Link>
  );
}

/*
 * An address that came from outside, such as a referrer in a payload. Only http and https become a link, which opens in
 * another tab and tells that page nothing; everything else is shown as text.
 */

interface Props {
  readonly url: string;
  /** Else the address without its scheme. */
  readonly label?: string;
}

export function OutsideLink({ url, label = url.replace(/^https?:\/\//, "") }: Props) {
  const scheme = URL.parse(url)?.protocol;
  if (scheme !== "https:" && scheme !== "http:") return <span className="[overflow-wrap:anywhere]">{label}</span>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer noopener"
      className="rounded-sm text-accent underline decoration-accent/40 underline-offset-2 [overflow-wrap:anywhere]
        hover:decoration-accent"
    >
      {label}
      <ExternalLink aria-hidden="true" className="ml-1 inline size-3.5 -translate-y-px" />
      <span className="sr-only"> (opens in another tab)</span>
    </a>
  );
}
