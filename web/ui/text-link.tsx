/** A link inside text: underlined, because colour alone does not tell it from the words around it. */
import clsx from "clsx";
import type { ComponentProps } from "react";
import { Link } from "wouter";

export const TEXT_LINK =
  "rounded-sm text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent";

export function TextLink({ className, href, children }: ComponentProps<"a"> & { readonly href: string }) {
  return (
    <Link href={href} className={clsx(TEXT_LINK, className)}>
      {children}
    </Link>
  );
}
