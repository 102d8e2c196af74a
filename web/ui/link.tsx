/** A link inside the dashboard; plain text where the page stands alone and the link leads out of it. */
import type { ComponentProps } from "react";
import { Link as Base } from "wouter";
import { isReachable } from "../embed.ts";

type Props = ComponentProps<"a"> & { readonly href: string };

export function Link({ href, className, children, ...others }: Props) {
  if (!isReachable(href)) return <span className={className}>{children}</span>;
  return (
    <Base href={href} className={className} {...others}>
      {children}
    </Base>
  );
}
